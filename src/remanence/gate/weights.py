"""What evidence of orders to a machine weighs alone and together, as data."""

from typing import NamedTuple

from remanence.languages.ordering.kinds_of_evidence import Evidence

E = Evidence

ORDERS_VERSION = 2
ORDERS_MIN = (
    4.0  # of 234 planted and 222 benign labelled texts it tells the most apart; 3.5 keeps out thrice as many
)


class Sign(NamedTuple):
    """Evidence that weighs something together, as bits: all of `every`, one of each of `some`, none of `without`."""

    name: str
    weight: float
    every: int
    some: tuple[int, ...]
    without: int

    def fits(self, bits: int) -> bool:
        """Tell whether this is in the evidence of a sentence."""
        return (
            bits & self.every == self.every
            and not bits & self.without
            and all(bits & one for one in self.some)
        )


_NONE = E(0)


def _sign(name: str, weight: float, every: E, some: tuple[E, ...] = (), without: E = _NONE) -> Sign:
    return Sign(name, weight, every.value, tuple(one.value for one in some), without.value)


# What also counts in the sentences beside the one it stands in.
CONTEXT = (
    E.MACHINE | E.HELPER | E.CALLED | E.HELPER_CALLED | E.READS | E.MARKUP | E.UNSEEN | E.OFFICIAL
    | E.USER | E.CONSENT | E.ROLE | E.TOOL | E.REPORT
).value  # fmt: skip
_READER = E.MACHINE | E.HELPER
_CALL = E.CALLED | E.HELPER_CALLED

