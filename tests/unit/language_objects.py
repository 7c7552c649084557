"""What is made of the language files, in one canonical form: sets sorted, patterns as their text.

The digests in `language_objects.json` were those of the lists as Python, before the files were made of them, but for
lists whose form is another: days, small signs. Who changes a list on purpose writes them again:
`python -m tests.unit.language_objects`.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from remanence import languages
from remanence.core.patterns import Pattern
from remanence.gate import junk
from remanence.languages import families
from remanence.languages.notation import Lists
from remanence.read import keep_signals
from remanence.write import box_cuts

GOLDEN = Path(__file__).with_name("language_objects.json")
FAMILIES: dict[str, Mapping[str, Any]] = {
    "words": families.LEXICONS,
    "unspaced words": families.CONTRASTS,
}
# Of all languages at once.
UNIONS: dict[str, Callable[[], Lists]] = {
    "small talk": families.load_small_talk,
    "common": families.load_common_words,
}
# What readers make of the lists.
MADE: dict[str, Callable[[], object]] = {
    "abbreviations": lambda: languages.ABBREVIATIONS,
    "case bearing": lambda: languages.CASE_BEARING,
    "contractions": lambda: languages.CONTRACTIONS,
    "contrasts": lambda: languages.CONTRASTS,
    "months": lambda: languages.MONTHS,
    "unlisted": lambda: languages.UNLISTED,
    "speaks for": lambda: sorted(languages._load_voters().items()),
    "speaks English": lambda: languages._load_english_voters(),
    "signals": lambda: _tree(keep_signals._build_phrase_tree(spaced=True)),
    "signals unspaced": lambda: _tree(keep_signals._build_phrase_tree(spaced=False)),
    "small talk": lambda: [junk._CORE, junk._EITHER, junk._LONGEST, junk._ROWS],
    "topics": lambda: [
        [vars(one)["_first"], one.unspaced]
        for one in (box_cuts._OPENS, box_cuts._SUCCEEDED, box_cuts._FAILED, box_cuts._PARTLY)
    ],
}


def digest_objects() -> dict[str, str]:
    """Return object → the digest of its canonical form; of lists of a shape, each list."""
    shaped = {f"{name}.{code}": of for name, family in FAMILIES.items() for code, of in family.items()}
    shaped |= {f"all {name}": make() for name, make in UNIONS.items()}
    lists = {
        f"{name}.{one}": getattr(of, one)
        for name, of in shaped.items()
        for one in (of.notations if isinstance(of, Lists) else [field.name for field in fields(of)])
    }
    return {
        **{name: digest(value) for name, value in lists.items()},
        **{f"made: {name}": digest(make()) for name, make in MADE.items()},
    }


def digest(value: object) -> str:
    """Return the digest of a value's canonical form."""
    text = json.dumps(_canonical(value), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _canonical(value: object) -> object:
    match value:
        case Pattern():
            return ["pattern", value.source, int(value.flags)]
        case Mapping() if value and all(isinstance(one, AbstractSet) for one in value.values()):
            return sorted(([_canonical(key), _canonical(one)] for key, one in value.items()), key=str)
        case Mapping():
            return [[_canonical(key), _canonical(one)] for key, one in value.items()]
        case AbstractSet():
            return sorted(map(_canonical, value), key=str)
        case tuple() | list():
            return [*map(_canonical, value)]
        case Lists():
            return [
                ["code", value.code],
                *([name, _canonical(getattr(value, name))] for name in value.notations),
            ]
        case _ if is_dataclass(value):
            return [[field.name, _canonical(getattr(value, field.name))] for field in fields(value)]
    return value


def _tree(tree: keep_signals._PhraseTree) -> object:
    return [_node(tree.first), _node(tree.any)]


def _node(node: keep_signals._PhraseNode) -> object:
    return {
        "words": [[word, _node(after)] for word, after in node.words.items()],
        "beginnings": [[word, _node(after)] for word, after in node.beginnings.items()],
        "gap": node.gap and _node(node.gap),
        "ends": [list(end) for end in node.ends],
        "starts": sorted(node.starts),
    }


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(digest_objects(), indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
