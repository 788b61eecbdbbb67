"""BBR written in Python by the public interface: examples/python/bbr.py."""

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import skywave
from skywave import (
    AckEvent,
    IdleEvent,
    LossEvent,
    Response,
    SpuriousEvent,
    TimeoutEvent,
    Window,
)

EXAMPLE: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[3] / "examples/python/bbr.py"))
PyBbr: Any = EXAMPLE["PyBbr"]


@pytest.mark.parametrize("path", EXAMPLE["PATHS"])
def test_bbr_written_in_python_is_bbr(path: str) -> None:
    # Long enough for PROBE_RTT, which comes after ten seconds.
    scenario = EXAMPLE["scenario"](EXAMPLE["PATHS"][path], "15s")
    rows = both(scenario, PyBbr)
    assert len(rows) == 4
    assert rows[:2] == rows[2:]
    # It has sent, and repaired.
    assert all(row["goodput_bps"] > 1e6 for row in rows)
    if path != "clean":
        assert all(row["retransmits"] > 10 for row in rows)


def test_it_hears_of_pauses_marks_timeouts_and_mistakes() -> None:
    heard: dict[str, int] = {}

    class Listening(PyBbr):  # type: ignore[misc]
        def on_idle_restart(self, idle: IdleEvent, window: Window) -> None:
            assert idle.idle > 0.0
            assert idle.initial_window == self.initial_window
            heard["idle"] = heard.get("idle", 0) + 1
            super().on_idle_restart(idle, window)

        def on_spurious(self, spurious: SpuriousEvent, window: Window) -> None:
            assert spurious.outstanding >= 0.0
            heard["spurious"] = heard.get("spurious", 0) + 1
            super().on_spurious(spurious, window)

        def on_timeout(self, timeout: TimeoutEvent, window: Window) -> Response:
            assert timeout.outstanding >= timeout.in_flight
            heard["timeout"] = heard.get("timeout", 0) + 1
            return super().on_timeout(timeout, window)  # type: ignore[no-any-return]

        def on_ecn(self, mark: LossEvent, window: Window) -> Response:
            assert mark.floor == 1.0
            heard["ecn"] = heard.get("ecn", 0) + 1
            return super().on_ecn(mark, window)  # type: ignore[no-any-return]

    bursts = {"to_bad": 0.002, "to_good": 0.02, "loss_good": 0.0, "loss_bad": 1.0}
    link = skywave.Link(
        between=("a", "b"),
        rate="10Mbps",
        delay="30ms",
        queue={"codel": {"ecn": True}},
        loss={"forward": {"gilbert-elliott": bursts}},
        reordering={"probability": 0.02, "delay": "100ms"},
    )
    flow = skywave.Flow(
        name="bulk",
        from_="a",
        to="b",
        profile="linux",
        rwnd="4MB",
        traffic={"requests": {"size": "400kB", "think": "2s"}},
        tcp={"ecn": True, "restart_after_idle": True},
    )
    rows = both(replace(EXAMPLE["scenario"](link, "40s"), flows=[flow]), Listening)
    assert rows[:2] == rows[2:]
    assert min(heard.get(what, 0) for what in ("idle", "spurious", "timeout", "ecn")) > 5, heard


def both(scenario: skywave.Scenario, law: type[skywave.CongestionControl]) -> list[dict[str, Any]]:
    """What came of the built-in one, a row a seed, then of this one."""
    transports = ["bbr", skywave.Transport("bbr", congestion=law)]
    results = skywave.run(replace(scenario, sweep={"flow.bulk.transport": transports}))
    named = {"transport", "flow.bulk.transport"}
    return [{k: v for k, v in row.items() if k not in named} for row in results.runs]


def test_laws_are_told_of_their_connection() -> None:
    told: list[tuple[object, ...]] = []

    class Asking(PyBbr):  # type: ignore[misc]
        def grow(self, ack: AckEvent, window: Window) -> None:
            if not told:
                told.append((self.mss, self.initial_window, self.sack, self.recovery_uses_sack))
            super().grow(ack, window)

    scenario = EXAMPLE["scenario"](EXAMPLE["PATHS"]["clean"], "1s")
    flows = [replace(scenario.flows[0], tcp={"initial_window": "7 segments"}, mss=1000)]
    both(replace(scenario, flows=flows), Asking)
    assert told == [(1000, 7.0, True, True)]


def test_a_stream_is_the_simulators() -> None:
    one, same = (skywave.Stream(7, "law", "draw") for _ in range(2))
    other = skywave.Stream(8, "law", "draw")
    draws = [[stream.uniform_int(0, 1000) for _ in range(20)] for stream in (one, same, other)]
    assert draws[0] == draws[1] != draws[2]
    assert 0.0 <= one.unit() < 1.0
    assert 2.0 <= one.uniform(2.0, 3.0) < 3.0
    assert one.chance(1.0)
    assert one.exponential(1.0) > 0.0
