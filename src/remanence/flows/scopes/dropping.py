"""A scope dropped: all of it out of sight in one run, shown first; `undo` brings it back, and nothing is destroyed.

Decides what goes and what is said of it; must not know how tombstones are purged or bytes are erased.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

import numpy as np

from remanence.core.arguments import check_count
from remanence.core.change import ABSENT, PART_CHANGES_MAX, Block
from remanence.core.effects import STAMPS, VERBS, becomes
from remanence.core.errors import Conflict, InvalidInput, Protected
from remanence.core.guards import BUILT_IN, GuardInput
from remanence.core.model import INT_MAX, Memory, Status, short_id
from remanence.core.receipt import Receipt
from remanence.core.results import Result, Time, format_counts, number, visible
from remanence.core.snapshot import Bools, Floats, Ints, Snapshot, SnapshotRequest
from remanence.curate.policy.compiled import load
from remanence.flows.base import copies, settings
from remanence.flows.base.context import Core, receipt
from remanence.flows.base.copies import RegisteredCopy
from remanence.flows.base.cut_runs import commit_part
from remanence.flows.base.person_guards import is_held
from remanence.flows.base.policy_reading import read_adopted_policy
from remanence.flows.mirror.mirroring import MIRRORS
from remanence.flows.scopes.whole_runs import is_written_since, refuse_others, whole_run
from remanence.flows.undo.refusals import ASK, takes_all_back
from remanence.store.base import Bookkeeping

DROP = "drop"
DROPPED = "scope/dropped"  # the bookkeeping's name for when a scope was dropped last
LISTED = 20  # memories that are listed by their texts; the rest is counted
NAMED = 5  # in an error
PAGE = 500
COLUMNS = frozenset({"status", "tier", "reason", "status_at", "tier_at", "pinned", "hold_until", "category"})


@dataclass(frozen=True, slots=True, repr=False)
class DropPreview(Result):
    """Preview of dropping a scope: give it to `scopes.drop`, which refuses it once anything changed.

    `counts` says by status how many memories would be deleted, `tombstones` how many are deleted already. `held` lists
    the first of `held_count` memories under a hold, which block the whole drop. `protected` lists the first of
    `protected_count` memories that are pinned or of a category of the system: they are only dropped if the caller
    allows at least that number. `links` stay as they are, and so do the `bytes` of all texts and vectors, None where
    the store does not tell. `purge` is the rule of the adopted policy that purges deleted memories, "" where none does;
    for `audit_days` the run can be undone. `mirrors` are folders that follow with their next sync. `registered` are
    exports, backups and copies that were made before and are left; of older ones only the number, `unlisted`, is known.
    `position` is the scope's position in the change sequence.
    """

    HIDDEN = frozenset({"position"})

    scope: str
    at: int
    position: int
    counts: Mapping[str, int]
    tombstones: int = 0
    held: tuple[Memory, ...] = ()
    held_count: int = 0
    protected: tuple[Memory, ...] = ()
    protected_count: int = 0
    links: int = 0
    bytes: int | None = None
    purge: str = ""
    audit_days: int = 0
    mirrors: tuple[str, ...] = ()
    registered: tuple[RegisteredCopy, ...] = ()
    unlisted: int = 0

    time = Time("at")

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        what = number(len(self), "memory", "memories")
        older = self.unlisted + max(0, len(self.registered) - LISTED)
        stays = ", ".join(
            [
                number(self.tombstones, "older tombstone", "older tombstones"),
                number(self.links, "link", "links"),
                *([] if self.bytes is None else [f"{self.bytes:,} bytes of texts and vectors"]),
                "history, settings, policy",
            ]
        )
        lines = [
            f"scope {self.scope!r}: {what} would become tombstones ({format_counts(self.counts)})",
            f"stays: {stays}",
            *_list_memories("HELD, so nothing is dropped until it is released", self.held, self.held_count),
            *_list_memories("protected, goes only if you allow it", self.protected, self.protected_count),
            f"undo brings all of it back for {number(self.audit_days, 'day', 'days')}, while nothing of it is purged",
            describe_purge(self.purge),
            *(f"this mirror follows with its next sync: {folder}" for folder in self.mirrors),
            *(f"stays, made before: {copy}" for copy in self.registered[-LISTED:]),
            *([f"and {older:,} older ones"] if older else []),
            describe_erasing(self.scope),
        ]
        return visible("\n".join(lines))


def _list_memories(what: str, memories: Sequence[Memory], count: int) -> list[str]:
    more = count - len(memories)
    return [*(f"{what}: {memory}" for memory in memories), *([f"and {more:,} more"] if more > 0 else [])]


def describe_purge(rule: str) -> str:
    """Say when tombstones are deleted, by the rule that does it."""
    return (
        f"then deleted from the tables by {rule}"
        if rule
        else "no adopted policy deletes tombstones: they stay until they are erased"
    )


def describe_erasing(scope: str) -> str:
    """Say how to be rid of the bytes of a scope at once."""
    return (
        f"to be rid of the bytes at once, for good: remanence erase --all --scope {quote(scope)}"
        " (memory.erase.show(scope=True))"
    )


async def show_drop(core: Core) -> DropPreview:
    """Show what dropping the scope would take out of sight; nothing is written but uses that waited."""
    await core.uses.settle_to_read()
    now = core.clock.now()
    snapshot = await _read_snapshot(core)
    books = await core.store.bookkeep(core.scope, Bookkeeping(now, under=(MIRRORS,)))
    register = await copies.register(core)
    status = snapshot.columns["status"]
    held = await _find_held(core, snapshot)
    protected = _find_protected(core, snapshot)
    size = (await core.store.measure_scopes([core.scope])).get(core.scope)
    return DropPreview(
        core.scope,
        now,
        snapshot.position,
        {
            one.label: count
            for one in Status
            if one is not Status.PRUNED and (count := int((status == one).sum()))
        },
        tombstones=int((status == Status.PRUNED).sum()),
        held=tuple(await _read_memories(core, held[:LISTED])),
        held_count=len(held),
        protected=tuple(await _read_memories(core, protected[:LISTED])),
        protected_count=len(protected),
        links=snapshot.link_count or 0,
        bytes=None if size is None else size.bytes,
        purge=await _find_purging_rule(core),
        audit_days=await settings.number(core, "audit_days"),
        mirrors=tuple(sorted(str(row["path"]) for row in books.values.values())),
        registered=register.listed,
        unlisted=register.unlisted,
    )


async def drop(core: Core, shown: DropPreview, allow_protected: int) -> Receipt:
    """Make tombstones of all memories that were shown, in one run; nothing of it where the scope has changed since."""
    check_count("allow_protected", allow_protected, 0, INT_MAX)
    if shown.scope != core.scope:
        raise InvalidInput(
            f"this was shown of scope {shown.scope!r}", recovery="show it anew, and drop what is shown"
        )
    await refuse_others(core)
    await core.uses.settle()
    snapshot = await _read_snapshot(core)
    if await is_written_since(core, shown.position):
        raise _make_conflict(core)
    going = _find_going(snapshot)
    if not going.any():
        raise InvalidInput(f"no active memories in scope {core.scope!r}", recovery="there is nothing to drop")
    held = await _find_held(core, snapshot)
    if held:
        raise Protected(
            f"{number(len(held), 'memory is', 'memories are')} held: {_name_memories(held)}",
            recovery="release their holds first; nothing was dropped",
            guards=("held",),
        )
    # What guards protect goes as far as it is allowed; no agent may allow any.
    protected = _find_protected(core, snapshot)
    by_person = takes_all_back(core)
    if len(protected) > (allow_protected if by_person else 0):
        allow = f"allow {len(protected)} (allow_protected, --allow-protected), or unpin them"
        raise Protected(
            f"{number(len(protected), 'memory is', 'memories are')} pinned or of the system:"
            f" {_name_memories(protected)}",
            recovery=f"look at them; if you mean it, {allow}; nothing was dropped" if by_person else ASK,
            guards=("pinned", "system-category"),
        )
    cause = core.cause(DROP, planned=True, detail={"memories": int(going.sum())})
    parts = [*_cut_parts(snapshot, np.flatnonzero(going), cause.at)]
    position = 0
    async with whole_run(core, cause.run):
        for part, blocks in enumerate(parts):
            is_last = part + 1 == len(parts)
            values = {DROPPED: {"at": cause.at, "run": cause.run}} if is_last else {}
            try:
                part_cause = replace(cause, part=part, final=is_last, values=values)
                commit = await commit_part(core, blocks, part_cause)
            except Conflict as conflict:
                raise _make_conflict(core) from conflict
            position = commit.position
    count = int(going.sum())
    # Positions are given once and rise: where as many were given as there are parts, nobody else got one.
    came = 0 if position == snapshot.position + len(parts) else await count_standing(core)
    notes = [
        *([f"{number(came, 'memory', 'memories')} came in meanwhile and stay active"] if came else []),
        "out of sight, not gone: texts and vectors stay where they are; undo brings them back",
        describe_purge(await _find_purging_rule(core)),
        describe_erasing(core.scope),
    ]
    return receipt(core.scope, cause, count, {DROP: count}, parts=len(parts), notes=tuple(notes))


def _make_conflict(core: Core) -> Conflict:
    return Conflict(
        (),
        f"scope {core.scope!r} was written to since it was shown",
        "show it anew and drop what is shown then; nothing was dropped",
    )


async def count_standing(core: Core, scope: str | None = None) -> int:
    """Count the memories of a scope, of one's own unless named, that are no tombstones."""
    request = SnapshotRequest(frozenset({"status"}))
    snapshot = await core.store.snapshot(scope or core.scope, request, core.clock.now())
    return int(_find_going(snapshot).sum())


