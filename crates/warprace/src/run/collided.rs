//! Converts the records of self-checking kernels to the findings that all engines share.

use events::access::{Proxy, Strength};
use events::finding::Actor;
use events::task::{HostCall, LaunchInfo, SyncUse, TaskKind};
use events::{
    AccessKind, BlockId, Class, Dim3, Evidence, Finding, Level, Side, Space, StreamId, SyncNote, TaskId,
    TaskInfo, ThreadId,
};
use instrument::collide::KINDS;
use instrument::guard;
use instrument::sink::{First, RECORD, Record};
use names::Engine;
use protocol::{Check, Reported, RunResult, Sink};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

mod compared;

const WARP: u64 = 32;

/// Adds the findings of a process's kernels to its result.
pub(super) fn collect(result: &mut RunResult, folder: &Path) {
    let Some(sink) = result.sink.take() else { return };
    match records(&sink, folder) {
        Ok(records) => {
            for Seen { check, other, in_warp, record } in records {
                let task = TaskId(result.tasks.iter().map(|t| t.id.0 + 1).max().unwrap_or(0));
                if check.call.is_none() && result.sites.get(check.site).is_none() {
                    continue;
                }
                result.tasks.push(match called(&sink, check) {
                    Some(call) => compared::call(task, call),
                    None => launch(task, &function(result, check), record.first),
                });
                let allocation = record.first.filter(|first| !first.shared).and_then(|first| {
                    let holds = |base: u64, bytes: u64| base <= first.address && first.address - base < bytes;
                    sink.allocations.iter().rev().find(|a| holds(a.base, a.bytes)).cloned()
                });
                let finding = match record.first.and_then(|first| Some((first, first.other?)).zip(other)) {
                    Some(((first, earlier), other)) => {
                        let mut tasks = [task; 2];
                        if earlier.apart {
                            tasks[0] = TaskId(task.0 + 1);
                            result.tasks.push(match called(&sink, other) {
                                Some(call) => compared::call(tasks[0], call),
                                None => compared::launch(tasks[0], &function(result, other), earlier),
                            });
                        }
                        let sites = [other, check].map(|check| match called(&sink, check) {
                            Some(call) => call.site,
                            None => Some(check.site),
                        });
                        let calls = [other, check].map(|check| called(&sink, check));
                        compared::finding([other, check], sites, first, earlier, record.count, tasks, calls)
                    }
                    None => finding(check, in_warp, &record, task, called(&sink, check)),
                };
                result.findings.push(Reported {
                    engine: result.replay.as_ref().map(|replay| replay.engine).unwrap_or_default(),
                    finding,
                    allocation,
                    others: Vec::new(),
                    schedules: Vec::new(),
                });
            }
        }
        Err(error) => result.inconclusive.push(format!("what kernels saw cannot be read: {error}")),
    }
    let engine = result.replay.as_ref().map(|replay| replay.engine);
    if matches!(engine, Some(Engine::Guard { .. })) && clock_ended(&sink, folder).unwrap_or(false) {
        let what =
            "kernels released more often than engine guard can count: what came after was not looked at";
        result.inconclusive.push(what.into());
    }
    result.sink = Some(sink);
}

/// Returns the call that a check stands for, if it stands for no instruction.
fn called(sink: &Sink, check: Check) -> Option<&HostCall> {
    sink.calls.get(check.call? as usize)
}

/// Returns the kernel of a check.
fn function(result: &RunResult, check: Check) -> String {
    result.sites.get(check.site).map(|site| site.function.clone()).unwrap_or_default()
}

/// Returns whether engine `guard` has stopped checking.
fn clock_ended(sink: &Sink, folder: &Path) -> std::io::Result<bool> {
    let name = Path::new(&sink.file).file_name().unwrap_or_default();
    let mut file = std::fs::File::open(folder.join(name))?;
    file.seek(SeekFrom::Start(guard::ENDED))?;
    let mut word = [0; 4];
    file.read_exact(&mut word)?;
    Ok(word != [0; 4])
}

/// A record with its checks.
struct Seen {
    check: Check,
    /// The other access's check, if there is one.
    other: Option<Check>,
    /// Whether lanes of one instruction raced.
    in_warp: bool,
    record: Record,
}

