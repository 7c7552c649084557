"""A memory edited into what another one says is told so and linked; an erasure outlives an edit beside it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import Conflict
from remanence.core.model import Relation
from remanence.faces.cli import upkeep_commands
from tests.command_line import Typed, typed
from tests.flows.conftest import Opener

SAME = "#1 says the same; to make them one: merge 1 2"


async def test_an_edit_into_another_text_says_so_as_learning_does(memory: remanence.Engine) -> None:
    """In other letters too; both stand, linked as near duplicates, and the way that is named makes them one."""
    first = await memory.learn("Ann likes tea.")
    other = await memory.learn("Ann likes coffee.")
    done = await memory.update(other, text="ann likes TEA.")
    links = await memory.links(other)

    assert (SAME,) == done.notes
    assert [(1, 2, Relation.NEAR_DUPLICATE, 1.0)] == [
        (one.source, one.target, one.relation, one.confidence) for one in links
    ]
    await memory.merge(1, 2)
    assert [first.id] == [one.id for one in await memory.list()]


async def test_undo_takes_the_link_away_with_the_text(memory: remanence.Engine) -> None:
    """The edit is one run: what it drew goes with it."""
    await memory.learn(["Ann likes tea.", "Ann likes coffee."])
    done = await memory.update(2, text="Ann likes tea.")
    await memory.undo(done)

    assert ([], "Ann likes coffee.") == (await memory.links(2), (await memory.get(2)).text)


async def test_who_says_the_same_already_or_stands_no_more_is_not_told(memory: remanence.Engine) -> None:
    """A link that is there is not drawn again; what was forgotten is no twin; a text that stays has none."""
    await memory.learn(["Ann likes tea.", "Ann likes coffee.", "Ann likes cocoa."])
    await memory.link(1, 2, "contradicts")
    assert (SAME,) == (await memory.update(2, text="Ann likes tea.")).notes
    assert [Relation.CONTRADICTS] == [one.relation for one in await memory.links(2)]
    assert () == (await memory.update(2, importance=0.5)).notes
    await memory.forget([1, 2])
    assert () == (await memory.update(3, text="Ann likes tea.")).notes
    assert [] == await memory.links(3)


async def test_the_other_one_may_say_it_for_another(opener: Opener) -> None:
    """What two people say of themselves is not the same."""
    async with opener() as memory:
        await memory.learn("I like tea.", speaker="Ann")
        await memory.learn("I like cocoa.", speaker="Tom")

        assert () == (await memory.update(2, text="I like tea.")).notes


Late = Callable[[Path, list[int]], Typed]


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Late:
    """Types an erasure of the first memory beside somebody who tags it between each look and what is done."""

    def erase(path: Path, left: list[int]) -> Typed:
        looked = upkeep_commands._apply_anew

        async def beside(memory: Any, preview: Any, show: Callable[[], Awaitable[Any]]) -> Any:
            async def shown() -> Any:
                after = await show()
                await edit()
                return after

            async def edit() -> None:
                if left[0]:
                    left[0] -= 1
                    async with remanence.open(path, embedder="none") as other:
                        await other.tag(1, f"tag-{left[0]}")

            await edit()
            return await looked(memory, preview, shown)

        monkeypatch.setattr(upkeep_commands, "_apply_anew", beside)
        return typed("erase", "1", "--yes", "--db", str(path), "--embedder", "none")

    return erase


def _file(tmp_path: Path) -> Path:
    async def fill() -> None:
        async with remanence.open(tmp_path / "m.db", embedder="none") as memory:
            await memory.learn(["Ann likes tea.", "Tom likes cocoa."])

    asyncio.run(fill())
    return tmp_path / "m.db"


def test_an_erasure_tries_again_beside_somebody_who_edits(tmp_path: Path, late: Late) -> None:
    """What was changed meanwhile is shown anew and erased."""
    path = _file(tmp_path)
    done = late(path, [3])

    assert (0, "") == (done.exit_code, done.stderr)
    assert "Ann" not in typed("list", "--status", "any", "--db", str(path), "--embedder", "none").stdout


def test_an_erasure_gives_up_beside_somebody_who_never_ends(tmp_path: Path, late: Late) -> None:
    """So often and no longer; then it says that nothing was erased."""
    path = _file(tmp_path)
    left = [100]
    done = late(path, left)

    assert 1 == done.exit_code
    assert "nothing was erased" in done.stderr
    assert upkeep_commands.ERASE_TRIES == 100 - left[0]
    assert "Ann likes tea." in typed("list", "--db", str(path), "--embedder", "none").stdout


async def test_in_python_what_was_shown_is_erased_and_nothing_else(memory: remanence.Engine) -> None:
    """Who looked at what is shown erases that: an edit in between is a conflict."""
    await memory.learn("Ann likes tea.")
    shown = await memory.erase.show(1)
    await memory.tag(1, "late")

    with pytest.raises(Conflict):
        await memory.erase.apply(shown)
