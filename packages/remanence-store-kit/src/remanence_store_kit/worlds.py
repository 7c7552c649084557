"""Worlds for property tests: memories with all kinds of columns, tags, sources and links of every relation.

Drawn by hypothesis from few and coarse values, so that ties, missing values and exact bounds are common. A memory
is one draw of as many bytes as it has columns, each an index into that column's values, the plainest first: ten times
faster than a draw per column, and it shrinks to plain rows just as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any

import numpy as np
from hypothesis import strategies as st

from remanence.core.change import Change
from remanence.core.clock import DAY, HOUR, MINUTE
from remanence.core.model import (
    CONSTITUTIONAL,
    SYMMETRIC,
    Form,
    Kind,
    Lifecycle,
    PolicyClass,
    Reason,
    Relation,
    Role,
    Severity,
    Status,
    Tier,
    Trust,
    Verification,
)
from remanence.core.score import decay
from remanence.store.base import Store
from remanence.text.text_columns import text_columns
from remanence_store_kit.builders import (
    NOW,
    create_change,
    link_change,
    make_cause,
    source_change,
    tag_change,
)

CATEGORIES: Mapping[str, Sequence[str]] = {
    "task": ("pending", "in_progress", "blocked", "completed"),
    "notification": ("unread", "read"),
    "belief": ("held", "retired"),
    "fact": (),
    "observation": (),
}
SYSTEM_CATEGORY = "identity"  # no rule of any policy may archive or destroy it
UNDECLARED = "rumour"  # a category that no policy declares
TAGS = ("self/name", "self/goal", CONSTITUTIONAL, "keep", "x")
AGENTS = ("ann", "bob")
WORDS = ("zebra", "lion", "tiger", "apple", "pear", "violin", "harbour", "lantern")
SAID = tuple(word for pair in zip(cycle(("the", "of", "and")), WORDS, strict=False) for word in pair)
MEMORIES_MAX = 12
LENGTH = "length"  # of a text, in words beyond the first two


@dataclass(frozen=True)
class World:
    """What a scope is filled with before something is done to it."""

    memories: tuple[dict[str, Any], ...]
    tags: frozenset[tuple[int, str]] = frozenset()  # (memory from 1, tag)
    sources: frozenset[tuple[int, str]] = frozenset()
    links: tuple[tuple[int, int, Relation, dict[str, Any]], ...] = field(default=())

    def changes(self) -> list[Change]:
        """Return the creations; memory n of the world gets the n-th number."""
        return [
            *(self._create_change(k, row) for k, row in enumerate(self.memories, 1)),
            *(tag_change(-owner, tag) for owner, tag in sorted(self.tags)),
            *(source_change(-owner, source) for owner, source in sorted(self.sources)),
            *(
                link_change(-source, -target, relation, **values)
                for source, target, relation, values in self.links
            ),
        ]

    def _create_change(self, number: int, drawn: Mapping[str, Any]) -> Change:
        """Create a memory whose columns follow from its text and tags where they do in an engine."""
        row = {name: value for name, value in drawn.items() if name != LENGTH}
        begins = [WORDS[number % len(WORDS)], f"number{number}"]
        text = " ".join([*begins, *(SAID * 5)[: drawn.get(LENGTH, 0)]])
        tags = {tag for owner, tag in self.tags if owner == number}
        follows = text_columns(text, row.get("speaker")) | {"decay": decay(tags, row.get("category"))}
        return create_change(number, text, **row | follows)

    def replace_columns(self, **columns: Any) -> "World":
        """Return the same world with these columns set on every memory."""
        return replace(self, memories=tuple({**row, **columns} for row in self.memories))


async def fill(store: Store, scope: str, world: World, at: int = NOW - 500 * DAY) -> None:
    """Create a world's memories, tags, sources and links in one commit."""
    if world.memories:
        await store.commit(scope, world.changes(), make_cause("import", at))


@st.composite
def worlds(draw: st.DrawFn, memories_max: int = MEMORIES_MAX) -> World:
    """Draw a world of up to so many memories."""
    # The size is drawn first, because lists of hypothesis' own length are short.
    count = draw(st.integers(0, memories_max))
    rows = draw(st.lists(_MEMORY, min_size=count, max_size=count))
    items = draw(st.lists(_LINK, min_size=count, max_size=3 * count))
    links = {link[:3]: link for link in (_link(item, count) for item in items) if link is not None}
    return World(
        tuple(map(memory, rows)),
        frozenset((1 + owner % count, TAGS[tag % len(TAGS)]) for owner, tag in draw(_PAIRS) if count),
        frozenset((1 + owner % count, f"turn-{turn % 2}") for owner, turn in draw(_PAIRS) if count),
        tuple(links[key] for key in sorted(links)),
    )


