//! The binary interface of the runtime and the driver: codes, structures and their layouts.

pub(crate) mod driver_error;
pub(crate) mod driver_types;
pub(crate) mod error;
pub(crate) mod properties;
pub(crate) mod types;
