"""What was shown to somebody before it is erased, kept until it is done.

Knows who was shown what; must not know how it is erased.
"""

import secrets
from collections import OrderedDict

from remanence.core.errors import NotFound
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.erase.erase import ErasePreview

SHOWN_MAX = 20  # at once; the oldest is shown again where it is still wanted


class ErasePreviews:
    """What was shown before it is erased: by name, for who was shown it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[AccessToken, ErasePreview]] = OrderedDict()

    def keep(self, token: AccessToken, preview: ErasePreview) -> str:
        """Keep a preview and return its name."""
        name = secrets.token_hex(16)
        self._kept[name] = (token, preview)
        while len(self._kept) > SHOWN_MAX:
            self._kept.popitem(last=False)
        return name

    def take(self, token: AccessToken, name: str, scope: str) -> ErasePreview:
        """Return what was shown of a scope under a name, once."""
        kept_for, preview = self._kept.pop(name, (None, None))
        if preview is None or kept_for != token or preview.scope != scope:
            raise NotFound("this was not shown, or was done already", recovery="look again at what it takes")
        return preview
