"""Two scopes of one server know nothing of each other: by every verb, and by hand as a role that is held to one."""

import inspect
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_type_hints

import psycopg
import pytest
from psycopg import Connection, errors, sql

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import RemanenceError
from remanence.core.model import NAME_CHARS_MAX
from remanence.core.results import encode_json_value
from remanence.core.verbs import TABLE, find_verb
from remanence.engine import Engine
from remanence.store.postgres import pg_schema
from tests.flows.scope_stories import fill
from tests.postgres import Server
from tests.postgres_roles import OWNER, address_of, let, roles

SECRET = "Zanzibar"  # is in every text, tag, key and name of their scope, and nowhere else
OURS, THEIRS = "ours", f"theirs of {SECRET}"
# Arguments that name something: each is tried with everything of the other scope.
NAMING = frozenset(
    "name names source target a b by run session of after item choice keep number thread only tags tag speaker asker"
    " agent category around scopes shown subject copies plan to item old filters entity off".split()
)
# Another argument that a verb must have, each right.
RIGHT: Mapping[str, Any] = {
    "text": "The tide bell rings at six.",
    "turn": "I always row out at six.",
    "query": "bell ferry tower code gate brother",
    "reason": "audit",
    "verdict": "helped",
    "relation": "supports",
    "value": 7,
    "role": "read",
    "lines": [],
    "name": "bell",
    "names": "bell",
    "entity": "bell",
    "off": "bell",
    "source": "bell",
    "target": 1,
    "a": "bell",
    "b": 1,
    "item": ("bell", 1),
    "choice": "bell",
    "run": "0" * 32,
    "plan": None,
    "to": "copied",
    "scopes": ["ours"],
    "path": "nowhere/at-all",
    "folder": "nowhere/at-all",
}
# Arguments that give a name, which is then in our own scope, or a file.
GIVING = frozenset(
    {
        *((verb, name) for verb in ("learn", "note") for name in NAMING),
        ("tag", "tags"),
        ("frames.set", "name"),
        ("frames.set", "tags"),
        ("entities.alias", "name"),
        ("import_", "name"),
        ("export", "to"),
        ("erase.settle", "keep"),
        ("token.add", "name"),
        ("token.add", "scopes"),
        ("token.add", "agent"),
    }
)
# By these a verb goes to another scope that is named to it, or to the tokens of all: who may see all scopes may do so.
ACROSS = frozenset(
    {
        ("recall", "scopes"),
        ("promote", "to"),
        ("scopes.list", "after"),
        ("scopes.copy", "to"),
        ("token.end", "name"),
    }
)
# What ends the memory, waits for ever, or only reads files.
LEFT_OUT = frozenset({"close", "session", "mirror.watch", "mirror.sync", "ingest", "backup", "run_jobs"})


@dataclass
class Names:
    """All that names something of their scope."""

    numbers: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Any]:
        yield from self.numbers
        yield from self.texts


@pytest.fixture
async def server(postgres_server: Server, postgres_address: str) -> AsyncIterator[Server]:
    """A server with two scopes, theirs full of everything, and a role `ada` of ours."""
    clock = ManualClock()
    async with remanence.open(postgres_address, scope=THEIRS, clock=clock, embedder="none") as memory:
        await fill(memory, clock)
        for n in range(12):
            await memory.learn(
                f"{SECRET} fact {n}: the boat {n} lies in the shed.",
                key=f"{SECRET} key {n}",
                tags=[f"{SECRET} tag"],
                thread=f"{SECRET} thread",
                source=f"{SECRET} source",
                attributes={"place": SECRET},
            )
        await memory.note(f"I live in {SECRET}.", speaker=f"{SECRET} Ana", session=f"{SECRET} session")
        await memory.consolidate()
        gone = await memory.learn(f"The door of {SECRET} is green.")
        await memory.erase.apply(await memory.erase.show(gone))
        await memory.token.add(SECRET, scopes=[THEIRS])
    async with remanence.open(postgres_address, scope=OURS, clock=clock, embedder="none") as memory:
        await memory.learn("The bell of the harbour rings at noon.", key="bell")
        await memory.learn("The ferry leaves at nine.")
    with roles(postgres_server, "ada"):
        let(postgres_server, "ada", scope=OURS)
        yield postgres_server


def dump(server: Server, scope: str) -> dict[str, list[Any]]:
    """Return every row of a scope, but for how often it was used."""
    tables = [name for name in pg_schema.list_tables() if name not in {"meta", "scope_names"}]
    with psycopg.connect(server.address) as connection:
        return {
            table: sorted(
                connection.execute(
                    sql.SQL(
                        "SELECT * FROM {} WHERE scope = (SELECT scope FROM scope_names WHERE name = {})"
                    ).format(sql.Identifier(table), scope)
                ).fetchall(),
                key=lambda row: (*row[:2], repr(row)),  # in whatever order they lie on the disk
            )
            for table in tables
        }


