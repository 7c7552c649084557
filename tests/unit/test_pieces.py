"""The pieces of a text are those of the `tokenizers` package; the table of their vectors is the one that was built."""

import json
import lzma
import struct
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from remanence.llm.local import TABLE, UNKNOWN, USUAL_LENGTH, PieceVocabulary, StaticEmbedder
from remanence.llm.offline import embed_word

GOLDEN = Path(__file__).with_name("pieces.json.xz")
EACH = 1_000  # words or texts of one digest
BUILT = {
    "pieces.npy": "e45c3c548ab78308dbbd1bc65752d0636cddd3cdf93384b1bfc3b6128bd08f46",
    "scales.npy": "d05f546fa44066e1dc944acaebc4d61e7835331e55f2ddfb0d42a5c4ea52e6cf",
    "vocabulary.txt": "2dc9646bf122d33d46046846a70f534d4660c892cbe041dfa2e81421e9e29c6c",
}
WORDS = (
    "boathouse Hafenmeister épée señal coração 灯台 とうだい 🦭 ﬁ 4471 v2.0 http://a.b/c?d=e snake_case ##ing"
    " aaaaaaaaa e\u0301 \u200d Привет \x00 \U0010ffff ΟΔΟΣ İstanbul \u0378 \ue000 a\u00adb $5 ¿qué? straße"
).split(" ")


@cache
def vocabulary() -> list[str]:
    """The pieces in order."""
    return (TABLE / "vocabulary.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")


@cache
def ours() -> PieceVocabulary:
    """Our reading of the vocabulary."""
    return PieceVocabulary(vocabulary())


@cache
def theirs() -> Tokenizer:
    """The library with the same vocabulary, set up as BERT is."""
    numbers = {piece: number for number, piece in enumerate(vocabulary())}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token=vocabulary()[UNKNOWN], max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


@cache
def golden() -> dict[str, Any]:
    """Words and texts of seven languages, with digests of the numbers that the library gives."""
    found: dict[str, Any] = json.loads(lzma.decompress(GOLDEN.read_bytes()))
    return found


def expected(text: str) -> list[int]:
    """Return the numbers that the library gives."""
    return list(theirs().encode(text, add_special_tokens=False).ids)


def digests(texts: Sequence[str]) -> list[str]:
    """Return a digest of our numbers for each thousand texts."""
    found = []
    for start in range(0, len(texts), EACH):
        told = blake2b(digest_size=8)
        for text in texts[start : start + EACH]:
            numbers = ours().of(text)
            told.update(struct.pack(f"<{len(numbers) + 1}i", *numbers, -1))
        found.append(told.hexdigest())
    return found


@pytest.mark.parametrize(("kind", "least"), [("words", 100_000), ("texts", 20_000)])
def test_pieces_are_those_of_the_library(kind: str, least: int) -> None:
    """For over 100,000 words and 20,000 texts in seven languages."""
    texts = golden()[kind]

    assert len(set(texts)) >= least
    assert golden()[f"{kind}_are"] == digests(texts)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_has_the_pieces_of_the_library(word: str) -> None:
    """Words of many scripts, marks, runs and what is in no vocabulary."""
    assert expected(word) == ours().of(word)


@pytest.mark.parametrize("length", [99, 100, 101])
def test_a_word_that_is_too_long_is_unknown(length: int) -> None:
    """100 characters are cut, 101 are not."""
    assert expected("ab" * 60) == ours().of("ab" * 60) == [UNKNOWN]
    assert expected("a" * length) == ours().of("a" * length)


@given(st.text(st.sampled_from("abestinABÉé0123=-_.,'#\u0301\u00ad\u3000\t ははの会议ёжиΣς🦭"), max_size=30))
def test_any_text_has_the_pieces_of_the_library(text: str) -> None:
    """Also where marks, accents and scripts meet."""
    assert expected(text) == ours().of(text)


def test_the_table_is_the_one_that_was_built() -> None:
    """Each file is what its build said, and there is a row and a scale for each piece."""
    rows, scales = np.load(TABLE / "pieces.npy"), np.load(TABLE / "scales.npy")

    assert {name: sha256((TABLE / name).read_bytes()).hexdigest() for name in BUILT} == BUILT
    assert (len(vocabulary()), StaticEmbedder.dimensions) == rows.shape
    assert (len(vocabulary()),) == scales.shape
    assert len(set(vocabulary())) == len(vocabulary())


def test_a_word_without_pieces_has_a_vector_of_its_spelling() -> None:
    """It is as long as the median piece, and two such words are not alike."""
    rows, scales = np.load(TABLE / "pieces.npy").astype(np.float32), np.load(TABLE / "scales.npy")
    lengths = np.linalg.norm(rows, axis=1) * scales.astype(np.float32)
    one, other = StaticEmbedder().embed(["渡轮", "鯨"])
    known, unknown = StaticEmbedder()._sums(["boat", "鯨"])

    assert [UNKNOWN] == ours().of("鯨")
    assert float(np.median(lengths)) == pytest.approx(float(USUAL_LENGTH), rel=0.01)
    assert np.linalg.norm(unknown) == pytest.approx(float(USUAL_LENGTH), rel=1e-4)
    assert np.allclose(unknown, embed_word("鯨") * USUAL_LENGTH)
    assert abs(float(one @ other)) < 0.5
    assert not np.allclose(known, unknown)
