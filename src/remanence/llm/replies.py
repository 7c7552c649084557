"""What a language model answered, read with distrust: what is not of the shape that was asked for is no answer."""

from typing import Any

import orjson

from remanence.errors import WriterError, shown
from remanence.llm.base import Judgement

RECOVERY = "nothing was lost; it is asked again when there is new work, or use another model"


def parsed(text: str, tokens_used: int) -> dict[str, Any]:
    """Read the JSON object that a model was to answer with."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise unusable(f"the answer is no JSON: {error}", tokens_used) from None
    if not isinstance(found, dict):
        raise unusable(f"the answer is {shown(found)}, not an object", tokens_used)
    return found


def judgement(text: str, tokens_used: int) -> Judgement:
    """Read a judgement; whether its ids were shown is for the engine to check."""
    found = parsed(text, tokens_used)
    sure = {
        _string(one, "id", tokens_used): _fraction(one, "sure", tokens_used)
        for one in _objects(found, "contradicts", tokens_used)
    }
    return Judgement(_fraction(found, "alignment", tokens_used), sure, tokens_used)


def unusable(why: str, tokens_used: int) -> WriterError:
    """Return the error of an answer that came and cannot be used."""
    return WriterError(why, recovery=RECOVERY, tokens_used=tokens_used)


def _objects(found: dict[str, Any], name: str, tokens_used: int) -> list[dict[str, Any]]:
    items = found.get(name)
    if not isinstance(items, list) or not all(isinstance(one, dict) for one in items):
        raise unusable(f"{name} is {shown(items)}, not a list of objects", tokens_used)
    return items


def _string(found: dict[str, Any], name: str, tokens_used: int) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise unusable(f"{name} is {shown(value)}, not a text", tokens_used)
    return value


def _fraction(found: dict[str, Any], name: str, tokens_used: int) -> float:
    value = found.get(name)
    # No answer in JSON is infinite or not a number.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise unusable(f"{name} is {shown(value)}, not a number from 0 to 1", tokens_used)
    return float(value)
