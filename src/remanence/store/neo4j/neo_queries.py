"""The statements of the store by name, from the one file that holds them. Knows nothing of what they are asked with."""

import re
from collections.abc import Mapping
from importlib.resources import files

from remanence.core.model import Relation

_SECTION = re.compile(r"^// (name|part): (\w+)\n(.*?)(?=^// |\Z)", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"@(\w+)")
TYPES = {relation: relation.name for relation in Relation}  # of relationships, by relation
RELATIONS = {name: relation for relation, name in TYPES.items()}


def _read_queries() -> Mapping[str, str]:
    """Return each statement with its parts in place; `@part` stands for one, LINKS for all types of links."""
    text = files("remanence.store.neo4j").joinpath("queries.cypher").read_text(encoding="utf-8")
    text = text.replace("r:LINKS", f"r:{'|'.join(RELATIONS)}")
    sections = _SECTION.findall(text)
    parts = {name: body.strip() for kind, name, body in sections if kind == "part"}
    return {
        name: _PART.sub(lambda found: parts[found[1]], body).strip()
        for kind, name, body in sections
        if kind == "name"
    }


QUERIES = _read_queries()
