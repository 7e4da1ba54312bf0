//! Clues about flags and locks from strong accesses.

use super::Clues;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::thread::index;
use crate::ptx::access::touches::lanes;
use clocks::Tick;
use events::{Access, AccessKind, AtomicOp, LaneMask, Location, Scope, Sem};

impl Clues {
    /// Clues that explain races of this very access, too.
    pub(in crate::ptx) fn before(&mut self, access: &Access<'_>, class: AccessClass, tick: Tick) {
        let warp = index(access.warp);
        // An operation whose result is not read still carries on what it was given (§8.9): its thread may learn of it
        // from the location afterwards, and others from it.
        if class.reads() {
            let mut last = None;
            let (told, all) = self.told(access);
            for lane in lanes(told) {
                if last.replace(access.addresses[lane]) == Some(access.addresses[lane]) {
                    continue;
                }
                let at = (access.space, access.addresses[lane]);
                if !all && !self.written.has(&at) {
                    continue;
                }
                self.read(at, warp, (access.site, scope(class)), class.atomic());
            }
        }
        if let Some(scope) = class.scope().filter(|_| class.sem() != Sem::Relaxed) {
            let does = (class.writes() && class.sem().releases(), class.returns() && class.sem().acquires());
            self.ordering(warp, does, (scope, access.site, tick), false);
        }
    }

    /// Flags that were set, locks that were taken and given back: tells whether there were any locks. What is known to
    /// be a lock for the first time goes to `proved`.
    pub(in crate::ptx) fn after(
        &mut self,
        access: &Access<'_>,
        class: AccessClass,
        tick: u32,
        mut proved: impl FnMut(Location),
    ) -> bool {
        const NEITHER: (bool, bool) = (false, false);
        if !class.writes() {
            return false;
        }
        let warp = index(access.warp);
        let (mut locks, mut last) = (false, None);
        let (told, all) = self.told(access);
        if !all {
            return self.after_many(access, told, class, tick, proved);
        }
        for lane in lanes(access.mask) {
            let address = access.addresses[lane];
            if last.replace(address) != Some(address) {
                self.wrote((access.space, address), warp, (access.site, scope(class)), tick);
            }
            let lock = Location { space: access.space, address };
            let stored = access.stored >> lane & 1 != 0;
            let value = access.values.map(|v| v[lane]);
            let swaps = matches!(
                access.kind,
                AccessKind::Atomic { op: AtomicOp::Cas | AtomicOp::Exch, returns: true }
            );
            let (by, at) = ((warp, lane as u8), (lock, access.site));
            let (unlocked, news) =
                if stored { self.unlocked(by, at, value.map(|v| v.1), tick + 1) } else { NEITHER };
            if news {
                proved(lock);
            }
            if unlocked {
                locks = true;
            } else if let Some((read, _)) = value.filter(|v| swaps && stored && v.0 != v.1) {
                // Held from the next tick on.
                self.locked(by, at, read, tick + 1);
                locks = true;
            }
        }
        locks
    }

    /// As above, where not all is told of: earlier writes of the location, and locks that are given back.
    fn after_many(
        &mut self,
        access: &Access<'_>,
        told: LaneMask,
        class: AccessClass,
        tick: u32,
        mut proved: impl FnMut(Location),
    ) -> bool {
        let warp = index(access.warp);
        for lane in lanes(told) {
            let at = (access.space, access.addresses[lane]);
            if self.written.has(&at) {
                self.wrote(at, warp, (access.site, scope(class)), tick);
            }
        }
        let mut locks = false;
        for lane in lanes(self.given_back(warp, access)) {
            let lock = Location { space: access.space, address: access.addresses[lane] };
            let value = access.values.map(|v| v[lane].1);
            let (unlocked, news) = self.unlocked((warp, lane as u8), (lock, access.site), value, tick + 1);
            if news {
                proved(lock);
            }
            locks |= unlocked;
        }
        locks
    }
}

/// The scope of a strong access.
fn scope(class: AccessClass) -> Scope {
    class.scope().unwrap_or(Scope::Sys)
}
