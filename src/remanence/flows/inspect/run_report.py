"""What a run did, as the audit tells it: per action the memories, and whether it can be undone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.acts import acts_of
from remanence.core.arguments import check_count
from remanence.core.change import ROWLESS, AuditPart, Change, Increment, Key
from remanence.core.effects import CURATE, UPGRADE, VERBS
from remanence.core.errors import InvalidInput, NotFound, format_value
from remanence.core.model import AffectedMemory, Memory, Status
from remanence.core.owner import BY_ENGINE, PERSON, owner_of
from remanence.core.receipt import CYCLE, LEFT_OUT, describe_cycle
from remanence.core.results import Result, Time, minute_of, visible
from remanence.flows.base.audit_log import PAGE, iterate_audit_log
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.undo.undoing import undo_id
from remanence.store.constraints import memories_of
from remanence.store.erasure import ERASE, KEEP
from remanence.store.undo_data_pruning import EXPIRE

_REPLACING = frozenset(VERBS["join"].under)
_OF_LINKS = frozenset({"link", "unlink", "undo", UPGRADE})


@dataclass(frozen=True, slots=True, repr=False)
class Act(Result):
    """One thing that a run did, to how many memories, and the first of them; `rules` says by which rules and why."""

    name: str
    count: int
    memories: tuple[AffectedMemory, ...]
    rules: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name} {self.count:,}"


@dataclass(frozen=True, slots=True, repr=False)
class RunReport(Result):
    """Report of a run; `undone_by` is the run that undid it, `undo` the id to give to `undo`, None if it cannot be.

    For a run of a policy `cycle` says how many memories it `scanned`, `kept` and `changed`, its `acts` by action, how
    many each guard `refused`, how many are `deferred`, and the visible `tokens` before and after where they were
    counted; `left_out` counts changes of rows that others had changed meanwhile, `policy_hash` names the rules exactly.
    `owner` says whose run it is. For a run of the engine's own `because` lists the runs that stored the first memories
    it worked on.
    """

    run: str
    verb: str
    at: int
    now: int
    actor: str | None
    owner: str
    policy: str | None
    changes: int
    acts: tuple[Act, ...]
    undo: str | None
    undone_by: str | None
    policy_hash: str | None = None
    cycle: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0
    because: tuple[str, ...] = ()

    time = Time("at")

    def __str__(self) -> str:
        by = f" by {self.actor}" if self.actor else ""
        by += f" ({self.owner})" if self.owner != str(PERSON) else ""
        acts = "; ".join(map(str, self.acts)) or "nothing"
        lines = [f"{minute_of(self.at)} {self.verb}{by}: {acts} (run {self.run})"]
        if self.because:
            lines.append(f"  because of {', '.join(self.because)}")
        if self.cycle:
            lines.append(f"  {describe_cycle(self.cycle, self.left_out)}")
            lines.append(f"  policy {self.policy}, {self.policy_hash}")
        return visible("\n".join(lines))


async def read_run_report(core: Core, run: str, limit: int) -> RunReport:
    """Tell what a run did: per action the memories, at most so many of each."""
    check_count("limit", limit, 1, LISTED_MAX)
    if not isinstance(run, str):
        raise InvalidInput(f"{format_value(run)} names no run", recovery="pass a receipt, or the run's id")
    acts: dict[str, dict[Key, Mapping[str, Any] | None]] = {}
    first, changes, after, left_out = None, 0, 0, 0
    worked_on: set[int] = set()
    while page := await core.store.history(core.scope, run=run, after=after, limit=1):
        (part,) = page
        first, after, changes = first or part, part.position, changes + part.count
        left_out = part.cause.detail.get(LEFT_OUT, left_out)
        if owner_of(part.cause) == BY_ENGINE:  # what others did has other reasons
            worked_on |= {seq for change in part.changes for seq in memories_of(change.table, change.key)}
        for name, key, row in _iterate_actions(part):
            rows = acts.setdefault(name, {})
            rows[key] = row or rows.get(key)
    if first is None:
        raise NotFound(f"no run {run!r} in scope {core.scope!r}", recovery="list runs with `history`")
    because = await _find_source_runs(core, run, sorted(worked_on)[:limit])
    return replace(await _build_report(core, first, changes, acts, limit), left_out=left_out, because=because)


async def _find_source_runs(core: Core, run: str, seqs: Sequence[int]) -> tuple[str, ...]:
    """Return the runs that brought some memories, but for a run itself."""
    firsts = [await core.store.history(core.scope, memory=seq, limit=1, rows=False) for seq in seqs]
    causes = dict.fromkeys(part.cause.run for page in firsts for part in page)
    return tuple(one for one in causes if one != run)


async def _build_report(
    core: Core,
    first: AuditPart,
    changes: int,
    acts: Mapping[str, Mapping[Key, Mapping[str, Any] | None]],
    limit: int,
) -> RunReport:
    cause = first.cause
    undone_by = undo_id(cause.run)
    back = await core.store.history(core.scope, run=undone_by, limit=PAGE, rows=False)
    undone = any(part.cause.final for part in back)
    seqs = sorted({_memory_of(key) for rows in acts.values() for key in list(rows)[:limit]})
    answer = await core.store.get(core.scope, seqs)
    memories = {memory.seq: memory for memory in answer if memory is not None}
    purged_rows = await _read_purged_rows(core, [seq for seq in seqs if seq not in memories])
    rules: Sequence[Sequence[str]] = cause.detail.get("rules", ())
    return RunReport(
        run=cause.run,
        verb=cause.verb,
        at=cause.at,
        now=core.clock.now(),
        actor=cause.actor,
        owner=str(owner_of(cause)),
        policy=cause.detail.get("policy"),
        changes=changes,
        acts=tuple(
            Act(
                name,
                len(rows),
                tuple(
                    _make_affected(seq, rows[key] or purged_rows.get(seq), memories.get(seq))
                    for key, seq in ((key, _memory_of(key)) for key in list(rows)[:limit])
                ),
                {rule: because for action, rule, because in rules if action == name},
            )
            for name, rows in acts.items()
        ),
        undo=None if undone or cause.verb in ROWLESS | {ERASE, EXPIRE, KEEP} or first.ended_at else cause.run,
        undone_by=undone_by if undone else None,
        policy_hash=cause.policy,
        cycle=cause.detail.get(CYCLE, {}),
    )


async def _read_purged_rows(core: Core, seqs: Sequence[int]) -> dict[int, Mapping[str, Any] | None]:
    """Return the rows of memories that were purged since, as far as their images tell."""
    rows: dict[int, Mapping[str, Any] | None] = {}
    for one in await core.store.find_purged_memories(core.scope, seqs) if seqs else ():
        async for part in iterate_audit_log(core, one.run, one.seq):
            whole = (
                change.before for change in part.changes if change.key == one.seq and change.after is None
            )
            rows[one.seq] = next(whole, None) or rows.get(one.seq)
    return rows


def _iterate_actions(part: AuditPart) -> Iterator[tuple[str, Key, Mapping[str, Any] | None]]:
    """Yield what each change of a part does, to which memory or to which link that it cut, and a destroyed row."""
    verb = part.cause.verb
    yield from ((verb, seq, None) for seq in part.used)
    purged_keys = {
        change.key for change in part.changes if change.table == "memories" and change.after is None
    }
    for change in part.changes:
        if change.table in {"boxes", "traces"}:
            continue  # they follow from the turns that were heard
        if verb != CURATE and not tells(change):
            continue
        cut = change.table == "links" and change.after is None
        key = change.key if cut else _memory_of(change.key)
        before = change.before if change.table == "memories" and change.after is None else None
        if verb == CURATE and change.table in {"tags", "sources"} and key in purged_keys:
            continue  # what hangs on a purged memory goes with that
        for name in acts_of(change) if verb == CURATE else (_name_action(verb, change),):
            yield name, key, before


def _name_action(verb: str, change: Change) -> str:
    """Name what a change does under a verb: what it replaces, and links that it draws or cuts, are said apart."""
    if change.table == "memories" and verb not in _OF_LINKS | _REPLACING:
        return "supersede" if (change.after or {}).get("status") == Status.SUPERSEDED else verb
    if change.table != "links" or verb in _OF_LINKS:
        return verb
    if change.after is None:
        return "cut a link of"
    return "link" if change.before is None else "strengthen a link of"


def tells(change: Change) -> bool:
    """Tell whether a change changed anything; one that only watched a row did not."""
    return (
        change.after is None
        or change.before is None
        or any(not isinstance(value, Increment) or value.by for value in change.after.values())
    )


def _memory_of(key: Key) -> int:
    """Return the memory that a row belongs to, 0 for none; of a link the one that it starts from stands for both."""
    if isinstance(key, str):
        return 0
    return key if isinstance(key, int) else int(key[0])


def _make_affected(seq: int, gone: Mapping[str, Any] | None, memory: Memory | None) -> AffectedMemory:
    if memory is not None:
        return AffectedMemory(seq, memory.id, memory.text, memory.said_at, memory.said_offset)
    row = gone or {}
    return AffectedMemory(seq, row.get("id"), row.get("text"), row.get("said_at"), row.get("said_offset", 0))
