//! Sparse shadow memory: pages over an address space, shared by workers or private to one, and the locks and memory that they need.

mod biased_lock;
mod huge_page_arena;
mod lane_slots;
mod memory;
mod mutex;
mod page_arrays;
mod pages;
mod pool;
mod private_pages;
mod shared_pages;
mod single_arrays;

pub(crate) use biased_lock::Bias;
pub(crate) use huge_page_arena::{LEN, Room, Rooms, expect};
pub(crate) use lane_slots::Held;
pub(crate) use memory::{Memory, take};
pub(crate) use mutex::lock;
pub(crate) use page_arrays::Places;
pub(crate) use pages::Pages;
pub(crate) use pool::Pool;
pub(crate) use private_pages::Own;
pub(crate) use shared_pages::{Guard, Opened, Store, Table};
pub(crate) use single_arrays::Later;
