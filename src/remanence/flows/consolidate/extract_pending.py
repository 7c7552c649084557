"""Turns that were noted are listened to: facts are extracted from those above a session's cursor, a batch a commit.

Texts that were learned are, too, where somebody asks for it, above a cursor of their own.

A commit stores the facts and moves the cursor, under the fence of a lease, so that no turn is listened to twice and
none is passed over, whoever is killed when. Knows when a session is due; how words become facts is elsewhere.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, TypeVar

from remanence.core.change import Fence
from remanence.core.clock import MINUTE
from remanence.core.errors import InvalidInput, LeaseLost, WriterError
from remanence.core.keywords import Progress
from remanence.core.model import LINEAGE, STANDING, Lifecycle, Memory, Relation, Status, Turn
from remanence.core.receipt import AutomaticRun, ExtractPendingResult
from remanence.core.segment import TURN
from remanence.edit.one_memory import says_who
from remanence.flows.base import settings, steps
from remanence.flows.base.context import RACES_MAX, Core, hold_lease, retry_conflicts
from remanence.flows.base.spending import Spending
from remanence.flows.consolidate import guidelines
from remanence.flows.consolidate.boxes import decide_boxes
from remanence.flows.entities.entity_storing import with_entities
from remanence.flows.write import proposals
from remanence.flows.write.facts import FactChanges, decide_facts, drop_worded_by
from remanence.flows.write.gating import refresh_settings
from remanence.flows.write.pending_turns import (
    PendingTurns,
    buffers,
    encode_set_aside,
    list_pending_turns,
    next_turns,
    select_unheard_turns,
)
from remanence.llm.base import Extractor
from remanence.read.entity import is_entity
from remanence.read.extraction import (
    EXTRACT_CATEGORIES,
    EXTRACT_INSTRUCTION,
    ExtractRequest,
    ExtractResult,
    ExtractTurn,
    checked_extraction,
    wanted_of,
)
from remanence.store.base import Bookkeeping, Find
from remanence.text.tokens import token_counts
from remanence.write.engine_actions import UNSAID, Eligibility
from remanence.write.turns import lease_name, listened_again

PLACES_MAX = 10  # so many places back it is looked whether a text was said; of a longer line it was
LEARNED = (
    "extract/learned"  # the lease on learned texts, and the value: up to which memory they were listened to
)
UNREAD = "extract/unread"  # the value: up to which memory turns came while there was no writer
SCANNED = 200  # memories that are looked through for the next texts
BATCH, BATCH_TOKENS = 10, 3_000  # turns that are listened to together, and their tokens
CONTEXT = 4  # turns before them by which a writer understands what they leave out
TIMEOUT_S = 30.0
LEASE = MINUTE  # longer than a writer is waited for
TRIES_MAX = 600  # who has waited for so long goes on: the lease of a process that was killed has run out
BEYOND = "beyond what a batch holds, the least sure"
OF_EXTRACTION = Eligibility(UNSAID, Lifecycle.CANDIDATE, UNSAID, "extraction")
T = TypeVar("T", Memory, Turn)
LOG = logging.getLogger("remanence")
GIVE_WRITER = 'give one: `open(writer="openai:MODEL")`, or --writer; without one leave this out'
BUSY = "another process listens to this session; what is left waits for it or for the next"


async def due_now(
    core: Core, stopped: Callable[[], bool], waits: Sequence[PendingTurns] | None = None
) -> AutomaticRun | None:
    """Listen to the sessions that are due, of those that wait; one that another process is at is left to it."""
    now, waits = core.clock.now(), await list_pending_turns(core) if waits is None else waits
    due = {one.session for one in waits if one.due_at is not None and one.due_at <= now}
    return _build_extract_outcome(core, await listen(core, due, stopped, tries=1)) if due else None


async def rest(core: Core, sessions: Collection[str], tries: int = TRIES_MAX) -> AutomaticRun | None:
    """Listen to all that waits of some sessions, and say what became of it as of any work that nobody asked for."""
    return _build_extract_outcome(core, await listen(core, sessions, tries=tries)) if sessions else None


def _build_extract_outcome(core: Core, done: ExtractPendingResult) -> AutomaticRun | None:
    if not done.turns and not done.failed:
        return None
    counts = {"turns": done.turns, "stored": done.stored, "confirmed": done.confirmed, **done.left_out}
    reason = "; ".join(done.failed)
    run = done.runs[-1] if done.runs else None
    return AutomaticRun(core.clock.now(), "failed" if reason else "done", run, counts, reason)


async def listen(
    core: Core,
    sessions: Collection[str] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    tries: int = TRIES_MAX,
) -> ExtractPendingResult:
    """Listen to all that waits, of some sessions or of any; one process at a time goes through a session.

    Where another is at it, that is waited for, a tenth of a second for each of the `tries`. Of some sessions, turns
    that were set aside wait for the time when they are tried again.
    """
    total, spending = ExtractPendingResult(), Spending(core)
    now = None if sessions is None else core.clock.now()
    for session in (
        [one.session for one in await list_pending_turns(core)] if sessions is None else sorted(sessions)
    ):
        going = True
        while going and not stopped():
            some, going = await _batch(core, session, spending, tries, now)
            total += some
    return total


async def listen_to_learned(core: Core, progress: Progress | None = None) -> ExtractPendingResult:
    """Listen to texts of which there are no facts, each once; one process at a time goes through them.

    Killed, it goes on behind the last batch that was committed. `progress` hears up to which number, and the newest.
    """
    refuse_without_writer(core)
    total, spending, going = ExtractPendingResult(), Spending(core), True
    newest = await core.store.find(core.scope, Find(limit=1))
    while going:
        some, reached = await _learned_batch(core, spending)
        total, going = total + some, reached is not None
        if progress is not None and reached is not None:
            progress(min(reached, newest[0].seq), newest[0].seq)
    return total


def refuse_without_writer(core: Core) -> None:
    """Refuse to extract facts where no writer is given that does."""
    if not isinstance(core.writer, Extractor):
        raise InvalidInput("facts are extracted by a writer, and none is given", recovery=GIVE_WRITER)


async def _learned_batch(core: Core, spending: Spending) -> tuple[ExtractPendingResult, int | None]:
    """Listen to the oldest texts above the cursor; say up to which memory, None where nothing more can be done."""
    if reason := await _explain_wait(core, spending):
        return ExtractPendingResult(failed=(reason,)), None
    try:
        async with hold_lease(core, LEARNED, LEASE, tries=TRIES_MAX) as fence:
            if fence is None:
                return ExtractPendingResult(failed=(BUSY,)), None
            asked = Bookkeeping(core.clock.now(), get=(LEARNED, UNREAD))
            values = (await core.store.bookkeep(core.scope, asked)).values
            cursor = values.get(LEARNED, 0)
            find = Find((Status.INBOX, Status.ACTIVE), after=cursor, limit=SCANNED, oldest_first=True)
            scanned = await core.store.find(core.scope, find)
            if not scanned:
                return ExtractPendingResult(), None
            texts = await _select_learned_texts(core, scanned, values.get(UNREAD, 0))
            return await _hear_learned(core, texts, scanned[-1].seq, fence, spending)
    except LeaseLost:
        return ExtractPendingResult(), None


async def _hear_learned(
    core: Core, texts: Sequence[Memory], last: int, fence: Fence, spending: Spending
) -> tuple[ExtractPendingResult, int | None]:
    """Listen to the first of some texts, `last` is the number of the last that was looked through.

    After each failure half as many are tried; one that fails alone is set aside, so that the next call goes on behind.
    """
    most = BATCH
    while True:
        batch = take_batch(texts[:most])
        reached = last if len(batch) == len(texts) else batch[-1].seq
        books = _Books("", fence, {LEARNED: reached}, {})
        try:
            return await _hear_batch(core, batch, books, spending), reached
        except WriterError as error:
            if len(batch) == 1:
                set_aside = encode_set_aside(batch, core.clock.now())
                await _write_books(core, replace(books, values={**books.values, **set_aside}))
                return ExtractPendingResult(failed=(f"{error}",)), None
            most = len(batch) // 2


async def _select_learned_texts(core: Core, memories: Sequence[Memory], unread: int) -> list[Memory]:
    """Return what somebody said: nothing of which there are facts, or that was made of others, or the system's.

    Of turns that were noted those up to `unread`, which no writer was shown.
    """
    said = [
        one
        for one in memories
        if not is_entity(one)
        and not says_who(one.tags, system=False)
        and (TURN not in one.tags or (one.seq <= unread and one.category is None))
    ]
    seqs = [one.seq for one in said]
    links = await core.store.neighbours(core.scope, seqs, Relation.LEARNED_FROM) if seqs else []
    done = await _find_made(core, seqs) | {link.target for link in links}
    return [one for one in said if one.seq not in done]


async def _find_made(core: Core, seqs: Sequence[int]) -> set[int]:
    """Return which memories were made of others, or took the place of such; what takes a said text's place is said."""
    made: set[int] = set()
    takers = {seq: seq for seq in seqs}  # by what they took the place of in the end
    for _ in range(PLACES_MAX):
        if not takers:
            break
        links = await core.store.neighbours(core.scope, sorted(takers), *LINEAGE)
        mine = [link for link in links if link.source in takers]
        made |= {takers[link.source] for link in mine if link.relation is not Relation.SUPERSEDES}
        takers = {
            link.target: takers[link.source]
            for link in mine
            if link.relation is Relation.SUPERSEDES and takers[link.source] not in made
        }
    return made


