"""A plan in words, for a person who decides whether to apply it. Knows plans; decides nothing."""

from collections.abc import Iterator

from remanence.clock import to_datetime
from remanence.curate.planner.diff import Decision, Refusal
from remanence.effects import ACTIONS

_WORDS = {effect.name: effect.words for effect in ACTIONS}
_EXAMPLES = 5


def show(plan: Decision) -> str:
    """Say what a plan would do, what it refuses, and why."""
    return "\n".join(_lines(plan))


def said(action: str, count: int) -> str:
    """Say what an action does to how many."""
    return f"{_WORDS[action]} {count:,} {_noun(action, count)}"


def _lines(plan: Decision) -> Iterator[str]:
    moment = to_datetime(plan.now).strftime("%Y-%m-%d %H:%M UTC")
    size = f"{plan.memories} {_noun('', plan.memories)}"
    yield f"Plan {plan.digest[:12]} for {plan.scope!r} under {plan.policy!r}, {moment}, {size}"
    if plan.held is not None:
        yield f"HELD: {plan.held}."
    if not plan.by_rule:
        yield "Nothing to do."
    for action, rule, count in plan.by_rule:
        yield f"  {said(action, count)}  [{rule}]{_because(plan, rule)}"
    if plan.destroyed:
        yield f"In all {plan.destroyed} of {plan.memories} memories would be destroyed."
    for refusal in plan.refusals:
        yield _refused(plan, refusal)
    for item in plan.deferred:
        which = f"{len(item.seqs)} {_noun('', len(item.seqs))} of [{item.rule}]"
        yield f"  deferred to another day: {which}{_some(item.seqs)}"
    for note in plan.notes:
        yield f"  note: {note}"


def _noun(action: str, count: int) -> str:
    many = "links" if action == "unlink" else "memories"
    return many if count != 1 else {"links": "link", "memories": "memory"}[many]


def _because(plan: Decision, name: str) -> str:
    because = plan.because.get(name)
    return f" because {because}" if because else ""


def _refused(plan: Decision, refusal: Refusal) -> str:
    noun = _noun("", refusal.count)
    return (
        f"  kept: {refusal.count} {noun} of [{refusal.rule}] by {refusal.guard}{_because(plan, refusal.guard)}"
        f"{_some(refusal.examples)}"
    )


def _some(seqs: tuple[int, ...]) -> str:
    shown = ", ".join(f"#{seq}" for seq in seqs[:_EXAMPLES])
    return f" ({shown}{', …' if len(seqs) > _EXAMPLES else ''})" if seqs else ""
