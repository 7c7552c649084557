"""What the turns of a source say of each other, decided: what takes whose place, what falls, what is dated and linked.

Knows turns and where each is kept; must not know how that was found, nor how it is written.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from remanence.core.clock import to_micros
from remanence.core.errors import IngestError, InvalidInput
from remanence.core.model import STANDING, SYMMETRIC, Relation, Status, Turn
from remanence.write.imported import ImportedTurn, SkipCounts, find_validity

_MAY_SUCCEED = STANDING | {Status.SUPERSEDED}
# What becomes of a memory whose place another takes is more than a link.
_REPLACING = (Relation.SUPERSEDES, Relation.MERGED_FROM)
_OUT_OF_SIGHT = frozenset({Status.PRUNED, Status.QUARANTINED})
LinkKey = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Where a turn of a source is kept: the memory, and whether it `is_new`, come in just now.

    `is_own` where the memory came in as this turn, and does not only say the same; `may_change` where the source may
    say what becomes of it: nobody edited, confirmed, pinned or holds it, and it is believed no more than the source.
    """

    seq: int
    status: Status
    is_new: bool = True
    is_own: bool = True
    may_change: bool = True
    valid_from: int | None = None
    valid_to: int | None = None


@dataclass(frozen=True, slots=True)
class Supersession:
    """A memory, what takes its place, and until when it held, None where nobody says."""

    old: int
    by: int
    ends: int | None


@dataclass(frozen=True, slots=True)
class Dating:
    """A memory that has no time of validity yet, or not both ends, and what its source says."""

    seq: int
    valid_from: int | None
    valid_to: int | None


@dataclass(frozen=True, slots=True)
class ImportRelations:
    """What is yet to be made true of what a source says, in this order, and what has no place, by reason."""

    superseded: tuple[Supersession, ...] = ()
    forgotten: tuple[int, ...] = ()
    dated: tuple[Dating, ...] = ()
    linked: tuple[LinkKey, ...] = ()
    skipped: SkipCounts = field(default_factory=SkipCounts)


def is_history(turn: Turn) -> bool:
    """Tell whether a source says of a turn that it was replaced or deleted."""
    return isinstance(turn, ImportedTurn) and bool(turn.replaced_by or turn.is_deleted)


def says_more(turn: Turn) -> bool:
    """Tell whether a source says more of a turn than that it was said."""
    return isinstance(turn, ImportedTurn) and bool(
        turn.valid_from is not None
        or turn.valid_until is not None
        or turn.replaced_by
        or turn.is_deleted
        or turn.links
    )


def check_relations(turns: Sequence[Turn], source: str) -> None:
    """Refuse what turns cannot say of each other, before anything of them is stored."""
    successors: dict[str, str] = {}
    for turn in turns:
        if not isinstance(turn, ImportedTurn) or not says_more(turn):
            continue
        find_validity(turn)
        if turn.key is None:
            raise InvalidInput(
                f"a turn of {source} says more than a turn does and has no key",
                recovery="give each such turn a `key` that stays the same",
            )
        drawn = {relation for _, relation in turn.links}
        replacing = sorted(one.label for one in _REPLACING if one.label in drawn)
        if replacing:
            raise InvalidInput(
                f"the turn {turn.key!r} of {source} cannot be linked as {replacing[0]}",
                recovery="say what took its place by `replaced_by`",
            )
        if turn.replaced_by is not None:
            successors.setdefault(turn.key, turn.replaced_by)
    circle = _find_circle(successors)
    if circle is not None:
        raise IngestError(
            f"{circle!r} is said to have taken its own place, by way of others",
            recovery="export the source again; it is damaged",
            source=source,
            line=1,
        )


def _find_circle(successors: Mapping[str, str]) -> str | None:
    """Return a key from which the successors lead back to it; None where all come to an end."""
    ended: set[str] = set()
    for start in successors:
        walked: dict[str, None] = {}
        at = start
        while at in successors and at not in ended:
            if at in walked:
                return at
            walked[at] = None
            at = successors[at]
        ended.update(walked)
    return None


def decide_relations(
    turns: Sequence[Turn], places: Sequence[TurnPlace | None], held: Collection[LinkKey]
) -> ImportRelations:
    """Decide what is to be made true of what turns say of each other.

    `places` has one for each turn, None for what did not come in; `held` are the links that these memories have. What
    several turns of the source say is superseded, or falls, only where none of them stands. What is so already is left
    out, and so is what somebody changed.
    """
    skipped = SkipCounts()
    by_key: dict[str, TurnPlace] = {}
    for turn, place in zip(turns, places, strict=True):
        if turn.key is not None and place is not None:
            by_key.setdefault(turn.key, place)
    said: dict[int, list[tuple[Turn, TurnPlace]]] = defaultdict(list)
    for turn, place in zip(turns, places, strict=True):
        if place is not None:
            said[place.seq].append((turn, place))
    superseded, forgotten = _decide_ends(said, by_key, held, skipped)
    fallen = frozenset(forgotten)
    linked = dict.fromkeys(
        key
        for key in _find_links(said, by_key, skipped)
        if key not in held and not fallen.intersection(key[:2])
    )
    return ImportRelations(superseded, forgotten, tuple(_find_dates(said)), tuple(linked), skipped)


