"""A space of paths searched by Optuna: examples/python/optuna_paths.py."""

import random
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import skywave

EXAMPLE: dict[str, Any] = runpy.run_path(
    str(Path(__file__).parents[3] / "examples/python/optuna_paths.py")
)


class Drawn:
    """What the example needs of a trial, drawn evenly; `at` is where in each range."""

    def __init__(self, seed: int, at: float | None = None) -> None:
        self.random = random.Random(seed)
        self.at = at

    def suggest_categorical(self, name: str, choices: list[str]) -> str:
        return self.random.choice(choices)

    def suggest_float(self, name: str, low: float, high: float, *, log: bool) -> float:
        assert low < high
        at = self.random.random() if self.at is None else self.at
        return float(low * (high / low) ** at if log else low + at * (high - low))

    def suggest_int(self, name: str, low: int, high: int, *, log: bool) -> int:
        return round(self.suggest_float(name, low, high, log=log))


def test_all_that_is_drawn_from_the_built_in_space_is_a_scenario() -> None:
    space = skywave.space()
    drawn: set[str] = set()
    for seed in range(60):
        sweep = EXAMPLE["path"](Drawn(seed, at=[None, 0.0, 1.0][seed % 3]), space)
        for key, values in sweep.items():
            assert replace(space, search={}, sweep={key: values}).load().points == 1
            drawn.add(key)
    assert drawn == set(space.search)


def test_optuna_finds_paths_on_which_a_law_has_little() -> None:
    pytest.importorskip("optuna")
    space = skywave.space()
    short = replace(space, run=replace(space.run, duration="6s", measure=("1s", "6s")))
    study = EXAMPLE["search"]("vegas", "reno", trials=20, space=short)
    again = EXAMPLE["search"]("vegas", "reno", trials=20, space=short)
    assert study.best_value < 0.8
    assert study.best_trial.user_attrs == again.best_trial.user_attrs
