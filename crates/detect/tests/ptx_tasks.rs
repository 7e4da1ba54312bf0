//! Races between kernels, copies and the host.
//!
//! **Size:** short scripts of one subject, which share their helpers.

use crate::script;

use detect::ptx::PtxMonitor;
use events::RangeAccess;
use events::task::{AllocKind, HostCall};
use events::{
    AccessKind, Allocation, Class, Finding, Listener, Observer, Overlap, Proxy, Scope, Sem, SiteId, StreamId,
    Strength, Sync, SyncNote, TaskId, TaskInfo, TaskKind, Tell,
};
use script::{Script, T, all_uses, launch};

const X: u64 = 0x1000;
const FLAG: u64 = 0x9000;
const HOST: StreamId = StreamId(100);

fn host(id: u32, after: &[u32]) -> TaskInfo {
    TaskInfo {
        id: TaskId(id),
        kind: TaskKind::HostSegment { thread: 0 },
        stream: HOST,
        after: after.iter().map(|t| TaskId(*t)).collect(),
        call: HostCall::default(),
        device: 0,
        overlap: None,
        launcher: None,
    }
}

fn kernel(id: u32, stream: u32, after: &[u32]) -> TaskInfo {
    let after = after.iter().map(|t| TaskId(*t)).collect();
    TaskInfo { stream: StreamId(stream), after, ..launch(id, 2, 32, 1, all_uses()) }
}

fn copy(id: u32, stream: u32, after: &[u32]) -> TaskInfo {
    TaskInfo { kind: TaskKind::Copy, ..kernel(id, stream, after) }
}

fn write_range(monitor: &PtxMonitor, task: u32, address: u64, bytes: u64, write: bool) {
    monitor.range(&RangeAccess { task: TaskId(task), site: Some(SiteId(900 + task)), address, bytes, write });
}

/// Runs a kernel of one coalesced access.
fn run(monitor: &PtxMonitor, info: &TaskInfo, site: u32, kind: AccessKind, strength: Strength, address: u64) {
    let mut s = Script::on(monitor, info);
    let threads: Vec<(T, u64)> = (0..32).map(|l| (T(0, l), address + 4 * u64::from(l))).collect();
    s.access(SiteId(site), &threads, kind, strength, Proxy::Generic, (4, 1));
    s.finish();
}

fn classes(monitor: &PtxMonitor) -> Vec<Class> {
    monitor.findings().iter().map(|f| f.class).collect()
}

const WEAK: Strength = Strength::Weak;
const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;

#[test]
fn kernels_of_two_streams() {
    for (after, expected) in [(&[1][..], vec![Class::InterKernel]), (&[1, 2], vec![])] {
        let monitor = PtxMonitor::default();
        monitor.task_start(&host(1, &[]));
        run(&monitor, &kernel(2, 0, &[1]), 7, WRITE, WEAK, X);
        run(&monitor, &kernel(3, 1, after), 8, READ, WEAK, X);
        let found = monitor.findings();
        assert_eq!(found.iter().map(|f| f.class).collect::<Vec<_>>(), expected);
        assert!(found.iter().all(|f| f.count == 32), "{found:#?}");
    }
}

#[test]
fn neighbours_in_memory_are_no_race() {
    let monitor = PtxMonitor::default();
    run(&monitor, &kernel(2, 0, &[]), 7, WRITE, WEAK, X);
    run(&monitor, &kernel(3, 1, &[]), 8, WRITE, WEAK, X + 128);
    assert!(classes(&monitor).is_empty());
}

#[test]
fn an_earlier_kernel_of_the_stream_is_not_forgotten() {
    let monitor = PtxMonitor::default();
    run(&monitor, &kernel(2, 0, &[]), 7, WRITE, WEAK, X);
    run(&monitor, &kernel(3, 0, &[2]), 8, READ, WEAK, X + 64);
    // After 2 by an event, but not after 3.
    run(&monitor, &kernel(4, 1, &[2]), 9, WRITE, WEAK, X + 64);
    let found = monitor.findings();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].sides[0].site, Some(SiteId(8)));
}

