//! Lowers synchronisation, warp-wide exchange, asynchronous copies, matrices and the remaining instructions
//! that are not arithmetic.

use super::body::{Body, Lowered};
use super::memory::{scope, sem};
use crate::num::rmw;
use crate::program::*;
use events::Proxy;
use events::sync::ProxySpace;
use kernels::Symbol;
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{BarKind, Fence, MbarrierOp, MemSpace, Op, ProxyFence};
use smallvec::{SmallVec, smallvec};

impl<'a> Body<'a, '_> {
    /// Lowers `op` if it is one of this module's; returns whether it is.
    pub(super) fn synchronisation(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<bool> {
        match op {
            Op::Bar { kind, aligned } => self.bar(*kind, *aligned, args)?,
            Op::BarWarpSync => {
                let member = self.source(first(args)?, ScalarType::B32)?;
                self.emit(Code::WarpSync { member });
            }
            Op::Activemask => {
                let d = self.destination(first(args)?)?;
                self.emit(Code::Activemask { d });
            }
            Op::Fence(fence) => self.fence(fence),
            Op::Nanosleep => {
                let time = self.source(first(args)?, ScalarType::U32)?;
                self.emit(Code::Nanosleep { time });
            }
            Op::ClusterArrive { sem: s, .. } => {
                let code = ClusterInst::Arrive {
                    sem: if *s == ptx::op::Sem::Relaxed {
                        events::Sem::Relaxed
                    } else {
                        events::Sem::Release
                    },
                };
                self.cluster(code);
            }
            Op::ClusterWait { .. } => self.cluster(ClusterInst::Wait),
            Op::Shfl { .. } | Op::Vote { .. } | Op::Match { .. } | Op::Redux { .. } | Op::Elect => {
                self.exchange(op, args)?;
            }
            Op::WmmaLoad { .. }
            | Op::WmmaStore { .. }
            | Op::WmmaMma { .. }
            | Op::Mma { .. }
            | Op::Ldmatrix { .. }
            | Op::Stmatrix { .. }
            | Op::Movmatrix { .. } => self.matrix(op, args)?,
            Op::CpAsync { .. }
            | Op::CpAsyncCommit
            | Op::CpAsyncWait { .. }
            | Op::CpAsyncMbarrierArrive { .. }
            | Op::CpAsyncBulk { .. }
            | Op::CpReduceAsyncBulk { .. }
            | Op::CpAsyncBulkCommit
            | Op::CpAsyncBulkWait { .. }
            | Op::StAsync { .. }
            | Op::RedAsync { .. }
            | Op::StBulk { .. }
            | Op::TryCancel { .. } => self.asynchronous(op, args)?,
            Op::Wgmma(_) | Op::WgmmaFence | Op::WgmmaCommit | Op::WgmmaWait => self.warpgroup(op, args)?,
            Op::Tcgen05(op) => self.tcgen05(op, args)?,
            Op::Tensor(_) | Op::TensormapReplace { .. } | Op::TensormapCopy { .. } => {
                self.tensor(op, args)?;
            }
            Op::Mbarrier { op, sem, scope, space } => self.mbarrier(*op, *sem, *scope, *space, args)?,
            Op::Isspacep { .. }
            | Op::Mapa { .. }
            | Op::Getctarank { .. }
            | Op::GridDepControl { .. }
            | Op::QueryCancel { .. }
            | Op::Alloca { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. } => self.rare(op, args)?,
            Op::Tex { .. } | Op::Suld(_) | Op::Sust(_) | Op::Sured { .. } | Op::Suq { .. } => {
                let inst = self.image(op, args)?;
                self.push_rare(inst);
            }
            Op::CreatePolicy => {
                let d = self.destination(first(args)?)?;
                self.mov_constant(d, 0)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lowers a predicate operand, which may be negated.
    pub(super) fn predicate(&mut self, arg: &Arg<'a>) -> Lowered<(Row, bool)> {
        match arg {
            Arg::NotReg(id) => Ok((self.rows.row(*id, 0), true)),
            _ => Ok((self.source(arg, ScalarType::Pred)?, false)),
        }
    }

    fn bar(&mut self, kind: BarKind, aligned: bool, args: &[Arg<'a>]) -> Lowered<()> {
        let reduces = matches!(kind, BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr);
        let (d, rest) = match (reduces, args) {
            (true, [d, rest @ ..]) => (self.destination(d)?, rest),
            _ => (NO_ROW, args),
        };
        let (predicate, rest) = match (reduces, rest) {
            (true, [rest @ .., p]) => (Some(p), rest),
            _ => (None, rest),
        };
        let (predicate, negated) = match predicate {
            Some(p) => self.predicate(p)?,
            None => (NO_ROW, false),
        };
        let id = match rest.first() {
            Some(id) => self.source(id, ScalarType::U32)?,
            None => self.builder.narrow(0),
        };
        let count = match rest.get(1) {
            Some(count) => self.source(count, ScalarType::U32)?,
            None => NO_ROW,
        };
        let whole = aligned && kind != BarKind::Arrive && count == NO_ROW;
        self.builder.program.bars.push(BarInst { kind, d, id, count, predicate, negated, whole });
        let n = self.builder.program.bars.len() as u32 - 1;
        self.emit(Code::Bar(n));
        Ok(())
    }

    fn fence(&mut self, fence: &Fence) {
        let inst = match *fence {
            Fence::Thread { sem: s, scope: at } => FenceInst::Thread { sem: sem(s), scope: scope(at) },
            Fence::MbarrierInit => FenceInst::Mbarrier,
            Fence::Proxy(proxy) => match proxy {
                ProxyFence::Alias => FenceInst::Proxy { proxy: Proxy::Generic, space: None },
                ProxyFence::Async { space } => FenceInst::Proxy {
                    proxy: Proxy::Async,
                    space: match space {
                        Some(MemSpace::Global) => Some(ProxySpace::Global),
                        Some(MemSpace::SharedCta) => Some(ProxySpace::SharedCta),
                        Some(MemSpace::SharedCluster) => Some(ProxySpace::SharedCluster),
                        _ => None,
                    },
                },
                ProxyFence::TensormapGeneric { sem: s, scope: at } => {
                    FenceInst::Tensormap { sem: sem(s), scope: scope(at) }
                }
                // `.release` has `.sync_restrict::shared::cta`, `.acquire` has `.sync_restrict::shared::cluster`.
                ProxyFence::AsyncGenericRestricted { sem, .. } => FenceInst::Proxy {
                    proxy: Proxy::Async,
                    space: Some(match sem {
                        ptx::op::Sem::Release => ProxySpace::SharedCta,
                        _ => ProxySpace::SharedCluster,
                    }),
                },
            },
        };
        self.builder.program.fences.push(inst);
        let n = self.builder.program.fences.len() as u32 - 1;
        self.emit(Code::Fence(n));
    }

    fn cluster(&mut self, inst: ClusterInst) {
        self.builder.program.clusters.push(inst);
        let n = self.builder.program.clusters.len() as u32 - 1;
        self.emit(Code::Cluster(n));
    }

    pub(super) fn collective(&mut self, inst: CollectiveInst) {
        self.builder.program.collectives.push(inst);
        let n = self.builder.program.collectives.len() as u32 - 1;
        self.emit(Code::Collective(n));
    }

    fn exchange(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let [first, sources @ .., member] = args else { return Err("operands missing".to_owned()) };
        let (d, p) = match first {
            Arg::Pair(d, p) => (self.destination(d)?, self.destination(p)?),
            _ => (self.destination(first)?, NO_ROW),
        };
        let mut inst = CollectiveInst {
            what: Collective::Elect,
            member: self.source(member, ScalarType::B32)?,
            d: smallvec![d],
            p,
            a: SmallVec::new(),
            b: SmallVec::new(),
            c: SmallVec::new(),
            negated: false,
            address: None,
        };
        match (op, sources) {
            (Op::Shfl { mode }, [a, b, c]) => {
                inst.what = Collective::Shfl(*mode);
                inst.a.push(self.source(a, ScalarType::B32)?);
                inst.b.push(self.source(b, ScalarType::U32)?);
                inst.c.push(self.source(c, ScalarType::U32)?);
            }
            (Op::Vote { mode }, [a]) => {
                let (row, negated) = self.predicate(a)?;
                inst.what = Collective::Vote(*mode);
                inst.a.push(row);
                inst.negated = negated;
            }
            (Op::Match { all, ty }, [a]) => {
                inst.what = Collective::Match { all: *all, wide: ty.bits() == 64 };
                inst.a.push(self.source(a, *ty)?);
            }
            (Op::Redux { op, ty, abs, nan }, [a]) => {
                if rmw::redux(*op, *ty, *abs, *nan, std::iter::once(0)).is_none() {
                    return Err("not implemented".to_owned());
                }
                inst.what = Collective::Redux { op: *op, ty: *ty, abs: *abs, nan: *nan };
                inst.a.push(self.source(a, *ty)?);
            }
            (Op::Elect, []) => {}
            _ => return Err("operands missing".to_owned()),
        }
        self.collective(inst);
        Ok(())
    }

    /// Returns the rows of a fragment: a vector of registers, or one.
    pub(super) fn fragment(&mut self, arg: &Arg<'a>, dst: bool) -> Lowered<SmallVec<[Row; 8]>> {
        let single = [arg.clone()];
        let items = match arg {
            Arg::Vector(items) => items.as_slice(),
            _ => &single,
        };
        items
            .iter()
            .map(|item| if dst { self.destination(item) } else { self.source(item, ScalarType::B32) })
            .collect()
    }

    fn matrix(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let mut inst = CollectiveInst::of_warp(Collective::Movmatrix);
        match (op, args) {
            (Op::Mma { .. } | Op::WmmaMma { .. }, args) => inst = self.mma(op, args)?,
            (Op::WmmaLoad { space, .. }, [d, address, rest @ ..]) => {
                inst.what = Collective::MatrixLoad(Box::new(op.clone()));
                inst.d = self.fragment(d, true)?;
                inst.address = Some(self.address(address, *space)?);
                if let Some(stride) = rest.first() {
                    inst.b.push(self.source(stride, ScalarType::B32)?);
                }
            }
            (Op::WmmaStore { space, .. }, [address, a, rest @ ..]) => {
                inst.what = Collective::MatrixStore(Box::new(op.clone()));
                inst.a = self.fragment(a, false)?;
                inst.address = Some(self.address(address, *space)?);
                if let Some(stride) = rest.first() {
                    inst.b.push(self.source(stride, ScalarType::B32)?);
                }
            }
            (Op::Ldmatrix { space, .. }, [d, address]) => {
                inst.what = Collective::Ldmatrix(Box::new(op.clone()));
                inst.d = self.fragment(d, true)?;
                inst.address = Some(self.address(address, *space)?);
            }
            (Op::Stmatrix { space, .. }, [address, a]) => {
                inst.what = Collective::Stmatrix(Box::new(op.clone()));
                inst.a = self.fragment(a, false)?;
                inst.address = Some(self.address(address, *space)?);
            }
            (Op::Movmatrix { .. }, [d, a]) => {
                inst.d = self.fragment(d, true)?;
                inst.a = self.fragment(a, false)?;
            }
            _ => return Err("operands missing".to_owned()),
        }
        self.collective(inst);
        Ok(())
    }

    fn asynchronous(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let inst = match (op, args) {
            (Op::CpAsync { .. }, [dst, src, Arg::Int(size), rest @ ..]) => {
                let (mut src_size, mut ignore, mut negated) = (NO_ROW, NO_ROW, false);
                match rest.first() {
                    Some(Arg::NotReg(id)) => (ignore, negated) = (self.rows.row(*id, 0), true),
                    Some(Arg::Reg(id)) if self.bits(*id) == 1 => ignore = self.rows.row(*id, 0),
                    // A 64-bit register is a cache policy.
                    Some(Arg::Reg(id)) if self.bits(*id) == 64 => {}
                    Some(arg) => src_size = self.source(arg, ScalarType::U32)?,
                    None => {}
                }
                AsyncInst::Copy {
                    dst: self.address(dst, MemSpace::SharedCta)?,
                    src: self.address(src, MemSpace::Global)?,
                    size: *size as u32,
                    src_size,
                    ignore,
                    ignore_negated: negated,
                }
            }
            (Op::CpAsyncCommit, _) => AsyncInst::Commit,
            (Op::CpAsyncWait { all: true }, _) => AsyncInst::Wait { keep: None },
            (Op::CpAsyncWait { all: false }, [Arg::Int(n)]) => AsyncInst::Wait { keep: Some(*n as u32) },
            (Op::CpAsyncMbarrierArrive { noinc, space }, [address]) => {
                AsyncInst::MbarrierArrive { address: self.address(address, *space)?, noinc: *noinc }
            }
            (Op::CpAsyncBulkCommit, _) => AsyncInst::BulkCommit,
            (Op::CpAsyncBulkWait { read }, [Arg::Int(n)]) => {
                AsyncInst::BulkWait { keep: *n as u32, read: *read }
            }
            (Op::CpAsyncBulk { dst, src, completion, multicast, .. }, [d, s, size, rest @ ..]) => {
                let (mbar, rest) = self.bulk_mbar(rest)?;
                let mask = match (multicast, rest.first()) {
                    (true, Some(mask)) => self.source(mask, ScalarType::U16)?,
                    _ => NO_ROW,
                };
                AsyncInst::Bulk(Box::new(BulkInst {
                    dst: self.address(d, *dst)?,
                    src: self.address(s, *src)?,
                    size: self.source(size, ScalarType::U32)?,
                    completion: *completion,
                    mbar,
                    multicast: mask,
                    reduce: None,
                }))
            }
            (Op::CpReduceAsyncBulk { dst, src, completion, op, ty }, [d, s, size, rest @ ..]) => {
                let (mbar, _) = self.bulk_mbar(rest)?;
                AsyncInst::Bulk(Box::new(BulkInst {
                    dst: self.address(d, *dst)?,
                    src: self.address(s, *src)?,
                    size: self.source(size, ScalarType::U32)?,
                    completion: *completion,
                    mbar,
                    multicast: NO_ROW,
                    reduce: Some((*op, *ty)),
                }))
            }
            (Op::StAsync { ty, .. }, [dst, value, mbar]) => AsyncInst::Remote {
                rows: self.value_rows(value, *ty, false)?,
                dst: self.address(dst, MemSpace::SharedCluster)?,
                mbar: self.address(mbar, MemSpace::SharedCluster)?,
                part: ty.bytes() as u8,
                op: None,
                ty: *ty,
            },
            (Op::RedAsync { op, ty }, [dst, value, mbar]) => AsyncInst::Remote {
                rows: self.value_rows(value, *ty, false)?,
                dst: self.address(dst, MemSpace::SharedCluster)?,
                mbar: self.address(mbar, MemSpace::SharedCluster)?,
                part: ty.bytes() as u8,
                op: Some(*op),
                ty: *ty,
            },
            (Op::StBulk { .. } | Op::TryCancel { .. }, _) => self.launch_control(op, args)?,
            _ => return Err("operands missing".to_owned()),
        };
        self.builder.program.asyncs.push(inst);
        let n = self.builder.program.asyncs.len() as u32 - 1;
        self.emit(Code::Async(n));
        Ok(())
    }

    fn bulk_mbar<'x>(&mut self, rest: &'x [Arg<'a>]) -> Lowered<(Option<Address>, &'x [Arg<'a>])> {
        match rest {
            [arg @ Arg::Address { .. }, rest @ ..] => {
                Ok((Some(self.address(arg, MemSpace::SharedCluster)?), rest))
            }
            _ => Ok((None, rest)),
        }
    }

    fn mbarrier(
        &mut self,
        op: MbarrierOp,
        s: ptx::op::Sem,
        at: ptx::op::Scope,
        space: MemSpace,
        args: &[Arg<'a>],
    ) -> Lowered<()> {
        if op == MbarrierOp::PendingCount {
            let [d, state] = args else { return Err("operands missing".to_owned()) };
            let inst = MbarrierInst {
                op,
                d: self.destination(d)?,
                address: Address {
                    row: NO_ROW,
                    wide: false,
                    base: AddressBase::None,
                    offset: 0,
                    target: Target::Shared,
                },
                signals: Signals::Destination,
                a: self.source(state, ScalarType::B64)?,
                a_wide: true,
                sem: sem(s),
                scope: scope(at),
            };
            return self.push_mbarrier(inst);
        }
        let (d, rest) = match args {
            [Arg::Address { .. }, ..] => (NO_ROW, args),
            [d, rest @ ..] => (self.destination(d)?, rest),
            [] => return Err("operands missing".to_owned()),
        };
        let [address, rest @ ..] = rest else { return Err("operands missing".to_owned()) };
        let a_wide = matches!(op, MbarrierOp::Wait { parity: false, .. });
        let a = match rest.first() {
            Some(arg) => self.source(arg, if a_wide { ScalarType::B64 } else { ScalarType::U32 })?,
            None => NO_ROW,
        };
        let arrives = matches!(op, MbarrierOp::Arrive { .. } | MbarrierOp::ExpectTx);
        let signals = match arrives && space == MemSpace::SharedCluster && self.names_even(address) {
            true => Signals::Even,
            false => Signals::Destination,
        };
        let address = self.address(address, space)?;
        let (sem, scope) = (sem(s), scope(at));
        self.push_mbarrier(MbarrierInst { op, d, address, signals, a, a_wide, sem, scope })
    }

    fn push_mbarrier(&mut self, inst: MbarrierInst) -> Lowered<()> {
        self.builder.program.mbarriers.push(inst);
        let n = self.builder.program.mbarriers.len() as u32 - 1;
        self.emit(Code::Mbarrier(n));
        Ok(())
    }

    fn rare(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let inst = match (op, args) {
            (Op::Isspacep { space }, [d, a]) => RareInst::Isspacep {
                d: self.destination(d)?,
                a: self.source(a, ScalarType::B64)?,
                target: *space,
            },
            (Op::Mapa { space, ty }, [d, a, rank]) => {
                let generic = *space == MemSpace::Generic;
                let symbol = match a {
                    Arg::Symbol(name, offset) => self.symbols.get(name).map(|s| (s.clone(), *offset)),
                    Arg::Variable(id, offset) => self.local_symbol(*id).map(|s| (s.clone(), *offset)),
                    _ => None,
                };
                let (a, local, dynamic) = match symbol {
                    Some((Symbol::Shared { offset }, more)) => {
                        (NO_ROW, Some(i64::from(offset) + more), false)
                    }
                    Some((Symbol::DynamicShared, more)) => (NO_ROW, Some(more), true),
                    Some(_) => return Err("a variable that is not shared".to_owned()),
                    None => (self.source(a, *ty)?, None, false),
                };
                RareInst::Mapa {
                    d: self.destination(d)?,
                    a,
                    wide: ty.bits() == 64,
                    generic,
                    rank: self.source(rank, ScalarType::U32)?,
                    local,
                    dynamic,
                }
            }
            (Op::Getctarank { space, ty }, [d, a]) => RareInst::Getctarank {
                d: self.destination(d)?,
                a: self.source(a, *ty)?,
                wide: ty.bits() == 64,
                generic: *space == MemSpace::Generic,
            },
            (Op::QueryCancel { query }, [d, response]) => self.query_cancel(*query, d, response)?,
            (Op::GridDepControl { wait }, _) => RareInst::GridDependency { wait: *wait },
            (Op::Alloca { ty }, [d, size, rest @ ..]) => RareInst::Alloca {
                d: self.destination(d)?,
                size: self.source(size, *ty)?,
                size_wide: ty.bits() == 64,
                align: match rest.first() {
                    Some(Arg::Int(align)) => (*align).clamp(1, 1 << 16) as u32,
                    _ => 16,
                },
            },
            (Op::StackSave { .. }, [d]) => RareInst::StackSave { d: self.destination(d)? },
            (Op::StackRestore { ty }, [a]) => RareInst::StackRestore { a: self.source(a, *ty)? },
            _ => return Err("operands missing".to_owned()),
        };
        self.push_rare(inst);
        Ok(())
    }

    fn push_rare(&mut self, inst: RareInst) {
        self.builder.program.rares.push(inst);
        let n = self.builder.program.rares.len() as u32 - 1;
        self.emit(Code::Rare(n));
    }
}

fn first<'x, 'a>(args: &'x [Arg<'a>]) -> Lowered<&'x Arg<'a>> {
    args.first().ok_or_else(|| "operands missing".to_owned())
}
