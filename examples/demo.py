"""The main job on a conversation of our own: python -m examples.demo [FILE]; with FILE the memory is kept there.

Ninety days of a sailing school come in; three questions are asked; a plan is shown, applied, explained, taken back.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table

import remanence

HERE = Path(__file__).parent
TALK = HERE / "saltmarsh.jsonl"
POLICY = HERE / "policy.toml"
START = datetime(2026, 3, 1, tzinfo=UTC)
END = datetime(2026, 5, 30, 8, tzinfo=UTC)  # the morning after the last day of the conversation

QUESTIONS = (
    "When does the open day start?",
    "What is Pia allergic to?",
    "What is the code of the boathouse door?",
)
WRONG = "saltmarsh-004"  # "… It starts at two o'clock."
RIGHT = "saltmarsh-077"  # "Correction: … four o'clock, not at two."
GONE = "saltmarsh-044"  # small talk about lemon cake
KEPT = "saltmarsh-010"  # a task that nobody has finished
BUDGET = 90  # tokens an answer may take


@dataclass(frozen=True)
class Shown:
    """What the demonstration claims, so that a test may look whether it is so."""

    stored: int
    repeats: int
    known_again: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    restored: Mapping[str, int]
    run: str


async def demonstrate(path: Path, console: Console) -> Shown:
    """Tell the whole story on a new database at `path`."""
    clock = remanence.ManualClock(START)
    async with remanence.open(path, policy=str(POLICY), clock=clock) as memory:
        stored, repeats = await replay(memory, clock, console)
        clock.set(END)
        again = await settle(memory, console)
        await ask(memory, console)
        await correct(memory, console)
        before, receipt = await curate(memory, console)
        after = (await memory.status()).statuses
        await explain(memory, console)
        restored = await take_back(memory, receipt, console)
        return Shown(stored, repeats, again, before, after, restored, receipt.run)


async def replay(memory: remanence.Engine, clock: remanence.ManualClock, console: Console) -> tuple[int, int]:
    """Let the ninety days happen: each session is learnt on its day."""
    headline(console, "1", "Ninety days of a sailing school come in, day by day")
    stored = repeats = days = 0
    for said_at, turns in sessions():
        clock.set(said_at)
        learned = await memory.learn_many(turns)
        stored += sum(one.status == "stored" for one in learned)
        repeats += sum(one.status == "confirmed" for one in learned)
        days += 1
    console.print(
        f"Mara runs the school, the agents Quill and Tally help. {stored + repeats} turns on {days} days:"
    )
    console.print(
        f"[bold]{stored}[/] became memories, [bold]{repeats}[/] were exact repeats and confirmed one instead."
    )
    return stored, repeats


def sessions() -> Iterator[tuple[datetime, list[dict[str, Any]]]]:
    """Yield the turns of each day with the time of the first."""
    lines = TALK.read_text(encoding="utf-8").splitlines()
    rows = [
        json.loads(line) | {"source": f"{TALK.name}:{number}"} for number, line in enumerate(lines, start=1)
    ]
    for row in rows:
        row["said_at"] = datetime.fromisoformat(row["said_at"])
    for _, day in groupby(rows, key=lambda row: row["session"]):
        turns = list(day)
        yield turns[0]["said_at"], turns


async def settle(memory: remanence.Engine, console: Console) -> int:
    """Take the same file in again, which changes nothing, and consolidate the inbox."""
    again = await memory.ingest(TALK)
    console.print(
        f"The same file taken in again: {again.known} of {again.turns} turns known already, nothing changed."
    )
    headline(console, "2", "The inbox settles")
    done = await memory.consolidate()
    console.print(
        f"{done.activated} memories are active; {done.near_duplicates + done.similar} pairs of near or similar "
        "ones are linked. Nothing was merged or dropped."
    )
    return again.known


async def ask(memory: remanence.Engine, console: Console) -> None:
    """Ask three questions and show why each answer is where it is."""
    headline(console, "3", f"Three questions, at most {BUDGET} tokens each")
    for question in QUESTIONS:
        answer(console, await memory.recall(question, limit=3, budget=BUDGET))


def answer(console: Console, recalled: remanence.Recalled) -> None:
    """Print an answer, what made its score, and what was left out."""
    console.print(f"\n[bold cyan]{escape(recalled.query)}[/]  [dim]strength {recalled.strength:.2f}[/]")
    table = Table.grid(padding=(0, 1))
    for hit in recalled.memories:
        said = f"{datetime.fromtimestamp(hit.memory.said_at / 1e6, UTC):%d %b}"
        parts = "  ".join(f"{name} {value:.2f}" for name, value in hit.parts.items())
        table.add_row(f"  {hit.score:.2f}", f"[dim]{said} {hit.memory.speaker}[/]", escape(hit.memory.text))
        table.add_row("", "", f"[dim]{parts}[/]")
    console.print(table)
    if recalled.dropped:
        reason = escape(recalled.dropped[0].reason)
        console.print(f"  [dim]{len(recalled.dropped)} left out; the first: {reason}[/]")


async def correct(memory: remanence.Engine, console: Console) -> None:
    """Let a correction take the place of what it corrects, and ask again."""
    headline(console, "4", "Two o'clock was wrong: the correction takes its place")
    await memory.supersede(WRONG, by=RIGHT)
    answer(console, await memory.recall(QUESTIONS[0], limit=1, budget=BUDGET))
    old = await memory.get(WRONG)
    console.print(f"  [dim]kept as history, {old.status.label}:[/] {escape(old.text)}")


async def curate(memory: remanence.Engine, console: Console) -> tuple[Mapping[str, int], remanence.Receipt]:
    """Show what the policy would do, then do exactly that."""
    headline(console, "5", "A plan, before anything happens")
    before = (await memory.status()).statuses
    plan = await memory.plan()
    console.print(Panel(escape(str(plan)), border_style="yellow", title="nothing of this has happened yet"))
    headline(console, "6", "Applied")
    receipt = await memory.apply(plan)
    console.print(
        f"[bold]{receipt.archived} archived, {receipt.pruned} made tombstones[/] in one transaction, nothing else."
    )
    console.print(f"before: {numbers(before)}")
    console.print(f"after:  {numbers((await memory.status()).statuses)}")
    return before, receipt


async def explain(memory: remanence.Engine, console: Console) -> None:
    """Say why one memory went and why another stayed."""
    headline(console, "7", "Why? One that went, and one that stayed")
    gone = await memory.get(GONE)
    console.print(f"[dim]{gone.speaker}:[/] {escape(gone.text)}")
    for event in await memory.history(GONE):
        console.print(f"  [dim]{event.verb:<11}[/] {escape('; '.join(event.changes))}")
    kept = await memory.get(KEPT)
    console.print(f"\n[dim]{kept.speaker}:[/] {escape(kept.text)}")
    explanation = await memory.explain(KEPT)
    table = Table.grid(padding=(0, 1))
    for verdict in explanation.verdicts:
        if verdict.truth == "true":
            values = ", ".join(f"{name} = {value}" for name, value in verdict.values.items())
            stopped = f", but kept by {', '.join(verdict.blocked_by)}" if verdict.blocked_by else ""
            table.add_row(f"  [bold]{verdict.what}[/]", verdict.name, escape(f"{verdict.action}{stopped}"))
            table.add_row("", "", f"[dim]{escape(values)}[/]")
    console.print(table)
    quiet = sum(verdict.truth != "true" for verdict in explanation.verdicts)
    console.print(
        f"  [dim]{quiet} other rules and guards do not apply to it. So it {explanation.outcome}.[/]"
    )


async def take_back(
    memory: remanence.Engine, receipt: remanence.Receipt, console: Console
) -> Mapping[str, int]:
    """Undo the run and look whether all is as it was."""
    headline(console, "8", "Taken back")
    undone = await memory.undo(receipt)
    state = await memory.status()
    console.print(f"{undone.changes} changes turned round; the memory holds again {numbers(state.statuses)}.")
    headline(console, "9", "Where the memory stands")
    checks = await memory.doctor()
    sound = "[green]all sound[/]" if all(check.ok for check in checks) else "[red]not sound[/]"
    console.print(
        f"{state.memories} memories ({numbers(state.kinds)}), {state.links} links, {state.runs} runs on record"
    )
    console.print(f"{len(checks)} checks of rows, references, digests and full text: {sound}")
    return state.statuses


def numbers(counts: Mapping[str, int]) -> str:
    """Write counts in a line."""
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def headline(console: Console, number: str, title: str) -> None:
    """Print the title of a step."""
    console.print()
    console.print(Rule(f"[bold]{number}. {escape(title)}[/]", align="left"))


def main(arguments: list[str]) -> None:
    """Run it in a folder that goes away, or in the file that is named."""
    console = Console(highlight=False)
    if arguments:
        asyncio.run(demonstrate(Path(arguments[0]), console))
        console.print(
            f'\nKept in {escape(arguments[0])}. Ask it: remanence recall --db {escape(arguments[0])} "…"'
        )
        return
    with tempfile.TemporaryDirectory(prefix="remanence-") as folder:
        asyncio.run(demonstrate(Path(folder) / "school.db", console))
    console.print("\nThat was a throw-away copy. Keep one with: python -m examples.demo school.db")


if __name__ == "__main__":
    main(sys.argv[1:])
