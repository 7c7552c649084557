"""Results are shown by the names of their classes, so that nobody imports what nobody has."""

import builtins
import inspect
import re
from pathlib import Path

from remanence.faces import show
from tests.laws import structure

SOURCE = Path(__file__).resolve().parents[2] / "src" / "remanence"


def test_every_name_by_which_a_result_is_shown_is_a_class() -> None:
    """A class that is renamed takes its form with it: no name is left that nothing bears."""
    asked = re.findall(r"_is_a\(\w+, ([^)]*)\)", inspect.getsource(show))
    names = {name for words in asked for name in re.findall(r'"(\w+)"', words)} | show._SHOWN.keys()

    assert {"State", "Erasure", "Check"} <= names
    assert set() == names - structure.defined_names(SOURCE) - vars(builtins).keys()
