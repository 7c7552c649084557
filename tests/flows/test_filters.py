"""Recalls and lists are narrowed by status, tags, columns and attributes alike, on both stores."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.attributes import WANTED_MAX, parse_attribute_filter, value_of
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.model import Status, Turn
from remanence.core.snapshot import Snapshot
from remanence.flows.indexes import attribute_index
from remanence.flows.indexes.attribute_index import AttributeIndex
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.conftest import Opener

LONG = "x" * 1_000_000
# name → attributes
KEPT: Mapping[str, Mapping[str, Any] | None] = {
    "text": {"project": "atlas"},
    "capital": {"project": "Atlas"},
    "list": {"project": ["atlas", "boat", 3, None, ["deep"]]},
    "empty list": {"project": []},
    "mapping": {"project": {"atlas": "atlas"}},
    "whole": {"project": 3},
    "float": {"project": 3.0},
    "text of a number": {"project": "3"},
    "true": {"project": True},
    "one": {"project": 1},
    "null": {"project": None},
    "another": {"other": "atlas"},
    "dotted": {"project.name": "atlas"},
    "quoted": {'say "hi"\\': "atlas", "ключ": "ё"},
    "long": {"project": LONG},
    "nothing": None,
}
ABSENT = {"null", "another", "dotted", "quoted", "nothing"}
# filter → the names of what it lets through
ASKED: list[tuple[dict[str, Any], set[str]]] = [
    ({"attributes.project": "atlas"}, {"text", "list"}),
    ({"attributes.project": ["atlas", "Atlas"]}, {"text", "capital", "list"}),
    ({"attributes.project": ("boat",)}, {"list"}),
    ({"attributes.project": "deep"}, set()),
    ({"attributes.project": 3}, {"list", "whole", "float"}),
    ({"attributes.project": 3.0}, {"list", "whole", "float"}),
    ({"attributes.project": "3"}, {"text of a number"}),
    ({"attributes.project": True}, {"true"}),
    ({"attributes.project": 1}, {"one"}),
    ({"attributes.project": False}, set()),
    ({"attributes.project": None}, ABSENT),
    ({"attributes.project": [None, "Atlas"]}, ABSENT | {"capital"}),
    ({"attributes.project": LONG}, {"long"}),
    ({"attributes.project": LONG + "x"}, set()),
    ({"attributes.project.name": "atlas"}, {"dotted"}),
    ({'attributes.say "hi"\\': "atlas"}, {"quoted"}),
    ({"attributes.ключ": {"ё"}}, {"quoted"}),
    ({"attributes.nowhere": None}, set(KEPT)),
    ({"attributes.nowhere": "atlas"}, set()),
    ({"attributes.project": "atlas", "attributes.other": None}, {"text", "list"}),
    ({"attributes.project": "atlas", "category": ["fact", None]}, {"text", "list"}),
    ({"attributes.project": "atlas", "category": "fact"}, set()),
    ({"attributes.project": {"prefix": "at"}}, {"text", "list"}),
    ({"attributes.project": {"prefix": ""}}, {"text", "capital", "list", "text of a number", "long"}),
    ({"attributes.project": {"prefix": "x" * 64}}, {"long"}),
    ({"attributes.project": {"gte": 3}}, {"list", "whole", "float"}),
    ({"attributes.project": {"gt": 3}}, set()),
    ({"attributes.project": {"gte": 1, "lt": 3}}, {"one"}),
    ({"attributes.project": {"gt": 1, "lte": 3.0}}, {"list", "whole", "float"}),
    ({"attributes.project": {"gte": 4, "lte": 2}}, set()),
    ({"attributes.project": {"gt": "atlas", "lt": "boat!"}}, {"list"}),
    ({"attributes.project": {"gt": "x" * 64}}, {"long"}),
    ({"attributes.project": {"lte": "x" * 64}}, {"text", "capital", "list", "text of a number"}),
    ({"attributes.project": {"not": "atlas"}}, set(KEPT) - {"text", "list"}),
    ({"attributes.project": {"not": None}}, set(KEPT) - ABSENT),
    (
        {"attributes.project": {"not": [None, 3, "atlas"]}},
        set(KEPT) - ABSENT - {"text", "list", "whole", "float"},
    ),
    ({"attributes.project": {"prefix": "at", "not": "boat"}}, {"text"}),
    ({"attributes.nowhere": {"gte": 0}}, set()),
    ({"attributes.nowhere": {"not": 0}}, set(KEPT)),
]


@pytest.fixture
async def kept(memory: remanence.Engine) -> remanence.Engine:
    """A memory of each kind."""
    for name, attributes in KEPT.items():
        await memory.learn(f"The boat of {name}.", key=name, attributes=attributes)
    return memory


@pytest.mark.parametrize("number", range(len(ASKED)))
async def test_attributes_let_through_what_has_them(kept: remanence.Engine, number: int) -> None:
    """In a list and in an answer: a list means any of several, an item of a stored list counts, None is none."""
    filters, names = ASKED[number]
    listed = await kept.list(filters=filters)
    found = await kept.recall("the boat", filters=filters, limit=100)

    assert names == {memory.key for memory in listed}
    assert names == {hit.memory.key for hit in found.memories}
    assert sorted((memory.seq for memory in listed), reverse=True) == [memory.seq for memory in listed]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"attributes.project": []}, "the filter attributes.project lists 0 values"),
    ({"attributes.project": list(range(WANTED_MAX + 1))}, "lists 1,001 values"),
    ({"attributes.project": {"a": 1}}, "unknown operator 'a'"),
    ({"attributes.project": {3: 1}}, "unknown operator '3'"),
    ({"attributes.project": {}}, "the filter attributes.project has no operator"),
    ({"attributes.project": {"gt": 1, "gte": 1}}, "has both gt and gte"),
    ({"attributes.project": {"gt": 1, "lt": "x"}}, "compares a number with a text"),
    ({"attributes.project": {"gt": True}}, "cannot be gt True"),
    ({"attributes.project": {"gt": None}}, "cannot be gt None"),
    ({"attributes.project": {"lt": float("nan")}}, "cannot be lt nan"),
    ({"attributes.project": {"prefix": 3}}, "begins with 3"),
    ({"attributes.project": {"prefix": "x" * 65}}, "compares by a text of 65 characters"),
    ({"attributes.project": {"not": {}}}, "the filter attributes.project cannot be a dict"),
    ({"category": {"prefix": "f"}}, "category cannot be compared by an operator"),
    ({"tags": {"not": ["f"]}}, "tags cannot be compared by an operator"),
    ({"attributes.project": [["a"]]}, "the filter attributes.project cannot be a list"),
    ({"attributes.project": float("nan")}, "the filter attributes.project cannot be nan"),
    ({"attributes.project": 2**64}, "the filter attributes.project cannot be a number of 65 bits"),
    ({"attributes.project": b"x"}, "the filter attributes.project cannot be b'x'"),
    ({"attributes.": "x"}, "unknown filter 'attributes.'"),
    ({"attributes": {"project": "atlas"}}, "unknown filter 'attributes'"),
    ({"categry": "fact"}, "unknown filter 'categry'"),
    ({"category": []}, "the filter category lists 0 values"),
    ({"category": 3}, "category cannot be 3"),
    ({"kind": ["episodic", "episodc"]}, "unknown kind 'episodc'"),
    ({"status": "gone"}, "unknown status 'gone'"),
    ({"status": []}, "the filter status lists 0 values"),
    ({"tags": 3}, "tags must be a list"),
]


async def test_an_attribute_without_its_prefix_is_told_so(memory: remanence.Engine) -> None:
    """The recovery writes the filter as it has to be, and names a column that is near."""
    with pytest.raises(NameUnknown, match="unknown filter 'team'") as refused:
        await memory.recall("the boat", filters={"team": "red"})

    assert refused.value.recovery.startswith("for an attribute pass 'attributes.team'; ")


# filter → types that its attribute has instead
UNFIT: list[tuple[dict[str, Any], str]] = [
    ({"attributes.berth": "4"}, "a text, but the values of that attribute are numbers"),
    ({"attributes.berth": {"lt": "9"}}, "a text, but the values of that attribute are numbers"),
    ({"attributes.berth": {"not": ["4", True]}}, "True or False and a text, but"),
    (
        {"attributes.berth": 4, "attributes.code": {"gte": 7}},
        "a number, but the values of that attribute are texts",
    ),
    ({"attributes.wet": "true"}, "a text, but the values of that attribute are True or False"),
    ({"attributes.mixed": True}, "True or False, but the values of that attribute are texts and numbers"),
    ({"attributes.map": "quay"}, "a text, but the values of that attribute are mappings or empty lists"),
]
FIT: list[dict[str, Any]] = [
    {"attributes.mixed": {"gte": 100}},
    {"attributes.mixed": "pier"},
    {"attributes.berth": [None, "4"]},
    {"attributes.wet": ["true", False]},
    {"attributes.absent": {"gte": 3}},
    {"attributes.absent": ["x", 3]},
]


@pytest.fixture
async def moored(memory: remanence.Engine) -> remanence.Engine:
    """One memory with attributes of each type."""
    attributes = {"berth": 4, "code": "007", "wet": True, "mixed": ["quay", 4], "map": {"quay": 1}}
    await memory.learn("The boat is moored.", attributes=attributes)
    return memory


async def test_a_type_that_no_value_has_is_refused(moored: remanence.Engine) -> None:
    """With the types that are there, by each verb that filters; nothing is, where one value or none can be compared."""
    for verb in (moored.list, moored.count, lambda **more: moored.recall("the boat", **more)):
        for filters, message in UNFIT:
            with pytest.raises(InvalidInput, match=message) as refused:
                await verb(filters=filters)
            assert "'3' a text" in refused.value.recovery
        for filters in FIT:
            await verb(filters=filters)


async def test_what_a_value_was_is_asked_of_then(moored: remanence.Engine, clock: ManualClock) -> None:
    """As of an instant at which an attribute was of another type, it is compared with that."""
    then = clock.now()
    clock.advance(hours=1)
    await moored.update(1, attributes={"berth": "quay"})

    assert [1] == [one.seq for one in await moored.list(filters={"attributes.berth": {"gte": 4}}, as_of=then)]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("attributes.berth>=", "pass {'attributes.berth': {'gte': 4}}"),
        ("attributes.berth__lt", "pass {'attributes.berth': {'lt': 4}}"),
        ("attributes.berth.$gt", "pass {'attributes.berth': {'gt': 4}}"),
        ("attributes.berth!=", "pass {'attributes.berth': {'not': 4}}"),
        ("attributes.berth ==", "pass {'attributes.berth': 4}"),
        ("attributes.berth >= 4", "pass {'attributes.berth': {'gte': …}}"),
        ("berth <", "pass {'attributes.berth': {'lt': 4}}"),
        ("updated_at>", "pass {'updated_at': {'gt': 4}}"),
        ("tags!=", "pass {'tags': […]} with the values that will do"),
        ("status=", "pass {'status': […]} with the values that will do"),
        ("category^=", "pass {'category': […]} with the values that will do"),
    ],
)
async def test_an_operator_in_a_name_is_told_its_place(
    memory: remanence.Engine, name: str, right: str
) -> None:
    """The recovery writes the filter as it has to be, where nothing is stored as well."""
    for verb in (memory.list, memory.count, lambda **more: memory.recall("the boat", **more)):
        with pytest.raises(InvalidInput, match="has an operator in its name") as refused:
            await verb(filters={name: 4})

        assert refused.value.recovery.startswith(right)


async def test_a_sign_within_the_name_of_an_attribute_is_none(memory: remanence.Engine) -> None:
    """What no operator and value can be is a name."""
    await memory.learn("The boat sails.", attributes={"from->to": "quay", "a=b": 1})

    assert 1 == (await memory.count(filters={"attributes.from->to": "quay", "attributes.a=b": 1})).total


@pytest.mark.parametrize("number", range(len(WRONG)))
async def test_what_no_filter_can_be_is_refused(memory: remanence.Engine, number: int) -> None:
    """In the same words by both verbs."""
    filters, message = WRONG[number]

    for verb in (memory.list, lambda **more: memory.recall("the boat", **more)):
        with pytest.raises(InvalidInput, match=message.replace("[", r"\[")) as refused:
            await verb(filters=filters)
        assert refused.value.recovery


async def test_columns_may_be_any_of_several(memory: remanence.Engine) -> None:
    """By name in a list, and in the filters of both; None is nothing there."""
    for category in ("fact", "task", None):
        await memory.learn(
            f"The boat as {category}.", category=category, kind="semantic" if category else None
        )
    several = ["fact", None]
    lists = [
        await memory.list(category=several),
        await memory.list(filters={"category": several}),
        [hit.memory for hit in (await memory.recall("the boat", filters={"category": several})).memories],
    ]

    assert [{"fact", None}] * 3 == [{one.category for one in found} for found in lists]
    assert 2 == len(await memory.list(kind=["semantic", "episodic"]))
    assert 3 == len(await memory.list(filters={"kind": ["semantic", None]}))
    with pytest.raises(InvalidInput, match="the filter category is given twice"):
        await memory.list(category="fact", filters={"category": "task"})
    with pytest.raises(NameUnknown, match="unknown filter 'fingerprint'"):
        await memory.list(filters={"fingerprint": b"x"})


async def test_what_no_longer_stands_is_found_where_it_is_asked_for(memory: remanence.Engine) -> None:
    """Marked in the hit and in the text, and its use is not counted."""
    old = await memory.learn("The boat is green.", speaker="Ann")
    new = await memory.learn("The boat is blue.")
    await memory.correct(old, by=new)
    plain = await memory.recall("the boat")
    answer = await memory.recall("the boat", filters={"status": ["superseded", "inbox"]})
    every = await memory.recall("the boat", filters={"status": "any"})
    await memory.plan("elfmem")  # writes the uses down

    assert [new.id] == [hit.id for hit in plain.memories]
    assert {old.id, new.id} == {hit.id for hit in answer.memories} == {hit.id for hit in every.memories}
    marked = {hit.id: hit.memory.status for hit in answer.memories}
    assert (Status.SUPERSEDED, Status.INBOX) == (marked[old.id], marked[new.id])
    (line,) = [line for line in answer.text.splitlines() if "green" in line]
    assert "Ann; superseded" in line
    assert (0, 3) == ((await memory.get(old)).uses, (await memory.get(new)).uses)


async def test_what_was_deleted_is_listed_and_never_recalled(memory: remanence.Engine) -> None:
    """Any status means any but that."""
    gone = await memory.learn("The boat is green.")
    await memory.forget(gone)

    assert [gone.id] == [one.id for one in await memory.list(status="pruned")]
    assert () == (await memory.recall("the boat", filters={"status": "any"})).memories
    with pytest.raises(InvalidInput, match="recall finds nothing that was deleted"):
        await memory.recall("the boat", filters={"status": "pruned"})


async def test_a_list_by_attribute_goes_as_far_as_it_must(memory: remanence.Engine) -> None:
    """Past what does not stand, in the order asked for, up to its limit."""
    learned = await memory.learn(
        [{"text": f"The boat of {number}.", "attributes": {"n": number % 2}} for number in range(1_700)]
    )
    await memory.forget(learned[200:1_200])
    odd = [one.seq for one in [*learned[:200], *learned[1_200:]] if not one.seq % 2]

    async def listed(**more: Any) -> list[int]:
        return [one.seq for one in await memory.list(filters={"attributes.n": 1}, **more)]

    assert odd[::-1] == await listed()
    assert odd == await listed(oldest_first=True)
    assert odd[::-1][:300] == await listed(limit=300)
    assert odd[:1] == await listed(limit=1, oldest_first=True)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["learn", "update", "forget", "purge", "ask", "undo"]),
        st.integers(0, 9),
        st.sampled_from(
            [None, {}, {"a": 1}, {"a": "x"}, {"a": ["x", 1]}, {"b": True}, {"a": None, "b": "x"}]
        ),
    ),
    max_size=25,
)
ASKED_OF_COLUMNS: list[Any] = [
    1,
    "x",
    None,
    True,
    {"gte": 1},
    {"prefix": "x"},
    {"not": "x"},
    {"lt": "y", "not": 1},
    {"not": None},
    {"gt": 0, "lt": 1},
]
PURGE = """
version = 1

