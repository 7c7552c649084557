"""A plan is a proposal: whatever a plan file says, nothing is done that its policy would not do by itself now."""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import orjson
import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, PlanHeld, PolicyMismatch, RemanenceError
from remanence.core.model import Memory, Status, Turn
from remanence.core.receipt import Receipt
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.curate.planner.plan import Plan, fields_of
from remanence_store_kit.dump import Dump, dump
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.conftest import Measured, Opener

Forge = Callable[[dict[str, Any]], None]
Path = tuple[str | int, ...]


def _rule(name: str, phase: str, do: str, where: str, *more: str) -> str:
    lines = [
        f'name = "{name}"',
        'every = "deep"',
        f'phase = "{phase}"',
        f'do = "{do}"',
        f'where = "{where}"',
        *more,
    ]
    return "\n".join(["[[rule]]", *lines])


PRUNE = _rule("notes", "expire", "prune", "category == 'knowledge' and idle > days(30)")
# Every action that there is, each on memories of its own.
EVERYTHING = "\n".join(
    [
        'version = 1\nname = "everything"',
        PRUNE,
        _rule(
            "twins", "deduplicate", "merge", "both(category == 'preference')", 'over = "pairs"', "min = 0.9"
        ),
        _rule("tried", "lifecycle", "transition", "kind == 'procedural'", 'to = "validated"'),
        _rule(
            "done", "lifecycle", "transition", "category == 'task'", 'column = "state"', 'to = "completed"'
        ),
        _rule("talk", "value", "archive", "category == 'message'"),
        _rule("warm", "tiers", "move", "category == 'fact'", 'to = "warm"'),
        _rule("weak", "links", "unlink", "weight < 0.3", 'over = "links"'),
        _rule("odd", "value", "flag", "severity >= 'high'", 'to = "look"'),
        _rule("tombs", "purge", "purge", "status == 'pruned' and age(status_at) > days(30)"),
        _rule("best", "reinforce", "reinforce", "category == 'fact'", 'period = "40 hours"', "top = 2"),
        '[[guard]]\nname = "disputed"\nwhere = "disputes > 0"\nblocks = "archive"\n',
    ]
)
TOO_MANY = 10  # more notes than a plan may prune without being held, with those that are there
TEXTS: dict[str, tuple[str, dict[str, Any]]] = {
    "bell": ("The tide bell rings by the harbour.", {"category": "preference"}),
    "bell again": ("By the harbour the tide bell rings.", {"category": "preference"}),
    "wall": ("The wall was built in 1880.", {"category": "fact"}),
    "mole": ("The mole was mended in 1911.", {"category": "fact"}),
    "talk": ("Good morning to you.", {"category": "message", "kind": "episodic"}),
    "more talk": ("And a good evening.", {"category": "message", "kind": "episodic"}),
    "knot": ("To tie a bowline, make a loop.", {"kind": "procedural"}),
    "task": ("Paint the boat.", {"category": "task", "state": "pending"}),
    "storm": ("The pier was torn away.", {"category": "observation", "severity": "critical"}),
    "note": ("A note on ropes.", {"category": "knowledge"}),
    "old note": ("A note on sails.", {"category": "knowledge"}),
    "tomb": ("Something forgotten.", {"category": "observation"}),
    "self": ("I keep the lighthouse.", {"category": "identity"}),
    "pinned": ("Never sail on a Friday.", {"category": "message"}),
}


async def _build(memory: remanence.Engine, clock: ManualClock, notes: int = 0) -> dict[str, int]:
    """A scope in which every rule has something to do, forty days old; with so many more notes that a rule prunes."""
    await memory.learn([Turn(f"Note {number} on knots.", category="knowledge") for number in range(notes)])
    seqs = {name: (await memory.learn(text, **more)).seq for name, (text, more) in TEXTS.items()}
    await memory.consolidate()
    await memory.link(seqs["bell"], seqs["wall"], "supports", weight=0.4)
    await memory.link(seqs["bell again"], seqs["wall"], "supports", weight=0.6)
    await memory.link(seqs["bell again"], seqs["mole"], "supports", weight=0.5)
    await memory.link(seqs["bell"], seqs["bell again"], "near_duplicate", weight=0.99, confidence=0.99)
    await memory.link(seqs["mole"], seqs["storm"], "refers", weight=0.1)
    await memory.link(seqs["tomb"], seqs["storm"], "supports", weight=0.9)
    await memory.recall("the tide bell", limit=2)
    await memory.pin(seqs["pinned"])
    await memory.forget(seqs["tomb"])
    clock.advance(days=40)
    await memory.recall("wall of 1880", limit=1)
    return seqs


