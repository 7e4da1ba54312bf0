//! System calls of the program on memory that is watched.
//!
//! The kernel's own accesses do not fault: a call that is given inaccessible memory fails with `EFAULT`. So while there is memory that may be
//! watched, each call of the program is dispatched to a signal first ([`threads`]). The handler ([`dispatch`]) looks up
//! which memory the call is given ([`table`], [`arguments`]). A call that is given none runs where it was, from
//! a stub with the same registers ([`stubs`]). One that is given some gets the addresses of a second view of the same memory, which stays accessible; when
//! it has returned, its registers are as they were, and what it has accessed is reported.
//!
//! All calls come this way: the C library, the program's own instructions, or another language's runtime. Not
//! served, by name: what [`table`] says; children of `vfork` before they execute a program, and calls by `int
//! 0x80`.
//!
//! A process that cannot be served (a kernel before 5.11, a sandbox that forbids it, a thread that has
//! blocked the signals) gets an error from [`follow`]: then no memory may be made inaccessible.

pub mod arguments;
pub mod dispatch;
pub mod masks;
pub(crate) mod stubs;
pub mod table;
pub mod threads;

pub use dispatch::follow;
pub use threads::{follow_this, quiet, set_inside};

use crate::frames::Frames;
use std::sync::atomic::{AtomicU64, Ordering};

/// An access of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
}

/// The memory that may be watched. All of it is called in handlers, and with the thread's own calls passing.
pub trait Memory {
    /// The second view of an address, and the bytes from there to the end of the pages that belong to its allocation.
    fn view(address: u64) -> Option<(u64, u64)>;

    /// Returns whether this thread is inside the library.
    fn is_inside() -> bool;

    /// Returns whether a thread of that name is the library's, which makes no calls of the program.
    fn is_own(thread: &str) -> bool;

    /// Returns whether any memory is inaccessible now.
    fn is_watching() -> bool;

    /// A call from there has accessed memory.
    fn accessed(call: &'static str, from: &Frames, accesses: &[Access]);

    /// The memory at an address must be accessible from now on, by its own address.
    fn keeps(call: &'static str, address: u64);

    /// Records that the accesses of a call were not checked.
    fn unchecked(call: &'static str);

    /// A call needs all memory to be accessible, until the host has waited for all work.
    fn give_up(call: &'static str);

    /// The kernel accesses memory by other means from now on: none is ever to be inaccessible again.
    fn end(call: &'static str);
}

/// The bounds of all memory that may be watched.
static FIRST: AtomicU64 = AtomicU64::new(u64::MAX);
static LAST: AtomicU64 = AtomicU64::new(0);

/// Memory that may be watched lies in these addresses.
pub fn set_range(first: u64, last: u64) {
    FIRST.fetch_min(first, Ordering::AcqRel);
    LAST.fetch_max(last, Ordering::AcqRel);
}

/// Returns whether there may be such memory.
fn may_hold(address: u64) -> bool {
    FIRST.load(Ordering::Relaxed) <= address && address <= LAST.load(Ordering::Relaxed)
}

/// The program's memory as the kernel sees it: false where there is none.
fn peek(address: u64, out: &mut [u8]) -> bool {
    let (local, remote) = (part(out.as_ptr() as u64, out.len()), part(address, out.len()));
    // SAFETY: writes into `out`; a bad address is an error. Raw, since the C library's function is a point of cancellation.
    let read = unsafe {
        libc::syscall(libc::SYS_process_vm_readv, process(), &local, 1usize, &remote, 1usize, 0usize)
    };
    read == out.len() as i64
}

/// The other way round.
fn poke(address: u64, bytes: &[u8]) -> bool {
    let (local, remote) = (part(bytes.as_ptr() as u64, bytes.len()), part(address, bytes.len()));
    // SAFETY: writes what the kernel would have written there; a bad address is an error.
    let written = unsafe {
        libc::syscall(libc::SYS_process_vm_writev, process(), &local, 1usize, &remote, 1usize, 0usize)
    };
    written == bytes.len() as i64
}

fn part(address: u64, bytes: usize) -> libc::iovec {
    libc::iovec { iov_base: address as *mut _, iov_len: bytes }
}

fn process() -> i32 {
    // SAFETY: has no preconditions.
    unsafe { libc::getpid() }
}
