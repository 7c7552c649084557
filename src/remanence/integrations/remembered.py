"""What a prompt is shown of a memory: recalled or to begin with, within a budget of tokens, marked as data.

Knows budgets and marks; must not know any framework.
"""

from remanence.core.model import RecallResult
from remanence.engine import Engine
from remanence.llm.questions import mark_as_data

MARKS = 48  # tokens of the marks around what is remembered, at most
BUDGET_MIN = 64


async def recall_for_prompt(engine: Engine, query: str, budget: int) -> str:
    """Return what answers a question; "" where nothing does."""
    return _mark(await engine.recall(query, budget=_room(budget)), "what is remembered of this.")


async def boot_for_prompt(engine: Engine, budget: int) -> str:
    """Return what to begin work with; "" where nothing is remembered."""
    return _mark(await engine.boot(budget=_room(budget)), "what is remembered, to begin with.")


def _room(budget: int) -> int:
    return max(budget, BUDGET_MIN) - MARKS


def _mark(answer: RecallResult, what: str) -> str:
    return mark_as_data(answer.text, what) if answer.memories else ""
