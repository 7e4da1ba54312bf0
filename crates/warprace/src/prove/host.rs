//! What the host code of a compile command says of launches: through `nvcc -cuda`, which makes plain C++ of a source, and
//! clang, which makes LLVM IR of that.

use crate::terminal::plain;
use ::prove::host::{Launches, launches};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names of clang, unless `WARPRACE_CLANG` has one.
const CLANG: [&str; 7] =
    ["clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16"];

/// Reads the launches of the source that the command compiles; an error says why they are not known.
pub(super) fn read(command: &[OsString]) -> Result<Launches, String> {
    let clang = clang().ok_or("clang++ is not installed (WARPRACE_CLANG names one)")?;
    let folder = crate::folder::Folder::new(false)?;
    let (plain_source, ir) = (folder.path().join("host.ii"), folder.path().join("host.ll"));
    let (compiler, arguments) = command.split_first().ok_or("there is no command")?;
    let mut nvcc = Command::new(compiler);
    nvcc.args(kept(arguments)?).arg("-ccbin").arg(&clang).arg("-cuda").arg("-o").arg(&plain_source);
    run(&mut nvcc)?;
    let mut emit = Command::new(&clang);
    emit.args(arguments.iter().filter(|a| a.as_bytes().starts_with(b"-std=")));
    emit.args(["-x", "c++", "-w", "-O1", "-S", "-emit-llvm"]).arg(&plain_source).arg("-o").arg(&ir);
    run(&mut emit)?;
    let text = std::fs::read(&ir).map_err(|e| plain(&e).to_string())?;
    Ok(launches(&String::from_utf8_lossy(&text)))
}

fn clang() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WARPRACE_CLANG") {
        return Some(PathBuf::from(named)).filter(|p| p.is_file());
    }
    let path = std::env::var_os("PATH")?;
    CLANG.iter().find_map(|name| std::env::split_paths(&path).map(|p| p.join(name)).find(|p| p.is_file()))
}

/// The arguments, without those that say what is made of the source.
fn kept(arguments: &[OsString]) -> Result<Vec<&OsStr>, String> {
    let mut kept = Vec::new();
    let mut sources = 0;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_bytes() {
            b"-o" | b"--output-file" | b"-ccbin" | b"--compiler-bindir" => _ = rest.next(),
            b"-c" | b"--compile" | b"-dc" | b"--device-c" | b"-ptx" | b"--ptx" | b"-fatbin" | b"--fatbin" => {
            }
            bytes if bytes.starts_with(b"--output-file=") || bytes.starts_with(b"-ccbin=") => {}
            bytes => {
                sources += usize::from(bytes.ends_with(b".cu"));
                kept.push(argument.as_os_str());
            }
        }
    }
    match sources {
        1 => Ok(kept),
        n => Err(format!("the command has {n} sources")),
    }
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
