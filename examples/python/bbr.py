"""BBR, version 1, as a window law of one's own: the outcomes are those of the built-in one, to the
last bit.

    python examples/python/bbr.py

It says everything that a law with a model of its path needs: `needs_rate` for samples of the
delivery rate, `owns_window` for every ACK and no reduction but its own, `pacing_rate` and
`send_quantum` for how fast data leaves, `Stream` for randomness without a seed of its own. Times
are compared in whole nanoseconds, as the simulator keeps them.

The rules are those of docs/mechanisms/bbr.md; sections are of draft-cardwell-iccrg-bbr-00.
"""

import math
from dataclasses import dataclass, field

import skywave
from skywave import (
    AckEvent,
    IdleEvent,
    LossEvent,
    RateSample,
    Response,
    SpuriousEvent,
    TimeoutEvent,
    Window,
)

HIGH_GAIN = 2.885
CYCLE = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
MARGIN = 0.99
FEWEST = 4.0
SECOND = 1_000_000_000


def ns(seconds: float) -> int:
    """Whole nanoseconds."""
    return round(seconds * SECOND)


def scaled(rate: int, gain: float) -> int:
    """Bits per second, whole ones."""
    return int(rate * gain)


@dataclass
class MaxRate:
    """The largest rate of delivery of the last ten round trips (section 4.1.1.5)."""

    by_round: dict[int, int] = field(default_factory=dict)
    best: int = 0

    def update(self, count: int, rate: int) -> None:
        self.by_round = {at: seen for at, seen in self.by_round.items() if at > count - 11}
        self.by_round[count] = max(rate, self.by_round.get(count, 0))
        self.best = max(self.by_round.values())


@dataclass
class MinRtt:
    """The smallest round trip of the last ten seconds (section 4.1.2)."""

    seconds: float | None = None
    since: int = 0

    def update(self, now: int, rtt: float | None, late: bool) -> bool:
        expired = self.seconds is not None and now > self.since + 10 * SECOND
        smallest = self.seconds is None or (rtt is not None and rtt <= self.seconds)
        if rtt is not None and (smallest or (expired and not late)):
            self.seconds, self.since = rtt, now
        return expired


@dataclass
class FullPipe:
    """Whether the pipe was ever filled (section 4.3.2.2)."""

    reached: bool = False
    rate: int = 0
    rounds: int = 0

    def on_round(self, bandwidth: int) -> None:
        if self.reached:
            return
        if bandwidth >= scaled(self.rate, 1.25):
            self.rate, self.rounds = bandwidth, 0
        else:
            self.rounds += 1
            self.reached = self.rounds >= 3


@dataclass
class Aggregation:
    """How far ACKs come in lumps (Linux since 4.20)."""

    since: int = 0
    acked: float = 0.0
    excess: tuple[float, float] = (0.0, 0.0)
    rounds: int = 0


