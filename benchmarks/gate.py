"""What the gate finds and what it lets through: `python -m benchmarks.gate [--sources]`, JSON lines.

Secrets and harmless lines are scored on the functions, and so are harmless texts by length: which of them are held
back for markup meant for a machine. `--sources` prints instead what is taken for a secret in Python's standard library
and in the descriptions of installed distributions, line by line and each file as one text.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks import prose
from benchmarks.gate_sources import library_texts, readme_texts
from benchmarks.labels import Part, parts
from benchmarks.labels.intake import benign, harmless, secrets
from remanence.gate.credentials import credentials
from remanence.gate.machine_markup import find_machine_markup
from remanence.gate.screening import lowercase_text, screen
from remanence.gate.spans import merge_overlaps

SALT = b"benchmark"
PART: Part = "third"
FOUND_MIN = 0.95  # of a kind, for it to count as found
HOSTILE = (
    " ", "a", "aA1_", "1 ", "4111-", "a@a.", "sk-", "-----BEGIN PRIVATE KEY-----", "token=", "password is ", "?key=a&",
    "密码是", "backup code a1b2 ", "seed phrase abcd ", "call 0171 ", "://b:c", "<!-- ", "\u200b", "<a hidden ",
    "system: ", "[system", "![", "=== ", "```\n", "AA1",
)  # fmt: skip


def main() -> None:
    """Measure the labelled and the other texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", action="store_true", help="read code and descriptions instead of labels")
    if parser.parse_args().sources:
        _sources()
        return
    _replaced()
    _time()
    _harmless_by_length()


def _replaced() -> None:
    """Say how many secrets of each kind are gone, and how many harmless lines are changed."""
    lines = secrets(PART)
    every = Counter(line.kind for line in lines)
    found = Counter(line.kind for line in lines if line.secret not in screen(line.text, SALT).text)
    note("kinds of secrets", {kind: round(found[kind] / every[kind], 3) for kind in sorted(every)})
    missed = [line.id for line in lines if line.secret in screen(line.text, SALT).text]
    kinds = sum(found[kind] >= FOUND_MIN * every[kind] for kind in every)
    note(
        "secrets",
        {
            "lines": len(lines),
            "found": _share(found.total(), len(lines)),
            "kinds": len(every),
            "kinds found": kinds,
            "missed": missed,
        },
    )
    plain = harmless(PART)
    changed = [line.text for line in plain if screen(line.text, SALT).text != line.text]
    note("harmless", {"lines": len(plain), "changed": _share(len(changed), len(plain)), "which": changed})


def _sources() -> None:
    """Say what is taken for a secret in texts that nobody wrote for the gate."""
    sources = {
        "standard library": library_texts(tests=False),
        "tests of the standard library": library_texts(tests=True),
        "descriptions of distributions": readme_texts(),
    }
    for name, named_texts in sources.items():
        lines, by_line, by_file = 0, list[str](), list[str]()
        for place, text in named_texts:
            split = text.splitlines()
            lines += len(split)
            by_line += [
                f"{place}:{number}: {value}"
                for number, line in enumerate(split, 1)
                for value in _secrets_in(line)
            ]
            by_file += [f"{place}: {value}" for value in _secrets_in(text)]
        note(
            f"secrets in {name}",
            {"lines": lines, "by line": len(by_line), "by file": len(by_file), "which": [*by_line, *by_file]},
        )


def _secrets_in(text: str) -> list[str]:
    spans = merge_overlaps(credentials(text, lowercase_text(text)))
    return [f"{one.kind} {text[one.start : one.end][:60]}" for one in spans]


def _time() -> None:
    """Measure CPU milliseconds per labelled text, and for 100 kB of what is hard to read."""
    texts = [line.text for line in (*benign(PART), *harmless(PART))]
    hard = {piece: (piece * (100_000 // len(piece) + 1))[:100_000] for piece in HOSTILE}
    note(
        "CPU ms",
        {
            "a text": round(_ms(pass_gate, texts) / len(texts), 4),
            "100 kB": {ascii(piece): round(_ms(pass_gate, [text]), 1) for piece, text in hard.items()},
        },
    )


def pass_gate(text: str) -> None:
    """Do what a text from outside goes through."""
    screen(text, SALT)
    find_machine_markup(text)


def _ms(work: Callable[[str], None], texts: Iterable[str]) -> float:
    began = time.process_time()
    for text in texts:
        work(text)
    return (time.process_time() - began) * 1_000


def _harmless_by_length() -> None:
    """Say how many harmless texts of each source and length are held back."""
    sessions = prose.sessions()
    if not sessions:
        note("harmless by length", {"source": "LoCoMo", "skipped": "locomo10.json is not here"})
    for source, texts in {
        "READMEs": prose.readmes(),
        "pages": prose.pages(),
        "manual pages in other languages": prose.manuals(),
        "LoCoMo": sessions,
    }.items():
        for chars in prose.LENGTHS if texts else ():
            _note_harmless(source, chars, list(prose.cuts(texts, chars)))
    for part in parts("benign"):
        _note_harmless(f"benign, {part} set", 0, [(line.id, line.text) for line in benign(part)])


def _note_harmless(source: str, chars: int, pieces: Sequence[tuple[str, str]]) -> None:
    held = [name for name, text in pieces if find_machine_markup(text)]
    fields = {"held": _share(len(held), len(pieces)), "which": held}
    note("harmless by length", {"source": source, "characters": chars, **fields})


def note(name: str, fields: Mapping[str, Any]) -> None:
    """Print one line of figures."""
    print(json.dumps({"name": name, **fields}, ensure_ascii=True), flush=True)


def _share(count: int, of: int) -> dict[str, float]:
    return {"count": count, "of": of, "share": round(count / of, 4)}


if __name__ == "__main__":
    main()
