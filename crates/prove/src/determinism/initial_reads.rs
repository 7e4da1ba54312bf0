//! A monitor that records which loads of a launch read memory that the launch has not written itself.
//!
//! The contents of global memory before a launch are known for observed launches only. An execution that
//! reads none of them, or none that affect the result, represents every launch with these arguments.

use crate::determinism::reads_from::ReadRecorder;
use detect::ptx::PtxMonitor;
use events::{
    Access, Account, Erased, Finding, HostEvent, Listener, Monitor, Observer, SiteId, Space, Sync, TaskId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of bytes that one word of flags covers.
const WORD: u64 = 64;

#[derive(Debug, Default)]
struct Bytes {
    /// The bytes that were written, as a bit mask by index of the word.
    written: FxHashMap<u64, u64>,
    /// The sites that have read other bytes.
    readers: FxHashSet<SiteId>,
}

impl Bytes {
    fn access(&mut self, access: &Access<'_>, constant: &[Range<u64>]) {
        let bytes = u64::from(access.size) * u64::from(access.elements);
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 == 1) {
            let start = access.addresses[lane];
            let end = start.saturating_add(bytes);
            if access.kind.reads() && constant.iter().any(|c| c.start <= start && end <= c.end) {
                continue;
            }
            let mut at = start;
            while at < end {
                let (word, first) = (at / WORD, at % WORD);
                let count = (WORD - first).min(end - at);
                let mask = (u64::MAX >> (WORD - count)) << first;
                let known = self.written.entry(word).or_default();
                if access.kind.reads() && *known & mask != mask {
                    self.readers.insert(access.site);
                }
                if access.kind.writes() {
                    *known |= mask;
                }
                at += count;
            }
        }
    }
}

/// Precedes the detector of the PTX memory model, or another monitor.
#[derive(Debug, Default)]
pub(crate) struct InitialReads<M = PtxMonitor> {
    pub(crate) inner: M,
    /// The memory with known contents before the launch.
    constant: Arc<Vec<Range<u64>>>,
    bytes: Arc<Mutex<Bytes>>,
    moved: Option<Arc<Mutex<ReadRecorder>>>,
}

/// The reads of an execution.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// The sites that have read global memory that the launch had not written before.
    pub(crate) readers: FxHashSet<SiteId>,
    /// For each load the stores that it has read from, if that was recorded.
    pub(crate) read: Option<FxHashMap<SiteId, FxHashSet<SiteId>>>,
}

impl<M: Monitor + 'static> InitialReads<M> {
    /// Returns it as the monitor of a launch: the engine is not compiled for this type.
    pub(crate) fn erased(self: &Arc<Self>) -> Arc<Erased> {
        Arc::new(Erased::new(Arc::clone(self)))
    }
}

impl<M> InitialReads<M> {
    pub(crate) fn before(inner: M, mut constant: Vec<Range<u64>>) -> Self {
        constant.push(simt::WORKSPACES);
        InitialReads { inner, constant: Arc::new(constant), bytes: Arc::default(), moved: None }
    }

    /// Also records which store each load reads from.
    pub(crate) fn following(self) -> Self {
        InitialReads { moved: Some(Arc::default()), ..self }
    }

    pub(crate) fn seen(&self) -> Reads {
        let moved = self.moved.as_ref().map(|m| m.lock().unwrap_or_else(PoisonError::into_inner));
        Reads { readers: self.readers(), read: moved.and_then(|m| m.read()) }
    }

    /// Returns the sites that have read global memory that the launch had not written before.
    pub(crate) fn readers(&self) -> FxHashSet<SiteId> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).readers.clone()
    }

    /// Returns whether the launch has written all bytes of a place.
    pub(crate) fn has_written(&self, place: &Range<u64>) -> bool {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is = |at: u64| bytes.written.get(&(at / WORD)).is_some_and(|w| w >> (at % WORD) & 1 == 1);
        place.clone().all(is)
    }
}

pub(crate) struct InitialReadsObserver<O> {
    inner: O,
    constant: Arc<Vec<Range<u64>>>,
    bytes: Arc<Mutex<Bytes>>,
    moved: Option<Arc<Mutex<ReadRecorder>>>,
}

impl<O: Observer> Observer for InitialReadsObserver<O> {
    fn wants_values(&self, task: TaskId) -> bool {
        self.inner.wants_values(task)
    }

    fn access(&mut self, access: &Access<'_>) {
        if access.space == Space::Global {
            let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            bytes.access(access, &self.constant);
        }
        if let Some(moved) = &self.moved {
            moved.lock().unwrap_or_else(PoisonError::into_inner).access(access);
        }
        self.inner.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.inner.sync(sync);
    }

    fn rest(&mut self) {
        self.inner.rest();
    }
}

impl<M: Monitor> Listener for InitialReads<M> {
    fn host(&self, event: &HostEvent<'_>) {
        self.inner.host(event);
    }

    fn findings(&self) -> Vec<Finding> {
        self.inner.findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.inner.so_far()
    }

    fn account(&self) -> Account {
        self.inner.account()
    }
}

impl<M: Monitor> Monitor for InitialReads<M> {
    type Observer = InitialReadsObserver<M::Observer>;

    fn observer(&self, worker: usize) -> InitialReadsObserver<M::Observer> {
        InitialReadsObserver {
            inner: self.inner.observer(worker),
            constant: Arc::clone(&self.constant),
            bytes: Arc::clone(&self.bytes),
            moved: self.moved.clone(),
        }
    }
}
