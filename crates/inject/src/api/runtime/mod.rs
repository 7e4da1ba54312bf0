//! The runtime API's entry points, by subject.

pub(super) mod array;
mod capture;
pub(super) mod conditional;
mod device;
pub(super) mod ends;
mod error;
mod event;
pub(super) mod function;
mod graph;
mod ipc;
pub(super) mod launch;
mod memcpy;
pub(super) mod memory;
mod memset;
pub(super) mod node;
mod operator;
pub(super) mod peer;
mod pool;
mod register;
mod saved;
mod stream;
mod surface;
mod symbol;
pub(super) mod texture;
mod unsupported;

use super::{current, entry};
use crate::call::Call;
