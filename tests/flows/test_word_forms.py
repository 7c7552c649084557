"""A question finds its words in their other forms, in the languages of the scope, and says nothing by its pronouns."""

import asyncio

import numpy as np
import pytest

import remanence
from remanence.core.model import Turn
from remanence.flows.indexes import scope_words
from remanence.recall.spoken import hear_text
from remanence.store.capabilities import VOCABULARY
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.conftest import Opener
from tests.flows.test_partial_stores import lack, open_on

SOUP = "Gestern habe ich mit der Nachbarin Linsensuppe gekocht."
GERMAN = (
    SOUP,
    "Ich habe das Rad in den Keller gestellt, weil es regnet.",
    "Wir parken mit dem Anhänger immer am Güterbahnhof.",
    "Die Fähre legt bei Nebel nicht am Nordufer ab.",
    "Ich bin mit dem Zug nach Kiel und von dort mit dem Boot weiter.",
)
ENGLISH = ("The choir meets on Monday in the old brewery.", "She sold her car to the neighbours.")


async def _find(memory: remanence.Engine, question: str) -> list[str]:
    answer = await memory.recall(question, count_use=False)
    return [hit.memory.text for hit in answer.memories if hit.parts["lexical"] > 0]


async def _learn(memory: remanence.Engine, *texts: str) -> None:
    """Learn texts in sessions of their own, so that none lends another its words."""
    await memory.learn([Turn(text, session=text[:9]) for text in texts])


async def test_a_question_finds_its_words_in_other_forms(memory: remanence.Engine) -> None:
    """With what `held` says of it: all of the question is held."""
    await _learn(memory, *GERMAN, *ENGLISH)
    (hit,) = (await memory.recall("Was kochst du?", limit=1, count_use=False)).memories

    assert SOUP == hit.memory.text
    assert 1.0 == pytest.approx(hit.parts["held"])
    assert [SOUP] == await _find(memory, "kochst")
    assert [GERMAN[3]] == await _find(memory, "Welche Fähren?")


async def test_a_pronoun_finds_nothing(memory: remanence.Engine) -> None:
    """Though it is a rare word of the index: it left those out that are known to be German."""
    await _learn(memory, *GERMAN, *ENGLISH, "Ich: Ines.")

    assert [SOUP] == await _find(memory, "Was koche ich?")
    assert ["Ich: Ines."] == await _find(memory, "ich")


async def test_what_is_english_is_asked_as_ever(memory: remanence.Engine) -> None:
    """A question in English asks for no German forms."""
    await _learn(memory, *GERMAN, *ENGLISH)

    assert [ENGLISH[1]] == await _find(memory, "What about the car?")
    assert {} == memory._core.index.words._forms


