"""Whatever a public signature names can be imported from the package root."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import remanence
from remanence import engine, opening
from tests.pages import sync_stub

ROOT = Path(__file__).parents[2]


def test_every_type_of_a_public_signature_is_at_the_root() -> None:
    """Of the engine's verbs, those of what it offers as properties, and of `open`; each is the same thing there."""
    verbs = [opening.open, *(verb for kind in faces() for verb in public(kind))]
    named = [kind for verb in verbs for hint in get_type_hints(verb).values() for kind in inner(hint)]
    missing = [
        kind
        for kind in named
        if isinstance(kind, type)
        and kind.__module__.startswith("remanence.")
        and getattr(remanence, kind.__name__, None) is not kind
    ]

    assert [] == missing
    assert remanence.Frame in named


def test_every_name_of_the_root_is_there() -> None:
    """Those that are imported when they are first asked for too."""
    missing = [name for name in remanence.__all__ if not hasattr(remanence, name)]

    assert [] == missing
    assert set(remanence._LATER) <= set(remanence.__all__)


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
