"""Times that are told by an event are read from a question, and the event's day from a text, in seven languages."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import DAY, to_micros
from remanence.read.event_relative_times import find_event_day, find_event_time, fold_question
from tests.labelled import read_labelled

SAID = to_micros(datetime(2026, 4, 20, 12, tzinfo=UTC))
LINES = read_labelled("unit/data/when.jsonl")


def _day(number: int | None) -> str | None:
    return None if number is None else str(date.fromordinal(date(1970, 1, 1).toordinal() + number))


def test_labelled_times_are_told_in_every_language() -> None:
    """Two weeks before the open day, of which a text of the same language says when it is."""
    asked = {one["language"]: one["question"] for one in LINES if one.get("kind") == "event"}
    told = {one["language"]: one["text"] for one in LINES if one.get("key") == "d1"}
    events = {code: find_event_time(question) for code, question in asked.items()}

    assert {"en", "de", "es", "fr", "pt", "zh", "ja"} == asked.keys()
    assert {(-17, -11)} == {(one.first, one.last) for one in events.values() if one is not None}
    assert [] == [code for code, one in events.items() if one is None or not one.is_told_by(told[code])]
    assert {"2026-05-30"} == {_day(find_event_day(text, SAID)) for text in told.values()}


@pytest.mark.parametrize(
    ("question", "days", "event"),
    [
        ("What did Tom say the day after the wedding?", (1, 1), "the wedding"),
        ("Who came two months before we moved to Leeds, and why?", (-75, -45), "we moved to leeds"),
        ("What did I learn in the three weeks before the exam?", (-24, -1), "the exam"),
        ("What broke the week after the launch?", (1, 10), "the launch"),
        ("Was war zwei Jahre nach Omas Umzug?", (550, 910), "omas umzug"),
        ("¿Qué comí tres días después de la boda de Ana?", (3, 3), "la boda de ana"),
        ("Qui est venu deux semaines après le déménagement ?", (11, 17), "le déménagement"),
        ("婚礼后三天谁来了？", (3, 3), "婚礼"),
        ("引っ越しの三日後に誰が来た？", (3, 3), "引っ越し"),
    ],
)
def test_how_far_from_which_event(question: str, days: tuple[int, int], event: str) -> None:
    """From so many days after it to so many, below 0 before it: a point give or take some days, or a stretch."""
    read = find_event_time(question)

    assert (days, event) == (None if read is None else ((read.first, read.last), read.event))


@pytest.mark.parametrize(
    "question",
    [
        "What did we do the day before yesterday?",
        "What happened two weeks ago?",
        "What is on the day after tomorrow?",
        "What is on the week after next?",
        "What did we do the week before last?",
        "Was war in der Woche vor der letzten?",
        "What was here 9999 years before the open day?",
        "What did I plant two weeks before May?",
        "How many days after the operation may I drive?",
        "How long before the exam should I sleep?",
        "Was war vor zwei Wochen beim Fest?",
        "安娜两周前说了什么？",
        "三日前に何を食べた？",
        "the week " * 400,
    ],
)
def test_what_names_no_event_is_none(question: str) -> None:
    """Days by their names, what is counted from now, and how long something takes."""
    assert find_event_time(question) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The fair is on 30 May.", "2026-05-30"),
        ("The fair was on 2 April.", "2026-04-02"),
        ("The fair was on 30 December.", "2025-12-30"),
        ("The fair is on 1 March 2028.", "2028-03-01"),
        ("The fair was yesterday.", "2026-04-19"),
        ("The fair was lovely.", None),
        ("The fair is in May.", None),
    ],
)
def test_a_text_names_the_nearest_day(text: str, day: str | None) -> None:
    """To come or over, where it names no year."""
    assert day == _day(find_event_day(text, SAID))


def test_words_that_tell_the_time_are_left_out() -> None:
    """What stands behind the event and is another matter stays."""
    question = "What did Tom say the day after the wedding about the cake?"
    read = find_event_time(question)

    assert read is not None
    rest = read.leave_out(question, "The wedding is on 3 May.").split()
    assert "What did Tom say about cake?" == " ".join(word for word in rest if word != "the")
    assert read.is_told_by("Their wedding cake has a wedding date")
    assert not read.is_told_by("The cake was good.")
    assert read.is_told_alike("Come the day after the party.")


@given(st.text(max_size=80), st.integers(0, 20_000 * DAY))
def test_any_text_is_read(text: str, said_at: int) -> None:
    """Nothing is raised, and what is read has an event in the text."""
    find_event_day(text, said_at)
    question = text + " two weeks before the open day"
    read = find_event_time(question)

    assert read is None or read.words in fold_question(question).casefold()
