//! The accesses that are checked, and the attributes that their checks need.

use super::tiles::Tile;
use crate::collide::Unchecked;
use crate::collide::access::{Text, address, guard as guard_of};
use kernels::effects::{Extent, Place, TouchKind, effects, uses_descriptors};
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{Fence, MbarrierOp, Mem, MemSpace, Op, Scope, Sem};

/// One access of an instruction, with the attributes for its check.
pub(super) struct Access<'t> {
    pub(super) base: (Text<'t>, i64),
    pub(super) bytes: u32,
    pub(super) elements: Elements,
    /// The number of lanes that make it, for `ldmatrix` and `stmatrix`, whose rows they name, and copies of tensor maps. All
    /// lanes synchronise there.
    pub(super) rows: Option<u32>,
    /// The tile that all lanes access together, for `wmma` loads and stores.
    pub(super) tile: Option<Tile<'t>>,
    /// Whether it is part of a `cp.async`.
    pub(super) copy: bool,
    /// Whether an asynchronous operation makes it, through the generic proxy (PTX §8.6).
    pub(super) asynchronous: bool,
    pub(super) writes: bool,
    /// Whether it is a strong access that observes other threads' writes.
    pub(super) observes: bool,
    /// The scope of a strong access.
    pub(super) strong: Option<Scope>,
    /// Whether it is a load through the read-only cache, which earlier writes of its launch do not reach.
    pub(super) fetches: bool,
    pub(super) space: MemSpace,
    pub(super) guard: Option<(String, bool)>,
    /// The group of checks that launches may leave out, to which its check belongs.
    pub(super) group: Option<u32>,
}

/// The division of an access into elements, for the memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    /// Words, or one shorter element.
    Words,
    Long,
    /// Several elements in a word.
    Parts,
}

/// The bytes of a row of `ldmatrix` and `stmatrix`, and those of a tensor map that are checked.
const ROW: u32 = 16;

/// Returns the number of lanes that make an access of a whole warp: those with row addresses, for matrices of 16-bit
/// elements (PTX §9.7.15.5.15), and the first for a copy of a tensor map.
fn rows(op: &Op) -> Option<u32> {
    match op {
        Op::Ldmatrix { count, ty, .. } | Op::Stmatrix { count, ty, .. } if ty.bits() == 16 => {
            Some(8 * u32::from(*count))
        }
        // The copy of a map counts as that of the warp's first thread (`docs/assumptions.md`, 12a).
        Op::TensormapCopy { .. } => Some(1),
        _ => None,
    }
}

/// Returns whether each element consists of two numbers.
fn is_packed(op: &Op) -> bool {
    let ty = match op {
        Op::Ld(mem) | Op::Ldu(mem) | Op::St(mem) => mem.ty,
        Op::Atom(atom) => atom.mem.ty,
        Op::Red(red) => red.mem.ty,
        _ => return false,
    };
    matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2)
}

/// Returns whether threads publish objects by relaxed arrivals at the barrier of their cluster.
pub(super) fn publishes_objects(flat: &Flat<'_>) -> bool {
    flat.instructions.iter().any(|inst| matches!(inst.op, Ok(Op::ClusterArrive { sem: Sem::Relaxed, .. })))
}

/// Returns whether a kernel has a fence of `mbarrier` objects, and no relaxed arrivals of the cluster that publish them.
fn is_fenced_alone(flat: &Flat<'_>) -> bool {
    let fence = |inst: &FlatInstruction<'_>| matches!(inst.op, Ok(Op::Fence(Fence::MbarrierInit)));
    flat.instructions.iter().any(fence) && !publishes_objects(flat)
}

/// Returns the access of an `mbarrier` object (`docs/assumptions.md`, 11b): `init` is a weak write, an arrival a strong one of
/// the object's first word, which conflicts with no other arrival. Waits, which read it often, are left out, and so is `inval`,
/// which is ordered by waits.
fn object<'t>(
    flat: &Flat<'_>,
    inst: &FlatInstruction<'_>,
    text: &'t str,
    (operation, space): (MbarrierOp, MemSpace),
) -> Option<Access<'t>> {
    let strong = match operation {
        // A flag behind the fence, which releases no data, may pass the object to another block.
        MbarrierOp::Init if is_fenced_alone(flat) => return None,
        MbarrierOp::Init => None,
        MbarrierOp::Arrive { .. } | MbarrierOp::ExpectTx | MbarrierOp::CompleteTx => Some(Scope::Gpu),
        MbarrierOp::Inval | MbarrierOp::Wait { .. } | MbarrierOp::PendingCount => return None,
    };
    let operand = inst.args.iter().position(|arg| matches!(arg, Arg::Address { .. }))?;
    Some(Access {
        base: address(flat, inst, text, operand).ok()?,
        bytes: if strong.is_some() { 4 } else { 8 },
        elements: Elements::Words,
        rows: None,
        tile: None,
        copy: false,
        asynchronous: false,
        writes: true,
        observes: false,
        strong,
        fetches: false,
        space,
        guard: guard_of(inst),
        group: None,
    })
}

