//! Which launches are ordered before which point of the program, as far as calls of the driver say.
//!
//! A stream is a chain; whoever waits for it, by an event or on the host, knows what it knew. What cannot be known is taken as ordered, so that
//! nothing is reported that may be: host threads are as if one called after the other; what copies of pageable memory, host functions, graphs, values in
//! memory and other processes may tell is told at once; and where kernels learn of others by themselves, all others are known behind them, until the host has waited for them.
//!
//! Streams belong to a device; host, events and lanes are those of all, so that what one device waits for of another is known, too.
//!
//! Rules are those of the CUDA driver's API ("Stream synchronization behavior", "API synchronization behavior").

use instrument::guard::chain::Chain;
use instrument::guard::launches::{BYTES, Before, LANES, Launched, Launches};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A stream. Default streams are those of a device, and of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    Legacy(i32),
    Thread(u64, i32),
    Made(usize),
}

#[derive(Clone, Debug, Default)]
struct Line {
    /// `None`: which it is of is not known.
    device: Option<i32>,
    /// Do it and the legacy stream wait for each other?
    blocking: bool,
    /// The lanes of its launches.
    chain: Chain,
    tail: Before,
    /// What was before its last kernel.
    without: Before,
}

/// Everything.
const ALL: Before = Before { numbers: [0; LANES], all: true };

/// May both be of one device?
fn meet(one: Option<i32>, other: Option<i32>) -> bool {
    one == other || one.is_none() || other.is_none()
}

#[derive(Debug, Default)]
pub(crate) struct Order {
    launches: Launches,
    host: Before,
    streams: HashMap<Stream, Line>,
    /// Work of streams that are gone, by device.
    retired: HashMap<Option<i32>, Before>,
    /// What an event's last record stands for.
    events: HashMap<usize, Before>,
    /// Events that somebody else records, too.
    foreign: HashSet<usize>,
    /// May graphs record events?
    graphs_record: bool,
    /// Bytes of memory that is in use, and the end of what was given back, by address.
    used: HashMap<u64, u64>,
    freed: BTreeMap<u64, u64>,
    /// Of each lane, the last launch that may learn of the host while it runs.
    learning: [u32; LANES],
}

impl Order {
    /// What is ordered before what the host does now.
    pub(crate) fn host(&self) -> Before {
        self.host
    }

    /// All launches that there were.
    pub(crate) fn so_far(&self) -> Before {
        self.launches.so_far()
    }

    /// The last launch of a lane that may have learned of the host while it ran.
    pub(crate) fn learned_in(&self, lane: usize) -> u32 {
        self.learning[lane]
    }

    /// Has the stream been seen?
    pub(crate) fn knows(&self, stream: Stream) -> bool {
        !matches!(stream, Stream::Made(_)) || self.streams.contains_key(&stream)
    }

    /// A stream is there.
    pub(crate) fn begun(&mut self, stream: Stream, device: Option<i32>, blocking: bool) {
        self.streams.insert(stream, Line { device, blocking, ..Line::default() });
    }

    /// The device that a stream is of.
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

    /// What is before something that the stream gets now.
    fn position(&self, stream: Stream) -> Before {
        self.position_behind(stream, self.streams.get(&stream).map(|line| &line.tail))
    }

    /// The same, but for its last kernel.
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

