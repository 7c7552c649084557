"""The page of the Python API, written from signatures and docstrings: verbs, namespaces, values, names, protocols."""

import ast
import inspect
import re
import textwrap
from collections.abc import Container, Iterable, Iterator
from dataclasses import is_dataclass
from enum import Enum
from types import ModuleType
from typing import Annotated, Any, get_args, get_origin

import remanence
from remanence import types
from remanence.core.errors import RemanenceError
from remanence.editing_verbs import EditingVerbs
from remanence.shelves import Shelves
from tests.pages.sync_stub import namespaces

HEAD = """# Python API

This page lists everything that a program may import. `remanence` has classes to make, functions to call and errors to
catch; [`remanence.types`](#remanencetypes) has the other arguments and results of verbs. A name not on this page
may move. Functions marked `async` are awaited; the same verbs without `await` are in
[`remanence.sync`](../start.md#without-async). The page of [errors](errors.md) lists what verbs raise. Times are integer
microseconds since 1970 (UTC); arguments may also be `datetime`, and a result has each time as `datetime` as well,
`said_time` for `said_at`. A verb returns a [`Result`](#result).
"""
Function = ast.FunctionDef | ast.AsyncFunctionDef
LINE_CHARS_MAX = 100
ARGUMENT = re.compile(r"^(\w+):", re.MULTILINE)
GROUP = re.compile(r"^ {4}# ([A-Z][a-z]+)", re.MULTILINE)


def page() -> str:
    """Return the page."""
    spaces = {kind: name for name, kind in namespaces().items()}
    parts = [HEAD, _section(_tree(remanence.open), level=2), "\n## `Engine`\n", *_engine()]
    parts += [_namespace(kind, name) for kind, name in spaces.items()]
    parts += ["\n## Values and protocols\n", *_values(remanence, spaces)]
    parts += ["\n## `remanence.types`\n", *_values(types, spaces)]
    names = [(name, getattr(types, name)) for name in types.__all__]
    words = [(name, thing) for name, thing in names if not inspect.isclass(thing)]
    parts += [
        "\n## Names\n\nValues of arguments that take one of a few; in `remanence.types`.\n\n",
        *_names(words),
    ]
    return "".join(parts)


def _values(module: ModuleType, spaces: Container[type]) -> Iterator[str]:
    """Write the classes of a module that are neither a namespace nor an error."""
    for name in module.__all__:
        thing = getattr(module, name)
        if name == "Engine" or not inspect.isclass(thing) or thing in spaces:
            continue
        if not issubclass(thing, RemanenceError):
            yield _class(name, thing)


def _engine() -> Iterator[str]:
    """Write the verbs in the order of the source, under the headings that it has, then the shelves."""
    yield f"\n{_told(_tree(remanence.Engine))}\n"
    for kind in (remanence.Engine, EditingVerbs):
        source = inspect.getsource(kind)
        headings = [
            (source.count("\n", 0, found.start()) + 1, found.group(1)) for found in GROUP.finditer(source)
        ]
        for verb in _public(kind):
            while headings and headings[0][0] < verb.lineno:
                yield f"\n### {headings.pop(0)[1]}\n"
            yield _section(verb, level=4)
    yield f"\n### Shelves\n\n{_told(_tree(Shelves))}\n"
    yield from (_section(shelf, level=4) for shelf in _public(Shelves))


def _namespace(kind: type, name: str) -> str:
    members = "".join(map(_section, _public(kind)))
    return f"\n## `memory.{name}`\n\n{_told(_tree(kind))}\n{members}"


def _class(name: str, kind: type) -> str:
    members = [f"- `{told}`\n" for told in _fields(kind)]
    members += [f"- {_line(function)}\n" for function in _public(kind)]
    listed = "\n" + "".join(members) if members else ""
    return f"\n### `{name}`\n\n{_told(_tree(kind))}\n{listed}"


def _fields(kind: type) -> list[str]:
    """Return the fields of a dataclass or a typed dictionary, or the members of an enumeration, as the source says."""
    if issubclass(kind, Enum):
        return [member.name.lower() for member in kind]
    body = _tree(kind).body if is_dataclass(kind) or issubclass(kind, dict) else []
    own = [ast.unparse(one) for one in body if isinstance(one, ast.AnnAssign) and not _is_private(one)]
    above = [
        name for base in kind.__bases__ if base.__module__.startswith("remanence") for name in _fields(base)
    ]
    return above + own


