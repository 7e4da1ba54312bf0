//! What is instrumented together.

/// The PTX texts of an image that make one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) texts: Vec<String>,
    /// Compiled for linking (`-rdc=true`)?
    pub(crate) relocatable: bool,
}
