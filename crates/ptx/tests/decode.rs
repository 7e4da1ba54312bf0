//! Checks the typed meaning of instructions: the `Op` of each spelling, and the refused spellings.
//!
//! **Size:** a list of spellings with their expected results, which a split would not make clearer.

use crate::common;

use common::instruction;
use proptest::prelude::*;
use ptx::ast::ScalarType::*;
use ptx::decode;
use ptx::op::*;

/// Checks a list of `"text" => Op` pairs.
macro_rules! decodes {
    ($($text:literal => $op:expr),* $(,)?) => {
        $(assert_eq!(decode(&instruction($text)), Ok($op), "{}", $text);)*
    };
}

const WEAK: Mem =
    Mem { space: MemSpace::Global, sem: Sem::Weak, scope: Scope::Cta, ty: U32, vector: 1, nc: false };

#[test]
fn integer_arithmetic() {
    decodes! {
        "add.s32 %r1, %r2, %r3;" => Op::Add { ty: S32, rnd: None, ftz: false, sat: false },
        "add.sat.s32 %r1, %r2, %r3;" => Op::Add { ty: S32, rnd: None, ftz: false, sat: true },
        "sub.u16x2 %r1, %r2, %r3;" => Op::Sub { ty: U16x2, rnd: None, ftz: false, sat: false },
        "add.cc.u64 %r1, %r2, %r3;" => Op::AddCarry { ty: U64, carry_in: false, carry_out: true },
        "addc.u32 %r1, %r2, %r3;" => Op::AddCarry { ty: U32, carry_in: true, carry_out: false },
        "addc.cc.s32 %r1, %r2, %r3;" => Op::AddCarry { ty: S32, carry_in: true, carry_out: true },
        "sub.cc.u32 %r1, %r2, %r3;" => Op::SubCarry { ty: U32, carry_in: false, carry_out: true },
        "subc.cc.u32 %r1, %r2, %r3;" => Op::SubCarry { ty: U32, carry_in: true, carry_out: true },
        "mul.lo.s32 %r1, %r2, %r3;" =>
            Op::Mul { ty: S32, part: Some(MulPart::Lo), rnd: None, ftz: false, sat: false },
        "mul.wide.u16 %r1, %r2, %r3;" =>
            Op::Mul { ty: U16, part: Some(MulPart::Wide), rnd: None, ftz: false, sat: false },
        "mad.hi.sat.s32 %r1, %r2, %r3, %r4;" => Op::Mad {
            ty: S32, part: Some(MulPart::Hi), rnd: None, ftz: false, sat: true, relu: false,
        },
        "mad.lo.cc.u32 %r1, %r2, %r3, %r4;" =>
            Op::MadCarry { ty: U32, part: MulPart::Lo, carry_in: false, carry_out: true },
        "madc.hi.u64 %r1, %r2, %r3, %r4;" =>
            Op::MadCarry { ty: U64, part: MulPart::Hi, carry_in: true, carry_out: false },
        "mul24.hi.u32 %r1, %r2, %r3;" => Op::Mul24 { ty: U32, part: MulPart::Hi },
        "mad24.hi.sat.s32 %r1, %r2, %r3, %r4;" => Op::Mad24 { ty: S32, part: MulPart::Hi, sat: true },
        "sad.u64 %r1, %r2, %r3, %r4;" => Op::Sad { ty: U64 },
        "div.s64 %r1, %r2, %r3;" => Op::Div { ty: S64, precision: None, ftz: false },
        "rem.u16 %r1, %r2, %r3;" => Op::Rem { ty: U16 },
        "abs.s32 %r1, %r2;" => Op::Abs { ty: S32, ftz: false },
        "max.relu.s16x2 %r1, %r2, %r3;" =>
            Op::Max { ty: S16x2, ftz: false, nan: false, xorsign_abs: false, relu: true },
        "dp4a.s32.u32 %r1, %r2, %r3, %r4;" => Op::Dp4a { a: S32, b: U32 },
        "dp2a.hi.u32.s32 %r1, %r2, %r3, %r4;" => Op::Dp2a { a: U32, b: S32, hi: true },
    }
}

#[test]
fn floating_point() {
    let nearest = Some(Rounding::Nearest);
    decodes! {
        "add.f32 %f1, %f2, %f3;" => Op::Add { ty: F32, rnd: None, ftz: false, sat: false },
        "add.rz.ftz.sat.f32 %f1, %f2, %f3;" =>
            Op::Add { ty: F32, rnd: Some(Rounding::Zero), ftz: true, sat: true },
        "sub.rn.f32.f16 %f1, %h2, %f3;" =>
            Op::Mixed { sum: MixedSum::Sub, narrow: F16, rnd: nearest, sat: false },
        "add.sat.f32.bf16 %f1, %h2, %f3;" =>
            Op::Mixed { sum: MixedSum::Add, narrow: Bf16, rnd: None, sat: true },
        "fma.rz.f32.bf16 %f1, %h2, %h3, %f4;" =>
            Op::Mixed { sum: MixedSum::Fma, narrow: Bf16, rnd: Some(Rounding::Zero), sat: false },
        "mul.rn.bf16x2 %f1, %f2, %f3;" => Op::Mul { ty: Bf16x2, part: None, rnd: nearest, ftz: false, sat: false },
        "fma.rn.f32x2 %f1, %f2, %f3, %f4;" =>
            Op::Mad { ty: F32x2, part: None, rnd: nearest, ftz: false, sat: false, relu: false },
        "fma.rn.ftz.relu.f16 %f1, %f2, %f3, %f4;" =>
            Op::Mad { ty: F16, part: None, rnd: nearest, ftz: true, sat: false, relu: true },
        "mad.rn.f64 %f1, %f2, %f3, %f4;" =>
            Op::Mad { ty: F64, part: None, rnd: nearest, ftz: false, sat: false, relu: false },
        "div.approx.ftz.f32 %f1, %f2, %f3;" =>
            Op::Div { ty: F32, precision: Some(Precision::Approx), ftz: true },
        "div.full.f32 %f1, %f2, %f3;" => Op::Div { ty: F32, precision: Some(Precision::Full), ftz: false },
        "div.rp.f64 %f1, %f2, %f3;" =>
            Op::Div { ty: F64, precision: Some(Precision::Ieee(Rounding::Up)), ftz: false },
        "rcp.approx.ftz.f64 %f1, %f2;" => Op::Rcp { ty: F64, precision: Precision::Approx, ftz: true },
        "sqrt.rm.ftz.f32 %f1, %f2;" =>
            Op::Sqrt { ty: F32, precision: Precision::Ieee(Rounding::Down), ftz: true },
        "rsqrt.approx.f64 %f1, %f2;" => Op::Rsqrt { ty: F64, ftz: false },
        "sin.approx.ftz.f32 %f1, %f2;" => Op::Sin { ftz: true },
        "cos.approx.f32 %f1, %f2;" => Op::Cos { ftz: false },
        "lg2.approx.f32 %f1, %f2;" => Op::Lg2 { ftz: false },
        "ex2.approx.ftz.bf16x2 %f1, %f2;" => Op::Ex2 { ty: Bf16x2, ftz: true },
        "tanh.approx.f16x2 %f1, %f2;" => Op::Tanh { ty: F16x2 },
        "copysign.f64 %f1, %f2, %f3;" => Op::Copysign { ty: F64 },
        "min.ftz.NaN.xorsign.abs.f32 %f1, %f2, %f3;" =>
            Op::Min { ty: F32, ftz: true, nan: true, xorsign_abs: true, relu: false },
        "max.f32 %f1, %f2, %f3, %f4;" =>
            Op::Max { ty: F32, ftz: false, nan: false, xorsign_abs: false, relu: false },
        "neg.ftz.f16x2 %f1, %f2;" => Op::Neg { ty: F16x2, ftz: true },
        "testp.subnormal.f64 %p1, %f1;" => Op::Testp { ty: F64, test: FloatTest::Subnormal },
    }
}

