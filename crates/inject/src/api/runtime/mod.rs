//! The runtime API's entry points, by subject.

mod array;
mod capture;
mod conditional;
mod device;
mod driver_entry;
mod ends;
mod error;
mod event;
mod function;
mod graph;
mod ipc;
mod launch;
mod memcpy;
mod memory;
mod memset;
mod node;
mod peer;
mod pool;
mod register;
mod saved;
mod stream;
mod surface;
mod symbol;
mod texture;
mod unsupported;

use super::entry;
use crate::call::Call;
