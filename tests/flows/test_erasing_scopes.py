"""An erasure reaches the scopes that it is asked to: the same texts of the same speakers, or a person."""

from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, NotFound, Protected
from remanence.core.model import Turn
from remanence.engine import Engine
from remanence.faces.rest.shown_things import _decide
from remanence.flows.base.context import Core
from remanence.flows.erase import erase
from remanence.flows.erase.erase_results import ErasePreview
from tests.command_line import typed
from tests.flows.conftest import Opener

SAID, OTHER = "Quirkleton keeps three lighthouses.", "The mill grinds on Mondays."


def opened(path: Path, scope: str = "default") -> Engine:
    """Open a scope of a file or of a folder."""
    return remanence.open(path, scope=scope, embedder="hashed", clock=ManualClock())


def left_in(folder: Path, text: str) -> list[str]:
    """Return the files below a folder that hold a text as it was written."""
    return [
        one.name for one in sorted(folder.rglob("*")) if one.is_file() and text.encode() in one.read_bytes()
    ]


@pytest.mark.parametrize("store", ["file", "folder"])
async def test_copies_in_named_scopes_go_and_no_byte_is_left(tmp_path: Path, store: str) -> None:
    """One that was imported goes with its original; the same words of somebody else, and other texts, stay."""
    path = tmp_path / ("memory.db" if store == "file" else "memories/")
    async with opened(path) as memory, opened(path, "partner") as partner:
        one = await memory.learn(SAID, speaker="Ines")
        await memory.learn(OTHER)
        await partner.import_([line async for line in memory.export()], trust="user")
        shown = await memory.erase.show(one.id, scopes=["partner", "default"])
        assert {SAID, OTHER} == {each.text for each in await partner.list()}
        done = await memory.erase.apply(shown)
        kept = [each.text for each in await partner.list()]
        refused = await partner.learn(SAID, speaker="Ines")
        events = await partner.history(verb="erase")

    assert [("partner", 1)] == [(each.scope, len(each)) for each in shown.elsewhere]
    assert "in scope 'partner': named: #1" in str(shown)
    assert (1, ["partner"], 0) == (done.erased, [each.scope for each in done.elsewhere], done.shared)
    assert done.is_well and done.looked_for > 3
    assert "in scope 'partner': erased 1 memory for good" in str(done)
    assert ([OTHER], "gated", 1) == (kept, refused.status, len(events))
    assert [] == left_in(tmp_path, "Quirkleton")


async def test_the_words_of_somebody_else_stay_in_another_scope(opener: Opener) -> None:
    """A copy has the text and the speaker; where nothing is the same, the scope is not touched."""
    async with opener() as memory, opener(scope="other") as other:
        one = await memory.learn(SAID, speaker="Ines")
        kept = await other.learn(SAID, speaker="Tom")
        shown = await memory.erase.show(one.id, scopes=["other"])
        done = await memory.erase.apply(shown)
        stays = await other.get(kept.id)
        events = await other.history(verb="erase")

    assert ((), (), []) == (shown.elsewhere, done.elsewhere, events)
    assert SAID == stays.text


async def test_a_person_is_erased_in_each_named_scope(opener: Opener) -> None:
    """By the same names; a scope that does not know the person is passed over."""
    async with opener() as memory, opener(scope="other") as other, opener(scope="third") as third:
        await memory.learn(SAID, speaker="Ana Lopes")
        await other.learn([Turn(OTHER, speaker="Ana Lopes"), Turn("Ana Lopes rents a boat.", speaker="Ines")])
        await third.learn(OTHER, speaker="Ines")
        shown = await memory.erase.show(subject="Ana Lopes", mentions=True, scopes=["other", "third"])
        done = await memory.erase.apply(shown)
        texts = [[one.text for one in await each.list()] for each in (memory, other, third)]

    assert ["other"] == [each.scope for each in done.elsewhere]
    assert (1, 1) == (done.elsewhere[0].erased, done.elsewhere[0].redacted)
    assert [[], ["[erased] rents a boat."], [OTHER]] == texts


