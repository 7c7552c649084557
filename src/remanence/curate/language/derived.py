"""Values that a condition reads and no column holds, such as counts and scores, and when one crosses a limit.

Knows views and time as numbers; formulas of the score are in `score`. Knows nothing of policies or of the language.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from remanence.core import score, snapshot
from remanence.core.clock import DAY, HOUR
from remanence.core.model import CERTAIN_MIN, REJECTED_PATH, Relation, Status
from remanence.core.score import RATING
from remanence.core.snapshot import Bools, Floats
from remanence.curate.language.view import LINKS, OF_LINKS, Array, LinkView, Run, View, visible

_SUCCESSION = [int(Relation.SUPERSEDES), int(Relation.MERGED_FROM), int(Relation.NEWER)]
IDENTITY = "self/*"  # tags of who the agent is
OUTDATED_READS = frozenset({LINKS, OF_LINKS + "confidence", "status", "trust", "speaker", f"tag:{IDENTITY}"})

Test = Callable[[Floats], Bools]  # one instant for each row in, one answer for each row out


def find_first_true(holds: Test, since: Floats, until: Floats, step: int = 1) -> Floats:
    """Return for each row the first instant at which a test holds, to a step of microseconds.

    It is known to hold at `until` and taken not to hold at `since`; once true, it is taken to stay so.
    """
    while np.any(until - since > step):
        middle = since + np.floor((until - since) / 2)
        true = holds(middle)
        until, since = np.where(true, middle, until), np.where(true, since, middle)
    return until


_EDGE_RATE = 0.5  # a link fades half as fast as its slower end (elfmem)
_EDGE_SEEN = 10  # from so many sightings on, half as fast again (elfmem)
_BUCKETS, _BUCKET_BITS = 7, 8
LINKS_REMEMBERED_MAX = 1 << 16  # of more than so many the ends are not held beside the links
_EVEN_BYTES, _LANE = 0x00FF00FF00FF00FF, 0xFFFF


def degree(view: View) -> Array:
    """Count the visible links of each memory."""
    return view.compute_everywhere(
        "degree", frozenset({LINKS, "status"}), lambda whole: _count_degrees(whole)
    )


def weighted_degree(view: View) -> Array:
    """Sum the weights of the visible links of each memory."""
    return view.compute_everywhere(
        "weighted_degree", frozenset({LINKS, "status"}), lambda whole: _count_degrees(whole, weighted=True)
    )


def _count_degrees(view: View, *, weighted: bool = False) -> Array:
    links, edges = view.edges(), visible(view)
    ends = np.concatenate([links.source[edges], links.target[edges]])
    twice = np.tile(links.read_column("weight", edges), 2) if weighted else None
    return np.bincount(ends, twice, minlength=len(view.snapshot)).astype(np.float64)


def decayed_weight(view: LinkView) -> Array:
    """The weight times exp(−λ·hours since last seen), λ half of the slower end's (elfmem); NaN where never seen.

    λ is that of the ends' classes, whatever their ratings: a rating judges what a memory says, not whether two belong
    together.
    """
    links, decay = view.memories.edges(), view.memories.column("decay")
    ends = score.RATES[decay[links.source[view.edges]]], score.RATES[decay[links.target[view.edges]]]
    rate = np.minimum(*ends) * _EDGE_RATE
    rate = np.where(view.column("count") >= _EDGE_SEEN, rate / 2, rate)
    hours = (view.now - view.column("last_at")) / HOUR
    weights: Array = view.column("weight") * score.recency(rate, hours)
    return weights


def recency(view: View, half_life: Array | float | None) -> Array:
    """Fade from 1 since the last use or reinforcement: by a half-life, or by exp(−λ·hours) of class and ratings.

    A half-life that is unknown, or not above zero, leaves the recency unknown.
    """
    age = view.now - np.fmax(_last_used(view), view.column("reinforced_at"))
    if half_life is not None:
        life = np.where(np.asarray(half_life) > 0, half_life, np.nan) if np.ndim(half_life) else half_life
        return np.asarray(0.5 ** (np.maximum(age, 0) / life), np.float64)
    return score.recency(_rates(view), age / HOUR)


def _last_used(view: View) -> Array:
    return np.asarray(np.fmax(view.column("used_at"), view.column("learned_at")))


def _rates(view: View) -> Floats:
    return score.rates(view.column("decay"), view.column("helped"), view.column("failed"))


def posterior(view: View) -> Array:
    """How sure one may be of a memory, by what was said and by its ratings."""
    return score.confidence(*(view.column(name) for name in ("confidence", "helped", "failed")))


def compute_composite_score(view: View, weights: score.ScoreWeights) -> Array:
    """The five-part score without a question; what a rule reinforced counts for nothing, so that none feeds itself."""
    return score.composite(
        weights,
        {
            "confidence": posterior(view),
            "recency": score.recency(_rates(view), (view.now - _last_used(view)) / HOUR),
            "centrality": view.compute_everywhere(
                "centrality", frozenset({LINKS, "status"}), _compute_centrality
            ),
            "reinforcement": view.compute_everywhere(
                "reinforcement", frozenset({"uses", "confirmations", "status"}), _compute_reinforcement
            ),
        },
    )


def _compute_centrality(whole: View) -> Array:
    degrees = weighted_degree(whole)
    return score.centrality(degrees, _compute_maximum(whole, degrees))


def _compute_reinforcement(whole: View) -> Array:
    counts = whole.column("uses") + whole.column("confirmations")
    return score.reinforcement(counts, _compute_maximum(whole, counts))


def _compute_maximum(whole: View, values: Array) -> float:
    """The greatest of what stands; what is out of sight sets no standard."""
    return float(values[whole.find_standing()].max(initial=0))


def load_bearing(view: View) -> Bools:
    """Tell on which memories later work rests."""
    return snapshot.load_bearing(view.column("kind"), view.tag(REJECTED_PATH))


def build_dangling_test() -> tuple[Run, Run]:
    """Tell which superseded memories have only tombstones after them; unknown where no successor is recorded."""
    reads = frozenset({LINKS, "status"})

    def yes(view: View) -> Bools:
        return view.compute_everywhere("dangling", reads, lambda whole: _find_dangling(whole)[0])

    def no(view: View) -> Bools:
        return view.compute_everywhere("not dangling", reads, lambda whole: _find_dangling(whole)[1])

    return yes, no


def _find_dangling(whole: View) -> tuple[Bools, Bools]:
    links, status = whole.edges(), whole.column("status")
    lineage = np.flatnonzero(np.isin(links.relation, _SUCCESSION))
    newer, older = links.source[lineage], links.target[lineage]
    is_superseded = status == Status.SUPERSEDED
    leads_somewhere = (status >= Status.INBOX) & (status < Status.PRUNED) & ~is_superseded
    # A chain is followed from its living end, one generation a step, until a step finds nobody new.
    while len(rows := older[leads_somewhere[newer] & ~leads_somewhere[older]]):
        leads_somewhere[rows] = True
    return is_superseded & _mark_rows(whole, older) & ~leads_somewhere, ~is_superseded | leads_somewhere


def build_outdated_test() -> tuple[Run, Run]:
    """Tell of which memories something surely newer stands; who an agent is, is never outdated.

    The newer one is believed more, or said by the same speaker and believed as much.
    """

    def yes(view: View) -> Bools:
        return view.compute_everywhere("outdated", OUTDATED_READS, _find_outdated)

    return yes, lambda view: ~yes(view)


def _find_outdated(whole: View) -> Bools:
    links, standing = whole.edges(), whole.find_standing()
    trust, speaker = whole.column("trust"), whole.column("speaker")
    edges = links.find_uncut(
        (links.relation == Relation.NEWER) & standing[links.source] & standing[links.target]
    )
    edges = edges[~(links.read_column("confidence", edges) < CERTAIN_MIN)]
    newer, older = links.source[edges], links.target[edges]
    own = (trust[newer] == trust[older]) & (speaker[newer] == speaker[older])
    counts = ((trust[newer] > trust[older]) | own) & ~whole.tag(IDENTITY)[older]
    newer, older = newer[counts], older[counts]
    # Whatever goes round in a circle outdates nothing: a chain is followed from what nothing is newer than.
    outdated = np.zeros(len(whole.snapshot), np.bool_)
    leads = ~_mark_rows(whole, older)
    while len(rows := older[leads[newer] & ~outdated[older]]):
        outdated[rows] = leads[rows] = True
    return outdated


def uses_within(view: View, days: int) -> Array:
    """Count uses on the last so many UTC days, today included, from seven day counts packed in bytes."""
    # Days are the wall's on every clock.
    age = np.asarray(view.instant // DAY, np.int64) - view.column("use_day")
    # The newest count is the lowest byte: drop what is newer than today, then what is too old.
    newer = np.clip(-age, 0, _BUCKETS)
    buckets = view.column("use_days") >> (_BUCKET_BITS * newer)
    bucket_count = np.clip(days - np.maximum(age, 0), 0, _BUCKETS - newer)
    buckets &= (np.int64(1) << (_BUCKET_BITS * bucket_count)) - 1
    pairs = (buckets & _EVEN_BYTES) + ((buckets >> _BUCKET_BITS) & _EVEN_BYTES)
    total = (pairs & _LANE) + ((pairs >> 16) & _LANE) + ((pairs >> 32) & _LANE) + (pairs >> 48)
    counts: Array = total.astype(np.float64)
    return counts


def build_link_condition(
    relation: int | None, asked: Mapping[str, Any], key: str, reads: frozenset[str]
) -> tuple[Run, Run]:
    """Tell which memories have a link to such a memory; not known to have none where the other end is unknown."""

    def both(whole: View) -> tuple[Bools, Bools]:
        masks: tuple[Bools, Bools]
        masks = whole.remember(f"joined {key}", reads, lambda view: _find_linked(view, relation, asked))
        return masks

    def yes(view: View) -> Bools:
        return view.compute_everywhere(f"ends of {key}", reads, lambda whole: both(whole)[0])

    def no(view: View) -> Bools:
        return view.compute_everywhere(f"no ends of {key}", reads, lambda whole: ~both(whole)[1])

    return yes, no


def _find_linked(view: View, relation: int | None, asked: Mapping[str, Any]) -> tuple[Bools, Bools]:
    """Return who surely and who possibly has such a link."""
    mine, other = _find_link_ends(view, relation, asked.get("direction", "any"))
    status = view.column("status") == asked["status"] if "status" in asked else view.find_standing()
    surely = possibly = status[other]
    for name in (name for name in ("category", "state") if name in asked):
        codes = view.column(name)[other]
        matches = codes == view.code(name, asked[name])
        surely, possibly = surely & matches, possibly & (matches | (codes < 0))
    sure = _mark_rows(view, mine[surely])
    return sure, sure if surely is possibly else _mark_rows(view, mine[possibly])


def _find_link_ends(view: View, relation: int | None, direction: str) -> tuple[Array, Array]:
    """Return the ends of links, a memory and what it is linked to, of one relation or of all."""

    def compute(view: View) -> tuple[Array, Array]:
        links = view.edges()
        rows = links.find_uncut(
            np.ones(len(links), np.bool_) if relation is None else links.relation == relation
        )
        source = links.source[rows]
        target = links.target[rows]
        match direction:
            case "in":
                return target, source
            case "out":
                return source, target
            case _:
                return np.concatenate([source, target]), np.concatenate([target, source])

    if len(view.edges()) > LINKS_REMEMBERED_MAX:
        return compute(view)
    ends: tuple[Array, Array]
    ends = view.remember(f"ends of {relation} {direction}", frozenset({LINKS}), compute)
    return ends


def _mark_rows(view: View, rows: Array) -> Bools:
    marks = np.zeros(len(view.snapshot), np.bool_)
    marks[rows] = True
    return marks


def text_at(view: View) -> Array:
    """Return when texts last changed: where they never did, when they were said."""
    said_at, changed_at = view.column("said_at"), view.column("text_at")
    return np.where(np.isnan(changed_at), said_at, changed_at)


def confidence_at(view: View) -> Array:
    """Return when confidences were last said: where only on arrival, when they were learned."""
    learned_at, said_at = view.column("learned_at"), view.column("confidence_at")
    return np.where(
        np.isnan(view.column("confidence")), np.nan, np.where(np.isnan(said_at), learned_at, said_at)
    )


def used_value(view: View) -> Array:
    """Return what memories are worth by what they say and by their use; an absent keep-value is 0."""
    value = np.nan_to_num(view.column("value"))
    return score.used_value(value, view.column("uses"), view.column("confirmations"))


def shown_length(view: View, unit: str) -> Array:
    """Return how long what is shown of memories is, in tokens or words."""
    names = ("form", unit, f"short_{unit}")

    def compute(view: View) -> Array:
        return snapshot.shown_lengths({name: view.column(name) for name in names}, unit)

    return view.compute_everywhere(f"{unit} shown", frozenset(names), compute)


def feedback(view: View) -> Array:
    """Return what ratings say, from -1 to 1 (engram)."""
    helped, failed = (view.column(name) / RATING for name in ("helped", "failed"))
    share: Array = (helped - failed) / np.maximum(helped + failed, 1)
    return share
