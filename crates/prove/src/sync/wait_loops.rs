//! Loops that only wait for a phase of an mbarrier. The number of their iterations depends on the order of
//! threads and has no other effect.
//!
//! Such a loop consists of a test of an mbarrier, a branch on its result, and a *region* of instructions
//! between the branch and the point where control continues on success. The region only tests the same
//! barrier for the same phase, reads clocks and sleeps; it ends where one of its tests has succeeded; and no
//! instruction outside it reads what it computes.

use kernels::effects;
use kernels::effects::Control;
use kernels::registers::{self, Place};
use ptx::cfg::{BlockId, Cfg};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{Cmp, MbarrierOp, Op};

/// For each instruction, whether it is a branch of a waiting loop, or affects such branches only.
pub(crate) fn waiting(flat: &Flat<'_>, noreturn: &dyn Fn(&str) -> bool) -> Vec<bool> {
    let mut spared = vec![false; flat.instructions.len()];
    if !flat.instructions.iter().any(is_wait) {
        return spared;
    }
    let cfg = Cfg::new(flat, noreturn);
    let found = Waits::new(flat, &cfg);
    for b in 0..cfg.blocks.len() {
        let Some(region) = found.region(BlockId(b as u32)) else { continue };
        spared[cfg.blocks[b].end as usize - 1] = true;
        for (r, _) in region.iter().enumerate().filter(|(_, inside)| **inside) {
            for i in cfg.blocks[r].start..cfg.blocks[r].end {
                spared[i as usize] |= !is_wait(&flat.instructions[i as usize]);
            }
        }
    }
    spared
}

/// A loop that waits for a phase.
pub(crate) struct Waited {
    /// The block with the first test.
    pub(crate) block: BlockId,
    /// The test's instruction.
    pub(crate) wait: usize,
    /// The blocks between a failed test and the point where control continues on success.
    pub(crate) region: Vec<bool>,
}

/// Returns all waiting loops.
pub(crate) fn of_phases(flat: &Flat<'_>, cfg: &Cfg) -> Vec<Waited> {
    let found = Waits::new(flat, cfg);
    let waited = |b: usize| {
        let block = BlockId(b as u32);
        let region = found.region(block)?;
        let code = cfg.block(block).start as usize..cfg.block(block).end as usize;
        let wait = code.rev().find(|&i| is_wait(&flat.instructions[i]))?;
        Some(Waited { block, wait, region })
    };
    (0..cfg.blocks.len()).filter_map(waited).collect()
}

/// Removes the edges by which a block that only waits is retried: what it computes again is the same. Compilers let such a
/// block begin the iterations of a loop around it, which would otherwise be one loop with its retries.
pub(crate) fn drop_retries(flat: &Flat<'_>, cfg: &mut Cfg) {
    let alone =
        |w: &Waited| w.region.iter().enumerate().all(|(b, inside)| *inside == (b == w.block.0 as usize));
    let waited: Vec<BlockId> = of_phases(flat, cfg).iter().filter(|w| alone(w)).map(|w| w.block).collect();
    for block in waited {
        let edges = &mut cfg.blocks[block.0 as usize];
        edges.successors.retain(|s| *s != block);
        edges.predecessors.retain(|p| *p != block);
    }
}

fn is_wait(inst: &FlatInstruction<'_>) -> bool {
    matches!(inst.op, Ok(Op::Mbarrier { op: MbarrierOp::Wait { .. }, .. }))
}

fn register(place: Place) -> Option<usize> {
    match place {
        Place::Whole(r) | Place::Element(r, _) => Some(r.0 as usize),
        Place::Carry => None,
    }
}

struct Waits<'a> {
    flat: &'a Flat<'a>,
    cfg: &'a Cfg,
    /// The number of instructions that write each register.
    written: Vec<u32>,
}

