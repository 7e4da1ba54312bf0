//! Each way to synchronise, once right and once not quite.
//!
//! **Size:** a list of short tests, one for each idiom and its faulty twin.

use crate::script;

use events::task::SyncUse;
use events::{AccessKind, BarrierId, BlockId, Class, Proxy, Scope, Sem, SiteId, Strength};
use script::{Script, T, all_uses, launch};

use Scope::{Cluster, Cta, Gpu, Sys};
use Sem::{AcqRel, Acquire, Relaxed, Release, Sc};

const X: u64 = 0x1000;
const FLAG: u64 = 0x2000;

#[test]
fn whole_barrier_orders_its_block_only() {
    let mut s = Script::new(2, 64);
    s.write(T(0, 0), X);
    s.barrier(0);
    s.read(T(0, 63), X);
    s.clean();
    s.barrier(1);
    s.read(T(1, 0), X);
    s.races(Class::InterBlock);
}

#[test]
fn without_a_barrier() {
    let mut s = Script::new(1, 64);
    s.write(T(0, 0), X);
    s.read(T(0, 63), X);
    s.races(Class::MissingBarrier);
}

#[test]
fn a_read_is_remembered_past_later_reads_of_others() {
    let mut s = Script::new(1, 128);
    s.read(T(0, 0), X);
    s.read(T(0, 33), X);
    s.read(T(0, 65), X);
    s.write(T(0, 0), X);
    assert_eq!(s.findings().len(), 2);
}

#[test]
fn warp_sync_orders_the_lanes_of_its_mask() {
    let mut s = Script::new(1, 32);
    s.write(T(0, 0), X);
    s.syncwarp(T(0, 0), 0x3);
    s.read(T(0, 1), X);
    s.clean();
    s.read(T(0, 2), X);
    s.races(Class::DivergentWarp);
}

#[test]
fn warp_sync_passes_on_what_a_lane_knows() {
    let mut s = Script::new(2, 32);
    s.write(T(0, 5), X);
    s.syncwarp(T(0, 0), u32::MAX);
    s.store(T(0, 0), FLAG, Release, Gpu);
    s.load(T(1, 7), FLAG, Acquire, Gpu);
    s.syncwarp(T(1, 7), u32::MAX);
    s.read(T(1, 9), X);
    s.clean();
}

#[test]
fn partial_barrier_orders_its_warps() {
    let mut s = Script::new(1, 96);
    s.write(T(0, 0), X);
    s.complete(0, BarrierId::Cta(1), &[(0, u32::MAX), (1, u32::MAX)], &[]);
    s.read(T(0, 32), X);
    s.clean();
    s.read(T(0, 64), X);
    s.races(Class::MissingBarrier);
}

#[test]
fn arrival_is_a_source_only() {
    let mut s = Script::new(1, 64);
    let id = BarrierId::Cta(1);
    s.write(T(0, 0), X);
    s.arrive(id, T(0, 0), AcqRel);
    s.write(T(0, 0), X + 4);
    s.write(T(0, 32), X + 8);
    s.complete(0, id, &[(1, u32::MAX)], &[T(0, 0)]);
    s.read(T(0, 33), X);
    s.clean();
    s.read(T(0, 33), X + 4);
    s.races(Class::MissingBarrier);
    s.read(T(0, 0), X + 8);
    s.races(Class::MissingBarrier);
}

#[test]
fn cluster_barrier_orders_from_arrive_to_wait() {
    let mut s = Script::with(launch(1, 2, 32, 2, all_uses()), Default::default());
    let id = BarrierId::Cluster(BlockId(0));
    s.shared(Some(1));
    s.write(T(0, 0), X);
    s.arrive(id, T(0, 0), Release);
    s.write(T(0, 0), X + 4);
    s.arrive(id, T(1, 0), Release);
    s.complete(0, id, &[], &[T(0, 0), T(1, 0)]);
    s.cluster_wait(T(1, 0));
    s.read(T(1, 0), X);
    s.clean();
    s.read(T(1, 0), X + 4);
    s.races(Class::ClusterDsmem);
}

