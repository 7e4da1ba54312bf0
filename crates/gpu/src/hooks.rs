//! The table of interposed driver functions, with the addresses of the real ones.

use crate::driver;
use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) type Code = c_int;

pub(crate) const SUCCESS: Code = 0;
/// `CUDA_ERROR_INVALID_VALUE`
pub(crate) const INVALID_VALUE: Code = 1;
/// `CUDA_ERROR_NOT_FOUND`
pub(crate) const NOT_FOUND: Code = 500;

/// `CUDA_ERROR_OUT_OF_MEMORY`
pub(crate) const OUT_OF_MEMORY: Code = 2;
/// `CUDA_ERROR_NOT_READY`
pub(crate) const NOT_READY: Code = 600;
/// `CUDA_ERROR_UNKNOWN`
pub(crate) const UNKNOWN: Code = 999;

/// A function of the driver and its wrapper.
pub(crate) struct Hook {
    /// The name for `cuGetProcAddress`.
    base: &'static str,
    /// The name that the driver's library exports.
    exported: &'static CStr,
    /// Whether this is the variant for per-thread default streams.
    per_thread: bool,
    /// The first CUDA version with this form of the function.
    since: c_int,
    wrapper: *const c_void,
    real: AtomicPtr<c_void>,
}

// SAFETY: `wrapper` is the address of a function, which may be shared between threads.
unsafe impl Sync for Hook {}

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`
const PER_THREAD: u64 = 2;

impl Hook {
    pub(crate) const fn new(
        base: &'static str,
        exported: &'static CStr,
        per_thread: bool,
        since: c_int,
        wrapper: *const c_void,
    ) -> Hook {
        Hook { base, exported, per_thread, since, wrapper, real: AtomicPtr::new(std::ptr::null_mut()) }
    }

    pub(crate) fn wrapper(&self) -> *const c_void {
        self.wrapper
    }

    /// Stores the address of the real function.
    pub(crate) fn found(&self, real: *mut c_void) {
        if real.cast_const() != self.wrapper {
            self.real.store(real, Ordering::Release);
        }
    }

    /// Returns the real function; null if the driver has none.
    pub(crate) fn real(&self) -> *mut c_void {
        let known = self.real.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        self.found(driver::function(self.exported));
        self.real.load(Ordering::Acquire)
    }
}

/// All hooks, set when the library is activated.
static TABLE: OnceLock<&'static [Hook]> = OnceLock::new();

/// Sets the table of hooks.
pub(crate) fn install(table: &'static [Hook]) {
    TABLE.get_or_init(|| table);
}

fn table() -> &'static [Hook] {
    TABLE.get().copied().unwrap_or_default()
}

/// Returns the hook for a `dlsym` of this name.
pub(crate) fn exported(name: &CStr) -> Option<&'static Hook> {
    table().iter().find(|hook| hook.exported == name)
}

/// Returns the hook for a `cuGetProcAddress` of this name, version and flags.
pub(crate) fn by_version(name: &CStr, version: c_int, flags: u64) -> Option<&'static Hook> {
    let name = match name.to_str().ok()? {
        // From this version on the two names denote one function.
        "cuGraphInstantiate" if version >= 12_000 => "cuGraphInstantiateWithFlags",
        name => name,
    };
    let per_thread = flags & PER_THREAD != 0;
    let fits = |hook: &&Hook| hook.base == name && hook.since <= version && (per_thread || !hook.per_thread);
    table().iter().filter(fits).max_by_key(|hook| (hook.per_thread, hook.since))
}

/// Defines wrappers of driver functions, and the table [`Hook`]s that lists them.
///
/// `fn exported(base, since)(parameters) => (look)` interposes `exported`: its wrapper passes the real function
/// and the arguments to `look`. `as real { … }` in place of `look` is the wrapper's body, in which `real` names
/// the real function.
///
/// `fn exported / twin(base, since / twin_since)` interposes the variant for per-thread default streams, too, by
/// the same body. In `as real, on { … }` the function `on` returns the stream that a handle denotes there.
macro_rules! stand_before {
    ($(
        fn $name:ident $(/ $twin:ident)? ($base:literal, $since:literal $(/ $twin_since:literal)?) $args:tt => $how:tt;
    )*) => {
        #[allow(non_camel_case_types)]
        enum Row { $($name, $($twin,)?)* }

        pub(crate) static HOOKS: [$crate::hooks::Hook; [$(Row::$name as usize, $(Row::$twin as usize,)?)*].len()] = [$(
            $crate::hooks::row!($name, $base, false, $since),
            $($crate::hooks::row!($twin, $base, true, $twin_since),)?
        )*];

        /// The exported wrappers, which the linker binds for programs linked to the driver.
        #[allow(unreachable_pub, non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
        mod exported {
            use super::*;

            $(
                $crate::hooks::wrapper!($name $args, $how, std::convert::identity);
                $($crate::hooks::wrapper!($twin $args, $how, $crate::own_stream);)?
            )*
        }
    };
}

/// Expands to the [`Hook`] of a wrapper.
macro_rules! row {
    ($name:ident, $base:literal, $per_thread:literal, $since:literal) => {
        $crate::hooks::Hook::new(
            $base,
            // SAFETY: `concat!` adds the only zero byte, at the end.
            unsafe {
                std::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes())
            },
            $per_thread,
            $since,
            exported::$name as *const std::ffi::c_void,
        )
    };
}

/// Defines an exported wrapper.
macro_rules! wrapper {
    ($name:ident ($($arg:ident: $ty:ty),* $(,)?), $how:tt, $on:path) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::hooks::Code {
            let real = HOOKS[Row::$name as usize].real();
            if real.is_null() {
                return $crate::hooks::NOT_FOUND;
            }
            // SAFETY: the driver's function of this name has this signature.
            let real = unsafe {
                std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($ty),*) -> $crate::hooks::Code>(real)
            };
            $crate::log::note(|| concat!(stringify!($name), "()").to_owned());
            // SAFETY: the caller fulfils the conditions of the driver's function.
            unsafe { $crate::hooks::answer!(real, $on, ($($arg),*) $how) }
        }
    };
}

/// Expands to the result of a wrapper.
macro_rules! answer {
    ($found:ident, $stream:path, ($($arg:ident),*) (as $real:ident, $on:ident $body:block)) => {{
        let ($real, $on): (_, fn(Handle) -> Handle) = ($found, $stream);
        $body
    }};
    ($found:ident, $stream:path, ($($arg:ident),*) (as $real:ident $body:block)) => {{
        let $real = $found;
        $body
    }};
    ($found:ident, $stream:path, ($($arg:ident),*) ($look:path)) => {
        $look($found, $($arg),*)
    };
}

pub(crate) use {answer, row, stand_before, wrapper};
