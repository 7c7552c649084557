"""What of a memory's row follows from its text and who said it: fingerprint, its length and that of its short form."""

from collections.abc import Mapping, Sequence
from typing import Any

from remanence.condense import condensed
from remanence.model import Form
from remanence.text import fingerprint, words
from remanence.tokens import token_counts

TEXT_COLUMNS = ("fingerprint", "tokens", "words", "short_tokens", "short_words")


def text_columns(text: str, speaker: str | None, summary: str | None = None) -> dict[str, Any]:
    """Return the columns that follow from a text, its speaker and, where it is shown instead, a summary."""
    (lengths,) = lengths_of([text], [summary])
    return {"fingerprint": fingerprint(text, speaker or ""), **lengths}


def summary_shown(row: Mapping[str, Any]) -> str | None:
    """Return the summary that is shown instead of the text of a row, None where none is."""
    return row.get("summary") if row.get("form") == Form.SUMMARY else None


def lengths_of(texts: Sequence[str], summaries: Sequence[str | None] = ()) -> list[dict[str, int]]:
    """Return the lengths of texts and of their short forms, by column; together, since each alone takes far longer."""
    instead = summaries or [None] * len(texts)
    shorts = [
        condensed(text) if summary is None else summary for text, summary in zip(texts, instead, strict=True)
    ]
    counts = token_counts([*texts, *shorts])
    return [
        {"tokens": tokens, "words": len(words(text)), "short_tokens": fewer, "short_words": len(words(short))}
        for text, short, tokens, fewer in zip(
            texts, shorts, counts[: len(texts)], counts[len(texts) :], strict=True
        )
    ]
