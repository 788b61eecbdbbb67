"""The paths on which a sender is worst."""

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, overload

from skywave import _custom, _skywave, _toml
from skywave._asked import Asked, Keep
from skywave._custom import Factory
from skywave._law import Law, written
from skywave._progress import Bar, is_watched
from skywave._results import Results
from skywave._run import run
from skywave._scenario import Scenario
from skywave._skywave import Experiment
from skywave._table import Column, Table

_RUNS, _ISLANDS, _FIND, _FLOW = _skywave.SEARCH

_OWN_S = 60.0
"""Length of a search with a class of one's own that says nothing else: each of its events takes the
interpreter."""


Progress: TypeAlias = Callable[[int, str], object]
"""Called now and then with the number of runs so far, and with what is known."""


@dataclass(frozen=True, kw_only=True)
class WorstPath:
    """A path on which a sender does badly, made small: few keys off their defaults, round numbers.

    >>> path = findings[0]  # doctest: +SKIP
    >>> path.value, path.keys  # doctest: +SKIP
    (0.031, {'link.path.loss.forward.0': {'iid': 0.05}})
    """

    name: str
    value: float
    """Mean over `seeds` of the objective, a share; by seeds that nothing was chosen by."""
    ci95: float | None
    """Half the width of its 95 % interval."""
    seeds: list[int]
    found: float
    """Value of the path that it was made of, by the seeds of the search."""
    below: float
    """Bound that the value stayed below while the path was made small."""
    keys: dict[str, Any]
    """What is off its default, by the paths of the space, as a scenario has it."""
    toml: str
    """The path as the text of a scenario: what was found in comments, the senders in a sweep."""
    text: str = field(repr=False)
    base: Path = field(repr=False)
    custom: Mapping[str, Factory] = field(repr=False)

    @cached_property
    def scenario(self) -> Scenario:
        """The path as a scenario: with the senders that were compared, and the seeds of `value`."""
        return Scenario.from_toml(self.toml, name=self.name, base=self.base, custom=self.custom)

    def run(self, **how: Any) -> Results:
        """Runs the path, by the arguments of `skywave.run`."""
        return run(self.scenario, **how)

    def __str__(self) -> str:
        return self.text


class WorstPaths(Sequence[WorstPath]):
    """Paths on which a sender is worst, the worst first; none for another one's reason alone.

    `fallen` has those whose value did not stay below its bound by the last seeds, `given_up` is the
    number of runs that a sender flooded.
    """

    def __init__(
        self, name: str, paths: list[WorstPath], fallen: list[WorstPath], given_up: int
    ) -> None:
        self.name = name
        self.fallen = fallen
        self.given_up = given_up
        self._paths = paths

    @overload
    def __getitem__(self, index: int) -> WorstPath: ...
    @overload
    def __getitem__(self, index: slice) -> list[WorstPath]: ...
    def __getitem__(self, index: int | slice) -> WorstPath | list[WorstPath]:
        return self._paths[index]

    def __len__(self) -> int:
        return len(self._paths)

    @cached_property
    def table(self) -> Table:
        """One row a path: `value`, `ci95`, `found`, `below`, the number of `seeds`, and a column
        for each key that is off its default on one of them."""
        paths = self._paths
        columns: dict[str, Column] = {
            name: ("number", [getattr(path, name) for path in paths])
            for name in ("value", "ci95", "found", "below")
        }
        columns["seeds"] = ("count", [len(path.seeds) for path in paths])
        for key in dict.fromkeys(key for path in paths for key in path.keys):
            values = [path.keys.get(key) for path in paths]
            if all(value is None or type(value) in (int, float) for value in values):
                columns[key] = ("number", values)
            else:
                columns[key] = ("text", [None if v is None else _shown(v) for v in values])
        return Table.of(columns)

    def __str__(self) -> str:
        lines = [f"{number}. {path}" for number, path in enumerate(self._paths, 1)]
        nothing = "Nothing was found that stands by other seeds: give more runs, or a longer time."
        return "\n".join(lines) or nothing

    def __repr__(self) -> str:
        return f"<skywave.WorstPaths of {self.name}: {len(self)} paths>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def _shown(value: object) -> str:
    return value if isinstance(value, str) else _toml.value(value)


def space(source: str | os.PathLike[str] | None = None) -> Scenario:
    """A space of paths as a scenario, whose `search` has the keys with their ranges; the built-in
    one unless a file is given.

    >>> import skywave
    >>> skywave.space().search["link.path.rate"]
    {'log': ['500kbps', '50Mbps']}
    """
    if source is None:
        return Scenario.from_toml(_skywave.SPACE, name="space")
    read = Experiment._load(Path(source), [])
    return Scenario.from_toml(read.text, name=read.name, base=read._base)


