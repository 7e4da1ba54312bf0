//! The engine thread: runs operations in submission order.
//!
//! The first operation that waits for nothing runs to its end, so a deterministic program runs in the same
//! way every time. A kernel that waits for the host or another kernel lets later operations run, and so does
//! one that has used up its turn.

use super::active::{Active, Next, complete, end, ranges, transfer};
use super::families::{self, Families};
use crate::backend::{KernelWork, Progress, Stats, Terms};
use crate::context::{Op, OpId, Resources, Runtime, State, Work, lanes};
use crate::gate::engine_portion;
use crate::progress::{Line, pace};
use crate::watch;
use events::{TaskInfo, Tell};
use protocol::DeviceFailure;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Warp instructions of a portion, after which the thread checks for other events.
const PORTION: u64 = 1 << 17;

/// Warp instructions of a portion while the host's accesses are watched, since each access waits for the end
/// of a portion.
const SHORT_PORTION: u64 = 1 << 13;

/// Portions in a turn, and their number if they are short.
const TURN: u32 = 512;
const SHORT_TURN: u32 = 64;

/// Bounds of the interval at which stalled kernels are polled, which grows from the first to the second.
const NAP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(5));

/// Number of checks before the world outside is taken to be silent, since a thread may be between two sleeps.
const LOOKS: u32 = 4;

enum Turn {
    /// All blocks have ended.
    Ended,
    Failed(Box<DeviceFailure>),
    GoesOn,
    /// The kernel only waits, in loops that may give up by themselves.
    Polls,
    /// Only other work or time can resolve the wait.
    Stalled,
}

/// The thread's body; it never returns.
pub(crate) fn run(runtime: &'static Runtime) {
    default_float_mode();
    let mut active: Vec<Active> = Vec::new();
    let mut families = Families::default();
    let (mut launches, mut warm) = (0, false);
    let (mut silent, mut alone) = (0, 0);
    let mut nap = NAP.0;
    loop {
        let (mut progress, mut polls) = (false, false);
        let mut i = 0;
        while i < active.len() {
            match turn(runtime, &mut active[i]) {
                Turn::Ended => {
                    families.ended(runtime, active.remove(i));
                    progress = true;
                    // Operations that waited for it may precede the next kernel.
                    break;
                }
                Turn::Failed(failure) => {
                    let lost = active.remove(i);
                    fail(runtime, lost, *failure, &mut families, &mut active);
                    progress = true;
                    break;
                }
                Turn::GoesOn => {
                    progress = true;
                    i += 1;
                }
                Turn::Polls => {
                    polls = true;
                    i += 1;
                }
                Turn::Stalled => i += 1,
            }
        }
        // Kernels that a kernel has launched precede what the host submits, whose time of submission varies.
        if let Some(child) = families.next(runtime) {
            begin_kernel(runtime, child, &mut families, &mut active, &mut launches);
            continue;
        }
        let mut op = next(runtime, active.is_empty() && warm);
        // The pages are mapped before the first kernel, preferably while there is nothing to do.
        if !warm && op.as_ref().is_none_or(|(_, op)| matches!(op.work, Work::Kernel(_))) {
            super::warm::warm();
            warm = true;
            op = op.or_else(|| next(runtime, active.is_empty()));
        }
        if let Some((id, op)) = op {
            begin(runtime, id, op, &mut families, &mut active, &mut launches);
            progress = true;
        }
        if progress || active.is_empty() {
            (silent, alone, nap) = (0, 0, NAP.0);
            continue;
        }
        if runtime.lock().stalls() {
            runtime.host_wake.notify_all();
        }
        silent = if super::outside::is_silent(runtime) { silent + 1 } else { 0 };
        if silent >= LOOKS {
            // Only kernels are left to resolve each other's waits. Kernels that wait with a clock may give
            // up.
            let passed = active.iter_mut().fold(false, |any, kernel| kernel.grid.pass_time() | any);
            if !passed && !polls {
                let mut lost = active.remove(0);
                let mut failure = lost.grid.stuck();
                families::explain(&mut failure, lost.grid.children().len());
                fail(runtime, lost, failure, &mut families, &mut active);
                (silent, nap) = (0, NAP.0);
            }
            continue;
        }
        if polls {
            continue;
        }
        let mut state = runtime.lock();
        // The process's other threads end with it, whatever they do; its kernels do too, as on hardware.
        alone = if state.is_ending() { alone + 1 } else { 0 };
        if alone > LOOKS {
            state.leave_waiting();
            runtime.host_wake.notify_all();
        }
        // A kernel may wait for its host as long as the run lasts.
        runtime.end_if_abandoned(&state);
        drop(sleep(runtime, state, nap));
        nap = (nap * 2).min(NAP.1);
    }
}

