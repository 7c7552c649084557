"""The invariants that stories are looked through for, in one table: each a predicate that lists what breaks it.

A step is what one verb did, with all that was there before and after, in both stores, and what the audit says of it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from remanence.core.change import ROWLESS, AuditPart
from remanence.core.effects import is_flag
from remanence.core.errors import LeaseLost, PlanHeld, RemanenceError
from remanence.core.model import STANDING, PolicyClass, Reason, Relation, Status
from remanence.core.receipt import Receipt
from remanence.curate.planner.brake import TOMBSTONE_KEPT
from remanence.curate.policy.compiled import load
from remanence.store.base import Check
from remanence_store_kit import invariants
from remanence_store_kit.dump import HAPPENED, Dump

SYSTEM = frozenset(name for name, item in load("default").categories.items() if item.system)
BY_ITSELF = frozenset({"curate", "tick", "recall", "consolidate"})  # what no person asked for by name
RULED = frozenset({"curate", "tick"})
COUNTED = frozenset({"revision", "touched"})
# What of a link a use or another look may raise.
LIVELY = frozenset({"count", "last_at", "weight", "confidence"})


@dataclass(frozen=True)
class Step:
    """What a verb did: what was there before and after, in the second store after, and the parts of the audit.

    `again` is what the same policy would do once more, `undone` what was there before the run that was taken back, if
    nothing came between; `plans` say what the same plan changes, made several times; `spent` is what ticks of a day
    deleted before this one, `ever` the numbers of all memories that ever were.
    """

    verb: str
    now: int
    before: Dump
    after: Dump
    other: Dump
    parts: Sequence[AuditPart]
    log: Sequence[AuditPart]
    error: RemanenceError | None = None
    allowed: bool = False
    doubted: bool = False
    fenced: bool = False
    spent: int = 0
    ever: frozenset[int] = frozenset()
    again: Sequence[str] = ()
    undone: Dump | None = None
    undone_twice: Receipt | None = None
    plans: Sequence[object] = ()
    merges: Sequence[tuple[int, int]] = ()  # what was taken in, and what took it in
    elsewhere: tuple[Dump, Dump] | None = None
    checks: Sequence[Check] = ()
    kept_logs: bool = True
    logs: tuple[Sequence[object], Sequence[object]] = (
        (),
        (),
    )  # what the audit of each store says of all parts
    budget: int | None = None
    tokens: int = 0  # of what was recalled

    def both(self) -> Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Return the memories that were and are there."""
        return {
            seq: (row, self.after.memories[seq])
            for seq, row in self.before.memories.items()
            if seq in self.after.memories
        }


Predicate = Callable[[Step], list[str]]


@dataclass(frozen=True)
class Invariant:
    """One invariant: its number in the list of what must hold, and the predicate that lists what breaks it."""

    number: int
    breaks: Predicate
    name: str = field(init=False)

    def __post_init__(self) -> None:
        """Go by the predicate's name."""
        object.__setattr__(self, "name", self.breaks.__name__)


def protected_fell(step: Step) -> list[str]:
    """What is pinned, held or the system's own neither falls nor goes by itself; pinned, it sinks to no lower tier.

    Nor is what is pinned or the system's own condensed.
    """
    if step.verb not in BY_ITSELF:
        return []
    fell = []
    for seq, row in step.before.memories.items():
        after = step.after.memories.get(seq)
        held = (row["hold_until"] or 0) > step.now
        stays = after is not None and (after["status"] == row["status"] or after["status"] in STANDING)
        if (row["pinned"] or held or row["category"] in SYSTEM) and not stays:
            fell.append(f"memory {seq}")
        if row["pinned"] and after is not None and row["tier"] < after["tier"]:
            fell.append(f"memory {seq}: tier")
        if (row["pinned"] or row["category"] in SYSTEM) and after is not None and after["form"] > row["form"]:
            fell.append(f"memory {seq}: form")
    return fell


def order_decided(step: Step) -> list[str]:
    """The same rules in another order, and the same plan in the other store, change the same."""
    return [f"plan {n}" for n, plan in enumerate(step.plans) if plan != step.plans[0]]


