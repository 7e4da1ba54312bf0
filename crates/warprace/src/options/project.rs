//! Options of `warprace check`.

use super::{Outputs, values::jobs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 66 if a program has races, otherwise that of the first program that failed, or \
                        67 if something was not checked."
)]
pub(crate) struct CheckArgs {
    /// The programs to run, by their names [default: all]
    pub(crate) programs: Vec<String>,

    /// The project [default: warprace.toml here or in a folder above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Do not build before
    #[arg(long)]
    pub(crate) no_build: bool,

    /// Programs that run at the same time [default: half of the processors]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}
