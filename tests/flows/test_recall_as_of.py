"""A recall as of an instant finds what a recall found then: from what stands and what the audit says since."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.change import AuditPart
from remanence.core.clock import HOUR, ManualClock
from remanence.core.errors import ImagesEnded, InvalidInput
from remanence.core.model import RecallResult
from remanence.flows.base.undo_data_expiry import expire
from remanence.flows.indexes.index_columns import RANKED
from remanence.flows.recall.past_ranking import read_past_scope
from remanence.store.base import AnswerRequest
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.test_history import PURGE

TEXTS = ("the ferry leaves at nine", "the ferry is closed", "Ada keeps the ferry key", "the ferry leaks")
ARCHIVE = """
version = 1
name = "put away"
[[rule]]
name = "old"
every = "deep"
phase = "expire"
where = "category == 'message'"
do = "archive"
"""
ASKED = "What about the ferry?"


def _found(answer: RecallResult) -> set[tuple[str, str, str, bool]]:
    return {(hit.id, hit.text, hit.memory.status.label, hit.archived) for hit in answer}


async def test_an_answer_is_made_of_what_was_said_then(opener: Opener, clock: ManualClock) -> None:
    """A text that was replaced is found by its words of then, and not by those it has now."""
    async with opener() as memory:
        ferry = await memory.learn(TEXTS[0])
        await memory.learn("the mill is closed")
        stood = clock.now()
        clock.advance(hours=1)
        await memory.update(ferry.id, text="a coach goes at ten")
        then = await memory.recall("when does the ferry leave", as_of=stood, limit=1)
        by_words = next(iter(then)).parts["held"]
        late = await memory.recall("at what time does the coach go", as_of=stood)
        now = await memory.recall("when does the ferry leave", as_of=clock.now())

    assert [(ferry.id, TEXTS[0])] == [(hit.id, hit.text) for hit in then]
    assert "coach" not in late.text
    assert by_words > 0.5
    assert TEXTS[0] not in now.text
    assert TEXTS[0] in then.text


async def test_instants_between_which_nothing_was_written_are_apart(
    opener: Opener, clock: ManualClock
) -> None:
    """They share the scope of then, and each says what had expired by itself; a write since parts them anew."""
    async with opener() as memory:
        ferry = await memory.learn(TEXTS[0])
        await memory.update(ferry.id, valid_to=clock.now() + HOUR)
        before, after = clock.now() + HOUR // 2, clock.now() + 2 * HOUR
        clock.advance(hours=3)
        await memory.update(ferry.id, text="a coach goes at ten", valid_to=clock.now() + HOUR)
        ended = [
            (await memory.recall(ASKED, as_of=at)).memories[0].memory.ended for at in (before, after, before)
        ]
        clock.advance(hours=1)
        await memory.forget(ferry.id)
        late = [(await memory.recall("the coach", as_of=clock.now() - back)).text for back in (HOUR // 2, 0)]

    assert [(), ("expired 2026-01-01",), ()] == ended
    assert ["a coach goes at ten" in text for text in late] == [True, False]


async def test_what_was_deleted_and_purged_since_is_found(opener: Opener, clock: ManualClock) -> None:
    """With the status, the tags and the marks that it had; what came in since is not."""
    async with opener() as memory:
        gone = await memory.learn(TEXTS[0], tags=["boats"])
        fell = await memory.learn(TEXTS[1])
        await memory.update(fell.id, valid_to=clock.now() + HOUR)
        stood = clock.now() + 2 * HOUR
        clock.advance(hours=3)
        await memory.forget(gone.id)
        await memory.apply(await memory.plan(PURGE), allow_destroyed=1)
        await memory.forget(fell.id)
        await memory.learn(TEXTS[2], tags=["boats"])
        then = await memory.recall(ASKED, as_of=stood)
        tagged = await memory.recall(ASKED, as_of=stood, filters={"tags": "boats"})

    assert {gone.id: (), fell.id: ("expired 2026-01-01",)} == {hit.id: hit.memory.ended for hit in then}
    assert [gone.id] == [hit.id for hit in tagged]
    assert "expired 2026-01-01" in then.text


async def test_before_the_first_memory_nothing_is_found(opener: Opener, clock: ManualClock) -> None:
    """An answer is empty, in an empty memory, too."""
    async with opener() as memory:
        assert not await memory.recall(ASKED, as_of=clock.now())
        before = clock.now()
        clock.advance(hours=1)
        await memory.learn(TEXTS[0])

        assert not await memory.recall(ASKED, as_of=before)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"as_of": datetime(2200, 1, 1, tzinfo=UTC)}, "still to come"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"as_of": 0, "explain": True}, "for the present alone"),
        ({"as_of": 0, "why_not": 1}, "for the present alone"),
        ({"as_of": 0, "filters": {"category": "entity"}}, "entities"),
    ],
)
async def test_what_cannot_be_told_as_of_then_is_refused(
    memory: remanence.Engine, options: dict[str, Any], said: str
) -> None:
    """With one error of ours that says what to do."""
    await memory.learn(TEXTS[0])
    with pytest.raises(InvalidInput, match=said) as refused:
        await memory.recall(ASKED, **options)

    assert refused.value.recovery


async def test_where_images_have_ended_a_recall_is_refused(opener: Opener, clock: ManualClock) -> None:
    """Also where it was answered just before: what is kept of then is not asked any more."""
    async with opener() as memory:
        learned = await memory.learn(TEXTS[0])
        stood = clock.now()
        clock.advance(days=1)
        await memory.update(learned.id, text=TEXTS[1])
        clock.advance(days=100)
        await memory.review.settle("clock", "accept")
        before = await memory.recall(ASKED, as_of=stood)
        await expire(memory._core)
        with pytest.raises(ImagesEnded) as refused:
            await memory.recall(ASKED, as_of=stood)

    assert [TEXTS[0]] == [hit.text for hit in before]
    assert "audit_days" in refused.value.recovery


async def test_what_was_erased_since_is_left_out(opener: Opener, clock: ManualClock) -> None:
    """Also where it was found just before."""
    async with opener() as memory:
        gone, kept = await memory.learn(TEXTS[0]), await memory.learn(TEXTS[1])
        stood = clock.now()
        clock.advance(hours=1)
        await memory.forget(gone.id)
        before = await memory.recall(ASKED, as_of=stood)
        await memory.erase.apply(await memory.erase.show(gone.id))
        after = await memory.recall(ASKED, as_of=stood)

    assert {gone.id, kept.id} == {hit.id for hit in before}
    assert [kept.id] == [hit.id for hit in after]


async def test_nothing_counts_as_used(opener: Opener, clock: ManualClock) -> None:
    """Who looks back uses nothing, also where the memory stands and says the same now."""
    async with opener() as memory:
        learned = await memory.learn(TEXTS[0])
        clock.advance(hours=1)
        await memory.recall(ASKED, as_of=clock.now(), count_use=True)

        assert 0 == (await memory.get(learned.id)).uses


async def test_what_is_written_meanwhile_does_not_count(opener: Opener, clock: ManualClock) -> None:
    """A memory that was ranked unchanged and is edited or purged before it is read is shown as it was."""
    async with opener() as memory:
        edited, gone = await memory.learn(TEXTS[0]), await memory.learn(TEXTS[1])
        at, core = clock.now(), memory._core
        clock.advance(hours=1)
        async with core.index.hold_rows(clock.now(), RANKED, windows=True):
            past = await read_past_scope(core, at, {})
        await memory.update(edited.id, text=TEXTS[2])
        await memory.forget(gone.id)
        await memory.apply(await memory.plan(PURGE), allow_destroyed=1)
        seqs = [edited.seq, gone.seq]
        read = await past.read(core, seqs, await core.store.read_answer(core.scope, AnswerRequest(seqs)))

    assert list(TEXTS[:2]) == [None if one is None else one.text for one in read]


async def test_what_has_left_the_index_is_found_as_of_then(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large archive what stood then stands, and what was archived already is found at a factor."""
    async with opener() as memory:
        old = await memory.learn(TEXTS[0], category="message")
        await memory.consolidate()
        clock.advance(days=1)
        await memory.curate(ARCHIVE)
        first = clock.now()
        clock.advance(days=1)
        late = await memory.learn(TEXTS[1], category="message")
        await memory.consolidate()
        await memory.learn(TEXTS[2])
        monkeypatch.setattr("remanence.flows.indexes.scope_index.INDEXED_MAX", 0)
        stood, then = clock.now(), _found(await memory.recall(ASKED, archived="open"))
        clock.advance(days=1)
        await memory.curate(ARCHIVE)
        again = await memory.recall(ASKED, as_of=stood, archived="open")
        closed = await memory.recall(ASKED, as_of=stood, archived="closed")
        earlier = await memory.recall(ASKED, as_of=first, archived="open")

    assert then == _found(again)
    assert late.id in {hit.id for hit in again if not hit.archived}
    assert old.id not in {hit.id for hit in closed}
    assert [old.id] == [hit.id for hit in earlier if hit.archived]


