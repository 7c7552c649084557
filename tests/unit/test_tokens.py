"""Tokens are estimated from above, line by line, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from remanence.text.tokens import COSTS_PATH, features, token_counts

# What o200k_base and cl100k_base count in a text with its line end, the larger of both.
COUNTED = {
    "The ferry to Skagen leaves at noon on Sundays.": 11,
    "[#332 2026-01-01 Ingrid] I am allergic to walnuts, so no cake for me!": 25,
    "Das Passwort für den Bootsschuppen hat sich letzten Dienstag geändert.": 18,
    "La réunion est reportée à jeudi, à cause de la grève.": 17,
    "Código de la puerta: 4471; no lo compartas.": 16,
    "Zebranie przełożono na czwartek z powodu strajku kolejarzy.": 21,
    "def area(radius: float) -> float: return 3.14159 * radius ** 2": 21,
    '{"id": 4711, "tags": ["boat", "tide"], "open": false}': 22,
    "https://example.org/articles/2024/03/how-to-moor?lang=en#step-2": 22,
    "0190a7c2b4e87f3d9a61c5e2f8b04d17": 27,
    "Паром отходит в полдень.": 11,
    "会议改到星期四下午三点。": 12,
    "渡し船は正午に出ます。": 12,
    "연락선은 정오에 떠납니다.": 17,
    "العبّارة تغادر عند الظهر.": 18,
    "นัดประชุมเลื่อนไปวันพฤหัสบดี": 28,
    "नौका दोपहर को निकलती है।": 26,
    "🎉👩‍💻 done ✅": 14,
}
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


def test_counts_come_near_from_above() -> None:
    """All in all more than two vocabularies count, hardly ever less, and not half as much again."""
    estimates = dict(zip(COUNTED, token_counts(list(COUNTED)), strict=True))
    share = {text: estimates[text] / count for text, count in COUNTED.items()}

    assert {} == {text: of for text, of in share.items() if not 0.85 <= of <= 1.5}
    assert 1.0 < sum(estimates.values()) / sum(COUNTED.values()) < 1.2


@given(st.lists(texts, max_size=12))
def test_texts_are_counted_together_as_each_alone(several: list[str]) -> None:
    """What stands beside a text does not change its count."""
    assert [token_counts([text])[0] for text in several] == token_counts(several)


@given(st.lists(texts, min_size=1, max_size=12))
def test_a_whole_is_no_more_than_its_lines(lines: list[str]) -> None:
    """Lines that fit a budget one by one fit it together."""
    assert token_counts(["\n".join(lines)])[0] <= sum(token_counts(lines))


@given(texts)
def test_every_text_takes_at_least_a_token(text: str) -> None:
    """Even the empty one has its line end, and whatever is in a text, it can be counted."""
    assert token_counts([text])[0] >= 1


@given(texts)
def test_few_characters_are_counted_as_many_are(text: str) -> None:
    """A text that is counted word by word has the count that arrays give it."""
    assert token_counts([text]) == token_counts([text, "tide 1234 " * 50])[:1]


def test_many_long_texts_are_counted_in_pieces() -> None:
    """A batch ends where it is long enough; all are counted, in order."""
    several = ["tide " * 10_000, "a", "ebb " * 10_000, "b", "c"]

    assert [token_counts([text])[0] for text in several] == token_counts(several)


def test_no_texts_have_no_counts() -> None:
    """Nothing asked, nothing said."""
    assert [] == token_counts([])


def test_half_a_character_is_counted() -> None:
    """A lone surrogate is counted like any character."""
    assert token_counts(["\ud800"])[0] >= 3


def test_the_costs_are_there() -> None:
    """The file of costs is part of the package, and every place of a text has one."""
    assert COSTS_PATH.is_file()
    assert {len("tide 12") + 1} == {len(places) for places in features("\ntide 12\n")}