def read_names(server: Server) -> Names:
    """Return the names of everything in their scope: ids whole and cut, numbers, keys, runs, sessions, boxes, words."""
    rows = dump(server, THEIRS)
    ids = [row[2] for row in rows["memories"]]
    keys = [row[3] for row in rows["memories"] if row[3]]
    runs = [row[2].hex()[-32:] for row in rows["runs"]]
    named = [row[3] for row in rows["names"] if SECRET in row[3]]
    return Names(
        [rows["memories"][-1][1], rows["boxes"][-1][1]],
        [ids[-1], ids[-1][-8:], ids[-1][:20], keys[-1], runs[-1], runs[-1][:20], *named, THEIRS, SECRET],
    )


def build_sham(value: Any) -> Any:
    """Return what looks like a name of theirs and is the name of nothing."""
    if isinstance(value, int):
        return value + 10**7
    if SECRET in value:
        return value.replace(SECRET, "Zanzibor")
    return value[:-1] + ("1" if value[-1] == "0" else "0")


def naming_arguments() -> list[tuple[str, str]]:
    """Return every verb with each of its arguments that names something."""
    found = []
    for row in TABLE:
        if not row.verb or row.verb in LEFT_OUT:
            continue
        found += [(row.verb, name) for name in parameters_of(row.verb) if name in NAMING]
    return [one for one in found if one not in GIVING]


def parameters_of(verb: str) -> list[str]:
    """Return the names of the arguments of a verb, also of those that go as keywords."""
    names: list[str] = []
    for one in inspect.signature(find_verb(Engine, verb)).parameters.values():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            (keywords,) = one.annotation.__args__
            names += get_type_hints(keywords)
        else:
            names.append(one.name)
    return [name for name in names if name != "self"]


async def ask(memory: Engine, verb: str, argument: str, value: Any) -> str:
    """Call a verb with something of theirs as one argument, and return all that it says, without what was asked."""
    function: Any = memory
    for part in verb.split("."):
        function = getattr(function, part)
    needed = [
        one.name
        for one in inspect.signature(function).parameters.values()
        if one.default is inspect.Parameter.empty
        and one.kind not in {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}
    ]
    values = {name: RIGHT[name] for name in needed}
    values[argument] = build_argument(argument, value)
    try:
        answer = function(**values)
        if inspect.isawaitable(answer):
            answer = await answer
        if hasattr(answer, "__aiter__"):
            answer = [line.decode() async for line in answer]
        said = f"{answer} {answer!r} {json.dumps(encode_json_value(answer), ensure_ascii=False, default=str)}"
    except RemanenceError as error:
        said = f"{error} {getattr(error, 'recovery', '')} {vars(error)}"
    for asked in (repr(value), json.dumps(value, ensure_ascii=False), str(value)):
        said = re.sub(rf"(?<!\w){re.escape(asked)}(?!\w)", "…", said)
    return said


def build_argument(argument: str, value: Any) -> Any:
    """Return something of theirs in the form in which an argument takes it."""
    if argument in {"scopes", "tags", "only", "copies"}:
        return [value]
    return {"source": value} if argument == "filters" else value


@pytest.mark.parametrize("role", [OWNER, "ada"])
async def test_no_verb_tells_or_changes_anything_of_another_scope(server: Server, role: str) -> None:
    """Whatever of theirs is named, each verb answers as if there were no such thing."""
    theirs, before = read_names(server), dump(server, THEIRS)
    leaks: list[Any] = []
    calls = 0
    still = ManualClock()
    async with remanence.open(address_of(server, role), scope=OURS, embedder="none", clock=still) as memory:
        for verb, argument in naming_arguments():
            if role == OWNER and (verb, argument) in ACROSS:
                continue
            for value in theirs:
                calls += 1
                said, otherwise = [
                    await ask(memory, verb, argument, one) for one in (value, build_sham(value))
                ]
                if SECRET in said or said != otherwise:
                    leaks.append((verb, argument, value, said[:300], otherwise[:300]))
        exported = b"".join([line async for line in memory.export()]).decode()

    assert [] == leaks
    assert SECRET not in exported
    assert before == dump(server, THEIRS)
    assert calls > 500


def columns_of(connection: Connection[Any], table: str) -> list[str]:
    """Return the columns of a table, in order."""
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 ORDER BY attnum",
        (table,),
    ).fetchall()
    return [name for (name,) in rows]


def number_of(server: Server, scope: str) -> int:
    """Return the number of a scope."""
    with psycopg.connect(server.address) as connection:
        row = connection.execute("SELECT scope FROM scope_names WHERE name = %s", (scope,)).fetchone()
    assert row is not None
    return int(row[0])