async def _edit(path: Path) -> None:
    """Learn a text on the first day of 2026 and replace it now."""
    async with remanence.open(path, clock=ManualClock()) as memory:
        learned = await memory.learn(TEXTS[0])
    async with remanence.open(path) as memory:
        await memory.update(learned.id, text=TEXTS[1])


def test_the_command_line_recalls_what_was(tmp_path: Path) -> None:
    """A time without a zone is local."""
    path = tmp_path / "memory.db"
    asyncio.run(_edit(path))
    then = typed("--db", str(path), "recall", ASKED, "--as-of", "2026-01-02", "--text")
    wrong = typed("--db", str(path), "recall", ASKED, "--as-of", "2200-01-02")

    assert TEXTS[0] in then.stdout
    assert TEXTS[1] not in then.stdout
    assert "still to come" in wrong.stderr


VERBS = ("learn", "note", "edit", "forget", "restore", "consolidate", "supersede", "archive", "purge", "tag")
ACTS = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 4)), min_size=1, max_size=12)


async def act_on(memory: remanence.Engine, act: str, seq: int, number: int) -> None:
    """Do what was drawn to a memory, with texts that are numbered."""
    match act:
        case "learn":
            kind = ("fact", "message")[number % 2]
            await memory.learn(
                f"{TEXTS[seq % 4]}, said {number}", category=kind, thread="t" * (seq % 2) or None
            )
        case "note":
            await memory.note(f"I keep the ferry key number {number}.", speaker="Ada", later=True)
        case "edit":
            await memory.update(
                seq, text=f"the {('ferry', 'coach')[number % 2]} was edited {number}", category="message"
            )
        case "supersede":
            await memory.correct(seq, by=seq + 1)
        case "archive":
            await memory.curate(ARCHIVE)
        case "purge":
            await memory.apply(await memory.plan(PURGE), allow_destroyed=10)
        case "tag":
            await memory.tag(seq, "boats/big")
        case "consolidate":
            await memory.consolidate()
        case verb:
            await getattr(memory, verb)(seq)


