"""The model server as a process of its own, as tests need it, both writers that ask it, and one that is scripted."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from remanence.llm.anthropic_writer import AnthropicWriter
from remanence.llm.base import Judgement
from remanence.llm.openai_api import OpenAIWriter
from remanence.read.extraction import Entity, ExtractRequest, ExtractResult, ExtractTurn, Fact, Relationship

KEY = "sk-test-4f1c0e77d2a94b3d"  # made up, for this machine's server only
VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
ANY_MODEL = "rules"  # any name that is no fault


@contextmanager
def model_server() -> Iterator[str]:
    """Start a server; yield its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "remanence_store_kit.model_server"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def variables(address: str) -> dict[str, str]:
    """Return the environment in which the writers find a server by themselves."""
    urls = {"OPENAI_BASE_URL": f"{address}/v1", "ANTHROPIC_BASE_URL": address}
    return urls | dict.fromkeys(VARIABLES, KEY) | {"PATH": os.environ["PATH"]}


def asking(
    vendor: str, model: str, address: str, seconds_max: float = 20.0
) -> OpenAIWriter | AnthropicWriter:
    """Return a vendor's writer that asks the server."""
    if vendor == "openai":
        return OpenAIWriter(model, base_url=f"{address}/v1", seconds_max=seconds_max)
    return AnthropicWriter(model, base_url=address, seconds_max=seconds_max)


def _report(turn: ExtractTurn) -> str:
    return f"It is said: {turn.text}"


class Naming:
    """A writer that finds the names it was given, and of turns of users the facts that `fact_of` makes."""

    name = "naming"

    def __init__(
        self,
        *entities: tuple[str, str],
        relationships: Sequence[Relationship] = (),
        fact_of: Callable[[ExtractTurn], str] = _report,
    ) -> None:
        self.entities = [Entity(*one) for one in entities]
        self.relationships = tuple(relationships)
        self._fact_of = fact_of

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Give the names that are there, and the turns as facts."""
        named = [one for one in self.entities if any(one.name in turn.text for turn in turns)]
        facts = [
            Fact("fact", content, turn.id, (0, len(turn.text)), 0.9, subject=turn.speaker)
            for turn in turns
            if turn.role == "user" and (content := self._fact_of(turn))
        ]
        return ExtractResult(tuple(facts), tuple(named), relationships=self.relationships)
