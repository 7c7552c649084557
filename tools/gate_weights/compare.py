"""What the gate tells of a set that was left out of the fit: `python -m tools.gate_weights.compare`, JSON lines."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from benchmarks.labels import Part, parts, read
from benchmarks.labels.intake import Benign, benign, planted, shorts
from remanence.gate.fitted import GateWeights
from remanence.gate.junk import junk
from remanence.gate.orders import judge_order
from tools.gate_weights.build import FITTED_TO, ORDERS_FITTED_TO, fitted_orders, fitted_small_talk, weights_of
from tools.gate_weights.texts import instructions, small_talk


def main() -> None:
    """Leave each set out in turn."""
    for left_out in ORDERS_FITTED_TO:
        used = [part for part in ORDERS_FITTED_TO if part != left_out]
        talk = [part for part in used if part in FITTED_TO]
        weights = weights_of(fitted_orders(instructions(used)), *fitted_small_talk(small_talk(talk)))
        held = [line.way for line in planted(left_out) if judge_order(line.text, weights).is_evident]
        every = Counter(line.way for line in planted(left_out))
        figures = {
            "left out": left_out,
            "planted": _tell((line.text for line in planted(left_out)), weights),
            "held by way": {way: [held.count(way), every[way]] for way in sorted(every)},
            "benign": _tell((line.text for line in _benign(left_out)), weights),
            "replies": _tell((line["text"] for line in _replies(left_out)), weights),
            "junk": _describe_junk(left_out, weights) if left_out in parts("junk") else {},
        }
        print(json.dumps(figures, ensure_ascii=False), flush=True)


def _benign(part: Part) -> list[Benign]:
    return benign(part) if part in parts("benign") else []


def _replies(part: Part) -> list[dict[str, Any]]:
    return read("replies", part) if part in parts("replies") else []


def _tell(texts: Iterable[str], weights: GateWeights) -> dict[str, int]:
    """Count the texts that are held back, those that are marked, and all."""
    verdicts = [judge_order(text, weights) for text in texts]
    held = sum(one.is_evident for one in verdicts)
    return {"held": held, "marked": sum(one.reason != "" for one in verdicts) - held, "of": len(verdicts)}


def _describe_junk(left_out: Part, weights: GateWeights) -> dict[str, object]:
    short = shorts(left_out)
    told = [junk(line.text, weights) for line in short if line.junk]
    refused = [line.text for line in short if not line.junk and junk(line.text, weights)]
    return {"told": sum(told), "of": len(told), "refused": refused}


if __name__ == "__main__":
    main()
