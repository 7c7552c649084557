"""A memory engine for AI agents that keeps what matters, and can say why, show it first, and take it back."""

from remanence._version import __version__

__all__ = ["__version__"]
