"""The vectors that stand for a model: made beforehand, counted, or served by HTTP."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from lifebench.adapter import VECTOR_DIMENSIONS, Adapter, embed_words

SERVE = """
import sys
from lifebench.adapter import Adapter
from lifebench.embed_server import serve_vectors
print(serve_vectors(Adapter(), sys.argv[1]), flush=True)
sys.stdin.read()
"""


def test_vectors_of_a_file_are_used_instead_of_words(tmp_path: Path) -> None:
    """A text is known with other spaces around it and in small letters; one that is not in the file is an error."""
    (tmp_path / "vectors").write_text(json.dumps(["The Otter", [0.5, 0.25, 0.0]]) + "\n")
    adapter = Adapter()
    before = adapter.dimensions, adapter.embed(["The Otter"])
    adapter.use_vectors(str(tmp_path / "vectors"))

    assert (VECTOR_DIMENSIONS, embed_words(["The Otter"])) == before
    assert (3, [[0.5, 0.25, 0.0]]) == (adapter.dimensions, adapter.embed([" the otter "]))
    with pytest.raises(KeyError):
        adapter.embed(["another"])


def test_vectors_are_served_at_the_same_address_again(tmp_path: Path) -> None:
    """A system that stored the address finds the server there after a restart."""
    answers = [ask_server(tmp_path), ask_server(tmp_path)]

    assert [embed_words(["a boat", "a berth"])] * 2 == [vectors for _, vectors in answers]
    assert answers[0][0] == answers[1][0]


def ask_server(folder: Path) -> tuple[str, list[list[float]]]:
    """Start a process that serves vectors; return its address and what it answers."""
    command = [sys.executable, "-c", SERVE, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        body = json.dumps({"model": "words", "input": ["a boat", "a berth"]}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{url}/embeddings", body)) as reply:
            data = json.load(reply)["data"]
        process.communicate()
    return url, [one["embedding"] for one in data]
