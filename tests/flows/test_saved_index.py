"""A large scope's index is kept in 8 bits and beside its file, and no answer rests on either.

What is large is made small here: every scope is.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import remanence
from remanence.core.beside import PARTIAL
from remanence.core.clock import ManualClock
from remanence.core.model import Turn
from remanence.flows.indexes import saved_index, scope_index
from remanence.flows.indexes.index_file import open_arrays, read_arrays, read_head, write_arrays
from remanence.recall.quantized import QuantizedVectors
from remanence.recall.rough import RoughVectors
from remanence.store.sqlite import index_files
from tests.flows.test_index import _act

WORDS = "boat rope sail paint harbour meeting monday tea lisbon keel engine note anchor".split()
QUESTIONS = (
    "boat rope keel",
    "tea in lisbon on monday",
    "who painted the harbour?",
    "A-4711",
    "zzz",
    "note 7",
)
ASKED = ("boat rope", "tea", "harbour paint monday")


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the smallest scope be a large one, whose file is written after every change."""
    monkeypatch.setattr(scope_index, "ROUGH_FROM", 1)
    monkeypatch.setattr(scope_index, "SAVED_BEHIND_MAX", 0)


def _opened(path: Path | str, clock: ManualClock, **more: object) -> remanence.Engine:
    return remanence.open(path, embedder="hashed", clock=clock, **more)  # type: ignore[arg-type]


async def _fill(memory: remanence.Engine, choice: random.Random, count: int) -> None:
    for k in range(count):
        text = " ".join(choice.choices(WORDS, k=choice.randrange(3, 20))) + choice.choice((".", "?", f" {k}"))
        session = choice.choice(("a", "b", "c", None))
        await memory.learn(Turn(text, session=session, speaker=choice.choice(("Ann", "Bo", None))))
    await memory.consolidate()


async def _answers(memory: remanence.Engine) -> list[object]:
    """Return all that is said in answer to some questions, to the last bit."""
    found: list[object] = []
    for question in QUESTIONS:
        for more in (
            {"limit": 3},
            {"limit": 50},
            {"limit": 5, "budget": 200},
            {"filters": {"speaker": "Ann"}},
        ):
            answer = await memory.recall(question, count_use=False, **more)
            found.append([(hit.seq, hit.score, dict(hit.parts)) for hit in answer])
            found.append((answer.strength, answer.text, answer.left_out))
        found.append((await memory.frame("attention", question, count_use=False)).text)
    return found


