"""Results that several users and machines share: a folder, or a bucket of an object store.

    STORE/ENGINE/AB/ABCD…/HASH.jsonl.gz      lines of runs, as a journal has them
    STORE/ENGINE/AB/ABCD…/KEY-HASH.series.gz time series of a run

`ABCD…` is the hash of a specification without its seed. Each file is named by the hash of its
content and is never changed. So any number of writers need no lock: two that write the same name
write the same bytes, and a reader knows whether a file is what was written.
"""

import gzip
import hashlib
import io
import os
import secrets
import sys
import threading
import time
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from skywave import _files, _skywave
from skywave._skywave import Gathering

Place: TypeAlias = str | os.PathLike[str]
"""A folder, or the URL of one: what `fsspec` reaches."""

_LINES = ".jsonl.gz"
_SERIES = ".series.gz"
_AT_ONCE = 16
"""Files that are read or written at the same time: an object store is far away."""
_STEP = 1 << 20
"""Bytes that are unpacked at a time."""
_BATCH = 256
"""Specifications whose files are in memory together."""
_OBJECTS = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "memory"}
"""Where an object is there whole or not at all, so that it needs no temporary name."""
_FIRST_S = 10.0
"""Seconds after which runs go to the store for the first time; then twice as many each time."""


class _Files(Protocol):
    """Where the files are. Paths are relative, with slashes."""

    def names(self, folder: str) -> list[str]: ...
    def read(self, path: str) -> bytes: ...
    def write(self, path: str, content: bytes) -> None: ...
    def remove(self, path: str) -> None: ...


class _Disk:
    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self, folder: str) -> list[str]:
        try:
            return sorted(os.listdir(self._root / folder))
        except FileNotFoundError:
            return []

    def read(self, path: str) -> bytes:
        return (self._root / path).read_bytes()

    def write(self, path: str, content: bytes) -> None:
        _files.write(self._root / path, content)

    def remove(self, path: str) -> None:
        (self._root / path).unlink()


class _Remote:
    def __init__(self, url: str) -> None:
        try:
            from fsspec.core import url_to_fs  # type: ignore[import-untyped]
        except ImportError as error:
            raise ImportError(
                f"a store at {url} needs the package `fsspec`: pip install 'skywave[store]'"
            ) from error
        self._system: Any
        self._system, root = url_to_fs(url)
        self._root = str(root).rstrip("/")
        protocol = self._system.protocol
        protocols = {protocol} if isinstance(protocol, str) else set(protocol)
        self._is_whole = bool(protocols & _OBJECTS)

    def names(self, folder: str) -> list[str]:
        # Others write too: what it remembers of the folder may be old.
        self._system.invalidate_cache()
        try:
            found = self._system.ls(f"{self._root}/{folder}", detail=False)
        except FileNotFoundError:
            return []
        return sorted(str(path).rstrip("/").rsplit("/", 1)[-1] for path in found)

    def read(self, path: str) -> bytes:
        content: bytes = self._system.cat_file(f"{self._root}/{path}")
        return content

    def write(self, path: str, content: bytes) -> None:
        final = f"{self._root}/{path}"
        if self._is_whole:
            self._system.pipe_file(final, content)
            return
        folder = final.rsplit("/", 1)[0]
        self._system.makedirs(folder, exist_ok=True)
        draft = f"{folder}/.{secrets.token_hex(8)}.tmp"
        self._system.pipe_file(draft, content)
        self._system.mv(draft, final)

    def remove(self, path: str) -> None:
        self._system.rm_file(f"{self._root}/{path}")


class _TooLong(Exception):
    """A file has more than what may be in it."""


class _Unpacked:
    """The content of a packed file, a piece at a time: it may be a thousand times as long."""

    def __init__(self, packed: bytes) -> None:
        self._file = gzip.GzipFile(fileobj=io.BytesIO(packed))
        self._hash = hashlib.sha256()

    def lines(self, longest: int) -> Iterator[bytes]:
        while line := self._file.readline(longest + 1):
            if len(line) > longest:
                raise _TooLong
            self._hash.update(line)
            yield line

    def all(self, most: int) -> bytes:
        content = bytearray()
        while piece := self._file.read(_STEP):
            content += piece
            if len(content) > most:
                raise _TooLong
        self._hash.update(content)
        return bytes(content)

    def hash(self) -> str:
        return self._hash.hexdigest()


class Wanted:
    """What an experiment takes of a file, which anybody may have written: its own runs, of no more
    bytes than its specification gives them."""

    def __init__(self, gathering: Gathering) -> None:
        self._places = gathering.places
        self._runs = gathering.total
        # No file can be read further than `sys.maxsize`.
        self._line, self._series = (min(most, sys.maxsize - 1) for most in gathering.limits())

    def lines(self, unpacked: _Unpacked) -> bytes:
        """The lines of its runs. Others may have more seeds, and so other runs."""
        kept: dict[bytes, None] = {}
        for number, line in enumerate(unpacked.lines(self._line)):
            if self._places(line):
                kept[line] = None
            # A line is a run of one scenario.
            if number == _skywave.MAX_RUNS or len(kept) > self._runs:
                raise _TooLong
        return b"".join(kept)

    def series(self, unpacked: _Unpacked) -> bytes:
        """The time series of a run."""
        return unpacked.all(self._series)


