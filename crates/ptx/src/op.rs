//! The typed meaning of an instruction.
//!
//! [`Op`] holds an instruction's modifiers, decoded; its operands stay in
//! [`crate::ast::Instruction::operands`], in PTX order (destinations first).
//! One variant stands for one row of the instruction tables of PTX §9.7, or for
//! several that differ in one field. What an engine does not know is
//! [`Op::Unknown`], an error only when it is executed.

use crate::ast::ScalarType;

pub use crate::ast::Space;

/// Rounding modes. Integer roundings occur on `cvt` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn`, `.rz`, `.rm`, `.rp`
    Nearest,
    Zero,
    Down,
    Up,
    /// `.rna`: nearest, ties away from zero (`cvt` to tf32).
    NearestAway,
    /// `.rs`: stochastic.
    Stochastic,
    /// `.rni`, `.rzi`, `.rmi`, `.rpi`
    NearestInt,
    ZeroInt,
    DownInt,
    UpInt,
}

/// Precision of `div`, `rcp`, `sqrt` and friends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    Approx,
    /// `div.full.f32`
    Full,
    Ieee(Rounding),
}

/// `mul`/`mad` result selection; `None` for floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MulPart {
    Lo,
    Hi,
    Wide,
}

/// Comparison operators of `set`/`setp`/`slct`, PTX §9.3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Unsigned spellings.
    Lo,
    Ls,
    Hi,
    Hs,
    /// Unordered float comparisons: true if either side is NaN.
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// Both numbers; either NaN.
    Num,
    Nan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoolOp {
    And,
    Or,
    Xor,
}

/// Memory semantics of an operation, PTX §8.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sem {
    Weak,
    Volatile,
    Mmio,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    /// Fences only.
    Sc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    Cta,
    Cluster,
    Gpu,
    Sys,
}

/// The address space named by a memory instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemSpace {
    Generic,
    Global,
    /// `.shared` or `.shared::cta`
    SharedCta,
    SharedCluster,
    Local,
    Const,
    /// `.param`, `.param::entry`: kernel parameters, or call arguments of the surrounding scope.
    Param,
    ParamFunc,
}

/// A memory instruction's common modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    pub space: MemSpace,
    pub sem: Sem,
    /// Present for strong operations; `volatile` and `mmio` are `Sys`.
    pub scope: Scope,
    /// Element type as written.
    pub ty: ScalarType,
    /// 1, 2, 4 or 8 elements.
    pub vector: u8,
    /// `.nc`: the non-coherent (texture) path, outside the memory model (§8.1).
    pub nc: bool,
}

