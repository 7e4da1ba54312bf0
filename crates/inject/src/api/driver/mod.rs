//! The driver API's entry points, by subject.
//!
//! Functions that mean the same as one of the runtime are defined there (`fn cudaX, driver cuX (…)`). [`table`] lists every
//! function of `cuda.h`: served, served within a named limit, or refused by name.

mod array;
mod context;
mod copy;
mod device;
mod entry_point;
mod function;
mod graph;
mod launch;
mod link;
mod memory;
mod memory_operation;
mod memset;
mod module;
mod pointer;
mod stream;
mod table;
mod tensor_map;
mod virtual_memory;

use table::{Found, find};

use super::runtime::memory::answer;
use super::{current, runtime};
use crate::abi::error::{CudaError, CudaResult};
use crate::call::Call;
