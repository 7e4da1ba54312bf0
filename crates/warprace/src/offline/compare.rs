//! One execution, all detectors, one table.

use super::analyse::{Analysed, analyse_together, lenses};
use crate::options::{CompareArgs, TraceArgs};
use crate::{exit, run, terminal};
use detect::lens::acquit::SitePair;
use detect::ptx::PtxOptions;
use events::{Evidence, Finding, Site, SiteId, Space, Strength, SyncNote};
use protocol::{Checks, RunResult, ptx_options};
use report::attribute::user_frame;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// A race as people name it: two source places, in order.
type Pair = (String, String);

/// What one detector said of a pair.
struct Opinion {
    class: &'static str,
    count: u64,
    predicted: bool,
    rule: Option<String>,
}

#[derive(Default)]
struct Row {
    /// `shared` or `global`, and whether single threads or whole tasks are concerned.
    shared: bool,
    tasks: bool,
    /// All the instructions of those lines that race with each other.
    sites: BTreeSet<SitePair>,
    /// Both accesses are `volatile`, or both are strong.
    volatile: bool,
    strong: bool,
    opinions: BTreeMap<&'static str, Opinion>,
    /// What lenses themselves say of why they are silent.
    acquittals: BTreeMap<&'static str, &'static str>,
}

/// Lenses that tell why they let accesses pass. They come last, and are asked about what those before them have found.
const TALKATIVE: [&str; 2] = ["iguard", "scord"];

/// `warprace compare FILE` or `-- PROGRAM`.
pub(crate) fn compare(args: &CompareArgs) -> u8 {
    match &args.file {
        Some(file) => compare_file(file, &file.display().to_string(), args),
        None => match crate::folder::Folder::new(false) {
            Ok(folder) => {
                let file = folder.path().join("trace");
                let code = run::trace(&TraceArgs::of(&args.program, file.clone()));
                // Whatever the program's status, what it did until then is worth comparing.
                let name = args.program[0].to_string_lossy();
                if file.exists() { compare_file(&file, &name, args) } else { code }
            }
            Err(message) => {
                terminal::error(&message);
                exit::USAGE
            }
        },
    }
}

/// `name` is what the user calls the execution.
fn compare_file(file: &Path, name: &str, args: &CompareArgs) -> u8 {
    let laws = ptx_options(args.volatile.into(), args.equal_values.into(), Checks::default());
    let mut analyses = match ask(file, &laws) {
        Ok(analyses) => analyses,
        Err(message) => {
            terminal::error(&message);
            terminal::help("record one with `warprace trace -o FILE -- PROGRAM`");
            return exit::USAGE;
        }
    };
    ask_again(file, &mut analyses, &laws);
    analyses.sort_by_key(|(at, _)| *at);
    let analyses: Vec<Analysed> = analyses.into_iter().map(|(_, analysed)| analysed).collect();
    let mut rows = rows(&analyses);
    explain_silence(&analyses, &mut rows);
    if args.json {
        terminal::print(format_args!("{:#}\n", as_json(&analyses, &rows)));
    } else {
        terminal::print(table(name, &analyses, &rows));
    }
    let doubts = doubts(&analyses);
    for doubt in &doubts {
        terminal::error(&format!("not everything was checked: {doubt}"));
    }
    match (rows.is_empty(), doubts.is_empty()) {
        (false, _) => exit::RACES,
        (true, false) => exit::INCONCLUSIVE,
        (true, true) => 0,
    }
}

/// Asks each lens, with its place in the table. The talkative come last, in an order of their own.
fn ask(file: &Path, laws: &PtxOptions) -> Result<Vec<(usize, Analysed)>, String> {
    let order = |name: &str| TALKATIVE.iter().position(|talkative| *talkative == name);
    let all = lenses().into_iter().enumerate();
    let (mut talkative, others): (Vec<_>, Vec<_>) = all.partition(|(_, lens)| order(lens.name()).is_some());
    talkative.sort_by_key(|(_, lens)| order(lens.name()));
    let (places, others): (Vec<usize>, Vec<_>) = others.into_iter().unzip();
    let mut analyses: Vec<_> = places.into_iter().zip(analyse_together(file, &others, laws, &[])?).collect();
    for (at, lens) in talkative {
        let found: BTreeSet<SitePair> = analyses.iter().flat_map(|(_, analysed)| found(analysed)).collect();
        let watched: Vec<SitePair> = found.into_iter().collect();
        let analysed = analyse_together(file, &[lens], laws, &watched)?;
        analyses.extend(analysed.into_iter().map(|analysed| (at, analysed)));
    }
    Ok(analyses)
}

