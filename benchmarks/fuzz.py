"""Questions that nobody means, drawn from a seed: `python -m benchmarks.fuzz [--n 10000] [--questions 100000]`.

Each is asked as `recall` of a store of n memories of which some were erased, archived, superseded and forgotten. Text:
100 kB, blanks, emoji, one function word, brackets, the syntax of FTS5 and SQL, `%`, NUL, halves of characters, words of
the store. Arguments: limits, budgets, up to 1,000 values in a filter, spans that end before they begin, instants before
the first memory and in the future, names and ids that nobody has. What is refused must be refused by an error of ours;
anything else is printed with what was asked, and the run ends with 1. `fuzz.all.p99_ms` is CPU, by kind, too; `plain`
are those of less than 5 kB that ask of now, and not why.
"""

import argparse
import asyncio
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import remanence
from benchmarks.corpus import Maker
from benchmarks.report import figure, note, settings, spent
from remanence.core.clock import DAY, ManualClock
from remanence.core.model import Turn

START = 1_780_000_000_000_000
STEP_MINUTES = 10  # from one memory to the next
LONG_CHARS = 100_000
VALUES_MAX = 1_000
_APART = (
    "as_of",
    "why_not",
)  # questions of these are a kind of their own: they read more than an answer takes
NOTED_EVERY = 5_000
SPEAKERS = ("Mara", "Jonas", "O'Neil", "\u674e")
FUNCTION_WORDS = ("the", "und", "de", "le", "\u7684", "la", "a", "is", "ich")
EMOJI = "\U0001f980\U0001f9ff\u2764\ufe0f\U0001f468\u200d\U0001f469\u200d\U0001f467"
SYNTAX = (
    '"a" OR NEAR(b c, 2)',
    "text : x AND NOT y",
    "{a b} : ^c *",
    '""""',
    "a* -b +c",
    "'; DROP TABLE memories; --",
    "%_%",
    "NULL",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "${x} %s {0}",
    '{"query": ["',
)
SIGNS = "()[]{}<>%_*^:\"'\\;,.!?-+=|&~#@$`"


# What may be refused to who asks; that a store cannot answer, or is damaged, is no fault of a question.
_REFUSALS = (remanence.InvalidInput, remanence.NotFound, remanence.NameUnknown, remanence.Erased)


@dataclass(frozen=True)
class FuzzedStore:
    """What questions are drawn from: words of texts, ids, and those of memories that were erased or forgotten."""

    words: Sequence[str]
    ids: Sequence[str]
    gone: Sequence[str]
    ends: int


@dataclass(frozen=True)
class FuzzedQuestion:
    """A question by its kind, which an argument may tell, with the other arguments of `recall`."""

    kind: str
    text: str
    arguments: Mapping[str, Any]


