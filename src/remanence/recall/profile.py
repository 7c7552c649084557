"""Which memories make a profile, in which sections, and which words are topics. Knows arrays and words, no store.

worth = keep-value × (1 + ln(1 + confirmations))
score of a topic = Σ over texts of (count / words of the text) × ln(N / df)          (engram A10, topics)
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from remanence.core.snapshot import Bools, Floats, Ints
from remanence.languages import ENGLISH, Lexicon
from remanence.languages.families import CONTRASTS, SMALL_TALK
from remanence.text.analysis import ChunkReading, lexicon_of, readings

# The headings of a profile, in its order. What has a tag under self/ is of the first section; all else is of the area
# that an attribute names.
IDENTITY_AREA = "self"
HEADINGS: Mapping[str, str] = {
    IDENTITY_AREA: "Who the agent is",
    "rules": "Rules and decisions",
    "who": "Who",
    "where": "Where",
    "work": "Work",
    "family": "Family and friends",
    "health": "Health",
    "likes": "Likes",
    "plans": "Plans",
}
# The area of a memory for which nobody named one, by its category (engram's).
AREA_OF_CATEGORY: Mapping[str, str] = {
    "correction": "rules",
    "principle": "rules",
    "decision": "rules",
    "skill": "work",
    "relationship": "family",
    "preference": "likes",
    "commitment": "plans",
}
TOPIC_CHARS_MIN = 3  # of a word in a spaced script
# Signs that hold words together where these are written without blanks, in Japanese all hiragana.
_BINDING = frozenset(map(chr, range(0x3041, 0x30A0))).union(*CONTRASTS["zh"].small, *CONTRASTS["ja"].small)
SPOKEN_SHARE_MIN = 0.1  # of the texts: what is rarer may be a guess


def worth(values: Floats, confirmations: Floats) -> Floats:
    """Return what speaks for a place in a profile: the keep-value, and that it was said or confirmed again."""
    worths: Floats = np.nan_to_num(values) * (1 + np.log1p(np.maximum(confirmations, 0)))
    return worths


def select_profile_rows(eligible: Bools, first: Bools, worths: Floats, seqs: Ints, most: int) -> Ints:
    """Return at most so many eligible rows: those that come `first`, then by worth, of equals the newer."""
    rows = np.flatnonzero(eligible)
    order = np.lexsort((-seqs[rows], -worths[rows], ~first[rows]))
    return rows[order[:most]]


def list_topics(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Return the words that tell texts apart, as (word, number of texts), the highest score first; ties by word.

    Words of one stem count together and are shown as the one that is met most.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    df: defaultdict[str, int] = defaultdict(int)
    met: Counter[tuple[str, str]] = Counter()
    reads = [readings(text) for text in texts]
    empty = _collect_function_words(reads)
    for read in reads:
        own = lexicon_of(read)
        is_sure = own is not ENGLISH or _is_english(read)
        pairs = _list_topic_words(read, _words_without_topic(own) if is_sure else empty)
        met.update(pairs)
        for stem, count in Counter([stem for stem, _ in pairs]).items():
            scores[stem] += count / len(pairs)
            df[stem] += 1
    spellings: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (stem, word), count in met.items():
        spellings[stem][word] = count
    entries = [
        (_most_met(spellings[stem]), share * math.log(len(texts) / df[stem]), df[stem])
        for stem, share in scores.items()
        if df[stem] < len(texts) or len(texts) == 1
    ]
    entries.sort(key=lambda one: (-one[1], one[0]))
    return [(word, count) for word, _, count in entries]


def _collect_function_words(reads: Sequence[Sequence[ChunkReading]]) -> frozenset[str]:
    """Return the words without a topic, function words and words of time, of every language that many texts are in.

    They are those of a text that tells too little of its own language.
    """
    lexicons = [lexicon_of(read) for read in reads]
    spoken = Counter(map(id, lexicons))
    many = {id(one): one for one in lexicons if spoken[id(one)] >= SPOKEN_SHARE_MIN * len(reads)}
    return frozenset().union(*map(_words_without_topic, many.values()))


def _words_without_topic(lexicon: Lexicon) -> frozenset[str]:
    return lexicon.stop | lexicon.time_words | SMALL_TALK[lexicon.code].core


def _list_topic_words(read: Sequence[ChunkReading], empty: AbstractSet[str]) -> list[tuple[str, str]]:
    """Return (stem, word) of what a text is about: no word of `empty`, no bare number, nothing very short."""
    return [
        (stem, word)
        for reading in read
        for word, stem in reading.content
        if len(word) >= (TOPIC_CHARS_MIN if word.isascii() else 2)
        and not word.isdigit()
        and word not in empty
        and not _BINDING.issuperset(word)
    ]


def _is_english(read: Sequence[ChunkReading]) -> bool:
    """Tell whether a text that is in no other language has two function words of English."""
    return sum(word in ENGLISH.stop for reading in read for word in reading.folded) > 1


def _most_met(words: Mapping[str, int]) -> str:
    return min(words, key=lambda word: (-words[word], word))
