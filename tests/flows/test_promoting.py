"""Memories promoted from one's own scope into a shared one: what a copy has, and what is refused and taken back."""

from pathlib import Path
from typing import Any

import pytest

from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.model import Trust
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.test_several_scopes import BOTH, OWN, TEAM, fill


async def test_a_promoted_memory_is_a_copy_that_undo_takes_back(opener: Opener) -> None:
    """With all that was said, by whom and when; a second time nothing changes; the run is the other scope's."""
    await fill(opener, own=OWN, team=TEAM)
    async with opener(scope="own") as memory:
        said: dict[str, Any] = {
            "speaker": "Ann",
            "tags": ["ferry"],
            "source": "https://ferry.example",
            "said_at": 5 * DAY,
        }
        mine = await memory.learn("The night ferry sails at 23:10.", key="k", attributes={"pier": 3}, **said)
        await memory.pin(mine)
        done = await memory.promote(mine, to="team")
        again = await memory.promote([mine.id], to="team")
        answer = await memory.recall("night ferry", scopes=BOTH, count_use=False)
        noted = await memory.history(verb="promote")
        preview = await memory.erase.show(mine.id)
        with pytest.raises(InvalidInput) as refused:
            await memory.undo(done)
        original = await memory.get(mine.id)
    async with opener(scope="team") as team:
        (copy,) = [one for one in await team.list() if "night" in one.text]
        ran = await team.history(verb="promote")
        await team.undo(done)
        left = [one.text for one in await team.list()]

    assert ("team", 1, 0) == (done.scope, done.counts["taken"], again.changes) and 1 == again.counts["kept"]
    kept = "text speaker tags said_at attributes trust role kind".split()
    assert [getattr(original, name) for name in kept] == [getattr(copy, name) for name in kept]
    assert {"https://ferry.example", f"memory/{mine.id}"} == {*copy.sources}
    assert (copy.id == mine.id, copy.key, copy.pinned) == (False, None, 0)
    assert {*answer.memories[0].also, answer.memories[0].id} == {mine.id, copy.id} and 1 == answer.left_out[
        "duplicate"
    ]
    assert f"memory/{mine.id}" not in answer.text
    assert [done.run] == [one.run for one in noted] == [one.run for one in ran]
    assert "in scope 'team'" in str(preview) and "scope 'team'" in refused.value.recovery
    assert sorted(TEAM) == sorted(left)


async def test_a_promoted_text_that_is_refused_there_is_told(opener: Opener) -> None:
    """A text that is forbidden or was erased in the target stays out; one that is known there is one with it."""
    await fill(opener, own=TEAM, team=TEAM)
    async with opener(scope="team") as team:
        forbidden, erased, _ = [next(m for m in await team.list() if m.text == text) for text in TEAM]
        await team.forbid(forbidden)
        await team.erase.apply(await team.erase.show(erased.id))
    async with opener(scope="own") as memory:
        done = await memory.promote(await memory.list(), to="team")
        numbers = {f"#{one.seq}" for one in await memory.list() if one.text in TEAM[:2]}
    async with opener(scope="team") as team:
        texts = [one.text for one in await team.list()]

    assert (0, 2, 1) == tuple(done.counts[name] for name in ("taken", "refused", "merged"))
    assert numbers == {remark.partition(" is left out")[0] for remark in done.skipped}
    assert [TEAM[2]] == texts


async def test_what_cannot_be_promoted_is_refused(opener: Opener) -> None:
    """Nothing comes in of a call that names one such memory, and no scope comes into being."""
    await fill(opener, own=OWN, team=TEAM)
    async with opener(scope="own") as memory:
        first, second, _ = await memory.list()
        await memory.forget(second)
        for names, to, error in (
            ([first, second], "team", InvalidInput),
            (first, "own", InvalidInput),
            (first, "taem", NotFound),
            ("#999", "team", NotFound),
        ):
            with pytest.raises(error):
                await memory.promote(names, to=to)
        scopes = [one.scope for one in await memory.scopes.list()]
    async with opener(scope="team") as team:
        texts = [one.text for one in await team.list()]

    assert BOTH == scopes and sorted(TEAM) == sorted(texts)


async def test_an_agents_promotion_is_believed_as_an_agent_is(opener: Opener) -> None:
    """What only a person sets does not come along, and who the agent is stays its own."""
    async with opener(scope="team") as team:
        await team.learn(TEAM[0])
    async with opener(scope="own") as memory:
        mine = await memory.learn("The crane was oiled in June.", tags=["self/goal", "crane"])
    async with opener(scope="own", trust="agent", agent="quill") as memory:
        await memory.promote(mine, to="team")
    async with opener(scope="team") as team:
        (copy,) = [one for one in await team.list() if "crane" in one.text]

    assert (Trust.AGENT, ("crane",)) == (copy.trust, copy.tags)


def test_the_command_line_searches_promotes_and_undoes(tmp_path: Path) -> None:
    """Each name says whose; the way back is named with its scope."""
    path = str(tmp_path / "agent.db")
    for scope, text in (("team", TEAM[0]), ("own", OWN[0])):
        assert 0 == typed("learn", text, "--db", path, "--scope", scope).exit_code
    shown = typed(
        "recall", "boathouse door key", "--db", path, "--scope", "own", "--scopes", "own", "--scopes", "team"
    )
    promoted = typed("promote", "1", "--to", "team", "--db", path, "--scope", "own")
    back = promoted.stdout.partition("take it back with: remanence ")[2].split("\n")[0].split()
    undone = typed(*back, "--db", path)

    assert "team/#1" in shown.stdout and TEAM[0] in shown.stdout and OWN[0] in shown.stdout
    assert ["--scope", "team"] == back[-2:] and 0 == undone.exit_code
