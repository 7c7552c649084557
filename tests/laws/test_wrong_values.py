"""Whatever is passed to a public verb: it does its work, or says in an error of ours what to pass instead."""

import asyncio
import inspect
from asyncio import Event
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.keywords import Columns, Editable
from remanence.core.model import Kind, Turn
from remanence.curate.planner.plan import Plan
from remanence.curate.policy.compiled import load
from remanence.engine import Engine
from remanence.recall.frames import FrameDefinition
from remanence.store.base import Find

CALLS = 20  # an example; so 20,000 in the deep campaign
DEEP = 1_000
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # what fails is named; there is nothing to shrink
# The arguments that a verb must have; each is right, so that the one that is drawn is the only one that may be wrong.
RIGHT: Mapping[str, Any] = {
    "text": "The tide bell rings at six.",
    "command": "learn",
    "turn": "I always row out at six.",
    "items": ["The dry dock opens on Monday."],
    "path": "nowhere/at-all",
    "key": "kk",
    "query": "tide bell",
    "name": "a",
    "names": "a",
    "reason": "audit",
    "verdict": "helped",
    "old": "a",
    "by": "b",
    "source": "a",
    "target": "b",
    "relation": "supports",
    "plan": None,
    "keep_recent": 10**9,
    "policy": "default",
    "run": "0" * 32,
    "lines": [],
    "a": "a",
    "b": "b",
    "value": 7,
    "document": "",
    "keep": "a",
    "other": "b",
    "item": ("a", "b"),
    "choice": "both",
    "to": "elsewhere",
    "stop": Event(),
}
RIGHT["stop"].set()  # a daemon ends before its first tick
FIELDS = sorted(Turn.__dataclass_fields__.keys() - {"text", "key"})
# What a verb takes besides the parameters that it names.
FURTHER: Mapping[str, tuple[str, ...]] = {
    "learn": (*FIELDS, "key"),
    "put": tuple(FIELDS),
    "update": tuple(Editable.__annotations__),
    "list": tuple(Columns.__annotations__),
    "frames.set": tuple(FrameDefinition.__annotations__),
}
# Callbacks are the caller's code, and what they raise is theirs; `close` would end the campaign.
LEFT_OUT = {"progress", "self", "tell"}
CLOSING = {"close"}


