//! The modifiers of instructions: roundings, semantics and scopes, kinds of barriers and fences, shapes of
//! matrices, geometries of textures.

use crate::ast::ScalarType;

/// The shape of a matrix of `ldmatrix` and `stmatrix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockShape {
    M8n8,
    M8n16,
    M16n8,
    M16n16,
}

/// A part of a response of `clusterlaunchcontrol.try_cancel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CancelQuery {
    IsCanceled,
    /// `.get_first_ctaid`: all coordinates, in a vector of four.
    First,
    /// One coordinate: 0 for `::x`.
    Coordinate(u8),
}

/// The arithmetic of mixed precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MixedSum {
    Add,
    Sub,
    Fma,
}

/// Rounding modes. Integer roundings occur on `cvt` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn`; the next three are `.rz`, `.rm`, `.rp`.
    Nearest,
    Zero,
    Down,
    Up,
    /// `.rna`: nearest, ties away from zero (`cvt` to tf32).
    NearestAway,
    /// `.rs`: stochastic.
    Stochastic,
    /// `.rni`; the next three are `.rzi`, `.rmi`, `.rpi`.
    NearestInt,
    ZeroInt,
    DownInt,
    UpInt,
}

/// The precision of `div`, `rcp`, `sqrt` and similar operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    Approx,
    /// `div.full.f32`.
    Full,
    Ieee(Rounding),
}

/// The part of the product that `mul` and `mad` return; floats have none.
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
    /// `Lo`, `Ls`, `Hi` and `Hs` are the unsigned spellings.
    Lo,
    Ls,
    Hi,
    Hs,
    /// `Equ` to `Geu` are unordered float comparisons: true if either side is NaN.
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// `Num` is true if neither side is NaN, `Nan` if either is.
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
    /// Exists on fences only.
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
    /// `.shared` or `.shared::cta`.
    SharedCta,
    SharedCluster,
    Local,
    Const,
    /// `.param`, `.param::entry`: kernel parameters, or call arguments of the surrounding scope.
    Param,
    ParamFunc,
}

/// The common modifiers of memory instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    pub space: MemSpace,
    pub sem: Sem,
    /// The scope of a strong operation; `Sys` for `volatile` and `mmio`.
    pub scope: Scope,
    /// The element type as written.
    pub ty: ScalarType,
    /// The number of elements: 1, 2, 4 or 8.
    pub vector: u8,
    /// `.nc`: the non-coherent (texture) path, outside the memory model (§8.1).
    pub nc: bool,
}

/// Read-modify-write operations of `atom`, `red` and their asynchronous forms.
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
    /// `.noftz`.
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
    /// No mode modifier: the selector's nibbles choose the bytes.
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
    /// `fence.proxy.alias`.
    Alias,
    /// `fence.proxy.async`: bidirectional; `space` if it is limited to one.
    Async { space: Option<MemSpace> },
    /// `fence.proxy.tensormap::generic.{release,acquire}.scope`.
    TensormapGeneric { sem: Sem, scope: Scope },
    /// `fence.proxy.async::generic.{acquire,release}.sync_restrict::…`.
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
    /// `fence.mbarrier_init.release.cluster`.
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
    /// `.mbarrier::complete_tx::bytes`.
    Mbarrier,
    /// `.bulk_group`.
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
    /// One-dimensional layers; the layer's number is the first coordinate.
    A1,
    A2,
    Cube,
}

/// The treatment of a surface access outside the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// `.trap`: the kernel fails.
    Trap,
    /// `.clamp`: the nearest element is accessed.
    Clamp,
    /// `.zero`: loads return zero, stores are dropped.
    Zero,
}

/// The common modifiers of surface accesses. The first coordinate is in bytes, the others in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Never [`TexGeometry::Cube`]: surface instructions address the faces of cubes as layers.
    pub geometry: TexGeometry,
    pub ty: ScalarType,
    /// The number of elements: 1, 2 or 4.
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

/// The operation of a video instruction on its two sources (PTX §9.7.19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoOp {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    /// Exists on SIMD instructions only.
    Average,
    /// A shift; with `wrap` by the amount's low five bits, otherwise by at most 32. Scalar instructions only.
    Shl {
        wrap: bool,
    },
    Shr {
        wrap: bool,
    },
    /// Returns one if the comparison holds, else zero.
    Set(Cmp),
}

/// The second operation of a video instruction, on its result and its third source.
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
    /// `.h0`, `.h1`.
    Half(u8),
    /// `.b0` to `.b3`.
    Byte(u8),
}

/// A scalar video instruction. All types are `u32` or `s32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Video {
    pub op: VideoOp,
    pub ty: ScalarType,
    pub a: ScalarType,
    pub b: ScalarType,
    pub sat: bool,
    pub second: Option<VideoSecond>,
    /// The destination's part; for a part other than the whole word, the result is merged into the third
    /// source.
    pub d_part: VideoPart,
    pub a_part: VideoPart,
    pub b_part: VideoPart,
}

/// `vmad`. The destination's type has no effect: signs follow from the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoMad {
    pub a: ScalarType,
    pub b: ScalarType,
    pub a_part: VideoPart,
    pub b_part: VideoPart,
    pub negate_product: bool,
    /// Excludes `negate_product`.
    pub negate_c: bool,
    /// `.po`; excludes both negations.
    pub plus_one: bool,
    pub sat: bool,
    /// The right shift of the result: 0, 7 or 15.
    pub shift: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoSimd {
    pub op: VideoOp,
    /// The number of elements: 2 halves or 4 bytes.
    pub lanes: u8,
    pub ty: ScalarType,
    pub a: ScalarType,
    pub b: ScalarType,
    pub sat: bool,
    /// `.add`: the selected results are added to `c`; otherwise they replace its elements.
    pub accumulate: bool,
    /// The destination elements that are written, a bit for each.
    pub mask: u8,
    /// A nibble per element, the least significant first: the index of an element of `a` or, after these, of
    /// `b`.
    pub a_select: u16,
    pub b_select: u16,
}
