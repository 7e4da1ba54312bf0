//! Lowers instructions that compute from registers alone.

use super::body::{Body, Lowered};
use super::select::{self, W};
use crate::program::*;
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{MixedSum, MulPart, Op};
use smallvec::SmallVec;

impl<'a> Body<'a, '_> {
    /// Lowers a pure instruction: to a row function if there is one, else to `num::eval`.
    pub(super) fn pure(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let Some((first, sources)) = args.split_first() else { return Err("no operands".to_owned()) };
        let (d, second) = match first {
            Arg::Pair(p, q) => (self.destination(p)?, self.destination(q)?),
            _ => (self.destination(first)?, NO_ROW),
        };
        let carry = match op {
            Op::AddCarry { carry_in, carry_out, .. }
            | Op::SubCarry { carry_in, carry_out, .. }
            | Op::MadCarry { carry_in, carry_out, .. } => (*carry_in, *carry_out),
            _ => (false, false),
        };
        if second == NO_ROW && !carry.1 && d != NO_ROW && self.native(op, first, d, sources)? {
            return Ok(());
        }
        let mut list: SmallVec<[Source; 4]> = SmallVec::new();
        let each = |arg: &'_ Arg<'a>| match arg {
            Arg::Vector(items) => items.to_vec(),
            arg => vec![arg.clone()],
        };
        for (k, arg) in sources.iter().flat_map(each).enumerate() {
            let arg = &arg;
            let ty = source_type(op, k)?;
            let (row, negated) = match arg {
                Arg::NotReg(id) => (self.rows.row(*id, 0), true),
                Arg::Reg(_) | Arg::Element(..) => (self.source(arg, ty)?, false),
                _ => {
                    let value = match Self::immediate(arg, ty) {
                        Some(value) => value,
                        None => self.constant_address(arg).ok_or("an unexpected operand")?,
                    };
                    (self.builder.wide(value), false)
                }
            };
            let bits = match op {
                Op::Cvt { src, .. } if k == 0 || *src == ScalarType::F32 => src.bits().min(64) as u8,
                Op::CvtPack { from, .. } if k < 2 => from.bits().min(64) as u8,
                _ => 64,
            };
            list.push(Source { row, negated, bits });
        }
        let dst_bits = match first {
            Arg::Reg(id) | Arg::Element(id, _) => self.bits(*id),
            _ => 0,
        };
        let extend = match op {
            Op::Cvt { dst, .. } if dst.is_signed() && dst.bits() < dst_bits => dst.bits() as u8,
            _ => 0,
        };
        // Unsupported types are rejected here, where the instruction's text is available for the message.
        if crate::num::eval(op, &[0; 8][..list.len().min(8)], false).is_none() {
            return Err("not implemented".to_owned());
        }
        self.builder.program.evals.push(EvalInst {
            op: op.clone(),
            sources: list,
            d,
            second: if carry.1 { self.rows.carry() } else { second },
            carry: if carry.0 { self.rows.carry() } else { NO_ROW },
            extend,
        });
        let n = self.builder.program.evals.len() as u32 - 1;
        self.emit(Code::Eval(n));
        Ok(())
    }

    pub(super) fn native(&mut self, op: &Op, first: &Arg<'a>, d: Row, sources: &[Arg<'a>]) -> Lowered<bool> {
        let mut small: SmallVec<[Option<u64>; 4]> = SmallVec::new();
        for (k, a) in sources.iter().enumerate() {
            small.push(Self::immediate(a, source_type(op, k)?));
        }
        let dst_bits = match first {
            Arg::Reg(id) | Arg::Element(id, _) => self.bits(*id),
            _ => return Ok(false),
        };
        let choice = match op {
            Op::Cvt { .. } if matches!(sources, [Arg::Reg(id)] if self.bits(*id) == 64) && dst_bits == 64 => {
                select::convert::convert_low(op).or_else(|| select::convert::convert(op, dst_bits))
            }
            Op::Cvt { .. } | Op::CvtPack { .. } => select::convert::convert(op, dst_bits),
            _ => select::select(op, &small),
        };
        let Some(choice) = choice else { return Ok(false) };
        let fits = |row: Row, w: W| {
            matches!((row & FILE_MASK, w), (FILE_32, W::W32) | (FILE_64, W::W64) | (FILE_PRED, W::P))
        };
        if !fits(d, choice.widths[0]) {
            return Ok(false);
        }
        let mut rows = [NO_ROW; 3];
        for (k, &w) in choice.widths[1..].iter().enumerate() {
            let Some(arg) = sources.get(k) else { return Ok(false) };
            rows[k] = match (arg, small[k]) {
                (_, Some(value)) => match w {
                    W::W32 => self.builder.narrow(value as u32),
                    W::W64 => self.builder.wide(value),
                    W::P => self.builder.predicate(value != 0),
                },
                (Arg::Reg(_) | Arg::Element(..), None) => {
                    let row = self.destination(arg)?;
                    if !fits(row, w) {
                        return Ok(false);
                    }
                    row
                }
                _ => match (self.constant_address(arg), w) {
                    (Some(address), W::W64) => self.builder.wide(address),
                    (Some(address), W::W32) => self.builder.narrow(address as u32),
                    _ => return Ok(false),
                },
            };
        }
        let [a, b, c] = rows;
        self.emit(Code::Alu { f: choice.f, d, a, b, c, x: choice.x });
        Ok(true)
    }
}