def _decide_ends(
    said: Mapping[int, Sequence[tuple[Turn, TurnPlace]]],
    by_key: Mapping[str, TurnPlace],
    held: Collection[LinkKey],
    skipped: SkipCounts,
) -> tuple[tuple[Supersession, ...], tuple[int, ...]]:
    """Decide what is superseded and what falls."""
    wanted: dict[int, Supersession] = {}
    forgotten: list[int] = []
    for seq, members in said.items():
        successors = [(turn, _find_successor(turn, by_key, skipped)) for turn, _ in members]
        if any(by is None and not _is_deleted(turn) for turn, by in successors):
            continue
        if not any(place.is_own and place.may_change and place.status in STANDING for _, place in members):
            continue
        turn, by = next(((turn, by) for turn, by in reversed(successors) if by is not None), (None, None))
        if by is None:
            forgotten.append(seq)
        elif by.seq != seq and turn is not None:
            wanted[seq] = Supersession(seq, by.seq, _find_end(turn, said[by.seq]))
    held_by = {old: by for by, old, relation in held if relation == Relation.SUPERSEDES}
    statuses = {seq: members[0][1].status for seq, members in said.items()}
    planned = {old: one.by for old, one in wanted.items()}
    kept: list[Supersession] = []
    for old, one in wanted.items():
        if (one.by, old, int(Relation.SUPERSEDES)) in held:
            continue
        if statuses[one.by] not in _MAY_SUCCEED:
            skipped.note("replaced by what does not stand here", f"#{one.by}")
        elif _leads_back(old, planned, held_by, statuses):
            skipped.note("replaced by what says the same as it", f"#{old}")
        else:
            kept.append(one)
    return tuple(kept), tuple(forgotten)


def _find_successor(turn: Turn, by_key: Mapping[str, TurnPlace], skipped: SkipCounts) -> TurnPlace | None:
    if not isinstance(turn, ImportedTurn) or turn.replaced_by is None:
        return None
    place = by_key.get(turn.replaced_by)
    if place is None:
        skipped.note("replaced by what did not come in", turn.replaced_by)
    return place


def _is_deleted(turn: Turn) -> bool:
    return isinstance(turn, ImportedTurn) and turn.is_deleted and turn.replaced_by is None


def _find_end(turn: Turn, successors: Sequence[tuple[Turn, TurnPlace]]) -> int | None:
    """Return until when a turn held: as its source says, else until its successor was said."""
    ends = find_validity(turn)[1]
    said_at = successors[0][0].said_at
    return ends if ends is not None or said_at is None else to_micros(said_at)


def _leads_back(
    start: int, planned: Mapping[int, int], held_by: Mapping[int, int], statuses: Mapping[int, Status]
) -> bool:
    """Tell whether what takes a place leads back to it, or to memories that are not of this source."""
    walked = {start}
    at = planned[start]
    while at not in walked:
        walked.add(at)
        if at in planned:
            at = planned[at]
        elif at in held_by:
            at = held_by[at]
        else:
            return at not in statuses
    return True


def _find_dates(said: Mapping[int, Sequence[tuple[Turn, TurnPlace]]]) -> Iterator[Dating]:
    """Yield the validity of what was known before and had none; what is new came in with its own."""
    for seq, members in said.items():
        for turn, place in members:
            begins, ends = find_validity(turn)
            begins = begins if place.valid_from is None else place.valid_from
            ends = ends if place.valid_to is None else place.valid_to
            fits = begins is None or ends is None or begins <= ends
            if (
                place.is_own
                and place.may_change
                and not place.is_new
                and place.status in STANDING
                and fits
                and (begins, ends) != (place.valid_from, place.valid_to)
            ):
                yield Dating(seq, begins, ends)


def _find_links(
    said: Mapping[int, Sequence[tuple[Turn, TurnPlace]]],
    by_key: Mapping[str, TurnPlace],
    skipped: SkipCounts,
) -> Iterator[LinkKey]:
    """Yield the links between what came in and is in sight, a symmetric one by its lower end first."""
    drawn = (
        (place, key, name)
        for members in said.values()
        for turn, place in members
        if isinstance(turn, ImportedTurn)
        for key, name in turn.links
    )
    for place, key, name in drawn:
        target = by_key.get(key)
        if target is None:
            skipped.note("linked to what did not come in", f"{name} {key}")
        elif place.seq != target.seq and not {place.status, target.status} & _OUT_OF_SIGHT:
            relation = Relation[name.upper()]
            ends = (place.seq, target.seq)
            yield *(sorted(ends) if relation in SYMMETRIC else ends), int(relation)