def unlogged(step: Step) -> list[str]:
    """Whatever changed is in the audit, by the row and the column."""
    logged = _logged(step.parts)
    used = {seq for part in step.parts if part.cause.verb in ROWLESS for seq in part.used}
    found = []
    for seq, (was, row) in step.both().items():
        said = logged.get(("memories", seq), set()) | COUNTED
        said |= HAPPENED if seq in used else set()
        said |= {"tags", "tagged_at"} if ("tags", seq) in logged else set()
        said |= {"sources"} if ("sources", seq) in logged else set()
        found += [f"memory {seq}: {name}" for name in was if was[name] != row[name] and name not in said]
    tables: tuple[tuple[str, Mapping[Any, object], Mapping[Any, object]], ...] = (
        ("memories", step.before.memories, step.after.memories),
        ("links", step.before.links, step.after.links),
    )
    for what, before, after in tables:
        changed = before.keys() ^ after.keys()
        found += [f"{what} {key}" for key in changed if (what, key) not in logged]
    for key in step.before.links.keys() & step.after.links.keys():
        if step.before.links[key] != step.after.links[key] and ("links", key) not in logged:
            found.append(f"link {key}")
    return found


def _logged(parts: Sequence[AuditPart]) -> dict[tuple[str, Any], set[str]]:
    """Return the rows that the audit names, each with its columns; tags and sources also under their memory."""
    rows: dict[tuple[str, Any], set[str]] = {}
    for change in (change for part in parts for change in part.changes):
        names = {*(change.before or {}), *(change.after or {})}
        rows.setdefault((change.table, change.key), set()).update(names)
        if change.table in {"tags", "sources"} and isinstance(change.key, tuple):
            rows.setdefault((change.table, change.key[0]), set())
    return rows


def not_as_before(step: Step) -> list[str]:
    """A run that is taken back at once leaves all columns, tags, sources, links, texts and vectors as they were."""
    if step.undone is None:
        return []
    was, is_ = step.undone.drop_unrestorable(), step.after.drop_unrestorable()
    names = ("memories", "links", "vectors", "postings", "df", "with_words", "forbidden", "boxes")
    return [name for name in names if getattr(was, name) != getattr(is_, name)]


def undone_twice(step: Step) -> list[str]:
    """A run is taken back once; what another took back already leaves nothing to take back."""
    twice = step.undone_twice
    return [] if twice is None or not twice.changes else [twice.run]


def not_at_rest(step: Step) -> list[str]:
    """A second run at the same instant changes nothing."""
    return list(step.again)


def moved_back(step: Step) -> list[str]:
    """What has fallen is brought back by no rule."""
    if step.verb not in RULED:
        return []
    return [
        f"memory {seq}"
        for seq, (was, row) in step.both().items()
        if was["status"] not in STANDING and row["status"] in STANDING
    ]


def links_broken(step: Step) -> list[str]:
    """Links are canonical, and both their ends have a row."""
    return invariants.dangling_ends(step.after) + invariants.links_out_of_order(step.after)


def indexes_off(step: Step) -> list[str]:
    """Full text, statistics and vectors are those of the memories there are."""
    strays = [f"vector {seq}" for seq in step.after.vectors if seq not in step.after.memories]
    return invariants.postings_off(step.after) + invariants.statistics_off(step.after) + strays


def woke_and_wrote(step: Step) -> list[str]:
    """Who has lost the lease writes nothing, neither a plan nor that it ran."""
    if not step.fenced:
        return []
    wrote = [f"part {part.position}" for part in step.parts]
    return wrote if isinstance(step.error, LeaseLost) else [f"not refused: {step.error!r}", *wrote]


def believed_the_clock(step: Step) -> list[str]:
    """Under a clock that jumped no plan is carried out."""
    if not step.doubted or step.verb not in RULED:
        return []
    wrote = [f"part {part.position}" for part in step.parts if part.cause.verb == "curate"]
    held = step.verb == "tick" or (isinstance(step.error, PlanHeld) and step.error.clock)
    return wrote if held else [f"not held: {step.error!r}", *wrote]


