"""Where turns are cut into boxes, at each bound; how a matter ended; which boxes are one matter."""

from collections.abc import Sequence

import numpy as np
import pytest

from remanence.core.box import BoxOutcome, SealReason, TraceRow
from remanence.write.box_cuts import (
    TRACE_TOPICS_MAX,
    UNSETTLED,
    BoxTurn,
    Limits,
    cut,
    kept_topics,
    merge_topics,
    opens,
    outcome_of,
    overlap,
    trace_of,
    turn_of,
)

MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE
SEA, CAKE = {1: 2.0, 2: 1.0, 3: 1.0}, {7: 2.0, 8: 1.0, 9: 1.0}


def said(seq: int, about: dict[int, float], at: int | None = None, vector: Sequence[float] = ()) -> BoxTurn:
    """Return a turn about something, a minute after the one before."""
    given = np.array(vector) if vector else None
    return BoxTurn(seq, seq * MINUTE if at is None else at, about, given, said=about)


USUAL = Limits()


def pieces(turns: Sequence[BoxTurn], limits: Limits = USUAL, ended: SealReason | None = None) -> list[object]:
    """Return the numbers of the turns of each box, and why it was sealed."""
    return [([turn.seq for turn in one.turns], one.reason) for one in cut(turns, limits, ended)]


def talk(*abouts: dict[int, float]) -> list[BoxTurn]:
    """Return turns about these."""
    return [said(seq, about) for seq, about in enumerate(abouts, start=1)]


def test_the_overlap_is_what_both_have_of_what_the_lesser_has() -> None:
    """Weighed, and so that a large set holds a small one whole; of nothing it is nothing."""
    assert 1.0 == overlap({1: 2.0}, {1: 2.0, 2: 5.0, 3: 9.0})
    assert 0.5 == overlap({1: 1.0, 2: 1.0}, {1: 1.0, 3: 1.0})
    assert 0.25 == overlap({1: 1.0, 2: 1.0}, {1: 0.5, 3: 1.5})
    assert 0.0 == overlap({}, {1: 1.0})


def test_another_matter_begins_another_box() -> None:
    """At the turn with which it begins; with all turns told, what follows it is in the other box."""
    turns = talk(*[SEA] * 6, *[CAKE] * 6)

    assert [
        ([1, 2, 3, 4, 5, 6], SealReason.TOPIC_SHIFT),
        ([7, 8, 9, 10, 11, 12], SealReason.FORCED),
    ] == pieces(turns, ended=SealReason.FORCED)
    assert [(list(range(1, 13)), SealReason.FORCED)] == pieces(talk(*[SEA] * 12), ended=SealReason.FORCED)


def test_nothing_is_cut_before_enough_has_come_after() -> None:
    """One turn too few leaves the box open and whole; however the turns come, they are cut alike."""
    turns = talk(*[SEA] * 6, *[CAKE] * (UNSETTLED + 1))

    assert [(list(range(1, 15)), None)] == pieces(turns[:14])
    assert [([1, 2, 3, 4, 5, 6], SealReason.TOPIC_SHIFT), (list(range(7, 16)), None)] == pieces(turns)


def test_an_overlap_of_the_least_is_no_shift() -> None:
    """It must fall below it: `overlap < overlap_min`."""
    half = {1: 1.0, 5: 1.0}
    other = {1: 1.0, 6: 1.0}
    turns = talk(*[half] * 6, *[other] * 6)  # without vectors the overlap of a half counts double

    assert 1 == len(pieces(turns, Limits(overlap_min=1.0), SealReason.FORCED))
    assert 1 < len(pieces(turns, Limits(overlap_min=1.000001), SealReason.FORCED))
    assert 1 == len(pieces(talk(*[SEA] * 6, *[CAKE] * 6), Limits(overlap_min=0.0), SealReason.FORCED))


def test_vectors_tell_what_words_do_not() -> None:
    """The mean of both: other words of the same direction are the same matter."""
    sea = [said(seq, {seq: 1.0}, vector=(1.0, 0.0)) for seq in range(1, 7)]
    same = [said(seq, {seq: 1.0}, vector=(1.0, 0.1)) for seq in range(7, 13)]
    cake = [said(seq, {seq: 1.0}, vector=(0.0, 1.0)) for seq in range(7, 13)]

    assert 1 == len(pieces([*sea, *same], ended=SealReason.FORCED))
    assert 7 in [one[0][0] for one in pieces([*sea, *cake], ended=SealReason.FORCED)]  # type: ignore[index]


@pytest.mark.parametrize(("gap", "apart"), [(29 * MINUTE, False), (30 * MINUTE, True)])
def test_a_silence_of_the_gap_seals(gap: int, apart: bool) -> None:
    """As long as the gap or longer; a microsecond less is none."""
    turns = [said(1, SEA), said(2, SEA, 2 * MINUTE), said(3, SEA, 2 * MINUTE + gap)]
    almost = [said(1, SEA), said(2, SEA, MINUTE + 30 * MINUTE - 1)]

    assert ([([1, 2], SealReason.TIME_GAP), ([3], None)] if apart else [([1, 2, 3], None)]) == pieces(turns)
    assert [([1, 2], None)] == pieces(almost)


def test_a_clock_that_was_set_back_is_no_silence() -> None:
    """Nor is the time until it is where it was."""
    times = [10 * DAY, 10 * DAY + MINUTE, 3 * DAY, 3 * DAY + MINUTE, 10 * DAY + 2 * MINUTE]

    assert [([1, 2, 3, 4, 5], None)] == pieces([said(seq, SEA, at) for seq, at in enumerate(times, start=1)])


