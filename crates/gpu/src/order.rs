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
//! The rules of streams are those of `stream_order`, those of calls are the CUDA driver API's ("API synchronization
//! behavior").

mod repeats;

pub(crate) use repeats::Repeated;

use instrument::guard::chain::Chain;
use instrument::guard::launches::{BYTES, Before, Devices, LANES, Launched, Launches};
use std::collections::{BTreeMap, HashMap, HashSet};
use stream_order::{Kind, Line, Streams};

/// A stream. Each device has a legacy default stream, and one default stream for each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Stream {
    Legacy(i32),
    Thread(u64, i32),
    Made(usize),
}

/// The launches of a stream.
#[derive(Clone, Debug, Default)]
struct Chained {
    /// The lanes of the stream's launches.
    chain: Chain,
    /// The work that was ordered before the stream's last kernel.
    without: Before,
    /// The lane of possible accesses by kernels of libraries.
    possible: Option<usize>,
}

/// A clock that covers everything.
const ALL: Before = Before { numbers: [0; LANES], all: true, beyond_libraries: true, within: Devices::NONE };

#[derive(Debug, Default)]
pub(crate) struct Order {
    launches: Launches,
    /// The streams with their devices, as far as these are known, and the host.
    streams: Streams<Stream, Before, Option<i32>, Chained>,
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
    /// Whether two of the streams that the program has had were not ordered with each other.
    parted: bool,
    /// Whether accesses of several devices are compared with each other.
    compares: bool,
    /// The devices with launches that may have acquired from other devices.
    widened: Devices,
    /// The address of the word in the sink that tells kernels of these.
    mark: Option<u64>,
    repeats: repeats::Runs,
}

impl Order {
    /// Returns the host's clock: the launches ordered before its next action.
    pub(crate) fn host(&self) -> Before {
        *self.streams.host()
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
        !matches!(stream, Stream::Made(_)) || self.streams.get(stream).is_some()
    }

    /// Adds a stream.
    pub(crate) fn begun(&mut self, stream: Stream, device: Option<i32>, blocking: bool) {
        let kind = if blocking { Kind::Blocking } else { Kind::NonBlocking };
        self.streams.begin(stream, device, kind, Chained::default());
        self.parted |= !self.is_alone(stream);
    }

    /// Returns the device of a stream, if it is known.
    pub(crate) fn device(&self, stream: Stream) -> Option<i32> {
        match stream {
            Stream::Legacy(device) | Stream::Thread(_, device) => Some(device),
            Stream::Made(_) => self.streams.get(stream)?.device,
        }
    }

    pub(crate) fn destroyed(&mut self, stream: Stream) {
        self.streams.end(stream);
    }

    /// Returns a stream, which is added if the library has not seen how the program created it.
    fn line(&mut self, stream: Stream) -> &mut Line<Before, Option<i32>, Chained> {
        let kind = if let Stream::Legacy(_) = stream { Kind::Legacy } else { Kind::Blocking };
        let device = self.device(stream);
        if self.streams.get(stream).is_none() {
            self.streams.begin(stream, device, kind, Chained::default());
            self.parted |= !self.is_alone(stream);
        }
        self.streams.or_begin(stream, device, kind, Chained::default())
    }

    /// Returns the clock of the next work in a stream.
    fn position(&self, stream: Stream) -> Before {
        self.position_behind(stream, self.streams.get(stream).map(|line| &line.tail))
    }

    /// Returns the clock that the next work in a stream would have without the stream's last kernel.
    fn position_without(&self, stream: Stream) -> Before {
        self.position_behind(stream, self.streams.get(stream).map(|line| &line.own.without))
    }

    fn position_behind(&self, stream: Stream, tail: Option<&Before>) -> Before {
        let kind = match (stream, self.streams.get(stream)) {
            (Stream::Legacy(_), _) => Kind::Legacy,
            (_, Some(line)) => line.kind,
            (_, None) => Kind::Blocking,
        };
        self.streams.position(kind, self.device(stream), tail)
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
        if kernel.acquires {
            match self.within(stream, &kernel) {
                Some(device) => before.within.join(device),
                None => before.may_know_all(),
            }
        }
        if kernel.acquires_far {
            self.widens(stream);
        }
        // The predecessor is known to have ended if the host or the legacy stream has waited for it.
        let behind = self.line(stream).own.chain.last();
        let is_known =
            behind.is_some_and(|(lane, number)| self.position_without(stream).numbers[lane] >= number);
        let mut chain = std::mem::take(&mut self.line(stream).own.chain);
        if is_known {
            chain.known();
        }
        let told = self.launches.launched(&mut chain, (&kernel, overlaps), &mut before);
        let line = self.line(stream);
        (line.own.chain, line.own.without) = (chain, line.tail);
        line.tail = before;
        if let Some((lane, _)) = told {
            self.launches.is_on(lane, self.devices(stream));
            if kernel.acquires {
                self.learning[lane] = before.numbers[lane];
            }
        }
        if kernel.tells {
            self.streams.host_mut().join(&before);
        }
        told.map_or(Launches::UNKNOWN, |(_, told)| told)
    }

