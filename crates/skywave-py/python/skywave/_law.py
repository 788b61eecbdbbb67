"""Senders as they are handed over: by name, composed, or with a class of one's own in them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from skywave import _custom, _scenario, _toml
from skywave._custom import CongestionControl, Factory, LossDetector

Law = (
    str
    | Mapping[str, Any]
    | _scenario.Transport
    | type[CongestionControl]
    | type[LossDetector]
    | Factory
)
"""A preset or a QUIC sender by its name, a composition (a dict, or a `Transport`), or a class of
one's own, which takes its slot of Reno as it does in a scenario."""


class Written(NamedTuple):
    """Senders as the text of scenarios has them, and the classes that the text names."""

    texts: list[str]
    custom: dict[str, Factory]


def written(laws: list[Law]) -> Written:
    """The senders as scenarios write them.

    >>> written(["cubic", {"preset": "cerl", "recovery": "sack"}]).texts
    ['cubic', '{ preset = "cerl", recovery = "sack" }']
    """
    texts: list[str] = []
    custom: dict[str, Factory] = {}
    for law in laws:
        whole: object = law
        if _custom.is_factory(law):
            slot = _custom.slot_of(law)
            whole = {slot: law}
        _scenario.collect(whole, custom)
        plain = _scenario.plain(whole)
        texts.append(plain if isinstance(plain, str) else _toml.value(plain))
    return Written(texts, custom)
