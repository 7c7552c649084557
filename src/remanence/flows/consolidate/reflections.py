"""Reflections of an agent that have grown too many are drawn together: one text of the best, the others put aside.

Each stays as it is, with the state `consolidated`, on which rules of a policy rest. Knows how many are too many.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.errors import WriterError
from remanence.core.model import STANDING, Lifecycle, Memory, Relation, Status, Turn, link_values
from remanence.edit.one_memory import act, build_unchanged_check, merge_changes
from remanence.flows.base import settings
from remanence.flows.base.context import Core, retry_conflicts
from remanence.flows.base.spending import Spending
from remanence.flows.base.steps import Settling
from remanence.flows.write.gating import refresh_settings
from remanence.flows.write.learning import decide_batch, prepare
from remanence.llm.base import Shortener
from remanence.read.extraction import checked_shortening
from remanence.store.base import Bookkeeping, Find
from remanence.text.summary import find_added
from remanence.text.tokens import token_counts
from remanence.text.twins import is_sure
from remanence.write.engine_actions import UNSAID, Actions, Eligibility
from remanence.write.reflecting import (
    CATEGORY,
    CONSOLIDATED,
    DRAWN_CATEGORY,
    DRAWN_TAG,
    RAW,
    ReflectionText,
    are_many,
    drawn_together,
)

READ_MAX = 500  # reflections that are drawn together at once, the oldest first
ROUNDS_MAX = 20  # of one consolidation; what is left then is for the next
OWED = "reflections/owed/"  # values, by the text that an erasure took: the reflections it is drawn anew from
SUMMARY_TOKENS = "summary_tokens"
TIMEOUT_S = 30.0
READ = STANDING | {Status.ARCHIVED}

Values = Mapping[str, Any]


async def draw_together(run: Settling) -> Mapping[str, int]:
    """Draw together the raw reflections of each agent that has too many; return how many were put aside.

    What an erasure took something from is drawn anew first.
    """
    anew, total = await draw_owed(run), 0
    for _ in range(ROUNDS_MAX):
        count = 0 if run.stopped() else await _combine_reflections(run, partial(_too_many, run.core), {})
        if not count:
            break
        total += count
    return {"reflections": total, "drawn anew": anew}


async def read_owed_groups(core: Core) -> Mapping[str, Sequence[int]]:
    """Return what is to be drawn together anew: by the names under which it is kept, from which memories."""
    return (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=(OWED,)))).values


async def draw_owed(run: Settling) -> int:
    """Draw together anew what an erasure took something from, however little is left; return how many texts."""
    total = 0
    for name, seqs in list((await read_owed_groups(run.core)).items())[:ROUNDS_MAX]:
        count = (
            0
            if run.stopped()
            else await _combine_reflections(run, partial(_read_remaining, run.core, seqs), {name: None})
        )
        total += bool(count)
    return total


@retry_conflicts
async def _combine_reflections(
    run: Settling, found: Callable[[], Awaitable[Sequence[Memory]]], values: Values
) -> int:
    """Draw together the reflections that are found, and put values with them; return how many that were."""
    core = run.core
    reflections = await found()
    if not reflections:
        await _put_values(core, values)
        return 0
    tokens = await settings.number(core, SUMMARY_TOKENS)
    await refresh_settings(core)
    actions = Actions(summary_tokens=tokens)
    # It is as sure and as important as its parts at their best.
    sure = max(UNSAID if one.confidence is None else one.confidence for one in reflections)
    weighs = max(UNSAID if one.importance is None else one.importance for one in reflections)
    eligibility = Eligibility(sure, Lifecycle.CANDIDATE, weighs, "consolidation")
    if not actions.allows("summarize_node", eligibility):
        ((_, _, _, reason),) = actions.counted
        run.failed.append(f"reflections: {reason}")
        return 0
    seqs = [one.seq for one in reflections]
    links = await core.store.neighbours(core.scope, seqs, Relation.NEAR_DUPLICATE)
    near = frozenset(frozenset((link.source, link.target)) for link in links if is_sure(link.confidence))
    draft = drawn_together(reflections, near)
    text, by = await _in_fewer_words(core, draft, tokens)
    changes = await _decide_changes(core, reflections, draft, text)
    if not changes and text != draft.text:  # what a writer said of more may have been erased
        text, by = draft.text, "the best by rules: the writer's words are refused"
        changes = await _decide_changes(core, reflections, draft, text)
    if not changes:
        run.failed.append("reflections: what they come to is forbidden or would be in quarantine")
        await _put_values(core, values)
        return 0
    actions.record("summarize_node", eligibility, reason=by)
    await run.commit(changes, actions, values)
    return len(reflections)


async def _put_values(core: Core, values: Values) -> None:
    if values:
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put=values))


async def _read_remaining(core: Core, seqs: Sequence[int]) -> Sequence[Memory]:
    """Return those of some reflections that are still there, archived ones too."""
    memories = [one for one in await core.store.get(core.scope, seqs) if one is not None]
    return [one for one in memories if one.status in READ and one.category == CATEGORY]


async def _too_many(core: Core) -> Sequence[Memory]:
    """Return the raw reflections of one agent where they are too many."""
    query = Find(
        tuple(STANDING), equal={"category": CATEGORY, "state": RAW}, limit=READ_MAX, oldest_first=True
    )
    of: dict[str | None, list[Memory]] = defaultdict(list)
    for one in await core.store.find(core.scope, query):
        of[one.agent].append(one)
    return next((mine for mine in of.values() if are_many(mine)), ())


async def _in_fewer_words(core: Core, drawn: ReflectionText, tokens_max: int) -> tuple[str, str]:
    """Return the text as a writer shortens it where there is one and it adds nothing, else as it is; and why."""
    spending = Spending(core)
    writer, (tokens,) = core.writer, token_counts([drawn.text])
    most = min(tokens - 1, tokens_max)
    if not isinstance(writer, Shortener) or most < 1 or await spending.waits():
        return drawn.text, "the best by rules"
    try:
        async with asyncio.timeout(TIMEOUT_S):
            answer = checked_shortening(await writer.shorten(drawn.text, most), drawn.text, most)
    except WriterError as error:
        await spending.book(1, error.tokens_used)
        return drawn.text, "the best by rules: the writer failed"
    except TimeoutError:
        await spending.book(1, tokens)
        return drawn.text, "the best by rules: the writer took too long"
    await spending.book(1, answer.tokens_used)
    if find_added(drawn.text, answer.text):
        return drawn.text, "the best by rules: the writer added something"
    return answer.text, "in a writer's words"


async def _decide_changes(
    core: Core, reflections: Sequence[Memory], drawn: ReflectionText, text: str
) -> list[Change]:
    """Decide the new text with what it was learned from, and every reflection's state; nothing where it is gated."""
    now, first = core.clock.now(), reflections[0]
    turn = Turn(
        text,
        category=DRAWN_CATEGORY,
        kind="semantic",
        tags=(DRAWN_TAG,),
        role=first.role,
        agent=first.agent,
        importance=max((one.importance or 0.0 for one in reflections), default=0.0) or None,
    )
    draft = prepare(core, turn, min(one.trust for one in reflections))
    batch, changes = await decide_batch(core, [draft])
    if draft.kept_out or batch.outcomes[0].status == "gated":
        return []
    key = batch.outcomes[0].key
    links = [
        Change("links", (key, one.seq, int(Relation.LEARNED_FROM)), None, link_values(now))
        for one in drawn.of
        if key != one.seq
    ]
    aside = [
        change
        for one in reflections
        for change in act(one, VERBS["draw together"], now, state=CONSOLIDATED)
        or [build_unchanged_check(one)]
    ]
    return merge_changes([*changes, *links, *aside])
