"""Frames, boot, ratings and contradictions as a person uses them on the command line."""

import shlex
from pathlib import Path

import pytest

from .test_cli import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A folder whose memory holds two memories that contradict each other, and a goal."""
    monkeypatch.chdir(tmp_path)
    desk = Desk(tmp_path)
    desk.do("learn", "the gate shuts at six", "--key", "six", "--confidence", "0.9")
    desk.do("learn", "the gate shuts at eight", "--key", "eight", "--confidence", "0.4")
    desk.do("learn", "keep the harbour log", "--key", "log", "--tag", "self/goal")
    desk.do("link", "six", "eight", "contradicts")
    return desk


def keys(answer: dict[str, list[dict[str, dict[str, str]]]]) -> list[str]:
    """Return the keys of what was returned."""
    return [hit["memory"]["key"] for hit in answer["memories"]]


def test_a_frame_is_looked_through(desk: Desk) -> None:
    """The answer is a list for a person, the text for an agent, or a document; the parts come when asked for."""
    page = desk.good("frame", "task", "when does the gate shut?")
    explained = desk.read("frame", "task", "gate", "--why")
    brief = desk.read("frame", "task", "--limit", "2", "--no-count-use")
    text = desk.type("frame", "task", "--text").output

    assert "keep the harbour log" in page
    assert "similarity" not in page
    assert {"similarity", "confidence", "recency", "centrality", "reinforcement"} == set(
        explained["memories"][0]["parts"]
    )
    assert (["log", "six"], {"limit": 1}) == (keys(brief), brief["left_out"])
    assert "left out: 1 by the limit" in desk.type("frame", "task", "--limit", "2").output
    assert "; contradicted by " in text
    assert text.startswith("What the task rests on")


def test_boot_is_a_list_or_a_text(desk: Desk) -> None:
    """What is load-bearing comes first, within a budget, and what is left out is counted."""
    assert "log" == keys(desk.read("frame", "boot"))[0]
    assert 3 == len(desk.type("frame", "boot", "--text").output.splitlines())
    assert "left out: 2 by the budget" in desk.type("frame", "boot", "--budget", "25").output
    assert desk.type("frame", "boot", "--budget", "12").output.startswith(
        "no room for 1 that should stand here first"
    )


def test_a_rating_says_what_it_passed_over(desk: Desk) -> None:
    """Memories are rated together, and undone together; an unknown one is named."""
    page = desk.good("rate", "1", "six", "eight", "nine")
    done = desk.read("rate", "0.5", "six")

    assert "2 memories rated" in page
    assert "not nine: unknown" in page
    desk.do("undo", done["run"])
    assert 1_000 == desk.read("get", "six")["helped"]


def test_a_contradiction_is_listed_and_resolved(desk: Desk) -> None:
    """Open ones are listed with both memories; resolved in favour of one, the other is superseded."""
    listed = ("review", "list", "--sort", "contradiction")
    assert "the gate shuts at eight" in desk.good(*listed)
    desk.do("review", "settle", "six", "six")

    assert [] == desk.read(*listed)["items"]
    assert 1 == len(desk.read(*listed, "--settled")["items"])
    assert "superseded" == desk.read("get", "eight")["status"]


def test_frames_are_made_shown_and_taken_back(desk: Desk) -> None:
    """A frame of one's own is listed among the built-in ones and used by name."""
    shares = ["confidence=1", "similarity=0", "recency=0", "centrality=0", "reinforcement=0"]
    words = [word for share in shares for word in ("--weight", share)]
    desk.do("frames", "set", "sure", *words, "--tag", "self/*", "--guarantee", "self/goal", "--budget", "99")
    kept = desk.read("frames", "get", "sure")

    assert (99, ["self/*"], 1.0) == (kept["budget"], kept["tags"], kept["weights"]["confidence"])
    assert ["log"] == keys(desk.read("frame", "sure"))
    assert "99 tokens; tags self/*; guarantees self/goal" in desk.good("frames", "get")
    desk.do("frames", "set", "sure", "--off")
    assert "unknown frame 'sure'" in desk.bad("frame", "sure")
    assert 4 == len(desk.read("frames", "get"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["frame", "taks"], "did you mean 'task'"),
        (["frame", "task", "--budget", "3"], "does not hold the frame's template"),
        (["frames", "set", "x", "--weight", "recency=much"], "no number"),
        (["frames", "set", "x", "--weight", "recency=1"], "incomplete"),
        (["review", "settle", "log", "both"], "nothing about #"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said_in_two_lines(desk: Desk, words: list[str], says: str) -> None:
    """The first says what happened, the second what to do."""
    assert says in desk.bad(*words)


def test_a_profile_and_topics_are_shown(desk: Desk) -> None:
    """The profile is a list, a text for an agent or a document; topics have a limit."""
    desk.do("learn", "I prefer tea in the morning", "--category", "preference")

    assert "## Likes" in desk.good("frame", "profile")
    assert "I prefer tea in the morning" in desk.type("frame", "profile", "--text").output
    assert {"keep the harbour log", "I prefer tea in the morning"} == {
        line["text"] for line in desk.read("frame", "profile")["lines"]
    }
    assert 2 == len(desk.read("count", "topic", "--limit", "2")["values"])


def test_a_frame_takes_terms_diversity_and_length_and_says_how_to_take_them_back(desk: Desk) -> None:
    """Each by its option, and what `frames set --off` prints makes the same frame again."""
    desk.good(
        "frames",
        "set",
        "dense",
        "--term",
        "important",
        "--term",
        "rated",
        "--diversity",
        "0.3",
        "--per-token",
    )
    before = desk.read("frames", "get", "dense")
    way = desk.good("frames", "set", "dense", "--off")
    again = next(line for line in way.splitlines() if "frames set dense" in line)
    desk.good(*shlex.split(again[again.index("frames set dense") :]))

    assert (["important", "rated"], 0.3, True) == tuple(
        before[name] for name in ("terms", "diversity", "per_token")
    )
    assert before == desk.read("frames", "get", "dense")
