//! What can be asked for. Where compute-sanitizer has the function, its name is used.
//!
//! **Size:** a few lines for each option of a run, and tests of their grammar.

mod book;
mod campaign;
mod execution;
mod fix;
mod outputs;
mod parts;
mod project;
mod prove;
mod replay;
#[cfg(test)]
mod table;
mod values;

pub(crate) use book::{CompletionsArgs, HelpArgs, ManArgs};
pub(crate) use campaign::{CampaignArgs, SlurmArgs};
pub(crate) use execution::{EqualValues, Execution, Volatile};
pub(crate) use fix::{FixArgs, ShrinkArgs, SlimArgs};
pub(crate) use outputs::Outputs;
pub(crate) use parts::PartsArgs;
pub(crate) use project::CheckArgs;
pub(crate) use prove::{Assumption, Extents, ProveArgs};
pub(crate) use replay::{LaunchArgs, ReplayArgs};
pub(crate) use values::NEVER;

use clap::{Args, Parser, Subcommand};
use columnar::Format;
use names::lens::Choice;
use names::{Filter, MOST_DEVICES, RangeFilter};
use protocol::Pick;
use std::ffi::OsString;
use std::path::PathBuf;
use values::{format, jobs, seconds};

const AFTER_HELP: &str = "\
Examples:
  warprace run -- ./app input.bin        run ./app on the virtual GPU and report its races
  warprace run --seed 7 -- ./app         the same with another schedule of its threads
  warprace run --json races.json -- ./app
  warprace run --html races.html -- ./app     write a report to look at
  warprace explain races.json 2          show its second finding step by step
  warprace help missing-barrier          what that is, why it is a race, how it is mended
  warprace fix -- ./app                  the smallest change after which ./app has no race
  warprace check                         build and run all programs of a project's warprace.toml
  warprace inspect ./app                 list its kernels, PTX versions and line information

Compile with `nvcc -lineinfo` to see source lines, and with `-g` for lines of host calls.";

const FILTERS: &str = "\
Kernel filters (--kernel-name, --kernel-name-exclude):
  TEXT, kernel_substring=TEXT, kns=TEXT   kernels whose name contains TEXT
  kernel_name=TEXT, kne=TEXT              the kernel called TEXT, mangled or not
  kernel_regex=EXPR, kre=EXPR             kernels whose name matches the regular expression
  Filters may be repeated; a launch is checked if any name filter matches and no exclude does.

