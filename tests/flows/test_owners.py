"""A run has an owner and an undo a reach: an agent takes back its own runs, and nothing that a person decided."""

import sqlite3
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, NotFound, Protected
from remanence.core.model import Status
from remanence.store.audit_parts import pack_run_id
from tests.command_line import typed
from tests.flows.conftest import Opener, hear
from tests.flows.test_mcp import RUN, Agent, beside, planned, runs, served
from tests.flows.test_reach import LATER
from tests.flows.test_verdicts import NEW, OLD, Replaces, told
from tests.sentences import Sentences


async def _forgotten(agent: Agent, name: str) -> str:
    """Let an agent forget a memory, and return the run."""
    return runs(await agent.call("apply", plan_id=planned(await agent.call("forget", ids=[name]))))[0]


async def test_an_agent_does_not_lift_a_hold_by_undoing(tmp_path: Path) -> None:
    """It undoes its own undo: refused, and no refusal names the person's run; named all the same, that stands too."""
    path = tmp_path / "m.db"
    async with served(path, "--allow-curation") as agent:
        name = await agent.learn("The contract ends in May.")
        forgotten = await _forgotten(agent, name)
        await agent.call("undo", run=forgotten)
        undoing = (await agent.refused("undo", run=forgotten)).rpartition(" ")[2]
        async with remanence.open(path) as memory:
            held = await memory.hold(name, "litigation")
        refused = await agent.refused("undo", run=undoing)
        lifted = await agent.refused("undo", run=held.run)
        spared = await agent.call("forget", ids=[name])
        async with remanence.open(path) as memory:
            kept = await memory.get(name)

    assert held.run not in refused and "(hold)" not in refused
    assert "a person" in lifted
    assert "Nothing would be forgotten." in spared
    assert (Status.INBOX, ["litigation"]) == (kept.status, list(kept.holds or {}))


async def test_an_agent_takes_its_own_learning_back_after_a_consolidation(opener: Opener) -> None:
    """What the engine made of it since goes with it: activated, linked as near, embedded again."""
    async with opener() as memory:
        await memory.learn("The bell of the harbour rings at noon.")
    async with opener(trust="agent", agent="codex") as memory:
        learned = await memory.learn("The bell of the harbour rings at noon each day.")
        await memory.consolidate()
        before = await memory.links(learned)
        done = await memory.undo(learned.run or "")
        left = await memory.list(status="any")
        again = await memory.undo(done)
        back, links = await memory.get(learned.id), await memory.links(learned)

    assert [1] == [one.seq for one in left]
    assert before and before == links
    assert Status.ACTIVE is back.status
    assert again.undoes == done.run


SAID = "We decided to move to Postgres in May. My sister Mia lives in Tartu."


async def test_a_note_is_taken_back_with_the_facts_that_the_engine_drew_from_it(opener: Opener) -> None:
    """Facts, entities and boxes of that turn alone go; what another turn says too stays, and doctor finds all well."""
    async with opener(writer=Sentences()) as memory:
        kept = await memory.note("My brother Tom lives in Bergen.", speaker="Ana", session="s", later=True)
        noted = await memory.note(SAID, speaker="Ana", session="s", later=True)
        await hear(memory)
        await memory.consolidate()
        before = await memory.list(status="any")
        done = await memory.undo(noted.run or "")
        left = [one.text for one in await memory.list(status="any")]
        checks = await memory.doctor()
        await memory.undo(done)
        after = await memory.list(status="any")

    assert kept.seq
    assert not [text for text in left if "Postgres" in text or "Mia" in text]
    assert "My brother Tom lives in Bergen." in left
    assert [] == [check for check in checks if not check.ok]
    assert [one.text for one in before] == [one.text for one in after]


async def test_an_edit_is_taken_back_after_the_engine_went_over_it(opener: Opener) -> None:
    """The text comes back, and what consolidation made of the memory beside it stays."""
    async with opener() as memory:
        learned = await memory.learn("The bell rings at noon.")
        edited = await memory.update(learned, text="The bell rings at six.", confidence=0.5)
        await memory.consolidate()
        await memory.undo(edited)
        back = await memory.get(learned)
        checks = await memory.doctor()

    assert ("The bell rings at noon.", Status.ACTIVE) == (back.text, back.status)
    assert [] == [check for check in checks if not check.ok]


