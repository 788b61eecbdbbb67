"""Streams over the loopback interface."""

import os
import signal
import threading
import time

import pytest
from skywave import wire


def pair() -> tuple[wire.Node, wire.Node, str]:
    here, there = wire.new_key(), wire.new_key()
    listening = wire.Node("127.0.0.1:0", there, allow=[wire.public_key(here)])
    return wire.Node("127.0.0.1:0", here), listening, wire.public_key(there)


def test_a_stream_goes_both_ways() -> None:
    connecting, listening, key = pair()
    data = bytes(range(256)) * 4000

    def echo() -> None:
        with listening.accept(timeout=60) as stream:
            stream.write(stream.read_all(timeout=60))
            stream.finish(timeout=60)

    thread = threading.Thread(target=echo)
    thread.start()
    stream = connecting.connect(listening.address, key, timeout=60)
    assert stream.peer == wire.Peer(key, listening.address)
    stream.write(data)
    stream.close()
    assert stream.read_all(timeout=60) == data
    assert stream.status()["acknowledged"] == len(data)
    thread.join()


def test_waiting_ends() -> None:
    connecting, listening, key = pair()
    with pytest.raises(TimeoutError, match="nobody connected"):
        listening.accept(timeout=0.01)
    stream = connecting.connect(listening.address, key, timeout=60)
    with pytest.raises(TimeoutError, match="nothing came"):
        stream.read(timeout=0.01)
    listening.accept(timeout=60).abandon()
    with pytest.raises(ConnectionError, match="gave up"):
        stream.read(timeout=60)


@pytest.mark.parametrize("size", [10**12, 2**63])
def test_a_large_size_takes_no_memory(size: int) -> None:
    connecting, listening, key = pair()
    stream = connecting.connect(listening.address, key, timeout=60)
    stream.write(b"little")
    stream.close()
    theirs = listening.accept(timeout=60)
    assert theirs.read(size, timeout=60) == b"little"
    assert theirs.read(size, timeout=60) == b""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_after_a_fork_nothing_hangs() -> None:
    connecting, listening, key = pair()
    stream = connecting.connect(listening.address, key, timeout=60)
    child = os.fork()
    if child == 0:
        # Nothing of pytest's may run here.
        try:
            stream.read(timeout=60)
        except RuntimeError as error:
            told = "another process" in str(error)
            del stream, connecting, listening
            os._exit(0 if told else 2)
        os._exit(1)
    deadline = time.monotonic() + 60
    status = None
    while status is None and time.monotonic() < deadline:
        done, code = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
        time.sleep(0.05)
    if status is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert status == 0
    stream.write(b"still here")
    assert listening.accept(timeout=60).read(timeout=60) == b"still here"


def test_a_stranger_is_refused() -> None:
    _, listening, key = pair()
    stranger = wire.Node("127.0.0.1:0", wire.new_key())
    with pytest.raises(TimeoutError, match="no answer yet"):
        stranger.connect(listening.address, key, timeout=0.3)


@pytest.mark.parametrize(
    ("address", "secret", "message"),
    [
        ("127.0.0.1", wire.new_key(), "expected HOST:PORT"),
        ("127.0.0.1:0", "secret", "no secret key: expected"),
    ],
)
def test_wrong_arguments_are_told(address: str, secret: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wire.Node(address, secret)
