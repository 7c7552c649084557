"""Entities: kept with the facts that name them, joined by what is said alone, merged, split and shown."""

from collections.abc import Sequence

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, NameUnknown, NotFound, Protected
from remanence.core.model import Memory, Relation, Status
from remanence.llm.base import Judgement
from remanence.read.entity import is_entity
from remanence.read.extraction import Entity, ExtractRequest, ExtractResult, ExtractTurn, Fact, Relationship
from tests.flows.conftest import Opener, hear

POLICY = """
version = 1
name = "all"

[[rule]]
name = "old"
every = "deep"
phase = "expire"
where = "True"
do = "prune"
"""


class Naming:
    """A writer that finds the names it was given, and every turn as a fact."""

    name = "naming"

    def __init__(self, *entities: tuple[str, str], relationships: Sequence[Relationship] = ()) -> None:
        self.entities = [Entity(*one) for one in entities]
        self.relationships = tuple(relationships)

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Give the names that are there, and the turns as facts."""
        named = [one for one in self.entities if any(one.name in turn.text for turn in turns)]
        facts = [Fact("fact", f"It is said: {turn.text}", turn.id, (0, 1), 0.9) for turn in turns]
        return ExtractResult(tuple(facts), tuple(named), relationships=self.relationships)


async def say(
    memory: remanence.Engine, text: str, session: str = "s", speaker: str = "Ines"
) -> remanence.types.ExtractPendingResult:
    """Note a turn and listen to it."""
    await memory.note(text, session=session, speaker=speaker, later=True)
    return await hear(memory)


async def names(memory: remanence.Engine) -> list[tuple[str, ...]]:
    """Return the names of all entities, sorted."""
    return sorted((one.name, *one.aliases) for one in await memory.entities.list())


async def records(memory: remanence.Engine) -> list[Memory]:
    """Return the memories that are entities."""
    found = await memory.list(filters={"category": "entity"}, status="any", limit=100)
    return [one for one in found if is_entity(one)]


async def test_a_name_becomes_an_entity_that_its_turn_and_its_fact_mention(memory: remanence.Engine) -> None:
    """In the commit of the facts, with a key, a hold and the trust of its turn."""
    heard = await say(memory, "So it was. My sister Mia lives in Tartu.")
    mia, tartu = await memory.entities.get("Mia"), await memory.entities.get("tartu")
    kept = await memory.get(mia.entity.id)

    assert ("person", "place") == (mia.entity.type, tartu.entity.type)
    assert ["Ines's sister Mia lives in Tartu."] == [line.text for line in mia.lines]
    assert [("Mia", "sister", "Ines")] == [
        (one.source, one.relation, one.target) for one in mia.relationships
    ]
    assert ("entity", "entity/mia", {"entity": None}, Status.ACTIVE) == (
        kept.category,
        kept.key,
        kept.holds,
        kept.status,
    )
    assert 2 == sum(link.relation is Relation.MENTIONS for link in await memory.links(kept.seq))
    assert heard.runs == tuple({event.run for event in await memory.history(kept.seq)})


async def test_an_entity_says_nothing(memory: remanence.Engine) -> None:
    """It is in no recall, frame, boot or topic, and the scores are those of a memory without it."""
    async with remanence.open(embedder="hashed") as without:
        for each in (memory, without):
            await each.learn("Mia sails a red boat.", speaker="Ines")
            await each.learn("The harbour master is called Tom.", speaker="Ines")
        await say(memory, "My sister Mia lives in Tartu.")
        await without.note("My sister Mia lives in Tartu.", session="s", speaker="Ines", later=True)
        await without.settings.set("extract_only", "skill")
        await hear(without)
        with_it, bare = await memory.recall("Mia"), await without.recall("Mia")
    ids = {one.id for one in await records(memory)}

    shown = [*with_it, *await memory.boot(), *await memory.frame("attention", "Mia Tartu")]
    assert ids and ids.isdisjoint(hit.id for hit in shown)
    assert not any("entity" in topic.word for topic in await memory.topics())
    assert len(bare) > 0


async def test_entities_are_recalled_by_their_category(memory: remanence.Engine) -> None:
    """Who asks for the category gets them by their names."""
    await say(memory, "My sister Mia lives in Tartu.")
    found = await memory.recall("Mia", filters={"category": "entity"})

    assert "[entity] Mia (person)" == found.memories[0].text


async def test_a_statement_joins_two_names_in_a_run_that_undo_takes_back(opener: Opener) -> None:
    """The fuller name stays, takes over the mentions, and says which memory told so."""
    async with opener(writer=Naming(("Bob", "person"), ("Robert Miller", "person"))) as memory:
        await say(memory, "Bob runs the ferry.")
        await say(memory, "Bob, that is Robert Miller, is from Hull.", "t")
        both = await memory.entities.get("bob")
        merge = next(event for event in await memory.history() if event.verb == "entities.merge")
        joined = await names(memory)
        await memory.undo(merge.run)

        assert ("Robert Miller", ("Bob",), 4) == (
            both.entity.name,
            both.entity.aliases,
            both.entity.mentions,
        )
        assert [("Robert Miller", "Bob")] == joined
        assert [("Bob",), ("Robert Miller",)] == await names(memory)


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ("gpt-4", "gpt-4o", "We use gpt-4, also known as gpt-4o, here."),
        ("node.js", "node.ts", "We keep node.js, also known as node.ts, here."),
        ("C++", "C#", "We write C++, also known as C#, here."),
        ("Falcon v1", "Falcon v2", "We run Falcon v1, also known as Falcon v2, here."),
        ("Jon Vance Jr", "Jon Vance Sr", "We met Jon Vance Jr, also known as Jon Vance Sr, here."),
        ("Mark", "Marc", "We met Mark and Marc here."),
        ("John Kim", "John Lim", "We met John Kim, that is John Lim, here."),
        ("Bob", "Robert Miller", "Is Bob, also known as Robert Miller, here?"),
        ("Bob", "Robert Miller", "Maybe Bob, also known as Robert Miller, is here."),
        ("Bob", "Robert Miller", "Bob, that is Robert Miller's brother, is here."),
        ("York", "New York", "York is nice. I prefer New York."),
    ],
)
async def test_what_guards_and_doubts_keep_apart(opener: Opener, one: str, other: str, text: str) -> None:
    """Versions, endings, signs, generations and surnames differ whatever is said; a question says nothing."""
    async with opener(writer=Naming((one, "other"), (other, "other"))) as memory:
        await say(memory, text)

        assert sorted([(one,), (other,)]) == await names(memory)


async def test_namesakes_stay_apart(opener: Opener) -> None:
    """Another John is another entity; a name that then means several means the one of its session, or nobody."""
    async with opener(writer=Naming(("John", "person"))) as memory:
        await say(memory, "John mends clocks.", "a")
        await say(memory, "I met another John, who sells clocks.", "b")
        await say(memory, "John has a shop.", "b")
        heard = await say(memory, "John is ill.", "c")
        with pytest.raises(InvalidInput, match="2 entities bear this name"):
            await memory.entities.get("John")
        listed = await memory.entities.list()

        assert [("John", 4), ("John", 2)] == [(one.name, one.mentions) for one in listed]
        assert {"names in doubt": 1} == heard.left_out


async def test_a_full_name_lends_its_parts_within_the_session(opener: Opener) -> None:
    """The same speaker may then say the first name; in another session it is somebody else's."""
    async with opener(writer=Naming(("Ada Roe", "person"), ("Ada", "person"))) as memory:
        await say(memory, "My boss is Ada Roe.", "a")
        await say(memory, "Ada likes boats.", "a")
        await say(memory, "Ada likes trains.", "b", "Tom")

        assert [("Ada",), ("Ada Roe",)] == await names(memory)
        assert 4 == (await memory.entities.get("Ada Roe")).entity.mentions


