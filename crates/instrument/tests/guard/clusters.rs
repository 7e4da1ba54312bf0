//! Tests asynchronous operations and arrivals that reach other blocks of a cluster, and the arrivals up to which a wait
//! acquires.

use crate::guardian::{Guardian, module, races_of};
use simt::Schedule;

/// Returns the races of two blocks of a cluster, by line of the text: line 0 initialises the `mbarrier` `%r8` of each block
/// for one arrival and waits for the cluster. `%p1` is a block's first thread, `%p4` that of the first block. `%r4` is a
/// thread's word of the tile at `%r6`, `%r7` the peer's object, `%rd2` global memory, and `%h1` the mask of both blocks.
fn cluster_races(lines: &str) -> Vec<(i32, i32)> {
    let text = format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<9>; .reg .b16 %h<9>;\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 128 .b8 s[256]; .shared .align 8 .b8 b[8];\n\
         ld.param.u64 %rd2, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mov.u32 %r6, s;\n\
         shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r6; mov.u32 %r8, b; mapa.shared::cluster.u32 %r7, %r8, %r3; mov.u16 %h1, 3;\n\
         setp.eq.u32 %p1, %r1, 0; setp.eq.and.u32 %p4, %r2, 0, %p1; @%p1 mbarrier.init.shared::cta.b64 [%r8], 1;\n\
         {SYNC}\n{lines}\n{SYNC}\nret;\n}}\n"
    );
    let first = 1 + text.split(SYNC).next().unwrap().matches('\n').count() as i32;
    let mut all = Vec::new();
    for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 3 }, Schedule::Random] {
        let mut guardian = Guardian::new(&text, schedule);
        guardian.machine.cluster = events::Dim3::new(2, 1, 1);
        let words = guardian.machine.upload(&[0; 512]);
        guardian.machine.finish("k", 2, 32, args![words]);
        let behind = |line: u32| line as i32 - first;
        all.extend(guardian.seen().iter().map(|(a, b, _)| (behind(*a.min(b)), behind(*a.max(b)))));
    }
    all.sort_unstable();
    all.dedup();
    all
}

const SYNC: &str = "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;";
/// A copy of a tile to both blocks, whose objects the first line tells of the bytes.
const EXPECT: &str = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 128;";
const SPREAD: &str = "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r6], [%rd2], 128, [%r8], %h1;";
const READ: &str = "ld.shared.u32 %r5, [%r4]; fence.proxy.async.shared::cta;";

fn wait(label: &str, parity: u32) -> String {
    format!(
        "{label}: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r8], {parity}; @!%p2 bra {label};"
    )
}

#[test]
fn a_multicast_is_pending_in_each_block_until_a_wait() {
    let (waits, late) = (wait("W", 0), wait("X", 0));
    assert_eq!(cluster_races(&format!("{EXPECT}\n{SPREAD}\n{waits}\n{READ}")), []);
    assert_eq!(cluster_races(&format!("{EXPECT}\n{SPREAD}\nbar.sync 0;\n{READ}\n{late}")), [(2, 4)]);
}

#[test]
fn a_multicast_behind_the_barrier_of_the_cluster_races_with_no_read_of_the_round_before() {
    let (first, second) = (wait("W", 0), wait("X", 1));
    let lines = format!("{EXPECT} {SPREAD}\n{first} {READ}\n{SYNC} {EXPECT}\n{SPREAD}\n{second} {READ}");
    assert_eq!(cluster_races(&lines), []);
}

#[test]
fn an_arrival_of_block_scope_hands_nothing_to_the_peer() {
    // The first thread of the first block stores a word of its own for the peer, which waits for its own object.
    let stored = |arrive: &str| {
        let address = "mapa.shared::cluster.u32 %r5, %r6, 1;";
        let waits = wait("W", 0);
        cluster_races(&format!(
            "{address} @%p4 st.shared::cluster.u32 [%r5], 1;\n@%p4 mbarrier.arrive{arrive}.shared::cluster.b64 _, [%r7];\n\
             setp.eq.u32 %p3, %r2, 0; @%p3 bra B; {waits}\nld.shared.u32 %r5, [%r6];\nB:"
        ))
    };
    assert_eq!(stored(".release.cluster"), []);
    assert_eq!(stored(""), [(1, 4)]);
}

#[test]
fn a_wait_acquires_up_to_arrivals_at_its_own_object() {
    // Thread 32 writes a word, and arrives at the second object; thread 64 sees that by a flag alone, and waits for the first
    // object, or for both.
    let text = |waits: &str| {
        module(&format!(
            "@%p1 mbarrier.init.shared.b64 [%r3+512], 1; @%p1 mbarrier.init.shared.b64 [%r3+520], 1; bar.sync 0; @%p1 mbarrier.arrive.shared.b64 %rd2, [%r3+512]; bar.sync 0;\n\
             setp.ne.u32 %p3, %r1, 32; @%p3 bra A;\n\
             st.shared.u32 [%r3+4], %r1;\n\
             mbarrier.arrive.shared.b64 %rd2, [%r3+520]; st.relaxed.gpu.global.u32 [%rd1], 1;\n\
             A: setp.ne.u32 %p3, %r1, 64; @%p3 bra B;\n\
             F: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p4, %r5, 0; @%p4 bra F;\n\
             {waits}\n\
             ld.shared.u32 %r6, [%r3+4];\n\
             B:"
        ))
        .replace("align 4 .b8 s", "align 8 .b8 s")
    };
    let wait =
        |at: u32| format!("W{at}: mbarrier.test_wait.parity.shared.b64 %p5, [%r3+{at}], 0; @!%p5 bra W{at};");
    assert_eq!(races_of(&text(&wait(512)), 1, 96), [(2, 7)]);
    assert_eq!(races_of(&text(&format!("{}{}", wait(512), wait(520))), 1, 96), []);
}

#[test]
fn an_arrival_that_is_not_ordered_behind_the_initialisation_races_with_it() {
    let arrived = |between: &str| {
        let text = module(&format!(
            "@%p1 mbarrier.init.shared.b64 [%r3+512], 64;\n{between}\nmbarrier.arrive.shared.b64 %rd2, [%r3+512];"
        ));
        let text = text.replace("7.1", "8.0").replace("sm_80", "sm_90");
        races_of(&text.replace("align 4 .b8 s", "align 8 .b8 s"), 1, 64)
    };
    assert_eq!(arrived(""), [(0, 2)]);
    assert_eq!(arrived("bar.sync 0;"), []);
    let relaxed = "barrier.cluster.arrive.relaxed; barrier.cluster.wait.acquire;";
    assert_eq!(arrived(relaxed), [(0, 2)]);
    assert_eq!(arrived(&format!("fence.mbarrier_init.release.cluster; {relaxed}")), []);
    assert_eq!(arrived(SYNC), []);
}
