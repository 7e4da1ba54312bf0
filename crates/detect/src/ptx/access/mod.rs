//! The access that is judged: what kind it is, which bytes its lanes touch, which thread makes it.
//!
//! Nothing here depends on the history of a location or on what threads know.

pub(super) mod class;
pub(super) mod entry;
pub(super) mod partial;
pub(super) mod thread;
pub(super) mod touches;
