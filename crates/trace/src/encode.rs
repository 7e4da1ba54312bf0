//! Events to bytes.

use crate::code::{self, tag};
use crate::tensor;
use events::access::Warp;
use events::sync::{ProxySpace, ProxyWay};
use events::{Access, AccessKind, AsyncOpId, BarrierId, BarrierMembers, Misuse, SiteId, Space, Sync};

/// The stream's memory: each warp record says only what changed since the last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    pub(crate) task: u32,
    pub(crate) block: u32,
    pub(crate) site: u32,
    pub(crate) address: u64,
}

pub(crate) fn unsigned(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn signed(out: &mut Vec<u8>, value: i64) {
    unsigned(out, ((value << 1) ^ (value >> 63)) as u64);
}

pub(crate) fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    unsigned(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn difference(out: &mut Vec<u8>, now: u32, before: &mut u32) {
    signed(out, i64::from(now) - i64::from(*before));
    *before = now;
}

fn who(out: &mut Vec<u8>, context: &mut Context, warp: Warp) {
    difference(out, warp.task.0, &mut context.task);
    difference(out, warp.block.0, &mut context.block);
    unsigned(out, warp.warp.0.into());
}

fn head(out: &mut Vec<u8>, context: &mut Context, tag: u8, warp: Warp, site: SiteId) {
    out.push(tag);
    who(out, context, warp);
    difference(out, site.0, &mut context.site);
}

fn space(out: &mut Vec<u8>, value: Space) {
    match value {
        Space::Global => unsigned(out, 0),
        Space::Shared(block) => unsigned(out, 1 + u64::from(block.0)),
        Space::Tensor(block) => unsigned(out, 1 + (1 << 32) + u64::from(block.0)),
    }
}

fn address(out: &mut Vec<u8>, context: &mut Context, value: u64) {
    signed(out, value.wrapping_sub(context.address) as i64);
    context.address = value;
}

fn operations(out: &mut Vec<u8>, ops: &[AsyncOpId]) {
    unsigned(out, ops.len() as u64);
    let mut last = 0;
    for op in ops {
        signed(out, op.0.wrapping_sub(last) as i64);
        last = op.0;
    }
}

pub(crate) fn access(out: &mut Vec<u8>, context: &mut Context, access: &Access<'_>) {
    head(out, context, tag::ACCESS, access.warp, access.site);
    let (kind, detail) = match access.kind {
        AccessKind::Read => (0, None),
        AccessKind::Write => (1, None),
        AccessKind::Atomic { op, returns } => {
            (2, Some(u64::from(code::atomic_number(op)) << 1 | u64::from(returns)))
        }
        AccessKind::AsyncRead { op } => (3, Some(op.0)),
        AccessKind::AsyncWrite { op } => (4, Some(op.0)),
    };
    let differing = if access.kind.writes() { access.compared() } else { None };
    let (values, compared) = (u8::from(access.values.is_some()), u8::from(differing.is_some()));
    out.push(kind | code::proxy_number(access.proxy) << 3 | values << 6 | compared << 7);
    if let Some(detail) = detail {
        unsigned(out, detail);
    }
    out.push(code::strength_number(access.strength));
    space(out, access.space);
    unsigned(out, access.size.into());
    out.push(access.elements);
    unsigned(out, access.mask.into());
    unsigned(out, (access.stored ^ access.mask).into());
    addresses(out, context, access);
    if let Some(values) = access.values {
        for lane in lanes(access.mask) {
            unsigned(out, values[lane].0);
            unsigned(out, values[lane].1 ^ values[lane].0);
        }
    }
    if let Some(differing) = differing {
        unsigned(out, differing.into());
    }
}

/// Base, then 0 and a stride if lanes advance evenly, else 1 and every difference.
fn addresses(out: &mut Vec<u8>, context: &mut Context, access: &Access<'_>) {
    let mut lanes = lanes(access.mask);
    let Some(first) = lanes.next() else { return };
    let base = access.addresses[first];
    address(out, context, base);
    let rest: Vec<usize> = lanes.collect();
    let stride = rest.first().map_or(0, |&lane| {
        let distance = access.addresses[lane].wrapping_sub(base) as i64;
        distance / (lane - first) as i64
    });
    let even = rest.iter().all(|&lane| {
        base.wrapping_add((stride.wrapping_mul((lane - first) as i64)) as u64) == access.addresses[lane]
    });
    out.push(u8::from(!even));
    if even {
        signed(out, stride);
    } else {
        let mut last = base;
        for lane in rest {
            signed(out, access.addresses[lane].wrapping_sub(last) as i64);
            last = access.addresses[lane];
        }
    }
}

/// The set bits, lowest first.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

fn barrier(out: &mut Vec<u8>, id: BarrierId) {
    match id {
        BarrierId::Cta(n) => unsigned(out, n.into()),
        BarrierId::Cluster(block) => unsigned(out, 256 + u64::from(block.0)),
    }
}

pub(crate) fn sync(out: &mut Vec<u8>, context: &mut Context, sync: &Sync<'_>) {
    match *sync {
        Sync::BarrierArrive { warp, site, id, lanes, waits, sem } => {
            head(out, context, tag::BARRIER_ARRIVE, warp, site);
            barrier(out, id);
            unsigned(out, lanes.into());
            out.push(u8::from(waits));
            out.push(code::sem_number(sem));
        }
        Sync::BarrierComplete { task, block, id, members } => {
            out.push(tag::BARRIER_COMPLETE);
            difference(out, task.0, &mut context.task);
            difference(out, block.0, &mut context.block);
            barrier(out, id);
            match members {
                BarrierMembers::WholeBlock => out.push(0),
                BarrierMembers::Some(members) => {
                    out.push(1);
                    unsigned(out, members.len() as u64);
                    for member in members {
                        unsigned(out, member.block.0.into());
                        unsigned(out, member.warp.0.into());
                        unsigned(out, member.arrived.into());
                        unsigned(out, member.waited.into());
                    }
                }
            }
        }
        Sync::ClusterWait { warp, site, lanes } => {
            head(out, context, tag::CLUSTER_WAIT, warp, site);
            unsigned(out, lanes.into());
        }
        Sync::WarpSync { warp, site, lanes } => {
            head(out, context, tag::WARP_SYNC, warp, site);
            unsigned(out, lanes.into());
        }
        Sync::Fence { warp, site, lanes, sem, scope } => {
            head(out, context, tag::FENCE, warp, site);
            unsigned(out, lanes.into());
            out.push(code::sem_number(sem));
            out.push(code::scope_number(scope));
        }
        Sync::ProxyFence { warp, site, lanes, proxy, space, way } => {
            head(out, context, tag::PROXY_FENCE, warp, site);
            unsigned(out, lanes.into());
            out.push(code::proxy_number(proxy));
            let space = match space {
                None => 0,
                Some(ProxySpace::Global) => 1,
                Some(ProxySpace::SharedCta) => 2,
                Some(ProxySpace::SharedCluster) => 3,
            };
            let way = match way {
                ProxyWay::Both => 0,
                ProxyWay::Release => 4,
                ProxyWay::Acquire => 8,
            };
            out.push(space | way);
        }
        Sync::Rendezvous { warp, site, lanes } => {
            head(out, context, tag::RENDEZVOUS, warp, site);
            unsigned(out, lanes.into());
        }
        Sync::Converge { warp, active } => {
            out.push(tag::CONVERGE);
            who(out, context, warp);
            unsigned(out, active.into());
        }
        Sync::MbarrierInit { warp, site, lane, space: s, address: a, expected } => {
            head(out, context, tag::MBARRIER_INIT, warp, site);
            out.push(lane);
            space(out, s);
            address(out, context, a);
            unsigned(out, expected.into());
        }
        Sync::MbarrierFence { warp, site, lanes } => {
            head(out, context, tag::MBARRIER_FENCE, warp, site);
            unsigned(out, lanes.into());
        }
        Sync::MbarrierInval { warp, site, lane, space: s, address: a } => {
            head(out, context, tag::MBARRIER_INVAL, warp, site);
            out.push(lane);
            space(out, s);
            address(out, context, a);
        }
        Sync::MbarrierArrive { warp, site, lane, space: s, address: a, phase, sem, scope } => {
            head(out, context, tag::MBARRIER_ARRIVE, warp, site);
            out.push(lane);
            space(out, s);
            address(out, context, a);
            unsigned(out, phase);
            out.push(code::sem_number(sem));
            out.push(code::scope_number(scope));
        }
        Sync::MbarrierCompleteTx { task, space: s, address: a, phase, op } => {
            out.push(tag::MBARRIER_COMPLETE_TX);
            difference(out, task.0, &mut context.task);
            space(out, s);
            address(out, context, a);
            unsigned(out, phase);
            unsigned(out, op.0);
        }
        Sync::MbarrierBytes { task, space: s, address: a, phase, bytes, received } => {
            out.push(tag::MBARRIER_BYTES);
            difference(out, task.0, &mut context.task);
            space(out, s);
            address(out, context, a);
            unsigned(out, phase);
            unsigned(out, bytes.into());
            out.push(received.into());
        }
        Sync::ProductCommitted { warp, site, lanes, op, group } => {
            head(out, context, tag::PRODUCT_COMMITTED, warp, site);
            unsigned(out, lanes.into());
            unsigned(out, op.0);
            unsigned(out, group.into());
        }
        Sync::MbarrierWait { warp, site, lanes, space: s, address: a, phase, sem, scope } => {
            head(out, context, tag::MBARRIER_WAIT, warp, site);
            unsigned(out, lanes.into());
            space(out, s);
            address(out, context, a);
            unsigned(out, phase);
            out.push(code::sem_number(sem));
            out.push(code::scope_number(scope));
        }
        Sync::AsyncWaited { warp, site, lanes, ops, reads_only, together } => {
            head(out, context, tag::ASYNC_WAITED, warp, site);
            unsigned(out, lanes.into());
            operations(out, ops);
            out.push(u8::from(reads_only) | u8::from(together) << 1);
        }
        Sync::AsyncArrive { warp, site, lane, ops, space: s, address: a, phase } => {
            head(out, context, tag::ASYNC_ARRIVE, warp, site);
            out.push(lane);
            operations(out, ops);
            space(out, s);
            address(out, context, a);
            unsigned(out, phase);
        }
        Sync::BlockStart { task, block } => {
            out.push(tag::BLOCK_START);
            difference(out, task.0, &mut context.task);
            difference(out, block.0, &mut context.block);
        }
        Sync::BlockEnd { task, block } => {
            out.push(tag::BLOCK_END);
            difference(out, task.0, &mut context.task);
            difference(out, block.0, &mut context.block);
        }
        Sync::Exit { warp, lanes } => {
            out.push(tag::EXIT);
            who(out, context, warp);
            unsigned(out, lanes.into());
        }
        Sync::MbarrierTouch { warp, site, lanes, space: s, address: a, op } => {
            head(out, context, tag::MBARRIER_TOUCH, warp, site);
            unsigned(out, lanes.into());
            space(out, s);
            address(out, context, a);
            unsigned(out, op.map_or(0, |op| op.0.wrapping_add(1)));
        }
        Sync::ClusterExit { warp, site, lanes } => {
            out.push(tag::CLUSTER_EXIT);
            who(out, context, warp);
            unsigned(out, site.map_or(0, |site| u64::from(site.0) + 1));
            unsigned(out, lanes.into());
        }
        Sync::Heap { warp, site, lane, address: a, bytes, free } => {
            head(out, context, tag::HEAP, warp, site);
            out.push(lane);
            address(out, context, a);
            unsigned(out, bytes);
            out.push(u8::from(free));
        }
        Sync::Misuse { warp, site, lanes, what } => {
            head(out, context, tag::MISUSE, warp, site);
            unsigned(out, lanes.into());
            match what {
                Misuse::OtherBarrier { id, first, by, lane } => {
                    out.extend([0, id, lane]);
                    unsigned(out, first.0.into());
                    unsigned(out, by.0.into());
                }
                Misuse::NotMember { member } => {
                    out.push(1);
                    unsigned(out, member.into());
                }
                Misuse::ProductRegister(of) => {
                    let flags = [
                        of.earlier.writes,
                        of.earlier.product,
                        of.later.writes,
                        of.later.product,
                        of.accumulator,
                        of.unwaited,
                    ];
                    let bits = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u8::from(flag));
                    out.extend([2, bits]);
                    unsigned(out, of.first.map_or(0, |site| u64::from(site.0) + 1));
                }
            }
        }
        Sync::GridDependency { warp, site, lanes, wait } => {
            head(out, context, tag::GRID_DEPENDENCY, warp, site);
            unsigned(out, lanes.into());
            out.push(u8::from(wait));
        }
        Sync::Tensor { warp, site, lanes, what } => {
            head(out, context, tag::TENSOR, warp, site);
            unsigned(out, lanes.into());
            let (kind, numbers) = tensor::numbers(what);
            out.push(kind);
            numbers.into_iter().for_each(|number| unsigned(out, number));
        }
        Sync::Launch { warp, site, lane, task } => {
            head(out, context, tag::LAUNCH, warp, site);
            out.push(lane);
            unsigned(out, task.0.into());
        }
    }
}
