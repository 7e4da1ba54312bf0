//! Type erasure for the virtual GPU and its listener.
//!
//! The rest of this crate is independent of the detector's type; the loop from instruction to shadow memory
//! stays monomorphic in [`simt::Grid`].

use detect::named;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::{Account, Both, Finding, HostEvent, Listener, Monitor, NoMonitor, Observer};
use protocol::RunOptions;
use simt::{AddressSpace, Grid, Host, Launch, LaunchError, Options, Outcome, Progress, Stats, Stronger};
use std::sync::Arc;

/// A launch in progress.
pub(super) trait RunningGrid {
    fn run(&mut self, fuel: u64) -> Progress;
    fn stats(&self) -> Stats;
    fn sampled(&self) -> Option<u64>;
    fn schedule_is_over(&self) -> bool;
    fn pass_time(&mut self) -> bool;
    fn outcomes(&self) -> Vec<Outcome>;
    fn stronger(&self) -> Vec<Stronger>;
    fn children(&mut self) -> Vec<simt::Child>;
}

impl<M: Monitor + 'static> RunningGrid for Grid<M> {
    fn run(&mut self, fuel: u64) -> Progress {
        Grid::run(self, fuel)
    }

    fn stats(&self) -> Stats {
        Grid::stats(self)
    }

    fn sampled(&self) -> Option<u64> {
        Grid::sampled(self)
    }

    fn schedule_is_over(&self) -> bool {
        Grid::schedule_is_over(self)
    }

    fn pass_time(&mut self) -> bool {
        Grid::pass_time(self)
    }

    fn outcomes(&self) -> Vec<Outcome> {
        Grid::outcomes(self)
    }

    fn stronger(&self) -> Vec<Stronger> {
        Grid::stronger(self)
    }

    fn children(&mut self) -> Vec<simt::Child> {
        Grid::children(self)
    }
}

/// A listener, and a constructor of grids that report to it.
pub(super) trait Machine: Send + Sync {
    fn listener(&self) -> &dyn Listener;

    /// Begins a launch. Its events reach the listener only if it is `checked`.
    fn grid(
        &self,
        launch: Launch,
        options: Options,
        host: Arc<dyn Host>,
        checked: bool,
    ) -> Result<Box<dyn RunningGrid>, LaunchError>;
}

/// Grids with a listener of type `M`.
pub(super) struct Heard<M> {
    pub(super) memory: Arc<AddressSpace>,
    pub(super) monitor: Arc<M>,
}

impl<M: Monitor + 'static> Machine for Heard<M> {
    fn listener(&self) -> &dyn Listener {
        &*self.monitor
    }

    fn grid(
        &self,
        launch: Launch,
        options: Options,
        host: Arc<dyn Host>,
        checked: bool,
    ) -> Result<Box<dyn RunningGrid>, LaunchError> {
        let memory = self.memory.clone();
        Ok(if checked {
            Box::new(Grid::new(launch, options, memory, host, self.monitor.clone())?)
        } else {
            Box::new(Grid::new(launch, options, memory, host, Arc::new(NoMonitor))?)
        })
    }
}

/// Returns the machine with the listener that the options select.
pub(super) fn build(options: &RunOptions, memory: Arc<AddressSpace>) -> Box<dyn Machine> {
    fn with<M: Monitor + 'static>(memory: Arc<AddressSpace>, monitor: M) -> Box<dyn Machine> {
        Box::new(Heard { memory, monitor: Arc::new(monitor) })
    }
    if let Some(path) = &options.trace {
        return with(memory, trace::Recorder::new(path, options.engine));
    }
    // Self-checking kernels need no listener.
    if !options.detect || options.engine != names::Engine::Virtual {
        return with(memory, NoMonitor);
    }
    match (named::serial(&options.lens), options.record) {
        (Some(lens), false) => with(memory, lens),
        (None, false) => with(memory, exact(options)),
        (Some(lens), true) => with(memory, Recorded::new(lens, options)),
        (None, true) => with(memory, Recorded::new(exact(options), options)),
    }
}

/// Limits how many kernel events are recorded for a report: reading these after the run takes a second or
/// two.
const RECORDED: u64 = 4_000_000;

/// A listener of any type with a recorder of the same events. It is one type, so that the engine is not
/// instantiated for each listener.
struct Recorded {
    lens: Box<dyn AnyMonitor>,
    recorder: trace::Recorder,
}

/// A monitor whose observers are type-erased.
trait AnyMonitor: Listener {
    fn boxed(&self, worker: usize) -> Box<dyn Observer>;
}

impl<M: Monitor<Observer: 'static>> AnyMonitor for M {
    fn boxed(&self, worker: usize) -> Box<dyn Observer> {
        Box::new(self.observer(worker))
    }
}

impl Recorded {
    fn new(lens: impl Monitor<Observer: 'static> + 'static, options: &RunOptions) -> Self {
        let path = RunOptions::record_of(&options.results, std::process::id());
        let recorder = trace::Recorder::new(&path, options.engine).up_to(RECORDED);
        Recorded { lens: Box::new(lens), recorder }
    }
}

impl Listener for Recorded {
    fn host(&self, event: &HostEvent<'_>) {
        self.lens.host(event);
        self.recorder.host(event);
    }

    fn findings(&self) -> Vec<Finding> {
        self.lens.findings()
    }

    fn so_far(&self) -> Vec<Finding> {
        self.lens.so_far()
    }

    /// The recording serves the report only, so it does not affect the account.
    fn account(&self) -> Account {
        self.lens.account()
    }
}

impl Monitor for Recorded {
    type Observer = Both<Box<dyn Observer>, trace::RecorderObserver>;

    fn observer(&self, worker: usize) -> Self::Observer {
        Both(self.lens.boxed(worker), self.recorder.observer(worker))
    }
}

/// Returns the default lens with the options of the run.
pub(super) fn exact(options: &RunOptions) -> PtxMonitor {
    PtxMonitor::new(PtxOptions { max_shadow_bytes: options.max_memory, ..named::ptx_options(options.laws()) })
}
