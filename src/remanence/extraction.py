"""What a writer finds in what was said, and what it was to look for; what makes no sense of it is refused whole.

Knows texts and their limits; must not know a model or how one answers.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from hashlib import sha256

from remanence.errors import InvalidInput, WriterError, shown
from remanence.tokens import token_counts

# Engram A3, in the order in which a model is asked for them.
CATEGORIES = (
    "correction", "principle", "preference", "commitment", "decision",
    "relationship", "entity", "moment", "skill", "fact",
)  # fmt: skip
ENTITY_TYPES = ("person", "project", "tool", "company", "place", "other")
FACTS_MAX, ENTITIES_MAX, PROFILE_MAX, RELATIONSHIPS_MAX = 12, 6, 4, 5
TURNS_MAX = 100
INSTRUCTION_CHARS_MAX = 1_000
CATEGORIES_MAX = 40
GUIDELINES_MAX, GUIDELINE_CHARS_MAX = 5, 200  # lines that a person activated, and characters of each
CONTENT_CHARS_MAX = 2_000
WORDS_CHARS_MAX = 200  # of a name, a category, a tag, a value
TAGS_MAX = 8
# The settings of what is extracted.
EXTRACT_ONLY, EXTRACT_NEVER, EXTRACT_INSTRUCTION = "extract_only", "extract_never", "extract_instruction"
IDENTITY = "self/"  # what tags begin with that say who the agent is; no model sets one


@dataclass(frozen=True, slots=True)
class Heard:
    """A turn as a writer is shown it: its id, who said what when, and how far that is to be trusted."""

    id: str
    text: str
    speaker: str = ""
    role: str = "user"
    trust: str = "user"
    said_at: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to extract: facts of these categories; `instruction` says what to look for and what to leave alone.

    `guidelines` are what the memory's own record taught, as far as a person activated it.
    """

    categories: tuple[str, ...] = CATEGORIES
    instruction: str = ""
    guidelines: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no question can hold."""
        if not 0 < len(self.categories) <= CATEGORIES_MAX or not all(map(_is_name, self.categories)):
            raise InvalidInput(
                f"{shown(self.categories)} as categories",
                recovery=f"name 1 to {CATEGORIES_MAX} of them, of {', '.join(CATEGORIES)} or your own",
            )
        if len(self.instruction) > INSTRUCTION_CHARS_MAX:
            raise InvalidInput(
                f"the instruction has {len(self.instruction):,} characters",
                recovery=f"say it in at most {INSTRUCTION_CHARS_MAX:,}",
            )

    @property
    def hash(self) -> str:
        """What the audit keeps of it: the same for the same categories, words and guidelines."""
        said = [*self.categories, "", self.instruction, *self.guidelines]
        return sha256("\0".join(said).encode()).hexdigest()[:16]


def wanted_of(only: str, never: str, instruction: str) -> Wanted:
    """Read what is wanted from lists with commas between: only these categories, all ten for none, and never those."""
    listed, out = (
        tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
        for names in (only, never)
    )
    return Wanted(tuple(name for name in listed or CATEGORIES if name not in out), instruction)


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement that stands by itself, and from which characters of which turn it was learned."""

    category: str
    content: str
    turn: str
    span: tuple[int, int]
    confidence: float = 0.7  # engram A3, where a model says none
    subject: str = ""
    tags: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that was spoken of and lasts."""

    name: str
    type: str = "other"


@dataclass(frozen=True, slots=True)
class Relationship:
    """How one entity stands to another."""

    source: str
    relation: str
    target: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was found in some turns; `cut` counts by kind what was found beyond the limits and left out."""

    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    profile: tuple[str, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    cut: Mapping[str, int] = field(default_factory=dict)
    tokens_used: int = 0


@dataclass(frozen=True, slots=True)
class Shortened:
    """A text that says the same in fewer words."""

    text: str
    tokens_used: int = 0


def checked_turns(turns: Sequence[Heard]) -> None:
    """Refuse more turns than one question takes."""
    if not 0 < len(turns) <= TURNS_MAX:
        raise InvalidInput(f"{len(turns):,} turns at once", recovery=f"ask for 1 to {TURNS_MAX} of them")


def checked_extraction(found: object, turns: Sequence[Heard], wanted: Wanted) -> Extracted:
    """Take an extraction only where all of it makes sense; what is beyond the limits is left out and counted.

    Raise WriterError for a category that was not asked for, a turn that was not shown, a span outside of it, a
    confidence that is no fraction, or a text that is empty or too long.
    """
    if not isinstance(found, Extracted):
        raise _nonsense(f"{shown(found)} as what was extracted", 0)
    lengths = {turn.id: len(turn.text) for turn in turns}
    wrong = next(filter(None, _complaints(found, lengths, wanted.categories)), None)
    if wrong is not None:
        raise _nonsense(wrong, found.tokens_used)
    limits = {
        "facts": FACTS_MAX, "entities": ENTITIES_MAX, "profile": PROFILE_MAX, "relationships": RELATIONSHIPS_MAX,
    }  # fmt: skip
    over = {name: len(getattr(found, name)) - most for name, most in limits.items()}
    of_identity = sum(_of_identity(tag) for fact in found.facts[:FACTS_MAX] for tag in fact.tags)
    cut = {name: count for name, count in {**over, "identity tags": of_identity}.items() if count > 0}
    kept = {name: getattr(found, name)[:most] for name, most in limits.items()}
    kept["facts"] = tuple(map(_without_identity, kept["facts"]))
    return replace(found, cut=cut, **kept)


def checked_shortening(found: object, text: str, tokens_max: int) -> Shortened:
    """Take a shorter text only where it is one and keeps within the limit."""
    if not isinstance(found, Shortened) or not _is_text(found.text, len(text) - 1):
        said = found.text if isinstance(found, Shortened) else found
        raise _nonsense(f"{shown(said)} as a shorter text", getattr(found, "tokens_used", 0))
    (count,) = token_counts([found.text])
    if count > tokens_max:
        raise _nonsense(f"a shorter text of {count:,} tokens, not of {tokens_max:,}", found.tokens_used)
    return found


def _complaints(
    found: Extracted, lengths: Mapping[str, int], categories: Sequence[str]
) -> "list[str | None]":
    told = [_of_fact(fact, lengths, frozenset(categories)) for fact in found.facts]
    told += [
        None
        if _is_name(one.name) and one.type in ENTITY_TYPES
        else f"{shown((one.name, one.type))} as an entity"
        for one in found.entities
    ]
    told += [
        None if _is_text(line, CONTENT_CHARS_MAX) else f"{shown(line)} as a line of a profile"
        for line in found.profile
    ]
    told += [
        None
        if all(map(_is_name, (one.source, one.relation, one.target)))
        else f"{shown((one.source, one.relation, one.target))} as a relationship"
        for one in found.relationships
    ]
    return told


def _of_fact(fact: Fact, lengths: Mapping[str, int], categories: AbstractSet[str]) -> str | None:
    """Return what is wrong with a fact."""
    if fact.category not in categories:
        return f"a fact of the category {shown(fact.category)}"
    if fact.turn not in lengths:
        return f"a fact of the turn {shown(fact.turn)}, which was not shown"
    begin, end = fact.span
    if not 0 <= begin <= end <= lengths[fact.turn]:
        return f"a fact from {begin} to {end} of {lengths[fact.turn]} characters"
    if not 0 <= fact.confidence <= 1:
        return f"a fact with the confidence {shown(fact.confidence)}"
    if not _is_text(fact.content, CONTENT_CHARS_MAX):
        return f"a fact that says {shown(fact.content)}"
    words = [
        *fact.tags,
        *fact.attributes,
        *fact.attributes.values(),
        *([fact.subject] if fact.subject else []),
    ]
    wrong = next((word for word in words if not _is_name(word)), None)
    if wrong is not None or len(fact.tags) > TAGS_MAX:
        return f"a fact with {shown(wrong) if wrong is not None else f'{len(fact.tags)} tags'}"
    return None


def _is_name(value: object) -> bool:
    return _is_text(value, WORDS_CHARS_MAX)


def _is_text(value: object, chars: int) -> bool:
    """Tell whether something is a text that says something, can be stored and is not too long."""
    if not isinstance(value, str) or not value.strip() or len(value) > chars or "\0" in value:
        return False
    return not any("\ud800" <= sign <= "\udfff" for sign in value)


def _without_identity(fact: Fact) -> Fact:
    return replace(fact, tags=tuple(tag for tag in fact.tags if not _of_identity(tag)))


def _of_identity(tag: str) -> bool:
    return tag.strip().casefold().startswith(IDENTITY)


def _nonsense(what: str, tokens_used: int) -> WriterError:
    return WriterError(
        f"the writer gave {what}",
        recovery="nothing of it was taken; use another model",
        tokens_used=tokens_used,
    )
