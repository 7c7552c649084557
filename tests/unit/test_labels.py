"""The labelled texts that benchmarks score against are well formed, enough, and kept apart in sets."""

import re
import unicodedata
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from benchmarks.labels import DEVELOPED, names, pairs, parts, read, scenes

LANGUAGES = {"en", "de", "es", "fr", "pt", "zh", "ja"}

OURS = [scene for part in parts("updates") for scene in scenes(part)]


def texts(value: Any) -> set[str]:
    """Return the texts that were said in a labelled line."""
    if isinstance(value, dict):
        found = [value.get(key) for key in ("text", "one", "other", "content")]
        said = {"".join(one) for one in found if isinstance(one, (str, list))}
        return said.union(*map(texts, value.values()))
    return set().union(*map(texts, value)) if isinstance(value, list) else set()


def script(text: str) -> set[str]:
    """Return the scripts of the letters of a text."""
    return {unicodedata.name(letter).split(" ")[0] for letter in text if letter.isalpha()}


@pytest.mark.parametrize("name", names())
def test_the_sets_of_a_kind_have_no_text_and_no_id_in_common(name: str) -> None:
    """What is scored once was never developed against, and each id names one line."""
    sets = [read(name, part) for part in parts(name)]

    ids = [line["id"] for lines in sets for line in lines if "id" in line]
    assert [] == [label for label, times in Counter(ids).items() if times > 1]
    assert set() == set().union(*(texts(one) & texts(other) for one, other in combinations(sets, 2)))


def test_what_rules_decide_has_a_set_that_nothing_was_developed_on() -> None:
    """Ten kinds have a third set, three of them a fourth; others a fifth, an eighth, or two."""
    third = {name for name in names() if "third" in parts(name)}

    assert {
        *("benign", "conversations", "dedup_pairs", "harmless", "junk"),
        *("relabelled", "secrets", "signals", "summaries", "updates"),
    } == third
    assert {"benign", "conversations", "junk"} == {name for name in names() if "fourth" in parts(name)}
    assert {"conversations", "notes"} == {name for name in names() if "fifth" in parts(name)}
    assert {"benign"} == {name for name in names() if "eighth" in parts(name)}
    assert {tuple(DEVELOPED)} == {tuple(parts(name)) for name in names() if name not in third | {"notes"}}


def test_there_are_enough_updates_others_and_contradictions() -> None:
    """All sets together have 170 updates, 460 scenes without one and 90 contradictions, in seven languages."""
    found = Counter[str](scene.kind for scene in OURS)

    assert [] == [
        (kind, found[kind])
        for kind, least in (("update", 170), ("none", 460), ("contradiction", 90))
        if found[kind] < least
    ]
    assert dict.fromkeys(found, LANGUAGES) == {
        kind: {scene.language for scene in OURS if scene.kind == kind} for kind in found
    }


def test_an_update_comes_from_the_same_speaker_or_from_one_trusted_more() -> None:
    """Whoever contradicts is someone else; an update or a scene without one is the speaker's own."""
    odd = [
        scene.id
        for scene in OURS
        if (scene.old.speaker == scene.new.speaker)
        != (scene.kind != "contradiction" and scene.why != "higher_trust")
    ]

    assert [] == odd


def test_half_of_the_updates_share_few_words_with_what_they_replace() -> None:
    """Of those marked so, old and new have one long word in common at most, besides the subject's."""
    updates = [scene for scene in OURS if scene.kind == "update"]
    few = [scene for scene in updates if scene.few_shared]

    def words(text: str) -> set[str]:
        return {word.lower()[:5] for word in re.findall(r"[^\W\d_]{6,}|\d{2,}", text)}

    many = [
        scene.id
        for scene in few
        if len(words(scene.old.text) & words(scene.new.text) - words(scene.subject)) > 1
    ]
    assert [] == many
    assert len(few) * 2 >= len(updates)


def test_there_are_enough_pairs_in_many_languages_and_scripts() -> None:
    """320 pairs in 8 languages; 70 hard ones differ and are written in 10 scripts; 14 disguises are among them."""
    every = [pair for part in parts("dedup_pairs") for pair in pairs(part)]
    hard = [pair for pair in every if pair.hard]

    assert [] == [pair.id for pair in every if pair.one == pair.other or (pair.hard and pair.same)]
    assert len(every) >= 320
    assert len(hard) >= 70
    assert len({pair.language for pair in every}) >= 8
    assert len(set().union(*(script(pair.one) for pair in hard))) >= 10
    assert len({pair.why for pair in every if pair.why.startswith("disguise:")}) >= 14
