"""The labelled texts that score what is let in are well formed, enough, and of many kinds and languages."""

import re
from collections import Counter

import pytest

from benchmarks.labels import FOLDER, Part, parts
from benchmarks.labels.intake import benign, harmless, repeats, secrets, shorts, signals

PARTS = parts("secrets")

LANGUAGES = {"en", "de", "es", "fr", "pt", "zh", "ja"}

KINDS = {secret.kind for part in PARTS for secret in secrets(part)}

DISGUISES = {
    "nfd",
    "full width",
    "zero width",
    "soft hyphen",
    "bidi marks",
    "variation selectors",
    "doubled blanks",
    "no-break spaces",
    "case",
    "trailing dot",
    "homoglyphs",
    "tag characters",
    "ligatures",
    "line breaks",
}


def luhn(number: str) -> int:
    """Return the check sum of a card number, 0 if it is right."""
    digits = [int(digit) for digit in reversed(re.sub(r"\D", "", number))]
    return (sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10


def remainder(iban: str) -> int:
    """Return the remainder of a bank account number, 1 if it is right."""
    plain = iban.replace(" ", "")
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97


def test_there_are_enough_signals_of_each_level_in_every_language() -> None:
    """All sets together have 630 turns, 190 in English, 70 in each other language, and every level in each."""
    every = [signal for part in parts("signals") for signal in signals(part)]
    languages = Counter(signal.language for signal in every)

    assert len(every) >= 630
    assert languages["en"] >= 190
    assert [] == [language for language in LANGUAGES if languages[language] < 70]
    assert {(language, level) for language in LANGUAGES for level in ("high", "medium", "low", "none")} == {
        (signal.language, signal.level) for signal in every
    }


def test_there_is_enough_junk_and_enough_that_is_not() -> None:
    """300 lines of junk and 300 short truths, both in every language."""
    every = [short for part in parts("junk") for short in shorts(part)]

    assert min(Counter(short.junk for short in every).values()) >= 300
    assert {(language, junk) for language in LANGUAGES for junk in (True, False)} == {
        (short.language, short.junk) for short in every
    }


@pytest.mark.parametrize("part", PARTS)
def test_a_set_has_thirty_kinds_of_secrets(part: Part) -> None:
    """Each kind of secret is in every set three times or more, inside its text."""
    every = secrets(part)
    kinds = Counter(secret.kind for secret in every)

    assert set(kinds) == KINDS
    assert len(kinds) >= 30
    assert min(kinds.values()) >= 3
    assert [] == [secret.id for secret in every if secret.secret not in secret.text]


@pytest.mark.parametrize("part", PARTS)
def test_cards_and_accounts_have_right_check_digits(part: Part) -> None:
    """A made-up card or account passes the check that a real one passes."""
    cards = [secret.secret for secret in secrets(part) if secret.kind == "credit_card"]
    accounts = [secret.secret for secret in secrets(part) if secret.kind == "iban"]

    assert [0] * len(cards) == [luhn(card) for card in cards]
    assert [1] * len(accounts) == [remainder(account) for account in accounts]


@pytest.mark.parametrize("part", PARTS)
def test_no_secret_stands_whole_in_the_file(part: Part) -> None:
    """A scanner that reads the file finds nothing it would report."""
    stored = (FOLDER / f"secrets.{part}.jsonl").read_text(encoding="utf-8")

    assert [] == [secret.id for secret in secrets(part) if len(secret.secret) > 7 and secret.secret in stored]


def test_there_are_enough_harmless_lines() -> None:
    """All sets together have 1,600 texts without a secret, of 40 kinds."""
    every = [line for part in parts("harmless") for line in harmless(part)]

    assert len(every) >= 1_600
    assert len({line.kind for line in every}) >= 40


def test_there_are_enough_benign_texts_in_every_language() -> None:
    """340 texts that speak of instructions; each question asks for one text."""
    every = [text for part in parts("benign") for text in benign(part)]
    questions = Counter(text.question for text in every if text.question)

    assert len(every) >= 340
    assert LANGUAGES == {text.language for text in every}
    assert [] == [question for question, times in questions.items() if times > 1]


@pytest.mark.parametrize("part", parts("repeats"))
def test_a_repeat_comes_in_fourteen_disguises(part: Part) -> None:
    """Each of 20 texts has every disguise once, and each of them changes the text."""
    every = repeats(part)

    assert len(every) == 20
    assert [DISGUISES] * 20 == [{disguise.name for disguise in text.disguises} for text in every]
    assert [] == [
        (text.id, disguise.name)
        for text in every
        for disguise in text.disguises
        if disguise.text == text.text or len(text.disguises) != len(DISGUISES)
    ]
