"""Every verb in one table: what it does, when to use it, what it costs and returns, what comes next, an example.

The guide, the help and the reference page of the command line, and the tools for agents say what stands here; knows
verbs and commands by name and calls none.
"""

from collections.abc import Mapping
from functools import reduce
from typing import Any, get_type_hints

from remanence.core.curation_verbs import CURATION_VERBS
from remanence.core.errors import NameUnknown
from remanence.core.memory_verbs import MEMORY_VERBS
from remanence.core.upkeep_verbs import UPKEEP_VERBS
from remanence.core.verb_help import VerbHelp

GROUPS: Mapping[str, tuple[VerbHelp, ...]] = {**MEMORY_VERBS, **CURATION_VERBS, **UPKEEP_VERBS}

# What the commands of one matter are about, where none of them is called by its name alone.
SHELVES: Mapping[str, str] = {
    "entities": "The people, projects, tools, companies and places that memories name.",
    "conversations": "Segments of sessions about one matter, and threads of them across sessions.",
    "policy": "Choose the curation policy, show or check one.",
    "frames": "The views that `frame` shows, and what each selects.",
    "mirror": "A folder of text files that follows the memory, and takes edits.",
    "review": "Items that need a person's decision.",
    "scopes": "The scopes of a file: list them, copy one, drop one.",
    "store": "The database on a PostgreSQL server: its roles, its nodes.",
    "token": "Access tokens, for the server.",
}

TABLE: tuple[VerbHelp, ...] = tuple(row for rows in GROUPS.values() for row in rows)
_BY_NAME: Mapping[str, VerbHelp] = {name: row for row in TABLE for name in (row.command, row.name)}


def find_verb(owner: Any, name: str) -> Any:
    """Return the method of a verb from the class that has them, a shelf's by the class that its property returns."""
    *shelves, last = name.split(".")
    kind = reduce(lambda one, shelf: get_type_hints(getattr(one, shelf).fget)["return"], shelves, owner)
    return getattr(kind, last)


def advice(name: str) -> VerbHelp:
    """Return the row of a verb, by its name or its command's."""
    row = _BY_NAME.get(name)
    if row is None:
        raise NameUnknown("verb", name, sorted(_BY_NAME))
    return row