TABLES = tuple(name for name in pg_schema.list_tables() if name not in {"meta", "scope_names"})


async def test_a_hand_written_query_sees_and_changes_rows_of_one_scope_alone(server: Server) -> None:
    """SELECT, COPY, UPDATE and DELETE on every table: theirs are not there, whatever the query says."""
    ours, theirs, before = number_of(server, OURS), number_of(server, THEIRS), dump(server, THEIRS)
    with psycopg.connect(address_of(server, "ada"), autocommit=True) as connection:
        for table in (*TABLES, "scope_names"):
            named = sql.Identifier(table)
            seen = connection.execute(sql.SQL("SELECT DISTINCT scope FROM {}").format(named)).fetchall()
            with connection.cursor().copy(sql.SQL("COPY {} (scope) TO STDOUT").format(named)) as copy:
                copied = {row[0] for row in copy.rows()}
            assert set(seen) <= {(ours,)}, table
            assert copied <= {str(ours)}, table
        for table in TABLES:
            named = sql.Identifier(table)
            for statement in (
                "UPDATE {} SET scope = scope WHERE scope = %s",
                "DELETE FROM {} WHERE scope = %s",
            ):
                assert 0 == connection.execute(sql.SQL(statement).format(named), (theirs,)).rowcount
        locked = connection.execute("SELECT scope FROM scopes FOR UPDATE").fetchall()
        said = connection.execute("SELECT name FROM meta WHERE name LIKE 'erased%'").fetchall()
        statistics = connection.execute(
            "SELECT count(*) FROM pg_stats WHERE tablename = ANY (%s)", (list(TABLES),)
        ).fetchone()

    assert [(ours,)] == locked
    assert [] == said
    assert (0,) == statistics
    assert before == dump(server, THEIRS)
    assert all(before[table] for table in ("memories", "states", "runs", "names", "tags", "boxes", "erased"))


async def test_no_row_can_be_put_into_another_scope(server: Server) -> None:
    """By INSERT, UPDATE and COPY, of every table; a scope that is there is refused word for word as one that is not."""
    ours, theirs, before = number_of(server, OURS), number_of(server, THEIRS), dump(server, THEIRS)
    with psycopg.connect(address_of(server, "ada"), autocommit=True) as connection:
        for table in TABLES:
            columns = columns_of(connection, table)
            refusals = []
            for number in (theirs, 987_654):
                row = before[table][0] if before[table] else [0] * len(columns)
                insert = sql.SQL("INSERT INTO {} VALUES ({}) ON CONFLICT DO NOTHING").format(
                    sql.Identifier(table), sql.SQL(", ").join([sql.Placeholder()] * len(columns))
                )
                values = [number, *row[1:]] if before[table] else None
                if values is not None:
                    refusals.append(refusal(connection, insert, values))
                moved = sql.SQL("UPDATE {} SET scope = {}").format(sql.Identifier(table), number)
                if connection.execute(sql.SQL("SELECT 1 FROM {}").format(sql.Identifier(table))).fetchone():
                    refusals.append(refusal(connection, moved))
            assert len(set(refusals)) <= 1, (table, refusals)
            assert all("row-level security" in one for one in refusals), (table, refusals)
            with (
                pytest.raises(errors.FeatureNotSupported),
                connection.cursor().copy(
                    sql.SQL("COPY {} (scope) FROM STDIN").format(sql.Identifier(table))
                ) as copy,
            ):
                copy.write_row((theirs,))

    assert before == dump(server, THEIRS)
    assert ours != theirs


def refusal(connection: Connection[Any], statement: Any, values: Sequence[Any] = ()) -> str:
    """Return all that the server says as it refuses a statement."""
    with pytest.raises(errors.InsufficientPrivilege) as refused:
        connection.execute(statement, values or None)
    said = refused.value.diag
    return f"{said.sqlstate} {said.message_primary} {said.message_detail} {said.message_hint} {said.constraint_name}"


