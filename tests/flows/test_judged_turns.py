"""A writer that extracts judges what it found, and no turn; one that only judges judges every turn."""

from collections.abc import Mapping

import pytest

import remanence
from remanence.core.model import Turn
from remanence.llm.base import Judgement
from tests.flows.conftest import Opener
from tests.flows.test_understood_turns import Telling

COVERED, FREE = "My boat is in Tarrow.", "The boat of Ana lies at Tarrow, well moored."
SMALL_TALK = "Did you see the match?"


class Asked(Telling):
    """A writer that also keeps what it is asked about."""

    def __init__(self, facts: Mapping[str, str]) -> None:
        super().__init__(facts)
        self.judged: list[str] = []

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Keep the text."""
        self.judged.append(text.rsplit("] ", maxsplit=1)[-1])
        return await super().judge(text, identity, others)


class Judging:
    """A writer that only judges."""

    name = "judging"

    def __init__(self) -> None:
        self.judged: list[str] = []

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Keep the text."""
        del identity, others
        self.judged.append(text)
        return Judgement(0.5)


@pytest.mark.parametrize(
    ("text", "fact", "asked"),
    [
        (f"Hello! {COVERED}", "Ana's boat is in Tarrow.", ["Ana's boat is in Tarrow."]),
        (f"Hello! {COVERED}", FREE, [FREE]),
        (COVERED, COVERED, [COVERED]),
        (SMALL_TALK, None, []),
    ],
)
async def test_facts_are_judged_and_their_turn_is_not(
    opener: Opener, text: str, fact: str | None, asked: list[str]
) -> None:
    """Neither where a fact is the writer's own word nor where it found none; each turn becomes active all the same."""
    writer = Asked({} if fact is None else {text: fact})
    async with opener(writer=writer) as memory:
        await memory.note(Turn(text, speaker="Ana", role="user"), session="s", later=True)
        await memory.end_session()
        await memory.consolidate()
        active = [one.status.label for one in await memory.list() if one.text == text]

    assert asked == writer.judged
    assert ["active"] == active


async def test_what_is_learned_is_always_judged(opener: Opener) -> None:
    """It is no turn; and a writer that extracts nothing is asked about every turn."""
    extracting, judging = Asked({}), Judging()
    async with opener(writer=extracting) as memory:
        await memory.learn(SMALL_TALK, speaker="Ana")
        await memory.consolidate()
    async with opener(writer=judging) as memory:
        await memory.note("Whose boat is that at the pier?", speaker="Ana", session="s")
        await memory.end_session()
        await memory.consolidate()

    assert [SMALL_TALK] == extracting.judged
    assert ["Whose boat is that at the pier?"] == judging.judged


def test_both_are_writers() -> None:
    """Of which one extracts."""
    assert isinstance(Asked({}), remanence.types.Extractor)
    assert not isinstance(Judging(), remanence.types.Extractor)
