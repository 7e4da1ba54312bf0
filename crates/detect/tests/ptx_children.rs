//! Races between kernels and the kernels that they launch (CUDA dynamic parallelism).

use crate::script;

use detect::ptx::PtxMonitor;
use events::task::Launcher;
use events::{
    AccessKind, BlockId, Class, Listener, Observer, Proxy, Scope, SiteId, StreamId, Strength, Sync, SyncNote,
    TaskId, TaskInfo, ThreadId,
};
use script::{Script, T, all_uses, launch};

const X: u64 = 0x1000;
const WEAK: Strength = Strength::Weak;
const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;

/// A kernel of the host, of two blocks.
fn kernel(id: u32, stream: u32, after: &[u32]) -> TaskInfo {
    let after = after.iter().map(|task| TaskId(*task)).collect();
    TaskInfo { stream: StreamId(stream), after, ..launch(id, 2, 64, 1, all_uses()) }
}

/// A kernel that thread 0 of block 0 of `parent` has launched.
fn child(id: u32, parent: u32, after: &[u32]) -> TaskInfo {
    let launcher = Launcher { task: TaskId(parent), block: BlockId(0), thread: ThreadId(0) };
    TaskInfo { launcher: Some(launcher), ..kernel(id, 1000 + id, after) }
}

/// Thread `T` of the script's kernel launches a kernel.
fn launches(s: &mut Script<'_>, T(block, lane): T, task: u32) {
    let warp = s.warp(T(block, lane));
    s.ear.observer.sync(&Sync::Launch {
        warp,
        site: SiteId(500 + task),
        lane: (lane % 32) as u8,
        task: TaskId(task),
    });
}

fn access(s: &mut Script<'_>, site: u32, kind: AccessKind, thread: T, address: u64) {
    s.access(SiteId(site), &[(thread, address)], kind, WEAK, Proxy::Generic, (4, 1));
}

/// Runs a kernel of one access, by thread 1 of block 1.
fn run(monitor: &PtxMonitor, info: &TaskInfo, site: u32, kind: AccessKind, address: u64) {
    let mut s = Script::on(monitor, info);
    access(&mut s, site, kind, T(1, 1), address);
    s.finish();
}

/// The sites of the races, and the launch that a race between a kernel and its child names.
fn races(monitor: &PtxMonitor) -> Vec<(u32, u32, Option<u32>)> {
    let found = monitor.findings();
    assert!(found.iter().all(|f| f.class == Class::InterKernel), "{found:#?}");
    let launch = |note: &SyncNote| match note {
        SyncNote::NotBeforeLaunch { site } => Some(site.0),
        _ => None,
    };
    let mut races: Vec<_> = found
        .iter()
        .map(|f| {
            let site = |n: usize| f.sides[n].site.unwrap().0;
            (site(0), site(1), f.notes.iter().find_map(launch))
        })
        .collect();
    races.sort_unstable();
    races
}

#[test]
fn a_child_is_after_what_its_thread_did_before_the_launch() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(1, 0, &[]));
    access(&mut s, 1, WRITE, T(0, 0), X);
    access(&mut s, 2, WRITE, T(0, 1), X + 4);
    launches(&mut s, T(0, 0), 7);
    access(&mut s, 3, WRITE, T(0, 0), X + 8);
    let mut c = Script::on(&monitor, &child(7, 1, &[]));
    for (site, at) in [(11, X), (12, X + 4), (13, X + 8)] {
        access(&mut c, site, READ, T(1, 5), at);
    }
    c.finish();
    s.finish();
    assert_eq!(races(&monitor), [(2, 12, Some(507)), (3, 13, Some(507))]);
}

/// A barrier before the launch orders the accesses of the block before the child; a barrier behind the launch does not.
#[test]
fn a_barrier_before_the_launch_hands_on_what_the_block_did() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(1, 0, &[]));
    access(&mut s, 1, WRITE, T(0, 40), X);
    access(&mut s, 2, WRITE, T(1, 0), X + 4);
    s.barrier(0);
    launches(&mut s, T(0, 0), 7);
    s.barrier(0);
    access(&mut s, 3, WRITE, T(0, 40), X + 8);
    let mut c = Script::on(&monitor, &child(7, 1, &[]));
    for (site, at) in [(11, X), (12, X + 4), (13, X + 8)] {
        access(&mut c, site, READ, T(0, 5), at);
    }
    c.finish();
    s.finish();
    assert_eq!(races(&monitor), [(2, 12, Some(507)), (3, 13, Some(507))]);
}

