"""What a person set and only a person takes off: which changes an opening of less trust may not commit.

Knows memories, changes and the engine's guards; must not know which verb makes a change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from remanence.core.change import Change, Entry, rows_of
from remanence.core.errors import Protected
from remanence.core.model import REJECTED_PATH, Memory, Status, Trust, Verification, short_id
from remanence.edit.one_memory import GUARD as IDENTITY
from remanence.edit.one_memory import says_who
from remanence.read.entity import HOLD, is_entity

_FALLS = frozenset({Status.SUPERSEDED, Status.ARCHIVED, Status.PRUNED})
_WORDING = frozenset({"text", "speaker", "role", "said_at", "said_offset"})  # what somebody said
# And what is shown of it, and as what; what an entity is called stands in its attributes.
_CONTENT = _WORDING | {"category", "kind", "form", "severity", "attributes"}
_SET = frozenset(
    {"pinned", "holds", "verification", "trust", "policy_class", "status", "valid_from", "valid_to"}
)
_CONFIRMED = Verification.USER_CONFIRMED
# What a person types to take off what protects a memory.
_WAYS: Mapping[str, str] = {
    "pinned": "remanence pin {0} --off",
    "system-category": "remanence update {0} --category NAME",
    "unknown-status": "remanence doctor",
    "held": "remanence hold {0} {1} --off",
    IDENTITY: "remanence correct {0} TEXT, or remanence forget {0}",
    "user_confirmed": "remanence correct {0} TEXT, or remanence forget {0}",
    "quarantined": "remanence review settle {0} accept",
    "load-bearing": "remanence correct {0} TEXT, or remanence tag {0} " + REJECTED_PATH + " --off",
    "policy-class": "remanence update {0} --policy-class CLASS",
    "trust": "remanence update {0} --text TEXT (`correct`, which keeps what was said, is for agents too)",
    "forbidden": "remanence forbid {0} --off",
}


def is_held(memory: Memory, now: int) -> bool:
    """Tell whether somebody holds a memory; that every entity is held keeps policies from it, and nobody else."""
    own = HOLD if is_entity(memory) else None
    return any(
        reason != own and (until is None or until > now) for reason, until in (memory.holds or {}).items()
    )


def find_protections(memory: Memory, *, trust: Trust, system: bool, now: int) -> tuple[str, ...]:
    """Name what protects a memory from openings that are believed less than a person.

    `trust` is how far the opening is believed, `system` whether the memory's category is one of the system, `now` in
    microseconds.
    """
    protections = {
        "pinned": bool(memory.pinned),
        "held": is_held(memory, now),
        IDENTITY: says_who(memory.tags, system=system),
        "user_confirmed": memory.verification is _CONFIRMED,
        "quarantined": memory.status is Status.QUARANTINED,
        "load-bearing": REJECTED_PATH in memory.tags and memory.trust > trust,
    }
    return tuple(name for name, protects in protections.items() if protects)


def iterate_sensitive(entries: Iterable[Entry]) -> Iterator[Change]:
    """Yield the changes that may take off what a person set, by what they change alone."""
    return filter(_is_sensitive, rows_of(filter(_may_be_sensitive, entries)))


def _may_be_sensitive(entry: Entry) -> bool:
    """True unless the table and the columns of an entry alone say that none of its rows is sensitive."""
    if entry.table != "memories":
        return entry.table in {"tags", "forbidden"}
    stays = entry.before is not None and entry.after is not None
    return not (stays and (_CONTENT | _SET).isdisjoint(entry.columns))


def _is_sensitive(change: Change) -> bool:
    before, after = change.before or {}, change.after or {}
    if change.table == "tags":
        tag = str(change.key[1]) if isinstance(change.key, tuple) else ""
        return says_who([tag], system=False) or (tag == REJECTED_PATH and change.after is None)
    if change.table == "forbidden":
        return change.after is None
    if change.before is None or change.after is None:
        return True
    if "status" in after and not (after["status"] in _FALLS or before.get("status") == Status.QUARANTINED):
        after = {name: value for name, value in after.items() if name != "status"}
    return not (_CONTENT | _SET).isdisjoint(after)


def find_refusals(
    change: Change, memory: Memory | None, *, trust: Trust, system: bool, now: int
) -> tuple[str, ...]:
    """Name what a sensitive change would take off; `memory` is as it stands, None where the change makes it.

    `system` tells whether its category, or the one that it gets, is one of the system.
    """
    if change.table == "forbidden":
        return ("forbidden",)
    if change.table == "tags":
        if says_who([str(change.key[1])], system=False):  # type: ignore[index] # a sequence number and a tag
            return (IDENTITY,)
        return ("load-bearing",) if memory is not None and memory.trust > trust else ()
    if memory is None:
        claims = (change.after or {}).get("verification") == _CONFIRMED
        return (IDENTITY,) * system + ("user_confirmed",) * claims
    protections = find_protections(memory, trust=trust, system=system, now=now)
    if change.after is None:
        return protections
    after = {name: value for name, value in change.after.items() if getattr(memory, name, None) != value}
    refusals = [name for name, takes in _list_losses(memory, after, trust).items() if takes]
    content = _CONTENT - {"attributes"} if is_entity(memory) else _CONTENT
    if (
        not content.isdisjoint(after)
        or after.get("status") in _FALLS
        or ("status" in after and memory.status is Status.QUARANTINED)
        or _ends_earlier(memory, after)
    ):
        refusals += protections
    if not refusals and memory.trust > trust and not _WORDING.isdisjoint(after):
        refusals.append("trust")
    return tuple(dict.fromkeys(refusals))


def _list_losses(memory: Memory, after: Mapping[str, object], trust: Trust) -> dict[str, bool]:
    """Tell of each protection whether new values of a memory's columns take it off, or claim it."""
    holds = after.get("holds", memory.holds) or {}
    assert isinstance(holds, Mapping)
    was = memory.holds or {}
    return {
        "pinned": bool(memory.pinned) and not after.get("pinned", memory.pinned),
        "held": any(name not in holds or _is_shorter(holds[name], until) for name, until in was.items()),
        "user_confirmed": "verification" in after
        and _CONFIRMED in (memory.verification, after["verification"]),
        "policy-class": after.get("policy_class", memory.policy_class) < memory.policy_class,  # type: ignore[operator]
        "trust": "trust" in after and Trust(after["trust"]) > max(memory.trust, trust),  # type: ignore[arg-type]
    }


def _is_shorter(until: int | None, was: int | None) -> bool:
    return until is not None and (was is None or until < was)


def _ends_earlier(memory: Memory, after: Mapping[str, object]) -> bool:
    """Tell whether a memory holds for a shorter time by new values of its columns."""
    ends, begins = after.get("valid_to"), after.get("valid_from")
    return (isinstance(ends, int) and _is_shorter(ends, memory.valid_to)) or (
        isinstance(begins, int) and begins > (memory.valid_from or 0)
    )


def make_refusal(guards: Sequence[str], memory: Memory | None = None, name: str = "") -> Protected:
    """Return the error for a change that only a person makes, with what a person types."""
    of = f"the ban {name}" if name else "a new text" if memory is None else f"memory {short_id(memory.seq)}"
    number = name or ("ID" if memory is None else str(memory.seq))
    reasons = ", ".join((memory.holds if memory is not None else None) or ("REASON",))
    ways = "; ".join(_WAYS[guard].format(number, reasons) for guard in guards)
    return Protected(
        f"{of} is protected: {', '.join(guards)}",
        recovery=f"only a person takes that off, who types: {ways}; or learn what is new as a text of its own",
        guards=tuple(guards),
    )
