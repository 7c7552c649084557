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
        "recall frame get list count links entities.list entities.get graph.find_related"
        " graph.contradictions conversations.list conversations.get plan forecast policy.show history"
        " guidelines explain frames.get status doctor scopes.list"
        " review.list review.quarantined settings.get forbidden.list guide"
    ),
    ("write", None): (
        "learn note learn_many put consolidate update correct supersede confirm rate dispute tag untag link unlink"
        " graph.link_duplicates graph.merge graph.resolve begin_session end_session entities.merge entities.split"
        " entities.alias review.propose"
    ),
    ("curate", None): (
        "pin hold forget restore apply curate run_jobs undo export import_"
        " scopes.copy scopes.show_drop scopes.drop"
    ),
    ("curate", "release"): "unpin release review.accept review.decline forbidden.lift",
    ("curate", "policy"): ("policy.use frames.set"),
    ("curate", "settings"): "settings.set",
    ("erase", "erase"): "erase.show erase.apply erase.settle",
    (None, "tokens"): "token.add token.end",
    (None, None): (
        "ingest backup mirror.sync mirror.apply mirror.discard mirror.watch reembed session close token.list"
    ),
}
# An argument that asks for something else than the verb does has a capability of its own.
CAPABILITY_OF_ARGUMENT: Mapping[str, Mapping[str, Capability]] = {
    "review.accept": {"clock": "settings"},
    "run_jobs": {"policy": "policy"},
    "guidelines": {"lines": "policy", "off": "policy"},
}
# So has one that changes something where the verb without it reads: the role that it needs then.
_ROLE_OF_ARGUMENT: Mapping[str, Mapping[str, TokenRole]] = {
    "guidelines": {"lines": "curate", "off": "curate"}
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
    by_argument = _ROLE_OF_ARGUMENT.get(verb, {})
    asked = (role for name, role in by_argument.items() if arguments.get(name))
    return next(asked, ROLE_OF.get(verb))


def capability_of(verb: str, arguments: Mapping[str, object]) -> Capability | None:
    """Return the capability that a verb takes when it is called with these arguments; None where it takes none."""
    by_argument = CAPABILITY_OF_ARGUMENT.get(verb, {})
    asked = (capability for name, capability in by_argument.items() if arguments.get(name))
    return next(asked, CAPABILITY_OF.get(verb))
