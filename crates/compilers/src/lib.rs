//! Compilers in the user's processes: of which PTX machine code was made.
//!
//! Frameworks hand the driver machine code (cubins) that they have compiled at run time. Both back ends need the PTX: the
//! virtual GPU runs it, the library of `--gpu` puts checks into it. This crate watches the compilers at work:
//!
//! * [`nvrtc`] and [`nvjitlink`] are the functions ([`stood`]) that a preloaded library stands before, [`lookup`] and [`real`] are
//!   `dlsym`, by which programs find them.
//! * [`ptxas`] is the compiler that a program starts as a process.
//! * [`made`] remembers which texts an ELF file was made of, in the process and in the user's cache folder ([`keep`]).
//! * [`sources`] keeps sources that a program has in memory only.
//! * [`image`] reads what a program asks the driver to load: a fatbin, PTX, or machine code that [`made`] knows.
//! * [`library`] reads the object files and archives that a linker is given.
//!
//! No code that a compiler makes is changed. A library calls [`begin`] when it is at work; before that nothing is remembered.

pub mod image;
pub mod keep;
pub mod library;
pub mod lookup;
pub mod made;
pub mod nvjitlink;
pub mod nvrtc;
pub mod ptxas;
pub mod real;
pub mod sources;
pub mod stood;
mod texts;

pub use texts::Texts;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Takes one line for the log of a library.
pub type Note = fn(&dyn Fn() -> String);

/// Set once a library is at work.
static NOTE: OnceLock<Note> = OnceLock::new();

/// The library that contains this crate is at work from here on; `note` takes lines for its log.
pub fn begin(note: Note) {
    NOTE.get_or_init(|| note);
}

static LINES: AtomicBool = AtomicBool::new(false);

/// Makes compilers write line information from this call on.
pub fn want_lines() {
    LINES.store(true, Ordering::Relaxed);
}

pub(crate) fn wants_lines() -> bool {
    LINES.load(Ordering::Relaxed)
}

/// Returns whether a library is at work.
pub fn is_active() -> bool {
    NOTE.get().is_some()
}

pub(crate) fn note(text: impl Fn() -> String) {
    if let Some(note) = NOTE.get() {
        note(&text);
    }
}
