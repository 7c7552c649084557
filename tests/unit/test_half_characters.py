"""Half a character becomes U+FFFD wherever a text comes in, both halves become their character, and all is counted."""

import inspect
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import remanence
from remanence.core.half_characters import mend, mend_json, mend_text, untold_as_before
from remanence.core.signatures import _Takes, list_parameters
from remanence.flows.base.access_tokens import AccessTokens
from remanence.flows.base.settings import Settings
from remanence.flows.entities.entities import Entities
from remanence.flows.recall.kept_frames import Frames
from remanence.flows.schedule.scope_policy import ScopePolicy
from remanence.flows.scopes.scopes import Scopes

HALF, WHOLE = "\ud83d", "\ufffd"
texts = st.text(
    st.sampled_from([*'ab\\u"d8', "é", "漢", "😀", "\ud83d", "\ude00", "\udfff", "\ud800"]), max_size=12
)
values = st.recursive(
    texts | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
)


def _count_lone(text: str) -> int:
    """Count halves by hand, from left to right."""
    count, at = 0, 0
    while at < len(text):
        is_pair = "\ud800" <= text[at] <= "\udbff" and "\udc00" <= text[at + 1 : at + 2] <= "\udfff"
        count += not is_pair and "\ud800" <= text[at] <= "\udfff"
        at += 1 + is_pair
    return count


@given(texts)
def test_every_half_is_replaced_and_counted(text: str) -> None:
    """What is whole stays the same text; what was mended is whole, and mended once."""
    mended, count = mend_text(text)

    assert _count_lone(text) == count
    assert text.count(WHOLE) + count == mended.count(WHOLE)
    assert (mended, 0) == mend_text(mended)
    assert text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") == mended


@given(st.lists(texts))
def test_a_json_text_is_mended_as_its_value_is(value: list[str]) -> None:
    """A backslash before another one begins no escape, and places in the text stay what they were."""
    written = json.dumps(value)
    mended, count = mend_json(written)

    assert len(written) == len(mended)
    assert mend(json.loads(written)) == (json.loads(mended), count)


@given(values)
def test_a_value_is_mended_in_depth(value: Any) -> None:
    """Nothing is lost, not even of two names that become alike; a whole value is the same object."""
    mended, count = mend(value)

    json.dumps(mended, ensure_ascii=False).encode()
    assert json.dumps(value).count("[") == json.dumps(mended).count("[")
    if isinstance(value, dict):
        assert len(value) == len(mended)
    assert count or "\\ud83d\\ude00" in json.dumps(value) or mended is value


VERBS = {
    f"{kind.__name__}.{name}": inspect.unwrap(member)
    for kind in (remanence.Engine, Frames, AccessTokens, Settings, ScopePolicy, Scopes, Entities)
    for name, member in inspect.getmembers(kind, inspect.isfunction)
    if not name.startswith("_")
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_is_given_half_a_character(verb: str) -> None:
    """Each argument of each verb is mended before the verb sees it, but those that may be the name of a file."""
    parameters = [one for one in list_parameters(VERBS[verb]) if one.name != "self"]
    takes = _Takes(VERBS[verb])
    with suppress(remanence.InvalidInput):
        takes.check((), {})  # reads what it takes
    with untold_as_before():
        _, mended = takes.mend((), {one.name: [{HALF: HALF}] for one in parameters})

    for one in parameters:
        expected = HALF if "Path" in str(one.annotation) else WHOLE
        assert [{expected: expected}] == mended[one.name]
