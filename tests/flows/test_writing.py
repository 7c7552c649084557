"""Texts come in through the engine, on both stores."""

import asyncio

import numpy as np
import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.model import Status, Turn
from remanence.llm.base import SimilarityThresholds
from tests.flows.conftest import Opener


async def test_a_text_is_stored_with_its_speaker_tags_and_source(memory: remanence.Engine) -> None:
    """What was learned can be read back whole."""
    learned = await memory.learn("Ann likes tea", speaker="Ann", tags=["drink"], source="chat:1", thread="t")

    found = await memory.get(learned.id)

    assert ("stored", "Ann likes tea", "Ann", ("drink",), ("chat:1",), "t") == (
        learned.status,
        found.text,
        found.speaker,
        found.tags,
        found.sources,
        found.thread,
    )


async def test_an_exact_repeat_confirms_and_makes_no_row(memory: remanence.Engine) -> None:
    """The same words of the same speaker are one memory, seen twice, with both sources."""
    first = await memory.learn("Ann likes tea", speaker="Ann", source="chat:1")
    second = await memory.learn("ann likes tea.", speaker="Ann", source="chat:2")

    found = await memory.get(first.id)

    assert ("confirmed", first.id) == (second.status, second.id)
    assert (1, ("chat:1", "chat:2")) == (found.confirmations, found.sources)


async def test_the_same_words_of_another_speaker_are_another_memory(memory: remanence.Engine) -> None:
    """Who said it is part of what was said."""
    first = await memory.learn("I am allergic to nuts", speaker="Ann")
    second = await memory.learn("I am allergic to nuts", speaker="Bob")

    assert first.id != second.id


async def test_a_known_key_is_not_taken_in_again(memory: remanence.Engine) -> None:
    """An ingest can be repeated: nothing changes, nothing is confirmed."""
    first = await memory.learn("Ann likes tea", key="chat:1")
    again = await memory.learn("Ann likes coffee", key="chat:1")

    assert ("known", first.id) == (again.status, again.id)
    assert 0 == (await memory.get(first.id)).confirmations


async def test_a_batch_gives_the_same_rows_as_the_texts_one_by_one(opener: Opener) -> None:
    """Repeats inside a batch confirm, and values are those of arrival."""
    first = "We moved to Lisbon in 2019"
    texts = [first, "Why did you move?", "My sister Rosa lived there", first]
    turns = [Turn(text, session="s", thread="t", speaker="Ann") for text in texts]
    async with opener(scope="batch") as batch, opener(scope="single") as single:
        many = await batch.learn(turns)
        ones = [await single.learn(turn.text, session="s", thread="t", speaker="Ann") for turn in turns]
        left = [await batch.get(learned.seq) for learned in many]
        right = [await single.get(learned.seq) for learned in ones]

    assert [item.status for item in ones] == [item.status for item in many]
    assert [(item.text, item.value, item.confirmations) for item in right] == [
        (item.text, item.value, item.confirmations) for item in left
    ]


@pytest.mark.parametrize("embedder", ["auto", "hashed"])
async def test_a_batch_gives_the_same_vectors_as_the_texts_one_by_one(opener: Opener, embedder: str) -> None:
    """Words weigh what they weigh on arrival, repeats do not count; to the last bit, in one pass or each alone."""
    texts = [f"Rosa moved to quay {n % 7} in {2000 + n % 5}{', she says' * (n % 3)}" for n in range(150)]
    async with (
        opener(scope="batch", embedder=embedder) as batch,
        opener(scope="single", embedder=embedder) as single,
    ):
        await batch.learn([Turn(text) for text in texts])
        for text in texts:
            await single.learn(text)
        _, together = await batch._core.store.vectors("batch")
        _, alone = await single._core.store.vectors("single")

    assert (105, 256) == together.shape
    np.testing.assert_array_equal(alone, together)


async def test_a_text_whose_twin_fell_is_learned_anew_and_says_so(memory: remanence.Engine) -> None:
    """A tombstone does not swallow what is said again."""
    first = await memory.learn("Ann likes tea")
    await memory.forget(first.id)
    again = await memory.learn("Ann likes tea")

    assert ("stored", True) == (again.status, f"#{first.seq} said it" in again.reason)
    assert [first.seq] == [link.target for link in await memory.links(again.id)]


async def test_many_callers_at_once_all_get_their_own_answer(memory: remanence.Engine) -> None:
    """Texts that share a transaction keep their order of arrival and their ids."""
    learned = await asyncio.gather(*(memory.learn(f"fact number {k}") for k in range(200)))

    assert [f"fact number {k}" for k in range(200)] == [(await memory.get(item.id)).text for item in learned]


async def test_a_bad_text_among_many_callers_fails_alone(memory: remanence.Engine) -> None:
    """One caller's error is not another's."""
    answers = await asyncio.gather(
        memory.learn("good one"), memory.learn("\0bad"), memory.learn("good two"), return_exceptions=True
    )

    assert [False, True, False] == [isinstance(answer, InvalidInput) for answer in answers]
    assert 2 == (await memory.status()).memories


