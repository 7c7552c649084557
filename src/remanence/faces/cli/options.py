"""The options that commands share, as dataclasses whose fields become options of the command line.

Knows names, help texts and how words on a command line become values; must not know what a verb does with them.
"""

import atexit
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from math import isfinite
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, get_args

from cyclopts import Parameter

from remanence.core.clock import SystemClock
from remanence.core.errors import INT_BITS, InvalidInput, NameUnknown
from remanence.core.keywords import (
    ATTRIBUTE,
    OrderName,
    RelationName,
)
from remanence.core.model import COLUMN, SHORT_ID_CHARS
from remanence.core.model import Memory as ListedMemory
from remanence.core.results import encode_json_value
from remanence.faces import style
from remanence.faces.style import in_local_zone, interval, local, moment, written_time

# What a command is given by the one who runs it, not by words on the command line.
if TYPE_CHECKING:
    from remanence.core.model import RecallResult
    from remanence.engine import Engine

    Memory = Engine
else:
    Memory = Annotated[Any, Parameter(parse=False)]

DATABASE = "agent.db"
_TIMES = frozenset({*get_args(OrderName), *(one.name for one in COLUMN.values() if one.kind == "time")})
_NUMBERS = frozenset({"int", "time", "flag", "fraction"})
_NAMES = "number (332 or #332), id, its first or last 8 digits, or key"
VALUES = "a number, true, false, null or a list as in JSON is one, anything else a text, as are digits in double quotes"
WHERE = (
    "Such as category=task, tags=boats, attributes.project=atlas or status=archived; of a name given several times any"
    " value will do. Of an attribute also != < <= > >=, and ^= for how it begins; of a time < <= > >=, such as"
    " created_at>=2026-03-01. Values are written as for --attribute; a number also finds the same text."
)
# How an operator of filters is written, None where any of several values will do.
_OPERATORS: Mapping[str, str | None] = {
    "=": None,
    "!=": "not",
    "^=": "prefix",
    ">": "gt",
    ">=": "gte",
    "<": "lt",
    "<=": "lte",
}
_CONDITION = re.compile(r"(?P<name>[^=<>]*[^=<>!^])(?P<sign>[!^<>]?=|[<>])(?P<value>.*)", re.DOTALL)
STREAM = "\0"  # what `-` becomes before it is read; no word of a command line can hold it
EVER = (datetime(1971, 1, 1, tzinfo=UTC), datetime(2254, 12, 31, tzinfo=UTC))


def name_of(word: str) -> int | str:
    """Read what names a memory: a number is its sequence number, unless it is as long as a short id."""
    is_number = word.isascii() and word.isdigit() and len(word) < SHORT_ID_CHARS
    return int(word) if is_number else word


def _parse_memory_name(_type: Any, tokens: Sequence[Any]) -> int | str:
    word = str(tokens[0].value)
    return "-" if word == STREAM else name_of(word)


def _all_named(_type: Any, tokens: Sequence[Any]) -> list[int | str]:
    return [_parse_memory_name(_type, [token]) for token in tokens]


def read_name(_type: Any, tokens: Sequence[Any]) -> int | str:
    """Read a name of a memory, an entity or an item."""
    return name_of(str(tokens[0].value))


def read_names(_type: Any, tokens: Sequence[Any]) -> list[int | str]:
    """Read several names."""
    return [name_of(str(token.value)) for token in tokens]


def read_attributes(given: list[str]) -> dict[str, Any]:
    """Read NAME=VALUE words as one mapping of values."""
    return {name: _parse_value(word) for name, word in pairs(given, "--attribute").items()}


def _parse_value(word: str) -> Any:
    """Read a word that is JSON as the value that it writes, and every other word as a text.

    A word with a number that would not come back as it was written, such as one of too many digits, is a text.
    """
    try:
        return json.loads(
            word, parse_int=_parse_whole, parse_float=_parse_fraction, parse_constant=_refuse_number
        )
    except (ValueError, RecursionError):
        return word


def _parse_whole(digits: str) -> int:
    number = int(digits)
    return number if number.bit_length() < INT_BITS and (number or digits == "0") else _refuse_number(digits)


def _parse_fraction(digits: str) -> float:
    number = float(digits)
    if number == 0:
        is_kept = not digits.lower().partition("e")[0].strip("-0.")
    else:
        is_kept = isfinite(number) and Decimal(repr(number)) == Decimal(digits)
    return number if is_kept else _refuse_number(digits)


