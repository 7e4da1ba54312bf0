//! C library calls through which the kernel of the operating system touches the program's
//! memory: a system call on inaccessible pages fails instead of faulting.
//!
//! Each reports the buffer as accessed and opens its pages before it calls the real function.

// Public to C, not to Rust.
#![allow(unreachable_pub)]

use crate::arena::{PAGE, protect};
use crate::caller::{host_function, inside, thread_number};
use crate::context;
#[cfg(not(test))]
use crate::watch::active;
use crate::watch::watch;
use events::RangeAccess;
use events::Tell;
use events::task::HostCall;

/// Makes a buffer accessible that a call is about to write or read.
#[cfg_attr(test, allow(dead_code))]
fn expose(api: &str, address: u64, bytes: u64, write: bool) {
    let ranges = watch().parts(address..address.saturating_add(bytes));
    if ranges.is_empty() || inside() {
        return;
    }
    let Some(runtime) = context::existing() else { return };
    let mut state = runtime.lock();
    let task = match host_function() {
        Some(task) => task,
        None => {
            let call = HostCall { api: api.to_owned(), site: None };
            state.host_segment(runtime, thread_number(), call)
        }
    };
    drop(state);
    for (from, to) in ranges {
        let pages = from & !(PAGE - 1);
        protect(pages, to - pages, libc::PROT_READ | libc::PROT_WRITE);
        runtime.backend.listener().range(&RangeAccess {
            task,
            site: None,
            address: from,
            bytes: to - from,
            write,
        });
    }
}

macro_rules! wrap {
    ($(fn $name:ident($($arg:ident : $ty:ty),*) -> $out:ty, $buffer:ident [$bytes:expr] writes $write:literal;)*) => {$(
        /// As the C library's, on watched memory, too.
        ///
        /// # Safety
        /// As the C library's.
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $out {
            type Real = unsafe extern "C" fn($($ty),*) -> $out;
            static REAL: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
            let mut real = REAL.load(std::sync::atomic::Ordering::Relaxed);
            if real == 0 {
                let name = concat!(stringify!($name), "\0");
                // SAFETY: looks up the C library's function behind ours.
                real = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr().cast()) } as usize;
                REAL.store(real, std::sync::atomic::Ordering::Relaxed);
            }
            if active() {
                expose(stringify!($name), $buffer as u64, $bytes as u64, $write);
            }
            // SAFETY: the function of that name in the C library has this signature; the
            // arguments are the caller's.
            unsafe { std::mem::transmute::<usize, Real>(real)($($arg),*) }
        }
    )*};
}

wrap! {
    fn read(file: i32, buffer: *mut u8, bytes: usize) -> isize, buffer[bytes] writes true;
    fn pread(file: i32, buffer: *mut u8, bytes: usize, offset: i64) -> isize, buffer[bytes] writes true;
    fn pread64(file: i32, buffer: *mut u8, bytes: usize, offset: i64) -> isize, buffer[bytes] writes true;
    fn recv(file: i32, buffer: *mut u8, bytes: usize, flags: i32) -> isize, buffer[bytes] writes true;
    fn fread(buffer: *mut u8, size: usize, count: usize, file: *mut libc::FILE) -> usize,
        buffer[size.saturating_mul(count)] writes true;
    fn write(file: i32, buffer: *const u8, bytes: usize) -> isize, buffer[bytes] writes false;
    fn pwrite(file: i32, buffer: *const u8, bytes: usize, offset: i64) -> isize, buffer[bytes] writes false;
    fn pwrite64(file: i32, buffer: *const u8, bytes: usize, offset: i64) -> isize, buffer[bytes] writes false;
    fn send(file: i32, buffer: *const u8, bytes: usize, flags: i32) -> isize, buffer[bytes] writes false;
    fn fwrite(buffer: *const u8, size: usize, count: usize, file: *mut libc::FILE) -> usize,
        buffer[size.saturating_mul(count)] writes false;
}
