//! Launches of many blocks are looked at by a sample of them: a function's body is there twice, once as it was, and each
//! block takes one of the two.
//!
//! Source: Arnold and Ryder, "A Framework for Reducing the Cost of Instrumented Code", PLDI 2001 (full duplication), with
//! the choice made once, at the beginning: all threads of a block take the same way, so that barriers and shuffles
//! of whole warps stay what they were.

use crate::edit::{Edits, Settled};
use kernels::blocks::{Block, blocks};
use ptx::ast::{Function, Module, Space, Statement};
use ptx::flat::Flat;
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// Which blocks of a launch are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The first so many.
    pub first: u32,
    /// Of the others one of so many, a power of two; 1 is all. Each launch has others.
    pub one_of: u32,
}

impl Blocks {
    pub const ALL: Blocks = Blocks { first: 0, one_of: 1 };

    pub(crate) fn are_all(self) -> bool {
        self.one_of <= 1
    }

    /// Text that sets the predicate `taken` in blocks that are looked at. Uses the 32-bit registers `%wr_r0` to
    /// `%wr_r2` and the 64-bit one `%wr_a0`.
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

/// 2^32 divided by the golden ratio: multiples of it fall evenly.
pub(crate) const GOLDEN: i32 = -1_640_531_535;
/// Odd, and nothing to do with the other.
pub(crate) const LAUNCH: i32 = -2_048_144_789;

/// Where blocks go on that are not looked at.
const PLAIN: &str = "$__warprace_plain";

/// What a body is beside the edited one.
pub(crate) enum Plain<'a, 't> {
    /// As it was.
    Text(&'a str),
    /// With other edits, which are behind its beginning.
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

/// Puts the body as it is without these edits behind the one that is edited, and a choice in front. Modules for debuggers, whose
/// tables name places in the body, are left as they are: all their blocks are looked at.
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
        // What is made ready at the beginning holds for both bodies, and is not to be done again.
        Plain::Edited(_) => match text.get(start..end).and_then(|body| body.chars().next()) {
            Some(blank) if blank.is_whitespace() => start + blank.len_utf8(),
            _ => return,
        },
    };
    let mut plain = String::new();
    // What lies in memory is there once.
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

/// More blocks of instructions than that are not looked through.
const MOST_BLOCKS: usize = 3000;

/// For each instruction, whether a thread may come by more than once.
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
