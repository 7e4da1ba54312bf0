//! Reads launches from the host code of a program's sources. `nvcc -cuda` translates a source with kernels to
//! plain C++, and clang compiles that, or any other source, to LLVM IR: once as it is written, and once
//! optimised, with functions inlined, after `host_ir::prepared` has modified it.

use super::arguments;
use crate::folder::Folder;
use crate::terminal::plain;
use ::prove::launches::of_host_code_until;
use host_ir::{Launches, prepared};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Names of clang, unless the variable `WARPRACE_CLANG` is set.
const CLANG: [&str; 7] =
    ["clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16"];

/// Options that preserve the shape of loops and tables, and leave launches where they are written.
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

/// A source and its compile command.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// nvcc, or the host compiler.
    pub(super) compiler: OsString,
    pub(super) nvcc: bool,
    /// The arguments without the source, the output, and the kind of output.
    pub(super) arguments: Vec<OsString>,
    pub(super) source: OsString,
    /// The working directory; `None` for the current one.
    pub(super) directory: Option<PathBuf>,
}

impl Unit {
    /// Returns a command that runs in the unit's directory.
    pub(super) fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.stdin(Stdio::null());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }

    pub(super) fn is_device(&self) -> bool {
        self.source.as_bytes().ends_with(b".cu")
    }
}

/// Reads the launches of the sources that a command compiles, in so many seconds without the compilers. The error says why
/// they are unknown.
pub(super) fn read(command: &[OsString], seconds: u64) -> Result<Launches, String> {
    let reader = Reader::new()?;
    let (compiler, words) = command.split_first().ok_or("there is no command")?;
    let (kept, sources) = arguments::of_nvcc(words);
    if sources.is_empty() {
        return Err("the command has no source".into());
    }
    let mut modules = Vec::new();
    for source in sources {
        let unit =
            Unit { compiler: compiler.clone(), nvcc: true, arguments: kept.clone(), source, directory: None };
        modules.push(reader.ir(&unit)?);
    }
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    Ok(launches(&modules, seconds))
}

/// Reads the launches of a program from its modules, in so many seconds.
pub(super) fn launches(modules: &[&str], seconds: u64) -> Launches {
    let end = Instant::now() + Duration::from_secs(seconds);
    of_host_code_until(modules, &|| Instant::now() > end)
}

/// Compiles host code to LLVM IR.
pub(super) struct Reader {
    clang: PathBuf,
    folder: Folder,
}

impl Reader {
    /// Creates a reader. The error says that clang is missing.
    pub(super) fn new() -> Result<Self, String> {
        let clang = clang().ok_or("clang++ is not installed (WARPRACE_CLANG names one)")?;
        Ok(Reader { clang, folder: Folder::new(false)? })
    }

    /// Returns the LLVM IR of a source's host code, in the form that `host_ir` reads.
    pub(super) fn ir(&self, unit: &Unit) -> Result<String, String> {
        let file = |what: &str| self.folder.path().join(format!("host.{what}"));
        let clang = self.clang.as_os_str();
        let source = match unit.nvcc {
            true => {
                let mut nvcc = unit.command(&unit.compiler);
                nvcc.args(&unit.arguments).arg("-ccbin").arg(clang);
                nvcc.arg(if unit.is_device() { "-cuda" } else { "-E" });
                run(nvcc.arg("-o").arg(file("ii")).arg(&unit.source))?;
                file("ii").into_os_string()
            }
            false => unit.source.clone(),
        };
        let mut emit = unit.command(clang);
        match unit.nvcc {
            true => emit.args(unit.arguments.iter().filter(|a| a.as_bytes().starts_with(b"-std="))),
            false => emit.args(&unit.arguments),
        };
        let language = if !unit.nvcc && unit.source.as_bytes().ends_with(b".c") { "c" } else { "c++" };
        emit.args(["-x", language]);
        emit.args(["-w", "-O2", "-gline-tables-only", "-fno-jump-tables", "-Xclang", "-disable-llvm-passes"]);
        run(emit.args(["-S", "-emit-llvm", "-o"]).arg(file("written.ll")).arg(source))?;
        let written = std::fs::read(file("written.ll")).map_err(|e| plain(&e).to_string())?;
        let text = prepared(&String::from_utf8_lossy(&written));
        std::fs::write(file("prepared.ll"), text).map_err(|e| plain(&e).to_string())?;
        let mut optimise = Command::new(clang);
        optimise.args(["-w", "-O2"]).args(SHAPE).args(["-S", "-emit-llvm", "-o"]);
        run(optimise.arg(file("ll")).arg(file("prepared.ll")))?;
        let text = std::fs::read(file("ll")).map_err(|e| plain(&e).to_string())?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

fn clang() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WARPRACE_CLANG") {
        return Some(PathBuf::from(named)).filter(|p| p.is_file());
    }
    let path = std::env::var_os("PATH")?;
    CLANG.iter().find_map(|name| std::env::split_paths(&path).map(|p| p.join(name)).find(|p| p.is_file()))
}

/// Runs a compiler. The error quotes the first line of its output that reports one.
pub(super) fn run(command: &mut Command) -> Result<(), String> {
    let shown = Path::new(command.get_program()).display().to_string();
    let done = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start `{shown}`: {}", plain(&e)))?;
    let said = String::from_utf8_lossy(&[done.stderr, done.stdout].concat()).into_owned();
    match done.status.success() {
        true => Ok(()),
        false => {
            let line = said.lines().find(|l| l.contains("error")).or_else(|| said.lines().next());
            Err(format!("`{shown}` failed: {}", line.unwrap_or("it does not say why")))
        }
    }
}