#[test]
fn relaxed_cluster_arrival_orders_nothing() {
    let mut s = Script::with(launch(1, 2, 32, 2, all_uses()), Default::default());
    let id = BarrierId::Cluster(BlockId(0));
    s.shared(Some(1));
    s.write(T(0, 0), X);
    s.arrive(id, T(0, 0), Relaxed);
    s.arrive(id, T(1, 0), Release);
    s.complete(0, id, &[], &[T(0, 0), T(1, 0)]);
    s.cluster_wait(T(1, 0));
    s.read(T(1, 0), X);
    s.races(Class::ClusterDsmem);
}

#[test]
fn fences_around_a_flag() {
    let mut s = Script::new(2, 32);
    s.write(T(0, 0), X);
    s.fence(T(0, 0), Sc, Gpu);
    s.store(T(0, 0), FLAG, Relaxed, Gpu);
    s.load(T(1, 0), FLAG, Relaxed, Gpu);
    s.fence(T(1, 0), Sc, Gpu);
    s.read(T(1, 0), X);
    s.clean();
}

#[test]
fn what_follows_the_fence_is_not_released() {
    let mut s = Script::new(2, 32);
    s.fence(T(0, 0), Sc, Gpu);
    s.write(T(0, 0), X);
    s.store(T(0, 0), FLAG, Relaxed, Gpu);
    s.load(T(1, 0), FLAG, Relaxed, Gpu);
    s.fence(T(1, 0), Sc, Gpu);
    s.read(T(1, 0), X);
    s.races(Class::MissingFence);
}

#[test]
fn a_wider_fence_before_a_narrower_one_still_counts() {
    let mut s = Script::new(2, 32);
    s.write(T(0, 0), X);
    s.fence(T(0, 0), AcqRel, Gpu);
    s.write(T(0, 0), X + 4);
    s.fence(T(0, 0), AcqRel, Cta);
    s.store(T(0, 0), FLAG, Relaxed, Gpu);
    s.load(T(1, 0), FLAG, Acquire, Gpu);
    s.read(T(1, 0), X);
    s.clean();
    s.read(T(1, 0), X + 4);
    s.races(Class::FenceScope);
}

#[test]
fn an_acquire_fence_of_wider_scope_after_a_narrow_one() {
    let mut s = Script::new(2, 32);
    s.write(T(0, 0), X);
    s.store(T(0, 0), FLAG, Release, Gpu);
    s.load(T(1, 0), FLAG, Relaxed, Gpu);
    s.fence(T(1, 0), AcqRel, Cta);
    s.read(T(1, 0), X);
    s.races(Class::FenceScope);
    s.fence(T(1, 0), AcqRel, Gpu);
    s.read(T(1, 0), X);
    s.clean();
}

#[test]
fn red_never_acquires() {
    for (returns, clean) in [(true, true), (false, false)] {
        let mut s = Script::new(2, 32);
        s.write(T(0, 0), X);
        s.store(T(0, 0), FLAG, Release, Gpu);
        if returns {
            s.atom(T(1, 0), FLAG, Relaxed, Gpu);
        } else {
            s.red(T(1, 0), FLAG, Relaxed, Gpu);
        }
        s.fence(T(1, 0), AcqRel, Gpu);
        s.read(T(1, 0), X);
        assert_eq!(s.findings().is_empty(), clean);
    }
}

#[test]
fn red_carries_a_release_on() {
    let mut s = Script::new(3, 32);
    s.write(T(0, 0), X);
    s.store(T(0, 0), FLAG, Release, Gpu);
    s.red(T(1, 0), FLAG, Relaxed, Gpu);
    s.load(T(2, 0), FLAG, Acquire, Gpu);
    s.read(T(2, 0), X);
    s.clean();
}

