//! Sparse shadow memory.

mod favoured;
mod held;
mod memory;
mod own;
mod pages;
mod places;
mod pool;
mod rooms;
mod sole;
mod spots;
mod table;

pub(crate) use favoured::Favour;
pub(crate) use held::lock;
pub(crate) use memory::{Memory, take};
pub(crate) use own::Own;
pub(crate) use pages::Pages;
pub(crate) use places::Places;
pub(crate) use pool::Pool;
pub(crate) use rooms::{LEN, Room, Rooms, expect};
pub(crate) use sole::Later;
pub(crate) use spots::Held;
pub(crate) use table::{Guard, Opened, Store, Table};
