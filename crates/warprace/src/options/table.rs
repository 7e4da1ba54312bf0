//! Renders options as a Markdown table for `docs/options.md`.

use super::Cli;
use clap::{Arg, CommandFactory};
use std::fmt::Write as _;

/// Returns all options of a command under their headings, with their help texts.
pub(super) fn of(command: &str) -> String {
    let mut cli = Cli::command();
    cli.build();
    let command = cli.find_subcommand(command).expect("a command");
    let mut headings: Vec<&str> = Vec::new();
    for heading in command.get_arguments().filter_map(Arg::get_help_heading) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut out = "| option | |\n|---|---|\n".to_owned();
    for heading in headings {
        let _ = writeln!(out, "| **{heading}** | |");
        let shown = |arg: &&Arg| arg.get_help_heading() == Some(heading) && !arg.is_hide_set();
        for arg in command.get_arguments().filter(shown) {
            let Some(long) = arg.get_long() else { continue };
            let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
            let value = value.map_or(String::new(), |names| names.join(" ").to_owned());
            let value = match arg.get_num_args() {
                _ if value.is_empty() => value,
                Some(range) if range.min_values() == 0 => format!("[={value}]"),
                _ => format!(" {value}"),
            };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let _ =
                writeln!(out, "| `--{long}{}` | {} |", value.replace('|', "\\|"), help.replace('|', "\\|"));
        }
    }
    out
}
