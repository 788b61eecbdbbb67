"""Draw paths from the space of space.toml, and write each as a scenario, with a study of all of them.

    python3 draw.py --seed 7 --paths 200 --into /tmp/seven
    skywave rank /tmp/seven/study.toml

Without options it writes the paths of this folder anew; --check compares them instead. The same seed gives the same files
on any machine, and its first paths are the same however many are drawn. Needs Python 3.11 and nothing else.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKET = 1500
BITS = 8 * PACKET

# The rows of the space besides the link layer, in the order in which they are drawn.
ROWS = ["queue", "loss", "jitter", "steps", "back", "others"]

Row = dict[str, Any]
Unit = Callable[[], float]


def value(spec: Any, unit: Unit) -> Any:
    """What a range of space.toml gives; anything else is itself. Numbers have three digits, as the files have them."""
    match spec:
        case {"log": [low, high]}:
            return digits(low * (high / low) ** unit())
        case {"flat": [low, high]}:
            return digits(low + (high - low) * unit())
        case {"whole": [low, high]}:
            return low + int(unit() * (high - low + 1))
        case {"of": items}:
            return items[int(unit() * len(items))]
        case _:
            return spec


def digits(number: float) -> float:
    return float(f"{number:.3g}")


def choose(choices: list[Row], link: str, rate: float, unit: Unit) -> Row:
    """One of a row's choices by weight, with its ranges drawn."""
    fitting = [
        choice
        for choice in choices
        if link not in choice.get("not_with", []) and rate >= choice.get("from_rate", 0)
    ]
    place = unit() * sum(choice["weight"] for choice in fitting)
    for choice in fitting:
        place -= choice["weight"]
        if place < 0:
            break
    drawn: Row = {}
    for key, spec in choice.items():
        times = drawn["levels"] if key in ("delays", "shares") else None
        drawn[key] = value(spec, unit) if times is None else [value(spec, unit) for _ in range(times)]
    return drawn


@dataclass
class Drawn:
    """A path: its rows as drawn, by their names in space.toml."""

    name: str
    seed: int
    rate: float
    rtt: float
    rows: dict[str, Row]

    def row(self, name: str) -> Row:
        return self.rows.get(name, {"is": "none"})

    def has(self, name: str) -> str:
        return str(self.row(name)["is"])

    @property
    def bdp(self) -> float:
        """Bytes of a product of rate and round trip."""
        return self.rate * self.rtt / 8


def draw(space: Row, seed: int, name: str, recording: str | None = None) -> Drawn:
    """The path of this name; over a recording, if one is given."""
    unit = random.Random(f"{seed} {name}").random
    recordings = space["recordings"]
    of = space if recording is None else recordings
    rate, rtt = value(space["rate"], unit), value(of["rtt"], unit)
    run_seed = 1 + int(unit() * 1e6)
    link = {"is": "trace", "file": recording} if recording else choose(of["link"], "", rate, unit)
    if link["is"] == "trace":
        rate = recordings["rates"][link["file"]]
    rows = {row: choose(of[row], link["is"], rate, unit) for row in ROWS if row in of}
    return Drawn(name, run_seed, rate, rtt, {"link": link, **rows})


# What is unusual about a path: the first of these that it has.
FAMILIES: list[tuple[str, Callable[[Drawn], bool]]] = [
    ("recorded", lambda path: path.has("link") == "trace"),
    ("beside BBR", lambda path: path.row("others").get("transport") == "bbr"),
    ("beside CUBIC", lambda path: path.row("others").get("transport") == "linux"),
    ("beside Reno", lambda path: path.row("others").get("transport") == "reno"),
    ("beside short flows", lambda path: path.has("others") == "short"),
    ("beside a call", lambda path: path.has("others") == "call"),
    ("upload", lambda path: path.has("back") == "upload"),
    ("thin way back", lambda path: path.has("back") == "thin"),
    ("ACK loss", lambda path: path.has("back") == "lossy"),
    ("policer", lambda path: path.has("link") == "policer"),
    ("shaper", lambda path: path.has("link") == "shaper"),
    ("blackouts", lambda path: path.has("link") == "blackouts"),
    ("contention", lambda path: path.has("link") == "contention"),
    ("ARQ", lambda path: path.has("link") == "arq"),
    ("steps of delay", lambda path: path.has("steps") == "delay"),
    ("steps of rate", lambda path: path.has("steps") == "rate"),
    ("steps of both", lambda path: path.has("steps") == "both"),
    ("jitter", lambda path: path.has("jitter") != "none"),
    ("bursts", lambda path: path.has("loss") == "bursts"),
    ("AQM", lambda path: path.has("queue") != "droptail"),
    ("lossy", lambda path: path.has("loss") == "iid"),
    ("clean", lambda path: True),
]


