"""What an annotation allows, compiled once to a check: whether a value fits, and in words what would.

Knows types; must not know who takes them, nor which values of a type are sensible.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, TypeVar, Union, get_args, get_origin

from remanence.core.errors import INT_BITS

_WORDS: Mapping[Any, str] = {
    str: "a text",
    bytes: "bytes",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
}
# To Python a text is a sequence of texts; whoever passes one where many are wanted has forgotten the brackets.
_SINGLE = (str, bytes, bytearray, memoryview, Mapping)


@dataclass(frozen=True, slots=True)
class Misfit:
    """A value that does not fit, what would, and where in the argument it is; `known` are names that would do."""

    value: Any
    words: str
    where: str = ""
    known: tuple[str, ...] = ()


Check = Callable[[Any], Misfit | None]


@dataclass(frozen=True, slots=True)
class TypeConstraint:
    """What is allowed, in words; `check` is None where anything is. `classes` are all it is, where it is no more."""

    words: str
    check: Check | None = None
    classes: tuple[type, ...] = ()


@cache
def compile_annotation(annotation: Any) -> TypeConstraint:
    """Compile an annotation."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _replace_words(compile_annotation(inner[0]), inner[1])
    if annotation in (Any, object) or isinstance(annotation, TypeVar):
        return TypeConstraint("anything")
    if origin in (Union, UnionType):
        return _union([compile_annotation(one) for one in inner])
    if origin is Literal:
        return _names(inner)
    if origin is tuple and inner[-1] is not ...:
        return _parts([compile_annotation(one) for one in inner])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(*(compile_annotation(one) for one in inner))
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return _build_list_constraint(origin, compile_annotation(inner[0]))
    if origin is not None:
        return _classes((origin,), "a function" if origin is Callable_ else f"a {origin.__name__}")
    if getattr(annotation, "_is_protocol", False):
        return _build_protocol_constraint(annotation)
    return _classes((annotation,), _WORDS.get(annotation, f"a {annotation.__name__}"))


Callable_ = get_origin(Callable[[], None])


def _classes(classes: tuple[type, ...], words: str) -> TypeConstraint:
    """Allow instances; a whole number will do where any number does, True is none, nor is what no store can keep."""
    kinds = (*classes, int) if float in classes else classes
    strict = bool not in kinds
    if int not in kinds:
        return TypeConstraint(
            words, lambda value: None if isinstance(value, kinds) else Misfit(value, words), classes
        )

    def check(value: Any) -> Misfit | None:
        if not isinstance(value, kinds) or (strict and isinstance(value, bool)):
            return Misfit(value, words)
        if isinstance(value, int) and value.bit_length() >= INT_BITS:
            return Misfit(value, f"{words} of at most {INT_BITS} bits")
        return None

    return TypeConstraint(words, check, classes)


def _union(several: Sequence[TypeConstraint]) -> TypeConstraint:
    """Allow any of several; of those that do not fit, the one that was nearest says why."""
    words = " or ".join(one.words for one in several)
    if all(one.classes for one in several):
        return _classes(tuple(kind for one in several for kind in one.classes), words)
    checks = [one.check for one in several if one.check is not None]
    if len(checks) < len(several):
        return TypeConstraint("anything")

    def check(value: Any) -> Misfit | None:
        nearest = Misfit(value, words)
        for each in checks:
            misfit = each(value)
            if misfit is None:
                return None
            if misfit.where or (misfit.known and isinstance(value, str)):
                nearest = misfit
        return nearest

    return TypeConstraint(words, check)


def _replace_words(plain: TypeConstraint, words: str) -> TypeConstraint:
    """Allow the same, and say in other words what that is; what is wrong inside a list is said as it was."""
    checks = plain.check
    if checks is None:
        return TypeConstraint(words)

    def check(value: Any) -> Misfit | None:
        misfit = checks(value)
        return misfit if misfit is None or misfit.where else replace(misfit, words=words)

    return TypeConstraint(words, check)


def _names(known: tuple[str, ...]) -> TypeConstraint:
    words = " or ".join(map(repr, known))
    return TypeConstraint(
        words,
        lambda value: (
            None if isinstance(value, str) and value in known else Misfit(value, words, known=known)
        ),
    )


def _build_list_constraint(kind: type, item: TypeConstraint) -> TypeConstraint:
    """Allow a list or the like and look at what is in it, unless it can be gone through only once."""
    words = f"a list, each {item.words}" if item.check is not None else "a list"

    def check(value: Any) -> Misfit | None:
        if isinstance(value, _SINGLE) or not isinstance(value, kind):
            return Misfit(value, words)
        if item.check is None or not isinstance(value, Collection):
            return None
        return _find_first_misfit(item.check, ((f"[{at}]", one) for at, one in enumerate(value)))

    return TypeConstraint(words, check)


def _find_first_misfit(check: Check, items: Iterable[tuple[str, Any]]) -> Misfit | None:
    for where, one in items:
        if (misfit := check(one)) is not None:
            return replace(misfit, where=where + misfit.where)
    return None


def _parts(several: Sequence[TypeConstraint]) -> TypeConstraint:
    words = f"a tuple of {', '.join(one.words for one in several)}"

    def check(value: Any) -> Misfit | None:
        if not isinstance(value, tuple) or len(value) != len(several):
            return Misfit(value, words)
        for at, (one, part) in enumerate(zip(several, value, strict=True)):
            if (
                one.check is not None
                and (misfit := _find_first_misfit(one.check, [(f"[{at}]", part)])) is not None
            ):
                return misfit
        return None

    return TypeConstraint(words, check)


def _mapping(key: TypeConstraint, item: TypeConstraint) -> TypeConstraint:
    words = f"a mapping from {key.words}" + (f" to {item.words}" if item.check is not None else "")

    def check(value: Any) -> Misfit | None:
        if not isinstance(value, Mapping):
            return Misfit(value, words)
        keys = key.check and _find_first_misfit(key.check, ((" has a key that", one) for one in value))
        return keys or (
            item.check
            and _find_first_misfit(item.check, ((f"[{name!r}]", one) for name, one in value.items()))
        )

    return TypeConstraint(words, check)


def _build_protocol_constraint(protocol: Any) -> TypeConstraint:
    """Allow what has the members of a protocol."""
    members = sorted(
        name
        for base in protocol.__mro__
        if base not in (object, Protocol) and getattr(base, "_is_protocol", False)
        for name in {**vars(base), **base.__annotations__}
        if not name.startswith("_")
    )
    words = f"a {protocol.__name__}, with {', '.join(members)}"

    def check(value: Any) -> Misfit | None:
        fits = not isinstance(value, type) and all(hasattr(value, name) for name in members)
        return None if fits else Misfit(value, words)

    return TypeConstraint(words, check)
