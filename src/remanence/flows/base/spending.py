"""What models cost: the tokens of a day, which every process counts, and the limit at which work waits.

Knows counters and settings; must not know what was asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from remanence.core.results import date_of
from remanence.flows.base.context import Core
from remanence.flows.base.settings import number
from remanence.store.base import Bookkeeping

DAY_LIMIT, PRICE = "writer_tokens_day", "writer_cents"
COUNTED = ("calls", "tokens")
PRICED_TOKENS = 1_000_000  # that a price is for


@dataclass(frozen=True, slots=True)
class Account:
    """Who spends: what the names of its counters begin with (the day follows, UTC), and the setting of its day."""

    under: str
    day_limit: str


WRITER = Account("spend/", DAY_LIMIT)
EMBEDDER = Account("spend-embedder/", "embedder_tokens_day")


@dataclass
class Spending:
    """What one run asks of a model."""

    core: Core
    account: Account = WRITER

    async def book(self, calls: int, tokens: int) -> None:
        """Count what was asked, as soon as it is answered: also where nothing comes of it."""
        now = self.core.clock.now()
        counts = dict(zip(name_day_counters(now, self.account), (calls, tokens), strict=True))
        await self.core.store.bookkeep(self.core.scope, Bookkeeping(now, count=counts))

    async def waits(self) -> str:
        """Say why nothing more is asked now; "" where something may be."""
        day = self.account.day_limit
        spent = (await read_spent_today(self.core, self.account))["tokens"]
        if spent >= (most := await number(self.core, day)):
            return f"{spent:,} of {most:,} tokens are used today ({day}); tomorrow, UTC, it goes on"
        return ""


async def read_spent_today(core: Core, account: Account = WRITER) -> Mapping[str, int]:
    """Return how many calls and tokens models have taken today, UTC."""
    now = core.clock.now()
    names = name_day_counters(now, account)
    counters = (await core.store.bookkeep(core.scope, Bookkeeping(now, counters=names))).counters
    return {what: counters.get(name, 0) for what, name in zip(COUNTED, names, strict=True)}


async def read_cents(core: Core, tokens: int) -> int:
    """Return about how many cents a writer's tokens cost, rounded up; 0 where no price is set."""
    return -(-tokens * await number(core, PRICE) // PRICED_TOKENS)


def name_day_counters(now: int, account: Account) -> list[str]:
    """Return the names of the counters of a day, UTC: calls, then tokens."""
    return [f"{account.under}{date_of(now)}/{what}" for what in COUNTED]
