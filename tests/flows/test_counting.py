"""Memories are counted, and by the values of a column or an attribute, as `list` lists them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.flows.recall.counting import COUNTED, CountResult
from tests.flows.test_filters import KEPT

LONG = "y" * 65


def values(counted: CountResult) -> list[tuple[Any, int]]:
    """Return what was counted as pairs."""
    return [(one.value, one.memories) for one in counted.values]


async def fill(memory: remanence.Engine) -> None:
    """Learn some of each category and speaker."""
    for number in range(6):
        await memory.learn(
            f"The boat of {number}.",
            category=("fact", "task", None)[number % 3],
            speaker="Ann" if number % 2 else "Bo",
            tags=["boats"] if number < 4 else [],
            attributes={"ns": f"user/{number % 2}", "n": [number, "many"]},
            said_at=number * 1_000_000,
        )


async def test_memories_are_counted_by_a_column(memory: remanence.Engine) -> None:
    """The most frequent value first; narrowed like a list."""
    await fill(memory)
    await memory.forget(1)

    assert "5 memories" == str(await memory.count())
    assert [("Ann", 3), ("Bo", 2)] == values(await memory.count("speaker"))
    assert [("task", 2), (None, 2), ("fact", 1)] == values(await memory.count("category"))
    assert [("inbox", 5), ("pruned", 1)] == values(await memory.count("status", filters={"status": "any"}))
    assert [("Bo", 1)] == values(await memory.count("speaker", filters={"tags": ["boats"], "speaker": "Bo"}))
    assert 2 == (await memory.count(between=(1_000_000, 2_000_000))).total
    assert [(0, 5)] == values(await memory.count("pinned"))


async def test_memories_are_counted_by_an_attribute(memory: remanence.Engine) -> None:
    """Each item of a list counts; what lies beyond the limit is told."""
    await fill(memory)
    await memory.learn("The boat of nobody.", attributes={"ns": LONG, "n": True})
    by_name = await memory.count("attributes.ns")
    cut = await memory.count("attributes.n", limit=2)

    assert [("user/0", 3), ("user/1", 3), (f"{LONG[:64]}…", 1)] == values(by_name)
    assert [("many", 6), (0, 1)] == values(cut)
    assert (7, 6) == (cut.total, cut.left_out)
    assert [("user/1", 3)] == values(
        await memory.count("attributes.ns", filters={"attributes.ns": {"prefix": "user/1"}})
    )
    assert [(None, 7)] == values(await memory.count("attributes.nowhere"))
    assert str(cut).endswith("6 further values; a higher limit shows more")


async def test_what_cannot_be_counted_by_is_refused(memory: remanence.Engine) -> None:
    """With the nearest name that can."""
    for by in ("speakr", "attributes.", "text", "tokens", ""):
        with pytest.raises(NameUnknown, match="unknown column to count by"):
            await memory.count(by)
    with pytest.raises(InvalidInput, match="limit"):
        await memory.count(limit=0)
    with pytest.raises(NameUnknown, match="unknown filter 'text'"):
        await memory.count(filters={"text": "x"})


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    filters=st.fixed_dictionaries(
        {},
        optional={
            "status": st.sampled_from(["any", "inbox", "pruned"]),
            "category": st.sampled_from(["fact", ["fact", None], "entity"]),
            "attributes.project": st.sampled_from(
                ["atlas", None, {"gte": 1}, {"not": "atlas"}, {"prefix": "a"}]
            ),
        },
    ),
    by=st.sampled_from(["category", "status", "attributes.project", "kind", "speaker"]),
)
async def test_a_count_is_the_length_of_the_list(
    memory: remanence.Engine, filters: Mapping[str, Any], by: str
) -> None:
    """Whatever is asked for, and each column by the values that the listed memories have."""
    if not await memory.list(status="any", limit=1):
        for number, (name, attributes) in enumerate(KEPT.items()):
            await memory.learn(
                f"Ann met {name}.",
                key=name,
                attributes=attributes,
                category="fact" if number % 2 else None,
                speaker="Ann",
            )
        await memory.consolidate()  # which finds who is spoken of, as entities
        await memory.forget(["text", "list"])
    listed = await memory.list(filters=filters)
    counted = await memory.count(by, filters=filters)

    assert len(listed) == counted.total
    if not by.startswith("attributes."):
        held = Counter(getattr(getattr(one, by), "label", getattr(one, by)) for one in listed)
        assert dict(held) == dict(values(counted))
    assert by in COUNTED or by.startswith("attributes.")
