"""Aliases are compiled and computed once, numbers are declared per category, and both have limits."""

import numpy as np
import pytest

from remanence.core.clock import DAY
from remanence.core.errors import PolicyError
from remanence.curate.explain import explain
from remanence.curate.language.expression import (
    DEPTH_IN_ALL_MAX,
    PARTS_MAX,
    PolicyNames,
    SourcePosition,
    condition,
    ordering,
)
from remanence.curate.language.view import Node, View
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.planner.plan import plan
from remanence.curate.planner.state import begin
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, row, snapshot

V = "version = 1\n"
LONG = " + ".join(["uses"] * 20)


def compiled(text: str, aliases: dict[str, str], numbers: dict[str, dict[str, float]] | None = None) -> Node:
    """Compile what a condition or an order says."""
    names = PolicyNames({"fact": (), "task": ()}, aliases, numbers or {})
    if "desc" in text:
        return ordering(text, vocabulary("memories"), names, SourcePosition())[0][0]
    return condition(text, vocabulary("memories"), names, SourcePosition())


def doubling(levels: int) -> dict[str, str]:
    """Make aliases of which each names the one below it twice."""
    return {"a0": "uses + 1"} | {f"a{n}": f"a{n - 1} + a{n - 1}" for n in range(1, levels)}


def test_an_alias_counts_once_however_often_it_is_named() -> None:
    """Forty times forty nodes are no 1,600: the limit is on what is written."""
    node = compiled(" + ".join(["long"] * 20) + " > 3", {"long": LONG})

    assert [True] == node.run(View(snapshot([row(uses=1)]), NOW)).tolist()


def test_an_alias_that_doubles_again_and_again_is_refused() -> None:
    """What it comes to with its aliases written out has a limit too, in length and in depth."""
    compiled("a10 > 1", doubling(11))
    with pytest.raises(PolicyError, match="with its aliases written out") as long:
        compiled("a20 > 1", doubling(21))
    deep = {"d0": "uses"} | {f"d{n}": f"-(-(-(-d{n - 1})))" for n in range(1, 40)}
    with pytest.raises(PolicyError, match="too deeply nested with its aliases written out"):
        compiled("d39 > 1", deep)

    assert "fewer of one another" in long.value.recovery
    assert PARTS_MAX > 1_500
    assert DEPTH_IN_ALL_MAX > 24


def test_the_depth_of_an_alias_counts_wherever_it_is_named() -> None:
    """Also where it was compiled before, at a place that is less deep."""
    deep = {"d0": "-" * 17 + "uses"} | {f"d{n}": "-" * 17 + f"d{n - 1}" for n in range(1, 5)}
    compiled("d4 > 1", deep)
    with pytest.raises(PolicyError, match="too deeply nested with its aliases written out"):
        compiled("d4 > 1 and " + "-" * 5 + "d4 > 1", deep)


def test_an_alias_that_two_rules_share_is_computed_once() -> None:
    """It is remembered by its name until what it reads has changed."""
    rules = "".join(
        f'[[rule]]\nname = "r{n}"\nevery = "deep"\nphase = "expire"\nwhere = "worth > {n}"\ndo = "flag"\nto = "f{n}"\n'
        for n in (1, 2)
    )
    policy = load(V + f'[alias]\nworth = "half + half"\nhalf = "uses / 2"\n{rules}')
    working = begin(snapshot([row(uses=3)], patterns=("flag/f1", "flag/f2")), policy, NOW)
    for rule in policy.rules:
        rule.node.run(working.view)

    assert {"alias worth", "alias half"} == {key for key in working.view.memo if key.startswith("alias")}
    assert "alias worth" not in working.view.evolve({"uses": np.array([9])}).memo
    assert {"alias worth", "alias half"} <= working.view.evolve({"tier": np.array([1])}).memo.keys()


def test_an_explanation_shows_what_an_alias_comes_to() -> None:
    """By its name, not written out."""
    policy = load(
        V + '[alias]\nworth = "uses / 2"\n[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\n'
        'where = "worth > 1"\ndo = "archive"\n'
    )
    verdict = explain(snapshot([row(uses=3)]), policy, NOW, 1).verdicts[-1]

    assert {"worth": 1.5} == verdict.values


