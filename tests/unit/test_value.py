"""The keep-value and its reasons."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.text.analysis import asks, term_hash, terms_of
from remanence.write.value import ASSISTANT_SHARE, POINTS_MIN, Value, keep_value

Golden = tuple[str, int, dict[str, int], int, bool, bool, float, float, float]


def value(
    text: str,
    *,
    memories: int = 0,
    df: dict[int, int] | None = None,
    place: int = 3,
    after_question: bool = False,
    assistant: bool = False,
) -> Value:
    """Value a text that stands alone."""
    return keep_value(
        text,
        terms=terms_of(text),
        memories=memories,
        df=df or {},
        place=place,
        after_question=after_question,
        assistant=assistant,
    )


def points(found: Value, sign: str) -> float:
    """Return the points of one sign, 0 where it was not seen."""
    return sum(reason.points for reason in found.reasons if reason.sign == sign)


def test_information_sums_the_rarity_of_distinct_words() -> None:
    """Each distinct content word adds ln((N + 500) / (df + 1)); repeats and stop words add nothing."""
    df = {term_hash("harbour"): 99}
    found = value("the harbour, the harbour and a lantern", memories=100, df=df)

    assert math.log(600 / 100) + math.log(600 / 1) == pytest.approx(found.information)


def test_only_the_ten_rarest_words_count() -> None:
    """A long text is worth no more than its ten rarest words."""
    words = [f"zq{chr(97 + k)}x" for k in range(15)]
    df = {term_hash(word): 50 for word in words[:5]}

    assert 10 * math.log(600) == pytest.approx(value(" ".join(words), memories=100, df=df).information)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("I keep bees", "first person"),
        ("Rowing on Tuesday", "time or date"),
        ("Rowing with 12 people", "number"),
        ("A rope of twelve feet", "number"),
        ("Rowing with Ingrid", "name"),
        ("Ich habe gestern ein Boot gebaut und war müde", "time or date"),
        ("Ayer compré un barco para mi hermana", "time or date"),
        ("Hier nous avons vu un bateau avec ma sœur", "first person"),
        ("Ontem eu vi um barco com minha irmã", "first person"),
    ],
)
def test_signs_of_a_life_add_half_a_point_at_first_sight(text: str, sign: str) -> None:
    """Who, when, how many and with whom make a memory worth more, in each language we have lists for."""
    assert points(value(text), sign) >= 0.5


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Where do you row?", "second person"),
        ("Where is it?", "share of it that asks"),
    ],
)
def test_signs_of_talk_take_points_off(text: str, sign: str) -> None:
    """Asking says little that will be asked for."""
    assert points(value(text), sign) < 0


def test_a_sign_saturates() -> None:
    """A sign seen n times is worth 1 − 2^−n, never a whole point."""
    assert points(value("I and I and I"), "first person") == 1 - 2**-3


def test_a_question_takes_off_its_share_of_the_text() -> None:
    """A question of half the characters costs half a point."""
    text = "Boats leak." + "Do they ok?"

    assert points(value(text), "share of it that asks") == pytest.approx(-0.5)


def test_place_in_the_talk_counts() -> None:
    """An answer and the first three memories of a session are worth half a point more each."""
    plain = value("Blue boats leak", place=3)
    opening = value("Blue boats leak", place=2)
    answer = value("Blue boats leak", place=3, after_question=True)

    assert (0.5, 0.5) == (opening.points - plain.points, answer.points - plain.points)


def test_a_capital_that_opens_a_sentence_is_no_name() -> None:
    """Only a capital inside a sentence makes a name, and none does in German."""
    assert points(value("It leaks. Boats do"), "name") == 0
    assert points(value("Wir haben das Boot und die Leine nicht gesehen"), "name") == 0


def test_what_an_assistant_says_is_worth_a_share() -> None:
    """The speaker factor multiplies the rest and changes nothing else."""
    person, assistant = value("I keep bees"), value("I keep bees", assistant=True)

    assert assistant.total == pytest.approx(ASSISTANT_SHARE * person.total)


@given(st.text(), st.integers(0, 10_000), st.booleans(), st.booleans())
def test_a_value_is_the_product_of_its_parts(
    text: str, memories: int, question: bool, assistant: bool
) -> None:
    """Total = information × points × speaker; points are 1 plus the reasons and never below the floor."""
    found = value(text, memories=memories, place=0, after_question=question, assistant=assistant)

    assert found.total == pytest.approx(found.information * found.points * found.speaker)
    assert found.points == max(POINTS_MIN, 1 + sum(reason.points for reason in found.reasons))
    assert found.total >= 0


def test_reasons_can_be_read() -> None:
    """A reason says what was seen and what it is worth."""
    assert str(value("I keep bees").reasons[0]) == "+0.50 first person: i"


def test_statistics_that_ran_ahead_never_make_a_word_worth_less_than_nothing() -> None:
    """A word in more memories than were counted adds zero."""
    assert value("harbour", memories=0, df={term_hash("harbour"): 10_000}).information == 0


def test_a_question_mark_of_any_script_asks() -> None:
    """Latin, full-width and Arabic question marks ask; a statement does not."""
    assert [True, True, True, False] == [asks(text) for text in ("ok?", "好吗？", "حقا؟", "ok.")]


# (text, memories seen, how many hold a word, place, after a question, an assistant's; information, points, value): each
# worked out by hand from the formula: ln 500 = 6.214608 for a word that is new to an empty scope.
GOLDEN = [
    # ada, row, skagen, tuesday; time, name
    ("Ada rowed to Skagen on Tuesday", 0, {}, 3, False, False, 24.858432, 2.0, 49.716865),
    # harbour ln 60, close and said ln 600
    ("The harbour is closed, they said", 100, {"harbour": 9}, 3, False, False, 16.888204, 1.0, 16.888204),
    # like, map; second person, all of it asks: never below a tenth
    ("Would you like a map?", 0, {}, 3, False, False, 12.429216, 0.1, 1.242922),
    ("Would you like a map?", 0, {}, 3, False, True, 12.429216, 0.1, 0.3728765),
    # sister, 3, cat; first person, number, an answer, opens a session
    ("My sister has 3 cats", 0, {}, 0, True, False, 18.643824, 3.0, 55.931473),
    # a word that more memories hold than were counted says nothing: boat alone, ln 501
    ("The mill, the boat", 1, {"mill": 900}, 3, False, False, 6.216606, 1.0, 6.216606),
]


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: f"{golden[0]} {golden[5]}")
def test_the_keep_value_is_what_its_formula_says(golden: Golden) -> None:
    """Information, points and value of whole texts, worked out by hand."""
    text, memories, held, place, answers, assistant, *expected = golden
    df = {term_hash(word): count for word, count in held.items()}
    found = value(text, memories=memories, df=df, place=place, after_question=answers, assistant=assistant)

    assert expected == pytest.approx([found.information, found.points, found.total], rel=1e-6)
