"""What becomes of a turn under an id that is known: one table, from what is held there and what its source says now.

Knows one turn and one memory; must not know how they were found, nor how what is decided is written.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from remanence.core.model import STANDING, Memory, Status, Trust, Turn, Verification
from remanence.write.admission import DraftOutcome, MemoryDraft
from remanence.write.import_relations import is_history
from remanence.write.imported import ImportedTurn
from remanence.write.roles import compute_trust

RENEWED = "the new text took its place"
HISTORY = "the source says itself that something took its place"
SAID = "a turn of a conversation stays as it came in"
ELSEWHERE = "it came from elsewhere"
BELIEVED = "it is believed more than the source"
CHANGED = "somebody changed it since"
LATER = "it was said later"
GONE = "its note no longer holds it"
TWICE = "another turn of the source has the key"
HELD_BACK = "the new text holds markup for a machine, and is held back"
REFUSED = "the new text is forbidden"
HERE = "both texts are here, and the source still says the old one"
# What fell or was forgotten is believed as it was.
_RISING = frozenset({*STANDING, Status.ARCHIVED, Status.QUARANTINED})


class TurnAct(Enum):
    """What is done about a turn."""

    STAY = auto()  # nothing: what is held stays as it is
    RAISE = auto()  # what is held is believed further, or gets back what was replaced in it
    RENEW = auto()  # its text takes place and key of what is held
    MOVE = auto()  # its text takes the key; what is held stands on, or fell before


class Arrival(Enum):
    """What became of the text of a turn beside what is held under its key."""

    OWN = auto()  # it came in for this turn
    HERE = auto()  # it stands here for another one
    FALLEN = auto()  # it was here, and somebody took it away
    HELD_BACK = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True)
class TurnCase:
    """What is held under the key of a turn, and what its source, believed as far as `door`, says there now.

    `says_same` where what is held, or has its place by now, says what the source says. What is held `is_said` where the
    source says its words under another key, and `is_decided` where the audit has somebody's decision of it. The text of
    the turn `is_unwanted` where somebody corrected or forgot it under another key. What is held
    `is_masked` where it is what the source says with more secrets or personal data replaced than the settings ask for.
    """

    memory: Memory
    turn: Turn
    draft: MemoryDraft
    door: Trust
    says_same: bool = False
    is_said: bool = False
    is_decided: bool = False
    is_unwanted: bool = False
    is_masked: bool = False
    arrival: Arrival = Arrival.OWN


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What is done about a turn, and what is told of it; "" where there is nothing to tell."""

    act: TurnAct
    why: str = ""

    @property
    def takes_key(self) -> bool:
        """Whether the text of the turn takes the key of what is held."""
        return self.act in {TurnAct.RENEW, TurnAct.MOVE}


# Why what is held stays, whatever the source says.
KEPT: tuple[tuple[Callable[[TurnCase], bool], str], ...] = (
    (lambda case: not isinstance(case.turn, ImportedTurn), SAID),
    (lambda case: is_history(case.turn), HISTORY),
    (lambda case: case.turn.source not in case.memory.sources, ELSEWHERE),
    (lambda case: case.memory.trust > case.door, BELIEVED),
    (lambda case: is_settled(case.memory) or case.is_decided, CHANGED),
    (lambda case: case.turn.said_at is not None and case.draft.said_at < case.memory.said_at, LATER),
)
# What becomes of the rest; the first row that is so decides.
TABLE: tuple[tuple[Callable[[TurnCase], bool], TurnOutcome], ...] = (
    (lambda case: case.says_same and may_rise(case.memory, case.door), TurnOutcome(TurnAct.RAISE)),
    (lambda case: case.is_masked and is_as_it_came(case.memory), TurnOutcome(TurnAct.RAISE)),
    (lambda case: case.says_same, TurnOutcome(TurnAct.STAY)),
    # The source still says what it said, of which somebody decided.
    (
        lambda case: _is_kept(case) and case.memory.fingerprint == case.draft.fingerprint,
        TurnOutcome(TurnAct.STAY),
    ),
    *((applies, TurnOutcome(TurnAct.STAY, why)) for applies, why in KEPT),
    (lambda case: case.is_unwanted, TurnOutcome(TurnAct.STAY, CHANGED)),
    (lambda case: case.arrival is Arrival.REFUSED, TurnOutcome(TurnAct.STAY, REFUSED)),
    (lambda case: case.arrival is Arrival.HELD_BACK, TurnOutcome(TurnAct.STAY, HELD_BACK)),
    (lambda case: case.arrival is Arrival.FALLEN, TurnOutcome(TurnAct.STAY, CHANGED)),
    (lambda case: case.memory.status in STANDING and not case.is_said, TurnOutcome(TurnAct.RENEW, RENEWED)),
    (lambda case: case.arrival is Arrival.OWN, TurnOutcome(TurnAct.MOVE, RENEWED)),
    (lambda case: case.arrival is Arrival.HERE, TurnOutcome(TurnAct.STAY, HERE)),
)


def decide_turn(case: TurnCase) -> TurnOutcome:
    """Decide what becomes of a turn and of what is held under its key."""
    return next(outcome for applies, outcome in TABLE if applies(case))


def _is_kept(case: TurnCase) -> bool:
    return any(applies(case) for applies, _ in KEPT)


def find_arrival(draft: MemoryDraft, outcome: DraftOutcome, here: Memory | None) -> Arrival:
    """Say what became of the text of a turn; `here` is the memory that it is, where it is no new one."""
    if outcome.status == "gated":
        return Arrival.REFUSED
    if outcome.key < 0:
        new = Arrival.OWN if outcome.status == "stored" else Arrival.HERE
        return Arrival.HELD_BACK if draft.kept_out else new
    if here is not None and here.status in STANDING:
        return Arrival.OWN if here.key == draft.turn.key else Arrival.HERE
    is_held_back = here is not None and here.status is Status.QUARANTINED
    return Arrival.HELD_BACK if is_held_back else Arrival.FALLEN


def is_settled(memory: Memory) -> bool:
    """Tell whether a memory shows that somebody edited, confirmed, pinned or holds it."""
    confirmed = memory.verification is Verification.USER_CONFIRMED
    return confirmed or memory.text_at is not None or bool(memory.pinned or memory.holds)


def may_rise(memory: Memory, door: Trust) -> bool:
    """Tell whether a memory is unchanged since it came in, and is believed less than it might be through a door."""
    return is_as_it_came(memory) and memory.trust < compute_trust(door, memory.role)


def is_as_it_came(memory: Memory) -> bool:
    """True if a memory was neither forgotten nor edited since it came in."""
    return memory.status in _RISING and memory.text_at is None
