"""Contradictions between memories, listed and resolved; near duplicates linked or merged; what links lead to.

What a person merges is a plan with one merge, so that guards, audit and undoing are those of a policy.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from remanence.core.arguments import check_count
from remanence.core.change import Change
from remanence.core.errors import Conflict, InvalidInput, NotFound, format_value
from remanence.core.model import STANDING, Link, Memory, OneMemory, Relation, link_values, short_id
from remanence.core.receipt import LinkedDuplicates, Receipt
from remanence.core.results import Result
from remanence.core.signatures import checked_class
from remanence.curate.policy.compiled import load
from remanence.edit.one_memory import on_revision
from remanence.flows.base.context import LISTED_MAX, RACES_MAX, Core, receipt, refuse_moved, wait_before_retry
from remanence.flows.base.steps import explain_write_refusal
from remanence.flows.consolidate.duplicates import link_duplicates
from remanence.flows.curate.curating import carry_out, plan
from remanence.flows.edit.editing import decide_supersession
from remanence.flows.inspect.related import RelatedResult, find_related
from remanence.flows.inspect.review_pages import Place, Sort, rank_place, read_cursor, write_cursor

SORT: Sort = "contradiction"
_POLICY = """
version = 1
name = "by-hand"

[[rule]]
name = "say-the-same"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.0
where = "True"
do = "merge"
survivor = "{order}"
because = "a person says that the two say the same"
"""


@dataclass(frozen=True, slots=True, repr=False)
class Contradiction(Result):
    """Two memories that contradict each other, and the link that says so: its weight is how sure that is.

    `cursor` is where it stands in the list, and in that of the review.
    """

    link: Link
    one: Memory
    other: Memory
    cursor: str

    @property
    def is_open(self) -> bool:
        """Whether both stand and nobody has resolved it."""
        return self.link.resolved_at is None and {self.one.status, self.other.status} <= STANDING

    def __str__(self) -> str:
        state = "open" if self.is_open else "resolved"
        return f"{self.one} contradicts {self.other} ({state}, sure {self.link.weight:.2f})"


@checked_class
class Graph:
    """What links say of memories, as `memory.graph`: what is related, contradictions, near duplicates."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def find_related(
        self,
        name: OneMemory | None = None,
        *,
        query: str | None = None,
        hops: int = 3,
        limit: int = 10,
    ) -> RelatedResult:
        """List memories reachable by links from a memory or from the answers to a question, each with its path.

        What stands and is reached in so many `hops`, from the best answers to `query` where no memory is named. Links
        fade: after 90 days without an event each loses a tenth of its confidence for each 90 days that begin, and
        below 0.2 leads nowhere. Of a cause links lead to its effect, all others both ways. Nothing counts as used.
        """
        return await find_related(self._core, name, query, hops, limit)

    async def contradictions(
        self,
        open_only: bool = True,
        *,
        limit: int | None = None,
        after: str | Contradiction | None = None,
    ) -> list[Contradiction]:
        """List contradictions, the most certain first.

        The list goes on behind the contradiction `after`, or its `cursor`, where that stood when it was listed.
        """
        if limit is not None:
            check_count("limit", limit, 1, LISTED_MAX)
        behind = None if after is None else _read_rank(after)
        pairs = await _read_contradictions(self._core)
        return [
            each
            for each in pairs
            if (each.is_open or not open_only) and (behind is None or rank_place(_place(each.link)) > behind)
        ][:limit]

    async def resolve(
        self,
        a: OneMemory,
        b: OneMemory,
        keep: OneMemory | None = None,
        *,
        if_revision: int | None = None,
    ) -> Receipt:
        """Resolve a contradiction in favour of one memory or of neither.

        With `keep`, that one takes the other's place, and `if_revision` is the other's; else it is the link's own.
        """
        return await resolve(self._core, (a, b), keep, if_revision)

    async def merge(self, keep: OneMemory, other: OneMemory, *, if_revision: int | None = None) -> Receipt:
        """Merge two memories that say the same; the discarded one is superseded.

        Neither embedder nor policy is asked; a pin or a hold on the other refuses it. `if_revision` is the other's.
        """
        return await merge(self._core, keep, other, if_revision)

    async def link_duplicates(self) -> LinkedDuplicates:
        """Find texts that share most of their words, and link them as near duplicates.

        Nothing is merged: that is for a policy.
        """
        if reason := await explain_write_refusal(self._core):
            return LinkedDuplicates(waits=reason)
        return await link_duplicates(self._core)


