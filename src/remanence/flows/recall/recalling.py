"""A question in, memories out: candidates by terms and by vector, ranked, cut to the budget, rendered as data."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.arguments import check_count, check_name
from remanence.core.arrival import WriteContext
from remanence.core.clock import to_datetime, to_span
from remanence.core.errors import InvalidInput
from remanence.core.keywords import Moment
from remanence.core.later import import_later
from remanence.core.model import (
    COLUMN,
    STANDING,
    DroppedMemory,
    Form,
    Hit,
    Memory,
    RecallResult,
    Status,
    Trust,
    Verification,
    short_id,
)
from remanence.core.results import SAID_ALREADY, UNSURE, WEAK
from remanence.flows.base import extra_vectors
from remanence.flows.base.as_of import check_instant
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.base.extra_vectors import QuestionVector
from remanence.flows.base.recall_settings import SETTING_ROWS, RecallSettings, read_recall_settings
from remanence.flows.indexes.scope_index import RANKED
from remanence.flows.recall.answer_rows import read_ranked_rows
from remanence.flows.recall.archive_ranking import (
    ArchiveRanking,
    RankQuestion,
    ranked_with_archive,
    read_best_archived,
)
from remanence.flows.recall.asked_when import AROUND, describe_times, read_event_time, read_times
from remanence.flows.recall.current_only import merge_stronger
from remanence.flows.recall.filters import ArchiveFilter, lists_entities
from remanence.flows.recall.filters import read_recallable as read_recallable
from remanence.flows.recall.frame_inputs import collect_fact_turn_pairs, find_stronger, says_it
from remanence.flows.recall.narrowing import find_passing
from remanence.flows.recall.newer_chains import mark_newer
from remanence.flows.recall.recall_request import RecallRequest
from remanence.flows.recall.trace import Outcome
from remanence.gate.screening import refuse_secret
from remanence.llm.offline import NoEmbedder
from remanence.read.when import TimeSpan
from remanence.recall.corpus import Floats
from remanence.recall.fit import SAID, FactTurnPairs, fit, passage, select_places_to_read
from remanence.recall.frames import BUDGET_MAX
from remanence.recall.fuse import (
    UNSURE_FACTOR,
    Contextual,
    Query,
    RankResult,
    lower_archived,
    rank,
    weak_floor,
    weigh_lifecycles,
)
from remanence.recall.lexical import WordForms, word_weights, worth_asking
from remanence.recall.semantic import word_weight
from remanence.store.base import Arriving
from remanence.text.analysis import check_text, stems, term_hash, visible
from remanence.text.condense import shown_text
from remanence.text.tokens import token_counts

if TYPE_CHECKING:
    from remanence.flows.recall import explaining, link_arm, ordering, past_ranking
else:
    import_later(globals(), {"remanence.flows.recall": "explaining link_arm ordering past_ranking"})

LIMIT_MAX = 1_000
# What an answer can hold; what was deleted or is in quarantine is listed, and found no more.
_UNRECALLED = {Status.PRUNED: "was deleted", Status.QUARANTINED: "is in quarantine"}
RECALLED = tuple(status for status in Status if status not in _UNRECALLED)
# With a budget, smaller memories further down may take the room that a large one leaves.
BUDGET_POOL = 4
# A fact and the turn it was learned from take one place, and others move up.
TOLD_POOL = 2
EVENT_POOL = 5  # memories of which the first that speaks of an event says when it was
NO_ROOM = "the best answer does not fit into this budget"

Bools = npt.NDArray[np.bool_]
# How often the words of a question are held, which are worth asking for and in which forms, and a model's vector of it.
AskedWords: TypeAlias = tuple[WriteContext, WordForms, QuestionVector]


async def recall(core: Core, asked: RecallRequest) -> RecallResult:
    """Answer a question from what stands, inbox and active memories, and from the archive where that is open."""
    _check(core, asked)
    if asked.explain or asked.why_not is not None:
        asked = replace(asked, trace=await explaining.begin_trace(core, asked.why_not))
    asked = await with_times(core, asked)
    context, terms = await asked_for(core, asked.query)
    pool = asked.limit * (TOLD_POOL if asked.budget is None else BUDGET_POOL)
    question = await extra_vectors.embed_question(core, asked.query, context)
    asked.trace.mark("question")
    outcome = await _looked_for(core, asked, (context, terms, question), pool)
    asked.trace.mark("ranking")
    past, beyond = outcome.past, outcome.ranked.measure_next(asked.limit)
    # Where assistants say most, a standing order of a user's may come from beyond the limit.
    is_cut = asked.budget is None and not outcome.ranked.by_assistants
    seqs, marks, links, instead = await read_ranked_rows(
        core, outcome.seqs, asked.limit if is_cut else None, None if past is None else past.read
    )
    ranking, same = outcome.ranked.first(len(seqs)), collect_fact_turn_pairs(links)
    times = asked.times or ()
    # Who asks about a time that is over does not ask what holds now.
    newer_first = asked.newer_first and all(one.ends >= asked.at(core) for one in times)
    marks = await mark_newer(core, marks, links, raises=newer_first)
    memories, same = marks.memories, same.without(marks.edited_seqs)
    above = await find_stronger(core, links, np.array(seqs, np.int64), core.clock.now())
    asked.trace.mark("reading")
    chars = sum(len(memory.text) for memory in memories if memory is not None)
    doubt = "" if ranking.by_model else doubt_of(core, ranking.strength, ranking.candidates)
    hits = [
        Hit(memory, float(score), parts, archived=memory.status is Status.ARCHIVED)
        for memory, score, parts in zip(memories, ranking.scores, ranking.parts, strict=True)
        if memory is not None
    ]
    known = (hits, links, newer_first, ranking.by_assistants)
    hits = await run_off_loop(chars, ordering.order_hits, asked.query, *known)
    hits = ordering.add_replacements(hits, {seq: one for seq, one in instead.items() if asked.admits(one)})
    rest = (ranking, marks.below, above, doubt, same)
    answer = await run_off_loop(chars, _answer, core, asked, hits, rest)
    answer = replace(answer, without_model=question.without, times=describe_times(times), next_score=beyond)
    if asked.count_use and not answer.is_weak and asked.as_of is None:
        standing = [hit.memory.seq for hit in answer.memories if hit.memory.status in STANDING]
        core.uses.count(standing, asked.agent or core.agent)
    asked.trace.mark("answer")
    floor = None if ranking.by_model else find_floor(core, ranking.candidates)
    return asked.trace.explain_recall(answer, Outcome(hits, links, asked.limit, asked.budget, floor))


async def with_times(core: Core, asked: RecallRequest) -> RecallRequest:
    """Return a question with the times that it asks about, where nobody has read them yet.

    One that tells its time by an event is asked without the event's words, if what answers it best was said then.
    """
    if asked.times is not None:
        return asked
    plain = replace(asked, times=read_times(asked.at(core), asked.query, asked.around))
    if asked.around is not None:
        return plain
    alone = RecallRequest(
        "", thread=asked.thread, filters=asked.filters, archived=asked.archived, as_of=asked.as_of, times=()
    )

    async def look_up(query: str, limit: int, *times: TimeSpan) -> RecallResult:
        return await recall(core, replace(alone, query=query, limit=limit, times=times, count_use=False))

    async def find_event(event: str) -> list[Memory]:
        return [hit.memory for hit in await look_up(event, EVENT_POOL)]

    told = await read_event_time(asked.at(core), asked.query, find_event)
    if told is None:
        return plain
    best = await look_up(told.rest, 1, told.span)
    if best.is_weak or not any("when" in hit.parts for hit in best):
        return plain
    return replace(asked, times=(told.span,), query=told.rest, said=asked.query)


async def _looked_for(core: Core, asked: RecallRequest, words: AskedWords, pool: int) -> ArchiveRanking:
    """Rank what stands, and of the archive what is open."""
    index, now = core.index, core.clock.now()
    settings = read_recall_settings(words[0].values, core.policy.recall)
    asked = replace(asked, filters=asked.filters.without_stale()) if settings.leaves_stale else asked
    opens = asked.archived == "open" or (asked.archived is None and settings.is_open)
    settings = settings._replace(is_open=opens)
    archive_filter = _make_archive_filter(asked, opens=opens)
    asked.trace.note_archive(archive_filter)
    columns = RANKED | asked.filters.columns.keys() | {"category"}
    columns |= frozenset() if asked.budget is None else {"tokens"}
    columns |= {"lifecycle"} if settings.weighs_lifecycle else frozenset()
    async with index.hold_rows(now, columns, windows=True, model=words[2].arm, stands_at=words[0].position):
        asked.trace.mark("index")
        left = archive_filter if index.leaves_archive else None
        if not settings.links or asked.as_of is not None:  # links are not told as of an instant
            return await _ranked_together(core, asked, words, left, settings, pool)
        whole = replace(asked, budget=None)  # no size tells what links will raise
        found = await _ranked_together(core, whole, words, left, settings, pool)
        return await link_arm.add_links(core, found, settings.links, pool, asked.trace)


async def _ranked_together(
    core: Core,
    asked: RecallRequest,
    words: AskedWords,
    left: ArchiveFilter | None,
    settings: RecallSettings,
    pool: int,
) -> ArchiveRanking:
    """Rank what the index holds, which stays still, and with it what has left it for the archive."""
    words = await match_forms(core, asked.query, words)
    archive_rows = _find_archived_rows(core, asked, opens=settings.is_open)
    allowed = await _filter_rows(core, asked, archive_rows)
    factors = {} if archive_rows is None else lower_archived(archive_rows)
    factors |= weigh_lifecycles(core.index.column("lifecycle")) if settings.weighs_lifecycle else {}
    if asked.as_of is not None:
        return await _ranked_as_of(core, asked, words, left, (allowed, settings), pool)
    if left is not None:
        question = make_archive_question(core, asked, words)
        joint = await ranked_with_archive(core, left, question, (allowed, factors), pool)
        if joint is not None:
            asked.trace.note_ranking(joint.ranked, joint.seqs, pool)
            return joint
    ranking = await ranked_rows(core, asked, words, (allowed, factors), pool)
    return ArchiveRanking(ranking, core.index.seq[ranking.rows].tolist())


async def _ranked_as_of(
    core: Core,
    asked: RecallRequest,
    words: AskedWords,
    left: ArchiveFilter | None,
    rows: tuple[Bools, RecallSettings],
    pool: int,
) -> ArchiveRanking:
    """Rank what stood at an instant; `rows` are those that may be returned by what they are now."""
    index, (allowed, settings) = core.index, rows
    question = make_archive_question(core, asked, words)
    archived = {} if left is None else await read_best_archived(core, left, question)
    past = await past_ranking.read_past_scope(core, asked.at(core), archived)
    wanted = past_ranking.PastFilter(
        asked.filters.statuses or RECALLED,
        asked.thread,
        asked.between,
        asked.filters,
        settings.is_open and not asked.filters.by_status,
    )
    factors: dict[str, Floats] = {}
    if wanted.opens:
        archived_rows = index.match_statuses([Status.ARCHIVED])
        factors |= lower_archived(past.mark(archived_rows, lambda one: one.status is Status.ARCHIVED))
    if settings.weighs_lifecycle:
        column = index.column("lifecycle")
        factors |= weigh_lifecycles(
            past.join(column, lambda memories: index.encode_column("lifecycle", memories))
        )
    passes = past.mark(allowed, wanted.is_met_by)
    ranking = await past_ranking.rank_as_of(core, past, question, words[1], (passes, factors), pool)
    return ArchiveRanking(ranking, past.seq[ranking.rows].tolist(), past)


def make_archive_question(core: Core, asked: RecallRequest, words: AskedWords) -> RankQuestion:
    """Return a question as what is put between the rows of the index is ranked by it."""
    return RankQuestion(_query(core, asked, words, {}), asked.asker, words[2], words[0].memories)


def _make_archive_filter(asked: RecallRequest, *, opens: bool) -> ArchiveFilter | None:
    """Return what of the archive may be found, None where it is closed; who asks for the status gets full scores."""
    statuses, by_status = asked.filters.statuses, asked.filters.by_status
    if of_entities(asked) or (by_status and statuses is not None and Status.ARCHIVED not in statuses):
        return None
    if not by_status and not opens:
        return None
    return ArchiveFilter(asked.thread, asked.between, asked.filters, lowered=not by_status)


def tokens_of(core: Core, text: str) -> int:
    """Count the tokens of a whole answer."""
    return core.counts([text])[0] if text else 0


def doubt_of(core: Core, strength: float, candidates: int) -> str:
    """Return how an answer of some strength out of so many memories begins: WEAK, UNSURE, or "" for neither.

    The floor is the embedder's, if it has one, that of words alone without vectors.
    """
    below = _find_threshold(core)
    if below is None or strength >= below * UNSURE_FACTOR:
        return ""
    return WEAK if strength < weak_floor(below, candidates) else UNSURE


def find_floor(core: Core, candidates: int) -> float | None:
    """Return the strength below which an answer out of so many memories is weak; None where nobody knows."""
    below = _find_threshold(core)
    return None if below is None else weak_floor(below, candidates)


def _find_threshold(core: Core) -> float | None:
    alone = core.embedder.dimensions and not core.index.dimensions
    return (NoEmbedder if alone else core.embedder).thresholds.weak_below


async def asked_for(core: Core, query: str) -> tuple[WriteContext, WordForms]:
    """Return how often the question's words are held, and which of them are worth asking for.

    What else a question needs to know of the scope comes with it: one request for all.
    """
    hashes = await run_off_loop(len(query), ordering.hash_stems, query)
    asks_model = core.model is not None
    request = Arriving(
        terms=list(hashes.values()),
        get=(*SETTING_ROWS, *(extra_vectors.MODEL,) * asks_model),
        counters=(extra_vectors.WRITTEN,) * asks_model,
    )
    context = await core.store.arriving(core.scope, request)
    counts = {stem: context.df.get(term, 0) for stem, term in hashes.items()}
    return context, {stem: (stem,) for stem in worth_asking(list(hashes), counts, context.memories)}


async def match_forms(core: Core, query: str, words: AskedWords) -> AskedWords:
    """Leave out of a question the function words of its language, and ask for each word in all of its forms.

    The rows of the index stand still meanwhile. A word that is left out weighs as one that every memory holds.
    """
    context, stems_asked, question = words
    known = await core.index.read_words()
    held = {stem: context.df.get(term_hash(stem), 0) for stem in stems_asked}
    forms = await known.find_forms(*await run_off_loop(len(query), known.read_question, query, held))
    dropped = {term_hash(stem): context.memories for stem in stems_asked if stem not in forms}
    return (replace(context, df={**context.df, **dropped}) if dropped else context), forms, question


def _check(core: Core, asked: RecallRequest) -> None:
    check_text(asked.query)
    if asked.agent is not None:
        check_name("agent", asked.agent)
        refuse_secret(core.salt, "name of the agent", asked.agent)
    to_span(asked.around, AROUND)
    if asked.as_of is not None:
        _check_as_of(core, asked, asked.as_of)
    check_count("limit", asked.limit, 1, LIMIT_MAX)
    if asked.budget is not None:
        check_count("budget", asked.budget, 1, BUDGET_MAX)
    for status in asked.filters.statuses or ():
        if status in _UNRECALLED:
            raise InvalidInput(
                f"recall finds nothing that {_UNRECALLED[status]}",
                recovery=f"list it: `list(status='{status.label}')`",
            )


def _check_as_of(core: Core, asked: RecallRequest, as_of: Moment) -> None:
    check_instant(core, as_of, asked.why_not, explain=asked.explain)
    if of_entities(asked):
        raise InvalidInput(
            "entities are not recalled as of an instant",
            recovery="list them: `list(category='entity', as_of=TIME)`",
        )


def _find_archived_rows(core: Core, asked: RecallRequest, *, opens: bool) -> Bools | None:
    """Return which rows are archived, where such are found beside what stands; None where not, or where none is.

    Who asks for a status gets what has it.
    """
    if asked.filters.by_status or not opens:
        return None
    rows = core.index.match_statuses([Status.ARCHIVED])
    return rows if rows.any() else None


async def _filter_rows(core: Core, asked: RecallRequest, opened: Bools | None) -> Bools:
    """Return which rows may be returned: those that pass every filter, and stand where no status is asked for.

    Those that are `opened` may, too.
    """
    index, filters, trace = core.index, asked.filters, asked.trace
    trace.begin_rows(index)
    allowed = index.match_statuses(filters.statuses or RECALLED)
    if opened is not None:
        allowed |= opened
    trace.note_filter("status", allowed)
    if not of_entities(asked):
        allowed &= ~index.entities
        trace.note_filter("entity", allowed)
    if asked.thread is not None:
        allowed &= index.column("thread") == index.code("thread", asked.thread)
        trace.note_filter("thread", allowed)
    if asked.between is not None:
        said_at = index.column("said_at")
        allowed &= (said_at >= asked.between[0]) & (said_at <= asked.between[1])
        trace.note_filter("between", allowed)
    for name, values in filters.columns.items():
        allowed &= _any_of(core, name, values)
        trace.note_filter(name, allowed)
    for pattern in filters.tags:
        allowed &= await index.match_tag(pattern, core.clock.now())
        trace.note_filter(f"tag {pattern}", allowed)
    if filters.has_more:
        mask = np.zeros(len(index), np.bool_)
        mask[index.rows_among(await find_passing(core, filters))[0]] = True
        allowed &= mask
        trace.note_filter("attributes" if filters.attributes else next(iter(filters.times)), allowed)
    return allowed


def of_entities(asked: RecallRequest) -> bool:
    """Tell whether entities are asked for: by their category, since they say nothing that answers a question."""
    return lists_entities(asked.filters)


def _any_of(core: Core, name: str, values: Sequence[Any]) -> Bools:
    """Return the rows whose column has one of some values, None for none."""
    column = core.index.column(name)
    choices = [value for value in values if value is not None]
    if COLUMN[name].kind == "name":
        choices = [core.index.code(name, value) for value in choices]
    matches: Bools = np.isin(column, choices)
    if len(choices) < len(values):
        matches |= np.isnan(column) if column.dtype.kind == "f" else column == -1
    return matches


async def ranked_rows(
    core: Core,
    asked: RecallRequest,
    words: AskedWords,
    by_row: tuple[Bools, Mapping[str, Floats]],
    pool: int,
) -> RankResult:
    """Rank on the resident columns.

    `words` are what `match_forms` made of the question; by row it is told what may be returned, and what scores are
    multiplied by.
    """
    postings = await core.index.postings(words[1], every=of_entities(asked))
    ranking = await asyncio.to_thread(_rank_rows, core, asked, words, postings, by_row, pool)
    asked.trace.note_ranking(ranking, core.index.seq[ranking.rows].tolist(), pool)
    return ranking


def _rank_rows(
    core: Core,
    asked: RecallRequest,
    words: AskedWords,
    postings: Mapping[str, npt.NDArray[np.int64]],
    by_row: tuple[Bools, Mapping[str, Floats]],
    pool: int,
) -> RankResult:
    index = core.index
    allowed, factors = by_row
    _, query_stems, question = words
    if of_entities(asked):
        ground, terms = index.among_all(query_stems, postings)
    else:
        ground, terms = index.ground, index.terms(query_stems, postings)
    query = _query(
        core, asked, words, word_weights(ground.windows, terms, allowed) if index.dimensions else {}
    )
    contextual = index.compare_contextual(question.model, question.vector, allowed)
    beside = None if contextual is None else Contextual(*contextual, core.embedder.thresholds.weak_below)
    cosines = index.compare(query.vector, allowed)
    ranking = rank(ground, terms, cosines, query, allowed, pool, beside, factors)
    if asked.budget is not None and core.counts is token_counts:  # what else counts may find lines shorter
        tokens = index.column("tokens")[ranking.rows].tolist()
        ranking = ranking.select(select_places_to_read(tokens, asked.budget, asked.read_ahead))
    return replace(ranking, parts=tuple(ranking.parts))  # as the index stands now


def _query(core: Core, asked: RecallRequest, words: AskedWords, weights: Mapping[str, float]) -> Query:
    """Return the question as it is ranked by; `weights` say what its words tell apart, where that is known."""
    context, query_stems, question = words
    return Query(
        text=asked.query,
        stems=tuple(query_stems),
        vector=_vector(core, asked.query, context, weights),
        asker=None if asked.asker is None else core.index.code("speaker", asked.asker),
        within_conversation=asked.thread is not None,
        contextual=question.vector,
        forms=query_stems,
        spans=tuple((begins, ends) for begins, ends, _ in asked.times or ()),
    )


def _vector(
    core: Core, text: str, known: WriteContext, weights: Mapping[str, float]
) -> npt.NDArray[np.float32] | None:
    """Embed the question, its words weighted by how rare they are where it is asked, else in the scope now."""
    if not core.index.dimensions:
        return None
    in_scope = word_weight(known.memories, known.df)

    def weight(stem: str) -> float:
        return weights[stem] if stem in weights else in_scope(stem)

    vector: npt.NDArray[np.float32] = core.embedder.embed([text], weight)[0]
    return vector


def _find_fact_turn_pairs(hits: Sequence[Hit], told_with: FactTurnPairs) -> FactTurnPairs:
    """Return which hits are facts that were extracted from which, by place."""
    places = {hit.seq: place for place, hit in enumerate(hits)}
    turns: dict[int, list[int]] = {}
    facts: dict[int, list[int]] = {}
    for fact, hit in enumerate(hits):
        for turn in (places[seq] for seq in told_with.turns.get(hit.seq, ()) if seq in places):
            if says_it(hit.memory, hits[turn].memory):
                turns.setdefault(fact, []).append(turn)
                facts.setdefault(turn, []).append(fact)
    return FactTurnPairs(turns, facts)


def _answer(
    core: Core,
    asked: RecallRequest,
    hits: Sequence[Hit],
    known: tuple[RankResult, Mapping[int, set[int]], Mapping[int, set[int]], str, FactTurnPairs],
) -> RecallResult:
    """Cut what was ranked to limit and budget, the stronger of a contradiction first, and say what was left out."""
    ranking, below, above, doubt, told_with = known
    memories = {hit.memory.seq: hit.memory for hit in hits}
    # What an answer says of itself counts, too; `is_weak` says it where there is no room.
    said = doubt if asked.budget is None or tokens_of(core, doubt) <= asked.budget else ""
    room = None if asked.budget is None else asked.budget - tokens_of(core, said)
    # What is dropped contradicts nobody: a line may turn out shorter than its room, never longer.
    overs = [_select_stronger(hit, above, memories) for hit in hits]
    same = _find_fact_turn_pairs(hits, told_with)
    selection = _select_hits(core, asked, hits, overs, room, same)
    repeats = {place for place, reason in selection.dropped if reason == SAID}
    by_seq = {
        hits[k].memory.seq: _mark_hit(
            hits[k],
            is_cut=k == 0 and selection.passage is not None,
            also=tuple(hits[place].id for place in same.with_(k) if place in repeats),
        )
        for k in selection.kept
    }
    among = {seq: memories[seq] for seq in by_seq}
    over = {seq: _select_stronger(hit, above, among) for seq, hit in by_seq.items()}
    order, by_seq = ordering.raise_stronger(by_seq, merge_stronger(above, below))
    measured = {seq: line for seq, line, by in zip(memories, selection.lines, overs, strict=False) if not by}
    part = selection.passage
    lines = [
        measured[seq]
        if seq in measured and not by_seq[seq].cut
        else render(memories[seq], over[seq], part if by_seq[seq].cut else None)
        for seq in order
    ]
    if hits and not lines and room is not None and core.counts([NO_ROOM])[0] <= room:
        lines = [NO_ROOM]
    text = "\n".join([said, *lines] if said else lines)
    drops = tuple(
        DroppedMemory(hits[k].memory.id, reason, hits[k].memory.tokens, hits[k].memory.seq)
        for k, reason in selection.dropped
    )
    left_out = {"budget": len(drops) - len(repeats) + len(ranking.unread), SAID_ALREADY: len(repeats)}
    return RecallResult(
        query=asked.said or asked.query,
        memories=tuple(
            replace(by_seq[seq], contradicted_by=tuple(one.id for one in over[seq]))
            if over[seq]
            else by_seq[seq]
            for seq in order
        ),
        strength=ranking.strength,
        tokens=tokens_of(core, text),
        dropped=drops,
        is_weak=doubt == WEAK,
        is_unsure=doubt == UNSURE,
        text=text,
        left_out={reason: count for reason, count in left_out.items() if count},
    )


def _mark_hit(hit: Hit, *, is_cut: bool, also: tuple[str, ...]) -> Hit:
    """Return a hit with what is said of it in an answer; most need nothing."""
    return replace(hit, cut=is_cut, also=also) if is_cut or also else hit


@dataclass(frozen=True, slots=True)
class _HitSelection:
    """The places of what is kept and of what is dropped with the reason; what is shown of the best where it is cut.

    `lines` are those of all places, where they were written to be measured.
    """

    kept: list[int]
    dropped: list[tuple[int, str]]
    passage: str | None = None
    lines: Sequence[str] = ()


def _select_hits(
    core: Core,
    asked: RecallRequest,
    hits: Sequence[Hit],
    overs: Sequence[Sequence[Memory]],
    room: int | None,
    same: FactTurnPairs,
) -> _HitSelection:
    """Choose what fits. The best is never passed over: cut to half the room, then to what the others leave."""
    if room is None or not hits:
        return _HitSelection(*fit([0] * len(hits), asked.limit, None, same))
    lines = [render(hit.memory, over) for hit, over in zip(hits, overs, strict=True)]
    sizes = core.counts(lines)
    if sizes[0] <= room:
        return _HitSelection(*fit(sizes, asked.limit, room, same), lines=lines)
    best, over, query_stems = hits[0].memory, overs[0], frozenset(stems(asked.query))
    part = extract_passage(core, best, room // 2 if asked.limit > 1 else room, query_stems, over)
    part = part or extract_passage(core, best, room, query_stems, over)
    if part is None:
        return _HitSelection(
            [], [(0, f"its {sizes[0]} tokens are more than the whole budget of {asked.budget}")]
        )
    sizes[0] = core.counts([render(best, over, part)])[0]
    places, drops = fit(sizes, asked.limit, room, same)
    rest = room - sum(sizes[place] for place in places[1:])
    shown = extract_passage(core, best, rest, query_stems, over) or part
    return _HitSelection(places, drops, shown, lines)


def extract_passage(
    core: Core,
    memory: Memory,
    room: int,
    asked: AbstractSet[str] = frozenset(),
    over: Sequence[Memory] = (),
) -> str | None:
    """Return the passage of a memory that answers best in a line of so many tokens; None where none fits."""
    return passage(
        _normalize_visible(memory.text),
        asked,
        lambda part: core.counts([render(memory, over, part)])[0] <= room,
    )


def _select_stronger(hit: Hit, above: Mapping[int, set[int]], among: Mapping[int, Memory]) -> list[Memory]:
    """Return those of some memories that contradict a hit and are stronger."""
    return [among[seq] for seq in above.get(hit.memory.seq, ()) if seq in among]


def render(
    memory: Memory, contradicting: Sequence[Memory] = (), part: str | None = None, *, scarce: bool = False
) -> str:
    """Write a memory as one line of data, which no stored text can leave or pass for: id, when, who, from where; text.

    What no longer stands, or in part holds no longer, is marked so, and what is believed less than the user as what it
    is. Nobody's words can begin a line, and what steers a terminal or hides from a reader is shown as what it is. A
    `part` of the text stands for the whole, which is marked as cut; where room is scarce, so does the form that a
    policy gave it.
    """
    when = to_datetime(memory.said_at).date().isoformat()
    who = f" {_mask_brackets(memory.speaker)}" if memory.speaker else ""
    origin = next((source for source in memory.sources if not _MEMORY.fullmatch(source)), None)
    source = "" if origin is None else f", from {_mask_brackets(origin)}"
    marks = "" if memory.trust is Trust.USER else f"; {memory.trust.label}"
    marks += "" if memory.status in STANDING else f"; {memory.status.label}"
    is_disputed = memory.verification is Verification.DISPUTED and memory.status in STANDING
    marks += f"; {Verification.DISPUTED.label}" * is_disputed
    marks += "".join(f"; {_mask_brackets(end)}" for end in memory.ended)
    marks += "".join(map(render_contradiction, contradicting)) + CUT_MARK * (part is not None)
    short = scarce and part is None and memory.form is not Form.FULL
    marks += f"; {memory.form.label}" * short
    text = _normalize_visible(shown_text(memory) if short else memory.text) if part is None else part
    return f"[{short_id(memory.seq)} {when}{who}{source}{marks}] {text}"


def render_contradiction(by: Memory) -> str:
    """Write into a line that another memory contradicts it."""
    return f"; contradicted by {short_id(by.seq)}"


CUT_MARK = "; cut"
LINE_LEAST = "[#1 2026-01-01] a"  # no line takes less room
_MEMORY = re.compile("[0-9a-f]{32}")  # the id of one, such as a turn
_BRACKETS = str.maketrans("[];", "(),")


def _normalize_visible(text: str) -> str:
    return visible(" ".join(text.split()))


def _mask_brackets(name: str) -> str:
    """Return a name that cannot close the brackets it stands in."""
    return _normalize_visible(name).translate(_BRACKETS)
