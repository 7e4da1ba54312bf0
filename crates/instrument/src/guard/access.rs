//! Which accesses are checked, and what their checks need to know of them.

use super::tiles::Tile;
use crate::collide::Unchecked;
use crate::collide::access::{Text, address, guard as guard_of};
use kernels::effects::{Extent, Place, TouchKind, effects};
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{MemSpace, Op, Scope, Sem};

/// One access of an instruction, as its check needs it.
pub(super) struct Access<'t> {
    pub(super) base: (Text<'t>, i64),
    pub(super) bytes: u32,
    pub(super) elements: Elements,
    /// Of matrices: how many lanes have the address of a row. All lanes meet there.
    pub(super) rows: Option<u32>,
    /// Of other matrices: what all lanes have together.
    pub(super) tile: Option<Tile<'t>>,
    /// Of a `cp.async`.
    pub(super) copy: bool,
    pub(super) writes: bool,
    /// Does a strong one tell what others wrote?
    pub(super) observes: bool,
    /// The scope of a strong one.
    pub(super) strong: Option<Scope>,
    pub(super) space: MemSpace,
    pub(super) guard: Option<(String, bool)>,
}

/// What an access is divided into, for the memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    /// Words, or one that is shorter.
    Words,
    Long,
    /// Several in a word.
    Parts,
}

/// Bytes of a row of `ldmatrix` and `stmatrix`.
const ROW: u32 = 16;

/// Their lanes with addresses, of matrices of 16-bit elements (PTX §9.7.15.5.15).
fn rows(op: &Op) -> Option<u32> {
    match op {
        Op::Ldmatrix { count, ty, .. } | Op::Stmatrix { count, ty, .. } if ty.bits() == 16 => {
            Some(8 * u32::from(*count))
        }
        _ => None,
    }
}

/// Are there two numbers in each element?
fn is_packed(op: &Op) -> bool {
    let ty = match op {
        Op::Ld(mem) | Op::Ldu(mem) | Op::St(mem) => mem.ty,
        Op::Atom(atom) => atom.mem.ty,
        Op::Red(red) => red.mem.ty,
        _ => return false,
    };
    matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2)
}

pub(super) fn accesses<'t>(
    flat: &Flat<'_>,
    inst: &FlatInstruction<'_>,
    text: &'t str,
) -> Result<Vec<Access<'t>>, Unchecked> {
    let Ok(op) = &inst.op else { return Err(Unchecked::Unknown) };
    let mut out = Vec::new();
    for touch in &effects(op, &inst.args).touches {
        let space = match touch.place {
            Place::Memory(MemSpace::Local | MemSpace::Const | MemSpace::Param | MemSpace::ParamFunc) => {
                continue;
            }
            // What arrives there comes by itself.
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
        };
        let elements = match touch.extent {
            Extent::Elements { bytes: 5.., .. } => Elements::Long,
            Extent::Elements { bytes: ..=3, count: 2.. } => Elements::Parts,
            _ if is_packed(op) => Elements::Parts,
            _ => Elements::Words,
        };
        let tile = Tile::of(inst, text);
        let bytes = match (touch.kind, touch.extent) {
            // As if the thread made it itself, now: what is ordered before the instruction is ordered before the copy. That
            // the copy may come later, after what the thread then orders, makes races only, some of which `copies` finds.
            (TouchKind::AsyncRead | TouchKind::AsyncWrite, _) if matches!(op, Op::CpAsync { .. }) => {
                match (&inst.args[..], touch.kind) {
                    ([_, _, Arg::Int(bytes)], _) | ([_, _, Arg::Int(bytes), _], TouchKind::AsyncWrite) => {
                        *bytes as u32
                    }
                    ([_, _, Arg::Int(_), Arg::Int(copied)], _) => *copied as u32,
                    // How much it reads is not known here.
                    ([_, _, Arg::Int(_), _], _) => continue,
                    _ => return Err(Unchecked::Asynchronous),
                }
            }
            // Likewise: who waits for their `mbarrier` counts as acquiring what is released here.
            (TouchKind::AsyncWrite | TouchKind::AsyncAtomic(_), Extent::Elements { bytes, count })
                if matches!(op, Op::StAsync { .. } | Op::RedAsync { .. }) =>
            {
                bytes * u32::from(count)
            }
            (
                TouchKind::Read | TouchKind::Write | TouchKind::Atomic(_),
                Extent::Elements { bytes, count },
            ) => bytes * u32::from(count),
            // A row at each lane's address, as if that lane alone accessed it.
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
            writes: !matches!(touch.kind, TouchKind::Read | TouchKind::AsyncRead),
            observes: touch.sem != Sem::Weak
                && matches!(touch.kind, TouchKind::Read | TouchKind::Atomic(_))
                && !matches!(op, Op::Red(_)),
            strong: (touch.sem != Sem::Weak).then_some(touch.scope),
            space,
            guard: guard_of(inst),
        });
    }
    Ok(out)
}
