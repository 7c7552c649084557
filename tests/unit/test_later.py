"""Names that are imported when something of them is first used."""

from importlib.machinery import ModuleSpec
from typing import Any, ForwardRef, get_type_hints

import pytest

from remanence.core.later import LaterModule, build_getattr, import_later
from remanence.core.receipt import Receipt

SOURCE = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remanence.core import (
        receipt,
    )

    from remanence.core.receipt import Receipt  # for types

    from remanence.nowhere import Nothing
LATER = 1
if not TYPE_CHECKING:
    from remanence.core import clock
"""


class Source:
    """A loader of one text."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def get_source(self, _name: str) -> str | None:
        """Return it."""
        return self.text


def names_of(text: str | None) -> dict[str, Any]:
    """Return the names of a module that has this source."""
    return {"__name__": "made.up", "__spec__": ModuleSpec("made.up", Source(text))}  # type: ignore[arg-type]


def test_what_is_imported_for_types_is_there_when_it_is_used() -> None:
    """A module for code, a class for annotations; neither is imported before, and nothing else is."""
    names = names_of(SOURCE)
    import_later(names)

    def annotated(one: Any) -> None: ...

    annotated.__annotations__ = {"one": names["Receipt"]}

    assert {"receipt", "Receipt", "Nothing"} == names.keys() - {"__name__", "__spec__"}
    assert isinstance(names["receipt"], LaterModule)
    assert isinstance(names["Nothing"], ForwardRef)
    assert names["receipt"].Receipt is Receipt
    assert not isinstance(names["receipt"], LaterModule)
    assert {"one": Receipt} == get_type_hints(annotated)


def test_what_others_ask_a_module_for_is_imported_then() -> None:
    """Once; a name that it does not import for types it does not have."""
    names = names_of(SOURCE)
    ask = build_getattr(names)

    assert ask("Receipt") is names["Receipt"] is Receipt
    with pytest.raises(AttributeError, match=r"module 'made.up' has no attribute 'clock'"):
        ask("clock")


def test_a_module_without_its_source_says_so() -> None:
    """Its imports cannot be read then."""
    with pytest.raises(ImportError, match=r"made\.up was installed without its source"):
        import_later(names_of(None))
