"""Boxes and traces: turns are put into boxes, which are sealed where another matter begins; how both are shown.

Decides in the commit of what was extracted, and when a session ends. A box has no name: its times and turns are shown,
and no word of a forgotten one.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, overload

from remanence.core.arguments import check_count, check_name
from remanence.core.box import SHOWN, BoxOutcome, BoxRow, FindBoxes, FindTraces, SealReason, TraceRow
from remanence.core.change import Change, Fence
from remanence.core.clock import MINUTE
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.keywords import SourceName
from remanence.core.model import Lifecycle, Memory, OneMemory, Relation, Role
from remanence.core.receipt import AutomaticRun
from remanence.core.results import MaybeTime, Result, Time, minute_of, number, visible
from remanence.core.signatures import checked_class
from remanence.edit.box_changes import BOXED, make_column_changes
from remanence.flows.base import settings
from remanence.flows.base.context import Core, hold_lease, retry_conflicts
from remanence.flows.base.steps import Settling
from remanence.recall.semantic import word_weight
from remanence.store.base import Arriving
from remanence.store.capabilities import BOXES, can, require
from remanence.text.analysis import stems, term_hash
from remanence.write import box_cuts
from remanence.write.box_cuts import GOAL_CHARS_MAX, BoxTurn, Limits, Piece
from remanence.write.engine_actions import UNSAID, Actions, Eligibility
from remanence.write.turns import lease_name

LEASE = MINUTE
SEAL_TRIES = 50
QUIET_MAX = 100  # open boxes that are looked at together; what is beyond waits for the next time
LATE_BOXES = 100  # the last boxes of a session, in which a turn may be already
TRACES_MAX = 1_000  # within reach of a box; of more the latest are looked at
ENABLED = "boxes"  # the setting: 0 makes no boxes, and so no traces
LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class BoxChanges:
    """What the turns of a batch change in boxes and traces, and which turns are in the boxes that are made."""

    changes: list[Change] = field(default_factory=list)
    made: dict[str, list[int]] = field(default_factory=dict)
    sealed: Mapping[str, int] = field(default_factory=dict)  # by why, and traces that begin

    def record(self, actions: Actions, source: SourceName) -> None:
        """Count as artifacts what is made of turns beside them: boxes that are sealed, and traces that begin."""
        eligibility = Eligibility(UNSAID, Lifecycle.CANDIDATE, UNSAID, source)
        for what, count in self.sealed.items():
            actions.record("create_artifact", eligibility, reason=what, times=count)

    @property
    def detail(self) -> dict[str, Any]:
        """What the audit is told, so that undo knows which turns to take out again."""
        return {BOXED: self.made} if self.made else {}


async def decide_boxes(
    core: Core, session: str, turns: Sequence[Memory], ended: SealReason | None = None
) -> BoxChanges:
    """Decide into which boxes turns of a session go, and which are sealed by them, or because no more will come."""
    if not can(core.store, BOXES) or not await settings.number(core, ENABLED):
        return BoxChanges()
    late = await core.store.boxes(core.scope, FindBoxes(session=session, limit=LATE_BOXES))
    box_seqs = {seq for box in late for seq in box.members}
    fresh = [turn for turn in turns if turn.seq not in box_seqs and turn.status in SHOWN]
    box = next((one for one in late if one.sealed_at is None), None)
    if not fresh and (box is None or ended is None):
        return BoxChanges()
    members = await core.store.get(core.scope, list(box.members)) if box is not None else []
    earlier = [one for one in members if one is not None and one.status in SHOWN]
    memories = {one.seq: one for one in sorted([*earlier, *fresh], key=lambda one: one.seq)}
    topic_turns = await box_turns(core, list(memories.values()))
    pieces = await asyncio.to_thread(box_cuts.cut, topic_turns, LIMITS, ended) if topic_turns else []
    since = min((turn.at for turn in topic_turns), default=0) - LIMITS.reach
    traces = await core.store.traces(core.scope, FindTraces(since=since, limit=TRACES_MAX))
    placement = _BoxPlacement(core.clock.now(), session, memories, traces)
    missing = () if box is None else tuple(seq for seq in box.members if seq not in memories)
    for index, piece in enumerate(pieces):
        placement.put(piece, box if not index else None, missing if not index else ())
    if box is not None and not pieces and ended is not None:  # all its turns were forgotten
        placement.sealed_empty(box, ended)
    changes = placement.changes()
    return BoxChanges(changes, placement.made, _count_sealed(changes))


def _count_sealed(changes: Sequence[Change]) -> Mapping[str, int]:
    """Count the boxes that changes seal, by why, and the traces that begin."""
    counts: Counter[str] = Counter()
    for change in changes:
        reason = (change.after or {}).get("reason") if change.table == "boxes" else None
        if reason is not None:
            counts[f"a box is sealed: {SealReason(reason).label}"] += 1
        elif change.table == "traces" and change.before is None:
            counts["a trace begins"] += 1
    return counts


async def box_turns(core: Core, memories: Sequence[Memory]) -> list[BoxTurn]:
    """Return turns as boxes see them; their words weigh by how rare they are in the scope."""
    names = {stem for one in memories if one.speaker for stem in stems(one.speaker)}
    terms = await asyncio.to_thread(
        lambda: sorted({term_hash(s) for one in memories for s in stems(one.text)})
    )
    context = await core.store.arriving(core.scope, Arriving(terms=terms))
    vectors: dict[int, Any] = {}
    if core.embedding is None:  # while memories are embedded again, vectors of two embedders lie side by side
        seqs, rows = await core.store.vectors(core.scope, only=[one.seq for one in memories])
        vectors = dict(zip(seqs.tolist(), rows, strict=True))
    weight = word_weight(context.memories, context.df)

    def read() -> list[BoxTurn]:
        return [
            box_cuts.turn_of((one.seq, one.said_at, one.text), vectors.get(one.seq), weight, names)
            for one in memories
        ]

    return await asyncio.to_thread(read)


@dataclass
class _BoxPlacement:
    """Boxes and traces as the pieces of some turns make them."""

    now: int
    session: str
    memories: Mapping[int, Memory]
    traces: list[TraceRow]
    made: dict[str, list[int]] = field(default_factory=dict)
    _changes: list[Change] = field(default_factory=list)
    _held: dict[int, TraceRow] = field(default_factory=dict)  # traces as they stand in the store
    _new: set[int] = field(default_factory=set)  # traces that begin here

    def put(self, piece: Piece, box: BoxRow | None, gone: Sequence[int]) -> None:
        """Make a box of a piece, or let an open box be one; `gone` are turns of it that nobody sees any more."""
        turns = [self.memories[turn.seq] for turn in piece.turns]
        members = sorted([*gone, *(turn.seq for turn in turns)])
        topics = box_cuts.kept_topics(piece.turns)
        times = [turn.said_at for turn in turns]
        began, last = min(times), max(times)
        values: dict[str, Any] = {
            "session": self.session,
            "topics": topics,
            "members": members,
            "goal": next((turn.seq for turn in turns if turn.role is Role.USER), None),
            "opened_at": began,
            "last_at": last,
        }
        number = turns[0].seq if box is None else box.box
        if piece.reason is not None:
            values |= {"reason": piece.reason, "sealed_at": self.now}
            values["outcome"] = box_cuts.outcome_of([turn.text for turn in turns])
            values["trace"] = self._join_trace(number, topics, (began, last))
        if box is None:
            self.made[str(number)] = members
            self._changes.append(Change("boxes", number, None, values))
        else:
            self._changes += make_column_changes(
                "boxes", number, {name: box.values[name] for name in values}, values
            )

    def sealed_empty(self, box: BoxRow, ended: SealReason) -> None:
        """Seal a box of which all turns were forgotten; it joins no trace."""
        after = {"sealed_at": self.now, "reason": ended, "outcome": BoxOutcome.UNKNOWN}
        self._changes += make_column_changes(
            "boxes", box.box, {name: box.values[name] for name in after}, after
        )

    def _join_trace(self, number: int, topics: Mapping[str, int], at: tuple[int, int]) -> int | None:
        """Let a sealed box join the most alike trace, or begin one; return which."""
        if not topics:
            return None
        trace = box_cuts.trace_of(topics, at, self.traces, LIMITS)
        if trace is None:
            self._new.add(number)
            self.traces.append(TraceRow(number, topics, *at))
            return number
        self.traces.remove(trace)
        if trace.trace not in self._new:
            self._held.setdefault(trace.trace, trace)
        began, last = min(trace.began_at, at[0]), max(trace.last_at, at[1])
        self.traces.append(TraceRow(trace.trace, box_cuts.merge_topics(trace.topics, topics), began, last))
        return trace.trace

    def changes(self) -> list[Change]:
        """Return all changes, of boxes and of traces as they come to stand."""
        standing = {one.trace: one for one in self.traces}
        new_traces = [Change("traces", number, None, standing[number].values) for number in sorted(self._new)]
        trace_updates = [
            change
            for number, old in sorted(self._held.items())
            for change in make_column_changes("traces", number, old.values, standing[number].values)
        ]
        return [*self._changes, *new_traces, *trace_updates]


async def seal(
    core: Core, session: str, why: SealReason = SealReason.FORCED, tries: int = SEAL_TRIES
) -> AutomaticRun | None:
    """Seal the open box of a session that has ended; where another process is at it, that one goes on."""
    if not await core.store.boxes(core.scope, FindBoxes(session=session, is_open=True, limit=1)):
        return None
    async with hold_lease(core, lease_name(session), LEASE, tries=tries) as fence:
        return None if fence is None else await _seal_open_box(core, session, why, fence)


@retry_conflicts
async def _seal_open_box(core: Core, session: str, why: SealReason, fence: Fence) -> AutomaticRun | None:
    decision = await decide_boxes(core, session, (), why)
    if not decision.changes:
        return None
    actions = Actions()
    decision.record(actions, "consolidation")
    detail = {"session": session, **decision.detail, **actions.detail()}
    cause = core.cause("box", detail=detail, fence=fence)
    await core.commit(decision.changes, cause)
    box_count = sum(change.table == "boxes" for change in decision.changes)
    return AutomaticRun(core.clock.now(), "done", cause.run, {"boxes": box_count})


async def quiet_boxes(settled: Settling) -> Mapping[str, int]:
    """Seal the open boxes, the oldest of the latest ones first, to which nobody has added for as long as seals one."""
    core = settled.core
    now, box_count = core.clock.now(), 0
    rows = await core.store.boxes(core.scope, FindBoxes(is_open=True, limit=QUIET_MAX))
    lasts = await core.store.get(core.scope, [max(row.members) for row in rows]) if rows else []
    for row, last in reversed(list(zip(rows, lasts, strict=True))):
        if last is None or now - last.learned_at >= LIMITS.gap:
            box_count += await seal(core, row.session, SealReason.TIME_GAP, tries=1) is not None
    return {"boxes_sealed": box_count}


LIST_MAX = 1_000
BOXES_MAX = 1_000  # of one trace that are shown, the latest


@dataclass(frozen=True, slots=True, repr=False)
class ConversationSegment(Result):
    """Turns of a session about one matter: `number` is its name, `session` "" for turns of no session.

    `goal` is the beginning of the first turn of a user. `outcome` (success, failure, partial, unknown) is the end that
    the last turns tell of, and `reason` (full, topic_shift, time_gap, forced) is why it was sealed; both are None while
    it is open. `turns` are those that were not deleted, `thread` is the number of the thread that it joined.
    """

    number: int
    session: str
    goal: str | None
    outcome: str | None
    opened_at: int
    last_at: int
    sealed_at: int | None
    reason: str | None
    thread: int | None
    turns: tuple[Memory, ...]
    whole: bool = False  # whether `str` shows the turns

    HIDDEN = frozenset({"whole"})

    opened_time = Time("opened_at")
    last_time = Time("last_at")
    sealed_time = MaybeTime("sealed_at")

    @property
    def said_offset(self) -> int:
        """How many seconds east of UTC the clocks stood where its first turn was said."""
        return self.turns[0].said_offset if self.turns else 0

    @property
    def is_open(self) -> bool:
        """Return True if further turns may be added to it."""
        return self.sealed_at is None

    def __str__(self) -> str:
        of = f" of session {self.session}" if self.session else ""
        ending = "open" if self.is_open else f"{self.reason}, {self.outcome}"
        thread = "" if self.thread is None else f"; thread {self.thread}"
        goal = f" – {self.goal}" if self.goal else ""
        turns = number(len(self.turns), "turn", "turns")
        when = f"{minute_of(self.opened_at)} to {minute_of(self.last_at)}"
        head = f"segment {self.number}{of}, {when}, {turns} ({ending}{thread}){goal}"
        return "\n".join([visible(head), *(f"  {turn}" for turn in self.turns if self.whole)])


@dataclass(frozen=True, slots=True, repr=False)
class ConversationThread(Result):
    """Segments about the same matter, in whatever sessions, the oldest first."""

    number: int
    began_at: int
    last_at: int
    segments: tuple[ConversationSegment, ...]

    began_time = Time("began_at")
    last_time = Time("last_at")

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions of its segments, in order."""
        return tuple(dict.fromkeys(segment.session for segment in self.segments))

    def __str__(self) -> str:
        segments = number(len(self.segments), "segment", "segments")
        sessions = number(len(self.sessions), "session", "sessions")
        times = f"{minute_of(self.began_at)} to {minute_of(self.last_at)}"
        lines = [visible(f"thread {self.number}, {times}, {segments} in {sessions}")]
        lines += [f"  {line}" for segment in self.segments for line in str(segment).splitlines()]
        return "\n".join(lines)


