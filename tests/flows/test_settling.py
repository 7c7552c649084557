"""A consolidation by itself: when it is due, what it does besides the inbox, and what it records of it."""

import asyncio
from collections.abc import Sequence

import pytest

import remanence
from remanence.core.clock import HOUR, MINUTE, ManualClock
from remanence.core.errors import NameUnknown
from remanence.core.model import Relation, Status, Turn
from remanence.flows.consolidate import consolidation
from remanence.flows.consolidate.consolidation import BUSY, Quiet
from remanence.llm.base import Judgement
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact, ShortenResult
from remanence.store.base import Bookkeeping
from remanence.write.reflecting import BYTES_MAX
from tests.flows.conftest import Measured, Opener, decisions_of, hear
from tests.sentences import Sentences

NOW = 1_000 * HOUR
HANGS_AFTER_S = 300


class Telling:
    """A writer that finds one fact in each turn, so sure as a test says, and shortens if it is told to."""

    name = "telling"

    def __init__(self, confidence: float = 0.9, shorter: str = "") -> None:
        self.confidence, self.shorter = confidence, shorter

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Find one fact a turn."""
        facts = [
            Fact("fact", f"It is so that {turn.text}", turn.id, (0, 1), self.confidence) for turn in turns
        ]
        return ExtractResult(tuple(facts))

    async def shorten(self, text: str, tokens_max: int) -> ShortenResult:
        """Say what a test says."""
        return ShortenResult(self.shorter, 7)


# When


@pytest.mark.parametrize(
    ("extractions", "last_at", "newest", "heard_at", "due_at"),
    [
        (0, None, None, 0, None),
        (3, None, None, NOW, NOW),
        (3, NOW - 10 * MINUTE, None, NOW, NOW),
        (3, NOW - 9 * MINUTE, None, NOW, NOW + MINUTE),
        (4, NOW + HOUR, None, NOW, NOW),
        (2, None, None, NOW, NOW + 30 * MINUTE),
        (1, None, None, NOW - 30 * MINUTE, NOW),
        (1, NOW - MINUTE, None, NOW - HOUR, NOW + 9 * MINUTE),
        (0, None, NOW - 10 * MINUTE, 0, NOW + 20 * MINUTE),
        (1, None, None, NOW + HOUR, NOW),
    ],
)
def test_it_is_due_after_three_extractions_and_ten_minutes_or_when_all_is_quiet(
    extractions: int, last_at: int | None, newest: int | None, heard_at: int, due_at: int | None
) -> None:
    """A time that a clock set back left ahead of now keeps nothing from being due."""
    found = Quiet(last_at, heard_at, extractions, newest, False, 30, True)

    assert due_at == found.due_at(NOW)


def test_no_idle_minutes_switch_that_way_off() -> None:
    """What waits is then due by extractions alone."""
    assert Quiet(None, 0, 2, NOW, False, 0, True).due_at(NOW) is None
    assert Quiet(None, 0, 3, NOW, False, 0, True).due_at(NOW) == NOW


async def _by_itself(memory: remanence.Engine) -> bool:
    return await consolidation.by_itself(memory._core, lambda: False) is not None


async def test_three_extractions_that_find_something_bring_one_about(
    opener: Opener, clock: ManualClock
) -> None:
    """Two do not, one that found nothing does not count, and a second comes no sooner than ten minutes later."""
    async with opener(writer=Telling()) as memory:
        done = []
        for number in range(8):
            await memory.note(f"Boat {number} is blue.", session="s", later=True)
            await hear(memory)
            done.append(await _by_itself(memory))
        clock.advance(minutes=10)
        later = await _by_itself(memory)
        state = await memory.status()

        assert [False, False, True, False, False, False, False, False] == done
        assert later
        assert state.consolidation is not None
        assert (clock.now(), 0, 0, None) == (
            state.consolidation.last_at,
            state.consolidation.extractions,
            state.consolidation.inbox,
            state.consolidation.due_at,
        )


async def test_what_waits_when_all_is_quiet_is_consolidated(opener: Opener, clock: ManualClock) -> None:
    """A memory in the inbox for half an hour, and `status` says so before; with nothing new nothing runs again."""
    async with opener() as memory:
        await memory.learn("The bell hangs in the tower.")
        waits = (await memory.status()).consolidation
        early = await _by_itself(memory)
        clock.advance(minutes=30)
        on_time = await _by_itself(memory)
        clock.advance(hours=5)

        assert waits is not None
        assert (None, 1, clock.now() - 5 * HOUR) == (waits.last_at, waits.inbox, waits.due_at)
        assert (False, True, False) == (early, on_time, await _by_itself(memory))
        assert {"active": 1} == (await memory.status()).statuses


async def test_a_clock_set_back_keeps_nothing_from_being_consolidated(
    opener: Opener, clock: ManualClock
) -> None:
    """However far ahead the last one was."""
    async with opener() as memory:
        await memory.learn("The bell hangs in the tower.")
        await memory.consolidate()
        clock.set(clock.now() - 48 * HOUR)
        await memory.learn("The ferry is late.")
        clock.advance(minutes=30)

        assert await _by_itself(memory)
        assert {"active": 2} == (await memory.status()).statuses


async def test_a_consolidation_is_undone_after_a_later_one_or_refused_whole(opener: Opener) -> None:
    """What the later one rests on is named; taken back in turn, all is as it was."""
    async with opener(embedder=Measured()) as memory:
        for text in ("The ferry leaves at nine.", "The ferry leaves at nine in the morning."):
            await memory.learn(text, session="s")
        first = await memory.consolidate()
        await memory.learn("The ferry leaves at nine in the early morning.", session="s")
        second = await memory.consolidate()
        await memory.undo(second)
        await memory.undo(first)

        assert {"inbox": 3} == (await memory.status()).statuses
        assert [[], [], []] == [await memory.links(seq) for seq in (1, 2, 3)]
        assert second.steps["follows"] == 1


async def test_a_living_engine_consolidates_by_itself(opener: Opener) -> None:
    """After the third extraction, and keeps what became of it as of any automatic work."""
    async with opener(writer=Sentences()) as memory:
        for number in range(3):
            await memory.note(f"We decided to buy boat {number}.", session=f"s{number}", speaker="Ana")
            async with asyncio.timeout(HANGS_AFTER_S):
                while (await memory.status()).waiting:
                    await asyncio.sleep(0.05)
        async with asyncio.timeout(HANGS_AFTER_S):
            while "consolidate" not in (state := await memory.status()).automatic:
                await asyncio.sleep(0.05)

        assert "done" == state.automatic["consolidate"].outcome
        assert "inbox" not in state.statuses


async def test_one_that_nobody_asked_for_leaves_to_another_process_what_that_is_at(opener: Opener) -> None:
    """It does not wait for the lease; who asks does."""
    async with opener() as memory:
        await memory.learn("The bell hangs in the tower.")
        core = memory._core
        now = core.clock.now()
        for name in ("consolidate", consolidation.STEPPING):
            await core.store.bookkeep(core.scope, Bookkeeping(now, lease=(name, "other", now + MINUTE)))
        done = await consolidation.consolidate(core, tries=1)
        state = (await memory.status()).consolidation

        assert (0, (BUSY,)) == (done.activated, done.failed)
        assert state is not None
        assert state.last_at is None


async def test_one_that_is_stopped_before_it_began_stays_due(opener: Opener, clock: ManualClock) -> None:
    """A process that ends at once, such as one command, puts nothing off."""
    async with opener() as memory:
        await memory.learn("The bell hangs in the tower.")
        clock.advance(hours=1)
        due = (await memory.status()).consolidation
        done = await consolidation.consolidate(memory._core, stopped=lambda: True)

        assert 0 == done.activated
        assert due == (await memory.status()).consolidation


async def test_switched_off_the_engine_writes_nothing_by_itself(opener: Opener) -> None:
    """Turns wait unheard and the inbox stays as it is; switched on again nothing was lost."""
    async with opener() as memory:
        await memory.settings.set("engine_actions", 0)
        await memory.note("We decided to buy the boat.", session="s", later=True)
        done = await memory.consolidate()
        waits = (await memory.status()).waiting
        await memory.settings.set("engine_actions", 1)
        again = await memory.consolidate()

        assert (0, 1) == (done.activated, len(waits))
        assert "switched off" in done.waits
        assert again.activated


# What it records


async def test_what_an_extraction_stores_is_recorded_as_an_action(opener: Opener) -> None:
    """With what it was judged by; what is said again updates what is known."""
    async with opener(writer=Telling()) as memory:
        for session in ("one", "two"):
            await memory.note("boats are blue.", session=session, later=True, key=session, speaker=session)
        await hear(memory)
        found = await decisions_of(memory)

    (newest, *_) = found

    assert {"extract"} == {one.verb for one in found}
    assert {"store_note"} == {one.action for one in found}
    assert ("applied", "eligible", 1, 0.9, "candidate", "extraction") == (
        newest.outcome,
        newest.reason,
        newest.count,
        newest.eligibility.confidence,
        newest.eligibility.lifecycle.label,
        newest.eligibility.source,
    )


async def test_a_fact_that_is_less_sure_is_on_trial(opener: Opener) -> None:
    """It is kept until it expires, recorded as deferred, and takes nobody's place."""
    async with opener(writer=(writer := Telling())) as memory:
        await memory.note("the door code is 4711.", session="s", later=True, speaker="Ana")
        await hear(memory)
        writer.confidence = 0.34
        await memory.note("the door code is 1234.", session="s", later=True, speaker="Ana")
        await hear(memory)
        facts = await memory.list(kind="semantic", oldest_first=True)
        deferred = await decisions_of(memory, outcome="deferred")

        assert ["store_note"] == [one.action for one in deferred]
        assert "less sure than 0.35" == deferred[0].reason
        assert [Status.INBOX] * 2 == [one.status for one in facts]
        assert [False, True] == [one.valid_to is not None for one in facts]