#[test]
fn bits_and_logic() {
    decodes! {
        "popc.b64 %r1, %r2;" => Op::Popc { ty: B64 },
        "clz.b32 %r1, %r2;" => Op::Clz { ty: B32 },
        "bfind.shiftamt.s64 %r1, %r2;" => Op::Bfind { ty: S64, shiftamt: true },
        "fns.b32 %r1, %r2, %r3, 1;" => Op::Fns,
        "brev.b32 %r1, %r2;" => Op::Brev { ty: B32 },
        "bfe.s64 %r1, %r2, 1, 2;" => Op::Bfe { ty: S64 },
        "bfi.b64 %r1, %r2, %r3, 1, 2;" => Op::Bfi { ty: B64 },
        "bmsk.wrap.b32 %r1, 1, 2;" => Op::Bmsk { clamp: false },
        "szext.clamp.s32 %r1, %r2, 7;" => Op::Szext { ty: S32, clamp: true },
        "and.pred %p1, %p2, %p3;" => Op::And { ty: Pred },
        "or.b16 %r1, %r2, %r3;" => Op::Or { ty: B16 },
        "xor.b64 %r1, %r2, -1;" => Op::Xor { ty: B64 },
        "not.pred %p1, %p2;" => Op::Not { ty: Pred },
        "cnot.b32 %r1, %r2;" => Op::Cnot { ty: B32 },
        "lop3.b32 %r1, %r2, %r3, %r4, 0x80;" => Op::Lop3 { combine: None },
        "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;" => Op::Lop3 { combine: Some(BoolOp::Or) },
        "shf.r.clamp.b32 %r1, %r2, %r3, 4;" => Op::Shf { left: false, wrap: false },
        "shf.l.wrap.b32 %r1, %r2, %r3, 4;" => Op::Shf { left: true, wrap: true },
        "shl.b64 %r1, %r2, 4;" => Op::Shl { ty: B64 },
        "shr.s16 %r1, %r2, 4;" => Op::Shr { ty: S16 },
        "prmt.b32 %r1, %r2, %r3, 0x3210;" => Op::Prmt { mode: PrmtMode::Index },
        "prmt.b32.rc16 %r1, %r2, %r3, 1;" => Op::Prmt { mode: PrmtMode::Rc16 },
    }
}

#[test]
fn comparison_and_selection() {
    decodes! {
        "setp.lt.s32 %p1, %r1, %r2;" => Op::Setp { cmp: Cmp::Lt, combine: None, ty: S32, ftz: false },
        "setp.hs.and.u32 %p1|%p2, %r1, %r2, !%p3;" =>
            Op::Setp { cmp: Cmp::Hs, combine: Some(BoolOp::And), ty: U32, ftz: false },
        "setp.nan.ftz.f16x2 %p1|%p2, %r1, %r2;" =>
            Op::Setp { cmp: Cmp::Nan, combine: None, ty: F16x2, ftz: true },
        "set.leu.xor.ftz.u32.f32 %r1, %f1, %f2, %p1;" =>
            Op::Set { cmp: Cmp::Leu, combine: Some(BoolOp::Xor), dst: U32, src: F32, ftz: true },
        "selp.b16 %r1, 1, 0, %p1;" => Op::Selp { ty: B16 },
        "slct.ftz.f32.f32 %r1, %r2, %r3, %f1;" => Op::Slct { dst: F32, src: F32, ftz: true },
    }
}

#[test]
fn conversions() {
    let cvt = |dst, src, rnd, [ftz, sat, relu, satfinite, scaled]: [bool; 5]| Op::Cvt {
        dst,
        src,
        rnd,
        ftz,
        sat,
        relu,
        satfinite,
        scaled,
    };
    let plain = |dst, src, rnd| cvt(dst, src, rnd, [false; 5]);
    let nearest = Some(Rounding::Nearest);
    decodes! {
        "cvt.u64.u32 %r1, %r2;" => plain(U64, U32, None),
        "cvt.s8.s64 %r1, %r2;" => plain(S8, S64, None),
        "cvt.rn.f32.s32 %f1, %r1;" => plain(F32, S32, nearest),
        "cvt.rmi.f64.f64 %f1, %f2;" => plain(F64, F64, Some(Rounding::DownInt)),
        "cvt.rzi.ftz.sat.u32.f32 %r1, %f1;" => cvt(U32, F32, Some(Rounding::ZeroInt), [true, true, false, false, false]),
        "cvt.rn.bf16.f32 %r1, %f1;" => plain(Bf16, F32, nearest),
        "cvt.rna.tf32.f32 %r1, %f1;" => plain(Tf32, F32, Some(Rounding::NearestAway)),
        "cvt.rn.relu.f16x2.f32 %r1, %f1, %f2;" => cvt(F16x2, F32, nearest, [false, false, true, false, false]),
        "cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f2;" => cvt(E4m3x2, F32, nearest, [false, false, false, true, false]),
        "cvt.rn.f16x2.e5m2x2 %r1, %r2;" => plain(F16x2, E5m2x2, nearest),
        "cvt.rn.satfinite.relu.e5m2x2.f16x2 %r1, %r2;" => cvt(E5m2x2, F16x2, nearest, [false, false, true, true, false]),
        "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;" => plain(F16x2, F32, Some(Rounding::Stochastic)),
        "cvt.rn.satfinite.relu.e2m1x2.bf16x2 %h1, %r2;" =>
            cvt(E2m1x2, Bf16x2, nearest, [false, false, true, true, false]),
        "cvt.rs.satfinite.e3m2x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;" =>
            cvt(E3m2x4, F32, Some(Rounding::Stochastic), [false, false, false, true, false]),
        "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m3x2 %r1, %h1, %h2;" =>
            cvt(Bf16x2, E2m3x2, nearest, [false, false, false, false, true]),
        "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h1, %f1, %f2, %h2;" =>
            cvt(S2f6x2, F32, nearest, [false, false, false, true, true]),
        "cvt.rp.ue8m0x2.f32 %h1, %f1, %f2;" => plain(Ue8m0x2, F32, Some(Rounding::Up)),
        "cvt.pack.sat.u16.s32 %r1, %r2, %r3;" => Op::CvtPack { convert: U16, from: S32, with_c: false },
        "cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;" => Op::CvtPack { convert: S4, from: S32, with_c: true },
    }
}

