//! Synchronisation and communication within warps, blocks and clusters (PTX §9.7.14).

use super::bits::bool_op;
use super::mods::Mods;
use super::{DecodeError, Decoded};
use crate::ast::ScalarType::*;
use crate::op::{
    BarKind, BoolOp, CancelQuery, Fence, MbarrierOp, MemSpace, Op, ProxyFence, ReduxOp, Scope, Sem, ShflMode,
    VoteMode,
};

/// Decodes `bar`, which is `barrier.….aligned` (§9.7.14.1).
pub(super) fn bar(m: &mut Mods) -> Decoded {
    if m.has("warp") {
        m.need("sync")?;
        return Ok(Op::BarWarpSync);
    }
    m.has("cta");
    cta_barrier(m, true)
}

pub(super) fn barrier(m: &mut Mods) -> Decoded {
    let aligned = m.has("aligned");
    if m.has("cluster") {
        return cluster_barrier(m, aligned);
    }
    m.has("cta");
    cta_barrier(m, aligned)
}

fn cta_barrier(m: &mut Mods, aligned: bool) -> Decoded {
    let kind = if m.has("sync") {
        BarKind::Sync
    } else if m.has("arrive") {
        BarKind::Arrive
    } else if m.has("red") {
        match (bool_op(m), m.has("popc")) {
            (Some(BoolOp::And), false) => {
                m.ty(|ty| ty == Pred)?;
                BarKind::RedAnd
            }
            (Some(BoolOp::Or), false) => {
                m.ty(|ty| ty == Pred)?;
                BarKind::RedOr
            }
            (None, true) => {
                m.ty(|ty| ty == U32)?;
                BarKind::RedPopc
            }
            _ => return Err(m.missing("`.popc`, `.and` or `.or`")),
        }
    } else {
        return Err(m.missing("`.sync`, `.arrive` or `.red`"));
    };
    Ok(Op::Bar { kind, aligned })
}

fn cluster_barrier(m: &mut Mods, aligned: bool) -> Decoded {
    if m.has("wait") {
        m.has("acquire");
        return Ok(Op::ClusterWait { aligned });
    }
    m.need("arrive")?;
    let sem = if m.has("relaxed") {
        Sem::Relaxed
    } else {
        m.has("release");
        Sem::Release
    };
    Ok(Op::ClusterArrive { sem, aligned })
}

pub(super) fn membar(m: &mut Mods) -> Decoded {
    if m.has("proxy") {
        return proxy_fence(m);
    }
    let scope = m.pick(|name| match name {
        "cta" => Some(Scope::Cta),
        "gl" => Some(Scope::Gpu),
        "sys" => Some(Scope::Sys),
        _ => None,
    });
    match scope {
        Some(scope) => Ok(Op::Fence(Fence::Thread { sem: Sem::Sc, scope })),
        None => Err(m.missing("`.cta`, `.gl` or `.sys`")),
    }
}

/// Takes `.sync_restrict::…`, which limits a fence to shared memory objects; returns whether it was present.
fn is_restricted(m: &mut Mods) -> bool {
    m.pick(|name| name.starts_with("sync_restrict::").then_some(())).is_some()
}

pub(super) fn fence(m: &mut Mods) -> Decoded {
    if m.has("proxy") {
        return proxy_fence(m);
    }
    if m.has("mbarrier_init") {
        m.need("release")?;
        m.need("cluster")?;
        return Ok(Op::Fence(Fence::MbarrierInit));
    }
    if is_restricted(m) {
        // Such a fence is weaker than any fence of `Op`; decoding it as a full one would hide races.
        return Ok(Op::Unknown);
    }
    let sem = m.pick(|name| match name {
        "sc" => Some(Sem::Sc),
        "acq_rel" => Some(Sem::AcqRel),
        "acquire" => Some(Sem::Acquire),
        "release" => Some(Sem::Release),
        _ => None,
    });
    match m.scope() {
        Some(scope) => Ok(Op::Fence(Fence::Thread { sem: sem.unwrap_or(Sem::AcqRel), scope })),
        None => Err(m.missing("a scope")),
    }
}

