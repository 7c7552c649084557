"""Every type of answer is printed in every face: drawn by its fields, whole and without each part that may miss."""

import asyncio
import importlib
import io
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import TIME_MAX, ManualClock
from remanence.core.effects import ACTIONS
from remanence.core.local_time import OFFSET_MAX
from remanence.core.model import LearnResult, Link, Memory, RecallResult, Status, Tier
from remanence.core.receipt import Receipt
from remanence.core.results import Result, is_time
from remanence.core.score import Worth
from remanence.curate.explain import Explanation, RuleVerdict
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_report import Action, LeftAct, PlannedAct, PlanReport
from remanence.curate.policy.compiled import Policy, load
from remanence.curate.policy.document import PRESETS
from remanence.faces import show
from remanence.faces.dashboard import rendering
from remanence.faces.mcp import answers
from remanence.faces.style import Undoable
from remanence.flows.curate.scheduling import Timetable
from remanence.flows.inspect.inspect import ClockPace, Event, State
from remanence.flows.inspect.run_report import Act, RunReport
from remanence.flows.write.noting import NoteResult
from remanence.recall.frames import BUILTIN, Frame
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.test_public_types import faces, public
from tests.flows.test_results import kinds

DRAWN, DRAWN_DEEP = (
    2,
    60,
)  # of each type, so that the deep campaign prints above 5,000, each with its variants
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # what fails is named; there is nothing to shrink
TEXTS = st.sampled_from(
    ["The quay\nis wet.", "100% of {0} %s", "\x1b[31m\u202e\0", "#7 [1970-01-01] \N{OK HAND SIGN}", "7f"]
)
TIMES = st.sampled_from([0, 1_772_000_000_000_000, TIME_MAX - 1, -11_644_000_000_000_000])  # 1601 to 2254
COUNTS = st.sampled_from([1, 2, 7, 12_345, (1 << 53) - 1])
OFFSETS = st.sampled_from([0, 50_400, -OFFSET_MAX])
PLAIN: Mapping[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: COUNTS,
    float: st.sampled_from([0.25, 1.0, 12_345.5]),
    bool: st.just(value=True),
    bytes: st.just(b"\x00\xff"),
    Any: st.sampled_from([7, "quay", ["quay", 7.5, None], {"at": 7}, True]),
}


@cache
def odd_fields() -> Mapping[tuple[type, str], st.SearchStrategy[Any]]:
    """Return what draws fields whose type says less than the code that makes them."""
    verbs = st.sampled_from(["curate", "forget", "import"])
    actions = st.sampled_from([one.name for one in ACTIONS])
    pace = draw_kind(ClockPace)
    counts = st.dictionaries(TEXTS, COUNTS, max_size=2)
    cycle = {"scanned": COUNTS, "kept": COUNTS, "refused": counts, "deferred": st.integers(0, 2)}
    more = {"tokens": st.tuples(COUNTS, COUNTS), "freed": st.integers(-9, 9)}
    uses = st.fixed_dictionaries({"uses": COUNTS, "last_at": TIMES})
    return {
        (Memory, "accessors"): st.dictionaries(TEXTS, uses, min_size=1, max_size=2),
        (Receipt, "counts"): st.dictionaries(actions, COUNTS, min_size=1, max_size=2),
        (PlannedAct, "into"): st.tuples(COUNTS, COUNTS),  # as many as memories are drawn at most
        (RuleVerdict, "truth"): st.sampled_from(["true", "false", "unknown"]),
        (RunReport, "cycle"): st.fixed_dictionaries(cycle, optional=more),
        (State, "clocks"): st.fixed_dictionaries({"active": pace, "turns": pace}),
        **{(kind, "name"): actions for kind in (Act, Action, LeftAct, PlannedAct)},
        **{(kind, "verb"): verbs for kind in (Event, Receipt, RunReport)},
    }


# Parts that are there always, whatever their type says, or together with another one.
ALWAYS = frozenset({(PlanReport, "tokens_after"), (State, "clocks"), (Timetable, "next"), (Worth, "reasons")})


