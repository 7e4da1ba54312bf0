"""The cell magic, in an IPython without a browser. The fixture keeps pytest from running this under warprace itself."""

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

CELL = """%%warprace --cells 1 --height 321 --seed 3
print(reversed_by({name!r}, range(COUNT))[0])
"""


def shown(shell, name):
    """What a cell prints, and the HTML below it."""
    with capture_output() as captured:
        shell.run_cell(CELL.format(name=name), store_history=True).raise_error()
    pages = [output.data["text/html"] for output in captured.outputs if "text/html" in output.data]
    assert len(pages) == 1, (captured.stdout, captured.stderr)
    return captured.stdout, pages[0]


def test_magic(warprace, tmp_path):
    shell = InteractiveShell.instance()
    shell.run_cell("from device import COUNT, reversed_by", store_history=True).raise_error()
    shell.run_cell("%load_ext warprace", store_history=True).raise_error()
    _, page = shown(shell, "racy")
    assert page.startswith("<iframe srcdoc=") and "height: 321px" in page
    assert "missing-barrier" in page and "kernels.cu" in page
    printed, page = shown(shell, "ordered")
    assert printed.startswith("63") and "missing-barrier" not in page
