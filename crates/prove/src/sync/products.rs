//! Registers of products of warpgroups (`wgmma`, PTX §9.7.15.5 and §9.7.16.7).
//!
//! A product that is under way must keep its registers: until its thread has waited for its group, no instruction
//! overwrites one of them, and none reads an accumulator. A `wgmma.fence` lies before the first product, and between an
//! access of a register and a product that uses it. Products of one shape may share accumulators without either. `mov`
//! gives a value another name, and is no access (`docs/assumptions.md`, 12d).
//!
//! A kernel that may break these rules is not proved. The virtual GPU shows that it does: a race of registers.

use super::async_copies::{GroupStep, Steps};
use crate::kernel::instructions::{number, read};
use crate::kernel::shape::Shape;
use ptx::cfg::{BlockId, Cfg};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::Op;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

const EARLY: &str = "registers of a product of a warpgroup may be accessed before it is complete";
const UNFENCED: &str = "a product of a warpgroup may lack a `wgmma.fence` behind accesses of its registers";
const GUARDED: &str = "it has products of warpgroups that a predicate guards, not modelled yet";
const LARGE: &str = "it has products of warpgroups on too many paths, not modelled yet";

/// Limits the states of a search.
const MOST: usize = 20_000;

/// Groups are counted up to this number.
const MOST_GROUPS: u32 = 17;

/// A kernel's code.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) flat: &'a Flat<'a>,
    pub(crate) cfg: &'a Cfg,
    pub(crate) shape: &'a Shape,
}

/// The registers of a product.
struct Product {
    inst: usize,
    shape: (u16, u16),
    accumulators: BTreeSet<u32>,
    /// Registers of A, if it is no matrix in memory.
    factors: BTreeSet<u32>,
}

impl Product {
    fn of(inst: usize, code: &FlatInstruction<'_>) -> Option<Product> {
        let (Ok(Op::Wgmma(product)), [d, a, ..]) = (&code.op, code.args.as_slice()) else { return None };
        let (mut accumulators, mut factors) = (Vec::new(), Vec::new());
        read(d, &mut accumulators);
        if matches!(a, Arg::Vector(_)) {
            read(a, &mut factors);
        }
        let (accumulators, factors) = (accumulators.into_iter().collect(), factors.into_iter().collect());
        Some(Product { inst, shape: (product.n, product.k), accumulators, factors })
    }

    fn has(&self, register: u32) -> bool {
        self.accumulators.contains(&register) || self.factors.contains(&register)
    }
}

/// Fails if a product's registers may be accessed while it is under way, or without a fence before it. `steps` are the
/// commits and waits of products.
pub(crate) fn check(place: Place<'_>, steps: &Steps) -> Result<(), &'static str> {
    for (i, code) in place.flat.instructions.iter().enumerate() {
        let Some(product) = Product::of(i, code) else { continue };
        if place.shape.place[place.cfg.block_of(i as u32).0 as usize].is_none() {
            continue;
        }
        if code.guard.is_some() {
            return Err(GUARDED);
        }
        place.are_kept(&product, steps)?;
        place.are_fenced(&product)?;
    }
    Ok(())
}

/// Returns the registers that an instruction reads, and those that it writes.
fn registers(code: &FlatInstruction<'_>) -> (Vec<u32>, Vec<u32>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    kernels::registers::visit(code, |place, written| {
        if let Some(register) = number(place) {
            if written { writes.push(register) } else { reads.push(register) }
        }
    });
    (reads, writes)
}

/// Returns the register that a `mov` writes, and the one that it reads, if it reads one.
fn moved(code: &FlatInstruction<'_>) -> Option<(u32, Option<u32>)> {
    match (&code.op, code.args.as_slice()) {
        (Ok(Op::Mov { .. }), [Arg::Reg(to), Arg::Reg(from)]) => Some((to.0, Some(from.0))),
        (Ok(Op::Mov { .. }), [Arg::Reg(to), Arg::Int(_) | Arg::F32(_) | Arg::F64(_)]) => Some((to.0, None)),
        _ => None,
    }
}

/// Accumulators and factors in registers.
type Wanted = (BTreeSet<u32>, BTreeSet<u32>);

/// Registers with an accumulator's value, and the accumulator.
type Names = BTreeSet<(u32, u32)>;

