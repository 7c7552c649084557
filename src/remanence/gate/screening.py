"""What the gate makes of a text: the text as it may be kept, and what was replaced in it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from remanence.core.errors import InvalidInput
from remanence.gate.credentials import credentials, find_secrets_in_name
from remanence.gate.personal import personal
from remanence.gate.spans import mask_spans, merge_overlaps

_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ScreenResult:
    """A text as it may be kept, and what was replaced in it: kind → how often."""

    text: str
    replaced: Mapping[str, int]


def screen(text: str, salt: bytes) -> ScreenResult:
    """Replace secrets and personal data by markers such as `[secret: api key 3f9]`; `salt` makes the digits of them."""
    low = lowercase_text(text)
    spans = list(merge_overlaps([*credentials(text, low), *personal(text, low)]))
    if not spans:
        return ScreenResult(text, _NOTHING)
    counts = Counter(f"{one.group}: {one.kind}" for one in spans)
    return ScreenResult(mask_spans(text, spans, salt), counts)


def screen_name(name: str, salt: bytes) -> ScreenResult:
    """Replace the secrets in a name, a tag or an address; mail addresses and numbers stay, they are names."""
    spans = list(merge_overlaps(find_secrets_in_name(name)))
    if not spans:
        return ScreenResult(name, _NOTHING)
    return ScreenResult(mask_spans(name, spans, salt), Counter(f"{one.group}: {one.kind}" for one in spans))


def refuse_secret(salt: bytes, what: str, name: str) -> None:
    """Refuse a name that holds what looks like a secret, where a marker in its place would be no name."""
    if screen_name(name, salt).replaced:
        raise InvalidInput(
            f"the {what} holds what looks like a secret",
            recovery=f"pass another {what}: it is kept as it is, and shown",
        )


def screen_values(value: Any, salt: bytes) -> tuple[Any, Counter[str]]:
    """Return an attribute's value with its texts screened, and what was replaced in all of them."""
    if isinstance(value, str):
        screening = screen(value, salt)
        return screening.text, Counter(screening.replaced)
    counts: Counter[str] = Counter()
    if isinstance(value, Mapping):
        pairs = [(screen_name(name, salt), screen_values(one, salt)) for name, one in value.items()]
        for name, (_, count) in pairs:
            counts += count
            counts.update(name.replaced)
        return {name.text: one for name, (one, _) in pairs}, counts
    if isinstance(value, list | tuple):
        elements = [screen_values(one, salt) for one in value]
        for _, count in elements:
            counts += count
        return [one for one, _ in elements], counts
    return value, counts


def lowercase_text(text: str) -> str:
    """Return a text in small letters, each where its letter stands in the text."""
    low = text.lower()
    return (
        low
        if len(low) == len(text)
        else "".join(one if len(one := char.lower()) == 1 else char for char in text)
    )
