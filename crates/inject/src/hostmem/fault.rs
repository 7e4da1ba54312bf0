//! The handlers: one instruction at a time is let through to watched memory.

use crate::arena::{PAGE, protect};
use crate::caller::{Caller, host_function, inside, thread_number};
use crate::watch::watch;
use crate::{context, gate};
use events::RangeAccess;
use events::Tell;
use events::task::HostCall;
use host::decode::{Instruction, Operand, StringOp, registers};
use host::signals;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// Trap flag of `eflags`.
const TRAP: i64 = 0x100;

/// At most so many pages are touched by one instruction (two operands, each on a border).
const PAGES: usize = 4;

/// An instruction that is being let through.
#[derive(Clone, Copy)]
struct Step {
    pages: [u64; PAGES],
    count: usize,
    operand: Option<Operand>,
    rip: u64,
    /// The thread had SIGTRAP blocked.
    blocked: bool,
}

thread_local! {
    static STEP: Cell<Option<Step>> = const { Cell::new(None) };
    /// Address and instruction of the last access: a polling loop repeats it.
    static LAST: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// SIGSEGV.
///
/// # Safety
/// Called by the system.
pub(super) unsafe extern "C" fn on_segv(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system's structures.
    let (address, frame) = unsafe { ((*info).si_addr() as u64, &mut *context.cast::<libc::ucontext_t>()) };
    // SAFETY: reads and writes the thread's own errno, which the program must not see changed.
    let errno = unsafe { *libc::__errno_location() };
    if !let_through(address, frame) {
        // SAFETY: this handler's own arguments.
        unsafe { signals::forward(signal, info, context) };
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// True if the instruction is to be run again.
fn let_through(address: u64, frame: &mut libc::ucontext_t) -> bool {
    let page = address & !(PAGE - 1);
    if let Some(mut step) = STEP.get() {
        // The same instruction touches another page.
        if step.count == PAGES || watch().find(address).is_none() {
            return false;
        }
        step.pages[step.count] = page;
        step.count += 1;
        STEP.set(Some(step));
        return open(page);
    }
    let mut watch = watch();
    if watch.find(address).is_none() {
        drop(watch);
        // Another thread may have ended the watch since; then the page is accessible by now.
        return context::existing().is_some_and(|r| r.is_open_host_memory(address));
    }
    if inside() {
        // Our own code reads arguments and writes answers there: not the program's accesses.
        return open(page);
    }
    let registers = registers(frame);
    let operand = match host::decode::instruction(registers.rip, &registers) {
        Some(Instruction::String(op)) if !watch.has_given_up() => {
            drop(watch);
            return string(op, frame);
        }
        Some(Instruction::Access(operand)) if !watch.has_given_up() => Some(operand),
        _ => None,
    };
    let Some(operand) = operand else {
        // An unseen access could have been an acquire.
        watch.give_up();
        drop(watch);
        note("a host instruction that touches managed or pinned memory could not be decoded");
        return true;
    };
    let here = (operand.address, registers.rip);
    if LAST.replace(here) == here {
        // Polling: leave the processor to whoever changes the value.
        drop(watch);
        std::thread::yield_now();
    } else {
        if !watch.can_afford_another() {
            watch.give_up();
            drop(watch);
            note(
                "the host touched managed or pinned memory too often during a kernel to follow every access",
            );
            return true;
        }
        drop(watch);
    }
    gate::enter();
    let mut pages = [0; PAGES];
    pages[0] = page;
    // A trap that is blocked would be the end of the program.
    // SAFETY: the set is the one to be restored when this handler returns.
    let blocked = unsafe {
        let blocked = libc::sigismember(&frame.uc_sigmask, libc::SIGTRAP) == 1;
        libc::sigdelset(&mut frame.uc_sigmask, libc::SIGTRAP);
        blocked
    };
    STEP.set(Some(Step { pages, count: 1, operand: Some(operand), rip: registers.rip, blocked }));
    frame.uc_mcontext.gregs[libc::REG_EFL as usize] |= TRAP;
    open(page)
}

fn open(page: u64) -> bool {
    protect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE)
}

/// SIGTRAP: the instruction has run.
///
/// # Safety
/// Called by the system.
pub(super) unsafe extern "C" fn on_trap(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
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
    {
        let watch = watch();
        for &page in &step.pages[..step.count] {
            // Unless the watch has ended meanwhile.
            if watch.find(page).is_some() {
                protect(page, PAGE, libc::PROT_NONE);
            }
        }
    }
    if let Some(operand) = step.operand {
        report(operand, step.rip as usize + 1);
    }
    gate::leave();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Tells the detector of an access, as that of this thread's task. `place` is one byte behind
/// the instruction's first, as return addresses are behind their calls.
fn report(operand: Operand, place: usize) {
    let Some(runtime) = context::existing() else { return };
    let mut state = runtime.lock();
    let site = state.results.call_site("", Caller { address: place, ..Caller::default() }).site;
    let task = match host_function() {
        Some(task) => task,
        None => {
            let call = HostCall { api: String::new(), site };
            state.host_segment(runtime, thread_number(), call)
        }
    };
    drop(state);
    for (wanted, write) in [(operand.reads, false), (operand.writes, true)] {
        if wanted {
            runtime.backend.listener().range(&RangeAccess {
                task,
                site,
                address: operand.address,
                bytes: operand.bytes,
                write,
            });
        }
    }
}

fn note(limit: &str) {
    if let Some(runtime) = context::existing() {
        runtime.lock().results.inconclusive(format!("{limit}; some of the host's accesses were not checked"));
    }
}

/// Performs a whole string instruction, through the engine's view where memory is watched: one
/// step at a time would be one fault for each byte.
fn string(op: StringOp, frame: &mut libc::ucontext_t) -> bool {
    use libc::{REG_EFL, REG_RAX, REG_RCX, REG_RDI, REG_RIP, REG_RSI};
    const DIRECTION: i64 = 0x400;
    let registers = &mut frame.uc_mcontext.gregs;
    if registers[REG_EFL as usize] & DIRECTION != 0 {
        watch().give_up();
        note("a backward string instruction touched managed or pinned memory");
        return true;
    }
    let count = if op.repeated { registers[REG_RCX as usize] as u64 } else { 1 };
    let bytes = count * op.size;
    let (dst, src) = (registers[REG_RDI as usize] as u64, registers[REG_RSI as usize] as u64);
    let Some(runtime) = context::existing() else { return false };
    // Where we may touch it: the engine's view of watched memory, the program's own elsewhere.
    let view = |address: u64| runtime.lock().engine_address(address).unwrap_or(address as usize) as *mut u8;
    let (to, from) = (view(dst), view(src));
    gate::enter();
    let value = registers[REG_RAX as usize].to_le_bytes();
    // SAFETY: the program is about to access exactly these bytes; if they are not accessible, the
    // fault here ends it as it would have there. Elements ascend, as the instruction's do.
    unsafe {
        if op.copies && (dst <= src || dst >= src.saturating_add(bytes)) {
            std::ptr::copy(from, to, bytes as usize);
        } else {
            for i in 0..bytes as usize {
                let byte = if op.copies { from.add(i).read() } else { value[i % op.size as usize] };
                to.add(i).write(byte);
            }
        }
    }
    if op.repeated {
        registers[REG_RCX as usize] = 0;
    }
    registers[REG_RDI as usize] += bytes as i64;
    if op.copies {
        registers[REG_RSI as usize] += bytes as i64;
    }
    let place = registers[REG_RIP as usize] as usize + 1;
    registers[REG_RIP as usize] += op.length as i64;
    for (address, writes, wanted) in [(src, false, op.copies), (dst, true, true)] {
        if wanted && bytes > 0 && watch().find(address).is_some() {
            report(Operand { address, bytes, reads: !writes, writes }, place);
        }
    }
    gate::leave();
    true
}