def _refuse_number(digits: str) -> NoReturn:
    raise ValueError(digits)


def text_of(_type: Any, tokens: Sequence[Any]) -> str:
    """Read a text from standard input where that is wanted: once, however often the verb is then tried."""
    word = str(tokens[0].value)
    return sys.stdin.read() if word == STREAM else word


def _new_file(_type: Any, tokens: Sequence[Any]) -> str:
    word = str(tokens[0].value)
    return "-" if word == STREAM else word


def _read_file_option(_type: Any, tokens: Sequence[Any]) -> str:
    return file_of(str(tokens[0].value))


def _read_policy_option(_type: Any, tokens: Sequence[Any]) -> str:
    # A file is told by how its name ends.
    return file_of(str(tokens[0].value), "standard-input.toml")


def file_of(given: str, name: str = "standard-input") -> str:
    """Return the path of a file to read; what comes from standard input is put in one until the process ends."""
    if given != STREAM:
        return given
    folder = mkdtemp()
    atexit.register(rmtree, folder)
    file = Path(folder, name)
    file.write_bytes(sys.stdin.buffer.read())
    return str(file)


def _read_moment(_type: Any, tokens: Sequence[Any]) -> datetime:
    """Read a time, and say so where its zone was not given."""
    word = tokens[0].value
    read = moment(word)
    if written_time(word).tzinfo is None:
        _note_zone(word, read)
    return read


def _read_said_at(_type: Any, tokens: Sequence[Any]) -> datetime:
    return written_time(tokens[0].value)


def _check_interval(_type: Any, tokens: Sequence[Any]) -> str:
    """Refuse what is no span of time; which one is meant, the scope's clocks tell."""
    word = str(tokens[0].value)
    interval(word, SystemClock().now())
    return word


@cache  # a verb that makes a database is tried before: it is said once
def _note_zone(word: str, read: datetime) -> None:
    style.write_lines([style.Text(f"note: {word} is taken as local time: {local(read)}")], sys.stderr)


def _list_presets(_context: Any) -> Sequence[str]:
    from remanence.curate.policy.document import PRESETS

    return PRESETS


def _list_frames(_context: Any) -> Sequence[str]:
    from remanence.recall.frames import BUILTIN

    return list(BUILTIN)


