"""What a prompt is shown of a memory: recalled or to begin with, within a budget of tokens, marked as data.

Knows budgets and marks; must not know who asks, nor how a memory answers.
"""

from remanence.core.model import RecallResult
from remanence.llm.questions import mark_as_data

MARKS = 48  # tokens of the marks around what is remembered, at most
BUDGET_MIN = 64


def find_room(budget: int) -> int:
    """Return how many tokens a budget leaves to what is remembered."""
    return max(budget, BUDGET_MIN) - MARKS


def show_recalled(answer: RecallResult) -> str:
    """Return what answers a question; "" where nothing does."""
    return _mark_memories(answer, "what is remembered of this.")


def show_begun(answer: RecallResult) -> str:
    """Return what to begin work with; "" where nothing is remembered."""
    return _mark_memories(answer, "what is remembered, to begin with.")


def _mark_memories(answer: RecallResult, what: str) -> str:
    return mark_as_data(answer.text, what) if answer.memories else ""
