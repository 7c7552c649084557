"""A person is erased: what was said, the person as an entity, and the names in what others said."""

import random
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from remanence import Engine, Erased, InvalidInput, NotFound, Protected
from remanence.core.box import FindBoxes, FindTraces
from remanence.core.clock import ManualClock
from remanence.core.model import Turn
from remanence.core.redaction import MARK
from remanence.flows.write.learning import vector_of
from remanence.text.analysis import stems, term_hash
from remanence_store_kit.builders import expect_error
from tests.command_line import typed
from tests.flows.conftest import Opener, hear
from tests.flows.test_erasing import opened, unsound
from tests.models import Naming

TOMBS = """
version = 1
[[rule]]
name = "old-tombs"
every = "deep"
phase = "purge"
do = "purge"
where = "status == 'pruned'"
because = "a tombstone has had its time"
"""
TALK = (
    ("Ana Lopes", "I moved to Porto last year and work at Brightsea."),
    ("Tom Reed", "Ana Lopes told me she likes sailing. My sister Ruth lives in Bergen."),
    ("Ana Lopes", "My brother Rui is a teacher in Lisbon."),
    ("Tom Reed", "Yesterday I met Ana Lopes's dog at the harbour."),
)


SPOKEN_OF = Naming(
    ("Ana Lopes", "person"),
    ("Ruth", "person"),
    ("Bergen", "place"),
    ("Rui", "person"),
    ("Brightsea", "company"),
)


async def talked(memory: Engine) -> None:
    """Let two persons talk, and listen to them."""
    for speaker, said in TALK:
        await memory.note(said, speaker=speaker, session="a")
    await hear(memory)


async def names_in(memory: Engine, name: str) -> list[str]:
    """Return what still says a name, whatever a scope can tell of itself."""
    told: list[Any] = [one.to_dict() for one in await memory.list(limit=1_000, status="any")]
    told += [part.cause for part in await memory._core.store.history("default")]
    told += [change for part in await memory._core.store.history("default") for change in part.changes]
    return [str(one) for one in told if name.casefold() in str(one).casefold()]


async def test_what_a_person_said_goes_and_what_others_said_stays(opener: Opener) -> None:
    """With the entity, and with places and people that nobody else named; others that name the person are listed."""
    async with opener(writer=SPOKEN_OF) as memory:
        await talked(memory)
        shown = await memory.erase.show(subject="ana lopes")
        done = await memory.erase.apply(shown)
        left = await memory.list()
        entities = [one.name for one in await memory.entities.list()]
        wrong = await unsound(memory)

    assert {"Tom Reed"} == {one.speaker for one in left}
    assert 4 == shown.mentions == sum("Ana Lopes" in one.text for one in left)
    assert {one.seq for one in shown.mentioned} == {one.seq for one in left if "Ana Lopes" in one.text}
    assert {"Ruth", "Bergen"} == set(entities)
    assert (len(shown), 0, []) == (done.erased, done.redacted, wrong)


async def test_with_mentions_nothing_says_the_name(opener: Opener) -> None:
    """Texts, tags and images say a mark in its place, and are found by what they say now."""
    async with opener(writer=SPOKEN_OF) as memory:
        await talked(memory)
        shown = await memory.erase.show(subject="Ana Lopes", mentions=True)
        done = await memory.erase.apply(shown)
        left = await memory.list()
        found = await memory.recall("who likes sailing")
        named = await names_in(memory, "Ana Lopes")
        wrong = await unsound(memory)

    assert (4, (), [], []) == (done.redacted, done.named_in, named, wrong)
    assert f"{MARK} told me she likes sailing. My sister Ruth lives in Bergen." in [one.text for one in found]
    assert f"Yesterday I met {MARK}'s dog at the harbour." in [one.text for one in left]


async def test_a_redacted_text_is_embedded_and_found_as_an_edited_one(opener: Opener) -> None:
    """Its vector is the one that its new text has anywhere."""
    async with opener() as memory:
        said = await memory.learn("Ana Lopes keeps bees behind the old mill.", speaker="Tom")
        await memory.erase.apply(await memory.erase.show(subject="Ana Lopes", mentions=True))
        text = (await memory.get(said.id)).text
        _, kept = await memory._core.store.vectors("default", only=[said.seq])
        anew = vector_of(memory._core, text)
        hits = [hit.id for hit in await memory.recall("bees behind the mill")]

    assert f"{MARK} keeps bees behind the old mill." == text
    assert anew == kept.tobytes()
    assert [said.id] == hits