NVTX ranges (--nvtx-include, --nvtx-exclude), open where the launch is made:
  RANGE                     a range that was started and has not ended
  RANGE/                    a range that the launching thread has pushed
  [A/B, A/*/B, A/+/B]       A outermost and B in it; any ranges, or one, between; B innermost
  A,B/                      both
  DOMAIN@RANGE              of a domain other than the default one
  regex:EXPR                in place of a name; `\\` before @ , / [ ] * + takes them as they are";

const RUN_EXAMPLES: &str = "\
Examples:
  warprace run -- ./reduce 1000000
  warprace run --kernel-name kns=reduce --launch-count 10 -- ./app
  warprace run --schedule random --seed 3 -- ./app
  warprace run --replay lens=scord+random:seed=3 -- ./app
  warprace run --log-file race.%p.log --json race.json -- mpirun -n 2 ./app";

/// Finds the data races of CUDA programs, on machines without a GPU.
#[derive(Debug, Parser)]
#[command(name = "warprace", version, after_help = AFTER_HELP, arg_required_else_help = true)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program on the virtual GPU and report its races
    Run(Box<RunArgs>),
    /// Record what a program's kernels do, for `predict` and `compare`; nothing is checked (exit code 67)
    Trace(Box<TraceArgs>),
    /// Search a recorded execution for races
    Predict(PredictArgs),
    /// Show what each detector says of a recorded execution
    Compare(CompareArgs),
    /// Show one finding of a JSON report step by step, by running the program again (on the same input)
    Explain(ExplainArgs),
    /// Write one finding of a JSON report as an issue for the program's maintainers, in Markdown
    Report(ReportArgs),
    /// Find the smallest change of the source after which a program has no race, and try it before it is offered
    Fix(FixArgs),
    /// Find barriers, fences and scopes that a program is proved not to need
    Slim(SlimArgs),
    /// Cut the launch of a finding down to the fewest blocks and threads, as a saved launch and a program
    Shrink(ShrinkArgs),
    /// Build and run all programs that the project's warprace.toml names, and report them together
    Check(CheckArgs),
    /// Run many programs, arguments, schedules and seeds that a file names, here or over Slurm, and report them together
    Campaign(Box<CampaignArgs>),
    /// Run a launch that `run --save-launch` has saved, or a session of `run --save-session`, without its program
    Replay(Box<ReplayArgs>),
    /// Launch a saved launch: what `replay` runs
    #[command(hide = true)]
    Launch(LaunchArgs),
    /// Answer on stdout whether the launches that stdin describes can race: what the library on a GPU asks
    #[command(hide = true)]
    Proofs,
    /// Prove kernels free of races for all launches, or show a launch that has one
    Prove(ProveArgs),
    /// List the device code of a program, library, object file, fatbin or PTX file
    Inspect(InspectArgs),
    /// Print which PTX instructions, API functions and ways to reach memory are checked, and by which engine
    Coverage,
    /// Serve run, explain, prove and fix to clients of the Model Context Protocol, on stdin and stdout
    Mcp,
    /// Tell what a class of races is, why it is one and how it is mended
    Help(HelpArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write manual pages
    Man(ManArgs),
}

#[derive(Debug, Args)]
#[command(after_help = format!("{FILTERS}\n\n{}\n{RUN_EXAMPLES}", crate::exit::help(crate::exit::RUN)))]
pub(crate) struct RunArgs {
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM [ARGS]")]
    pub(crate) program: Vec<OsString>,

    /// Check only kernels that match (may be repeated; see below)
    #[arg(long, value_name = "FILTER", help_heading = "What to check", value_parser = Filter::parse)]
    pub(crate) kernel_name: Vec<Filter>,

    /// Do not check kernels that match (may be repeated)
    #[arg(long, value_name = "FILTER", help_heading = "What to check", value_parser = Filter::parse)]
    pub(crate) kernel_name_exclude: Vec<Filter>,

    /// Check only launches made inside of NVTX ranges that match, in the syntax of Nsight Compute (may be repeated; see below)
    #[arg(long, value_name = "RANGES", help_heading = "What to check", value_parser = RangeFilter::parse)]
    pub(crate) nvtx_include: Vec<RangeFilter>,

    /// Do not check launches made inside of NVTX ranges that match (may be repeated)
    #[arg(long, value_name = "RANGES", help_heading = "What to check", value_parser = RangeFilter::parse)]
    pub(crate) nvtx_exclude: Vec<RangeFilter>,

    /// With --gpu: accept kernels of these libraries that have no PTX, such as `cublas,cudnn` or `pytorch`: they leave no verdict
    /// inconclusive, and are taken to synchronise with nothing while they run
    #[arg(
        long,
        value_name = "LIBRARIES",
        value_delimiter = ',',
        help_heading = "What to check",
        requires = "gpu"
    )]
    pub(crate) trust: Vec<String>,

    /// Of the launches that match, skip the first N
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "What to check")]
    pub(crate) launch_skip: u64,

    /// Of the launches that match, check at most N
    #[arg(long, value_name = "N", help_heading = "What to check")]
    pub(crate) launch_count: Option<u64>,

    /// Launch a kernel, by its mangled name, with at most so many blocks and threads in each extent, as
    /// `warprace shrink` does (may be repeated)
    #[arg(
        long,
        value_name = "KERNEL=GX,GY,GZ/BX,BY,BZ",
        help_heading = "What to check",
        conflicts_with = "gpu"
    )]
    pub(crate) launch_shape: Vec<names::LaunchShape>,

    /// Run without checking
    #[arg(long, help_heading = "What to check")]
    pub(crate) no_detect: bool,

    /// Run on this machine's own GPU, at its speed: kernels check themselves there, and what they see is a sample
    #[arg(long, help_heading = "How to run", conflicts_with_all = ["lens", "explore", "predict", "devices",
          "schedule", "launch_skip", "launch_count", "no_detect"])]
    pub(crate) gpu: bool,

    #[command(flatten)]
    pub(crate) execution: Execution,

    /// Also check what is known to find nothing: on the virtual GPU, accesses that a proof shows to race with nothing; with
    /// engines `collide` and `guard`, a thread's own part of shared memory, loads that repeat one, and launches that are
    /// proved as a whole
    #[arg(long, help_heading = "How to run")]
    pub(crate) no_prune: bool,

    /// Prove everything anew, and keep no proofs in the cache folder
    #[arg(long, help_heading = "How to run")]
    pub(crate) no_proof_cache: bool,

    /// End the program after N seconds, and report what was found until then
    #[arg(long, value_name = "N", help_heading = "How to run", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,

    /// Once the program has ended, wait for processes that it leaves running: as long as they compute, and for N seconds in which
    /// they do nothing
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "How to run")]
    pub(crate) linger: u64,

    /// Virtual GPUs [default: 1]
    #[arg(long, value_name = "N", help_heading = "How to run",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_DEVICES)))]
    pub(crate) devices: Option<u32>,

    /// Compute capability of the virtual GPUs: sm_75, 80, 86, 87, 89, 90, 100, 103, 110, 120 or 121 [default: sm_90; if the program
    /// has no PTX for it, the newest that it has PTX for]
    #[arg(long, value_name = "ARCH", help_heading = "How to run", conflicts_with = "gpu", value_parser = names::replay::arch)]
    pub(crate) arch: Option<u32>,

    /// Save the first launch that is checked (choose with --kernel-name and --launch-skip), with the memory that it begins
    /// with, for `warprace replay FILE`
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) save_launch: Option<PathBuf>,

    /// With --gpu: save launches in FOLDER, and run those of kernels with races again on the virtual GPU, which confirms and
    /// explains them
    #[arg(
        long,
        value_name = "FOLDER",
        help_heading = "What to report",
        requires = "gpu",
        conflicts_with = "save_launch"
    )]
    pub(crate) capture: Option<PathBuf>,

    /// Which launches --capture saves: `first[/N]` of each kernel and geometry, `flagged` ones (up to three of each kernel of which a
    /// race has been seen before), or `random/N`, one of N (chosen by --seed)
    #[arg(long, value_name = "PICK", default_value_t = Pick::default(), help_heading = "What to report", requires = "capture",
          value_parser = str::parse::<Pick>)]
    pub(crate) capture_pick: Pick,

    /// With engine `session`: also keep what was recorded, for `warprace replay FILE` (on any machine). Further processes of the
    /// program that use the GPU get FILE.PID
    #[arg(long, value_name = "FILE", help_heading = "What to report", requires = "gpu")]
    pub(crate) save_session: Option<PathBuf>,

    /// The bytes after which a session ends, such as 64M or 2G [default: 256M]
    #[arg(long, value_name = "BYTES", help_heading = "How to run", requires = "gpu", value_parser = values::bytes)]
    pub(crate) session_bytes: Option<u64>,

    /// The number of blocks to sample.
    #[arg(skip)]
    pub(crate) blocks: Option<u64>,

    /// The saved launch to run.
    #[arg(skip)]
    pub(crate) saved: Option<PathBuf>,

    /// Write the report to a file in place of the terminal; %p is the process id, %q{VAR} a variable
    #[arg(long, value_name = "FILE", help_heading = "What to report")]
    pub(crate) log_file: Option<PathBuf>,

    /// Write what each checked launch was given (geometry, arguments, memory), for `prove --facts`
    #[arg(long, value_name = "FILE", help_heading = "What to report", conflicts_with = "gpu")]
    pub(crate) facts: Option<PathBuf>,

    /// Prove the launches of the run besides: that no order of their threads has a race, whatever memory holds that decides
    /// nothing; or show an order that has one
    #[arg(long, help_heading = "What to check", conflicts_with_all = ["gpu", "lens", "no_detect"])]
    pub(crate) prove: bool,

    /// Write the PTX of loaded modules to a folder, and load edited texts in their place
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub(crate) module_texts: Option<PathBuf>,

    /// Exit code when races were found
    #[arg(long, value_name = "CODE", default_value_t = crate::exit::RACES, help_heading = "What to report")]
    pub(crate) error_exitcode: u8,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TraceSubcommand {
    /// Write a trace as tables for DuckDB, Polars or pandas
    Export(ExportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The trace
    pub(crate) file: PathBuf,

    /// Where to write accesses, sync, tasks and sites; created if need be
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: PathBuf,

    /// csv, or parquet in builds with the feature of that name
    #[arg(long, value_name = "FORMAT", default_value = "csv", value_parser = format)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(
    override_usage = "warprace trace [OPTIONS] -o FILE -- PROGRAM [ARGS]\n       warprace trace export [OPTIONS] -o FOLDER FILE"
)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    pub(crate) export: Option<TraceSubcommand>,

    /// The trace; a program that starts others that use CUDA gets one file each, with `.PID` added
    #[arg(long, short, value_name = "FILE", required = true)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// The trace
    pub(crate) file: PathBuf,

    /// The detectors to ask (may be repeated) [default: ptx]
    #[arg(long, value_name = "NAME", value_parser = values::lens::<Choice>(), hide_possible_values = true)]
    pub(crate) detector: Vec<Choice>,

    /// Threads that analyse; what they find is the same for every number
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = jobs)]
    pub(crate) jobs: usize,

    #[command(flatten)]
    pub(crate) parts: PartsArgs,

    /// How volatile accesses are judged by `ptx`
    #[arg(long, value_enum, default_value_t = Volatile::Strong)]
    pub(crate) volatile: Volatile,

    /// What `ptx` calls it if lanes of one instruction store equal bytes to one location
    #[arg(long, value_enum, default_value_t = EqualValues::Hazard)]
    pub(crate) equal_values: EqualValues,

    /// Also model the memory traffic that ScoRD's metadata cause, and estimate what they cost
    #[arg(long)]
    pub(crate) traffic: bool,

    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "warprace compare [OPTIONS] FILE\n       warprace compare [OPTIONS] -- PROGRAM [ARGS]"
)]
pub(crate) struct CompareArgs {
    /// The trace
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    pub(crate) file: Option<PathBuf>,

    /// A program to record first, and its arguments
    #[arg(last = true, value_name = "PROGRAM [ARGS]")]
    pub(crate) program: Vec<OsString>,

    /// How volatile accesses are judged by `ptx`
    #[arg(long, value_enum, default_value_t = Volatile::Strong)]
    pub(crate) volatile: Volatile,

    /// What `ptx` calls it if lanes of one instruction store equal bytes to one location
    #[arg(long, value_enum, default_value_t = EqualValues::Hazard)]
    pub(crate) equal_values: EqualValues,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What `warprace run --json FILE` wrote
    #[arg(value_name = "FILE")]
    pub(crate) report: PathBuf,

    /// Which finding, in the order in which the report prints them
    #[arg(value_name = "N", default_value_t = 1)]
    pub(crate) number: usize,

    /// Run the command that the report names without asking: it may be of somebody else
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// Show sources in this folder [default: the current one]; no others are read
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// What `warprace run --json FILE` wrote
    #[arg(value_name = "FILE")]
    pub(crate) report: PathBuf,

    /// The finding, in the order in which the report prints them
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) issue: usize,

    /// Show the first change of what `warprace fix --json FILE` wrote, in place of the advice
    #[arg(long, value_name = "FILE")]
    pub(crate) fix: Option<PathBuf>,

    /// Write all findings as the HTML file that `warprace run --html` writes, in place of an issue
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["issue", "fix", "notes", "no_code"])]
    pub(crate) html: Option<PathBuf>,

    /// Take a title (`# …`) and sections (`## …`) from this Markdown file: they replace the issue's sections of the
    /// same heading, and others come first
    #[arg(long, value_name = "FILE")]
    pub(crate) notes: Option<PathBuf>,

    /// Name lines of the sources and quote none
    #[arg(long)]
    pub(crate) no_code: bool,

    /// Show sources in this folder [default: the current one]; no others are read
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The file
    pub(crate) file: PathBuf,
}

impl RunArgs {
    /// Returns how many launches of each kernel and geometry also run on the virtual GPU, if any do.
    pub(crate) fn captures(&self) -> Option<u32> {
        self.execution.engine?.capture
    }

    /// Returns whether the calls of the program are recorded, and made again on the virtual GPU.
    pub(crate) fn sessions(&self) -> bool {
        self.save_session.is_some() || self.execution.engine.is_some_and(|engines| engines.session)
    }
}

impl TraceArgs {
    /// Returns the options of `warprace trace --quiet -o OUTPUT -- PROGRAM`.
    pub(crate) fn of(program: &[OsString], output: PathBuf) -> Self {
        let words = ["warprace", "trace", "--quiet", "-o"].map(OsString::from);
        let words = words.into_iter().chain([output.into_os_string(), "--".into()]);
        match Cli::try_parse_from(words.chain(program.iter().cloned())) {
            Ok(Cli { command: Command::Trace(args) }) => *args,
            other => unreachable!("the words are a trace command, not {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::prove::Extents;
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn completions_offer_classes_commands_and_lenses() {
        for shell in [clap_complete::Shell::Bash, clap_complete::Shell::Zsh, clap_complete::Shell::Fish] {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "warprace", &mut out);
            let text = String::from_utf8(out).unwrap();
            // The generator for fish omits the values of positional arguments.
            let classes = if shell == clap_complete::Shell::Fish {
                &[][..]
            } else {
                &["missing-barrier", "lost-update"]
            };
            for word in classes.iter().chain(&["hirace", "man"]) {
                assert!(text.contains(word), "{shell} does not offer {word}");
            }
        }
        // Suggested values may be extended, and unknown words get an answer of their own.
        assert!(Cli::try_parse_from(["warprace", "run", "--lens", "scord:cached", "--", "a"]).is_ok());
        assert!(Cli::try_parse_from(["warprace", "help", "anything"]).is_ok());
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Compares the tables of `docs/options.md` with the program's options and exit codes; `WARPRACE_BLESS=1`
    /// rewrites them.
    #[test]
    fn the_book_lists_options_and_exit_codes() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let mut made = page.clone();
        for (part, table) in [("options of run", table::of("run")), ("exit codes", crate::exit::table())] {
            let (begin, end) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->"));
            let (before, rest) = made.split_once(&begin).expect("the page has a place for it");
            let (_, after) = rest.split_once(&end).expect("it has an end");
            made = format!("{before}{begin}\n{table}\n{end}{after}");
        }
        if std::env::var_os("WARPRACE_BLESS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        assert!(made == page, "docs/options.md differs from the options; WARPRACE_BLESS=1 mends it");
    }

    fn parse(args: &[&str]) -> Result<RunArgs, String> {
        let all = ["warprace", "run"].iter().chain(args);
        match Cli::try_parse_from(all).map_err(|e| e.to_string())?.command {
            Command::Run(run) => Ok(*run),
            other => panic!("run was asked for, not {other:?}"),
        }
    }

    #[test]
    fn everything_after_the_dashes_is_the_programs() {
        let run = parse(&["--seed", "3", "--", "./app", "--seed", "4"]).unwrap();
        assert_eq!(run.execution.seed, 3);
        assert_eq!(run.program, ["./app", "--seed", "4"]);
        assert!(parse(&["--seed", "3"]).is_err());
        assert!(parse(&["--"]).is_err());
    }

    #[test]
    fn a_trace_is_recorded_or_exported() {
        let trace = |words: &[&str]| {
            let all = ["warprace", "trace"].iter().chain(words);
            match Cli::try_parse_from(all).map(|cli| cli.command) {
                Ok(Command::Trace(args)) => Ok((args.export.is_some(), args.output, args.run.program)),
                Ok(other) => panic!("trace was asked for, not {other:?}"),
                Err(e) => Err(e.to_string()),
            }
        };
        let recorded = trace(&["-q", "-o", "t", "--", "./export", "x"]).unwrap();
        assert_eq!(recorded, (false, Some("t".into()), vec!["./export".into(), "x".into()]));
        assert!(trace(&["export", "t", "-o", "folder", "--format", "csv"]).unwrap().0);
        assert!(trace(&["--", "./app"]).unwrap_err().contains("--output"));
        assert!(trace(&["-o", "t"]).is_err());
        assert!(trace(&["export", "t"]).unwrap_err().contains("--output"));
        assert!(trace(&["export", "t", "-o", "f", "--format", "xml"]).unwrap_err().contains("csv"));
    }

    #[test]
    fn wrong_values_are_named() {
        for (args, expected) in [
            (&["--schedule", "fifo", "--", "a"][..], "unknown schedule `fifo`"),
            (&["--devices", "0", "--", "a"], "0"),
            (&["--jobs", "0", "--", "a"], "1 to 256"),
            (&["--max-memory", "4X", "--", "a"], "K, M, G or T"),
            (&["--max-memory", "99999999999T", "--", "a"], "out of range"),
            (&["--kernel-name", "kne=", "--", "a"], "nothing follows"),
            (&["--kernel-name", "kre=(", "--", "a"], "regular expression"),
            (&["--replay", "random", "--", "a"], "random:seed=3"),
            (&["--strategy", "bfs", "--", "a"], "dfs[/PREEMPTIONS]"),
            (&["--strategy", "dfs/x", "--", "a"], "dfs[/PREEMPTIONS]"),
            (&["--replay", "random:seed=1", "--seed", "2", "--", "a"], "cannot be used with"),
            (&["--volatile", "perhaps", "--", "a"], "possible values"),
            (&["--replay", "lens=tsan+random:seed=1", "--", "a"], "expected one of ptx"),
            (&["--lens", "scord:weak,strong", "--", "a"], "contradict"),
        ] {
            let error = parse(args).unwrap_err();
            assert!(error.contains(expected), "{args:?}: {error}");
        }
    }

    #[test]
    fn what_is_proved_is_read() {
        let prove = |words: &[&str]| {
            let all = ["warprace", "prove"].iter().chain(words);
            match Cli::try_parse_from(all).map(|cli| cli.command) {
                Ok(Command::Prove(args)) => Ok(args),
                Ok(other) => panic!("a proof was asked for, not {other:?}"),
                Err(e) => Err(e.to_string()),
            }
        };
        let args = prove(&["--block", "16,8", "--assume", "k: arg2 < 5 && arg1 == 3", "a.ptx"]).unwrap();
        assert_eq!(args.block, Some(Extents([16, 8, 1])));
        assert_eq!((args.assume[0].kernel.as_str(), args.assume[0].relations.len()), ("k", 2));
        for (args, expected) in [
            (&["--block", "0", "a"][..], "positive numbers"),
            (&["--grid", "1,2,3,4", "a"], "at most three"),
            (&["--assume", "n", "a"], "expected a comparison"),
            (&[], "PROGRAM|FILE.ptx"),
        ] {
            let error = prove(args).unwrap_err();
            assert!(error.contains(expected), "{args:?}: {error}");
        }
    }
}