fn proxy_fence(m: &mut Mods) -> Decoded {
    let proxy = if m.has("alias") {
        ProxyFence::Alias
    } else if m.has("async") {
        ProxyFence::Async { space: m.space() }
    } else if m.has("tensormap::generic") {
        let (sem, scope) = acquire_or_release(m)?;
        ProxyFence::TensormapGeneric { sem, scope }
    } else if m.has("async::generic") {
        if !is_restricted(m) {
            return Err(m.missing("`.sync_restrict`"));
        }
        let (sem, scope) = acquire_or_release(m)?;
        ProxyFence::AsyncGenericRestricted { sem, scope }
    } else {
        return Err(m.missing("a proxy"));
    };
    Ok(Op::Fence(Fence::Proxy(proxy)))
}

fn acquire_or_release(m: &mut Mods) -> Result<(Sem, Scope), DecodeError> {
    let sem = if m.has("acquire") {
        Sem::Acquire
    } else {
        m.need("release")?;
        Sem::Release
    };
    match m.scope() {
        Some(scope) => Ok((sem, scope)),
        None => Err(m.missing("a scope")),
    }
}

pub(super) fn mbarrier(m: &mut Mods) -> Decoded {
    let drop = m.has("arrive_drop");
    let arrive = drop || m.has("arrive");
    let expect_tx = m.has("expect_tx");
    let (op, default_sem) = if arrive {
        (MbarrierOp::Arrive { drop, no_complete: m.has("noComplete"), expect_tx }, Sem::Release)
    } else if expect_tx {
        (MbarrierOp::ExpectTx, Sem::Relaxed)
    } else if m.has("complete_tx") {
        (MbarrierOp::CompleteTx, Sem::Relaxed)
    } else if m.has("init") {
        (MbarrierOp::Init, Sem::Weak)
    } else if m.has("inval") {
        (MbarrierOp::Inval, Sem::Weak)
    } else if m.has("test_wait") {
        (MbarrierOp::Wait { try_wait: false, parity: m.has("parity") }, Sem::Acquire)
    } else if m.has("try_wait") {
        (MbarrierOp::Wait { try_wait: true, parity: m.has("parity") }, Sem::Acquire)
    } else if m.has("pending_count") {
        (MbarrierOp::PendingCount, Sem::Weak)
    } else {
        return Err(m.missing("an operation"));
    };
    let sem = match op {
        MbarrierOp::Arrive { .. } if m.has("release") => Sem::Release,
        MbarrierOp::Wait { .. } if m.has("acquire") => Sem::Acquire,
        MbarrierOp::Init | MbarrierOp::Inval | MbarrierOp::PendingCount => default_sem,
        _ if m.has("relaxed") => Sem::Relaxed,
        _ => default_sem,
    };
    // The scope defaults to `.cta`, §9.7.14.15.
    let scope = m.scope().unwrap_or(Scope::Cta);
    let space = m.space().unwrap_or(MemSpace::Generic);
    m.ty(|ty| ty == B64)?;
    Ok(Op::Mbarrier { op, sem, scope, space })
}

pub(super) fn vote(m: &mut Mods) -> Decoded {
    if !m.has("sync") {
        // The form without a member mask does not exist for sm_70 and later.
        return Ok(Op::Unknown);
    }
    let mode = m.pick(|name| {
        Some(match name {
            "all" => VoteMode::All,
            "any" => VoteMode::Any,
            "uni" => VoteMode::Uni,
            "ballot" => VoteMode::Ballot,
            _ => return None,
        })
    });
    let Some(mode) = mode else {
        return Err(m.missing("`.all`, `.any`, `.uni` or `.ballot`"));
    };
    let result = if mode == VoteMode::Ballot { B32 } else { Pred };
    m.ty(|ty| ty == result)?;
    Ok(Op::Vote { mode })
}

