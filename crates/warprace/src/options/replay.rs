//! Options of `warprace replay`.

use super::{Cli, Command, Execution, Outputs, RunArgs};
use clap::{Args, Parser};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// What `warprace run --save-launch FILE` or `--save-session FILE` wrote
    pub(crate) file: PathBuf,

    /// Run a sample of about N blocks (the first, the last, and neighbours that --seed draws), if what a block does depends on no
    /// other: for launches that take too long
    #[arg(long, value_name = "N", help_heading = "How to run", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) blocks: Option<u64>,

    #[command(flatten)]
    pub(crate) execution: Execution,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// What `replay` has in place of a program.
#[derive(Debug, Args)]
pub(crate) struct LaunchArgs {
    /// A saved launch
    pub(crate) file: PathBuf,

    /// What its kernel prints is left out
    #[arg(long)]
    pub(crate) silent: bool,
}

impl ReplayArgs {
    /// Returns the arguments of a replay without options.
    pub(crate) fn plain(file: PathBuf) -> ReplayArgs {
        let words = [OsString::from("warprace"), "replay".into(), "--".into(), file.into()];
        match Cli::try_parse_from(words) {
            Ok(Cli { command: Command::Replay(args) }) => *args,
            other => unreachable!("the words are a replay, not {other:?}"),
        }
    }

    /// Converts to the arguments of a run of `program`, which launches the saved launch on as many devices as
    /// it was made for.
    pub(crate) fn run(self, program: Vec<OsString>, devices: u32) -> RunArgs {
        let words = ["warprace", "run", "--"].map(OsString::from).into_iter().chain(program);
        let mut run = match Cli::try_parse_from(words) {
            Ok(Cli { command: Command::Run(run) }) => *run,
            other => unreachable!("the words are a run, not {other:?}"),
        };
        let named = self.execution.replay.as_ref().is_some_and(|replay| replay.devices.is_some());
        run.devices = (!named).then_some(devices);
        run.execution = self.execution;
        run.outputs = self.outputs;
        run.blocks = self.blocks;
        run.saved = Some(self.file);
        run
    }
}
