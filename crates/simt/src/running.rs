//! Launches in progress, whatever listens to them.

use crate::failure::LaunchError;
use crate::grid::Grid;
use crate::launch::{Host, Launch, Options, Progress, Stats};
use crate::memory::AddressSpace;
use crate::nested::Child;
use events::{Erased, Monitor, NoMonitor};
use std::sync::Arc;
use weak::{Outcome, Stronger};

/// A [`Grid`] whose monitor's type is not known.
pub trait RunningGrid {
    fn run(&mut self, fuel: u64) -> Progress;
    fn stats(&self) -> Stats;
    fn sampled(&self) -> Option<u64>;
    fn schedule_is_over(&self) -> bool;
    fn pass_time(&mut self) -> bool;
    fn outcomes(&self) -> Vec<Outcome>;
    fn stronger(&self) -> Vec<Stronger>;
    fn children(&mut self) -> Vec<Child>;
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

    fn children(&mut self) -> Vec<Child> {
        Grid::children(self)
    }
}

/// Creates a launch that nothing listens to ([`Grid::new`]).
///
/// This and [`heard`] are no generic functions: the engine for these two listeners is compiled in this crate, and those that
/// use it do not compile it again (in builds that share such code, those without full optimisation).
pub fn unheard(
    launch: Launch,
    options: Options,
    memory: Arc<AddressSpace>,
    host: Arc<dyn Host>,
) -> Result<Box<dyn RunningGrid>, LaunchError> {
    Ok(Box::new(Grid::new(launch, options, memory, host, Arc::new(NoMonitor))?))
}

/// Creates a launch that a monitor of any type listens to ([`Grid::new`]).
pub fn heard(
    launch: Launch,
    options: Options,
    memory: Arc<AddressSpace>,
    host: Arc<dyn Host>,
    monitor: Erased,
) -> Result<Box<dyn RunningGrid>, LaunchError> {
    Ok(Box::new(Grid::new(launch, options, memory, host, Arc::new(monitor))?))
}
