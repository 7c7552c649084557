"""The open texts that the word vectors are taught from, the same ones in the same order each time."""

import ast
import json
import random
import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

SEED = 20
SHORT, WINDOWS, PARAGRAPHS, SENTENCES = 120_000, 10_000, 12_000, 20_000
SHORT_WORDS = range(3, 61)
SENTENCE_WORDS = range(6, 61)
PARAGRAPH_WORDS = range(25, 161)
WINDOW_WORDS = range(50, 106)
# Where the packages of the same names put their pages.
MANUALS = (
    "python3.11/html",
    "python-django-doc/html",
    "postgresql-doc-15/html",
    "sqlite3",
    "apache2-doc/manual/en",
    "python-sqlalchemy-doc/html",
)
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")


def texts(wheels: Path, packages: Path) -> list[str]:
    """Return every text that is learned from, shuffled, so that any part of them is a fair sample."""
    draw = random.Random(SEED)
    turns = list(chats(wheels))
    shorts = [*turns, *glosses(packages), *dialogues(wheels), *docstrings()]
    read = list(manuals(packages))
    sentences = [one for paragraph in read for one in _END.split(paragraph)]
    chosen = [
        *_drawn(draw, shorts, SHORT_WORDS, SHORT),
        *_windows(draw, turns, WINDOWS),
        *_drawn(draw, read, PARAGRAPH_WORDS, PARAGRAPHS),
        *_drawn(draw, sentences, SENTENCE_WORDS, SENTENCES),
    ]
    draw.shuffle(chosen)
    return chosen


def chats(wheels: Path) -> Iterator[str]:
    """Yield the turns of the chats, what one person says at a stretch as one text."""
    data = json.loads((wheels / "chitchat_dataset" / "dataset.json").read_text(encoding="utf-8"))
    for _, chat in sorted(data.items()):
        for turn in chat["messages"]:
            yield _plain(" ".join(message["text"] for message in turn))


def glosses(packages: Path) -> Iterator[str]:
    """Yield what WordNet says of each meaning, with the word before it, and its examples one by one."""
    for part in ("noun", "verb", "adj", "adv"):
        lines = (packages / "usr/share/wordnet" / f"data.{part}").read_text(encoding="latin-1").splitlines()
        for line in lines:
            if line.startswith("  "):
                continue
            synset, _, gloss = line.partition(" | ")
            head, *examples = gloss.split('; "')
            yield _plain(f"{synset.split()[4].replace('_', ' ')}: {head}")
            yield from (_plain(example.strip(' ";')) for example in examples)


def dialogues(wheels: Path) -> Iterator[str]:
    """Yield the English questions and answers of the dialogue corpus."""
    for file in sorted((wheels / "chatterbot_corpus/data/english").glob("*.yml")):
        yield from turns_of(file)


def turns_of(file: Path) -> Iterator[str]:
    """Yield the questions and answers of one file of the dialogue corpus."""
    for line in file.read_text(encoding="utf-8").splitlines():
        found = re.match(r"\s*-\s(?:-\s)?(.*)", line)
        if found:
            yield _plain(found.group(1).strip("'\""))


def docstrings() -> Iterator[str]:
    """Yield the sentences of the docstrings of the standard library."""
    root = Path(sysconfig.get_paths()["stdlib"])
    for file in sorted(root.rglob("*.py")):
        if {"site-packages", "dist-packages", "test", "tests", "idlelib"} & set(file.relative_to(root).parts):
            continue
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                    yield from _END.split(_plain(paragraph))


def manuals(packages: Path) -> Iterator[str]:
    """Yield the paragraphs of the manuals, each once."""
    seen: set[str] = set()
    for manual in MANUALS:
        for page in sorted((packages / "usr/share/doc" / manual).rglob("*.html")):
            for paragraph in paragraphs(page.read_text(encoding="utf-8", errors="replace")):
                if paragraph not in seen:
                    seen.add(paragraph)
                    yield paragraph


def paragraphs(page: str) -> list[str]:
    """Return the text of each paragraph of a page."""
    reader = _Paragraphs()
    reader.feed(page)
    return reader.found


class _Paragraphs(HTMLParser):
    """Reads a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Begin a paragraph."""
        if tag in {"p", "pre", "table", "ul", "ol", "dl", "div"}:
            self._close()
        if tag == "p":
            self._open = []

    def handle_endtag(self, tag: str) -> None:
        """End a paragraph."""
        if tag in {"p", "div", "td", "li", "dd", "body"}:
            self._close()

    def handle_data(self, data: str) -> None:
        """Take what it says."""
        if self._open is not None:
            self._open.append(data)

    def _close(self) -> None:
        if self._open is not None and (text := _plain("".join(self._open))):
            self.found.append(text.replace("\u00b6", ""))
        self._open = None


def _plain(text: str) -> str:
    return " ".join(text.split())


def _drawn(draw: random.Random, found: Iterable[str], lengths: range, count: int) -> list[str]:
    """Draw so many distinct texts of some lengths."""
    fitting = list(dict.fromkeys(text for text in found if len(text.split()) in lengths))
    return draw.sample(fitting, min(count, len(fitting)))


def _windows(draw: random.Random, turns: Sequence[str], count: int) -> list[str]:
    """Draw runs of turns that follow one another, as long as a paragraph."""
    made: list[str] = []
    while len(made) < count:
        at, size, run = draw.randrange(len(turns)), draw.choice(WINDOW_WORDS), []
        for turn in turns[at:]:
            run += turn.split()
            if len(run) >= size:
                break
        made.append(" ".join(run[:size]))
    return made