    /// Returns the set of the stream's device, which is all if it is not known.
    fn devices(&self, stream: Stream) -> Devices {
        let device = self.device(stream).and_then(|device| Devices::of(u32::try_from(device).ok()?));
        device.unwrap_or(Devices::ALL)
    }

    /// Returns the stream's device if a kernel can acquire from launches of that device only.
    fn within(&self, stream: Stream, kernel: &Launched) -> Option<Devices> {
        let device = Some(self.devices(stream)).filter(|device| *device != Devices::ALL);
        device.filter(|_| self.compares && !kernel.acquires_far)
    }

    /// Records that work of a stream may acquire from other devices, before the work begins.
    fn widens(&mut self, stream: Stream) {
        let device = self.devices(stream);
        self.widened.join(device);
        if let Some(at) = self.mark {
            // SAFETY: the word lies in the sink, which is mapped until the process ends; kernels read the word as a whole.
            unsafe { (at as *mut u32).write_volatile(self.widened.word()) };
        }
    }

    /// Begins to compare accesses of several devices with each other; `mark` is the address of the sink's word for
    /// devices that acquire from others.
    pub(crate) fn compares(&mut self, mark: u64) {
        if self.mark.replace(mark) == Some(mark) {
            return;
        }
        self.compares = true;
        // SAFETY: as in `widens`.
        unsafe { (mark as *mut u32).write_volatile(self.widened.word()) };
    }

    /// Records a copy or a similar call as a launch, and returns its launch parameter; `None` if no launch
    /// can race with it.
    pub(crate) fn called(&mut self, stream: Stream) -> Option<[u8; BYTES as usize]> {
        let told = self.launched(stream, Launched::plain(0), false);
        self.line(stream).own.chain.over();
        (told != Launches::UNKNOWN).then_some(told)
    }

    /// Records stream work that is no kernel. A launch that may overlap its predecessor kernel need not be
    /// concurrent with that one any more.
    pub(crate) fn came(&mut self, stream: Stream) {
        self.line(stream).own.chain.unknown();
    }

    /// Returns whether the program has created streams.
    pub(crate) fn has_streams(&self) -> bool {
        self.streams.keys().any(|stream| !matches!(stream, Stream::Legacy(_)))
    }

    /// Returns whether all streams that the program has are ordered with this one, whatever work they get.
    pub(crate) fn is_alone(&self, stream: Stream) -> bool {
        let kind = |of: Stream| match of {
            Stream::Legacy(_) => Some(Kind::Legacy),
            // Other threads have streams of their own, which are known when they are first used.
            Stream::Thread(..) => None,
            Stream::Made(_) => self.streams.get(of).map(|line| line.kind),
        };
        let is_ordered = |other: Stream| match (kind(stream), kind(other)) {
            (Some(Kind::Legacy), Some(Kind::Blocking)) | (Some(Kind::Blocking), Some(Kind::Legacy)) => {
                self.device(stream) == self.device(other)
            }
            _ => false,
        };
        let is_with_legacy = matches!(kind(stream), Some(Kind::Legacy | Kind::Blocking));
        is_with_legacy && self.streams.keys().all(|other| other == stream || is_ordered(other))
    }

    /// Returns whether all streams that the program has had were ordered with each other.
    pub(crate) fn is_serial(&self) -> bool {
        !self.parted
    }

    /// Returns whether the host has waited for all launches so far.
    pub(crate) fn is_idle(&self) -> bool {
        self.host().covers(&self.so_far())
    }

    /// Records opaque work: it is ordered after its predecessors in the stream, and everything may be ordered
    /// before its end.
    pub(crate) fn passed(&mut self, stream: Stream) {
        self.widens(stream);
        self.leaves(stream, None);
        let mut before = self.position(stream);
        self.streams.host_mut().join(&before);
        before.may_know_all();
        let line = self.line(stream);
        line.tail = before;
        line.own.chain.known();
        line.own.chain.unknown();
    }

