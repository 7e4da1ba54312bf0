//! The unit of instrumentation.

/// The PTX texts of an image that together form one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) texts: Vec<String>,
    /// Whether the texts were compiled for linking (`-rdc=true`).
    pub(crate) relocatable: bool,
}
