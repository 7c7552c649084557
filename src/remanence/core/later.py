"""Names that are imported when something of them is first used: what nobody uses costs nothing.

A module writes such imports once, under `if TYPE_CHECKING:`, where the type checker holds them against what there is;
here they are read from its source. Must not know what they hold.
"""

import ast
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from textwrap import dedent
from typing import Any, ForwardRef

_BLOCK = re.compile(r"^if TYPE_CHECKING:\n((?: .*\n|\n)+)", re.MULTILINE)


class LaterModule:
    """Stands in a module's names for another module until something of it is used."""

    def __init__(self, names: dict[str, Any], name: str, path: str) -> None:
        self._place = names, name
        self._path = path

    def __repr__(self) -> str:
        return f"<module {self._path!r}, not imported yet>"

    def __getattr__(self, attribute: str) -> Any:
        names, name = self._place
        module = names[name] = import_module(self._path)
        return getattr(module, attribute)


def import_later(names: dict[str, Any]) -> None:
    """Put what a module imports for types into its names: modules for its code, classes for its annotations only.

    A class stands there as a forward reference, which `typing.get_type_hints` follows.
    """
    for name, path in read_later_imports(names).items():
        if name.islower():
            names[name] = LaterModule(names, name, f"{path}.{name}")
        else:
            # Nothing but what every module has: in whose names it is evaluated differs between versions of Python.
            found = f"__import__({__name__!r}, fromlist=['']).import_named({path!r}, {name!r})"
            names[name] = ForwardRef(found)


def build_getattr(names: dict[str, Any]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that offers to others what it imports for types."""
    table = cache(lambda: read_later_imports(names))

    def import_attribute(name: str) -> Any:
        if name.startswith("__") or name not in table():
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        path = table()[name]
        if path == names["__name__"]:
            return import_module(f"{path}.{name}")
        value = names[name] = import_named(path, name)
        return value

    return import_attribute


def read_later_imports(names: dict[str, Any]) -> Mapping[str, str]:
    """Return what a module imports for types, by name the module that it is from."""
    spec = names["__spec__"]
    source = spec.loader.get_source(spec.name)
    if source is None:
        raise ImportError(f"{spec.name} was installed without its source, in which its imports are read")
    blocks = (ast.parse(dedent(block)).body for block in _BLOCK.findall(source))
    return {
        alias.name: node.module
        for body in blocks
        for node in body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }


def import_named(path: str, name: str) -> Any:
    """Import what a name stands for."""
    return getattr(import_module(path), name)