def test_an_alias_crosses_its_limit_to_the_microsecond() -> None:
    """Named twice and computed once, it is still true from the same instant on."""
    policy = load(
        V + '[alias]\nwindows = "floor(age() / days(90))"\nfaded = "windows + windows"\n'
        '[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\nwhere = "faded >= 2 or windows < 0"\ndo = "archive"\n'
    )
    young, old = (row(learned_at=NOW - 90 * DAY + left) for left in (1, 0))
    some = snapshot([young, old])

    assert [NOW + 1, None] == [explain(some, policy, NOW, seq).verdicts[-1].fires_at for seq in (1, 2)]
    assert [2] == plan(some, policy, NOW).seq.tolist()


def test_categories_declare_numbers() -> None:
    """Unknown where a memory has no category, or one that does not declare it."""
    some = [row(category=category, uses=1) for category in ("fact", "task", "message", None)]
    node = compiled("of_category('half') desc", {}, {"half": {"fact": 30, "task": 0.5}})

    assert [30.0, 0.5, None, None] == [
        None if np.isnan(value) else value for value in node.run(View(snapshot(some), NOW)).tolist()
    ]


def test_a_half_life_may_be_that_of_the_category() -> None:
    """And is unknown where that is, or not above zero."""
    some = [row(category=name, learned_at=NOW - 30 * DAY) for name in ("fact", "task", "message")]
    node = compiled("recency(days(1) * of_category('half')) desc", {}, {"half": {"fact": 30, "task": 0}})

    assert [0.5, None, None] == [
        None if np.isnan(value) else value for value in node.run(View(snapshot(some), NOW)).tolist()
    ]


def test_a_document_adds_numbers_to_a_category() -> None:
    """Those of the documents before it stay; they belong to what the policy is."""
    tables = ("numbers = { half = 30, worth = 1 }", "[category.fact.numbers]\nworth = 2.5")
    one, two = (load(V + f"[category.fact]\n{text}\n") for text in tables)
    plain = load(V + "[category.fact]\n")

    assert {"half": 30.0, "worth": 1.0} == one.categories["fact"].numbers
    assert {"worth": 2.5} == two.categories["fact"].numbers
    assert 3 == len({one.hash, two.hash, plain.hash})


@pytest.mark.parametrize(
    ("text", "message", "recovery"),
    [
        ("of_category('half')", "no category declares the number 'half'", "numbers = { half = 30 }"),
        ("of_category('worht')", "no category declares the number 'worht'", "'worth'"),
        ("of_category(uses)", "must be a quoted text", "of_category('half_life')"),
    ],
)
def test_a_number_that_nobody_declares_is_refused(text: str, message: str, recovery: str) -> None:
    """With the nearest that somebody does."""
    numbers = {"worth": {"fact": 1.0}} if "worht" in text else {}
    with pytest.raises(PolicyError, match=message) as caught:
        compiled(f"{text} > 1", {}, numbers)

    assert recovery in caught.value.recovery


@pytest.mark.parametrize(
    "wrong", ["3", '{ half = "a" }', "{ half = true }", "{ half = nan }", "{ half = 1e30 }"]
)
def test_numbers_are_numbers(wrong: str) -> None:
    """Of a size that a time can have."""
    with pytest.raises(PolicyError, match="numbers maps names to numbers"):
        load(V + f"[category.fact]\nnumbers = {wrong}\n")


def test_whole_numbers_are_below_and_above() -> None:
    """What is whole stays; what is unknown stays unknown."""
    some = [row(value=value) for value in (1.5, 2.0, None)]
    floors, ceils = (
        compiled(f"{name}(coalesce(value, 0 / 0)) desc", {}).run(View(snapshot(some), NOW)).tolist()
        for name in ("floor", "ceil")
    )

    assert ([1.0, 2.0], [2.0, 2.0]) == (floors[:2], ceils[:2])
    assert np.isnan([floors[2], ceils[2]]).all()


def test_what_is_wanted_names_the_category_that_a_number_hangs_on() -> None:
    """A snapshot without it could not say."""
    policy = load(
        V
        + '[category.fact]\nnumbers = { half = 1 }\n[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\n'
        'where = "of_category(\'half\') > 3"\ndo = "archive"\n'
    )

    assert "category" in build_snapshot_request(policy).columns
