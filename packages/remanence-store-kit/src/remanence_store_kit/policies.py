"""Policies for property tests: random guards and rules of every action, phase and window, as TOML.

As in `worlds`, a rule is one draw of bytes, each an index into the choices for one of its parts.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from remanence.curate.policy.rules import ACTIONS

CONDITIONS = (
    "True",
    "True",
    "status == 'active'",
    "status in ('archived', 'superseded', 'pruned')",
    "status == 'archived' or status == 'active'",
    "tier == 'hot'",
    "tier != 'hot'",
    "tier in ('warm', 'cold')",
    "category == 'task'",
    "category in ('fact', 'belief')",
    "state == 'completed'",
    "missing(state)",
    "kind == 'episodic'",
    "severity >= 'high'",
    "lifecycle == 'stale'",
    "role == 'assistant'",
    "agent == 'ann'",
    "pinned",
    "declared(category)",
    "tagged('self/*')",
    "tagged('keep')",
    "known(hold_until)",
    "idle > days(7)",
    "idle > days(30)",
    "age() >= days(1)",
    "age(state_at, learned_at) > days(14)",
    "valid_to < now",
    "used_at > status_at",
    "confidence < 0.5",
    "importance < 0.5",
    "verification == 'disputed'",
    "policy_class != 'protected'",
    "age(text_at) > days(14)",
    "age(confidence_at) >= days(30)",
    "feedback() < 0",
    "coalesce(confidence, 1) >= 0.75",
    "value >= 0.25",
    "tokens > 20",
    "uses(7) >= 2",
    "uses < 3",
    "confirmations > disputes",
    "reinforced == 0",
    "recency(hours(48)) < 0.5",
    "recency() < 0.1",
    "degree < 1",
    "weighted_degree > 0.5",
    "linked('supports')",
    "linked('*', category='task', state='pending')",
    "linked('contradicts', direction='in')",
    "linked('supersedes', status='superseded', direction='out')",
    "status == 'superseded' and dangling",
    "load_bearing",
    "posterior < 0.5",
    "helped > failed",
    "alignment >= 0.5",
    "form == 'full'",
    "shown_tokens > 12",
)
UNCHANGING = ("True", "category == 'task'", "kind == 'episodic'", "role == 'assistant'", "age() >= days(1)")
LINK_CONDITIONS = (
    "True",
    "True",
    "True",
    "True",
    "weight < 0.3",
    "decayed_weight < 0.1",
    "confidence < 0.6",
    "relation == 'similar'",
    "relation in ('co_occurs', 'supports')",
    "age(last_at) > days(30)",
    "both(status == 'active')",
    "either(category == 'task')",
    "both(idle > days(7))",
)
ORDERS = (
    "seq desc",
    "seq asc",
    "last_used desc",
    "last_used desc, seq desc",
    "value desc, confidence desc",
    "tokens asc",
    "shown_words desc",
    "used_value / (shown_words + 5) desc",
    "recency(hours(48)) desc, uses desc",
    "degree desc",
    "score('self') desc, reinforced asc",
)
_CLOCKS = ("wall", "wall", "active", "turns")
_DRAWN: Mapping[str, Sequence[str]] = {
    "archive": ("expire", "keep-recent", "lifecycle", "value", "tiers", "budgets"),
    "prune": ("expire", "keep-recent", "lifecycle", "value"),
    "move": ("keep-recent", "value", "tiers", "budgets"),
    "transition": ("expire", "lifecycle", "value"),
    "merge": ("deduplicate",),
    "shrink": ("keep-recent", "lifecycle", "value", "tiers", "budgets"),
    "unlink": ("links",),
    "purge": ("purge",),
    "reinforce": ("reinforce",),
    "improve": ("value",),
    "flag": ("expire", "tiers", "shrink"),
    "unflag": ("expire", "shrink"),
}
# An action that is new is drawn wherever it may stand.
_PLACES = {**_DRAWN, **{word: phases for word, phases in ACTIONS.items() if word not in _DRAWN}}
_LADDERS: Sequence[Mapping[str, Any]] = (
    {"keep": {"words": 20}, "ladder": ["shrink", "archive"]},
    {"keep": {"tokens": 40, "down_to": 0.7}, "ladder": ["shrink", "archive"]},
    {"keep": {"words": 6}, "ladder": ["shrink", "archive"], "oversize": "keep"},
    {"keep": {"tokens": 30}, "ladder": ["shrink"]},
    {"keep": {"rows": 3}, "ladder": ["shrink", "archive"]},
)
_ACTIONS = (*_PLACES, "archive", "move", "merge", "merge", "purge", "prune", "unlink")
_WINDOWS: Sequence[Mapping[str, Any]] = (
    {},
    {},
    {"keep": {"rows": 2}},
    {"keep": {"tokens": 50}},
    {"keep": {"share": 0.5}},
    {"keep": {"rows": 0}},
    {"keep": {"rows": 3, "down_to": 0.5}},
    {"keep": {"tokens": 40, "down_to": 0.9}, "oversize": "keep"},
    {"keep": {"words": 12}},
    {"top": 2},
    {"top": 1},
)
_PERIODS = ("40 hours", "1 day")
_PARTITIONS: Sequence[Sequence[str]] = (["scope"], ["kind"], ["scope", "agent"], ["category", "tier"])
_RULE_BYTES = 12
_CHAIN_BYTES = 4
_GUARD_BYTES = 5


@dataclass(frozen=True)
class PolicyTables:
    """A policy before it is written down: its guards and rules as tables."""

    guards: tuple[Mapping[str, Any], ...]
    rules: tuple[Mapping[str, Any], ...]

    def toml(self) -> str:
        """Write the policy."""
        lines = ["version = 1", 'name = "drawn"']
        for what, tables in (("guard", self.guards), ("rule", self.rules)):
            for table in tables:
                lines += [f"[[{what}]]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
        return "\n".join(lines) + "\n"

    def shuffle_rules(self, seed: int) -> "PolicyTables":
        """Return the same guards and rules in another order."""
        order = random.Random(seed)
        return PolicyTables(
            tuple(order.sample(self.guards, len(self.guards))),
            tuple(order.sample(self.rules, len(self.rules))),
        )

    def set_clock(self, clock: str) -> "PolicyTables":
        """Return the same guards and rules, all on one clock."""
        return PolicyTables(
            tuple(_set_table_clock(clock, guard) for guard in self.guards),
            tuple(_set_table_clock(clock, rule) for rule in self.rules),
        )

    def without_guards(self) -> "PolicyTables":
        """Return the rules alone: what is protected then, the engine protects whatever a policy says."""
        return replace(self, guards=())


@st.composite
def policies(draw: st.DrawFn, rules_max: int = 6) -> PolicyTables:
    """Draw a policy of at least one rule."""
    guards = draw(st.lists(st.binary(min_size=_GUARD_BYTES, max_size=_GUARD_BYTES), max_size=2))
    count = draw(st.integers(1, rules_max))
    rules = draw(
        st.lists(st.binary(min_size=_RULE_BYTES, max_size=_RULE_BYTES), min_size=count, max_size=count)
    )
    chain = draw(st.binary(max_size=_CHAIN_BYTES))
    return PolicyTables(
        tuple(guard(f"g{number}", raw) for number, raw in enumerate(guards)),
        tuple(rule(f"r{number}", raw) for number, raw in enumerate(rules)) + _chain(chain),
    )


def _chain(drawn: bytes) -> tuple[dict[str, Any], ...]:
    """Make of some draws rules that flag a memory, make a tombstone of it and purge it in one run."""
    if len(drawn) < _CHAIN_BYTES:
        return ()
    places = {"flag": "expire", "prune": _pick(_PLACES["prune"], drawn[3]), "purge": "purge"}
    return tuple(
        {
            "name": f"chain-{do}",
            "every": "deep",
            "phase": phase,
            "do": do,
            "where": "True" if do == "purge" else _pick_condition(drawn, CONDITIONS),
            **_details(do, drawn[0], 0),
        }
        for do, phase in places.items()
    )


def guard(name: str, drawn: bytes) -> dict[str, Any]:
    """Turn drawn bytes into a guard."""
    table = {
        "name": name,
        "where": _pick_condition(drawn[:3], CONDITIONS),
        "blocks": ("archive", "prune", "move", "shrink")[drawn[3] % 4],
    }
    return _set_table_clock(_pick(_CLOCKS, drawn[4]), table)


def rule(name: str, drawn: bytes) -> dict[str, Any]:
    """Turn drawn bytes into a rule whose parts fit one another."""
    do = _pick(_ACTIONS, drawn[0])
    if do == "shrink" and drawn[7] % 2:
        return _ladder(name, drawn)
    table: dict[str, Any] = {
        "name": name,
        "every": _pick(("rapid", "standard", "hourly", "deep"), drawn[1]),
        "phase": _pick(_PLACES[do], drawn[2]),
        "do": do,
        "where": _pick_condition(drawn[3:6], LINK_CONDITIONS if do in {"unlink", "merge"} else CONDITIONS),
    }
    table |= _details(do, drawn[6], drawn[7])
    if do not in {"unlink", "merge"}:
        window = _pick(_WINDOWS, drawn[8])
        table |= window
        if "share" in window.get("keep", ()):
            # A share of what rules themselves change or destroy is refused.
            table |= {"where": _pick(UNCHANGING, drawn[3])}
            if do in {"prune", "purge", "supersede"}:
                table |= {"keep": {"rows": 1}}
        if window:
            table |= {"order": _pick(ORDERS, drawn[9]), "per": _pick(_PARTITIONS, drawn[10])}
        if "top" in window and do not in {"flag", "unflag"}:
            # What changes its own sight, condition or order acts once in a while, or is refused.
            table |= {"period": _pick(_PERIODS, drawn[6])}
    return _set_table_clock(_pick(_CLOCKS, drawn[11]), table)


def _ladder(name: str, drawn: bytes) -> dict[str, Any]:
    """Turn drawn bytes into a budget that does the milder thing first."""
    table = {
        "name": name,
        "every": "hourly",
        "phase": "budgets",
        "where": _pick_condition(drawn[3:6], CONDITIONS),
        **_pick(_LADDERS, drawn[8]),
        "order": _pick(ORDERS, drawn[9]),
        "per": _pick(_PARTITIONS, drawn[10]),
    }
    return _set_table_clock(_pick(_CLOCKS, drawn[11]), table)


def _set_table_clock(clock: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Put a guard or a rule on a clock; on that of turns all its durations are turns, on others none is."""
    unit, other = (r"\b(days|hours)\(", "turns(") if clock == "turns" else (r"\bturns\(", "hours(")
    texts = {key: re.sub(unit, other, table[key]) for key in ("where", "order", "survivor") if key in table}
    period = str(table.get("period", ""))
    if (clock == "turns") != period.endswith("turns") and period:
        texts["period"] = "40 turns" if clock == "turns" else "40 hours"
    return {**table, **texts, "clock": clock}


def _details(do: str, drawn: int, more: int) -> dict[str, Any]:
    match do:
        case "move":
            return {"to": _pick(("hot", "warm", "cold"), drawn)}
        case "transition" if more % 2:
            return {"to": _pick(("completed", "retired", "read"), drawn), "column": "state"}
        case "transition":
            return {"to": _pick(("validated", "active", "stale"), drawn)}
        case "unlink":
            return {"over": "links"}
        case "merge":
            return {"over": "pairs", "min": _pick((0.0, 0.5, 0.75), drawn), "survivor": _pick(ORDERS, more)}
        case "flag" | "unflag":
            return {"to": _pick(("look", "again"), drawn)}
        case "reinforce":
            return {"period": _pick(_PERIODS, drawn)}
        case _:
            return {}


def _pick_condition(drawn: bytes, conditions: Sequence[str]) -> str:
    first, second = _pick(conditions, drawn[0]), _pick(conditions, drawn[1])
    return str(
        _pick(
            (first, first, f"({first}) and ({second})", f"({first}) or ({second})", f"not ({first})"),
            drawn[2],
        )
    )


def _pick(choices: Sequence[Any], drawn: int) -> Any:
    return choices[drawn % len(choices)]


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)