    /// Records a kernel of a library of which there is machine code only, and returns the launch parameter of what
    /// stands for its accesses; `None` if there is no lane for it.
    ///
    /// These possible accesses have lanes of their own, in which kernels of libraries synchronise by launch and end only.
    /// All other launches are ordered as after opaque work ([`Order::passed`]), unless the library is `trusted`.
    pub(crate) fn machine_code(&mut self, stream: Stream, trusted: bool) -> Option<[u8; BYTES as usize]> {
        self.leaves(stream, None);
        let before = self.position(stream);
        let known = self.line(stream).own.possible;
        let lane = known.or_else(|| self.launches.possible_lane());
        let next = lane.map(|lane| (lane, self.launches.next(lane, &before.without_libraries())));
        if let Some(lane) = lane {
            self.launches.is_on(lane, self.devices(stream));
        }
        if !trusted {
            self.widens(stream);
            let host = *self.streams.host();
            let learned = self.launches.possible_as_in(before, &host);
            self.streams.host_mut().join(&learned);
        }
        let line = self.line(stream);
        line.own.possible = lane;
        line.own.without = line.tail;
        line.tail = before;
        if let Some((lane, (number, _))) = next {
            line.tail.numbers[lane] = number;
        }
        match trusted {
            true => line.own.chain.over(),
            false => {
                line.tail.all = true;
                line.own.chain.known();
                line.own.chain.unknown();
            }
        }
        next.map(|(_, (_, told))| told)
    }

    /// Orders the work of a stream before the host's next action, since the host may learn of it at any time.
    pub(crate) fn tells(&mut self, stream: Stream) {
        let before = self.position(stream);
        self.streams.host_mut().join(&before);
    }

    /// Records that the host has waited for a stream.
    pub(crate) fn waited(&mut self, stream: Stream) {
        let before = self.position(stream);
        self.learned(before);
        // The host has joined whatever the stream knew, so the stream's clock needs no "everything" any more.
        self.line(stream).tail.knows_exactly();
    }

    /// Records that the host has waited for all work of a device, or of all devices for `None`.
    pub(crate) fn waited_all(&mut self, device: Option<i32>) {
        let done = |of: Option<i32>| device.is_none() || of == device;
        if self.streams.devices().all(done) {
            *self.streams.host_mut() = self.launches.so_far();
        }
        let mut known = Before::default();
        for (_, tail) in self.streams.tails_mut().filter(|(of, _)| done(*of)) {
            known.join(tail);
            tail.knows_exactly();
        }
        self.learned(known);
    }

    /// Records that the host has waited for an unknown set of launches, which counts as all of them.
    pub(crate) fn may_have_waited(&mut self) {
        let all = self.launches.so_far();
        self.streams.host_mut().join(&all);
    }

    fn learned(&mut self, mut before: Before) {
        if std::mem::take(&mut before.all) {
            // Whatever that work synchronised with had been launched by now.
            before = self.launches.possible_as_in(self.launches.so_far(), &before);
        }
        let within = std::mem::take(&mut before.within);
        if within.meets(self.widened) {
            before = self.launches.so_far();
        } else {
            before = self.launches.with_devices(before, within);
        }
        self.streams.host_mut().join(&before);
    }

    /// Records an event in a stream.
    pub(crate) fn recorded(&mut self, event: usize, stream: Stream) {
        self.line(stream).own.chain.unknown();
        let before = self.streams.mark(stream);
        self.marked(&before);
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
        self.line(stream).own.chain.unknown();
        let what = self.event(event);
        self.streams.wait(stream, &what);
    }

    /// Orders the host after an event, which the host has waited for or has seen as complete.
    pub(crate) fn reached(&mut self, event: usize) {
        let before = self.event(event);
        self.learned(before);
    }

    /// Records an event after all work of all streams.
    pub(crate) fn recorded_all(&mut self, event: usize) {
        let mut all = self.launches.so_far();
        all.may_know_all();
        self.marked(&all);
        self.events.insert(event, all);
        // The event is recorded behind each stream's last kernel.
        self.streams.lines_mut().for_each(|line| line.own.chain.unknown());
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

    /// Records that a range is mapped no longer, which may be several allocations or a part of one.
    pub(crate) fn unmapped(&mut self, base: u64, bytes: u64) {
        let to = base.saturating_add(bytes);
        self.used.retain(|start, _| !(base..to).contains(start));
        let end = self.freed.entry(base).or_default();
        *end = (*end).max(to);
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
