"""A scenario, made ready to be sent to the workers of a cluster."""

import json
import uuid
import warnings
import zlib
from pathlib import Path
from typing import Any

from skywave import _skywave
from skywave._chunks import CHUNK_S
from skywave._skywave import Experiment


class Parcel:
    """A scenario, to be sent: its text and its traces are named by what they contain."""

    def __init__(
        self, experiment: Experiment, plan: str, series: str | None, segments: bool
    ) -> None:
        from skywave._worker import digest

        contents = [experiment.text.encode(), *(Path(p).read_bytes() for p in experiment._traces)]
        digests = [digest(content) for content in contents]
        self._contents = dict(zip(digests, contents, strict=True))
        self._digests = digests
        self._scenario = {
            "name": experiment.name,
            "base": str(experiment._base),
            "files": [str(path) for path in experiment._traces],
            "digests": digests,
            "sizes": [len(content) for content in contents],
            "series": series,
            "segments": segments,
            "plan": plan,
        }

    def send(self, client: Any, workers: list[str] | None) -> list[Any]:
        """Has the contents on the cluster, at one of these workers or at any. They are results of
        tasks, so that Dask copies them to where they are needed, and again if a worker with them is
        lost. Each time has copies of its own: a worker that hangs may keep the others."""
        copy = uuid.uuid4().hex
        with warnings.catch_warnings():
            # Of a large graph: a trace is one, and goes but once.
            warnings.simplefilter("ignore", UserWarning)
            sent = {
                digest: client.submit(
                    bytes,
                    zlib.compress(content),
                    key=f"skywave-blob-{digest}-{copy}",
                    workers=workers,
                    allow_other_workers=False,
                    pure=False,
                )
                for digest, content in self._contents.items()
            }
        return [sent[digest] for digest in self._digests]

    def request(self, places: list[int]) -> str:
        """What a worker is asked for."""
        asked = {
            "engine": _skywave.ENGINE,
            "scenario": self._scenario,
            "places": places,
            # Runs may differ: whoever has worked for long enough leaves the rest to others.
            "seconds": 2 * CHUNK_S,
        }
        return json.dumps(asked)
