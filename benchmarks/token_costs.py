"""How near estimated tokens are to what vocabularies count: `python -m benchmarks.token_costs TEXTS --judge PYTHON`.

TEXTS holds JSON lines with `script`, `text` and perhaps a `weight` in the fit. They are put together, each with a
line end, to answers of about so many tokens as `--size` says. PYTHON is an interpreter beside which `bpe-openai`
stands, which ships its vocabularies. A figure is estimate / count, on the mean and at the least. `--fit` fits the
costs anew: the sum of costs comes near the larger count, what falls short weighs more than what exceeds, then a
margin is added.
"""

import argparse
import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.report import figure, note, settings
from remanence.text import tokens

Floats = npt.NDArray[np.float64]

VOCABULARIES = ("o200k_base", "cl100k_base")
_COUNT = f"""
import json, sys, bpe_openai
all = [bpe_openai.get_encoding(name) for name in {VOCABULARIES}]
print(json.dumps([[len(one.encode_ordinary(text)) for one in all] for text in json.load(sys.stdin)]))
"""
MARGIN = 1.05
MARGIN_OTHERS = 1.05  # once more for characters that are no Latin letters: there single words differ more
ROUNDS, STEPS = 4, 50
SHORT_WEIGHT = 4.0  # what falls short weighs so much more than what exceeds
SCRIPT_TEXTS = 400  # what is there more often than this counts as if it were so many
LATIN_END = 0x250


@dataclass(frozen=True)
class Text:
    """A text and what it is of."""

    script: str
    text: str
    weight: float = 1.0


@dataclass(frozen=True)
class Matrix:
    """How often each cost is due in each text, as triples."""

    row: npt.NDArray[np.intp]
    column: npt.NDArray[np.intp]
    times: Floats
    rows: int

    def sums(self, costs: Floats) -> Floats:
        """Return what each text costs."""
        sums: Floats = np.bincount(self.row, self.times * costs[self.column], self.rows).astype(np.float64)
        return sums

    def back(self, by_row: Floats) -> Floats:
        """Return what each cost is due in all texts, weighed."""
        sums: Floats = np.bincount(self.column, self.times * by_row[self.row], tokens.SIZE).astype(np.float64)
        return sums


