//! The unit of instrumentation.

/// The PTX texts of an image that together form one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    pub texts: Vec<String>,
    /// Whether they were compiled for linking (`-rdc=true`).
    pub relocatable: bool,
}
