//! The receivers of a worker's events: the observer and, under schedule `weak`, the weak memory.

use super::late::Weak;
use events::{Access, Observer, Sync, TaskId};
use weak::Next;

pub(crate) struct Outlet<O> {
    observer: O,
    /// The memory that decides which writes reads return; `None` under all schedules but `weak`.
    pub weak: Option<Box<Weak>>,
}

impl<O> Outlet<O> {
    pub(crate) fn new(observer: O) -> Outlet<O> {
        Outlet { observer, weak: None }
    }
}

impl<O: Observer> Outlet<O> {
    #[inline(always)]
    pub(crate) fn active(&self) -> bool {
        self.observer.active() || self.weak.is_some()
    }

    #[inline(always)]
    pub(crate) fn wants_values(&self, task: TaskId) -> bool {
        self.observer.wants_values(task)
    }

    #[inline(always)]
    pub(crate) fn access(&mut self, access: &Access<'_>) {
        if let Some(weak) = &mut self.weak
            && access.kind.operation().is_none_or(|op| weak.memory.copy(op).is_none())
        {
            if access.kind.writes() {
                weak.perform_before(Next::Other);
            }
            weak.memory.foreign(access);
        }
        self.observer.access(access);
    }

    /// Receives an access that the weak memory performs, if there is one.
    #[inline(always)]
    pub(crate) fn modelled(&mut self, access: &Access<'_>) {
        self.observer.access(access);
    }

    #[inline(always)]
    pub(crate) fn sync(&mut self, sync: &Sync<'_>) {
        if let Some(weak) = &mut self.weak {
            weak.finish_copies(sync);
            weak.perform_before(Next::Sync(sync));
            weak.memory.sync(sync);
        }
        self.observer.sync(sync);
    }

    pub(crate) fn rest(&mut self) {
        self.observer.rest();
    }
}
