"""Texts under keys that somebody answers for, and memories that take another's place (forge-loop's put, supersede)."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, InvalidInput, NotFound
from remanence.core.model import REJECTED_PATH, Reason, Relation, Status
from remanence.flows.edit import editing
from remanence.llm.base import WordWeight
from remanence.llm.offline import HashedEmbedder
from tests.flows.conftest import Opener
from tests.flows.forge import compact, item, keys, on_file, said_by, started


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": 1.01},
        {"confidence": -0.01},
        {"confidence": float("nan")},
        {"confidence": True},
        {"confidence": "sure"},
        {"agent": " "},
        {"agent": None, "speaker": "\t"},
        {"source": "  "},
        {"source": None, "thread": ""},
        {"source": None, "session": "\n"},
    ],
)
async def test_what_is_no_name_or_share_is_refused(memory: remanence.Engine, wrong: dict[str, Any]) -> None:
    """A confidence from 0 to 1, names that are not blank, each with a way out; nothing is stored."""
    sound = {"agent": "maestro", "source": "issue 12"}

    with pytest.raises(ValueError) as refused:
        await memory.learn("It failed.", key="outcome", **{**sound, **wrong})
    assert isinstance(refused.value, InvalidInput)
    assert refused.value.recovery
    assert [] == await keys(memory)


@pytest.mark.parametrize(
    "more",
    [
        {"agent": "maestro", "source": "issue 12"},
        {"speaker": "Ann", "thread": "planning"},
        {"agent": "maestro", "session": "s1", "confidence": 0},
        {"speaker": "Ann", "source": "log", "confidence": 1.0},
    ],
)
async def test_an_author_and_a_source_are_enough(memory: remanence.Engine, more: dict[str, Any]) -> None:
    """Either sort of author, any sort of source."""
    assert "stored" == (await memory.learn("It failed.", key="outcome", **more)).status


async def test_the_engines_agent_and_session_count(opener: Opener) -> None:
    """Who opened the memory answers; an open session is where it comes from, and nothing is filled in."""
    async with opener(agent="maestro") as memory, memory.session("fix") as session:
        answer = await memory.learn("It failed.", key="outcome")
        found = await memory.get("outcome")

    assert ("maestro", session, ()) == (found.agent, found.session, found.sources)
    assert "" == answer.reason


async def test_a_key_and_a_text_are_enough(memory: remanence.Engine) -> None:
    """Who said it and where may be left out, as without a key."""
    answers = [await memory.learn(text, key="wifi") for text in ("heron-42", "heron-42", "heron-43")]
    found = await memory.get("wifi")

    assert ["", "unchanged", "updated"] == [one.reason for one in answers]
    assert ("heron-43", (), "user") == (found.text, found.sources, found.trust.label)


async def test_a_list_replaces_under_each_key(memory: remanence.Engine) -> None:
    """Texts with keys and without come in together, in order; of a key that is named twice the later text counts."""
    await memory.learn("heron-41", key="wifi")
    texts: list[Any] = [
        "The ropes are wet.",
        {"text": "heron-42", "key": "wifi"},
        remanence.Turn("2217", key="door"),
        {"text": "heron-43", "key": "wifi"},
        "The boat is blue.",
    ]
    seen: list[tuple[int, int]] = []
    answers = await memory.learn(texts, progress=lambda done, total: seen.append((done, total)))

    assert ["stored", "known", "stored", "known", "stored"] == [one.status for one in answers]
    assert ["", "updated", "", "updated", ""] == [one.reason for one in answers]
    assert ("heron-43", "2217") == tuple([(await memory.get(key)).text for key in ("wifi", "door")])
    assert (0, 5) == seen[0]
    assert (5, 5) == seen[-1]
    assert 4 == len(await memory.list())


async def test_a_list_is_checked_before_any_of_it_is_written(memory: remanence.Engine) -> None:
    """One text that cannot be kept refuses all, with keys too; fields that are given hold for each."""
    with pytest.raises(InvalidInput):
        await memory.learn([{"text": "one", "key": "a"}, "two", "NUL \x00"])
    assert [] == await memory.list()
    for wrong in ({"key": "a"}, {"if_revision": 1}):
        with pytest.raises(InvalidInput) as refused:
            await memory.learn(["one"], **wrong)
        assert refused.value.recovery
    with pytest.raises(InvalidInput, match="without a key"):
        await memory.learn("one", if_revision=1)
    await memory.learn(["one", {"text": "two"}, remanence.Turn("three")], speaker="Ana", tags=["t"])

    assert [("Ana", ("t",))] * 3 == [(one.speaker, one.tags) for one in await memory.list()]


async def test_put_again_moves_the_evidence_and_keeps_the_place(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Same row and id; text, tags and sources are brought up; the date is that of the new evidence."""
    first = await memory.learn("Timeout.", key="failed-1", agent="maestro", source="run 1", tags=("axis:ci",))
    clock.advance(hours=2)
    again = await memory.learn("Timeout.", key="failed-1", agent="maestro", source="run 2")
    moved = await memory.get("failed-1")
    better = await memory.learn(
        "Out of memory.", key="failed-1", agent="maestro", source="run 2", tags=(REJECTED_PATH,)
    )
    found = await memory.get("failed-1")

    assert ["", "unchanged", "updated"] == [first.reason, again.reason, better.reason]
    assert first.seq == again.seq == better.seq == found.seq
    assert clock.now() == moved.said_at == moved.learned_at + 2 * 3_600_000_000
    assert ("Out of memory.", ("axis:ci", REJECTED_PATH), ("run 1", "run 2")) == (
        found.text,
        found.tags,
        found.sources,
    )


