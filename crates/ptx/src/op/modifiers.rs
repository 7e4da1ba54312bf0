//! What instructions carry beside their operands: roundings, semantics and scopes, kinds of barriers and fences, shapes of
//! matrices, geometries of textures.

use crate::ast::ScalarType;

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