#[test]
fn children_of_one_kernel_are_ordered_by_their_streams_alone() {
    for (after, expected) in [(&[][..], 1), (&[7][..], 0)] {
        let monitor = PtxMonitor::default();
        let mut s = Script::on(&monitor, &kernel(1, 0, &[]));
        launches(&mut s, T(0, 0), 7);
        launches(&mut s, T(0, 0), 8);
        run(&monitor, &child(7, 1, &[]), 11, WRITE, X);
        run(&monitor, &child(8, 1, after), 12, READ, X);
        s.finish();
        assert_eq!(races(&monitor).len(), expected, "{after:?}");
    }
}

/// A child behind another child knows what that one knew of their parent.
#[test]
fn what_a_child_knew_the_next_one_knows() {
    for (after, expected) in [(&[][..], 1), (&[7][..], 0)] {
        let monitor = PtxMonitor::default();
        let mut s = Script::on(&monitor, &kernel(1, 0, &[]));
        access(&mut s, 1, WRITE, T(0, 40), X);
        launches(&mut s, T(0, 40), 7);
        launches(&mut s, T(0, 0), 8);
        run(&monitor, &child(7, 1, &[]), 11, READ, X + 64);
        run(&monitor, &child(8, 1, after), 12, READ, X);
        s.finish();
        assert_eq!(races(&monitor).len(), expected, "{after:?}");
    }
}

/// A grandchild happens after all that happens before the launch of its parent, and before all that follows the first kernel.
#[test]
fn a_kernel_is_complete_when_all_that_it_launched_is() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(1, 0, &[]));
    access(&mut s, 1, WRITE, T(0, 0), X);
    launches(&mut s, T(0, 0), 7);
    access(&mut s, 2, WRITE, T(0, 0), X + 4);
    let mut c = Script::on(&monitor, &child(7, 1, &[]));
    access(&mut c, 11, WRITE, T(0, 3), X + 64);
    launches(&mut c, T(0, 0), 8);
    let mut g = Script::on(&monitor, &child(8, 7, &[]));
    for (site, at) in [(21, X), (22, X + 4), (23, X + 64)] {
        access(&mut g, site, READ, T(0, 9), at);
    }
    access(&mut g, 24, WRITE, T(0, 9), X + 128);
    g.finish();
    c.finish();
    s.finish();
    run(&monitor, &kernel(2, 0, &[1]), 31, READ, X + 128);
    run(&monitor, &kernel(3, 5, &[]), 32, READ, X + 128);
    assert_eq!(races(&monitor), [(2, 22, Some(507)), (11, 23, Some(508)), (24, 32, None)]);
}

#[test]
fn a_tail_launch_is_after_its_kernel_and_all_its_other_children() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(1, 0, &[]));
    launches(&mut s, T(0, 0), 7);
    launches(&mut s, T(0, 0), 8);
    access(&mut s, 1, WRITE, T(0, 0), X);
    run(&monitor, &child(8, 1, &[]), 11, WRITE, X + 4);
    let mut c = Script::on(&monitor, &child(7, 1, &[1]));
    access(&mut c, 21, READ, T(0, 9), X);
    access(&mut c, 22, READ, T(0, 9), X + 4);
    c.finish();
    s.finish();
    assert_eq!(races(&monitor), []);
}

/// The two share counters, as a flag would be: the race is still one of the launch.
#[test]
fn atomics_of_both_do_not_make_it_a_missing_fence() {
    let monitor = PtxMonitor::default();
    let mut s = Script::on(&monitor, &kernel(1, 0, &[]));
    launches(&mut s, T(0, 0), 7);
    access(&mut s, 1, WRITE, T(0, 40), X);
    s.add(T(0, 0), X + 64, 1, Scope::Gpu);
    let mut c = Script::on(&monitor, &child(7, 1, &[]));
    c.add(T(0, 0), X + 64, 1, Scope::Gpu);
    access(&mut c, 11, READ, T(0, 5), X);
    c.finish();
    s.finish();
    assert_eq!(races(&monitor), [(1, 11, Some(507))]);
}
