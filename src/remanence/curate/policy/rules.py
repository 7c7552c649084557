"""What one guard and one rule say: their keys, checked and compiled.

Knows the phases and which action may stand in which; knows nothing of how a plan is made.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.core.effects import ACTIONS as EFFECTS
from remanence.core.effects import (
    BLOCKABLE,
    BLOCKS,
    FLAG,
    TAKE_IN,
    Effect,
    action,
    flag_tag,
    list_rule_actions,
)
from remanence.core.errors import suggest
from remanence.core.half_characters import mend_text
from remanence.core.model import COLUMN, Label, Reason, Tier
from remanence.core.snapshot import means
from remanence.core.timescale import CLOCKS, TURN, ClockName
from remanence.curate.language.expression import (
    NUMBER_MAX,
    Over,
    PolicyNames,
    SourcePosition,
    condition,
    ordering,
)
from remanence.curate.language.view import LINKS, Node
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.policy.document import Table

# The order is the engine's, not a policy's: another one let a second run undo the first (law 6).
PHASES = (
    "expire",
    "deduplicate",
    "keep-recent",
    "lifecycle",
    "value",
    "tiers",
    "budgets",
    "links",
    "shrink",
    "purge",
    "reinforce",
)
EVERY = {"rapid": 5 * MINUTE, "standard": 15 * MINUTE, "hourly": HOUR, "deep": 6 * HOUR}
# What rules may write, from the gravest to the most harmless, and in which phases.
ACTIONS: Mapping[str, tuple[str, ...]] = {
    effect.word: tuple(phase for phase in PHASES if list_rule_actions(effect.word, phase))
    for effect in EFFECTS
    if effect.phases
}
COUNT_MAX = 2**53  # what a float holds exactly
PERIOD_MAX = 1_000_000  # of whatever unit; longer than any memory lasts
GUARD_KEYS = ("name", "clock", "where", "blocks", "because")
RULE_KEYS = (
    "name",
    "clock",
    "every",
    "phase",
    "where",
    "over",
    "per",
    "order",
    "keep",
    "top",
    "do",
    "ladder",
    "to",
    "column",
    "min",
    "survivor",
    "oversize",
    "period",
    "reason",
    "because",
)
# What a budget may do in turn, from the mildest on: the next where those before are not enough.
LADDER = tuple(effect.name for effect in reversed(EFFECTS) if effect.is_laddered)
KEEPS = ("rows", "tokens", "words", "share")
OVERSIZES = ("keep", "move", "flag")
OVERS = {
    over: tuple(effect.word for effect in EFFECTS if effect.phases and effect.over == over)
    for over in ("memories", "links", "pairs")
}
_REASONS = {
    "expire": Reason.EXPIRED,
    "keep-recent": Reason.COMPACTED,
    "budgets": Reason.BUDGET,
}
_PERIOD = re.compile(r"^(\d+(?:\.\d+)?) (minutes?|hours?|days?|weeks?|turns?)$")
_FLAG = re.compile(r"[\w.-]{1,60}")
_UNITS = {"minute": MINUTE, "hour": HOUR, "day": DAY, "week": 7 * DAY, "turn": TURN}
# As a turn counts as an hour, the same number of hours has another name on each clock.
HOURS: Mapping[ClockName, str] = {"wall": "hours", "active": "active hours", "turns": "turns"}
_CHANGED_BY_RULES = frozenset(
    {"status", "tier", "reason", "lifecycle", "state", "form", "status_at", "tier_at", "state_at", LINKS}
)
_READS_THE_TIME = frozenset({"age", "now"})
_NAMES_TIER_ARCHIVE = re.compile(rf"tier in \[[^\]]*'{int(Tier.ARCHIVE)}'")


@dataclass(frozen=True, eq=False)
class Guard:
    """Which actions may not happen to the memories where its condition is not false."""

    name: str
    clock: ClockName
    where: str
    blocks: tuple[str, ...]
    because: str
    node: Node
    written: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Keep:
    """How much a rule lets stand in each partition: an amount of a unit.

    Once there is more, as much goes as makes it `down_to` of the amount. What alone is larger than the amount is passed
    over and does not count, but where `oversize` is "move".
    """

    unit: str
    amount: float
    down_to: float = 1.0
    oversize: str = "move"

    @property
    def is_budget(self) -> bool:
        """Tell whether it is a sum over the memories, not a number of them."""
        return self.unit in {"tokens", "words"}

    @property
    def passes_over(self) -> bool:
        """Tell whether what is larger than all of it is left where it is."""
        return self.oversize != "move"

    def __str__(self) -> str:
        down = f", down to {self.down_to:.0%}" if self.down_to < 1 else ""
        larger = " but what is larger than that" if self.passes_over else ""
        return f"{self.amount:g} {self.unit}{down}{larger}"


@dataclass(frozen=True, eq=False)
class Rule:
    """What is done to the memories (or links, or pairs) that its condition and window select.

    `keep` selects what lies beyond in each partition (a rung of a ladder what is left of that to do), `top` what lies
    within. Of a pair the one survives that is first by `survivor`, and of equals the older. `period` is in microseconds
    of its clock, on which its condition and order see all times too; None where it acts in each run.
    """

    name: str
    clock: ClockName
    every: str
    phase: str
    do: str
    node: Node
    where: str
    over: str
    per: tuple[str, ...]
    order: tuple[tuple[Node, bool], ...]
    keep: Keep | None
    top: int | None
    to: str | None
    column: str
    pair_min: float
    survivor: tuple[tuple[Node, bool], ...]
    period: int | None
    reason: Reason
    because: str
    written: Mapping[str, Any]
    place: SourcePosition
    ladder: tuple[str, ...] = ()  # of which it is one rung

    @cached_property
    def effect(self) -> Effect:
        """What its action does to the memories it acts on; in phase `shrink` that makes summaries."""
        return _choose_action(self.do, self.phase, self.column)

    @cached_property
    def changes(self) -> frozenset[str]:
        """Columns that it may change."""
        return self.effect.columns | (TAKE_IN.columns if self.effect.unites else frozenset())

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All expressions of the rule."""
        return (self.node, *(key for key, _ in (*self.order, *self.survivor)))

    @cached_property
    def needs(self) -> frozenset[str]:
        """Columns that it reads besides its expressions."""
        keep = self.keep
        unit = {"form", keep.unit, f"short_{keep.unit}"} if keep is not None and keep.is_budget else set()
        lengths = {"words", "short_words"} if self.shortening is not None else set()
        said = {"said_at"} if self.effect.unites else set()  # the survivor was said last when the later was
        return frozenset(unit | set(self.per) | lengths | said)

    @cached_property
    def tag(self) -> str:
        """The tag that it gives or takes away; "" where it does neither."""
        return flag_tag(self.to) if self.effect.table == "tags" else ""

    @cached_property
    def target(self) -> Label | None:
        """The tier or lifecycle that it leads to; None for a state, which is a name, and where there is none."""
        return next((label for label in self.effect.targets if label.label == self.to), None)

    @cached_property
    def last_effect(self) -> Effect:
        """What the last rung of its ladder does; without one, what it does itself."""
        return action(self.ladder[-1]) if self.ladder else self.effect

    @cached_property
    def shortening(self) -> Effect | None:
        """What it, or a rung of its ladder, does that makes memories shorter; None where nothing does."""
        rungs = (self.effect, *map(action, self.ladder))
        return next((effect for effect in rungs if effect.form is not None), None)

    @property
    def names_column(self) -> bool:
        """Tell whether its action can be done to several columns, of which it names one."""
        return len(list_rule_actions(self.do, self.phase)) > 1

    @property
    def has_window(self) -> bool:
        """Tell whether what it selects depends on other memories' places."""
        return self.keep is not None or self.top is not None

    @cached_property
    def sees_all(self) -> bool:
        """Tell whether it looks beyond what is in sight, because it names the status or sums up what is archived."""
        return "status" in self.node.mentions or self.effect.needs_text

    @property
    def destroys(self) -> bool:
        """Tell whether its action counts against the brake."""
        return self.effect.destroys

    @cached_property
    def expires_by_age(self) -> bool:
        """Tell whether it deletes what has become too old, one memory whatever the others are."""
        return self.phase == "expire" and self.destroys and not self.has_window and self._reads_the_time

    @property
    def _reads_the_time(self) -> bool:
        return not _READS_THE_TIME.isdisjoint(self.node.mentions)

    def describe(self) -> str:
        """Say what it does, in one line."""
        target = (
            f" {self.column if self.names_column else ''} to {self.to}".replace("  ", " ") if self.to else ""
        )
        window = ""
        if self.keep is not None:
            window = f" beyond {self.keep}"
            before = self.ladder[: self.ladder.index(self.do)] if self.ladder else ()
            window += f" where to {' and '.join(before)} is not enough" if before else ""
        elif self.top is not None:
            window = f" the first {self.top}"
        per = f" per {', '.join(self.per)}" if self.per else ""
        over = "" if self.over == "memories" else f" {self.over}"
        clock = "" if self.clock == "wall" else f" on the {self.clock} clock"
        period = f" once in {self.period / HOUR:g} {HOURS[self.clock]}" if self.period is not None else ""
        return f"{self.do}{over}{target}{window}{per}{period} where {self.where}{clock}"