async def test_a_place_that_the_engine_gave_is_given_back(opener: Opener, clock: ManualClock) -> None:
    """What a writer's verdict replaced stands again once the newer text is taken back."""
    async with opener(writer=Replaces()) as memory:
        old, new = await told(memory, clock, OLD, NEW)
        await memory.consolidate()
        replaced = await memory.get(old)
        done = await memory.undo(new.run or "")
        back = await memory.get(old)
        await memory.undo(done)
        once_more = await memory.get(old)
        checks = await memory.doctor()

    assert [Status.SUPERSEDED, Status.ACTIVE, Status.SUPERSEDED] == [
        one.status for one in (replaced, back, once_more)
    ]
    assert [] == [check for check in checks if not check.ok]


async def test_what_stands_in_an_agents_way_is_not_named(opener: Opener) -> None:
    """Changed by a person since, its own run stays: the user is to be asked. What it did itself since is named."""
    async with opener(trust="agent", agent="codex") as memory:
        learned, other = await memory.learn("The bell is cracked."), await memory.learn("The rope is wet.")
        own = await memory.tag(other, "rope")
    async with opener() as memory:
        edited = await memory.update(learned, importance=0.9)
    async with opener(trust="agent", agent="codex") as memory:
        with pytest.raises(Conflict) as theirs:
            await memory.undo(learned.run or "")
        with pytest.raises(Conflict) as mine:
            await memory.undo(other.run or "")

    assert edited.run not in f"{theirs.value} {theirs.value.recovery}"
    assert "ask the user" in theirs.value.recovery
    assert f"nothing was undone; undo before it: {own.run} (tag)" == mine.value.recovery


async def test_a_fact_that_a_person_has_touched_stays_without_its_turn(opener: Opener) -> None:
    """Pinned since, a fact is the person's: its turn goes, and the fact with its pin is there as before."""
    async with opener(writer=Sentences()) as memory:
        noted = await memory.note(SAID, speaker="Ana", session="s", later=True)
        await hear(memory)
        (fact,) = await memory.list(filters={"text": "We decided to move to Postgres in May."})
        await memory.pin(fact)
        await memory.undo(noted.run or "")
        left = await memory.get(fact)
        checks = await memory.doctor()

    assert left.pinned
    assert [] == [check for check in checks if not check.ok]


async def test_an_agent_is_told_of_its_own_runs_alone(tmp_path: Path) -> None:
    """Neither a memory, nor the numbers, nor a refusal names a run of somebody else; its own are named."""
    path = tmp_path / "m.db"
    agents = {"trust": "agent", "agent": "codex"}
    async with remanence.open(path) as memory:
        gone = await memory.learn("The bell is cracked.")
        forgotten = await memory.forget(gone)
        mended = await memory.learn("The bell was mended.")
        moved = await memory.learn("The flag is red.", category="moment", tags=["x"])
    async with beside(path, curates=True, policy=LATER, **agents) as agent:
        told = [await agent.call("get", id="#1"), await agent.call("status")]
        own = await agent.learn("The rope is wet.")
        plan = planned(await agent.call("plan"))
        async with remanence.open(path, policy=LATER) as memory:
            applied = await memory.apply(await memory.plan())
            tagged = await memory.tag(mended, "harbour")
        told.append(await agent.call("apply", plan_id=plan))
        told.append(await agent.refused("undo", run=applied.run))
        told += [await agent.call("get", id=name) for name in ("#2", "#3", own)]
        run = RUN.findall(await agent.call("undo", run="last"))
        async with remanence.open(path) as memory:
            events = {event.run: event.owner for event in await memory.history()}

    others = [forgotten.run, mended.run, moved.run, applied.run, tagged.run]
    assert [] == [said for said in told if any(str(one) in said for one in others)]
    assert "forgotten" in told[0] and "restore #1" in told[0]
    assert ["agent codex"] == [events[one] for one in run]


async def test_the_last_run_is_a_person_s_own(opener: Opener) -> None:
    """What an agent, a policy or the engine did since is passed over; an agent's last is its own."""
    agents = {"trust": "agent", "agent": "codex", "policy": LATER}
    async with opener(policy=LATER) as memory:
        mine = await memory.learn("The bell is cracked.")
        await memory.learn("A moment on the pier.", category="moment")
        tagged = await memory.tag(mine, "bell")
        await memory.policy.use(LATER)
    async with opener(**agents) as memory:
        theirs = await memory.learn("The rope is wet.")
        await memory.run_jobs()
        await memory.consolidate()
    async with opener(policy=LATER) as memory:
        owners = {f"{event.verb} of {event.owner}" for event in await memory.history()}
        done = await memory.undo("last")
    async with opener(**agents) as memory:
        own = await memory.undo("last")
        with pytest.raises(NotFound, match="no run of its own"):
            await memory.undo("last")

    assert {"learn of agent codex", "curate of policy", "consolidate of engine"} <= owners
    assert (tagged.run, theirs.run) == (done.undoes, own.undoes)


