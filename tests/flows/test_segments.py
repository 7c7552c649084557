"""Neighbours lend words in a session, else in a thread, else in a run; decided alike on arrival and when read."""

from typing import Any

import pytest

import remanence
from remanence.core.clock import HOUR, ManualClock
from remanence.core.model import Memory, Turn
from tests.flows.conftest import Opener

ASKED = "Which colour did the ferry get?"
ANSWER = "Green, and the railing stayed white."


async def _found(memory: remanence.Engine) -> list[str]:
    """Ask in words that only the question of the talk holds."""
    answer = await memory.recall("colour of the ferry", limit=10, count_use=False)
    return [hit.memory.text for hit in answer.memories]


async def _alone(opener: Opener, **named: Any) -> Memory:
    async with opener(scope="alone", embedder="none") as memory:
        return await memory.get((await memory.learn(ANSWER, **named)).seq)


@pytest.mark.parametrize("named", [{"session": "s"}, {"thread": "t"}, {}, {"agent": "mate"}])
async def test_an_answer_is_found_by_the_words_of_its_question(opener: Opener, named: dict[str, Any]) -> None:
    """With a session, with a thread only, and with neither, also after the file was opened again."""
    async with opener(embedder="none") as memory:
        await memory.learn(ASKED, **named)
        await memory.learn(ANSWER, **named)
        before = await _found(memory)
    async with opener(embedder="none") as memory:
        assert [ANSWER, ASKED] == before == await _found(memory)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"session": "s"}, {"session": "r", "thread": "t"}),
        ({"session": "s", "thread": "t"}, {"thread": "t"}),
        ({"thread": "t"}, {"thread": "u"}),
        ({"thread": "t"}, {}),
        ({"agent": "mate"}, {"agent": "cook"}),
    ],
)
async def test_what_belongs_elsewhere_lends_nothing(
    opener: Opener, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Another session, another thread and another agent's run are other segments."""
    async with opener(embedder="none") as memory:
        await memory.learn(ASKED, **first)
        await memory.learn(ANSWER, **second)

        assert [ASKED] == await _found(memory)


async def test_statements_in_a_row_lend_each_other_nothing(opener: Opener) -> None:
    """What nobody said to anybody is found by its own words, one by one and in a batch; a speaker makes it talk."""
    facts = [
        "Kate sings in a choir in York.",
        "Tess sings in a choir in Bath.",
        "Tess has a dentist in Bath.",
    ]
    found = []
    for scope, speaker in (("bare", None), ("spoken", "Mara")):
        async with opener(scope=scope, embedder="none") as memory:
            await memory.learn(facts[0], speaker=speaker)
            await memory.learn(facts[1:], speaker=speaker)
            answer = await memory.recall("dentist", count_use=False)
            found.append(sorted(hit.memory.text for hit in answer.memories))

    assert [facts[2:], sorted(facts)] == found


async def test_talk_that_comes_later_changes_the_windows_around_it(opener: Opener) -> None:
    """An index that follows has the cosines of one that took all in at once, up to eight texts away."""
    words = ("oar", "net", "rope", "bell", "lamp", "mast", "sail", "hull")
    texts = [ASKED, *(f"The {word} hangs in the shed." for word in words), "Who has the key of the shed?"]
    cosines = []
    for scope, before in (("one", texts[:-1]), ("batch", [])):
        async with opener(scope=scope) as memory:
            await memory.learn(before)
            await memory.recall("the bell in the shed", count_use=False)
            await memory.learn(texts[len(before) :])
            answer = await memory.recall("the bell in the shed", limit=20, count_use=False)
            cosines.append({hit.memory.text: round(hit.parts["cosine"], 5) for hit in answer.memories})

    assert len(texts) == len(cosines[0])
    assert cosines[0] == cosines[1]


async def test_a_run_ends_after_thirty_minutes(opener: Opener, clock: ManualClock) -> None:
    """Thirty minutes later a turn still belongs to what was said before, and what comes a second later does not."""
    async with opener(embedder="none") as memory:
        await memory.learn(ASKED)
        clock.advance(hours=0.5)
        await memory.learn(ANSWER)
        clock.advance(hours=0.5)
        clock.advance(hours=1 / 3_600)
        await memory.learn("The mast is new.")

        assert [ANSWER, ASKED] == await _found(memory)


@pytest.mark.parametrize("named", [{"session": "s"}, {"thread": "t"}, {}])
async def test_an_answer_is_worth_more_than_the_same_words_alone(
    opener: Opener, named: dict[str, Any]
) -> None:
    """The keep-value sees the question before it, one by one and in a batch."""
    async with opener(scope="one", embedder="none") as memory:
        await memory.learn(ASKED, **named)
        one = await memory.get((await memory.learn(ANSWER, **named)).seq)
    async with opener(scope="batch", embedder="none") as memory:
        learned = await memory.learn([Turn(ASKED, **named), Turn(ANSWER, **named)])
        batched = await memory.get(learned[1].seq)
    alone = await _alone(opener, **named)
    assert one.value is not None and alone.value is not None

    assert one.value == batched.value
    assert one.value > alone.value


@pytest.mark.parametrize("named", [{"session": "s"}, {"thread": "t"}, {}])
async def test_only_the_first_three_open_a_segment(opener: Opener, named: dict[str, Any]) -> None:
    """The fourth turn has no such sign, by whatever name its segment goes, one by one or in a batch."""
    texts = [f"Buoy {word} is lit." for word in ("abel", "bravo", "cairo", "delta", "echo")]
    async with opener(scope="one", embedder="none") as memory:
        single = [await memory.get((await memory.learn(text, **named)).seq) for text in texts]
    async with opener(scope="batch", embedder="none") as memory:
        learned = await memory.learn([Turn(text, **named) for text in texts])
        batched = [await memory.get(one.seq) for one in learned]
    values = [memory.value or 0.0 for memory in single]

    assert values == [memory.value for memory in batched]
    assert min(values[:3]) > 1.2 * max(values[3:])


async def test_a_moved_date_moves_a_memory_between_runs(opener: Opener, clock: ManualClock) -> None:
    """What is put again is said now: it leaves the run it stood in, in an index that follows as in one read anew."""
    async with opener(embedder="none", agent="mate") as memory:
        await memory.learn(ASKED, key="ferry", source="log")
        await memory.learn(ANSWER)
        before = await _found(memory)
        clock.advance(hours=24)
        await memory.learn(ASKED + " Tell me.", key="ferry", source="log")
        after = await _found(memory)
    async with opener(embedder="none", agent="mate") as memory:
        again = await _found(memory)

    assert [ANSWER, ASKED] == before
    assert [ASKED + " Tell me."] == after == again


async def test_what_users_named_stays_what_they_said(opener: Opener, clock: ManualClock) -> None:
    """A run gives a memory no session and no thread, and opens no session."""
    async with opener(embedder="none") as memory:
        await memory.learn(ASKED, said_at=clock.now() - HOUR)
        kept = await memory.get((await memory.learn(ANSWER)).seq)

        assert (None, None, ()) == (kept.session, kept.thread, (await memory.status()).sessions)


def _talk() -> list[Turn]:
    """Long turns of one matter: every window of neighbours holds its words, one turn says all of them itself."""
    matter = ("ferry", "harbour", "paint", "deck")
    return [
        Turn(f"{' and '.join(matter) if k == 11 else matter[k % 4]} {_filling(k)}", thread="talk", key=str(k))
        for k in range(18)
    ]


def _filling(k: int) -> str:
    others = [f"word{(7 * k + step) % 97}x" for step in range(40)]
    return " ".join([*others, "invoice"] if k == 5 else others)


async def test_a_small_store_of_long_turns_finds_what_a_large_one_finds(opener: Opener) -> None:
    """Words that every window of a small store holds still tell; one rare word does not outweigh four of them."""
    talk = _talk()
    others = [Turn(f"gull {k} over the quay", thread=f"talk {k}") for k in range(400)]
    best = []
    for scope, turns in (("small", talk), ("large", [*talk, *others])):
        async with opener(scope=scope, embedder="none") as memory:
            await memory.learn(turns)
            answer = await memory.recall(
                "paint, ferry, harbour, deck, invoice", thread="talk", count_use=False
            )
            best.append([hit.memory.key for hit in answer.memories[:1]])

    assert [["11"], ["11"]] == best
