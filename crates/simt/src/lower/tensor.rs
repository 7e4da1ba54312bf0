//! Lowers tensor copies and changes of tensor maps.

use super::body::{Body, Lowered};
use crate::program::*;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Base, FlatInstruction};
use ptx::op::{MemSpace, Op, TensorCopy, TensorMode, TensorWay};
use smallvec::SmallVec;

impl<'a> Body<'a, '_> {
    pub(super) fn tensor(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let inst = match (op, args) {
            (Op::Tensor(copy), [first, second, rest @ ..]) => {
                AsyncInst::Tensor(Box::new(self.tensor_copy(copy, (first, second), rest)?))
            }
            (Op::TensormapReplace { field, space }, [map, rest @ ..]) => {
                let (ordinal, value) = match rest {
                    [Arg::Int(ordinal), value] => (usize::try_from(*ordinal).unwrap_or(usize::MAX), value),
                    [value] => (0, value),
                    _ => return Err("a dimension that is no number".to_owned()),
                };
                let ty = if field.is_wide() { ScalarType::B64 } else { ScalarType::B32 };
                AsyncInst::Replace(Box::new(ReplaceInst {
                    address: self.address(map, *space)?,
                    field: *field,
                    ordinal,
                    value: self.source(value, ty)?,
                }))
            }
            (Op::TensormapCopy { sem, scope }, [dst, src, Arg::Int(128)]) => {
                let what = Collective::MapCopy {
                    dst: self.address(dst, MemSpace::Global)?,
                    src: self.address(src, MemSpace::SharedCta)?,
                    fence: FenceInst::Tensormap {
                        sem: super::memory::sem(*sem),
                        scope: super::memory::scope(*scope),
                    },
                };
                self.collective(CollectiveInst::of_warp(what));
                return Ok(());
            }
            _ => return Err("operands missing".to_owned()),
        };
        self.builder.program.asyncs.push(inst);
        let n = self.builder.program.asyncs.len() as u32 - 1;
        self.emit(Code::Async(n));
        Ok(())
    }

    fn tensor_copy(
        &mut self,
        copy: &TensorCopy,
        (first, second): (&Arg<'a>, &Arg<'a>),
        rest: &[Arg<'a>],
    ) -> Lowered<TensorInst> {
        let (map, shared, space) = match copy.way {
            TensorWay::Load { dst, .. } => (second, first, dst),
            TensorWay::Store => (first, second, MemSpace::SharedCta),
        };
        let Arg::Address { rest: coordinates, .. } = map else { return Err("no tensor map".to_owned()) };
        let single;
        let coordinates = match coordinates.as_slice() {
            [Arg::Vector(items)] => items.as_slice(),
            items => {
                single = items.to_vec();
                &single
            }
        };
        let count = if copy.mode == TensorMode::Rows { 5 } else { usize::from(copy.dim) };
        if coordinates.len() != count {
            return Err(format!("{} coordinates of {} dimensions", coordinates.len(), copy.dim));
        }
        let coordinates = self.rows_of(coordinates, ScalarType::S32)?;
        let (mut mbar, mut offsets, mut multicast) = (None, SmallVec::new(), NO_ROW);
        let mut signals = Signals::Destination;
        if let TensorWay::Load { multicast: to_many, pair, .. } = copy.way {
            let [signal, rest @ ..] = rest else { return Err("no mbarrier".to_owned()) };
            mbar = Some(self.address(signal, MemSpace::SharedCluster)?);
            signals = match (pair, pair && self.names_even(signal)) {
                (false, _) => Signals::Destination,
                (true, false) => Signals::Addressed,
                (true, true) => Signals::Even,
            };
            let mut rest = rest;
            if let (true, [Arg::Vector(items), more @ ..]) = (copy.mode.of_pixels(), rest) {
                offsets = self.rows_of(items, ScalarType::U16)?;
                rest = more;
            }
            if to_many {
                let Some(mask) = rest.first() else { return Err("no mask of blocks".to_owned()) };
                multicast = self.source(mask, ScalarType::U16)?;
            }
        }
        Ok(TensorInst {
            copy: *copy,
            map: self.address(map, MemSpace::Generic)?,
            coordinates,
            offsets,
            shared: self.address(shared, space)?,
            mbar,
            multicast,
            signals,
        })
    }

    /// Returns whether an address is one from which the program has cleared the lowest bit of the block's rank, as GPUs have it in
    /// addresses of shared memory. Here an address of the own block's memory contains no rank, so its value cannot tell.
    pub(super) fn names_even(&self, address: &Arg<'a>) -> bool {
        let Arg::Address { base: Base::Reg(register), offset: 0, .. } = address else { return false };
        let written = |inst: &&FlatInstruction<'_>| {
            let mut found = false;
            kernels::registers::visit(inst, |place, writes| {
                found |= writes && place == kernels::registers::Place::Whole(*register);
            });
            found
        };
        let mut writers = self.flat.instructions.iter().filter(written);
        let (Some(inst), None) = (writers.next(), writers.next()) else { return false };
        // Compilers add the clearing of bits that an aligned address does not have.
        let clears = |arg: &Arg<'_>| matches!(arg, Arg::Int(n) if *n as u32 >> window::RANK_SHIFT == 0xfe);
        matches!(inst.op, Ok(Op::And { .. })) && inst.args.iter().any(clears)
    }

    fn rows_of<const N: usize>(&mut self, items: &[Arg<'a>], ty: ScalarType) -> Lowered<SmallVec<[Row; N]>>
    where
        [Row; N]: smallvec::Array<Item = Row>,
    {
        items.iter().map(|item| self.source(item, ty)).collect()
    }
}
