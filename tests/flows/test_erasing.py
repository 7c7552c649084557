"""What is erased is in no file of the database, comes in by no door, and leaves a chain that is proven."""

import asyncio
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

import remanence
from remanence import Conflict, Engine, Erased, Protected
from remanence.core.clock import ManualClock
from remanence.core.model import Memory, Turn
from remanence.store.sqlite import cleaning
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence.text.analysis import stems
from remanence.text.forbidden_keys import ban_keys
from remanence_store_kit.builders import expect_error
from tests.flows.conftest import Opener, hear

SAID = "Wilhelmina hides the Quirkleton key beneath the marmalade bridge."
OTHER = "The boathouse opens at four in the afternoon."
PURGING = """
version = 1
[[rule]]
name = "fallen"
every = "deep"
phase = "purge"
do = "purge"
where = "status == 'pruned'"
because = "WHY"
"""


def opened(path: Path, **more: object) -> Engine:
    """Open a file."""
    return remanence.open(path, **{"embedder": "hashed", "clock": ManualClock(), **more})  # type: ignore[arg-type]


def left_in(path: Path, *needles: str | bytes) -> list[str | bytes]:
    """Return which of these stand in any file of the database, however they are written."""
    data = b"".join(one.read_bytes() for one in sorted(path.parent.glob(f"{path.name}*")))
    found = []
    for needle in needles:
        plain = needle if isinstance(needle, bytes) else needle.encode()
        if any(form in data for form in (plain, plain.lower(), plain.hex().encode())):
            found.append(needle)
    return found


async def unsound(memory: Engine) -> list[str]:
    """Return what doctor finds, and what it says of erasures."""
    return [str(check) for check in await memory.doctor() if not check.ok or check.name == "erased"]


