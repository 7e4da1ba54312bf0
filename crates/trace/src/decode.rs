//! Bytes to events. Every field is checked: a trace is a file, and files get damaged.
//!
//! **Size:** one match of all kinds of records.

mod number;

use crate::batch::{Batch, Host, Lanes, Order, Packed, Part, Record, Shape};
use crate::code::{self, tag};
use crate::encode::Context;
use crate::tensor;
use events::RangeAccess;
use events::access::Warp;
use events::sync::{Member, ProxySpace, ProxyWay};
use events::{
    AccessKind, AsyncOpId, BarrierId, BarrierMembers, BlockId, LaunchFacts, Misuse, SiteId, Space, Sync,
    TaskId, TaskInfo, TaskKind, WarpId,
};
use std::borrow::Cow;

/// No program has more instructions; a larger number is damage.
const MOST_SITES: u32 = 1 << 26;

/// No lane's asynchronous copy is larger: it has to fit into shared memory.
const MOST_COPIED: u32 = 1 << 20;
/// No device has more memory.
const MOST_BYTES: u64 = 1 << 38;
/// No kernel has more bytes of parameters: 32,764 since PTX 8.1 (§5.1.6.1).
const MOST_PARAMETERS: usize = 1 << 16;
/// No block has more threads.
const MOST_THREADS: u64 = 1024;

/// Reads the records of one chunk.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    context: Context,
    /// Set when a reader fails.
    fault: &'static str,
}

/// The fault, and its place in the chunk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

