"""Window laws and loss detectors written in Python."""

import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import pytest
import skywave
from own_laws import PyReno
from skywave import (
    AckEvent,
    DetectionEvent,
    Finding,
    Flight,
    Flow,
    Link,
    LossDetector,
    LossEvent,
    Response,
    Run,
    Scenario,
    Transport,
    Window,
)


class Gentle(PyReno):
    def __init__(self, keep: float = 0.8) -> None:
        self.keep = keep

    def on_loss(self, loss: LossEvent, window: Window) -> Response:
        return Response.cut_to(loss.window * self.keep)


class ThreeDupacks(LossDetector):
    """As the built-in one, with every method written out."""

    def on_dupack(self, event: DetectionEvent) -> bool:
        return event.dupacks == 3

    def on_new_ack(self, event: DetectionEvent) -> bool:
        return super().on_new_ack(event)

    def on_retransmit(self, flight: Flight) -> None:
        super().on_retransmit(flight)

    def on_timeout(self) -> None:
        super().on_timeout()

    def needs_deliveries(self) -> bool:
        return True

    def on_delivery(self, event: DetectionEvent) -> Finding:
        return super().on_delivery(event)

    def on_duplicate(self, ack: int, reported: int | None) -> None:
        super().on_duplicate(ack, reported)

    def arm_probe(self, event: DetectionEvent, timeout: float) -> None:
        super().arm_probe(event, timeout)

    def next_timer(self) -> float | None:
        return super().next_timer()

    def on_timer(self, event: DetectionEvent) -> Finding:
        return super().on_timer(event)

    def threshold(self) -> int:
        return super().threshold()

    def distrusts_rto(self) -> bool:
        return super().distrusts_rto()

    def limited_transmit(self, dupacks: int) -> int:
        return super().limited_transmit(dupacks)


class SixDupacks(LossDetector):
    def on_dupack(self, event: DetectionEvent) -> bool:
        return event.dupacks == self.threshold()

    def threshold(self) -> int:
        return 6


def compared(lossy: Scenario, ours: Transport, built_in: str | Transport) -> None:
    """Both give the same outcomes, to the last bit."""
    transports: list[object] = [built_in, ours]
    losses: list[object] = [0.0, 0.01, 0.05]
    sweep = {"flow.bulk.transport": transports, "link.radio.loss.forward.iid": losses}
    results = skywave.run(replace(lossy, sweep=sweep, run=Run(duration="20s", seeds=3)))
    rows = list(results.runs)
    named = {"transport", "flow.bulk.transport"}
    outcomes = [{k: v for k, v in row.items() if k not in named} for row in rows]
    assert outcomes[:9] == outcomes[9:]
    assert sum(row["fast_retransmits"] for row in rows) > 100
    assert sum(row["timeouts"] for row in rows) > 10


@pytest.mark.parametrize("recovery", ["tahoe", "reno", "newreno", "sack"])
def test_reno_written_in_python_is_reno(lossy: Scenario, recovery: str) -> None:
    ours = Transport(recovery, congestion=PyReno)
    compared(lossy, ours, recovery)


@pytest.mark.parametrize("recovery", ["reno", "sack"])
def test_a_detector_written_in_python_is_the_built_in_one(lossy: Scenario, recovery: str) -> None:
    compared(lossy, Transport(recovery, detection=ThreeDupacks), recovery)
    six = Transport(recovery, detection={"dupacks": 6})
    compared(lossy, Transport(recovery, detection=SixDupacks), six)


def test_what_a_law_answers_counts(lossy: Scenario) -> None:
    laws: list[Callable[[], PyReno]] = [
        PyReno,
        Gentle,
        partial(Gentle, keep=0.5),
        partial(Gentle, keep=0.9),
    ]
    transports = [Transport("reno", congestion=law) for law in laws]
    link = replace(lossy.links[0], loss={"forward": {"iid": 0.02}})
    sweep = {"flow.bulk.transport": transports}
    results = skywave.run(replace(lossy, links=[link], sweep=sweep))
    goodput = dict(zip(results.summary["transport"], results.summary["goodput_bps"], strict=True))
    names = ["PyReno", "Gentle", "Gentle(keep=0.5)", "Gentle(keep=0.9)"]
    assert list(goodput) == [f"reno congestion={name}" for name in names]
    reno, gentle, half, most = goodput.values()
    assert reno == half
    assert len({reno, gentle, most}) == 3


