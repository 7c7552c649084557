"""What noting costs: `python -m benchmarks.note [LOCOMO] [--callers 64] [--rounds 9]`.

A note beside a learn, both by many callers at once, in turns on two files; the gate and the signal of one turn; what
waits, listened to by rules and stored; and the commands `note` and `learn` as whole processes. Texts are LoCoMo's turns
where its file is given, else made up. CPU time.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

import remanence
from benchmarks.corpus import Maker
from benchmarks.report import children_cpu_s, figure, settings, spent
from remanence.flows.consolidate.extract_pending import listen
from remanence.gate.machine_markup import find_machine_markup
from remanence.gate.screening import screen
from remanence.read.keep_signals import signal
from remanence.write.transcripts.formats import parse

TEXTS = 2_000  # of each round
SESSION_TURNS = 20
PROCESSES = 9
COMMANDS = ("note", "learn")


def main() -> None:
    """Measure all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--callers", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    texts = texts_of(given.path)
    settings(callers=given.callers, rounds=given.rounds, texts=len(texts))
    asyncio.run(beside_learn(texts, given.callers, given.rounds))
    scans(texts)
    asyncio.run(listening(texts))
    with tempfile.TemporaryDirectory() as folder:
        processes(Path(folder), texts)


def texts_of(path: Path | None) -> list[str]:
    """Return distinct texts to note."""
    if path is None:
        return list(Maker().texts(6_000))
    turns = parse(path.read_text(encoding="utf-8"), "locomo", path.name).turns
    return list(dict.fromkeys(turn.text for turn in turns))


async def beside_learn(texts: Sequence[str], callers: int, rounds: int) -> None:
    """Print the CPU time of a note and of a learn, and how much dearer a note is: medians over the rounds."""
    costs: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for name in COMMANDS if number % 2 else COMMANDS[::-1]:
                path = Path(folder) / f"{name}{number}.db"
                async with remanence.open(path) as memory:
                    await memory.learn("the first text loads the words")
                    costs[name].append(await _cost(memory, name, texts[:TEXTS], callers))
    for name, found in costs.items():
        figure(f"note.{name}_ms", median(found), "ms", callers=callers)
    figure("note.dearer_ms", median(map(float.__sub__, *costs.values())), "ms", callers=callers)


async def _cost(memory: remanence.Engine, name: str, texts: Sequence[str], callers: int) -> float:
    waiting = list(enumerate(texts))

    async def calls() -> None:
        while waiting:
            at, text = waiting.pop()
            session = f"session {at // SESSION_TURNS}"
            if name == "note":
                await memory.note(text, speaker="Ana", session=session, later=True)
            else:
                await memory.learn(text, speaker="Ana", session=session)

    with spent() as work:
        await asyncio.gather(*(calls() for _ in range(callers)))
    return 1_000 * work.cpu_s / len(texts)


def scans(texts: Sequence[str]) -> None:
    """Print what the gate asks of one turn, and what its signal takes."""
    for name, scan in (
        ("gate", partial(screen, salt=b"")),
        ("markup", find_machine_markup),
        ("signal", signal),
    ):
        scan(texts[0])
        with spent() as work:
            for text in texts[:TEXTS]:
                scan(text)
        figure(f"note.{name}_ms", 1_000 * work.cpu_s / len(texts[:TEXTS]), "ms")


async def listening(texts: Sequence[str]) -> None:
    """Print how many waiting turns a second become facts that are stored."""
    with tempfile.TemporaryDirectory() as folder:
        async with remanence.open(Path(folder) / "memory.db") as memory:
            await memory.learn(
                remanence.Turn(text, kind="episodic", tags=("turn",), speaker="Ana", session=f"s{at // 20}")
                for at, text in enumerate(texts)
            )
            with spent() as work:
                done = await listen(memory._core)  # noqa: SLF001 - hears, and leaves the inbox as it is
    figure("note.heard", done.turns / work.cpu_s, "turns/CPU s", turns=done.turns, stored=done.stored)


def processes(folder: Path, texts: Sequence[str]) -> None:
    """Print the CPU time of whole processes; bytecode is written, as where it is installed."""
    program = str(Path(sys.executable).parent / "remanence")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    costs: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for at in range(PROCESSES + 1):
        for name in COMMANDS:
            before = children_cpu_s()
            line = [program, name, f"{texts[at]} {name}", "--db", str(folder / "memory.db")]
            subprocess.run(line, env=environment, stdout=subprocess.DEVNULL, check=True)
            costs[name].append(children_cpu_s() - before)
    for name, found in costs.items():
        figure(f"note.process_{name}", median(found[1:]), "CPU s")


if __name__ == "__main__":
    main()
