//! Memory that kernels may access, and the room that the table takes from it.

use super::State;
use crate::images::Described;
use crate::{driver, session, watch};
use events::task::HostCall;
use events::{AllocKind, Allocation};

/// The note for memory that the program has registered.
const REGISTERED: &str =
    "what the host itself does to memory that it has registered (`cudaHostRegister`) was not looked at";

/// Limits how many allocations the result lists. Programs with more of them get fewer names in their reports.
const ALLOCATIONS: usize = 1 << 16;

impl State {
    /// Records a managed variable, which host and device access.
    pub(crate) fn managed_variable(&mut self, base: u64, bytes: u64, name: String) {
        if !(super::has_order() || session::is_on())
            || self.report.allocations.iter().any(|known| known.base == base)
        {
            return;
        }
        self.meets();
        watch::allocated(base, bytes, true, true);
        if self.report.allocations.len() < ALLOCATIONS {
            let (kind, call) = (AllocKind::Managed, HostCall::default());
            self.report.allocations.push(Allocation { base, bytes, kind, name: Some(name), call, device: 0 });
        }
    }

    pub(crate) fn allocated(&mut self, base: u64, bytes: u64, kind: AllocKind, api: &str) {
        self.ready();
        self.proofs.moved();
        self.order.allocated(base, bytes);
        let managed = kind == AllocKind::Managed;
        if (super::has_order() || session::is_on()) && (managed || kind == AllocKind::HostMapped) {
            watch::allocated(base, bytes, managed, false);
        }
        let call = HostCall { api: api.to_owned(), site: None, within: None };
        let allocation = Allocation { base, bytes, kind, name: None, call, device: 0 };
        if self.saves() {
            self.captures.live.add(allocation.clone());
        }
        if self.names(allocation) {
            self.report.result.counters.allocations += 1;
        }
    }

    /// Gives memory its name in reports; returns false if there are too many names.
    pub(super) fn names(&mut self, allocation: Allocation) -> bool {
        let has_room = self.report.allocations.len() < ALLOCATIONS;
        if has_room {
            self.report.allocations.push(allocation);
            self.report.dirty = true;
        }
        has_room
    }

    /// Records memory that is mapped at an address. It is not saved with launches.
    pub(crate) fn mapped(&mut self, base: u64, bytes: u64) {
        self.proofs.moved();
        self.order.allocated(base, bytes);
        if self.report.allocations.len() < ALLOCATIONS {
            let call = HostCall { api: "cuMemMap".into(), site: None, within: None };
            self.report.allocations.push(Allocation {
                base,
                bytes,
                kind: AllocKind::Device,
                name: None,
                call,
                device: 0,
            });
            self.report.dirty = true;
        }
    }

    /// Records that memory is mapped no longer.
    pub(crate) fn unmapped(&mut self, base: u64, bytes: u64) {
        self.proofs.moved();
        self.order.unmapped(base, bytes);
    }

    pub(crate) fn freed(&mut self, base: u64) {
        self.proofs.moved();
        self.order.freed(base);
        watch::freed(base);
        self.captures.live.remove(base);
    }

    /// Associates a handle with a texture or surface of the program.
    pub(crate) fn image(&mut self, handle: u64, described: Option<Described>) {
        self.captures.images.insert(handle, described);
    }

    pub(crate) fn image_gone(&mut self, handle: u64) {
        self.captures.images.remove(&handle);
    }

    /// Returns whether the table of the current device has to be emptied.
    pub(crate) fn is_worn(&mut self) -> bool {
        self.tells() && self.tables.is_worn()
    }

    /// Empties the table of the current device, if no kernel runs.
    pub(crate) fn renews(&mut self, idle: bool) {
        match idle {
            true => self.tables.renew(),
            false => self.tables.rest(),
        }
    }

    /// Records that the program has registered memory of its own, in whose pages may lie anything else: the host's
    /// accesses of them are not followed.
    pub(crate) fn registered(&mut self) {
        self.meets();
        self.shares_memory();
        if super::has_order() && !self.report.notes.iter().any(|note| note == REGISTERED) {
            self.report.notes.push(REGISTERED.into());
        }
    }

    /// Records that several devices may reach common memory.
    pub(crate) fn meets(&mut self) {
        if self.tells() && driver::devices() > 1 {
            self.tables.meet();
        }
    }

    /// Returns whether it is to be known what memory of the host kernels may reach.
    pub(crate) fn looks_for_meetings(&self) -> bool {
        self.tells() && driver::devices() > 1 && !self.tables.may_meet() && watch::has_shared()
    }

    /// Records the words of a launch's arguments, any of which may be an address of memory that the host shares.
    pub(crate) fn reaches(&mut self, words: &[u64]) {
        let Some(device) = driver::device().filter(|_| watch::is_reached(words)) else { return };
        if *self.reached_by.get_or_insert(device) != device {
            self.meets();
            // A failure recurs at the next launch, which reports it.
            let joined = self.tables.begin();
            crate::log::note(|| format!("two devices reach memory of the host: {joined:?}"));
        }
    }

    /// Returns the contexts of the devices that use the table of the current device.
    pub(crate) fn users(&self) -> Vec<usize> {
        self.tables.users()
    }

    /// Returns whether the table of the current device is in the device's memory.
    pub(crate) fn may_make_room(&self) -> bool {
        self.tables.may_leave()
    }

    /// Moves the table to the host's memory and returns whether that may have made room. No kernel runs
    /// meanwhile.
    pub(crate) fn makes_room(&mut self) -> bool {
        self.tables.leave()
    }
}
