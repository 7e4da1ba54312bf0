//! Data movement (PTX §9.7.10) and read-modify-write operations (§9.7.14).

use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::{self, *};
use crate::op::{AtomOp, Mem, MemSpace, Op, Rmw, Scope, Sem};

/// Returns whether `ld`, `st` and `ldu` take the type.
fn is_memory(ty: ScalarType) -> bool {
    matches!(ty, B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F32 | F64)
}

fn is_size(ty: ScalarType) -> bool {
    matches!(ty, U32 | U64)
}

/// Decodes an access's semantics and scope. Without a modifier it is weak; a strong one names its scope,
/// except `.volatile` (§8.4: relaxed at system scope).
fn sem_scope(m: &mut Mods, ordered: &str, ordered_sem: Sem) -> Result<(Sem, Scope), DecodeError> {
    if m.has("weak") {
        return Ok((Sem::Weak, Scope::Cta));
    }
    if m.has("volatile") {
        return Ok((Sem::Volatile, Scope::Sys));
    }
    if m.has("mmio") {
        m.need("relaxed")?;
        m.need("sys")?;
        return Ok((Sem::Mmio, Scope::Sys));
    }
    let sem = if m.has("relaxed") {
        Sem::Relaxed
    } else if m.has(ordered) {
        ordered_sem
    } else {
        return Ok((Sem::Weak, Scope::Cta));
    };
    match m.scope() {
        Some(scope) => Ok((sem, scope)),
        None => Err(m.missing("a scope")),
    }
}

/// Decodes the modifiers that `ld` and `st` share.
fn access(m: &mut Mods, ordered: &str, ordered_sem: Sem, nc: bool) -> Result<Mem, DecodeError> {
    let (sem, scope) = sem_scope(m, ordered, ordered_sem)?;
    m.skip_cache_hints();
    m.has("unified");
    let space = m.space().unwrap_or(MemSpace::Generic);
    let vector = m.vector();
    let ty = m.ty(is_memory)?;
    // Accesses of 32 bytes (`.v8.b32` and `.v4.b64`) exist in global memory only.
    let limit = if matches!(space, MemSpace::Global | MemSpace::Generic) && matches!(ty.bytes(), 4 | 8) {
        32
    } else {
        16
    };
    if u32::from(vector) * ty.bytes() > limit {
        return Err(m.error(format!("`{}` accesses more than {limit} bytes", m.spelled())));
    }
    if sem == Sem::Mmio && (vector > 1 || !matches!(space, MemSpace::Generic | MemSpace::Global)) {
        return Err(m.error(format!("`{}`: `.mmio` is for scalars in global memory", m.spelled())));
    }
    if sem != Sem::Weak && matches!(space, MemSpace::Const | MemSpace::Param | MemSpace::ParamFunc)
        || !matches!(sem, Sem::Weak | Sem::Volatile) && space == MemSpace::Local
    {
        return Err(m.error(format!("`{}`: memory of one thread has no strong accesses", m.spelled())));
    }
    Ok(Mem { space, sem, scope, ty, vector, nc })
}

pub(super) fn mov(m: &mut Mods) -> Decoded {
    // [`Op`] does not represent moves of whole vector registers; compilers do not generate them.
    if m.vector() > 1 {
        return Ok(Op::Unknown);
    }
    let ty = m.ty(|ty| is_memory(ty) && ty.bits() > 8 || ty == Pred)?;
    Ok(Op::Mov { ty })
}

pub(super) fn ld(m: &mut Mods) -> Decoded {
    let nc = m.has("nc");
    access(m, "acquire", Sem::Acquire, nc).map(Op::Ld)
}

pub(super) fn ldu(m: &mut Mods) -> Decoded {
    let mem = access(m, "weak", Sem::Weak, true)?;
    Ok(Op::Ldu(mem))
}

pub(super) fn st(m: &mut Mods) -> Decoded {
    if m.has("async") {
        return st_async(m);
    }
    if m.has("bulk") {
        m.has("weak");
        return match m.space().unwrap_or(MemSpace::Generic) {
            space @ (MemSpace::Generic | MemSpace::SharedCta) => Ok(Op::StBulk { space }),
            _ => Err(m.error(format!("`{}` works on shared memory only", m.spelled()))),
        };
    }
    let mem = access(m, "release", Sem::Release, false)?;
    if mem.space == MemSpace::Const {
        return Err(m.error("constant memory cannot be stored to"));
    }
    Ok(Op::St(mem))
}

