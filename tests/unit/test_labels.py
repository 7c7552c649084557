"""The labelled texts that benchmarks score against are well formed, enough, and kept apart in sets."""

import re
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from benchmarks.labels import FOLDER, names, parts, read
from benchmarks.labels.intake import benign, harmless, secrets

LANGUAGES = {"en", "de", "es", "fr", "pt", "zh", "ja"}


def texts(value: Any) -> set[str]:
    """Return the texts that were said in a labelled line."""
    if isinstance(value, dict):
        found = [value.get(key) for key in ("text", "one", "other", "content")]
        said = {"".join(one) for one in found if isinstance(one, (str, list))}
        return said.union(*map(texts, value.values()))
    return set().union(*map(texts, value)) if isinstance(value, list) else set()


def luhn(number: str) -> int:
    """Return the check sum of a card number, 0 if it is right."""
    digits = [int(digit) for digit in reversed(re.sub(r"\D", "", number))]
    return (sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10


def remainder(iban: str) -> int:
    """Return the remainder of a bank account number, 1 if it is right."""
    plain = iban.replace(" ", "")
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97


@pytest.mark.parametrize("name", names())
def test_the_sets_of_a_kind_have_no_text_and_no_id_in_common(name: str) -> None:
    """What is scored once was never developed against, and each id names one line."""
    sets = [read(name, part) for part in parts(name)]

    ids = [line["id"] for lines in sets for line in lines if "id" in line]
    assert [] == [label for label, times in Counter(ids).items() if times > 1]
    assert set() == set().union(*(texts(one) & texts(other) for one, other in combinations(sets, 2)))


def test_there_are_thirty_kinds_of_secrets() -> None:
    """Each kind of secret is there three times or more, inside its text."""
    every = secrets("third")
    kinds = Counter(secret.kind for secret in every)

    assert len(kinds) >= 30
    assert min(kinds.values()) >= 3
    assert [] == [secret.id for secret in every if secret.secret not in secret.text]


def test_cards_and_accounts_have_right_check_digits() -> None:
    """A made-up card or account passes the check that a real one passes."""
    cards = [secret.secret for secret in secrets("third") if secret.kind == "credit_card"]
    accounts = [secret.secret for secret in secrets("third") if secret.kind == "iban"]

    assert [0] * len(cards) == [luhn(card) for card in cards]
    assert [1] * len(accounts) == [remainder(account) for account in accounts]


def test_no_secret_stands_whole_in_the_file() -> None:
    """A scanner that reads the file finds nothing it would report."""
    stored = (FOLDER / "secrets.third.jsonl").read_text(encoding="utf-8")

    assert [] == [
        secret.id for secret in secrets("third") if len(secret.secret) > 7 and secret.secret in stored
    ]


def test_there_are_enough_harmless_lines() -> None:
    """More than five hundred texts without a secret, of 40 kinds."""
    every = harmless("third")

    assert len(every) >= 500
    assert len({line.kind for line in every}) >= 40


def test_there_are_enough_benign_texts_in_every_language() -> None:
    """340 texts that speak of instructions; each question asks for one text."""
    every = [text for part in parts("benign") for text in benign(part)]
    questions = Counter(text.question for text in every if text.question)

    assert len(every) >= 340
    assert LANGUAGES == {text.language for text in every}
    assert [] == [question for question, times in questions.items() if times > 1]