fn records(sink: &Sink, folder: &Path) -> std::io::Result<Vec<Seen>> {
    // Only the file name is used, so the result cannot refer to another folder.
    let name = Path::new(&sink.file).file_name().unwrap_or_default();
    let mut file = std::io::BufReader::new(std::fs::File::open(folder.join(name))?);
    let mut out = Vec::new();
    let mut bytes = [0; RECORD as usize];
    for check in &sink.checks {
        for kind in 0..KINDS {
            file.read_exact(&mut bytes)?;
            out.extend(Record::read(&bytes).map(|record| {
                let other = record.first.and_then(|first| first.other);
                let other = other.and_then(|other| sink.checks.get(other.check as usize).copied());
                Seen { check: *check, other, in_warp: kind == 1, record }
            }));
        }
    }
    Ok(out)
}

/// Returns a launch of the kernel with the facts that the record contains.
fn launch(id: TaskId, function: &str, first: Option<First>) -> TaskInfo {
    let extent =
        |of: Option<[u32; 3]>| of.map_or(Dim3::ONE, |[x, y, z]| Dim3::new(x.max(1), y.max(1), z.max(1)));
    let launch = LaunchInfo {
        kernel: function.to_owned(),
        grid: extent(first.map(|f| f.blocks)),
        block: extent(first.map(|f| f.threads)),
        cluster: Dim3::ONE,
        cooperative: false,
        shared_bytes: 0,
        uses: SyncUse::default(),
    };
    TaskInfo {
        id,
        kind: TaskKind::Launch(launch),
        stream: StreamId(0),
        after: Vec::new(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
    }
}

/// Returns the finding for memory that changed. `call` made the access if it is no instruction of a kernel.
fn finding(check: Check, in_warp: bool, record: &Record, task: TaskId, call: Option<&HostCall>) -> Finding {
    let linear = |at: [u32; 3], of: [u32; 3]| {
        let [x, y, z] = at.map(u64::from);
        x + u64::from(of[0]) * (y + u64::from(of[1]) * z)
    };
    let place = record.first.map(|f| (linear(f.block, f.blocks), linear(f.thread, f.threads)));
    let who = |thread: Option<u64>| match (place, thread) {
        (Some((block, _)), Some(thread)) => {
            Actor::Thread { block: BlockId(block as u32), thread: ThreadId(thread as u16) }
        }
        _ => Actor::Unseen,
    };
    let kind = if check.writes { AccessKind::Write } else { AccessKind::Read };
    let own = place.map(|(_, thread)| thread);
    let side = |site, thread, kind| Side {
        site,
        task,
        who: who(thread),
        kind,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: record.first.map_or(0, |f| f.address),
        size: check.size,
    };
    // If lanes raced with each other, a bit mask identifies another one.
    let mate = record.first.filter(|_| in_warp).zip(own).and_then(|(first, own)| {
        let others = first.expected & !(1 << (own % WARP));
        (others != 0).then(|| own / WARP * WARP + u64::from(others.trailing_zeros()))
    });
    let other = if in_warp { Some(check.site) } else { None };
    let own_site = call.map_or(Some(check.site), |call| call.site);
    let mut sides = [side(own_site, own, kind), side(other, mate, AccessKind::Write)];
    if let Some(call) = call {
        sides[0].who = compared::who(call);
    }
    Finding {
        lens: "collide".into(),
        level: Level::Race,
        class: match (in_warp, check.writes) {
            (true, _) => Class::SameInstruction,
            (false, true) => Class::LostUpdate,
            (false, false) => Class::ClobberedRead,
        },
        evidence: Evidence::Observed,
        space: match record.first {
            Some(first) if first.shared => Space::Shared(BlockId(place.map_or(0, |(block, _)| block as u32))),
            _ => Space::Global,
        },
        sides,
        notes: vec![match (in_warp, record.first) {
            (false, Some(first)) => SyncNote::Rule(match call {
                Some(call) => compared::changed(call, check, first),
                None => changed(check, first),
            }),
            _ => SyncNote::Nothing,
        }],
        count: record.count.into(),
    }
}

/// Returns the sentence on why this is a race, with the values that were seen.
fn changed(check: Check, first: First) -> String {
    let digits = 2 * check.size as usize;
    let did = if check.writes { "wrote" } else { "read" };
    format!(
        "the thread {did} 0x{:0digits$x}, and a moment later memory held 0x{:0digits$x}: another thread wrote there, \
         and nothing orders the two, because this thread had synchronised with nobody in between",
        first.expected, first.found
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::SiteId;

    fn first(thread: [u32; 3], expected: u64) -> First {
        First {
            address: 64,
            shared: true,
            thread,
            block: [1, 2, 0],
            threads: [16, 4, 1],
            blocks: [4, 4, 1],
            expected,
            found: 0,
            other: None,
        }
    }

    #[test]
    fn lanes_that_meet_are_both_known() {
        let check = Check { site: SiteId(0), writes: true, size: 4, call: None };
        // Thread 35 of the block is lane 3 of its second warp.
        let record = Record { count: 2, first: Some(first([3, 2, 0], 0b101000)) };
        let found = finding(check, true, &record, TaskId(0), None);
        let thread = |thread| Actor::Thread { block: BlockId(9), thread: ThreadId(thread) };
        assert_eq!(found.sides.map(|s| s.who), [thread(35), thread(37)]);
        assert_eq!(found.class, Class::SameInstruction);
    }

    #[test]
    fn who_changed_a_value_is_unknown() {
        let check = Check { site: SiteId(0), writes: false, size: 2, call: None };
        let record = Record { count: 1, first: Some(first([0, 0, 0], 7)) };
        let found = finding(check, false, &record, TaskId(0), None);
        assert_eq!((found.sides[1].who, found.class), (Actor::Unseen, Class::ClobberedRead));
        assert!(matches!(&found.notes[..], [SyncNote::Rule(text)] if text.contains("0x0007")));
        // The kernel was killed before it had recorded its thread.
        let record = Record { count: 1, first: None };
        assert_eq!(finding(check, false, &record, TaskId(0), None).sides[0].who, Actor::Unseen);
    }

    #[test]
    fn what_changes_beside_a_copy_or_the_host_is_told_of_these() {
        let check = Check { site: SiteId(1), writes: false, size: 4, call: Some(0) };
        let first = First { shared: false, found: 9, ..first([0; 3], 8) };
        let record = Record { count: 1, first: Some(first) };
        let found = |call: &HostCall| finding(check, false, &record, TaskId(0), Some(call));
        let copy = found(&HostCall { api: "cuMemcpyDtoHAsync".into(), site: None });
        let who = copy.sides.map(|side| (side.who, side.site));
        assert_eq!(who, [(Actor::Engine, None), (Actor::Unseen, None)]);
        assert_eq!(copy.class, Class::ClobberedRead);
        assert!(matches!(&copy.notes[..], [SyncNote::Rule(text)] if text.contains("0x00000008")));
        let host = found(&HostCall { api: String::new(), site: Some(SiteId(1)) });
        let who = host.sides.map(|side| (side.who, side.site));
        assert_eq!(who, [(Actor::HostThread(1), Some(SiteId(1))), (Actor::Unseen, None)]);
    }

    #[test]
    fn what_the_host_does_itself_is_the_hosts() {
        let check = |call| Check { site: SiteId(1), writes: false, size: 4, call };
        let other = instrument::sink::Other {
            check: 0,
            block: 2,
            thread: 5,
            writes: true,
            strong: false,
            apart: true,
            overlaps: false,
            overlapped: false,
            own_strong: false,
        };
        let first = First { shared: false, other: Some(other), ..first([0; 3], 0) };
        let found = |call: &HostCall| {
            let tasks = [TaskId(0), TaskId(1)];
            assert_eq!(compared::call(tasks[1], call).call, *call);
            let kind = compared::call(tasks[1], call).kind;
            let checks = [check(None), check(Some(0))];
            let finding = compared::finding(checks, [None; 2], first, other, 3, tasks, [None, Some(call)]);
            (kind, finding.class, finding.sides[1].who, finding.sides[0].who)
        };
        let kernel = Actor::Thread { block: BlockId(2), thread: ThreadId(5) };
        let host = found(&HostCall { api: String::new(), site: Some(SiteId(1)) });
        let segment = TaskKind::HostSegment { thread: 1 };
        assert_eq!(host, (segment, Class::HostDevice, Actor::HostThread(1), kernel));
        let copy = found(&HostCall { api: "cuMemcpyAsync".into(), site: None });
        assert_eq!(copy, (TaskKind::Copy, Class::MemcpyAsync, Actor::Engine, kernel));
    }
}
