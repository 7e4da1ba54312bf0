//! Functions of the C library that have the system access the program's memory, which fails where that is inaccessible.
//!
//! [`stand_before_system!`](crate::stand_before_system) makes a library export them: each passes the buffer that the
//! system will access to a callback, and calls the real function. [`stand_before_calls!`](crate::stand_before_calls) does
//! so for functions whose pointers lead further, or of which only the addresses matter.

mod calls;

pub use calls::{Arguments, call, message, messages, pointers, transferred, vectors};

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The C library's `dlsym`, however it is found.
pub type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// The function of that name behind those of this library, looked up once.
#[doc(hidden)]
pub fn behind(known: &AtomicUsize, name: &CStr, dlsym: impl FnOnce() -> Dlsym) -> usize {
    let mut real = known.load(Ordering::Relaxed);
    if real == 0 {
        // SAFETY: looks up a name.
        real = unsafe { dlsym()(libc::RTLD_NEXT, name.as_ptr()) } as usize;
        known.store(real, Ordering::Relaxed);
    }
    real
}

/// Exports them. `$active()` says whether any memory is inaccessible; then `$expose(address, bytes)` is called before the
/// real one, and `$accessed(address, bytes, writes)` of what that has transferred. `$dlsym()` is the C library's.
#[macro_export]
macro_rules! stand_before_system {
    ($active:path, $expose:path, $accessed:path, $dlsym:expr) => {
        $crate::stand_before_system! { @each $active, $expose, $accessed, $dlsym;
            fn read(file: i32, buffer: *mut u8, bytes: usize) -> isize, buffer[bytes of 1] writes true;
            fn pread(file: i32, buffer: *mut u8, bytes: usize, offset: i64) -> isize, buffer[bytes of 1] writes true;
            fn pread64(file: i32, buffer: *mut u8, bytes: usize, offset: i64) -> isize, buffer[bytes of 1] writes true;
            fn recv(file: i32, buffer: *mut u8, bytes: usize, flags: i32) -> isize, buffer[bytes of 1] writes true;
            fn fread(buffer: *mut u8, size: usize, count: usize, file: *mut libc::FILE) -> usize,
                buffer[count of size] writes true;
            fn write(file: i32, buffer: *const u8, bytes: usize) -> isize, buffer[bytes of 1] writes false;
            fn pwrite(file: i32, buffer: *const u8, bytes: usize, offset: i64) -> isize, buffer[bytes of 1] writes false;
            fn pwrite64(file: i32, buffer: *const u8, bytes: usize, offset: i64) -> isize, buffer[bytes of 1] writes false;
            fn send(file: i32, buffer: *const u8, bytes: usize, flags: i32) -> isize, buffer[bytes of 1] writes false;
            fn fwrite(buffer: *const u8, size: usize, count: usize, file: *mut libc::FILE) -> usize,
                buffer[count of size] writes false;
        }
    };
    (@each $active:path, $expose:path, $accessed:path, $dlsym:expr; $(
        fn $name:ident($($arg:ident : $ty:ty),*) -> $out:ty, $buffer:ident [$count:ident of $unit:expr] writes $write:literal;
    )*) => {$(
        /// As the C library's, on memory that is inaccessible, too.
        ///
        /// # Safety
        /// As the C library's.
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $out {
            type Real = unsafe extern "C" fn($($ty),*) -> $out;
            static REAL: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
            const NAME: &std::ffi::CStr =
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                };
            let real = $crate::system::behind(&REAL, NAME, || $dlsym);
            let (active, unit) = ($active(), $unit as u64);
            if active {
                $expose($buffer as u64, unit.saturating_mul($count as u64));
            }
            // SAFETY: the function of that name in the C library has this signature; the arguments are the caller's.
            let out = unsafe { std::mem::transmute::<usize, Real>(real)($($arg),*) };
            if active && out as isize > 0 {
                $accessed($buffer as u64, unit.saturating_mul(out as u64), $write);
            }
            out
        }
    )*};
}
