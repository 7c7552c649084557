"""From what the sides printed to the lines of the report. Runs nothing."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Step: which percentiles of its samples are shown, and in which unit.
SHOWN: Mapping[str, tuple[tuple[int, ...], str]] = {
    "learn": ((50,), "ms"),
    "recall": ((50, 95), "ms"),
    "curate": ((50,), "s"),
    "curate_alike": ((50,), "s"),
    "curate_at_default_limit": ((50,), "s"),
}
_PER_SECOND = {"ms": 1_000, "s": 1}


@dataclass(frozen=True)
class Taken:
    """What one side took for a step: its samples, what else it told, and why it stopped early, if it did."""

    samples: Sequence[Mapping[str, float]] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    spent_s: float = 0.0
    stopped: Mapping[str, str] = field(default_factory=dict)


def read(output: str, spent_s: float = 0.0, stopped: Mapping[str, str] | None = None) -> Taken:
    """Read a side's lines: samples have `cpu_s` and `wall_s`, any other line tells more; half a line is no line."""
    lines = [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith("\n")]
    more = {key: value for line in lines if "cpu_s" not in line for key, value in line.items()}
    return Taken([line for line in lines if "cpu_s" in line], more, spent_s, stopped or {})


def joined(runs: Sequence[Taken]) -> Taken:
    """Put several runs of one step together; memory is the largest peak."""
    more = {key: value for run in runs for key, value in run.more.items()}
    peaks = [run.more["rss_mb"] for run in runs if "rss_mb" in run.more]
    return Taken(
        [sample for run in runs for sample in run.samples],
        {**more, "rss_mb": max(peaks)} if peaks else more,
        sum(run.spent_s for run in runs),
        {key: why for run in runs for key, why in run.stopped.items()},
    )


def measures(step: str, taken: Taken) -> dict[str, tuple[float, str]]:
    """Return the figures of one side by name, with their units; none where it has no samples."""
    shares, unit = SHOWN[step]
    found: dict[str, tuple[float, str]] = {}
    for share in shares if taken.samples else ():
        for kind in ("cpu", "wall"):
            value = np.percentile([sample[f"{kind}_s"] for sample in taken.samples], share)
            found[f"p{share}_{kind}_{unit}"] = (float(value) * _PER_SECOND[unit], unit)
    if "rss_mb" in taken.more:
        found["rss_mb"] = (float(taken.more["rss_mb"]), "MB")
    return found


def lines(peer: str, step: str, ours: Taken, theirs: Taken, **fields: Any) -> Iterator[dict[str, Any]]:
    """Yield the lines of a step: each side's figures, each side's early stop, and the ratios theirs / ours."""
    head, sides = f"peers.{peer}.{step}", {"ours": ours, "theirs": theirs}
    found = {side: measures(step, taken) for side, taken in sides.items()}
    for side, taken in sides.items():
        told = {key: value for key, value in taken.more.items() if key != "rss_mb"}
        for name, (value, unit) in found[side].items():
            line = {"name": f"{head}.{name}", "value": value, "unit": unit, "side": side, **fields}
            yield {**line, "samples": len(taken.samples), **told, **taken.stopped}
        if taken.stopped:
            # What its process had used by then: the step takes at least nearly as much.
            line = {"name": f"{head}.stopped_cpu_s", "value": taken.spent_s, "unit": "s", "side": side}
            yield {**line, **fields, **taken.stopped}
    early = {**ours.stopped, **theirs.stopped}
    for name in [name for name in found["ours"] if name in found["theirs"]]:
        mine, other = found["ours"][name][0], found["theirs"][name][0]
        line = {"name": f"{head}.ratio", "value": other / mine, "unit": "x", "of": name, **fields}
        yield {
            **line,
            "ours": round(mine, 4),
            "theirs": round(other, 4),
            "ratio": round(other / mine, 2),
            **early,
        }
