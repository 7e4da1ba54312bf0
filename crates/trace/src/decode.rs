//! Bytes to events. Every field is checked: a trace is a file, and files get damaged.

use crate::code::{self, tag};
use crate::encode::{Context, lanes};
use events::access::Warp;
use events::observer::RangeAccess;
use events::sync::{Member, ProxySpace};
use events::{
    Access, AccessKind, Allocation, AsyncOpId, BarrierId, BarrierMembers, BlockId, LaneMask, Site, SiteId,
    Space, Sync, TaskId, TaskInfo, WarpId,
};

/// No program has more instructions; a larger number is damage.
const MOST_SITES: u32 = 1 << 26;

/// What the host's side recorded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Host {
    TaskStart(TaskInfo),
    TaskEnd(TaskId),
    TaskAfter(TaskId, Vec<TaskId>),
    Range(RangeAccess),
    Alloc(Allocation),
    Free { base: u64, bytes: u64 },
    Site(SiteId, Site),
    End,
}

/// Receives decoded records.
pub(crate) trait Sink {
    /// Need accesses of the block be decoded to the end?
    fn hears(&mut self, _task: TaskId, _block: BlockId) -> bool {
        true
    }

    /// An access that need not.
    fn passed(&mut self, _task: TaskId, _lanes: LaneMask) {}

