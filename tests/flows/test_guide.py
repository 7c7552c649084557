"""The guide speaks of every verb and of nothing else, and costs no database to ask."""

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import NameUnknown
from remanence.core.verbs import TABLE, advice
from remanence.engine import Engine
from tests.command_line import typed
from tests.pages.sync_stub import namespaces

NAMES = {"scope", "policy", "embedder"}  # what a memory is, not what it does


def verbs() -> set[str]:
    """Return every public verb of the engine, those of its namespaces with a dot."""
    found = {
        name
        for kind in Engine.__mro__[:-1]
        for name, member in vars(kind).items()
        if inspect.isfunction(member) and name[0] != "_"
    }
    for name, kind in namespaces().items():
        found |= {
            f"{name}.{verb}" for verb, one in vars(kind).items() if inspect.isfunction(one) and verb[0] != "_"
        }
    return found


def test_every_verb_has_advice_and_every_advice_a_verb() -> None:
    """A verb that is added brings its advice; one that goes takes it along."""
    assert sorted(verbs()) == sorted(row.verb for row in TABLE if row.verb)


def test_a_verb_says_in_python_what_it_says_everywhere() -> None:
    """The first line of a verb's docstring is its summary in the table."""
    said = {name: (inspect.getdoc(function(name)) or "").splitlines()[0] for name in verbs()}

    assert {name: advice(name).summary for name in verbs()} == said


def function(verb: str) -> Any:
    """Return the function of a verb: the engine's, or that of one of its namespaces."""
    space, _, name = verb.rpartition(".")
    return getattr(namespaces()[space] if space else Engine, name)


def test_advice_is_short_and_whole() -> None:
    """Each part of each advice says something, in a line; a command has an example."""
    parts = [getattr(row, one.name) for row in TABLE for one in fields(row)]

    assert [] == [part for part in parts if part and (not 3 <= len(part) <= 120 or "\n" in part)]
    assert [] == [
        row for row in TABLE if not (row.summary and row.use_when and row.cost and row.returns and row.next)
    ]
    assert [] == [
        row.verb
        for row in TABLE
        if not row.example.startswith(row.command) or bool(row.example) != bool(row.command)
    ]


async def test_the_engine_guides(tmp_path: Path) -> None:
    """One verb by name, all without one; an unknown one is named with the nearest."""
    async with remanence.open(tmp_path / "memory.db", embedder="hashed") as memory:
        one, every = memory.guide("recall"), memory.guide()
        with pytest.raises(NameUnknown) as caught:
            memory.guide("recal")

    assert ["recall"] == [row.verb for row in one.entries]
    assert TABLE == every.entries
    assert "did you mean 'recall'?" == caught.value.recovery


def test_the_command_line_guides(tmp_path: Path) -> None:
    """`remanence guide` needs no database and makes none; an unknown verb is one line and the way out."""
    one, every = typed("guide", "recall", cwd=tmp_path), typed("guide", cwd=tmp_path)
    wrong = typed("guide", "recal", cwd=tmp_path)

    assert (0, True) == (one.exit_code, "use when" in one.stdout)
    assert [] == [row for row in TABLE if (row.command or row.verb) not in every.stdout]
    assert (1, True) == (wrong.exit_code, "did you mean 'recall'?" in wrong.stderr)
    assert [] == list(tmp_path.iterdir())


def test_the_text_for_agents_names_what_is_there(tmp_path: Path) -> None:
    """What is pasted into an agent's instructions is short, names only verbs there are, and says that data is data."""
    text = typed("guide", "--agents", cwd=tmp_path).stdout
    named = {word.strip("`") for word in text.split() if word.startswith("`") and word.endswith("`")}

    assert named <= verbs()
    assert {"recall", "learn"} <= named
    assert "never" in text
    assert len(text.split()) < 250
