"""What a fleet of agents says and does, day by day: a seed decides all of it, and no answer of the memory does.

Knows the verbs and what is said to them; knows no store, no policy and no clock. All texts are made up here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any

from remanence.core.clock import DAY, HOUR, MINUTE, SECOND
from remanence.core.model import Turn

NAMES = ("alva", "bram", "cleo", "doro", "emil", "finn", "gesa", "hugo", "iris", "jann", "kaya", "lars")
SHIFTS = (8 * HOUR, 11 * HOUR, 14 * HOUR, 17 * HOUR)  # when sessions begin, UTC, some minutes apart
SESSION_LEAST, SESSION_MOST = 40 * MINUTE, 60 * MINUTE
NOTICES, TASKS, ENTRIES, RECALLS = 20, 5, 10, 20  # of each agent and day, over all its sessions
HANDBOOK_DAYS, BULLETIN_DAYS = (
    25,
    12,
)  # how long a finished task, and a read notice, is looked up in each session
LONG_DAYS, LONG_TEXTS, LONG_SENTENCES = 3, 10, 12  # every third day so many long texts
REMEMBERED = 60  # texts of an agent that it may ask for
WORDS_ASKED = 4

_STARTS, _ENDS = ("bal", "dor", "fen", "gri", "hol", "lum", "mar", "tor"), ("dan", "ket", "mere", "wick")
PLACES = [start + end for start in _STARTS for end in _ENDS]
THINGS = ("pump", "kiln", "valve", "lamp", "hatch", "crane", "filter", "boiler", "ladder", "scale", "winch")
DOINGS = ("rattles", "runs warm", "was oiled", "waits for a part", "is clean", "leaks a little", "hums")
WHENS = ("before dawn", "at noon", "after the rain", "since the frost", "in the third hour", "at night")
# What an agent's first nine entries of a day are; the tenth is one of the others in turn.
DAILY = (
    "memory_entry", "fact", "memory_entry", "belief", "memory_entry",
    "analysis", "fact", "memory_entry", "reflection",
)  # fmt: skip
IN_TURN = ("recommendation", "synthesis", "compressed_context", "decision", "observation")
CONFIDENCE = (0.2, 0.5, 0.8, 0.95)
SEVERITY = ("info", "low", "medium", "high")
TASK_ENDS = ("completed",) * 7 + ("cancelled", "failed", "blocked")
FOUNDED = ("agent_key", "identity")  # of each agent, and of all of them:
SHARED = ("migration", "configuration")


@dataclass(frozen=True, order=True)
class Said:
    """A verb, when it is said and what is said to it; `number` orders what is said at one instant."""

    at: int
    number: int
    verb: str = field(compare=False)
    args: Sequence[Any] = field(compare=False, default=())
    more: Mapping[str, Any] = field(compare=False, default_factory=dict)


@dataclass(frozen=True)
class Session:
    """One agent at work: from when until when, and what its memories are called by."""

    agent: str
    day: int
    number: int
    begins: int
    ends: int

    def key(self, what: str, number: int = 0) -> str:
        """Name a memory of this session."""
        return f"{self.agent} {self.day}.{self.number} {what} {number}"


class Fleet:
    """Agents at work: what they say, in order of time."""

    def __init__(self, agents: int, start: int, seed: int = 21, shifts: int = len(SHIFTS)) -> None:
        self.agents = NAMES[:agents]
        self._shifts = SHIFTS[:shifts]
        self.counts: Counter[str] = Counter()  # what was said so far, by what it is
        self._start = start
        self._chance = Random(seed)
        self._numbers = count()
        self._coming: list[Said] = []
        self._texts: dict[str, list[str]] = defaultdict(list)
        self._looked_up: dict[tuple[str, str], str] = {}

    def until(self, days: int) -> Iterator[Said]:
        """Yield all that is said until so many days are over, in order."""
        self._found()
        for day in range(days):
            for agent in self.agents:
                for number, shift in enumerate(self._shifts):
                    begins = self._start + day * DAY + shift + self._within(10 * MINUTE)
                    ends = begins + SESSION_LEAST + self._within(SESSION_MOST - SESSION_LEAST)
                    self._work(Session(agent, day, number, begins, ends))
            while self._coming and self._coming[0].at < self._start + (day + 1) * DAY:
                yield heappop(self._coming)

    def _say(self, at: int, verb: str, *args: Any, **more: Any) -> None:
        heappush(self._coming, Said(at, next(self._numbers), verb, args, more))

    def _found(self) -> None:
        """Say who is there, and what the system itself needs."""
        at = self._start + SECOND
        for agent in self.agents:
            for category in FOUNDED:
                text = f"The {category.replace('_', ' ')} of {agent} lies at {self._chance.choice(PLACES)}."
                self._say(at, "learn", text, key=f"{agent} {category}", agent=agent, category=category)
            # What goes on for as long as the fleet is looked at, and what it rests on, which nobody asks for.
            self._say(
                at, "learn", f"{agent} builds a mill.", key=f"{agent} project", agent=agent, category="task"
            )
            self._say(
                at,
                "learn",
                f"The mill of {agent} has two floors.",
                key=f"{agent} plan",
                agent=agent,
                category="fact",
            )
            self._say(at + SECOND, "update", f"{agent} project", state="in_progress")
            self._say(at + SECOND, "link", f"{agent} project", f"{agent} plan", "refers")
        for category in SHARED:
            self._say(at, "learn", f"The {category} of the works.", key=category, category=category)

    def _work(self, session: Session) -> None:
        """Say what is done in one session."""
        self.counts["sessions"] += 1
        parts = len(SHIFTS)
        about = f"{session.agent} looks after {self._chance.choice(PLACES)}, round {session.day}.{session.number}."
        self._learn(session, session.begins, "session", about, category="session_context")
        self._say(session.ends, "update", session.key("session"), state="ended")
        self._notices(session, NOTICES // parts)
        for number in range(TASKS)[session.number :: parts]:
            self._task(session, number)
        for number in range(ENTRIES)[session.number :: parts]:
            self._entry(session, number)
        if session.number == 1 and session.day % LONG_DAYS == 0:
            self._minutes(session)
        self._look_up(session)
        for _ in range(RECALLS // parts - 2):
            self._recall(session, " ".join(self._asked(session.agent)), limit=5)

    def _notices(self, session: Session, notices: int) -> None:
        """Have notices come in together; most are read in the session, some the day after, a few never."""
        turns = []
        for number in range(notices):
            key, severity = (
                session.key("notice", number),
                self._chance.choice((None, None, "low", "critical")),
            )
            turns.append(
                Turn(self._text(), key=key, agent=session.agent, category="notification", severity=severity)
            )
            later = self._chance.random()
            if later < 0.93:
                at = self._during(session) if later < 0.85 else session.ends + DAY
                self._say(at, "update", key, state="read")
        self._say(session.begins + MINUTE, "learn", turns)
        self.counts["notices"] += notices

    def _task(self, session: Session, number: int) -> None:
        """Take up a task, work with something, and end it; one that is blocked ends two days later."""
        self.counts["tasks"] += 1
        key, ending = session.key("task", number), self._chance.choice(TASK_ENDS)
        taken = session.begins + 5 * MINUTE
        ends = session.ends - self._within(10 * MINUTE)
        self._learn(session, session.begins + 2 * MINUTE, "task", self._text(), number, category="task")
        self._say(taken, "update", key, state="in_progress")
        self._say(ends, "update", key, state=ending)
        if ending == "blocked":
            self._say(ends + 2 * DAY, "update", key, state="completed")
        if self._chance.random() < 0.1:
            lesson = session.key("lesson", number)
            self._learn(session, ends + MINUTE, "lesson", self._text(), number, category="fact")
            self._say(ends + 2 * MINUTE, "link", lesson, key, "learned_from")

    def _entry(self, session: Session, number: int) -> None:
        """Keep something for later, linked to the session, to a recommendation or to nothing."""
        self.counts["entries"] += 1
        others = IN_TURN[(session.day + NAMES.index(session.agent)) % len(IN_TURN)]
        category = DAILY[number] if number < len(DAILY) else others
        at, more = self._during(session), dict[str, Any]()
        if category == "belief":
            more["confidence"] = self._chance.choice(CONFIDENCE)
        if category == "analysis":
            more["severity"] = self._chance.choice(SEVERITY)
        if category == "compressed_context":
            more["state"] = "keywords"
        self._learn(session, at, "entry", self._text(), number, category=category, **more)
        key = session.key("entry", number)
        if number % 3 == 0:
            self._say(at + MINUTE, "link", session.key("session"), key, "refers")
        if category == "analysis" and self._chance.random() < 0.5:
            self._learn(session, at + MINUTE, "advice", self._text(), number, category="recommendation")
            self._say(at + 2 * MINUTE, "link", key, session.key("advice", number), "supports")
        if category == "reflection" and self._chance.random() < 0.5:
            self._say(session.ends + DAY, "update", key, state="consolidated")

    def _minutes(self, session: Session) -> None:
        """Keep long minutes of a round, more than an agent has room for at hand."""
        for number in range(LONG_TEXTS):
            text = " ".join(self._text() for _ in range(LONG_SENTENCES))
            self._learn(session, self._during(session), "minutes", text, number, category="memory_entry")

    def _look_up(self, session: Session) -> None:
        """Look up what an agent keeps at hand for long: a task that is finished, and a notice that was read."""
        for what, days, ended in (
            ("handbook", HANDBOOK_DAYS, "completed"),
            ("bulletin", BULLETIN_DAYS, "read"),
        ):
            named = session.agent, what
            if session.number == 0 and session.day % days == 0:
                self._looked_up[named] = text = f"{session.agent}'s {what}: {self._text()}"
                category = "task" if what == "handbook" else "notification"
                self._learn(session, session.begins + 10 * SECOND, what, text, category=category)
                self._say(session.begins + 3 * MINUTE, "update", session.key(what), state=ended)
            self._recall(session, self._looked_up[named], limit=1)

    def _learn(self, session: Session, at: int, what: str, text: str, number: int = 0, **more: Any) -> None:
        self._texts[session.agent] = [*self._texts[session.agent], text][-REMEMBERED:]
        self._say(at, "learn", text, key=session.key(what, number), agent=session.agent, **more)

    def _recall(self, session: Session, query: str, **more: Any) -> None:
        self.counts["recalls"] += 1
        at = session.begins + 5 * MINUTE + self._within(SESSION_LEAST - 5 * MINUTE)
        self._say(at, "recall", query, agent=session.agent, **more)

    def _asked(self, agent: str) -> Sequence[str]:
        """Choose words of a text that an agent of the fleet has learned, most often this one."""
        of = self._chance.choice((agent, agent, agent, self._chance.choice(self.agents)))
        words = self._chance.choice(self._texts[of] or self._texts[agent]).split()
        return self._chance.sample(words, min(WORDS_ASKED, len(words)))

    def _text(self) -> str:
        """Make up a sentence that nobody is likely to have said before."""
        chance = self._chance
        what = f"{chance.choice(THINGS)} no. {chance.randrange(100_000)} {chance.choice(DOINGS)}"
        return f"Near {chance.choice(PLACES)} the {what} {chance.choice(WHENS)}."

    def _during(self, session: Session) -> int:
        """Return a second within the session in which all that it begins with is there."""
        return session.begins + 6 * MINUTE + self._within(SESSION_LEAST - 10 * MINUTE)

    def _within(self, span: int) -> int:
        """Return a whole number of seconds, in microseconds."""
        return self._chance.randrange(span // SECOND) * SECOND
