"""hippo-memory by the functions of its package, which runs in Node; a scope is a store of its own.

In an environment of its own: `npm install --prefix ENVIRONMENT node@22 hippo-memory`. Without a model that it would
download it searches by words (BM25), by strength and by age. The functions are called as its command calls them, but
recall does not write back what it returned as used, which takes as long as learning each row anew.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from lifebench.adapter import Adapter

MODULES = Path(sys.prefix) / "node_modules"
SCRIPT = """
import { createInterface } from "node:readline";
import { mkdirSync, existsSync } from "node:fs";
const h = await import(process.argv[1]);
const root = at => { if (!existsSync(at)) { mkdirSync(at, { recursive: true }); h.initStore(at); } return at; };
const calls = {
  write({ at, text, source, tags }) {
    const schema_fit = h.computeSchemaFit(text, tags, h.loadAllEntries(root(at)));
    const layer = h.Layer.Episodic;
    h.writeEntry(at, h.createMemory(text, { layer, source, tags, schema_fit, confidence: "verified" }));
  },
  async find({ at, question, limit }) {
    const entries = h.loadSearchEntries(root(at), question);
    const found = await h.hybridSearch(question, entries, { budget: 4000, hippoRoot: at });
    return found.slice(0, limit).map(({ entry: { id, content, source } }) => ({ id, content, source }));
  },
  remove({ at, id }) { h.deleteEntry(at, id); },
  replace({ at, id, text }) { h.writeEntry(at, { ...h.readEntry(at, id), content: text }); },
  sleep({ at }) { h.consolidate(root(at)); },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { call, ...given } = JSON.parse(line);
  let reply;
  try { reply = { result: await calls[call](given) ?? null }; } catch (error) { reply = { error: String(error) }; }
  process.stdout.write(JSON.stringify(reply) + "\\n");
}
"""


class Memory(Adapter):
    """A folder with a store a scope, in a process of Node."""

    def open(self, folder: str) -> None:
        self._folder = Path(folder)
        package = (MODULES / "hippo-memory" / "dist" / "index.js").as_uri()
        self._node = subprocess.Popen(
            [MODULES / ".bin" / "node", "--input-type=module", "-e", SCRIPT, package],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        self._node.communicate()

    def _call(self, call: str, scope: str, **given: Any) -> Any:
        assert self._node.stdin and self._node.stdout
        at = str(self._folder / ("s" + scope.encode().hex()))
        self._node.stdin.write(json.dumps({"call": call, "at": at, **given}) + "\n")
        self._node.stdin.flush()
        reply = json.loads(self._node.stdout.readline())
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["result"]

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        self._call("write", scope, text=text, source=source, tags=[by])

    def _find(self, question: str, limit: int, scope: str) -> list[dict[str, str]]:
        return list(self._call("find", scope, question=question, limit=limit))

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        return [hit["content"] for hit in self._find(question, limit, scope)]

    def forget(self, query: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._call("remove", scope, id=hit["id"])

    erase = forget

    def supersede(self, query: str, text: str, scope: str) -> None:
        for hit in self._find(query, 1, scope):
            self._call("replace", scope, id=hit["id"], text=text)

    def run_jobs(self) -> None:
        for path in self._folder.glob("s*"):
            self._call("sleep", bytes.fromhex(path.name[1:]).decode())

    def origins(self, question: str, scope: str) -> list[str]:
        return [hit["source"] for hit in self._find(question, 1, scope)]
