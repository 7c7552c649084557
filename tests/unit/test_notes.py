"""Diaries in Markdown: what was said on which day, and nothing of it lost."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import to_datetime, to_micros
from remanence.core.errors import IngestError
from remanence.write.transcripts.formats import parse


def said(text: str, source: str = "diary.md") -> list[tuple[str, str]]:
    """Return the texts of a diary, each with its day and hour, "" where it has none."""
    turns = parse(text, source=source).turns
    return [("" if one.said_at is None else _day(one.said_at), one.text) for one in turns]


def _day(at: datetime | int) -> str:
    return to_datetime(to_micros(at)).strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("heading", "day"),
    [
        ("# 2026-01-14", "2026-01-14 12:00"),
        ("## 2026-01-14 08:30", "2026-01-14 08:30"),
        ("### 2026/1/4: The roof", "2026-01-04 12:00"),
        ("## Tuesday, 3 February 2026", "2026-02-03 12:00"),
        ("## March 7th, 2026 — trip", "2026-03-07 12:00"),
        ("## 5. März 2026", "2026-03-05 12:00"),
        ("## Montag, den 5.3.2026", "2026-03-05 12:00"),
        ("## le 2 août 2026", "2026-08-02 12:00"),
        ("## 9 de mayo de 2026", "2026-05-09 12:00"),
        ("## 1º de junho de 2026", "2026-06-01 12:00"),
        ("## 2026年4月1日", "2026-04-01 12:00"),
    ],
)
def test_a_heading_tells_the_day(heading: str, day: str) -> None:
    """As people of seven languages write it, with or without an hour."""
    assert [(day, "The gutter leaks.")] == said(f"{heading}\nThe gutter leaks.")


def test_front_matter_or_the_name_of_the_file_tells_the_day() -> None:
    """A heading with a date goes before both."""
    front = "---\ntitle: roof\nDate: '2026-02-03'\n---\nOne.\n## 2026-02-04\nTwo."

    assert [("2026-02-03 12:00", "One."), ("2026-02-04 12:00", "Two.")] == said(front)
    assert [("2026-01-14 12:00", "One.")] == said("One.", "2026/2026-01-14 roof.md")
    assert [("", "One.")] == said("# Diary\nOne.")


def test_paragraphs_and_items_are_turns_and_wrapped_lines_are_one() -> None:
    """Bullets go, numbers stay; code keeps its lines, and a heading inside is none."""
    text = (
        "# 2026-01-14\nThe roof was\nrepaired.\n\n- Anna came\n  with soup.\n- The tap drips.\n***\n"
        "1. bread\n2. salt\n\n"
        "We meet on the\n12. Mai at home.\n\n```\n# no heading\n\n- no item\n```\n\n屋根を\n直した。"
    )

    assert [
        "The roof was repaired.",
        "Anna came with soup.",
        "The tap drips.",
        "1. bread",
        "2. salt",
        "We meet on the 12. Mai at home.",
        "```\n# no heading\n\n- no item\n```",
        "屋根を直した。",
    ] == [one for _, one in said(text)]


@pytest.mark.parametrize(
    ("text", "line"), [("Hm.\n# 3/4/2026\nx", 2), ("# 2026-02-30\nx", 1), ("---\ndate: soon\n---\nx", 2)]
)
def test_a_day_that_is_none_or_may_be_two_is_refused(text: str, line: int) -> None:
    """With its line, and how to write it."""
    with pytest.raises(IngestError, match="day") as raised:
        parse(text, source="diary.md")

    assert (line, "write the day like 2026-01-14") == (raised.value.line, raised.value.recovery)


@given(st.lists(st.text("ab 12.-*[]`~é家", min_size=1), min_size=1))
def test_no_word_is_lost_and_a_diary_that_grows_keeps_its_keys(lines: list[str]) -> None:
    """Whatever stands under a day stands in its turns, in order; what is added later changes no key."""
    text = "# 2026-01-14\n" + "\n".join(lines)
    turns, more = (parse(one, "notes", "d.md").turns for one in (text, f"{text}\n\n# 2026-01-15\nOne more."))
    letters = [sign for line in lines for sign in line if sign.isalpha()]
    kept = {one.key for one in turns}

    assert letters == [sign for one in turns for sign in one.text if sign.isalpha()]
    assert kept <= {one.key for one in more} or "```" in text or "~~~" in text
    assert all(one.said_at is not None for one in turns)
