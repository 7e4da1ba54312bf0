//! Launches of many blocks are checked by a sample of blocks: a function's body is duplicated, once in its
//! original form, and each block executes one of the two.
//!
//! Source: Arnold and Ryder, "A Framework for Reducing the Cost of Instrumented Code", PLDI 2001 (full
//! duplication), with the choice made once, at the beginning: all threads of a block take the same path, so
//! barriers and shuffles of whole warps are unaffected.

use crate::edit::{Edits, Settled};
use kernels::blocks::{Block, blocks};
use ptx::ast::{Function, Module, Space, Statement};
use ptx::flat::Flat;
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// The blocks of a launch that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The number of first blocks that are checked.
    pub first: u32,
    /// The divisor of the sample among the other blocks, a power of two; 1 for all. Each launch has a
    /// different sample.
    pub one_of: u32,
}

impl Blocks {
    pub const ALL: Blocks = Blocks { first: 0, one_of: 1 };

    pub(crate) fn are_all(self) -> bool {
        self.one_of <= 1
    }

    /// Returns text that sets the predicate `taken` in blocks that are checked. Uses the 32-bit registers
    /// `%wr_r0` to `%wr_r2` and the 64-bit one `%wr_a0`.
    pub(crate) fn choose(self, taken: &str) -> String {
        let mut out = String::from(
            "\
\tmov.u32 %wr_r0, %ctaid.z;
\tmov.u32 %wr_r1, %nctaid.y;
\tmov.u32 %wr_r2, %ctaid.y;
\tmad.lo.u32 %wr_r0, %wr_r0, %wr_r1, %wr_r2;
\tmov.u32 %wr_r1, %nctaid.x;
\tmov.u32 %wr_r2, %ctaid.x;
\tmad.lo.u32 %wr_r0, %wr_r0, %wr_r1, %wr_r2;
",
        );
        let (first, shift) = (self.first, 32 - self.one_of.max(2).ilog2());
        let _ = write!(
            out,
            "\
\tsetp.lt.u32 {taken}, %wr_r0, {first};
\tmov.u64 %wr_a0, %gridid;
\tcvt.u32.u64 %wr_r1, %wr_a0;
\tmul.lo.u32 %wr_r1, %wr_r1, {LAUNCH};
\tmad.lo.u32 %wr_r0, %wr_r0, {GOLDEN}, %wr_r1;
\tshr.u32 %wr_r0, %wr_r0, {shift};
\tsetp.eq.or.u32 {taken}, %wr_r0, 0, {taken};
"
        );
        out
    }
}

/// 2^32 divided by the golden ratio: its multiples are evenly distributed.
pub(crate) const GOLDEN: i32 = -1_640_531_535;
/// An odd number unrelated to [`GOLDEN`].
pub(crate) const LAUNCH: i32 = -2_048_144_789;

/// The label at which unchecked blocks continue.
const PLAIN: &str = "$__warprace_plain";

/// The second body, beside the edited one.
pub(crate) enum Plain<'a, 't> {
    /// The original text.
    Text(&'a str),
    /// A text with other edits, which lie behind its beginning.
    Edited(&'a Settled<'t>),
}

impl Plain<'_, '_> {
    fn part(&self, part: Range<usize>) -> Cow<'_, str> {
        match self {
            Plain::Text(text) => text.get(part).unwrap_or_default().into(),
            Plain::Edited(edits) => edits.part(part).into(),
        }
    }
}

/// Appends the plain body behind the edited one, and inserts a choice in front. Modules with debug
/// information, whose tables refer to places in the body, are not duplicated: all their blocks are checked.
pub(crate) fn twice(
    function: &Function,
    module: &Module,
    text: &str,
    plain_text: &Plain<'_, '_>,
    which: Blocks,
    edits: &mut Edits<'_>,
) {
    let Some(body) = &function.body else { return };
    if which.are_all() || module.target.iter().any(|target| target == "debug") {
        return;
    }
    let (start, end) = (body.span.start as usize + 1, (body.span.end as usize).saturating_sub(1));
    let mut from = match plain_text {
        Plain::Text(_) => start,
        // The initialisation at the beginning serves both bodies and is not repeated.
        Plain::Edited(_) => match text.get(start..end).and_then(|body| body.chars().next()) {
            Some(blank) if blank.is_whitespace() => start + blank.len_utf8(),
            _ => return,
        },
    };
    let mut plain = String::new();
    // Variables in memory are declared only once.
    for statement in &body.statements {
        let Statement::Variable(variable) = statement else { continue };
        if variable.space == Space::Reg {
            continue;
        }
        plain.push_str(&plain_text.part(from..variable.span.start as usize));
        from = variable.span.end as usize;
        from += text.get(from..).and_then(|rest| rest.find(';')).map_or(0, |at| at + 1);
    }
    plain.push_str(&plain_text.part(from..end));
    let choose = which.choose("%wr_p");
    edits.insert(
        start as u32,
        format!(
            "\n\t{{\n\t.reg .pred %wr_p;\n\t.reg .b32 %wr_r<3>;\n\t.reg .b64 %wr_a<1>;\n{choose}\t@!%wr_p bra {PLAIN};\n\t}}\n"
        ),
    );
    edits.insert(end as u32, format!("\n\tret;\n{PLAIN}:\n\t{{\n{plain}\n\t}}\n"));
}

/// The largest number of basic blocks of a function that is analysed.
const MOST_BLOCKS: usize = 3000;

/// Returns, for each instruction, whether a thread may execute it more than once.
pub(crate) fn in_loops(flat: &Flat<'_>) -> Vec<bool> {
    let mut out = vec![false; flat.instructions.len()];
    if out.is_empty() {
        return out;
    }
    let blocks = blocks(flat);
    for (b, block) in blocks.iter().enumerate() {
        if blocks.len() > MOST_BLOCKS || comes_back(&blocks, b) {
            out[block.start..block.end].fill(true);
        }
    }
    out
}

fn comes_back(blocks: &[Block], b: usize) -> bool {
    let mut seen = vec![false; blocks.len()];
    let mut next = blocks[b].successors.clone();
    while let Some(n) = next.pop() {
        if n == b {
            return true;
        }
        if !std::mem::replace(&mut seen[n], true) {
            next.extend(&blocks[n].successors);
        }
    }
    false
}
