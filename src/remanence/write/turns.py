"""What waits to be listened to: the turns of a session that were noted, counted by name as they are stored.

Knows the tag of a turn and the names of the counters; must not know what is extracted.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from remanence.core.model import Memory, Role
from remanence.core.segment import TURN
from remanence.read.keep_signals import signal
from remanence.write.admission import DraftOutcome, MemoryDraft

WAITING = "waiting/"
TURNS, HIGH = f"{WAITING}turns/", f"{WAITING}high/"  # counters, by the session's id; "" for what has none
LEASES = "extract/"  # what the names of leases on sessions begin with
RELEASED = "released/"  # values, by the turn's number: the session of one that came out of quarantine


def lease_name(session: str) -> str:
    """Return the name of the lease on a session: its row outlives the session, so it says no word of it."""
    return f"{LEASES}{blake2b(session.encode(), digest_size=16).hexdigest()}"


def waits(drafts: Sequence[MemoryDraft], outcomes: Sequence[DraftOutcome]) -> dict[str, int]:
    """Return by how much the counters of waiting turns rise with what was stored."""
    counts: Counter[str] = Counter()
    for draft, outcome in zip(drafts, outcomes, strict=True):
        if outcome.status == "stored" and TURN in draft.turn.tags and not draft.kept_out:
            session = draft.turn.session or ""
            counts[TURNS + session] += 1
            counts[HIGH + session] += draft.role is Role.USER and signal(draft.turn.text).level == "high"
    return {name: count for name, count in counts.items() if count}


def released_key(seq: int) -> str:
    """Return under which name it is kept that a turn came out of quarantine."""
    return f"{RELEASED}{seq}"


def listened_again(turns: Iterable[Memory]) -> dict[str, str]:
    """Return the values by which turns that come out of quarantine wait to be listened to."""
    return {released_key(one.seq): one.session or "" for one in turns if TURN in one.tags}