async def _read_contradictions(core: Core) -> list[Contradiction]:
    links = await core.store.neighbours(core.scope, None, Relation.CONTRADICTS)
    pairs = await read_contradictions(core, await drop_same_pairs(core, links))
    return sorted(pairs, key=lambda pair: rank_place(_place(pair.link)))


def _place(link: Link) -> Place:
    """Return what a contradiction stands by in the list."""
    return link.weight, link.source, link.target


def _read_rank(after: str | Contradiction) -> Place:
    sort, place = read_cursor(after if isinstance(after, str) else after.cursor)
    if sort != SORT:
        raise InvalidInput(
            f"{format_value(after)} is no place among contradictions",
            recovery="give the `cursor` of one that was listed",
        )
    return rank_place(place)


async def drop_same_pairs(core: Core, links: Sequence[Link]) -> list[Link]:
    """Return one link of each pair of statements: where two turns and their facts are linked, that of the facts."""
    turns = await _read_turns(core, {seq for link in links for seq in (link.source, link.target)})
    by_pair: dict[frozenset[int], Link] = {}
    for link in sorted(links, key=lambda one: (one.source in turns) + (one.target in turns)):
        by_pair[frozenset(min(turns.get(seq, {seq})) for seq in (link.source, link.target))] = link
    chosen = set(by_pair.values())
    return [link for link in links if link in chosen]


async def _read_turns(core: Core, seqs: Collection[int]) -> dict[int, set[int]]:
    """Return the turns that some memories were learned from; those that were learned from none are left out."""
    turns: dict[int, set[int]] = {}
    for link in await core.store.neighbours(core.scope, sorted(seqs), Relation.LEARNED_FROM) if seqs else ():
        if link.source in seqs:
            turns.setdefault(link.source, set()).add(link.target)
    return turns


async def read_contradictions(core: Core, links: Sequence[Link]) -> list[Contradiction]:
    """Return contradictions with the memories at both ends, as far as both are there."""
    seqs = sorted({seq for link in links for seq in (link.source, link.target)})
    by_seq = {memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None}
    return [
        Contradiction(link, by_seq[link.source], by_seq[link.target], write_cursor(SORT, _place(link)))
        for link in links
        if link.source in by_seq and link.target in by_seq
    ]


async def resolve(
    core: Core,
    ends: tuple[OneMemory, OneMemory],
    keep: OneMemory | None,
    if_revision: int | None = None,
) -> Receipt:
    """Mark a contradiction as resolved, and let the memory to keep supersede the other, in one commit."""
    for attempt in range(RACES_MAX):
        one, other = await core.one(ends[0]), await core.one(ends[1])
        winner = None if keep is None else await core.one(keep)
        if winner is not None and winner.seq not in (one.seq, other.seq):
            raise InvalidInput(
                f"{short_id(winner.seq)} is not one of the two",
                recovery=f"keep {short_id(one.seq)} or {short_id(other.seq)}, or neither",
            )
        cause = core.cause("resolve", detail={"ids": [one.id, other.id]})
        changes = await _changes(core, one, other, winner, if_revision)
        counts = {"resolve": 1} if changes else {}
        notes = () if changes else ("it was resolved so before",)
        try:
            if changes:
                await core.commit(changes, cause)
        except Conflict as conflict:
            await wait_before_retry(attempt, conflict)
            continue
        return receipt(core.scope, cause, len(changes), counts, notes=notes)
    raise AssertionError("unreachable")