#[test]
fn loads_and_stores() {
    let strong = |sem, scope| Mem { sem, scope, ..WEAK };
    decodes! {
        "ld.global.u32 %r1, [%d1];" => Op::Ld(WEAK),
        "ld.weak.global.u32 %r1, [%d1];" => Op::Ld(WEAK),
        "ld.u32 %r1, [%d1];" => Op::Ld(Mem { space: MemSpace::Generic, ..WEAK }),
        "ld.volatile.global.u32 %r1, [%d1];" => Op::Ld(strong(Sem::Volatile, Scope::Sys)),
        "ld.relaxed.gpu.global.u32 %r1, [%d1];" => Op::Ld(strong(Sem::Relaxed, Scope::Gpu)),
        "ld.acquire.cluster.global.u32 %r1, [%d1];" => Op::Ld(strong(Sem::Acquire, Scope::Cluster)),
        "ld.mmio.relaxed.sys.global.u32 %r1, [%d1];" => Op::Ld(strong(Sem::Mmio, Scope::Sys)),
        "st.release.sys.global.u32 [%d1], %r1;" => Op::St(strong(Sem::Release, Scope::Sys)),
        "ld.global.nc.L1::no_allocate.L2::evict_first.L2::256B.v2.u64 {%d1, %d2}, [%d1], %d3;" =>
            Op::Ld(Mem { nc: true, vector: 2, ty: U64, ..WEAK }),
        "ld.global.ca.u32 %r1, [%d1];" => Op::Ld(WEAK),
        "st.global.wt.v4.f32 [%d1], {%f1, %f2, %f3, %f4};" => Op::St(Mem { vector: 4, ty: F32, ..WEAK }),
        "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%d1];" =>
            Op::Ld(Mem { vector: 8, ty: B32, ..WEAK }),
        "ld.shared::cluster.b8 %r1, [%r2];" => Op::Ld(Mem { space: MemSpace::SharedCluster, ty: B8, ..WEAK }),
        "st.shared::cta.b16 [%r2], %r1;" => Op::St(Mem { space: MemSpace::SharedCta, ty: B16, ..WEAK }),
        "ld.param.b64 %r1, [p];" => Op::Ld(Mem { space: MemSpace::Param, ty: B64, ..WEAK }),
        "ld.param::func.b64 %r1, [p];" => Op::Ld(Mem { space: MemSpace::ParamFunc, ty: B64, ..WEAK }),
        "ld.const.f64 %f1, [c];" => Op::Ld(Mem { space: MemSpace::Const, ty: F64, ..WEAK }),
        "ld.local.s8 %r1, [l];" => Op::Ld(Mem { space: MemSpace::Local, ty: S8, ..WEAK }),
        "ldu.global.u32 %r1, [%d1];" => Op::Ldu(Mem { nc: true, ..WEAK }),
        "mov.pred %p1, %p2;" => Op::Mov { ty: Pred },
        "mov.b128 %q1, {%d1, %d2};" => Op::Mov { ty: B128 },
        "prefetch.global.L1 [%d1];" => Op::Hint,
        "prefetchu.L1 [%d1];" => Op::Hint,
        "applypriority.global.L2::evict_normal [%d1], 128;" => Op::Hint,
        "discard.global.L2 [%d1], 128;" => Op::Discard { space: MemSpace::Global },
        "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %d1, [%d2], 1, 2;" => Op::CreatePolicy,
        "isspacep.param::entry %p1, %d1;" => Op::Isspacep { space: MemSpace::Param },
        "cvta.to.global.u64 %d1, %d2;" => Op::Cvta { to: true, space: MemSpace::Global, ty: U64 },
        "cvta.local.u32 %r1, %r2;" => Op::Cvta { to: false, space: MemSpace::Local, ty: U32 },
        "mapa.u64 %d1, %d2, %r1;" => Op::Mapa { space: MemSpace::Generic, ty: U64 },
        "getctarank.shared::cluster.u32 %r1, %r2;" => Op::Getctarank { space: MemSpace::SharedCluster, ty: U32 },
        "multimem.ld_reduce.relaxed.gpu.global.add.f32 %f1, [%d1];" => Op::Multimem,
    }
}

#[test]
fn atomics() {
    let atom = |op, sem, scope, space, ty| AtomOp {
        op,
        mem: Mem { space, sem, scope, ty, vector: 1, nc: false },
        noftz: false,
    };
    let (relaxed, gpu, global) = (Sem::Relaxed, Scope::Gpu, MemSpace::Global);
    decodes! {
        "atom.global.add.u32 %r1, [%d1], 1;" => Op::Atom(atom(Rmw::Add, relaxed, gpu, global, U32)),
        "atom.add.u32 %r1, [%d1], 1;" => Op::Atom(atom(Rmw::Add, relaxed, gpu, MemSpace::Generic, U32)),
        "atom.global.cta.exch.b32 %r1, [%d1], 1;" =>
            Op::Atom(atom(Rmw::Exch, relaxed, Scope::Cta, global, B32)),
        "atom.exch.acquire.gpu.global.b32 %r1, [%d1], 1;" =>
            Op::Atom(atom(Rmw::Exch, Sem::Acquire, gpu, global, B32)),
        "atom.acq_rel.sys.shared::cluster.cas.b16 %r1, [%r2], 1, 2;" =>
            Op::Atom(atom(Rmw::Cas, Sem::AcqRel, Scope::Sys, MemSpace::SharedCluster, B16)),
        "atom.shared.inc.u32 %r1, [%r2], 7;" => Op::Atom(atom(Rmw::Inc, relaxed, gpu, MemSpace::SharedCta, U32)),
        "atom.global.cas.b128 %q1, [%d1], %q2, %q3;" => Op::Atom(atom(Rmw::Cas, relaxed, gpu, global, B128)),
        "atom.global.add.noftz.bf16x2 %r1, [%d1], %r2;" =>
            Op::Atom(AtomOp { noftz: true, ..atom(Rmw::Add, relaxed, gpu, global, Bf16x2) }),
        "atom.global.v4.add.f32 {%f1,%f2,%f3,%f4}, [%d1], {%f1,%f2,%f3,%f4};" => {
            let mut op = atom(Rmw::Add, relaxed, gpu, global, F32);
            op.mem.vector = 4;
            Op::Atom(op)
        },
        "atom.global.min.L2::cache_hint.s64 %r1, [%d1], %r2, %d3;" =>
            Op::Atom(atom(Rmw::Min, relaxed, gpu, global, S64)),
        "red.global.add.f64 [%d1], %f1;" => Op::Red(atom(Rmw::Add, relaxed, gpu, global, F64)),
        "red.release.cluster.shared.or.b32 [%r1], 1;" =>
            Op::Red(atom(Rmw::Or, Sem::Release, Scope::Cluster, MemSpace::SharedCta, B32)),
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r1], %d1, [%r2];" =>
            Op::RedAsync { op: Rmw::Add, ty: U64 },
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r1], {%r1,%r2,%r3,%r4}, [%r2];" =>
            Op::StAsync { ty: B32, vector: 4 },
    }
}

#[test]
fn asynchronous_copies() {
    use BulkCompletion::*;
    let bulk =
        |dst, src, completion| Op::CpAsyncBulk { dst, src, completion, multicast: false, cache_hint: false };
    decodes! {
        "cp.async.ca.shared.global [%r1], [%d1], 4;" => Op::CpAsync { ca: true },
        "cp.async.cg.shared::cta.global.L2::cache_hint.L2::128B [%r1], [%d1], 16, 8, %d2;" =>
            Op::CpAsync { ca: false },
        "cp.async.commit_group;" => Op::CpAsyncCommit,
        "cp.async.wait_group 2;" => Op::CpAsyncWait { all: false },
        "cp.async.wait_all;" => Op::CpAsyncWait { all: true },
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];" =>
            Op::CpAsyncMbarrierArrive { noinc: true, space: MemSpace::SharedCta },
        "cp.async.mbarrier.arrive.b64 [%r1];" =>
            Op::CpAsyncMbarrierArrive { noinc: false, space: MemSpace::Generic },
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16, [%r2];" =>
            bulk(MemSpace::SharedCluster, MemSpace::Global, Mbarrier),
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16, [%r2];" =>
            bulk(MemSpace::SharedCta, MemSpace::Global, Mbarrier),
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r3], 16, [%r2];" =>
            bulk(MemSpace::SharedCluster, MemSpace::SharedCta, Mbarrier),
        "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16;" =>
            bulk(MemSpace::Global, MemSpace::SharedCta, BulkGroup),
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint \
         [%r1], [%d1], 16, [%r2], %h1, %d2;" => Op::CpAsyncBulk {
            dst: MemSpace::SharedCluster, src: MemSpace::Global, completion: Mbarrier,
            multicast: true, cache_hint: true,
        },
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b64 \
         [%r1], [%r3], 16, [%r2];" => Op::CpReduceAsyncBulk {
            dst: MemSpace::SharedCluster, src: MemSpace::SharedCta, completion: Mbarrier, op: Rmw::Xor, ty: B64,
        },
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%d1], [%r1], 16;" =>
            Op::CpReduceAsyncBulk {
                dst: MemSpace::Global, src: MemSpace::SharedCta, completion: BulkGroup, op: Rmw::Add, ty: F16,
            },
        "cp.async.bulk.commit_group;" => Op::CpAsyncBulkCommit,
        "cp.async.bulk.wait_group.read 0;" => Op::CpAsyncBulkWait { read: true },
        "cp.async.bulk.wait_group 0;" => Op::CpAsyncBulkWait { read: false },
        "cp.async.bulk.prefetch.L2.global [%d1], 16;" => Op::CpAsyncBulkPrefetch,
    }
}