/// Read-modify-write operations of `atom`, `red` and their asynchronous kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rmw {
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Add,
    Inc,
    Dec,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AtomOp {
    pub op: Rmw,
    pub mem: Mem,
    /// `.noftz`
    pub noftz: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShflMode {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduxOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrmtMode {
    /// No mode: the selector's nibbles.
    Index,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// `bar`/`barrier{.cta}`. Operands: `[d,] id [, count] [, pred]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarKind {
    Sync,
    Arrive,
    RedPopc,
    RedAnd,
    RedOr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyFence {
    /// `fence.proxy.alias`
    Alias,
    /// `fence.proxy.async`: both directions, `space` if limited.
    Async { space: Option<MemSpace> },
    /// `fence.proxy.tensormap::generic.{release,acquire}.scope`
    TensormapGeneric { sem: Sem, scope: Scope },
    /// `fence.proxy.async::generic.{acquire,release}.sync_restrict::…`
    AsyncGenericRestricted { sem: Sem, scope: Scope },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fence {
    /// `fence.sc`, `fence.acq_rel`, `fence.acquire`, `fence.release`; `membar.level` is `Sc`.
    Thread {
        sem: Sem,
        scope: Scope,
    },
    Proxy(ProxyFence),
    /// `fence.mbarrier_init.release.cluster`
    MbarrierInit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbarrierOp {
    Init,
    Inval,
    /// `mbarrier.arrive{.noComplete}{.expect_tx}` and `arrive_drop`.
    Arrive {
        drop: bool,
        no_complete: bool,
        expect_tx: bool,
    },
    ExpectTx,
    CompleteTx,
    /// `test_wait`/`try_wait`, `{.parity}`.
    Wait {
        try_wait: bool,
        parity: bool,
    },
    PendingCount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BulkCompletion {
    /// `.mbarrier::complete_tx::bytes`
    Mbarrier,
    /// `.bulk_group`
    BulkGroup,
}

/// Fragment layouts of matrix instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    Row,
    Col,
}

/// `mXnYkZ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub m: u16,
    pub n: u16,
    pub k: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fragment {
    A,
    B,
    C,
    D,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    // Integer and floating-point arithmetic, §9.7.1 to §9.7.6. One variant serves
    // all types; fields that a type does not have are at their neutral value.
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
    /// Integer `mad` and float `mad`/`fma`; `relu` on half types only.
    Mad {
        ty: ScalarType,
        part: Option<MulPart>,
        rnd: Option<Rounding>,
        ftz: bool,
        sat: bool,
        relu: bool,
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
    /// `nan`: propagate NaN; three inputs are possible (PTX 8.8), `relu` on integers and packed.
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
    /// `ldu`
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
    },
    /// `cvt.pack.sat.convertType.abType{.cType}`
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
    /// `multimem.*`, kept apart because its addresses are their own.
    Multimem,
    /// `tex.geom.v4.dtype.ctype d, [texture, {coordinates}]` (PTX §9.7.10.3), without explicit level or gradient.
    Tex {
        geometry: TexGeometry,
        ty: ScalarType,
        coordinates: ScalarType,
    },

    /// `suld.b.geom.vec.type.boundary d, [surface, {coordinates}]` (PTX §9.7.12).
    Suld(Surface),
    /// `sust.b… [surface, {coordinates}], value`
    Sust(Surface),
    /// `sured.b.op… [surface, {coordinates}], value`
    Sured {
        op: Rmw,
        surface: Surface,
    },
    /// `suq.query.b32 d, [surface]`
    Suq {
        query: SurfaceQuery,
    },

    // Asynchronous copies.
    /// `cp.async.{ca,cg}.shared.global [dst], [src], size [, src-size | ignore-src]`
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
    /// `cp.async.bulk.prefetch.L2`
    CpAsyncBulkPrefetch,
    /// `st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes`
    StAsync {
        ty: ScalarType,
        vector: u8,
    },
    RedAsync {
        op: Rmw,
        ty: ScalarType,
    },

    // Control flow, §9.7.13.
    Bra {
        uniform: bool,
    },
    BrxIdx,
    /// `call{.uni} (ret), func, (args) [, targets]`
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
    /// `match.any.sync` / `match.all.sync d[|p]`
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
    /// `griddepcontrol.{launch_dependents,wait}`
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
        /// `.and.popc` or `.xor.popc`, for and only for single-bit fragments.
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
    },
    /// `ldmatrix.sync.aligned.m8n8.x{1,2,4}{.trans}`
    Ldmatrix {
        count: u8,
        trans: bool,
        space: MemSpace,
        ty: ScalarType,
    },
    Stmatrix {
        count: u8,
        trans: bool,
        space: MemSpace,
        ty: ScalarType,
    },
    Movmatrix {
        ty: ScalarType,
    },

    /// A scalar video instruction other than `vmad`, §9.7.19.1. Operands: `d, a, b [, c]`.
    Video(Video),
    /// `vmad`, §9.7.19.1.3. Operands: `d, a, b, c`.
    VideoMad(VideoMad),
    /// A SIMD video instruction, §9.7.19.2. Operands: `d, a, b, c`.
    VideoSimd(VideoSimd),

    // Miscellaneous, §9.7.20.
    Nanosleep,
    Pmevent,
    /// `setmaxnreg`
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

    /// Syntactically an instruction, but none of the above: `wgmma`, tensor copies, `tcgen05`, rare kinds of
    /// texture and surface accesses, or something newer than this table.
    Unknown,
}

/// `testp` properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatTest {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// The geometry of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexGeometry {
    D1,
    D2,
    D3,
    /// One-dimensional layers; the layer's number comes first among the coordinates.
    A1,
    A2,
    Cube,
}

/// What becomes of a surface access outside of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// `.trap`: the kernel fails.
    Trap,
    /// `.clamp`: the nearest place is accessed.
    Clamp,
    /// `.zero`: loads give zero, stores are dropped.
    Zero,
}

/// The common modifiers of surface accesses. The first coordinate is in bytes, the others in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Never [`TexGeometry::Cube`]: the faces of cubes are layers here.
    pub geometry: TexGeometry,
    pub ty: ScalarType,
    /// 1, 2 or 4 elements.
    pub vector: u8,
    pub boundary: Boundary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceQuery {
    Width,
    Height,
    Depth,
    ArraySize,
    MemoryLayout,
}

/// What a video instruction does with its two sources, PTX §9.7.19.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoOp {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    /// SIMD only.
    Average,
    /// `wrap`: by the amount's low five bits, else by 32 at most. Scalar only.
    Shl {
        wrap: bool,
    },
    Shr {
        wrap: bool,
    },
    /// One if the comparison holds, else zero.
    Set(Cmp),
}

/// What a video instruction does with its result and its third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoSecond {
    Add,
    Min,
    Max,
}

/// The part of a 32-bit operand that a scalar video instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoPart {
    Word,
    /// `.h0`, `.h1`
    Half(u8),
    /// `.b0` to `.b3`
    Byte(u8),
}

/// Types are `u32` or `s32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Video {
    pub op: VideoOp,
    pub ty: ScalarType,
    pub a: ScalarType,
    pub b: ScalarType,
    pub sat: bool,
    pub second: Option<VideoSecond>,
    /// Other than the whole word: the result is merged into the third source.
    pub d_part: VideoPart,
    pub a_part: VideoPart,
    pub b_part: VideoPart,
}

/// The destination's type means nothing: signs follow from the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoMad {
    pub a: ScalarType,
    pub b: ScalarType,
    pub a_part: VideoPart,
    pub b_part: VideoPart,
    pub negate_product: bool,
    /// Never with `negate_product`.
    pub negate_c: bool,
    /// `.po`, never with a negation.
    pub plus_one: bool,
    pub sat: bool,
    /// 0, 7 or 15.
    pub shift: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoSimd {
    pub op: VideoOp,
    /// Elements: 2 halves or 4 bytes.
    pub lanes: u8,
    pub ty: ScalarType,
    pub a: ScalarType,
    pub b: ScalarType,
    pub sat: bool,
    /// `.add`: the selected results are added to `c`, else they replace its elements.
    pub accumulate: bool,
    /// By destination element.
    pub mask: u8,
    /// A nibble per element, the least significant first: which element of `a` and, behind them, `b`.
    pub a_select: u16,
    pub b_select: u16,
}
