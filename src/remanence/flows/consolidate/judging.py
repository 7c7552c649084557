"""What a writer says of memories: each is judged in the light of who the agent is and of older ones that it may change.

A judgement is checked like any proposal; one that makes no sense is none. Knows the core and no store.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from remanence.core.arguments import TAGS_MAX, check_tags
from remanence.core.errors import InvalidInput, WriterError
from remanence.core.model import REJECTED_PATH, Memory, Trust
from remanence.edit.identity import says_who
from remanence.flows.base.context import Core
from remanence.flows.consolidate import guidelines
from remanence.flows.recall.framing import Look, frame
from remanence.llm.base import Judgement, Writer
from remanence.text.tokens import token_counts

TIMEOUT_S = 30.0
TOKENS_MOST = 1 << 40  # of one answer
CONTRADICTS_MIN = 0.80  # from here on a contradiction is taken for one (elfmem)


@dataclass(frozen=True, slots=True)
class CheckedJudgement:
    """A checked judgement; `alignment` is None and `reason` says why where there is none."""

    alignment: float | None = None
    contradicts: tuple[tuple[int, float], ...] = ()  # (seq, how sure), also of those that it replaces
    replaces: tuple[int, ...] = ()
    repeats: tuple[int, ...] = ()  # for a person to make one with it
    reason: str = ""
    tokens_used: int = 0
    tags: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()  # tags that mean something to the engine: for a person to set


async def judge(
    core: Core, writer: Writer, memories: Sequence[Memory], similar: Sequence[Sequence[Memory]]
) -> list[CheckedJudgement]:
    """Ask the writer about some memories at once, each in the light of who the agent is and of its like."""
    who = (await frame(core, Look("self", count_use=False))).text
    who = "\n".join([who, *(f"guideline: {line}" for line in await guidelines.lines(core))])
    asked = [_judge(writer, memory, who, others) for memory, others in zip(memories, similar, strict=True)]
    return list(await asyncio.gather(*asked))


async def _judge(writer: Writer, memory: Memory, who: str, others: Sequence[Memory]) -> CheckedJudgement:
    shown = {other.id: _render_memory(other) for other in others}
    try:
        async with asyncio.timeout(TIMEOUT_S):
            found = await writer.judge(_render_memory(memory), who, shown)
    except TimeoutError:
        # Who was not waited for may have answered all the same, for the price of the question at least.
        asked = sum(token_counts([memory.text, who, *shown.values()]))
        return CheckedJudgement(reason=f"{memory.id}: no judgement within {TIMEOUT_S:g} s", tokens_used=asked)
    except WriterError as error:
        return CheckedJudgement(reason=f"{memory.id}: {error}", tokens_used=_cost(error.tokens_used))
    judged = _check_judgement(memory, found, {other.id: other.seq for other in others})
    own = {
        other.seq for other in others if other.speaker == memory.speaker
    }  # what two people say stays with either
    judged = replace(judged, repeats=tuple(seq for seq in judged.repeats if seq in own))
    return replace(judged, tokens_used=_cost(found.tokens_used))


def _render_memory(memory: Memory) -> str:
    """Return a text, with how far it is to be trusted where that is less than a user's own word."""
    return memory.text if memory.trust is Trust.USER else f"[{memory.trust.label}] {memory.text}"


def _check_judgement(memory: Memory, found: Judgement, seqs: Mapping[str, int]) -> CheckedJudgement:
    """Take a judgement only where it makes sense: fractions, and of memories that the writer was shown."""
    if not _fraction(found.alignment):
        return CheckedJudgement(reason=f"{memory.id}: its alignment is no fraction")
    said = [*found.contradicts.items(), *found.replaces.items(), *found.repeats.items()]
    wrong = [name for name, sure in said if name not in seqs or not _fraction(sure)]
    if wrong:
        return CheckedJudgement(
            reason=f"{memory.id}: contradictions of {len(wrong)} make no sense: it was not shown them"
        )
    try:
        check_tags(found.tags)
    except InvalidInput:
        return CheckedJudgement(
            reason=f"{memory.id}: its tags make no sense: one is empty or too long, or they are too many"
        )
    odds = [*found.contradicts.items(), *found.replaces.items()]
    sure = {seqs[name]: round(sure, 6) for name, sure in odds if sure >= CONTRADICTS_MIN}
    replaces = tuple(seqs[name] for name, sure in found.replaces.items() if sure >= CONTRADICTS_MIN)
    same = tuple(seqs[name] for name, sure in found.repeats.items() if sure >= CONTRADICTS_MIN)
    repeats = tuple(seq for seq in same if seq not in sure)
    new = sorted({*found.tags} - {*memory.tags})
    proposed = tuple(tag for tag in new if tag == REJECTED_PATH or says_who([tag], system=False))
    room = len(memory.tags) + len(new) <= TAGS_MAX
    tags = tuple(tag for tag in new if room and tag not in proposed)
    align, against = round(found.alignment, 6), tuple(sure.items())
    return CheckedJudgement(align, against, replaces, repeats, tags=tags, proposed=proposed)


def _cost(tokens_used: object) -> int:
    """Return what an answer cost; what is no such number costs nothing that could be counted."""
    return tokens_used if type(tokens_used) is int and 0 <= tokens_used < TOKENS_MOST else 0


def _fraction(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and 0 <= value <= 1
    )