#[test]
fn a_narrow_atomic_breaks_the_chain() {
    let mut s = Script::new(3, 32);
    s.write(T(0, 0), X);
    s.store(T(0, 0), FLAG, Release, Gpu);
    s.atom(T(1, 0), FLAG, Relaxed, Cta);
    s.races(Class::AtomicScope);
    s.load(T(1, 1), FLAG, Acquire, Gpu);
    s.read(T(1, 1), X);
    assert!(!s.findings().is_empty());
}

/// One atomic instruction by lanes 0 to 2 of a warp.
fn by_three_lanes(s: &mut Script<'_>, sem: Sem, returns: bool) {
    let kind = AccessKind::Atomic { op: events::AtomicOp::Add, returns };
    let threads = [(T(0, 0), FLAG), (T(0, 1), FLAG), (T(0, 2), FLAG)];
    s.access(SiteId(0), &threads, kind, script::strong(sem, Gpu), Proxy::Generic, (4, 1));
}

#[test]
fn lanes_of_one_atomic_follow_each_other() {
    for (sem, returns) in [(AcqRel, true), (Relaxed, true), (Relaxed, false)] {
        let mut s = Script::new(1, 64);
        for lane in 0..3 {
            s.write(T(0, lane), X + 4 * u64::from(lane));
        }
        let fences = sem == Relaxed;
        let fence = |s: &mut Script<'_>| (0..3).for_each(|lane| s.fence(T(0, lane), AcqRel, Gpu));
        if fences {
            fence(&mut s);
        }
        by_three_lanes(&mut s, sem, returns);
        if fences {
            fence(&mut s);
        }
        if returns {
            s.read(T(0, 2), X);
            s.read(T(0, 2), X + 4);
            s.read(T(0, 1), X);
            s.clean();
        }
        // Lane 1 came before lane 2, and `red` releases nothing.
        s.read(T(0, 1), X + 8);
        s.races(Class::DivergentWarp);
        if !returns {
            s.read(T(0, 2), X);
            s.races(Class::DivergentWarp);
        }
    }
}

#[test]
fn the_last_lane_resets_the_counter() {
    for (lane, clean) in [(2, true), (1, false), (0, false)] {
        let mut s = Script::new(2, 64);
        s.atom(T(1, 0), FLAG, Relaxed, Gpu);
        by_three_lanes(&mut s, Relaxed, true);
        s.write(T(0, lane), FLAG);
        assert_eq!(s.findings().is_empty(), clean, "lane {lane}");
    }
}

/// What an atomic observes is before what follows it, and not before the atomic itself.
#[test]
fn an_atomic_races_with_the_plain_write_that_it_observes() {
    let mut s = Script::new(2, 32);
    s.write(T(0, 0), X);
    s.atom(T(0, 0), X, Relaxed, Gpu);
    s.clean();
    s.atom(T(1, 0), X, Relaxed, Gpu);
    s.races(Class::WeakVsAtomic);
    s.write(T(1, 0), X);
    s.clean();
}

#[test]
fn one_lane_observes_for_itself_only() {
    let mut s = Script::new(2, 64);
    s.atom(T(1, 0), FLAG, Relaxed, Gpu);
    s.atom(T(0, 0), FLAG, Relaxed, Gpu);
    let threads = [(T(0, 0), FLAG), (T(0, 1), FLAG)];
    s.access(SiteId(1), &threads, AccessKind::Read, Strength::Weak, Proxy::Generic, (4, 1));
    // Lane 1 with the other block, and with its neighbour.
    assert_eq!(s.findings().len(), 2);
}

#[test]
fn atomics_of_a_block_are_enough_in_a_block() {
    let mut s = Script::new(2, 64);
    s.red(T(0, 0), X, Relaxed, Cta);
    s.red(T(0, 32), X, Relaxed, Gpu);
    s.clean();
    s.red(T(1, 0), X, Relaxed, Gpu);
    s.races(Class::AtomicScope);
}

#[test]
fn partly_overlapping_atomics_race() {
    let mut s = Script::new(2, 32);
    let atomic = AccessKind::Atomic { op: events::AtomicOp::Add, returns: false };
    s.access(SiteId(1), &[(T(0, 0), X)], atomic, script::strong(Relaxed, Gpu), Proxy::Generic, (8, 1));
    s.access(SiteId(2), &[(T(1, 0), X + 4)], atomic, script::strong(Relaxed, Gpu), Proxy::Generic, (4, 1));
    assert_eq!(s.findings().len(), 1);
}

