"""What the engine does by itself is an action in the record."""

from collections.abc import Sequence

import remanence
from remanence.llm.base import Judgement
from remanence.read.extraction import FACTS_MAX, ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.flows.conftest import Opener, decisions_of, hear


class Finding:
    """A writer that finds some texts in whatever it is shown."""

    name = "finding"

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Give each text as a fact of the first turn."""
        return ExtractResult(tuple(Fact("fact", text, turns[0].id, (0, 1), 0.9) for text in self.texts))


async def recorded(memory: remanence.Engine, action: str) -> list[tuple[str, str, str, int]]:
    """Return what was recorded of an action: verb, outcome, reason and how often."""
    return [
        (one.verb, one.outcome, one.reason, one.count)
        for one in await decisions_of(memory)
        if one.action == action
    ]


async def test_a_sealed_box_and_a_trace_that_begins_are_artifacts(opener: Opener) -> None:
    """By why the box is sealed."""
    async with opener() as memory:
        session = await memory.begin_session()
        for text in ("The sail of the boat is torn.", "We mend the sail of the boat today."):
            await memory.note(text, session=session, later=True)
        await hear(memory)
        assert [] == await recorded(memory, "create_artifact")

        await memory.end_session()

        assert [
            ("box", "applied", "a box is sealed: forced", 1),
            ("box", "applied", "a trace begins", 1),
        ] == await recorded(memory, "create_artifact")


async def test_facts_beyond_what_a_batch_holds_are_discarded(opener: Opener) -> None:
    """They were the least sure."""
    async with opener(writer=Finding(*(f"Boat {k} is blue." for k in range(FACTS_MAX + 3)))) as memory:
        await memory.note("Well, so it goes with boats.", session="s", later=True)
        await hear(memory)

        assert [("extract", "applied", "beyond what a batch holds, the least sure", 3)] == await recorded(
            memory, "discard"
        )


async def test_an_echo_of_what_was_shown_is_discarded(opener: Opener) -> None:
    """It is the engine's own text, which an assistant said again."""
    async with opener(writer=Finding("The boat to Kihnu comes at noon.")) as memory:
        await memory.learn("The boat to Kihnu comes at noon.")
        await memory.recall("When does the boat come?")
        turn = "As I said: the boat to Kihnu comes at noon. Anything else?"
        await memory.note(turn, session="s", role="assistant", speaker="Bot", later=True)
        await hear(memory)

        assert [("applied", "an echo", 1)] == [one[1:] for one in await recorded(memory, "discard")]
        assert 2 == len(await memory.list())
