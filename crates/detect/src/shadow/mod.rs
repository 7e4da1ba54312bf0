//! Sparse shadow memory.

mod memory;
mod pages;
mod rooms;
mod table;

pub(crate) use memory::{Memory, take};
pub(crate) use pages::Pages;
pub(crate) use rooms::{LEN, Room, Rooms};
pub(crate) use table::{Guard, Opened, Store, Table, lock};
