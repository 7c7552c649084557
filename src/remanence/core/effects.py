"""What each action of a policy and each verb does to a memory: one table for planner, verbs, brake and reports.

Knows columns, what they become and which of them are stamped; knows nothing of conditions, windows or stores.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import cache
from typing import Any, Literal

import numpy as np

from remanence.core.change import Change, Increment, Table
from remanence.core.model import (
    COLUMN,
    TEXT_COLUMNS,
    Form,
    Label,
    Lifecycle,
    Memory,
    Reason,
    Status,
    Tier,
    Verification,
)
from remanence.core.score import CONFIDENCE

# What a guard can block, from harmless to final; a word of the ladder names an action and all that is worse.
BLOCKABLE = ("move", "shrink", "archive", "merge", "prune", "purge")
BLOCKS: Mapping[str, tuple[str, ...]] = {
    "move": BLOCKABLE,
    "shrink": BLOCKABLE[1:],
    "archive": BLOCKABLE[2:],
    "prune": BLOCKABLE[3:],
}
_BLOCK_WORDS = {"move": "demote", "shrink": "compress", "prune": "delete", "purge": "delete"}
# Each of these columns is set to the time of the act if and only if the column before it changes.
STAMPS: Mapping[str, str] = {
    "status": "status_at",
    "tier": "tier_at",
    "state": "state_at",
    "reinforced": "reinforced_at",
    "text": "text_at",
    "confidence": "confidence_at",
}


class DynamicValue(Enum):
    """What a column becomes that is not the same each time."""

    GIVEN = "as the rule or the caller says; it stays where neither does"
    ONE_MORE = "one more than it was"


@dataclass(frozen=True, slots=True)
class Where:
    """What a column becomes where it was `was`; anywhere else it stays."""

    was: Any
    becomes: Any


class Stage(IntEnum):
    """How the rules of an action act within a phase, in the order in which they do."""

    SAFEST = 0  # of all actions of its group a memory meets one, the safest
    BEFORE = 1  # each rule acts, before those that only add
    EACH = 2  # each rule acts
    PAIRS = 3  # two memories become one, where no safer action of the group has won
    LINKS = 4  # links are cut, in a phase of their own
    FOLLOWS = 5  # no rule does it: it follows from another action


# Statuses that a rule which names the status may act on: all but tombstones, and of those what is out of quarantine,
# or of those what is not archived, since out of the archive leads `restore`.
_NO_TOMBSTONES = frozenset(status for status in Status if status is not Status.PRUNED)
_TRUSTED = _NO_TOMBSTONES - {Status.QUARANTINED}
_NOT_ARCHIVED = _TRUSTED - {Status.ARCHIVED}


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """What one action or verb does.

    `sets` maps the columns of a memory that it owns to what they become; the first is the one by which it is known,
    and where that is so already a rule changes nothing. Of actions on one `group` the one with the least `rank` is
    done; `targets` are what a rule may lead to, each with what it adds to the rank. `guarded` is the action that a
    guard must block to keep it from being done, "" for what no guard blocks; of guards a verb obeys the built-in ones.
    What `destroys` counts for the brake, which nothing does that is asked for by name. `row` tells what becomes of
    the row of `table`. `words` stand in a plan before a number of rows. `back` names the verbs that take it back;
    `undo` takes back everything and is not named. `under` are the verbs by which the audit knows it, its own name if
    there are none. `restates` are columns that are stamped also where what is given is what they were.

    The rest says how rules do it, and is of actions alone. A rule that is `written` so (its name, if there is nothing)
    may do it in its `phases`, `over` what. `stage` is its turn in a phase. A rule that names the status acts on the
    statuses of its `reach`; one that `seeks_hidden` does so always. `of_what_stands` is not done to what goes out of
    sight in the same phase. What `needs_text` has its text made where the plan is applied, a few at a time. A budget's
    ladder may hold what `is_laddered`. Rules of what `has_period` act once in a while. Of what `is_foreseen` a plan
    says all that it writes. A forecast draws it with its `sign` and calls it `past`; what has none it does not list.
    """

    name: str
    sets: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    group: str = ""
    rank: int = 0
    targets: Mapping[Label, int] = field(default_factory=dict)
    guarded: str = ""
    destroys: bool = False
    table: Table = "memories"
    row: Literal["changes", "appears", "goes"] = "changes"
    back: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    restates: frozenset[str] = frozenset()
    written: str = ""
    phases: tuple[str, ...] = ()
    over: Literal["memories", "links", "pairs"] = "memories"
    stage: Stage = Stage.EACH
    reach: frozenset[Status] = _TRUSTED
    seeks_hidden: bool = False
    of_what_stands: bool = False
    needs_text: bool = False
    is_laddered: bool = False
    has_period: bool = False
    is_foreseen: bool = False
    sign: str = ""
    past: str = ""

    @property
    def word(self) -> str:
        """Return what rules write for it."""
        return self.written or self.name

    @property
    def removes(self) -> bool:
        """Tell whether the memory itself goes."""
        return self.row == "goes" and self.table == "memories"

    @property
    def unites(self) -> bool:
        """Tell whether it makes one memory of two."""
        return self.stage is Stage.PAIRS

    @property
    def adds_row(self) -> bool:
        """Tell whether what it sets is there afterwards: of tags, whether it gives one."""
        return self.row == "appears"

    @property
    def moves(self) -> bool:
        """Tell whether it moves what stays in sight from tier to tier; only down can be blocked."""
        return self.known_by == "tier"

    @property
    def form(self) -> Form | None:
        """Return what is shown of a memory once it is done, None where it makes nothing shorter."""
        return self.leads_to if self.known_by == "form" else None

    @property
    def leads_to(self) -> Any:
        """Return what the column by which it is known becomes each time, None where that is not always the same."""
        value = self.sets.get(self.known_by)
        value = value.becomes if isinstance(value, Where) else value
        return None if isinstance(value, DynamicValue) else value

    @property
    def reason(self) -> Any:
        """Return the reason that stands on what it does, None where there is none or a rule may say it."""
        return None if self.takes_reason else self.sets.get("reason")

    @property
    def takes_reason(self) -> bool:
        """Tell whether a rule may say what reason stands on what it does."""
        return self.sets.get("reason") is DynamicValue.GIVEN

    def is_graver(self, other: "Effect") -> bool:
        """Tell whether it gives way to another action of its group on one memory."""
        return self.group == other.group and self.rank > other.rank

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns that it may change, with their stamps."""
        return frozenset({*self.sets, *(STAMPS[name] for name in self.sets if name in STAMPS)})

    @property
    def known_by(self) -> str:
        """Return the column by which it is known, "" for what sets none."""
        return next(iter(self.sets), "")

    @property
    def compares_uses(self) -> bool:
        """Tell whether it is refused where the memory was used or linked since it was read."""
        return self.removes or self.sets.get("status") in {Status.SUPERSEDED, Status.PRUNED}

    def safety(self, target: Label | None = None) -> int:
        """Say how safe it is within its group; the least is done."""
        return self.rank + (0 if target is None else self.targets[target])

    def after(self, row: Memory | Mapping[str, Any], now: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the columns of one memory become, with the stamps of those that change."""
        values = {
            name: becomes(value, _read(row, name), now, given.get(name))
            for name, value in self.sets.items()
            if value is not DynamicValue.GIVEN or name in given
        }
        return {**add_stamps(row, values, now), **self.build_repeat_stamps(given, now)}

    def build_repeat_stamps(self, given: Mapping[str, Any], now: int) -> dict[str, int]:
        """Return the stamps of what is said again, whether or not it changes."""
        return {STAMPS[name]: now for name in self.restates if given.get(name) is not None}

    def build_count_change(self, seq: int, **by: int) -> Change:
        """Return the change that counts on columns of one memory, all of which it owns."""
        assert by.keys() <= self.sets.keys()
        return Change(
            "memories",
            seq,
            {name: Increment(-times) for name, times in by.items()},
            {name: Increment(times) for name, times in by.items()},
        )


def becomes(value: Any, was: Any, now: int, given: Any) -> Any:
    """Return what a column becomes, of one memory or of an array of them."""
    match value:
        case DynamicValue.GIVEN:
            return given
        case DynamicValue.ONE_MORE:
            return was + 1 if isinstance(was, np.ndarray) else Increment(1)
        case Where():
            into = becomes(value.becomes, was, now, given)
            if isinstance(was, np.ndarray):
                return np.where(np.isnan(was) if value.was is None else was == value.was, into, was)
            return into if was == value.was else was
    return value


def add_stamps(row: Memory | Mapping[str, Any], values: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Return values of one memory's columns with the stamps of those that change."""
    names = [name for name in STAMPS if name in values and values[name] != _read(row, name)]
    return {**values, **{STAMPS[name]: now for name in names}}


def _read(row: Memory | Mapping[str, Any], name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name)


# Only what is archived may be in the archive tier: what falls further leaves it.
_FALLS: Mapping[str, Any] = {"tier": Where(Tier.ARCHIVE, Tier.COLD)}
# What comes back stands at hand and holds again: `lifecycle` and `valid_to` are given as they were before it fell.
_RETURNS: Mapping[str, Any] = {
    "status": Status.ACTIVE,
    "tier": Tier.HOT,
    "reason": None,
    "lifecycle": Where(Lifecycle.ARCHIVED, DynamicValue.GIVEN),
    "valid_to": DynamicValue.GIVEN,
}
# What was made shorter is shown whole again, with the lengths that its short form then has.
_WHOLE: Mapping[str, Any] = {
    "form": Form.FULL,
    "summary": None,
    **dict.fromkeys(("short_tokens", "short_words"), DynamicValue.GIVEN),
}
_CONFIRMED: Mapping[str, Any] = {
    "confirmations": DynamicValue.ONE_MORE,
    "verification": DynamicValue.GIVEN,  # only a user's word makes it theirs
    "said_again_at": DynamicValue.GIVEN,
}

_FALLING = ("expire", "deduplicate", "keep-recent", "lifecycle", "value")
_MARKING = ("expire", "keep-recent", "lifecycle", "value", "tiers", "budgets", "shrink")

# The actions of policies, from the gravest to the most harmless.
PURGE = Effect(
    "purge",
    words="purge",
    group="status",
    rank=14,
    guarded="purge",
    destroys=True,
    row="goes",
    back=("restore",),
    phases=("purge",),
    stage=Stage.SAFEST,
    reach=frozenset({Status.PRUNED}),
    seeks_hidden=True,
    sign="#",
    past="purged",
)
MERGE = Effect(
    "merge",
    {"status": Status.SUPERSEDED, **_FALLS, "reason": Reason.MERGED},
    words="merge into another",
    group="status",
    rank=12,
    guarded="merge",
    destroys=True,
    back=("restore",),
    phases=("deduplicate",),
    over="pairs",
    stage=Stage.PAIRS,
    sign="+",
    past="merged",
)
# What gives up its place to what is newer; the link that says so stays, and leads to it.
SUPERSEDE = Effect(
    "supersede",
    {"status": Status.SUPERSEDED, **_FALLS, "reason": Reason.SUPERSEDED},
    words="supersede by what is newer",
    group="status",
    rank=11,
    guarded="merge",
    destroys=True,
    back=("restore",),
    phases=("deduplicate",),
    stage=Stage.SAFEST,
    is_foreseen=True,
    sign="^",
    past="superseded",
)
PRUNE = Effect(
    "prune",
    {"status": Status.PRUNED, **_FALLS, "reason": DynamicValue.GIVEN},
    words="delete",
    group="status",
    rank=13,
    guarded="prune",
    destroys=True,
    back=("restore",),
    phases=_FALLING,
    stage=Stage.SAFEST,
    reach=_NO_TOMBSTONES,  # what is in quarantine goes no other way
    is_foreseen=True,
    sign="x",
    past="deleted",
)
ARCHIVING = Effect(
    "archive",
    {
        "status": Status.ARCHIVED,
        "tier": Tier.ARCHIVE,
        "lifecycle": Lifecycle.ARCHIVED,
        "reason": DynamicValue.GIVEN,
    },
    words="archive",
    group="status",
    rank=10,
    guarded="archive",
    back=("restore", "confirm"),
    phases=(*_FALLING, "tiers", "budgets"),
    stage=Stage.SAFEST,
    is_laddered=True,
    is_foreseen=True,
    sign="=",
    past="archived",
)
MOVE = Effect(
    "move",
    {"tier": DynamicValue.GIVEN},
    words="move to another tier",
    group="status",
    targets={Tier.HOT: 0, Tier.WARM: 1, Tier.COLD: 2},
    guarded="move",
    phases=("keep-recent", "value", "tiers", "budgets"),
    stage=Stage.SAFEST,
    reach=_NOT_ARCHIVED,
    is_foreseen=True,
)
# Only what is shown becomes less: a summary is shorter still. Its text is made where the plan is applied.
SUMMARISE = Effect(
    "summarise",
    {"form": Form.SUMMARY},
    words="summarise",
    group="form",
    guarded="shrink",
    back=("restore",),
    written="shrink",
    phases=("shrink",),
    reach=frozenset({Status.ARCHIVED}),
    seeks_hidden=True,
    of_what_stands=True,
    needs_text=True,
    sign="~",
    past="summed up",
)
SHRINK = Effect(
    "shrink",
    {"form": Where(Form.FULL, Form.CONDENSED)},
    words="compress",
    group="form",
    guarded="shrink",
    back=("restore",),
    phases=("keep-recent", "lifecycle", "value", "tiers", "budgets"),
    of_what_stands=True,
    is_laddered=True,
    is_foreseen=True,
    sign="-",
    past="condensed",
)
TRANSITION_LIFECYCLE = Effect(
    "transition",
    {"lifecycle": DynamicValue.GIVEN},
    words="change the state of",
    group="lifecycle",
    # From mild to harsh; states have no order, so that there the name of the rule decides.
    targets={Lifecycle.CANDIDATE: 2, Lifecycle.VALIDATED: 1, Lifecycle.ACTIVE: 0, Lifecycle.STALE: 3},
    back=("update",),
    phases=("expire", "lifecycle", "value"),
    stage=Stage.SAFEST,
    reach=_NOT_ARCHIVED,
    of_what_stands=True,
    is_foreseen=True,
)
TRANSITION_STATE = Effect(
    "transition",
    {"state": DynamicValue.GIVEN},
    words="change the state of",
    group="state",
    back=("update",),
    phases=("expire", "lifecycle", "value"),
    stage=Stage.SAFEST,
    is_foreseen=True,
)
REINFORCE = Effect(
    "reinforce",
    {"reinforced": DynamicValue.ONE_MORE},
    words="reinforce",
    group="counters",
    phases=("reinforce",),
    has_period=True,
)
# Of what nobody said how sure it is; no text changes, and what somebody said stays.
IMPROVE = Effect(
    "improve",
    {"confidence": Where(None, CONFIDENCE)},
    words="improve",
    group="confidence",
    back=("update",),
    phases=("value",),
)
FLAG = Effect(
    "flag",
    words="flag",
    group="tags",
    table="tags",
    row="appears",
    back=("untag",),
    phases=_MARKING,
    is_foreseen=True,
)
# A flag is taken off before one is set: what two rules disagree about stays marked.
UNFLAG = Effect(
    "unflag",
    words="take the flag off",
    group="tags",
    table="tags",
    row="goes",
    back=("tag",),
    phases=_MARKING,
    stage=Stage.BEFORE,
    is_foreseen=True,
)
UNLINK = Effect(
    "unlink",
    words="cut",
    group="links",
    table="links",
    row="goes",
    back=("link",),
    phases=("links",),
    over="links",
    stage=Stage.LINKS,
)
# What a memory takes over from one that is merged into it: its counts, when it was said last, its times of use, the
# greater confidence, the lesser trust, its tags, sources and links.
TAKE_IN = Effect(
    "take in",
    {
        **dict.fromkeys(("uses", "confirmations", "helped", "failed"), DynamicValue.GIVEN),
        **dict.fromkeys(("said_again_at", "used_at", "use_days", "use_day"), DynamicValue.GIVEN),
        "confidence": DynamicValue.GIVEN,
        "trust": DynamicValue.GIVEN,
    },
    words="let take in another",
    group="counters",
    stage=Stage.FOLLOWS,
)
ACTIONS: tuple[Effect, ...] = (
    PURGE,
    MERGE,
    PRUNE,
    SUPERSEDE,
    ARCHIVING,
    MOVE,
    SUMMARISE,
    SHRINK,
    TRANSITION_LIFECYCLE,
    TRANSITION_STATE,
    REINFORCE,
    FLAG,
    UNFLAG,
    UNLINK,
    TAKE_IN,
    IMPROVE,
)
# What is shown once it is done.
FORMS: Mapping[Effect, Form] = {effect: effect.form for effect in ACTIONS if effect.form is not None}
# Groups of which a memory meets one action alone in a phase.
CONTESTED = tuple(dict.fromkeys(effect.group for effect in ACTIONS if effect.stage is Stage.SAFEST))
# What a forecast lists, from the gravest.
FORETOLD = tuple(sorted((effect for effect in ACTIONS if effect.sign), key=lambda effect: -effect.rank))
_FLAGS = "flag/"
# Of whose text no summary could be made: the one by rules, the other by a writer, too.
NO_SHORTER, NO_SUMMARY = f"{_FLAGS}no-shorter", f"{_FLAGS}no-summary"
# What comes with a summary, which no plan holds.
_OF_SUMMARY = frozenset({"summary", "short_tokens", "short_words"})
# What a cycle may change; the same columns make a plan.
CHANGEABLE = _OF_SUMMARY.union(*(effect.columns for effect in ACTIONS))
# What follows from the tags that a merge unites; no rule leads there, and no plan says so.
_BY_TAGS = frozenset({"decay"})
# Any cycle may have to look at these, whatever its policy does.
STANDING_COLUMNS = frozenset().union(*(effect.columns for effect in ACTIONS if effect.group == "status"))
DESTROYED = tuple(effect.sets["status"] for effect in ACTIONS if effect.destroys and "status" in effect.sets)

# Another text is believed as far as who wrote it, and shown whole.
_CONTENT = ("text", *TEXT_COLUMNS, "vector", "trust", "form", "summary")
# The decay class follows from category and tags: whatever sets those sets it.
_SAID = (
    "category", "kind", "state", "severity", "lifecycle", "verification", "policy_class", "attributes", "confidence",
    "importance", "decay",
)  # fmt: skip
# Who says again how sure a text is says it of now.
_RESTATED = frozenset({"confidence"})
_VALID = ("valid_from", "valid_to")

# The verbs, in the order in which a memory meets them; where a verb does two things, one row for each.
_VERBS: tuple[Effect, ...] = (
    Effect("learn", row="appears"),
    Effect("import", row="appears"),
    Effect("copy", row="appears"),
    Effect(
        "repeat",
        {
            "confirmations": DynamicValue.ONE_MORE,
            **dict.fromkeys(
                ("confidence", "importance", "decay", "valid_to", "verification", "said_again_at"),
                DynamicValue.GIVEN,
            ),
        },
        restates=_RESTATED,
        under=("learn", "import", "correct", "consolidate"),
    ),
    Effect(
        "consolidate",
        {
            "status": Status.ACTIVE,
            **dict.fromkeys(("alignment", "confidence", "vector"), DynamicValue.GIVEN),
        },
    ),
    # Of reflections that one text sums up.
    Effect("draw together", {"state": DynamicValue.GIVEN}, under=("consolidate",), back=("update",)),
    Effect(
        "update",
        dict.fromkeys((*_CONTENT, *_SAID, *_VALID), DynamicValue.GIVEN),
        back=("update",),
        restates=_RESTATED,
    ),
    Effect(
        "put",
        dict.fromkeys((*_CONTENT, *_SAID, *_VALID, "said_at", "said_offset", "key"), DynamicValue.GIVEN),
        back=("put",),
        under=("put", "update"),
        restates=_RESTATED,
    ),
    Effect("embed", {"vector": DynamicValue.GIVEN}),
    Effect("use", dict.fromkeys(("uses", "used_at", "use_days", "use_day"), DynamicValue.GIVEN)),
    Effect("rate", dict.fromkeys(("helped", "failed"), DynamicValue.GIVEN)),
    Effect("dispute", {"disputes": DynamicValue.ONE_MORE, "verification": Verification.DISPUTED}),
    # Of what is corrected: it was said to be wrong, also where it is brought back.
    Effect("correct", {"verification": Verification.DISPUTED}),
    Effect("pin", {"pinned": 1}, back=("unpin",)),
    Effect("unpin", {"pinned": 0}, back=("pin",)),
    Effect("hold", dict.fromkeys(("holds", "hold_until"), DynamicValue.GIVEN), back=("release",)),
    Effect("release", dict.fromkeys(("holds", "hold_until"), DynamicValue.GIVEN), back=("hold",)),
    Effect("tag", {"decay": DynamicValue.GIVEN}, table="tags", row="appears", back=("untag",)),
    Effect("untag", {"decay": DynamicValue.GIVEN}, table="tags", row="goes", back=("tag",)),
    Effect("link", table="links", row="appears", back=("unlink",)),
    Effect("unlink", table="links", row="goes", back=("link",)),
    Effect(
        "supersede",
        {"status": Status.SUPERSEDED, **_FALLS, "reason": Reason.SUPERSEDED, "valid_to": DynamicValue.GIVEN},
        back=("restore",),
        # Rules decide it where something is learned, a writer's verdict runs as `replace`.
        under=("supersede", "correct", "resolve", "learn", "put", "replace"),
    ),
    # What takes a memory's place takes over what protects it, and its name where it has none of its own.
    Effect(
        "take its place",
        dict.fromkeys(("pinned", "holds", "hold_until", "key"), DynamicValue.GIVEN),
        under=("supersede", "correct", "resolve", "replace"),
    ),
    # What a source says now has the key of what it said.
    Effect("take its key", {"key": DynamicValue.GIVEN}, under=("learn",)),
    Effect(
        "forget",
        {"status": Status.PRUNED, **_FALLS, "reason": Reason.FORGOTTEN},
        guarded="prune",
        back=("restore",),
    ),
    # Of all memories of a scope.
    Effect(
        "drop",
        {"status": Status.PRUNED, **_FALLS, "reason": Reason.FORGOTTEN},
        guarded="prune",
        back=("restore",),
    ),
    # An entity that is taken in by another; what that one learns is an update of it.
    Effect(
        "join",
        {"status": Status.SUPERSEDED, **_FALLS, "reason": Reason.MERGED},
        back=("restore",),
        under=("merge",),
    ),
    Effect(
        "rename",
        dict.fromkeys(("attributes", "trust"), DynamicValue.GIVEN),
        under=("merge", "entities.split", "entities.alias"),
    ),
    # By a person, who has read it.
    Effect("accept", {"status": Status.INBOX, "tier": Tier.HOT, "reason": None}),
    Effect("lift", table="forbidden", row="goes"),
    Effect("restore", {**_RETURNS, **_WHOLE}),
    # Of what stands.
    Effect("restore its text", _WHOLE, under=("restore",)),
    # What was in quarantine when it fell comes back there.
    Effect(
        "restore to quarantine",
        {**_RETURNS, **_WHOLE, "status": Status.QUARANTINED, "reason": Reason.INSTRUCTIONS},
        under=("restore",),
    ),
    Effect("confirm", {**_CONFIRMED, "valid_to": DynamicValue.GIVEN}),
    Effect("confirm archived", {**_RETURNS, **_CONFIRMED}, under=("confirm",)),
)
VERBS: Mapping[str, Effect] = {effect.name: effect for effect in _VERBS}
# What the audit calls the runs of plans.
CURATE = "curate"
# And the run that opening a file of an older version makes.
UPGRADE = "upgrade"


def owned_by(verb: str) -> frozenset[str]:
    """Return the columns of a memory that the runs of a verb may change, as the audit calls it."""
    if verb == CURATE:
        return CHANGEABLE | _BY_TAGS
    if verb == "undo":
        return frozenset(COLUMN)
    rows = (effect for effect in _VERBS if verb in (effect.under or (effect.name,)))
    return frozenset().union(*(effect.columns for effect in rows))


# What a person types for an act that the audit calls otherwise.
_OFF = {"unpin": "pin", "untag": "tag", "release": "hold", "unlink": "link"}
_TYPED = {"confirm": "rate right"} | {act: f"{verb} --off" for act, verb in _OFF.items()}


def ways_back(verb: str, acts: Iterable[str]) -> tuple[str, ...]:
    """Return the commands that take back, memory by memory, the run of a verb, or of a plan's actions."""
    rows = [effect for effect in ACTIONS if effect.name in acts] if verb == CURATE else []
    rows += [VERBS[verb]] if verb in VERBS else []
    return tuple(dict.fromkeys(_TYPED.get(name, name) for row in rows for name in row.back if name != verb))


def describe_blocks(blocks: tuple[str, ...]) -> str:
    """Say in words what a guard blocks."""
    return f"never {', '.join(dict.fromkeys(_BLOCK_WORDS.get(one, one) for one in blocks))}"


@cache
def action(name: str) -> Effect:
    """Return what an action does, by its name in plans; of transitions the one of the lifecycle."""
    return next(effect for effect in ACTIONS if effect.name == name)


@cache
def list_rule_actions(word: str, phase: str) -> tuple[Effect, ...]:
    """Return what a rule in a phase can mean by a word: several where it names the column, too."""
    return tuple(effect for effect in ACTIONS if effect.word == word and phase in effect.phases)


def flag_tag(name: str | None) -> str:
    """Return the tag that a flag is kept as."""
    return f"{_FLAGS}{name}"


def is_flag(tag: str) -> bool:
    """Tell whether a tag is a flag, which rules set and take off."""
    return tag.startswith(_FLAGS)