    fn access(&mut self, access: &Access<'_>);
    fn sync(&mut self, sync: &Sync<'_>);
    fn host(&mut self, host: Host);
}

/// Reads the records of one chunk.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    context: Context,
    members: Vec<Member>,
    ops: Vec<AsyncOpId>,
    /// Of the access at hand.
    addresses: [u64; 32],
    values: [(u64, u64); 32],
}

/// What is wrong, and where in the chunk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

type Result<T> = std::result::Result<T, Malformed>;

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cursor {
            bytes,
            at: 0,
            context: Context::default(),
            members: Vec::new(),
            ops: Vec::new(),
            addresses: [0; 32],
            values: [(0, 0); 32],
        }
    }

    /// Decodes every record of the chunk into `sink`.
    pub(crate) fn run(mut self, sink: &mut impl Sink) -> Result<()> {
        while self.at < self.bytes.len() {
            self.record(sink)?;
        }
        Ok(())
    }

    fn wrong<T>(&self, what: &'static str) -> Result<T> {
        Err(Malformed { at: self.at, what })
    }

    fn byte(&mut self) -> Result<u8> {
        let Some(&byte) = self.bytes.get(self.at) else { return self.wrong("a record is cut short") };
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    fn unsigned(&mut self) -> Result<u64> {
        match self.bytes.get(self.at) {
            Some(&byte @ ..0x80) => {
                self.at += 1;
                Ok(byte.into())
            }
            _ => self.long(),
        }
    }

    /// An integer of several bytes.
    fn long(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        self.wrong("an integer is too long")
    }

    fn small<T: TryFrom<u64>>(&mut self, what: &'static str) -> Result<T> {
        let value = self.unsigned()?;
        T::try_from(value).or_else(|_| self.wrong(what))
    }

    fn signed(&mut self) -> Result<i64> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn flag(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => self.wrong("a flag is neither 0 nor 1"),
        }
    }

    fn count(&mut self) -> Result<usize> {
        let count = self.small::<u32>("a count is too large")? as usize;
        // Every element takes at least one byte, so a larger count is damage, not data.
        if count > self.bytes.len() - self.at { self.wrong("a count exceeds the chunk") } else { Ok(count) }
    }

    fn task(&mut self) -> Result<TaskId> {
        self.context.task = self.context.task.wrapping_add(self.signed()? as u32);
        Ok(TaskId(self.context.task))
    }

    fn block(&mut self) -> Result<BlockId> {
        self.context.block = self.context.block.wrapping_add(self.signed()? as u32);
        Ok(BlockId(self.context.block))
    }

    fn who(&mut self) -> Result<Warp> {
        let (task, block) = (self.task()?, self.block()?);
        let warp = self.small::<u16>("a warp index is too large")?;
        if warp >= 32 {
            return self.wrong("a warp index is too large");
        }
        Ok(Warp { task, block, warp: WarpId(warp) })
    }

    fn head(&mut self) -> Result<(Warp, SiteId)> {
        let warp = self.who()?;
        self.context.site = self.context.site.wrapping_add(self.signed()? as u32);
        Ok((warp, SiteId(self.context.site)))
    }

    fn mask(&mut self) -> Result<u32> {
        self.small("a lane mask is too wide")
    }

    fn space(&mut self) -> Result<Space> {
        match self.unsigned()? {
            0 => Ok(Space::Global),
            n => match u32::try_from(n - 1) {
                Ok(block) => Ok(Space::Shared(BlockId(block))),
                Err(_) => self.wrong("a block index is too large"),
            },
        }
    }

    fn address(&mut self) -> Result<u64> {
        self.context.address = self.context.address.wrapping_add(self.signed()? as u64);
        Ok(self.context.address)
    }

    fn lane(&mut self) -> Result<u8> {
        let lane = self.byte()?;
        if lane < 32 { Ok(lane) } else { self.wrong("a lane is above 31") }
    }

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

    fn operations(&mut self) -> Result<()> {
        self.ops.clear();
        let mut last = 0u64;
        for _ in 0..self.count()? {
            last = last.wrapping_add(self.signed()? as u64);
            self.ops.push(AsyncOpId(last));
        }
        Ok(())
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

    fn access(&mut self, sink: &mut impl Sink) -> Result<()> {
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
        let has_values = bits >> 6 & 1 != 0;
        if !sink.hears(warp.task, warp.block) {
            self.skip(mask, has_values)?;
            sink.passed(warp.task, mask);
            return Ok(());
        }
        self.addresses(mask)?;
        if has_values {
            self.values = [(0, 0); 32];
            for lane in lanes(mask) {
                let read = self.unsigned()?;
                self.values[lane] = (read, self.unsigned()? ^ read);
            }
        }
        sink.access(&Access {
            warp,
            site,
            space,
            kind,
            strength,
            proxy,
            size,
            elements,
            mask,
            addresses: &self.addresses,
            stored,
            values: has_values.then_some(&self.values),
        });
        Ok(())
    }

    /// Addresses of lanes that are not in the mask are 0.
    fn addresses(&mut self, mask: u32) -> Result<()> {
        let first = mask.trailing_zeros();
        let base = self.address()?;
        if self.flag()? {
            self.addresses = [0; 32];
            self.addresses[first as usize] = base;
            let mut last = base;
            for lane in lanes(mask & mask.wrapping_sub(1)) {
                last = last.wrapping_add(self.signed()? as u64);
                self.addresses[lane] = last;
            }
        } else {
            let stride = self.signed()? as u64;
            let mut next = base.wrapping_sub(stride.wrapping_mul(first.into()));
            for (lane, address) in self.addresses.iter_mut().enumerate() {
                *address = if mask >> lane & 1 != 0 { next } else { 0 };
                next = next.wrapping_add(stride);
            }
        }
        Ok(())
    }

    /// Passes over the addresses and values of an access.
    fn skip(&mut self, mask: u32, values: bool) -> Result<()> {
        self.address()?;
        let differences = if self.flag()? { mask.count_ones() - 1 } else { 1 };
        for _ in 0..differences + if values { 2 * mask.count_ones() } else { 0 } {
            self.unsigned()?;
        }
        Ok(())
    }

    fn record(&mut self, sink: &mut impl Sink) -> Result<()> {
        match self.byte()? {
            tag::ACCESS => return self.access(sink),
            tag::BARRIER_ARRIVE => {
                let (warp, site) = self.head()?;
                let (id, lanes) = (self.barrier()?, self.mask()?);
                let (waits, sem) = (self.flag()?, self.sem()?);
                sink.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits, sem });
            }
            tag::BARRIER_COMPLETE => {
                let (task, block, id) = (self.task()?, self.block()?, self.barrier()?);
                let members = if self.flag()? {
                    self.members.clear();
                    for _ in 0..self.count()? {
                        let block = BlockId(self.small("a block index is too large")?);
                        let warp = WarpId(self.small("a warp index is too large")?);
                        let (arrived, waited) = (self.mask()?, self.mask()?);
                        self.members.push(Member { block, warp, arrived, waited });
                    }
                    BarrierMembers::Some(&self.members)
                } else {
                    BarrierMembers::WholeBlock
                };
                sink.sync(&Sync::BarrierComplete { task, block, id, members });
            }
            tag::CLUSTER_WAIT => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                sink.sync(&Sync::ClusterWait { warp, site, lanes });
            }
            tag::WARP_SYNC => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                sink.sync(&Sync::WarpSync { warp, site, lanes });
            }
            tag::FENCE => {
                let (warp, site) = self.head()?;
                let (lanes, sem, scope) = (self.mask()?, self.sem()?, self.scope()?);
                sink.sync(&Sync::Fence { warp, site, lanes, sem, scope });
            }
            tag::PROXY_FENCE => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                let proxy = self.coded(code::proxy, "unknown proxy")?;
                let space = match self.byte()? {
                    0 => None,
                    1 => Some(ProxySpace::Global),
                    2 => Some(ProxySpace::SharedCta),
                    3 => Some(ProxySpace::SharedCluster),
                    _ => return self.wrong("unknown space"),
                };
                sink.sync(&Sync::ProxyFence { warp, site, lanes, proxy, space });
            }
            tag::RENDEZVOUS => {
                let (warp, site) = self.head()?;
                let lanes = self.mask()?;
                sink.sync(&Sync::Rendezvous { warp, site, lanes });
            }
            tag::CONVERGE => {
                let (warp, active) = (self.who()?, self.mask()?);
                sink.sync(&Sync::Converge { warp, active });
            }
            tag::EXIT => {
                let (warp, lanes) = (self.who()?, self.mask()?);
                sink.sync(&Sync::Exit { warp, lanes });
            }
            tag::BLOCK_START => {
                let (task, block) = (self.task()?, self.block()?);
                sink.sync(&Sync::BlockStart { task, block });
            }
            tag::BLOCK_END => {
                let (task, block) = (self.task()?, self.block()?);
                sink.sync(&Sync::BlockEnd { task, block });
            }
            tag::GRID_DEPENDENCY => {
                let (warp, site) = self.head()?;
                let (lanes, wait) = (self.mask()?, self.flag()?);
                sink.sync(&Sync::GridDependency { warp, site, lanes, wait });
            }
            number @ tag::MBARRIER_INIT..=tag::ASYNC_ARRIVE => return self.asynchronous(number, sink),
            number => return self.host(number, sink),
        }
        Ok(())
    }

    fn asynchronous(&mut self, number: u8, sink: &mut impl Sink) -> Result<()> {
        if number == tag::MBARRIER_COMPLETE_TX {
            let task = self.task()?;
            let (space, address) = (self.space()?, self.address()?);
            let (phase, op) = (self.unsigned()?, AsyncOpId(self.unsigned()?));
            sink.sync(&Sync::MbarrierCompleteTx { task, space, address, phase, op });
            return Ok(());
        }
        let (warp, site) = self.head()?;
        match number {
            tag::MBARRIER_INIT => {
                let (lane, space, address) = (self.lane()?, self.space()?, self.address()?);
                let expected = self.small("an arrival count is too large")?;
                sink.sync(&Sync::MbarrierInit { warp, site, lane, space, address, expected });
            }
            tag::MBARRIER_INVAL => {
                let (lane, space, address) = (self.lane()?, self.space()?, self.address()?);
                sink.sync(&Sync::MbarrierInval { warp, site, lane, space, address });
            }
            tag::MBARRIER_ARRIVE => {
                let (lane, space, address) = (self.lane()?, self.space()?, self.address()?);
                let (phase, sem, scope) = (self.unsigned()?, self.sem()?, self.scope()?);
                sink.sync(&Sync::MbarrierArrive { warp, site, lane, space, address, phase, sem, scope });
            }
            tag::MBARRIER_WAIT => {
                let (lanes, space, address) = (self.mask()?, self.space()?, self.address()?);
                let (phase, sem, scope) = (self.unsigned()?, self.sem()?, self.scope()?);
                sink.sync(&Sync::MbarrierWait { warp, site, lanes, space, address, phase, sem, scope });
            }
            tag::ASYNC_WAITED => {
                let lane = self.lane()?;
                self.operations()?;
                let reads_only = self.flag()?;
                sink.sync(&Sync::AsyncWaited { warp, site, lane, ops: &self.ops, reads_only });
            }
            _ => {
                let lane = self.lane()?;
                self.operations()?;
                let (space, address, phase) = (self.space()?, self.address()?, self.unsigned()?);
                sink.sync(&Sync::AsyncArrive { warp, site, lane, ops: &self.ops, space, address, phase });
            }
        }
        Ok(())
    }

    fn host(&mut self, number: u8, sink: &mut impl Sink) -> Result<()> {
        let host = match number {
            tag::TASK_START => Host::TaskStart(self.json()?),
            tag::TASK_END => Host::TaskEnd(TaskId(self.small("a task is too large")?)),
            tag::TASK_AFTER => {
                let task = TaskId(self.small("a task is too large")?);
                let count = self.count()?;
                let after: Result<_> =
                    (0..count).map(|_| Ok(TaskId(self.small("a task is too large")?))).collect();
                Host::TaskAfter(task, after?)
            }
            tag::RANGE => Host::Range(RangeAccess {
                task: TaskId(self.small("a task is too large")?),
                site: match self.unsigned()? {
                    0 => None,
                    n => Some(SiteId((n - 1) as u32)),
                },
                address: self.unsigned()?,
                bytes: self.unsigned()?,
                write: self.flag()?,
            }),
            tag::ALLOC => Host::Alloc(self.json()?),
            tag::FREE => Host::Free { base: self.unsigned()?, bytes: self.unsigned()? },
            tag::SITE => {
                let id = self.small::<u32>("a site is too large")?;
                if id > MOST_SITES {
                    return self.wrong("a site is too large");
                }
                Host::Site(SiteId(id), self.json()?)
            }
            tag::END => Host::End,
            _ => return self.wrong("unknown record"),
        };
        sink.host(host);
        Ok(())
    }
}
