"""Runs: the same numbers as the command's, interruptible, with progress."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import skywave
from skywave import Run, Scenario, _progress


def test_results_are_those_of_the_command(lossy: Scenario, tmp_path: Path) -> None:
    path = tmp_path / "lossy.toml"
    path.write_text(lossy.to_toml())
    command = [sys.executable, "-m", "skywave", "run", str(path), "--json", "--out", str(tmp_path)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in printed.splitlines()]
    ours = list(skywave.run(path, threads=1).runs)
    assert len(rows) == len(ours) == 12
    for row, own in zip(rows, ours, strict=True):
        assert {**row, **row["params"]}.items() >= own.items()
        # Whether all seeds gave the same is said of a point, not of a run.
        columns = row.keys() - {"params", "same_for_all_seeds"}
        assert own.keys() == columns | row["params"].keys()


def test_what_is_kept_is_not_run_again(lossy: Scenario, tmp_path: Path) -> None:
    calls: list[tuple[int, int, int]] = []

    def note(done: int, reused: int, total: int) -> None:
        calls.append((done, reused, total))

    first = skywave.run(lossy, out=tmp_path, progress=note)
    assert calls[-1] == (12, 0, 12)
    again = skywave.run(lossy, out=tmp_path, progress=note)
    assert calls[-1] == (12, 12, 12)
    assert again.runs.to_pydict() == first.runs.to_pydict()
    files = {path.name for path in (tmp_path / "lossy").iterdir()}
    assert files >= {"report.html", "results.parquet", "links.parquet", "scenario.toml"}
    four = replace(lossy, run=replace(lossy.run, seeds=4))
    more = skywave.run(four, out=tmp_path, progress=note)
    assert calls[-1] == (16, 12, 16)
    assert len(more.runs) == 16


def test_a_name_does_not_lead_out_of_the_folder_of_results(lossy: Scenario, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    for name in ("../esc", "..", "a/b"):
        with pytest.raises(skywave.ScenarioError, match="cannot be the name of a scenario"):
            skywave.run(replace(lossy, name=name), out=out)
    assert list(tmp_path.iterdir()) == []


def test_calls_at_the_same_time_share_a_folder_or_say_that_it_is_in_use(
    lossy: Scenario, tmp_path: Path
) -> None:
    def call(_: int) -> str:
        try:
            skywave.run(lossy, out=tmp_path)
        except (OSError, RuntimeError) as error:
            return str(error)
        return "done"

    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(call, range(40)))
    assert "done" in said
    others = [text for text in said if text != "done"]
    assert all("in use by another run" in text for text in others), others
    assert skywave.run(lossy, out=tmp_path).runs.to_pydict() == skywave.run(lossy).runs.to_pydict()


@pytest.mark.usefixtures("ctrl_c_soon")
def test_a_long_simulation_leaves_the_interpreter_free_and_hears_ctrl_c(endless: Scenario) -> None:
    with pytest.raises(KeyboardInterrupt):
        skywave.run(endless)


def test_ctrl_c_from_outside_ends_a_program(endless: Scenario, tmp_path: Path) -> None:
    (tmp_path / "endless.toml").write_text(endless.to_toml())
    code = (
        "import skywave\n"
        "skywave.run('endless.toml', progress=lambda *_: print('started', flush=True))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "started\n"
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=60)
    assert program.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_an_error_of_the_callback_stops_the_run(endless: Scenario) -> None:
    def fail(done: int, reused: int, total: int) -> None:
        raise LookupError(f"{done} of {total}")

    with pytest.raises(LookupError, match="0 of 1"):
        skywave.run(endless, progress=fail)


def test_what_finished_before_an_interruption_is_kept(lossy: Scenario, tmp_path: Path) -> None:
    # Two short runs, then one that nobody can wait for.
    mixed = replace(lossy, sweep={"run.duration": ["1s", "2s", "1000000s"]}, run=Run(duration="1s"))

    def stop(done: int, reused: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        skywave.run(mixed, out=tmp_path, threads=1, progress=stop)
    calls: list[int] = []
    short = replace(mixed, sweep={"run.duration": ["1s", "2s"]})
    skywave.run(short, out=tmp_path, progress=lambda done, reused, total: calls.append(reused))
    assert calls[-1] == 2


def test_series_are_recorded_on_request(lossy: Scenario) -> None:
    plain = replace(lossy, sweep={})
    assert len(skywave.run(plain).series) == 0
    first = skywave.run(plain, series="first").series
    assert set(first["seed"]) == {1}
    assert {"cwnd", "rtt", "queue"} <= set(first["quantity"])
    everything = skywave.run(plain, series="all")
    assert set(everything.series["seed"]) == {1, 2, 3}
    times = everything.series["time_s"]
    assert 0.0 <= min(times) <= max(times) <= 5.0
    assert any(drawing.title.endswith("seed 1") for drawing in everything.plot())


def test_the_bar_appears_after_a_while_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    out = StringIO()
    with _progress.Bar("lossy", out) as bar:
        bar(1, 0, 12)
        assert out.getvalue() == ""
        now += 2.0
        bar(6, 2, 12)
        line = out.getvalue()
        assert line == f"\rlossy {'█' * 15}{'░' * 15} 6/12 runs · 3 s left"
    assert out.getvalue() == line + "\r" + " " * (len(line) - 1) + "\r"


def test_nothing_is_shown_without_a_terminal(
    lossy: Scenario, capfd: pytest.CaptureFixture[str]
) -> None:
    skywave.run(lossy)
    skywave.run(lossy, progress=False)
    assert capfd.readouterr() == ("", "")


def test_the_command_is_installed(tmp_path: Path, lossy: Scenario) -> None:
    command = Path(sys.executable).with_name("skywave")

    def call(*args: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"NO_COLOR": "1"}
        return subprocess.run(
            [command, *args], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    version = call("--version")
    assert version.returncode == 0
    assert version.stdout.startswith(f"skywave {skywave.__version__}+")
    (tmp_path / "lossy.toml").write_text(lossy.to_toml())
    run = call("run", "lossy.toml")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "runs" / "lossy" / "report.html").is_file()
    assert run.stdout.startswith(str(skywave.run(lossy)).splitlines()[0])
    wrong = call("run", "missing.toml")
    assert wrong.returncode == 2
    assert "there is no such file" in wrong.stderr
    assert call("fly").returncode == 2


def test_ctrl_c_ends_the_command_and_keeps_what_is_finished(
    endless: Scenario, tmp_path: Path
) -> None:
    (tmp_path / "endless.toml").write_text(endless.to_toml())
    with subprocess.Popen(
        [Path(sys.executable).with_name("skywave"), "run", "endless.toml"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        # The run directory is there when the runs begin.
        runs = tmp_path / "runs" / "endless" / "runs.jsonl"
        while not runs.exists():
            assert program.poll() is None
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=60)
    assert program.returncode == 130
    assert "0 of 1 runs are kept" in errors
