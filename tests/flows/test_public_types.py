"""Whatever a public signature names can be imported from the package root or from `remanence.types`."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

import remanence
from remanence import engine, opening, types
from remanence.core.later import read_later_imports
from tests.pages import sync_stub

ROOT = Path(__file__).parents[2]
ROOT_NAMES_MAX = 75


def test_every_type_of_a_public_signature_is_public() -> None:
    """Of the engine's verbs, those of what it offers as properties, and of `open`; each is the same thing there."""
    verbs = [opening.open, *(verb for kind in faces() for verb in public(kind))]
    named = [kind for verb in verbs for hint in get_type_hints(verb).values() for kind in inner(hint)]
    missing = [
        kind
        for kind in named
        if isinstance(kind, type)
        and kind.__module__.startswith("remanence.")
        and kind not in {getattr(place, kind.__name__, None) for place in (remanence, types)}
    ]

    assert [] == missing
    assert remanence.Frame in named


@pytest.mark.parametrize("module", [remanence, types])
def test_every_public_name_is_there(module: ModuleType) -> None:
    """Those that are imported when they are first asked for too."""
    missing = [name for name in module.__all__ if not hasattr(module, name)]

    assert [] == missing
    assert set(read_later_imports(vars(module))) <= set(module.__all__)
    assert set(module.__all__) == set(dir(module))


def test_a_name_has_one_place() -> None:
    """What is constructed, caught or annotated everywhere is at the root, which stays short; the rest is in `types`."""
    assert set() == {*remanence.__all__} & {*types.__all__}
    assert len(remanence.__all__) <= ROOT_NAMES_MAX


def test_the_root_is_light() -> None:
    """What brings numpy and SQL along waits until it is asked for."""
    code = "import sys, remanence; print('numpy' in sys.modules, 'sqlalchemy' in sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)

    assert "False False\n" == done.stdout


def faces() -> list[type]:
    """Return the engine's class, and those of its namespaces."""
    return [engine.Engine, *sync_stub.namespaces().values()]


def public(kind: type) -> list[Any]:
    """Return the public methods of a class, and what reads its properties."""
    members = [member for name, member in vars(kind).items() if not name.startswith("_")]
    return [member.fget if isinstance(member, property) else member for member in members]


def inner(annotation: Any) -> Iterator[Any]:
    """Yield an annotation and all that it is made of; the arguments of a function come as a list."""
    yield annotation
    for one in annotation if isinstance(annotation, list) else get_args(annotation):
        yield from inner(one)
