"""The fusion of the arms into one ranking with its reasons. Knows arrays of one scope, no store and no texts.

    score = (lexical + semantic + contextual + lead + session) × named person × (1 + share × worth) × when × row factors

Each arm is scaled over the candidates inside the filter; sums of scaled scores beat rank fusion here by 2.
"""

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from remanence.core.model import Lifecycle
from remanence.core.score import LIFECYCLE_TERMS
from remanence.recall.corpus import Bools, Floats, Ints
from remanence.recall.ground import (
    Ground,
    Rows,
    compute_session_lift,
    list_segment_rows,
    select_candidates,
    spread_out,
)
from remanence.recall.lexical import Lexical, Term, lexical_scores
from remanence.recall.semantic import Cosines
from remanence.text.analysis import lexicon_of, readings

LEXICAL_WEIGHT = 1.0
SEMANTIC_WEIGHT = 1.0
# Cosines of a few memories may all be alike: a hundredth between them is no whole point.
SPAN_LEAST = 0.2
# Of the static and of the contextual vectors each, where there are both.
BESIDE_WEIGHT = 0.7
NAMED_FACTOR = 1.5  # a boost, never a filter: what others say about a person counts too
# What is archived stands behind what is as good: with it, all is found that was found before anything was archived; at
# 0.7 it is 3 % less.
ARCHIVED_FACTOR = 0.85
# engram adds these terms to scores from 0 to 1; here a score is what the best of its question makes it.
_LIFECYCLE_FACTORS = np.array(
    [1.0 if one is Lifecycle.ARCHIVED else 1 + LIFECYCLE_TERMS[one] for one in Lifecycle], np.float32
)
# What was said at the time that the question asks about: a boost, never a filter, since much is told before and after.
WHEN_FACTOR = 1.3
# What was said after it, within as long again and at least a day: what happens is told of afterwards.
WHEN_AFTER_FACTOR = 1.15
_DAY_MICROSECONDS = 86_400_000_000
# What an answer gets of how much better the question before it matches: it often lacks the words that were asked for.
LEAD_SHARE = 0.3
WEAK_SIZE = 600  # memories of a conversation on which floors were chosen
UNSURE_FACTOR = 1.1  # of the floor of so many: below it an answer is unsure
# The strength of an answer is that of the best of so many, however few are returned.
STRENGTH_DEPTH = 10
# The best of so many groups for each that is wanted: hardly two of the best fall into one.
GROUPS_PER_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the text, its distinct stems in order, its vector if there is one, and who asks.

    `contextual` is its vector by a model whose vectors stand beside the static ones. `asker` is a speaker's code.
    `within_conversation` says that the search is filtered to one conversation, where the names of those who take part
    tell less. `spans` are the times that it asks about: begin, end (included), words, and whether by the clocks
    where something was said.
    """

    text: str
    stems: tuple[str, ...]
    vector: npt.NDArray[np.float32] | None = None
    asker: int | None = None
    within_conversation: bool = False
    contextual: npt.NDArray[np.float32] | None = None
    spans: Sequence[tuple[int, int, str, bool]] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CandidateRows:
    """Which rows may be returned, and by name what scores are multiplied by, such as `lower_archived`; both by row.

    `left_out` counts rows that a strict question leaves out, by reason.
    """

    allowed: Bools
    factors: Mapping[str, Floats] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Contextual:
    """The cosines of windows of a model with the question by row, and which rows have a vector of their own.

    `floor` is the strength below which words and static vectors are known to answer weakly, if anybody knows.
    """

    cosines: Floats
    held: Bools
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class RankResult:
    """The best memories, best first, as aligned sequences of rows, scores and the parts of each score.

    `strength` (0–1) says how well the best match answers the question: the share of its words that are held and the
    cosine, averaged. `candidates` is how many memories were in the running, `by_model` whether a model's vectors took
    part, `ranked` all rows in order, where a budget has no room for some. `scoring` has the reasons, for all of them.
    """

    rows: npt.NDArray[np.intp]
    scores: Floats
    parts: Sequence[Mapping[str, float]]
    strength: float
    candidates: int
    by_model: bool = False
    ranked: Rows | None = None
    scoring: "Scoring | None" = None

    @property
    def seqs(self) -> list[int]:
        """The numbers of the memories, best first."""
        assert self.scoring is not None
        numbers: list[int] = self.scoring.ground.corpus.seq[self.rows].tolist()
        return numbers

    @property
    def unread(self) -> Rows:
        """The rows that were ranked and left out."""
        return self.rows[:0] if self.ranked is None else self.ranked[~np.isin(self.ranked, self.rows)]

    @property
    def by_assistants(self) -> bool:
        """Whether assistants said most of the words of what was ranked."""
        return self.scoring is not None and not self.scoring.ground.session_share

    def first(self, limit: int) -> "RankResult":
        """Return the best so many of them."""
        return replace(self, rows=self.rows[:limit], scores=self.scores[:limit], parts=self.parts[:limit])

    def join_candidates(self, seqs: Sequence[int]) -> "RankResult":
        """Return them with more of the candidates behind, scored like all; what was no candidate stays out."""
        scoring = self.scoring
        assert scoring is not None
        places = scoring.find_places(np.setdiff1d(seqs, self.seqs))
        session = scoring.compute_sessions(places)
        return replace(
            self,
            rows=np.concatenate((self.rows, scoring.candidates[places])),
            scores=np.concatenate((self.scores, scoring.compute_scores(session, places))),
            parts=(*self.parts, *_RankedParts(scoring, places, session)),
        )

    def select(self, places: Sequence[int]) -> "RankResult":
        """Return those in some places, ascending; the others are left unread."""
        parts = [self.parts[place] for place in places]
        return replace(
            self, rows=self.rows[places], scores=self.scores[places], parts=parts, ranked=self.rows
        )


class RankStep(NamedTuple):
    """The rows of which the true cosines with the vector of a question are needed to go on."""

    vector: Floats
    rows: Rows


RankSteps: TypeAlias = Generator[RankStep, Floats, RankResult]


def rank(
    ground: Ground,
    terms: Mapping[str, Term],
    cosines: Floats | None,
    query: Query,
    among: CandidateRows,
    limit: int,
    contextual: Contextual | None = None,
) -> RankResult:
    """Rank a scope against a question and return the best `limit` rows.

    `terms` are those of the question's stems, `cosines` those of windows with the question by row, `contextual` those
    by a model.
    """
    exact = None if cosines is None else Cosines(cosines)
    try:
        next(rank_by_steps(ground, terms, exact, query, among, limit, contextual))
    except StopIteration as end:
        ranked: RankResult = end.value
        return ranked
    raise AssertionError("exact cosines are asked for no more")


def rank_by_steps(
    ground: Ground,
    terms: Mapping[str, Term],
    cosines: Cosines | None,
    query: Query,
    among: CandidateRows,
    limit: int,
    contextual: Contextual | None = None,
) -> RankSteps:
    """Rank as `rank` does by cosines that may be rough: yields rows, and is sent their true cosines.

    What is returned is what true cosines of all rows return (decision 141). Rough ones are written over, and go with no
    model.
    """
    candidates = np.flatnonzero(among.allowed)
    inside = query.within_conversation
    lexical = lexical_scores(
        ground.windows, ground.damping, query.stems, terms, names=ground.names, names_capped=inside
    )
    likeness = None if cosines is None else select_candidates(cosines.by_row, candidates)
    slack = 0.0 if cosines is None or not len(candidates) else cosines.slack
    if slack and likeness is not None and query.vector is not None:
        ends = np.flatnonzero(
            (likeness <= likeness.min() + 2 * slack) | (likeness >= likeness.max() - 2 * slack)
        )
        likeness[ends] = yield RankStep(query.vector, candidates[ends])
    context_cosines = None if contextual is None else _select_contextual(contextual, candidates)
    share = lexical.measure_identifier_share(terms)
    arms = _scale_arms(lexical, likeness, context_cosines, candidates, share, contextual)
    matched = _sum_arms([*arms.values()])
    lead = _compute_lead(ground, matched, candidates)
    evidence = matched + lead
    factors = _weigh_factors(ground, query, candidates, among.factors)
    depth = max(limit, STRENGTH_DEPTH)
    if slack and likeness is not None and query.vector is not None:
        slack *= _find_scale(likeness)
        places = _contenders(ground, evidence, candidates, factors, depth, slack)
        places = _narrow_contenders(ground, evidence, candidates, factors, places, depth, slack)
        needed = _find_needed(ground, evidence, candidates, places, slack)
        likeness[needed] = yield RankStep(query.vector, candidates[needed])
        semantic = _scale_cosines(likeness, SEMANTIC_WEIGHT, needed)
        arms["semantic"][needed] = semantic * np.float32(1 - share) if share else semantic
        matched[needed] = _sum_arms([arm[needed] for arm in arms.values()])
        lead = _compute_lead(ground, matched, candidates)
        evidence = matched + lead
    else:
        places = _contenders(ground, evidence, candidates, factors, depth)
    session = compute_session_lift(ground, evidence, candidates, places)
    score = factors.apply_factors(evidence[places] + session, places)
    strongest = _select_best(score, depth)
    best = strongest[:limit]
    likenesses = _QuestionCosines(likeness, None if context_cosines is None else context_cosines.cosines)
    scoring = Scoring(ground, candidates, arms, lexical, likenesses, lead, evidence, factors)
    return RankResult(
        rows=candidates[places[best]],
        scores=score[best],
        parts=_RankedParts(scoring, places[best], session[best]),
        strength=max((scoring.strength(int(places[one])) for one in strongest[:STRENGTH_DEPTH]), default=0.0),
        candidates=len(candidates),
        by_model=context_cosines is not None,
        scoring=scoring,
    )


def _scale_arms(
    lexical: Lexical,
    likeness: Floats | None,
    context_cosines: "_ContextualCosines | None",
    candidates: Rows,
    share: float,
    contextual: Contextual | None,
) -> dict[str, Floats]:
    """Return the arms of the candidates; `share` is that of the question which asks for numbers and codes."""
    arms = {"lexical": _scale_scores(select_candidates(lexical.scores, candidates), LEXICAL_WEIGHT, low=0.0)}
    arms |= _scale_vector_arms(likeness, context_cosines)
    if contextual is not None and context_cosines is not None and contextual.floor:
        sure = _measure_sure_strength(arms, lexical, likeness, candidates) / contextual.floor
        arms |= {name: arm * np.float32(min(1.0, sure)) for name, arm in arms.items() if name != "contextual"}
    if share:
        arms = {name: arm * np.float32(1.0 if name == "lexical" else 1 - share) for name, arm in arms.items()}
    return arms


@dataclass(frozen=True, slots=True)
class _Factors:
    """What the evidence of each candidate is multiplied by: its worth, who spoke, and factors by name."""

    raised: Floats  # by worth and by all that is named
    spoken: Bools | None
    named: Mapping[str, Floats]

    def apply_factors(self, evidence: Floats, places: Rows | None = None) -> Floats:
        """Return the scores of all candidates, or of those in some places."""
        score: Floats = evidence * (self.raised if places is None else self.raised[places])
        if self.spoken is not None:
            speaker_mask = self.spoken if places is None else self.spoken[places]
            np.multiply(score, np.float32(NAMED_FACTOR), out=score, where=speaker_mask)
        return score

    def read_factors(self, place: int) -> dict[str, float]:
        """Return the factors of one candidate by name."""
        name_factor = NAMED_FACTOR if self.spoken is not None and self.spoken[place] else 1.0
        others = {name: float(values[place]) for name, values in self.named.items() if values[place] != 1}
        worth = float(self.raised[place]) / math.prod(others.values())
        return {"named": name_factor, "worth": worth} | others


def _weigh_factors(ground: Ground, query: Query, candidates: Rows, by_row: Mapping[str, Floats]) -> _Factors:
    """Return the factors of the candidates; one product of all costs less than masked ones."""
    raised = select_candidates(ground.raised, candidates)
    named = {name: select_candidates(values, candidates) for name, values in by_row.items()}
    if (timely := _weigh_times(ground, query, candidates)) is not None:
        named["when"] = timely
    for values in named.values():
        raised = raised * values
    return _Factors(raised, _match_speaker(ground, query, candidates), named)


def lower_archived(archived: Bools) -> dict[str, Floats]:
    """Return the factor of each row by whether it is archived."""
    return {"archived": 1 - archived * np.float32(1 - ARCHIVED_FACTOR)}


def weigh_lifecycles(lifecycle: npt.NDArray[np.integer]) -> dict[str, Floats]:
    """Return the factor of each row by its lifecycle; what is archived has a factor of its own."""
    return {"lifecycle": _LIFECYCLE_FACTORS[lifecycle]}


def _weigh_times(ground: Ground, query: Query, candidates: Rows) -> Floats | None:
    """Return the factor of each candidate by when it was said; None where the question asks about no time."""
    if not query.spans:
        return None
    at, local = (
        select_candidates(one, candidates) for one in (ground.corpus.said_at, ground.corpus.said_local)
    )
    factors = np.ones(len(candidates), np.float32)
    for begins, ends, _, is_local in query.spans:
        said_at = local if is_local else at
        after = ends + max(ends - begins + 1, _DAY_MICROSECONDS)
        factors[(said_at > ends) & (said_at <= after) & (factors < WHEN_AFTER_FACTOR)] = WHEN_AFTER_FACTOR
        factors[(said_at >= begins) & (said_at <= ends)] = WHEN_FACTOR
    return factors


@dataclass(frozen=True, slots=True)
class Scoring:
    """How each of the `candidates`, rows of the `ground`, was scored: a place among them is what it is asked by.

    `evidence` is the sum of the `arms` and of the `lead`, what the question before it lends; what a segment lends is
    worked out where it matters.
    """

    ground: Ground
    candidates: Rows
    arms: Mapping[str, Floats]
    lexical: Lexical
    likeness: "_QuestionCosines"
    lead: Floats
    evidence: Floats
    factors: _Factors

    def compute_parts(self, place: int, session: float) -> dict[str, float]:
        """Return the parts by name: scaled arms, the raw measures behind them, and the factors."""
        parts = {name: float(arm[place]) for name, arm in self.arms.items()}
        parts |= {"held": self._measure_word_share(place)} | self.likeness.read_cosines(place)
        parts |= {"lead": float(self.lead[place]), "session": session}
        return parts | self.factors.read_factors(place)

    def strength(self, place: int) -> float:
        """Return how strong one answer is by words and static vectors."""
        static = self.likeness.static
        return _average_strength(
            self._measure_word_share(place), None if static is None else float(static[place])
        )

    def find_places(self, seqs: Ints) -> Rows:
        """Return the places of some memories that are candidates."""
        numbers = self.ground.corpus.seq[self.candidates]
        places = np.minimum(np.searchsorted(numbers, seqs), max(len(numbers) - 1, 0))
        return places[numbers[places] == seqs] if len(numbers) else np.zeros(0, np.intp)

    def compute_sessions(self, places: Rows | None = None) -> Floats:
        """Return what its segment lends each candidate, or those in some places; what matches nothing gets nothing."""
        places = np.arange(len(self.candidates)) if places is None else places
        session = compute_session_lift(self.ground, self.evidence, self.candidates, places)
        return np.where(self.evidence[places] > 0, session, np.float32(0))

    def compute_scores(self, session: Floats, places: Rows | None = None) -> Floats:
        """Return the scores of all candidates, or of those in some places."""
        evidence = self.evidence if places is None else self.evidence[places]
        return self.factors.apply_factors(evidence + session, places)

    def _measure_word_share(self, place: int) -> float:
        return self.lexical.measure_word_share(int(self.candidates[place]))


class _RankedParts(Sequence[Mapping[str, float]]):
    """The parts of the best by rank, computed where they are read: most of a long ranking finds no room."""

    def __init__(self, scoring: Scoring, places: Rows, sessions: Floats) -> None:
        self._scoring, self._places, self._sessions = scoring, places, sessions

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, number: int) -> Mapping[str, float]: ...
    @overload
    def __getitem__(self, number: slice) -> "_RankedParts": ...
    def __getitem__(self, number: int | slice) -> "Mapping[str, float] | _RankedParts":
        if isinstance(number, slice):
            return _RankedParts(self._scoring, self._places[number], self._sessions[number])
        return self._scoring.compute_parts(int(self._places[number]), float(self._sessions[number]))


@dataclass(frozen=True, slots=True)
class _QuestionCosines:
    """The cosines of the candidates with the question, by the static vectors and by a model's."""

    static: Floats | None
    contextual: Floats | None

    def read_cosines(self, place: int) -> dict[str, float]:
        """Return those of one candidate by name."""
        by_name = {"cosine": self.static, "contextual_cosine": self.contextual}
        return {name: float(cosines[place]) for name, cosines in by_name.items() if cosines is not None}