@cache
def made_answers() -> Mapping[type, Sequence[Any]]:
    """Return answers whose parts are checked against each other, so that none is drawn by its fields."""

    async def plan() -> list[Plan]:
        clock = ManualClock()
        async with remanence.open(store=MemoryStore(), embedder="none", clock=clock) as memory:
            await memory.learn([f"The boat {number} lies at the quay." for number in range(9)])
            await memory.consolidate()
            clock.advance(days=900)
            return [await memory.plan(preset) for preset in PRESETS]

    whole = replace(BUILTIN["task"], limit=7, window_hours=7.5, clock="turns", profile=True)
    return {
        Frame: [*BUILTIN.values(), whole],
        Plan: asyncio.run(plan()),
        Policy: [load(preset) for preset in PRESETS],
    }


def answer_types() -> list[type[Any]]:
    """Return every class of answers that the package has, in whichever module."""
    for module in pkgutil.walk_packages(remanence.__path__, "remanence."):
        if ".integrations" not in module.name:
            importlib.import_module(module.name)

    def list_below(kind: type[Any]) -> Iterator[type[Any]]:
        one: type[Any]
        for one in kind.__subclasses__():
            yield one
            yield from list_below(one)

    # A class with slots takes the place of the one that it was made of, which is still there.
    found: set[type[Any]] = {
        kind for kind in list_below(Result) if vars(sys.modules[kind.__module__]).get(kind.__name__) is kind
    }
    return sorted(found, key=lambda kind: kind.__name__)


@cache
def draw_kind(kind: type) -> st.SearchStrategy[Any]:
    """Return what draws a dataclass of which every part is there."""
    hints = get_type_hints(kind)
    odd = {} if kind is ClockPace else odd_fields()
    own = [
        one.name for one in fields(kind) if kind in get_args(hints[one.name])
    ]  # such as that of other scopes
    plain = st.builds(
        kind,
        **{
            one.name: odd[kind, one.name] if (kind, one.name) in odd else draw_hint(hints[one.name], one.name)
            for one in fields(kind)
            if one.init and one.name not in own
        },
    )
    if not own:
        return plain
    return st.builds(lambda one, other: replace(one, **dict.fromkeys(own, (other,))), plain, plain)


