"""Skywave: a laboratory for transport protocols over lossy wireless links.

>>> import skywave
>>> scenario = skywave.Scenario(
...     links=[skywave.Link(name="radio", between=("a", "b"), rate="2Mbps", delay="80ms")],
...     flows=[skywave.Flow(name="bulk", from_="a", to="b")],
...     run=skywave.Run(duration="10s", seeds=2),
...     sweep={"flow.bulk.transport": ["reno", "cubic"]},
... )
>>> results = skywave.run(scenario)
>>> results.summary["flow.bulk.transport"]
['reno', 'cubic']
"""

import json
from typing import Any, NamedTuple

from skywave import _skywave
from skywave._cluster import ClusterError
from skywave._custom import CongestionControl, LossDetector
from skywave._diagnose import Advice, Diagnosis, diagnose
from skywave._judge import Card, judge
from skywave._reproduce import Reproduction, reproduce
from skywave._results import Drawing, Drawings, Results
from skywave._run import load, run
from skywave._scenario import (
    Agent,
    Flow,
    Link,
    Plot,
    Radio,
    Report,
    Run,
    Scenario,
    Station,
    Transport,
)
from skywave._skywave import (
    AckEvent,
    Delivery,
    DetectionEvent,
    Experiment,
    Finding,
    Flight,
    HintsEvent,
    IdleEvent,
    LossEvent,
    RateSample,
    RecordError,
    Response,
    ScenarioError,
    Sent,
    SpuriousEvent,
    Stream,
    TimeoutEvent,
    Window,
    quantity,
    standard_growth,
)
from skywave._table import Table
from skywave._worst import WorstPath, WorstPaths, space, worst

__all__ = [
    "AckEvent",
    "Advice",
    "Agent",
    "Card",
    "ClusterError",
    "CongestionControl",
    "Delivery",
    "DetectionEvent",
    "Diagnosis",
    "Drawing",
    "Drawings",
    "Experiment",
    "Finding",
    "Flight",
    "Flow",
    "HintsEvent",
    "IdleEvent",
    "Link",
    "LossDetector",
    "LossEvent",
    "Plot",
    "Radio",
    "RateSample",
    "RecordError",
    "Report",
    "Reproduction",
    "Response",
    "Results",
    "Run",
    "Scenario",
    "ScenarioError",
    "Sent",
    "SpuriousEvent",
    "Station",
    "Stream",
    "Table",
    "TimeoutEvent",
    "Transport",
    "Variant",
    "Window",
    "WorstPath",
    "WorstPaths",
    "__version__",
    "diagnose",
    "judge",
    "load",
    "quantity",
    "reproduce",
    "run",
    "schema",
    "space",
    "standard_growth",
    "variants",
    "worst",
]

__version__ = _skywave.VERSION


class Variant(NamedTuple):
    """A TCP variant (slot "preset"), a member that can be put in a slot of one, or a transport that
    is no TCP (slot "transport")."""

    slot: str
    name: str
    summary: str
    source: str


def variants() -> list[Variant]:
    """Members and presets that can be compared and composed.

    >>> [v.name for v in variants() if v.slot == "recovery"]
    ['tahoe', 'reno', 'newreno', 'sack', 'prr', 'sack1']
    """
    return [Variant(*row) for row in _skywave.variants()]


def schema() -> dict[str, Any]:
    """The JSON schema of scenario files."""
    parsed: dict[str, Any] = json.loads(_skywave.schema())
    return parsed
