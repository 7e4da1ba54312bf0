//! The signal by which the kernel dispatches calls, and what becomes of each.

use super::arguments::Plan;
use super::table::{Call, Pointer, Served, call};
use super::{Memory, masks, may_hold, peek, stubs, threads};
use crate::frames::Frames;
use crate::signals;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io;

/// `si_code` of a call that was dispatched, and of a signal that a thread sent.
const SYS_USER_DISPATCH: c_int = 2;
const SI_TKILL: c_int = -6;
/// Signals of the library, for which the program may install handlers.
const HELD: [c_int; 3] = [libc::SIGSYS, libc::SIGSEGV, libc::SIGTRAP];

/// Calls in progress of this thread, the innermost last. No more than so many: a handler may leave calls by `longjmp`.
struct Calls {
    plans: Vec<Plan>,
}

const DEEPEST: usize = 64;

thread_local! {
    /// Without a destructor, which could allocate by the program's allocator.
    static CALLS: Cell<*mut Calls> = const { Cell::new(std::ptr::null_mut()) };
}

/// Follows the calls of all threads of the program, and tells `M` of them.
///
/// # Errors
/// What keeps it from that: a thread that takes no signals, or a kernel that does not dispatch calls. Then nothing may be made inaccessible.
pub fn follow<M: Memory>() -> io::Result<()> {
    let _quiet = threads::quiet();
    stubs::make(threads::state_offset()?)?;
    signals::hold_calls(on_call::<M>, masks::OTHERS)?;
    unmask_handlers();
    threads::follow_this(M::is_inside())?;
    threads::follow_others(M::is_own)
}

/// The kernel's structure for a signal's disposition.
#[repr(C)]
#[derive(Clone, Copy)]
struct Disposition {
    handler: u64,
    flags: u64,
    restorer: u64,
    mask: u64,
}

/// The program's handlers of other signals do not block the library's.
fn unmask_handlers() {
    for signal in 1..=64 {
        let mut known = Disposition { handler: 0, flags: 0, restorer: 0, mask: 0 };
        // SAFETY: the kernel's call with its own structure; only the mask is changed.
        unsafe {
            let null = std::ptr::null::<Disposition>();
            if libc::syscall(libc::SYS_rt_sigaction, signal, null, &mut known, 8usize) == 0
                && known.mask & masks::OURS != 0
                && !HELD.contains(&signal)
            {
                known.mask &= !masks::OURS;
                libc::syscall(libc::SYS_rt_sigaction, signal, &known, 0usize, 8usize);
            }
        }
    }
}

