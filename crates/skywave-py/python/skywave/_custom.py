"""Window laws and loss detectors of a user's own."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, signature
from typing import NamedTuple

from skywave._skywave import (
    AckEvent,
    DetectionEvent,
    Finding,
    Flight,
    HintsEvent,
    IdleEvent,
    LossEvent,
    Response,
    SpuriousEvent,
    TimeoutEvent,
    Window,
)


class CongestionControl(ABC):
    """A window law. The sender owns the window, the flight and the recovery; a controller hears
    events and answers. Windows are in segments, and may be fractions; times are in seconds.

    An object is made for each connection, by a call without arguments. Be deterministic: the same
    events must give the same answers.

    >>> import skywave
    >>> class Gentle(skywave.CongestionControl):
    ...     def grow(self, ack, window):
    ...         skywave.standard_growth(ack, window)
    ...     def on_loss(self, loss, window):
    ...         return skywave.Response.cut_to(loss.window * 0.8)
    ...     def on_timeout(self, timeout, window):
    ...         return skywave.Response.restart(timeout.window / 2)
    >>> results = skywave.run(skywave.Scenario(
    ...     links=[skywave.Link(between=("a", "b"), rate="2Mbps", delay="20ms")],
    ...     flows=[skywave.Flow(name="f", from_="a", to="b")],
    ...     run=skywave.Run(duration="5s"),
    ...     sweep={"flow.f.transport": ["reno", skywave.Transport("reno", congestion=Gentle)]},
    ... ))
    >>> results.runs["transport"]
    ['reno', 'reno congestion=Gentle']
    """

    mss: int = 1460
    """Payload bytes of a full segment. This and the next ones are set after the object is made and
    before the first event."""

    initial_window: float = 10.0
    """First congestion window, in segments."""

    loss_window: float = 1.0
    """Window with which slow start begins again after a loss, in segments."""

    first_data: int = 1
    """First position of data: those below are the handshake's."""

    sack: bool = True
    """The receiver reports blocks that it holds (RFC 2018)."""

    recovery_uses_sack: bool = True
    """The recovery works by those reports."""

    ack_delay: float = 0.0
    """Longest time for which the receiver keeps an ACK back."""

    def on_ack(self, ack: AckEvent) -> None:  # noqa: B027
        """Data was acknowledged: measure what the law goes by. Before `grow`."""

    @abstractmethod
    def grow(self, ack: AckEvent, window: Window) -> None:
        """Move the window on an ACK: change `window.cwnd`, if `ack.may_grow` or on your own
        judgement. Also asked on a duplicate ACK while the detector waits before it reports a loss,
        since the window goes on growing meanwhile: then `ack.acked` is zero, and `on_dupack` was
        called instead of `on_ack`."""

    def on_dupack(self, ack: AckEvent) -> None:  # noqa: B027
        """A duplicate ACK came: one more segment has left the network."""

    @abstractmethod
    def on_loss(self, loss: LossEvent, window: Window) -> Response:
        """A segment was found lost: answer with the threshold and the window from now on."""

    @abstractmethod
    def on_timeout(self, timeout: TimeoutEvent, window: Window) -> Response:
        """The retransmission timer expired: the same; everything in flight counts as lost."""

    def on_ecn(self, mark: LossEvent, window: Window) -> Response:
        """A router has marked a segment (once a window of data): by default as a loss."""
        return self.on_loss(mark, window)

    def on_spurious(self, spurious: SpuriousEvent, window: Window) -> None:  # noqa: B027
        """What looked like a loss was reordering; the detector has set the window it wants."""

    def on_resume(self, idle: IdleEvent) -> None:  # noqa: B027
        """Data follows a pause in which nothing was awaited: the time since the latest ACK says
        nothing of the path. Before `on_idle_restart`, and whether or not that is called."""

    def on_idle_restart(self, idle: IdleEvent, window: Window) -> None:
        """Data follows a pause of `idle.idle` seconds, with `restart_after_idle` on. By default the
        window is at most the initial one."""
        window.cwnd = min(window.cwnd, idle.initial_window)

    def on_hints(self, hints: HintsEvent, window: Window) -> None:  # noqa: B027
        """The receiver tells something of the way of the data, with `hints` on; before the method
        for the ACK that carries it."""

    def owns_window(self) -> bool:
        """Whether the law alone says how much may be in flight, also while losses are repaired.

        `on_ack` and `grow` are then called for every ACK, and a recovery by SACK fills the window
        without PRR.
        """
        return False

    def needs_rate(self) -> bool:
        """Whether `ack.rate` is wanted, a sample of the delivery rate as Linux and BBR take it."""
        return False

    def pacing_rate(self) -> float | None:
        """How fast payload is to leave, in bits per second; `None` for as fast as the window
        lets it. The first answer decides whether a connection is paced at all."""
        return None

    def send_quantum(self) -> int | None:
        """Bytes of payload that may leave at once when paced."""
        return None


