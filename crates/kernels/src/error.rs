//! The errors of loading a module.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    #[error("{0}")]
    Syntax(String),
    #[error("undefined symbol `{0}`")]
    Undefined(String),
    #[error("no storage for variable `{name}`: {why}")]
    Storage { name: String, why: String },
    #[error("{0}")]
    Invalid(String),
}
