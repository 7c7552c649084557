"""What happened to a memory is told for as long as the audit has it, also when the memory itself is gone."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import remanence
from remanence.core.change import Cause, CommitResult, Entry
from remanence.core.clock import ManualClock
from remanence.core.errors import NameUnknown, NotFound
from remanence.flows.curate import applying
from tests.command_line import typed
from tests.flows.conftest import Opener

PURGE = """
version = 1
name = "purge"
[[rule]]
name = "gone"
every = "deep"
phase = "purge"
where = "status == 'pruned'"
do = "purge"
"""


async def purged(memory: remanence.Engine) -> remanence.LearnResult:
    """Take a text in and destroy it, row and all."""
    await memory.learn("The lamp oil is in the cellar.")
    learned = await memory.learn("The old key fits the chapel.", key="chapel", tags=["keys"])
    await memory.consolidate()
    await memory.forget(learned.id)
    await memory.apply(await memory.plan(PURGE), allow_destroyed=1)
    with pytest.raises(NotFound):
        await memory.get(learned.id)
    return learned


async def test_a_purged_memory_has_its_history(memory: remanence.Engine) -> None:
    """By id, by key and by number, from the first run to the one that destroyed it, and after it came back."""
    learned = await purged(memory)
    told = await memory.history(learned.id)

    assert ["put", "consolidate", "forget", "curate"] == [event.verb for event in told]
    assert "memory destroyed" in told[-1].changes
    assert told == await memory.history("chapel") == await memory.history(learned.seq)

    await memory.restore(learned.id)

    assert ["curate", "restore"] == [event.verb for event in await memory.history(learned.id)][-2:]


async def test_what_never_was_has_no_history(memory: remanence.Engine) -> None:
    """The error is that of every verb."""
    await purged(memory)
    for name in ("0" * 32, "no-key", 99):
        with pytest.raises(NotFound, match="no memory"):
            await memory.history(name)


def test_the_command_line_tells_of_a_purged_memory(tmp_path: Path) -> None:
    """What the engine tells, the command does."""
    path = tmp_path / "a.db"
    with remanence.sync.open(path, embedder="auto") as memory:
        learned = memory.learn("The old key fits the chapel.")
        memory.consolidate()
        memory.forget(learned.id)
        memory.apply(memory.plan(PURGE), allow_destroyed=1)
    done = typed("--db", str(path), "history", learned.id, "--json")

    assert 0 == done.exit_code, done.output
    assert ["learn", "consolidate", "forget", "curate"] == [
        event["verb"] for event in json.loads(done.stdout)
    ]


ARCHIVE = """
version = 1
name = "old"
[[rule]]
name = "idle"
every = "deep"
phase = "value"
where = "age(said_at) > days(30)"
do = "archive"
"""


async def test_a_run_whose_last_part_drops_out_has_ended(
    memory: remanence.Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that the last part was to change was edited meanwhile: the run is not taken for one that was killed."""
    learned = await memory.learn([f"Note number {number} about the boat." for number in range(6)])
    await memory.consolidate()
    clock.advance(days=40)
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 3)
    plan = await memory.plan(ARCHIVE)
    commit = memory._core.store.commit

    async def overtaken(scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        if (cause.verb, cause.part) == ("curate", 0):
            for one in learned[3:]:
                await memory.update(one.id, confidence=0.5)
        return await commit(scope, changes, cause)

    memory._core.store.commit = overtaken  # type: ignore[method-assign]
    receipt = await memory.apply(plan)

    assert (3, 2, 3) == (receipt.archived, receipt.parts, len(receipt.skipped))
    assert () == (await memory.status()).interrupted

    await memory.undo(receipt)

    assert {"active": 6} == (await memory.status()).statuses
    assert () == (await memory.status()).interrupted


async def test_a_run_tells_of_what_it_destroyed(memory: remanence.Engine) -> None:
    """Text and id come from the audit; a run by a verb is told too, and one that never was is not found."""
    learned = await purged(memory)
    runs = {event.verb: event.run for event in await memory.history()}
    (act,) = (await memory.history(run=runs["curate"])).acts
    forgotten = await memory.history(run=runs["forget"])
    with pytest.raises(NotFound, match="no run"):
        await memory.history(run="0" * 32)

    assert ("purge", 1, {"gone": ""}) == (act.name, act.count, act.rules)
    assert [(learned.id, "The old key fits the chapel.")] == [(one.id, one.text) for one in act.memories]
    assert [("forget", 1)] == [(one.name, one.count) for one in forgotten.acts]
    assert runs["forget"] == forgotten.undo


AWAY = """
version = 1
name = "away"
[[rule]]
name = "old"
every = "deep"
phase = "expire"
where = "age(learned_at) > days(30)"
do = "archive"
"""
CUTTING = """
version = 1
name = "cutting"

[[rule]]
name = "all-links"
every = "deep"
phase = "links"
over = "links"
where = "True"
do = "unlink"
because = "every link goes"
"""


async def test_links_that_a_run_cut_are_counted_one_by_one(memory: remanence.Engine) -> None:
    """Two links of one memory are two, in the report of the run as in its receipt."""
    bell, flag, rope = await memory.learn(["The bell rings.", "The flag is red.", "The rope is new."])
    await memory.link(bell, flag, "supports")
    await memory.link(bell, rope, "supports")
    done = await memory.curate(CUTTING)
    report = await memory.history(run=done)

    assert {"unlink": 2} == {name: count for name, count in done.counts.items() if count}
    assert [("unlink", 2)] == [(act.name, act.count) for act in report.acts]


async def test_runs_of_one_verb_are_found_among_all_others(memory: remanence.Engine) -> None:
    """What was curated last night is found whatever else was asked and learned since."""
    await memory.learn(["The bell rings.", "The flag is red."])
    await memory.link(1, 2, "supports")
    done = await memory.curate(CUTTING)
    for _ in range(3):
        await memory.recall("the bell")
    with pytest.raises(NameUnknown) as refused:
        await memory.history(verb="curat")

    assert [done.run] == [event.run for event in await memory.history(verb="curate", limit=1)]
    assert ["learn"] == [event.verb for event in await memory.history(1, verb="learn")]
    assert [] == await memory.history(verb="forget")
    assert "did you mean 'curate'?" == refused.value.recovery


async def test_a_run_of_a_policy_says_what_it_looked_at(opener: Opener, clock: ManualClock) -> None:
    """Scanned are kept and changed, guards and what was left out are counted."""
    async with opener() as memory:
        for number in range(12):
            await memory.learn(
                f"Notice {number}: the slipway is swept.", category="notification", state="read"
            )
        await memory.pin(1)
        await memory.consolidate()
        clock.advance(days=20)
        plan = await memory.plan("janitor")
        done = await memory.apply(plan, policy="janitor", allow_destroyed=99)
        told = await memory.history(run=done)
        cycle = told.cycle

    assert (12, cycle["scanned"]) == (cycle["scanned"], cycle["kept"] + cycle["changed"])
    assert done.counts == {name: count for name, count in cycle["acts"].items() if count}
    assert cycle["refused"]["pinned"] >= 1
    assert 2 == len(cycle["tokens"])
    assert plan.policy_hash == told.policy_hash
    assert "looked at 12 memories" in str(told)


@pytest.mark.parametrize("policy", ["default", "janitor"])
async def test_a_tick_says_how_many_tokens_it_takes_out_of_sight(
    opener: Opener, clock: ManualClock, policy: str
) -> None:
    """The sum where its rules ask for all memories, else how many fewer; both are what `status` counts."""
    async with opener(policy=policy) as memory:
        for number in range(6):
            await memory.learn(
                f"Notice {number}: the slipway is swept.", category="notification", state="read"
            )
        for number in range(30):
            await memory.learn(f"The crane number {number} is broken.", category="fact")
        await memory.consolidate()
        await memory.policy.use(policy)
        clock.advance(days=20)
        before = sum((await memory.status()).tokens.values())
        await memory.run_jobs("rapid")
        after = sum((await memory.status()).tokens.values())
        run = next(event for event in await memory.history() if event.verb == "curate")
        told = await memory.history(run=run)

    assert before > after
    if policy == "janitor":
        assert [before, after] == told.cycle["tokens"]
    else:
        assert before - after == told.cycle["freed"]
        assert f"{before - after} active tokens fewer" in str(told)


async def test_runs_that_count_uses_are_listed_where_they_are_asked_for(memory: remanence.Engine) -> None:
    """Each recall makes one: between what was done nobody looks for them."""
    await memory.learn("The boathouse is green.")
    await memory.recall("What colour has the boathouse?")
    await memory.plan("default")  # settles the uses
    every, used = await memory.history(), await memory.history(verb="use")

    assert (["learn"], ["use"]) == ([one.verb for one in every], [one.verb for one in used])


async def test_a_run_says_apart_what_it_links_replaces_and_uses(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """What was learned stands by itself, a recall names what it used, and a policy's run is listed with its acts."""
    first = await memory.learn("The harbour master is Ole Larsen.")
    await memory.learn("The boathouse is green.")
    clock.advance(days=1)
    second = await memory.learn("The harbour master is Ada Brink now.")
    await memory.consolidate()
    await memory.recall("What colour has the boathouse?", limit=1)
    learned = await memory.history(run=(await memory.history(verb="learn"))[-1])
    clock.advance(days=40)
    done = await memory.curate(AWAY)
    used = await memory.history(run=(await memory.history(verb="use"))[-1])
    acts = {act.name: [one.id for one in act.memories] for act in learned.acts}

    assert [second.id] == acts["learn"]
    assert acts.get("supersede", [first.id]) == [first.id]
    assert ["use"] == [act.name for act in used.acts]
    assert ["The boathouse is green."] == [one.text for one in used.acts[0].memories]
    assert f"{done.changes} changes: archive {done.archived}" == (await memory.history(limit=1))[0].changes[0]


async def test_what_a_run_deleted_is_read_when_it_was_purged_since(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """From its image, which stays for a while."""
    said = await memory.learn("The gate is closed.")
    gone = await memory.forget(said.id)
    clock.advance(days=31)
    await memory.curate("default")

    assert ["The gate is closed."] == [
        one.text for act in (await memory.history(run=gone)).acts for one in act.memories
    ]


@pytest.mark.parametrize("verb", ["accept", "lift", "resolve", "merge", "alias", "expire"])
async def test_a_run_is_asked_for_by_the_last_word_of_its_verb(memory: remanence.Engine, verb: str) -> None:
    """What stands on a shelf is in the audit by its own name alone; so is what has another name as a command."""
    assert [] == await memory.history(verb=verb)