impl Place<'_> {
    /// Fails if an instruction behind a product touches its registers before the wait.
    fn are_kept(self, product: &Product, steps: &Steps) -> Result<(), &'static str> {
        let first = self.cfg.block_of(product.inst as u32);
        let names: Names = product.accumulators.iter().map(|&r| (r, r)).collect();
        let mut seen: FxHashSet<(BlockId, u32, Names)> = FxHashSet::default();
        let mut work = vec![(first, product.inst + 1, 0u32, names)];
        while let Some((b, from, mut closed, mut names)) = work.pop() {
            let block = self.cfg.block(b);
            let mut waited = false;
            for i in from..block.end as usize {
                match steps.get(&i) {
                    Some(GroupStep::Commit) => closed = (closed + 1).min(MOST_GROUPS),
                    Some(GroupStep::WaitGroup(left)) => waited = closed > *left,
                    _ => self.keeps(product, i, &mut names)?,
                }
                if waited {
                    break;
                }
            }
            if waited {
                continue;
            }
            for &next in &block.successors {
                if seen.insert((next, closed, names.clone())) {
                    work.push((next, self.cfg.block(next).start as usize, closed, names.clone()));
                }
            }
            if seen.len() > MOST {
                return Err(LARGE);
            }
        }
        Ok(())
    }

    /// Fails if an instruction touches the registers of a product that is under way.
    fn keeps(self, product: &Product, i: usize, names: &mut Names) -> Result<(), &'static str> {
        let code = &self.flat.instructions[i];
        if let Some(next) = Product::of(i, code) {
            let named = |r: &u32| names.iter().any(|(name, _)| name == r);
            let alike = next.shape == product.shape;
            let shared = next.accumulators.iter().any(named);
            let clash = next.factors.iter().any(named)
                || next.accumulators.iter().any(|r| product.factors.contains(r))
                || shared && !alike;
            return if clash { Err(EARLY) } else { Ok(()) };
        }
        if let Some((to, from)) = moved(code) {
            let values: Vec<u32> =
                names.iter().filter(|(name, _)| Some(*name) == from).map(|(_, of)| *of).collect();
            // Only its own value may be written to a register of the product.
            if product.has(to) && (values.is_empty() || values.iter().any(|of| *of != to)) {
                return Err(EARLY);
            }
            if code.guard.is_none() && !product.has(to) {
                names.retain(|(name, _)| *name != to);
            }
            names.extend(values.into_iter().map(|of| (to, of)));
            return Ok(());
        }
        let (reads, writes) = registers(code);
        if reads.iter().any(|r| names.iter().any(|(name, _)| name == r))
            || writes.iter().any(|r| product.has(*r))
        {
            return Err(EARLY);
        }
        names.retain(|(name, _)| !writes.contains(name));
        Ok(())
    }

    /// Fails if a path leads to a product without a fence behind all accesses of its registers.
    fn are_fenced(self, product: &Product) -> Result<(), &'static str> {
        let first = self.cfg.block_of(product.inst as u32);
        let wanted = (product.accumulators.clone(), product.factors.clone());
        let mut seen: FxHashSet<(BlockId, Wanted)> = FxHashSet::default();
        let mut work = vec![(first, product.inst, wanted)];
        while let Some((b, to, mut wanted)) = work.pop() {
            let block = self.cfg.block(b);
            let mut fenced = false;
            for i in (block.start as usize..to).rev() {
                fenced = self.is_fence(product, i, &mut wanted)?;
                if fenced {
                    break;
                }
            }
            if fenced {
                continue;
            }
            // The kernel begins without one.
            if b == BlockId(0) || block.predecessors.is_empty() {
                return Err(UNFENCED);
            }
            for &last in &block.predecessors {
                if seen.insert((last, wanted.clone())) {
                    work.push((last, self.cfg.block(last).end as usize, wanted.clone()));
                }
            }
            if seen.len() > MOST {
                return Err(LARGE);
            }
        }
        Ok(())
    }

    /// Returns whether an instruction is a fence before a product; fails if it accesses registers that need one.
    fn is_fence(
        self,
        product: &Product,
        i: usize,
        (accumulators, factors): &mut Wanted,
    ) -> Result<bool, &'static str> {
        let code = &self.flat.instructions[i];
        if matches!(code.op, Ok(Op::WgmmaFence)) && code.guard.is_none() {
            return Ok(true);
        }
        if let Some(last) = Product::of(i, code) {
            let shared =
                |registers: &BTreeSet<u32>| last.accumulators.intersection(registers).next().is_some();
            let clash = last.shape != product.shape && shared(accumulators)
                || shared(factors)
                || last.factors.intersection(accumulators).next().is_some();
            // That product has a fence behind what accessed them before.
            accumulators.retain(|r| !last.accumulators.contains(r));
            return if clash { Err(UNFENCED) } else { Ok(false) };
        }
        if let Some((to, from)) = moved(code) {
            for registers in [accumulators, factors] {
                let had = if code.guard.is_none() { registers.remove(&to) } else { registers.contains(&to) };
                if had {
                    registers.extend(from);
                }
            }
            return Ok(false);
        }
        let (reads, writes) = registers(code);
        let clash = writes.iter().any(|r| accumulators.contains(r) || factors.contains(r))
            || reads.iter().any(|r| accumulators.contains(r));
        if clash { Err(UNFENCED) } else { Ok(false) }
    }
}
