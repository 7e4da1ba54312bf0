//! Type erasure for the virtual GPU and its listener.
//!
//! The rest of this crate is independent of the detector's type; the loop from instruction to shadow memory
//! stays monomorphic in [`simt::Grid`].

use detect::named;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::{Account, Both, Erased, Finding, HostEvent, Listener, Monitor, NoMonitor, Observer};
use protocol::RunOptions;
use simt::{AddressSpace, Grid, Host, Launch, LaunchError, Options, RunningGrid, running};
use std::sync::Arc;

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
        if !checked {
            return running::unheard(launch, options, memory, host);
        }
        Ok(Box::new(Grid::new(launch, options, memory, host, self.monitor.clone())?))
    }
}

/// Returns the machine with the listener that the options select. The engine is compiled for the default detector and for no
/// listener; all others have one type.
pub(super) fn build(options: &RunOptions, memory: Arc<AddressSpace>) -> Box<dyn Machine> {
    fn with<M: Monitor + 'static>(memory: Arc<AddressSpace>, monitor: M) -> Box<dyn Machine> {
        Box::new(Heard { memory, monitor: Arc::new(monitor) })
    }
    fn erased<M: Monitor<Observer: 'static> + 'static>(
        memory: Arc<AddressSpace>,
        monitor: M,
    ) -> Box<dyn Machine> {
        with(memory, Erased::new(Arc::new(monitor)))
    }
    if let Some(path) = &options.trace {
        return erased(memory, trace::Recorder::new(path, options.engine));
    }
    // Self-checking kernels need no listener.
    if !options.detect || options.engine != names::Engine::Virtual {
        return with(memory, NoMonitor);
    }
    match (named::serial(&options.lens), options.record) {
        (Some(lens), false) => erased(memory, lens),
        (None, false) => with(memory, exact(options)),
        (Some(lens), true) => erased(memory, Recorded::new(lens, options)),
        (None, true) => erased(memory, Recorded::new(exact(options), options)),
    }
}

/// Limits how many kernel events are recorded for a report: reading these after the run takes a second or
/// two.
const RECORDED: u64 = 4_000_000;

/// A listener with a recorder of the same events.
struct Recorded {
    lens: Erased,
    recorder: trace::Recorder,
}

impl Recorded {
    fn new(lens: impl Monitor<Observer: 'static> + 'static, options: &RunOptions) -> Self {
        let path = RunOptions::record_of(&options.results, std::process::id());
        let recorder = trace::Recorder::new(&path, options.engine).up_to(RECORDED);
        Recorded { lens: Erased::new(Arc::new(lens)), recorder }
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
        Both(self.lens.observer(worker), self.recorder.observer(worker))
    }
}

/// Returns the default lens with the options of the run.
pub(super) fn exact(options: &RunOptions) -> PtxMonitor {
    PtxMonitor::new(PtxOptions { max_shadow_bytes: options.max_memory, ..named::ptx_options(options.laws()) })
}
