//! Handles a fault in watched memory: lets one instruction through ([`host::steps`]) and reports its access.

use super::system_calls::caller;
use crate::arena::{PAGE, protect};
use crate::caller::{Caller, OUTER, host_function, inside, thread_number};
use crate::watch::watch;
use crate::{context, gate};
use events::RangeAccess;
use events::Tell;
use events::task::HostCall;
use host::decode::{Instruction, Operand, StringOp, registers};
use host::frames::{Frames, is_system};
use host::steps::{Fault, Further, Watcher};
use std::cell::Cell;

thread_local! {
    /// Address and instruction of the last access, which a polling loop repeats.
    static LAST: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// Where the access that is being let through comes from.
    static FROM: Cell<Caller> = const { Cell::new(Caller { address: 0, outer: [0; OUTER], python: 0 }) };
}

/// The watcher of memory that tasks keep watched.
pub(super) struct Watched;

impl Watcher for Watched {
    fn fault(address: u64, frame: &mut libc::ucontext_t) -> Fault {
        let page = address & !(PAGE - 1);
        let mut watch = watch();
        if watch.find(address).is_none() {
            drop(watch);
            // Another thread may have ended the watch, so the page may be accessible by now.
            let is_open = context::existing().is_some_and(|r| r.is_open_host_memory(address));
            return if is_open { Fault::Over } else { Fault::Foreign };
        }
        if inside() {
            // This library's own code reads arguments and writes results there; these are not the program's
            // accesses.
            return if open(page) { Fault::Over } else { Fault::Foreign };
        }
        let registers = registers(frame);
        let operand = match host::decode::instruction(registers.rip, &registers) {
            Some(Instruction::String(op)) if !watch.has_given_up() => {
                drop(watch);
                return if string(op, frame) { Fault::Over } else { Fault::Foreign };
            }
            Some(Instruction::Access(operand)) if !watch.has_given_up() => Some(operand),
            _ => None,
        };
        let Some(operand) = operand else {
            // An unreported access may have been an acquire.
            watch.give_up();
            drop(watch);
            note("a host instruction that touches managed or pinned memory could not be decoded");
            return Fault::Over;
        };
        let here = (operand.address, registers.rip);
        if LAST.replace(here) == here {
            // The thread is polling, so it yields to the thread that changes the value.
            drop(watch);
            std::thread::yield_now();
        } else {
            if !watch.can_afford_another() {
                watch.give_up();
                drop(watch);
                note(
                    "the host touched managed or pinned memory too often during a kernel to follow every access",
                );
                return Fault::Over;
            }
            drop(watch);
        }
        FROM.set(place(registers.rip));
        gate::enter();
        match open(page) {
            true => Fault::Step { operand, at: registers.rip },
            false => {
                gate::leave();
                Fault::Foreign
            }
        }
    }

    fn further(address: u64, room: bool) -> Further {
        match room && watch().find(address).is_some() && open(address & !(PAGE - 1)) {
            true => Further::Opened,
            false => Further::Foreign,
        }
    }

    fn stepped(pages: &[u64], operand: Operand, _: u64) {
        {
            let watch = watch();
            for &page in pages {
                // The watch may have ended meanwhile.
                if watch.find(page).is_some() {
                    protect(page, PAGE, libc::PROT_NONE);
                }
            }
        }
        report(operand, FROM.get());
        gate::leave();
    }
}

fn open(page: u64) -> bool {
    protect(page, PAGE, libc::PROT_READ | libc::PROT_WRITE)
}

/// Returns the call site of an access by the instruction at `rip`; for an instruction of the C library, its
/// caller's. The address is one byte behind the instruction's first, as a return address is behind its call.
fn place(rip: u64) -> Caller {
    match is_system(rip + 1) {
        true => caller(&Frames::interrupted(rip)),
        false => Caller { address: rip as usize + 1, ..Caller::default() },
    }
}

/// Reports an access to the detector as one of this thread's task.
fn report(operand: Operand, from: Caller) {
    let Some(runtime) = context::existing() else { return };
    let mut state = runtime.lock();
    let site = state.results.call_site("", from).site;
    let task = match host_function() {
        Some(task) => task,
        None => {
            let call = HostCall { api: String::new(), site, within: None };
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

/// Performs a whole string instruction, through the engine's view if memory is watched. Single steps would
/// fault for each element.
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
    // The accessible address: the engine's view of watched memory, the program's own elsewhere.
    let view = |address: u64| runtime.lock().engine_address(address).unwrap_or(address as usize) as *mut u8;
    let (to, from) = (view(dst), view(src));
    gate::enter();
    let value = registers[REG_RAX as usize].to_le_bytes();
    // SAFETY: the program is about to access exactly these bytes; if they are inaccessible, the fault here
    // ends it as it would have there. Elements ascend, as in the instruction.
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
    let from = place(registers[REG_RIP as usize] as u64);
    registers[REG_RIP as usize] += op.length as i64;
    for (address, writes, wanted) in [(src, false, op.copies), (dst, true, true)] {
        if wanted && bytes > 0 && watch().find(address).is_some() {
            report(Operand { address, bytes, reads: !writes, writes }, from);
        }
    }
    gate::leave();
    true
}
