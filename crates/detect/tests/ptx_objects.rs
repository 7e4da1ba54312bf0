//! What is no load and no store, and conflicts with them: mbarrier objects, device-side `malloc` and `free`, blocks of a cluster that
//! exit, and `volatile` exchanges of one warp.

use crate::script;

use events::task::HostCall;
use events::{
    AccessKind, AllocKind, Allocation, Class, Level, Proxy, Scope::*, Sem::*, SiteId, Space, Strength, Tell,
};
use script::{Script, T, all_uses, launch};

const OBJECT: u64 = 0x40;
const DATA: u64 = 0x400;

fn clusters(threads: u32) -> Script<'static> {
    Script::with(launch(1, 2, threads, 2, all_uses()), Default::default())
}

/// Threads that use an object before they know that it was made raced unseen.
#[test]
fn init_races_with_what_is_not_behind_it() {
    for first in [false, true] {
        let mut s = Script::new(1, 64);
        if first {
            s.mb_touch(T(0, 32), 0, OBJECT, None);
            s.mb_init(T(0, 0), OBJECT);
        } else {
            s.mb_init(T(0, 0), OBJECT);
            s.mb_arrive(T(0, 32), 0, OBJECT, 0, Release, Cta);
        }
        s.races(Class::MissingBarrier);
    }
    let mut s = Script::new(1, 64);
    s.mb_init(T(0, 0), OBJECT);
    s.barrier(0);
    for t in [T(0, 0), T(0, 32), T(0, 33)] {
        s.mb_touch(t, 0, OBJECT, Some(u64::from(t.1) + 1));
        s.mb_arrive(t, 0, OBJECT, 0, Release, Cta);
        s.mb_wait(t, 0, OBJECT, 0, Acquire, Cta);
    }
    s.clean();
}

/// A thread that ends an object must be behind all threads that use it, and so must one that loads or stores
/// there.
#[test]
fn inval_and_stores_race_with_operations_on_the_object() {
    let begin = || {
        let mut s = Script::new(1, 64);
        s.mb_init(T(0, 0), OBJECT);
        s.barrier(0);
        for t in [T(0, 0), T(0, 32)] {
            s.mb_arrive(t, 0, OBJECT, 0, Release, Cta);
        }
        for t in [T(0, 0), T(0, 32)] {
            s.mb_wait(t, 0, OBJECT, 0, Acquire, Cta);
        }
        s
    };
    let mut s = begin();
    // Behind both arrivals, but not behind the other thread's wait.
    s.mb_inval(T(0, 0), OBJECT);
    s.races(Class::MissingBarrier);
    let mut s = begin();
    s.shared(Some(0)).write(T(0, 0), OBJECT + 4);
    s.races(Class::MissingBarrier);
    let mut s = begin();
    s.shared(Some(0)).read(T(0, 0), OBJECT);
    s.races(Class::MissingBarrier);
    let mut s = begin();
    s.barrier(0);
    s.mb_inval(T(0, 0), OBJECT);
    s.shared(Some(0)).write(T(0, 0), OBJECT);
    s.barrier(0);
    s.read(T(0, 32), OBJECT);
    s.clean();
    // What lies beside the object is no part of it.
    let mut s = begin();
    s.shared(Some(0)).write(T(0, 0), OBJECT + 8);
    s.write(T(0, 32), OBJECT - 8);
    s.clean();
}

/// Lanes arrive one after the other, in each phase; only the last one of each counts.
#[test]
fn whole_warps_arrive_phase_by_phase() {
    let mut s = Script::new(1, 64);
    s.mb_init(T(0, 0), OBJECT);
    s.barrier(0);
    for phase in 0..4 {
        for t in 0..64 {
            s.mb_arrive(T(0, t), 0, OBJECT, phase, Release, Cta);
        }
        (0..64).for_each(|t| s.mb_wait(T(0, t), 0, OBJECT, phase, Acquire, Cta));
    }
    s.barrier(0);
    s.mb_inval(T(0, 63), OBJECT);
    s.clean();
}

/// A copy that will complete at an object uses it until then.
#[test]
fn a_copy_completes_at_an_object_that_must_still_be_there() {
    for waits in [false, true] {
        let mut s = Script::new(1, 64);
        s.mb_init(T(0, 0), OBJECT);
        s.barrier(0);
        s.mb_touch(T(0, 0), 0, OBJECT, Some(7));
        s.complete_tx(0, OBJECT, 0, 7);
        if waits {
            s.mb_wait(T(0, 32), 0, OBJECT, 0, Acquire, Cta);
        }
        s.barrier(0);
        s.mb_inval(T(0, 32), OBJECT);
        if waits { s.clean() } else { s.races(Class::AsyncCopy) }
    }
}