@pytest.mark.parametrize("refusal", ["changed", "held"])
async def test_a_refusal_in_another_scope_refuses_all(opener: Opener, refusal: str) -> None:
    """Nothing is erased in any scope."""
    async with opener() as memory, opener(scope="other") as other:
        one, copy = await memory.learn(SAID), await other.learn(SAID)
        shown = await memory.erase.show(one.id, scopes=["other"])
        await (
            other.update(copy.id, text=OTHER) if refusal == "changed" else other.hold(copy.id, "the court")
        )
        with pytest.raises(Conflict if refusal == "changed" else Protected):
            await memory.erase.apply(shown)
        texts = [[each.text for each in await one_of.list()] for one_of in (memory, other)]

    assert [[SAID], [OTHER if refusal == "changed" else SAID]] == texts


@pytest.mark.parametrize("home_says", ["her", "nothing"])
async def test_a_scope_with_nothing_to_do_stops_no_other(opener: Opener, home_says: str) -> None:
    """One that only names the person, without mentions, be it the own or another."""
    stated, names = Turn(SAID, speaker="Ana Lopes"), Turn("Ana Lopes rents a boat.", speaker="Ines")
    async with opener() as memory, opener(scope="other") as other:
        await memory.learn(stated if home_says == "her" else names)
        await other.learn(names if home_says == "her" else stated)
        shown = await memory.erase.show(subject="Ana Lopes", scopes=["other"])
        done = await memory.erase.apply(shown)
        left = [one.text for each in (memory, other) for one in await each.list()]

    assert ["Ana Lopes rents a boat."] == left
    assert 1 == done.erased + sum(one.erased for one in done.elsewhere)
    assert (home_says == "her") == bool(done.run)
    assert ("erased nothing in scope 'default'" in str(done)) == (home_says == "nothing")


async def test_a_change_in_the_middle_says_where_it_was_done(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The own scope goes last, so that the same names find the rest."""
    async with opener() as memory, opener(scope="b") as second, opener(scope="c") as third:
        one, *_ = [await each.learn(SAID) for each in (memory, second, third)]
        shown = await memory.erase.show(one.id, scopes=["b", "c"])
        take_away = erase._take_away

        async def edit_first(core: Core, preview: ErasePreview) -> erase._ErasureRun:
            if core.scope == "c":
                await third.update(1, text=OTHER)
            return await take_away(core, preview)

        monkeypatch.setattr(erase, "_take_away", edit_first)
        with pytest.raises(Conflict) as caught:
            await memory.erase.apply(shown)
        monkeypatch.undo()
        texts = [[each.text for each in await one_of.list()] for one_of in (memory, second, third)]
        done = await memory.erase.apply(await memory.erase.show(one.id, scopes=["b", "c"]))

    assert "it was done in scope b, and not in those after it" in caught.value.recovery
    assert [[SAID], [], [OTHER]] == texts
    assert (1, ()) == (done.erased, done.elsewhere)


async def test_a_scope_that_is_not_there_is_refused(opener: Opener) -> None:
    """And no scope is made by looking into it."""
    async with opener() as memory:
        one = await memory.learn(SAID)
        with pytest.raises(NotFound):
            await memory.erase.show(one.id, scopes=["nowhere"])
        with pytest.raises(NotFound):
            await memory.erase.show(subject="Ines", scopes=["nowhere"])
        scopes = [each.scope for each in await memory.scopes.list()]

    assert ["default"] == scopes


async def test_what_a_server_keeps_of_a_preview_differs_by_other_scopes(opener: Opener) -> None:
    """So one that is shown anew by another process, with more in another scope, is not the one that was seen."""
    async with opener() as memory, opener(scope="other") as other:
        one = await memory.learn(SAID)
        before = await memory.erase.show(one.id, scopes=["other"])
        await other.learn(SAID)
        after = await memory.erase.show(one.id, scopes=["other"])

    assert _decide(before) == _decide(before) != _decide(after)


async def test_the_command_erases_in_named_scopes(tmp_path: Path) -> None:
    """`--scopes` is repeatable, and shows before it erases."""
    path = tmp_path / "memory.db"
    for scope in ("default", "work", "club"):
        async with opened(path, scope) as memory:
            await memory.learn([SAID, OTHER])
    asked = ("erase", "1", "--scopes", "work", "--scopes", "club", "--db", str(path), "--embedder", "hashed")
    shown, done = typed(*asked).stdout, typed(*asked, "--yes").stdout

    assert ["work" in shown, "club" in shown] == [True, True]
    assert 2 == done.count("erased 1 memory for good") - 1
    assert [] == left_in(tmp_path, "Quirkleton")