class Store:
    """A store of results."""

    def __init__(self, where: Place) -> None:
        text = os.fspath(where)
        self.name = text
        is_url = "://" in text and not text.startswith("file://")
        self._files: _Files
        if is_url:
            self._files = _Remote(text)
        else:
            self._files = _Disk(Path(text.removeprefix("file://")).expanduser())
        self._engine = _skywave.ENGINE.replace(" ", "-")
        self._damaged: list[str] = []
        self._lock = threading.Lock()

    def read(self, specification: str, wanted: Wanted) -> tuple[bytes, list[tuple[str, bytes]]]:
        """The wanted lines of runs of a specification, and their time series by their keys."""
        folder = self._folder(specification)
        lines, series = [], []
        for name in self._files.names(folder):
            if name.startswith("."):
                continue
            if name.endswith(_LINES):
                lines.append(self._content(f"{folder}/{name}", wanted.lines))
            elif name.endswith(_SERIES):
                content = self._content(f"{folder}/{name}", wanted.series)
                if content is not None:
                    series.append((name.split("-", 1)[0], content))
        return b"".join(filter(None, lines)), series

    def write(self, specification: str, lines: bytes, series: Iterable[tuple[str, bytes]]) -> None:
        """Adds runs of a specification."""
        folder = self._folder(specification)
        # Whoever finds lines finds their time series too.
        for key, content in series:
            self._write(f"{folder}/{key}-{_hash(content)}{_SERIES}", content)
        self._write(f"{folder}/{_hash(lines)}{_LINES}", lines)

    def damaged(self) -> list[str]:
        """The files that were not what was written, since the last time that this was asked."""
        with self._lock:
            found, self._damaged = self._damaged, []
        return found

    def _folder(self, specification: str) -> str:
        return f"{self._engine}/{specification[:2]}/{specification}"

    def _write(self, path: str, content: bytes) -> None:
        self._files.write(path, gzip.compress(content, compresslevel=6, mtime=0))

    def _content(self, path: str, kept: Callable[[_Unpacked], bytes]) -> bytes | None:
        """What is kept of a file's content; nothing if that is not what was written."""
        try:
            packed = self._files.read(path)
        except FileNotFoundError:
            return None  # somebody else has found it damaged
        wanted = path.rsplit("/", 1)[-1].split(".", 1)[0].rsplit("-", 1)[-1]
        try:
            unpacked = _Unpacked(packed)
            content = kept(unpacked)
            if unpacked.hash() == wanted:
                return content
        except (OSError, EOFError, zlib.error, _TooLong):
            pass
        with self._lock:
            self._damaged.append(path)
        with suppress(OSError):  # it stays for somebody who may
            self._files.remove(path)
        return None


class Keeper:
    """Takes runs of an experiment from a store, and gives it those that it lacks."""

    def __init__(self, store: Store, gathering: Gathering) -> None:
        self._store = store
        self._gathering = gathering
        self._specifications = gathering.specifications()
        self._last = time.monotonic()
        self._pause = _FIRST_S

    def fetch(self) -> None:
        """Takes what the store has."""
        wanted = Wanted(self._gathering)

        def one(specification: str) -> tuple[bytes, list[tuple[str, bytes]]]:
            return self._store.read(specification, wanted)

        for found in self._each(one, dict.fromkeys(self._specifications)):
            self._gathering.add_stored(*found)
        damaged = self._store.damaged()
        if damaged:
            more = f" and {len(damaged) - 3} more" if len(damaged) > 3 else ""
            warnings.warn(
                f"store {self._store.name}: not what was written: {', '.join(damaged[:3])}{more}; "
                "their runs are made again",
                UserWarning,
                stacklevel=4,
            )

    def give(self) -> None:
        """Gives the store what it lacks. A store that fails loses nothing that is kept here."""
        places = self._gathering.unstored()
        groups = defaultdict(list)
        for place in places:
            groups[self._specifications[place]].append(place)

        def one(group: tuple[str, list[int]]) -> list[int]:
            specification, places = group
            self._store.write(specification, *self._gathering.lines(places))
            return places

        try:
            for places in self._each(one, groups.items()):
                self._gathering.note_stored(places)
        except Exception as error:
            # What the packages for all the kinds of stores raise has no base of its own.
            warnings.warn(
                f"store {self._store.name}: it did not take the runs: {error}",
                RuntimeWarning,
                stacklevel=4,
            )
        self._last = time.monotonic()

    def sometimes(self) -> None:
        """Gives the store what it lacks, if the last time was long ago: not too often, since each
        time makes files of their own."""
        if time.monotonic() - self._last > self._pause:
            self._pause *= 2
            self.give()

    def _each(self, work: Any, items: Iterable[Any]) -> Iterator[Any]:
        """Does something with each, several at a time."""
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="skywave-store") as pool:
            for batch in _batches(items):
                yield from pool.map(work, batch)


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
