"""An action is a row of the table: what asks for one by name has to be changed with each new one, and is counted."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import remanence
from remanence.core import effects
from remanence.core.effects import ACTIONS, Effect
from tests.laws.sources import list_nodes

SOURCE = Path(remanence.__file__).parent
# The table, and what tells from a change which row it is.
TABLE = frozenset({"core/effects.py", "core/acts.py"})
ROWS = frozenset(name for name, value in vars(effects).items() if isinstance(value, Effect))
WORDS = frozenset(effect.name for effect in ACTIONS) | {effect.word for effect in ACTIONS}
# Modules that name a row because they make what it says, each with what that is; none compares with it.
NAMED = {
    ("curate/planner/plan_report.py", "UNLINK"): "the links that a plan cuts",
    ("curate/planner/diff.py", "TAKE_IN"): "what a survivor takes over is no rule's",
    ("curate/planner/merge.py", "TAKE_IN"): "what a survivor takes over",
    ("curate/planner/proposal.py", "TAKE_IN"): "what a survivor takes over",
    ("curate/planner/state.py", "MERGE"): "what becomes of the one that is taken in",
    ("curate/policy/rules.py", "FLAG"): "the rule that flags what a budget passes over",
    ("curate/policy/rules.py", "TAKE_IN"): "what a survivor takes over",
    ("flows/curate/summarising.py", "FLAG"): "the mark of what has no summary",
}


def compared(source: str) -> Iterator[int]:
    """Find the lines that compare something with a row of the table, with its name, or an action's word."""
    for node in list_nodes(source):
        if isinstance(node, ast.Compare):
            sides = [part for side in (node.left, *node.comparators) for part in _parts(side)]
            names_row = any(_is_row(side) for side in sides)
            asks_word = any(
                isinstance(side, ast.Attribute) and side.attr in {"do", "effect"} for side in sides
            )
            named = any(isinstance(side, ast.Constant) and side.value in WORDS for side in sides)
            if names_row or (asks_word and named):
                yield node.lineno


def _parts(side: ast.expr) -> list[ast.expr]:
    """Return a side of a comparison, or what stands in it where it is a list of things."""
    return side.elts if isinstance(side, ast.Tuple | ast.Set | ast.List) else [side]


def _is_row(side: ast.expr) -> bool:
    inner = side.value if isinstance(side, ast.Attribute) and side.attr == "name" else side
    return isinstance(inner, ast.Name) and inner.id in ROWS


def imported(source: str) -> set[str]:
    """Find the rows that a module imports."""
    return {
        alias.name
        for node in list_nodes(source)
        if isinstance(node, ast.ImportFrom) and node.module == "remanence.core.effects"
        for alias in node.names
        if alias.name in ROWS
    }


def _modules() -> dict[str, str]:
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    return {name: text for name, text in texts.items() if name not in TABLE}


def test_nobody_asks_which_action_it_is() -> None:
    """What differs between actions stands in their rows; code asks the row for it."""
    assert [] == [f"{name}:{line}" for name, text in _modules().items() for line in compared(text)]


def test_few_name_a_row() -> None:
    """A module imports a row where it makes what that says; the list has all of them, and no more."""
    assert NAMED.keys() == {(name, row) for name, text in _modules().items() for row in imported(text)}


@pytest.mark.parametrize(
    "line",
    [
        "rule.effect is SUMMARISE",
        "rule.effect is not MERGE",
        "rule.effect in {MOVE, PRUNE}",
        "does == FLAG.name",
        "SHRINK.name in {rule.do, *rule.ladder}",
        "rule.do == 'move'",
        "rule.do not in ('archive', 'prune')",
    ],
)
def test_a_question_for_an_action_is_seen(line: str) -> None:
    """Each way in which such questions were asked is found."""
    assert [2] == list(compared(f"def f(rule, does):\n    return {line}\n"))


def test_a_change_of_tags_tells_one_action() -> None:
    """The audit tells an action on tags by what becomes of the row: no two actions share that."""
    rows = [effect.row for effect in ACTIONS if effect.table == "tags"]

    assert sorted({*rows}) == sorted(rows)
