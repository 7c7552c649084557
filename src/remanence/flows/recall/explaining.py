"""Reasons of an answer: what a recall tells as it goes along becomes one record, and one memory's absence is explained.

Knows rankings, filters and what was cut; must not know how they come about.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from remanence.core.clock import read_monotonic_micros
from remanence.core.model import UNCOUNTED, Hit, Link, OneMemory, RecallResult, short_id
from remanence.core.recall_explanation import (
    Absence,
    FilterCount,
    Hop,
    RecallExplanation,
    ScoreExplanation,
    ScorePart,
    build_parts,
)
from remanence.core.score import FACTOR
from remanence.core.snapshot import Floats
from remanence.flows.base.context import Core
from remanence.flows.recall import absence
from remanence.flows.recall.absence import SoughtMemory
from remanence.flows.recall.filters import ArchiveFilter
from remanence.flows.recall.trace import FrameOutcome, HeldRows, Outcome, RecallTrace
from remanence.recall.corpus import Bools
from remanence.recall.fuse import RankResult, Scoring

HOPS_SHOWN = 3  # links that speak most for a memory
# Of more memories than this their places are looked up in a sorted copy; of few, counting costs less than sorting.
COUNTED_MOST = 64


async def begin_trace(core: Core, why_not: OneMemory | None) -> "ListeningTrace":
    """Begin to listen; what `why_not` names is looked for first, and refused where it names nothing that can be."""
    return ListeningTrace(None if why_not is None else await absence.find_sought(core, why_not))


@dataclass(frozen=True, slots=True)
class _Rank:
    """How recall ranks one memory: its place by score, its score, what that is made of, and its places by each arm.

    `bm25` is what its words score before they are scaled.
    """

    rank: int
    score: float
    values: Mapping[str, float]
    places: Mapping[str, int]
    bm25: float

    def build_parts(self, values: Mapping[str, float] | None = None) -> tuple[ScorePart, ...]:
        """Return the parts of the score, or of `values` that it has become since."""
        measures = {"lexical": {"bm25": self.bm25}}
        return build_parts(self.values if values is None else values, self.places, measures)


class ListeningTrace(RecallTrace):
    """Keeps what a recall or a frame tells, and makes the reasons of it."""

    def __init__(self, sought: SoughtMemory | Absence | None) -> None:
        self._sought = sought
        self._memory = sought.memory if isinstance(sought, SoughtMemory) else None
        self._since = read_monotonic_micros()
        self._spent: dict[str, int] = {}
        self._memories = self._left = self._pool = self._archived = 0
        self._unread: frozenset[int] = frozenset()
        self._filters: list[FilterCount] = []
        self._row: int | None = None  # of the memory that is sought
        self._lost_by = ""  # the filter that took it
        self._archive_filter: ArchiveFilter | None = None
        self._ranked: dict[int, _Rank] = {}
        self._paths: Mapping[int, tuple[Hop, ...]] = {}

    def mark(self, stage: str, /) -> None:
        """Add what passed since the last mark to a stage."""
        now = read_monotonic_micros()
        self._spent[stage] = self._spent.get(stage, 0) + now - self._since
        self._since = now

    def begin_rows(self, rows: HeldRows, /) -> None:
        """Begin to count; what was heard of rows that have moved since is forgotten."""
        self._memories = self._left = len(rows)
        self._filters, self._lost_by, self._row = [], "", None
        if self._memory is not None:
            at = int(np.searchsorted(rows.seq, self._memory.seq))
            self._row = at if at < len(rows) and rows.seq[at] == self._memory.seq else None

    def note_filter(self, name: str, left: Bools, /) -> None:
        """Count what a filter took, and note where it took what is sought."""
        count = int(np.count_nonzero(left))
        self._filters.append(FilterCount(name, self._left - count))
        self._left = count
        if self._row is not None and not self._lost_by and not left[self._row]:
            self._lost_by = name

    def note_archive(self, wanted: ArchiveFilter | None, /) -> None:
        """Keep what may be found of an archive that is not among the rows."""
        self._archive_filter = wanted

    def note_ranking(self, ranking: RankResult, pool: int, /) -> None:
        """Keep how the best were ranked, and how what is sought was, wherever it came."""
        scoring = ranking.scoring
        assert scoring is not None
        self._archived = ranking.candidates - self._left
        self._pool, self._left = pool, ranking.candidates
        self._unread = frozenset(scoring.ground.corpus.seq[ranking.unread].tolist())
        numbers = (
            range(len(ranking.rows))
            if ranking.ranked is None
            else np.flatnonzero(np.isin(ranking.ranked, ranking.rows)).tolist()
        )
        self._keep_ranks(ranking, scoring, numbers)
        if self._memory is not None and self._memory.seq not in self._ranked:
            self._rank_sought(scoring, self._memory.seq)

    def note_links(self, ranking: RankResult, paths: Mapping[int, tuple[Hop, ...]], /) -> None:
        """Keep the places and scores that links made of those before and of what joined, and the ways."""
        assert ranking.scoring is not None
        self._keep_ranks(ranking, ranking.scoring, range(len(ranking.rows)))
        self._paths = paths

    def _keep_ranks(self, ranking: RankResult, scoring: Scoring, numbers: Iterable[int]) -> None:
        by_arm = _rank_by_arm(scoring, np.searchsorted(scoring.candidates, ranking.rows).tolist())
        bm25 = scoring.lexical.scores[ranking.rows].tolist()
        rows = zip(ranking.seqs, ranking.scores.tolist(), ranking.parts, by_arm, bm25, strict=True)
        for number, (seq, *row) in zip(numbers, rows, strict=True):
            self._ranked[seq] = _Rank(number + 1, *row)

    def _rank_sought(self, scoring: Scoring, seq: int) -> None:
        """Score a memory that is not among the best; nothing is kept of one that was no candidate."""
        rows = np.flatnonzero(scoring.ground.corpus.seq[scoring.candidates] == seq)
        if not len(rows):
            return
        place = int(rows[0])
        session = scoring.compute_sessions()
        scores = scoring.compute_scores(session)
        score = float(scores[place])
        values = scoring.compute_parts(place, float(session[place]))
        better = np.count_nonzero(scores > score) + np.count_nonzero(scores[place + 1 :] == score)
        bm25 = float(scoring.lexical.scores[scoring.candidates[place]])
        by_arm = _rank_by_arm(scoring, [place])[0]
        self._ranked[seq] = _Rank(int(better) + 1, score, values, by_arm, bm25)

    def explain_recall(self, answer: RecallResult, outcome: Outcome, /) -> RecallResult:
        """Put the reasons to an answer."""
        shown = {hit.seq for hit in answer.memories}
        links = [link for link in outcome.links if {link.source, link.target} <= shown]
        scores = tuple(
            self._explain_hit(hit, [one for one in links if hit.seq in (one.source, one.target)])
            for hit in answer.memories
        )
        explanation = self._build_explanation(answer, outcome.floor, scores, (outcome.limit, outcome.budget))
        found = self._explain_absence(answer, outcome, scores)
        return self._finish_answer(answer, replace(explanation, absence=found))

    def _explain_hit(self, hit: Hit, links: Iterable[Link]) -> ScoreExplanation:
        """Explain the score of a hit by its parts; what it is put above is no part of it."""
        ranked = self._ranked.get(hit.seq)
        if ranked is None:  # it was not found, and stands for what was
            return ScoreExplanation(hit.seq, hit.id, hit.score, 0, stands_above=hit.stands_above)
        parts = ranked.build_parts(hit.parts)
        return ScoreExplanation(
            hit.seq,
            hit.id,
            hit.score,
            ranked.rank,
            parts,
            stands_above=hit.stands_above,
            path=self._paths.get(hit.seq) or tuple(map(_describe_hop, links)),
        )

    def _explain_absence(
        self, answer: RecallResult, outcome: Outcome, scores: Sequence[ScoreExplanation]
    ) -> Absence | None:
        """Find the first thing that kept out what is sought."""
        sought = self._sought
        if not isinstance(sought, SoughtMemory):
            return sought
        seq, ranked = sought.memory.seq, self._ranked.get(sought.memory.seq)
        if found := absence.find_in_answer(sought, answer):
            return found
        if self._lost_by:
            return absence.explain_filter(sought, self._lost_by)
        if ranked is None:
            return absence.explain_unranked(sought, self._archive_filter)
        among = {hit.seq: hit for hit in outcome.hits}
        if seq in among:
            score = self._explain_hit(among[seq], ())
        else:
            score = ScoreExplanation(seq, sought.memory.id, ranked.score, ranked.rank, ranked.build_parts())
        if found := absence.find_in_drops(sought, answer, score):
            return found
        if seq in self._unread and ranked.rank <= outcome.limit:
            return absence.explain_room(sought, score)
        return absence.explain_rank(sought, score, answer, scores, (self._left, self._pool))

    async def explain_frame(self, core: Core, answer: RecallResult, outcome: FrameOutcome, /) -> RecallResult:
        """Put the reasons to the answer of a frame; links of what is shown are read where nobody has."""
        seqs = [hit.seq for hit in answer.memories]
        links = outcome.links
        if links is None:
            links = await core.store.neighbours(core.scope, seqs) if seqs else []
        scores = tuple(self._explain_frame_hit(hit, outcome, links) for hit in answer.memories)
        explanation = self._build_explanation(answer, outcome.floor, scores, (outcome.limit, outcome.budget))
        explanation = replace(explanation, frame=outcome.frame, pool=len(outcome.seq))
        found = self._explain_frame_absence(answer, outcome, scores)
        return self._finish_answer(answer, replace(explanation, absence=found))

    def _explain_frame_hit(self, hit: Hit, outcome: FrameOutcome, links: Iterable[Link]) -> ScoreExplanation:
        counted = [
            link for link in links if hit.seq in (link.source, link.target) and link.relation not in UNCOUNTED
        ]
        strongest = sorted(counted, key=lambda link: (-link.weight, link.source, link.target))[:HOPS_SHOWN]
        score = self._explain_candidate(hit.seq, hit.id, outcome)
        if score is None:
            return ScoreExplanation(hit.seq, hit.id, hit.score, 0, because="a line of the profile")
        return replace(score, path=tuple(map(_describe_hop, strongest)))

    def _explain_candidate(self, seq: int, id_: str, outcome: FrameOutcome) -> ScoreExplanation | None:
        """Explain the score of a frame's candidate; None of what is none."""
        at = int(np.searchsorted(outcome.seq, seq))
        if at >= len(outcome.seq) or outcome.seq[at] != seq:
            return None
        parts = tuple(
            ScorePart(
                name,
                getattr(outcome.weights, name) * float(values[at]),
                rank=_rank_value(values, float(values[at])),
                measures={"weight": getattr(outcome.weights, name), "part": float(values[at])},
            )
            for name, values in outcome.parts.items()
            if getattr(outcome.weights, name)
        )
        parts += tuple(
            ScorePart(name, float(values[at]), is_factor=name == FACTOR)
            for name, values in outcome.terms.items()
            if values[at]
        )
        added = sum(part.value for part in parts if not part.is_factor)
        parts += (ScorePart("floor", -added),) * (added < 0)  # nothing scores below 0
        because = "guaranteed by its tag" if outcome.guaranteed[at] else ""
        because = because or ("says what is asked, word for word" if outcome.exact[at] else "")
        because = because or ("linked to one of the best answers" if outcome.lent[at] else "")
        ranked = self._ranked.get(seq)
        rank = 1 + int(np.count_nonzero(outcome.order > outcome.order[at]))
        similarity = () if ranked is None else ranked.build_parts()
        score = float(outcome.scores[at])
        return ScoreExplanation(seq, id_, score, rank, parts, because, similarity=similarity)

    def _explain_frame_absence(
        self, answer: RecallResult, outcome: FrameOutcome, scores: Sequence[ScoreExplanation]
    ) -> Absence | None:
        """Find the first thing that kept out of a frame what is sought."""
        sought = self._sought
        if not isinstance(sought, SoughtMemory):
            return sought
        memory, ranked = sought.memory, self._ranked.get(sought.memory.seq)
        if found := absence.find_in_answer(sought, answer):
            return found
        if self._lost_by or self._row is None:
            return absence.explain_filter(sought, self._lost_by, frame=outcome.frame)
        score = self._explain_candidate(memory.seq, memory.id, outcome)
        if score is None:
            if ranked is None:
                return absence.explain_unranked(sought)
            parts = ranked.build_parts()
            by_question = ScoreExplanation(memory.seq, memory.id, ranked.score, ranked.rank, parts)
            if memory.seq in self._unread:
                return absence.explain_room(sought, by_question)
            return absence.explain_question(sought, by_question, (self._left, self._pool), outcome.limit)
        if found := absence.find_in_drops(sought, answer, score):
            return found
        if outcome.diversity and score.rank <= outcome.limit:
            return absence.explain_alike(sought, score, outcome.frame)
        return absence.explain_rank(sought, score, answer, scores, (len(outcome.seq), len(outcome.seq)))

    def _build_explanation(
        self,
        answer: RecallResult,
        floor: float | None,
        scores: tuple[ScoreExplanation, ...],
        asked: tuple[int, int | None],
    ) -> RecallExplanation:
        return RecallExplanation(
            memories=self._memories,
            filters=tuple(self._filters),
            candidates=self._left,
            pool=min(self._pool, self._left),
            scores=scores,
            limit=asked[0],
            budget=asked[1],
            tokens=answer.tokens,
            strength=answer.strength,
            floor=floor,
            dropped={short_id(one.seq): one.reason for one in answer.dropped},
            archived=self._archived,
        )

    def _finish_answer(self, answer: RecallResult, explanation: RecallExplanation) -> RecallResult:
        self.mark("reasons")
        return replace(answer, explanation=replace(explanation, spent_us=self._spent))


def _rank_by_arm(scoring: Scoring, places: Sequence[int]) -> list[dict[str, int]]:
    """Return by arm which place each of some candidates has by that arm alone; what does not match has none."""
    ranks: list[dict[str, int]] = [{} for _ in places]
    for name, arm in scoring.arms.items():
        if len(places) > COUNTED_MOST:
            better = len(arm) - np.searchsorted(np.sort(arm), arm[places], "right")
        else:
            better = np.array([np.count_nonzero(arm > arm[place]) for place in places], np.int64)
        for one, place, count in zip(ranks, places, better.tolist(), strict=True):
            if arm[place] > 0:
                one[name] = count + 1
    return ranks


def _rank_value(values: Floats, value: float) -> int | None:
    """Return which place a value has among others; None where none has less."""
    return 1 + int(np.count_nonzero(values > value)) if value > values.min() else None


def _describe_hop(link: Link) -> Hop:
    return Hop(link.source, link.target, link.relation.label, link.weight, link.confidence)
