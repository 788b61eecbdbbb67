"""Measuring a paper's claims again."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skywave import _files, _skywave
from skywave._cluster import Cluster
from skywave._measure import How, Progress, measure, shown
from skywave._results import Results
from skywave._store import Place


class Reproduction:
    """The claims of a paper: theirs, ours, verdicts.

    `claims` has a dict each, with what `skywave reproduce --json` prints; `results` the results of
    each experiment by its name.
    """

    def __init__(self, paper: _skywave.Paper, results: Mapping[str, Results]) -> None:
        self.name = paper.name
        self.title = paper.title
        self.results = dict(results)
        judged = paper.judge({name: one._inner for name, one in results.items()})
        lines, self._table, self._markdown, self._page = judged
        self.claims: list[dict[str, Any]] = [json.loads(line) for line in lines.splitlines()]

    def save(self, directory: str | os.PathLike[str], scorecard: str = "scorecard") -> None:
        """Writes scorecard.html and scorecard.md, and what each experiment leaves in a folder of
        its own."""
        directory = Path(directory)
        for name, results in self.results.items():
            results.save(directory / name)
        for ending, text in [("html", self._page), ("md", self._markdown)]:
            _files.write(directory / f"{scorecard}.{ending}", text.encode())

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return f"<skywave.Reproduction of {self.name}: {len(self.claims)} claims>"


def reproduce(
    paper: str | os.PathLike[str],
    *,
    only: Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    threads: int | None = None,
    progress: bool | Progress | None = None,
    on: Cluster | None = None,
    store: Place | None = None,
) -> Reproduction:
    """Measures the claims of a paper again: theirs, ours, and a verdict by one rule.

    Args:
        paper: a built-in one, such as "cerl", or the folder of one of your own.
        only: names of experiments; only these are made, and the claims that they can judge.
        out: folder of results, as `--out` of the command: `OUT/PAPER` keeps every finished run, and
            scorecard and reports are left there.
        fresh, threads, progress, on, store: as for `run`.

    >>> import skywave
    >>> figure = skywave.reproduce("cerl", only=["fig7a"])  # doctest: +SKIP
    >>> {claim["verdict"] for claim in figure.claims}  # doctest: +SKIP
    {'reproduced', 'partly'}
    """
    read = _skywave.Paper(paper, list(only))
    directory = None if out is None else Path(out) / read.name
    how = How(fresh=fresh, threads=threads, on=on, store=store)
    with shown(progress, read.name) as tell:
        results = measure_all(read, directory, how, tell)
    reproduction = Reproduction(read, results)
    if directory is not None:
        reproduction.save(directory, "-".join(["scorecard", *only]))
    return reproduction


def measure_all(
    paper: _skywave.Paper, directory: Path | None, how: How, tell: Progress | None
) -> dict[str, Results]:
    """The results of all experiments of a paper, one after the other."""
    results: dict[str, Results] = {}
    experiments = paper.experiments()
    total = sum(experiment.runs for experiment, _ in experiments)
    before = found_before = 0
    for experiment, series in experiments:
        found = 0

        def note(done: int, reused: int, _: int) -> None:
            nonlocal found
            found = reused
            if tell is not None:
                tell(before + done, found_before + reused, total)  # noqa: B023

        place = None if directory is None else directory / experiment.name
        results[experiment.name] = measure(experiment, place, how, series=series, tell=note)
        before += experiment.runs
        found_before += found
    return results