async def _explain_wait(core: Core, spending: Spending) -> str:
    """Say why nothing is listened to now; "" where it may be."""
    reason = await steps.explain_write_refusal(core)
    if not reason and isinstance(core.writer, Extractor):
        reason = await spending.waits()
    return reason


async def _batch(
    core: Core, session: str, spending: Spending, tries: int, now: int | None
) -> tuple[ExtractPendingResult, bool]:
    """Listen to the oldest turns of a session; say whether there may be more."""
    if reason := await _explain_wait(core, spending):
        return ExtractPendingResult(failed=(reason,)), False
    try:
        async with hold_lease(core, lease_name(session), LEASE, tries=tries) as fence:
            if fence is None:
                return ExtractPendingResult(failed=(BUSY,) if tries > 1 else ()), False
            return await _extract_batch(core, session, fence, spending, now)
    except LeaseLost:
        return ExtractPendingResult(), False


async def _extract_batch(
    core: Core, session: str, fence: Fence, spending: Spending, now: int | None
) -> tuple[ExtractPendingResult, bool]:
    (buffer,) = await buffers(core, session)
    # After each failure half as many, so that one turn for which there is no answer is found and set aside.
    most = max(1, BATCH >> buffer.cursor.failures)
    waiting = await next_turns(core, buffer, most, now)
    turns = take_batch(waiting)
    goes_on = len(waiting) == most or len(turns) < len(waiting) or bool(buffer.set_aside)
    noted = [turn for turn in turns if TURN in turn.tags]
    books = _Books(
        session, fence, buffer.values(turns), buffer.counts(turns, all_=len(waiting) < most), noted
    )
    if not turns:
        if books.counts:
            await _write_books(core, books)
        return ExtractPendingResult(), False
    standing = await select_unheard_turns(core, buffer, turns)
    try:
        some = await _hear_batch(core, standing, books, spending)
    except WriterError as error:
        failed_at = core.clock.now()
        is_alone = most == 1 or turns[0].seq in buffer.set_aside
        values = (
            buffer.encode_failed_turn(turns[0], failed_at) if is_alone else buffer.encode_failure(failed_at)
        )
        counts = buffer.counts(turns, all_=False) if is_alone else {}
        await _write_books(core, _Books(session, fence, values, counts))
        return ExtractPendingResult(failed=(f"{error}",)), False
    return replace(some, turns=some.turns + len(turns) - len(standing)), goes_on