fn found(analysed: &Analysed) -> BTreeSet<SitePair> {
    analysed.result.findings.iter().filter_map(|f| sites(&f.finding)).collect()
}

/// What only a later lens has found, those before it are asked about in another reading.
fn ask_again(file: &Path, analyses: &mut [(usize, Analysed)], laws: &PtxOptions) {
    let all: Vec<BTreeSet<SitePair>> = analyses.iter().map(|(_, analysed)| found(analysed)).collect();
    for (i, (_, analysed)) in analyses.iter_mut().enumerate() {
        if !TALKATIVE.contains(&analysed.lens.name()) {
            continue;
        }
        let asked: BTreeSet<SitePair> = all[..=i].iter().flatten().copied().collect();
        let new: Vec<SitePair> =
            all[i + 1..].iter().flatten().filter(|pair| !asked.contains(pair)).copied().collect();
        if !new.is_empty()
            && let Ok(again) = analyse_together(file, std::slice::from_ref(&analysed.lens), laws, &new)
        {
            analysed.acquittals.extend(again.into_iter().flat_map(|again| again.acquittals));
        }
    }
}

/// Why a table without races does not mean that there are none.
fn doubts(analyses: &[Analysed]) -> BTreeSet<String> {
    let mut doubts: BTreeSet<String> =
        analyses.iter().flat_map(|a| a.result.inconclusive.iter().cloned()).collect();
    if analyses.iter().all(|a| a.result.counters.launches == 0) {
        doubts.insert("the trace has no kernel".into());
    }
    doubts
}

fn rows(analyses: &[Analysed]) -> BTreeMap<Pair, Row> {
    let mut rows: BTreeMap<Pair, Row> = BTreeMap::new();
    for analysed in analyses {
        for reported in &analysed.result.findings {
            let finding = &reported.finding;
            let row = rows.entry(pair(finding, &analysed.result)).or_default();
            row.shared = matches!(finding.space, Space::Shared(_));
            row.tasks = finding.sides[0].task != finding.sides[1].task;
            let strengths = [&finding.sides[0], &finding.sides[1]].map(|side| side.strength);
            row.volatile = strengths == [Strength::Volatile; 2];
            row.strong = strengths.iter().all(|s| *s != Strength::Weak);
            row.sites.extend(sites(finding));
            let opinion = row.opinions.entry(analysed.lens.name()).or_insert_with(|| Opinion {
                class: finding.class.name(),
                count: 0,
                predicted: finding.evidence == Evidence::Predicted,
                rule: rule(finding),
            });
            opinion.count += finding.count;
            opinion.predicted &= finding.evidence == Evidence::Predicted;
        }
    }
    rows
}

fn sites(finding: &Finding) -> Option<SitePair> {
    let (a, b) = (finding.sides[0].site?, finding.sides[1].site?);
    Some((a.min(b), a.max(b)))
}

fn pair(finding: &Finding, result: &RunResult) -> Pair {
    let place = |i: usize| place(finding.sides[i].site, result);
    let (a, b) = (place(0), place(1));
    if a <= b { (a, b) } else { (b, a) }
}

fn place(site: Option<SiteId>, result: &RunResult) -> String {
    let Some(site) = site.and_then(|id| result.sites.get(id)) else { return "host".into() };
    match user_frame(site) {
        Some(frame) => format!("{}:{}", file_name(&frame.file), frame.line),
        None => without_lines(site),
    }
}

fn without_lines(site: &Site) -> String {
    format!("{} (PTX line {})", site.function, site.ptx_line)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn rule(finding: &Finding) -> Option<String> {
    finding.notes.iter().find_map(|note| match note {
        SyncNote::Rule(rule) => Some(rule.clone()),
        _ => None,
    })
}

/// What the lenses with tables of rules said of why they let the accesses pass.
fn explain_silence(analyses: &[Analysed], rows: &mut BTreeMap<Pair, Row>) {
    for analysed in analyses {
        let lens = analysed.lens.name();
        let silent = |row: &&mut Row| !row.opinions.contains_key(lens) && !row.shared && !row.tasks;
        for row in rows.values_mut().filter(silent) {
            if let Some(reason) = row.sites.iter().find_map(|pair| analysed.acquittals.get(pair)) {
                row.acquittals.insert(lens, reason);
            }
        }
    }
}

/// Why a detector does not report a pair that others report.
fn silence(lens: &str, row: &Row) -> &'static str {
    if let Some(reason) = row.acquittals.get(lens) {
        return reason;
    }
    let predicted = row.opinions.get("gwcp").is_some_and(|o| o.predicted);
    match lens {
        "ptx" if row.volatile => "volatile is relaxed at system scope: morally strong (PTX §8.4.2, §8.7)",
        "ptx" if row.strong => "ordered, or morally strong: each scope includes the other (PTX §8.7)",
        "ptx" => "ordered by causality in this run (PTX §8.9.5)",
        _ if row.tasks => "sees one launch at a time",
        "scord" | "iguard" if row.shared => "watches global memory only",
        "scord" => "the metadata name another access by then: one reader and one writer are kept",
        "iguard" => "the metadata name another access by then: one accessor and one writer are kept",
        "hb" if predicted => "ordered in this run by the hand-over of a lock",
        "hb" | "gwcp" if row.strong && !row.volatile => {
            "ordered, or atomics of which the lesser scope covers both"
        }
        "hb" => "ordered by this run's barriers, releases and acquires",
        "gwcp" => "ordered by barriers, messages or sections that conflict (rules (i) to (iv))",
        "hirace" => "a barrier or only atomics, or another race of the location came first (one each)",
        _ => "no report",
    }
}

