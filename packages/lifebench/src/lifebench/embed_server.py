"""Serves the vectors of an adapter over HTTP, in the form of OpenAI's API, for systems that take no other embedder."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lifebench.adapter import Adapter


def serve_vectors(adapter: Adapter, folder: str) -> str:
    """Start a server that ends with this process; return its address.

    A free port is kept in the folder, because systems store the address with their texts.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            data = [
                {"object": "embedding", "index": index, "embedding": vector}
                for index, vector in enumerate(adapter.embed(texts))
            ]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            reply = {"object": "list", "model": asked["model"], "data": data, "usage": usage}
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    kept = Path(folder) / "embeddings.port"
    server = ThreadingHTTPServer(("127.0.0.1", int(kept.read_text()) if kept.exists() else 0), Handler)
    kept.write_text(str(server.server_port))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
