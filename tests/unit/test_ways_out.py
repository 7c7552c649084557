"""A refusal's advice leads to the page that has a button for it."""

import pytest

from remanence.faces.dashboard.rendering import WayOut, find_ways_out

RUN = "019b864dbc0075aaa1b2c3d4e5f60718"


@pytest.mark.parametrize(
    ("recovery", "label", "path"),
    [
        ("bring it back first: restore 5", "Bring #5 back", "/memories/5"),
        (f"nothing was undone; undo before it: {RUN} (update)", "The run 019b864d", f"/runs/{RUN}"),
        ("take it off first: remanence pin 5 --off", "Look at #5", "/memories/5"),
        ("read it, and accept it first: remanence review settle 9 accept", "Review", "/review"),
        ("look at the plan; if you mean it, allow 20 (allow_destroyed, --allow-destroyed)", "The plan", "/plan"),
        ("lift it first: remanence forbidden lift ab12", "Texts that are refused", "/settings"),
        ("choose another name, or end it first: remanence token end desk", "Tokens", "/tokens"),
        ("ask erase.show again", "Erase", "/erase"),
        ("list runs with `history`", "Runs", "/runs"),
        ("list ids with `list` or `recall`", "Memories", "/memories"),
        ("plan again without naming a policy, or adopt the new one first", "The plan", "/plan"),
    ],
)  # fmt: skip
def test_what_is_advised_has_a_page(recovery: str, label: str, path: str) -> None:
    """In the page's own words."""
    assert [WayOut(label, path)] == find_ways_out(recovery)


def test_what_no_page_does_has_no_link() -> None:
    """And one place is named once, however often the advice does."""
    assert [] == find_ways_out("pass a text as `prefix`")
    assert 1 == len(find_ways_out("restore 5, or restore 5"))
