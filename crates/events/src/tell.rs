//! Host events as calls.

use crate::access::RangeAccess;
use crate::host::{HostEvent, Proof};
use crate::ids::{SiteId, TaskId};
use crate::observer::Listener;
use crate::site::SiteTable;
use crate::task::{Allocation, LaunchFacts, TaskInfo};
use std::borrow::Cow;

/// Emits each host event by a method of its own. Listeners implement [`Listener::host`] alone, so that none
/// of the events can be forgotten.
pub trait Tell: Listener {
    fn task_start(&self, task: &TaskInfo) {
        self.host(&HostEvent::TaskStart(Cow::Borrowed(task)));
    }

    fn launched(&self, task: TaskId, facts: &LaunchFacts) {
        self.host(&HostEvent::Launched(task, Cow::Borrowed(facts)));
    }

    fn apart(&self, task: TaskId, sites: &[(SiteId, Proof)]) {
        self.host(&HostEvent::Apart(task, Cow::Borrowed(sites)));
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
