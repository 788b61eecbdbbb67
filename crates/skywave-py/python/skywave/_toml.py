"""Values of Python as TOML text."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

_BARE = re.compile(r"[A-Za-z0-9_-]+")


@runtime_checkable
class _Listable(Protocol):
    """Arrays and scalars of numpy, columns of pandas."""

    def tolist(self) -> object: ...


def value(item: object) -> str:
    """An item as an inline value of TOML.

    >>> value({"gilbert-elliott": {"to_bad": 0.01, "to_good": 0.3}})
    '{ gilbert-elliott = { to_bad = 0.01, to_good = 0.3 } }'
    """
    if isinstance(item, _Listable):
        item = item.tolist()
    match item:
        case bool():
            return "true" if item else "false"
        case int():
            return str(int(item))
        case float():
            return repr(float(item))
        case str():
            return _string(item)
        case Mapping():
            pairs = [f"{key(k)} = {value(v)}" for k, v in item.items()]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
        case Iterable() if not isinstance(item, bytes | set | frozenset):
            return f"[{', '.join(value(v) for v in item)}]"
    what = type(item).__qualname__
    raise TypeError(
        f"a scenario holds numbers, strings, booleans, lists and dicts, not {what}: {item!r}"
    )


def key(name: object) -> str:
    """A key, quoted where it must be.

    >>> key("link.radio.delay")
    '"link.radio.delay"'
    """
    if not isinstance(name, str):
        raise TypeError(f"keys of a scenario are strings, not {type(name).__qualname__}: {name!r}")
    return name if _BARE.fullmatch(name) else _string(name)


def table(items: Mapping[str, object]) -> str:
    """A key a line."""
    return "".join(f"{key(k)} = {value(v)}\n" for k, v in items.items())


def _string(text: str) -> str:
    # JSON's strings are TOML's, but for the one control character above the space.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
