"""What a memory holds after three sessions: `python -m benchmarks.conversation [--part …] [--writer …] [--read]`.

Every turn of a conversation is noted with its speaker and its time, each session is ended, then the memory is read.
`replaced` counts updates whose older statement was replaced, `believed` those of them by who is believed no less,
`linked` those with a link that says which is newer, and `right` the share of such links that the labels know; `hidden`
counts statements that hold and lost their place all the same. `facts` is the share of facts whose turn is to be kept
and that hold its decisive words (strict: no other), `kept` the share of what is to be kept that a fact holds. `stale`
is the share of questions about something that changed which find the outdated turn and no right one above it, `top`
the share answered by the first hit. A fact counts as its turn. `profile` is the share of the profile's lines that are
right as facts are, `entities` of those who are spoken of by name the share that is an entity of this name, `typed` of
these those told to be persons; `tokens` is what a model would be asked, a turn.

`none` is no writer; `perfect` is one that knows the labels, `errs` one that answers wrongly every tenth time.
`--read` prints what is held line by line, for a person to read.
"""

import argparse
import asyncio
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import remanence
from benchmarks.labels import parts
from benchmarks.labels.conversations import Conversation, Keep, Spoken, conversations
from benchmarks.locomo import EMBEDDERS
from benchmarks.report import figure, settings
from remanence.core.clock import ManualClock
from remanence.core.model import Memory, Relation, Status, Trust, Turn
from remanence.llm.base import Judgement
from remanence.llm.questions import build_extract_question, build_judge_question
from remanence.read.extraction import Entity, ExtractRequest, ExtractResult, ExtractTurn, Fact
from remanence.text.analysis import stems

WRITERS = ("none", "perfect", "errs")
DEPTH = 20
WRONG_EVERY = 10
_CATEGORIES = {"plan": "outcome", "relation": "entity", "order": "preference", "other": "knowledge"}
_TRUSTED = {"user": Trust.USER, "assistant": Trust.AGENT, "tool": Trust.TOOL, "outside": Trust.OUTSIDE}
_MARKS = tuple(f"[{one.label}] " for one in Trust)


@dataclass
class LabelWriter:
    """A writer that extracts what is to be kept and says what replaces what, by the labels; it may err."""

    told: Conversation
    errs: bool = False
    name: str = "labels"
    tokens: int = 0
    _asked: int = 0
    _random: random.Random = field(default_factory=lambda: random.Random(7))

    def __post_init__(self) -> None:
        """Know the turn of every text that can be shown."""
        self._turn_of = {one.text: one.n for one in self.told.turns} | {
            one.fact: one.n for one in self.told.keep
        }

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Answer what is to be kept of these turns."""
        self.tokens += build_extract_question(turns, wanted).tokens
        facts = [
            Fact(_category(one, wanted), self._fact(one), turn.id, (0, len(turn.text)), 0.9, one.of)
            for turn in turns
            for one in self.told.keep
            if self._turn_of.get(turn.text) == one.n
        ]
        numbers = {self._turn_of.get(turn.text) for turn in turns}
        people = {name.rpartition(" ")[2] for n, name in self.told.people if n in numbers}
        return ExtractResult(tuple(facts), tuple(Entity(name, "person") for name in sorted(people)))

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Say which of the others a text replaces or contradicts."""
        self.tokens += build_judge_question(text, identity, others).tokens
        mine = self._number(text)
        numbers = {one: self._number(other) for one, other in others.items()}
        replaces = dict.fromkeys(self._select_replaced(text, mine, others, numbers), 1.0)
        against = {one: 1.0 for one, n in numbers.items() if frozenset((n, mine)) in self.told.contradictions}
        if others and self._is_wrong():
            replaces = {self._random.choice(sorted(others)): 1.0}
        return Judgement(1.0, against, replaces=replaces)

    def _select_replaced(
        self, text: str, mine: int, others: Mapping[str, str], numbers: Mapping[str, int]
    ) -> Iterable[str]:
        """Yield what a text replaces: of the facts of one older turn, which labels number alike, the likest."""
        older: dict[int, list[str]] = defaultdict(list)
        for one, n in numbers.items():
            if (n, mine) in self.told.newer:
                older[n].append(one)
        own = {*stems(text)}
        for names in older.values():
            shared = {one: len(own & {*stems(others[one])}) for one in names}
            yield from (one for one in names if shared[one] == max(shared.values()))

    def _number(self, text: str) -> int:
        plain = text.split("] ", 1)[1] if text.startswith(_MARKS) else text
        return self._turn_of.get(plain, 0)

    def _fact(self, one: Keep) -> str:
        return self._random.choice(self.told.keep).fact if self._is_wrong() else one.fact

    def _is_wrong(self) -> bool:
        self._asked += 1
        return self.errs and self._asked % WRONG_EVERY == 0


