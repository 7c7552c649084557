"""The gate at the doors: what of a text may be kept, whether it is set apart, and which texts are forbidden.

Knows the core and what is arriving; must not know what becomes of it afterwards.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from shlex import quote
from typing import Any, Literal

from remanence.core.arguments import check_count
from remanence.core.change import Change
from remanence.core.errors import Erased, InvalidInput, NotFound
from remanence.core.forbidden import Forbidden
from remanence.core.model import LearnResult, Memory, OneMemory, Trust, Turn
from remanence.core.receipt import Receipt
from remanence.flows.base.context import LISTED_MAX, Core, receipt, run_off_loop
from remanence.flows.base.naming import plain_name
from remanence.flows.base.zones import ZONE, zone_of
from remanence.gate.junk import junk
from remanence.gate.machine_markup import find_machine_markup
from remanence.gate.personal_rules import (
    BUILT_IN_RULES,
    CODE_KINDS,
    CODE_RULE,
    PERSONAL,
    PERSONAL_KINDS,
    parse_rules,
)
from remanence.gate.screening import ScreenResult, refuse_secret, screen, screen_name, screen_values
from remanence.read.keep_signals import signal
from remanence.store.base import Bookkeeping, setting_row
from remanence.store.capabilities import ERASABLE, require
from remanence.text.analysis import check_text
from remanence.text.forbidden_keys import ban_keys, fold_keys
from remanence.write.admission import DraftOutcome, MemoryDraft

Answered = Literal["stored", "confirmed", "known", "quarantined", "gated"]
COUNTED = "gate/"  # what the names of the gate's counters begin with
JUNK = f"{COUNTED}junk"
LIFT = "lift"  # the verb of a run that allows a text again
_LOOKED_UP = ("key", "thread", "session")
_SHOWN = ("speaker", "agent", "source")
_LINES_SHOWN = 5  # of a kind that was replaced on many
_PERSONAL_ROW, _ZONE_ROW = SETTINGS = setting_row(PERSONAL), setting_row(ZONE)  # what texts are screened by


@dataclass(frozen=True, slots=True)
class Replacements:
    """What markers took the place of in a text and its attributes: kind → how often, and in words."""

    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_NOTHING = Replacements()


async def list_forbidden(core: Core, limit: int | None, after: str | Forbidden | None) -> list[Forbidden]:
    """List forbidden texts in order of their hashes, behind the text or the hash `after`."""
    require(core.store, ERASABLE, "forbidden")
    if limit is not None:
        check_count("limit", limit, 1, LISTED_MAX)
    cursor = after.fold if isinstance(after, Forbidden) else after
    by_text = {_text_of(one): one for one in reversed(await core.store.forbidden(core.scope))}
    entries = sorted(by_text.values(), key=lambda one: one.fold)
    return [one for one in entries if cursor is None or one.fold > cursor][:limit]


def _text_of(one: Forbidden) -> tuple[object, int]:
    """Return what the keys share under which one text is refused; those whose memory is gone are each for itself."""
    return one.fold if one.seq is None else one.seq, one.at


async def refresh_settings(core: Core) -> bool:
    """Read which personal data the scope keeps, and its zone; return whether another process has said something new."""
    asked = Bookkeeping(core.clock.now(), get=SETTINGS)
    return hear_settings(core, (await core.store.bookkeep(core.scope, asked)).values)


def hear_settings(core: Core, rows: Mapping[str, Any]) -> bool:
    """Go by the rows of SETTINGS from now on; return whether they say something new."""
    rules, before = rows.get(_PERSONAL_ROW), (core.personal, core.zone)
    core.personal = BUILT_IN_RULES if rules is None else parse_rules(rules["value"])
    core.zone = zone_of(rows.get(_ZONE_ROW))
    return before != (core.personal, core.zone)


def screen_turn(core: Core, turn: Turn, trust: Trust) -> tuple[Turn, Replacements]:
    """Return a turn as it may be kept where it is believed so far, and what was replaced in it."""
    kept = core.personal.kept[trust]
    screening = screened_text(core, turn.text, kept)
    if turn.attributes is None and not screening.replaced:
        return turn, _NOTHING
    attributes, counts = screen_values(turn.attributes, core.salt, kept)
    counts += Counter(screening.replaced)
    if not counts:
        return turn, _NOTHING
    notes = tuple(_describe_replacements(core, counts, screening.lines, trust))
    return replace(turn, text=screening.text, attributes=attributes), Replacements(counts, notes)


def is_masked_form(core: Core, kept: str, turn: Turn, trust: Trust) -> bool:
    """True if a kept text is what rules that keep less make of a turn: of all such data, or as no setting says more."""
    forms = {screen(turn.text, core.salt, kinds).text for kinds in (frozenset(), BUILT_IN_RULES.kept[trust])}
    return kept != turn.text and kept in forms


def _describe_replacements(
    core: Core, counts: Mapping[str, int], lines: Mapping[str, tuple[int, ...]], trust: Trust
) -> Iterator[str]:
    """Say what was replaced, on which lines of the text, and which setting keeps such data."""
    for kind, count in counts.items():
        often = f" ×{count}" if count > 1 else ""
        numbers = lines.get(kind, ())
        where = ", ".join([*map(str, numbers[:_LINES_SHOWN]), *["…"] * (len(numbers) > _LINES_SHOWN)])
        place = f" on line{'s' * (len(numbers) > 1)} {where}" if numbers else ""
        bare = kind.partition(": ")[2]
        words = core.personal.propose_words(bare, trust)
        rule = f"{CODE_RULE}; " if bare in CODE_KINDS else ""
        keep = f"to keep such: remanence settings {PERSONAL} {quote(words)}"
        if "settings" in core.denials:  # no agent sets it, and none is told a command
            keep = f"a person may let such be kept, by the setting {PERSONAL}"
        advice = f" ({rule}{keep})" if words else ""
        yield f"replaced {kind}{often}{place}{advice}"


def screened_names(core: Core, turn: Turn, *, hashes_ids: bool = False) -> tuple[Turn, Mapping[str, int]]:
    """Return a turn with markers for the secrets in its names and tags, and what was replaced: kind → how often.

    A name that is looked up by is refused: with a marker in it nobody would find it. With `hashes_ids` it is an id of
    a source, which nobody types: a hash that is always the same takes its place.
    """
    hashes: dict[str, Any] = {}
    for what in _LOOKED_UP:
        if (name := getattr(turn, what)) is None:
            continue
        if not hashes_ids:
            refuse_secret(core.salt, what, name)
        elif screen_name(name, core.salt).replaced:
            hashes[what] = f"sha:{blake2b(name.encode(), digest_size=16, key=core.salt).hexdigest()}"
    turn = replace(turn, **hashes) if hashes else turn
    screenings = {
        what: screen_name(name, core.salt) for what in _SHOWN if (name := getattr(turn, what)) is not None
    }
    tags, counts = screened_tags(core, turn.tags)
    for one in screenings.values():
        if one.replaced:
            counts.update(one.replaced)
    if not counts:
        return turn, counts
    names: dict[str, Any] = {what: one.text for what, one in screenings.items()}
    return replace(turn, **names, tags=tags), counts


def describe_names(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Say what was replaced in names and tags."""
    return tuple(
        f"replaced {kind}{f' ×{count}' if count > 1 else ''} in a name or a tag"
        for kind, count in counts.items()
    )


