//! `cargo xtask frameworks flashinfer SOURCES`: kernels of FlashInfer on PyTorch's tensors, under `warprace run`.
//!
//! `flashinfer/kernels.cu` puts FlashInfer's launches, which are in its headers, behind functions of C. Each program of
//! `flashinfer/programs.py` calls one on tensors and compares the result with PyTorch's.

use super::known::{Known, findings, is_known};
use super::{FRAMEWORKS, install, packages};
use crate::cuda;
use crate::shell::{self, Outcome, root, target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: [&str; 7] = ["norm", "activation", "rope", "page", "cascade", "top_p", "sampling"];

/// Findings that are right.
///
/// The first warp of a norm reads the warps' sums of shared memory and stores the whole sum to one of them, with shuffles between. All
/// threads of a block initialise a variable in shared memory, and lanes of one warp store equal values to one element.
const KNOWN: [Known; 5] = [
    ("divergent-warp", "norm.cuh"),
    ("same-instruction", "norm.cuh"),
    ("missing-barrier", "sampling.cuh"),
    ("same-instruction", "sampling.cuh"),
    ("same-instruction", "cascade.cuh"),
];

/// The wheel whose headers the sampling kernels include.
const RANDOM_NUMBERS: &str = "nvidia-curand==10.4.0.35";

/// Builds the library and runs the programs: each must be right, and what is reported known.
pub(super) fn run(args: &[&str]) -> Outcome {
    let [sources] = args else {
        return Err("frameworks flashinfer SOURCES, a copy of FlashInfer's repository".into());
    };
    let framework = FRAMEWORKS.iter().find(|f| f.name == "torch").ok_or("there is no PyTorch")?;
    let folder = target().join("frameworks/torch");
    install(framework, &folder)?;
    let warprace = shell::build_release()?;
    let library = build(Path::new(sources), &folder)?;
    PROGRAMS.iter().try_for_each(|name| checked(&warprace, &folder, &library, name))
}

/// Runs a program.
fn checked(warprace: &Path, folder: &Path, library: &Path, name: &str) -> Outcome {
    let json = target().join("frameworks/flashinfer/report.json");
    let _ = std::fs::remove_file(&json);
    let mut run = Command::new(warprace);
    run.args(["run", "--arch", "sm_80", "--json"]).arg(&json).arg("--").arg(folder.join("venv/bin/python"));
    run.arg(root().join("xtask/src/frameworks/flashinfer/programs.py")).arg(library).arg(name);
    let ran = run.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache")).output();
    let ran = ran.map_err(|e| format!("cannot run {}: {e}", warprace.display()))?;
    let [output, told] = [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text));
    let report: Value = std::fs::read_to_string(&json)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let found = findings(&report);
    let known = found.iter().all(|finding| is_known(finding, &KNOWN));
    let whole = report["inconclusive"].as_array().is_some_and(Vec::is_empty);
    if !output.contains(&format!("{name}: right")) || !known || !whole {
        return Err(format!("`{}` ended with {}:\n{output}{told}", shell::display(&run), ran.status));
    }
    let verdict = report["verdict"].as_str().unwrap_or("none");
    println!("{name}: right; verdict {verdict}, {} findings, all known", found.len());
    Ok(())
}

/// Compiles the kernels with FlashInfer's headers, as PTX.
fn build(sources: &Path, torch: &Path) -> Outcome<PathBuf> {
    let folder = target().join("frameworks/flashinfer");
    let headers = headers(&folder, torch)?;
    let include = sources.join("include");
    if !include.join("flashinfer/norm.cuh").is_file() {
        return Err(format!("there are no headers of FlashInfer in {}", include.display()));
    }
    let library = folder.join("kernels.so");
    let mut nvcc = Command::new(cuda::ensure()?.root.join("bin/nvcc"));
    nvcc.args([
        "-std=c++17",
        "-O2",
        "-lineinfo",
        "-w",
        "-shared",
        "-cudart",
        "shared",
        "-Xcompiler",
        "-fPIC",
    ]);
    nvcc.args(["-gencode", "arch=compute_80,code=compute_80", "-I"]).arg(include).arg("-I").arg(headers);
    // FlashInfer needs CCCL 3.1, which PyTorch's wheels bring.
    nvcc.arg("-I").arg(packages(torch)?.join("nvidia/cu13/include/cccl"));
    nvcc.arg(root().join("xtask/src/frameworks/flashinfer/kernels.cu")).arg("-o").arg(&library);
    shell::run(&mut nvcc)?;
    Ok(library)
}

/// Returns a folder with the headers of cuRAND, and those of cuBLAS, which PyTorch's wheels bring with a toolkit of another version.
fn headers(folder: &Path, torch: &Path) -> Outcome<PathBuf> {
    let include = folder.join("nvidia/cu13/include");
    if include.join("cublasLt.h").is_file() {
        return Ok(include);
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"]);
    shell::run(pip.args(["--only-binary=:all:", "--target"]).arg(folder).arg(RANDOM_NUMBERS))?;
    let from = packages(torch)?.join("nvidia/cu13/include");
    let entries = std::fs::read_dir(&from).map_err(|e| format!("cannot read {}: {e}", from.display()))?;
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with("cublas")) {
        let to = include.join(entry.file_name());
        std::fs::copy(entry.path(), &to).map_err(|e| format!("cannot write {}: {e}", to.display()))?;
    }
    Ok(include)
}