/// `fence.mbarrier_init` and a relaxed arrival publish the object, and nothing else.
#[test]
fn a_relaxed_cluster_barrier_publishes_fenced_objects() {
    let all = [T(0, 0), T(1, 0)];
    for (fence, sem, clean) in
        [(true, Relaxed, true), (false, Release, true), (false, Relaxed, false), (true, Release, true)]
    {
        let mut s = clusters(1);
        s.mb_init(T(0, 0), OBJECT);
        if fence {
            s.mb_fence(T(0, 0));
        }
        s.cluster_sync(0, &all, sem);
        s.mb_arrive(T(1, 0), 0, OBJECT, 0, Release, Cluster);
        if clean { s.clean() } else { s.races(Class::ClusterDsmem) }
    }
    // The fence comes too early, or the other one has not waited.
    let mut s = clusters(1);
    s.mb_fence(T(0, 0));
    s.mb_init(T(0, 0), OBJECT);
    s.cluster_sync(0, &all, Relaxed);
    s.mb_arrive(T(1, 0), 0, OBJECT, 0, Release, Cluster);
    s.races(Class::ClusterDsmem);
    let mut s = clusters(1);
    s.mb_init(T(0, 0), OBJECT);
    s.mb_fence(T(0, 0));
    s.cluster_arrive(0, &all, Relaxed);
    s.mb_arrive(T(1, 0), 0, OBJECT, 0, Release, Cluster);
    s.races(Class::ClusterDsmem);
}

/// `fence.mbarrier_init` counted as a release fence for all that its thread had done. It is one for its thread's own `mbarrier.init`
/// (PTX §9.7.14.4, `.op_restrict`): a flag behind it hands over the object, and no data.
#[test]
fn fence_mbarrier_init_releases_objects_and_no_data() {
    const LATER: T = T(u32::MAX, 0);
    let flag = DATA + 0x100;
    let handed_over = |initialises: T, fences: &dyn Fn(&mut Script<'_>)| {
        let mut s = clusters(33);
        if initialises != LATER {
            s.mb_init(initialises, OBJECT);
        }
        s.write(T(0, 0), DATA);
        fences(&mut s);
        s.store(T(0, 0), flag, Relaxed, Cluster);
        s.load(T(1, 0), flag, Acquire, Cluster);
        s
    };
    let restricted = |s: &mut Script<'_>| s.mb_fence(T(0, 0));
    let full = |s: &mut Script<'_>| s.fence(T(0, 0), Release, Cluster);
    let arrives = |mut s: Script<'static>| {
        s.mb_arrive(T(1, 0), 0, OBJECT, 0, Release, Cluster);
        s
    };
    let reads = |mut s: Script<'static>| {
        s.read(T(1, 0), DATA);
        s
    };
    arrives(handed_over(T(0, 0), &restricted)).clean();
    reads(handed_over(T(0, 0), &restricted)).races(Class::MissingFence);
    reads(handed_over(T(0, 0), &full)).clean();
    arrives(handed_over(T(0, 0), &full)).clean();
    // Another thread's object is not released, nor one that is made behind the fence.
    arrives(handed_over(T(0, 32), &restricted)).races(Class::ClusterDsmem);
    let late = |s: &mut Script<'_>| {
        s.mb_fence(T(0, 0));
        s.mb_init(T(0, 0), OBJECT);
    };
    arrives(handed_over(LATER, &late)).races(Class::ClusterDsmem);
    // A narrower fence behind it revokes nothing, and threads ordered behind the flag's reader acquire the object.
    let narrower = |s: &mut Script<'_>| {
        s.mb_fence(T(0, 0));
        s.fence(T(0, 0), Release, Cta);
    };
    arrives(handed_over(T(0, 0), &narrower)).clean();
    let mut s = handed_over(T(0, 0), &restricted);
    s.barrier(1);
    s.mb_arrive(T(1, 32), 0, OBJECT, 0, Release, Cluster);
    s.clean();
}

/// A block whose peer still reads its shared memory may be gone, whichever of the two comes first in a run.
#[test]
fn a_peer_may_have_exited() {
    let remote = |s: &mut Script<'_>| {
        s.shared(Some(0)).read(T(1, 0), DATA);
        s.shared(None);
    };
    let leave = |s: &mut Script<'_>, block: u32| {
        s.cluster_exit(T(block, 0));
        s.block_end(block);
    };
    let all = [T(0, 0), T(1, 0)];
    for first in [false, true] {
        let mut s = clusters(1);
        if first {
            remote(&mut s);
            leave(&mut s, 0);
        } else {
            leave(&mut s, 0);
            remote(&mut s);
        }
        leave(&mut s, 1);
        s.races(Class::ClusterDsmem);
    }
    for sem in [Release, Relaxed] {
        let mut s = clusters(1);
        remote(&mut s);
        s.cluster_sync(0, &all, sem);
        leave(&mut s, 0);
        leave(&mut s, 1);
        s.clean();
        // Another access behind the barrier is not ordered by it.
        let mut s = clusters(1);
        remote(&mut s);
        s.cluster_sync(0, &all, sem);
        remote(&mut s);
        leave(&mut s, 0);
        s.races(Class::ClusterDsmem);
        // Nor does arriving help that is not waited for.
        let mut s = clusters(1);
        remote(&mut s);
        s.cluster_arrive(0, &all, sem);
        leave(&mut s, 0);
        s.races(Class::ClusterDsmem);
    }
}