async def test_whole_words_in_any_case_are_names(opener: Opener) -> None:
    """Neither a longer word nor a namesake's whole name is; possessives, marks and addresses beside it are."""
    said = (
        "Banana bread is what ANA bakes.",
        "ana's bread, ana: the recipe; (Ana)",
        "Mail goes to ana@mill.example or @ana.",
        "Ana Pires bakes as well.",
    )
    async with opener() as memory:
        await memory.learn([Turn(one, speaker="Tom") for one in said])
        await memory.learn("I bake.", speaker="Ana")
        await memory.learn("I bake, too.", speaker="Ana Pires")
        shown = await memory.erase.show(subject="Ana", mentions=True)
        await memory.erase.apply(shown)
        left = {one.text for one in await memory.list()}

    assert ("Ana Pires",) == shown.namesakes
    assert {
        f"Banana bread is what {MARK} bakes.",
        f"{MARK}'s bread, {MARK}: the recipe; ({MARK})",
        "Ana Pires bakes as well.",
        "I bake, too.",
    } < left
    assert not any("ana" in one.lower().replace("banana", "").replace("ana pires", "") for one in left)


async def test_who_is_in_doubt_is_asked_for(opener: Opener) -> None:
    """A part of two names, a name of nobody, one letter, nothing, or two things at once: each says what to pass."""
    async with opener() as memory:
        await memory.learn([Turn("I bake.", speaker="Ana Lopes"), Turn("I sing.", speaker="Ana Pires")])
        part = await expect_error(InvalidInput, memory.erase.show(subject="Ana"))
        nobody = await expect_error(NotFound, memory.erase.show(subject="Ana Lobes"))
        await expect_error(InvalidInput, memory.erase.show(subject="A"))
        await expect_error(InvalidInput, memory.erase.show())
        await expect_error(InvalidInput, memory.erase.show(1, subject="Ana Lopes"))
        await expect_error(InvalidInput, memory.erase.show(1, mentions=True))
        both = await memory.erase.show(subject=["Ana Lopes", "Ana"])

    assert "Ana Lopes, Ana Pires" in str(part)
    assert "near it: Ana Lopes" in str(nobody)
    assert ["I bake."] == [one.text for one in both.memories]


async def test_two_entities_of_one_name_are_told_apart_by_number(opener: Opener) -> None:
    """The error names both; one of them is meant by its number, and its name in what others said is then erased."""
    async with opener(writer=SPOKEN_OF) as memory:
        await talked(memory)
        (ana,) = [one for one in await memory.entities.list() if one.name == "Ana Lopes"]
        await memory.entities.alias(ana.key, "Annie")
        (ruth,) = [one for one in await memory.entities.list() if one.name == "Ruth"]
        shown = await memory.erase.show(subject=f"#{ana.seq}", mentions=True)
        by_alias = await memory.erase.show(subject="annie", mentions=True)

    assert {"Ana Lopes", "Annie"} == set(shown.subject) == set(by_alias.subject)
    assert ruth.seq not in shown.revisions
    assert shown.revisions == by_alias.revisions


async def test_a_held_mention_refuses_the_whole(opener: Opener) -> None:
    """That every entity is held against policies does not stand in the way; somebody's hold does."""
    async with opener(writer=SPOKEN_OF) as memory:
        await talked(memory)
        (dog,) = [one for one in await memory.list() if one.text.startswith("Yesterday I")]
        await memory.hold(dog.id, "audit")
        shown = await memory.erase.show(subject="Ana Lopes", mentions=True)
        await expect_error(Protected, memory.erase.apply(shown))
        assert [dog.id] == [one.id for one in shown.held]
        await memory.hold(dog.id, "audit", off=True)
        done = await memory.erase.apply(await memory.erase.show(subject="Ana Lopes", mentions=True))

    assert 4 == done.redacted


async def test_no_door_lets_a_redacted_text_in_again(opener: Opener) -> None:
    """What others said in its old words is refused, an undo of what changed it too; the memory itself is edited."""
    async with opener() as memory:
        said = await memory.learn("Ana Lopes keeps bees.", speaker="Tom")
        tagged = await memory.tag(said.id, "honey")
        export = [line async for line in memory.export()]
        await memory.erase.apply(await memory.erase.show(subject="Ana Lopes", mentions=True))
        again = await memory.learn("ana lopes keeps BEES")
        await expect_error(Erased, memory.undo(tagged))
        await memory.import_(export, trust="user")
        edited = await memory.update(said.id, text="She keeps bees.")
        await memory.undo(edited)
        texts = [one.text for one in await memory.list()]
        wrong = await unsound(memory)

    assert "gated" == again.status
    assert [f"{MARK} keeps bees."] == texts
    assert [] == wrong


