"""A model that waits: it embeds at consolidation, stands beside the static vectors, and may fail."""

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import remanence
from remanence.core.errors import EmbedderError, StoreIncompatible, StoreUnavailable
from remanence.flows.base import extra_vectors
from remanence.flows.inspect.checks import reads_as_english
from tests.flows.conftest import Opener
from tests.meaning import QUESTION, TEXTS, Meaning, by_model, learned


async def test_a_model_is_asked_at_consolidation_and_never_by_learn(opener: Opener) -> None:
    """What it has not embedded yet, words and static vectors find."""
    model = Meaning()
    async with opener(embedder=model) as memory:
        await learned(memory)
        before = await memory.recall("Where does the dog sleep?")
        asked = len(model.asked)
        done = await memory.consolidate()
        after = await memory.recall(QUESTION, limit=1)

    assert 0 == asked
    assert TEXTS[1] == before.memories[0].memory.text
    assert "nothing is embedded yet" in before.without_model
    assert (4, "") == by_model(done)
    assert (TEXTS[0], "") == (after.memories[0].memory.text, after.without_model)
    assert after.memories[0].parts["contextual"] == pytest.approx(0.7)
    assert after.memories[0].parts["contextual_cosine"] > 0.1


async def test_a_question_is_embedded_once(opener: Opener) -> None:
    """However often it is asked."""
    model = Meaning()
    async with opener(embedder=model) as memory:
        await learned(memory)
        await memory.consolidate()
        model.asked.clear()
        for _ in range(3):
            await memory.recall(QUESTION)
        await memory.frame("attention", QUESTION)

    assert [[QUESTION]] == model.asked


async def test_vectors_follow_their_texts(opener: Opener) -> None:
    """A text that changed, or is new, is embedded by the next consolidation, and by static vectors until then."""
    question = "Which opener of the dog and vessel?"
    async with opener(embedder=Meaning()) as memory, opener(embedder=Meaning()) as other:
        await learned(memory)
        await memory.consolidate()
        await other.recall(question, count_use=False)
        (dog,) = await memory.recall("hound", limit=1, count_use=False)
        await memory.update(dog, text="A ship with red sails came by.")
        await learned(memory, ["Hound and cat get along."])
        (between,) = await memory.recall("hound", limit=1, count_use=False)
        again = await memory.consolidate()
        after = await memory.recall(question, limit=4, count_use=False)
        elsewhere = await other.recall(question, limit=4, count_use=False)
    async with opener(embedder=Meaning()) as memory:
        anew = await memory.recall(question, limit=4, count_use=False)

    assert 2 == by_model(again)[0]
    assert "Hound and cat get along." == between.memory.text
    assert {"A ship with red sails came by.", "Hound and cat get along."} < {hit.memory.text for hit in after}
    for found in (elsewhere, anew):
        assert [(hit.id, hit.score) for hit in after] == [(hit.id, hit.score) for hit in found]


async def test_recall_goes_on_where_the_model_fails(opener: Opener, caplog: pytest.LogCaptureFixture) -> None:
    """Said in each answer and logged once; it is asked again after a while."""
    model = Meaning()
    async with opener(embedder=model) as memory:
        await learned(memory)
        await memory.consolidate()
        model.fails = OSError("the model died")
        found = [await memory.recall(question) for question in ("dog", "Which dog?", "the lamp")]
        found.append(await memory.frame("attention", "the dog"))
        state = await memory.status()

    assert all("the model died" in one.without_model for one in found)
    assert [TEXTS[1], TEXTS[1], TEXTS[3]] == [one.memories[0].memory.text for one in found[:3]]
    assert 1 == sum("recall goes on without" in line for line in caplog.messages)
    assert "the model died" in str(state.contextual["failure"])


@pytest.mark.parametrize(
    ("gives", "says"),
    [
        (lambda rows: rows[:, :63], "63 numbers instead of 64"),
        (lambda rows: rows[1:], r"shape \(3, 64\) for 4 texts"),
        (lambda rows: rows * np.nan, "not finite"),
        (lambda rows: "words", "for vectors"),
    ],
)
async def test_what_is_no_vector_is_not_kept(opener: Opener, gives: object, says: str) -> None:
    """One error, nothing written; the memories are consolidated all the same, and embedded once it is mended."""
    model = Meaning()
    made = model.embed
    model.embed = lambda texts: gives(made(texts))  # type: ignore[method-assign,operator]
    async with opener(embedder=model) as memory:
        await learned(memory)
        done = await memory.consolidate()
        model.embed = made  # type: ignore[method-assign]
        mended = await memory.consolidate()

    assert 4 == done.activated
    assert 0 == by_model(done)[0]
    with pytest.raises(AssertionError, match=says):
        raise AssertionError(by_model(done)[1])
    assert (4, "") == by_model(mended)


async def test_another_model_is_refused(opener: Opener) -> None:
    """By name and by length, before anything is read; the way back is said."""
    async with opener(embedder=Meaning()) as memory:
        await learned(memory)
        await memory.consolidate()
    for other in (Meaning("meaning-2"), Meaning(dimensions=32)):
        with pytest.raises(StoreIncompatible, match="never mixed") as caught:
            await opener(embedder=other)

        assert "remanence reembed" in caught.value.recovery
    async with opener(embedder="auto") as memory:
        found = await memory.recall("dog")

    assert TEXTS[1] == found.memories[0].memory.text


