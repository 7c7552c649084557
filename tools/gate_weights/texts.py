"""The texts that the weights are fitted to: lines written for it, with choices drawn, labelled texts, and prose."""

import ast
import random
import re
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks import prose
from benchmarks.labels import Part, read
from benchmarks.labels import parts as parts_of
from benchmarks.labels.intake import benign, harmless, planted, shorts, signals

FOLDER = Path(__file__).with_name("texts")
DRAWN = 10  # texts of each line with choices
CARRIED = 0.5  # of orders that stand beside another sentence
CARRIER_CHARS_MAX = 90
ORDINARY = 0.3  # how much an ordinary text counts
PROSE = 3.0  # and a piece of prose, each sentence of which does; chosen on a set left out of the fit
REPLY = (
    12.0  # and a reply of an assistant: there are few; chosen on the fifth set, which is left out of the fit
)
PROSE_CHARS, DOCSTRING_CHARS = 700, 1_500
_CHOICE = re.compile(r"\{([^{}]*\|[^{}]*)\}")

Kind = Literal["orders", "talk", "advice", "junk", "truths"]


@dataclass(frozen=True)
class Text:
    """A text, whether it is what is looked for, and how much it counts."""

    text: str
    wanted: bool
    counts: float = 1.0


def instructions(parts: Sequence[Part]) -> Iterator[Text]:
    """Yield texts that give orders to a machine, and others, of some labelled sets and of all lines."""
    for part in parts:
        yield from (Text(line.text, wanted=True) for line in planted(part))
        if part not in parts_of("benign"):
            continue
        yield from (Text(line.text, wanted=False) for line in benign(part))
        if part not in parts_of("harmless"):
            continue
        yield from (Text(line.text, wanted=False, counts=ORDINARY) for line in harmless(part))
        yield from (Text(text, wanted=False, counts=ORDINARY) for text in _ordinary(part))
        said = (line.text for line in signals(part) if line.why != "standing order")
        yield from (Text(text, wanted=False, counts=ORDINARY) for text in said)
        yield from (Text(line.text, wanted=False, counts=ORDINARY) for line in shorts(part))
    for part in (part for part in parts_of("replies") if part in parts):
        yield from (Text(line["text"], wanted=False, counts=REPLY) for line in read("replies", part))
    yield from prose_pieces()
    yield from (Text(text, wanted=False, counts=PROSE) for _, text, _ in _drawn("advice"))
    drawn = random.Random(5)
    carriers: dict[str, list[str]] = {}
    for language, text, counts in _drawn("talk"):
        if len(text) < CARRIER_CHARS_MAX:
            carriers.setdefault(language, []).append(text)
        yield Text(text, wanted=False, counts=counts)
    for language, text, counts in _drawn("orders"):
        said = text
        if drawn.random() < CARRIED:
            beside = drawn.choice(carriers[language])
            said = drawn.choice((f"{beside} {text}", f"{beside}\n{text}", f"{text} {beside}"))
        yield Text(said, wanted=True, counts=counts)


def prose_pieces() -> Iterator[Text]:
    """Yield pieces of half of the READMEs installed and pages of the project, and of Python's own docstrings."""
    found = {**prose.readmes(), **prose.pages(), **prose.manuals()}
    seen = {name: text for name, text in found.items() if prose.is_fitted_to(name)}
    for texts, chars in ((seen, PROSE_CHARS), (_docstrings(), DOCSTRING_CHARS)):
        for _, text in sorted(texts.items()):
            for at in range(0, len(text), chars):
                yield Text(text[at : at + chars], wanted=False, counts=PROSE)


def _docstrings() -> dict[str, str]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    paths = [path for part in ("", "asyncio/", "email/") for path in sorted(folder.glob(f"{part}*.py"))]
    return {str(path.relative_to(folder)): _docstring_of(path) for path in paths}


def _docstring_of(path: Path) -> str:
    """Return the docstrings of a module, one after another."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return "\n\n".join(filter(None, (ast.get_docstring(one) for one in nodes if isinstance(one, documented))))


def small_talk(parts: Sequence[Part]) -> Iterator[Text]:
    """Yield turns that say nothing to keep, and such as do, of some labelled sets and of all lines."""
    for part in parts:
        yield from (Text(line.text, line.junk) for line in shorts(part))
        yield from (Text(text, wanted=False) for text in _ordinary(part))
        yield from (
            Text(line.text, wanted=False) for line in signals(part) if line.level in ("high", "medium")
        )
    yield from (Text(text, wanted=True, counts=counts) for _, text, counts in _drawn("junk"))
    yield from (Text(text, wanted=False, counts=counts) for _, text, counts in _drawn("truths"))


def _ordinary(part: Part) -> Iterator[str]:
    for line in read("updates", part):
        yield from (line["old"]["text"], line["new"]["text"])
    for line in read("facts", part):
        yield from (fact["content"] for fact in line["facts"])


def _drawn(kind: Kind) -> Iterator[tuple[str, str, float]]:
    """Yield language, text and how much it counts; of a line with choices several texts, which together count as one.

    Of small talk every choice that a line begins with is drawn, and counts as a line.
    """
    for path in sorted(FOLDER.glob(f"{kind}.*.txt")):
        drawn = random.Random(path.name)
        for line in filter(None, map(str.strip, path.read_text(encoding="utf-8").split("\n"))):
            for begun in _begun(line) if kind == "junk" else [line]:
                draws = range(DRAWN if _CHOICE.search(begun) else 1)
                texts = sorted({_chosen(begun, drawn) for _ in draws})
                yield from ((path.name[len(kind) + 1 :][:2], text, 1 / len(texts)) for text in texts)


def _begun(line: str) -> list[str]:
    found = _CHOICE.match(line)
    return [one + line[found.end() :] for one in found.group(1).split("|")] if found else [line]


def _chosen(line: str, drawn: random.Random) -> str:
    while (found := _CHOICE.search(line)) is not None:
        line = line[: found.start()] + drawn.choice(found.group(1).split("|")) + line[found.end() :]
    return line.replace("\\n", "\n").strip()
