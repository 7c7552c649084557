"""What the gate tells of a set that was left out of the fit: `python -m tools.gate_weights.compare`, JSON lines."""

import json

import numpy as np

from benchmarks.labels.intake import benign, harmless, planted, shorts
from remanence.gate.instructing import find_heaviest_sentence
from remanence.gate.junk import junk
from remanence.gate.orders import instructs, plain_of
from tools.gate_weights.build import FITTED_TO, fitted_orders, fitted_small_talk, weights_of
from tools.gate_weights.texts import instructions, small_talk


def main() -> None:
    """Leave each set out in turn."""
    for left_out in FITTED_TO:
        used = [part for part in FITTED_TO if part != left_out]
        weights = weights_of(fitted_orders(instructions(used)), *fitted_small_talk(small_talk(used)))
        bad, good, plain = planted(left_out), benign(left_out), harmless(left_out)
        found = {
            name: [bool(instructs(line.text, weights)) for line in lines]
            for name, lines in (("planted", bad), ("benign", good), ("harmless", plain))
        }
        scores = np.array([find_heaviest_sentence(plain_of(line.text), weights).weight for line in bad])
        others = np.sort([find_heaviest_sentence(plain_of(line.text), weights).weight for line in good])[::-1]
        least = {
            str(share): round(float(others[int(share * len(others))]), 2) for share in (0.01, 0.02, 0.05, 0.1)
        }
        short = shorts(left_out)
        told = [junk(line.text, weights) for line in short if line.junk]
        refused = [line.text for line in short if not line.junk and junk(line.text, weights)]
        figures = {
            "left out": left_out,
            **{name: [sum(every), len(every)] for name, every in found.items()},
            "at": {name: [at, round(float((scores > at).mean()), 3)] for name, at in least.items()},
            "junk": [sum(told), len(told)],
            "refused": refused,
        }
        print(json.dumps(figures, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
