"""A turn of another memory: what its source says of it beyond a turn, by the keys of the others; and what is left out.

Knows one turn alone; must not know how such are stored, nor which formats there are.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from remanence.core.arguments import check_validity
from remanence.core.clock import to_micros
from remanence.core.keywords import Moment, RelationName
from remanence.core.model import Turn
from remanence.core.signatures import checked_class

EXAMPLE_CHARS = 4_096  # that are kept of one; who shows it screens it whole before it is cut


@checked_class
@dataclass(frozen=True, slots=True)
class ImportedTurn(Turn):
    """A turn, and what its source says of it: when it holds, what took its place, what it has to do with others.

    `valid_from` and `valid_until` are when what it says is true. `replaced_by` is the key of the turn of the same
    source that took its place: it comes in as history. With `is_deleted` it comes in as a tombstone, which `restore`
    brings back. `links` are (key, relation) of other turns of the source. Whoever says any of these gives a `key`.
    `source_category` is what its source calls it: its `category` where the policy declares one of that name. One that
    `is_part` of the document that its thread names is told of where the document no longer holds it.
    """

    valid_from: Moment | None = None
    valid_until: Moment | None = None
    replaced_by: str | None = None
    is_deleted: bool = False
    links: tuple[tuple[str, RelationName], ...] = ()
    source_category: str | None = None
    is_part: bool = False


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


class SkipCounts(Counter[str]):
    """What is left out, reason → how often; `examples` has the first of each where one was named."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.examples: dict[str, str] = {}

    def note(self, reason: str, example: object) -> None:
        """Count one that is left out, and show it if it is the first."""
        self[reason] += 1
        self.examples.setdefault(reason, str(example)[:EXAMPLE_CHARS])
