"""A language model for tests: `python -m remanence.testing.model_server` answers over HTTP, by rules, on a free port.

It prints its address and speaks `/v1/responses`, `/v1/chat/completions`, `/v1/messages` and `/v1/embeddings` as the
vendors' own packages expect. Knows the standard library only; what it answers is for `model_rules`, what it gets wrong
follows from the name of the model.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any

from remanence.testing.model_rules import ORDER, answer_task, build_hostile_reply, build_untrue_reply, vector

SLOW_S = 3.0
RETRY_AFTER_S = 1
LARGE_BYTES = 10_000_000
FAULTS = (
    "malformed", "cut-off", "schema-invalid", "429", "500", "401", "slow", "closed", "refusing", "10mb",
    "unknown-ids", "orders-to-delete", "no-responses", "nan", "fewer", "shorter", "inventing", "one-wrong", "talkative",
    "307",
)  # fmt: skip
_WRONG = {
    "malformed": '{"alignment": 0.5, "contr',
    "schema-invalid": '{"alignment": "very well", "contradicts": [], "replaces": [], "facts": "none", "text": 7}',
}


@dataclass(frozen=True, slots=True)
class ModelServerRequest:
    """One request, whatever API it came by: the model, the name of the answer's schema, and what was said."""

    model: str
    task: str
    system: str
    user: str

    def text(self) -> str:
        """Return what the model says, as the fault that it is named for has it."""
        if self.model in {"unknown-ids", "orders-to-delete"}:
            return json.dumps(build_hostile_reply(self.task, self.user, self.model))
        if self.model in {"inventing", "one-wrong", "talkative"} and self.task == "extraction":
            return json.dumps(build_untrue_reply(self.user, self.model))
        if self.model == "10mb":
            return "x" * LARGE_BYTES
        return _WRONG.get(self.model) or json.dumps(answer_task(self.task, self.system, self.user))

    def usage(self, text: str) -> tuple[int, int]:
        """Return the tokens of question and answer, at four characters each."""
        return (len(self.system) + len(self.user)) // 4, len(text) // 4


def _responses(body: Mapping[str, Any]) -> Any:
    request = ModelServerRequest(
        body["model"], body["text"]["format"]["name"], body.get("instructions", ""), body["input"]
    )
    text = request.text()
    cut, is_refusal = request.model == "cut-off", request.model == "refusing"
    part = {"type": "output_text", "text": text[: len(text) // 2] if cut else text, "annotations": []}
    content = {"type": "refusal", "refusal": "I cannot help with that."} if is_refusal else part
    before, after = request.usage(text)
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": request.model,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": [
            {"id": "rs_1", "type": "reasoning", "summary": []},
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [content],
            },
        ],
        "usage": {"input_tokens": before, "output_tokens": after, "total_tokens": before + after},
    }


def _chat(body: Mapping[str, Any]) -> Any:
    messages = {message["role"]: message["content"] for message in body["messages"]}
    name = body["response_format"]["json_schema"]["name"]
    request = ModelServerRequest(body["model"], name, messages.get("system", ""), messages["user"])
    text = request.text()
    cut, is_refusal = request.model == "cut-off", request.model == "refusing"
    content = {"content": None, "refusal": "I cannot help with that."} if is_refusal else {"content": text}
    before, after = request.usage(text)
    return {
        "id": "chat_1",
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "choices": [
            {
                "index": 0,
                "finish_reason": "length" if cut else "stop",
                "message": {"role": "assistant", **content},
            }
        ],
        "usage": {"prompt_tokens": before, "completion_tokens": after, "total_tokens": before + after},
    }


