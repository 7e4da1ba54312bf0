//! The record of what was mended: `docs/results/fix.csv`, and the page that is made from it.

use crate::{said, workspace};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One program's last result.
struct Row {
    /// `mended`, `ptx`, `build`, `offered`, `none` or `wrong`.
    result: String,
    /// The commit at which it was tried.
    commit: String,
    /// Why there is no offer, written by hand.
    reason: String,
}

/// The results of all programs.
#[derive(Default)]
pub(crate) struct Record {
    rows: BTreeMap<String, Row>,
}

impl Record {
    pub(crate) fn read() -> Record {
        let text = std::fs::read_to_string(workspace().join("docs/results/fix.csv")).unwrap_or_default();
        let row = |line: &str| {
            let mut words = line.splitn(4, ',').map(str::to_owned);
            let (name, result, commit) = (words.next()?, words.next()?, words.next()?);
            Some((name, Row { result, commit, reason: words.next().unwrap_or_default() }))
        };
        Record { rows: text.lines().skip(1).filter_map(row).collect() }
    }

    pub(crate) fn is_mended(&self, name: &str) -> bool {
        self.rows
            .get(name)
            .is_some_and(|row| ["mended", "ptx", "build", "offered"].contains(&row.result.as_str()))
    }

    pub(crate) fn wrong(&self) -> Vec<&str> {
        let wrong = self.rows.iter().filter(|(_, row)| row.result == "wrong");
        wrong.map(|(name, _)| name.as_str()).collect()
    }

    /// Replaces the result of a program. The reason stays while there is no offer.
    pub(crate) fn set(&mut self, name: &str, result: &str, commit: &str) {
        let reason = match (result, self.rows.get(name)) {
            ("none", Some(row)) => row.reason.clone(),
            _ => String::new(),
        };
        let row = Row { result: result.to_owned(), commit: commit.to_owned(), reason };
        self.rows.insert(name.to_owned(), row);
    }

    /// Writes the record and the page.
    pub(crate) fn write(&self) {
        let mut text = "program,result,commit,reason\n".to_owned();
        for (name, row) in &self.rows {
            let _ = writeln!(text, "{name},{},{},{}", row.result, row.commit, row.reason);
        }
        let folder = workspace().join("docs/results");
        std::fs::write(folder.join("fix.csv"), text).expect("the record is written");
        std::fs::write(folder.join("fix.md"), self.page()).expect("the page is written");
    }

    fn page(&self) -> String {
        let mut out = format!(
            "# Mending, measured\n\n\
            `cargo xtask fixes` has `warprace fix --all` mend each racy fixture and each real bug: in the PTX\n\
            alone and, where that finds nothing, with `--build`. Each offer is then built from source, and has\n\
            to be clean under 20 schedules and prediction, with exit code 0. Programs are built with\n\
            `-lineinfo -g`. `cargo xtask fixes WORD` tries the programs whose names contain a word, and\n\
            `cargo xtask fixes unmended` those without a mend; [fix.csv](fix.csv) has each program's last\n\
            result and its commit. `offered` there: `fix --build` has built and run it, and nothing a\n\
            second time; `mended`: in the PTX or with `--build`.\n\n\
            {}, dev profile. Rows by commit: {}.\n\n\
            | | programs | mended | no offer | wrong offer | mended |\n\
            |---|---|---|---|---|---|\n",
            said("date", &["+%-d %B %Y"]),
            self.commits()
        );
        for (title, fixtures) in [("racy fixtures", true), ("real bugs", false)] {
            let of: Vec<_> = self.rows.iter().filter(|(name, _)| name.contains('/') == fixtures).collect();
            let count = |result: &str| of.iter().filter(|(_, row)| row.result == result).count();
            let (none, wrong) = (count("none"), count("wrong"));
            let mended = of.len() - none - wrong;
            let percent = (mended * 1000 / of.len().max(1)) as f64 / 10.0;
            let _ =
                writeln!(out, "| {title} | {} | {mended} | {none} | {wrong} | {percent:.1} % |", of.len());
        }
        if !self.wrong().is_empty() {
            out += "\n## Wrong offers\n\n\
                Built from source, the change does not compile or leaves a race:\n\n";
            self.wrong().iter().for_each(|name| _ = writeln!(out, "* `{name}`"));
        }
        out + "\n## No offer\n\nNo change that was tried left these without a finding.\n" + &self.reasons()
    }

    fn commits(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.rows.values().for_each(|row| *counts.entry(&row.commit).or_default() += 1);
        let words: Vec<String> = counts.iter().map(|(commit, n)| format!("{n} of {commit}")).collect();
        words.join(", ")
    }

    /// Lists the programs without an offer by reason, the largest group first.
    fn reasons(&self) -> String {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, row) in self.rows.iter().filter(|(_, row)| row.result == "none") {
            groups.entry(&row.reason).or_default().push(name);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
        let mut out = String::new();
        for (reason, names) in groups {
            let reason = if reason.is_empty() { "Not looked into" } else { reason };
            let _ = writeln!(out, "\n{reason}:\n");
            names.iter().for_each(|name| _ = writeln!(out, "* `{name}`"));
        }
        out
    }
}
