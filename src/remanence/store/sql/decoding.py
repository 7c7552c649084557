"""What it means that a row cannot be read: that it is not what was written."""

import struct

import orjson

from remanence.core.errors import InvalidInput, RemanenceError, StoreDamaged

# What a driver, and the JSON of images, say of a value that cannot be kept.
UNFIT = (OverflowError, UnicodeEncodeError, orjson.JSONEncodeError)
# What reading may raise where what is stored is not what was written; what a caller passed was looked at before.
UNREADABLE = (AttributeError, LookupError, TypeError, ValueError, struct.error)


def build_unfit_refusal(error: BaseException) -> InvalidInput:
    """Return what it means that a value cannot be kept."""
    return InvalidInput(
        f"a value cannot be kept: {error}", recovery="use valid Unicode and integers below 2**63"
    )


def build_row_damage(error: BaseException, place: str = "the database") -> BaseException:
    """Return what an error means that came up while rows were read; errors of ours stay what they are."""
    if isinstance(error, RemanenceError):
        return error
    damage = StoreDamaged(
        f"{place} is damaged: a row is not what was written ({type(error).__name__}: {error})",
        recovery="run `doctor`, then go back to the latest backup",
    )
    damage.__cause__ = error
    return damage


class _Decoding:
    """A block that turns what is stored into values: what fails in it is damage, nothing else is."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Say that a row is not what was written; errors of ours stay what they are."""
        if isinstance(error, UNREADABLE) and not isinstance(error, RemanenceError):
            raise build_row_damage(error) from error


DECODING = _Decoding()
