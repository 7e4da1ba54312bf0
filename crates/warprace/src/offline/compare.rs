//! Compares all detectors on one execution, in one table.

use super::analyse::{Analysed, analyse_together, lenses};
use crate::options::{CompareArgs, TraceArgs};
use crate::{exit, run, terminal};
use detect::lens::acquit::SitePair;
use detect::named::ptx_options;
use detect::ptx::PtxOptions;
use events::{Evidence, Finding, SiteId, Strength, SyncNote};
use names::Laws;
use report::attribute::user_frame;
use report::model::{Access, Described};
use report::source::Sources;
use report::{Checking, Document, Ending, Run, describe};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;

/// A race as a user names it: two source lines in order.
type Pair = (String, String);

/// A detector's finding, as `run` reports it.
struct Opinion {
    id: String,
    hazard: bool,
    class: &'static str,
    count: u64,
    predicted: bool,
    rule: Option<String>,
}

#[derive(Default)]
struct Row {
    pair: Pair,
    lines: [Line; 2],
    /// Whether the race is in shared memory, and whether its sides are whole tasks rather than single
    /// threads.
    shared: bool,
    tasks: bool,
    /// All pairs of instructions on these lines that race.
    sites: BTreeSet<SitePair>,
    /// Whether both accesses are `volatile`, and whether both are strong.
    volatile: bool,
    strong: bool,
    opinions: BTreeMap<&'static str, Opinion>,
    /// The lenses' own reasons for not reporting the race.
    acquittals: BTreeMap<&'static str, &'static str>,
}

/// Lenses that state why they let accesses pass. They run last and are asked about the findings of the
/// others.
const TALKATIVE: [&str; 2] = ["iguard", "scord"];

