"""Which memories are marked in answers because they read like an instruction: told when they are shown.

Nothing of it is stored, so what came in before is marked as well. Knows texts and how far they are believed.
"""

from collections.abc import Iterable

from remanence.core.model import Memory, Trust
from remanence.core.text_caches import clear_with_texts
from remanence.gate.orders import judge_order, judge_orders

KEPT = 8_192  # texts of which it is known
_judged: dict[str, bool] = {}  # by text; forgotten all at once, which threads can do without waiting
clear_with_texts(_judged.clear)


def reads_like_order(memory: Memory) -> bool:
    """Tell whether a memory of whom is believed less than the user reads like orders to a machine."""
    if memory.trust is Trust.USER:
        return False
    known = _judged.get(memory.text)
    return _keep(memory.text, judge_order(memory.text).reason) if known is None else known


def judge_together(memories: Iterable[Memory]) -> None:
    """Judge the texts of memories that are about to be shown: together each takes half as long as alone."""
    texts = list(
        {one.text: None for one in memories if one.trust is not Trust.USER and one.text not in _judged}
    )
    if len(texts) > 1:
        for text, verdict in zip(texts, judge_orders(texts), strict=True):
            _keep(text, verdict.reason)


def _keep(text: str, reason: str) -> bool:
    if len(_judged) >= KEPT:
        _judged.clear()
    _judged[text] = reason != ""
    return reason != ""
