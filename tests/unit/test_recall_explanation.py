"""How reasons read: what is added and what multiplies, bars, places, and lines that keep to their columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.recall_explanation import (
    FACTORS,
    Absence,
    FilterCount,
    Hop,
    RecallExplanation,
    ScoreExplanation,
    ScorePart,
    build_parts,
    draw_bar,
    format_sum,
    ordinal,
    wrap_line,
)

VALUES = {
    "lexical": 1.0,
    "semantic": 0.5,
    "held": 0.8,
    "cosine": 0.3,
    "lead": 0.0,
    "named": 1.5,
    "worth": 1.2,
}
PARTS = build_parts(VALUES, {"lexical": 1, "semantic": 12}, {"lexical": {"bm25": 7.25}})
SCORE = ScoreExplanation(3, "a" * 32, 2.7, 1, PARTS, stands_above="#4: said later")


def explanation(**more: object) -> RecallExplanation:
    """Return the reasons of an answer of one memory."""
    fields: dict[str, object] = {
        "memories": 1_200,
        "filters": (FilterCount("status", 200), FilterCount("thread", 0), FilterCount("tag boats", 990)),
        "candidates": 10,
        "pool": 10,
        "scores": (SCORE,),
        "limit": 5,
        "budget": 100,
        "tokens": 40,
        "strength": 0.6,
        "floor": 0.3,
        "spent_us": {"index": 1_500, "ranking": 700},
        **more,
    }
    return RecallExplanation(**fields)  # type: ignore[arg-type] # as the tests name them


def test_measures_belong_to_their_part_and_factors_multiply() -> None:
    """What is measured adds nothing; what is added is multiplied by every factor."""
    by_name = {part.name: part for part in PARTS}

    assert ["lexical", "semantic", "lead", "named", "worth"] == list(by_name)
    assert {"bm25": 7.25, "held": 0.8} == by_name["lexical"].measures
    assert {"cosine": 0.3} == by_name["semantic"].measures
    assert {"named", "worth"} == {part.name for part in PARTS if part.is_factor} <= FACTORS
    assert 2.7 == pytest.approx(SCORE.total)
    assert "(lexical 1.000 + semantic 0.500) named ×1.500 worth ×1.200" == format_sum(PARTS)
    assert "lexical 1.000" == format_sum([ScorePart("lexical", 1.0), ScorePart("worth", 1.0, is_factor=True)])


def test_it_reads_with_bars_in_sixty_columns() -> None:
    """What was taken, each part with its place and measures, what moved without a score, and the time."""
    expected = """\
1,200 memories; filters took status 200, tag boats 990; left
    10
#3 scores 2.700, 1st of 10
  stands above #4: said later
  lexical       +1.000 ██████████ 1st, bm25 7.25, held 0.80
  semantic      +0.500 █████      12th, cosine 0.30
  named         ×1.500
  worth         ×1.200
looked at the best 10, 1 are shown of at most 5; 40 tokens
    of 100
left out #9: its 70 tokens do not fit into the 60 left of
    100
strength 0.60; weak below 0.30
took 2.2 ms: index 1.5, ranking 0.7"""
    why = explanation(dropped={"#9": "its 70 tokens do not fit into the 60 left of 100", "#8": "limit"})

    assert expected == str(why)
    assert max(map(len, why.lines())) <= 60


def test_it_is_brief_for_a_model() -> None:
    """A line a memory, with the links that speak for it."""
    hop = Hop(3, 7, "supports", 0.8, 0.6)
    score = ScoreExplanation(3, "a" * 32, 0.0, 0, because="a line of the profile", path=(hop,))
    lines = explanation(scores=(score,), filters=(), budget=None, strength=0.0, frame="task").brief()

    assert "1,200 memories" == lines[0]
    assert "#3 no score; a line of the profile; #3 supports #7 (weight 0.80, confidence 0.60)" == lines[1]
    assert lines[2].endswith("; 40 tokens")
    assert "has no score" in str(explanation(scores=(score,)))


def test_a_weak_answer_and_many_drops_are_told() -> None:
    """More than five drops are counted."""
    dropped = {f"#{seq}": "does not fit" for seq in range(8)}
    text = str(explanation(strength=0.2, dropped=dropped))

    assert "strength 0.20 (weak); weak below 0.30" in text
    assert "left out 3 more" in text


def test_an_absence_comes_first_with_what_it_scored() -> None:
    """Of a frame's parts the weight is told; nothing in it steers a terminal."""
    part = ScorePart("recency", 0.05, rank=2, measures={"weight": 0.25, "part": 0.2})
    low = ScoreExplanation(5, "b" * 32, 0.05, 9, (part,), similarity=PARTS)
    absence = Absence("#5", "rank", "it ranks\x1b[31m 9th", "ask with limit=9", 5, "b" * 32, low, (3,))
    lines = explanation(absence=absence).lines()
    brief = explanation(absence=absence, scores=(low,)).brief()

    assert "why not #5? rank: it ranks�[31m 9th" == lines[0]
    assert "  ask with limit=9" == lines[1]
    assert "  recency       +0.050 ▌          2nd, 0.20 × 0.25" == lines[2]
    assert "#5 0.050 = recency 0.050; recency 2nd, 0.20 × 0.25" in brief
    assert "why not 'tea'? in the answer" == str(Absence("'tea'", "nothing", "in the answer"))
    assert "similarity is (lexical" in str(explanation(scores=(low,)))
    assert "confidence n/a" in str(Hop(1, 2, "refers", 1.0))


@pytest.mark.parametrize(
    ("place", "expected"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (1_023, "1,023rd")],
)
def test_places_are_written_in_words(place: int, expected: str) -> None:
    """As English has them."""
    assert expected == ordinal(place)


@given(share=st.floats(-1, 2))
def test_a_bar_has_at_most_ten_columns(share: float) -> None:
    """To an eighth of a column."""
    assert len(draw_bar(share)) <= 10
    assert draw_bar(1.0) == "█" * 10
    assert "" == draw_bar(0.0)


@given(text=st.text(max_size=300), width=st.integers(10, 80))
def test_wrapped_lines_lose_no_word(text: str, width: int) -> None:
    """Only a word that is longer than the line makes it longer."""
    lines = [*wrap_line(text, width)]
    longest = max(map(len, text.split(" ")), default=0)

    assert "".join(" ".join(lines).split()) == "".join("".join(wrap_line(text, 10**6)).split())
    assert all(len(line) <= max(width, longest + len(text) - len(text.lstrip()) + 4) for line in lines)
