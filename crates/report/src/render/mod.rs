//! Described runs in the formats that people and other tools read.
//!
//! A format is a [`Renderer`]. Most runs make one document; `predict` makes one for each
//! detector it asks, and `check` one for each program.
//!
//! # How to add a format
//!
//! A type that implements [`Renderer`]: documents in, text out; what it says of a class comes from [`rule`](crate::rule). Then an
//! option in `warprace`'s `Outputs` and a line in `publish::files`; all commands that find something have it by that, and the
//! table of `docs/options.md` is made anew. It knows neither results nor detectors: whatever it needs and the model lacks is a new
//! field of [`model`](crate::model) (JSON gains fields, and renames none).

mod github;
mod html;
mod issue;
mod json;
mod junit;
mod sarif;

pub use github::Github;
pub use html::Html;
pub use issue::{Change, Issue, Notes, NotesError};
pub use json::Json;
pub use junit::Junit;
pub use sarif::Sarif;

use crate::model::{Access, Described, Document};
use crate::text::Text;

/// Makes one file, or one stream's text, of described runs.
pub trait Renderer {
    /// All of it. Several documents are of several detectors, or of a project's programs.
    fn render(&self, documents: &[Document]) -> String;
}

impl Renderer for Text<'_> {
    fn render(&self, documents: &[Document]) -> String {
        match documents {
            [one] => self.document(one),
            many => many.iter().map(|d| self.heading(d) + &self.document(d)).collect(),
        }
    }
}

/// Returns the name that tells a document from others of one file: its program's name in a project, or else
/// its detector.
pub fn name(document: &Document) -> &str {
    match document.program.name.as_str() {
        "" => &document.summary.lens,
        name => name,
    }
}

/// `write of 4 bytes by thread (3, 0, 0) of block (0, 0, 0)`
fn side(access: &Access) -> String {
    format!("{} by {}", access.what, access.who)
}

/// The finding on one line: what happened, and on the other side.
fn headline(f: &Described) -> String {
    let [first, second] = &f.accesses;
    format!("{}: (1) {}; (2) {}", f.title, side(first), side(second))
}
