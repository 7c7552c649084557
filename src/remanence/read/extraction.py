"""What a writer finds in what was said, and what it was to look for; what makes no sense of it is left out and counted.

Knows texts and their limits; must not know a model or how one answers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256

from remanence.core.errors import InvalidInput, WriterError, format_value
from remanence.core.model import REJECTED_PATH
from remanence.text.tokens import token_counts

# Engram A3, in the order in which a model is asked for them.
CATEGORIES = (
    "correction", "principle", "preference", "commitment", "decision",
    "relationship", "entity", "moment", "skill", "fact",
)  # fmt: skip
ENTITY_TYPES = ("person", "project", "tool", "company", "place", "other")
# The sections of a profile, in the order in which it lists them.
AREAS = ("rules", "who", "where", "work", "family", "health", "likes", "plans")
FACTS_MAX, ENTITIES_MAX, RELATIONSHIPS_MAX = 12, 6, 5
TURNS_MAX = 100
INSTRUCTION_CHARS_MAX = 1_000
CATEGORIES_MAX = 40
GUIDELINES_MAX, GUIDELINE_CHARS_MAX = 5, 200  # lines that a person activated, and characters of each
CONTENT_CHARS_MAX = 2_000
WORDS_CHARS_MAX = 200  # of a name, a category, a tag, a value
TAGS_MAX = 8
# The settings of what is extracted.
EXTRACT_CATEGORIES, EXTRACT_INSTRUCTION = "extract_categories", "extract_instruction"
# Attributes of a fact: the day it is about, the writer, whom or what it is about, and where a profile lists it.
EVENT_AT, EXTRACTED_BY, SUBJECT, AREA = "event_at", "extracted_by", "subject", "area"
IDENTITY = "self/"  # what tags begin with that say who the agent is; no model sets one
NONSENSE = "that make no sense"  # what is said of facts, entities and relationships of an answer


@dataclass(frozen=True, slots=True)
class ExtractTurn:
    """A turn as a model is shown it: its id, who said what when, and how far that is to be trusted."""

    id: str
    text: str
    speaker: str = ""
    role: str = "user"
    trust: str = "user"
    said_at: str = ""


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """Request to extract facts of these categories; `instruction` says what to look for and what to leave alone.

    `guidelines` are lessons of the memory's own record that a person activated. `before` are turns that were said right
    before, which help to understand the others: no facts are wanted of them.
    """

    categories: tuple[str, ...] = CATEGORIES
    instruction: str = ""
    guidelines: tuple[str, ...] = ()
    before: tuple[ExtractTurn, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no question can hold."""
        if not 0 < len(self.categories) <= CATEGORIES_MAX or not all(map(_is_name, self.categories)):
            raise InvalidInput(
                f"{format_value(self.categories)} as categories",
                recovery=f"name 1 to {CATEGORIES_MAX} of them, of {', '.join(CATEGORIES)} or your own",
            )
        if len(self.instruction) > INSTRUCTION_CHARS_MAX:
            raise InvalidInput(
                f"the instruction has {len(self.instruction):,} characters",
                recovery=f"say it in at most {INSTRUCTION_CHARS_MAX:,}",
            )

    @property
    def hash(self) -> str:
        """Digest of the request for the audit: the same for the same categories, words and guidelines."""
        parts = [*self.categories, "", self.instruction, *self.guidelines]
        return sha256("\0".join(parts).encode()).hexdigest()[:16]


def wanted_of(categories: str, instruction: str) -> ExtractRequest:
    """Read what to extract: categories with commas between, all ten if none is named, without those behind a `-`."""
    names = dict.fromkeys(name.strip() for name in categories.split(",") if name.strip())
    left_out = {name[1:].strip() for name in names if name.startswith("-")}
    wanted = [name for name in names if not name.startswith("-")]
    return ExtractRequest(tuple(name for name in wanted or CATEGORIES if name not in left_out), instruction)


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement that is clear without its context, and the characters of the turn that it was learned from.

    `event_at` is the day on which it happens, as 2026-05-31, "" where none is told. `proposed` are tags that mean
    something to the engine: only a person sets them. `area` is one of `AREAS`, "" where none fits.
    """

    category: str
    content: str
    turn: str
    span: tuple[int, int]
    confidence: float = 0.7  # engram A3, where a model says none
    subject: str = ""
    tags: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    proposed: tuple[str, ...] = ()
    event_at: str = ""
    area: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that was spoken of and lasts."""

    name: str
    type: str = "other"


@dataclass(frozen=True, slots=True)
class Relationship:
    """Relationship of one entity to another."""

    source: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True)
class ExtractResult:
    """Facts, entities and relationships of some turns; `cut` counts by kind those beyond limits or without sense."""

    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    cut: Mapping[str, int] = field(default_factory=dict)
    tokens_used: int = 0

    def __add__(self, other: "ExtractResult") -> "ExtractResult":
        """Return what was found in the turns of both."""
        return ExtractResult(
            self.facts + other.facts,
            self.entities + other.entities,
            self.relationships + other.relationships,
            Counter(self.cut) + Counter(other.cut),
            self.tokens_used + other.tokens_used,
        )


@dataclass(frozen=True, slots=True)
class ShortenResult:
    """A text that says the same in fewer words."""

    text: str
    tokens_used: int = 0


