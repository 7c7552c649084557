"""The commands of a server: the one that serves memories over HTTP, and those of its tokens.

Knows options; the protocol, its libraries and the routes are in `faces.rest`, imported when it runs.
"""

import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from socket import socket
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from remanence.core.arguments import check_count
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.permissions import Capability, TokenRole
from remanence.faces.cli.options import Common, Given, Memory
from remanence.faces.cli.running import database, open_engine, run_and_print
from remanence.flows.base.access_tokens import AccessToken, Door
from remanence.store.address import is_address

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from remanence.engine import Engine
    from remanence.flows.base.opening_checks import NewScope


PROCESSES_MAX = 64


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What those who watch over a server are told of it; none of it holds a text."""

    metrics: Annotated[
        bool, Parameter(help="Serve /metrics for Prometheus to tokens with the role watch.")
    ] = False
    spans: Annotated[
        str | None,
        Parameter(
            help="Send a span of OpenTelemetry for each verb to an exporter that is installed, such as console."
        ),
    ] = None
    log: Annotated[
        Literal["text", "json"] | None, Parameter(help="Log a line for each request on standard error.")
    ] = None


async def serve(
    path: Annotated[str | None, Parameter(help="The database file, as --db names it.")] = None,
    /,
    *,
    common: Given,
    host: Annotated[
        str, Parameter(help="The address to listen on; 127.0.0.1 is reachable from this machine only.")
    ] = "127.0.0.1",
    port: Annotated[int, Parameter(help="The port; 0 chooses a free one.")] = 8377,
    allow_host: Annotated[
        list[str] | None,
        Parameter(help="An additional host name, such as memory.example.org."),
    ] = None,
    seconds: Annotated[float, Parameter(help="Time limit of one request.")] = 60.0,
    processes: Annotated[
        int, Parameter(help="How many processes answer, on a PostgreSQL server; they share everything.")
    ] = 1,
    watch: WatchOptions = WatchOptions(),
) -> Any:
    if any(find_spec(name) is None for name in ("fastapi", "jinja2", "uvicorn")):
        raise NotFound("the extra `server` is not installed", recovery="pip install 'remanence[server]'")
    from remanence.faces.rest.listening_socket import listen

    settings = common if path is None else replace(common, db=path)
    _refuse_processes(settings, processes, watch)
    serving = ServerOptions(settings, tuple(name.lower() for name in allow_host or ()), seconds, watch)
    with listen(host, port) as listening:
        if processes == 1:
            await serving.serve(listening)
            return
        from remanence.faces.rest.process_group import ProcessGroup

        if code := await ProcessGroup(processes, serve_in_group, serving, listening).run():
            sys.exit(code)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What a process that serves is told."""

    settings: Common
    hosts: tuple[str, ...]
    seconds: float
    watch: WatchOptions

    async def serve(
        self, listening: socket, *, announces: bool = True, tell_begun: Callable[[], None] = lambda: None
    ) -> None:
        """Serve on a socket that listens."""
        from remanence.faces.dashboard.site import Dashboard
        from remanence.faces.rest.serving import ServerProcess
        from remanence.faces.rest.serving import serve as serve_socket
        from remanence.faces.rest.watch_options import begin_watch

        def open_scope(
            scope: str, token: AccessToken, new_scope: "NewScope"
        ) -> AbstractAsyncContextManager["Engine"]:
            given = replace(self.settings, scope=scope, agent=token.agent)
            return open_engine(
                given, trust=token.trust, denies=token.denies, new_scope=new_scope, tracer=watching.tracer
            )

        address = database(self.settings)
        process = ServerProcess(
            address if is_address(address) else None,
            lambda line: print(line, flush=True),
            announces,
            tell_begun,
        )
        with begin_watch(metrics=self.watch.metrics, spans=self.watch.spans, log=self.watch.log) as watching:
            await serve_socket(
                open_scope,
                open_engine(self.settings),
                listening,
                hosts=self.hosts,
                seconds_max=self.seconds,
                build_dashboard=Dashboard,
                watch=watching,
                process=process,
            )


def serve_in_group(options: ServerOptions, listening: socket, announces: bool, begins: "Connection") -> None:
    """Serve as one process of several, of which one announces where."""
    serving = partial(options.serve, listening, announces=announces, tell_begun=lambda: begins.send(True))
    sys.exit(run_and_print(replace(options.settings, json=False), serving))


def _refuse_processes(settings: Common, processes: int, watch: WatchOptions) -> None:
    """Refuse several processes where they would not be one server."""
    check_count("processes", processes, 1, PROCESSES_MAX)
    if processes == 1:
        return
    address = database(settings)
    if not is_address(address) or settings.read_only:
        what = f"{address} is a file" if not is_address(address) else "with --read-only nothing can be shared"
        raise InvalidInput(
            f"several processes share what they keep in a PostgreSQL server, and {what}",
            recovery="leave --processes out, or name a server: --db postgresql://…",
        )
    if watch.metrics:
        raise InvalidInput(
            "--metrics counts the requests of one process",
            recovery="start several `serve --metrics` on ports of their own behind a proxy, and scrape each",
        )


async def token_add(
    name: Annotated[str, Parameter(help="The token's name.")],
    /,
    *,
    memory: Memory,
    opens: Annotated[
        list[str] | None,
        Parameter(
            name="--scope", help="A scope that this token may use, * for all; repeatable. Default: default."
        ),
    ] = None,
    role: Annotated[TokenRole, Parameter(help="The role; each role includes the ones before it.")] = "read",
    speaks_for: Annotated[
        str | None,
        Parameter(
            name="--agent", help="The agent that uses the token; it has an agent's trust, not a person's."
        ),
    ] = None,
    door: Annotated[
        Door | None, Parameter(help="Allow only this interface: mcp for /mcp, rest for /v1/.")
    ] = None,
    deny: Annotated[
        list[Capability] | None,
        Parameter(help="A capability to deny, whatever the role; repeatable."),
    ] = None,
) -> Any:
    return await memory.token.add(
        name, scopes=opens or [memory.scope], role=role, agent=speaks_for, door=door, denies=deny or ()
    )


async def token_list(*, memory: Memory) -> Any:
    return await memory.token.list()


async def token_end(name: Annotated[str, Parameter(help="The token's name.")], /, *, memory: Memory) -> Any:
    return await memory.token.end(name)
