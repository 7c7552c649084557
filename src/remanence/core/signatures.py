"""Arguments are checked against the annotations of what takes them, before anything is done: one way for every verb.

Knows types, functions and their parameters; must not know who takes them, nor which values of a type are sensible.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, wraps
from itertools import zip_longest
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Protocol,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from remanence.core.errors import INT_BITS, InvalidInput, NameUnknown, format_value, suggest
from remanence.core.half_characters import counting_untold, mend_counted, untold_as_before
from remanence.core.synonyms import ARGUMENTS

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


F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

_PLACES = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NO_PLACE = 1_000_000  # beyond any number of arguments
_RECEIVERS = ("self", "cls")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def validate_arguments(verb: F) -> F:
    """Let a function refuse what does not fit its annotations, with `InvalidInput`."""
    takes, makes_value = _Takes(verb), verb.__name__ == "__init__"

    if inspect.iscoroutinefunction(verb):

        @wraps(verb)
        async def later(*given: Any, **more: Any) -> Any:
            with (
                counting_untold() as read_count
            ):  # an error tells what is wrong, the next answer is of another call
                takes.check(given, more)
                places, named = takes.mend(given, more)
                answer = await verb(*places, **named)
            return tell_mended(answer, count) if (count := read_count()) else answer

        return later  # type: ignore[return-value] # has the same signature

    @wraps(verb)
    def now(*given: Any, **more: Any) -> Any:
        takes.check(given, more)
        if makes_value:  # what it holds is mended, and told, by the verb that takes it
            return verb(*given, **more)
        with untold_as_before():  # its answer is no result, and the next one is about another call
            places, named = takes.mend(given, more)
            return verb(*places, **named)

    return now  # type: ignore[return-value] # has the same signature


def checked_class(kind: C) -> C:
    """Let the constructor of a class and all its public methods check their arguments."""
    for name, member in list(vars(kind).items()):
        if inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, validate_arguments(member))
    return kind


def tell_mended(answer: Any, count: int) -> Any:
    """Return an answer, or the first of a list, with a note that so many halves of characters were replaced."""
    if isinstance(answer, list) and answer:
        return [tell_mended(answer[0], count), *answer[1:]]
    with_mended = getattr(answer, "with_mended", None)
    return answer if with_mended is None else with_mended(count)


def _takes_path(annotation: Any) -> bool:
    return annotation is Path or any(map(_takes_path, get_args(annotation)))


class _Takes:
    """What a function takes, compiled at its first call: annotations may name what is defined below them."""

    def __init__(self, verb: Callable[..., Any]) -> None:
        self._verb = verb
        self._parameters: _Parameters | None = None

    def check(self, given: Sequence[Any], more: Mapping[str, Any]) -> None:
        """Refuse the first argument that does not fit, and one that is missing, unknown or too many."""
        takes = self._parameters
        if takes is None:
            takes = self._parameters = _parameters(self._verb)
        for (name, check), value in zip(takes.places, given, strict=False):
            if check is not None and (misfit := check(value)) is not None:
                raise _misfit_error(name, misfit)
        for name, value in more.items():
            place, check = takes.named.get(name, takes.further)
            if place < len(given):
                takes.refuse_name(name)
            if check is not None and (misfit := check(value)) is not None:
                raise _misfit_error(name, misfit)
        if not takes.enough <= len(given) <= len(takes.places):
            takes.check_complete(given, more)

    def mend(self, given: Sequence[Any], more: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Return arguments that were checked, with whole characters in all texts but the names of files."""
        takes = self._parameters
        assert takes is not None
        names = [name for name, _ in takes.places[: len(given)]]
        places = [
            value if name in takes.paths else mend_counted(value) for name, value in zip_longest(names, given)
        ]
        return places, {
            name: value if name in takes.paths else mend_counted(value) for name, value in more.items()
        }


