//! Contexts of the driver: handles for a device.
//!
//! All contexts of a device share its memory and streams here. A device has one legacy default stream, so that work of two
//! contexts' default streams is ordered, which CUDA does not promise: a second context is a named limit.

use super::State;
use crate::abi::error::{CudaError, CudaResult};
use std::collections::HashMap;

/// Handles of primary contexts, by device.
const PRIMARY: usize = 0x5750_0000_0000;
const APART: usize = 0x1000;

/// The handle of a device's primary context.
pub(crate) fn primary(device: u32) -> usize {
    PRIMARY + APART * (device as usize + 1)
}

/// A context that the program has created.
#[derive(Clone, Copy, Debug)]
struct Created {
    device: u32,
    flags: u32,
    destroyed: bool,
}

/// What programs have made of contexts.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    created: HashMap<usize, Created>,
    /// How often each device's primary context is retained.
    retained: HashMap<u32, u32>,
}

const TWO: &str = "the program uses a context of its own beside another one of the same device: their default streams are ordered \
                   here, which CUDA does not promise";

impl State {
    /// Creates a context; its handle.
    pub(crate) fn create_context(&mut self, device: u32, flags: u32) -> usize {
        let of_device = |created: &&Created| created.device == device && !created.destroyed;
        if self.contexts.created.values().filter(of_device).count() > 0
            || self.contexts.retained.get(&device).is_some_and(|&n| n > 0)
        {
            self.results.limit(TWO.into());
        }
        let handle = self.handle();
        self.contexts.created.insert(handle, Created { device, flags, destroyed: false });
        handle
    }

    /// The device of a context that was not destroyed.
    pub(crate) fn device_of_context(&self, handle: usize) -> CudaResult<u32> {
        let index = handle.wrapping_sub(PRIMARY) / APART;
        if (1..=self.device_count() as usize).contains(&index) && handle.is_multiple_of(APART) {
            return Ok(index as u32 - 1);
        }
        match self.contexts.created.get(&handle) {
            None => Err(CudaError::DEVICE_UNINITIALIZED),
            Some(Created { destroyed: true, .. }) => Err(CudaError::CONTEXT_IS_DESTROYED),
            Some(context) => Ok(context.device),
        }
    }

    /// Flags that a context was created with; of a primary context those of its device.
    pub(crate) fn flags_of_context(&self, handle: usize) -> CudaResult<u32> {
        let device = self.device_of_context(handle)?;
        let created = self.contexts.created.get(&handle);
        Ok(created.map_or_else(|| self.device_flags(device), |context| context.flags))
    }

    /// Destroys a context that the program has created.
    pub(crate) fn destroy_context(&mut self, handle: usize) -> CudaResult {
        let context = self.contexts.created.get_mut(&handle).ok_or(CudaError::DEVICE_UNINITIALIZED)?;
        if std::mem::replace(&mut context.destroyed, true) {
            return Err(CudaError::CONTEXT_IS_DESTROYED);
        }
        Ok(())
    }

    pub(crate) fn retain_primary(&mut self, device: u32) -> usize {
        *self.contexts.retained.entry(device).or_default() += 1;
        primary(device)
    }

    pub(crate) fn release_primary(&mut self, device: u32) -> CudaResult {
        match self.contexts.retained.get_mut(&device) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return Err(CudaError::DEVICE_UNINITIALIZED),
        }
        Ok(())
    }

    /// Returns whether a primary context is retained, or in use by the runtime.
    pub(crate) fn primary_is_active(&self, device: u32) -> bool {
        self.contexts.retained.get(&device).is_some_and(|&n| n > 0)
            || self.engine_runs
            || self.used(device) > 0
    }
}