SIGNS: tuple[Sign, ...] = (
    # earlier instructions are to be dropped
    _sign("override", 2.0, E.OVERRIDDEN),
    _sign("override", 1.5, E.OVERRIDDEN | E.PRIOR),
    _sign("override", 1.0, E.OVERRIDDEN | E.ALL),
    _sign("override", 1.5, E.OVERRIDDEN, (E.OWNED | E.MAKER | E.TOLD | E.YOU,)),
    _sign("override", 3.0, E.INSTRUCTION | E.VOID, (E.PRIOR | E.TOLD | E.OWNED | E.OFFICIAL | E.MAKER,)),
    _sign("override", 3.5, E.TOLD, (E.OVERRIDE | E.VOID,)),
    _sign("override", 1.0, E.TOLD | E.PRIOR),
    _sign("override", 1.5, E.OWNED | E.OBEY),
    _sign("override", 1.5, E.OVERRIDE | E.OBEY, (E.ONLY | E.USER | E.PERSON,)),
    _sign("override", 3.0, E.MAKER, (E.OVERRIDE | E.VOID,)),
    _sign("override", 3.0, E.OWNED | E.OVERRIDE),
    _sign("override", 2.5, E.OBEY | E.THIS, (E.ONLY | E.EVER,)),
    _sign("override", 2.0, E.OVERRIDE | E.USER),
    # a machine is spoken to
    _sign("calls a machine", 3.0, E.CALLED),
    _sign("calls a machine", 1.5, E.HELPER_CALLED, without=E.CALLED),
    _sign("calls a machine", 1.0, E.MACHINE, without=E.CALLED),
    _sign("calls a machine", 2.0, E.READS, (E.MACHINE | E.HELPER,)),
    _sign("calls a machine", 2.0, E.WHEN | E.YOU, (E.MACHINE,)),
    _sign("calls a machine", 1.0, E.ORDERED, (_CALL,)),
    _sign("calls a machine", 1.0, E.MUST, (E.MACHINE | E.HELPER,), without=E.ORDERED),
    _sign("calls a machine", 1.0, E.HELPER | E.HIDE),
    _sign("calls a machine", 1.0, E.MUST | E.EVER, (E.MACHINE | E.HELPER,)),
    _sign("calls a machine", 1.0, E.MACHINE, (E.POLITE | E.ALL,)),
    _sign("calls a machine", 1.0, E.READS, (E.MACHINE | E.HELPER, E.SAY | E.ACT | E.SEND | E.HIDE)),
    _sign("calls a machine", 1.0, E.HELPER | E.DATA, (E.SEND | E.ACT,)),
    _sign("calls a machine", 1.5, E.MAKER),
    _sign("calls a machine", 1.5, E.OWNED),
    _sign("calls a machine", 1.0, E.OUTPUT_OWNED),
    _sign("answers for it", 2.0, E.OUTPUT_OWNED, (E.SAY | E.SEND | E.STORE, E.ORDERED | E.MUST | E.EVER | E.ALL)),
    # what it shall do
    _sign("orders", 1.0, E.ORDERED),
    _sign("orders", 0.5, E.MUST | E.YOU),
    _sign("orders", 0.5, E.POLITE | E.YOU),
    _sign("conceals", 1.5, E.HIDE),
    _sign("conceals", 1.0, E.HIDE, (E.ACT | E.SEND,)),
    _sign("conceals", 1.0, E.HIDE | E.USER),
    _sign("answers for it", 1.5, E.ASKED | E.WHEN, (E.SAY | E.OUTPUT,)),
    _sign("answers for it", 1.0, E.ASKED | E.WHEN | E.ONLY, (E.SAY | E.OUTPUT,)),
    _sign("answers for it", 1.0, E.ASKED | E.WHEN, (E.ORDERED | E.YOU | E.OUTPUT_OWNED,)),
    _sign("answers for it", 1.5, E.EVERY, (E.SAY | E.OUTPUT,)),
    _sign("answers for it", 1.0, E.EVERY | E.MUST, (E.SAY | E.OUTPUT,)),
    _sign("answers for it", 1.0, E.ASKED | E.WHEN | E.PROMOTE),
    _sign("answers for it", 0.5, E.PROMOTE | E.ORDERED, (E.ONLY | E.EVER | E.ALL,)),
    _sign("answers for it", 1.0, E.ASKED | E.USER, (E.SAY,)),
    _sign("sends data away", 1.0, E.SEND | E.DATA),
    _sign("sends data away", 1.0, E.SEND | E.DATA | E.ADDRESS),
    _sign("sends data away", 1.5, E.SEND | E.DATA, (E.USER | E.PERSON | E.ALL | E.PRIOR | E.HIDE | _READER | E.OWNED,)),
    _sign("sends data away", 2.0, E.CARRIES, (E.SAY | E.SEND | E.ACT | E.STORE,)),
    _sign("sends data away", 1.0, E.CARRIES, (E.DATA | E.OUTPUT_OWNED | E.EVER,)),
    _sign("plants a memory", 1.5, E.STORE | E.MEMORY),
    _sign("plants a memory", 1.0, E.STORE | E.MEMORY | E.ORDERED),
    _sign("plants a memory", 1.5, E.STORE, (E.USER | E.CONSENT,)),
    _sign("plants a memory", 1.0, E.STORE | E.EVER),
    _sign("plants a memory", 0.5, E.MEMORY, (E.MACHINE | E.HELPER,)),
    _sign("plants a memory", 1.0, E.USER | E.WANTS),
    _sign("claims consent", 1.0, E.USER),
    _sign("claims consent", 1.5, E.USER | E.CONSENT),
    _sign("claims consent", 1.5, E.CONSENT, (E.ACT | E.SEND,)),
    _sign("waits", 1.5, E.LATER, (E.ACT | E.SAY | E.SEND,)),
    _sign("waits", 1.0, E.LATER | E.ORDERED, (E.ACT | E.SAY | E.SEND,)),
    _sign("waits", 1.0, E.LATER, (E.ASKED | E.USER, E.ACT | E.SAY | E.SEND)),
    _sign("waits", 0.5, E.ACT | E.DATA),
    _sign("waits", 0.5, E.EVER),
    _sign("plays a role", 2.0, E.ROLE, (E.UNLIMITED | E.MACHINE,)),
    _sign("plays a role", 1.0, E.ROLE),
    _sign("plays a role", 2.0, E.UNLIMITED),
    _sign("claims authority", 1.5, E.OFFICIAL),
    _sign("claims authority", 1.5, E.OFFICIAL, (E.MACHINE | E.HELPER | E.OWNED | E.MAKER,)),
    _sign("claims authority", 1.0, E.OFFICIAL | E.YOU),
    _sign("claims authority", 1.0, E.OFFICIAL | E.HIDE),
    _sign("uses tools", 1.0, E.TOOL | E.ACT),
    _sign("uses tools", 2.5, E.RUNS),
    _sign("uses tools", 1.0, E.RUNS, (E.MACHINE | E.HELPER | E.ORDERED,)),
    _sign("markup of a role", 3.0, E.MARKUP),
    _sign("markup of a role", 1.0, E.MARKUP, (E.SAY | E.ACT | E.SEND | E.HIDE | E.MUST | E.OFFICIAL,)),
    _sign("markup of a role", 1.0, E.MARKUP | E.ORDERED),
    _sign("nobody sees it", 2.0, E.UNSEEN),
    _sign("nobody sees it", 1.0, E.UNSEEN, (E.SAY | E.ACT | E.SEND | E.MUST,)),
    _sign("nobody sees it", 1.5, E.UNSEEN, (E.MACHINE | E.HELPER,)),
    _sign("nobody sees it", 1.0, E.COMMENT, (E.MACHINE | E.HELPER | E.SAY | E.HIDE,)),
    # talk of attacks
    _sign("talk", -2.0, E.REPORT),
    _sign("rules of people", -1.5, E.STAFF, without=E.POLITE | E.MAKER | E.OFFICIAL | E.CALLED | E.MARKUP | E.UNSEEN),
)  # fmt: skip
