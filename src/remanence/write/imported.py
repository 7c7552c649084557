"""A turn of another memory: what its source says of it beyond a turn, by the keys of the others; and what is left out.

Knows one turn alone; must not know how such are stored, nor which formats there are.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remanence.core.arguments import check_validity
from remanence.core.clock import to_micros
from remanence.core.half_characters import of_texts
from remanence.core.keywords import Moment, RelationName
from remanence.core.model import Turn
from remanence.core.results import visible
from remanence.core.signatures import checked_class

EXPORT = "remanence-export"  # the format of an export, which `import_` takes in whole
LINES_SHOWN = 5  # of those that are left out for one reason
EXAMPLE_CHARS = 4_096  # that are kept of one; who shows it screens it whole before it is cut


@of_texts
@checked_class
@dataclass(frozen=True, slots=True)
class ImportedTurn(Turn):
    """A turn with what its source says of it: when it is valid, which turn replaced it, and its links to others.

    The turn is true from `valid_from` until `valid_until`. `replaced_by` is the key of the turn of the same source that
    replaced it: it is stored as history. With `is_deleted` it is stored as deleted, and `restore` brings it back.
    `links` are (key, relation) of other turns of the source. A turn that uses any of these needs a `key`.
    `source_category` is the source's name for its category: it becomes the `category` if the policy declares one of
    that name. With `is_part` the turn is a part of the document that its thread names: the import reports it once the
    document no longer holds it.
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


def list_left_out(skipped: Mapping[str, int], examples: Mapping[str, str]) -> list[str]:
    """Say what was left out, a line for each reason: how often, and an example where there is one."""
    lines = []
    for why, count in skipped.items():
        such_as = f" (such as {examples[why]})" if why in examples else ""
        lines.append(visible(" ".join(f"left out {count:,}: {why}{such_as}".split())))
    return lines


class SkipCounts(Counter[str]):
    """Counts of what is left out, reason → how often; `examples` has the first of each reason where one was named."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.examples: dict[str, str] = {}

    def note(self, reason: str, example: object) -> None:
        """Count one that is left out, and show it if it is the first."""
        self[reason] += 1
        self.examples.setdefault(reason, str(example)[:EXAMPLE_CHARS])

    def note_line(self, reason: str, line: int, what: str, recovery: str) -> None:
        """Count a line that is left out; the first few are shown with their numbers, the first with what to do."""
        self[reason] += 1
        example = f"line {line}: {what}"
        if reason not in self.examples:
            self.examples[reason] = f"{example}; {recovery}"[:EXAMPLE_CHARS]
        elif self[reason] <= LINES_SHOWN:
            self.examples[reason] = f"{self.examples[reason]}; {example}"[:EXAMPLE_CHARS]