async def test_put_never_brings_back_what_was_superseded(memory: remanence.Engine) -> None:
    """The answer says who took its place, and how to bring it back; nothing is changed."""
    await item(memory, "failed-1")
    new = await item(memory, "shipped-1")
    await memory.correct("failed-1", by="shipped-1")
    before = await memory.get("failed-1")
    answer = await memory.learn("Again!", key="failed-1", agent="maestro", source="log")

    assert before == await memory.get("failed-1")
    by = (await memory.get(new)).seq
    assert (
        f"superseded by #{by}: nothing was changed; to bring it back: restore {before.seq}" == answer.reason
    )

    await memory.restore("failed-1")

    assert "updated" == (await memory.learn("Again!", key="failed-1", agent="maestro", source="log")).reason


async def test_a_name_whose_memory_is_gone_names_what_is_put_next(memory: remanence.Engine) -> None:
    """An issue that fails again after its episode was compacted is a new episode, the newest, after the old one."""
    old = await item(memory, "failed-1")
    await item(memory, "failed-2")
    await compact(memory, 1)
    answer = await memory.learn("Again!", key="failed-1", kind="episodic", agent="maestro", source="log")
    found, gone = await memory.get("failed-1"), await memory.get(old)
    await compact(memory, 1)
    links = [(link.source, link.target, link.relation.label) for link in await memory.links(old)]

    assert ("stored", f"anew: #{gone.seq}, which had the name, is pruned") == (answer.status, answer.reason)
    assert ("Again!", "failed-1", None, "pruned") == (found.text, found.key, gone.key, gone.status.label)
    assert Status.INBOX is (await memory.get("failed-1")).status
    assert [(answer.seq, gone.seq, "learned_from")] == links

    assert "known" == (await memory.learn("Again!", key="failed-1", agent="maestro", source="log")).status


class _Broken(HashedEmbedder):
    """An embedder that can fail: its vectors are then no numbers."""

    fails = False

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> npt.NDArray[np.float32]:
        """Embed, or give what cannot be kept."""
        return super().embed(texts, weight) * np.float32("nan" if self.fails else 1)


