//! The effects of one instruction, defined once: registers, memory, order, control.
//!
//! Lowering, sites, launch facts, `inspect` and passes over PTX query this module. The match names every
//! [`Op`], so a new one does not compile until its effects are defined.

use ptx::flat::Arg;
use ptx::op::{
    BarKind, Fence, MbarrierOp, Mem, MemSpace, Op, ProxyFence, Rmw, Scope, Sem, TensorCopy, TensorWay,
};
use smallvec::{SmallVec, smallvec};

mod tensor_memory;

/// The effects of an instruction whose guard holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    /// The number of leading operands that are written, unless they are addresses.
    pub results: usize,
    pub carry: Carry,
    /// The memory accesses; empty for most instructions.
    pub touches: SmallVec<[Touch; 2]>,
    /// The ordering effect, real or apparent.
    pub order: Option<Order>,
    pub control: Control,
    /// Whether the results are read as well: an accumulator.
    pub updates: bool,
    /// Whether results may be written before all operands of all lanes were read: the instruction has several
    /// results, or lanes read each other's operands.
    pub staged: bool,
    /// Whether the instruction can fail, wait or be refused although it accesses no memory, so that reports
    /// name it.
    pub answers: bool,
}

/// The use of the condition code (PTX §9.7.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carry {
    pub read: bool,
    pub written: bool,
}

/// One memory access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The index of the address operand.
    pub operand: usize,
    pub place: Place,
    pub kind: TouchKind,
    pub extent: Extent,
    /// `Weak` for every access that is not strong by PTX §8.4.
    pub sem: Sem,
    /// The scope; irrelevant for weak accesses.
    pub scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Memory(MemSpace),
    /// An access through a texture object; `Surface` is one through a surface object.
    Texture,
    Surface,
    /// A `multimem` address, which is not in the generic address space.
    Multimem,
    /// Global memory that a tensor map describes; the operand is the map.
    Tensor,
    /// Shared memory that a matrix descriptor describes; the operand is the descriptor.
    Descriptor,
    /// Tensor memory.
    TensorMemory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchKind {
    Read,
    Write,
    /// `atom`, `red`, and reductions through surfaces.
    Atomic(Rmw),
    /// A read on behalf of the thread, outside its program order (PTX §9.7.9.25).
    AsyncRead,
    AsyncWrite,
    AsyncAtomic(Rmw),
}

/// The number of bytes that an access covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// `count` adjacent elements.
    Elements { bytes: u32, count: u8 },
    /// The value of that operand.
    Operand(usize),
    /// Rows of a matrix, by the instruction's shape; lanes hold the addresses of rows.
    Matrix,
    /// The box of a tensor map.
    Box,
}

/// The ordering effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `bar`, `barrier.cta`.
    Barrier(BarKind),
    /// `bar.warp.sync`.
    WarpBarrier,
    ClusterArrive(Sem),
    ClusterWait,
    Fence(Fence),
    Mbarrier(MbarrierOp),
    /// Commits, awaits, or announces asynchronous operations of the thread.
    AsyncGroup,
    /// Begins, commits or awaits matrix products of a warpgroup, or fences their registers.
    Warpgroup,
    /// Allocates tensor memory, or begins, commits, awaits or fences its asynchronous accesses.
    TensorMemory,
    GridDependency {
        wait: bool,
    },
    /// Lanes exchange registers: `shfl`, `vote`, `match`, `redux`, `elect`. It orders no memory, contrary to
    /// a common belief.
    Rendezvous,
    /// All lanes of the warp execute a matrix instruction together; it orders no memory.
    Aligned,
}

/// The control transfer of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Control passes to the next instruction.
    Next,
    Branch,
    /// `brx.idx`.
    IndirectBranch,
    Call,
    Return,
    Exit,
    /// `trap`: the kernel ends with an error.
    Trap,
    /// `brkpt`.
    Break,
}

impl Effects {
    /// Returns the effects of a computation in registers: one result, nothing else.
    fn plain() -> Effects {
        Effects {
            results: 1,
            carry: Carry::default(),
            touches: SmallVec::new(),
            order: None,
            control: Control::Next,
            updates: false,
            staged: false,
            answers: false,
        }
    }

    fn nothing() -> Effects {
        Effects { results: 0, ..Effects::plain() }
    }

    fn control(control: Control) -> Effects {
        Effects { control, ..Effects::nothing() }
    }

    fn order(order: Order) -> Effects {
        Effects { order: Some(order), ..Effects::nothing() }
    }

