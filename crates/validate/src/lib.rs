//! Translation validation of instrumented PTX: a module with checks is the program's module with harmless
//! additions.
//!
//! [`validate`] takes both texts and what the tool has declared ([`Declared`]), and knows nothing of how the
//! checks were made: it shares `ptx` and `flowgraph` with the instrumenting crate, and no other code. Source: Pnueli,
//! Siegel and Singerman, "Translation Validation", TACAS 1998: each result is checked, not the translator.
//!
//! # What is proved of a module that passes
//!
//! **The original is contained** (`weave`). Without the added statements, the text is the original one: items,
//! functions, parameters, directives, variables, labels, line information and instructions, in their order, with
//! operands that resolve to the same registers, variables and labels. These additions exist, all with names that
//! the original does not use (`tool`):
//!
//! ```text
//! module:    .func __warprace_NAME(…) { … }       in front of the functions
//! entry:     .param .align 8 .b8 __warprace_launch[…]  behind the parameters
//! .func:     .param .b64 __warprace_told          behind the parameters, in all functions of the module or none,
//!                                                 and in what is declared to be linked
//! prototype: .param .b64 _                        likewise
//! call:      , __warprace_toldN                   likewise
//! body:      .reg … %__warprace_NAME;   .local … __warprace_NAME[…];   .param .b64 __warprace_toldN;
//!            an instruction that names these;     a block that begins with such a name:
//! block:     .reg … %wr_NAME;   .param … wr_NAME;   $wr_NAME:   instructions   blocks
//!            at most one load or store of the program
//! ```
//!
//! A body may be there twice: the instrumented one, `ret`, the label `$__warprace_plain` and a block with the
//! second one, which lacks the declarations of variables in memory. The branch to that label precedes all
//! instructions of the program and is proved to be the same for all threads of a block.
//!
//! **Added code changes nothing of the program** (`exec`, `memory`). Only the listed instructions exist there.
//! They write registers of the tool; memory at constant addresses inside the declared ranges, at the address that
//! the launch parameter passes, and of the tool's own `.local` variables, by an analysis of each address's interval and alignment;
//! and parameters of calls of added functions. Memory of the program is read where the instruction beside the
//! added code reads or writes it itself, and only if that instruction is executed. Declared exceptions:
//!
//! * before a `cp.async`, its destination may be written, which the copy overwrites;
//! * behind `mov.u32 R, %ctaid.x`, R may become a value below `%nctaid.x` ([`Declared::renames`]; that the map is
//!   a permutation is a property of its numbers, which is tested where they are chosen);
//! * the last instruction of an added function may be `trap` ([`Declared::traps`]).
//!
//! **Control flow is a refinement** (`flow`, `loops`). Added branches stay between two instructions of the program;
//! one may skip a guarded instruction if its own guard is the opposite one. Added loops are counters with a bound
//! that does not change, countdowns, or retries of a compare-and-swap, which fail only if another thread has
//! succeeded. There is no added `exit`, and calls are of added functions, none of which is recursive.
//!
//! **Convergence is kept** (`flow`, `exec`). There are no added barriers of blocks. `shfl`, `vote` and `match` have
//! the mask that an `activemask` of the same block has returned, with no branch in between that could divide these
//! lanes: a branch by the result of `vote.sync.all` with that mask cannot. `bar.warp.sync -1` is directly before an
//! `.aligned` instruction on matrices, tensor maps or tensor memory, which all lanes of the warp execute together in any
//! case.
//!
//! # What is not proved
//!
//! That the checks are right, in time, or cheap; that ptxas translates the text faithfully; that the tool's memory
//! is where the declaration says; and that loads through the launch parameter are skipped in launches without one.

mod context;
mod domain;
mod exec;
mod flow;
mod loops;
mod memory;
mod module;
mod part;
mod place;
mod same;
mod state;
mod tool;
mod unit;
mod weave;

pub use part::{part, shares_nothing};

use std::collections::BTreeSet;
use std::ops::Range;

/// The tool's properties, as it declares them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The addresses of the tool's memory.
    pub memory: Vec<Range<u64>>,
    /// The bytes behind the address that the launch parameter passes, a multiple of 16; 0 if it passes none.
    pub passed: u64,
    /// Whether added code may rename blocks.
    pub renames: bool,
    /// Whether added functions may trap.
    pub traps: bool,
    /// Set if the text is linked to others, and the functions of all of them have the additional parameter. Each text is
    /// then validated against the same declaration.
    pub linked: Option<Linked>,
}

/// Texts that are linked to each other, and to no other code that calls their functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// The visible functions.
    pub functions: BTreeSet<String>,
    /// The bytes of the buffer that each kernel passes to functions.
    pub bytes: u64,
}

/// The extent of a validated module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The program's instructions, as often as the text has them.
    pub program: usize,
    /// The added instructions.
    pub added: usize,
    /// The accesses of added code whose addresses were proved.
    pub accesses: usize,
}

/// The reason why an instrumented module is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the instrumented text: {reason}")]
pub struct Fault {
    /// The line of the instrumented text, from 1; 0 for the module as a whole.
    pub line: u32,
    pub reason: Reason,
}

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("the text is malformed: {0}")]
    Malformed(String),
    #[error("the program uses a name of the tool: `{0}`")]
    Named(String),
    #[error("`{found}` stands where the program has `{expected}`")]
    Changed { expected: String, found: String },
    #[error("an addition that is not declared: `{0}`")]
    Undeclared(String),
    #[error("a name resolves to another entity than in the program: `{0}`")]
    Resolved(String),
    #[error("added code may not contain `{0}`")]
    Instruction(String),
    #[error("added code writes a register of the program: `{0}`")]
    Register(String),
    #[error("added code may access memory that is not the tool's: {0}")]
    Memory(String),
    #[error("added code leaves its place between two instructions of the program: `{0}`")]
    Branch(String),
    #[error("an added loop has no bound: `{0}`")]
    Loop(String),
    #[error("an added call does not fit: `{0}`")]
    Call(String),
    #[error("added code may wait for lanes that do not come: `{0}`")]
    Convergence(String),
    #[error("threads of one block may choose different bodies: `{0}`")]
    Choice(String),
}

/// Checks that `instrumented` is `original` with harmless additions.
pub fn validate(original: &str, instrumented: &str, declared: &Declared) -> Result<Extent, Fault> {
    module::validate(original, instrumented, declared)
}
