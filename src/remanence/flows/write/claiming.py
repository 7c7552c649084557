"""What texts claim as they arrive, and which older memories they may outdate or are at odds with: links, no more.

What the same speaker says otherwise later is newer; anybody else's is at odds. Which of two holds is for a person, a
writer or a policy to say.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import chain

from remanence.core.change import Change
from remanence.core.model import STANDING, Link, Memory, OutdatedMemory, Relation, Trust, link_values
from remanence.edit.one_memory import merge_changes
from remanence.flows.base.context import Core, run_off_loop
from remanence.read.claims import ClaimFound, ClaimVerdict, asked_of, claims_of, compare_claims
from remanence.read.outdating import AT_ODDS, SURE, UNSURE
from remanence.store.capabilities import CLAIMS, can
from remanence.write.admission import DraftBatch, DraftOutcome, MemoryDraft
from remanence.write.engine_actions import SURE_MIN

ABOUT_MAX = 200  # of the claims of one pair of subject and attribute the latest ones are read
COMPARED_MAX = 20  # and so many compared, so that the work does not grow with the square of the texts
TOLD_MAX = 3  # older memories that an answer names


@dataclass(frozen=True, slots=True)
class _StandingClaim:
    """A claim that an older text makes, stored or of the same batch, and who said it; `key` is negative in a batch."""

    claim: ClaimFound
    key: int
    said_at: int
    speaker: str | None
    trust: Trust
    id: str
    text: str

    @property
    def order(self) -> tuple[int, bool, int]:
        """When it was said, then when it arrived."""
        return self.said_at, self.key < 0, abs(self.key)

    def is_of(self, draft: MemoryDraft) -> bool:
        """Tell whether it is the word of who speaks now, and believed no more than that."""
        return self.speaker == draft.turn.speaker and self.trust <= draft.trust


@dataclass(slots=True)
class _ClaimLinks:
    """What is known of a batch as it is decided in order: claims by what they are about, and links between texts.

    `newer` maps an older text to what is newer, with how sure that is; `stored` are the links that the store holds.
    """

    claims: dict[tuple[str, str], list[_StandingClaim]] = field(default_factory=lambda: defaultdict(list))
    newer: dict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    odds: set[tuple[int, int]] = field(default_factory=set)
    stored: dict[tuple[int, int], Link] = field(default_factory=dict)
    trust: dict[int, Trust] = field(default_factory=dict)  # of what stands

    def is_outdated(self, key: int) -> bool:
        """Tell whether something that stands is newer."""
        return not self.trust.keys().isdisjoint(self.newer.get(key, ()))

    def say_again(self, key: int, sure: float) -> None:
        """Make what is said again newer than what was said of it since."""
        for newer in self.newer.pop(key, {}):
            self.newer[newer].setdefault(key, sure)

    def changes(self, now: int) -> Iterator[Change]:
        """Yield what is to be written: links that are new, and those that hold no longer."""
        pairs = {(newer, older): sure for older, some in self.newer.items() for newer, sure in some.items()}
        yield from (
            Change("links", link.key, link.values, None)
            for pair, link in self.stored.items()
            if pair not in pairs
        )
        for pair, sure in pairs.items():
            if pair not in self.stored:
                yield Change("links", (*pair, int(Relation.NEWER)), None, link_values(now, sure, sure))
        for pair in self.odds:
            values = link_values(now, AT_ODDS, AT_ODDS)
            yield Change("links", (*pair, int(Relation.CONTRADICTS)), None, values)


async def link_claims(
    core: Core, drafts: Sequence[MemoryDraft], batch: DraftBatch, spared: Collection[int] = ()
) -> list[Change]:
    """Decide what the texts of a batch claim, and link them to older ones; `spared` is decided by the caller."""
    places = [
        place
        for place, draft in enumerate(drafts)
        if draft.claims and not draft.kept_out and batch.outcomes[place].status in {"stored", "confirmed"}
    ]
    if not places or not can(core.store, CLAIMS):
        return []
    links = await _read_standing(core, [(drafts[at], batch.outcomes[at].key) for at in places], spared)
    chars = sum(len(drafts[place].turn.text) for place in places) * COMPARED_MAX
    return await run_off_loop(chars, _decide, drafts, batch, places, links)


async def _read_standing(
    core: Core, texts: Sequence[tuple[MemoryDraft, int]], spared: Collection[int]
) -> _ClaimLinks:
    """Fetch what stands and claims something of the same subjects, and what is known to be newer than what."""
    links = _ClaimLinks()
    about = dict.fromkeys(pair for draft, _ in texts for one in draft.claims for pair in asked_of(one))
    latest = await core.store.find_latest_claims(core.scope, list(about), ABOUT_MAX)
    claims = [one for one in latest if one.replaced_by is None and one.seq not in spared]
    seqs = sorted({key for _, key in texts if key > 0}.union(claim.seq for claim in claims))
    if not seqs:
        return links
    memories = await core.store.get(core.scope, seqs)
    by_seq = {one.seq: one for one in memories if one is not None and one.status in STANDING}
    links.trust = {seq: one.trust for seq, one in by_seq.items()}
    for claim in claims:
        if (one := by_seq.get(claim.seq)) is not None:
            said = ClaimFound(claim.subject, claim.attribute, claim.value)
            links.claims[claim.subject, claim.attribute].append(
                _StandingClaim(said, one.seq, one.said_at, one.speaker, one.trust, one.id, one.text)
            )
    for link in await core.store.neighbours(core.scope, sorted(by_seq), Relation.NEWER):
        links.stored[link.source, link.target] = link
        links.newer[link.target][link.source] = link.weight
    return links


def _decide(
    drafts: Sequence[MemoryDraft], batch: DraftBatch, places: Sequence[int], links: _ClaimLinks
) -> list[Change]:
    """Decide the texts in their order, each in the light of those before it."""
    changes: list[Change] = []
    for place in places:
        draft, outcome = drafts[place], batch.outcomes[place]
        if outcome.status == "confirmed":
            if draft.trust >= links.trust.get(outcome.key, Trust.USER):
                links.say_again(outcome.key, max(_measure_sureness(draft, claim) for claim in draft.claims))
            continue
        batch.outcomes[place] = _link_text(draft, outcome, links)
        links.trust[outcome.key] = draft.trust
        for number, claim in enumerate(draft.claims):
            changes.append(_make_claim_change(outcome.key, number, claim, draft.said_at))
            who, trust, text = draft.turn.speaker, draft.trust, draft.turn.text
            said = _StandingClaim(claim, outcome.key, draft.said_at, who, trust, outcome.id, text)
            links.claims[claim.subject, claim.attribute].append(said)
    return merge_changes([*changes, *links.changes(batch.now)])


def _link_text(draft: MemoryDraft, outcome: DraftOutcome, links: _ClaimLinks) -> DraftOutcome:
    """Link a text to the latest that its speaker said otherwise, and to the latest that anybody else still does."""
    outdated: dict[int, OutdatedMemory] = {}
    odds: dict[int, str] = {}
    for claim in draft.claims:
        matches = list(_find_other_values(draft, claim, links))
        own = [match for match in matches if match[0].is_of(draft)]
        others = [one for one in matches if not (one[0].is_of(draft) or links.is_outdated(one[0].key))]
        for old, why in _select_latest(own, links):
            sure = _measure_sureness(draft, claim)
            links.newer[old.key].setdefault(outcome.key, sure)
            told = OutdatedMemory(old.id, old.text, why.why, sure == SURE, outcome.id)
            outdated.setdefault(old.key, told)
        for old, _ in others[:1]:
            odds.setdefault(old.key, old.id)
    pairs = ((key, outcome.key) for key in odds)
    links.odds |= {(old, new) if old > 0 else (max(old, new), min(old, new)) for old, new in pairs}
    reasons = [outcome.reason, *(f"at odds with {name}" for name in odds.values())]
    return replace(
        outcome,
        reason="; ".join(filter(None, reasons)),
        outdates=tuple(outdated.values())[:TOLD_MAX],
        newer=len(outdated),
        contradicts=len(odds),
    )


def _find_other_values(
    draft: MemoryDraft, claim: ClaimFound, links: _ClaimLinks
) -> Iterator[tuple[_StandingClaim, ClaimVerdict]]:
    """Yield the older claims that say otherwise, the latest first."""
    claims = chain.from_iterable(links.claims.get(pair, ()) for pair in asked_of(claim))
    earlier = (one for one in claims if one.said_at <= draft.said_at)
    for old in nlargest(COMPARED_MAX, earlier, key=lambda one: one.order):
        verdict = compare_claims(old.claim, claim)
        if verdict.is_other:
            yield old, verdict


def _select_latest(
    matches: Sequence[tuple[_StandingClaim, ClaimVerdict]], links: _ClaimLinks
) -> Sequence[tuple[_StandingClaim, ClaimVerdict]]:
    """Return the latest for which nothing newer stands, else the latest, alone; nothing where there is none."""
    return [match for match in matches if not links.is_outdated(match[0].key)][:1] or matches[:1]


def _measure_sureness(draft: MemoryDraft, claim: ClaimFound) -> float:
    """Say how sure a later value is the newer one: it has to be said that it changed, and not only supposed."""
    sure = draft.turn.confidence
    return SURE if claim.changed and (sure is None or sure >= SURE_MIN) else UNSURE


def _make_claim_change(key: int, number: int, claim: ClaimFound, said_at: int) -> Change:
    values = {"subject": claim.subject, "attribute": claim.attribute, "value": claim.value}
    return Change("claims", (key, number), None, {**values, "valid_from": said_at})


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
