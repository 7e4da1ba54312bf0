//! The library's knowledge of the process, and the result file that reports it. One lock protects all of it, since a
//! launch, a module or an allocation changes many parts together.
//!
//! * [`modules`]: images, kernels and their handles; [`loading`] replaces what the program loads,
//!   [`parts`] does when it is used.
//! * [`objects`]: textures and surfaces, for the checks of accesses through them.
//! * [`checks`]: the inserted checks, and the sink in which kernels report; [`ranges`] and [`hosts`] check copies and the
//!   host's instructions.
//! * [`launches`]: launches, and their place in the order of launches; [`memory`]: allocations, textures, the table's room.
//! * [`libraries`]: how often kernels without PTX run; [`machine_code`]: what they may access; [`constants`] are
//!   those that kernels may read.
//! * [`proofs`]: launches that run without checks, because they are proved; [`repeats`] of launches with checks.
//! * [`captures`]: saved launches, [`graphs`] those of graphs; [`session`]: what a session asks of modules.
//! * [`report`]: the result, its notes, and when it is written.

mod captures;
mod checks;
mod constants;
mod graphs;
mod hosts;
mod launches;
mod left_out;
mod libraries;
mod loading;
mod machine_code;
mod memory;
mod modules;
mod objects;
mod parts;
mod proofs;
mod ranges;
mod repeats;
mod report;
mod session;

pub(crate) use graphs::PickedNode;
pub(crate) use launches::Launch;
pub(crate) use machine_code::{Pointer, StandIns};
pub(crate) use modules::{Function, ImageId};
pub(crate) use parts::{Part, has_parts};
pub(crate) use proofs::{Without, without};
pub(crate) use ranges::Accessed;

use crate::graphs::Graphs;
use crate::hooks::Code;
use crate::order::Order;
use crate::table::Tables;
use crate::writer::Writer;
use crate::{active, log, stack, timing, watch};
use captures::Captures;
use checks::Checks;
use instrument::collide::Options;
use modules::Modules;
use names::Engine;
use protocol::options::Prune;
use protocol::{Obstacle, PROTOCOL_VERSION, RESULT_EXTENSION, RunOptions, RunResult};
use report::Report;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

static STATE: OnceLock<Mutex<State>> = OnceLock::new();
/// Whether an engine uses the order of launches.
static ORDERED: AtomicBool = AtomicBool::new(false);
/// Whether launches are saved.
static SAVES: AtomicBool = AtomicBool::new(false);

pub(crate) struct State {
    options: RunOptions,
    /// When the process began, in nanoseconds: a part of the names of its files.
    begun: u128,
    report: Report,
    modules: Modules,
    parts: parts::Parts,
    checks: Checks,
    captures: Captures,
    graphs: Graphs,
    order: Order,
    /// The tables of engine `guard`, one for each device.
    tables: Tables,
    /// The first device that may have reached memory of the host.
    reached_by: Option<c_int>,
    /// Whether engine `guard` has stopped checking because it cannot distinguish launches.
    ended: bool,
    ranges: ranges::Ranges,
    proofs: proofs::Proofs,
    libraries: libraries::Libraries,
    machine_code: machine_code::MachineCode,
    constants: constants::Constants,
    /// Checks that stand for instructions of the host.
    hosts: hosts::Hosts,
}

pub(crate) fn start(options: RunOptions) {
    let looks_at_calls = looks_at_calls(options.engine);
    if looks_at_calls {
        watch::looks_again();
    }
    ORDERED.store(looks_at_calls || matches!(options.engine, Engine::Guard { .. }), Ordering::Relaxed);
    SAVES.store(
        options.save_launch.is_some() || options.capture.is_some() || options.session.is_some(),
        Ordering::Relaxed,
    );
    crate::session::start(options.session.as_ref(), !has_order());
    starts_prover(&options);
    let _ = STATE.set(Mutex::new(State::new(options)));
}

