"""What the gate makes of a text: the text as it may be kept, and the personal data that were replaced in it."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from remanence.core.errors import InvalidInput
from remanence.gate.credentials import credentials, find_secrets_in_name
from remanence.gate.personal_rules import PERSONAL_KINDS
from remanence.gate.secret_patterns import IBAN_CHARS, NUMBER_OF_OTHER, PHONE_WORDS
from remanence.gate.spans import SensitiveSpan, mask_spans, merge_overlaps

# Each begins with a character that it takes, and looks back from there: so those that cannot begin one are passed fast.
_CARD = re.compile(r"[2-6](?<![\w.+-][2-6])(?:[ -]?\d){13,18}(?![\w-]|\.\d)")
_IBAN = re.compile(r"[A-Z](?<![A-Za-z0-9][A-Z])[A-Z]\d{2}(?:[ -]?[A-Z0-9]){11,30}")
_SSN = re.compile(
    r"[0-8]\d\d([- ])(?<![\w.-]\d\d\d[- ])(?<!000[- ])(?<!666[- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-]|\.\d)"
)
_NATIONAL = re.compile(
    r"(?<![A-Za-z0-9.-])(?=[XYZ\d][ .]?\d\d|[A-Z]{6}\d)"  # how each of them begins
    r"(?:(?P<es>[XYZ\d]\d{7}[ -]?[A-Z])|(?P<br>\d{3}\.?\d{3}\.?\d{3}-?\d{2})"
    r"|(?P<fr>[12][ .]?\d{2}[ .]?\d{2}[ .]?(?:\d{2}|2[AB])[ .]?\d{3}[ .]?\d{3}[ .]?\d{2})|(?P<cn>[1-9]\d{16}[\dXx])"
    r"|(?P<it>[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]))(?![A-Za-z0-9_-]|\.\d)"
)
_MAIL = re.compile(
    r"(?<![\w.+-])(?P<name>[\w+-][\w.+-]{0,63})@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-]|:[\w/~])"
)
_ABROAD = re.compile(
    r"(?<![\w+.])(?:\+|00)[1-9]\d{0,2}[ ./-]?(?:\(\d{1,5}\)|\d)(?:[ ./-]{0,2}\d){6,12}(?![\w-])"
)
_AT_HOME = re.compile(
    r"(?<![A-Za-z0-9.+-])(?:\(\d{2,5}\)[ ]?\d{3,5}(?:[ -]?\d{3,5}){1,2}|0\d{1,4}(?:[ ./-]{1,2}\d{2,8}){1,5}|0\d{9,10}"
    r"|[2-9]\d{2}[ .-]\d{3}[ .-]\d{4}|[5-9]\d{2}(?: ?\d{2,3}){2,3}|1[3-9]\d(?:[ -]?\d{4}){2})(?![\w-]|[.,]\d)"
)
# A pass that is shown at a door or a border has a number, and no password.
_PASS = re.compile(
    r"(?:(?:boarding|bus|train|rail|tram|metro|travel|day|week|month(?:ly)?|season|annual|year|ski|lift|gym|pool|swim"
    r"|museum|zoo|park(?:ing)?|city|visitor'?s?|press|vaccination|event|festival|backstage|guest|hunting|fishing|toll)"
    r"[ -]pass(?:es)?|(?:reise|impf|ski|saison|familien|jahres|ferien|presse|schwerbehinderten)(?:pass|pässe)"
    r"|pass(?:port|aporte|eport)|pasaporte|pass[ -]?(?:number|no|nummer|nr))(?![a-z])[^\n;!?]{0,40}$"
)
_BEFORE = 70  # characters before a value in which a pass may be named
_LONG_NUMBER = re.compile(r"\d[^\w\n]{0,2}\d(?:[^\w\n]{0,2}\d){5}|[A-Z]\d\d[A-Z]\d")
_DIGIT = re.compile(r"\d")
_NOT_DIGIT = re.compile(r"\D")
_LINE = re.compile(r"[^\n]+")


def personal(text: str, low: str) -> Iterator[SensitiveSpan]:
    """Yield the personal data of a text; `low` is the text in small letters."""
    if "@" in text:
        for match in _MAIL.finditer(text):
            if match.group("name") != "git":
                yield SensitiveSpan(*match.span(), "mail address", "personal")
    if _DIGIT.search(text) is None or _LONG_NUMBER.search(text) is None:
        return
    yield from _find_personal_numbers(text)
    if "+" in text or "00" in text:
        yield from (
            SensitiveSpan(*match.span(), "phone number", "personal") for match in _ABROAD.finditer(text)
        )
    if any(word in low for word in PHONE_WORDS):
        yield from _find_home_phones(text)


def _find_personal_numbers(text: str) -> Iterator[SensitiveSpan]:
    for match in _CARD.finditer(text):
        digits = match.group().replace(" ", "").replace("-", "")
        if _card_length(digits) and luhn(digits):
            yield SensitiveSpan(*match.span(), "card number", "personal")
    for match in _IBAN.finditer(text):
        chars = _iban_chars(match.group())
        if chars:
            yield SensitiveSpan(match.start(), match.start() + chars, "bank account", "personal")
    for match in _SSN.finditer(text):
        yield SensitiveSpan(*match.span(), "social security number", "personal")
    for match in _NATIONAL.finditer(text):
        if _CHECKS[match.lastgroup or "es"](match.group()):
            yield SensitiveSpan(*match.span(), "national id", "personal")


def _find_home_phones(text: str) -> Iterator[SensitiveSpan]:
    """Yield numbers as they are dialled at home, from lines that speak of telephones."""
    for line in _LINE.finditer(text):
        low = line.group().lower()
        if any(word in low for word in PHONE_WORDS) and not any(word in low for word in NUMBER_OF_OTHER):
            yield from _find_phone_numbers(text, *line.span())


def _find_phone_numbers(text: str, start: int, end: int) -> Iterator[SensitiveSpan]:
    for match in _AT_HOME.finditer(text, start, end):
        if 8 <= len(_NOT_DIGIT.sub("", match.group())) <= 13:
            yield SensitiveSpan(*match.span(), "phone number", "personal")


def luhn(digits: str) -> bool:
    """Check a number by the sum of Luhn (ISO/IEC 7812-1)."""
    products = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in products) % 10 == 0


def _card_length(digits: str) -> bool:
    """Tell whether a card network has numbers that begin so and are so long."""
    if digits.startswith(("34", "37")):
        return len(digits) == 15
    if digits.startswith(("30", "36", "38")):
        return len(digits) == 14
    return len(digits) in {16, 19} and (
        digits[0] in "456" or digits.startswith(("35", "22", "23", "24", "25", "26", "27"))
    )


def _iban_chars(written: str) -> int:
    """Return how many characters of what was written are an account, 0 where the check digits are wrong (ISO 13616)."""
    chars = IBAN_CHARS.get(written[:2], 0)
    bare = ""
    for place, char in enumerate(written):
        bare += char if char.isalnum() else ""
        if len(bare) == chars:
            digits = "".join(str(int(char, 36)) for char in bare[4:] + bare[:4])
            return place + 1 if int(digits) % 97 == 1 else 0
    return 0


def _is_spanish_number(number: str) -> bool:
    bare = number.replace(" ", "").replace("-", "")
    digits = {"X": "0", "Y": "1", "Z": "2"}.get(bare[0], bare[0]) + bare[1:8]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == bare[8]


def _is_brazilian_number(number: str) -> bool:
    digits = [int(digit) for digit in _NOT_DIGIT.sub("", number)]
    if len(set(digits)) == 1 or ("-" not in number and "." not in number):
        return False
    first = (
        sum(digit * weight for digit, weight in zip(digits, range(10, 1, -1), strict=False)) * 10 % 11 % 10
    )
    second = (
        sum(digit * weight for digit, weight in zip(digits, range(11, 1, -1), strict=False)) * 10 % 11 % 10
    )
    return [first, second] == digits[9:]


def _is_french_number(number: str) -> bool:
    bare = number.replace(" ", "").replace(".", "").replace("2A", "19").replace("2B", "18")
    return 1 <= int(bare[3:5]) <= 99 and (int(bare[:13]) + int(bare[13:])) % 97 == 0


def _is_chinese_number(number: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))
    return "10X98765432"[total % 11] == number[17].upper() and number[6:8] in {"18", "19", "20"}


def _is_italian_number(number: str) -> bool:
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
    places = [int(char) if char.isdigit() else ord(char) - 65 for char in number[:15]]
    total = sum(odd[place] if at % 2 == 0 else place for at, place in enumerate(places))
    return chr(65 + total % 26) == number[15]


_CHECKS: dict[str, Callable[[str], bool]] = {
    "es": _is_spanish_number,
    "br": _is_brazilian_number,
    "fr": _is_french_number,
    "cn": _is_chinese_number,
    "it": _is_italian_number,
}


_NOTHING: Mapping[str, int] = MappingProxyType({})
_NOWHERE: Mapping[str, tuple[int, ...]] = MappingProxyType({})
_NO_KINDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ScreenResult:
    """A text as it may be kept, and what was replaced in it: kind → how often, and kind → on which lines, from 1."""

    text: str
    replaced: Mapping[str, int]
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _NOWHERE)


def screen(text: str, salt: bytes, kept: frozenset[str] = _NO_KINDS) -> ScreenResult:
    """Replace secrets and personal data by markers such as `[secret: api key 3f9]`; `salt` makes the digits of them.

    The kinds that are `kept` stay as they are written.
    """
    low = lowercase_text(text)
    found = [*credentials(text, low), *(() if kept >= PERSONAL_KINDS else personal(text, low))]
    spans = list(merge_overlaps(one for one in found if one.kind not in kept and not _is_of_a_pass(one, low)))
    if not spans:
        return ScreenResult(text, _NOTHING)
    counts = Counter(f"{one.group}: {one.kind}" for one in spans)
    return ScreenResult(mask_spans(text, spans, salt), counts, _number_lines(text, spans))


def _is_of_a_pass(found: SensitiveSpan, low: str) -> bool:
    """Tell whether what was taken for a password is the number of a pass."""
    return (
        found.kind == "password" and _PASS.search(low, max(0, found.start - _BEFORE), found.start) is not None
    )


def _number_lines(text: str, spans: Iterable[SensitiveSpan]) -> dict[str, tuple[int, ...]]:
    """Return on which lines what was found begins, by kind."""
    lines: dict[str, dict[int, None]] = {}
    number, read_end = 1, 0
    for one in spans:
        number += text.count("\n", read_end, one.start)
        read_end = one.start
        lines.setdefault(f"{one.group}: {one.kind}", {})[number] = None
    return {kind: tuple(numbers) for kind, numbers in lines.items()}


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


def screen_values(value: Any, salt: bytes, kept: frozenset[str] = _NO_KINDS) -> tuple[Any, Counter[str]]:
    """Return an attribute's value with its texts screened, and what was replaced in all of them."""
    if isinstance(value, str):
        screening = screen(value, salt, kept)
        return screening.text, Counter(screening.replaced)
    counts: Counter[str] = Counter()
    if isinstance(value, Mapping):
        pairs = [(screen_name(name, salt), screen_values(one, salt, kept)) for name, one in value.items()]
        for name, (_, count) in pairs:
            counts += count
            counts.update(name.replaced)
        return {name.text: one for name, (one, _) in pairs}, counts
    if isinstance(value, list | tuple):
        elements = [screen_values(one, salt, kept) for one in value]
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