def test_a_box_holds_so_many_turns_and_no_more() -> None:
    """The one beyond begins another box at once, with nothing to come."""
    limits = Limits(turns_max=3)
    turns = talk(*[SEA] * 7)

    assert [([1, 2, 3], None)] == pieces(turns[:3], limits)
    assert [([1, 2, 3], SealReason.FULL), ([4], None)] == pieces(turns[:4], limits)
    assert [([1, 2, 3], SealReason.FULL), ([4, 5, 6], SealReason.FULL), ([7], SealReason.FORCED)] == pieces(
        turns, limits, SealReason.FORCED
    )


def test_a_silence_counts_before_fullness_and_this_before_another_matter() -> None:
    """Of several reasons at one turn one is told."""
    late = [said(4, SEA, 5 * DAY)]

    assert [([1, 2, 3], SealReason.TIME_GAP), ([4], None)] == pieces(
        [*talk(*[SEA] * 3), *late], Limits(turns_max=3)
    )
    assert (
        SealReason.FULL
        is cut(talk(*[SEA] * 6, *[CAKE] * 6), Limits(turns_max=6), SealReason.FORCED)[0].reason
    )


def test_no_box_is_cut_for_a_last_word_or_after_a_first_one() -> None:
    """A farewell begins nothing, and a box that another matter ends has four turns or more."""
    assert 1 == len(pieces(talk(*[SEA] * 8, CAKE), ended=SealReason.FORCED))
    assert 1 == len(pieces(talk(*[SEA] * 3, *[CAKE] * 3), ended=SealReason.FORCED))


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [
        (("I tried.", "It works now, thanks!"), BoxOutcome.SUCCESS),
        (("It doesn\u2019t work.",), BoxOutcome.FAILURE),
        (("It didn't work at first.", "Fixed it."), BoxOutcome.PARTIAL),
        (("It is not fixed.",), BoxOutcome.FAILURE),
        (("It is partly done.",), BoxOutcome.PARTIAL),
        (("Der Fehler ist behoben.",), BoxOutcome.SUCCESS),
        (("Es funktioniert nicht.",), BoxOutcome.FAILURE),
        (("Ya funciona.",), BoxOutcome.SUCCESS),
        (("\u4fee\u597d\u4e86",), BoxOutcome.SUCCESS),
        (("\u3067\u304d\u307e\u305b\u3093\u3067\u3057\u305f",), BoxOutcome.FAILURE),
        (("It works now.", "a", "b", "c", "d"), BoxOutcome.UNKNOWN),
        (("Hello",), BoxOutcome.UNKNOWN),
        ((), BoxOutcome.UNKNOWN),
    ],
)
def test_the_last_turns_say_how_it_ended(texts: tuple[str, ...], outcome: BoxOutcome) -> None:
    """In whole words; both success and failure are a part of each, and what was said long before counts no more."""
    assert outcome is outcome_of(texts)


@pytest.mark.parametrize(
    "text", ["Oh, by the way, I moved.", "\u00dcbrigens, morgen", "\u5bf9\u4e86", "Au fait !"]
)
def test_a_phrase_opens_another_matter(text: str) -> None:
    """In any of the languages."""
    assert opens(text)
    assert not opens("The bylaw was read.")


def test_topics_are_rare_words_that_are_said_again() -> None:
    """Names of speakers and small talk say nothing; no word is kept, but its hash."""
    weight = {"pier": 5.0, "plank": 5.0, "tide": 4.0}
    turns = [
        turn_of((seq, 0, text), None, lambda stem: weight.get(stem, 1.0), frozenset({"ana"}))
        for seq, text in enumerate(("Hello Ana, the pier!", "The pier, thanks", "A plank at low tide"))
    ]
    kept = kept_topics(turns)

    assert 6_500_000 == max(kept.values())
    assert {1_500_000, 1_200_000} <= set(kept.values())
    assert not {"pier", "ana", "hello"} & kept.keys()
    assert 4 == len(kept)


def trace(number: int, *topics: str, at: int = 0) -> TraceRow:
    """Return a trace about topics."""
    return TraceRow(number, dict.fromkeys(topics, 10), at, at)


def test_a_box_joins_the_most_alike_trace_within_reach() -> None:
    """From the likeness that is asked for on, that included; of equals the first; a few topics join none."""
    topics = dict.fromkeys(("a", "b", "c", "d", "e"), 10)
    two, three = trace(1, "a", "b", "7", "8", "9"), trace(2, "a", "b", "c", "8", "9")
    one = trace(3, "a", "6", "7", "8", "9")

    assert two == trace_of(topics, (0, 0), [one, two], Limits())
    assert three == trace_of(topics, (0, 0), [two, three, one], Limits())
    assert three == trace_of(topics, (0, 0), [trace(9, "a", "b", "c", "6", "7"), three], Limits())
    assert None is trace_of(topics, (0, 0), [two], Limits(alike_min=0.41))
    assert None is trace_of(dict.fromkeys("abc", 10), (0, 0), [three], Limits())


@pytest.mark.parametrize(("days", "near"), [(7, True), (-7, True), (8, False), (-8, False)])
def test_a_trace_is_within_reach_for_seven_days(days: int, near: bool) -> None:
    """The seventh included, to either side: what is told later may have been said before."""
    topics = dict.fromkeys(("a", "b", "c", "d"), 10)
    found = trace_of(topics, (days * DAY, days * DAY), [trace(1, *topics)], Limits())

    assert near is (found is not None)


def test_topics_of_a_trace_fade_and_are_bounded() -> None:
    """What its latest box speaks of weighs in full; of many the weightiest are kept."""
    many = {f"{number:x}": number for number in range(1, 100)}

    assert {"a": 9, "b": 7} == merge_topics({"a": 10}, {"b": 7})
    assert {"a": 20} == merge_topics({"a": 10}, {"a": 20})
    assert TRACE_TOPICS_MAX == len(merge_topics(many, many))
