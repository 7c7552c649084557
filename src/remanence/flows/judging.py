"""A writer's opinion of texts that leave the inbox: asked for before anything is decided, checked like any proposal.

What cannot be had or makes no sense is left out with its reason; it never keeps a memory in the inbox.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from remanence.errors import WriterError
from remanence.flows.core import Core
from remanence.flows.framing import Look, frame
from remanence.llm.base import Judgement, Writer
from remanence.model import Memory

TIMEOUT_S = 30.0
CONTRADICTS_MIN = 0.80  # from here on a contradiction is taken for one (elfmem)


@dataclass(frozen=True, slots=True)
class Judged:
    """A checked judgement; `alignment` is None and `reason` says why where there is none."""

    alignment: float | None = None
    contradicts: tuple[tuple[int, float], ...] = ()  # (seq, how sure)
    reason: str = ""


async def judge(
    core: Core, writer: Writer, memories: Sequence[Memory], similar: Sequence[Sequence[Memory]]
) -> list[Judged]:
    """Ask the writer about some memories at once, each in the light of who the agent is and of its like."""
    who = (await frame(core, Look("self", count_use=False))).text
    asked = [_judge(writer, memory, who, others) for memory, others in zip(memories, similar, strict=True)]
    return list(await asyncio.gather(*asked))


async def _judge(writer: Writer, memory: Memory, who: str, others: Sequence[Memory]) -> Judged:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            found = await writer.judge(memory.text, who, {other.id: other.text for other in others})
    except TimeoutError:
        return Judged(reason=f"{memory.id}: no judgement within {TIMEOUT_S:g} s")
    except WriterError as error:
        return Judged(reason=f"{memory.id}: {error}")
    return _checked(memory, found, {other.id: other.seq for other in others})


def _checked(memory: Memory, found: Judgement, seqs: Mapping[str, int]) -> Judged:
    """Take a judgement only where it makes sense: fractions, and of memories that the writer was shown."""
    if not _fraction(found.alignment):
        return Judged(reason=f"{memory.id}: an alignment of {found.alignment!r} is none")
    wrong = [name for name, sure in found.contradicts.items() if name not in seqs or not _fraction(sure)]
    if wrong:
        return Judged(reason=f"{memory.id}: contradictions of {wrong[:3]} make no sense")
    sure = tuple(
        (seqs[name], round(sure, 6)) for name, sure in found.contradicts.items() if sure >= CONTRADICTS_MIN
    )
    return Judged(round(found.alignment, 6), sure)


def _fraction(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and 0 <= value <= 1
    )
