"""Guidelines are drawn up by each consolidation, and shown to a writer only as far as a person activates them."""

from collections.abc import Sequence

import pytest

import remanence
from remanence.core.errors import InvalidInput, NotFound
from remanence.flows.consolidate import guidelines
from remanence.llm.base import Judgement
from remanence.llm.questions import build_extract_question
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact
from remanence.types import Guideline, GuidelineDraft, Guidelines
from tests.flows.conftest import Opener, hear


@pytest.fixture
def memory(telling: remanence.Engine) -> remanence.Engine:
    """An engine whose writer finds what stands in a turn."""
    return telling


class Reading:
    """A writer that keeps what it is shown, and finds one fact a turn."""

    name = "reading"

    def __init__(self) -> None:
        self.identities: list[str] = []
        self.wanted: list[ExtractRequest] = []

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Keep who the agent is."""
        self.identities.append(identity)
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Keep what is wanted."""
        self.wanted.append(wanted)
        return ExtractResult(
            tuple(Fact("moment", f"It was said yesterday: {turn.text}", turn.id, (0, 1)) for turn in turns)
        )


async def _heard(memory: remanence.Engine, *said: str) -> None:
    for text in said:
        await memory.note(text, session="s", later=True)
    await hear(memory)


async def _of_episodes(memory: remanence.Engine) -> Guideline:
    return next(one for one in (await _draft(memory)).guidelines if one.action == "store_episode")


async def _draft(memory: remanence.Engine) -> GuidelineDraft:
    draft = (await memory.guidelines()).draft
    assert draft is not None
    return draft


async def test_a_consolidation_draws_up_what_the_record_teaches(opener: Opener) -> None:
    """From all that was recorded since, and no more once nothing was."""
    async with opener(writer=Reading()) as memory:
        assert Guidelines() == await memory.guidelines()
        await _heard(memory, *[f"Boat {number} is blue." for number in range(6)])
        await memory.consolidate()
        draft = await _draft(memory)
        await memory.consolidate()
        again = await _draft(memory)
        await _heard(memory, "The ferry is late.")
        await memory.consolidate()
        more = await _draft(memory)

        (notes, *_) = draft.guidelines

        assert ("store_episode", 6, 0.12, "high") == (notes.action, notes.total, notes.delta, notes.sure)
        assert draft == again
        assert 7 == more.guidelines[0].total


async def test_what_became_of_what_was_extracted_moves_its_quality(opener: Opener) -> None:
    """Used and confirmed it rises, denied and forgotten it falls, with no new action; the draft is then another one."""
    async with opener(writer=Reading()) as memory:
        await _heard(memory, *[f"Boat {number} is blue." for number in range(6)])
        await memory.consolidate()
        facts = [one.seq for one in await memory.list() if one.text.startswith("It was said")][:4]
        learned = [await _of_episodes(memory)]
        for verdict in ("right", "wrong", "wrong", None):
            await (memory.forget(facts) if verdict is None else memory.rate(facts, verdict))
            await memory.consolidate()
            learned.append(await _of_episodes(memory))

        assert [(0, 0), (4, 0), (4, 0), (0, 4), (0, 4)] == [(one.good, one.poor) for one in learned]
        assert [0.0, 0.444, 0.444, -0.444, -0.444] == [one.quality for one in learned]
        assert [0.12, 0.15, 0.15, 0.06, 0.06] == [one.delta for one in learned]
        assert [6] * 5 == [one.total for one in learned]


async def test_a_recall_tells_that_an_extraction_was_worth_it(opener: Opener) -> None:
    """A use that is counted is evidence like any."""
    async with opener(writer=Reading()) as memory:
        await _heard(memory, *[f"Boat {number} is blue." for number in range(6)])
        await memory.consolidate()
        await memory.recall("boat 3 is said to be blue")
        await memory.consolidate()
        (first, *_) = (await _draft(memory)).guidelines

        assert first.good > 0 == first.poor
        assert f"of what it made {first.good} did well, 0 badly" in str(first)


async def test_an_extraction_that_was_taken_back_did_badly(opener: Opener) -> None:
    """Though its facts are there no more; the action whose results are used stands above it."""
    async with opener(writer=Reading()) as memory:
        await _heard(memory, *[f"Boat {number} is blue." for number in range(6)])
        run = next(event.run for event in await memory.history() if event.verb == "extract")
        await memory.consolidate()
        before = (await _draft(memory)).guidelines
        await memory.undo(run)
        await memory.consolidate()
        after = (await _draft(memory)).guidelines

        assert "store_episode" == before[0].action != after[0].action
        assert (6, "store_episode") == (after[-1].poor, after[-1].action)


async def test_a_writer_is_shown_what_was_activated_and_the_audit_says_so(opener: Opener) -> None:
    """As data, to an extractor and beside who the agent is; the hash of what was wanted is another one."""
    async with opener(writer=(writer := Reading())) as memory:
        await _heard(memory, *[f"Boat {number} is blue." for number in range(6)])
        await memory.consolidate()
        line = str((await _draft(memory)).guidelines[0])
        active = await memory.guidelines(1, "Leave the weather alone.")
        await _heard(memory, "The ferry is late.")
        await memory.consolidate()
        hashes = {event.detail["wanted"] for event in await memory.history(verb="extract")}
        judged = [event.detail.get("guidelines") for event in await memory.history(verb="consolidate")]
        none = await memory.guidelines(off=True)

        assert (line, "Leave the weather alone.") == active.active == writer.wanted[-1].guidelines
        assert () == none.active == writer.wanted[0].guidelines
        assert "Leave the weather alone." in writer.identities[-1]
        assert "guideline" not in writer.identities[0]
        assert 2 == len(hashes)
        assert judged[0] is None
        assert judged[-1] is not None
        shown = build_extract_question([ExtractTurn("t", "The ferry is late.")], writer.wanted[-1]).shown
        assert '{"guideline": "Leave the weather alone."}' in shown


@pytest.mark.parametrize("chosen", [(1,), ("a" * 201,), tuple("abcdef")])
async def test_at_most_five_short_lines_are_activated(
    memory: remanence.Engine, chosen: tuple[int | str, ...]
) -> None:
    """And no number of a draft that is not there."""
    with pytest.raises((InvalidInput, NotFound)):
        await memory.guidelines(*chosen)
    with pytest.raises(InvalidInput, match="none is to be active"):
        await memory.guidelines("Leave the weather alone.", off=True)

    assert () == (await memory.guidelines()).active


async def test_what_fails_in_learning_them_stops_nothing_and_is_told(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a bug: the inbox is active, and the result says what went wrong."""

    async def fails(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(guidelines, "latest", fails)
    monkeypatch.setattr(guidelines, "iterate_engine_actions", lambda *_: 1 // 0)
    await memory.learn("The bell hangs in the tower.")
    done = await memory.consolidate()

    assert 1 == done.activated
    assert [True] == [why.startswith("guidelines: ZeroDivisionError") for why in done.failed]
