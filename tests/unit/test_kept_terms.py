"""What is kept of words that were asked for."""

import numpy as np

from remanence.flows.indexes import arm as kept_terms
from remanence.flows.indexes.arm import KeptTerms
from remanence.recall.lexical import Term


def _term(windows: int) -> Term:
    return Term(np.arange(windows), np.ones(windows, np.float32))


def test_those_asked_for_longest_ago_make_room() -> None:
    """The first is asked for again and stays, the second goes."""
    kept = KeptTerms()
    for stem in "abcd":
        kept.keep(stem, _term(kept_terms.NUMBERS_MAX // kept_terms.SHARE_MAX))
    asked = kept["a"]
    kept.keep("e", _term(1))

    assert asked is not None
    assert ["b"] == kept.missing("abcde")


def test_a_word_that_would_push_out_too_many_is_not_kept() -> None:
    """It is looked up each time."""
    kept = KeptTerms()
    kept.keep("a", _term(kept_terms.NUMBERS_MAX // kept_terms.SHARE_MAX + 1))

    assert ["a"] == kept.missing("a")


def test_what_is_forgotten_leaves_its_room() -> None:
    """After all was forgotten there is as much room as in the beginning."""
    kept = KeptTerms()
    found = []
    for _ in range(2):
        for stem in "abcd":
            kept.keep(stem, _term(kept_terms.NUMBERS_MAX // kept_terms.SHARE_MAX))
        found.append(kept.missing("abcd"))
        kept.clear()

    assert ([[], []], list("abcd")) == (found, kept.missing("abcd"))
