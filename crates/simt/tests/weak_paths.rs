//! Copies and other proxies under schedule `weak`: what they show without fences, and do not show with them.

use crate::support;

use events::{Dim3, NoMonitor};
use simt::{Progress, Schedule, Stronger};
use std::collections::BTreeSet;
use std::sync::Arc;
use support::Machine;

/// Runs a kernel of 64 threads in one block with some seeds; returns the words that it left, and what was
/// treated as stronger. The kernel's parameters are 64 words, all 5 at the beginning, and one result.
fn shown(body: &str) -> (BTreeSet<u32>, Vec<Stronger>) {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n\
         .visible .entry kernel(.param .u64 cells, .param .u64 out)\n{{\n\
         .shared .align 16 .b8 tile[256];\n.shared .align 8 .b64 bar;\n\
         .reg .pred %p, %q;\n.reg .b32 %t, %r, %v, %s, %b;\n.reg .b64 %c, %o;\n\
         ld.param.u64 %c, [cells];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\n\
         mov.u32 %s, tile;\nmov.u32 %b, bar;\n{body}\nret;\n}}\n"
    );
    let mut machine = Machine::new(&text);
    machine.options.schedule = Schedule::Weak { window: None };
    let (cells, out) = (machine.alloc(256), machine.alloc(4));
    let (mut results, mut stronger) = (BTreeSet::new(), Vec::new());
    for seed in 0..300 {
        machine.options.seed = seed;
        machine.memory.write(cells, &5u32.to_le_bytes().repeat(64)).unwrap();
        let one = Dim3::new(1, 1, 1);
        let args = args![cells, out];
        let mut grid = machine.grid("kernel", one, Dim3::new(64, 1, 1), args, Arc::new(NoMonitor));
        assert_eq!(grid.run(1_000_000), Progress::Finished);
        stronger = grid.stronger();
        results.extend(machine.words(out, 1));
    }
    (results, stronger)
}

/// Thread 0 fills a tile and copies it to global memory; `fence` comes before the copy.
fn copied_out(fence: &str) -> BTreeSet<u32> {
    let (results, stronger) = shown(&format!(
        "setp.ne.u32 %p, %t, 0;\n@%p bra END;\n\
         st.shared.u32 [tile], 7;\nst.shared.u32 [tile], 9;\n{fence}\n\
         cp.async.bulk.global.shared::cta.bulk_group [%c], [tile], 16;\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n\
         ld.global.u32 %r, [%c];\nst.global.u32 [%o], %r;\nEND:"
    ));
    assert!(stronger.is_empty(), "{stronger:?}");
    results
}

/// A bulk copy reads an old value of shared memory if no proxy fence follows the store.
#[test]
fn a_bulk_copy_misses_stores_without_a_proxy_fence() {
    assert_eq!(copied_out(""), BTreeSet::from([0, 7, 9]));
    assert_eq!(copied_out("fence.proxy.async.global;"), BTreeSet::from([0, 7, 9]));
    assert_eq!(copied_out("fence.acq_rel.gpu;"), BTreeSet::from([0, 7, 9]));
    assert_eq!(copied_out("fence.proxy.async;"), BTreeSet::from([9]));
    assert_eq!(copied_out("fence.proxy.async.shared::cta;"), BTreeSet::from([9]));
}

/// A bulk copy may also read what its thread stores after it.
#[test]
fn a_bulk_copy_may_read_later_stores() {
    let later = |between: &str| {
        let (results, _) = shown(&format!(
            "setp.ne.u32 %p, %t, 0;\n@%p bra END;\nst.shared.u32 [tile], 7;\nfence.proxy.async;\n\
             cp.async.bulk.global.shared::cta.bulk_group [%c], [tile], 16;\n\
             cp.async.bulk.commit_group;\n{between}\nst.shared.u32 [tile], 9;\n\
             cp.async.bulk.wait_group 0;\nld.global.u32 %r, [%c];\nst.global.u32 [%o], %r;\nEND:"
        ));
        results
    };
    assert_eq!(later(""), BTreeSet::from([7, 9]));
    assert_eq!(later("cp.async.bulk.wait_group.read 0;"), BTreeSet::from([7]));
}