#[test]
fn the_last_block_resets_the_counter() {
    let mut s = Script::new(3, 32);
    for block in 0..3 {
        s.atom(T(block, 0), FLAG, Relaxed, Gpu);
    }
    s.write(T(2, 0), FLAG);
    s.clean();
    s.write(T(1, 0), FLAG);
    assert!(!s.findings().is_empty());
}

#[test]
fn weak_against_atomic() {
    let mut s = Script::new(2, 32);
    s.red(T(0, 0), X, Relaxed, Gpu);
    s.read(T(1, 0), X);
    s.races(Class::WeakVsAtomic);
}

#[test]
fn volatile_is_as_the_option_says() {
    for (volatile_strong, clean) in [(true, true), (false, false)] {
        let options = detect::ptx::PtxOptions { volatile_strong, ..Default::default() };
        let mut s = Script::with(launch(1, 2, 32, 1, all_uses()), options);
        for (t, kind) in [(T(0, 0), AccessKind::Write), (T(1, 0), AccessKind::Read)] {
            s.access(SiteId(1), &[(t, X)], kind, Strength::Volatile, Proxy::Generic, (4, 1));
        }
        assert_eq!(s.findings().is_empty(), clean);
    }
}

#[test]
fn neighbouring_bytes_do_not_race() {
    let mut s = Script::new(2, 32);
    for (t, a) in [(T(0, 0), X), (T(1, 0), X + 1)] {
        s.access(SiteId(1), &[(t, a)], AccessKind::Write, Strength::Weak, Proxy::Generic, (1, 1));
    }
    s.clean();
    s.access(SiteId(2), &[(T(0, 1), X)], AccessKind::Read, Strength::Weak, Proxy::Generic, (2, 1));
    // One in the warp, one between blocks.
    assert_eq!(s.findings().len(), 2);
}

#[test]
fn lanes_of_one_store() {
    let mut s = Script::new(1, 32);
    let threads = [(T(0, 0), X), (T(0, 1), X)];
    s.access(SiteId(1), &threads, AccessKind::Write, Strength::Weak, Proxy::Generic, (4, 1));
    s.races(Class::SameInstruction);
    // Vectors: element 1 of lane 0 is element 0 of lane 1.
    let threads = [(T(0, 0), FLAG), (T(0, 1), FLAG + 4)];
    s.access(SiteId(2), &threads, AccessKind::Write, Strength::Weak, Proxy::Generic, (4, 2));
    s.races(Class::SameInstruction);
}

#[test]
fn a_vector_of_one_lane_does_not_race_with_itself() {
    let mut s = Script::new(1, 32);
    for strength in [Strength::Weak, script::strong(Relaxed, Gpu)] {
        s.access(SiteId(1), &[(T(0, 0), X)], AccessKind::Write, strength, Proxy::Generic, (4, 4));
    }
    s.clean();
}

#[test]
fn copies_must_be_waited_for() {
    for wait in [false, true] {
        let mut s = Script::new(1, 64);
        s.shared(Some(0));
        s.copy(T(0, 0), X, 16, 1, true, Proxy::Generic);
        if wait {
            s.waited(T(0, 0), &[1], false);
        }
        s.read(T(0, 0), X);
        if wait {
            s.clean()
        } else {
            s.races(Class::AsyncCopy)
        }
        s.barrier(0);
        s.read(T(0, 40), X + 4);
        if wait { s.clean() } else { s.races(Class::AsyncCopy) }
    }
}

#[test]
fn waiting_for_a_copy_tells_only_the_waiter() {
    let mut s = Script::new(1, 64);
    s.copy(T(0, 0), X, 16, 1, true, Proxy::Generic);
    s.barrier(0);
    s.waited(T(0, 0), &[1], false);
    s.read(T(0, 40), X);
    s.races(Class::AsyncCopy);
}

