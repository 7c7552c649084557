"""Commands that come out of their verbs: words and options are the arguments of the method, the answer is printed.

Knows how an argument is written on a command line, by its name; must not know what a verb does with it. A verb that is
a dialogue, shows how far it is or reads a file has a function of its own in another module.
"""

import inspect
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache, reduce
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from remanence.core.keywords import (
    ArchiveName,
    IfExists,
    KindName,
    LifecycleName,
    PolicyClassName,
    RoleName,
    SeverityName,
    TrustName,
    VerdictName,
    VerificationName,
)
from remanence.core.model import Link, RecallResult
from remanence.core.signatures import list_parameters
from remanence.core.verbs import TABLE, find_verb
from remanence.engine import Engine
from remanence.faces import style
from remanence.faces.cli import options
from remanence.faces.cli.hook import parse_prompt
from remanence.faces.style import Undoable

Answer = Callable[[Any, Mapping[str, Any]], Any]
NO_ENTITIES = "no entity: a model that extracts names brings them, or an import"
Many = Annotated[list[str], Parameter(name="--tag", help="A tag; repeatable.")]
Share = Annotated[float, Parameter(help="From 0 to 1.")]
EntityName = Annotated[
    int | str,
    Parameter(
        converter=options.read_name, help="A name of the entity, or its number (332 or #332), id or key."
    ),
]
AfterNumber = Annotated[
    int, Parameter(metavar="NUMBER", help="Continue after this one, the last of an earlier list.")
]
ReviewSort = Literal[
    "contradiction", "quarantine", "proposal", "held-plan", "clock-in-doubt", "interrupted-run"
]


def _list_frames(_context: Any) -> Sequence[str]:
    from remanence.recall.frames import BUILTIN, FIXED

    return [*FIXED, *BUILTIN]


def _annotate_help(kind: Any, text: str, **more: Any) -> Any:
    return Annotated[kind, Parameter(help=text, **more)]


