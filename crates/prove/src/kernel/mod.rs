//! A kernel's instructions, without any question: called functions [inlined](inline), its loops ([`shape`]), what
//! single [`instructions`] do, and the form in which an [`access`] is described.

pub mod access;
pub(crate) mod inline;
pub(crate) mod instructions;
pub mod shape;
