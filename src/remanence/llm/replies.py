"""What a language model answered, read with distrust: what is not of the shape that was asked for is no answer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import orjson

from remanence.core.errors import WriterError
from remanence.core.half_characters import mend_json
from remanence.llm.base import Judgement
from remanence.read.extraction import (
    NONSENSE,
    Entity,
    ExtractRequest,
    ExtractResult,
    ExtractTurn,
    Fact,
    Relationship,
    ShortenResult,
    checked_extraction,
    checked_shortening,
)

T = TypeVar("T")
# What is said of an answer is in words of ours: its own may be anything, and would be kept.
REFUSES, CUT_OFF = "the model refuses to answer", "the answer was cut off"
RECOVERY = "nothing was lost; it is asked again when there is new work, or use another model"


def parse_json_object(text: str, tokens_used: int) -> dict[str, Any]:
    """Read the JSON object that a model was to answer with."""
    try:
        value = orjson.loads(mend_json(text)[0])
    except orjson.JSONDecodeError as error:
        raise build_reply_error(f"the answer is no JSON: {error}", tokens_used) from None
    if not isinstance(value, dict):
        raise build_reply_error(f"the answer is {_name_sort(value)}, not an object", tokens_used)
    return value


def judgement(text: str, tokens_used: int) -> Judgement:
    """Read a judgement; whether its ids were shown is for the engine to check."""
    fields = parse_json_object(text, tokens_used)
    contradicts, replaces, repeats = (
        {
            _read_string(one, "id", tokens_used): _read_fraction(one, "sure", tokens_used)
            for one in _read_objects(fields, name, tokens_used)
        }
        for name in ("contradicts", "replaces", "repeats")
    )
    tags, alignment = _texts(fields, "tags", tokens_used), _read_fraction(fields, "alignment", tokens_used)
    return Judgement(alignment, contradicts, tokens_used, tags, replaces, repeats)


def extraction(
    text: str, tokens_used: int, turns: Sequence[ExtractTurn], wanted: ExtractRequest
) -> ExtractResult:
    """Read what was extracted; what makes no sense of what was shown is left out and counted."""
    fields, texts = parse_json_object(text, tokens_used), {turn.id: turn.text for turn in turns}
    strings = partial(_read_strings, tokens_used=tokens_used)
    facts, wrong = _read(fields, "facts", lambda one: _fact(one, texts, tokens_used), tokens_used)
    if wrong and not facts:
        raise wrong[0]
    entities, no_entities = _read(
        fields, "entities", lambda one: Entity(*strings(one, "name", "type")), tokens_used
    )
    ties, no_ties = _read(
        fields,
        "relationships",
        lambda one: Relationship(*strings(one, "source", "relation", "target")),
        tokens_used,
    )
    cut = {"facts": len(wrong), "entities": len(no_entities), "relationships": len(no_ties)}
    read = ExtractResult(
        facts=facts,
        entities=entities,
        relationships=ties,
        cut={f"{name} {NONSENSE}": count for name, count in cut.items()},
        tokens_used=tokens_used,
    )
    return checked_extraction(read, turns, wanted)


def _read(
    found: dict[str, Any], name: str, read: Callable[[dict[str, Any]], T], tokens_used: int
) -> tuple[tuple[T, ...], list[WriterError]]:
    """Read the objects of a list one by one; return those that can be read, and what is wrong with the others."""
    good: list[T] = []
    wrong: list[WriterError] = []
    for one in _read_list(found, name, tokens_used):
        try:
            if not isinstance(one, dict):
                raise build_reply_error(f"{name} hold {_name_sort(one)}, not an object", tokens_used)
            good.append(read(one))
        except WriterError as error:
            wrong.append(error)
    return tuple(good), wrong


def shorter(text: str, tokens_used: int, original: str, tokens_max: int) -> ShortenResult:
    """Read a shorter text, and take it only where it is one."""
    read = ShortenResult(_read_string(parse_json_object(text, tokens_used), "text", tokens_used), tokens_used)
    return checked_shortening(read, original, tokens_max)


def build_reply_error(why: str, tokens_used: int) -> WriterError:
    """Return the error of an answer that came and cannot be used."""
    return WriterError(why, recovery=RECOVERY, tokens_used=tokens_used)


def _fact(found: dict[str, Any], texts: Mapping[str, str], tokens_used: int) -> Fact:
    """Read a fact; its span is where its words stand in its turn, the whole turn where they do not."""
    category, content, turn, quote, subject = _read_strings(
        found, "category", "content", "turn", "quote", "subject", tokens_used=tokens_used
    )
    turn_text = texts.get(turn, "")
    begin = turn_text.find(quote)
    pairs = _read_objects(found, "attributes", tokens_used)
    return Fact(
        category,
        content,
        turn,
        (begin, begin + len(quote)) if quote and begin >= 0 else (0, len(turn_text)),
        _read_fraction(found, "confidence", tokens_used),
        subject,
        _texts(found, "tags", tokens_used),
        dict(_read_strings(pair, "name", "value", tokens_used=tokens_used) for pair in pairs),
        event_at=_read_string({"event_at": "", **found}, "event_at", tokens_used),
        area=_read_string({"area": "", **found}, "area", tokens_used),
    )


def _read_strings(found: dict[str, Any], *names: str, tokens_used: int) -> list[str]:
    return [_read_string(found, name, tokens_used) for name in names]


def _texts(found: dict[str, Any], name: str, tokens_used: int) -> tuple[str, ...]:
    items = found.get(name)
    if not isinstance(items, list) or not all(isinstance(one, str) for one in items):
        raise build_reply_error(f"{name} is {_name_sort(items)}, not a list of texts", tokens_used)
    return tuple(items)


def _read_objects(found: dict[str, Any], name: str, tokens_used: int) -> list[dict[str, Any]]:
    items = _read_list(found, name, tokens_used)
    if not all(isinstance(one, dict) for one in items):
        raise build_reply_error(f"{name} is {_name_sort(items)}, not a list of objects", tokens_used)
    return items


def _read_list(found: dict[str, Any], name: str, tokens_used: int) -> list[Any]:
    items = found.get(name)
    if not isinstance(items, list):
        raise build_reply_error(f"{name} is {_name_sort(items)}, not a list", tokens_used)
    return items


def _read_string(found: dict[str, Any], name: str, tokens_used: int) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise build_reply_error(f"{name} is {_name_sort(value)}, not a text", tokens_used)
    return value


def _read_fraction(found: dict[str, Any], name: str, tokens_used: int) -> float:
    value = found.get(name)
    # No answer in JSON is infinite or not a number.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise build_reply_error(f"{name} is {_name_sort(value)}, not a number from 0 to 1", tokens_used)
    return float(value)


def _name_sort(value: object) -> str:
    """Name the sort of a value, whatever it says."""
    return "missing" if value is None else f"of the type {type(value).__name__}"