#[test]
fn the_host_reads_too_early() {
    let monitor = PtxMonitor::default();
    monitor.task_start(&host(1, &[]));
    run(&monitor, &kernel(2, 0, &[1]), 7, WRITE, WEAK, X);
    monitor.task_end(TaskId(1));
    monitor.task_start(&host(3, &[1]));
    write_range(&monitor, 3, X + 4, 4, false);
    assert!(classes(&monitor).is_empty(), "the host's segment has not ended");
    monitor.task_end(TaskId(3));
    assert_eq!(classes(&monitor), [Class::HostDevice]);
    monitor.task_start(&host(4, &[3, 2]));
    write_range(&monitor, 4, X, 128, false);
    monitor.task_end(TaskId(4));
    assert!(classes(&monitor).is_empty());
}

/// The host runs beside the GPU: a report that told who was first would change from run to run.
#[test]
fn the_host_is_told_first_whoever_was() {
    let told = |kernel_first: bool| {
        let monitor = PtxMonitor::default();
        let launch = kernel(2, 0, &[]);
        monitor.task_start(&host(3, &[]));
        if kernel_first {
            run(&monitor, &launch, 7, WRITE, WEAK, X);
        }
        write_range(&monitor, 3, X + 4, 4, false);
        monitor.task_end(TaskId(3));
        if !kernel_first {
            run(&monitor, &launch, 7, WRITE, WEAK, X);
        }
        monitor.findings().iter().map(|f| f.sides.clone().map(|side| side.site)).collect::<Vec<_>>()
    };
    assert_eq!(told(true), [[Some(SiteId(903)), Some(SiteId(7))]]);
    assert_eq!(told(false), told(true));
}

/// A kernel that has not ended when the host reads its message is heard of behind the host (`system-fence.race` told its two
/// sides the other way round once in some hundred runs).
#[test]
fn a_message_is_told_from_its_sender_whoever_was_heard_of_first() {
    let told = |host_first: bool| {
        let monitor = PtxMonitor::default();
        let receive = || {
            write_range(&monitor, 3, FLAG, 4, false);
            write_range(&monitor, 3, X, 4, false);
            monitor.task_end(TaskId(3));
        };
        monitor.task_start(&host(3, &[]));
        if host_first {
            receive();
        }
        let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
        s.write(T(0, 0), X);
        s.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        s.store(T(0, 0), FLAG, Sem::Relaxed, Scope::Sys);
        s.finish();
        if !host_first {
            receive();
        }
        let of_message = |f: &&Finding| f.sides.iter().all(|side| side.address < FLAG);
        monitor
            .findings()
            .iter()
            .filter(of_message)
            .map(|f| (f.class, f.sides.clone().map(|s| s.kind)))
            .collect::<Vec<_>>()
    };
    let expected: Vec<(Class, [AccessKind; 2])> = vec![(Class::FenceScope, [WRITE, READ])];
    assert_eq!(told(false), expected);
    assert_eq!(told(true), expected);
}

#[test]
fn copies_in_flight() {
    let monitor = PtxMonitor::default();
    monitor.task_start(&copy(2, 0, &[]));
    write_range(&monitor, 2, X, 0x3000, true);
    monitor.task_end(TaskId(2));
    run(&monitor, &kernel(3, 1, &[]), 8, READ, WEAK, X + 0x2000);
    assert_eq!(classes(&monitor), [Class::MemcpyAsync]);
}

#[test]
fn atomics_of_kernels_that_run_together() {
    let atomic = AccessKind::Atomic { op: events::AtomicOp::Add, returns: false };
    let gpu = script::strong(Sem::Relaxed, Scope::Gpu);
    for (device, expected) in [(0, vec![]), (1, vec![Class::MultiGpu])] {
        let monitor = PtxMonitor::default();
        run(&monitor, &kernel(2, 0, &[]), 7, atomic, gpu, X);
        run(&monitor, &TaskInfo { device, ..kernel(3, 1, &[]) }, 7, atomic, gpu, X);
        assert_eq!(classes(&monitor), expected);
    }
}

