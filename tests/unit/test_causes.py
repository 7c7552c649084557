"""A text that says why names a cause and an effect, in the right direction, in seven languages."""

import pytest

from remanence.read.causes import CausePair, shared_words, why_of


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("Therefore we moved to the new harbour.", None, "we moved to the new harbour"),
        ("As a result, the cellar flooded.", None, "the cellar flooded"),
        ("Because of that we stayed at home.", None, "we stayed at home"),
        ("That's because the seal was worn.", "the seal was worn", None),
        ("The cellar was flooded because the pump failed.", "the pump failed", "The cellar was flooded"),
        ("Because the pump failed, the cellar was flooded.", "the pump failed", "the cellar was flooded"),
        ("The broken pump led to the flood.", "The broken pump", "the flood"),
        ("The pump failed. As a result the cellar flooded.", "The pump failed", "the cellar flooded"),
        ("Deshalb sind wir umgezogen.", None, "sind wir umgezogen"),
        ("Wir sind umgezogen, weil die Miete stieg.", "die Miete stieg", "Wir sind umgezogen"),
        ("Das liegt daran, dass die Dichtung alt war.", "dass die Dichtung alt war", None),
        ("Por eso nos mudamos.", None, "nos mudamos"),
        ("Nos mudamos porque subió el alquiler.", "subió el alquiler", "Nos mudamos"),
        ("C'est pourquoi nous avons déménagé.", None, "nous avons déménagé"),
        ("La panne a provoqué une inondation.", "La panne", "une inondation"),
        ("Portanto mudamos de casa.", None, "mudamos de casa"),
        ("Mudamos por causa do barulho da rua.", "barulho da rua", "Mudamos"),
        ("所以比赛取消了。", None, "比赛取消了"),
        ("因为下雨，比赛取消了。", "下雨", "比赛取消了"),
        ("比赛取消了，因为下雨。", "下雨", "比赛取消了"),
        ("そのため、試合は中止になった。", None, "試合は中止になった"),
        ("雨が降ったため、試合は中止になった。", "雨が降った", "試合は中止になった"),
    ],
)
def test_a_cause_comes_before_its_effect_whatever_the_order_of_words(
    text: str, cause: str | None, effect: str | None
) -> None:
    """None is what was said before."""
    assert CausePair(cause, effect) == why_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "I like tea.",
        "Why did it flood, because of the pump?",
        "Not because of the rain did we stay.",
        "Because.",
        "",
    ],
)
def test_what_asks_denies_or_breaks_off_says_nothing_of_why(text: str) -> None:
    """Nor does what has no such word."""
    assert why_of(text) is None


def test_two_texts_speak_of_the_same_where_the_shorter_is_in_the_other_by_half() -> None:
    """By stems; one word in common is not enough where both have more."""
    assert shared_words("The pump failed on Monday night.", "the pump failed") == 1.0
    assert not shared_words("The pump was sold.", "the pump failed again and again")
    assert not shared_words("", "the pump failed")
