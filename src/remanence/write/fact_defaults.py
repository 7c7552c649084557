"""How important a fact is and of which kind, where a writer says none: by its category (engram A3, A5)."""

from remanence.core.model import Kind

BASE = 0.5
OF_CATEGORY = {
    "correction": 0.20, "principle": 0.20, "rule": 0.20, "decision": 0.20, "commitment": 0.20, "procedure": 0.15,
    "preference": 0.15, "reasoning_trace": 0.09, "relationship": 0.05, "skill": 0.05, "moment": 0.03, "entity": 0.02,
}  # fmt: skip
_EPISODES = frozenset({"event", "action", "observation", "issue", "bug", "incident", "moment"})


def importance_of(category: str) -> float:
    """Return from 0 to 1 how much would be lost with a fact of a category."""
    return BASE + OF_CATEGORY.get(category, 0.0)


def kind_of(category: str) -> Kind:
    """Tell a note from an episode and a procedure."""
    if category == "procedure":
        return Kind.PROCEDURAL
    return Kind.EPISODIC if category in _EPISODES else Kind.SEMANTIC
