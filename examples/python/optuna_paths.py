"""The path on which a sender is worst, searched for by Optuna: any sampler of Optuna's over the
`search` of a space of paths, which `skywave.worst` searches by evolution.

    pip install optuna
    python examples/python/optuna_paths.py vegas --against reno --trials 300
"""

import argparse
from dataclasses import replace
from statistics import fmean
from typing import Any

import skywave

DEFAULT = "default"
WHOLE = {"packets", "segments", "B"}


def number(trial: Any, name: str, low: Any, high: Any, log: bool) -> Any:
    """A number between bounds as a space writes them: 0.1, 4, "500kbps"; of three digits."""
    if isinstance(low, int) and isinstance(high, int):
        return trial.suggest_int(name, low, high, log=log)
    if not isinstance(low, str):
        return float(f"{trial.suggest_float(name, low, high, log=log):.3g}")
    (least, unit), (most, _) = skywave.quantity(low), skywave.quantity(high)
    drawn = float(f"{trial.suggest_float(name, least, most, log=log):.3g}")
    return f"{round(drawn)} {unit}" if unit in WHOLE else f"{drawn} {unit}"


def value(trial: Any, name: str, item: Any) -> Any:
    """A choice of a key, with numbers in the place of its ranges."""
    match item:
        case {"log": [low, high]}:
            return number(trial, name, low, high, log=True)
        case {"linear": [low, high]}:
            return number(trial, name, low, high, log=False)
        case dict():
            return {key: value(trial, f"{name}.{key}", inner) for key, inner in item.items()}
        case list():
            return [value(trial, f"{name}.{at}", inner) for at, inner in enumerate(item)]
    return item


def path(trial: Any, space: skywave.Scenario) -> dict[str, list[Any]]:
    """A path of the space as a sweep of one point: each key at its default, or at a choice."""
    sweep = {}
    for key, choices in space.search.items():
        several = choices if isinstance(choices, list) else [choices]
        chosen = trial.suggest_categorical(key, [DEFAULT, *map(str, range(len(several)))])
        if chosen != DEFAULT:
            sweep[key] = [value(trial, f"{key} {chosen}", several[int(chosen)])]
    return sweep


def share(space: skywave.Scenario, sweep: dict[str, list[Any]], law: Any, other: Any) -> float:
    """Goodput of a law, of what another one has in its place; the mean over the seeds."""
    senders = {"flow.test.transport": [law, other]}
    runs = skywave.run(replace(space, search={}, sweep={**sweep, **senders}), progress=False).runs
    goodputs = [row["goodput_bps"] for row in runs if row["flow"] == "test"]
    own, theirs = goodputs[: len(goodputs) // 2], goodputs[len(goodputs) // 2 :]
    # Where the other one has nothing either, the path says nothing.
    return fmean(a / b if b else 1.0 for a, b in zip(own, theirs, strict=True))


def search(
    law: Any, other: Any, *, trials: int, seed: int = 1, space: skywave.Scenario | None = None
) -> Any:
    """A study of Optuna's; its `best_value` is the smallest share."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    where = skywave.space() if space is None else space

    def objective(trial: Any) -> float:
        sweep = path(trial, where)
        trial.set_user_attr("sweep", sweep)
        try:
            return share(where, sweep, law, other)
        except skywave.ScenarioError as contradiction:
            raise optuna.TrialPruned(str(contradiction)) from None

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=trials)
    return study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("law")
    parser.add_argument("--against", default="linux")
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    best = search(args.law, args.against, trials=args.trials, seed=args.seed).best_trial
    print(f"{args.law}: {best.value:.1%} of what {args.against} has (trial {best.number})")
    for key, [chosen] in best.user_attrs["sweep"].items():
        print(f"  {key}  {chosen}")


if __name__ == "__main__":
    main()