async def test_a_name_is_freed_only_for_what_takes_it(opener: Opener) -> None:
    """Where the new text cannot be stored, nothing is; where it can, name, text and link are one run, undone as one."""
    embedder = _Broken()
    async with opener(embedder=embedder) as memory:
        old = await item(memory, "failed-1")
        await memory.forget(old)
        embedder.fails = True
        before = await memory.get(old), await memory.history()
        with pytest.raises(InvalidInput, match="embedder"):
            await memory.learn("Again!", key="failed-1", agent="maestro", source="log")
        after = await memory.get(old), await memory.history()
        embedder.fails = False
        answer = await memory.learn("Again!", key="failed-1", agent="maestro", source="log")
        last = (await memory.history())[-1]
        found = await memory.get("failed-1")
        await memory.undo(last.run)

        assert before == after
        assert (answer.id, answer.seq) == (found.id, found.seq)
        assert "failed-1" == before[0].key == (await memory.get(old)).key
        assert [] == await memory.links(old)
        assert [] == [check for check in await memory.doctor() if not check.ok]


async def test_a_name_that_is_gone_is_put_on_the_revision_that_was_read(memory: remanence.Engine) -> None:
    """Another revision is refused and frees nothing; that of the memory that is gone stores the text."""
    old = await item(memory, "failed-1")
    await memory.forget(old)
    revision = (await memory.get(old)).revision
    for wrong in (0, revision + 1):
        with pytest.raises(Conflict):
            await memory.learn("Again!", key="failed-1", agent="maestro", source="log", if_revision=wrong)

    assert "failed-1" == (await memory.get(old)).key

    answer = await memory.learn("Again!", key="failed-1", agent="maestro", source="log", if_revision=revision)

    assert ("stored", answer.id) == (answer.status, (await memory.get("failed-1")).id)


async def test_a_name_that_is_gone_is_taken_also_by_a_text_that_stands_under_another(
    memory: remanence.Engine,
) -> None:
    """The new memory is linked to what had its name, and to what says the same."""
    old = await item(memory, "failed-1")
    first = await memory.learn("Timeout.", key="failed-2", agent="maestro", source="log")
    await memory.forget(old)
    answer = await memory.learn("Timeout.", key="failed-1", agent="maestro", source="another log")
    links = {(link.source, link.target, link.relation.label) for link in await memory.links("failed-1")}

    assert ("stored", answer.id) == (answer.status, (await memory.get("failed-1")).id)
    assert {
        (answer.seq, (await memory.get(old)).seq, "learned_from"),
        (first.seq, answer.seq, "near_duplicate"),
    } == links


async def test_of_several_who_put_under_a_name_that_is_gone_one_stores(tmp_path: Path) -> None:
    """Engines on one file at once: who comes second brings the first one's memory to its text."""
    async with on_file(tmp_path) as memory, on_file(tmp_path) as other:
        for number in range(20):
            await memory.forget(await item(memory, f"k{number}"))
            await asyncio.gather(
                *(
                    desk.learn(f"{name} says {number}", key=f"k{number}", agent="maestro", source="log")
                    for name, desk in (("one", memory), ("two", other))
                )
            )

        assert [f"k{number}" for number in range(20)] == await keys(memory)


# A key is an identity


async def test_each_key_names_a_memory_of_its_own(tmp_path: Path) -> None:
    """Three keys with one text are three memories, each linked to the first as one that says the same."""
    async with on_file(tmp_path) as memory:
        first, *others = [
            await memory.learn("Timeout.", key=key, agent="maestro", source="log")
            for key in ("one", "two", "three")
        ]
        named = [(await memory.get(key)).id for key in ("one", "two", "three")]
        links = [link.key for link in await memory.links(first.id)]
        checks = [check for check in await memory.doctor() if not check.ok]

    assert ["", *[f"#{first.seq} says the same"] * 2] == [first.reason, *(one.reason for one in others)]
    assert [first.id, *(one.id for one in others)] == named
    assert {(first.seq, one.seq, int(Relation.NEAR_DUPLICATE)) for one in others} == set(links)
    assert [] == checks


