"""The command that makes a sample memory and walks through what can be done with it.

Knows the sample, which is in `faces/sample`; everything it shows is done by the engine's verbs.
"""

import io
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Annotated, Any, TextIO

from cyclopts import Parameter

from remanence.core.arguments import check_path
from remanence.core.clock import DAY, ManualClock, to_datetime
from remanence.core.errors import InvalidInput
from remanence.core.model import Memory, Turn
from remanence.core.results import number
from remanence.curate.planner.plan_report import render
from remanence.engine import Engine
from remanence.faces.cli.options import Common, Given
from remanence.flows.curate.curating import describe
from remanence.flows.write.learning import learn_many
from remanence.opening import open as open_memory

SAMPLE = Path(__file__).parent.parent / "sample"
TALK = SAMPLE / "saltmarsh.jsonl"
OVERHEARD = SAMPLE / "boathouse.jsonl"
POLICY = SAMPLE / "policy.toml"
DATABASE = "agent.db"  # the name that every command looks for
START = datetime(2026, 3, 1, tzinfo=UTC)
END = datetime(2026, 5, 30, 8, tzinfo=UTC)  # the morning after the last day of the conversation

QUESTIONS = ("What is Pia allergic to?", "What time does the open day start?")
WRONG = "saltmarsh-004"  # "… It starts at two o'clock."
RIGHT = "saltmarsh-077"  # "Correction: … four o'clock, not at two."
GONE = "saltmarsh-164"  # small talk
KEPT = "saltmarsh-010"  # a task that nobody has finished
SHOWN = 2  # memories of each rule in the plan
WIDTH = 100
MONTHS, DAYS_OF_MONTH, LOOKED_EVERY = 12, 30, 3 * DAY
PER_SIGN = 8  # memories of a sign of the picture
NEXT = (
    ('remanence recall "who can drive the safety boat?"', "ask it something"),
    ("remanence plan", "what its policy would do now"),
    ("remanence curate", "do that"),
    ("remanence list --status archived --limit 5", "what was archived"),
    ("remanence undo last", "take it back"),
)
SERVE = ("remanence serve", "look at it all in a browser, until Ctrl-C")


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration did, so that a program, or a test, may look whether it is so."""

    folder: str
    stored: int
    repeats: int
    known_again: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    restored: Mapping[str, int]
    run: str
    noted: int = 0
    segments: int = 0
    year: tuple[Mapping[str, int], ...] = ()  # memories of each status after each month


async def demo(
    folder: Annotated[
        str, Parameter(help="The folder to create; remanence-demo if absent.")
    ] = "remanence-demo",
    /,
    *,
    common: Given,
) -> Any:
    if replace(common, json=False) != Common():
        raise InvalidInput(
            "demo makes a memory of its own, in a folder",
            recovery="leave out --db, --scope and --agent",
        )
    check_path(folder)
    answer = await demonstrate(Path(folder), io.StringIO() if common.json else sys.stdout)
    return answer if common.json else None


async def demonstrate(folder: Path, out: TextIO) -> DemoResult:
    """Make the sample in a folder and print each step; the database is put there when all is done."""
    _make_folder(folder)
    with TemporaryDirectory(prefix=".demo-", dir=folder) as making:
        database = Path(making) / DATABASE
        walk = Walk(out, ManualClock(START))
        async with open_memory(database, policy=str(POLICY), clock=walk.clock) as memory:
            answer = await walk.run_steps(memory, str(folder))
        # Closed, it lies in the one file. A backup would be registered, and named by an erasure for ever.
        shutil.copy(database, Path(making) / "year.db")  # with its mode
        async with open_memory(Path(making) / "year.db", policy=str(POLICY), clock=walk.clock) as memory:
            answer = replace(answer, year=await walk.year(memory))
        # From here on the file is used by the machine's own clock, which may be months on.
        async with open_memory(database) as memory:
            await memory.policy.use(str(POLICY))
            await memory.review.settle("clock", "accept")
        database.rename(folder / DATABASE)
    for file in (TALK, POLICY):
        shutil.copyfile(file, folder / file.name)
    walk.end(folder)
    return answer


def _make_folder(folder: Path) -> None:
    """Make the folder, or refuse one in which there is something that this would replace."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"the folder {folder} cannot be made: {error.strerror}",
            recovery="name another: remanence demo FOLDER",
        ) from error
    for name in (DATABASE, TALK.name, POLICY.name):
        if (folder / name).exists():
            raise InvalidInput(
                f"{folder / name} is there already",
                recovery="name another folder: remanence demo FOLDER; or delete this one",
            )


