"""What a function's annotations do not allow is refused before it runs, in words that say what to pass."""

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Protocol, TypedDict, Unpack

import pytest

from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.signatures import checked_class, validate_arguments


class Answers(Protocol):
    """Something with a name that answers."""

    name: str

    def answer(self) -> str:
        """Answer."""
        ...


class Owl:
    """Has what `Answers` asks for."""

    name = "owl"

    def answer(self) -> str:
        """Answer."""
        return "yes"


class Fields(TypedDict, total=False):
    """Further names."""

    colour: str
    height: Annotated[float | None, "a height in metres"]


def _act(
    one: int | str,
    *rest: str,
    many: Sequence[str] = (),
    pair: tuple[int, float] | None = None,
    table: Mapping[str, Mapping[str, int]] | None = None,
    way: Literal["left", "right"] | None = None,
    call: Callable[[int], None] | None = None,
    **more: Unpack[Fields],
) -> Any:
    """Take one of each."""
    return one, rest, many, pair, table, way, call, more


def _take(items: Iterable[int | str | Sequence[bytes]], who: Answers | None = None, on: bool = False) -> None:
    """Take more."""


def _walk(
    steps: Annotated[int | Sequence[int], "steps, few or many"], further: Annotated[Any, "x"] = 1
) -> Any:
    """Take what is said in other words."""
    return steps, further


# A type checker keeps these out; whoever runs none is to hear as much.
act: Any = validate_arguments(_act)
take: Any = validate_arguments(_take)
walk: Any = validate_arguments(_walk)
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "another type": (lambda: act(5.0), "one must be a whole number or a text, not 5.0"),
    "True is no number": (lambda: act(True), "one must be a whole number or a text, not True"),
    "more than a store can keep": (lambda: act(2**63), "of at most 64 bits, not 9223372036854775808"),
    "a number too long to write": (lambda: act(10**5_000), "not a number of 16,610 bits"),
    "among the rest": (lambda: act(1, "a", 2), r"rest\[1\] must be a text, not 2"),
    "one text for many": (lambda: act(1, many="abc"), "many must be a list, each a text, not 'abc'"),
    "one among many": (lambda: act(1, many=["a", None]), r"many\[1\] must be a text, not None"),
    "a tuple too short": (lambda: act(1, pair=(1,)), "pair must be .* not a tuple"),
    "a part of a tuple": (lambda: act(1, pair=(1, "x")), r"pair\[1\] must be a number, not 'x'"),
    "a key of a mapping": (lambda: act(1, table={1: {}}), "table has a key that must be a text, not 1"),
    "deep in a mapping": (
        lambda: act(1, table={"a": {"b": None}}),
        r"table\['a'\]\['b'\] must be a whole number, not None",
    ),
    "no mapping": (lambda: act(1, table=[]), "table must be a mapping .*, not a list"),
    "no function": (lambda: act(1, call=5), "call must be a function or None, not 5"),
    "a name that is not known": (lambda: act(1, way="lift"), "unknown way 'lift'"),
    "no name at all": (lambda: act(1, way=5), "way must be 'left' or 'right' or None, not 5"),
    "a field of another type": (
        lambda: act(1, height="tall"),
        "height must be a height in metres, not 'tall'",
    ),
    "other words": (lambda: walk("x"), "steps must be steps, few or many, not 'x'"),
    "other words, of one of several": (
        lambda: walk([1, None]),
        r"steps\[1\] must be a whole number, not None",
    ),
    "an unknown field": (lambda: act(1, color="red"), "_act has no argument 'color'"),
    "nothing": (lambda: act(), "_act needs one"),
    "twice": (lambda: act(1, one=1), "_act was given one twice"),
    "too many by place": (
        lambda: take([], None, False, 5),
        "_take takes items, who, on by place, and no more",
    ),
    "another type among several": (lambda: take([["x"]]), r"items\[0\]\[0\] must be bytes, not 'x'"),
    "a class, not one of it": (
        lambda: take([], Owl),
        "who must be a Answers, with answer, name or None, not a type",
    ),
    "no flag": (lambda: take([], on=1), "on must be True or False, not 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused(name: str) -> None:
    """The message names the argument, what would fit and what was given; the recovery says what to do."""
    call, message = WRONG[name]

    with pytest.raises(InvalidInput, match=message) as refused:
        call()

    assert refused.value.recovery


def test_the_nearest_name_is_offered() -> None:
    """For a wrong name, and for a wrong value among named ones."""
    with pytest.raises(InvalidInput) as field:
        act(1, color="red")
    with pytest.raises(NameUnknown) as value:
        act(1, way="lift")

    assert ("did you mean 'colour'?", "did you mean 'left'?") == (field.value.recovery, value.value.recovery)


def test_what_fits_goes_through() -> None:
    """A whole number is a number, and what can be gone through once is not used up by looking."""
    given = act(1, "a", many=["x"], pair=(1, 2), table={"a": {"b": 1}}, way="left", height=3)
    left = iter([1, "a", [b"x"]])
    take(left, Owl(), on=True)

    assert ([1, 2], None) == walk([1, 2], None)
    assert (1, ("a",), ["x"], (1, 2), {"a": {"b": 1}}, "left", None, {"height": 3}) == given
    assert 1 == next(left)


def test_a_coroutine_stays_one_and_complains_when_it_is_awaited() -> None:
    """So that what gathers calls gets the complaint from the call it belongs to."""

    @validate_arguments
    async def later(number: int) -> int:
        return number

    call = later("x")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="number must be a whole number"):
        asyncio.run(call)

    assert inspect.iscoroutinefunction(later)
    assert 5 == asyncio.run(later(5))


def test_a_class_checks_its_constructor_and_its_public_methods() -> None:
    """Copies are made by the same constructor; what is private is its own business."""

    @checked_class
    @dataclass(frozen=True, slots=True)
    class Box:
        size: int = 1

        def put(self, thing: str) -> str:
            return self._kept(thing)

        def _kept(self, thing: str) -> str:
            return thing

    with pytest.raises(InvalidInput, match="size must be a whole number"):
        replace(Box(), size="large")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="Box has no argument 'sise'"):
        Box(sise=1)  # type: ignore[call-arg]
    with pytest.raises(InvalidInput, match="thing must be a text"):
        Box(2).put(5)  # type: ignore[arg-type]

    assert 5 == Box()._kept(5)  # type: ignore[arg-type]