pub(super) fn match_sync(m: &mut Mods) -> Decoded {
    m.need("sync")?;
    let all = m.has("all");
    if !all {
        m.need("any")?;
    }
    Ok(Op::Match { all, ty: m.ty(|ty| matches!(ty, B32 | B64))? })
}

pub(super) fn activemask(m: &mut Mods) -> Decoded {
    m.ty(|ty| ty == B32)?;
    Ok(Op::Activemask)
}

pub(super) fn redux(m: &mut Mods) -> Decoded {
    m.need("sync")?;
    let op = m.pick(|name| {
        Some(match name {
            "add" => ReduxOp::Add,
            "min" => ReduxOp::Min,
            "max" => ReduxOp::Max,
            "and" => ReduxOp::And,
            "or" => ReduxOp::Or,
            "xor" => ReduxOp::Xor,
            _ => return None,
        })
    });
    let Some(op) = op else {
        return Err(m.missing("an operation"));
    };
    let (abs, nan) = (m.has("abs"), m.has("NaN"));
    let ty = m.ty(|ty| match op {
        ReduxOp::Add => matches!(ty, U32 | S32),
        ReduxOp::Min | ReduxOp::Max => matches!(ty, U32 | S32 | F32),
        ReduxOp::And | ReduxOp::Or | ReduxOp::Xor => ty == B32,
    })?;
    if (abs || nan) && ty != F32 {
        return Err(m.bad_type(ty));
    }
    Ok(Op::Redux { op, ty, abs, nan })
}

pub(super) fn elect(m: &mut Mods) -> Decoded {
    m.need("sync")?;
    Ok(Op::Elect)
}

pub(super) fn shfl(m: &mut Mods) -> Decoded {
    if !m.has("sync") {
        // The form without a member mask does not exist for sm_70 and later.
        return Ok(Op::Unknown);
    }
    let mode = m.pick(|name| {
        Some(match name {
            "up" => ShflMode::Up,
            "down" => ShflMode::Down,
            "bfly" => ShflMode::Bfly,
            "idx" => ShflMode::Idx,
            _ => return None,
        })
    });
    let Some(mode) = mode else {
        return Err(m.missing("`.up`, `.down`, `.bfly` or `.idx`"));
    };
    m.ty(|ty| ty == B32)?;
    Ok(Op::Shfl { mode })
}

/// Decodes `clusterlaunchcontrol` (PTX §9.7.14.18 and §9.7.14.19).
pub(super) fn cluster_launch_control(m: &mut Mods) -> Decoded {
    if m.has("try_cancel") {
        m.need("async")?;
        m.need("mbarrier::complete_tx::bytes")?;
        let multicast = m.has("multicast::cluster::all");
        let space = match m.space().unwrap_or(MemSpace::Generic) {
            space @ (MemSpace::Generic | MemSpace::SharedCta) => space,
            _ => return Err(m.error(format!("`{}` works on shared memory only", m.spelled()))),
        };
        m.ty(|ty| ty == B128)?;
        return Ok(Op::TryCancel { space, multicast });
    }
    m.need("query_cancel")?;
    let query = m.pick(|name| match name {
        "is_canceled" => Some(CancelQuery::IsCanceled),
        "get_first_ctaid" => Some(CancelQuery::First),
        "get_first_ctaid::x" => Some(CancelQuery::Coordinate(0)),
        "get_first_ctaid::y" => Some(CancelQuery::Coordinate(1)),
        "get_first_ctaid::z" => Some(CancelQuery::Coordinate(2)),
        _ => None,
    });
    let Some(query) = query else { return Err(m.missing("a query")) };
    if (query == CancelQuery::First) != (m.vector() == 4) {
        return Err(m.error("`.get_first_ctaid` alone has a vector of four results"));
    }
    m.ty(|ty| ty == if query == CancelQuery::IsCanceled { Pred } else { B32 })?;
    m.ty(|ty| ty == B128)?;
    Ok(Op::QueryCancel { query })
}
