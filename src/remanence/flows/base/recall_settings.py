"""What a recall leaves out and how links and lifecycles count in it: by a setting, else by the policy in force.

Knows names and values; must not know how memories are looked for.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from remanence.core.errors import InvalidInput, format_value
from remanence.curate.policy.compiled import LEFT_OUT, RecallRules
from remanence.store.base import setting_row

LEAVES_OUT, LINKS = "recall_leaves_out", "recall_links"
LINKS_BUILT_IN = 0  # in percent
_ARCHIVED, _STALE = LEFT_OUT
SETTING_ROWS = (setting_row(LEAVES_OUT), setting_row(LINKS))


class RecallSettings(NamedTuple):
    """How a scope recalls: whether it looks into the archive unasked, and whether it leaves out what is stale.

    `links` is what links add, in percent, `weighs_lifecycle` whether the lifecycle of a memory counts.
    """

    is_open: bool
    links: int
    leaves_stale: bool
    weighs_lifecycle: bool


def read_recall_settings(rows: Mapping[str, Any], policy: RecallRules) -> RecallSettings:
    """Return the settings of a scope, of which the values of `SETTING_ROWS` are known."""
    leaves_out, links = (_read_value(rows, name, policy) for name in (LEAVES_OUT, LINKS))
    left_out = parse_left_out(leaves_out or "")
    return RecallSettings(
        _ARCHIVED not in left_out, links or LINKS_BUILT_IN, _STALE in left_out, bool(policy.lifecycle)
    )


def find_policy_value(policy: RecallRules, name: str) -> int | str | None:
    """Return what a policy says in place of a setting's built-in value; None where it says nothing."""
    if name == LINKS:
        return policy.links
    return ",".join(policy.leaves_out) if name == LEAVES_OUT and policy.leaves_out is not None else None


def _read_value(rows: Mapping[str, Any], name: str, policy: RecallRules) -> Any:
    row = rows.get(setting_row(name))
    return row["value"] if row is not None and row["source"] == "user" else find_policy_value(policy, name)


def parse_left_out(words: str) -> frozenset[str]:
    """Read what recall leaves out: `archived`, `stale`, or both with a comma between."""
    left_out = frozenset(word.strip() for word in words.split(",") if word.strip())
    if not left_out <= {*LEFT_OUT}:
        raise InvalidInput(
            f"{LEAVES_OUT} is {format_value(words)}",
            recovery=f"use {_ARCHIVED}, {_STALE}, or both with a comma between",
        )
    return left_out
