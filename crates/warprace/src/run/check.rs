//! Checks that a file is a program and that its device code can be checked. This happens before the run, so
//! that the error comes at once and suggests a solution.

use crate::exit;
use crate::refusal::{Message, Refusal};
use crate::sources;
use crate::terminal::plain;
use fatbin::elf::{Role, Runtime};
use fatbin::{Binary, Kind};
use names::Engine;
use protocol::Obstacle;
use report::describe::obstacle;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A program that can be run.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// The shared libraries that the program is linked to; none are known for scripts.
    pub(super) needed: Vec<String>,
}

/// Returns the program if it can be run and no reason against checking it is known.
///
/// A program without CUDA passes: it may be a shell, `mpirun` or an interpreter that starts or loads one with
/// CUDA, which is known after the run. With an engine on a GPU, a program that cannot be checked can still be
/// run.
pub(super) fn program(name: &OsStr, engine: Engine) -> Result<Program, Refusal> {
    let path = find(name)?;
    let shown = path.display();
    let about = path.metadata().map_err(|e| unreachable_file(&path, &e))?;
    if about.is_dir() {
        return Err(Refusal::new(exit::USAGE, format!("`{shown}` is a folder, not a program")));
    }
    if about.permissions().mode() & 0o111 == 0 {
        let help = sources::run_help(&path)
            .unwrap_or_else(|| format!("if it is a program, `chmod +x {shown}` makes it one you can run"));
        return Err(Refusal::new(exit::USAGE, format!("`{shown}` is not executable")).help(help));
    }
    let bytes = std::fs::read(&path).map_err(|e| {
        Refusal::new(exit::USAGE, format!("cannot read `{shown}`: {}", plain(&e)))
            .help("warprace must read the program to find its device code")
    })?;
    let needed = if bytes.starts_with(b"#!") { Vec::new() } else { contents(&path, &bytes, engine)? };
    Ok(Program { path, needed })
}

/// Finds the program's file. A name without a slash is looked up in `PATH`, as a shell does.
fn find(name: &OsStr) -> Result<PathBuf, Refusal> {
    if name.as_bytes().contains(&b'/') {
        return Ok(name.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let runnable =
        |p: &PathBuf| p.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(runnable).ok_or_else(|| {
        let shown = Path::new(name).display();
        let refusal = Refusal::new(exit::USAGE, format!("there is no program `{shown}` in PATH"));
        if Path::new(name).is_dir() {
            return Refusal::new(exit::USAGE, format!("`{shown}` is a folder, not a program"));
        }
        if !Path::new(name).exists() {
            return refusal;
        }
        let help = sources::run_help(Path::new(name))
            .unwrap_or_else(|| format!("for the one in this folder, say `./{shown}`"));
        refusal.help(help)
    })
}

fn unreachable_file(path: &Path, e: &io::Error) -> Refusal {
    match e.kind() {
        io::ErrorKind::NotFound => {
            Refusal::new(exit::USAGE, format!("there is no file `{}`", path.display()))
        }
        _ => Refusal::new(exit::USAGE, format!("cannot reach `{}`: {}", path.display(), plain(e))),
    }
}

/// Returns the libraries that the program needs, if it can be checked.
fn contents(path: &Path, bytes: &[u8], engine: Engine) -> Result<Vec<String>, Refusal> {
    let shown = path.display();
    let binary = match Binary::parse(bytes) {
        Ok(binary) => binary,
        Err(fatbin::Error::NotElf) => {
            return Err(Refusal::new(
                exit::USAGE,
                format!("`{shown}` is not a program: it is not an ELF file"),
            ));
        }
        Err(e @ (fatbin::Error::ForeignElf | fatbin::Error::DamagedElf(_))) => {
            return Err(Refusal::new(exit::UNCHECKABLE, format!("`{shown}` cannot be run here: {e}")));
        }
        Err(e) => return Err(refuse(Obstacle::BadFatbin { object: path.into(), error: e.to_string() })),
    };
    if matches!(binary.role, Role::Library | Role::Object) {
        let what = if binary.role == Role::Library { "shared library" } else { "object file" };
        return Err(Refusal::new(exit::USAGE, format!("`{shown}` is not a program but a {what}"))
            .help(format!("`warprace inspect {shown}` lists its device code")));
    }
    if !binary.is_cuda() {
        return Ok(binary.needed);
    }
    if binary.role == Role::StaticProgram {
        return Err(Refusal::new(exit::UNCHECKABLE, format!("`{shown}` is linked statically (-static)"))
            .help("warprace works as a preloaded library; link the program dynamically"));
    }
    if engine.on_gpu() {
        return Ok(binary.needed);
    }
    if binary.runtime == Runtime::StaticStripped {
        return Err(refuse(Obstacle::StrippedStatic { object: path.into() }));
    }
    let mut images: Vec<String> = Vec::new();
    for entry in binary.entries() {
        match entry.kind {
            Kind::Ptx => return Ok(binary.needed.clone()),
            Kind::Cubin => images.push(format!("{} cubin", entry.arch)),
            Kind::Other(kind) => images.push(format!("{} image of kind {kind}", entry.arch)),
        }
    }
    images.sort_unstable();
    images.dedup();
    if images.is_empty() {
        // The device code can only be in the program's libraries.
        return Ok(binary.needed.clone());
    }
    Err(refuse(Obstacle::NoPtx { object: path.into(), images }))
}

fn refuse(o: Obstacle) -> Refusal {
    Refusal { code: exit::UNCHECKABLE, message: Message::Failure(Box::new(obstacle(&o))), help: None }
}