async def test_a_text_that_was_recalled_is_put_under_another_key(memory: remanence.Engine) -> None:
    """It is no echo of an answer: its key makes it another memory."""
    await memory.learn("The kettle of Vera leaks badly.", key="one", speaker="ann", source="log")
    await memory.consolidate()
    assert 1 == len((await memory.recall("Whose kettle leaks?")).memories)
    put = await memory.learn("The kettle of Vera leaks badly.", key="two", speaker="ann", source="log")

    assert "stored" == put.status
    assert ["one", "two"] == await keys(memory)


async def test_what_is_learned_still_confirms_what_was_put(memory: remanence.Engine) -> None:
    """Without a key, a text that is learned again is a repeat of the oldest that says it."""
    first = await memory.learn("Timeout.", key="one", agent="maestro", source="log")
    await memory.learn("Timeout.", key="two", agent="maestro", source="log")
    learned = await memory.learn("Timeout.")

    assert ("confirmed", first.id) == (learned.status, learned.id)
    assert ["one", "two"] == await keys(memory)


async def test_what_was_learned_gives_its_place_to_no_key(memory: remanence.Engine) -> None:
    """A text that was learned without a key stays beside the one that is put under a key."""
    await memory.learn("Timeout.")
    await memory.learn("Timeout.", key="one", agent="maestro", source="log")

    assert [None, "one"] == await keys(memory)


async def test_a_memory_brought_to_anothers_text_is_linked_to_it(memory: remanence.Engine) -> None:
    """As one that was put with that text is."""
    first = await memory.learn("Timeout.", key="one", agent="maestro", source="log")
    second = await memory.learn("Out of memory.", key="two", agent="maestro", source="log")
    await memory.learn("Timeout.", key="two", agent="maestro", source="log")

    assert [(first.seq, second.seq, int(Relation.NEAR_DUPLICATE))] == [
        link.key for link in await memory.links("two")
    ]


async def test_each_key_comes_over_with_an_export(tmp_path: Path) -> None:
    """Into an empty memory, and into one where the text stands without a key or under another."""
    async with on_file(tmp_path) as memory:
        for key in ("one", "two", "three"):
            await memory.learn("Timeout.", key=key, agent="maestro", source="log")
        lines = [line async for line in memory.export()]
    for number, before in enumerate((None, "", "four")):
        async with remanence.open(tmp_path / f"{number}.db", embedder="none") as other:
            if before is not None:
                await other.learn("Timeout.", key=before or "x", agent="a", source="s")
            await other.import_(lines)
            await other.import_(lines)

            assert {"one", "two", "three"} == set(await keys(other)) - {before or "x"}


async def test_a_merge_takes_no_key_away(memory: remanence.Engine) -> None:
    """Each key still names its memory; another text that is put under the merged one's is a memory of its own."""
    for key in ("one", "two"):
        await memory.learn("The ferry to Bregen leaves at six.", key=key, agent="maestro", source="log")
    await memory.consolidate()
    await memory.merge("one", "two")
    merged = {key: await memory.get(key) for key in ("one", "two")}
    gone = next(one for one in merged.values() if one.reason is Reason.MERGED)
    again = await memory.learn(gone.text, key=str(gone.key), agent="maestro", source="log")
    answer = await memory.learn(
        "The ferry leaves at seven.", key=str(gone.key), agent="maestro", source="log"
    )

    assert ["one", "two"] == [one.key for one in merged.values()]
    assert ("known", gone.id) == (again.status, again.id)
    assert ("stored", answer.id) == (answer.status, (await memory.get(str(gone.key))).id)
    assert {"one", "two"} == set(await keys(memory))


