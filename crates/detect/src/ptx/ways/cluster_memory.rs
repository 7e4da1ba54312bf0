//! Accesses of the shared memory of other blocks of the cluster: see [`crate::ptx::order::cluster`].

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::order::cluster::{Exit, Remote};
use crate::shadow::lock;
use events::finding::Actor;
use events::{
    Access, AccessKind, BlockId, Class, Dim3, Evidence, Finding, Level, Proxy, Side, Space, Strength,
    SyncNote, ThreadId,
};

impl LaunchState {
    /// Returns whether the launch has clusters of several blocks.
    pub(super) fn is_clustered(&self) -> bool {
        self.launch.info.cluster != Dim3::ONE
    }

    /// Takes note of an access of a peer's shared memory.
    #[cold]
    pub(super) fn notes_abroad(&mut self, access: &Access<'_>, class: AccessClass, owner: BlockId) {
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        let own = self.block(block).warps.get(usize::from(warp)).map(|warp| warp.tick);
        let tick = match access.kind.operation() {
            Some(op) => Some(lock(&self.launch.ops).number(op)),
            None => own,
        };
        let Some(tick) = tick else { return };
        let new = Entry {
            block,
            tick,
            lanes: access.mask,
            site: access.site,
            warp,
            bytes: 0,
            class,
            chain: 0,
            place: 0,
        };
        let address = access.addresses[access.mask.trailing_zeros() as usize % 32];
        let bytes = access.size.saturating_mul(u32::from(access.elements.max(1)));
        self.goes_abroad(new, owner.0, address, bytes);
    }

    pub(super) fn goes_abroad(&mut self, new: Entry, owner: u32, address: u64, bytes: u32) {
        let cluster = self.launch.cluster_of(owner);
        if self.clusters.is_full(owner) {
            self.clusters.forgets_ordered(owner, self.blocks.get(owner), &lock(&self.launch.ops));
        }
        if let Some((remote, exit)) = self.clusters.accesses(owner, cluster, new, address, bytes) {
            self.outlives(owner, &remote, exit, true);
        }
    }

    /// A block of a cluster has ended.
    pub(super) fn leaves_cluster(&mut self, block: u32) {
        let blocks = self.launch.info.cluster.count() as u32;
        let place = (block, self.launch.cluster_of(block), blocks);
        let mut late = Vec::new();
        let ops = lock(&self.launch.ops);
        self.clusters.ends(place, self.blocks.get(block), &ops, |remote, exit| late.push((*remote, exit)));
        drop(ops);
        for (remote, exit) in late {
            self.outlives(block, &remote, exit, false);
        }
    }

    /// Reports an access of shared memory of which the block may have exited.
    fn outlives(&self, owner: u32, remote: &Remote, exit: Exit, gone: bool) {
        let Entry { site, class, .. } = remote.entry;
        let task = self.launch.task;
        let side = |who: crate::ptx::access::thread::Who, site, kind, strength, proxy| Side {
            site,
            task,
            who: Actor::Thread { block: BlockId(who.block), thread: ThreadId(who.thread() as u16) },
            kind,
            strength,
            proxy,
            address: remote.address,
            size: remote.bytes,
        };
        let op = if class.asynchronous() { lock(&self.launch.ops).id(remote.entry.tick) } else { 0 };
        let who = remote.entry.who(remote.entry.lanes);
        let access = side(who, Some(site), class.kind(op), class.strength(), class.proxy());
        let end = side(exit.who, exit.site, AccessKind::Write, Strength::Weak, Proxy::Generic);
        let mut sides = [access, end];
        if gone {
            sides.reverse();
        }
        self.launch.sink.add(Finding {
            lens: "ptx".to_owned(),
            level: Level::Race,
            class: Class::ClusterDsmem,
            evidence: Evidence::Observed,
            space: Space::Shared(BlockId(owner)),
            sides,
            notes: vec![SyncNote::Rule(EXITED.to_owned())],
            count: 1,
        });
    }
}

const EXITED: &str = "distributed shared memory is there as long as its block runs, and nothing orders the access before the \
                      exit of that block: its threads do not wait for the one that makes it (Programming Guide, \
                      \"Distributed Shared Memory\")";
