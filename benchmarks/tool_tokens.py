"""What the tools cost a model in tokens: `python -m benchmarks.tool_tokens [--judge PYTHON] [--src FOLDER]`.

Counted is what a host receives: the whole result of each call as JSON, and of each tool its name, description and
inputs. `--judge` names a Python that has `bpe-openai`, whose vocabulary comes with it; without one the engine's own
count holds. `--src` serves another version's source, to compare the two.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import remanence
from benchmarks.report import figure, settings
from remanence.text.tokens import token_counts

SRC = Path(remanence.__file__).parents[1]
CONVERSATION = SRC / "remanence/faces/sample/saltmarsh.jsonl"
SERVE = "from remanence.faces.cli import main; main()"
ASKED = ("When is the open day?", "Who is allergic to what?", "What broke last week?", "sails and boats")
MEMORIES = 10
COUNT = """
import json, sys, bpe_openai
counted = bpe_openai.get_encoding("o200k_base").encode_ordinary
print(json.dumps([len(counted(text)) for text in json.load(sys.stdin)]))
"""


def main() -> None:
    """Serve a memory of ninety days, look at its tools, and ask for ten memories a question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", default=None)
    parser.add_argument("--src", type=Path, default=SRC)
    given = parser.parse_args()
    settings(judge="o200k_base" if given.judge else "own", memories=MEMORIES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        asyncio.run(_filled(path))
        tools, answers = _asked(path, given.src)
    shown = [json.dumps(tool, ensure_ascii=False) for tool in tools]
    offered = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]
    plain = [json.dumps(tool, ensure_ascii=False) for tool in offered]
    whole = [json.dumps(answer, ensure_ascii=False) for answer in answers]
    counts = _counted([*shown, *plain, *whole], given.judge)
    n = len(tools)
    figure("mcp.tools", sum(counts[:n]), "tokens", tools=n)
    figure("mcp.tools.inputs", sum(counts[n : 2 * n]), "tokens", tools=n)
    figure("mcp.recall", mean(counts[2 * n :]), "tokens", answers=len(answers), memories=MEMORIES)


async def _filled(path: Path) -> None:
    async with remanence.open(path) as memory:
        await memory.ingest(CONVERSATION)
        await memory.consolidate()


def _asked(path: Path, src: Path) -> tuple[list[Any], list[Any]]:
    """Return the tools, and what each question was answered."""
    command = [sys.executable, "-c", SERVE, "mcp", str(path), "--allow-curation"]
    environment = {**os.environ, "PYTHONPATH": str(src)}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        client = {"name": "benchmark", "version": "1"}
        _ask(
            server,
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        listed = _ask(server, "tools/list", {})["tools"]
        answers = []
        for query in ASKED:
            arguments = {"query": query, "limit": MEMORIES, "budget": None}
            answers.append(_ask(server, "tools/call", {"name": "recall", "arguments": arguments}))
        assert server.stdin is not None
        server.stdin.close()
    return listed, answers


def _ask(server: "subprocess.Popen[bytes]", method: str, parameters: dict[str, Any]) -> Any:
    assert server.stdin is not None
    assert server.stdout is not None
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]


def _counted(texts: Sequence[str], judge: str | None) -> list[int]:
    if judge is None:
        return token_counts(texts)
    done = subprocess.run(
        [judge, "-c", COUNT], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    counts: list[int] = json.loads(done.stdout)
    return counts


if __name__ == "__main__":
    main()
