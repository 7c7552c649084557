"""Packages that register importers, embedders and writers: found by name, guarded, and never in the way."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import remanence
from remanence.core.errors import ExtensionError, NameUnknown
from remanence.flows.base import extensions
from tests.importer_sources import write_rows

COMMAND = Path(sys.executable).with_name("remanence")

MODULE = """
from collections import Counter
import numpy as np
import remanence


class Channel:
    summary = "lines like <name> words"

    def recognises(self, text):
        return text.startswith("<")

    def turns(self, text, source, skipped):
        for number, line in enumerate(text.splitlines()):
            name, closed, words = line[1:].partition("> ")
            if closed:
                yield remanence.Turn(words, speaker=name, key=f"{source}:{number}")
            else:
                skipped["no speaker"] += 1


class Raises(Channel):
    def recognises(self, text):
        raise OSError("the disk of the extension")

    def turns(self, text, source, skipped):
        raise KeyError("turns")


class Nonsense(Channel):
    def turns(self, text, source, skipped):
        return [remanence.Turn("fine"), 7]


class Miscounts(Channel):
    def turns(self, text, source, skipped):
        skipped[7] = "many"
        return []


class Books:
    reads_sources = True
    summary = "the database of a library"

    def recognises(self, source):
        return bool(source.list_tables("books", "title"))

    def turns(self, source, skipped):
        for path, table in source.list_tables("books", "title"):
            for row in table.records():
                if row["title"]:
                    yield remanence.types.ImportedTurn(row["title"], key=row["title"], valid_from=5)
                else:
                    skipped.note("no title", path)


class Letters:
    name = "letters-1"
    dimensions = 26
    thresholds = remanence.types.SimilarityThresholds(similar=0.95, near=0.99)

    def embed(self, texts, weight=None):
        rows = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)


class Short(Letters):
    def embed(self, texts, weight=None):
        return np.ones((len(texts), 3), np.float32)


class Boundless(Letters):
    dimensions = 10**9


class Fails(Letters):
    def embed(self, texts, weight=None):
        raise RuntimeError("out of luck")


class Slow:
    name, dimensions, waits = "slow-1", 26, True
    embed = Letters.embed


class Judge:
    name = "judge-1"

    async def judge(self, text, identity, others):
        return remanence.types.Judgement(alignment=0.75)


class Silent(Judge):
    async def judge(self, text, identity, others):
        raise RuntimeError("no answer")


class Mumbles(Judge):
    async def judge(self, text, identity, others):
        return "rather well"


class Finds(Judge):
    async def extract(self, turns, wanted):
        fact = remanence.types.Fact(wanted.categories[0], turns[0].text, turns[-1].id, (0, 3))
        return remanence.types.ExtractResult((fact,))

    async def shorten(self, text, tokens_max):
        return remanence.types.ShortenResult(text[: 2 * tokens_max])
"""

ENTRIES = """
[remanence.importers]
channel = notes:Channel
books = notes:Books
raises = notes:Raises
nonsense = notes:Nonsense
miscounts = notes:Miscounts
missing = notes:Missing
jsonl = notes:Channel

[remanence.embedders]
letters = notes:Letters
short = notes:Short
boundless = notes:Boundless
fails = notes:Fails
hashed = notes:Letters
slow = notes:Slow

