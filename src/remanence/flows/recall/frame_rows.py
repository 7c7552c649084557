"""The rows that a frame weighs: as they stand now, or as they were at an instant; both answer the same questions.

Knows the index and what was at an instant; must not know what a frame shows of it.
"""

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.later import import_later
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot, means
from remanence.core.timescale import ClockName
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.indexes.evidence_index import TIMES, columns_at, columns_of, rows_of
from remanence.flows.indexes.index_columns import mark_standing
from remanence.flows.recall.answer_rows import ReadPast
from remanence.flows.recall.frame_inputs import (
    Facts,
    count_hours,
    facts,
    hours,
    map_stronger_ends,
)
from remanence.flows.recall.link_walk import find_linked, find_seeds
from remanence.flows.recall.profiling import (
    NEEDS,
    RankedEligible,
    has_area,
    match_areas,
    rank_eligible,
    rank_profile_rows,
)
from remanence.flows.recall.question import Question, match_forms
from remanence.flows.recall.ranking import rank_rows
from remanence.read.entity import is_entity
from remanence.recall.fuse import CandidateRows, RankResult
from remanence.store.base import Arriving
from remanence.text.analysis import fingerprints, words

if TYPE_CHECKING:
    from remanence.flows.recall import past_ranking

import_later(globals())

SPEAKERS_MAX = 256  # whose texts are compared with the question word for word


class PresentRows:
    """The rows of the index, which stays still."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.read_past: Final[ReadPast | None] = None

    @property
    def seq(self) -> Ints:
        """The numbers of the memories, ascending."""
        return self._core.index.seq

    @property
    def stands(self) -> Bools:
        """Which may be in a frame: what stands and is no entity."""
        return self._core.index.stands

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a column in the codes of the index."""
        return self._core.index.column(name)

    async def match_tag(self, pattern: str) -> Bools:
        """Tell which bear a tag that a pattern means."""
        return await self._core.index.match_tag(pattern, self._core.clock.now())

    async def find_idle_hours(self, clock: ClockName) -> Floats:
        """Return the hours since each was learned, used or reinforced, on a clock."""
        return await hours(self._core, clock, self._core.clock.now())

    async def weigh(self, rows: Ints, clock: ClockName) -> Facts:
        """Return what some rows are weighed by."""
        return await facts(self._core, rows, self.stands, clock, self._core.clock.now())

    async def map_stronger(self, seqs: Ints, known: Facts) -> dict[int, set[int]]:
        """Map each memory that a stronger one openly contradicts to those that do."""
        return await map_stronger_ends(self._core, known.contradicting, seqs, known.evidence)

    async def rank(self, question: Question, passes: Bools, pool: int) -> RankResult:
        """Rank what passes by a question."""
        question = await match_forms(self._core, question)
        return await rank_rows(self._core, question, CandidateRows(passes), pool)

    async def follow_links(self, ranking: RankResult) -> Floats:
        """Return by row what the best of a ranking lend to what their links lead to: so much of their similarity."""
        index, lent, seeds = self._core.index, np.zeros(len(self.seq)), find_seeds(ranking)
        linked = await find_linked(self._core, seeds) if seeds else {}
        if linked:
            seqs = np.array([*linked], np.int64)
            rows, here = index.rows_among(seqs)
            lent[rows] = np.array([*linked.values()])[here]
        return lent

    async def match_repeats(self, query: str, passes: Bools) -> Bools:
        """Tell what of that which passes says the question and no more, whoever said it."""
        index = self._core.index
        alike = passes & (index.column("words") == await run_off_loop(len(query), _count_words, query))
        names = index.names("speaker")
        codes = np.unique(index.column("speaker")[alike])[:SPEAKERS_MAX]
        speakers = [names[code] if code >= 0 else "" for code in codes]
        marks = await run_off_loop(len(query), fingerprints, query, speakers)
        twins = (
            await self._core.store.arriving(self._core.scope, Arriving(fingerprints=marks))
        ).twins.values()
        same = np.zeros(len(index), np.bool_)
        same[index.rows_among(np.array([twin.seq for twin in twins], np.int64))[0]] = True
        return same & passes

    async def rank_profile(self) -> RankedEligible:
        """Return what may stand in a profile, the worthiest first."""
        return await rank_eligible(self._core, self._core.clock.now())


