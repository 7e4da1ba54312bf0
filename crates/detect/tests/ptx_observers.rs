//! Several observers of one launch, each of some of its blocks.

use crate::script;

use detect::ptx::PtxMonitor;
use events::task::SyncUse;
use events::{Class, Listener, Monitor, Proxy, Scope, Sem};
use script::{Script, T, all_uses, launch};

/// Runs `test` with two blocks that one observer hears, and with one observer for each.
fn both_ways(
    uses: SyncUse,
    test: impl Fn(&PtxMonitor, &mut dyn FnMut(u32, &mut dyn FnMut(&mut Script<'_>))),
) {
    for observers in 1..=2 {
        let monitor = PtxMonitor::default();
        let mut script = Script::on(&monitor, &launch(1, 2, 32, 1, uses));
        let mut other = monitor.observer(1);
        test(&monitor, &mut |block, part| {
            let swap = block == 1 && observers == 2;
            if swap {
                std::mem::swap(&mut script.ear.observer, &mut other);
            }
            part(&mut script);
            if swap {
                std::mem::swap(&mut script.ear.observer, &mut other);
            }
        });
        script.finish();
    }
}

fn class_of(monitor: &PtxMonitor) -> Vec<Class> {
    monitor.findings().iter().map(|f| f.class).collect()
}

/// Observers numbered asynchronous operations each for itself, and the one of another block was taken for one's own
/// that had been waited for.
#[test]
fn a_copy_is_not_taken_for_another_blocks() {
    let uses = SyncUse { asynchronous: true, ..SyncUse::default() };
    both_ways(uses, |monitor, of| {
        of(0, &mut |s| s.copy(T(0, 0), 0, 16, 1, true, Proxy::Generic));
        of(1, &mut |s| {
            s.copy(T(1, 0), 64, 16, 2, true, Proxy::Generic);
            s.waited(T(1, 0), &[2], false);
            s.write(T(1, 0), 0);
        });
        assert_eq!(class_of(monitor), [Class::AsyncCopy]);
    });
}

/// As above, of mbarrier objects.
#[test]
fn an_mbarrier_is_not_taken_for_another_blocks() {
    let uses = SyncUse { asynchronous: true, ..SyncUse::default() };
    both_ways(uses, |monitor, of| {
        of(0, &mut |s| {
            s.copy(T(0, 0), 0, 16, 1, true, Proxy::Generic);
            s.complete_tx(0, 256, 0, 1);
        });
        of(1, &mut |s| {
            s.copy(T(1, 0), 64, 16, 2, true, Proxy::Generic);
            s.complete_tx(1, 256, 0, 2);
            s.mb_wait(T(1, 0), 1, 256, 0, Sem::Acquire, Scope::Cta);
            s.write(T(1, 0), 0);
        });
        assert_eq!(class_of(monitor), [Class::AsyncCopy]);
    });
}

/// What blocks try with flags explains their races, whoever heard the one and the other.
#[test]
fn a_flag_of_another_observers_block_is_a_clue() {
    both_ways(all_uses(), |monitor, of| {
        of(0, &mut |s| {
            s.write(T(0, 0), 0);
            s.store(T(0, 0), 64, Sem::Relaxed, Scope::Gpu);
        });
        of(1, &mut |s| {
            s.load(T(1, 0), 64, Sem::Relaxed, Scope::Gpu);
            s.read(T(1, 0), 0);
        });
        assert_eq!(class_of(monitor), [Class::MissingFence]);
    });
}

/// A flag that is set behind a fence by one observer's block, and read before one by the other's.
#[test]
fn observers_see_each_others_releases() {
    both_ways(all_uses(), |monitor, of| {
        of(0, &mut |s| {
            s.write(T(0, 0), 0);
            s.fence(T(0, 0), Sem::Sc, Scope::Gpu);
            s.store(T(0, 0), 64, Sem::Relaxed, Scope::Gpu);
        });
        of(1, &mut |s| {
            s.load(T(1, 0), 64, Sem::Relaxed, Scope::Gpu);
            s.fence(T(1, 0), Sem::Sc, Scope::Gpu);
            s.read(T(1, 0), 0);
        });
        assert_eq!(class_of(monitor), []);
    });
}

/// A damaged trace may tell of warps that the launch has not, in whatever they do.
#[test]
fn warps_that_there_are_not_are_no_panic() {
    let monitor = PtxMonitor::default();
    let mut script = Script::on(&monitor, &launch(1, 2, 32, 1, all_uses()));
    for block in [0, 1, 7, u32::MAX] {
        for t in [T(block, 32), T(block, 1000), T(block, u16::MAX)] {
            script.membar(t, Scope::Gpu);
            script.syncwarp(t, u32::MAX);
            script.syncwarp(t, 3);
            script.arrive(events::BarrierId::Cta(1), t, Sem::AcqRel);
            script.arrive(events::BarrierId::Cluster(events::BlockId(0)), t, Sem::Release);
            script.cluster_wait(t);
            script.proxy_fence(t);
            script.mb_arrive(t, 0, 0x40, 0, Sem::Release, Scope::Cta);
            script.mb_wait(t, 0, 0x40, 0, Sem::Acquire, Scope::Cta);
            script.copy(t, 0x100, 16, 1, true, Proxy::Async);
            script.waited(t, &[1], false);
            script.write(t, 0x1000);
            script.read(t, 0x1000);
            script.ldv(t, 0x2000);
            script.stv(t, 0x2000);
            script.atom(t, 0x2000, Sem::AcqRel, Scope::Gpu);
            script.exit(t);
        }
    }
    script.finish();
}