[remanence.writers]
judge = notes:Judge
silent = notes:Silent
mumbles = notes:Mumbles
finds = notes:Finds
"""


def installed(root: Path, package: str, entries: str) -> None:
    """Lay a package out as an installer does."""
    info = root / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(entries, encoding="utf-8")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages, one of which registers everything."""
    root = tmp_path / "packages"
    installed(root, "notes", ENTRIES)
    (root / "notes.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(root))
    extensions._say_once.cache_clear()
    yield root
    sys.modules.pop("notes", None)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A file in the format that the package reads."""
    path = tmp_path / "channel.log"
    path.write_text("<Mara> The kettle is new.\n* Jon joins\n<Jon> The old one leaked.\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("form", ["auto", "channel"])
async def test_a_registered_importer_is_found(log: Path, form: str) -> None:
    """By its name, or where nothing built in recognises the file; a second ingest takes in nothing."""
    async with remanence.open() as memory:
        first = await memory.ingest(log, format=form)
        again = await memory.ingest(log, format=form)

    assert ("channel", 2, {"no speaker": 1}) == (first.format, first.stored, first.skipped)
    assert (0, 2) == (again.stored, again.known)


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("form", ["auto", "books"])
async def test_a_registered_importer_of_databases_is_found(tmp_path: Path, form: str) -> None:
    """It is asked about the whole source, says more than a turn does, and shows what it leaves out."""
    path = write_rows(tmp_path / "library.db", "CREATE TABLE books (title)", {"books": [("Tides",), (None,)]})
    async with remanence.open() as memory:
        done = await memory.ingest(path, format=form)
        found = await memory.get("Tides")

    assert ("books", 1, {"no title": 1}, {"no title": "library.db"}) == (
        done.format,
        done.stored,
        done.skipped,
        done.examples,
    )
    assert 5 == found.valid_from


@pytest.mark.usefixtures("packages")
async def test_a_failing_importer_is_passed_over_and_named(
    log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One that raises while it is asked is logged under its name, and the next one reads the file."""
    with caplog.at_level(logging.WARNING, "remanence"):
        async with remanence.open() as memory:
            await memory.ingest(log)

    assert "the importer 'jsonl' of notes: 'jsonl' is built in" in caplog.text


@pytest.mark.usefixtures("packages")
async def test_an_importer_that_fails_to_recognise_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that nobody recognises is refused as ever; who failed to look at it is in the log."""
    path = tmp_path / "a.txt"
    path.write_text("Ahoy.", encoding="utf-8")
    with caplog.at_level(logging.WARNING, "remanence"):
        async with remanence.open() as memory:
            with pytest.raises(remanence.IngestError, match="not a conversation") as caught:
                await memory.ingest(path)

    assert "channel" in caught.value.recovery
    assert "the importer 'raises' of notes failed: OSError: the disk of the extension" in caplog.text
    assert "the importer 'missing' of notes failed: AttributeError" in caplog.text


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("raises", "the importer 'raises' of notes failed: KeyError"),
        ("nonsense", "the importer 'nonsense' of notes gave 7 among its turns"),
        ("miscounts", "the importer 'miscounts' of notes gave a dict as what it skipped"),
        ("missing", "the importer 'missing' of notes failed: AttributeError"),
    ],
)
async def test_what_an_importer_gets_wrong_is_said_under_its_name(log: Path, form: str, says: str) -> None:
    """Nothing is taken in, and the memory goes on."""
    async with remanence.open() as memory:
        with pytest.raises(ExtensionError, match=says) as caught:
            await memory.ingest(log, format=form)
        assert caught.value.recovery
        assert form in caught.value.extension
        assert [] == await memory.list()
        assert "stored" == (await memory.learn("The kettle is new.")).status


@pytest.mark.usefixtures("packages")
async def test_an_unknown_format_names_the_registered_ones(log: Path) -> None:
    """A slip is told apart from a name that nobody registered."""
    async with remanence.open() as memory:
        with pytest.raises(remanence.InvalidInput) as caught:
            await memory.ingest(log, format="chanel")

    assert "did you mean 'channel'?" == caught.value.recovery


async def test_a_name_that_two_packages_register_is_left_out(packages: Path, log: Path) -> None:
    """Whose it would be is nobody's to guess."""
    installed(
        packages,
        "others",
        "[remanence.importers]\nchannel = notes:Channel\n[remanence.embedders]\nletters = notes:Letters\n",
    )
    async with remanence.open() as memory:
        with pytest.raises(remanence.InvalidInput, match="unknown format 'channel'"):
            await memory.ingest(log, format="channel")
    with pytest.raises(ExtensionError, match="have one name"):
        remanence.open(embedder="letters")


@pytest.mark.usefixtures("packages")
async def test_a_registered_embedder_may_wait(tmp_path: Path) -> None:
    """It is asked at consolidation, beside the static vectors, and what it fails at is said under its name."""
    async with remanence.open(tmp_path / "a.db", embedder="slow") as memory:
        await memory.learn("The kettle is new.")
        done = await memory.consolidate()
        (hit,) = await memory.recall("a new kettle?")

    assert {"embedded by the model": 1} == done.steps
    assert hit.parts["contextual_cosine"] > 0.5


@pytest.mark.usefixtures("packages")
async def test_a_registered_embedder_makes_the_vectors(tmp_path: Path) -> None:
    """It is opened by its name; the file asks for the same one again."""
    async with remanence.open(tmp_path / "a.db", embedder="letters") as memory:
        await memory.learn("The kettle is new.")
        found = await memory.recall("a kettle that is new")
        assert ("letters-1", 26) == (memory.embedder.name, memory.embedder.dimensions)

    assert ["The kettle is new."] == [hit.memory.text for hit in found.memories]
    with pytest.raises(remanence.StoreIncompatible):
        async with remanence.open(tmp_path / "a.db"):
            pass


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("name", "says"),
    [("short", r"shape \(1, 3\)"), ("fails", "RuntimeError: out of luck")],
)
async def test_what_an_embedder_gets_wrong_is_said_under_its_name(name: str, says: str) -> None:
    """The text is not stored without its vector."""
    async with remanence.open(embedder=name) as memory:
        with pytest.raises(ExtensionError, match=says):
            await memory.learn("The kettle is new.")
        assert [] == await memory.list()


