"""What users read is in plain order: subject, verb, object."""

import pytest

from tests.docs.plain_words import DECODED, SUBJECT, find_unclear_sentences

UNCLEAR_MAX = 10  # each was read by somebody who found no plainer one


def test_few_sentences_have_to_be_decoded() -> None:
    """Pages, help, errors and the dashboard; what is over the limit is shown whole."""
    found = find_unclear_sentences()

    assert len(found) <= UNCLEAR_MAX, "\n".join(f"{where}: {sentence}" for where, sentence in found)


@pytest.mark.parametrize(
    ("sentence", "is_unclear"),
    [
        ("What is returned counts as used.", True),
        ("Who asks is told.", True),
        ("What would it do now?", False),
        ("A memory goes with its links.", True),
        ("The memory that stands is shown.", True),
        ("Returned memories count as used.", False),
        ("Whatever the order, each is read.", False),
    ],
)
def test_unclear_sentences_are_told_from_plain_ones(sentence: str, is_unclear: bool) -> None:
    """A question may begin so; a longer word that begins alike is another."""
    assert is_unclear == bool(SUBJECT.match(sentence) or DECODED.search(sentence))
