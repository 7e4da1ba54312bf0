"""The cell magic ``%%warprace`` of IPython and Jupyter, after ``%load_ext warprace``.

    %%warprace [--cells 1-3] [--height PIXELS] [options of `warprace run`]

The cell is run as a program of its own under ``warprace run``, and the report is shown below it. Cells that it needs, with imports and
kernels, are named by ``--cells``, as the magic ``%history`` names them.
"""

import html
import os
import pathlib
import shlex
import sys
import tempfile

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import display

import warprace as package

# Runs each cell under the name of its file, so that reports show its lines.
PROGRAM = """import sys
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        code = compile(file.read(), name, "exec")
    exec(code, globals())
"""


def plain(interpreter, source):
    """A cell as Python, without its magics."""
    lines = interpreter.input_transformer_manager.transform_cell(source).splitlines(keepends=True)
    calls = "get_ipython()."
    return "".join(line if not line.lstrip().startswith(calls) else "\n" for line in lines)


class Frame:
    """An HTML report in a frame of the notebook: its styles and scripts do not touch those of the notebook."""

    def __init__(self, document, height):
        self.document, self.height = document, height

    def _repr_html_(self):
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.document)}" style="{style}"></iframe>'


@magics_class
class WarpraceMagics(Magics):
    """The magic."""

    @cell_magic
    def warprace(self, line, cell):
        """Runs the cell under ``warprace run`` and shows the report."""
        words, cells, height = shlex.split(line), "", 600
        while words and words[0] in ("--cells", "--height"):
            if len(words) < 2:
                raise ValueError(f"{words[0]} needs a value")
            if words[0] == "--cells":
                cells = words[1]
            else:
                height = int(words[1])
            words = words[2:]
        manager = self.shell.history_manager
        earlier = [(number, source) for _, number, source in manager.get_range_by_str(cells)] if cells else []
        with tempfile.TemporaryDirectory(prefix="warprace-") as folder:
            folder = pathlib.Path(folder)
            names = []
            for number, source in [*earlier, (self.shell.execution_count, cell)]:
                path = folder / f"cell-{number}.py"
                path.write_text(plain(self.shell, source), encoding="utf-8")
                names.append(str(path))
            program = folder / "cells.py"
            program.write_text(PROGRAM, encoding="utf-8")
            report, document = folder / "report.html", ""
            path = os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH", "")]))
            found = package.run(
                [sys.executable, str(program), *names],
                "--html",
                str(report),
                *words,
                env={**os.environ, "PYTHONPATH": path},
            )
            if report.exists():
                document = report.read_text(encoding="utf-8")
        if found.output:
            print(found.output, end="")
        if document:
            display(Frame(document, height))
        else:
            print(found.text, end="", file=sys.stderr)


def load(ipython):
    """Registers the magic."""
    ipython.register_magics(WarpraceMagics)