/// SIGSYS.
///
/// # Safety
/// Called by the system.
unsafe extern "C" fn on_call<M: Memory>(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system's structures, and this thread's own errno.
    let (code, frame, errno) =
        unsafe { ((*info).si_code, &mut *context.cast::<libc::ucontext_t>(), *libc::__errno_location()) };
    let inside = M::is_inside();
    match code {
        SYS_USER_DISPATCH => {
            let _quiet = threads::quiet();
            let rip = frame.uc_mcontext.gregs[libc::REG_RIP as usize] as u64;
            match stubs::is_behind_watched(rip) {
                true => returned::<M>(frame),
                false => made::<M>(frame, rip),
            }
        }
        SI_TKILL if threads::answer(frame, inside) => {}
        _ => {
            unblock(frame);
            // SAFETY: this handler's own arguments.
            unsafe { signals::forward(signal, info, context) };
        }
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// The program's handler of the signal runs in this one: its calls are dispatched, too. What it asked to be blocked is.
fn unblock(frame: &libc::ucontext_t) {
    let _quiet = threads::quiet();
    let (.., asked) = signals::exchange(libc::SIGSYS, None);
    // SAFETY: the frame's set begins with the kernel's, which the call takes; both are put back when the handler returns.
    unsafe {
        let mask = ((&raw const frame.uc_sigmask).cast::<u64>().read() | asked) & !masks::OURS;
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &mask, 0usize, 8usize);
    }
}

const ARGUMENTS: [c_int; 6] =
    [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10, libc::REG_R8, libc::REG_R9];

/// The program makes a call that returns to `place`.
fn made<M: Memory>(frame: &mut libc::ucontext_t, place: u64) {
    let number = frame.uc_mcontext.gregs[libc::REG_RAX as usize];
    let own = ARGUMENTS.map(|register| frame.uc_mcontext.gregs[register as usize] as u64);
    let stack = frame.uc_mcontext.gregs[libc::REG_RSP as usize] as u64;
    let known = match call(number) {
        _ if M::is_inside() => None,
        Some(known) if is_looked_at::<M>(known, &own) => Some(known),
        Some(_) => None,
        None => own.iter().any(|&own| may_hold(own)).then_some(&UNKNOWN),
    };
    let Some(known) = known else { return pass::<M>(frame, place, false) };
    let mut plan = Plan::new(known, place, stack, own);
    match known.served {
        Served::Control => return control::<M>(frame, plan),
        Served::Rings => M::end(known.name),
        _ => plan.look::<M>(),
    }
    finish::<M>(frame, plan);
}

/// A call of a number that is not in the table.
static UNKNOWN: Call = Call { number: -1, name: "a system call that is not known", served: Served::Opaque };

/// Returns whether a call may be given memory that is watched, or a mask.
fn is_looked_at<M: Memory>(call: &Call, own: &[u64; 6]) -> bool {
    let deep =
        |pointer: &Pointer| !matches!(pointer, Pointer::Buffer { .. } | Pointer::Text(_) | Pointer::Place(_));
    own.iter().any(|&own| may_hold(own))
        || match call.served {
            Served::Checked(pointers) | Served::Keeps(_, pointers) => pointers.iter().any(deep),
            Served::Masked(..) | Served::Control | Served::Rings => true,
            Served::Opaque => M::is_watching() && call.number != libc::SYS_futex,
        }
}

/// Makes a call as planned.
fn finish<M: Memory>(frame: &mut libc::ucontext_t, mut plan: Plan) {
    if plan.beyond {
        M::give_up(plan.call.name);
        return pass::<M>(frame, plan.place, false);
    }
    if plan.opaque && plan.touches {
        M::unchecked(plan.call.name);
    }
    if !(plan.differs() || plan.touches || plan.opaque || plan.believed.is_some()) {
        return pass::<M>(frame, plan.place, false);
    }
    if plan.touches {
        plan.from = Frames::interrupted(plan.place);
    }
    for (register, given) in ARGUMENTS.into_iter().zip(plan.given) {
        frame.uc_mcontext.gregs[register as usize] = given as i64;
    }
    frame.uc_mcontext.gregs[libc::REG_RIP as usize] = stubs::watched() as i64;
    let calls = calls();
    if calls.plans.len() == DEEPEST {
        calls.plans.remove(0);
    }
    calls.plans.push(plan);
}

fn calls() -> &'static mut Calls {
    if CALLS.get().is_null() {
        CALLS.set(Box::into_raw(Box::new(Calls { plans: Vec::new() })));
    }
    // SAFETY: made for this thread, never freed, and used in the handler alone, which does not interrupt itself.
    unsafe { &mut *CALLS.get() }
}

/// Makes a call as it is; `clones` if it makes a thread.
fn pass<M: Memory>(frame: &mut libc::ucontext_t, place: u64, clones: bool) {
    let stub = match clones {
        true => stubs::clone(place),
        false => stubs::plain(place),
    };
    match stub {
        Some(stub) => frame.uc_mcontext.gregs[libc::REG_RIP as usize] = stub as i64,
        None => {
            // A program with more places than there are stubs makes its code as it runs.
            M::end("a system call from too many places");
            let number = frame.uc_mcontext.gregs[libc::REG_RAX as usize];
            let a = ARGUMENTS.map(|register| frame.uc_mcontext.gregs[register as usize]);
            // SAFETY: the program's call with its arguments.
            let result = unsafe { libc::syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]) };
            // SAFETY: this thread's errno, which the handler's end restores.
            let errno = unsafe { *libc::__errno_location() };
            frame.uc_mcontext.gregs[libc::REG_RAX as usize] =
                if result == -1 { -i64::from(errno) } else { result };
        }
    }
}

