"""Searches for the worst paths: those of the command, also for laws written in Python."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import skywave
from own_laws import Broken, PyReno
from skywave import Scenario, Transport, WorstPaths

SPACE = """
[[link]]
name = "path"
between = ["server", "client"]
rate = "4Mbps"
delay = "10ms"
queue = { droptail = "20 packets" }

[[flow]]
name = "test"
from = "server"
to = "client"

[run]
duration = "3s"
measure = ["1s", "3s"]

[search]
"link.path.rate" = { log = ["1Mbps", "10Mbps"] }
"link.path.delay" = { log = ["2ms", "100ms"] }
"link.path.loss.forward.iid" = { log = [0.001, 0.2] }
"link.path.jitter.uniform" = [["0ms", { log = ["1ms", "50ms"] }]]
"""


@pytest.fixture
def space(tmp_path: Path) -> Path:
    path = tmp_path / "space.toml"
    path.write_text(SPACE)
    return path


def told(paths: WorstPaths) -> list[object]:
    return [(path.value, path.ci95, path.seeds, path.found, path.keys) for path in paths]


def without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_findings_are_those_of_the_command(space: Path, tmp_path: Path) -> None:
    options = ["--runs", "400", "--islands", "2", "--seed", "3", "--json"]
    command = [sys.executable, "-m", "skywave", "worst", "reno", "--against", "vegas", *options]
    command += ["--space", str(space), "--out", str(tmp_path / "theirs")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in printed.splitlines()]
    out = tmp_path / "ours"
    ours = skywave.worst("reno", against="vegas", space=space, runs=400, islands=2, seed=3, out=out)
    assert len(lines) == len(ours) > 0
    for number, (line, path) in enumerate(zip(lines, ours, strict=True), 1):
        assert line["value"] == {"mean": path.value, "ci95": path.ci95}
        assert line["seeds"] == path.seeds
        assert line["keys"].keys() == path.keys.keys()
        theirs = Path(line["file"]).read_text()
        assert without_comments(theirs) == without_comments(path.toml)
        assert (out / "worst-reno" / f"{number}.toml").read_text() == path.toml
    # A scenario built in code is as good as its file.
    built = Scenario.from_toml(SPACE)
    again = skywave.worst("reno", against=["vegas"], space=built, runs=400, islands=2, seed=3)
    assert told(again) == told(ours)


def test_a_law_in_python_has_the_worst_paths_of_the_built_in_one(space: Path) -> None:
    def search(law: object, threads: int) -> WorstPaths:
        return skywave.worst(
            law,  # type: ignore[arg-type]
            against="vegas",
            space=space,
            runs=200,
            islands=1,
            find=1,
            threads=threads,
        )

    built_in = search("reno", 2)
    own = search(PyReno, 1)
    assert len(own) == 1
    assert told(own) == told(built_in) == told(search(Transport("reno", congestion=PyReno), 2))
    path = own[0]
    table = own.table
    assert table["value"] == [path.value]
    assert set(path.keys) <= set(table.columns)
    # The path runs, and what the search said of it is what its runs say.
    runs = path.run(threads=1).runs
    labels = ["reno congestion=PyReno", "vegas"]
    assert sorted(set(runs["transport"])) == labels
    goodput = {(row["transport"], row["seed"]): row["goodput_bps"] for row in runs}
    shares = [goodput[labels[0], seed] / goodput[labels[1], seed] for seed in path.seeds]
    assert sum(shares) / len(shares) == pytest.approx(path.value)
    assert 'congestion = "PyReno"' in path.toml


def test_exceptions_and_ctrl_c_end_a_search(space: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="at the first loss"):
        skywave.worst(Broken, space=space, runs=400, islands=1)


@pytest.mark.usefixtures("ctrl_c_soon")
def test_a_search_hears_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        skywave.worst(PyReno, time="1h", progress=False)


def test_progress_says_what_is_known(space: Path) -> None:
    said: list[tuple[int, str]] = []
    skywave.worst(
        "vegas",
        space=space,
        runs=200,
        islands=1,
        find=1,
        progress=lambda done, news: said.append((done, news)),
    )
    assert said[-1][0] > 200
    assert said[-1][1] == "making paths small"


def test_mistakes_are_refused_with_what_was_expected(space: Path) -> None:
    with pytest.raises(ValueError, match="not both"):
        skywave.worst("vegas", runs=1000, time="1min")
    with pytest.raises(ValueError, match="time: expected a time such as '10min'"):
        skywave.worst("vegas", time="1Mbps")
    with pytest.raises(ValueError, match="expected one of channel, against"):
        skywave.worst("vegas", objective="chanel")
    with pytest.raises(ValueError, match="needs a sender to compare with"):
        skywave.worst("vegas", objective="starved")
    with pytest.raises(ValueError, match="expected at least 96 for 2 islands"):
        skywave.worst("vegas", space=space, runs=50, islands=2)
    with pytest.raises(ValueError, match="`below`: expected a share above 0"):
        skywave.worst("vegas", below=0.0)
    with pytest.raises(skywave.ScenarioError, match="brr"):
        skywave.worst("brr")
    with pytest.raises(skywave.ScenarioError, match="there is no \\[search\\]"):
        skywave.worst("vegas", space=Scenario.from_toml(SPACE.partition("[search]")[0]))
    with pytest.raises(TypeError, match="must be a subclass"):
        skywave.worst(dict)  # type: ignore[arg-type]


def test_a_file_and_the_scenario_made_of_it_say_the_same(root: Path) -> None:
    files = [*(root / "examples").glob("*.toml"), *(root / "experiments/worst").glob("*.toml")]
    files += [root / "experiments/wifi/hidden.toml", root / "docs/links/leo.toml"]
    read = 0
    for file in files:
        text = file.read_text()
        data = tomllib.loads(text)
        if "flow" in data:
            written = tomllib.loads(Scenario.from_toml(text, base=file.parent).to_toml())
            # Columns of the report that are none are written as none.
            assert {**written, "report": data.get("report")} == {"report": None, **data}, file
            read += 1
    assert read > 4
