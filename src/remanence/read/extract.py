"""The offline extractor: which statements of some turns are facts worth keeping, by word lists and without a model.

Knows turns and words; must not know a store. It gives what a writer's `extract` gives.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from remanence.read.assertion import IMPLIED, judge_sentence
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
from remanence.read.mentions import kin_of, names_of, subject_of
from remanence.read.names_found import names_in
from remanence.read.statements import spans
from remanence.read.to_third_person import told_of
from remanence.text.analysis import asks

TAGS_MAX = 3
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
    speakers = {turn.id: turn.speaker for turn in turns if turn.role == "user"}
    for at, turn in enumerate(turns):
        words, sentences = WORD.findall(lower_text(turn.text)), [*spans(turn.text)]
        code = language_code(turn.text, words)
        stated_here = _of_turn(turn, code, sentences, _answers(turns, at))
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
    turn: ExtractTurn, code: str, sentences: Sequence[tuple[int, int]], answers: bool
) -> Iterator[_FactCandidate]:
    for begin, end in sentences:
        sentence = turn.text[begin:end]
        read = read_sentence(sentence, code)
        verdict = judge_sentence(sentence, read, role=turn.role, answers=answers)
        if verdict.confidence:
            fact = Fact(
                category=verdict.category,
                content=_content(sentence, code, turn.speaker),
                turn=turn.id,
                span=(begin, end),
                confidence=verdict.confidence,
                subject=_subject(sentence, read, turn.speaker),
                tags=_tags(sentence, code),
            )
            yield _FactCandidate(fact, sentence, read, importance(sentence, verdict.category))


def _content(sentence: str, code: str, speaker: str) -> str:
    content = told_of(sentence, code, speaker)
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
