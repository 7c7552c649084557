"""Fingerprints, stems, words and what must survive a merge."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.errors import InvalidInput
from remanence.core.model import TEXT_CHARS_MAX
from remanence.text import analysis as module
from remanence.text.analysis import (
    check_text,
    fingerprint,
    readings,
    sentences,
    stems,
    term_hash,
    vital_tokens,
    words,
)

# One sentence and a part of it, by script.
SCRIPTS = {
    "latin": ("The ferry to Skagen leaves at noon", "ferry to Skagen"),
    "accented": ("Žluťoučký kůň pěl ďábelské ódy", "ďábelské ódy"),
    "cyrillic": ("Паром уходит в полдень из гавани", "из гавани"),
    "greek": ("Το πλοίο φεύγει το μεσημέρι", "φεύγει το μεσημέρι"),
    "hebrew": ("המעבורת יוצאת בצהריים", "יוצאת בצהריים"),
    "arabic": ("تغادر العبارة عند الظهر", "عند الظهر"),
    "devanagari": ("नाव दोपहर को निकलती है", "दोपहर को"),
    "bengali": ("ফেরি দুপুরে ছাড়ে", "দুপুরে ছাড়ে"),
    "tamil": ("படகு நண்பகலில் புறப்படும்", "நண்பகலில்"),
    "thai": ("เรือเฟอร์รี่ออกตอนเที่ยง", "ออกตอนเที่ยง"),
    "chinese": ("渡轮中午从港口出发", "从港口出发"),
    "japanese": ("フェリーは正午に港を出ます", "正午に港を"),
    "korean": ("페리는 정오에 항구를 떠난다", "정오에 항구"),
    "georgian": ("ბორანი შუადღისას გადის", "შუადღისას"),
    "armenian": ("Լաստանավը մեկնում է կեսօրին", "կեսօրին"),
    "ethiopic": ("ጀልባው እኩለ ቀን ይነሳል", "እኩለ ቀን"),
}

DIFFERENT = [
    ("User codes in C++", "User codes in C#"),
    ("Budget is $5", "Budget is 5 %"),
    ("It was -5 outside", "It was 5 outside"),
    ("The limit is 10² metres", "The limit is 102 metres"),
    ("Add 1½ cups", "Add 11/2 cups"),
    ("Pi is 3.5", "Pi is 35"),
    ("We run v1.2", "We run v12"),
    ("They told us so", "They told US so"),
    ("We came in May", "We came in may"),
    ("We met Mark", "We met mark"),
    ("Polish is hard", "polish is hard"),
    ("Let's eat, grandma", "Let's eat grandma"),
    ("Stop. Not now", "Stop not now"),
    ("He is home?", "He is home"),
    ("It's broken", "Its broken"),
    ("The answer is 5!", "The answer is 5"),
    ("In Maßen trinken", "In Massen trinken"),
    ("Ich habe Sie gesehen", "Ich habe sie gesehen"),
    ("Add café", "Add cafe"),
    ("...", "!!!"),
]

SAME = [
    ("I like tea.", "i like tea"),
    ("I like tea", "  I  like\ttea !!"),
    ("“I like tea”", "I like tea"),
    ("It’s mine", "It's mine"),
    ("From 5–10", "From 5-10"),
    ("It was \u22125", "It was -5"),
    ("ｆｕｌｌ １２３", "full 123"),
    ("soft\u00adhyphen", "softhyphen"),
    ("zero\u200bwidth", "zerowidth"),
    ("cafe\u0301", "café"),
    ("I LOVE THIS HARBOUR", "i love this harbour"),
    ("He left. She cried", "He left. she cried"),
    ("A red ❤\ufe0f", "A red ❤"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_a_difference_in_meaning_is_a_difference_in_fingerprint(one: str, other: str) -> None:
    """Two texts that could mean different things never share a fingerprint."""
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_difference_in_form_alone_is_none_in_fingerprint(one: str, other: str) -> None:
    """Texts that differ in blanks, drawing or the closing mark share their fingerprint."""
    assert fingerprint(one) == fingerprint(other)


def test_the_speaker_is_part_of_the_fingerprint() -> None:
    """The same words of another person are another fact."""
    assert fingerprint("I am vegan", "Ada") != fingerprint("I am vegan", "Bo")

    assert fingerprint("I am vegan", "Ada") == fingerprint("I am vegan", " ADA ")


def test_speaker_and_text_do_not_run_into_each_other() -> None:
    """Moving a word from the text to the speaker changes the fingerprint."""
    assert fingerprint("b c", "a") != fingerprint("c", "a b")


def test_every_script_has_fingerprints_of_its_own() -> None:
    """No script is folded away: sixteen sentences, sixteen fingerprints, and sixteen more for their parts."""
    found = {fingerprint(text) for pair in SCRIPTS.values() for text in pair}

    assert 2 * len(SCRIPTS) == len(found)


@given(st.text())
def test_a_fingerprint_is_sixteen_bytes_and_repeatable(text: str) -> None:
    """Any text at all has one fingerprint of 16 bytes."""
    found = fingerprint(text)

    assert (16, found) == (len(found), fingerprint(text))


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_stems_of_a_part_are_stems_of_the_whole(script: str) -> None:
    """A memory is found by a part of its text, in every script."""
    whole, part = SCRIPTS[script]

    assert set(stems(part)) <= set(stems(whole))
    assert stems(part) != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++ and C# in gpt-4o", ["c++", "c#", "gpt-4o", "gpt", "4o"]),
        ("v1.2 of node.js", ["v1.2", "node.js", "node", "j"]),
        ("1,000 of 3.14", ["1000", "3.14"]),
        ("8th May", ["8", "mai"]),
        ("Mel’s paintings were painted", ["mel", "paint", "paint"]),
        ("her mother-in-law", ["mother", "law"]),
        ("user_id", ["user_id", "user", "id"]),
        ("Müller, café", ["muller", "cafe"]),
        ("咖啡店 now", ["咖啡", "啡店"]),
        ("犬", ["犬"]),
        ("tea,milk", ["tea", "milk"]),
        ("😀 !!", []),
    ],
)
def test_stems_keep_what_people_search_for(text: str, expected: list[str]) -> None:
    """Versions, models and languages stay whole, words are stemmed, stop words go."""
    assert expected == stems(text)


def test_stop_words_follow_the_language_of_the_text() -> None:
    """German function words go from a German text, and an English "die" stays."""
    assert stems("Der Hund und die Katze waren nicht im Haus") == ["hund", "katz", "hau"]

    assert stems("Roses die young") == ["rose", "die", "young"]


@given(st.text())
def test_no_stem_holds_a_blank(text: str) -> None:
    """Stems can be joined by blanks and split again, whatever the text."""
    found = stems(text)

    assert found == " ".join(found).split()


@given(st.text(min_size=1))
def test_stems_are_found_again_from_themselves(text: str) -> None:
    """Term hashes are positive, fit a signed 64-bit column and depend on the stem alone."""
    hashed = [term_hash(stem) for stem in stems(text)]

    assert hashed == [term_hash(stem) for stem in stems(text)]
    assert all(0 < found < 2**63 for found in hashed)


def test_a_term_hash_never_changes() -> None:
    """Statistics are stored under it, so the value itself is frozen."""
    assert term_hash("harbour") == 179_678_263_295_545_969


def test_words_are_as_written() -> None:
    """Case and apostrophes stay, marks go, hyphenated words are split."""
    assert words("Ada's dog isn't well-behaved, is it?") == [
        "Ada's",
        "dog",
        "isn't",
        "well",
        "behaved",
        "is",
        "it",
    ]


@pytest.mark.parametrize(
    "text", ["", " \n\t", "nul\0byte", "half \ud800 character", "x" * (TEXT_CHARS_MAX + 1)], ids=repr
)
def test_what_cannot_be_a_memory_is_refused_with_a_way_out(text: str) -> None:
    """Empty, NUL, lone surrogates and a megabyte raise InvalidInput that says what to do."""
    with pytest.raises(InvalidInput) as raised:
        check_text(text)

    assert raised.value.recovery != ""


def test_a_text_of_the_limit_is_accepted() -> None:
    """The limit itself is allowed, and so are emoji and line breaks."""
    check_text("x" * TEXT_CHARS_MAX)
    check_text("first line\n👩‍👩‍👧 second")


def test_what_must_survive_a_merge_is_seen() -> None:
    """Numbers with their unit, negations, names, dates and code are found."""
    vital = vital_tokens("Bo never paid Ada $5.50 for two `rm -rf` on Monday, 3 % of user_id")

    assert {"$5.50", "two", "3%"} == vital.numbers
    assert vital.negations == 1
    assert {"bo", "ada"} <= vital.names
    assert {"monday"} == vital.dates
    assert {"rm -rf", "user_id"} == vital.code


# The plain way to say it, which takes quadratic time on a run of marks.
_CLOSES = re.compile(r"[.!?…\n]+(?=\s|$)|\n")
_SNAKE = re.compile(r"\b[A-Za-z]\w*_\w+\b")
_MARKS = st.characters(categories=["Mn", "Mc", "Me"])


@given(st.text("ab.!?…\n \tÉ1", max_size=40))
def test_sentences_end_where_a_mark_meets_a_blank(text: str) -> None:
    """A run of marks closes a sentence before a blank, a line or the end, and a line always does."""
    expected = [part.strip() for part in _CLOSES.split(text) if part.strip()]

    assert expected == sentences(text)


@given(st.text("ab_1é ", max_size=20))
def test_a_word_with_an_underscore_inside_is_code(text: str) -> None:
    """Snake case is a letter, then anything with an underscore that does not end it."""
    assert set(_SNAKE.findall(text)) == {code for code in vital_tokens(text).code if "_" in code}


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "か", "—", "e\u0323"]), st.text(_MARKS | st.just("\uff9e"))),
        max_size=4,
    )
)
def test_marks_are_put_in_order_as_unicode_says(letters: list[tuple[str, str]]) -> None:
    """However many marks a letter bears, in whatever order, its text is the same as in normal form."""
    text = "".join(letter + 40 * marks for letter, marks in letters) + " end"

    assert fingerprint(unicodedata.normalize("NFD", text)) == fingerprint(text)
    assert stems(unicodedata.normalize("NFKC", text)) == stems(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Élan vital", "élan vital"),
        ("Ärger im Amt", "ärger im Amt"),
        ("Паром ушёл. Ждём", "паром ушёл. ждём"),
        ("Ωμέγα τέλος", "ωμέγα τέλος"),
        ("A\u030angström", "Ångström"),
        ("Ｓｋａｇｅｎ", "Skagen"),
        ("フェリー", "ﾌｪﾘｰ"),
    ],
)
def test_letters_beyond_ascii_are_folded_like_others(one: str, other: str) -> None:
    """A capital that opens a sentence, and another way to write a letter, are form in every script."""
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Der Weg", "Der weg"),
        ("Паром ушёл", "Паром ушел"),
        ("Le cœur bat", "Le coeur bat"),
        ("Die Größe", "Die Grösse"),
        ("Smørrebrød", "Smorrebrod"),
        ("पानी", "पानि"),
    ],
)
def test_letters_beyond_ascii_are_never_folded_away(one: str, other: str) -> None:
    """An accent, or another letter, is another text."""
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    ("text", "speaker", "digest"),
    [
        ("The ferry leaves at noon.", "", "472dbd2c7229cb2a8d66dd814a5fedf6"),
        ("Le cœur bat à Århus", "Zoë", "69ced9c1d079d99116836d3193a09c70"),
        ("Паром ушёл — ждём!", "Юра", "9bd12c8315bacd4ed12aa2c9b7c8cc8b"),
        ("渡轮中午从港口出发。", "李雷", "39cb031d5f382781637ed5486fde9f6d"),
        ("Größe: 1½ m, 10² cm", "Jörg", "b17ac010ab9a7541c2508a334cd12151"),
    ],
)
def test_a_fingerprint_that_was_stored_is_found_again(text: str, speaker: str, digest: str) -> None:
    """Fingerprints are kept in files: what one version says of a text the next one says, too."""
    assert digest == fingerprint(text, speaker).hex()


_SIGNS = st.sampled_from(
    [*"ab AB 12 `/\\@_#+-().:~$'é一", "://", "()", "--x", "v1", "aB", "C++", "x_1", "C:"]
)


@given(st.lists(_SIGNS, max_size=12).map("".join))
def test_no_code_escapes_the_look_that_comes_before(text: str) -> None:
    """A text is searched for code only where one of its signs is, and then all of it is found."""
    assert {found.group().strip("`") for found in module._CODE.finditer(text)} == set(module._find_code(text))


def test_a_long_text_is_read_once_for_all_who_read_it_in_a_row() -> None:
    """A question of 100 kB is read by each part of its recall; what was read before is kept no longer."""
    long, other = "船と海" * 9_000, "海と船" * 9_000
    first = readings(long)

    assert first is readings(long)
    assert first == (readings(other), readings(long))[1]
    assert first is not readings(long)
