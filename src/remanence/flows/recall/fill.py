"""Memories are fetched in an order and laid into a budget: as many as fit, a line of data each, the rest accounted for.

Knows sizes and texts; must not know why the order is as it is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from remanence.flows.core import Core, aside
from remanence.flows.recall.recalling import LINE_CHARS_MIN, contradicted, render
from remanence.model import Dropped, Memory
from remanence.recall.frames import Filling
from remanence.snapshot import Ints
from remanence.text import CHARS_PER_TOKEN

PAGE = 128
DROPPED_SHOWN = 100


@dataclass(frozen=True, eq=False, slots=True)
class Queue:
    """Who wants room: sequence numbers in order with their tokens; the first `sure` are bound by the budget alone.

    `above` maps a memory to those that contradict it and are stronger.
    """

    seq: Ints
    tokens: Ints
    sure: int = 0
    above: Mapping[int, Collection[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filled:
    """What got room, in the order it did, and the first of what did not."""

    kept: dict[int, Memory] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)

    @property
    def shows_enough(self) -> bool:
        """Whether as many dropped memories are known by name as are shown."""
        return len(self.dropped) >= DROPPED_SHOWN


async def fill(core: Core, queue: Queue, room: Filling) -> Filled:
    """Give out the room; what surely finds none is fetched only as far as it is shown."""
    filled = Filled()
    for start in range(0, len(queue.seq), PAGE):
        full = room.reason(LINE_CHARS_MIN, sure=start < queue.sure)
        if full and filled.shows_enough:
            room.pass_over(full, len(queue.seq) - start)
            break
        seqs = queue.seq[start : start + PAGE]
        sure = set(seqs[: max(0, queue.sure - start)].tolist())
        if filled.shows_enough:
            # Blanks in a row may make a text shorter than its tokens say; then it is passed over all the same.
            least = (queue.tokens[start : start + PAGE] - 1) * CHARS_PER_TOKEN + LINE_CHARS_MIN
            seqs = seqs[least <= room.chars]
            room.pass_over("budget", int((least > room.chars).sum()))
        page = [memory for memory in await core.store.get(core.scope, seqs.tolist()) if memory is not None]
        await aside(sum(len(memory.text) for memory in page), _offer_all, filled, room, queue, page, sure)
    return filled


def _offer_all(
    filled: Filled, room: Filling, queue: Queue, memories: Sequence[Memory], sure: Collection[int]
) -> None:
    for memory in memories:
        _offer(filled, room, queue, memory, sure=memory.seq in sure)


def _offer(filled: Filled, room: Filling, queue: Queue, memory: Memory, *, sure: bool) -> None:
    chars = len(render(memory)) + 1 + _marks_chars(filled, queue, memory)
    reason = room.reason(chars, sure=sure)
    if not reason:
        room.keep(chars)
        filled.kept[memory.seq] = memory
        return
    room.pass_over(reason)
    if not filled.shows_enough:
        filled.dropped.append(Dropped(memory.id, reason, memory.tokens))


def _marks_chars(filled: Filled, queue: Queue, memory: Memory) -> int:
    """Return what it costs to say which contradictions there are between a memory and those kept."""
    if not queue.above:
        return 0
    over = [filled.kept[other] for other in queue.above.get(memory.seq, ()) if other in filled.kept]
    under = sum(memory.seq in queue.above.get(other, ()) for other in filled.kept)
    return sum(len(contradicted(other)) for other in over) + under * len(contradicted(memory))