/// Restores the default floating-point mode. A program built with `-ffast-math` flushes subnormal numbers in
/// all its threads, which new threads inherit; the virtual GPU's arithmetic needs the hardware's default. Its
/// worker threads inherit from this one.
fn default_float_mode() {
    #[cfg(target_arch = "x86_64")]
    {
        let default: u32 = 0x1F80;
        // SAFETY: sets rounding to nearest, no flushing, and all exceptions masked, as Rust code assumes.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &default, options(nostack, readonly)) };
    }
}

/// Returns the next operation to begin; waits for one if there is nothing else to do.
fn next(runtime: &Runtime, wait: bool) -> Option<(OpId, Op)> {
    let mut state = runtime.lock();
    loop {
        if let Some(next) = state.next_op() {
            return Some(next);
        }
        if !wait {
            return None;
        }
        // No wake-up tells this thread of another process's actions.
        runtime.end_if_abandoned(&state);
        if super::outside::is_left_alone() {
            drop(state);
            // SAFETY: the C library does the same when the last thread ends.
            unsafe { libc::exit(0) };
        }
        let idle = if state.waits_for_others() { NAP.1 / 10 } else { Duration::from_millis(100) };
        if state.results.is_stale() {
            // The thread is idle, so the result file is updated.
            runtime.write_results(&mut state);
        }
        state = sleep(runtime, state, idle);
    }
}

/// Waits for a wake-up, at most `longest`.
fn sleep<'a>(
    runtime: &'a Runtime,
    mut state: MutexGuard<'a, State>,
    longest: Duration,
) -> MutexGuard<'a, State> {
    state.engine_sleeps(true);
    let woken = runtime.engine_wake.wait_timeout(state, longest);
    let (mut state, _) = woken.unwrap_or_else(PoisonError::into_inner);
    state.engine_sleeps(false);
    state
}

/// Begins a kernel. `launches` counts the kernels that have begun.
fn begin_kernel(
    runtime: &'static Runtime,
    next: Next,
    families: &mut Families,
    active: &mut Vec<Active>,
    launches: &mut u64,
) {
    let Next { id, task, device, work, depth } = next;
    runtime.backend.listener().task_start(&task);
    *launches += 1;
    let mut state = runtime.lock();
    state.results.launch_runs(task.id, &work, &Stats::default(), Duration::ZERO);
    if *launches == 1 {
        // If the program is stopped in its first kernel, the result must mention the kernel.
        runtime.write_results(&mut state);
    }
    drop(state);
    runtime.backend.listener().launched(task.id, &work.facts());
    crate::facts::note(runtime, &task, &work);
    let prunes = prune(runtime, &work, &task, 0);
    let alone = active.is_empty();
    let Resources { heap, stack: stack_limit, pending } = runtime.lock().kernel_resources(runtime, device);
    let terms = Terms { task: &task, device, number: *launches, heap, stack_limit, depth, pending };
    crate::saved::save(runtime, &work, &terms, alone);
    if !runtime.lock().shared.is_used() {
        runtime.backend.rehearse(&work, &terms, alone, runtime);
    } else if runtime.options.explore > 1 || runtime.options.predict > 0 {
        // Exploration would restore memory that other processes see.
        let what = "launches were not explored once memory was shared with other processes";
        runtime.lock().results.limit(what.into());
    }
    match runtime.backend.launch(&work, &terms) {
        Ok(grid) => active.push(Active {
            id,
            task,
            device,
            work,
            grid,
            depth,
            prunes,
            spent: Duration::ZERO,
            line: Line::new(runtime.options.progress),
        }),
        Err(refused) => {
            runtime.backend.listener().task_end(task.id);
            runtime.lock().refused(&work, task.clone(), device, &refused);
            families.complete(runtime, id, &task);
        }
    }
}