async def test_two_people_who_had_become_one_are_split(opener: Opener) -> None:
    """Memories go with whom they mention, and the same evidence joins the two no more."""
    async with opener(writer=Naming(("Sam", "person"), ("Samuel Brandt", "person"))) as memory:
        told = "Sam, also known as Samuel Brandt, mends boilers."
        await say(memory, told)
        await say(memory, "Sam bakes bread.", "t")
        await memory.entities.split("Samuel Brandt", "Sam")
        apart = {one.name: one.mentions for one in await memory.entities.list()}
        await say(memory, f"{told} Really.", "u")

        assert {"Samuel Brandt": 2, "Sam": 4} == apart
        assert [("Sam",), ("Samuel Brandt",)] == await names(memory)


async def test_namesakes_are_split_by_the_memories_that_mention_them(opener: Opener) -> None:
    """A fact takes its turn along; what is no mention of it is refused, and undo makes one of the two again."""
    async with opener(writer=Naming(("Anna", "person"))) as memory:
        await say(memory, "Anna sings.", "a")
        await say(memory, "Anna sails.", "b", "Jon")
        sails = (await memory.entities.get("Anna")).lines[0]
        other = await memory.learn("The tide is high.")
        with pytest.raises(NotFound, match="does not mention"):
            await memory.entities.split("Anna", other)
        done = await memory.entities.split("Anna", [sails])
        parted = [one.mentions for one in await memory.entities.list()]
        await memory.undo(done)

        assert [2, 2] == parted
        assert [("Anna", 4)] == [(one.name, one.mentions) for one in await memory.entities.list()]


