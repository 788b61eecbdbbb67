"""Runs on a Dask cluster.

The client deals out chunks of runs and writes what comes back into the journal of the experiment.
So the journal alone says what is done: whatever happens to workers, scheduler or client, a run that
is not in it is made again, and one that comes twice is left out.
"""

import asyncio
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

from skywave import _skywave
from skywave._chunks import CHUNK_S, Chunks
from skywave._parcel import Parcel
from skywave._skywave import Experiment, Gathering

if TYPE_CHECKING:
    from skywave._worker import Answer

# The package `distributed`, which has types for a part of it alone, is imported when it is needed.
Client: TypeAlias = Any
Future: TypeAlias = Any

Cluster: TypeAlias = Any
"""The address of a Dask scheduler, a `distributed.Client`, or a cluster such as `LocalCluster`."""

_MAKE = "__import__('skywave._worker', fromlist=['make']).make(request, blobs)"
"""The task, as text: the scheduler, which reads all tasks, then needs no skywave, and a worker may
have another version of it or none, and says so."""

_VERSION = "__import__('importlib.metadata', fromlist=['version']).version('skywave')"

PATIENCE_S = 300.0
"""Seconds that a scheduler which has gone away is waited for, if the client is our own."""
LEASE_S = 120.0
"""Seconds after which a chunk is given to a second worker, unless chunks take long here."""
SILENT_S = 30.0
"""Seconds after which a worker that has said nothing is not waited for."""
_LOOK_S = 2.0
"""Seconds between two looks at the workers."""
_ALONE_S = 10.0
"""Seconds after which the user is told that there are no workers."""
_FETCH_S = 60.0
"""Seconds that a result may take from its worker to here."""
_AHEAD = 8
"""Chunks that wait beside two a thread: an adaptive cluster grows by what waits."""
_ATTEMPTS = 3
"""Times that the same runs may fail, or end the process that makes them."""


class ClusterError(RuntimeError):
    """A Dask cluster cannot make the runs. What was finished is kept where `out` says."""


@dataclass(eq=False)
class _Chunk:
    """Runs that were handed out together."""

    places: list[int]
    tasks: dict[str, Future] = field(default_factory=dict)
    """By their keys: more than one if the first one takes too long."""
    due: float = 0.0
    blobs: list[str] = field(default_factory=list)
    """The keys of what its last task was given."""


