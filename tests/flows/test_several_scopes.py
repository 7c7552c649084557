"""One question over several scopes, and memories promoted from one's own scope into a shared one."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import InvalidInput, NotFound
from remanence.flows.schedule import other_scopes
from tests.flows.conftest import Opener

BOTH = ["own", "team"]
TEAM = (
    "The boathouse door key is 2217.",
    "The ferry to the island leaves from pier 3 at 7:40.",
    "The harbour log is kept by Ann on Fridays.",
)
OWN = (
    "My bike is red and stands behind the boathouse.",
    "I take the ferry on Mondays.",
    "My dentist is Dr Alvarez in Mill Street.",
)


async def fill(opener: Opener, **scopes: tuple[str, ...]) -> None:
    """Store some texts in scopes, a minute apart."""
    for scope, texts in scopes.items():
        async with opener(scope=scope) as memory:
            for text in texts:
                await memory.learn(text, speaker="Ines", tags=[scope])
            await memory.consolidate()


QUESTIONS: tuple[Mapping[str, Any], ...] = (
    {"query": "Where is the key of the boathouse?"},
    {"query": "When does the ferry leave?", "budget": 40},
    {"query": "ferry", "limit": 1},
    {"query": "boathouse", "filters": {"tags": ["own"]}},
    {"query": "Who is my dentist?", "asker": "Ines", "archived": "open"},
    {"query": "nothing of this is known: zymurgy"},
    {"query": "ferry", "as_of": 2**50},
    {"query": "ferry", "explain": True},
)


@pytest.mark.parametrize("asked", QUESTIONS, ids=str)
async def test_the_own_scope_alone_answers_as_without(opener: Opener, asked: Mapping[str, Any]) -> None:
    """`scopes` with nothing but the own scope changes nothing, whatever else is asked."""
    await fill(opener, own=OWN, team=TEAM)
    async with opener(scope="own") as memory:
        plain = await memory.recall(**asked, count_use=False)
        named = await memory.recall(**asked, count_use=False, scopes=["own", "own"])

    if plain.explanation is None:
        assert plain == named
    assert (plain.text, plain.left_out, plain.strength) == (named.text, named.left_out, named.strength)


async def test_one_list_says_whose_each_line_is(opener: Opener) -> None:
    """The best answer is first, wherever it is; own lines are as ever, and the order within a scope stays."""
    await fill(opener, own=OWN, team=TEAM)
    question = "Where is the key of the boathouse door?"
    async with opener(scope="team") as memory:
        theirs = await memory.recall(question, count_use=False)
    async with opener(scope="own") as memory:
        mine = await memory.recall(question, count_use=False)
        both = await memory.recall(question, scopes=BOTH, count_use=False)
        other = await memory.recall(question, scopes=["team"], count_use=False)
        one = await memory.recall(question, scopes=BOTH, limit=1, count_use=False)
        brief = await memory.recall(question, scopes=BOTH, budget=45, count_use=False)

    assert both.memories[0].text == TEAM[0] and both.memories[0].name == f"team/#{theirs.memories[0].seq}"
    assert both.text.splitlines()[0] == theirs.text.splitlines()[0].replace("[#", "[team/#")
    for scope, alone in (("own", mine), ("team", theirs)):
        assert [hit.id for hit in alone] == [hit.id for hit in both if hit.memory.scope == scope]
    assert {*mine.text.removeprefix("unsure: this may not answer it\n").splitlines()} < {
        *both.text.splitlines()
    }
    assert [hit.id for hit in theirs] == [hit.id for hit in other]
    assert both.strength == max(mine.strength, theirs.strength) == theirs.strength
    assert [hit.score for hit in both] == sorted((hit.score for hit in both), reverse=True)
    assert [TEAM[0]] == [hit.text for hit in one] and 0 < one.next_score < 1
    assert brief.tokens <= 45 and TEAM[0] == brief.memories[0].text
    assert brief.left_out["budget"] == len(both) - len(brief)
    assert {"team/", "#"} >= {str(drop).partition("#")[0] or "#" for drop in brief.dropped}


async def test_a_memory_split_over_two_scopes_answers_nearly_as_one(opener: Opener) -> None:
    """The best answer of the whole is first, or among the first three, in nearly all questions."""
    rnd = random.Random(7)
    people = "Ann Ben Cleo Dov Edda Finn Gita Hugo Ines Jon Kaja Lev".split()
    things = "bike boat kayak piano stove tent saddle violin loom canoe".split()
    places = "Mill Street|the old harbour|Oslo|the north pier|the attic|Lyon|the barn|Kyoto".split("|")
    texts = [
        f"{person} keeps the {thing} in {rnd.choice(places)}."
        for person in people
        for thing in rnd.sample(things, 5)
    ]
    rnd.shuffle(texts)
    await fill(opener, whole=tuple(texts), own=tuple(texts[::3]), team=tuple(texts[1::3] + texts[2::3]))
    asked = [text.partition(" in ")[0] for text in texts[:40]]
    first = near = 0
    async with opener(scope="own") as memory:
        for question in asked:
            whole = (
                await memory.recall(f"Where does {question}?", scopes=["whole"], count_use=False)
            ).memories
            split = (await memory.recall(f"Where does {question}?", scopes=BOTH, count_use=False)).memories
            first += split[0].text == whole[0].text
            near += whole[0].text in [hit.text for hit in split[:3]]

    assert near == len(asked) and first >= 0.95 * len(asked), (first, near)


@pytest.mark.parametrize(
    "narrowed",
    [
        {"filters": {"tags": ["red"]}},
        {"between": (10 * DAY, 20 * DAY)},
        {"max_age": 5.0},
        {"verified": True},
        {"thread": "t"},
    ],
    ids=str,
)
async def test_what_narrows_a_question_holds_in_each_scope(
    opener: Opener, clock: ManualClock, narrowed: Mapping[str, Any]
) -> None:
    """What is left out of either is counted as one."""
    clock.set(100 * DAY)
    for scope in BOTH:
        async with opener(scope=scope) as memory:
            said: dict[str, Any] = {"tags": ["red"], "thread": "t", "said_at": 15 * DAY}
            old = await memory.learn(f"The {scope} kettle stands in the red kitchen.", **said)
            await memory.learn(f"The {scope} kettle stands in the blue kitchen.", said_at=98 * DAY)
            await memory.update(old, verification="user_confirmed")
    async with opener(scope="own") as memory:
        answer = await memory.recall("kettle kitchen", scopes=BOTH, count_use=False, **narrowed)

    colour = "blue" if "max_age" in narrowed else "red"
    assert {f"The {scope} kettle stands in the {colour} kitchen." for scope in BOTH} == {
        hit.text for hit in answer
    }
    assert [2] * len(answer.left_out) == [*answer.left_out.values()]


async def test_uses_count_where_each_memory_is(opener: Opener) -> None:
    """By the agent who asks; closing writes what waits in the other scope."""
    await fill(opener, own=OWN, team=TEAM)
    async with opener(scope="own", agent="quill") as memory:
        answer = await memory.recall("boathouse key", scopes=BOTH)
        await memory.recall("ferry", scopes=BOTH, count_use=False)
    for scope in BOTH:
        async with opener(scope=scope) as memory:
            used = {one.id for one in await memory.list() if one.uses}
            names = {name for one in await memory.list() for name in one.accessors or ()}
        assert used == {hit.id for hit in answer if hit.memory.scope == scope} and names == {"quill"}


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"scopes": ["own", "taem"]}, NotFound, "team"),
        ({"scopes": []}, InvalidInput, "1 to 8"),
        ({"scopes": [f"s{n}" for n in range(9)]}, InvalidInput, "1 to 8"),
        ({"scopes": ["", "own"]}, InvalidInput, "scope"),
        ({"scopes": BOTH, "explain": True}, InvalidInput, "leave `scopes` out"),
        ({"scopes": ["team"], "why_not": "x"}, InvalidInput, "leave `scopes` out"),
    ],
    ids=str,
)
async def test_what_cannot_be_asked_is_refused(
    opener: Opener, asked: Mapping[str, Any], error: type[Exception], words: str
) -> None:
    """One error says what to do, and no scope comes into being."""
    await fill(opener, own=OWN[:1], team=TEAM[:1])
    async with opener(scope="own") as memory:
        with pytest.raises(error) as refused:
            await memory.recall("boathouse", **asked)
        scopes = [one.scope for one in await memory.scopes.list()]

    assert words in f"{refused.value} {refused.value.recovery}"  # type: ignore[attr-defined]
    assert BOTH == scopes


async def test_the_name_of_anothers_memory_is_no_own_name(opener: Opener) -> None:
    """The error says in which scope it is."""
    await fill(opener, own=OWN, team=TEAM)
    async with opener(scope="own") as memory:
        hit = (await memory.recall("key of the boathouse door", scopes=["team"])).memories[0]
        for name in (hit.name, hit):
            with pytest.raises(NotFound, match="no memory"):
                await memory.rate(name, "right")
        with pytest.raises(NotFound) as refused:
            await memory.get(hit.name)

    assert f"memory #{hit.seq} of scope 'team'" in refused.value.recovery


async def test_what_holds_no_more_is_named_with_its_scope(opener: Opener) -> None:
    """In the line of what fell, of what contradicts, and in what says what stands above it."""
    async with opener(scope="team") as team:
        old = await team.learn("The depot gate is green.")
        new = (await team.correct(old, "The depot gate was painted red in May.")).seq
        one, other = [(await team.learn(f"The depot crane lifts {n} tons.")).seq for n in (3, 5)]
        await team.link(one, other, "contradicts")
    async with opener(scope="own") as memory:
        statuses = ["active", "inbox", "superseded"]
        gate = await memory.recall("Is the depot gate green?", scopes=BOTH, filters={"status": statuses})
        crane = await memory.recall("depot crane", scopes=["team"])

    assert (
        f"see team/#{new}" in gate.text
        and f"team/#{old.seq}: it holds instead" == gate.memories[0].stands_above
    )
    assert all(
        "#" not in line.replace("team/#", "") for line in (*gate.text.splitlines(), *crane.text.splitlines())
    )


async def test_lines_of_another_scope_come_back_as_its_own_words(opener: Opener) -> None:
    """Said again they are known, tags and all; with another text, of a scope that is not there, they are texts."""
    await fill(opener, own=OWN, team=TEAM)
    async with opener(scope="own") as memory:
        answer = await memory.recall("key of the boathouse door", scopes=BOTH)
        line = answer.text.splitlines()[0]
        before = len(await memory.list())
        noted, known = await memory.note(line), await memory.learn(answer.text, tags=["again"])
        new = [
            await memory.learn(line.replace("2217", "2218")),
            await memory.learn(line.replace("team/", "nope/")),
        ]
        after = len(await memory.list())

    assert ("known", answer.memories[0].id, 0) == (noted.status, noted.id, noted.seq)
    assert ("known", answer.memories[0].id, 0) == (known.status, known.id, known.seq)
    assert ["stored", "stored"] == [one.status for one in new] and before + 2 == after


async def test_other_scopes_stay_ready_up_to_a_limit(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second question reads the index of the first; what is written there meanwhile is found; the least used goes."""
    monkeypatch.setattr(other_scopes, "READY_MAX", 2)
    await fill(opener, own=OWN[:1], a=TEAM[:1], b=TEAM[1:2], c=TEAM[2:])
    async with opener(scope="own") as memory:
        reach = memory._core.reach
        assert isinstance(reach, other_scopes.OtherScopes)
        await memory.recall("boathouse", scopes=["a", "own"])
        async with reach.use("a") as first:
            index = first.index
        async with opener(scope="a") as other:
            await other.learn("The boathouse roof leaks.")
        found = await memory.recall("boathouse roof", scopes=["a", "own"])
        async with reach.use("a") as second:
            assert index is second.index
        for scope in "bcb":
            await memory.recall("ferry", scopes=[scope])
        async with reach.use("a") as third:
            assert index is not third.index
        assert len(reach._ready) <= 3

    assert "The boathouse roof leaks." == found.memories[0].text