# How each argument is written, by its name, or by its verb's and its own where it is another there; None: not at all.
ARGUMENTS: Mapping[str, Any] = {
    "agent": None,  # an option of every command
    "progress": None,
    "overrides": None,
    # Which memories
    "name": options.Name,
    "names": options.Names,
    "tag.names": options.Name,
    "hold.names": options.Name,
    "links.name": options.Name,
    "entities.get.name": EntityName,
    "entity": EntityName,
    "a": _annotate_help(int | str, "A memory, which stays, or an entity.", converter=options.read_name),
    "b": _annotate_help(
        int | str,
        "The memory that says the same, or the entity that is the same.",
        converter=options.read_name,
    ),
    "link.source": options.Name,
    "target": options.Name,
    "relation": options.Relation,
    "by": _annotate_help(options.Name, "The memory that takes its place, instead of a text."),
    "if_revision": options.IfRevision,
    "link.if_revision": options.IfLinkRevision,
    "merge.if_revision": _annotate_help(int, "Fail unless the second memory has this revision."),
    "learn.if_revision": _annotate_help(
        int, "Fail unless the key's memory has this revision; 0: unless the key is new."
    ),
    "review.settle.if_revision": _annotate_help(
        int, "Fail unless the memory that gives way or is accepted (both: the link) has this revision."
    ),
    # What a memory says and is
    "text": options.Text,
    "update.text": _annotate_help(str, "The new text."),
    "turn": _annotate_help(
        str,
        "The text; - reads it, or a hook's JSON with prompt and session_id, from standard input.",
        converter=options.text_of,
        metavar="TEXT",
    ),
    "later": None,  # a command ends before a model would have answered
    "category": _annotate_help(str, "A category that the policy declares, such as task."),
    "kind": _annotate_help(KindName, "The kind of memory."),
    "tags": Many,
    "tag.tags": _annotate_help(list[str], "One tag or several.", metavar="TAG"),
    "role": _annotate_help(RoleName, "The speaker's role; derived from the speaker if absent."),
    "speaker": _annotate_help(str, "The speaker's name."),
    "thread": _annotate_help(str, "The conversation it belongs to."),
    "recall.thread": _annotate_help(str, "Only this conversation."),
    "session": _annotate_help(str, "The session of the conversation."),
    "said_at": _annotate_help(
        options.SaidAt, "Time of the statement, such as 2026-03-01T09:30-04:00; now if absent."
    ),
    "source": _annotate_help(str, "The source, such as a URL."),
    "state": _annotate_help(str, "A state of its category, such as pending."),
    "severity": _annotate_help(SeverityName, "Severity."),
    "lifecycle": _annotate_help(LifecycleName, "Lifecycle state."),
    "verification": _annotate_help(VerificationName, "Verification state."),
    "policy_class": _annotate_help(
        PolicyClassName, "Retention class; no memory can be changed to ephemeral."
    ),
    "confidence": _annotate_help(float, "Confidence, from 0 to 1."),
    "importance": _annotate_help(float, "Importance, from 0 to 1."),
    "weight": _annotate_help(float, "Weight, from 0 to 1."),
    "trust": _annotate_help(TrustName, "Trust, if lower than yours."),
    "key": _annotate_help(str, "Your own id; a later text with it replaces this one."),
    "note.key": _annotate_help(str, "Your own id; a repeated id is stored once."),
    "attributes": _annotate_help(
        list[str],
        f"An attribute; {options.VALUES}; repeatable.",
        name="--attribute",
        metavar="NAME=VALUE",
    ),
    "update.attributes": _annotate_help(
        list[str],
        f"Replaces all attributes; {options.VALUES}; repeatable.",
        name="--attribute",
        metavar="NAME=VALUE",
    ),
    "valid_from": _annotate_help(options.When, "Start of validity."),
    "valid_to": _annotate_help(options.When, "End of validity."),
    "if_exists": _annotate_help(IfExists, "Action if the link exists; reinforce if absent."),
    "reason": _annotate_help(str, "The name of the hold, such as audit-2027."),
    "until": _annotate_help(options.When, "End of the hold; no end if absent."),
    "off": _annotate_help(bool, "Take it away instead.", negative=()),
    "verdict": _annotate_help(
        VerdictName | float, "right, wrong, helped, misled, or a number from 0 (misled) to 1 (helped)."
    ),
    # What is asked
    "query": _annotate_help(str, "A question, or words to look for."),
    "frame.query": _annotate_help(str, "A question; none weighs all."),
    "links.query": _annotate_help(str, "Start from the best answers to this question instead of a memory."),
    "frame.name": Annotated[
        str,
        Parameter(
            metavar="FRAME",
            completer=_list_frames,
            help="boot (the start context), profile, self, attention, task, simulate or one of yours."
            " boot takes --budget alone, profile nothing.",
        ),
    ],
    "count.by": _annotate_help(str, "Such as category, speaker, tier, topic or attributes.project."),
    "filters": options.Where,
    "limit": _annotate_help(int, "Maximum number."),
    "count.limit": _annotate_help(int, "Maximum number of values."),
    "forbidden.limit": _annotate_help(int, "Maximum number; all if absent."),
    "frame.limit": _annotate_help(int, "Maximum number of memories."),
    "recall.limit": _annotate_help(int, "Maximum number of memories."),
    "get.as_of": _annotate_help(options.When, "Show it as it was at this time."),
    "links.limit": _annotate_help(int, "Maximum number of memories; 10 if absent."),
    "review.list.limit": _annotate_help(int, "Maximum number of each kind."),
    "budget": _annotate_help(int, "Maximum number of tokens."),
    "asker": _annotate_help(str, "Name of the person asking, if the question says I or my."),
    "around": _annotate_help(
        options.Span,
        "Prefer what was said in this period, such as 2026-05-01/2026-05-31 or 'last week'.",
    ),
    "max_age": _annotate_help(
        float, "Leave out what nobody said or confirmed for this many days.", metavar="DAYS"
    ),
    "verified": _annotate_help(bool, "Leave out what no user confirmed.", negative=()),
    "to": _annotate_help(str, "The other scope; it exists already.", metavar="SCOPE"),
    "scopes": _annotate_help(
        list[str], "A scope to search, ranked as one with the others named; repeatable.", metavar="SCOPE"
    ),
    "as_of": _annotate_help(options.When, "Answer from the state at this time."),
    "archived": _annotate_help(
        ArchiveName,
        "Include archived memories (open) or not (closed); default: the setting recall_leaves_out.",
    ),
    "count_use": _annotate_help(bool, "Count the returned memories as used.", negative="--no-count-use"),
    "newer_first": _annotate_help(
        bool, "Rank newer statements about the same subject first.", negative="--no-newer-first"
    ),
    "explain": _annotate_help(bool, "Explain scores, omissions and timing.", name="--why"),
    "why_not": _annotate_help(
        int | str,
        "Explain why this memory or text is not in the answer, and what would change that.",
        metavar="MEMORY",
        converter=options.read_name,
    ),
    "policy": options.PolicyOption,
    "depth": _annotate_help(
        int, "Show the memories reached over at most this many links, 1 to 3, each with its path."
    ),
    # Lists
    "forbidden.after": _annotate_help(
        str, "Continue after this one, the last of an earlier list.", metavar="HASH"
    ),
    "conversations.list.session": _annotate_help(str, "Only segments of this session."),
    "of": _annotate_help(options.Name, "Only segments that contain this turn, or a fact's turns."),
    "open_only": _annotate_help(bool, "Only open segments.", name="--open"),
    "threads": _annotate_help(bool, "List threads instead of segments.", negative=()),
    "segments_min": _annotate_help(int, "With --threads: only threads with at least this many segments."),
    "conversations.list.after": AfterNumber,
    "number": _annotate_help(int, "The number of a segment."),
    "conversations.get.thread": _annotate_help(
        int, "The number of a thread, instead of a segment.", metavar="NUMBER"
    ),
    "type": _annotate_help(str, "Only of this type: person, project, tool, company, place or other."),
    "entities.list.after": _annotate_help(
        int | str,
        "Continue after this one, the last of an earlier list.",
        metavar="ENTITY",
        converter=options.read_name,
    ),
    "entities.split.off": _annotate_help(
        list[int | str],
        "Names that belong to the other entity, or memories that mention it.",
        converter=options.read_names,
    ),
    "entities.alias.name": _annotate_help(str, "The alias."),
    "sort": _annotate_help(ReviewSort, "Only items of this kind."),
    "settled": _annotate_help(bool, "With --sort contradiction: settled ones, too.", negative=()),
    "review.list.after": _annotate_help(
        str, "Continue after this item of an earlier list, with items of its kind.", metavar="CURSOR"
    ),
    "item": _annotate_help(
        int | str,
        "An item of `review list`, such as contradiction/102/331; clock; or a memory.",
        converter=options.read_name,
    ),
    "choice": _annotate_help(
        int | str,
        "One of its choices: the memory that is right, both or neither; accept, decline, forget, forbid; undo.",
        converter=options.read_name,
    ),
    "only": _annotate_help(
        list[int | str],
        "Of several proposals only this tag or older memory; repeatable.",
        metavar="WHAT",
        converter=options.read_names,
    ),
}


