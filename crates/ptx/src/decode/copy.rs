//! Asynchronous copies (PTX §9.7.10.25 to §9.7.10.28).

use super::Decoded;
use super::memory::{reduction, rmw_type};
use super::mods::Mods;
use crate::ast::ScalarType::{self, *};
use crate::op::{BulkCompletion, MemSpace, Op, Rmw};

pub(super) fn cp(m: &mut Mods) -> Decoded {
    let reduce = m.has("reduce");
    m.need("async")?;
    if m.has("bulk") {
        return bulk(m, reduce);
    }
    if reduce {
        return Err(m.missing("`.bulk`"));
    }
    if m.has("commit_group") {
        return Ok(Op::CpAsyncCommit);
    }
    if m.has("wait_group") {
        return Ok(Op::CpAsyncWait { all: false });
    }
    if m.has("wait_all") {
        return Ok(Op::CpAsyncWait { all: true });
    }
    if m.has("mbarrier") {
        m.need("arrive")?;
        let noinc = m.has("noinc");
        let space = m.space().unwrap_or(MemSpace::Generic);
        m.ty(|ty| ty == B64)?;
        return Ok(Op::CpAsyncMbarrierArrive { noinc, space });
    }
    let ca = m.has("ca");
    if !ca {
        m.need("cg")?;
    }
    m.skip_cache_hints();
    match (m.space(), m.space()) {
        (Some(MemSpace::SharedCta), Some(MemSpace::Global)) => Ok(Op::CpAsync { ca }),
        _ => Err(m.error("`cp.async` copies from `.global` to `.shared`")),
    }
}

fn bulk(m: &mut Mods, reduce: bool) -> Decoded {
    if m.has("commit_group") {
        return Ok(Op::CpAsyncBulkCommit);
    }
    if m.has("wait_group") {
        return Ok(Op::CpAsyncBulkWait { read: m.has("read") });
    }
    // [`Op`] does not represent copies under a byte mask.
    if m.has("cp_mask") || m.has("ignore_oob") {
        return Ok(Op::Unknown);
    }
    if m.has("tensor") {
        return super::tensor::copy(m, reduce);
    }
    let cache_hint = m.has("L2::cache_hint");
    if m.has("prefetch") {
        m.need("L2")?;
        m.need("global")?;
        return Ok(Op::CpAsyncBulkPrefetch);
    }
    let multicast = m.has("multicast::cluster");
    let completion = if m.has("mbarrier::complete_tx::bytes") {
        BulkCompletion::Mbarrier
    } else if m.has("bulk_group") {
        BulkCompletion::BulkGroup
    } else {
        return Err(m.missing("`.mbarrier::complete_tx::bytes` or `.bulk_group`"));
    };
    // The order of the two spaces determines the direction.
    let (Some(dst), Some(src)) = (m.space(), m.space()) else {
        return Err(m.missing("a destination and a source space"));
    };
    let mbarrier = completion == BulkCompletion::Mbarrier;
    let valid = match (dst, src) {
        (MemSpace::SharedCta | MemSpace::SharedCluster, MemSpace::Global) => mbarrier && !reduce,
        (MemSpace::SharedCluster, MemSpace::SharedCta) => mbarrier && !multicast,
        (MemSpace::Global, MemSpace::SharedCta) => !mbarrier && !multicast,
        _ => false,
    };
    if !valid {
        return Err(m.error(format!("`{}` names an impossible direction or completion", m.spelled())));
    }
    if !reduce {
        return Ok(Op::CpAsyncBulk { dst, src, completion, multicast, cache_hint });
    }
    let op = reduction(m)?;
    m.has("noftz");
    let ty = if is_bitwise(op) { m.ty(|ty: ScalarType| matches!(ty, B32 | B64))? } else { rmw_type(m, op)? };
    Ok(Op::CpReduceAsyncBulk { dst, src, completion, op, ty })
}

fn is_bitwise(op: Rmw) -> bool {
    matches!(op, Rmw::And | Rmw::Or | Rmw::Xor)
}
