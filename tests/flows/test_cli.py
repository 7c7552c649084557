"""The command line as a person uses it: each verb on a real file; what needs a process of its own gets one."""

import fcntl
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.results import WEAK
from remanence.curate.planner.plan import Plan, fields_of
from remanence.faces.cli import running
from remanence.faces.cli.demo import POLICY
from remanence.faces.style import Text
from remanence.flows.recall.memory_lines import NO_ROOM
from tests.command_line import Typed, typed

SCRIPT = Path(sys.executable).with_name("remanence")
SECONDS_MAX = 300

Done = subprocess.CompletedProcess[str]


class Desk:
    """A folder in which commands are typed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "COLUMNS": "200", "TZ": "UTC"}
        self.environment.pop("REMANENCE_DB", None)

    def apart(self, *words: str) -> Done:
        """Run a command in a process of its own and wait for it."""
        return subprocess.run(
            [str(SCRIPT), *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )

    def good(self, *words: str) -> str:
        """Run a command that must succeed in silence on stderr; return what it printed."""
        done = self.type(*words)

        assert (0, "") == (done.exit_code, done.stderr), done
        return done.stdout

    def type(self, *words: str, text: str = "", **environment: str) -> Typed:
        """Run a command inside this process."""
        return typed(*words, text=text, cwd=self.folder, env=environment)

    def do(self, *words: str) -> None:
        """Run a command that must succeed."""
        done = self.type(*words)

        assert 0 == done.exit_code, done.output

    def read(self, *words: str) -> Any:
        """Run a command with --json, and return its document."""
        done = self.type(*words, "--json")

        assert 0 == done.exit_code, done.output
        return json.loads(done.stdout)

    def bad(self, *words: str) -> str:
        """Run a command that must be refused in two lines, and return them."""
        done = self.type(*words)
        said = done.stderr

        assert 1 == done.exit_code, done
        assert said.startswith("error: ")
        assert "\n  → " in said
        assert 2 == said.count("\n")
        return said

    def write(self, name: str, *rows: dict[str, Any]) -> str:
        """Write rows as lines of JSON into a file of the folder."""
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (self.folder / name).write_text(lines, encoding="utf-8")
        return name


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty folder."""
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small memory in it, and the file it came from."""
    made = Desk(tmp_path_factory.mktemp("filled"))
    rows: list[dict[str, Any]] = [
        {"text": "The boathouse door key is 4471.", "speaker": "Mara", "key": "code", "thread": "harbour"},
        {"text": "High tide is at nine.", "speaker": "Quill", "key": "tide", "tags": ["water"]},
        {"text": "Paint the red buoy.", "key": "buoy", "category": "task", "state": "pending"},
        {"text": "Thanks, that is all.", "key": "end", "kind": "episodic"},
    ]
    made.good("ingest", made.write("talk.jsonl", *rows))
    made.good("consolidate")
    return made.folder


@pytest.fixture
def talk(desk: Desk, filled: Path) -> Desk:
    """A copy of that folder."""
    shutil.copytree(filled, desk.folder, dirs_exist_ok=True)
    return desk


def test_the_version_is_printed(desk: Desk) -> None:
    """With those of the formats; it needs no database, and the page on stability shows the same."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")

    assert desk.good("--version").strip() in page


def test_no_command_shows_the_help(desk: Desk) -> None:
    """Typed alone, it shows what a new user needs; `more` shows the rest."""
    assert "recall" in desk.good()
    assert "ingest" in desk.good("more")


def test_help_of_no_command_says_so(desk: Desk) -> None:
    """As it does without --help."""
    done = desk.type("confirm", "--help")
    assert (2, "") == (done.exit_code, done.stdout) and "no command" in done.stderr


def test_a_rating_of_nothing_fails(talk: Desk) -> None:
    """What was not rated is named with the reason, and the exit code is 1."""
    done = talk.type("rate", "helped", "great")
    assert 1 == done.exit_code and "0 memories rated; not great: unknown" in done.stdout
    assert 0 == talk.type("rate", "helped", "code", "great").exit_code


def test_a_conversation_comes_in_once(talk: Desk) -> None:
    """Ingest counts what became of each turn; a second time all are known."""
    again = json.loads(talk.good("ingest", "talk.jsonl", "--json"))

    assert (4, 0, 0, 4) == (again["turns"], again["stored"], again["confirmed"], again["known"])
    assert "jsonl" == again["format"]


def test_a_question_is_answered(talk: Desk) -> None:
    """Recall returns the best first, with the parts of its score where they are asked for."""
    page = talk.good("recall", "what is the door key?", "--limit", "1")
    found = talk.read("recall", "what is the door key?", "--limit", "1", "--why")

    assert "Mara: The boathouse door key is 4471." in page
    assert "code" == found["memories"][0]["memory"]["key"]
    assert found["memories"][0]["parts"]
    assert "nothing matches" in talk.good("recall", "door", "--thread", "elsewhere")


def test_what_makes_a_score_is_told_in_short(talk: Desk) -> None:
    """--why names the parts that make a difference, a line each with a bar, factors with a ×."""
    why = talk.good("recall", "what is the door key?", "--limit", "1", "--why")
    parts = {line.split()[0]: line for line in why.splitlines() if line.startswith("    ")}

    assert ["+1.000", "██████████", "1st,"] == parts["lexical"].split()[1:4]
    assert "×" in parts["worth"]
    assert "named" not in parts


def test_a_weak_answer_is_called_weak(talk: Desk) -> None:
    """The page and the text begin with it, JSON has a field for it."""
    asked = ("recall", "which orchestra did the senator conduct?")

    assert talk.good(*asked).startswith(WEAK)
    assert talk.good(*asked, "--text").startswith(f"{WEAK}\n[#")
    assert (True, True) == (talk.read(*asked)["is_weak"], talk.read(*asked)["strength"] < 0.32)


def test_a_pipe_gets_whole_texts(talk: Desk) -> None:
    """What is not read on a terminal is not cut; --text is the answer as an agent is given it."""
    long = "the harbour master counts the boats " * 12
    talk.good("learn", long)
    listed = talk.good("list")
    told = talk.good("recall", "who counts the boats?", "--text")

    assert long.strip() in listed
    assert long.strip() in told
    assert "strength" not in told


def test_a_budget_too_small_for_the_best_is_told(talk: Desk) -> None:
    """That nothing is shown for want of room is not the same as that nothing matches."""
    assert talk.good("recall", "what is the door key?", "--budget", "14").startswith(NO_ROOM)


def test_filters_narrow_a_question(talk: Desk) -> None:
    """--where, --thread and the span of time are passed on."""
    assert ["buoy"] == keys(talk.read("recall", "buoy tide code", "--where", "category=task"))
    assert ["tide"] == keys(talk.read("recall", "buoy tide code", "--where", "tags=water"))
    assert ["code"] == keys(talk.read("recall", "buoy tide code", "--thread", "harbour"))
    assert [] == keys(talk.read("recall", "buoy tide code", "--until", "2020-01-01"))


def keys(found: Any) -> list[str]:
    """Return the keys of recalled or listed memories."""
    listed = found if isinstance(found, list) else [hit["memory"] for hit in found["memories"]]
    return [memory["key"] for memory in listed]


def test_a_text_is_learnt_with_all_that_is_said_of_it(desk: Desk) -> None:
    """Every option of learn reaches the memory; a text may come from standard input."""
    options = [
        "--category",
        "task",
        "--kind",
        "procedural",
        "--tag",
        "a",
        "--tag",
        "b",
        "--role",
        "assistant",
    ]
    options += ["--speaker", "Tom", "--thread", "t", "--session", "s", "--said-at", "2026-03-01T09:30+01:00"]
    options += ["--source", "log:1", "--state", "pending", "--severity", "high", "--confidence", "0.5"]
    learned = desk.read("learn", "Mend the mast.", *options, "--attribute", "length=7 m", "--key", "mast")
    found = desk.read("get", "mast")
    piped = desk.type("learn", "-", text="From a pipe.\n")

    assert "stored" == learned["status"]
    assert ("2026-03-01T09:30:00+01:00", ["a", "b"], {"length": "7 m"}) == (
        found["said_at"],
        found["tags"],
        found["attributes"],
    )
    given = ("task", "procedural", "assistant", "Tom", "t", "s", ["log:1"], "pending", "high", 0.5)
    names = (
        "category",
        "kind",
        "role",
        "speaker",
        "thread",
        "session",
        "sources",
        "state",
        "severity",
        "confidence",
    )
    assert given == tuple(found[name] for name in names)
    assert 0 == piped.exit_code
    assert "From a pipe.\n" == desk.read("get", "2")["text"]


