"""Which answer names exactly what is asked for, where the first names only something longer, or something shorter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.flows.recall.ordering import find_exact


@pytest.mark.parametrize(
    ("question", "first", "exact"),
    [
        ("engineering", "The engineering-platform is Nils's.", "Engineering is Mara's."),
        ("Who owns engineering?", "The engineering-platform is owned.", "Engineering is owned."),
        ("where is /etc/app/conf", "/etc/app/conf.bak is old", "/etc/app/conf is new"),
        ("where is /etc/app/conf.bak", "/etc/app/conf is new", "/etc/app/conf.bak is old"),
        ("TKT-100", "TKT-1000 is open", "tkt-100 is closed."),
        ("What is in 1.2?", "1.2.1 has a fix", "1.2 has a form"),
        ("Where lives John Smith?", "John Smithson lives in Kiel", "John Smith lives in Bonn"),
        ("谁负责 TKT-100？", "TKT-1000由王强负责。", "TKT-100由李娜负责。"),
    ],
)
def test_the_exact_name_stands_first(question: str, first: str, exact: str) -> None:
    """Whatever stands between; and in the order in which it already does nothing moves."""
    found = find_exact(question, [first, "The tide is low.", exact])

    assert found is not None
    assert 2 == found[0]
    assert find_exact(question, [exact, first]) is None


@pytest.mark.parametrize(
    ("question", "first", "other"),
    [
        ("Who was at the camp?", "Camping was fun for Ana.", "The camp."),  # a stem, no longer name
        (
            "Who owns engineering now?",
            "The engineering-platform is owned now.",
            "Engineering.",
        ),  # says less else
        (
            "What does Ana want?",
            "A boat, says Bo.",
            "Ana sings.",
        ),  # a name that the first does not begin either
        ("well", "", "well"),
    ],
)
def test_where_it_is_in_doubt_the_order_stays(question: str, first: str, other: str) -> None:
    """What is raised has all words of the question that the first has."""
    assert find_exact(question, [first, other]) is None


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=12))
def test_any_texts_are_taken(question: str, texts: list[str]) -> None:
    """The place is one of the best, never the first."""
    found = find_exact(question, texts)

    assert found is None or 0 < found[0] < len(texts)
