//! Findings and their evidence, described for people and for machines.
//!
//! * [`protocol`]: what the command line and the library inside the process say to each other.
//! * [`model`]: a described run, which is also the JSON document.
//! * [`describe`]: from results to that model; [`attribute`] finds the user's line, [`explain`]
//!   says why nothing orders two accesses and what would.
//! * [`text`]: from the model to a terminal.
//! * [`render`]: from the model to SARIF, JUnit and GitHub annotations; [`rule`] explains each class.
//! * [`proof`]: what a prover answered about a kernel.
//! * [`suppress`]: findings that somebody has decided to live with.
//! * [`names`], [`source`]: demangling and source excerpts; [`filter`]: which kernels are checked; [`word`]:
//!   command lines in JSON.

pub mod advice;
pub mod attribute;
pub mod describe;
pub mod explain;
pub mod filter;
pub mod model;
pub mod names;
pub mod proof;
pub mod protocol;
pub mod render;
pub mod rule;
pub mod source;
pub mod suppress;
pub mod text;
pub mod word;

pub use describe::{Checking, Ending, Run, describe};
pub use model::{Document, Verdict};
pub use text::{Style, Text};