def test_the_last_run_is_never_one_before_a_refused_command(tmp_path: Path) -> None:
    """A command that was refused, or a text that was, is not what was done last; the run that was is named."""
    db = ("--db", str(tmp_path / "m.db"), "--embedder", "hashed")
    typed("learn", "The bell is cracked.", *db)
    typed("pin", "1", *db)
    refused = typed("forget", "1", *db)
    last = typed("undo", "last", *db)
    looked = typed("get", "99", *db)
    typed("tag", "1", "bell", *db)
    tag = typed("undo", "last", *db)
    pin = typed("undo", "last", *db)
    typed("learn", "The flag is red.", *db)
    typed("forbid", "2", *db)
    gated = typed("learn", "The flag is red.", *db)
    again = typed("undo", "last", *db)

    assert (1, 1, 1, 0) == tuple(one.exit_code for one in (refused, last, looked, tag))
    assert "the last command, forget, was refused and changed nothing" in last.output
    assert "to undo `pin` of" in last.output and "remanence undo " in last.output
    assert "this was `tag` of" in tag.output
    assert "this was `pin` of" in pin.output
    assert "gated" in gated.output
    assert "the last command, learn, was refused" in again.output


async def test_an_agent_without_a_name_is_told_by_its_session(opener: Opener) -> None:
    """What it did in this session, and in this opening without one, is its own; that of another session is not."""
    async with opener(trust="agent") as memory:
        before = await memory.learn("The bell is cracked.")
        async with memory.session():
            learned = await memory.learn("The rope is wet.")
            kept = await memory.learn("The flag is red.")
            for run in (before.run, learned.run):
                await memory.undo(run or "")
        async with memory.session():
            with pytest.raises(Protected, match="its own runs alone"):
                await memory.undo(kept.run or "")
    async with opener() as memory:
        left = await memory.list()

    assert [kept.seq] == [one.seq for one in left]


async def test_an_owner_is_not_forged(tmp_path: Path) -> None:
    """Whose a run is stands in the audit's chain: written over in the file, `doctor` finds it."""
    path = tmp_path / "m.db"
    async with remanence.open(path, trust="agent", agent="codex") as memory:
        run = (await memory.learn("The bell is cracked.")).run
        whole = [check for check in await memory.doctor() if not check.ok]
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE runs SET detail = NULL WHERE run = ?", (pack_run_id(run or ""),))
    connection.close()
    async with remanence.open(path) as memory:
        owners = [event.owner for event in await memory.history()]
        found = [check.name for check in await memory.doctor() if not check.ok]

    assert ([], ["person"]) == (whole, owners)
    assert "audit" in " ".join(found)


async def test_a_run_of_the_engine_says_because_of_which_runs(opener: Opener) -> None:
    """An extraction names the run that noted its turn; what nobody else made has no such reason."""
    async with opener(writer=Sentences()) as memory:
        noted = await memory.note(SAID, speaker="Ana", session="s", later=True)
        done = await hear(memory)
        told = await memory.history(run=done.runs[0])
        own = await memory.history(run=noted.run or "")

    assert ("engine", (noted.run,)) == (told.owner, told.because)
    assert f"because of {noted.run}" in str(told)
    assert ("person", ()) == (own.owner, own.because)


async def test_over_mcp_who_an_agent_is_is_proposed(tmp_path: Path) -> None:
    """Tags under self/ wait for a person, with curation allowed or not; the text is stored without them."""
    path = tmp_path / "m.db"
    said, framed = [], ""
    for curates in (False, True):
        async with beside(path, curates=curates, trust="agent", agent="codex") as agent:
            said.append(await agent.call("learn", text=f"I keep {curates} bees.", tags=["bees", "Self/goal"]))
            framed += await agent.call("frame", name="self")
    async with remanence.open(path) as memory:
        stored = [one.tags for one in await memory.list()]
        items = (await memory.review.list()).items
        await memory.tag(1, "Self/goal")
        left = (await memory.review.list()).counts

    assert ["Self/goal waits for the user" in one for one in said] == [True, True]
    assert "bees" not in framed
    assert [("bees",)] * 2 == stored
    assert ["codex proposes the tag Self/goal for #2", "codex proposes the tag Self/goal for #1"] == [
        item.what for item in items
    ]
    assert {"proposal": 1} == {name: count for name, count in left.items() if count}
