//! `warprace prove -p compile_commands.json`: analyses the sources of a project, one for each command.
//!
//! A database does not say which sources are linked together. Each source with a `main` stands for a program,
//! together with all sources that have none; without any `main` all sources form one program. A kernel is
//! analysed with the launches of all programs that it may belong to. If one source of a program cannot be
//! read, that program's launches are unknown.

use super::device_code::{Failure, Texts};
use super::host::{Reader, Unit, launches, run};
use super::{Module, arguments};
use crate::database::{self, Entry};
use crate::exit;
use crate::folder::Folder;
use host_ir::Launches;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A source of the project.
struct Source {
    unit: Unit,
    shown: String,
    /// The source's device code, if it has any.
    ptx: Option<String>,
    relocatable: bool,
    /// LLVM IR of the source's host code.
    ir: Option<String>,
    has_main: bool,
}

/// Returns the file that `-p` names, or the database in the folder that it names.
pub(super) fn file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(database::NAME) } else { path.to_owned() }
}

/// Returns the modules of a project with their launches, and messages about sources that could not be read.
pub(super) fn read(file: &Path, seconds: u64) -> Result<(Vec<Module>, Vec<String>), Failure> {
    let entries = database::read(file).map_err(|message| (exit::USAGE, message, None))?;
    let parent =
        std::path::absolute(file).ok().and_then(|f| f.parent().map(Path::to_owned)).unwrap_or_default();
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    let mut sources: Vec<Source> = Vec::new();
    for entry in &entries {
        match source(entry, &parent) {
            Ok(Some(s)) => {
                let key = (s.unit.directory.clone(), s.unit.source.clone(), s.unit.arguments.clone());
                if seen.insert(key) {
                    sources.push(s);
                }
            }
            Ok(None) => {}
            Err(why) => problems.push(format!("{}: {why}", entry.file.display())),
        }
    }
    if problems.is_empty() && !sources.iter().any(|s| s.unit.is_device()) {
        let message = format!("none of the {} commands in `{}` compiles CUDA", entries.len(), file.display());
        return Err((
            exit::USAGE,
            message,
            Some("`warprace prove PROGRAM` asks about a built program".into()),
        ));
    }
    let folder = Folder::new(false).map_err(|why| (exit::USAGE, why, None))?;
    for source in sources.iter_mut().filter(|s| s.unit.is_device()) {
        match ptx(&source.unit, folder.path()) {
            Ok(text) => source.ptx = Some(text),
            Err(why) => problems.push(format!("{}: {why}", source.shown)),
        }
    }
    let reader = Reader::new().inspect_err(|why| {
        crate::terminal::help(&format!("launches are not read from the host code: {why}"))
    });
    if let Ok(reader) = reader {
        for source in &mut sources {
            match reader.ir(&source.unit) {
                Ok(ir) => {
                    source.has_main = host_ir::has_main(&ir);
                    source.ir = Some(ir);
                }
                Err(why) => problems.push(format!("the host code of {}: {why}", source.shown)),
            }
        }
    }
    Ok((modules(&sources, seconds), problems))
}

/// Returns the source that a command compiles, if it is host code or CUDA.
fn source(entry: &Entry, parent: &Path) -> Result<Option<Source>, String> {
    let words: Vec<OsString> = entry.words().into_iter().map(OsString::from).collect();
    let Some((compiler, words)) = words.split_first() else {
        return Err("its command cannot be taken apart".into());
    };
    let program =
        Path::new(compiler).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let nvcc = program.contains("nvcc");
    if entry.is_cuda(&program) && !nvcc {
        return Err(format!("`{program}` compiles it; only sources that nvcc compiles are understood"));
    }
    let (kept, _) = arguments::of_nvcc(words);
    let unit = Unit {
        compiler: compiler.clone(),
        nvcc,
        arguments: if nvcc { kept } else { arguments::of_host(words) },
        source: entry.file.clone().into_os_string(),
        directory: Some(parent.join(&entry.directory)),
    };
    let relocatable = arguments::is_relocatable(words);
    let is_source = arguments::is_source(unit.source.as_encoded_bytes());
    let shown = entry.file.display().to_string();
    Ok(is_source.then_some(Source { unit, shown, ptx: None, relocatable, ir: None, has_main: false }))
}

/// Returns the PTX of a source.
fn ptx(unit: &Unit, folder: &Path) -> Result<String, String> {
    let file = folder.join("device.ptx");
    let mut nvcc = unit.command(&unit.compiler);
    nvcc.args(arguments::for_ptx(&unit.arguments)).arg("-ptx").arg("-o").arg(&file).arg(&unit.source);
    run(&mut nvcc)?;
    let text = std::fs::read(&file).map_err(|e| crate::terminal::plain(&e))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns the modules to analyse: each source's own device code, and the linked relocatable code of each
/// program.
fn modules(sources: &[Source], seconds: u64) -> Vec<Module> {
    let mains: Vec<usize> = (0..sources.len()).filter(|&n| sources[n].has_main).collect();
    let all: Vec<usize> = (0..sources.len()).collect();
    let programs: Vec<Vec<usize>> = match mains.len() {
        0 | 1 => vec![all],
        _ => mains
            .iter()
            .map(|&main| all.iter().copied().filter(|&n| n == main || !sources[n].has_main).collect())
            .collect(),
    };
    let known: Vec<Option<Launches>> = programs
        .iter()
        .map(|program| {
            let irs: Option<Vec<&str>> = program.iter().map(|&n| sources[n].ir.as_deref()).collect();
            irs.map(|irs| launches(&irs, seconds))
        })
        .collect();
    let text = |n: usize| Some((sources[n].shown.clone(), sources[n].ptx.clone()?));
    let hosted = |of: &dyn Fn(usize) -> bool| {
        let of = (0..programs.len()).filter(|&p| of(p)).map(|p| known[p].as_ref());
        let all = of.collect::<Option<Vec<_>>>()?;
        let (first, others) = all.split_first()?;
        Some(Rc::new(others.iter().fold((*first).clone(), |all, other| all.or(other))))
    };
    let mut modules = Vec::new();
    for n in all_of(sources, false) {
        let hosted = hosted(&|p| programs[p].contains(&n));
        modules.extend(text(n).map(|text| Module { texts: vec![text], hosted }));
    }
    for (p, program) in programs.iter().enumerate() {
        let texts: Texts =
            program.iter().filter(|&&n| sources[n].relocatable).filter_map(|&n| text(n)).collect();
        if !texts.is_empty() {
            modules.push(Module { texts, hosted: hosted(&|other| other == p) });
        }
    }
    modules
}

fn all_of(sources: &[Source], relocatable: bool) -> impl Iterator<Item = usize> + '_ {
    (0..sources.len()).filter(move |&n| sources[n].relocatable == relocatable)
}