/// An arrival at an mbarrier of the block, for which a thread of it waits, keeps the block alive, whatever it releases.
#[test]
fn a_block_that_waits_for_its_peer_is_still_there() {
    for (sem, scope, waits) in
        [(Release, Cluster, true), (Relaxed, Cluster, true), (Release, Cta, true), (Release, Cluster, false)]
    {
        let mut s = clusters(1);
        s.mb_init(T(0, 0), OBJECT);
        s.cluster_sync(0, &[T(0, 0), T(1, 0)], Release);
        s.shared(Some(0)).read(T(1, 0), DATA);
        s.mb_arrive(T(1, 0), 0, OBJECT, 0, sem, scope);
        if waits {
            s.mb_wait(T(0, 0), 0, OBJECT, 0, Acquire, Cta);
        }
        s.cluster_exit(T(0, 0));
        s.block_end(0);
        let found = s.findings();
        assert_eq!(found.is_empty(), waits, "{found:#?}");
    }
}

/// A wait for a phase of an mbarrier counted for the phases of the one that was made in its place, which begin at zero: a peer's
/// arrival there, for which no thread had waited, seemed to keep the block alive.
#[test]
fn a_wait_ends_with_the_mbarrier_it_was_for() {
    for waits in [true, false] {
        let mut s = clusters(1);
        let all = [T(0, 0), T(1, 0)];
        for again in [false, true] {
            s.mb_init(T(0, 0), OBJECT);
            s.cluster_sync(0, &all, Release);
            s.shared(Some(0)).read(T(1, 0), DATA);
            s.shared(None);
            s.mb_arrive(T(1, 0), 0, OBJECT, 0, Release, Cluster);
            if waits || !again {
                s.mb_wait(T(0, 0), 0, OBJECT, 0, Acquire, Cluster);
            }
            if !again {
                s.mb_inval(T(0, 0), OBJECT);
            }
        }
        s.cluster_exit(T(0, 0));
        s.block_end(0);
        let found = s.findings();
        assert_eq!(found.is_empty(), waits, "{found:#?}");
    }
}

/// 256 accesses and 256 arrivals of peers were kept of a block: an epilogue's threads that arrived at two objects were more. The first
/// one's access was reported though the block had waited for it, and one that raced was forgotten.
#[test]
fn a_block_remembers_what_its_peers_do_however_many_threads_follow() {
    for waits in [true, false] {
        let threads: Vec<T> = (0..2).flat_map(|block| (0..400).map(move |t| T(block, t))).collect();
        let mut s = clusters(400);
        let objects = [OBJECT, OBJECT + 8, OBJECT + 16];
        objects.iter().for_each(|object| s.mb_init(T(0, 0), *object));
        s.cluster_sync(0, &threads, Release);
        s.shared(Some(0)).read(T(1, 0), DATA);
        s.shared(None);
        if waits {
            s.mb_arrive(T(1, 0), 0, OBJECT, 0, Relaxed, Cluster);
        }
        for object in &objects[1..] {
            (1..400).for_each(|t| s.mb_arrive(T(1, t), 0, *object, 0, Release, Cluster));
        }
        objects.iter().for_each(|object| s.mb_wait(T(0, 0), 0, *object, 0, Acquire, Cluster));
        s.cluster_exit(T(0, 0));
        s.block_end(0);
        let found = s.findings();
        assert_eq!(found.len(), usize::from(!waits), "{found:#?}");
    }
}

/// A copy of which a peer knows that it is complete before it arrives where the block waits was reported, unless the arrival and the
/// wait had the scope of the cluster.
#[test]
fn a_block_that_waits_for_a_peer_that_knows_a_copy_is_still_there() {
    for knows in [true, false] {
        let mut s = clusters(1);
        s.mb_init(T(0, 0), OBJECT);
        s.mb_init(T(1, 0), OBJECT);
        s.cluster_sync(0, &[T(0, 0), T(1, 0)], Release);
        s.shared(Some(0)).copy(T(1, 0), DATA, 16, 1, true, Proxy::Async);
        s.complete_tx(1, OBJECT, 0, 1);
        if knows {
            s.mb_wait(T(1, 0), 1, OBJECT, 0, Acquire, Cta);
        }
        s.mb_arrive(T(1, 0), 0, OBJECT, 0, Release, Cta);
        s.mb_wait(T(0, 0), 0, OBJECT, 0, Acquire, Cta);
        s.cluster_exit(T(0, 0));
        s.block_end(0);
        let found = s.findings();
        assert_eq!(found.is_empty(), knows, "{found:#?}");
    }
}

