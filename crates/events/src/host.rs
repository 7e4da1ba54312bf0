//! What the host's side does, told to listeners as one kind of event.

use crate::ids::{SiteId, TaskId};
use crate::observer::{Listener, RangeAccess};
use crate::site::{Site, SiteTable};
use crate::task::{Allocation, LaunchFacts, TaskInfo};
use std::borrow::Cow;

/// Borrowed where it is told, owned where it is kept.
///
/// Told in the order in which it happened, while kernels run and from any thread, but never in the middle of an
/// engine's events.
#[derive(Clone, Debug, PartialEq)]
pub enum HostEvent<'a> {
    TaskStart(Cow<'a, TaskInfo>),
    TaskEnd(TaskId),
    /// What a launch was given, once it has started.
    Launched(TaskId, Cow<'a, LaunchFacts>),
    /// More order, learned later: the task is also after these.
    TaskAfter(TaskId, Cow<'a, [TaskId]>),
    Range(RangeAccess),
    /// Memory begins a new life: what was known of these addresses is void.
    Alloc(Cow<'a, Allocation>),
    Free {
        base: u64,
        bytes: u64,
    },
    /// A site is new, or known better than before. Those who only detect need not know.
    Site(SiteId, Cow<'a, Site>),
    /// The program ends in order.
    End,
}

/// For who speaks: each host event as a call. Listeners implement [`Listener::host`] alone, so that none of the
/// events can be forgotten.
pub trait Tell: Listener {
    fn task_start(&self, task: &TaskInfo) {
        self.host(&HostEvent::TaskStart(Cow::Borrowed(task)));
    }

    fn launched(&self, task: TaskId, facts: &LaunchFacts) {
        self.host(&HostEvent::Launched(task, Cow::Borrowed(facts)));
    }

    fn task_end(&self, task: TaskId) {
        self.host(&HostEvent::TaskEnd(task));
    }

    fn task_after(&self, task: TaskId, after: &[TaskId]) {
        self.host(&HostEvent::TaskAfter(task, Cow::Borrowed(after)));
    }

    fn range(&self, range: &RangeAccess) {
        self.host(&HostEvent::Range(*range));
    }

    fn alloc(&self, allocation: &Allocation) {
        self.host(&HostEvent::Alloc(Cow::Borrowed(allocation)));
    }

    fn free(&self, base: u64, bytes: u64) {
        self.host(&HostEvent::Free { base, bytes });
    }

    /// The sites of the table from `from` on.
    fn sites(&self, table: &SiteTable, from: SiteId) {
        for (id, site) in table.iter().skip(from.0 as usize) {
            self.host(&HostEvent::Site(id, Cow::Borrowed(site)));
        }
    }

    fn end(&self) {
        self.host(&HostEvent::End);
    }
}

impl<L: Listener + ?Sized> Tell for L {}