async def test_nobody_of_one_scope_learns_which_others_there_are(server: Server) -> None:
    """Not by making one, a sequence, a reference, a function that tells what it is given, or another role."""
    with psycopg.connect(address_of(server, "ada"), autocommit=True) as connection:
        there, missing = (
            refusal(connection, "INSERT INTO scope_names (name) VALUES (%s)", (name,))
            for name in (THEIRS, "no such")
        )
        for statement in (
            "UPDATE scope_names SET name = name",
            "DELETE FROM scope_names",
            "SELECT nextval('scope_names_scope_seq')",
            "SELECT last_value FROM scope_names_scope_seq",
            "SELECT setval('scope_names_scope_seq', 1)",
            "CREATE TEMPORARY TABLE mine (scope bigint REFERENCES scope_names)",
            "CREATE TABLE mine (scope bigint)",
            f"SET ROLE {OWNER}",
            "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
            "DROP POLICY ada ON memories",
            "CREATE POLICY mine ON memories USING (true)",
            "ALTER ROLE ada BYPASSRLS",
            "TRUNCATE memories",
            "SET row_security = off; SELECT * FROM memories",
        ):
            with pytest.raises((errors.InsufficientPrivilege, errors.InvalidTableDefinition)):
                connection.execute(statement)
        connection.execute("RESET row_security")
        for statement in (
            "UPDATE meta SET value = value WHERE name = 'database'",
            "DELETE FROM meta WHERE name = 'database'",
            "DELETE FROM meta WHERE name LIKE 'erased%'",
        ):
            assert 0 == connection.execute(statement).rowcount
        refusal(connection, "INSERT INTO meta VALUES ('another', 'one')")
        heard: list[str] = []
        connection.add_notice_handler(lambda notice: heard.append(notice.message_primary or ""))
        connection.execute(
            "CREATE FUNCTION pg_temp.tell(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001"
            " AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
        )
        connection.execute("SELECT 1 FROM memories WHERE pg_temp.tell(text)")
        connection.execute("SELECT 1 FROM scope_names WHERE pg_temp.tell(name)")

    assert there == missing
    assert heard
    assert [] == [one for one in heard if SECRET in one]


async def test_a_role_of_one_scope_opens_no_other(server: Server) -> None:
    """One that is there and one that is not are refused in the same words, with a way out; reading finds nothing."""
    refusals = []
    for scope in (THEIRS, "no such scope"):
        with pytest.raises(remanence.StoreError) as refused:
            async with remanence.open(address_of(server, "ada"), scope=scope, embedder="none") as memory:
                await memory.learn("The bell rings.")
        refusals.append(f"{refused.value} {refused.value.recovery}")
        with pytest.raises(remanence.NotFound) as hidden:
            async with remanence.open(address_of(server, "ada"), scope=scope, read_only=True):
                pass
        refusals[-1] += f" {hidden.value} {hidden.value.recovery}".replace(repr(scope), "…").replace(
            scope, "…"
        )

    assert refusals[0] == refusals[1]
    assert "remanence store grant" in refusals[0]
    assert SECRET not in refusals[0]


NAMES = (
    ("quotes", "o'neil", 'o"neil'),
    ("a statement", "x'; DROP TABLE memories; --", "x"),
    ("folders", "../x", "x/../x"),
    ("letter case", "Ada", "ada"),
    ("look-alikes", "\N{CYRILLIC SMALL LETTER A}da", "ada"),
    ("forms of one letter", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
    ("blanks", "ada ", "ada"),
    ("wildcards", "a_a", "a%a"),
    ("parameters", "$1", "%s"),
    ("the longest", "ü" * NAME_CHARS_MAX, "ü" * (NAME_CHARS_MAX - 1)),
    ("numbers", "1", "01"),
    ("backslashes", "a\\b", "a\\\\b"),
)


@pytest.mark.parametrize(("first", "second"), [one[1:] for one in NAMES], ids=[one[0] for one in NAMES])
async def test_hostile_names_of_scopes_stay_apart(
    postgres_server: Server, postgres_address: str, first: str, second: str
) -> None:
    """For the owner as for a role of one of them, in the table of names as in the verbs."""
    for scope, text in ((first, "The bell rings at six."), (second, "The ferry leaves at nine.")):
        async with remanence.open(postgres_address, scope=scope, embedder="none") as memory:
            await memory.learn(text)
            assert [text] == [one.text for one in await memory.list()]
    async with remanence.open(postgres_address, scope=first, embedder="none") as memory:
        assert {first, second} == {one.scope for one in await memory.scopes.list()}
    with roles(postgres_server, "ada"):
        granted = let(postgres_server, "ada", scope=first)
        async with remanence.open(address_of(postgres_server, "ada"), scope=first, embedder="none") as memory:
            assert ["The bell rings at six."] == [one.text for one in await memory.list()]
            assert [first] == [one.scope for one in await memory.scopes.list()]
        assert granted.number == number_of(postgres_server, first) != number_of(postgres_server, second)


@pytest.mark.parametrize("name", ["nul\0", "", " ", "line\nbreak", "ü" * (NAME_CHARS_MAX + 1), "\u202eada"])
async def test_names_that_no_scope_may_have_are_refused(postgres_server: Server, name: str) -> None:
    """With NUL, blank, over lines, too long or turned around: by opening and by granting."""
    with pytest.raises(remanence.InvalidInput) as refused:
        remanence.open(postgres_server.address, scope=name)
    with roles(postgres_server, "ada"), pytest.raises(remanence.InvalidInput):
        let(postgres_server, "ada", scope=name)

    assert refused.value.recovery
