//! Keys of clocks beside those of blocks.

/// The key under which clocks keep which phases of mbarrier objects are known.
pub(crate) const PHASES: u32 = u32::MAX;

/// Set in a block's key: what is known of it *and* behind a proxy fence, PTX §8.9.5, for global
/// and for shared memory: a fence may be limited to one of them.
pub(crate) const FENCED_GLOBAL: u32 = 1 << 31;
pub(crate) const FENCED_SHARED: u32 = 1 << 30;
pub(crate) const FENCED: u32 = FENCED_GLOBAL | FENCED_SHARED;
/// As [`PHASES`], known *and* behind a proxy fence for global, and for shared memory. No block's key has these bits.
pub(crate) const PHASES_FENCED_GLOBAL: u32 = RELEASED | FENCED;
pub(crate) const PHASES_FENCED_SHARED: u32 = PHASES_FENCED_GLOBAL | 1;
/// The keys under which clocks keep which phases of mbarrier objects threads have waited for, whatever the semantics: what was done to
/// an object in a phase happens before whatever is behind a wait that observed it (PTX §8.9.5). The second one is of waits of cluster
/// scope, which observe what other blocks have done.
pub(crate) const OBSERVED: u32 = PHASES_FENCED_GLOBAL | 2;
pub(crate) const OBSERVED_WIDELY: u32 = PHASES_FENCED_GLOBAL | 3;
/// Set in a block's key: what is known of it *and* behind a release fence of GPU scope. Kept by kernels that may let a
/// dependent launch begin.
pub(crate) const RELEASED: u32 = 1 << 29;

/// Set in a block's key, a combination that no other has: which `mbarrier.init` of its threads are known by way of a
/// `fence.mbarrier_init`.
pub(crate) const INITS: u32 = RELEASED | FENCED_GLOBAL;

/// Set in a block's key: what is known of it *and* behind a release, and a release and an acquire, of `fence.proxy.tensormap`.
pub(crate) const MAPS_RELEASED: u32 = RELEASED | FENCED_SHARED;
pub(crate) const MAPS: u32 = FENCED_GLOBAL | FENCED_SHARED;
/// Set in a block's key: what is known of it by operations on tensor memory alone.
pub(crate) const TENSOR: u32 = 1 << 28;
/// Set in a block's key: which operations on tensor memory of its threads are known to have been issued.
pub(crate) const ISSUED: u32 = TENSOR | FENCED_SHARED;
/// As [`PHASES`], known by operations on tensor memory alone.
pub(crate) const TENSOR_PHASES: u32 = TENSOR | FENCED_GLOBAL;
/// All bits of a key that are not the block's.
pub(crate) const BITS: u32 = RELEASED | FENCED | TENSOR;