@pytest.mark.parametrize(
    "text",
    ["", "   ", "a\0b", "x" * 1_000_000],
    ids=["empty", "blank", "nul", "1MB"],
)
async def test_a_text_that_cannot_be_kept_is_refused_with_a_recovery(
    memory: remanence.Engine, text: str
) -> None:
    """Bad text: one clear error, and nothing written."""
    with pytest.raises(InvalidInput) as caught:
        await memory.learn(text)

    assert caught.value.recovery
    assert 0 == (await memory.status()).memories


async def test_one_bad_text_of_many_leaves_nothing_half_learned(memory: remanence.Engine) -> None:
    """All texts are checked before the first is written."""
    with pytest.raises(InvalidInput):
        await memory.learn(["one", "two", ""])

    assert 0 == (await memory.status()).memories


async def test_an_unknown_category_names_the_nearest(memory: remanence.Engine) -> None:
    """A typing error is met with the right name."""
    with pytest.raises(NameUnknown) as caught:
        await memory.learn("x", category="notificaton")

    assert "notification" in caught.value.recovery


async def test_an_unknown_state_or_field_is_refused(memory: remanence.Engine) -> None:
    """A state belongs to its category; a field to a turn."""
    with pytest.raises(NameUnknown):
        await memory.learn("x", category="task", state="raed")
    with pytest.raises(InvalidInput):
        await memory.learn("x", colour="red")  # type: ignore[call-overload] # that is the mistake


async def test_ingesting_an_old_chat_makes_nothing_old(memory: remanence.Engine, clock: ManualClock) -> None:
    """What was said years ago was learned today."""
    said_at = clock.now() - 3 * 365 * 86_400 * 1_000_000
    learned = await memory.learn("Long ago", said_at=said_at)

    found = await memory.get(learned.id)

    assert (said_at, clock.now()) == (found.said_at, found.learned_at)


async def test_put_stores_once_and_then_updates(memory: remanence.Engine) -> None:
    """A stable key keeps its id while its text changes."""
    first = await memory.learn("The user's name is Ann", key="user/name", speaker="Ann", source="chat 1")
    second = await memory.learn("The user's name is Anna", key="user/name", speaker="Ann", source="chat 2")

    assert (first.id, "The user's name is Anna") == (second.id, (await memory.get("user/name")).text)


async def test_consolidation_activates_the_inbox_and_links_near_texts(memory: remanence.Engine) -> None:
    """Texts that differ in a word are linked, never dropped; a second run does nothing."""
    await memory.learn(
        [
            "The harbour office wants the weekly report from the workshop",
            "The harbour office wants a weekly report from our workshop",
            "Paint for the hull costs more than last year",
        ]
    )

    done = await memory.consolidate()
    again = await memory.consolidate()

    assert (3, 0) == (done.activated, again.activated)
    assert 1 == done.near_duplicates
    assert {Status.ACTIVE} == {item.status for item in await memory.list()}


async def test_scopes_do_not_see_each_other(opener: Opener) -> None:
    """The scope is the tenant."""
    async with opener(scope="a") as a:
        learned = await a.learn("Only a knows")
    async with opener(scope="b") as b:
        recalled = await b.recall("Only a knows")
        with pytest.raises(KeyError):
            await b.get(learned.id)

    assert () == recalled.memories


class _Broken:
    """An embedder whose vectors cannot be kept."""

    name = "broken"
    dimensions = 4
    thresholds = SimilarityThresholds(similar=0.5, near=0.9)

    def __init__(self, vector: list[float]) -> None:
        self.vector = vector

    def embed(self, texts: object, weight: object = None) -> object:
        """Return what it was told to."""
        return np.array([self.vector], np.float32)


@pytest.mark.parametrize("vector", [[1.0, 2.0], [1.0, float("nan"), 0.0, 0.0], [float("inf"), 0.0, 0.0, 0.0]])
async def test_a_vector_that_cannot_be_kept_is_refused(opener: Opener, vector: list[float]) -> None:
    """Wrong size, NaN, infinity: one error that names the embedder, and nothing stored."""
    async with opener(embedder=_Broken(vector)) as memory:
        with pytest.raises(InvalidInput) as caught:
            await memory.learn("x")
        state = await memory.status()

    assert ("broken" in str(caught.value), 0) == (True, state.memories)


@pytest.mark.parametrize("confidence", [-0.5, 1.5, float("nan")])
async def test_how_sure_a_repeat_is_is_checked_like_a_first(
    memory: remanence.Engine, confidence: float
) -> None:
    """A repeat makes no row, and yet says nothing that a row could not hold; the memory stays as sure as it was."""
    first = await memory.learn("Ann likes tea", confidence=0.5)
    with pytest.raises(InvalidInput, match="confidence"):
        await memory.learn("Ann likes tea", confidence=confidence)
    with pytest.raises(InvalidInput, match="confidence"):
        await memory.learn([Turn("Ann likes tea", confidence=confidence)])
    found = await memory.get(first.id)

    assert (0, 0.5) == (found.confirmations, found.confidence)
