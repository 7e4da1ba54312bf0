//! The command line.
//!
//! `warprace run` starts the program with the `inject` library preloaded, waits for it and describes the
//! library's findings. `warprace trace` records instead, and `predict` and `compare` run detectors on a
//! trace. `warprace explain` replays a finding step by step, `warprace report` writes one as an
//! issue for maintainers, `warprace inspect` lists the device code of a
//! file, and `warprace check` runs all programs of a project, `warprace campaign` many runs of many programs. `warprace prove` analyses kernels without a
//! run, and `warprace replay` runs a saved launch without its program. `warprace fix`, `slim` and `shrink` run
//! it again and again: with changes that remove a race, without synchronisation that is not needed, and with
//! smaller launches. `warprace mcp` serves some of these to clients of the Model Context Protocol.

mod book;
mod campaign;
mod check;
mod child;
mod database;
mod exit;
mod explain;
mod fix;
mod folder;
mod inspect;
mod interrupt;
mod issue;
mod ledger;
mod library;
mod mcp;
mod offline;
mod options;
mod output;
mod project;
mod proofs;
mod prove;
mod publish;
mod refusal;
mod replay;
mod run;
mod shrink;
mod slim;
mod slurm;
mod sources;
mod story;
mod terminal;

use clap::Parser;
use options::{Cli, Command, TraceSubcommand};
use std::process::ExitCode;

// Clocks and shadow memory are many small allocations, which one thread makes and another one often frees.
heap::install!();

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Clap treats help and version as errors, but they are successes for the user.
            let code = if e.use_stderr() { exit::USAGE } else { 0 };
            let _ = e.print();
            // The user has put the program's name where an option is expected.
            if e.kind() == clap::error::ErrorKind::UnknownArgument
                && !std::env::args_os().any(|word| word == "--")
            {
                terminal::help("the program and its arguments come after `--`: warprace run -- ./app");
            }
            return ExitCode::from(code);
        }
    };
    let code = match cli.command {
        Command::Run(options) => run::run(&options),
        Command::Trace(args) => match &args.export {
            Some(TraceSubcommand::Export(export)) => offline::export(export),
            None => run::trace(&args),
        },
        Command::Predict(args) => offline::predict(&args),
        Command::Compare(args) => offline::compare(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Report(args) => issue::report(&args),
        Command::Fix(args) => fix::fix(&args),
        Command::Slim(args) => slim::slim(&args),
        Command::Shrink(args) => shrink::shrink(&args),
        Command::Check(args) => check::check(&args),
        Command::Campaign(args) => campaign::campaign(&args),
        Command::Mcp => mcp::serve(),
        Command::Help(args) => book::help(&args),
        Command::Completions(args) => book::completions(&args),
        Command::Man(args) => book::man(&args),
        Command::Replay(args) => replay::replay(*args),
        Command::Launch(args) => replay::launch(&args),
        Command::Proofs => proofs::answer(),
        Command::Prove(args) => prove::prove(&args),
        Command::Inspect(options) => inspect::run(&options),
        Command::Coverage => {
            terminal::print(include_str!("../../../docs/coverage.md").to_owned());
            0
        }
    };
    // The code for races takes precedence over the one for lost output.
    let code = if terminal::is_output_lost() && code != exit::RACES { exit::OUTPUT } else { code };
    ExitCode::from(code)
}
