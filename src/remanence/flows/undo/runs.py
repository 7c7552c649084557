"""The runs of a scope, as the audit tells them: what one did, which stand, and how the newest is taken back."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.acts import acts_of
from remanence.core.arguments import check_count
from remanence.core.change import ROWLESS, AuditPart, Cause, Change, Increment, Key
from remanence.core.clock import to_datetime
from remanence.core.effects import CURATE, UPGRADE, VERBS
from remanence.core.errors import InvalidInput, NotFound, format_value
from remanence.core.keywords import Progress
from remanence.core.model import AffectedMemory, Memory, Status
from remanence.core.owner import BY_ENGINE, PERSON, owner_of
from remanence.core.receipt import CYCLE, LEFT_OUT, Receipt, describe_cycle
from remanence.core.results import Result, Time, minute_of, visible
from remanence.flows.base.audit_log import PAGE, iterate_audit_log, newest_first
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.undo.conflicts import is_own, takes_all_back
from remanence.flows.undo.undoing import undo, undo_id
from remanence.store.base import Bookkeeping
from remanence.store.constraints import memories_of
from remanence.store.erasure import ERASE, KEEP
from remanence.store.undo_data_pruning import EXPIRE

_REPLACING = frozenset(VERBS["join"].under)
_OF_LINKS = frozenset({"link", "unlink", "undo", UPGRADE})
LAST = "last"  # what names the newest own run
REFUSED = (
    "undo/refused/"  # what the bookkeeping's name of a refused command begins with; whose it was follows
)
LOOKED_AT = 1_000  # how far back one looks for interrupted runs


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
        by += f" ({self.owner})" * (self.owner != str(PERSON))
        acts = "; ".join(map(str, self.acts)) or "nothing"
        lines = [f"{minute_of(self.at)} {self.verb}{by}: {acts} (run {self.run})"]
        if self.because:
            lines.append(f"  because of {', '.join(self.because)}")
        if self.cycle:
            lines.append(f"  {describe_cycle(self.cycle, self.left_out)}")
            lines.append(f"  policy {self.policy}, {self.policy_hash}")
        return visible("\n".join(lines))


async def report(core: Core, run: str, limit: int) -> RunReport:
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
        worked_on |= _worked_on(part)
        for name, key, row in _acts(part):
            rows = acts.setdefault(name, {})
            rows[key] = row or rows.get(key)
    if first is None:
        raise NotFound(f"no run {run!r} in scope {core.scope!r}", recovery="list runs with `history`")
    because = await _find_source_runs(core, run, sorted(worked_on)[:limit])
    return replace(await _report(core, first, changes, acts, limit), left_out=left_out, because=because)


def _worked_on(part: AuditPart) -> set[int]:
    """Return the memories that a part of the engine's own work is about; what others did has other reasons."""
    if owner_of(part.cause) != BY_ENGINE:
        return set()
    return {seq for change in part.changes for seq in memories_of(change.table, change.key)}


async def _find_source_runs(core: Core, run: str, seqs: Sequence[int]) -> tuple[str, ...]:
    """Return the runs that brought some memories, but for a run itself."""
    firsts = [await core.store.history(core.scope, memory=seq, limit=1, rows=False) for seq in seqs]
    causes = dict.fromkeys(part.cause.run for page in firsts for part in page)
    return tuple(one for one in causes if one != run)