    /// A launch of a kernel that is told which one it is, and what it is told. `overlaps` if it may begin before what is
    /// before it in the stream has ended.
    pub(crate) fn launched(
        &mut self,
        stream: Stream,
        kernel: Launched,
        overlaps: bool,
    ) -> [u8; BYTES as usize] {
        let mut before = self.position(stream);
        before.all |= kernel.acquires;
        // Has the host waited for the last one, or the legacy stream?
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

    /// A copy, or the like, that is told which one it is; `None` if there is nobody whom it could meet.
    pub(crate) fn called(&mut self, stream: Stream) -> Option<[u8; BYTES as usize]> {
        let told = self.launched(stream, Launched::plain(0), false);
        self.line(stream).chain.over();
        (told != Launches::UNKNOWN).then_some(told)
    }

    /// Something that is no kernel came in a stream: whoever may begin before a kernel before it has ended need not be beside that one.
    pub(crate) fn came(&mut self, stream: Stream) {
        self.line(stream).chain.unknown();
    }

    /// Were streams made?
    pub(crate) fn has_streams(&self) -> bool {
        self.streams.keys().any(|stream| !matches!(stream, Stream::Legacy(_)))
    }

    /// Something that nothing is known of, but that what is before it in the stream is ordered before it.
    pub(crate) fn passed(&mut self, stream: Stream) {
        let mut before = self.position(stream);
        self.host.join(&before);
        before.all = true;
        let line = self.line(stream);
        line.tail = before;
        line.chain.known();
        line.chain.unknown();
    }

    /// The host may know of all that is before it, sooner or later.
    pub(crate) fn tells(&mut self, stream: Stream) {
        let before = self.position(stream);
        self.host.join(&before);
    }

    /// The host has waited for a stream.
    pub(crate) fn waited(&mut self, stream: Stream) {
        let before = self.position(stream);
        self.learned(before);
        // What was not known of it the host knows now.
        self.line(stream).tail.all = false;
    }

    /// The host has waited for all that a device does; for all there is, if none is named.
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

    /// The host has waited for all there is, or for some of it.
    pub(crate) fn may_have_waited(&mut self) {
        let all = self.launches.so_far();
        self.host.join(&all);
    }

    fn learned(&mut self, mut before: Before) {
        if std::mem::take(&mut before.all) {
            // Whatever was learned there had been launched.
            before = self.launches.so_far();
        }
        self.host.join(&before);
    }

    /// An event is recorded in a stream.
    pub(crate) fn recorded(&mut self, event: usize, stream: Stream) {
        let before = self.position(stream);
        let line = self.line(stream);
        line.tail = before;
        line.chain.unknown();
        self.events.insert(event, before);
    }

    /// Somebody else records it, too.
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

    /// What waiting for an event tells; nothing if it was never recorded.
    fn event(&self, event: usize) -> Before {
        match self.graphs_record || self.foreign.contains(&event) {
            true => ALL,
            false => self.events.get(&event).copied().unwrap_or_default(),
        }
    }

    /// What the stream gets from now on waits for an event.
    pub(crate) fn waits(&mut self, stream: Stream, event: usize) {
        let mut before = self.position(stream);
        before.join(&self.event(event));
        let line = self.line(stream);
        line.tail = before;
        line.chain.unknown();
    }

    /// All that comes waits for an event, or the host has seen that it is reached.
    pub(crate) fn reached(&mut self, event: usize) {
        let before = self.event(event);
        self.learned(before);
    }

    /// An event stands for all there is.
    pub(crate) fn recorded_all(&mut self, event: usize) {
        let all = Before { all: true, ..self.launches.so_far() };
        self.events.insert(event, all);
        // It is behind each stream's last kernel.
        self.streams.values_mut().for_each(|line| line.chain.unknown());
    }

    /// How large the memory is that begins there; 0 if nobody saw it being allocated.
    pub(crate) fn bytes_at(&self, base: u64) -> u64 {
        self.used.get(&base).copied().unwrap_or(0)
    }

    /// Memory was given back.
    pub(crate) fn freed(&mut self, base: u64) {
        // Of what nobody saw being allocated the end is not known.
        let bytes = self.used.remove(&base).unwrap_or(u64::MAX);
        let end = self.freed.entry(base).or_default();
        *end = (*end).max(base.saturating_add(bytes));
    }

    /// Memory was given away: what was done to it before is of no interest to whoever has it now.
    pub(crate) fn allocated(&mut self, base: u64, bytes: u64) {
        self.used.insert(base, bytes);
        let end = base.saturating_add(bytes);
        let over: Vec<u64> =
            self.freed.range(..end).filter(|(_, freed)| **freed > base).map(|(from, _)| *from).collect();
        if over.is_empty() {
            return;
        }
        // All of what comes is after all that was: who had been given any of it may have been given all of it.
        self.freed.clear();
        self.may_have_waited();
    }
}

#[cfg(test)]
mod tests;
