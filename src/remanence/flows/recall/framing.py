"""A frame's answer: what may be seen is gathered, weighed by the five parts, cut to the budget and laid out as data."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from remanence.core.arguments import check_count, check_name
from remanence.core.errors import InvalidInput
from remanence.core.keywords import Moment
from remanence.core.later import import_later
from remanence.core.model import REJECTED_PATH, STANDING, Hit, Link, Memory, OneMemory, RecallResult
from remanence.core.results import SAID_ALREADY, WEAK
from remanence.core.score import ScoreWeights, composite, metadata_terms
from remanence.core.snapshot import (
    Bools,
    Floats,
    Ints,
    Snapshot,
    SnapshotRequest,
    load_bearing,
    shown_lengths,
)
from remanence.core.timescale import ClockName
from remanence.flows.base import settings
from remanence.flows.base.as_of import check_instant, read_instant
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.base.recall_settings import LEAVES_OUT, read_recall_settings
from remanence.flows.indexes.index_columns import RANKED
from remanence.flows.recall import kept_frames, profiling
from remanence.flows.recall.answer_rows import ReadPast, read_ranked_rows
from remanence.flows.recall.current_only import follow_newer, merge_stronger
from remanence.flows.recall.fill import FrameContent, Queue, describe_missing, fill
from remanence.flows.recall.filters import FRESH
from remanence.flows.recall.frame_inputs import fading_clock
from remanence.flows.recall.frame_rows import FrameRows, PastRows, PresentRows
from remanence.flows.recall.link_walk import LINKED
from remanence.flows.recall.memory_lines import doubt_of, find_floor, render, tokens_of
from remanence.flows.recall.profiling import (
    BEGINS,
    ENDS,
    IDENTITY,
    LINES_MAX,
    NEEDS,
    RankedEligible,
    has_passed,
    match_believed,
    match_eligible,
    select_profile,
    sort_by_area,
)
from remanence.flows.recall.question import Question, RecallRequest, describe_times, read_question
from remanence.flows.recall.recalling import with_times
from remanence.flows.recall.trace import UNHEARD, FrameOutcome, RecallTrace
from remanence.gate.screening import refuse_secret
from remanence.recall.diversity import diversify
from remanence.recall.frames import (
    BOOT,
    BUDGET_MAX,
    LIMIT_MAX,
    MEMORIES,
    PROFILE,
    Candidates,
    Filling,
    Frame,
    laid_out,
    measure_reserve,
    parts_of,
    room_beside,
    sort_by_value,
    sort_for_room,
    stronger_first,
)
from remanence.text.analysis import check_text, stems

if TYPE_CHECKING:
    from remanence.flows.recall import explaining, past_ranking

import_later(globals())

POOL = 4  # with a question, the best four times the limit are weighed (elfmem), with diversity so many chosen from …
READ_AHEAD = 1.25  # … and no more than fill so much of the budget
_SIZE = frozenset({"form", "tokens", "short_tokens"})
_COLUMNS = _SIZE | {"status", "category", "trust"}


@dataclass(frozen=True, slots=True)
class Look:
    """A frame as it was asked for; `trace` hears how it goes, where somebody asked why."""

    name: str
    query: str | None = None
    budget: int | None = None
    limit: int | None = None
    count_use: bool = True
    agent: str | None = None
    explain: bool = False
    why_not: OneMemory | None = None
    leaves_stale: bool = False
    as_of: Moment | None = None
    trace: RecallTrace = UNHEARD


_UNASKED = Look("")


@dataclass(frozen=True, eq=False, slots=True)
class _Reach:
    """Which rows a frame may return, how well each answers the question, and which repeat it word for word.

    `lent` is what links of the best answers lend to what they lead to. `running` were in the running; of those not here
    `unasked` have nothing to do with the question, for `unread` the budget has no room, others scored less.
    """

    rows: Ints
    similarity: Floats
    lent: Floats
    exact: Bools
    running: int
    unasked: int = 0
    unread: int = 0
    strength: float = 0.0
    by_model: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class _FrameCandidates:
    """The candidates, their sizes, which stronger ones contradict them, and how many memories stand at all.

    `without_model` says why a model had no part. `read` are the candidates, where they were read whole, `links` theirs
    where they are few, `eligible` what may stand in the profile where the frame has one. `read_past` reads them as they
    were, where an instant was asked about.
    """

    found: Candidates
    reach: _Reach
    tokens: Ints
    above: Mapping[int, set[int]]
    standing: int
    without_model: str = ""
    read: Sequence[Memory] = ()
    links: Sequence[Link] | None = None
    eligible: RankedEligible | None = None
    read_past: ReadPast | None = None
    times: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class _FrameRanking:
    """Scores, their parts and terms, aligned with ascending sequence numbers; `above` names stronger contradictions.

    `order` is what they stand in order of: the greatest first.
    """

    seq: Ints
    scores: Floats
    order: Floats
    parts: Mapping[str, Floats]
    above: Mapping[int, set[int]]
    weights: ScoreWeights
    terms: Mapping[str, Floats]
    lent: Floats

    def rank_key(self, seq: int) -> tuple[float, int]:
        """Return what one candidate is sorted by, the best first, of equals the newer."""
        return -float(self.order[np.searchsorted(self.seq, seq)]), -seq

    def hit(self, memory: Memory) -> Hit:
        """Return one candidate with its score and the parts of it."""
        place = np.searchsorted(self.seq, memory.seq)
        parts = {name: float(values[place]) for name, values in self.parts.items()}
        terms = {**self.terms, LINKED: self.lent}
        parts |= {name: float(values[place]) for name, values in terms.items() if values[place]}
        return Hit(memory, float(self.scores[place]), parts)


async def show_frame(core: Core, look: Look) -> RecallResult | profiling.Profile:
    """Return what a frame shows, of those that have no definition, too."""
    if look.name == BOOT:
        _refuse_beside(look, replace(_UNASKED, name=BOOT, budget=look.budget, count_use=look.count_use))
        return await _build_start_context(core, look.budget)
    if look.name == PROFILE:
        _refuse_beside(look, replace(_UNASKED, name=PROFILE, count_use=look.count_use))
        return await profiling.profile(core)
    return await frame(core, look)


def _refuse_beside(look: Look, allowed: Look) -> None:
    """Refuse what has no meaning for the start context or the profile; neither counts a use."""
    asked = [one.name for one in fields(look) if getattr(look, one.name) != getattr(allowed, one.name)]
    if asked:
        takes = "a budget alone" if look.name == BOOT else "nothing else"
        raise InvalidInput(
            f"the frame {look.name!r} takes no {', no '.join(asked)}",
            recovery=f"it takes {takes}: leave the rest out, or use another frame, such as 'task'",
        )


async def frame(core: Core, look: Look) -> RecallResult:
    """Return what a frame shows: what it guarantees first, then the best, within limit and budget."""
    await core.uses.settle_to_read()
    chosen, rows, stands_at = await kept_frames.one_with_settings(core, look.name, "frame_limit", LEAVES_OUT)
    (usual_limit,) = settings.numbers_in(rows, "frame_limit")
    look = replace(look, leaves_stale=read_recall_settings(rows, core.policy.recall).leaves_stale)
    if look.query is not None:
        check_text(look.query)
    if look.agent is not None:
        check_name("agent", look.agent)
        refuse_secret(core.salt, "name of the agent", look.agent)
    budget = chosen.budget if look.budget is None else look.budget
    limit = chosen.limit if look.limit is None else look.limit
    limit = usual_limit if limit is None else limit
    check_count("budget", budget, 1, BUDGET_MAX)
    check_count("limit", limit, 1, LIMIT_MAX)
    if look.as_of is not None:
        check_instant(core, look.as_of, look.why_not, explain=look.explain)
    if look.explain or look.why_not is not None:
        look = replace(look, trace=await explaining.begin_trace(core, look.why_not))
    around = core.counts([chosen.template.replace(MEMORIES, "")])[0] if chosen.template != MEMORIES else 0
    room = Filling(room_beside(around, budget), limit)
    field = await _find_frame_candidates(core, chosen, look, room, stands_at)
    look.trace.mark("ranking")
    is_repeat = bool(field.reach.exact.any())  # what is asked stands here word for word
    weak = (
        look.query is not None
        and not is_repeat
        and not field.reach.by_model
        and doubt_of(core, field.reach.strength, field.reach.running) == WEAK
    )
    room.tokens -= core.counts([WEAK])[0] * weak
    ranking = _rank_candidates(chosen, field, asked=look.query is not None)
    queue = await _make_queue(core, chosen, field, ranking, room, look.query or "")
    if weak:  # what answers badly takes no room from what is guaranteed
        queue = replace(queue, reserve=0)
    content = await fill(core, queue, room)
    chars = sum(len(memory.text) for memory in content.kept.values())
    says_missing = content.noted or (
        not content.kept and _has_room_for_note(core, content, budget, weak=weak)
    )
    head = [WEAK] * weak + [describe_missing(content.missing)] * says_missing
    answer = await run_off_loop(
        chars, _write_answer, core, look, chosen, (field, ranking), (content, room), head
    )
    answer = replace(answer, without_model=field.without_model, times=field.times)
    if look.count_use and not answer.is_weak and look.as_of is None:
        used = [hit.memory.seq for hit in answer.memories]
        core.uses.count(used, look.agent or core.agent, together=True, links=field.links)
    if field.eligible is not None:
        answer = await _with_profile(core, answer, field, field.eligible, budget)
    look.trace.mark("answer")
    return await look.trace.explain_frame(
        core, answer, _make_outcome(core, chosen, (field, ranking), limit, budget)
    )


def _has_room_for_note(core: Core, content: FrameContent, budget: int, *, weak: bool) -> bool:
    """Tell whether there is room to say that nothing has any: without lines no template is laid out."""
    head = [WEAK] * weak + [describe_missing(content.missing)]
    return content.missing > 0 and core.counts(["\n".join(head)])[0] <= budget


def _make_outcome(
    core: Core, chosen: Frame, weighed: tuple[_FrameCandidates, _FrameRanking], limit: int, budget: int
) -> FrameOutcome:
    """Return how an answer was made, for who asked why."""
    field, ranking = weighed
    reach = field.reach
    return FrameOutcome(
        frame=chosen.name,
        seq=ranking.seq,
        scores=ranking.scores,
        order=ranking.order,
        weights=ranking.weights,
        parts=ranking.parts,
        terms=ranking.terms,
        diversity=chosen.diversity,
        guaranteed=field.found.guaranteed,
        exact=field.found.exact,
        lent=field.found.lent,
        links=field.links,
        limit=limit,
        budget=budget,
        strength=reach.strength,
        floor=None if reach.by_model else find_floor(core, reach.running),
    )


async def _make_queue(
    core: Core, chosen: Frame, field: _FrameCandidates, ranking: _FrameRanking, room: Filling, query: str
) -> Queue:
    """Put the candidates in the order in which they get room; beside a question, guarantees leave some to answers."""
    order, guaranteed = sort_for_room(field.found, ranking.order), int(field.found.guaranteed.sum())
    sure = int((field.found.guaranteed | field.found.exact).sum())
    asked = frozenset(stems(query))
    if chosen.diversity:
        best = order[sure : sure + room.limit * POOL]
        order[sure : sure + len(best)] = await _diversify_best(core, chosen, field, (ranking, best), asked)
    if chosen.per_token:
        order[sure:] = sort_by_value(order[sure:], ranking.order, field.tokens, room)
    tokens = field.tokens[order]
    reserve = measure_reserve(chosen.guaranteed_share, room, tokens[guaranteed:].tolist()) if query else 0
    return Queue(
        field.found.seq[order],
        tokens,
        sure=sure,
        free=guaranteed if query else 0,
        reserve=reserve,
        above=ranking.above,
        asked=asked,
        links=field.links,
        read=field.read,
        read_past=field.read_past,
    )


async def _diversify_best(
    core: Core,
    chosen: Frame,
    field: _FrameCandidates,
    ranked: tuple[_FrameRanking, npt.NDArray[np.intp]],
    asked: AbstractSet[str],
) -> npt.NDArray[np.intp]:
    """Order the best candidates anew, by what each says beside the words of the question."""
    ranking, best = ranked
    seqs = field.found.seq[best].tolist()
    if field.read_past is not None:
        found = (await read_ranked_rows(core, seqs, None, field.read_past)).marks.memories
    else:
        found = list(field.read) or list(await core.store.get(core.scope, seqs))
    texts = {one.seq: one.text for one in found if one is not None}
    words = await run_off_loop(
        sum(map(len, texts.values())), lambda: [set(stems(texts.get(seq, ""))) - asked for seq in seqs]
    )
    return best[diversify(ranking.order[best].tolist(), words, chosen.diversity)]


async def _with_profile(
    core: Core, answer: RecallResult, field: _FrameCandidates, found: RankedEligible, budget: int
) -> RecallResult:
    """Add the lines of the profile that fit into so many tokens; nobody asked for them: no use counts."""
    fence = core.counts([BEGINS, ENDS])
    room = Filling(budget - answer.tokens - sum(fence), LINES_MAX)
    if room.tokens <= 0:
        return answer
    others = found.where(~np.isin(found.seq, field.found.seq))
    queue = Queue(others.seq[:LINES_MAX], others.tokens[:LINES_MAX], read_past=field.read_past)
    content = await fill(core, queue, room)
    shown_ids = {hit.id for hit in answer.memories}
    extras = [
        one
        for one in content.kept.values()
        if one.seq not in content.below
        and not one.ended
        and shown_ids.isdisjoint(one.sources)
        and not has_passed(one, core.clock.now())
    ]
    if not extras:
        return answer
    extras = sort_by_area(extras)
    lines = [render(one, part=content.passages.get(one.seq), scarce=True) for one in extras]
    text = "\n".join([*filter(None, [answer.text]), BEGINS, *lines, ENDS])
    left_out = {**answer.left_out, "filter": answer.left_out.get("filter", 0) - len(extras)}
    return replace(
        answer,
        memories=answer.memories + tuple(Hit(one, 0.0, cut=one.seq in content.passages) for one in extras),
        tokens=tokens_of(core, text),
        text=text,
        left_out={reason: count for reason, count in left_out.items() if count},
    )


async def _find_frame_candidates(
    core: Core, chosen: Frame, look: Look, room: Filling, stands_at: int
) -> _FrameCandidates:
    """Gather the candidates of a scope that was just seen to stand somewhere, or beyond."""
    now, clock = core.clock.now(), _choose_clock(core, chosen)
    question = await _prepare_question(core, look, room)
    look.trace.mark("question")
    columns = _COLUMNS | (RANKED if question is not None else frozenset())
    columns, tags = (columns | NEEDS.columns, NEEDS.tags) if chosen.profile else (columns, frozenset())
    columns |= {"lifecycle"} if look.leaves_stale else set()
    columns |= frozenset() if look.as_of is None else RANKED
    model = None if question is None else question.model.arm
    windows = question is not None or look.as_of is not None
    needs_all = look.explain or look.why_not is not None or look.as_of is not None
    async with core.index.hold_rows(
        now, columns, tags=tags, windows=windows, vectors=needs_all, model=model, stands_at=stands_at
    ):
        scope_rows = await _read_rows(core, look)
        stands = scope_rows.stands
        look.trace.mark("index")
        look.trace.begin_rows(core.index)
        believed = stands & match_believed(scope_rows.column("trust"))
        guaranteed = believed & await _match_any_tag(scope_rows, chosen.guarantees)
        passes = await _match_frame_filters(core, chosen, scope_rows, (stands, guaranteed), look)
        if question is None:
            rows = np.flatnonzero(passes)
            none = np.zeros(len(rows))
            reach = _Reach(rows, none, none, np.zeros(len(rows), np.bool_), len(rows))
        else:
            masks = passes, guaranteed
            pool = room.limit * POOL
            reach = await _find_answers(scope_rows, question, masks, pool, expand=chosen.expand)
        seqs = scope_rows.seq[reach.rows]
        read = await scope_rows.weigh(reach.rows, clock)
        candidates = Candidates(
            seq=seqs,
            similarity=reach.similarity,
            lent=reach.lent,
            guaranteed=guaranteed[reach.rows],
            exact=reach.exact,
            evidence=read.evidence,
            degree=read.degree,
        )
        tokens = shown_lengths({name: scope_rows.column(name) for name in _SIZE}, "tokens")[reach.rows]
        profile = await scope_rows.rank_profile() if chosen.profile else None
        if profile is not None and look.leaves_stale:
            fresh = np.isin(scope_rows.column("lifecycle"), FRESH)
            profile = profile.where(np.isin(profile.seq, scope_rows.seq[fresh]))
        return _FrameCandidates(
            candidates,
            reach,
            tokens,
            await scope_rows.map_stronger(seqs, read),
            int(stands.sum()),
            "" if question is None else question.model.without,
            read.memories,
            read.links,
            profile,
            scope_rows.read_past,
            () if question is None else describe_times(question.asked.times or ()),
        )


async def _prepare_question(core: Core, look: Look, room: Filling) -> Question | None:
    """Return the question with what is known of its words, None where there is none."""
    if look.query is None:
        return None
    request = RecallRequest(
        look.query,
        budget=room.tokens,
        read_ahead=READ_AHEAD,
        archived="closed",
        as_of=look.as_of,
        trace=look.trace,
    )
    return await read_question(core, await with_times(core, request))


async def _read_rows(core: Core, look: Look) -> FrameRows:
    """Return the rows that are asked about; the index stays still."""
    if look.as_of is None:
        return PresentRows(core)
    return PastRows(core, await past_ranking.read_past_scope(core, read_instant(core, look.as_of), {}))


def _choose_clock(core: Core, chosen: Frame) -> ClockName:
    """Return the clock that a frame fades by: its own, else the policy's, else the one the memory was opened with."""
    if chosen.clock is not None:
        return chosen.clock
    return fading_clock(core)


