//! What is known of a kernel before it runs.

/// What holds in all of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// Do all barriers of a block number its time, and all of a warp the warp's? Where some do not, all of them
    /// release and acquire, too: threads may meet by different ones, or pass a different number.
    pub(super) blocks: bool,
    pub(super) warps: bool,
    /// Does anything in it acquire, but for these barriers? Otherwise the clock orders nothing.
    pub(super) clock: bool,
    /// Does anything in it release to other blocks, and anything acquire from them? Otherwise only what was before the launch is ordered
    /// before another block.
    pub(super) far: bool,
    /// And is all known that may, and where?
    pub(super) fine: bool,
    /// Whether blocks may be ordered by the order of its `fence.sc` operations ([`super::pending`]).
    pub(super) fences: bool,
    /// Are all strong reads known? Then a fence acquires nothing if there was none before it.
    pub(super) reads: bool,
    /// Are there bulk copies?
    pub(super) bulk: bool,
    /// May copies arrive at an `mbarrier` by themselves?
    pub(super) arrive: bool,
    /// Are there barriers of some lanes, or with names, and are there any in its module?
    pub(super) meets: bool,
    pub(super) module_meets: bool,
    /// May threads of its module access the shared memory of other blocks of their cluster?
    pub(super) clusters: bool,
    /// Is it a kernel that may begin before another one has ended, and waits for that ([`super::early`])?
    pub(super) early: bool,
}
