"""What cannot be read in a policy is refused with what to write instead; what a snapshot lacks is said."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from remanence.core.errors import InvalidInput, PolicyError
from remanence.curate.language.expression import PolicyNames, SourcePosition, condition, ordering
from remanence.curate.language.view import LinkView, View, visible
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.policy import compiled
from remanence.curate.policy.compiled import load
from remanence.curate.policy.document import CHARS_MAX
from tests.unit.scopes import NOW, linked, row, snapshot

WORDS = PolicyNames({"task": ("pending",)}, {}, {"half_life": {"task": 30.0}})
LONG = {
    "a": " or ".join(["uses > 3"] * 40),
    **{c: f"{p} or {p}" for p, c in zip("abcdefg", "bcdefgh", strict=True)},
}
CATEGORY = "version = 1\n[category.errand]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'\ud800' == category", "cannot be read"),
        ("'a' == 'b'", "compares a text with a text"),
        ("of_category('weight') > 1", "no category declares the number 'weight'"),
        ("flagged('*')", "takes the name of one flag"),
        ("flagged('')", "takes the name of one flag"),
    ],
)
def test_a_condition_that_says_nothing_is_refused(text: str, message: str) -> None:
    """With what is wrong with it."""
    with pytest.raises(PolicyError, match=message.replace("(", r"\(")):
        condition(text, vocabulary("memories"), WORDS, SourcePosition())


def test_aliases_that_double_one_another_are_refused() -> None:
    """Written out they would be longer than any condition may be."""
    with pytest.raises(PolicyError, match="too long or too deeply nested with its aliases"):
        condition("h", vocabulary("memories"), PolicyNames({}, LONG, {}), SourcePosition())


def test_an_order_with_an_open_bracket_is_refused() -> None:
    """What comes behind the bracket is read as part of it."""
    with pytest.raises(PolicyError):
        ordering("recency(days(3) desc, seq", vocabulary("memories"), WORDS, SourcePosition())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CATEGORY + "aliases = { late = 3 }\n", "aliases map words to conditions"),
        (CATEGORY + 'policy_class = "precious"\n', "unknown policy class 'precious'"),
        (CATEGORY + 'numbers = { half_life = "long" }\n', "numbers maps names to numbers"),
        (f"version = {'9' * 5_000}\n", "a number that is too long"),
        ("version = 1\n" + "#" * CHARS_MAX, "more than"),
    ],
)
def test_a_policy_that_says_nothing_is_refused(text: str, message: str) -> None:
    """With what is wrong with it."""
    with pytest.raises(PolicyError, match=message):
        load(text)


def test_overrides_are_a_mapping() -> None:
    """Anything else is refused."""
    overrides: Any = [("warm", {})]

    with pytest.raises(PolicyError, match="the overrides are not a mapping"):
        load("default", overrides)


def test_a_policy_extends_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A preset that led back to itself would end there."""
    monkeypatch.setattr(compiled, "EXTENDS_MAX", 0)

    with pytest.raises(PolicyError, match="extends itself"):
        load('version = 1\nextend = "mvs"')


def test_a_policy_tells_what_it_is() -> None:
    """As data: its name, its guards and its rules."""
    told = load("episodic-cap").to_dict()

    assert "episodic-cap" == told["name"]
    assert "newest-episodes" in told["rules"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda view: view.column("uses"), "lacks the column 'uses'"),
        (lambda view: view.tagged_at("keep"), "lacks the times of the tag 'keep'"),
        (lambda view: view.agents("agents"), "lacks who used it"),
        (lambda view: view.edges(), "lacks links"),
    ],
)
def test_what_a_snapshot_lacks_is_said(asked: Callable[[View], object], message: str) -> None:
    """A snapshot that was taken for another policy is refused, not read as if all were unknown."""
    whole = snapshot([row()])
    columns = {name: array for name, array in whole.columns.items() if name != "uses"}
    view = View(replace(whole, columns=columns, agents=None, links=None, tagged_at={}), NOW)

    with pytest.raises(InvalidInput, match=message):
        asked(view)


def test_a_view_of_links_knows_the_names_of_memories() -> None:
    """A name has one code wherever it is read."""
    view = View(snapshot([row(category="task"), row(category="fact")], linked((1, 2))), NOW)

    links = LinkView(view, visible(view))
    assert view.code("category", "fact") == links.code("category", "fact")
    assert np.array_equal([0], links.edges)