fn allocate(s: &Script<'_>, base: u64, bytes: u64) {
    s.ear.monitor.alloc(&Allocation {
        base,
        bytes,
        kind: AllocKind::DeviceHeap,
        name: None,
        call: HostCall::default(),
        device: 0,
    });
}

/// `free` of memory that another thread may still use was no access.
#[test]
fn free_is_a_write_of_all_of_the_block() {
    for (order, when) in [(false, false), (false, true), (true, false)] {
        let mut s = Script::new(1, 64);
        allocate(&s, 0x1000, 100);
        s.heap(T(0, 0), 0x1000, 100, false);
        s.barrier(0);
        let free = |s: &mut Script<'_>| {
            s.heap(T(0, 32), 0x1000, 112, true);
            s.ear.monitor.free(0x1000, 112);
        };
        if when {
            free(&mut s);
        }
        s.read(T(0, 1), 0x1060);
        if order {
            s.barrier(0);
        }
        if !when {
            free(&mut s);
        }
        if order { s.clean() } else { s.races(Class::MissingBarrier) }
    }
    // The next owner of the memory has it anew.
    let mut s = Script::new(1, 64);
    s.heap(T(0, 0), 0x1000, 16, false);
    s.heap(T(0, 0), 0x1000, 16, true);
    allocate(&s, 0x1000, 16);
    s.heap(T(0, 32), 0x1000, 16, false);
    s.write(T(0, 32), 0x1000);
    s.clean();
}

/// Memory that another warp uses without being behind the allocation; lanes of the same warp get the address by a shuffle.
#[test]
fn malloc_is_handed_over() {
    for (thread, order) in [(1, false), (32, false), (32, true)] {
        let mut s = Script::new(1, 64);
        allocate(&s, 0x1000, 64);
        s.heap(T(0, 0), 0x1000, 64, false);
        if order {
            s.barrier(0);
        }
        s.write(T(0, thread), 0x1010);
        if thread == 1 || order { s.clean() } else { s.races(Class::MissingBarrier) }
    }
}

/// One `volatile` access of some lanes, four bytes each.
fn volatile(
    s: &mut Script<'_>,
    site: u32,
    lanes: std::ops::Range<u16>,
    write: bool,
    at: impl Fn(u16) -> u64,
) {
    let threads: Vec<(T, u64)> = lanes.map(|lane| (T(0, lane), at(lane))).collect();
    let kind = if write { AccessKind::Write } else { AccessKind::Read };
    s.access(SiteId(site), &threads, kind, Strength::Volatile, Proxy::Generic, (4, 1));
}

/// The steps of a reduction in which only `volatile` keeps the lanes apart are a hazard, in any memory.
#[test]
fn volatile_reductions_without_syncwarp_are_a_hazard() {
    for shared in [Some(0), None] {
        for meets in [false, true] {
            let mut s = Script::new(1, 64);
            s.shared(shared);
            let own = |lane: u16| 0x100 + u64::from(lane) * 4;
            for (k, step) in [16u16, 8].into_iter().enumerate() {
                let site = k as u32 * 10;
                volatile(&mut s, site, 0..32, false, move |lane| own(lane) + u64::from(step) * 4);
                if meets {
                    s.syncwarp(T(0, 0), u32::MAX);
                }
                volatile(&mut s, site + 1, 0..32, true, own);
                if meets {
                    s.syncwarp(T(0, 0), u32::MAX);
                }
            }
            let found = s.findings();
            assert_eq!(found.is_empty(), meets, "{found:#?}");
            assert!(found.iter().all(|f| (f.level, f.class) == (Level::Hazard, Class::VolatileWarp)));
        }
    }
}

/// Flags, and words of other warps, are no exchange within a warp.
#[test]
fn volatile_flags_are_no_hazard() {
    let mut s = Script::new(1, 64);
    s.shared(Some(0));
    volatile(&mut s, 1, 0..32, false, |_| 0x100);
    volatile(&mut s, 2, 0..32, true, |_| 0x100);
    volatile(&mut s, 3, 5..6, true, |_| 0x104);
    volatile(&mut s, 4, 0..32, false, |_| 0x104);
    volatile(&mut s, 5, 0..32, true, |lane| 0x200 + u64::from(lane) * 4);
    volatile(&mut s, 6, 0..32, false, |lane| 0x200 + u64::from(lane) * 4);
    volatile(&mut s, 7, 32..64, false, |lane| 0x200 + u64::from(63 - lane) * 4);
    s.clean();
    let _ = Space::Global;
}
