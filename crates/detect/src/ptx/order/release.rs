//! Release and acquire patterns, PTX §8.8, and what they carry.
//!
//! A release pattern makes what its thread knew *at the pattern's first operation* available to
//! acquire patterns that observe its write, if the first operation of the one and the last of
//! the other are morally strong (§8.9.4). Since the scope of both ends counts, a location keeps
//! what was released to it apart by how far the releasing operation's scope reached.

use clocks::Shared;
use clocks::compressed::Seen;
use clocks::fences::FenceSet;
use events::Scope;
use smallvec::SmallVec;

/// Knowledge that was released to a location along the current chain of read-modify-writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Released {
    /// Released by operations of device or system scope.
    wide: Shared,
    /// Released by operations of cluster scope or wider, for each cluster; sorted.
    clusters: SmallVec<[(u32, Shared); 1]>,
    /// Released by operations of any scope, for each block; sorted.
    blocks: SmallVec<[(u32, Shared); 1]>,
    /// An operation of narrower scope than the device's has released here.
    narrow: bool,
}

/// Blocks that have released, from which on those that have ended are forgotten.
const SEVERAL: usize = 8;

fn slot(entries: &mut SmallVec<[(u32, Shared); 1]>, key: u32) -> &mut Shared {
    let i = match entries.binary_search_by_key(&key, |e| e.0) {
        Ok(i) => i,
        Err(i) => {
            entries.insert(i, (key, Shared::default()));
            i
        }
    };
    &mut entries[i].1
}

fn lookup(entries: &[(u32, Shared)], key: u32) -> Shared {
    entries.binary_search_by_key(&key, |e| e.0).map_or_else(|_| Shared::default(), |i| entries[i].1.clone())
}

impl Released {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.wide.is_empty()
    }

    /// The joined clocks of releases of device scope.
    pub(crate) fn wide(&self) -> &Shared {
        &self.wide
    }

    /// Bytes on the heap, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        let mut bytes = self.wide.bytes(seen);
        for list in [&self.clusters, &self.blocks] {
            bytes += if list.spilled() { list.capacity() * size_of::<(u32, Shared)>() } else { 0 };
            bytes += list.iter().map(|(_, clock)| clock.bytes(seen)).sum::<usize>();
        }
        bytes
    }

    pub(crate) fn clear(&mut self) {
        *self = Released::default();
    }

    pub(crate) fn add(&mut self, block: u32, cluster: u32, scope: Scope, clock: &Shared) {
        let of_block = slot(&mut self.blocks, block);
        if scope < Scope::Cluster {
            of_block.join(clock);
            self.narrow = true;
            return;
        }
        // Clocks that were the same before are so afterwards, and are joined once.
        let of_cluster = slot(&mut self.clusters, cluster);
        let (cluster_alike, wide_alike) = (of_cluster.same(of_block), self.wide.same(of_cluster));
        of_block.join(clock);
        if cluster_alike {
            *of_cluster = of_block.clone();
        } else {
            of_cluster.join(clock);
        }
        if scope < Scope::Gpu {
            self.narrow = true;
        } else if wide_alike {
            self.wide = of_cluster.clone();
        } else {
            self.wide.join(clock);
        }
    }

    /// Drops what blocks have released that have ended, before the lists of blocks and clusters grow: what is kept for a block
    /// is acquired by its own threads only. In a launch with clusters `has_ended` is false.
    pub(crate) fn forget_ended(&mut self, has_ended: impl Fn(u32) -> bool) {
        for list in [&mut self.clusters, &mut self.blocks] {
            if list.len() >= SEVERAL && list.len() == list.capacity() {
                list.retain(|(block, _)| !has_ended(*block));
            }
        }
    }

    /// Returns the knowledge that a thread of `block` may acquire.
    pub(crate) fn view(&self, block: u32, cluster: u32) -> View {
        if self.is_empty() {
            return View::default();
        }
        let cta = lookup(&self.blocks, block);
        let (mut of_cluster, mut wide) = (lookup(&self.clusters, cluster), self.wide.clone());
        // Else each contains the one before as it is.
        if self.narrow {
            of_cluster.join(&cta);
            wide.join(&of_cluster);
        }
        View { cta, cluster: of_cluster, wide, fences: FenceSet::default() }
    }
}

/// Knowledge that one thread may acquire, by the scope of its acquiring operation. Each contains the one
/// before.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    cta: Shared,
    cluster: Shared,
    wide: Shared,
    /// The `fence.sc` operations that have been observed: one of the thread's own is behind them.
    pub(crate) fences: FenceSet,
}

impl View {
    /// The same with these fences.
    pub(crate) fn with(self, fences: FenceSet) -> View {
        View { fences, ..self }
    }

    /// Nothing but fences.
    pub(crate) fn of(fences: FenceSet) -> View {
        View { fences, ..View::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wide.is_empty() && self.fences.is_empty()
    }

    /// Returns whether a thread that knows `clock` has nothing to learn of it.
    pub(crate) fn is_known_to(&self, clock: &Shared) -> bool {
        clock.knows_all_of(&self.wide) && (self.mirrors() || self.fences.is_known_to(clock))
    }

    /// Returns whether the fences knew what an acquire of device scope makes known, neither more nor less.
    pub(crate) fn mirrors(&self) -> bool {
        self.fences.is_only(&self.wide)
    }

    /// Takes all but the fences away.
    pub(crate) fn keep_fences(&mut self) {
        *self = View::of(std::mem::take(&mut self.fences));
    }

    pub(crate) fn at(&self, scope: Scope) -> &Shared {
        match scope {
            Scope::Cta => &self.cta,
            Scope::Cluster => &self.cluster,
            Scope::Gpu | Scope::Sys => &self.wide,
        }
    }

    /// Bytes on the heap, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        let clocks = [&self.cta, &self.cluster, &self.wide].into_iter();
        clocks.map(|clock| clock.bytes(seen)).sum::<usize>() + self.fences.bytes(seen)
    }

    pub(crate) fn join(&mut self, other: &View) {
        let mirror = self.mirrors() && other.mirrors();
        self.cta.join(&other.cta);
        self.cluster.join(&other.cluster);
        self.wide.join(&other.wide);
        if mirror {
            self.fences = FenceSet::only(self.wide.clone());
        } else {
            self.fences.join(&other.fences);
        }
    }

    /// Adds what an acquire of any scope makes known.
    pub(crate) fn add(&mut self, clock: &Shared) {
        self.cta.join(clock);
        self.cluster.join(clock);
        self.wide.join(clock);
    }

    /// All of it, for an acquire of `scope`, which need not be told again of what that makes known.
    pub(crate) fn tell(&mut self, scope: Scope) -> View {
        let told = self.clone();
        if scope >= Scope::Gpu {
            *self = View::default();
        }
        told
    }
}