Name = Annotated[
    int | str,
    Parameter(metavar="MEMORY", converter=_parse_memory_name, n_tokens=1, help=f"Its {_NAMES}."),
]
Names = Annotated[
    list[int | str],
    Parameter(metavar="MEMORY", converter=_all_named, help=f"One memory or several, each by its {_NAMES}."),
]
Text = Annotated[
    str,
    Parameter(converter=text_of, help="The text; - reads it from standard input."),
]
# A file that is read, one that is written, a policy, a frame; what each is for stands beside it.
PLAIN = Parameter(negative=(), negative_iterable=(), allow_repeating=True)  # of every command
INPUT = Parameter(converter=_read_file_option)
OUTPUT = Parameter(converter=_new_file)
POLICY = Parameter(converter=_read_policy_option, completer=_list_presets)
PolicyOption = Annotated[
    str | None,
    POLICY,
    Parameter(
        name="--policy",
        metavar="POLICY",
        help="A preset's name or a TOML file; the adopted policy if absent.",
    ),
]
FRAME = Parameter(metavar="FRAME", completer=_list_frames)
When = Annotated[datetime | None, Parameter(metavar="TIME", converter=_read_moment, n_tokens=1)]
SaidAt = Annotated[datetime | None, Parameter(metavar="TIME", converter=_read_said_at, n_tokens=1)]
Span = Annotated[str | None, Parameter(metavar="FROM/TO", converter=_check_interval, n_tokens=1)]
Relation = Annotated[RelationName, Parameter(help="Relation of the first memory to the second.")]
IfRevision = Annotated[int | None, Parameter(help="Fail unless the memory has this revision (see `get`).")]
IfLinkRevision = Annotated[
    int | None,
    Parameter(help="Fail unless the link has this revision (see `links --json`); 0: unless it is new."),
]
Behind = Annotated[
    int | str | None,
    Parameter(
        metavar="MEMORY",
        converter=_parse_memory_name,
        n_tokens=1,
        help="Continue after this one, the last of an earlier list.",
    ),
]
Limit = Annotated[int | None, Parameter(help="Maximum number of memories.")]
Budget = Annotated[int | None, Parameter(help="Maximum number of tokens.")]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Common:
    """Where the memory is, whose it is, and how to answer; may stand before or after the name of a command."""

    db: Annotated[
        str | None,
        Parameter(
            help="The database file, a folder of them (memories/), or the address of a server (postgresql://…,"
            f" neo4j://…); else REMANENCE_DB, else {DATABASE}."
        ),
    ] = None
    key_file: Annotated[
        str | None,
        Parameter(help="A file with the key of an encrypted database; else REMANENCE_KEY is the key."),
    ] = None
    key_command: Annotated[
        str | None, Parameter(help="A command that prints the key, such as 'pass show memory'.")
    ] = None
    read_only: Annotated[
        bool,
        Parameter(negative=(), help="Write nothing; implied if the file or folder is not writable."),
    ] = False
    scope: Annotated[str | None, Parameter(help="The scope (namespace); 'default' if absent.")] = None
    agent: Annotated[str | None, Parameter(help="The name of the agent or program.")] = None
    as_agent: Annotated[
        bool,
        Parameter(
            negative=(),
            help="Act as an agent, not as a person: lower trust, and undo of its own runs only.",
        ),
    ] = False
    embedder: Annotated[
        str | None,
        Parameter(
            help="The embedder: auto, hashed, none; with a second model local:FOLDER, multilingual,"
            " openai or openai:MODEL; or one that a package registers."
        ),
    ] = None
    writer: Annotated[
        str | None,
        Parameter(
            help="The model that extracts and judges: openai:MODEL, anthropic:MODEL or one that a package"
            " registers; none if absent."
        ),
    ] = None
    json: Annotated[bool, Parameter(negative=(), help="Print one JSON document instead of text.")] = False


if TYPE_CHECKING:
    Given = Common
else:
    Given = Annotated[Any, Parameter(parse=False)]


Alone = Annotated[bool, Parameter(help="Print only the text that an agent gets.")]


Since = Annotated[
    str,
    Parameter(
        metavar="TIME",
        converter=_check_interval,
        n_tokens=1,
        help="Only what was said at or after this time, such as 2026-03-01 or 'last week'.",
    ),
]
Until = Annotated[
    str,
    Parameter(
        metavar="TIME",
        converter=_check_interval,
        n_tokens=1,
        help="Only what was said at or before this time.",
    ),
]
SINCE_UNTIL: Mapping[str, Any] = {"since": Since, "until": Until}  # a span of time is two options
Where = Annotated[list[str], Parameter(name="--where", metavar="NAME=VALUE", help=WHERE)]


async def place_times(values: dict[str, Any], memory: "Engine", *, joins: bool) -> None:
    """Read times by the clocks of the scope; where it `joins`, `between` is made of the two options for times."""
    from remanence.flows.base.settings import read_local_now, read_zone

    since, until = (values.pop(name, None) if joins else None for name in ("since", "until"))
    if since or until or values.get("around"):
        now = await read_local_now(memory._core)  # noqa: SLF001 # "last week" is meant from now on
        if since or until:
            first = style.span(since, now)[0] if since else EVER[0]
            values["between"] = (first, style.span(until, now)[1] if until else EVER[1])
        if values.get("around"):
            values["around"] = interval(values["around"], now)
    said_at = values.get("said_at")
    if said_at is not None and said_at.tzinfo is None:
        values["said_at"] = in_local_zone(said_at, await read_zone(memory._core))  # noqa: SLF001
        if values["said_at"].tzinfo is not None:
            _note_zone(said_at.isoformat(timespec="minutes"), values["said_at"])


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class ListPage:
    """How to narrow a list, how much of it to show, and which fields."""

    filters: Where | None = None
    since: Since | None = None
    until: Until | None = None
    speaker: Annotated[str | None, Parameter(help="Only what this speaker said.")] = None
    as_of: Annotated[When, Parameter(help="Answer from the state at this time.")] = None
    limit: Annotated[int, Parameter(help="Maximum number.")] = 100
    after: Behind = None
    oldest_first: Annotated[bool, Parameter(negative=(), help="List the oldest first.")] = False
    order: Annotated[
        OrderName | None, Parameter(help="Sort by arrival time or by the time of the last text change.")
    ] = None
    field: Annotated[
        list[str] | None,
        Parameter(help="Show only this field, such as id or said_at; repeatable."),
    ] = None

    async def values(self, memory: "Engine") -> dict[str, Any]:
        """Return the arguments of `list`, but for the limit."""
        names = ("after", "as_of", "oldest_first", "order", "speaker", "since", "until")
        arguments = {name: one for name in names if (one := getattr(self, name)) is not None}
        if self.filters:
            arguments["filters"] = filters(self.filters)
        await place_times(arguments, memory, joins=True)
        return arguments

    def cut(self, memories: Sequence["ListedMemory"]) -> Sequence[Any]:
        """Return what is to be shown, and say on stderr how the list goes on where there is more."""
        if len(memories) > self.limit:
            more = f"more: repeat with --after {memories[self.limit - 1].seq}"
            style.write_lines([style.Text(more, "dim")], sys.stderr)
        shown = memories[: self.limit]
        if not self.field:
            return shown
        known = {one.name for one in fields(ListedMemory)} - ListedMemory.HIDDEN
        for name in self.field:
            if name not in known:
                raise NameUnknown("field", name, known)
        rows = (encode_json_value(one) for one in shown)
        return [style.Fields({name: row[name] for name in self.field or ()}) for row in rows]


