"""Having the runs of an experiment made: here or on a cluster, with what a store has."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from skywave import _cluster
from skywave._progress import Bar, is_watched
from skywave._results import Results
from skywave._skywave import Experiment
from skywave._store import Keeper, Place, Store

Series: TypeAlias = Literal["first", "all", "never"] | None
"""Which runs record time series; as the scenario says for `None`."""

Progress: TypeAlias = Callable[[int, int, int], object]
"""Called now and then with the number of runs done, of those found on disk, and of all."""


@dataclass(frozen=True, kw_only=True)
class How:
    """How runs are made, and where finished ones are."""

    fresh: bool = False
    threads: int | None = None
    on: _cluster.Cluster | None = None
    store: Place | None = None

    def __post_init__(self) -> None:
        if self.on is not None and self.threads is not None:
            raise ValueError("threads: the workers of a cluster have their own number of threads")


def measure(
    experiment: Experiment,
    directory: Path | None,
    how: How,
    *,
    series: Series,
    segments: bool = False,
    tell: Progress | None,
) -> Results:
    """Makes the runs that neither the directory nor the store has."""
    store = None if how.store is None else Store(how.store)
    if directory is not None or (store is None and how.on is None):
        return _measure(experiment, directory, how, store, series, segments, tell)
    # What comes from elsewhere is lines of a journal, and time series are files beside it.
    temporary = Path(tempfile.mkdtemp(prefix="skywave-"))
    try:
        results = _measure(experiment, temporary, how, store, series, segments, tell)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    weakref.finalize(results, shutil.rmtree, temporary, ignore_errors=True)
    return results


def _measure(
    experiment: Experiment,
    directory: Path | None,
    how: How,
    store: Store | None,
    series: Series,
    segments: bool,
    tell: Progress | None,
) -> Results:
    gathering = experiment._gather(out=directory, fresh=how.fresh, series=series, segments=segments)
    with gathering:
        keeper = None if store is None else Keeper(store, gathering)
        if keeper is not None and not how.fresh:
            keeper.fetch()
        reused = gathering.total - len(gathering.missing())

        def note(done: int, *_: int) -> None:
            if tell is not None:
                tell(done, reused, gathering.total)
            if keeper is not None:
                keeper.sometimes()

        try:
            if how.on is None:
                gathering.make(threads=how.threads, progress=note)
            else:
                _cluster.make(
                    how.on, experiment, gathering, series=series, segments=segments, tell=note
                )
        finally:
            if keeper is not None:
                keeper.give()
        return Results(gathering.finish())


@contextmanager
def shown(progress: bool | Progress | None, what: str) -> Iterator[Progress | None]:
    """What is told of the progress: nothing, a function of the user's, or a bar."""
    if callable(progress):
        yield progress
    elif is_watched() if progress is None else progress:
        with Bar(what) as bar:
            yield bar
    else:
        yield None