async def fill(memory: remanence.Engine, clock: ManualClock, n: int, seed: int) -> FuzzedStore:
    """Fill a memory with n texts, of which a few are erased, forgotten, archived, corrected and contradict another."""
    random, batch = Random(seed), 1_000
    texts = list(Maker(seed=seed).texts(n))
    for start in range(0, n, batch):
        turns = [
            Turn(
                text,
                speaker=random.choice(SPEAKERS),
                session=f"s{(start + k) // 12}" if k % 3 else None,
                thread=f"t{(start + k) // 120}",
                tags=(f"tag/{k % 40}",) if k % 2 else (),
                category=random.choice((None, "fact", "decision")),
                attributes={"project": random.choice("abc"), "n": k % 7} if k % 5 == 0 else None,
            )
            for k, text in enumerate(texts[start : start + batch])
        ]
        await memory.learn(turns)
        clock.advance(minutes=STEP_MINUTES * len(turns))
    await memory.consolidate()
    ids = [one.id for one in await memory.list(limit=min(n, VALUES_MAX))]
    gone = ids[: max(2, len(ids) // 100)]
    await memory.erase.apply(await memory.erase.show(gone[:1]))
    for name in gone[1:]:
        await memory.forget(name)
    kept = ids[len(gone) :]
    for one in kept[: len(gone)]:
        await memory.correct(one, f"Corrected: {random.choice(texts)}")
    for one, other in zip(kept[-len(gone) :], kept[-2 * len(gone) : -len(gone)], strict=True):
        await memory.link(one, other, "contradicts")
    words = sorted({word for text in texts[:VALUES_MAX] for word in text.split()})
    return FuzzedStore(words, kept, gone, clock.now())


def draw_questions(store: FuzzedStore, seed: int) -> Iterator[FuzzedQuestion]:
    """Yield questions without end, the same ones from one seed."""
    random = Random(seed)
    kinds = list(_TEXTS)
    while True:
        kind = random.choice(kinds)
        text = _TEXTS[kind](random, store)
        arguments = _draw_arguments(random, store)
        yield FuzzedQuestion(next((name for name in _APART if name in arguments), kind), text, arguments)


def _draw_words(random: Random, store: FuzzedStore) -> str:
    return " ".join(random.choices(store.words, k=random.randint(1, 12)))


def _draw_long(random: Random, store: FuzzedStore) -> str:
    unit = random.choice(
        ("x", "ab ", "\u4e16", "( ", EMOJI, "1234567 ", _draw_words(random, store) + "? ", "a\u0301", "\n")
    )
    size = random.choice((LONG_CHARS, LONG_CHARS - 1, LONG_CHARS + 1, 20_000, 5_000))
    return (unit * (size // len(unit) + 1))[:size]


def _draw_characters(random: Random, _: FuzzedStore) -> str:
    ranges = (
        (0, 0x7F),
        (0x80, 0x2FFF),
        (0x3000, 0xD7FF),
        (0xD800, 0xDFFF),
        (0xE000, 0xFFFF),
        (0x10000, 0x10FFFF),
    )
    some = [random.choice(ranges) for _ in range(random.randint(1, 3))]
    return "".join(chr(random.randint(*random.choice(some))) for _ in range(random.randint(1, 60)))


def _draw_mixed(random: Random, store: FuzzedStore) -> str:
    parts = [
        random.choice((*SYNTAX, *FUNCTION_WORDS, EMOJI, "\0", _draw_words(random, store))) for _ in range(6)
    ]
    return random.choice(("", " ", "\n", "\u2028")).join(parts)


_TEXTS: Mapping[str, Callable[[Random, FuzzedStore], str]] = {
    "words": _draw_words,
    "many words": lambda random, store: " ".join(random.choices(store.words, k=200)),
    "long": _draw_long,
    "blank": lambda random, _: (
        random.choice(("", " ", "\t\n", "\u00a0\u2003", "\u200b", "\ufeff")) * random.randint(1, 9)
    ),
    "emoji": lambda random, _: EMOJI * random.randint(1, 40),
    "function word": lambda random, _: random.choice(FUNCTION_WORDS),
    "brackets": lambda random, _: random.choice("()[]{}<>") * 2_000,
    "syntax": lambda random, _: random.choice(SYNTAX),
    "signs": lambda random, _: "".join(random.choices(SIGNS, k=random.randint(1, 80))),
    "percent": lambda random, store: f"%{random.choice(store.words)}%" * random.randint(1, 5),
    "nul": lambda random, store: f"{_draw_words(random, store)}\0{random.choice(store.words)}",
    "characters": _draw_characters,
    "mixed": _draw_mixed,
    "when": lambda random, _: random.choice(
        ("last Tuesday", "in May", "heute", "il y a 2 jours", "2026-02-30", "99999-01-01", "vor 10**9 Jahren")
    ),
    "number": lambda random, _: random.choice(
        ("0", "1.2.1", "0171 234", "-1", "1e400", "\u0663\u0664", "7" * 400)
    ),
    "name": lambda random, _: f"What does {random.choice(SPEAKERS)} say?",
    "id": lambda random, store: random.choice((*store.ids, *store.gone)),
}


def _draw_arguments(random: Random, store: FuzzedStore) -> dict[str, Any]:
    """Return a few arguments; most questions have none or one."""
    arguments: dict[str, Any] = {"count_use": False}
    for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
        name = random.choice(list(_ARGUMENTS))
        arguments[name] = _ARGUMENTS[name](random, store)
    return arguments


def _draw_moment(random: Random, store: FuzzedStore) -> Any:
    around = random.randint(START, store.ends)
    return random.choice(
        (START - 1, 0, -1, around, around, store.ends + DAY, 2**62, "2026-06-01", "", "yesterday")
    )


def _draw_filters(random: Random, store: FuzzedStore) -> dict[str, Any]:
    many = [f"tag/{k}" for k in range(VALUES_MAX)]
    return random.choice(
        (
            {},
            {"tags": many},
            {"tags": [f"tag/{random.randint(0, 50)}"]},
            {"tags": ["tag/*"]},
            {"speaker": [*many, *SPEAKERS]},
            {"category": ["fact", None, *many]},
            {"status": random.choice(("any", "active", "archived", "superseded", "pruned", "nonsense", ""))},
            {f"attributes.a{k}": "x" for k in range(VALUES_MAX)},
            {"attributes.project": ["a", "b"], "attributes.n": {"from": 2}},
            {"attributes.n": random.choice((3, 3.5, True, None, {}, {"from": "z"}, "x" * 5_000))},
            {random.choice(store.words): 1},
            {
                "kind": ["semantic", "episodic"],
                "thread": "t1",
                "session": [f"s{k}" for k in range(VALUES_MAX)],
            },
            {"": ""},
        )
    )


_ARGUMENTS: Mapping[str, Callable[[Random, FuzzedStore], Any]] = {
    "limit": lambda random, _: random.choice((1, 1_000, 2, 200, 0, -1, 1_001, 10**30)),
    "budget": lambda random, _: random.choice((1, 30, 100, 400, 2_000, 10**6, 0, -5)),
    "filters": _draw_filters,
    "between": lambda random, store: (_draw_moment(random, store), _draw_moment(random, store)),
    "around": lambda random, store: (_draw_moment(random, store), _draw_moment(random, store)),
    "as_of": _draw_moment,
    "why_not": lambda random, store: random.choice(
        (
            *random.sample(store.ids, 3),
            *store.gone[:3],
            "f" * 32,
            10**9,
            -1,
            "",
            "a text that never came in",
            "#1",
        )
    ),
    "explain": lambda random, _: random.random() < 0.5,
    "asker": lambda random, _: random.choice((*SPEAKERS, "nobody", "", "x" * 10_000)),
    "thread": lambda random, _: random.choice(("t0", "t1", "nowhere", "")),
    "archived": lambda random, _: random.choice(("open", "closed", "ajar")),
    "newer_first": lambda random, _: random.random() < 0.5,
    "agent": lambda random, _: random.choice(("a", "", "x" * 10_000, "\0")),
}


@dataclass(frozen=True)
class FuzzResult:
    """CPU milliseconds by kind of question, errors of ours by class, and what else was raised, with its question."""

    cpu_ms: Mapping[str, Sequence[float]]
    refused: Mapping[str, int]
    failed: Sequence[str]


async def ask_questions(memory: remanence.Engine, store: FuzzedStore, count: int, seed: int) -> FuzzResult:
    """Ask so many; whatever is raised that is not ours, the next is asked."""
    cpu_ms: dict[str, list[float]] = defaultdict(list)
    refused: Counter[str] = Counter()
    failed: list[str] = []
    for number, question in zip(range(count), draw_questions(store, seed), strict=False):
        with spent() as took:
            try:
                await memory.recall(question.text, **question.arguments)
            except _REFUSALS as error:
                refused[type(error).__name__] += 1
            except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
                where = traceback.extract_tb(error.__traceback__)[-1]
                failed.append(
                    f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error!s:.200};"
                    f" question {number}, {question.kind}: {question.text[:80]!r} {str(question.arguments)[:300]}"
                )
        cpu_ms[question.kind].append(took.cpu_s * 1_000)
        if (number + 1) % NOTED_EVERY == 0:
            note(f"{number + 1} asked, {len(failed)} failed")
    return FuzzResult(cpu_ms, refused, failed)


async def measure(n: int, count: int, seed: int) -> FuzzResult:
    """Fill a file, open it again and ask."""
    clock = ManualClock(START)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        async with remanence.open(path, embedder="auto", clock=clock) as memory:
            store = await fill(memory, clock, n, seed)
        async with remanence.open(path, embedder="auto", clock=clock) as memory:
            await memory.recall(store.words[0])
            return await ask_questions(memory, store, count, seed)


def main() -> None:
    """Ask, and print what it cost and what failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    settings(n=given.n, questions=given.questions, seed=given.seed)
    result = asyncio.run(measure(given.n, given.questions, given.seed))
    every = [value for values in result.cpu_ms.values() for value in values]
    plain = [
        value for kind, values in result.cpu_ms.items() if kind not in (*_APART, "long") for value in values
    ]
    for share, (name, some) in product((50, 99), (("all", every), ("plain", plain))):
        figure(f"fuzz.{name}.p{share}_ms", float(np.percentile(some, share)), "ms", n=given.n, most=max(some))
    for kind, values in result.cpu_ms.items():
        figure(
            "fuzz.kind.p99_ms",
            float(np.percentile(values, 99)),
            "ms",
            kind=kind,
            asked=len(values),
            most=max(values),
        )
    figure("fuzz.refused", sum(result.refused.values()), "", **result.refused)
    figure("fuzz.failed", len(result.failed), "")
    for line in result.failed:
        note(line)
    sys.exit(bool(result.failed))


if __name__ == "__main__":
    main()
