"""The offline extractor: which statements of some turns are facts worth keeping, by word lists and without a model.

Knows turns and words; must not know a store. It gives what a writer's `extract` gives.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from remanence.read.assertion import (
    IMPLIED,
    StatementEstimate,
    has_number,
    judge_sentence,
)
from remanence.read.cues import WORD, SentenceReading, language_code, lower_text, read_sentence
from remanence.read.extraction import (
    CONTENT_CHARS_MAX,
    ENTITIES_MAX,
    FACTS_MAX,
    PROFILE_MAX,
    RELATIONSHIPS_MAX,
    WORDS_CHARS_MAX,
    Entity,
    ExtractResult,
    ExtractTurn,
    Fact,
    Relationship,
)
from remanence.read.importance import importance
from remanence.read.mentions import is_own, kin_of, names_of, subject_of
from remanence.read.names_found import names_in
from remanence.read.self_contained import (
    NUMBER,
    PICTURE,
    VERBLESS,
    find_dependence,
    is_anothers_wish,
    trim_statement,
)
from remanence.read.signals import JOKE, signal
from remanence.read.statements import spans
from remanence.read.to_third_person import say_in_third_person
from remanence.text.analysis import asks

TAGS_MAX = 3
JOINED_CHARS_MAX = 400  # of a statement with the one before it that it speaks of
LEFT = "left a turn: "  # what is said of a statement that does not stand by itself
_OF_A_PROFILE = frozenset({"preference", "skill", "principle", "relationship", "fact"})


@dataclass(frozen=True, slots=True)
class _FactCandidate:
    """A fact with the sentence it came from, and what it is worth beside the others."""

    fact: Fact
    sentence: str
    read: SentenceReading
    importance: float

    @property
    def rank(self) -> tuple[float, float]:
        """What stays longest where there are too many."""
        return (self.fact.confidence, self.importance)


def extract_facts(turns: Sequence[ExtractTurn], categories: Sequence[str]) -> ExtractResult:
    """Return what some turns state, at most as much as one batch may hold; the surest first where there is more."""
    candidates: list[_FactCandidate] = []
    mentions: dict[Entity, None] = {}
    left: Counter[str] = Counter()
    speakers = {turn.id: turn.speaker for turn in turns if turn.role == "user"}
    for at, turn in enumerate(turns):
        words, sentences = WORD.findall(lower_text(turn.text)), [*spans(turn.text)]
        code = language_code(turn.text, words)
        left_here: Counter[str] = Counter()
        stated_here = _of_turn(turn, code, sentences, left_here, answers=_answers(turns, at))
        left += left_here
        candidates += [one for one in stated_here if one.fact.category in categories]
        mentions |= dict.fromkeys(
            _entities(names_in(turn.text, code, words, sentences), set(speakers.values()))
        )
    distinct = list({one.fact.content.casefold(): one for one in reversed(candidates)}.values())[::-1]
    best_places = set(
        sorted(range(len(distinct)), key=lambda at: distinct[at].rank, reverse=True)[:FACTS_MAX]
    )
    facts = [one for at, one in enumerate(distinct) if at in best_places]
    entities = _distinct(mentions)
    relations = list(dict.fromkeys(_relationships(facts, speakers)))
    profile = [one.fact.content for one in facts if _is_of_profile(one.fact, speakers)]
    cut = Counter(
        {
            "facts": len(distinct) - len(facts), "entities": len(entities) - ENTITIES_MAX,
            "profile": len(profile) - PROFILE_MAX, "relationships": len(relations) - RELATIONSHIPS_MAX,
            **left,
        }
    )  # fmt: skip
    return ExtractResult(
        tuple(one.fact for one in facts),
        tuple(entities[:ENTITIES_MAX]),
        tuple(profile[:PROFILE_MAX]),
        tuple(relations[:RELATIONSHIPS_MAX]),
        cut={name: count for name, count in cut.items() if count > 0},
    )


def _answers(turns: Sequence[ExtractTurn], at: int) -> bool:
    return at > 0 and asks(turns[at - 1].text) and turns[at - 1].speaker != turns[at].speaker


def _of_turn(
    turn: ExtractTurn, code: str, sentences: Sequence[tuple[int, int]], left: Counter[str], *, answers: bool
) -> list[_FactCandidate]:
    """Return the facts of a turn; what states something and does not stand by itself is counted with its reason."""
    if JOKE in signal(turn.text).found:
        left[LEFT + "says that it is a joke"] += 1
        return []
    found: list[_FactCandidate] = []
    before: tuple[int, int] | None = None  # the sentence before, where one may go on from it
    is_topic = False
    for span in sentences:
        begin, end = trim_statement(turn.text, *span, code)
        if begin == end:
            before = None
            continue
        read = read_sentence(turn.text[begin:end], code)
        # What a statement is, its first words say too: "No, it's", "Correction:".
        whole = turn.text[span[0] : end]
        heard = read if begin == span[0] else read_sentence(whole, code)
        verdict = judge_sentence(whole, heard, role=turn.role, answers=answers)
        why = find_dependence(turn.text[begin:end], read, orders=verdict.orders)
        may_join = why == NUMBER or (bool(why) and why != PICTURE and not is_topic)
        if may_join and before and end - before[0] <= JOINED_CHARS_MAX:
            is_fact = bool(found) and found[-1].fact.span == before
            # A fact is kept as it was said, so that it is known again; only a number is worth saying it at length.
            counts = has_number(turn.text[begin:end], read)
            if counts or (not is_fact and verdict.confidence):
                begin, why = before[0], ""
                read = read_sentence(turn.text[begin:end], code)
                verdict = judge_sentence(turn.text[begin:end], read, role=turn.role, answers=True)
                found = found[:-1] if is_fact else found
        if verdict.confidence and not why:
            found.append(_candidate(turn, code, (begin, end), read, verdict))
        elif verdict.confidence:
            left[LEFT + why] += 1
        # A topic without a verb leads to a number only: "about the installs. no, four of them".
        before = (begin, end) if why in ("", VERBLESS) else None
        is_topic = bool(why)
    if not found and not left and turn.role == "user" and signal(turn.text).level == "high":
        left[LEFT + "no sentence says it alone"] += 1
    return found


def _candidate(
    turn: ExtractTurn, code: str, span: tuple[int, int], read: SentenceReading, verdict: StatementEstimate
) -> _FactCandidate:
    sentence = turn.text[slice(*span)]
    is_order = verdict.orders and verdict.category == "preference"
    subject = turn.speaker if is_order else _subject(sentence, read, turn.speaker)
    category = verdict.category
    is_others = subject != turn.speaker and not is_own(sentence, read)
    if category == "preference" and (is_others or (not is_order and is_anothers_wish(read))):
        category = "fact"  # what somebody says of another
    fact = Fact(
        category=category,
        content=_content(sentence, code, turn.speaker),
        turn=turn.id,
        span=span,
        confidence=verdict.confidence,
        subject=subject,
        tags=_tags(sentence, code),
    )
    return _FactCandidate(fact, sentence, read, importance(sentence, category))


def _content(sentence: str, code: str, speaker: str) -> str:
    content = say_in_third_person(sentence, code, speaker)
    return content if len(content) <= CONTENT_CHARS_MAX else sentence


def _subject(sentence: str, read: SentenceReading, speaker: str) -> str:
    about = subject_of(sentence, read, speaker)
    return about if len(about) <= WORDS_CHARS_MAX else speaker


def _tags(sentence: str, code: str) -> tuple[str, ...]:
    names = dict.fromkeys(
        lower_text(name) for name, _ in names_of(sentence, code) if len(name) <= WORDS_CHARS_MAX
    )
    return tuple(names)[:TAGS_MAX]


def _entities(named: Iterable[tuple[str, str]], speakers: set[str]) -> Iterator[Entity]:
    for name, sort in named:
        if len(name) <= WORDS_CHARS_MAX:
            yield Entity(name, "person" if name in speakers else sort)


def _distinct(named: Iterable[Entity]) -> list[Entity]:
    """Return each name once, of the first sort that is known of it."""
    sorts: dict[str, str] = {}
    for one in named:
        if sorts.get(one.name, "other") == "other":
            sorts[one.name] = one.type
    return [Entity(name, sort) for name, sort in sorts.items()]


def _relationships(stated: Sequence[_FactCandidate], speakers: dict[str, str]) -> Iterator[Relationship]:
    for one in stated:
        speaker = speakers.get(one.fact.turn)
        if speaker:
            pairs = kin_of(one.sentence, one.read.code)
            yield from (
                Relationship(name, word, speaker) for word, name in pairs if len(name) <= WORDS_CHARS_MAX
            )


def _is_of_profile(fact: Fact, speakers: dict[str, str]) -> bool:
    return (
        fact.category in _OF_A_PROFILE
        and fact.confidence >= IMPLIED
        and bool(fact.subject)
        and fact.subject == speakers.get(fact.turn)
    )