async def _report(
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


def _acts(part: AuditPart) -> Iterator[tuple[str, Key, Mapping[str, Any] | None]]:
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
        for name in acts_of(change) if verb == CURATE else (_act(verb, change),):
            yield name, key, before


def _act(verb: str, change: Change) -> str:
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
        return AffectedMemory(seq, memory.id, memory.text, memory.said_at)
    row = gone or {}
    return AffectedMemory(seq, row.get("id"), row.get("text"), row.get("said_at"))


async def undo_named(core: Core, run: str, progress: Progress | None = None) -> Receipt:
    """Undo the run of an id, or the newest own one where "last" is said."""
    if run == LAST:
        return await undo_last(core, progress)
    if run == "":
        raise InvalidInput(
            '"" names no run', recovery=f"pass a receipt, a run's id, or {LAST!r} for the newest of yours"
        )
    return await undo(core, run, progress)


async def undo_last(core: Core, progress: Progress | None = None) -> Receipt:
    """Take back the newest own run that stands and changed something; where its rows changed since, it is refused."""
    last = await find_last(core)
    answer = await undo(core, last.run, progress)
    return replace(answer, notes=(f"this was `{last.verb}` of {_minute(last.at)}",))


async def find_last(core: Core) -> Cause:
    """Find the newest own run that stands and changed something, or raise NotFound.

    A person's are all that no agent, no policy and not the engine made. None is older than a command that was refused.
    """
    await core.uses.settle()
    refusal = await _refusal(core)
    async for part in iterate_standing_runs(core):
        if not is_own(core, part.cause) or not await _changed_something(core, part.cause.run):
            continue
        run = part.cause.run
        if refusal is not None:
            raise InvalidInput(
                f"the last command, {refusal}, was refused and changed nothing",
                recovery=f"nothing was undone; to undo `{part.cause.verb}` of {_minute(part.cause.at)}:"
                f" remanence undo {run}",
            )
        return part.cause
    whose = "" if takes_all_back(core) else " of its own"
    raise NotFound(
        f"no run{whose} in scope {core.scope!r} can be undone",
        recovery="nothing is to be done",
    )


def _minute(at: int) -> str:
    return f"{to_datetime(at):%Y-%m-%d %H:%M} UTC"


async def note_refusal(core: Core, command: str) -> None:
    """Remember that a command was refused here: what it was to change is not what was done last."""
    position = (await core.store.search(core.scope, ())).position
    row = {"command": command, "position": position}
    await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put={_refused_by(core): row}))


async def _refusal(core: Core) -> str | None:
    """Return the command that was refused after all own runs, None where something was done since."""
    row = _refused_by(core)
    request = Bookkeeping(core.clock.now(), get=(row,))
    refusal = (await core.store.bookkeep(core.scope, request)).values.get(row)
    if refusal is None:
        return None
    async for part in newest_first(core, refusal["position"]):
        if is_own(core, part.cause):
            return None
    return str(refusal["command"])


def _refused_by(core: Core) -> str:
    return f"{REFUSED}{core.owner}"


async def _changed_something(core: Core, run: str) -> bool:
    """Tell whether any part of a run changed a row, or kept what was to be erased."""
    parts = await core.store.history(core.scope, run=run, limit=PAGE, rows=False)
    return any(part.count or part.cause.verb == KEEP for part in parts)


async def iterate_standing_runs(core: Core, down_to: int = 0) -> AsyncIterator[AuditPart]:
    """Yield the last part of every run above a position that `undo` would take back and that did something.

    An undoing is none, but the undoing of an undoing is: it did a run again, and stands in its place.
    """
    past: set[str] = set()  # runs that are undone, or were looked at
    async for part in newest_first(core, down_to):
        cause = part.cause
        if cause.verb == "undo" and cause.final:
            past.add(cause.detail["undoes"])
        if cause.run in past or cause.verb in ROWLESS | {EXPIRE}:
            continue
        past.add(cause.run)
        if await _does(core, cause):
            yield part


async def _does(core: Core, cause: Cause) -> bool:
    """Tell whether a run does something: an undoing does not, the undoing of that does again, and so on."""
    does = True
    while cause.verb == "undo":
        (part,) = await core.store.history(core.scope, run=cause.detail["undoes"], limit=1, rows=False)
        cause, does = part.cause, not does
    return does


async def newest(core: Core, position: int) -> list[AuditPart]:
    """Return the newest parts up to a position, without their changes."""
    after = max(0, position - LOOKED_AT)
    return await core.store.history(core.scope, after=after, limit=LOOKED_AT, rows=False)


def find_interrupted_runs(recent: Sequence[AuditPart]) -> dict[str, int]:
    """Name the runs whose last part is missing, each with where it is; a finished undo clears a run it took back."""
    final = {part.cause.run for part in recent if part.cause.final}
    undone = {
        part.cause.detail.get("undoes") for part in recent if part.cause.verb == "undo" and part.cause.final
    }
    runs = {part.cause.run: part.position for part in recent}
    return {run: at for run, at in runs.items() if run not in final and run not in undone}


def run_id(run: Any) -> str:
    """Return the id of a run, from itself or from what came of it; what wrote nothing has none."""
    name: str | None = run if isinstance(run, str) else run.run
    if name is None or (isinstance(run, Receipt) and not run.changes):
        raise InvalidInput("nothing was written, so there is no run", recovery="list runs with `history`")
    return name
