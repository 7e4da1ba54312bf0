//! Order of accesses besides the knowledge of threads.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::thread::Who;
use crate::ptx::order::knowledge::{Through, WarpState};
use clocks::Shared;
use events::Scope;

/// Order besides knowledge: which blocks a scope includes, and for which threads asynchronous operations are
/// complete.
pub(crate) trait Context {
    fn cluster_of(&self, block: u32) -> u32;

    /// Returns whether `who`, a lane of `warp`, knows that asynchronous operation `op` is complete (if it
    /// `wrote`), or has at least read its source.
    fn knows_op(&self, warp: &WarpState, who: Who, op: u32, wrote: bool) -> bool;

    /// Returns whether a thread whose clock this is knows a wait that observed the completion of asynchronous operation `op`.
    fn op_is_observed(&self, clock: &Shared, op: u32) -> bool;

    /// Returns whether `who` knows a proxy fence behind the completion of asynchronous operation `op`, which accessed memory by the
    /// generic proxy, so that another proxy may access it.
    fn op_is_fenced(&self, warp: &WarpState, who: Who, op: u32, wrote: bool, through: Through) -> bool;

    /// Returns whether only whole barriers and their own warp order threads.
    fn simple(&self) -> bool;

    /// Returns whether asynchronous operations complete by their own threads' waits only, and in one proxy.
    fn groups_only(&self) -> bool;

    /// Returns whether there are operations that observe others', so that only some threads may know an access.
    fn observes(&self) -> bool;

    /// Returns whether the access that is being judged is one of shared memory.
    fn shared(&self) -> bool;

    /// A race could not be told from order, for lack of memory.
    fn unsure(&self);

    /// Returns whether `scope`, named by a thread of `a`, includes the threads of `b`.
    fn includes(&self, scope: Scope, a: u32, b: u32) -> bool {
        match scope {
            Scope::Cta => a == b,
            Scope::Cluster => a == b || self.cluster_of(a) == self.cluster_of(b),
            Scope::Gpu | Scope::Sys => true,
        }
    }

    /// Returns whether two strong operations of these classes and blocks are within each other's scope.
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
