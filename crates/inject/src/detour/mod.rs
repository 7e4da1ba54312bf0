//! Replaces the CUDA runtime that is linked into the program.
//!
//! Programs linked with `-cudart shared` bind to this library by the dynamic loader's preloading rule and
//! need nothing from this module. The default static runtime is found through the symbol table of each
//! executable and library that contains it. Its functions are redirected to this library's, one by one,
//! before any of the object's own code runs.

mod driver;
mod loader;
mod object_file;
mod patch;

pub(crate) use driver::is_sought as is_driver_sought;
use object_file::Contents;
use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The runtimes found in the process's objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// Objects whose static runtime cannot be found. A program may have one that it does not use, such as that of cuBLAS.
    pub(crate) stripped: Vec<PathBuf>,
    /// Functions that could not be redirected, with the reason.
    pub(crate) failed: Vec<String>,
    /// Objects whose runtime was replaced.
    pub(crate) patched: Vec<PathBuf>,
}

/// The reason why objects that are loaded later are not patched. It prints as a sentence fragment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    #[error("the library's own file is not known")]
    OwnFile,
    #[error(transparent)]
    Object(#[from] object_file::ReadError),
    #[error("installed twice")]
    Twice,
    #[error(transparent)]
    Loader(#[from] loader::WatchError),
}

struct Detours {
    ours: HashMap<String, usize>,
    own_path: PathBuf,
    /// Objects seen so far, by load address and path.
    seen: HashSet<(u64, PathBuf)>,
    findings: Findings,
    /// How many of the stripped objects were loaded at the program's start.
    stripped_at_start: usize,
}

static DETOURS: OnceLock<Mutex<Detours>> = OnceLock::new();

/// Patches every loaded object and arranges for later ones.
pub(crate) fn install() -> Result<(), InstallError> {
    let (own_path, base) = loader::own().ok_or(InstallError::OwnFile)?;
    let ours = object_file::exported(&own_path, base)?;
    let detours =
        Detours { ours, own_path, seen: HashSet::new(), findings: Findings::default(), stripped_at_start: 0 };
    if DETOURS.set(Mutex::new(detours)).is_err() {
        return Err(InstallError::Twice);
    }
    scan();
    if let Some(detours) = DETOURS.get() {
        let mut detours = detours.lock().unwrap_or_else(PoisonError::into_inner);
        detours.stripped_at_start = detours.findings.stripped.len();
    }
    Ok(loader::watch(scan)?)
}

/// Returns the file of the code at `address`, and its load address.
pub(crate) fn object_at(address: usize) -> Option<(PathBuf, u64)> {
    let info = loader::object_of(address)?;
    // The loader's name for the executable is the one that it was started by, which may be relative.
    let executable = loader::objects().first().map(|o| (o.path.clone(), o.base));
    match executable {
        Some((path, base)) if base == info.1 || (base == 0 && !info.0.is_absolute()) => Some((path, base)),
        _ => Some(info),
    }
}

/// Returns the findings so far.
pub(crate) fn findings() -> Findings {
    DETOURS
        .get()
        .map(|d| d.lock().unwrap_or_else(PoisonError::into_inner).findings.clone())
        .unwrap_or_default()
}

/// Returns the object of the code at `address`, if it was there at the program's start and has a static runtime that cannot be found.
pub(crate) fn stripped_at(address: usize) -> Option<PathBuf> {
    let (object, _) = object_at(address)?;
    let detours = DETOURS.get()?.lock().unwrap_or_else(PoisonError::into_inner);
    let at_start = detours.findings.stripped.get(..detours.stripped_at_start)?;
    at_start.contains(&object).then_some(object)
}

/// Returns whether the CUDA driver is in the process, so that kernels can be launched without this library.
pub(crate) fn is_driver_loaded() -> bool {
    loader::objects().iter().any(|object| driver::is_driver(object.path.as_os_str().as_bytes()))
}

/// Patches objects that were loaded since the last scan. The loader's notification calls it, so it must not
/// load anything itself.
fn scan() {
    let Some(detours) = DETOURS.get() else { return };
    let objects = loader::objects();
    let mut detours = detours.lock().unwrap_or_else(PoisonError::into_inner);
    // Unloaded objects are forgotten, since others may be loaded at the same address.
    let present: HashSet<_> = objects.iter().map(|o| (o.base, o.path.clone())).collect();
    detours.seen.retain(|key| present.contains(key));
    for object in objects {
        if object.path != detours.own_path && detours.seen.insert((object.base, object.path.clone())) {
            detours.patch(&object.path, object.base);
        }
    }
}

impl Detours {
    fn patch(&mut self, path: &Path, base: u64) {
        // An unreadable object (the vDSO, a deleted file) contains no runtime that could be found.
        let Ok(contents) = object_file::read(path, &self.ours) else { return };
        let functions = match contents {
            Contents::NoRuntime => return,
            Contents::Stripped => {
                self.findings.stripped.push(path.to_owned());
                return;
            }
            Contents::Runtime(functions) => functions,
        };
        let (Some(first), Some(last)) = (functions.first(), functions.last()) else { return };
        // Short functions use the padding behind them, at most 16 bytes.
        let (start, end) = (base + first.offset, base + last.offset + last.bytes + 16);
        // SAFETY: the range is code of an object that is mapped at `base`.
        let writable = match unsafe { patch::Unprotected::new(start as usize, end as usize) } {
            Ok(writable) => writable,
            Err(error) => {
                self.findings.failed.push(format!("{}: {error}", path.display()));
                return;
            }
        };
        for function in &functions {
            let entry = (base + function.offset) as *mut u8;
            let target = self.ours[&function.name];
            // SAFETY: the object's constructors have not run, so no thread executes its functions; this
            // library's functions have the signatures of the functions whose names they have.
            if let Err(error) = unsafe { patch::redirect(entry, function.bytes as usize, target) } {
                self.findings.failed.push(format!("{} in {}: {error}", function.name, path.display()));
            }
        }
        drop(writable);
        self.findings.patched.push(path.to_owned());
    }
}
