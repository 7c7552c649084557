"""What waits for a person, in one list: what no rule, no model and no agent may settle, and what to type to settle it.

An item is settled by one of its choices, found by its name. Knows where each sort is kept.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

import numpy as np

from remanence.core.arguments import check_count
from remanence.core.change import AuditPart
from remanence.core.errors import InvalidInput, NameUnknown, NotFound, format_value
from remanence.core.model import Link, Memory, OneMemory, Relation, Status, short_id
from remanence.core.permissions import capability_of
from remanence.core.receipt import AutomaticRun, Receipt
from remanence.core.results import MaybeTime, Result, Time, fields_of, format_counts, visible
from remanence.core.signatures import checked_class
from remanence.core.snapshot import Bools, Ints, Snapshot, SnapshotRequest
from remanence.core.timekeeping import doubt
from remanence.flows.base.context import LISTED_MAX, Core, receipt
from remanence.flows.base.naming import plain_name
from remanence.flows.base.permission_checks import refuse_verb
from remanence.flows.base.policy_reading import is_adopted, read_adopted_policy
from remanence.flows.consolidate.merging import merge
from remanence.flows.curate.scheduling import accept_clock, find_held_run
from remanence.flows.edit import editing
from remanence.flows.inspect.contradictions import (
    BOTH,
    NEITHER,
    drop_same_pairs,
    find_open,
    is_open,
    read_ends,
    resolve,
)
from remanence.flows.inspect.review_pages import (
    CLOCK,
    Place,
    ReviewPage,
    Sort,
    read_cursor,
    read_item,
    write_cursor,
)
from remanence.flows.undo.runs import find_interrupted_runs, newest, undo_named
from remanence.flows.write import proposals
from remanence.flows.write.proposals import Proposal
from remanence.gate.machine_markup import find_machine_markup

VERB = "review.settle"
ACCEPT, DECLINE, FORGET, FORBID, UNDO = "accept", "decline", "forget", "forbid", "undo"
# What may be chosen, by sort; of a contradiction also the memory that stands.
CHOICES: Mapping[Sort, tuple[str, ...]] = {
    "contradiction": (BOTH, NEITHER),
    "quarantine": (ACCEPT, FORGET, FORBID),
    "proposal": (ACCEPT, DECLINE),
    "held plan": (ACCEPT,),
    "clock in doubt": (ACCEPT,),
    "interrupted run": (UNDO,),
}
LIST = "list what waits: remanence review list"


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is to be settled, and how; `only` are tags or older memories of several that are proposed."""

    item: OneMemory | tuple[OneMemory, OneMemory]
    choice: int | str
    only: tuple[OneMemory, ...] = ()
    if_revision: int | None = None


async def settle(core: Core, wish: Settlement) -> Receipt:
    """Settle what waits for a person by one of its choices; raise NotFound where it waits no more."""
    sort: Sort
    place: Place
    if isinstance(wish.item, tuple):
        one, other = [await core.one(name) for name in wish.item]
        sort, place = "contradiction", (0.0, one.seq, other.seq)
    else:
        name = plain_name(wish.item)
        found = read_item(name) if isinstance(name, str) else None
        sort, place = found or await _find_item_of(core, await core.one(name), wish.choice)
    if wish.only and sort != "proposal":
        raise InvalidInput("`only` is for proposals", recovery=f"leave it out for what is a {sort}")
    if sort != "contradiction" and wish.choice not in CHOICES[sort]:
        raise NameUnknown(f"choice for a {sort}", str(wish.choice), CHOICES[sort])
    item = CLOCK if sort in ("clock in doubt", "held plan") else ""
    capability = capability_of(VERB, {"item": item, "choice": wish.choice})
    if capability is not None:
        refuse_verb(VERB, core.denials, capability)
    return await _SETTLE[sort](core, place, wish)