impl<'a> Waits<'a> {
    fn new(flat: &'a Flat<'a>, cfg: &'a Cfg) -> Self {
        let mut found = Waits { flat, cfg, written: vec![0; flat.registers.len()] };
        for inst in &flat.instructions {
            registers::visit(inst, |place, written| {
                if let (true, Some(r)) = (written, register(place)) {
                    found.written[r] += 1;
                }
            });
        }
        found
    }

    /// Returns the blocks between a block's failed test and the point where control continues on success.
    fn region(&self, from: BlockId) -> Option<Vec<bool>> {
        let (wait, success, failure) = self.test(from)?;
        let mut region = vec![false; self.cfg.blocks.len()];
        let mut work = vec![failure];
        while let Some(b) = work.pop() {
            if b == success || std::mem::replace(&mut region[b.0 as usize], true) {
                continue;
            }
            let block = self.cfg.block(b);
            let pure = |i: u32| self.is_pure(&self.flat.instructions[i as usize], wait);
            if block.exits || block.successors.is_empty() || !(block.start..block.end).all(pure) {
                return None;
            }
            if block.successors.contains(&success) && self.test(b).is_none_or(|(.., to, _)| to != success) {
                return None;
            }
            work.extend(&block.successors);
        }
        self.keeps_to_itself(&region, wait).then_some(region)
    }

    /// For a block that ends in a test, returns the wait, and the targets of control on success and on
    /// failure.
    fn test(&self, b: BlockId) -> Option<(&FlatInstruction<'_>, BlockId, BlockId)> {
        let block = self.cfg.block(b);
        let last = &self.flat.instructions[block.end as usize - 1];
        let (Ok(Op::Bra { .. }), Some(guard)) = (&last.op, last.guard) else { return None };
        let Arg::Label(label) = last.args.iter().find(|a| matches!(a, Arg::Label(_)))? else { return None };
        let taken = self.cfg.block_of(self.flat.labels[label.0 as usize].target);
        let other = block.successors.iter().copied().find(|&s| s != taken)?;
        let at = (block.start..block.end).rev().find(|&i| is_wait(&self.flat.instructions[i as usize]))?;
        let wait = &self.flat.instructions[at as usize];
        // The values of registers if the test has succeeded, and if it has failed.
        let mut values: Vec<(usize, [i128; 2])> = Vec::new();
        let Some(Arg::Reg(result)) = wait.args.first().filter(|_| wait.guard.is_none()) else { return None };
        values.push((result.0 as usize, [1, 0]));
        for i in at + 1..block.end - 1 {
            let inst = &self.flat.instructions[i as usize];
            if let (Some(Arg::Reg(d)), Some(value)) = (inst.args.first(), evaluate(inst, &values)) {
                values.push((d.0 as usize, value));
            }
        }
        let once = |r: usize| self.written[r] == 1;
        let known = values.iter().find(|(r, _)| *r == guard.register.0 as usize && once(*r))?.1;
        if !values.iter().all(|(r, _)| once(*r)) {
            return None;
        }
        match known.map(|v| (v != 0) != guard.negated) {
            [true, false] => Some((wait, taken, other)),
            [false, true] => Some((wait, other, taken)),
            _ => None,
        }
    }

    /// Returns whether an instruction neither accesses memory nor orders anything, except for tests like
    /// `wait`.
    fn is_pure(&self, inst: &FlatInstruction<'_>, wait: &FlatInstruction<'_>) -> bool {
        let Ok(op) = &inst.op else { return false };
        if is_wait(inst) {
            return inst.op.as_ref().ok() == wait.op.as_ref().ok() && inst.args[1..] == wait.args[1..];
        }
        let effects = effects(op, &inst.args);
        effects.touches.is_empty()
            && effects.order.is_none()
            && matches!(effects.control, Control::Next | Control::Branch)
    }

