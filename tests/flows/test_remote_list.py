"""The list of tests that cannot hold behind a server names tests that there are."""

import ast
from pathlib import Path

from tests.flows.remote import ALWAYS, holds_remotely, read_list

FOLDER = Path(__file__).parent


def test_the_list_names_tests_that_there_are() -> None:
    """Each once, with a reason; a test that is named anew or goes leaves it."""
    for file, reasons in read_list().items():
        tree = ast.parse((FOLDER / f"{file}.py").read_text(encoding="utf-8"))
        there = {
            one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        named = [test for tests in reasons.values() for test in tests]

        assert all(reasons)
        assert len(named) == len(set(named)), file
        assert not {*named} - there - {"*"}, file
    assert all((FOLDER / f"{file}.py").exists() for file in ALWAYS)
    assert holds_remotely("test_counting", "test_memories_are_counted_by_a_column")
    assert not holds_remotely("test_mirror", "test_anything")
