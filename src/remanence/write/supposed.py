"""What is only supposed expires, unless it is said again or confirmed (engram A6); what saying it again makes of it.

Knows confidence, times and who spoke; must not know a store.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from remanence.core.clock import DAY
from remanence.core.model import Memory, Role, Trust, Verification

INFERRED = 0.40  # the least confidence of a fact that is more than supposed (engram A3)
SUPPOSED = 30 * DAY


def expiry(confidence: float | None, learned_at: int) -> int | None:
    """Return when a fact expires that is less than inferred; None for any other."""
    return learned_at + SUPPOSED if confidence is not None and confidence < INFERRED else None


def holds_on(memory: Memory, now: int) -> bool:
    """Tell whether a memory that is confirmed now is to have no end any more: it was supposed, or its end has come."""
    return memory.valid_to is not None and (
        memory.valid_to <= now or memory.valid_to == memory.learned_at + SUPPOSED
    )


class Repeat(NamedTuple):
    """Who said the text of a memory again, in which session, and when, in microseconds."""

    role: Role
    trust: Trust
    session: str | None
    said_at: int


def said_again(memory: Memory, repeats: Sequence[Repeat], now: int) -> dict[str, Any]:
    """Return what repeats make of a memory: what is known of it, when it was said last, and its end."""
    if not repeats:
        return {}
    changes: dict[str, Any] = {"verification": _compute_verification(memory, repeats)}
    last = max(one.said_at for one in repeats)
    if last > memory.last_said_at:
        changes["said_again_at"] = last
    if holds_on(memory, now):
        changes["valid_to"] = None
    return {name: value for name, value in changes.items() if value != getattr(memory, name)}


def _compute_verification(memory: Memory, repeats: Sequence[Repeat]) -> Verification:
    """Return what is known of a memory: confirmed where a user says it again, inferred where another session does."""
    verification = memory.verification
    if verification in (Verification.UNVERIFIED, Verification.SYSTEM_INFERRED):
        if any(one.role is Role.USER and one.trust is Trust.USER for one in repeats):
            return Verification.USER_CONFIRMED
        sessions = {one.session for one in repeats} - {None, memory.session}
        if sessions and memory.session is not None:
            return Verification.SYSTEM_INFERRED
    return verification