[[rule]]
name = "tombs"
every = "deep"
phase = "purge"
do = "purge"
where = "status == 'pruned'"
"""


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_the_columns_follow_what_is_written(steps: list[tuple[str, int, Any]]) -> None:
    """Whatever is learned, changed, purged, taken back and asked for in between."""
    store = MemoryStore()
    async with remanence.open(store=store, embedder="none") as memory:
        index = AttributeIndex(store, "default")
        for number, (step, which, attributes) in enumerate(steps):
            seqs = [one.seq for one in await memory.list(status="any")]
            if step == "learn" or not seqs:
                await memory.learn(f"The boat of {number}.", attributes=attributes)
            elif step == "update":
                await memory.update(seqs[which % len(seqs)], attributes=attributes)
            elif step == "forget":
                await memory.forget(seqs[which % len(seqs)])
            elif step == "purge":
                await memory.apply(await memory.plan(PURGE), allow_destroyed=99)
            elif step == "undo":
                await memory.undo("last")
            name, value = ("a", "b")[which % 2], ASKED_OF_COLUMNS[which]
            asked = parse_attribute_filter(name, value)
            every = await memory.list(status="any", oldest_first=True)
            expected = [one.seq for one in every if asked.is_met(value_of(one.attributes, name))]
            if step == "ask":
                assert expected == (await index.seqs({name: asked}, 0)).tolist()
        assert [] == (await index.seqs({"nowhere": parse_attribute_filter("x", 1)}, 0)).tolist()


async def test_many_names_and_many_changes_are_read_anew(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept is bounded, and the answer is the same."""
    monkeypatch.setattr(attribute_index, "NAMES_MAX", 2)
    monkeypatch.setattr(attribute_index, "PATCH_MAX", 3)
    for number in range(6):
        await memory.learn(f"The boat of {number}.", attributes={f"a{number}": number})
        found = await memory.list(filters={f"attributes.a{number}": number, "attributes.a9": None})
        assert [f"The boat of {number}."] == [one.text for one in found]
    await memory.learn([{"text": f"No. {n}", "attributes": {"a9": 1}} for n in range(9)])

    assert 9 == len(await memory.list(filters={"attributes.a9": 1}))


