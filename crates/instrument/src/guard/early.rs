//! Programmatic dependent launches: the part of a kernel before it has waited for the preceding kernel (PTX
//! §9.7.13, `griddepcontrol`; `docs/assumptions.md`, H7).
//!
//! A thread that has waited is ordered before the threads of its block that synchronise with it. A thread
//! that may be ordered behind a wait counts as having waited.

use super::launches::{Early, OVERLAP, parameter};
use super::register;
use super::runtime;
use crate::collide::access::guard as guard_of;
use ptx::ast::Module;
use ptx::cfg::Cfg;
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::Op;
use std::fmt::Write;

/// The register with the lane whose last launch the thread has not waited for, plus 1, as in a check's second
/// parameter; 0 if there is none.
const EARLY: &str = "early";

fn waits(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.op, Ok(Op::GridDepControl { wait: true }))
}

fn lets_begin(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.op, Ok(Op::GridDepControl { wait: false }))
}

/// Returns whether a text's target has these instructions.
pub(super) fn has_them(module: &Module) -> bool {
    let new = |target: &String| {
        let number = target.strip_prefix("sm_").map(|n| n.trim_end_matches(char::is_alphabetic));
        number.is_some_and(|n| n.parse().is_ok_and(|n: u32| n >= 90))
    };
    module.target.iter().any(new)
}

/// Returns the order of a kernel that calls no function that could wait.
pub(super) fn early(flat: &Flat<'_>) -> Early {
    match flat.instructions.iter().any(waits) {
        true => Early::UntilWaited,
        false => Early::Throughout,
    }
}

/// Returns whether each thread waits before it lets the next kernel begin, and before it ends.
pub(super) fn gates(flat: &Flat<'_>) -> bool {
    let cfg = Cfg::new(flat, |name| name == "__assertfail");
    let (mut seen, mut rest) = (vec![false; cfg.blocks.len()], vec![0]);
    while let Some(block) = rest.pop() {
        let Some(seen) = seen.get_mut(block).filter(|seen| !**seen) else { continue };
        *seen = true;
        let block = &cfg.blocks[block];
        let mut waited = false;
        for inst in &flat.instructions[block.start as usize..block.end as usize] {
            if lets_begin(inst) {
                return false;
            }
            if waits(inst) && inst.guard.is_none() {
                waited = true;
                break;
            }
        }
        if waited {
            continue;
        }
        if block.exits {
            return false;
        }
        rest.extend(block.successors.iter().map(|b| b.0 as usize));
    }
    !flat.instructions.is_empty()
}

/// The places at which threads of a waiting kernel synchronise with threads that may have waited.
#[derive(Debug)]
pub(super) struct Meetings<'a, 't> {
    flat: &'a Flat<'t>,
    cfg: Cfg,
}

impl<'a, 't> Meetings<'a, 't> {
    pub(super) fn of(flat: &'a Flat<'t>) -> Meetings<'a, 't> {
        Meetings { flat, cfg: Cfg::new(flat, |name| name == "__assertfail") }
    }

    /// Returns the text behind an instruction. `meets` tells that threads may synchronise there, `all` that
    /// all threads of the block do.
    pub(super) fn behind(&self, i: usize, meets: bool, all: bool) -> Option<String> {
        let inst = &self.flat.instructions[i];
        let early = register(EARLY);
        if waits(inst) {
            let skip = super::thread::unless(&guard_of(inst));
            return Some(format!("\n\t{{\n{skip}\tmov.u32 {early}, 0;\n$wr_end:\n\t}}\n"));
        }
        // Letting the next kernel begin synchronises with no thread.
        let meets = meets && !lets_begin(inst);
        (meets && !(all && inst.guard.is_none() && self.is_first(i)))
            .then(|| format!("\n\tmov.u32 {early}, 0;\n"))
    }

    /// Returns whether no participating thread has waited: all threads synchronise there once, before any
    /// wait.
    fn is_first(&self, i: usize) -> bool {
        let waited = self.reaches(0, Some(i), &|at| waits(&self.flat.instructions[at]));
        !waited && !self.reaches(i + 1, None, &|at| at == i)
    }

    /// Returns whether a path leads from an instruction to one that `found` accepts, without passing
    /// `without`.
    fn reaches(&self, from: usize, without: Option<usize>, found: &dyn Fn(usize) -> bool) -> bool {
        let number = self.flat.instructions.len();
        if from >= number {
            return false;
        }
        let (mut seen, mut rest) = (vec![false; self.cfg.blocks.len()], vec![from]);
        while let Some(from) = rest.pop() {
            let Some(at) =
                self.cfg.blocks.iter().position(|b| (b.start as usize..b.end as usize).contains(&from))
            else {
                continue;
            };
            let block = &self.cfg.blocks[at];
            let mut ended = false;
            for i in from..block.end as usize {
                if Some(i) == without {
                    ended = true;
                    break;
                }
                if found(i) {
                    return true;
                }
            }
            if ended {
                continue;
            }
            for next in &block.successors {
                let next = next.0 as usize;
                if !std::mem::replace(&mut seen[next], true) {
                    rest.push(self.cfg.blocks[next].start as usize);
                }
            }
        }
        false
    }
}

/// Returns the text for the beginning of such a kernel.
pub(super) fn beginning() -> String {
    let (early, launch) = (register(EARLY), parameter());
    format!(
        "\t.reg .b32 {early};\n\tld.param.u32 {early}, [{launch}+{OVERLAP}];\n\tshl.b32 {early}, {early}, {};\n",
        runtime::EARLY
    )
}

/// Returns the second argument of a check in such a kernel: `%wr_early`, which is declared here.
pub(super) fn said(what: &str, out: &mut String) -> String {
    let _ = write!(out, "\t.reg .b32 %wr_early;\n\tor.b32 %wr_early, {}, {what};\n", register(EARLY));
    "%wr_early".to_owned()
}