#[test]
fn tasks_that_talk_are_not_judged() {
    for (scope, clean) in [(Scope::Gpu, true), (Scope::Cta, false)] {
        let monitor = PtxMonitor::default();
        let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
        s.write(T(0, 0), X);
        s.fence(T(0, 0), Sem::AcqRel, scope);
        s.store(T(0, 0), FLAG, Sem::Relaxed, Scope::Gpu);
        s.finish();
        let mut s = Script::on(&monitor, &kernel(3, 1, &[]));
        s.load(T(0, 0), FLAG, Sem::Relaxed, Scope::Gpu);
        s.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        s.read(T(0, 0), X);
        s.finish();
        let found = classes(&monitor);
        assert_eq!(found.is_empty(), clean);
        assert_eq!(monitor.account().limits.is_empty(), !clean);
        if !clean {
            assert_eq!(found, [Class::FenceScope]);
        }
    }
}

/// A message orders the tasks before its sender before the tasks after its receiver, however many kernels hand it on.
#[test]
fn a_message_orders_what_is_before_its_sender_and_after_its_receiver() {
    let signals = |s: &mut Script<'_>, flag: u64| {
        s.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        s.store(T(0, 0), flag, Sem::Relaxed, Scope::Gpu);
    };
    let waits = |s: &mut Script<'_>, flag: u64| {
        s.load(T(0, 0), flag, Sem::Relaxed, Scope::Gpu);
        s.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
    };
    // The kernel that writes is before the one that signals, or after it; a third stream hands the message on, or not.
    for (is_before, relayed) in [(true, false), (true, true), (false, false), (false, true)] {
        let monitor = PtxMonitor::default();
        let [writes, signal] = if is_before { [2, 3] } else { [3, 2] };
        let mut first = Script::on(&monitor, &kernel(2, 0, &[]));
        if writes == 2 {
            first.write(T(0, 0), X)
        } else {
            signals(&mut first, FLAG)
        }
        first.finish();
        let mut second = Script::on(&monitor, &kernel(3, 0, &[2]));
        if signal == 3 {
            signals(&mut second, FLAG)
        } else {
            second.write(T(0, 0), X)
        }
        second.finish();
        if relayed {
            let mut relay = Script::on(&monitor, &kernel(4, 2, &[]));
            waits(&mut relay, FLAG);
            signals(&mut relay, FLAG + 64);
            relay.finish();
        }
        let mut receiver = Script::on(&monitor, &kernel(5, 1, &[]));
        waits(&mut receiver, if relayed { FLAG + 64 } else { FLAG });
        receiver.finish();
        let mut reader = Script::on(&monitor, &kernel(6, 1, &[5]));
        reader.read(T(0, 0), X);
        reader.finish();
        let expected: &[Class] = if is_before { &[] } else { &[Class::InterKernel] };
        assert_eq!(classes(&monitor), expected, "{is_before} {relayed}");
        assert_eq!(monitor.account().limits.is_empty(), !is_before);
    }
}

/// Whether a kernel that goes on has released anything is known when it ends.
#[test]
fn what_a_running_kernel_may_have_ordered_is_judged_when_it_has_ended() {
    for fences in [true, false] {
        let monitor = PtxMonitor::default();
        let mut sender = Script::on(&monitor, &kernel(2, 0, &[]));
        sender.write(T(0, 0), X);
        if fences {
            sender.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        }
        sender.store(T(0, 0), FLAG, Sem::Relaxed, Scope::Gpu);
        let mut receiver = Script::on(&monitor, &kernel(3, 1, &[]));
        receiver.load(T(0, 0), FLAG, Sem::Relaxed, Scope::Gpu);
        receiver.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        receiver.finish();
        run(&monitor, &kernel(4, 1, &[3]), 7, READ, WEAK, X);
        assert!(classes(&monitor).is_empty());
        sender.finish();
        assert_eq!(classes(&monitor).is_empty(), fences);
    }
}

