//! Findings of the records that kernels have written.

mod pairs;
mod registers;
mod tasks;
mod tensor;

use crate::collide::{Check, KINDS};
use crate::sink::{First, Memory, RECORD, Record};
use events::access::{Proxy, Strength};
use events::finding::Actor;
use events::task::HostCall;
use events::{
    AccessKind, BlockId, Class, Evidence, Finding, Level, Side, SiteId, Space, SyncNote, TaskId, TaskInfo,
    ThreadId,
};
use pairs::Pair;
use std::io::{self, Read};
pub use tasks::Checked;
use tasks::{call, is_host, launch, who};

const WARP: u64 = 32;

/// A record with the numbers of its checks.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub check: usize,
    /// The other access's check, if there is one.
    pub other: Option<usize>,
    /// Whether lanes of one instruction raced.
    in_warp: bool,
    record: Record,
}

/// Reads the records of so many checks.
pub fn read(from: &mut impl Read, checks: usize) -> io::Result<Vec<Written>> {
    let mut out = Vec::new();
    let mut bytes = [0; RECORD as usize];
    for check in 0..checks {
        for kind in 0..KINDS {
            from.read_exact(&mut bytes)?;
            out.extend(Record::read(&bytes).map(|record| {
                let other = record.first.and_then(|first| first.other);
                let other = other.map(|other| other.check as usize).filter(|other| *other < checks);
                Written { check, other, in_warp: kind == 1, record }
            }));
        }
    }
    Ok(out)
}

/// A finding, with the tasks that it refers to.
#[derive(Clone, Debug)]
pub struct Found {
    pub tasks: Vec<TaskInfo>,
    pub finding: Finding,
    /// The address, if it is one of global memory.
    pub address: Option<u64>,
}

impl Written {
    /// Returns the finding of the record. Its tasks are numbered from `task` on; `other` is the check of
    /// [`Written::other`], and `kernel` returns the name of the kernel that contains a site.
    pub fn found(
        &self,
        own: Checked<'_>,
        other: Option<Checked<'_>>,
        task: TaskId,
        kernel: &dyn Fn(SiteId) -> String,
    ) -> Found {
        let first = self.record.first;
        let mut tasks = vec![match own.call {
            Some(by) => call(task, by),
            None => launch(task, &kernel(own.check.site), first),
        }];
        let pair = first.and_then(|first| Some((first, first.other?))).zip(other);
        let finding = match pair {
            Some(((first, earlier), other)) if first.memory == Memory::Register => {
                registers::finding([other, own], (first, earlier), task, self.record.count)
            }
            Some(((first, earlier), other)) if first.memory == Memory::Tensor => {
                tensor::finding([other, own], (first, earlier), task, self.record.count)
            }
            Some(((first, earlier), other)) => {
                let mut ids = [task; 2];
                if earlier.apart {
                    ids[0] = TaskId(task.0 + 1);
                    tasks.push(match other.call {
                        Some(by) => call(ids[0], by),
                        None => pairs::launch(ids[0], &kernel(other.check.site), earlier),
                    });
                }
                let count = self.record.count;
                pairs::finding(&Pair { checks: [other, own], tasks: ids, first, earlier, count })
            }
            None => finding(own, self.in_warp, &self.record, task),
        };
        let address = first.filter(|first| first.memory == Memory::Global).map(|first| first.address);
        Found { tasks, finding, address }
    }
}