/// Thread 0 copies cells into the tile and signals an mbarrier; thread 32 polls it with `wait` and reads the
/// tile, which had a 3.
fn copied_in(wait: &str) -> (BTreeSet<u32>, Vec<Stronger>) {
    shown(&format!(
        "setp.ne.u32 %p, %t, 0;\n@%p bra INITIALISED;\nmbarrier.init.shared.b64 [bar], 1;\n\
         st.shared.u32 [tile], 3;\nfence.proxy.async;\nINITIALISED:\nbar.sync 0;\n@%p bra SECOND;\n\
         mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%c], 16, [%b];\nret;\n\
         SECOND:\nsetp.ne.u32 %p, %t, 32;\n@%p bra END;\n{wait}\n\
         ld.shared.u32 %r, [tile];\nst.global.u32 [%o], %r;\nEND:"
    ))
}

/// The completion of a bulk copy is seen behind a wait that acquires, and may be missed behind a relaxed one or
/// none.
#[test]
fn an_mbarrier_hands_over_a_bulk_copy() {
    let wait = |sem: &str| {
        format!("POLL:\nmbarrier.try_wait.parity{sem}.shared::cta.b64 %q, [bar], 0;\n@!%q bra POLL;")
    };
    let (results, stronger) = copied_in(&wait(""));
    assert_eq!((results, stronger), (BTreeSet::from([5]), vec![]));
    assert_eq!(copied_in(&wait(".relaxed.cta")).0, BTreeSet::from([3, 5]));
    assert_eq!(copied_in(&(wait(".relaxed.cta") + "\nfence.acq_rel.cta;")).0, BTreeSet::from([5]));
    assert!(copied_in("").0.contains(&3));
}

/// A `cp.async` copy is seen by its thread behind the wait, and by others behind a barrier.
#[test]
fn a_wait_group_hands_over_to_its_thread() {
    let read_by = |thread: u32, between: &str| {
        let (results, stronger) = shown(&format!(
            "setp.ne.u32 %p, %t, 0;\n@%p bra OTHERS;\nst.shared.u32 [tile], 3;\n\
             cp.async.ca.shared.global [%s], [%c], 4;\ncp.async.commit_group;\n\
             cp.async.wait_group 0;\nst.relaxed.cta.global.u32 [%c+240], 1;\nOTHERS:\n{between}\n\
             setp.ne.u32 %p, %t, {thread};\n@%p bra END;\n\
             ld.shared.u32 %r, [tile];\nst.global.u32 [%o], %r;\nEND:"
        ));
        assert!(stronger.is_empty(), "{stronger:?}");
        results
    };
    assert_eq!(read_by(0, ""), BTreeSet::from([5]));
    assert_eq!(read_by(32, "bar.sync 0;"), BTreeSet::from([5]));
    assert!(read_by(32, "").contains(&0));
}

/// A read through the read-only path misses a store of its own thread, whatever lies between.
#[test]
fn a_read_only_load_misses_stores() {
    let through = |load: &str| {
        let (results, stronger) = shown(&format!(
            "setp.ne.u32 %p, %t, 0;\n@%p bra END;\nst.global.u32 [%c], 7;\nfence.sc.gpu;\n\
             {load} %r, [%c];\nst.global.u32 [%o], %r;\nEND:"
        ));
        assert!(stronger.is_empty(), "{stronger:?}");
        results
    };
    assert_eq!(through("ld.global.nc.u32"), BTreeSet::from([5, 7]));
    assert_eq!(through("ld.global.u32"), BTreeSet::from([7]));
}

/// Bytes that are accessed in several sizes keep their order: two halves of a word, and a wide access of two
/// words.
#[test]
fn sizes_are_mixed() {
    let (results, stronger) = shown(
        "setp.ne.u32 %p, %t, 0;\n@%p bra SECOND;\nst.global.u16 [%c], 1;\nst.global.u16 [%c+2], 2;\n\
         st.release.cta.global.u32 [%c+240], 1;\nret;\n\
         SECOND:\nsetp.ne.u32 %p, %t, 32;\n@%p bra END;\nmov.u32 %v, 0;\n\
         ld.acquire.cta.global.u32 %v, [%c+240];\nsetp.ne.u32 %q, %v, 1;\nmov.u32 %r, 131073;\n\
         @%q bra STORE;\nld.global.u32 %r, [%c];\nSTORE:\nst.global.u32 [%o], %r;\nEND:",
    );
    assert_eq!((results, stronger), (BTreeSet::from([0x2_0001]), vec![]));
}
