"""What may be found by a question, and what its score is multiplied by: the second stage of a recall.

Knows filters, statuses and the rows of the index; must not know what answers the question.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from remanence.core.local_time import SAID, SaidSpan
from remanence.core.model import Status, Verification
from remanence.core.results import TOO_OLD, UNVERIFIED
from remanence.flows.base.context import Core
from remanence.flows.base.recall_settings import RecallSettings, read_recall_settings
from remanence.flows.recall.filters import ArchiveFilter, Filters, find_passing, match_values
from remanence.flows.recall.question import RECALLED, Question, RecallRequest
from remanence.flows.recall.time_filters import LAST_SAID
from remanence.recall.corpus import Bools
from remanence.recall.fuse import CandidateRows, lower_archived, weigh_lifecycles


@dataclass(frozen=True, slots=True)
class RecallReach:
    """How far a recall reaches: its settings, the columns that its filters need, and what of the archive may be found.

    `asked` leaves out what the settings leave out; `loose` are its filters without its `max_age` and `verified`, which
    are counted by themselves. `archive` is None where the archive is closed.
    """

    asked: RecallRequest
    loose: Filters
    settings: RecallSettings
    archive: ArchiveFilter | None
    columns: frozenset[str]


def read_reach(core: Core, question: Question) -> RecallReach:
    """Read how far a question reaches, by its filters, the settings of the scope and the policy."""
    asked = question.asked
    settings = read_recall_settings(question.context.values, core.policy.recall)
    asked = replace(asked, filters=asked.filters.without_stale()) if settings.leaves_stale else asked
    loose, since = asked.filters, asked.said_since(core)
    asked = replace(asked, filters=loose.with_strict(since, verified=asked.verified))
    opens = asked.archived == "open" or (asked.archived is None and settings.is_open)
    columns = asked.filters.list_columns(asked.between) | {"category"}
    columns |= frozenset() if since is None else {*SAID}
    columns |= frozenset() if asked.budget is None else {"tokens"}
    columns |= {"lifecycle"} if settings.weighs_lifecycle else frozenset()
    return RecallReach(
        asked, loose, settings._replace(is_open=opens), _make_archive_filter(asked, opens=opens), columns
    )


def _make_archive_filter(asked: RecallRequest, *, opens: bool) -> ArchiveFilter | None:
    """Return what of the archive may be found, None where it is closed; who asks for the status gets full scores."""
    statuses, by_status = asked.filters.statuses, asked.filters.by_status
    if asked.of_entities or (by_status and statuses is not None and Status.ARCHIVED not in statuses):
        return None
    if not by_status and not opens:
        return None
    return ArchiveFilter(asked.thread, asked.between, asked.filters, lowered=not by_status)


async def find_candidates(core: Core, reach: RecallReach) -> CandidateRows:
    """Filter the rows of the index, which stays still; what is archived is among them where the archive is open."""
    asked, index = reach.asked, core.index
    is_open = reach.settings.is_open and not asked.filters.by_status  # who asks for a status gets full scores
    archived = index.match_statuses([Status.ARCHIVED]) if is_open else None
    archived = archived if archived is not None and archived.any() else None
    factors = {} if archived is None else lower_archived(archived)
    if reach.settings.weighs_lifecycle:
        factors.update(weigh_lifecycles(index.column("lifecycle")))
    allowed = await _filter_rows(core, reach, archived)
    left_out = _leave_strictly(core, asked, allowed)
    return CandidateRows(allowed, factors, left_out)


def _leave_strictly(core: Core, asked: RecallRequest, allowed: Bools) -> dict[str, int]:
    """Take rows out that are too old or not verified, where that is asked for; return how many by reason."""
    index, since, left_out = core.index, asked.said_since(core), {}
    if since is not None:
        is_fresh = SaidSpan(first=since).holds_either(*map(index.column, SAID))
        left_out[TOO_OLD] = int((allowed & ~is_fresh).sum())
        allowed &= is_fresh
        asked.trace.note_filter(LAST_SAID, allowed)
    if asked.verified:
        is_verified = index.column("verification") == Verification.USER_CONFIRMED
        left_out[UNVERIFIED] = int((allowed & ~is_verified).sum())
        allowed &= is_verified
        asked.trace.note_filter("verification", allowed)
    return left_out


async def _filter_rows(core: Core, reach: RecallReach, opened: Bools | None) -> Bools:
    """Return which rows may be returned: those that pass every filter, and stand where no status is asked for.

    Those that are `opened` may, too.
    """
    asked, filters = reach.asked, reach.loose
    index, trace = core.index, asked.trace
    trace.begin_rows(index)
    allowed = index.match_statuses(filters.statuses or RECALLED)
    if opened is not None:
        allowed |= opened
    trace.note_filter("status", allowed)
    if not asked.of_entities:
        allowed &= ~index.entities
        trace.note_filter("entity", allowed)
    if asked.thread is not None:
        allowed &= index.column("thread") == index.code("thread", asked.thread)
        trace.note_filter("thread", allowed)
    if asked.between is not None:
        allowed &= asked.between.holds_either(*map(index.column, SAID))
        trace.note_filter("between", allowed)
    for name, values in filters.columns.items():
        allowed &= match_values(name, index.column(name), values, partial(index.code, name))
        trace.note_filter(name, allowed)
    for pattern in filters.tags:
        allowed &= await index.match_tag(pattern, core.clock.now())
        trace.note_filter(f"tag {pattern}", allowed)
    if filters.has_more:
        mask = np.zeros(len(index), np.bool_)
        mask[index.rows_among(await find_passing(core, filters))[0]] = True
        allowed &= mask
        trace.note_filter("attributes" if filters.attributes else next(iter(filters.times)), allowed)
    return allowed
