//! Streams, events, and what the host has waited for.

use super::{Recorder, with};
use crate::hooks::{Code, SUCCESS};
use crate::streams::{self, NON_BLOCKING, is_captured};
use crate::watch;
use instrument::guard::launches::Before;
use snapshot::session::{LEGACY, PER_THREAD, Step, Waited};
use std::collections::{HashMap, HashSet};
use std::ffi::{c_uint, c_void};
use std::io;

type Handle = *mut c_void;

/// The streams that the session has, and the work of which the host does not know the end.
#[derive(Default)]
pub(super) struct Streams {
    blocking: HashMap<u64, bool>,
    known: HashSet<u64>,
    /// The number of the last submission to each stream.
    flying: HashMap<u64, u32>,
    /// The submissions before the record of an event.
    events: HashMap<u64, (u64, u32)>,
    submitted: u32,
    /// The number of submissions that the host has waited for.
    waited: u32,
}

/// Returns the session's name of a stream.
pub(super) fn name(handle: Handle) -> u64 {
    match handle as u64 {
        0 => LEGACY,
        other => other,
    }
}

/// Returns a clock of one lane.
fn clock(number: u32) -> Before {
    let mut before = Before::default();
    before.numbers[0] = number;
    before
}

impl Recorder {
    /// Returns the session's name of a stream, which is added if its creation was not observed.
    pub(super) fn stream(&mut self, handle: Handle) -> io::Result<u64> {
        let stream = name(handle);
        if stream > PER_THREAD && self.streams.known.insert(stream) {
            let blocking = streams::is_blocking(handle);
            self.streams.blocking.insert(stream, blocking);
            self.call("cuStreamCreate", Step::Stream { stream, blocking }, Vec::new())?;
        }
        Ok(stream)
    }

    /// Counts work that is submitted to a stream, and has the host's accesses of the memory that it may use followed.
    /// Each of `words` may be an address.
    pub(super) fn flies(&mut self, stream: u64, words: &[u64]) {
        let own = &mut self.streams;
        own.submitted += 1;
        own.flying.insert(stream, own.submitted);
        watch::flies(words, true, clock(own.waited), clock(own.submitted));
    }

    /// Has the host's accesses followed again, after the driver's own code has touched the memory.
    fn flies_still(&self, words: &[u64]) {
        watch::flies(words, false, clock(self.streams.waited), clock(self.streams.submitted));
    }

    /// Counts work of which the host knows the end.
    fn landed(&mut self, over: impl Fn(u64, u32, bool) -> bool) {
        let own = &mut self.streams;
        own.flying.retain(|&stream, &mut last| {
            !over(stream, last, own.blocking.get(&stream).copied().unwrap_or(true))
        });
        if own.flying.is_empty() {
            own.waited = own.submitted;
        }
        watch::learned(clock(own.waited), clock(own.submitted));
    }

    fn landed_in(&mut self, waited: u64) {
        self.landed(|stream, _, blocking| stream == waited || (waited == LEGACY && blocking));
    }
}

/// Records that the program has created a stream.
pub(crate) fn made(handle: Handle, flags: c_uint) {
    with(|session| {
        let (stream, blocking) = (name(handle), flags & NON_BLOCKING == 0);
        session.streams.known.insert(stream);
        session.streams.blocking.insert(stream, blocking);
        session.call("cuStreamCreate", Step::Stream { stream, blocking }, Vec::new())
    });
}

/// Records that the program is about to destroy a stream.
pub(crate) fn destroyed(handle: Handle) {
    with(|session| {
        let stream = name(handle);
        session.streams.known.remove(&stream);
        session.call("cuStreamDestroy", Step::StreamDestroyed { stream }, Vec::new())
    });
}

pub(crate) fn recorded(event: Handle, handle: Handle) {
    with(|session| {
        let (event, stream) = (event as u64, session.stream(handle)?);
        let last = session.streams.submitted;
        session.streams.events.insert(event, (stream, last));
        session.call("cuEventRecord", Step::EventRecorded { event, stream }, Vec::new())
    });
}

pub(crate) fn event_destroyed(event: Handle) {
    with(|session| {
        session.streams.events.remove(&(event as u64));
        session.call("cuEventDestroy", Step::EventDestroyed { event: event as u64 }, Vec::new())
    });
}

pub(crate) fn waits(handle: Handle, event: Handle) {
    with(|session| {
        let (event, stream) = (event as u64, session.stream(handle)?);
        session.call("cuStreamWaitEvent", Step::StreamWaits { stream, event }, Vec::new())
    });
}

/// Records that the host has waited for a stream, or was answered that it is complete.
pub(crate) fn synchronized(code: Code, handle: Handle) {
    if code != SUCCESS || is_captured(handle) {
        return;
    }
    with(|session| {
        session.host_wrote()?;
        let stream = session.stream(handle)?;
        session.call("cuStreamSynchronize", Step::Waited(Waited::Stream(stream)), Vec::new())?;
        session.landed_in(stream);
        Ok(())
    });
}

/// Counts work as known to the host after a call that waits for the work that it does itself.
pub(crate) fn returned(code: Code, handle: Handle) {
    if code == SUCCESS && !is_captured(handle) {
        with(|session| {
            session.landed_in(name(handle));
            Ok(())
        });
    }
}

/// Has the host's accesses of both sides of a copy followed after the driver has begun it.
pub(crate) fn begun(handle: Handle, sides: &[u64]) {
    if !sides.is_empty() && !is_captured(handle) {
        with(|session| {
            session.flies_still(sides);
            Ok(())
        });
    }
}

/// Records that the host has waited for the current device, or for all devices.
pub(crate) fn synchronized_all(code: Code, all: bool) {
    if code != SUCCESS {
        return;
    }
    with(|session| {
        session.host_wrote()?;
        let what = if all { Waited::All } else { Waited::Device };
        session.call("cuCtxSynchronize", Step::Waited(what), Vec::new())?;
        session.landed(|_, _, _| true);
        Ok(())
    });
}

/// Records that the host has waited for an event, or was answered that it is reached.
pub(crate) fn synchronized_event(code: Code, event: Handle) {
    if code != SUCCESS {
        return;
    }
    with(|session| {
        session.host_wrote()?;
        let event = event as u64;
        session.call("cuEventSynchronize", Step::Waited(Waited::Event(event)), Vec::new())?;
        if let Some(&(of, before)) = session.streams.events.get(&event) {
            session.landed(|stream, last, _| stream == of && last <= before);
        }
        Ok(())
    });
}
