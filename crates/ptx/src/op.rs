//! The typed meaning of an instruction.
//!
//! [`Op`] holds an instruction's modifiers, decoded; its operands stay in
//! [`crate::ast::Instruction::operands`], in PTX order (destinations first). One variant represents one row
//! of the instruction tables of PTX §9.7, or several that differ in one field. An unsupported instruction is
//! [`Op::Unknown`], which is an error only when it is executed.
//!
//! **Size:** one enumeration of all instructions.

use crate::ast::ScalarType;

pub use crate::ast::Space;

mod mma;
mod modifiers;
mod tcgen05;
mod tensor;
mod wgmma;

pub use mma::{BlockScale, MmaKind};
pub use modifiers::{
    AtomOp, BarKind, BlockShape, BoolOp, Boundary, BulkCompletion, CancelQuery, Cmp, Fence, FloatTest,
    Fragment, Layout, MbarrierOp, Mem, MemSpace, MixedSum, MulPart, Precision, PrmtMode, ProxyFence, ReduxOp,
    Rmw, Rounding, Scope, Sem, Shape, ShflMode, Surface, SurfaceQuery, TexGeometry, Video, VideoMad, VideoOp,
    VideoPart, VideoSecond, VideoSimd, VoteMode,
};
pub use tcgen05::{
    Tcgen05, TensorCopyShape, TensorFormat, TensorKind, TensorProduct, TensorReduction, TensorScaling,
    TensorShape, TensorTile,
};
pub use tensor::{TensorCopy, TensorMode, TensorWay, TensormapField};
pub use wgmma::Wgmma;

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    // Integer and floating-point arithmetic, §9.7.1 to §9.7.6. One variant represents all types; fields that
    // a type does not have are at their neutral value.
    Add {
        ty: ScalarType,
        rnd: Option<Rounding>,
        ftz: bool,
        sat: bool,
    },
    Sub {
        ty: ScalarType,
        rnd: Option<Rounding>,
        ftz: bool,
        sat: bool,
    },
    Mul {
        ty: ScalarType,
        part: Option<MulPart>,
        rnd: Option<Rounding>,
        ftz: bool,
        sat: bool,
    },
    /// Integer `mad` and float `mad`/`fma`; `relu` exists on half types only.
    Mad {
        ty: ScalarType,
        part: Option<MulPart>,
        rnd: Option<Rounding>,
        ftz: bool,
        sat: bool,
        relu: bool,
    },
    /// `add`, `sub` and `fma` on `.f32` whose sources before the last are of a half type, §9.7.5.
    Mixed {
        sum: MixedSum,
        narrow: ScalarType,
        rnd: Option<Rounding>,
        sat: bool,
    },
    /// `add{c}{.cc}`, `sub{c}{.cc}`, `mad{c}{.lo,.hi}{.cc}`, §9.7.2.
    AddCarry {
        ty: ScalarType,
        carry_in: bool,
        carry_out: bool,
    },
    SubCarry {
        ty: ScalarType,
        carry_in: bool,
        carry_out: bool,
    },
    MadCarry {
        ty: ScalarType,
        part: MulPart,
        carry_in: bool,
        carry_out: bool,
    },
    Mul24 {
        ty: ScalarType,
        part: MulPart,
    },
    Mad24 {
        ty: ScalarType,
        part: MulPart,
        sat: bool,
    },
    Sad {
        ty: ScalarType,
    },
    Div {
        ty: ScalarType,
        precision: Option<Precision>,
        ftz: bool,
    },
    Rem {
        ty: ScalarType,
    },
    Abs {
        ty: ScalarType,
        ftz: bool,
    },
    Neg {
        ty: ScalarType,
        ftz: bool,
    },
    /// `nan`: propagates NaN. Three inputs are possible (PTX 8.8), and `relu` on integers and packed types.
    Min {
        ty: ScalarType,
        ftz: bool,
        nan: bool,
        xorsign_abs: bool,
        relu: bool,
    },
    Max {
        ty: ScalarType,
        ftz: bool,
        nan: bool,
        xorsign_abs: bool,
        relu: bool,
    },
    Rcp {
        ty: ScalarType,
        precision: Precision,
        ftz: bool,
    },
    Sqrt {
        ty: ScalarType,
        precision: Precision,
        ftz: bool,
    },
    Rsqrt {
        ty: ScalarType,
        ftz: bool,
    },
    Sin {
        ftz: bool,
    },
    Cos {
        ftz: bool,
    },
    Lg2 {
        ftz: bool,
    },
    Ex2 {
        ty: ScalarType,
        ftz: bool,
    },
    Tanh {
        ty: ScalarType,
    },
    Copysign {
        ty: ScalarType,
    },
    Testp {
        ty: ScalarType,
        test: FloatTest,
    },
    Popc {
        ty: ScalarType,
    },
    Clz {
        ty: ScalarType,
    },
    Bfind {
        ty: ScalarType,
        shiftamt: bool,
    },
    Fns,
    Brev {
        ty: ScalarType,
    },
    Bfe {
        ty: ScalarType,
    },
    Bfi {
        ty: ScalarType,
    },
    Bmsk {
        clamp: bool,
    },
    Szext {
        ty: ScalarType,
        clamp: bool,
    },
    Dp4a {
        a: ScalarType,
        b: ScalarType,
    },
    Dp2a {
        a: ScalarType,
        b: ScalarType,
        hi: bool,
    },

    // Comparison and selection, §9.7.7 and §9.7.8.
    Set {
        cmp: Cmp,
        combine: Option<BoolOp>,
        dst: ScalarType,
        src: ScalarType,
        ftz: bool,
    },
    /// Operands: `p[|q], a, b [, c]`.
    Setp {
        cmp: Cmp,
        combine: Option<BoolOp>,
        ty: ScalarType,
        ftz: bool,
    },
    Selp {
        ty: ScalarType,
    },
    Slct {
        dst: ScalarType,
        src: ScalarType,
        ftz: bool,
    },

    // Logic and shifts, §9.7.9.
    And {
        ty: ScalarType,
    },
    Or {
        ty: ScalarType,
    },
    Xor {
        ty: ScalarType,
    },
    Not {
        ty: ScalarType,
    },
    Cnot {
        ty: ScalarType,
    },
    /// `lop3.b32 d, a, b, c, lut` and `lop3.BoolOp.b32 d|p, a, b, c, lut, q`.
    Lop3 {
        combine: Option<BoolOp>,
    },
    Shf {
        left: bool,
        wrap: bool,
    },
    Shl {
        ty: ScalarType,
    },
    Shr {
        ty: ScalarType,
    },
    Prmt {
        mode: PrmtMode,
    },

    // Data movement, §9.7.10.
    Mov {
        ty: ScalarType,
    },
    Ld(Mem),
    St(Mem),
    /// `ldu`.
    Ldu(Mem),
    /// `prefetch`, `prefetchu`, `applypriority`: hints with no effect on values.
    Hint,
    /// `discard{.global}.L2 [a], 128`: "a weak write of an unstable indeterminate value".
    Discard {
        space: MemSpace,
    },
    /// `createpolicy`: writes an opaque 64-bit policy.
    CreatePolicy,
    Isspacep {
        space: MemSpace,
    },
    /// `cvta.space` (`to` false: space address to generic) and `cvta.to.space`.
    Cvta {
        to: bool,
        space: MemSpace,
        ty: ScalarType,
    },
    Cvt {
        dst: ScalarType,
        src: ScalarType,
        rnd: Option<Rounding>,
        ftz: bool,
        sat: bool,
        relu: bool,
        satfinite: bool,
        /// `.scaled::n2::ue8m0`: the last operand has two scale factors.
        scaled: bool,
    },
    /// `cvt.pack.sat.convertType.abType{.cType}`.
    CvtPack {
        convert: ScalarType,
        from: ScalarType,
        with_c: bool,
    },
    Mapa {
        space: MemSpace,
        ty: ScalarType,
    },
    Getctarank {
        space: MemSpace,
        ty: ScalarType,
    },
    /// `multimem.*`, a separate variant because its addresses are not in the generic space.
    Multimem,
    /// `tex.geom.v4.dtype.ctype d, [texture, {coordinates}]` (PTX §9.7.10.3), without explicit level or gradient.
    Tex {
        geometry: TexGeometry,
        ty: ScalarType,
        coordinates: ScalarType,
    },

    /// `suld.b.geom.vec.type.boundary d, [surface, {coordinates}]` (PTX §9.7.12).
    Suld(Surface),
    /// `sust.b… [surface, {coordinates}], value`.
    Sust(Surface),
    /// `sured.b.op… [surface, {coordinates}], value`.
    Sured {
        op: Rmw,
        surface: Surface,
    },
    /// `suq.query.b32 d, [surface]`.
    Suq {
        query: SurfaceQuery,
    },

    // Asynchronous copies.
    /// `cp.async.{ca,cg}.shared.global [dst], [src], size [, src-size | ignore-src]`.
    CpAsync {
        ca: bool,
    },
    CpAsyncCommit,
    /// `cp.async.wait_group N` and `wait_all` (`all`).
    CpAsyncWait {
        all: bool,
    },
    CpAsyncMbarrierArrive {
        noinc: bool,
        space: MemSpace,
    },
    /// `cp.async.bulk.dst.src`. Operands: `[dst], [src], size [, [mbar]] [, mask] [, policy]`.
    CpAsyncBulk {
        dst: MemSpace,
        src: MemSpace,
        completion: BulkCompletion,
        multicast: bool,
        cache_hint: bool,
    },
    CpReduceAsyncBulk {
        dst: MemSpace,
        src: MemSpace,
        completion: BulkCompletion,
        op: Rmw,
        ty: ScalarType,
    },
    CpAsyncBulkCommit,
    CpAsyncBulkWait {
        read: bool,
    },
    /// `cp.async.bulk.prefetch.L2` and `cp.async.bulk.prefetch.tensor`.
    CpAsyncBulkPrefetch,
    /// `cp{.reduce}.async.bulk.tensor`.
    Tensor(TensorCopy),
    /// `tensormap.replace`. Operands: `[map] [, dimension], value`.
    TensormapReplace {
        field: TensormapField,
        space: MemSpace,
    },
    /// `tensormap.cp_fenceproxy`: copies a tensor map from shared to global memory, by all lanes together, and
    /// fences it. Operands: `[dst], [src], 128`.
    TensormapCopy {
        sem: Sem,
        scope: Scope,
    },
    /// `st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes`.
    StAsync {
        ty: ScalarType,
        vector: u8,
    },
    RedAsync {
        op: Rmw,
        ty: ScalarType,
    },
    /// `st.bulk{.weak}{.shared::cta}`: fills memory with zeros. Operands: `[a], size, 0`.
    StBulk {
        space: MemSpace,
    },
    /// `clusterlaunchcontrol.try_cancel`. Operands: `[response], [mbarrier]`.
    TryCancel {
        space: MemSpace,
        /// `.multicast::cluster::all`
        multicast: bool,
    },
    /// `clusterlaunchcontrol.query_cancel` of a response in a 128-bit register.
    QueryCancel {
        query: CancelQuery,
    },

    // Control flow, §9.7.13.
    Bra {
        uniform: bool,
    },
    BrxIdx,
    /// `call{.uni} (ret), func, (args) [, targets]`.
    Call,
    Ret,
    Exit,
    Trap,
    Brkpt,

    // Synchronisation and communication, §9.7.14.
    Bar {
        kind: BarKind,
        aligned: bool,
    },
    BarWarpSync,
    ClusterArrive {
        sem: Sem,
        aligned: bool,
    },
    ClusterWait {
        aligned: bool,
    },
    Fence(Fence),
    Atom(AtomOp),
    Red(AtomOp),
    Vote {
        mode: VoteMode,
    },
    /// `match.any.sync` / `match.all.sync d[|p]`.
    Match {
        all: bool,
        ty: ScalarType,
    },
    Activemask,
    Redux {
        op: ReduxOp,
        ty: ScalarType,
        abs: bool,
        nan: bool,
    },
    Elect,
    Shfl {
        mode: ShflMode,
    },
    /// `shfl` without `.sync`, removed from the ISA for sm_70 and later.
    Mbarrier {
        op: MbarrierOp,
        sem: Sem,
        scope: Scope,
        space: MemSpace,
    },
    /// `griddepcontrol.{launch_dependents,wait}`.
    GridDepControl {
        wait: bool,
    },

    // Matrices, §9.7.15.
    WmmaLoad {
        fragment: Fragment,
        layout: Layout,
        shape: Shape,
        space: MemSpace,
        ty: ScalarType,
    },
    WmmaStore {
        layout: Layout,
        shape: Shape,
        space: MemSpace,
        ty: ScalarType,
    },
    WmmaMma {
        a_layout: Layout,
        b_layout: Layout,
        shape: Shape,
        d: ScalarType,
        a: ScalarType,
        b: ScalarType,
        c: ScalarType,
        satfinite: bool,
        /// `.and.popc` or `.xor.popc`; present exactly for single-bit fragments.
        bit_op: Option<BoolOp>,
    },
    Mma {
        a_layout: Layout,
        b_layout: Layout,
        shape: Shape,
        d: ScalarType,
        a: ScalarType,
        b: ScalarType,
        c: ScalarType,
        satfinite: bool,
        bit_op: Option<BoolOp>,
        /// `.sp`, with or without `::ordered_metadata`: A has half of the elements of each row. Operands behind C: the
        /// metadata, which tells their positions, and the selector.
        sparse: bool,
        kind: Option<MmaKind>,
    },
    /// `ldmatrix.sync.aligned`: `ty` is the type of elements in registers.
    Ldmatrix {
        shape: BlockShape,
        count: u8,
        trans: bool,
        space: MemSpace,
        ty: ScalarType,
        /// The bits of an element in memory.
        bits: u8,
    },
    Stmatrix {
        shape: BlockShape,
        count: u8,
        trans: bool,
        space: MemSpace,
        ty: ScalarType,
    },
    Movmatrix {
        ty: ScalarType,
    },
    Wgmma(Wgmma),
    WgmmaFence,
    WgmmaCommit,
    /// `wgmma.wait_group N`.
    WgmmaWait,
    /// `tcgen05`, §9.7.17.
    Tcgen05(Tcgen05),

    /// A scalar video instruction other than `vmad`, §9.7.19.1. Operands: `d, a, b [, c]`.
    Video(Video),
    /// `vmad`, §9.7.19.1.3. Operands: `d, a, b, c`.
    VideoMad(VideoMad),
    /// A SIMD video instruction, §9.7.19.2. Operands: `d, a, b, c`.
    VideoSimd(VideoSimd),

    // Miscellaneous, §9.7.20.
    Nanosleep,
    Pmevent,
    /// `setmaxnreg`.
    SetMaxNReg,
    Alloca {
        ty: ScalarType,
    },
    StackSave {
        ty: ScalarType,
    },
    StackRestore {
        ty: ScalarType,
    },

    /// An instruction that no other variant represents: rare kinds of texture and surface accesses,
    /// and newer instructions.
    Unknown,
}
