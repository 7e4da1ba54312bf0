//! Happens-before between launches and the host, as far as driver calls establish it.
//!
//! A stream is a chain of launches. Work that waits for a stream, through an event or on the host, is ordered
//! after everything that the stream is ordered after. Unknown order counts as order, so that no report is
//! wrong:
//!
//! - All host threads count as one thread.
//! - Copies of pageable memory, host functions, graphs, values in memory and other processes may signal the
//!   host, and count as having done so at once.
//! - A kernel that may synchronise with other kernels counts as ordered after all of them, until the host has
//!   waited for it.
//!
//! Each stream belongs to a device. Host, events and lanes are common to all devices, so that waiting across
//! devices is covered too.
//!
//! The rules are those of the CUDA driver API ("Stream synchronization behavior", "API synchronization
//! behavior").

use instrument::guard::chain::Chain;
use instrument::guard::launches::{BYTES, Before, LANES, Launched, Launches};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A stream. Each device has a legacy default stream, and one default stream for each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    Legacy(i32),
    Thread(u64, i32),
    Made(usize),
}

#[derive(Clone, Debug, Default)]
struct Line {
    /// The stream's device; `None` if it is unknown.
    device: Option<i32>,
    /// Whether the stream and the legacy stream wait for each other.
    blocking: bool,
    /// The lanes of the stream's launches.
    chain: Chain,
    tail: Before,
    /// The work that was ordered before the stream's last kernel.
    without: Before,
}

/// A clock that covers everything.
const ALL: Before = Before { numbers: [0; LANES], all: true };

/// Returns whether two streams may belong to the same device.
fn meet(one: Option<i32>, other: Option<i32>) -> bool {
    one == other || one.is_none() || other.is_none()
}

#[derive(Debug, Default)]
pub(crate) struct Order {
    launches: Launches,
    host: Before,
    streams: HashMap<Stream, Line>,
    /// The clocks of destroyed streams, by device.
    retired: HashMap<Option<i32>, Before>,
    /// The clock of each event's last record.
    events: HashMap<usize, Before>,
    /// Events that parties outside this library's view record too.
    foreign: HashSet<usize>,
    /// Whether graphs may record events.
    graphs_record: bool,
    /// The size of each live allocation, and the end of each freed one, by address.
    used: HashMap<u64, u64>,
    freed: BTreeMap<u64, u64>,
    /// For each lane, the last launch that may synchronise with the host while it runs.
    learning: [u32; LANES],
}

impl Order {
    /// Returns the host's clock: the launches ordered before its next action.
    pub(crate) fn host(&self) -> Before {
        self.host
    }

    /// Returns a clock that covers every launch so far.
    pub(crate) fn so_far(&self) -> Before {
        self.launches.so_far()
    }

    /// Returns the last launch of a lane that may have synchronised with the host while it ran.
    pub(crate) fn learned_in(&self, lane: usize) -> u32 {
        self.learning[lane]
    }

    /// Returns whether the stream is known.
    pub(crate) fn knows(&self, stream: Stream) -> bool {
        !matches!(stream, Stream::Made(_)) || self.streams.contains_key(&stream)
    }

    /// Adds a stream.
    pub(crate) fn begun(&mut self, stream: Stream, device: Option<i32>, blocking: bool) {
        self.streams.insert(stream, Line { device, blocking, ..Line::default() });
    }

    /// Returns the device of a stream, if it is known.
    pub(crate) fn device(&self, stream: Stream) -> Option<i32> {
        match stream {
            Stream::Legacy(device) | Stream::Thread(_, device) => Some(device),
            Stream::Made(_) => self.streams.get(&stream)?.device,
        }
    }

    pub(crate) fn destroyed(&mut self, stream: Stream) {
        if let Some(line) = self.streams.remove(&stream) {
            self.retired.entry(line.device).or_default().join(&line.tail);
        }
    }

    fn line(&mut self, stream: Stream) -> &mut Line {
        let (device, blocking) = (self.device(stream), !matches!(stream, Stream::Legacy(_)));
        self.streams.entry(stream).or_insert(Line { device, blocking, ..Line::default() })
    }