class LossDetector(ABC):
    """A way to find losses: asked on every ACK whether the oldest segment in flight is lost.

    Only `on_dupack` must be written; the methods' bodies here say what holds otherwise.

    >>> class Patient(LossDetector):
    ...     def on_dupack(self, event):
    ...         return event.dupacks == 8
    ...     def threshold(self):
    ...         return 8
    """

    mss: int = 1460
    """Payload bytes of a full segment; set before the first event."""

    @abstractmethod
    def on_dupack(self, event: DetectionEvent) -> bool:
        """A duplicate ACK came, the `event.dupacks`th in a row: is the oldest segment lost? Answer
        "yes" to one number, not to all from it on."""

    def on_new_ack(self, event: DetectionEvent) -> bool:
        """New data was acknowledged: is the next segment lost too?"""
        return False

    def on_retransmit(self, flight: Flight) -> None:  # noqa: B027
        """The oldest segment is being retransmitted for a loss that this detector reported."""

    def on_timeout(self) -> None:  # noqa: B027
        """The retransmission timer expired: everything in flight counts as lost."""

    def needs_deliveries(self) -> bool:
        """Whether it judges by what was delivered when: then `event.flight.delivery` is kept, and
        `on_delivery`, `on_duplicate` and `arm_probe` are called. Asked once a connection."""
        return False

    def on_delivery(self, event: DetectionEvent) -> Finding:
        """An ACK of any kind was taken: is the oldest segment lost (`Finding.LOST`), or was a lost
        one repaired by a probe (`Finding.repaired(sent_at)`)?"""
        return Finding.NOTHING

    def on_duplicate(self, ack: int, reported: int | None) -> None:  # noqa: B027
        """An ACK says that something arrived twice: it reports so, up to the position `reported`
        (RFC 2883), or it is a duplicate without any report."""

    def arm_probe(self, event: DetectionEvent, timeout: float) -> None:  # noqa: B027
        """New data was sent or some was acknowledged, and the retransmission timer expires at
        `timeout`: a timer of the detector's own may be due before, to probe."""

    def next_timer(self) -> float | None:
        """When `on_timer` is due, in seconds of the run; `None` for never."""
        return None

    def on_timer(self, event: DetectionEvent) -> Finding:
        """The detector's own timer is due: is the oldest segment lost (`Finding.LOST`), is a probe
        to be sent (`Finding.PROBE`: new data, or the last segment again), or is only the
        retransmission timer to start anew (`Finding.SILENCE`)? After it `next_timer` must answer a
        later time or `None`."""
        return Finding.NOTHING

    def threshold(self) -> int:
        """Duplicate ACKs from which a loss counts as found; also RFC 6675's DupThresh."""
        return 3

    def distrusts_rto(self) -> bool:
        """A fast retransmit backs the retransmission timer off, which is left as a backstop."""
        return False

    def limited_transmit(self, dupacks: int) -> int:
        """Segments that may be sent beyond the window while `dupacks` are too few to tell."""
        return min(dupacks, 2) if dupacks < self.threshold() else 0


Factory = (
    type[CongestionControl] | type[LossDetector] | Callable[[], CongestionControl | LossDetector]
)
"""A class, or `functools.partial` of one."""


class Member(NamedTuple):
    """A class as the loader takes it."""

    slot: str
    name: str
    factory: Factory
    methods: list[str]
    """Those that the class has of its own."""


_SLOTS: list[tuple[str, type]] = [("congestion", CongestionControl), ("detection", LossDetector)]


def is_factory(value: object) -> bool:
    """Whether a value stands for a member rather than for itself."""
    return isinstance(value, type | partial)


def name_of(factory: object) -> str:
    """The name that a class has in the text of a scenario.

    >>> class Gentle(CongestionControl): ...
    >>> name_of(Gentle), name_of(partial(Gentle, keep=0.8))
    ('Gentle', 'Gentle(keep=0.8)')
    """
    if isinstance(factory, partial):
        parts = [repr(a) for a in factory.args]
        parts += [f"{k}={v!r}" for k, v in factory.keywords.items()]
        return f"{name_of(factory.func)}({', '.join(parts)})"
    return str(getattr(factory, "__name__", factory))


def members(custom: Mapping[str, Factory]) -> list[Member]:
    """The classes by their names, as the loader takes them."""
    return [_member(name, factory) for name, factory in custom.items()]


def _refuse_older(name: str, law: type[CongestionControl]) -> None:
    """Refuse a law with the methods of older versions: it would run, and not grow as it says."""
    if hasattr(law, "on_waiting"):
        raise TypeError(
            f"{name} has a method on_waiting, which is not called: its grow(ack, window) is, "
            "also while the detector waits"
        )
    takes = [p for p in signature(law.on_ack).parameters.values() if p.default is p.empty]
    if [p.kind for p in takes].count(Parameter.POSITIONAL_OR_KEYWORD) > 2:
        raise TypeError(
            f"{name}.on_ack takes the ack alone, to measure: grow(ack, window) moves the window"
        )


def slot_of(factory: object) -> str:
    """The slot of a sender in which a class belongs.

    >>> class Patient(LossDetector): ...
    >>> slot_of(Patient)
    'detection'
    """
    return _slot(name_of(factory), factory)[0]


def _member(name: str, factory: Factory) -> Member:
    slot, base, made = _slot(name, factory)
    if issubclass(made, CongestionControl):
        _refuse_older(name, made)
    methods = [m for m, body in vars(base).items() if callable(body) and m[0] != "_"]
    own = [m for m in methods if getattr(made, m) is not getattr(base, m)]
    return Member(slot, name, factory, own)


def _slot(name: str, factory: object) -> tuple[str, type, type]:
    """The slot of a class, the class that it is derived from, and the class itself."""
    made = factory
    while isinstance(made, partial):
        made = made.func
    for slot, base in _SLOTS:
        if isinstance(made, type) and issubclass(made, base):
            return slot, base, made
    raise TypeError(
        f"{name} must be a subclass of skywave.CongestionControl or skywave.LossDetector, or a "
        f"functools.partial of one, not {made!r}"
    )
