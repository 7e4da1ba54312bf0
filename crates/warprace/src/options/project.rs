//! Options of `warprace check`.

use super::{Outputs, values::jobs};
use crate::exit;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = exit::help(exit::CHECK))]
pub(crate) struct CheckArgs {
    /// The programs to run, by their names [default: all]
    pub(crate) programs: Vec<String>,

    /// The project [default: warprace.toml here or in a folder above; with -p it may be missing]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Run what a build folder knows of, besides the project's programs: the tests of CMake's and its executables with CUDA,
    /// or what commands of a compile_commands.json link
    #[arg(long, short = 'p', value_name = "FOLDER")]
    pub(crate) build_folder: Option<PathBuf>,

    /// Print the programs as warprace.toml has them, and run none
    #[arg(long)]
    pub(crate) list: bool,

    /// Do not build before
    #[arg(long)]
    pub(crate) no_build: bool,

    /// Programs that run at the same time [default: half of the processors]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}