    /// Returns the clock of the next work in a stream.
    fn position(&self, stream: Stream) -> Before {
        self.position_behind(stream, self.streams.get(&stream).map(|line| &line.tail))
    }

    /// Returns the clock that the next work in a stream would have without the stream's last kernel.
    fn position_without(&self, stream: Stream) -> Before {
        self.position_behind(stream, self.streams.get(&stream).map(|line| &line.without))
    }

    fn position_behind(&self, stream: Stream, tail: Option<&Before>) -> Before {
        let mut out = self.host;
        let line = self.streams.get(&stream);
        if let Some(tail) = tail {
            out.join(tail);
        }
        let device = self.device(stream);
        if let Stream::Legacy(_) = stream {
            self.retired.iter().filter(|(of, _)| meet(**of, device)).for_each(|(_, tail)| out.join(tail));
            for line in self.streams.values().filter(|line| line.blocking && meet(line.device, device)) {
                out.join(&line.tail);
            }
        } else if line.is_none_or(|line| line.blocking) {
            let legacy =
                |(stream, _): &(&Stream, _)| matches!(stream, Stream::Legacy(of) if meet(Some(*of), device));
            self.streams.iter().filter(legacy).for_each(|(_, line)| out.join(&line.tail));
        }
        out
    }

    /// Records the launch of a kernel that has the launch parameter, and returns the parameter's value.
    /// `overlaps` means that the launch may begin before its predecessor in the stream has ended
    /// (programmatic dependent launch).
    pub(crate) fn launched(
        &mut self,
        stream: Stream,
        kernel: Launched,
        overlaps: bool,
    ) -> [u8; BYTES as usize] {
        let mut before = self.position(stream);
        before.all |= kernel.acquires;
        // The predecessor is known to have ended if the host or the legacy stream has waited for it.
        let behind = self.line(stream).chain.last();
        let is_known =
            behind.is_some_and(|(lane, number)| self.position_without(stream).numbers[lane] >= number);
        let line = self.streams.entry(stream).or_default();
        line.without = line.tail;
        if is_known {
            line.chain.known();
        }
        let told = self.launches.launched(&mut line.chain, (&kernel, overlaps), &mut before);
        line.tail = before;
        if let Some((lane, _)) = told.filter(|_| kernel.acquires) {
            self.learning[lane] = before.numbers[lane];
        }
        if kernel.tells {
            self.host.join(&before);
        }
        told.map_or(Launches::UNKNOWN, |(_, told)| told)
    }

    /// Records a copy or a similar call as a launch, and returns its launch parameter; `None` if no launch
    /// can race with it.
    pub(crate) fn called(&mut self, stream: Stream) -> Option<[u8; BYTES as usize]> {
        let told = self.launched(stream, Launched::plain(0), false);
        self.line(stream).chain.over();
        (told != Launches::UNKNOWN).then_some(told)
    }

    /// Records stream work that is no kernel. A launch that may overlap its predecessor kernel need not be
    /// concurrent with that one any more.
    pub(crate) fn came(&mut self, stream: Stream) {
        self.line(stream).chain.unknown();
    }

    /// Returns whether the program has created streams.
    pub(crate) fn has_streams(&self) -> bool {
        self.streams.keys().any(|stream| !matches!(stream, Stream::Legacy(_)))
    }

    /// Records opaque work: it is ordered after its predecessors in the stream, and everything may be ordered
    /// before its end.
    pub(crate) fn passed(&mut self, stream: Stream) {
        let mut before = self.position(stream);
        self.host.join(&before);
        before.all = true;
        let line = self.line(stream);
        line.tail = before;
        line.chain.known();
        line.chain.unknown();
    }

    /// Orders the work of a stream before the host's next action, since the host may learn of it at any time.
    pub(crate) fn tells(&mut self, stream: Stream) {
        let before = self.position(stream);
        self.host.join(&before);
    }

    /// Records that the host has waited for a stream.
    pub(crate) fn waited(&mut self, stream: Stream) {
        let before = self.position(stream);
        self.learned(before);
        // The host has joined whatever the stream knew, so the stream's clock needs no "everything" any more.
        self.line(stream).tail.all = false;
    }

