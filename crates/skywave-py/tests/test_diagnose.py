"""Records of a link become a link, whose scenario runs."""

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import skywave
from skywave import Diagnosis, Flow, RecordError, Run, Scenario, Table


@pytest.fixture
def pings(tmp_path: Path) -> Path:
    """Two minutes of pings over 40 ms, one in 50 of which is lost."""
    draws = random.Random(1)
    lines = ["PING h (192.0.2.7) 56(84) bytes of data."]
    for number in range(1, 601):
        if draws.random() > 0.02:
            rtt = 40 + draws.random() / 5
            at = 1700000000 + number / 5 + rtt / 1e3
            lines.append(f"[{at:.6f}] 64 bytes from h: icmp_seq={number} ttl=57 time={rtt:.1f} ms")
    path = tmp_path / "ping.log"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def captures(lossy: Scenario, tmp_path: Path) -> list[Path]:
    """A transfer over a queue that becomes full and a channel that loses a little, both ways."""
    radio = replace(lossy.links[0], loss={"forward": {"iid": 0.002}})
    flow = Flow(name="bulk", from_="A", to="B", transport="cubic", rwnd="1MB")
    scenario = replace(
        lossy, links=[radio], flows=[flow], run=Run(duration="60s", seeds=1), sweep={}
    )
    path = tmp_path / "lossy.toml"
    path.write_text(scenario.to_toml())
    command = [sys.executable, "-m", "skywave", "run", str(path), "--capture"]
    subprocess.run([*command, "--out", str(tmp_path)], check=True, capture_output=True)
    return sorted((tmp_path / "lossy" / "captures").glob("*/*.pcapng"))


def row(diagnosis: Diagnosis, name: str) -> dict[str, object]:
    return next(row for row in diagnosis.link if row["name"] == name)


def test_pings_tell_the_round_trip_and_losses(pings: Path) -> None:
    diagnosis = skywave.diagnose(pings)
    base = row(diagnosis, "Base round trip")
    assert base["known"] is True
    assert base["from"] == "ping.log"
    assert float(str(base["value"]).split()[0]) == pytest.approx(40, abs=0.3)
    rate = row(diagnosis, "Rate")
    assert rate["known"] is False
    assert rate["from"] == ""
    assert str(rate["value"]) in str(diagnosis)
    assert len(diagnosis.round_trips()) == len(diagnosis.losses()) == 0
    assert repr(diagnosis).startswith("<skywave.Diagnosis: ")


def test_candidates_have_their_criteria_the_best_first(pings: Path) -> None:
    models = skywave.diagnose(pings).models
    assert set(models["property"]) == {"jitter", "losses"}
    for name, own in models.to_polars().group_by("property"):
        assert own["bic"].is_sorted(), name
    assert all(models["model"])


def test_the_end_of_a_record_is_compared_with_the_rest(pings: Path) -> None:
    goodness = skywave.diagnose(pings).goodness
    assert set(goodness["from"]) == {"ping.log"}
    assert all(goodness["fits"])
    assert "lost" in goodness["name"]


def test_advice_is_for_a_host_and_its_sender(captures: list[Path]) -> None:
    advice = skywave.diagnose(*captures).advice(on="linux:cubic,bbr", today="bbr")
    assert advice is not None
    assert "today's is BBR, as --today says" in str(advice)
    assert advice.data is not None
    assert advice.data["today"] == "BBR"
    with pytest.raises(ValueError, match="`warp` is no sender"):
        skywave.diagnose(*captures).advice(today="warp")


def test_without_a_rate_there_is_no_advice(pings: Path) -> None:
    advice = skywave.diagnose(pings).advice()
    assert advice is not None
    assert advice.data is None
    assert "No record tells the rate" in str(advice)


@pytest.mark.parametrize("of", [lambda d: d.link, lambda d: d.models, lambda d: d.goodness])
def test_tables_are_handed_over_as_arrow(pings: Path, of: Callable[[Diagnosis], Table]) -> None:
    table = of(skywave.diagnose(pings))
    assert pl.DataFrame(table).to_dict(as_series=False) == table.to_pydict()


def test_a_scenario_is_written_and_runs(pings: Path, tmp_path: Path) -> None:
    diagnosis = skywave.diagnose(str(pings))
    path = tmp_path / "deep" / "link.toml"
    diagnosis.write_scenario(path)
    assert path.read_text() == diagnosis.scenario()
    assert [one.name for one in path.parent.iterdir()] == ["link.toml"]
    assert skywave.load(path).runs == 3


def test_a_trace_is_written_beside_its_scenario(tmp_path: Path) -> None:
    table = tmp_path / "rates.csv"
    table.write_text("time_s,rate_mbps\n0,5\n10,1\n20,8\n30,8\n")
    diagnosis = skywave.diagnose(table)
    diagnosis.write_scenario(tmp_path / "out" / "car.toml")
    assert {one.name for one in (tmp_path / "out").iterdir()} == {"car.toml", "car.trace"}
    assert skywave.load(tmp_path / "out" / "car.toml").runs == 3


def test_a_table_of_too_many_packets_is_told(tmp_path: Path) -> None:
    table = tmp_path / "rates.csv"
    table.write_text("time_s,rate_mbps\n0,100000000\n30000000,1\n")
    rate = row(skywave.diagnose(table), "Rate")
    assert rate["known"] is False
    assert "more than 50 million packets" in str(rate["value"])


def test_a_capture_tells_rate_round_trips_and_the_kinds_of_losses(captures: list[Path]) -> None:
    diagnosis = skywave.diagnose(*captures)
    rate = row(diagnosis, "Rate")
    assert float(str(rate["value"]).split()[0]) == pytest.approx(1, rel=0.02)
    trips = diagnosis.round_trips()
    assert trips.columns == ["time_s", "rtt_ms"]
    assert trips.units == {"time_s": "s", "rtt_ms": "ms"}
    assert trips["time_s"] == sorted(trips["time_s"])
    assert min(trips["rtt_ms"]) > 40
    losses = diagnosis.losses()
    assert losses.columns == ["time_s", "kind"]
    assert set(losses["kind"]) == {"queue", "channel"}
    assert max(losses["time_s"]) < 60
    assert "queue" in diagnosis.models["property"]


def test_a_page_is_written_and_shown(captures: list[Path], tmp_path: Path) -> None:
    diagnosis = skywave.diagnose(*captures)
    diagnosis.html(tmp_path / "deep" / "link.html")
    page = (tmp_path / "deep" / "link.html").read_text()
    assert page.count("<svg") >= 3
    assert "What would help" in page
    assert "Senders, simulated over the link" in page
    shown = diagnosis._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<svg" not in shown, "escaped"


def test_a_record_that_cannot_be_read_is_an_error(pings: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"cannot read .*missing\.log: No such file"):
        skywave.diagnose(tmp_path / "missing.log")
    prose = tmp_path / "prose.txt"
    prose.write_text("Dear all,\n")
    with pytest.raises(RecordError, match=r"prose\.txt: .*of no known kind; expected") as caught:
        skywave.diagnose(pings, prose)
    assert isinstance(caught.value, ValueError)
    scenario = tmp_path / "link.toml"
    skywave.diagnose(pings).write_scenario(scenario)
    with pytest.raises(RecordError, match="a scenario is diagnosed alone"):
        skywave.diagnose(pings, scenario)
    with pytest.raises(TypeError, match="needs a record"):
        skywave.diagnose()
