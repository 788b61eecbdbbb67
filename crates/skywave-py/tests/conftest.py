"""What the tests share."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from skywave import Flow, Link, Run, Scenario


@pytest.fixture
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).parents[3]


@pytest.fixture
def lossy() -> Scenario:
    """Two variants, two loss rates, three seeds."""
    radio = Link(
        name="radio",
        between=("A", "B"),
        rate="1Mbps",
        delay="20ms",
        queue={"droptail": "20 packets"},
    )
    return Scenario(
        name="lossy",
        title="Two variants over a lossy link",
        links=[radio],
        flows=[Flow(name="bulk", from_="A", to="B", rwnd="60 segments")],
        run=Run(duration="5s", seeds=3, bins="1s"),
        sweep={
            "flow.bulk.transport": ["reno", "cerl"],
            "link.radio.loss.forward.iid": [0.0, 0.02],
        },
    )


@pytest.fixture
def endless() -> Scenario:
    """One simulation that nobody can wait for."""
    return Scenario(
        name="endless",
        links=[Link(between=("A", "B"), rate="1Gbps", delay="1ms")],
        flows=[Flow(from_="A", to="B")],
        run=Run(duration="1000000s"),
    )


@pytest.fixture
def ctrl_c_soon() -> Iterator[None]:
    """Another thread of Python presses Ctrl-C, which it only can while the interpreter is free."""
    # Whoever runs the tests in the background may have told them to ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    yield
    timer.cancel()
    timer.join()
    signal.signal(signal.SIGINT, before)
