"""The day on which something was said is the day where it was said: shown, grouped, asked for and carried elsewhere."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput
from remanence.core.local_time import place_time
from remanence.core.model import Turn
from remanence.llm.base import Judgement
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.command_line import typed
from tests.flows.conftest import Opener, hear

EVENING = datetime.fromisoformat("2026-04-22T22:30-04:00")  # the 23rd in UTC
MORNING = datetime.fromisoformat("2026-04-23T05:10+13:00")  # the 22nd in UTC
OSLO, PARIS, APIA = "Europe/Oslo", "Europe/Paris", "Pacific/Apia"


TIMES = [
    (None, "2026-04-22T22:30:00-04:00", "2026-04-22", -14_400),
    (OSLO, "2026-04-22T22:30:00-04:00", "2026-04-22", -14_400),
    (None, "2026-04-22T23:30:00Z", "2026-04-22", 0),
    (OSLO, "2026-04-22T23:30:00Z", "2026-04-23", 7_200),
    (OSLO, "2026-01-22T23:30:00+00:00", "2026-01-23", 3_600),
    (OSLO, 1_776_900_600_000_000, "2026-04-23", 7_200),  # 23:30 UTC on the 22nd
    (OSLO, "2026-04-22T23:30:00", "2026-04-22", 7_200),
    (OSLO, "2026-03-29T02:30:00", "2026-03-29", 3_600),  # the clocks skipped it
    (OSLO, "2026-10-25T02:30:00", "2026-10-25", 7_200),  # they showed it twice
    (APIA, "2011-12-30T12:00:00", "2011-12-30", -36_000),  # they skipped the whole day
    ("Asia/Kathmandu", "2026-04-22T18:20:00Z", "2026-04-23", 20_700),
    (None, "2026-04-22T09:00:00+14:00", "2026-04-22", 50_400),
    (None, "2026-04-22T13:00:00-12:00", "2026-04-22", -43_200),
    (None, "2026-04-22T00:10:00+23:59", "2026-04-22", 86_340),
    (PARIS, "1890-04-22T23:55:00Z", "1890-04-23", 561),
]
BY_SECONDS = (None, "1890-04-22T00:10:00+00:19:32", "1890-04-22", 1_172)  # which JSON has no form for


@pytest.mark.parametrize(("zone", "given", "day", "offset"), TIMES)
async def test_a_time_is_of_the_day_of_its_own_clocks(
    opener: Opener, zone: str | None, given: str | int, day: str, offset: int
) -> None:
    """Of the offset that it has, else of the scope's zone; what is shown and written as data has that day."""
    said_at = datetime.fromisoformat(given) if isinstance(given, str) else given
    async with opener(embedder="none") as memory:
        await memory.settings.set("zone", zone)
        await memory.learn("The gate was shut.", said_at=said_at)
        one = await memory.get(1)
        text = (await memory.recall("Was the gate shut?")).text

    assert (day, offset) == (one.said_day, one.said_offset)
    assert day == one.said_time.date().isoformat() == one.to_dict()["said_at"][:10]
    assert f"[#1 {day}" in text


@pytest.mark.parametrize(("zone", "given", "day", "offset"), [*TIMES, BY_SECONDS])
async def test_a_line_of_a_file_is_read_alike(
    opener: Opener, tmp_path: Path, zone: str | None, given: str | int, day: str, offset: int
) -> None:
    """A time in a file is of the same day as one that a caller passes."""
    line = json.dumps({"text": "The lamp was lit.", "said_at": given})
    (tmp_path / "log.jsonl").write_text(line, encoding="utf-8")
    async with opener(embedder="none") as memory:
        await memory.settings.set("zone", zone)
        await memory.ingest(tmp_path / "log.jsonl")
        one = await memory.get(1)

    assert (day, offset) == (one.said_day, one.said_offset)


async def test_what_is_said_now_is_of_the_scopes_day(opener: Opener, clock: ManualClock) -> None:
    """A text without a time has the clocks of the zone, and what came in before keeps its own."""
    clock.set(EVENING)
    async with opener(embedder="none") as memory:
        before = await memory.learn("Before there was a zone.")
        await memory.settings.set("zone", "America/New_York")
        after = await memory.learn("After it was set.")
        days = [(await memory.get(one.id)).said_day for one in (before, after)]

    assert ["2026-04-23", "2026-04-22"] == days


