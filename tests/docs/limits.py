"""Lists what the pages say that the product cannot or never does, and what each such sentence rests on.

`python -m tests.docs.limits` prints the sentences that `limits.toml` does not have, and those that it has in vain.
Whoever lists one has held it against the code: beside it stands the test that would fail, or the day.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FILE = Path(__file__).with_name("limits.toml")
PRESETS = DOCS / "reference" / "presets.md"  # written by hand, with what the presets promise
# Of "missing" only what is said to be so: that a value is missing is no claim.
CLAIM = re.compile(r"\b(?:no verb|cannot|never|not yet|nothing else|(?:is|are) missing)\b", re.IGNORECASE)
FENCED = re.compile(r"^ {0,3}```.*?^ {0,3}```", re.MULTILINE | re.DOTALL)
# A paragraph, an item of a list, a row of a table, a heading.
BLOCK = re.compile(r"\n\s*\n|\n(?=\s*[*-] |\s*\d+\. |\||#)")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*_\[\"])")
BEGINS_CHARS = 60

Rests = str | date  # on a test by its path and name, or on the day on which a person held it against the code


def pages() -> list[Path]:
    """Return the pages that promise something: start, concepts and how-tos."""
    return [DOCS / "start.md", *sorted(DOCS.glob("concepts/*.md")), *sorted(DOCS.glob("how-to/*.md"))]


def claims(text: str) -> Iterator[str]:
    """Return the sentences of a page that say what cannot be or never is; rows whole, no code, no headings."""
    for block in BLOCK.split(FENCED.sub("", text)):
        line = " ".join(block.split())
        sentences = [line] if line.startswith("|") else SENTENCE.split(line)
        yield from (one for one in sentences if CLAIM.search(one) and not line.startswith("#"))


def key_of(sentence: str) -> str:
    """Return what a sentence is listed under: a digest of all of it, and how it begins, for readers."""
    return f"{sha256(sentence.encode()).hexdigest()[:8]} {sentence[:BEGINS_CHARS].rstrip()}"


def collect_keys() -> dict[str, list[str]]:
    """Return the keys of all claims by page."""
    by_page = {
        path.relative_to(DOCS).as_posix(): [*map(key_of, claims(path.read_text(encoding="utf-8")))]
        for path in (*pages(), PRESETS)
    }
    return {page: keys for page, keys in by_page.items() if keys}


def read_list() -> Mapping[str, Mapping[str, Rests]]:
    """Return what is listed, by page and key."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def complaints(said: Mapping[str, list[str]], known: Mapping[str, Mapping[str, Rests]]) -> list[str]:
    """Return what is wrong: a sentence that is not listed, one that no page says any more, a test that is not there."""
    unlisted = [
        f"{page}: not listed: {key}"
        for page, keys in said.items()
        for key in keys
        if key not in known.get(page, {})
    ]
    stale = [
        f"{page}: not said: {key}"
        for page, keys in known.items()
        for key in keys
        if key not in said.get(page, ())
    ]
    untested = [
        f"{page}: no test {rests}"
        for page, keys in known.items()
        for rests in keys.values()
        if isinstance(rests, str) and not is_test(rests)
    ]
    return [*unlisted, *stale, *untested]


def is_test(name: str) -> bool:
    """True if a file of the project has a test of that name; `name` is path::test."""
    path, _, test = name.partition("::")
    file = ROOT / path
    return (
        bool(test.startswith("test_"))
        and file.is_file()
        and f"def {test}(" in file.read_text(encoding="utf-8")
    )


if __name__ == "__main__":
    print(*complaints(collect_keys(), read_list()), sep="\n")