def main() -> None:
    """Fit if asked to, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--judge", required=True, help="a Python that has bpe-openai")
    parser.add_argument("--size", type=int, nargs="*", default=[100, 300])
    parser.add_argument("--fit", action="store_true", help=f"write {tokens.COSTS_PATH.name} anew")
    given = parser.parse_args()
    texts = [Text(**json.loads(line)) for line in given.path.read_text(encoding="utf-8").splitlines()]
    settings(texts=len(texts), vocabularies=VOCABULARIES)
    if given.fit:
        np.savez_compressed(tokens.COSTS_PATH, costs=fitted(texts, given.judge))
        return
    estimates = tokens.token_counts([text.text for text in texts])
    counts = judged([text.text + "\n" for text in texts], given.judge)
    for size in given.size:
        report(texts, estimates, counts, size)


def judged(texts: Sequence[str], python: str) -> Floats:
    """Return what each vocabulary counts in each text."""
    told = subprocess.run(
        [python, "-c", _COUNT], input=json.dumps(texts), capture_output=True, text=True, check=False
    )
    if told.returncode:
        raise SystemExit(f"no judge: install bpe-openai beside {python}\n{told.stderr[-400:]}")
    return np.array(json.loads(told.stdout), np.float64)


def report(texts: Sequence[Text], estimates: Sequence[int], counts: Floats, size: int) -> None:
    """Print by script how the estimate of an answer compares with the larger count, and with each."""
    for script in sorted({text.script for text in texts}):
        places = [place for place, text in enumerate(texts) if text.script == script]
        found = list(_answers(places, estimates, counts, size))
        if not found:
            continue
        told = np.array([estimate for estimate, _ in found], np.float64)
        real = np.array([count for _, count in found])
        larger = told / real.max(axis=1)
        each = {name: round(float((told / real[:, at]).mean()), 3) for at, name in enumerate(VOCABULARIES)}
        fields = {"script": script, "tokens": size, "answers": len(found), **each}
        figure(
            "tokens.of_larger_mean", float(larger.mean()), "", least=round(float(larger.min()), 3), **fields
        )


def _answers(
    places: Sequence[int], estimates: Sequence[int], counts: Floats, size: int
) -> Iterator[tuple[int, Floats]]:
    """Put texts together until the estimate reaches the size; yield (estimate, counts)."""
    told, real = 0, np.zeros(len(VOCABULARIES))
    for place in places:
        told, real = told + estimates[place], real + counts[place]
        if told >= size:
            yield told, real
            told, real = 0, np.zeros(len(VOCABULARIES))


def fitted(texts: Sequence[Text], judge: str) -> npt.NDArray[np.int8]:
    """Return the costs that come nearest, with their margins, in units."""
    matrix = matrix_of(texts)
    larger = judged([text.text + "\n" for text in texts], judge).max(axis=1)
    often = Counter(text.script for text in texts)
    base = np.array([text.weight * min(1.0, (SCRIPT_TEXTS / often[text.script]) ** 0.5) for text in texts])
    first = alone(judge)
    left, costs = larger - matrix.sums(first), np.zeros(tokens.SIZE)
    for number in range(ROUNDS):
        short = left - matrix.sums(costs) > 0 if number else np.zeros(len(left), np.bool_)
        weight = base / np.maximum(larger, 8) * np.where(short, SHORT_WEIGHT, 1.0)
        costs = _nearest(matrix, left, weight, costs)
        note(f"round {number + 1} of {ROUNDS}: {float((matrix.sums(costs + first) / larger).mean()):.4f}")
    costs = (costs + first) * MARGIN
    costs[tokens.CHARS + LATIN_END : tokens.DIGITS] *= MARGIN_OTHERS
    costs[tokens.NOTHING] = 0
    return np.clip(np.round(costs * tokens.UNIT), -127, 127).astype(np.int8)


def matrix_of(texts: Sequence[Text]) -> Matrix:
    """Count the costs due in each text."""
    rows, columns, times = [], [], []
    for number, text in enumerate(texts):
        due = np.concatenate(list(tokens.features("\n" + text.text + "\n")))
        column, often = np.unique(due[due != tokens.NOTHING], return_counts=True)
        rows.append(np.full(len(column), number))
        columns.append(column)
        times.append(often)
    return Matrix(
        np.concatenate(rows), np.concatenate(columns), np.concatenate(times).astype(np.float64), len(texts)
    )


def alone(judge: str) -> Floats:
    """Return what characters count alone: of a block beyond the basic plane what most of it does."""
    costs = np.zeros(tokens.SIZE)
    low = [*range(0xA0, 0xD800), *range(0xE000, 0x10000)]
    high = list(range(0x10000, 0x110000, 5))
    counts = judged([chr(code) for code in low + high], judge).max(axis=1)
    costs[[tokens.CHARS + code for code in low]] = counts[: len(low)]
    costs[tokens.CHARS + 0xD800 : tokens.CHARS + 0xE000] = 3
    costs[tokens.CHARS + 0xA0 : tokens.CHARS + LATIN_END] *= 0.5  # they stand inside words
    place = tokens.block(np.array(high))
    for one in np.unique(place):
        costs[one] = np.quantile(counts[len(low) :][place == one], 0.8)
    return costs


def _nearest(matrix: Matrix, wanted: Floats, weight: Floats, costs: Floats) -> Floats:
    """Go on from some costs to those of least weighed squares, held back where little speaks for them.

    Conjugate gradients on the normal equations, each cost scaled by what it is due.
    """
    held = _held_back()

    def normal(these: Floats) -> Floats:
        return matrix.back(weight * matrix.sums(these)) + held * these

    scale = np.bincount(matrix.column, weight[matrix.row] * matrix.times**2, tokens.SIZE) + held
    rest = matrix.back(weight * wanted) - normal(costs)
    toward = scaled = rest / scale
    size = rest @ scaled
    for _ in range(STEPS):
        moved = normal(toward)
        step = size / (toward @ moved)
        costs, rest = costs + step * toward, rest - step * moved
        scaled = rest / scale
        size, before = rest @ scaled, size
        toward = scaled + (size / before) * toward
    return costs


def _held_back() -> Floats:
    held = np.full(tokens.SIZE, 2.0)
    held[tokens.PAIRS : tokens.CHARS] = 1.0
    held[tokens.CHARS : tokens.DIGITS] = 0.15
    held[tokens.DIGITS :] = 0.01
    return held


if __name__ == "__main__":
    main()
