"""Streams over the loopback interface."""

import threading

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
