//! Options of `warprace fix`, `slim` and `shrink`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

const FIX: &str = "\
How a change is found:
  The advice of the finding gives candidates: barriers, fences, scopes, atomics, waits, moved lines.
  Each is made in the PTX that the program loads, at the instructions of the same source lines, and the
  program is run again. A change is offered only if nothing is left under 20 schedules and by
  prediction, if the prover shows no other order that has a race, and if no barrier stands in code that
  only some threads of a block execute. Compile with `nvcc -lineinfo`, and with `-g` for host calls.
  Changes that PTX has no equivalent of (moved lines, host calls) need --build; with it every offered
  change has been built from source, too.

Exit codes:
  0    a change is offered (with --apply: made), or there is nothing to mend
  66   there are races, and no change was found that leaves none
  67   nothing was found, and something was not checked
  65   nothing could be checked
  64   wrong options, or the program cannot be started
  74   a changed file, or the JSON, could not be written

Examples:
  warprace fix -- ./app
  warprace fix --all --apply -- ./app input.bin
  warprace fix --build 'nvcc -lineinfo -g -o {program} {source}' -- ./app";

#[derive(Debug, Args)]
#[command(after_help = FIX)]
pub(crate) struct FixArgs {
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    pub(crate) program: Vec<OsString>,

    /// The finding to mend, in the order of the report
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) finding: u32,

    /// Mend the whole program: as many changes as its findings need [default: at most three]
    #[arg(long)]
    pub(crate) all: bool,

    /// Write the cheapest change to the sources
    #[arg(long)]
    pub(crate) apply: bool,

    /// Offer up to N changes, the cheapest first
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) offers: u32,

    /// A shell command that builds `{program}` of the changed `{source}`; every offer is then built and run
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,

    /// Change sources in this folder only [default: the current one]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,

    /// Options of each run, as `warprace run` has them: '--devices 2 --kernel-name kns=reduce'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) run: Option<String>,

    /// The exit code by which the program says that it succeeded
    #[arg(long, value_name = "CODE", default_value_t = 0)]
    pub(crate) exit_code: i32,

    /// Try at most N candidates
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub(crate) tries: usize,

    /// Write the offers with their diffs as JSON, too; `-` is the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Say what was tried without success, and why
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

const SHRINK: &str = "\
What is cut:
  The launch that has the finding is saved with its memory and replayed: with one schedule instead of
  several, without the module's other kernels, with fewer blocks and threads in each extent, with smaller
  numbers as arguments, without allocations, with shorter ones, and with zeros as contents. Each cut stays
  as long as the same two statements race.
  Of a finding between two launches, or between a launch and a copy, a memset or the host, the two that
  nothing orders are saved and cut down together. If they alone do not show it, the program runs again and
  again with --launch-shape: the result is a command, and nothing is written.

What is written:
  FOLDER/shrunk.launch   for `warprace replay`; shrunk.session if it is of two tasks
  FOLDER/shrunk.cu       a program of its own: the kernel's PTX, its memory and a main

Exit codes:
  0    the launch was cut down
  67   there is no finding, or another run does not show it
  65   the file is no saved launch, or nothing could be checked
  64   wrong options, or the program cannot be started
  74   the folder could not be written

Examples:
  warprace shrink -- ./app
  warprace shrink --finding 2 -o small -- ./app input.bin
  warprace shrink big.launch";

#[derive(Debug, Args)]
#[command(after_help = SHRINK)]
#[command(
    override_usage = "warprace shrink [OPTIONS] FILE\n       warprace shrink [OPTIONS] -- PROGRAM [ARGS]"
)]
pub(crate) struct ShrinkArgs {
    /// A launch that `warprace run --save-launch FILE` wrote
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    pub(crate) file: Option<PathBuf>,

    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM [ARGS]")]
    pub(crate) program: Vec<OsString>,

    /// The finding to cut down to, in the order of the report
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) finding: u32,

    /// The folder for what is written; created if need be
    #[arg(long, short, value_name = "FOLDER", default_value = "shrunk")]
    pub(crate) output: PathBuf,

    /// Options of each run, as `warprace run` has them: '--check init'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) run: Option<String>,
}

const SLIM: &str = "\
What is looked for:
  Barriers and fences that can be removed, and fences and atomics whose scope can be narrower. Each is
  removed or narrowed in the PTX that the program loads. The change stays if every kernel that the prover
  proved free of races in the launches of the run is proved still, and 20 schedules and prediction show
  nothing. Changes are made one after the other: of two barriers of which one is enough, one stays.

Exit codes:
  0    the program was looked at
  66   the program has a race: mend it first
  65   nothing could be checked
  64   wrong options, or the program cannot be started
  74   a changed file could not be written

Examples:
  warprace slim -- ./app
  warprace slim --apply -- ./app input.bin";

#[derive(Debug, Args)]
#[command(after_help = SLIM)]
pub(crate) struct SlimArgs {
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    pub(crate) program: Vec<OsString>,

    /// Change sources in this folder only [default: the current one]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,

    /// Write the changes to the sources
    #[arg(long)]
    pub(crate) apply: bool,

    /// Options of each run, as `warprace run` has them: '--devices 2'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) run: Option<String>,
}