/// Runs `warprace compare FILE` or `warprace compare -- PROGRAM`.
pub(crate) fn compare(args: &CompareArgs) -> u8 {
    match &args.file {
        Some(file) => compare_file(file, &file.display().to_string(), args),
        None => match crate::folder::Folder::new(false) {
            Ok(folder) => {
                let file = folder.path().join("trace");
                let code = run::trace(&TraceArgs::of(&args.program, file.clone()));
                // The recorded part is compared even if the program failed.
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

/// Compares the detectors on a trace. `name` is the user's name for the execution.
fn compare_file(file: &Path, name: &str, args: &CompareArgs) -> u8 {
    let laws = ptx_options(Laws {
        volatile: args.volatile.into(),
        equal_values: args.equal_values.into(),
        ..Laws::default()
    });
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
    let mut rows = rows(&analyses, name);
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
    match (rows.iter().all(Row::is_hazard), doubts.is_empty()) {
        (false, _) => exit::RACES,
        (true, false) => exit::INCONCLUSIVE,
        (true, true) => 0,
    }
}

/// Runs each lens and returns its result with its place in the table. The lenses that give reasons run last,
/// in their own order.
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

/// Reads the trace again for lenses that give reasons, about findings that only later lenses made.
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

/// Returns the reasons for which a table without races does not mean that there are none.
fn doubts(analyses: &[Analysed]) -> BTreeSet<String> {
    let mut doubts: BTreeSet<String> =
        analyses.iter().flat_map(|a| a.result.inconclusive.iter().cloned()).collect();
    if analyses.iter().all(|a| a.result.counters.launches == 0) {
        doubts.insert("the trace has no kernel".into());
    }
    doubts
}

/// Returns one row for each finding. Findings of several detectors with the same places, memory and tasks
/// share a row.
fn rows(analyses: &[Analysed], name: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for analysed in analyses {
        let lens = analysed.lens.name();
        let document = described(analysed, name);
        for found in document.races.iter().chain(&document.hazards) {
            let new = Row::of(found);
            let same = |row: &Row| {
                (&row.pair, row.shared, row.tasks) == (&new.pair, new.shared, new.tasks)
                    && !row.opinions.contains_key(lens)
            };
            let at = rows.iter().position(same);
            let at = at.unwrap_or_else(|| {
                rows.push(new);
                rows.len() - 1
            });
            let opinion = Opinion {
                id: found.id.clone(),
                hazard: found.level.0 == events::Level::Hazard,
                class: found.class.name(),
                count: found.count,
                predicted: found.evidence == Evidence::Predicted,
                rule: None,
            };
            rows[at].opinions.insert(lens, opinion);
        }
        for finding in analysed.result.findings.iter().map(|reported| &reported.finding) {
            let pair = pair_of(finding, analysed);
            let tasks = finding.sides[0].task != finding.sides[1].task;
            let shared = matches!(finding.space, events::Space::Shared(_));
            let of_pair =
                rows.iter_mut().filter(|row| (&row.lines, row.shared, row.tasks) == (&pair, shared, tasks));
            for row in of_pair {
                let strengths = [&finding.sides[0], &finding.sides[1]].map(|side| side.strength);
                row.volatile = strengths == [Strength::Volatile; 2];
                row.strong = strengths.iter().all(|s| *s != Strength::Weak);
                row.sites.extend(sites(finding));
                if let Some(opinion) = row.opinions.get_mut(lens).filter(|opinion| opinion.rule.is_none()) {
                    opinion.rule = rule(finding);
                }
            }
        }
    }
    rows.sort_by(|a, b| (&a.pair, a.shared, a.tasks).cmp(&(&b.pair, b.shared, b.tasks)));
    rows
}

/// Returns the findings of one detector in the form of a run's report.
fn described(analysed: &Analysed, name: &str) -> Document {
    let sources = Sources::new(std::env::current_dir().ok());
    describe(&Run {
        results: std::slice::from_ref(&analysed.result),
        program: name.to_owned(),
        command: &[],
        ending: Ending::Exit(0),
        checking: Checking::Detect,
        replay: &|_, _| String::new(),
        inconclusive: Vec::new(),
        sources: &sources,
        interleavings: HashMap::new(),
    })
}

impl Row {
    fn of(found: &Described) -> Row {
        let [a, b] = &found.accesses;
        let mut pair = [place(a), place(b)];
        let mut lines = [line(&a.file, a.line, a.ptx_line), line(&b.file, b.line, b.ptx_line)];
        pair.sort();
        lines.sort();
        let [first, second] = pair;
        Row {
            pair: (first, second),
            lines,
            shared: found.space.starts_with("shared"),
            tasks: [a, b].iter().any(|access| access.stream.is_some() || access.block.is_none()),
            ..Row::default()
        }
    }

    /// Returns whether no detector classifies the row as a race.
    fn is_hazard(&self) -> bool {
        self.opinions.values().all(|opinion| opinion.hazard)
    }
}

fn sites(finding: &Finding) -> Option<SitePair> {
    let (a, b) = (finding.sides[0].site?, finding.sides[1].site?);
    Some((a.min(b), a.max(b)))
}

/// A file and its line; an empty name and a PTX line if there is no source line.
type Line = (String, u32);

fn line(file: &str, line: u32, ptx_line: u32) -> Line {
    if line == 0 { (String::new(), ptx_line) } else { (file.to_owned(), line) }
}

fn pair_of(finding: &Finding, analysed: &Analysed) -> [Line; 2] {
    let line = |site: Option<SiteId>| {
        let site = site.and_then(|id| analysed.result.sites.get(id));
        let frame = site.and_then(user_frame);
        line(
            frame.map_or("", |frame| &frame.file),
            frame.map_or(0, |frame| frame.line),
            site.map_or(0, |site| site.ptx_line),
        )
    };
    let mut pair = [line(finding.sides[0].site), line(finding.sides[1].site)];
    pair.sort();
    pair
}

fn place(access: &Access) -> String {
    match (access.line, access.ptx_line) {
        (0, 0) if access.kernel.is_empty() => "host".into(),
        (0, 0) => access.kernel.clone(),
        (0, line) => format!("{} (PTX line {line})", access.function),
        (line, _) => format!("{}:{line}", file_name(&access.file)),
    }
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

/// Adds the reasons of lenses with rule tables for letting the accesses pass.
fn explain_silence(analyses: &[Analysed], rows: &mut [Row]) {
    for analysed in analyses {
        let lens = analysed.lens.name();
        let silent = |row: &&mut Row| !row.opinions.contains_key(lens) && !row.shared && !row.tasks;
        for row in rows.iter_mut().filter(silent) {
            if let Some(reason) = row.sites.iter().find_map(|pair| analysed.acquittals.get(pair)) {
                row.acquittals.insert(lens, reason);
            }
        }
    }
}

/// Returns why a detector does not report a pair that other detectors report.
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

/// Returns a caveat for a report that other detectors do not share.
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

fn table(name: &str, analyses: &[Analysed], rows: &[Row]) -> String {
    let mut out = String::new();
    let hazards = rows.iter().filter(|row| row.is_hazard()).count();
    let mut found = races(rows.len() - hazards);
    if hazards > 0 {
        let _ = write!(found, " and {hazards} hazard{}", if hazards == 1 { "" } else { "s" });
    }
    let _ = writeln!(out, "{name}: {found} found by {} detectors\n", analyses.len());
    for row in rows {
        let (first, second) = &row.pair;
        let _ =
            writeln!(out, "{first} and {second}, {} memory", if row.shared { "shared" } else { "global" });
        for analysed in analyses {
            match row.opinions.get(analysed.lens.name()) {
                Some(opinion) => {
                    let rule = opinion.rule.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
                    let caveat = caveat(analysed.lens.name(), row);
                    let _ = writeln!(
                        out,
                        "  {:<8}{}{} ×{}{rule}{caveat}",
                        analysed.lens.name(),
                        if opinion.hazard { "hazard " } else { "" },
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
            rows.iter().filter(|r| r.opinions.contains_key(a.lens.name())).count(),
            thousands(rate(a) as u64),
            format!("{} B", thousands(a.peak.shadow_bytes)),
        );
    }
    out
}

fn races(count: usize) -> String {
    if count == 1 { "1 race".into() } else { format!("{count} races") }
}

/// Returns warp-level events per second of processor time, without the reading of the trace.
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

fn as_json(analyses: &[Analysed], rows: &[Row]) -> Value {
    let races: Vec<Value> = rows
        .iter()
        .map(|row| {
            let (first, second) = &row.pair;
            let opinions: BTreeMap<&str, Value> = analyses
                .iter()
                .map(|a| {
                    let value = match row.opinions.get(a.lens.name()) {
                        Some(o) => {
                            json!({
                                "id": o.id,
                                "level": if o.hazard { "hazard" } else { "race" },
                                "class": o.class,
                                "count": o.count,
                                "rule": o.rule,
                                "predicted": o.predicted,
                            })
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
