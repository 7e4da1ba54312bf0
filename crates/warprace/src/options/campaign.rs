//! Options of `warprace campaign`.

use super::Outputs;
use super::values::{jobs, seconds};
use crate::exit;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  warprace campaign nightly.toml                  run what has no result yet, then report all
  warprace campaign --list nightly.toml           the runs, with their numbers
  warprace campaign --collect nightly.toml        report the results that are there
  warprace campaign --slurm --partition short --throttle 40 nightly.toml";

#[derive(Debug, Args)]
#[command(after_help = format!("{}\n{EXAMPLES}", exit::help(exit::CAMPAIGN)))]
pub(crate) struct CampaignArgs {
    /// The campaign: programs, arguments, engines, lenses, schedules and seeds
    pub(crate) file: PathBuf,

    /// The folder of the results, on a disk that all machines share [default: FILE with `.results` in place of `.toml`]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// Runs at the same time, each on one thread [default: the processors]
    #[arg(long, short, value_name = "N", value_parser = jobs, help_heading = "How to run")]
    pub(crate) jobs: Option<usize>,

    /// GPUs for runs of engines `gpu…`, one run on each at a time [default: those of this machine]
    #[arg(long, value_name = "N", help_heading = "How to run", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) gpus: Option<u32>,

    /// Run again what the time limit has ended, and what gave no report
    #[arg(long, help_heading = "How to run")]
    pub(crate) retry: bool,

    /// Do not build before
    #[arg(long, help_heading = "How to run")]
    pub(crate) no_build: bool,

    /// Print the runs, and run none
    #[arg(long, help_heading = "How to run", conflicts_with_all = ["status", "collect", "slurm"])]
    pub(crate) list: bool,

    /// Print how many runs have a result, and run none
    #[arg(long, help_heading = "How to run", conflicts_with_all = ["collect", "slurm"])]
    pub(crate) status: bool,

    /// Report the results that are there, and run none
    #[arg(long, help_heading = "How to run", conflicts_with = "slurm")]
    pub(crate) collect: bool,

    #[command(flatten)]
    pub(crate) slurm: SlurmArgs,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// How work is given to Slurm.
#[derive(Debug, Args)]
#[command(next_help_heading = "Slurm")]
pub(crate) struct SlurmArgs {
    /// Run on the nodes of Slurm, as an array of jobs, and report when all results are there
    #[arg(long)]
    pub(crate) slurm: bool,

    /// The partition
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub(crate) partition: Option<String>,

    /// The account
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub(crate) account: Option<String>,

    /// The time limit of a task, as `sbatch` has it
    #[arg(long, value_name = "TIME", requires = "slurm")]
    pub(crate) time: Option<String>,

    /// At most N tasks at the same time
    #[arg(long, value_name = "N", requires = "slurm")]
    pub(crate) throttle: Option<u32>,

    /// Processors of a task, all of which it uses
    #[arg(long, value_name = "N", default_value_t = 1, requires = "slurm", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cpus: u32,

    /// Runs, or parts, of a task; more if the array would have more tasks than Slurm allows [default: 25 runs, or 1 part]
    #[arg(long, value_name = "N", requires = "slurm", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) chunk: Option<u32>,

    /// One more word for `sbatch`, such as --sbatch=--qos=low (may be repeated)
    #[arg(long, value_name = "WORD", requires = "slurm", allow_hyphen_values = true)]
    pub(crate) sbatch: Vec<String>,

    /// Return once the jobs are submitted; the same command collects what they have done
    #[arg(long, requires = "slurm")]
    pub(crate) detach: bool,

    /// Submit work again if no task waits and no result has come for N seconds [default: the longest time limit of a run, and a
    /// minute; an hour for parts]
    #[arg(long, value_name = "N", requires = "slurm", value_parser = seconds)]
    pub(crate) patience: Option<u64>,

    /// Run one chunk of a batch: what a task of the array does
    #[arg(long, value_name = "BATCH", hide = true)]
    pub(crate) worker: Option<String>,
}
