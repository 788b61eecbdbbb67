"""How many runs go to a worker at a time."""

from collections import deque
from collections.abc import Iterable

CHUNK_S = 3.0
"""Seconds that a worker should be busy with a chunk: long beside what it costs to hand one over,
short beside what a lost one costs."""

CHUNK_B = 8 << 20
"""Bytes that a worker should send back at most: short runs are many in that time, and the client
holds several copies of what all workers send."""

_REMEMBERED = 4
"""Chunks after which what was measured counts half."""


class Chunks:
    """Places of runs that wait to be made, dealt out in chunks whose size follows the time and the
    room that runs take.

    Nothing is known at first, so that the first chunks are of one run.

    >>> chunks = Chunks(range(1000))
    >>> chunks.take(slots=2)
    [0]
    >>> chunks.measured(runs=1, seconds=0.1, size=3000)
    >>> len(chunks.take(slots=2))
    30
    """

    def __init__(self, places: Iterable[int], seconds: float = CHUNK_S) -> None:
        self._places = deque(places)
        self._seconds = seconds
        self._chunks = 0.0
        self._runs = 0.0
        self._spent = 0.0
        self._sent = 0.0

    def __len__(self) -> int:
        """Runs that wait."""
        return len(self._places)

    def take(self, slots: int) -> list[int]:
        """The next chunk, for a cluster that makes so many at the same time."""
        # Towards the end they become smaller, so that all workers end at the same time.
        most = max(1, len(self._places) // (2 * max(slots, 1)))
        size = min(self._size(), most, len(self._places))
        return [self._places.popleft() for _ in range(size)]

    def back(self, places: Iterable[int]) -> None:
        """These are not made after all: they are the next ones."""
        self._places.extendleft(reversed(list(places)))

    def measured(self, runs: int, seconds: float, size: int) -> None:
        """So many runs took so long, and so many bytes."""
        if self._chunks >= _REMEMBERED:
            self._chunks /= 2
            self._runs /= 2
            self._spent /= 2
            self._sent /= 2
        self._chunks += 1
        self._runs += runs
        self._spent += seconds
        self._sent += size

    def _size(self) -> int:
        if self._runs == 0:
            return 1
        in_time = self._seconds / max(self._spent / self._runs, 1e-6)
        in_room = CHUNK_B / max(self._sent / self._runs, 1.0)
        return max(1, round(min(in_time, in_room)))