def _category(one: Keep, wanted: ExtractRequest) -> str:
    name = _CATEGORIES.get(one.category, one.category)
    return name if name in wanted.categories else wanted.categories[0]


@dataclass
class Held:
    """What a memory holds of a conversation: memories, the turns each stands for, and links between turns."""

    facts: list[Memory]
    turns_of: Mapping[int, frozenset[int]]  # by memory
    replaced: set[tuple[int, int]]  # older and newer turn
    linked: set[tuple[int, int]]
    at_odds: set[frozenset[int]]
    places: list[dict[int, int]]  # by question, the first place of each turn
    weak: list[bool]
    foreign_weak: list[bool]
    profile: list[int]  # the memory of each line
    entities: Mapping[str, str]  # name to type
    tokens: int = 0


def main() -> None:
    """Measure one half."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=parts("conversations"), default="first")
    parser.add_argument("--writer", choices=WRITERS, nargs="*", default=list(WRITERS))
    parser.add_argument("--embedder", choices=EMBEDDERS, default="auto")
    parser.add_argument("--read", action="store_true", help="print what is held, for a person to read")
    given = parser.parse_args()
    told = conversations(given.part)
    settings(part=given.part, conversations=len(told), turns=sum(len(one.turns) for one in told))
    if given.part in parts("relabelled"):
        report_agreement(told, conversations(given.part, labels="relabelled"))
    for writer in given.writer:
        held = [asyncio.run(measure(one, told, writer, given)) for one in told]
        for language in (None, *dict.fromkeys(one.language for one in told)):
            mine = [(a, b) for a, b in zip(told, held, strict=True) if language in (None, a.language)]
            report(mine, writer=writer, language=language or "all")


async def measure(
    told: Conversation, all_told: Sequence[Conversation], by: str, given: argparse.Namespace
) -> Held:
    """Note a conversation, and read what is held of it."""
    writer = None if by == "none" else LabelWriter(told, by == "errs")
    foreign = [
        one.q
        for other in all_told
        if other.id != told.id and other.language == told.language
        for one in other.questions
    ]
    with tempfile.TemporaryDirectory() as folder:
        clock = ManualClock()
        path = Path(folder) / "memory.db"
        async with remanence.open(path, embedder=given.embedder, clock=clock, writer=writer) as memory:
            turn_of = await hear(memory, clock, told)
            held = await read_held(memory, told, turn_of, foreign)
            held.tokens = 0 if writer is None else writer.tokens
            if given.read:
                await show(memory, told, by, held)
            return held


async def hear(memory: remanence.Engine, clock: ManualClock, told: Conversation) -> dict[int, int]:
    """Note every turn in its session, and return which memory is which turn."""
    turn_of: dict[int, int] = {}
    for number in sorted({one.session for one in told.turns}):
        mine = [one for one in told.turns if one.session == number]
        clock.set(max(clock.now(), int(mine[0].at.timestamp() * 1_000_000)))
        await memory.begin_session(heartbeats=False)
        for one in mine:
            clock.advance(minutes=1)
            result = await memory.note(
                _turn(one, clock), later=True
            )  # else batches fall as the clock of the machine goes
            turn_of.setdefault(result.seq, one.n)
        await memory.end_session()
        await memory.consolidate()
    return turn_of


def _turn(one: Spoken, clock: ManualClock) -> Turn:
    trust: dict[str, Any] = (
        {"role": "user", "trust": "outside"} if one.role == "outside" else {"role": one.role}
    )
    return Turn(one.text, speaker=one.speaker, said_at=clock.now(), **trust)


async def read_held(
    memory: remanence.Engine, told: Conversation, turn_of: Mapping[int, int], foreign: Iterable[str]
) -> Held:
    """Read memories and links, ask the questions and those of other conversations."""
    memories = await memory.list(status="any", limit=100_000, oldest_first=True)
    links = [link for one in memories for link in await memory.links(one.seq) if link.source == one.seq]
    turns: dict[int, set[int]] = defaultdict(set)
    for seq, n in turn_of.items():
        turns[seq].add(n)
    for link in links:
        if link.relation is Relation.LEARNED_FROM and link.target in turn_of:
            turns[link.source].add(turn_of[link.target])
    turns_of = {seq: frozenset(own) for seq, own in turns.items()}
    places, weak = [], []
    for question in told.questions:
        answer = await memory.recall(question.q, limit=DEPTH, count_use=False)
        weak.append(answer.is_weak)
        first: dict[int, int] = {}
        for place, hit in enumerate(answer.memories):
            for n in turns_of.get(hit.seq, ()):
                first.setdefault(n, place)
        places.append(first)
    return Held(
        [
            one
            for one in memories
            if one.seq in turns_of and one.status is not Status.QUARANTINED and one.seq not in turn_of
        ],
        turns_of,
        _turn_pairs(links, turns_of, "supersedes"),
        _turn_pairs(links, turns_of, "newer"),
        {frozenset(pair) for pair in _turn_pairs(links, turns_of, "contradicts")},
        places,
        weak,
        [(await memory.recall(one, count_use=False)).is_weak for one in foreign],
        [line.seq for line in (await memory.frame("profile")).lines],
        {name: one.type for one in await memory.entities.list() for name in (one.name, *one.aliases)},
    )


def _turn_pairs(
    links: Iterable[Any], turns_of: Mapping[int, frozenset[int]], relation: str
) -> set[tuple[int, int]]:
    """Return (target's turn, source's turn) of links of a relation; nothing between facts of one turn."""
    return {
        (old, new)
        for link in links
        if link.relation.label == relation
        for old in turns_of.get(link.target, ())
        for new in turns_of.get(link.source, ())
        if old != new
    }


def report_agreement(told: Sequence[Conversation], again: Sequence[Conversation]) -> None:
    """Print how far a second reader agrees: twice what both labelled, of all that each did."""
    for name, labelled in (
        ("keep", lambda one: {keep.n for keep in one.keep}),
        ("updates", lambda one: set(one.updates)),
        ("together", lambda one: set(one.together)),
        ("right", lambda one: {(question.q, n) for question in one.questions for n in question.right}),
        ("stale", lambda one: {(question.q, n) for question in one.questions for n in question.stale}),
    ):
        pairs = [(labelled(one), labelled(other)) for one, other in zip(told, again, strict=True)]
        both = sum(len(one & other) for one, other in pairs)
        whole = sum(len(one) + len(other) for one, other in pairs)
        figure(f"conversation.agreement.{name}", 200 * both / whole, "%", of=whole)


def report(mine: Sequence[tuple[Conversation, Held]], **fields: Any) -> None:
    """Print the figures of some conversations."""
    count: Counter[str] = Counter()
    for told, held in mine:
        count.update(_count_links(told, held))
        count.update(_count_facts(told, held))
        count.update(_count_answers(told, held))
        count.update(_count_views(told, held))
    for name, part, whole in (
        ("together.replaced", "together_replaced", "together"),
        ("hidden", "hidden", "replacements"),
        ("updates.replaced", "updates_replaced", "updates"),
        ("updates.believed.replaced", "believed_replaced", "believed"),
        ("updates.linked", "updates_linked", "updates"),
        ("links.right", "links_right", "links"),
        ("at_odds.right", "odds_right", "odds"),
        ("at_odds.found", "odds_found", "contradictions"),
        ("facts.right", "facts_right", "facts"),
        ("kept", "kept", "keep"),
        ("profile.right", "lines_right", "lines"),
        ("entities.whole", "entities_whole", "people"),
        ("entities.typed", "entities_typed", "entities_whole"),
        ("answers.top", "top", "questions"),
        ("answers.found", "found", "questions"),
        ("answers.stale", "stale", "stale_questions"),
        ("weak.own", "weak", "questions"),
        ("weak.other", "foreign_weak", "foreign"),
    ):
        if count[whole]:
            figure(f"conversation.{name}", 100 * count[part] / count[whole], "%", of=count[whole], **fields)
    if count["tokens"]:
        figure("conversation.tokens", count["tokens"] / count["turns"], "a turn", of=count["turns"], **fields)


def _count_links(told: Conversation, held: Held) -> Counter[str]:
    symmetric = {frozenset(pair) for pair in held.replaced}
    updates, linked = set(told.updates), held.linked | held.replaced
    trusts = {one.n: _TRUSTED[one.role] for one in told.turns}
    believed = {(old, new) for old, new in updates if trusts[new] >= trusts[old]}
    gone = {old for old, _ in held.replaced & told.newer}
    return Counter(
        together=len(told.together),
        together_replaced=len(told.together & symmetric),
        replacements=len(held.replaced),
        hidden=len(held.replaced - told.newer),
        updates=len(updates),
        updates_replaced=sum(old in gone for old, _ in updates),
        believed=len(believed),
        believed_replaced=sum(old in gone for old, _ in believed),
        updates_linked=len(updates & linked),
        links=len(held.linked),
        links_right=len(held.linked & told.newer),
        odds=len(held.at_odds),
        odds_right=len(held.at_odds & (told.contradictions | {frozenset(pair) for pair in told.newer})),
        contradictions=len(told.contradictions),
        odds_found=len(told.contradictions & held.at_odds),
    )


def _count_facts(told: Conversation, held: Held) -> Counter[str]:
    met = _match_kept(told, held)
    return Counter(
        facts=len(held.facts),
        facts_right=len({seq for seq, _ in met}),
        keep=len(told.keep),
        kept=len({keep for _, keep in met}),
    )


def _match_kept(told: Conversation, held: Held) -> list[tuple[int, Keep]]:
    """Return facts with what they hold of what is to be kept: its decisive words, or the labelled sentence itself."""
    return [
        (one.seq, keep)
        for one in held.facts
        for keep in told.keep
        if keep.n in held.turns_of[one.seq]
        and (one.text == keep.fact or any(_holds(one.text, value) for value in keep.values))
    ]


def _count_views(told: Conversation, held: Held) -> Counter[str]:
    people = {name for _, name in told.people}
    whole = {
        (person, kind) for person in people for name, kind in held.entities.items() if _names(person, name)
    }
    return Counter(
        lines=len(held.profile),
        lines_right=len({seq for seq, _ in _match_kept(told, held)}.intersection(held.profile)),
        people=len(people),
        entities_whole=len({person for person, _ in whole}),
        entities_typed=len({person for person, kind in whole if kind == "person"}),
        tokens=held.tokens,
        turns=len(told.turns),
    )


def _names(person: str, name: str) -> bool:
    """Tell whether a name is somebody's, whole but for a title."""
    return name == person or person.partition(" ")[2] == name


