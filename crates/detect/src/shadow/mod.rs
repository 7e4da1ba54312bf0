//! Sparse shadow memory.

mod pages;

pub(crate) use pages::Pages;