/// Accesses of two kernels were neither reported nor named by a limit if a third one, which never ended, may have
/// handed a message on from the one to the other.
#[test]
fn what_a_running_kernel_may_have_handed_on_is_a_limit_until_it_has_ended() {
    for fences in [true, false] {
        let monitor = PtxMonitor::default();
        let mut writer = Script::on(&monitor, &kernel(2, 0, &[]));
        writer.write(T(0, 0), X);
        writer.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        writer.store(T(0, 0), FLAG, Sem::Relaxed, Scope::Gpu);
        writer.finish();
        let mut relay = Script::on(&monitor, &kernel(3, 1, &[]));
        relay.load(T(0, 0), FLAG, Sem::Relaxed, Scope::Gpu);
        if fences {
            relay.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        }
        relay.store(T(0, 0), FLAG + 64, Sem::Relaxed, Scope::Gpu);
        let mut receiver = Script::on(&monitor, &kernel(4, 2, &[]));
        receiver.load(T(0, 0), FLAG + 64, Sem::Relaxed, Scope::Gpu);
        receiver.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
        receiver.finish();
        run(&monitor, &kernel(5, 2, &[4]), 7, READ, WEAK, X);
        let undecided = || monitor.account().limits.iter().any(|limit| limit.contains("had not ended"));
        let found = classes(&monitor);
        assert!(found.is_empty() && undecided(), "{found:?} {:?}", monitor.account().limits);
        relay.finish();
        assert_eq!(classes(&monitor).is_empty(), fences);
        assert!(!undecided());
    }
}

#[test]
fn freed_memory_has_no_past() {
    let monitor = PtxMonitor::default();
    run(&monitor, &kernel(2, 0, &[]), 7, WRITE, WEAK, X);
    monitor.free(X, 64);
    monitor.alloc(&Allocation {
        base: X,
        bytes: 64,
        kind: AllocKind::Device,
        name: None,
        call: HostCall::default(),
        device: 0,
    });
    run(&monitor, &kernel(3, 1, &[]), 8, READ, WEAK, X - 64);
    assert!(classes(&monitor).is_empty());
    run(&monitor, &kernel(4, 2, &[]), 9, READ, WEAK, X + 64);
    assert_eq!(classes(&monitor).len(), 1);
}

#[test]
fn settled_footprints_are_dropped() {
    let monitor = PtxMonitor::default();
    let mut id = 1;
    monitor.task_start(&host(id, &[]));
    for round in 0..200u32 {
        let segment = id;
        id += 1;
        run(&monitor, &kernel(id, 0, &[segment]), 7, WRITE, WEAK, X + u64::from(round) * 0x1000);
        monitor.task_end(TaskId(segment));
        monitor.task_start(&host(id + 1, &[segment, id]));
        id += 1;
    }
    let held = monitor.account().footprint.shadow_bytes;
    assert!(held < 40 * 200, "{held} bytes");
}

/// A race of tasks was lost once many later tasks had ended before findings were asked for.
#[test]
fn a_race_of_tasks_that_are_settled_is_reported() {
    let monitor = PtxMonitor::default();
    monitor.task_start(&host(1, &[]));
    run(&monitor, &kernel(2, 0, &[1]), 7, WRITE, WEAK, X);
    run(&monitor, &kernel(3, 1, &[1]), 8, READ, WEAK, X);
    let (mut segment, mut before) = (1, vec![1, 2, 3]);
    for round in 0..100 {
        monitor.task_end(TaskId(segment));
        segment = 4 + 2 * round;
        monitor.task_start(&host(segment, &before));
        run(&monitor, &kernel(segment + 1, 0, &[segment]), 9, WRITE, WEAK, X);
        before = vec![segment, segment + 1];
    }
    assert_eq!(classes(&monitor), [Class::InterKernel]);
}

