"""Writes what the `tokenizers` package makes of many words and texts: `python golden.py --wheels DIR --packages DIR`.

A test then compares the engine's own tokenizer with it. The texts are the manual of the Apache server and the dialogue
corpus, in seven languages; each thousand of words or texts has one digest of all its numbers.
"""

import argparse
import json
import lzma
import random
import re
import struct
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from texts import paragraphs, turns_of
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/remanence/llm/word_vectors"
GOLDEN = ROOT / "tests/unit/pieces.json.xz"
LANGUAGES = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "ja": "japanese",
    "pt-br": "portuguese",
    "zh-cn": "chinese",
}
WORDS, TEXTS, EACH = 104_000, 21_000, 1_000
CHARS_MAX = 120  # of a text: the rest of a paragraph is more of the same
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)")


def main() -> None:
    """Write the golden file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, required=True, help="unpacked wheels")
    parser.add_argument("--packages", type=Path, required=True, help="unpacked Debian packages")
    given = parser.parse_args()
    draw = random.Random(20)
    seen: set[str] = set()
    by_language: dict[str, list[str]] = {}
    for code in LANGUAGES:  # English first: a page that nobody translated is there in English
        by_language[code] = [one for one in _texts(given.wheels, given.packages, code) if one not in seen]
        seen.update(by_language[code])
    texts: list[str] = []
    for code, found in by_language.items():
        print(f"{code}: {len(found):,} texts")
        texts += draw.sample(found, min(len(found), TEXTS // len(LANGUAGES)))
    rest = sorted({text for found in by_language.values() for text in found}.difference(texts))
    texts = sorted([*texts, *draw.sample(rest, TEXTS - len(texts))])
    words = sorted(draw.sample(sorted(set(_words(texts, by_language))), WORDS))
    kept = {"words": words, "texts": texts, "words_are": _digests(words), "texts_are": _digests(texts)}
    GOLDEN.write_bytes(lzma.compress(json.dumps(kept, ensure_ascii=False).encode(), preset=9))
    print(f"{len(words):,} words, {len(texts):,} texts, {GOLDEN.stat().st_size:,} bytes")


def _texts(wheels: Path, packages: Path, code: str) -> list[str]:
    found: dict[str, None] = {}
    for page in sorted((packages / "usr/share/doc/apache2-doc/manual" / code).rglob("*.html")):
        data = page.read_bytes()
        charset = _CHARSET.search(data)
        text = data.decode(charset.group(1).decode() if charset else "utf-8", "replace")
        found |= dict.fromkeys(one[:CHARS_MAX] for one in paragraphs(text))
    for file in sorted((wheels / "chatterbot_corpus/data" / LANGUAGES[code]).glob("*.yml")):
        found |= dict.fromkeys(one[:CHARS_MAX] for one in turns_of(file))
    return [text for text in found if text and "\ufffd" not in text]


def _words(texts: Sequence[str], by_language: dict[str, list[str]]) -> Iterator[str]:
    """Yield words as written, runs without blanks cut as they come, and pieces put together as no language does."""
    for found in by_language.values():
        for text in found:
            for word in text.split():
                yield from (word, word.upper(), word.strip(".,;:!?()\"'"))
    draw = random.Random(len(texts))
    pieces = (TABLE / "vocabulary.txt").read_text(encoding="utf-8").split()[1:]
    for piece in pieces:
        yield piece.removeprefix("##")
        yield piece.removeprefix("##") + draw.choice(pieces).removeprefix("##")


def _digests(texts: Sequence[str]) -> list[str]:
    encoded = _library().encode_batch(list(texts), add_special_tokens=False)
    return [digest([one.ids for one in encoded[at : at + EACH]]) for at in range(0, len(texts), EACH)]


def digest(numbers: Sequence[Sequence[int]]) -> str:
    """Return the digest of the numbers of some texts, each with its end."""
    hashed = blake2b(digest_size=8)
    for one in numbers:
        hashed.update(struct.pack(f"<{len(one) + 1}i", *one, -1))
    return hashed.hexdigest()


def _library() -> Tokenizer:
    pieces = (TABLE / "vocabulary.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token=pieces[0], max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


if __name__ == "__main__":
    main()