def test_what_was_learned_is_listed_at_once(desk: Desk) -> None:
    """The inbox stands, too: it is listed, marked as what it is, until it falls."""
    desk.do("learn", "Air the sails.", "--kind", "procedural")
    desk.do("learn", "The tide turned.", "--kind", "episodic")
    listed = desk.type("list", "--kind", "procedural").stdout
    desk.do("forget", "1")

    assert "[inbox] Air the sails." in listed
    assert "The tide" not in listed
    assert [2] == [one["seq"] for one in desk.read("list")]


def test_a_reader_is_shown_what_means_something(desk: Desk) -> None:
    """Status and tier always, times and holds in words; no packed number, and one change is not `changes`."""
    desk.do("learn", "Air the sails.")
    desk.do("recall", "sails")
    desk.do("hold", "1", "audit", "--until", "2027-01-01")
    desk.do("hold", "1", "insurance")
    shown, history = desk.type("get", "1").stdout, desk.type("history", "1").stdout
    held = next(line.split(None, 1)[1] for line in shown.splitlines() if line.startswith("  holds"))
    session = desk.read("session")["session"]

    assert ["inbox", "hot"] == [
        line.split()[1] for line in shown.splitlines() if line[2:6] in ("stat", "tier")
    ][:2]
    assert "use_day" not in shown
    assert "audit until 2027-01-01 00:00+00:00, insurance" == held
    assert "holds audit until 2027-01-01 00:00 → audit until 2027-01-01 00:00, insurance" in history
    assert "1 change\n" in desk.type("history").stdout
    assert "hours    0." in desk.type("session", session, "--off").stdout
    assert 6 >= len(str(desk.read("session", session, "--off")["hours"]))


def test_an_undo_that_came_too_late_says_what_to_undo_first(desk: Desk) -> None:
    """The run that changed the row since is named; nothing was undone."""
    learned = desk.read("learn", "South-west, three.", "--key", "wind", "--agent", "mate", "--source", "log")
    desk.do("pin", "wind")
    put, pinned = (event["run"] for event in desk.read("history", "wind"))
    refused = desk.bad("undo", put)

    assert "a row changed since, among them memories 1" in refused
    assert f"undo before it: {pinned} (pin)" in " ".join(refused.split())
    assert 1 == desk.read("get", learned["id"])["pinned"]


def test_the_last_run_is_taken_back_by_no_name(desk: Desk) -> None:
    """One after the other, each named in the answer; with none left it is refused, as is an empty name."""
    desk.do("learn", "South-west, three.", "--key", "wind", "--agent", "mate", "--source", "log")
    desk.do("pin", "wind")
    pinned = desk.read("history", "wind")[-1]["run"]
    refused = desk.bad("undo", "")
    told = desk.type("undo", "last").stdout
    done = desk.read("undo", "last")

    assert f"undo: took back {pinned}" in told
    assert "this was `pin` of " in told
    assert done["undoes"] not in {None, pinned}
    assert "pass a receipt, a run's id, or 'last' for the newest of yours" in refused
    assert "can be undone" in desk.bad("undo", "last")


def test_a_document_is_what_the_result_says_of_itself(talk: Desk) -> None:
    """The same that `to_dict` returns in Python."""
    documents = [talk.read("get", "tide"), talk.read("list", "--limit", "2"), talk.read("status")]
    with remanence.sync.open("agent.db") as memory:
        told = [memory.get("tide").to_dict(), [one.to_dict() for one in memory.list(limit=2)]]
        state = memory.status().to_dict()

    assert told == documents[:2]
    assert state["memories"] == documents[2]["memories"] and state.keys() == documents[2].keys()


def test_several_memories_are_changed_in_one_run(talk: Desk) -> None:
    """By number, short id and key, and taken back together."""
    tide = talk.read("get", "tide")
    done = talk.type("forget", "buoy", f"#{tide['seq']}").stdout
    gone = keys(talk.read("list", "--status", "pruned"))
    assert set(gone) <= set(keys(talk.read("list", "--status", "any")))
    talk.good("restore", "buoy", tide["id"][-8:])
    back = keys(talk.read("list", "--status", "pruned"))

    assert "forget: 2 memories (2 changes)" in done
    assert ({"buoy", "tide"}, []) == (set(gone), back)
    assert "no memory 'nobody'" in talk.bad("pin", "buoy", "nobody")
    assert 0 == talk.read("get", "buoy")["pinned"]


def test_a_list_is_narrowed_like_a_question(talk: Desk) -> None:
    """By attributes and columns; of a name that stands there several times any value will do."""
    talk.do("update", "buoy", "--attribute", "place=pier")
    place = ("--where", "attributes.place=pier")

    assert ["buoy"] == keys(talk.read("list", *place)) == keys(talk.read("recall", "buoy tide", *place))
    assert {"buoy", "tide"} == set(keys(talk.read("list", "--where", "key=buoy", "--where", "key=tide")))
    assert "unknown filter 'place'" in talk.bad("list", "--where", "place=pier")


def test_a_filter_may_be_a_number(talk: Desk) -> None:
    """In a column of numbers, and in an attribute that holds one; there the word itself will do too."""
    with remanence.sync.open("agent.db") as memory:
        memory.update("buoy", attributes={"depth": 3, "wet": True})
        memory.update("tide", attributes={"depth": "3"})
        memory.pin("tide")

    assert ["tide"] == keys(talk.read("list", "--where", "pinned=1"))
    assert {"buoy", "tide"} == set(keys(talk.read("list", "--where", "attributes.depth=3")))
    assert ["buoy"] == keys(talk.read("list", "--where", "attributes.wet=true"))
    assert "pinned cannot be 'often'" in talk.bad("list", "--where", "pinned=often")
    for odd in ("NaN", "-Infinity", "1e999", "9" * 30, "[", '"buoy"'):
        assert [] == keys(talk.read("list", "--where", f"attributes.depth={odd}"))
    assert ["tide"] == keys(talk.read("list", "--where", 'attributes.depth="3"'))
    assert {"buoy", "tide"} < set(
        keys(talk.read("list", "--where", "attributes.wet=null", "--where", "attributes.wet=true"))
    )
    assert ["buoy"] == keys(
        talk.read("list", "--where", "attributes.wet=true", "--where", "attributes.wet=[1]")
    )


WRITTEN: list[tuple[str, Any]] = [
    ("42", 42),
    ("-2.50", -2.5),
    ("6e3", 6000.0),
    ("true", True),
    ('["pier", 4, null]', ["pier", 4, None]),
    ('{"east": [4]}', {"east": [4]}),
    ('"42"', "42"),
    ("0042", "0042"),
    ("+42", "+42"),
    ("-0", "-0"),
    ("1e-400", "1e-400"),
    ("NaN", "NaN"),
    ("True", "True"),
    (str(2**63 - 1), 2**63 - 1),
    (str(2**63), str(2**63)),
    ("0.12345678901234567890123", "0.12345678901234567890123"),
    (f"[{2**70}]", f"[{2**70}]"),
    ("[" * 20_000, "[" * 20_000),
    ("pier = 3", "pier = 3"),
    ("", ""),
]