#[test]
fn the_cap_is_told() {
    let options = detect::ptx::PtxOptions { max_shadow_bytes: Some(1 << 14), ..Default::default() };
    let monitor = PtxMonitor::new(options);
    let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
    for page in 0..100 {
        s.write(T(0, 0), page * 4096);
    }
    assert!(monitor.account().footprint.shadow_bytes < 1 << 16);
    assert_eq!(monitor.account().limits.len(), 1);
}

#[test]
fn two_launches_at_once_are_kept_apart() {
    let monitor = PtxMonitor::default();
    let (a, b) = (kernel(2, 0, &[]), kernel(3, 1, &[]));
    monitor.task_start(&a);
    monitor.task_start(&b);
    let mut s = Script::on(&monitor, &a);
    s.write(T(0, 0), X);
    s.task = TaskId(3);
    s.write(T(0, 1), X + 4);
    s.task = TaskId(2);
    let block = events::BlockId(0);
    let members = events::BarrierMembers::WholeBlock;
    let id = events::BarrierId::Cta(0);
    events::Observer::sync(
        &mut s.ear.observer,
        &Sync::BarrierComplete { task: TaskId(2), block, id, members },
    );
    s.read(T(0, 5), X);
    s.task = TaskId(3);
    s.read(T(0, 1), X + 4);
    assert!(classes(&monitor).is_empty());
}

/// A kernel that may begin before `with` has ended, behind `before`, by stream 0.
fn dependent(id: u32, with: u32, before: &[u32]) -> TaskInfo {
    let after = before.iter().map(|t| TaskId(*t)).collect();
    let overlap = Overlap { with: vec![TaskId(with)], begun: Vec::new(), after };
    TaskInfo { overlap: Some(overlap), ..kernel(id, 0, &[with]) }
}

/// `griddepcontrol` by some lanes of warp 0 of a block.
fn grid(s: &mut Script<'_>, block: u32, lanes: u32, wait: bool) {
    let warp = s.warp(T(block, 0));
    s.ear.observer.sync(&Sync::GridDependency { warp, site: SiteId(500), lanes, wait });
}

fn first(s: &mut Script<'_>, site: u32, kind: AccessKind, (block, lane): (u32, u16), address: u64) {
    s.access(SiteId(site), &[(T(block, lane), address)], kind, WEAK, Proxy::Generic, (4, 1));
}

/// The sites of a race with `griddepcontrol.wait` missing before the second.
fn unwaited(monitor: &PtxMonitor) -> Vec<(u32, u32)> {
    let found = monitor.findings();
    assert!(found.iter().all(|f| f.class == Class::InterKernel && f.notes == [SyncNote::BeforeGridWait]));
    assert!(found.iter().all(|f| f.sides[0].task < f.sides[1].task));
    let mut sites: Vec<_> =
        found.iter().map(|f| (f.sides[0].site.unwrap().0, f.sides[1].site.unwrap().0)).collect();
    sites.sort_unstable();
    sites
}

#[test]
fn a_dependent_launch_races_before_its_wait_only() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
    first(&mut s, 1, WRITE, (0, 0), X);
    first(&mut s, 2, READ, (0, 0), X + 64);
    s.finish();
    let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
    first(&mut s, 3, READ, (0, 5), X);
    first(&mut s, 4, WRITE, (0, 5), X + 64);
    grid(&mut s, 0, 1 << 5, true);
    first(&mut s, 5, READ, (0, 5), X);
    first(&mut s, 6, WRITE, (0, 5), X + 64);
    // Another thread, which has not waited.
    first(&mut s, 7, READ, (0, 6), X);
    s.finish();
    assert_eq!(unwaited(&monitor), [(1, 3), (1, 7), (2, 4)]);
}

#[test]
fn who_knows_of_a_wait_has_waited() {
    let monitor = PtxMonitor::default();
    run(&monitor, &kernel(2, 0, &[]), 1, WRITE, WEAK, X);
    let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
    grid(&mut s, 0, 1, true);
    s.syncwarp(T(0, 0), 3);
    first(&mut s, 2, READ, (0, 1), X);
    // Lane 2 was not there, and block 1 knows nothing.
    first(&mut s, 3, READ, (0, 2), X);
    first(&mut s, 4, READ, (1, 0), X);
    s.finish();
    assert_eq!(unwaited(&monitor), [(1, 3), (1, 4)]);
}