/// Decodes `st.async`. The form without an mbarrier is a releasing store: PTX §8.9.1.1 does not name it among the operations
/// outside of program order.
fn st_async(m: &mut Mods) -> Decoded {
    if !m.has("mbarrier::complete_tx::bytes") {
        let scope = released(m)?;
        let space = m.space().unwrap_or(MemSpace::Generic);
        let ty = m.ty(|ty| is_memory(ty) && ty != B128)?;
        if !matches!(space, MemSpace::Generic | MemSpace::Global) {
            return Err(m.error(format!("`{}` works on global memory only", m.spelled())));
        }
        return Ok(Op::St(Mem { space, sem: Sem::Release, scope, ty, vector: 1, nc: false }));
    }
    m.has("weak");
    m.has("shared::cluster");
    let vector = m.vector();
    let ty = m.ty(|ty| matches!(ty, B32 | B64 | U32 | U64 | S32 | S64 | F32 | F64))?;
    Ok(Op::StAsync { ty, vector })
}

/// Takes `{.mmio}.release.scope` of an asynchronous operation on global memory.
fn released(m: &mut Mods) -> Result<Scope, DecodeError> {
    let mmio = m.has("mmio");
    m.need("release")?;
    match m.scope() {
        Some(Scope::Sys) => Ok(Scope::Sys),
        Some(Scope::Gpu) if !mmio => Ok(Scope::Gpu),
        _ => Err(m.missing("a scope: `.gpu` or `.sys`")),
    }
}

/// Takes the operation of an atomic.
fn rmw(m: &mut Mods) -> Result<Rmw, DecodeError> {
    let op = m.pick(|name| match name {
        "exch" => Some(Rmw::Exch),
        "cas" => Some(Rmw::Cas),
        _ => reduces(name),
    });
    op.ok_or_else(|| m.missing("an operation"))
}

/// Returns the operation that reductions and atomics share.
fn reduces(name: &str) -> Option<Rmw> {
    Some(match name {
        "and" => Rmw::And,
        "or" => Rmw::Or,
        "xor" => Rmw::Xor,
        "add" => Rmw::Add,
        "inc" => Rmw::Inc,
        "dec" => Rmw::Dec,
        "min" => Rmw::Min,
        "max" => Rmw::Max,
        _ => return None,
    })
}

/// Decodes the type of an atomic operation (PTX §9.7.14 `atom`).
pub(super) fn rmw_type(m: &mut Mods, op: Rmw) -> Result<ScalarType, DecodeError> {
    m.ty(|ty| match op {
        Rmw::And | Rmw::Or | Rmw::Xor => matches!(ty, B32 | B64),
        Rmw::Exch => matches!(ty, B32 | B64 | B128),
        Rmw::Cas => matches!(ty, B16 | B32 | B64 | B128),
        Rmw::Add => matches!(ty, U32 | S32 | U64 | F32 | F64 | F16 | F16x2 | Bf16 | Bf16x2),
        Rmw::Inc | Rmw::Dec => ty == U32,
        Rmw::Min | Rmw::Max => {
            matches!(ty, U32 | S32 | U64 | S64 | F16 | F16x2 | Bf16 | Bf16x2)
        }
    })
}

fn atom_op(m: &mut Mods) -> Result<AtomOp, DecodeError> {
    let op = rmw(m)?;
    let sem = m.pick(|name| {
        Some(match name {
            "relaxed" => Sem::Relaxed,
            "acquire" => Sem::Acquire,
            "release" => Sem::Release,
            "acq_rel" => Sem::AcqRel,
            _ => return None,
        })
    });
    // The defaults by PTX §9.7.14 are `.relaxed` and `.gpu`.
    let sem = sem.unwrap_or(Sem::Relaxed);
    let scope = m.scope().unwrap_or(Scope::Gpu);
    m.skip_cache_hints();
    let space = m.space().unwrap_or(MemSpace::Generic);
    if !matches!(space, MemSpace::Generic | MemSpace::Global | MemSpace::SharedCta | MemSpace::SharedCluster)
    {
        return Err(m.error(format!("`{}` works on global and shared memory only", m.spelled())));
    }
    let noftz = m.has("noftz");
    let vector = m.vector();
    let ty = rmw_type(m, op)?;
    let half = matches!(ty, F16 | F16x2 | Bf16 | Bf16x2);
    if half != noftz {
        return Err(if noftz { m.bad_type(ty) } else { m.missing("`.noftz`") });
    }
    let fits = match vector {
        1 => !half || op == Rmw::Add,
        2 | 4 => space == MemSpace::Global && (half || ty == F32),
        _ => space == MemSpace::Global && matches!(ty, F16 | Bf16),
    };
    if !fits {
        return Err(m.error(format!("`{}` does not exist at this vector width", m.spelled())));
    }
    Ok(AtomOp { op, mem: Mem { space, sem, scope, ty, vector, nc: false }, noftz })
}

