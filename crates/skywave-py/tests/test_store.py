"""Stores of results: shared by writers that know nothing of each other, and believed only as
written."""

import gzip
import hashlib
import importlib.util
import os
import subprocess
import sys
import time
import tracemalloc
import urllib.error
import urllib.request
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import skywave
from clusters import free_port, processes
from skywave import Flow, Scenario, _store


def journal(out: Path, name: str = "lossy") -> bytes:
    return (out / name / "runs.jsonl").read_bytes()


def made(scenario: Scenario, store: object, **options: object) -> int:
    """Number of runs that were really made."""
    calls: list[tuple[int, int, int]] = []
    run: Any = skywave.run
    run(scenario, store=store, progress=lambda *call: calls.append(call), **options)
    return calls[-1][0] - calls[0][1]


def files(store: Path) -> list[Path]:
    return sorted(path for path in store.rglob("*") if path.is_file())


def test_what_a_store_has_is_not_made_again(lossy: Scenario, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert made(lossy, store) == 12
    before = files(store)
    # A file a specification: four points.
    assert len(before) == 4
    assert made(lossy, store) == 0
    # With more seeds, points in another order, or under another name it is the same run.
    more = replace(
        lossy,
        name="more",
        title="Another",
        run=replace(lossy.run, seeds=4),
        sweep={path: list(reversed(list(values))) for path, values in lossy.sweep.items()},
    )
    assert made(more, store, out=tmp_path / "out") == 4
    skywave.run(more, out=tmp_path / "here")
    assert journal(tmp_path / "out", "more") == journal(tmp_path / "here", "more")
    assert len(files(store)) == 8
    # What the folder has and the store lacks goes there.
    other = tmp_path / "other"
    assert made(more, other, out=tmp_path / "here") == 0
    assert made(lossy, other) == 0
    # To forget all is to make all.
    assert made(lossy, store, fresh=True) == 12
    assert files(store)[:8] == sorted(files(store))[:8]


def test_time_series_are_shared_as_well(lossy: Scenario, tmp_path: Path) -> None:
    plain = replace(lossy, sweep={})
    store = tmp_path / "store"
    first = skywave.run(plain, series="first", store=store)
    assert made(plain, store, series="first") == 0
    again = skywave.run(plain, series="first", store=store)
    assert again.series.to_pydict() == first.series.to_pydict()
    # Lines whose time series are gone are of no use.
    [series] = [path for path in files(store) if path.name.endswith(".series.gz")]
    series.unlink()
    assert made(plain, store, series="first") == 1


def test_single_transfers_are_shared_as_well(lossy: Scenario, tmp_path: Path) -> None:
    pages = replace(
        lossy,
        flows=[
            Flow(
                name="bulk",
                from_="A",
                to="B",
                traffic={"requests": {"size": "100B", "think": "1ms", "pause_from": "start"}},
            )
        ],
        run=replace(lossy.run, duration="20s", bins=None, requests=True),
        sweep={},
    )
    store = tmp_path / "store"
    assert made(pages, store, out=tmp_path / "here") == 3
    # The line is as long as that of many runs without them.
    [lines] = files(store)
    content = gzip.decompress(lines.read_bytes())
    assert min(line.count(b"],[") for line in content.splitlines()) > 5000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made(pages, store, out=tmp_path / "there") == 0
    assert journal(tmp_path / "there") == journal(tmp_path / "here")


@pytest.mark.parametrize("damage", ["cut", "empty", "digit", "noise"])
def test_a_damaged_file_is_named_and_made_again(
    lossy: Scenario, tmp_path: Path, damage: str
) -> None:
    store = tmp_path / "store"
    skywave.run(lossy, store=store)
    victim = files(store)[2]
    packed = victim.read_bytes()
    text = gzip.decompress(packed)
    victim.write_bytes(
        {
            "cut": packed[: len(packed) // 2],
            "empty": b"",
            "digit": gzip.compress(text.replace(b'"seed":1', b'"seed":2', 1), mtime=0),
            "noise": os.urandom(200),
        }[damage]
    )
    with pytest.warns(UserWarning, match="not what was written") as told:
        assert made(lossy, store, out=tmp_path) == 3
    assert victim.relative_to(store).as_posix() in str(told[0].message)
    # It is whole again, and nobody is told any more.
    assert gzip.decompress(victim.read_bytes()) == text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made(lossy, store) == 0
    skywave.run(lossy, out=tmp_path / "here")
    assert journal(tmp_path) == journal(tmp_path / "here")


@pytest.mark.parametrize("ending", [".jsonl.gz", ".series.gz"])
@pytest.mark.parametrize("piece", [bytes(1 << 20), b'{"key":"none"}\n' * (1 << 16)])
def test_a_small_file_that_stands_for_a_large_one_takes_no_memory(
    lossy: Scenario, tmp_path: Path, ending: str, piece: bytes
) -> None:
    """Its name is the hash of what it contains, so that only the size tells."""
    store = tmp_path / "store"
    plain = replace(lossy, sweep={})
    skywave.run(plain, store=store, series="first")
    known = next(path for path in files(store) if path.name.endswith(ending))
    count = 160 << 20
    hashed, packer = hashlib.sha256(), zlib.compressobj(wbits=31)
    packed = b""
    for _ in range(count // len(piece)):
        hashed.update(piece)
        packed += packer.compress(piece)
    packed += packer.flush()
    start = known.name.partition("-")[0] + "-" if ending == ".series.gz" else ""
    bomb = known.parent / f"{start}{hashed.hexdigest()}{ending}"
    bomb.write_bytes(packed)
    assert len(packed) < 1 << 20
    tracemalloc.start()
    try:
        with pytest.warns(UserWarning, match="not what was written"):
            assert made(plain, store, series="first") == 0
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 32 << 20
    assert not bomb.exists()


def test_two_processes_may_write_at_once(lossy: Scenario, tmp_path: Path) -> None:
    many = replace(lossy, run=replace(lossy.run, seeds=40))
    (tmp_path / "lossy.toml").write_text(many.to_toml())
    # Both give what they have very often.
    code = (
        "import sys, skywave\n"
        "from skywave import _store\n"
        "_store._FIRST_S = 0.0\n"
        "skywave.run('lossy.toml', out=sys.argv[1], store='store', threads=1)\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, name], cwd=tmp_path) for name in ["a", "b"]
    ]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert journal(tmp_path / "a") == journal(tmp_path / "b")
    assert made(many, tmp_path / "store", out=tmp_path / "c") == 0
    assert journal(tmp_path / "c") == journal(tmp_path / "a")
    # No draft is left.
    assert all(path.suffix == ".gz" for path in files(tmp_path / "store"))


def test_two_clients_of_a_cluster_share_a_store(lossy: Scenario, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs distributed: pip install 'skywave[dask]'")
    (tmp_path / "lossy.toml").write_text(lossy.to_toml())
    with processes(tmp_path / "log", workers=2) as cluster:
        command = [sys.executable, "-m", "skywave", "run", "lossy.toml", "--quiet"]
        command += ["--dask", cluster.address, "--store", "store", "--out"]
        both = [subprocess.Popen([*command, name], cwd=tmp_path) for name in ["a", "b"]]
        assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert journal(tmp_path / "a") == journal(tmp_path / "b")
    assert made(lossy, tmp_path / "store") == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
def test_a_full_disk_loses_nothing(lossy: Scenario, tmp_path: Path) -> None:
    (tmp_path / "lossy.toml").write_text(lossy.to_toml())
    # No file may be larger than eight runs.
    code = (
        "import resource, signal, sys, skywave\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "most = int(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))\n"
        "skywave.run('lossy.toml', out='full', store='store', threads=1)\n"
    )
    skywave.run(lossy, out=tmp_path / "here")
    whole = journal(tmp_path / "here")
    ended = subprocess.run(
        [sys.executable, "-c", code, str(len(whole) * 8 // 12)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1
    assert "runs.jsonl: File too large" in ended.stderr
    kept = journal(tmp_path / "full").count(b"\n")
    assert 6 <= kept <= 8
    assert made(lossy, tmp_path / "store", out=tmp_path / "full") == 12 - kept
    assert journal(tmp_path / "full") == whole


def test_a_store_that_fails_costs_no_results(lossy: Scenario, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(NotADirectoryError):
        skywave.run(lossy, store=tmp_path / "file")
    store = tmp_path / "store"

    def spoil(done: int, *_: int) -> None:
        if done == 12:
            store.write_text("no folder any more")

    with pytest.warns(RuntimeWarning, match="it did not take the runs"):
        results = skywave.run(lossy, store=store, progress=spoil)
    assert len(results.runs) == 12


def test_any_file_system_of_fsspec_is_a_store(lossy: Scenario, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="needs fsspec: pip install 'skywave[store]'")
    assert made(lossy, "memory://shared/skywave") == 12
    assert made(lossy, "memory://shared/skywave") == 0
    # One that has no objects but files: they get their names when they are whole.
    local = f"local://{tmp_path}/local"
    assert made(lossy, local) == 12
    assert made(lossy, f"file://{tmp_path}/local") == 0
    assert {path.suffix for path in files(tmp_path / "local")} == {".gz"}


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of a server on this machine."""
    for module in ["s3fs", "moto", "flask"]:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}: pip install 'moto[server]' s3fs")
    port = free_port()
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-p", str(port)], stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                made = urllib.request.Request(f"{address}/results", method="PUT")
                urllib.request.urlopen(made, timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield "s3://results/skywave"
    finally:
        server.kill()
        server.wait()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_bucket_is_a_store(lossy: Scenario, tmp_path: Path, bucket: str) -> None:
    (tmp_path / "lossy.toml").write_text(lossy.to_toml())
    command = [sys.executable, "-m", "skywave", "run", "lossy.toml", "--quiet", "--store", bucket]
    both = [
        subprocess.Popen([*command, "--out", name], cwd=tmp_path, env=dict(os.environ))
        for name in ["a", "b"]
    ]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert journal(tmp_path / "a") == journal(tmp_path / "b")
    assert made(lossy, bucket) == 0
    store = _store.Store(bucket)
    folder = next(iter(store._files._system.find("results/skywave")))  # type: ignore[attr-defined]
    store._files._system.pipe_file(folder, b"noise")  # type: ignore[attr-defined]
    with pytest.warns(UserWarning, match="not what was written"):
        assert made(lossy, bucket) == 3
    assert made(lossy, bucket) == 0