class PastRows:
    """The rows of a scope as it was at an instant, in the codes of the index, which stays still.

    Of links, which are not told as of then, nothing counts. Uses are today's; of who was used since it is not known
    when that was before.
    """

    def __init__(self, core: Core, past: "past_ranking.PastScope") -> None:
        self._core, self._past, self._present = core, past, PresentRows(core)
        self.read_past: Final[ReadPast | None] = past.read

    @property
    def seq(self) -> Ints:
        """The numbers of the memories, ascending."""
        return self._past.seq

    @property
    def stands(self) -> Bools:
        """Which stood and were no entities."""
        return mark_standing(self.column("status")) & ~self._past.mark(self._core.index.entities, is_entity)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a column as it was."""
        index = self._core.index
        return self._past.join(index.column(name), lambda memories: index.encode_column(name, memories))

    async def match_tag(self, pattern: str) -> Bools:
        """Tell which bore a tag that a pattern means."""
        today = await self._present.match_tag(pattern)
        return self._past.mark(today, lambda one: any(means(pattern, tag) for tag in one.tags))

    async def find_idle_hours(self, clock: ClockName) -> Floats:
        """Return the hours from when each was learned, used or reinforced last to then, on a clock."""
        return (await self.weigh(np.arange(len(self.seq)), clock)).hours

    async def weigh(self, rows: Ints, clock: ClockName) -> Facts:
        """Return what some rows were weighed by."""
        core, at = self._core, self._past.at
        evidence = await core.evidence.read(core.clock.now(), leaves_archive=core.index.leaves_archive)
        today = columns_at(evidence.columns, *rows_of(evidence.seq, core.index.seq))
        columns = {
            name: self._past.join(values, lambda memories, name=name: columns_of(memories)[name])[rows]  # type: ignore[misc]
            for name, values in today.items()
        }
        for name in TIMES:
            columns[name][columns[name] > at] = np.nan
        degree = np.zeros(len(rows))
        return Facts(columns, await count_hours(core, columns, clock, at), degree, (), None, ())

    async def map_stronger(self, seqs: Ints, known: Facts) -> dict[int, set[int]]:  # noqa: ARG002
        """Map nothing: what contradicted is not told as of an instant."""
        return {}

    async def rank(self, question: Question, passes: Bools, pool: int) -> RankResult:
        """Rank what passed by a question."""
        question, among = await match_forms(self._core, question), CandidateRows(passes)
        return await past_ranking.rank_as_of(self._core, self._past, question, among, pool)

    async def follow_links(self, ranking: RankResult) -> Floats:  # noqa: ARG002
        """Follow nothing: what was linked is not told as of an instant."""
        return np.zeros(len(self.seq))

    async def match_repeats(self, query: str, passes: Bools) -> Bools:
        """Tell what of that which passed said the question and no more."""
        asked, today = words(query), await self._present.match_repeats(query, self._core.index.stands)
        return passes & self._past.mark(today, lambda one: words(one.text) == asked)

    async def rank_profile(self) -> RankedEligible:
        """Return what might stand in a profile then, the worthiest first."""
        core, past = self._core, self._past
        columns = {name: self.column(name) for name in NEEDS.columns}
        tags = {pattern: await self.match_tag(pattern) for pattern in NEEDS.tags}
        snapshot = Snapshot(core.scope, core.index.position, self.seq, columns, tags=tags)
        among = ~past.mark(core.index.entities, is_entity)
        in_areas = past.mark(await match_areas(core, core.index.seq, core.clock.now()), has_area)
        return rank_profile_rows(core, snapshot, among, in_areas).holding_at(past.at)


FrameRows: TypeAlias = PresentRows | PastRows


def _count_words(text: str) -> int:
    return len(words(text))