async def test_a_scope_in_english_alone_asks_for_no_forms(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more is asked of the store."""
    await _learn(memory, *ENGLISH)
    monkeypatch.setattr(memory._core.store, "vocabulary", None)

    assert [ENGLISH[0]] == await _find(memory, "Was ist mit dem Choir?")


async def test_forms_follow_what_is_told(memory: remanence.Engine) -> None:
    """What comes after a question is found in other forms by the next one; an edited text by its new words alone."""
    await _learn(memory, *GERMAN)
    before = await _find(memory, "Wer strickt?")
    learned = await memory.learn("Oma hat eine Mütze gestrickt.", session="later")
    after = await _find(memory, "Wer strickt?")
    await memory.update(learned.seq, text="Oma hat eine Mütze genäht.")

    assert ([], ["Oma hat eine Mütze gestrickt."]) == (before, after)
    assert [] == await _find(memory, "Wer strickt?")
    assert ["Oma hat eine Mütze genäht."] == await _find(memory, "Wer nähte?")


async def test_another_process_may_write(opener: Opener) -> None:
    """What it tells is found in other forms, and its language is heard."""
    async with opener() as one, opener() as other:
        await _learn(one, *ENGLISH)
        before = await _find(one, "Was kochst du?")
        await _learn(other, *GERMAN)

        assert ([], [SOUP]) == (before, await _find(one, "Was kochst du?"))


async def test_nothing_stays_of_what_is_erased(memory: remanence.Engine) -> None:
    """No form of its words is kept, and nothing that was heard of it."""
    await _learn(memory, *GERMAN[1:])
    gone = await memory.learn(SOUP, session="gone")
    found = await _find(memory, "Was kochst du?")
    words = memory._core.index.words
    kept = [*words._forms.items()], gone.seq in words._heard
    await memory.erase.apply(await memory.erase.show(gone.seq))

    assert ([SOUP], True) == (found, kept[1])
    assert "gekocht" in str(kept[0])
    assert [] == await _find(memory, "Was kochst du?")
    assert "gekocht" not in str(words._forms)
    assert gone.seq not in words._heard


async def test_what_is_deleted_is_heard_no_more(memory: remanence.Engine) -> None:
    """Nor what is in another language since it was edited."""
    seqs = [learned.seq for learned in await memory.learn([Turn(text) for text in GERMAN])]
    await _find(memory, "Was kochst du?")
    await memory.forget(seqs[0])
    await memory.update(seqs[1], text=ENGLISH[0])
    await _find(memory, "Was kochst du?")
    heard = memory._core.index.words._heard

    assert {seqs[1]: "en", **dict.fromkeys(seqs[2:], "de")} == {
        seq: one.language for seq, one in heard.items()
    }


async def test_an_archive_that_left_the_index_is_found_in_other_forms(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the hashes of the forms, and by the text of what was read."""
    monkeypatch.setattr("remanence.flows.indexes.scope_index.INDEXED_MAX", 0)
    await _learn(memory, *GERMAN)
    await memory.consolidate()
    (soup,) = [one for one in await memory.list() if one.text == SOUP]
    await memory.tag(soup.seq, "away")
    policy = "version = 1\nname = 'away'\n[[rule]]\nname = 'away'\nevery = 'deep'\nphase = 'expire'\n"
    await memory.apply(await memory.plan(f"{policy}where = \"tagged('away')\"\ndo = 'archive'\n"))
    answer = await memory.recall("Was kochst du?", count_use=False)

    assert memory._core.index.leaves_archive
    assert (SOUP, True) == (answer.memories[0].memory.text, answer.memories[0].archived)
    assert 1.0 == pytest.approx(answer.memories[0].parts["held"])


async def test_frames_ask_in_other_forms(memory: remanence.Engine) -> None:
    """As recall does."""
    await _learn(memory, *GERMAN)
    await memory.consolidate()
    questions = ("Was kochst du?", "Welche Fähren?", "Wo parkst du?")
    frames = [await memory.frame("attention", query=question) for question in questions]

    assert [SOUP, GERMAN[3], GERMAN[2]] == [frame.memories[0].memory.text for frame in frames]


async def test_what_is_heard_is_the_same_followed_or_read_anew(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where only some are heard: these are spread over all, and as many as may be."""
    monkeypatch.setattr(scope_words, "HEARD_MAX", 8)
    for number in range(40):
        await memory.learn(f"{GERMAN[number % 5]} {number}")
        await _find(memory, "Was kochst du?")
    await memory.forget(7)
    await memory.update(9, text="She sold her car to us.")
    await _find(memory, "Was kochst du?")
    words = memory._core.index.words
    heard, share = dict(words._heard), words._share
    await words.read(np.array([one.seq for one in await memory.list(oldest_first=True)], np.int64))

    assert 4 <= len(heard) <= 8
    assert all(heard[seq] == one for seq, one in words._heard.items() if seq in heard)
    assert (share, heard) == (words._share, words._heard)
    assert 20 < max(heard)


async def test_a_long_question_asks_for_its_words_as_they_are(memory: remanence.Engine) -> None:
    """It has enough of them."""
    await _learn(memory, *GERMAN)
    words = " ".join(f"wort{chr(97 + k // 26)}{chr(97 + k % 26)}k" for k in range(scope_words.ASKED_MAX))

    assert [] == await _find(memory, f"Was kochst du? {words}")
    assert [SOUP] == await _find(memory, f"Was kochst du? {words[:200]}")


async def test_no_more_forms_are_asked_for_than_eight(memory: remanence.Engine) -> None:
    """The word itself is one of them, and the likest come first."""
    endings = ("", "e", "en", "er", "es", "em", "ern", "est", "ste", "sten", "t", "te", "ten")
    await _learn(memory, *GERMAN, *(f"Hier liegt das Wort blak{end}." for end in endings))
    await _find(memory, "Was heißt blakt?")
    forms = memory._core.index.words._forms["de", "blakt"]

    assert scope_words.FORMS_MAX - 1 == len(forms)
    assert "blakt" not in forms
    assert sorted(forms, key=lambda word: (abs(len(word) - 5), word)) == list(forms)


async def test_a_store_without_vocabulary_answers_by_words_as_they_are() -> None:
    """It lacks the other forms, and nothing else."""
    for store, expected in ((lack(VOCABULARY), []), (MemoryStore(), [SOUP])):
        async with open_on(store) as memory:
            await _learn(memory, *GERMAN)

            assert expected == await _find(memory, "Was kochst du?")
            assert [SOUP] == await _find(memory, "Wer hat gekocht?")


async def test_questions_at_once_are_answered_alike(memory: remanence.Engine) -> None:
    """Each asks for its own forms."""
    await _learn(memory, *GERMAN)
    questions = ["Was kochst du?", "Welche Fähren?", "Wo parkst du?"] * 4
    answers = await asyncio.gather(*(_find(memory, question) for question in questions))

    assert [[SOUP], [GERMAN[3]], [GERMAN[2]]] * 4 == answers


def test_long_texts_are_heard_by_how_they_begin() -> None:
    """So that reading a scope of long texts costs no more."""
    assert "de" == hear_text(f"{SOUP} {'x ' * 10_000}"[: scope_words.HEARD_CHARS_MAX]).language
