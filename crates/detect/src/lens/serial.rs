//! Detectors that see all events in one order, as monitors.

use super::acquit::SitePair;
use super::pairs::Moment;
use super::shard::Shard;
use events::observer::Footprint;
use events::task::{LaunchInfo, TaskKind};
use events::{Access, Account, Finding, HostEvent, Listener, Monitor, Observer, Space, Sync, TaskId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Accesses that a lens does not look at by its definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlooks {
    /// Those of shared memory.
    pub shared: bool,
}

/// A detector over the serialised events of kernel launches.
pub trait Lens: Send {
    /// As in [`Finding::lens`].
    fn name(&self) -> &'static str;

    /// A kernel launch begins: nothing of it has happened yet.
    fn launch(&mut self, task: TaskId, info: &LaunchInfo);

    /// All events of the launch have been seen.
    fn finish(&mut self, task: TaskId);

    fn access(&mut self, access: &Access<'_>);

    fn sync(&mut self, sync: &Sync<'_>);

    /// Global memory was freed or allocated anew: what is known of it is void.
    fn forget(&mut self, base: u64, bytes: u64);

    /// Races found since the last call.
    fn take_findings(&mut self) -> Vec<Finding>;

    /// The same, without taking them: the next [`Lens::take_findings`] tells them again.
    fn so_far(&self) -> Vec<Finding>;

    /// Before the first event: judge accesses to the memory of `shard` only. All events must still
    /// be told. False if the lens cannot be divided.
    fn restrict(&mut self, _shard: Shard) -> bool {
        false
    }

    /// [`Lens::take_findings`], for [`merge`](super::pairs::merge). Of lenses that can be divided only.
    fn take_dated(&mut self) -> Vec<(Moment, Finding)> {
        Vec::new()
    }

    /// Before the first event: keep in mind why accesses of these sites do not race.
    fn watch(&mut self, _pairs: &[SitePair]) {}

    /// Why accesses of watched sites that met did not race, by the lens's own rules.
    fn acquittals(&self) -> Vec<(SitePair, &'static str)> {
        Vec::new()
    }

    /// Why accesses went unchecked, if any did.
    fn limits(&self) -> Vec<String> {
        Vec::new()
    }

    /// Accesses that the lens does not look at by its definition.
    fn scope(&self) -> Vec<String> {
        Vec::new()
    }

    /// Which accesses it does not look at by its definition.
    fn overlooks(&self) -> Overlooks;

    fn footprint(&self) -> Footprint {
        Footprint::default()
    }

    /// Bytes of vector clocks, a part of the footprint.
    fn clock_bytes(&self) -> u64 {
        0
    }
}

impl<L: Lens + ?Sized> Lens for Box<L> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn launch(&mut self, task: TaskId, info: &LaunchInfo) {
        (**self).launch(task, info)
    }

    fn finish(&mut self, task: TaskId) {
        (**self).finish(task)
    }

    fn access(&mut self, access: &Access<'_>) {
        (**self).access(access)
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        (**self).sync(sync)
    }

    fn forget(&mut self, base: u64, bytes: u64) {
        (**self).forget(base, bytes)
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        (**self).take_findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        (**self).so_far()
    }

    fn restrict(&mut self, shard: Shard) -> bool {
        (**self).restrict(shard)
    }

    fn take_dated(&mut self) -> Vec<(Moment, Finding)> {
        (**self).take_dated()
    }

    fn watch(&mut self, pairs: &[SitePair]) {
        (**self).watch(pairs)
    }

    fn acquittals(&self) -> Vec<(SitePair, &'static str)> {
        (**self).acquittals()
    }

    fn limits(&self) -> Vec<String> {
        (**self).limits()
    }

    fn scope(&self) -> Vec<String> {
        (**self).scope()
    }

    fn overlooks(&self) -> Overlooks {
        (**self).overlooks()
    }

    fn footprint(&self) -> Footprint {
        (**self).footprint()
    }

    fn clock_bytes(&self) -> u64 {
        (**self).clock_bytes()
    }
}

/// A lens as a monitor: every observer it hands out speaks to the one lens.
pub struct Serial<L: ?Sized> {
    /// The most that any launch has taken: a lens gives up a launch's state when it ends.
    peak: Arc<Mutex<Footprint>>,
    overlooked: Arc<Overlooked>,
    lens: Arc<Mutex<L>>,
}

/// Accesses that a lens received and did not look at.
#[derive(Debug, Default)]
struct Overlooked {
    /// Accesses of threads to shared memory.
    shared: AtomicU64,
}

impl Overlooked {
    /// Names what was not looked at, if anything was.
    fn describe(&self, lens: &str) -> Option<String> {
        let shared = self.shared.load(Ordering::Relaxed);
        (shared > 0).then(|| format!("{lens} does not look at shared memory, which kernels use"))
    }
}

impl<L: Lens> Serial<L> {
    pub fn new(lens: L) -> Self {
        Serial { peak: Arc::default(), overlooked: Arc::default(), lens: Arc::new(Mutex::new(lens)) }
    }
}

impl<L: Lens + ?Sized> Serial<L> {
    /// The lens itself, for what only it can tell.
    pub fn lens(&self) -> MutexGuard<'_, L> {
        lock(&self.lens)
    }
}

impl<L: ?Sized> Clone for Serial<L> {
    fn clone(&self) -> Self {
        Serial {
            peak: Arc::clone(&self.peak),
            overlooked: Arc::clone(&self.overlooked),
            lens: Arc::clone(&self.lens),
        }
    }
}

// A panic elsewhere while an event was handled leaves the lens at worst with one event half
// seen; what it has found before is still worth reporting.
fn lock<T: ?Sized>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One worker's handle on the shared lens.
pub struct SerialObserver<L: ?Sized> {
    lens: Arc<Mutex<L>>,
    overlooks: Overlooks,
    overlooked: Arc<Overlooked>,
}

impl<L: Lens + ?Sized> Observer for SerialObserver<L> {
    fn access(&mut self, access: &Access<'_>) {
        if self.overlooks.shared && access.space != Space::Global {
            self.overlooked.shared.fetch_add(access.mask.count_ones().into(), Ordering::Relaxed);
        }
        lock(&self.lens).access(access)
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        lock(&self.lens).sync(sync)
    }
}

impl<L: Lens + ?Sized> Serial<L> {
    /// The bytes that are held now, or were held at the end of the launch that took most.
    fn footprint(&self) -> Footprint {
        let (now, peak) = (self.lens().footprint(), *lock(&self.peak));
        if now.shadow_bytes > peak.shadow_bytes { now } else { peak }
    }
}

impl<L: Lens + ?Sized> Listener for Serial<L> {
    fn host(&self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskStart(task) => {
                if let TaskKind::Launch(info) = &task.kind {
                    self.lens().launch(task.id, info);
                }
            }
            HostEvent::TaskEnd(task) => {
                let footprint = self.footprint();
                *lock(&self.peak) = footprint;
                self.lens().finish(*task);
            }
            HostEvent::Alloc(allocation) => self.lens().forget(allocation.base, allocation.bytes),
            HostEvent::Free { base, bytes } => self.lens().forget(*base, *bytes),
            // The papers' detectors know of one kernel at a time.
            HostEvent::TaskAfter(..)
            | HostEvent::Range(_)
            | HostEvent::Launched(..)
            | HostEvent::Apart(..)
            | HostEvent::Site(..)
            | HostEvent::End => {}
        }
    }

    fn findings(&self) -> Vec<Finding> {
        self.lens().take_findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.lens().so_far()
    }

    fn account(&self) -> Account {
        let footprint = self.footprint();
        let lens = self.lens();
        let mut scope = lens.scope();
        scope.extend(self.overlooked.describe(lens.name()));
        let overlooked = self.overlooked.shared.load(Ordering::Relaxed);
        Account { limits: lens.limits(), scope, overlooked, footprint }
    }
}

impl<L: Lens + ?Sized> Monitor for Serial<L> {
    type Observer = SerialObserver<L>;

    fn observer(&self, _worker: usize) -> SerialObserver<L> {
        SerialObserver {
            lens: Arc::clone(&self.lens),
            overlooks: self.lens().overlooks(),
            overlooked: Arc::clone(&self.overlooked),
        }
    }
}