def connect(on: Cluster) -> tuple[Client, bool]:
    """The client for a cluster, and whether it is to be closed afterwards."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            "running on Dask needs its package `distributed`: "
            f"pip install 'skywave[dask]' ({error})"
        ) from error
    if isinstance(on, distributed.Client):
        if on.asynchronous:
            raise TypeError("on: this client is asynchronous; expected distributed.Client(…)")
        return on, False
    address = on if isinstance(on, str) else getattr(on, "scheduler_address", None)
    if not isinstance(address, str):
        raise TypeError(
            "on: expected a distributed.Client, a cluster, or the address of a scheduler such as "
            f"tcp://127.0.0.1:8786, not {on!r}"
        )
    security = getattr(on, "security", None)
    try:
        client: Client = distributed.Client(  # type: ignore[no-untyped-call]
            address, timeout="10s", set_as_default=False, security=security
        )
    except (OSError, ValueError) as error:
        raise ClusterError(f"{address}: no Dask scheduler answers there ({error})") from error
    client._timeout = PATIENCE_S
    return client, True


def make(
    on: Cluster,
    experiment: Experiment,
    gathering: Gathering,
    *,
    series: str | None,
    segments: bool,
    tell: Callable[[int], object],
) -> None:
    """Makes the runs that are missing on a cluster; `tell` is called with the number of those that
    are there."""
    if experiment._custom:
        raise ValueError(
            "on: window laws and loss detectors written in Python stay on this machine; run this "
            "scenario without a cluster"
        )
    missing = gathering.missing()
    tell(gathering.total - len(missing))
    if not missing:
        return
    client, ours = connect(on)
    dealer = _Dealer(client, experiment, gathering, series, segments)
    try:
        dealer.work(missing, tell)
    finally:
        dealer.close()
        if ours:
            client.close(timeout=2)


class _Dealer:
    """Hands out chunks and takes what comes back."""

    def __init__(
        self,
        client: Client,
        experiment: Experiment,
        gathering: Gathering,
        series: str | None,
        segments: bool,
    ) -> None:
        self._client = client
        self._address = client.scheduler.address
        self._gathering = gathering
        self._name = experiment.name
        self._parcel = Parcel(experiment, gathering.plan, series, segments)
        self._blobs: list[Future] = []
        self._chunks = Chunks(())
        self._flying: dict[str, _Chunk] = {}
        self._came: SimpleQueue[tuple[str, Answer | BaseException]] = SimpleQueue()
        self._token = uuid.uuid4().hex
        self._number = 0
        self._workers: dict[str, int] = {}
        self._silent: set[str] = set()
        self._refused: dict[str, str] = {}
        self._began = time.monotonic()
        self._looked = float("-inf")
        self._has_waited = False
        self._longest = 0.0
        self._failures: dict[int, int] = {}

    def work(self, missing: list[int], tell: Callable[[int], object]) -> None:
        """Has all of them made."""
        self._chunks = Chunks(missing, CHUNK_S)
        left = len(missing)
        while left:
            if not self._chunks and not self._flying:
                missing = self._gathering.missing()
                left = len(missing)
                self._chunks.back(missing)
            self._look()
            self._hand_out()
            try:
                key, answer = self._came.get(timeout=0.2)
            except Empty:
                continue
            new = self._take(key, answer)
            if new:
                left -= new
                tell(self._gathering.total - left)

    def close(self) -> None:
        """Nothing is wanted any more: workers give up what they are at."""
        tasks = [task for chunk in self._flying.values() for task in chunk.tasks.values()]
        for future in [*tasks, *self._blobs]:
            future.release()

    def _look(self) -> None:
        """Looks, now and then, which workers there are, and which chunks take too long."""
        if self._client.status in ("closed", "closing"):
            raise ClusterError(
                f"the Dask scheduler at {self._address} has gone away and did not come back"
            )
        now = time.monotonic()
        if now - self._looked < _LOOK_S or self._client.status != "running":
            return
        self._looked = now
        try:
            about = self._client.sync(self._client.scheduler.identity, callback_timeout=10)
        except (OSError, TimeoutError):
            return
        workers: dict[str, dict[str, Any]] = about["workers"]
        latest = max((worker["last_seen"] for worker in workers.values()), default=0.0)
        silent = {a for a, w in workers.items() if w["last_seen"] < latest - SILENT_S}
        if silent - self._silent:
            # It may be the only one that has them.
            self._forget_blobs()
        self._silent = silent
        self._workers = {
            address: int(worker["nthreads"])
            for address, worker in workers.items()
            if address not in self._refused
        }
        if workers and not self._workers:
            raise ClusterError(self._refusal())
        if not workers and not self._has_waited and now - self._began > _ALONE_S:
            self._has_waited = True
            warnings.warn(
                f"the Dask cluster at {self._address} has no workers; the runs "
                "wait until some come",
                RuntimeWarning,
                stacklevel=2,
            )
        late = [c for c in self._at_work() if c.due < now]
        if late or self._silent:
            self._hurry(late, now)

    def _hurry(self, late: list[_Chunk], now: float) -> None:
        """Gives to another worker what takes too long, or waits at or for one that says nothing."""
        try:
            busy = self._client.sync(self._client.scheduler.processing, callback_timeout=10)
            needed = list({key for chunk in self._at_work() for key in chunk.blobs})
            where = self._client.sync(
                self._client.scheduler.who_has, keys=needed, callback_timeout=10
            )
        except (OSError, TimeoutError):
            return
        at = {key: worker for worker, keys in busy.items() for key in keys}
        for chunk in self._at_work():
            if any(task.status != "pending" for task in chunk.tasks.values()):
                continue  # it is being fetched
            workers = {at[key] for key in chunk.tasks if key in at}
            is_stuck = self._is_stuck(chunk, workers, where)
            if not is_stuck and not (chunk in late and workers):
                continue
            others = [a for a in self._workers if a not in self._silent]
            if not is_stuck:
                others = [a for a in others if a not in workers]
            if others and len(chunk.tasks) < _ATTEMPTS:
                self._submit(chunk, others)
            elif not is_stuck:
                chunk.due = now + self._lease()

    def _is_stuck(self, chunk: _Chunk, workers: set[str], where: dict[str, list[str]]) -> bool:
        """Whether a chunk, which is at these workers, waits for one that says nothing: to make it,
        or to give the others what they need for it."""
        if workers and workers <= self._silent:
            return True
        is_old = chunk.blobs != [blob.key for blob in self._blobs]
        return is_old and any(set(where[key]) <= self._silent for key in chunk.blobs)

    def _at_work(self) -> list[_Chunk]:
        """The chunks that are handed out."""
        return list(dict.fromkeys(self._flying.values()))

    def _lease(self) -> float:
        """Seconds that a chunk may take."""
        return max(LEASE_S, 20 * self._longest)

    def _hand_out(self) -> None:
        if self._client.status != "running":
            return
        slots = sum(self._workers.values())
        flying = len(self._at_work())
        while self._chunks and flying < 2 * slots + _AHEAD:
            self._submit(_Chunk(self._chunks.take(slots)), self._allowed())
            flying += 1

    def _allowed(self) -> list[str] | None:
        """The workers that may be used; `None` for any, also those that will come."""
        if not self._refused and not self._silent:
            return None
        return [a for a in self._workers if a not in self._silent] or list(self._workers) or None

    def _forget_blobs(self) -> None:
        """What is handed out from now on is given its own copy of the scenario."""
        for blob in self._blobs:
            blob.release()
        self._blobs = []

    def _submit(self, chunk: _Chunk, workers: list[str] | None) -> None:
        if any(blob.status in ("cancelled", "lost", "error") for blob in self._blobs):
            self._forget_blobs()
        if not self._blobs:
            self._blobs = self._parcel.send(self._client, self._allowed())
        self._number += 1
        key = f"skywave-make-{self._token}-{self._number}"
        names = {"request": self._parcel.request(chunk.places), "blobs": self._blobs}
        task = self._client.submit(
            eval, _MAKE, names, key=key, workers=workers, allow_other_workers=False, pure=False
        )
        chunk.tasks[key] = task
        chunk.blobs = [blob.key for blob in self._blobs]
        chunk.due = time.monotonic() + self._lease()
        self._flying[key] = chunk
        task.add_done_callback(lambda task: self._fetch(key, task))

    def _fetch(self, key: str, task: Future) -> None:
        """Fetches a result, beside the work, for a worker may be slow to send it.

        Each is asked for by itself. `Future.result` puts several into one question, which a single
        worker that hangs holds up; and once such a question was given up, later ones got no answer.
        """
        client = self._client

        async def fetch() -> None:
            answer: Answer | BaseException
            try:
                if task.status == "pending":  # its worker was lost, and another one is at it
                    task.add_done_callback(lambda task: self._fetch(key, task))
                    return
                if task.status != "finished":
                    answer = await task._result()
                else:
                    asked = client.scheduler.gather(keys=[key])
                    found = await asyncio.wait_for(asked, _FETCH_S)
                    if found["status"] == "OK":
                        answer = found["data"][key]
                    else:
                        answer = TimeoutError(f"no worker has {key} any more")
            except OSError as error:
                answer = TimeoutError(str(error))  # the scheduler went away meanwhile
            except BaseException as error:
                answer = error
            self._came.put((key, answer))

        with suppress(RuntimeError):  # all is over
            client.loop.add_callback(fetch)

    def _take(self, key: str, answer: "Answer | BaseException") -> int:
        """Takes what came back; gives the number of runs that were not there before."""
        chunk = self._flying.pop(key, None)
        if chunk is None:
            return 0  # another worker was faster
        task = chunk.tasks.pop(key)
        task.release()
        if isinstance(answer, BaseException):
            if chunk.tasks:
                return 0  # another worker is at it
            self._failed(chunk, answer)
            return 0
        if "refused" in answer:
            self._refuse(answer["worker"], answer["refused"])
            if not chunk.tasks:
                self._chunks.back(chunk.places)
            return 0
        for other, task in chunk.tasks.items():
            self._flying.pop(other, None)
            task.release()
        size = len(answer["lines"]) + sum(len(series) for _, series in answer["series"])
        self._chunks.measured(answer["runs"], answer["seconds"], size)
        self._longest = max(self._longest, answer["seconds"])
        new, is_whole = self._gathering.add(answer["lines"], answer["series"])
        if not is_whole or answer["runs"] == 0:
            self._failed(chunk, ValueError(f"{answer['worker']} sent no lines that can be used"))
        else:
            self._chunks.back(chunk.places[answer["runs"] :])
        return new

    def _failed(self, chunk: _Chunk, error: BaseException) -> None:
        """A chunk was not made: it is made again, unless it is to blame itself."""
        from distributed import KilledWorker

        places = self._gathering.lacking(chunk.places)
        if is_cancelled(error) or isinstance(error, TimeoutError) or is_given_up(error):
            # The scheduler has forgotten it, or its worker does not send it.
            self._chunks.back(places)
            return
        if isinstance(error, (ImportError, AttributeError)):
            self._ask_versions(error)
            self._chunks.back(places)
            return
        if isinstance(error, _skywave.ScenarioError):
            raise error
        if len(places) > 1 and isinstance(error, KilledWorker):
            # One of the runs may be the cause: it is looked for.
            for place in places:
                self._submit(_Chunk([place]), self._allowed())
            return
        for place in places:
            self._failures[place] = self._failures.get(place, 0) + 1
            if self._failures[place] >= _ATTEMPTS:
                raise ClusterError(self._blame(place, error)) from error
        self._chunks.back(places)

    def _blame(self, place: int, error: BaseException) -> str:
        run = f"run {place + 1} of {self._gathering.total} of {self._name}"
        return f"{run} has failed {_ATTEMPTS} times on the cluster: {type(error).__name__}: {error}"

    def _refuse(self, worker: str, version: str) -> None:
        if worker in self._refused:
            return
        self._refused[worker] = version
        self._workers.pop(worker, None)
        if self._workers:
            warnings.warn(
                f"{self._refusal()}; this worker makes no runs", RuntimeWarning, stacklevel=2
            )
        else:
            self._looked = float("-inf")

    def _refusal(self) -> str:
        found = [f"{worker} has {version}" for worker, version in self._refused.items()]
        return f"Dask workers of another version: {', '.join(found)}; here it is {_skywave.ENGINE}"

    def _ask_versions(self, error: BaseException) -> None:
        """Finds the workers that have another skywave than this one, or none."""
        self._looked = float("-inf")
        self._look()
        asked = {
            worker: self._client.submit(
                eval, _VERSION, {}, workers=[worker], allow_other_workers=False, pure=False
            )
            for worker in self._workers
        }
        for worker, task in asked.items():
            try:
                version = str(task.result(timeout=10))
            except TimeoutError:
                continue
            except Exception:
                self._refuse(worker, "no skywave")
                continue
            if version != _skywave.VERSION:
                self._refuse(worker, f"skywave {version}")
        if not self._refused:
            raise ClusterError(f"a Dask worker cannot run skywave: {error}") from error


def is_cancelled(error: BaseException) -> bool:
    """Whether a task was forgotten, not failed."""
    return "Cancelled" in type(error).__name__


def is_given_up(error: BaseException) -> bool:
    """Whether a worker stopped because its task was not wanted."""
    return type(error).__name__ == "GivenUp"
