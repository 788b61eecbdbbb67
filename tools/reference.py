"""Writes docs/reference.md, the reference of all keys of a scenario, from the JSON schema.

The schema has its texts from the doc comments of crates/skywave-scenario/src/model and of the
configurations that crates/skywave-core declares by `parameters!`, and the measures from those of
crates/skywave-sim/src/outcome; they are changed there, never in the page.

python3 tools/reference.py          writes the page
python3 tools/reference.py --check  fails if it is out of date
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "schema" / "scenario.schema.json"
PAGE = ROOT / "docs" / "reference.md"

INTRO = """\
# Reference of scenario files

<!-- Made by tools/reference.py from schema/scenario.schema.json, that is from the doc comments of
     the model and of the configurations in it. Change those, write the schema again (its test says
     how), and run the tool. -->

All keys of a scenario, with their values and defaults. [scenarios.md](scenarios.md) explains how
they work together. In each table the keys that are needed come first. A key that is not listed here
is an error, and so is a value of the wrong kind: `skywave check FILE` shows both at their place."""

QUANTITIES = """\
## Quantities

A quantity is a string of a number and a unit, such as `"80ms"`.

| quantity | like | units |
|---|---|---|"""

DISTRIBUTIONS = """\
## Distributions

Where a table says *distribution*, these may stand in place of a single value. The draws depend on
the seed and the key, so that all variants of a sweep meet the same ones.

| form | meaning |
|---|---|"""

MEASURES = """\
## Measures

