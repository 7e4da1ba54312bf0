//! The clocks that release patterns publish, as far as scopes let them reach (PTX §8.8).

use crate::known::Known;
use events::Scope;
use smallvec::SmallVec;

/// The threads that a scope includes, within one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The threads of the same block.
    Block,
    /// All threads of the launch.
    Launch,
}

impl Reach {
    /// Returns the reach of a scope. Blocks of a launch with clusters count as one cluster.
    pub fn of(scope: Scope, clustered: bool) -> Reach {
        match scope {
            Scope::Cta => Reach::Block,
            Scope::Cluster if !clustered => Reach::Block,
            Scope::Cluster | Scope::Gpu | Scope::Sys => Reach::Launch,
        }
    }

    pub(crate) fn includes(self, own: u32, other: u32) -> bool {
        self == Reach::Launch || own == other
    }
}

/// The first operations of a thread's release patterns: the clocks of the latest ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heads {
    /// The latest of any scope, for readers in the same block.
    pub near: Known,
    /// The latest that reaches the whole launch.
    pub wide: Known,
}

impl Heads {
    pub(crate) fn is_empty(&self) -> bool {
        self.near.is_empty()
    }

    pub(crate) fn join(&mut self, other: &Heads) {
        self.near.join(&other.near);
        self.wide.join(&other.wide);
    }

    /// Adds a release operation with this clock.
    pub(crate) fn release(&mut self, clock: &Known, reach: Reach) {
        self.near.join(clock);
        if reach == Reach::Launch {
            self.wide.join(clock);
        }
    }
}

/// The heads of all release patterns that a read of one write observes, by the block of their first operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(SmallVec<[(u32, Heads); 1]>);

/// The number of blocks beyond which a message counts as one that every reader's block sent, which orders
/// more.
const BLOCKS: usize = 64;

impl Message {
    pub(crate) fn add(&mut self, block: u32, heads: &Heads) {
        if heads.is_empty() {
            return;
        }
        match self.0.iter_mut().find(|(of, _)| *of == block) {
            Some((_, mine)) => mine.join(heads),
            None => self.0.push((block, heads.clone())),
        }
    }

    /// Returns what a reader in `block` may acquire.
    pub(crate) fn received(&self, block: u32) -> Received {
        let mut received = Received::default();
        let all = self.0.len() > BLOCKS;
        for (of, heads) in &self.0 {
            match *of == block {
                true => received.near.join(&heads.near),
                false if all => received.near.join(&heads.wide),
                false => received.far.join(&heads.wide),
            }
        }
        received
    }
}

/// The clocks that a thread's strong reads have observed, which an acquire operation adds to its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Received {
    /// Those released in the same block: an acquire of any scope suffices.
    pub near: Known,
    /// Those released in other blocks.
    pub far: Known,
}

impl Received {
    pub(crate) fn is_empty(&self) -> bool {
        self.near.is_empty() && self.far.is_empty()
    }

    pub(crate) fn join(&mut self, other: &Received) {
        self.near.join(&other.near);
        self.far.join(&other.far);
    }

    /// Joins to `known` what an acquire operation of this reach acquires.
    pub(crate) fn acquire(&self, reach: Reach, known: &mut Known) {
        known.join(&self.near);
        if reach == Reach::Launch {
            known.join(&self.far);
        }
    }
}