    /// Records that the host has waited for all work of a device, or of all devices for `None`.
    pub(crate) fn waited_all(&mut self, device: Option<i32>) {
        let done = |of: Option<i32>| device.is_none() || of == device;
        if self.streams.values().map(|line| line.device).chain(self.retired.keys().copied()).all(done) {
            self.host = self.launches.so_far();
        }
        let lines = self.streams.values_mut().map(|line| (line.device, &mut line.tail));
        let retired = self.retired.iter_mut().map(|(of, tail)| (*of, tail));
        let mut known = Before::default();
        for (_, tail) in lines.chain(retired).filter(|(of, _)| done(*of)) {
            known.join(tail);
            tail.all = false;
        }
        self.learned(known);
    }

    /// Records that the host has waited for an unknown set of launches, which counts as all of them.
    pub(crate) fn may_have_waited(&mut self) {
        let all = self.launches.so_far();
        self.host.join(&all);
    }

    fn learned(&mut self, mut before: Before) {
        if std::mem::take(&mut before.all) {
            // Whatever that work synchronised with had been launched by now.
            before = self.launches.so_far();
        }
        self.host.join(&before);
    }

    /// Records an event in a stream.
    pub(crate) fn recorded(&mut self, event: usize, stream: Stream) {
        let before = self.position(stream);
        let line = self.line(stream);
        line.tail = before;
        line.chain.unknown();
        self.events.insert(event, before);
    }

    /// Records that parties outside this library's view record the event too.
    pub(crate) fn foreign(&mut self, event: usize) {
        self.foreign.insert(event);
    }

    pub(crate) fn graphs_record(&mut self) {
        self.graphs_record = true;
    }

    pub(crate) fn event_destroyed(&mut self, event: usize) {
        self.events.remove(&event);
        self.foreign.remove(&event);
    }

    /// Returns the clock that waiting for an event joins; empty if the event was never recorded.
    fn event(&self, event: usize) -> Before {
        match self.graphs_record || self.foreign.contains(&event) {
            true => ALL,
            false => self.events.get(&event).copied().unwrap_or_default(),
        }
    }

    /// Orders the next work of a stream after an event.
    pub(crate) fn waits(&mut self, stream: Stream, event: usize) {
        let mut before = self.position(stream);
        before.join(&self.event(event));
        let line = self.line(stream);
        line.tail = before;
        line.chain.unknown();
    }

    /// Orders the host after an event, which the host has waited for or has seen as complete.
    pub(crate) fn reached(&mut self, event: usize) {
        let before = self.event(event);
        self.learned(before);
    }

    /// Records an event after all work of all streams.
    pub(crate) fn recorded_all(&mut self, event: usize) {
        let all = Before { all: true, ..self.launches.so_far() };
        self.events.insert(event, all);
        // The event is recorded behind each stream's last kernel.
        self.streams.values_mut().for_each(|line| line.chain.unknown());
    }

    /// Returns the size of the allocation at `base`; 0 if its allocation was not observed.
    pub(crate) fn bytes_at(&self, base: u64) -> u64 {
        self.used.get(&base).copied().unwrap_or(0)
    }

    /// Records a deallocation.
    pub(crate) fn freed(&mut self, base: u64) {
        // The end of an allocation is unknown if its allocation was not observed.
        let bytes = self.used.remove(&base).unwrap_or(u64::MAX);
        let end = self.freed.entry(base).or_default();
        *end = (*end).max(base.saturating_add(bytes));
    }

    /// Records an allocation. Accesses through an earlier allocation of the same memory cannot race with the
    /// new one's.
    pub(crate) fn allocated(&mut self, base: u64, bytes: u64) {
        self.used.insert(base, bytes);
        let end = base.saturating_add(bytes);
        let over: Vec<u64> =
            self.freed.range(..end).filter(|(_, freed)| **freed > base).map(|(from, _)| *from).collect();
        if over.is_empty() {
            return;
        }
        // Everything from here on counts as ordered after all launches so far, so every reused range is
        // covered.
        self.freed.clear();
        self.may_have_waited();
    }
}

#[cfg(test)]
mod tests;