async def _find_item_of(core: Core, memory: Memory, choice: int | str) -> tuple[Sort, Place]:
    """Return what a memory waits for; a choice that is neither accepting nor declining is of its one contradiction."""
    if memory.status is Status.QUARANTINED or choice in (FORGET, FORBID):
        return "quarantine", (memory.seq,)
    if choice in (ACCEPT, DECLINE):
        proposed = await proposals.find_proposal(core, memory)
        # What was never in quarantine and has no proposal is told as what is not in quarantine.
        return (
            ("quarantine", (memory.seq,))
            if proposed is None and choice == ACCEPT
            else ("proposal", (memory.seq,))
        )
    links = await find_open(core, memory)
    if len(links) == 1:
        return "contradiction", (links[0].weight, links[0].source, links[0].target)
    if not links:
        raise NotFound(f"nothing about {short_id(memory.seq)} waits for this choice", recovery=LIST)
    pairs = ", ".join(f"contradiction/{link.source}/{link.target}" for link in links)
    raise InvalidInput(
        f"{short_id(memory.seq)} contradicts several: {pairs}", recovery="name one of these, or both memories"
    )


async def _settle_contradiction(core: Core, place: Place, wish: Settlement) -> Receipt:
    ends = int(place[1]), int(place[2])
    return await resolve(core, ends, wish.choice, wish.if_revision)


async def _settle_quarantined(core: Core, place: Place, wish: Settlement) -> Receipt:
    seq = int(place[0])
    if wish.choice == ACCEPT:
        return await editing.accept(core, seq, wish.if_revision)
    memory = await core.one(seq)
    if memory.status is not Status.QUARANTINED:
        raise InvalidInput(
            f"memory {short_id(seq)} is not in quarantine: it is {memory.status.label}",
            recovery=f"to delete it all the same: remanence forget {seq}",
        )
    return await editing.forget(core, seq, wish.if_revision, forbid=wish.choice == FORBID)


async def _settle_proposal(core: Core, place: Place, wish: Settlement) -> Receipt:
    """Do what is proposed or decline it: one thing by its place, else all that is proposed for a memory, or some."""
    seq, *rest = place
    kind: int | None = None
    named: Sequence[OneMemory] = wish.only
    if rest:
        kind = int(rest[0])
        named = (str(rest[1]) if kind == proposals.TAG else int(rest[1]),)
    if wish.choice == DECLINE:
        declined = await proposals.decline(core, int(seq), named)
        count = len(declined.tags) + len(declined.replaces) + len(declined.repeats)
        return receipt(core.scope, core.cause("decline"), 0, {"decline": count}, notes=(str(declined),))
    proposed = await proposals.narrow_proposal(core, await core.one(int(seq)), named)
    return await _accept_proposal(core, proposed, kind, wish.if_revision)


async def _accept_proposal(
    core: Core, proposed: Proposal, kind: int | None, if_revision: int | None
) -> Receipt:
    """Do what is proposed in one run: all tags, or one place that is taken, or one memory that is merged."""
    seq = proposed.memory.seq
    tags = proposed.tags if kind in (None, proposals.TAG) else ()
    replaces = proposed.replaces if kind in (None, proposals.REPLACES) else ()
    repeats = proposed.repeats if kind in (None, proposals.REPEATS) else ()
    if bool(tags) + len(replaces) + len(repeats) != 1:
        raise InvalidInput(
            f"several different things are proposed for {short_id(seq)}: {proposed}",
            recovery="accept them one by one: `remanence review list` has the command for each",
        )
    if tags:
        return await editing.tag(core, seq, tags, if_revision)
    if replaces:
        return await editing.supersede(core, replaces[0].seq, seq, if_revision)
    return await merge(core, repeats[0].seq, seq, if_revision)


async def _settle_held(core: Core, place: Place, wish: Settlement) -> Receipt:
    held = await find_held_run(core)
    if held is None or held.at != place[0]:
        raise NotFound("this plan is held no more", recovery=LIST)
    if held.held != "clock":
        raise InvalidInput(
            "a plan that would delete much is applied, not accepted",
            recovery="look at it: remanence plan; then: remanence curate --allow-destroyed COUNT",
        )
    return await _settle_clock(core, place, wish)


