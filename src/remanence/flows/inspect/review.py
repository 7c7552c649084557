"""What waits for a person, in one list: what no rule, no model and no agent may settle, and what to type to settle it.

Knows where each sort of it is kept; settles nothing itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any, Literal, overload

import numpy as np

from remanence.core.arguments import check_count
from remanence.core.change import AuditPart
from remanence.core.errors import InvalidInput
from remanence.core.model import Link, Memories, Memory, OneMemory, Relation, Status, short_id
from remanence.core.receipt import AutomaticRun, Receipt
from remanence.core.results import MaybeTime, Result, Time, fields_of, format_counts, visible
from remanence.core.snapshot import Bools, Ints, Snapshot, SnapshotRequest
from remanence.core.timekeeping import doubt
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.base.permission_checks import verb_class
from remanence.flows.base.policy_reading import is_adopted, read_adopted_policy
from remanence.flows.curate.scheduling import accept_clock, find_held_run
from remanence.flows.edit import editing
from remanence.flows.inspect.graph import Contradiction, drop_same_pairs, read_contradictions
from remanence.flows.inspect.review_pages import Place, ReviewPage, Sort, read_cursor
from remanence.flows.recall.filters import listed_by
from remanence.flows.recall.listing import Listing, list_memories
from remanence.flows.undo.runs import find_interrupted_runs, newest
from remanence.flows.write import proposals
from remanence.flows.write.proposals import Proposal
from remanence.gate.machine_markup import find_machine_markup


@dataclass(frozen=True, slots=True, repr=False)
class SettlingWay(Result):
    """One way to settle what waits: what it does, the verb that does it with which arguments, and what to type."""

    words: str
    verb: str
    arguments: Mapping[str, Any]
    command: str

    def __str__(self) -> str:
        return f"{self.words}: {self.command}"


@dataclass(frozen=True, slots=True, repr=False)
class ReviewItem(Result):
    """One thing that waits for a person: what it is, which memories it is about, and the ways to settle it.

    A list goes on behind the `cursor`, also once it is settled.
    """

    sort: Sort
    what: str
    ways: tuple[SettlingWay, ...]
    memories: tuple[Memory, ...] = ()
    at: int | None = None
    cursor: str = ""

    time = MaybeTime("at")

    def __str__(self) -> str:
        return visible(f"{self.sort}: {self.what} ({'; '.join(map(str, self.ways))})")

    @property
    def commands(self) -> dict[str, str]:
        """What to type, by what it does."""
        return {way.words: way.command for way in self.ways}

    def to_dict(self) -> dict[str, Any]:
        """Return it with its commands as data that `json.dumps` takes."""
        return {**fields_of(self), "commands": self.commands}


@dataclass(frozen=True, slots=True, repr=False)
class Review(Result):
    """All that waits for a person: at most so many items of each sort, and how many there are of each in all.

    `behind` counts by sort what comes behind the last item of this list.
    """

    scope: str
    at: int
    items: tuple[ReviewItem, ...]
    counts: Mapping[str, int]
    behind: Mapping[str, int] = field(default_factory=dict)

    time = Time("at")

    def __str__(self) -> str:
        return "\n".join([f"scope {self.scope!r}: {format_counts(self.counts)}", *map(str, self.items)])


@dataclass(frozen=True, slots=True)
class PendingReview:
    """What waits: open contradictions, what is in quarantine, proposals, a held plan, runs and where each began.

    `clock` says what is in doubt about the clock, "" where nothing is.
    """

    contradictions: Sequence[Link] = ()
    quarantined: Sequence[int] = ()
    proposals: Sequence[Proposal] = ()
    held: AutomaticRun | None = None
    clock: str = ""
    interrupted: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Count each sort that there is any of."""
        by_sort: dict[Sort, int] = {
            "contradiction": len(self.contradictions),
            "quarantine": len(self.quarantined),
            "proposal": sum(len(one.tags) + len(one.replaces) + len(one.repeats) for one in self.proposals),
            "held plan": int(self.held is not None),
            "clock in doubt": int(bool(self.clock)),
            "interrupted run": len(self.interrupted),
        }
        object.__setattr__(self, "counts", {sort: count for sort, count in by_sort.items() if count})


async def find_pending_review(core: Core, snapshot: Snapshot, recent: Sequence[AuditPart]) -> PendingReview:
    """Find what waits, given who has which status and the newest runs."""
    status = snapshot.columns["status"]
    all_links = await core.store.neighbours(core.scope, None, Relation.CONTRADICTS)
    links = [link for link in await drop_same_pairs(core, all_links) if link.resolved_at is None]
    ends = np.array([(link.source, link.target) for link in links], np.int64).reshape(-1, 2)
    stand = _stand(snapshot, ends).tolist()
    contradictions = [link for link, both in zip(links, stand, strict=True) if all(both)]
    finding = doubt(await core.watch.read_present(), snapshot.newest_at)
    return PendingReview(
        contradictions=contradictions,
        quarantined=snapshot.seq[status == Status.QUARANTINED].tolist(),
        proposals=await proposals.list_proposals(core),
        held=await find_held_run(core),
        clock="" if finding is None else finding.why,
        interrupted=find_interrupted_runs(recent),
    )