def test_a_file_names_a_class(lossy: Scenario, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    flow = Flow(name="bulk", from_="A", to="B", transport={"congestion": "mine"})
    path.write_text(replace(lossy, flows=[flow], sweep={}).to_toml())
    own = skywave.run(path, custom={"mine": PyReno})
    assert own.runs["transport"] == ["reno congestion=mine"] * 3
    with pytest.raises(skywave.ScenarioError, match="unknown congestion `mine`"):
        skywave.run(path)
    loaded = skywave.load(path, custom={"mine": PyReno})
    assert skywave.run(loaded).runs.to_pydict() == own.runs.to_pydict()


def test_runs_with_code_of_ones_own_are_run_again(lossy: Scenario, tmp_path: Path) -> None:
    reused: list[int] = []

    def note(done: int, found: int, total: int) -> None:
        reused.append(found)

    both = {"flow.bulk.transport": ["reno", Transport("reno", congestion=PyReno)]}
    for _ in range(2):
        skywave.run(replace(lossy, sweep=both), out=tmp_path, progress=note)
    assert reused[-1] == 3


def test_events_say_what_happens(lossy: Scenario) -> None:
    heard: list[AckEvent] = []
    flights: list[Flight] = []

    class Listener(PyReno):
        def grow(self, ack: AckEvent, window: Window) -> None:
            assert self.mss == 1000
            heard.append(ack)
            super().grow(ack, window)

    class Watcher(ThreeDupacks):
        def on_new_ack(self, event: DetectionEvent) -> bool:
            flights.append(event.flight)
            return False

    transport = Transport("reno", congestion=Listener, detection=Watcher)
    flow = Flow(name="bulk", from_="A", to="B", transport=transport, mss=1000)
    results = skywave.run(replace(lossy, flows=[flow], sweep={}, run=Run(duration="5s")))
    assert len(heard) == len(flights) > 100
    assert all(0.0 < a.now <= b.now <= 5.0 for a, b in pairwise(heard))
    rtts = [ack.rtt for ack in heard if ack.rtt is not None]
    # Both propagation delays and one transmission each way, in an empty network.
    assert 0.04 + 1040 * 8e-6 + 40 * 8e-6 <= min(rtts) < 0.06
    acked = sum(ack.acked for ack in heard) * 1000
    assert acked == pytest.approx(results.runs["delivered_bytes"][0], rel=0.02)
    for ack, flight in zip(heard, flights, strict=True):
        assert (flight.una, flight.nxt) == (ack.una, ack.nxt)
        assert flight.in_flight == ack.in_flight * 1000 == flight.nxt - flight.una
        if flight.first is not None:
            assert flight.segments[0].start == flight.first.start == flight.una


@pytest.mark.parametrize(
    "method", ["__init__", "on_ack", "grow", "on_loss", "on_timeout", "on_dupack"]
)
def test_an_exception_stops_the_run_and_is_raised(
    lossy: Scenario, endless: Scenario, method: str
) -> None:
    def fail(*_: object) -> None:
        raise LookupError("of my own")

    broken = type("Broken", (PyReno,), {method: fail})
    # Loss of all kinds, for ever.
    flow = Flow(from_="A", to="B", transport=Transport("reno", congestion=broken))
    link = Link(between=("A", "B"), rate="1Gbps", delay="1ms", loss={"forward": {"iid": 0.2}})
    with pytest.raises(LookupError, match="of my own") as caught:
        skywave.run(replace(endless, flows=[flow], links=[link]))
    shown = "".join(traceback.format_exception(caught.value))
    assert "in fail" in shown
    assert 'raise LookupError("of my own")' in shown
    # Nothing of it is left for the next one.
    assert len(skywave.run(lossy).runs) == 12


def test_a_wrong_answer_is_an_error(endless: Scenario) -> None:
    class Silent(PyReno):
        def on_loss(self, loss: LossEvent, window: Window) -> Response:
            return None  # type: ignore[return-value]

    class Vague(ThreeDupacks):
        def threshold(self) -> int:
            return -1

    link = Link(between=("A", "B"), rate="1Gbps", delay="1ms", loss={"forward": {"iid": 0.2}})
    for transport, message in [
        (Transport(congestion=Silent), r"on_loss must return a skywave\.Response, not .*NoneType"),
        (Transport(detection=Vague), r"threshold must return a whole number, 0 or more, not .*int"),
    ]:
        flow = Flow(from_="A", to="B", transport=transport)
        with pytest.raises(TypeError, match=message):
            skywave.run(replace(endless, flows=[flow], links=[link]))


@pytest.mark.usefixtures("ctrl_c_soon")
def test_ctrl_c_ends_a_run_in_python(endless: Scenario) -> None:
    flow = Flow(from_="A", to="B", transport=Transport(congestion=PyReno))
    with pytest.raises(KeyboardInterrupt):
        skywave.run(replace(endless, flows=[flow]))


def test_what_is_no_member_is_an_error(lossy: Scenario) -> None:
    with pytest.raises(TypeError, match=r"mine must be a subclass of skywave\.CongestionControl"):
        skywave.load(lossy, custom={"mine": object})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="there is a `congestion` called `cubic` already"):
        skywave.load(lossy, custom={"cubic": PyReno})
    older_methods = {"on_waiting": "also while the detector waits", "on_ack": "takes the ack alone"}
    for method, advice in older_methods.items():
        older = type("Older", (PyReno,), {method: lambda _self, _ack, _window: None})
        with pytest.raises(TypeError, match=advice):
            skywave.load(lossy, custom={"older": older})
    other = type("PyReno", (Gentle,), {})
    sweep = {"flow.bulk.transport": [Transport(congestion=PyReno), Transport(congestion=other)]}
    with pytest.raises(ValueError, match="two classes of this scenario are called PyReno"):
        skywave.load(replace(lossy, sweep=sweep))
    with pytest.raises(ValueError, match=r"give `custom` to skywave\.load"):
        skywave.run(skywave.load(lossy), custom={})


