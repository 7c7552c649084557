"""Entities: kept with the facts that name them, one where names are equal or somebody says so, split and shown."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, NameUnknown, NotFound, Protected
from remanence.core.model import Memory, Relation, Status
from remanence.read.entity import is_entity
from remanence.read.extraction import Relationship
from remanence_store_kit.builders import expect_error
from tests.command_line import typed
from tests.flows.conftest import Opener, hear
from tests.models import Naming

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


@pytest.fixture
async def memory(opener: Opener) -> AsyncIterator[remanence.Engine]:
    """A memory with a writer that knows Mia, and where she may live."""
    known = ("Mia", "person"), ("Tartu", "place"), ("Riga", "place")
    sister = Relationship("Mia", "sister", "My")
    async with opener(writer=Naming(*known, relationships=[sister])) as engine:
        yield engine


async def say(
    memory: remanence.Engine, text: str, session: str = "s", speaker: str = "Ines"
) -> remanence.types.ExtractPendingResult:
    """Note a turn and listen to it."""
    await memory.note(text, session=session, speaker=speaker, later=True)
    return await hear(memory)


async def names(memory: remanence.Engine) -> list[tuple[str, ...]]:
    """Return the names of all entities, sorted."""
    return sorted((one.name, *one.aliases) for one in await memory.entities.list())


async def say_and_list(memory: remanence.Engine, text: str) -> list[str]:
    """Say something, and return the names of what its turn mentions."""
    noted = await memory.note(text, session="z", speaker="Ines", later=True)
    await hear(memory)
    links = [link for link in await memory.links(noted.id) if link.relation is Relation.MENTIONS]
    return [(await memory.entities.get(link.target)).entity.name for link in links]


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
    assert ["It is said: So it was. My sister Mia lives in Tartu."] == [line.text for line in mia.lines]
    assert [("Mia", "sister", "My")] == [(one.source, one.relation, one.target) for one in mia.relationships]
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
        await without.settings.set("extract_categories", "skill")
        await hear(without)
        with_it, bare = await memory.recall("Mia"), await without.recall("Mia")
    ids = {one.id for one in await records(memory)}

    shown = [*with_it, *await memory.frame("boot"), *await memory.frame("attention", "Mia Tartu")]
    assert ids and ids.isdisjoint(hit.id for hit in shown)
    assert not any("entity" in str(one.value) for one in (await memory.count("topic")).values)
    assert len(bare) > 0


async def test_entities_are_recalled_by_their_category(memory: remanence.Engine) -> None:
    """Who asks for the category gets them by their names."""
    await say(memory, "My sister Mia lives in Tartu.")
    found = await memory.recall("Mia", filters={"category": "entity"})

    assert "[entity] Mia (person)" == found.memories[0].text


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ("gpt-4", "gpt-4o", "We use gpt-4, also known as gpt-4o, here."),
        ("Mark", "Marc", "We met Mark and Marc here."),
        ("Bob", "Robert Miller", "Bob, that is Robert Miller, is here."),
        ("Northern Maritime Office", "NMO", "We run the Northern Maritime Office (NMO)."),
        ("York", "New York", "York is nice. I prefer New York."),
        ("Anna", "Anna Müller", "Anna Müller is here. Anna sings."),
    ],
)
async def test_names_that_are_not_equal_stay_apart(opener: Opener, one: str, other: str, text: str) -> None:
    """Whatever a text says of them, and however alike they are: who is who a person says."""
    async with opener(writer=Naming((one, "other"), (other, "other"))) as memory:
        await say(memory, text)
        apart = await names(memory)
        await memory.merge(one, other)

        assert sorted([(one,), (other,)]) == apart
        assert 1 == len(await names(memory))


async def test_a_memory_and_an_entity_are_not_merged(opener: Opener) -> None:
    """Either two memories or two entities: a mixture, a revision beside entities and an unknown name are refused."""
    async with opener(writer=Naming(("Bob", "person"), ("Robert Miller", "person"))) as memory:
        await say(memory, "Bob is here, and Robert Miller.")
        learned = await memory.learn("The ferry leaves at nine.")
        mixed = await expect_error(InvalidInput, memory.merge(learned, "Bob"))
        revision = await expect_error(InvalidInput, memory.merge("Bob", "Robert Miller", if_revision=1))
        unknown = await expect_error(NotFound, memory.merge(learned, 9_999))
        nobody = await expect_error(NotFound, memory.merge("Bob", "Roberta"))

        assert [("Bob",), ("Robert Miller",)] == await names(memory)
    assert "of the two one is a memory and the other an entity" in str(mixed)
    assert "if_revision" in str(revision)
    assert "entity" not in str(unknown)
    assert "Roberta" in str(nobody)


async def test_equal_names_are_one_whatever_their_case_and_marks(opener: Opener) -> None:
    """Also with the -s of an owner, in brackets and in a script without blanks; a part of a word is none."""
    known = ("Kestrel Labs", "company"), ("KESTREL LABS", "company"), ("张伟", "person"), ("Ann", "person")
    async with opener(writer=Naming(*known)) as memory:
        await say(memory, "Kestrel Labs moved.", "a")
        await say(memory, "KESTREL LABS' lease (Kestrel  Labs) ends.", "b")
        await say(memory, "我的同事张伟在公司上班。", "c")
        await say(memory, "Ann met Annika and Mary-Ann, not ann's brother.", "d")
        listed = {one.name: one.mentions for one in await memory.entities.list()}

        assert {"Kestrel Labs": 4, "张伟": 2, "Ann": 2} == listed
        assert [] == await say_and_list(memory, "Annika is with Mary-Ann.")


async def test_a_name_that_several_bear_means_nobody(opener: Opener) -> None:
    """A writer that says another type makes a namesake; a name alone is then in doubt, and a number tells."""
    async with opener(writer=Naming(("Jordan", "person"))) as memory:
        await say(memory, "Jordan mends clocks.", "a")
    async with opener(writer=Naming(("Jordan", "place"))) as memory:
        await say(memory, "I flew to Jordan.", "b")
    async with opener(writer=Naming()) as memory:
        heard = await say(memory, "Jordan is far.", "c")
        with pytest.raises(InvalidInput, match="2 entities bear this name"):
            await memory.entities.get("Jordan")
        listed = await memory.entities.list()

        assert [("person", 2), ("place", 2)] == [(one.type, one.mentions) for one in listed]
        assert {"names in doubt": 1} == heard.left_out


async def test_without_a_writer_there_are_no_entities(opener: Opener) -> None:
    """No rule takes a word with a capital for a name."""
    async with opener(writer=None) as memory:
        await say(memory, "My sister Mia lives in Tartu and works at Kestrel Labs.")

        assert [] == await names(memory)


def test_an_empty_list_says_what_brings_entities(tmp_path: Path) -> None:
    """On stderr, so that what reads the list gets an empty one."""
    database = str(tmp_path / "m.db")
    typed("learn", "Mia lives in Tartu.", "--db", database)
    told = typed("entities", "list", "--db", database)

    assert 0 == told.exit_code
    assert "a model that extracts names brings them, or an import" in told.stderr


async def test_an_entity_of_which_something_is_told_is_printed(tmp_path: Path) -> None:
    """Its names, kin, facts and what is more: in Python, on a command line as text and as JSON."""
    database = str(tmp_path / "m.db")
    writer = Naming(
        ("Mia", "person"), ("Leo", "person"), relationships=[Relationship("Mia", "mother", "Leo")]
    )
    async with remanence.open(database, embedder="none", writer=writer) as memory:
        for number in range(22):
            await say(memory, f"Mia painted boat {number} for Leo.")
        await memory.entities.alias("Mia", "Mimi")
        told = str(await memory.entities.get("Mia"))
    shown = typed("entities", "get", "Mimi", "--embedder", "none", "--db", database)
    printed = typed("entities", "get", "Mia", "--json", "--embedder", "none", "--db", database)
    data = json.loads(printed.stdout)

    assert (0, told) == (shown.exit_code, shown.stdout.strip())
    assert "Mia (person, also Mimi; " in told and "Mia: mother of Leo" in told and "boat 21" in told
    assert told.endswith("more")
    assert ("Mia", ["Mimi"]) == (data["entity"]["name"], data["entity"]["aliases"])


async def test_what_a_writer_names_in_small_letters_is_a_name_and_a_number_is_none(opener: Opener) -> None:
    """The writer says what is one; a mere number stands in too many texts."""
    async with opener(writer=Naming(("postgres", "tool"), ("42", "other"))) as memory:
        await say(memory, "We keep it in postgres, 42 of them.")

        assert [("postgres",)] == await names(memory)


async def test_two_people_who_had_become_one_are_split(opener: Opener) -> None:
    """Memories go with whom they mention, and nothing that is said later joins the two again."""
    async with opener(writer=Naming(("Sam", "person"), ("Samuel Brandt", "person"))) as memory:
        told = "Sam, also known as Samuel Brandt, mends boilers."
        await say(memory, told)
        await memory.merge("Sam", "Samuel Brandt")
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
        done = await memory.merge("Pip", "mossy")
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
    await memory.hold(mia, "entity", off=True)
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
    await memory.correct(fact, "Mia lives by the sea.")

    assert ["Mia lives by the sea."] == [one.text for one in (await memory.entities.get("Mia")).lines]
    assert "Mia lives by the sea." not in str(await memory.entities.get("Tartu"))


async def test_a_merge_says_what_it_moved(opener: Opener) -> None:
    """Mentions, how many of them are facts, and names; undo gives each its own again."""
    async with opener(writer=Naming(("Otto Kranz", "person"), ("Ottokar Kranz", "person"))) as memory:
        await say(memory, "My neighbour Otto Kranz lives in Graz.", "one")
        await say(memory, "My uncle Ottokar Kranz lives in Linz.", "two")
        done = await memory.merge("Otto Kranz", "Ottokar Kranz")
        profile = await memory.entities.get("Ottokar Kranz")
        await memory.undo(done)

        assert {"merged": 1, "mentions": 2, "facts": 1, "aliases": 1} == dict(done.counts)
        assert done.changes > 1
        assert 4 == profile.entity.mentions
        assert [("Otto Kranz",), ("Ottokar Kranz",)] == await names(memory)
