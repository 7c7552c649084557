"""What texts claim as they arrive, and what becomes of older memories that claim otherwise.

Knows who may take whose place: the same speaker, or one who is trusted more. What is pinned, held, of a system category
or of who an agent is, stays, and the two are linked as contradicting each other.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from remanence.core.change import Change
from remanence.core.claim import Claim
from remanence.core.guards import find_protecting_guards
from remanence.core.model import STANDING, Link, Memory, Relation, Trust, link_values
from remanence.edit.decide import decide_replacement
from remanence.edit.one_memory import build_unchanged_check, merge_changes, says_who
from remanence.flows.base.context import Core, run_off_loop
from remanence.read.claims import ClaimFound, ClaimVerdict, asked_of, claims_of, updates
from remanence.store.capabilities import CLAIMS, can
from remanence.write.admission import DraftBatch, MemoryDraft
from remanence.write.engine_actions import SURE_MIN

ABOUT_MAX = 200  # of the claims of one pair of subject and attribute the latest ones are looked at
# Claims of one pair in a commit: each is compared with those before it, and a thousand callers wait meanwhile.
TOGETHER_MAX = 20


@dataclass(slots=True)
class _ClaimReplacement:
    """One older memory, those of its claims that a new text replaces, and whether it may take its place."""

    old: Memory
    claims: list[Claim]
    why: ClaimVerdict
    may: bool


@dataclass(slots=True)
class _StandingClaims:
    """What a batch asks about and what stands: claims by what they are about, memories and links by number."""

    claims: dict[tuple[str, str], list[Claim]] = field(default_factory=lambda: defaultdict(list))
    memories: dict[int, Memory] = field(default_factory=dict)
    links: dict[int, list[Link]] = field(default_factory=lambda: defaultdict(list))

    def drop_replaced(self, taken: Sequence["_ClaimReplacement"]) -> None:
        """Leave out what was just replaced: memories that fell, and claims of those that stand."""
        fell = {one.old.seq for one in taken if _says_only(one)}
        keys = {claim.key for one in taken for claim in one.claims}
        for pair, claims in self.claims.items():
            self.claims[pair] = [one for one in claims if one.seq not in fell and one.key not in keys]


def first_run(drafts: Sequence[MemoryDraft]) -> int:
    """Count the drafts from the first on of which none takes the place of another: the rest waits for the next commit.

    So a batch comes to the same as its texts one by one. Many claims of one pair of subject and attribute wait, too.
    """
    seen: dict[tuple[str, str], list[ClaimFound]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        for claim in draft.claims:
            alike = seen[claim.subject, claim.attribute]
            before = chain.from_iterable(seen[pair] for pair in asked_of(claim))
            if len(alike) >= TOGETHER_MAX or any(updates(old, claim).replaces for old in before):
                return place
        for claim in draft.claims:
            seen[claim.subject, claim.attribute].append(claim)
    return len(drafts)


async def with_claims(
    core: Core, drafts: Sequence[MemoryDraft], batch: DraftBatch, spared: Collection[int] = ()
) -> list[Change]:
    """Decide what the new texts of a batch claim and whose place they take; `spared` is decided by the caller."""
    new = [
        (place, draft)
        for place, draft in enumerate(drafts)
        if draft.claims and not draft.kept_out and batch.outcomes[place].status == "stored"
    ]
    if not new or not can(core.store, CLAIMS):
        return []
    standing = await _read_standing_claims(
        core, [claim for _, draft in new for claim in draft.claims], spared
    )
    chars = sum(len(draft.turn.text) for _, draft in new) * sum(map(len, standing.claims.values()))
    return await run_off_loop(chars, _decide_texts, core, new, batch, standing)


def _decide_texts(
    core: Core, new: Sequence[tuple[int, MemoryDraft]], batch: DraftBatch, found: _StandingClaims
) -> list[Change]:
    """Decide the new texts in their order, each in the light of those before it."""
    changes: list[Change] = []
    for place, draft in new:
        key = batch.outcomes[place].key
        changes += [
            _make_claim_change(key, number, claim, draft.said_at) for number, claim in enumerate(draft.claims)
        ]
        if replacements := list(_find_replaced(core, draft, found)):
            changes += _decide(core, draft, batch, place, replacements, found)
            found.drop_replaced([one for one in replacements if one.may])
    return merge_changes(changes)


async def _read_standing_claims(
    core: Core, claims: Sequence[ClaimFound], spared: Collection[int]
) -> _StandingClaims:
    """Fetch what stands and claims something of the same subjects."""
    standing = _StandingClaims()
    about = list(dict.fromkeys(pair for claim in claims for pair in asked_of(claim)))
    latest = await core.store.find_latest_claims(core.scope, about, ABOUT_MAX)
    open_claims = [claim for claim in latest if claim.replaced_by is None]
    if not open_claims:
        return standing
    seqs = sorted({claim.seq for claim in open_claims} - set(spared))
    memories = await core.store.get(core.scope, seqs)
    standing.memories = {one.seq: one for one in memories if one is not None and one.status in STANDING}
    for claim in open_claims:
        if claim.seq in standing.memories:
            standing.claims[claim.subject, claim.attribute].append(claim)
    for link in await core.store.neighbours(core.scope, sorted(standing.memories)):
        standing.links[link.source].append(link)
        standing.links[link.target].append(link)
    return standing


def _make_claim_change(key: int, number: int, claim: ClaimFound, said_at: int) -> Change:
    values = {"subject": claim.subject, "attribute": claim.attribute, "value": claim.value}
    return Change("claims", (key, number), None, {**values, "valid_from": said_at})


def _find_replaced(core: Core, draft: MemoryDraft, found: _StandingClaims) -> Iterator[_ClaimReplacement]:
    """Yield the older memories of which a text says that something is otherwise now, each once."""
    by: dict[int, _ClaimReplacement] = {}
    for old, why in chain.from_iterable(_replaced_by(claim, found) for claim in draft.claims):
        memory = found.memories[old.seq]
        if memory.said_at <= draft.said_at:
            turn = draft.turn
            may = may_replace(core, memory, draft.trust, turn.speaker, turn.confidence)
            one = by.setdefault(old.seq, _ClaimReplacement(memory, [], why, may))
            one.claims.append(old)
    yield from by.values()


def _replaced_by(claim: ClaimFound, found: _StandingClaims) -> Iterator[tuple[Claim, ClaimVerdict]]:
    """Yield the older claims whose place a newer one takes."""
    for old in chain.from_iterable(found.claims[pair] for pair in asked_of(claim)):
        why = updates(ClaimFound(old.subject, old.attribute, old.value), claim)
        if why.replaces:
            yield old, why


def may_replace(core: Core, old: Memory, trust: Trust, speaker: str | None, confidence: float | None) -> bool:
    """Tell whether a text may take a memory's place: by who says it how surely, and by what protects the memory."""
    system = core.policy.is_system(old.category)
    if confidence is not None and confidence < SURE_MIN:
        return False
    if find_protecting_guards(old, system=system, now=core.clock.now()) or says_who(old.tags, system=system):
        return False
    return trust > old.trust or (trust == old.trust and speaker == old.speaker)


