"""Where a text of any script may be cut: behind a sentence, else between characters as a reader sees them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.text_cuts import (
    GRAPHEME_CHARS_MAX,
    cut_graphemes,
    find_sentence_ends,
    find_word_end,
    step_back,
)

CHARACTERS = {
    "Latin": ["c", "a", "f", "e\u0301"],
    "Chinese": list("北岸的地面"),
    "Japanese": ["倉", "庫", "か\u3099", "ﾊﾞ"],
    "Thai": ["น้ำ", "กี่"],
    "Lao": ["ນ້ຳ", "ດີ"],
    "Khmer": ["ខ្មែ", "រ"],
    "Burmese": ["မြ", "န်", "မာ"],
    "Hindi": ["न", "म", "स्ते"],
    "Korean": ["한", "\u1112\u1161\u11ab"],
    "emoji": ["👩‍👩‍👧", "🇫🇷", "🇩🇪", "👍🏽", "❤️"],
}


@pytest.mark.parametrize("script", CHARACTERS)
def test_characters_are_cut_as_a_reader_sees_them(script: str) -> None:
    """Marks, joiners, skin tones, both halves of a flag and the parts of a syllable stay together."""
    pieces = CHARACTERS[script]

    assert pieces == cut_graphemes("".join(pieces))


@given(st.text(st.sampled_from([*"ab.! \n", *"".join(map("".join, CHARACTERS.values())), "\u0301"])))
def test_nothing_is_lost_between_pieces(text: str) -> None:
    """Pieces are bounded and make the text again; a cut stepped back to is one of theirs, or bounded too."""
    pieces = cut_graphemes(text)

    assert text == "".join(pieces)
    assert all(1 <= len(piece) <= GRAPHEME_CHARS_MAX for piece in pieces)
    for place in range(len(text) + 1):
        assert place - GRAPHEME_CHARS_MAX < step_back(text, place) <= place


@pytest.mark.parametrize(
    "sentences",
    [
        ["It costs 3.14 at www.example.org. ", "“Really?” ", "Yes"],
        ["地面太软。", "“真的吗？”", "是！", "好"],
        ["यह नरम है। ", "ठीक"],
        ["ដីទន់។", "បាទ"],
        ["ပျော့သည်။", "ဟုတ်"],
        ["هل هذا صحيح؟ ", "نعم۔", "ا"],
    ],
)
def test_sentences_end_with_the_marks_of_their_script(sentences: list[str]) -> None:
    """Marks of ASCII end one before a blank alone; the end of the text is not listed."""
    text = "".join(sentences)
    ends = [0, *find_sentence_ends(text), len(text)]

    assert sentences == [text[begin:end] for begin, end in pairwise(ends)]


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("the north bank", 12, "the north"),
        ("the north", 9, "the north"),
        ("a 北岸的地面太软", 8, "a 北岸的地面太"),
        ("ab e\u0301e\u0301e\u0301e\u0301", 10, "ab e\u0301e\u0301e\u0301"),
    ],
)
def test_a_line_ends_with_a_word_where_one_ends_late_enough(text: str, most: int, cut: str) -> None:
    """An early blank does not take most of a text that has no other."""
    assert cut == text[: find_word_end(text, most)]
