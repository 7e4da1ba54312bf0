//! Programmatic dependent launches: what a kernel does before it has waited for the kernel before it (PTX §9.7.13, `griddepcontrol`;
//! `docs/assumptions.md`, H7).
//!
//! That a thread has waited it tells others of its block, by whatever they meet at. Who may know of a wait counts as having waited.

use super::launches::{Early, OVERLAP, parameter};
use super::register;
use super::runtime;
use crate::collide::access::guard as guard_of;
use ptx::ast::Module;
use ptx::cfg::Cfg;
use ptx::flat::{Flat, FlatInstruction};
use ptx::op::Op;
use std::fmt::Write;

/// A register: which lane's last launch a thread has not waited for, plus 1, as in a check's second parameter; 0 if there is none.
const EARLY: &str = "early";

fn waits(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.op, Ok(Op::GridDepControl { wait: true }))
}

fn lets_begin(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.op, Ok(Op::GridDepControl { wait: false }))
}

/// Has a text's target such instructions?
pub(super) fn has_them(module: &Module) -> bool {
    let new = |target: &String| {
        let number = target.strip_prefix("sm_").map(|n| n.trim_end_matches(char::is_alphabetic));
        number.is_some_and(|n| n.parse().is_ok_and(|n: u32| n >= 90))
    };
    module.target.iter().any(new)
}

/// What is known of a kernel that calls nothing that could wait for it.
pub(super) fn early(flat: &Flat<'_>) -> Early {
    match flat.instructions.iter().any(waits) {
        true => Early::UntilWaited,
        false => Early::Throughout,
    }
}

/// Does each thread wait before it lets the next kernel begin, and before it ends?
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

/// Where threads of a kernel that waits meet others that may have.
#[derive(Debug)]
pub(super) struct Meetings<'a, 't> {
    flat: &'a Flat<'t>,
    cfg: Cfg,
}

impl<'a, 't> Meetings<'a, 't> {
    pub(super) fn of(flat: &'a Flat<'t>) -> Meetings<'a, 't> {
        Meetings { flat, cfg: Cfg::new(flat, |name| name == "__assertfail") }
    }

    /// Behind an instruction, of which is known whether threads may meet there, and whether all of a block do.
    pub(super) fn behind(&self, i: usize, meets: bool, all: bool) -> Option<String> {
        let inst = &self.flat.instructions[i];
        let early = register(EARLY);
        if waits(inst) {
            let skip = super::thread::unless(&guard_of(inst));
            return Some(format!("\n\t{{\n{skip}\tmov.u32 {early}, 0;\n$wr_end:\n\t}}\n"));
        }
        // Nobody is met where the next kernel is let begin.
        let meets = meets && !lets_begin(inst);
        (meets && !(all && inst.guard.is_none() && self.is_first(i)))
            .then(|| format!("\n\tmov.u32 {early}, 0;\n"))
    }

    /// Has nobody waited who is there? So it is where all threads meet once, on each way to a wait.
    fn is_first(&self, i: usize) -> bool {
        let waited = self.reaches(0, Some(i), &|at| waits(&self.flat.instructions[at]));
        !waited && !self.reaches(i + 1, None, &|at| at == i)
    }

    /// Does a way lead from an instruction to such a one, without another one?
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

/// At the beginning of such a kernel.
pub(super) fn beginning() -> String {
    let (early, launch) = (register(EARLY), parameter());
    format!(
        "\t.reg .b32 {early};\n\tld.param.u32 {early}, [{launch}+{OVERLAP}];\n\tshl.b32 {early}, {early}, {};\n",
        runtime::EARLY
    )
}

/// What a check is told in such a kernel, in `%wr_early`, which is declared.
pub(super) fn said(what: &str, out: &mut String) -> String {
    let _ = write!(out, "\t.reg .b32 %wr_early;\n\tor.b32 %wr_early, {}, {what};\n", register(EARLY));
    "%wr_early".to_owned()
}
