"""Reflections of an agent that have grown too many are drawn together: one text of the best, the others put aside.

Each stays as it is, with the state `consolidated`, on which rules of a policy rest. Knows how many are too many.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from remanence.change import Change
from remanence.edit.one_memory import act, joined
from remanence.effects import VERBS
from remanence.errors import Conflict, WriterError
from remanence.extraction import checked_shortening
from remanence.flows import settings
from remanence.flows.core import RACES_MAX, Core, overtaken
from remanence.flows.spending import Spending
from remanence.flows.write.learning import decided, prepare
from remanence.flows.write.steps import Settling
from remanence.llm.base import Shortener
from remanence.model import STANDING, Lifecycle, Memory, Relation, Turn, link_values
from remanence.store.base import Find
from remanence.tokens import token_counts
from remanence.write.engine_actions import UNSAID, Actions, Eligibility
from remanence.write.reflecting import (
    CATEGORY,
    CONSOLIDATED,
    DRAWN_CATEGORY,
    DRAWN_TAG,
    RAW,
    Drawn,
    are_many,
    drawn_together,
    says_nothing_new,
)

READ_MAX = 500  # reflections that are drawn together at once, the oldest first
ROUNDS_MAX = 20  # of one consolidation; what is left then is for the next
SUMMARY_TOKENS = "summary_tokens"
TIMEOUT_S = 30.0


async def draw_together(run: Settling) -> Mapping[str, int]:
    """Draw together the raw reflections of each agent that has too many; return how many were put aside."""
    done = 0
    for _ in range(ROUNDS_MAX):
        found = await _drawn(run)
        if not found or run.stopped():
            break
        done += found
    return {"reflections": done}


async def _drawn(run: Settling) -> int:
    """Draw together the reflections of the first agent that has too many; return how many that were."""
    core = run.core
    for attempt in range(RACES_MAX):
        reflections = await _too_many(core)
        if not reflections:
            return 0
        tokens = await settings.number(core, SUMMARY_TOKENS)
        actions = Actions(summary_tokens=tokens)
        given = _eligibility(reflections)
        if not actions.allows("summarize_node", given):
            ((_, _, _, reason),) = actions.counted
            run.failed.append(f"reflections: {reason}")
            return 0
        drawn = drawn_together(reflections, await _near(core, reflections))
        text, by = await _in_fewer_words(core, drawn, tokens)
        changes = await _changes(core, reflections, drawn, text)
        if not changes:
            run.failed.append("reflections: what they come to is forbidden or would be in quarantine")
            return 0
        actions.record("summarize_node", given, reason=by)
        try:
            await run.commit(changes, actions)
        except Conflict as conflict:
            await overtaken(attempt, conflict)
            continue
        return len(reflections)
    raise AssertionError("unreachable")


async def _too_many(core: Core) -> Sequence[Memory]:
    """Return the raw reflections of one agent where they are too many."""
    asked = Find(
        tuple(STANDING), equal={"category": CATEGORY, "state": RAW}, limit=READ_MAX, oldest_first=True
    )
    of: dict[str | None, list[Memory]] = defaultdict(list)
    for one in await core.store.find(core.scope, asked):
        of[one.agent].append(one)
    return next((mine for mine in of.values() if are_many(mine)), ())


def _eligibility(reflections: Sequence[Memory]) -> Eligibility:
    """Return what drawing together is judged by: it is as sure and as important as its parts at their best."""
    sure = max(UNSAID if one.confidence is None else one.confidence for one in reflections)
    weighs = max(UNSAID if one.importance is None else one.importance for one in reflections)
    return Eligibility(sure, Lifecycle.CANDIDATE, weighs, "consolidation")


async def _near(core: Core, reflections: Sequence[Memory]) -> frozenset[frozenset[int]]:
    seqs = [one.seq for one in reflections]
    links = await core.store.neighbours(core.scope, seqs, Relation.NEAR_DUPLICATE)
    return frozenset(frozenset((link.source, link.target)) for link in links)


async def _in_fewer_words(core: Core, drawn: Drawn, tokens_max: int) -> tuple[str, str]:
    """Return the text as a writer shortens it where there is one and it adds nothing, else as it is; and why."""
    spending = Spending(core)
    writer, (tokens,) = core.writer, token_counts([drawn.text])
    most = min(tokens - 1, tokens_max)
    if not isinstance(writer, Shortener) or most < 1 or await spending.waits():
        return drawn.text, "the best by rules"
    try:
        async with asyncio.timeout(TIMEOUT_S):
            found = checked_shortening(await writer.shorten(drawn.text, most), drawn.text, most)
    except WriterError as error:
        await spending.book(1, error.tokens_used)
        return drawn.text, "the best by rules: the writer failed"
    except TimeoutError:
        await spending.book(1, tokens)
        return drawn.text, "the best by rules: the writer took too long"
    await spending.book(1, found.tokens_used)
    if not says_nothing_new(found.text, drawn.text):
        return drawn.text, "the best by rules: the writer added something"
    return found.text, "in a writer's words"


async def _changes(core: Core, reflections: Sequence[Memory], drawn: Drawn, text: str) -> list[Change]:
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
    batch, changes = await decided(core, [draft])
    if draft.kept_out or batch.outcomes[0].status == "gated":
        return []
    key = batch.outcomes[0].key
    links = [
        Change("links", (key, one.seq, int(Relation.LEARNED_FROM)), None, link_values(now))
        for one in drawn.of
        if key != one.seq
    ]
    aside = [
        change for one in reflections for change in act(one, VERBS["draw together"], now, state=CONSOLIDATED)
    ]
    return joined([*changes, *links, *aside])
