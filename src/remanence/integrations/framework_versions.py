"""Which versions of a framework an adapter was read against; any other is refused before it is imported."""

from importlib.metadata import PackageNotFoundError, version

from remanence.core.errors import ExtensionError, NotFound


def require_framework(package: str, series: str, extra: str) -> None:
    """Refuse a framework that is not installed, or whose version is not of the `series` that was read.

    A series is the beginning of a version up to a point, such as "4.3": interfaces of agents change between such, and
    an adapter that half fits would lose what it is given.
    """
    recovery = f"install what was read: pip install 'remanence[{extra}]'"
    try:
        installed = version(package)
    except PackageNotFoundError:
        raise NotFound(f"{package} is not installed", recovery=recovery) from None
    if not f"{installed}.".startswith(f"{series}."):
        raise ExtensionError(
            f"{package} is of version {installed}; this adapter was written for {series}",
            recovery=recovery,
            extension=package,
        )
