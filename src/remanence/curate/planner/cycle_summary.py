"""What a run of a policy says of itself in the audit: how many memories it looked at, kept and changed, and why.

Counts a plan; knows nothing of how it is carried out.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from remanence.core.results import format_counts, number
from remanence.curate.planner.diff import PlanDecision
from remanence.curate.planner.plan_report import Preview

CYCLE = "cycle"  # in the detail of the first part of a run
LEFT_OUT = "left_out"  # in that of each part: changes that were left out until then, since others had changed the rows


def summary(plan: PlanDecision, preview: Preview | None) -> dict[str, Any]:
    """Count what a plan does: `scanned` memories are those that it `kept` and those that it `changed`, once each.

    `acts` are counts by action, of which a memory may have several; `refused` by guard; `deferred` waits for another
    day. `tokens` are those of what stands, before and after, where somebody counted them; `freed` how many fewer there
    are, of a tick, which does not read all.
    """
    by_guard: Counter[str] = Counter()
    for refusal in plan.refusals:
        by_guard[refusal.guard] += refusal.count
    counts = {
        "scanned": plan.memories,
        "kept": plan.memories - len(plan.seq),
        "changed": len(plan.seq),
        "acts": dict(plan.counts),
        "refused": dict(sorted(by_guard.items())),
        "deferred": sum(len(one.seqs) for one in plan.deferred),
    }
    if preview is not None and preview.tokens is not None:
        return {**counts, "tokens": list(preview.tokens)}
    return counts if preview is None or preview.freed is None else {**counts, "freed": preview.freed}


def describe_cycle(cycle: Mapping[str, Any], left_out: int) -> str:
    """Say a summary in a line."""
    parts = [f"looked at {number(cycle['scanned'], 'memory', 'memories')}, kept {cycle['kept']:,}"]
    if cycle["refused"]:
        parts.append(f"guards refused {format_counts(cycle['refused'])}")
    if cycle["deferred"]:
        parts.append(f"{cycle['deferred']:,} wait for another day")
    if "tokens" in cycle:
        before, after = cycle["tokens"]
        parts.append(f"tokens in sight {before:,} before, {after:,} after")
    if cycle.get("freed"):
        parts.append(
            f"{number(abs(cycle['freed']), 'token', 'tokens')} {_pick_comparative(cycle['freed'])} in sight"
        )
    if left_out:
        parts.append(f"{number(left_out, 'change', 'changes')} left out, since others had changed the rows")
    return "; ".join(parts)


def _pick_comparative(freed: int) -> str:
    return "fewer" if freed > 0 else "more"