def family(path: Drawn) -> str:
    return next(name for name, has in FAMILIES if has(path))


def ms(seconds: float) -> str:
    return f'"{seconds * 1e3:.6g}ms"'


def bps(rate: float) -> str:
    return f'"{rate / 1e6:.6g}Mbps"' if rate >= 1e6 else f'"{rate / 1e3:.6g}kbps"'


def kilobytes(number: float) -> str:
    return f'"{digits(number / 1e3):g}kB"'


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def quoted(text: str) -> str:
    return f'"{text}"'


def listed(items: list[str]) -> str:
    return f"[{', '.join(items)}]"


def buffer(path: Drawn) -> int:
    """Packets of the buffer of tail drop."""
    row = path.row("queue")
    return max(row["least_packets"], round(row["bdp"] * path.bdp / PACKET))


def rates(path: Drawn) -> tuple[float, float]:
    """Rate and burst of a policer or shaper."""
    row = path.row("link")
    return digits(row["share"] * path.rate), max(row["least_bytes"], row["bdp"] * path.bdp)


def link_lines(space: Row, path: Drawn, into: Path) -> list[str]:
    """The keys of [[link]]."""
    lines = ['name = "path"', 'between = ["server", "client"]']
    reverse: list[str] = []
    match path.row("link"):
        case {"is": "trace", "file": file}:
            other = file.replace(".down", ".up") if file.endswith(".down") else file.replace(".up", ".down")
            there, back = (trace_keys(space, name, into) for name in (file, other))
            lines += there
            reverse += back
        case _:
            lines.append(f"rate = {bps(path.rate)}")
    lines.append(f"delay = {ms(path.rtt / 2)}")
    match path.row("queue"):
        case {"is": "droptail"}:
            lines.append(f'queue = {{ droptail = "{buffer(path)} packets" }}')
        case {"is": name}:
            lines.append(f'queue = "{name}"')
    match path.row("jitter"):
        case {"is": "uniform", "rtts": rtts}:
            lines.append(f'jitter = {{ uniform = ["0ms", {ms(rtts * path.rtt)}] }}')
        case {"is": "exponential", "rtts": rtts}:
            lines.append(f"jitter = {{ exponential = {ms(rtts * path.rtt)} }}")
    match path.row("steps"):
        case {"is": "delay" | "rate" | "both", **row}:
            keys = [f"every = {ms(row['every'])}"]
            if "delays" in row:
                # Half of it each way; the first step has the path's own.
                delays = ['"0ms"', *(ms(rtts * path.rtt / 2) for rtts in row["delays"][1:])]
                keys.append(f"delay = {listed(delays)}")
            if "shares" in row:
                keys.append(f"share = {listed([f'{share:g}' for share in row['shares']])}")
            lines.append(f"steps = {{ {', '.join(keys)} }}")
    loss = []
    match path.row("loss"):
        case {"is": "iid", "share": share}:
            loss.append(f"forward = {{ iid = {share:g} }}")
        case {"is": "bursts", "share": share, "packets": packets}:
            to_bad, to_good = share / (1 - share) / packets, 1 / packets
            model = f"{{ to_bad = {to_bad:.4g}, to_good = {to_good:.4g} }}"
            loss.append(f"forward = {{ gilbert-elliott = {model} }}")
    match path.row("back"):
        case {"is": "lossy", "share": share}:
            loss.append(f"reverse = {{ iid = {share:g} }}")
        case {"is": "thin", "times": times, "packets": packets}:
            reverse = [f"rate = {bps(digits(path.rate / times))}", f'queue = {{ droptail = "{packets} packets" }}']
        case {"is": "upload", "times": times, "packets": packets, "least_rate": least}:
            rate = max(digits(path.rate / times), least)
            reverse = [f"rate = {bps(rate)}", f'queue = {{ droptail = "{packets} packets" }}']
    if loss:
        lines.append(f"loss = {{ {', '.join(loss)} }}")
    match path.row("link"):
        case {"is": "arq", "rtts": rtts, "in_order": in_order}:
            lines.append(f"arq = {{ round_trip = {ms(rtts * path.rtt)}, in_order = {str(in_order).lower()} }}")
        case {"is": "contention", "failure": failure, "hold_packets": packets}:
            hold = ms(packets * BITS / path.rate)
            keys = f'slot = "9us", window = 16, max_window = 1024, failure = {failure:g}, hold = {hold}'
            lines.append(f"contention = {{ {keys}, capture = false }}")
        case {"is": "policer" | "shaper" as name}:
            rate, burst = rates(path)
            lines.append(f"{name} = {{ rate = {bps(rate)}, burst = {kilobytes(burst)} }}")
        case {"is": "blackouts", "lasts": lasts, "every": every}:
            lines.append(f"blackouts = {{ duration = {ms(lasts)}, every = {ms(every)} }}")
    if reverse:
        lines.append(f"reverse = {{ {', '.join(reverse)} }}")
    return lines