#[test]
fn barriers_and_fences() {
    let bar = |kind, aligned| Op::Bar { kind, aligned };
    let thread = |sem, scope| Op::Fence(Fence::Thread { sem, scope });
    let proxy = |proxy| Op::Fence(Fence::Proxy(proxy));
    decodes! {
        "bar.sync 0;" => bar(BarKind::Sync, true),
        "bar.cta.sync 1, 64;" => bar(BarKind::Sync, true),
        "bar.arrive 1, 64;" => bar(BarKind::Arrive, true),
        "bar.red.popc.u32 %r1, 0, %p1;" => bar(BarKind::RedPopc, true),
        "bar.red.or.pred %p1, 0, 64, !%p2;" => bar(BarKind::RedOr, true),
        "barrier.sync 0;" => bar(BarKind::Sync, false),
        "barrier.cta.sync.aligned %r1, %r2;" => bar(BarKind::Sync, true),
        "barrier.cta.red.and.aligned.pred %p1, 0, %p2;" => bar(BarKind::RedAnd, true),
        "bar.warp.sync %r1;" => Op::BarWarpSync,
        "barrier.cluster.arrive;" => Op::ClusterArrive { sem: Sem::Release, aligned: false },
        "barrier.cluster.arrive.relaxed.aligned;" => Op::ClusterArrive { sem: Sem::Relaxed, aligned: true },
        "barrier.cluster.wait;" => Op::ClusterWait { aligned: false },
        "barrier.cluster.wait.acquire.aligned;" => Op::ClusterWait { aligned: true },
        "membar.cta;" => thread(Sem::Sc, Scope::Cta),
        "membar.gl;" => thread(Sem::Sc, Scope::Gpu),
        "membar.sys;" => thread(Sem::Sc, Scope::Sys),
        "fence.sc.gpu;" => thread(Sem::Sc, Scope::Gpu),
        "fence.acq_rel.cluster;" => thread(Sem::AcqRel, Scope::Cluster),
        "fence.cta;" => thread(Sem::AcqRel, Scope::Cta),
        "fence.acquire.sys;" => thread(Sem::Acquire, Scope::Sys),
        "fence.release.gpu;" => thread(Sem::Release, Scope::Gpu),
        "fence.mbarrier_init.release.cluster;" => Op::Fence(Fence::MbarrierInit),
        "fence.proxy.alias;" => proxy(ProxyFence::Alias),
        "membar.proxy.alias;" => proxy(ProxyFence::Alias),
        "fence.proxy.async;" => proxy(ProxyFence::Async { space: None }),
        "fence.proxy.async.global;" => proxy(ProxyFence::Async { space: Some(MemSpace::Global) }),
        "fence.proxy.async.shared::cta;" => proxy(ProxyFence::Async { space: Some(MemSpace::SharedCta) }),
        "fence.proxy.tensormap::generic.release.gpu;" =>
            proxy(ProxyFence::TensormapGeneric { sem: Sem::Release, scope: Scope::Gpu }),
        "fence.proxy.tensormap::generic.acquire.sys [%d1], 128;" =>
            proxy(ProxyFence::TensormapGeneric { sem: Sem::Acquire, scope: Scope::Sys }),
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" =>
            proxy(ProxyFence::AsyncGenericRestricted { sem: Sem::Acquire, scope: Scope::Cluster }),
        // Decoding it as a full fence would hide races.
        "fence.acquire.sync_restrict::shared::cluster.cluster;" => Op::Unknown,
    }
}

#[test]
fn mbarriers() {
    let op = |op, sem, scope, space| Op::Mbarrier { op, sem, scope, space };
    let arrive = |drop, no_complete, expect_tx| MbarrierOp::Arrive { drop, no_complete, expect_tx };
    let wait = |try_wait, parity| MbarrierOp::Wait { try_wait, parity };
    let (cta, shared, generic) = (Scope::Cta, MemSpace::SharedCta, MemSpace::Generic);
    decodes! {
        "mbarrier.init.shared::cta.b64 [%r1], 32;" => op(MbarrierOp::Init, Sem::Weak, cta, shared),
        "mbarrier.inval.b64 [%r1];" => op(MbarrierOp::Inval, Sem::Weak, cta, generic),
        "mbarrier.arrive.shared.b64 %d1, [%r1];" => op(arrive(false, false, false), Sem::Release, cta, shared),
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 2;" =>
            op(arrive(false, false, false), Sem::Release, Scope::Cluster, MemSpace::SharedCluster),
        "mbarrier.arrive.noComplete.shared.b64 %d1, [%r1], 1;" =>
            op(arrive(false, true, false), Sem::Release, cta, shared),
        "mbarrier.arrive_drop.expect_tx.relaxed.cta.b64 %d1, [%r1], 16;" =>
            op(arrive(true, false, true), Sem::Relaxed, cta, generic),
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;" =>
            op(MbarrierOp::ExpectTx, Sem::Relaxed, cta, shared),
        "mbarrier.complete_tx.shared::cluster.b64 [%r1], 16;" =>
            op(MbarrierOp::CompleteTx, Sem::Relaxed, cta, MemSpace::SharedCluster),
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %d1;" => op(wait(false, false), Sem::Acquire, cta, shared),
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], 0, 1000;" =>
            op(wait(true, true), Sem::Acquire, Scope::Cluster, shared),
        "mbarrier.try_wait.relaxed.gpu.b64 %p1, [%r1], %d1;" =>
            op(wait(true, false), Sem::Relaxed, Scope::Gpu, generic),
        "mbarrier.pending_count.b64 %r1, %d1;" => op(MbarrierOp::PendingCount, Sem::Weak, cta, generic),
    }
}

#[test]
fn warps_and_control() {
    decodes! {
        "vote.sync.ballot.b32 %r1, %p1, -1;" => Op::Vote { mode: VoteMode::Ballot },
        "vote.sync.uni.pred %p1, !%p2, -1;" => Op::Vote { mode: VoteMode::Uni },
        "match.any.sync.b32 %r1, %r2, -1;" => Op::Match { all: false, ty: B32 },
        "match.all.sync.b64 %r1|%p1, %d1, -1;" => Op::Match { all: true, ty: B64 },
        "activemask.b32 %r1;" => Op::Activemask,
        "redux.sync.xor.b32 %r1, %r2, -1;" => Op::Redux { op: ReduxOp::Xor, ty: B32, abs: false, nan: false },
        "redux.sync.max.abs.NaN.f32 %r1, %r2, -1;" =>
            Op::Redux { op: ReduxOp::Max, ty: F32, abs: true, nan: true },
        "elect.sync _|%p1, -1;" => Op::Elect,
        "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;" => Op::Shfl { mode: ShflMode::Bfly },
        "bra.uni L;" => Op::Bra { uniform: true },
        "brx.idx %r1, T;" => Op::BrxIdx,
        "call.uni (r), f, (a, b);" => Op::Call,
        "call %d1, (a), proto;" => Op::Call,
        "ret;" => Op::Ret,
        "ret.uni;" => Op::Ret,
        "exit;" => Op::Exit,
        "trap;" => Op::Trap,
        "brkpt;" => Op::Brkpt,
        "nanosleep.u32 %r1;" => Op::Nanosleep,
        "pmevent.mask 7;" => Op::Pmevent,
        "setmaxnreg.dec.sync.aligned.u32 40;" => Op::SetMaxNReg,
        "alloca.u64 %d1, 16, 8;" => Op::Alloca { ty: U64 },
        "stacksave.u64 %d1;" => Op::StackSave { ty: U64 },
        "stackrestore.u64 %d1;" => Op::StackRestore { ty: U64 },
        "griddepcontrol.launch_dependents;" => Op::GridDepControl { wait: false },
        "griddepcontrol.wait;" => Op::GridDepControl { wait: true },
    }
}

