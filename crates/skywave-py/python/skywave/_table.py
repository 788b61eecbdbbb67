"""Tables of results."""

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from skywave import _skywave

if TYPE_CHECKING:
    import pandas
    import polars

Column: TypeAlias = tuple[Literal["number", "count", "text"], Sequence[Any]]
"""Kind of a column, and its values."""

_SHOWN = 10
"""Rows that a notebook shows at either end of a table."""


class Table:
    """A table of results in Arrow's memory format.

    Every library that speaks Arrow reads it in place (`polars.DataFrame(table)`,
    `pyarrow.table(table)`, `duckdb.sql("from table")`); `to_pandas` and `to_polars` are there for
    convenience, `to_pydict` needs no library. Quantities are in SI units.
    """

    def __init__(self, inner: _skywave.Table) -> None:
        self._inner = inner

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Column],
        units: Mapping[str, str] | None = None,
    ) -> Self:
        """A table of these columns, in which a gap is None.

        >>> Table.of({"law": ("text", ["reno", None]), "cases": ("count", [3, 4])})["law"]
        ['reno', None]
        """
        of = units or {}
        rows = [(name, of.get(name), kind, values) for name, (kind, values) in columns.items()]
        return cls(_skywave.Table(rows))

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [name for name, _ in self._inner.fields]

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns that have one."""
        return {name: unit for name, unit in self._inner.fields if unit is not None}

    def __len__(self) -> int:
        return len(self._inner)

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column; a gap is None."""
        return self._inner.values(self._index(column), 0, len(self))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, as dicts."""
        columns = self.to_pydict()
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows, for libraries that speak Arrow."""
        return self._inner.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The schema, for libraries that speak Arrow."""
        return self._inner.__arrow_c_schema__()

    def to_pydict(self) -> dict[str, list[Any]]:
        """The columns as lists, by their names."""
        return {name: self[name] for name in self.columns}

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a pandas data frame, which has memory of its own."""
        library = _need("pandas")
        numpy = _need("numpy")
        columns = {}
        for index, name in enumerate(self.columns):
            buffer = self._inner.buffer(index)
            if buffer is None:
                columns[name] = self[name]
            else:
                kind, data = buffer
                columns[name] = numpy.frombuffer(data, kind)
        frame: pandas.DataFrame = library.DataFrame(columns)
        return frame

    def to_polars(self) -> "polars.DataFrame":
        """The table as a polars data frame, which reads it in place."""
        frame: polars.DataFrame = _need("polars").DataFrame(self)
        return frame

    def __repr__(self) -> str:
        return f"<skywave.Table: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        rows = len(self)
        parts = [(0, rows)] if rows <= 2 * _SHOWN else [(0, _SHOWN), (rows - _SHOWN, rows)]
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = []
        for start, stop in parts:
            if start:
                body.append(f'<tr><td colspan="{len(self.columns)}">…</td></tr>')
            columns = [self._inner.values(i, start, stop) for i in range(len(self.columns))]
            for row in zip(*columns, strict=True):
                body.append("<tr>" + "".join(f"<td>{_cell(v)}</td>" for v in row) + "</tr>")
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
            f"<p>{rows} rows</p>"
        )

    def _index(self, column: str) -> int:
        columns = self.columns
        if column not in columns:
            raise KeyError(f"there is no column {column!r}; there are {', '.join(columns)}")
        return columns.index(column)


def _cell(value: object) -> str:
    match value:
        case None:
            return "&ndash;"
        case float():
            return f"{value:.6g}"
    return escape(str(value))


def _need(library: str) -> Any:
    """An optional library, or an error that says how to get it."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise ModuleNotFoundError(
            f"this needs {library}, which is not installed: {sys.executable} -m pip install "
            f"{library}",
            name=library,
        ) from None
