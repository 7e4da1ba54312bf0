//! Integer questions: polynomials over symbols, conditions, and their refutation.
//!
//! [`poly`] and [`cond`] are the terms, [`symbols`] says what a symbol stands for. [`instance`] puts a question about
//! one or several threads, [`refute`] answers it, and [`smt`] asks z3 or cvc5 if [`refute`] cannot.

pub mod cond;
pub mod instance;
pub mod poly;
pub mod refute;
pub mod smt;
pub mod symbols;