#[test]
fn waiting_for_reads_frees_the_source_only() {
    let mut s = Script::new(1, 32);
    s.copy(T(0, 0), X, 16, 1, false, Proxy::Async);
    s.copy(T(0, 0), FLAG, 16, 1, true, Proxy::Async);
    s.waited(T(0, 0), &[1], true);
    s.write(T(0, 0), X);
    s.clean();
    s.read(T(0, 0), FLAG);
    s.races(Class::AsyncCopy);
}

#[test]
fn bulk_copies_need_a_proxy_fence_and_their_mbarrier() {
    for fence in [false, true] {
        let mut s = Script::new(1, 64);
        s.shared(Some(0));
        s.write(T(0, 33), X);
        if fence {
            s.proxy_fence(T(0, 33));
        }
        s.barrier(0);
        s.copy(T(0, 0), X, 64, 1, true, Proxy::Async);
        if fence {
            s.clean()
        } else {
            s.races(Class::Proxy)
        }
        s.complete_tx(0, FLAG, 0, 1);
        s.mb_wait(T(0, 50), 0, FLAG, 0, Acquire, Cta);
        s.read(T(0, 50), X + 60);
        s.clean();
        s.read(T(0, 51), X + 60);
        s.races(Class::AsyncCopy);
    }
}

#[test]
fn mbarrier_arrivals_release() {
    let mut s = Script::new(1, 64);
    s.write(T(0, 0), X);
    s.mb_arrive(T(0, 0), 0, FLAG, 0, Release, Cta);
    s.write(T(0, 0), X + 4);
    s.mb_wait(T(0, 32), 0, FLAG, 0, Acquire, Cta);
    s.read(T(0, 32), X);
    s.clean();
    s.read(T(0, 32), X + 4);
    s.races(Class::MissingBarrier);
}

#[test]
fn remote_arrivals_need_cluster_scope_at_both_ends() {
    for (arrive, wait, clean) in [(Cluster, Cluster, true), (Cluster, Cta, false), (Cta, Cluster, false)] {
        let mut s = Script::with(launch(1, 2, 32, 2, all_uses()), Default::default());
        s.shared(Some(1));
        s.write(T(0, 0), X);
        s.mb_arrive(T(0, 0), 1, FLAG, 0, Release, arrive);
        s.mb_wait(T(1, 0), 1, FLAG, 0, Acquire, wait);
        s.read(T(1, 0), X);
        assert_eq!(s.findings().is_empty(), clean, "{arrive:?} {wait:?}");
    }
}

#[test]
fn a_relaxed_wait_and_a_fence() {
    let mut s = Script::new(1, 64);
    s.write(T(0, 0), X);
    s.fence(T(0, 0), AcqRel, Cta);
    s.mb_arrive(T(0, 0), 0, FLAG, 0, Relaxed, Cta);
    s.mb_wait(T(0, 32), 0, FLAG, 0, Relaxed, Cta);
    s.fence(T(0, 32), Acquire, Sys);
    s.read(T(0, 32), X);
    s.clean();
}

#[test]
fn the_order_of_blocks_does_not_show() {
    let sides = |blocks: &[u32]| {
        let mut s = Script::with(launch(1, 64, 32, 1, Default::default()), Default::default());
        for &b in blocks {
            if b == 20 {
                s.write(T(b, 3), X);
            } else {
                s.read(T(b, 4), X);
                s.red(T(b, 4), FLAG, Relaxed, Cta);
            }
        }
        s.findings().into_iter().map(|f| (f.class, f.sides)).collect::<Vec<_>>()
    };
    let upwards: Vec<u32> = (0..64).collect();
    let downwards: Vec<u32> = (0..64).rev().collect();
    let mixed: Vec<u32> = (0..64).map(|i| i * 29 % 64).collect();
    let expected = sides(&upwards);
    assert_eq!(expected.len(), 2);
    assert_eq!(sides(&downwards), expected);
    assert_eq!(sides(&mixed), expected);
}

