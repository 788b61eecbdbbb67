"""Laws judged by cases: the cards of the command, also for laws written in Python."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import skywave
from own_laws import Broken, PyReno
from skywave import Transport


def test_a_card_is_the_commands(root: Path, tmp_path: Path) -> None:
    cases = root / "examples" / "own-cases"
    command = [sys.executable, "-m", "skywave", "judge", "bbr", "--set", str(cases), "--json"]
    command += ["--out", str(tmp_path / "theirs")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    card = skywave.judge("bbr", set=cases, out=tmp_path / "ours")
    assert card.cases == [json.loads(line) for line in printed.splitlines()]
    for name in ("card.html", "card.json"):
        theirs = (tmp_path / "theirs/judge/bbr" / name).read_bytes()
        assert (tmp_path / "ours/judge/bbr" / name).read_bytes() == theirs
    names = [f"{case['set']}/{case['case']}" for case in card.cases]
    assert {*card.passed, *card.failed, *card.unsure} <= set(names)
    assert card.failed
    wrong = [case["wrong"]["moment_s"] for case in card.cases if case["wrong"]]
    assert {moment for moment in card.table["wrong_from"] if moment is not None} == {
        moment for moment in wrong if moment is not None
    }
    assert str(card).startswith("bbr: ")


def test_a_law_in_python_has_the_card_of_the_built_in_one(root: Path) -> None:
    cases = root / "examples" / "own-cases"
    said: list[tuple[int, int, int]] = []
    built_in = skywave.judge("reno", set=[cases])
    own = skywave.judge(PyReno, set=[cases], progress=lambda *news: said.append(news))
    assert own.law != built_in.law
    assert [{**case, "law": ""} for case in own.cases] == [
        {**case, "law": ""} for case in built_in.cases
    ]
    done, _, total = said[-1]
    assert done == total > 0


def test_mistakes_and_exceptions_are_raised(root: Path) -> None:
    cases = root / "examples" / "own-cases"
    with pytest.raises(ZeroDivisionError, match="at the first loss"):
        skywave.judge(Transport("sack", congestion=Broken), set=cases)
    with pytest.raises(skywave.ScenarioError, match="brr"):
        skywave.judge("brr", set=cases)
    with pytest.raises(ValueError, match="classic2"):
        skywave.judge("reno", set="classic2")
    with pytest.raises(ValueError, match="no set of cases"):
        skywave.judge("reno", set=root / "docs")
