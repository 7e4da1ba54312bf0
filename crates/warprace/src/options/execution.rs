//! Options for the execution and the judgement of kernels, shared by runs of programs and of saved launches.

use super::values::{Engines, bytes, engines, instructions, jobs, lens, number};
use clap::{Args, ValueEnum};
use names::lens::{Choice, SERIAL};
use names::{Checks, Named, Schedule, Strategy};

/// Lens, engine, schedules and bounds.
#[derive(Debug, Args)]
pub(crate) struct Execution {
    /// How volatile accesses are judged: as PTX defines them, or as ordinary accesses [default: strong]
    #[arg(long, value_enum, help_heading = "What to check")]
    pub(crate) volatile: Option<Volatile>,

    /// What it is if lanes of one instruction store equal bytes to one location: a hazard, as the CUDA Programming Guide
    /// defines that one of the writes happens, or a race by the letter of PTX [default: hazard]
    #[arg(long, value_enum, help_heading = "What to check")]
    pub(crate) equal_values: Option<EqualValues>,

    /// Hazards to look for beside races: `sync`, barriers and masks that CUDA forbids; `init`, reads of shared memory that no
    /// thread has written; `sync,init` or `none` [default: sync]
    #[arg(long, value_name = "NAMES", help_heading = "What to check", value_parser = str::parse::<Checks>)]
    pub(crate) check: Option<Checks>,

    #[arg(long, value_name = "NAME", help_heading = "What to check", value_parser = lens::<Choice>(),
          hide_possible_values = true, help = lenses())]
    pub(crate) lens: Option<Choice>,

    /// What looks for races: `virtual`, with a detector (--lens); `guard`, kernels that keep who accessed their memory last; or
    /// `collide[:fastest|balanced|sampled|patient][:rdelay=NS][:wdelay=NS][:shuffle[=KEY]][:trap]`, kernels that look whether
    /// others change what they access, with other delays behind loads and stores, with blocks in another order, and stopping for a
    /// debugger where they have seen a race; or both, `guard,collide`; with --gpu also `capture[:N]`, kernels as they are, of which the first N launches of each geometry (3) run on the virtual
    /// GPU as well, with the exact detector, and `session`, kernels as they are, all calls of which (launches, copies, streams,
    /// events, graphs) the virtual GPU makes again in the end; alone, or behind another and a comma [default: virtual, with --gpu
    /// guard]
    #[arg(long, value_name = "NAME", help_heading = "How to run", value_parser = engines)]
    pub(crate) engine: Option<Engines>,

    /// The order in which threads run: converged-first, round-robin[/QUANTUM], random, pct/DEPTH[/STEPS],
    /// shuffle-blocks, shuffle-warps, shuffle-lanes or weak[/WINDOW] [default: converged-first, with --engine collide or
    /// guard round-robin/7]
    #[arg(long, value_name = "SCHEDULE", help_heading = "How to run", value_parser = str::parse::<Schedule>)]
    pub(crate) schedule: Option<Schedule>,

    /// Choose another order of the same schedule
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "How to run", value_parser = number)]
    pub(crate) seed: u64,

    /// Run each kernel launch under N schedules, from the same memory
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "How to run",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) explore: u32,

    /// What --explore runs: `mixed` schedules; `dfs[/PREEMPTIONS]`, a search for small kernels that leaves
    /// out what differs only in the order of independent steps; or `weak[/WINDOW]` executions, whose reads may
    /// return old values as PTX allows, and be performed up to WINDOW (8) accesses of their thread late
    #[arg(long, value_name = "NAME", default_value = "mixed", help_heading = "How to run",
          value_parser = str::parse::<Strategy>)]
    pub(crate) strategy: Strategy,

    /// Predict races that other schedules have, and drive them to happen in at most N runs of each launch
    #[arg(long, value_name = "N", help_heading = "How to run", num_args = 0..=1, require_equals = true,
          default_missing_value = "500", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) predict: Option<u32>,

    /// Run exactly as a report says: its schedule, engine, lens, volatile, equal values, checks, devices and architecture
    #[arg(long, value_name = "STRING", help_heading = "How to run",
          conflicts_with_all = ["schedule", "seed", "explore", "strategy", "predict"],
          value_parser = str::parse::<Named>)]
    pub(crate) replay: Option<Named>,

    /// Threads that execute kernels [default: the processors, at most 8]
    #[arg(long, short, value_name = "N", help_heading = "How to run", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,

    /// Give a kernel up, without a verdict, if one of its blocks runs N warp instructions in which no thread ends
    /// and no barrier is completed [default: 17179869184]
    #[arg(long, value_name = "N", help_heading = "How to run", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_instructions: Option<u64>,

    /// Cap on what the detector remembers, such as 500M or 4G (an eighth more at times). Beyond it some memory is not
    /// checked, and the verdict is inconclusive
    #[arg(long, value_name = "BYTES", help_heading = "How to run", value_parser = bytes)]
    pub(crate) max_memory: Option<u64>,

    /// Seek proofs once the launches of a kernel have executed N instructions; at 0 before each launch, which waits for them;
    /// `never`: seek none, and leave out what else is known to find nothing
    #[arg(long, value_name = "N", hide = true, default_value_t = PROOFS_PAY, value_parser = instructions)]
    pub(crate) prune_after: u64,
}

/// The instructions of a kernel's launches after which proofs are sought: a proof takes as long as about so many.
const PROOFS_PAY: u64 = 4 << 20;

/// The default limit on worker threads. More threads were never measured to be faster.
const MOST_JOBS: usize = 8;

impl Execution {
    pub(crate) fn jobs(&self) -> usize {
        self.jobs
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from).min(MOST_JOBS))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Volatile {
    /// Relaxed at system scope (PTX §8.4.2): two of them do not race
    Strong,
    /// Like ordinary accesses
    Weak,
}

impl From<Volatile> for names::Volatile {
    fn from(v: Volatile) -> Self {
        match v {
            Volatile::Strong => names::Volatile::Strong,
            Volatile::Weak => names::Volatile::Weak,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EqualValues {
    /// A hazard
    Hazard,
    /// A race
    Race,
}

impl From<EqualValues> for names::EqualValues {
    fn from(equal: EqualValues) -> Self {
        match equal {
            EqualValues::Hazard => names::EqualValues::Hazard,
            EqualValues::Race => names::EqualValues::Race,
        }
    }
}

/// Returns the help of `--lens`, which lists all lenses.
fn lenses() -> String {
    let (last, others) = SERIAL.split_last().expect("there are lenses");
    let others = others.join(", ");
    format!("The detector: ptx, {others} or {last}, with options as in `scord:cached` [default: ptx]")
}