@pytest.mark.parametrize(("word", "value"), WRITTEN)
def test_a_word_is_the_value_that_it_writes(word: str, value: Any, desk: Desk) -> None:
    """As JSON; what is none, and a number that would lose a digit, is a text, and is found again by the same word."""
    learned = desk.read("learn", "The gauge was read.", "--attribute", f"depth={word}")
    kept = desk.read("get", learned["id"])["attributes"]["depth"]

    assert (type(value), value) == (type(kept), kept)
    if not isinstance(value, dict):
        assert 1 == len(desk.read("list", "--where", f"attributes.depth={word}"))


def test_a_name_of_an_attribute_stands_once_and_without_operator(desk: Desk) -> None:
    """Else one value, or a sign, would be lost."""
    for words, refusal in (
        (["depth=3", "depth=4"], "names 'depth' twice"),
        (["depth>=3"], "is not NAME=VALUE"),
        ([" =3"], "is not NAME=VALUE"),
    ):
        given = [part for word in words for part in ("--attribute", word)]
        assert refusal in desk.bad("learn", "The gauge was read.", *given)


def test_attributes_are_narrowed_by_operators(talk: Desk) -> None:
    """By range, beginning and what they are not; memories are counted by them, too."""
    with remanence.sync.open("agent.db") as memory:
        memory.update("buoy", attributes={"depth": 3, "place": "pier/north"})
        memory.update("tide", attributes={"depth": 12, "place": "pier/south"})

    def where(*words: str) -> set[str]:
        return set(keys(talk.read("list", *(part for word in words for part in ("--where", word)))))

    assert {"buoy", "tide"} == where("attributes.place^=pier/")
    assert {"tide"} == where("attributes.depth>3")
    assert {"buoy"} == where("attributes.depth>=3", "attributes.depth<12")
    assert {"tide"} == where("attributes.depth<=12", "attributes.depth!=3", "attributes.place!=null") - {None}
    counted = talk.read("count", "attributes.place", "--where", "attributes.place^=pier/")
    assert (2, ["pier/north", "pier/south"]) == (
        counted["total"],
        [one["value"] for one in counted["values"]],
    )
    assert "1  pier/north" in talk.good("count", "attributes.place")
    for word, refusal in (
        ("attributes.depth", "is not NAME=VALUE"),
        ("=3", "is not NAME=VALUE"),
        ("attributes.depth>true", "cannot be gt True"),
        ("category^=ta", "category cannot be"),
        ("tags!=boats", "tags cannot be"),
        ("attributes.depth==3", "is not NAME=VALUE"),
        ("attributes.depth<>3", "is not NAME=VALUE"),
        ("attributes.place>=3", "compares with a number, but the values of that attribute are texts"),
        ('attributes.depth>="3"', "compares with a text, but the values of that attribute are numbers"),
        ("attributes.depth=deep", "compares with a text, but the values of that attribute are numbers"),
    ):
        assert refusal in talk.bad("list", "--where", word)
    assert "both for a value and by an operator" in talk.bad(
        "list", "--where", "attributes.depth=3", "--where", "attributes.depth>2"
    )


def test_a_key_is_put_again_and_again(desk: Desk) -> None:
    """The last text put under a key is the one that is there."""
    desk.do("learn", "South-west, three.", "--key", "wind", "--agent", "mate", "--source", "log")
    desk.good("learn", "South-west, four.", "--key", "wind", "--agent", "mate", "--source", "log")

    assert "South-west, four." == desk.read("get", "wind")["text"]
    assert 1 == desk.read("status")["memories"]


EDITS: list[tuple[list[str], str, Any]] = [
    (["update", "buoy", "--state", "completed", "--severity", "low"], "state", "completed"),
    (["update", "buoy", "--text", "Paint both buoys.", "--attribute", "n=2"], "text", "Paint both buoys."),
    (["update", "buoy", "--valid-to", "2027-01-01T00:00Z"], "valid_to", "2027-01-01T00:00:00+00:00"),
    (["tag", "buoy", "paint", "spring"], "tags", ["paint", "spring"]),
    (["pin", "buoy"], "pinned", 1),
    (
        ["hold", "buoy", "audit", "--until", "2027-01-01T00:00Z"],
        "holds",
        {"audit": "2027-01-01T00:00:00+00:00"},
    ),
    (["rate", "right", "buoy"], "confirmations", 1),
    (["rate", "wrong", "buoy"], "disputes", 1),
    (["correct", "buoy", "--by", "tide"], "status", "superseded"),
    (["forget", "buoy"], "status", "pruned"),
]


@pytest.mark.parametrize(("words", "column", "expected"), EDITS, ids=[edit[0][0] for edit in EDITS])
def test_an_edit_is_seen_and_taken_back(talk: Desk, words: list[str], column: str, expected: Any) -> None:
    """Each verb changes what it says, and its run can be undone."""
    found = talk.read("get", "buoy")
    receipt = json.loads(talk.good(*words, "--json"))
    changed = talk.read("get", found["id"])[column]
    talk.do("undo", receipt["run"])

    assert (expected, found[column]) == (changed, talk.read("get", "buoy")[column])


def test_edits_that_take_away(talk: Desk) -> None:
    """What is taken off and restored gives back what was."""
    before = talk.read("get", "tide")
    for words, back in (
        (["pin", "tide"], "pin --off"),
        (["hold", "tide", "audit"], "hold --off"),
        (["tag", "tide", "moon"], "tag --off"),
    ):
        assert talk.good(*words).rstrip().endswith(f"; a single memory: {back}")
    for words in (
        ["pin", "tide", "--off"],
        ["hold", "tide", "audit", "--off"],
        ["tag", "tide", "moon", "--off"],
    ):
        talk.good(*words)
    talk.do("forget", "tide")
    talk.good("restore", "tide")
    after = talk.read("get", "tide")

    same = ("pinned", "holds", "tags", "status", "reason", "text")
    assert [before[name] for name in same] == [after[name] for name in same]


def test_a_correction_takes_the_place_of_what_it_corrects(talk: Desk) -> None:
    """The old memory is history, the new one answers, also to the key."""
    old = talk.read("get", "code")["id"]
    learned = json.loads(talk.good("correct", "code", "The boathouse door key is 9038.", "--json"))

    assert "superseded" == talk.read("get", old)["status"]
    assert learned["id"] == talk.read("get", "code")["id"]
    assert learned["id"] == talk.read("recall", "door key")["memories"][0]["memory"]["id"]


def test_links_are_drawn_listed_and_cut(talk: Desk) -> None:
    """A link has its weight and is gone when it is cut."""
    talk.good("link", "buoy", "tide", "supports", "--weight", "0.7", "--confidence", "0.6")
    (drawn,) = [link for link in talk.read("links", "buoy") if link["relation"] == "supports"]
    talk.good("link", "buoy", "tide", "supports", "--off")

    assert (0.7, 0.6) == (drawn["weight"], drawn["confidence"])
    assert "supports" not in {link["relation"] for link in talk.read("links", "buoy")}


def test_a_number_names_a_memory(talk: Desk) -> None:
    """Sequence number, id and key are three names of one memory."""
    by_key = talk.read("get", "tide")

    assert by_key == talk.read("get", str(by_key["seq"])) == talk.read("get", by_key["id"])


def test_lists_are_narrowed(talk: Desk) -> None:
    """List shows the newest first, by kind, category and tag."""
    assert ["end", "buoy", "tide", "code"] == [one["key"] for one in talk.read("list")]
    assert ["end"] == [one["key"] for one in talk.read("list", "--kind", "episodic")]
    assert ["buoy"] == [one["key"] for one in talk.read("list", "--category", "task")]
    assert ["tide"] == [one["key"] for one in talk.read("list", "--tag", "water")]
    assert "none" in talk.good("list", "--tag", "nowhere")


def test_what_no_longer_stands_is_listed_by_its_status(talk: Desk) -> None:
    """One status or several, each memory marked with its own."""
    strict(talk)
    talk.do("curate", "--policy", "strict.toml")
    talk.do("forget", "buoy")
    listed = talk.type("list", "--status", "archived").stdout
    both = talk.read("list", "--status", "archived", "--status", "pruned")

    assert "[archived; outside] Thanks, that is all." in listed
    assert 1 == listed.count("\n")
    assert {"end": "archived", "buoy": "pruned"} == {one["key"]: one["status"] for one in both}
    assert ["tide", "code"] == [one["key"] for one in talk.read("list")]