async def _changes(
    core: Core, one: Memory, other: Memory, kept: Memory | None, if_revision: int | None
) -> list[Change]:
    """Decide what resolving changes; nothing where it was resolved so before."""
    loser = None if kept is None else other if kept.seq == one.seq else one
    if loser is not None:
        _refuse_moved(loser, if_revision)
    key = (min(one.seq, other.seq), max(one.seq, other.seq), int(Relation.CONTRADICTS))
    turns = await _read_turns(core, {one.seq, other.seq})
    mine, theirs = ({end.seq, *turns.get(end.seq, ())} for end in (one, other))
    links = await core.store.neighbours(core.scope, sorted(mine), Relation.CONTRADICTS)
    if all(link.key != key for link in links):
        raise NotFound(
            f"{short_id(one.seq)} and {short_id(other.seq)} do not contradict each other",
            recovery="list them with `graph.contradictions`",
        )
    # Said in a turn and kept as a fact, it is one pair.
    same = [one for one in links if {one.source, one.target} & mine and {one.source, one.target} & theirs]
    values = {"resolved_at": core.clock.now()}
    changes = [
        Change("links", link.key, {"resolved_at": None}, values) for link in same if link.resolved_at is None
    ]
    if kept is None or loser is None:
        link = next(one for one in links if one.key == key)
        refuse_moved("the link", link.revision, if_revision, ("links", key))
        return changes
    changes += await decide_supersession(core, loser, kept)
    return changes if if_revision is None else on_revision(loser, changes)


async def merge(core: Core, keep: OneMemory, other: OneMemory, if_revision: int | None = None) -> Receipt:
    """Merge a memory into the one to keep, whatever embedder and policy say; what is protected stays."""
    for attempt in range(RACES_MAX):
        kept, gone = await core.one(keep), await core.one(other)
        _refuse(kept, gone)
        _refuse_moved(gone, if_revision)
        policy = load(_POLICY.format(order="seq" if kept.seq < gone.seq else "seq desc"))
        core.refuse_action(gone, "merge")
        try:
            await _link_duplicates(core, kept, gone)
        except Conflict as conflict:
            await wait_before_retry(attempt, conflict)
            continue
        pair = (min(kept.seq, gone.seq), max(kept.seq, gone.seq))
        proposed = await plan(core, policy, only=pair)
        # What was planned with is no newer than what stands now, and the commit compares with what was planned with.
        _refuse_moved(await core.one(gone.seq), if_revision)
        done = await carry_out(core, proposed)
        if done.counts.get("merge"):
            return done
    raise Conflict((), "the two kept changing while they were to become one")


def _refuse_moved(memory: Memory, if_revision: int | None) -> None:
    refuse_moved(f"memory {short_id(memory.seq)}", memory.revision, if_revision, ("memories", memory.seq))


def _refuse(kept: Memory, gone: Memory) -> None:
    if kept.seq == gone.seq:
        raise InvalidInput(
            f"both names mean {short_id(kept.seq)}", recovery="name two memories that say the same"
        )
    fallen = next((one for one in (kept, gone) if one.status not in STANDING), None)
    if fallen is not None:
        raise InvalidInput(
            f"memory {short_id(fallen.seq)} is {fallen.status.label}, and only what stands can be merged",
            recovery=f"bring it back first: restore {fallen.seq}",
        )


async def _link_duplicates(core: Core, kept: Memory, gone: Memory) -> None:
    """Link the two as near duplicates, or as surer ones, since a person says so."""
    key = (min(kept.seq, gone.seq), max(kept.seq, gone.seq), int(Relation.NEAR_DUPLICATE))
    links = await core.store.neighbours(core.scope, [kept.seq], Relation.NEAR_DUPLICATE)
    link = next((one for one in links if one.key == key), None)
    if link is not None and link.confidence == 1:
        return
    if link is None:
        change = Change("links", key, None, link_values(core.clock.now(), 1.0, 1.0))
    else:
        change = Change("links", key, {"confidence": link.confidence}, {"confidence": 1.0})
    await core.commit([change], core.cause("link"))
