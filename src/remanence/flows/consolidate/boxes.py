"""Boxes and traces as they are shown: what a box is about, its turns that nobody forgot, and what a trace joins.

Reads only. What a box is about is told by the turns that are shown, so that no word of a forgotten one is shown.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from remanence.core.arguments import check_count, check_name
from remanence.core.box import SHOWN, BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.errors import NotFound
from remanence.core.model import Memory, OneMemory, Relation
from remanence.core.results import MaybeTime, Result, Time, minute_of, number, visible
from remanence.core.signatures import checked_class
from remanence.flows.base.context import Core
from remanence.text.analysis import readings, stems, term_hash
from remanence.write.box_cuts import GOAL_CHARS_MAX

LIST_MAX = 1_000
TOPICS_SHOWN = 8
BOXES_MAX = 1_000  # of one trace that are shown, the latest
LOOK_UP = 10_000  # boxes of a session among which the one of a memory is looked for


@dataclass(frozen=True, slots=True, repr=False)
class Box(Result):
    """Turns of a session about one matter: `number` is its name, `session` "" for turns of none.

    `goal` is the beginning of the first turn of a user, `outcome` (success, failure, partial, unknown) how the last
    turns say that it ended, `reason` (full, topic_shift, time_gap, forced) why it was sealed; both None while it is
    open. `turns` are those that were not forgotten, `trace` is the trace that it joined.
    """

    number: int
    session: str
    topics: tuple[str, ...]
    goal: str | None
    outcome: str | None
    opened_at: int
    last_at: int
    sealed_at: int | None
    reason: str | None
    trace: int | None
    turns: tuple[Memory, ...]
    whole: bool = False  # whether `str` shows the turns

    HIDDEN = frozenset({"whole"})

    opened_time = Time("opened_at")
    last_time = Time("last_at")
    sealed_time = MaybeTime("sealed_at")

    @property
    def is_open(self) -> bool:
        """Whether further turns may come into it."""
        return self.sealed_at is None

    def __str__(self) -> str:
        of = f" of session {self.session}" if self.session else ""
        ending = "open" if self.is_open else f"{self.reason}, {self.outcome}"
        trace = "" if self.trace is None else f"; trace {self.trace}"
        about = f": {', '.join(self.topics)}" if self.topics else ""
        goal = f" – {self.goal}" if self.goal else ""
        turns = number(len(self.turns), "turn", "turns")
        when = minute_of(self.opened_at)
        head = f"box {self.number}{of}, {when}, {turns} ({ending}{trace}){about}{goal}"
        return "\n".join([visible(head), *(f"  {turn}" for turn in self.turns if self.whole)])


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Result):
    """Boxes about the same matter, in whatever sessions, the oldest first."""

    number: int
    topics: tuple[str, ...]
    began_at: int
    last_at: int
    boxes: tuple[Box, ...]

    began_time = Time("began_at")
    last_time = Time("last_at")

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions that it goes through, in order."""
        return tuple(dict.fromkeys(box.session for box in self.boxes))

    def __str__(self) -> str:
        boxes = number(len(self.boxes), "box", "boxes")
        sessions = number(len(self.sessions), "session", "sessions")
        about = f": {', '.join(self.topics)}" if self.topics else ""
        times = f"{minute_of(self.began_at)} to {minute_of(self.last_at)}"
        head = visible(f"trace {self.number}, {times}, {boxes} in {sessions}{about}")
        return "\n".join([head, *(f"  {line}" for box in self.boxes for line in str(box).splitlines())])


@checked_class
class Boxes:
    """Stretches of sessions about one matter each: `memory.boxes`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def get(self, number: int) -> Box:
        """Show one box with its turns.

        Raises NotFound where there is none of that number.
        """
        rows = await self._core.store.boxes(self._core.scope, FindBoxes(only=(number,)))
        if not rows:
            raise NotFound(f"no box {number}", recovery="list boxes with `boxes.list`")
        (box,) = await build_boxes(self._core, rows)
        return replace(box, whole=True)

    async def list(
        self,
        *,
        session: str | None = None,
        of: OneMemory | None = None,
        open_only: bool = False,
        limit: int = 20,
    ) -> list[Box]:
        """List the boxes of turns: stretches of a session about one matter, those of the latest turns first.

        With `session` those of one session, "" for turns of none; with `of` those that a turn is in, or a fact's turns.
        """
        check_count("limit", limit, 1, LIST_MAX)
        if session:
            check_name("a session", session)
        find = FindBoxes(session=session, is_open=True if open_only else None, limit=limit)
        if of is not None:
            return await build_boxes(self._core, (await _rows_around(self._core, of, find))[:limit])
        return await build_boxes(self._core, await self._core.store.boxes(self._core.scope, find))


async def _rows_around(core: Core, memory: OneMemory, find: FindBoxes) -> list[BoxRow]:
    """Return the rows of the boxes that a turn is in, or those of a fact's turns."""
    one = await core.one(memory)
    links = await core.store.neighbours(core.scope, [one.seq], Relation.LEARNED_FROM)
    seqs = [one.seq, *(link.target for link in links if link.source == one.seq)]
    turns = await core.store.get(core.scope, seqs)
    sessions = {turn.session or "" for turn in turns if turn is not None}
    return [
        row
        for session in sorted(sessions)
        if find.session in (None, session)
        for row in await core.store.boxes(core.scope, replace(find, session=session, limit=LOOK_UP))
        if not {*seqs}.isdisjoint(row.members)
    ]


