"""What the engine does by itself is an action in the record, also at the doors where texts are handed over."""

from collections.abc import Sequence

import remanence
from remanence.llm.base import Judgement
from remanence.read.extraction import FACTS_MAX, ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.flows.conftest import Opener, hear


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
        for one in await memory.actions()
        if one.action == action
    ]


async def test_a_text_that_may_outdate_an_older_one_is_an_action_of_learn(memory: remanence.Engine) -> None:
    """With how sure and how important the text is, by hand; a text that is newer than none is no action."""
    await memory.learn("The office is in Graz.", speaker="Ana")
    assert [] == await memory.actions()

    await memory.learn("The office is in Linz now.", speaker="Ana", confidence=0.9)
    (action,) = await memory.actions()

    assert ("learn", "link_graph", "applied") == (action.verb, action.action, action.outcome)
    assert ("newer than an older one", 1) == (action.reason, action.count)
    assert (0.9, "manual") == (action.eligibility.confidence, action.eligibility.source)


async def test_a_text_at_odds_with_what_somebody_else_said_is_a_link(memory: remanence.Engine) -> None:
    """Both stand."""
    await memory.learn("The office is in Graz.", speaker="Ana")
    await memory.learn("The office is in Linz now.", speaker="Ben")

    assert [("learn", "applied", "contradicts an older one", 1)] == await recorded(memory, "link_graph")


async def test_what_rules_link_as_put_is_recorded(memory: remanence.Engine) -> None:
    """Put of a name that is new; what the caller corrects is the caller's own doing."""
    await memory.learn("The office is in Graz.", speaker="Ana")
    await memory.put("office", "The office is in Linz now.", speaker="Ana", source="mail")

    assert [("put", "applied", "newer than an older one", 1)] == await recorded(memory, "link_graph")

    other = await memory.learn("The van is in repair.", speaker="Ana")
    await memory.correct(other, "The van is ready.")

    assert 1 == len(await memory.actions())


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


async def test_names_that_are_joined_by_what_is_said_are_an_action(memory: remanence.Engine) -> None:
    """In the run that joins them."""
    await memory.note("Liz Carver, also known as Elizabeth Carver, lives in York.", session="s", later=True)
    await hear(memory)

    assert [("entities.merge", "applied", "two names of one, by a statement", 1)] == await recorded(
        memory, "update_note"
    )
