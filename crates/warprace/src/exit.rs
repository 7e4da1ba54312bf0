//! Exit codes. Help text and README say of them what [`MEANINGS`] says.

use std::fmt::Write as _;

/// Wrong options, or the program cannot be started.
pub(crate) const USAGE: u8 = 64;
/// The program's device code cannot be checked: no PTX, stripped, damaged, or no CUDA at all.
pub(crate) const UNCHECKABLE: u8 = 65;
/// Races were found; `--error-exitcode` changes it.
pub(crate) const RACES: u8 = 66;
/// The program succeeded and no race was found, but not all of it could be checked.
pub(crate) const INCONCLUSIVE: u8 = 67;
/// The report could not be written to the file it was meant for.
pub(crate) const OUTPUT: u8 = 74;

/// What codes mean, in the order in which people look for them.
const MEANINGS: [(Option<u8>, &str); 6] = [
    (None, "no race was found (signals are passed on, too)"),
    (Some(RACES), "races were found that nothing suppresses (--error-exitcode changes it)"),
    (
        Some(INCONCLUSIVE),
        "inconclusive: no race was found, but something was not checked; so ends `warprace trace`",
    ),
    (Some(UNCHECKABLE), "nothing could be checked: no PTX, stripped, damaged, not a CUDA program"),
    (Some(USAGE), "wrong options, or the program cannot be started"),
    (Some(OUTPUT), "no race was found, but a file of the report, or stdout, could not be written"),
];

fn name(code: Option<u8>) -> String {
    code.map_or_else(|| "the program's own".to_owned(), |code| code.to_string())
}

/// A section of a help text.
pub(crate) fn help() -> String {
    let mut out = "Exit codes:\n".to_owned();
    for (code, meaning) in MEANINGS {
        let _ = writeln!(out, "  {:<19} {meaning}", name(code));
    }
    out
}

/// A table for the README.
#[cfg(test)]
pub(crate) fn table() -> String {
    let mut out = "| code | |\n|---|---|\n".to_owned();
    for (code, meaning) in MEANINGS {
        let _ = writeln!(out, "| {} | {meaning} |", name(code));
    }
    out
}
