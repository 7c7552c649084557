"""What words and evidence weigh for an order to a machine and for small talk, alone and together; fitted, not chosen.

`tools/gate_weights` fitted them to texts that were written for it, and says how. Knows no texts.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

WEIGHTS_PATH = Path(__file__).with_name("fitted.npz")


@dataclass(frozen=True, slots=True, eq=False)
class GateWeights:
    """Weights of words by place and of evidence by pairs of bits, what is added, and from when on it is enough.

    Those of small talk are of words alone, and only texts of which every word is in `known` are small talk.
    """

    orders: npt.NDArray[np.int8]
    evidence: npt.NDArray[np.int8]
    small_talk: npt.NDArray[np.int8]
    known: frozenset[int]
    units: npt.NDArray[np.float64]  # what one of each of the three tables is worth
    added: npt.NDArray[np.float64]  # for orders and for small talk; enough is more than nothing


@cache
def load_gate_weights() -> GateWeights:
    """Return the weights that are part of the package."""
    with np.load(WEIGHTS_PATH) as arrays:
        return GateWeights(
            arrays["orders"],
            arrays["evidence"],
            arrays["small_talk"],
            frozenset(arrays["known"].tolist()),
            arrays["units"],
            arrays["added"],
        )