/// What should be known of a report that others do not share.
fn caveat(lens: &str, row: &Row) -> &'static str {
    let alone = ["ptx", "hb", "gwcp"].iter().all(|other| !row.opinions.contains_key(other));
    match lens {
        "gwcp" if row.opinions.get("gwcp").is_some_and(|o| o.predicted) => {
            " (predicted: not in this run's order)"
        }
        "hirace" if alone => " (knows barriers and atomics, no fences, flags and locks)",
        "scord" | "iguard" if alone && row.volatile => " (volatile accesses are plain ones to it)",
        _ => "",
    }
}

fn table(name: &str, analyses: &[Analysed], rows: &BTreeMap<Pair, Row>) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{name}: {} found by {} detectors\n", races(rows.len()), analyses.len());
    for ((first, second), row) in rows {
        let _ =
            writeln!(out, "{first} and {second}, {} memory", if row.shared { "shared" } else { "global" });
        for analysed in analyses {
            match row.opinions.get(analysed.lens.name()) {
                Some(opinion) => {
                    let rule = opinion.rule.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
                    let caveat = caveat(analysed.lens.name(), row);
                    let _ = writeln!(
                        out,
                        "  {:<8}{} ×{}{rule}{caveat}",
                        analysed.lens.name(),
                        opinion.class,
                        opinion.count
                    );
                }
                None => {
                    let lens = analysed.lens.name();
                    let _ = writeln!(out, "  {lens:<8}–  {}", silence(lens, row));
                }
            }
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "{:<10}{:>7}{:>16}{:>16}{:>14}",
        "detector", "races", "events/s", "metadata", "bytes/byte"
    );
    for a in analyses {
        let per_byte = match a.peak.touched_bytes {
            0 => "–".to_owned(),
            touched => format!("{:.1}", a.peak.shadow_bytes as f64 / touched as f64),
        };
        let _ = writeln!(
            out,
            "{:<10}{:>7}{:>16}{:>16}{per_byte:>14}",
            a.lens.name(),
            rows.values().filter(|r| r.opinions.contains_key(a.lens.name())).count(),
            thousands(rate(a) as u64),
            format!("{} B", thousands(a.peak.shadow_bytes)),
        );
    }
    out
}

fn races(count: usize) -> String {
    if count == 1 { "1 race".into() } else { format!("{count} races") }
}

/// Warp-level events per second of processor time, without the reading of the trace.
fn rate(analysed: &Analysed) -> f64 {
    analysed.warp_events as f64 / analysed.took.as_secs_f64().max(1e-9)
}

fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

fn as_json(analyses: &[Analysed], rows: &BTreeMap<Pair, Row>) -> Value {
    let races: Vec<Value> = rows
        .iter()
        .map(|((first, second), row)| {
            let opinions: BTreeMap<&str, Value> = analyses
                .iter()
                .map(|a| {
                    let value = match row.opinions.get(a.lens.name()) {
                        Some(o) => {
                            json!({"class": o.class, "count": o.count, "rule": o.rule, "predicted": o.predicted})
                        }
                        None => json!({"why_not": silence(a.lens.name(), row)}),
                    };
                    (a.lens.name(), value)
                })
                .collect();
            json!({
                "accesses": [first, second],
                "space": if row.shared { "shared" } else { "global" },
                "detectors": opinions,
            })
        })
        .collect();
    let detectors: Vec<Value> = analyses
        .iter()
        .map(|a| {
            json!({
                "name": a.lens.name(),
                "events_per_second": rate(a),
                "shadow_bytes": a.peak.shadow_bytes,
                "touched_bytes": a.peak.touched_bytes,
            })
        })
        .collect();
    json!({"version": 1, "races": races, "detectors": detectors})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1 234 567");
    }
}
