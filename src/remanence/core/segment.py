"""Which memories stand side by side: those of one session, else of one thread, else of one agent's run.

A run is what an agent took in one after another, without session and thread, never more than 30 minutes between one
and the next. Nothing is stored for it: what arrives and what is read go by the same rule. When read, texts of a run
that no talk is near stand alone: statements that nobody made to anybody are a list.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from remanence.core.arrival import Segment
from remanence.core.clock import MINUTE

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

TURN = "turn"  # the tag of what was noted: words of a conversation, as they were said
GAP_MAX = 30 * MINUTE
FIRST_IN_SEGMENT = 3  # so many open a segment; a tail counts no further
# A thread or run that so many others of the scope have followed is begun anew for whoever arrives: looking further back
# would cost more than it tells.
LOOK_BACK = 500

# So many texts before and after one with a speaker or a question mark are talk: as far as neighbours lend words.
TALK_REACH = 4

# The column that holds the name of a segment.
SPACES = {"session": "session", "thread": "thread", "run": "agent"}


def segment_of(session: str | None, thread: str | None, agent: str | None) -> Segment:
    """Return the segment that a memory belongs to."""
    if session is not None:
        return Segment("session", session)
    return Segment("run", agent) if thread is None else Segment("thread", thread)


def goes_on(kind: str, earlier: int, later: int) -> bool:
    """Tell whether a segment goes on from one memory to the next; only a run can end by itself."""
    return kind != "run" or abs(later - earlier) <= GAP_MAX


def count_last_segment(kind: str, said_at: Sequence[int]) -> int:
    """Return how many of the last memories of a name, newest first, are one segment."""
    for place in range(1, len(said_at)):
        if not goes_on(kind, said_at[place], said_at[place - 1]):
            return place
    return len(said_at)


def segments(
    said_at: Ints, asks: Bools, session: Codes, thread: Codes, agent: Codes, speaker: Codes
) -> Codes:
    """Return one code a memory, the same for all of a segment; rows stand in order of arrival, -1 is no name.

    `asks` marks texts with a question mark.
    """
    threads_from = int(session.max(initial=-1)) + 1
    runs_from = threads_from + int(thread.max(initial=-1)) + 1
    codes = np.where(session >= 0, session, thread + np.int32(threads_from)).astype(np.int32)
    alone = np.flatnonzero((session < 0) & (thread < 0))
    if len(alone):
        order = alone[np.argsort(agent[alone], kind="stable")]
        whose, at = agent[order], said_at[order]
        begins = (whose[1:] != whose[:-1]) | (np.abs(at[1:] - at[:-1]) > GAP_MAX)
        is_near = _mark_near_talk(_number_pieces(begins), ((speaker >= 0) | asks)[order])
        codes[order] = runs_from + _number_pieces(begins | ~is_near[1:] | ~is_near[:-1])
    return codes


def _mark_near_talk(run: Ints, talks: Bools) -> Bools:
    """Mark the texts that talk, and those around them in the same run."""
    is_near = talks.copy()
    for k in range(1, TALK_REACH + 1):
        is_same = run[k:] == run[:-k]
        is_near[k:] |= talks[:-k] & is_same
        is_near[:-k] |= talks[k:] & is_same
    return is_near


def _number_pieces(begins: Bools) -> Ints:
    return np.concatenate(([0], np.cumsum(begins)))