def braked_too_late(step: Step) -> list[str]:
    """Rules delete at most ten memories or a quarter, by themselves ten or a twentieth a day, unless more is allowed.

    What was to live for a while from arrival, and tombstones after their thirty days, count for nothing.
    """
    if step.verb not in RULED or step.allowed:
        return []
    there = len(step.before.memories)
    limit = max(10, int(there * 0.05)) if step.verb == "tick" else max(10, there * 0.25)
    gone = destroyed(step)
    return [f"{gone} of {there}, {step.spent} before"] if gone + step.spent > limit else []


def destroyed(step: Step) -> int:
    """Count the memories that fell or went in a step and count against the brake."""
    count = 0
    for seq, was in step.before.memories.items():
        row = step.after.memories.get(seq)
        if row is None:
            kept = step.now - was["status_at"]
            count += not (was["status"] == Status.PRUNED and kept >= TOMBSTONE_KEPT)
        elif row["status"] != was["status"] and row["status"] in {Status.PRUNED, Status.SUPERSEDED}:
            count += was["policy_class"] != PolicyClass.EPHEMERAL or row["reason"] != Reason.EXPIRED
    return count


def not_finite(step: Step) -> list[str]:
    """Every number is finite and every fraction one; no vector has the length 0."""
    odd = [
        f"memory {seq}: {name}"
        for seq, row in step.after.memories.items()
        for name, value in row.items()
        if isinstance(value, float) and not math.isfinite(value)
    ]
    for seq, kept in step.after.vectors.items():
        vector = np.frombuffer(kept, np.float32)
        if not np.isfinite(vector).all() or not vector.any():
            odd.append(f"vector {seq}")
    return odd + invariants.fractions_out_of_range(step.after)


def merge_lost(step: Step) -> list[str]:
    """What is merged away keeps its text behind its survivor, which takes over its tags and sources; no chains."""
    lost = []
    survivors = {survivor for _, survivor in step.merges}
    for gone, survivor in step.merges:
        was, row = step.before.memories[gone], step.after.memories.get(gone)
        over = step.after.memories.get(survivor)
        if row is None or over is None:
            lost.append(f"memory {gone} or {survivor} has gone")
            continue
        if (was["text"], Status.SUPERSEDED) != (row["text"], row["status"]):
            lost.append(f"text of {gone}")
        if (survivor, gone, int(Relation.MERGED_FROM)) not in step.after.links:
            lost.append(f"link of {gone}")
        tags = {tag for tag in was["tags"] if not is_flag(tag)}  # a flag stays with the text it speaks of
        lost += [f"tags of {gone}"] if tags - set(over["tags"]) else []
        lost += [f"sources of {gone}"] if set(was["sources"]) - set(over["sources"]) else []
        lost += [f"chain over {gone}"] if gone in survivors else []
    return lost


def scopes_mixed(step: Step) -> list[str]:
    """Another scope of the same file is as it was."""
    return [] if step.elsewhere is None or step.elsewhere[0] == step.elsewhere[1] else ["the other scope"]


def trust_rose(step: Step) -> list[str]:
    """Nothing that runs by itself makes a text more trusted."""
    if step.verb not in BY_ITSELF:
        return []
    return [f"memory {seq}" for seq, (was, row) in step.both().items() if was["trust"] < row["trust"]]


def over_budget(step: Step) -> list[str]:
    """A recall keeps within its budget."""
    return [] if step.budget is None or step.tokens <= step.budget else [f"{step.tokens} of {step.budget}"]


def ids_reused(step: Step) -> list[str]:
    """A memory keeps its id; what is new has a number above all that ever were."""
    moved = [f"id of {seq}" for seq, (was, row) in step.both().items() if was["id"] != row["id"]]
    new = step.after.memories.keys() - step.before.memories.keys() - step.ever
    again = [f"number {seq} again" for seq in new if seq <= max(step.ever, default=0)]
    return moved + again + invariants.ids_shared(step.after)


