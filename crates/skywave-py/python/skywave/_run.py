"""Reading and running scenarios."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from skywave import _custom
from skywave._cluster import Cluster
from skywave._custom import Factory
from skywave._measure import How, Progress, measure, shown
from skywave._results import Results
from skywave._scenario import Scenario
from skywave._skywave import Experiment
from skywave._store import Place

Source = str | os.PathLike[str] | Scenario | Experiment
"""A scenario file, a scenario built in code, or one that is loaded."""


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
    on: Cluster | None = None,
    store: Place | None = None,
) -> Results:
    """Simulates a scenario: all points of its sweep with all its seeds, on all cores, or on a
    cluster.

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
        on: a Dask cluster that makes the runs: a `distributed.Client`, a cluster such as
            `LocalCluster`, or the address of a scheduler. Results are the same bytes.
        store: results that are shared: a folder, or the URL of one that `fsspec` reaches, such as
            `s3://bucket/skywave`. Runs that are there are not made, and those that are made go
            there.

    >>> import skywave
    >>> scenario = skywave.Scenario(
    ...     links=[skywave.Link(between=("a", "b"), rate="2Mbps", delay="80ms")],
    ...     flows=[skywave.Flow(from_="a", to="b")],
    ...     run=skywave.Run(duration="10s"),
    ... )
    >>> results = skywave.run(scenario)
    >>> len(results.runs)
    1

    On a cluster, with results kept in a folder and shared in a bucket:

    >>> skywave.run(
    ...     "my-link.toml", out="runs", on="tcp://head:8786", store="s3://bucket/skywave"
    ... )  # doctest: +SKIP
    """
    experiment = load(source, custom=custom)
    directory = None if out is None else Path(out) / experiment.name
    how = How(fresh=fresh, threads=threads, on=on, store=store)
    with shown(progress, experiment.name) as tell:
        results = measure(experiment, directory, how, series=series, tell=tell)
    if directory is not None:
        results.save(directory)
    return results