/// The cursor says why: small results come back in registers.
struct Fault;
type Result<T> = std::result::Result<T, Fault>;

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0, context: Context::default(), fault: "" }
    }

    /// Decodes records into `batch`, `most` of them or all that are left. On damage it has those before it.
    pub(crate) fn fill(&mut self, batch: &mut Batch, most: usize) -> std::result::Result<(), Malformed> {
        let end = batch.len().saturating_add(most);
        while self.at < self.bytes.len() && batch.len() < end {
            match self.record(batch) {
                Ok(record) => batch.push(record),
                Err(Fault) => return Err(Malformed { at: self.at, what: self.fault }),
            }
        }
        Ok(())
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    #[cold]
    fn wrong<T>(&mut self, what: &'static str) -> Result<T> {
        self.fault = what;
        Err(Fault)
    }

    #[inline]
    fn task(&mut self) -> Result<TaskId> {
        self.context.task = self.context.task.wrapping_add(self.signed()? as u32);
        Ok(TaskId(self.context.task))
    }

    #[inline]
    fn block(&mut self) -> Result<BlockId> {
        self.context.block = self.context.block.wrapping_add(self.signed()? as u32);
        Ok(BlockId(self.context.block))
    }

    #[inline]
    fn who(&mut self) -> Result<Warp> {
        let (task, block) = (self.task()?, self.block()?);
        let warp = self.small::<u16>("a warp index is too large")?;
        if warp >= 32 {
            return self.wrong("a warp index is too large");
        }
        Ok(Warp { task, block, warp: WarpId(warp) })
    }

    #[inline]
    fn head(&mut self) -> Result<(Warp, SiteId)> {
        let warp = self.who()?;
        self.context.site = self.context.site.wrapping_add(self.signed()? as u32);
        Ok((warp, SiteId(self.context.site)))
    }

    #[inline]
    fn mask(&mut self) -> Result<u32> {
        self.small("a lane mask is too wide")
    }

    #[inline]
    fn space(&mut self) -> Result<Space> {
        match self.unsigned()? {
            0 => Ok(Space::Global),
            n => match u32::try_from(n - 1) {
                Ok(block) => Ok(Space::Shared(BlockId(block))),
                Err(_) => match u32::try_from(n - 1 - (1 << 32)) {
                    Ok(block) => Ok(Space::Tensor(BlockId(block))),
                    Err(_) => self.wrong("a block index is too large"),
                },
            },
        }
    }

    #[inline]
    fn address(&mut self) -> Result<u64> {
        self.context.address = self.context.address.wrapping_add(self.signed()? as u64);
        Ok(self.context.address)
    }

    fn lane(&mut self) -> Result<u8> {
        let lane = self.byte()?;
        if lane < 32 { Ok(lane) } else { self.wrong("a lane is above 31") }
    }

    #[inline]
    fn coded<T>(&mut self, decode: impl Fn(u8) -> Option<T>, what: &'static str) -> Result<T> {
        let number = self.byte()?;
        decode(number).map_or_else(|| self.wrong(what), Ok)
    }

    fn sem(&mut self) -> Result<events::Sem> {
        self.coded(code::sem, "unknown semantics")
    }

    fn scope(&mut self) -> Result<events::Scope> {
        self.coded(code::scope, "unknown scope")
    }

    fn operations(&mut self, ops: &mut Vec<AsyncOpId>) -> Result<Part> {
        let from = ops.len() as u32;
        let mut last = 0u64;
        for _ in 0..self.count()? {
            last = last.wrapping_add(self.signed()? as u64);
            ops.push(AsyncOpId(last));
        }
        Ok(Part(from, ops.len() as u32))
    }

    fn barrier(&mut self) -> Result<BarrierId> {
        match self.unsigned()? {
            n @ 0..256 => Ok(BarrierId::Cta(n as u8)),
            n => match u32::try_from(n - 256) {
                Ok(block) => Ok(BarrierId::Cluster(BlockId(block))),
                Err(_) => self.wrong("a block index is too large"),
            },
        }
    }

    fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T> {
        let length = self.count()?;
        let text = &self.bytes[self.at..self.at + length];
        self.at += length;
        serde_json::from_slice(text).or_else(|_| self.wrong("a description cannot be read"))
    }

    fn access(&mut self, batch: &mut Batch) -> Result<Packed> {
        let (warp, site) = self.head()?;
        let bits = self.byte()?;
        let kind = match bits & 7 {
            0 => AccessKind::Read,
            1 => AccessKind::Write,
            2 => {
                let detail: u8 = self.small("unknown atomic operation")?;
                match code::atomic(detail >> 1) {
                    Some(op) => AccessKind::Atomic { op, returns: detail & 1 != 0 },
                    None => return self.wrong("unknown atomic operation"),
                }
            }
            3 => AccessKind::AsyncRead { op: AsyncOpId(self.unsigned()?) },
            4 => AccessKind::AsyncWrite { op: AsyncOpId(self.unsigned()?) },
            _ => return self.wrong("unknown access kind"),
        };
        let Some(proxy) = code::proxy(bits >> 3 & 7) else { return self.wrong("unknown proxy") };
        let strength = self.coded(code::strength, "unknown strength")?;
        let space = self.space()?;
        let size = self.small("an access is too large")?;
        let elements = self.byte()?;
        let mask = self.mask()?;
        let stored = self.mask()? ^ mask;
        if mask == 0 || size == 0 || elements == 0 {
            return self.wrong("an access touches nothing");
        }
        let asynchronous = matches!(kind, AccessKind::AsyncRead { .. } | AccessKind::AsyncWrite { .. });
        // Bulk copies are made by one lane.
        let (widest, most) = match asynchronous {
            true if mask.is_power_of_two() => (MOST_COPIED, 1),
            true => (16, 1),
            false => (16, 8),
        };
        if size > widest || elements > most {
            return self.wrong("an access is too large");
        }
        let lanes = self.lanes(mask, &mut batch.addresses)?;
        let mut values = None;
        if bits >> 6 & 1 != 0 {
            values = Some(batch.values.len() as u32);
            for _ in 0..mask.count_ones() {
                let read = self.unsigned()?;
                batch.values.push((read, self.unsigned()? ^ read));
            }
        }
        // Traces before version 5 never have this bit.
        let differing = if bits >> 7 != 0 { Some(self.mask()?) } else { None };
        let shape = Shape { kind, strength, proxy, size, elements };
        Ok(Packed { warp, site, space, shape, mask, stored, lanes, values, differing })
    }

    fn lanes(&mut self, mask: u32, list: &mut Vec<u64>) -> Result<Lanes> {
        let base = self.address()?;
        if !self.flag()? {
            return Ok(Lanes::Even { base, stride: self.signed()? as u64 });
        }
        let at = list.len() as u32;
        list.push(base);
        let mut last = base;
        for _ in 1..mask.count_ones() {
            last = last.wrapping_add(self.signed()? as u64);
            list.push(last);
        }
        Ok(Lanes::Listed(at))
    }

    fn record(&mut self, batch: &mut Batch) -> Result<Record> {
        Ok(match self.byte()? {
            tag::ACCESS => Record::Access(self.access(batch)?),
            number @ tag::TASK_START..=tag::END => Record::Host(self.host(number)?),
            number => Record::Order(self.order(number, batch)?),
        })
    }

    fn order(&mut self, number: u8, batch: &mut Batch) -> Result<Order> {
        Ok(match number {
            tag::BARRIER_COMPLETE => {
                let (task, block, id) = (self.task()?, self.block()?, self.barrier()?);
                if self.flag()? {
                    Order::Completed { task, block, id, members: self.members(&mut batch.members)? }
                } else {
                    Order::Sync(Sync::BarrierComplete {
                        task,
                        block,
                        id,
                        members: BarrierMembers::WholeBlock,
                    })
                }
            }
            tag::ASYNC_WAITED | tag::ASYNC_WAITED_ALONE => {
                let (warp, site) = self.head()?;
                let lanes = if number == tag::ASYNC_WAITED { self.mask()? } else { 1 << self.lane()? };
                let ops = self.operations(&mut batch.ops)?;
                let how = self.byte()?;
                if how > 3 {
                    return self.wrong("unknown way to wait");
                }
                let (reads_only, together) = (how & 1 != 0, how & 2 != 0);
                Order::Waited { warp, site, lanes, ops, reads_only, together }
            }
            tag::ASYNC_ARRIVE => {
                let ((warp, site), lane) = (self.head()?, self.lane()?);
                let ops = self.operations(&mut batch.ops)?;
                let (space, address, phase) = (self.space()?, self.address()?, self.unsigned()?);
                Order::Arrived { warp, site, lane, ops, space, address, phase }
            }
            tag::MBARRIER_INIT..=tag::MBARRIER_WAIT | tag::MBARRIER_TOUCH | tag::MBARRIER_BYTES => {
                Order::Sync(self.mbarrier(number)?)
            }
            _ => Order::Sync(self.sync(number)?),
        })
    }

    fn members(&mut self, list: &mut Vec<Member>) -> Result<Part> {
        let from = list.len() as u32;
        for _ in 0..self.count()? {
            let block = BlockId(self.small("a block index is too large")?);
            let warp = WarpId(self.small("a warp index is too large")?);
            let (arrived, waited) = (self.mask()?, self.mask()?);
            list.push(Member { block, warp, arrived, waited });
        }
        Ok(Part(from, list.len() as u32))
    }

    fn sync(&mut self, number: u8) -> Result<Sync<'static>> {
        Ok(match number {
            tag::BARRIER_ARRIVE => {
                let (warp, site) = self.head()?;
                let (id, lanes) = (self.barrier()?, self.mask()?);
                let (waits, sem) = (self.flag()?, self.sem()?);
                Sync::BarrierArrive { warp, site, id, lanes, waits, sem }
            }
            tag::CLUSTER_WAIT => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                Sync::ClusterWait { warp, site, lanes }
            }
            tag::WARP_SYNC => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                Sync::WarpSync { warp, site, lanes }
            }
            tag::FENCE => {
                let (warp, site) = self.head()?;
                let (lanes, sem, scope) = (self.mask()?, self.sem()?, self.scope()?);
                Sync::Fence { warp, site, lanes, sem, scope }
            }
            tag::PROXY_FENCE => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                let proxy = self.coded(code::proxy, "unknown proxy")?;
                let limits = self.byte()?;
                let space = match limits & 3 {
                    0 => None,
                    1 => Some(ProxySpace::Global),
                    2 => Some(ProxySpace::SharedCta),
                    _ => Some(ProxySpace::SharedCluster),
                };
                let way = match limits >> 2 {
                    0 => ProxyWay::Both,
                    1 => ProxyWay::Release,
                    2 => ProxyWay::Acquire,
                    _ => return self.wrong("unknown direction of a fence"),
                };
                Sync::ProxyFence { warp, site, lanes, proxy, space, way }
            }
            tag::MBARRIER_FENCE => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                Sync::MbarrierFence { warp, site, lanes }
            }
            tag::RENDEZVOUS => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                Sync::Rendezvous { warp, site, lanes }
            }
            tag::CONVERGE => {
                let (warp, active) = (self.who()?, self.mask()?);
                Sync::Converge { warp, active }
            }
            tag::EXIT => {
                let (warp, lanes) = (self.who()?, self.mask()?);
                Sync::Exit { warp, lanes }
            }
            tag::CLUSTER_EXIT => {
                let warp = self.who()?;
                let site: u32 = self.small("a site is too large")?;
                Sync::ClusterExit { warp, site: site.checked_sub(1).map(SiteId), lanes: self.mask()? }
            }
            tag::HEAP => {
                let (warp, site) = self.head()?;
                let (lane, address) = (self.lane()?, self.address()?);
                let (bytes, free) = (self.unsigned()?, self.flag()?);
                Sync::Heap { warp, site, lane, address, bytes, free }
            }
            tag::BLOCK_START => {
                let (task, block) = (self.task()?, self.block()?);
                Sync::BlockStart { task, block }
            }
            tag::BLOCK_END => {
                let (task, block) = (self.task()?, self.block()?);
                Sync::BlockEnd { task, block }
            }
            tag::MISUSE => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                let what = match self.byte()? {
                    0 => {
                        let (id, lane) = (self.byte()?, self.lane()?);
                        let first = SiteId(self.small("a site's number is too large")?);
                        let by = WarpId(self.small("a warp index is too large")?);
                        if by.0 >= 32 {
                            return self.wrong("a warp index is too large");
                        }
                        Misuse::OtherBarrier { id, first, by, lane }
                    }
                    1 => Misuse::NotMember { member: self.mask()? },
                    2 => self.product_register()?,
                    _ => return self.wrong("unknown misuse"),
                };
                Sync::Misuse { warp, site, lanes, what }
            }
            tag::PRODUCT_COMMITTED => {
                let (warp, site) = self.head()?;
                let (lanes, op) = (self.mask()?, AsyncOpId(self.unsigned()?));
                let group = self.small("a group's number is too large")?;
                Sync::ProductCommitted { warp, site, lanes, op, group }
            }
            tag::GRID_DEPENDENCY => {
                let (warp, site) = self.head()?;
                let (lanes, wait) = (self.mask()?, self.flag()?);
                Sync::GridDependency { warp, site, lanes, wait }
            }
            tag::TENSOR => {
                let (warp, site) = self.head()?;
                let (lanes, kind) = (self.mask()?, self.byte()?);
                let Some(count) = tensor::count(kind) else {
                    return self.wrong("unknown fact about tensor memory");
                };
                let numbers = (0..count).map(|_| self.unsigned()).collect::<Result<Vec<u64>>>()?;
                match tensor::fact(kind, &numbers) {
                    Some(what) => Sync::Tensor { warp, site, lanes, what },
                    None => return self.wrong("a damaged fact about tensor memory"),
                }
            }
            tag::LAUNCH => {
                let (warp, site) = self.head()?;
                let lane = self.lane()?;
                let task = TaskId(self.small("a task's number is too large")?);
                Sync::Launch { warp, site, lane, task }
            }
            _ => return self.wrong("unknown record"),
        })
    }

    fn mbarrier(&mut self, number: u8) -> Result<Sync<'static>> {
        if number == tag::MBARRIER_COMPLETE_TX {
            let task = self.task()?;
            let (space, address) = (self.space()?, self.address()?);
            let (phase, op) = (self.unsigned()?, AsyncOpId(self.unsigned()?));
            return Ok(Sync::MbarrierCompleteTx { task, space, address, phase, op });
        }
        if number == tag::MBARRIER_BYTES {
            let task = self.task()?;
            let (space, address, phase) = (self.space()?, self.address()?, self.unsigned()?);
            let (bytes, received) = (self.small("a transaction count is too large")?, self.flag()?);
            return Ok(Sync::MbarrierBytes { task, space, address, phase, bytes, received });
        }
        let (warp, site) = self.head()?;
        Ok(match number {
            tag::MBARRIER_INIT => {
                let (lane, space, address) = (self.lane()?, self.space()?, self.address()?);
                let expected = self.small("an arrival count is too large")?;
                Sync::MbarrierInit { warp, site, lane, space, address, expected }
            }
            tag::MBARRIER_INVAL => {
                let (lane, space, address) = (self.lane()?, self.space()?, self.address()?);
                Sync::MbarrierInval { warp, site, lane, space, address }
            }
            tag::MBARRIER_ARRIVE => {
                let (lane, space, address) = (self.lane()?, self.space()?, self.address()?);
                let (phase, sem, scope) = (self.unsigned()?, self.sem()?, self.scope()?);
                Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope }
            }
            tag::MBARRIER_TOUCH => {
                let (lanes, space, address) = (self.mask()?, self.space()?, self.address()?);
                let op = self.unsigned()?.checked_sub(1).map(AsyncOpId);
                Sync::MbarrierTouch { warp, site, lanes, space, address, op }
            }
            tag::MBARRIER_WAIT => {
                let (lanes, space, address) = (self.mask()?, self.space()?, self.address()?);
                let (phase, sem, scope) = (self.unsigned()?, self.sem()?, self.scope()?);
                Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope }
            }
            _ => return self.wrong("unknown record"),
        })
    }

    fn start(&mut self) -> Result<TaskInfo> {
        let task: TaskInfo = self.json()?;
        match &task.kind {
            TaskKind::Launch(info) => {
                let empty = [info.grid, info.block, info.cluster].iter().any(|extents| extents.count() == 0);
                if empty || info.block.count() > MOST_THREADS {
                    return self.wrong("a launch has impossible extents");
                }
                Ok(task)
            }
            _ => Ok(task),
        }
    }

    fn facts(&mut self) -> Result<LaunchFacts> {
        let facts: LaunchFacts = self.json()?;
        let mut all = 0..facts.parameters.len();
        if facts.bytes.len() > MOST_PARAMETERS || all.any(|n| facts.parameter(n).is_none()) {
            return self.wrong("a launch has impossible parameters");
        }
        Ok(facts)
    }

    fn host(&mut self, number: u8) -> Result<Host> {
        Ok(match number {
            tag::TASK_START => Host::TaskStart(Cow::Owned(self.start()?)),
            tag::TASK_END => Host::TaskEnd(TaskId(self.small("a task is too large")?)),
            tag::LAUNCHED => {
                let task = TaskId(self.small("a task is too large")?);
                Host::Launched(task, Cow::Owned(self.facts()?))
            }
            tag::TASK_AFTER => {
                let task = TaskId(self.small("a task is too large")?);
                let count = self.count()?;
                let after: Result<Vec<TaskId>> =
                    (0..count).map(|_| Ok(TaskId(self.small("a task is too large")?))).collect();
                Host::TaskAfter(task, Cow::Owned(after?))
            }
            tag::RANGE => {
                let range = RangeAccess {
                    task: TaskId(self.small("a task is too large")?),
                    site: match self.unsigned()? {
                        0 => None,
                        n => Some(SiteId((n - 1) as u32)),
                    },
                    address: self.unsigned()?,
                    bytes: self.unsigned()?,
                    write: self.flag()?,
                };
                if range.bytes > MOST_BYTES {
                    return self.wrong("a range is too large");
                }
                Host::Range(range)
            }
            tag::ALLOC => Host::Alloc(Cow::Owned(self.json()?)),
            tag::FREE => Host::Free { base: self.unsigned()?, bytes: self.unsigned()? },
            tag::SITE => {
                let id = self.small::<u32>("a site is too large")?;
                if id > MOST_SITES {
                    return self.wrong("a site is too large");
                }
                Host::Site(SiteId(id), Cow::Owned(self.json()?))
            }
            tag::END => Host::End,
            _ => return self.wrong("unknown record"),
        })
    }
}
