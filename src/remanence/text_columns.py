"""What of a memory's row follows from its text and who said it: fingerprint, tokens and words."""

from typing import Any

from remanence.text import fingerprint, words
from remanence.tokens import token_counts

TEXT_COLUMNS = ("fingerprint", "tokens", "words")


def text_columns(text: str, speaker: str | None) -> dict[str, Any]:
    """Return the columns that follow from a text and its speaker."""
    (tokens,) = token_counts([text])
    return dict(zip(TEXT_COLUMNS, (fingerprint(text, speaker or ""), tokens, len(words(text))), strict=True))
