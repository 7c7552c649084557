"""A turn of another memory: what its source says of it beyond a turn, by the keys of the others.

Knows one turn alone; must not know how such are stored, nor which formats there are.
"""

from dataclasses import dataclass

from remanence.core.arguments import check_validity
from remanence.core.clock import to_micros
from remanence.core.keywords import Moment, RelationName
from remanence.core.model import Turn
from remanence.core.signatures import checked_class


@checked_class
@dataclass(frozen=True, slots=True)
class ImportedTurn(Turn):
    """A turn, and what its source says of it: when it holds, what took its place, what it has to do with others.

    `valid_from` and `valid_until` are when what it says is true. `replaced_by` is the key of the turn of the same
    source that took its place: it comes in as history. With `is_deleted` it comes in as a tombstone, which `restore`
    brings back. `links` are (key, relation) of other turns of the source. Whoever says any of these gives a `key`.
    """

    valid_from: Moment | None = None
    valid_until: Moment | None = None
    replaced_by: str | None = None
    is_deleted: bool = False
    links: tuple[tuple[str, RelationName], ...] = ()


def find_validity(turn: Turn) -> tuple[int | None, int | None]:
    """Return from when and until when what a turn says is true, in microseconds; None where nothing is said.

    Raises InvalidInput where it ends before it begins, or a time has no zone or is out of range.
    """
    if not isinstance(turn, ImportedTurn):
        return None, None
    begins, ends = (
        None if moment is None else to_micros(moment) for moment in (turn.valid_from, turn.valid_until)
    )
    check_validity(begins, ends)
    return begins, ends
