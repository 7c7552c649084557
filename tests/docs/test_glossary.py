"""The glossary sends a reader to things that exist."""

import inspect
import re
from pathlib import Path

import remanence
from remanence.core import verbs
from remanence.core.model import Decay, Kind, Memory, Status
from remanence.curate.policy.document import PRESETS
from remanence.engine import Engine
from remanence.recall.frames import BUILTIN

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "glossary.md"
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|", re.MULTILINE)
NAME = re.compile(r"`([a-z_]+(?:\.[a-z_]+)?)=?`")
# Words of the page that are written as names and belong to policies, hits and files.
OTHERS = {"interval", "merge", "prune", "score", "parts", "strength", "self", "contradicts", "open", "cp"}


def known() -> set[str]:
    """Return every verb, argument of a verb, column and label that a line may name."""
    names = OTHERS | set(PRESETS) | set(BUILTIN)
    names |= {name for row in verbs.TABLE for name in (row.verb, row.command)}
    names |= set(inspect.signature(Memory).parameters)
    names |= {label.label for labels in (Status, Kind, Decay) for label in labels}
    names |= set(inspect.signature(remanence.open).parameters)
    for _, verb in inspect.getmembers(Engine, inspect.isfunction):
        names |= set(inspect.signature(verb).parameters)
    return names


def test_what_the_glossary_names_exists() -> None:
    """Each name in code type is a verb, an argument, a column or a label of today."""
    named = {name for _, here in ROW.findall(PAGE.read_text(encoding="utf-8")) for name in NAME.findall(here)}

    assert {"forget", "recall", "scope", "attributes"} <= named
    assert set() == named - known()


def test_the_words_that_people_search_for_are_there() -> None:
    """Who looks for the field's word finds a line that begins with it."""
    words = {word for line, _ in ROW.findall(PAGE.read_text(encoding="utf-8")) for word in line.split(", ")}
    asked = "delete, search, metadata, user id, namespace, tenant, TTL, expiry, dedupe, embedding, vector, importance"
    asked += ", session, archive, soft delete, restore, rollback, dry run, audit log, pin, legal hold, token budget"
    asked += ", system prompt, profile, graph, tombstone"

    assert set() == set(asked.split(", ")) - words
