//! Which host call is ordered after which: the rules of streams, events and
//! synchronising calls, as a partial order of tasks.
//!
//! This module executes nothing. It is told of every submission and every
//! synchronising call, in the order in which the host made them, and answers with
//! the tasks each new task is directly after. A false edge loses a race, a missing
//! one invents a race, so every rule names where the CUDA Programming Guide or the
//! Runtime API reference states it.
//!
//! One deliberate weakening: host threads are taken as ordered with each other in
//! the order of their API calls. How threads of the program synchronise (mutexes,
//! joins, condition variables) is not observed, and without it every hand-over
//! between threads would look like a race. Races between host threads are not this
//! tool's subject.

mod known;
#[cfg(test)]
mod tests;

pub(crate) use known::Known;

use events::{Overlap, StreamId, TaskId};
use std::collections::{BTreeMap, HashMap};

/// A stream as this module names it; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StreamKey(pub(crate) u32);

/// How a stream relates to the legacy default stream of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// The legacy default stream itself: it waits for all blocking streams of its
    /// device, and they wait for it (Programming Guide, "Default Stream").
    Legacy,
    /// Made by `cudaStreamCreate`, and per-thread default streams.
    Blocking,
    /// `cudaStreamNonBlocking`: no implicit order with the legacy stream.
    NonBlocking,
}

/// A new task's place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) id: TaskId,
    pub(crate) chain: StreamId,
    pub(crate) after: Vec<TaskId>,
    /// For a programmatic dependent launch.
    pub(crate) overlap: Option<Overlap>,
    /// What whoever waits for the task will know.
    pub(crate) known: Known,
}

#[derive(Debug)]
struct Line {
    device: u32,
    kind: StreamKind,
    chain: StreamId,
    tail: Known,
    /// The last kernel, and what it was after before it could wait, if nothing came behind it yet.
    last_kernel: Option<(TaskId, Known)>,
}

/// A host segment: a stretch of a host thread without API calls that matter.
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
    lines: BTreeMap<StreamKey, Line>,
    /// Chains of destroyed streams with their last task, for reuse.
    retired_chains: Vec<(StreamId, Option<TaskId>)>,
    /// Work of destroyed streams, by device: `cudaDeviceSynchronize` still waits for it.
    retired: HashMap<u32, Known>,
    host: Known,
    segments: HashMap<u32, Segment>,
    /// Counts submissions and synchronisations: each ends the current host segments.
    cuts: u64,
}

impl Order {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A chain for tasks that are ordered among themselves.
    pub(crate) fn new_chain(&mut self) -> StreamId {
        self.next_chain += 1;
        StreamId(self.next_chain - 1)
    }

    /// The chain of a destroyed stream, if there is one to go on with, or a new one.
    fn reuse_chain(&mut self) -> StreamId {
        // A chain is a total order, so it may go on only if everything new is after everything
        // that was on it.
        let reusable = self
            .retired_chains
            .iter()
            .position(|&(chain, last)| last.is_none_or(|task| self.host.covers(chain, task)));
        match reusable {
            Some(i) => self.retired_chains.swap_remove(i).0,
            None => self.new_chain(),
        }
    }

    pub(crate) fn new_stream(&mut self, device: u32, kind: StreamKind) -> StreamKey {
        let chain = self.reuse_chain();
        let key = StreamKey(self.next_stream);
        self.next_stream += 1;
        self.lines.insert(key, Line { device, kind, chain, tail: Known::default(), last_kernel: None });
        key
    }

    /// `cudaStreamDestroy`: work already submitted goes on.
    pub(crate) fn destroy_stream(&mut self, stream: StreamKey) {
        if let Some(line) = self.lines.remove(&stream) {
            self.retired_chains.push((line.chain, line.tail.last(line.chain)));
            self.retired.entry(line.device).or_default().join(&line.tail);
        }
    }

    /// What an operation submitted to `stream` now is after: all the host knows, the
    /// stream's earlier work, and the legacy stream's rule.
    fn position(&self, stream: StreamKey) -> Known {
        self.position_behind(stream, self.lines.get(&stream).map(|line| &line.tail))
    }

    /// The same, had the stream's earlier work been `tail`.
    fn position_behind(&self, stream: StreamKey, tail: Option<&Known>) -> Known {
        let mut known = self.host.clone();
        let Some(line) = self.lines.get(&stream) else { return known };
        if let Some(tail) = tail {
            known.join(tail);
        }
        match line.kind {
            StreamKind::NonBlocking => {}
            StreamKind::Blocking => {
                for other in self.lines.values() {
                    if other.device == line.device && other.kind == StreamKind::Legacy {
                        known.join(&other.tail);
                    }
                }
            }
            StreamKind::Legacy => {
                for other in self.lines.values() {
                    if other.device == line.device && other.kind == StreamKind::Blocking {
                        known.join(&other.tail);
                    }
                }
                // A destroyed blocking stream's work is still waited for. Whether a destroyed
                // stream was blocking is not kept: at worst a race with it is lost.
                if let Some(retired) = self.retired.get(&line.device) {
                    known.join(retired);
                }
            }
        }
        known
    }

