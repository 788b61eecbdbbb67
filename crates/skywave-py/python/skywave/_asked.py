"""What is asked of the part that is written in Rust."""

import os
from pathlib import Path
from typing import NamedTuple


class Keep(NamedTuple):
    """Where finished runs are kept, and how others are made."""

    out: str | os.PathLike[str] | None
    fresh: bool
    threads: int | None


class Asked(NamedTuple):
    """A search; see `skywave.worst`."""

    senders: list[str]
    objective: str | None
    space: tuple[str, str, Path] | None
    flow: str
    runs: int
    seconds: float | None
    seed: int
    islands: int
    below: float | None
    find: int
    call: str