#[test]
fn what_was_released_before_the_trigger_is_ordered() {
    for (scope, expected) in [(Scope::Gpu, vec![(2, 4)]), (Scope::Cta, vec![(1, 3), (2, 4)])] {
        let monitor = PtxMonitor::default();
        let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
        first(&mut s, 1, WRITE, (0, 0), X);
        s.fence(T(0, 0), Sem::AcqRel, scope);
        first(&mut s, 2, WRITE, (0, 0), X + 64);
        grid(&mut s, 0, 1, false);
        s.finish();
        let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
        first(&mut s, 3, READ, (0, 0), X);
        first(&mut s, 4, READ, (0, 0), X + 64);
        s.finish();
        assert_eq!(unwaited(&monitor), expected);
    }
}

#[test]
fn only_the_first_trigger_of_a_block_counts() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
    grid(&mut s, 0, 1, false);
    first(&mut s, 1, WRITE, (0, 0), X);
    s.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
    grid(&mut s, 0, 1, false);
    s.finish();
    let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
    first(&mut s, 3, READ, (0, 0), X);
    s.finish();
    assert_eq!(unwaited(&monitor), [(1, 3)]);
}

#[test]
fn a_chain_of_dependent_launches() {
    // The third may begin while the first runs, unless the second has waited before it lets it.
    for (waits_first, expected) in [(false, vec![(1, 4), (2, 4)]), (true, vec![(2, 4)])] {
        let monitor = PtxMonitor::default();
        let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
        first(&mut s, 1, WRITE, (0, 0), X);
        s.finish();
        let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
        for wait in [waits_first, !waits_first] {
            grid(&mut s, 0, 1, wait);
        }
        first(&mut s, 2, WRITE, (0, 0), X);
        s.finish();
        let mut s = Script::on(&monitor, &dependent(4, 3, &[]));
        first(&mut s, 4, READ, (0, 0), X);
        grid(&mut s, 0, 1, true);
        first(&mut s, 5, READ, (0, 0), X);
        s.finish();
        assert_eq!(unwaited(&monitor), expected);
    }
}

#[test]
fn fences_before_a_barrier_before_the_trigger_release() {
    for (fenced, expected) in [(true, vec![]), (false, vec![(1, 3)])] {
        let monitor = PtxMonitor::default();
        let mut s = Script::on(&monitor, &two_warps(2));
        first(&mut s, 1, WRITE, (0, 40), X);
        if fenced {
            s.fence(T(0, 40), Sem::Sc, Scope::Gpu);
        }
        s.fence(T(0, 0), Sem::Sc, Scope::Gpu);
        s.barrier(0);
        // A later fence of the writer does not take the earlier one's effect.
        s.fence(T(0, 40), Sem::Sc, Scope::Gpu);
        grid(&mut s, 0, 1, false);
        s.finish();
        let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
        first(&mut s, 3, READ, (0, 0), X);
        s.finish();
        assert_eq!(unwaited(&monitor), expected);
    }
}

#[test]
fn a_fence_after_a_barrier_releases_what_the_block_did() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &two_warps(2));
    first(&mut s, 1, WRITE, (0, 40), X);
    s.barrier(0);
    s.fence(T(0, 0), Sem::Sc, Scope::Gpu);
    grid(&mut s, 0, 1, false);
    s.finish();
    let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
    first(&mut s, 3, READ, (0, 0), X);
    s.finish();
    assert!(unwaited(&monitor).is_empty());
}

