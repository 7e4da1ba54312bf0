//! Options of `warprace replay`.

use super::values::{bytes, engine, jobs};
use super::{Cli, Command, Outputs, RunArgs, Volatile};
use clap::{Args, Parser};
use detect::named::Choice;
use events::Engine;
use protocol::{Named, Strategy};
use simt::Schedule;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// What `warprace run --save-launch FILE` wrote
    pub(crate) file: PathBuf,

    /// The detector, as of `run` [default: ptx]
    #[arg(long, value_name = "NAME", value_parser = str::parse::<Choice>)]
    pub(crate) lens: Option<Choice>,

    /// What looks for races, as of `run` [default: virtual]
    #[arg(long, value_name = "NAME", value_parser = engine)]
    pub(crate) engine: Option<Engine>,

    /// How volatile accesses are judged [default: strong]
    #[arg(long, value_enum)]
    pub(crate) volatile: Option<Volatile>,

    /// The order in which threads run, as of `run`
    #[arg(long, value_name = "SCHEDULE", value_parser = str::parse::<Schedule>)]
    pub(crate) schedule: Option<Schedule>,

    /// Choose another order of the same schedule
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Run the launch under N schedules
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) explore: u32,

    /// What --explore runs: `mixed` or `dfs[/PREEMPTIONS]`
    #[arg(long, value_name = "NAME", default_value = "mixed", value_parser = str::parse::<Strategy>)]
    pub(crate) strategy: Strategy,

    /// Predict races that other schedules have, and drive them to happen in at most N runs
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "500",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) predict: Option<u32>,

    /// Run exactly as a report says
    #[arg(long, value_name = "STRING", conflicts_with_all = ["schedule", "seed", "explore", "strategy", "predict"],
          value_parser = str::parse::<Named>)]
    pub(crate) replay: Option<Named>,

    /// Threads that execute the kernel [default: the processors, at most 8]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,

    /// Give the kernel up after N warp instructions without progress, as of `run`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_instructions: Option<u64>,

    /// Cap on what the detector remembers, such as 500M or 4G
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) max_memory: Option<u64>,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// What `replay` has in place of a program.
#[derive(Debug, Args)]
pub(crate) struct LaunchArgs {
    /// A saved launch
    pub(crate) file: PathBuf,
}

impl ReplayArgs {
    /// As a run of `program`, which launches the file's launch for as many devices as it was made for.
    pub(crate) fn run(self, program: Vec<OsString>, devices: u32) -> RunArgs {
        let words = ["warprace", "run", "--"].map(OsString::from).into_iter().chain(program);
        let mut run = match Cli::try_parse_from(words) {
            Ok(Cli { command: Command::Run(run) }) => *run,
            other => unreachable!("the words are a run, not {other:?}"),
        };
        let named = self.replay.as_ref().is_some_and(|replay| replay.devices.is_some());
        run.devices = (!named).then_some(devices);
        (run.lens, run.engine, run.volatile) = (self.lens, self.engine, self.volatile);
        (run.schedule, run.seed, run.replay) = (self.schedule, self.seed, self.replay);
        (run.explore, run.strategy, run.predict) = (self.explore, self.strategy, self.predict);
        (run.jobs, run.max_instructions, run.max_memory) =
            (self.jobs, self.max_instructions, self.max_memory);
        run.outputs = self.outputs;
        run.saved = Some(self.file);
        run
    }
}
