//! PTX text to and from a typed syntax tree.
//!
//! This crate is the only place in warprace that knows how PTX is spelled.
//! It has three layers, each usable on its own:
//!
//! * [`ast`]: the syntax tree. An instruction is generic here (opcode, modifiers,
//!   operands, all with byte spans), so unknown instructions survive.
//! * [`op`]: the typed meaning of an instruction, decoded from the tree.
//! * `cfg`: basic blocks and reconvergence points of a function body.
//!
//! Parsing never fails as a whole and never panics: it returns what it
//! understood together with its errors and their positions.

pub mod ast;
pub mod cfg;
mod decode;
mod erase;
pub mod flat;
mod lexer;
pub mod lines;
mod number;
pub mod op;
mod parser;
pub mod position;
mod print;
pub mod sreg;
mod types;

pub use decode::{DecodeError, OPCODES, decode};
pub use flat::{Flat, flatten};
pub use parser::{Error, MAX_DEPTH, Parse, parse};
pub use print::{print, print_instruction, print_operand};