@pytest.mark.parametrize(
    "name", ["Europe/Olso", "america/new_york_", "+02:00", "../etc/passwd", "Europe", "\0"]
)
async def test_what_is_no_zone_is_refused(opener: Opener, name: str) -> None:
    """With one error that says how zones are called; nothing is set."""
    async with opener(embedder="none") as memory:
        with pytest.raises(InvalidInput) as refused:
            await memory.settings.set("zone", name)
        zone = await memory.settings.get("zone")

    assert refused.value.recovery
    assert "" == zone.value


@pytest.mark.parametrize(
    "given",
    [
        "2016-12-31T23:59:60Z",
        "1601-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
        "0001-01-01T00:00:00+14:00",
        "2026-04-22T22:30:00+24:00",
        "2026-04-22T22:30:00",
    ],
)
async def test_what_is_no_time_is_refused(opener: Opener, tmp_path: Path, given: str) -> None:
    """A leap second, a year that nobody keeps, an offset of a day, and a time of no zone where the scope has none."""
    (tmp_path / "log.jsonl").write_text(json.dumps({"text": "Words.", "said_at": given}), encoding="utf-8")
    async with opener(embedder="none") as memory:
        with pytest.raises(InvalidInput) as refused:
            await memory.ingest(tmp_path / "log.jsonl")
        kept = await memory.list()

    assert refused.value.recovery
    assert [] == kept


async def test_an_offset_of_parts_of_seconds_is_refused(opener: Opener) -> None:
    """Python has such, no zone has."""
    odd = datetime(2026, 4, 22, tzinfo=timezone(timedelta(microseconds=500_000)))
    async with opener(embedder="none") as memory:
        with pytest.raises(InvalidInput, match="whole seconds"):
            await memory.learn("Words.", said_at=odd)


async def test_days_are_asked_for_where_they_were(opener: Opener) -> None:
    """A bound without a zone is of the clocks there, another is an instant; counts are of the days there."""
    day = (datetime.fromisoformat("2026-04-22T00:00"), datetime.fromisoformat("2026-04-22T23:59:59"))
    async with opener(embedder="none") as memory:
        await memory.learn(
            [
                Turn("The boat left in the evening.", said_at=EVENING),
                Turn("The boat came in the morning.", said_at=MORNING),
            ]
        )
        listed = [one.seq for one in await memory.list(between=day)]
        recalled = [hit.seq for hit in await memory.recall("boat", between=day)]
        first, last = (one.replace(tzinfo=UTC) for one in day)
        instants = [one.seq for one in await memory.list(between=(first, last))]
        mixed = [one.seq for one in await memory.list(between=(day[0], MORNING))]
        counted = await memory.count("said_at", between=day)
        days = {one.value: one.memories for one in (await memory.count("said_at")).values}

    assert ([1], [1], [2], [2]) == (listed, recalled, instants, mixed)
    assert 1 == counted.total
    assert {"2026-04-22": 1, "2026-04-23": 1} == days


@pytest.mark.parametrize(
    ("zone", "asked", "times"),
    [
        (None, "What did I say about the boat yesterday?", "yesterday: 2026-04-22"),
        ("America/New_York", "What did I say about the boat yesterday?", "yesterday: 2026-04-21"),
        ("America/New_York", "What did I say about the boat today?", "today: 2026-04-22"),
        ("Pacific/Kiritimati", "What did I say about the boat yesterday?", "yesterday: 2026-04-22"),
        ("America/New_York", "What of the boat on 23 April 2026?", None),  # it is to come there
    ],
)
async def test_a_question_means_the_days_of_the_scope(
    opener: Opener, clock: ManualClock, zone: str | None, asked: str, times: str | None
) -> None:
    """Yesterday is the day before where the scope is, and what was said on that day there counts more."""
    clock.set(EVENING + timedelta(hours=1))
    async with opener(embedder="none") as memory:
        await memory.settings.set("zone", zone)
        await memory.learn(
            [
                Turn("The boat left.", said_at=EVENING),
                Turn("The boat lay.", said_at=EVENING - timedelta(days=1)),
            ]
        )
        answer = await memory.recall(asked)
        meant = {hit.memory.said_day: hit.parts.get("when", 1) for hit in answer}

    assert ((times,) if times else ()) == answer.times
    assert times is None or times[-10:] == max(meant, key=meant.__getitem__)


