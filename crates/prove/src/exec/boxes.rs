//! The sizes of the boxes that tensor copies bring to shared memory.
//!
//! A tensor map is data of the host, which says how many bytes a box has. A right pipeline expects exactly the bytes of its
//! copies, so a box is assumed to have what its thread expects where it begins the copy: all bytes that other copies of the
//! same phase leave, or, if several boxes share them, the bytes up to the next box, or to the end of the stage.

use super::Exec;
use crate::facts::Assumption;
use crate::kernel::access::{Access, AccessKind, Space};
use crate::kernel::instructions::{is_box_load, is_load, number};
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::Kind;
use ptx::flat::{Arg, Base, FlatInstruction, VarRole};
use ptx::op::{MbarrierOp, Op};

pub(super) const OTHER: &str =
    "it has tensor copies of which it is not known how many bytes they bring, not modelled yet";
pub(super) const LAUNCHED: &str = "it has tensor copies by maps that are not read, not modelled yet";

pub(super) const MAPS: &str = "it has tensor copies by maps in memory that it may write to, not modelled yet";

/// Limits the instructions that compute the address of a map.
const MOST_STEPS: usize = 16;

/// The destination of a tensor copy.
struct Destination {
    inst: usize,
    base: Sym,
    /// The offset in the variable: what is the same for all boxes of a stage, and the rest.
    stage: Poly,
    offset: i128,
}

