"""How much a turn asks to be kept."""

import pytest

from remanence.languages.families import SIGNALS
from remanence.read.keep_signals import END_CHARS, signal
from tests.labelled import read_labelled


@pytest.mark.parametrize(
    "text",
    [
        "I need a file list of the source folder.",
        "I want to see yesterday's logs.",
        "I am at home.",
        "Do I always have to pass it?",
        "If I were vegan, what would you cook?",
        'The poster said "never give up".',
        "I'm from the moon. Just kidding.",
        "Ich brauche eine Liste der Dateien.",
        "",
    ],
)
def test_a_request_a_question_a_supposition_or_a_quotation_asks_for_nothing_to_be_kept(text: str) -> None:
    """Words of a truth or an order that are about this moment, or nobody's own, are none."""
    told = signal(text)

    assert told.level == "none"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("From now on answer in French.", "standing order"),
        ("Could you always answer in French?", "standing order"),
        ("Actually, my flight leaves at six.", "correction"),
        ("My name is Bob", "identity"),
        ("We decided to move to Postgres.", "decision"),
        ("I'm allergic to nuts.", "preference"),
        ("Remember that the door sticks.", "remember"),
        ("Ab sofort bitte auf Deutsch.", "standing order"),
        ("今後は日本語で返事してください。", "standing order"),
        ("我叫沈佩兰。", "identity"),
    ],
)
def test_a_lasting_truth_or_a_standing_order_is_high_by_its_class(text: str, name: str) -> None:
    """A high signal names what told it."""
    told = signal(text)

    assert told.level == "high"
    assert f"high: {name}" in told.found


def test_an_order_for_this_moment_is_no_standing_order() -> None:
    """What passes with the moment is not to be kept."""
    assert signal("Don't use that file yet.").level == "none"
    assert signal("Don't use tabs in my files.").level == "high"


def test_two_views_weigh_more_than_one() -> None:
    """One view is a low signal, several are a medium one."""
    assert signal("I think it is long.").level == "low"
    assert signal("I think it is long, and I feel it is dull.").level == "medium"


def test_of_a_long_turn_the_two_ends_are_looked_at() -> None:
    """What is pasted between what somebody says is not theirs."""
    pasted = "INFO all is well 17 " * END_CHARS

    assert signal(f"Remember that the door sticks.\n{pasted}").level == "high"
    assert signal(f"{pasted}\nRemember that the door sticks.").level == "high"
    assert signal(f"{pasted}\nRemember that the door sticks.\n{pasted}").level == "none"


def test_each_language_tells_every_level() -> None:
    """No level is out of reach in any of the languages."""
    lines = read_labelled("unit/data/signals.jsonl")
    told = {(one["language"], signal(one["text"]).level) for one in lines}

    assert told == {
        (language.code, level) for language in SIGNALS.values() for level in ("high", "medium", "low", "none")
    }


@pytest.mark.parametrize(
    "text",
    [
        "i " * 50_000,
        "a" * 100_000,
        "never" + " " * 99_000 + "without",
        '"' * 99_999,
        "不是" * 50_000,
        "?" * 99_999,
        "\0\ud800",
    ],
)
def test_a_hostile_text_has_a_signal_too(text: str) -> None:
    """Whatever the text is, there is an answer."""
    assert signal(text).level in {"high", "medium", "low", "none"}
