//! Findings and their evidence, described for people and for machines.
//!
//! * [`model`]: a described run, which is also the JSON document.
//! * [`mod@describe`]: from results to that model; `describe::group` makes one finding of all pairs of
//!   instructions on one pair of source lines, [`attribute`] finds the user's line, [`explain`] says why
//!   nothing orders two accesses and what would.
//! * [`text`]: from the model to a terminal.
//! * [`render`]: from the model to SARIF, JUnit and GitHub annotations; [`rule`] explains each class.
//! * [`proof`]: what a prover answered about a kernel.
//! * [`suppress`]: findings that the user has decided to live with.
//! * [`source`]: source excerpts.
//!
//! The threads' actions around a finding (`model::interleaving`) come from a record of the run: with `--html`
//! a recorder receives the detector's events, and when the run has ended the command line's `story` walks the
//! record and asks the lens again when each finding was made. [`explain`] does the same with a run of its
//! own. No detector and no engine knows of it.
//!
//! Advice about a race is a value (`advice`): the help text is made from it alone, and the tests compare it
//! with the clean twin of every fixture.

pub mod advice;
pub mod attribute;
pub mod describe;
mod dialect;
pub mod explain;
pub mod model;
mod pair;
mod printable;
pub mod proof;
mod registers;
pub mod render;
pub mod rule;
pub mod source;
pub mod suppress;
pub mod tensor;
pub mod text;
mod within;
mod words;

pub use describe::{Checking, Ending, Run, describe};
pub use model::completeness::{Completeness, Share};
pub use model::{Document, Verdict};
pub use printable::{printable, printable_lines};
pub use text::{Style, Text};
