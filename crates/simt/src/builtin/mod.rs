//! The functions of the device runtime, except for their memory accesses.

pub(crate) mod printf;
