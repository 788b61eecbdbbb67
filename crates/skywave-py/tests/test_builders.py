"""Scenarios built in code are scenario files."""

import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skywave
from hypothesis import given
from hypothesis import strategies as st
from skywave import (
    Agent,
    Flow,
    Link,
    Plot,
    Radio,
    Report,
    Run,
    Scenario,
    Station,
    Transport,
    _toml,
)

SCALARS = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(SCALARS, lambda v: st.lists(v) | st.dictionaries(NAMES, v), max_leaves=20)


@given(st.dictionaries(NAMES, VALUES))
def test_what_is_written_is_what_toml_reads(items: dict[str, object]) -> None:
    assert tomllib.loads(_toml.table(items)) == items


def test_arrays_of_numpy_are_values() -> None:
    items = {
        "array": np.linspace(0.0, 1.0, 3),
        "float32": np.float32(0.5),
        "int64": np.int64(7),
        "bool": np.bool_(True),
        "range": range(3),
    }
    assert tomllib.loads(_toml.table(items)) == {
        "array": [0.0, 0.5, 1.0],
        "float32": 0.5,
        "int64": 7,
        "bool": True,
        "range": [0, 1, 2],
    }


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), None])
def test_what_no_file_can_hold_is_an_error(value: object) -> None:
    with pytest.raises(TypeError, match="a scenario holds numbers, strings"):
        _toml.value(value)
    with pytest.raises(TypeError, match="keys of a scenario are strings, not int: 1"):
        _toml.value({1: "x"})


def test_every_class_has_the_keys_of_the_file() -> None:
    schema = skywave.schema()

    def keys(table: dict[str, Any]) -> set[str]:
        if "$ref" in table:
            return keys(schema["$defs"][table["$ref"].rsplit("/", 1)[1]])
        for choice in table.get("anyOf", []):
            if choice.get("type") != "null" and (found := keys(choice)):
                return found
        return set(table.get("properties", {}))

    file = schema["properties"]
    transport = schema["$defs"]["ComposedModel"]
    report = schema["$defs"]["ReportModel"]["properties"]
    for table, model in {
        Link: file["link"]["items"],
        Radio: file["radio"],
        Station: file["station"]["items"],
        Flow: file["flow"]["items"],
        Agent: file["agent"]["items"],
        Run: file["run"],
        Report: file["report"],
        Plot: report["plot"]["items"],
        Transport: transport,
    }.items():
        assert {f.name.rstrip("_") for f in fields(table)} == keys(model), table
    ours = {f.name for f in fields(Scenario)} - {"name", "base"}
    lists = ("links", "stations", "flows", "agents")
    assert ours.issuperset(lists)
    assert {name.removesuffix("s") if name in lists else name for name in ours} == set(file)


def test_a_radio_network_is_built_and_measured() -> None:
    results = skywave.run(
        Scenario(
            radio=Radio(standard="802.11g", routing="static", timeline=("1s", "1.01s")),
            stations=[Station(node="N#", count=3, at=("0m", "0m"), step=("200m", "0m"))],
            flows=[Flow(from_="N1", to="N3")],
            run=Run(duration="2s"),
        )
    )
    assert results.stations["station"] == ["N1", "N2", "N3"]
    assert all(attempts > 0 for attempts in results.stations["attempts"])
    assert results.timelines["from_s"][0] == 1.0
    assert set(results.timelines["station"]) == {"N1", "N2", "N3"}