/// A location that is not put back is a claim on something, or the end of a queue.
#[test]
fn a_claim_is_no_lock() {
    let mut s = Script::new(2, 32);
    s.swap(T(0, 0), FLAG, (0, 1));
    s.write(T(0, 0), X);
    s.write(T(1, 0), X);
    s.races(Class::InterBlock);
}

/// The race comes while it is held, before anybody can know that it is a lock.
#[test]
fn a_lock_is_known_by_its_unlock() {
    let mut s = Script::new(2, 32);
    s.swap(T(0, 0), FLAG, (0, 1));
    s.write(T(0, 0), X);
    s.write(T(1, 0), X);
    s.swap(T(0, 0), FLAG, (1, 0));
    s.races(Class::LockMissing);
    let at = |address| events::Location { space: events::Space::Global, address };
    let mut s = Script::new(2, 32);
    s.swap(T(0, 0), FLAG + 8, (0, 1));
    s.swap(T(0, 0), FLAG, (0, 1));
    s.write(T(0, 0), X);
    s.write(T(1, 0), X);
    s.swap(T(0, 0), FLAG, (1, 0));
    let found = s.findings();
    assert_eq!(found[0].notes, [events::SyncNote::Locks { first: vec![at(FLAG)], second: vec![] }]);
    // One is known, the other one not yet.
    let mut s = Script::new(2, 32);
    s.swap(T(0, 0), FLAG, (0, 1));
    s.write(T(0, 0), X);
    s.swap(T(0, 0), FLAG, (1, 0));
    s.swap(T(1, 0), FLAG + 8, (0, 1));
    s.write(T(1, 0), X);
    s.swap(T(1, 0), FLAG + 8, (1, 0));
    s.races(Class::LockWrong);
}

/// What a lock lacks is told of lanes of one warp as of blocks.
#[test]
fn a_lock_without_fences_is_no_divergence() {
    for other in [T(0, 1), T(0, 32), T(1, 0)] {
        let mut s = Script::new(2, 64);
        for t in [T(0, 0), other] {
            s.swap(t, FLAG, (0, 1));
            s.write(t, X);
            s.swap(t, FLAG, (1, 0));
        }
        s.races(Class::MissingFence);
    }
}

#[test]
fn strong_accesses_of_two_sizes_are_a_class_of_their_own() {
    let mut s = Script::new(2, 32);
    let relaxed = script::strong(Relaxed, Scope::Gpu);
    let write = events::AccessKind::Write;
    s.access(events::SiteId(1), &[(T(0, 0), X)], write, relaxed, events::Proxy::Generic, (4, 1));
    s.access(events::SiteId(2), &[(T(1, 0), X)], write, relaxed, events::Proxy::Generic, (2, 1));
    s.races(Class::MixedSize);
}

/// Of many readers a few entries are kept: the one that is shown still is one of them.
#[test]
fn a_reader_of_a_crowd_has_read() {
    let mut s = Script::new(2, 1024);
    for warp in 2..32 {
        s.read(T(0, warp * 32 + 5), X);
    }
    s.write(T(1, 3), X);
    let found = s.findings();
    let events::finding::Actor::Thread { block, thread } = found[0].sides[0].who else { panic!() };
    assert_eq!((block.0, thread.0 % 32), (0, 5), "{found:?}");
    assert!(thread.0 >= 64, "{found:?}");
}

/// Words keep a large launch's relaxed operations; that blocks met at a ticket is told of all the same.
#[test]
fn a_ticket_of_a_large_launch_is_a_flag() {
    let uses = SyncUse {
        fences_or_strong: true,
        relaxed: true,
        atomics: true,
        blocks_communicate: true,
        ..SyncUse::default()
    };
    let mut s = Script::with(launch(1, 64, 64, 1, uses), Default::default());
    s.write(T(0, 0), X);
    s.atom(T(0, 0), FLAG, Relaxed, Gpu);
    s.atom(T(1, 0), FLAG, Relaxed, Gpu);
    s.read(T(1, 0), X);
    s.races(Class::MissingFence);
}