def take_batch(turns: Sequence[T]) -> Sequence[T]:
    """Return of some turns the first that a request has tokens for, one at least."""
    tokens = accumulate(token_counts([turn.text for turn in turns]))
    return turns[: max(1, sum(total <= BATCH_TOKENS for total in tokens))]


async def _hear_batch(
    core: Core, standing: Sequence[Memory], books: "_Books", spending: Spending
) -> ExtractPendingResult:
    """Extract facts from some texts and store them with the cursor; raise WriterError where nothing can be had.

    Texts for which there is no answer, though there is one for others, are set aside.
    """
    request = await wanted_now(core)
    extraction = ExtractResult()
    failed: list[Memory] = []
    errors: list[WriterError] = []
    if standing and not isinstance(core.writer, Extractor):
        await _note_unread(core, standing[-1].seq)
    elif standing:
        books = replace(books, before=await _read_context(core, standing))
        shown = [*books.before, *standing]
        # What is believed less may word nothing that is believed more, so each trust has a request of its own.
        for trust in sorted({one.trust for one in standing}, reverse=True):
            turns = [one for one in standing if one.trust == trust]
            before = [one for one in shown if one.trust == trust and one.seq < turns[0].seq]
            wanted = replace(request, before=tuple(map(_cut_excerpt, before)))
            try:
                extraction += await _extract_facts(core, turns, wanted, spending)
            except WriterError as error:
                errors.append(error)
                failed += turns
    if errors and len(failed) == len(standing):
        raise errors[0]
    read = [one for one in standing if one.seq not in {turn.seq for turn in failed}]
    books = replace(books, values={**books.values, **encode_set_aside(failed, core.clock.now())})
    some = await _store_facts(core, read, extraction, request, books)
    return replace(some, turns=len(read), cut=extraction.cut, failed=tuple(map(str, errors)))


