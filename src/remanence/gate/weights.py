"""Which evidence of orders counts beside its sentence, and the version of all that tells orders, as data."""

from remanence.languages.ordering.kinds_of_evidence import OrderEvidence

E = OrderEvidence
ORDERS_VERSION = 3  # a new file of weights raises it as well

# What also counts in the sentences beside the one it stands in.
CONTEXT = (
    E.MACHINE | E.HELPER | E.CALLED | E.HELPER_CALLED | E.READS | E.MARKUP | E.UNSEEN | E.OFFICIAL
    | E.USER | E.CONSENT | E.ROLE | E.TOOL | E.REPORT
).value  # fmt: skip
