"""The files of drawn paths: a scenario for each, and the study of all of them."""

from __future__ import annotations

import os
import re
from math import ceil
from pathlib import Path
from typing import Any

from paths import PACKET, Drawn, Row, digits, family

HERE = Path(__file__).resolve().parent
SERVER, CLIENT = "server", "client"


def toml(item: Any) -> str:
    """A value as TOML has it on one line."""
    match item:
        case list():
            return f"[{', '.join(toml(part) for part in item)}]"
        case dict():
            return f"{{ {', '.join(pair(key, part) for key, part in item.items())} }}"
        case str():
            return f'"{item}"'
        case bool():
            return str(item).lower()
        case float():
            return f"{item:.6g}"
        case _:
            return str(item)


def pair(key: str, item: Any) -> str:
    return f"{key if re.fullmatch('[A-Za-z0-9_-]+', key) else toml(key)} = {toml(item)}"


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.6g}ms"


def bps(rate: float) -> str:
    return f"{rate / 1e6:.6g}Mbps" if rate >= 1e6 else f"{rate / 1e3:.6g}kbps"


def kilobytes(number: float) -> str:
    return f"{digits(number / 1e3):g}kB"


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def queue(packets: int) -> Row:
    return {"droptail": f"{packets} packets"}


def trace(space: Row, file: str, into: Path) -> Row:
    """Where a recording is, and what stands in for it, relative to the scenario."""
    recordings = space["recordings"]
    places = (HERE / recordings["folder"] / file, HERE / recordings["else"])
    there, stand_in = (os.path.relpath(place, into).replace(os.sep, "/") for place in places)
    return {"trace": there, "trace_else": stand_in}


def other_way(file: str) -> str:
    """The recording of the other direction."""
    name, direction = file.rsplit(".", 1)
    return f"{name}.{'up' if direction == 'down' else 'down'}"


def losses(path: Drawn) -> Row:
    loss: Row = {}
    match path.row("loss"):
        case {"is": "iid", "share": share}:
            loss["forward"] = {"iid": share}
        case {"is": "bursts", "share": share, "packets": packets}:
            to_bad, to_good = share / (1 - share) / packets, 1 / packets
            model = {"to_bad": digits(to_bad), "to_good": digits(to_good)}
            loss["forward"] = {"gilbert-elliott": model}
    match path.row("back"):
        case {"is": "lossy", "share": share}:
            loss["reverse"] = {"iid": share}
    return loss


def way_back(space: Row, path: Drawn, into: Path) -> Row:
    match path.row("back"):
        case {"is": "thin", "times": times, "packets": packets}:
            return {"rate": bps(digits(path.rate / times)), "queue": queue(packets)}
        case {"is": "upload", "times": times, "packets": packets, "least_rate": least}:
            rate = max(digits(path.rate / times), least)
            return {"rate": bps(rate), "queue": queue(packets)}
    match path.row("link"):
        case {"is": "trace", "file": file}:
            return trace(space, other_way(file), into)
    return {}


def link_layer(path: Drawn) -> Row:
    match path.row("link"):
        case {"is": "arq", "rtts": rtts, "in_order": in_order}:
            return {"arq": {"round_trip": ms(rtts * path.rtt), "in_order": in_order}}
        case {"is": "contention", "failure": failure, "hold_packets": packets}:
            backoff = {"slot": "9us", "window": 16, "max_window": 1024, "failure": failure}
            hold = ms(packets * 8 * PACKET / path.rate)
            return {"contention": {**backoff, "hold": hold, "capture": False}}
        case {"is": "policer" | "shaper" as name, "share": share, "bdp": bdp, "least_bytes": least}:
            burst = kilobytes(max(least, bdp * path.bdp))
            return {name: {"rate": bps(digits(share * path.rate)), "burst": burst}}
        case {"is": "blackouts", "lasts": lasts, "every": every}:
            return {"blackouts": {"duration": ms(lasts), "every": ms(every)}}
    return {}


def link(space: Row, path: Drawn, into: Path) -> Row:
    """The keys of [[link]]."""
    keys: Row = {"name": "path", "between": [SERVER, CLIENT]}
    match path.row("link"):
        case {"is": "trace", "file": file}:
            keys |= trace(space, file, into)
        case _:
            keys["rate"] = bps(path.rate)
    keys["delay"] = ms(path.rtt / 2)
    tail_drop = path.has("queue") == "droptail"
    keys["queue"] = queue(path.buffer) if tail_drop else path.has("queue")
    match path.row("jitter"):
        case {"is": "uniform", "rtts": rtts}:
            keys["jitter"] = {"uniform": ["0ms", ms(rtts * path.rtt)]}
        case {"is": "exponential", "rtts": rtts}:
            keys["jitter"] = {"exponential": ms(rtts * path.rtt)}
    match path.row("steps"):
        case {"every": every, **row}:
            steps: Row = {"every": ms(every)}
            if "delays" in row:
                # Half of it each way; the first step has the path's own.
                longer = [ms(rtts * path.rtt / 2) for rtts in row["delays"][1:]]
                steps["delay"] = ["0ms", *longer]
            if "shares" in row:
                steps["share"] = row["shares"]
            keys["steps"] = steps
    keys |= link_layer(path)
    parts = {"loss": losses(path), "reverse": way_back(space, path, into)}
    return keys | {key: part for key, part in parts.items() if part}


