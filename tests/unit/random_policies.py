"""Random policies and random worlds for the laws of the planner."""

import re
from random import Random
from typing import Any

import numpy as np

from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.core.model import SYMMETRIC, Relation
from tests.unit.scopes import NOW, LinkKey, Row, World, link, row

ATOMS = (
    "category == 'task'",
    "category in ('message', 'fact')",
    "state == 'completed'",
    "missing(state)",
    "kind == 'episodic'",
    "severity >= 'medium'",
    "idle > days(5)",
    "age(learned_at) > days(8)",
    "age(used_at) <= days(3)",
    "age(status_at) > hours(2)",
    "age(state_at, learned_at) > days(6)",
    "uses > 3",
    "uses(7) >= 2",
    "value < 0.5",
    "confidence * 2 <= 1",
    "recency() < 0.2",
    "recency(days(4)) > 0.4",
    "degree > 1",
    "weighted_degree < 0.5",
    "linked('supports')",
    "linked('*', category='task', direction='in')",
    "tier == 'hot'",
    "tier in ('warm', 'cold')",
    "tagged('self/*')",
    "tagged('flag/seen')",
    "lifecycle == 'stale'",
    "reinforced > 0",
    "confirmations >= 1",
    "status == 'archived'",
    "form == 'condensed'",
    "shown_words < 8",
    "status in ('superseded', 'active')",
    "reason == 'decayed'",
    "status == 'superseded' and dangling",
    "load_bearing",
    "posterior < 0.5",
    "helped > failed",
    "alignment >= 0.5",
)
# Guards read nothing that the policy itself changes: one that does may let a second run do more.
GUARD_ATOMS = tuple(
    atom
    for atom in ATOMS
    if not any(
        word in atom
        for word in (
            "tier",
            "degree",
            "linked",
            "lifecycle",
            "reinforced",
            "reason",
            "stat",
            "use",
            "idle",
            "form",
            "shown",
        )
    )
    and not any(word in atom for word in ("recency", "confirm", "flag", "status"))
)
ORDERS = (
    "seq desc",
    "last_used desc, seq desc",
    "value desc",
    "tokens asc",
    "used_value / (shown_words + 5) desc",
    "recency() desc, seq asc",
    "severity desc",
    "score('self') desc, reinforced asc",
)
CLOCKS = ("wall", "wall", "active", "turns")


def condition(random: Random, atoms: tuple[str, ...] = ATOMS) -> str:
    """Combine up to three atoms with and, or, not."""
    text = random.choice(atoms)
    for _ in range(random.choice([0, 0, 1, 2])):
        other = random.choice(atoms)
        text = f"({text} {random.choice(['and', 'or'])} {random.choice(['', '', 'not '])}({other}))"
    return text


