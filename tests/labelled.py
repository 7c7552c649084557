"""Reads labelled texts that tests hold the engine against: one object a line."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def read_labelled(name: str) -> list[dict[str, Any]]:
    """Return the lines of a file below this folder."""
    lines = (FOLDER / name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]