async def test_a_key_whose_memory_was_forgotten_says_so(memory: remanence.Engine) -> None:
    """When it was, and how to bring it back; by its id it is still shown, and restored it has its key."""
    done = await memory.learn("heron-42", key="wifi", agent="desk", source="manual")
    await memory.forget("wifi")
    day = (await memory.get(done.id)).status_time.date().isoformat()

    with pytest.raises(NotFound) as refused:
        await memory.get("wifi")
    assert f"the memory with the key 'wifi' was forgotten on {day}" in str(refused.value)
    assert f"restore {done.seq};" in refused.value.recovery

    await memory.restore("wifi")

    assert done.id == (await memory.get("wifi")).id


# Successors


async def test_a_refused_successor_changes_nothing(tmp_path: Path) -> None:
    """Itself, a circle of any length, one that is not there (a KeyError) and one that was pruned."""
    async with on_file(tmp_path) as memory:
        for key in ("a", "b", "c", "d", "gone"):
            await item(memory, key)
        for old, by in (("a", "b"), ("b", "c"), ("c", "d")):
            await memory.correct(old, by=by)
        await memory.forget("gone")
        before = [line async for line in memory.export()]
        refused: list[tuple[str, str, type[Exception]]] = [
            *(("d", by, InvalidInput) for by in ("d", "c", "b", "a")),
            ("d", "nobody", KeyError),
            ("nobody", "d", KeyError),
            ("d", "gone", InvalidInput),
        ]
        for old, by, error in refused:
            with pytest.raises(error):
                await memory.correct(old, by=by)

        assert before == [line async for line in memory.export()]
        with pytest.raises(NotFound):
            await memory.correct("d", by="nobody")


async def test_a_memory_has_one_successor(tmp_path: Path) -> None:
    """Naming another takes the place of the first; naming the same again changes nothing; undo gives the first back."""
    async with on_file(tmp_path) as memory:
        *_, second = [await item(memory, key) for key in ("old", "first", "second")]
        await memory.correct("old", by="first")
        pointed = [line async for line in memory.export()]
        again = await memory.correct("old", by="first")
        moved = await memory.correct("old", by="second")
        links = [(await memory.get(link.source)).id for link in await memory.links("old")]
        told = await memory.learn("x", key="old", agent="maestro", source="log")
        # The first no longer stands for the old one, so the old one's successor may be superseded by it.
        await memory.correct("second", by="first")
        with pytest.raises(InvalidInput):
            await memory.correct("first", by="old")
        await memory.undo((await memory.history())[-1].run)
        await memory.undo(moved)

        assert (0, [second]) == (again.changes, links)
        assert f"superseded by #{(await memory.get(second)).seq}" in told.reason
        assert pointed == [line async for line in memory.export()]


async def test_what_came_back_may_supersede_its_successor(memory: remanence.Engine) -> None:
    """A restored memory has no successor, whatever its history says."""
    await item(memory, "two")
    await item(memory, "four")
    await memory.correct("two", by="four")
    await memory.restore("two")
    await memory.correct("four", by="two")

    assert ["two"] == await keys(memory)


async def test_who_was_only_looked_at_has_no_event(memory: remanence.Engine) -> None:
    """The end of a line of successors is guarded against a circle; that is nothing to tell of it."""
    for key in ("one", "two", "three"):
        await item(memory, key)
    await memory.correct("two", by="three")
    await memory.correct("one", by="two")
    told = [event.verb for event in await memory.history("three")]

    assert ["put", "supersede"] == told
    assert 3 == len(await memory.history("two"))


# Several processes

SUPERSEDING = """
import asyncio, sys, remanence
from remanence.core.errors import InvalidInput
async def main(path, *pairs):
    async with remanence.open(path, embedder="none") as memory:
        print("ready", flush=True)
        sys.stdin.readline()
        for pair in pairs:
            old, by = pair.split(":")
            try:
                await memory.correct(old, by=by)
                print(old, flush=True)
            except InvalidInput:
                pass
asyncio.run(main(*sys.argv[1:]))
"""


