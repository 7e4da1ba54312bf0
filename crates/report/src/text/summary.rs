//! The last lines: what was checked, and the verdict.

use super::Text;
use crate::model::completeness::{Completeness, Share};
use crate::model::{Document, Verdict};
use crate::printable;
use crate::suppress::By;
use std::collections::BTreeMap;
use std::fmt::Write;

impl Text<'_> {
    /// Returns the counts that show what was checked, and the verdict with its reasons.
    pub fn summary(&self, d: &Document) -> String {
        let s = &d.summary;
        let mut out = String::new();
        let skipped = match s.launches - s.checked.min(s.launches) {
            0 => String::new(),
            n => format!(" ({} not checked)", grouped(n)),
        };
        let instructions = count(s.thread_instructions, "instruction");
        let accesses = count(s.accesses, "memory access");
        let did = match (s.thread_instructions, s.accesses) {
            // A GPU counts neither.
            (0, 0) if s.threads > 0 => String::new(),
            // A trace holds accesses, not what else was executed.
            (0, 1..) => format!(", {accesses}"),
            _ => format!(", {instructions}, {accesses}"),
        };
        let _ = writeln!(
            out,
            "warprace: ran {} in {}{skipped}: {}{did}",
            count(s.kernels, "kernel"),
            count(s.launches, "launch"),
            count(s.threads, "thread"),
        );
        if !d.completeness.whole() {
            let _ = writeln!(out, "warprace: {}", completeness(&d.completeness));
        }
        if !d.kernels.is_empty() && d.kernels.iter().any(|k| k.launches > 0 && !k.line_info) {
            let _ =
                writeln!(out, "warprace: without line information; compile with `-lineinfo` to see lines");
        }
        for limit in &d.limits {
            let _ = writeln!(out, "warprace: {}", printable(limit));
        }
        self.suppressed(d, &mut out);
        let _ = writeln!(out, "warprace: {}", self.verdict(d));
        for reason in &d.inconclusive {
            let _ = writeln!(out, "  - {}", printable(reason));
        }
        out
    }

    /// How many findings were suppressed by what, and what suppressed nothing.
    fn suppressed(&self, d: &Document, out: &mut String) {
        let mut by: BTreeMap<String, u64> = BTreeMap::new();
        for s in &d.suppressed {
            let what = match &s.by {
                By::Annotation { .. } => "by comments in the source".to_owned(),
                By::Entry { origin, .. } => format!("by {}", origin.file),
                By::Baseline { file } => format!("known from {file}"),
            };
            *by.entry(what).or_default() += 1;
        }
        if !by.is_empty() {
            let parts: Vec<String> = by.iter().map(|(what, n)| format!("{} {what}", grouped(*n))).collect();
            let all = count(d.suppressed.len() as u64, "finding");
            let _ = writeln!(out, "warprace: {all} suppressed: {}", parts.join(", "));
        }
        if let Some(b) = d.baseline.as_ref().filter(|b| b.gone > 0) {
            let were = if b.gone == 1 { "was" } else { "were" };
            let told = count(b.gone, "finding");
            let _ = writeln!(out, "warprace: {told} of {} {were} not seen in this run", b.file);
        }
        for warning in &d.warnings {
            let _ = writeln!(out, "warprace: warning: {warning}");
        }
        for stale in d.suppressions.iter().filter(|s| s.hits == 0) {
            let (number, file) = (stale.origin.number, &stale.origin.file);
            let _ =
                writeln!(out, "warprace: warning: entry {number} of {file} matches nothing: {}", stale.text);
        }
    }

    fn verdict(&self, d: &Document) -> String {
        let found: Vec<String> = [(d.races.len(), "race"), (d.hazards.len(), "hazard")]
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| count(*n as u64, what))
            .collect();
        let (color, mut text) = match d.verdict {
            Verdict::Race => ("\x1b[1;31m", found.join(" and ")),
            Verdict::Hazard => ("\x1b[1;33m", format!("no race, {}", found.join(""))),
            Verdict::Proved => ("\x1b[1;32m", "proved: no launch has a race".into()),
            Verdict::ProvedInPart => ("\x1b[1;33m", "not everything is proved for all launches".into()),
            Verdict::RaceInUnseenLaunch => {
                let all = count(d.unseen_launches.len() as u64, "race");
                ("\x1b[1;33m", format!("{all} in launches that were not seen"))
            }
            Verdict::Unknown => ("\x1b[1;33m", "not everything is proved".into()),
            Verdict::Inconclusive if d.summary.lens.is_empty() => ("\x1b[1;33m", "inconclusive:".into()),
            Verdict::Inconclusive => ("\x1b[1;33m", "inconclusive: no race was seen, but".into()),
            Verdict::Unseen if d.summary.sampled_of > 0 => {
                let (run, all) = (grouped(d.summary.sampled), grouped(d.summary.sampled_of));
                ("\x1b[1;32m", format!("no race was seen in {run} of {all} blocks{}", run_of(d)))
            }
            Verdict::Unseen => {
                ("\x1b[1;32m", format!("no race was seen by sampling (engine {})", d.summary.engine))
            }
            Verdict::Clean if d.summary.proved_whole => {
                ("\x1b[1;32m", format!("clean (proved): every launch is free of races{}", run_of(d)))
            }
            Verdict::Clean => {
                let other = if d.suppressed.is_empty() { "" } else { "other " };
                let all = d.summary.checked >= d.summary.launches
                    && d.program.unwatched == 0
                    && d.summary.unchecked == 0
                    && !d.summary.partial;
                let part = if all { "" } else { " of what was checked" };
                ("\x1b[1;32m", format!("clean{part}: no {other}race{}", run_of(d)))
            }
        };
        if !d.inconclusive.is_empty() && d.verdict != Verdict::Inconclusive {
            text.push_str("; not everything could be checked:");
        }
        match self.style.color {
            true => format!("{color}{text}\x1b[0m"),
            false => text,
        }
    }
}