class Listener(PyReno):
    """Reno at a fixed pace, which writes down what it hears."""

    heard: ClassVar[list[tuple[float, float | None]]] = []
    causes: ClassVar[list[str]] = []
    marks: ClassVar[list[str]] = []

    def grow(self, ack: AckEvent, window: Window) -> None:
        super().grow(ack, window)
        rate = ack.rate.rate if ack.rate else None
        self.heard.append((ack.delivered, rate))

    def on_loss(self, loss: LossEvent, window: Window) -> Response:
        self.causes.append(loss.cause)
        return super().on_loss(loss, window)

    def on_ecn(self, mark: LossEvent, window: Window) -> Response:
        self.marks.append(mark.cause)
        return Response.cut_to(mark.window * 0.9)

    def needs_rate(self) -> bool:
        return True

    def pacing_rate(self) -> float:
        return 3e6


def listen(link: Link, **settings: bool) -> float:
    """The goodput of a flow of a `Listener` over this link."""
    for heard in (Listener.heard, Listener.causes, Listener.marks):
        heard.clear()
    flow = Flow(
        name="f", from_="a", to="b", transport=Transport("sack", congestion=Listener), tcp=settings
    )
    results = skywave.run(Scenario(links=[link], flows=[flow], run=Run(duration="10s")))
    return float(results.runs["goodput_bps"][0])


def test_a_law_hears_of_deliveries_and_sets_its_pace() -> None:
    loss = {"forward": {"iid": 0.01}}
    goodput = listen(Link(between=("a", "b"), rate="20Mbps", delay="5ms", loss=loss))
    assert 1e6 < goodput < 3e6
    assert "sack" in Listener.causes
    rates = [rate for _, rate in Listener.heard if rate is not None]
    assert rates
    assert max(rates) < 20e6
    assert all(delivered > 0 for delivered, _ in Listener.heard)