def _signed(data: dict[str, Any]) -> str:
    """Write a forged plan with the digest that belongs to it: the digest is no secret."""
    try:
        data = {**data, "digest": Plan(**fields_of(data)).digest}
    except (ValueError, TypeError, KeyError, AttributeError):
        pass  # no digest makes a plan of this
    return json.dumps(data)


def _leaves(data: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the way to every value of a plan, and to every list."""
    if isinstance(data, dict | list):
        if path and isinstance(data, list):
            yield path
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _leaves(value, (*path, key))
    elif path != ("digest",):
        yield path


def _forgeries(value: Any) -> Iterator[Any]:
    """Yield other values in the place of one."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, 4, -1, 1 << 70, None)
        case float():
            yield from (value / 2, None)
        case str():
            yield from (value + "x", 3)
        case None:
            yield 0.5
        case list():
            yield from ([], value[1:], [*value, *(value[-1:] or [1])], "none")


def _put(data: Any, path: Path, value: Any) -> Any:
    """Return data with another value at the end of a way."""
    if not path:
        return value
    whole: Any = dict(data) if isinstance(data, dict) else list(data)
    whole[path[0]] = _put(data[path[0]], path[1:], value)
    return whole


class _Counting(MemoryStore):
    """A store in memory that says how often it was frozen."""

    frozen = 0

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope."""
        self.frozen += 1
        return await super().snapshot(scope, wanted, now)


async def _world(clock: ManualClock, notes: int = 0) -> tuple[MemoryStore, dict[str, int], Plan]:
    """A store in memory, and what the policy would do there."""
    store = MemoryStore()
    async with remanence.open(store=store, clock=clock, embedder=Measured()) as memory:
        seqs = await _build(memory, clock, notes)
    async with remanence.open(store=store, clock=clock, embedder=Measured(), policy=EVERYTHING) as memory:
        plan = await memory.plan()
    return store, seqs, plan


async def _applied(store: MemoryStore, clock: ManualClock, text: str) -> tuple[Dump, Receipt | None]:
    """Apply a plan file to a copy of the store; return what is there then, and the receipt unless it was refused."""
    mine, receipt = copy.deepcopy(store), None
    async with remanence.open(store=mine, clock=clock, embedder=Measured(), policy=EVERYTHING) as memory:
        with suppress(RemanenceError):
            receipt = await memory.apply(Plan.from_json(text), allow_destroyed=100)
        return await dump(mine, memory.scope), receipt


def _kept(found: Dump) -> tuple[dict[int, Any], dict[Any, Any]]:
    kept = found.drop_unrestorable()
    return dict(kept.memories), dict(kept.links)


async def test_the_policy_does_something_of_every_sort(clock: ManualClock) -> None:
    """Or else the forgeries below would forge nothing."""
    _, _, plan = await _world(clock)

    assert {
        "archive": 2,
        "flag": 1,
        "merge": 1,
        "move": 2,
        "prune": 2,
        "purge": 1,
        "reinforce": 2,
        "transition": 2,
        "unlink": 1,
    } == plan.counts


@pytest.mark.parametrize("part", [pytest.param(n, marks=[pytest.mark.deep] * (n > 0)) for n in range(5)])
async def test_every_forged_value_does_nothing_that_the_policy_would_not(
    part: int, clock: ManualClock
) -> None:
    """Each leaf of a plan file in turn: refused, or every row is as it was or as the true plan leaves it.

    And the receipt counts what was really done. Every fifth forgery is tried always, the others in the deep run.
    """
    store, _, plan = await _world(clock)
    data = orjson.loads(plan.to_json())
    before, _ = await _applied(store, clock, "")
    honest, receipt = await _applied(store, clock, plan.to_json())
    assert receipt is not None
    applied = 0
    for path, forged in islice(_forged(data), part, None, 5):
        text = _signed(_put(data, path, forged))
        if not _is_plan(text):
            continue
        after, done = await _applied(store, clock, text)
        applied += done is not None
        for was, is_, true in zip(_kept(before), _kept(after), _kept(honest), strict=True):
            for key in was.keys() | is_.keys() | true.keys():
                assert is_.get(key) in (was.get(key), true.get(key)), (path, key)
        assert done is None or _fallen(before, after) == _counted(done), path

    assert applied > 5


def _forged(data: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yield the way to each value of a plan and what to put there instead."""
    for path in _leaves(data):
        value: Any = data
        for key in path:
            value = value[key]
        for forged in _forgeries(value):
            yield path, forged


def _is_plan(text: str) -> bool:
    """Tell whether a text can be read as a plan at all; nothing but InvalidInput says no."""
    try:
        Plan.from_json(text)
    except InvalidInput:
        return False
    return True


def _fallen(before: Dump, after: Dump) -> Counter[str]:
    """Count what fell between two looks."""
    fell: Counter[str] = Counter()
    for seq, row in before.memories.items():
        if seq not in after.memories:
            fell["purge"] += 1
        elif (status := after.memories[seq]["status"]) != row["status"]:
            fell[
                {Status.ARCHIVED: "archive", Status.PRUNED: "prune", Status.SUPERSEDED: "merge"}[status]
            ] += 1
    return fell


def _counted(done: Receipt) -> Counter[str]:
    return (
        Counter({name: done.counts.get(name, 0) for name in ("purge", "archive", "prune", "merge")})
        + Counter()
    )


def _column(name: str, before: int, after: int, seq: str = "talk") -> Callable[[dict[str, int]], Forge]:
    """Let a memory of the plan change one column more."""

    def made(seqs: dict[str, int]) -> Forge:
        def forge(data: dict[str, Any]) -> None:
            place = data["memories"]["seq"].index(seqs[seq])
            data["columns"][name] = [[place], [before], [after]]

        return forge

    return made


def _join(data: dict[str, Any], memory: Memory) -> None:
    """Prune one memory more, as the plan prunes others, with counts, reasons and stamps as they should be."""
    read = fields_of(data)
    place = int(np.searchsorted(read["seq"], memory.seq))
    memories, now = data["memories"], data["now"]
    for name in ("seq", "revision", "touched"):
        memories[name] = np.insert(read[name], place, getattr(memory, name)).tolist()
    memories["purged"] = [row + (row >= place) for row in memories["purged"]]
    for group, rules in read["why"].items():
        rule = data["rules"].index("notes") if group == "status" else -1
        data["why"][group] = np.insert(rules, place, rule).tolist()
    for name, edits in read["columns"].items():
        rows = edits.rows + (edits.rows >= place)
        sides = [rows.tolist(), edits.before.tolist(), edits.after.tolist()]
        pruned = {"status": (1, 4), "reason": (-(1 << 63), 3), "status_at": (memory.status_at, now)}
        if name in pruned:
            at = int(np.searchsorted(rows, place))
            for side, value in zip(sides, (place, *pruned[name]), strict=True):
                side.insert(at, value)
        data["columns"][name] = sides
    data["by_rule"] = [[act, rule, n + (act == "prune")] for act, rule, n in data["by_rule"]]
    data["destroyed"] += 1


FORGED: dict[str, Callable[[dict[str, int]], Forge]] = {
    "pinned": _column("pinned", 1, 0),
    "hold_until": _column("hold_until", 5, -(1 << 63)),
    "category": _column("category", 1, 0),
    "confidence": _column("confidence", 0, 1),
    "value": _column("value", 0, 1),
    "disputes": _column("disputes", 1, 0),
    "learned_at": _column("learned_at", 1, 2),
    "revision": _column("revision", 1, 9),
    "uses of what takes in nothing": _column("uses", 0, 9),
    "text": _column("text", 0, 1),
}


@pytest.mark.parametrize("name", FORGED)
async def test_a_column_that_no_action_owns_refuses_the_plan(name: str, clock: ManualClock) -> None:
    """Such a plan was not made by its policy, and nothing of it is done."""
    store, seqs, plan = await _world(clock)
    data = orjson.loads(plan.to_json())
    FORGED[name](seqs)(data)
    async with remanence.open(store=store, clock=clock, embedder=Measured(), policy=EVERYTHING) as memory:
        before = await dump(store, memory.scope)
        with pytest.raises(InvalidInput):
            await memory.apply(Plan.from_json(_signed(data)), allow_destroyed=100)

        assert before == await dump(store, memory.scope)


@pytest.mark.parametrize("victim", ["self", "pinned", "storm"])
async def test_a_memory_slipped_into_a_plan_stays(victim: str, clock: ManualClock) -> None:
    """Named with all that belongs to it, of the right rule and rightly counted: what the policy does not take stays."""
    store, seqs, plan = await _world(clock)
    data = orjson.loads(plan.to_json())
    async with remanence.open(store=store, clock=clock, embedder=Measured()) as memory:
        _join(data, await memory.get(seqs[victim]))
    after, done = await _applied(store, clock, _signed(data))

    assert done is not None
    assert Status.ACTIVE == after.memories[seqs[victim]]["status"]
    assert 2 == done.pruned
    why = "protected" if victim in {"self", "pinned"} else "its policy does not do this now"
    assert any(f"#{seqs[victim]}: {why}" in said for said in done.skipped)


@pytest.mark.parametrize(
    ("protect", "guard"),
    [
        (lambda memory, seq: memory.pin(seq), "pinned"),
        (lambda memory, seq: memory.hold(seq, "legal"), "held"),
        (lambda memory, seq: memory.update(seq, category="identity"), "system-category"),
        (lambda memory, seq: memory.rate(seq, "wrong"), "disputed"),
    ],
)
async def test_what_was_protected_since_is_skipped_by_the_name_of_its_guard(
    opener: Opener, clock: ManualClock, protect: Callable[[remanence.Engine, int], Any], guard: str
) -> None:
    """The policy's own guards protect like those built in; the rest of the plan goes on."""
    async with opener() as memory:
        seqs = await _build(memory, clock)
    async with opener(policy=EVERYTHING) as memory:
        plan = await memory.plan()
        await protect(memory, seqs["talk"])
        receipt = await memory.apply(plan, allow_destroyed=100)
        found = await memory.get(seqs["talk"])

    assert (Status.ACTIVE, 1) == (found.status, receipt.archived)
    assert f"#{seqs['talk']}: protected: {guard}" in receipt.skipped


@pytest.mark.parametrize("forged", [["explode", "notes", 1], ["prune", "nobody's", 1]])
async def test_a_plan_that_counts_what_there_is_not_is_no_plan(clock: ManualClock, forged: list[Any]) -> None:
    """An action or a rule that nothing knows is refused where the plan is read, not where it is shown."""
    _, _, plan = await _world(clock)
    fields: Any = {"by_rule": (tuple(forged),)}

    with pytest.raises(InvalidInput, match="no plan"):
        str(Plan.from_json(replace(plan, **fields).to_json()))


async def test_a_plan_of_an_older_format_says_so(clock: ManualClock) -> None:
    """It is no forgery: whoever has one is told that it has to be made again."""
    _, _, plan = await _world(clock)
    data = orjson.loads(plan.to_json())

    with pytest.raises(InvalidInput, match="of format 2") as refused:
        Plan.from_json(orjson.dumps({**data, "format": 2}))

    assert "plan -o" in refused.value.recovery


async def test_what_holds_a_plan_is_judged_anew(clock: ManualClock) -> None:
    """A held plan that says that nothing holds it is held; neither can it hide how much it destroys."""
    store, _, plan = await _world(clock, notes=TOO_MANY)
    data = orjson.loads(plan.to_json())
    assert data["held"]
    data["held"] = None
    async with remanence.open(store=store, clock=clock, embedder=Measured(), policy=EVERYTHING) as memory:
        with pytest.raises(PlanHeld) as held:
            await memory.apply(Plan.from_json(_signed(data)))

        assert plan.destroyed == held.value.destroyed

        with pytest.raises(PlanHeld):
            await memory.apply(Plan.from_json(_signed(data)), allow_destroyed=plan.destroyed - 1)
        for name, value in (("destroyed", 0), ("by_rule", [])):
            with pytest.raises(InvalidInput):
                await memory.apply(Plan.from_json(_signed({**data, name: value})), allow_destroyed=100)


async def test_a_part_of_a_held_plan_is_held(clock: ManualClock) -> None:
    """Cut into files that each destroy little, a plan still needs a yes; what destroys nothing needs none."""
    store, seqs, plan = await _world(clock, notes=TOO_MANY)
    one = replace(plan, revision=np.where(plan.seq == seqs["note"], plan.revision, 99))
    none = replace(plan, revision=np.where(plan.seq == seqs["talk"], plan.revision, 99))
    async with remanence.open(store=store, clock=clock, embedder=Measured(), policy=EVERYTHING) as memory:
        with pytest.raises(PlanHeld) as held:
            await memory.apply(one)
        archived = await memory.apply(replace(none, notes=("all is well",)))
        pruned = await memory.apply(one, allow_destroyed=1)

    assert (1, 1, 1) == (held.value.destroyed, archived.archived, pruned.pruned)
    assert "all is well" not in archived.notes


async def test_a_plan_that_was_held_and_now_destroys_less_is_done(clock: ManualClock) -> None:
    """The brake counts what would be destroyed now; that the file says it is held holds nothing."""
    store, seqs, plan = await _world(clock)
    async with remanence.open(store=store, clock=clock, embedder=Measured(), policy=EVERYTHING) as memory:
        for name in ("note", "old note"):
            await memory.pin(seqs[name])
        receipt = await memory.apply(Plan.from_json(plan.to_json()))

    assert (0, 2) == (receipt.pruned, receipt.archived)


async def test_a_policy_that_nobody_has_at_hand_is_refused(opener: Opener, clock: ManualClock) -> None:
    """Neither its name nor overrides written into the file make it one; it can be given, and must be the same."""
    async with opener() as memory:
        await _build(memory, clock)
        text = (
            await memory.plan(EVERYTHING, overrides={"notes": {"where": "category == 'knowledge'"}})
        ).to_json()
    async with opener() as memory:
        with pytest.raises(PolicyMismatch, match="not at hand") as refused:
            await memory.apply(Plan.from_json(text), allow_destroyed=100)
        with pytest.raises(PolicyMismatch, match="not the one given"):
            await memory.apply(Plan.from_json(text), policy=EVERYTHING, allow_destroyed=100)
        receipt = await memory.apply(
            Plan.from_json(text),
            policy=EVERYTHING,
            overrides={"notes": {"where": "category == 'knowledge'"}},
            allow_destroyed=100,
        )

    assert "policy=" in refused.value.recovery
    assert 2 == receipt.pruned


async def test_an_adopted_policy_is_at_hand_and_no_other(opener: Opener, clock: ManualClock) -> None:
    """Adopted by another process since this one began, too."""
    async with opener() as memory:
        await _build(memory, clock)
        text = (await memory.plan(EVERYTHING)).to_json()
        other = (await memory.plan("default")).to_json()
    async with opener() as early, opener() as late:
        await late.policy.use(EVERYTHING)
        with pytest.raises(PolicyMismatch):
            await early.apply(Plan.from_json(other), policy="default")
        receipt = await early.apply(Plan.from_json(text), allow_destroyed=100)

    assert 2 == receipt.archived


async def test_a_plan_of_this_engine_is_frozen_once_and_any_other_again(clock: ManualClock) -> None:
    """Curating costs one snapshot, and so does a plan that waited while nothing happened; any other costs one more."""
    store = _Counting()
    async with remanence.open(store=store, clock=clock, embedder=Measured(), policy=EVERYTHING) as memory:
        await _build(memory, clock, notes=TOO_MANY)
        store.frozen = 0
        held = await memory.plan()
        clock.advance(hours=1)
        with pytest.raises(PlanHeld):
            await memory.apply(held)
        once = store.frozen
        await memory.learn("Something new.")
        done = await memory.apply(held, allow_destroyed=100)

    assert (1, 2, 2 + TOO_MANY) == (once, store.frozen, done.pruned)


async def test_a_plan_that_was_written_to_after_it_was_made_is_a_proposal(clock: ManualClock) -> None:
    """Who it is is not enough: what it says must be what was made."""
    async with remanence.open(
        store=MemoryStore(), clock=clock, embedder=Measured(), policy=EVERYTHING
    ) as memory:
        seqs = await _build(memory, clock)
        plan, pinned = await memory.plan(), await memory.get(seqs["pinned"])
        place = plan.seq == seqs["talk"]
        plan.seq[place], plan.revision[place], plan.touched[place] = (
            pinned.seq,
            pinned.revision,
            pinned.touched,
        )
        done = await memory.apply(plan, allow_destroyed=100)

        assert pinned == await memory.get(seqs["pinned"])
        assert f"#{pinned.seq}: protected: pinned" in done.skipped


async def test_a_plan_applied_later_says_when_it_was_applied(opener: Opener, clock: ManualClock) -> None:
    """A tombstone lives from the day it was made, not from the day that a file names."""
    async with opener(policy=EVERYTHING) as memory:
        seqs = await _build(memory, clock)
        text = (await memory.plan()).to_json()
        clock.advance(days=40)
        await memory.learn("Something new.")
        await memory.apply(Plan.from_json(text), allow_destroyed=100)
        found = await memory.get(seqs["note"])

    assert (Status.PRUNED, clock.now()) == (found.status, found.status_at)