/// A call that was made as planned has returned.
fn returned<M: Memory>(frame: &mut libc::ucontext_t) {
    let stack = frame.uc_mcontext.gregs[libc::REG_RSP as usize] as u64;
    let result = frame.uc_mcontext.gregs[libc::REG_RAX as usize];
    let calls = calls();
    let Some(at) = calls.plans.iter().rposition(|plan| plan.stack == stack) else {
        // The return address is not known: that cannot be, and nothing else is safe.
        std::process::abort();
    };
    // Those behind it were left by `longjmp`.
    calls.plans.truncate(at + 1);
    let Some(mut plan) = calls.plans.pop() else { return };
    let registers = &mut frame.uc_mcontext.gregs;
    if plan.opaque && result == -i64::from(libc::EFAULT) && !plan.again && M::is_watching() {
        M::give_up(plan.call.name);
        plan.again = true;
        registers[libc::REG_RAX as usize] = plan.call.number;
        registers[libc::REG_RIP as usize] = stubs::watched() as i64;
        calls.plans.push(plan);
        return;
    }
    for (register, own) in ARGUMENTS.into_iter().zip(plan.own) {
        registers[register as usize] = own as i64;
    }
    registers[libc::REG_RIP as usize] = plan.place as i64;
    let accesses = plan.returned::<M>(result);
    if let Some((at, believed)) = plan.believed
        && result == 0
    {
        let mut mask = [0; 8];
        if peek(at, &mut mask) {
            let mask = u64::from_ne_bytes(mask) | believed;
            super::poke(at, &mask.to_ne_bytes());
        }
    }
    if plan.touches && !accesses.is_empty() {
        M::accessed(plan.call.name, &plan.from, &accesses);
    }
}

/// Calls of signals and threads.
fn control<M: Memory>(frame: &mut libc::ucontext_t, mut plan: Plan) {
    const SIZE: u64 = 8;
    let own = plan.own;
    match plan.call.number {
        libc::SYS_rt_sigprocmask if own[3] == SIZE => {
            if let Some(changed) = masks::changed(own[0], own[1]) {
                if let Some(mask) = changed.mask {
                    plan.replace(1, vec![mask]);
                }
                plan.believed = (own[2] != 0).then_some((own[2], changed.believed));
            }
        }
        libc::SYS_rt_sigaction if own[3] == SIZE => {
            let mut action = [0; 32];
            if HELD.contains(&(own[0] as c_int)) {
                return held(frame, &plan);
            }
            if own[1] != 0 && peek(own[1], &mut action) {
                let mut words: Vec<u64> = action
                    .chunks_exact(8)
                    .filter_map(|w| w.try_into().ok().map(u64::from_ne_bytes))
                    .collect();
                if words[3] & masks::OURS != 0 {
                    words[3] &= !masks::OURS;
                    plan.replace(1, words);
                }
            }
        }
        libc::SYS_rt_sigreturn => {
            // The frame begins where the stack pointer is; its mask is behind flags, link, stack and registers.
            const MASK: u64 = 8 + 8 + 24 + 256;
            let mut mask = [0; 8];
            if peek(plan.stack + MASK, &mut mask) {
                let old = u64::from_ne_bytes(mask);
                if old & masks::OURS != 0 {
                    super::poke(plan.stack + MASK, &(old & !masks::OURS).to_ne_bytes());
                }
            }
        }
        libc::SYS_clone | libc::SYS_clone3 => {
            const FLAGS: usize = 0;
            const STACK: usize = 5;
            let mut words = [own[0], own[1]];
            if plan.call.number == libc::SYS_clone3 {
                let mut all = [0; 48];
                if !peek(own[0], &mut all) {
                    return pass::<M>(frame, plan.place, false);
                }
                let word = |at: usize| all[at * 8..at * 8 + 8].try_into().map_or(0, u64::from_ne_bytes);
                words = [word(FLAGS), word(STACK)];
            }
            if M::view(words[1]).is_some() {
                M::keeps(plan.call.name, words[1]);
            }
            return pass::<M>(frame, plan.place, words[0] & libc::CLONE_THREAD as u64 != 0);
        }
        _ => {}
    }
    finish::<M>(frame, plan);
}

/// The program asks for, or changes, what is done at a signal that is the library's: it gets what it believes.
fn held(frame: &mut libc::ucontext_t, plan: &Plan) {
    let read = |at: u64| {
        let mut bytes = [0; 32];
        let all = (at != 0 && peek(at, &mut bytes)).then_some(bytes)?;
        let word = |n: usize| all[n * 8..n * 8 + 8].try_into().map_or(0, u64::from_ne_bytes);
        Some(Disposition { handler: word(0), flags: word(1), restorer: word(2), mask: word(3) })
    };
    let new = read(plan.own[1]).map(|new| (new.handler, new.flags, new.mask));
    let (handler, flags, mask) = signals::exchange(plan.own[0] as c_int, new);
    if plan.own[2] != 0 {
        let restorer = signals::restorer().unwrap_or(0);
        let words = [handler, flags, restorer, mask];
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
        super::poke(plan.own[2], &bytes);
    }
    frame.uc_mcontext.gregs[libc::REG_RAX as usize] = 0;
}