    /// Returns whether an instruction computes the same value in each iteration, if registers `inside` may change.
    fn is_fixed(&self, i: usize, inside: &[bool]) -> bool {
        let inst = &self.flat.instructions[i];
        let arithmetic = matches!(
            inst.op,
            Ok(Op::Mov { .. }
                | Op::Add { .. }
                | Op::Sub { .. }
                | Op::Mul { .. }
                | Op::Mad { .. }
                | Op::Shl { .. }
                | Op::Shr { .. }
                | Op::And { .. }
                | Op::Or { .. })
        );
        let once = |a: &Arg<'_>| matches!(a, Arg::Reg(r) if self.written[r.0 as usize] == 1);
        let same = |a: &Arg<'_>| match a {
            Arg::Reg(r) => !inside[r.0 as usize],
            a => matches!(a, Arg::Variable(..) | Arg::Symbol(..) | Arg::Int(_)),
        };
        let carry = inst.op.as_ref().is_ok_and(|op| {
            let carry = effects(op, &inst.args).carry;
            carry.read || carry.written
        });
        arithmetic
            && !carry
            && inst.guard.is_none()
            && inst.args.first().is_some_and(once)
            && inst.args[1..].iter().all(same)
    }

    /// Returns whether only the region reads what it writes, and it does not write the operands of the wait.
    fn keeps_to_itself(&self, region: &[bool], wait: &FlatInstruction<'_>) -> bool {
        let mut inside = vec![false; self.written.len()];
        let of_region = |i: usize| region[self.cfg.block_of(i as u32).0 as usize];
        let code = || (0..self.flat.instructions.len()).filter(|i| of_region(*i));
        // A value that is the same in each iteration may be read elsewhere.
        let mut fixed = vec![false; self.flat.instructions.len()];
        loop {
            inside.fill(false);
            for i in code().filter(|i| !fixed[*i]) {
                registers::visit(&self.flat.instructions[i], |place, written| {
                    if let (true, Some(r)) = (written, register(place)) {
                        inside[r] = true;
                    }
                });
            }
            let more: Vec<usize> = code().filter(|&i| !fixed[i] && self.is_fixed(i, &inside)).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|i| fixed[i] = true);
        }
        let mut alone = true;
        for (_, inst) in self.flat.instructions.iter().enumerate().filter(|(i, _)| !of_region(*i)) {
            registers::visit(inst, |place, written| {
                alone &= written || register(place).is_none_or(|r| !inside[r]);
            });
        }
        registers::visit(wait, |place, written| {
            alone &= written || register(place).is_none_or(|r| !inside[r]);
        });
        alone
    }
}

/// Returns an instruction's result on success and on failure, if its operands are constants or results of the
/// test.
fn evaluate(inst: &FlatInstruction<'_>, values: &[(usize, [i128; 2])]) -> Option<[i128; 2]> {
    if inst.guard.is_some() {
        return None;
    }
    let of = |arg: &Arg<'_>| match arg {
        Arg::Int(n) => Some([*n; 2]),
        Arg::Reg(r) => values.iter().find(|(known, _)| *known == r.0 as usize).map(|(_, v)| *v),
        _ => None,
    };
    let both = |f: &dyn Fn(usize) -> i128| Some([f(0), f(1)]);
    match inst.op.as_ref().ok()? {
        Op::Mov { .. } => of(inst.args.get(1)?),
        Op::Selp { .. } => {
            let (a, b, p) = (of(inst.args.get(1)?)?, of(inst.args.get(2)?)?, of(inst.args.get(3)?)?);
            both(&|n| if p[n] != 0 { a[n] } else { b[n] })
        }
        Op::Setp { cmp, combine: None, .. } => {
            let (a, b) = (of(inst.args.get(1)?)?, of(inst.args.get(2)?)?);
            match cmp {
                Cmp::Eq => both(&|n| i128::from(a[n] == b[n])),
                Cmp::Ne => both(&|n| i128::from(a[n] != b[n])),
                _ => None,
            }
        }
        _ => None,
    }
}
