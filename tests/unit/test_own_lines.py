"""The lines of an answer are told by their marks, and by nothing that only looks like one."""

import pytest

from remanence.core.results import WEAK
from remanence.flows.write.echoes import LINES_MAX, OwnLine, read_own_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[#12 2026-01-31 Ann, from a file; tool] The door shuts.",
            (OwnLine((("", 12),), "The door shuts.", "Ann"),),
        ),
        (
            "[#1 2026-01-31] One.\n\n  [#2 2026-01-31] Two.",
            (OwnLine((("", 1),), "One."), OwnLine((("", 2),), "Two.")),
        ),
        (f"{WEAK}\n[#1 2026-01-31] One.", (OwnLine((("", 1),), "One."),)),
        (
            "[#7 2026-02-01 bot] [#1 2026-01-31 Ann; cut] … One …",
            (OwnLine((("", 7), ("", 1)), "… One …", "Ann", True),),
        ),
        (
            "[team a/b/#7 2026-02-01; cut] [#1 2026-01-31 Ann] One",
            (OwnLine((("team a/b", 7), ("", 1)), "One", "Ann", True),),
        ),
        ("[/#1 2026-01-31] One.", ()),
        ("[a]/#1 2026-01-31] One.", ()),
        ("[#1 2026-01-31] One.\nand more", ()),
        ("I read [#1 2026-01-31] One.", ()),
        ("[#1 2026-01-31] ", ()),
        ("[#1] One.", ()),
        ("[#1 2026-01-31 One.", ()),
        ("", ()),
        ("[#1 2026-01-31] a\n" * (LINES_MAX + 1), ()),
    ],
)
def test_a_text_of_nothing_but_lines_of_an_answer_is_one(text: str, expected: tuple[OwnLine, ...]) -> None:
    """Each line begins with a mark and says something; the doubt above an answer is no line of its own."""
    found = read_own_lines(text)

    assert expected == found
