//! Kernels that get their checks when they are first used.
//!
//! The program's own module is loaded as it is. When a kernel of it is launched, put into a graph, or asked for its
//! attributes, a module with that kernel alone is instrumented and loaded as a library of the driver, and its kernel is
//! used in the place of the program's. The program keeps its own handle.

use crate::call::call;
use crate::driver;
use crate::hooks::{Code, SUCCESS};
use crate::state::{self, Part};
use std::ffi::{CString, c_char, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

type Handle = *mut c_void;

/// Returns the kernel with checks to use in the place of a kernel; for others the kernel itself.
pub(crate) fn checked(kernel: Handle) -> Handle {
    /// Held while a kernel is made, so that no two threads make the same one.
    static MAKING: Mutex<()> = Mutex::new(());
    if !state::has_parts() {
        return kernel;
    }
    if let Some(known) = state::lock().and_then(|state| state.known_part(kernel as usize)) {
        return known as Handle;
    }
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let part = state::lock().map_or(Part::Itself, |mut state| state.part(kernel as usize));
    let (image, name) = match part {
        Part::Itself => return kernel,
        Part::Known(checked) => return checked as Handle,
        Part::Made(image, name) => (image, name),
    };
    let loaded = driver::beside_captures(|| loaded(image.leak(), &name));
    if let Some(mut state) = state::lock() {
        state.has_part(kernel as usize, loaded.map(|checked| checked as usize));
    }
    loaded.unwrap_or(kernel)
}

/// Loads an image and returns its kernel of this name.
fn loaded(image: *const c_void, name: &str) -> Result<Handle, Code> {
    let succeeded = |code| if code == SUCCESS { Ok(()) } else { Err(code) };
    let (mut library, mut kernel): (Handle, Handle) = (null_mut(), null_mut());
    let (none, number) = (null_mut::<c_void>(), 0);
    succeeded(call!(c"cuLibraryLoadData"(
        &mut library => *mut Handle, image => *const c_void,
        none => Handle, none => Handle, number => c_uint, none => Handle, none => Handle, number => c_uint,
    )))?;
    let name = CString::new(name).unwrap_or_default();
    succeeded(call!(c"cuLibraryGetKernel"(
        &mut kernel => *mut Handle, library => Handle, name.as_ptr() => *const c_char,
    )))?;
    Ok(kernel)
}

/// Returns the function of [`checked`] in the current context, as a node of a graph needs it.
pub(crate) fn of_node(kernel: Handle) -> Handle {
    let checked = checked(kernel);
    let mut function: Handle = null_mut();
    if checked == kernel
        || call!(c"cuKernelGetFunction"(&mut function => *mut Handle, checked => Handle)) != SUCCESS
    {
        return kernel;
    }
    if let Some(mut state) = state::lock() {
        state.part_in_context(checked as usize, function as usize);
    }
    function
}