@dataclass(frozen=True, slots=True)
class _Parameters:
    """A function's parameters: by place, by name with the place that each has too, and those that must be given.

    `further` stands for every name that is none of them, `rest` for all arguments beyond those that have a place. With
    `enough` arguments by place nothing is missing. `paths` may name files, whose names are not always whole characters.
    """

    verb: str
    places: tuple[tuple[str, Check | None], ...]
    named: Mapping[str, tuple[int, Check | None]]
    further: tuple[int, Check | None]
    rest: tuple[str, Check | None] | None
    required: frozenset[str]
    enough: int
    paths: frozenset[str]

    def refuse_name(self, name: str) -> None:
        """Refuse a name that is no parameter, or whose argument was given by its place."""
        if name in self.named:
            raise InvalidInput(f"{self.verb} was given {name} twice", recovery="pass it by place or by name")
        raise InvalidInput(
            f"{self.verb} has no argument {format_value(name)}",
            recovery=suggest(name, sorted(self.named), ARGUMENTS),
        )

    def check_complete(self, given: Sequence[Any], more: Mapping[str, Any]) -> None:
        """Refuse where an argument is missing, or has no place."""
        by_place = {name for name, _ in self.places[: len(given)]}
        if not self.required <= by_place | more.keys():
            missing = ", ".join(sorted(self.required - by_place - more.keys()))
            raise InvalidInput(f"{self.verb} needs {missing}", recovery=f"pass {missing}")
        if len(given) > len(self.places):
            self._check_rest(given[len(self.places) :])

    def _check_rest(self, values: Sequence[Any]) -> None:
        if self.rest is None:
            names = [name for name, _ in self.places if name in self.named]
            raise InvalidInput(
                f"{self.verb} takes {', '.join(names) or 'nothing'} by place, and no more",
                recovery=f"pass by name: {', '.join(name for name in self.named if name not in names) or 'nothing'}",
            )
        name, check = self.rest
        for at, value in enumerate(values):
            if check is not None and (misfit := check(value)) is not None:
                raise _misfit_error(f"{name}[{at}]", misfit)


def list_parameters(verb: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function, each with its annotation; the one reader of signatures, for every face.

    Each option of `**options: Unpack[Options]` is a parameter by name, whose default is None.
    """
    hints = get_type_hints(verb, include_extras=True)
    listed: list[inspect.Parameter] = []
    for one in inspect.signature(verb).parameters.values():
        annotation = hints.get(one.name, Any)
        if one.kind is one.VAR_KEYWORD and get_origin(annotation) is Unpack:
            options = get_type_hints(get_args(annotation)[0], include_extras=True)
            listed += [
                inspect.Parameter(name, one.KEYWORD_ONLY, default=None, annotation=kind)
                for name, kind in options.items()
            ]
        else:
            listed.append(one.replace(annotation=annotation))
    return listed


def _parameters(verb: Callable[..., Any]) -> _Parameters:
    """Compile the annotations of a function; whose method it is has none, and is not checked."""
    parameters = list_parameters(verb)
    checks = {one.name: compile_annotation(one.annotation).check for one in parameters}
    order = {one.name: place for place, one in enumerate(one for one in parameters if one.kind in _PLACES)}
    named = [one for one in parameters if one.kind in _NAMED and one.name not in _RECEIVERS]
    required = [one.name for one in named if one.default is one.empty]
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters)
    return _Parameters(
        verb=verb.__qualname__.removesuffix(".__init__").rpartition(".")[2],
        places=tuple((name, checks[name]) for name in order),
        named={one.name: (order.get(one.name, _NO_PLACE), checks[one.name]) for one in named},
        further=(_NO_PLACE if takes_any else -1, None),
        rest=next(
            ((one.name, checks[one.name]) for one in parameters if one.kind is one.VAR_POSITIONAL), None
        ),
        required=frozenset(required),
        paths=frozenset(one.name for one in parameters if _takes_path(one.annotation)),
        enough=max((order.get(name, _NO_PLACE) + 1 for name in required), default=0),
    )


def _misfit_error(name: str, misfit: Misfit) -> InvalidInput:
    where = name + misfit.where
    if misfit.known and isinstance(misfit.value, str):
        return NameUnknown(where, misfit.value, misfit.known)
    return InvalidInput(
        f"{where} must be {misfit.words}, not {format_value(misfit.value)}",
        recovery=f"pass {misfit.words} as {name}",
    )
