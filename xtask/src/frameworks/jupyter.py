"""Uses the cell magic in JupyterLab, as a person does, with headless Chromium.

    python jupyter.py CHROMIUM PORT NOTEBOOK SCREENSHOT

JupyterLab answers at the port already. All cells of the notebook are run in it; what each frame below a cell shows is printed as JSON.
"""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

import websocket

LIMIT = 240

FRAMES = """JSON.stringify([...document.querySelectorAll('.jp-OutputArea iframe')].map(frame => ({
    height: frame.getBoundingClientRect().height,
    ready: frame.contentDocument.readyState,
    text: frame.contentDocument.body.innerText,
})))"""

STATE = """JSON.stringify({
    open: !!window.jupyterapp && !!document.querySelector('.jp-NotebookPanel .jp-Cell'),
    idle: !!document.querySelector('.jp-NotebookPanel [data-status="idle"]'),
    errors: [...document.querySelectorAll('.jp-OutputArea [data-mime-type="application/vnd.jupyter.stderr"]')].map(e => e.innerText),
})"""


class Page:
    """A page of Chromium, by its debugging protocol."""

    def __init__(self, address):
        self.socket = websocket.create_connection(address, timeout=LIMIT, suppress_origin=True)
        self.number = 0

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")


def waited(ask, what):
    """Asks again until the answer counts as true."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.5)
    sys.exit(f"waited {LIMIT} s for {what}")


def debugger(profile):
    """The address of Chromium's first page."""
    port = waited(lambda: (profile / "DevToolsActivePort").exists(), "Chromium") and None
    port = (profile / "DevToolsActivePort").read_text().splitlines()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
        return next(page["webSocketDebuggerUrl"] for page in json.load(answer) if page["type"] == "page")


def drive(page, notebook, screenshot):
    """Runs the notebook and returns what its frames show."""
    state = lambda: json.loads(page.value(STATE) or "{}")
    waited(lambda: state().get("open"), "the notebook")
    waited(lambda: state().get("idle"), "the notebook's kernel")
    page.value("window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => 1)")
    wanted = notebook.read_text().count("%%warprace")

    def frames():
        shown = json.loads(page.value(FRAMES) or "[]")
        return shown if len(shown) >= wanted and all(frame["ready"] == "complete" for frame in shown) else None

    shown = waited(frames, f"{wanted} reports")
    page.value("document.querySelector('.jp-OutputArea iframe').scrollIntoView()")
    time.sleep(1)
    image = page.call("Page.captureScreenshot", format="png")["data"]
    pathlib.Path(screenshot).write_bytes(base64.b64decode(image))
    return {"frames": shown, "errors": state()["errors"]}


def main(chromium, port, notebook, screenshot):
    notebook = pathlib.Path(notebook)
    with tempfile.TemporaryDirectory() as profile:
        address = f"http://127.0.0.1:{port}/lab/tree/{notebook.name}"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000", "--remote-debugging-port=0"]
        browser = subprocess.Popen(
            [chromium, *flags, f"--user-data-dir={profile}", address], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            print(json.dumps(drive(Page(debugger(pathlib.Path(profile))), notebook, screenshot)))
        finally:
            browser.kill()
            browser.wait()


main(*sys.argv[1:])