def test_the_state_is_told(talk: Desk) -> None:
    """Status, history and doctor say what is there, what happened and whether it is sound."""
    assert {"active": 4} == talk.read("status")["statuses"]
    assert "4 active" in talk.good("status")
    assert ["learn", "consolidate"] == [event["verb"] for event in talk.read("history", "tide")]
    assert talk.read("history")
    assert all(check["ok"] for check in talk.read("doctor"))


def test_a_damaged_file_is_seen(talk: Desk) -> None:
    """Doctor leaves with 1 where something is not sound."""
    with closing(sqlite3.connect(talk.folder / "agent.db")) as connection, connection:
        connection.execute("UPDATE memories SET text = 'High tide is at ten.' WHERE seq = 2")
    done = talk.type("doctor")

    assert 1 == done.exit_code
    assert "DAMAGED" in done.stdout


STRICT = """version = 1
name = "strict"

[[rule]]
name = "episodes"
every = "rapid"
phase = "lifecycle"
where = "kind == 'episodic'"
do = "archive"
"""


def strict(desk: Desk) -> None:
    """Write a policy that archives every episode at once."""
    (desk.folder / "strict.toml").write_text(STRICT, encoding="utf-8")


def test_a_plan_is_shown_kept_applied_and_taken_back(talk: Desk) -> None:
    """What was planned is what is applied, and both ways of saying so are the same."""
    strict(talk)
    page = talk.good("plan", "--policy", "strict.toml", "-o", "plan.json")
    talk.good("curate", "--dry-run", "-o", "again.json", "--policy", "strict.toml")
    before = talk.read("status")["statuses"]
    receipt = json.loads(talk.good("apply", "plan.json", "--policy", "strict.toml", "--json"))
    applied = talk.read("status")["statuses"]
    talk.good("undo", receipt["run"])
    said = talk.good("curate", "--policy", "strict.toml")

    assert "archive 1 memory" in page
    assert "curate: archive 1 memory (1 change)" in said
    assert "; a single memory: restore or rate right" in said
    assert {"archive": 1} == {name: count for name, count in receipt["counts"].items() if count}
    assert ({"active": 4}, {"active": 3, "archived": 1}) == (before, applied)
    assert "archived" == talk.read("get", "end")["status"]
    assert "--apply makes no plan" in talk.bad("curate", "--apply", "plan.json", "--dry-run")


def test_a_plan_lists_what_goes(desk: Desk) -> None:
    """The first memories of each rule, or all; from a file too, and as JSON with whole texts and ids."""
    strict(desk)
    turns = [json.dumps({"text": f"Episode {number}.", "kind": "episodic"}) for number in range(8)]
    (desk.folder / "eight.jsonl").write_text("\n".join(turns), encoding="utf-8")
    desk.good("ingest", "eight.jsonl")
    desk.good("consolidate")
    first = desk.good("plan", "--policy", "strict.toml", "-o", "plan.json")
    every = desk.good("plan", "--policy", "strict.toml", "--list")
    dry = desk.good("curate", "--dry-run", "--policy", "strict.toml", "--list")
    kept = desk.good("plan", "plan.json")
    told = desk.read("plan", "plan.json", "--list")
    (act,) = told["acts"]

    assert (5, 8, 8) == tuple(page.count("  Episode ") for page in (first, every, dry))
    assert "    and 3 more\n" in first
    assert first.rstrip().endswith("all of them: --list")
    assert first.splitlines()[0] == kept.splitlines()[0]
    assert 5 == kept.count("  Episode ")
    assert (8, 8, "archive") == (act["count"], len(act["memories"]), act["name"])
    assert {"seq", "id", "text", "said_at", "said_offset"} == act["memories"][0].keys()
    assert told["tokens_before"] > told["tokens_after"] == 0
    assert "Episode" not in (desk.folder / "plan.json").read_text(encoding="utf-8")
    assert "in a file already" in desk.bad("plan", "plan.json", "-o", "other.json")


def test_a_plan_is_applied_once(talk: Desk) -> None:
    """A second time says which run did it and how to take that back; then a new plan does the same."""
    strict(talk)
    talk.do("plan", "--policy", "strict.toml", "-o", "plan.json")
    run = talk.read("apply", "plan.json", "--policy", "strict.toml")["run"]
    refused = talk.bad("apply", "plan.json", "--policy", "strict.toml")
    talk.do("undo", run)
    again = talk.read("curate", "--policy", "strict.toml")

    assert f"was applied already by {run}" in refused
    assert f"undo {run}" in refused
    assert 1 == again["counts"]["archive"]


def test_what_a_run_did_is_listed(talk: Desk) -> None:
    """Per action the rule with its reason and the memories, cut to the screen, and the way back."""
    (talk.folder / "strict.toml").write_text(STRICT + 'because = "talk passes"\n', encoding="utf-8")
    talk.do("learn", "The tide " + "rises " * 100, "--kind", "episodic")
    talk.do("consolidate")
    run = talk.read("curate", "--policy", "strict.toml")["run"]
    shown = talk.good("history", run)
    (act,) = talk.read("history", run)["acts"]
    few = talk.type("history", run, "--limit", "1").stdout
    talk.do("undo", run)
    after = talk.type("history", run).stdout

    assert "archive 2 memories  [episodes] because talk passes" in shown
    assert f"undo {run}; a single memory: restore or rate right" in shown
    assert max(map(len, shown.splitlines())) <= 200
    assert 1 == shown.count("…")
    assert ("archive", 2, {"episodes": "talk passes"}) == (act["name"], act["count"], act["rules"])
    assert {one["id"] for one in act["memories"]} == {
        one["id"] for one in talk.read("list", "--kind", "episodic")
    }
    assert all(f"#{one['seq']} " in shown for one in act["memories"])
    assert "and 1 more" in few
    assert "taken back by" in after
    assert "remanence undo" not in after


def test_what_was_edited_since_is_left_out_of_a_plan(talk: Desk) -> None:
    """A memory that changed between plan and apply stays, and the receipt says so."""
    strict(talk)
    talk.do("plan", "--policy", "strict.toml", "-o", "plan.json")
    talk.do("update", "end", "--text", "Thanks, that is not all.")
    receipt = talk.read("apply", "plan.json", "--policy", "strict.toml")

    assert 1 == len(receipt["skipped"])
    assert "active" == talk.read("get", "end")["status"]


def test_the_command_compares_a_file(talk: Desk) -> None:
    """Text and data tell the same, and a plan of which nothing differs ends with 0 as one of which something does."""
    strict(talk)
    talk.do("plan", "--policy", "strict.toml", "-o", "plan.json")
    same = talk.good("plan", "--compare", "plan.json", "--policy", "strict.toml")
    talk.do("pin", "end")
    text = talk.good("plan", "--compare", "plan.json", "--policy", "strict.toml")
    data = talk.read("plan", "--compare", "plan.json", "--policy", "strict.toml")

    assert "Nothing has changed." in same
    assert "protected: pinned" in text
    assert ["pin"] == [one["verb"] for one in data["left"][0]["memories"][0]["since"]]
    assert data["left"][0]["memories"][0]["since"][0]["run"] in text


