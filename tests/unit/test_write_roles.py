"""Who speaks where nobody said it."""

import pytest

from remanence.core.model import Role, Turn
from remanence.write.roles import in_doubt, role_of_name, speaks_as_assistant, told_by, told_by_texts

OFFER = "Would you like me to go on with that?"
LIST = "- ropes\n- oars"
LONG = "ropes and oars " * 27  # 81 words
PLAIN = "I rowed to the mill."


@pytest.mark.parametrize(
    ("name", "role"),
    [
        (None, Role.USER),
        ("", Role.USER),
        ("Ann", Role.USER),
        ("assistant", Role.ASSISTANT),
        ("Assistant 2", Role.ASSISTANT),
        ("ChatGPT", Role.ASSISTANT),
        ("system", Role.SYSTEM),
        ("Claude", None),
        ("Ann the assistant", None),
    ],
)
def test_a_name_tells_who_speaks_or_raises_the_question(name: str | None, role: Role | None) -> None:
    """Only a name that nothing but programs bear tells; one that people bear too is in doubt."""
    assert role is role_of_name(name)
    assert (role is None) is in_doubt(Turn(PLAIN, speaker=name))
    assert not in_doubt(Turn(PLAIN, speaker=name, role="user"))


def test_an_answer_says_by_what_a_role_was_told() -> None:
    """Nothing where one was said, or where it is the user's."""
    assert "its name" == told_by(Turn(PLAIN, speaker="bot"), Role.ASSISTANT)
    assert "what it says" == told_by(Turn(PLAIN, speaker="Claude"), Role.ASSISTANT)
    assert "" == told_by(Turn(PLAIN, speaker="Claude"), Role.USER)
    assert "" == told_by(Turn(PLAIN, speaker="bot", role="assistant"), Role.ASSISTANT)


@pytest.mark.parametrize(
    ("texts", "speaks"),
    [
        ([], False),
        ([PLAIN], False),
        ([OFFER], False),  # one sign alone anybody gives
        ([LIST], False),
        ([LONG], False),  # length says something of an offer or a list only
        ([f"{OFFER}\n{LIST}"], True),
        ([f"{LONG}\n{LIST}"], True),
        ([f"{LONG}\n{OFFER}"], True),
        (["- ropes", OFFER], False),  # one line is no list
        (["1. ropes\n2) oars\n" + OFFER], True),
        (["a. ropes\nb. oars\n" + OFFER], False),
        (["1 ropes\n2 oars\n" + OFFER], False),
        (["  * ropes\n  • oars\n" + OFFER], True),
        ([OFFER, LIST], True),
        ([OFFER, LIST, PLAIN], False),  # two signs in three texts
        ([OFFER, OFFER, LIST, PLAIN], True),  # three in four
        ([OFFER, OFFER, LIST, PLAIN, PLAIN], False),
    ],
)
def test_an_assistant_offers_lists_and_runs_long(texts: list[str], speaks: bool) -> None:
    """Three signs to four texts, and two at least."""
    assert speaks is speaks_as_assistant(texts)


def test_each_text_is_told_by_those_before_it_or_all_together() -> None:
    """One by one up to each, together up to the last; twenty are looked at."""
    signs = f"{OFFER}\n{LIST}"

    assert [False, True] == told_by_texts([], [PLAIN, signs], together=False)
    assert [True, True] == told_by_texts([], [PLAIN, signs], together=True)
    assert [False] == told_by_texts([PLAIN] * 14, [signs], together=False)
    assert [True] == told_by_texts([signs] * 8, [PLAIN], together=False)
    assert [True] == told_by_texts([PLAIN] * 50 + [signs] * 19, [PLAIN], together=False)
    assert [True] == told_by_texts([PLAIN] * 50 + [signs] * 19, [PLAIN], together=True)
    assert [] == told_by_texts([signs], [], together=True)