def trace_keys(space: Row, file: str, into: Path) -> list[str]:
    """Where a recording is, and what stands in for it, relative to the scenario."""
    recordings = space["recordings"]
    places = (HERE / recordings["folder"] / file, HERE / recordings["else"])
    there, stand_in = (os.path.relpath(place, into).replace(os.sep, "/") for place in places)
    return [f'trace = "{there}"', f'trace_else = "{stand_in}"']


def flow_lines(name: str, ends: tuple[str, str], transport: str, keys: list[str]) -> list[str]:
    head = [f'name = "{name}"', f'from = "{ends[0]}"', f'to = "{ends[1]}"', f'transport = "{transport}"']
    return ["", "[[flow]]", *head, *keys]


def flows(space: Row, path: Drawn) -> list[str]:
    """The sections [[flow]]."""
    # Never what limits a sender.
    rwnd = f'rwnd = {kilobytes(max(4e6, 12 * path.bdp))}'
    tcp = [f"profile = {quoted(space['profile'])}", rwnd]
    there, back = ("server", "client"), ("client", "server")
    start = 'start = { uniform = ["0s", "2s"] }'
    lines = flow_lines("test", there, space["senders"][0], [*tcp, *([start] if is_beside(path) else [])])
    if path.has("back") == "upload":
        lines += flow_lines("upload", back, "linux", tcp)
    match path.row("others"):
        case {"is": "bulk", "transport": transport, "count": count}:
            lines += flow_lines("other", there, transport, [f"count = {count}", *tcp, start])
        case {"is": "short", "load": load, "bytes": mean, "count": count}:
            think = mean * 8 * count / (load * path.rate)
            size = f"{{ pareto = {{ mean = {kilobytes(mean)}, shape = 1.5 }} }}"
            pause = f'{{ exponential = {ms(digits(think))} }}, pause_from = "start"'
            traffic = f"traffic = {{ requests = {{ size = {size}, think = {pause} }} }}"
            lines += flow_lines("other", there, "linux", [f"count = {count}", *tcp, start, traffic])
        case {"is": "call", "rate": rate, "share": share, "every": every}:
            rate = min(rate, share * path.rate)
            cbr = f'packet = "{round(rate * every / 8)}B", rate = {bps(digits(rate))}'
            lines += flow_lines("other", there, "udp", [start, f"traffic = {{ cbr = {{ {cbr} }} }}"])
    return lines


def is_beside(path: Drawn) -> bool:
    """There are others on the way there."""
    return path.has("others") != "none"


def seconds(space: Row, path: Drawn) -> tuple[int, int]:
    """When measuring begins and ends, by the rule of space.toml."""
    rule = space["measure"]
    period = max(path.row("steps").get("every", 0), path.row("link").get("every", 0))
    length = min(rule["packets"] * BITS / path.rate, rule["most"])
    length = max(length, rule["least"], rule["round_trips"] * path.rtt, rule["periods"] * period)
    first = ceil(max(rule["after"], rule["after_rtts"] * path.rtt)) if is_beside(path) else 0
    return first, first + ceil(length)


