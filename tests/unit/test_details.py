"""Why a part was done is read as it was said, however it is kept."""

import sqlite3
from contextlib import closing
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from remanence.store.schema import statements
from remanence.store.sqlite import details
from remanence.store.sqlite.audit import json_text
from remanence.store.sqlite.string_ids import Fresh, StringIds

TEXTS = st.text(max_size=8) | st.sampled_from(["rules", "actions", "cycle", "[", "0"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
DETAILS = st.dictionaries(TEXTS, VALUES, max_size=4)
RULES = st.lists(st.lists(TEXTS, min_size=3, max_size=3), max_size=3)


@given(st.lists(DETAILS | st.builds(lambda one, rules: {**one, "rules": rules}, DETAILS, RULES), max_size=5))
def test_a_detail_is_read_as_it_was_said(said: list[dict[str, Any]]) -> None:
    """Any values under any names, whether they have a form or not, read alone and with all their forms."""
    names = StringIds()
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements():
            connection.execute(statement)
        fresh = Fresh(names)
        texts = [json_text(one) for one in said]
        kept = [details.pack(connection, fresh, 1, text) for text in texts]
        fresh.keep()
        found = [details.unpack(connection, names, one) for one in kept]
        forms = {number for one in kept for number in details.forms_of(connection, names, one or "")}
        made = {number for (number,) in connection.execute("SELECT no FROM names")}

    assert texts == found
    assert forms == made


def test_what_runs_of_a_policy_have_in_common_is_kept_once() -> None:
    """A second run under the same rules takes a third of the room; an id never becomes a name."""
    first = {
        "cycle": {"acts": {"prune": 1}, "changed": 1, "kept": 9},
        "plan": "f6ac5c1e412d628e70b5bcaeb5577672",
        "rules": [["prune", "read-notices", "a read notice lives 7 days"]],
    }
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements():
            connection.execute(statement)
        names = Fresh(StringIds())
        kept = [
            details.pack(connection, names, 1, json_text({**first, "plan": plan}))
            for plan in ("a" * 32, "b" * 32)
        ]
        spaces = {space for (space,) in connection.execute("SELECT space FROM names")}
        texts = " ".join(name for (name,) in connection.execute("SELECT name FROM names"))

    assert {details.space_of(1)} == spaces
    assert "a" * 32 not in texts
    assert len(kept[1] or "") * 3 < len(orjson.dumps(first))
