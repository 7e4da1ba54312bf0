//! What the host code of compile commands says of launches: through `nvcc -cuda`, which makes plain C++ of a source, and
//! clang, which makes LLVM IR of that: once as it is written, and again optimised, with functions inlined, after
//! `prove::host::prepared` changed it a little.

use crate::terminal::plain;
use ::prove::host::{Launches, launches, prepared};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names of clang, unless `WARPRACE_CLANG` has one.
const CLANG: [&str; 7] =
    ["clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16"];

/// Loops and tables keep their shape, and calls of kernels stay where they are written.
const SHAPE: [&str; 9] = [
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-mllvm",
    "-inline-threshold=20000",
    "-mllvm",
    "-simplifycfg-sink-common=false",
    "-mllvm",
    "-simplifycfg-hoist-common=false",
];

/// Reads the launches of the sources that the command compiles; an error says why they are not known.
pub(super) fn read(command: &[OsString]) -> Result<Launches, String> {
    let clang = clang().ok_or("clang++ is not installed (WARPRACE_CLANG names one)")?;
    let folder = crate::folder::Folder::new(false)?;
    let (compiler, arguments) = command.split_first().ok_or("there is no command")?;
    let (kept, sources) = kept(arguments);
    if sources.is_empty() {
        return Err("the command has no source".into());
    }
    let mut modules = Vec::new();
    for (n, source) in sources.iter().enumerate() {
        let file = |what: &str| folder.path().join(format!("{n}.{what}"));
        let mut nvcc = Command::new(compiler);
        nvcc.args(&kept).arg("-ccbin").arg(&clang);
        nvcc.arg(if is_device(source) { "-cuda" } else { "-E" });
        run(nvcc.arg("-o").arg(file("ii")).arg(source))?;
        let mut emit = Command::new(&clang);
        emit.args(arguments.iter().filter(|a| a.as_bytes().starts_with(b"-std=")));
        emit.args(["-x", "c++", "-w", "-O2", "-fno-jump-tables", "-Xclang", "-disable-llvm-passes"]);
        run(emit.args(["-S", "-emit-llvm", "-o"]).arg(file("written.ll")).arg(file("ii")))?;
        let written = std::fs::read(file("written.ll")).map_err(|e| plain(&e).to_string())?;
        let text = prepared(&String::from_utf8_lossy(&written));
        std::fs::write(file("prepared.ll"), text).map_err(|e| plain(&e).to_string())?;
        let mut optimise = Command::new(&clang);
        optimise.args(["-w", "-O2"]).args(SHAPE).args(["-S", "-emit-llvm", "-o"]);
        run(optimise.arg(file("ll")).arg(file("prepared.ll")))?;
        let text = std::fs::read(file("ll")).map_err(|e| plain(&e).to_string())?;
        modules.push(String::from_utf8_lossy(&text).into_owned());
    }
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    Ok(launches(&modules))
}

fn clang() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WARPRACE_CLANG") {
        return Some(PathBuf::from(named)).filter(|p| p.is_file());
    }
    let path = std::env::var_os("PATH")?;
    CLANG.iter().find_map(|name| std::env::split_paths(&path).map(|p| p.join(name)).find(|p| p.is_file()))
}

fn is_device(source: &OsStr) -> bool {
    source.as_bytes().ends_with(b".cu")
}

/// The arguments, without those that say what is made of the sources, and the sources.
fn kept(arguments: &[OsString]) -> (Vec<&OsStr>, Vec<&OsStr>) {
    let (mut kept, mut sources) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let bytes = argument.as_bytes();
        let of_host = [&b".cpp"[..], b".cc", b".cxx", b".C", b".c"].iter().any(|e| bytes.ends_with(e));
        match bytes {
            b"-o" | b"--output-file" | b"-ccbin" | b"--compiler-bindir" => _ = rest.next(),
            b"-I" | b"-D" | b"-U" | b"-isystem" | b"-include" | b"-Xcompiler" | b"-Xptxas" | b"-Xlinker"
            | b"-L" | b"-l" | b"-gencode" | b"-arch" | b"-code" | b"-x" => {
                kept.push(argument.as_os_str());
                kept.extend(rest.next().map(OsString::as_os_str));
            }
            b"-c" | b"--compile" | b"-dc" | b"--device-c" | b"-ptx" | b"--ptx" | b"-fatbin" | b"--fatbin" => {
            }
            _ if bytes.starts_with(b"--output-file=") || bytes.starts_with(b"-ccbin=") => {}
            _ if !bytes.starts_with(b"-") && (of_host || is_device(argument)) => {
                sources.push(argument.as_os_str())
            }
            _ => kept.push(argument.as_os_str()),
        }
    }
    (kept, sources)
}

fn run(command: &mut Command) -> Result<(), String> {
    let shown = Path::new(command.get_program()).display().to_string();
    let done = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start `{shown}`: {}", plain(&e)))?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    match done.status.success() {
        true => Ok(()),
        false => {
            let line = said.lines().find(|l| l.contains("error")).unwrap_or_default();
            Err(format!("`{shown}` failed: {line}"))
        }
    }
}
