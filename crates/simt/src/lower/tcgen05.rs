//! Lowers instructions of fifth-generation tensor cores and of tensor memory.

use super::body::{Body, Lowered};
use crate::program::*;
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{MemSpace, Tcgen05, TensorProduct};
use smallvec::SmallVec;

impl<'a> Body<'a, '_> {
    pub(super) fn tcgen05(&mut self, op: &Tcgen05, args: &[Arg<'a>]) -> Lowered<()> {
        match (*op, args) {
            (Tcgen05::Copy { pair, shape, from }, [address, source]) => {
                let address = self.cell(address)?;
                let source = self.source(source, ScalarType::B64)?;
                self.thread(TensorThreadInst::Copy { pair, shape, from, address, source });
            }
            (Tcgen05::Shift { pair }, [address]) => {
                let address = self.cell(address)?;
                self.thread(TensorThreadInst::Shift { pair, address });
            }
            (Tcgen05::Product(product), [d, a, b, rest @ ..]) => {
                let product = self.tensor_product(product, (d, a, b), rest)?;
                self.thread(TensorThreadInst::Product(product));
            }
            (Tcgen05::Commit { pair, space, .. }, [mbar, rest @ ..]) => {
                // The object may be in another block of the cluster.
                let space = if space == MemSpace::SharedCta { MemSpace::SharedCluster } else { space };
                let mbar = self.address(mbar, space)?;
                let multicast = match rest.first() {
                    Some(mask) => self.source(mask, ScalarType::U16)?,
                    None => NO_ROW,
                };
                self.thread(TensorThreadInst::Commit { pair, mbar, multicast });
            }
            (Tcgen05::Fence { after }, _) => self.thread(TensorThreadInst::Fence { after }),
            (op, args) => {
                let inst = self.of_warp(&op, args)?;
                self.collective(inst);
            }
        }
        Ok(())
    }

    fn of_warp(&mut self, op: &Tcgen05, args: &[Arg<'a>]) -> Lowered<CollectiveInst> {
        let (mut d, mut p, mut a) = (SmallVec::new(), NO_ROW, SmallVec::new());
        let split = |rest: &[Arg<'a>]| match rest {
            [Arg::Int(split)] => Ok(*split as u32),
            [] => Ok(0),
            _ => Err("a second address that is no number".to_owned()),
        };
        let what = match (*op, args) {
            (Tcgen05::Alloc { pair, space }, [dst, columns]) => TensorWarpInst::Alloc {
                pair,
                dst: self.address(dst, space)?,
                columns: self.source(columns, ScalarType::U32)?,
            },
            (Tcgen05::Dealloc { pair }, [address, columns]) => TensorWarpInst::Dealloc {
                pair,
                address: self.source(address, ScalarType::U32)?,
                columns: self.source(columns, ScalarType::U32)?,
            },
            (Tcgen05::Relinquish { pair }, _) => TensorWarpInst::Relinquish { pair },
            (Tcgen05::Load { tile, reduction }, [registers, rest @ ..]) => {
                d = self.fragment(registers, true)?;
                let mut rest = rest;
                if let (Some(_), [value, more @ ..]) = (reduction, rest) {
                    p = self.destination(value)?;
                    rest = more;
                }
                let [address, rest @ ..] = rest else { return Err("no address".to_owned()) };
                TensorWarpInst::Load { tile, reduction, address: self.cell(address)?, split: split(rest)? }
            }
            (Tcgen05::Store { tile }, [address, rest @ .., registers]) => {
                a = self.fragment(registers, false)?;
                TensorWarpInst::Store { tile, address: self.cell(address)?, split: split(rest)? }
            }
            (Tcgen05::Wait { stores }, _) => TensorWarpInst::Wait { stores },
            _ => return Err("operands missing".to_owned()),
        };
        let expected = match &what {
            TensorWarpInst::Load { tile, .. } | TensorWarpInst::Store { tile, .. } => tile.registers(),
            _ => 0,
        };
        if d.len() + a.len() != expected {
            return Err("a wrong number of registers".to_owned());
        }
        let inst = CollectiveInst::of_warp(Collective::TensorMemory(Box::new(what)));
        Ok(CollectiveInst { d, p, a, ..inst })
    }

    /// Returns an address in tensor memory, which has the form of one in shared memory.
    fn cell(&self, arg: &Arg<'a>) -> Lowered<Address> {
        self.address(arg, MemSpace::SharedCta)
    }

    fn thread(&mut self, inst: TensorThreadInst) {
        self.builder.program.asyncs.push(AsyncInst::TensorMemory(Box::new(inst)));
        let n = self.builder.program.asyncs.len() as u32 - 1;
        self.emit(Code::Async(n));
    }

    fn tensor_product(
        &mut self,
        product: TensorProduct,
        (d, a, b): (&Arg<'a>, &Arg<'a>, &Arg<'a>),
        rest: &[Arg<'a>],
    ) -> Lowered<TensorProductInst> {
        let (metadata, rest) = match rest {
            [metadata, rest @ ..] if product.sparse => (Some(self.cell(metadata)?), rest),
            _ => (None, rest),
        };
        let [descriptor, rest @ ..] = rest else { return Err("no instruction descriptor".to_owned()) };
        let (mut scales, mut rest) = (None, rest);
        if let (true, [of_a, of_b, more @ ..]) = (product.kind.scales(), rest) {
            scales = Some([self.cell(of_a)?, self.cell(of_b)?]);
            rest = more;
        }
        let mut disabled = SmallVec::new();
        if let [Arg::Vector(lanes), more @ ..] = rest {
            if lanes.len() != if product.pair { 8 } else { 4 } {
                return Err("a wrong number of masks of lanes".to_owned());
            }
            disabled = lanes.iter().map(|lane| self.source(lane, ScalarType::B32)).collect::<Lowered<_>>()?;
            rest = more;
        }
        let [accumulates, rest @ ..] = rest else { return Err("no predicate".to_owned()) };
        let (divisor, zeros) = match (product.stationary, rest) {
            (_, []) => (0, NO_ROW),
            (true, [zeros]) => (0, self.source(zeros, ScalarType::B64)?),
            (false, [Arg::Int(divisor @ 0..=15)]) => (*divisor as u32, NO_ROW),
            _ => return Err("a scale of D that is no number from 0 to 15".to_owned()),
        };
        Ok(TensorProductInst {
            product,
            d: self.cell(d)?,
            a: match a {
                Arg::Address { .. } => TensorFactor::Tensor(self.cell(a)?),
                _ => TensorFactor::Shared(self.source(a, ScalarType::B64)?),
            },
            b: self.source(b, ScalarType::B64)?,
            descriptor: self.source(descriptor, ScalarType::B32)?,
            metadata,
            scales,
            disabled,
            accumulates: self.predicate(accumulates)?,
            divisor,
            zeros,
        })
    }
}
