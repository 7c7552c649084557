"""Audit a source: duplicates, stale texts and texts not worth keeping, as a report and as one HTML page.

Knows what ingesting, consolidating and planning tell; has no judgement of its own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from shlex import quote
from typing import Literal, get_args

from remanence.core.effects import ACTIONS
from remanence.core.keywords import Progress
from remanence.core.model import STANDING, LearnResult, Link, Memory, Relation, Status, Trust, Turn
from remanence.core.results import Result, Time, minute_of, number, one_line, visible
from remanence.curate.planner.plan import Plan
from remanence.flows.base.context import Core
from remanence.flows.base.paging import iterate_pages
from remanence.flows.consolidate import consolidation, duplicates, ingesting
from remanence.flows.curate import curating
from remanence.flows.write import gating
from remanence.text.tokens import token_counts
from remanence.write.admission import KEPT_OUT
from remanence.write.imported import list_left_out
from remanence.write.transcripts.importer_source import AnyImporter

_STYLE = (
    ":root{color-scheme:light dark} body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;"
    "margin:2rem auto;padding:0 1rem}"
    " h1{font-size:1.4rem} h2{font-size:1.1rem;margin:1.6rem 0 .2rem} p{margin:.2rem 0} ul{padding-left:1.2rem}"
    " li{overflow-wrap:anywhere} pre{white-space:pre-wrap} .bar{height:.6rem;min-width:2px}"
    " .leaves{background:#d55e00} .stays{background:#0072b2}"  # Okabe and Ito's, which the colour-blind tell apart
)


@dataclass(frozen=True, slots=True)
class FindingSection:
    """One kind: its name, what it is, its share of all, whether what is of it would leave, and its examples."""

    name: str
    meaning: str
    share: float
    leaves: bool
    examples: Sequence[str]


def html(head: str, sections: Sequence[FindingSection], ending: Sequence[str]) -> str:
    """Write one page: of each kind what it is, a bar for its share and its examples, and what to do next."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            "<title>What this memory is better without</title>",
            f"<style>{_STYLE}</style></head><body>",
            f"<h1>What this memory is better without</h1><p>{escape(head)}</p>",
            *map(_write_section, sections),
            f"<pre>{escape(chr(10).join(ending))}</pre></body></html>\n",
        ]
    )


def _write_section(section: FindingSection) -> str:
    examples = "".join(f"<li>{escape(example)}</li>" for example in section.examples)
    colour = "leaves" if section.leaves else "stays"
    return (
        f"<section><h2>{escape(section.name)}</h2><p>{escape(section.meaning)}</p>"
        f'<div class="bar {colour}" style="width:{section.share:.1%}"></div><ul>{examples}</ul></section>'
    )


FindingName = Literal[
    "duplicate",
    "stale",
    "contradicting",
    "secret",
    "personal data",
    "machine markup",
    "small talk",
    "let go",
]
FINDINGS: tuple[FindingName, ...] = get_args(FindingName)
# What each is, in words of somebody who has never heard of this engine.
MEANINGS: Mapping[FindingName, str] = {
    "duplicate": "say what another one says",
    "stale": "are out of date: the source says what took their place",
    "contradicting": "cannot be true with another one, as the source says, and nobody settled it",
    "secret": "hold a key, a password or the like",
    "personal data": "hold a number, an address or the like of a person",
    "machine markup": "hold markup or hidden text for a machine, and no user or agent said it",
    "small talk": "say nothing that is worth keeping",
    "let go": "would be archived or deleted by the policy",
}
# What of these leaves: of the others a marker takes the place of what must not be kept, or a person has to decide.
LEAVING: frozenset[FindingName] = frozenset({"duplicate", "stale", "machine markup", "small talk", "let go"})
SAME = (Relation.NEAR_DUPLICATE,)
_OUT_OF_SIGHT = {one.name for one in ACTIONS if "status" in one.sets and one.sets["status"] not in STANDING}
_TEXT_CHARS = 90
NEXT = (
    "remanence ingest {} --dry-run    says what of it would be taken in, and writes nothing",
    "remanence ingest {}    takes it in; remanence undo takes it back",
)


@dataclass(frozen=True, slots=True, repr=False)
class AuditExample(Result):
    """One memory of a source and why it was found; `text` has markers where secrets and personal data stood.

    `place` counts the memories of the source from 1, `key` is what the source calls it, "" where it has no name.
    """

    place: int
    text: str
    why: str = ""
    key: str = ""

    def __str__(self) -> str:
        why = f"  ({one_line(self.why, _TEXT_CHARS)})" if self.why else ""
        return f"{one_line(self.text, _TEXT_CHARS)}{why}"


