"""Arguments are checked against the annotations of what takes them, before anything is done: one way for every verb.

Knows functions and their parameters; what an annotation allows is in `allowed`.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, Unpack, get_args, get_origin, get_type_hints

from remanence.core.allowed import Check, Misfit, compile_annotation
from remanence.core.errors import InvalidInput, NameUnknown, format_value, suggest

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

_PLACES = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NO_PLACE = 1_000_000  # beyond any number of arguments
_RECEIVERS = ("self", "cls")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def validate_arguments(verb: F) -> F:
    """Let a function refuse what does not fit its annotations, with `InvalidInput`."""
    takes = _Takes(verb)

    if inspect.iscoroutinefunction(verb):

        @wraps(verb)
        async def later(*given: Any, **more: Any) -> Any:
            takes.check(given, more)
            return await verb(*given, **more)

        return later  # type: ignore[return-value] # has the same signature

    @wraps(verb)
    def now(*given: Any, **more: Any) -> Any:
        takes.check(given, more)
        return verb(*given, **more)

    return now  # type: ignore[return-value] # has the same signature


def checked_class(kind: C) -> C:
    """Let the constructor of a class and all its public methods check their arguments."""
    for name, member in list(vars(kind).items()):
        if inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, validate_arguments(member))
    return kind


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


@dataclass(frozen=True, slots=True)
class _Parameters:
    """A function's parameters: by place, by name with the place that each has too, and those that must be given.

    `further` stands for every name that is none of them, `rest` for all arguments beyond those that have a place. With
    `enough` arguments by place nothing is missing.
    """

    verb: str
    places: tuple[tuple[str, Check | None], ...]
    named: Mapping[str, tuple[int, Check | None]]
    further: tuple[int, Check | None]
    rest: tuple[str, Check | None] | None
    required: frozenset[str]
    enough: int

    def refuse_name(self, name: str) -> None:
        """Refuse a name that is no parameter, or whose argument was given by its place."""
        if name in self.named:
            raise InvalidInput(f"{self.verb} was given {name} twice", recovery="pass it by place or by name")
        raise InvalidInput(
            f"{self.verb} has no argument {format_value(name)}", recovery=suggest(name, sorted(self.named))
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


def _parameters(verb: Callable[..., Any]) -> _Parameters:
    """Compile the annotations of a function; whose method it is has none, and is not checked."""
    hints = get_type_hints(verb, include_extras=True)
    parameters = list(inspect.signature(verb).parameters.values())
    kinds = {one.name: hints.get(one.name, Any) for one in parameters}
    free = next((kinds.pop(one.name) for one in parameters if one.kind is one.VAR_KEYWORD), None)
    fields = get_type_hints(get_args(free)[0], include_extras=True) if get_origin(free) is Unpack else {}
    checks = {name: compile_annotation(kind).check for name, kind in {**kinds, **fields}.items()}
    places = [one.name for one in parameters if one.kind in _PLACES]
    order = {name: place for place, name in enumerate(places)}
    names = [one.name for one in parameters if one.kind in _NAMED and one.name not in _RECEIVERS]
    required = [one.name for one in parameters if one.name in names and one.default is one.empty]
    return _Parameters(
        verb=verb.__qualname__.removesuffix(".__init__").rpartition(".")[2],
        places=tuple((name, checks[name]) for name in places),
        named={name: (order.get(name, _NO_PLACE), checks[name]) for name in [*names, *fields]},
        further=(_NO_PLACE if free is not None and not fields else -1, None),
        rest=next(
            ((one.name, checks[one.name]) for one in parameters if one.kind is one.VAR_POSITIONAL), None
        ),
        required=frozenset(required),
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