async def test_processes_close_no_circle(tmp_path: Path) -> None:
    """Two that supersede each other's memories at once: of each pair and each triangle, one stays in sight."""
    async with on_file(tmp_path) as memory:
        for number in range(20):
            for name in "abxyz":
                await item(memory, f"{name}{number}")
            await memory.correct(f"y{number}", by=f"z{number}")
        one = [pair for n in range(20) for pair in (f"a{n}:b{n}", f"x{n}:y{n}")]
        two = [pair for n in range(20) for pair in (f"b{n}:a{n}", f"z{n}:x{n}")]
        processes = [started(SUPERSEDING, str(tmp_path / "memory.db"), *pairs) for pairs in (one, two)]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        said = await asyncio.gather(*(asyncio.to_thread(said_by, process, "go\n") for process in processes))
        left = await keys(memory)
        checks = await memory.doctor()

    assert 40 == len(said[0]) + len(said[1]) == 100 - 20 - len(left)
    for number in range(20):
        assert 1 == len({f"a{number}", f"b{number}"} & set(left))
        assert 1 == len({f"x{number}", f"y{number}", f"z{number}"} & set(left))
    assert [] == [check for check in checks if not check.ok]


async def test_a_circle_closed_between_look_and_commit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First y by z; then x by y comes between the look of z by x and its commit: the end of the line is guarded."""
    line = editing._line

    async def interrupted(*given: Any) -> Any:
        found = await line(*given)
        monkeypatch.setattr(editing, "_line", line)
        await other.correct("x", by="y")
        return found

    async with on_file(tmp_path) as memory, on_file(tmp_path) as other:
        for key in "xyz":
            await item(memory, key)
        await memory.correct("y", by="z")
        monkeypatch.setattr(editing, "_line", interrupted)

        with pytest.raises(InvalidInput, match="cannot supersede"):
            await memory.correct("z", by="x")
        assert ["z"] == await keys(memory)


async def test_the_key_goes_with_the_place(memory: remanence.Engine) -> None:
    """A corrected memory gives its key to the correction; undo gives it back, and what has a name keeps it."""
    learned = await memory.learn("The boat is blue", key="boat", agent="a", source="s")
    before = [line async for line in memory.export()]
    corrected = await memory.correct("boat", "The boat is red")
    old, new = await memory.get(learned.id), await memory.get("boat")
    await memory.undo((await memory.history("boat"))[0].run)
    undone = [line async for line in memory.export()]
    await memory.learn("The boat is green", key="other")
    await memory.correct("boat", by="other")

    assert (None, corrected.id) == (old.key, new.id)
    assert before == undone
    assert Status.SUPERSEDED is (await memory.get("boat")).status


async def test_a_key_that_is_taken_is_not_given_twice(memory: remanence.Engine) -> None:
    """Of two memories whose place one takes, the first gives it its key; the second keeps its own."""
    for name in ("one", "two"):
        await memory.learn(f"Boat {name}", key=name, agent="a", source="s")
    heir = await memory.learn("Both boats are sold")
    await memory.correct("one", by=heir.id)
    await memory.correct("two", by=heir.id)

    assert heir.id == (await memory.get("one")).id
    assert Status.SUPERSEDED is (await memory.get("two")).status


async def test_put_says_what_holds_after_a_newer_statement_took_the_place(memory: remanence.Engine) -> None:
    """By a policy; the name goes to the new text, and nothing else loses its place by that."""
    first = await memory.learn("The open day starts at two.", key="open-day", speaker="Ana", source="plan")
    second = await memory.learn("The open day starts at four now.", speaker="Ana")
    await memory.link(second.id, first.id, "newer")
    await memory.curate("elfmem")
    between = [one.text for one in await memory.list()]
    third = await memory.learn("The open day starts at five.", key="open-day", speaker="Ana", source="plan")
    standing = [one.text for one in await memory.list()]

    assert ("stored", "stored") == (second.status, third.status)
    assert ["The open day starts at four now."] == between
    assert f"#{first.seq}," in third.reason
    assert {"The open day starts at four now.", "The open day starts at five."} == {*standing}
    assert third.id == (await memory.get("open-day")).id
