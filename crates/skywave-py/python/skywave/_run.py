"""Reading and running scenarios."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from skywave import _custom
from skywave._custom import Factory
from skywave._progress import Bar, is_watched
from skywave._results import Results
from skywave._scenario import Scenario
from skywave._skywave import Experiment

Source = str | os.PathLike[str] | Scenario | Experiment
"""A scenario file, a scenario built in code, or one that is loaded."""

Progress = Callable[[int, int, int], object]
"""Called now and then with the number of runs done, of those found on disk, and of all."""


def load(source: Source, *, custom: Mapping[str, Factory] | None = None) -> Experiment:
    """Reads and checks a scenario without running it.

    A mistake is a `ScenarioError` whose message shows the place and what was expected. The
    experiment tells its `name`, `title`, `params` (what is swept), `points`, `seeds` and `runs`.
    `custom` is as for `run`.
    """
    match source:
        case Experiment():
            if custom is not None:
                raise ValueError("this scenario is loaded: give `custom` to skywave.load")
            return source
        case Scenario():
            return source.load(custom)
    return Experiment._load(Path(source), _custom.members(custom or {}))


def run(
    source: Source,
    *,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    threads: int | None = None,
    series: Literal["first", "all"] | None = None,
    progress: bool | Progress | None = None,
    custom: Mapping[str, Factory] | None = None,
) -> Results:
    """Simulates a scenario: all points of its sweep with all its seeds, on all cores.

    Ctrl-C (or interrupting the notebook's kernel) stops within moments with `KeyboardInterrupt`.

    Args:
        source: a scenario file, or a `Scenario` built in code.
        out: folder of results, as `--out` of the command: `OUT/NAME` then keeps every finished run,
            a second call runs only what is missing, and report and Parquet files are left there.
        fresh: run everything again, and forget what `out` holds.
        threads: number of threads; one a core unless given.
        series: record time series of the first seed of each point, or of all; as the scenario says
            unless given.
        progress: a bar on standard error; unless given, if somebody can see it. Or a function that
            is called with the number of runs done, found and wanted.
        custom: subclasses of `CongestionControl` and `LossDetector`, by the names that the scenario
            has for them. Their exceptions stop the run and are raised.

    >>> import skywave
    >>> scenario = skywave.Scenario(
    ...     links=[skywave.Link(between=("a", "b"), rate="2Mbps", delay="80ms")],
    ...     flows=[skywave.Flow(from_="a", to="b")],
    ...     run=skywave.Run(duration="10s"),
    ... )
    >>> results = skywave.run(scenario)
    >>> len(results.runs)
    1
    """
    experiment = load(source, custom=custom)
    directory = None if out is None else Path(out) / experiment.name

    def measure(tell: Progress | None) -> Results:
        measured = experiment._run(
            out=directory, fresh=fresh, threads=threads, series=series, progress=tell
        )
        return Results(measured)

    if callable(progress):
        results = measure(progress)
    elif is_watched() if progress is None else progress:
        with Bar(experiment.name) as bar:
            results = measure(bar)
    else:
        results = measure(None)
    if directory is not None:
        results.save(directory)
    return results