def _choose_action(do: str, phase: str, column: str) -> Effect:
    """Return what a rule means by a word in a phase; the column counts where it can be done to several."""
    able = list_rule_actions(do, phase)
    return next(effect for effect in able if len(able) == 1 or effect.group == column)


def compile_guard(table: Table, names: PolicyNames, default: ClockName) -> Guard:
    """Compile a guard, on the policy's clock where it names none, or raise PolicyError."""
    where, on = text(table, "where"), clock(table, default)
    return Guard(
        name=text(table, "name"),
        clock=on,
        where=where,
        blocks=_read_blocks(table),
        because=_read_optional_text(table, "because"),
        node=condition(where, vocabulary("memories"), names, table.find_position("where"), clock=on),
        written=dict(table.values),
    )


def _read_blocks(table: Table) -> tuple[str, ...]:
    """Read what a guard blocks: a list of actions, or a word for one and all that is worse."""
    value = table.values.get("blocks", "archive")
    if not isinstance(value, list | tuple):
        return BLOCKS[_read_choice(table, "blocks", tuple(BLOCKS), "archive")]
    actions = texts(table, "blocks")
    for name in actions:
        if name not in BLOCKABLE:
            raise table.error("blocks", f"a guard cannot block {name!r}", suggest(name, BLOCKABLE))
    if not actions:
        raise table.error("blocks", "blocks nothing", 'write blocks = ["move"], or leave the guard out')
    return tuple(name for name in BLOCKABLE if name in actions)


