"""The process of one adapter: reads a call a line from a pipe of its own and answers each with a line.

It is run by the Python of the system, needs the standard library alone and leaves standard output to the system.
"""

import importlib.util
import json
import os
import sys
from typing import Any

from lifebench.adapter import LOAD, Adapter, Unsupported


def load(file: str, variant: str) -> Adapter:
    """Return the adapter of a file."""
    spec = importlib.util.spec_from_file_location("lifebench_adapter", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    memory = module.Memory(variant)
    if not isinstance(memory, Adapter):
        raise TypeError(f"`Memory` of {file} must derive lifebench.adapter.Adapter")
    return memory


def answer(memory: Adapter, call: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what one call came to."""
    try:
        return {"is": "result", "result": getattr(memory, call)(**given)}
    except Unsupported as error:
        return {"is": "unsupported", "why": str(error)}
    except Exception as error:  # noqa: BLE001 - code of another package may raise anything
        return describe(error)


def describe(error: BaseException) -> dict[str, Any]:
    """Return an error as a reply: its name, its words and its number in the operating system."""
    number = getattr(error, "errno", None)
    return {
        "is": "error",
        "why": f"{type(error).__name__}: {error}"[:500],
        "errno": number if isinstance(number, int) else 0,
    }


def main() -> None:
    """Serve until the pipe is closed: `worker.py READ_FD WRITE_FD FILE VARIANT`."""
    calls = os.fdopen(int(sys.argv[1]), encoding="utf-8")
    replies = os.fdopen(int(sys.argv[2]), "w", encoding="utf-8")
    served_by = os.getpid()
    memory: Adapter | None = None
    for line in calls:
        asked = json.loads(line)
        try:
            memory = memory or load(sys.argv[3], sys.argv[4])
            is_loading = asked["call"] == LOAD
            reply = (
                {"is": "result", "result": None}
                if is_loading
                else answer(memory, asked["call"], asked["given"])
            )
        except Exception as error:  # noqa: BLE001 - an import may raise anything
            reply = describe(error)
        if os.getpid() != served_by:  # a child that the adapter forked came back here
            os._exit(0)
        try:
            text = json.dumps({"number": asked["number"], **reply})
        except (TypeError, ValueError) as error:
            text = json.dumps({"number": asked["number"], **describe(error)})
        replies.write(text + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