def checked_turns(turns: Sequence[ExtractTurn]) -> None:
    """Refuse more turns than one question takes."""
    if not 0 < len(turns) <= TURNS_MAX:
        raise InvalidInput(f"{len(turns):,} turns at once", recovery=f"ask for 1 to {TURNS_MAX} of them")


def checked_extraction(found: object, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
    """Take of an extraction what makes sense; what does not, and what is beyond the limits, is left out and counted.

    A fact makes none with a category that was not asked for, a turn that was not shown, a span outside of it, a
    confidence that is no fraction, or a text that is empty or too long. Raise WriterError where no fact makes sense.
    """
    if not isinstance(found, ExtractResult):
        raise _build_extract_error(f"what is of the type {type(found).__name__} as what was extracted", 0)
    lengths, categories = {turn.id: len(turn.text) for turn in turns}, frozenset(wanted.categories)
    wrong = [_of_fact(fact, lengths, categories) for fact in found.facts]
    if wrong and all(wrong):
        raise _build_extract_error(str(wrong[0]), found.tokens_used)
    facts = [one for one, complaint in zip(found.facts, wrong, strict=True) if complaint is None]
    entities = [one for one in found.entities if _is_name(one.name) and one.type in ENTITY_TYPES]
    ties = [one for one in found.relationships if all(map(_is_name, (one.source, one.relation, one.target)))]
    cut = Counter(_read_counts(found.cut))  # a writer of ours has looked at its answer itself
    for name, total, sensible, most in (
        ("facts", len(found.facts), len(facts), FACTS_MAX),
        ("entities", len(found.entities), len(entities), ENTITIES_MAX),
        ("relationships", len(found.relationships), len(ties), RELATIONSHIPS_MAX),
    ):
        cut[name] += max(0, sensible - most)
        cut[f"{name} {NONSENSE}"] += total - sensible
    return replace(
        found,
        facts=tuple(map(_without_meaning, facts[:FACTS_MAX])),
        entities=tuple(entities[:ENTITIES_MAX]),
        relationships=tuple(ties[:RELATIONSHIPS_MAX]),
        cut={name: count for name, count in cut.items() if count > 0},
    )


def _read_counts(cut: object) -> Mapping[str, int]:
    """Return what a writer says that it left out, as far as that makes sense."""
    pairs = cut.items() if isinstance(cut, Mapping) else ()
    return {name: count for name, count in pairs if _is_name(name) and type(count) is int and count > 0}


def checked_shortening(found: object, text: str, tokens_max: int) -> ShortenResult:
    """Take a shorter text only where it is one and keeps within the limit."""
    if not isinstance(found, ShortenResult) or not _is_text(found.text, len(text) - 1):
        raise _build_extract_error("something else as a shorter text", getattr(found, "tokens_used", 0))
    (count,) = token_counts([found.text])
    if count > tokens_max:
        raise _build_extract_error(
            f"a shorter text of {count:,} tokens, not of {tokens_max:,}", found.tokens_used
        )
    return found


def _of_fact(fact: Fact, lengths: Mapping[str, int], categories: AbstractSet[str]) -> str | None:
    """Return what is wrong with a fact."""
    if fact.category not in categories:
        return "a fact of a category that was not asked for"
    if fact.turn not in lengths:
        return "a fact of a turn which was not shown"
    begin, end = fact.span
    if not 0 <= begin <= end <= lengths[fact.turn]:
        return f"a fact from {begin} to {end} of {lengths[fact.turn]} characters"
    if not 0 <= fact.confidence <= 1:
        return "a fact with a confidence that is no fraction"
    if not _is_text(fact.content, CONTENT_CHARS_MAX):
        return "a fact that is empty, too long or no text"
    words = [
        *fact.tags,
        *fact.attributes,
        *fact.attributes.values(),
        *fact.proposed,
        *([fact.subject] if fact.subject else []),
    ]
    wrong = next((word for word in words if not _is_name(word)), None)
    if wrong is not None or len(fact.tags) + len(fact.proposed) > TAGS_MAX:
        return "a fact with a name beside it that is empty, too long or no text, or with too many tags"
    return None


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_name(value: object) -> bool:
    return _is_text(value, WORDS_CHARS_MAX)


def _is_text(value: object, chars: int) -> bool:
    """Tell whether something is a text that says something, can be stored and is not too long."""
    if not isinstance(value, str) or not value.strip() or len(value) > chars or "\0" in value:
        return False
    return not any("\ud800" <= sign <= "\udfff" for sign in value)


def _without_meaning(fact: Fact) -> Fact:
    """Let a fact only propose the tags that mean something to the engine, and have no day or area that is none."""
    fact = fact if _is_day(fact.event_at) else replace(fact, event_at="")
    fact = fact if fact.area in AREAS else replace(fact, area="")
    meaning = tuple(tag for tag in fact.tags if _means_something(tag))
    if not meaning:
        return fact
    tags = tuple(tag for tag in fact.tags if tag not in meaning)
    return replace(fact, tags=tags, proposed=tuple(dict.fromkeys((*fact.proposed, *meaning))))


def _means_something(tag: str) -> bool:
    """Tell whether a tag says who the agent is, or that a memory is load-bearing."""
    low = tag.strip().casefold()
    return low.startswith(IDENTITY) or low == REJECTED_PATH


def _build_extract_error(what: str, tokens_used: int) -> WriterError:
    return WriterError(
        f"the writer gave {what}",
        recovery="nothing of it was taken; use another model",
        tokens_used=tokens_used,
    )