def compile_rule(table: Table, names: PolicyNames, default: ClockName) -> Rule:
    """Compile a rule, on the policy's clock where it names none, or raise PolicyError."""
    phase, do, over = _parse_placement(table)
    words: Over = "memories" if over == "memories" else "links"
    where, on = text(table, "where"), clock(table, default)
    order = text(table, "order") if "order" in table.values else "seq desc"
    column = _read_choice(table, "column", ("lifecycle", "state"), "lifecycle")
    rule = Rule(
        name=text(table, "name"),
        clock=on,
        every=_read_choice(table, "every", tuple(EVERY)),
        phase=phase,
        do=do,
        node=condition(where, vocabulary(words), names, table.find_position("where"), words, on),
        where=where,
        over=over,
        per=_read_partition(table),
        order=ordering(order, vocabulary("memories"), names, table.find_position("order"), on),
        keep=_read_keep(table),
        top=count(table, "top") if "top" in table.values else None,
        to=text(table, "to") if "to" in table.values else None,
        column=column,
        pair_min=_read_fraction(table, "min", 1.0),
        survivor=_read_survivor(table, over, names, on),
        period=_read_period(table, _choose_action(do, phase, column), on),
        reason=_read_reason(table, phase),
        because=_read_optional_text(table, "because"),
        written=dict(table.values),
        place=table.place,
        ladder=texts(table, "ladder") if "ladder" in table.values else (),
    )
    _check_target(rule, table, names)
    _check_window(rule, table)
    return rule


def rungs(table: Table) -> list[Table]:
    """Return the rules that a rule with a ladder stands for, one a rung; a rule without one stands for itself."""
    if "ladder" not in table.values:
        return [table]
    ladder = texts(table, "ladder")
    for name in ladder:
        if name not in LADDER:
            raise table.error("ladder", f"{name!r} is no rung of a ladder", suggest(name, LADDER))
    if not ladder or [name for name in LADDER if name in ladder] != list(ladder):
        raise table.error(
            "ladder", "lists rungs from the mildest on, each once", f"write ladder = {list(LADDER)}"
        )
    for key in ("do", "to", "period", "over"):
        if key in table.values:
            raise table.error(key, f"{key!r} does not go with a ladder", "leave it out")
    if "keep" not in table.values or table.values.get("phase") != "budgets":
        raise table.error(
            "ladder", "a ladder is a budget's", 'write phase = "budgets" and keep = { tokens = 100000 }'
        )
    name = text(table, "name")
    return [
        Table({**table.values, "name": f"{name}/{rung}", "do": rung}, table.place, table.places)
        for rung in ladder
    ]


