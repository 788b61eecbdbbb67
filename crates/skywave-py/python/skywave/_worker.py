"""What a Dask worker does: it makes some runs of a scenario that was sent to it.

A request comes as JSON, so that a worker of another version can read it far enough to refuse it.
Scenario and traces come as blobs, each named by the hash of its content.
"""

import hashlib
import json
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypedDict

from distributed import get_worker

from skywave import _skywave

_KEPT = 4
"""Scenarios that stay read."""

_makers: OrderedDict[str, _skywave.Maker] = OrderedDict()
_reading = threading.Lock()


class Answer(TypedDict, total=False):
    """What a worker gives back."""

    worker: str
    """Its address."""
    refused: str
    """Its engine, if that is not the wanted one; it has made nothing then."""
    lines: bytes
    """Lines for the journal: of the first places of the request."""
    series: list[tuple[str, bytes]]
    """Time series, by the keys of their runs."""
    runs: int
    seconds: float


class GivenUp(Exception):
    """Nobody wants these runs any more."""


def digest(content: bytes) -> str:
    """The name of some content."""
    return hashlib.sha256(content).hexdigest()


def make(request: str, blobs: list[bytes]) -> Answer:
    """Makes the first of the places that the request asks for: as many as it has time for, and at
    least one."""
    asked: dict[str, Any] = json.loads(request)
    worker, watch = _task()
    if asked["engine"] != _skywave.ENGINE:
        return {"worker": worker, "refused": _skywave.ENGINE}
    maker = _maker(asked["scenario"], blobs)
    start = time.monotonic()
    lines, series = maker.make(asked["places"], asked["seconds"], watch)
    return {
        "worker": worker,
        "lines": lines,
        "series": series,
        "runs": lines.count(b"\n"),
        "seconds": time.monotonic() - start,
    }


def _maker(scenario: dict[str, Any], blobs: list[bytes]) -> _skywave.Maker:
    """The scenario, read once in this process."""
    name = json.dumps(scenario, sort_keys=True)
    with _reading:
        maker = _makers.pop(name, None)
        if maker is None:
            text, *files = (
                _checked(blob, digest, size)
                for blob, digest, size in zip(
                    blobs, scenario["digests"], scenario["sizes"], strict=True
                )
            )
            maker = _skywave.Maker(
                scenario["name"],
                text,
                scenario["base"],
                dict(zip(scenario["files"], files, strict=True)),
                scenario["series"],
                scenario["segments"],
            )
            if maker.plan != scenario["plan"]:
                raise ValueError(
                    f"the scenario {scenario['name']} means something else here than where it "
                    f"was sent from: runs {maker.plan}, expected {scenario['plan']}"
                )
        _makers[name] = maker
        while len(_makers) > _KEPT:
            _makers.popitem(last=False)
    return maker


def _checked(blob: bytes, wanted: str, size: int) -> str:
    """The content of a blob, if it is the wanted one, of this size."""
    # One byte more shows that it is another one.
    content = zlib.decompressobj().decompress(blob, size + 1)
    found = digest(content)
    if found != wanted:
        raise ValueError(f"a file of the scenario is not what was sent: {found}, expected {wanted}")
    return content.decode()


def _task() -> tuple[str, Callable[[], None]]:
    """The address of this worker, and what raises an exception once nobody wants the task under
    way."""
    try:
        worker = get_worker()
        key = worker.get_current_task()
    except (ValueError, KeyError):
        return "", lambda: None

    def watch() -> None:
        # A thread cannot be stopped from outside; so it looks whether its task is still wanted.
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise GivenUp

    return str(worker.address), watch
