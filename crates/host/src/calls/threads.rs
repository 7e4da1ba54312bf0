//! Threads whose system calls are followed: each has the kernel dispatch its calls to a signal (syscall user dispatch, Linux 5.11).
//!
//! A thread can only ask for that itself. Those that exist are sent SIGSYS, whose handler asks; those that they make
//! later ask in their first instructions ([`stubs`]). A child of `fork` and a program that is executed are not dispatched.

use super::{masks, stubs};
use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const ON: usize = 1;
const ALLOW: u8 = 0;
const BLOCK: u8 = 1;

thread_local! {
    /// The kernel's selector, and 1 if this thread's calls are followed. [`stubs`] writes both.
    static STATE: Cell<[u8; 2]> = const { Cell::new([ALLOW, 0]) };
}

/// This thread's calls are its program's again, or not, when this is dropped: as they were before.
pub struct Quiet(u8);

impl Drop for Quiet {
    fn drop(&mut self) {
        STATE.set([self.0, STATE.get()[1]]);
    }
}

/// Lets this thread's system calls pass until the answer is dropped.
pub fn quiet() -> Quiet {
    let [selector, followed] = STATE.get();
    STATE.set([ALLOW, followed]);
    Quiet(selector)
}

/// The thread enters or leaves the library: its calls are the library's, or the program's.
pub fn set_inside(inside: bool) {
    let [_, followed] = STATE.get();
    STATE.set([if inside || followed == 0 { ALLOW } else { BLOCK }, followed]);
}

/// How far behind the thread pointer [`STATE`] is: the same for all threads, since the library is loaded with the program.
pub(super) fn state_offset() -> io::Result<i32> {
    let at = STATE.with(|state| state.as_ptr() as i64);
    let pointer: i64;
    // SAFETY: the first word of a thread's control block is its own address.
    unsafe {
        std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags))
    };
    let offset = at.wrapping_sub(pointer);
    // Memory for variables of libraries that were loaded later is elsewhere for each thread.
    i32::try_from(offset)
        .ok()
        .filter(|offset| *offset < 0)
        .ok_or_else(|| io::Error::other("thread-local memory is elsewhere"))
}

/// Has this thread's calls followed from now on; if it is inside the library, they pass until it leaves it.
///
/// # Errors
/// The kernel's, if it does not dispatch calls.
pub fn follow_this(inside: bool) -> io::Result<()> {
    if STATE.get()[1] != 0 {
        return Ok(());
    }
    let (start, length) = stubs::allowed();
    if start == 0 {
        return Ok(());
    }
    let selector = STATE.with(Cell::as_ptr);
    // SAFETY: the selector lives as long as the thread. The set is the kernel's, of 64 signals.
    unsafe {
        let mut before = 0u64;
        let ours = masks::OURS;
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_UNBLOCK, &ours, &mut before, 8);
        masks::believed(before);
        if libc::prctl(stubs::PR_SET_SYSCALL_USER_DISPATCH, ON, start, length, selector) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    STATE.set([if inside { ALLOW } else { BLOCK }, 1]);
    Ok(())
}

/// The thread that is asked, the call that it was in, and how many have answered.
static ASKED: AtomicI32 = AtomicI32::new(0);
static CALL: AtomicI64 = AtomicI64::new(NO_CALL);
static ANSWERS: AtomicUsize = AtomicUsize::new(0);
const NO_CALL: i64 = -1;
/// A thread that does not answer for so long is stopped, or the machine is.
const PATIENCE: Duration = Duration::from_secs(2);
const MOMENT: Duration = Duration::from_millis(100);

/// In the handler of a thread that was asked. A call that the signal has interrupted is made again.
pub(super) fn answer(frame: &mut libc::ucontext_t, inside: bool) -> bool {
    let quiet = quiet();
    // SAFETY: has no preconditions.
    let own = unsafe { libc::syscall(libc::SYS_gettid) } as i32;
    if ASKED.load(Ordering::Acquire) != own {
        return false;
    }
    let number = CALL.load(Ordering::Acquire);
    let registers = &mut frame.uc_mcontext.gregs;
    let rip = registers[libc::REG_RIP as usize] as u64;
    if number >= 0 && registers[libc::REG_RAX as usize] == -i64::from(libc::EINTR) {
        // SAFETY: the code that was interrupted is readable there: it has just run.
        if unsafe { ((rip - stubs::SYSCALL) as *const [u8; 2]).read() } == [0x0f, 0x05] {
            registers[libc::REG_RIP as usize] = (rip - stubs::SYSCALL) as i64;
            registers[libc::REG_RAX as usize] = number;
        }
    }
    // The frame has the mask of the handler's return: the thread had none of ours blocked, or it would not be
    // here.
    match follow_this(inside) {
        Ok(()) => {
            masks::believed(0);
            // The selector is as it was just set.
            std::mem::forget(quiet);
            ANSWERS.fetch_add(1, Ordering::AcqRel);
            true
        }
        Err(_) => true,
    }
}

/// Asks all other threads of the program. An error names one that cannot be followed.
pub(super) fn follow_others(is_own: fn(&str) -> bool) -> io::Result<()> {
    // SAFETY: has no preconditions.
    let (process, own) = unsafe { (libc::getpid(), libc::syscall(libc::SYS_gettid) as i32) };
    for entry in std::fs::read_dir("/proc/self/task")? {
        let name = entry?.file_name();
        let Some(thread) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let read = |file: &str| std::fs::read_to_string(format!("/proc/self/task/{thread}/{file}"));
        if thread == own || read("comm").is_ok_and(|comm| is_own(comm.trim())) {
            continue;
        }
        let blocks = || {
            let status = read("status").unwrap_or_default();
            let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
            blocked.is_some_and(|mask| {
                u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & masks::OURS != 0)
            })
        };
        // The C library blocks all signals for moments.
        let begun = Instant::now();
        while blocks() {
            if begun.elapsed() > MOMENT {
                return Err(io::Error::other(
                    "a thread of the program has blocked SIGSYS, SIGSEGV or SIGTRAP",
                ));
            }
            std::thread::yield_now();
        }
        let call = read("syscall").ok().and_then(|text| text.split(' ').next()?.parse().ok());
        CALL.store(call.unwrap_or(NO_CALL), Ordering::Release);
        let before = ANSWERS.load(Ordering::Acquire);
        ASKED.store(thread, Ordering::Release);
        // SAFETY: the signal has a handler, which answers.
        if unsafe { libc::syscall(libc::SYS_tgkill, process, thread, libc::SIGSYS) } != 0 {
            continue;
        }
        let begun = Instant::now();
        while ANSWERS.load(Ordering::Acquire) == before {
            if !std::path::Path::new(&format!("/proc/self/task/{thread}")).exists() {
                break;
            }
            if begun.elapsed() > PATIENCE {
                return Err(io::Error::other("a thread of the program does not take signals"));
            }
            std::thread::yield_now();
        }
    }
    ASKED.store(0, Ordering::Release);
    Ok(())
}
