//! Happens-before between host calls: the rules of streams, events and synchronising calls, as a partial
//! order of tasks.
//!
//! This module executes nothing. It receives every submission and every synchronising call, in the order in
//! which the host made them, and returns the tasks that directly precede each new task. A false edge loses a
//! race and a missing one invents a race, so every rule cites the CUDA Programming Guide or the Runtime API
//! reference. The rules of streams are those of `stream_order`; this module numbers tasks and chains.
//!
//! One deliberate weakening: host threads count as ordered with each other in the order of their API calls.
//! The synchronisation of the program's threads (mutexes, joins, condition variables) is not observed, and
//! without this assumption every hand-over between threads would look like a race. Races between host threads
//! are outside this tool's scope.

mod known;
#[cfg(test)]
mod tests;

pub(crate) use known::Known;

use events::{Overlap, StreamId, TaskId};
use std::cell::RefCell;
use std::collections::HashMap;
pub(crate) use stream_order::Kind as StreamKind;
use stream_order::Streams;

/// This module's identifier of a stream, which is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StreamKey(pub(crate) u32);

/// A new task's place in the order.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) id: TaskId,
    pub(crate) chain: StreamId,
    pub(crate) after: Vec<TaskId>,
    /// The overlap of a programmatic dependent launch.
    pub(crate) overlap: Option<Overlap>,
    /// The clock that a waiter for the task joins.
    pub(crate) known: Known,
}

/// The chain of a stream's tasks.
#[derive(Debug)]
struct Tasks {
    chain: StreamId,
    /// The last kernel, and its clock before it could wait, if nothing follows it yet.
    last_kernel: Option<(TaskId, Known)>,
}

/// A host segment: a part of a host thread's execution without relevant API calls.
#[derive(Debug)]
struct Segment {
    chain: StreamId,
    current: Option<TaskId>,
    /// The value of [`Order::cuts`] when it began.
    cuts: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Order {
    next_task: u32,
    next_chain: u32,
    next_stream: u32,
    streams: Streams<StreamKey, Known, u32, Tasks>,
    /// Chains of destroyed streams with their last task, for reuse.
    retired_chains: Vec<(StreamId, Option<TaskId>)>,
    segments: HashMap<u32, Segment>,
    /// Counts submissions and synchronisations, each of which ends the current host segments.
    cuts: u64,
    /// The tasks before a mark, or for which something waits or may.
    marked: RefCell<Known>,
}

impl Order {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Returns a new chain, for tasks that are totally ordered.
    pub(crate) fn new_chain(&mut self) -> StreamId {
        self.next_chain += 1;
        StreamId(self.next_chain - 1)
    }

    /// Returns the chain of a destroyed stream that can be continued, or a new one.
    fn reuse_chain(&mut self) -> StreamId {
        // A chain is a total order, so it may be continued only if all new tasks are ordered after its tasks.
        let reusable = self
            .retired_chains
            .iter()
            .position(|&(chain, last)| last.is_none_or(|task| self.host().covers(chain, task)));
        match reusable {
            Some(i) => self.retired_chains.swap_remove(i).0,
            None => self.new_chain(),
        }
    }

    pub(crate) fn new_stream(&mut self, device: u32, kind: StreamKind) -> StreamKey {
        let chain = self.reuse_chain();
        let key = StreamKey(self.next_stream);
        self.next_stream += 1;
        self.streams.begin(key, device, kind, Tasks { chain, last_kernel: None });
        key
    }

    /// Implements `cudaStreamDestroy`: submitted work continues.
    pub(crate) fn destroy_stream(&mut self, stream: StreamKey) {
        if let Some(line) = self.streams.end(stream) {
            self.retired_chains.push((line.own.chain, line.tail.last(line.own.chain)));
        }
    }

    /// Returns the clock of an operation in `stream` if the stream's earlier work were `tail`.
    fn position_behind(&self, stream: StreamKey, tail: &Known) -> Known {
        match self.streams.get(stream) {
            Some(line) => self.streams.position(line.kind, line.device, Some(tail)),
            None => self.host().clone(),
        }
    }

    fn set_tail(&mut self, stream: StreamKey, known: Known) {
        if let Some(line) = self.streams.get_mut(stream) {
            line.tail = known;
            line.own.last_kernel = None;
        }
    }

    /// Returns the chain of a stream's tasks.
    fn chain(&mut self, stream: StreamKey) -> StreamId {
        match self.streams.get(stream) {
            Some(line) => line.own.chain,
            None => self.new_chain(),
        }
    }

    /// Submits a copy, memset or host function to a stream.
    pub(crate) fn submit(&mut self, stream: StreamKey) -> Placed {
        let known = self.streams.next(stream);
        let chain = self.chain(stream);
        let placed = self.submit_after(known, chain);
        self.set_tail(stream, placed.known.clone());
        placed
    }

    /// Submits a kernel to a stream. `overlaps` means programmatic stream serialisation: the kernel may begin
    /// before a kernel directly before it has ended (Programming Guide, "Programmatic Dependent Launch").
    /// Later work in the stream is ordered after both.
    pub(crate) fn submit_kernel(&mut self, stream: StreamKey, overlaps: bool) -> Placed {
        let line = self.streams.get(stream);
        let before = line.and_then(|line| line.own.last_kernel.as_ref().filter(|_| overlaps));
        let early = before.map(|(with, before)| (*with, self.position_behind(stream, before)));
        let last = line.and_then(|line| line.tail.last(line.own.chain).map(|task| (line.own.chain, task)));
        // The host or the legacy stream may have waited for the earlier kernel.
        let early = early.filter(|(_, early)| last.is_some_and(|(chain, task)| !early.covers(chain, task)));
        let known = early.as_ref().map_or_else(|| self.streams.next(stream), |(_, early)| early.clone());
        let mut placed = self.submit(stream);
        placed.overlap = early.map(|(with, early)| Overlap {
            with: vec![with],
            begun: Vec::new(),
            after: early.heads().collect(),
        });
        if let Some(line) = self.streams.get_mut(stream) {
            line.own.last_kernel = Some((placed.id, known));
        }
        placed
    }

