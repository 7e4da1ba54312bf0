//! The calling thread's device and its stack of contexts.
//!
//! The runtime speaks of devices, the driver of contexts. The top of the stack is the current context; the device is that
//! context's. A runtime's call binds the primary context of its device if no context is current.
//!
//! The stack is never dropped: destructors of global objects call CUDA after the thread's locals are destroyed.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

thread_local! {
    static DEVICE: Cell<u32> = const { Cell::new(0) };
    /// Handles of contexts, the current one last; 0 for none.
    static STACK: ManuallyDrop<RefCell<Vec<usize>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

pub(crate) fn device() -> u32 {
    DEVICE.get()
}

/// The current context's handle; 0 if there is none.
pub(crate) fn context() -> usize {
    STACK.with(|stack| stack.borrow().last().copied().unwrap_or(0))
}

/// Chooses a device as the runtime does: its primary context becomes the current one.
pub(crate) fn set_device(device: u32) {
    set_context(crate::context::primary(device), device);
}

/// Makes the device's primary context the current one if there is none.
pub(crate) fn bind() {
    if context() == 0 {
        set_device(device());
    }
}

/// Replaces the current context; 0 leaves none.
pub(crate) fn set_context(context: usize, device: u32) {
    STACK.with(|stack| {
        let mut stack = stack.borrow_mut();
        stack.pop();
        if context != 0 || !stack.is_empty() {
            stack.push(context);
        }
    });
    if context != 0 {
        DEVICE.set(device);
    }
}

/// Puts a context on top of the stack.
pub(crate) fn push(context: usize, device: u32) {
    STACK.with(|stack| stack.borrow_mut().push(context));
    DEVICE.set(device);
}

/// Takes the current context off the stack; `device_of` answers the device of the one below it.
pub(crate) fn pop(device_of: impl FnOnce(usize) -> Option<u32>) -> Option<usize> {
    let popped = STACK.with(|stack| stack.borrow_mut().pop())?;
    if let Some(device) = device_of(context()) {
        DEVICE.set(device);
    }
    Some(popped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_is_that_of_the_current_context() {
        assert_eq!((context(), device()), (0, 0));
        bind();
        assert_eq!(context(), crate::context::primary(0));
        push(7, 1);
        assert_eq!((context(), device()), (7, 1));
        assert_eq!(pop(|_| Some(0)), Some(7));
        assert_eq!((context(), device()), (crate::context::primary(0), 0));
        set_context(0, 0);
        assert_eq!((context(), pop(|_| None)), (0, None));
    }
}
