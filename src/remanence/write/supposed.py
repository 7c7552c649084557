"""What is only supposed expires, unless it is said again or confirmed (engram A6); what saying it again makes of it.

Knows confidence, times and who spoke; must not know a store.
"""

from collections.abc import Sequence
from typing import Any

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


def said_again(memory: Memory, repeats: Sequence[tuple[Role, Trust, str | None]], now: int) -> dict[str, Any]:
    """Return what repeats make of a memory: what is known of it, and its end; each by who said it in which session."""
    if not repeats:
        return {}
    changes = {"verification": _compute_verification(memory, repeats)} | (
        {"valid_to": None} if holds_on(memory, now) else {}
    )
    return {name: value for name, value in changes.items() if value != getattr(memory, name)}


def _compute_verification(memory: Memory, repeats: Sequence[tuple[Role, Trust, str | None]]) -> Verification:
    """Return what is known of a memory: confirmed where a user says it again, inferred where another session does."""
    verification = memory.verification
    if verification in (Verification.UNVERIFIED, Verification.SYSTEM_INFERRED):
        if any(role is Role.USER and trust is Trust.USER for role, trust, _ in repeats):
            return Verification.USER_CONFIRMED
        sessions = {session for _, _, session in repeats} - {None, memory.session}
        if sessions and memory.session is not None:
            return Verification.SYSTEM_INFERRED
    return verification