def build_flag_rule(rule: Rule) -> Table | None:
    """Return the rule that flags what another one passes over because it is larger than all that may stand."""
    keep = rule.keep
    if keep is None or keep.oversize != "flag" or rule.effect is not rule.last_effect:
        return None
    name = rule.name.removesuffix(f"/{rule.do}") if rule.ladder else rule.name
    values = {
        "name": f"{name}/oversize",
        "clock": rule.clock,
        "every": rule.every,
        "phase": rule.phase if rule.phase in ACTIONS[FLAG.word] else "budgets",
        "where": f"({rule.where}) and shown_{keep.unit} > {keep.amount:.0f}",
        "do": FLAG.word,
        "to": "oversize",
        "because": f"it alone is larger than all that {name} lets stand",
    }
    return Table(values, rule.place)


def _parse_placement(table: Table) -> tuple[str, str, str]:
    """Read phase, action and what the rule is over, which must fit together."""
    phase = _read_choice(table, "phase", PHASES)
    do = _read_choice(table, "do", tuple(ACTIONS))
    over = _read_choice(table, "over", tuple(OVERS), "memories")
    if phase not in ACTIONS[do]:
        raise table.error(
            "do", f"{do!r} is not done in phase {phase!r}", f"put it in phase {' or '.join(ACTIONS[do])}"
        )
    if do not in OVERS[over]:
        right = next(name for name, actions in OVERS.items() if do in actions)
        raise table.error(
            "over" if "over" in table.values else "do",
            f"{do!r} is not done over {over}",
            f'write over = "{right}"',
        )
    return phase, do, over


def _check_target(rule: Rule, table: Table, names: PolicyNames) -> None:
    """Refuse a missing, superfluous or unknown `to` and `column`."""
    leads, is_flag = _list_targets(rule, names), rule.effect.table == "tags"
    if not (leads or is_flag or rule.effect.known_by == "state"):
        if rule.to is not None:
            raise table.error("to", f"{rule.do!r} has no target", "leave `to` out")
    elif rule.to is None:
        raise table.place.error(f"rule {rule.name!r} does not say where to {rule.do}", "add to = …")
    elif not is_flag and rule.to not in leads:
        way = "use do = 'archive'" if rule.to in {"archive", "archived"} else suggest(rule.to, leads)
        raise table.error("to", f"cannot {rule.do} to {rule.to!r}", way)
    elif is_flag and not _FLAG.fullmatch(rule.to):
        raise table.error(
            "to", f"{rule.to!r} cannot be a flag", "use letters, digits, - and _; it becomes the tag flag/…"
        )
    if "column" in table.values and not rule.names_column:
        raise table.error("column", "only a transition names a column", "leave it out")


def _list_targets(rule: Rule, names: PolicyNames) -> list[str]:
    """List what a rule may lead to by name; flags, which may be called anything, are not listed."""
    if rule.effect.known_by == "state":
        return sorted({state for states in names.states.values() for state in states})
    return [item.label for item in rule.effect.targets]