def pairs(given: list[str], option: str) -> dict[str, str]:
    """Read NAME=VALUE words, each name once."""
    values: dict[str, str] = {}
    for word in given:
        name, sign, value = word.partition("=")
        name = name.strip()
        if not name or not sign or name[-1] in "!^<>":
            raise InvalidInput(
                f"{option} {word!r} is not NAME=VALUE", recovery=f"write it like {option} name=value"
            )
        if name in values:
            raise InvalidInput(f"{option} names {name!r} twice", recovery="leave one of the two out")
        values[name] = value
    return values


def filters(given: list[str]) -> dict[str, Any]:
    """Read what to narrow by; of a name that stands there several times any value will do, and all operators hold."""
    choices: dict[str, list[Any]] = {}
    operators: dict[str, dict[str, Any]] = {}
    for word in given:
        found = _CONDITION.fullmatch(word)
        if found is None or found["value"].startswith(("=", "<", ">")):
            raise InvalidInput(
                f"--where {word!r} is not NAME=VALUE",
                recovery=f"write it like --where name=value, or with one of {' '.join(_OPERATORS)}; put a value"
                " that begins with such a sign in double quotes",
            )
        name, values = found["name"].strip(), _parse_filter_values(found["name"].strip(), found["value"])
        operator = _OPERATORS[found["sign"]]
        if operator is None:
            choices.setdefault(name, []).extend(values)
        elif operator == "not":
            operators.setdefault(name, {}).setdefault("not", []).extend(values)
        elif name in _TIMES:
            operators.setdefault(name, {})[operator] = style.moment(found["value"])
        else:
            # The word is as good as the number only where it is compared with one value.
            bound = values[0] if operator == "prefix" else values[-1]
            operators.setdefault(name, {})[operator] = bound
    equal = {name: values if len(values) > 1 else values[0] for name, values in choices.items()}
    for name in equal.keys() & operators.keys():
        raise InvalidInput(
            f"--where asks {name} both for a value and by an operator", recovery="leave one of the two out"
        )
    return {**equal, **operators}


def _parse_filter_values(name: str, word: str) -> list[Any]:
    """Return what a word may mean: in a column of numbers a number, in an attribute that as well as the word."""
    value = _parse_value(word)
    if isinstance(value, list):  # any of them will do
        return value or [word]
    if isinstance(value, str | dict):
        return [word if isinstance(value, dict) else value]
    if name.startswith(ATTRIBUTE):
        return [word, value]
    return [value if name in COLUMN and COLUMN[name].kind in _NUMBERS else word]


def given_of(options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    values = {one.name: getattr(options, one.name) for one in fields(options)}
    return {name: value for name, value in values.items() if value is not None and value != []}


def drop_score_parts(answer: "RecallResult") -> "RecallResult":
    """Leave the parts of the scores out; why something is not there stays."""
    return replace(answer, memories=tuple(replace(hit, parts={}) for hit in answer.memories))