    /// Returns the effects of a load into the first operand.
    fn load(touch: Touch) -> Effects {
        Effects { touches: smallvec![touch], ..Effects::plain() }
    }

    fn store(touch: Touch) -> Effects {
        Effects { touches: smallvec![touch], ..Effects::nothing() }
    }

    /// Returns the effects of an exchange of operands among the lanes of a warp.
    fn exchange(order: Order) -> Effects {
        Effects { order: Some(order), staged: true, ..Effects::plain() }
    }

    fn staged(self) -> Effects {
        Effects { staged: true, ..self }
    }

    fn answers(self) -> Effects {
        Effects { answers: true, ..self }
    }

    /// Returns whether the instruction orders memory, accesses it atomically, strongly or asynchronously, or
    /// appears to order memory.
    pub fn synchronises(&self) -> bool {
        self.order.is_some_and(|order| order != Order::Aligned)
            || self.touches.iter().any(|t| {
                t.sem != Sem::Weak
                    || t.place == Place::Multimem
                    || !matches!(t.kind, TouchKind::Read | TouchKind::Write)
            })
    }
}

fn plain_touch(operand: usize, mem: &Mem, kind: TouchKind) -> Touch {
    Touch {
        operand,
        place: Place::Memory(mem.space),
        kind,
        extent: Extent::Elements { bytes: mem.ty.bytes(), count: mem.vector },
        sem: mem.sem,
        scope: mem.scope,
    }
}

fn weak(operand: usize, place: Place, kind: TouchKind, extent: Extent) -> Touch {
    Touch { operand, place, kind, extent, sem: Sem::Weak, scope: Scope::Cta }
}

