"""A shorter text that may stand for a long one: what it must not lose, and one made of the text's own sentences.

Knows texts and word lists; must not know why a memory is made shorter, nor who wrote the shorter text.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from remanence.languages import NEGATIVE_PREFIXES, OPPOSITES, Lexicon
from remanence.text.analysis import stems
from remanence.text.condense import condense_text, prose_language
from remanence.text.summary_items import (
    CHUNK,
    MARKS,
    Clause,
    ItemReader,
    ItemReading,
    RequiredItems,
    SentenceUnit,
    find_negations,
    normalize_blanks,
    split_units,
    strip_marks,
)
from remanence.text.tokens import token_counts

SHARE_MAX = 0.6  # of the tokens of its text: at least 40 % shorter
# A text without anything vital could be "summed up" by a word, or by something else entirely. An honest summary has
# more than a tenth of the words of the text, and hardly one that its text has not.
_WORDS_MIN = 0.1
_OWN_WORDS_MAX = 0.3
_FILLED = 0.97  # of the room: sentences that are joined have now and then a token more than each alone
_SHOWN_CHARS_MAX = 60


class SummaryAttempt(NamedTuple):
    """A shorter text, or "" and why there is none."""

    text: str
    why: str = ""


def complaint(text: str, shorter: str) -> str:
    """Say why a shorter text may not stand for a text; "" where it may.

    It is at least 40 % shorter and keeps every figure, identifier, date, name, quotation and piece of code, and what is
    denied with a value or by a word that forbids; it adds none of these, affirms nothing that is denied, and says
    little in words that its text has not. A number word may go with what it counts, another denial with all it denies.
    """
    lexicon = prose_language(text)
    if lexicon is None:
        return "its language is not known, or it is a list, a table or code"
    whole, short = token_counts([text, shorter])
    if short > whole * SHARE_MAX:
        return f"{short:,} of {whole:,} tokens are left, and at most {SHARE_MAX:.0%} may be"
    reader = ItemReader.build(text, lexicon)
    there, left = reader.read(text), reader.read(shorter)
    return (
        _find_lost_item(there.items, left.items, shorter, lexicon)
        or _find_moved_pair(text, shorter, lexicon)
        or _find_added_item(there.items, left.items, text)
        or _find_turned_denial(there, left)
        or _find_swapped_names(there, left)
        or _find_changed_meaning(text, shorter, lexicon)
    )


def extract(text: str) -> SummaryAttempt:
    """Return the sentences of a text that hold all that is vital, with as many of the others as there is room for.

    Where these are too many, their small words are left out too; where that is not enough, there is none.
    """
    lexicon = prose_language(text)
    if lexicon is None:
        return SummaryAttempt("", "its language is not known, or it is a list, a table or code")
    reader = ItemReader.build(text, lexicon)
    units = split_units(text, lexicon)
    vital_places = _vital_units(reader, units)
    counts = token_counts([unit.text for unit in units])
    room = int(sum(counts) * SHARE_MAX * _FILLED) - sum(counts[at] for at in vital_places)
    places = _add_sentences(units, counts, vital_places, max(0, room))
    shorter = (
        _join_sentences(units, places) if room >= 0 else condense_text(_join_sentences(units, vital_places))
    )
    why = complaint(text, shorter)
    return SummaryAttempt("", f"no extract: {why}") if why else SummaryAttempt(shorter)


def _find_lost_item(there: RequiredItems, left: RequiredItems, shorter: str, lexicon: Lexicon) -> str:
    plain, short_stems = normalize_blanks(shorter), frozenset(stems(shorter))
    small = lexicon.stop.intersection(strip_marks(chunk).casefold() for chunk in CHUNK.findall(shorter))
    denied = left.asides | left.negations
    for kind, value in there.items():
        if kind == "quotations":
            is_lost = value not in plain
        elif kind == "counted":
            number, _, counts = value.partition(" ")
            is_said = counts in (small if counts in lexicon.first_person else short_stems)
            is_lost = is_said and number not in left.numbers and value not in left.counted
        elif kind in {"negations", "asides"}:
            is_lost = value not in denied and (kind == "negations" or value in short_stems)
        else:
            is_lost = value not in getattr(left, kind)
        if is_lost:
            return f"it lost {_describe_item(kind, value)}"
    return ""


def _find_added_item(there: RequiredItems, left: RequiredItems, text: str) -> str:
    words = {strip_marks(chunk).casefold() for chunk in CHUNK.findall(text)}
    plain = normalize_blanks(text)
    numbers = there.numbers | {value.partition(" ")[0] for value in there.counted}
    for kind, value in left.items():
        if kind == "quotations":
            is_known = value in plain
        elif kind in {"counted", "numbers"}:
            is_known = value.partition(" ")[0] in numbers
        else:
            is_known = (
                kind in {"amounts", "negations", "asides"}
                or value in getattr(there, kind)
                or (kind != "identifiers" and value in words)
            )
        if not is_known:
            return f"it added {_describe_item(kind, value)}"
    return ""


def _find_moved_pair(text: str, shorter: str, lexicon: Lexicon) -> str:
    """Say which word for a pair that counts nothing stands before another word than in a text: "two on Sundays"."""
    known = set(_lone_pairs(text, lexicon))
    moved = next((pair for pair in _lone_pairs(shorter, lexicon) if pair not in known), None)
    return "" if moved is None else f"it added {_describe_item('numbers', moved[0])}"


def _lone_pairs(text: str, lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    """Yield each word for a pair with the small word behind it."""
    words = [strip_marks(chunk).casefold() for chunk in CHUNK.findall(text)]
    yield from (
        (one, next_) for one, next_ in pairwise(words) if one in lexicon.pairs and next_ in lexicon.stop
    )


def _find_turned_denial(there: ItemReading, left: ItemReading) -> str:
    """Say what is denied that a text does not deny, and affirmed of what it only denies: a word, or two together."""
    denied_words: set[str] = set()
    denied: set[frozenset[str]] = set()
    affirmed: set[frozenset[str]] = set()
    for clause in there.clauses:
        (denied if clause.denied else affirmed).update(_neighbours(clause))
        denied_words.update(clause.said if clause.denied else ())
    for clause in left.clauses:
        if added := sorted(clause.denied - denied_words):
            return f"it added {_describe_item('negations', added[0])}"
        for pair in () if clause.denied else _neighbours(clause):
            if pair in denied and pair not in affirmed:
                return f"it lost {_describe_item('negations', ' '.join(sorted(pair)))}"
    return ""


def _neighbours(clause: Clause) -> Iterator[frozenset[str]]:
    """Yield the words of a clause, each alone and with the next one."""
    said = [one for one in clause.said if one not in clause.values]
    yield from (frozenset((one,)) for one in said)
    yield from map(frozenset, pairwise(said))


def _find_swapped_names(there: ItemReading, short: ItemReading) -> str:
    """Say whether two names have changed places: who lends whom."""
    for one, other in sorted(short.name_pairs - there.name_pairs):
        if (other, one) in there.name_pairs:
            return f"it has {one!r} before {other!r}"
    return ""


def _describe_item(kind: str, value: str) -> str:
    one = f"the {'amount' if kind == 'counted' else kind.removesuffix('s')}"
    excerpt = value if len(value) <= _SHOWN_CHARS_MAX else f"{value[:_SHOWN_CHARS_MAX]}…"
    return f"a negation (of {excerpt!r})" if kind in {"negations", "asides"} else f"{one} {excerpt!r}"


def _find_changed_meaning(text: str, shorter: str, lexicon: Lexicon) -> str:
    """Say whether words of a text are turned into their contrary, too few, or mostly others."""
    own, theirs = set(_content(text, lexicon)), _content(shorter, lexicon)
    new = [word for word in theirs if word not in own]
    # What a negation denies is looked after apart.
    if opposite := contrary(new, own - find_negations(lexicon.code)):
        return f"it says the contrary by {opposite!r}"
    if len(own.intersection(theirs)) <= len(own) * _WORDS_MIN:
        return "it says next to nothing of it"
    own_stems = frozenset(stems(text))
    strange = [word for word in new if own_stems.isdisjoint(stems(word))]
    if len(strange) > len(theirs) * _OWN_WORDS_MAX:
        return "it says something else"
    return ""


def contrary(new: Sequence[str], own: AbstractSet[str]) -> str:
    """Return the first of some words that is the contrary of one of a text's own, "" where none is."""
    for word in new:
        against = OPPOSITES.get(word, frozenset()) | {prefix + word for prefix in NEGATIVE_PREFIXES}
        against |= {word.removeprefix(prefix) for prefix in NEGATIVE_PREFIXES if word.startswith(prefix)}
        if not own.isdisjoint(against - {word}):
            return word
    return ""


