//! PTX text to and from a typed syntax tree.
//!
//! This crate is the only place in warprace that knows PTX syntax. Its layers, each usable on its own:
//!
//! * [`parse`] and [`print`](print()): text to the [`ast`] and back. An instruction is generic in the tree
//!   (opcode, modifiers, operands, all with byte spans), so that unknown instructions survive. Parsing the
//!   printed text gives the same tree.
//! * [`mod@decode`]: an instruction's typed meaning, an [`op::Op`].
//! * [`flatten`]: a function as a list of decoded instructions with resolved names.
//! * [`mod@cfg`]: its basic blocks and reconvergence points.
//! * [`lines`]: source positions with inline chains, from `.loc`.
//!
//! Parsing never fails as a whole and never panics: it returns the valid parts together with the errors and
//! their positions.
//!
//! ```
//! use ptx::{ast::Item, op::Op};
//!
//! let parse = ptx::parse(
//!     ".version 9.0 .target sm_90 .address_size 64
//!      .visible .entry k(.param .u64 p) {
//!          .reg .b64 %rd<2>; .reg .b32 %r<2>;
//!          ld.param.u64 %rd1, [p];
//!          atom.global.cta.exch.b32 %r1, [%rd1], 1;
//!      }",
//! );
//! assert!(parse.errors.is_empty());
//! let Some(Item::Function(kernel)) = parse.module.items.first() else { unreachable!() };
//! let flat = ptx::flatten(kernel);
//! assert!(matches!(flat.instructions[1].op, Ok(Op::Atom(_))));
//! ```

pub mod ast;
pub mod cfg;
mod decode;
mod erase;
mod feature;
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
pub use feature::feature;
pub use flat::{Flat, flatten};
pub use parser::{Error, MAX_DEPTH, Parse, parse};
pub use print::{print, print_instruction, print_operand};