def test_a_forged_plan_file_has_no_more_power_than_its_policy(talk: Desk) -> None:
    """With a digest of its own it is read, and then refused, or found to be what the policy does not do."""
    strict(talk)
    talk.do("plan", "--policy", "strict.toml", "-o", "plan.json")
    file = talk.folder / "plan.json"
    made = json.loads(file.read_text(encoding="utf-8"))

    def forged(**columns: Any) -> None:
        data = {**made, "columns": {**made["columns"], **columns}}
        data["digest"] = Plan(**fields_of(data)).digest
        file.write_text(json.dumps(data), encoding="utf-8")

    forged(pinned=[[0], [1], [0]])
    assert "changes pinned, which no rule of its policy does" in talk.bad(
        "curate", "--apply", "plan.json", "--policy", "strict.toml"
    )
    forged(status=[[0], [1], [4]])
    assert "pruned without a rule" in talk.bad("apply", "plan.json", "--policy", "strict.toml")
    forged()
    assert "--policy" in talk.bad("apply", "plan.json")
    assert "--policy" in talk.bad("apply", "plan.json", "--policy", "default")
    talk.do("pin", "end")
    receipt = talk.read("apply", "plan.json", "--policy", "strict.toml")

    assert (0, "active") == (receipt["changes"], talk.read("get", "end")["status"])
    assert ["#4: protected: pinned"] == receipt["skipped"]


def test_a_plan_file_that_was_touched_is_refused(talk: Desk) -> None:
    """A plan is applied as it was made, or not at all."""
    talk.do("plan", "--policy", "default", "-o", "plan.json")
    plan = talk.folder / "plan.json"
    plan.write_text(plan.read_text(encoding="utf-8").replace('"now":1', '"now":2'), encoding="utf-8")

    assert "changed after it was made" in talk.bad("apply", "plan.json")
    assert "no plan" in talk.bad("apply", "talk.jsonl")
    assert "no file" in talk.bad("apply", "gone.json")
    assert "there already" in talk.bad("plan", "--policy", "default", "-o", "plan.json")


def test_a_memory_is_explained(talk: Desk) -> None:
    """Every rule and guard is named, in words and as data."""
    assert "unfinished: true" in talk.good("explain", "buoy", "--policy", str(POLICY))
    verdicts = talk.read("explain", "buoy", "--policy", str(POLICY))["verdicts"]
    assert "done-tasks" in {verdict["name"] for verdict in verdicts}


def test_policies_are_read_checked_and_adopted(talk: Desk) -> None:
    """What conditions name, and a policy, can be read; an adopted one needs no naming, and none names the presets."""
    assert "said_at" in talk.good("policy", "show", "--columns")
    assert "default, janitor" in talk.bad("policy", "show")
    assert "store-budget" in talk.good("policy", "show", "default", "--words")
    assert "saltmarsh" == talk.read("policy", "check", str(POLICY))["name"]
    assert "no policy" in talk.bad("plan")
    talk.good("policy", "use", str(POLICY))
    assert "saltmarsh" in talk.good("plan")
    assert "saltmarsh" == talk.read("status")["policy"]
    assert POLICY.read_text(encoding="utf-8").strip() == talk.good("policy", "show").strip()
    assert "saltmarsh: " in talk.good("policy", "show", "--words")
    assert "would drop saltmarsh" in talk.good("policy", "use", "--off", "--dry-run")
    assert "saltmarsh" == talk.read("policy", "use", "--off")["before"]
    assert None is talk.read("status")["policy"]
    assert "no policy" in talk.bad("plan")


def test_a_policy_is_printed_to_copy_and_read_from_a_pipe(talk: Desk) -> None:
    """What `policy show` prints is a policy file, a preset's and one's own; `-` reads one wherever a policy goes."""
    shown = talk.good("policy", "show", "default")
    (talk.folder / "mine.toml").write_text(shown, encoding="utf-8")
    checked = [talk.read("policy", "check", name)["rules"] for name in ("default", "mine.toml")]
    piped = talk.type("plan", "--policy", "-", "--json", text=shown)

    assert shown == talk.good("policy", "show", "mine.toml")
    assert checked[0] == checked[1]
    assert ("default", 0) == (json.loads(piped.stdout)["policy"], piped.exit_code)


def test_what_nobody_expected_is_two_lines_or_a_traceback(talk: Desk) -> None:
    """A fault of ours is said like any error, and where it was if that is asked for."""
    script = "import remanence.faces.cli as cli; cli.run = lambda words: 1 / 0; cli.main()"
    command = [sys.executable, "-c", script]
    done, traced = (
        subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False
        )
        for environment in (talk.environment, {**talk.environment, "REMANENCE_TRACEBACK": "1"})
    )

    assert (1, "error: ZeroDivisionError: division by zero\n") == (
        done.returncode,
        done.stderr.partition("  →")[0],
    )
    assert (1, True) == (traced.returncode, "Traceback" in traced.stderr)


def test_a_file_may_come_from_a_pipe_and_go_into_one(talk: Desk) -> None:
    """`-` is standard input for what reads a file, and standard output for what writes one."""
    lines = (talk.folder / "talk.jsonl").read_text(encoding="utf-8")
    taken = talk.type("ingest", "-", "--db", "piped.db", "--json", text=lines)
    copied = talk.type("import", "-", "--db", "copied.db", text=talk.good("export", "-"))
    strict(talk)
    plan = talk.good("plan", "--policy", "strict.toml", "-o", "-")
    applied = talk.type("apply", "-", "--policy", "strict.toml", text=plan)
    with (talk.folder / "backup.db").open("wb") as out:
        subprocess.run([str(SCRIPT), "backup", "-"], cwd=talk.folder, stdout=out, check=True)

    assert ["stored", 4] == ["stored", json.loads(taken.stdout)["stored"]]
    assert (0, 4) == (copied.exit_code, talk.read("status", "--db", "copied.db")["memories"])
    assert (0, "archived") == (applied.exit_code, talk.read("get", "end")["status"])
    assert 4 == talk.read("status", "--db", "backup.db")["memories"]
    assert ["standard-input:1"] == talk.read("get", "code", "--db", "piped.db")["sources"]


def test_times_are_local_and_say_so(desk: Desk) -> None:
    """A time without a zone is of the zone of who writes it, and is printed with that offset wherever it is read."""
    zone = {"TZ": "Asia/Kolkata"}
    learned = desk.type("learn", "High tide.", "--said-at", "2026-03-01T09:30", **zone)
    abroad = desk.type("list", TZ="America/New_York").stdout

    assert "note: 2026-03-01T09:30 is taken as local time: 2026-03-01 09:30+05:30\n" == learned.stderr
    assert "2026-03-01 09:30+05:30" in abroad
    assert "2026-03-01 09:30+05:30" in desk.type("get", "1", **zone).stdout
    assert "2026-03-01T09:30:00+05:30" == desk.read("get", "1")["said_at"]
    assert "" == desk.type("learn", "Low tide.", "--said-at", "2026-03-01T15:30Z", **zone).stderr


CHANGING: list[list[str]] = [
    ["learn", "The mast is oiled."],
    ["learn", "The boathouse door key is 2217.", "--key", "code", "--agent", "desk", "--source", "log"],
    ["ingest", "more.jsonl"],
    ["correct", "tide", "High tide is at ten."],
    ["link", "code", "tide", "supports"],
    ["rate", "1", "code"],
    ["settings", "frame_limit", "7"],
    ["frames", "set", "mine", "--limit", "2"],
    ["frames", "set", "attention", "--off"],
    ["policy", "use", "default"],
    ["session"],
    ["pin", "code"],
    ["tag", "code", "doors"],
    ["forget", "buoy"],
]


@pytest.mark.parametrize("words", CHANGING, ids=[" ".join(words[:2]) for words in CHANGING])
def test_what_changes_something_says_how_to_take_it_back(talk: Desk, words: list[str]) -> None:
    """The command that is printed can be typed as it stands, and is done."""
    talk.write("more.jsonl", {"text": "The tide turned at noon."})
    talk.do("frames", "set", "attention", "--limit", "3", "--template", "Seen:\n{memories}")
    told = talk.type(*words)
    back = shlex.split(told.stdout.split("take it back with: remanence ")[1].split(";")[0])

    assert 0 == told.exit_code
    assert 0 == talk.type(*back).exit_code


def test_counts_are_worded_for_one_and_for_many(desk: Desk) -> None:
    """One memory is a memory."""
    desk.do("learn", "Air the sails.")

    assert "1 memory, 0 links" in desk.type("status").stdout
    assert desk.type("consolidate").stdout.startswith("1 memory active")
    assert desk.type("rate", "1", "1").stdout.startswith("1 memory rated")