async def test_merge_and_alias_are_for_what_no_text_says(opener: Opener) -> None:
    """An alias that another bears is refused; undo of a merge gives each its own mentions back."""
    async with opener(writer=Naming(("Pip", "person"), ("Philippa Moss", "person"))) as memory:
        await say(memory, "Pip paints.", "a")
        await say(memory, "Philippa Moss prints.", "b")
        with pytest.raises(InvalidInput, match="bears the name"):
            await memory.entities.alias("Pip", "philippa moss")
        await memory.entities.alias("Philippa Moss", "Mossy")
        done = await memory.entities.merge("Pip", "mossy")
        merged = await names(memory)
        await memory.undo(done)

        assert [("Philippa Moss", "Mossy", "Pip")] == merged
        assert [("Philippa Moss", "Mossy"), ("Pip",)] == await names(memory)


async def test_a_correction_reaches_what_is_told_of_an_entity(memory: remanence.Engine) -> None:
    """What is told is derived from what stands, and says for which change."""
    await say(memory, "So it was. My sister Mia lives in Tartu.")
    before = await memory.entities.get("Mia")
    again = await memory.entities.get("Mia")
    await memory.forget(before.lines[0])
    after = await memory.entities.get("Mia")

    assert before is again
    assert (1, 0) == (len(before.relationships), len(after.relationships))
    assert before.position < after.position


async def test_no_policy_deletes_an_entity_and_a_forgotten_one_stays_so(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Its hold protects it from rules and from forget, until it is released."""
    await say(memory, "My sister Mia lives in Tartu.")
    mia = (await memory.entities.get("Mia")).entity.id
    clock.advance(days=400)
    await memory.apply(await memory.plan(POLICY), allow_destroyed=100)
    stands = (await memory.get(mia)).status
    with pytest.raises(Protected):
        await memory.forget(mia)
    await memory.release(mia, "entity")
    await memory.forget(mia)
    await say(memory, "My sister Mia plays chess in Riga.", "t")

    assert Status.ACTIVE == stands
    assert "Mia" not in [name for each in await names(memory) for name in each]


async def test_undoing_an_extraction_leaves_whom_others_mention(memory: remanence.Engine) -> None:
    """An entity that only its facts mention goes with them."""
    first = await say(memory, "My sister Mia lives in Tartu.", "a")
    await say(memory, "My sister Mia plays the organ in Riga.", "b")
    await memory.undo(first.runs[0])

    assert [("Mia",), ("Riga",)] == await names(memory)
    assert all(check.ok for check in await memory.doctor())


async def test_pronouns_and_general_nouns_are_no_entities(opener: Opener) -> None:
    """Whoever finds them."""
    general = [
        ("my boss", "person"),
        ("Boss", "person"),
        ("She", "person"),
        ("the office", "place"),
        ("42", "other"),
    ]
    async with opener(writer=Naming(*general)) as memory:
        await say(memory, "She told my boss at the office, Boss or not, of 42.")

        assert [] == await names(memory)


async def test_entities_are_asked_for_by_type_and_by_what_is_none(memory: remanence.Engine) -> None:
    """An unknown type or name says so."""
    await say(memory, "My sister Mia lives in Tartu.")

    assert ["Mia"] == [one.name for one in await memory.entities.list(type="person")]
    with pytest.raises(NameUnknown):
        await memory.entities.list(type="ship")
    with pytest.raises(NotFound, match="no entity"):
        await memory.entities.get("Nobody")


async def test_entities_come_back_from_an_export(memory: remanence.Engine) -> None:
    """With their names, their mentions and what keeps them apart from facts."""
    await say(memory, "My sister Mia lives in Tartu.")
    lines = [line async for line in memory.export()]
    async with remanence.open(scope="copy", embedder="hashed") as copy:
        await copy.import_(lines)
        told = await copy.entities.get("Mia")

        assert (1, 2) == (len(told.lines), told.entity.mentions)
        assert [("Mia",), ("Tartu",)] == await names(copy)


async def test_a_corrected_fact_mentions_whom_it_still_names(memory: remanence.Engine) -> None:
    """And whom the old one mentioned without a name; the old place has lost it."""
    await say(memory, "My sister Mia lives in Tartu.")
    fact = (await memory.entities.get("Mia")).lines[0]
    await memory.correct(fact, "Ines's sister Mia lives by the sea.")

    assert ["Ines's sister Mia lives by the sea."] == [
        one.text for one in (await memory.entities.get("Mia")).lines
    ]
    assert "Ines's sister Mia lives by the sea." not in str(await memory.entities.get("Tartu"))


async def test_a_merge_says_what_it_moved(memory: remanence.Engine) -> None:
    """Mentions, how many of them are facts, and names."""
    await say(memory, "My neighbour Otto Kranz lives in Graz.", "one")
    await say(memory, "My uncle Ottokar Kranz lives in Linz.", "two")
    done = await memory.entities.merge("Otto Kranz", "Ottokar Kranz")
    profile = await memory.entities.get("Ottokar Kranz")

    assert {"merged": 1, "mentions": 2, "facts": 1, "aliases": 1} == dict(done.counts)
    assert done.changes > 1
    assert 4 == profile.entity.mentions
