"""Which verbs are offered over the network, and which role of a token each needs; the others, and why not.

Knows verbs by name; must not know how they are called.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from remanence.core.permissions import ROLE_OF, TokenRole
from remanence.core.verb_help import VerbHelp
from remanence.core.verbs import TABLE, find_verb
from remanence.engine import Engine

BODY_BYTES_MAX = 1 << 20  # of the arguments of one call
SEND_LESS = "send less at once, such as some of the texts of learn"
# What concerns every scope of the file: for tokens that open every one.
FILE_WIDE = frozenset({"scopes.list", "scopes.copy", "doctor", "erase.settle"})
_FILE_WIDE_WITH: Mapping[str, tuple[str, ...]] = {"erase.show": ("since", "copies")}
# What is done as it was shown, by the verb that shows it: another, or itself where nothing that was shown is sent.
SHOWN_BY: Mapping[str, str] = {"erase.apply": "erase.show", "scopes.drop": "scopes.drop"}
_A_PATH = "it names files and folders of the server"
NOT_OFFERED: Mapping[str, str] = {
    "ingest": f"{_A_PATH}: send the turns by learn or note",
    "backup": _A_PATH,
    "mirror.sync": _A_PATH,
    "mirror.watch": _A_PATH,
    "reembed": "it loads a model in the server",
    "session": "a block of code: begin_session and end_session",
    "close": "the server closes what it opened",
    "token.add": "no token makes another",
    "token.list": "no token tells of another",
    "token.end": "no token ends another",
}


def is_file_wide(verb: str, arguments: Mapping[str, object]) -> bool:
    """True if a call concerns every scope of the file; `erase.apply` without what was shown finishes all of it."""
    if verb == "erase.apply":
        return arguments.get("shown") is None
    return verb in FILE_WIDE or any(arguments.get(name) for name in _FILE_WIDE_WITH.get(verb, ()))


@dataclass(frozen=True, slots=True)
class Offer:
    """A verb that is offered: its row in the table, the role that it needs, and its function as the class has it."""

    row: VerbHelp
    role: TokenRole
    verb: Any

    @property
    def path(self) -> str:
        """Where it is called: the parts of its name, as the command line writes them."""
        return "/v1/" + self.row.verb.rstrip("_").replace("_", "-").replace(".", "/")

    def of(self, memory: Engine) -> Any:
        """Return the verb of an open memory."""
        return reduce(getattr, self.row.verb.split("."), memory)


def list_offers() -> list[Offer]:
    """Return the verbs that are offered, in the order of the table."""
    return [
        Offer(row, role, find_verb(Engine, row.verb))
        for row in TABLE
        if (role := ROLE_OF.get(row.verb)) is not None
    ]