async def _true_answers(path: Path, clock: ManualClock) -> list[object]:
    """Return the same of true vectors, with no file read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scope_index, "ROUGH_FROM", 1 << 60)
        patch.setattr(saved_index, "_MADE_BY", ["somebody else"])
        async with _opened(path, clock) as memory:
            return await _answers(memory)


@pytest.mark.parametrize("seed", range(5))
async def test_rough_vectors_answer_as_true_ones_to_the_last_bit(
    tmp_path: Path, clock: ManualClock, seed: int
) -> None:
    """Whatever was learned, edited and forgotten since they were rounded, and whatever lay beside the file before."""
    choice, path = random.Random(seed), tmp_path / "m.db"
    async with _opened(path, clock) as memory:
        await _fill(memory, choice, 60)
        seqs = [one.seq for one in await memory.list(limit=100)]
    for _ in range(4):
        async with _opened(path, clock) as memory:
            await memory.recall("boat", count_use=False)
            for _ in range(3):
                await _act(memory, choice, seqs)
                seqs = [one.seq for one in await memory.list(status="any", limit=1_000)]
                clock.advance(hours=1)
        async with _opened(path, clock) as memory:
            rough = await _answers(memory)
            index = memory._core.index
            assert isinstance(index._own.vectors, RoughVectors)
            async with index.hold_rows(clock.now(), vectors=True):
                assert isinstance(index._own.vectors, QuantizedVectors)

            assert await _answers(memory) == rough
        _compare_nearly(await _true_answers(path, clock), rough)


def _compare_nearly(expected: list[object], found: list[object]) -> None:
    """Windows that were measured again, a few at a time, differ from those measured all at once by the last bit."""
    for one, other in zip(expected, found, strict=True):
        if isinstance(one, list) and isinstance(other, list):
            scores = [
                {seq: pytest.approx(score, abs=1e-5) for seq, score, _ in one},
                {s: v for s, v, _ in other},
            ]
            assert scores[0] == scores[1]


async def _make(path: Path, clock: ManualClock) -> Path:
    """Fill a file and return where its index lies."""
    async with _opened(path, clock) as memory:
        await _fill(memory, random.Random(3), 40)
    async with _opened(path, clock) as memory:
        await memory.recall("boat")
    (file,) = index_files.list_all(str(path))
    return file


async def _take_and_answer(path: Path, clock: ManualClock) -> tuple[bool, list[object]]:
    with pytest.MonkeyPatch.context() as patch:
        taken: list[object] = []
        take = scope_index.ScopeIndex._take_saved

        def note(index: scope_index.ScopeIndex, saved: saved_index.SavedIndex) -> None:
            taken.append(saved)
            take(index, saved)

        patch.setattr(scope_index.ScopeIndex, "_take_saved", note)
        async with _opened(path, clock, read_only=True) as memory:
            answers = await _answers(memory)
        return bool(taken), answers


async def test_a_file_is_taken_and_answers_as_without_it(tmp_path: Path, clock: ManualClock) -> None:
    """It is read by an opening that only reads, too, which changes none of its bytes."""
    path = tmp_path / "m.db"
    file = await _make(path, clock)
    before = file.read_bytes(), file.stat().st_mtime_ns
    taken, answers = await _take_and_answer(path, clock)

    assert taken
    assert await _true_answers(path, clock) == answers
    assert before == (file.read_bytes(), file.stat().st_mtime_ns)
    assert oct(file.stat().st_mode & 0o777) == "0o600"


async def test_an_opening_that_only_reads_writes_none(tmp_path: Path, clock: ManualClock) -> None:
    """Not for a moment: the folder has seen no file come and go."""
    path = tmp_path / "m.db"
    (await _make(path, clock)).unlink()
    before = tmp_path.stat().st_mtime_ns
    async with _opened(path, clock, read_only=True) as memory:
        await memory.recall("boat")

    assert before == tmp_path.stat().st_mtime_ns


def _damage(data: bytes) -> Iterator[bytes]:
    choice = random.Random(5)
    for at in sorted({choice.randrange(len(data)) for _ in range(60)} | {0, 20, len(data) - 1}):
        yield data[:at] + bytes([data[at] ^ 1 << choice.randrange(8)]) + data[at + 1 :]
    for size in (0, 10, 40, len(data) // 2, len(data) - 1):
        yield data[:size]
    yield data + b"x"
    first, second = sorted(choice.sample(range(len(data) // 2 // 8, len(data) // 8 - 1), 2))
    words = [data[k : k + 8] for k in range(0, len(data), 8)]
    words[first], words[second] = words[second], words[first]
    if b"".join(words) != data:
        yield b"".join(words)


async def test_a_file_of_which_any_byte_is_otherwise_is_not_taken(tmp_path: Path, clock: ManualClock) -> None:
    """One that was cut, has a bit more or less, or two words in each other's place: all is read from the database."""
    path = tmp_path / "m.db"
    file = await _make(path, clock)
    truth = await _true_answers(path, clock)
    for data in _damage(file.read_bytes()):
        file.write_bytes(data)
        taken, answers = await _take_and_answer(path, clock)

        assert not taken
        assert truth == answers


async def test_a_file_of_another_time_place_or_program_is_not_taken(
    tmp_path: Path, clock: ManualClock
) -> None:
    """Of a database that was put back, of another, of another scope, or made by another version."""
    path, other = tmp_path / "m.db", tmp_path / "other.db"
    file, others = await _make(path, clock), await _make(other, clock)
    whole = file.read_bytes()
    async with _opened(path, clock) as memory:
        await memory.backup(tmp_path / "old.db")
        await memory.learn("A boat that came later.")
        await memory.recall("boat")
    newer = file.read_bytes()
    assert newer != whole
    put_back = tmp_path / "old.db"
    away = index_files.build_path(str(put_back), "default")
    for data, note in ((newer, "newer than its database"), (others.read_bytes(), "of another")):
        away.write_bytes(data)
        taken, answers = await _take_and_answer(put_back, clock)
        assert not taken, note
        assert await _true_answers(put_back, clock) == answers
    async with _opened(put_back, clock) as memory:  # the same position, with another history
        await memory.learn("A boat that went elsewhere.")
    away.write_bytes(newer)
    taken, answers = await _take_and_answer(put_back, clock)
    assert not taken
    assert await _true_answers(put_back, clock) == answers
    async with _opened(path, clock, scope="second") as memory:
        await _fill(memory, random.Random(3), 5)
    index_files.build_path(str(path), "second").write_bytes(newer)
    async with _opened(path, clock, scope="second", read_only=True) as memory:
        await memory.recall("boat")
        assert len(memory._core.index) == 5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saved_index, "_MADE_BY", ["0.0.1"])
        taken, _ = await _take_and_answer(path, clock)
        assert not taken


async def test_an_older_file_is_brought_up_to_date(tmp_path: Path, clock: ManualClock) -> None:
    """What changed since is read from the audit, and the answers are those of now."""
    path = tmp_path / "m.db"
    file = await _make(path, clock)
    whole = file.read_bytes()
    async with _opened(path, clock) as memory:
        learned = await memory.learn("A boat with a keel that came later.")
        await memory.update((await memory.list(limit=1))[0].seq, text="The engine is painted.")
        await memory.forget(learned)
    file.write_bytes(whole)
    taken, answers = await _take_and_answer(path, clock)

    assert taken
    assert await _true_answers(path, clock) == answers


