"""Mistakes are shown at their place, the same from a file and from code."""

from dataclasses import replace
from pathlib import Path

import pytest
import skywave
from skywave import Link, Run, Scenario, ScenarioError

REPORT = """\
  × `rate` must be a rate with its unit, like "2Mbps"
   ╭─[lossy:6:8]
 5 │ delay = "20ms"
 6 │ rate = "1 parsec"
   ·        ─────┬────
   ·             ╰── unknown unit `parsec`
 7 │
   ╰────
"""


def test_the_message_shows_what_where_and_what_was_expected(lossy: Scenario) -> None:
    link = Link(between=("A", "B"), delay="20ms", rate="1 parsec")
    scenario = replace(lossy, links=[link], sweep={})
    with pytest.raises(ScenarioError) as caught:
        skywave.run(scenario)
    message = str(caught.value)
    assert message.splitlines()[:5] == REPORT.splitlines()[:5]
    assert caught.value.position == (6, 8)
    assert isinstance(caught.value, ValueError)


def test_a_file_and_code_give_the_same_message(lossy: Scenario, tmp_path: Path) -> None:
    scenario = replace(lossy, sweep={"link.radoi.delay": ["1ms"]})
    path = tmp_path / "lossy.toml"
    path.write_text(scenario.to_toml())
    with pytest.raises(ScenarioError, match="radoi") as of_code:
        scenario.load()
    with pytest.raises(ScenarioError, match="radoi") as of_file:
        skywave.load(path)
    assert str(of_file.value) == str(of_code.value).replace("[lossy:", f"[{path}:")
    assert of_file.value.position == of_code.value.position


def test_an_unknown_keyword_is_an_error_in_the_words_of_a_scenario() -> None:
    mistyped = "unknown key `betwen` of a Link: did you mean `between`"
    with pytest.raises(TypeError, match=mistyped):
        Link(betwen=("A", "B"))  # type: ignore[call-arg]
    unknown = "unknown key `colour` of a Run: expected one of duration, "
    with pytest.raises(TypeError, match=unknown):
        Run(colour="red")  # type: ignore[call-arg]


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"cannot read .*missing\.toml") as caught:
        skywave.run(tmp_path / "missing.toml")
    assert caught.value.position is None


def test_wrong_arguments_are_errors(lossy: Scenario) -> None:
    with pytest.raises(ValueError, match='series must be "first", "all" or None'):
        skywave.run(lossy, series="some")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="zero"):
        skywave.run(lossy, threads=0)
    with pytest.raises(TypeError):
        skywave.run(3)  # type: ignore[arg-type]


def test_a_folder_that_cannot_be_written_is_an_error(lossy: Scenario, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        skywave.run(lossy, out=tmp_path / "file")
    results = skywave.run(replace(lossy, run=Run(duration="1s"), sweep={}))
    with pytest.raises(OSError, match=r"cannot write .*report\.html"):
        results.save_report(tmp_path / "file" / "report.html")


def test_a_plot_of_what_was_not_swept_is_an_error(lossy: Scenario) -> None:
    results = skywave.run(replace(lossy, run=Run(duration="1s")))
    with pytest.raises(ScenarioError, match=r"unknown axis `link\.radio\.delay`"):
        results.plot(skywave.Plot(x="link.radio.delay", y="goodput"))
