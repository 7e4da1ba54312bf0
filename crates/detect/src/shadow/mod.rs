//! Sparse shadow memory.

mod memory;
mod pages;

pub(crate) use memory::Memory;
pub(crate) use pages::Pages;
