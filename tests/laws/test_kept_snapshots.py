"""What is kept of a scope and brought up to date by the log is what is read anew, after any verbs."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import rule, run_state_machine_as_test

from remanence.core.model import STANDING
from remanence.core.receipt import Receipt
from remanence.core.snapshot import LINK_COLUMNS, TAG, Snapshot, SnapshotRequest
from remanence.curate.planner import snapshot_update
from remanence.curate.policy.compiled import build_affected_filter, build_snapshot_request, load
from remanence.engine import Engine
from remanence.flows.base.kept_snapshots import KeptSnapshots
from remanence.flows.curate.curating import TASKS
from remanence.flows.indexes import evidence_index
from remanence.flows.indexes.evidence_index import (
    COLUMNS,
    EvidenceIndex,
    ScopeEvidence,
    columns_at,
    evidence_of,
    rows_of,
)
from remanence.store.sql import block_log, snapshots
from remanence_store_kit.memory import snapshot_columns
from tests.laws.bugs import Plant, swapped, wrapped
from tests.laws.lab import SCOPE
from tests.laws.machine import PICKS, Machine

VERBS = 12


def _requests() -> list[SnapshotRequest]:
    """Ask for what ticks ask for, for all there is, and for a few of some."""
    found = []
    for name, cadence in (("janitor", "rapid"), ("janitor", "deep")):
        part = load(name).part(cadence)  # type: ignore[arg-type]
        asked, among = build_snapshot_request(part), build_affected_filter(part)
        more = asked.columns | {"category", "status", "state"}
        found.append(replace(asked, columns=more, among=None if among is None else (*among, TASKS)))
    whole = replace(found[1], links=LINK_COLUMNS, among=None, clocks=frozenset({"active", "turns"}))
    tagged = replace(whole, among=({TAG: frozenset({"x"})},), tags=whole.tags | {"x"}, links=frozenset())
    return [found[0], found[1], whole, replace(whole, links=None, agents=False), tagged]


REQUESTS = _requests()
WHOLE = SnapshotRequest(frozenset({*COLUMNS, "status"}), links=frozenset({"resolved_at", "confidence"}))


class Kept(Machine):
    """A machine that looks, after each verb, at nothing but snapshots that it keeps of both stores."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = [(store, one, KeptSnapshots(store, SCOPE)) for store in self.stores for one in REQUESTS]
        self.evidence = [
            (store, leaves, EvidenceIndex(store, SCOPE)) for store in self.stores for leaves in (False, True)
        ]
        self.steps = 0

    def look(self, verb: str, *, whole: bool = False, said: Any = None, **more: Any) -> None:
        """Compare some snapshots with fresh ones; each after another number of verbs."""
        fresh = self.run(self.stores[0].history(SCOPE, after=self.log[-1].position if self.log else 0))
        before, self.last, self.log = self.last, self.dump(0), [*self.log, *fresh]
        self.ids |= {seq: row["id"] for seq, row in self.last.memories.items()}
        if (
            isinstance(said, Receipt)
            and said.changes
            and verb != "undo"
            and {part.cause.run for part in fresh} == {said.run}
        ):
            self.runs[said.run] = (before, fresh[-1].position)
        self.steps += 1
        for number, (store, asked, kept) in enumerate(self.kept):
            if whole or not self.steps % (1 + number % 3):
                now = self.clock.now()
                ours, theirs = (
                    self.run(kept.read(asked, now, snapshot_update.patch_snapshot)),
                    self.run(store.snapshot(SCOPE, asked, now)),
                )
                differ = differences(ours, theirs)
                self.sound = not differ
                assert not differ, (verb, number, differ)
        for number, (store, leaves, index) in enumerate(self.evidence):
            if whole or not self.steps % (1 + number % 3):
                now = self.clock.now()
                ours = self.run(index.read(now, leaves_archive=leaves))
                fresh = self.run(store.snapshot(SCOPE, WHOLE, now))
                self.sound = standing_evidence(ours, fresh) == standing_evidence(evidence_of(fresh), fresh)
                assert self.sound, (
                    verb,
                    number,
                    standing_evidence(ours, fresh),
                    standing_evidence(evidence_of(fresh), fresh),
                )

    @rule(pick=PICKS, other=PICKS)
    def erase(self, pick: int, other: int) -> None:
        """An erasure takes memories away, and what the log said of them."""
        seqs = [seq for one in (pick, other) if (seq := self.any_memory(one)) is not None]

        async def erased(it: Engine) -> object:
            return await it.erase.apply(await it.erase.show(seqs))

        if seqs:
            self.step("erase", erased)