@dataclass(frozen=True, slots=True)
class _ContextualCosines:
    """The cosines of the candidates by a model's vectors, and which of them have one of their own."""

    cosines: Floats
    held: Bools


def _scale_vector_arms(likeness: Floats | None, meant: _ContextualCosines | None) -> dict[str, Floats]:
    """Return the arms of vectors, scaled; two weigh less each than one alone.

    Where the model has no vector yet of a candidate, the static vectors speak for it.
    """
    if meant is None:
        return {} if likeness is None else {"semantic": _scale_cosines(likeness, SEMANTIC_WEIGHT)}
    scores = np.zeros(len(meant.held), np.float32)
    scores[meant.held] = _scale_scores(meant.cosines[meant.held], BESIDE_WEIGHT)
    if likeness is None:
        return {"contextual": scores}
    static = _scale_cosines(likeness, BESIDE_WEIGHT)
    return {"semantic": static, "contextual": np.where(meant.held, scores, static)}


def _measure_sure_strength(
    arms: Mapping[str, Floats], lexical: Lexical, likeness: Floats | None, candidates: Rows
) -> float:
    """Return the strength that words and static vectors alone would answer with.

    What they hardly know, such as another language, they scale up to the same numbers as what they know well.
    """
    scores = _sum_arms([arm for name, arm in arms.items() if name != "contextual"])
    strengths = [0.0]
    for place in _select_best(scores, STRENGTH_DEPTH):
        word_share = lexical.measure_word_share(int(candidates[place]))
        strengths.append(_average_strength(word_share, None if likeness is None else float(likeness[place])))
    return max(strengths)


