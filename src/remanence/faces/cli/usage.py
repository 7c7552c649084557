"""What is said of a command line that is wrong: two lines, what is wrong and what to do.

Knows the library's errors and ours; must not know any single command.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, fields, is_dataclass
from typing import Any

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from remanence.core.errors import Conflict, ErasedSince, RemanenceError, format_value, plain_name, suggest
from remanence.core.synonyms import ARGUMENTS, VERBS
from remanence.core.verbs import TABLE
from remanence.faces.cli.helping import ALL, argument_name, usage_of
from remanence.faces.cli.options import STREAM, Common
from remanence.faces.style import Text, write_lines
from remanence.text.analysis import visible

WRONG = 2
ERASED_SINCE = 3  # the file holds what was erased since it was copied, and is not opened
_COMMON = {f"--{one.name.replace('_', '-')}": one.name for one in fields(Common)}
_FLAGS = frozenset({"--json", "--as-agent", "--read-only"})
NUMBERS = {int: "a whole number", float: "a number"}


class WrongUsage(Exception):
    """What cannot be understood, and what to do."""


def print_usage_error(error: CycloptsError | WrongUsage, words: Sequence[str]) -> int:
    """Say what cannot be understood, and return the exit code; what a value of ours is wrong in is refused."""
    if isinstance(error.__cause__, RemanenceError):
        return print_refusal(error.__cause__, json="--json" in words)
    complain(*(error.args if isinstance(error, WrongUsage) else _describe_usage_error(error)))
    return WRONG


def print_refusal(error: RemanenceError, *, json: bool) -> int:
    """Say what went wrong and what to do, in two lines, and with --json as a document too."""
    complain(str(error), error.recovery)
    if json:
        from remanence.faces import show

        answer: dict[str, Any] = {
            "error": type(error).__name__,
            "message": str(error),
            "recovery": error.recovery,
        }
        if isinstance(error, Conflict) and error.expected is not None:
            answer |= {"expected": error.expected, "current": error.current}
        if isinstance(error, Conflict) and error.runs:
            answer["runs"] = list(error.runs)
        print(show.document(answer))
    return ERASED_SINCE if isinstance(error, ErasedSince) else 1


def complain(what: str, recovery: str) -> None:
    """Write two lines on stderr: what is wrong, and what to do."""
    lines = (" ".join(text.split()) for text in (f"error: {what}", f"→ {recovery}"))
    write_lines(
        (Text(indent + visible(line)) for indent, line in zip(("", "  "), lines, strict=True)), sys.stderr
    )


# Options of a command that are called as common ones and mean something else.
_OWN: Mapping[tuple[str, ...], frozenset[str]] = {
    ("token", "add"): frozenset({"--scope", "--agent"}),
    ("store", "grant"): frozenset({"--scope"}),
}


def split_common_options(words: Sequence[str]) -> tuple[list[str], Common]:
    """Part the options of every command from the other words; behind `--` none is looked for."""
    rest: list[str] = []
    values: dict[str, Any] = {}
    coming = iter(words)
    for word in coming:
        option, sign, value = word.partition("=")
        if word == "--":
            rest += [word, *coming]
        elif option in _COMMON and option not in _OWN.get(tuple(rest[:2]), ()):
            values[_COMMON[option]] = _read_option_value(option, value if sign else None, coming)
        else:
            rest.append(word)
    return rest, Common(**values)


def _read_option_value(option: str, value: str | None, coming: Iterator[str]) -> str | bool:
    """Return what an option says: by itself, behind a sign of equality, or in the next word."""
    if option in _FLAGS:
        if value is not None:
            raise WrongUsage(f"{option} takes no value", "write it alone")
        return True
    word = next(coming, "-") if value is None else value
    if value is None and word.startswith("-"):
        raise WrongUsage(f"{option} takes a value", "usage: remanence COMMAND …")
    return word


def refuse_misplaced_dash(values: Iterable[Any]) -> bool:
    """Refuse a `-` that stands where neither a text nor a file goes."""
    parts = [part for value in values for part in (astuple(value) if is_dataclass(value) else [value])]  # type: ignore[arg-type]
    is_misplaced = any(part == STREAM or (isinstance(part, list) and STREAM in part) for part in parts)
    if is_misplaced:
        complain("- stands only where a text or a file goes", "write the word itself")
    return is_misplaced


def _describe_usage_error(error: CycloptsError) -> tuple[str, str]:
    usage = f"usage: {usage_of(error.app, error.command_chain or ())}"
    match error:
        case UnknownCommandError():
            return _describe_unknown(str((error.unused_tokens or [""])[0]), error.command_chain or ())
        case UnknownOptionError():
            names = [
                name for one in error.argument_collection if one.show for name in one.names if name[0] == "-"
            ]
            word = error.token.keyword or error.token.value
            if " " in word:
                return f"{format_value(word)} begins like an option", "write -- before it"
            return f"no option {word}", suggest(word, [*names, *sorted(_COMMON)], ARGUMENTS)
        case MissingArgumentError() if error.keyword is not None:
            return f"{error.keyword} takes a value", usage
        case MissingArgumentError():
            return f"{argument_name(error.argument)} is missing", usage
        case CoercionError():
            return _not_such(error)
        case UnusedCliTokensError():
            return f"{format_value((error.unused_tokens or [''])[0])} is one word too many", usage
    return " ".join(str(error).split()), usage


def _describe_unknown(word: str, chain: Sequence[str]) -> tuple[str, str]:
    if word.startswith("-"):
        return f"no option {word}", suggest(word, [*sorted(_COMMON), "--help", "--version"], ARGUMENTS)
    prefix = " ".join([*chain, ""])
    commands = [row.command.removeprefix(prefix) for row in TABLE if row.command.startswith(prefix)]
    # A word that means none of these commands elsewhere may be the end of one, of a shelf that nobody named.
    if {*VERBS.get(plain_name(word), ())}.isdisjoint(commands):
        word = next((name for name in commands if name.rpartition(" ")[2] == word), word)
    near = suggest(word, commands, VERBS)
    return f"no command {format_value(prefix + word)}", near if near.startswith(
        "did"
    ) else f"see: remanence {f'{prefix}--help' if prefix else ALL}"


def _not_such(error: CoercionError) -> tuple[str, str]:
    value = "" if error.token is None else error.token.value
    name = (
        argument_name(error.argument)
        if error.token is None or error.token.keyword is None
        else error.token.keyword
    )
    choices = error.argument.get_choices(force=True) if error.argument is not None else None
    if choices:
        return f"{name}: {format_value(value)} is not one of its values", suggest(value, choices)
    number = NUMBERS.get(error.target_type or str)
    if number:
        example = (
            f"write it like {name} 5" if name.startswith("-") else "write a number in its place, such as 1"
        )
        return f"{name}: {format_value(value)} is not {number}", example
    if error.__cause__ is not None:
        return f"{name}: {error.__cause__}", "give it as UTF-8"
    return f"{name} takes no value", "write it alone"
