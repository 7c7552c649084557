"""What a writer or an agent proposes and only a person does: tags that say who the agent is, places taken, merges.

A proposal waits in bookkeeping beside the memory that it is about, until a person does it or declines it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from remanence.core.arguments import check_tags
from remanence.core.errors import Conflict, InvalidInput, NotFound
from remanence.core.model import STANDING, Memory, OneMemory, short_id
from remanence.core.results import Result, Time, visible
from remanence.flows.base.context import RACES_MAX, Core
from remanence.flows.base.naming import plain_name
from remanence.gate.screening import refuse_secret
from remanence.store.base import Bookkeeping

UNDER = "proposed/"  # what the bookkeeping's names begin with; the sequence number of the memory follows
TAG, REPLACES, REPEATS = 1, 2, 3  # which of its lists a proposal is in, as cursors say it
WAITING_MAX = (
    500  # memories with proposals; what a writer proposes beyond is in the result and the audit alone
)


@dataclass(frozen=True, slots=True, repr=False)
class Proposal(Result):
    """What the writer `by` proposes for a memory: `tags` for it, and what of others.

    It may take the place of those that it `replaces`, and be one with those that it `repeats`.
    """

    memory: Memory
    at: int
    by: str
    tags: tuple[str, ...] = ()
    replaces: tuple[Memory, ...] = ()
    repeats: tuple[Memory, ...] = ()

    time = Time("at")

    def __str__(self) -> str:
        of = [
            *self.tags,
            *(f"the place of {short_id(old.seq)}" for old in self.replaces),
            *(f"to be one with {short_id(old.seq)}" for old in self.repeats),
        ]
        return visible(f"{self.by} proposes {', '.join(of)} for {self.memory}")


def encode_proposal(
    seq: int,
    at: int,
    by: str,
    tags: Sequence[str],
    replaces: Iterable[int] = (),
    repeats: Iterable[int] = (),
) -> dict[str, Any]:
    """Return what a commit keeps of the proposals for one memory, by name; others are named by sequence numbers."""
    row = {"at": at, "by": by, "tags": [*tags], "replaces": [*replaces], "repeats": [*repeats]}
    return {f"{UNDER}{seq}": row}


async def beside_others(core: Core, values: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is to be kept of proposals, together with what waits already for the same memories."""
    rows = await _read_rows(core)
    proposals: dict[str, Any] = {}
    for name, new in values.items():
        row = rows.get(int(name.removeprefix(UNDER)), {})
        lists = {what: [*row.get(what, ()), *new[what]] for what in ("tags", "replaces", "repeats")}
        proposals[name] = {**new, **{what: [*dict.fromkeys(some)] for what, some in lists.items()}}
    return proposals


async def list_proposals(core: Core) -> list[Proposal]:
    """Return what waits for a person, the newest first: of memories that stand, and what is not done yet."""
    rows = await _read_rows(core)
    seqs = {*rows, *(seq for row in rows.values() for seq in (*row["replaces"], *_read_repeats(row)))}
    memories = await core.store.get(core.scope, sorted(seqs)) if seqs else []
    standing = {one.seq: one for one in memories if one is not None and one.status in STANDING}
    open_ = [_keep_open(standing[seq], row, standing) for seq, row in rows.items() if seq in standing]
    return sorted(
        (one for one in open_ if one.tags or one.replaces or one.repeats),
        key=lambda one: (-one.at, -one.memory.seq),
    )


async def room(core: Core) -> int:
    """Say for how many more memories proposals may wait, once those that mean nothing any more are dropped."""
    rows, still = await _read_rows(core), {one.memory.seq for one in await list_proposals(core)}
    stale = dict.fromkeys(f"{UNDER}{seq}" for seq in rows if seq not in still)
    if stale:
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put=stale))
    return WAITING_MAX - len(still)


async def propose(core: Core, name: OneMemory, tags: Sequence[str]) -> tuple[str, ...]:
    """Keep tags beside a memory until a person sets or declines them; return those that it does not have."""
    check_tags(tags)
    for tag in tags:
        refuse_secret(core.salt, "a tag", tag)
    memory = await core.one(name)
    key, now = f"{UNDER}{memory.seq}", core.clock.now()
    for _ in range(RACES_MAX):
        row = (await _read_rows(core)).get(memory.seq)
        if row is None and await room(core) <= 0:
            raise InvalidInput(
                f"{WAITING_MAX} proposals wait for a person already",
                recovery="ask the user to go through them: remanence review list",
            )
        fresh = tuple(tag for tag in dict.fromkeys(tags) if tag not in memory.tags)
        if not fresh:
            return ()
        was = row or encode_proposal(memory.seq, now, core.agent or "an agent", ())[key]
        new_row = {**was, "tags": [*dict.fromkeys((*was["tags"], *fresh))]}
        swap = Bookkeeping(now, swap={key: (row, new_row)}, get=(key,))
        if (await core.store.bookkeep(core.scope, swap)).values.get(key) == new_row:
            return fresh
    raise Conflict([("proposals", memory.seq)])  # others propose something else again and again


