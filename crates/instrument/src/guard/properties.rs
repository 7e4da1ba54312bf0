//! Static properties of a kernel.

/// Properties of a whole kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Properties {
    /// Whether all barriers of a block number its time; `warps` tells the same of a warp's barriers. If some
    /// do not, all of them release and acquire, too: threads may synchronise at different ones, or pass
    /// different numbers of them.
    pub(super) blocks: bool,
    pub(super) warps: bool,
    /// Whether some operation other than these barriers acquires. Otherwise the clock orders nothing.
    pub(super) clock: bool,
    /// Whether some operation releases to other blocks, and some acquires from them. Otherwise only
    /// operations before the launch are ordered before another block.
    pub(super) far: bool,
    /// Whether, in addition, all such operations and their flags are known.
    pub(super) fine: bool,
    /// Whether the order of its `fence.sc` operations may order blocks ([`super::pending`]).
    pub(super) fences: bool,
    /// Whether all strong reads are known. Then a fence acquires nothing unless a strong read precedes it.
    pub(super) reads: bool,
    /// Whether it has bulk copies.
    pub(super) bulk: bool,
    /// Whether asynchronous copies may arrive at an `mbarrier`.
    pub(super) arrive: bool,
    /// Whether it has partial or named barriers; `module_meets` tells the same of its module.
    pub(super) meets: bool,
    pub(super) module_meets: bool,
    /// Whether threads of its module may access the shared memory of other blocks of their cluster.
    pub(super) clusters: bool,
    /// The largest number of bulk groups that a wait of a kernel leaves outstanding ([`super::completion`]).
    pub(super) left: u32,
    /// Whether waits of a kernel acquire up to the last arrival ([`super::arrivals`]).
    pub(super) arrivals: bool,
    /// Whether the transactions of its `mbarrier`s are counted ([`super::transactions`]).
    pub(super) counts: bool,
    /// Whether it is a kernel that may begin before the preceding one has ended, and waits for that
    /// ([`super::early`]).
    pub(super) early: bool,
}