def weak_floor(below: float, candidates: int) -> float:
    """Return the strength below which an answer out of so many memories is weak; `below` is that of WEAK_SIZE of them.

    The fewer memories there are, the weaker is the best of them for a question that none answers: a sixteenth of the
    floor less for each halving down to a twentieth, of less nobody knows (`benchmarks.weak --turns`).
    """
    size = min(WEAK_SIZE, max(candidates, WEAK_SIZE // 20))
    return below * (1 - math.log2(WEAK_SIZE / size) / 16)


def _average_strength(held: float, cosine: float | None) -> float:
    """Return the mean of the share of words held and the cosine; the share alone where there are no vectors."""
    return held if cosine is None else (held + min(1.0, max(0.0, cosine))) / 2


def _select_contextual(contextual: Contextual, candidates: Rows) -> _ContextualCosines | None:
    """Return what a model says of the candidates; None where it has a vector of none of them."""
    mask = select_candidates(contextual.held, candidates)
    return _ContextualCosines(select_candidates(contextual.cosines, candidates), mask) if mask.any() else None


def _sum_arms(arms: Sequence[Floats]) -> Floats:
    total = arms[0]
    for arm in arms[1:]:
        total = total + arm
    return total


def _scale_scores(raw: Floats, weight: float, low: float | None = None, high: float | None = None) -> Floats:
    """Scale to 0–weight over the candidates, from the worst to the best of them, or from `low` and to `high`.

    Where all are alike, a match counts in full and nothing as nothing.
    """
    if not len(raw):
        return raw
    floor, high = float(raw.min()) if low is None else low, float(raw.max()) if high is None else high
    if high <= floor:
        return np.full_like(raw, weight if high > 0 else 0.0)
    above = raw - np.float32(floor) if floor else raw
    return above * np.float32(weight / (high - floor))


def _scale_cosines(raw: Floats, weight: float, places: Rows | slice = slice(None)) -> Floats:
    """Scale static cosines, or some; where all are nearly alike, the worst of them counts nearly in full."""
    low, high = _find_span(raw)
    return _scale_scores(raw[places], weight, low, high) if len(raw) else raw


def _find_scale(raw: Floats) -> float:
    """Return what a difference of static cosines is scaled by."""
    low, high = _find_span(raw)
    return SEMANTIC_WEIGHT / (high - low) if low < high else 0.0


def _find_span(raw: Floats) -> tuple[float, float]:
    """Return from where to where static cosines are scaled."""
    low, high = float(raw.min(initial=np.inf)), float(raw.max(initial=-np.inf))
    return (min(low, high - SPAN_LEAST) if low < high else low), high


def _compute_lead(ground: Ground, evidence: Floats, candidates: Rows) -> Floats:
    """Return what each candidate gets of how much better the question before it matches."""
    if not len(ground.answers):
        return np.zeros_like(evidence)
    by_row, lead = spread_out(ground, evidence, candidates), np.zeros(len(ground.corpus), np.float32)
    better = by_row[ground.asked] - by_row[ground.answers]
    lead[ground.answers] = np.float32(LEAD_SHARE) * np.maximum(better, 0)
    return select_candidates(lead, candidates)


def _contenders(
    ground: Ground, evidence: Floats, candidates: Rows, factors: _Factors, depth: int, slack: float = 0.0
) -> Rows:
    """Return the places of the candidates that can be among the best so many, whatever their segments lend them.

    What a segment lends costs more than all else here, and is at most a share of the best evidence. The true evidence
    of each is at most `slack` away.
    """
    matches = evidence > -slack
    score = factors.apply_factors(evidence)
    off = np.float32(slack * (1 + ground.session_share))
    ahead = np.flatnonzero(matches & (score >= _estimate_threshold(score, depth)))
    if len(ahead) >= depth:
        lent = evidence[ahead] + compute_session_lift(ground, evidence, candidates, ahead)
        least = np.sort(factors.apply_factors(lent - off, ahead))[-depth]
        most = evidence.max() * np.float32(ground.session_share) + off
        matches &= factors.apply_factors(evidence + most) >= least
    return np.flatnonzero(matches)


def _narrow_contenders(
    ground: Ground,
    evidence: Floats,
    candidates: Rows,
    factors: _Factors,
    places: Rows,
    depth: int,
    slack: float,
) -> Rows:
    """Return those of the contenders that can be among the best so many by what their segments do lend them."""
    if len(places) <= depth:
        return places
    lent = evidence[places] + compute_session_lift(ground, evidence, candidates, places)
    off = np.float32(slack * (1 + ground.session_share))
    least = np.sort(factors.apply_factors(lent - off, places))[-depth]
    narrowed: Rows = places[factors.apply_factors(lent + off, places) >= least]
    return narrowed


def _find_needed(ground: Ground, evidence: Floats, candidates: Rows, places: Rows, slack: float) -> Rows:
    """Return, ascending, the places of candidates on whose true evidence the scores of some of them rest.

    These are they themselves, what may be the best of their segments, and what was asked before any of them.
    """
    mark = np.zeros(len(ground.corpus), np.bool_)
    mark[candidates[places]] = True
    if ground.session_share and len(places):
        rows, begins, _ = list_segment_rows(ground, candidates[places])
        by_row = spread_out(ground, evidence, candidates)[rows]
        best = np.maximum.reduceat(by_row, begins)
        counts = np.diff(np.append(begins, len(rows)))
        mark[rows[by_row >= np.repeat(best - np.float32(2 * slack), counts)]] = True
    mark[ground.asked[mark[ground.answers]]] = True
    return np.flatnonzero(select_candidates(mark, candidates))


def _estimate_threshold(score: Floats, depth: int) -> float:
    """Return what at least so many scores reach: nearly the lowest of the best, for a fraction of a partition."""
    groups = GROUPS_PER_DEPTH * depth
    if len(score) < groups:
        return 0.0
    best = score[: len(score) // groups * groups].reshape(-1, groups).max(axis=0)
    return float(np.sort(best)[-depth])


def _match_speaker(ground: Ground, query: Query, candidates: Rows) -> Bools | None:
    """Return which candidates were said by the one person whom the question names or is about, if there is one.

    A question that names nobody and says I or my is about the asker; without one, about whoever is no assistant.
    """
    codes = {code for stem in query.stems for code in ground.names.get(stem, ())}
    speaker = select_candidates(ground.corpus.speaker, candidates)
    if len(codes) == 1:
        by_speaker: Bools = speaker == codes.pop()
        return by_speaker
    if not codes and _first_person(query.text):
        if query.asker is not None and query.asker >= 0:
            by_asker: Bools = speaker == query.asker
            return by_asker
        assistant = select_candidates(ground.corpus.assistant, candidates)
        return ~assistant if assistant.any() else None
    return None


def _first_person(text: str) -> bool:
    read = readings(text)
    pronouns = lexicon_of(read).first_person
    return any(word in pronouns for reading in read for word in reading.folded)


def _select_best(score: Floats, limit: int) -> Rows:
    """Return the places of the best scores above zero, best first; of equals the newer first."""
    least = np.partition(score, len(score) - limit)[len(score) - limit] if len(score) > limit else 0.0
    places = np.flatnonzero(score >= least if least > 0 else score > 0)
    return places[np.lexsort((-places, -score[places]))][:limit]
