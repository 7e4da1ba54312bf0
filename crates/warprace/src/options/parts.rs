//! Options that divide the analysis of a trace.

use super::SlurmArgs;
use super::values::bytes;
use clap::Args;
use std::path::PathBuf;

/// How an analysis is divided.
#[derive(Debug, Args)]
#[command(next_help_heading = "Traces larger than memory")]
pub(crate) struct PartsArgs {
    /// Cap on what `ptx` remembers at one time, such as 500M or 4G (an eighth more at times). A part of memory that takes more is
    /// divided in two, and the trace is read again for each
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) max_memory: Option<u64>,

    /// Divide the program's memory in N parts from the start. Each is analysed by itself, and the results are merged
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) parts: u32,

    /// Keep the results of parts in a folder: parts that have a result are not analysed again. With --slurm it lies on a disk that
    /// all nodes share [default with --slurm: FILE.parts]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) slurm: SlurmArgs,
}
