"""The package keeps the house style, and each check of it complains about a tree that breaks it."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import KIT, LIFEBENCH, ROOT
from tests.laws import structure

SOURCE = ROOT / "src" / structure.PACKAGE
KIT_SOURCE = KIT / structure.KIT
WRITTEN = tuple(
    path for name in ("src", "packages", "tests", "examples", "benchmarks") if (path := ROOT / name).is_dir()
)

Check = Callable[[Path], list[str]]

OK = '"""A module."""\n'
LONG = OK + "def long():\n" + "    a = 1\n" * 60
DEEP = OK + "def deep(a):\n for b in a:\n  if b:\n   with b:\n    if a:\n     pass\n"
SIX_BROAD = OK + "try:\n    pass\nexcept Exception:\n    pass\n" * 6

CHAIN = structure.IMPORTS_IN_A_CHAIN_MAX

HIDDEN_BROAD = (
    OK + "MANY = (TypeError, ValueError, OSError)\n"
    "try:\n    pass\nexcept (KeyError, NameError, LookupError, *MANY):\n    pass\n"
)

# (check, files of a tree that breaks it, a part of the complaint)
PLANTED: tuple[tuple[Check, dict[str, str], str], ...] = (
    (structure.long_functions, {"text.py": LONG}, "long is 61 lines"),
    (
        structure.function_lengths,
        {"text.py": OK + "def f(): pass\n" * 18 + ("def g():\n" + "    a = 1\n" * 35) * 2},
        "percentile of functions is 36",
    ),
    (structure.long_files, {"text.py": OK + "\n" * 700}, "has 702 lines"),
    (
        structure.many_parameters,
        {"text.py": OK + "def f(a, b, c, d, e, /, f, g, *, h, i): pass\n"},
        "takes 9",
    ),
    (structure.deep_nesting, {"text.py": DEEP}, "deep nests 4 deep"),
    (
        structure.import_cycles,
        {
            "text.py": OK + "from remanence import score\n",
            "score.py": OK + "def f():\n    import remanence.text.analysis\n",
        },
        "import cycle: remanence.",
    ),
    (structure.unknown_parts, {"helpers.py": OK}, "helpers is in no row"),
    (
        structure.upward_imports,
        {"core/errors.py": OK + "from remanence.text.words import X\n", "text/words.py": OK},
        "core.errors imports",
    ),
    (
        structure.upward_imports,
        {"core/model.py": OK + "from .. import engine\n", "engine.py": OK},
        "core.model imports",
    ),
    (
        structure.upward_imports,
        {"flows/base/a.py": OK + "import remanence.flows.undo.b\n", "flows/undo/b.py": OK},
        "flows.base.a imports",
    ),
    (
        structure.mutual_imports,
        {
            "curate/a.py": OK + "from remanence.curate.plan import b\n",
            "curate/plan/b.py": OK + "import remanence.curate.c\n",
            "curate/c.py": OK,
        },
        "curate and curate/plan import each other",
    ),
    (
        structure.long_chains,
        {
            f"text/a{n}.py": OK + f"from remanence.text import a{n + 1}\n"
            for n in range(structure.IMPORTS_IN_A_CHAIN_MAX)
        }
        | {f"text/a{structure.IMPORTS_IN_A_CHAIN_MAX}.py": OK},
        f"has {structure.IMPORTS_IN_A_CHAIN_MAX + 1} modules",
    ),
    (
        structure.upward_imports,
        {"write/a.py": OK + "from remanence.recall import b\n", "recall/b.py": OK},
        "write.a",
    ),
    (
        structure.upward_imports,
        {"store/a.py": OK + "import remanence.curate.b\n", "curate/b.py": OK},
        "store.a",
    ),
    (
        structure.upward_imports,
        {"opening.py": OK + "import remanence.faces.a\n", "faces/a.py": OK},
        "opening imports",
    ),
    (structure.kit_imports, {"store/a.py": OK + "import remanence_store_kit.dump\n"}, "store.a names"),
    (
        structure.clock_reads,
        {"engine.py": OK + "from datetime import datetime as d\nd.now()\n"},
        "datetime.now",
    ),
    (
        structure.clock_reads,
        {"engine.py": OK + "import datetime\ndatetime.datetime.today()\n"},
        "datetime.today",
    ),
    (structure.clock_reads, {"store/a.py": OK + "from time import monotonic\n"}, "time.monotonic"),
    (structure.clock_reads, {"store/a.py": OK + "import time as t\nx = t.time_ns\n"}, "time.time_ns"),
    (structure.clock_reads, {"store/a.py": OK + "q = \"SELECT strftime('%s', 'now')\"\n"}, "'now'"),
    (structure.multiplied_texts, {"text/a.py": OK + "x = f'; {OK}' * bool(OK)\n"}, "multiplies a text"),
    (structure.multiplied_texts, {"text/a.py": OK + "x = ', …' * (OK > 3)\n"}, "multiplies a text"),
    (structure.multiplied_texts, {"text/a.py": OK + "x = f'{\"not \" * OK.is_no}'\n"}, "multiplies a text"),
    (
        structure.broad_excepts,
        {"engine.py": OK + "try:\n    pass\nexcept:\n    pass\n"},
        "catches everything",
    ),
    (
        structure.broad_excepts,
        {"store/a.py": OK + "try:\n    pass\nexcept (KeyError, Exception):\n    pass\n"},
        "catches everything",
    ),
    (
        structure.broad_excepts,
        {"engine.py": OK + "with contextlib.suppress(Exception): pass\n"},
        "catches everything",
    ),
    (structure.broad_excepts, {"faces/cli.py": SIX_BROAD}, "6 broad excepts"),
    (structure.broad_excepts, {"store/a.py": HIDDEN_BROAD}, "without saying so"),
    (
        structure.broad_excepts,
        {"flows/a.py": OK + "gather(f(), return_exceptions=True)\n"},
        "without saying so",
    ),
    (structure.impure_modules, {"write/a.py": OK + "async def f(): pass\n"}, "is async"),
    (structure.impure_modules, {"core/score.py": OK + "import os.path\n"}, "imports os"),
    (structure.impure_modules, {"recall/a.py": OK + "from random import random\n"}, "imports random"),
    (structure.impure_modules, {"curate/a.py": OK + "import logging\n"}, "imports logging"),
    (
        structure.impure_modules,
        {"curate/a.py": OK + "from remanence.core.clock import SystemClock\n"},
        "SystemClock",
    ),
    (structure.impure_modules, {"text.py": OK + "open('a')\n"}, "calls open"),
    (
        structure.resource_readers,
        {
            "curate/a.py": OK + "from importlib import resources\n",
            "text.py": OK + "import importlib.resources\n",
        },
        "more than one place",
    ),
    (structure.hidden_imports, {"store/a.py": OK + "def f():\n    import numpy\n"}, "f hides an import"),
    (structure.marks, {"text.py": OK + "# ---- helpers\n"}, "helpers"),
    (
        structure.unimported_modules,
        {"text.py": OK, "store/sqlite/sqlite_store.py": OK + "import remanence.text.analysis\n"},
        "store.sql",
    ),
    (
        structure.shadowed_annotations,
        {"text.py": OK + "class A:\n    def list(self): pass\n    def f(self, a: int) -> list[int]: pass\n"},
        "names its own list",
    ),
    (
        structure.shadowed_annotations,
        {"text.py": OK + "class A:\n    def set(self): pass\n    def f(self, a: set[int]): pass\n"},
        "names its own set",
    ),
    (structure.undocumented_modules, {"text.py": "a = 1\n"}, "has no docstring"),
    (
        structure.later_imports,
        {
            "text.py": OK
            + "if TYPE_CHECKING:\n    from remanence.store import words\n\nimport_later(globals())\n"
        },
        "imports remanence.store.words later",
    ),
    (structure.participles, {"text.py": OK + "def _wanted(): pass\n"}, "_wanted is a participle"),
    (structure.participles, {"text.py": OK + "class Wanted: pass\n"}, "Wanted is a participle"),
    (
        structure.repeated_classes,
        {"text.py": OK + "class _Row: pass\n", "store/a.py": OK + "class Row: pass\n"},
        "Row is a class of",
    ),
    (structure.ambiguous_names, {"store/frames.py": OK, "recall/frames.py": OK}, "frames is the name of"),
)

CHECKS: tuple[Check, ...] = tuple(dict.fromkeys(check for check, _, _ in PLANTED))

GOOD = {
    "__init__.py": OK + "from remanence.engine import Engine\n",
    "core/errors.py": OK,
    "core/clock.py": OK + "import time\ndef now():\n    return time.time_ns() // 1000\n",
    "text.py": OK + "from remanence.core.errors import X\ndef f(a):\n    return a if a else None\n",
    "write/decide.py": OK + "from remanence.core.clock import DAY\nfrom remanence import text\n",
    "engine.py": OK + "from remanence.write.decide import f\nasync def g(self, a):\n    return await a\n",
    "faces/cli.py": OK
    + "def main():\n    import rich\n    try:\n        pass\n    except Exception:\n        raise\n",
}


@pytest.fixture(params=[SOURCE, KIT_SOURCE], ids=lambda root: str(root.name))
def root(request: pytest.FixtureRequest) -> Path:
    """The package, and the kit that proves its stores."""
    path: Path = request.param
    return path


def test_the_tables_name_what_there_is() -> None:
    """A part that is gone leaves the tables of layers, purity and exceptions, and so does an exception nobody needs."""
    parts = {module.part for module in structure.modules(SOURCE)}
    named = {
        *structure.PURE,
        *structure.LAZY_PARTS,
        *structure.BROAD_EXCEPT_PARTS,
        *structure.UNIMPORTED_PARTS,
    }
    named.update(*structure.LAYERS)

    assert set() == named - parts
    assert {module.name for module in structure.modules(SOURCE)} >= structure.IMPURE_MODULES.keys()
    assert set() == structure.PARTICIPLES - structure.defined_names(SOURCE)
    for name in structure.LAZY_MODULES:
        assert any(hides(module) for module in structure.modules(SOURCE) if module.name == name), name
    for name in structure.BROAD_EXCEPT_MODULES:
        assert any(
            "except Exception" in module.text for module in structure.modules(SOURCE) if module.name == name
        )


def hides(module: structure.Module) -> bool:
    """Tell whether a function of a module imports something."""
    functions = [node for node in module.nodes if isinstance(node, structure.Function)]
    return any(
        isinstance(inner, ast.Import | ast.ImportFrom) for node in functions for inner in ast.walk(node)
    )


def test_functions_are_short(root: Path) -> None:
    """No function is longer than 60 lines without its docstring."""
    assert [] == structure.long_functions(root)


def test_most_functions_are_shorter(root: Path) -> None:
    """The 95th percentile of functions has at most 35 lines."""
    assert [] == structure.function_lengths(root)


def test_files_are_short(root: Path) -> None:
    """No file is longer than 700 lines."""
    assert [] == structure.long_files(root)


def test_functions_take_few_parameters(root: Path) -> None:
    """No function takes more than 8 parameters."""
    assert [] == structure.many_parameters(root)


def test_blocks_are_shallow(root: Path) -> None:
    """No statement stands deeper than three blocks."""
    assert [] == structure.deep_nesting(root)


def test_annotations_mean_the_same_in_every_python(root: Path) -> None:
    """No annotation in a class names what the class defines."""
    assert [] == structure.shadowed_annotations(root)


def test_imports_have_no_cycle(root: Path) -> None:
    """No module imports itself over others."""
    assert [] == structure.import_cycles(root)


def test_every_module_has_its_row() -> None:
    """Every module belongs to a row of the layout."""
    assert [] == structure.unknown_parts(SOURCE)


def test_imports_point_down() -> None:
    """Imports follow the arrows of the layout."""
    assert [] == structure.upward_imports(SOURCE)


def test_the_package_does_without_the_kit() -> None:
    """Nothing of the package names the kit that proves its stores."""
    assert [] == structure.kit_imports(SOURCE)


def test_no_two_folders_import_each_other(root: Path) -> None:
    """Folders import one way."""
    assert [] == structure.mutual_imports(root)


def test_chains_of_imports_are_short(root: Path) -> None:
    """No chain of imports is longer than the table says."""
    assert [] == structure.long_chains(root)


def test_only_the_clock_reads_the_clock(root: Path) -> None:
    """Time is an argument everywhere but in clock.py."""
    assert [] == structure.clock_reads(root)


def test_only_faces_catch_everything(root: Path) -> None:
    """A broad except stands only where the table says why, is called one, and stands at most five times."""
    assert [] == structure.broad_excepts(root)


def test_pure_modules_are_pure() -> None:
    """A pure module has no async, clock, os, random, logging or file access."""
    assert [] == structure.impure_modules(SOURCE)


def test_packaged_files_have_one_reader() -> None:
    """The presets are read in one place."""
    assert [] == structure.resource_readers(SOURCE)


def test_imports_stand_at_the_top(root: Path) -> None:
    """An import waits inside a function only in the listed places."""
    assert [] == structure.hidden_imports(root)


@pytest.mark.parametrize("root", WRITTEN, ids=lambda root: str(root.name))
def test_no_work_is_left_in_comments(root: Path) -> None:
    """No comment marks unfinished work or draws a line."""
    assert [] == structure.marks(root)


@pytest.mark.parametrize(
    "check",
    [
        structure.long_functions,
        structure.long_files,
        structure.many_parameters,
        structure.deep_nesting,
        structure.import_cycles,
    ],
    ids=lambda check: str(check.__name__),
)
def test_lifebench_keeps_the_sizes(check: Check) -> None:
    """What measures memories is as short as they are."""
    assert [] == check(LIFEBENCH / "lifebench")


def test_every_module_is_used() -> None:
    """Every module is imported by another, except those that start something."""
    assert [] == structure.unimported_modules(SOURCE)


def test_no_name_is_a_participle(root: Path) -> None:
    """A function is a verb and its object or a noun, a class a noun."""
    assert [] == structure.participles(root)


def test_a_class_name_stands_for_one_class(root: Path) -> None:
    """No two classes have one name."""
    assert [] == structure.repeated_classes(root)


def test_a_module_name_stands_for_one_module(root: Path) -> None:
    """No two modules share their last name."""
    assert [] == structure.ambiguous_names(root)


def test_every_module_says_what_it_knows(root: Path) -> None:
    """Every module has a docstring."""
    assert [] == structure.undocumented_modules(root)


@pytest.mark.parametrize(
    ("check", "files", "expected"), PLANTED, ids=lambda value: getattr(value, "__name__", "")
)
def test_each_check_can_fail(check: Check, files: dict[str, str], expected: str, tmp_path: Path) -> None:
    """A tree that breaks a rule is complained about."""
    complaints = check(planted(tmp_path / structure.PACKAGE, files))

    assert complaints
    assert expected in complaints[0]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
def test_no_check_complains_for_nothing(check: Check, tmp_path: Path) -> None:
    """A tree that keeps the rules passes every check."""
    assert [] == check(planted(tmp_path / structure.PACKAGE, GOOD))


def planted(root: Path, files: dict[str, str]) -> Path:
    """Write a small package into `root` and return it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_what_is_imported_later_is_checked() -> None:
    """A function that is imported later would be taken for a module."""
    assert [] == structure.later_imports(SOURCE)
