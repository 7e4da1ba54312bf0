//! Whether two campaigns have the same results, finding for finding.

use crate::shell::{Outcome, read};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Fields that depend on clocks.
const CLOCKS: [&str; 4] = ["milliseconds", "first_at", "ns", "kernel_ns"];

pub(super) fn same(one: &Path, other: &Path, runs: u64) -> Outcome {
    let [a, b] = [report(one)?, report(other)?];
    if a != b {
        return Err(format!("the reports in {} and {} differ", one.display(), other.display()));
    }
    let [a, b] = [rows(one, "findings")?, rows(other, "findings")?];
    if a != b {
        return Err("the tables of findings differ".into());
    }
    // Everything but times and machines, which are the columns from `milliseconds` to `host`.
    let plain = |row: &String| {
        let mut columns: Vec<&str> = row.split(',').collect();
        columns.drain(12..15);
        columns.join(",")
    };
    let [a, b] = [rows(one, "runs")?, rows(other, "runs")?];
    let numbers: BTreeSet<&str> = b.iter().filter_map(|row| row.split(',').next()).collect();
    if a.iter().map(plain).ne(b.iter().map(plain)) || numbers.len() != b.len() || (b.len() as u64) < runs {
        return Err("the tables of runs differ, or a run is missing or there twice".into());
    }
    eprintln!("    {} runs, {} findings of runs: the same", b.len(), rows(one, "findings")?.len());
    Ok(())
}

fn report(folder: &Path) -> Outcome<Value> {
    file(&folder.join("report.json"))
}

/// Reads a report, without what depends on clocks.
pub(super) fn file(path: &Path) -> Outcome<Value> {
    let text = read(path)?;
    let mut value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    timeless(&mut value);
    Ok(value)
}

fn timeless(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(timeless),
        Value::Object(map) => {
            CLOCKS.iter().for_each(|key| drop(map.remove(*key)));
            map.values_mut().for_each(timeless);
        }
        _ => {}
    }
}

/// Returns the rows of a table, sorted, without its header.
fn rows(folder: &Path, name: &str) -> Outcome<Vec<String>> {
    let text = read(&folder.join(format!("{name}.csv")))?;
    let mut rows: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    rows.sort();
    Ok(rows)
}