impl Exec<'_> {
    /// Finds the sizes of all boxes, or an unsupported use.
    pub(super) fn boxes(&mut self, kernel: &kernels::Kernel, unmodelled: &mut Option<String>) {
        let of_tensor = |i: &usize| self.flat.instructions[*i].op.as_ref().is_ok_and(is_box_load);
        let reachable = |i: &usize| self.shape.place[self.cfg.block_of(*i as u32).0 as usize].is_some();
        let all: Vec<usize> = (0..self.flat.instructions.len()).filter(of_tensor).filter(reachable).collect();
        if all.is_empty() {
            return;
        }
        let writes = |a: &Access| a.kind != AccessKind::Read && a.space != Space::Shared;
        let of_parameters = || all.iter().all(|&i| self.map_of(i, 1).is_some());
        let found = if self.facts.observed.is_some() {
            Err(LAUNCHED)
        } else if self.accesses.iter().any(writes) && !of_parameters() {
            Err(MAPS)
        } else {
            all.iter().try_for_each(|&i| self.box_of(kernel, i))
        };
        if let Err(why) = found {
            unmodelled.get_or_insert(why.to_owned());
        }
    }

    /// Returns the parameter of the kernel that holds a copy's tensor map, its operand with this index, and the map's offset
    /// in it, by the instructions that compute its address.
    pub(super) fn map_of(&self, copy: usize, operand: usize) -> Option<(u32, i64)> {
        let mut arg = self.flat.instructions[copy].args.get(operand);
        let mut before = 0;
        for _ in 0..MOST_STEPS {
            let register = match arg? {
                Arg::Reg(r) => *r,
                Arg::Address { base: Base::Reg(r), offset, .. } => {
                    before += offset;
                    *r
                }
                Arg::Variable(id, offset) | Arg::Address { base: Base::Variable(id), offset, .. } => {
                    return match self.flat.variables[id.0 as usize].role {
                        VarRole::Param(index) => Some((index, before + offset)),
                        _ => None,
                    };
                }
                _ => return None,
            };
            let writes = |inst: &&FlatInstruction<'_>| {
                let mut found = false;
                kernels::registers::visit(inst, |place, written| {
                    found |= written && number(place) == Some(register.0);
                });
                found
            };
            let mut all = self.flat.instructions.iter().filter(writes);
            let (Some(inst), None) = (all.next(), all.next()) else { return None };
            match (&inst.op, inst.args.get(2)) {
                (Ok(Op::Mov { .. } | Op::Cvta { .. }), _) => {}
                (Ok(Op::Add { .. }), Some(Arg::Int(n))) => before += i64::try_from(*n).ok()?,
                _ => return None,
            }
            arg = inst.args.get(1);
        }
        None
    }

    fn box_of(&mut self, kernel: &kernels::Kernel, copy: usize) -> Result<(), &'static str> {
        let object = |i: usize| self.mbarriers.get(&i).and_then(|used| used.object.as_ref());
        let place = object(copy).ok_or(OTHER)?;
        let block = self.cfg.block(self.cfg.block_of(copy as u32));
        let with = |i: &usize, wanted: &dyn Fn(&Op) -> bool| {
            object(*i) == Some(place) && self.flat.instructions[*i].op.as_ref().is_ok_and(wanted)
        };
        let here = || block.start as usize..block.end as usize;
        let number = |i: usize| self.mbarriers.get(&i)?.number.as_ref()?.as_constant();
        let expects =
            |op: &Op| matches!(op, Op::Mbarrier { op: MbarrierOp::Arrive { expect_tx: true, .. }, .. });
        let expected: Vec<usize> = here().filter(|i| with(i, &expects)).collect();
        let &[arrival] = &expected[..] else { return Err(OTHER) };
        let mut rest = number(arrival).ok_or(OTHER)?;
        for bulk in here().filter(|i| with(i, &|op| is_load(op) && !is_box_load(op))) {
            rest -= number(bulk).ok_or(OTHER)?;
        }
        let boxes: Vec<usize> = here().filter(|i| with(i, &is_box_load)).collect();
        let sizes = match boxes.len() {
            1 => vec![(copy, rest)],
            _ => self
                .shared_out(kernel, &boxes)
                .filter(|s| s.iter().map(|s| s.1).sum::<i128>() == rest)
                .ok_or(OTHER)?,
        };
        let bytes = sizes.iter().find(|(i, _)| *i == copy).map(|s| s.1).ok_or(OTHER)?;
        let size = u32::try_from(bytes).ok().filter(|size| *size > 0).ok_or(OTHER)?;
        if let Some(used) = self.mbarriers.get_mut(&copy) {
            used.number = Some(Poly::constant(bytes));
        }
        for access in self.accesses.iter_mut().filter(|a| a.inst == copy) {
            access.bytes = size;
            if let Some(base) = access.base
                && let Kind::Shared(name) = &self.syms.get(base).kind
            {
                let text = format!("each box that a tensor copy brings to `{name}` there has {size} bytes");
                self.assumed.insert(Assumption::Given(text));
            }
        }
        Ok(())
    }

    /// Returns the sizes of boxes that share the bytes of a phase: each reaches to the next one in its stage, the last one
    /// to the end of the stage, or of the variable.
    fn shared_out(&self, kernel: &kernels::Kernel, boxes: &[usize]) -> Option<Vec<(usize, i128)>> {
        let mut all = boxes.iter().map(|&inst| self.destination(inst)).collect::<Option<Vec<_>>>()?;
        all.sort_by_key(|d| d.offset);
        let size = |d: &Destination| {
            let beside = |e: &&Destination| e.base == d.base && e.stage == d.stage && e.offset > d.offset;
            if let Some(next) = all.iter().find(beside) {
                return Some(next.offset - d.offset);
            }
            let Kind::Shared(name) = &self.syms.get(d.base).kind else { return None };
            let variable = kernel.shared_variables.iter().find(|v| v.name == *name)?;
            let end = match d.stage.terms() {
                [] => i128::from(variable.bytes?),
                [(_, stride)] => *stride,
                _ => return None,
            };
            Some(end - d.offset)
        };
        all.iter().map(|d| Some((d.inst, size(d)?))).collect()
    }

    fn destination(&self, inst: usize) -> Option<Destination> {
        let access = self.accesses.iter().find(|a| a.inst == inst)?;
        let offset = access.offset.constant_term();
        Some(Destination { inst, base: access.base?, stage: access.offset.without_constant(), offset })
    }
}
