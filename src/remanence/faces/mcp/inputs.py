"""What a tool takes: read from its annotations, told to hosts in as few words as a schema needs, and checked in ours.

Knows annotations and JSON schemas; must not know what a tool does with what it is given.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, create_model

from remanence.core.errors import InvalidInput, format_value, suggest
from remanence.core.signatures import list_parameters
from remanence.core.synonyms import ARGUMENTS

Choices = Mapping[str, Sequence[str]]

_KINDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list of texts",
}


def _parse_list(value: Any) -> Any:
    """Read a list that a host wrote as text: in JSON, or one item alone."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value) if value.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        read = None
    return read if isinstance(read, list) else [value]


Texts = Annotated[list[str], BeforeValidator(_parse_list)]


class Inputs:
    """The arguments of one tool; `choices` are what some of them may be."""

    def __init__(self, verb: Callable[..., Any], choices: Choices) -> None:
        self.name = verb.__name__
        fields: dict[str, Any] = {
            one.name: (one.annotation, ... if one.default is one.empty else one.default)
            for one in list_parameters(verb)
            if one.name != "self"
        }
        config = ConfigDict(extra="forbid")
        self._model: type[BaseModel] = create_model(self.name, __config__=config, **fields)
        # What tells a model nothing stays out: titles, defaults, and that what is absent may be null.
        written = self._model.model_json_schema()
        properties = {
            name: _describe_property(one) | ({"enum": list(choices[name])} if name in choices else {})
            for name, one in written.get("properties", {}).items()
        }
        required = {"required": written["required"]} if "required" in written else {}
        self.schema: dict[str, Any] = {"type": "object", "properties": properties, **required}

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that were given; raise InvalidInput where they are none of this tool's."""
        try:
            read = self._model.model_validate(given)
        except ValidationError as error:
            raise self._argument_error(error) from None
        return {name: getattr(read, name) for name in read.model_fields_set}

    def _argument_error(self, error: ValidationError) -> InvalidInput:
        """Say which arguments are wrong, and what to pass instead."""
        properties = self.schema["properties"]
        faults, way = [], []
        for fault in error.errors(include_url=False, include_context=False):
            name = str(fault["loc"][0])
            if name not in properties:
                faults.append(f"{self.name} has no argument {format_value(name)}")
                way.append(suggest(name, sorted(properties), ARGUMENTS) if properties else "pass none")
            elif fault["type"] == "missing":
                faults.append(f"{self.name} needs {name}")
                way.append(f"pass {name}")
            else:
                kind = _KINDS[properties[name]["type"]]
                faults.append(f"{name} must be {kind}, not {format_value(fault['input'])}")
                way.append(f"pass {name}: {properties[name].get('description', kind)}")
        return InvalidInput("; ".join(dict.fromkeys(faults)), recovery="; ".join(dict.fromkeys(way)))


def _describe_property(one: Mapping[str, Any]) -> dict[str, Any]:
    (kind,) = [kind for kind in one.get("anyOf", [one]) if kind.get("type") != "null"]
    plain = {name: value for name, value in kind.items() if name in {"type", "items"}}
    return plain | ({"description": one["description"]} if "description" in one else {})