async def _match_any_tag(scope_rows: FrameRows, patterns: Sequence[str]) -> Bools:
    """Tell which rows bear any of some tags."""
    mask = np.zeros(len(scope_rows.seq), np.bool_)
    for pattern in patterns:
        mask |= await scope_rows.match_tag(pattern)
    return mask


async def _match_frame_filters(
    core: Core, chosen: Frame, scope_rows: FrameRows, masks: tuple[Bools, Bools], look: Look
) -> Bools:
    """Tell which of the rows that stand, the first mask, pass the frame's filters or are guaranteed, the second."""
    (stands, guaranteed), trace = masks, look.trace
    passes = stands.copy()
    trace.note_filter("standing", passes)
    if chosen.profile:
        passes &= match_believed(scope_rows.column("trust"))
        trace.note_filter("trust", passes)
    if chosen.tags:
        passes &= guaranteed | await _match_any_tag(scope_rows, chosen.tags)
        trace.note_filter("tags", passes)
    if chosen.categories:
        column = scope_rows.column("category")  # which may have names that the index had not
        codes = [core.index.code("category", name) for name in chosen.categories]
        passes &= guaranteed | np.isin(column, codes)
        trace.note_filter("categories", passes)
    if chosen.window_hours is not None:
        idle = await scope_rows.find_idle_hours(_choose_clock(core, chosen))
        passes &= guaranteed | (idle < chosen.window_hours)
        trace.note_filter("window", passes)
    if look.leaves_stale:
        passes &= guaranteed | np.isin(scope_rows.column("lifecycle"), FRESH)
        trace.note_filter("lifecycle", passes)
    return passes


