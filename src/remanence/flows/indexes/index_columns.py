"""Which columns an index of a scope holds, and what a status says of a row. Knows names and codes alone."""

from typing import Any

import numpy.typing as npt

from remanence.core.model import COLUMN, Status
from remanence.recall.corpus import Bools

ASKS = "asks"  # a column of ours: whether the text holds a question mark
# What the ranking rests on besides who stands, who lends its words, and the vectors.
GROUND = ("session", "thread", "agent", "speaker", "role", "said_at", "said_offset", "words", "value", ASKS)
RANKED = frozenset({"status", *GROUND})
# What else filters and frames may ask for.
COLUMNS = (
    RANKED - {ASKS}
    | {"kind", "category", "state", "said_again_at", "learned_at", "pinned"}
    | {"form", "tokens", "short_tokens"}
)
NAMES = frozenset(name for name in COLUMNS if COLUMN[name].kind == "name")


def mark_standing(status: npt.NDArray[Any]) -> Bools:
    """Tell by their codes which statuses are those of what stands."""
    mask: Bools = (status == int(Status.INBOX)) | (status == int(Status.ACTIVE))
    return mask


def mark_lending(status: npt.NDArray[Any]) -> Bools:
    """Tell by their codes which statuses are those of what lends its words."""
    mask: Bools = (status != int(Status.PRUNED)) & (status != int(Status.QUARANTINED))
    return mask
