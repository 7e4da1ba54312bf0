//! A static prover of races.
pub mod access;
pub mod assume;
pub mod barriers;
pub mod cfg;
pub mod cond;
pub mod decide;
pub mod exec;
pub mod facts;
pub mod pair;
pub mod poly;
pub mod solve;
pub mod syms;
