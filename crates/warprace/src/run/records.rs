//! Reads the records of self-checking kernels, which the library leaves in a file, and adds their findings to the result.

use instrument::findings::{self, Checked, Written};
use instrument::guard;
use names::Engine;
use protocol::{Check, Reported, RunResult, Sink};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Adds the findings of a process's kernels to its result.
pub(super) fn collect(result: &mut RunResult, folder: &Path) {
    let Some(sink) = result.sink.take() else { return };
    match open(&sink, folder).and_then(|file| findings::read(&mut BufReader::new(file), sink.checks.len())) {
        Ok(records) => records.iter().for_each(|record| add(result, &sink, record)),
        Err(error) => result.inconclusive.push(format!("what kernels saw cannot be read: {error}")),
    }
    let engine = result.replay.as_ref().map(|replay| replay.engine);
    let ended = || open(&sink, folder).and_then(|mut file| guard::clock_ended(&mut file)).unwrap_or(false);
    if matches!(engine, Some(Engine::Guard { .. })) && ended() {
        let what =
            "one launch released more often than engine guard can count: a part of it was not looked at";
        result.inconclusive.push(what.into());
    }
    result.sink = Some(sink);
}

/// Adds the finding of one record to the result.
fn add(result: &mut RunResult, sink: &Sink, record: &Written) {
    let check = sink.checks[record.check];
    if check.call.is_none() && result.sites.get(check.site).is_none() {
        return;
    }
    let checked = |check: Check| Checked {
        check: instrument::collide::Check {
            site: check.site,
            writes: check.writes,
            size: check.size,
            asynchronous: check.asynchronous,
        },
        call: check.call.and_then(|call| sink.calls.get(call as usize)),
        maybe: check.maybe,
    };
    let other = record.other.map(|other| checked(sink.checks[other]));
    let task = events::TaskId(result.tasks.iter().map(|t| t.id.0 + 1).max().unwrap_or(0));
    let kernel = |site| result.sites.get(site).map(|site| site.function.clone()).unwrap_or_default();
    let found = record.found(checked(check), other, task, &kernel);
    let allocation = found.address.and_then(|address| {
        let holds = |base: u64, bytes: u64| base <= address && address - base < bytes;
        sink.allocations.iter().rev().find(|a| holds(a.base, a.bytes)).cloned()
    });
    result.tasks.extend(found.tasks);
    result.findings.push(Reported {
        engine: result.replay.as_ref().map(|replay| replay.engine).unwrap_or_default(),
        finding: found.finding,
        allocation,
        others: Vec::new(),
        tensor: None,
        schedules: Vec::new(),
    });
}

/// Opens the file of records. Only its name is used, so that the result cannot refer to another folder.
fn open(sink: &Sink, folder: &Path) -> io::Result<File> {
    File::open(folder.join(Path::new(&sink.file).file_name().unwrap_or_default()))
}