class Unprintable:
    """A value whose own description fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no description")


ODD: tuple[Any, ...] = (
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\ud800",
        "a" * 100_001,
        "\x1b[31mred",
        "\u202eevil",
        "x" * 300,
        "a\nb",
        "é" * 201,
        "a",
    ),
    *(
        "'; DROP TABLE memories; --",
        '"',
        "*",
        "NEAR(a b)",
        "\u2028",
        "[" * 3_000,
        "default",
        "nowhere.toml",
        "2026-01-01",
    ),
    *(None, True, False, 0, -1, 5, 2**63, 2**64, 10**40, -(10**40), 10**5_000, 5.5, -0.0, 1e308),
    *(float("nan"), float("inf"), Decimal("0.5"), 1j, b"", b"x", bytearray(b"x"), date(2026, 1, 1)),
    *(datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC), datetime.min.replace(tzinfo=UTC)),  # noqa: DTZ001
    *(
        [],
        {},
        (),
        set(),
        {"a"},
        [None],
        [[]],
        ("a",),
        (1, 2),
        {"a": 1},
        {1: 2},
        {"a": {"b": object()}},
        {"\ud800": 1},
    ),
    *(
        object(),
        Unprintable(),
        [Unprintable()],
        object,
        Kind.EPISODIC,
        Kind,
        np.int64(3),
        np.arange(3),
        Path("x\0"),
    ),
    *(lambda: 0, iter([5, None]), (one for one in ("x", 5)), Find(), Turn("What was said."), Plan),
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.datetimes()
ANYTHING = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(LEAVES, inner), max_leaves=8)
VALUES = st.sampled_from(ODD) | ANYTHING


@dataclass(frozen=True)
class Verb:
    """A public verb by its path from the engine, with its parameters and those that must be given."""

    name: str
    takes: tuple[str, ...]
    needs: tuple[str, ...]

    def of(self, memory: Engine) -> Callable[..., Any]:
        """Return the verb of an open memory."""
        found: Any = memory
        for part in self.name.split("."):
            found = getattr(found, part)
        assert callable(found)
        return found  # type: ignore[no-any-return] # what is found by name has no type


def verbs(spaces: Sequence[str] = ("frames", "review", "settings")) -> list[Verb]:
    """List every public verb of an engine and of what it offers as these properties."""
    made = remanence.open(":memory:", embedder="none")
    places = [("", made), *((f"{space}.", getattr(made, space)) for space in spaces)]
    return [
        _verb(f"{place}{name}", getattr(thing, name))
        for place, thing in places
        for name in dir(type(thing))
        if not name.startswith("_") and name not in CLOSING and callable(getattr(thing, name))
    ]


def _verb(name: str, verb: Callable[..., Any]) -> Verb:
    parameters = inspect.signature(verb).parameters.values()
    named = [one for one in parameters if one.kind is not one.VAR_KEYWORD and one.name not in LEFT_OUT]
    needs = tuple(
        one.name for one in named if one.default is one.empty and one.kind is not one.VAR_POSITIONAL
    )
    return Verb(name, (*(one.name for one in named), *FURTHER.get(name, ()), "nope"), needs)


VERBS = verbs()
CALL = st.sampled_from([(verb, name) for verb in VERBS for name in verb.takes]).flatmap(
    lambda call: st.tuples(st.just(call[0]), st.just(call[1]), VALUES)
)


async def outcome(memory: Engine, verb: Verb, name: str, value: Any) -> str:
    """Call a verb with one argument of that value; say what came out of it that should not have."""
    more = {one: RIGHT[one] for one in verb.needs}
    given: tuple[Any, ...] = ()
    if name == "tags" and verb.name in {"tag", "untag"}:
        given, more = (more["names"], value), {}
    elif name == "path" and isinstance(value, str) and "\0" not in value:
        more[name] = f"nowhere/{value}"  # a wrong path may become a file
    else:
        more[name] = value
    return await told(lambda: verb.of(memory)(*given, **more))


async def told(act: Callable[[], Any]) -> str:
    """Do something; say which error came out that is none of ours, or says no way out."""
    try:
        done = act()
        if inspect.isawaitable(done):
            await done
        elif inspect.isasyncgen(done):
            await anext(done)
    except remanence.RemanenceError as error:
        return "" if error.recovery and str(error) else "without a way out"
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is told
        return f"{type(error).__name__}: {error}"
    return ""


async def campaign(calls: list[tuple[Verb, str, Any]]) -> tuple[list[str], list[str]]:
    """Make calls on a memory of two; return what came out that should not have, and what is damaged then."""
    async with remanence.open(":memory:", embedder="hashed") as memory:
        await memory.learn("Pia is allergic to latex.", key="a")
        await memory.learn("The open day starts at four.", key="b")
        wrong = [
            f"{verb.name}({name}): {said}"
            for verb, name, value in calls
            if (said := await outcome(memory, verb, name, value))
        ]
        checks = await memory.doctor()
    return wrong, [one.name for one in checks if not one.ok]


@settings(phases=PHASES)
@given(st.lists(CALL, min_size=CALLS, max_size=CALLS))
def test_a_wrong_value_is_refused_in_our_words(calls: list[tuple[Verb, str, Any]]) -> None:
    """A verb does its work or raises an error of the tree with a way out, and what is kept stays whole."""
    assert ([], []) == asyncio.run(campaign(calls))


@pytest.mark.deep
@settings(max_examples=DEEP, phases=PHASES)
@given(st.lists(CALL, min_size=CALLS, max_size=CALLS))
def test_a_wrong_value_is_refused_in_our_words_deep(calls: list[tuple[Verb, str, Any]]) -> None:
    """The same with 20,000 values."""
    assert ([], []) == asyncio.run(campaign(calls))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
async def test_each_odd_value_for_each_parameter(verb: Verb) -> None:
    """None of the values that once got through does so again, whatever is drawn."""
    wrong, damaged = await campaign([(verb, name, value) for name in verb.takes for value in ODD])

    assert ([], []) == (wrong, damaged)


@pytest.mark.parametrize("name", ["path", "scope", "agent", "policy", "clock", "embedder", "writer", "store"])
async def test_a_memory_is_not_opened_with_a_wrong_value(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What opens a memory checks its arguments as a verb does."""
    monkeypatch.chdir(tmp_path)

    async def opened(value: object) -> None:
        async with remanence.open(**{"embedder": "hashed", name: value}):  # type: ignore[arg-type]
            pass

    assert [] == [said for value in ODD if (said := await told(lambda value=value: opened(value)))]  # type: ignore[misc]


CONDITION = st.text("()[]{},.'\"=<>!&|+-*/%~@:;\\\n\t01239 aeinorst_μ", max_size=60) | st.text(max_size=30)


@given(CONDITION, CONDITION, VALUES)
def test_a_wrong_policy_is_a_policy_error(where: str, order: str, top: object) -> None:
    """Whatever stands in a rule's conditions and numbers: it compiles, or it is refused as a policy."""
    rule = {"where": where, "order": order, "top": top}
    for key, value in rule.items():
        with suppress(remanence.PolicyError):
            load("default", {"store-budget": {key: value}})