async def test_purged_memories_are_found_in_their_images(opener: Opener, clock: ManualClock) -> None:
    """By id without a restore, and of a person; what they were is gone, and never comes back."""
    async with opener() as memory:
        mine = await memory.learn("I keep bees behind the mill.", speaker="Ana")
        other = await memory.learn("Ana keeps bees behind the mill.", speaker="Tom")
        third = await memory.learn("The boathouse opens at four.", speaker="Tom")
        for one in (mine, other, third):
            await memory.forget(one.id)
        clock.advance(days=40)
        await memory.apply(await memory.plan(TOMBS), allow_destroyed=3)
        await memory.erase.apply(await memory.erase.show(third.id))
        shown = await memory.erase.show(subject="Ana", mentions=True)
        await memory.erase.apply(shown)
        refused = [await expect_error(Erased, memory.restore(one.id)) for one in (mine, other, third)]
        named = [*await names_in(memory, "bees"), *await names_in(memory, "boathouse")]
        wrong = await unsound(memory)

    assert ({mine.seq, other.seq}, 2) == (set(shown.revisions), shown.purged)
    assert ([], [], 3) == (named, wrong, len(refused))


async def test_a_mirror_loses_the_person_too(opener: Opener, tmp_path: Path) -> None:
    """Files go, edited or not; a folder that is not there, or has an edit of something else, is named."""
    async with opener() as memory:
        said = [await memory.learn(f"Ana Lopes feeds goat {number}.", speaker="Tom") for number in range(3)]
        mine = await memory.learn("I feed the goats at dawn.", speaker="Ana Lopes")
        await memory.mirror.sync(tmp_path / "files")
        await memory.mirror.sync(tmp_path / "gone")
        shutil.rmtree(tmp_path / "gone")
        (edited,) = [path for path in _files(tmp_path) if "at dawn" in path.read_text()]
        edited.write_text(edited.read_text().replace("at dawn", "before dawn, says Ana Lopes"))
        first = await memory.erase.apply(await memory.erase.show(mine.id))
        (other,) = [path for path in _files(tmp_path) if "goat 1" in path.read_text()]
        other.write_text(other.read_text().replace("goat 1", "goat one"))
        second = await memory.erase.apply(await memory.erase.show(subject="Ana Lopes", mentions=True))
        await memory.mirror.sync(tmp_path / "files", discard=str(other.relative_to(tmp_path / "files")))

    gone = str(tmp_path / "gone")
    assert 3 == len(said)
    assert (gone,) == first.mirrors
    assert {gone, str(tmp_path / "files")} == set(second.mirrors)
    assert [] == [path.name for path in _files(tmp_path) if "lopes" in path.read_text().lower()]


async def test_what_was_erased_says_so(opener: Opener) -> None:
    """By number, by id and by its ending; what never was is not known."""
    async with opener() as memory:
        said = await memory.learn("The boathouse opens at four.")
        await memory.erase.apply(await memory.erase.show(said.id))
        for name in (said.seq, said.id, f"#{said.seq}"):
            await expect_error(Erased, memory.get(name))
            await expect_error(Erased, memory.history(name))
        await expect_error(NotFound, memory.get(999))
        await expect_error(NotFound, memory.history(999))


async def test_boxes_and_traces_are_made_anew_from_what_others_said(
    opener: Opener, clock: ManualClock
) -> None:
    """A box without turns goes; the topics of the others and of their trace have no word of the person's."""
    async with opener() as memory:
        for session, more in (("a", "today"), ("b", "already")):
            await memory.note(f"My zither and oboe need strings {more}.", speaker="Ana", session=session)
            await memory.note(f"The zither shop is in Porto {more}.", speaker="Tom", session=session)
            clock.advance(hours=2)
            await hear(memory)
        await memory.note("I keep bees behind the mill.", speaker="Ana", session="c")
        clock.advance(hours=2)
        await hear(memory)
        await memory.consolidate()
        before, traced = await memory.conversations.list(), await memory.conversations.list(threads=True)
        kept_before = await _kept_topics(memory)
        await memory.erase.apply(await memory.erase.show(subject="Ana"))
        after, left = await memory.conversations.list(), await memory.conversations.list(threads=True)
        kept_after = await _kept_topics(memory)
        wrong = await unsound(memory)

    assert (3, 2, 2, 1) == (len(before), len(after), len(traced), len(left))
    assert any(_topic("oboe") in of for of in kept_before)
    assert [("Tom",)] * 2 == [tuple(turn.speaker for turn in box.turns) for box in after]
    hers = {_topic(word) for word in ("oboe", "strings", "bees")}
    assert all(hers.isdisjoint(of) and _topic("zither") in of for of in kept_after)
    assert [] == wrong


