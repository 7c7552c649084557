"""Each text chosen says what those before it do not, as far as that counts beside its score."""

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.recall.diversity import diversify

SCORES = st.lists(st.floats(0, 1), max_size=12)
WORDS = st.frozensets(st.sampled_from("abcdefgh"), max_size=6)


def choose_slowly(scores: list[float], words: list[frozenset[str]], diversity: float) -> list[int]:
    """Choose the best of what is left each time, by the formula alone."""
    said: set[str] = set()
    chosen: list[int] = []

    def value(place: int) -> float:
        share = 1 - len(words[place] - said) / len(words[place]) if words[place] else 0.0
        return (1 - diversity) * scores[place] - diversity * share

    while len(chosen) < len(scores):
        best = max(
            (place for place in range(len(scores)) if place not in chosen), key=lambda one: (value(one), -one)
        )
        chosen.append(best)
        said |= words[best]
    return chosen


@given(data=st.data(), scores=SCORES, diversity=st.floats(0, 1))
def test_the_best_of_what_is_left_is_chosen_each_time(
    data: st.DataObject, scores: list[float], diversity: float
) -> None:
    """What is lowered lazily is chosen as if all were weighed anew each time."""
    words = data.draw(st.lists(WORDS, min_size=len(scores), max_size=len(scores)))

    assert choose_slowly(scores, words, diversity) == diversify(scores, words, diversity)


@given(data=st.data(), scores=SCORES)
def test_without_diversity_the_score_is_the_order(data: st.DataObject, scores: list[float]) -> None:
    """Words change nothing where nobody asks for it, of equals the earlier comes first."""
    words = data.draw(st.lists(WORDS, min_size=len(scores), max_size=len(scores)))

    assert sorted(range(len(scores)), key=lambda place: -scores[place]) == diversify(scores, words, 0.0)


def test_a_repeat_comes_behind_what_says_something_else() -> None:
    """A third of a score makes up for two thirds of the words."""
    words = [{"tide", "noon"}, {"tide", "noon"}, {"gate", "six"}]

    assert [0, 2, 1] == diversify([0.9, 0.8, 0.4], words, 0.3)
    assert [0, 1, 2] == diversify([0.9, 0.8, 0.4], words, 0.2)


def test_the_work_grows_with_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each word of each text lowers it once at most, however many texts share it."""
    words = [{f"w{place % 50}", f"v{place % 7}", f"u{place}"} for place in range(5_000)]
    pushed: list[int] = []

    def push(heap: list[tuple[float, int]], one: tuple[float, int]) -> None:
        pushed.append(one[1])
        heapq.heappush(heap, one)

    monkeypatch.setattr("remanence.recall.diversity.heappush", push)

    assert 5_000 == len(set(diversify([1 - place / 5_000 for place in range(5_000)], words, 0.3)))
    assert 0 < len(pushed) <= 2 * len(words)
