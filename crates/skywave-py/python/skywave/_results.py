"""What an experiment measured."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, overload

from skywave import _files, _skywave, _toml
from skywave._scenario import Plot, Report
from skywave._table import Table

if TYPE_CHECKING:
    import pandas
    import polars

_WIDTH = 100
"""Columns of the tables in text."""


class Drawing:
    """A plot as SVG; a notebook shows it."""

    def __init__(self, title: str, svg: str, pdf: Callable[[], bytes] | None = None) -> None:
        self.title = title
        self.svg = svg
        self._pdf = pdf

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plot as an SVG file, or where the path ends in .pdf as a PDF for paper,
        without its title and with its font inside. Whole or not at all; missing directories are
        created."""
        path = Path(path)
        ending = path.suffix.lower()
        if ending == ".pdf" and self._pdf is None:
            raise ValueError("this drawing has no form for print: save it as .svg")
        if ending == ".pdf" and self._pdf is not None:
            data = self._pdf()
        elif ending == ".svg":
            data = self.svg.encode()
        else:
            raise ValueError(f"a plot is saved as .svg or .pdf, not as {path.name!r}")
        _files.write(path, data)

    def __repr__(self) -> str:
        return f"<skywave.Drawing: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg


class Drawings(Sequence[Drawing]):
    """Plots; a notebook shows them below each other."""

    def __init__(self, drawings: Sequence[Drawing]) -> None:
        self._drawings = tuple(drawings)

    def __len__(self) -> int:
        return len(self._drawings)

    @overload
    def __getitem__(self, index: int) -> Drawing: ...
    @overload
    def __getitem__(self, index: slice) -> "Drawings": ...
    def __getitem__(self, index: int | slice) -> "Drawing | Drawings":
        if isinstance(index, slice):
            return Drawings(self._drawings[index])
        return self._drawings[index]

    def __iter__(self) -> Iterator[Drawing]:
        return iter(self._drawings)

    def __repr__(self) -> str:
        return f"<skywave.Drawings: {', '.join(d.title for d in self)}>"

    def _repr_html_(self) -> str:
        return "".join(f"<div>{drawing.svg}</div>" for drawing in self)


class Results:
    """What an experiment measured: tables, plots, and the report.

    >>> import skywave
    >>> results = skywave.run(skywave.Scenario(
    ...     links=[skywave.Link(between=("a", "b"), rate="2Mbps", delay="80ms")],
    ...     flows=[skywave.Flow(from_="a", to="b", transport="cubic")],
    ...     run=skywave.Run(duration="10s", seeds=2),
    ... ))
    >>> results.runs["transport"]
    ['cubic', 'cubic']
    >>> print(results)  # doctest: +ELLIPSIS
    Flows
    ...
    Means over 2 seeds with 95% intervals (Student t).
    """

    def __init__(self, inner: _skywave.Results) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self._inner.name

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return self._inner.title

    @property
    def seeds(self) -> list[int]:
        """The seeds of each point."""
        return self._inner.seeds

    @property
    def engine(self) -> str:
        """Version and fingerprint of the engine: the same engine gives the same numbers."""
        return self._inner.engine

    @cached_property
    def runs(self) -> Table:
        """One row a run and flow, with a column for each swept path."""
        return Table(self._inner.runs())

    @cached_property
    def links(self) -> Table:
        """One row a run and link."""
        return Table(self._inner.links())

    @cached_property
    def proxies(self) -> Table:
        """One row a run and flow that a proxy splits, from end to end."""
        return Table(self._inner.proxies())

    @cached_property
    def stations(self) -> Table:
        """One row a run and station of the radio network."""
        return Table(self._inner.stations())

    @cached_property
    def timelines(self) -> Table:
        """One row a run, station and span of time: what it did; empty unless the radio network asks
        for a timeline."""
        return Table(self._inner.timelines())

    @cached_property
    def bins(self) -> Table:
        """One row a run, flow and bin: delivered bytes; empty unless the run asks for bins."""
        return Table(self._inner.bins())

    @cached_property
    def requests(self) -> Table:
        """One row a run, flow and transfer: when it began, its bytes and how long it took, which is
        missing of one that was not done in time; empty unless the run keeps `requests`."""
        return Table(self._inner.requests())

    @cached_property
    def series(self) -> Table:
        """One row a sample of a recorded time series; empty unless series were asked for."""
        return Table(self._inner.series())

    @cached_property
    def summary(self) -> Table:
        """One row a point of the sweep and flow: the number of seeds, and of each measured field
        its mean and, in `NAME_ci95`, half the width of the mean's 95% interval."""
        return Table(self._inner.summary())

    def to_pandas(self) -> "pandas.DataFrame":
        """`runs` as a pandas data frame."""
        return self.runs.to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """`runs` as a polars data frame."""
        return self.runs.to_polars()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """`runs`, for libraries that speak Arrow."""
        return self.runs.__arrow_c_stream__(requested_schema)

    def plot(self, *plots: Plot) -> Drawings:
        """The plots of the scenario's report, or those that are given.

        >>> import skywave
        >>> results = skywave.run(skywave.Scenario(
        ...     links=[skywave.Link(name="radio", between=("a", "b"), rate="2Mbps", delay="8ms")],
        ...     flows=[skywave.Flow(from_="a", to="b")],
        ...     run=skywave.Run(duration="2s"),
        ...     sweep={"link.radio.delay": ["10ms", "80ms"]},
        ... ))
        >>> results.plot(skywave.Plot(x="link.radio.delay", y="rtt_mean"))
        <skywave.Drawings: Mean RTT against one-way delay of radio>
        """
        report = _toml.table(Report(plot=plots)._table()) if plots else None
        drawings = enumerate(self._inner.drawings(report))
        # All are drawn for paper when the first is saved so, and kept for the others.
        prints = cache(partial(self._inner.prints, report))

        def pdf(index: int) -> bytes:
            return self._inner.pdf(prints()[index])

        return Drawings([Drawing(title, svg, partial(pdf, n)) for n, (title, svg) in drawings])

    def save_report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: one HTML file that works offline."""
        self._inner.save_report(Path(path))

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Writes all that `skywave run` leaves: report, Parquet files and the scenario."""
        self._inner.save(Path(directory))

    def __str__(self) -> str:
        return self._inner.text(_WIDTH).rstrip("\n")

    def __repr__(self) -> str:
        return f"<skywave.Results of {self.name}: {len(self.runs)} rows>"

    def _repr_html_(self) -> str:
        text = escape(str(self))
        return f"<h4>{escape(self.title)}</h4><pre>{text}</pre>"