pub(super) fn accesses<'t>(
    flat: &Flat<'_>,
    inst: &FlatInstruction<'_>,
    text: &'t str,
) -> Result<Vec<Access<'t>>, Unchecked> {
    let Ok(op) = &inst.op else { return Err(Unchecked::Unknown) };
    if matches!(op, Op::Unknown) {
        // `effects` has none for it, since nothing is known of it.
        return Err(Unchecked::Unknown);
    }
    if let Op::Mbarrier { op, space, .. } = *op {
        return Ok(object(flat, inst, text, (op, space)).into_iter().collect());
    }
    // A map is changed as a whole (`docs/assumptions.md`, 12a): its first bytes are checked.
    let map = matches!(op, Op::TensormapReplace { .. } | Op::TensormapCopy { .. });
    if uses_descriptors(op) && !map {
        return Err(Unchecked::Asynchronous);
    }
    let mut out = Vec::new();
    for touch in &effects(op, &inst.args).touches {
        let space = match touch.place {
            Place::Memory(MemSpace::Local | MemSpace::Const | MemSpace::Param | MemSpace::ParamFunc) => {
                continue;
            }
            // Asynchronous operations complete there on their own.
            Place::Memory(MemSpace::SharedCluster)
                if !matches!(
                    op,
                    Op::Ld(_)
                        | Op::St(_)
                        | Op::Atom(_)
                        | Op::Red(_)
                        | Op::StAsync { .. }
                        | Op::RedAsync { .. }
                ) =>
            {
                return Err(Unchecked::Asynchronous);
            }
            Place::Memory(space) => space,
            Place::Texture | Place::Surface | Place::Multimem => return Err(Unchecked::Image),
            Place::Tensor | Place::Descriptor | Place::TensorMemory => return Err(Unchecked::Asynchronous),
        };
        let elements = match touch.extent {
            Extent::Elements { bytes: 5.., .. } => Elements::Long,
            Extent::Elements { bytes: ..=3, count: 2.. } => Elements::Parts,
            _ if is_packed(op) => Elements::Parts,
            _ => Elements::Words,
        };
        let tile = Tile::of(inst, text);
        let bytes = match (touch.kind, touch.extent) {
            // A copy is checked as if the thread made it at the instruction: operations ordered before the
            // instruction are ordered before the copy. A later execution, after operations that the thread
            // then orders, only adds races, some of which `copies` finds.
            (TouchKind::AsyncRead | TouchKind::AsyncWrite, _) if matches!(op, Op::CpAsync { .. }) => {
                match (&inst.args[..], touch.kind) {
                    ([_, _, Arg::Int(bytes)], _) | ([_, _, Arg::Int(bytes), _], TouchKind::AsyncWrite) => {
                        *bytes as u32
                    }
                    ([_, _, Arg::Int(_), Arg::Int(copied)], _) => *copied as u32,
                    // The number of bytes read is unknown here.
                    ([_, _, Arg::Int(_), _], _) => continue,
                    _ => return Err(Unchecked::Asynchronous),
                }
            }
            // `st.async` and `red.async` are checked as if made at the instruction: a wait for their
            // `mbarrier` counts as an acquire of this release.
            (TouchKind::AsyncWrite | TouchKind::AsyncAtomic(_), Extent::Elements { bytes, count })
                if matches!(op, Op::StAsync { .. } | Op::RedAsync { .. }) =>
            {
                bytes * u32::from(count)
            }
            (TouchKind::Read | TouchKind::Write, _) if map => ROW,
            (
                TouchKind::Read | TouchKind::Write | TouchKind::Atomic(_),
                Extent::Elements { bytes, count },
            ) => bytes * u32::from(count),
            // The row at each lane's address is checked as an access of that lane alone.
            (TouchKind::Read | TouchKind::Write, Extent::Matrix) if rows(op).is_some() => ROW,
            (_, Extent::Matrix) => tile.map(|tile| tile.share()).ok_or(Unchecked::Matrix)?,
            _ => return Err(Unchecked::Asynchronous),
        };
        if bytes == 0 && matches!(op, Op::CpAsync { .. }) {
            continue;
        }
        if bytes == 0 || bytes > 32 && !matches!(op, Op::Discard { .. }) {
            return Err(Unchecked::Wide);
        }
        out.push(Access {
            base: address(flat, inst, text, touch.operand)?,
            bytes,
            elements,
            rows: rows(op),
            tile,
            copy: matches!(op, Op::CpAsync { .. }),
            asynchronous: matches!(op, Op::CpAsync { .. } | Op::StAsync { .. } | Op::RedAsync { .. }),
            writes: !matches!(touch.kind, TouchKind::Read | TouchKind::AsyncRead),
            observes: touch.sem != Sem::Weak
                && matches!(touch.kind, TouchKind::Read | TouchKind::Atomic(_))
                && !matches!(op, Op::Red(_)),
            strong: (touch.sem != Sem::Weak).then_some(touch.scope),
            fetches: matches!(op, Op::Ld(Mem { nc: true, .. })),
            space,
            guard: guard_of(inst),
            group: None,
        });
    }
    Ok(out)
}