def _messages(body: Mapping[str, Any]) -> Any:
    request = ModelServerRequest(
        body["model"], body["tool_choice"]["name"], body.get("system", ""), body["messages"][0]["content"]
    )
    text = request.text()
    cut, is_refusal = request.model == "cut-off", request.model == "refusing"
    tool_use: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": request.task}
    tool_use["input"] = {} if request.model in {"malformed", "10mb"} or cut else json.loads(text)
    content = {"type": "text", "text": "I cannot help with that." if is_refusal else text}
    before, after = request.usage(text)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [content] if is_refusal else [content, tool_use],
        "stop_reason": "max_tokens" if cut else "refusal" if is_refusal else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": before, "output_tokens": after},
    }


def _embeddings(body: Mapping[str, Any]) -> Any:
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    vectors = [vector(text) for text in texts]
    if body["model"] == "nan":
        vectors[0] = [float("nan")] * len(vectors[0])
    if body["model"] == "shorter":  # where one text is asked about, such as a question
        vectors = [row[: len(row) // 2] if len(texts) == 1 else row for row in vectors]
    rows = [
        {"object": "embedding", "index": place, "embedding": row}
        for place, row in enumerate(vectors[body["model"] == "fewer" :])
    ]
    used = sum(map(len, texts)) // 4
    usage = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "model": body["model"], "data": rows, "usage": usage}


APIS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "/v1/responses": _responses,
    "/v1/chat/completions": _chat,
    "/v1/messages": _messages,
    "/v1/embeddings": _embeddings,
}


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    server: "ModelServer"

    def do_POST(self) -> None:
        """Answer a question, or fail as the model's name says."""
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests += 1
        try:
            body = json.loads(raw)
            api, model = APIS.get(self.path), body["model"]
            if api is None or (model == "no-responses" and self.path == "/v1/responses"):
                return self._error(404, "there is nothing here")
            if self._fails(model, raw):
                return None
            answer = json.dumps(api(body)).encode()
            if model == "malformed" and self.path in {"/v1/messages", "/v1/embeddings"}:
                answer = answer[: len(answer) // 2]
            return self._send(200, answer, whole=model != "closed")
        except (KeyError, TypeError, IndexError, ValueError) as error:
            return self._error(400, f"the request is not understood: {error!r}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Keep quiet."""

    def _fails(self, model: str, raw: bytes) -> bool:
        """Fail before any answer, where the model is named for that; a 429 comes once a question."""
        if model == "307":
            self._error(307, ORDER, {"location": f"{self.server.elsewhere}{self.path}"})
            return True
        if model == "slow":
            sleep(SLOW_S)
        if model == "500":
            self._error(500, ORDER)
        if model == "401":
            self._error(
                401, f"no such key: {self.headers.get('authorization')}{self.headers.get('x-api-key')}"
            )
        if model == "429" and self.server.is_new(raw):
            self._error(429, "too many", {"retry-after": str(RETRY_AFTER_S)})
            return True
        return model in {"500", "401"}

    def _error(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        body = {"type": "error", "error": {"type": "api_error", "message": message, "code": None}}
        self._send(status, json.dumps(body).encode(), headers)

    def _send(
        self, status: int, raw: bytes, headers: Mapping[str, str] | None = None, *, whole: bool = True
    ) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(raw if whole else raw[: len(raw) // 2])
        except ConnectionError:
            whole = False  # the asker has gone: it was too slow or too long for him
        if not whole:
            self.close_connection = True


class ModelServer(ThreadingHTTPServer):
    """Answers on this machine only."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self._seen: set[bytes] = set()
        self.requests = 0
        self.elsewhere = ""  # where the model 307 sends whoever asks

    @property
    def address(self) -> str:
        """Where it answers, without the path of an API."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def is_new(self, raw: bytes) -> bool:
        """Tell whether a question comes for the first time."""
        digest = blake2b(raw).digest()
        if digest in self._seen:
            return False
        self._seen.add(digest)
        return True


def main() -> int:
    """Print the address and answer until it is interrupted."""
    ArgumentParser("python -m remanence.testing.model_server", description=__doc__).parse_args()
    with ModelServer() as server:
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