pub(super) fn atom(m: &mut Mods) -> Decoded {
    atom_op(m).map(Op::Atom)
}

pub(super) fn red(m: &mut Mods) -> Decoded {
    if m.has("async") {
        return red_async(m);
    }
    let op = atom_op(m)?;
    if matches!(op.op, Rmw::Exch | Rmw::Cas) {
        return Err(m.error("`red` has no `.exch` and no `.cas`"));
    }
    if matches!(op.mem.sem, Sem::Acquire | Sem::AcqRel) {
        return Err(m.error("`red` returns nothing and cannot acquire"));
    }
    Ok(Op::Red(op))
}

/// Decodes `red.async`, which without `.relaxed` is a releasing reduction of global memory.
fn red_async(m: &mut Mods) -> Decoded {
    if !m.has("mbarrier::complete_tx::bytes") && !m.has("relaxed") {
        let scope = released(m)?;
        let space = m.space().unwrap_or(MemSpace::Generic);
        m.need("add")?;
        // The sum of signed numbers is that of unsigned ones.
        let ty = match m.ty(|ty| matches!(ty, U32 | S32 | U64 | S64))? {
            S64 => U64,
            ty => ty,
        };
        if !matches!(space, MemSpace::Generic | MemSpace::Global) {
            return Err(m.error(format!("`{}` works on global memory only", m.spelled())));
        }
        let mem = Mem { space, sem: Sem::Release, scope, ty, vector: 1, nc: false };
        return Ok(Op::Red(AtomOp { op: Rmw::Add, mem, noftz: false }));
    }
    m.has("relaxed");
    m.has("cluster");
    m.has("shared::cluster");
    let op = rmw(m)?;
    let ty = m.ty(|ty| matches!(ty, U32 | S32 | U64 | S64 | B32 | B64))?;
    Ok(Op::RedAsync { op, ty })
}

pub(super) fn multimem(m: &mut Mods) -> Decoded {
    m.skip(|_| true);
    Ok(Op::Multimem)
}

pub(super) fn prefetch(m: &mut Mods) -> Decoded {
    m.skip(|_| true);
    Ok(Op::Hint)
}

pub(super) fn discard(m: &mut Mods) -> Decoded {
    let space = m.space().unwrap_or(MemSpace::Generic);
    m.need("L2")?;
    if !matches!(space, MemSpace::Generic | MemSpace::Global) {
        return Err(m.error(format!("`{}` works on global memory only", m.spelled())));
    }
    Ok(Op::Discard { space })
}

pub(super) fn createpolicy(m: &mut Mods) -> Decoded {
    m.skip(|_| true);
    Ok(Op::CreatePolicy)
}

pub(super) fn isspacep(m: &mut Mods) -> Decoded {
    match m.space() {
        Some(space) => Ok(Op::Isspacep { space }),
        None => Err(m.missing("a state space")),
    }
}

pub(super) fn cvta(m: &mut Mods) -> Decoded {
    let to = m.has("to");
    let Some(space) = m.space() else {
        return Err(m.missing("a state space"));
    };
    Ok(Op::Cvta { to, space, ty: m.ty(is_size)? })
}

fn cluster_space(m: &mut Mods) -> Result<MemSpace, DecodeError> {
    match m.space() {
        None => Ok(MemSpace::Generic),
        Some(MemSpace::SharedCluster) => Ok(MemSpace::SharedCluster),
        Some(_) => Err(m.error(format!("`{}` takes `.shared::cluster` or a generic address", m.spelled()))),
    }
}

pub(super) fn mapa(m: &mut Mods) -> Decoded {
    let space = cluster_space(m)?;
    Ok(Op::Mapa { space, ty: m.ty(is_size)? })
}

pub(super) fn getctarank(m: &mut Mods) -> Decoded {
    let space = cluster_space(m)?;
    Ok(Op::Getctarank { space, ty: m.ty(is_size)? })
}

/// Takes the operation of a reduction.
pub(super) fn reduction(m: &mut Mods) -> Result<Rmw, DecodeError> {
    m.pick(reduces).ok_or_else(|| m.missing("an operation"))
}