async def _read_snapshot(core: Core) -> Snapshot:
    request = SnapshotRequest(COLUMNS, link_count=True)
    return await core.store.snapshot(core.scope, request, core.clock.now())


def _find_going(snapshot: Snapshot) -> Bools:
    """Tell which memories are no tombstones."""
    going: Bools = snapshot.columns["status"] != Status.PRUNED
    return going


async def _find_held(core: Core, snapshot: Snapshot) -> list[int]:
    """Return which memories somebody holds; that every entity is held keeps policies from it, and nobody else."""
    now = core.clock.now()
    until: Floats = np.asarray(snapshot.columns["hold_until"], np.float64)
    seqs: list[int] = snapshot.seq[_find_going(snapshot) & (until > now)].tolist()
    held: list[int] = []
    for start in range(0, len(seqs), PAGE):
        held += [
            one.seq for one in await _read_memories(core, seqs[start : start + PAGE]) if is_held(one, now)
        ]
    return held


def _find_protected(core: Core, snapshot: Snapshot) -> list[int]:
    """Return which memories a guard keeps from `forget`, holds aside."""
    categories = snapshot.names.get("category", ())
    of_system = [code for code, name in enumerate(categories) if core.policy.is_system(name)]
    it = GuardInput(
        pinned=snapshot.columns["pinned"],
        hold_until=np.full(len(snapshot), -1),
        status=snapshot.columns["status"],
        system=np.isin(snapshot.columns["category"], of_system),
        now=core.clock.now(),
    )
    mask = np.zeros(len(snapshot), np.bool_)
    for guard in BUILT_IN:
        if VERBS[DROP].guarded in guard.blocks:
            mask |= guard.holds(it)
    seqs: list[int] = snapshot.seq[mask & _find_going(snapshot)].tolist()
    return seqs


