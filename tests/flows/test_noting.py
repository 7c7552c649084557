"""Turns are noted at once and listened to later: nothing is lost, nothing is extracted twice, nothing stands twice."""

import asyncio
import gc
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, WriterError
from remanence.core.model import Kind, Lifecycle, Relation, Role, Trust, Verification
from remanence.faces import cli
from remanence.faces.cli import THREADS
from remanence.llm.base import Judgement
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.command_line import typed
from tests.flows.conftest import Opener, hear
from tests.models import ANY_MODEL, model_server, variables
from tests.sentences import Sentences

SAID = "We decided to move to Postgres in May. My sister Mia lives in Tartu."
DECIDED = "We decided to move to Postgres in May."
WAIT_S = 60


@pytest.fixture
def memory(telling: remanence.Engine) -> remanence.Engine:
    """An engine whose writer finds what stands in a turn."""
    return telling


async def _facts(memory: remanence.Engine) -> list[remanence.Memory]:
    """Return what was extracted, oldest first."""
    found = await memory.list(status="any", oldest_first=True)
    return [one for one in found if "turn" not in one.tags]


async def until(happened: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what another task is about to do."""
    async with asyncio.timeout(WAIT_S):
        while not await happened():
            await asyncio.sleep(0.02)


async def test_a_turn_is_stored_at_once_and_noted_twice_it_is_stored_once(memory: remanence.Engine) -> None:
    """The key of the host names the turn."""
    first = await memory.note(SAID, speaker="Ana", session="s", key="t1", later=True)
    again = await memory.note(SAID, speaker="Ana", session="s", key="t1", later=True)
    (turn,) = await memory.list()

    assert (first.status, again.status, first.seq) == ("stored", "known", again.seq)
    assert first.signal == "high"
    assert (turn.kind, turn.session, turn.key) == (Kind.EPISODIC, "s", "t1")


@pytest.mark.parametrize("said", ["hi there!", "vielen Dank", "うーん", "hahaha", "======", "asdf asdf"])
async def test_small_talk_is_noted_by_nobody(memory: remanence.Engine, said: str) -> None:
    """It is refused with the reason, counted and not stored; `learn` takes it, and a short truth is noted."""
    gated = await memory.note(said)
    truth = await memory.note("I'm vegan")
    learned = await memory.learn(said)

    assert ("gated", "", 0, None) == (gated.status, gated.id, gated.seq, gated.run)
    assert "nothing to keep" in str(gated)
    assert ["stored", "stored"] == [truth.status, learned.status]
    assert {"junk": 1} == (await memory.status()).gate


async def test_an_empty_turn_is_an_error_and_no_small_talk(memory: remanence.Engine) -> None:
    """What is no text is refused as by any other door."""
    with pytest.raises(InvalidInput):
        await memory.note("")


async def test_facts_name_their_turn_and_its_words(memory: remanence.Engine) -> None:
    """A fact is unverified knowledge, said by whoever said the turn, and believed no more than it."""
    noted = await memory.note(SAID, speaker="Ana", session="s", later=True)
    done = await hear(memory)
    facts = await _facts(memory)
    decided = next(one for one in facts if one.text == DECIDED)
    (link,) = [one for one in await memory.links(decided) if one.relation is Relation.LEARNED_FROM]

    assert (done.turns, done.stored, len(facts)) == (1, 2, 2)
    assert (link.source, link.target) == (decided.seq, noted.seq)
    assert (noted.id,) == decided.sources
    assert (decided.kind, decided.speaker, decided.session) == (Kind.SEMANTIC, "Ana", "s")
    assert (decided.lifecycle, decided.verification) == (Lifecycle.CANDIDATE, Verification.UNVERIFIED)
    assert decided.trust is Trust.USER


async def test_nothing_is_listened_to_twice(opener: Opener) -> None:
    """The cursor moves with the facts, also for another engine."""
    async with opener() as memory:
        await memory.note(SAID, session="s", later=True)
        first = await hear(memory)
        again = await hear(memory)
    async with opener() as memory:
        third = await hear(memory)

        assert (1, 0, 0) == (first.turns, again.turns, third.turns)
        assert len(await _facts(memory)) == first.stored


async def test_a_turn_that_is_one_fact_stays_one_memory(memory: remanence.Engine) -> None:
    """What says nothing else gets the category of the fact, and no copy."""
    await memory.note(DECIDED, session="s", later=True)
    done = await hear(memory)
    (turn,) = await memory.list()

    assert done.stored == 1
    assert turn.kind is Kind.SEMANTIC
    assert "decision" in {turn.category, *turn.tags}


async def test_a_fact_and_its_turn_take_one_place(memory: remanence.Engine) -> None:
    """The better ranked is shown and names the other; others move up."""
    noted = await memory.note(SAID, speaker="Ana", session="s", later=True)
    await hear(memory)
    for number in range(4):
        await memory.learn(f"Postgres was mentioned on day {number}.")
    answers = [
        await memory.recall("When do we move to Postgres?", limit=3),
        await memory.recall("When do we move to Postgres?", budget=400),
        await memory.frame("attention", "When do we move to Postgres?"),
        await memory.frame("boot"),
    ]
    facts = {one.seq for one in await _facts(memory) if noted.id in one.sources}

    for answer in answers:
        shown = {hit.seq for hit in answer}
        assert not (noted.seq in shown and facts & shown)
        assert any(hit.also for hit in answer)
    assert len(answers[0]) == 3


@pytest.mark.parametrize("way", ["forget", "correct"])
async def test_a_fact_that_was_forgotten_or_corrected_is_not_extracted_again(
    memory: remanence.Engine, clock: ManualClock, way: str
) -> None:
    """A turn that was said before does not bring it back; whoever says it anew does."""
    await memory.note(SAID, speaker="Ana", session="s", later=True)
    await hear(memory)
    fact = next(one for one in await _facts(memory) if one.text == DECIDED)
    clock.advance(minutes=1)
    waiting = await memory.note(f"{DECIDED} It was late.", speaker="Ana", session="t", later=True)
    clock.advance(minutes=1)
    if way == "forget":
        await memory.forget(fact)
    else:
        await memory.correct(fact, "We decided to move to Oracle in May.")
    clock.advance(minutes=1)
    done = await hear(memory)
    standing = {one.text for one in await memory.list()}
    clock.advance(minutes=1)
    await memory.note(f"{DECIDED} Once more.", speaker="Ana", session="u", later=True)
    await hear(memory)

    assert waiting.status == "stored"
    assert done.left_out["forgotten or replaced since"] == 1
    assert DECIDED not in standing
    assert DECIDED in {one.text for one in await memory.list()}


async def test_a_user_who_says_it_again_confirms_a_fact(memory: remanence.Engine) -> None:
    """The fact gets the second turn as a source, and counts as confirmed by a user."""
    await memory.note(SAID, speaker="Ana", session="s", later=True)
    await hear(memory)
    await memory.note(f"{DECIDED} Yes, really.", speaker="Ana", session="t", later=True)
    done = await hear(memory)
    fact = next(one for one in await _facts(memory) if one.text == DECIDED)

    assert done.confirmed == 1
    assert (fact.confirmations, len(fact.sources)) == (1, 2)
    assert fact.verification is Verification.USER_CONFIRMED


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.TOOL])
async def test_an_echo_is_kept_and_counts_for_nothing(
    memory: remanence.Engine, clock: ManualClock, role: Role
) -> None:
    """What an assistant says again of what it was shown draws no fact and confirms none."""
    known = await memory.learn("The supply boat to Kihnu comes at noon on Fridays.")
    await memory.recall("When does the supply boat come?")
    clock.advance(minutes=1)
    said = await memory.note(
        "The supply boat to Kihnu comes at noon on Fridays. Anything else?",
        role=role,
        speaker="Bot",
        later=True,
    )
    done = await hear(memory)
    same = await memory.note("The supply boat to Kihnu comes at noon on Fridays.", role=role, later=True)
    memories = await memory.list()

    assert [known.seq, said.seq] == sorted(one.seq for one in memories)
    assert (done.stored, done.confirmed) == (0, 0)
    assert same.status == "known"
    assert all(one.confirmations == 0 for one in memories)


async def test_a_session_is_due_by_number_by_signal_and_by_the_age_of_its_oldest_turn(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Five turns, a high signal, or a quarter of an hour."""
    start = clock.now()
    await memory.note("Mia came by.", session="old", later=True)
    clock.advance(minutes=5)
    await memory.note("We decided to stay.", session="high", later=True)
    for number in range(5):
        await memory.note(f"Then {number} boats came.", session="many", later=True)
    waiting = {one.session: one for one in (await memory.status()).waiting}

    assert {"old": 1, "high": 1, "many": 5} == {name: one.turns for name, one in waiting.items()}
    assert waiting["old"].due_at == start + 15 * 60 * 1_000_000
    assert [clock.now()] * 2 == [waiting["high"].due_at, waiting["many"].due_at]


async def test_settings_say_what_makes_a_session_due(memory: remanence.Engine, clock: ManualClock) -> None:
    """By number alone, or by time alone."""
    await memory.note("Mia came by.", session="s", later=True)
    await memory.settings.set("note_minutes", 0)
    (by_number,) = (await memory.status()).waiting
    await memory.settings.set("note_turns", 1)
    (now,) = (await memory.status()).waiting

    assert (by_number.due_at, now.due_at) == (None, clock.now())


async def test_a_clock_set_back_delays_nothing(memory: remanence.Engine, clock: ManualClock) -> None:
    """A turn that seems to be of later than now is due."""
    clock.advance(hours=3)
    await memory.note("Mia came by.", session="s", later=True)
    clock.advance(hours=-2)
    (waiting,) = (await memory.status()).waiting

    assert waiting.due_at == clock.now()


async def test_a_living_engine_listens_when_a_turn_makes_it_due(memory: remanence.Engine) -> None:
    """A high signal does not wait for a batch."""
    await memory.note(SAID, session="s")

    async def heard() -> bool:
        return len(await _facts(memory)) == 2

    await until(heard)
    assert () == (await memory.status()).waiting


@pytest.mark.parametrize("end", ["close", "end_session", "consolidate"])
async def test_what_is_left_is_listened_to_at_the_end(opener: Opener, end: str) -> None:
    """Closing, ending a session and consolidating extract what waits."""
    async with opener(writer=Sentences()) as memory:
        session = await memory.begin_session()
        await memory.note("My sister Mia lives in Tartu. She came by.", later=end != "close")
        if end == "end_session":
            await memory.end_session(session)
        if end == "consolidate":
            await memory.consolidate()
        if end != "close":
            assert len(await _facts(memory)) > 0
    async with opener() as memory:
        assert len(await _facts(memory)) > 0
        assert () == (await memory.status()).waiting


async def test_an_extraction_is_undone_and_stays_undone(memory: remanence.Engine) -> None:
    """The turn stays, the facts go, and it is not listened to again."""
    await memory.note(SAID, session="s", later=True)
    done = await hear(memory)
    await memory.undo(done.runs[0])
    again = await hear(memory)

    assert again.turns == 0
    assert [SAID] == [one.text for one in await memory.list()]


class _Writer:
    """A writer that fails as often as it is told to, then finds one fact in each turn."""

    name = "test"

    def __init__(self, failures: int = 0) -> None:
        self.failures, self.asked = failures, 0

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        return Judgement(0.5)

    async def extract(self, turns: list[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Find one fact a turn."""
        self.asked += 1
        if self.asked <= self.failures:
            raise WriterError("no answer", recovery="try again")
        return ExtractResult(
            tuple(Fact("fact", f"It is said: {turn.text}", turn.id, (0, 3)) for turn in turns)
        )


async def test_a_writer_that_fails_is_asked_later_and_nothing_is_lost(
    opener: Opener, clock: ManualClock
) -> None:
    """The failure is kept for every process, and the turns wait."""
    async with opener(writer=_Writer(failures=1)) as memory:
        await memory.note(DECIDED, session="s", later=True)
        done = await hear(memory)
    async with opener(writer=(writer := _Writer())) as memory:
        (waiting,) = (await memory.status()).waiting
        later = await hear(memory)

        assert ("no answer" in done.failed[0], done.turns) == (True, 0)
        assert (waiting.failures, waiting.turns) == (1, 1)
        assert waiting.due_at == clock.now() + 60 * 1_000_000
        assert (later.stored, writer.asked) == (1, 1)


async def test_hundreds_of_turns_in_one_buffer_are_listened_to(opener: Opener) -> None:
    """Batch by batch, and none is passed over."""
    async with opener(embedder="none") as memory:
        await memory.learn(
            remanence.Turn(
                f"The number of boat {number} is {number}.", kind="episodic", tags=("turn",), session="s"
            )
            for number in range(300)
        )
        (waiting,) = (await memory.status()).waiting
        done = await hear(memory)

        assert (waiting.turns, done.turns) == (300, 300)
        assert () == (await memory.status()).waiting


@pytest.mark.parametrize("text", ["a\0b", "x" * 10_000_000, " "])
async def test_what_cannot_be_kept_is_one_clear_error(memory: remanence.Engine, text: str) -> None:
    """Nothing is stored, and nothing waits."""
    with pytest.raises(InvalidInput) as refused:
        await memory.note(text)

    assert refused.value.recovery
    assert [] == await memory.list(status="any")


async def test_a_turn_is_an_episode(memory: remanence.Engine) -> None:
    """Knowledge is learned, not noted."""
    with pytest.raises(InvalidInput, match="kind"):
        await memory.note("It rains.", kind="semantic")


def test_the_command_takes_a_hooks_json_and_leaves_the_rest_to_others(tmp_path: Path) -> None:
    """It commits and returns; status says what waits, and consolidate extracts it."""
    hook = json.dumps({"session_id": "s9", "prompt": SAID, "hook_event_name": "UserPromptSubmit"})
    for given in (hook, hook):
        noted = typed(
            "note", "-", "--embedder", "hashed", text=given, env={"REMANENCE_DB": str(tmp_path / "m.db")}
        )
        assert (noted.exit_code, "#1" in noted.stdout) == (0, True)
    status = typed("status", "--db", str(tmp_path / "m.db"), "--embedder", "hashed")
    heard = typed("consolidate", "--db", str(tmp_path / "m.db"), "--embedder", "hashed")

    assert "1 turn waits of session s9" in status.output
    assert "1 turn heard" in heard.output


def test_a_command_for_one_text_starts_no_threads_for_matrices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless whoever runs it says how many; other commands have them."""
    told = []
    for command in ("note", "learn", "list"):
        monkeypatch.setenv(THREADS, "")
        monkeypatch.delenv(THREADS)
        cli.run([command, *[SAID][: command != "list"], "--db", str(tmp_path / "m.db")])
        told.append(os.environ.get(THREADS))
    monkeypatch.setenv(THREADS, "2")
    cli.run(["note", DECIDED, "--db", str(tmp_path / "m.db")])

    assert (["1", "1", None], "2") == (told, os.environ[THREADS])


def test_garbage_is_looked_for_from_when_a_memory_is_open(tmp_path: Path) -> None:
    """While a command begins there is none."""
    gc.disable()
    cli.run(["learn", SAID, "--db", str(tmp_path / "m.db")])
    frozen = gc.get_freeze_count()
    gc.unfreeze()

    assert (True, True) == (gc.isenabled(), frozen > 0)


async def test_a_chat_shows_what_it_recalls_and_what_became_known(tmp_path: Path) -> None:
    """Each line is noted, and the end of input ends the session."""
    with model_server() as address:
        words = ("chat", "--db", str(tmp_path / "m.db"), "--embedder", "hashed", "--speaker", "Ana")
        done = typed(
            *words,
            *("--writer", f"openai:{ANY_MODEL}"),
            text=f"{SAID}\nWhere does Mia live?\n",
            env=variables(address),
        )
    told = done.stdout

    assert done.exit_code == 0
    assert "known now: #" in told
    assert "Tartu" in told.split("known now")[-1]
    async with remanence.open(tmp_path / "m.db", embedder="hashed") as memory:
        assert () == (await memory.status()).sessions


async def test_a_store_that_fails_is_looked_at_again(
    opener: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    """What listens in the background says that it cannot, and goes on once it can."""
    async with opener(writer=Sentences()) as memory:
        await memory._core.store.close()
        assert memory._core.listener is not None
        memory._core.listener.notify_turn("s", high=True)

        async def said() -> bool:
            return "what was noted is not listened to" in caplog.text

        await until(said)
        await memory._core.store.open()
        await memory.note(SAID, speaker="Ana", session="s")

        async def heard() -> bool:
            return len(await _facts(memory)) == 2

        await until(heard)


async def test_a_lesson_and_what_it_was_learned_from_take_two_places(memory: remanence.Engine) -> None:
    """Only what was extracted from a turn says the same again."""
    lesson = await memory.learn("Check the tide table before a trip to the islands.")
    trip = await memory.learn("On the trip to the islands we missed the tide.")
    await memory.link(lesson.id, trip.id, "learned_from")
    answer = await memory.recall("trip to the islands")

    assert {lesson.id, trip.id} == {hit.id for hit in answer.memories}