async def test_what_is_gone_and_what_comes_back_is_followed(memory: remanence.Engine) -> None:
    """A row that leaves, and one that returns in the middle."""
    learned = await memory.learn([{"text": f"No. {n}", "attributes": {"a": n % 2}} for n in range(4)])

    async def odd() -> list[int]:
        found = await memory.list(filters={"attributes.a": 1}, status="any", oldest_first=True)
        return [one.seq for one in found]

    told = [await odd()]
    await memory.forget(learned[1])
    await memory.apply(await memory.plan(PURGE), allow_destroyed=9)
    told.append(await odd())
    await memory.restore(learned[1])
    told.append(await odd())

    assert [[2, 4], [4], [2, 4]] == told


async def test_what_is_written_while_columns_are_read_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Columns that were kept are read again with those that are asked for first, so that all are of one moment."""
    async with remanence.open(store=MemoryStore(), embedder="none") as memory:
        store = memory._core.store
        await memory.learn("The boat is green.", attributes={"a": 1, "b": 1})
        await memory.list(filters={"attributes.a": 1})
        read = store.snapshot

        async def busy(*given: Any) -> Snapshot:
            monkeypatch.setattr(store, "snapshot", read)
            await memory.learn("The shed is blue.", attributes={"a": 2, "b": 1})
            return await read(*given)

        monkeypatch.setattr(store, "snapshot", busy)
        found = await memory.list(filters={"attributes.b": 1, "attributes.a": [1, 2]})

    assert ["The shed is blue.", "The boat is green."] == [one.text for one in found]


async def test_of_another_scope_nothing_is_let_through(opener: Opener) -> None:
    """Attributes are read scope by scope."""
    async with opener() as memory, opener(scope="another") as other:
        await memory.learn("The boat is green.", attributes={"project": "atlas"})
        await other.learn("The boat is blue.", attributes={"project": "atlas"})
        found = await memory.recall("the boat", filters={"attributes.project": "atlas"}, count_use=False)

    assert ["The boat is green."] == [hit.text for hit in found.memories]


@pytest.mark.parametrize(
    ("column", "value", "names"),
    [
        ("lifecycle", "validated", {"two"}),
        ("lifecycle", ["validated", "active"], {"two"}),
        ("verification", "user_confirmed", {"two"}),
        ("verification", ["unverified", "user_confirmed"], {"one", "two"}),
        ("tier", ["hot", "warm"], {"one", "two"}),
        ("trust", "user", {"one", "two"}),
        ("severity", None, {"one", "two"}),
    ],
)
async def test_labels_narrow_both_verbs(
    column: str, value: Any, names: set[str], memory: remanence.Engine
) -> None:
    """What a list may be asked for, a recall may be; what changes since is seen."""
    for key in ("one", "two"):
        await memory.learn(f"The boat of {key}.", key=key)
    await memory.recall("the boat", filters={column: value})
    await memory.update("two", lifecycle="validated", verification="user_confirmed")
    listed = await memory.list(filters={column: value})
    found = await memory.recall("the boat", filters={column: value})

    assert names == {one.key for one in listed} == {hit.memory.key for hit in found.memories}


async def test_what_is_asked_of_one_thread_weighs_its_words_by_that_thread(opener: Opener) -> None:
    """What other conversations say as well changes nothing of an answer that is filtered to one."""
    said = [
        "The harbour gate was painted green.",
        "The keeper counts the boats at night.",
        "A storm broke the lamp of the harbour.",
        "Rope is kept in the boathouse.",
    ]
    asked = "Who painted the gate of the harbour?"
    async with opener(embedder="auto") as memory:
        await memory.learn([Turn(text, thread="pier") for text in said])
        before = await memory.recall(asked, thread="pier", count_use=False)
        others = [f"The harbour gate and the lamp of berth {k} were painted." for k in range(300)]
        await memory.learn([Turn(text, thread="elsewhere") for text in others])
        after = await memory.recall(asked, thread="pier", count_use=False)

    cosines = [{hit.seq: hit.parts["cosine"] for hit in one.memories} for one in (before, after)]
    assert len(said) == len(before.memories) == len(after.memories)
    assert cosines[0] == pytest.approx(cosines[1], abs=1e-6)
