//! Checks that the observer receives every access that the engine performs, or that this file states a reason
//! why not.
//!
//! [`kind`] classifies each [`Op`] without a catch-all, so that a new instruction does not compile until it
//! is classified; [`forms`] has PTX for each kind that accesses memory, and the test runs it and compares the
//! events.
//!
//! **Size:** one list of all instructions, which must have no gap, and PTX for each kind.

use crate::support;

use events::{AccessKind, Dim3, Monitor, Observer, Space, Sync};
use kernels::effects::effects;
use ptx::op::{MemSpace, Op};
use simt::surface::Surface;
use simt::texture::{Addressing, ChannelKind, Texture};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use support::Machine;

/// Defines the test's classes of instructions, and `ALL` of them.
macro_rules! kinds {
    ($($name:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Kind { $($name),* }
        const ALL: &[Kind] = &[$(Kind::$name),*];
    };
}

kinds!(
    Load,
    LoadUniform,
    Store,
    Hint,
    Discard,
    Texture,
    SurfaceLoad,
    SurfaceStore,
    SurfaceReduce,
    Copy,
    CopyArrive,
    BulkCopy,
    BulkReduce,
    BulkPrefetch,
    Tensor,
    MapReplace,
    MapCopy,
    Warpgroup,
    TensorMemory,
    StoreAsync,
    Fill,
    TryCancel,
    ReduceAsync,
    Atom,
    Red,
    Mbarrier,
    WmmaLoad,
    WmmaStore,
    MatrixLoad,
    MatrixStore,
    Call,
    Multimem,
    Unknown,
);

/// Returns the class of an instruction that accesses memory, or may.
fn kind(op: &Op) -> Option<Kind> {
    Some(match op {
        Op::Ld(_) => Kind::Load,
        Op::Ldu(_) => Kind::LoadUniform,
        Op::St(_) => Kind::Store,
        Op::Hint => Kind::Hint,
        Op::Discard { .. } => Kind::Discard,
        Op::Tex { .. } => Kind::Texture,
        Op::Suld(_) => Kind::SurfaceLoad,
        Op::Sust(_) => Kind::SurfaceStore,
        Op::Sured { .. } => Kind::SurfaceReduce,
        Op::CpAsync { .. } => Kind::Copy,
        Op::CpAsyncMbarrierArrive { .. } => Kind::CopyArrive,
        Op::CpAsyncBulk { .. } => Kind::BulkCopy,
        Op::CpReduceAsyncBulk { .. } => Kind::BulkReduce,
        Op::CpAsyncBulkPrefetch => Kind::BulkPrefetch,
        Op::Tensor(_) => Kind::Tensor,
        Op::TensormapReplace { .. } => Kind::MapReplace,
        Op::TensormapCopy { .. } => Kind::MapCopy,
        Op::Wgmma(_) => Kind::Warpgroup,
        Op::Tcgen05(_) => Kind::TensorMemory,
        Op::StAsync { .. } => Kind::StoreAsync,
        Op::StBulk { .. } => Kind::Fill,
        Op::TryCancel { .. } => Kind::TryCancel,
        Op::RedAsync { .. } => Kind::ReduceAsync,
        Op::Atom(_) => Kind::Atom,
        Op::Red(_) => Kind::Red,
        Op::Mbarrier { .. } => Kind::Mbarrier,
        Op::WmmaLoad { .. } => Kind::WmmaLoad,
        Op::WmmaStore { .. } => Kind::WmmaStore,
        Op::Ldmatrix { .. } => Kind::MatrixLoad,
        Op::Stmatrix { .. } => Kind::MatrixStore,
        Op::Call => Kind::Call,
        Op::Multimem => Kind::Multimem,
        Op::Unknown => Kind::Unknown,
        // Registers only.
        Op::Add { .. }
        | Op::Sub { .. }
        | Op::Mul { .. }
        | Op::Mad { .. }
        | Op::Mixed { .. }
        | Op::AddCarry { .. }
        | Op::SubCarry { .. }
        | Op::MadCarry { .. }
        | Op::Mul24 { .. }
        | Op::QueryCancel { .. }
        | Op::Mad24 { .. }
        | Op::Sad { .. }
        | Op::Div { .. }
        | Op::Rem { .. }
        | Op::Abs { .. }
        | Op::Neg { .. }
        | Op::Min { .. }
        | Op::Max { .. }
        | Op::Rcp { .. }
        | Op::Sqrt { .. }
        | Op::Rsqrt { .. }
        | Op::Sin { .. }
        | Op::Cos { .. }
        | Op::Lg2 { .. }
        | Op::Ex2 { .. }
        | Op::Tanh { .. }
        | Op::Copysign { .. }
        | Op::Testp { .. }
        | Op::Popc { .. }
        | Op::Clz { .. }
        | Op::Bfind { .. }
        | Op::Fns
        | Op::Brev { .. }
        | Op::Bfe { .. }
        | Op::Bfi { .. }
        | Op::Bmsk { .. }
        | Op::Szext { .. }
        | Op::Dp4a { .. }
        | Op::Dp2a { .. }
        | Op::Set { .. }
        | Op::Setp { .. }
        | Op::Selp { .. }
        | Op::Slct { .. }
        | Op::And { .. }
        | Op::Or { .. }
        | Op::Xor { .. }
        | Op::Not { .. }
        | Op::Cnot { .. }
        | Op::Lop3 { .. }
        | Op::Shf { .. }
        | Op::Shl { .. }
        | Op::Shr { .. }
        | Op::Prmt { .. }
        | Op::Mov { .. }
        | Op::CreatePolicy
        | Op::Isspacep { .. }
        | Op::Cvta { .. }
        | Op::Cvt { .. }
        | Op::CvtPack { .. }
        | Op::Mapa { .. }
        | Op::Getctarank { .. }
        | Op::WmmaMma { .. }
        | Op::Mma { .. }
        | Op::Movmatrix { .. }
        | Op::Video(_)
        | Op::VideoMad(_)
        | Op::VideoSimd(_)
        | Op::Pmevent
        | Op::SetMaxNReg
        | Op::StackSave { .. }
        | Op::StackRestore { .. }
        // It allocates local memory without accessing it.
        | Op::Alloca { .. }
        // It reads an object's description, which only the host writes.
        | Op::Suq { .. } => return None,
        // Control.
        Op::Bra { .. } | Op::BrxIdx | Op::Ret | Op::Exit | Op::Trap | Op::Brkpt | Op::Nanosleep => return None,
        // Synchronisation without memory, each with an event of its own; `crates/simt/tests/events.rs` checks
        // them.
        Op::Bar { .. }
        | Op::BarWarpSync
        | Op::ClusterArrive { .. }
        | Op::ClusterWait { .. }
        | Op::Fence(_)
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Activemask
        | Op::Redux { .. }
        | Op::Elect
        | Op::Shfl { .. }
        | Op::GridDepControl { .. }
        | Op::CpAsyncCommit
        | Op::CpAsyncWait { .. }
        | Op::CpAsyncBulkCommit
        | Op::WgmmaFence
        | Op::WgmmaCommit
        | Op::WgmmaWait
        | Op::CpAsyncBulkWait { .. } => return None,
    })
}

#[derive(Clone, Copy, Debug)]
enum Hears {
    /// Exactly these accesses and asynchronous or mbarrier events.
    Events(&'static [&'static str]),
    /// No event, for this reason.
    Silent(&'static str),
    /// The kernel fails with an error that names the instruction.
    Refused,
}

use Hears::{Events, Refused, Silent};

const OWN: &str = "memory of one thread: nobody else can touch it";
const PARAMETER: &str = "a kernel's parameters: nobody writes them";
const HINT: &str = "a hint to the caches, without effect on values";

fn forms(kind: Kind) -> &'static [(&'static str, Hears)] {
    match kind {
        Kind::Load => &[
            ("ld.u32 %r1, [%g];", Events(&["read global 4x1"])),
            ("ld.u32 %r1, [%sg];", Events(&["read shared 4x1"])),
            ("ld.global.u32 %r1, [%g];", Events(&["read global 4x1"])),
            ("ld.global.nc.u32 %r1, [%g];", Events(&["read global 4x1"])),
            ("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%g];", Events(&["read global 4x4"])),
            ("ld.volatile.global.u8 %h1, [%g];", Events(&["read global 1x1"])),
            ("ld.relaxed.gpu.global.b64 %d1, [%g];", Events(&["read global 8x1"])),
            ("ld.acquire.sys.global.u32 %r1, [%g];", Events(&["read global 4x1"])),
            ("ld.mmio.relaxed.sys.global.u32 %r1, [%g];", Events(&["read global 4x1"])),
            ("ld.shared.v2.u32 {%r1, %r2}, [%s];", Events(&["read shared 4x2"])),
            ("ld.shared::cluster.u32 %r1, [%s];", Events(&["read shared 4x1"])),
            ("ld.const.u32 %r1, [constants];", Events(&["read global 4x1"])),
            (
                "mov.u64 %d1, constants; ld.const.v2.u32 {%r1, %r2}, [%d1+8]; ld.const.u32 %r3, [%d1+8];",
                Events(&["read global 4x1", "read global 4x2"]),
            ),
            ("ld.local.u32 %r1, [own];", Silent(OWN)),
            ("ld.param.u64 %d1, [buffer];", Silent(PARAMETER)),
            ("ld.param::entry.u64 %d1, [buffer];", Silent(PARAMETER)),
            ("{ .param .b32 a; st.param.b32 [a], %r2; call helper, (a); }", Silent(OWN)),
        ],
        Kind::LoadUniform => &[("ldu.global.u32 %r1, [%g];", Events(&["read global 4x1"]))],
        Kind::Store => &[
            ("st.u32 [%g], %r2;", Events(&["write global 4x1"])),
            ("st.global.v2.f64 [%g], {%e1, %e2};", Events(&["write global 8x2"])),
            ("st.global.b128 [%g], %q1;", Events(&["write global 16x1"])),
            ("st.release.gpu.global.u32 [%g], %r2;", Events(&["write global 4x1"])),
            ("st.shared.u16 [%s], %h1;", Events(&["write shared 2x1"])),
            ("st.shared::cluster.u32 [%s], %r2;", Events(&["write shared 4x1"])),
            ("st.async.release.gpu.global.u32 [%g], %r2;", Events(&["write global 4x1"])),
            ("st.async.mmio.release.sys.u8 [%g], %h1;", Events(&["write global 1x1"])),
            ("st.local.u32 [own], %r2;", Silent(OWN)),
            ("{ .param .b32 a; st.param.b32 [a], %r2; }", Silent(OWN)),
        ],
        Kind::Hint => &[
            ("prefetch.global.L2 [%g];", Silent(HINT)),
            ("prefetchu.L1 [%g];", Silent(HINT)),
            ("applypriority.global.L2::evict_normal [%g], 128;", Silent(HINT)),
        ],
        Kind::Discard => &[
            ("discard.global.L2 [%g], 128;", Events(&["write global 16x8"])),
            ("discard.L2 [%g], 128;", Events(&["write global 16x8"])),
        ],
        Kind::Texture => &[(
            "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%texture, {%r2}];",
            Events(&["read global 4x1"]),
        )],
        Kind::SurfaceLoad => {
            &[("suld.b.2d.b32.trap {%r1}, [%surface, {%r2, %r2}];", Events(&["read global 4x1"]))]
        }
        Kind::SurfaceStore => {
            &[("sust.b.2d.b32.trap [%surface, {%r2, %r2}], {%r2};", Events(&["write global 4x1"]))]
        }
        Kind::SurfaceReduce => {
            &[("sured.b.add.2d.u32.trap [%surface, {%r2, %r2}], %r2;", Events(&["atomic global 4x1"]))]
        }
        Kind::Copy => &[(
            "cp.async.ca.shared.global [%s], [%g], 4; cp.async.wait_all;",
            Events(&["AsyncWaited", "async read global 4x1", "async write shared 4x1"]),
        )],
        Kind::CopyArrive => &[(
            "@%p mbarrier.init.shared.b64 [%m], 1;
             @%p cp.async.ca.shared.global [%s], [%g], 4;
             @%p cp.async.mbarrier.arrive.noinc.shared.b64 [%m];",
            Events(&[
                "AsyncArrive",
                "MbarrierArrive",
                "MbarrierInit",
                "async read global 4x1",
                "async write shared 4x1",
            ]),
        )],
        Kind::BulkCopy => &[
            (
                "@%p mbarrier.init.shared.b64 [%m], 1;
                 @%p mbarrier.arrive.expect_tx.shared.b64 %d2, [%m], 64;
                 @%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g], 64, [%m];
                 LOOP: @%p mbarrier.try_wait.shared.b64 %done, [%m], %d2;
                 and.pred %done, %p, %done; xor.pred %done, %p, %done; @%done bra LOOP;",
                Events(&[
                    "MbarrierArrive",
                    "MbarrierBytes", "MbarrierCompleteTx",
                    "MbarrierInit",
                    "MbarrierTouch",
                    "MbarrierWait",
                    "async read global 64x1",
                    "async write shared 64x1",
                ]),
            ),
            (
                "@%p cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 64;
                 @%p cp.async.bulk.commit_group; @%p cp.async.bulk.wait_group 0;",
                Events(&["AsyncWaited", "async read shared 64x1", "async write global 64x1"]),
            ),
        ],
        Kind::BulkReduce => &[(
            "@%p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%g], [%s], 64;
             @%p cp.async.bulk.commit_group; @%p cp.async.bulk.wait_group 0;",
            Events(&["AsyncWaited", "async read shared 64x1", "async write global 64x1"]),
        )],
        // The map is made by hand: see `kernels::tensor_map`.
        Kind::Tensor => &[
            (
                "@%p st.global.u32 [%g], 0x70746d77;
                 @%p tensormap.replace.tile.global_address.global.b1024.b64 [%g], %g;
                 @%p tensormap.replace.tile.global_dim.global.b1024.b32 [%g], 0, 64;
                 @%p tensormap.replace.tile.box_dim.global.b1024.b32 [%g], 0, 32;
                 @%p tensormap.replace.tile.element_stride.global.b1024.b32 [%g], 0, 1;
                 @%p mbarrier.init.shared.b64 [%m], 1;
                 @%p mbarrier.arrive.expect_tx.shared.b64 %d2, [%m], 32;
                 @%p cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g, {%r2}], [%m];
                 LOOP: @%p mbarrier.try_wait.shared.b64 %done, [%m], %d2;
                 and.pred %done, %p, %done; xor.pred %done, %p, %done; @%done bra LOOP;",
                Events(&[
                    "MbarrierArrive",
                    "MbarrierBytes", "MbarrierCompleteTx",
                    "MbarrierInit",
                    "MbarrierTouch",
                    "MbarrierWait",
                    "async read global 128x1",
                    "async read global 32x1",
                    "async write shared 32x1",
                    "write global 16x8",
                    "write global 4x1",
                ]),
            ),
            (
                "@%p st.global.u32 [%g], 0x70746d77;
                 @%p tensormap.replace.tile.global_address.global.b1024.b64 [%g], %g;
                 @%p tensormap.replace.tile.global_dim.global.b1024.b32 [%g], 0, 24;
                 @%p tensormap.replace.tile.box_dim.global.b1024.b32 [%g], 0, 32;
                 @%p tensormap.replace.tile.element_stride.global.b1024.b32 [%g], 0, 1;
                 @%p cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%g, {%r2}], [%s];
                 @%p cp.async.bulk.commit_group; @%p cp.async.bulk.wait_group 0;",
                Refused,
            ),
            (
                "@%p st.global.u32 [%g], 0x70746d77;
                 @%p tensormap.replace.tile.global_address.global.b1024.b64 [%g], %g;
                 @%p tensormap.replace.tile.elemtype.global.b1024.b32 [%g], 2;
                 @%p tensormap.replace.tile.global_dim.global.b1024.b32 [%g], 0, 6;
                 @%p tensormap.replace.tile.box_dim.global.b1024.b32 [%g], 0, 8;
                 @%p tensormap.replace.tile.element_stride.global.b1024.b32 [%g], 0, 1;
                 @%p cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%g, {%r2}], [%s];
                 @%p cp.async.bulk.commit_group; @%p cp.async.bulk.wait_group 0;",
                Events(&[
                    "AsyncWaited",
                    "async read global 128x1",
                    "async read shared 32x1",
                    "async write global 24x1",
                    "write global 16x8",
                    "write global 4x1",
                ]),
            ),
        ],
        Kind::MapReplace => &[(
            "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%s], 3;",
            Events(&["write shared 16x8"]),
        )],
        Kind::MapCopy => &[(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%g], [%s], 128;",
            Events(&["read shared 16x8", "write global 16x8"]),
        )],
        Kind::Warpgroup => &[
            (
                "mov.b64 %d1, 0; wgmma.fence.sync.aligned;
                 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d1, 1, 1, 1, 0, 0;
                 wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
                Events(&["AsyncWaited", "ProductCommitted", "async read shared 128x1"]),
            ),
            (
                "mov.b64 %d1, 0; mov.b32 %r2, 0; wgmma.fence.sync.aligned;
                 wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d1, %r2, 0, 1, 1, 1, 0, 0;
                 wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
                Events(&["AsyncWaited", "ProductCommitted", "async read shared 128x1"]),
            ),
        ],
        Kind::BulkPrefetch => &[
            ("cp.async.bulk.prefetch.L2.global [%g], 64;", Silent(HINT)),
            ("cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%g, {%r2}];", Silent(HINT)),
        ],
        Kind::StoreAsync => &[(
            "@%p mbarrier.init.shared.b64 [%m], 1;
             @%p mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%m], 4;
             @%p st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%s], %r2, [%m];",
            Events(&["AsyncArrive", "MbarrierBytes", "MbarrierCompleteTx", "MbarrierInit", "MbarrierTouch", "async write shared 4x1"]),
        )],
        Kind::Fill => &[
            ("@%p st.bulk.weak.shared::cta [%s], 64, 0;", Events(&["write shared 8x8"])),
            ("mov.u64 %d1, 200; @%p st.bulk [%sg], %d1, 0;", Events(&["write shared 8x8", "write shared 8x1"])),
        ],
        Kind::TryCancel => &[(
            "@%p mbarrier.init.shared.b64 [%m], 1;
             @%p mbarrier.arrive.expect_tx.shared.b64 %d2, [%m], 16;
             @%p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%s], [%m];
             LOOP: @%p mbarrier.try_wait.shared.b64 %done, [%m], %d2;
             and.pred %done, %p, %done; xor.pred %done, %p, %done; @%done bra LOOP;",
            Events(&[
                "MbarrierArrive",
                "MbarrierBytes", "MbarrierCompleteTx",
                "MbarrierInit",
                "MbarrierTouch",
                "MbarrierWait",
                "async write shared 16x1",
            ]),
        )],
        Kind::ReduceAsync => &[(
            "@%p mbarrier.init.shared.b64 [%m], 1;
             @%p mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%m], 4;
             @%p red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%s], %r2, [%m];",
            Events(&["AsyncArrive", "MbarrierBytes", "MbarrierCompleteTx", "MbarrierInit", "MbarrierTouch", "async write shared 4x1"]),
        )],
        Kind::TensorMemory => &[
            (
                "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], 32; ld.shared.u32 %r1, [%s];
                 tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2}; tcgen05.wait::st.sync.aligned;
                 tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r1]; tcgen05.wait::ld.sync.aligned;
                 @%p tcgen05.shift.cta_group::1.down [%r1]; tcgen05.fence::before_thread_sync;
                 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
                Events(&["AsyncWaited", "Tensor", "read shared 4x1"]),
            ),
            (
                "@%p mbarrier.init.shared.b64 [%m], 1; mov.b64 %d1, 0;
                 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], 32; ld.shared.u32 %r1, [%s];
                 @%p tcgen05.cp.cta_group::1.128x256b [%r1], %d1;
                 mov.u32 %r4, 134742032; setp.ne.u32 %q, %r4, 0;
                 @%p tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r4, %q;
                 mov.u32 %r4, 134742036;
                 @%p tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %d1, %d1, [%r1], %r4, %q;
                 @%p tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%m];
                 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
                Events(&[
                    "AsyncArrive",
                    "MbarrierArrive",
                    "MbarrierInit",
                    "Tensor",
                    "async read shared 128x1",
                    "read shared 4x1",
                ]),
            ),
        ],
        Kind::Atom => &[
            ("atom.add.u32 %r1, [%g], %r2;", Events(&["atomic global 4x1"])),
            ("atom.global.cas.b64 %d1, [%g], %d2, %d3;", Events(&["atomic global 8x1"])),
            ("atom.shared.exch.b32 %r1, [%s], %r2;", Events(&["atomic shared 4x1"])),
            ("atom.shared::cluster.max.u32 %r1, [%s], %r2;", Events(&["atomic shared 4x1"])),
            ("atom.global.exch.b128 %q1, [%g], %q1;", Events(&["atomic global 16x1"])),
            ("atom.global.add.noftz.f16x2 %r1, [%g], %r2;", Events(&["atomic global 2x2"])),
            ("atom.global.add.noftz.bf16x2 %r1, [%g], %r2;", Events(&["atomic global 2x2"])),
            ("atom.global.add.v2.f32 {%f1, %f2}, [%g], {%f3, %f4};", Events(&["atomic global 4x2"])),
        ],
        Kind::Red => &[
            ("red.global.add.u32 [%g], %r2;", Events(&["atomic global 4x1"])),
            ("red.async.release.gpu.global.add.s64 [%g], %d1;", Events(&["atomic global 8x1"])),
            ("red.global.add.noftz.f16 [%g], %h1;", Events(&["atomic global 2x1"])),
            ("red.shared.add.noftz.f16x2 [%s], %r2;", Events(&["atomic shared 2x2"])),
            (
                "red.global.add.noftz.v4.f16x2 [%g], {%r2, %r2, %r2, %r2};",
                Events(&["atomic global 2x8"]),
            ),
            (
                "red.global.max.noftz.v2.bf16 [%g], {%h1, %h1};",
                Events(&["atomic global 2x2"]),
            ),
        ],
        Kind::Mbarrier => &[(
            "@%p mbarrier.init.shared.b64 [%m], 1; @%p mbarrier.arrive.shared.b64 %d1, [%m];
             @%p mbarrier.test_wait.shared.b64 %q, [%m], %d1; @%p mbarrier.inval.shared.b64 [%m];",
            Events(&["MbarrierArrive", "MbarrierInit", "MbarrierInval", "MbarrierWait"]),
        )],
        Kind::WmmaLoad => &[
            (
                "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%g];",
                Events(&["read global 4x1"]),
            ),
            (
                "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%s];",
                Events(&["read shared 4x1"]),
            ),
        ],
        Kind::WmmaStore => &[
            (
                "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%g], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};",
                Events(&["write global 4x1"]),
            ),
            (
                "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%s], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};",
                Events(&["write shared 4x1"]),
            ),
        ],
        Kind::MatrixLoad => &[
            ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%s];", Events(&["read shared 16x1"])),
            (
                "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r3}, [%s];",
                Events(&["read shared 16x1"]),
            ),
        ],
        Kind::MatrixStore => &[
            ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s], {%r2};", Events(&["write shared 16x1"])),
            ("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%s], {%r2};", Events(&["write shared 16x1"])),
        ],
        Kind::Call => &[
            ("{ .param .b32 a; st.param.b32 [a], %r2; call helper, (a); }", Silent(OWN)),
            (
                "{ .param .b64 f; st.param.b64 [f], %g; .param .b64 v; st.param.b64 [v], 0;
                   .param .b32 n; call (n), vprintf, (f, v); }",
                Silent("formats are constants of the module, and strings for `%s` have to be, too"),
            ),
        ],
        Kind::Multimem => &[("multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%g];", Refused)],
        Kind::Unknown => &[(
            "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs::w.bulk_group [%g, {%r2, %r2, %r2}], [%s];",
            Refused,
        )],
    }
}

