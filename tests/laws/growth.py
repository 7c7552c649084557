"""How the CPU time of a piece of work grows with its text, and texts made from a pattern that are hard for it.

CPU time and ratios of it, so that a loaded machine says what an idle one says.
"""

import ast
import gc
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, cached_property, partial
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import remanence
import remanence.core.patterns
from remanence.core.patterns import Pattern
from tests.laws.sources import list_nodes, parse_source

GROWTH_MAX = 2.5  # when the text doubles
SUSPECT_S = 0.001  # what takes less on a short text is not measured further
NOISE_S = (
    0.02  # what takes less on the longest text may have been somebody else; quadratic work takes far more
)
SUSPECT_CHARS = 2_000
# What is quadratic takes a sixteenth of that on a quarter of the text, a quarter on half of it; what takes less yet is
# not tried on more.
GLANCES = ((SUSPECT_CHARS // 4, SUSPECT_S / 20), (SUSPECT_CHARS // 2, SUSPECT_S / 5))
SLOWEST = (
    12  # of the texts of a pattern, those that take longest for their first characters are measured further
)
HEADS_MAX, HEADS_DEEP_MAX = (
    20,
    60,
)  # of a pattern with more parts, such as a list of words, as many are drawn evenly
# What pieces texts are made of that no pattern names: scripts, marks, forms that grow, and what is cut by hand.
PIECES = (
    *("!", "…", "?!", ".", "\n", " ", "\t", "a.", "A.B.", "1,", "1/2/", "$-", "+", "-a", "a_", "a@a.", "a://", "/a"),
    *("`", "`a ", "a() ", "[[", "'a x' ", '"', "v1.", "Mr. ", "Aa. ", "not ", "漢", "한글 ", "กา", "İ", "ﬃ", "ﷺ "),
    *("a ", "\u0301", "\u0301\u0323", "\u202e", "\u200d", "a² ", "１", "May ", "Ada ", "w1a ", "\\a", "C:\\"),
)  # fmt: skip
# Called on the same text, these look for a pattern in the same way.
_ALL = {"sub": "finditer", "subn": "finditer", "findall": "finditer", "split": "finditer"}
_LOOKS = frozenset({*_ALL, "finditer", "search", "match", "fullmatch"})
_OTHER = 16  # characters that make it another text, which no cache knows
_parser: Any = importlib.import_module("re._parser")


def modules() -> Iterator[ModuleType]:
    """Import every module of the package."""
    for info in pkgutil.walk_packages(remanence.__path__, "remanence."):
        yield importlib.import_module(info.name)


def holds_patterns(module: ModuleType) -> bool:
    """Tell whether a name of a module is a pattern or holds one, be it the module's own or imported."""
    return any(next(_within(name, value), None) for name, value in vars(module).items())


@cache
def patterns(module: ModuleType) -> dict[str, re.Pattern[str]]:
    """Return the patterns that a module makes for itself, by name; those within a value as `NAME.part`."""
    return {name: one for given in _given(module) for name, one in _within(given, getattr(module, given))}


def _given(module: ModuleType) -> Iterator[str]:
    """Yield the names that a module gives to what a call, or something that holds calls, makes."""
    for node in parse_source(_text_of(module)).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if value is not None and any(isinstance(inner, ast.Call) for inner in ast.walk(value)):
            yield from (
                each.id
                for target in targets
                if target
                for each in ast.walk(target)
                if isinstance(each, ast.Name)
            )


def _within(name: str, value: object) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns that a value is or holds."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, Pattern):
        yield name, value.regex
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _within(f"{name}.{key}", part)
    elif isinstance(value, tuple | list):
        for place, part in enumerate(value):
            yield from _within(f"{name}.{place}", part)
    elif is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from _within(f"{name}.{one.name}", getattr(value, one.name))
    else:
        for part in _cached_parts(type(value)):  # type: ignore[arg-type]  # every class has a hash
            yield from _within(f"{name}.{part}", getattr(value, part))


@cache
def _cached_parts(kind: type) -> tuple[str, ...]:
    """Name what values of a kind work out when they are first asked."""
    return tuple(part for part, one in vars(kind).items() if isinstance(one, cached_property))


def uncounted(module: ModuleType) -> list[str]:
    """List uses of `re` that make a pattern out of sight: on the way, or within a function."""
    if module is remanence.core.patterns:  # whoever makes one there has it in sight
        return []
    nodes = _nodes(module)
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    hidden = {called for function in functions for called in _used(ast.walk(function)) if called == "compile"}
    on_the_way = {called for called in _used(nodes) if called not in {"compile", "escape"}}
    return [f"{module.__name__}: re.{name}" for name in sorted(hidden | on_the_way)]


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    """Return which functions of `re` are called somewhere."""
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    return {called[1] for call in calls if (called := _named(call)) and called[0] == "re"}


def looks(module: ModuleType, name: str) -> set[str]:
    """Return how a module looks for one of its patterns: `finditer` for all that goes through a whole text.

    One within a value is looked for elsewhere, by who knows how: through a whole text.
    """
    if "." in name:
        return {"finditer"}
    found = {look for called, look in (*_calls(module), *_handed_on(module)) if called == name}
    ways = {_ALL.get(look, look) for look in found & _LOOKS}
    # Whoever goes through a whole text has searched it on the way.
    return ways - {"search"} if "finditer" in ways else ways


@cache
def _calls(module: ModuleType) -> list[tuple[str, str]]:
    """List the calls of a method of a name that a module makes."""
    calls = (node for node in _nodes(module) if isinstance(node, ast.Call))
    return [called for call in calls if (called := _named(call.func))]


@cache
def _handed_on(module: ModuleType) -> list[tuple[str, str]]:
    """List the methods of a name that a module hands on to who calls them."""
    calls = (node for node in _nodes(module) if isinstance(node, ast.Call))
    listed = (node for node in _nodes(module) if isinstance(node, ast.Tuple))
    given = [*(one for call in calls for one in call.args), *(one for many in listed for one in many.elts)]
    return [named for one in given if (named := _named(one))]


def _named(node: ast.AST) -> tuple[str, str] | None:
    """Return (name, method) of `NAME.method`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    return None


def _nodes(module: ModuleType) -> tuple[ast.AST, ...]:
    return list_nodes(_text_of(module))


@cache
def _text_of(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def run_on(pattern: re.Pattern[str], look: str, text: str) -> None:
    """Look for a pattern, as often as it is there."""
    if isinstance(pattern.pattern, bytes):
        text = cast("Any", text.encode())
    if look == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, look)(text)


def hard_texts(pattern: re.Pattern[str], heads_max: int = HEADS_MAX) -> Iterator[Callable[[int], str]]:
    """Yield makers of texts that lead a pattern as far as each of its parts, repeat there, and then break off."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    signs = list(dict.fromkeys(_signs(tree)))[:7]
    runs = [*signs, *(one + other for one in signs for other in signs if one != other)]
    heads = list(dict.fromkeys(_heads(list(tree), "")))
    for head in heads[:: max(1, len(heads) // heads_max)]:
        for run in (*runs, head or "x"):
            for tail in ("§", "x"):
                yield partial(_text, head, run, tail)


def _text(head: str, run: str, tail: str, chars: int) -> str:
    return head + run * (chars // len(run)) + tail


def _heads(nodes: Iterable[Any], before: str) -> Iterator[str]:
    """Yield what a pattern has read when it comes to each of its parts."""
    for node in nodes:
        yield before
        for inner in _inside(node):
            yield from _heads(inner, before)
        before += _example([node])
    yield before


def _inside(node: Any) -> list[Any]:
    kind, said = str(node[0]), node[1]
    if kind == "BRANCH":
        return list(said[1])
    if kind == "SUBPATTERN":
        return [said[3]]
    if kind in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return [said[2]]
    return [said] if kind == "ATOMIC_GROUP" else []


def _example(nodes: Iterable[Any]) -> str:
    """Return a short text that matches, first ways first."""
    text = ""
    for node in nodes:
        inside = _inside(node)
        if "REPEAT" in str(node[0]):
            text += _example(inside[0]) * max(1, min(node[1][0], 4))
        else:
            text += _example(inside[0]) if inside else _sign(node)
    return text


def _signs(nodes: Iterable[Any]) -> Iterator[str]:
    for node in nodes:
        if sign := _sign(node):
            yield sign
        for inner in _inside(node):
            yield from _signs(inner)


def _sign(node: Any) -> str:
    """Return one character that a part matches, "" where it takes none."""
    kind, said = str(node[0]), node[1]
    if kind == "LITERAL":
        return chr(said)
    if kind == "IN":
        return _member(said)
    return "x" if kind in {"ANY", "NOT_LITERAL"} else ""


def _member(members: Any) -> str:
    """Return a character of a set; of what is left when a set is taken out, a plain one."""
    out = any(str(kind) == "NEGATE" for kind, _ in members)
    listed = [_listed(str(kind), said) for kind, said in members if str(kind) != "NEGATE"]
    if not out:
        return listed[0]
    return next(char for char in "a!~" if char not in listed)


def _listed(kind: str, said: Any) -> str:
    if kind == "CATEGORY":
        return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(said), "a")
    return chr(said[0] if kind == "RANGE" else said)


def growing(
    work: Callable[[str], object], texts: Iterable[Callable[[int], str]], most: int | None = None
) -> list[Callable[[int], str]]:
    """Return the texts on which work takes too much longer when they double; of many, the slowest are looked at."""
    slow = (text for text in texts if all(_seconds(work, text(chars)) >= least for chars, least in GLANCES))
    tried = [(_seconds(work, text(SUSPECT_CHARS)), text) for text in slow]
    suspect = sorted((each for each in tried if each[0] >= SUSPECT_S), key=itemgetter(0), reverse=True)
    return [text for _, text in suspect[:most] if _grows(work, text)]


def grows(work: Callable[[str], object], text: Callable[[int], str]) -> bool:
    """Tell whether work takes too much longer on twice the text; a short time is not looked at."""
    return bool(growing(work, [text]))


def _grows(work: Callable[[str], object], text: Callable[[int], str]) -> bool:
    return all(growth(work, text) > GROWTH_MAX for _ in range(5))


def growth(work: Callable[[str], object], text: Callable[[int], str]) -> float:
    """Return how many times longer a text of twice as many characters takes; the best of three each."""
    long = min(_seconds(work, text(4 * SUSPECT_CHARS + _OTHER * number)) for number in range(3))
    short = min(_seconds(work, text(2 * SUSPECT_CHARS + _OTHER * number)) for number in range(3))
    return long / short if long > NOISE_S else 1.0


def _seconds(work: Callable[[str], object], text: str) -> float:
    """Measure this thread alone, without garbage collection: that tells of what the process holds, not of the text."""
    collects = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work(text)
        return time.thread_time() - began
    finally:
        if collects:
            gc.enable()
