//! The compact program that PTX lowers to, and the encoding of its operands.
//!
//! A register is a *row*: 32 lanes of 32 or 64 bits. A warp stores its rows in two files, one per width, and
//! its predicates, as lane masks, in a third. Immediates are rows as well, in a constant file shared by all
//! warps, so that an arithmetic instruction is one indirect call on three row pointers.
//!
//! **Size:** one enumeration of all instructions, with a sentence for each.

use crate::alu::AluFn;
use events::{AtomicOp, Proxy, Scope, Sem, SiteId, Strength};
use kernels::device_runtime::DeviceCall;
use ptx::op::{BarKind, BulkCompletion, MbarrierOp, Op, ReduxOp, Rmw, ShflMode, VoteMode};
use ptx::sreg::SpecialReg;
use smallvec::SmallVec;

mod mma;
mod operand;
mod tensor_memory;

pub(crate) use mma::*;
pub(crate) use operand::*;
pub(crate) use tensor_memory::*;

#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub guard: u32,
    pub code: Code,
}

#[derive(Clone, Debug)]
pub(crate) enum Code {
    /// Computes `d = f(a, b, c)` on whole rows; `x` contains further small immediates.
    Alu {
        f: AluFn,
        d: Row,
        a: Row,
        b: Row,
        c: Row,
        x: u32,
    },
    /// Computes a pure instruction by `num::eval`.
    Eval(u32),
    /// Moves between rows: packing, unpacking, predicates.
    Moves(u32),
    Sreg {
        d: Row,
        which: SpecialReg,
    },
    /// Sets `d` to the start of the frame's local memory + offset, as a generic address if `generic`.
    LocalAddress {
        d: Row,
        offset: u32,
        generic: bool,
    },
    /// Sets `d` to the start of dynamic shared memory + offset, as a generic address if `generic`.
    DynamicShared {
        d: Row,
        offset: u32,
        generic: bool,
    },
    Bra {
        target: u32,
    },
    /// A guarded branch forward over simple instructions, which the other lanes may execute without being a group of
    /// their own.
    Skip {
        target: u32,
    },
    Brx(u32),
    Call(u32),
    Ret,
    Exit,
    Trap,
    Load(u32),
    Store(u32),
    /// A strong store, which other threads may wait for.
    StrongStore(u32),
    Atom(u32),
    Bar(u32),
    /// `bar.warp.sync`.
    WarpSync {
        member: Row,
    },
    Collective(u32),
    Activemask {
        d: Row,
    },
    Fence(u32),
    Async(u32),
    Mbarrier(u32),
    Cluster(u32),
    Nanosleep {
        time: Row,
    },
    Rare(u32),
    /// An instruction without effect on values.
    Nop,
    Unsupported(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct EvalInst {
    pub op: Op,
    pub sources: SmallVec<[Source; 4]>,
    pub d: Row,
    /// The second destination: a predicate, or the carry flag.
    pub second: Row,
    /// The carry flag's predicate, if the instruction reads it.
    pub carry: Row,
    /// The number of bits from which the result is sign-extended (0: no extension).
    pub extend: u8,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub row: Row,
    pub negated: bool,
    /// The number of bits of the row that the instruction reads.
    pub bits: u8,
}

/// A part of a `mov` that packs or unpacks: moves `bits` bits of `src` from `src_shift` to `dst` at
/// `dst_shift`. The first move into a row clears its rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub dst: Row,
    pub src: Row,
    pub dst_shift: u8,
    pub src_shift: u8,
    pub bits: u8,
    pub clear: bool,
    /// Whether the source has 64 bits per lane.
    pub wide: bool,
}

/// The address space of an operand, before its address is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Generic,
    Global,
    /// Shared memory of a block: `.shared::cta` and `.shared::cluster` addresses.
    Shared,
    Local,
    /// Kernel parameters, as offsets from their start.
    Param,
}

/// An address: the sum of row (if any), base (if any) and offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub row: Row,
    /// Whether the row is 64 bits wide.
    pub wide: bool,
    pub base: AddressBase,
    pub offset: i64,
    pub target: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressBase {
    None,
    /// The frame's local memory.
    Frame,
    /// Dynamic shared memory.
    Dynamic,
}

