//! The device that the program sees: the one that `--arch` names, or 9.0 if the program has PTX for it, or else the newest that
//! it has PTX for.

use fatbin::memory::Mappings;
use kernels::limits::Device;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Decided once, when the device is first asked for.
static CHOSEN: OnceLock<&'static Device> = OnceLock::new();

/// The device that the command line names.
static NAMED: OnceLock<u32> = OnceLock::new();

/// Numbers and wrappers of the fatbins that are registered before the device is decided. Reading each when it is registered would read the process's
/// mappings hundreds of times in a program with PyTorch.
static REGISTERED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// Returns the virtual devices' compute capability and limits: all are alike.
pub(crate) fn device() -> &'static Device {
    CHOSEN
        .get_or_init(|| NAMED.get().copied().or_else(newest).and_then(Device::of).unwrap_or(Device::DEFAULT))
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
pub(crate) fn registered(number: usize, wrapper: usize) {
    if !is_named() && CHOSEN.get().is_none() {
        REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).push((number, wrapper));
    }
}

/// Forgets the device code of a fatbin that is about to be unloaded.
pub(crate) fn unregistered(number: usize) {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).retain(|&(other, _)| other != number);
}

/// Returns the newest device among those of which a wrapper has PTX while it has none for the default.
fn newest() -> Option<u32> {
    let wrappers = std::mem::take(&mut *REGISTERED.lock().unwrap_or_else(PoisonError::into_inner));
    let mappings = Mappings::of_process();
    let mut newest = None;
    for (_, wrapper) in wrappers {
        // SAFETY: the program registered the wrapper and has not unregistered it; its data is constant and stays loaded.
        let Ok(registered) = (unsafe { mappings.registered(wrapper as *const u8) }) else { continue };
        for container in std::iter::once(&registered.main).chain(&registered.prelinked) {
            let ptx = || container.entries.iter().filter(|entry| entry.kind == fatbin::Kind::Ptx);
            if ptx().any(|entry| entry.arch.ptx_runs_on(Device::DEFAULT.sm)) {
                continue;
            }
            let sm = ptx().map(|entry| entry.arch.sm).filter(|&sm| Device::of(sm).is_some()).max();
            // What would change nothing is not unpacked. The device runtime does not decide the device.
            if sm > newest && fatbin::device_runtime(&container.entries).is_none() {
                newest = sm;
            }
        }
    }
    newest
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_name_has_a_device() {
        let devices = kernels::limits::DEVICES.map(|device| device.sm);
        assert_eq!(devices, names::replay::ARCHS);
    }
}
