"""Laws written in Python that the tests share."""

from skywave import AckEvent, CongestionControl, LossEvent, Response, TimeoutEvent, Window


class PyReno(CongestionControl):
    """RFC 5681, as the built-in one."""

    def grow(self, ack: AckEvent, window: Window) -> None:
        if ack.may_grow:
            if window.cwnd < window.ssthresh:
                window.cwnd += ack.counted
            else:
                window.cwnd += ack.counted / window.cwnd

    def on_loss(self, loss: LossEvent, window: Window) -> Response:
        half = max(loss.window / 2, 2.0)
        return Response(ssthresh=half, window_after=half)

    def on_timeout(self, timeout: TimeoutEvent, window: Window) -> Response:
        return Response(ssthresh=max(timeout.window / 2, 2.0), window_after=1.0)


class Broken(PyReno):
    """It raises an exception at its first loss."""

    def on_loss(self, loss: LossEvent, window: Window) -> Response:
        raise ZeroDivisionError("at the first loss")
