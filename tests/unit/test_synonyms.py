"""Words from elsewhere: every one leads to something that is there, and never to itself."""

import pytest

import remanence
from remanence.core.errors import suggest
from remanence.core.keywords import Asking, Columns, Editable
from remanence.core.synonyms import ARGUMENTS, VERBS
from remanence.core.verbs import TABLE

COMMANDS = {row.command for row in TABLE if row.command}
ENDS = {name.partition(" ")[2] for name in COMMANDS}
VERBS_HERE = sorted({verb for verbs in VERBS.values() for verb in verbs})
FURTHER = {
    "after",
    "name",
    "names",
    "tag",
    "where",
    "yes",
    "json",
    "db",
    "scope",
    "attribute",
    "since",
    "until",
}


@pytest.mark.parametrize("verb", VERBS_HERE)
def test_every_verb_that_is_offered_is_a_command(verb: str) -> None:
    """Nothing is offered that is no command, or no command of a shelf."""
    assert verb in COMMANDS | ENDS | {row.verb for row in TABLE}


def test_every_argument_that_is_offered_is_one() -> None:
    """Nothing is offered that no verb and no command takes."""
    fields = {*remanence.Turn.__dataclass_fields__, *Asking.__annotations__, *Columns.__annotations__}
    known = {name.replace("_", "-") for name in {*fields, *Editable.__annotations__}}
    known |= {
        "limit",
        "budget",
        "filters",
        "between",
        "query",
        "text",
        "id",
        "ids",
        "if-revision",
        "depth",
        *FURTHER,
    }

    assert {one for arguments in ARGUMENTS.values() for one in arguments} <= known


def test_a_word_that_is_a_command_is_never_taken_for_another() -> None:
    """What is a command by itself is found before anybody asks what it may mean."""
    assert COMMANDS.isdisjoint(VERBS)


def test_only_what_is_known_is_offered() -> None:
    """Of what a word may mean what is not there is left out; where nothing is, the nearest name is offered."""
    assert "did you mean 'forget'?" == suggest("delete", ["forget", "learn"], VERBS)
    assert "did you mean '--limit'?" == suggest("--top_k", ["--limit", "--top"], ARGUMENTS)
    assert "did you mean 'deletes'?" == suggest("delete", ["deletes", "learn"], VERBS)


async def test_an_argument_from_elsewhere_is_refused_with_ours() -> None:
    """In Python a name that a verb does not take says what it is called here."""
    async with remanence.open() as memory:
        with pytest.raises(remanence.InvalidInput) as refused:
            await memory.recall("x", top_k=3)  # type: ignore[call-arg]

        assert "did you mean 'limit'?" == refused.value.recovery
