"""Refuses verbs that an opening lacks the capability for, before they do anything.

Knows the table of verbs; must not know what a verb does.
"""

from collections.abc import Awaitable, Callable, Collection
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from remanence.core.errors import Protected, find_synonyms, nearest, plain_name
from remanence.core.permissions import CAPABILITY_OF, CAPABILITY_OF_ARGUMENT, Capability, capability_of
from remanence.core.signatures import checked_class
from remanence.core.synonyms import VERBS
from remanence.core.verb_help import command_of
from remanence.core.verbs import TABLE

GUARD = "trust"
# What a person types where the verb is a part of another command.
_TYPED = {
    "settings.set": "settings NAME VALUE",
    "erase.apply": "erase",
}
C = TypeVar("C", bound=type)


def refuse_verb(verb: str, denied: Collection[Capability], capability: Capability | None = None) -> None:
    """Refuse a verb, or what one of its arguments asks for, that needs a capability which an opening is denied."""
    needed = CAPABILITY_OF.get(verb) if capability is None else capability
    if needed in denied:
        raise Protected(
            f"only a person may call {verb.rstrip('_')}: this opening lacks the capability {needed!r}",
            recovery=f"ask the user, who types: remanence {_TYPED.get(verb) or command_of(verb)}",
            guards=(GUARD,),
        )


def verb_class(shelf: str = "") -> Callable[[C], C]:
    """Let a class of verbs check their arguments, and refuse each that its opening is denied before it does anything.

    `shelf` is what the names of its verbs begin with in the table. `_core` of an instance is what was opened.
    """

    def build(kind: C) -> C:
        for verb in {*CAPABILITY_OF, *CAPABILITY_OF_ARGUMENT}:
            owner, _, name = verb.rpartition(".")
            if owner == shelf and name in vars(kind):
                setattr(kind, name, _ask_first(verb, vars(kind)[name]))
        # Set here and not written in a class, where a type checker would then allow every name.
        setattr(kind, "__getattr__", _refuse_name)  # noqa: B010
        return checked_class(kind)

    return build


def _refuse_name(self: object, name: str) -> Any:
    """Say which verb somebody means by a name that there is not."""
    told = f"{type(self).__name__!r} object has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(told)
    verbs = {command_of(row.verb): row.verb for row in TABLE if row.verb}
    meant = find_synonyms(name, {plain_name(one): one for one in verbs}, VERBS)
    near = nearest(plain_name(name), list(verbs))
    found = [verbs[one] for one in meant or ([near] if near is not None else [])]
    raise AttributeError(f"{told}; did you mean {' or '.join(found)}?" if found else told)


def _ask_first(verb: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    parameters = list(signature(method).parameters.values())[1:]
    places = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    rest = next((one.name for one in parameters if one.kind is one.VAR_POSITIONAL), "")

    @wraps(method)
    async def ask(self: Any, *given: Any, **more: Any) -> Any:
        by_place = {**dict(zip(places, given, strict=False)), rest: given[len(places) :]}
        capability = capability_of(verb, {**by_place, **more})
        if capability is not None:
            refuse_verb(verb, self._core.denials, capability)
        return await method(self, *given, **more)

    return ask