async def test_where_nothing_can_be_written_nothing_is_lost(tmp_path: Path, clock: ManualClock) -> None:
    """A folder stands in the place of the file, or of what is to become it; the memory opens, answers and closes."""
    path = tmp_path / "m.db"
    place = index_files.build_path(str(path), "default")
    for blocked in (place, place.with_name(f"{place.name}.{os.getpid()}{PARTIAL}")):
        blocked.mkdir()
        async with _opened(path, clock) as memory:
            await _fill(memory, random.Random(3), 5)
            answers = await _answers(memory)
        assert [blocked] == index_files.list_all(str(path))
        assert await _true_answers(path, clock) == answers
        blocked.rmdir()


async def test_who_is_behind_puts_no_file_in_its_place(tmp_path: Path, clock: ManualClock) -> None:
    """Between its last look and the end somebody else erased: what it holds is of before."""
    path = tmp_path / "m.db"
    async with _opened(path, clock) as memory:
        await _fill(memory, random.Random(3), 10)
    async with _opened(path, clock) as memory:
        seq = (await memory.list(limit=1))[0].seq
        await memory.recall("boat", count_use=False)
        async with _opened(path, clock) as other:
            await other.erase.apply(await other.erase.show(seq))
    assert not index_files.list_all(str(path))


async def test_an_erasure_leaves_no_index_with_what_it_erased(tmp_path: Path, clock: ManualClock) -> None:
    """The files of all scopes go, with what a kill has left half-written; what is written next has nothing of it."""
    path = tmp_path / "m.db"
    file = await _make(path, clock)
    left = file.with_name(f"{file.name}.17{PARTIAL}")
    left.write_bytes(b"half")
    async with _opened(path, clock) as memory:
        await memory.recall("boat", count_use=False)
        index, seq = memory._core.index, (await memory.list(limit=1))[0].seq
        rough = index._own.rough
        assert rough is not None
        vector = rough.numbers[index.rows_of([seq])[0]].tobytes()
        assert vector in file.read_bytes()
        await memory.erase.apply(await memory.erase.show(seq))
        assert not index_files.list_all(str(path))
        await memory.recall("boat", count_use=False)
    assert [file] == index_files.list_all(str(path))
    assert vector not in file.read_bytes()
    with open_arrays(file) as stream:
        head = read_head(stream)
        assert head is not None
        seqs = np.frombuffer(stream.read(8 * head["arrays"][0][2][0]), np.int64)
    assert seq not in seqs.tolist()


async def test_of_an_encrypted_file_no_index_is_written(tmp_path: Path, clock: ManualClock) -> None:
    """It would say in plain what is encrypted."""
    path = tmp_path / "m.db"
    async with _opened(path, clock, key="correct horse") as memory:
        await _fill(memory, random.Random(3), 5)
        await memory.recall("boat")
    assert not index_files.list_all(str(path))


async def test_a_file_that_is_encrypted_later_loses_its_index(tmp_path: Path, clock: ManualClock) -> None:
    """What lay beside it in plain is gone."""
    path = tmp_path / "m.db"
    await _make(path, clock)
    await remanence.change_key(path, new_key="correct horse")

    assert not index_files.list_all(str(path))


async def test_a_scope_of_a_folder_has_its_index_beside_its_file(tmp_path: Path, clock: ManualClock) -> None:
    """And it is no scope of the folder."""
    folder = f"{tmp_path / 'memories'}{os.sep}"
    for _ in range(2):
        async with _opened(folder, clock, scope="here") as memory:
            await _fill(memory, random.Random(3), 5)
            await memory.recall("boat")
            assert ["here"] == [one.scope for one in await memory.scopes.list()]
    assert len(index_files.list_all(f"{folder}here.db")) == 1


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    """Two that write at once have a file each, by their numbers."""
    write_arrays(tmp_path / "x", {}, {"seq": np.zeros(3)})
    with pytest.raises(FileExistsError):
        write_arrays(tmp_path / "x", {}, {"seq": np.zeros(3)})


@pytest.mark.parametrize("places", [(3, 900), (3, 3 + 1_024), (1_030, 4_999), (7, 7 + 4 * 1_024)])
def test_two_words_that_change_places_are_found(tmp_path: Path, places: tuple[int, int]) -> None:
    """Within a row of the sums, within a column, and beyond both."""
    file, words = tmp_path / "x", np.arange(5_000)
    write_arrays(file, {}, {"seq": words})
    with open_arrays(file) as stream:
        head = read_head(stream)
        assert head is not None
        begins = stream.tell()
        found = read_arrays(stream, head)
    assert found is not None
    assert words.tolist() == found["seq"][:5_000].tolist()
    data = bytearray(file.read_bytes())
    one, other = (slice(begins + 8 * place, begins + 8 * place + 8) for place in places)
    data[one], data[other] = data[other], data[one]
    file.write_bytes(data)
    with open_arrays(file) as stream:
        assert read_arrays(stream, read_head(stream) or {}) is None