    /// Submits a task that is ordered after exactly `known`, as the next of `chain`, whose last task `known`
    /// covers.
    pub(crate) fn submit_after(&mut self, known: Known, chain: StreamId) -> Placed {
        self.cuts += 1;
        let id = TaskId(self.next_task);
        self.next_task += 1;
        let mut after: Vec<TaskId> = known.heads().collect();
        if let Some(previous) = known.last(chain)
            && !after.contains(&previous)
        {
            after.push(previous);
        }
        Placed { id, chain, after, overlap: None, known: known.then(chain, id) }
    }

    /// Submits a graph's kernel node with programmatic edges. `known` is its clock once it has waited, and
    /// `early` its clock by its other edges. `with` lists each kernel at a programmatic edge with its chain,
    /// and whether that kernel need only have begun.
    pub(crate) fn submit_dependent(
        &mut self,
        known: Known,
        chain: StreamId,
        early: &Known,
        with: &[(TaskId, StreamId, bool)],
    ) -> Placed {
        let mut placed = self.submit_after(known, chain);
        // A kernel that another edge orders cannot be overlapped.
        let beside: Vec<_> = with.iter().filter(|(task, chain, _)| !early.covers(*chain, *task)).collect();
        if !beside.is_empty() {
            placed.overlap = Some(Overlap {
                with: beside.iter().map(|(task, ..)| *task).collect(),
                begun: beside.iter().filter(|(.., begun)| *begun).map(|(task, ..)| *task).collect(),
                after: early.heads().collect(),
            });
        }
        placed
    }

    /// Submits `cudaMemcpyPeer`, which is "serialized with respect to all pending and future asynchronous
    /// work" of the devices that it names.
    pub(crate) fn submit_serialized(&mut self, stream: StreamKey, devices: &[u32]) -> Placed {
        let mut known = self.streams.next(stream);
        for &device in devices {
            known.join(&self.device(device));
        }
        let chain = self.chain(stream);
        let placed = self.submit_after(known, chain);
        for line in self.streams.lines_mut().filter(|line| devices.contains(&line.device)) {
            line.tail.join(&placed.known);
        }
        self.set_tail(stream, placed.known.clone());
        placed
    }

    /// Marks a place in a stream, for `cudaEventRecord` and similar calls, and returns the work that is
    /// complete when it is reached. In the legacy stream a mark is a barrier like any other operation there.
    pub(crate) fn mark(&mut self, stream: StreamKey) -> Known {
        self.cuts += 1;
        let known = self.streams.mark(stream);
        self.marked.get_mut().join(&known);
        if let Some(line) = self.streams.get_mut(stream) {
            line.own.last_kernel = None;
        }
        known
    }

    /// Orders later work of a stream after `what`, for `cudaStreamWaitEvent` and the end of a graph launch.
    pub(crate) fn wait(&mut self, stream: StreamKey, what: &Known) {
        self.streams.wait(stream, what);
        if let Some(line) = self.streams.get_mut(stream) {
            line.own.last_kernel = None;
        }
    }

    /// Returns the work that `cudaStreamSynchronize` waits for.
    pub(crate) fn stream(&self, stream: StreamKey) -> Known {
        let known = match self.streams.get(stream) {
            Some(line) if line.kind == StreamKind::Legacy => self.streams.next(stream),
            Some(line) => line.tail.clone(),
            None => Known::default(),
        };
        self.marked.borrow_mut().join(&known);
        known
    }

    /// Returns the work that `cudaDeviceSynchronize` waits for.
    pub(crate) fn device(&self, device: u32) -> Known {
        let known = self.streams.device(device);
        self.marked.borrow_mut().join(&known);
        known
    }

    /// Returns whether something else than a stream's own work is, or may be, ordered after a task of the stream's `chain`.
    pub(crate) fn is_known(&self, chain: StreamId, task: TaskId) -> bool {
        let own = self
            .streams
            .keys()
            .find(|&stream| self.streams.get(stream).is_some_and(|line| line.own.chain == chain));
        let Some(stream) = own else { return true };
        let knows = |known: &Known| known.covers(chain, task);
        knows(&self.marked.borrow()) || self.streams.elsewhere(stream).any(knows)
    }

    /// Orders the host after `what`, which it has waited for or has otherwise seen complete.
    pub(crate) fn host_learns(&mut self, what: &Known) {
        self.cuts += 1;
        self.streams.host_mut().join(what);
    }

    /// Returns the host's clock.
    pub(crate) fn host(&self) -> &Known {
        self.streams.host()
    }

    /// Returns the task of memory accesses that host thread `thread` makes now, with its place if the task is
    /// new.
    pub(crate) fn host_segment(&mut self, thread: u32) -> (TaskId, Option<Placed>) {
        if let Some(segment) = self.segments.get(&thread)
            && segment.cuts == self.cuts
            && let Some(task) = segment.current
        {
            return (task, None);
        }
        let chain = match self.segments.get(&thread) {
            Some(segment) => segment.chain,
            None => self.new_chain(),
        };
        // All host threads share one clock, so it covers the chain's last segment.
        let placed = self.submit_after(self.host().clone(), chain);
        *self.streams.host_mut() = placed.known.clone();
        self.segments.insert(thread, Segment { chain, current: Some(placed.id), cuts: self.cuts });
        (placed.id, Some(placed))
    }
}
