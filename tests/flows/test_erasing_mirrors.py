"""What was erased is in no file of a mirror: neither in its contents nor in its name, nor in what the mirror knows."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import remanence
from remanence.flows.erase.erase_results import Erasure
from remanence.flows.mirror.folder import OWN
from tests.flows.conftest import Opener, hear
from tests.sentences import Sentences

GOAL = "My neighbour Quirkleton keeps three lighthouses in Zanzibrook."
NEXT = "Quirkleton sails to Zanzibrook every Sunday with a barometer."
LAST = "Thanks, that was all about the barometer."
OTHER = "We decided to use the red boat for the race."

Way = Callable[[remanence.Engine], Awaitable[Erasure]]


async def _erased(memory: remanence.Engine, *names: int, **more: object) -> Erasure:
    return await memory.erase.apply(await memory.erase.show([f"#{one}" for one in names], **more))  # type: ignore[call-overload]


WAYS: dict[str, Way] = {
    "the first turn": lambda memory: _erased(memory, 1),
    "every turn that says it": lambda memory: _erased(memory, 1, 2),
    "a whole box": lambda memory: _erased(memory, 1, 2, 3),
    "the scope": lambda memory: _erased(memory, scope=True),
    "who said it": lambda memory: _erased(memory, subject="Ana"),
    "who is named": lambda memory: _erased(memory, subject="Quirkleton", mentions=True),
}
# The words that are looked for where others of them may stay.
LEFT = {"the first turn": ("neighbour",), "who is named": ("quirkleton",)}


async def _talked(memory: remanence.Engine) -> None:
    for text in (GOAL, NEXT, LAST):
        await memory.note(text, speaker="Ana", session="s", later=True)
    await hear(memory)
    await memory.note(OTHER, speaker="Ben", session="t", later=True)
    await hear(memory)


def _saying(root: Path, words: tuple[str, ...]) -> list[str]:
    """Return the files under a folder that say any of some words, in their names or contents, in either encoding."""
    found = []
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        data, name = path.read_bytes().lower(), str(path.relative_to(root)).lower()
        if any(
            word in name or any(word.encode(how) in data for how in ("utf-8", "utf-16-le", "utf-16-be"))
            for word in words
        ):
            found.append(name)
    return found


@pytest.mark.parametrize("when", ["at once", "with the next sync"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_page_keeps_nothing_of_a_turn_that_was_erased(
    opener: Opener, tmp_path: Path, way: str, when: str
) -> None:
    """The page of its box, names of files, and the state of the mirror; also where the folder was away meanwhile."""
    root, away = tmp_path / "mirror", tmp_path / "away"
    words = LEFT.get(way, ("quirkleton", "zanzibrook", "lighthouses"))
    async with opener(writer=Sentences()) as memory:
        await _talked(memory)
        await memory.mirror.sync(root)
        before = _saying(root, words)
        if when != "at once":
            shutil.move(root, away)
        done = await WAYS[way](memory)
        if when != "at once":
            shutil.move(away, root)
            await memory.mirror.sync(root)

    assert {f"{OWN}/state.jsonl"} < {*before}
    assert [] == _saying(root, words)
    assert (True, (), when != "at once") == (done.is_well, done.in_mirrors, bool(done.mirrors))


async def test_what_somebody_else_wrote_into_a_mirror_is_named(opener: Opener, tmp_path: Path) -> None:
    """An edit by hand that is pending, a file of another program in UTF-16, and one by its name alone: none is well."""
    root = tmp_path / "mirror"
    async with opener(writer=Sentences()) as memory:
        await _talked(memory)
        await memory.mirror.sync(root)
        (page,) = [one for one in (root / "conversations").rglob("*.md") if "Quirkleton" in one.name]
        page.write_text(page.read_text().replace("## Learned", "He is a friend.\n\n## Learned"))
        (root / "own.txt").write_text(f"Copied: {GOAL}", "utf-16")
        (root / "facts" / "my-neighbour-quirkleton-keeps.txt").write_text("")
        (root / ".git").mkdir()
        done = await _erased(memory, 1, 2)

    strange = {str(page), str(root / "own.txt"), str(root / "facts" / "my-neighbour-quirkleton-keeps.txt")}
    assert (False, (str(root),)) == (done.is_well, done.mirrors)
    assert strange <= {*done.in_mirrors} <= {*strange, str(root / OWN / "state.jsonl")}
    assert (
        f"this file of a mirror says some of it, or cannot be read: look into it and delete it: {page}"
        in str(done)
    )


async def test_what_stays_in_a_mirror_is_no_alarm(opener: Opener, tmp_path: Path) -> None:
    """Words that another memory says, too, and a part of a name that is a longer name of somebody else."""
    async with opener() as memory:
        gone = await memory.learn("The lighthouse keeper paints the northern tower in May.", speaker="Ana")
        await memory.learn("The lighthouse keeper paints the northern tower in June.", speaker="Ben")
        await memory.mirror.sync(tmp_path / "mirror")
        done = await _erased(memory, gone.seq)

    assert (True, (), ()) == (done.is_well, done.mirrors, done.in_mirrors)
