"""Streams over real sockets: WTCP over UDP, encrypted, between hosts that know each other's keys.

>>> from skywave import wire
>>> here, there = wire.new_key(), wire.new_key()
>>> with (
...     wire.Node("127.0.0.1:0", there, allow=[wire.public_key(here)]) as listening,
...     wire.Node("127.0.0.1:0", here) as connecting,
... ):
...     stream = connecting.connect(listening.address, wire.public_key(there))
...     stream.write(b"hello")
...     stream.close()
...     listening.accept().read_all()
b'hello'
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from types import TracebackType
from typing import NamedTuple, Self, TypedDict

from skywave import _skywave

__all__ = ["Node", "Peer", "Status", "Stream", "new_key", "public_key"]

_CHUNK = 1 << 16


def new_key() -> str:
    """A new secret key, as text to be kept to oneself."""
    return _skywave.wire_new_key()


def public_key(secret: str) -> str:
    """The public key that belongs to a secret one, by which others know the host."""
    return _skywave.wire_public_key(secret)


class Peer(NamedTuple):
    """The other side of a connection."""

    key: str
    address: str


class Status(TypedDict):
    """How a connection fares. Times are in seconds, counts in packets or bytes."""

    acknowledged: int
    delivered: int
    data_packets: int
    retransmits: int
    received_packets: int
    missing_packets: int
    rtt_s: float | None
    separation_s: float | None
    in_blackout: bool
    blackouts: int
    silence_s: float


class _Left(ABC):
    """What is given up at the end of its `with`."""

    @abstractmethod
    def _leave(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()


class Stream(_Left):
    """A connection: a stream of bytes each way. Leaving its `with` gives up what is not delivered.

    A `timeout` is in seconds; None waits for ever. Errors of the connection are `ConnectionError`s,
    a peer that does not answer or is silent for half an hour is a `TimeoutError`.
    """

    def __init__(self, stream: _skywave.WireStream) -> None:
        self._stream = stream

    @property
    def peer(self) -> Peer | None:
        """Who it is, and where."""
        peer = self._stream.peer
        return None if peer is None else Peer(*peer)

    def read(self, size: int = _CHUNK, timeout: float | None = None) -> bytes:
        """What has come, at most `size` bytes, once there is something; empty at the end."""
        data = self._stream.read(size, timeout)
        if data is None:
            raise TimeoutError(f"nothing came within {timeout} s")
        return data

    def read_all(self, timeout: float | None = None) -> bytes:
        """All until the end of the stream; the timeout is between two pieces."""
        return b"".join(iter(lambda: self.read(timeout=timeout), b""))

    def write(self, data: bytes, timeout: float | None = None) -> None:
        """Hands over all of it to be sent; the timeout is between two pieces."""
        left = memoryview(data)
        while left:
            taken = self._stream.write(bytes(left[:_CHUNK]), timeout)
            if taken is None:
                raise TimeoutError(f"no room within {timeout} s")
            left = left[taken:]

    def close(self) -> None:
        """Ends the stream to the peer; what was written still goes out."""
        self._stream.close()

    def finish(self, timeout: float | None = None) -> None:
        """Ends the stream to the peer and waits until it has everything."""
        if not self._stream.finish(timeout):
            raise TimeoutError(f"the peer does not have everything within {timeout} s")

    def abandon(self) -> None:
        """Gives the connection up, from any thread."""
        self._stream.abandon()

    def status(self) -> Status:
        """How the connection fares."""
        status: Status = self._stream.status()
        return status

    def _leave(self) -> None:
        self.abandon()


class Node(_Left):
    """A socket with its connections.

    `address` is HOST:PORT, port 0 for any. `allow` are the public keys of those who may connect:
    nobody unless given; `"everyone"` is whoever knows this host's public key. `limit_bps` caps the
    rate at which it sends.
    """

    def __init__(
        self,
        address: str,
        secret: str,
        *,
        allow: Iterable[str] = (),
        limit_bps: float | None = None,
    ) -> None:
        allowed = None if allow == "everyone" else list(allow)
        self._node: _skywave.WireNode | None
        self._node = _skywave.WireNode(address, secret, allowed, limit_bps)

    @property
    def address(self) -> str:
        """Where the socket is."""
        return self._open().address

    def connect(self, peer: str, key: str, timeout: float | None = None) -> Stream:
        """Connects to the host of that public key at HOST:PORT."""
        return Stream(self._open().connect(peer, key, timeout))

    def accept(self, timeout: float | None = None) -> Stream:
        """The next connection that a peer begins."""
        stream = self._open().accept(timeout)
        if stream is None:
            raise TimeoutError(f"nobody connected within {timeout} s")
        return Stream(stream)

    def close(self) -> None:
        """Closes the socket; its connections are given up."""
        self._node = None

    def _open(self) -> _skywave.WireNode:
        if self._node is None:
            raise ValueError("the node is closed")
        return self._node

    def _leave(self) -> None:
        self.close()