def _holds(text: str, value: str) -> bool:
    return value.casefold() in text.casefold()


def _count_answers(told: Conversation, held: Held) -> Counter[str]:
    count: Counter[str] = Counter(
        questions=len(told.questions),
        weak=sum(held.weak),
        foreign=len(held.foreign_weak),
        foreign_weak=sum(held.foreign_weak),
    )
    for question, places in zip(told.questions, held.places, strict=True):
        right = min((places[n] for n in question.right if n in places), default=DEPTH)
        stale = min(
            (places[n] for n in question.stale if n in places and n not in question.right), default=DEPTH
        )
        count.update(top=right == 0, found=right < DEPTH)
        count.update(stale_questions=bool(question.stale), stale=bool(question.stale) and stale < right)
    return count


async def show(memory: remanence.Engine, told: Conversation, by: str, held: Held) -> None:
    """Print what is held, line by line."""
    text = {one.n: one.text for one in told.turns}
    print(f"# {told.id} {told.language} {told.kind}, {by}")
    for one in held.facts:
        turns = sorted(held.turns_of[one.seq])
        print(
            f"- {one.status.label} {one.category} {one.speaker}: {one.text}\n    {turns}: {text[turns[0]][:160]!r}"
        )
    for old, new in sorted(held.linked | held.replaced):
        sort = "replaced" if (old, new) in held.replaced else "newer"
        known = "right" if (old, new) in told.newer else "WRONG"
        print(f"* {sort} {known} {old}→{new}: {text[old][:80]!r} | {text[new][:80]!r}")
    for pair in sorted(map(sorted, held.at_odds)):
        print(f"* at odds {pair}: {' | '.join(repr(text[n][:80]) for n in pair)}")
    print(await memory.frame("profile"))
    for entity in await memory.entities.list():
        print(f"  {entity}")


if __name__ == "__main__":
    main()