# Says what bash would offer for the last word of each line, as the script of `remanence completion bash` has it.
OFFERING = """
source <(remanence completion bash)
for line in "$@"; do
  read -ra COMP_WORDS <<< "$line"
  COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMPREPLY=(); _remanence; echo "${COMPREPLY[*]}"
done
"""
OFFERED = {
    "re": "recall restore review reembed",
    "policy sh": "show",
    "list --status ar": "archived",
    "link 1 2 su": "supports supersedes",
    "plan --policy de": "default",
    "policy use de": "default",
    "frame att": "attention",
    "ingest --format chat": "chatgpt",
    "get 1 --js": "--json",
}


def test_a_shell_completes_commands_and_values(desk: Desk) -> None:
    """Commands, options and the words that an option or an argument takes: statuses, relations, presets, frames."""
    path = f"{SCRIPT.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-c", OFFERING, "bash", *(f"remanence {line}" for line in OFFERED)],
        cwd=desk.folder,
        env={**desk.environment, "PATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )

    assert ([*OFFERED.values()], "") == (done.stdout.splitlines(), done.stderr)


def test_what_is_typed_to_take_it_back_is_never_broken() -> None:
    """A command stands on one line, however narrow the screen is; what is beside it goes on."""
    command = "remanence undo 01a202b9a62e745ba234da4720c4ff53"
    line = Text.assemble(
        ("  take it back with: ", "dim"), (command, "command"), ("; a single memory: unpin", "dim")
    )
    shown = line.wrap_lines(60).plain.splitlines()

    assert [1] == [row.count(command) for row in shown if "undo" in row]
    assert all(len(row) <= 60 for row in shown)
    assert line.plain.split() == line.wrap_lines(60).plain.split()


@pytest.mark.parametrize(
    "text", ["", "a", "  a  b ", "a" * 100, "灯台 の 鍵 は 四四七一 です " * 3, "a\nb  c\n\n  d e"]
)
@pytest.mark.parametrize("width", [1, 8, 20, 200])
def test_wrapping_loses_no_word(text: str, width: int) -> None:
    """Whatever the width, the words are the same, and lines that fit are as they were."""
    shown = Text(text).wrap_lines(width).plain

    assert text.split() == shown.split()
    assert width < 100 or shown.rstrip() == text.rstrip()


def test_a_narrow_terminal_wraps_at_words(desk: Desk) -> None:
    """On a terminal no word is broken and no line is wider than it; in a pipe a line is a line."""
    desk.do(
        "learn", "The lock of the boathouse is opened with the code 4471, says the keeper of the harbour."
    )
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    process = subprocess.Popen(
        [str(SCRIPT), "list"],
        cwd=desk.folder,
        env={name: value for name, value in desk.environment.items() if name != "COLUMNS"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b"".join(iter(lambda: heard(master), b"")).decode()
    process.wait(SECONDS_MAX)
    os.close(master)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    piped = desk.good("list")

    assert 1 < len(lines)
    assert [] == [line for line in lines if len(line.rstrip()) > 60]
    assert piped.split() == " ".join(lines).split()
    assert ("\x1b[1m" in shown, "\x1b" in piped) == (True, False)


def test_a_wrong_policy_is_named_by_line_and_nearest_word(talk: Desk) -> None:
    """A misspelt column is found before anything is planned, in the file that it stands in."""
    wrong = talk.folder / "wrong.toml"
    wrong.write_text(STRICT.replace("kind ==", "knd =="), encoding="utf-8")

    for words in (
        ("policy", "check", "wrong.toml"),
        ("plan", "--policy", "wrong.toml"),
        ("run", "--once", "--policy", "wrong.toml"),
    ):
        said = talk.bad(*words)

        assert "error: wrong.toml:8:" in said
        assert "'kind'" in said


def test_copies_are_made(talk: Desk) -> None:
    """A backup is a database, an export is lines, and an import gives the same memories."""
    talk.good("backup", "copy.db")
    talk.good("export", "copy.jsonl")
    lines = talk.good("export").splitlines()
    talk.good("import", "copy.jsonl", "--db", "other.db")

    texts = [one["text"] for one in talk.read("list")]
    assert texts == [one["text"] for one in talk.read("list", "--db", "copy.db")]
    assert texts == [one["text"] for one in talk.read("list", "--db", "other.db")]
    assert lines == (talk.folder / "copy.jsonl").read_text(encoding="utf-8").splitlines()
    assert "already" in talk.bad("backup", "copy.db")
    assert "there already" in talk.bad("export", "copy.jsonl")


def test_options_stand_before_or_after_the_command(talk: Desk) -> None:
    """--db and --scope are understood in both places and from the environment."""
    talk.good("learn", "Elsewhere.", "--scope", "other", "--db", "agent.db")

    named = talk.type("status", "--scope", "other", "--json", REMANENCE_DB="agent.db").stdout
    assert [1, 1] == [talk.read("--scope", "other", "status")["memories"], json.loads(named)["memories"]]
    assert "no database gone.db" in talk.type("status", REMANENCE_DB="gone.db").stderr
    token = talk.type(
        "--db", "agent.db", "token", "add", "desk", "--scope", "other", "--role", "read", "--json"
    )
    assert ["other"] == json.loads(token.stdout)["token"]["scopes"], token.stderr


@pytest.mark.parametrize(
    "words",
    [
        *(["list"], ["recall", "x"], ["status"], ["get", "1"], ["forget", "1"], ["history"], ["settings"]),
        *(
            ["export"],
            ["plan", "--policy", "default"],
            ["frames", "get"],
            ["undo", "last"],
            ["session", "--off"],
        ),
    ],
)
def test_a_scope_that_is_not_there_is_said(talk: Desk, words: list[str]) -> None:
    """What only reads, or changes what is there, names the scopes that are; nothing is made by it."""
    for _ in range(2):  # the first makes no scope for the second to find
        done = talk.type(*words, "--scope", "defualt")

        assert (1, "") == (done.exit_code, done.stdout)
        assert "no scope 'defualt' here" in done.stderr
        assert "did you mean 'default'?" in done.stderr
    assert "use one of: default" in talk.bad(*words, "--scope", "elsewhere")


@pytest.mark.parametrize(
    "words",
    [
        *(
            ["learn", "x"],
            ["note", "x"],
            ["learn", "x", "--key", "key"],
            ["ingest", "talk.jsonl"],
            ["session"],
        ),
        *(["policy", "use", "default"], ["settings", "boxes", "0"], ["frames", "set", "mine"]),
    ],
)
def test_a_write_makes_a_scope(talk: Desk, words: list[str]) -> None:
    """What says something of a scope makes it: from then on it can be read."""
    talk.good(*words, "--scope", "new")

    talk.good("status", "--scope", "new")


def test_a_file_is_looked_through_whatever_the_scope(talk: Desk) -> None:
    """What is about the whole file asks for no scope."""
    talk.good("doctor", "--scope", "elsewhere")
    talk.good("backup", "copy.db", "--scope", "elsewhere")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["get", "gone"], "no memory 'gone'"),
        (["get", "99"], "no memory 99"),
        (["pin", "gone"], "no memory 'gone'"),
        (["undo", "gone"], "no run 'gone'"),
        (["link", "buoy", "buoy", "supports"], "itself"),
        (["learn", ""], "empty"),
        (["learn", "x", "--category", "tusk"], "did you mean 'task'"),
        (["learn", "x", "--said-at", "noon"], "not a time"),
        (["learn", "x", "--attribute", "novalue"], "NAME=VALUE"),
        (["recall", "x", "--where", "colour=red"], "unknown filter"),
        (["plan", "--policy", "defalt"], "default"),
        (["hold", "buoy", "audit", "--off"], "no hold 'audit'"),
        (["restore", "buoy"], "already, and shown whole"),
        (["ingest", "gone.jsonl"], "no file"),
        (["ingest", "."], "no notes in ."),
        (["ingest", "talk.jsonl", "--format", "jsnl"], "did you mean 'jsonl'"),
        (["import", "talk.jsonl"], "talk.jsonl:1"),
        (["get", "buoy", "--db", "talk.jsonl"], "talk.jsonl"),
        (["get", "buoy", "--db", "."], "error"),
        (["get", "buoy", "--scope", " "], "scope"),
        (["get", "buoy", "--scope", ""], "scope"),
        (["learn", "x", "--scope", ""], "scope"),
        (["learn", "x", "--agent", ""], "agent"),
        (["get", "buoy", "--db", ""], "'' names no file"),
        (["learn", "x", "--db", ""], "'' names no file"),
        (["doctor", "--db", ""], "'' names no file"),
        (["mcp", "--db", ""], "'' names no file"),
        (["mcp", ""], "'' names no file"),
    ],
)
def test_what_is_wrong_is_said_in_two_lines(talk: Desk, words: list[str], says: str) -> None:
    """The first says what happened, the second what to do; nothing is written but that a change was refused."""
    before = {path.name: path.read_bytes() for path in talk.folder.iterdir()}
    stored = talk.read("history"), talk.read("list", "--status", "any")

    assert says in talk.bad(*words)
    after = {path.name: path.read_bytes() for path in talk.folder.iterdir()}
    told = words[0] in running.CHANGING
    assert stored == (talk.read("history"), talk.read("list", "--status", "any"))
    assert before.keys() == after.keys()
    assert ({"agent.db"} if told else set()) >= {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize(
    ("words", "wrong", "way"),
    [
        (["recal"], "no command 'recal'", "did you mean 'recall'?"),
        (["tick"], "no command 'tick'", "did you mean 'run'?"),
        (["policy", "shw"], "no command 'policy shw'", "did you mean 'show'?"),
        (["delete", "1"], "no command 'delete'", "did you mean 'forget' or 'erase'?"),
        (["remember", "x"], "no command 'remember'", "did you mean 'learn'?"),
        (["search", "x"], "no command 'search'", "did you mean 'recall'?"),
        (["add", "x"], "no command 'add'", "did you mean 'learn'?"),
        (["show", "1"], "no command 'show'", "did you mean 'get'?"),
        (["edit", "1"], "no command 'edit'", "did you mean 'update' or 'correct'?"),
        (["dedupe"], "no command 'dedupe'", "did you mean 'consolidate' or 'merge'?"),
        (["recall", "x", "--top-k", "3"], "no option --top-k", "did you mean '--limit'?"),
        (["recall", "x", "--top_k", "3"], "no option --top_k", "did you mean '--limit'?"),
        (["--user", "x", "status"], "no option --user", "did you mean '--scope'?"),
        (["frobnicate"], "no command 'frobnicate'", "see: remanence more"),
        (["--scpoe", "x", "status"], "no option --scpoe", "did you mean '--scope'?"),
        (["plan", "--polcy", "default"], "no option --polcy", "did you mean '--policy'?"),
        (["recall"], "QUERY is missing", "usage: remanence recall QUERY [options]"),
        (["get", "1", "2"], "'2' is one word too many", "usage: remanence get MEMORY [options]"),
        (["recall", "x", "--limti", "3"], "no option --limti", "did you mean '--limit'?"),
        (["learn", "x", "--speker", "Ines"], "no option --speker", "did you mean '--speaker'?"),
        (["learn", "-5 degrees"], "'-5 degrees' begins like an option", "write -- before it"),
        (["learn", "x", "--tag", "-"], "- stands only where a text or a file goes", "write the word itself"),
        (["status", "--db"], "--db takes a value", "usage: remanence COMMAND …"),
        (
            ["recall", "x", "--limit", "many"],
            "--limit: 'many' is not a whole number",
            "write it like --limit 5",
        ),
        (
            ["rate", "well", "1"],
            "VERDICT: 'well' is not one of its values",
            "use one of: right, wrong, helped, misled",
        ),
        (
            ["list", "--status", "archivd"],
            "--status: 'archivd' is not one of its values",
            "did you mean 'archived'?",
        ),
        (
            ["link", "a", "b", "suports"],
            "RELATION: 'suports' is not one of its values",
            "did you mean 'supports'?",
        ),
        (
            ["list", "--status", "archive"],
            "--status: 'archive' is not one of its values",
            "did you mean 'archived'?",
        ),
        (["status", "--json=please"], "--json takes no value", "write it alone"),
    ],
)
def test_wrong_usage_leaves_with_two(desk: Desk, words: list[str], wrong: str, way: str) -> None:
    """A command that cannot be understood is told apart from one that is refused, in our words too."""
    done = desk.type(*words)

    assert (2, "", f"error: {wrong}\n  → {way}\n") == (done.exit_code, done.stdout, done.stderr)


def test_a_mistyped_name_makes_no_database(desk: Desk) -> None:
    """Only what takes something in makes a file."""
    assert "no database tpyo.db" in desk.bad("recall", "x", "--db", "tpyo.db")
    assert [] == list(desk.folder.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ["learn", "x", "--category", "tusk"],
        ["learn", ""],
        ["learn", "x", "--said-at", "noon"],
        ["learn", "x", "--confidence", "2"],
        ["learn", "x", "--key", "k", "--agent", "a", "--source", "s", "--if-revision", "5"],
        ["ingest", "gone.jsonl"],
        ["ingest", "wrong.jsonl"],
        ["import", "wrong.jsonl"],
    ],
)
def test_a_refused_first_text_makes_no_database(desk: Desk, words: list[str]) -> None:
    """What is wrong is found before there is a file; what is right then makes one."""
    desk.write("wrong.jsonl", {"text": 5}, {"words": "None."})
    desk.bad(*words)

    assert ["wrong.jsonl"] == [path.name for path in desk.folder.iterdir()]

    desk.good("learn", "x")

    assert 1 == desk.read("status")["memories"]


