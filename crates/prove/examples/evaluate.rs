//! Evaluates the prover on many PTX files: `evaluate FILE.ptx[:KERNEL]…` prints a line for each kernel and a table. It assumes
//! nothing of their launches.
//!
//! `.race.` (or `dynamic`, `predictable`) in a name marks a racy program, `.clean.` (or `norace`) a clean one. `SECONDS` are
//! those that a kernel may take (20), and the variable `WARPRACE_SMT` names the SMT solver.

use kernels::Source;
use prove::solver::smt::Smt;
use prove::{Facts, Prover, Verdict};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn main() {
    let mut table: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    let mut times: Vec<Duration> = Vec::new();
    let seconds = std::env::var("SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let smt = std::env::var_os("WARPRACE_SMT").and_then(|s| Smt::find(Some(s.as_ref()), None));
    let facts = Facts { smt, ..Facts::default() };
    for argument in std::env::args().skip(1) {
        let kind = match argument.as_str() {
            p if p.contains(".race") || p.contains("_dynamic_") || p.contains("_predictable_") => "racy",
            p if p.contains(".clean") || p.contains("_norace_") => "clean",
            _ => "unlabelled",
        };
        let (path, only) = match argument.split_once(".ptx:") {
            Some((file, kernel)) => (format!("{file}.ptx"), Some(kernel.to_owned())),
            None => (argument.clone(), None),
        };
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("cannot read `{path}`");
            continue;
        };
        let parsed = ptx::parse(&text);
        let source = Source { tree: &parsed.module, text: &text, name: &path };
        let mut prover = match Prover::new(&[source]) {
            Ok(prover) => prover,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        let mut worst = "proved";
        for kernel in 0..prover.kernels().len() {
            if only.as_ref().is_some_and(|only| prover.kernels()[kernel].name != *only) {
                continue;
            }
            let start = Instant::now();
            let end = start + Duration::from_secs(seconds);
            let answer = prover.answer(kernel, &facts, &|| Instant::now() > end);
            times.push(start.elapsed());
            match answer.verdict {
                Verdict::Race(race) => {
                    worst = "race";
                    println!("{path}: race: {}: {}", answer.kernel, race.witness);
                }
                Verdict::Unknown(doubts) => {
                    if worst != "race" {
                        worst = "unknown";
                    }
                    if let Some(doubt) = doubts.first() {
                        println!("{path}: unknown: {}: {}", answer.kernel, doubt.why);
                        *reasons.entry(doubt.why.clone()).or_default() += 1;
                    }
                }
                Verdict::Proved | Verdict::Partly(_) => println!("{path}: proved: {}", answer.kernel),
            }
        }
        *table.entry((kind, worst)).or_default() += 1;
    }
    times.sort_unstable();
    println!();
    for ((kind, answer), count) in &table {
        println!("{count:5} {kind} programs: {answer}");
    }
    for (why, count) in &reasons {
        println!("{count:5} kernels unknown: {why}");
    }
    if let (Some(median), Some(most)) = (times.get(times.len() / 2), times.last()) {
        println!("{} kernels, median {median:.1?}, longest {most:.1?}", times.len());
    }
}
