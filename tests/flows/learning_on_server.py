"""Learns one text after another on a server: `python -m tests.flows.learning_on_server ADDRESS SCOPE NAME [COUNT]`.

Prints the id of each memory once it is acknowledged. Where the server cannot be reached it learns the same text again.
"""

import asyncio
import sys
from itertools import count

import remanence
from remanence.core.errors import StoreUnavailable


async def main(address: str, scope: str, name: str, most: int | None) -> None:
    """Learn until enough is learned, or for ever."""
    async with remanence.open(address, scope=scope, embedder="hashed") as memory:
        print("open", flush=True)
        for number in count() if most is None else range(most):
            while True:
                try:
                    learned = await memory.learn(f"{name} moved into house {number} of {scope}.")
                except StoreUnavailable:
                    continue
                break
            print(learned.id, flush=True)


if __name__ == "__main__":
    _, given_address, given_scope, given_name, *given_most = sys.argv
    asyncio.run(main(given_address, given_scope, given_name, int(given_most[0]) if given_most else None))
