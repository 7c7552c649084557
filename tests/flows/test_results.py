"""What a verb answers is short where it is shown, data where it is kept, and knows its times as Python does."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import remanence
from remanence.core.clock import ManualClock, to_datetime
from remanence.core.results import LINE_CHARS, MaybeTime, Result, Time, is_time
from tests.flows.test_public_types import faces, public

SAID = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
EVIL = "Open\x1b[31m the door\n[#1 2026-01-01] to nobody\u202e."
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def answers(memory: remanence.Engine, clock: ManualClock, tmp_path: Path) -> dict[str, Any]:
    """One of each answer."""
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"role": "user", "text": "Bring soup."}\n', encoding="utf-8")
    one = await memory.learn(
        EVIL,
        speaker="Ann",
        said_at=SAID,
        tags=["door"],
        attributes={"at": 5, "left_at": 7, "deep": {"until": 1}},
    )
    two = await memory.learn("The door is green.", speaker="Ann")
    ingested = await memory.ingest(talk)
    consolidated = await memory.consolidate()
    await memory.hold(one, "audit", until=clock.now() + 10**9)
    await memory.begin_session()
    link = await memory.link(one, two, "contradicts")
    recalled = await memory.recall("the door", limit=1, budget=20)
    plan = await memory.plan("elfmem")
    receipt = await memory.pin([one, two])
    return {
        "learned": one,
        "ingested": ingested,
        "consolidated": consolidated,
        "link": link,
        "recalled": recalled,
        "frame": await memory.frame("task", "the door"),
        "boot": await memory.frame("boot"),
        "memory": await memory.get(one),
        "hit": (await memory.recall("the door")).memories[0],
        "plan": plan,
        "described": plan.describe(),
        "actions": list(plan.actions()),
        "receipt": receipt,
        "undone": await memory.undo(receipt),
        "rated": await memory.rate([one, "nobody"], 1.0),
        "explanation": await memory.explain(one, "elfmem"),
        "events": await memory.history(),
        "report": await memory.history(run=receipt),
        "state": await memory.status(),
        "checks": await memory.doctor(),
        "setting": await memory.settings.get(),
        "guide": memory.guide(),
        "review": await memory.review.list(),
        "frames": await memory.frames.get(),
        "policy": memory.policy.current,
    }


def results(value: Any) -> Iterator[Any]:
    """Yield a result and all results that it holds."""
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for one in fields(value):
            yield from results(getattr(value, one.name))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from results(one)


async def test_a_result_is_one_line_at_a_prompt(answers: dict[str, Any]) -> None:
    """However much it holds, and whatever its text would do to a terminal."""
    every = [one for answer in answers.values() for one in results(answer) if isinstance(one, Result)]

    assert len(every) > 40
    for one in every:
        shown = repr(one)
        assert shown.isprintable() and len(shown) <= LINE_CHARS + 30, shown
        assert shown.startswith(f"<{type(one).__name__} ") and shown.endswith(">"), shown


async def test_a_result_is_data_that_json_takes(answers: dict[str, Any]) -> None:
    """With enumerations by name and times as ISO 8601 writes them; what is packed is left out."""
    for answer in answers.values():
        for one in [answer] if isinstance(answer, Result) else answer:
            assert json.loads(json.dumps(one.to_dict())) == one.to_dict()
    memory, link = answers["memory"].to_dict(), answers["link"].to_dict()

    assert (SAID.isoformat(), "active", None) == (
        memory["said_at"],
        memory["status"],
        memory["reinforced_at"],
    )
    assert ["audit"] == list(memory["holds"]) and memory["hold_until"] == memory["holds"]["audit"]
    assert {"fingerprint", "use_days", "use_day"}.isdisjoint(memory)
    assert ("contradicts", answers["link"].revision) == (link["relation"], link["revision"])


async def test_attributes_are_given_back_as_they_are(answers: dict[str, Any]) -> None:
    """A number of the caller's is no time, whatever it is called."""
    assert {"at": 5, "left_at": 7, "deep": {"until": 1}} == answers["memory"].to_dict()["attributes"]