@checked_class
class Traces:
    """Boxes about the same matter across sessions: `memory.traces`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def get(self, number: int) -> Trace:
        """Show one trace with its boxes and their turns.

        Raises NotFound where there is none of that number.
        """
        rows = await self._core.store.traces(self._core.scope, FindTraces(only=(number,)))
        trace = await _trace(self._core, rows[0], 0) if rows else None
        if trace is None:
            raise NotFound(f"no trace {number}", recovery="list traces with `traces.list`")
        return trace

    async def list(self, *, boxes_min: int = 1, limit: int = 20) -> list[Trace]:
        """List the traces: boxes about the same matter across sessions, those of the latest turns first.

        With `boxes_min` only those that join so many boxes.
        """
        check_count("limit", limit, 1, LIST_MAX)
        check_count("boxes_min", boxes_min, 1, BOXES_MAX)
        rows = await self._core.store.traces(self._core.scope, FindTraces(limit=LIST_MAX))
        traces: list[Trace] = []
        for row in rows:
            trace = await _trace(self._core, row, boxes_min)
            if trace is not None:
                traces.append(trace)
            if len(traces) == limit:
                break
        return traces


async def _trace(core: Core, row: TraceRow, boxes_min: int) -> Trace | None:
    """Show a trace, if it joins so many boxes."""
    rows = await core.store.boxes(core.scope, FindBoxes(trace=row.trace, limit=BOXES_MAX))
    if len(rows) < boxes_min:
        return None
    boxes = (await build_boxes(core, rows))[::-1]
    turns = [turn for box in boxes for turn in box.turns]
    return Trace(row.trace, _topics(row.topics, turns), row.began_at, row.last_at, tuple(boxes))


async def build_boxes(core: Core, rows: Sequence[BoxRow]) -> list[Box]:
    """Return boxes with their turns but for those that were forgotten."""
    seqs = sorted({seq for row in rows for seq in row.members})
    memories = await core.store.get(core.scope, seqs) if seqs else []
    turns = {one.seq: one for one in memories if one is not None and one.status in SHOWN}
    return [build_box(row, [turns[seq] for seq in row.members if seq in turns]) for row in rows]


def build_box(row: BoxRow, turns: Sequence[Memory]) -> Box:
    """Return a box as its turns tell it that are to be shown."""
    goal = next((turn.text for turn in turns if turn.seq == row.goal), None)
    return Box(
        number=row.box,
        session=row.session,
        topics=_topics(row.topics, turns),
        goal=None if goal is None else _shorten_goal(goal),
        outcome=None if row.outcome is None else row.outcome.label,
        opened_at=row.opened_at,
        last_at=row.last_at,
        sealed_at=row.sealed_at,
        reason=None if row.reason is None else row.reason.label,
        trace=row.trace,
        turns=tuple(turns),
    )


def _topics(kept: Mapping[str, int], turns: Sequence[Memory]) -> tuple[str, ...]:
    """Return the weightiest topics that turns have words for, the weightiest first, each as the turns say it most."""
    counts = Counter(pair for turn in turns for read in readings(turn.text) for pair in read.content)
    words = {f"{term_hash(stem):x}": stem for turn in turns for stem in stems(turn.text)}
    words |= {f"{term_hash(stem):x}": word for (word, stem), _ in reversed(counts.most_common())}
    by_weight = sorted((-weight, words[topic]) for topic, weight in kept.items() if topic in words)
    return tuple(word for _, word in by_weight[:TOPICS_SHOWN])


def _shorten_goal(text: str) -> str:
    """Return a turn's first characters on one line."""
    line = " ".join(text.split())
    return line if len(line) <= GOAL_CHARS_MAX else f"{line[: GOAL_CHARS_MAX - 1]}…"
