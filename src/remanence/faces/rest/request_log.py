"""What the server logs where somebody asked for it: a line for each request, and what goes wrong, in one format.

A line has the route, never what a caller put into its address, its heads or its body. Knows ASGI and logging.
"""

import json
import logging
import sys
from traceback import extract_tb
from typing import Any, Literal

from starlette.types import Scope

from remanence.core.clock import to_datetime
from remanence.core.results import visible

LogFormat = Literal["text", "json"]
METRICS = "/metrics"
LOG = logging.getLogger("remanence.requests")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FIELDS = "fields"  # under which a record carries those of a request


def write_log(form: LogFormat) -> None:
    """Write what this process logs to standard error, in lines of one format."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLogFormat() if form == "json" else _TextLogFormat())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    LOG.setLevel(logging.INFO)


def log_request(scope: Scope, status: int, micros: int, sent: int) -> None:
    """Log one request: which route, how it was answered, how long that took, and the name of its token."""
    method, token = scope["method"], scope.get("token")
    fields = {
        "method": method if method in _METHODS else "other",
        "route": getattr(scope.get("route"), "path", METRICS if scope["path"] == METRICS else None),
        "status": status,
        "ms": round(micros / 1_000, 1),
        "bytes": sent,
        "token": None if token is None else token.name,
    }
    LOG.info("request", extra={_FIELDS: fields})


def _describe_error(record: logging.LogRecord) -> list[str]:
    """Say where an error was raised and of which class it is; its own words may be those of a memory."""
    if record.exc_info is None or record.exc_info[0] is None:
        return []
    kind, _, trace = record.exc_info
    return [kind.__name__, *(f"{one.filename}:{one.lineno} in {one.name}" for one in extract_tb(trace))]


def _time_of(record: logging.LogRecord) -> str:
    return to_datetime(round(record.created * 1e6)).isoformat(timespec="milliseconds")


class _JsonLogFormat(logging.Formatter):
    """A line is a JSON object: `at`, `level`, and the fields of a request, or a `message` with its `error`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line."""
        fields: dict[str, Any] | None = getattr(record, _FIELDS, None)
        line: dict[str, Any] = {"at": _time_of(record), "level": record.levelname.lower()}
        line |= {"message": record.getMessage()} if fields is None else fields
        if error := _describe_error(record):
            line["error"] = error
        return json.dumps(line)


class _TextLogFormat(logging.Formatter):
    """A line is for people: when, how grave, and what."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line."""
        fields: dict[str, Any] | None = getattr(record, _FIELDS, None)
        what = record.getMessage()
        if fields is not None:
            what = (
                f"{fields['method']} {fields['route'] or '-'} {fields['status']} {fields['ms']} ms"
                f" {fields['bytes']} B {fields['token'] or '-'}"
            )
        error = "; ".join(_describe_error(record))
        line = f"{_time_of(record)} {record.levelname.lower()} {what}{f' ({error})' if error else ''}"
        return visible(line.replace("\n", " "))