async def _settle_clock(core: Core, _place: Place, _wish: Settlement) -> Receipt:
    """Accept the clock; nothing is written to the audit, so that there is nothing to undo."""
    doubt = await accept_clock(core)
    counts = {} if doubt is None else {"clock": 1}
    return receipt(core.scope, core.cause("accept"), 0, counts, notes=(doubt or "nothing was in doubt",))


async def _settle_interrupted(core: Core, place: Place, _wish: Settlement) -> Receipt:
    recent = await newest(core, (await core.store.search(core.scope, ())).position)
    run = next((run for run, at in find_interrupted_runs(recent).items() if at == place[0]), None)
    if run is None:
        raise NotFound("this run has come to its end, or was undone", recovery=LIST)
    return await undo_named(core, run)


_SETTLE: Mapping[Sort, Callable[[Core, Place, Settlement], Awaitable[Receipt]]] = {
    "contradiction": _settle_contradiction,
    "quarantine": _settle_quarantined,
    "proposal": _settle_proposal,
    "held plan": _settle_held,
    "clock in doubt": _settle_clock,
    "interrupted run": _settle_interrupted,
}


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
    """One item that waits for a person: its sort, the memories that it is about, and the ways to settle it.

    A list continues after the `cursor` of an item, even if the item is settled. A contradiction has its `link`: how
    sure it is, and when it was resolved.
    """

    sort: Sort
    what: str
    ways: tuple[SettlingWay, ...]
    memories: tuple[Memory, ...] = ()
    at: int | None = None
    cursor: str = ""
    link: Link | None = None

    time = MaybeTime("at")

    def __str__(self) -> str:
        return visible(f"{self.sort}: {self.what} ({'; '.join(map(str, self.ways))})")

    @property
    def is_open(self) -> bool:
        """Return True if it waits: a contradiction is listed even if it is settled."""
        return bool(self.ways)

    @property
    def choices(self) -> dict[str, str]:
        """Choices that `review.settle` takes for it, and what each does."""
        return {str(way.arguments["choice"]): way.words for way in self.ways if "choice" in way.arguments}

    @property
    def commands(self) -> dict[str, str]:
        """Commands to type, by what they do."""
        return {way.words: way.command for way in self.ways}

    def to_dict(self) -> dict[str, Any]:
        """Return it with its choices and commands as data that `json.dumps` takes."""
        return {**fields_of(self), "choices": self.choices, "commands": self.commands}


@dataclass(frozen=True, slots=True, repr=False)
class Review(Result):
    """All items that wait for a person: a limited list of each sort, and the total of each sort.

    `behind` counts by sort the items after the last one of this list.
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
    stand = _match_standing(snapshot, ends).tolist()
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


def _match_standing(snapshot: Snapshot, seqs: Ints) -> Bools:
    """Tell which of some memories stand, in the shape they are given in; what the snapshot does not know does not."""
    at = np.searchsorted(snapshot.seq, seqs)
    mask = np.zeros(seqs.shape, np.bool_)
    here = at < len(snapshot)
    here[here] = snapshot.seq[at[here]] == seqs[here]
    status = snapshot.columns["status"][at[here]]
    mask[here] = (status == Status.INBOX) | (status == Status.ACTIVE)
    return mask


@checked_class
class ReviewQueue:
    """Items that wait for a person, as `memory.review`: list them, settle them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def settle(
        self,
        item: ReviewItem | OneMemory | tuple[OneMemory, OneMemory],
        choice: OneMemory,
        *,
        only: Sequence[OneMemory] = (),
        if_revision: int | None = None,
    ) -> Receipt:
        """Settle what waits for a person by one of its choices.

        `item` is one of `list`, its cursor, `"clock"`, a memory, or the two of a contradiction. Choices: for a
        contradiction the memory that stays active, "both", or "neither", which deletes both; for a text in quarantine
        "accept", "forget" or "forbid"; for a proposal "accept" or "decline", for a memory with several all of them, or
        `only` some tags or older memories; for the clock "accept"; for an interrupted run "undo". `if_revision` is the
        revision of the memory that is replaced or accepted; with "both" or "neither" that of the link.
        """
        named = item.cursor if isinstance(item, ReviewItem) else item
        return await settle(self._core, Settlement(named, plain_name(choice), tuple(only), if_revision))

    async def list(
        self,
        sort: Sort | None = None,
        *,
        settled: bool = False,
        limit: int = 20,
        after: str | ReviewItem | None = None,
    ) -> Review:
        """List what needs a person's decision, with its choices and the command for each.

        It lists open contradictions, texts in quarantine, a model's proposals, a plan that is held, a clock in doubt
        and interrupted runs; or one `sort` alone. With `settled` it also lists contradictions that are settled, or of
        which one memory is no longer active. After an item `after`, or its cursor, the list continues with items of the
        same sort.
        """
        if settled and sort != "contradiction":
            raise InvalidInput(
                "only of contradictions it is kept which are settled",
                recovery='pass sort="contradiction" beside it; what else was settled: `history`',
            )
        return await list_review(self._core, _build_page(sort, limit, after), settled=settled)