async def test_links_that_are_drawn_are_actions_and_what_is_less_sure_draws_none(opener: Opener) -> None:
    """The pair is counted for the newer one; a memory below 0.35 is deferred and becomes active all the same."""
    async with opener(embedder=Measured()) as memory:
        await memory.learn("The ferry to Ruhnu leaves at nine in the morning.", confidence=0.9)
        await memory.consolidate()
        await memory.learn("The ferry to Ruhnu leaves early in the morning at nine.", confidence=0.8)
        await memory.consolidate()
        await memory.learn("The ferry to Ruhnu leaves at nine in the late morning.", confidence=0.2)
        await memory.consolidate()
        links = await memory.links(3)
        found = await decisions_of(memory, decision="link_graph")

        assert [] == links
        assert {"active": 3} == (await memory.status()).statuses
        assert [("deferred", 1), ("applied", 1)] == [(one.outcome, one.count) for one in found]
        assert "consolidation" == found[0].eligibility.source


async def test_decisions_are_listed_by_name(memory: remanence.Engine) -> None:
    """A name that is none is refused with those there are."""
    with pytest.raises(NameUnknown, match="link_graphs"):
        await decisions_of(memory, decision="link_graphs")

    assert [] == await decisions_of(memory, outcome="failed")
    assert [] == await memory.history(outcome="failed")


