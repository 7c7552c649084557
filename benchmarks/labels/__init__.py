"""Reads the labelled texts that the benchmarks score against; it knows how the files are laid out, no engine."""

import json
from pathlib import Path
from typing import Any, Literal, get_args

Part = Literal["first", "second", "third", "fourth", "fifth", "eighth"]

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the kinds of labels there are."""
    return sorted({path.name.split(".")[0] for path in FOLDER.glob("*.jsonl")})


def parts(name: str) -> list[Part]:
    """Return the sets that a kind of labels has."""
    return [part for part in get_args(Part) if (FOLDER / f"{name}.{part}.jsonl").exists()]


def read(name: str, part: Part) -> list[dict[str, Any]]:
    """Return the lines of one set of a kind of labels."""
    lines = (FOLDER / f"{name}.{part}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]
