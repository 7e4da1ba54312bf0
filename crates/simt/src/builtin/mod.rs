//! What the device runtime's functions compute, apart from memory.

pub(crate) mod printf;
