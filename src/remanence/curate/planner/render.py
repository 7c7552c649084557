"""A plan in words, for a person who decides whether to apply it. Knows its report; decides nothing."""

from collections.abc import Iterator, Sequence

from remanence.clock import lasting, to_datetime
from remanence.curate.planner.plan_report import PlannedAct, PlanReport
from remanence.effects import ACTIONS
from remanence.model import Affected, short_id
from remanence.text import visible

WIDTH = 100
_TEXT_MIN = 20  # characters of a text, however narrow the screen is
_WORDS = {effect.name: effect.words for effect in ACTIONS}


def render(report: PlanReport, width: int = WIDTH) -> Iterator[str]:
    """Yield what a plan would do, what it leaves alone and why, in lines about so wide; stored text is cut to fit."""
    moment = to_datetime(report.now).strftime("%Y-%m-%d %H:%M UTC")
    size = f"{report.memories:,} {_noun('', report.memories)}"
    yield f"Plan {report.digest[:12]} for {report.scope!r} under {report.policy!r}, {moment}, {size}"
    if report.held is not None:
        yield f"HELD: {report.held}."
    if not report.acts:
        yield "Nothing to do."
    for act in report.acts:
        yield f"  {said(act.name, act.count)}{_rule(act.rule)}{_because(act.because)}"
        yield from _listed(act.memories, act.count, report.now, width, act.into)
        yield from _cut(act)
    if report.destroyed:
        yield f"In all {report.destroyed:,} of {report.memories:,} memories would be destroyed."
    if report.acts and report.tokens_before is not None:
        yield f"What stands has {report.tokens_before:,} tokens before and {report.tokens_after:,} after."
    for kept in report.kept:
        noun = _noun("", kept.count)
        yield f"  kept: {kept.count:,} {noun} of [{kept.rule}] by {kept.guard}{_because(kept.because)}"
        yield from _listed(kept.memories, kept.count, report.now, width)
    for late in report.deferred:
        yield f"  deferred to another day: {late.count:,} {_noun('', late.count)} of [{late.rule}]"
        yield from _listed(late.memories, late.count, report.now, width)
    for note in report.notes:
        yield f"  note: {note}"


def said(action: str, count: int) -> str:
    """Say what an action does to how many."""
    return f"{_WORDS[action]} {count:,} {_noun(action, count)}"


def memory_line(memory: Affected, now: int, width: int, into: int | None = None) -> str:
    """Write a memory on one line: short id, age, and as much of its text as fits."""
    age = "" if memory.said_at is None else f" {lasting(now - memory.said_at)} old"
    whither = "" if into is None else f" into {short_id(into)}"
    gone = "" if memory.id is not None else " not there any more"
    head = f"    {short_id(memory.seq)}{gone}{age}{whither}  "
    text = visible(" ".join((memory.text or "").split()))
    room = max(_TEXT_MIN, width - len(head))
    return head + (text if len(text) <= room else text[: room - 1] + "…")


def _listed(
    memories: Sequence[Affected], count: int, now: int, width: int, into: Sequence[int] = ()
) -> Iterator[str]:
    """Yield a line a memory, and how many more there are; of a plan whose texts nobody has read, the numbers alone."""
    more = count - len(memories)
    if not any(memory.id for memory in memories):
        if memories:
            yield "    " + ", ".join(short_id(memory.seq) for memory in memories) + ", …" * (more > 0)
        return
    for place, memory in enumerate(memories):
        yield memory_line(memory, now, width, into[place] if into else None)
    if more > 0:
        yield f"    and {more:,} more"


def _cut(act: PlannedAct) -> Iterator[str]:
    if act.links:
        more = ", …" * (act.count > len(act.links))
        yield (
            "    "
            + ", ".join(f"{short_id(source)} to {short_id(target)}" for source, target in act.links)
            + more
        )


def _noun(action: str, count: int) -> str:
    many = "links" if action == "unlink" else "memories"
    return many if count != 1 else {"links": "link", "memories": "memory"}[many]


def _rule(name: str) -> str:
    return f"  [{name}]" if name else ""


def _because(because: str) -> str:
    return f" because {because}" if because else ""
