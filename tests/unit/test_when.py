"""Which days a question asks about, read from its words against a given present."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import TIME_MAX, to_datetime, to_micros
from remanence.read.when import QUESTION_CHARS_MAX, SPANS_MAX, find_time_spans
from tests.labelled import read_labelled

NOW = to_micros(datetime(2026, 6, 15, 15, tzinfo=UTC))  # a Monday
WORDS = (
    "last next tuesday may in on 31 2 0 99999999 weeks ago vor zwei monaten hace il y a 上周二 3 个月前 先週 の 2024"
).split()


def _days(question: str, now: int = NOW) -> list[str]:
    """Return the days of each span that is read, the last one only where it is another."""
    spans = [
        [to_datetime(end).date().isoformat() for end in (span.begins, span.ends)]
        for span in find_time_spans(question, now)
    ]
    return [first if first == last else f"{first} {last}" for first, last in spans]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What did I eat last Tuesday?", ["2026-06-09"]),
        ("What did we say in May?", ["2026-05-01 2026-05-31"]),
        ("What happened in July?", ["2025-07-01 2025-07-31"]),
        ("What did he say in June?", ["2026-06-01 2026-06-30"]),
        ("and last June?", ["2025-06-01 2025-06-30"]),
        ("Who called two weeks ago?", ["2026-05-29 2026-06-04"]),
        ("What did I buy on 7 May 2023?", ["2023-05-07"]),
        ("What did I buy on 2023-05-07?", ["2023-05-07"]),
        ("Was kaufte ich am 7.5.2023?", ["2023-05-07"]),
        ("2023年5月7日に何を買った？", ["2023-05-07"]),
        ("What did I buy on 31 April?", []),
        ("Who may use the pool?", []),
        ("When does the march begin?", []),
        ("What is on next Tuesday?", []),
        ("Who is coming tomorrow?", []),
        ("What is due before May?", []),
        ("Was passierte vor Mai?", []),
        ("Was war letzten Dienstag, gestern und im Mai?", ["2026-06-09", "2026-06-14", "2026-05-01 2026-05-31"]),
        ("What have I read since March?", ["2026-03-01 2026-06-15"]),
        ("六月以来我读了什么？", ["2026-06-01 2026-06-15"]),
        ("開放日の二週間前に何をした？", []),
        ("Where was he in the last week of October 2023?", ["2023-10-01 2023-10-31"]),
    ],
)  # fmt: skip
def test_the_days_that_words_mean(question: str, days: list[str]) -> None:
    """A month without its year is the latest, what is to come is none, and "may" is no month by itself."""
    assert days == _days(question)


def test_last_tuesday_is_two_days_where_people_mean_either() -> None:
    """On a Thursday it is the day before yesterday for some, and that of the week before for others."""
    thursday = to_micros(datetime(2026, 6, 18, 9, tzinfo=UTC))

    assert ["2026-06-16", "2026-06-09"] == _days("What did I eat last Tuesday?", thursday)


def test_all_labelled_days_but_those_of_an_event_are_read() -> None:
    """In seven languages, from the labels that were written before the rules."""
    lines = [
        line
        for line in read_labelled("unit/data/when.jsonl")
        if "question" in line and line["kind"] != "event"
    ]
    wrong = [
        line["question"]
        for line in lines
        if _days(line["question"]) != ([" ".join(dict.fromkeys(line["span"]))] if line["span"] else [])
    ]

    assert (133, []) == (len(lines), wrong)


def test_a_text_that_was_pasted_asks_about_no_day() -> None:
    """Nor does one that names more days than a question does."""
    assert [] == _days("yesterday " + "a" * QUESTION_CHARS_MAX)
    assert [] == _days(", ".join(f"on {day} May" for day in range(1, SPANS_MAX + 2)))


@given(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=60),
    st.integers(-TIME_MAX + 1, TIME_MAX - 1),
)
def test_whatever_is_asked_is_read_as_times_that_have_begun(question: str, now: int) -> None:
    """No words and no present make it fail, and no span ends before it begins."""
    for span in find_time_spans(question, now):
        assert span.begins <= min(now, span.ends)
        assert span.words
