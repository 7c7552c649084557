"""What a recall tells of itself as it goes along, for whoever asked why; nobody listens unless it was asked.

Knows the stations of a recall and of a frame; must not know what is made of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from remanence.core.model import Hit, Link, RecallResult
from remanence.recall.corpus import Bools

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from remanence.core.recall_explanation import Hop
    from remanence.core.score import ScoreWeights
    from remanence.core.snapshot import Floats, Ints
    from remanence.flows.base.context import Core
    from remanence.flows.recall.filters import ArchiveFilter
    from remanence.recall.fuse import RankResult

    Paths = Mapping[int, tuple[Hop, ...]]  # by number of the memory at the end


class HeldRows(Protocol):
    """Rows of a scope that stay where they are, by ascending number."""

    def __len__(self) -> int: ...

    @property
    def seq(self) -> "Ints":
        """Sequence numbers, ascending."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an answer was made: the ranked `hits` that were looked at, links of theirs, and what it was cut to."""

    hits: Sequence[Hit]
    links: Sequence[Link]
    limit: int
    budget: int | None
    floor: float | None


@dataclass(frozen=True, slots=True, eq=False)
class FrameOutcome:
    """How a frame's answer was made at last: its candidates' scores, weights, parts and terms by ascending number.

    `order` is what they stand in order of, which is the score unless there is a question.
    `guaranteed` and `exact` tell which stand first for another reason than their score, `lent` what a link to one of
    the best answers lends; `links` are None where nobody has read any.
    """

    frame: str
    seq: "Ints"
    scores: "Floats"
    order: "Floats"
    weights: "ScoreWeights"
    parts: Mapping[str, "Floats"]
    terms: Mapping[str, "Floats"]
    diversity: float
    guaranteed: "npt.NDArray[np.bool_]"
    exact: "npt.NDArray[np.bool_]"
    lent: "Floats"
    links: Sequence[Link] | None
    limit: int
    budget: int
    strength: float
    floor: float | None


class RecallTrace:
    """Hears how a recall goes on, and forgets it at once."""

    def mark(self, _stage: str, /) -> None:
        """Hear that a stage of the work is over."""

    def begin_rows(self, _rows: HeldRows, /) -> None:
        """Hear which rows are looked at, before any was taken out."""

    def note_filter(self, _name: str, _left: Bools, /) -> None:
        """Hear which rows a filter left of those that were."""

    def note_archive(self, _wanted: "ArchiveFilter | None", /) -> None:
        """Hear what may be found of an archive that is not among the rows; None where it is closed."""

    def note_ranking(self, _ranking: "RankResult", _pool: int, /) -> None:
        """Hear how all that was left was scored; the best, at most so many, are looked at."""

    def note_links(self, _ranking: "RankResult", _paths: "Paths", /) -> None:
        """Hear how the best stand after links have added to their scores, and by which way they were reached."""

    def explain_recall(self, answer: RecallResult, _outcome: Outcome, /) -> RecallResult:
        """Return the answer, with the reasons where somebody asked for them."""
        return answer

    async def explain_frame(
        self, _core: "Core", answer: RecallResult, _outcome: FrameOutcome, /
    ) -> RecallResult:
        """Return the answer of a frame, with the reasons where somebody asked for them."""
        return answer


UNHEARD = RecallTrace()