def about(path: Drawn) -> str:
    """What the path is, in one line."""
    number, unit = (path.rate / 1e6, "Mb/s") if path.rate >= 1e6 else (path.rate / 1e3, "kb/s")
    recorded = path.has("link") == "trace"
    words = [path.row("link")["file"] if recorded else f"{number:g} {unit}", f"{path.rtt * 1e3:g} ms"]
    if path.has("queue") == "droptail":
        packets = buffer(path)
        words.append(f"{packets} packets ({packets * PACKET / path.bdp:.2g} BDP)")
    else:
        words.append(path.has("queue"))
    match path.row("loss"):
        case {"is": "iid", "share": share}:
            words.append(f"{percent(share)} lost")
        case {"is": "bursts", "share": share, "packets": packets}:
            words.append(f"{percent(share)} lost in bursts of {packets:g}")
    match path.row("jitter"):
        case {"is": "uniform", "rtts": rtts}:
            words.append(f"jitter up to {percent(rtts)}")
        case {"is": "exponential", "rtts": rtts}:
            words.append(f"exponential jitter of {percent(rtts)}")
    match path.row("steps"):
        case {"is": "delay" | "rate" | "both" as name, "every": every}:
            what = {"delay": "delay", "rate": "rate", "both": "rate and delay"}[name]
            words.append(f"steps of {what} every {every:g} s")
    match path.row("link"):
        case {"is": "arq", "in_order": in_order}:
            words.append("ARQ in order" if in_order else "ARQ")
        case {"is": "contention"}:
            words.append("802.11 contention")
        case {"is": "policer" | "shaper" as name, "share": share}:
            words.append(f"{name} at {percent(share)}")
        case {"is": "blackouts", "lasts": lasts, "every": every}:
            words.append(f"blackouts of {lasts:g} s every {every:g} s")
    match path.row("back"):
        case {"is": "thin", "times": times}:
            words.append(f"way back 1/{times:g}")
        case {"is": "lossy", "share": share}:
            words.append(f"{percent(share)} of ACKs lost")
        case {"is": "upload"}:
            words.append("beside an upload")
    match path.row("others"):
        case {"is": "bulk", "transport": transport, "count": count}:
            words.append(f"beside {count} of {transport}")
        case {"is": "short", "load": load}:
            words.append(f"beside short flows, {percent(load)} of the rate")
        case {"is": "call"}:
            words.append("beside a call")
    return ", ".join(words)


def scenario(space: Row, path: Drawn, into: Path) -> str:
    """The text of a path's file, which lies in the folder `into`."""
    first, last = seconds(space, path)
    run = [f'duration = "{last}s"', *([f'measure = ["{first}s", "{last}s"]'] if first else [])]
    lines = [
        f'title = "Path {path.name}: {family(path)}"',
        f'description = "{about(path)}"',
        "",
        "[[link]]",
        *link_lines(space, path, into),
        *flows(space, path),
        "",
        "[run]",
        *run,
        f"seeds = [{path.seed}]",
    ]
    return "\n".join(lines) + "\n"


def study(space: Row, seed: int, paths: list[Drawn]) -> str:
    """The text of the study."""
    drawn = sum(path.row("link").get("weight") is not None for path in paths)
    lines = [
        f'title = "{drawn} paths drawn from the space, and {len(paths) - drawn} recorded links"',
        f'description = "Drawn by draw.py with seed {seed}; docs/robustness.md explains the tables."',
        "",
        f"presets = {listed([quoted(sender) for sender in space['senders']])}",
        f"reference = {quoted(space['reference'])}",
        "",
        "path = [",
    ]
    for path in paths:
        keys = {
            "name": path.name,
            "family": family(path),
            "scenario": f"paths/{path.name}.toml",
            "about": about(path),
        }
        pairs = ", ".join(f"{key} = {quoted(text)}" for key, text in keys.items())
        lines.append(f"    {{ {pairs} }},")
    return "\n".join([*lines, "]"]) + "\n"


def files(space: Row, seed: int, number: int, into: Path) -> dict[Path, str]:
    """The texts of all files, by their places."""
    paths = [draw(space, seed, f"{index:03}") for index in range(number)]
    recordings = space["recordings"]["rates"]
    paths += [draw(space, seed, f"r{index}", file) for index, file in enumerate(recordings)]
    folder = into / "paths"
    texts = {folder / f"{path.name}.toml": scenario(space, path, folder) for path in paths}
    return {into / "study.toml": study(space, seed, paths), **texts}


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw paths, and write a scenario for each and a study of all of them.")
    parser.add_argument("--seed", type=int, help="what is drawn hangs on this; that of the space unless given")
    parser.add_argument("--paths", type=int, help="how many, besides the recorded links; that of the space unless given")
    parser.add_argument("--into", type=Path, default=HERE, metavar="FOLDER", help="where they go; here unless given")
    parser.add_argument("--space", type=Path, default=HERE / "space.toml", metavar="FILE", help="the space")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the files there differ")
    args = parser.parse_args()
    space = tomllib.loads(args.space.read_text(encoding="utf-8"))
    seed = space["seed"] if args.seed is None else args.seed
    number = space["paths"] if args.paths is None else args.paths
    into = args.into.resolve()
    texts = files(space, seed, number, into)
    if args.check:
        strangers = sorted(set((into / "paths").glob("*.toml")) - texts.keys())
        wrong = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
        for path in [*wrong, *strangers]:
            print(f"{path} is not what draw.py makes with seed {seed}", file=sys.stderr)
        sys.exit(bool(wrong or strangers))
    (into / "paths").mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(texts) - 1} paths: {into / 'study.toml'}")


if __name__ == "__main__":
    main()