    fn set_tail(&mut self, stream: StreamKey, known: Known) {
        if let Some(line) = self.lines.get_mut(&stream) {
            line.tail = known;
            line.last_kernel = None;
        }
    }

    /// A copy, memset or host function is submitted to a stream.
    pub(crate) fn submit(&mut self, stream: StreamKey) -> Placed {
        let known = self.position(stream);
        let chain = match self.lines.get(&stream) {
            Some(line) => line.chain,
            None => self.new_chain(),
        };
        let placed = self.submit_after(known, chain);
        self.set_tail(stream, placed.known.clone());
        placed
    }

    /// A kernel is submitted to a stream; `overlaps` if it was launched with programmatic stream serialisation: it
    /// may begin before a kernel directly before it has ended (Programming Guide, "Programmatic Dependent
    /// Launch"). What comes later in the stream is after both.
    pub(crate) fn submit_kernel(&mut self, stream: StreamKey, overlaps: bool) -> Placed {
        let line = self.lines.get(&stream);
        let before = line.and_then(|line| line.last_kernel.as_ref().filter(|_| overlaps));
        let early = before.map(|(with, before)| (*with, self.position_behind(stream, Some(before))));
        let last = line.and_then(|line| line.tail.last(line.chain).map(|task| (line.chain, task)));
        // It may have been waited for by the host, or by the legacy stream.
        let early = early.filter(|(_, early)| last.is_some_and(|(chain, task)| !early.covers(chain, task)));
        let known = early.as_ref().map_or_else(|| self.position(stream), |(_, early)| early.clone());
        let mut placed = self.submit(stream);
        placed.overlap = early.map(|(with, early)| Overlap {
            with: vec![with],
            begun: Vec::new(),
            after: early.heads().collect(),
        });
        if let Some(line) = self.lines.get_mut(&stream) {
            line.last_kernel = Some((placed.id, known));
        }
        placed
    }

    /// A task after exactly what `known` says, as the next of `chain`, whose last task `known` covers.
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

    /// A kernel node of a graph with programmatic edges. `known` is what it is after once it has waited, `early` what it is
    /// after by its other edges, `with` each kernel at such an edge with its chain, and whether it need only have begun.
    pub(crate) fn submit_dependent(
        &mut self,
        known: Known,
        chain: StreamId,
        early: &Known,
        with: &[(TaskId, StreamId, bool)],
    ) -> Placed {
        let mut placed = self.submit_after(known, chain);
        // What another edge orders cannot be overlapped.
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

    /// `cudaMemcpyPeer`: "serialized with respect to all pending and future asynchronous
    /// work" of the devices it names.
    pub(crate) fn submit_serialized(&mut self, stream: StreamKey, devices: &[u32]) -> Placed {
        let mut known = self.position(stream);
        for &device in devices {
            known.join(&self.device(device));
        }
        let chain = match self.lines.get(&stream) {
            Some(line) => line.chain,
            None => self.new_chain(),
        };
        let placed = self.submit_after(known, chain);
        for line in self.lines.values_mut().filter(|line| devices.contains(&line.device)) {
            line.tail.join(&placed.known);
        }
        self.set_tail(stream, placed.known.clone());
        placed
    }

    /// `cudaEventRecord`, and any other mark in a stream: what is complete when it is reached.
    /// In the legacy stream it is a barrier like any other operation there.
    pub(crate) fn mark(&mut self, stream: StreamKey) -> Known {
        self.cuts += 1;
        let known = self.position(stream);
        self.set_tail(stream, known.clone());
        known
    }

    /// `cudaStreamWaitEvent`, the end of a graph launch: later work of the stream is after `what`.
    pub(crate) fn wait(&mut self, stream: StreamKey, what: &Known) {
        let mut known = self.position(stream);
        known.join(what);
        self.set_tail(stream, known);
    }

    /// What `cudaStreamSynchronize` waits for.
    pub(crate) fn stream(&self, stream: StreamKey) -> Known {
        match self.lines.get(&stream) {
            Some(line) if line.kind == StreamKind::Legacy => self.position(stream),
            Some(line) => line.tail.clone(),
            None => Known::default(),
        }
    }

    /// What `cudaDeviceSynchronize` waits for.
    pub(crate) fn device(&self, device: u32) -> Known {
        let mut known = self.retired.get(&device).cloned().unwrap_or_default();
        for line in self.lines.values().filter(|line| line.device == device) {
            known.join(&line.tail);
        }
        known
    }

    /// The host has waited for, or has otherwise been told of, the end of `what`.
    pub(crate) fn host_learns(&mut self, what: &Known) {
        self.cuts += 1;
        self.host.join(what);
    }

    /// What the host knows to be complete.
    pub(crate) fn host(&self) -> &Known {
        &self.host
    }

    /// The task for memory accesses that host thread `thread` makes now. `Some(placed)` if a
    /// new one begins with them.
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
        // All host threads share what the host knows, so it covers the chain's last segment.
        let placed = self.submit_after(self.host.clone(), chain);
        self.host = placed.known.clone();
        self.segments.insert(thread, Segment { chain, current: Some(placed.id), cuts: self.cuts });
        (placed.id, Some(placed))
    }
}
