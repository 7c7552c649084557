"""Numbers and codes in groups are one word, so that a question finds them in any spacing."""

import time

import pytest

from remanence.text.analysis import stems
from remanence.text.identifiers import find_identifiers

LONG_MS_MAX = 1_000  # of processor time for 100 kB; quadratic work takes a minute


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0171 2345678", "01712345678"),
        ("0171-23 45 678", "0171/2345678"),
        ("(0171) 234 56 78", "0171.2345678"),
        ("0171\u00a0234\u20115678", "01712345678"),
        ("room 12 0171 2345678 2 times", "01712345678"),
        ("+49 171 2345678", "00491712345678"[2:]),
        ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("DE89 37040044 0532013000", "DE89 3704 0044 0532 0130 00"),
        ("GB29 NWBK 6016 1331 9268 19", "gb29nwbk60161331926819"),
        ("4111 1111 1111 1111", "4111-1111-1111-1111"),
        ("88120-4471", "881204471"),
        ("TKT-100", "tkt100"),
        ("MP-448-2210", "mp4482210"),
        ("KH 7055811924", "kh7055811924"),
        ("R 471 902-856", "R471902856"),
    ],
)
def test_two_spellings_of_one_number_share_a_word(one: str, other: str) -> None:
    """The whole number, not only a group of it, is a stem of both."""
    longest = max(stems(other), key=lambda stem: sum(map(str.isalnum, stem)) * (stem.isalnum()))

    assert longest in stems(f"It is {one}, ask for Mara")
    assert sum(map(str.isalnum, other)) == len(longest)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "we met on 2023-05-08 at 10:30",
        "1,000 people in 2 rooms",
        "a 16-year-old with gpt-4o",
        "between 10 and 12",
        "room 7\n0171",
        "9" * 40 + " " + "9" * 40,
    ],
)
def test_what_is_no_number_in_groups_adds_no_word(text: str) -> None:
    """Dates, amounts, ages and what stands on two lines add nothing."""
    assert [] == find_identifiers(text)


def test_a_longer_number_is_another_one() -> None:
    """TKT-100 and TKT-1000 share no word for the whole."""
    assert {"tkt100"}.isdisjoint(stems("TKT-1000"))
    assert {"01712345678"}.isdisjoint(stems("0171 23456789"))


@pytest.mark.parametrize(
    "piece",
    ["1 ", "1-", "1-a", "12 34 ", "AA11 ", "AA11 1111 ", "1 1a", "a1-", "(1) ", "A 1 ", "A 111111 a "],
)
def test_a_long_text_takes_time_as_it_is_long(piece: str) -> None:
    """100 kB of what is hard to read are read once."""
    text = (piece * 100_000)[:100_000]
    began = time.process_time()
    find_identifiers(text)

    assert LONG_MS_MAX > (time.process_time() - began) * 1_000
