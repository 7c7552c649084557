"""What files of a mirror are called hangs on what stands alone, follows it, and is left nowhere once it is gone."""

import json
import random
from collections.abc import Awaitable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import remanence
from remanence.core.errors import InvalidInput, RemanenceError, StoreUnavailable
from remanence.flows.mirror.folder import Folder, Stamp
from tests.flows.conftest import Opener
from tests.flows.test_mirror import ROPES, files, text_of

SAID = datetime(2026, 1, 14, 9, tzinfo=UTC)
PLAIN = "facts/2026-01/2026-01-14 The roof was repaired.md"
TEXTS = [f"The roof was repaired. {more}" for more in ("By Tom.", "By Ana.", "By Mia.")]


async def _learn_all(memory: remanence.Engine, *texts: str) -> list[str]:
    """Learn texts as said on one day; return how a name with each of their ids ends."""
    learned = [
        await memory.learn(text, said_at=SAID + timedelta(minutes=at)) for at, text in enumerate(texts)
    ]
    return [f" ({one.id[-8:]}).md" for one in learned]


def _names(folder: Path) -> dict[str, str]:
    """Return the names of all files by how the last words of their texts are."""
    return {text_of(path)[-8:]: str(path.relative_to(folder)) for path in files(folder)}


def _state(folder: Path) -> str:
    return (folder / ".remanence" / "state.jsonl").read_text()


async def test_of_one_name_the_first_memory_has_it(memory: remanence.Engine, tmp_path: Path) -> None:
    """The others bear eight digits of their ids: synced after each, at once, or once more without the state."""
    marks = []
    for at, text in enumerate(TEXTS):
        learned = await memory.learn(text, said_at=SAID + timedelta(minutes=at))
        marks.append(f" ({learned.id[-8:]}).md")
        await memory.mirror.sync(tmp_path / "each")
    await memory.mirror.sync(tmp_path / "once")
    expected = [PLAIN, *(PLAIN.removesuffix(".md") + mark for mark in marks[1:])]
    before = _names(tmp_path / "each")
    (tmp_path / "once" / ".remanence" / "state.jsonl").unlink()
    again = await memory.mirror.sync(tmp_path / "once")

    assert dict(zip(("By Tom.", "By Ana.", "By Mia."), expected, strict=True)) == {
        text.strip(): name for text, name in before.items()
    }
    assert before == _names(tmp_path / "once")
    assert (0, 0) == (again.written, again.removed)


async def test_an_edit_gives_names_as_a_fresh_mirror_would(memory: remanence.Engine, tmp_path: Path) -> None:
    """A first memory that comes to say the same takes the name from a later one, and gives it back."""
    await memory.learn(ROPES, said_at=SAID)
    marks = await _learn_all(memory, *TEXTS[:2])
    steps = []
    for number, text in enumerate((ROPES, "The roof was repaired. By Jon.", "The tide is high. By Jon.")):
        await memory.update(1, text=text)
        await memory.mirror.sync(tmp_path / "one")
        await memory.mirror.sync(tmp_path / f"fresh{number}")
        steps.append((_names(tmp_path / "one"), _names(tmp_path / f"fresh{number}")))

    assert all(one == fresh for one, fresh in steps)
    assert [" By Tom.", " By Jon.", " By Tom."] == [
        next(text for text, name in one.items() if name == PLAIN) for one, _ in steps
    ]
    assert PLAIN.removesuffix(".md") + marks[0] == steps[1][0][" By Tom."]