def _check_window(rule: Rule, table: Table) -> None:
    """Refuse windows that contradict themselves, and keys that would do nothing."""
    if rule.keep is not None and rule.top is not None:
        raise table.error(
            "top", "has both keep and top", "keep selects what lies beyond, top what lies within"
        )
    for key in ("per", "order"):
        if key in table.values and not rule.has_window:
            raise table.error(key, f"{key!r} does nothing without keep or top", "add keep = {…} or top = …")
    if rule.keep is not None and rule.keep.unit == "share" and rule.node.reads & _CHANGED_BY_RULES:
        raise table.error(
            "keep",
            "a share of what rules themselves change would shrink with every run",
            "keep rows or tokens instead",
        )
    if rule.keep is not None and rule.keep.unit == "share" and rule.destroys:
        raise table.error(
            "keep",
            "a share of what the rule itself destroys would shrink with every run",
            "archive instead, or keep rows",
        )
    if rule.over != "memories" and rule.has_window:
        raise table.error(
            "keep" if rule.keep else "top", f"a rule over {rule.over} has no window", "leave it out"
        )
    for key, what in (("min", "a least confidence"), ("survivor", "a survivor")):
        if key in table.values and rule.over != "pairs":
            raise table.error(key, f"only a rule over pairs has {what}", "leave it out")
    if "oversize" in table.values and (rule.keep is None or not rule.keep.is_budget):
        raise table.error(
            "oversize", "only tokens and words have room for too little", "add keep = { tokens = 1600 }"
        )
    if rule.over == "pairs" and "min" not in table.values:
        raise table.place.error(f"rule {rule.name!r} does not say how sure a pair must be", "add min = 0.97")
    if "period" in table.values and not rule.effect.has_period and rule.top is None:
        raise table.error("period", "only reinforce and top have a period", "leave it out")
    if rule.top is not None and rule.period is None and _is_self_affecting(rule):
        raise table.error(
            "top",
            f"{rule.do!r} changes what this rule looks at, so that the first {rule.top} are others each time",
            f'let it act once in a while: add period = "{_give_example(rule.clock)}"',
        )
    if rule.effect.needs_text and (rule.top is None or rule.period is None):
        raise table.place.error(
            f"rule {rule.name!r} does not say how many summaries it makes how often",
            f'add top = 10 and period = "{_give_example(rule.clock)}"',
        )
    if "reason" in table.values and not rule.effect.takes_reason:
        raise table.error("reason", "only archive and prune have a reason", "leave it out")
    if _NAMES_TIER_ARCHIVE.search(rule.node.text) and not rule.sees_all:
        raise table.error(
            "where",
            "looks at active and inbox memories only, none of which is in the archive",
            "add: status == 'archived'",
        )


def _is_self_affecting(rule: Rule) -> bool:
    """Tell whether a rule's action changes what its own condition, order, partitions or sight read."""
    reads = {"status", *rule.per}.union(*(node.reads for node in rule.nodes))
    if rule.tag:
        return any(means(name.removeprefix("tag:"), rule.tag) for name in reads if "tag:" in name)
    return rule.effect.removes or bool(rule.changes & reads)


def _read_partition(table: Table) -> tuple[str, ...]:
    if "per" not in table.values:
        return ()
    columns = texts(table, "per")
    names = sorted(name for name, column in COLUMN.items() if column.kind in {"name", "enum"})
    for column in columns:
        if column != "scope" and column not in names:
            raise table.error(
                "per", f"cannot keep or take a number per {column!r}", suggest(column, ["scope", *names])
            )
    # A plan is made in one scope, so that parting by it says what is so anyway.
    return tuple(column for column in columns if column != "scope")


def _read_survivor(
    table: Table, over: str, names: PolicyNames, on: ClockName
) -> tuple[tuple[Node, bool], ...]:
    """Read which of a pair survives; the more valuable where nothing is said."""
    if over != "pairs" and "survivor" not in table.values:
        return ()
    order = text(table, "survivor") if "survivor" in table.values else "value desc"
    return ordering(order, vocabulary("memories"), names, table.find_position("survivor"), on)


def _read_keep(table: Table) -> Keep | None:
    if "keep" not in table.values:
        return None
    value = table.values["keep"]
    units = [key for key in value if key != "down_to"] if isinstance(value, Mapping) else []
    if len(units) != 1:
        raise table.error(
            "keep", "keep is one of rows, tokens, words or share", "write keep = { rows = 200 }"
        )
    (unit,) = units
    if unit not in KEEPS:
        raise table.error("keep", f"unknown unit {unit!r}", suggest(unit, (*KEEPS, "down_to")))
    return Keep(
        unit,
        _read_amount(table, unit, value[unit]),
        _down_to(table, unit, value),
        _read_choice(table, "oversize", OVERSIZES, "move"),
    )


def _read_amount(table: Table, unit: str, amount: Any) -> float:
    whole = unit != "share"
    fits = isinstance(amount, int if whole else int | float) and not isinstance(amount, bool)
    if not fits or not 0 <= amount <= COUNT_MAX:
        raise table.error(
            "keep",
            f"{unit} must be a number from 0 up",
            f"write keep = {{ {unit} = {200 if whole else 0.9} }}",
        )
    if unit == "share" and amount > 1:
        raise table.error("keep", "a share is between 0 and 1", "write keep = { share = 0.9 }")
    return float(amount)


