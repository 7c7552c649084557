"""Who may call which verb: one table of the role that a verb needs and of the capability that it takes.

An opening that is believed less than a person has no capability, a token may be denied any. Knows verbs by name; what a
change may touch is judged where it is committed, in `flows/base/person_guards.py`.
"""

from collections.abc import Mapping
from typing import Literal, TypeVar, get_args

TokenRole = Literal["watch", "read", "write", "curate", "erase"]
ROLES: tuple[TokenRole, ...] = get_args(TokenRole)  # each may do what those before it may
# What a person sets: protections, bans and what is in quarantine; rules; numbers and the clock; what is gone for good.
Capability = Literal["release", "policy", "settings", "erase", "tokens"]
Need = TypeVar("Need", bound=str)
CAPABILITIES: frozenset[Capability] = frozenset(get_args(Capability))
# A verb that is offered over the network has a role.
_TABLE: Mapping[tuple[TokenRole | None, Capability | None], str] = {
    ("read", None): (
        "recall frame get list count links entities.list entities.get"
        " conversations.list conversations.get plan forecast policy.show history"
        " guidelines explain frames.get status doctor scopes.list"
        " review.list settings.get forbidden guide"
    ),
    ("write", None): (
        "learn note consolidate update correct rate tag link"
        " merge promote begin_session end_session entities.split"
        " entities.alias review.settle"
    ),
    ("curate", None): (
        "pin hold forget restore apply curate run_jobs undo export import_ scopes.copy scopes.drop"
    ),
    ("curate", "release"): "forbid",
    ("curate", "policy"): "policy.use frames.set",
    ("curate", "settings"): "settings.set",
    ("erase", "erase"): "erase.show erase.apply erase.settle",
    (None, "tokens"): "token.add token.end",
    (None, None): "ingest backup mirror.sync mirror.watch reembed session close token.list",
}
# An argument that asks for something else than the verb does has a capability of its own, and so may one of its values.
CAPABILITY_OF_ARGUMENT: Mapping[str, Mapping[str, Capability | Mapping[str, Capability]]] = {
    "review.settle": {
        "item": {"clock": "settings"},
        "choice": {"accept": "release", "decline": "release", "forbid": "release"},
    },
    "pin": {"off": "release"},
    "hold": {"off": "release"},
    "run_jobs": {"policy": "policy"},
    "guidelines": {"lines": "policy", "off": "policy"},
}
# So has one that changes more than the verb without it: the role that it needs then.
_ROLE_OF_ARGUMENT: Mapping[str, Mapping[str, TokenRole | Mapping[str, TokenRole]]] = {
    "guidelines": {"lines": "curate", "off": "curate"},
    "review.settle": {
        "choice": dict.fromkeys(("accept", "decline", "forget", "forbid", "neither", "undo"), "curate")
    },
}
ROLE_OF: Mapping[str, TokenRole | None] = {
    verb: role for (role, _), verbs in _TABLE.items() for verb in verbs.split()
}
CAPABILITY_OF: Mapping[str, Capability] = {
    verb: capability
    for (_, capability), verbs in _TABLE.items()
    if capability is not None
    for verb in verbs.split()
}


def role_of(verb: str, arguments: Mapping[str, object]) -> TokenRole | None:
    """Return the role that a verb needs when it is called with these arguments; None where it is not offered."""
    return _find_need(_ROLE_OF_ARGUMENT.get(verb, {}), arguments) or ROLE_OF.get(verb)


def capability_of(verb: str, arguments: Mapping[str, object]) -> Capability | None:
    """Return the capability that a verb takes when it is called with these arguments; None where it takes none."""
    return _find_need(CAPABILITY_OF_ARGUMENT.get(verb, {}), arguments) or CAPABILITY_OF.get(verb)


def _find_need(
    by_argument: Mapping[str, Need | Mapping[str, Need]], arguments: Mapping[str, object]
) -> Need | None:
    """Return what the first of the given arguments needs, by itself or by its value; None where none needs anything."""
    for name, needed in by_argument.items():
        value = arguments.get(name)
        found = needed if isinstance(needed, str) else needed.get(value) if isinstance(value, str) else None
        if value and found is not None:
            return found
    return None
