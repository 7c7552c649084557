"""A turn is noted: stored at once as an episode of its session, and told to whoever listens."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from remanence.core.errors import InvalidInput
from remanence.core.model import Kind, LearnResult, Turn
from remanence.core.results import Result
from remanence.core.segment import TURN
from remanence.flows.base.context import Core
from remanence.flows.write import gating
from remanence.flows.write.learning import GroupCommit
from remanence.read.keep_signals import signal
from remanence.text.analysis import check_text

EMPTY = "it says nothing to keep; `learn` stores it all the same"


@dataclass(frozen=True, slots=True, repr=False)
class NoteResult(Result):
    """Result of storing a turn: as `LearnResult` for a text, and a signal of how much it should be kept.

    `signal` is high, medium, low or none; `found` says by which classes of phrases. `gated` also covers small talk,
    laughter, mashed keys and marks alone. `run` is the id to give to `undo`, None where nothing was written.
    """

    id: str
    seq: int
    status: Literal["stored", "confirmed", "known", "quarantined", "gated"]
    signal: Literal["high", "medium", "low", "none"] = "none"
    found: tuple[str, ...] = ()
    reason: str = ""
    run: str | None = None
    replaced: Mapping[str, int] = field(default_factory=dict, hash=False)
    replacements: tuple[str, ...] = ()

    @property
    def learn_result(self) -> LearnResult:
        """The same result as a `LearnResult`, without its signal."""
        return LearnResult(
            self.id,
            self.seq,
            self.status,
            self.reason,
            run=self.run,
            replaced=self.replaced,
            replacements=self.replacements,
        )

    def __str__(self) -> str:
        cues = f" ({', '.join(self.found)})" if self.found else ""
        return f"{self.learn_result}, signal {self.signal}{cues}"


async def note(core: Core, together: GroupCommit, turn: Turn, *, later: bool) -> NoteResult:
    """Store one turn; unless it is for `later`, this engine listens to it when it is due and as it closes."""
    if turn.kind not in (None, Kind.EPISODIC, Kind.EPISODIC.label):
        raise InvalidInput(
            f"a turn of the kind {turn.kind}",
            recovery="note what was said as it was said, or `learn` what you know",
        )
    check_text(turn.text)
    reading = signal(turn.text)
    if gating.says_nothing(turn.text):
        await gating.count(core, {gating.JUNK: 1})
        return NoteResult("", 0, "gated", reading.level, reading.found, EMPTY)
    session = turn.session or core.session
    tags = (*turn.tags, *([] if TURN in turn.tags else [TURN]))
    answer = await together.learn(replace(turn, kind=Kind.EPISODIC, tags=tags, session=session))
    if not later and answer.status == "stored" and core.listener is not None:
        core.listener.notify_turn(session or "", high=reading.level == "high")
    return NoteResult(
        answer.id,
        answer.seq,
        answer.status,
        reading.level,
        reading.found,
        answer.reason,
        answer.run,
        answer.replaced,
        answer.replacements,
    )