async def _read_memories(core: Core, seqs: Sequence[int]) -> list[Memory]:
    return [one for one in await core.store.get(core.scope, seqs) if one is not None] if seqs else []


def _name_memories(seqs: Sequence[int]) -> str:
    more = f" and {len(seqs) - NAMED:,} more" if len(seqs) > NAMED else ""
    return f"{', '.join(map(short_id, seqs[:NAMED]))}{more}"


async def _find_purging_rule(core: Core) -> str:
    """Name the rule of the adopted policy that deletes tombstones, and say why it does; "" where there is none."""
    row = await read_adopted_policy(core)
    if row is None:
        return ""
    policy = load(row["source"], stored=True)
    rules = [rule for rule in policy.rules if rule.effect.removes]
    return "; ".join(f"{policy.name}, rule {rule.name} ({rule.because})" for rule in rules)


def _cut_parts(snapshot: Snapshot, rows: Ints, now: int) -> Iterator[list[Block]]:
    """Yield what each commit changes: so many rows, those that leave the archive apart, since their tier changes."""
    effect = VERBS[DROP]
    tier = snapshot.columns["tier"]
    falls = becomes(effect.sets["tier"], tier, now, None) != tier
    for start in range(0, len(rows), PART_CHANGES_MAX):
        some = rows[start : start + PART_CHANGES_MAX]
        sides = some[falls[some]], some[~falls[some]]
        names = ("status", "reason", "tier"), ("status", "reason")
        yield [
            _make_block(snapshot, one, columns, now)
            for one, columns in zip(sides, names, strict=True)
            if len(one)
        ]


def _make_block(snapshot: Snapshot, rows: Ints, columns: Sequence[str], now: int) -> Block:
    """Return what becomes of some rows in columns that the drop sets, each stamped."""
    sets = VERBS[DROP].sets
    before = {name: snapshot.columns[name][rows] for name in columns}
    after = {
        name: np.broadcast_to(becomes(sets[name], was, now, None), was.shape) for name, was in before.items()
    }
    for name in columns:
        if name in STAMPS:
            before[STAMPS[name]] = snapshot.columns[STAMPS[name]][rows]
            after[STAMPS[name]] = np.full(len(rows), now)
    return Block(
        "memories",
        tuple(before),
        snapshot.seq[rows],
        np.column_stack([_encode_column(side) for side in before.values()]),
        np.column_stack([_encode_column(side) for side in after.values()]),
        revision=snapshot.columns["revision"][rows].astype(np.int64),
    )


def _encode_column(values: np.typing.NDArray[np.generic]) -> Ints:
    """Return a column as a block has it: a code that is absent as ABSENT; none of the times here is."""
    numbers = values.astype(np.int64)
    return numbers if values.dtype.kind == "f" else np.where(numbers < 0, ABSENT, numbers)