/// Returns the index of a space that `ld` accesses. The forms must contain all of them.
fn number(space: MemSpace) -> usize {
    match space {
        MemSpace::Generic => 0,
        MemSpace::Global => 1,
        MemSpace::SharedCta => 2,
        MemSpace::SharedCluster => 3,
        MemSpace::Local => 4,
        MemSpace::Const => 5,
        MemSpace::Param => 6,
        MemSpace::ParamFunc => 7,
    }
}
const SPACES: usize = 8;

fn module(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_100\n.address_size 64
         .const .align 16 .b8 constants[64];
         .extern .func (.param .b32 n) vprintf (.param .b64 f, .param .b64 v);
         .func helper(.param .b32 x) {{ .reg .b32 %r; ld.param::func.u32 %r, [x]; ret; }}
         .visible .entry k(.param .u64 buffer, .param .u64 texture, .param .u64 surface) {{
             .reg .pred %p, %q, %done;
             .reg .b16 %h<9>; .reg .b32 %r<9>, %s, %m; .reg .b64 %d<9>, %g, %sg, %texture, %surface;
             .reg .f32 %f<9>; .reg .f64 %e<9>; .reg .b128 %q<3>;
             .shared .align 128 .b8 cells[4096]; .shared .align 8 .b64 barrier; .local .align 8 .b8 own[64];
             ld.param.u64 %g, [buffer]; ld.param.u64 %texture, [texture]; ld.param.u64 %surface, [surface];
             mov.u32 %s, cells; mov.u32 %m, barrier; cvt.u64.u32 %sg, %s; cvta.shared.u64 %sg, %sg;
             mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 0; mov.u32 %r2, 0; mov.u16 %h1, 0;
             {body}
             ret;
         }}"
    )
}