#[test]
fn sparse_and_narrow_products() {
    let v = "{%r1,%r2,%r3,%r4}";
    let decoded =
        |text: &str, more: &str| match decode(&instruction(&format!("{text} {v}, {v}, {v}, {v}{more};"))) {
            Ok(Op::Mma { shape, a, b, sparse, kind, .. }) => Some((shape.k, a, b, sparse, kind)),
            _ => None,
        };
    let kind = |packed, scale| Some(MmaKind { packed, scale });
    let scale = |blocks, ty| Some(BlockScale { blocks, ty });
    let scales = ", %r5, {2, %h1}, %r6, {0, 3}";
    for variant in ["sp", "sp::ordered_metadata"] {
        let half = format!("mma.{variant}.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32");
        assert_eq!(decoded(&half, ", %r5, 1"), Some((32, F16, F16, true, None)));
        assert_eq!(decoded(&half, ""), None);
        let four = format!("mma.{variant}.sync.aligned.m16n8k128.row.col.satfinite.s32.u4.s4.s32");
        assert_eq!(decoded(&four, ", %r5, 0"), Some((128, U4, S4, true, None)));
    }
    assert_eq!(
        decoded("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32", ""),
        Some((32, E3m2, E2m1, false, kind(false, None)))
    );
    let mxf8f6f4 = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale";
    assert_eq!(
        decoded(&format!("{mxf8f6f4}.f32.e4m3.e2m3.f32.ue8m0"), &format!(", %r7, 0{scales}")),
        Some((64, E4m3, E2m3, true, kind(false, scale(1, Ue8m0))))
    );
    let nvf4 = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32";
    assert_eq!(
        decoded(&format!("{nvf4}.ue4m3"), scales),
        Some((64, E2m1, E2m1, false, kind(true, scale(4, Ue4m3))))
    );
    for impossible in [
        "mma.sp.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32",
        "mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f32",
        "mma.sp.sync.aligned.m16n8k32.row.row.f32.f16.f16.f32",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.tf32.tf32.f32",
    ] {
        assert_eq!(decoded(impossible, ", %r5, 0"), None, "{impossible}");
    }
    for impossible in [
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e4m3.f32.ue8m0",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue4m3",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f16.e4m3.e4m3.f16.ue8m0",
    ] {
        assert_eq!(decoded(impossible, scales), None, "{impossible}");
    }
}

#[test]
fn matrices() {
    use Layout::{Col, Row};
    let shape = |m, n, k| Shape { m, n, k };
    let v = "{%r1,%r2,%r3,%r4}";
    let mma = |text: &str| decode(&instruction(&format!("{text} {v}, {v}, {v}, {v};")));
    let product = |shape, d, a, b, c, satfinite, bit_op| {
        let (sparse, kind) = (false, None);
        Ok(Op::Mma { a_layout: Row, b_layout: Col, shape, d, a, b, c, satfinite, bit_op, sparse, kind })
    };
    assert_eq!(
        mma("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        product(shape(16, 8, 16), F32, Bf16, Bf16, F32, false, None)
    );
    assert_eq!(
        mma("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32"),
        product(shape(16, 8, 32), S32, U8, S8, S32, true, None)
    );
    assert_eq!(
        mma("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"),
        product(shape(16, 8, 256), S32, B1, B1, S32, false, Some(BoolOp::And))
    );
    assert_eq!(
        mma("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"),
        product(shape(8, 8, 4), F64, F64, F64, F64, false, None)
    );
    assert_eq!(
        mma("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32"),
        product(shape(16, 8, 32), F32, E4m3, E5m2, F32, false, None)
    );
    let wmma = |a_layout, b_layout, d, a, b, c, satfinite| {
        Ok(Op::WmmaMma { a_layout, b_layout, shape: shape(16, 16, 16), d, a, b, c, satfinite, bit_op: None })
    };
    assert_eq!(
        mma("wmma.mma.sync.aligned.col.row.m16n16k16.f32.f16"),
        wmma(Col, Row, F32, F16, F16, F16, false)
    );
    assert_eq!(
        mma("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite"),
        wmma(Row, Col, S32, S8, S8, S32, true)
    );
    assert_eq!(
        mma("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32"),
        Ok(Op::WmmaMma {
            a_layout: Row,
            b_layout: Col,
            shape: shape(8, 8, 128),
            d: S32,
            a: B1,
            b: B1,
            c: S32,
            satfinite: false,
            bit_op: Some(BoolOp::Xor),
        })
    );
    decodes! {
        "wmma.load.b.sync.aligned.col.m16n16k16.shared.bf16 {%r1,%r2,%r3,%r4}, [%r5], 16;" => Op::WmmaLoad {
            fragment: Fragment::B, layout: Col, shape: shape(16, 16, 16), space: MemSpace::SharedCta, ty: Bf16,
        },
        "wmma.store.d.sync.aligned.row.m32n8k16.global.f32 [%d1], {%f1,%f2}, %r1;" => Op::WmmaStore {
            layout: Row, shape: shape(32, 8, 16), space: MemSpace::Global, ty: F32,
        },
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3];" =>
            Op::Ldmatrix { shape: BlockShape::M8n8, count: 2, trans: true, space: MemSpace::SharedCta, ty: B16, bits: 16 },
        "ldmatrix.sync.aligned.m16n16.x2.trans.shared::cta.b8 {%r1, %r2, %r3, %r4}, [%r5];" =>
            Op::Ldmatrix { shape: BlockShape::M16n16, count: 2, trans: true, space: MemSpace::SharedCta, ty: B8, bits: 8 },
        "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r1}, [%r5];" =>
            Op::Ldmatrix { shape: BlockShape::M8n16, count: 1, trans: false, space: MemSpace::SharedCta, ty: B8, bits: 6 },
        "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r5], {%r1};" =>
            Op::Stmatrix { shape: BlockShape::M16n8, count: 1, trans: true, space: MemSpace::SharedCta, ty: B8 },
        "stmatrix.sync.aligned.x4.m8n8.shared::cta.b16 [%r5], {%r1, %r2, %r3, %r4};" =>
            Op::Stmatrix { shape: BlockShape::M8n8, count: 4, trans: false, space: MemSpace::SharedCta, ty: B16 },
        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;" => Op::Movmatrix { ty: B16 },
    }
}

