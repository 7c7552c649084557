"""Which texts share most of their words, without comparing all with all."""

from dataclasses import astuple

import numpy as np
import pytest

from remanence.core.text_caches import clear_text_caches
from remanence.write import minhash
from remanence.write.minhash import (
    BANDS,
    ERROR,
    NEIGHBOURS_MAX,
    SHARED_MIN,
    Pairs,
    compute_signatures,
    find_similar_pairs,
    join_signatures,
    shared_words,
    words_of,
)

WORDS = [f"{one}{other}" for one in "bdfgklmnprst" for other in ("aro", "ilen", "omu", "ezi", "undo")]


def _texts(count: int, seed: int = 3) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, 12)) for _ in range(count)]


def _found(texts: list[str], groups: list[int] | None = None) -> Pairs:
    return find_similar_pairs(
        compute_signatures(texts), np.array(groups or [0] * len(texts), np.int64), SHARED_MIN
    )


def _ends(pairs: Pairs) -> list[tuple[int, int]]:
    return list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))


def test_what_shares_most_words_is_found_among_many() -> None:
    """One word of sixteen more, other capitals and marks, a short form written out: each is a pair, and no others."""
    texts = [
        *_texts(200),
        "The heron's nest isn't by the weir of the old mill, it is by the lock of the canal",
    ]
    texts += [
        texts[3] + " daro",
        texts[7].upper() + "!",
        texts[-1].replace("isn't", "is not").replace(",", " -"),
    ]
    pairs = _found(texts)

    assert {(3, 201), (7, 202), (200, 203)} == set(_ends(pairs))
    assert [1.0, 1.0] == pairs.shared[:2].tolist()


def test_a_signature_tells_how_much_two_texts_share() -> None:
    """Within the error of so many functions, from nothing to all, and the same in any order and any parts."""
    texts = _texts(2)
    texts += [" ".join([*texts[0].split()[:n], *texts[1].split()[n:]]) for n in range(13)]
    parts = join_signatures([compute_signatures(texts[:5]), compute_signatures(texts[5:])])
    told = (parts.signatures[:1] == parts.signatures).mean(axis=1)
    off = [abs(much - shared_words(texts[0], text)) for much, text in zip(told, texts, strict=True)]

    assert max(off) <= ERROR
    assert np.array_equal(parts.signatures, compute_signatures(texts).signatures)


def test_texts_that_were_signed_before_are_signed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was signed meanwhile, whether they are kept still, and twice in one batch; erased texts are not kept."""
    monkeypatch.setattr(minhash, "SIGNED_MAX", 5)
    texts = [*_texts(8), "Build 411 passed", "!"]
    clear_text_caches()
    first = compute_signatures(texts)
    for some in (texts[6:], texts[::-1], [*texts[:2], *texts[:2]], _texts(9, seed=4)):
        again, places = (
            compute_signatures(some),
            [texts.index(text) if text in texts else -1 for text in some],
        )
        if -1 not in places:
            for one, other in zip(astuple(first), astuple(again), strict=True):
                assert np.array_equal(one[places], other)
        assert len(minhash._signed) <= 5
    clear_text_caches()

    assert {} == minhash._signed


@pytest.mark.parametrize("other", ["Build 412 of the ferry passed all of its checks", "Build 411 passed"])
def test_other_numbers_make_no_pair(other: str) -> None:
    """However alike texts of one template are; nor do two speakers, nor texts without a word."""
    text = "Build 411 of the ferry passed all of its checks"

    assert [] == _ends(_found([text, other]))
    assert [] == _ends(_found([text, text], [0, 1]))
    assert [(0, 1)] == _ends(_found([text, text]))
    assert [] == _ends(_found(["!", "?", ""]))
    assert [] == _ends(_found([]))


def test_words_of_a_text_without_blanks_are_its_characters() -> None:
    """So such texts are compared, too; accents are kept, since they make another word."""
    assert ["钥", "匙", "在"] == words_of("钥匙在")
    assert ["it", "is", "not", "schon", "schön"] == words_of("it isn't schon schön")
    assert [(0, 1)] == _ends(_found(["钥匙在厨房的抽屉里面左边", "钥匙在厨房的抽屉里面左边。"]))


def test_a_thousand_of_one_text_make_few_pairs() -> None:
    """Each is compared with the next few in a bucket, not with all."""
    pairs = _found(["the tide bell rings at the harbour wall"] * 1_000)

    assert len(pairs.first) <= 1_000 * NEIGHBOURS_MAX
    assert 999 <= len(pairs.first)
    assert BANDS * 4 == compute_signatures(["a"]).signatures.shape[1]
