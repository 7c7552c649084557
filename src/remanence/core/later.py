"""Modules that are imported when something of them is first used: what nobody uses costs nothing.

Called once by each module that has a table of such names, while it is imported; must not know what they hold.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ForwardRef


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


def import_later(names: dict[str, Any], table: Mapping[str, str]) -> None:
    """Put what a table names into a module's names: modules for its code, and classes for its annotations only.

    The table maps a package to its modules, and a module to its classes, parted by spaces. A class stands there as a
    forward reference, which `typing.get_type_hints` follows.
    """
    for path, some in table.items():
        for name in some.split():
            if name.islower():
                names[name] = LaterModule(names, name, f"{path}.{name}")
            else:
                names[name] = ForwardRef(f"import_class({path!r}, {name!r})", module=__name__)


def import_class(path: str, name: str) -> Any:
    """Import what a forward reference stands for."""
    return getattr(import_module(path), name)
