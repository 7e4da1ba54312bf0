//! What orders the threads of a launch besides what they know: its scopes, its copies, the shape of its kernel.

use crate::ptx::access::thread::Who;
use crate::ptx::history::words::packing::Stand;
use crate::ptx::launch::Launch;
use crate::ptx::order::context::Context;
use crate::ptx::order::knowledge::{Through, WarpState};
use crate::shadow::lock;
use clocks::Shared;
use std::sync::Arc;

/// Scopes and completions.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) launch: Arc<Launch>,
    /// Nothing but whole barriers and the warp itself orders threads.
    pub(crate) orderless: bool,
    /// And ticks begin at whole barriers only: lines may tell by them what is behind one.
    pub(crate) simple: bool,
    /// So they may at shared memory that no other block reaches, where there may also be copies that their threads wait for.
    pub(crate) own: bool,
    /// The access at hand is one of shared memory.
    pub(crate) shared: bool,
}

impl Order {
    /// From now on ticks begin at other times, too.
    pub(crate) fn ticks(&mut self) {
        (self.simple, self.own) = (false, false);
    }

    /// For which reads two stand.
    #[inline]
    pub(crate) fn stand(&self) -> Stand {
        match (self.orderless, self.launch.is_large()) {
            (true, true) => Stand::All,
            (true, false) => Stand::Alike,
            (false, true) => Stand::Each,
            (false, false) => Stand::Earlier,
        }
    }
}

impl Context for Order {
    fn cluster_of(&self, block: u32) -> u32 {
        self.launch.cluster_of(block)
    }

    fn knows_op(&self, warp: &WarpState, who: Who, op: u32, wrote: bool) -> bool {
        lock(&self.launch.ops).known(warp, who, op, wrote)
    }

    fn op_is_observed(&self, clock: &Shared, op: u32) -> bool {
        lock(&self.launch.ops).is_observed(clock, op)
    }

    fn op_is_fenced(&self, warp: &WarpState, who: Who, op: u32, wrote: bool, through: Through) -> bool {
        lock(&self.launch.ops).fenced(warp, who, op, wrote, through)
    }

    fn simple(&self) -> bool {
        self.simple
    }

    fn groups_only(&self) -> bool {
        self.launch.info.uses.groups_only
    }

    fn observes(&self) -> bool {
        self.launch.info.uses.fences_or_strong
    }

    fn shared(&self) -> bool {
        self.shared
    }

    fn unsure(&self) {
        self.launch.set_unsure();
    }
}