/// Has proofs used, if kernels have checks that these may replace.
fn starts_prover(options: &RunOptions) {
    let has_checks = match options.engine {
        Engine::Guard { prune, .. } => prune,
        // Blocks in another order are to change what the program does.
        Engine::Collide { prune, shuffle, .. } => prune && shuffle.is_none(),
        _ => false,
    };
    let is_wanted = has_checks && has_order() && options.prune != Prune::Never;
    if let Some(program) = options.prover.clone().filter(|_| is_wanted) {
        crate::proofs::start(program, options);
    }
}

/// Returns whether launches of this process are saved.
pub(crate) fn saves() -> bool {
    active::is_active() && SAVES.load(Ordering::Relaxed)
}

/// Returns whether engine `collide` also checks copies and the host's accesses. Its sampling preset for
/// production does not.
fn looks_at_calls(engine: Engine) -> bool {
    matches!(engine, Engine::Collide { preset, .. } if preset.name() != Options::SAMPLED)
}

/// Locks the state; `None` if this process is not checked.
pub(crate) fn lock() -> Option<MutexGuard<'static, State>> {
    if !active::is_active() {
        return None;
    }
    STATE.get().map(|state| state.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns whether an engine uses [`State::order`].
pub(crate) fn has_order() -> bool {
    ORDERED.load(Ordering::Relaxed)
}

/// Writes the final result when the process ends.
pub(crate) fn finish() {
    // `try_lock`, since a thread that was stopped in the middle of its work never releases the lock.
    if active::is_active()
        && let Some(mut state) = STATE.get().and_then(|state| state.try_lock().ok())
    {
        log::timed("writing the result", || {
            state.host_saw();
            state.write(true);
        });
        drop(state);
        crate::session::finish();
    }
}

/// Resets the state in the child of a fork.
pub(crate) fn forked() {
    watch::forked();
    crate::session::forked();
    if let Some(mut state) = STATE.get().and_then(|state| state.try_lock().ok()) {
        let options = state.options.clone();
        *state = State::new(options);
    }
}

impl State {
    fn new(options: RunOptions) -> State {
        let result = RunResult {
            version: PROTOCOL_VERSION,
            pid: std::process::id(),
            // SAFETY: has no preconditions.
            parent: unsafe { libc::getppid() } as u32,
            program: std::fs::read_link("/proc/self/exe").unwrap_or_default(),
            replay: Some(options.replay()),
            ..RunResult::default()
        };
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let name = format!("{}-{begun:x}.{RESULT_EXTENSION}", result.pid);
        let writer = Writer::new(options.results.join(name));
        State {
            options,
            begun,
            report: Report::new(result, writer),
            modules: Modules::default(),
            parts: parts::Parts::default(),
            checks: Checks::default(),
            captures: Captures::default(),
            graphs: Graphs::default(),
            order: Order::default(),
            tables: Tables::default(),
            reached_by: None,
            ended: false,
            ranges: ranges::Ranges::default(),
            proofs: proofs::Proofs::default(),
            libraries: libraries::Libraries::default(),
            machine_code: machine_code::MachineCode::default(),
            constants: constants::Constants::default(),
            hosts: hosts::Hosts::default(),
        }
    }

    /// Reports that the driver could not be initialised.
    pub(crate) fn no_driver(&mut self, code: Code) {
        let name = match code {
            34 => "CUDA_ERROR_STUB_LIBRARY".to_owned(),
            100 => "CUDA_ERROR_NO_DEVICE".to_owned(),
            803 => "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH".to_owned(),
            code => format!("error {code}"),
        };
        let what = format!("the CUDA driver could not be initialised: {name}");
        self.report.result.obstacle.get_or_insert(Obstacle::Unsupported { what });
        self.write(false);
    }

    /// Forgets a destroyed context, or all contexts of a device that was reset.
    pub(crate) fn context_gone(&mut self, device: Option<c_int>) {
        if device.is_some() {
            self.captures.live.clear();
        }
        if let Some(sink) = &mut self.checks.sink {
            sink.forget();
        }
        self.tables.forget(device);
        self.ranges.forget();
        self.proofs.forget();
        timing::forget();
        stack::forget();
    }
}
