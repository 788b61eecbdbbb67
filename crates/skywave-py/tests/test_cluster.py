"""Runs on a Dask cluster: the same bytes, whatever happens to its parts."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import skywave
from clusters import Processes, processes
from skywave import Scenario, _chunks, _cluster, _skywave

pytest.importorskip("distributed", reason="needs distributed: pip install 'skywave[dask]'")

pytestmark = [
    # Its own, at the end of connections that were killed.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed"),
    # On a busy machine, workers take a while to start.
    pytest.mark.filterwarnings("ignore:the Dask cluster at .* has no workers:RuntimeWarning"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with processes(tmp_path_factory.mktemp("cluster") / "log", workers=2) as cluster:
        yield cluster


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many chunks, for tests in which something happens to some of them."""
    monkeypatch.setattr(_cluster, "CHUNK_S", 0.1)


@pytest.fixture
def many(lossy: Scenario) -> Scenario:
    """Some hundred runs of some milliseconds."""
    return replace(lossy, name="many", run=replace(lossy.run, duration="60s", seeds=60))


def journal(out: Path, name: str) -> bytes:
    return (out / name / "runs.jsonl").read_bytes()


def test_threads_shards_and_a_cluster_give_the_same_bytes(
    cluster: Processes, lossy: Scenario, tmp_path: Path
) -> None:
    path = tmp_path / "lossy.toml"
    path.write_text(lossy.to_toml())
    outs = {name: tmp_path / name for name in ["one", "two", "shards", "cluster", "command"]}
    for threads, name in enumerate(["one", "two"], start=1):
        skywave.run(path, out=outs[name], threads=threads)
    command = [sys.executable, "-m", "skywave"]
    shards = tmp_path / "parts"
    for number in [1, 2, 3]:
        shard = ["run", "lossy.toml", "--quiet", "--shard", f"{number}/3", "--out", str(shards)]
        subprocess.run([*command, *shard], cwd=tmp_path, check=True)
    parts = [str(part) for part in sorted(shards.iterdir())]
    merge = ["merge", *parts, "--quiet", "--out", str(outs["shards"])]
    subprocess.run([*command, *merge], cwd=tmp_path, check=True)
    skywave.run(path, out=outs["cluster"], on=cluster.address)
    dask = ["run", "lossy.toml", "--json", "--out", str(outs["command"])]
    printed = subprocess.run(
        [*command, *dask, "--dask", cluster.address],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert len(printed.stdout.splitlines()) == 12
    first, *others = [
        [(out / "lossy" / file).read_bytes() for file in ["runs.jsonl", "results.parquet"]]
        for out in outs.values()
    ]
    for other in others:
        assert other == first


def test_nothing_is_left_without_a_folder_and_time_series_come_along(
    cluster: Processes, lossy: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    few = replace(lossy, sweep={})
    here = skywave.run(few, series="first")
    calls: list[tuple[int, int, int]] = []
    there = skywave.run(
        few, series="first", on=cluster.address, progress=lambda *call: calls.append(call)
    )
    assert calls[0] == (0, 0, 3)
    assert calls[-1] == (3, 0, 3)
    assert there.runs.to_pydict() == here.runs.to_pydict()
    assert there.series.to_pydict() == here.series.to_pydict()
    assert len(there.series) > 0
    del there
    assert list(tmp_path.iterdir()) == []


def test_traces_travel_by_what_they_contain(
    cluster: Processes, lossy: Scenario, tmp_path: Path
) -> None:
    # The workers run in another folder.
    (tmp_path / "deep").mkdir()
    trace = tmp_path / "deep" / "down.trace"
    traced = replace(
        lossy,
        links=[replace(lossy.links[0], rate=None, trace="./deep/down.trace")],
        base=tmp_path,
        sweep={"flow.bulk.transport": ["reno", "cerl"]},
    )
    goodputs = []
    # Another trace of the same name is another scenario.
    for step in [3, 5]:
        trace.write_text("".join(f"{n}\n" for n in range(step, 3000, step)))
        here = skywave.run(traced)
        there = skywave.run(traced, on=cluster.address)
        assert there.runs.to_pydict() == here.runs.to_pydict()
        goodputs.append(there.runs["goodput_bps"])
    assert goodputs[0] != goodputs[1]


def test_a_blob_that_is_not_what_was_sent_is_refused() -> None:
    import zlib

    from skywave import _worker

    name = _worker.digest(b"1\n2\n")
    assert _worker._checked(zlib.compress(b"1\n2\n"), name, 4) == "1\n2\n"
    with pytest.raises(ValueError, match=f"is not what was sent: .*, expected {name}"):
        _worker._checked(zlib.compress(b"1\n3\n"), name, 4)
    # It is not unpacked to its end.
    with pytest.raises(ValueError, match="is not what was sent"):
        _worker._checked(zlib.compress(b"1\n2\n" + bytes(1 << 24)), name, 4)


@pytest.mark.usefixtures("small_chunks")
def test_killed_workers_lose_nothing(tmp_path: Path, many: Scenario) -> None:
    skywave.run(many, out=tmp_path / "here")
    draw = random.Random(1)
    with processes(tmp_path / "log", workers=2) as cluster:
        done = threading.Event()

        def kill() -> None:
            for _ in range(3):
                if done.wait(draw.uniform(0.1, 1.5)):
                    return
                cluster.replace(draw.randrange(2))

        killer = threading.Thread(target=kill)
        calls: list[tuple[int, int, int]] = []
        killer.start()
        try:
            skywave.run(
                many,
                out=tmp_path / "there",
                on=cluster.address,
                progress=lambda *call: calls.append(call),
            )
        finally:
            done.set()
            killer.join()
    # Progress only grows: nothing is counted twice.
    counts = [call[0] for call in calls]
    assert counts == sorted(set(counts))
    assert counts[-1] == 240
    assert journal(tmp_path / "there", "many") == journal(tmp_path / "here", "many")


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.usefixtures("small_chunks")
def test_a_worker_that_hangs_is_not_waited_for(
    tmp_path: Path, many: Scenario, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    # If it is alone, it is the only one that has the scenario, too.
    monkeypatch.setattr(_cluster, "SILENT_S", 2.0)
    monkeypatch.setattr(_cluster, "_LOOK_S", 0.5)
    monkeypatch.setattr(_cluster, "_FETCH_S", 3.0)
    skywave.run(many, out=tmp_path / "here")
    with processes(tmp_path / "log", workers=1 if alone else 2) as cluster:
        stopped = threading.Event()

        def stop(done: int, *_: int) -> None:
            if done > 20 and not stopped.is_set():
                stopped.set()
                cluster.workers[0].send_signal(signal.SIGSTOP)
                if alone:
                    cluster.workers.append(cluster.start_worker())

        skywave.run(many, out=tmp_path / "there", on=cluster.address, progress=stop)
        assert stopped.is_set()
    assert journal(tmp_path / "there", "many") == journal(tmp_path / "here", "many")


@pytest.mark.usefixtures("small_chunks")
def test_a_scheduler_may_come_back(tmp_path: Path, many: Scenario) -> None:
    skywave.run(many, out=tmp_path / "here")
    with processes(tmp_path / "log", workers=2) as cluster:
        restarted = threading.Event()

        def restart(done: int, *_: int) -> None:
            if done > 20 and not restarted.is_set():
                restarted.set()
                cluster.restart_scheduler()

        skywave.run(many, out=tmp_path / "there", on=cluster.address, progress=restart)
        assert restarted.is_set()
    assert journal(tmp_path / "there", "many") == journal(tmp_path / "here", "many")


def test_a_scheduler_that_stays_away_is_an_error_that_loses_nothing(
    tmp_path: Path, many: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster, "CHUNK_S", 0.1)
    monkeypatch.setattr(_cluster, "PATIENCE_S", 1.0)
    with processes(tmp_path / "log", workers=1) as cluster:

        def end(done: int, *_: int) -> None:
            if done > 20:
                cluster.scheduler.kill()

        with pytest.raises(skywave.ClusterError, match="gone away and did not come back"):
            skywave.run(many, out=tmp_path, on=cluster.address, progress=end)
        found: list[int] = []
        skywave.run(many, out=tmp_path, progress=lambda _, reused, __: found.append(reused))
        assert 20 < found[0] < 240
    with pytest.raises(skywave.ClusterError, match="no Dask scheduler answers there"):
        _cluster.connect("tcp://127.0.0.1:1")


def test_ctrl_c_frees_the_workers_and_leaves_a_journal(
    cluster: Processes, lossy: Scenario, tmp_path: Path
) -> None:
    from distributed import Client

    # Eight short runs, then one that nobody can wait for.
    durations = [f"{n}s" for n in range(1, 9)]
    mixed = replace(
        lossy,
        sweep={"run.duration": [*durations, "1000000s"]},
        run=replace(lossy.run, seeds=1, bins=None),
    )

    def stop(done: int, *_: int) -> None:
        if done == 8:
            raise KeyboardInterrupt

    with Client(cluster.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        with pytest.raises(KeyboardInterrupt):
            skywave.run(mixed, out=tmp_path, on=client, progress=stop)
        # The tasks are forgotten, and the threads of the workers are free again, too.
        deadline = time.monotonic() + 60
        while True:
            busy = client.run(lambda dask_worker: len(dask_worker.active_threads))
            if not any(busy.values()) and not any(client.processing().values()):
                break
            assert time.monotonic() < deadline
            time.sleep(0.1)
        calls: list[tuple[int, int, int]] = []
        short = replace(mixed, sweep={"run.duration": [*durations, "9s"]})
        skywave.run(short, out=tmp_path, on=client, progress=lambda *call: calls.append(call))
    assert calls[0] == (8, 8, 9)
    assert calls[-1] == (9, 8, 9)


def test_the_command_hears_ctrl_c_and_goes_on_later(
    cluster: Processes, endless: Scenario, tmp_path: Path
) -> None:
    (tmp_path / "endless.toml").write_text(endless.to_toml())
    command = [sys.executable, "-m", "skywave", "run", "endless.toml", "--dask", cluster.address]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as program:
        while not (tmp_path / "runs" / "endless" / "runs.jsonl").exists():
            assert program.poll() is None
            time.sleep(0.05)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=60)
    assert program.returncode == 130, errors
    assert "0 of 1 runs are kept" in errors


def test_workers_of_another_version_are_refused(
    cluster: Processes, lossy: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another engine under the same number.
    ours = _skywave.ENGINE
    with monkeypatch.context() as patch:
        patch.setattr(_skywave, "ENGINE", "skywave 9")
        with warnings.catch_warnings():
            # Of the first worker, if the second one is known by then.
            warnings.simplefilter("ignore", RuntimeWarning)
            with pytest.raises(skywave.ClusterError) as refused:
                skywave.run(lossy, on=cluster.address)
    assert f"has {ours}" in str(refused.value)
    assert "here it is skywave 9" in str(refused.value)
    # An old package, which cannot even be asked; a worker with ours makes all runs.
    old = tmp_path / "old"
    (old / "skywave").mkdir(parents=True)
    (old / "skywave" / "__init__.py").touch()
    about = old / "skywave-0.0.9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: skywave\nVersion: 0.0.9\n")
    with processes(tmp_path / "log", workers=0) as mixed:
        stale = mixed.start_worker({"PYTHONPATH": str(old)})
        mixed.workers.append(stale)

        def run() -> None:
            skywave.run(lossy, on=mixed.address, out=tmp_path)

        with pytest.raises(skywave.ClusterError, match=r"has skywave 0\.0\.9; here it is skywave "):
            run()
        mixed.workers.append(mixed.start_worker())
        from distributed import Client

        with Client(mixed.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(2, timeout=60)
        with pytest.warns(RuntimeWarning, match=r"has skywave 0\.0\.9"):
            run()


def test_what_is_no_cluster_is_refused(lossy: Scenario, cluster: Processes) -> None:
    with pytest.raises(TypeError, match=r"expected a distributed\.Client, a cluster, or"):
        skywave.run(lossy, on=7)
    with pytest.raises(ValueError, match="workers of a cluster have their own"):
        skywave.run(lossy, on=cluster.address, threads=2)

    class Mine(skywave.CongestionControl):
        pass

    own = replace(
        lossy, sweep={"flow.bulk.transport": [skywave.Transport("reno", congestion=Mine)]}
    )
    with pytest.raises(ValueError, match="stay on this machine"):
        skywave.run(own, on=cluster.address)


def test_a_paper_is_reproduced_on_a_cluster(cluster: Processes, root: Path, tmp_path: Path) -> None:
    paper = root / "examples" / "own-paper"
    here = skywave.reproduce(paper, out=tmp_path / "here")
    calls: list[tuple[int, int, int]] = []
    there = skywave.reproduce(
        paper,
        out=tmp_path / "there",
        on=cluster.address,
        progress=lambda *call: calls.append(call),
    )
    assert there.claims == here.claims
    assert str(there) == str(here)
    assert calls[-1][0] == calls[-1][2]
    command = [sys.executable, "-m", "skywave", "reproduce", str(paper), "--json"]
    printed = subprocess.run(
        [*command, "--dask", cluster.address, "--out", str(tmp_path / "command")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert [json.loads(line) for line in printed.splitlines()] == here.claims
    for name in here.results:
        journals = [
            journal(tmp_path / way / here.name, name) for way in ["here", "there", "command"]
        ]
        assert journals[0] == journals[1] == journals[2]


def test_the_command_says_what_is_missing(lossy: Scenario, tmp_path: Path) -> None:
    (tmp_path / "lossy.toml").write_text(lossy.to_toml())
    command = [sys.executable, "-m", "skywave", "run", "lossy.toml", "--dask", "tcp://127.0.0.1:1"]

    def told(python: str) -> tuple[int, str]:
        ended = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "SKYWAVE_PYTHON": python},
            capture_output=True,
            text=True,
        )
        return ended.returncode, ended.stderr

    code, text = told("no-such-python")
    assert code == 1
    assert text.startswith("skywave: no-such-python: there is no such program; --dask and --store ")
    # A Python without the package.
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    code, text = told(str(bare))
    assert code == 1
    assert "need the Python package skywave of this version" in text
    assert "pip install 'skywave[dask]'" in text
    code, text = told(sys.executable)
    assert code == 1
    assert "tcp://127.0.0.1:1: no Dask scheduler answers there" in text


def test_chunks_follow_the_time_that_runs_take() -> None:
    chunks = _chunks.Chunks(range(10_000), seconds=2.0)
    assert chunks.take(slots=4) == [0]
    chunks.measured(runs=1, seconds=0.02, size=3000)
    assert chunks.take(slots=4) == list(range(1, 101))
    for _ in range(50):
        chunks.measured(runs=10, seconds=2.0, size=30_000)
    assert len(chunks.take(slots=4)) == 10
    chunks.back([5, 6, 7])
    assert chunks.take(slots=4)[:4] == [5, 6, 7, 111]
    # At the end there is some for everybody.
    small = _chunks.Chunks(range(16), seconds=100.0)
    small.measured(runs=1, seconds=0.001, size=3000)
    assert [len(small.take(slots=2)) for _ in range(4)] == [4, 3, 2, 1]


def test_chunks_follow_the_room_that_runs_take() -> None:
    chunks = _chunks.Chunks(range(100_000), seconds=2.0)
    chunks.measured(runs=10, seconds=0.001, size=10 * 2048)
    assert len(chunks.take(slots=2)) == _chunks.CHUNK_B // 2048
