//! Finds instructions that only some threads of a block execute, because a branch diverges within the block.
//!
//! A `__syncthreads()` there may wait for threads that never arrive. A branch counts if its condition depends
//! on the thread's index and both sides continue: an early return and the exit of a loop do not count, since
//! barriers do not wait for exited threads. The analysis follows the condition through registers and through
//! the memory-resident variables of a debug build; other loads count as uniform across threads.

use crate::registers::{Place, visit};
use ptx::cfg::{BlockId, Cfg};
use ptx::flat::{Arg, Base, Flat, FlatInstruction};
use ptx::op::Op;
use ptx::sreg::SpecialReg;
use std::collections::HashSet;

/// The largest number of instructions of a function that is analysed.
const LARGEST: usize = 1 << 16;

/// One side of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The branch, an index into [`Flat::instructions`].
    pub branch: usize,
    /// Whether this side is the taken one.
    pub taken: bool,
    /// Whether a loop leads from behind the branch back to it.
    pub repeated: bool,
}

/// Returns, for each instruction, the outermost divergent side that contains it; an empty list if the
/// function has no divergent branch.
pub fn ways(flat: &Flat<'_>) -> Vec<Option<Way>> {
    let count = flat.instructions.len();
    let decides = |inst: &FlatInstruction<'_>| matches!(inst.op, Ok(Op::Bra { .. })) && inst.guard.is_some();
    if count > LARGEST || !flat.instructions.iter().any(decides) || !flat.instructions.iter().any(indexes) {
        return Vec::new();
    }
    let varies = varying(flat);
    let cfg = Cfg::new(flat, |name| name == "__assertfail");
    let mut found: Vec<(Way, Vec<BlockId>)> = Vec::new();
    for (i, inst) in flat.instructions.iter().enumerate() {
        if decides(inst) && inst.guard.is_some_and(|guard| varies[guard.register.0 as usize]) {
            found.extend(both_ways(flat, &cfg, i));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    // Outer branches enclose more blocks than inner ones.
    found.sort_by_key(|(way, blocks)| (std::cmp::Reverse(blocks.len()), way.branch));
    let mut out = vec![None; count];
    for (way, blocks) in &found {
        for block in blocks {
            let block = cfg.block(*block);
            for slot in &mut out[block.start as usize..block.end as usize] {
                slot.get_or_insert(*way);
            }
        }
    }
    out
}

/// Returns both sides of a branch with their blocks, if both continue.
fn both_ways(flat: &Flat<'_>, cfg: &Cfg, branch: usize) -> Vec<(Way, Vec<BlockId>)> {
    let from = cfg.block_of(branch as u32);
    let block = cfg.block(from);
    // Only the last instruction of a basic block can branch.
    if block.end as usize != branch + 1 || block.successors.len() != 2 {
        return Vec::new();
    }
    let join = cfg.post_dominator(from);
    let sides = [block.successors[0], block.successors[1]].map(|first| reached(cfg, first, join));
    if sides.iter().any(|side| side.contains(&from)) {
        return Vec::new();
    }
    let acts = |block: &BlockId| {
        let block = cfg.block(*block);
        let rest = &flat.instructions[block.start as usize..block.end as usize];
        rest.iter().any(|inst| !matches!(inst.op, Ok(Op::Ret | Op::Exit | Op::Bra { .. })))
    };
    let ends = match join {
        Some(join) => !reached(cfg, join, None).iter().any(acts),
        None => true,
    };
    if ends && sides.iter().any(|side| !side.iter().any(acts)) {
        return Vec::new();
    }
    let repeated = join.is_some_and(|join| reached(cfg, join, None).contains(&from));
    let mut sides = sides.into_iter();
    let way = |taken| Way { branch, taken, repeated };
    [false, true].into_iter().filter_map(|taken| Some((way(taken), sides.next()?))).collect()
}

/// Returns the blocks reachable from `first`, inclusive, without passing `end`.
fn reached(cfg: &Cfg, first: BlockId, end: Option<BlockId>) -> Vec<BlockId> {
    if Some(first) == end {
        return Vec::new();
    }
    let (mut seen, mut next) = (HashSet::from([first]), 0);
    let mut order = vec![first];
    while let Some(&at) = order.get(next) {
        next += 1;
        for &successor in &cfg.block(at).successors {
            if Some(successor) != end && seen.insert(successor) {
                order.push(successor);
            }
        }
    }
    order
}

/// Returns whether an instruction reads a value that differs between the threads of a block.
fn indexes(inst: &FlatInstruction<'_>) -> bool {
    use SpecialReg::{Laneid, TidX, TidY, TidZ, Warpid};
    let index = |arg: &Arg<'_>| matches!(arg, Arg::Special(TidX | TidY | TidZ | Laneid | Warpid));
    matches!(inst.op, Ok(Op::Elect)) || inst.args.iter().any(index)
}

/// Returns, for each register, whether its value depends on the thread's index.
fn varying(flat: &Flat<'_>) -> Vec<bool> {
    let mut varies = vec![false; flat.registers.len()];
    // Memory-resident variables that hold such a value.
    let mut stored: HashSet<(Base<'_>, i64)> = HashSet::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for inst in &flat.instructions {
            let place = inst.args.iter().find_map(|arg| match arg {
                Arg::Address { base, offset, .. } => Some((*base, *offset)),
                _ => None,
            });
            let mut reads = indexes(inst);
            visit(inst, |place, written| {
                if let (Place::Whole(id) | Place::Element(id, _), false) = (place, written) {
                    reads |= varies[id.0 as usize];
                }
            });
            match inst.op {
                Ok(Op::Ld(_) | Op::Ldu(_)) => reads = place.is_some_and(|place| stored.contains(&place)),
                Ok(Op::St(_)) => {
                    let value = inst.args.iter().any(|arg| match arg {
                        Arg::Reg(id) | Arg::Element(id, _) => varies[id.0 as usize],
                        _ => false,
                    });
                    changed |= value && place.is_some_and(|place| stored.insert(place));
                    continue;
                }
                // The results of these depend on other threads.
                Ok(Op::Atom(_) | Op::Bar { .. } | Op::Mbarrier { .. }) => continue,
                _ => {}
            }
            if reads {
                visit(inst, |place, written| {
                    if let (Place::Whole(id) | Place::Element(id, _), true) = (place, written) {
                        changed |= !std::mem::replace(&mut varies[id.0 as usize], true);
                    }
                });
            }
        }
    }
    varies
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the side on which each store of a kernel lies, in text order.
    fn stores(body: &str) -> Vec<Option<(bool, bool)>> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n\
             .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n\
             mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nld.param.u64 %d1, [p];\n{body}\n}}\n"
        );
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let Some(ptx::ast::Item::Function(function)) = parsed.module.items.first() else {
            panic!("no kernel")
        };
        let flat = ptx::flat::flatten(function);
        let ways = ways(&flat);
        let is_store = |i: &usize| matches!(flat.instructions[*i].op, Ok(Op::St(_)));
        let way = |i: usize| ways.get(i).copied().flatten().map(|way| (way.taken, way.repeated));
        (0..flat.instructions.len()).filter(is_store).map(way).collect()
    }

    const STORE: &str = "st.global.u32 [%d1], %r2;\n";

    #[test]
    fn warps_of_two_roles_are_on_two_ways() {
        let body = format!(
            "shr.u32 %r3, %r1, 5;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\n{STORE}bra E;\nL:\n{STORE}E:\n{STORE}ret;"
        );
        assert_eq!(stores(&body), [Some((false, false)), Some((true, false)), None]);
    }

    #[test]
    fn roles_are_known_in_debug_builds() {
        let body = format!(
            "st.u32 [%d2+4], %r1;\nld.u32 %r4, [%d2+4];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\n{STORE}bra E;\nL:\n{STORE}\
             E:\n{STORE}ret;"
        );
        assert_eq!(stores(&body)[1..], [Some((false, false)), Some((true, false)), None]);
    }

    #[test]
    fn a_guard_of_all_the_rest_and_a_loop_are_no_roles() {
        let guard = format!("setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra E;\n{STORE}E:\nret;");
        assert_eq!(stores(&guard), [None]);
        let strided =
            format!("L:\n{STORE}add.u32 %r1, %r1, 32;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra L;\n{STORE}ret;");
        assert_eq!(stores(&strided), [None, None]);
        let uniform = format!("setp.ge.u32 %p1, %r2, 3;\n@%p1 bra L;\n{STORE}L:\n{STORE}ret;");
        assert_eq!(stores(&uniform), [None, None]);
    }

    #[test]
    fn a_branch_in_a_loop_says_so() {
        let body = format!(
            "L:\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra J;\n{STORE}J:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 9;\n\
             @%p2 bra L;\n{STORE}ret;"
        );
        assert_eq!(stores(&body), [Some((false, true)), None]);
    }
}
