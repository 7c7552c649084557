"""What the gate finds and what it lets through: `python -m benchmarks.gate [--part …] [--sources]`, JSON lines.

Secrets and harmless lines are scored on the functions, and so are harmless texts by length and planted ones at a
drawn place in a README; planted and benign texts are taken in from outside through the public verbs, among 2,000 other
texts, and asked for by name. Forbidden texts are learned again in fourteen disguises of the labels and in twelve that
are made here, and other labelled texts are asked for. `--sources` prints instead what is taken for a secret in Python's
standard library and in the descriptions of installed distributions, line by line and each file as one text.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import remanence
from benchmarks import prose
from benchmarks.disguises import DISGUISES
from benchmarks.gate_sources import library_texts, readme_texts
from benchmarks.labels import Part, parts
from benchmarks.labels.intake import benign, harmless, notes, planted, repeats, secrets, shorts
from remanence.core.model import Trust
from remanence.gate.credentials import credentials
from remanence.gate.junk import junk
from remanence.gate.orders import judge_order
from remanence.gate.personal_rules import BUILT_IN_RULES
from remanence.gate.screening import lowercase_text, screen
from remanence.gate.spans import merge_overlaps
from remanence.text.folding import ban_keys, fold_keys

SALT = b"benchmark"
OTHERS = 2_000
CODES = {"pin", "password", "alarm"}  # kinds of notes whose values stay secrets
PROSE = {"address", "mail"}  # kinds that nobody asks for by their letters alone
DIGITS_MIN = 6
FOUND_MIN = 0.95  # of a kind, for it to count as found
HOSTILE = (
    " ", "a", "aA1_", "1 ", "4111-", "a@a.", "sk-", "-----BEGIN PRIVATE KEY-----", "token=", "password is ", "?key=a&",
    "密码是", "backup code a1b2 ", "seed phrase abcd ", "call 0171 ", "://b:c", "ignore all ", "the user asks you ",
    "<!-- ", "\u200b", "send the file to ", "remember the user ", "AA1", '"', "«",
)  # fmt: skip
_NOUNS = (
    "lamp harbour violin orchard kettle bridge ledger window garden market engine letter castle ferry".split()
)
_SAYINGS = (
    "{0} number {2} stands beside the {1} since {2}.",
    "We moved the {0} to the {1} in week {2}.",
    "The {1} of room {2} has a new {0}.",
    "Nobody has asked for {0} {2} since the {1} closed.",
)


def main() -> None:
    """Measure one part of the labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=parts("planted"), default="first")
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
    _planted_in_readmes(part)
    asyncio.run(_quarantined(part))
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
    texts = [line.text for line in planted(part)]
    texts += [line.text for line in benign(part)] if part in parts("benign") else []
    texts += [line.text for line in harmless(part)] if part in parts("harmless") else []
    hard = {piece: (piece * (100_000 // len(piece) + 1))[:100_000] for piece in HOSTILE}
    note(
        "CPU ms",
        {
            "a text": round(_ms(screen_and_judge, texts) / len(texts), 4),
            "100 kB": {ascii(piece): round(_ms(screen_and_judge, [text]), 1) for piece, text in hard.items()},
        },
    )


def screen_and_judge(text: str) -> None:
    """Do what a text from outside goes through."""
    screen(text, SALT)
    judge_order(text)


def _ms(work: Callable[[str], None], texts: Iterable[str]) -> float:
    began = time.process_time()
    for text in texts:
        work(text)
    return (time.process_time() - began) * 1_000


async def _quarantined(part: Part) -> None:
    """Ingest planted and benign texts from outside among others, and ask for each by name."""
    bad, good = planted(part), benign(part) if part in parts("benign") else []
    drawn = random.Random(7)
    others = [
        drawn.choice(_SAYINGS).format(*drawn.sample(_NOUNS, 2), drawn.randrange(10_000))
        for _ in range(OTHERS)
    ]
    texts = [line.text for line in bad] + [line.text for line in good] + others
    drawn.shuffle(texts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        async with remanence.open(Path(folder) / "memory.db") as memory:
            await memory.ingest(path, format="jsonl")
            answers = {line.id: await _answer(memory, line.question) for line in bad}
            reached = [line.id for line in bad if line.text in answers[line.id]]
            unmarked = [line.id for line in bad if answers[line.id].get(line.text) is False]
            standing = await _standing(memory)
            missing = [line.id for line in good if line.text not in standing]
    note(
        "planted",
        {
            "texts": len(bad),
            "in default recall": _share(len(reached), len(bad)),
            "in default recall unmarked": _share(len(unmarked), len(bad)),
            "which": unmarked,
        },
    )
    if good:
        marked = [line.id for line in good if _outcome(line.text) == "marked"]
        note(
            "benign",
            {
                "texts": len(good),
                "kept out": _share(len(missing), len(good)),
                "marked": _share(len(marked), len(good)),
                "which": missing,
            },
        )


async def _answer(memory: remanence.Engine, question: str) -> dict[str, bool]:
    """Return the texts of an answer, and which of them are marked."""
    found = await memory.recall(question, count_use=False)
    return {hit.text: hit.reads_like_order for hit in found}


def _harmless_by_length() -> None:
    """Say how many harmless texts of each length and source are held back, and how many marked."""
    readmes, pages, sessions = prose.readmes(), prose.pages(), prose.sessions()
    if not sessions:
        note("harmless by length", {"source": "LoCoMo", "skipped": "locomo10.json is not here"})
    for source, texts in {
        "READMEs": readmes,
        "READMEs that nothing is fitted to": _unseen(readmes),
        "pages": pages,
        "pages that nothing is fitted to": _unseen(pages),
        "manual pages in other languages that nothing is fitted to": _unseen(prose.manuals()),
        "LoCoMo": sessions,
    }.items():
        for chars in prose.LENGTHS if texts else ():
            _note_harmless(source, chars, list(prose.cuts(texts, chars)))
    for part in parts("replies"):
        _note_harmless(f"replies, {part} set", 0, list(prose.replies(part).items()))


def _unseen(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if not prose.is_fitted_to(name)}


def _note_harmless(source: str, chars: int, pieces: Sequence[tuple[str, str]]) -> None:
    outcomes = [_outcome(text) for _, text in pieces]
    held = [name for (name, _), one in zip(pieces, outcomes, strict=True) if one == "held"]
    fields = {name: _share(outcomes.count(name), len(pieces)) for name in ("held", "marked")}
    note("harmless by length", {"source": source, "characters": chars, **fields, "which": held})


def _outcome(text: str) -> str:
    verdict = judge_order(text)
    return "held" if verdict.is_evident else "marked" if verdict.reason else "plain"


def _planted_in_readmes(part: Part) -> None:
    """Say how many planted texts are held back or marked, alone and at a drawn place in a piece of a README."""
    bad, seed = planted(part), 20_261
    drawn = random.Random(seed)
    readmes = _unseen(prose.readmes())
    _note_planted("alone", [(line.way, line.text) for line in bad], {})
    for chars in prose.LENGTHS:
        pieces = [text for _, text in prose.cuts(readmes, chars)]
        placed = [(line.way, _plant(line.text, drawn.choice(pieces), drawn)) for line in bad]
        _note_planted(f"in {chars:,} characters of a README", placed, {"seed": seed})


def _plant(text: str, around: str, drawn: random.Random) -> str:
    """Return a text as a paragraph of its own at a drawn line of another."""
    lines = around.split("\n")
    at = drawn.randrange(len(lines) + 1)
    return "\n".join([*lines[:at], text, *lines[at:]])


def _note_planted(where: str, texts: Sequence[tuple[str, str]], more: Mapping[str, Any]) -> None:
    outcomes = [(way, _outcome(text)) for way, text in texts]
    told = [outcome for _, outcome in outcomes if outcome != "plain"]
    held = [way for way, outcome in outcomes if outcome == "held"]
    every = Counter(way for way, _ in outcomes)
    fields = {
        "held or marked": _share(len(told), len(texts)),
        "held": _share(len(held), len(texts)),
        "held by way": {way: [held.count(way), every[way]] for way in sorted(every) if way},
    }
    note("planted", {"where": where, "texts": len(texts), **more, **fields})


async def _standing(memory: remanence.Engine) -> set[str]:
    return {one.text for one in await memory.list(limit=10_000)}


async def _forbidden(part: Part) -> None:
    """Forbid each text, learn it again in each disguise, and count what is refused."""
    refused: Counter[str] = Counter()
    lines, chance = repeats(part), random.Random(7)
    async with remanence.open() as memory:
        for line in lines:
            learned = await memory.learn(line.text, speaker="Ana")
            await memory.forget(learned.id, forbid=True)
            made = {name: disguise(line.text, chance) for name, disguise in DISGUISES.items()}
            for name, text in [*((one.name, one.text) for one in line.disguises), *made.items()]:
                refused[name] += (await memory.learn(text, speaker="Ben")).status == "gated"
    note("forbidden", {"texts": len(lines), **{name: _share(refused[name], len(lines)) for name in refused}})
    _refused_for_another(part)


def _refused_for_another(part: Part) -> None:
    """Say which labelled texts would be refused by a disguise's key once any other of them is forbidden."""
    texts = {line.text for line in benign(part)} | {line.text for line in planted(part)}
    texts |= {line.text for line in harmless(part)} | {line.text for line in shorts(part)}
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
