"""What the engine's own record teaches: a draft that every consolidation renews, and the lines a person activated.

A draft changes nothing. What is activated is shown to a writer as data beside what it reads.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from remanence.core.arguments import check_count
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.keywords import ActionName
from remanence.core.results import Result, Time, minute_of, number, one_line, visible
from remanence.flows.base.context import Core
from remanence.flows.base.decision_log import iterate_engine_actions
from remanence.flows.base.steps import Settling
from remanence.read.entity import CATEGORY
from remanence.read.extraction import GUIDELINE_CHARS_MAX, GUIDELINES_MAX
from remanence.store.base import Bookkeeping
from remanence.text.analysis import check_text
from remanence.write.guideline_learning import (
    MAKING,
    ActionEvent,
    Guideline,
    Quality,
    guidelines,
    judge_made,
    latest,
    made_by,
)

SEEN = "guidelines/seen"  # the newest events, what they made, and up to which position of the audit they go
MADE_MAX = 500  # memories that are looked at again by each consolidation: the newest that actions made
DRAFT, ACTIVE = "guidelines/draft", "guidelines/active"
NO_DRAFT = "no draft yet: a consolidation draws it up, once something was extracted or linked"


@dataclass(frozen=True, slots=True, repr=False)
class GuidelineDraft(Result):
    """Guidelines from the newest recorded actions, one for each action, those with the best results first.

    None of them is in force.
    """

    at: int
    events: int
    guidelines: tuple[Guideline, ...]

    time = Time("at")

    def __str__(self) -> str:
        head = f"{minute_of(self.at)}: drawn up from {number(self.events, 'action', 'actions')}"
        return "\n".join([head, *(f"{place} {one}" for place, one in enumerate(self.guidelines, start=1))])


@dataclass(frozen=True, slots=True, repr=False)
class Guidelines(Result):
    """Lines that a person activated, at most five, which a model is shown; and the draft, None before there is one."""

    active: tuple[str, ...] = ()
    draft: GuidelineDraft | None = None

    def __str__(self) -> str:
        lines = visible("\n".join(self.active) or "none is active")
        return f"{lines}\n\n{NO_DRAFT if self.draft is None else f'draft of {self.draft}'}"


async def read_guidelines(core: Core) -> Guidelines:
    """Return what is active, and what is drawn up."""
    return Guidelines(await lines(core), await read_guideline_draft(core))


async def set_guidelines(core: Core, chosen: Sequence[int | str], *, off: bool) -> Guidelines:
    """Let lines of the draft, or words of a person's own, be active and no others; `off` none."""
    if off and chosen:
        raise InvalidInput("lines are named, and none is to be active", recovery="pass lines, or off alone")
    if len(chosen) > GUIDELINES_MAX:
        raise InvalidInput(f"{len(chosen):,} guidelines", recovery=f"choose at most {GUIDELINES_MAX}")
    draft = await read_guideline_draft(core)
    if draft is None and any(isinstance(one, int) for one in chosen):
        raise NotFound(
            "no guidelines are drawn up yet", recovery="consolidate, once something was extracted or linked"
        )
    listed = () if draft is None else draft.guidelines
    said = tuple(dict.fromkeys(_read_chosen_line(one, listed) for one in chosen))
    await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put={ACTIVE: list(said) or None}))
    return Guidelines(said, draft)


async def learn(run: Settling) -> Mapping[str, int]:
    """Draw up what the record teaches, and what became since of what was made; write it where it is another draft."""
    core = run.core
    now, end = core.clock.now(), (await core.store.search(core.scope, ())).position
    values = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(SEEN, DRAFT)))).values
    seen = values.get(SEEN) or {"position": 0, "events": []}
    fresh: list[ActionEvent] = []
    taken: defaultdict[int, set[ActionName]] = defaultdict(set)
    async for one in iterate_engine_actions(core, min(seen["position"], end)):
        fresh.append(ActionEvent(one.action, one.outcome, one.count))
        if one.outcome == "applied" and one.action in MAKING:
            taken[one.position].add(one.action)
    # Files of before have a word of quality in the middle of a row.
    earlier = (ActionEvent(row[0], row[1], row[-1]) for row in seen["events"])
    events = latest([*earlier, *reversed(fresh)])
    made = [*await _find_made(core, taken), *((name, seq) for name, seq in seen.get("made", ()))][:MADE_MAX]
    rows = [asdict(one) for one in guidelines(events, await _judge_all(core, made))]
    put: dict[str, object] = {}
    if fresh:
        put[SEEN] = {"position": end, "events": [list(event) for event in events], "made": made}
    if rows and (fresh or rows != values[DRAFT]["guidelines"]):
        put[DRAFT] = {"at": now, "events": sum(event.times for event in events), "guidelines": rows}
    if put:
        await core.store.bookkeep(core.scope, Bookkeeping(now, put=put, fence=run.cause.fence))
    return {}


async def _find_made(core: Core, taken: Mapping[int, Collection[ActionName]]) -> list[tuple[ActionName, int]]:
    """Return which memories the parts of runs made that took such actions, each with the action; the newest first."""
    made: list[tuple[ActionName, int]] = []
    for position, names in taken.items():
        if len(made) >= MADE_MAX:
            break
        parts = await core.store.history(core.scope, after=position - 1, limit=1)
        # A part whose line has been erased since tells no longer what it made.
        changes = [one for part in parts if part.position == position for one in part.changes]
        created = [one.key for one in changes if one.table == "memories" and one.before is None]
        seqs = [key for key in created if isinstance(key, int)]
        memories = await core.store.get(core.scope, seqs) if seqs else []
        made += [
            (made_by(memory, names), seq)
            for seq, memory in zip(seqs, memories, strict=True)
            if memory is None or memory.category != CATEGORY  # an entity is beside what an action stores
        ]
    return made


async def _judge_all(core: Core, made: Sequence[tuple[ActionName, int]]) -> Mapping[str, Counter[Quality]]:
    """Count of each action how well the memories did that it made."""
    await core.uses.settle_to_read()
    memories = await core.store.get(core.scope, [seq for _, seq in made]) if made else []
    qualities: defaultdict[str, Counter[Quality]] = defaultdict(Counter)
    for (name, _), memory in zip(made, memories, strict=True):
        qualities[name][judge_made(memory)] += 1
    return qualities


async def lines(core: Core) -> tuple[str, ...]:
    """Return the lines that are active."""
    request = Bookkeeping(core.clock.now(), get=(ACTIVE,))
    return tuple((await core.store.bookkeep(core.scope, request)).values.get(ACTIVE, ()))


async def read_guideline_draft(core: Core) -> GuidelineDraft | None:
    """Return what the last consolidation drew up; None before the first one that had anything to learn from."""
    request = Bookkeeping(core.clock.now(), get=(DRAFT,))
    row = (await core.store.bookkeep(core.scope, request)).values.get(DRAFT)
    if row is None:
        return None
    return GuidelineDraft(row["at"], row["events"], tuple(Guideline(**one) for one in row["guidelines"]))


def _read_chosen_line(one: int | str, listed: Sequence[Guideline]) -> str:
    """Return a line of the draft by its number, or words of a person's own, as one line."""
    if isinstance(one, int):
        check_count("a guideline", one, 1, len(listed))
        return str(listed[one - 1])
    check_text(one)
    if len(one) > GUIDELINE_CHARS_MAX:
        raise InvalidInput(
            f"a guideline of {len(one):,} characters", recovery=f"say it in at most {GUIDELINE_CHARS_MAX}"
        )
    return one_line(one, GUIDELINE_CHARS_MAX)
