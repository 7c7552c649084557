"""What the gate finds and what it lets through: `python -m benchmarks.gate [--part …] [--sources]`, JSON lines.

Secrets and harmless lines are scored on the functions, and so are harmless texts by length: which of them are held
back for markup meant for a machine. Forbidden texts are learned again in fourteen disguises of the labels and in twelve
that are made here, and other labelled texts are asked for. `--sources` prints instead what is taken for a secret in
Python's standard library and in the descriptions of installed distributions, line by line and each file as one text.
"""

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import remanence
from benchmarks import prose
from benchmarks.disguises import DISGUISES
from benchmarks.gate_sources import library_texts, readme_texts
from benchmarks.labels import Part, parts
from benchmarks.labels.intake import benign, harmless, notes, repeats, secrets, shorts
from remanence.core.model import Trust
from remanence.gate.credentials import credentials
from remanence.gate.junk import junk
from remanence.gate.machine_markup import find_machine_markup
from remanence.gate.personal_rules import BUILT_IN_RULES
from remanence.gate.screening import lowercase_text, screen
from remanence.gate.spans import merge_overlaps
from remanence.text.forbidden_keys import ban_keys, fold_keys

SALT = b"benchmark"
CODES = {"pin", "password", "alarm"}  # kinds of notes whose values stay secrets
PROSE = {"address", "mail"}  # kinds that nobody asks for by their letters alone
DIGITS_MIN = 6
FOUND_MIN = 0.95  # of a kind, for it to count as found
HOSTILE = (
    " ", "a", "aA1_", "1 ", "4111-", "a@a.", "sk-", "-----BEGIN PRIVATE KEY-----", "token=", "password is ", "?key=a&",
    "密码是", "backup code a1b2 ", "seed phrase abcd ", "call 0171 ", "://b:c", "<!-- ", "\u200b", "<a hidden ",
    "system: ", "[system", "![", "=== ", "```\n", "AA1",
)  # fmt: skip


def main() -> None:
    """Measure one part of the labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=parts("junk"), default="first")
    parser.add_argument("--sources", action="store_true", help="read code and descriptions instead of labels")
    parser.add_argument("--notes", action="store_true", help="read everyday notes instead of the part")
    given = parser.parse_args()
    if given.sources:
        _sources()
        return
    if given.notes:
        for one in parts("notes"):
            _lost(one)
            asyncio.run(_found(one))
        return
    part: Part = given.part
    if part in parts("secrets"):
        _replaced(part)
    if part in parts("junk"):
        _junk(part)
    _time(part)
    _harmless_by_length()
    if part in parts("repeats"):
        asyncio.run(_forbidden(part))


def _lost(part: Part) -> None:
    """Say how many values of everyday notes are lost, by kind and by how far who brings them is believed."""
    lines = notes(part)
    note("values", dict(Counter(line.kind for line in lines for _ in line.values)))
    for trust in Trust:
        kept = BUILT_IN_RULES.kept[trust]
        texts = {line.id: screen(line.text, SALT, kept).text for line in lines}
        lost = [(line, value) for line in lines for value in line.values if value not in texts[line.id]]
        by_kind = Counter(line.kind for line, _ in lost)
        of = sum(len(line.values) for line in lines if line.kind not in CODES)
        plain = sum(count for kind, count in by_kind.items() if kind not in CODES)
        which = [line.id for line, _ in lost if line.kind not in CODES]
        note(f"lost from {trust.label}", {"by kind": by_kind, "but codes": _share(plain, of), "which": which})


async def _found(part: Part) -> None:
    """Learn everyday notes as a user and ask for each of their longer numbers by its digits and letters alone."""
    lines = notes(part)
    asked: list[tuple[str, str]] = []
    first: list[bool] = []
    async with remanence.open() as memory:
        ids = {line.id: (await memory.learn(line.text)).id for line in lines}
        for line in lines:
            for value in line.values:
                bare = "".join(filter(str.isalnum, value))
                if sum(map(str.isdigit, bare)) < DIGITS_MIN or bare == value or line.kind in PROSE | CODES:
                    continue
                hits = (await memory.recall(bare, count_use=False)).memories
                asked.append((line.id, bare))
                first.append(bool(hits) and hits[0].id == ids[line.id])
    missed = [one for one, is_first in zip(asked, first, strict=True) if not is_first]
    note("asked by digits alone, found first", {**_of(first), "missed": missed})


def _replaced(part: Part) -> None:
    """Say how many secrets of each kind are gone, and how many harmless lines are changed."""
    lines = secrets(part)
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
    plain = harmless(part)
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


def _junk(part: Part) -> None:
    """Say how much junk is told, and how many short truths are taken for junk."""
    lines = shorts(part)
    every = [line for line in lines if line.junk]
    truths = [line for line in lines if not line.junk]
    missed = [line.text for line in every if not junk(line.text)]
    refused = [line.text for line in truths if junk(line.text)]
    note(
        "junk", {"texts": len(every), "told": _share(len(every) - len(missed), len(every)), "missed": missed}
    )
    note(
        "short truths", {"texts": len(truths), "refused": _share(len(refused), len(truths)), "which": refused}
    )


def _time(part: Part) -> None:
    """Measure CPU milliseconds per labelled text, and for 100 kB of what is hard to read."""
    texts = [line.text for line in benign(part)]
    texts += [line.text for line in harmless(part)] if part in parts("harmless") else []
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


async def _forbidden(part: Part) -> None:
    """Forbid each text, learn it again in each disguise, and count what is refused."""
    refused: Counter[str] = Counter()
    lines, chance = repeats(part), random.Random(7)
    async with remanence.open() as memory:
        for line in lines:
            learned = await memory.learn(line.text, speaker="Ana")
            await memory.forbid(learned.id)
            made = {name: disguise(line.text, chance) for name, disguise in DISGUISES.items()}
            for name, text in [*((one.name, one.text) for one in line.disguises), *made.items()]:
                refused[name] += (await memory.learn(text, speaker="Ben")).status == "gated"
    note("forbidden", {"texts": len(lines), **{name: _share(refused[name], len(lines)) for name in refused}})
    _refused_for_another(part)


def _refused_for_another(part: Part) -> None:
    """Say which labelled texts would be refused by a disguise's key once any other of them is forbidden."""
    texts = {one.text for lines in (benign(part), harmless(part), shorts(part)) for one in lines}
    bans: dict[str, set[str]] = {}
    for text in texts:
        for key in {*ban_keys(text)}.difference(fold_keys(text)):
            bans.setdefault(key, set()).add(text)
    met = [text for text in texts if any(bans.get(key, set()) - {text} for key in fold_keys(text))]
    note(
        "refused for another",
        {"texts": len(texts), "refused": _share(len(met), len(texts)), "which": sorted(met)},
    )


def _of(found: Sequence[bool]) -> dict[str, float]:
    return _share(sum(found), len(found))


def note(name: str, fields: Mapping[str, Any]) -> None:
    """Print one line of figures."""
    print(json.dumps({"name": name, **fields}, ensure_ascii=True), flush=True)


def _share(count: int, of: int) -> dict[str, float]:
    return {"count": count, "of": of, "share": round(count / of, 4)}


if __name__ == "__main__":
    main()
