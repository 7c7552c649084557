"""Front matter of notes is read as YAML wherever it begins a note; damaged, doubled or hurtful it does no harm."""

from collections.abc import Mapping

import pytest

from remanence.write.transcripts.formats import Transcript, parse_source
from remanence.write.transcripts.importer_source import Source
from remanence.write.transcripts.note_properties import STRAY_LINE, parse_yaml

SECOND = "second front matter of a note, read as one with the first"
OPEN = "front matter that is not closed, read as far as it goes"


def read(text: str, format: str = "vault") -> Transcript:  # noqa: A002
    """Read one note."""
    return parse_source(Source("kiln.md", {"kiln.md": text.encode()}), format)


@pytest.mark.parametrize(
    ("text", "tags", "texts", "skipped"),
    [
        ('---\ntags: [clay, "red clay"]\n---\nFire.', ["clay", "red clay"], ["Fire."], {}),
        ("\n\n---\ntags: clay\n---\nFire.", ["clay"], ["Fire."], {}),
        (
            "---\ntags: [clay]\n---\n\n---\ntitle: A\ntags:\n  - ash\n---\nFire.",
            ["clay", "ash"],
            ["Fire."],
            {SECOND: 1},
        ),
        (
            "---\ntags: [clay]\n---\n---\nstatus: dry\n---\nFire.",
            ["clay"],
            ["Fire."],
            {SECOND: 1, "property of a note": 1},
        ),
        ("---\ntitle: A\ntags: [clay]\n\nFire.\n\n---\n\nWait.", ["clay"], ["Fire.", "Wait."], {OPEN: 1}),
        ("---\ntags: [clay]\n# Kiln\nFire.", ["clay"], ["Fire."], {OPEN: 1}),
        ("---\ntitle: Kiln: a plan\ntags: clay, ash\n---\nFire.", ["clay", "ash"], ["Fire."], {}),
        ("---\ntags: clay\n%%% damaged\ntitle: A\n---\nFire.", ["clay"], ["Fire."], {STRAY_LINE: 1}),
        ("---\ntags: #clay ash\n---\nFire.", ["clay", "ash"], ["Fire."], {}),
        ('---\ntags: \'["clay", "ash"]\'\n---\nFire.', ["clay", "ash"], ["Fire."], {}),
        ("---\ntags:\n- '[\"clay\"'\n- '\"red ash\"]'\n---\nFire.", ["clay", "red ash"], ["Fire."], {}),
        ("---\ntags: [[clay, [ash]], {kiln: [hot]}]\n---\nFire.", ["clay", "ash", "hot"], ["Fire."], {}),
        (
            "---\ntags: [2026, 1.10, no, null, 2026-03-01]\n---\nFire.",
            ["2026", "1.10", "no", "2026-03-01"],
            ["Fire."],
            {},
        ),
        ("---\ntags: !!python/name:os.system clay\n---\nFire.", ["clay"], ["Fire."], {}),
        ("---\nFire.\n---\nWait.", [], ["Fire.", "Wait."], {}),
        ("Fire.\n\n---\ntitle: no front\n---\n", [], ["Fire.", "title: no front"], {}),
        (
            "---\ntags: [clay]\n---\n\n---\nHe said to all of us: go.\n---\n",
            ["clay"],
            ["He said to all of us: go."],
            {},
        ),
    ],
)
def test_front_matter_is_read_wherever_it_begins_a_note(
    text: str, tags: list[str], texts: list[str], skipped: Mapping[str, int]
) -> None:
    """Twice, not closed, damaged, with tags in pieces; text between two rules stays text."""
    found = read(text)

    assert texts == [turn.text for turn in found.turns]
    assert [tags] * len(texts) == [list(turn.tags) for turn in found.turns]
    assert skipped == {
        why: count for why, count in found.skipped.items() if "title" not in found.examples[why]
    }


def test_a_diary_keeps_tags_and_counts_what_it_does_not_read() -> None:
    """A tag is no day, where it is none."""
    found = read("---\ndate: 2026-03-01\ntag: clay\ntags: [ash]\nmood: [dry, hot]\n---\nFire.", "notes")

    assert [("clay", "ash")] == [tuple(sorted(turn.tags, reverse=True)) for turn in found.turns]
    assert found.turns[0].said_at is not None
    assert {"property of a note": "mood: dry, hot"} == found.examples


@pytest.mark.parametrize(
    "value",
    [
        "[" * 60_000,
        "- " * 30_000,
        "{a: " * 15_000,
        "&a [*a]",
        "&a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
        "x" * 70_000,
        "'",
        "\x00",
        "\ud800",
        "1\n--- 2",
    ],
)
def test_a_hurtful_text_is_refused_before_anything_is_built_of_it(value: str) -> None:
    """Deep, long, doubled by aliases, unclosed, of signs that no YAML has, of several documents."""
    with pytest.raises(ValueError, match=r"."):
        parse_yaml(f"a:\n  {value}\n")
