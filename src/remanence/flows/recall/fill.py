"""Memories are fetched in an order and laid into a budget: as many as fit, a line of data each, the rest accounted for.

Knows sizes and texts; must not know why the order is as it is.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np

from remanence.core.model import DroppedMemory, Form, Link, Memory, Relation
from remanence.core.results import SAID_ALREADY
from remanence.core.snapshot import Ints
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.recall.answer_rows import ReadPast, read_ranked_rows
from remanence.flows.recall.current_only import MarkedMemories, mark_newer, mark_outdated
from remanence.flows.recall.frame_inputs import PAGE, collect_fact_turn_pairs, says_it
from remanence.flows.recall.memory_lines import LINE_LEAST, extract_passage, render, render_contradiction
from remanence.recall.fit import LINE_TOKENS, FactTurnPairs
from remanence.recall.frames import BUDGET_MAX, Filling
from remanence.text.tokens import token_counts

DROPPED_SHOWN = 100
COUNTED = 16  # lines whose tokens are counted together
# Once enough is known by name, what is surely too long is passed over unseen: by the engine's own count what takes more
# than stored beside its brackets, by another's what has twice as many stored tokens as there is room.
STORED_PER_TOKEN_MOST = 2


@dataclass(frozen=True, eq=False, slots=True)
class Queue:
    """Who wants room: sequence numbers in order with their stored tokens.

    The first `sure` are bound by the budget alone, the first `free` take no place of the limit and leave `reserve`
    tokens to others. `above` maps a memory to those that contradict it and are stronger, `asked` are the stems of
    the question. `links` are all of theirs, None where nobody has looked; `read` are those that were just read, all
    or none. `read_past` reads them as they were at an instant.
    """

    seq: Ints
    tokens: Ints
    sure: int = 0
    free: int = 0
    reserve: int = 0
    above: Mapping[int, Collection[int]] = field(default_factory=dict)
    asked: AbstractSet[str] = frozenset()
    links: Sequence[Link] | None = None
    read: Sequence[Memory] = ()
    read_past: ReadPast | None = None


@dataclass(slots=True)
class FrameContent:
    """What got room, in the order it did, and the first of what did not.

    `passages` are what is shown of those that did not fit whole; `missing` counts those without room that should stand
    before all others, `noted` says that there is room to say so. `also` names what has no place of its own, since what
    got room says it; `lines` are those of what is shown whole, without what contradicts it; `below` maps what holds no
    more to what does instead.
    """

    kept: dict[int, Memory] = field(default_factory=dict)
    lines: dict[int, str] = field(default_factory=dict)
    passages: dict[int, str] = field(default_factory=dict)
    dropped: list[DroppedMemory] = field(default_factory=list)
    missing: int = 0
    noted: bool = False
    also: dict[int, list[str]] = field(default_factory=dict)
    below: dict[int, set[int]] = field(default_factory=dict)

    @property
    def shows_enough(self) -> bool:
        """Whether as many dropped memories are known by name as are shown."""
        return len(self.dropped) >= DROPPED_SHOWN


def describe_missing(number: int) -> str:
    """Say how many got no room that should stand before all others."""
    return f"no room for {number:,} that should stand here first"


async def fill(core: Core, queue: Queue, room: Filling) -> FrameContent:
    """Give out the room; what surely finds none is fetched only as far as it is shown."""
    content = FrameContent()
    offers = _Offers(core, content, room, queue)
    least = core.counts([LINE_LEAST])[0]
    longest = BUDGET_MAX  # of a page of which nothing fitted only what is shorter than all of it is tried
    for start in range(0, len(queue.seq), PAGE):
        full = room.reason(least, sure=start < queue.sure)
        if full and content.shows_enough:
            room.pass_over(full, len(queue.seq) - start)
            break
        seqs, tokens = queue.seq[start : start + PAGE], queue.tokens[start : start + PAGE]
        if content.shows_enough:
            # The most stored tokens of a memory that may fit into the room that is left.
            left = room.tokens * STORED_PER_TOKEN_MOST
            if core.counts is token_counts:
                left = room.tokens - LINE_TOKENS
            fits = tokens <= min(longest, left)
            room.pass_over("budget", int(np.count_nonzero(~fits)))
            seqs, tokens = seqs[fits], tokens[fits]
            if not len(seqs):
                continue
        marks, links = await _read_page(core, queue, seqs.tolist())
        page = [memory for memory in marks.memories if memory is not None]
        content.below |= marks.below
        before = len(content.kept)
        offers.note_told(collect_fact_turn_pairs(links).without(marks.edited_seqs))
        await run_off_loop(sum(len(memory.text) for memory in page), offers.offer_all, page)
        if len(content.kept) == before and start > queue.sure:
            longest = min(longest, int(tokens.min()) - 1)
    return content


async def _read_page(core: Core, queue: Queue, seqs: list[int]) -> tuple[MarkedMemories, Sequence[Link]]:
    """Return some memories of the queue with what of them holds no more, and their links."""
    if queue.read_past is not None:
        ranked = await read_ranked_rows(core, seqs, None, queue.read_past)
        return ranked.marks, ranked.links
    marks, links = await mark_outdated(core, await _get_memories(core, queue, seqs)), queue.links
    if links is None:
        links = await core.store.neighbours(core.scope, seqs, Relation.LEARNED_FROM, Relation.NEWER)
    return await mark_newer(core, marks, links, raises=True), links


async def _get_memories(core: Core, queue: Queue, seqs: Sequence[int]) -> Sequence[Memory | None]:
    """Return some memories of the queue, in order."""
    if not queue.read:
        return await core.store.get(core.scope, seqs)
    by_seq = {one.seq: one for one in queue.read}
    return [by_seq.get(seq) for seq in seqs]


class _Offers:
    """Memories are offered room one by one; what stands first is cut where it must be, or said to be missing."""

    def __init__(self, core: Core, filled: FrameContent, room: Filling, queue: Queue) -> None:
        self.core, self.filled, self.room, self.queue = core, filled, room, queue
        # One more than the sure: the best of all others is not passed over silently either.
        self.first = queue.seq[: queue.sure + 1].tolist()
        self.free = frozenset(self.first[: queue.free])
        self.same: dict[int, list[int]] = {}
        self.note = core.counts([describe_missing(len(self.first))])[0]

    def note_told(self, told: FactTurnPairs) -> None:
        """Learn which facts and turns say the same."""
        self.same |= {seq: told.with_(seq) for seq in told.turns.keys() | told.facts.keys()}

    def offer_all(self, memories: Sequence[Memory]) -> None:
        """Offer room to some memories in order; how long a line is matters only while there may be room for it."""
        sure = frozenset(self.first[: self.queue.sure])
        for start in range(0, len(memories), COUNTED):
            some = memories[start : start + COUNTED]
            if self.room.reason(0) == "limit" and sure.isdisjoint([memory.seq for memory in some]):
                lines, sizes = [""] * len(some), [0] * len(some)
            else:
                lines = [render(memory, scarce=True) for memory in some]
                sizes = self.core.counts(lines)
            for memory, line, size in zip(some, lines, sizes, strict=True):
                self._offer_room(memory, line, size, sure=memory.seq in sure)

    def _offer_room(self, memory: Memory, line: str, size: int, *, sure: bool) -> None:
        """Offer room to one memory, whose line takes so many tokens."""
        memories, beside = self.filled.kept, self.same.get(memory.seq, ())
        standing = next((seq for seq in beside if seq in memories and says_it(memories[seq], memory)), None)
        if standing is not None:
            # A fact has no second place beside its turn, nor a turn beside its fact.
            self.filled.also.setdefault(standing, []).append(memory.id)
            self._pass_over(memory, SAID_ALREADY)
            return
        tokens = size + self._measure_marks(memory)
        reason = self.room.reason(tokens + self._measure_spare(memory), sure=sure)
        if not reason:
            self._keep_memory(memory, tokens)
            self.filled.lines[memory.seq] = line
        elif reason == "budget" and memory.seq in self.first:
            self._cut(memory)
        else:
            self._pass_over(memory, reason)

    def _measure_spare(self, memory: Memory) -> int:
        """Return what must be left: to others, and to say that some are missing who stand first and are to come."""
        waits = memory.seq in self.first[:-1] and not self.filled.noted
        return self.note * waits + self.queue.reserve * (memory.seq in self.free)

    def _keep_memory(self, memory: Memory, tokens: int) -> None:
        self.room.keep(tokens, places=0 if memory.seq in self.free else 1)
        self.filled.kept[memory.seq] = memory

    def _cut(self, memory: Memory) -> None:
        """Show a passage, in half of the room where others want some, or count it as missing."""
        others_wait = min(len(self.queue.seq), max(self.queue.sure, self.room.limit)) > 1
        marks = self._measure_marks(memory)
        budget = self.room.tokens - marks - self._measure_spare(memory)
        rooms = [budget // 2, budget] if others_wait else [budget]
        passage = extract_passage(self.core, memory, rooms, self.queue.asked, is_alone=not self.filled.kept)
        if passage is not None:
            self._keep_memory(memory, self.core.counts([render(memory, part=passage)])[0] + marks)
            self.filled.passages[memory.seq] = passage
            return
        self.filled.missing += 1
        if not self.filled.noted and self.note <= self.room.tokens:
            self.room.tokens -= self.note
            self.filled.noted = True
        self._pass_over(memory, "budget")

    def _pass_over(self, memory: Memory, reason: str) -> None:
        self.room.pass_over(reason)
        if not self.filled.shows_enough:
            tokens = memory.tokens if memory.form is Form.FULL else memory.short_tokens
            self.filled.dropped.append(DroppedMemory(memory.id, reason, tokens, memory.seq))

    def _measure_marks(self, memory: Memory) -> int:
        """Return what it costs to say which contradictions there are between a memory and those kept."""
        above, memories = self.queue.above, self.filled.kept
        if not above:
            return 0
        over = [memories[other] for other in above.get(memory.seq, ()) if other in memories]
        under = sum(memory.seq in above.get(other, ()) for other in memories)
        return sum(
            self.core.counts([*map(render_contradiction, over), *[render_contradiction(memory)] * under])
        )
