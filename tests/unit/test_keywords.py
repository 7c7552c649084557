"""What a verb takes by name is typed as it is: no field is missing, and every name of an enumeration is listed."""

from dataclasses import fields
from typing import Any, get_args

import pytest

from remanence.core import keywords
from remanence.core.keywords import AboutNamed, Columns, Editable
from remanence.core.model import (
    COLUMNS,
    Decay,
    Form,
    Kind,
    Label,
    Lifecycle,
    Reason,
    Relation,
    Role,
    Severity,
    Status,
    Tier,
    Trust,
    Turn,
)


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (keywords.StatusName, Status),
        (keywords.TierName, Tier),
        (keywords.KindName, Kind),
        (keywords.DecayName, Decay),
        (keywords.FormName, Form),
        (keywords.LifecycleName, Lifecycle),
        (keywords.ReasonName, Reason),
        (keywords.SeverityName, Severity),
        (keywords.RoleName, Role),
        (keywords.RelationName, Relation),
        (keywords.TrustName, Trust),
    ],
)
def test_a_type_lists_the_names_of_its_enumeration(names: Any, labels: type[Label]) -> None:
    """In their order."""
    listed = [item.label for item in labels]

    assert listed == list(get_args(names))


def test_the_fields_of_a_text_are_those_of_a_turn() -> None:
    """`learn` takes all but the text, `put` all but the text and the key."""
    turn = {one.name for one in fields(Turn)}

    assert turn - {"text"} == set(AboutNamed.__annotations__)


def test_every_column_can_be_asked_for() -> None:
    """A list can ask for each that holds one plain value; kind and status have parameters of their own."""
    plain = {column.name for column in COLUMNS if column.kind not in {"json", "blob", "accessors"}}

    assert plain - {"kind", "status"} == set(Columns.__annotations__)
    assert plain | {"attributes"} >= set(Editable.__annotations__)