def draw_hint(hint: Any, name: str) -> st.SearchStrategy[Any]:
    """Return what draws values of a type, none of them empty; a type that nothing here draws is an error."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of(*(draw_hint(one, name) for one in inner if one is not NoneType))
    if origin is Literal:
        return st.sampled_from([one for one in inner if one != ""])
    if origin is tuple and ... not in inner:
        return st.tuples(*(draw_hint(one, name) for one in inner))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        values = draw_hint(inner[1], "at" if is_time(name) else "")
        return st.dictionaries(draw_hint(inner[0], ""), values, min_size=1, max_size=2)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return st.lists(draw_hint(inner[0], name), min_size=1, max_size=2).map(tuple)
    if hint in PLAIN:
        by_name = OFFSETS if name == "said_offset" else TIMES if is_time(name) else PLAIN[hint]
        return by_name if hint is int else PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    if isinstance(hint, type) and is_dataclass(hint):
        return st.deferred(lambda: draw_kind(hint))
    raise TypeError(f"nothing draws {name}: {hint}")


def list_missing(one: Field[Any], hint: Any) -> list[Any]:
    """Return what a field is where its part is missing: its default, None, or empty."""
    origin, inner = get_origin(hint), get_args(hint)
    values: list[Any] = [] if one.default is MISSING else [one.default]
    values += [] if one.default_factory is MISSING else [one.default_factory()]
    values += [None] if NoneType in inner else []
    values += [hint()] if hint in (str, bool, float) or (hint is int and not is_time(one.name)) else []
    values += [""] if origin is Literal and "" in inner else []
    if isinstance(origin, type) and issubclass(origin, Mapping):
        values.append({})
    elif isinstance(origin, type) and issubclass(origin, Sequence) and (origin is not tuple or ... in inner):
        values.append(())
    return values


def vary(answer: Any) -> Iterator[Any]:
    """Yield an answer, the same without each part that may be missing, and without all of them."""
    yield answer
    hints = get_type_hints(type(answer))
    missing: dict[str, Any] = {}
    for one in fields(answer):
        if one.init and (type(answer), one.name) not in ALWAYS:
            for value in list_missing(one, hints[one.name]):
                missing[one.name] = value
                yield replace(answer, **{one.name: value})
    yield replace(answer, **missing)


REMEMBERED = Memory(7, "7f" * 16, "default", "The quay is wet.", Status.ACTIVE, Tier.HOT, 0, 0, 0, 0, b"")
EXPLAINED = Explanation(7, 0, "default", "stays", ())
# What an agent is told over MCP, and what the dashboard makes of an answer, by its type.
PRINTERS: Mapping[type, Sequence[Callable[[Any], str]]] = {
    Event: (lambda one: answers.render_memory(REMEMBERED, {}, [], [one], EXPLAINED),),
    Explanation: (lambda one: answers.render_memory(REMEMBERED, {}, [], [], one),),
    LearnResult: (answers.render_learn_result, lambda one: answers.render_learn_result(one, ["masked"])),
    Link: (lambda one: answers.render_memory(REMEMBERED, {one.target: REMEMBERED}, [one], [], EXPLAINED),),
    Memory: (
        lambda one: answers.render_newest([one], None, is_whole=False),
        lambda one: answers.render_newest([one], 1, is_whole=True),
        lambda one: answers.render_memory_as_of(one, is_withheld=False),
        lambda one: answers.render_memory(one, {}, [], [], EXPLAINED),
        lambda one: answers.render_forget_plan("p1", [one], {"#7": "pinned"}),
    ),
    NoteResult: (answers.render_note_result,),
    PlanReport: (lambda one: answers.render_waiting_plan("p1", one),),
    RecallResult: (answers.render_recall_result, lambda one: answers.render_recall_result(one, 4_000)),
    Receipt: (lambda one: answers.render_receipts([one, one], ["#7: held"]), answers.render_undo_result),
    Worth: (rendering.describe_worth,),
}


def print_everywhere(answer: Any) -> None:
    """Print an answer in each face that shows answers of its type."""
    line, plain = repr(answer), answer.to_dict()

    assert isinstance(str(answer), str) and line.isprintable()
    assert plain == json.loads(json.dumps(plain))
    for result in (answer, [answer], Undoable(answer, "remanence undo last")):
        json.loads(show.document(result))
        show.is_well(result)
        with redirect_stdout(io.StringIO()):
            show.write(result)
        for one in show.lines(result):
            one.wrap_lines(40).render_ansi()
    for kind, printers in PRINTERS.items():
        for printer in printers if isinstance(answer, kind) else ():
            assert isinstance(printer(answer), str)


def print_drawn(kind: type, data: st.DataObject) -> None:
    """Print an answer of a type that is drawn, and the same without parts."""
    if kind in made_answers():
        print_everywhere(data.draw(st.sampled_from(made_answers()[kind])))
        return
    for one in vary(data.draw(draw_kind(kind))):
        print_everywhere(one)


TYPES = answer_types()


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
@settings(max_examples=DRAWN, phases=PHASES)
@given(data=st.data())
def test_an_answer_is_printed_in_every_face(kind: type, data: st.DataObject) -> None:
    """Whole, and without each part that may be missing."""
    print_drawn(kind, data)


@pytest.mark.deep
@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
@settings(max_examples=DRAWN_DEEP, phases=PHASES)
@given(data=st.data())
def test_an_answer_is_printed_in_every_face_deep(kind: type, data: st.DataObject) -> None:
    """The same with 60 of each type."""
    print_drawn(kind, data)


def test_every_answer_of_a_verb_is_printed() -> None:
    """What a public verb returns is a type that is drawn here."""
    verbs = [verb for face in faces() for verb in public(face)]
    returned = {one for verb in verbs for one in kinds(get_type_hints(verb).get("return"))}

    assert len(TYPES) * DRAWN_DEEP > 5_000
    assert set() == {one for one in returned if issubclass(one, Result)} - {*TYPES}