def _down_to(table: Table, unit: str, value: Mapping[str, Any]) -> float:
    """Read how much is left once a limit is passed, as a share of it."""
    down_to = value.get("down_to", 1.0)
    is_number = isinstance(down_to, int | float) and not isinstance(down_to, bool)
    if not is_number or not 0 <= down_to <= 1:
        raise table.error(
            "keep",
            "down_to is a share of the amount, 0 to 1",
            f"write keep = {{ {unit} = 200, down_to = 0.9 }}",
        )
    if "down_to" in value and unit == "share":
        raise table.error("keep", "a share of all has no lower mark", "keep rows, tokens or words")
    return float(down_to)


def _read_reason(table: Table, phase: str) -> Reason:
    labels = [reason.label for reason in Reason]
    if "reason" in table.values:
        return Reason[_read_choice(table, "reason", labels).upper()]
    return _REASONS.get(phase, Reason.DECAYED)


def _read_period(table: Table, effect: Effect, on: ClockName) -> int | None:
    if "period" in table.values:
        return duration(table, "period", on)
    if not effect.has_period:
        return None
    if on == "turns":
        raise table.place.error(
            "does not say after how many turns it fires again", f'add period = "{_give_example(on)}"'
        )
    return EVERY[_read_choice(table, "every", tuple(EVERY))]


def duration(table: Table, key: str, on: ClockName) -> int:
    """Return a duration in words, in microseconds; only the turns clock counts turns, and it counts nothing else."""
    example = _give_example(on)
    match = _PERIOD.match(text(table, key))
    if match is None or not 0 < float(match[1]) <= PERIOD_MAX:
        raise table.error(key, "is not a period", f'write {key} = "{example}"')
    unit = match[2].removesuffix("s")
    if (unit == "turn") != (on == "turns"):
        raise table.error(key, f"the {on} clock does not count {unit}s", f'write {key} = "{example}"')
    return round(float(match[1]) * _UNITS[unit])


def _give_example(on: ClockName) -> str:
    return "200 turns" if on == "turns" else "40 hours"


def clock(table: Table, default: ClockName) -> ClockName:
    """Return the clock that a table names, or the one to take where it names none."""
    return next(name for name in CLOCKS if name == _read_choice(table, "clock", CLOCKS, default))


def text(table: Table, key: str) -> str:
    """Return a text that must be there."""
    value = _read_required(table, key)
    if not isinstance(value, str) or not value.strip():
        raise table.error(key, f"{key or 'it'} must be a text", f'write {key} = "…"')
    return mend_text(value)[0]


def _read_optional_text(table: Table, key: str) -> str:
    return text(table, key) if key in table.values else ""


def texts(table: Table, key: str) -> tuple[str, ...]:
    """Return a list of texts that must be there."""
    value = _read_required(table, key)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) and item for item in value):
        raise table.error(key, f"{key} must be a list of names", f'write {key} = ["…"]')
    return tuple(mend_text(item)[0] for item in value)


def count(table: Table, key: str) -> int:
    """Return a whole number from 0 up that must be there."""
    value = _read_required(table, key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= COUNT_MAX:
        raise table.error(key, f"{key} must be a whole number from 0 up", f"write {key} = 5")
    return value


def numbers_of(table: Table, key: str) -> dict[str, float]:
    """Return a mapping of names to numbers; none where it is not written."""
    values = table.values.get(key, {})
    if not isinstance(values, Mapping) or not all(map(_is_number, values.values())):
        raise table.error(key, f"{key} maps names to numbers", f"write {key} = {{ half_life = 30 }}")
    return {str(name): float(value) for name, value in values.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < NUMBER_MAX


def flag(table: Table, key: str) -> bool:
    """Return true or false; false where it is not written."""
    value = table.values.get(key, False)
    if not isinstance(value, bool):
        raise table.error(key, f"{key} must be true or false", f"write {key} = true")
    return value


def _read_fraction(table: Table, key: str, default: float) -> float:
    value = table.values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise table.error(key, f"{key} must be between 0 and 1", f"write {key} = 0.97")
    return float(value)


def _read_choice(table: Table, key: str, known: Sequence[str], default: str | None = None) -> str:
    if default is not None and key not in table.values:
        return default
    value = text(table, key)
    if value not in known:
        raise table.error(key, f"unknown {key} {value!r}", suggest(value, known))
    return value


def _read_required(table: Table, key: str) -> Any:
    if key not in table.values:
        name = table.values.get("name", "")
        raise table.place.error(f"{name!r} has no {key!r}" if name else f"has no {key!r}", f"add {key} = …")
    return table.values[key]