async def _note_unread(core: Core, seq: int) -> None:
    """Keep that no writer was shown the turns up to a number; the greatest counts, whoever notes another meanwhile."""
    for _ in range(RACES_MAX):
        now = core.clock.now()
        known = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(UNREAD,)))).values.get(UNREAD)
        if known is not None and known >= seq:
            return
        swap = Bookkeeping(now, swap={UNREAD: (known, seq)}, get=(UNREAD,))
        if (await core.store.bookkeep(core.scope, swap)).values.get(UNREAD) == seq:
            return


async def _read_context(core: Core, turns: Sequence[Memory]) -> list[Memory]:
    """Return what was said in a session right before some turns, by which a writer understands them."""
    if TURN not in turns[0].tags:
        return []
    first = turns[0]
    of = {"session": first.session, "thread": first.thread}
    before = Find(tuple(STANDING), tags=(TURN,), equal=of, before=first.seq, limit=CONTEXT)
    return [*await core.store.find(core.scope, before)][::-1]


async def wanted_now(core: Core) -> ExtractRequest:
    """Return what is to be extracted from turns, as the settings say."""
    await refresh_settings(core)
    request = wanted_of(*await settings.words(core, EXTRACT_CATEGORIES, EXTRACT_INSTRUCTION))
    return replace(request, guidelines=await guidelines.lines(core))


@dataclass(frozen=True, slots=True)
class _Books:
    """What is written beside the facts of a batch: its turns, where the cursor then stands, what no longer waits.

    `before` are turns that were said right before it.
    """

    session: str
    fence: Fence
    values: Mapping[str, object]
    counts: Mapping[str, int]
    heard: Sequence[Memory] = ()
    before: Sequence[Memory] = ()


async def _write_books(core: Core, books: _Books) -> None:
    """Write what stands beside memories where no memory changes."""
    request = Bookkeeping(core.clock.now(), put=books.values, count=books.counts, fence=books.fence)
    await core.store.bookkeep(core.scope, request)


def _cut_excerpt(turn: Memory) -> ExtractTurn:
    said = turn.said_time.isoformat()
    return ExtractTurn(turn.id, turn.text, turn.speaker or "", turn.role.label, turn.trust.label, said)


async def _extract_facts(
    core: Core, turns: Sequence[Memory], wanted: ExtractRequest, spending: Spending
) -> ExtractResult:
    """Return what some turns state, by the writer."""
    writer = core.writer
    assert isinstance(writer, Extractor)
    excerpts = [_cut_excerpt(turn) for turn in turns]
    try:
        async with asyncio.timeout(TIMEOUT_S):
            extraction = checked_extraction(await writer.extract(excerpts, wanted), excerpts, wanted)
            await spending.book(1, extraction.tokens_used)
            return extraction
    except WriterError as error:
        await spending.book(1, error.tokens_used)
        raise
    except TimeoutError:
        # Who was not waited for may have answered all the same, for the price of the question at least.
        await spending.book(1, sum(token_counts([turn.text for turn in excerpts])))
        raise WriterError(
            f"nothing extracted within {TIMEOUT_S:g} s", recovery="it is tried again; nothing is lost"
        ) from None


