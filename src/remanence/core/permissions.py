"""Who may call which verb: one table of the role that a verb needs and of the capability that it takes.

An opening that is believed less than a person has no capability, a token may be denied any. Knows verbs by name; what a
change may touch is judged where it is committed, in `flows/base/person_guards.py`.
"""

from collections.abc import Mapping
from typing import Literal, get_args

TokenRole = Literal["watch", "read", "write", "curate", "erase"]
ROLES: tuple[TokenRole, ...] = get_args(TokenRole)  # each may do what those before it may
# What a person sets: protections, bans and what is in quarantine; rules; numbers and the clock; what is gone for good.
Capability = Literal["release", "policy", "settings", "erase", "tokens"]
CAPABILITIES: frozenset[Capability] = frozenset(get_args(Capability))
# A verb that is offered over the network has a role.
_TABLE: Mapping[tuple[TokenRole | None, Capability | None], str] = {
    ("read", None): (
        "recall frame boot profile get list count links entities.list entities.get"
        " conversations.list conversations.get plan forecast history"
        " guidelines.draft guidelines.active explain frames.list frames.get status doctor scopes.list"
        " review.list settings.get forbidden.list guide"
    ),
    ("write", None): (
        "learn note learn_many put consolidate update correct supersede confirm rate dispute tag untag link unlink"
        " merge begin_session end_session entities.split"
        " entities.alias review.settle"
    ),
    ("curate", None): (
        "pin hold forget restore apply curate schedule.tick undo export import_ scopes.copy scopes.drop"
    ),
    ("curate", "release"): "unpin release forbidden.lift",
    ("curate", "policy"): (
        "policy.adopt policy.drop compact_episodic guidelines.activate frames.put frames.reset"
    ),
    ("curate", "settings"): "settings.set",
    ("erase", "erase"): "erase.show erase.apply erase.settle",
    (None, "tokens"): "token.add token.end",
    (None, None): ("ingest backup mirror.sync mirror.watch reembed schedule.run session close token.list"),
}
# An argument that asks for something else than the verb does has a capability of its own, and so may one of its values.
CAPABILITY_OF_ARGUMENT: Mapping[str, Mapping[str, Capability | Mapping[str, Capability]]] = {
    "review.settle": {
        "item": {"clock": "settings"},
        "choice": {"accept": "release", "decline": "release"},
    }
}
# Who may only write settles contradictions; what else waits is for who may curate.
ROLE_OF_CHOICE: Mapping[str, TokenRole] = dict.fromkeys(
    ("accept", "decline", "forget", "forbid", "undo"), "curate"
)
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
    """Return the role that a verb needs when it is called with these arguments; None where none is enough."""
    choice = arguments.get("choice")
    if verb == "review.settle" and isinstance(choice, str) and choice in ROLE_OF_CHOICE:
        return ROLE_OF_CHOICE[choice]
    return ROLE_OF.get(verb)


def capability_of(verb: str, arguments: Mapping[str, object]) -> Capability | None:
    """Return the capability that a verb takes when it is called with these arguments; None where it takes none."""
    by_argument = CAPABILITY_OF_ARGUMENT.get(verb, {})
    asked = (_capability_for(needed, arguments.get(name)) for name, needed in by_argument.items())
    return next((one for one in asked if one is not None), CAPABILITY_OF.get(verb))


def _capability_for(needed: Capability | Mapping[str, Capability], value: object) -> Capability | None:
    if isinstance(needed, str):
        return needed if value else None
    return needed.get(value) if isinstance(value, str) else None