def screened_tags(core: Core, tags: Iterable[str]) -> tuple[tuple[str, ...], Counter[str]]:
    """Return tags as they may be kept, and what was replaced in them."""
    screenings = [screen_name(tag, core.salt) for tag in tags]
    counts: Counter[str] = Counter()
    for one in screenings:
        if one.replaced:
            counts.update(one.replaced)
    return tuple(one.text for one in screenings), counts


def screen_shown(core: Core, text: str, *, personal: bool = False) -> ScreenResult:
    """Return what is shown of a text that is not kept, with markers for secrets, and for personal data if asked."""
    return screen(text, core.salt, frozenset() if personal else PERSONAL_KINDS)


def screened_text(core: Core, text: str, kept: frozenset[str]) -> ScreenResult:
    """Return a text as it may be kept, with the kinds that are kept; markers may make it too long."""
    screening = screen(text, core.salt, kept)
    if screening.replaced:
        check_text(screening.text)
    return screening


def is_held_back(text: str, trust: Trust, beside: Iterable[str] = ()) -> bool:
    """Tell whether a text from below an agent, or what stands beside it, holds markup for a machine.

    Of others it is not asked.
    """
    return trust < Trust.AGENT and has_machine_markup(text, *beside)


def has_machine_markup(*texts: str) -> bool:
    """Tell whether one of some texts holds markup for a machine, whoever says it."""
    return any(map(find_machine_markup, texts))


def says_nothing(text: str) -> bool:
    """Tell whether a turn says nothing to keep: small talk, laughter, mashed keys, marks; `note` takes no such in."""
    return signal(text).level in ("none", "low") and junk(text)


def iterate_side_texts(turn: Turn) -> Iterator[str]:
    """Yield the names and values that a turn brings beside its text, and that are shown with it."""
    yield from filter(None, (getattr(turn, what) for what in (*_LOOKED_UP, *_SHOWN)))
    yield from turn.tags
    yield from texts_in(turn.attributes)


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in an attribute's value, and the names in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield name
            yield from texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)


def answer_status(draft: MemoryDraft, outcome: DraftOutcome) -> Answered:
    """Say what became of a text in the words of an answer."""
    return "quarantined" if draft.kept_out and outcome.status == "stored" else outcome.status


async def mark_forbidden(core: Core, drafts: Sequence[MemoryDraft]) -> list[MemoryDraft]:
    """Mark the drafts whose text is forbidden here."""
    chars = sum(len(draft.turn.text) for draft in drafts)
    keys = await run_off_loop(chars, lambda: [fold_keys(draft.turn.text) for draft in drafts])
    bans = await core.store.forbidden(core.scope, [key for some in keys for key in some])
    by = {one.fold: one for one in bans}
    marked_drafts = []
    for draft, some in zip(drafts, keys, strict=True):
        met = next((by[key] for key in some if key in by), None)
        marked_drafts.append(draft if met is None else replace(draft, forbidden=_describe_forbidden(met)))
    return marked_drafts