def unaccounted(step: Step) -> list[str]:
    """What stands is what was created less what was destroyed, and the audit itself only grows."""
    log = [*step.log, *step.parts]
    lost = [] if step.kept_logs else ["the audit"]
    return (
        lost
        + invariants.find_unaccounted_rows(step.after, log)
        + invariants.find_unowned_changes(log)
        + invariants.find_misordered_parts(log)
    )


def states_off(step: Step) -> list[str]:
    """There is one archive, what fell says why, revisions only rise, and clocks ascend."""
    content = step.after
    return [
        *invariants.two_archives(content),
        *invariants.lifecycles_off(content),
        *invariants.reasons_missing(content),
        *invariants.clocks_off(content),
        *invariants.revisions_fallen(step.before, content),
    ]


def sums_off(step: Step) -> list[str]:
    """The check sum of every table is that of its rows."""
    return [str(check) for check in step.checks if not check.ok]


def recall_wrote(step: Step) -> list[str]:
    """A recall changes what counts uses, and nothing else."""
    if step.verb != "recall":
        return []
    wrote = [
        f"memory {seq}: {name}"
        for seq, (was, row) in step.both().items()
        for name in was
        if was[name] != row[name] and name not in HAPPENED
    ]
    if step.before.memories.keys() != step.after.memories.keys():
        wrote.append("memories")
    if step.before.links.keys() - step.after.links.keys():
        wrote.append("links cut")
    return wrote


def refused_but_wrote(step: Step) -> list[str]:
    """What is refused is refused whole: nothing has changed."""
    return ["something"] if step.error is not None and step.before != step.after else []


def stores_differ(step: Step) -> list[str]:
    """Both stores hold the same after the same verbs."""
    audits = [] if step.logs[0] == step.logs[1] else ["the audit"]
    if step.after == step.other:
        return audits
    names = step.after.__dataclass_fields__
    return audits + [name for name in names if getattr(step.after, name) != getattr(step.other, name)]


TABLE = (
    Invariant(1, protected_fell),
    Invariant(3, order_decided),
    Invariant(4, unlogged),
    Invariant(5, not_as_before),
    Invariant(6, undone_twice),
    Invariant(7, not_at_rest),
    Invariant(9, moved_back),
    Invariant(10, links_broken),
    Invariant(11, indexes_off),
    Invariant(13, refused_but_wrote),
    Invariant(15, woke_and_wrote),
    Invariant(16, believed_the_clock),
    Invariant(17, braked_too_late),
    Invariant(18, not_finite),
    Invariant(20, merge_lost),
    Invariant(23, scopes_mixed),
    Invariant(24, trust_rose),
    Invariant(25, over_budget),
    Invariant(26, ids_reused),
    Invariant(28, unaccounted),
    Invariant(28, states_off),
    Invariant(29, sums_off),
    Invariant(33, recall_wrote),
    Invariant(34, stores_differ),
)
# Where the others are looked after: what takes a process that dies, a writer that lies or a file of its own.
ELSEWHERE: Mapping[int, Sequence[str]] = {
    2: ("laws/test_laws.py", "unit/test_plan_laws.py"),
    8: ("laws/test_laws.py", "unit/test_ladder.py"),
    12: ("flows/test_kill.py", "flows/test_kill_engine.py"),
    14: ("flows/test_processes.py", "flows/test_if_revision.py"),
    19: ("flows/test_repeats.py", "unit/test_fingerprint_case.py"),
    21: ("flows/test_consolidating.py", "flows/test_proposals.py"),
    22: ("flows/test_judging.py", "flows/test_vendor_writers.py"),
    27: ("laws/test_laws.py", "flows/test_forge_loop.py"),
    30: ("flows/test_file_versions.py", "flows/test_upgrading.py"),
    31: ("flows/test_exchange.py",),
}
NOT_YET = {32}  # nothing is erased for good by any verb


def broken(step: Step) -> list[str]:
    """Return what breaks any invariant in a step, each with its name."""
    return [f"{one.number} {one.name}: {what}" for one in TABLE for what in one.breaks(step)]
