//! What orders accesses besides what threads know of each other.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::thread::Who;
use crate::ptx::order::knowledge::WarpState;
use events::Scope;

/// What orders besides knowledge: which blocks a scope includes, which asynchronous operations are
/// complete for whom.
pub(crate) trait Context {
    fn cluster_of(&self, block: u32) -> u32;

    /// Does `who`, a lane of `warp`, know that asynchronous operation `op` is complete (if it `wrote`), or
    /// has at least read its source?
    fn knows_op(&self, warp: &WarpState, who: Who, op: u32, wrote: bool) -> bool;

    /// Does nothing order threads but whole barriers and their own warp?
    fn simple(&self) -> bool;

    /// Do asynchronous operations complete by their own threads' waits only, and in one proxy?
    fn groups_only(&self) -> bool;

    /// Are there operations that observe others', so that what was done may be known to some threads only?
    fn observes(&self) -> bool;

    /// Is the access that is being judged one of shared memory?
    fn shared(&self) -> bool;

    /// A race could not be told from order, for lack of memory.
    fn unsure(&self);

    /// Does `scope`, named by a thread of `a`, include the threads of `b`?
    fn includes(&self, scope: Scope, a: u32, b: u32) -> bool {
        match scope {
            Scope::Cta => a == b,
            Scope::Cluster => a == b || self.cluster_of(a) == self.cluster_of(b),
            Scope::Gpu | Scope::Sys => true,
        }
    }

    /// Are two strong operations of these classes and blocks within each other's scope?
    fn mutual(&self, a: AccessClass, a_block: u32, b: AccessClass, b_block: u32) -> bool {
        match (a.scope(), b.scope()) {
            (Some(s), Some(t)) => {
                a.other_proxy() == b.other_proxy()
                    && self.includes(s, a_block, b_block)
                    && self.includes(t, b_block, a_block)
            }
            (None, None) => a.on_mbarrier() && b.on_mbarrier(),
            _ => false,
        }
    }
}
