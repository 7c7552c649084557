"""The pieces of a word, and the table of their vectors, are what the libraries that made them read."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from remanence.errors import InvalidInput
from remanence.llm import local
from remanence.llm.local import StaticEmbedder
from remanence.llm.pieces import Pieces

WORDS = (
    "boathouse Hafenmeister épée señal coração 灯台 とうだい 🦭 ﬁ 4471 v2.0 http://a.b/c?d=e snake_case ▁▁a▁▁▁▁a ▁"
    " aaaaaaaaa e\u0301 \u200d Привет \x00 \U0010ffff"
).split(" ")


@cache
def theirs() -> Tokenizer:
    """The tokenizer library, with the same file."""
    return Tokenizer.from_file(str(local._installed() / local._TOKENIZER))


@cache
def ours() -> Pieces:
    """Our reading of the file."""
    return Pieces(local._installed() / local._TOKENIZER)


def expected(word: str) -> list[int]:
    """Return the numbers that the library gives."""
    return list(theirs().encode(word, add_special_tokens=False).ids)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_has_the_pieces_of_the_library(word: str) -> None:
    """Words of many scripts, marks, runs and what is in no vocabulary."""
    assert expected(word) == ours().of(word)


@given(st.text(st.sampled_from("abABestin0123=-_.▁ははのアイ会议ёжиé🦭"), min_size=1, max_size=20))
def test_any_word_has_the_pieces_of_the_library(word: str) -> None:
    """Also where the same pieces could be joined in several ways."""
    assert expected(word) == ours().of(word)


def test_the_table_is_the_weights() -> None:
    """The mapped table holds what the file's library loads, at the same places."""
    table = load_file(local._installed() / local._WEIGHTS)["embedding.weight"]

    assert np.array_equal(table, StaticEmbedder()._table)


def test_another_vocabulary_is_refused(tmp_path: Path) -> None:
    """A file of another kind is named, with what to install."""
    file = local._installed() / local._TOKENIZER
    other = str(file.read_text(encoding="utf-8")).replace('"BPE"', '"WordPiece"')
    (written := tmp_path / "other.json").write_text(other, encoding="utf-8")
    with pytest.raises(InvalidInput) as raised:
        Pieces(written)

    assert "wordllama" in raised.value.recovery
