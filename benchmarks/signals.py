"""How well the signals of turns are told, against labels: `python -m benchmarks.signals [--part …] [--missed]`.

Precision and recall of each level, by language and for all together, in the sets that they were developed with, or in
the one that is named.
"""

import argparse
import json
from collections.abc import Sequence
from typing import get_args

from benchmarks.labels import DEVELOPED, Part, parts
from benchmarks.labels.intake import Signal, signals
from benchmarks.report import figure, note, settings, spent
from remanence.read.keep_signals import Level, signal


def main() -> None:
    """Score the sets for development, or the one that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=parts("signals"), default=None)
    parser.add_argument("--missed", action="store_true", help="print what was told otherwise, on stderr")
    given = parser.parse_args()
    settings()
    for part in DEVELOPED if given.part is None else (given.part,):
        _scored(part, missed=given.missed)
    _timed()


def _scored(part: Part, *, missed: bool) -> None:
    labelled = signals(part)
    told = [signal(one.text) for one in labelled]
    levels = [one.level for one in told]
    if missed:
        for one, found in zip(labelled, told, strict=True):
            if one.level != found.level:
                note(f"{one.id} {one.level} told {found.level} {found.found} | {one.text}")
    for language in ("", *dict.fromkeys(one.language for one in labelled)):
        pairs = [
            (one, level)
            for one, level in zip(labelled, levels, strict=True)
            if language in ("", one.language)
        ]
        for level in get_args(Level):
            _level(part, language or "all", level, pairs)


def _level(part: Part, language: str, level: Level, pairs: Sequence[tuple[Signal, Level]]) -> None:
    """Print how much of what was told is right, and how much of what is right was told."""
    right = sum(one.level == told == level for one, told in pairs)
    said = sum(told == level for _, told in pairs)
    there = sum(one.level == level for one, _ in pairs)
    fields = {"set": part, "language": language, "level": level, "texts": there}
    figure("precision", right / said if said else 1.0, "share", told=said, **fields)
    figure("recall", right / there if there else 1.0, "share", **fields)


def _timed() -> None:
    """Print what telling one turn takes, and what a long hostile one does."""
    texts = [one.text for part in DEVELOPED for one in signals(part)]
    with spent() as work:
        for text in texts * 10:
            signal(text)
    figure("signal_ms", work.cpu_s * 1000 / (10 * len(texts)), "ms", texts=len(texts))
    for name, text in (
        ("one word", "i " * 50_000),
        ("no blank", "a" * 100_000),
        ("blanks", "never" + " " * 99_990 + "without"),
        ("open quotes", '"' * 99_999),
        ("gaps", "never a " * 12_500),
        ("ideographs", "不是" * 50_000),
        ("json", json.dumps({"i": ["always"] * 12_000})),
    ):
        with spent() as work:
            signal(text)
        figure("signal_hostile_ms", work.cpu_s * 1000, "ms", text=name, chars=len(text))


if __name__ == "__main__":
    main()
