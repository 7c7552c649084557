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


AMONG = 10  # the best answers, of which one may stand above the first
LATER_SCORE_MIN = 0.9  # of the first one's score; at .7 first answers to what is asked of the past suffer
LATER_SHARE_MIN = 0.5  # of the words of the longer text; of the shorter one's, LoCoMo loses .4 of MRR
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
    """Let answers stand above what only asks, and what is newer above the best answer where that is asked for."""
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
    newer, learned = _pair_newer(links)
    ordered: list[Hit] = []
    while ranked:
        own = learned[ranked[0].seq]
        rest = [hit for hit in ranked[1:] if hit.seq not in own]
        above = _find_newer(query, ranked[0], rest, newer, is_best=ranked[0].seq == hits[0].seq)
        if above is None:
            ordered.append(ranked.pop(0))
        else:
            moved, why = above
            ranked.remove(moved)
            ordered.append(replace(moved, stands_above=f"{ranked[0].name}: {why}"))
    # What does not stand keeps its place.
    among = iter(ordered)
    best = [next(among) if hit.memory.status in STANDING else hit for hit in hits[:AMONG]]
    return best + hits[AMONG:]


def _pair_newer(links: Sequence[Link]) -> tuple[set[tuple[int, int]], Mapping[int, set[int]]]:
    """Return which is linked as newer than which, and the turns of each fact and the facts of each turn.

    The turns of a fact are newer as it is, and may be shown in its place.
    """
    turns: dict[int, set[int]] = defaultdict(set)
    learned: dict[int, set[int]] = defaultdict(set)
    for link in links:
        if link.relation is Relation.LEARNED_FROM:
            turns[link.source].add(link.target)
            learned[link.source].add(link.target)
            learned[link.target].add(link.source)
    newer = {
        pair
        for link in links
        if link.relation is Relation.NEWER
        for pair in product({link.source, *turns[link.source]}, {link.target, *turns[link.target]})
    }
    return newer, learned


def _find_newer(
    query: str, first: Hit, rest: Sequence[Hit], newer: set[tuple[int, int]], *, is_best: bool
) -> tuple[Hit, str] | None:
    """Return which of the others is a later word than an answer, and why; None where none is."""
    # What was said again after the newer word is newer than it.
    later = [hit for hit in rest if hit.memory.last_said_at >= (first.memory.said_again_at or 0)]
    linked = next((hit for hit in later if (hit.seq, first.seq) in newer), None)
    if linked is not None:
        return linked, "said later, and linked as newer"
    later_word = _find_later(query, first, rest, is_best=is_best)
    if later_word is not None:
        return later_word, "the same speaker said it later, with the same words of the question"
    reply = _find_reply(query, first, rest) if is_best else None
    return (
        None
        if reply is None
        else (reply, "a user said it later than the assistant, with words of the question")
    )


def _find_later(query: str, first: Hit, rest: Sequence[Hit], *, is_best: bool) -> Hit | None:
    """Return the newest answer of the same speaker, believed no less, that holds the question's words as the first.

    It is about the same if both share half of their words or, for the best answer and a speaker with a name, if it
    scores nearly as high. One that names something longer than what is asked for is about something else.
    """
    old, old_words = first.memory, frozenset(stems(first.text[:READ_CHARS_MAX]))
    held = old_words.intersection(stems(query))
    score_min = LATER_SCORE_MIN * first.score if is_best and old.speaker else inf
    later = [
        hit
        for hit in rest
        if held
        and _is_later(hit.memory, old)
        and held <= (words := frozenset(stems(hit.text[:READ_CHARS_MAX])))
        and (
            hit.score >= score_min
            or len(words & old_words) >= LATER_SHARE_MIN * max(len(words), len(old_words))
        )
        and find_exact(query, [hit.text, first.text]) is None
    ]
    return max(later, key=lambda hit: (hit.memory.last_said_at, hit.seq), default=None)


def _is_later(new: Memory, old: Memory) -> bool:
    """Return True if a user said it later under the same name, or both under none, and nobody disputes it."""
    same = new.speaker == old.speaker and new.role is old.role is Role.USER
    undisputed = new.verification is not Verification.DISPUTED
    return same and undisputed and new.trust >= old.trust and _is_said_after(new, old)


def _is_said_after(new: Memory, old: Memory) -> bool:
    return (new.last_said_at, new.seq) > (old.last_said_at, old.seq)


def _find_reply(query: str, first: Hit, rest: Sequence[Hit]) -> Hit | None:
    """Return the newest answer that a user gave after a program's, with most of the question's words that it holds.

    Of two words on one matter the later and more trusted stands first; what it says of the other is not read.
    """
    old = first.memory
    if old.role not in PROGRAMS:
        return None
    held = frozenset(stems(query)).intersection(stems(old.text[:READ_CHARS_MAX]))
    if len(held) < REPLY_WORDS_MIN:
        return None
    replies = [
        hit
        for hit in rest
        if hit.memory.role is Role.USER
        and hit.memory.trust > old.trust
        and _is_said_after(hit.memory, old)
        and hit.score >= REPLY_SCORE_MIN * first.score
        and len(held.intersection(stems(hit.text[:READ_CHARS_MAX])))
        >= max(REPLY_WORDS_MIN, REPLY_SHARE_MIN * len(held))
        and not only_asks(hit.text)
    ]
    return max(replies, key=lambda hit: (hit.memory.last_said_at, hit.seq), default=None)


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
