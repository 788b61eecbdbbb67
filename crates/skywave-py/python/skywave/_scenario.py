"""Scenarios built in code.

The classes have the keys of a scenario file; what they hold becomes the text of one, and goes the
same way as a file: the same checks, the same messages.
"""

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from skywave import _custom, _toml
from skywave._custom import CongestionControl, Factory, LossDetector
from skywave._skywave import Experiment

_KEYWORDS = {"from": "from_"}
"""Keys of files that Python takes for words of its own."""

Value = object
"""What a key of a scenario file holds: a string with a unit, a number, a list, a dict."""

Dist = str | Mapping[str, Any]
"""A quantity like "80ms", or a distribution like {"exponential": "80ms"}, or
{"empirical": [("10ms", 0.2), ("80ms", 1)]}: measured values, each with the share of all that are at
most so large."""


class _Table:
    """A table of a scenario file: the fields that are set."""

    def __new__(cls, *_: object, **values: object) -> Self:
        """Refuses keys that the table does not have, in the words of a scenario file's errors."""
        known = [f.name for f in fields(cls)]  # type: ignore[arg-type]
        for name in values:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                advice = f"expected one of {', '.join(known)}"
                if near:
                    advice = f"did you mean `{near[0]}`?"
                raise TypeError(f"unknown key `{name}` of a {cls.__name__}: {advice}")
        return super().__new__(cls)

    def _table(self) -> dict[str, object]:
        values = ((f.name.rstrip("_"), getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        return {name: plain(value) for name, value in values if value is not None}


def plain(value: object) -> object:
    """The value with tables as dicts, at any depth."""
    match value:
        case _Table():
            return value._table()
        case Mapping():
            return {key: plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case os.PathLike():
            return os.fspath(value)
    return _custom.name_of(value) if _custom.is_factory(value) else value


def collect(value: object, found: dict[str, Factory]) -> None:
    """Adds the classes of a user's own in a value, by the names that they have in its text."""
    for factory in factories(value):
        name = _custom.name_of(factory)
        if found.setdefault(name, factory) is not factory:
            raise ValueError(f"two classes of this scenario are called {name}")


def factories(value: object) -> Iterator[Factory]:
    """The classes of a user's own in a value, at any depth."""
    match value:
        case _Table():
            for f in fields(value):  # type: ignore[arg-type]
                yield from factories(getattr(value, f.name))
        case Mapping():
            for item in value.values():
                yield from factories(item)
        case list() | tuple():
            for item in value:
                yield from factories(item)
        case _ if _custom.is_factory(value):
            yield value  # type: ignore[misc]


def _named(value: object, custom: Mapping[str, Factory]) -> Any:
    """A value of a file with classes in the place of the names that are theirs."""
    match value:
        case Mapping():
            return {
                key: custom[item]
                if key in ("congestion", "detection") and isinstance(item, str) and item in custom
                else _named(item, custom)
                for key, item in value.items()
            }
        case list():
            return [_named(item, custom) for item in value]
    return value


def _listed(values: object) -> object:
    """Arrays, ranges and generators as lists."""
    if isinstance(values, Iterable) and not isinstance(values, str | Mapping):
        return list(values)
    return values


@dataclass(frozen=True, kw_only=True)
class Link(_Table):
    """A link between two nodes; nodes exist by being named.

    >>> radio = Link(
    ...     name="radio",
    ...     between=("server", "phone"),
    ...     rate="20Mbps",
    ...     delay="40ms",
    ...     queue={"droptail": "100 packets"},
    ...     loss={"forward": {"iid": 0.005}},
    ... )
    """

    between: tuple[str, str]
    delay: Dist | None = None
    name: str | None = None
    preset: str | None = None
    count: int | None = None
    one_way: bool | None = None
    rate: str | None = None
    trace: str | os.PathLike[str] | None = None
    trace_else: str | os.PathLike[str] | None = None
    reverse_rate: str | None = None
    reverse: Mapping[str, Value] | None = None
    jitter: str | Mapping[str, Value] | None = None
    steps: str | Mapping[str, Value] | None = None
    policer: str | Mapping[str, Value] | None = None
    shaper: str | Mapping[str, Value] | None = None
    queue: Mapping[str, Value] | None = None
    ring: str | None = None
    loss: Mapping[str, Value] | None = None
    loss_at: str | None = None
    blackouts: Mapping[str, Value] | Sequence[Mapping[str, Value]] | None = None
    corruption: float | None = None
    duplication: float | None = None
    reordering: Mapping[str, Value] | None = None
    arq: str | Mapping[str, Value] | None = None
    fec: str | Mapping[str, Value] | None = None
    contention: str | Mapping[str, Value] | None = None


@dataclass(frozen=True, kw_only=True)
class Radio(_Table):
    """A radio network of 802.11 stations that share a channel.

    >>> radio = Radio(standard="802.11g", rate="24Mbps", rts="256B", routing="aodv")
    """

    standard: str
    rate: str | None = None
    control_rate: str | None = None
    ack_rate: str | None = None
    eifs_rate: str | None = None
    broadcast_rate: str | None = None
    slot: str | None = None
    cca: str | None = None
    preamble: str | None = None
    cw_min: int | None = None
    cw_max: int | None = None
    rts: str | None = None
    nav_reset: bool | None = None
    keep_access: bool | None = None
    retries: Mapping[str, Value] | None = None
    queue: str | Mapping[str, Value] | None = None
    propagation: str | Mapping[str, Value] | None = None
    reception: str | Mapping[str, Value] | None = None
    sensing: str | Mapping[str, Value] | None = None
    routing: str | Mapping[str, Value] | None = None
    timeline: tuple[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Station(_Table):
    """A station of the radio network, or a row of them.

    >>> chain = Station(node="N#", count=4, at=("0m", "0m"), step=("200m", "0m"))
    """

    node: str
    name: str | None = None
    count: int | None = None
    at: tuple[str, str] | None = None
    step: tuple[str, str] | None = None
    moves: str | os.PathLike[str] | Mapping[str, Value] | None = None
    ip: Mapping[str, Value] | None = None
    loss: Value | None = None


@dataclass(frozen=True)
class Transport(_Table):
    """A preset with other members in some slots; `congestion` and `detection` may be classes of
    your own. Or QUIC, or WTCP, with other parameters.

    >>> Transport("cerl", recovery="sack").recovery
    'sack'
    >>> Transport(wtcp={"idle_timeout": "1min"}).wtcp
    {'idle_timeout': '1min'}
    >>> Transport("quic", congestion="bbr").congestion
    'bbr'
    """

    preset: str | None = None
    detection: str | Mapping[str, Value] | type[LossDetector] | Factory | None = None
    recovery: str | None = None
    congestion: str | Mapping[str, Value] | type[CongestionControl] | Factory | None = None
    timeout: str | Mapping[str, Value] | None = None
    quic: Mapping[str, Value] | None = None
    wtcp: Mapping[str, Value] | None = None


@dataclass(frozen=True, kw_only=True)
class Flow(_Table):
    """Data from one node to another. The keyword `from_` is the file's key `from`.

    >>> bulk = Flow(from_="server", to="phone", transport="cubic", rwnd="1MB")
    """

    from_: str
    to: str
    name: str | None = None
    count: int | None = None
    via: Sequence[str] | None = None
    reverse_via: Sequence[str] | None = None
    tunnel: Mapping[str, Value] | Sequence[Mapping[str, Value]] | None = None
    proxy: str | Mapping[str, Value] | None = None
    freeze: str | Mapping[str, Value] | None = None
    transport: str | Transport | Mapping[str, Value] | None = None
    profile: str | None = None
    mss: int | str | None = None
    header: int | str | None = None
    rwnd: str | None = None
    acking: str | Mapping[str, Value] | None = None
    handshake: str | None = None
    clock: Mapping[str, Value] | None = None
    fin: bool | None = None
    l2clamp: bool | None = None
    tcp: Mapping[str, Value] | None = None
    traffic: str | Mapping[str, Value] | None = None
    start: Dist | None = None
    start_step: str | None = None
    stop: Dist | None = None


@dataclass(frozen=True, kw_only=True)
class Agent(_Table):
    """A machine at a node that flows pass: Snoop, or D-Proxy between it and another node.

    >>> base = Agent(at="base", snoop={"dupacks": 1})
    """

    at: str
    snoop: str | Mapping[str, Value] | None = None
    d_proxy: str | Mapping[str, Value] | None = None
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class Run(_Table):
    """How long to run, and how often: `seeds` is a number or a list.

    >>> Run(duration="60s", seeds=10).seeds
    10
    """

    duration: str
    seeds: int | Sequence[int] | None = None
    measure: tuple[str, str] | None = None
    series: bool | None = None
    details: bool | None = None
    bins: str | None = None
    requests: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Plot(_Table):
    """A plot: `y` against `x`, one line for each value of `by`. With `kind="cdf"` `x` is what is
    measured, and there is no `y`. `names` has what values are called: `{"cerl": "TCP CERL"}`."""

    x: str
    y: str | None = None
    by: str | None = None
    kind: str | None = None
    sample: str | None = None
    x_scale: str | None = None
    y_scale: str | None = None
    title: str | None = None
    x_label: str | None = None
    y_label: str | None = None
    names: Mapping[str, str] | None = None
    flow: str | None = None
    link: str | None = None
    station: str | None = None


@dataclass(frozen=True, kw_only=True)
class Report(_Table):
    """What to show of the results: plots, columns of the table of flows, names of values."""

    plot: Sequence[Plot | Mapping[str, Value]] = ()
    table: Sequence[str] = ()
    names: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A network, flows over it, and how to run them.

    `sweep` maps paths to the values to try; all combinations are run. `search` maps paths to the
    ranges in which `skywave.worst` searches, such as {"log": ["1Mbps", "50Mbps"]}. `base` is the
    folder that traces are looked for in; the current one unless given.

    >>> scenario = Scenario(
    ...     title="One lossy link",
    ...     links=[Link(name="radio", between=("a", "b"), rate="2Mbps", delay="80ms")],
    ...     flows=[Flow(name="bulk", from_="a", to="b")],
    ...     run=Run(duration="10s", seeds=3),
    ...     sweep={"link.radio.loss.forward.iid": [0.0, 0.01]},
    ... )
    >>> scenario.load().runs
    6
    """

    flows: Sequence[Flow]
    run: Run
    links: Sequence[Link] = ()
    radio: Radio | None = None
    stations: Sequence[Station] = ()
    agents: Sequence[Agent] = ()
    name: str = "scenario"
    title: str | None = None
    description: str | None = None
    sweep: Mapping[str, Iterable[Value]] = field(default_factory=dict)
    search: Mapping[str, Value] = field(default_factory=dict)
    report: Report | None = None
    base: str | os.PathLike[str] = ""

    def __post_init__(self) -> None:
        # Read more than once; what is no list of values is the loader's to refuse.
        lists = {path: _listed(values) for path, values in self.sweep.items()}
        object.__setattr__(self, "sweep", lists)

    @classmethod
    def from_toml(
        cls,
        text: str,
        *,
        name: str = "scenario",
        base: str | os.PathLike[str] = "",
        custom: Mapping[str, Factory] | None = None,
    ) -> Self:
        """The scenario that the text of a file has, to go on from with `dataclasses.replace`.
        `custom` has the classes that the text names; a mistake is a `ScenarioError`.

        >>> link = Link(between=("a", "b"), rate="2Mbps", delay="80ms")
        >>> flow = Flow(from_="a", to="b")
        >>> text = Scenario(links=[link], flows=[flow], run=Run(duration="1s")).to_toml()
        >>> Scenario.from_toml(text).links[0].rate
        '2Mbps'
        """
        # What cannot be read is told by whoever reads files.
        Experiment._parse(name, text, Path(base), _custom.members(custom or {}))
        data = _named(tomllib.loads(text), custom or {})

        def tables(kind: type[Any], key: str) -> list[Any]:
            rows = data.get(key, [])
            return [kind(**{_KEYWORDS.get(k, k): v for k, v in row.items()}) for row in rows]

        def table(kind: type[Any], key: str) -> Any:
            return kind(**data[key]) if key in data else None

        return cls(
            name=name,
            title=data.get("title"),
            description=data.get("description"),
            links=tables(Link, "link"),
            radio=table(Radio, "radio"),
            stations=tables(Station, "station"),
            flows=tables(Flow, "flow"),
            agents=tables(Agent, "agent"),
            run=table(Run, "run"),
            sweep=data.get("sweep", {}),
            search=data.get("search", {}),
            report=table(Report, "report"),
            base=base,
        )

    def to_toml(self) -> str:
        """The scenario as the text of a file.

        >>> link = Link(between=("a", "b"), rate="2Mbps", delay="80ms")
        >>> flow = Flow(from_="a", to="b")
        >>> print(Scenario(links=[link], flows=[flow], run=Run(duration="10s")).to_toml())
        [[link]]
        between = ["a", "b"]
        delay = "80ms"
        rate = "2Mbps"
        <BLANKLINE>
        [[flow]]
        from = "a"
        to = "b"
        <BLANKLINE>
        [run]
        duration = "10s"
        <BLANKLINE>
        """
        head = {"title": self.title, "description": self.description}
        parts = [_toml.table({k: v for k, v in head.items() if v is not None})]
        parts += ["[[link]]\n" + _toml.table(link._table()) for link in self.links]
        if self.radio is not None:
            parts.append("[radio]\n" + _toml.table(self.radio._table()))
        parts += ["[[station]]\n" + _toml.table(station._table()) for station in self.stations]
        parts += ["[[flow]]\n" + _toml.table(flow._table()) for flow in self.flows]
        parts += ["[[agent]]\n" + _toml.table(agent._table()) for agent in self.agents]
        parts.append("[run]\n" + _toml.table(self.run._table()))
        if self.sweep:
            steps = {path: plain(values) for path, values in self.sweep.items()}
            parts.append("[sweep]\n" + _toml.table(steps))
        if self.search:
            ranges = {path: plain(values) for path, values in self.search.items()}
            parts.append("[search]\n" + _toml.table(ranges))
        if self.report is not None:
            parts.append("[report]\n" + _toml.table(self.report._table()))
        return "\n".join(part for part in parts if part)

    def custom(self) -> dict[str, Factory]:
        """The classes of your own in it, by the names that they have in its text."""
        found: dict[str, Factory] = {}
        collect([*self.flows, self.sweep], found)
        return found

    def load(self, custom: Mapping[str, Factory] | None = None) -> Experiment:
        """Checks the scenario; a mistake is a `ScenarioError` that shows its place in the text."""
        members = _custom.members({**self.custom(), **(custom or {})})
        return Experiment._parse(self.name, self.to_toml(), Path(self.base), members)