/// `checked 2 of 3 launches (1 proved, 1 in part), 1 of 1 kernel, 80 of 96 memory accesses (engine virtual-gpu)`.
fn completeness(all: &Completeness) -> String {
    let share = |what: &str, share: Share| format!("{} of {}", grouped(share.checked), count(share.of, what));
    let proved = match (all.proved, all.proved_in_part) {
        (0, 0) => String::new(),
        (whole, 0) => format!(" ({} proved)", grouped(whole)),
        (whole, parts) => format!(" ({} proved, {} in part)", grouped(whole), grouped(parts)),
    };
    let shares = [
        all.launches.map(|launches| share("launch", launches) + &proved),
        Some(share("kernel", all.kernels)),
        all.accesses.map(|accesses| share("memory access", accesses)),
    ];
    let shares: Vec<String> = shares.into_iter().flatten().collect();
    format!("checked {} (engine {})", shares.join(", "), all.engine)
}

/// `` (lens scord, schedule converged-first:seed=0)``: what the verdict holds for.
fn run_of(d: &Document) -> String {
    let s = &d.summary;
    match (s.lens.as_str(), s.schedule.as_str()) {
        (_, "") => String::new(),
        ("ptx" | "", schedule) => format!(" (schedule {schedule})"),
        (lens, schedule) => format!(" (lens {lens}, schedule {schedule})"),
    }
}

/// `1 kernel`, `2 kernels`, `3 launches`.
pub(crate) fn count(n: u64, what: &str) -> String {
    let plural = if what.ends_with("ch") || what.ends_with('s') { "es" } else { "s" };
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { plural })
}

/// `1 234 567` as `1,234,567`.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(count(1, "launch"), "1 launch");
        assert_eq!(count(2, "launch"), "2 launches");
        assert_eq!(count(0, "memory access"), "0 memory accesses");
        assert_eq!(count(1_000, "thread"), "1,000 threads");
    }
}