async def test_times_are_there_as_python_has_them(answers: dict[str, Any]) -> None:
    """Under the name with `_time` for `_at`; what never was is None."""
    memory = answers["memory"]

    assert (SAID, None) == (memory.said_time, memory.reinforced_time)
    assert to_datetime(memory.hold_until) == memory.hold_until_time
    assert to_datetime(answers["receipt"].at) == answers["receipt"].time
    assert to_datetime(answers["link"].created_at) == answers["link"].created_time
    assert UTC == memory.learned_time.tzinfo


async def test_every_time_of_a_result_is_there(answers: dict[str, Any]) -> None:
    """Each field of microseconds has its datetime; of a report that has two, the time is that of the run."""
    kinds = {type(one) for answer in answers.values() for one in results(answer) if isinstance(one, Result)}
    missing = {
        f"{kind.__name__}.{one.name}"
        for kind in kinds
        for one in fields(kind)  # type: ignore[arg-type] # every result is a dataclass
        if is_time(one.name) and not isinstance(vars(kind).get(told(one.name)), Time | MaybeTime)
    }

    assert set() == missing


def told(name: str) -> str:
    """Return under which name the datetime of a field is."""
    if name in ("at", "now"):
        return "time"
    return name.removesuffix("_at") + "_time"


async def test_what_a_person_prints_is_what_it_says(answers: dict[str, Any]) -> None:
    """A memory is its number, day, speaker and text; an answer is its text; nothing steers the terminal."""
    assert (
        "#1 2026-03-01 Ann: Open\N{REPLACEMENT CHARACTER}[31m the door [#1 2026-01-01] to nobody"
        "\N{REPLACEMENT CHARACTER}." == str(answers["memory"])
    )
    assert ("active", "active ", 1) == (
        str(answers["memory"].status),
        f"{answers['memory'].status:7}",
        answers["memory"].status,
    )
    assert answers["frame"].text == str(answers["frame"])
    assert list(answers["frame"].memories) == list(answers["frame"])
    assert len(answers["frame"].memories) == len(answers["frame"])
    score, line = str(answers["hit"]).split(" ", 1)
    assert f"{answers['memory']} (stands above #2: it holds instead)" == line
    assert f"{answers['hit'].score:.3f}" == score
    assert f"stored #1 {answers['learned'].id}" == str(answers["learned"])
    assert f"pin: pin 2 (2 changes, run {answers['receipt'].run})" == str(answers["receipt"])
    assert "#1 contradicts #2, weight 0.60, seen 1×" == str(answers["link"])
    assert "1 memory rated; not nobody: unknown" == str(answers["rated"])
    assert "3 memories active, 0 near-duplicate and 1 similar pairs linked" == str(answers["consolidated"])
    assert str(answers["state"]).startswith("scope 'default': 3 memories (active 3), 2 links; policy none")


async def test_an_open_memory_says_whose_it_is(memory: remanence.Engine) -> None:
    """At a prompt, with and without await."""
    plain = remanence.sync.open(scope="desk")
    shown = repr(plain)
    plain.close()

    assert ["<Engine of scope 'default'>", "<Engine of scope 'desk'>"] == [repr(memory), shown]


async def test_an_answer_without_memories_says_so(memory: remanence.Engine) -> None:
    """Nothing printed would look like a fault."""
    answer = await memory.recall("the door")

    assert not answer and [] == list(answer)
    assert "nothing here answers this well" == str(answer)
    assert "<RecallResult 'the door': 0 memories, strength 0.00, 7 tokens>" == repr(answer)


def test_whatever_a_verb_answers_is_a_result() -> None:
    """Every class of ours that a public verb returns, alone or in a list."""
    returned = {
        kind
        for face in faces()
        for verb in public(face)
        for kind in kinds(get_type_hints(verb).get("return"))
    }
    namespaces = set(faces())

    assert remanence.Memory in returned
    assert set() == {kind for kind in returned - namespaces if not issubclass(kind, Result)} - {
        remanence.Embedder
    }


def kinds(hint: Any) -> Iterator[type]:
    """Yield the classes of ours in what a verb returns."""
    if isinstance(hint, type) and hint.__module__.startswith("remanence."):
        yield hint
    for one in get_args(hint):
        yield from kinds(one)
