"""Fits the weights of the gate and writes them: `python -m tools.gate_weights.build [--out FILE]`."""

import argparse
import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.labels import Part
from remanence.gate.fitted import WEIGHTS_PATH, GateWeights
from remanence.gate.instructing import kinds_in, sentences_of
from remanence.gate.junk import units_of, words_of
from remanence.gate.orders import plain_of
from remanence.gate.wording import SIZE, places, words_in
from tools.gate_weights.fit import Example, Fit, Floats, Ints
from tools.gate_weights.texts import Text, instructions, small_talk

KINDS = 64  # of evidence, at most
RIDGE, RIDGE_EVIDENCE, RIDGE_SMALL_TALK = 1e-3, 5e-4, 2e-4
ROUNDS = 4
ORDERS_MIN, SMALL_TALK_MIN = 3.2, 0.0  # chosen on sets that were left out of the fit, see compare.py
STEPS_MAX = 127
FITTED_TO: tuple[Part, ...] = ("first", "second", "third")  # for small talk
ORDERS_FITTED_TO: tuple[Part, ...] = (*FITTED_TO, "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


@dataclass(frozen=True)
class Read:
    """What stands in each sentence of a text: the places of its words, and of the evidence in and beside it."""

    words: Sequence[Ints]
    evidence: Sequence[Ints]


def read(text: str) -> Read:
    """Read a text as the gate does."""
    found = sentences_of(plain_of(text))
    words = [places([words_in(one)]).ravel() for one in found.different]
    return Read([words[one] for one in found.which], [_pairs(bits) for bits in found.bits])


def _pairs(bits: int) -> Ints:
    at = np.array(kinds_in(bits), np.int64)
    return (SIZE + at[:, None] * KINDS + at)[np.tri(len(at), dtype=bool)]


def fitted_orders(texts: Iterable[Text]) -> Floats:
    """Fit what words and pairs of evidence weigh; of a text that is wanted its heaviest sentence counts."""
    every = [(text, read(text.text)) for text in texts]
    ridge = np.full(SIZE + KINDS * KINDS, RIDGE)
    ridge[SIZE:] = RIDGE_EVIDENCE
    fit = Fit(ridge)
    for at in range(ROUNDS):
        fit.round(
            [example for text, said in every for example in _examples(text, said, fit.weights, first=at == 0)]
        )
    return fit.weights


def _examples(text: Text, said: Read, weights: Floats, *, first: bool) -> Iterable[Example]:
    if not said.words:
        return
    if first and text.wanted:
        yield Example(np.concatenate([*said.words, *said.evidence]), wanted=True, counts=text.counts)
        return
    sums = [float(weights[words].sum()) for words in said.words]
    joined = [
        np.concatenate([words, evidence, *([said.words[at - 1]] if at and sums[at - 1] > 0 else [])])
        for at, (words, evidence) in enumerate(zip(said.words, said.evidence, strict=True))
    ]
    if text.wanted:
        joined = [max(joined, key=lambda one: float(weights[one].sum()))]
    for one in joined:
        yield Example(one, text.wanted, text.counts / len(joined) ** 0.5)


def fitted_small_talk(texts: Iterable[Text]) -> tuple[Floats, frozenset[int]]:
    """Fit what words weigh for small talk, and return with it which are known."""
    fit = Fit(np.full(SIZE, RIDGE_SMALL_TALK))
    examples, known = [], set[int]()
    for text in texts:
        words = words_of(text.text)
        if words:
            examples.append(Example(places([words]).ravel(), text.wanted, text.counts))
            known.update(units_of(words) if text.wanted else ())
    for _ in range(ROUNDS):
        fit.round(examples)
    return fit.weights, frozenset(known)


def weights_of(orders: Floats, talk: Floats, known: frozenset[int]) -> GateWeights:
    """Return fitted weights in small numbers."""
    words, evidence = orders[:SIZE], orders[SIZE:-1].reshape(KINDS, KINDS)
    tables = (words, evidence, talk[:-1])
    units = [float(np.abs(one).max() / STEPS_MAX) for one in tables]
    small = [np.round(one / unit).astype(np.int8) for one, unit in zip(tables, units, strict=True)]
    added = [orders[-1] - ORDERS_MIN, talk[-1] - SMALL_TALK_MIN]
    return GateWeights(small[0], small[1], small[2], known, np.array(units), np.array(added))


def written(weights: GateWeights) -> bytes:
    """Return the weights as a file whose bytes follow from them alone."""
    arrays = {
        "orders": weights.orders,
        "evidence": weights.evidence,
        "small_talk": weights.small_talk,
        "known": np.array(sorted(weights.known), np.uint32),
        "units": weights.units,
        "added": weights.added,
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED, 9)
    return file.getvalue()


def main() -> None:
    """Fit to all lines and to the sets that were developed against."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=WEIGHTS_PATH)
    out: Path = parser.parse_args().out
    content = written(
        weights_of(fitted_orders(instructions(ORDERS_FITTED_TO)), *fitted_small_talk(small_talk(FITTED_TO)))
    )
    out.write_bytes(content)
    print(len(content), hashlib.sha256(content).hexdigest())


if __name__ == "__main__":
    main()