def test_a_law_hears_of_marks() -> None:
    queue = {"red": {"limit": "50 packets", "min": "2 packets", "weight": 0.1, "ecn": True}}
    listen(Link(between=("a", "b"), rate="2Mbps", delay="5ms", queue=queue), ecn=True)
    assert set(Listener.marks) == {"mark"}


class Prober(LossDetector):
    """Three duplicate ACKs, or a probe after two round trips of silence."""

    wants: ClassVar[bool] = True
    deliveries: ClassVar[list[float]] = []
    duplicates: ClassVar[list[int]] = []
    timeouts: ClassVar[list[float]] = []

    def __init__(self) -> None:
        self.due: float | None = None

    def on_dupack(self, event: DetectionEvent) -> bool:
        return event.dupacks == 3

    def on_timeout(self) -> None:
        self.due = None

    def needs_deliveries(self) -> bool:
        return self.wants

    def on_delivery(self, event: DetectionEvent) -> Finding:
        assert event.flight.delivery is not None
        assert event.flight.delivery.min_rtt <= event.flight.delivery.rtt
        self.deliveries.append(event.flight.delivery.rtt)
        return Finding.NOTHING

    def on_duplicate(self, ack: int, reported: int | None) -> None:
        self.duplicates.append(ack)

    def arm_probe(self, event: DetectionEvent, timeout: float) -> None:
        self.timeouts.append(timeout)
        wait = 2 * event.srtt if event.srtt is not None else 1.0
        self.due = min(event.now + wait, timeout)

    def next_timer(self) -> float | None:
        return self.due

    def on_timer(self, event: DetectionEvent) -> Finding:
        self.due = None
        return Finding.PROBE


class Deaf(Prober):
    wants = False


def probes(detector: type[Prober]) -> int:
    """Losses that a probe found, of short requests over a lossy link."""
    for heard in (Prober.deliveries, Prober.duplicates, Prober.timeouts):
        heard.clear()
    requests = {"size": "1kB", "think": "500ms"}
    flow = Flow(
        name="f",
        from_="a",
        to="b",
        transport=Transport("sack", detection=detector),
        acking="every",
        traffic={"requests": requests},
    )
    loss = {"forward": {"iid": 0.1}}
    link = Link(between=("a", "b"), rate="2Mbps", delay="50ms", loss=loss, duplication=0.01)
    results = skywave.run(Scenario(links=[link], flows=[flow], run=Run(duration="120s")))
    return int(results.runs["lost_channel_probe"][0])


def test_a_detector_that_needs_deliveries_hears_of_them_and_may_probe() -> None:
    assert probes(Prober) > 5
    assert len(Prober.deliveries) > 100
    assert all(0.1 < rtt < 1.0 for rtt in Prober.deliveries)
    assert Prober.duplicates
    assert Prober.timeouts


def test_a_detector_that_does_not_need_deliveries_hears_nothing_of_them() -> None:
    assert probes(Deaf) == 0
    assert (Prober.deliveries, Prober.duplicates, Prober.timeouts) == ([], [], [])


def test_a_timer_that_stays_due_is_an_error(endless: Scenario) -> None:
    class Stuck(ThreeDupacks):
        def next_timer(self) -> float | None:
            return 0.5

    flow = Flow(from_="A", to="B", transport=Transport(detection=Stuck))
    with pytest.raises(ValueError, match="next_timer must return a later time or None"):
        skywave.run(replace(endless, flows=[flow]))


def test_findings_say_what_they_are() -> None:
    found = [Finding.NOTHING, Finding.LOST, Finding.PROBE, Finding.SILENCE, Finding.repaired(1.5)]
    names = ["NOTHING", "LOST", "PROBE", "SILENCE", "repaired(1.5)"]
    assert [repr(finding) for finding in found] == [f"Finding.{name}" for name in names]
