//! The runtime API's binary interface: codes, structures and their layouts.

pub(crate) mod error;
pub(crate) mod properties;
pub(crate) mod types;
