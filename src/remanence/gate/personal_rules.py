"""Which personal data a scope keeps: by their kind, and by how far whoever brings them is believed.

Knows the words in which a scope says so; knows no texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from remanence.core.errors import InvalidInput, format_value
from remanence.core.model import Trust

PERSONAL: Final = "personal"  # the name of the setting
PERSONAL_KINDS = frozenset(
    {
        "phone number",
        "mail address",
        "card number",
        "bank account",
        "social security number",
        "national id",
    }
)
# Secrets that somebody may want to be reminded of, a kind together: they are kept only where it is named.
CODE: Final = "code"
CODE_KINDS = frozenset({"pin", "password"})
CODE_RULE: Final = "what a text names as a code, PIN or password is a secret, whatever it opens"
_ANSWERS = {"keep": True, "replace": False}
_TRUSTS = {one.label: one for one in Trust}
_KINDS = PERSONAL_KINDS | {CODE}
# What holds where a scope says nothing: an agent stores what its user said.
_BUILT_IN = frozenset({Trust.USER, Trust.AGENT})


@dataclass(frozen=True, slots=True)
class PersonalRules:
    """The words of the setting, and the kinds that are kept, by trust."""

    words: str
    kept: Mapping[Trust, frozenset[str]]

    def propose_words(self, kind: str, trust: Trust) -> str:
        """Return the words with which such data would be kept, too; "" for what is never kept."""
        named = CODE if kind in CODE_KINDS else kind
        if named not in _KINDS:
            return ""
        return ", ".join(filter(None, (self.words, f"{named}/{trust.label}=keep")))


@lru_cache(maxsize=64)
def parse_rules(words: str) -> PersonalRules:
    """Read what a scope keeps: `keep` or `replace`, alone or behind a kind, a trust or both.

    Of several parts that speak of the same data the one that names kind and trust counts before the one that names a
    kind, this before the one that names a trust, and of two alike the later one. Raises InvalidInput.
    """
    answers: dict[tuple[str | None, Trust | None], bool] = {}
    for part in filter(None, map(str.strip, words.split(","))):
        what, _, answer = part.rpartition("=")
        target = _read_target(what.strip()) if "=" in part else (None, None)
        if target is None or answer.strip() not in _ANSWERS:
            raise InvalidInput(
                f"{PERSONAL} says {format_value(part)}",
                recovery="use keep or replace, or WHAT=keep and WHAT=replace with commas between, where WHAT is a kind"
                f" ({', '.join(sorted(_KINDS))}), a trust ({', '.join(_TRUSTS)}), or both: phone number/outside",
            )
        answers[target] = _ANSWERS[answer.strip()]
    kept = {trust: frozenset(kind for kind in _KINDS if _is_kept(kind, trust, answers)) for trust in Trust}
    return PersonalRules(
        words.strip(),
        {trust: kinds | CODE_KINDS if CODE in kinds else kinds for trust, kinds in kept.items()},
    )


def _read_target(words: str) -> tuple[str | None, Trust | None] | None:
    """Return the kind and the trust that some words name; None where they name neither."""
    first, slash, second = (part.strip() for part in words.partition("/"))
    if slash:
        return (first, _TRUSTS[second]) if first in _KINDS and second in _TRUSTS else None
    if first in _KINDS:
        return first, None
    return (None, _TRUSTS[first]) if first in _TRUSTS else None


def _is_kept(kind: str, trust: Trust, answers: Mapping[tuple[str | None, Trust | None], bool]) -> bool:
    targets: list[tuple[str | None, Trust | None]] = [(kind, trust), (kind, None)]
    if kind in PERSONAL_KINDS:
        targets += [(None, trust), (None, None)]
    built_in = kind in PERSONAL_KINDS and trust in _BUILT_IN
    return next((answers[one] for one in targets if one in answers), built_in)


BUILT_IN_RULES: Final = parse_rules("")
