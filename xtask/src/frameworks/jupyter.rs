//! `cargo xtask frameworks jupyter`: the cell magic in JupyterLab, with headless Chromium as its window.
//!
//! A notebook with a kernel of Numba is opened and all of its cells are run (`jupyter.py`). The report of the race must stand in a frame
//! below its cell, and that of the mended kernel below the next one.

use super::{Framework, install};
use crate::browser;
use crate::editor::{free_port, started};
use crate::shell::{self, Outcome, root, target};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const JUPYTER: Framework = Framework {
    name: "jupyter",
    wheels: &["jupyterlab==4.6.6", "numba-cuda[cu13]==0.30.4", "numba==0.68.1", "numpy==2.4.6"],
    programs: &[],
    heavy: None,
};

const DRIVER: &str = "xtask/src/frameworks/jupyter.py";

/// The longest time that the server may take to start.
const START: Duration = Duration::from_secs(120);

/// The notebook's cells.
const CELLS: [&str; 4] = [
    "import numpy
from numba import cuda, float32

@cuda.jit(lineinfo=True)
def reverse(out, values, barrier):
    tile = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    tile[t] = values[t]
    if barrier:
        cuda.syncthreads()
    out[t] = tile[255 - t]

values = numpy.arange(256, dtype=numpy.float32)",
    "%load_ext warprace",
    "%%warprace --cells 1 --height 500
out = cuda.device_array(256, dtype=numpy.float32)
reverse[1, 256](out, values, False)",
    "%%warprace --cells 1 --height 300
out = cuda.device_array(256, dtype=numpy.float32)
reverse[1, 256](out, values, True)
print('first', out.copy_to_host()[0])",
];

/// Runs the notebook in JupyterLab.
pub(super) fn run() -> Outcome {
    let (browser, warprace) = (browser::browser()?, shell::build_release()?);
    let warprace = warprace.canonicalize().map_err(|e| format!("{}: {e}", warprace.display()))?;
    let folder = target().join("frameworks/jupyter");
    install(&JUPYTER, &folder)?;
    let work = folder.join("work");
    let _ = std::fs::remove_dir_all(&work);
    shell::make_dir(&work)?;
    let notebook = work.join("reverse.ipynb");
    std::fs::write(&notebook, document().to_string()).map_err(|e| format!("{}: {e}", notebook.display()))?;
    shell::step("the notebook in JupyterLab");
    let port = free_port()?;
    let mut server = server(&folder, &work, port);
    let _server = started(server.env("WARPRACE", &warprace), &folder.join("server.log"))?;
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(Duration::from_millis(200));
        if begun.elapsed() > START {
            return Err(format!("JupyterLab does not answer: see {}", folder.join("server.log").display()));
        }
    }
    let image = folder.join("notebook.png");
    let mut driver = Command::new(folder.join("venv/bin/python"));
    driver.arg(root().join(DRIVER)).arg(browser).arg(port.to_string()).arg(&notebook).arg(&image);
    let driven = driver.output().map_err(|e| format!("cannot run {}: {e}", shell::display(&driver)))?;
    if !driven.status.success() {
        return Err(String::from_utf8_lossy(&driven.stderr).into_owned());
    }
    let seen = serde_json::from_slice(&driven.stdout).map_err(|e| format!("the driver's answer: {e}"))?;
    judge(&seen)?;
    println!("the reports are shown in JupyterLab: {}", image.display());
    Ok(())
}

/// JupyterLab for the folder with the notebook, which needs no password and asks nothing of the network.
fn server(folder: &Path, work: &Path, port: u16) -> Command {
    let mut server = Command::new(folder.join("venv/bin/jupyter-lab"));
    server.args(["--no-browser", "--allow-root", "--ip=127.0.0.1", &format!("--port={port}")]);
    server.args(["--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.news_url=None"]);
    server.args([
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]);
    server.arg(format!("--ServerApp.root_dir={}", work.display()));
    for (variable, place) in [
        ("JUPYTER_CONFIG_DIR", "config"),
        ("JUPYTER_DATA_DIR", "data"),
        ("JUPYTER_RUNTIME_DIR", "runtime"),
        ("IPYTHONDIR", "ipython"),
        ("XDG_CACHE_HOME", "cache"),
    ] {
        server.env(variable, folder.join(place));
    }
    server.env("PYTHONPATH", root().join("python"));
    server
}

fn document() -> Value {
    let cell = |(number, source): (usize, &&str)| {
        json!({
            "cell_type": "code", "id": format!("cell-{number}"), "metadata": {}, "execution_count": null, "outputs": [],
            "source": source,
        })
    };
    let cells: Vec<Value> = CELLS.iter().enumerate().map(cell).collect();
    let kernel = json!({ "name": "python3", "display_name": "Python 3", "language": "python" });
    json!({ "cells": cells, "metadata": { "kernelspec": kernel }, "nbformat": 4, "nbformat_minor": 5 })
}

/// Holds what the frames show to what they should show.
fn judge(seen: &Value) -> Outcome {
    let frame = |at: usize| (seen["frames"][at]["text"].as_str(), seen["frames"][at]["height"].as_f64());
    let ((Some(racy), Some(height)), (Some(fixed), Some(low))) = (frame(0), frame(1)) else {
        return Err(format!("two frames should be shown: {seen}"));
    };
    let wrong = [
        (racy.contains("missing-barrier"), "the first frame names the race"),
        (racy.contains("tile[255 - t]"), "the first frame shows the line of another cell"),
        (
            racy.matches("cuda.syncthreads()").count() > 1 && !racy.contains("__syncthreads"),
            "the first frame advises in Numba's words, and inserts them",
        ),
        (!fixed.contains("missing-barrier"), "the second frame names no race"),
        (fixed.contains("clean"), "the second frame says that the program is clean"),
        (height == 500.0 && low == 300.0, "the frames are as high as asked"),
    ];
    let failed: Vec<&str> = wrong.iter().filter(|(right, _)| !right).map(|(_, what)| *what).collect();
    for (right, what) in wrong {
        println!("{} {what}", if right { "ok    " } else { "FAILED" });
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not so: {}\n{seen}", failed.join("; "))) }
}
