//! One instruction at a time is let through to memory that is inaccessible.
//!
//! The instruction faults (SIGSEGV), its pages are opened, and it runs again with the trap flag; behind it
//! (SIGTRAP) the [`Watcher`] is called, and closes them. The watcher decides which memory that is, and what
//! becomes of an access.

use crate::decode::Operand;
use crate::signals;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

pub const PAGE: u64 = 4096;
/// Trap flag of `eflags`.
const TRAP: i64 = 0x100;
/// The most pages that one instruction touches: two operands, each on a border.
const PAGES: usize = 4;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The program's own.
    Foreign,
    /// The memory is accessible by now, or what the instruction does was done: the program goes on.
    Over,
    /// The page is accessible now, for this instruction alone: an access `of` code at `at`.
    Step { operand: Operand, at: u64 },
}

/// The kind of a further page of an instruction that is being let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Further {
    Foreign,
    Over,
    /// It is accessible now, for this instruction alone.
    Opened,
}

/// The owner of inaccessible memory. All methods are called in handlers.
pub trait Watcher {
    fn fault(address: u64, frame: &mut libc::ucontext_t) -> Fault;

    /// The same instruction touches another page; `room` if one more can be remembered.
    fn further(address: u64, room: bool) -> Further;

    /// The instruction has run: its pages are closed again.
    fn stepped(pages: &[u64], operand: Operand, at: u64);
}

/// An instruction that is being let through.
#[derive(Clone, Copy)]
struct Step {
    pages: [u64; PAGES],
    count: usize,
    operand: Operand,
    at: u64,
    /// The thread had SIGTRAP blocked.
    blocked: bool,
}

thread_local! {
    static STEP: Cell<Option<Step>> = const { Cell::new(None) };
}

/// Has `W` handle both signals, from the first call on.
pub fn install<W: Watcher>() {
    signals::install(on_trap::<W>, on_segv::<W>);
}

/// SIGSEGV.
///
/// # Safety
/// Called by the system.
unsafe extern "C" fn on_segv<W: Watcher>(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system's structures.
    let (address, frame) = unsafe { ((*info).si_addr() as u64, &mut *context.cast::<libc::ucontext_t>()) };
    // SAFETY: this thread's own errno, which the program must not see changed.
    let errno = unsafe { *libc::__errno_location() };
    // A handler of the program that it is passed on to makes calls of the program.
    let quiet = crate::calls::quiet();
    let is_ours = let_through::<W>(address, frame);
    drop(quiet);
    if !is_ours {
        // SAFETY: this handler's own arguments.
        unsafe { signals::forward(signal, info, context) };
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// True if the program goes on.
fn let_through<W: Watcher>(address: u64, frame: &mut libc::ucontext_t) -> bool {
    let page = address & !(PAGE - 1);
    if let Some(mut step) = STEP.get() {
        return match W::further(address, step.count < PAGES) {
            Further::Foreign => false,
            Further::Over => true,
            Further::Opened => {
                step.pages[step.count] = page;
                step.count += 1;
                STEP.set(Some(step));
                true
            }
        };
    }
    let (operand, at) = match W::fault(address, frame) {
        Fault::Foreign => return false,
        Fault::Over => return true,
        Fault::Step { operand, at } => (operand, at),
    };
    // A trap that is blocked would be the end of the program.
    // SAFETY: the set is the one to be restored when the handler returns.
    let blocked = unsafe {
        let blocked = libc::sigismember(&frame.uc_sigmask, libc::SIGTRAP) == 1;
        libc::sigdelset(&mut frame.uc_sigmask, libc::SIGTRAP);
        blocked
    };
    let mut pages = [0; PAGES];
    pages[0] = page;
    STEP.set(Some(Step { pages, count: 1, operand, at, blocked }));
    frame.uc_mcontext.gregs[libc::REG_EFL as usize] |= TRAP;
    true
}

/// SIGTRAP: the instruction has run.
///
/// # Safety
/// Called by the system.
unsafe extern "C" fn on_trap<W: Watcher>(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(step) = STEP.take() else {
        // SAFETY: this handler's own arguments.
        unsafe { signals::forward(signal, info, context) };
        return;
    };
    // SAFETY: the system's structure, and this thread's errno.
    let (frame, errno) = unsafe { (&mut *context.cast::<libc::ucontext_t>(), *libc::__errno_location()) };
    frame.uc_mcontext.gregs[libc::REG_EFL as usize] &= !TRAP;
    if step.blocked {
        // SAFETY: as in `let_through`.
        unsafe { libc::sigaddset(&mut frame.uc_sigmask, libc::SIGTRAP) };
    }
    let _quiet = crate::calls::quiet();
    W::stepped(&step.pages[..step.count], step.operand, step.at);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}