class Listener:
    """A writer that finds one fact in each turn, and notes when it is told that the turn was said."""

    name = "listener"

    def __init__(self) -> None:
        self.told: list[str] = []

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Give the facts."""
        self.told += [one.said_at for one in turns]
        return ExtractResult(tuple(Fact("commitment", "Ida flies.", one.id, (0, 1), 0.9) for one in turns))


async def test_facts_and_copies_keep_the_offset(opener: Opener, tmp_path: Path) -> None:
    """A writer is given the speaker's clocks, a fact has its turn's, and an undo, an export and an import keep them."""
    writer = Listener()
    async with opener(embedder="none", writer=writer) as memory:
        turn = await memory.note("Tomorrow I fly to Oslo.", said_at=EVENING, speaker="Ida", later=True)
        await memory.settings.set("zone", OSLO)
        await hear(memory)
        changed = await memory.update(turn.seq, text="Tomorrow I fly to Bergen.")
        await memory.undo(changed.run)
        lines = [line async for line in memory.export()]
        kept = await memory.list(oldest_first=True)
    async with remanence.open(tmp_path / "copy.db", embedder="none") as copy:
        await copy.import_(lines)
        copied = await copy.list(oldest_first=True)

    assert [EVENING.isoformat()] == writer.told
    assert [("2026-04-22", -14_400)] * 2 == [(one.said_day, one.said_offset) for one in kept]
    assert [one.said_time for one in kept] == [one.said_time for one in copied]
    assert [one.said_offset for one in kept] == [one.said_offset for one in copied]


async def test_a_text_put_again_has_the_offset_of_its_last_time(opener: Opener) -> None:
    """What is said under a key again is of the day on which it was said again."""
    async with opener(embedder="none") as memory:
        await memory.learn("The toll is two.", key="toll", said_at=EVENING)
        await memory.learn("The toll is three.", key="toll", said_at=MORNING)
        now = await memory.get("toll")

    assert (MORNING, 46_800) == (now.said_time, now.said_offset)


@pytest.mark.parametrize(
    ("zone", "said_at", "offset"),
    [(None, "2026-02-03T12:00:00+00:00", 0), (APIA, "2026-02-03T12:00:00+13:00", 46_800)],
)
async def test_days_of_diaries_are_the_scopes(
    opener: Opener, tmp_path: Path, zone: str | None, said_at: str, offset: int
) -> None:
    """Noon of a heading is noon where the scope is, so the day stays the one that was written."""
    (tmp_path / "diary.md").write_text("## 3 February 2026\nThe ice broke.\n", encoding="utf-8")
    async with opener(embedder="none") as memory:
        await memory.settings.set("zone", zone)
        await memory.ingest(tmp_path / "diary.md")
        (one,) = await memory.list(status=["inbox", "active"])

    assert (datetime.fromisoformat(said_at), offset) == (one.said_time, one.said_offset)
    assert "2026-02-03" == one.said_day


def test_the_mirror_and_the_command_line_name_the_day_there(tmp_path: Path) -> None:
    """A file is called by the day there and says the offset; days of options are those of the scope."""

    def run(*words: str) -> str:
        return typed(*words, "--db", "a.db", cwd=tmp_path).stdout

    run("learn", "The rope frayed.", "--said-at", "2026-04-22T22:30-04:00")
    run("settings", "zone", "America/New_York")
    run("learn", "The rope held.", "--said-at", "2026-04-23T02:30")
    run("mirror", "sync", "facts")
    files = {
        file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "facts" / "facts").rglob("*.md")
    }
    day = run("list", "--since", "2026-04-22", "--until", "2026-04-22", "--field", "text")
    times = run("list", "--oldest-first", "--field", "said_at").split()

    assert ["2026-04-22 The rope frayed.md", "2026-04-23 The rope held.md"] == sorted(files)
    assert "said: 2026-04-22T22:30:00-04:00" in files["2026-04-22 The rope frayed.md"].replace('"', "")
    assert "The rope frayed.\n" == day
    assert ["2026-04-22T22:30:00-04:00", "2026-04-23T02:30:00-04:00"] == times


def test_zones_of_python_are_kept() -> None:
    """London in winter has an offset of nothing, and is a place all the same."""
    york = ZoneInfo("America/New_York")
    london = datetime(2026, 1, 22, 1, tzinfo=ZoneInfo("Europe/London"))

    assert 0 == place_time(london, york).offset
    assert -18_000 == place_time(london.astimezone(UTC), york).offset
