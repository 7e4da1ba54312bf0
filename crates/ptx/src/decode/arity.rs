//! The number of operands of each operation.
//!
//! An engine may index the operands that [`arity`] guarantees without a bounds check of its own.

use std::ops::RangeInclusive;

use crate::ast::ScalarType;
use crate::op::{
    BarKind, BulkCompletion, Fence, MbarrierOp, MixedSum, Op, ProxyFence, Rmw, Tcgen05, TensorShape,
    TensorTile, TensorWay, VideoPart,
};

/// Returns the least and greatest operand count; a vector, list, pair or address counts once.
pub(super) fn arity(op: &Op) -> RangeInclusive<usize> {
    use Op::*;
    match op {
        CpAsyncCommit | CpAsyncBulkCommit | Ret | Exit | Trap | Brkpt => 0..=0,
        ClusterArrive { .. } | ClusterWait { .. } | GridDepControl { .. } => 0..=0,
        Bra { .. } | BarWarpSync | Activemask | Nanosleep | Pmevent | SetMaxNReg => 1..=1,
        StackSave { .. } | StackRestore { .. } | CpAsyncMbarrierArrive { .. } | CpAsyncBulkWait { .. } => {
            1..=1
        }
        CpAsyncWait { all } => {
            let count = usize::from(!all);
            count..=count
        }
        Abs { .. } | Neg { .. } | Rcp { .. } | Sqrt { .. } | Rsqrt { .. } | Sin { .. } | Cos { .. } => 2..=2,
        Lg2 { .. } | Ex2 { .. } | Tanh { .. } | Testp { .. } | Popc { .. } | Clz { .. } => 2..=2,
        Bfind { .. } | Brev { .. } | Not { .. } | Cnot { .. } | Mov { .. } => 2..=2,
        Isspacep { .. } | Cvta { .. } | Getctarank { .. } | BrxIdx | Elect => 2..=2,
        Ldmatrix { .. } | Stmatrix { .. } | Movmatrix { .. } | TryCancel { .. } | QueryCancel { .. } => 2..=2,
        Cvt { dst, src, rnd, scaled, .. } => {
            let count = 1 + super::convert::sources(*dst, *src, *rnd, *scaled);
            count..=count
        }
        Ld(_) | St(_) | Ldu(_) | Red(_) => 2..=3,
        Alloca { .. } | WmmaLoad { .. } | WmmaStore { .. } => 2..=3,
        CpAsyncBulkPrefetch => 1..=3,
        Add { .. } | Sub { .. } | Mul { .. } | AddCarry { .. } | SubCarry { .. } | Mul24 { .. } => 3..=3,
        Div { .. } | Rem { .. } | Copysign { .. } | Bmsk { .. } | Szext { .. } | Mapa { .. } => 3..=3,
        And { .. } | Or { .. } | Xor { .. } | Shl { .. } | Shr { .. } => 3..=3,
        Vote { .. } | Match { .. } | Redux { .. } | StAsync { .. } | RedAsync { .. } | StBulk { .. } => 3..=3,
        Min { ty, .. } | Max { ty, .. } => 3..=3 + usize::from(*ty == ScalarType::F32),
        Set { combine, .. } | Setp { combine, .. } => {
            let count = 3 + usize::from(combine.is_some());
            count..=count
        }
        CvtPack { with_c, .. } => {
            let count = 3 + usize::from(*with_c);
            count..=count
        }
        Mixed { sum, .. } => {
            let count = if *sum == MixedSum::Fma { 4 } else { 3 };
            count..=count
        }
        Mad { .. } | MadCarry { .. } | Mad24 { .. } | Sad { .. } | Fns | Bfe { .. } => 4..=4,
        Dp4a { .. } | Dp2a { .. } | Selp { .. } | Slct { .. } | Shf { .. } | Prmt { .. } => 4..=4,
        WmmaMma { .. } => 4..=4,
        Mma { sparse, kind, .. } => {
            let scaled = kind.is_some_and(|kind| kind.scale.is_some());
            let count = 4 + 2 * usize::from(*sparse) + 4 * usize::from(scaled);
            count..=count
        }
        Bfi { .. } | Shfl { .. } => 5..=5,
        Lop3 { combine } => {
            let count = 5 + usize::from(combine.is_some());
            count..=count
        }
        Video(video) => match (video.second, video.d_part) {
            (None, VideoPart::Word) => 3..=4,
            _ => 4..=4,
        },
        VideoMad(_) | VideoSimd(_) => 4..=4,
        CpAsync { .. } => 3..=5,
        CpAsyncBulk { completion, multicast, cache_hint, .. } => {
            let mbarrier = usize::from(*completion == BulkCompletion::Mbarrier);
            let count = 3 + mbarrier + usize::from(*multicast) + usize::from(*cache_hint);
            count..=count
        }
        CpReduceAsyncBulk { completion, .. } => {
            let count = 3 + usize::from(*completion == BulkCompletion::Mbarrier);
            count..=count + 1
        }
        Tensor(copy) => {
            let least = match copy.way {
                TensorWay::Load { multicast, .. } => 3 + usize::from(multicast),
                TensorWay::Store => 2,
            };
            let count = least + usize::from(copy.cache_hint);
            count..=count + usize::from(copy.mode.of_pixels() && least > 2)
        }
        TensormapReplace { field, .. } => {
            let count = 2 + usize::from(field.has_ordinal());
            count..=count
        }
        TensormapCopy { .. } => 3..=3,
        Wgmma(product) => {
            let more = 2 * usize::from(product.sparse);
            match product.a {
                ScalarType::F16 | ScalarType::Bf16 => 7 + more..=8 + more,
                ScalarType::S8 | ScalarType::U8 | ScalarType::B1 => 4 + more..=4 + more,
                _ => 6 + more..=6 + more,
            }
        }
        WgmmaFence | WgmmaCommit => 0..=0,
        WgmmaWait => 1..=1,
        Op::Tcgen05(op) => tcgen05(op),
        Call => 1..=4,
        Bar { kind, .. } => match kind {
            BarKind::Sync => 1..=2,
            BarKind::Arrive => 2..=2,
            BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr => 3..=4,
        },
        // Only the acquiring tensor-map fence has operands: an address and a size.
        Fence(self::Fence::Proxy(ProxyFence::TensormapGeneric { .. })) => 0..=2,
        Fence(_) => 0..=0,
        Atom(atom) if atom.op == Rmw::Cas => 4..=5,
        Atom(_) => 3..=4,
        Mbarrier { op, .. } => match op {
            MbarrierOp::Inval => 1..=1,
            MbarrierOp::Init | MbarrierOp::ExpectTx | MbarrierOp::CompleteTx | MbarrierOp::PendingCount => {
                2..=2
            }
            MbarrierOp::Arrive { expect_tx: true, .. } => 3..=3,
            MbarrierOp::Arrive { no_complete: true, .. } => 3..=3,
            MbarrierOp::Arrive { .. } => 2..=3,
            MbarrierOp::Wait { .. } => 3..=4,
        },
        Hint => 1..=3,
        Discard { .. } => 2..=2,
        CreatePolicy => 1..=5,
        Tex { .. } => 2..=4,
        Suld(_) | Sust(_) | Sured { .. } | Suq { .. } => 2..=2,
        Multimem | Unknown => 0..=usize::MAX,
    }
}

fn tcgen05(op: &Tcgen05) -> RangeInclusive<usize> {
    let split = |tile: &TensorTile| usize::from(tile.shape == TensorShape::L16b32x2);
    match op {
        Tcgen05::Alloc { .. } | Tcgen05::Dealloc { .. } | Tcgen05::Copy { .. } => 2..=2,
        Tcgen05::Relinquish { .. } | Tcgen05::Wait { .. } | Tcgen05::Fence { .. } => 0..=0,
        Tcgen05::Load { tile, reduction } => {
            let count = 2 + split(tile) + usize::from(reduction.is_some());
            count..=count
        }
        Tcgen05::Store { tile } => 2 + split(tile)..=2 + split(tile),
        Tcgen05::Shift { .. } => 1..=1,
        Tcgen05::Product(product) => {
            let least = 5 + usize::from(product.sparse) + 2 * usize::from(product.kind.scales());
            let more = match (product.kind.scales(), product.stationary) {
                (true, _) => 0,
                (_, true) => 1,
                _ => 2,
            };
            least..=least + more
        }
        Tcgen05::Commit { multicast, .. } => 1 + usize::from(*multicast)..=1 + usize::from(*multicast),
    }
}