def read_turns(file: Path) -> list[dict[str, Any]]:
    """Return the turns of a conversation, each with where it stands."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [
        json.loads(line) | {"source": f"{file.name}:{number}"} for number, line in enumerate(lines, start=1)
    ]
    for row in rows:
        row["said_at"] = datetime.fromisoformat(row["said_at"])
    return rows


def sessions() -> Iterator[tuple[datetime, list[Turn]]]:
    """Yield the turns of each day with the time of the first."""
    for _, day in groupby(read_turns(TALK), key=lambda row: row["session"]):
        rows = list(day)
        yield rows[0]["said_at"], [Turn(**row) for row in rows]


@dataclass(frozen=True)
class Walk:
    """The steps, in order, each printed as it is done."""

    out: TextIO
    clock: ManualClock

    async def run_steps(self, memory: Engine, folder: str) -> DemoResult:
        """Learn, listen, recall, correct, plan, apply, explain and undo."""
        stored, repeats, again = await self._learn(memory)
        noted, segments = await self._note_conversations(memory)
        for question in QUESTIONS:
            self._step("Recall", question)
            await self._print_answer(memory, question)
        await memory.correct(WRONG, by=RIGHT)
        self._step("Correct", "four o'clock takes the place of two, which stays as history")
        await self._print_answer(memory, QUESTIONS[-1])
        before = (await memory.status()).statuses
        self._step("Plan", "what its policy would compress, archive and delete; nothing is written")
        plan = await memory.plan()
        shown = await describe(memory._core, plan, SHOWN)  # noqa: SLF001 # a part of showing a plan, and no verb
        self._print_lines(render(shown, line_width() - 2))
        await self._explain_two(memory)
        receipt = await memory.apply(plan)
        after = (await memory.status()).statuses
        self._step("Apply", f"{receipt.archived} archived, {receipt.pruned} deleted: {numbers(after)}")
        undone = await memory.undo(receipt)
        restored = (await memory.status()).statuses
        self._step("Undo", f"{undone.changes} changes taken back: {numbers(restored)}")
        return DemoResult(
            folder, stored, repeats, again, before, after, restored, receipt.run, noted, segments
        )

    async def _learn(self, memory: Engine) -> tuple[int, int, int]:
        stored = repeats = days = 0
        for said_at, turns in sessions():
            self.clock.set(said_at)
            # As an import takes turns in: once by their keys, and a repeat confirms.
            answers = await learn_many(memory._core, turns)  # noqa: SLF001 # no verb takes turns in day by day
            stored += sum(one.status == "stored" for one in answers)
            repeats += sum(one.status == "confirmed" for one in answers)
            days += 1
        self.clock.set(END)
        again = await memory.ingest(TALK)
        await memory.consolidate()
        self._step("Learn", f"{again.turns} messages of a sailing school, on {days} days of spring 2026")
        self._print_lines(
            [
                f"{stored} became memories, {repeats} were exact repeats and confirmed one instead.",
                f"Learned a second time, {again.known} are known and none is stored.",
            ]
        )
        return stored, repeats, again.known

    async def _note_conversations(self, memory: Engine) -> tuple[int, int]:
        """Note what two people said on three days; it is cut into segments by matter without a model."""
        turns = [Turn(**row) for row in read_turns(OVERHEARD)]
        for turn in turns:
            await memory.note(turn, later=True)
        await memory.consolidate()
        self.clock.advance(hours=1)
        await memory.consolidate()  # nobody has gone on: the last segment of each day is sealed
        segments = await memory.conversations.list()
        threads = await memory.conversations.list(threads=True, segments_min=2)
        self._step("Listen", f"{len(turns)} turns of two people in the boathouse, noted one by one")
        self._print_lines(
            [
                f"They are in {len(segments)} segments by matter,",
                f"and {number(len(threads), 'matter', 'matters')} went on over several days.",
            ]
        )
        return len(turns), len(segments)

    async def _print_answer(self, memory: Engine, question: str) -> None:
        answer = await memory.recall(question, limit=1)
        self._print_lines(
            f"{hit.memory.said_time:%d %b} {_quote_memory(hit.memory)}" for hit in answer.memories
        )

    async def _explain_two(self, memory: Engine) -> None:
        self._step("Explain", "why one memory goes and another stays")
        for key in (GONE, KEPT):
            explanation, one = await memory.explain(key), await memory.get(key)
            true = [verdict for verdict in explanation.verdicts if verdict.truth == "true"]
            names = ", ".join(f"{verdict.what} {verdict.name}" for verdict in true)
            self._print_lines([_quote_memory(one), f"    → {explanation.outcome}; what applies: {names}"])

    async def year(self, memory: Engine) -> tuple[Mapping[str, int], ...]:
        """Let a year pass over a copy: what is asked for is used, a little is said, and it curates itself."""
        self._step(
            "A year", "on a copy, which curates itself every three days while little is said and asked"
        )
        months: list[Mapping[str, int]] = []
        for month in range(MONTHS):
            await memory.learn(f"Season note {month + 1}: the slipway was swept and the boats were counted.")
            for question in QUESTIONS:
                await memory.recall(question, limit=1)
            ends = self.clock.now() + DAYS_OF_MONTH * DAY
            while (now := self.clock.now()) < ends:
                self.clock.set(min(ends, now + LOOKED_EVERY))
                await memory.run_jobs()
            months.append((await memory.status()).statuses)
            self._print_lines([bar(f"{to_datetime(ends):%b %Y}", months[-1])])
        for one in await memory.list(status="archived", limit=1):
            await memory.restore(one.id)
            self._print_lines(["One of the archived, brought back:", f"    {_quote_memory(one)}"])
        return tuple(months)

    def end(self, folder: Path) -> None:
        """Say where it is, and what to try."""
        self._print(f"\nThis memory is in {folder}, as if nothing had been curated. Try:\n")
        chars = max(len(command) for command, _ in NEXT)
        for command, what in (("cd " + str(folder), ""), *NEXT, SERVE):
            self._print(f"  {command:<{chars}}  {what}".rstrip())

    def _step(self, verb: str, title: str) -> None:
        self._print(f"\n{verb.upper()}  {title}")

    def _print_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            margin = " " * (len(line) - len(line.lstrip()) + 2)
            self._print(fill("  " + line, line_width(), subsequent_indent=margin, break_long_words=False))

    def _print(self, line: str) -> None:
        print(line, file=self.out)


def _quote_memory(memory: Memory) -> str:
    """Return the text of a memory, after who said it, if anybody did."""
    return f"{memory.speaker}: {memory.text}" if memory.speaker else memory.text


def line_width() -> int:
    """Return how many characters a line may have."""
    return min(shutil.get_terminal_size().columns, WIDTH)


def bar(month: str, counts: Mapping[str, int]) -> str:
    """Draw what stands, what is archived and what is deleted, a sign for every few memories, with their numbers."""
    parts = (
        ("#", sum(counts.get(name, 0) for name in ("inbox", "active"))),
        ("+", counts.get("archived", 0) + counts.get("superseded", 0)),
        (".", counts.get("pruned", 0)),
    )
    signs = "".join(sign * round(count / PER_SIGN) for sign, count in parts)
    stand, archived, deleted = (count for _, count in parts)
    legend = f"{stand} stand, {archived} archived" + (f", {deleted} deleted" if deleted else "")
    return f"{month}  {signs}  {legend}"


def numbers(counts: Mapping[str, int]) -> str:
    """Write counts in a line."""
    return ", ".join(f"{count} {name}" for name, count in counts.items())
