"""Kinds of evidence that a text orders a machine about. Knows no text and no language."""

from enum import IntFlag, auto


class OrderEvidence(IntFlag):
    """What a word or a phrase of a text says of it."""

    MACHINE = auto()  # a reader that can only be a program
    HELPER = auto()  # a reader that may be one: assistant, agent, model
    READS = auto()  # who reads this, has got this far
    YOU = auto()
    OWN = auto()  # with "your" before it only a machine has it: prompt, developer, memory
    OUTPUT = auto()  # with "your" before it: reply, summary
    OVERRIDE = auto()
    INSTRUCTION = auto()
    PRIOR = auto()
    ALL = auto()
    TOLD = auto()  # what you have been told
    VOID = auto()
    MAKER = auto()  # who made the machine
    USER = auto()
    PERSON = auto()
    CONSENT = auto()
    WANTS = auto()
    STORE = auto()
    MEMORY = auto()
    EVER = auto()
    SEND = auto()
    DATA = auto()
    HIDE = auto()
    ASKED = auto()
    WHEN = auto()
    EVERY = auto()  # to any question, whoever asks
    LATER = auto()
    SAY = auto()
    PROMOTE = auto()  # praise, recommend, slip in a name
    ONLY = auto()
    ACT = auto()
    TOOL = auto()
    UNLIMITED = auto()
    ROLE = auto()
    OFFICIAL = auto()
    OBEY = auto()
    POLITE = auto()
    MUST = auto()
    THIS = auto()  # this page, this line
    STAFF = auto()  # people who follow rules, we among them
    REPORT = auto()  # talk of attacks, lessons and quotations
    PRIVATE = auto()  # data that one person does not ask another for; data as well
    # Told by how words stand together, not by one of them:
    CALLED = auto()  # a machine is called by its name
    HELPER_CALLED = auto()
    ORDERED = auto()  # a verb of saying, sending, doing or storing is a command
    OWNED = auto()
    OUTPUT_OWNED = auto()
    OVERRIDDEN = auto()  # instructions, by a command to drop them
    ADDRESS = auto()
    MARKUP = auto()  # of a role
    UNSEEN = auto()  # by whom a page is shown to
    COMMENT = auto()
    CARRIES = auto()  # an address with a place for data
    RUNS = auto()  # code that fetches and runs
    DROPPED = auto()  # what the reader was told before, by a command to the reader to drop it
    KEYS = auto()  # a file that holds secrets
    CALLS = auto()  # as a machine writes a call to keep or to send something
