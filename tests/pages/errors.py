"""The page of errors, written from `errors.py`: what each means, what it carries, and what to do."""

import builtins
import inspect

from remanence.core import errors

HEAD = """# Errors

Every error that Remanence raises on purpose is a `RemanenceError`: `str(error)` says what happened, `error.recovery`
what to do about it, and a traceback shows both. Argument errors are also a `ValueError`, a missing memory is also a
`KeyError`. A verb that raises has written nothing, unless the message says otherwise.

```python
import remanence.sync

with remanence.sync.open() as memory:
    try:
        memory.pin("no-such-memory")
    except remanence.NotFound as error:
        print(error, "→", error.recovery)
```

```text
no memory 'no-such-memory' in scope 'default' → list ids with `list` or `recall`
```
"""


def page() -> str:
    """Return the page."""
    return HEAD + "".join(_section(kind, 2) for kind in _below(errors.RemanenceError))


def _below(root: type) -> list[type]:
    """Return the classes of the tree in the order of the source, a class before what is derived from it."""
    found = [one for one in vars(errors).values() if inspect.isclass(one) and issubclass(one, root)]
    return [one for one in found if one is not root]


def _section(kind: type, level: int) -> str:
    bases = ", ".join(f"`{base.__name__}`" for base in kind.__mro__[1:] if _is_told(base))
    carried = _carried(kind)
    carries = f"\n\nCarries {', '.join(f'`{name}`' for name in carried)}." if carried else ""
    return f"\n{'#' * level} `{kind.__name__}`\n\n{inspect.getdoc(kind)} Is a {bases}.{carries}\n"


def _is_told(base: type) -> bool:
    return issubclass(base, errors.RemanenceError) or (
        base not in (Exception, BaseException, object) and hasattr(builtins, base.__name__)
    )


def _carried(kind: type) -> list[str]:
    """Return the attributes that the class adds to its text and its recovery."""
    own = vars(kind).get("__init__")
    names = own.__code__.co_names if own is not None else ()
    return [name for name in names if f"self.{name} = " in inspect.getsource(kind)]