def _topic(word: str) -> str:
    (stem,) = stems(word)
    return f"{term_hash(stem):x}"


async def _kept_topics(memory: Engine) -> list[Mapping[str, int]]:
    """Return the topics of all boxes and traces, as the store keeps them."""
    store, scope = memory._core.store, memory.scope
    boxes, traces = await store.boxes(scope, FindBoxes()), await store.traces(scope, FindTraces())
    return [box.topics for box in boxes] + [trace.topics for trace in traces]


async def _told(memory: Engine, name: str, chance: random.Random) -> None:
    """Let a name come into every place that keeps words: each of some memories has it in some of them."""
    for number in range(12):
        say = [name, name.upper(), name.lower(), f"{name}'s"]
        text = f"{chance.choice(say)} saw boat {number} and left."
        places: dict[str, Any] = {
            "tags": [f"with {chance.choice(say)}", "boats"],
            "key": f"boat {number} {name}",
            "attributes": {"seen by": {"who": [chance.choice(say)]}, name: number},
            "source": f"letter {number} of {name}",
            "session": f"call-{name}-{number % 2}",
            "thread": f"thread {name}",
        }
        chosen = {place: places[place] for place in chance.sample(sorted(places), 3)}
        plain = chance.random() < 0.3
        said = await memory.learn(f"Boat {number} left." if plain else text, speaker="Tom", **chosen)
        if chance.random() < 0.5:
            await memory.hold(said.id, f"as {name} asked")
            await memory.hold(said.id, f"as {name} asked", off=True)
        if chance.random() < 0.5:
            await memory.update(said.id, text=f"Nobody saw boat {number}.")
        if chance.random() < 0.3:
            await (memory.forbid if chance.random() < 0.5 else memory.forget)(said.id)
    await memory.learn("I saw a boat.", speaker=name)
    await memory.recall("who saw the boat")


def grepped(folder: Path, name: str) -> str:
    """Return the files of a folder in which a name stands."""
    done = subprocess.run(
        ["grep", "-rila", name, str(folder)], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout


@pytest.mark.parametrize("name", ["Wilhelmina", "Öz\u00ea Brück", "O'Quirk", "Quiz"])
async def test_wherever_a_name_stands_grep_finds_it_no_more(name: str, tmp_path: Path) -> None:
    """In texts of now and before, tags, keys, attributes, sources, sessions, holds, runs and whoever used a memory."""
    chance, path = random.Random(name), tmp_path / "memory.db"
    async with opened(path) as memory:
        await _told(memory, name, chance)
    async with opened(path, agent=name) as memory:
        await memory.recall("who saw the boat")
        await memory.tag(2, "seen")
    assert grepped(tmp_path, name)
    async with opened(path) as memory:
        done = await memory.erase.apply(await memory.erase.show(subject=name, mentions=True))
        wrong = await unsound(memory)
        left = await memory.list(status="any")

    assert ("", [], (), ()) == (grepped(tmp_path, name), wrong, done.named_in, done.found)
    assert 6 < len(left)


async def test_a_newcomer_erases_a_person_and_greps_the_folder(tmp_path: Path) -> None:
    """With commands alone: shown first, then done."""
    path = tmp_path / "memory.db"
    async with opened(path, writer=SPOKEN_OF) as memory:
        await talked(memory)

    ask = ("erase", "--subject", "Ana Lopes", "--mentions", "--db", str(path), "--embedder", "hashed")
    shown = typed(*ask)
    assert (0, "") == (shown.exit_code, shown.stderr)
    assert "4 memories of others would say [erased]" in shown.stdout
    assert grepped(tmp_path, "Lopes")
    done = typed(*ask, "--yes")
    again = typed(*ask)

    assert (0, "", "") == (done.exit_code, done.stderr, grepped(tmp_path, "Lopes"))
    assert "took the names out of 4 memories of others" in done.stdout
    assert 0 != again.exit_code
    assert "nobody speaks as" in again.stderr


async def test_what_is_learned_meanwhile_is_told(tmp_path: Path) -> None:
    """A name that another process says between the look and the erasure stands, and the answer says where."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await memory.learn("Ana keeps bees.", speaker="Tom")
        shown = await memory.erase.show(subject="Ana", mentions=True)
        late = await memory.learn("Ana keeps goats.", speaker="Tom")
        done = await memory.erase.apply(shown)

    assert (f"#{late.seq}",) == done.named_in
    assert not done.is_well


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*.md")) if path.is_file()]
