"""A question in, memories out. The stages: question, candidates, ranking, rows, order, answer; each is a module.

The answer is one, of however many scopes; the stages before it are each scope's own. Knows the order of the stages;
must not know what one does.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from remanence.core.later import import_later
from remanence.core.model import STANDING, Hit, Memory, RecallResult, Status
from remanence.flows.base.context import Core, reach_scope, run_off_loop
from remanence.flows.recall.answer_rows import read_ranked_rows
from remanence.flows.recall.candidate_rows import read_reach
from remanence.flows.recall.current_only import mark_newer
from remanence.flows.recall.frame_inputs import collect_fact_turn_pairs, find_stronger
from remanence.flows.recall.memory_lines import doubt_of, find_floor
from remanence.flows.recall.question import (
    Question,
    RecallRequest,
    check_request,
    describe_times,
    read_event_time,
    read_question,
    read_times,
)
from remanence.flows.recall.ranking import rank_memories
from remanence.flows.recall.scope_hits import ScopeHits, join_hits, map_to_places, pair_by_places
from remanence.flows.recall.trace import Outcome
from remanence.read.when import TimeSpan

if TYPE_CHECKING:
    from remanence.flows.recall import answering, explaining, ordering

import_later(globals())

# With a budget, smaller memories further down may take the room that a large one leaves.
BUDGET_POOL = 4
# A fact and the turn it was learned from take one place, and others move up.
TOLD_POOL = 2
EVENT_POOL = 5  # memories of which the first that speaks of an event says when it was


async def recall(core: Core, asked: RecallRequest) -> RecallResult:
    """Answer a question from what stands, inbox and active memories, and from the archive where that is open."""
    check_request(core, asked)
    if asked.explain or asked.why_not is not None:
        asked = replace(asked, trace=await explaining.begin_trace(core, asked.why_not))
    async with _reach_scopes(core, asked.scopes) as cores:
        asked = await with_times(core, asked)
        found = await _find_in_each(core, cores, asked)
        joined, ranked = join_hits(found), [one.ranked for one in found]
        strength, candidates = max(one.strength for one in ranked), sum(one.candidates for one in ranked)
        by_model = any(one.by_model for one in ranked)
        doubt = "" if by_model else doubt_of(cores[0], strength, candidates)
        unread = sum(len(one.unread) for one in ranked)
        inputs = answering.AnswerInputs(joined.below, joined.above, joined.same, doubt, strength, unread)
        chars = sum(len(hit.text) for hit in joined.hits)
        answer = await run_off_loop(chars, answering.write_answer, core, asked, joined.hits, inputs)
        left_out = sum((Counter(one.left_out) for one in found), Counter(answer.left_out))
        answer = replace(
            answer,
            left_out=dict(left_out),
            without_model=next((one.without_model for one in found if one.without_model), ""),
            times=describe_times(asked.times or ()),
            next_score=_measure_next(joined.scores, asked.limit),
        )
        if asked.count_use and not answer.is_weak and asked.as_of is None:
            for one in cores:
                standing = [
                    hit.seq
                    for hit in answer
                    if hit.memory.scope == one.scope and hit.memory.status in STANDING
                ]
                one.uses.count(standing, asked.agent or core.agent)
        asked.trace.mark("answer")
        floor = None if by_model else find_floor(cores[0], candidates)
    return asked.trace.explain_recall(
        answer, Outcome(joined.hits, found[0].links, asked.limit, asked.budget, floor)
    )


@asynccontextmanager
async def _reach_scopes(core: Core, scopes: Sequence[str] | None) -> AsyncIterator[Sequence[Core]]:
    """Reach the scopes of a question, each once; its own where none is named."""
    async with AsyncExitStack() as stack:
        names = dict.fromkeys(scopes or (core.scope,))
        yield [await stack.enter_async_context(reach_scope(core, name)) for name in names]


async def _find_in_each(core: Core, cores: Sequence[Core], asked: RecallRequest) -> Sequence[ScopeHits]:
    """Find what each scope answers, all at the same time."""
    questions = []
    for one in cores:  # one after another: what a model makes of the question is asked for once
        name = "" if one is core else one.scope
        questions.append(await read_question(one, replace(asked, other_scope=name)))
    asked.trace.mark("question")
    if len(cores) == 1:
        return [await _find_hits(cores[0], questions[0])]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_find_hits(*pair)) for pair in zip(cores, questions, strict=True)]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def _find_hits(core: Core, question: Question) -> ScopeHits:
    """Find what a scope answers, best first: its candidates, ranked, read and put in order."""
    asked = question.asked
    # Later words are looked for among the ten best, however few are asked for.
    read = max(asked.limit, ordering.AMONG)
    pool = read * (TOLD_POOL if asked.budget is None else BUDGET_POOL)
    found = await rank_memories(core, question, read_reach(core, question), pool)
    asked.trace.mark("ranking")
    # Where assistants say most, a standing order of a user's may come from beyond the limit.
    is_cut = asked.budget is None and not found.ranked.by_assistants
    read_past = None if found.past is None else found.past.read
    limit, name = read if is_cut else None, asked.other_scope
    rows = await read_ranked_rows(core, found.ranked.seqs, limit, read_past, other_scope=name)
    ranked, links = found.ranked.first(len(rows.seqs)), rows.links
    # Who asks about a time that is over does not ask what holds now.
    newer_first = asked.newer_first and not asked.asks_past(core)
    marks = await mark_newer(core, rows.marks, links, raises=newer_first, other_scope=name)
    above = await find_stronger(core, links, np.array(rows.seqs, np.int64), core.clock.now())
    asked.trace.mark("reading")
    hits = [
        Hit(memory, float(score), parts, archived=memory.status is Status.ARCHIVED, other_scope=name)
        for memory, score, parts in zip(marks.memories, ranked.scores, ranked.parts, strict=True)
        if memory is not None
    ]
    chars = sum(len(hit.text) for hit in hits)
    known = (hits, links, newer_first, ranked.by_assistants)
    hits = await run_off_loop(chars, ordering.order_hits, asked.query, *known)
    hits = ordering.add_replacements(
        hits, {seq: one for seq, one in rows.instead.items() if asked.admits(one)}
    )
    places = {hit.seq: place for place, hit in enumerate(hits)}
    told_with = collect_fact_turn_pairs(links).without(marks.edited_seqs)
    return ScopeHits(
        hits,
        found.ranked,
        links,
        map_to_places(marks.below, places),
        map_to_places(above, places),
        pair_by_places(hits, told_with),
        found.left_out,
        question.model.without,
    )


def _measure_next(scores: Sequence[float], limit: int) -> float:
    """Return what the first beyond a limit scores, over the best; 0 where there is none."""
    return scores[limit] / scores[0] if len(scores) > limit else 0.0


async def with_times(core: Core, asked: RecallRequest) -> RecallRequest:
    """Return a question with the times that it asks about, where nobody has read them yet.

    One that tells its time by an event is asked without the event's words, if what answers it best was said then.
    """
    if asked.times is not None:
        return asked
    plain = await read_times(core, asked)
    if asked.around is not None:
        return plain
    alone = RecallRequest(
        "",
        thread=asked.thread,
        filters=asked.filters,
        archived=asked.archived,
        as_of=asked.as_of,
        scopes=asked.scopes,
        times=(),
    )

    async def look_up(query: str, limit: int, *times: TimeSpan) -> RecallResult:
        return await recall(core, replace(alone, query=query, limit=limit, times=times, count_use=False))

    async def find_event(event: str) -> list[Memory]:
        return [hit.memory for hit in await look_up(event, EVENT_POOL)]

    told = await read_event_time(plain.local_now(core), asked.query, find_event)
    if told is None:
        return plain
    best = await look_up(told.rest, 1, told.span)
    if best.is_weak or not any("when" in hit.parts for hit in best):
        return plain
    return replace(plain, times=(told.span,), query=told.rest, said=asked.query)
