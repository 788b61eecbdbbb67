"""What the documents show, runs."""

import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/python.md",
        "docs/tutorial/your-own-law.md",
        "docs/your-own.md",
    ],
)
def test_the_examples_of_a_document_run_in_order(
    root: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (root / name).read_text(encoding="utf-8")
    examples = EXAMPLE.findall(text)
    assert examples
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for example in examples:
        exec(compile(example, name, "exec"), names)


def run_notebook(path: Path, folder: Path) -> list[Any]:
    """Runs a notebook in a folder; its cells of code."""
    notebook = nbformat.reads(path.read_text(), as_version=4)  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, resources=resources).execute()
    return cells


def test_a_notebook_goes_from_records_to_an_answer(root: Path, tmp_path: Path) -> None:
    examples = root / "examples"
    shutil.copytree(examples / "your-link", tmp_path / "your-link")
    cells = run_notebook(examples / "your-link.ipynb", tmp_path)
    page = cells[0].outputs[0].text
    assert "drop-tail" in page
    assert "does not fit" not in page
    assert "today's is CUBIC" in cells[5].outputs[0].text
    assert {"link.html", "link.toml"} <= {one.name for one in tmp_path.iterdir()}


def test_the_notebook_runs_and_is_kept_without_outputs(root: Path, tmp_path: Path) -> None:
    cells = run_notebook(root / "examples" / "first-steps.ipynb", tmp_path)

    def shown(cell: int, kind: str) -> str:
        return "".join(output.get("data", {}).get(kind, "") for output in cells[cell].outputs)

    assert "Means over 5 seeds" in shown(1, "text/html")
    assert shown(2, "text/html").count("<svg") == 1
    assert "cerl" in shown(3, "text/html")
    assert "<svg" in shown(5, "text/html")
    assert "did you mean `delay`?" in cells[6].outputs[0].text
