"""What every flow shares: the store, whose memory it is, and the sources of time, ids and vectors.

Knows how to name a run and how to retry a lost race; knows no verb.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar
from weakref import WeakKeyDictionary

from remanence.core.arguments import check_count
from remanence.core.change import Cause, Change, CommitResult, Entry, Fence
from remanence.core.clock import Clock, read_monotonic_micros
from remanence.core.errors import Conflict, InvalidInput, NameUnknown
from remanence.core.guards import find_protecting_guards
from remanence.core.model import REVISION_MAX, Label, Memories, Memory, OneMemory, Trust, new_id, short_id
from remanence.core.owner import PERSON, Owner, said_of
from remanence.core.permissions import CAPABILITIES, Capability
from remanence.core.process import OpeningProcess
from remanence.core.receipt import Receipt
from remanence.core.timescale import ClockName
from remanence.edit.one_memory import on_revision
from remanence.flows.base.async_embedder import Model
from remanence.flows.base.clocks import ClockWatch
from remanence.flows.base.kept_snapshots import KeptSnapshots
from remanence.flows.base.naming import find_memories, list_memory_names, plain_name, refuse_erased, unknown
from remanence.flows.base.permission_checks import refuse_verb
from remanence.flows.base.person_guards import (
    find_protections,
    find_refusals,
    iterate_sensitive,
    make_refusal,
)
from remanence.flows.base.tracing import Tracer, begin_span
from remanence.flows.indexes.attribute_index import AttributeIndex
from remanence.flows.indexes.entity_index import EntityIndex
from remanence.flows.indexes.evidence_index import EvidenceIndex
from remanence.flows.indexes.scope_index import ScopeIndex
from remanence.flows.indexes.uses import Uses
from remanence.gate.personal_rules import BUILT_IN_RULES, PersonalRules
from remanence.llm.base import Embedder, Writer
from remanence.store.base import Bookkeeping, BookkeepResult, LedgerFindings
from remanence.store.capabilities import FullStore
from remanence.store.constraints import memories_of
from remanence.text.tokens import token_counts

if TYPE_CHECKING:
    from remanence.curate.policy.compiled import Policy

# The bookkeeping's name for until when a scope needs no tick; none where nobody knows.
QUIET = "schedule/quiet"
NAMED_MAX = 64  # policies that are remembered because somebody planned with them
LEASE_POLL_S = 0.1
# Characters that are read on the event loop, 50 ms at worst; more is read in a thread, so that the loop stays free.
LOOP_CHARS_MAX = 5_000
LOOP_ROWS_MAX = 1_000  # memories of a plan that is made and written down on the event loop, some ms of work
LOOP_ITEMS_MAX = 100  # small things that are done on the event loop without a pause
RACES_MAX = 20  # re-reads after lost races before giving up; each loser was overtaken by a winner
LISTED_MAX = 1_000_000  # memories that one answer lists
REMARKS_SHOWN = 100  # of what a run left out; the rest is counted
OPENING_BYTES = 16
PROTECTED_PAGE = 1_000  # changes that are judged at once
RACE_PAUSE_S = 0.002  # longer by so much after each, so that many writers at once let each other through

Answer = TypeVar("Answer")
Item = TypeVar("Item")
L = TypeVar("L", bound=Label)
P = ParamSpec("P")


@dataclass
class Pulse:
    """The session an engine has open: counted until when, and beating every so many seconds if it promised to.

    `lived_until` is what `clock.lived` said then.
    """

    session: str
    every: int | None
    counted_until: int
    lived_until: int = field(default_factory=read_monotonic_micros)
    task: asyncio.Task[None] | None = None


class Chore(Protocol):
    """Work that goes on beside the verbs, and that some of them wait for."""

    async def wait_until_done(self) -> None:
        """Wait for the end; raise what ended it too early."""
        ...

    async def stop(self) -> None:
        """End it soon; what is left is for the next opening."""
        ...


class ScopeReach(Protocol):
    """How other scopes of the store are reached from an open memory."""

    def use(self, scope: str) -> AbstractAsyncContextManager["Core"]:
        """Use another scope for a block; NotFound where nobody ever wrote to it."""
        ...

    async def close(self) -> None:
        """Write what waits in the other scopes, and let them go."""
        ...


class Listening(Chore, Protocol):
    """A chore that is told of the turns that were noted."""

    def notify_turn(self, session: str, *, high: bool) -> None:
        """Hear that a turn of a session was noted."""
        ...


@dataclass(frozen=True, slots=True)
class RememberedPlan:
    """What an engine remembers of a plan that it made: its digest, as others can write to its arrays, and its policy.

    `follows` is the hash of the whole policy, of which a tick judges a part,
    `only` the pair that it was to make one.
    """

    digest: str
    policy: "Policy"
    follows: str
    only: tuple[int, int] | None = None


def retry_conflicts(work: Callable[P, Awaitable[Answer]]) -> Callable[P, Coroutine[Any, Any, Answer]]:
    """Let what reads, decides and commits begin again after a lost race; who named a revision is told of it instead."""

    @wraps(work)
    async def try_often(*args: P.args, **kwargs: P.kwargs) -> Answer:
        for attempt in range(RACES_MAX):
            try:
                return await work(*args, **kwargs)
            except Conflict as conflict:
                if conflict.expected is not None:
                    raise
                await wait_before_retry(attempt, conflict)
        raise AssertionError("unreachable")

    return try_often


async def wait_before_retry(attempt: int, conflict: Conflict) -> None:
    """Pause before the next try after a lost race, or raise the conflict where no try is left."""
    if attempt + 1 == RACES_MAX:
        raise conflict
    await asyncio.sleep(RACE_PAUSE_S * attempt)


@dataclass
class Core:
    """One open memory: mutable only in what the caller begins and ends (session, adopted policy, index cache)."""

    store: FullStore
    scope: str
    clock: Clock
    embedder: Embedder
    policy: "Policy"
    agent: str | None = None
    pulse: Pulse | None = None
    policy_given: bool = False
    reads_only: bool = False  # nothing is written
    fades_by: ClockName = "wall"
    writer: Writer | None = None
    trust: Trust = Trust.USER  # the most that what comes in through this opening is believed
    denies: frozenset[Capability] = frozenset()  # beside what its trust denies
    counts: Callable[[Sequence[str]], list[int]] = token_counts  # the tokens of lines
    random: Callable[[int], bytes] = os.urandom
    salt: bytes = b""  # of the markers that take the place of secrets
    personal: PersonalRules = (
        BUILT_IN_RULES  # which personal data are kept, as the scope said when last asked
    )
    zone: tzinfo | None = None  # of the scope's clocks, as it said when last asked
    opening: str = (
        ""  # what tells an agent without a name and a session from others; drawn when it is first asked for
    )
    # Sessions begin and end one at a time.
    gate: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)
    process: OpeningProcess = field(init=False, default_factory=OpeningProcess)
    index: ScopeIndex = field(init=False)
    evidence: EvidenceIndex = field(init=False)
    attributes: AttributeIndex = field(init=False)
    entities: EntityIndex = field(init=False)
    uses: Uses = field(init=False)
    watch: ClockWatch = field(init=False)
    snapshots: KeptSnapshots = field(init=False)
    # Memories being embedded again; up to which position the audit holds vectors of the embedder before.
    embedding: Chore | None = field(init=False, default=None)
    vectors_since: int = field(init=False, default=0)
    # Plans by who they are: one that was read from a file is another, whatever it says.
    made: "WeakKeyDictionary[object, RememberedPlan]" = field(init=False, default_factory=WeakKeyDictionary)
    # What a file holds that was erased since, and what was asked for in that case.
    erased_since: str = "refuse"
    new_scope: str = "make"
    unsettled: LedgerFindings | None = field(init=False, default=None)
    # Turns that were noted are listened to.
    listener: Listening | None = field(init=False, default=None)
    # What embeds at consolidation, beside `embedder`.
    model: Model | None = field(init=False, default=None)
    # Others of this opening, one of which takes its place or gave it up: a recall under way may ask them.
    others: list[Model] = field(init=False, default_factory=list)
    # How other scopes are reached; None until the memory is open.
    reach: ScopeReach | None = field(init=False, default=None)
    # What goes with the store: the connections of a writer that was made here.
    let_go: Callable[[], Awaitable[None]] | None = field(init=False, default=None)
    # What hears of each step that it began and ended.
    tracer: Tracer | None = field(init=False, default=None)
    # The policies that somebody planned with here, by their hash, the newest last.
    named: "dict[str, Policy]" = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Make what follows from the rest."""
        self.index = ScopeIndex(self.store, self.scope, self.embedder.dimensions)
        self.evidence = EvidenceIndex(self.store, self.scope)
        self.attributes = AttributeIndex(self.store, self.scope)
        self.entities = EntityIndex(self.store, self.scope)
        self.watch = ClockWatch(self.store, self.scope, self.clock)
        self.snapshots = KeptSnapshots(self.store, self.scope)
        self.uses = Uses(
            self._commit_uses, lambda seqs: self.store.neighbours(self.scope, seqs), self.clock.now
        )

    def remember(self, plan: object, made: RememberedPlan) -> None:
        """Remember a plan that was made here, and its policy as one that somebody named."""
        self.made[plan] = made
        policy = made.policy
        self.named.pop(policy.hash, None)
        self.named[policy.hash] = policy
        while len(self.named) > NAMED_MAX:
            del self.named[next(iter(self.named))]

    @property
    def looked_at(self) -> "Core":
        """This, unless it was forked: a lock that was held then is held for ever in the child."""
        self.process.refuse_child()
        return self

    @property
    def usable_core(self) -> "Core":
        """This, unless it was forked or the file holds what was erased since it was copied: that is settled first."""
        self.process.refuse_child()
        if self.unsettled is not None:
            raise self.unsettled.refusal()
        return self

    @property
    def denials(self) -> frozenset[Capability]:
        """Which capabilities this opening lacks: all where it is believed less than a person."""
        return self.denies if self.trust is Trust.USER else CAPABILITIES

    def refuse_verb(self, verb: str, capability: Capability) -> None:
        """Refuse what an argument of a verb asks for, where it needs a capability that this opening lacks."""
        refuse_verb(verb, self.denials, capability)

    def find_protections(
        self, memory: Memory, action: str = "prune", trust: Trust = Trust.USER
    ) -> tuple[str, ...]:
        """Name what protects a memory from an action through this opening; a person obeys built-in guards alone.

        `trust` is how far who acts is believed, where that is less than the opening: a writer, an adapter's agent.
        """
        system, now = self.policy.is_system(memory.category), self.clock.now()
        if "release" in self.denials or trust is not Trust.USER:
            return find_protections(memory, trust=min(trust, self.trust), system=system, now=now)
        return find_protecting_guards(memory, system=system, now=now, action=action)

    def refuse_action(self, memory: Memory, action: str = "prune", trust: Trust = Trust.USER) -> None:
        """Refuse an action on a memory that `find_protections` says is protected from it."""
        if guards := self.find_protections(memory, action, trust):
            raise make_refusal(guards, memory)

    async def refuse_protected(self, changes: Iterable[Entry]) -> None:
        """Refuse changes that take off what a person set, where this opening may not; each is as it is committed."""
        if "release" not in self.denials:
            return
        sensitive = [
            (one, next(iter(memories_of(one.table, one.key)), 0)) for one in iterate_sensitive(changes)
        ]
        for first in range(0, len(sensitive), PROTECTED_PAGE):
            page = sensitive[first : first + PROTECTED_PAGE]
            rows = await self.store.get(self.scope, sorted({seq for _, seq in page if seq > 0}))
            memories = {memory.seq: memory for memory in rows if memory is not None}
            for change, seq in page:
                memory = memories.get(seq)
                categories = None if memory is None else memory.category, (change.after or {}).get("category")
                system = any(map(self.policy.is_system, categories))
                now = self.clock.now()
                refusals = find_refusals(change, memory, trust=self.trust, system=system, now=now)
                if refusals:
                    fold = str(change.key) if change.table == "forbidden" else ""
                    raise make_refusal(refusals, memory, fold)

    @property
    def session(self) -> str | None:
        """The id of the open session."""
        return None if self.pulse is None else self.pulse.session

    @property
    def owners(self) -> tuple[Owner, ...]:
        """Whose runs are this opening's own: by its trust a person's, or an agent's by name, else by session."""
        if self.trust is Trust.USER:
            return (PERSON,)
        if self.agent is not None:
            return (Owner("agent", self.agent),)
        self.opening = self.opening or self.random(OPENING_BYTES).hex()
        sessions = [] if self.session is None else [Owner("agent", f"of session {self.session}")]
        return (*sessions, Owner("agent", f"of opening {self.opening}"))

    @property
    def owner(self) -> Owner:
        """Who makes runs through this opening."""
        return self.owners[0]

    def new_id(self) -> str:
        """Return a fresh id that sorts by time."""
        return new_id(self.clock.now(), self.random)

    def cause(self, verb: str, **more: Any) -> Cause:
        """Say why a commit happens now: in a run of its own unless `run` is given, by `owner` or whose it is."""
        run = more.pop("run", None) or self.new_id()
        detail = {**more.pop("detail", {}), **said_of(more.pop("owner", self.owner), verb)}
        return Cause(verb, self.clock.now(), run, actor=self.agent, detail=detail, **more)

    async def commit(self, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write the changes of one part; a clock that jumped is noticed before it is written down."""
        await self.watch.look()
        if cause.policy is None:  # what a policy does, its guards have judged
            await self.refuse_protected(changes)
        with begin_span(self.tracer, "commit"):
            return await self.store.commit(self.scope, changes, cause)

    async def _commit_uses(
        self, changes: Sequence[Entry], agent: str | None, at: int, extends: tuple[str, int] | None
    ) -> CommitResult:
        """Write uses; the indexes hold nothing of them, and need not ask what was written."""
        cause = replace(self.cause("use"), actor=agent, at=at, extends=extends)
        outcome = await self.commit(changes, cause)
        self.index.pass_over(outcome)
        return outcome

    async def find_memories(self, names: Sequence[int | str]) -> list[Memory | None]:
        """Return memories by number, id, key or short id, in the order asked; None where there is none."""
        return await find_memories(self.store, self.scope, names)

    async def one(self, name: OneMemory) -> Memory:
        """Return one memory, or raise NotFound."""
        plain = plain_name(name)
        (memory,) = await self.store.get(self.scope, [plain])
        return memory if memory is not None else (await self.all_of([plain]))[0]

    async def all_of(self, names: Sequence[int | str]) -> list[Memory]:
        """Return memories, each once, or raise NotFound where one is not there, and Erased where it was erased."""
        memories = dict(zip(names, await self.find_memories(names), strict=True))
        missing = [name for name, memory in memories.items() if memory is None]
        if missing:
            await refuse_erased(self.store, self.scope, missing)
            raise unknown(self.scope, missing)
        return list({memory.seq: memory for memory in memories.values() if memory is not None}.values())

    @retry_conflicts
    async def change(
        self,
        names: Memories,
        verb: str,
        decide: Callable[[Memory], Awaitable[Sequence[Change]]],
        *,
        if_revision: int | None = None,
        turns: int = 0,
        beside: Callable[[Sequence[Memory]], Mapping[str, object]] = lambda _: {},
    ) -> Receipt:
        """Read memories, decide their changes and commit all in one, again from the start after a lost race.

        With `if_revision` only while the one memory has that revision: whoever was faster is not written over. `turns`
        are heard with the changes, and the values put that `beside` says of the memories.
        """
        keys = list_memory_names(names)
        refuse_several(keys, if_revision)
        memories = await self.all_of(keys)
        decisions = [await _decide_changes(memory, decide, if_revision) for memory in memories]
        changes = [change for some in decisions for change in some]
        cause = self.cause(verb, detail=make_id_detail(memories), turns=turns, values=beside(memories))
        if not changes:
            return receipt(self.scope, cause, 0, {})
        await self.commit(changes, cause)
        return receipt(self.scope, cause, len(changes), {verb: sum(map(bool, decisions))})


@asynccontextmanager
async def reach_scope(core: Core, scope: str) -> AsyncIterator[Core]:
    """Use a scope of the store for a block: the own one as it is, another one as this opening reaches it."""
    if scope == core.scope:
        yield core
        return
    assert core.reach is not None  # it is open
    async with core.reach.use(scope) as other:
        yield other


async def _decide_changes(
    memory: Memory, decide: Callable[[Memory], Awaitable[Sequence[Change]]], if_revision: int | None
) -> Sequence[Change]:
    refuse_moved(f"memory {short_id(memory.seq)}", memory.revision, if_revision, ("memories", memory.seq))
    changes = await decide(memory)
    return changes if if_revision is None else on_revision(memory, changes)


def make_id_detail(memories: Sequence[Memory]) -> dict[str, Any]:
    """Say in the audit which memories a run was about."""
    ids = [memory.id for memory in memories]
    return {"id": ids[0]} if len(ids) == 1 else {"ids": ids}


def refuse_several(names: Sequence[int | str], if_revision: int | None) -> None:
    """Refuse one revision for several memories."""
    if if_revision is not None and len(names) > 1:
        raise InvalidInput(
            f"if_revision is of one memory, not of {len(names):,}",
            recovery="call it for each memory with the revision that it has",
        )


async def run_off_loop(chars: int, work: Callable[..., Answer], *arguments: Any) -> Answer:
    """Do work that takes as long as its characters are many: at once where these are few, else in a thread."""
    if chars <= LOOP_CHARS_MAX:
        return work(*arguments)
    return await asyncio.to_thread(work, *arguments)


async def aside_of_rows(rows: int, work: Callable[..., Answer], *arguments: Any) -> Answer:
    """Do work that takes as long as its rows are many in the same way."""
    if rows <= LOOP_ROWS_MAX:
        return work(*arguments)
    return await asyncio.to_thread(work, *arguments)


async def iterate_cooperatively(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Go through many things, and let others have the event loop now and then."""
    for number, item in enumerate(items, start=1):
        yield item
        if not number % LOOP_ITEMS_MAX:
            await asyncio.sleep(0)


@dataclass
class Lease:
    """A lease while it is asked for and held, with what was answered by the same request."""

    name: str
    holder: str
    booked: BookkeepResult
    is_released: bool = False

    @property
    def fence(self) -> Fence | None:
        """What names it where something is written under it; None where it was refused."""
        return None if self.booked.fence is None else (self.name, self.booked.fence)

    async def release_with(self, core: Core, asked: Bookkeeping, *, fenced: bool = True) -> None:
        """Write something for the last time, and give the lease back by the same request."""
        more = replace(asked, release=(self.name, self.holder), fence=self.fence if fenced else None)
        await core.store.bookkeep(core.scope, more)
        self.is_released = True


@asynccontextmanager
async def hold_lease(core: Core, name: str, lasting: int, *, tries: int = 1) -> AsyncIterator[Fence | None]:
    """Hold a lease against other processes for a block, at most so many microseconds; yield its fence where it is held.

    A lease that is not free is asked for again every tenth of a second, until so many tries are through. Who was
    stopped meanwhile may believe to hold it still: what is written under it names the fence.
    """
    async with lease_held(core, name, lasting, lambda _, now: Bookkeeping(now), tries=tries) as lease:
        yield lease.fence


@asynccontextmanager
async def lease_held(
    core: Core,
    name: str,
    lasting: int,
    beside: Callable[[str, int], Bookkeeping],
    *,
    tries: int = 1,
    holder: str | None = None,
) -> AsyncIterator[Lease]:
    """Hold a lease like that, and read and write by the same request what is said of its holder and the present.

    Who names the `holder` lets others give the lease back for it once it died; no name is ever used twice.
    """
    lease = await _ask_for_lease(core, (name, holder or core.new_id(), lasting), beside)
    for _ in range(tries - 1):
        if lease.fence is not None:
            break
        await asyncio.sleep(LEASE_POLL_S)
        lease = await _ask_for_lease(core, (name, lease.holder, lasting), beside)
    try:
        yield lease
    finally:
        if lease.fence is not None and not lease.is_released:
            await lease.release_with(core, Bookkeeping(core.clock.now()), fenced=False)


async def _ask_for_lease(
    core: Core, wanted: tuple[str, str, int], beside: Callable[[str, int], Bookkeeping]
) -> Lease:
    (name, holder, lasting), now = wanted, core.clock.now()
    request = replace(beside(holder, now), lease=(name, holder, now + lasting))
    return Lease(name, holder, await core.store.bookkeep(core.scope, request))


def receipt(scope: str, cause: Cause, changes: int, counts: Mapping[str, int], **more: Any) -> Receipt:
    """Build the receipt of a run."""
    return Receipt(cause.run, cause.verb, cause.at, scope, changes, dict(counts), **more)


def first_remarks(remarks: Sequence[str], more: int = 0) -> tuple[str, ...]:
    """Return the first of what a run left out, and how many more there are; `more` were not even worded."""
    more += max(0, len(remarks) - REMARKS_SHOWN)
    return (*remarks[:REMARKS_SHOWN], *([f"and {more:,} more"] if more else []))


def label(labels: type[L], name: object, what: str) -> L:
    """Turn a lower-case name into its enum member, or raise NameUnknown with the nearest one; a member is itself."""
    if isinstance(name, labels):
        return name
    member = labels.__members__.get(name.upper()) if isinstance(name, str) else None
    if member is None:
        raise NameUnknown(what, str(name), [item.label for item in labels])
    return member


def refuse_moved(what: str, current: int, if_revision: int | None, *keys: tuple[str, Any]) -> None:
    """Raise Conflict where a caller named a revision and another one stands; 0 stands where there is nothing."""
    if if_revision is None:
        return
    check_count("if_revision", if_revision, 0, REVISION_MAX)
    if current != if_revision:
        raise Conflict(
            keys,
            f"{what} has revision {current}, not {if_revision}: it changed since it was read",
            "read it again, decide anew and pass the revision it has then; nothing was written",
            expected=if_revision,
            current=current,
        )


def ignore_progress(done: int, total: int) -> None:
    """Hear how far a verb is, where nobody else does."""