RULES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("expire", "prune", {}),
    ("expire", "archive", {}),
    ("expire", "flag", {"to": "seen"}),
    ("expire", "unflag", {"to": "seen"}),
    ("tiers", "unflag", {"to": "seen"}),
    ("deduplicate", "archive", {}),
    ("keep-recent", "archive", {"keep": {"rows": 2}, "per": ["thread"]}),
    ("keep-recent", "archive", {"keep": {"share": 0.5}, "per": ["category"]}),
    ("lifecycle", "transition", {"to": "stale"}),
    ("lifecycle", "transition", {"to": "validated"}),
    ("lifecycle", "transition", {"to": "completed", "column": "state"}),
    ("value", "move", {"to": "cold"}),
    ("value", "prune", {}),
    ("tiers", "move", {"to": "hot"}),
    ("tiers", "move", {"to": "warm"}),
    ("tiers", "archive", {}),
    ("value", "shrink", {}),
    ("budgets", "shrink", {"keep": {"words": 30}}),
    ("budgets", "ladder", {"keep": {"words": 40}, "ladder": ["shrink", "archive"]}),
    (
        "budgets",
        "ladder",
        {"keep": {"tokens": 90, "down_to": 0.6}, "ladder": ["shrink", "archive"], "per": ["agent"]},
    ),
    ("budgets", "ladder", {"keep": {"rows": 4}, "ladder": ["shrink", "archive"]}),
    ("budgets", "ladder", {"keep": {"words": 20}, "ladder": ["archive"], "oversize": "flag"}),
    ("keep-recent", "shrink", {"keep": {"rows": 3}, "per": ["thread"]}),
    ("budgets", "move", {"to": "warm", "keep": {"tokens": 40}, "per": ["agent"]}),
    ("budgets", "move", {"to": "cold", "keep": {"tokens": 60}}),
    ("budgets", "archive", {"keep": {"words": 50}}),
    ("budgets", "move", {"to": "cold", "keep": {"tokens": 40, "down_to": 0.5}, "per": ["agent"]}),
    ("budgets", "archive", {"keep": {"words": 30, "down_to": 0.9}, "oversize": "keep"}),
    ("budgets", "move", {"to": "warm", "keep": {"tokens": 12}, "oversize": "flag"}),
    ("keep-recent", "archive", {"keep": {"rows": 4, "down_to": 0.6}}),
    ("reinforce", "reinforce", {"top": 2, "period": "40 hours"}),
    ("expire", "flag", {"to": "seen", "top": 2, "period": "40 hours"}),
    ("keep-recent", "archive", {"top": 1, "period": "40 hours"}),
    ("value", "prune", {"top": 1, "per": ["thread"], "period": "40 hours"}),
    ("value", "move", {"to": "cold", "top": 3, "period": "40 hours"}),
    ("lifecycle", "transition", {"to": "stale", "top": 2, "period": "40 hours"}),
    ("purge", "purge", {}),
    ("purge", "purge", {"top": 1, "period": "40 hours"}),
)


def policy(random: Random, guards: tuple[str, ...] = GUARD_ATOMS) -> list[str]:
    """Draw a policy as a list of TOML tables, which may be put in any order."""
    tables = []
    for index in range(random.choice([0, 0, 1, 2])):
        blocks = random.choice(["move", "shrink", "archive", "prune"])
        values = {"name": f"guard-{index}", "where": condition(random, guards), "blocks": blocks}
        tables.append(table("guard", on(random.choice(CLOCKS), values)))
    for index in range(random.randint(1, 7)):
        phase, do, more = random.choice(RULES)
        where = "True" if "keep" in more and random.random() < 0.5 else condition(random)
        if "share" in more.get("keep", ()):
            where = condition(random, GUARD_ATOMS)
        values = {"name": f"rule-{index}", "every": "deep", "phase": phase, "do": do, "where": where, **more}
        if do == "ladder":
            del values["do"]
        if "keep" in more or "top" in more:
            values["order"] = random.choice(ORDERS)
        tables.append(table("rule", on(random.choice(CLOCKS), values)))
    if random.random() < 0.5:
        over = {"name": "weak", "every": "deep", "phase": "links", "over": "links", "do": "unlink"}
        values = {**over, "where": random.choice(["decayed_weight < 0.3", "weight < 0.6"])}
        tables.append(table("rule", on(random.choice(CLOCKS), values)))
    if random.random() < 0.5:
        over = {"name": "twins", "every": "deep", "phase": "deduplicate", "over": "pairs", "do": "merge"}
        tables.append(
            table(
                "rule",
                {
                    **over,
                    "where": "both(not tagged('self/*'))",
                    "min": 0.9,
                    "survivor": random.choice(ORDERS),
                },
            )
        )
    return tables


def document(tables: list[str]) -> str:
    """Put tables together to a policy."""
    return "\n".join(["version = 1", *tables])


def on(clock: str, values: dict[str, Any]) -> dict[str, Any]:
    """Put a guard or a rule on a clock; on that of turns all its durations are turns."""
    if clock == "turns":
        values |= {
            key: re.sub(r"\b(days|hours)\(", "turns(", values[key])
            for key in ("where", "order")
            if key in values
        }
        values |= {"period": "40 turns"} if "period" in values else {}
    return values | {"clock": clock}