async def live(memory: Engine, chance: random.Random, count: int) -> list[Memory]:
    """Let many memories live: learned, edited, used, linked, archived, forgotten."""
    learned = await memory.learn([_turn(chance, number) for number in range(count)])
    await memory.consolidate()
    seqs = [one.seq for one in learned]
    for seq in chance.sample(seqs, count // 5):
        await memory.update(seq, text=_turn(chance, seq).text)
    for seq in chance.sample(seqs, count // 5):
        await memory.tag(seq, f"tag{_odd(chance)}")
    for a, b in zip(chance.sample(seqs, 20), chance.sample(seqs, 20), strict=True):
        if a != b:
            await memory.link(a, b, "supports")
    for seq in chance.sample(seqs, 10):
        await memory.forbid(seq)
    await memory.recall("who saw the harbour")
    return [await memory.get(seq) for seq in seqs]


def _odd(chance: random.Random) -> str:
    return "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(5))


def _turn(chance: random.Random, number: int) -> Turn:
    said = f'{_odd(chance).title()} saw the harbour near {_odd(chance)} and "the {_odd(chance)}" há {_odd(chance)}.'
    return Turn(said, speaker=f"s{_odd(chance)}", attributes={"note": _odd(chance), "number": number})


async def test_a_hundred_of_a_hundred_random_memories_leave_no_byte(tmp_path: Path) -> None:
    """No text that they ever had, none of their words, speakers and attributes, and nothing of their vectors."""
    chance, path = random.Random(13), tmp_path / "memory.db"
    async with opened(path) as memory:
        lived = await live(memory, chance, 250)
        gone = chance.sample(lived, 100)
        store = memory._core.store
        former = [
            str(side["text"])
            for one in gone
            for part in await store.history("default", memory=one.seq)
            for change in part.changes
            for side in (change.before, change.after)
            if side and isinstance(side.get("text"), str)
        ]
        _, vectors = await store.vectors("default", only=[one.seq for one in gone])
        done = await memory.erase.apply(await memory.erase.show([one.seq for one in gone]))
        texts = [*former, *(one.text for one in gone)]
        words = {word for text in texts for word in stems(text) if len(word) >= 8 and word != "harbour"}
        needles = [
            *texts,
            *sorted(words),
            *(one.speaker for one in gone if one.speaker),
            *(str((one.attributes or {})["note"]) for one in gone),
            *(tag for one in gone for tag in one.tags if tag.startswith("tag")),
            *(row.tobytes() for row in vectors),
        ]
        wrong = await unsound(memory)
        stays = await memory.get(next(one.seq for one in lived if one not in gone))

    assert ([], [], ()) == (left_in(path, *needles), wrong, done.found)
    assert (100, False) == (done.erased, done.pending)
    assert min(done.looked_for, len(needles)) > 500
    assert stays.text in {one.text for one in lived}
    assert [stays.text] == left_in(path, stays.text)


async def test_what_says_the_same_is_shown_and_the_proof_tells_of_it(tmp_path: Path) -> None:
    """Also a memory that was replaced, and one of another scope, of which the proof tells alone."""
    path, text = tmp_path / "memory.db", "The car goes to Rusty Flower in Bath."
    async with opened(path, scope="other") as other:
        await other.learn(text)
    async with opened(path) as memory:
        replaced = await memory.learn(text)
        await memory.correct(replaced, "The car goes to Olive Mill in Bath.")
        again = await memory.learn(text)
        shown = await memory.erase.show(again)
        alone = await memory.erase.apply(shown)
        both = await memory.erase.apply(await memory.erase.show(replaced))

    assert ([replaced.id], [text]) == ([one.id for one in shown.same], left_in(path, text))
    assert all("what stays says them too" in str(one) and one.shared > 3 for one in (alone, both))


async def test_the_chain_is_proven_and_what_was_left_of_it_too(tmp_path: Path) -> None:
    """Parts that were emptied have the digests that they had; whoever changes what is left is noticed."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        said, other = [one.seq for one in await memory.learn([SAID, OTHER])]
        await memory.update(said, text=f"{SAID} Or did.")
        await memory.tag([said, other], "boats")
        before = await memory._core.store.history("default", rows=False)
        for seq in (said, other):
            await memory.erase.apply(await memory.erase.show(seq))
        after = await memory._core.store.history("default", rows=False)
        assert [] == await unsound(memory)
        assert [part.digest for part in before] == [part.digest for part in after[: len(before)]]
    for edit in (
        "DELETE FROM emptied",
        "UPDATE emptied SET rest = zeroblob(32)",
        "UPDATE runs SET actor = 'another' WHERE position = 1",
        "INSERT INTO changes (scope, position, n, kind, key) VALUES (1, 1, 9, 0, 7)",
    ):
        (copy := tmp_path / "copy.db").write_bytes(path.read_bytes())
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute(edit)
        async with opened(copy) as memory:
            assert ["audit"] == [check.name for check in await memory.doctor() if not check.ok]


async def test_undo_and_restore_refuse_it_by_name(opener: Opener) -> None:
    """Neither the run that made it, nor one that changed it beside others, nor the erasure is taken back."""
    async with opener() as memory:
        said, other = await memory.learn([SAID, OTHER])
        tagged = await memory.tag([said.seq, other.seq], "boats")
        done = await memory.erase.apply(await memory.erase.show(said.id))
        asked = [
            memory.restore(said.id),
            memory.restore(said.seq),
            memory.restore(f"#{said.seq}"),
            memory.undo(tagged),
            memory.undo(done.run),
        ]
        refused = [await expect_error(Erased, one) for one in asked]
        stays = await memory.get(other.seq)
        history = await memory.history(other.seq)

    assert all(error.recovery for error in refused)
    assert all("erased" in str(error) or "erasure" in str(error) for error in refused)
    assert (("boats",), OTHER) == (stays.tags, stays.text)
    assert 2 == len(history)


async def test_no_door_lets_it_in_again(opener: Opener) -> None:
    """Learned, put, corrected to or imported, under another look or its old id; the rest of an import comes in."""
    async with opener() as memory:
        said = await memory.learn(SAID)
        await memory.learn(OTHER)
        export = [line async for line in memory.export()]
        await memory.update(said.id, text="Wilhelmina moved to another town in May.")
        await memory.erase.apply(await memory.erase.show(said.id))
        again = [
            await memory.learn(text) for text in (SAID.upper(), "wilhelmina moved to another town in may")
        ]
        await expect_error(Erased, memory.update(2, text=SAID))
        taken = await memory.import_(export, trust="user")
        found = [hit.text for hit in await memory.recall("who hides the Quirkleton key")]

    assert ["gated", "gated"] == [one.status for one in again]
    assert "erased" in again[0].reason
    assert any("erased" in note for note in (*taken.skipped, *taken.notes))
    assert SAID not in found


async def test_what_stands_elsewhere_too_is_not_refused(opener: Opener) -> None:
    """The same words of somebody else stay his, and may be said again."""
    async with opener() as memory:
        mine = await memory.learn("Thank you, that helped me.", speaker="Ines")
        await memory.learn("Thank you, that helped me.", speaker="Tom")
        await memory.erase.apply(await memory.erase.show(mine.id))
        again = await memory.learn("Thank you, that helped me.", speaker="Ruth")

    assert "gated" != again.status


async def test_what_was_learned_from_it_alone_goes_with_it(opener: Opener) -> None:
    """A fact of one turn goes with the turn; what another turn says too stays; both are shown first."""
    async with opener() as memory:
        await memory.note("My sister Ruth lives in Bergen.", speaker="Ines", session="a")
        await hear(memory)
        turn, *facts = sorted(await memory.list(), key=lambda one: one.seq)
        shown = await memory.erase.show(turn.seq)
        await memory.erase.apply(shown)
        left = await memory.list()

    assert {one.seq for one in facts if "Bergen" in one.text} <= shown.revisions.keys()
    assert not [one.text for one in left if "Bergen" in one.text]


async def test_why_runs_were_done_quotes_it_no_more(tmp_path: Path) -> None:
    """The text in any case, a part of it or a word that nothing else says; the rest of the reason stays, and others."""
    clock, path = ManualClock(), tmp_path / "memory.db"
    reasons = [
        f"it said {SAID.upper()}",
        "she hides the Quirkleton key, I think",
        "quirkleton",
        "the boathouse is shut in the afternoon",
    ]
    async with remanence.open(path, embedder="hashed", clock=clock) as memory:
        said = await memory.learn(SAID, attributes={"seen": "zanzibarine"})
        await memory.learn(OTHER)
        runs = []
        for number, reason in enumerate([*reasons, "zanzibarine"]):
            fallen = await memory.learn(f"Barge {number} sank.")
            await memory.forget(fallen.id)
            clock.advance(days=1)
            done = await memory.apply(await memory.plan(PURGING.replace("WHY", reason)), allow_destroyed=1)
            runs.append(done.run)
        await memory.erase.apply(await memory.erase.show(said.id))
        told = [(await memory.history(run=run)).acts[0].rules["fallen"] for run in runs]
        wrong = await unsound(memory)

    assert ["it said erased", "she hides the erased key, I think", "erased", reasons[-1], "erased"] == told
    assert [] == wrong
    assert [] == left_in(path, "Quirkleton", "QUIRKLETON", "zanzibarine")


async def test_a_hold_refuses_it_whole(opener: Opener) -> None:
    """Nothing is erased of what was shown while one of it is held; a pin is no hold."""
    async with opener() as memory:
        said, other = await memory.learn([SAID, OTHER])
        await memory.pin(other.id)
        await memory.hold(said.id, "audit")
        shown = await memory.erase.show([said.id, other.id])
        await expect_error(Protected, memory.erase.apply(shown))
        assert [said.id] == [one.id for one in shown.held]
        assert SAID == (await memory.get(said.id)).text
        await memory.hold(said.id, "audit", off=True)
        await memory.erase.apply(await memory.erase.show([said.id, other.id]))
        assert [] == await memory.list()


async def test_what_changed_since_it_was_shown_is_not_erased(opener: Opener) -> None:
    """An edit by anybody between the look and the erasure refuses it, and everything stands."""
    async with opener() as memory:
        said, other = await memory.learn([SAID, OTHER])
        shown = await memory.erase.show([said.id, other.id])
        await memory.update(other.id, text="The boathouse opens at five now.")
        await expect_error(Conflict, memory.erase.apply(shown))

        assert 2 == len(await memory.list())


async def test_a_whole_scope_goes_and_no_other(opener: Opener) -> None:
    """What is kept in another scope of the same file stays, a name that both bear too."""
    async with opener() as memory, opener(scope="other") as beside:
        await memory.learn([Turn(SAID, speaker="Ines", tags=["boats"]), Turn(OTHER, speaker="Tom")])
        kept = await beside.learn(OTHER, speaker="Ines", tags=["boats"])
        done = await memory.erase.apply(await memory.erase.show(scope=True))
        stays = await beside.get(kept.id)
        left = await memory.list()
        again = await beside.learn(SAID)

    assert (2, []) == (done.erased, left)
    assert ("Ines", ("boats",), OTHER) == (stays.speaker, stays.tags, stays.text)
    assert "stored" == again.status


async def test_beside_a_reader_it_is_pending_and_finished_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that holds the log keeps the old bytes; once it lets go, the next look rewrites and proves."""
    monkeypatch.setattr(cleaning, "WAIT_MS", 50)
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        said = await memory.learn(SAID)
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memories").fetchone()
            done = await memory.erase.apply(await memory.erase.show(said.id))
            still = await memory.erase.apply()
            reader.execute("COMMIT")
        finished = await memory.erase.apply()
        again = await memory.erase.apply()

        assert (True, True) == (done.pending, still is not None and still.pending)
        assert finished is not None
        assert (False, ()) == (finished.pending, finished.found)
        assert finished.looked_for > 5
        assert None is again
        assert [] == left_in(path, SAID, "Quirkleton", "quirkleton")


async def test_the_next_tick_finishes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of another process, which never knew the texts: it looks for their salted hashes."""
    monkeypatch.setattr(cleaning, "WAIT_MS", 50)
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        said = await memory.learn(SAID)
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memories").fetchone()
            assert (await memory.erase.apply(await memory.erase.show(said.id))).pending
    async with opened(path, policy="default") as memory:
        ticked = await memory.run_jobs()
        assert "erase" in ticked.ran
        assert [] == left_in(path, SAID, "Quirkleton", "quirkleton")
        assert [] == await unsound(memory)


async def test_what_is_left_somewhere_is_said(tmp_path: Path) -> None:
    """Bytes that nobody follows make it not proven; copies in its folder are named, and nobody else's files."""
    path = tmp_path / "memory.db"
    async with opened(tmp_path / "stranger.db") as memory:
        await memory.learn(SAID)
    (tmp_path / "notes.txt").write_text(SAID)
    async with opened(path) as memory:
        said = await memory.learn(SAID)
        await memory.backup(tmp_path / "memory.db.copy")
        await memory.backup(tmp_path / "a copy #1.db")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE elsewhere (said TEXT)")
            connection.execute("INSERT INTO elsewhere VALUES (?)", (SAID,))
        done = await memory.erase.apply(await memory.erase.show(said.id))
        wrong = await unsound(memory)

    assert (str(path),) == done.found
    assert (str(tmp_path / "a copy #1.db"), f"{path}.copy") == done.copies
    assert not done.is_well
    assert "NOT PROVEN" in str(done)
    assert any("erased" in one for one in wrong)


async def test_another_process_learns_a_name_anew(tmp_path: Path) -> None:
    """A speaker who was erased, and speaks again to a process that knew him, has his name."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory, opened(path) as other:
        said = await memory.learn(SAID, speaker="Wilhelmina")
        await other.get(said.id)
        await memory.erase.apply(await memory.erase.show(said.id))
        again = await other.learn(OTHER, speaker="Wilhelmina")
        told = [(await one.get(again.id)).speaker for one in (memory, other)]
        listed = await memory.list(speaker="Wilhelmina")

        assert (["Wilhelmina"] * 2, 1) == (told, len(listed))
        assert [] == await unsound(memory)


async def test_two_erase_the_same_and_one_learns_meanwhile(tmp_path: Path) -> None:
    """One of the two erasures is refused; what comes in meanwhile stands; all is sound."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory, opened(path) as other:
        said = await memory.learn(SAID)
        shown = [await one.erase.show(said.id) for one in (memory, other)]
        results = await asyncio.gather(
            memory.erase.apply(shown[0]),
            other.erase.apply(shown[1]),
            other.learn(OTHER),
            return_exceptions=True,
        )
        while (finished := await memory.erase.apply()) is not None and finished.pending:
            await asyncio.sleep(0.01)

        assert 1 == sum(isinstance(one, Conflict) for one in results)
        assert [OTHER] == [one.text for one in await memory.list()]
        assert [] == await unsound(memory)
        assert [] == left_in(path, SAID, "Quirkleton")


KILLED = """
import asyncio, os, sys
import remanence
from remanence.core.clock import ManualClock
from remanence.store.sql import erasing, redact_images
from remanence.store.sqlite import cleaning

async def main():
    at = sys.argv[2]
    place, name = {
        "emptying": (redact_images.Emptying, "part_digests"), "ledger": (erasing.SqlErasure, "_keep_ledger"),
        "committed": (cleaning, "clean"), "rewriting": (cleaning, "_rewrite_file"),
        "rewritten": (cleaning, "_read_unproven_pieces"), "looking": (cleaning, "_check_residue"),
    }[at]
    setattr(place, name, lambda *_: os.kill(os.getpid(), 9))
    async with remanence.open(sys.argv[1], embedder="hashed", clock=ManualClock()) as memory:
        await memory.erase.apply(await memory.erase.show(1))

asyncio.run(main())
"""


@pytest.mark.parametrize("at", ["emptying", "ledger", "committed", "rewriting", "rewritten", "looking"])
async def test_a_kill_leaves_it_whole_or_to_be_finished(at: str, tmp_path: Path) -> None:
    """Before the commit nothing has happened; after it the next look rewrites the file and proves."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        await memory.learn([SAID, OTHER])
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(path), at)
    assert -9 == await process.wait()
    async with opened(path) as memory:
        stands = SAID in [one.text for one in await memory.list()]
        assert (at in {"emptying", "ledger"}) == stands
        if stands:
            await memory.erase.apply(await memory.erase.show(1))
        else:
            finished = await memory.erase.apply()
            assert finished is not None
            assert not finished.pending
        assert [] == await unsound(memory)
        assert [OTHER] == [one.text for one in await memory.list()]
        assert [] == left_in(path, SAID, "Quirkleton", "quirkleton")


async def test_ten_thousand_erased_are_refused_as_one_is(tmp_path: Path) -> None:
    """The ledger is asked by its key, however long it is."""
    path = tmp_path / "memory.db"
    store = SqliteStore(str(path))
    async with remanence.open(store=store, embedder="hashed", clock=ManualClock()) as memory:
        said = await memory.learn(SAID)
        await memory.erase.apply(await memory.erase.show(said.id))
        with closing(sqlite3.connect(path)) as connection, connection:
            rows = ((f"{number:032x}",) for number in range(10_000))
            connection.executemany(
                "INSERT INTO erased SELECT scope, ?, at, kind FROM (SELECT * FROM erased LIMIT 1)", rows
            )
            (plan,) = connection.execute(
                "EXPLAIN QUERY PLAN SELECT at FROM erased WHERE scope = 1 AND mark = 'x'"
            ).fetchall()
        refused = await memory.learn(SAID)
        stored = await memory.learn(OTHER)

    assert ("gated", "stored") == (refused.status, stored.status)
    assert "SEARCH" in plan[3]


async def test_another_scope_keeps_its_chain_and_what_it_forbade(opener: Opener) -> None:
    """The same text, forbidden in two scopes and erased in one: the other can be undone, and is proven."""
    async with opener() as memory, opener(scope="other") as beside:
        mine, theirs = await memory.learn(SAID), await beside.learn(SAID)
        await memory.forbid(mine.id)
        forgotten = await beside.forbid(theirs.id)
        await memory.erase.apply(await memory.erase.show(mine.id))
        wrong = await unsound(beside)
        await beside.undo(forgotten)
        stands = await beside.get(theirs.id)

    assert [] == wrong
    assert SAID == stands.text


async def test_what_forbade_an_erased_text_is_gone_under_every_key(tmp_path: Path) -> None:
    """Also what forbade it in a disguise, and what the history said of that."""
    path = tmp_path / "memory.db"
    async with opened(path) as memory:
        mine = await memory.learn(SAID)
        await memory.forbid(mine.id)
        store = memory._core.store
        before = [change for part in await store.history("default") for change in part.changes]
        await memory.erase.apply(await memory.erase.show(mine.id))
        after = [change for part in await store.history("default") for change in part.changes]

    assert {*ban_keys(SAID)} == {one.key for one in before if one.table == "forbidden"}
    assert [] == [one.key for one in after if one.table == "forbidden" and one.after is not None]
    assert [] == left_in(path, *ban_keys(SAID))


async def test_words_that_the_engine_writes_itself_are_no_trace(tmp_path: Path) -> None:
    """Names of leases, counters, columns and actions stand in every file, and what a ledger says of itself."""
    said = [
        "consolidate",
        "I have confidence",
        "its policy_class",
        "summarize_node",
        "the category",
        "remanence erased",
    ]
    async with opened(tmp_path / "memory.db", policy="default") as memory:
        mine = await memory.learn(said)
        await memory.learn(OTHER, category="preference")
        await memory.consolidate()
        await memory.curate()
        done = await memory.erase.apply(await memory.erase.show([one.id for one in mine]))

    assert (6, False, (), ()) == (done.erased, done.pending, done.found, done.copies)
