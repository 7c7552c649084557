"""Harmless texts that nobody wrote for the gate, by source, and pieces of them of one length."""

import email
import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCOMO = (ROOT.parent / "shared/data/locomo10.json", Path("/work/shared/data/locomo10.json"))
LENGTHS = (300, 1_000, 4_000)
CUTS = 3  # of one text at most
LEAST = 0.5  # of a length, for a text to stand for it whole
README_CHARS_MIN = 200
MANUALS = Path("/usr/share/man")
MANUAL_CHARS = 160_000  # of one language


def readmes() -> dict[str, str]:
    """Return the README of each distribution that is installed here, as far as it has one."""
    found: dict[str, str] = {}
    for one in metadata.distributions():
        about = email.message_from_string(one.read_text("METADATA") or "")
        text = str(about["Description"] or about.get_payload() or "")
        if len(text) > README_CHARS_MIN:
            found[str(about["Name"])] = text
    return found


def pages() -> dict[str, str]:
    """Return the pages of the project."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def manuals() -> dict[str, str]:
    """Return manual pages of this machine in other languages than English, without their markup."""
    found: dict[str, str] = {}
    for language in ("de", "es", "fr", "ja", "pt", "pt_BR", "zh_CN"):
        chars = 0
        for path in sorted(MANUALS.glob(f"{language}/man*/*.gz")):
            plain = _plain_manual(gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))
            if chars < MANUAL_CHARS and README_CHARS_MIN < len(plain) < MANUAL_CHARS:
                found[f"{language} {path.stem}"] = plain
                chars += len(plain)
    return found


def _plain_manual(text: str) -> str:
    lines = (
        re.sub(r"^\.\S+ ?", "", line) for line in text.split("\n") if not line.startswith(('.\\"', "'\\\""))
    )
    return re.sub(r"\\f.|\\[&|^/]|\\\(..|\\-", "", "\n".join(lines))


def sessions() -> dict[str, str]:
    """Return the sessions of LoCoMo, a turn a line; none where its file is missing."""
    path = next((path for path in LOCOMO if path.exists()), None)
    samples = [] if path is None else json.loads(path.read_text(encoding="utf-8"))
    return {
        f"{sample['sample_id']} {name}": "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)
        for sample in samples
        for name, turns in sample["conversation"].items()
        if re.fullmatch(r"session_\d+", name)
    }


def cuts(texts: Mapping[str, str], chars: int) -> Iterator[tuple[str, str]]:
    """Yield names and pieces of so many characters, drawn with a seed; a text that is not much shorter is one whole."""
    drawn = random.Random(f"cuts of {chars}")
    for name, text in sorted(texts.items()):
        if len(text) <= chars:
            if len(text) >= LEAST * chars:
                yield name, text
            continue
        for _ in range(min(CUTS, len(text) // chars)):
            begin = drawn.randrange(len(text) - chars + 1)
            yield name, text[begin : begin + chars]
