"""basic-memory on SQLite by its MCP tools, hybrid search; a scope is a project, a text a note.

In an environment of its own, with Python 3.12 or later: `pip install basic-memory pysqlite3-binary`.
Its index is an extension of SQLite, which not every Python may load: pysqlite3 stands in for the standard module.
"""

import asyncio
import importlib
import os
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pysqlite3

sys.modules["sqlite3"] = pysqlite3

from lifebench.adapter import Adapter
from lifebench.embed_server import serve_vectors


class Memory(Adapter):
    """A folder with a database, and a folder of Markdown files a scope."""

    def open(self, folder: str) -> None:
        settings = {
            "CONFIG_DIR": folder,
            "HOME": f"{folder}/main",
            "NO_PROMOS": "1",
            "SEMANTIC_EMBEDDING_PROVIDER": "openai",
            "SEMANTIC_EMBEDDING_MODEL": "words",
            "SEMANTIC_EMBEDDING_DIMENSIONS": str(self.dimensions),
            "SEMANTIC_EMBEDDING_API_BASE": serve_vectors(self, folder),
            "SEMANTIC_EMBEDDING_API_KEY": "nobody is asked",
            "SYNC_CHANGES": "false",
        }
        os.environ.update({f"BASIC_MEMORY_{name}": value for name, value in settings.items()})
        os.environ["LOGFIRE_IGNORE_NO_CONFIG"] = "1"
        importlib.import_module("basic_memory.mcp.tools")  # registers them with the server
        from basic_memory.mcp.server import mcp
        from fastmcp import Client
        from loguru import logger

        logger.disable("basic_memory")
        self._folder, self._loop = Path(folder), asyncio.new_event_loop()
        self._client = Client(mcp)
        self._run(self._client.__aenter__())

    def close(self) -> None:
        self._run(self._client.__aexit__(None, None, None))

    def _run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def _call(self, tool: str, **given: Any) -> Any:
        return self._run(self._client.call_tool(tool, {"output_format": "json", **given})).data

    def _project(self, scope: str) -> str:
        """Return the project of a scope, made where it is missing."""
        name = "s" + scope.encode().hex()
        path = self._folder / name
        if not path.exists():
            self._call("create_memory_project", project_name=name, project_path=str(path))
        return name

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        about = {"by": by, "source": source}
        self._call(
            "write_note",
            title=str(uuid4()),
            content=text,
            directory="notes",
            metadata=about,
            project=self._project(scope),
        )

    def _find(self, question: str, limit: int, scope: str) -> list[dict[str, Any]]:
        found = self._call(
            "search_notes",
            query=question,
            page_size=min(limit, 100),
            entity_types=["entity"],
            project=self._project(scope),
        )
        return list(found["results"])

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [hit["content"].strip() for hit in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._call("delete_note", identifier=hit["permalink"], project=self._project(scope))

    erase = forget

    def supersede(self, query: str, text: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._call(
                "write_note",
                title=hit["title"],
                content=text,
                directory="notes",
                overwrite=True,
                project=self._project(scope),
            )

    def origins(self, question: str, scope: str) -> list[str]:
        return [str(hit["metadata"].get("source")) for hit in self._find(question, 1, scope)]
