//! Functions of the C library that have the system access the program's memory, which fails where that is inaccessible: it is opened before.

// What C calls is public to C, not to Rust.
#![allow(unreachable_pub)]

use super::{expose, is_active};

macro_rules! wrap {
    ($(fn $name:ident($($arg:ident : $ty:ty),*) -> $out:ty, $buffer:ident [$bytes:expr];)*) => {$(
        /// As the C library's.
        ///
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $out {
            type Real = unsafe extern "C" fn($($ty),*) -> $out;
            static REAL: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
            let mut real = REAL.load(std::sync::atomic::Ordering::Relaxed);
            if real == 0 {
                let name = concat!(stringify!($name), "\0");
                // SAFETY: looks up the C library's function behind ours.
                real = unsafe { crate::driver::real()(libc::RTLD_NEXT, name.as_ptr().cast()) } as usize;
                REAL.store(real, std::sync::atomic::Ordering::Relaxed);
            }
            if is_active() {
                expose($buffer as u64, $bytes as u64);
            }
            // SAFETY: the function of that name in the C library has this signature; the arguments are the caller's.
            unsafe { std::mem::transmute::<usize, Real>(real)($($arg),*) }
        }
    )*};
}

wrap! {
    fn read(file: i32, buffer: *mut u8, bytes: usize) -> isize, buffer[bytes];
    fn pread(file: i32, buffer: *mut u8, bytes: usize, offset: i64) -> isize, buffer[bytes];
    fn pread64(file: i32, buffer: *mut u8, bytes: usize, offset: i64) -> isize, buffer[bytes];
    fn recv(file: i32, buffer: *mut u8, bytes: usize, flags: i32) -> isize, buffer[bytes];
    fn fread(buffer: *mut u8, size: usize, count: usize, file: *mut libc::FILE) -> usize,
        buffer[size.saturating_mul(count)];
    fn write(file: i32, buffer: *const u8, bytes: usize) -> isize, buffer[bytes];
    fn pwrite(file: i32, buffer: *const u8, bytes: usize, offset: i64) -> isize, buffer[bytes];
    fn pwrite64(file: i32, buffer: *const u8, bytes: usize, offset: i64) -> isize, buffer[bytes];
    fn send(file: i32, buffer: *const u8, bytes: usize, flags: i32) -> isize, buffer[bytes];
    fn fwrite(buffer: *const u8, size: usize, count: usize, file: *mut libc::FILE) -> usize,
        buffer[size.saturating_mul(count)];
}
