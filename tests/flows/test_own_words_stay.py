"""What a person wrote stays in every view while a model only proposes that something newer takes its place."""

from collections.abc import Mapping
from dataclasses import replace

from remanence.llm.base import Judgement
from tests.flows.conftest import Opener
from tests.sentences import Sentences

TEA, COFFEE = "I prefer tea in the morning.", "I prefer coffee in the morning."


class Replacing(Sentences):
    """Says of each text that it replaces all that it is shown beside it."""

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Replace all."""
        return replace(await super().judge(text, identity, others), replaces=dict.fromkeys(others, 0.9))


async def test_a_proposal_takes_no_words_of_a_person_out_of_a_view(opener: Opener) -> None:
    """Profile and start context show both; once a person has settled it they show what took the place."""
    async with opener(writer=Replacing()) as memory:
        own = await memory.learn(TEA, speaker="Mia", category="preference")
        await memory.consolidate()
        await memory.note(f"{COFFEE} So.", speaker="Mia", session="s", later=True)
        await memory.consolidate()
        waits = (await memory.review.list()).items
        before = [(await memory.frame("profile")).text, (await memory.frame("boot")).text]
        (new,) = [one for one in await memory.list() if one.text == COFFEE]
        await memory.correct(own.seq, by=new.seq)
        after = [(await memory.frame("profile")).text, (await memory.frame("boot")).text]

    assert any("proposal" in one.sort for one in waits)
    assert all(TEA in text and COFFEE in text for text in before)
    assert not any(TEA in text for text in after)
