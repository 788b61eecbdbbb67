"""Paths, drawn from a space: what space.toml says of ranges, choices and rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# The rows of the space besides the link layer, in the order in which they are drawn.
ROWS = ["queue", "loss", "jitter", "steps", "back", "others"]
# Keys of steps that have a value for each level.
PER_LEVEL = ["delays", "shares"]
# Bytes of a packet.
PACKET = 1500

Row = dict[str, Any]
Unit = Callable[[], float]


def digits(number: float) -> float:
    """The number with three digits, as files have it."""
    return float(f"{number:.3g}")


def value(spec: Any, unit: Unit) -> Any:
    """What a range of space.toml gives; anything else is itself."""
    match spec:
        case {"log": [low, high]}:
            return digits(low * (high / low) ** unit())
        case {"flat": [low, high]}:
            return digits(low + (high - low) * unit())
        case {"whole": [low, high]}:
            return low + int(unit() * (high - low + 1))
        case {"of": items}:
            return items[int(unit() * len(items))]
        case _:
            return spec


def choose(choices: list[Row], link: str, rate: float, unit: Unit) -> Row:
    """One of a row's choices by weight, with its ranges drawn."""
    fitting = [
        choice
        for choice in choices
        if link not in choice.get("not_with", []) and rate >= choice.get("from_rate", 0)
    ]
    place = unit() * sum(choice["weight"] for choice in fitting)
    for choice in fitting:
        place -= choice["weight"]
        if place < 0:
            break
    drawn: Row = {}
    for key, spec in choice.items():
        if key in PER_LEVEL:
            drawn[key] = [value(spec, unit) for _ in range(drawn["levels"])]
        else:
            drawn[key] = value(spec, unit)
    return drawn


@dataclass
class Drawn:
    """A path: its rows as drawn, by their names in space.toml."""

    name: str
    seed: int
    rate: float
    rtt: float
    rows: dict[str, Row]

    def row(self, name: str) -> Row:
        return self.rows.get(name, {"is": "none"})

    def has(self, name: str) -> str:
        return str(self.row(name)["is"])

    @property
    def bdp(self) -> float:
        """Bytes of a product of rate and round trip."""
        return self.rate * self.rtt / 8

    @property
    def buffer(self) -> int:
        """Packets of the buffer, where that is one of tail drop."""
        row = self.row("queue")
        return int(max(row["least_packets"], round(row["bdp"] * self.bdp / PACKET)))

    @property
    def is_shared(self) -> bool:
        """There are others on the way there."""
        return self.has("others") != "none"


def draw(space: Row, seed: int, name: str, recording: str | None = None) -> Drawn:
    """The path of this name; over a recording, if one is given."""
    unit = random.Random(f"{seed} {name}").random
    recordings = space["recordings"]
    of = space if recording is None else recordings
    rate, rtt = value(space["rate"], unit), value(of["rtt"], unit)
    run_seed = 1 + int(unit() * 1e6)
    link = {"is": "trace", "file": recording} if recording else choose(of["link"], "", rate, unit)
    if link["is"] == "trace":
        rate = recordings["rates"][link["file"]]
    rows = {row: choose(of[row], link["is"], rate, unit) for row in ROWS if row in of}
    return Drawn(name, run_seed, rate, rtt, {"link": link, **rows})


# What is unusual about a path: the first of these that it has.
FAMILIES: list[tuple[str, Callable[[Drawn], bool]]] = [
    ("recorded", lambda path: path.has("link") == "trace"),
    ("beside BBR", lambda path: path.row("others").get("transport") == "bbr"),
    ("beside CUBIC", lambda path: path.row("others").get("transport") == "linux"),
    ("beside Reno", lambda path: path.row("others").get("transport") == "reno"),
    ("beside short flows", lambda path: path.has("others") == "short"),
    ("beside a call", lambda path: path.has("others") == "call"),
    ("upload", lambda path: path.has("back") == "upload"),
    ("thin way back", lambda path: path.has("back") == "thin"),
    ("ACK loss", lambda path: path.has("back") == "lossy"),
    ("policer", lambda path: path.has("link") == "policer"),
    ("shaper", lambda path: path.has("link") == "shaper"),
    ("blackouts", lambda path: path.has("link") == "blackouts"),
    ("contention", lambda path: path.has("link") == "contention"),
    ("ARQ", lambda path: path.has("link") == "arq"),
    ("steps of delay", lambda path: path.has("steps") == "delay"),
    ("steps of rate", lambda path: path.has("steps") == "rate"),
    ("steps of both", lambda path: path.has("steps") == "both"),
    ("jitter", lambda path: path.has("jitter") != "none"),
    ("bursts", lambda path: path.has("loss") == "bursts"),
    ("AQM", lambda path: path.has("queue") != "droptail"),
    ("lossy", lambda path: path.has("loss") == "iid"),
    ("clean", lambda path: True),
]


def family(path: Drawn) -> str:
    return next(name for name, has in FAMILIES if has(path))