def _read_turn(values: dict[str, Any]) -> dict[str, Any]:
    """Read a turn, and what a host's hook says of it; what options say comes first."""
    turn, said = parse_prompt(values.pop("turn"))
    return {"turn": turn, "later": True, **said, **values}


def _read_sort(values: dict[str, Any]) -> dict[str, Any]:
    """Read a sort of items, which is one word on a command line."""
    return values if values.get("sort") is None else {**values, "sort": values["sort"].replace("-", " ")}


def _show_recall(answer: Any, given: Mapping[str, Any]) -> Any:
    """Return only the text where that is asked for; leave parts of scores out unless they are asked for."""
    if given.get("text"):
        return answer.text
    return (
        options.drop_score_parts(answer)
        if isinstance(answer, RecallResult) and not given.get("explain")
        else answer
    )


def _show_link(answer: Any, _given: Mapping[str, Any]) -> Any:
    if not isinstance(answer, Link):
        return answer
    cut = f"remanence link {answer.source} {answer.target} {answer.relation.label} --off"
    return Undoable(answer, cut if answer.count == 1 else "remanence undo last")


def _show_entities(answer: Any, _given: Mapping[str, Any]) -> Any:
    if not answer:
        style.write_lines([style.Text(NO_ENTITIES, "dim")], sys.stderr)
    return answer


