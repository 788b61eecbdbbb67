"""A progress bar of text."""

import sys
import time
from types import TracebackType
from typing import TextIO

_WIDTH = 30
_QUIET_S = 0.5
"""Work shorter than this shows no bar."""


def is_watched() -> bool:
    """Whether somebody sees standard error: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Bar:
    """Shows how many runs are done, on one line that disappears at the end."""

    def __init__(self, what: str, out: TextIO | None = None) -> None:
        self._what = what
        self._out = sys.stderr if out is None else out
        self._start = time.monotonic()
        self._length = 0

    def __enter__(self) -> "Bar":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._write("")

    def __call__(self, done: int, reused: int, total: int) -> None:
        """Runs done, those of them that were found, and wanted."""
        elapsed = time.monotonic() - self._start
        if elapsed < _QUIET_S:
            return
        filled = _WIDTH * done // total
        left = ""
        if done > reused:
            seconds = elapsed / (done - reused) * (total - done)
            left = f" · {seconds:.0f} s left"
        bar = "█" * filled + "░" * (_WIDTH - filled)
        self._write(f"{self._what} {bar} {done}/{total} runs{left}")

    def search(self, done: int, wanted: int | None, news: str) -> None:
        """Runs of a search so far, those that it is to have if that is known, and what is new."""
        elapsed = time.monotonic() - self._start
        if elapsed >= _QUIET_S:
            of = "" if wanted is None or done > wanted else f"/{wanted}"
            self._write(f"{self._what}: {done}{of} runs · {news} · {elapsed:.0f} s")

    def _write(self, line: str) -> None:
        if line or self._length:
            # The line before may have been longer.
            self._out.write(f"\r{line:<{self._length}}" + ("" if line else "\r"))
            self._out.flush()
        self._length = len(line)