#[derive(Clone, Default)]
struct Ear(Arc<Mutex<BTreeSet<String>>>);

impl Observer for Ear {
    fn access(&mut self, a: &events::Access<'_>) {
        let what = match a.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic { .. } => "atomic",
            AccessKind::AsyncRead { .. } => "async read",
            AccessKind::AsyncWrite { .. } => "async write",
        };
        let space = match a.space {
            Space::Global => "global",
            Space::Shared(_) => "shared",
            Space::Tensor(_) => "tensor",
        };
        self.0.lock().unwrap().insert(format!("{what} {space} {}x{}", a.size, a.elements));
    }

    fn sync(&mut self, s: &Sync<'_>) {
        let name = format!("{s:?}");
        let name = name.split_whitespace().next().unwrap_or_default();
        if ["Mbarrier", "Async", "Product", "Tensor"].iter().any(|kind| name.starts_with(kind)) {
            self.0.lock().unwrap().insert(name.to_owned());
        }
    }
}

impl events::Listener for Ear {
    fn host(&self, _: &events::HostEvent<'_>) {}

    fn findings(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn account(&self) -> events::Account {
        events::Account::default()
    }
}

impl Monitor for Ear {
    type Observer = Ear;

    fn observer(&self, _: usize) -> Ear {
        self.clone()
    }
}

/// Returns the events of the form's kernel, and its outcome.
fn listen(text: &str) -> (BTreeSet<String>, simt::Progress) {
    let m = Machine::new(text);
    let buffer = m.alloc(4096);
    let texture = Texture {
        base: buffer,
        row: 256,
        slice: 0,
        width: 64,
        height: 1,
        depth: 1,
        channels: 1,
        bits: 32,
        kind: ChannelKind::Float,
        addressing: [Addressing::Clamp; 3],
        linear: false,
        normalized_float: false,
        normalized_coordinates: false,
        buffer: false,
        border: [0.0; 4],
    };
    let surface = Surface {
        base: buffer,
        row: 64,
        slice: 0,
        width: 16,
        height: 16,
        depth: 0,
        element: 4,
        layered: false,
    };
    let handles = [texture.encode().to_vec(), surface.encode().to_vec()].map(|object| {
        let at = m.alloc(object.len() as u64);
        m.memory.write(at, &object).unwrap();
        at
    });
    let ear = Arc::new(Ear::default());
    let args = args![buffer, handles[0], handles[1]];
    let mut grid = m.grid("k", Dim3::ONE, Dim3::new(32, 1, 1), args, Arc::clone(&ear));
    let progress = grid.run(1 << 20);
    drop(grid);
    (std::mem::take(&mut *ear.0.lock().unwrap()), progress)
}

#[test]
fn every_access_is_heard_or_has_a_reason() {
    let mut wrong = Vec::new();
    let mut spaces = [false; SPACES];
    for &kind_here in ALL {
        assert!(!forms(kind_here).is_empty(), "{kind_here:?} has no form");
        for &(body, hears) in forms(kind_here) {
            let text = module(body);
            let parsed = ptx::parse(&text);
            assert!(parsed.errors.is_empty(), "{body}: {:?}", parsed.errors);
            let functions = parsed.module.items.iter().filter_map(|item| match item {
                ptx::ast::Item::Function(function) => Some(ptx::flatten(function)),
                _ => None,
            });
            let mut has = false;
            let instructions = functions.flat_map(|f| f.instructions);
            for (op, args) in instructions.filter_map(|i| Some((i.op.ok()?, i.args))) {
                has |= kind(&op) == Some(kind_here);
                assert!(
                    kind(&op).is_some() || effects(&op, &args).touches.is_empty(),
                    "{op:?} touches memory"
                );
                if let Op::Ld(mem) = op {
                    spaces[number(mem.space)] = true;
                }
            }
            assert!(has, "{body} has nothing of kind {kind_here:?}");
            let (heard, progress) = listen(&text);
            let expected: BTreeSet<String> = match hears {
                Events(events) => events.iter().map(|&e| e.to_owned()).collect(),
                Silent(why) => {
                    assert!(!why.is_empty());
                    BTreeSet::new()
                }
                Refused => {
                    let unsupported =
                        |f: &simt::Failure| matches!(f.kind, simt::FailureKind::Unsupported { .. });
                    if !matches!(&progress, simt::Progress::Failed(f) if unsupported(f)) {
                        wrong.push(format!("{body}: {progress:?} instead of an error"));
                    }
                    continue;
                }
            };
            if progress != simt::Progress::Finished || heard != expected {
                wrong.push(format!("{body}: heard {heard:?} instead of {expected:?}, {progress:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(spaces, [true; SPACES], "a memory space without a form");
}
