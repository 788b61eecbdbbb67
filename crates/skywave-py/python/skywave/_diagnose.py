"""From records of a link to what it is."""

import json
import os
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from skywave import _files, _skywave
from skywave._table import Table


class Diagnosis:
    """What records tell of a link; `print` shows it, and so does a notebook.

    >>> import skywave
    >>> diagnosis = skywave.diagnose("upload.pcap", "ping.log")  # doctest: +SKIP
    >>> print(diagnosis)  # doctest: +SKIP
    >>> diagnosis.write_scenario("link.toml")  # doctest: +SKIP
    >>> results = skywave.run("link.toml")  # doctest: +SKIP
    """

    def __init__(self, inner: _skywave.Diagnosis) -> None:
        self._inner = inner
        self._advice: dict[tuple[str, str | None], Advice | None] = {}

    @cached_property
    def link(self) -> Table:
        """One row a property: its `name`, its `value` in words, the record that it is `from`, and
        whether it is `known`; of an unknown one the value says why.

        >>> diagnosis.link.to_pandas().query("known")  # doctest: +SKIP
        """
        return Table(self._inner.link())

    @cached_property
    def models(self) -> Table:
        """One row a candidate that was tried for a `property` (queue, losses, jitter): the `model`,
        its `parameters` as JSON, the logarithm of its likelihood, and `bic`, the Bayesian
        information criterion, of which less is better; those less than 6 apart cannot be told
        apart.

        >>> diagnosis.models.to_polars().sort("bic")  # doctest: +SKIP
        """
        return Table(self._inner.models())

    @property
    def notes(self) -> list[str]:
        """Remarks on the records, a sentence each."""
        return self._inner.notes

    def scenario(self) -> str:
        """The link as the text of a scenario, in whose comments stands where each number comes
        from. A trace that it names is only written by `write_scenario`.

        >>> print(diagnosis.scenario())  # doctest: +SKIP
        """
        text, _ = self._inner.scenario("link")
        return text

    def write_scenario(self, path: str | os.PathLike[str]) -> None:
        """Writes the link as a scenario, and a trace that it needs beside it; missing directories
        are created.

        >>> diagnosis.write_scenario("link.toml")  # doctest: +SKIP
        """
        path = Path(path)
        text, trace = self._inner.scenario(path.stem)
        if trace is not None:
            name, opportunities = trace
            _files.write(path.with_name(name), opportunities.encode())
        _files.write(path, text.encode())

    @cached_property
    def goodness(self) -> Table:
        """One row a number of the end of a record, which a link fitted to the rest is compared
        with: the file that it is `from`, `name`, `unit`, what the `record` has, the mean of the
        `model` with the least and the greatest of its replays, and whether it `fits`. Empty if no
        record is long enough.

        >>> diagnosis.goodness.to_pandas().query("not fits")  # doctest: +SKIP
        """
        return Table(self._inner.goodness())

    def advice(self, *, on: str = "any", today: str | None = None) -> "Advice | None":
        """What would help: senders simulated over the link, for the host that `on` names (`any`,
        `linux`, `linux:cubic,bbr`, `quic:noq`) and its sender of `today` (`cubic`, `bbr`). It takes
        some seconds, and is remembered. `None` if the records tell of no link.

        >>> print(diagnosis.advice(on="linux:cubic,bbr"))  # doctest: +SKIP
        """
        if (on, today) not in self._advice:
            advised = self._inner.advice(on, today)
            self._advice[on, today] = None if advised is None else Advice(*advised)
        return self._advice[on, today]

    def html(
        self, path: str | os.PathLike[str], *, on: str = "any", today: str | None = None
    ) -> None:
        """Writes the page with its plots and the advice (see `advice`): one HTML file that works
        offline.

        >>> diagnosis.html("link.html")  # doctest: +SKIP
        """
        advice = self.advice(on=on, today=today)
        sections = [] if advice is None else [(advice.heading, str(advice))]
        _files.write(Path(path), self._inner.html(sections).encode())

    def round_trips(self) -> Table:
        """One row a round trip of the main transfer, which is that with the most bytes: when its
        segment was sent, from the transfer's first packet on, and how long its answer took. Empty
        without a capture.

        >>> diagnosis.round_trips().to_pandas().plot("time_s", "rtt_ms")  # doctest: +SKIP
        """
        return Table(self._inner.round_trips())

    def losses(self) -> Table:
        """One row a segment of the main transfer that was lost: when it was sent, and whether a
        full or managed queue (or a policer) probably dropped it (`queue`) or the `channel` lost it.
        Empty without a capture.

        >>> diagnosis.losses()["kind"].count("channel")  # doctest: +SKIP
        """
        return Table(self._inner.losses())

    def __str__(self) -> str:
        return self._inner.text().rstrip("\n")

    def __repr__(self) -> str:
        known = sum(self.link["known"])
        return f"<skywave.Diagnosis: {known} of {len(self.link)} properties of a link known>"

    def _repr_html_(self) -> str:
        # In a frame, so that the page's style is not the notebook's.
        # Advice is shown if it has been asked for: it takes its time.
        asked = [advice for advice in self._advice.values() if advice is not None]
        sections = [(advice.heading, str(advice)) for advice in asked]
        page = escape(self._inner.html(sections))
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 0"></iframe>'


class Advice:
    """What would help on a link; `print` shows it."""

    def __init__(self, heading: str, text: str, data: str | None) -> None:
        self.heading = heading
        self._text = text
        self._data = data

    @property
    def data(self) -> dict[str, Any] | None:
        """The same as the command's JSON has it; `None` if no record tells the rate.

        >>> diagnosis.advice().data["rankings"][0]["chosen"]  # doctest: +SKIP
        """
        if self._data is None:
            return None
        data: dict[str, Any] = json.loads(self._data)
        return data

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<skywave.Advice: {str(self).splitlines()[0]}>"


def diagnose(*records: str | os.PathLike[str]) -> Diagnosis:
    """Tells from records of one link what it is, as the command of that name does.

    Records are files: what ping printed (Linux, BusyBox, macOS, Windows), JSON of irtt or iperf3, a
    packet capture (pcap, pcapng, best taken at the sender), traces of rates, tables of times with
    delays or rates. Kinds are told apart by content, and all are read together: pings of the idle
    link tell delays, a capture of a transfer tells rate, queue and losses.

    A file that cannot be read, that is no record, or records that tell nothing are a `RecordError`.

    >>> import skywave
    >>> diagnosis = skywave.diagnose("upload.pcap", "ping.log")  # doctest: +SKIP
    >>> diagnosis.link.to_pandas()  # doctest: +SKIP
    """
    if not records:
        raise TypeError("diagnose needs a record: skywave.diagnose('ping.log')")
    return Diagnosis(_skywave.Diagnosis([Path(record) for record in records]))
