//! The command line.
//!
//! `warprace run` starts the program with the `inject` library preloaded, waits for it and
//! describes what the library found; `warprace trace` records instead, and `predict` and
//! `compare` ask detectors about a record; `warprace inspect` lists the device code of a file.

mod exit;
mod inspect;
mod library;
mod offline;
mod options;
mod run;
mod terminal;

use clap::Parser;
use options::{Cli, Command, TraceSubcommand};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are errors to clap, but not to anyone else.
            let code = if e.use_stderr() { exit::USAGE } else { 0 };
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    let code = match cli.command {
        Command::Run(options) => run::run(&options),
        Command::Trace(command) => match (command.export, command.record) {
            (Some(TraceSubcommand::Export(args)), _) => offline::export(&args),
            (None, Some(args)) => run::trace(&args),
            // The definition requires one of them.
            (None, None) => exit::USAGE,
        },
        Command::Predict(args) => offline::predict(&args),
        Command::Compare(args) => offline::compare(&args),
        Command::Inspect(options) => inspect::run(&options),
    };
    ExitCode::from(code)
}