#[test]
fn tensor_copies_and_products_of_warpgroups() {
    let tensor = |dim, way, mode, op, cache_hint| Op::Tensor(TensorCopy { dim, way, mode, op, cache_hint });
    let (tile, im2col, rows) = (TensorMode::Tile, TensorMode::Im2col, TensorMode::Rows);
    let gather = TensorWay::Load { dst: MemSpace::SharedCta, multicast: false, pair: false };
    let load = |multicast| TensorWay::Load { dst: MemSpace::SharedCluster, multicast, pair: false };
    let of_pair = TensorWay::Load { dst: MemSpace::SharedCluster, multicast: true, pair: true };
    let product = |n, k, d, ab| {
        Op::Wgmma(Wgmma {
            n,
            k,
            d,
            a: ab,
            b: ab,
            sparse: ab != S8 && k != 16,
            satfinite: false,
            bit_op: None,
        })
    };
    decodes! {
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d1, {%r1, %r2}], [%r3];" =>
            tensor(2, TensorWay::Store, tile, None, false),
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%d1, {%r1,%r2,%r3}], [%r4], %h1, %d2;" =>
            tensor(3, load(true), tile, None, true),
        "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%d1, {%r1,%r2}], [%r4], %h1;" =>
            tensor(2, of_pair, tile, None, false),
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%d1, {%r1,%r2,%r3,%r4}], [%r4], {%h1, %h2};" =>
            tensor(4, load(false), im2col, None, false),
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%d1, {%r2}], [%r1];" =>
            tensor(1, TensorWay::Store, tile, Some(Rmw::Add), false),
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::1 [%r1], [%d1, {%r1,%r2,%r3,%r4,%r5}], [%r3];" =>
            tensor(2, gather, rows, None, false),
        "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r1], [%d1, {%r1,%r2,%r3}], [%r3], {%h1, %h2};" =>
            tensor(3, gather, TensorMode::W, None, false),
        "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [%r1], [%d1, {%r1,%r2,%r3,%r4}], [%r3], {%h1, %h2};" =>
            tensor(4, gather, TensorMode::W128, None, false),
        "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d1, {%r1,%r2,%r3,%r4,%r5}], [%r3];" =>
            tensor(2, TensorWay::Store, rows, None, false),
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d1, {%r2, %r3}];" => Op::CpAsyncBulkPrefetch,
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r1], 0, %d2;" =>
            Op::TensormapReplace { field: TensormapField::GlobalStride, space: MemSpace::SharedCta },
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d1], [%r1], 128;" =>
            Op::TensormapCopy { sem: Sem::Release, scope: Scope::Gpu },
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, %p1, 1, -1, 0, 1;" =>
            product(8, 16, F32, F16),
        "wgmma.mma_async.sync.aligned.m64n24k32.s32.s8.s8 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10,%r11,%r12}, {%r1,%r2,%r3,%r4}, %d2, 1;" =>
            product(24, 32, S32, S8),
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, %r1, 0, %p1, 1, 1, 0, 0;" =>
            product(8, 32, F32, F16),
        "wgmma.fence.sync.aligned;" => Op::WgmmaFence,
        "wgmma.commit_group.sync.aligned;" => Op::WgmmaCommit,
        "wgmma.wait_group.sync.aligned 3;" => Op::WgmmaWait,
    }
    for wrong in [
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r1,%r2,%r3,%r4}, %d1, %d2, %r1, 0, 1;",
        "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, %r1, 0, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k8.f16.tf32.tf32 {%f1,%f2,%f3,%f4}, %d1, %d2, 1, 1, 1;",
        "cp.async.bulk.tensor.2d.global.shared::cta.mbarrier::complete_tx::bytes [%d1, {%r1, %r2}], [%r3];",
        "cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [%d1, {%r1, %r2}], [%r3];",
        "cp.async.bulk.tensor.2d.cta_group::2.global.shared::cta.bulk_group [%d1, {%r1, %r2}], [%r3];",
    ] {
        assert!(decode(&instruction(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn tensor_memory() {
    let tile = |shape, count, packed| TensorTile { shape, count, packed };
    let product = TensorProduct {
        pair: false,
        kind: TensorKind::F16,
        sparse: false,
        stationary: false,
        scaling: None,
        shifts: false,
    };
    let scaled = Some(TensorScaling::Block16);
    let op = Op::Tcgen05;
    decodes! {
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r1], 64;" =>
            op(Tcgen05::Alloc { pair: true, space: MemSpace::SharedCta }),
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;" => op(Tcgen05::Dealloc { pair: false }),
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" =>
            op(Tcgen05::Relinquish { pair: false }),
        "tcgen05.ld.sync.aligned.16x128b.x1.pack::16b.b32 {%r1, %r2}, [%r3];" =>
            op(Tcgen05::Load { tile: tile(TensorShape::L16b128, 1, true), reduction: None }),
        "tcgen05.ld.red.sync.aligned.16x32bx2.x2.max.abs.NaN.f32 {%r1, %r2}, %r4, [%r3], 16;" =>
            op(Tcgen05::Load {
                tile: tile(TensorShape::L16b32x2, 2, false),
                reduction: Some(TensorReduction { max: true, abs: true, nan: true, ty: F32 }),
            }),
        "tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%r3], {%r1};" =>
            op(Tcgen05::Store { tile: tile(TensorShape::L32b32, 1, true) }),
        "tcgen05.wait::st.sync.aligned;" => op(Tcgen05::Wait { stores: true }),
        "tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%r1], %d1;" =>
            op(Tcgen05::Copy { pair: false, shape: TensorCopyShape::L64b128Pairs01, from: None }),
        "tcgen05.cp.cta_group::2.128x128b.b8x16.b6x16_p32 [%r1], %d1;" =>
            op(Tcgen05::Copy { pair: true, shape: TensorCopyShape::L128b128, from: Some(TensorFormat::Six) }),
        "tcgen05.shift.cta_group::1.down [%r1];" => op(Tcgen05::Shift { pair: false }),
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d2, %r2, {%r3, %r4, %r5, %r6}, %p1, 3;" =>
            op(Tcgen05::Product(product)),
        "tcgen05.mma.sp.cta_group::2.kind::tf32.ashift.collector::a::lastuse [%r1], [%r2], %d2, [%r3], %r4, %p1;" =>
            op(Tcgen05::Product(TensorProduct {
                pair: true, kind: TensorKind::Tf32, sparse: true, shifts: true, ..product
            })),
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r1], %d1, %d2, %r2, [%r3], [%r4], %p1;" =>
            op(Tcgen05::Product(TensorProduct { kind: TensorKind::Mxf4nvf4, scaling: scaled, ..product })),
        "tcgen05.mma.ws.cta_group::1.kind::i8.collector::b2::use [%r1], %d1, %d2, %r2, %p1, %d3;" =>
            op(Tcgen05::Product(TensorProduct { kind: TensorKind::I8, stationary: true, ..product })),
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %h1;" =>
            op(Tcgen05::Commit { pair: false, space: MemSpace::SharedCluster, multicast: true }),
        "tcgen05.fence::before_thread_sync;" => op(Tcgen05::Fence { after: false }),
        "tcgen05.fence::after_thread_sync;" => op(Tcgen05::Fence { after: true }),
    }
    for wrong in [
        "tcgen05.alloc.sync.aligned.b32 [%r1], 64;",
        "tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r1}, [%r3];",
        "tcgen05.ld.red.sync.aligned.16x64b.x2.max.u32 {%r1, %r2}, %r4, [%r3];",
        "tcgen05.cp.cta_group::1.64x128b [%r1], %d1;",
        "tcgen05.mma.cta_group::1.kind::f16.block_scale [%r1], %d1, %d2, %r2, %p1;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%r1], %d1, %d2, %r2, [%r3], [%r4], %p1;",
        "tcgen05.mma.ws.cta_group::2.kind::f16 [%r1], %d1, %d2, %r2, %p1;",
        "tcgen05.mma.cta_group::1.kind::f16.collector::b0::fill [%r1], %d1, %d2, %r2, %p1;",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%r1];",
    ] {
        assert!(decode(&instruction(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn what_nobody_knows_is_unknown() {
    for text in [
        "tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1, %f2}], {%f1, %f2}, {%f1, %f2};",
        "tex.2d.v2.f16x2.f32 {%r1,%r2}, [%d1, {%f1, %f2}];",
        "sust.p.2d.v4.b32.trap [%d1, {%r1, %r2}], {%r1,%r2,%r3,%r4};",
        "tcgen05.from_the_future.sync.aligned;",
        "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs::w.bulk_group [%d1, {%r1,%r2,%r3}], [%r3];",
        "vote.all.pred %p1, %p2;",
        "shfl.down.b32 %r1, %r2, 1, 31;",
        "from.the.future %r1;",
    ] {
        assert_eq!(decode(&instruction(text)), Ok(Op::Unknown), "{text}");
    }
}

#[test]
fn texture_fetches_have_a_geometry_and_two_types() {
    let op = |geometry, coordinates| Op::Tex { geometry, ty: F32, coordinates };
    for (text, want) in [
        ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1, %f2}];", op(TexGeometry::D2, F32)),
        ("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r1}];", op(TexGeometry::D1, S32)),
        ("tex.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%r1, %f1, %f2, %f2}];", op(TexGeometry::A2, F32)),
    ] {
        assert_eq!(decode(&instruction(text)), Ok(want), "{text}");
    }
}

#[test]
fn impossible_modifiers_are_named() {
    for (text, at, message) in [
        ("add.f32.s8 %r1, %r2, %r3;", "s8", "`add` does not take `.s8`"),
        ("and.f32 %r1, %r2, %r3;", "f32", "`and.f32` does not work on `.f32`"),
        ("mul.s32 %r1, %r2, %r3;", "", "`mul.s32` lacks `.lo`, `.hi` or `.wide`"),
        ("ld.global.cool.u32 %r1, [%r2];", "cool", "`ld` does not take `.cool`"),
        ("ld.relaxed.global.u32 %r1, [%r2];", "", "`ld.relaxed.global.u32` lacks a scope"),
        ("ld.global.v8.u64 {%r1}, [%r2];", "", "`ld.global.v8.u64` accesses more than 32 bytes"),
        ("setp.lo.s32 %p1, %r1, %r2;", "s32", "`setp.lo.s32` does not work on `.s32`"),
        ("setp.s32 %p1, %r1, %r2;", "", "`setp.s32` lacks a comparison"),
        ("atom.global.and.f32 %r1, [%r2], 1;", "f32", "`atom.global.and.f32` does not work on `.f32`"),
        (
            "atom.const.add.u32 %r1, [%r2], 1;",
            "",
            "`atom.const.add.u32` works on global and shared memory only",
        ),
        ("red.global.exch.b32 [%r2], 1;", "", "`red` has no `.exch` and no `.cas`"),
        ("red.acquire.gpu.global.add.u32 [%r2], 1;", "", "`red` returns nothing and cannot acquire"),
        ("div.f32 %f1, %f2, %f3;", "", "`div.f32` lacks `.approx`, `.full` or a rounding mode"),
        ("fence.sc;", "", "`fence.sc` lacks a scope"),
        ("bar.red.u32 %r1, 0, %p1;", "", "`bar.red.u32` lacks `.popc`, `.and` or `.or`"),
        ("shfl.sync.b32 %r1, %r2, 1, 31, -1;", "", "`shfl.sync.b32` lacks `.up`, `.down`, `.bfly` or `.idx`"),
        ("ld.shared.v4.b64 {%r1}, [%r2];", "", "`ld.shared.v4.b64` accesses more than 16 bytes"),
        (
            "ld.acquire.gpu.const.u32 %r1, [%r2];",
            "",
            "`ld.acquire.gpu.const.u32`: memory of one thread has no strong accesses",
        ),
        ("st.const.u32 [%r2], %r1;", "", "constant memory cannot be stored to"),
        ("atom.add.f16 %h1, [%r2], %h3;", "", "`atom.add.f16` lacks `.noftz`"),
        ("atom.min.f32 %f1, [%r2], %f3;", "f32", "`atom.min.f32` does not work on `.f32`"),
        (
            "atom.shared.v2.add.f32 {%f1, %f2}, [%r2], {%f3, %f4};",
            "",
            "`atom.shared.v2.add.f32` does not exist at this vector width",
        ),
        ("cvt.f32.s32 %f1, %r1;", "", "`cvt.f32.s32` lacks a rounding mode"),
        ("cvt.rn.s32.f32 %r1, %f1;", "", "`cvt.rn.s32.f32` has the wrong kind of rounding"),
        ("cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", "", "`cvt.rn.e4m3x2.f32` lacks `.satfinite`"),
        ("cvt.rn.f16x2.f32 %r1, %f1;", "", "`cvt.rn.f16x2.f32` has 3 operands, not 2"),
        ("cvt.rn.ftz.f64.s32 %r1, %f1;", "", "`cvt.rn.ftz.f64.s32` has no subnormals of `.f32` to flush"),
        ("cvt.b32.f32 %r1, %f1;", "", "`cvt.b32.f32` converts `.f32` into `.b32`, which does not exist"),
        ("fma.f32 %f1, %f2, %f3, %f4;", "", "`fma.f32` lacks a rounding mode"),
        ("max.s32 %r1, %r2, %r3, %r4;", "", "`max.s32` has 3 operands, not 4"),
        ("add.rz.f16 %h1, %h2, %h3;", "", "`add.rz.f16` rounds a half other than to nearest"),
        ("add.ftz.f64 %e1, %e2, %e3;", "", "`.f64` does not take `.ftz`"),
        ("add.s32 %r1, %r2;", "", "`add.s32` has 3 operands, not 2"),
        ("bar.sync;", "", "`bar.sync` has 1 to 2 operands, not 0"),
        (
            "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 16, [%r3];",
            "",
            "`cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes` names an impossible direction or completion",
        ),
    ] {
        let instruction = instruction(text);
        let error = decode(&instruction).expect_err(text);
        assert_eq!(error.message, message, "{text}");
        let place = instruction.modifiers.iter().find(|m| m.text == at).map_or(instruction.span, |m| m.span);
        assert_eq!(error.span, place, "{text}");
    }
}

#[test]
fn more_modifiers_than_any_instruction_has() {
    let text = format!("add{} %r1, %r2, %r3;", ".s32".repeat(40));
    assert!(decode(&instruction(&text)).is_err());
}

#[test]
fn video() {
    let word = VideoPart::Word;
    let scalar = Video {
        op: VideoOp::Add,
        ty: U32,
        a: S32,
        b: U32,
        sat: true,
        second: None,
        d_part: word,
        a_part: word,
        b_part: word,
    };
    let mad = VideoMad {
        a: S32,
        b: U32,
        a_part: word,
        b_part: word,
        negate_product: false,
        negate_c: false,
        plus_one: false,
        sat: false,
        shift: 0,
    };
    let simd = VideoSimd {
        op: VideoOp::AbsDiff,
        lanes: 4,
        ty: U32,
        a: U32,
        b: U32,
        sat: false,
        accumulate: true,
        mask: 0b1111,
        a_select: 0x3210,
        b_select: 0x7654,
    };
    decodes! {
        "vadd.u32.s32.u32.sat %r1, %r2.b3, %r3.h1;" => Op::Video(Video {
            a_part: VideoPart::Byte(3), b_part: VideoPart::Half(1), ..scalar
        }),
        "vadd.u32.s32.u32.sat %r1.b2, %r2, %r3, %r4;" => Op::Video(Video { d_part: VideoPart::Byte(2), ..scalar }),
        "vadd.u32.s32.u32.sat.max %r1, %r2, %r3, %r4;" =>
            Op::Video(Video { second: Some(VideoSecond::Max), ..scalar }),
        "vshl.u32.s32.u32.sat.wrap %r1, %r2, %r3;" => Op::Video(Video { op: VideoOp::Shl { wrap: true }, ..scalar }),
        "vset.s32.u32.lt.add %r1, %r2, %r3, %r4;" => Op::Video(Video {
            op: VideoOp::Set(Cmp::Lt), sat: false, second: Some(VideoSecond::Add), ..scalar
        }),
        "vmad.s32.s32.u32.sat.shr15 %r1, -%r2.h0, %r3, %r4;" => Op::VideoMad(VideoMad {
            a_part: VideoPart::Half(0), negate_product: true, sat: true, shift: 15, ..mad
        }),
        "vmad.s32.s32.u32 %r1, -%r2, -%r3, -%r4;" => Op::VideoMad(VideoMad { negate_c: true, ..mad }),
        "vmad.s32.s32.u32.po %r1, %r2, %r3, %r4;" => Op::VideoMad(VideoMad { plus_one: true, ..mad }),
        "vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;" => Op::VideoSimd(simd),
        "vavrg2.s32.u32.s32.sat %r1.h1, %r2.h03, %r3, %r4;" => Op::VideoSimd(VideoSimd {
            op: VideoOp::Average, lanes: 2, ty: S32, b: S32, sat: true, accumulate: false,
            mask: 0b10, a_select: 0x03, b_select: 0x32, ..simd
        }),
        "vset4.u32.u32.ge.add %r1.b31, %r2.b7654, %r3, %r4;" => Op::VideoSimd(VideoSimd {
            op: VideoOp::Set(Cmp::Ge), mask: 0b1010, a_select: 0x7654, ..simd
        }),
    }
    for wrong in [
        "vadd.u32.s32.u32.add %r1.b2, %r2, %r3, %r4;",
        "vadd.u32.s32.u32 %r1.b2, %r2, %r3;",
        "vadd.s32.s32.s32 %r1, -%r2, %r3;",
        "vadd.u32.s32.u32 %r1, %r2.b4, %r3;",
        "vshl.s32.u32.s32.wrap %r1, %r2, %r3;",
        "vset.u32.s32.u32.lt %r1, %r2, %r3;",
        "vmad.s32.s32.u32 %r1, -%r2, %r3, -%r4;",
        "vmad.s32.s32.u32.po %r1, -%r2, %r3, %r4;",
        "vadd2.s32.s32.u32.sat.add %r1, %r2, %r3, %r4;",
        "vset4.u32.u32.ne.max %r1, %r2, %r3, %r4;",
        "vmin2.s32.u32.u32 %r1.h01, %r2, %r3, %r4;",
        "vadd4.u32.u32.u32 %r1, %r2.b3, %r3, %r4;",
        "vabsdiff4.u32.u32.u32 %r1, %r2, %r3;",
    ] {
        assert!(decode(&instruction(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn surfaces() {
    let surface = Surface { geometry: TexGeometry::D2, ty: B32, vector: 1, boundary: Boundary::Trap };
    decodes! {
        "suld.b.2d.b32.trap {%r1}, [%rd1, {%r2, %r3}];" => Op::Suld(surface),
        "suld.b.3d.cg.v2.b64.zero {%d1, %d2}, [%rd1, {%r2, %r3, %r4, %r4}];" =>
            Op::Suld(Surface { geometry: TexGeometry::D3, ty: B64, vector: 2, boundary: Boundary::Zero }),
        "sust.b.a2d.v4.b8.clamp [%rd1, {%r1, %r2, %r3, %r3}], {%h1, %h2, %h3, %h4};" =>
            Op::Sust(Surface { geometry: TexGeometry::A2, ty: B8, vector: 4, boundary: Boundary::Clamp }),
        "sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;" =>
            Op::Sured { op: Rmw::Add, surface: Surface { ty: U32, ..surface } },
        "suq.width.b32 %r1, [%rd1];" => Op::Suq { query: SurfaceQuery::Width },
        "sust.p.1d.v4.b32.trap [%rd1, {%r1}], {%f1, %f2, %f3, %f4};" => Op::Unknown,
        "suq.channel_order.b32 %r1, [%rd1];" => Op::Unknown,
    }
    for wrong in [
        "suld.b.2d.f32.trap %f1, [%rd1, {%r2, %r3}];",
        "suld.b.b32.trap %r1, [%rd1, {%r2}];",
        "sust.b.1d.v4.b64.trap [%rd1, {%r1}], {%d1, %d2, %d3, %d4};",
        "sured.b.1d.u32.trap [%rd1, {%r1}], %r3;",
    ] {
        assert!(decode(&instruction(wrong)).is_err(), "{wrong}");
    }
}

/// Only video instructions accept selected and negated registers; in other operands they stay unresolved.
#[test]
fn a_selected_register_is_no_whole_register() {
    let parsed = ptx::parse(
        ".version 8.0\n.target sm_90\n.entry k()\n{\n.reg .b32 %r<4>;\nmov.b32 %r1, %r2.h0;\nneg.s32 %r1, -%r2;\n\
         vadd.s32.s32.s32 %r1, %r2.h0, %r3;\n}\n",
    );
    let Some(ptx::ast::Item::Function(f)) = parsed.module.items.first() else { panic!("no kernel") };
    let flat = ptx::flatten(f);
    let resolved: Vec<bool> =
        flat.instructions.iter().map(|i| !i.args.contains(&ptx::flat::Arg::Unresolved)).collect();
    assert_eq!(resolved, [false, false, true]);
}

/// Instructions whose modifiers all have different roles, so that their order is irrelevant.
const ANY_ORDER: &[&str] = &[
    "atom.acq_rel.gpu.global.cas.b64 %d1, [%d2], %d3, %d4;",
    "atom.relaxed.cta.shared.add.noftz.f16x2 %r1, [%r2], %r3;",
    "red.release.sys.global.add.u32 [%d1], 1;",
    "ld.acquire.gpu.global.v2.u32 {%r1, %r2}, [%d1];",
    "ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%d1];",
    "st.volatile.shared::cta.b16 [%r1], %r2;",
    "add.rn.ftz.sat.f32 %f1, %f2, %f3;",
    "fma.rn.ftz.relu.f16x2 %f1, %f2, %f3, %f4;",
    "setp.lt.and.ftz.f32 %p1, %f1, %f2, %p2;",
    "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r1], %r2;",
    "barrier.cluster.arrive.relaxed.aligned;",
    "barrier.cta.red.popc.aligned.u32 %r1, 0, %p1;",
    "shfl.sync.down.b32 %r1, %r2, 1, 31, -1;",
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
    "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_modifiers_is_free(
        (text, order) in prop::sample::select(ANY_ORDER).prop_flat_map(|text| {
            let count = instruction(text).modifiers.len();
            (Just(text), Just((0..count).collect::<Vec<_>>()).prop_shuffle())
        })
    ) {
        let instruction = instruction(text);
        let mut shuffled = instruction.clone();
        shuffled.modifiers = order.iter().map(|&i| instruction.modifiers[i].clone()).collect();
        prop_assert!(matches!(decode(&instruction), Ok(ref op) if *op != Op::Unknown));
        prop_assert_eq!(decode(&instruction), decode(&shuffled));
    }

    /// Any opcode with any modifiers decodes to a result that guarantees no more operands than there are.
    #[test]
    fn decoding_never_panics(
        opcode in prop::sample::select(ptx::OPCODES),
        modifiers in prop::collection::vec("[a-zA-Z][a-z0-9_]{0,5}|m16n8k16|mbarrier::complete_tx::bytes|L2::x|shared|global|u32|b64|f32|sync|aligned|async|bulk", 0..6),
        operands in 0..6usize,
    ) {
        let modifiers: String = modifiers.iter().map(|m| format!(".{m}")).collect();
        let operands = vec!["%r1"; operands].join(", ");
        let _ = decode(&instruction(&format!("{opcode}{modifiers} {operands};")));
    }
}
