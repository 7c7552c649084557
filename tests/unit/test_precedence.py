"""Which later answer stands above the best one: of one speaker, on one matter, where a question asks what holds now."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.model import Role, Trust
from remanence.languages.families import QUESTIONS
from remanence.read.precedence import AMONG, Precedence, RankedText, asks_now, find_precedence
from remanence.text.analysis import stems

PADDING = "We talked about the garden, neighbours, a film, two recipes, bread, the harbour and last summer. "


def ranked(*texts: str, speaker: str = "Ana") -> list[RankedText]:
    """Return answers in order, each said later than the one before."""
    return [
        RankedText(seq, text, speaker, Role.USER, Trust.USER, seq, 1.0 - seq / 100)
        for seq, text in enumerate(texts, 1)
    ]


def found(question: str, *texts: str) -> Precedence | None:
    """Ask among some answers; all words weigh alike."""
    return find_precedence(question, dict.fromkeys(stems(question), 1.0), ranked(*texts))


@pytest.mark.parametrize(
    ("question", "now"),
    [
        ("When does the choir meet?", True),
        ("How many beds has the hut?", True),
        ("Who is our first goalkeeper?", True),
        ("When did the choir meet?", False),
        ("Where did we used to meet?", False),
        ("What was the rent before?", False),
        ("List all the hotels.", False),
        ("Where does the choir meet in 2024?", False),
        ("Wann ist die Probe?", True),
        ("Wann war die Probe früher?", False),
        ("¿Dónde vive Diego?", True),
        ("¿Dónde vivía Diego antes?", False),
        ("Où habite Hugo ?", True),
        ("Où était la chorale avant ?", False),
        ("Onde mora o Caio?", True),
        ("Onde o Caio morava antes? Era no Porto?", False),
        ("王强住在哪里？", True),
        ("王强以前住在哪里？", False),
        ("会議はどこですか。", True),
        ("会議はどこでしたか。", False),
        ("Where is it? " * 40, False),
    ],
)
def test_a_question_asks_what_holds_now_of_one_thing(question: str, now: bool) -> None:
    """Not what was, nor for a list, an order or a year; in seven languages."""
    assert now is asks_now(question)


@pytest.mark.parametrize(
    ("question", "old", "new", "why"),
    [
        (
            "When does the choir meet?",
            "The choir meets on Monday.",
            "The choir meets on Friday.",
            "said later, friday for monday",
        ),
        (
            "Where does the choir meet?",
            "The choir meets in the gym.",
            "The choir meets in the church now.",
            "said later, with a word of change",
        ),
        (
            "How much is the rent of the flat?",
            f"{PADDING}The rent of the flat is €740.",
            f"{PADDING}The rent of the flat is €790.",
            "said later, 790 for 740",
        ),
        (
            "How many beds does the hut have?",
            f"{PADDING}The hut has 12 beds.",
            f"{PADDING}The hut has 9 beds.",
            "said later, 9 for 12",
        ),
        (
            "When does the choir meet?",
            f"{PADDING}The choir meets on Monday.",
            f"{PADDING}The choir meets on Friday.",
            "said later, friday for monday",
        ),
        (
            "Where does the choir meet?",
            f"{PADDING}The choir meets in the gym.",
            f"{PADDING}From now on the choir meets in the church.",
            "said later, with a word of change",
        ),
    ],
)
def test_a_later_word_on_the_same_matter_stands_above(question: str, old: str, new: str, why: str) -> None:
    """Short texts by another value or a word of change, long ones by a value of the kind that is asked for."""
    assert Precedence(1, why) == found(question, old, new)


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("When did the choir meet?", "The choir meets on Monday.", "The choir meets on Friday."),
        ("When does the choir meet?", "The choir meets on Monday.", "Chess is on Friday."),
        ("When does the choir meet?", "The choir meets on Monday.", "The choir meets in the gym."),
        ("When does the choir meet?", "The choir meets on Monday.", "If the choir meets on Friday, I come."),
        ("When does the choir meet?", "The choir meets on Monday.", "Does the choir meet on Friday?"),
        ("When does the choir meet?", "The ferry is late.", "The ferry is on Friday now."),
        ("Where does the choir meet?", f"{PADDING}The choir is big.", f"{PADDING}The ferry is late now."),
        ("Where does the choir meet?", f"{PADDING}The choir meets.", f"{PADDING}The choir meets often."),
    ],
)
def test_another_matter_the_same_word_and_a_doubt_stand_where_they_are(
    question: str, old: str, new: str
) -> None:
    """In doubt the order stays."""
    assert found(question, old, new) is None


def test_only_the_speakers_own_later_word_counts() -> None:
    """Not another's, an assistant's, one believed less, or what was said before; a link says it where words do not."""
    question, weights = "When does the choir meet?", {"choir": 1.0, "meet": 1.0}
    old, new = ranked("The choir meets on Monday.", "The choir meets on Friday.")
    others = (
        replace(new, speaker="Ben"),
        replace(new, trust=Trust.AGENT),
        replace(new, said_at=0),
        replace(new, role=Role.ASSISTANT),
    )
    linked = replace(new, text="It is Friday these days.")

    assert [None] * 4 == [find_precedence(question, weights, [old, one]) for one in others]
    assert find_precedence(question, weights, [old, linked]) is None
    assert find_precedence(question, weights, [old, linked], {(new.seq, old.seq)}) is not None
    assert find_precedence(question, weights, [old]) is None


@given(st.integers(2, 25))
def test_what_is_further_down_than_ten_stays_there(count: int) -> None:
    """And of several the best ranked one moves."""
    texts = ["The choir meets on Monday.", *["Chess is fun."] * (count - 2), "The choir meets on Friday."]
    moved = found("When does the choir meet?", *texts)

    assert (None if count > AMONG else count - 1) == (None if moved is None else moved.place)


def test_every_language_has_words_of_each_sort() -> None:
    """So that none is asked in vain."""
    for one in QUESTIONS.values():
        assert one.elsewhen
        assert one.counts
        assert one.sums
        assert one.times


def test_a_linked_correction_answers_what_was_too() -> None:
    """What was told wrongly was never so; what changed since does not stand above what was."""
    first, right = ranked("The van was 85 a day.", "I told you the wrong thing, the van was 58 a day.")
    changed = replace(right, text="The van is 58 a day now.")
    question, newer = "What did the van cost per day?", {(right.seq, first.seq)}
    weights = dict.fromkeys(stems(question), 1.0)

    assert Precedence(1, "said later, and linked as newer") == find_precedence(
        question, weights, [first, right], newer
    )
    assert find_precedence(question, weights, [first, right]) is None
    assert find_precedence(question, weights, [first, changed], newer) is None