class PyBbr(skywave.CongestionControl):
    """One sender."""

    def __init__(self) -> None:
        self.round, self.next_round = 0, 0
        self.bandwidth = MaxRate()
        self.min_rtt = MinRtt()
        self.pipe = FullPipe()
        self.lumps = Aggregation()
        # "startup", "drain", "probe_bw" or "probe_rtt".
        self.phase = "startup"
        # Of PROBE_BW: the place in the cycle, and since when.
        self.index, self.cycle_since = 0, 0
        # Of PROBE_RTT: until when few segments are in flight, and whether a round trip has passed.
        self.dwell: tuple[int, bool] | None = None
        self.repairing, self.conserving, self.saved = "nothing", False, 0.0
        self.starved: tuple[int, int] | None = None
        self.after_idle = False
        self.pace: int | None = None
        self.seen_rtt = False

    # What the sender asks.

    def owns_window(self) -> bool:
        return True

    def needs_rate(self) -> bool:
        return True

    def pacing_rate(self) -> float:
        return float(self.pacing())

    def send_quantum(self) -> int:
        return int(self.quantum() * self.mss)

    def grow(self, ack: AckEvent, window: Window) -> None:
        sample = ack.rate
        if sample is None:
            return
        over = self.measure(ack, sample, window.cwnd)
        self.advance(ack, sample, over, window)
        self.after_idle = False
        if ack.srtt and not self.seen_rtt:
            self.seen_rtt = True
            self.pace = self.by_window(window.cwnd, ack.srtt)
        self.set_pace(self.pacing_gain())
        self.set_window(ack, sample, window)

    def on_loss(self, loss: LossEvent, window: Window) -> Response:
        self.save(window.cwnd)
        return Response(ssthresh=window.ssthresh, window_after=window.cwnd)

    def on_timeout(self, timeout: TimeoutEvent, window: Window) -> Response:
        self.save(window.cwnd)
        self.repairing = "timeout"
        self.pipe.rate = 0
        return Response(ssthresh=window.ssthresh, window_after=1.0)

    def on_ecn(self, mark: LossEvent, window: Window) -> Response:
        return Response(ssthresh=window.ssthresh, window_after=window.cwnd)

    def on_spurious(self, spurious: SpuriousEvent, window: Window) -> None:
        self.pipe.rate, self.pipe.rounds = 0, 0

    def on_idle_restart(self, idle: IdleEvent, window: Window) -> None:
        now = ns(idle.now)
        self.after_idle = True
        self.lumps.since, self.lumps.acked = now, 0.0
        if self.phase == "probe_bw":
            self.set_pace(1.0)
        elif self.phase == "probe_rtt" and self.dwell is not None:
            self.end_probe_rtt(now, self.dwell[0], window)

    # The model (section 4.1).

    def measure(self, ack: AckEvent, sample: RateSample, cwnd: float) -> bool:
        """Takes the sample into the model; whether a round trip is over."""
        if sample.rate is None:
            return False
        rate = int(sample.rate)
        over = sample.prior_delivered >= self.next_round
        if over:
            self.round += 1
            self.next_round = sample.total_delivered
            self.conserving = False
        if not self.is_limited(sample) or rate >= self.bandwidth.best:
            self.bandwidth.update(self.round, rate)
        present, before = self.lumps.excess
        if over:
            self.lumps.rounds += 1
            if self.lumps.rounds >= 5:
                self.lumps.rounds = 0
                present, before = 0.0, present
        now = ns(ack.now)
        expected = self.delivered_in(max(now - self.lumps.since, 0) / SECOND)
        if self.lumps.acked <= expected or self.lumps.acked + ack.delivered >= 2.0**20:
            self.lumps.since, self.lumps.acked = now, 0.0
            expected = 0.0
        self.lumps.acked += ack.delivered
        self.lumps.excess = max(present, min(self.lumps.acked - expected, cwnd)), before
        return over

    def is_limited(self, sample: RateSample) -> bool:
        """The sample is of a segment sent when less was sent than the path may carry."""
        if sample.app_limited or self.starved is None:
            return sample.app_limited
        return self.starved[0] <= sample.prior_delivered <= self.starved[1]

    def delivered_in(self, seconds: float) -> float:
        """Segments that the path delivers in this time."""
        return self.bandwidth.best * seconds / 8.0 / self.mss

    def bdp(self, gain: float) -> float:
        if self.min_rtt.seconds is None:
            return self.initial_window
        return float(math.ceil(self.delivered_in(self.min_rtt.seconds) * gain))

    # The pace and the burst (sections 4.2.1 and 4.2.2).

    def by_window(self, window: float, rtt: float) -> int:
        """The pace of slow start with this window and round trip."""
        return scaled(scaled(int(window * self.mss * 8.0 / rtt), HIGH_GAIN), MARGIN)

    def pacing(self) -> int:
        if self.pace is None:
            self.pace = self.by_window(self.initial_window, 0.001)
        return self.pace

    def set_pace(self, gain: float) -> None:
        """Until the pipe is full the pace only grows."""
        rate = scaled(scaled(self.bandwidth.best, gain), MARGIN)
        if self.pipe.reached or rate > self.pacing():
            self.pace = rate

    def pacing_gain(self) -> float:
        gains = {"startup": HIGH_GAIN, "drain": 1.0 / HIGH_GAIN, "probe_rtt": 1.0}
        return CYCLE[self.index] if self.phase == "probe_bw" else gains[self.phase]

    def quantum(self) -> float:
        pace = self.pacing()
        burst = min(pace * 1_000_000 // 8_000_000_000, 65536)
        return float(max(burst // self.mss, 1 if pace < 1_200_000 else 2))

    # The state machine (section 4.3).

    def advance(self, ack: AckEvent, sample: RateSample, over: bool, window: Window) -> None:
        now = ns(ack.now)
        if self.phase == "probe_bw" and self.is_next_due(now, ack, sample):
            self.index, self.cycle_since = (self.index + 1) % 8, now
        if over and not self.is_limited(sample):
            self.pipe.on_round(self.bandwidth.best)
        if self.phase == "startup" and self.pipe.reached:
            self.phase = "drain"
            window.ssthresh = self.inflight(1.0)
        if self.phase == "drain" and sample.flight_now / self.mss <= self.inflight(1.0):
            self.probe_bw(now)
        expired = self.min_rtt.update(now, sample.rtt, sample.flight_before <= self.mss)
        if expired and not self.after_idle and self.phase != "probe_rtt":
            self.save(window.cwnd)
            self.phase, self.dwell = "probe_rtt", None
            self.starved = sample.total_delivered, 0
        if self.phase == "probe_rtt":
            self.probe_rtt(now, sample, over, window)

    def is_next_due(self, now: int, ack: AckEvent, sample: RateSample) -> bool:
        rtt = self.min_rtt.seconds
        full = rtt is not None and now - self.cycle_since > ns(rtt)
        flight = sample.flight_before / self.mss
        gain = CYCLE[self.index]
        if gain > 1.0:
            return full and (ack.lost > 0.0 or flight >= self.inflight(gain))
        return full or (gain < 1.0 and flight <= self.inflight(1.0))

    def probe_bw(self, now: int) -> None:
        """Begins anywhere but in the phase that drains, drawn from the moment."""
        steps = skywave.Stream(now, "congestion.bbr", "cycle").uniform_int(0, 6)
        self.phase, self.index, self.cycle_since = "probe_bw", (8 - steps) % 8, now

    def probe_rtt(self, now: int, sample: RateSample, over: bool, window: Window) -> None:
        begun = self.starved[0] if self.starved else 0
        self.starved = begun, sample.total_delivered + sample.flight_now
        if self.dwell is not None:
            until, passed = self.dwell[0], self.dwell[1] or over
            self.dwell = until, passed
            if passed:
                self.end_probe_rtt(now, until, window)
        elif sample.flight_now / self.mss <= FEWEST:
            self.dwell = now + SECOND // 5, False
            self.next_round = sample.total_delivered

    def end_probe_rtt(self, now: int, until: int, window: Window) -> None:
        if now <= until:
            return
        self.min_rtt.since = now
        window.cwnd = max(self.saved, window.cwnd)
        if self.pipe.reached:
            self.probe_bw(now)
        else:
            self.phase = "startup"

    # The window (section 4.2.3).

    def save(self, cwnd: float) -> None:
        """The window is about to shrink for a while."""
        shrunk = self.repairing != "nothing" or self.phase == "probe_rtt"
        self.saved = max(self.saved, cwnd) if shrunk else cwnd

    def inflight(self, gain: float) -> float:
        return self.with_bursts(self.bdp(gain))

    def with_bursts(self, segments: float) -> float:
        even = math.ceil((segments + self.quantum() * 3.0) / 2.0) * 2.0
        probing = self.phase == "probe_bw" and self.index == 0
        return even + 2.0 if probing else even

    def target(self) -> float:
        gains = {"probe_bw": 2.0, "probe_rtt": 1.0}
        target = self.bdp(gains.get(self.phase, HIGH_GAIN))
        if self.pipe.reached:
            target += min(max(self.lumps.excess), self.delivered_in(0.1))
        return self.with_bursts(target)

    def set_window(self, ack: AckEvent, sample: RateSample, window: Window) -> None:
        if ack.delivered > 0.0:
            cwnd = self.repaired(ack, sample, window.cwnd)
            if not self.conserving:
                cwnd = self.towards_target(ack.delivered, sample, cwnd)
            window.cwnd = cwnd
        if self.phase == "probe_rtt":
            window.cwnd = min(window.cwnd, FEWEST)

    def repaired(self, ack: AckEvent, sample: RateSample, cwnd: float) -> float:
        """The window after what this ACK says of losses."""
        kept = max(sample.flight_now / self.mss + ack.delivered, 1.0)
        before, self.repairing = self.repairing, ack.repairing
        if ack.lost > 0.0:
            cwnd = max(cwnd - ack.lost, 1.0)
        if before != "loss" and self.repairing == "loss":
            self.conserving = True
            self.next_round = sample.total_delivered
            cwnd = kept
        elif before != "nothing" and self.repairing == "nothing":
            self.conserving = False
            cwnd = max(self.saved, cwnd)
        return max(cwnd, kept) if self.conserving else cwnd

    def towards_target(self, arrived: float, sample: RateSample, cwnd: float) -> float:
        target = self.target()
        few = sample.total_delivered < int(self.initial_window * self.mss)
        if self.pipe.reached:
            cwnd = min(cwnd + arrived, target)
        elif cwnd < target or few:
            cwnd += arrived
        return max(cwnd, FEWEST)


def scenario(link: skywave.Link, duration: str) -> skywave.Scenario:
    """The built-in law and this one over a path."""
    return skywave.Scenario(
        links=[link],
        flows=[skywave.Flow(name="bulk", from_="a", to="b", rwnd="4MB")],
        run=skywave.Run(duration=duration, seeds=2),
        sweep={"flow.bulk.transport": ["bbr", skywave.Transport("bbr", congestion=PyBbr)]},
    )


PATHS = {
    "clean": skywave.Link(between=("a", "b"), rate="10Mbps", delay="20ms"),
    "lossy": skywave.Link(
        between=("a", "b"), rate="10Mbps", delay="40ms", loss={"forward": {"iid": 0.03}}
    ),
    "short buffer": skywave.Link(
        between=("a", "b"), rate="5Mbps", delay="60ms", queue={"droptail": "10 packets"}
    ),
}


def main() -> None:
    for name, link in PATHS.items():
        results = skywave.run(scenario(link, "15s"))
        built_in, own = results.summary["goodput_bps"]
        print(f"{name}: built-in {built_in / 1e6:.3f} Mb/s, this one {own / 1e6:.3f} Mb/s")


if __name__ == "__main__":
    main()