def test_a_first_text_comes_from_standard_input(desk: Desk) -> None:
    """It is read once, though the verb is tried before the file is made; what is no text is wrong usage."""
    done = desk.type("learn", "-", text="The buoy is green.")

    assert (0, "The buoy is green.") == (done.exit_code, desk.read("get", "1")["text"])


def test_an_error_is_a_document_too(desk: Desk) -> None:
    """With --json a program reads what is wrong, and the exit code still says so."""
    done = desk.type("get", "gone", "--json")
    said = json.loads(done.stdout)

    assert (1, "NotFound") == (done.exit_code, said["error"])
    assert said["recovery"]


def test_a_stored_text_steers_no_terminal(desk: Desk) -> None:
    """Control characters of a memory are not printed."""
    desk.do("learn", "red \x1b[31malert\x07 text", "--speaker", "Tom")

    assert "\x1b" not in "".join(
        desk.type(*words).output for words in (["recall", "alert"], ["get", "1"], ["list"])
    )


def test_progress_is_shown_where_somebody_looks(desk: Desk) -> None:
    """On a terminal stderr shows how far it is, and stdout holds the answer alone."""
    desk.write("large.jsonl", *large(2_000))
    master, terminal = os.openpty()
    process = subprocess.Popen(
        [str(SCRIPT), "ingest", "large.jsonl", "--json"],
        cwd=desk.folder,
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b"".join(iter(lambda: heard(master), b""))
    printed, _ = process.communicate(timeout=SECONDS_MAX)
    os.close(master)

    assert b"taking in" in shown
    assert 2_000 == json.loads(printed)["stored"]


def heard(terminal: int) -> bytes:
    """Read what came to a terminal; nothing once everybody has left."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


@pytest.mark.parametrize("words", ["export -", "--help", "guide"])
def test_a_broken_pipe_is_quiet(talk: Desk, words: str) -> None:
    """`export | head` ends without a word."""
    done = subprocess.run(
        f"{SCRIPT} {words} | head -c 1 > head.txt; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        cwd=talk.folder,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )

    assert "" == done.stderr
    assert done.stdout.strip() in {"0", "141"}


def large(count: int) -> Iterator[dict[str, Any]]:
    """Make many turns that differ."""
    for number in range(count):
        yield {
            "text": f"Turn {number} tells of boat {number % 97} at berth {number % 31}.",
            "kind": "episodic",
        }


# Waits for a line on stdin where a statement is about to run and the connection has written so many rows, so that
# a signal comes at that moment on any machine.
PAUSING = """
import sqlite3, sys
from remanence.faces.cli import main
statement, rows = sys.argv.pop(1), int(sys.argv.pop(1))
connect, paused = sqlite3.connect, []
def traced(*given, **more):
    connection = connect(*given, **more)
    def look(said):
        if said == statement and connection.total_changes >= rows and not paused:
            paused.append(said)
            print("paused", flush=True)
            sys.stdin.readline()
    connection.set_trace_callback(look)
    return connection
sqlite3.connect = traced
main()
"""


def interrupted_at(desk: Desk, statement: str, rows: int, *words: str) -> tuple[int, str]:
    """Press Ctrl-C where a command is about to run a statement after so many rows; return the exit code and stderr."""
    process = subprocess.Popen(
        [sys.executable, "-c", PAUSING, statement, str(rows), *words],
        cwd=desk.folder,
        env=desk.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "paused\n" == process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate("go on\n", timeout=SECONDS_MAX)
    return process.returncode, said


def test_ctrl_c_during_an_ingest_leaves_whole_thousands(desk: Desk) -> None:
    """It ends in one line with 130; what is stored is whole, and a second ingest brings the rest."""
    desk.write("large.jsonl", *large(3_000))
    code, said = interrupted_at(desk, "BEGIN IMMEDIATE", 1_000, "ingest", "large.jsonl")
    kept = desk.read("status")["memories"]
    desk.do("ingest", "large.jsonl")

    assert (130, 1) == (code, said.count("\n"))
    assert kept - int(said.removeprefix("interrupted: at least ").split()[0].replace(",", "")) in {0, 1_000}
    assert said.endswith("; the same command takes in the rest, nothing twice\n")
    assert 0 == kept % 1_000
    assert 1_000 <= kept < 3_000
    assert 3_000 == desk.read("status")["memories"]
    assert all(check["ok"] for check in desk.read("doctor"))


def test_ctrl_c_during_an_undo_names_its_run(desk: Desk) -> None:
    """Said again, `undo last` would mean an older run; by its id that one is taken back, once, and no other."""
    desk.do("learn", "The bell rings twice.")
    desk.write("large.jsonl", *large(900))
    desk.do("ingest", "large.jsonl")
    code, said = interrupted_at(desk, "COMMIT", 900, "undo", "last")
    way = said.strip().split("remanence ")[-1].removesuffix(" takes back the rest").split()
    again = desk.type(*way)

    assert (130, 1, ["undo"]) == (code, said.count("\n"), way[:-1])
    assert again.exit_code == 0 or "undone already" in again.stderr
    assert ["The bell rings twice."] == [one["text"] for one in desk.read("list")]
    assert all(check["ok"] for check in desk.read("doctor"))


CLOSING = """
import asyncio, os, signal, sys
from remanence.engine import Engine
from remanence.faces.cli import main
leave = Engine.__aexit__
async def interrupted(self, *given):
    os.kill(os.getpid(), signal.SIGINT)
    try:
        await asyncio.sleep(300)
    finally:
        await leave(self, *given)
Engine.__aexit__ = interrupted
main()
"""


def test_ctrl_c_after_the_work_says_that_it_is_done(desk: Desk) -> None:
    """Whoever pressed it while the memory closed need not do the command again."""
    desk.do("learn", "The bell rings twice.")
    done = subprocess.run(
        [sys.executable, "-c", CLOSING, "undo", "last"],
        cwd=desk.folder,
        env=desk.environment,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )

    said = "interrupted: undo is done, only its answer was not printed\n"
    assert (130, "", said) == (done.returncode, done.stdout, done.stderr)
    assert 0 == desk.read("status")["memories"]


def test_ctrl_c_during_an_import_leaves_a_run_that_is_undone(desk: Desk) -> None:
    """It says how much was written; what was is one run, and the same import takes in the rest."""
    desk.write("large.jsonl", *large(2_500))
    desk.do("ingest", "large.jsonl")
    desk.do("export", "whole.jsonl")
    desk.do("learn", "The first of another scope.", "--scope", "other")
    code, said = interrupted_at(desk, "BEGIN IMMEDIATE", 1_000, "import", "whole.jsonl", "--scope", "other")
    kept = desk.read("status", "--scope", "other")
    desk.do("import", "whole.jsonl", "--scope", "other")

    assert (130, []) == (code, kept["interrupted"])
    assert said.startswith("interrupted: at least 1,000 of ")
    assert kept["memories"] in {1_001, 2_001}
    assert 2_501 == desk.read("status", "--scope", "other")["memories"]


@pytest.mark.parametrize(
    ("statement", "rows"), [("BEGIN IMMEDIATE", 0), ("COMMIT", 2_000), ("BEGIN IMMEDIATE", 2_000)]
)
def test_ctrl_c_during_an_apply_is_all_or_nothing(desk: Desk, statement: str, rows: int) -> None:
    """A plan of one part is applied whole or not at all, interrupted before, in or after its transaction."""
    desk.write("large.jsonl", *large(2_000))
    strict(desk)
    desk.do("ingest", "large.jsonl")
    desk.do("plan", "--policy", "strict.toml", "-o", "plan.json")
    code, said = interrupted_at(desk, statement, rows, "apply", "plan.json", "--policy", "strict.toml")
    statuses = desk.read("status")["statuses"]

    assert "Traceback" not in said
    assert code in {0, 130}
    assert statuses in ({"inbox": 2_000}, {"archived": 2_000})
    assert all(check["ok"] for check in desk.read("doctor"))


def test_two_processes_share_one_file(desk: Desk) -> None:
    """Several writers at once lose nothing and are never refused."""
    desk.do("learn", "First.")
    files = [desk.write(f"{name}.jsonl", *({"text": f"{name} {n}"} for n in range(300))) for name in "abcd"]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda file: desk.apart("ingest", file), files))

    assert [(0, "")] * 4 == [(one.returncode, one.stderr) for one in done]
    assert 1_201 == desk.read("status")["memories"]


def test_a_session_spans_processes(desk: Desk) -> None:
    """One process begins it, another learns in it, a third ends it by its id, or the only one there is by none."""
    begun = json.loads(desk.apart("session", "--task", "research", "--json").stdout)
    desk.apart("learn", "found it", "--session", begun["session"])
    ended = json.loads(desk.apart("session", "--off", "--json").stdout)
    several = [desk.read("session", "--task", task)["session"] for task in ("one", "two")]
    refused = desk.bad("session", "--off")

    assert begun["session"] == ended["session"]
    assert 1 == desk.type("session", "nobody", "--off").exit_code
    assert refused.startswith("error: 2 sessions are open\n")
    assert all(session in refused for session in several)
    assert several == [desk.read("session", session, "--off")["session"] for session in several]
    assert "no session is open" in desk.bad("session", "--off")


def test_an_edited_export_is_taken_in_only_when_asked(talk: Desk) -> None:
    """A cut or edited file is refused with its line; --edited takes it in and says what is wrong with it."""
    talk.good("export", "all.jsonl")
    lines = (talk.folder / "all.jsonl").read_text().splitlines()
    edited = [line.replace("4471", "4472") for line in lines]
    (talk.folder / "edited.jsonl").write_text("\n".join(edited))
    (talk.folder / "cut.jsonl").write_text("\n".join(lines[:-1]))

    assert f"cut.jsonl:{len(lines) - 1}: " in talk.bad("import", "cut.jsonl", "--db", "new.db")
    assert "edited.jsonl:2: " in talk.bad("import", "edited.jsonl", "--db", "new.db")

    taken = talk.good("import", "edited.jsonl", "--edited", "--db", "new.db")

    assert "import: 4 taken" in taken
    assert "note: line 2: the text was edited" in taken
