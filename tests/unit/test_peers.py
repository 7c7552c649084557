"""The lines of the comparison with another engine, from what the two sides printed; no side is run."""

from typing import Any

from benchmarks.peers.ratios import joined, lines, read

FIELDS = {"n": 50, "filled": "api"}
OURS = '{"cpu_s": 0.001, "wall_s": 0.002}\n{"cpu_s": 0.003, "wall_s": 0.002}\n{"rss_mb": 50}\n'
THEIRS = '{"cpu_s": 0.1, "wall_s": 0.4}\n{"found": "1 of 1"}\n{"rss_mb": 75}\n'


def named(printed: list[dict[str, Any]], name: str, **fields: Any) -> list[dict[str, Any]]:
    """Return the lines of a name that have these fields."""
    return [
        line for line in printed if line["name"] == f"peers.other.{name}" and fields.items() <= line.items()
    ]


def test_a_ratio_is_theirs_over_ours() -> None:
    """Each ratio divides the median of their samples by that of ours, and shows both."""
    printed = list(lines("other", "learn", read(OURS), read(THEIRS), **FIELDS))

    shown = [
        [line[key] for key in ("of", "ours", "theirs", "ratio", "value")]
        for line in named(printed, "learn.ratio")
    ]
    assert [
        ["p50_cpu_ms", 2.0, 100.0, 50.0, 50.0],
        ["p50_wall_ms", 2.0, 400.0, 200.0, 200.0],
        ["rss_mb", 50.0, 75.0, 1.5, 1.5],
    ] == shown


def test_each_side_has_a_line_for_each_figure() -> None:
    """A side's line says whose it is, of how many samples, at which n, how the peer was filled, and what it told."""
    printed = list(lines("other", "learn", read(OURS), read(THEIRS), **FIELDS))

    line = {"name": "peers.other.learn.p50_cpu_ms", "unit": "ms", **FIELDS}
    assert [
        {**line, "side": "ours", "value": 2.0, "samples": 2},
        {**line, "side": "theirs", "value": 100.0, "samples": 1, "found": "1 of 1"},
    ] == named(printed, "learn.p50_cpu_ms")


def test_a_side_that_failed_has_its_error_and_no_ratio() -> None:
    """Without a sample there is no figure to divide: the error is printed, with the CPU seconds spent until then."""
    failed = read("", spent_s=7.5, stopped={"failed": "too many SQL variables"})

    printed = [
        line for line in lines("other", "curate", read(OURS), failed, **FIELDS) if line.get("side") != "ours"
    ]

    line = {"name": "peers.other.curate.stopped_cpu_s", "value": 7.5, "unit": "s", "side": "theirs"}
    assert [{**line, "failed": "too many SQL variables", **FIELDS}] == printed


def test_a_side_that_gave_up_shows_what_it_had() -> None:
    """The samples taken before the limit count, half a line does not, and figure and ratio say that it gave up."""
    why = {"gave_up": "gave up at 600 s"}
    late = read(THEIRS.splitlines(keepends=True)[0] + '{"cpu_s": 9', spent_s=600.0, stopped=why)

    printed = list(lines("other", "recall", read(OURS), late, **FIELDS))

    assert [(100.0, 1)] == [
        (line["value"], line["samples"]) for line in named(printed, "recall.p50_cpu_ms", side="theirs", **why)
    ]
    assert [50.0] == [line["ratio"] for line in named(printed, "recall.ratio", of="p50_cpu_ms", **why)]


def test_runs_of_one_step_are_joined() -> None:
    """All samples of repeated runs count, and the largest peak of memory."""
    both = joined([read(THEIRS), read(OURS)])

    assert ([0.1, 0.001, 0.003], 75) == ([sample["cpu_s"] for sample in both.samples], both.more["rss_mb"])