/// Begins an operation. `launches` counts the kernels that have begun.
fn begin(
    runtime: &'static Runtime,
    id: OpId,
    op: Op,
    families: &mut Families,
    active: &mut Vec<Active>,
    launches: &mut u64,
) {
    let task = op.task;
    if let Work::Kernel(work) = op.work {
        let next = Next { id: Some(id), task, device: op.device, work, depth: 0 };
        return begin_kernel(runtime, next, families, active, launches);
    }
    runtime.backend.listener().task_start(&task);
    match op.work {
        Work::Kernel(_) => {}
        Work::Copy(_) => {
            transfer(runtime, &task, op.device, &op.work);
            done(runtime, id, task, |state| state.results.counters().copies += 1);
        }
        Work::Fill(_) => {
            transfer(runtime, &task, op.device, &op.work);
            done(runtime, id, task, |state| state.results.counters().memsets += 1);
        }
        Work::Allocate { address, bytes } => {
            ranges(runtime, &task, op.device, vec![(address..address + bytes, true)]);
            done(runtime, id, task, |_| {});
        }
        Work::Free { address } => {
            let task_id = task.id;
            let (bytes, stays) = {
                let state = runtime.lock();
                let bytes = state.allocation(address).map_or(0, |memory| memory.bytes);
                (bytes, state.graphs.owns_memory(address))
            };
            if stays {
                // A graph's next launch finds it at the same place.
                ranges(runtime, &task, op.device, vec![(address..address + bytes, true)]);
                return done(runtime, id, task, |_| {});
            }
            lanes::accesses(runtime, &task, op.device, &[(address..address + bytes, true)]);
            runtime.release(address, &task);
            complete(runtime, id, task_id);
        }
        Work::Operator(accesses) => {
            ranges(runtime, &task, op.device, accesses);
            done(runtime, id, task, |state| state.results.counters().operators += 1);
        }
        Work::Gate(_) => done(runtime, id, task, |_| {}),
        Work::HostFunction(call) => {
            // The order that the function's end may establish with the host is assumed at once, since other
            // host threads can learn of it in ways that are not observed.
            runtime.lock().host_learns(&op.known);
            super::callback::call(task.id, call, move || done(runtime, id, task, |_| {}));
        }
    }
}

/// Settles which accesses of a kernel are skipped, if that is possible already.
fn settle(runtime: &Runtime, kernel: &mut Active) {
    if !kernel.prunes {
        let executed = kernel.grid.stats().thread_instructions;
        kernel.prunes = prune(runtime, &kernel.work, &kernel.task, executed);
    }
}

/// Passes on what is proved of a launch that has executed so many instructions. Returns whether that is settled.
fn prune(runtime: &Runtime, work: &KernelWork, task: &TaskInfo, executed: u64) -> bool {
    let allocations = || crate::facts::allocations(runtime);
    let apart = runtime.backend.apart(work, task, executed, &allocations);
    if let Some(apart) = apart.as_ref().filter(|apart| !apart.is_empty()) {
        runtime.backend.listener().apart(task.id, apart);
    }
    apart.is_some()
}

fn done(runtime: &Runtime, id: OpId, task: TaskInfo, note: impl FnOnce(&mut State)) {
    runtime.backend.listener().task_end(task.id);
    note(&mut runtime.lock());
    complete(runtime, id, task.id);
}

/// Runs a kernel for one turn.
fn turn(runtime: &Runtime, kernel: &mut Active) -> Turn {
    let begun = Instant::now();
    let before = kernel.spent;
    let mut left = TURN;
    while left > 0 {
        let (fuel, part) = if watch::active() { (SHORT_PORTION, TURN / SHORT_TURN) } else { (PORTION, 1) };
        left = left.saturating_sub(part);
        let progress = engine_portion(|| kernel.grid.run(fuel));
        kernel.spent = before + begun.elapsed();
        match progress {
            Progress::Running => {
                keep_so_far(runtime, kernel);
                settle(runtime, kernel);
                show(kernel);
            }
            Progress::Stalled { may_end } => {
                keep_so_far(runtime, kernel);
                show(kernel);
                return if may_end { Turn::Polls } else { Turn::Stalled };
            }
            Progress::Finished => {
                kernel.line.clear();
                settle(runtime, kernel);
                return Turn::Ended;
            }
            Progress::Failed(failure) => {
                kernel.line.clear();
                return Turn::Failed(failure);
            }
        }
    }
    Turn::GoesOn
}

/// Writes findings so far, so that they are on disk whatever ends the program during the kernel.
fn keep_so_far(runtime: &Runtime, kernel: &Active) {
    let stats = kernel.grid.stats();
    let mut state = runtime.lock();
    state.results.launch_runs(kernel.task.id, &kernel.work, &stats, kernel.spent);
    state.keep_so_far(runtime);
}

/// Ends a kernel that has failed, and all kernels that it is a part of.
fn fail(
    runtime: &Runtime,
    kernel: Active,
    failure: DeviceFailure,
    families: &mut Families,
    active: &mut Vec<Active>,
) {
    end(runtime, &kernel);
    let (id, root) = families.lost(runtime, &kernel, active);
    let dropped = {
        let mut state = runtime.lock();
        state.faulted(kernel.device, failure, &kernel.task);
        runtime.write_results(&mut state);
        id.map(|id| state.last_op_done(id, root, kernel.device))
    };
    drop(dropped);
    runtime.host_wake.notify_all();
    runtime.engine_wake.notify_all();
}

fn show(kernel: &mut Active) {
    let Active { line, grid, work, spent, .. } = kernel;
    let time = *spent;
    line.show(time, || {
        let stats = grid.stats();
        let pace = pace(stats.blocks_done, work.grid.count(), stats.thread_instructions, time);
        format!("{}: {pace}", work.short_name())
    });
}