def _decide(
    core: Core,
    draft: MemoryDraft,
    batch: DraftBatch,
    place: int,
    taken: Sequence[_ClaimReplacement],
    found: _StandingClaims,
) -> list[Change]:
    """Let a text take the place of older memories or of some of their claims, or link it to what it contradicts."""
    outcome, now = batch.outcomes[place], core.clock.now()
    changes: list[Change] = []
    reasons: list[str] = [outcome.reason] if outcome.reason else []
    places = at_odds = 0
    for one in taken:
        if not one.may:
            link = (one.old.seq, outcome.key, int(Relation.CONTRADICTS))
            changes += [Change("links", link, None, link_values(now)), build_unchanged_check(one.old)]
            reasons.append(f"contradicts {one.old.id}")
            at_odds += 1
            continue
        batch.rows[-outcome.key - 1].setdefault("valid_from", draft.said_at)
        ending = {"valid_to": draft.said_at, "replaced_by": outcome.key}
        changes += [
            Change("claims", claim.key, {"valid_to": claim.valid_to, "replaced_by": None}, ending)
            for claim in one.claims
        ]
        if _says_only(one):
            changes += decide_replacement(
                one.old, found.links[one.old.seq], outcome.key, None, now, ends=draft.said_at
            )
            places += 1
            reasons.append(f"takes the place of {one.old.id}: {one.why.why}")
        else:
            changes.append(build_unchanged_check(one.old))
            reasons.append(f"{one.old.id} is out of date in part: {one.why.why}")
    batch.outcomes[place] = replace(outcome, reason="; ".join(reasons), replaces=places, contradicts=at_odds)
    return changes


def _says_only(one: _ClaimReplacement) -> bool:
    """Tell whether a memory says nothing but what is replaced."""
    claims = claims_of(one.old.text, one.old.speaker)
    return len(claims) == 1 and claims[0].alone


async def claims_anew(core: Core, memory: Memory, text: str, said_at: int) -> list[Change]:
    """Let a memory whose text is another one claim what that says, and no more what it said."""
    if not can(core.store, CLAIMS):
        return []
    old = await core.store.claims(core.scope, [memory.seq])
    new = claims_of(text, memory.speaker)
    first = max((claim.number + 1 for claim in old), default=0)
    additions = (
        _make_claim_change(memory.seq, number, claim, said_at) for number, claim in enumerate(new, first)
    )
    return [*(Change("claims", claim.key, claim.values, None) for claim in old), *additions]
