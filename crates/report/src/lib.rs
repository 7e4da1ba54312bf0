//! Findings and their evidence, described for people and for machines.
//!
//! * [`model`]: a described run, which is also the JSON document.
//! * [`describe`]: from results to that model; [`attribute`] finds the user's line, [`explain`]
//!   says why nothing orders two accesses and what would.
//! * [`text`]: from the model to a terminal.
//! * [`render`]: from the model to SARIF, JUnit and GitHub annotations; [`rule`] explains each class.
//! * [`proof`]: what a prover answered about a kernel.
//! * [`suppress`]: findings that somebody has decided to live with.
//! * [`source`]: source excerpts.

pub mod advice;
pub mod attribute;
pub mod describe;
pub mod explain;
pub mod model;
pub mod proof;
pub mod render;
pub mod rule;
pub mod source;
pub mod suppress;
pub mod text;

pub use describe::{Checking, Ending, Run, describe};
pub use model::{Document, Verdict};
pub use text::{Style, Text};
