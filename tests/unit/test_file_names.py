"""Files of a mirror are called by what was said, in names that any system can take."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.model import Memory, Status, Tier
from remanence.flows.mirror.file_names import as_title, path_key, path_without_id, paths_with_id, title_of

UNTAKEN = set("<>:\"/\\|?*'$`!#^[]\0\n\r\t")
ID = "01a205cb95ca7c9eb86547d43e49ab29"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The roof was repaired. It cost 40.", "The roof was repaired"),
        ("Dr. Reed came at 12:30. He left.", "Dr. Reed came at 12.30"),
        ("Note: buy milk and/or bread?", "Note - buy milk and-or bread"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("- one; two", "one"),
        ("# Heading\n\nmore", "Heading"),
        ('Ana\'s "cat" `ls` $HOME', "Ana\u2019s cat ls HOME"),
        ("The door code is [secret: code].", "The door code is secret - code"),
        ("a\u202eb\u200bc\u3164d\ufe0f", "abcd"),
        ("Cafe\u0301 Lisboa", "Caf\u00e9 Lisboa"),
        ("\u0301abc", "abc"),
        ("word " * 40, " ".join(["word"] * 12)),
        ("x" * 300, "x" * 60),
        ("\u5c4b" * 300, "\u5c4b" * 60),
        ("\U0001f3e0" * 300, "\U0001f3e0" * 45),
        (
            "\u5c4b\u6839\u3092\u76f4\u3057\u305f\u3002\u9ad8\u304b\u3063\u305f\u3002",
            "\u5c4b\u6839\u3092\u76f4\u3057\u305f",
        ),
        ("```\ncode\n```\nThe tide is high.", "The tide is high"),
        ("...", "moment"),
        ("\u200b", "moment"),
    ],
)
def test_a_title_is_how_a_text_begins(text: str, title: str) -> None:
    """Its first sentence, cut at a word, without what a system or a shell reads otherwise; else its category."""
    memory = Memory(1, ID, "default", text, Status.ACTIVE, Tier.HOT, 0, 0, 0, 0, b"", category="moment")

    assert title == title_of(memory)


@given(st.text(max_size=300))
def test_a_title_can_be_a_name_anywhere(text: str) -> None:
    """Short, visible, in NFC, with nothing at its ends that hides it or is cut off; of itself it is the title."""
    title = as_title(text)

    assert len(title) <= 60
    assert len(title.encode()) <= 180
    assert title.isprintable()
    assert not UNTAKEN & set(title)
    assert title == unicodedata.normalize("NFC", title)
    assert title == title.strip(" .")
    assert not title or not unicodedata.combining(title[0])
    assert title == as_title(title)


def test_a_name_with_an_id_is_told_from_one_without() -> None:
    """Eight digits of it or all, in brackets before the ending; the name without is found again."""
    short, whole = paths_with_id("facts/2026-01/2026-01-14 The roof.md", ID)

    assert "facts/2026-01/2026-01-14 The roof (3e49ab29).md" == short
    assert f"facts/2026-01/2026-01-14 The roof ({ID}).md" == whole
    assert ["facts/2026-01/2026-01-14 The roof.md"] * 2 == [path_without_id(one) for one in (short, whole)]
    assert path_without_id("facts/2026-01/2026-01-14 The roof.md") is None


def test_names_that_a_file_system_takes_for_one_have_one_key() -> None:
    """In whatever case, composed or not."""
    assert path_key("facts/The Roof.md") == path_key("facts/the roof.md")
    assert path_key("facts/Caf\u00e9.md") == path_key("facts/CAFE\u0301.md")
    assert path_key("facts/The roof.md") != path_key("facts/The roofs.md")