@dataclass(frozen=True, slots=True, repr=False)
class AuditFinding(Result):
    """How many memories of a source are of one kind, how many tokens they hold, and the first of them."""

    kind: FindingName
    count: int
    share: float
    tokens: int
    examples: tuple[AuditExample, ...] = ()

    @property
    def meaning(self) -> str:
        """What the kind is, in words."""
        return MEANINGS[self.kind]

    def __str__(self) -> str:
        return f"{self.count:>8,}  {self.share:>6.1%}  {self.kind}: {self.meaning}"


@dataclass(frozen=True, slots=True, repr=False)
class SourceAudit(Result):
    """What a source holds that a memory is better without; nothing of it was stored.

    `memories` are all that it holds and `tokens` theirs; `left` and `tokens_left` are what would remain without what
    is a duplicate, stale, machine markup, small talk or let go by the `policy`. One memory may be of several kinds.
    `at` is the instant at which it was judged, `path` where the source lies, `skipped` counts what is no memory there
    (reason → count) and `examples` show the first of it.
    """

    source: str
    format: str
    at: int
    policy: str
    memories: int
    tokens: int
    left: int
    tokens_left: int
    findings: tuple[AuditFinding, ...]
    path: str
    skipped: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)

    time = Time("at")

    def finding(self, kind: FindingName) -> AuditFinding:
        """Return what was found of one kind."""
        return next(one for one in self.findings if one.kind == kind)

    def html(self) -> str:
        """Write it as one page that needs nothing else: the kinds with their examples, and what to do next."""
        sections = [
            FindingSection(
                one.kind, str(one).strip(), one.share, one.kind in LEAVING, list(map(str, one.examples))
            )
            for one in self.findings
            if one.count
        ]
        return html(self._describe_line(), sections, [*self._list_remarks(), *self._list_next()])

    def __str__(self) -> str:
        rows = [self._describe_line()]
        for one in self.findings:
            rows.append(str(one))
            rows += [f"{'':20}{example}" for example in one.examples]
        return "\n".join(map(visible, [*rows, *self._list_remarks(), *self._list_next()]))

    def _describe_line(self) -> str:
        what = f"{number(self.memories, 'memory', 'memories')} of {self.source} ({self.format})"
        return visible(f"{what}, {self.tokens:,} tokens, judged as of {minute_of(self.at)}")

    def _list_remarks(self) -> list[str]:
        share = f" ({self.tokens_left / self.tokens:.0%})" if self.tokens else ""
        return [
            f"{self.left:,} of {self.memories:,} would remain, with {self.tokens_left:,} of {self.tokens:,} tokens"
            + share,
            f"one memory may be of several kinds; the policy is {self.policy}; nothing was stored",
            *list_left_out(self.skipped, self.examples),
        ]

    def _list_next(self) -> list[str]:
        return ["next:", *(f"  {line.format(quote(self.path))}" for line in NEXT)]


async def audit_source(
    core: Core,
    path: str | Path,
    format: str | AnyImporter,  # noqa: A002
    *,
    examples: int,
    progress: Progress | None,
) -> SourceAudit:
    """Take a source into an empty memory as text from outside, let everything judge it, and say what was found.

    What each kind is goes by what the engine itself did: how the turns were answered as they came in, which links were
    drawn, and what a plan of the policy would do.
    """
    transcript, door = await ingesting.read_source(core, path, format, Trust.OUTSIDE)
    intake = await ingesting.take_in(core, transcript, Path(path).name, progress, door=door, noted=False)
    await consolidation.consolidate(core, progress)
    await duplicates.link_duplicates(core)
    plan = await curating.plan(core, core.policy)
    memories = {one.seq: one async for page in iterate_pages(core) for one in page}
    links = await core.store.neighbours(core.scope, None)
    judged = _Judging(transcript.turns, intake.answers, memories, links)
    for kind, found in _iterate_findings(judged, plan):
        judged.note(kind, *found)
    tokens = token_counts([turn.text for turn in transcript.turns])
    leaving = set().union(*(judged.found[kind] for kind in LEAVING))
    left = [place for place in range(len(tokens)) if place not in leaving]
    return SourceAudit(
        source=Path(path).name,
        format=transcript.format,
        at=core.clock.now(),
        policy=core.policy.name,
        memories=len(tokens),
        tokens=sum(tokens),
        left=len(left),
        tokens_left=sum(tokens[place] for place in left),
        findings=tuple(judged.describe(kind, tokens, examples) for kind in FINDINGS),
        path=str(path),
        skipped=intake.result.skipped,
        examples=intake.result.examples,
    )


