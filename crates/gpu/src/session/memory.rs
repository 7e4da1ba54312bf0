//! Allocations, and arrays and images.

use super::{Recorder, with};
use crate::images::{self, Described};
use crate::session::streams::name;
use snapshot::Layout;
use snapshot::session::{MemoryKind, Step, Waited};
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::io;

/// The address of the first array, where the program has no memory.
const ARRAYS: u64 = 0x5100_0000_0000;

/// The memory that the session has.
pub(super) struct Memories {
    live: BTreeMap<u64, (u64, MemoryKind)>,
    arrays: HashMap<u64, Array>,
    next_array: u64,
}

impl Default for Memories {
    fn default() -> Self {
        Memories { live: BTreeMap::new(), arrays: HashMap::new(), next_array: ARRAYS }
    }
}

/// An array, which has memory of its own in the session.
#[derive(Clone, Copy)]
pub(super) struct Array {
    pub(super) layout: Layout,
}

impl Memories {
    /// Returns the base, the bytes and the kind of the memory at an address.
    pub(super) fn at(&self, address: u64) -> Option<(u64, u64, MemoryKind)> {
        let (&base, &(bytes, kind)) = self.live.range(..=address).next_back()?;
        (address - base < bytes).then_some((base, bytes, kind))
    }

    /// Returns the bases of the memory that host and device share.
    pub(super) fn shared(&self) -> Vec<(u64, u64)> {
        let shared = |(_, (_, kind)): &(&u64, &(u64, MemoryKind))| kind.is_shared();
        self.live.iter().filter(shared).map(|(base, (bytes, _))| (*base, *bytes)).collect()
    }

    pub(super) fn insert(&mut self, base: u64, bytes: u64, kind: MemoryKind) {
        self.live.insert(base, (bytes, kind));
    }
}

/// Records an allocation, in a stream's order or at once.
pub(crate) fn allocated(api: &str, base: u64, bytes: u64, kind: MemoryKind, stream: Option<*mut c_void>) {
    with(|session| session.allocated(api, (base, bytes), kind, stream));
}

/// Records that memory is about to be freed, in a stream's order or at once.
pub(crate) fn freed(api: &str, base: u64, stream: Option<*mut c_void>) {
    with(|session| {
        session.host_wrote()?;
        match session.memory.live.get(&base) {
            // The next launch of its graph finds it where it was.
            Some((_, MemoryKind::Graph)) if stream.is_none() => return Ok(()),
            Some((_, MemoryKind::Graph)) => {}
            Some(_) => drop(session.memory.live.remove(&base)),
            None => return Ok(()),
        }
        session.shared.forget(base);
        let stream = stream.map(name);
        session.call(api, Step::Freed { base, stream }, Vec::new())
    });
}

/// Records that a context is about to be destroyed with all that was made in it.
pub(crate) fn device_gone() {
    with(|session| {
        session.reset = true;
        session.call("cuDevicePrimaryCtxReset", Step::Waited(Waited::All), Vec::new())
    });
}

/// Records that the current device may access another one's memory, or no longer.
pub(crate) fn peer(peer: u32, access: bool) {
    with(|session| session.call("cuCtxEnablePeerAccess", Step::Peer { peer, access }, Vec::new()));
}

impl Recorder {
    /// Adds memory, in a stream's order or at once.
    pub(super) fn allocated(
        &mut self,
        api: &str,
        (base, bytes): (u64, u64),
        kind: MemoryKind,
        stream: Option<*mut c_void>,
    ) -> io::Result<()> {
        let over: Vec<u64> =
            self.memory.live.range(..base.saturating_add(bytes)).rev().map(|(&b, _)| b).collect();
        for other in over {
            let (length, _) = self.memory.live[&other];
            if other.saturating_add(length) <= base {
                break;
            }
            // It was freed in a way that was not observed.
            self.memory.live.remove(&other);
            self.call("", Step::Freed { base: other, stream: None }, Vec::new())?;
        }
        let stream = stream.map(|handle| self.stream(handle)).transpose()?;
        self.memory.insert(base, bytes, kind);
        self.call(api, Step::Allocated { base, bytes, kind, name: None, stream }, Vec::new())
    }

    /// Returns the memory that the session has for an array; `None` if its elements are not understood.
    pub(super) fn array(&mut self, handle: *mut c_void) -> io::Result<Option<Array>> {
        if let Some(known) = self.memory.arrays.get(&(handle as u64)) {
            return Ok(Some(*known));
        }
        let base = self.memory.next_array;
        let Some((layout, bytes)) = images::layout(handle, base) else { return Ok(None) };
        let array = Array { layout };
        self.memory.next_array = (base + bytes).next_multiple_of(512);
        self.memory.insert(base, bytes, MemoryKind::Array);
        self.memory.arrays.insert(handle as u64, array);
        let kind = MemoryKind::Array;
        let step = Step::Allocated { base, bytes, kind, name: None, stream: None };
        self.call("cuArrayCreate", step, Vec::new())?;
        Ok(Some(array))
    }
}

/// Records that an array is about to be destroyed.
pub(crate) fn array_gone(handle: *mut c_void) {
    with(|session| {
        let Some(array) = session.memory.arrays.remove(&(handle as u64)) else { return Ok(()) };
        session.memory.live.remove(&array.layout.base);
        let base = array.layout.base;
        session.call("cuArrayDestroy", Step::Freed { base, stream: None }, Vec::new())
    });
}

/// Records a texture or surface.
pub(crate) fn image(handle: u64, described: Option<&Described>) {
    with(|session| {
        let array = match described.and_then(Described::array) {
            Some(of) => session.array(of)?.map(|array| array.layout),
            None => None,
        };
        match described.and_then(|described| images::object(handle, described, array)) {
            Some(object) => {
                let held = object.memory().is_some_and(|(base, bytes)| {
                    let of = session.memory.at(base);
                    of.is_some_and(|(at, length, _)| bytes <= length - (base - at))
                });
                match held {
                    true => session.call("cuTexObjectCreate", Step::Image(object), Vec::new()),
                    false => session.not_recorded("cuTexObjectCreate", "its memory is not known"),
                }
            }
            None => session.not_recorded("cuTexObjectCreate", "such images are not served"),
        }
    });
}
