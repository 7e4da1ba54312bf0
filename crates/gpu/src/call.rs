//! Calls of the driver by the names of its functions.

/// Calls a function of the driver by its name: its code, or that there is none.
macro_rules! call {
    ($name:literal($($arg:expr => $ty:ty),* $(,)?)) => {{
        type Function = unsafe extern "C" fn($($ty),*) -> $crate::hooks::Code;
        let found = $crate::driver::function($name);
        if found.is_null() {
            $crate::hooks::NOT_FOUND
        } else {
            // SAFETY: the driver's function of this name has this type, and is given what it asks for.
            unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(found)($($arg),*) }
        }
    }};
}
pub(crate) use call;