The names of what is measured, for `y` of a plot and for `table`. In results and in Python the same
number is a column with a name of its own, which plots and tables accept too.
[What is measured](scenarios.md#what-is-measured) explains the terms."""

# Where one section describes values of more than one key.
TITLES = {
    "ChannelModel": "Loss models",
    "PowerModel": "`power`",
}
MEASURED = {
    "FlowMeasure": "Measures of flows",
    "LinkMeasure": "Measures of links (with `link`)",
    "StationMeasure": "Measures of stations (with `station`)",
    "SeriesMeasure": 'Quantities over time (with `x = "time"`)',
}
# More forms than this are not all named beside their key.
MOST_FORMS = 3

Schema = dict[str, Any]


def slug(heading: str) -> str:
    """The name that a heading has in links."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def code(text: str) -> str:
    return f"`{text}`"


def prose(text: str) -> str:
    """A description as Markdown: values as code, pages as links."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    for place in range(0, len(parts), 2):
        part = parts[place]
        part = re.sub(r"docs/([\w/-]+\.md)((?:#[\w-]+)?)", r"[\1](\1\2)", part)
        part = re.sub(r'\{[^{}]*\}|"[^"]*"|(?<!\S)--[a-z]+', lambda found: code(found[0]), part)
        parts[place] = part.replace("|", r"\|")
    return "".join(parts)


def sentence(text: str) -> str:
    text = prose(text)
    return text if not text or text.endswith((".", ".)", "…")) else f"{text}."


def described(schema: Schema) -> tuple[str, str | None]:
    """The meaning of a key and its default, which ends its description."""
    text = " ".join(schema.get("description", "").split())
    meaning, found, default = text.rpartition("; default ")
    return (meaning, default.removesuffix(".")) if found else (text, None)


def numbered(default: str, schema: Schema) -> str:
    """A default in Markdown; members write theirs without quotes."""
    if default in schema.get("enum", []) or re.fullmatch(r"[\d.]+m?s", default):
        default = f'"{default}"'
    if re.fullmatch(r"true|false|[\d.]+", default):
        return code(default)
    return re.sub(r"\b(true|false)\b(?![^`]*`)", r"`\1`", prose(default))


class Reference:
    """The page as it comes into being."""

    def __init__(self, schema: Schema) -> None:
        self.root = schema
        self.defs: dict[str, Schema] = schema["$defs"]
        # The heading that describes each definition.
        self.headings: dict[str, str] = {}
        self.faults: list[str] = []

    # What a schema is.

    def named(self, schema: Schema) -> str | None:
        """The definition that a schema stands for."""
        if "$ref" in schema:
            return schema["$ref"].removeprefix("#/$defs/")
        others = [c for c in schema.get("anyOf", []) if c != {"type": "null"}]
        return self.named(others[0]) if len(others) == 1 else None

    def resolved(self, schema: Schema) -> Schema:
        name = self.named(schema)
        return self.resolved(self.defs[name]) if name else schema

    def choices(self, schema: Schema) -> list[Schema]:
        """The forms that a value may have, those of named values among them unfolded."""
        found = []
        for choice in schema.get("oneOf", schema.get("anyOf", [])):
            name = self.named(choice)
            inner = self.defs[name] if name else choice
            if name and "oneOf" in inner and all("const" in c for c in inner["oneOf"]):
                found += inner["oneOf"]
            elif choice != {"type": "null"}:
                found.append(choice)
        return found

    @staticmethod
    def member(choice: Schema) -> str | None:
        """The only key of a form such as { droptail = … }."""
        keys = choice.get("required", [])
        return keys[0] if len(keys) == 1 and list(choice.get("properties", {})) == keys else None

    def kind(self, name: str) -> str:
        schema = self.defs[name]
        if name in MEASURED or name == "Measure":
            return "measure"
        if name.startswith("Dist_"):
            return "distribution"
        if name.startswith("OneOrMany_"):
            return "many"
        if "properties" in schema:
            return "table"
        choices = self.choices(schema)
        named = [choice for choice in choices if "const" in choice and "description" in choice]
        if len(named) > MOST_FORMS or any(self.member(choice) for choice in choices):
            return "forms"
        if "pattern" in schema or any("pattern" in choice for choice in choices):
            return "quantity"
        return "choice" if choices else "number"

    def inner(self, schema: Schema) -> Iterator[str]:
        """Definitions with sections of their own that a value may have in it."""
        name = self.named(schema)
        if name is None:
            parts = [*schema.get("anyOf", []), *schema.get("oneOf", [])]
            parts += schema.get("prefixItems", [])
            items = schema.get("items")
            for part in [*parts, *([items] if isinstance(items, dict) else [])]:
                yield from self.inner(part)
        elif self.kind(name) in ("table", "forms"):
            yield name
        elif self.kind(name) in ("many", "choice"):
            yield from self.inner(self.defs[name])

    # What a value looks like.

    def quantity(self, name: str) -> tuple[str, str]:
        """What a quantity is, and examples of it."""
        text = self.defs[name]["description"].removesuffix(".")
        what, _, examples = text.partition(":") if ":" in text else text.partition(", like")
        what = re.sub(r"^(A|An|The) ", "", what)
        return what[0].lower() + what[1:], prose(examples.strip())

    def value(self, schema: Schema) -> str:
        """What may be written, in a cell of a table."""
        name = self.named(schema)
        if name:
            return self.value_of(name)
        if "const" in schema:
            return code(f'"{schema["const"]}"')
        if "enum" in schema:
            return self.joined([code(f'"{value}"') for value in schema["enum"]])
        if "prefixItems" in schema:
            parts = [self.value(part) for part in schema["prefixItems"]]
            return f"`[a, b]`, both {parts[0]}" if len(set(parts)) == 1 else ", ".join(parts)
        if isinstance(schema.get("items"), dict):
            return f"list of: {self.value(schema['items'])}"
        choices = self.choices(schema)
        if choices:
            empty = {"additionalProperties": False, "type": "object"}
            return self.joined([self.value(choice) for choice in choices if choice != empty])
        if schema.get("additionalProperties") is True:
            return "table of ranges"
        if isinstance(schema.get("additionalProperties"), dict):
            lists = "items" in schema["additionalProperties"]
            return "table of lists" if lists else "table of texts"
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        return {"boolean": "`true` or `false`", "string": "text", "array": "list"}.get(
            kind, "whole number" if kind == "integer" else "number"
        )

    def value_of(self, name: str) -> str:
        schema = self.defs[name]
        kind = self.kind(name)
        if kind == "quantity":
            what, examples = self.quantity(name)
            return f"[{what}](#quantities): {examples}"
        if kind == "distribution":
            one = self.value(self.choices(schema)[0])
            return f"{one}, or a [distribution](#distributions)"
        if kind == "many":
            return f"{self.value(self.choices(schema)[0])}; or a list of these"
        if kind == "measure":
            return "[measure](#measures)"
        if kind == "number":
            text = schema["description"].removesuffix(".")
            return text.removeprefix("A ").lower()
        if kind == "table":
            keys = ", ".join(self.keys(schema))
            keys = keys if len(self.keys(schema)) <= MOST_FORMS else "…"
            return f"[`{{ {keys} }}`](#{slug(self.headings[name])})"
        if kind == "forms":
            forms = [form for choice in self.choices(schema) for form in self.short(schema, choice)]
            # No link within a link.
            forms = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", form) for form in forms]
            anchor = f"#{slug(self.headings[name])}"
            if len(forms) > MOST_FORMS:
                return f"[{', '.join(forms[:2])}, …]({anchor})"
            return f"[{self.joined(forms)}]({anchor})"
        return self.value({k: v for k, v in schema.items() if k in ("anyOf", "oneOf")})

    def joined(self, parts: list[str]) -> str:
        return " or ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))

    def form(self, choice: Schema) -> str:
        """One of several forms, as code."""
        key = self.member(choice)
        if key is None:
            return self.value(choice) if "const" not in choice else code(f'"{choice["const"]}"')
        inside = self.resolved(choice["properties"][key])
        keys = self.keys(inside)
        if "prefixItems" in inside:
            return code(f"{{ {key} = [a, b] }}")
        if keys:
            keys = keys if len(keys) <= MOST_FORMS else [*keys[:2], "…"]
            return code(f"{{ {key} = {{ {', '.join(keys)} }} }}")
        if "anyOf" not in inside and inside.get("type") == "object":
            return code(f'"{key}"')
        return code(f"{{ {key} = … }}")

    def alone(self, schema: Schema, choice: Schema) -> bool:
        """Whether the only key of a form may stand for it, with the defaults of its parameters."""
        key = self.member(choice)
        names = [name for other in schema.get("anyOf", []) for name in other.get("enum", [])]
        if key is None or key not in names:
            return False
        inside = choice["properties"][key]
        described = "$ref" not in inside and "anyOf" in inside
        inside = self.resolved(inside)
        return described or (inside.get("type") == "object" and not inside.get("required"))

    def short(self, schema: Schema, choice: Schema) -> Iterator[str]:
        """The forms of a choice in the cell of a key: its name, or what it looks like."""
        if "enum" not in choice:
            named = self.alone(schema, choice)
            yield code(f'"{self.member(choice)}"') if named else self.form(choice)

    @staticmethod
    def keys(schema: Schema) -> list[str]:
        """The keys of a table, those that are needed first."""
        needed = schema.get("required", [])
        return sorted(schema.get("properties", {}), key=lambda key: (key not in needed, key))

    # Sections.

    def meanings(self, schema: Schema) -> str:
        """What each of a key's named values means, for values without a section of their own."""
        name = self.named(schema)
        if name is None:
            return ""
        if self.kind(name) == "many":
            return ""
        if self.kind(name) != "choice":
            return ""
        named = [c for c in self.choices(self.defs[name]) if "const" in c and "description" in c]
        return " ".join(f'`"{c["const"]}"`: {sentence(lower(c["description"]))}' for c in named)

    def rows(self, table: Schema, where: str, prefix: str = "") -> Iterator[str]:
        needed = table.get("required", [])
        for key in self.keys(table):
            schema = table["properties"][key]
            meaning, default = described(schema)
            if key in needed:
                default = "*needed*"
                meaning = meaning or described(self.resolved(schema))[0]
            elif default is None:
                self.faults.append(f"{where}: the description of `{key}` does not say its default")
                continue
            else:
                default = numbered(default, schema)
            text = f"{sentence(meaning)} {self.meanings(schema)}".strip()
            if not meaning:
                self.faults.append(f"{where}: `{key}` has no description")
            yield f"| {code(prefix + key)} | {self.value(schema)} | {default} | {text} |"

    def table(self, schema: Schema, where: str) -> list[str]:
        head = ["| key | value | default | meaning |", "|---|---|---|---|"]
        return [*head, *self.rows(schema, where)]

    def forms(self, schema: Schema, where: str) -> list[str]:
        """A table of forms, and one of the parameters that have no section."""
        lines = ["| form | value | meaning |", "|---|---|---|"]
        parameters: list[str] = []
        for choice in self.choices(schema):
            if "enum" in choice:
                continue
            form, value, key = self.form(choice), "", self.member(choice)
            meaning, _ = described(choice)
            if key is None and "const" not in choice:
                form, meaning = self.value(choice), meaning or self.resolved(choice)["description"]
            if key is not None:
                inside = choice["properties"][key]
                resolved = self.resolved(inside)
                if self.alone(schema, choice) and form != code(f'"{key}"'):
                    form = f'`"{key}"` or {form}'
                empty = resolved.get("type") == "object" and not resolved.get("properties")
                value = "" if empty else self.value(inside)
                if resolved.get("properties") and self.named(inside) is None:
                    parameters += self.rows(resolved, f"{where}.{key}", f"{key}.")
                    value = ""
                elif "anyOf" in inside:
                    about, default = described(inside["anyOf"][0])
                    if default is not None:
                        default = numbered(default, inside)
                        parameters.append(
                            f"| {code(key)} | {value} | {default} | {sentence(about)} |"
                        )
            lines.append(f"| {form} | {value} | {sentence(meaning)} |")
        if not any(line.split(" | ")[1] for line in lines[2:]):
            lines = [re.sub(r"^(\|[^|]*)\|[^|]*\|", r"\1|", line) for line in lines]
        if parameters:
            head = ["| parameter | value | default | meaning |", "|---|---|---|---|"]
            lines += ["", *head, *parameters]
        return lines

    def plan(self, path: str, schema: Schema) -> Iterator[tuple[str, str]]:
        """The definitions below a table that get a section here, with their headings."""
        # What several places have in common is described at the outermost.
        own: list[tuple[str, str]] = []
        for key in self.keys(schema):
            for name in self.inner(schema["properties"][key]):
                if name not in self.headings:
                    below = f"{path}.{key}" if path else key
                    self.headings[name] = TITLES.get(name, code(below))
                    own.append((below, name))
        for below, name in own:
            yield name, self.headings[name]
            # What is below a section with a title has no path of its own.
            yield from self.below("" if name in TITLES else below, name)

    def below(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        schema = self.defs[name]
        if self.kind(name) == "table":
            yield from self.plan(path, schema)
        else:
            for choice in self.choices(schema):
                if self.member(choice):
                    yield from self.plan(path, choice)
                elif self.named(choice):
                    yield from self.plan(path.rpartition(".")[0], {"properties": {path: choice}})

    def section(self, name: str, heading: str, level: str) -> list[str]:
        schema = self.defs[name]
        where = heading.replace("`", "")
        about = sentence(schema.get("description", ""))
        body = self.table if self.kind(name) == "table" else self.forms
        return [f"{level} {heading}", "", *([about, ""] if about else []), *body(schema, where), ""]

    def page(self) -> str:
        tops: list[tuple[str, str, list[tuple[str, str]]]] = []
        properties = self.root["properties"]
        for key in ["link", "radio", "station", "agent", "flow", "run", "report"]:
            many = "items" in properties[key]
            heading = code(f"[[{key}]]" if many else f"[{key}]")
            name = self.named(properties[key].get("items", properties[key]))
            assert name, key
            self.headings[name] = heading
            tops.append((name, heading, list(self.plan(key, self.defs[name]))))
        lines = [INTRO, "", "## The file", "", *self.table(self.root, "the file"), ""]
        for name, heading, below in tops:
            if name == "ReportModel":
                lines += self.sweep()
            lines += self.section(name, heading, "##")
            for inner, title in below:
                lines += self.section(inner, title, "###")
        lines += [QUANTITIES, *self.quantities(), ""]
        lines += [DISTRIBUTIONS, *self.distributions(), ""]
        lines += [MEASURES, "", *self.measures()]
        return "\n".join(lines).rstrip() + "\n"

    def sweep(self) -> list[str]:
        about, default = described(self.root["properties"]["sweep"])
        return [
            "## `[sweep]`",
            "",
            f"{sentence(about)} Without it, there is {prose(default or '')}.",
            "[Sweeps](scenarios.md#run-sweep-report) says how paths are written.",
            "",
        ]

    def quantities(self) -> Iterator[str]:
        rows = {}
        for name, schema in sorted(self.defs.items()):
            if self.kind(name) != "quantity":
                continue
            what, examples = self.quantity(name)
            texts = [schema, *schema.get("anyOf", [])]
            pattern = next(text["pattern"] for text in texts if "pattern" in text)
            units = re.findall(r"\(([^()]*)\)", pattern)[-1].split("|")
            rows[what] = f"| {what} | {examples} | {', '.join(map(code, units))} |"
        yield from (rows[what] for what in sorted(rows))

    def distributions(self) -> Iterator[str]:
        schema = self.defs["Dist_Duration"]
        for choice in self.choices(schema)[1:]:
            key = self.member(choice)
            example = {
                "uniform": '["20ms", "40ms"]',
                "exponential": '"30ms"',
                "pareto": '{ mean = "30ms", shape = 1.5 }',
                "lognormal": '{ mean = "30ms", sigma = 1 }',
                "empirical": '[["10ms", 0.2], ["30ms", 0.9], ["200ms", 1]]',
            }[key or ""]
            yield f"| {code(f'{{ {key} = {example} }}')} | {sentence(choice['description'])} |"

    def measures(self) -> Iterator[str]:
        for name, heading in MEASURED.items():
            yield from [f"### {heading}", "", "| name | column | meaning |", "|---|---|---|"]
            for choice in self.choices(self.defs[name]):
                if "const" in choice:
                    column = choice["x-column"]
                    about = sentence(choice["description"])
                    yield f"| {code(choice['const'])} | {code(column)} | {about} |"
            if name == "SeriesMeasure":
                about = "Goodput in each bin, with `bins` in `[run]`."
                yield f"| `goodput` | `goodput_bps` | {about} |"
            yield ""


def lower(text: str) -> str:
    """A sentence to stand after a colon."""
    return text[0].lower() + text[1:] if re.match(r"([A-Z][a-z]+|A)[ ,.]", text) else text


def main() -> None:
    reference = Reference(json.loads(SCHEMA.read_text()))
    page = reference.page()
    if reference.faults:
        sys.exit("\n".join(reference.faults))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("docs/reference.md is out of date: run python3 tools/reference.py")


if __name__ == "__main__":
    main()