async def test_history_shows_what_the_engine_decided_by_itself(opener: Opener) -> None:
    """Of the runs in which it did, a line each decision; others are left out, and one run takes nothing beside it."""
    async with opener(embedder=Measured()) as memory:
        await memory.learn("The ferry to Ruhnu leaves at nine in the morning.")
        await memory.learn("The ferry to Ruhnu leaves early in the morning at nine.")
        await memory.consolidate()
        (event,) = await memory.history(decision="any")
        (plain,) = await memory.history(verb=event.verb)
        report = await memory.history(run=event)

        assert {"link_graph"} == {one.action for one in event.decisions}
        assert f"  {event.decisions[0]}" == str(event).splitlines()[-1]
        assert () == plain.decisions
        assert event.run == report.run
        with pytest.raises(remanence.InvalidInput, match="one run is shown whole"):
            await memory.history(run=event, verb="learn")  # type: ignore[call-overload] # what is refused


# Notes


@pytest.mark.parametrize(
    ("kind", "trust", "confirmed"),
    [("semantic", "user", 1), ("episodic", "user", 0), ("semantic", "tool", 0)],
)
async def test_a_note_that_is_said_again_confirms_the_older_one(
    opener: Opener, kind: str, trust: str, confirmed: int
) -> None:
    """So it no longer expires; an episode stays as it was, and nobody is confirmed by who is believed less."""
    texts = (
        "The ferry to Ruhnu leaves at nine in the morning",
        "In the morning the ferry to Ruhnu leaves at nine",
    )
    async with opener(embedder=Measured()) as memory:
        old = await memory.learn(texts[0], kind=kind)  # type: ignore[call-overload]
        await memory.consolidate()
        await memory.learn(texts[1], kind=kind, trust=trust)  # type: ignore[call-overload]
        done = await memory.consolidate()
        was = await memory.get(old)
        await memory.undo(done)
        back = await memory.get(old)

        assert 1 == done.near_duplicates
        assert (confirmed, texts[0]) == (was.confirmations, was.text)
        assert 0 == back.confirmations