def _is_private(field: ast.AnnAssign) -> bool:
    return ast.unparse(field.target).startswith("_")


def _names(named: list[tuple[str, Any]]) -> Iterator[str]:
    for name, thing in named:
        if get_origin(thing) is None and not get_args(thing):
            continue
        if get_origin(thing) is Annotated:
            yield f"- `{name}`: {thing.__metadata__[0]}; {_listed(_flat(thing))}\n"
        else:
            yield f"- `{name}`: {_listed(get_args(thing))}\n"


def _flat(hint: Any) -> Iterator[Any]:
    """Yield the classes of a type made of several, each once, a list by what is in it."""
    if get_origin(hint) is None:
        yield hint
        return
    seen: dict[Any, None] = {}
    for one in get_args(hint)[: 1 if get_origin(hint) is Annotated else None]:
        seen |= dict.fromkeys(_flat(one))
    yield from seen


def _listed(things: Iterable[Any]) -> str:
    words = [repr(one) if isinstance(one, str) else getattr(one, "__name__", str(one)) for one in things]
    return ", ".join(f"`{word}`" for word in words)


def _public(kind: type) -> list[Function]:
    """Return the public methods and properties that a class itself defines, in the order of the source."""
    body = _tree(kind).body if kind.__module__.startswith("remanence") else []
    public = [one for one in body if isinstance(one, Function) and not one.name.startswith("_")]
    return [one for one in public if "overload" not in map(ast.unparse, one.decorator_list)]


def _section(function: Function, level: int = 3) -> str:
    """Write a function or a property with its signature and what it says of itself."""
    head = f"\n{'#' * level} `{function.name}`\n\n```text\n{_signature(function)}\n```\n\n{_told(function)}\n"
    named = function.args.kwarg
    if named is None or named.annotation is None:
        return head
    kind = ast.unparse(named.annotation).removeprefix("Unpack[").removesuffix("]")
    return f"{head}\nBy name, the fields of [`{kind}`](#{kind.lower()}).\n"


def _line(function: Function) -> str:
    return f"`{' '.join(_signature(function).split())}`: {_told(function).splitlines()[0]}"


def _signature(function: Function) -> str:
    """Return a signature as the source has it, without `self`, an argument a line where it is long."""
    answers = f" -> {ast.unparse(function.returns).replace('builtins.', '')}" if function.returns else ""
    if any("property" in ast.unparse(one) for one in function.decorator_list):
        return f"{function.name}{answers}"
    given = function.args
    given.args = [one for one in given.args if one.arg not in ("self", "cls")]
    name = ("async " if isinstance(function, ast.AsyncFunctionDef) else "") + function.name
    line = f"{name}({ast.unparse(given)}){answers}"
    if len(line) <= LINE_CHARS_MAX:
        return line
    return f"{name}(\n    " + ",\n    ".join(_arguments(given)) + f",\n){answers}"


def _arguments(given: ast.arguments) -> list[str]:
    """Write each argument on its own."""
    places = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(places) - len(given.defaults)) + list(given.defaults)
    parts = [_argument(one, default) for one, default in zip(places, defaults, strict=True)]
    if given.vararg or given.kwonlyargs:
        parts.append(f"*{ast.unparse(given.vararg)}" if given.vararg else "*")
    parts += [
        _argument(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return parts + ([f"**{ast.unparse(given.kwarg)}"] if given.kwarg else [])


def _argument(one: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(one) + (f" = {ast.unparse(default)}" if default is not None else "")


def _tree(thing: Any) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(thing)))).body[0]


def _told(tree: Function | ast.ClassDef) -> str:
    """Return what a function or a class says of itself, its arguments as a list."""
    told, _, arguments = (ast.get_docstring(tree) or "").partition("\nArgs:\n")
    listed = ARGUMENT.sub(r"- `\1`:", textwrap.dedent(arguments))
    return f"{told}\n{listed}" if listed else told
