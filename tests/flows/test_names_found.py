"""Names that no fact brings: found in any sentence, linked from before their explanation, and never joined by that."""

import remanence
from remanence.core.model import Relation
from tests.flows.conftest import hear


async def say(memory: remanence.Engine, text: str, session: str = "s", speaker: str = "Ines") -> int:
    """Note a turn, listen to it and return its number."""
    noted = await memory.note(text, session=session, speaker=speaker, later=True)
    await hear(memory)
    return (await memory.get(noted.id)).seq


async def mentioned(memory: remanence.Engine, turn: int) -> set[str]:
    """Return the names of what a turn mentions."""
    links = [link for link in await memory.links(turn) if link.relation is Relation.MENTIONS]
    return {(await memory.entities.get(link.target)).entity.name for link in links}


async def test_a_question_without_a_fact_mentions_whom_it_names(memory: remanence.Engine) -> None:
    """The name is an entity from then on."""
    turn = await say(memory, "Can you ask Marisa Quell whether she is free?")

    assert {"Marisa Quell"} == await mentioned(memory, turn)
    assert "person" == (await memory.entities.get("Marisa Quell")).entity.type


async def test_an_explained_name_is_linked_from_what_its_speaker_said_before(
    memory: remanence.Engine,
) -> None:
    """Not from what others said, whose Adler may be a bird."""
    mine = await say(memory, "Adler läuft seit Mai bei uns in Kassel.", "one")
    other = await say(memory, "Adler fliegen hoch.", "two", "Bert")
    bird = await say(memory, "Der Adler ist ein schöner Vogel.", "three")
    await say(memory, "Projekt Falke hieß früher Adler und endet im Juni.", "four")

    assert {"Projekt Falke"} == await mentioned(memory, mine)
    assert set() == await mentioned(memory, other) | await mentioned(memory, bird)
    assert ("Adler",) == (await memory.entities.get("Projekt Falke")).entity.aliases


async def test_a_known_russian_name_is_known_in_its_other_cases(memory: remanence.Engine) -> None:
    """Both words must be of one case; a name that nobody knows is not guessed."""
    await say(memory, "Нашего бухгалтера зовут Марина Зотова.")
    met = await say(memory, "В субботу я встретила Марину Зотову на рынке.")
    odd = await say(memory, "Там была Мариной Зотову.")
    unknown = await say(memory, "Потом мы видели Антона Белова.")

    assert {"Марина Зотова"} == await mentioned(memory, met)
    assert set() == await mentioned(memory, odd) | await mentioned(memory, unknown)


async def test_names_that_are_found_join_nobody(memory: remanence.Engine) -> None:
    """Versions, namesakes, another speaker's short name: each stays its own."""
    await say(memory, "Staging is on Postgres 15 at the moment?")
    await say(memory, "The laptop has Postgres 16 already?")
    await say(memory, "Did you meet Diane Cole?", "one", "Kai")
    await say(memory, "Is Diane in?", "two", "Lou")

    assert {"Diane", "Diane Cole", "Postgres 15", "Postgres 16"} == {
        one.name for one in await memory.entities.list() if not one.aliases
    }