def standing_evidence(evidence: ScopeEvidence, fresh: Snapshot) -> Any:
    """Return what evidence says of the memories that stand: columns, weighted degrees, and who contradicts whom."""
    standing = fresh.seq[np.isin(fresh.columns["status"], [*STANDING])]
    rows, here = rows_of(evidence.seq, standing)
    stands = np.zeros(len(evidence.seq), np.bool_)
    stands[rows[here]] = True
    columns = columns_at(evidence.columns, rows, here)
    degrees = evidence.links.degrees(stands)[rows].round(9).tolist() if len(stands) else []
    source, target, certain = evidence.links.contradicting(stands)
    pairs = zip(evidence.seq[source].tolist(), evidence.seq[target].tolist(), certain.tolist(), strict=True)
    shown = {name: np.nan_to_num(values, nan=-1).tolist() for name, values in columns.items()}
    return here.tolist(), shown, degrees, sorted(pairs)


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Name the fields of two snapshots that differ."""
    if is_dataclass(one) and is_dataclass(other):
        return [
            found
            for field in fields(one)
            for found in differences(
                getattr(one, field.name), getattr(other, field.name), f"{path}.{field.name}"
            )
        ]
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [path]
        return [found for key in one for found in differences(one[key], other[key], f"{path}[{key}]")]
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        same = one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    else:
        same = one == other
    return [] if same else [path]


def test_a_kept_snapshot_is_the_fresh_one_after_any_verbs() -> None:
    """Column by column, on both stores, whoever wrote meanwhile."""
    run_state_machine_as_test(Kept, settings=settings(max_examples=15, stateful_step_count=VERBS))


def _without_neighbours(inner: Any, *asked: Any) -> Any:
    *_, (changed, links) = asked
    seq, arrays, found = inner(*asked)
    if links is not None:
        return seq, arrays, found
    alone = np.isin(seq, changed)
    return seq[alone], {name: one[alone] for name, one in arrays.items()}, None


BUGS: dict[str, Plant] = {
    "a link touches nothing but itself": wrapped(snapshots, "_read_near", _without_neighbours),
    "uses change nothing": swapped(block_log, "find_touched", lambda *_: np.empty(0, np.int64)),
    "tags change nothing": swapped(snapshot_columns, "_SEEN", frozenset({"memories", "links"})),
    "an erasure is a change like another": swapped(snapshot_columns, "ERASE", "nothing"),
    "names that nothing bears stay": swapped(snapshot_update, "_without_unused_names", lambda one: one),
    "what no rule concerns any more stays": swapped(snapshot_update, "_select_concerned", lambda one, _: one),
    "evidence stays": swapped(evidence_index, "patch_evidence", lambda kept, _: kept),
    "evidence keeps links that changed": wrapped(
        evidence_index, "_find_touching", lambda inner, *asked: inner(*asked) & False
    ),
}


@pytest.mark.parametrize("name", BUGS)
def test_a_kept_snapshot_with_a_planted_bug_differs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The law turns red for each."""
    BUGS[name](monkeypatch)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(
            Kept,
            settings=settings(
                max_examples=300,  # the first that differs ends it; what is drawn hangs on what is imported
                stateful_step_count=VERBS,
                database=None,
                phases=[Phase.generate],
                report_multiple_bugs=False,
            ),
        )