async def test_the_name_of_what_was_forgotten_goes_to_the_next(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """And back where it is restored."""
    await _learn_all(memory, *TEXTS[:2])
    await memory.mirror.sync(tmp_path)
    await memory.forget(1)
    await memory.mirror.sync(tmp_path)
    without = _names(tmp_path)
    await memory.restore(1)
    await memory.mirror.sync(tmp_path)

    assert {" By Ana.": PLAIN} == without
    assert PLAIN == _names(tmp_path)[" By Tom."]
    assert 2 == len(files(tmp_path))


async def test_names_in_other_letters_are_told_apart(memory: remanence.Engine, tmp_path: Path) -> None:
    """So that a file system that knows no case holds both; an edit that changes the case alone renames the file."""
    mark = (await _learn_all(memory, TEXTS[0], TEXTS[1].upper()))[1]
    await memory.mirror.sync(tmp_path)
    both = {path.name for path in files(tmp_path)}
    await memory.forget(1)
    await memory.update(2, text="The Roof was repaired. By Ana.")
    await memory.mirror.sync(tmp_path)

    assert {"2026-01-14 The roof was repaired.md", f"2026-01-14 THE ROOF WAS REPAIRED{mark}"} == both
    assert ["2026-01-14 The Roof was repaired.md"] == [path.name for path in files(tmp_path)]


async def test_a_name_in_other_letters_is_taken_away_first(
    memory: remanence.Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that knows no case has one file for both: taken away afterwards, that would be the new one."""
    done: list[tuple[str, str]] = []
    put, remove = Folder._put, Folder.remove

    def note_put(folder: Folder, path: str, data: bytes, mode: int | None) -> Stamp:
        done.append(("put", path))
        return put(folder, path, data, mode)

    def note_remove(folder: Folder, path: str) -> None:
        done.append(("remove", path))
        remove(folder, path)

    await memory.learn("The roof was repaired.", said_at=SAID)
    await memory.mirror.sync(tmp_path)
    monkeypatch.setattr(Folder, "_put", note_put)
    monkeypatch.setattr(Folder, "remove", note_remove)
    await memory.update(1, text="The ROOF was repaired.")
    await memory.mirror.sync(tmp_path)

    assert [("remove", PLAIN), ("put", PLAIN.replace("roof", "ROOF"))] == [
        (what, path) for what, path in done if path.startswith("facts/")
    ]


async def test_a_file_of_a_person_keeps_its_name(memory: remanence.Engine, tmp_path: Path) -> None:
    """A memory that would have it bears its id until the other is applied; nothing of a person's is written over."""
    (tmp_path / PLAIN).parent.mkdir(parents=True)
    (tmp_path / PLAIN).write_text("Mine.")
    (mark,) = await _learn_all(memory, TEXTS[0])
    done = await memory.mirror.sync(tmp_path)

    assert [PLAIN] == [one.path for one in done.edits]
    assert "Mine." == (tmp_path / PLAIN).read_text()
    assert TEXTS[0] == text_of(tmp_path / (PLAIN.removesuffix(".md") + mark))
    await memory.mirror.sync(tmp_path, apply=True)
    assert TEXTS[0] == text_of(tmp_path / PLAIN)
    assert 2 == len(files(tmp_path))


async def test_an_edited_file_keeps_its_name_until_it_is_applied(
    memory: remanence.Engine, tmp_path: Path
) -> None:
    """An earlier memory that comes to say the same bears its id meanwhile; applied, the file moves."""
    await memory.learn(ROPES, said_at=SAID)
    await _learn_all(memory, TEXTS[0])
    await memory.mirror.sync(tmp_path)
    (tmp_path / PLAIN).write_text((tmp_path / PLAIN).read_text().replace("roof", "door"))
    await memory.update(1, text=TEXTS[1])
    shown = await memory.mirror.sync(tmp_path)
    during = {path.name for path in files(tmp_path)}
    await memory.mirror.sync(tmp_path, apply=True)
    first = await memory.get(1)

    assert [("update", PLAIN)] == [(one.verb, one.path) for one in shown.edits]
    assert {Path(PLAIN).name, f"2026-01-14 The roof was repaired ({first.id[-8:]}).md"} == during
    assert "facts/2026-01/2026-01-14 The door was repaired.md" in _names(tmp_path).values()
    assert 2 == len(files(tmp_path))


async def test_a_name_is_left_nowhere(memory: remanence.Engine, tmp_path: Path) -> None:
    """Of what was forgotten, or says something else now: neither in the folder nor in what the mirror knows of it."""
    await memory.learn("Quirkleton has a boat.")
    await memory.learn("Zanzibrook has a harbour.")
    await memory.mirror.sync(tmp_path)
    assert "Quirkleton" in _state(tmp_path)
    await memory.forget(1)
    await memory.update(2, text="The town has a harbour.")
    await memory.mirror.sync(tmp_path)

    assert not [one for one in ("Quirkleton", "Zanzibrook") if one in _state(tmp_path)]
    assert ["2026-01-01 The town has a harbour.md"] == [path.name for path in files(tmp_path)]


async def test_an_error_names_no_file(
    monkeypatch: pytest.MonkeyPatch, opener: Opener, tmp_path: Path
) -> None:
    """What a tick reports is kept in the database, and so would be how a text began."""
    put = Folder._put

    def fail(folder: Folder, path: str, data: bytes, mode: int | None) -> Stamp:
        if path.startswith("facts/"):
            raise OSError(28, "No space left on device")
        return put(folder, path, data, mode)

    async with opener() as memory:
        await memory.learn("Quirkleton has a boat.")
        monkeypatch.setattr(Folder, "_put", fail)
        with pytest.raises(StoreUnavailable, match="No space") as raised:
            await memory.mirror.sync(tmp_path)

    assert "facts/2026-01" in str(raised.value)
    assert "Quirkleton" not in str(raised.value)


async def test_a_person_who_is_erased_leaves_no_name(opener: Opener, tmp_path: Path) -> None:
    """Neither as a file nor in the state of the mirror, whoever said it; what stays is called by what it says now."""
    async with opener() as memory:
        await memory.learn("Ann-Mari O'Brien lives by the lake.", speaker="Ben")
        await memory.learn("My boat is red.", speaker="Ann-Mari O'Brien")
        await memory.learn("Soup is served at noon.", speaker="Ben")
        await memory.mirror.sync(tmp_path)
        before = {path.name for path in files(tmp_path)}
        done = await memory.erase.apply(await memory.erase.show(subject="Ann-Mari O'Brien", mentions=True))
        state = _state(tmp_path)
        health = await memory.doctor()

    said = "\n".join([state, *(path.name + path.read_text() for path in files(tmp_path))])
    assert "2026-01-01 Ann-Mari O\u2019Brien lives by the lake.md" in before
    assert (True, ()) == (done.is_well, done.in_mirrors)
    assert not [word for word in ("Brien", "Ann-Mari", "boat") if word in said]
    assert "Soup is served at noon" in said
    assert [] == [one for one in health if not one.ok]


async def test_a_name_alone_is_found_after_an_erasure(opener: Opener, tmp_path: Path) -> None:
    """A file of somebody's called as the mirror would, without the signs that no name has, is no clean folder."""
    async with opener() as memory:
        await memory.learn("Ke$ha Quirk lives by the lake.", speaker="Ben")
        await memory.mirror.sync(tmp_path)
        own = tmp_path / "facts" / "Keha Quirk.txt"
        own.write_text("")
        done = await memory.erase.apply(await memory.erase.show(subject="Ke$ha Quirk", mentions=True))

    assert (False, (str(own),)) == (done.is_well, done.in_mirrors)


@pytest.mark.parametrize("version", [1, 3, 9])
async def test_a_mirror_of_another_version_is_refused(
    version: int, memory: remanence.Engine, tmp_path: Path
) -> None:
    """Nothing of it is touched; without its state it is taken up anew, and what was edited in it is an edit."""
    await memory.learn(ROPES)
    await memory.mirror.sync(tmp_path)
    (path,) = files(tmp_path)
    head, rest = _state(tmp_path).split("\n", 1)
    state = tmp_path / ".remanence" / "state.jsonl"
    state.write_text(json.dumps({**json.loads(head), "version": version}) + "\n" + rest)
    path.write_text(path.read_text().replace("shed", "attic"))
    memory._mirrorings.clear()
    before = state.read_text(), path.read_text()
    with pytest.raises(InvalidInput, match=f"is of version {version}"):
        await memory.mirror.sync(tmp_path)
    after = state.read_text(), path.read_text()
    state.unlink()
    anew = await memory.mirror.sync(tmp_path)

    assert before == after
    assert [("update", 1)] == [(one.verb, one.seq) for one in anew.edits]


async def test_the_day_in_a_name_is_nobodys_words(opener: Opener, tmp_path: Path) -> None:
    """What was erased may have named a day on which something else was said, too: that is no trace of it."""
    async with opener() as memory:
        gone = await memory.learn("Quirkleton came on 2026-01-14 and sang.", said_at=SAID)
        await memory.learn("The roof was repaired.", said_at=SAID)
        await memory.mirror.sync(tmp_path)
        done = await memory.erase.apply(await memory.erase.show([gone.id]))

    assert (True, (), [PLAIN]) == (done.is_well, done.in_mirrors, [*_names(tmp_path).values()])


@pytest.mark.parametrize("seed", range(4))
async def test_names_are_those_of_a_fresh_mirror_whatever_happened(
    seed: int, opener: Opener, tmp_path: Path
) -> None:
    """After texts that came, changed, went and came back in any order, with a sync now and then."""
    chance = random.Random(seed)
    beginnings = ("The roof leaks", "the ROOF leaks", "The tide is high")
    async with opener() as memory:
        for step in range(60):
            text = f"{chance.choice(beginnings)}. Said in step {step}."
            seqs = [one.seq for one in await memory.list(status=["inbox", "active", "pruned"], limit=100)]
            match chance.choice(("learn", "update", "forget", "restore", "sync")):
                case "learn":
                    await memory.learn(text, said_at=SAID)
                case "update" if seqs:
                    await _try(memory.update(chance.choice(seqs), text=text))
                case "forget" if seqs:
                    await _try(memory.forget(chance.choice(seqs)))
                case "restore" if seqs:
                    await _try(memory.restore(chance.choice(seqs)))
                case _:
                    await memory.mirror.sync(tmp_path / "one")
        await memory.mirror.sync(tmp_path / "one")
        await memory.mirror.sync(tmp_path / "fresh")

    one, fresh = (
        {str(path.relative_to(tmp_path / name)): path.read_text() for path in files(tmp_path / name)}
        for name in ("one", "fresh")
    )
    assert len(fresh) > 2
    assert one == fresh


async def _try(verb: Awaitable[object]) -> None:
    """Do what may not be possible with a memory as it stands."""
    with suppress(RemanenceError):
        await verb