/// Returns the effects of `op` with these operands (flattened, destinations first).
pub fn effects(op: &Op, args: &[Arg<'_>]) -> Effects {
    use Effects as E;
    match op {
        // Arithmetic, logic, comparison, conversion.
        Op::Add { .. }
        | Op::Sub { .. }
        | Op::Mul { .. }
        | Op::Mad { .. }
        | Op::Mixed { .. }
        | Op::Mul24 { .. }
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
        | Op::Selp { .. }
        | Op::Slct { .. }
        | Op::And { .. }
        | Op::Or { .. }
        | Op::Xor { .. }
        | Op::Not { .. }
        | Op::Cnot { .. }
        | Op::Shf { .. }
        | Op::Shl { .. }
        | Op::Shr { .. }
        | Op::Prmt { .. }
        | Op::Cvt { .. }
        | Op::CvtPack { .. }
        | Op::Cvta { .. }
        | Op::Isspacep { .. }
        | Op::Video(_)
        | Op::VideoMad(_)
        | Op::VideoSimd(_)
        | Op::CreatePolicy
        | Op::StackSave { .. } => E::plain(),
        // A pair of results, or a vector that is split or assembled.
        Op::Setp { .. } | Op::Lop3 { .. } | Op::Mov { .. } => E::plain().staged(),
        Op::AddCarry { carry_in, carry_out, .. }
        | Op::SubCarry { carry_in, carry_out, .. }
        | Op::MadCarry { carry_in, carry_out, .. } => {
            E { carry: Carry { read: *carry_in, written: *carry_out }, ..E::plain() }
        }
        // A nonexistent rank or size is refused at run time.
        Op::Mapa { .. } | Op::Getctarank { .. } => E::plain().staged().answers(),
        Op::Alloca { .. } => E::plain().answers(),

        // Memory.
        Op::Ld(mem) | Op::Ldu(mem) => E::load(plain_touch(1, mem, TouchKind::Read)),
        Op::St(mem) => E::store(plain_touch(0, mem, TouchKind::Write)),
        Op::Atom(atom) => E::load(plain_touch(1, &atom.mem, TouchKind::Atomic(atom.op))).staged(),
        Op::Red(red) => E::store(plain_touch(0, &red.mem, TouchKind::Atomic(red.op))),
        Op::Discard { space } => {
            let line = Extent::Elements { bytes: 16, count: 8 };
            E::store(weak(0, Place::Memory(*space), TouchKind::Write, line))
        }
        Op::Hint | Op::CpAsyncBulkPrefetch => E::nothing(),
        Op::Tex { ty, .. } => {
            let texel = Extent::Elements { bytes: ty.bytes(), count: 4 };
            E::load(weak(1, Place::Texture, TouchKind::Read, texel)).staged()
        }
        Op::Suld(surface) => {
            E::load(weak(1, Place::Surface, TouchKind::Read, surface_extent(surface))).staged()
        }
        Op::Sust(surface) => E::store(weak(0, Place::Surface, TouchKind::Write, surface_extent(surface))),
        Op::Sured { op, surface } => E::store(Touch {
            sem: Sem::Relaxed,
            scope: Scope::Gpu,
            ..weak(0, Place::Surface, TouchKind::Atomic(*op), surface_extent(surface))
        }),
        Op::Suq { .. } => E::plain().staged().answers(),
        Op::Multimem => E::store(Touch {
            sem: Sem::Relaxed,
            scope: Scope::Sys,
            ..weak(0, Place::Multimem, TouchKind::Write, Extent::Elements { bytes: 4, count: 1 })
        }),

        // Asynchronous copies: `[dst], [src], size …`, `[dst], value, [mbarrier]`.
        Op::CpAsync { .. } => copy(MemSpace::SharedCta, MemSpace::Global, TouchKind::AsyncWrite),
        Op::CpAsyncBulk { dst, src, .. } => copy(*dst, *src, TouchKind::AsyncWrite),
        Op::CpReduceAsyncBulk { dst, src, op, .. } => copy(*dst, *src, TouchKind::AsyncAtomic(*op)),
        Op::StAsync { ty, vector } => {
            let extent = Extent::Elements { bytes: ty.bytes(), count: *vector };
            E::store(weak(0, Place::Memory(MemSpace::SharedCluster), TouchKind::AsyncWrite, extent))
        }
        Op::RedAsync { op, ty } => {
            let extent = Extent::Elements { bytes: ty.bytes(), count: 1 };
            let place = Place::Memory(MemSpace::SharedCluster);
            E::store(Touch {
                sem: Sem::Relaxed,
                scope: Scope::Cluster,
                ..weak(0, place, TouchKind::AsyncAtomic(*op), extent)
            })
        }
        Op::StBulk { space } => {
            E::store(weak(0, Place::Memory(*space), TouchKind::Write, Extent::Operand(1)))
        }
        Op::TryCancel { space, multicast } => {
            let space = if *multicast { MemSpace::SharedCluster } else { *space };
            let response = Extent::Elements { bytes: 16, count: 1 };
            E::store(weak(0, Place::Memory(space), TouchKind::AsyncWrite, response))
        }
        // The first block of a cluster that was not cancelled is refused at run time.
        Op::QueryCancel { .. } => E::plain().staged().answers(),
        Op::Tensor(copy) => tensor(copy),
        Op::TensormapReplace { space, .. } => E::store(weak(0, Place::Memory(*space), TouchKind::Write, MAP)),
        Op::TensormapCopy { sem, scope } => E {
            touches: smallvec![
                weak(0, Place::Memory(MemSpace::Global), TouchKind::Write, MAP),
                weak(1, Place::Memory(MemSpace::SharedCta), TouchKind::Read, MAP),
            ],
            ..E::order(Order::Fence(Fence::Proxy(ProxyFence::TensormapGeneric { sem: *sem, scope: *scope })))
        },
        Op::CpAsyncCommit
        | Op::CpAsyncWait { .. }
        | Op::CpAsyncMbarrierArrive { .. }
        | Op::CpAsyncBulkCommit
        | Op::CpAsyncBulkWait { .. } => E::order(Order::AsyncGroup),

        // Control.
        Op::Bra { .. } => E::control(Control::Branch),
        Op::BrxIdx => E::control(Control::IndirectBranch),
        Op::Call => E {
            results: usize::from(matches!((args.first(), args.get(1)), (Some(Arg::List(_)), Some(_)))),
            staged: true,
            ..E::control(Control::Call)
        },
        Op::Ret => E::control(Control::Return),
        Op::Exit => E::control(Control::Exit),
        Op::Trap => E::control(Control::Trap),
        Op::Brkpt => E::control(Control::Break),

        // Synchronisation.
        Op::Bar { kind, .. } => E {
            results: usize::from(matches!(kind, BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr)),
            staged: true,
            ..E::order(Order::Barrier(*kind))
        },
        Op::BarWarpSync => E::order(Order::WarpBarrier),
        Op::ClusterArrive { sem, .. } => E::order(Order::ClusterArrive(*sem)),
        Op::ClusterWait { .. } => E::order(Order::ClusterWait),
        Op::Fence(fence) => E::order(Order::Fence(*fence)),
        Op::Mbarrier { op, .. } => E {
            results: match op {
                MbarrierOp::Arrive { .. } => usize::from(!matches!(args.first(), Some(Arg::Address { .. }))),
                MbarrierOp::Wait { .. } | MbarrierOp::PendingCount => 1,
                MbarrierOp::Init | MbarrierOp::Inval | MbarrierOp::ExpectTx | MbarrierOp::CompleteTx => 0,
            },
            staged: true,
            ..E::order(Order::Mbarrier(*op))
        },
        Op::GridDepControl { wait } => E::order(Order::GridDependency { wait: *wait }),

        // Exchanges among lanes.
        Op::Vote { .. } | Op::Match { .. } | Op::Redux { .. } | Op::Elect | Op::Shfl { .. } => {
            E::exchange(Order::Rendezvous)
        }
        Op::Activemask => E::plain().answers(),
        Op::WmmaMma { .. } | Op::Mma { .. } | Op::Movmatrix { .. } => E::exchange(Order::Aligned),
        Op::WmmaLoad { space, .. } | Op::Ldmatrix { space, .. } => E {
            touches: smallvec![weak(1, Place::Memory(*space), TouchKind::Read, Extent::Matrix)],
            ..E::exchange(Order::Aligned)
        },
        Op::WmmaStore { space, .. } | Op::Stmatrix { space, .. } => E {
            touches: smallvec![weak(0, Place::Memory(*space), TouchKind::Write, Extent::Matrix)],
            ..E::order(Order::Aligned)
        },

        // The operands: `d, a, b-descriptor, …`, with registers or a descriptor for A.
        Op::Wgmma(_) => {
            let mut touches = SmallVec::new();
            if !matches!(args.get(1), Some(Arg::Vector(_))) {
                touches.push(weak(1, Place::Descriptor, TouchKind::AsyncRead, Extent::Matrix));
            }
            touches.push(weak(2, Place::Descriptor, TouchKind::AsyncRead, Extent::Matrix));
            E { touches, updates: true, ..E::exchange(Order::Warpgroup) }
        }
        Op::WgmmaFence | Op::WgmmaCommit | Op::WgmmaWait => E::order(Order::Warpgroup),
        Op::Tcgen05(op) => tensor_memory::effects(op, args),

        Op::Nanosleep => E::nothing().answers(),
        Op::Pmevent | Op::SetMaxNReg | Op::StackRestore { .. } => E::nothing(),
        // The effects are unknown; consumers must report the instruction as unsupported.
        Op::Unknown => E::nothing(),
    }
}

fn surface_extent(surface: &ptx::op::Surface) -> Extent {
    Extent::Elements { bytes: surface.ty.bytes(), count: surface.vector }
}

/// Returns whether an instruction accesses memory by a tensor map or a matrix descriptor, changes a tensor map, fills memory, or
/// takes over the work of a cluster. Engines that look at addresses and types of operands alone do not see these accesses.
pub fn uses_descriptors(op: &Op) -> bool {
    matches!(
        op,
        Op::Tensor(_)
            | Op::StBulk { .. }
            | Op::TryCancel { .. }
            | Op::TensormapReplace { .. }
            | Op::TensormapCopy { .. }
            | Op::Wgmma(_)
            | Op::Tcgen05(_)
    )
}

/// A tensor map.
const MAP: Extent = Extent::Elements { bytes: 16, count: 8 };

/// Returns the effects of a tensor copy, which reads its map.
fn tensor(copy: &TensorCopy) -> Effects {
    let map = |operand| weak(operand, Place::Memory(MemSpace::Generic), TouchKind::AsyncRead, MAP);
    let touches = match (copy.way, copy.op) {
        (TensorWay::Load { dst, .. }, _) => smallvec![
            weak(0, Place::Memory(dst), TouchKind::AsyncWrite, Extent::Box),
            weak(1, Place::Tensor, TouchKind::AsyncRead, Extent::Box),
            map(1),
        ],
        (TensorWay::Store, op) => smallvec![
            weak(0, Place::Tensor, op.map_or(TouchKind::AsyncWrite, TouchKind::AsyncAtomic), Extent::Box),
            weak(1, Place::Memory(MemSpace::SharedCta), TouchKind::AsyncRead, Extent::Box),
            map(0),
        ],
    };
    Effects { touches, ..Effects::nothing() }
}

/// Returns the effects of a copy with the operands `[dst], [src], size`.
fn copy(dst: MemSpace, src: MemSpace, kind: TouchKind) -> Effects {
    Effects {
        touches: smallvec![
            weak(0, Place::Memory(dst), kind, Extent::Operand(2)),
            weak(1, Place::Memory(src), TouchKind::AsyncRead, Extent::Operand(2)),
        ],
        ..Effects::nothing()
    }
}
