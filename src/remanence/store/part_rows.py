"""Where the rows of a part lie and how it is named: one number for position and order, an id of a run as 16 bytes.

Knows numbers and ids; knows nothing of what the rows say.
"""

PLACE_BITS = 24  # for the number of a change in its part, far more than a part holds
LAST = (1 << PLACE_BITS) - 1
_ID_DIGITS = 32
# The rows of a part, whose position is the first parameter, and of parts that `json_each` lists.
OF_PART = f"place BETWEEN ?1 << {PLACE_BITS} AND ?1 << {PLACE_BITS} | {LAST}"
OF_LISTED = f"place BETWEEN value << {PLACE_BITS} AND value << {PLACE_BITS} | {LAST}"
PLACE = f"?1 << {PLACE_BITS} | ?2"  # of a row given by position and number


def pack_run(run: str) -> bytes | str:
    """Return the id of a run as it is kept: as bytes where it is what `model.new_id` makes, else as it is."""
    if len(run) == _ID_DIGITS and not run.strip("0123456789abcdef"):
        return bytes.fromhex(run)
    return run