/// Returns the finding for memory that changed.
fn finding(own: Checked<'_>, in_warp: bool, record: &Record, task: TaskId) -> Finding {
    let Checked { check, call, .. } = own;
    let place = record.first.map(|first| tasks::place(&first));
    let actor = |thread: Option<u64>| match (place, thread) {
        (Some((block, _)), Some(thread)) => {
            Actor::Thread { block: BlockId(block as u32), thread: ThreadId(thread as u16) }
        }
        _ => Actor::Unseen,
    };
    let kind = if check.writes { AccessKind::Write } else { AccessKind::Read };
    let thread = place.map(|(_, thread)| thread);
    let side = |site, thread, kind| Side {
        site,
        task,
        who: actor(thread),
        kind,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: record.first.map_or(0, |f| f.address),
        size: check.size,
    };
    // If lanes raced with each other, a bit mask identifies another one.
    let mate = record.first.filter(|_| in_warp).zip(thread).and_then(|(first, own)| {
        let others = first.expected & !(1 << (own % WARP));
        (others != 0).then(|| own / WARP * WARP + u64::from(others.trailing_zeros()))
    });
    let other = if in_warp { Some(check.site) } else { None };
    let mut sides = [side(own.site(), thread, kind), side(other, mate, AccessKind::Write)];
    if let Some(call) = call {
        sides[0].who = who(call);
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
            Some(first) if first.memory == Memory::Shared => {
                Space::Shared(BlockId(place.map_or(0, |(block, _)| block as u32)))
            }
            _ => Space::Global,
        },
        sides,
        notes: vec![match (in_warp, record.first) {
            (false, Some(first)) => SyncNote::Rule(match call {
                Some(call) => changed_beside(call, check, first),
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

/// Returns the sentence on why a change of memory beside such an access is a race, with the values that were
/// seen.
fn changed_beside(call: &HostCall, check: Check, first: First) -> String {
    let digits = 2 * check.size.min(8) as usize;
    let values = format!("0x{:0digits$x}, and a moment later 0x{:0digits$x}", first.expected, first.found);
    match is_host(call) {
        true => format!(
            "behind the host's access memory held {values}: a kernel or a copy wrote there that the host had not waited for"
        ),
        false => format!(
            "where `{}` was about to {} memory held {values}: somebody wrote there whom neither streams, events nor the host \
             order before the call or behind it",
            call.api,
            if check.writes { "write" } else { "read" },
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::task::TaskKind;

    fn checked(site: u32, writes: bool, size: u32, call: Option<&HostCall>) -> Checked<'_> {
        Checked { check: Check::own(SiteId(site), writes, size), call, maybe: false }
    }

    fn first(thread: [u32; 3], expected: u64) -> First {
        First {
            address: 64,
            memory: Memory::Shared,
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
        let check = checked(0, true, 4, None);
        // Thread 35 of the block is lane 3 of its second warp.
        let record = Record { count: 2, first: Some(first([3, 2, 0], 0b101000)) };
        let found = finding(check, true, &record, TaskId(0));
        let thread = |thread| Actor::Thread { block: BlockId(9), thread: ThreadId(thread) };
        assert_eq!(found.sides.map(|s| s.who), [thread(35), thread(37)]);
        assert_eq!(found.class, Class::SameInstruction);
    }

    #[test]
    fn who_changed_a_value_is_unknown() {
        let check = checked(0, false, 2, None);
        let record = Record { count: 1, first: Some(first([0, 0, 0], 7)) };
        let found = finding(check, false, &record, TaskId(0));
        assert_eq!((found.sides[1].who, found.class), (Actor::Unseen, Class::ClobberedRead));
        assert!(matches!(&found.notes[..], [SyncNote::Rule(text)] if text.contains("0x0007")));
        // The kernel was killed before it had recorded its thread.
        let record = Record { count: 1, first: None };
        assert_eq!(finding(check, false, &record, TaskId(0)).sides[0].who, Actor::Unseen);
    }

    #[test]
    fn what_changes_beside_a_copy_or_the_host_is_told_of_these() {
        let first = First { memory: Memory::Global, found: 9, ..first([0; 3], 8) };
        let record = Record { count: 1, first: Some(first) };
        let found = |call: &HostCall| finding(checked(1, false, 4, Some(call)), false, &record, TaskId(0));
        let copy = found(&HostCall { api: "cuMemcpyDtoHAsync".into(), site: None, within: None });
        let who = copy.sides.map(|side| (side.who, side.site));
        assert_eq!(who, [(Actor::Engine, None), (Actor::Unseen, None)]);
        assert_eq!(copy.class, Class::ClobberedRead);
        assert!(matches!(&copy.notes[..], [SyncNote::Rule(text)] if text.contains("0x00000008")));
        let host = found(&HostCall { api: String::new(), site: Some(SiteId(1)), within: None });
        let who = host.sides.map(|side| (side.who, side.site));
        assert_eq!(who, [(Actor::HostThread(1), Some(SiteId(1))), (Actor::Unseen, None)]);
    }

    /// An access of thread 5 of block 2 in another launch.
    pub(super) const ELSEWHERE: crate::sink::Other = crate::sink::Other {
        check: 0,
        block: 2,
        thread: 5,
        writes: true,
        strong: false,
        apart: true,
        overlaps: false,
        overlapped: false,
        elsewhere: false,
        own_strong: false,
        unkept: false,
    };

    #[test]
    fn a_possible_access_of_machine_code_makes_a_hazard() {
        let first = First { memory: Memory::Global, other: Some(ELSEWHERE), ..first([0; 3], 0) };
        let gemm = HostCall { api: "gemm of cuBLAS".into(), site: Some(SiteId(2)), within: None };
        let copy = HostCall { api: "cuMemcpyAsync".into(), site: None, within: None };
        let possible = Checked { maybe: true, ..checked(2, false, 4, Some(&gemm)) };
        let found = |other| {
            let tasks = [TaskId(0), TaskId(1)];
            pairs::finding(&Pair { checks: [other, possible], tasks, first, earlier: ELSEWHERE, count: 1 })
        };
        let kernel = found(checked(1, true, 4, None));
        assert_eq!((kernel.level, kernel.class), (Level::Hazard, Class::InterKernel));
        assert_eq!((kernel.sides[1].who, kernel.sides[1].site), (Actor::Engine, Some(SiteId(2))));
        assert!(matches!(&kernel.notes[..], [SyncNote::Rule(text)] if text.contains("not observed")));
        let copied = found(checked(1, true, 4, Some(&copy)));
        assert_eq!((copied.level, copied.class), (Level::Hazard, Class::MemcpyAsync));
    }

    #[test]
    fn races_of_asynchronous_operations_are_named_by_their_proxies() {
        let found = |other: Check, own: Check, unkept| {
            let earlier = crate::sink::Other { apart: false, unkept, ..ELSEWHERE };
            let first = First { other: Some(earlier), ..first([0; 3], 0) };
            let checks = [other, own].map(|check| Checked { check, call: None, maybe: false });
            let tasks = [TaskId(0), TaskId(0)];
            pairs::finding(&Pair { checks, tasks, first, earlier, count: 1 })
        };
        let (writes, reads) = (Check::own(SiteId(1), true, 4), Check::own(SiteId(2), false, 4));
        let load = Check::of_operation(SiteId(3), true, 16, Proxy::Async);
        let store = Check::of_operation(SiteId(4), false, 16, Proxy::Async);
        let early = found(load, reads, false);
        assert_eq!((early.class, &early.notes[..]), (Class::AsyncCopy, &[SyncNote::NotWaited][..]));
        assert!(matches!(early.sides[0].kind, AccessKind::AsyncWrite { .. }));
        let refilled = found(reads, load, false);
        assert_eq!((refilled.class, &refilled.notes[..]), (Class::AsyncCopy, &[SyncNote::BegunTooEarly][..]));
        let unfenced = found(writes, store, true);
        let missing = SyncNote::ProxyFenceMissing { from: Proxy::Generic, to: Proxy::Async };
        assert_eq!((unfenced.class, &unfenced.notes[..]), (Class::Proxy, &[missing][..]));
        assert_eq!(found(writes, reads, true).sides[1].proxy, Proxy::Texture, "a fetch");
    }

    #[test]
    fn what_the_host_does_itself_is_the_hosts() {
        let other = ELSEWHERE;
        let first = First { memory: Memory::Global, other: Some(other), ..first([0; 3], 0) };
        let found = |by: &HostCall| {
            let tasks = [TaskId(0), TaskId(1)];
            assert_eq!(call(tasks[1], by).call, *by);
            let kind = call(tasks[1], by).kind;
            let checks = [checked(1, false, 4, None), checked(1, false, 4, Some(by))];
            let finding = pairs::finding(&Pair { checks, tasks, first, earlier: other, count: 3 });
            (kind, finding.class, finding.sides[1].who, finding.sides[0].who)
        };
        let kernel = Actor::Thread { block: BlockId(2), thread: ThreadId(5) };
        let host = found(&HostCall { api: String::new(), site: Some(SiteId(1)), within: None });
        let segment = TaskKind::HostSegment { thread: 1 };
        assert_eq!(host, (segment, Class::HostDevice, Actor::HostThread(1), kernel));
        let copy = found(&HostCall { api: "cuMemcpyAsync".into(), site: None, within: None });
        assert_eq!(copy, (TaskKind::Copy, Class::MemcpyAsync, Actor::Engine, kernel));
    }
}