async def decline(core: Core, name: OneMemory, what: Sequence[OneMemory]) -> Proposal:
    """Drop what was proposed for a memory: tags, or memories whose place it would take; all of it where none is named.

    Returns what was dropped.
    """
    memory = await core.one(name)
    key = f"{UNDER}{memory.seq}"
    for _ in range(RACES_MAX):
        row = (await _read_rows(core)).get(memory.seq)
        drop = await narrow_proposal(core, memory, what)
        if row is None:
            continue
        rest = _remove_proposal(row, drop)
        request = Bookkeeping(core.clock.now(), swap={key: (row, rest)}, get=(key,))
        if (await core.store.bookkeep(core.scope, request)).values.get(key) == rest:
            return drop
    raise Conflict([("proposals", memory.seq)])  # a writer proposes something else again and again


def _remove_proposal(row: Mapping[str, Any], dropped: Proposal) -> dict[str, Any] | None:
    """Return what is left of a row, None where nothing is."""
    drops, same = {one.seq for one in dropped.replaces}, {one.seq for one in dropped.repeats}
    tags = [tag for tag in row["tags"] if tag not in dropped.tags]
    replaces = [seq for seq in row["replaces"] if seq not in drops]
    repeats = [seq for seq in _read_repeats(row) if seq not in same]
    rest = {**row, "tags": tags, "replaces": replaces, "repeats": repeats}
    return rest if tags or replaces or repeats else None


def _read_repeats(row: Mapping[str, Any]) -> Sequence[int]:
    """Return whom a memory says again; rows of before that was asked name nobody."""
    repeats: Sequence[int] = row.get("repeats", ())
    return repeats


async def settle_proposals(core: Core, pairs: Sequence[tuple[Memory, Memory]]) -> dict[str, Any]:
    """Return what is kept, by name, once memories took the places of others, or may not."""
    rows, values = await _read_rows(core), {}
    for seq in {new.seq for new, _ in pairs} & rows.keys():
        olds = [old for new, old in pairs if new.seq == seq]
        proposal = Proposal(olds[0], 0, "", replaces=tuple(olds))
        values[f"{UNDER}{seq}"] = _remove_proposal(rows[seq], proposal)
    return values


async def find_proposal(core: Core, memory: Memory) -> Proposal | None:
    """Return what is proposed for a memory, None where nothing waits."""
    return next((one for one in await list_proposals(core) if one.memory.seq == memory.seq), None)


async def narrow_proposal(core: Core, memory: Memory, what: Sequence[OneMemory]) -> Proposal:
    """Return what is proposed for a memory, of that what is named; raise NotFound where it is not proposed."""
    proposed = await find_proposal(core, memory)
    if proposed is None:
        raise NotFound(
            f"nothing is proposed for {short_id(memory.seq)}",
            recovery="list what is: remanence review list",
        )
    if not what:
        return proposed
    tags = tuple(tag for tag in proposed.tags if tag in what)
    others = [plain_name(one) for one in what if one not in tags]
    seqs = {one.seq for one in (await core.find_memories(others) if others else []) if one is not None}
    replaces, repeats = (
        tuple(one for one in some if one.seq in seqs) for some in (proposed.replaces, proposed.repeats)
    )
    if len(tags) + len({one.seq for one in (*replaces, *repeats)}) < len(set(what)):
        raise NotFound(
            f"not all of that is proposed for {short_id(proposed.memory.seq)}: {proposed}",
            recovery="name what is proposed, or nothing for all of it",
        )
    return replace(proposed, tags=tags, replaces=replaces, repeats=repeats)


def _keep_open(memory: Memory, row: Mapping[str, Any], standing: Mapping[int, Memory]) -> Proposal:
    """Leave out what is done already, and what is about memories that stand no more."""
    tags = tuple(tag for tag in row["tags"] if tag not in memory.tags)
    replaces = tuple(standing[seq] for seq in row["replaces"] if seq in standing)
    repeats = tuple(standing[seq] for seq in _read_repeats(row) if seq in standing)
    return Proposal(memory, row["at"], row["by"], tags, replaces, repeats)


async def _read_rows(core: Core) -> dict[int, Mapping[str, Any]]:
    """Return what is kept, by the sequence number of the memory."""
    request = Bookkeeping(core.clock.now(), under=(UNDER,))
    values = (await core.store.bookkeep(core.scope, request)).values
    return {int(name.removeprefix(UNDER)): row for name, row in values.items()}
