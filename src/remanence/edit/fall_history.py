"""How a memory fell out of sight, from what the audit says of it: what it was before, and how it comes back.

Knows changes; knows no store.
"""

from dataclasses import dataclass
from typing import Any

from remanence.core.change import Change
from remanence.core.effects import VERBS, Effect
from remanence.core.model import Lifecycle, Status


@dataclass(slots=True)
class FallHistory:
    """What a memory was before it fell, as its changes say that are taken in, the oldest first.

    What the audit no longer says: a candidate, and `valid_to` as it stands.
    """

    valid_to: int | None
    lifecycle: Lifecycle = Lifecycle.CANDIDATE
    pruned_from: Status | None = None

    def take_in(self, verb: str, change: Change) -> None:
        """Take in the next change of the memory, and the verb that made it."""
        before, after = change.before, change.after
        if not before or not after:
            return
        if after.get("status") == Status.PRUNED:
            self.pruned_from = Status(before["status"])
        if after.get("lifecycle") == Lifecycle.ARCHIVED:
            self.lifecycle = Lifecycle(before["lifecycle"])
        if "valid_to" in after:
            if after.get("status") == Status.SUPERSEDED:  # whichever verb it was: rules and verdicts, too
                self.valid_to = before["valid_to"]
            elif verb not in VERBS["take its place"].under:  # that ends it, but says no such thing
                self.valid_to = after["valid_to"]

    def values(self, now: int) -> dict[str, Any]:
        """Return the lifecycle and the end of validity with which it comes back; an end that has come is none."""
        is_over = self.valid_to is None or self.valid_to <= now
        return {"lifecycle": self.lifecycle, "valid_to": None if is_over else self.valid_to}

    def find_effect(self, status: Status) -> Effect:
        """Return how it comes back: a tombstone that was in quarantine comes back there."""
        is_quarantined = status is Status.PRUNED and self.pruned_from is Status.QUARANTINED
        return VERBS["restore to quarantine" if is_quarantined else "restore"]
