"""Writes src/remanence/text/confusables.py: which characters look like an ASCII letter, by Unicode's confusables table.

The table comes with the package confusable-homoglyphs (tools/confusables/requirements.txt), nothing is fetched.
"""

import json
import unicodedata
from collections import defaultdict
from importlib.resources import files
from pathlib import Path

OUT = Path(__file__).parents[2] / "src/remanence/text/confusables.py"
HEAD = '''"""Characters that look like an ASCII letter or digit, written by tools/confusables."""

# What is meant → what looks like it.
LOOKALIKES: dict[str, str] = {
'''


def looks_like(char: str, table: dict[str, list[dict[str, str]]]) -> str:
    """Return the letter or digit that a character looks like, "" for none; a capital looks like a capital first."""
    seen = [one["c"] for one in table.get(char, []) if one["c"].isascii() and one["c"].isalnum()]
    if char.isupper() and any(one.isupper() for one in seen):
        seen = [one for one in seen if one.isupper()]
    elif char.islower() and any(one.islower() for one in seen):
        seen = [one for one in seen if one.islower()]
    return min(seen, key=lambda one: (one.isdigit(), one)).lower() if seen else ""


def main() -> None:
    """Gather by what is meant; what NFKC folds already is left out, and a small letter may look as its capital does."""
    table = json.loads((files("confusable_homoglyphs") / "confusables.json").read_text(encoding="utf-8"))
    meant: dict[str, list[str]] = defaultdict(list)
    chars = {char for char in table if len(char) == 1} | {char.lower() for char in table if len(char) == 1}
    for char in sorted(one for one in chars if len(one) == 1 and not one.isascii()):
        if unicodedata.normalize("NFKC", char) == char and unicodedata.category(char)[0] in "LN":
            letter = looks_like(char, table) or (
                looks_like(char.upper(), table) if len(char.upper()) == 1 else ""
            )
            if letter:
                meant[letter].append(char)
    rows = [
        f'    "{letter}": "{"".join(_escaped(one) for one in meant[letter])}",\n' for letter in sorted(meant)
    ]
    OUT.write_text(HEAD + "".join(rows) + "}  # fmt: skip\n", encoding="utf-8")


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


if __name__ == "__main__":
    main()