def _content(text: str, lexicon: Lexicon) -> list[str]:
    return [
        word
        for word in (strip_marks(chunk).casefold().translate(MARKS) for chunk in CHUNK.findall(text))
        if word and word not in lexicon.stop
    ]


def _vital_units(reader: ItemReader, units: Sequence[SentenceUnit]) -> frozenset[int]:
    """Choose the sentences that hold all that is vital: those that alone hold a thing, then the richest of the rest."""
    items_of = [frozenset(reader.read_sentence(unit.text).items.items()) for unit in units]
    holders = Counter(item for items in items_of for item in items)
    places = {at for at, items in enumerate(items_of) if any(holders[item] == 1 for item in items)}
    covered_items = {item for at in places for item in items_of[at]}
    rest = [at for at in range(len(units)) if at not in places]
    for at in sorted(rest, key=lambda at: (-len(items_of[at]) / (1 + len(units[at].text)), at)):
        if not items_of[at] <= covered_items:
            places.add(at)
            covered_items |= items_of[at]
    return frozenset(places)


def _add_sentences(
    units: Sequence[SentenceUnit], counts: Sequence[int], chosen: AbstractSet[int], room: int
) -> frozenset[int]:
    """Add sentences as long as there is room: first those whose words are said most often in the whole text."""
    unit_stems = [frozenset(stems(unit.text)) for unit in units]
    often = Counter(stem for some in unit_stems for stem in some)
    worth = [sum(often[stem] for stem in some) / (len(some) + 3) for some in unit_stems]
    places, texts = set(chosen), {units[at].text.casefold() for at in chosen}
    for at in sorted(range(len(units)), key=lambda at: (-worth[at], at)):
        text = units[at].text.casefold()
        if at in places or counts[at] > room or text in texts:
            continue
        places.add(at)
        texts.add(text)
        room -= counts[at]
    return frozenset(places)


def _join_sentences(units: Sequence[SentenceUnit], chosen: AbstractSet[int]) -> str:
    """Join sentences in their order; where a line ended between two, the next begins a line."""
    parts: list[str] = []
    is_line_end = False
    for at, unit in enumerate(units):
        if at in chosen:
            parts.append(("\n" if is_line_end else " ") * bool(parts) + unit.text)
            is_line_end = False
        is_line_end = is_line_end or unit.gap == "\n"
    return "".join(parts)