#[derive(Clone, Debug)]
pub(crate) struct MemInst {
    pub address: Address,
    /// The bytes of one element in events.
    pub size: u8,
    pub elements: u8,
    /// One row per part, in address order; a 16-byte element has two. `NO_ROW` for sinks.
    pub rows: SmallVec<[Row; 4]>,
    /// The bytes of one part: 1, 2, 4 or 8.
    pub part: u8,
    /// Whether loaded parts are sign-extended.
    pub signed: bool,
    /// The width of the sign-extension, if any (rows of 16-bit registers are zero-extended beyond it).
    pub extend_to: u8,
    pub strength: Strength,
    /// The proxy: `Texture` for loads of constant memory and `ld.global.nc`, `Surface` for surface accesses.
    pub proxy: Proxy,
    /// The number of a load of constant memory among all such loads of the program.
    pub constant: Option<u32>,
    pub polls: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct AtomInst {
    pub address: Address,
    pub op: Rmw,
    pub kind: AtomicOp,
    pub ty: ptx::ast::ScalarType,
    pub size: u8,
    pub elements: u8,
    /// The results, one per part; empty for `red`.
    pub d: SmallVec<[Row; 2]>,
    pub returns: bool,
    pub b: SmallVec<[Row; 2]>,
    /// The new value of `cas`.
    pub c: SmallVec<[Row; 2]>,
    pub sem: Sem,
    pub scope: Scope,
}

#[derive(Clone, Debug)]
pub(crate) struct BarInst {
    pub kind: BarKind,
    pub d: Row,
    pub id: Row,
    /// The thread count; `NO_ROW` for all threads.
    pub count: Row,
    pub predicate: Row,
    pub negated: bool,
    /// Whether it is like `__syncthreads()`: `.aligned`, of all threads of the block, each of which waits.
    pub whole: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct CollectiveInst {
    pub what: Collective,
    /// The mask of participants; `NO_ROW` for all threads of the warp (`.aligned` without a mask).
    pub member: Row,
    pub d: SmallVec<[Row; 8]>,
    pub p: Row,
    pub a: SmallVec<[Row; 8]>,
    pub b: SmallVec<[Row; 8]>,
    pub c: SmallVec<[Row; 8]>,
    pub negated: bool,
    pub address: Option<Address>,
}

#[derive(Clone, Debug)]
pub(crate) enum Collective {
    Shfl(ShflMode),
    Vote(VoteMode),
    Match {
        all: bool,
        wide: bool,
    },
    Redux {
        op: ReduxOp,
        ty: ptx::ast::ScalarType,
        abs: bool,
        nan: bool,
    },
    Elect,
    /// `mma` or `wmma.mma`, with the decoded instruction.
    Matrix(Box<Op>),
    /// `mma` of a sparse A, or of narrow floats.
    Mma(Box<MmaInst>),
    /// `wmma.load` or `wmma.store`; the first row of `b` is the stride.
    MatrixLoad(Box<Op>),
    MatrixStore(Box<Op>),
    /// `ldmatrix` and `stmatrix`, with the decoded instruction.
    Ldmatrix(Box<Op>),
    Stmatrix(Box<Op>),
    Movmatrix,
    /// `wgmma.mma_async`; A is registers or a descriptor, the row of `c` is the predicate that scales D.
    Wgmma(Box<WgmmaInst>),
    WgmmaFence,
    WgmmaCommit,
    WgmmaWait {
        keep: u32,
    },
    /// `tensormap.cp_fenceproxy`
    MapCopy {
        dst: Address,
        src: Address,
        fence: FenceInst,
    },
    /// `tcgen05`
    TensorMemory(Box<TensorWarpInst>),
}

impl CollectiveInst {
    /// Returns an instruction of all lanes of a warp, without operands.
    pub(crate) fn of_warp(what: Collective) -> CollectiveInst {
        CollectiveInst {
            what,
            member: NO_ROW,
            d: SmallVec::new(),
            p: NO_ROW,
            a: SmallVec::new(),
            b: SmallVec::new(),
            c: SmallVec::new(),
            negated: false,
            address: None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum CallTarget {
    Function(u32),
    /// A function address in a row.
    Indirect(Row),
    Builtin(Builtin),
    /// A function that is declared but not defined.
    Undefined(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Vprintf,
    Malloc,
    Free,
    AssertFail,
    SetConditional,
    /// A function of the device runtime.
    Device(DeviceCall),
}

/// The location of a value at a call: a row, or bytes of the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Row { row: Row, bytes: u8 },
    Frame { offset: u32, bytes: u32 },
}

#[derive(Clone, Debug)]
pub(crate) struct CallInst {
    pub target: CallTarget,
    pub args: SmallVec<[Slot; 4]>,
    pub returns: SmallVec<[Slot; 1]>,
}

#[derive(Clone, Debug)]
pub(crate) struct BrxInst {
    pub index: Row,
    pub targets: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FenceInst {
    Thread {
        sem: Sem,
        scope: Scope,
    },
    Proxy {
        proxy: events::Proxy,
        space: Option<events::sync::ProxySpace>,
    },
    /// `fence.proxy.tensormap::generic`
    Tensormap {
        sem: Sem,
        scope: Scope,
    },
    /// `fence.mbarrier_init`
    Mbarrier,
}

#[derive(Clone, Debug)]
pub(crate) enum AsyncInst {
    /// `cp.async`; if `src_size` is smaller than `size`, the rest is zeros.
    Copy {
        dst: Address,
        src: Address,
        size: u32,
        src_size: Row,
        ignore: Row,
        ignore_negated: bool,
    },
    Commit,
    Wait {
        keep: Option<u32>,
    },
    MbarrierArrive {
        address: Address,
        noinc: bool,
    },
    Bulk(Box<BulkInst>),
    Tensor(Box<TensorInst>),
    /// `tcgen05`
    TensorMemory(Box<TensorThreadInst>),
    Replace(Box<ReplaceInst>),
    BulkCommit,
    BulkWait {
        keep: u32,
        read: bool,
    },
    /// `st.async` and `red.async`.
    Remote {
        dst: Address,
        mbar: Address,
        rows: SmallVec<[Row; 4]>,
        part: u8,
        op: Option<Rmw>,
        ty: ptx::ast::ScalarType,
    },
    /// `st.bulk`
    Fill {
        dst: Address,
        size: Row,
        wide: bool,
    },
    /// `clusterlaunchcontrol.try_cancel`
    TryCancel {
        dst: Address,
        mbar: Address,
        signals: Signals,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct BulkInst {
    pub dst: Address,
    pub src: Address,
    pub size: Row,
    pub completion: BulkCompletion,
    pub mbar: Option<Address>,
    pub multicast: Row,
    pub reduce: Option<(Rmw, ptx::ast::ScalarType)>,
}

/// A product of a warpgroup.
#[derive(Clone, Debug)]
pub(crate) struct WgmmaInst {
    pub product: ptx::op::Wgmma,
    /// The numbers of the registers of D and A, see [`Touch`].
    pub d: Box<[u32]>,
    pub a: Box<[u32]>,
    /// Whether A is in shared memory.
    pub a_shared: bool,
    /// The sparsity selector.
    pub selector: u8,
    pub negate_a: bool,
    pub negate_b: bool,
    /// Whether the operand in shared memory is stored column by column.
    pub trans_a: bool,
    pub trans_b: bool,
}

/// The block whose mbarrier object a copy to a block signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// The block itself.
    Destination,
    /// The one of the block and its peer whose rank has the parity of the addressed block's rank.
    Addressed,
    /// The one of the two with the even rank: the address is one whose lowest bit of the rank was cleared.
    Even,
    /// Each block of the cluster.
    Cluster,
}

/// A tensor copy.
#[derive(Clone, Debug)]
pub(crate) struct TensorInst {
    pub copy: ptx::op::TensorCopy,
    pub map: Address,
    pub coordinates: SmallVec<[Row; 5]>,
    /// The offsets of `.im2col`.
    pub offsets: SmallVec<[Row; 3]>,
    pub shared: Address,
    pub mbar: Option<Address>,
    pub multicast: Row,
    pub signals: Signals,
}

/// An access of a register that a product accesses, too, by any other instruction. Registers have the numbers that lowering gave
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read(u32),
    Write(u32),
    /// `mov`: gives the value of `from`, or a constant, another name.
    Copy {
        to: u32,
        from: SmallVec<[u32; 2]>,
    },
}

/// `tensormap.replace`
#[derive(Clone, Debug)]
pub(crate) struct ReplaceInst {
    pub address: Address,
    pub field: ptx::op::TensormapField,
    pub ordinal: usize,
    pub value: Row,
}

#[derive(Clone, Debug)]
pub(crate) struct MbarrierInst {
    pub op: MbarrierOp,
    pub d: Row,
    pub address: Address,
    /// Whose object it is.
    pub signals: Signals,
    /// State, parity, count or transaction bytes, depending on the operation.
    pub a: Row,
    pub a_wide: bool,
    pub sem: Sem,
    pub scope: Scope,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ClusterInst {
    Arrive { sem: Sem },
    Wait,
}

/// A texture fetch.
#[derive(Clone, Debug)]
pub(crate) struct TexInst {
    /// The object's handle.
    pub handle: Row,
    pub geometry: ptx::op::TexGeometry,
    /// The type of the result.
    pub ty: ptx::ast::ScalarType,
    /// Whether the coordinates are integers.
    pub integers: bool,
    pub coordinates: [Row; 4],
    pub d: [Row; 4],
}

/// A surface access. `access` describes the transfer or reduction; its addresses come from the object.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceInst {
    /// The object's handle.
    pub handle: Row,
    pub geometry: ptx::op::TexGeometry,
    pub boundary: ptx::op::Boundary,
    pub coordinates: [Row; 4],
    pub access: SurfaceAccess,
}

#[derive(Clone, Debug)]
pub(crate) enum SurfaceAccess {
    Load(MemInst),
    Store(MemInst),
    Reduce(AtomInst),
}

/// Rarely executed instructions.
#[derive(Clone, Debug)]
pub(crate) enum RareInst {
    Discard {
        address: Address,
    },
    Isspacep {
        d: Row,
        a: Row,
        target: ptx::op::MemSpace,
    },
    Mapa {
        d: Row,
        a: Row,
        wide: bool,
        generic: bool,
        rank: Row,
        local: Option<i64>,
        dynamic: bool,
    },
    Getctarank {
        d: Row,
        a: Row,
        wide: bool,
        generic: bool,
    },
    GridDependency {
        wait: bool,
    },
    Alloca {
        d: Row,
        size: Row,
        size_wide: bool,
        align: u32,
    },
    Tex(Box<TexInst>),
    Surface(Box<SurfaceInst>),
    Suq {
        d: Row,
        handle: Row,
        query: ptx::op::SurfaceQuery,
    },
    /// `clusterlaunchcontrol.query_cancel`, of the two halves of a response.
    QueryCancel {
        query: ptx::op::CancelQuery,
        d: SmallVec<[Row; 3]>,
        a: [Row; 2],
    },
    StackSave {
        d: Row,
    },
    StackRestore {
        a: Row,
    },
    /// Accesses of the next instruction to registers of matrix products.
    Touch(Box<[Touch]>),
    /// `cvta` between generic and another space.
    Cvta {
        d: Row,
        a: Row,
        wide: bool,
        to: bool,
        target: Target,
    },
}

/// A function's frame and interface.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionInfo {
    pub entry: u32,
    /// The frame's bytes in the file of 32-bit rows; then those in the file of 64-bit rows and in the
    /// predicate file.
    pub bytes_32: u32,
    pub bytes_64: u32,
    pub bytes_pred: u32,
    /// The bytes of local memory: variables, parameters, call arguments.
    pub frame_bytes: u32,
    pub params: Vec<Slot>,
    pub returns: Vec<Slot>,
}

/// A unit of the constant file.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u32; 16]);

#[derive(Debug, Default)]
pub(crate) struct Program {
    pub code: Vec<Inst>,
    /// The site of each instruction; `None` for instructions without one.
    pub sites: Vec<Option<SiteId>>,
    pub consts: Vec<Line>,
    pub functions: Vec<FunctionInfo>,
    pub evals: Vec<EvalInst>,
    pub moves: Vec<Vec<Move>>,
    pub mems: Vec<MemInst>,
    pub atoms: Vec<AtomInst>,
    pub bars: Vec<BarInst>,
    pub collectives: Vec<CollectiveInst>,
    pub calls: Vec<CallInst>,
    pub brxs: Vec<BrxInst>,
    pub fences: Vec<FenceInst>,
    pub asyncs: Vec<AsyncInst>,
    pub mbarriers: Vec<MbarrierInst>,
    pub clusters: Vec<ClusterInst>,
    pub rares: Vec<RareInst>,
    pub unsupported: Vec<String>,
    /// The number of loads of constant memory.
    pub constants: u32,
}