def _describe_forbidden(one: Forbidden) -> str:
    if one.is_erased:
        return f"the text is refused: {one}"
    return f"the text is forbidden: {one}; to lift it: remanence forbid {one.fold} --off"


async def refuse_text(core: Core, text: str) -> None:
    """Raise InvalidInput for a text that may not take another's place: forbidden, or held back from below an agent."""
    await refuse_forbidden(core, text)
    if is_held_back(text, core.trust):
        raise InvalidInput(
            "the text holds markup that is meant for a machine",
            recovery="learn it as a text of its own, which is set apart until somebody accepts it",
        )


async def refuse_forbidden(core: Core, text: str) -> None:
    """Raise InvalidInput for a text that is forbidden."""
    keys = await run_off_loop(len(text), fold_keys, text)
    bans = await core.store.forbidden(core.scope, keys)
    for one in bans:
        if one.is_erased:
            raise Erased(f"the text is refused: {one}")
    if bans:
        raise InvalidInput(
            f"the text is forbidden: {bans[0]}",
            recovery=f"lift it first: remanence forbid {bans[0].fold} --off",
        )


def counts(drafts: Sequence[MemoryDraft], outcomes: Iterable[DraftOutcome]) -> dict[str, int]:
    """Return what the gate did to a batch, as counters to add."""
    tally: Counter[str] = Counter()
    for draft, outcome in zip(drafts, outcomes, strict=True):
        answer = answer_status(draft, outcome)
        if draft.replaced and answer != "known":  # of which nothing is kept
            tally.update(counted_markers(draft.replaced))
        if answer in ("quarantined", "gated"):
            tally[f"{COUNTED}{'forbidden' if answer == 'gated' else answer}"] += 1
    return dict(tally)


def counted_markers(replaced: Mapping[str, int]) -> dict[str, int]:
    """Return what markers took the place of, as counters to add."""
    return {f"{COUNTED}{kind}": count for kind, count in replaced.items()}


async def read_gate_counts(core: Core) -> dict[str, int]:
    """Return how often the gate did what, over all time."""
    request = Bookkeeping(core.clock.now(), counters=(COUNTED,))
    counters = (await core.store.bookkeep(core.scope, request)).counters
    return {name.removeprefix(COUNTED): count for name, count in sorted(counters.items())}


async def count(core: Core, found: Mapping[str, int]) -> None:
    """Add to the counters where nothing else is written."""
    if found:
        await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), count=found))


async def forbid_text(core: Core, memory: Memory) -> list[Change]:
    """Decide what forbids the text of a memory at every door."""
    require(core.store, ERASABLE, "forbidding a text")
    keys = await run_off_loop(len(memory.text), ban_keys, memory.text)
    folds = {one.fold for one in await core.store.forbidden(core.scope, keys)}
    values: dict[str, Any] = {"at": core.clock.now(), "seq": memory.seq}
    return [Change("forbidden", key, None, values) for key in keys if key not in folds]


async def lift(core: Core, names: Sequence[OneMemory]) -> Receipt:
    """Allow texts again, named by their memories or by the hashes that `forbidden` lists."""
    require(core.store, ERASABLE, "forbid")
    every = await core.store.forbidden(core.scope)
    memories = {one.seq: one for one in await _named_memories(core, names, {one.fold for one in every})}
    wanted_names = {name for name in names if isinstance(name, str)}
    wanted_texts = {_text_of(one) for one in every if one.fold in wanted_names}
    bans = [one for one in every if one.seq in memories or _text_of(one) in wanted_texts]
    if not bans:
        raise NotFound("none of these is forbidden", recovery="list what is: remanence forbidden")
    changes = [Change("forbidden", one.fold, {"at": one.at, "seq": one.seq}, None) for one in bans]
    cause = core.cause(LIFT)
    await core.commit(changes, cause)
    return receipt(core.scope, cause, len(changes), {"lift": len({one.seq or one.fold for one in bans})})


async def _named_memories(core: Core, names: Sequence[OneMemory], folds: set[str]) -> list[Memory]:
    plain = [plain_name(name) for name in names if name not in folds]
    by_name = dict(zip(plain, await core.find_memories(plain), strict=True)) if plain else {}
    if missing := [name for name, memory in by_name.items() if memory is None]:
        raise NotFound(
            f"{missing[0]!r} is neither the hash of a forbidden text nor a memory",
            recovery="list what is forbidden: remanence forbidden",
        )
    return [memory for memory in by_name.values() if memory is not None]


def count_replaced(learned: Sequence[LearnResult]) -> Counter[str]:
    """Count what was replaced in some texts, by kind."""
    tally: Counter[str] = Counter()
    for one in learned:
        tally.update(one.replaced)
    return tally
