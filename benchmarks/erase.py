"""What it takes to erase memories and to prove them gone: `python -m benchmarks.erase [--memories N] [--erase M]`.

Memories are learned, consolidated and edited; then some of them are erased, one run for all. `seconds` is what `apply`
takes, `bytes_found` how many of their texts, unusual words and vectors are found in any file of the database after it.
Then one of 50 speakers is erased, with her names in one of a hundred texts of others. At last it is done with many ids
in the ledger: so many memories are erased in calls of a thousand (`--ledger`), one more after them, an export from
before is imported, and a backup from before is opened in its place.
"""

import argparse
import asyncio
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import remanence
from benchmarks.report import figure, settings, spent
from remanence.core.clock import ManualClock
from remanence.core.model import Memory, Turn

SEED = 13
PERSON = "Zenobia Quill"
LETTERS = "bdfgklmnprstvz"
VOWELS = "aeiou"
ASKED = 1_000  # memories that one call names
SHARED = ("the harbour", "a meeting", "our tide table", "the north door", "a rowing boat", "the old key")


def main() -> None:
    """Learn, erase and look."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--erase", type=int, default=100)
    parser.add_argument("--ledger", type=int, default=10_000)
    given = parser.parse_args()
    settings(memories=given.memories, erase=given.erase, ledger=given.ledger)
    with TemporaryDirectory() as folder:
        asyncio.run(_measured(Path(folder) / "memory.db", given.memories, given.erase))
    with TemporaryDirectory() as folder:
        asyncio.run(_with_ledger(Path(folder) / "memory.db", given.ledger))


async def _measured(path: Path, memories: int, erase: int) -> None:
    chance = random.Random(SEED)
    turns = [
        Turn(_text(chance) + (f" {PERSON} was there." if number % 100 == 1 else ""), speaker=_speaker(number))
        for number in range(memories)
    ]
    async with remanence.open(path, embedder="hashed", clock=ManualClock()) as memory:
        learned = await memory.learn(turns)
        await memory.consolidate()
        chosen = sorted(one.seq for one in chance.sample(learned, erase))
        for seq in chosen[::10]:
            await memory.update(seq, text=_text(chance))
        gone = [await memory.get(seq) for seq in chosen]
        with spent() as took:
            shown = await memory.erase.show(chosen)
        figure("erase.show", took.wall_s, "seconds")
        with spent() as took:
            done = await memory.erase.apply(shown)
        figure("erase.apply", took.wall_s, "seconds", goal=5.0, cpu_s=round(took.cpu_s, 2))
        figure("erase.pieces", done.looked_for, "pieces looked for")
        figure("erase.bytes_found", _found(path, gone), "texts and words found", goal=0)
        with spent() as took:
            person = await memory.erase.show(subject=PERSON, mentions=True)
        figure(
            "erase.subject_show", took.wall_s, "seconds", cpu_s=round(took.cpu_s, 2), redacts=person.mentions
        )
        with spent() as took:
            done = await memory.erase.apply(person)
        figure("erase.subject_apply", took.wall_s, "seconds", cpu_s=round(took.cpu_s, 2), erased=done.erased)
        data = b"".join(one.read_bytes() for one in path.parent.iterdir()).lower()
        figure("erase.subject_found", data.count(PERSON.lower().encode()), "times the name is found", goal=0)
        sound = all(check.ok for check in await memory.doctor())
        figure("erase.sound", int(sound), "whether doctor finds all sound")


async def _with_ledger(path: Path, erased: int) -> None:
    """Erase beside so many ids in the ledger, import what they were, and open a backup that holds them."""
    chance, copy = random.Random(SEED), path.parent / "older.backup"
    async with remanence.open(path, embedder="hashed", clock=ManualClock()) as memory:
        going = await memory.learn([_text(chance) for _ in range(erased)])
        stays = await memory.learn([_text(chance) for _ in range(erased // 10)])
        await memory.consolidate()
        export = [line async for line in memory.export()]
        await memory.backup(copy)
        with spent() as took:
            for at in range(0, erased, ASKED):
                last = await memory.erase.show([one.seq for one in going[at : at + ASKED]])
                await memory.erase.apply(last)
        figure("erase.many", took.wall_s, "seconds", cpu_s=round(took.cpu_s, 2), erased=erased)
        with spent() as took:
            await memory.erase.apply(await memory.erase.show(stays[0].seq))
        figure("erase.one_beside_ledger", took.wall_s, "seconds", goal=5.0, cpu_s=round(took.cpu_s, 2))
        with spent() as took:
            taken = await memory.import_(export, trust="user")
        figure(
            "erase.import_refused",
            took.wall_s,
            "seconds",
            cpu_s=round(took.cpu_s, 2),
            refused=len(taken.skipped),
        )
        left = [one.text for one in await memory.list(status="any", limit=erased)]
    size = sum(one.stat().st_size for one in path.parent.glob("*.erased"))
    figure("erase.ledger_size", size / 1e6, "MB")
    for one in path.parent.glob(f"{path.name}-*"):
        one.unlink()
    copy.replace(path)
    for what in ("restored", "again"):
        with spent() as took:
            async with remanence.open(path, embedder="hashed", clock=ManualClock(), erased_since="erase"):
                pass
        figure(f"erase.open_{what}", took.wall_s, "seconds", cpu_s=round(took.cpu_s, 2))
    async with remanence.open(path, embedder="hashed", clock=ManualClock()) as memory:
        back = {one.text for one in await memory.list(status="any", limit=erased)} - set(left)
        figure("erase.brought_back", len(back), "memories", goal=0)
        sound = all(check.ok for check in await memory.doctor())
        figure("erase.restored_sound", int(sound), "whether doctor finds all sound")


def _speaker(number: int) -> str:
    return PERSON if number % 50 == 0 else f"speaker {number % 50}"


def _text(chance: random.Random) -> str:
    odd = ["".join(chance.choice(LETTERS) + chance.choice(VOWELS) for _ in range(5)) for _ in range(3)]
    shared = chance.sample(SHARED, 2)
    return f"{odd[0].title()} saw {shared[0]} near {odd[1]}, and {shared[1]} by {odd[2]}."


def _found(path: Path, gone: list[Memory]) -> int:
    data = b"".join(one.read_bytes() for one in path.parent.iterdir())
    needles = {one.text.encode() for one in gone}
    needles |= {word.strip(",.").encode() for one in gone for word in one.text.split() if len(word) >= 10}
    return sum(needle in data or needle.lower() in data for needle in needles)


if __name__ == "__main__":
    main()
