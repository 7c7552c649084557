"""Which memories are marked in answers because they read like an instruction: told when they are shown.

Nothing of it is stored, so what came in before is marked as well. Knows texts and how far they are believed.
"""

from functools import lru_cache

from remanence.core.model import Memory, Trust
from remanence.gate.orders import judge_order

KEPT = 8_192  # texts of which it is known


def reads_like_order(memory: Memory) -> bool:
    """Tell whether a memory of whom is believed less than the user reads like orders to a machine."""
    return memory.trust is not Trust.USER and _reads(memory.text)


@lru_cache(maxsize=KEPT)
def _reads(text: str) -> bool:
    return judge_order(text).reason != ""
