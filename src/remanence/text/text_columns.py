"""What of a memory's row follows from its text and who said it: fingerprint, its length and that of its short form."""

from collections.abc import Mapping, Sequence
from typing import Any

from remanence.core.model import Form
from remanence.text.analysis import count_words, fingerprint
from remanence.text.condense import condense_text
from remanence.text.tokens import token_counts


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
        condense_text(text) if summary is None else summary
        for text, summary in zip(texts, instead, strict=True)
    ]
    # Most texts are not shortened: what is the same text is counted once.
    others = [short for text, short in zip(texts, shorts, strict=True) if short is not text]
    counts = token_counts([*texts, *others])
    fewer = iter(counts[len(texts) :])
    return [
        _compute_lengths(text, tokens, (short, next(fewer)) if short is not text else None)
        for text, short, tokens in zip(texts, shorts, counts[: len(texts)], strict=True)
    ]


def _compute_lengths(text: str, tokens: int, short: tuple[str, int] | None) -> dict[str, int]:
    """Return the lengths of a text and of its short form, given with its tokens where it is another one."""
    count = count_words(text)
    if short is None:
        return {"tokens": tokens, "words": count, "short_tokens": tokens, "short_words": count}
    shorter, fewer = short
    return {
        "tokens": tokens,
        "words": count,
        "short_tokens": fewer,
        "short_words": count_words(shorter),
    }
