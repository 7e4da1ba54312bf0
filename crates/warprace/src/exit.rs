//! Exit codes. Help texts and the book take their descriptions from the lists of [`Meaning`].

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

/// An exit code, or a description in place of one, with its meaning.
pub(crate) type Meaning = (Code, &'static str);

pub(crate) enum Code {
    Is(u8),
    Of(&'static str),
}

/// The exit codes of `warprace run`, the most common ones first.
pub(crate) const RUN: &[Meaning] = &[
    (Code::Of("the program's own"), "no race was found (signals are passed on, too)"),
    (Code::Is(RACES), "races were found that nothing suppresses (--error-exitcode changes it)"),
    (
        Code::Is(INCONCLUSIVE),
        "inconclusive: no race was found, but something was not checked; so ends `warprace trace`",
    ),
    (Code::Is(UNCHECKABLE), "nothing could be checked: no PTX, stripped, damaged, not a CUDA program"),
    (Code::Is(USAGE), "wrong options, or the program cannot be started"),
    (Code::Is(OUTPUT), "no race was found, but a file of the report, or stdout, could not be written"),
];

/// The exit codes of `warprace prove`.
pub(crate) const PROVE: &[Meaning] = &[
    (Code::Is(0), "every kernel is proved, or races only in launches that were not seen (see --any-launch)"),
    (Code::Is(RACES), "a race was found that nothing suppresses"),
    (
        Code::Is(INCONCLUSIVE),
        "no race was found, but a kernel is unknown, or not proved for all launches that its host code can make",
    ),
    (Code::Is(UNCHECKABLE), "there is no PTX in the file, or it cannot be read"),
    (Code::Is(USAGE), "wrong options"),
    (Code::Is(OUTPUT), "every kernel is proved, but a file of the report could not be written"),
];

/// The exit codes of `warprace check`.
pub(crate) const CHECK: &[Meaning] = &[
    (Code::Is(0), "no program has a race, all were checked, and none failed"),
    (Code::Is(RACES), "a program has races"),
    (Code::Of("a program's own"), "no program has races; that of the first one that failed"),
    (Code::Is(INCONCLUSIVE), "no program has races or failed, but something was not checked"),
    (Code::Is(USAGE), "wrong options, or the project cannot be built"),
    (Code::Is(OUTPUT), "all is well, but a file of the report could not be written"),
];

/// The exit codes of `warprace campaign`.
pub(crate) const CAMPAIGN: &[Meaning] = &[
    (Code::Is(0), "no run has a race, all have a result and were checked, and no program failed"),
    (Code::Is(RACES), "a run has races"),
    (Code::Of("a program's own"), "no run has races; that of the first run in which a program failed"),
    (
        Code::Is(INCONCLUSIVE),
        "no run has races or failed, but something was not checked, or runs are missing",
    ),
    (Code::Is(USAGE), "wrong options, a mistake in the file, or the programs cannot be built or submitted"),
    (
        Code::Is(OUTPUT),
        "a result could not be written (the disk is full), or all is well but a report could not",
    ),
];

impl Code {
    fn name(&self) -> String {
        match self {
            Code::Is(code) => code.to_string(),
            Code::Of(whose) => (*whose).to_owned(),
        }
    }
}

/// Returns the section of a help text about exit codes.
pub(crate) fn help(meanings: &[Meaning]) -> String {
    let width = meanings.iter().map(|(code, _)| code.name().len()).max().unwrap_or(0) + 2;
    let mut out = "Exit codes:\n".to_owned();
    for (code, meaning) in meanings {
        let _ = writeln!(out, "  {:<width$} {meaning}", code.name());
    }
    out
}

/// Returns the table of exit codes for `docs/options.md`.
#[cfg(test)]
pub(crate) fn table() -> String {
    let mut out = "| code | |\n|---|---|\n".to_owned();
    for (code, meaning) in RUN {
        let _ = writeln!(out, "| {} | {meaning} |", code.name());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_has_each_code_once_in_a_column() {
        for meanings in [RUN, PROVE, CHECK, CAMPAIGN] {
            let text = help(meanings);
            let columns: Vec<usize> = meanings
                .iter()
                .map(|(_, meaning)| {
                    let line = text.lines().find(|line| line.ends_with(meaning)).expect("each has a line");
                    line.len() - meaning.len()
                })
                .collect();
            assert!(columns.windows(2).all(|two| two[0] == two[1]), "{text}");
            for code in [RACES, INCONCLUSIVE, USAGE, OUTPUT] {
                let begins = format!("  {code} ");
                assert_eq!(text.lines().filter(|line| line.starts_with(&begins)).count(), 1, "{text}");
            }
        }
    }
}
