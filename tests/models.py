"""The model server as a process of its own, as tests need it, and both writers that ask it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from remanence.llm.anthropic_writer import AnthropicWriter
from remanence.llm.openai_api import OpenAIWriter

KEY = "sk-test-4f1c0e77d2a94b3d"  # made up, for this machine's server only
VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
ANY_MODEL = "rules"  # any name that is no fault


@contextmanager
def model_server() -> Iterator[str]:
    """Start a server; yield its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "remanence.testing.model_server"], stdout=subprocess.PIPE, text=True
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
