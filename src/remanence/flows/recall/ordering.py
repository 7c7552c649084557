"""Which answers stand above which, once they are ranked: exact names, questions, and what is newer or stronger.

Nothing is hidden, and what moves says above what. Knows hits and links; must not know how they are found or fitted.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import inf, prod

from remanence.core.model import STANDING, Hit, Link, Memory, Relation, Role, Verification
from remanence.core.score import DISPUTED
from remanence.read.keep_signals import signal
from remanence.recall.frames import stronger_first
from remanence.text.analysis import only_asks, stems
from remanence.write.admission import PROGRAMS

WORDS_MAX = 24  # of a question; a longer one is a text
NAME_WORDS_MAX = 3  # so few words alone are a name
QUESTION_CHARS_MAX = 1_000
TEXT_CHARS_MAX = 6_000

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PART = rf"[^\W_{_UNSPACED}]"
_JOINT = r"[-._/:@+#\\]"
_NAME = re.compile(rf"/?{_PART}+(?:(?:{_JOINT}|_){_PART}+)*")
_CODE = re.compile(rf"\d|_|{_JOINT}")
_JOINED = re.compile(rf"{_JOINT}+{_PART}")
_JOINED_BEFORE = re.compile(rf"{_PART}{_JOINT}")
_GOES_ON = re.compile(rf"_*{_PART}|{_JOINT}+{_PART}")
_BEFORE = re.compile(rf"(?s:.)?(?:_|{_PART})|{_PART}{_JOINT}")


def find_exact(question: str, texts: Sequence[str]) -> tuple[int, str] | None:
    """Return the place of the answer to stand first, with the name that it holds exactly; None where the order stays.

    `texts` are the best answers in order.
    """
    if len(texts) < 2 or len(question) > QUESTION_CHARS_MAX:
        return None
    words = _list_words(question)
    low = [text[:TEXT_CHARS_MAX].casefold() for text in texts]
    known = [word for word in words if _holds_exactly(low[0], word)]
    missed = [word for word, sort in words.items() if word not in known and _is_missed(low[0], word, sort)]
    if not missed:
        return None
    for place, text in enumerate(low[1:], start=1):
        exact = next((word for word in missed if _holds_exactly(text, word)), None)
        if exact is not None and all(_holds_exactly(text, word) for word in known):
            return place, exact
    return None


def _list_words(question: str) -> dict[str, str]:
    """Return the words of a question in small letters, and of what sort each is.

    A `code` has a joint or a digit; a `name` is written as one, or stands alone; anything else is a `word`. A number in
    groups is left to the index, which joins them.
    """
    matches = [*_NAME.finditer(question)]
    grouped = {
        begin
        for one, other in pairwise(matches)
        if other.start() - one.end() == 1 and one.group()[-1].isdigit() and other.group()[0].isdigit()
        for begin in (one.start(), other.start())
    }
    found = [(one.start(), one.group()) for one in matches if one.start() not in grouped]
    few = len(found) <= NAME_WORDS_MAX
    sorts = {
        word.casefold(): "code"
        if _CODE.search(word)
        else "name"
        if len(found) == 1 or (word[0].isupper() and (begin > 0 or few))
        else "word"
        for begin, word in found
    }
    return dict(list(sorts.items())[:WORDS_MAX])


def _is_missed(text: str, word: str, sort: str) -> bool:
    """True where a text that does not hold a word exactly holds something longer, or lacks what is a code.

    A plain word goes on where a joint does: of "camping" for "camp" the stem is the same.
    """
    if sort == "code":
        return True
    if sort == "name":
        return word in text
    return any(
        _JOINED.match(text, begin + len(word)) or _JOINED_BEFORE.fullmatch(text[max(0, begin - 2) : begin])
        for begin in _find_each(text, word)
    )


def _holds_exactly(text: str, name: str) -> bool:
    """True where a name stands in a text and goes on neither before nor behind."""
    return any(
        not _GOES_ON.match(text, begin + len(name)) and not _BEFORE.fullmatch(text[max(0, begin - 2) : begin])
        for begin in _find_each(text, name)
    )


def _find_each(text: str, name: str) -> Iterator[int]:
    """Yield where a name stands in a text, also within words."""
    begin = text.find(name)
    while begin >= 0:
        yield begin
        begin = text.find(name, begin + 1)


AMONG = 10  # the best answers, which later words are looked for among
LATER_SCORE_MIN = 0.9  # of the first one's score; at .7 first answers to what is asked of the past suffer
LATER_SHARE_MIN = 0.5  # of the longer text's words; of the shorter one's, LoCoMo loses .4 of MRR
REPLY_WORDS_MIN = 2  # of the question, that both a program's word and a user's later one hold
REPLY_SHARE_MIN = 2 / 3  # of the words of the question that the program's holds
REPLY_SCORE_MIN = 0.4  # of the first one's score
READ_CHARS_MAX = 6_000  # of a long text
STANDING_ORDER = "high: standing order"  # a class of phrases of a signal
QUESTION_FACTOR = 0.1  # of what only asks: it answers nothing; on LoCoMo no figure changes from .8 to .01
# Of a user's standing order where assistants say most of the words, which drown it.
ORDER_FACTOR = 1.4
INSTEAD = "it holds instead"
DISPUTED_FACTOR = 1 - DISPUTED  # as much of the best score as a frame takes


def order_hits(
    query: str, hits: list[Hit], links: Sequence[Link], newer_first: bool, by_assistants: bool
) -> list[Hit]:
    """Let answers stand above what only asks, and what is newer above what is older where that is asked for."""
    hits = _put_exact_first(query, _weigh_again(hits, by_assistants=by_assistants))
    return _put_newer_first(query, hits, links) if newer_first else hits


def _put_exact_first(query: str, hits: list[Hit]) -> list[Hit]:
    """Let what names exactly what is asked for stand above the best answer, where that names something longer.

    What no longer stands is not raised, nor what only asks: it names what it does not know.
    """
    among = [
        *hits[:1],
        *(one for one in hits[1:AMONG] if one.memory.status in STANDING and not only_asks(one.text)),
    ]
    found = find_exact(query, [hit.text for hit in among])
    if found is None:
        return hits
    moved = replace(among[found[0]], stands_above=f"{hits[0].name}: it names {found[1]} itself")
    return [moved, *(hit for hit in hits if hit.seq != moved.seq)]


def _weigh_again(hits: list[Hit], *, by_assistants: bool) -> list[Hit]:
    """Lower what somebody disputed, and what only asks: the answer to a question noted before stands above it.

    Where assistants say most, raise what a user ordered for good.
    """
    weighed = [_read_factors(hit, by_assistants=by_assistants) for hit in hits]
    if not any(weighed):
        return hits
    lowered = [
        replace(hit, score=hit.score * prod(factors.values()), parts={**hit.parts, **factors})
        if factors
        else hit
        for hit, factors in zip(hits, weighed, strict=True)
    ]
    return sorted(lowered, key=lambda hit: -hit.score)


def _read_factors(hit: Hit, *, by_assistants: bool) -> dict[str, float]:
    """Return what lowers or raises a hit, by name."""
    factors = {"question": QUESTION_FACTOR} if only_asks(hit.text) else {}
    if hit.memory.verification is Verification.DISPUTED:
        factors["disputed"] = DISPUTED_FACTOR
    if by_assistants and hit.memory.role is Role.USER and STANDING_ORDER in signal(hit.text).found:
        factors["order"] = ORDER_FACTOR
    return factors


def _put_newer_first(query: str, hits: list[Hit], links: Sequence[Link]) -> list[Hit]:
    """Let a later word on the same matter stand above each of the best: one that is linked as newer, else a later one.

    No word is read for what it means: who spoke when, and which words two answers share.
    """
    ranked = [hit for hit in hits[:AMONG] if hit.memory.status in STANDING]
    if len(ranked) < 2 or ranked[0].seq != hits[0].seq:
        return hits
    later_words = _LaterWords(query, links, ranked)
    ordered: list[Hit] = []
    raised: set[int] = set()
    while ranked:
        older, rest = ranked[0], [hit for hit in ranked[1:] if hit.seq not in raised]
        found = later_words.find_above(older, rest)
        if found is None:
            ordered.append(ranked.pop(0))
        else:  # what is newer than it is looked for next
            moved, why = found
            raised.add(moved.seq)
            ranked.remove(moved)
            ranked.insert(0, replace(moved, stands_above=f"{older.name}: {why}"))
    # What does not stand keeps its place.
    among = iter(ordered)
    best = [next(among) if hit.memory.status in STANDING else hit for hit in hits[:AMONG]]
    return best + hits[AMONG:]


class _LaterWords:
    """Which of some answers to a question are later words than others, by links, times and words shared."""

    def __init__(self, query: str, links: Sequence[Link], ranked: Sequence[Hit]) -> None:
        self._query, self._asked, self._best = query, frozenset(stems(query)), ranked[0]
        self._stems: dict[int, frozenset[str]] = {}
        # The turns of each fact, and the facts of each turn.
        self._learned: dict[int, set[int]] = defaultdict(set)
        turns: dict[int, set[int]] = defaultdict(set)  # of each fact, which may be shown in its place
        for link in links:
            if link.relation is Relation.LEARNED_FROM:
                turns[link.source].add(link.target)
                self._learned[link.source].add(link.target)
                self._learned[link.target].add(link.source)
        self._newer = {
            pair
            for link in links
            if link.relation is Relation.NEWER
            for pair in product({link.source, *turns[link.source]}, {link.target, *turns[link.target]})
        }

    def find_above(self, older: Hit, rest: Sequence[Hit]) -> tuple[Hit, str] | None:
        """Return which of the others is a later word than an answer, and why; None where none is."""
        others = [hit for hit in rest if hit.seq not in self._learned[older.seq]]
        # What was said again after the newer word is newer than it.
        again_at = older.memory.said_again_at or 0
        linked = (one for one in others if (one.seq, older.seq) in self._newer)
        if found := next((one for one in linked if one.memory.last_said_at >= again_at), None):
            return found, "said later, and linked as newer"
        if found := self._find_later(older, others):
            who = "the same speaker said it later" if older.memory.speaker else "said later"
            return found, f"{who}, with the same words of the question"
        if older is self._best and (found := self._find_reply(older, others)):
            return found, "a user said it later than the assistant, with words of the question"
        return None

    def _find_later(self, older: Hit, rest: Sequence[Hit]) -> Hit | None:
        """Return the newest answer of the same speaker, believed no less, that holds the question's words as the older.

        It is about the same if both share half of their words or, for the best answer and a speaker with a name, if it
        scores nearly as high. One that names something longer than what is asked for is about something else, and one
        that only asks says nothing.
        """
        held = self._read_stems(older) & self._asked
        has_name = older is self._best and older.memory.speaker is not None
        score_min = LATER_SCORE_MIN * older.score if has_name else inf
        later = [
            hit
            for hit in rest
            if held
            and _is_later(hit.memory, older.memory)
            and held <= self._read_stems(hit)
            and (hit.score >= score_min or self._share_half(hit, older))
            and not only_asks(hit.text)
            and find_exact(self._query, [hit.text, older.text]) is None
        ]
        return max(later, key=lambda hit: (hit.memory.last_said_at, hit.seq), default=None)

    def _share_half(self, one: Hit, other: Hit) -> bool:
        """Return True if half of the words of the longer one stand in both."""
        words, others = self._read_stems(one), self._read_stems(other)
        return len(words & others) >= LATER_SHARE_MIN * max(len(words), len(others))

    def _find_reply(self, older: Hit, rest: Sequence[Hit]) -> Hit | None:
        """Return the newest answer that a user gave after a program's, with most of the question's words that it holds.

        Of two words on one matter the later and more trusted stands first; what it says of the other is not read.
        """
        old, held = older.memory, self._read_stems(older) & self._asked
        if old.role not in PROGRAMS or len(held) < REPLY_WORDS_MIN:
            return None
        words_min = max(REPLY_WORDS_MIN, REPLY_SHARE_MIN * len(held))
        replies = [
            hit
            for hit in rest
            if hit.memory.role is Role.USER
            and hit.memory.trust > old.trust
            and (hit.memory.last_said_at, hit.seq) > (old.last_said_at, old.seq)
            and hit.score >= REPLY_SCORE_MIN * older.score
            and len(held & self._read_stems(hit)) >= words_min
            and not only_asks(hit.text)
        ]
        return max(replies, key=lambda hit: (hit.memory.last_said_at, hit.seq), default=None)

    def _read_stems(self, hit: Hit) -> frozenset[str]:
        if hit.seq not in self._stems:
            self._stems[hit.seq] = frozenset(stems(hit.text[:READ_CHARS_MAX]))
        return self._stems[hit.seq]


def _is_later(new: Memory, old: Memory) -> bool:
    """Return True if a user said it later under the same name, or both under none, and nobody disputes it."""
    same = new.speaker == old.speaker and new.role is old.role is Role.USER
    undisputed = new.verification is not Verification.DISPUTED
    return same and undisputed and new.trust >= old.trust and new.last_said_at > old.last_said_at


def add_replacements(hits: list[Hit], instead: Mapping[int, Memory]) -> list[Hit]:
    """Put what took the place of a hit above it; what the question did not find has no score of its own."""
    if not instead:
        return hits
    found = {hit.seq: hit for hit in hits}
    above: dict[int, Hit] = {}  # by the number of what it stands above
    for hit in hits:
        one = instead.get(hit.seq)
        if one is not None and one.seq not in {raised.seq for raised in above.values()}:
            unranked = Hit(one, 0.0, other_scope=hit.other_scope)
            above[hit.seq] = replace(found.get(one.seq, unranked), stands_above=f"{hit.name}: {INSTEAD}")
    moved = {raised.seq for raised in above.values()}
    pairs = [(above.get(hit.seq), hit) for hit in hits if hit.seq not in moved]
    return [one for pair in pairs for one in pair if one is not None]


def raise_stronger(
    hits: Mapping[int, Hit], weaker_than: Mapping[int, set[int]]
) -> tuple[list[int], dict[int, Hit]]:
    """Return the order in which what holds instead stands above what does not, and the hits, which say above what.

    Hits have their places as keys, and so has `weaker_than`.
    """
    order = stronger_first(hits, weaker_than)
    ranks = {place: rank for rank, place in enumerate(hits)}
    raised = {
        stronger: weaker
        for weaker in reversed(ranks)
        for stronger in weaker_than.get(weaker, ())
        if ranks.get(stronger, -1) > ranks[weaker]
    }
    return order, {
        place: replace(hit, stands_above=hit.stands_above or f"{hits[raised[place]].name}: {INSTEAD}")
        if place in raised
        else hit
        for place, hit in hits.items()
    }