async def test_a_model_in_a_thread_of_its_own_and_one_that_is_async(opener: Opener) -> None:
    """Both give the same answers."""

    class Later(Meaning):
        async def embed(self, texts: Sequence[str]) -> object:  # type: ignore[override]
            await asyncio.sleep(0)
            return remanence.types.EmbeddedTexts(super().embed(texts))

    found = []
    for model in (Meaning(), Later()):
        async with opener(embedder=model, scope=type(model).__name__) as memory:
            await learned(memory)
            await memory.consolidate()
            found.append([hit.score for hit in (await memory.recall(QUESTION)).memories])

    assert found[0] == found[1]


async def test_a_slow_model_is_not_waited_for(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recall answers without it."""
    monkeypatch.setattr("remanence.flows.base.async_embedder.QUESTION_SECONDS_MAX", 0.05)

    class Slow(Meaning):
        async def embed(self, texts: Sequence[str]) -> object:  # type: ignore[override]
            if texts == [QUESTION]:
                await asyncio.sleep(60)
            return super().embed(texts)

    async with opener(embedder=Slow()) as memory:
        await learned(memory)
        await memory.consolidate()
        found = await memory.recall(QUESTION)

    assert "gave no answer within 0.05 s" in found.without_model


async def test_lost_leases_keep_nothing_twice(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was overtaken while it asked its model writes nothing; the other's vectors stand."""
    model = Meaning()
    async with opener(embedder=model) as memory, opener(embedder=Meaning()) as other:
        await learned(memory)
        await memory.consolidate()
        await learned(memory, ["One more about the ship."])
        monkeypatch.setattr(extra_vectors, "LEASE", -1)
        made = model.embed

        async def overtaken(texts: Sequence[str]) -> object:
            await extra_vectors.fill(other._core)
            return made(texts)

        model.embed = overtaken  # type: ignore[assignment,method-assign]
        done = await memory.consolidate()
        left = await extra_vectors.fill(other._core)

    assert (0, "another process embeds") == by_model(done)
    assert 0 == left.memories


def test_errors_of_models_have_one_root() -> None:
    """Who catches what a model gets wrong catches both."""
    assert issubclass(EmbedderError, remanence.ModelError)


async def test_many_languages_are_suggested_where_most_texts_are_not_english(opener: Opener) -> None:
    """Unless a model is there already, or there are few texts."""
    foreign = [f"La clé numéro {at} est sous le banc de la cuisine." for at in range(10)]
    foreign += [f"第{at}个箱子放在厨房的桌子下面。" for at in range(10)]
    advice = []
    for at, texts in enumerate(
        (foreign, foreign + [f"{text} {text} {at}" for text in TEXTS for at in range(6)], foreign[:12])
    ):
        async with opener(scope=f"of {at}", embedder="auto") as memory:
            await memory.learn(texts)
            advice += [check.advice for check in await memory.doctor() if check.name == "languages"]
    async with opener(scope="of 0", embedder=Meaning()) as memory:
        advice += [check.advice for check in await memory.doctor() if check.name == "languages"]

    assert [True, False, False, False] == ["reembed multilingual" in one for one in advice]


@pytest.mark.parametrize(("words", "offers"), [(60, True), (59, False)])
async def test_a_model_is_offered_where_texts_are_long(opener: Opener, words: int, *, offers: bool) -> None:
    """By the median of what stands, unless there is a model already or there are few texts; nothing is switched on."""
    texts = [f"{'tide ' * (words - 1)}n{at}" for at in range(11)] + [f"short {at}" for at in range(9)]
    async with opener(scope="long", embedder="auto") as memory:
        await memory.learn(texts)
        checks = [await memory.doctor()]
        await memory.forget(1)
        checks.append(await memory.doctor())
    async with opener(scope="long", embedder=Meaning()) as memory:
        await memory.learn("one more")
        checks.append(await memory.doctor())
    found = [check for every in checks for check in every if check.name == "lengths"]

    assert [offers, False, False] == ["reembed local:FOLDER" in one.advice for one in found]
    assert f"half of 20 memories have {words:,} words or more" == found[0].detail
    assert all(one.ok for one in found)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The boat lies in the harbour.", True),
        ("Boat keys?", True),
        ("La llave está debajo del banco.", False),
        ("Ключ лежит под скамейкой.", False),
        ("鍵はベンチの下にあります。", False),
        ("Klucz do łodzi leży pod ławką w kuchni.", False),
    ],
)
def test_languages_are_told_by_function_words(text: str, *, english: bool) -> None:
    """Also such as nobody knows the words of; what is short is given the benefit of the doubt."""
    assert english == reads_as_english(text)


async def test_vectors_are_seen_whatever_becomes_of_who_made_them(opener: Opener) -> None:
    """Others that have the memory open find by them at once, though the process ended right after they were kept."""
    async with opener(embedder=Meaning()) as memory, opener(embedder=Meaning()) as other:
        await learned(memory)
        store, real = memory._core.store, memory._core.store.embed

        async def ends_after(*given: Any, **more: Any) -> int:
            await real(*given, **more)
            raise StoreUnavailable("killed", recovery="open it again")

        store.embed = ends_after  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await memory.consolidate()
        store.embed = real  # type: ignore[method-assign]
        found = await other.recall(QUESTION, limit=1)

    assert (TEXTS[0], "") == (found.memories[0].memory.text, found.without_model)
