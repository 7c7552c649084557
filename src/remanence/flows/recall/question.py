"""A question as it was asked and what a scope knows of its words: the first stage of a recall and of a frame.

Knows options, words and times; must not know how anything is found.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from remanence.core.arguments import check_count, check_name
from remanence.core.arrival import WriteContext
from remanence.core.clock import DAY
from remanence.core.errors import InvalidInput
from remanence.core.keywords import ArchiveName, Moment
from remanence.core.local_time import SaidSpan, is_wall_time, place_time, to_local, to_said_span
from remanence.core.model import Memory, OneMemory, Status, Verification, short_id
from remanence.core.results import date_of
from remanence.flows.base import extra_vectors
from remanence.flows.base.as_of import check_instant, read_instant
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.base.extra_vectors import QuestionVector
from remanence.flows.base.recall_settings import SETTING_ROWS
from remanence.flows.base.settings import read_zone
from remanence.flows.recall.filters import Filters, lists_entities
from remanence.flows.recall.filters import read_recallable as read_recallable
from remanence.flows.recall.trace import UNHEARD, RecallTrace
from remanence.gate.screening import refuse_secret
from remanence.read.event_relative_times import find_event_day, find_event_time
from remanence.read.when import TimeSpan, find_time_spans
from remanence.recall.frames import BUDGET_MAX
from remanence.recall.fuse import Query
from remanence.recall.lexical import WordForms, worth_asking
from remanence.recall.semantic import word_weight
from remanence.store.base import Arriving
from remanence.text.analysis import check_text, only_asks, stems, term_hash

LIMIT_MAX = 1_000
# What an answer can hold; what was deleted or is in quarantine is listed, and found no more.
_UNRECALLED = {Status.PRUNED: "was deleted", Status.QUARANTINED: "is in quarantine"}
RECALLED = tuple(status for status in Status if status not in _UNRECALLED)
MAX_AGE_MAX = 1_000_000  # days
AROUND = "around"  # names a time that was passed as `around`, not read from the words


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A recall as it was asked for; `trace` hears how it goes, where somebody asked why.

    `times` are those that it asks about, once they were read. Where an event tells the time, `query` lacks its words,
    and `said` is the question as it was asked. The scope's clocks stand `offset` seconds east of UTC. Rows are read up
    to `read_ahead` times the budget.
    """

    query: str
    limit: int = 10
    budget: int | None = None
    read_ahead: float = 1.0
    asker: str | None = None
    thread: str | None = None
    filters: Filters = field(default_factory=Filters)
    between: SaidSpan | None = None
    count_use: bool = True
    agent: str | None = None
    archived: ArchiveName | None = None
    newer_first: bool = True
    around: tuple[Moment, Moment] | None = None
    max_age: float | None = None
    verified: bool = False
    explain: bool = False
    why_not: OneMemory | None = None
    as_of: Moment | None = None
    times: tuple[TimeSpan, ...] | None = None
    said: str | None = None
    offset: int = 0
    trace: RecallTrace = UNHEARD

    def at(self, core: Core) -> int:
        """Return the instant that is asked about, which is now unless somebody says another."""
        return core.clock.now() if self.as_of is None else read_instant(core, self.as_of)

    def local_now(self, core: Core) -> int:
        """Return what the scope's clocks show at that instant."""
        return int(to_local(self.at(core), self.offset))

    def asks_past(self, core: Core) -> bool:
        """Tell whether a time that it asks about is over."""
        now, local_now = self.at(core), self.local_now(core)
        return any(one.ends < (local_now if one.is_local else now) for one in self.times or ())

    def admits(self, memory: Memory) -> bool:
        """Tell whether what replaced a found memory may be shown unranked: where only a conversation is asked for."""
        is_narrow = self.filters != Filters() or self.between is not None
        return not is_narrow and self.thread in (None, memory.thread)

    def said_since(self, core: Core) -> int | None:
        """Return the time, in microseconds, since when a memory must have been said or confirmed; None if ever."""
        return None if self.max_age is None else self.at(core) - round(self.max_age * DAY)

    @property
    def of_entities(self) -> bool:
        """Whether entities are asked for: by their category, since they say nothing that answers a question."""
        return lists_entities(self.filters)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what is known of it.

    `context` says how often its words are held, `forms` which of them are looked for, in which forms, and `model` what
    a model made of it.
    """

    asked: RecallRequest
    context: WriteContext
    forms: WordForms
    model: QuestionVector


def check_request(core: Core, asked: RecallRequest) -> None:
    """Refuse a request that no answer fits."""
    check_text(asked.query)
    if asked.agent is not None:
        check_name("agent", asked.agent)
        refuse_secret(core.salt, "name of the agent", asked.agent)
    to_said_span(asked.around, AROUND)
    if asked.as_of is not None:
        check_instant(core, asked.as_of, asked.why_not, explain=asked.explain)
        if asked.of_entities:
            raise InvalidInput(
                "entities are not recalled as of an instant",
                recovery="list them: `list(category='entity', as_of=TIME)`",
            )
    check_count("limit", asked.limit, 1, LIMIT_MAX)
    if (
        asked.max_age is not None and not 0 < asked.max_age <= MAX_AGE_MAX
    ):  # what is no number is refused, too
        raise InvalidInput(
            f"max_age is {asked.max_age}", recovery=f"give a number of days above 0, up to {MAX_AGE_MAX:,}"
        )
    if asked.verified and "verification" in asked.filters.columns:
        raise InvalidInput(
            "verified and the filter verification ask for the same", recovery="name one of the two"
        )
    if asked.budget is not None:
        check_count("budget", asked.budget, 1, BUDGET_MAX)
    for status in asked.filters.statuses or ():
        if status in _UNRECALLED:
            raise InvalidInput(
                f"recall finds nothing that {_UNRECALLED[status]}",
                recovery=f"list it: `list(status='{status.label}')`",
            )


class AskedTime(NamedTuple):
    """A time that an event tells, and the question without the words that tell it."""

    span: TimeSpan
    rest: str


async def read_times(core: Core, asked: RecallRequest) -> RecallRequest:
    """Return a question with the times that it asks about, by its words as the scope's clocks stand when it is asked.

    The zone is read only where it names a time or an event, whatever the zone is. InvalidInput for a span of time that
    ends before it begins, or is none.
    """
    if asked.around is not None:
        if len({is_wall_time(one) for one in asked.around}) > 1:
            raise InvalidInput(
                f"one end of {AROUND} has no time zone, the other has one",
                recovery="give both a zone, or neither",
            )
        span, is_local = to_said_span(asked.around, AROUND), is_wall_time(asked.around[0])
        assert span is not None
        bounds = span[2:] if is_local else span[:2]
        return replace(asked, times=(TimeSpan(*bounds, AROUND, is_local=is_local),))
    now = asked.at(core)
    if not find_time_spans(asked.query, now + DAY) and find_event_time(asked.query) is None:
        return replace(asked, times=())
    asked = replace(asked, offset=place_time(now, await read_zone(core)).offset)
    return replace(asked, times=find_time_spans(asked.query, asked.local_now(core)))


async def read_event_time(
    now: int, question: str, find_event: Callable[[str], Awaitable[Sequence[Memory]]]
) -> AskedTime | None:
    """Return the time that a question tells by an event, None where it tells none so or nobody knows when that was.

    `find_event` looks for what speaks of an event. Of those that name its day the most trusted tells when it was, of
    equals the newest; where none does, the first by when it was said.
    """
    event = find_event_time(question)
    if event is None:
        return None
    telling = [
        one
        for one in await find_event(event.event)
        if one.verification is not Verification.DISPUTED
        and not only_asks(one.text)
        and event.is_told_by(one.text)
    ]
    if not telling or any(event.is_told_alike(one.text) for one in telling):
        return None
    days = {one.seq: find_event_day(one.text, one.said_local) for one in telling}
    dated = [one for one in telling if days[one.seq] is not None]
    memory = max(dated, key=lambda one: (one.trust, one.last_said_at), default=telling[0])
    day = days[memory.seq]
    span = event.find_span(memory.said_local // DAY if day is None else day, short_id(memory.seq))
    rest = event.leave_out(question, memory.text)
    return AskedTime(span, rest) if span.begins <= now and stems(rest) else None


def describe_times(times: Sequence[TimeSpan]) -> tuple[str, ...]:
    """Write each time with the words that it was read from: `last tuesday: 2026-06-09`."""
    return tuple(
        f"{one.words}: {begins}" if begins == ends else f"{one.words}: {begins} to {ends}"
        for one in times
        for begins, ends in [(date_of(one.begins), date_of(one.ends))]
    )


async def read_question(core: Core, asked: RecallRequest) -> Question:
    """Read how often the words of a question are held and which are worth asking for, and have a model embed it.

    What else a question needs to know of the scope comes with it: one request for all.
    """
    query = asked.query
    hashes = await run_off_loop(len(query), lambda: {stem: term_hash(stem) for stem in stems(query)})
    asks_model = core.model is not None
    request = Arriving(
        terms=list(hashes.values()),
        get=(*SETTING_ROWS, *(extra_vectors.MODEL,) * asks_model),
        counters=(extra_vectors.WRITTEN,) * asks_model,
    )
    context = await core.store.arriving(core.scope, request)
    counts = {stem: context.df.get(term, 0) for stem, term in hashes.items()}
    forms = {stem: (stem,) for stem in worth_asking(list(hashes), counts, context.memories)}
    return Question(asked, context, forms, await extra_vectors.embed_question(core, query, context))


async def match_forms(core: Core, question: Question) -> Question:
    """Leave out of a question the function words of its language, and ask for each word in all of its forms.

    The rows of the index stand still meanwhile. A word that is left out weighs as one that every memory holds.
    """
    context, query = question.context, question.asked.query
    known = await core.index.read_words()
    held = {stem: context.df.get(term_hash(stem), 0) for stem in question.forms}
    forms = await known.find_forms(*await run_off_loop(len(query), known.read_question, query, held))
    dropped = {term_hash(stem): context.memories for stem in question.forms if stem not in forms}
    context = replace(context, df={**context.df, **dropped}) if dropped else context
    return replace(question, context=context, forms=forms)


def build_query(core: Core, question: Question, weights: Mapping[str, float]) -> Query:
    """Return the question as it is ranked by; `weights` say how rare stems are among the candidates."""
    asked, forms = question.asked, question.forms
    return Query(
        text=asked.query,
        stems=tuple(forms),
        vector=_embed_words(core, asked.query, question.context, weights),
        asker=None if asked.asker is None else core.index.code("speaker", asked.asker),
        within_conversation=asked.thread is not None,
        contextual=question.model.vector,
        spans=asked.times or (),
    )


def _embed_words(
    core: Core, text: str, known: WriteContext, weights: Mapping[str, float]
) -> npt.NDArray[np.float32] | None:
    """Embed the question, its words weighted by how rare they are where it is asked, else in the scope now."""
    if not core.index.dimensions:
        return None
    in_scope = word_weight(known.memories, known.df)

    def weight(stem: str) -> float:
        return weights[stem] if stem in weights else in_scope(stem)

    vector: npt.NDArray[np.float32] = core.embedder.embed([text], weight)[0]
    return vector