async def _find_answers(
    scope_rows: FrameRows,
    question: Question,
    masks: tuple[Bools, Bools],
    pool: int,
    *,
    expand: bool,
) -> _Reach:
    """Reach for the best answers to a question, what repeats it word for word, and what is guaranteed.

    To `expand` brings in what links of the best answers lead to.
    """
    passes, guaranteed = masks
    ranking = await scope_rows.rank(question, passes, pool)
    similarity, lent = np.zeros(len(scope_rows.seq)), np.zeros(len(scope_rows.seq))
    if len(ranking.rows):
        similarity[ranking.rows] = ranking.scores / max(float(ranking.scores.max()), 1e-9)
    exact = await scope_rows.match_repeats(question.asked.query, passes)
    similarity[exact] = 1.0
    if expand:
        linked = await scope_rows.follow_links(ranking)
        lent = np.where(passes & (linked > similarity), linked, lent)
    rows, running = np.flatnonzero((similarity > 0) | (lent > 0) | guaranteed), int(passes.sum())
    unread = len(np.setdiff1d(ranking.unread, rows))  # what is guaranteed is here all the same
    unasked = running - len(rows) - unread if len(ranking.rows) + len(ranking.unread) < pool else 0
    return _Reach(
        rows,
        similarity[rows],
        lent[rows],
        exact[rows],
        running,
        max(0, unasked),
        unread,
        ranking.strength,
        ranking.by_model,
    )