@pytest.mark.usefixtures("packages")
def test_an_embedder_that_describes_itself_wrongly_is_refused() -> None:
    """Before any file is made."""
    with pytest.raises(ExtensionError, match="1000000000 as its dimensions"):
        remanence.open(embedder="boundless")


@pytest.mark.usefixtures("packages")
def test_a_built_in_name_is_not_shadowed() -> None:
    """What a package registers as 'hashed' is not what opens."""
    assert "hashed-256-v1" == remanence.open(embedder="hashed").embedder.name


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("given", "recovery"),
    [("leters", "did you mean 'letters'?"), ("none ", "did you mean 'none'?")],
)
def test_an_unknown_embedder_names_the_nearest(given: str, recovery: str) -> None:
    """Built in or registered."""
    with pytest.raises(NameUnknown) as caught:
        remanence.open(embedder=given)

    assert recovery == caught.value.recovery


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("name", "judged", "why"),
    [
        ("judge", 1, ""),
        ("silent", 0, "the writer 'silent' of notes failed: RuntimeError: no answer"),
        ("mumbles", 0, "the writer 'mumbles' of notes gave 'rather well' as a judgement"),
    ],
)
async def test_a_registered_writer_judges_or_is_named(name: str, judged: int, why: str) -> None:
    """Where it fails the text becomes active without a judgement, and why is said."""
    async with remanence.open(writer=name) as memory:
        await memory.learn("The kettle is new.")
        done = await memory.consolidate()

    assert (1, judged) == (done.activated, done.judged)
    assert why in "".join(done.unjudged)


@pytest.mark.usefixtures("packages")
async def test_a_registered_writer_extracts_and_shortens_where_it_can() -> None:
    """What it gives is checked like any answer, and what it cannot do it is not asked."""
    judges, finds = extensions.writer("judge", ()), extensions.writer("finds", ())
    turns = [remanence.types.ExtractTurn("t1", "The kettle is new.")]

    assert (False, True) == (
        isinstance(judges, remanence.types.Extractor),
        isinstance(finds, remanence.types.Extractor),
    )
    assert isinstance(finds, remanence.types.Extractor)
    assert isinstance(finds, remanence.types.Shortener)
    assert (
        "The kettle is new."
        == (await finds.extract(turns, remanence.types.ExtractRequest())).facts[0].content
    )
    assert "The ke" == (await finds.shorten("The kettle is new.", 3)).text
    with pytest.raises(remanence.WriterError, match="as a shorter text"):
        await finds.shorten("The kettle", 10)
    with pytest.raises(remanence.WriterError, match="from 0 to 3 of 2 characters"):
        await finds.extract([remanence.types.ExtractTurn("t1", "Oh")], remanence.types.ExtractRequest())
    with pytest.raises(remanence.WriterError, match="the writer 'finds' of notes failed: IndexError"):
        await finds.extract([], remanence.types.ExtractRequest())


async def test_an_importer_of_the_callers_own_is_taken(log: Path) -> None:
    """An object does as well as a name."""

    class Whole:
        summary = "any text"

        def recognises(self, text: str) -> bool:
            return bool(text)

        def turns(self, text: str, source: str, skipped: object) -> list[remanence.Turn]:
            return [remanence.Turn(text.strip(), key=source)]

    async with remanence.open() as memory:
        taken = await memory.ingest(log, format=Whole())

    assert ("Whole", 1) == (taken.format, taken.stored)


def test_the_command_line_opens_with_them(packages: Path, tmp_path: Path) -> None:
    """A file made with a registered embedder is used with it, and refused without; so is a writer's name."""

    def typed(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), "--db", str(tmp_path / "a.db"), *words],
            env={"PYTHONPATH": str(packages), "PATH": "", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert 0 == typed("learn", "The kettle is new.", "--embedder", "letters").returncode
    assert "The kettle is new." in typed("--embedder", "letters", "recall", "a new kettle").stdout
    assert "was embedded by 'letters-1'" in typed("recall", "a new kettle").stderr
    assert 0 == typed("consolidate", "--embedder", "letters", "--writer", "judge").returncode
    assert "did you mean 'judge'?" in typed("consolidate", "--embedder", "letters", "--writer", "judg").stderr


def test_the_command_line_finds_them(packages: Path, log: Path, tmp_path: Path) -> None:
    """A registered format is named on the command line like any other."""
    command = [str(COMMAND), "--db", str(tmp_path / "a.db"), "ingest", str(log)]
    done = subprocess.run(
        [*command, "--format", "channel", "--json"],
        env={"PYTHONPATH": str(packages), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode
    assert "channel" == json.loads(done.stdout)["format"]
    assert ["an extension is left out: the importer 'jsonl' of notes: 'jsonl' is built in"] == (
        done.stderr.splitlines()
    )