def _build_page(sort: Sort | None, limit: int, after: str | ReviewItem | None) -> ReviewPage:
    check_count("limit", limit, 1, LISTED_MAX)
    if after is None:
        return ReviewPage(limit, sort)
    behind, place = read_cursor(after.cursor if isinstance(after, ReviewItem) else after)
    if sort not in (None, behind):
        raise InvalidInput(
            f"{format_value(after)} is no place among items of the sort {sort}",
            recovery="give the `cursor` of one that was listed",
        )
    return ReviewPage(limit, behind, place)


async def list_review(core: Core, page: ReviewPage, *, settled: bool = False) -> Review:
    """List what waits for a person, at most so many of each sort."""
    now = core.clock.now()
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset({"status"})), now)
    recent = await newest(core, snapshot.position)
    pending = await find_pending_review(core, snapshot, recent)
    links = await _read_all_contradictions(core) if settled else pending.contradictions
    runs = [((at,), _make_interrupted_item(run, at)) for run, at in pending.interrupted.items()]
    clock: list[tuple[Place, ReviewItem]] = []
    if pending.clock:
        clock.append(((0,), ReviewItem("clock in doubt", pending.clock, (_CLOCK_IS_RIGHT,))))
    items = [
        *await _make_contradiction_items(core, page, links),
        *await _make_quarantine_items(core, page, pending.quarantined),
        *_cut_page(
            page, "proposal", (item for one in pending.proposals for item in _iterate_proposal_items(one))
        ),
        *_cut_page(
            page, "held plan", [] if pending.held is None else [await _make_held_item(core, pending.held)]
        ),
        *_cut_page(page, "clock in doubt", clock),
        *_cut_page(page, "interrupted run", runs),
    ]
    return Review(core.scope, now, tuple(items), pending.counts, page.behind)


async def _read_all_contradictions(core: Core) -> list[Link]:
    links = await core.store.neighbours(core.scope, None, Relation.CONTRADICTS)
    return await drop_same_pairs(core, links)


def _cut_page(page: ReviewPage, sort: Sort, entries: Iterable[tuple[Place, ReviewItem]]) -> list[ReviewItem]:
    return [replace(item, cursor=cursor) for cursor, item in page.cut(sort, entries)]


def _build_way(words: str, item: str, choice: str) -> SettlingWay:
    """Return a way that `review.settle` goes."""
    command = f"remanence review settle {quote(item)} {quote(choice)}"
    return SettlingWay(words, "review.settle", {"item": item, "choice": choice}, command)


async def _make_contradiction_items(core: Core, page: ReviewPage, links: Sequence[Link]) -> list[ReviewItem]:
    entries = page.cut("contradiction", [((one.weight, one.source, one.target), one) for one in links])
    ends = await read_ends(core, [link for _, link in entries])
    return [
        replace(_make_contradiction_item(link, ends[link.key]), cursor=cursor)
        for cursor, link in entries
        if link.key in ends
    ]