def flows(space: Row, path: Drawn) -> list[Row]:
    """The sections [[flow]], each with its keys."""
    # The window never limits a sender.
    tcp = {"profile": space["profile"], "rwnd": kilobytes(max(4e6, 12 * path.bdp))}
    there, back = {"from": SERVER, "to": CLIENT}, {"from": CLIENT, "to": SERVER}
    start = {"start": {"uniform": ["0s", "2s"]}} if path.is_shared else {}
    other = {"name": "other", **there}
    all_flows = [{"name": "test", **there, "transport": space["senders"][0], **tcp, **start}]
    if path.has("back") == "upload":
        all_flows.append({"name": "upload", **back, "transport": "linux", **tcp})
    match path.row("others"):
        case {"is": "bulk", "transport": transport, "count": count}:
            all_flows.append({**other, "count": count, "transport": transport, **tcp, **start})
        case {"is": "short", "load": load, "bytes": mean, "count": count}:
            think = ms(digits(mean * 8 * count / (load * path.rate)))
            size = {"pareto": {"mean": kilobytes(mean), "shape": 1.5}}
            requests = {"size": size, "think": {"exponential": think}, "pause_from": "start"}
            keys = {"count": count, "transport": "linux", **tcp, **start}
            all_flows.append({**other, **keys, "traffic": {"requests": requests}})
        case {"is": "call", "rate": most, "share": share, "every": every}:
            rate = min(most, share * path.rate)
            cbr = {"packet": f"{round(rate * every / 8)}B", "rate": bps(digits(rate))}
            all_flows.append({**other, "transport": "udp", **start, "traffic": {"cbr": cbr}})
    return all_flows


def run(space: Row, path: Drawn) -> Row:
    """The section [run], by the rule of space.toml."""
    rule = space["measure"]
    period = max(path.row("steps").get("every", 0), path.row("link").get("every", 0))
    length = min(rule["packets"] * 8 * PACKET / path.rate, rule["most"])
    length = max(length, rule["least"], rule["round_trips"] * path.rtt, rule["periods"] * period)
    first = ceil(max(rule["after"], rule["after_rtts"] * path.rtt)) if path.is_shared else 0
    last = first + ceil(length)
    measure = {"measure": [f"{first}s", f"{last}s"]} if first else {}
    return {"duration": f"{last}s", **measure, "seeds": [path.seed]}


def about(path: Drawn) -> str:
    """What the path is, in one line."""
    rate = bps(path.rate).replace("Mbps", " Mb/s").replace("kbps", " kb/s")
    words = [path.row("link").get("file", rate), f"{path.rtt * 1e3:g} ms"]
    if path.has("queue") == "droptail":
        packets = path.buffer
        words.append(f"{packets} packets ({packets * PACKET / path.bdp:.2g} BDP)")
    else:
        words.append(path.has("queue"))
    match path.row("loss"):
        case {"is": "iid", "share": share}:
            words.append(f"{percent(share)} lost")
        case {"is": "bursts", "share": share, "packets": burst}:
            words.append(f"{percent(share)} lost in bursts of {burst:g}")
    match path.row("jitter"):
        case {"is": "uniform", "rtts": rtts}:
            words.append(f"jitter up to {percent(rtts)}")
        case {"is": "exponential", "rtts": rtts}:
            words.append(f"exponential jitter of {percent(rtts)}")
    match path.row("steps"):
        case {"is": name, "every": every}:
            what = "rate and delay" if name == "both" else name
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


def section(title: str, keys: Row) -> list[str]:
    return ["", title, *(pair(key, item) for key, item in keys.items())]


def scenario(space: Row, path: Drawn, into: Path) -> str:
    """The text of a path's file, which lies in the folder `into`."""
    head = {"title": f"Path {path.name}: {family(path)}", "description": about(path)}
    lines = [pair(key, item) for key, item in head.items()]
    lines += section("[[link]]", link(space, path, into))
    for flow in flows(space, path):
        lines += section("[[flow]]", flow)
    lines += section("[run]", run(space, path))
    return "\n".join(lines) + "\n"


def study(space: Row, seed: int, drawn: list[Drawn], recorded: list[Drawn]) -> str:
    """The text of the study, with a path a line."""
    head = {
        "title": f"{len(drawn)} paths drawn from the space, and {len(recorded)} recorded links",
        "description": f"Drawn by draw.py, seed {seed}. docs/robustness.md explains the tables.",
        "presets": space["senders"],
        "mechanism": space["mechanism"],
        "reference": space["reference"],
    }
    lines = [pair(key, item) for key, item in head.items() if item]
    lines += ["", "path = ["]
    for path in [*drawn, *recorded]:
        keys = {
            "name": path.name,
            "family": family(path),
            "scenario": f"paths/{path.name}.toml",
            "about": about(path),
        }
        lines.append(f"    {toml(keys)},")
    return "\n".join([*lines, "]"]) + "\n"


def files(
    space: Row, seed: int, drawn: list[Drawn], recorded: list[Drawn], into: Path
) -> dict[Path, str]:
    """The texts of all files, by their places."""
    folder = into / "paths"
    paths = [*drawn, *recorded]
    texts = {folder / f"{path.name}.toml": scenario(space, path, folder) for path in paths}
    return {into / "study.toml": study(space, seed, drawn, recorded), **texts}