# Options that a command has beside the arguments of its verb, and how its answer is shown.
_ADDED: Mapping[str, Mapping[str, Any]] = {
    "recall": {"text": options.Alone},
    "frame": {"text": options.Alone},
}
_SHOWN: Mapping[str, Answer] = {
    "recall": _show_recall,
    "frame": _show_recall,
    "link": _show_link,
    "entities.list": _show_entities,
}
_READ: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "note": _read_turn,
    "review.list": _read_sort,
}
# Words that are read together, by the name of the argument that they make.
_JOINED: Mapping[str, Callable[[list[str]], Any]] = {
    "filters": options.filters,
    "attributes": options.read_attributes,
}
_ORDER: Mapping[str, tuple[str, ...]] = {"rate": ("verdict", "names")}  # several memories come last
_BY_NAME = frozenset({"policy", "sort", "to", "until"})  # by place in Python, an option on a command line
_BETWEEN = "between"  # two options: since and until


def __getattr__(name: str) -> Callable[..., Awaitable[Any]]:
    """Return the command of a verb, by the name that the tree of commands looks it up by."""
    for row in TABLE:
        if row.verb and row.command.replace(" ", "_") == name:
            return build_command(row.verb)
    raise AttributeError(name)


@cache
def build_command(verb: str) -> Callable[..., Awaitable[Any]]:
    """Return a function whose signature is the words and options of a verb, and which calls it."""
    taken = {one.name: one for one in _list_parameters(verb)}
    places = [
        name for name, one in taken.items() if one.kind is not one.KEYWORD_ONLY and name not in _BY_NAME
    ]
    spread = next((name for name, one in taken.items() if one.kind is one.VAR_POSITIONAL), None)

    def get_default(name: str) -> Any:
        return taken[name].default if name in taken else None

    async def command(*given: Any, memory: Engine, **more: Any) -> Any:
        values = {**dict(zip(_ORDER.get(verb, places), given, strict=False)), **more}
        show = {name: values.pop(name) for name in _ADDED.get(verb, ()) if name in values}
        values = _READ[verb](values) if verb in _READ else values
        values |= {name: join(values[name]) for name, join in _JOINED.items() if values.get(name)}
        await options.place_times(values, memory, joins=_BETWEEN in taken)
        named = {name: one for name, one in values.items() if one is not None and one != get_default(name)}
        method: Any = reduce(getattr, verb.split("."), memory)
        if spread is None:
            answer = await method(**named)
        else:
            answer = await method(
                *(named.pop(one) for one in places if one != spread), *named.pop(spread), **named
            )
        return _SHOWN[verb](answer, {**named, **show}) if verb in _SHOWN else answer

    words = [_make_word(verb, taken[name]) for name in _ORDER.get(verb, places)]
    offered = [one for one in taken.values() if one.name not in places]
    named = [one for each in offered for one in _make_options(verb, each)]
    named += [_make_option(name, kind, False) for name, kind in _ADDED.get(verb, {}).items()]
    memory = inspect.Parameter("memory", inspect.Parameter.KEYWORD_ONLY, annotation=options.Memory)
    signature = inspect.Signature([*words, *named, memory])
    command.__signature__ = signature  # type: ignore[attr-defined] # what the library of commands reads
    command.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    return command


def _list_parameters(verb: str) -> Iterator[inspect.Parameter]:
    """Yield what a verb takes and a command offers."""
    for one in list_parameters(find_verb(Engine, verb)):
        if one.name != "self" and (one.name == _BETWEEN or _find_argument(verb, one.name) is not None):
            yield one


def _find_argument(verb: str, name: str) -> Any:
    """Return how an argument is written, None where it is not."""
    return ARGUMENTS[key] if (key := f"{verb}.{name}") in ARGUMENTS else ARGUMENTS[name]


def _make_word(verb: str, one: inspect.Parameter) -> inspect.Parameter:
    kind = _find_argument(verb, one.name)
    default = one.default if one.kind is not one.VAR_POSITIONAL else one.empty
    kind = kind if default is one.empty else kind | None
    return inspect.Parameter(one.name, inspect.Parameter.POSITIONAL_ONLY, default=default, annotation=kind)


def _make_options(verb: str, one: inspect.Parameter) -> Iterator[inspect.Parameter]:
    if one.name == _BETWEEN:
        yield from (_make_option(name, kind, None) for name, kind in options.SINCE_UNTIL.items())
    else:
        plain = one.default if isinstance(one.default, bool | int) else None
        yield _make_option(one.name, _find_argument(verb, one.name), plain)


def _make_option(name: str, kind: Any, default: Any) -> inspect.Parameter:
    kind = kind if default is not None else kind | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
