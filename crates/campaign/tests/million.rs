//! A million results in a campaign's folder, merged and written as tables: a measurement.
//!
//! `cargo test -p campaign [--features columnar/parquet] --test million -- --ignored --nocapture`

use campaign::file::Campaign;
use campaign::identity::Hasher;
use campaign::merge::Merged;
use campaign::plan::Plan;
use campaign::record::{About, Checked, Outcome, Record, Seen, seal};
use campaign::store::Store;
use campaign::tables::Tables;
use columnar::Format;
use events::{Class, Level};
use report::Verdict;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

const SEEDS: u64 = 250_000;

const CAMPAIGN: &str = "\
schedules = ['converged-first', 'random']
seeds = 250000

[[program]]
name = 'a'
command = ['/bin/true']

[[program]]
name = 'b'
command = ['/bin/true', 'b']
";

/// The result of a run: one in eight has one of forty races.
fn result(plan: &Plan, number: u64) -> Record {
    let run = plan.run(number);
    let about = About {
        milliseconds: 300 + number % 97,
        at: 1_800_000_000 + number / 6,
        host: "n1".into(),
        timed_out: false,
    };
    let replay = format!("{}:seed={}", run.schedule.unwrap_or_default(), run.seed);
    let race = |line: u64| Seen {
        key: Hasher::new("finding").text(&run.program.name).number(line).finish(),
        id: format!("{line:016x}"),
        class: Class::MissingBarrier,
        level: Level::Race,
        count: 1 + number % 31,
        replay: replay.clone(),
    };
    let findings: Vec<Seen> = if number.is_multiple_of(8) { vec![race(number / 8 % 40)] } else { Vec::new() };
    Record {
        outcome: Outcome::Ended,
        verdict: Some(if findings.is_empty() { Verdict::Clean } else { Verdict::Race }),
        exit_code: Some(0),
        checked: Checked { launches: 1, checked: 1, threads: 64, instructions: 4000, accesses: 900 },
        message: String::new(),
        findings,
        ..Record::not_run(run.identity, &run.program.name, String::new(), about)
    }
}

/// Writes all results as `Store::pack` leaves them: lines of one file.
fn write(plan: &Plan, root: &Path) {
    let pack = File::create(root.join("packed/000001-00000000")).unwrap();
    let mut pack = BufWriter::new(pack);
    for number in 0..plan.len() {
        pack.write_all(seal(&result(plan, number)).as_bytes()).unwrap();
    }
    pack.flush().unwrap();
}

/// Returns the most memory that the process has had, in MB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1000
}

#[test]
#[ignore = "a measurement of half a minute"]
fn a_million_results_are_merged_and_written() {
    let root = std::env::temp_dir().join(format!("warprace-million-{}", std::process::id()));
    let plan = Plan::new(Campaign::parse(CAMPAIGN, Path::new("/c.toml")).unwrap()).unwrap();
    assert_eq!(plan.len(), 4 * SEEDS);
    let store = Store::create(&root, "here").unwrap();
    write(&plan, &root);
    let size = |name: &str| fs::metadata(root.join(name)).map_or(0, |file| file.len()) / 1_000_000;
    println!("records: {} MB; {} MB of memory before", size("packed/000001-00000000"), peak());

    let start = Instant::now();
    let mut merged = Merged::new(&plan);
    let torn = store.read(|record| drop(merged.add(&record))).unwrap();
    assert_eq!((torn, merged.left(), merged.found().0), (0, 0, 80));
    println!("merged: {:.1} s, {} MB of memory at most", start.elapsed().as_secs_f64(), peak());

    for &format in Format::ALL {
        let start = Instant::now();
        let mut tables = Tables::create(&root, format).unwrap();
        store.read(|record| tables.add(&plan, plan.number(record.run).unwrap(), &record).unwrap()).unwrap();
        tables.finish().unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let [runs, findings] = ["runs", "findings"].map(|name| size(&format!("{name}.{}", format.name())));
        println!("{}: {seconds:.1} s, {runs} + {findings} MB, {} MB of memory", format.name(), peak());
    }
    match std::env::var_os("WARPRACE_KEEP") {
        Some(_) => println!("the tables stay in {}", root.display()),
        None => fs::remove_dir_all(root).unwrap(),
    }
}