/// Returns the type of a source's immediate. An instruction that does more than compute is lowered elsewhere:
/// it has no type here, and is rejected rather than treated as one of 32 bits.
fn source_type(op: &Op, k: usize) -> Lowered<ScalarType> {
    use ScalarType::{B32, F32, Pred, S64, U32, U64};
    Ok(match *op {
        Op::Add { ty, .. }
        | Op::Sub { ty, .. }
        | Op::Div { ty, .. }
        | Op::Rem { ty }
        | Op::Abs { ty, .. }
        | Op::Neg { ty, .. }
        | Op::Min { ty, .. }
        | Op::Max { ty, .. }
        | Op::Rcp { ty, .. }
        | Op::Sqrt { ty, .. }
        | Op::Rsqrt { ty, .. }
        | Op::Ex2 { ty, .. }
        | Op::Tanh { ty }
        | Op::Copysign { ty }
        | Op::Testp { ty, .. }
        | Op::Popc { ty }
        | Op::Clz { ty }
        | Op::Bfind { ty, .. }
        | Op::Brev { ty }
        | Op::Sad { ty }
        | Op::AddCarry { ty, .. }
        | Op::SubCarry { ty, .. }
        | Op::MadCarry { ty, .. }
        | Op::And { ty }
        | Op::Or { ty }
        | Op::Xor { ty }
        | Op::Not { ty }
        | Op::Cnot { ty } => ty,
        Op::Mul { ty, .. } | Op::Mul24 { ty, .. } | Op::Mad24 { ty, .. } => ty,
        Op::Mad { ty, part, .. } => match (part, k, ty.bits()) {
            (Some(MulPart::Wide), 2, 16) => U32,
            (Some(MulPart::Wide), 2, 32) => {
                if ty.is_signed() {
                    S64
                } else {
                    U64
                }
            }
            _ => ty,
        },
        Op::Mixed { sum, narrow, .. } => {
            let narrow_sources = if sum == MixedSum::Fma { 2 } else { 1 };
            if k < narrow_sources { narrow } else { F32 }
        }
        Op::Set { src, .. } => {
            if k == 2 {
                Pred
            } else {
                src
            }
        }
        Op::Setp { ty, .. } => {
            if k == 2 {
                Pred
            } else {
                ty
            }
        }
        Op::Selp { ty } => {
            if k == 2 {
                Pred
            } else {
                ty
            }
        }
        Op::Slct { dst, src, .. } => {
            if k == 2 {
                src
            } else {
                dst
            }
        }
        Op::Shl { ty } | Op::Shr { ty } | Op::Bfe { ty } => {
            if k == 0 {
                ty
            } else {
                U32
            }
        }
        Op::Bfi { ty } => {
            if k < 2 {
                ty
            } else {
                U32
            }
        }
        // Random bits and scale factors are behind the numbers.
        Op::Cvt { dst, src, .. } => {
            let numbers = match dst {
                _ if src != F32 => 1,
                ScalarType::E4m3x4 | ScalarType::E5m2x4 => 4,
                ScalarType::E2m1x4 | ScalarType::E2m3x4 | ScalarType::E3m2x4 => 4,
                _ => 2,
            };
            if k < numbers { src } else { B32 }
        }
        Op::CvtPack { from, .. } => {
            if k < 2 {
                from
            } else {
                B32
            }
        }
        Op::Lop3 { .. } if k == 4 => Pred,
        Op::Lop3 { .. }
        | Op::Sin { .. }
        | Op::Cos { .. }
        | Op::Lg2 { .. }
        | Op::Fns
        | Op::Bmsk { .. }
        | Op::Szext { .. }
        | Op::Dp4a { .. }
        | Op::Dp2a { .. }
        | Op::Shf { .. }
        | Op::Prmt { .. }
        | Op::Video(_)
        | Op::VideoMad(_)
        | Op::VideoSimd(_) => B32,
        Op::Mov { .. }
        | Op::Ld(_)
        | Op::St(_)
        | Op::Ldu(_)
        | Op::Hint
        | Op::Discard { .. }
        | Op::CreatePolicy
        | Op::Isspacep { .. }
        | Op::Cvta { .. }
        | Op::Mapa { .. }
        | Op::Getctarank { .. }
        | Op::Multimem
        | Op::Tex { .. }
        | Op::Suld(_)
        | Op::Sust(_)
        | Op::Sured { .. }
        | Op::Suq { .. }
        | Op::CpAsync { .. }
        | Op::CpAsyncCommit
        | Op::CpAsyncWait { .. }
        | Op::CpAsyncMbarrierArrive { .. }
        | Op::CpAsyncBulk { .. }
        | Op::CpReduceAsyncBulk { .. }
        | Op::CpAsyncBulkCommit
        | Op::CpAsyncBulkWait { .. }
        | Op::CpAsyncBulkPrefetch
        | Op::Tensor(_)
        | Op::TensormapReplace { .. }
        | Op::TensormapCopy { .. }
        | Op::Wgmma(_)
        | Op::WgmmaFence
        | Op::WgmmaCommit
        | Op::WgmmaWait
        | Op::Tcgen05(_)
        | Op::StAsync { .. }
        | Op::RedAsync { .. }
        | Op::StBulk { .. }
        | Op::TryCancel { .. }
        | Op::QueryCancel { .. }
        | Op::Bra { .. }
        | Op::BrxIdx
        | Op::Call
        | Op::Ret
        | Op::Exit
        | Op::Trap
        | Op::Brkpt
        | Op::Bar { .. }
        | Op::BarWarpSync
        | Op::ClusterArrive { .. }
        | Op::ClusterWait { .. }
        | Op::Fence(_)
        | Op::Atom(_)
        | Op::Red(_)
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Activemask
        | Op::Redux { .. }
        | Op::Elect
        | Op::Shfl { .. }
        | Op::Mbarrier { .. }
        | Op::GridDepControl { .. }
        | Op::WmmaLoad { .. }
        | Op::WmmaStore { .. }
        | Op::WmmaMma { .. }
        | Op::Mma { .. }
        | Op::Ldmatrix { .. }
        | Op::Stmatrix { .. }
        | Op::Movmatrix { .. }
        | Op::Nanosleep
        | Op::Pmevent
        | Op::SetMaxNReg
        | Op::Alloca { .. }
        | Op::StackSave { .. }
        | Op::StackRestore { .. }
        | Op::Unknown => return Err("not a computation".to_owned()),
    })
}
