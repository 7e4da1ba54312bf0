//! Events of the host's side, which listeners receive as one type.
//!
//! # How to add a kind of host event
//!
//! A variant of [`HostEvent`], and a method of [`Tell`](crate::Tell) for engines that emit it. The compiler
//! names every listener that has to decide about it. If it is to be in traces, it gets a tag (`trace::code`),
//! a writer (`trace::record`), a reader (`trace::decode`), and the format a new version.

use crate::access::RangeAccess;
use crate::ids::{SiteId, TaskId};
use crate::site::Site;
use crate::task::{Allocation, LaunchFacts, TaskInfo};
use std::borrow::Cow;
use std::ops::Range;

/// Borrowed where it is told, owned where it is kept.
///
/// Told in the order in which it happened, while kernels run and from any thread, but never in the middle of an
/// engine's events.
#[derive(Clone, Debug, PartialEq)]
pub enum HostEvent<'a> {
    TaskStart(Cow<'a, TaskInfo>),
    TaskEnd(TaskId),
    /// The facts of a launch, once it has started.
    Launched(TaskId, Cow<'a, LaunchFacts>),
    /// A proof covers instructions of a launch that has started and not ended. It holds for the whole
    /// launch, whenever it becomes known. A detector of the PTX memory model may skip accesses by it.
    Apart(TaskId, Cow<'a, [(SiteId, Proof)]>),
    /// More order, learned later: the task is also after these.
    TaskAfter(TaskId, Cow<'a, [TaskId]>),
    Range(RangeAccess),
    /// Memory begins a new life: what was known of these addresses is void.
    Alloc(Cow<'a, Allocation>),
    Free {
        base: u64,
        bytes: u64,
    },
    /// A site is new, or known better than before. Detectors alone need not know.
    Site(SiteId, Cow<'a, Site>),
    /// The program ends in order.
    End,
}

/// What a proof says of an instruction in one launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Its weak accesses of shared memory race with nothing.
    Shared,
    /// It accesses global memory at these addresses, unless it strays from its array; `is_inside` excludes that.
    /// If no instruction strays and it `is_free`, its weak accesses race with no access of the launch; they may
    /// race with other tasks.
    Global { array: Range<u64>, is_free: bool, is_inside: bool },
}