# Reflections


async def _reflected(memory: remanence.Engine, count: int, chars: int = 200) -> None:
    words = "harbour tide lantern keel mooring gull rope anchor beacon ferry".split()
    turns = [
        Turn(
            f"In week {number} the {words[number % 10]} taught me patience {number}. ".ljust(chars, "é"),
            category="reflection",
            tags=("self/value",),
            agent="keeper",
        )
        for number in range(count)
    ]
    await memory.learn(turns)


async def test_reflections_above_eight_kilobytes_are_drawn_together(opener: Opener) -> None:
    """In bytes of UTF-8, not characters: the best become one text, each stays with the state `consolidated`."""
    async with opener() as memory:
        await _reflected(memory, 20)
        few = await memory.consolidate()
        await _reflected(memory, 26)
        done = await memory.consolidate()
        reflections = await memory.list(category="reflection")
        (drawn,) = await memory.list(category="synthesis")
        links = await memory.links(drawn)
        again = await memory.consolidate()
        (action,) = await decisions_of(memory, decision="summarize_node")
        for run in done.runs[::-1]:  # what was consolidated since stands in nobody's way
            await memory.undo(run)
        left = await memory.list(category="synthesis")
        raw = {one.state for one in await memory.list(category="reflection")}

        assert {} == few.steps
        assert {"reflections": 26} == done.steps
        assert ({"consolidated"}, 26) == ({one.state for one in reflections}, len(reflections))
        assert all(one.state_at is not None for one in reflections)
        assert len(drawn.text.encode()) <= 2_048 < BYTES_MAX
        assert ("keeper", ("learned-patterns",)) == (drawn.agent, drawn.tags)
        assert {Relation.LEARNED_FROM} == {link.relation for link in links}
        assert len(drawn.text.splitlines()) == len(links)
        assert {} == again.steps
        assert ("applied", "the best by rules") == (action.outcome, action.reason)
        assert ([], {"raw"}) == (left, raw)


@pytest.mark.parametrize(
    ("shorter", "reason"),
    [
        ("The harbour taught me patience.", "in a writer's words"),
        ("Berlin taught me patience.", "the best by rules: the writer added something"),
        ("", "the best by rules: the writer failed"),
    ],
)
async def test_a_writer_may_say_it_in_fewer_words_and_add_nothing(
    opener: Opener, shorter: str, reason: str
) -> None:
    """What fails or adds a name leaves the text of the rules, and what was asked is counted."""
    async with opener(writer=Telling(shorter=shorter)) as memory:
        await _reflected(memory, 26)
        await memory.consolidate()
        (drawn,) = await memory.list(category="synthesis")
        (action,) = await decisions_of(memory, decision="summarize_node")

        assert reason == action.reason
        assert (shorter == drawn.text) == (reason == "in a writer's words")
        assert (await memory.status()).spent["calls"] >= 1


async def test_summaries_that_may_take_no_tokens_are_deferred(opener: Opener) -> None:
    """The reflections stay as they are, and the result says why."""
    async with opener() as memory:
        await memory.settings.set("summary_tokens", 0)
        await _reflected(memory, 26)
        done = await memory.consolidate()

        assert ({}, ("reflections: summaries may take no tokens",)) == (done.steps, done.failed)
        assert [] == await memory.list(category="synthesis")