_QUESTIONS: tuple[dict[str, Any], ...] = (
    {"archived": "open"},
    {"archived": "closed"},
    {"filters": {"status": "any"}},
    {"filters": {"category": "message", "tags": "boats/*"}},
    {"thread": "t"},
)


@settings(max_examples=25, deadline=None)
@given(ACTS, st.booleans(), st.sampled_from(("none", "hashed")))
async def test_what_is_found_is_what_was_found_then(
    acts: list[tuple[str, int]], in_file: bool, embedder: str
) -> None:
    """After any history a recall as of each instant has the memories, texts and statuses of a recall at it."""
    clock = ManualClock()
    store = None if in_file else MemoryStore()
    async with remanence.open(embedder=embedder, clock=clock, store=store) as memory:
        recorded: list[tuple[int, list[set[tuple[str, str, str, bool]]]]] = []
        for number, (act, seq) in enumerate(acts):
            try:
                await act_on(memory, act, seq + 1, number)
            except remanence.RemanenceError:  # nothing has that number, or it may not be done to it
                pass
            recorded.append((clock.now(), [_found(await _recall(memory, one)) for one in _QUESTIONS]))
            clock.advance(hours=1)
        for at, then in recorded:
            assert then == [_found(await _recall(memory, {**one, "as_of": at})) for one in _QUESTIONS]


async def _recall(memory: remanence.Engine, options: dict[str, Any]) -> RecallResult:
    return await memory.recall(ASKED, limit=100, count_use=False, **options)


@pytest.mark.parametrize("seed", range(3))
async def test_instants_asked_in_any_order_tell_what_each_tells_alone(
    opener: Opener, clock: ManualClock, seed: int
) -> None:
    """What is known of one instant is used for the next: texts, tags and what came or went, forwards and backwards."""
    choice, instants = Random(seed), []
    async with opener() as memory:
        for number in range(16):
            clock.advance(hours=1)
            known = [one.id for one in await memory.list(status="any")]
            match choice.randrange(4) if known else 3:
                case 0:
                    await memory.update(choice.choice(known), text=f"the ferry of pier {number}")
                case 1:
                    await memory.tag(choice.choice(known), f"pier-{number}")
                case 2:
                    await memory.forget(choice.choice(known))
                case _:
                    await memory.learn(f"{TEXTS[number % len(TEXTS)]} {number}")
            instants.append(clock.now())
        choice.shuffle(instants)
        together = [await memory.recall(ASKED, as_of=at, count_use=False) for at in instants]
    alone = []
    for at in instants:
        async with opener() as memory:
            alone.append(await memory.recall(ASKED, as_of=at, count_use=False))

    assert [one.text for one in alone] == [one.text for one in together]
    assert [_found(one) for one in alone] == [_found(one) for one in together]
    assert [[hit.memory.tags for hit in one] for one in alone] == [
        [hit.memory.tags for hit in one] for one in together
    ]


async def test_of_the_next_instant_the_audit_is_not_read_again(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read for an earlier instant is enough for a later one, until something is written."""
    async with opener() as memory:
        ferry = await memory.learn(TEXTS[0])
        instants = []
        for number in range(3):
            instants.append(clock.now())
            clock.advance(hours=1)
            await memory.update(ferry.id, text=f"the ferry of pier {number}")
        first = await memory.recall(ASKED, as_of=instants[0], count_use=False)
        history = memory._core.store.history
        read: list[AuditPart] = []

        async def listened(*given: Any, **more: Any) -> Any:
            page = await history(*given, **more)
            read.extend(page if more.get("rows", True) else ())
            return page

        monkeypatch.setattr(memory._core.store, "history", listened)
        later = await memory.recall(ASKED, as_of=instants[1], count_use=False)

    assert [] == read
    assert TEXTS[0] in first.text
    assert "pier 0" in later.text
