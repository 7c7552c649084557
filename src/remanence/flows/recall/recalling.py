"""A question in, memories out. The stages: question, candidates, ranking, rows, order, answer; each is a module.

Knows the order of the stages; must not know what one does.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from remanence.core.later import import_later
from remanence.core.model import STANDING, Hit, Memory, RecallResult, Status
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.recall.answer_rows import read_ranked_rows
from remanence.flows.recall.candidate_rows import read_reach
from remanence.flows.recall.current_only import mark_newer
from remanence.flows.recall.frame_inputs import collect_fact_turn_pairs, find_stronger
from remanence.flows.recall.memory_lines import doubt_of, find_floor
from remanence.flows.recall.question import (
    RecallRequest,
    check_request,
    describe_times,
    read_event_time,
    read_question,
    read_times,
)
from remanence.flows.recall.ranking import rank_memories
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
    asked = await with_times(core, asked)
    question = await read_question(core, asked)
    asked.trace.mark("question")
    pool = asked.limit * (TOLD_POOL if asked.budget is None else BUDGET_POOL)
    found = await rank_memories(core, question, read_reach(core, question), pool)
    asked.trace.mark("ranking")
    # Where assistants say most, a standing order of a user's may come from beyond the limit.
    is_cut = asked.budget is None and not found.ranked.by_assistants
    read_past = None if found.past is None else found.past.read
    rows = await read_ranked_rows(core, found.ranked.seqs, asked.limit if is_cut else None, read_past)
    ranked, links = found.ranked.first(len(rows.seqs)), rows.links
    # Who asks about a time that is over does not ask what holds now.
    newer_first = asked.newer_first and not asked.asks_past(core)
    marks = await mark_newer(core, rows.marks, links, raises=newer_first)
    above = await find_stronger(core, links, np.array(rows.seqs, np.int64), core.clock.now())
    asked.trace.mark("reading")
    hits = [
        Hit(memory, float(score), parts, archived=memory.status is Status.ARCHIVED)
        for memory, score, parts in zip(marks.memories, ranked.scores, ranked.parts, strict=True)
        if memory is not None
    ]
    chars = sum(len(hit.text) for hit in hits)
    known = (hits, links, newer_first, ranked.by_assistants)
    hits = await run_off_loop(chars, ordering.order_hits, asked.query, *known)
    instead = {seq: one for seq, one in rows.instead.items() if asked.admits(one)}
    hits = ordering.add_replacements(hits, instead)
    doubt = "" if ranked.by_model else doubt_of(core, ranked.strength, ranked.candidates)
    told_with = collect_fact_turn_pairs(links).without(marks.edited_seqs)
    inputs = answering.AnswerInputs(ranked, marks.below, above, doubt, told_with)
    answer = await run_off_loop(chars, answering.write_answer, core, asked, hits, inputs)
    answer = replace(
        answer,
        left_out={**answer.left_out, **{why: count for why, count in found.left_out.items() if count}},
        without_model=question.model.without,
        times=describe_times(asked.times or ()),
        next_score=found.ranked.measure_next(asked.limit),
    )
    if asked.count_use and not answer.is_weak and asked.as_of is None:
        standing = [hit.memory.seq for hit in answer.memories if hit.memory.status in STANDING]
        core.uses.count(standing, asked.agent or core.agent)
    asked.trace.mark("answer")
    floor = None if ranked.by_model else find_floor(core, ranked.candidates)
    return asked.trace.explain_recall(answer, Outcome(hits, links, asked.limit, asked.budget, floor))


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
        "", thread=asked.thread, filters=asked.filters, archived=asked.archived, as_of=asked.as_of, times=()
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