def memory(drawn: bytes) -> dict[str, Any]:
    """Turn drawn bytes into columns that fit one another, such as status, tier, lifecycle and reason."""
    row = {
        name: values[byte % len(values)] for byte, (name, values) in zip(drawn, _COLUMNS.items(), strict=True)
    }
    if row["status"] == Status.ARCHIVED:
        row |= {"tier": Tier.ARCHIVE, "lifecycle": Lifecycle.ARCHIVED}
    if row["status"] in {Status.INBOX, Status.ACTIVE}:
        del row["reason"]
    states = (None, *CATEGORIES.get(row["category"] or "", ()))
    row["state"] = states[row["state"] % len(states)]
    if row["hold_until"] is not None:
        row["holds"] = {"drawn": row["hold_until"]}
    if row["uses"]:
        # At most three of them lie within the seven days that are counted.
        row |= {
            "used_at": row["used_at"] or row["learned_at"],
            "use_day": NOW // DAY,
            "use_days": min(row["uses"], 3),
        }
    return {name: value for name, value in row.items() if value is not None}


def _link(drawn: bytes, count: int) -> tuple[int, int, Relation, dict[str, Any]] | None:
    """Turn drawn bytes into a link between two of so many memories; None where it would be one."""
    if count < 2:
        return None
    relation = _RELATIONS[drawn[2] % len(_RELATIONS)]
    source, target = 1 + drawn[0] % count, 1 + drawn[1] % count
    if source == target:
        return None
    if relation in SYMMETRIC:
        source, target = sorted((source, target))
    values = {
        "weight": _FRACTIONS[drawn[3] % len(_FRACTIONS)],
        "confidence": (None, *_FRACTIONS)[drawn[4] % (len(_FRACTIONS) + 1)],
        "count": (1, 2, 5)[drawn[5] % 3],
        "created_at": NOW - 400 * DAY,
        "last_at": _PAST[drawn[6] % len(_PAST)],
        "resolved_at": (None, None, _PAST[0], _PAST[-1])[drawn[7] % 4],
    }
    return source, target, relation, values


_PAST = [
    NOW - age
    for age in (
        0,
        MINUTE,
        12 * HOUR,
        DAY,
        DAY + 1,
        3 * DAY,
        7 * DAY,
        14 * DAY,
        30 * DAY,
        31 * DAY,
        90 * DAY,
        400 * DAY,
    )
]
_MAYBE_PAST = [None, *_PAST]
_AHEAD = [NOW + MINUTE, NOW + DAY, NOW + 30 * DAY]
_FRACTIONS = (0.5, 0.0, 0.05, 0.1, 0.25, 0.500001, 0.75, 1.0)
_COUNTS = (0, 0, 1, 2, 3, 10)
_RATINGS = (0, 0, 300, 1_000, 5_700)
_RELATIONS = [*Relation, *[Relation.NEAR_DUPLICATE] * 8, Relation.SIMILAR, Relation.SUPPORTS]
_COLUMNS: Mapping[str, Sequence[Any]] = {
    # Active four times: most of what curation decides is about these.
    "status": [Status.ACTIVE, Status.ACTIVE, Status.ACTIVE, *Status, Status.PRUNED],
    "tier": [Tier.HOT, Tier.WARM, Tier.COLD],
    "reason": list(Reason),
    "category": ["task", "fact", "notification", *CATEGORIES, UNDECLARED, SYSTEM_CATEGORY, None],
    "state": range(5),
    "kind": [None, *Kind],
    "severity": [None, *Severity],
    "lifecycle": [Lifecycle.CANDIDATE, Lifecycle.VALIDATED, Lifecycle.ACTIVE, Lifecycle.STALE],
    "role": [Role.USER, Role.ASSISTANT],
    "agent": [None, *AGENTS],
    "said_at": _PAST,
    "said_offset": [0, 0, 20_700, -14_400],
    "learned_at": _PAST[::-1],  # long ago is the plain case: the grace of new memories is over
    "status_at": _PAST[::-1],
    "tier_at": _PAST[::-1],
    "state_at": _MAYBE_PAST,
    "used_at": _MAYBE_PAST,
    "valid_to": [*_MAYBE_PAST, *_AHEAD],
    "reinforced_at": _MAYBE_PAST,
    "hold_until": [*[None] * 14, _PAST[3], *_AHEAD],
    "pinned": [0, 0, 0, 0, 0, 0, 0, 1],
    "confidence": [None, *_FRACTIONS],
    "alignment": [None, *_FRACTIONS],
    "value": [None, *_FRACTIONS],
    LENGTH: [0, 0, 1, 10, 40],
    "form": [Form.FULL, Form.FULL, Form.CONDENSED],
    "uses": _COUNTS,
    "confirmations": _COUNTS,
    "disputes": _COUNTS,
    "reinforced": _COUNTS,
    "helped": _RATINGS,
    "failed": _RATINGS,
    "verification": [Verification.UNVERIFIED, *Verification],
    "policy_class": [PolicyClass.DURABLE, *PolicyClass],
    "importance": [None, *_FRACTIONS],
    "trust": [Trust.USER, *Trust],
    "text_at": _MAYBE_PAST,
    "confidence_at": _MAYBE_PAST,
    "vector": [None, *(np.array(row, "<f2").tobytes() for row in ([1, 0], [0.6, 0.8], [-1, 0]))],
}
_MEMORY = st.binary(min_size=len(_COLUMNS), max_size=len(_COLUMNS))
_LINK = st.binary(min_size=8, max_size=8)
_PAIRS = st.lists(st.binary(min_size=2, max_size=2).map(tuple), max_size=6)