def _make_contradiction_item(link: Link, ends: tuple[Memory, Memory]) -> ReviewItem:
    one, other = (end.seq for end in ends)
    pair = f"contradiction/{one}/{other}"  # also once it is surer, or less sure
    ways = [_build_way(f"{seq} holds", pair, str(seq)) for seq in (one, other)]
    ways += [_build_way("both hold", pair, BOTH), _build_way("neither holds: delete both", pair, NEITHER)]
    if not link.is_certain:
        named = {"source": one, "target": other, "relation": "contradicts", "confidence": 1}
        command = f"remanence link {one} {other} contradicts --confidence 1 --if-exists update"
        ways.append(SettlingWay("they are at odds", "link", {**named, "if_exists": "update"}, command))
    verb = "contradicts" if link.is_certain else "may contradict"
    what = f"{short_id(one)} {verb} {short_id(other)} (sure {link.weight:.2f})"
    open_ways = tuple(ways) if is_open(link, ends) else ()
    return ReviewItem("contradiction", what, open_ways, ends, link.created_at, link=link)


async def _make_quarantine_items(core: Core, page: ReviewPage, seqs: Sequence[int]) -> list[ReviewItem]:
    cursors = {seq: cursor for cursor, seq in page.cut("quarantine", [((seq,), seq) for seq in seqs])}
    memories = [one for one in await core.store.get(core.scope, [*cursors]) if one is not None]
    return [_make_quarantine_item(one, cursors[one.seq]) for one in memories]


def _make_quarantine_item(one: Memory, cursor: str) -> ReviewItem:
    markup = find_machine_markup(one.text) or "was held back"
    ways = (
        _build_way("let it in", cursor, ACCEPT),
        _build_way("delete it", cursor, FORGET),
        _build_way("delete it and refuse it from now on", cursor, FORBID),
    )
    what = f"{short_id(one.seq)} {markup}, and no user or agent said it"
    return ReviewItem("quarantine", what, ways, (one,), one.learned_at, cursor)


def _iterate_proposal_items(one: Proposal) -> Iterator[tuple[Place, ReviewItem]]:
    """Yield each tag, and each memory whose place another may take or that it repeats, with its place."""
    seq, proposes = one.memory.seq, f"{one.by} proposes"
    for tag in one.tags:
        what = f"{proposes} the tag {tag} for {short_id(seq)}"
        yield _make_proposal_item(one, (seq, proposals.TAG, tag), what, "set it", ())
    for old in one.replaces:
        what = f"{proposes} that {short_id(seq)} takes the place of {short_id(old.seq)}"
        place = seq, proposals.REPLACES, f"{old.seq}"
        yield _make_proposal_item(one, place, what, "replace it", (old,))
    for old in one.repeats:
        what = f"{proposes} that {short_id(seq)} says the same as {short_id(old.seq)}"
        place = seq, proposals.REPEATS, f"{old.seq}"
        yield _make_proposal_item(one, place, what, "make them one", (old,))


def _make_proposal_item(
    one: Proposal, place: Place, what: str, accepts: str, others: tuple[Memory, ...]
) -> tuple[Place, ReviewItem]:
    item = write_cursor("proposal", place)
    ways = _build_way(accepts, item, ACCEPT), _build_way("decline it", item, DECLINE)
    return place, ReviewItem("proposal", what, ways, (one.memory, *others), one.at)


_CLOCK_IS_RIGHT = _build_way("the clock is right", CLOCK, ACCEPT)


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


def _make_interrupted_item(run: str, at: int) -> ReviewItem:
    what = f"run {run} has not come to its end: it was interrupted, or goes on in another process"
    way = _build_way("take it back", write_cursor("interrupted run", (at,)), UNDO)
    return ReviewItem("interrupted run", what, (way,))