@retry_conflicts
async def _store_facts(
    core: Core, turns: Sequence[Memory], found: ExtractResult, wanted: ExtractRequest, books: _Books
) -> ExtractPendingResult:
    """Commit the facts and boxes of a batch with its cursor, again from the start after a lost race."""
    model = core.writer
    writer = "" if model is None or not isinstance(model, Extractor) else model.name
    shown = [*books.before, *turns]
    turns, books = await _leave_out_changed(core, turns, books)
    standing = {one.seq for one in (*books.before, *turns)}
    lost = [one for one in shown if one.seq not in standing]
    if lost:
        found = replace(found, facts=drop_worded_by(found.facts, lost, [*books.before, *turns]))
    telling = await with_entities(
        core, turns, found, await decide_facts(core, turns, found.facts, writer, books.before)
    )
    grouping = await decide_boxes(core, books.session, books.heard)
    detail = {"session": books.session, "by": writer, "wanted": wanted.hash}
    detail |= _build_audit_detail(found, telling)
    grouping.record(telling.actions, "extraction")
    telling.actions.record("discard", OF_EXTRACTION, reason=BEYOND, times=found.cut.get("facts", 0))
    boxes = {**telling.actions.detail(), **grouping.detail}
    cause = core.cause(
        "extract" if telling.changes else "box",
        detail={**detail, **boxes} if telling.changes else {"session": books.session, **boxes},
        fence=books.fence,
        **steps.count_extraction(
            telling.stored + telling.confirmed, core.clock.now(), books.counts, books.values
        ),
    )
    changes = [*telling.changes, *grouping.changes]
    if not changes:
        await _write_books(core, books)
        return _listened_to(telling)
    commit = await core.commit(changes, cause)
    await _propose_tags(core, writer, telling.proposed, commit.assigned)
    return replace(_listened_to(telling), runs=(cause.run,) if telling.changes else ())


async def _leave_out_changed(
    core: Core, turns: Sequence[Memory], books: _Books
) -> tuple[Sequence[Memory], _Books]:
    """Return the turns that still stand and say what was heard; one that was edited meanwhile waits again.

    A writer may think for half a minute, and what is erased meanwhile is in no box.
    """
    seqs = sorted({one.seq for one in (*turns, *books.heard, *books.before)})
    found = await core.store.get(core.scope, seqs) if seqs else []
    now = {one.seq: one for one in found if one is not None}
    standing = [
        (turn, now[turn.seq]) for turn in turns if turn.seq in now and now[turn.seq].status in STANDING
    ]
    values = listened_again(new for turn, new in standing if new.text != turn.text)
    heard = [now[one.seq] for one in books.heard if one.seq in now]
    left = [new for turn, new in standing if new.text == turn.text]
    before = [one for one in books.before if _still_says(one, now.get(one.seq))]
    return left, replace(books, heard=heard, values={**books.values, **values}, before=before)


def _still_says(one: Memory, now: Memory | None) -> bool:
    return now is not None and now.status in STANDING and now.text == one.text


def _build_audit_detail(found: ExtractResult, telling: FactChanges) -> dict[str, Any]:
    """Return what the audit is told beside who looked for what: what was cut, and tags that are only proposed."""
    tags = sum(map(len, telling.proposed.values()))
    detail = {"cut": dict(found.cut), "proposed_tags": tags}
    return {name: value for name, value in detail.items() if value}


async def _propose_tags(
    core: Core, writer: str, proposed: Mapping[int, Sequence[str]], assigned: Sequence[int]
) -> None:
    """Keep for a person the tags that a writer proposes for its facts, as far as there is room."""
    if not proposed:
        return
    now = core.clock.now()
    values: dict[str, Any] = {}
    for key, tags in list(proposed.items())[: await proposals.room(core)]:
        values |= proposals.encode_proposal(key if key >= 0 else assigned[-key - 1], now, writer, tags)
    put = await proposals.beside_others(core, values)
    await core.store.bookkeep(core.scope, Bookkeeping(now, put=put))


def _listened_to(told_: FactChanges) -> ExtractPendingResult:
    return ExtractPendingResult(
        stored=told_.stored,
        confirmed=told_.confirmed,
        left_out=told_.left_out,
    )