def test_a_scenario_of_every_class_becomes_a_file(lossy: Scenario, tmp_path: Path) -> None:
    scenario = replace(
        lossy,
        description='Quotes " and \\ and\nlines',
        flows=[
            Flow(
                name="bulk",
                from_="A",
                to="B",
                transport=Transport("cerl", recovery="sack", congestion={"cerl": {"a": 0.3}}),
                tcp={"initial_window": "3 segments"},
            )
        ],
        sweep={"flow.bulk.transport": ["reno", Transport("reno", recovery="newreno")]},
        report=Report(plot=[Plot(x="flow.bulk.transport", y="goodput")], table=["goodput"]),
    )
    loaded = scenario.load()
    assert (loaded.title, loaded.description) == (scenario.title, scenario.description)
    assert repr(loaded) == "<skywave.Experiment lossy: 2 points, 3 seeds>"
    assert (loaded.params, loaded.points, loaded.seeds) == (["flow.bulk.transport"], 2, [1, 2, 3])

    path = tmp_path / "lossy.toml"
    path.write_text(scenario.to_toml())
    file = skywave.run(path)
    built = skywave.run(scenario)
    assert built.runs.to_pydict() == file.runs.to_pydict()
    assert built.runs["transport"][-1] == "reno recovery=newreno"


def test_an_agent_repairs_what_the_link_behind_it_loses() -> None:
    wire = Link(name="wire", between=("A", "B"), rate="1Mbps", delay="20ms")
    loss = {"forward": {"iid": 0.02}}
    scenario = Scenario(
        links=[wire, replace(wire, name="air", between=("B", "C"), loss=loss)],
        flows=[Flow(from_="A", to="C", transport="newreno")],
        agents=[Agent(at="B", snoop="none")],
        run=Run(duration="20s"),
        sweep={"agent.B.snoop": ["none", "wtcp", {"timeout": {}}]},
    )
    runs = skywave.run(scenario).runs
    none, *repaired = runs["local_retransmits"]
    assert none == 0
    assert all(n > 0 for n in repaired)


def test_two_agents_repair_what_is_lost_between_them() -> None:
    wire = Link(name="wire", between=("A", "B"), rate="1Mbps", delay="20ms")
    loss = {"forward": {"iid": 0.02}}
    scenario = Scenario(
        links=[wire, replace(wire, name="air", between=("B", "C"), loss=loss)],
        flows=[Flow(from_="A", to="C", transport="newreno", rwnd="20 segments")],
        agents=[Agent(at="B", d_proxy={"to": "C"})],
        run=Run(duration="20s"),
    )
    runs = skywave.run(scenario).runs
    assert runs["local_retransmits"][0] > 10
    assert runs["retransmits"][0] == 0


def test_a_sweep_takes_anything_that_has_values(lossy: Scenario) -> None:
    losses = (n / 100 for n in range(3))
    scenario = replace(lossy, sweep={"link.radio.loss.forward.iid": losses})
    assert [scenario.load().points for _ in range(2)] == [3, 3]
    delays = np.array(["10ms", "20ms"])
    assert replace(lossy, sweep={"link.radio.delay": delays}).load().points == 2
    with pytest.raises(skywave.ScenarioError, match="must be an array of values to try"):
        replace(lossy, sweep={"link.radio.delay": "10ms"}).load()


def test_traces_are_looked_for_in_the_base_folder(lossy: Scenario, tmp_path: Path) -> None:
    (tmp_path / "slow.down").write_text("10\n20\n")
    link = Link(name="radio", between=("A", "B"), trace=Path("slow.down"), delay="1ms")
    scenario = replace(lossy, links=[link], sweep={})
    assert replace(scenario, base=tmp_path).load().runs == 3
    with pytest.raises(skywave.ScenarioError, match=r"slow\.down"):
        replace(scenario, base=tmp_path / "elsewhere").load()


def test_variants_has_all_that_a_transport_can_be_named() -> None:
    variants = skywave.variants()
    whole = [v.name for v in variants if v.slot in ("preset", "transport")]
    assert {"reno", "cerl", "wtcp"} <= set(whole)
    scenario = Scenario(
        links=[Link(between=("A", "B"), rate="1Mbps", delay="1ms", jitter="none")],
        flows=[Flow(from_="A", to="B")],
        run=Run(duration="1s"),
        sweep={"flow.flow1.transport": whole},
    )
    assert skywave.load(scenario).points == len(whole)