def _stand(snapshot: Snapshot, seqs: Ints) -> Bools:
    """Tell which of some memories stand, in the shape they are given in; what the snapshot does not know does not."""
    at = np.searchsorted(snapshot.seq, seqs)
    mask = np.zeros(seqs.shape, np.bool_)
    here = at < len(snapshot)
    here[here] = snapshot.seq[at[here]] == seqs[here]
    status = snapshot.columns["status"][at[here]]
    mask[here] = (status == Status.INBOX) | (status == Status.ACTIVE)
    return mask


@verb_class("review")
class ReviewQueue:
    """What waits for a person, and what no user or agent said: `memory.review`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def quarantined(self, *, limit: int = 1_000, after: OneMemory | None = None) -> list[Memory]:
        """List quarantined texts: markup for a machine that neither user nor agent said.

        The list goes on behind the memory `after`.
        """
        listing = Listing(
            listed_by({"status": "quarantined"}, {}, {}), limit, oldest_first=False, after=after
        )
        return await list_memories(self._core, listing)

    @overload
    async def accept(self, names: Memories, *, if_revision: int | None = None) -> Receipt: ...

    @overload
    async def accept(self, *, clock: Literal[True]) -> str | None: ...

    async def accept(
        self, names: Memories | None = None, *, if_revision: int | None = None, clock: bool = False
    ) -> Receipt | str | None:
        """Release a memory from quarantine, or with `clock` accept the machine's clock as it is.

        It comes into the inbox, and its trust stays. With `clock` plans that are held because of the clock go on;
        records that claim to be of later than now stay as they are and hold no plan any more. It returns what was in
        doubt, None where nothing was.
        """
        if clock == (names is not None) or (clock and if_revision is not None):
            raise InvalidInput(
                "nothing is named, or a memory and the clock", recovery="name a memory, or pass `clock` alone"
            )
        if names is None:
            return await accept_clock(self._core)
        return await editing.accept(self._core, names, if_revision)

    async def propose(self, name: OneMemory, *tags: str) -> tuple[str, ...]:
        """Propose tags for a memory; a person sets or declines them."""
        return await proposals.propose(self._core, name, tags)

    async def decline(self, name: OneMemory, *what: OneMemory) -> Proposal:
        """Decline a model's proposals for a memory: the named tags or older memories, or all.

        Returns what was declined. To do what is proposed, use `tag` or `supersede`.
        """
        return await proposals.decline(self._core, name, what)

    async def list(self, *, limit: int = 20, after: str | ReviewItem | None = None) -> Review:
        """List what needs a person's decision, with the command that settles it.

        Open contradictions, texts in quarantine, what a writer proposed, a plan that is held, a clock in doubt,
        interrupted runs. Behind an item `after`, or its cursor, the list goes on with what is of its sort.
        """
        return await list_review(self._core, limit, after)


async def list_review(core: Core, limit: int, after: str | ReviewItem | None) -> Review:
    """List what waits for a person, at most so many of each sort."""
    check_count("limit", limit, 1, LISTED_MAX)
    cursor = after.cursor if isinstance(after, ReviewItem) else after
    page = ReviewPage(limit, *(() if cursor is None else read_cursor(cursor)))
    now = core.clock.now()
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset({"status"})), now)
    recent = await newest(core, snapshot.position)
    pending = await find_pending_review(core, snapshot, recent)
    runs = [((at,), _make_interrupted_item(run)) for run, at in pending.interrupted.items()]
    items = [
        *await _make_contradiction_items(core, page, pending.contradictions),
        *await _make_quarantine_items(core, page, pending.quarantined),
        *_cut(page, "proposal", (item for one in pending.proposals for item in _iterate_proposal_items(one))),
        *_cut(page, "held plan", [] if pending.held is None else [await _make_held_item(core, pending.held)]),
        *_cut(page, "clock in doubt", [_make_clock_item(pending.clock)] if pending.clock else []),
        *_cut(page, "interrupted run", runs),
    ]
    return Review(core.scope, now, tuple(items), pending.counts, page.behind)


def _cut(page: ReviewPage, sort: Sort, entries: Iterable[tuple[Place, ReviewItem]]) -> list[ReviewItem]:
    return [replace(item, cursor=cursor) for cursor, item in page.cut(sort, entries)]


async def _make_contradiction_items(core: Core, page: ReviewPage, links: Sequence[Link]) -> list[ReviewItem]:
    entries = page.cut("contradiction", [((one.weight, one.source, one.target), one) for one in links])
    cursors = {link.key: cursor for cursor, link in entries}
    pairs = await read_contradictions(core, [link for _, link in entries])
    return [replace(_contradiction(pair), cursor=cursors[pair.link.key]) for pair in pairs]


def _contradiction(pair: Contradiction) -> ReviewItem:
    one, other = pair.one.seq, pair.other.seq
    ends, settle = {"a": one, "b": other}, f"remanence graph resolve {one} {other}"
    ways = [
        SettlingWay(f"{seq} holds", "graph.resolve", {**ends, "keep": seq}, f"{settle} --keep {seq}")
        for seq in (one, other)
    ]
    ways.append(SettlingWay("both hold", "graph.resolve", ends, settle))
    if not pair.link.is_certain:
        link = {"source": one, "target": other, "relation": "contradicts", "confidence": 1}
        command = f"remanence link {one} {other} contradicts --confidence 1 --if-exists update"
        ways.append(SettlingWay("they are at odds", "link", {**link, "if_exists": "update"}, command))
    verb = "contradicts" if pair.link.is_certain else "may contradict"
    what = f"{short_id(one)} {verb} {short_id(other)} (sure {pair.link.weight:.2f})"
    return ReviewItem("contradiction", what, tuple(ways), (pair.one, pair.other), pair.link.created_at)


async def _make_quarantine_items(core: Core, page: ReviewPage, seqs: Sequence[int]) -> list[ReviewItem]:
    cursors = {seq: cursor for cursor, seq in page.cut("quarantine", [((seq,), seq) for seq in seqs])}
    memories = [one for one in await core.store.get(core.scope, [*cursors]) if one is not None]
    return [
        ReviewItem(
            "quarantine",
            f"{short_id(one.seq)} {find_machine_markup(one.text) or 'was held back'}, and no user or agent said it",
            (
                SettlingWay(
                    "let it in", "review.accept", {"names": one.seq}, f"remanence review accept {one.seq}"
                ),
                SettlingWay("delete it", "forget", {"names": one.seq}, f"remanence forget {one.seq}"),
                SettlingWay(
                    "delete it and refuse it from now on",
                    "forget",
                    {"names": one.seq, "forbid": True},
                    f"remanence forget {one.seq} --forbid",
                ),
            ),
            (one,),
            one.learned_at,
            cursors[one.seq],
        )
        for one in memories
    ]


def _iterate_proposal_items(one: Proposal) -> Iterator[tuple[Place, ReviewItem]]:
    """Yield each tag, and each memory whose place another may take or that it repeats, with its place."""
    seq, proposes = one.memory.seq, f"{one.by} proposes"
    for tag in one.tags:
        set_tag = SettlingWay(
            "set it", "tag", {"names": seq, "tags": (tag,)}, f"remanence tag {seq} {quote(tag)}"
        )
        what = f"{proposes} the tag {tag} for {short_id(seq)}"
        yield (
            (seq, 1, tag),
            ReviewItem("proposal", what, (set_tag, _decline(seq, tag)), (one.memory,), one.at),
        )
    for old in one.replaces:
        replace_it = SettlingWay(
            "replace it", "supersede", {"old": old.seq, "by": seq}, f"remanence supersede {old.seq} {seq}"
        )
        what = f"{proposes} that {short_id(seq)} takes the place of {short_id(old.seq)}"
        ways = replace_it, _decline(seq, old.seq)
        yield (seq, 2, f"{old.seq}"), ReviewItem("proposal", what, ways, (one.memory, old), one.at)
    for old in one.repeats:
        merge = SettlingWay(
            "make them one",
            "merge",
            {"a": old.seq, "b": seq},
            f"remanence merge {old.seq} {seq}",
        )
        what = f"{proposes} that {short_id(seq)} says the same as {short_id(old.seq)}"
        ways = merge, _decline(seq, old.seq)
        yield (seq, 3, f"{old.seq}"), ReviewItem("proposal", what, ways, (one.memory, old), one.at)


def _decline(seq: int, what: str | int) -> SettlingWay:
    command = f"remanence review decline {seq} {quote(str(what))}"
    return SettlingWay("decline it", "review.decline", {"name": seq, "what": what}, command)


_CLOCK_IS_RIGHT = SettlingWay(
    "the clock is right", "review.accept", {"clock": True}, "remanence review accept --clock"
)


async def _make_held_item(core: Core, ran: AutomaticRun) -> tuple[Place, ReviewItem]:
    policy_row = await read_adopted_policy(core)
    name = core.policy.name
    is_in_force = policy_row is not None and is_adopted(policy_row, core.policy.hash)
    by, named = ("", {}) if is_in_force else (f" --policy {quote(name)}", {"policy": name})
    look = SettlingWay("look at it", "plan", named, f"remanence plan{by}")
    settle = _CLOCK_IS_RIGHT
    if ran.held != "clock":
        command = f"remanence curate{by} --allow-destroyed {ran.destroyed}"
        settle = SettlingWay("apply it", "apply", {**named, "allow_destroyed": ran.destroyed}, command)
    return (ran.at,), ReviewItem(
        "held plan", f"the plan of {name} is {ran.reason}", (look, settle), at=ran.at
    )


def _make_clock_item(why: str) -> tuple[Place, ReviewItem]:
    return (0,), ReviewItem("clock in doubt", why, (_CLOCK_IS_RIGHT,))


def _make_interrupted_item(run: str) -> ReviewItem:
    what = f"run {run} has not come to its end: it was interrupted, or goes on in another process"
    way = SettlingWay("take it back", "undo", {"run": run}, f"remanence undo {run}")
    return ReviewItem("interrupted run", what, (way,))
