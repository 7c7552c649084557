"""In which spellings a forbidden text is known again, and which texts stay two."""

import pytest

from remanence.text.forbidden_keys import ban_keys, fold_keys

TEXT = "The gate of the harbour opens at noon"


def refuses(forbidden: str, other: str) -> bool:
    """True if a text is refused once another is forbidden."""
    return not {*ban_keys(forbidden)}.isdisjoint(fold_keys(other))


@pytest.mark.parametrize(
    "disguised",
    [
        "**The gate** of the *harbour* opens at noon",
        "***The gate of the harbour opens at noon.***",
        "The ~~gate~~ of the `harbour` <b>opens</b> at noon",
        "".join(chr(0x1D41A + ord(char) - 97) if char.islower() else char for char in TEXT),
        "7h3 g473 0f 7h3 h4rb0ur 0p3n5 47 n00n",
        "The g4te of the harb0ur opens at noon",
        "The g@te of the harbour open$ at noon",
        "Thee ggate of the harrbour oppens at nnoon",
        "TThhee ggaattee ooff tthhee hhaarrbboouurr ooppeennss aatt nnoooonn",
        "The gaaate of the harbour opens at noon",
        "T h e g a t e o f t h e h a r b o u r o p e n s a t n o o n",
        "T.h.e g.a.t.e of the h.a.r.b.o.u.r opens at n-o-o-n",
        "The g**at**e of the harbour opens at noon",
        "".join(f"{char}\u0336" for char in TEXT),
    ],
)
def test_a_disguised_text_is_known_again(disguised: str) -> None:
    """Bold in marks or letters, signs for letters, letters twice, apart or struck out hide nothing."""
    assert refuses(TEXT, disguised)


@pytest.mark.parametrize(
    ("forbidden", "disguised"),
    [
        ("I have 4 cats", "1 h4v3 4 c4ts"),
        ("We pay 50 euro a call", "We p4y 50 3uro a c411"),
        ("Anna sells a yellow balloon", "Anna selllls a yellow balloon"),
        ("The plan is **open**", "The plan is open"),
    ],
)
def test_a_text_of_numbers_and_doubled_letters_is_known_again(forbidden: str, disguised: str) -> None:
    """Numbers stay numbers, and letters that stand twice by right hide nothing either."""
    assert refuses(forbidden, disguised)


@pytest.mark.parametrize(
    ("forbidden", "other"),
    [
        ("The room is 105", "The room is ios"),
        ("I have 4 cats", "I have a cats"),
        ("The course is A1", "The course is AI"),
        ("The M1 is fast", "The ML is fast"),
        ("Gate A opens at 5pm for BA1537", "Gate 4 opens at 5pm for BA1537"),
        ("Write to ana@firm.example about Gate A", "Write to ana@firm.example about Gate 4"),
        ("S3cmd runs at gate A", "S3cmd runs at gate 4"),
        ("We pay 50 euro", "We p4y 70 3uro"),
        ("The mail is late", "The mall is late"),
        ("Anna lives in Rome", "Ana lives in Rome"),
        ("Phillip is my doctor", "Philip is my doctor"),
        ("It was the later one", "It was the latter one"),
        ("He is a part of it", "He is apart of it"),
        ("Call f(*args)", "Call f(args)"),
        ("It is 2**3**4", "It is 234"),
        ("It is 2 * 3 * 4", "It is 2 3 4"),
        ("<strong>", "</em>"),
    ],
)
def test_two_texts_stay_two(forbidden: str, other: str) -> None:
    """A number is no word, a name in another spelling is another name: neither looks disguised."""
    assert not refuses(forbidden, other)
    assert not refuses(other, forbidden)


def test_a_text_is_asked_for_by_no_more_than_it_looks_like() -> None:
    """An ordinary text has no key of a disguise; it is forbidden under one for each."""
    assert {*fold_keys(TEXT)} < {*ban_keys(TEXT)}
    assert 1 == len(fold_keys("the gate of the harbour opens at noon"))
    assert 5 == len(ban_keys("the gate of the harbour opens at noon"))
