"""Ingest a file: its turns become memories, on request facts are extracted, and a higher trust raises earlier texts.

Knows files, and what extracting from them would ask of a model; must not know how a text is stored or a fact found.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from pathlib import Path

from remanence.core.arguments import check_path
from remanence.core.change import Change
from remanence.core.effects import VERBS
from remanence.core.errors import IngestError
from remanence.core.keywords import Progress
from remanence.core.model import Kind, LearnResult, Memory, Role, Status, Trust, Turn, short_id
from remanence.core.receipt import ExtractPendingResult, Receipt
from remanence.core.results import Result, format_counts, number, one_line, visible
from remanence.core.segment import TURN
from remanence.edit.one_memory import merge_changes, update
from remanence.flows.base.context import Core, label
from remanence.flows.base.naming import SEVERAL_MAX
from remanence.flows.base.paging import read_memories
from remanence.flows.base.settings import number as setting
from remanence.flows.base.settings import read_zone
from remanence.flows.base.spending import DAY_LIMIT, read_cents
from remanence.flows.consolidate.boxes import seal
from remanence.flows.consolidate.extract_pending import (
    BATCH,
    CONTEXT,
    listen,
    take_batch,
    wanted_now,
)
from remanence.flows.consolidate.importing_relations import make_relations, plan_relations
from remanence.flows.consolidate.renewing import find_known_keys, take_source
from remanence.flows.edit.editing import accept, make_edit_changes
from remanence.flows.write import gating
from remanence.flows.write.extracting import (
    ExtractEstimate,
    as_heard,
    parse_transcript,
)
from remanence.flows.write.foreseeing import foresee
from remanence.llm.base import Extractor
from remanence.llm.questions import build_extract_question
from remanence.read.extraction import ExtractRequest
from remanence.text.tokens import token_counts
from remanence.write.admission import PROGRAMS
from remanence.write.import_relations import check_relations
from remanence.write.imported import ImportedTurn, SkipCounts, list_left_out
from remanence.write.renewals import is_as_it_came
from remanence.write.roles import compute_trust, lower_trust, role_of_name
from remanence.write.transcripts.formats import Transcript
from remanence.write.transcripts.importer_source import AnyImporter


async def raise_trust(core: Core, raised: Mapping[int, Turn], door: Trust) -> list[Receipt]:
    """Believe memories as far as the door lets them, and let them out of quarantine where that is enough.

    What somebody changed since stays as it is; the rest gets back what was replaced for want of trust or of a setting,
    as its turn says it.
    """
    lower = [one for one in (await read_memories(core, [*raised])).values() if is_as_it_came(one)]
    receipts: list[Receipt] = []
    for begin in range(0, len(lower), SEVERAL_MAX):
        receipts += await _raise_some(core, lower[begin : begin + SEVERAL_MAX], raised, door)
    return receipts


async def _raise_some(
    core: Core, lower: Sequence[Memory], turns: Mapping[int, Turn], door: Trust
) -> list[Receipt]:
    async def decide(memory: Memory) -> Sequence[Change]:
        if not is_as_it_came(memory):
            return ()
        trust = max(memory.trust, compute_trust(door, memory.role))
        changes = update(memory, {"trust": trust}) if trust > memory.trust else []
        text = gating.screen_turn(core, turns[memory.seq], trust)[0].text
        if text == memory.text or memory.holds:
            return changes
        edits = await make_edit_changes(core, memory, VERBS["update"], {"text": text})
        return merge_changes([*map(_keep_age, edits), *changes])

    receipts = [await core.change([one.seq for one in lower], "update", decide)]
    free = [
        one.seq
        for one in lower
        if "release" not in core.denials
        and one.status is Status.QUARANTINED
        and compute_trust(door, one.role) >= Trust.AGENT
    ]
    return [*receipts, await accept(core, free)] if free else receipts


def _keep_age(change: Change) -> Change:
    """Let a text be as old as it was: it is what was said then, not what somebody says now."""
    sides = [
        side if side is None else {name: value for name, value in side.items() if name != "text_at"}
        for side in (change.before, change.after)
    ]
    return Change(change.table, change.key, *sides)


REPLACED_SHOWN = 3  # texts in which something was replaced
EXAMPLES_SHOWN, EXAMPLE_CHARS = 3, 100  # of each outcome in a dry run
SKIPPED_CHARS = 400  # of an example of what is left out
ANSWER_TOKENS, FACT_TOKENS = 20, 60  # what an answer has beside its facts, and each fact beside its own words

OUTCOMES = ("stored", "confirmed", "known", "quarantined", "gated", "replaced")
HELD_BACK = "{} held back for markup meant for a machine (`review list --sort quarantine`)"
HASHED = "kept as a hash: {} of the source, which looked like a secret"
OTHERWISE = "differs from what is here, {}"
DRY = ", a dry run, nothing was written"
NO_WRITER = "no facts extracted, as no model was given; later: `consolidate --listen` with a model"
OWN = "is this your own log? Ingest it again with `--trust user`"  # raises what came in before


@dataclass(frozen=True, slots=True, repr=False)
class IngestExample(Result):
    """One turn of a file and what would become of it; `text` as it would be kept, "" where nothing would be."""

    outcome: str
    text: str
    speaker: str | None = None
    why: str = ""

    def __str__(self) -> str:
        who = f"{self.speaker}: " if self.speaker else ""
        why = f" ({self.why})" if self.why else ""
        return one_line(f"{self.outcome}: {who}{self.text}{why}", EXAMPLE_CHARS)


@dataclass(frozen=True, slots=True, repr=False)
class IngestResult(Result):
    """Result of an import: the file's turns by outcome, and the parts of the file that are no turns (reason → count).

    `quarantined` turns hold markup for a machine, `gated` ones are forbidden. `replaced` counts secrets and personal
    data by kind; `replacements` says for the first texts on which lines they were, and how to keep such data. `raised`
    counts turns that were known and are believed further now, since the file is imported with a higher `trust`. Of what
    the source says of its turns, `superseded` counts turns that others replaced, `forgotten` turns that were stored as
    deleted, `dated` known turns that now are valid from or until a time, and `linked` links. `hashed` counts ids that
    look like secrets and are kept as hashes. `differing` counts turns whose text differs from the stored one under
    their key, by the outcome of that, and stored parts of documents that no longer hold them. `examples` shows the
    first turn that was left out, or differs, for each reason.

    For a dry run the counts are those that the import would have; `outcomes` are the first turns of each outcome, and
    `estimate` says, where facts were to be extracted, what a model would be asked.
    """

    source: str
    format: str
    turns: int
    stored: int
    confirmed: int
    known: int
    quarantined: int = 0
    gated: int = 0
    replaced: Mapping[str, int] = field(default_factory=dict)
    threads: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    runs: tuple[str, ...] = ()  # what `undo` takes, one by one, the last first
    extracted: ExtractPendingResult = field(default_factory=ExtractPendingResult)
    replacements: tuple[str, ...] = ()
    raised: int = 0
    trust: Trust = Trust.OUTSIDE
    superseded: int = 0
    forgotten: int = 0
    dated: int = 0
    linked: int = 0
    hashed: int = 0
    differing: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
    outcomes: tuple[IngestExample, ...] = ()
    estimate: ExtractEstimate | None = None

    def __str__(self) -> str:
        counts = {"stored": self.stored, "confirmed": self.confirmed, "known": self.known}
        counts |= {
            "quarantined": self.quarantined,
            "gated": self.gated,
            "replaced": sum(self.replaced.values()),
            "raised": self.raised,
            "superseded": self.superseded,
            "forgotten": self.forgotten,
            "dated": self.dated,
            "linked": self.linked,
        }
        suffix = "".join(f"\n{visible(one)}" for one in self.replacements)
        held = [HELD_BACK.format(number(self.quarantined, "turn", "turns"))] if self.quarantined else []
        asks = self.trust is not Trust.USER and (
            held or any(kind.startswith("personal") for kind in self.replaced)
        )
        suffix += f"\n{'; '.join([*held, OWN] if asks else held)}" if held or asks else ""
        suffix += f"\n{HASHED.format(number(self.hashed, 'id', 'ids'))}" if self.hashed else ""
        for why, count in self.differing.items():
            suffix += visible(f"\n{OTHERWISE.format(number(count, 'time', 'times'))}: {why}")
            suffix += visible(f" (such as {self.examples[why]})") if why in self.examples else ""
        suffix += "".join(f"\n  {line}" for line in list_left_out(self.skipped, self.examples))
        suffix += f"\n{self.extracted}" if self.extracted.turns or self.extracted.failed else ""
        suffix += "".join(f"\n  {one}" for one in self.outcomes)
        suffix += f"\n{self.estimate}" if self.estimate is not None else ""
        whole = f"{number(self.turns, 'turn', 'turns')} of {self.source} ({self.format})"
        whole += DRY if self.dry_run else ""
        return visible(f"{whole}: {format_counts(counts)}") + suffix


async def ingest(
    core: Core,
    path: str | Path,
    format: str | AnyImporter,  # noqa: A002
    progress: Progress | None,
    *,
    trust: str | Trust,
    extract: bool,
    actions: bool,
) -> IngestResult:
    """Take the turns of a file in, 1,000 a transaction; nothing is taken in where any of it is malformed.

    What is known from before is believed as far as the file is now, where that is more.
    """
    transcript, door = await read_source(core, path, format, trust, actions=actions)
    taken = await take_in(core, transcript, Path(path).name, progress, door=door, noted=extract)
    sessions = {turn.session or core.session or "" for turn in transcript.turns} if extract else ()
    extraction = await listen(core, sessions)
    if extract and not isinstance(core.writer, Extractor):
        extraction = replace(extraction, failed=(*extraction.failed, NO_WRITER))
    for session in sorted(set(sessions)):  # the file holds all of them
        await seal(core, session)
    return replace(taken.result, extracted=extraction, runs=(*taken.result.runs, *extraction.runs))


async def preview(
    core: Core,
    path: str | Path,
    format: str | AnyImporter,  # noqa: A002
    progress: Progress | None,
    *,
    trust: str | Trust,
    extract: bool,
    actions: bool,
) -> IngestResult:
    """Say what `ingest` would do, by doing it where nothing is written."""
    transcript, door = await read_source(core, path, format, trust, actions=actions)
    source, foreseen = Path(path).name, await foresee(core)
    taken = await take_in(foreseen, transcript, source, progress, door=door, noted=extract)
    return replace(
        taken.result,
        runs=(),
        dry_run=True,
        outcomes=tuple(await _list_examples(foreseen, taken)),
        estimate=await estimate(core, transcript, source) if extract else None,
    )


async def read_source(
    core: Core,
    path: str | Path,
    format: str | AnyImporter,  # noqa: A002
    trust: str | Trust,
    *,
    actions: bool = False,
) -> tuple[Transcript, Trust]:
    """Read a file whole, of a session of a coding host with its `actions` if asked; say how far it is believed."""
    check_path(path)
    door = lower_trust(core.trust, Role.USER, label(Trust, trust, "trust"))
    zone = await read_zone(core)
    parsed = await asyncio.to_thread(_parse_screened, core, Path(path), format, zone, actions=actions)
    return parsed, door


def _parse_screened(
    core: Core,
    path: Path,
    format: str | AnyImporter,  # noqa: A002
    zone: tzinfo | None,
    *,
    actions: bool,
) -> Transcript:
    """Read a source; what is wrong with it is told without the secrets that stood there."""
    try:
        return parse_transcript(path, format, zone, actions=actions)
    except IngestError as error:
        screening = gating.screen_shown(core, error.message)
        if not screening.replaced:
            raise
        source, line = error.source, error.line
        raise IngestError(screening.text, recovery=error.recovery, source=source, line=line) from None


def _screen_left_out(core: Core, skips: SkipCounts) -> SkipCounts:
    """Return what was left out as it is shown: with markers for secrets and personal data, an example on a line."""
    shown = SkipCounts()
    for reason, count in skips.items():
        why = gating.screen_shown(core, reason, personal=True).text
        shown[why] += count
        if reason in skips.examples:
            example = gating.screen_shown(core, skips.examples[reason], personal=True).text
            shown.examples.setdefault(why, one_line(example, SKIPPED_CHARS))
    return shown


@dataclass(frozen=True, slots=True)
class Intake:
    """What became of the turns of a file, in all and one by one."""

    result: IngestResult
    answers: Sequence[LearnResult]


async def take_in(
    core: Core,
    transcript: Transcript,
    source: str,
    progress: Progress | None,
    *,
    door: Trust,
    noted: bool,
) -> Intake:
    """Take the turns of a file in; where facts are to be extracted from them they are `noted`."""
    # A source names categories; those that the policy declares for people are taken.
    known = {name for name in core.policy.categories if not core.policy.is_system(name)}
    turns = [
        replace(turn, category=turn.source_category)
        if isinstance(turn, ImportedTurn) and turn.category is None and turn.source_category in known
        else turn
        for turn in transcript.turns
    ]
    turns = list(map(_mark_as_turn, turns)) if noted else turns
    check_relations(turns, source)
    taken = await take_source(core, turns, door, source, progress)
    answers = taken.answers
    decision = await plan_relations(core, turns, taken.drafts, answers, door)
    relations = await make_relations(core, decision, source)
    raised = await raise_trust(core, taken.raised, door)
    counts = Counter(one.status for one in answers)
    new = [one for one in answers if one.status != "known"]
    skips = SkipCounts({**transcript.skipped, **decision.skipped})
    skips.examples = {**transcript.examples, **decision.skipped.examples}
    left_out = _screen_left_out(core, skips)
    runs = dict.fromkeys([*(one.run for one in answers if one.run is not None), *taken.runs])
    result = IngestResult(
        source=source,
        format=transcript.format,
        turns=len(answers),
        stored=counts["stored"],
        confirmed=counts["confirmed"],
        known=counts["known"],
        quarantined=counts["quarantined"],
        gated=counts["gated"],
        replaced=gating.count_replaced(new),
        threads=transcript.threads,
        skipped=dict(left_out),
        runs=(*runs, *relations.runs, *(one.run for one in raised)),
        replacements=tuple(_list_replacements(new)),
        raised=sum(one.counts.get("update", 0) for one in raised),
        trust=door,
        superseded=taken.superseded + relations.superseded,
        forgotten=relations.forgotten,
        dated=relations.dated,
        linked=relations.linked,
        hashed=len(taken.find_hashed_ids()),
        differing=dict(taken.differing),
        examples={**left_out.examples, **taken.differing.examples},
    )
    return Intake(result.with_mended(transcript.halves) if transcript.halves else result, answers)


async def _list_examples(core: Core, taken: Intake) -> list[IngestExample]:
    """Return the first turns of each outcome, and of those in which something was replaced, as they would be kept."""
    firsts: dict[str, list[LearnResult]] = defaultdict(list)
    for answer in taken.answers:
        is_replaced = answer.replaced and answer.status != "known"
        for outcome in (answer.status, *(["replaced"] if is_replaced else [])):
            if len(firsts[outcome]) < EXAMPLES_SHOWN:
                firsts[outcome].append(answer)
    seqs = {answer.seq for some in firsts.values() for answer in some if answer.seq}
    texts = await read_memories(core, sorted(seqs))
    return [
        IngestExample(
            outcome,
            one.text if one else "",
            one.speaker if one else None,
            "; ".join(answer.replacements) if outcome == "replaced" else answer.reason,
        )
        for outcome in OUTCOMES
        for answer in firsts.get(outcome, ())
        for one in [texts.get(answer.seq)]
    ]


def _list_replacements(answers: Sequence[LearnResult]) -> Iterator[str]:
    """Say what was replaced in the first texts in which anything was, and in how many more."""
    screened = [one for one in answers if one.replacements]
    for one in screened[:REPLACED_SHOWN]:
        yield f"{short_id(one.seq)}: {'; '.join(one.replacements)}"
    if len(screened) > REPLACED_SHOWN:
        yield f"and in {number(len(screened) - REPLACED_SHOWN, 'more text', 'more texts')}"


def _mark_as_turn(turn: Turn) -> Turn:
    """Return a turn of a file as one that is noted."""
    return replace(turn, kind=Kind.EPISODIC, tags=tuple(dict.fromkeys((*turn.tags, TURN))))


async def estimate(core: Core, transcript: Transcript, source: str) -> ExtractEstimate:
    """Say what extracting from the turns of a file that are new would ask of the writer."""
    known_keys = await find_known_keys(core, (turn.key for turn in transcript.turns))
    new = [turn for turn in transcript.turns if turn.key not in known_keys]
    plain = ExtractEstimate(source, transcript.format, len(transcript.turns), len(new))
    writer = core.writer
    if not isinstance(writer, Extractor):
        return plain
    calls, tokens = await asyncio.to_thread(_estimate_requests, core, new, await wanted_now(core))
    return replace(
        plain,
        writer=writer.name,
        calls=calls,
        tokens=tokens,
        per_day=await setting(core, DAY_LIMIT),
        cents=await read_cents(core, tokens),
    )


def _estimate_requests(core: Core, turns: Sequence[Turn], wanted: ExtractRequest) -> tuple[int, int]:
    """Return how many questions turns make, and what asking them takes where each turn gives a fact of its length."""
    calls = tokens = 0
    for before, batch in _cut_batches(turns):
        batch_turns = [replace(as_heard(turn, 0, core.zone), id=core.new_id()) for turn in batch]
        wanted = replace(wanted, before=tuple(as_heard(turn, 0, core.zone) for turn in before))
        answer = sum(token_counts([turn.text for turn in batch_turns])) + FACT_TOKENS * len(batch_turns)
        calls += 1
        tokens += build_extract_question(batch_turns, wanted).tokens + ANSWER_TOKENS + answer
    return calls, tokens


def _cut_batches(turns: Sequence[Turn]) -> Iterator[tuple[list[Turn], list[Turn]]]:
    """Yield turns as they are listened to, behind those said right before them: of one session, so many at a time.

    What programs say is believed less, and has a question of its own.
    """
    sessions: dict[str | None, list[Turn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session].append(turn)
    for session_turns in sessions.values():
        begin = 0
        while begin < len(session_turns):
            before = session_turns[max(0, begin - CONTEXT) : begin]
            batch = take_batch(session_turns[begin : begin + BATCH])
            begin += len(batch)
            apart = zip(_split_by_trust(before), _split_by_trust(batch), strict=True)
            yield from ((earlier, some) for earlier, some in apart if some)


def _split_by_trust(turns: Sequence[Turn]) -> tuple[list[Turn], list[Turn]]:
    """Return what people said, and what programs said."""
    people: list[Turn] = []
    programs: list[Turn] = []
    for turn in turns:
        role = turn.role or role_of_name(turn.speaker) or Role.USER
        (programs if role in PROGRAMS else people).append(turn)
    return people, programs
