"""Results as tables, for libraries and without any."""

import statistics
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import skywave
from skywave import Drawing, Results, Run, Scenario, Table


@pytest.fixture
def results(lossy: Scenario) -> Results:
    return skywave.run(lossy, series="first")


@pytest.mark.parametrize("name", ["runs", "links", "bins", "series", "summary"])
def test_all_ways_out_give_the_same_values(results: Results, name: str) -> None:
    table: Table = getattr(results, name)
    columns = table.to_pydict()
    assert len(table) == len(columns[table.columns[0]]) > 0
    assert pl.DataFrame(table).to_dict(as_series=False) == columns
    assert table.to_polars().to_dict(as_series=False) == columns
    assert list(table)[-1] == {name: values[-1] for name, values in columns.items()}
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns
    for column, values in columns.items():
        found = frame[column].tolist()
        gaps = [x is None for x in values]
        assert [x != x for x in found] == gaps, column
        assert [x for x in found if x == x] == [x for x in values if x is not None], column


def test_columns_have_types_and_units(results: Results) -> None:
    frame = results.to_pandas()
    assert frame["goodput_bps"].dtype == np.float64
    assert frame["completion_s"].dtype == np.float64, "all gaps"
    assert frame["seed"].dtype == np.uint64
    assert frame["link.radio.loss.forward.iid"].dtype == np.float64
    schema = results.to_polars().schema
    assert schema["goodput_bps"] == pl.Float64
    assert schema["timeouts"] == pl.UInt64
    assert schema["flow.bulk.transport"] == pl.String
    assert results.runs.units["goodput_bps"] == "bit/s"
    assert results.series.units == {"time_s": "s"}
    assert results.summary.units["rtt_mean_s_ci95"] == "s"


def test_tables_are_handed_over_without_a_copy(results: Results) -> None:
    def address(frame: pl.DataFrame) -> int:
        array = frame["goodput_bps"].to_numpy(allow_copy=False)
        return int(array.__array_interface__["data"][0])

    first, second = pl.DataFrame(results), pl.DataFrame(results.runs)
    assert address(first) == address(second)
    values = first["goodput_bps"].to_list()
    # The memory belongs to who holds it, not to the results.
    copy = results.runs["goodput_bps"]
    del results, second
    assert first["goodput_bps"].to_list() == values == copy


def test_a_capsule_that_nobody_takes_is_freed(results: Results) -> None:
    for _ in range(3):
        assert "arrow_array_stream" in repr(results.runs.__arrow_c_stream__())
        assert "arrow_schema" in repr(results.runs.__arrow_c_schema__())


def test_a_summary_has_means_and_intervals(results: Results) -> None:
    runs = results.to_polars()
    assert len(results.summary) == 4
    for row in results.summary:
        here = runs.filter(
            pl.col("flow.bulk.transport") == row["flow.bulk.transport"],
            pl.col("link.radio.loss.forward.iid") == row["link.radio.loss.forward.iid"],
        )
        values = here["goodput_bps"].to_list()
        assert row["seeds"] == len(values) == 3
        assert row["goodput_bps"] == pytest.approx(statistics.mean(values))
        # Student's t with two degrees of freedom, from a table.
        half = 4.302653 * statistics.stdev(values) / 3**0.5
        assert row["goodput_bps_ci95"] == pytest.approx(half, rel=1e-6)


def test_one_seed_has_no_interval(lossy: Scenario) -> None:
    results = skywave.run(replace(lossy, run=Run(duration="1s"), sweep={}))
    assert results.summary["goodput_bps_ci95"] == [None]
    assert results.summary["goodput_bps"] == results.runs["goodput_bps"]


def test_a_missing_library_is_named(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    for library, convert in [("pandas", results.to_pandas), ("polars", results.to_polars)]:
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(ModuleNotFoundError, match=f"pip install {library}"):
            convert()
    assert results.runs.to_pydict()


def test_a_column_that_is_not_there_is_named(results: Results) -> None:
    with pytest.raises(KeyError, match="there is no column 'godput'; there are scenario, seed"):
        results.runs["godput"]


def test_notebooks_show_tables_and_plots(lossy: Scenario, tmp_path: Path) -> None:
    results = skywave.run(replace(lossy, title="a < b & c"))
    assert "a &lt; b &amp; c" in results._repr_html_()
    table = results.runs._repr_html_()
    assert table.count("<tr>") == 13
    assert "12 rows" in table
    many = skywave.run(replace(lossy, run=Run(duration="1s", seeds=10))).runs._repr_html_()
    assert many.count("<tr>") == 1 + 10 + 1 + 10
    assert "40 rows" in many

    drawings = results.plot()
    title = "Goodput against loss rate of radio, forward, by transport"
    assert [d.title for d in drawings] == [title]
    assert drawings[0]._repr_svg_().startswith("<svg")
    assert drawings._repr_html_().count("<svg") == len(drawings)
    log = skywave.Plot(
        x="link.radio.loss.forward.iid", y="timeouts", by="flow.bulk.transport", title="Timeouts"
    )
    own = results.plot(log, log)
    assert [d.title for d in own] == ["Timeouts", "Timeouts"]
    own[:1][0].save(tmp_path / "deep" / "plot.svg")
    assert (tmp_path / "deep" / "plot.svg").read_text() == own[0].svg


def test_a_plot_is_written_as_its_ending_says(results: Results, tmp_path: Path) -> None:
    plot, other = results.plot()[:2]
    plot.save(tmp_path / "plot.PDF")
    pdf = (tmp_path / "plot.PDF").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert b"LiberationSans" in pdf
    other.save(tmp_path / "plot.PDF")
    assert (tmp_path / "plot.PDF").read_bytes() != pdf
    for name in ["plot.png", "plot", "plot.svg.gz"]:
        with pytest.raises(ValueError, match=f"as .svg or .pdf, not as '{name}'"):
            plot.save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["plot.PDF"]


def test_a_drawing_without_a_form_for_print_is_no_pdf(tmp_path: Path) -> None:
    plot = skywave.Drawing("Goodput", "<svg/>")
    with pytest.raises(ValueError, match="no form for print"):
        plot.save(tmp_path / "plot.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_plot_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        Drawing("No UTF-8", "<svg>\ud800</svg>").save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_reports_are_saved(results: Results, tmp_path: Path) -> None:
    results.save_report(tmp_path / "deep" / "report.html")
    page = (tmp_path / "deep" / "report.html").read_text()
    assert "Two variants over a lossy link" in page
    results.save(tmp_path / "all")
    assert (tmp_path / "all" / "report.html").read_text() == page
    saved = pl.read_parquet(tmp_path / "all" / "results.parquet")
    assert saved.equals(results.to_polars())
    assert len(pl.read_parquet(tmp_path / "all" / "series.parquet")) == len(results.series)