class _Judging:
    """The turns of a source with what was found of them: kind → place → why."""

    def __init__(
        self,
        turns: Sequence[Turn],
        answers: Sequence[LearnResult],
        memories: Mapping[int, Memory],
        links: Sequence[Link],
    ) -> None:
        self.turns, self.answers, self.memories, self.links = turns, answers, memories, links
        self.found: dict[FindingName, dict[int, str]] = {kind: {} for kind in FINDINGS}
        self.place_of: dict[int, int] = {}  # of the turn that made a memory
        for place, answer in enumerate(answers):
            if answer.status in ("stored", "quarantined"):
                self.place_of[answer.seq] = place

    def note(self, kind: FindingName, place: int | None, why: str) -> None:
        """Note that a turn is of a kind; the first reason counts. Of what was not in the source nothing is noted."""
        if place is not None:
            self.found[kind].setdefault(place, why)

    def tell(self, seq: int) -> str:
        """Return what a memory says."""
        return self.memories[seq].text if seq in self.memories else ""

    def describe(self, kind: FindingName, tokens: Sequence[int], examples: int) -> AuditFinding:
        """Say how many turns are of a kind, and show the first."""
        found = self.found[kind]
        firsts = sorted(found)[:examples]
        return AuditFinding(
            kind,
            len(found),
            len(found) / len(tokens) if tokens else 0.0,
            sum(tokens[place] for place in found),
            tuple(
                AuditExample(
                    place + 1, self.tell(self.answers[place].seq), found[place], self.turns[place].key or ""
                )
                for place in firsts
            ),
        )


def _iterate_findings(judged: _Judging, plan: Plan) -> Iterator[tuple[FindingName, tuple[int | None, str]]]:
    """Yield (kind, (place, why)) of all that was found."""
    yield from _iterate_answered(judged)
    yield from _iterate_linked(judged)
    for place, turn in enumerate(judged.turns):
        if gating.says_nothing(turn.text):
            yield "small talk", (place, "")
    for action in plan.actions():
        if action.name in _OUT_OF_SIGHT:
            for seq in action.seqs:
                yield "let go", (judged.place_of.get(seq), f"{action.name}: {action.because}")


def _iterate_answered(judged: _Judging) -> Iterator[tuple[FindingName, tuple[int, str]]]:
    """Yield what the gate and the doors said as the turns came in."""
    for place, answer in enumerate(judged.answers):
        if answer.reason == KEPT_OUT:
            yield "machine markup", (place, "")
        if answer.status in ("confirmed", "known"):
            yield "duplicate", (place, "the same text again")
        by_sort: Counter[FindingName] = Counter()
        for kind, count in answer.replaced.items():
            by_sort["personal data" if kind.startswith("personal") else "secret"] += count
        for sort in by_sort:
            kinds = ", ".join(
                kind for kind in answer.replaced if kind.startswith("personal") == (sort != "secret")
            )
            yield sort, (place, kinds)


def _iterate_linked(judged: _Judging) -> Iterator[tuple[FindingName, tuple[int | None, str]]]:
    """Yield what the links say: of near duplicates the later is the repeat, of newer and older the older is stale."""
    for link in judged.links:
        ends = [judged.memories.get(seq) for seq in (link.source, link.target)]
        if None in ends or any(one is not None and one.status is Status.QUARANTINED for one in ends):
            continue
        place, other = judged.place_of.get(link.target), judged.tell(link.source)
        if link.relation is Relation.NEAR_DUPLICATE:
            later, earlier = max(link.source, link.target), min(link.source, link.target)
            yield "duplicate", (judged.place_of.get(later), f"as: {judged.tell(earlier)}")
        elif link.relation in (Relation.NEWER, Relation.SUPERSEDES):
            yield "stale", (place, f"later: {other}")
        elif link.relation is Relation.CONTRADICTS and link.resolved_at is None:
            yield "contradicting", (place, f"other: {other}")
            yield "contradicting", (judged.place_of.get(link.source), f"other: {judged.tell(link.target)}")
