//! Proofs of earlier processes about launches of a kernel, in the user's cache folder.
//!
//! The proofs of one kernel are in one file. Its name is a hash of all that they depend on but the launch: this library,
//! the texts of the module, the kernel, and the terms of the question. Each proof has its own condition, which the launch
//! must satisfy. A file that cannot be read or written is no error.

use compilers::keep::{Answers, build_of, hash};
use events::{LaunchFacts, LaunchInfo, ObservedMemory};
use prove::launches::RaceFree;
use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The proofs that a file holds at most: as many as a process asks for.
const MOST: usize = super::MOST_QUESTIONS as usize;

/// The place of proofs, and the library that finds them.
#[derive(Clone, Debug)]
pub(in super::super) struct Cache {
    pub(super) folder: PathBuf,
    /// A hash of the library's version and file.
    pub(super) version: u128,
}

impl Cache {
    /// Returns the cache in a folder, which is made with the first proof that is sought. Called as the library is loaded:
    /// its file may be replaced later.
    pub(in super::super) fn new(folder: PathBuf) -> Option<Cache> {
        Some(Cache { folder, version: library()? })
    }
}

/// The proofs about one kernel.
pub(super) struct Kept {
    answers: Answers,
    name: u128,
    proofs: Vec<RaceFree>,
}

impl Kept {
    /// Reads what is kept; `None` if there is no folder for it. `terms` are the question's own.
    pub(super) fn read(cache: &Cache, texts: &[String], kernel: &str, terms: [bool; 2]) -> Option<Kept> {
        let answers = Answers::at(cache.folder.clone()).ok()?;
        let (version, terms) = (cache.version.to_le_bytes(), terms.map(u8::from));
        let mut parts: Vec<&[u8]> = vec![b"run", &version, kernel.as_bytes(), &terms];
        parts.extend(texts.iter().map(String::as_bytes));
        let name = hash(&parts);
        let proofs = answers.read(name).and_then(|body| parsed(&body)).unwrap_or_default();
        Some(Kept { answers, name, proofs })
    }

    /// Returns the newest proof that covers a launch.
    pub(super) fn of(
        &self,
        info: &LaunchInfo,
        facts: &LaunchFacts,
        memory: &[ObservedMemory],
    ) -> Option<&RaceFree> {
        let covers = |proof: &&RaceFree| {
            proof.covered.as_ref().is_some_and(|covered| covered.arrays_of(info, facts, memory).is_some())
        };
        self.proofs.iter().rev().find(covers)
    }

    /// Adds a proof, in place of the oldest one if there are too many.
    pub(super) fn add(&mut self, proof: &RaceFree) {
        self.proofs.push(proof.clone());
        let more = self.proofs.len().saturating_sub(MOST);
        self.proofs.drain(..more);
        let all: Vec<_> = self.proofs.iter().filter_map(RaceFree::text).collect();
        if let Ok(text) = serde_json::to_vec(&all) {
            let _ = self.answers.write(self.name, &text);
        }
    }
}

/// Reads the proofs of a file; `None` if one of them is none.
fn parsed(body: &[u8]) -> Option<Vec<RaceFree>> {
    let all: Vec<serde_json::Value> = serde_json::from_slice(body).ok()?;
    all.into_iter().map(RaceFree::parsed).collect()
}

/// Returns a hash of the version, the size and the time of the file that this code is in.
fn library() -> Option<u128> {
    // SAFETY: all-zero is a valid `Dl_info`.
    let mut about: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is that of a function, and `about` is there to be written.
    if unsafe { libc::dladdr(library as fn() -> Option<u128> as *const c_void, &mut about) } == 0
        || about.dli_fname.is_null()
    {
        return None;
    }
    // SAFETY: `dladdr` leaves a string there that lives as long as the library.
    let path = OsStr::from_bytes(unsafe { CStr::from_ptr(about.dli_fname) }.to_bytes());
    Some(hash(&[build_of(Path::new(path), env!("CARGO_PKG_VERSION"))?.as_bytes()]))
}

#[cfg(test)]
mod tests;