def _rank_candidates(chosen: Frame, field: _FrameCandidates, *, asked: bool) -> _FrameRanking:
    parts = parts_of(field.found, chosen.terms)
    terms = metadata_terms(field.found.evidence.known, chosen.terms)
    weights = chosen.weights if asked else chosen.weights.without_similarity()
    order = scores = composite(weights, parts, terms)
    if asked:
        related = {**parts, "similarity": np.maximum(parts["similarity"], field.found.lent)}
        order = composite(weights.with_question(), related, terms, weights.share_beside_question)
    return _FrameRanking(field.found.seq, scores, order, parts, field.above, weights, terms, field.found.lent)


def _write_answer(
    core: Core,
    look: Look,
    chosen: Frame,
    weighed: tuple[_FrameCandidates, _FrameRanking],
    filled: tuple[FrameContent, Filling],
    head: Sequence[str],
) -> RecallResult:
    """Put in order what got room, lay it out under the lines of `head`, and account for all that did not."""
    field, ranking = weighed
    memories, passages, room = filled[0].kept, filled[0].passages, filled[1]
    first = set(field.found.seq[field.found.guaranteed].tolist())
    best = sorted(memories, key=lambda seq: (seq not in first, ranking.rank_key(seq)))
    order = stronger_first(best, merge_stronger(ranking.above, filled[0].below))
    over = {seq: [memories[one] for one in ranking.above.get(seq, ()) if one in memories] for seq in order}
    measured = filled[0].lines
    lines = [
        measured[seq]
        if seq in measured and not over[seq]
        else render(memories[seq], over[seq], passages.get(seq), scarce=True)
        for seq in order
    ]
    text = "\n".join([*head, *filter(None, [laid_out(chosen.template, lines)])])
    worse = field.reach.running - field.reach.unasked - field.reach.unread - len(field.found)
    left_out = {
        "limit": room.counts.get("limit", 0) + worse,
        "budget": room.counts.get("budget", 0) + field.reach.unread,
        SAID_ALREADY: room.counts.get(SAID_ALREADY, 0),
        "question": field.reach.unasked,
        "filter": field.standing - field.reach.running,
    }
    return RecallResult(
        query=look.query or "",
        memories=tuple(
            replace(
                ranking.hit(memories[seq]),
                contradicted_by=tuple(one.id for one in over[seq]),
                cut=seq in passages,
                also=tuple(filled[0].also.get(seq, ())),
            )
            for seq in order
        ),
        strength=field.reach.strength,
        tokens=tokens_of(core, text),
        dropped=tuple(filled[0].dropped),
        is_weak=WEAK in head,
        text=text,
        left_out={reason: count for reason, count in left_out.items() if count},
    )


