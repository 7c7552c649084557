"""Why a part was done, in few bytes: what such details have in common is kept once, as a name, and meant by number.

Knows JSON and names; knows nothing of parts. A form is a detail without its values: 0 stands where one goes. Texts of a
policy and of the engine are part of a form; whatever else is said, ids above all, is a value, and no dictionary but the
engine's own has a form. Where a policy quotes what is erased, the details are kept whole without it, and the form goes
with what it says.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import orjson

from remanence.store.sql.names import ScopeNames


class NameTexts(Protocol):
    """Where the name behind a number is found."""

    def text(self, number: int) -> str:
        """Return it; KeyError where there is none."""
        ...


_LISTED = frozenset({"rules", "actions"})  # lists whose items have forms of their own, with their texts
_NESTED = frozenset({"cycle"})
_HOLE = 0
FORM = "form"  # under what forms stand among the names of a scope


def pack(names: ScopeNames, text: str | None) -> str | None:
    """Return what is kept of a detail, given as JSON: itself where it has little in common with others."""
    if text is None or not any(f'"{name}":' in text for name in _LISTED | _NESTED):
        return text
    detail = orjson.loads(text)
    if not all(isinstance(detail.get(name, []), list) for name in _LISTED):
        return text

    def number(form: Any) -> int:
        return names.make(FORM, orjson.dumps(form).decode())

    values: list[Any] = []
    form = {
        name: _take_listed(value, values, number)
        if name in _LISTED
        else _take(value, values, nests=name in _NESTED)
        for name, value in sorted(detail.items())
    }
    return orjson.dumps([number(form), *values]).decode()


def unpack(names: NameTexts, kept: str | None) -> str | None:
    """Return a detail as JSON from what is kept of it; raise ValueError where that is something else."""
    if kept is None or not kept.startswith("["):
        return kept
    number, *values = orjson.loads(kept)
    form, rest = _read_form(names, number), iter(values)
    by_name = {name: _put(one, rest) for name, one in form.items()}
    for name in _LISTED & form.keys():
        by_name[name] = [_put(_read_form(names, item[0]), iter(item[1:])) for item in by_name[name]]
    return orjson.dumps(by_name, option=orjson.OPT_SORT_KEYS).decode()


def forms_of(names: NameTexts, kept: str) -> set[int]:
    """Return the numbers of the forms that what is kept of a detail needs."""
    if not kept.startswith("["):
        return set()
    number, *values = orjson.loads(kept)
    form, rest = _read_form(names, number), iter(values)
    by_name = {name: _put(one, rest) for name, one in form.items()}
    items = (item for name in _LISTED & form.keys() for item in by_name[name])
    return {number, *(item[0] for item in items)}


def _take_listed(items: list[Any], values: list[Any], number: Callable[[Any], int]) -> int:
    """Take the items of a list out, each as the number of its form and its values."""
    rows = []
    for item in items:
        mine: list[Any] = []
        form = _take(item, mine, nests=True, texts=True)
        rows.append([number(form), *mine])
    values.append(rows)
    return _HOLE


def _take(value: Any, values: list[Any], *, nests: bool, texts: bool = False) -> Any:
    """Return the form of a value, and add what goes where 0 stands."""
    if nests and isinstance(value, dict):
        return {name: _take(one, values, nests=True, texts=texts) for name, one in sorted(value.items())}
    if texts and isinstance(value, list):
        return [_take(one, values, nests=True, texts=True) for one in value]
    if texts and isinstance(value, str):
        return value
    values.append(value)
    return _HOLE


def _put(form: Any, values: Iterator[Any]) -> Any:
    """Return a form with its values."""
    if isinstance(form, dict):
        return {name: _put(one, values) for name, one in form.items()}
    if isinstance(form, list):
        return [_put(one, values) for one in form]
    return next(values) if form == _HOLE else form


def _read_form(names: NameTexts, number: int) -> Any:
    return orjson.loads(names.text(number))
