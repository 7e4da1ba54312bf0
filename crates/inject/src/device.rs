//! The device that the program sees: the one that `--arch` names, or 9.0 if the program has PTX for it, or else the newest that
//! it has PTX for.

use kernels::limits::Device;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Decided once, when the device is first asked for.
static CHOSEN: OnceLock<&'static Device> = OnceLock::new();

/// The device that the command line names.
static NAMED: OnceLock<u32> = OnceLock::new();

/// The newest device among those of which a wrapper has PTX while it has none for the default; 0 if every wrapper has.
static NEWEST: AtomicU32 = AtomicU32::new(0);

/// Returns the virtual devices' compute capability and limits: all are alike.
pub(crate) fn device() -> &'static Device {
    CHOSEN.get_or_init(|| {
        let asked = NAMED.get().copied();
        let newest = Some(NEWEST.load(Ordering::Relaxed)).filter(|&sm| sm != 0);
        asked.or(newest).and_then(Device::of).unwrap_or(Device::DEFAULT)
    })
}

/// Sets the device that the command line names; before any other use.
pub(crate) fn name(arch: Option<u32>) {
    if let Some(sm) = arch {
        let _ = NAMED.set(sm);
    }
}

/// Returns whether the command line names the device: then only PTX that it can run is used.
pub(crate) fn is_named() -> bool {
    NAMED.get().is_some()
}

/// Notes the device code that a program registers.
pub(crate) fn registered(wrapper: usize) {
    // SAFETY: the program registered the wrapper; its data is constant and stays loaded.
    let Ok(registered) = (unsafe { fatbin::memory::from_memory(wrapper as *const u8) }) else { return };
    for container in std::iter::once(&registered.main).chain(&registered.prelinked) {
        let ptx = || container.entries.iter().filter(|entry| entry.kind == fatbin::Kind::Ptx);
        if ptx().any(|entry| entry.arch.ptx_runs_on(Device::DEFAULT.sm))
            || fatbin::device_runtime(&container.entries).is_some()
        {
            // The device runtime does not decide the device.
            continue;
        }
        if let Some(sm) = ptx().map(|entry| entry.arch.sm).filter(|&sm| Device::of(sm).is_some()).max() {
            NEWEST.fetch_max(sm, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_name_has_a_device() {
        let devices = kernels::limits::DEVICES.map(|device| device.sm);
        assert_eq!(devices, names::replay::ARCHS);
    }
}
