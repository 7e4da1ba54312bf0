//! `fence.sc` operations whose order to later ones is still open.
//!
//! Two `fence.sc` of mutually sufficient scope are ordered (PTX §8.9.3), and each run orders them in one of
//! two ways. The order is forced if an access after the first is observed by one before the second
//! (`docs/assumptions.md`, 2). Beside its thread's times, a clock therefore carries the fences that happened
//! before it (their clocks are a *pending release*) and those that an access before it observed (a *pending
//! acquire*, which a `fence.sc` of its thread completes).

use super::{Clock, Shared};
use crate::seen::Seen;
use crate::tree::Covers;
use smallvec::SmallVec;

/// The scope of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    Block,
    Cluster,
    Device,
}

/// A fence's scope and the place of the executing thread. The first block of a cluster names the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub block: u32,
    pub cluster: u32,
    pub extent: Extent,
}

impl Origin {
    /// Returns whether each fence's scope includes the other's thread.
    pub fn mutual(&self, other: &Origin) -> bool {
        match self.extent.min(other.extent) {
            Extent::Block => self.block == other.block,
            Extent::Cluster => self.cluster == other.cluster,
            Extent::Device => true,
        }
    }
}

/// A set of fences, represented by the clocks that their threads had.
///
/// The clocks of fences of device scope are joined. In a launch that also has narrower fences, each fence is
/// additionally stored under its [`Origin`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FenceSet {
    device: Shared,
    /// The clock for each origin, sorted by origin.
    near: SmallVec<[(Origin, Shared); 0]>,
}

impl FenceSet {
    pub fn is_empty(&self) -> bool {
        self.device.is_empty() && self.near.is_empty()
    }

    /// Returns the joined clock of the fences of device scope.
    pub fn device(&self) -> &Shared {
        &self.device
    }

    /// Adds a fence of a thread with `clock`. `origin` is `None` in launches where all fences have device
    /// scope.
    pub fn add(&mut self, origin: Option<Origin>, clock: &Shared) {
        if origin.is_none_or(|origin| origin.extent == Extent::Device) {
            self.device.join(clock);
        }
        if let Some(origin) = origin {
            self.near_mut(origin).join(clock);
        }
    }

    /// Returns whether the set holds only fences of device scope and shares its clock with `clock`.
    pub fn is_only(&self, clock: &Shared) -> bool {
        self.near.is_empty() && self.device.same(clock)
    }

    /// Returns a set of fences of device scope whose joined clock is `clock`.
    pub fn only(clock: Shared) -> FenceSet {
        FenceSet { device: clock, near: SmallVec::new() }
    }

    /// Returns whether `clock` covers the clocks of all fences in the set.
    pub fn is_known_to(&self, clock: &Shared) -> bool {
        clock.knows_all_of(&self.device) && self.near.iter().all(|(_, fence)| clock.knows_all_of(fence))
    }

    /// Replaces the joined clock of the fences of device scope.
    pub fn set_device(&mut self, clock: Shared) {
        self.device = clock;
    }

    fn near_mut(&mut self, origin: Origin) -> &mut Shared {
        let at = self.near.binary_search_by_key(&origin, |entry| entry.0).unwrap_or_else(|at| {
            self.near.insert(at, (origin, Shared::default()));
            at
        });
        &mut self.near[at].1
    }

    pub fn join(&mut self, other: &FenceSet) {
        self.device.join(&other.device);
        for (origin, clock) in &other.near {
            self.near_mut(*origin).join(clock);
        }
    }

    /// Returns the fences that Fence-SC order relates to one of `origin`: those of mutually sufficient scope.
    pub fn mutual(&self, origin: &Origin) -> FenceSet {
        let near: SmallVec<_> = self.near.iter().filter(|entry| entry.0.mutual(origin)).cloned().collect();
        let mut device = Shared::default();
        if origin.extent == Extent::Device {
            device = self.device.clone();
        } else {
            let wide = near.iter().filter(|entry: &&(Origin, Shared)| entry.0.extent == Extent::Device);
            wide.for_each(|entry| device.join(&entry.1));
        }
        FenceSet { device, near }
    }

    /// Returns the join of all fences' clocks.
    pub fn known(&self) -> Shared {
        let mut known = self.device.clone();
        // Those of device scope are joined already.
        let narrow = self.near.iter().filter(|entry| entry.0.extent != Extent::Device);
        narrow.for_each(|entry| known.join(&entry.1));
        known
    }

    /// Returns the same set, its clocks without fences of their own.
    pub fn plain(&self) -> FenceSet {
        let near = self.near.iter().map(|(origin, clock)| (*origin, clock.plain())).collect();
        FenceSet { device: self.device.plain(), near }
    }

    /// Returns the number of origins under which fences are stored.
    pub fn origins(&self) -> usize {
        self.near.len()
    }

    /// Drops the fences of each block of which `gone` holds, but for their part in the joined clock of device scope.
    /// No later fence may be of such a block or its cluster.
    pub fn forget(&mut self, gone: impl Fn(u32) -> bool) {
        self.near.retain(|(origin, _)| !gone(origin.block));
    }

    /// Returns whether both sets share all clocks.
    pub fn same(&self, other: &FenceSet) -> bool {
        let near = || self.near.iter().zip(&other.near).all(|(a, b)| a.0 == b.0 && a.1.same(&b.1));
        self.device.same(&other.device) && self.near.len() == other.near.len() && near()
    }

    pub fn covers(&self, other: &FenceSet) -> bool {
        let known = |origin: &Origin| {
            self.near.binary_search_by_key(origin, |entry| entry.0).map(|at| &self.near[at].1)
        };
        let near = |(origin, theirs): &(Origin, Shared)| known(origin).is_ok_and(|mine| mine.covers(theirs));
        self.device.covers(&other.device) && other.near.iter().all(near)
    }

    /// Returns the bytes on the heap that `seen` does not count yet.
    pub fn bytes(&self, seen: &mut Seen) -> usize {
        let list = if self.near.spilled() { self.near.capacity() * size_of::<(Origin, Shared)>() } else { 0 };
        let near: usize = self.near.iter().map(|entry| entry.1.bytes(seen)).sum();
        list + self.device.bytes(seen) + near
    }
}

/// The fences that a clock carries. The clocks of these fences carry none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fences {
    /// Fences that happened before the clock's thread reached its present point.
    pub before: FenceSet,
    /// Fences followed by an access that an access before the clock's present point observed.
    pub observed: FenceSet,
}

impl Fences {
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.observed.is_empty()
    }

    /// Returns the larger number of [`FenceSet::origins`].
    pub fn origins(&self) -> usize {
        self.before.origins().max(self.observed.origins())
    }

    /// See [`FenceSet::forget`].
    pub fn forget(&mut self, gone: impl Fn(u32) -> bool) {
        self.before.forget(&gone);
        self.observed.forget(gone);
    }

    pub(crate) fn compare(&self, other: &Fences, asked: Covers) -> Covers {
        let covers = |a: &Fences, b: &Fences| a.before.covers(&b.before) && a.observed.covers(&b.observed);
        Covers { first: asked.first && covers(self, other), second: asked.second && covers(other, self) }
    }

    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        self.before.bytes(seen) + self.observed.bytes(seen)
    }

    /// Returns whether the joined clock of `before` equals the blocks of `clock`, the clock that carries
    /// these fences.
    pub(crate) fn mirror(&self, clock: &Clock) -> bool {
        self.before.near.is_empty() && self.before.device.get().is_some_and(|known| known.shares_all(clock))
    }
}
