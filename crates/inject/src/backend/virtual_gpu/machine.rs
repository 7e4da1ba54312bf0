//! The virtual GPU and its listener behind one object-safe face.
//!
//! Everything else in this crate is free of the detector's type; the loop from
//! instruction to shadow state stays monomorphic in [`simt::Grid`].

use detect::ptx::{PtxMonitor, PtxOptions};
use events::{Listener, Monitor, NoMonitor};
use protocol::{RunOptions, Volatile};
use simt::{AddressSpace, Grid, Host, Launch, LaunchError, Options, Progress, Stats};
use std::sync::Arc;

/// A launch in progress.
pub(super) trait RunningGrid {
    fn run(&mut self, fuel: u64) -> Progress;
    fn stats(&self) -> Stats;
    fn schedule_is_over(&self) -> bool;
    fn pass_time(&mut self) -> bool;
}

impl<M: Monitor + 'static> RunningGrid for Grid<M> {
    fn run(&mut self, fuel: u64) -> Progress {
        Grid::run(self, fuel)
    }

    fn stats(&self) -> Stats {
        Grid::stats(self)
    }

    fn schedule_is_over(&self) -> bool {
        Grid::schedule_is_over(self)
    }

    fn pass_time(&mut self) -> bool {
        Grid::pass_time(self)
    }
}

/// A listener, and the maker of grids that it listens to.
pub(super) trait Machine: Send + Sync {
    fn listener(&self) -> &dyn Listener;

    /// Begins a launch. Nobody listens to it unless `checked`.
    fn grid(
        &self,
        launch: Launch,
        options: Options,
        host: Arc<dyn Host>,
        checked: bool,
    ) -> Result<Box<dyn RunningGrid>, LaunchError>;
}

/// Grids with listener `M`.
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

/// The machine with the listener that the options ask for.
pub(super) fn build(options: &RunOptions, memory: Arc<AddressSpace>) -> Box<dyn Machine> {
    fn with<M: Monitor + 'static>(memory: Arc<AddressSpace>, monitor: M) -> Box<dyn Machine> {
        Box::new(Heard { memory, monitor: Arc::new(monitor) })
    }
    if let Some(path) = &options.trace {
        return with(memory, trace::Recorder::new(path, options.engine));
    }
    // Kernels that check themselves need nobody to listen.
    if !options.detect || options.engine != events::Engine::Virtual {
        return with(memory, NoMonitor);
    }
    if let Some(lens) = options.lens.serial() {
        return with(memory, lens);
    }
    with(memory, exact(options))
}

/// The default lens, with the options of the run.
pub(super) fn exact(options: &RunOptions) -> PtxMonitor {
    PtxMonitor::new(PtxOptions {
        volatile_strong: options.volatile == Volatile::Strong,
        max_shadow_bytes: options.max_memory,
    })
}