Segments: TypeAlias = list[ConversationSegment]
Threads: TypeAlias = list[ConversationThread]


@checked_class
class Conversations:
    """Segments of sessions about one matter each, and threads of them across sessions: `memory.conversations`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @overload
    async def get(self, number: int) -> ConversationSegment: ...

    @overload
    async def get(self, *, thread: int) -> ConversationThread: ...

    async def get(
        self, number: int | None = None, *, thread: int | None = None
    ) -> ConversationSegment | ConversationThread:
        """Show one segment with its turns, or one thread with its segments.

        Raises NotFound where there is none of that number.
        """
        require(self._core.store, BOXES, "conversations.get")
        if number is None and thread is not None:
            return await _get_thread(self._core, thread)
        if number is None or thread is not None:
            raise InvalidInput(
                "no segment and no thread is named, or both are", recovery="pass the number of one of the two"
            )
        rows = await self._core.store.boxes(self._core.scope, FindBoxes(only=(number,)))
        if not rows:
            raise NotFound(f"no segment {number}", recovery="list segments with `conversations.list`")
        (segment,) = await build_segments(self._core, rows)
        return replace(segment, whole=True)

    @overload
    async def list(
        self,
        *,
        session: str | None = None,
        of: OneMemory | None = None,
        open_only: bool = False,
        limit: int = 20,
        after: int | ConversationSegment | None = None,
    ) -> Segments: ...

    @overload
    async def list(
        self,
        *,
        threads: Literal[True],
        segments_min: int = 1,
        limit: int = 20,
        after: int | ConversationThread | None = None,
    ) -> Threads: ...

    async def list(
        self,
        *,
        session: str | None = None,
        of: OneMemory | None = None,
        open_only: bool = False,
        threads: bool = False,
        segments_min: int = 1,
        limit: int = 20,
        after: int | ConversationSegment | ConversationThread | None = None,
    ) -> Segments | Threads:
        """List the segments of conversations, or with `threads` the threads, those of the latest turns first.

        A segment is a stretch of a session about one matter, a thread joins segments about the same matter across
        sessions. With `session` it lists the segments of one session, "" for turns of none; with `of` those that
        contain a turn, or the turns of a fact. With `segments_min` it lists only threads that join at least that many
        segments. The list continues after `after`, a segment or a thread or its number: a thread that is given by its
        number has the place that its latest turn gives it now.
        """
        require(self._core.store, BOXES, "conversations.list")
        check_count("limit", limit, 1, LIST_MAX)
        check_count("segments_min", segments_min, 1, BOXES_MAX)
        _refuse_mixed(
            after, threads=threads, of_segments=(session, of, open_only or None), of_threads=segments_min
        )
        if threads:
            last = await _get_thread(self._core, after) if isinstance(after, int) else after
            assert not isinstance(last, ConversationSegment)  # it was refused
            return await _list_threads(self._core, segments_min, limit, last)
        if session:
            check_name("a session", session)
        before = after if after is None or isinstance(after, int) else after.number
        find = FindBoxes(session=session, is_open=True if open_only else None, before=before, limit=limit)
        if of is not None:
            # A fact is in no box itself: its turns are.
            one = await self._core.one(of)
            links = await self._core.store.neighbours(self._core.scope, [one.seq], Relation.LEARNED_FROM)
            turns = (one.seq, *(link.target for link in links if link.source == one.seq))
            return await build_segments(
                self._core, await self._core.store.boxes(self._core.scope, replace(find, holding=turns))
            )
        return await build_segments(self._core, await self._core.store.boxes(self._core.scope, find))


def _refuse_mixed(after: object, *, threads: bool, of_segments: Sequence[object], of_threads: int) -> None:
    """Refuse what is about segments where threads are asked for, and the other way round."""
    foreign = ConversationSegment if threads else ConversationThread
    is_mixed = any(one is not None for one in of_segments) if threads else of_threads != 1
    if is_mixed or isinstance(after, foreign):
        raise InvalidInput(
            "it names what only segments have, or only threads",
            recovery="list segments by `session`, `of` and `open_only`, threads by `segments_min`",
        )


async def _get_thread(core: Core, number: int) -> ConversationThread:
    rows = await core.store.traces(core.scope, FindTraces(only=(number,)))
    thread = await _build_thread(core, rows[0], 0) if rows else None
    if thread is None:
        raise NotFound(f"no thread {number}", recovery="list threads with `conversations.list(threads=True)`")
    return thread


async def _list_threads(
    core: Core, segments_min: int, limit: int, last: ConversationThread | None
) -> list[ConversationThread]:
    threads: list[ConversationThread] = []
    for row in await core.store.traces(core.scope, FindTraces(limit=LIST_MAX)):
        if last is not None and (row.last_at, row.trace) >= (last.last_at, last.number):
            continue
        thread = await _build_thread(core, row, segments_min)
        if thread is not None:
            threads.append(thread)
        if len(threads) == limit:
            break
    return threads


async def _build_thread(core: Core, row: TraceRow, segments_min: int) -> ConversationThread | None:
    """Return a thread, if it joins so many segments."""
    rows = await core.store.boxes(core.scope, FindBoxes(trace=row.trace, limit=BOXES_MAX))
    if len(rows) < segments_min:
        return None
    segments = (await build_segments(core, rows))[::-1]
    return ConversationThread(row.trace, row.began_at, row.last_at, tuple(segments))


async def build_segments(core: Core, rows: Sequence[BoxRow]) -> list[ConversationSegment]:
    """Return segments with their turns but for those that were forgotten."""
    seqs = sorted({seq for row in rows for seq in row.members})
    memories = await core.store.get(core.scope, seqs) if seqs else []
    turns = {one.seq: one for one in memories if one is not None and one.status in SHOWN}
    return [build_segment(row, [turns[seq] for seq in row.members if seq in turns]) for row in rows]


def build_segment(row: BoxRow, turns: Sequence[Memory]) -> ConversationSegment:
    """Return a segment as its turns tell it that are to be shown."""
    goal = next((turn.text for turn in turns if turn.seq == row.goal), None)
    return ConversationSegment(
        number=row.box,
        session=row.session,
        goal=None if goal is None else _shorten_goal(goal),
        outcome=None if row.outcome is None else row.outcome.label,
        opened_at=row.opened_at,
        last_at=row.last_at,
        sealed_at=row.sealed_at,
        reason=None if row.reason is None else row.reason.label,
        thread=row.trace,
        turns=tuple(turns),
    )


def _shorten_goal(text: str) -> str:
    """Return a turn's first characters on one line."""
    line = " ".join(text.split())
    return line if len(line) <= GOAL_CHARS_MAX else f"{line[: GOAL_CHARS_MAX - 1]}…"