def worst(
    law: Law,
    *,
    against: Law | list[Law] | tuple[Law, ...] | None = None,
    objective: str | None = None,
    space: str | os.PathLike[str] | Scenario | None = None,
    flow: str = _FLOW,
    runs: int | None = None,
    time: str | float | None = None,
    seed: int = 1,
    below: float | None = None,
    islands: int = _ISLANDS,
    find: int = _FIND,
    out: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    threads: int | None = None,
    progress: bool | Progress | None = None,
) -> WorstPaths:
    """Searches for the paths on which a sender is worst, and makes them small, as the command of
    that name does: the same arguments find the same paths.

    Args:
        law: a preset ("vegas") or QUIC sender, a composition (a dict or `Transport`), or a class of
            your own: `CongestionControl`, or `LossDetector`, in Reno; `functools.partial` of one.
        against: a sender or several that it is compared with, on the same paths and seeds.
        objective: measure of how bad a path is: "channel", "against", "starved", "vain", "stall";
            "against" where there is one, else "channel".
        space: a scenario with a `search`, or its file; the built-in one unless given.
        flow: the flow whose sender it is.
        runs: simulations to search with, 20000 unless given; shrinking and judging come on top.
        time: search for as long as this instead ("10min", or seconds). With a class of your own a
            minute, unless this or `runs` is given: its runs are slower. By time a faster machine
            finds more; by `runs` all find the same.
        seed: of the search; the runs have those of the space.
        below: the value stays below this while a path is made small; a round number unless given.
        islands: searches beside each other.
        find: paths to find.
        out: folder of results, as `--out` of the command: `OUT/worst-LAW` then keeps every run but
            those of your classes, and has a scenario a path.
        fresh, threads: as for `run`.
        progress: a bar, as for `run`; or a function, called with the number of runs so far and with
            what is known ("worst so far 3.1 %").

    >>> import skywave
    >>> paths = skywave.worst("vegas", against="reno", runs=1600, islands=2)  # doctest: +SKIP
    >>> paths.table.to_pandas()  # doctest: +SKIP
    >>> print(paths[0].toml)  # doctest: +SKIP
    >>> paths[0].run(series="first").plot()  # doctest: +SKIP
    """
    if runs is not None and time is not None:
        raise ValueError("runs and time: a search is as long as one of them says, not both")
    others: list[Law] = []
    if against is not None:
        others = list(against) if isinstance(against, list | tuple) else [against]
    texts, custom = written([law, *others])
    if custom and runs is None and time is None:
        time = _OWN_S
    where = None if space is None else _place(space)
    given = {
        "against": texts[1:],
        "objective": objective,
        "space": None if where is None else where[0],
        "flow": None if flow == _FLOW else flow,
        "runs": (runs or _RUNS) if time is None else None,
        "time": time,
        "seed": seed,
        "islands": islands,
        "below": below,
        "find": find,
    }
    options = [f"{name}={value!r}" for name, value in given.items() if value not in (None, [])]
    asked = Asked(
        senders=texts,
        objective=objective,
        space=where,
        flow=flow,
        runs=_RUNS if runs is None else runs,
        seconds=None if time is None else _seconds(time),
        seed=seed,
        islands=islands,
        below=below,
        find=find,
        call=f"skywave.worst({', '.join([repr(texts[0]), *options])})",
    )
    wanted = None if time is not None else asked.runs
    with _told(progress, f"worst {texts[0]}", wanted) as tell:
        keep = Keep(out, fresh, threads)
        name, found, fallen, given_up = _skywave.worst(asked, _custom.members(custom), keep, tell)

    base = Path() if where is None else where[2]

    def paths(found: list[tuple[str, str, str]], first: int) -> list[WorstPath]:
        several = enumerate(found, first)
        return [_path(f"{name}-{number}", one, base, custom) for number, one in several]

    return WorstPaths(name, paths(found, 1), paths(fallen, len(found) + 1), given_up)


def _path(
    name: str, told: tuple[str, str, str], base: Path, custom: Mapping[str, Factory]
) -> WorstPath:
    """A finding: of its line of JSON, its scenario, and its words."""
    line, toml, text = told
    data = json.loads(line)
    # Values are as a file has them.
    keys = tomllib.loads("".join(f"{_toml.key(k)} = {v}\n" for k, v in data["keys"].items()))
    return WorstPath(
        name=name,
        value=data["value"]["mean"],
        ci95=data["value"]["ci95"],
        seeds=data["seeds"],
        found=data["found"],
        below=data["below"],
        keys=keys,
        toml=toml,
        text=text,
        base=base,
        custom=custom,
    )


def _place(space: str | os.PathLike[str] | Scenario) -> tuple[str, str, Path]:
    """Name, text and folder of a space."""
    if isinstance(space, Scenario):
        return space.name, space.to_toml(), Path(space.base)
    read = Experiment._load(Path(space), [])
    return os.fspath(space), read.text, read._base


def _seconds(time: str | float) -> float:
    if not isinstance(time, str):
        return float(time)
    found = _skywave.quantity(time)
    if found is None or found[1] != "s":
        raise ValueError(f"time: expected a time such as '10min', or seconds, not {time!r}")
    return found[0]


@contextmanager
def _told(
    progress: bool | Progress | None, what: str, runs: int | None
) -> Iterator[Progress | None]:
    """What is told of a search: nothing, a function of the user's, or a bar."""
    if callable(progress):
        yield progress
    elif is_watched() if progress is None else progress:
        with Bar(what) as bar:
            yield lambda done, news: bar.search(done, runs, news)
    else:
        yield None
