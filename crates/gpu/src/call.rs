//! Calls of driver functions by name.

/// Calls a driver function by name. Yields its code, or `NOT_FOUND` if the driver lacks the function.
macro_rules! call {
    ($name:literal($($arg:expr => $ty:ty),* $(,)?)) => {{
        type Function = unsafe extern "C" fn($($ty),*) -> $crate::hooks::Code;
        let found = $crate::driver::function($name);
        if found.is_null() {
            $crate::hooks::NOT_FOUND
        } else {
            // SAFETY: the driver's function of this name has this type, and the caller passes valid
            // arguments.
            unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(found)($($arg),*) }
        }
    }};
}
pub(crate) use call;
