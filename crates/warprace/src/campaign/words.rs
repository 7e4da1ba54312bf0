//! Texts about runs.

use campaign::plan::{Plan, Run};
use std::ffi::OsStr;
use std::fmt::Write;

/// Returns `1 run`, `5,000 runs`.
pub(super) fn count(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Returns a duration such as `4 s`, `3 min 20 s` or `2 h 5 min`.
pub(super) fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Returns the command line that a run is.
pub(super) fn command(run: &Run<'_>) -> String {
    let mut words = vec!["warprace run".to_owned()];
    let quoted = |word: &String| crate::run::quote(OsStr::new(word));
    words.extend(run.program.options.iter().chain(&run.options()).map(quoted));
    words.push("--".into());
    words.extend(run.program.command.iter().chain(run.arguments).map(quoted));
    words.join(" ")
}

/// Returns a line for each run: number, identity, program and command.
pub(super) fn list(plan: &Plan) -> String {
    let mut out = String::new();
    for run in plan.runs() {
        let _ = writeln!(out, "{}\t{}\t{}\t{}", run.number, run.identity, run.program.name, command(&run));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_durations_read_well() {
        assert_eq!(count(1, "run"), "1 run");
        assert_eq!(count(5000, "run"), "5,000 runs");
        assert_eq!([3, 60, 3599, 7500].map(duration), ["3 s", "1 min 0 s", "59 min 59 s", "2 h 5 min"]);
        assert!(!crate::slurm::host().is_empty());
    }
}
