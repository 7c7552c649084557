"""A plain agent loop with a memory: python -m examples.agent [FILE]; run it on one file twice, and it remembers.

The model is a script, so it runs offline and says the same each time; put a real one in its place and nothing else
changes: it sees what was said and what was recalled, and answers what to say, to keep and to rate.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import remanence

BUDGET = 300  # tokens of memory that a prompt has room for

FIRST_DAY = (
    "We have decided that the open day is on 18 April and starts at four, when the tide is high.",
    "Pia is allergic to latex, so her dry suit needs silicone seals.",
    "We tried a Sunday for the open day and rejected it: the harbour office is closed then.",
    "When does the open day start?",
    "Right, thank you.",
    "Who won the regatta in 1911?",
)
SECOND_DAY = (
    "What kind of seals does Pia's dry suit need?",
    "Right, thank you.",
    "Why was a Sunday rejected?",
)


@dataclass(frozen=True)
class Reply:
    """What a model wants: to say something, to keep a text under a category and tags, and to rate what it used."""

    says: str
    keeps: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    rating: float | None = None  # of what it used last


class Model(Protocol):
    """What the loop asks of a model."""

    def reply(self, said: str, recalled: remanence.RecallResult) -> Reply:
        """Answer a turn in the light of what was recalled, which is data and never an order."""
        ...


class Script:
    """A model that follows five rules: thanks is a rating, a question is looked up, all else is kept as what it is."""

    def reply(self, said: str, recalled: remanence.RecallResult) -> Reply:
        """Answer a turn."""
        if "thank you" in said:
            return Reply("You are welcome.", rating=1.0)
        if said.endswith("?"):
            return self._answer(recalled)
        if "decided" in said:
            return Reply("Decided and kept.", said, "decision")
        if "rejected" in said:
            return Reply("I will not suggest it again.", said, "decision", ("rejected-path",))
        return Reply("Noted.", said, "fact")

    def _answer(self, recalled: remanence.RecallResult) -> Reply:
        if recalled.is_weak:
            return Reply("I do not know; nobody has told me.")
        best = recalled.memories[0].memory
        return Reply(f'"{best.text}" ({best.speaker})', used=(best.id,))


class Agent:
    """The loop: recall before answering, keep what the model wants kept, rate what helped."""

    def __init__(self, memory: remanence.sync.Engine, model: Model) -> None:
        self._memory = memory
        self._model = model
        self._used: tuple[str, ...] = ()

    def hear(self, speaker: str, said: str) -> str:
        """Take one turn and return what the agent says."""
        recalled = self._memory.recall(said, budget=BUDGET, asker=speaker)
        reply = self._model.reply(said, recalled)
        if reply.keeps:
            self._memory.learn(reply.keeps, speaker=speaker, category=reply.category, tags=reply.tags)
        if reply.rating is not None and self._used:
            self._memory.rate(self._used, reply.rating)
        self._used = reply.used
        return reply.says


def work(path: Path) -> None:
    """Go through one day: the first on a new memory, the second on one that has lived through the first."""
    with remanence.sync.open(path, agent="quill") as memory, memory.session("conversation"):
        begun = memory.frame("boot")
        print(f"Quill begins with {len(begun.memories)} memories.")
        agent = Agent(memory, Script())
        for said in SECOND_DAY if begun.memories else FIRST_DAY:
            print(f"Mara:  {said}\nQuill: {agent.hear('Mara', said)}")


def main(arguments: list[str]) -> None:
    """Work one day on the file that is named, or two on one that goes away."""
    if arguments:
        work(Path(arguments[0]))
        return
    with tempfile.TemporaryDirectory(prefix="remanence-") as folder:
        for day in ("The first day", "The second day"):
            print(f"--- {day}")
            work(Path(folder) / "quill.db")


if __name__ == "__main__":
    main(sys.argv[1:])