def table(kind: str, values: dict[str, Any]) -> str:
    """Write a guard or a rule down."""
    return "\n".join([f"[[{kind}]]", *(f"{key} = {_toml(value)}" for key, value in values.items())])


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def rows(random: Random) -> Row:
    """Draw one memory."""

    def maybe(*values: Any) -> Any:
        return random.choice([None, *values])

    learned = NOW - random.randint(0, 20) * DAY - random.choice([0, 1, 30 * 60 * 1_000_000, HOUR])
    status = random.choice(
        ["inbox", "active", "active", "active", "active", "superseded", "archived", "pruned"]
    )
    tokens, words = random.randint(0, 50), random.randint(0, 30)
    times = (learned, NOW - HOUR, NOW - HOUR + 1, NOW - 5 * DAY, NOW - 10 * DAY)
    return row(
        learned_at=learned,
        status=status,
        reason=None if status in {"inbox", "active"} else "decayed",
        tier=random.choice(["hot", "warm", "cold"]),
        lifecycle=random.choice(["candidate", "validated", "active", "stale"])
        if status != "archived"
        else "archived",
        category=maybe("task", "message", "fact", "identity", "unheard-of"),
        state=maybe("pending", "completed"),
        kind=maybe("semantic", "episodic"),
        severity=maybe("low", "high"),
        decay=random.choice(["durable", "standard", "ephemeral"]),
        agent=maybe("a", "b"),
        thread=maybe("s", "t"),
        used_at=maybe(*times),
        state_at=maybe(*times),
        tier_at=random.choice([*times, NOW]),
        status_at=random.choice(times),
        hold_until=maybe(NOW - 1, NOW, NOW - DAY, NOW + 1),
        pinned=random.choice([0, 0, 0, 0, 0, 1]),
        confidence=maybe(0.1, 0.5, 0.9),
        value=maybe(0.1, 0.5, 0.9),
        tokens=tokens,
        words=words,
        short_tokens=random.randint(0, tokens),
        short_words=random.randint(0, words),
        form=random.choice(["full", "full", "condensed", "summary"]),
        uses=random.randint(0, 5),
        use_days=random.choice([0, 1, 0x0102, 0xFF000000000003]),
        use_day=NOW // DAY - random.randint(-1, 3),
        confirmations=random.randint(0, 2),
        alignment=maybe(0.1, 0.5, 0.9),
        helped=random.choice([0, 0, 700, 3_000]),
        failed=random.choice([0, 0, 300, 1_000, 4_000]),
        tags=random.choice([(), (), ("self/goal",), ("rejected-path",), ("flag/seen",)]),
    )


def world(random: Random) -> World:
    """Draw a scope with links."""
    made = [rows(random) for _ in range(random.randint(1, 30))]
    links: dict[LinkKey, Row] = {}
    for _ in range(random.randint(0, 3 * len(made)) if len(made) > 1 else 0):
        source, target = random.sample(range(1, len(made) + 1), 2)
        relation = random.choice(
            [Relation.SIMILAR, Relation.NEAR_DUPLICATE, Relation.SUPPORTS, Relation.MERGED_FROM]
        )
        if relation in SYMMETRIC:
            source, target = min(source, target), max(source, target)
        links[source, target, int(relation)] = link(
            weight=random.choice([0.05, 0.3, 0.9]),
            confidence=random.choice([None, 0.5, 0.95, 0.97]),
            last_at=NOW - random.choice([0, 1, 40, 4_000]) * HOUR,
            count=random.randint(1, 12),
        )
    return World(made, links, _worked(random), _heard(random))


def _worked(random: Random) -> np.ndarray:
    ends = sorted(random.sample(range(25 * 24), 2 * random.randint(0, 6)), reverse=True)
    return np.array([NOW - ago * HOUR for ago in ends], np.int64).reshape(-1, 2)


def _heard(random: Random) -> np.ndarray:
    minutes = sorted(random.sample(range(25 * 24 * 60), random.randint(0, 6)), reverse=True)
    heard = [(NOW // MINUTE * MINUTE - ago * MINUTE, random.randint(1, 80)) for ago in minutes]
    return np.array(heard, np.int64).reshape(-1, 2)