#[test]
fn waiting_for_a_kernel_that_has_not_waited_says_nothing_of_those_before_it() {
    // What the second did is complete. What the first did is, if the second has waited, before or after it triggered.
    for (waits, expected) in [(false, vec![(1, 5)]), (true, vec![])] {
        let monitor = PtxMonitor::default();
        one_write(&monitor, &kernel(2, 0, &[]), 1, X);
        let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
        grid(&mut s, 0, 1, false);
        if waits {
            grid(&mut s, 0, 1, true);
        }
        first(&mut s, 2, WRITE, (0, 0), X + 64);
        s.finish();
        let mut s = Script::on(&monitor, &dependent(4, 3, &[]));
        grid(&mut s, 0, 1, true);
        first(&mut s, 5, READ, (0, 0), X);
        first(&mut s, 6, READ, (0, 0), X + 64);
        s.finish();
        assert_eq!(sites(&monitor), expected);
        // What is not launched so is after all of them.
        one_write(&monitor, &kernel(5, 0, &[4]), 7, X);
        assert_eq!(sites(&monitor), []);
    }
}

#[test]
fn a_kernel_whose_blocks_have_begun_has_released_nothing() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(2, 0, &[]));
    first(&mut s, 1, WRITE, (0, 0), X);
    s.fence(T(0, 0), Sem::AcqRel, Scope::Gpu);
    grid(&mut s, 0, 1, false);
    s.finish();
    let mut task = dependent(3, 2, &[]);
    task.overlap.as_mut().unwrap().begun = vec![TaskId(2)];
    let mut s = Script::on(&monitor, &task);
    first(&mut s, 3, READ, (0, 0), X);
    s.finish();
    assert_eq!(unwaited(&monitor), [(1, 3)]);
}

#[test]
fn a_launch_beside_two_kernels_races_with_either() {
    let monitor = PtxMonitor::default();
    one_write(&monitor, &kernel(2, 0, &[]), 1, X);
    one_write(&monitor, &kernel(3, 1, &[]), 2, X + 64);
    let overlap = Overlap { with: vec![TaskId(2), TaskId(3)], begun: Vec::new(), after: Vec::new() };
    let task = TaskInfo { overlap: Some(overlap), ..kernel(4, 0, &[2, 3]) };
    let mut s = Script::on(&monitor, &task);
    first(&mut s, 5, READ, (0, 0), X);
    first(&mut s, 6, READ, (0, 0), X + 64);
    grid(&mut s, 0, 1, true);
    first(&mut s, 7, WRITE, (0, 0), X);
    first(&mut s, 8, WRITE, (0, 0), X + 64);
    s.finish();
    assert_eq!(unwaited(&monitor), [(1, 5), (2, 6)]);
}

/// A launch of which one thread writes one word.
fn one_write(monitor: &PtxMonitor, info: &TaskInfo, site: u32, address: u64) {
    let mut s = Script::on(monitor, info);
    first(&mut s, site, WRITE, (0, 0), address);
    s.finish();
}

/// The sites of each race.
fn sites(monitor: &PtxMonitor) -> Vec<(u32, u32)> {
    let found = monitor.findings();
    found.iter().map(|f| (f.sides[0].site.unwrap().0, f.sides[1].site.unwrap().0)).collect()
}

/// A kernel of two warps a block.
fn two_warps(id: u32) -> TaskInfo {
    TaskInfo { stream: StreamId(0), ..launch(id, 2, 64, 1, all_uses()) }
}

#[test]
fn memory_that_is_new_was_not_touched_before_the_wait() {
    let monitor = PtxMonitor::default();
    run(&monitor, &kernel(2, 0, &[]), 1, WRITE, WEAK, X);
    let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
    first(&mut s, 3, READ, (0, 0), X);
    first(&mut s, 3, READ, (0, 1), X + 64);
    monitor.free(X, 64);
    s.finish();
    assert_eq!(unwaited(&monitor), [(1, 3)]);
    let monitor = PtxMonitor::default();
    run(&monitor, &kernel(2, 0, &[]), 1, WRITE, WEAK, X);
    let mut s = Script::on(&monitor, &dependent(3, 2, &[]));
    first(&mut s, 3, READ, (0, 0), X);
    monitor.free(X, 64);
    s.finish();
    assert!(unwaited(&monitor).is_empty());
}
