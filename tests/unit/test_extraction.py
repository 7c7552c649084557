"""What a writer extracts or shortens is taken only where all of it makes sense of what it was shown."""

from dataclasses import replace
from typing import Any

import pytest

from remanence.core.errors import InvalidInput, WriterError
from remanence.llm.questions import CUT, TURN_CHARS_MAX, build_extract_question, build_judge_question
from remanence.read.extraction import (
    ENTITIES_MAX,
    FACTS_MAX,
    RELATIONSHIPS_MAX,
    Entity,
    ExtractRequest,
    ExtractResult,
    ExtractTurn,
    Fact,
    Relationship,
    ShortenResult,
    checked_extraction,
    checked_shortening,
    checked_turns,
)

TURNS = (ExtractTurn("t1", "Mara drinks tea."),)
FACT = Fact("preference", "Mara drinks tea.", "t1", (0, 16), 0.95, "Mara", ("drinks",), {"drinks": "tea"})
GOOD = ExtractResult((FACT,), (Entity("Mara", "person"),), (Relationship("Mara", "drinks", "tea"),))


def test_what_makes_sense_is_taken_as_it_is() -> None:
    """Nothing is cut of it."""
    assert GOOD == checked_extraction(GOOD, TURNS, ExtractRequest())


@pytest.mark.parametrize(
    "wrong",
    [
        replace(FACT, category="gossip"),
        replace(FACT, turn="t2"),
        replace(FACT, span=(0, 17)),
        replace(FACT, span=(-1, 3)),
        replace(FACT, span=(5, 4)),
        replace(FACT, confidence=1.1),
        replace(FACT, confidence=float("nan")),
        replace(FACT, content=" "),
        replace(FACT, content="x" * 2_001),
        replace(FACT, content="a\0b"),
        replace(FACT, content="a\ud800"),
        replace(FACT, subject="x" * 201),
        replace(FACT, tags=("",)),
        replace(FACT, tags=tuple("abcdefghi")),
        replace(FACT, attributes={"drinks": ""}),
    ],
)
def test_a_wrong_fact_is_left_out_and_counted(wrong: Fact) -> None:
    """The others are taken; where none is right there is no answer, and what it cost is said all the same."""
    taken = checked_extraction(ExtractResult((FACT, wrong), tokens_used=70), TURNS, ExtractRequest())
    with pytest.raises(WriterError) as caught:
        checked_extraction(ExtractResult((wrong,), tokens_used=70), TURNS, ExtractRequest())

    assert ((FACT,), {"facts that make no sense": 1}) == (taken.facts, taken.cut)
    assert 70 == caught.value.tokens_used


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (replace(GOOD, entities=(Entity("Mara", "ticket"),)), "entities"),
        (replace(GOOD, entities=(Entity(""),)), "entities"),
        (replace(GOOD, relationships=(Relationship("Mara", "", "tea"),)), "relationships"),
    ],
)
def test_what_makes_no_sense_beside_facts_is_left_out_and_counted(wrong: ExtractResult, what: str) -> None:
    """The facts are taken as they are."""
    taken = checked_extraction(wrong, TURNS, ExtractRequest())

    assert ((FACT,), (), {f"{what} that make no sense": 1}) == (taken.facts, getattr(taken, what), taken.cut)


@pytest.mark.parametrize(
    ("given", "day", "area"),
    [
        ({"event_at": "2026-05-31", "area": "health"}, "2026-05-31", "health"),
        ({"event_at": "in May", "area": "other"}, "", ""),
        ({"area": "weather"}, "", ""),
    ],
)
def test_a_day_or_an_area_that_is_none_is_left_out_of_a_fact(
    given: dict[str, str], day: str, area: str
) -> None:
    """The fact is taken without it."""
    (fact,) = checked_extraction(ExtractResult((replace(FACT, **given),)), TURNS, ExtractRequest()).facts  # type: ignore[arg-type]

    assert (day, area) == (fact.event_at, fact.area)


def test_what_is_no_extraction_is_refused() -> None:
    """Nothing of it can be taken."""
    with pytest.raises(WriterError, match="the writer gave"):
        checked_extraction(None, TURNS, ExtractRequest())


def test_what_a_writer_left_out_itself_stays_counted() -> None:
    """Whoever looks at an answer again adds to the count."""
    fifteen = ExtractResult((FACT,) * 15, cut={"facts": 2, "entities": -1})
    taken = checked_extraction(checked_extraction(fifteen, TURNS, ExtractRequest()), TURNS, ExtractRequest())

    assert (FACTS_MAX, {"facts": 5}) == (len(taken.facts), taken.cut)


def test_what_is_beyond_the_limits_is_counted() -> None:
    """Twelve facts, six entities and five relationships are taken; some tags are only proposed."""
    many = ExtractResult(
        (replace(FACT, tags=("self/value", " Self/Goal", "rejected-path", "tea")),) * 15,
        (Entity("Mara"),) * 7,
        (Relationship("Mara", "drinks", "tea"),) * 6,
    )
    taken = checked_extraction(many, TURNS, ExtractRequest())

    assert (FACTS_MAX, ENTITIES_MAX, RELATIONSHIPS_MAX) == (
        len(taken.facts),
        len(taken.entities),
        len(taken.relationships),
    )
    assert {"facts": 3, "entities": 1, "relationships": 1} == taken.cut
    assert {(("tea",), ("self/value", " Self/Goal", "rejected-path"))} == {
        (fact.tags, fact.proposed) for fact in taken.facts
    }


@pytest.mark.parametrize(
    "wrong", [None, ShortenResult(""), ShortenResult("x" * 100), ShortenResult("a b c d e f g h i j k l m")]
)
def test_what_is_not_shorter_is_no_shorter_text(wrong: Any) -> None:
    """Nothing, more characters than before, and more tokens than allowed."""
    with pytest.raises(WriterError):
        checked_shortening(wrong, "A text of many words that can be said in fewer words.", 4)


def test_what_is_wanted_has_limits() -> None:
    """No categories, too many, or a long instruction are refused; what is wanted has a hash of its own."""
    for wrong in ({"categories": ()}, {"categories": ("",)}, {"instruction": "x" * 1_001}):
        with pytest.raises(InvalidInput):
            ExtractRequest(**wrong)
    for turns in ((), TURNS * 101):
        with pytest.raises(InvalidInput):
            checked_turns(turns)

    assert 3 == len(
        {ExtractRequest().hash, ExtractRequest(("fact",)).hash, ExtractRequest(instruction="no names").hash}
    )


def test_instructions_and_texts_never_mix() -> None:
    """What the owner wants is told the model as such; what was said stands in the data alone, cut where it is long."""
    asked = build_extract_question(
        [ExtractTurn("t1", "secret words " * 1_000)], ExtractRequest(instruction="Leave names alone.")
    )

    assert "Leave names alone." in asked.instructions
    assert "secret" not in asked.instructions
    assert "Leave names alone." not in asked.shown
    assert CUT in asked.shown
    assert len(asked.shown) < TURN_CHARS_MAX + 500


def test_a_question_shows_each_text_on_one_line() -> None:
    """Whatever line ends a text has."""
    shown = build_judge_question("a\nb\u2028c\x85d\x0ce", "who", {"id": "x\ry"}).shown

    assert ["{", "{", "{"] == [line[0] for line in shown.splitlines()[2:-1]]