FENCE_SHARE = 8  # a budget below so many times what the profile's fences take has none
_BOOTED = NEEDS.columns | {"said_at"}


async def _build_start_context(core: Core, budget: int | None) -> RecallResult:
    """Return as much as fits of what is load-bearing, then of the newest episodes."""
    budget = await settings.number(core, "boot_tokens") if budget is None else budget
    check_count("budget", budget, 1, BUDGET_MAX)
    now = core.clock.now()
    snapshot = await core.index.read_snapshot(
        SnapshotRequest(_BOOTED, tags=NEEDS.tags | {REJECTED_PATH}), now
    )
    fence = sum(core.counts([BEGINS, ENDS]))
    ranks = _rank_rows(snapshot)
    profile = select_profile(
        snapshot, await match_eligible(core, snapshot, now) & (ranks > PROFILED), LINES_MAX
    )
    profile = profile[: LINES_MAX if FENCE_SHARE * fence <= budget else 0]
    ranks[profile] = PROFILED
    stands = np.isin(snapshot.columns["status"], list(STANDING))
    believed = stands & match_believed(snapshot.columns["trust"])
    rows = _order_rows(snapshot, ranks, believed)
    tokens = shown_lengths(snapshot.columns, "tokens")[rows].astype(np.int64)
    room = Filling(budget - fence * bool(len(profile)), max(len(rows), 1))
    room.pass_over("filter", int(stands.sum()) - len(rows))
    content = await fill(core, Queue(snapshot.seq[rows], tokens), room)
    memories = [content.kept[seq] for seq in stronger_first(content.kept, content.below)]
    first_seqs, profile_seqs = (set(snapshot.seq[rows].tolist()) for rows in (ranks < PROFILED, profile))
    profile_seqs -= {one.seq for one in memories if one.ended or one.seq in content.below}
    outdated = await follow_newer(core, memories, hides=True)
    memories = [
        one
        for one in memories
        if one.seq not in outdated and (one.seq in first_seqs or not has_passed(one, now))
    ]
    room.pass_over("filter", len(content.kept) - len(memories))
    groups = [
        [one for one in memories if one.seq in first_seqs],
        sort_by_area([one for one in memories if one.seq in profile_seqs]),
        [one for one in memories if one.seq not in first_seqs | profile_seqs],
    ]
    parts = content.passages
    first, profile_lines, rest = (
        [render(one, part=parts.get(one.seq), scarce=True) for one in group] for group in groups
    )
    profile_lines = [BEGINS, *profile_lines, ENDS] if profile_lines else []
    text = "\n".join([*[describe_missing(content.missing)] * content.noted, *first, *profile_lines, *rest])
    return RecallResult(
        query="",
        memories=tuple(
            Hit(
                memory,
                0.0,
                cut=memory.seq in parts,
                also=tuple(content.also.get(memory.seq, ())),
            )
            for group in groups
            for memory in group
        ),
        strength=0.0,
        tokens=tokens_of(core, text),
        dropped=tuple(content.dropped),
        text=text,
        left_out={reason: count for reason, count in room.counts.items() if count},
    )


# Where a row stands there: the pinned, identity, rejected paths, the profile, what else is load-bearing, episodes.
PROFILED = 3
_EPISODE = PROFILED + 2


def _rank_rows(snapshot: Snapshot) -> Ints:
    """Return where each row stands before the profile is drawn up."""
    columns, tags = snapshot.columns, snapshot.tags
    is_rejected = tags[REJECTED_PATH]
    bearing = load_bearing(columns["kind"], is_rejected)
    is_pinned = np.asarray(columns["pinned"]) > 0
    return np.select(
        [is_pinned, bearing & tags[IDENTITY], is_rejected, bearing],
        [0, 1, 2, PROFILED + 1],
        default=_EPISODE,
    )


def _order_rows(snapshot: Snapshot, ranks: Ints, among: Bools) -> Ints:
    """Order some rows by their rank; within each the worthier first, then the newer; episodes by date alone."""
    columns = snapshot.columns
    worth = np.nan_to_num(np.asarray(columns["value"], np.float64))
    worth = np.where(ranks < _EPISODE, worth, 0.0)
    order = np.lexsort((-snapshot.seq, -np.asarray(columns["said_at"], np.float64), -worth, ranks))
    ordered: Ints = order[among[order]]
    return ordered
