//! Tests order between blocks: releases, acquires, and the reach of both.

use crate::guardian::{Guardian, module, options, races, races_of};
use events::SiteTable;
use instrument::guard::guard;
use instrument::sink::Memory;
use simt::Schedule;
use std::sync::atomic::Ordering;

#[test]
fn strong_accesses_of_other_bytes_are_no_excuse() {
    // A counter of 64 bits of which other threads read half, and a word that is set by halves; all with a
    // scope that includes both.
    let pair = |own: &str, others: &str| races(&format!("@%p2 {own}\n@!%p2 {others}"), 2, 32);
    let add = "atom.global.add.u64 %rd2, [%rd1], 1;";
    assert_eq!(pair(add, "ld.relaxed.gpu.global.u32 %r5, [%rd1];"), [(0, 1)]);
    assert_eq!(pair(add, "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];"), [(0, 1)]);
    assert_eq!(pair(add, "ld.relaxed.gpu.global.u64 %rd3, [%rd1];"), []);
    assert_eq!(pair(add, "ld.relaxed.gpu.global.u32 %r5, [%rd1+8];"), []);
    let word = "st.relaxed.gpu.global.u32 [%rd1], 1;";
    assert_eq!(pair(word, "st.relaxed.gpu.global.u16 [%rd1+2], %h1;"), [(0, 1)]);
    assert_eq!(pair(word, "st.relaxed.gpu.global.u32 [%rd1], 2;"), []);
    assert_eq!(
        pair("st.relaxed.gpu.global.u16 [%rd1], %h1;", "st.relaxed.gpu.global.u16 [%rd1+2], %h1;"),
        []
    );
    // A vector is equivalent to its elements.
    assert_eq!(
        pair("st.relaxed.gpu.global.v2.u32 [%rd1], {1, 2};", "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];"),
        []
    );
    // A packed pair is equivalent to its halves.
    let packed = "red.global.add.noftz.f16x2 [%rd1], %r1;";
    assert_eq!(pair(packed, "atom.global.add.noftz.f16 %h1, [%rd1+2], %h2;"), []);
    assert_eq!(pair(packed, "ld.global.u16 %h1, [%rd1+2];"), [(0, 1)]);
    assert_eq!(pair(packed, packed), []);
    assert_eq!(pair(packed, "atom.global.exch.b32 %r5, [%rd1], 0;"), [(0, 1)]);
    assert_eq!(pair(packed, "atom.global.exch.b64 %rd2, [%rd1], 0;"), [(0, 1)]);
    let halves = "st.relaxed.gpu.global.v2.u16 [%rd1], {%h1, %h1};";
    assert_eq!(pair(halves, packed), []);
    assert_eq!(pair(halves, "st.relaxed.gpu.global.u16 [%rd1+2], %h1;"), []);
    assert_eq!(pair(halves, "st.relaxed.gpu.global.u32 [%rd1], %r1;"), [(0, 1)]);
    // A weak access of a word of a long element races, too.
    assert_eq!(pair(add, "ld.global.u32 %r5, [%rd1+4];"), [(0, 1)]);
    // In one block, ordered by its barrier.
    let half = "setp.lt.u32 %p3, %r1, 32;\n@%p3 atom.shared.add.u64 %rd2, [s], 1;\n{then}\n@!%p3 ld.volatile.shared.u32 %r5, [s];";
    assert_eq!(races(&half.replace("{then}", ""), 1, 64), [(1, 3)]);
    assert_eq!(races(&half.replace("{then}", "bar.sync 0;"), 1, 64), []);
    // Ordered by a flag; and by the word itself, whose reader observes the write.
    let told = |flag: &str| {
        format!(
            "@!%p1 ret;\n@!%p2 bra R;\nst.relaxed.gpu.global.u64 [%rd1], 1;\n{}\nret;\n\
             R: ld.acquire.gpu.global.u64 %rd2, [%rd1+{flag}];\nsetp.eq.u64 %p3, %rd2, 0;\n@%p3 bra R;\n\
             atom.global.add.u32 %r5, [%rd1], 1;",
            if flag == "8" { "st.release.gpu.global.u64 [%rd1+8], 1;" } else { "" }
        )
        .replace(
            "relaxed.gpu.global.u64 [%rd1], 1",
            if flag == "8" { "relaxed.gpu.global.u64 [%rd1], 1" } else { "release.gpu.global.u64 [%rd1], 1" },
        )
    };
    assert_eq!(races(&told("8"), 2, 32), []);
    assert_eq!(races(&told("0"), 2, 32), []);
}

#[test]
fn what_is_released_to_a_block_alone_orders_no_other() {
    let told = |release: &str, acquire: &str| {
        format!(
            "@!%p1 ret;\n@!%p2 bra R;\nst.global.u32 [%rd1], 1;\n{release}\nst.relaxed.gpu.global.u32 [%rd1+8], 1;\nret;\n\
             R: ld.relaxed.gpu.global.u32 %r5, [%rd1+8];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra R;\n{acquire}\n\
             ld.global.u32 %r6, [%rd1];"
        )
    };
    let (cta, gpu) = ("membar.cta;", "membar.gl;");
    assert_eq!(races(&told(gpu, gpu), 2, 32), []);
    assert_eq!(races(&told(cta, cta), 2, 32), [(2, 10)]);
    assert_eq!(races(&told("fence.acq_rel.cta;", "fence.acq_rel.cta;"), 2, 32), [(2, 10)]);
    // A cluster-scope release reaches blocks of the same cluster.
    let near = module(&told("fence.acq_rel.cluster;", "fence.acq_rel.cluster;")).replace("sm_80", "sm_90");
    assert_eq!(races_of(&near, 2, 32), [(2, 10)]);
    let mut guardian = Guardian::new(&near, Schedule::RoundRobin { quantum: 3 });
    guardian.machine.cluster = events::Dim3::new(2, 1, 1);
    let words = guardian.machine.upload(&[0; 32]);
    guardian.machine.finish("k", 2, 32, args![words]);
    assert_eq!(guardian.seen(), []);
    // Operations that release and acquire themselves.
    let flag = |scope: &str| {
        format!(
            "@!%p1 ret;\n@!%p2 bra R;\nst.global.u32 [%rd1], 1;\nst.release.{scope}.global.u32 [%rd1+8], 1;\nret;\n\
             R: ld.acquire.{scope}.global.u32 %r5, [%rd1+8];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra R;\nld.global.u32 %r6, [%rd1];"
        )
    };
    assert_eq!(races(&flag("gpu"), 2, 32), []);
    assert_eq!(races(&flag("cta"), 2, 32), [(2, 8), (3, 5)]);
    // Block scope suffices within a block: from its first warp to its second.
    let near = "setp.eq.u32 %p2, %r1, 0;\nsetp.eq.u32 %p3, %r1, 32;\nor.pred %p4, %p2, %p3;\n@!%p4 ret;\n@!%p2 bra R;\n\
         st.global.u32 [%rd1], 1;\nmembar.cta;\nst.relaxed.cta.global.u32 [%rd1+8], 1;\nret;\n\
         R: ld.relaxed.cta.global.u32 %r5, [%rd1+8];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra R;\nmembar.cta;\nld.global.u32 %r6, [%rd1];";
    assert_eq!(races(near, 1, 64), []);
    assert_eq!(races(&near.replace("membar.cta;", ""), 1, 64), [(5, 13)]);
    // Earlier launches are ordered before, however many they are. The last block of each writes.
    let own = "@!%p1 ret;\nmov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\nsetp.eq.u32 %p3, %r2, %r6;\n@!%p3 ret;\nmembar.cta;\nld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd1], 1;\nmembar.cta;";
    let guardian = Guardian::new(&module(own), Schedule::RoundRobin { quantum: 3 });
    let words = guardian.machine.upload(&[0; 4]);
    for n in 0..40 {
        guardian.machine.task.store(n, Ordering::Relaxed);
        guardian.machine.finish("k", 1 + n % 2, 32, args![words]);
    }
    assert_eq!(guardian.seen(), []);
}

#[test]
fn the_clock_is_read_behind_what_a_wait_has_found() {
    // A wait that is outstanding orders nothing yet, nor does one that was unsuccessful.
    let text = module(
        "W: mbarrier.test_wait.parity.shared.b64 %p3, [%r3+512], 0;\n@!%p3 bra W;\nld.acquire.cta.shared.u32 %r5, [%r3+4];",
    );
    let guarded = guard(&text, &options(), &mut SiteTable::default(), &|_| true).unwrap().text;
    let behind = |instruction: &str, scope: usize| {
        guarded.split(instruction).nth(1).unwrap().split("$wr_end:").nth(scope).unwrap().to_owned()
    };
    let wait = behind("mbarrier.test_wait.parity.shared.b64 %p3, [%r3+512], 0;", 0);
    assert!(wait.find("@!%p3 bra $wr_end;").unwrap() < wait.find("ld.relaxed.gpu").unwrap(), "{wait}");
    let load = behind("ld.acquire.cta.shared.u32 %r5, [%r3+4];", 1);
    assert!(load.find("mov.b32 %wr_r0, %r5;").unwrap() < load.find("ld.relaxed.gpu").unwrap(), "{load}");
}

/// Returns races of blocks that write to the shared memory of the block with the next rank, in two clusters
/// of two, and read their own after `between`.
fn cluster_races(between: &str) -> Vec<(u32, u32)> {
    let text = format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<9>;\n.shared .align 4 .b8 s[128];\nmov.u32 %r1, %tid.x;\nmov.u64 %rd1, s;\n\
         mad.wide.u32 %rd1, %r1, 4, %rd1;\ncvta.shared.u64 %rd2, %rd1;\nmov.u32 %r2, %cluster_ctarank;\n\
         xor.b32 %r3, %r2, 1;\nmapa.u64 %rd3, %rd2, %r3;\nst.u32 [%rd3], %r1;\n{between}\n\
         ld.shared.u32 %r4, [%rd1];\nld.param.u64 %rd4, [p];\nst.global.u32 [%rd4], %r4;\nret;\n}}\n"
    );
    let mut all = Vec::new();
    for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 3 }, Schedule::Random] {
        let mut guardian = Guardian::new(&text, schedule);
        guardian.machine.cluster = events::Dim3::new(2, 1, 1);
        let words = guardian.machine.upload(&[0; 32]);
        guardian.machine.finish("k", 4, 32, args![words]);
        let shared = guardian.seen().into_iter().filter(|(.., first)| first.memory == Memory::Shared);
        all.extend(shared.map(|(first, second, _)| (first.min(second), first.max(second))));
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn blocks_of_a_cluster_share_their_memory_and_other_clusters_do_not() {
    let release = "barrier.cluster.arrive.release;";
    let wait = "barrier.cluster.wait.acquire;";
    assert_eq!(cluster_races(&format!("{release}\n{wait}")), []);
    // By lines of the text: the store, and the first load behind it.
    assert_eq!(cluster_races("bar.sync 0;"), [(16, 18)]);
    assert_eq!(cluster_races("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;"), [(16, 19)]);
    assert_eq!(cluster_races(&format!("{release}\nld.shared.u32 %r5, [%rd1];\n{wait}")), [(16, 18)]);
}

/// A thread that has counted in another block's memory has not observed the same place in its own block's
/// memory.
#[test]
fn what_was_observed_of_one_block_is_not_of_another() {
    let body = |counted: &str, read: &str| {
        cluster_races(&format!(
            "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\natom.add.u32 %r5, [{counted}], 1;\nld.u32 %r6, [{read}]; barrier.cluster.arrive.release; barrier.cluster.wait.acquire; ret;"
        ))
    };
    assert_eq!(body("%rd3", "%rd2"), [(18, 19)]);
    assert_eq!(body("%rd2", "%rd2"), []);
}

#[test]
fn blocks_race_unless_something_was_released_and_acquired() {
    // Block 0 passes a word on by a flag; the others wait for it.
    let body = |release: &str, acquire: &str| {
        format!(
            "@!%p2 bra W;\nst.global.u32 [%rd1], 7;\n{release}\nst.relaxed.gpu.global.u32 [%rd1+4], 1;\nbra E;\nW:\n\
             ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra W;\n{acquire}\n\
             ld.global.u32 %r6, [%rd1];\nE:"
        )
    };
    assert_eq!(races(&body("fence.acq_rel.gpu;", "fence.acq_rel.gpu;"), 2, 1), []);
    assert_eq!(races(&body("", ""), 2, 1), [(1, 10)]);
    assert_eq!(races(&body("fence.acq_rel.gpu;", ""), 2, 1), [(1, 10)]);
    assert_eq!(races(&body("", "fence.acq_rel.gpu;"), 2, 1), [(1, 10)]);
}

#[test]
fn strong_accesses_race_with_weak_ones_and_with_too_narrow_ones() {
    assert_eq!(races("red.global.add.u32 [%rd1], 1;", 2, 32), []);
    assert_eq!(races("red.cta.global.add.u32 [%rd1], 1;", 1, 32), []);
    assert_eq!(races("red.cta.global.add.u32 [%rd1], 1;", 2, 32), [(0, 0)]);
    assert_eq!(races("red.global.add.u32 [%rd1], 1;\nld.global.u32 %r5, [%rd1];", 2, 1), [(0, 1)]);
}

/// A releasing store is ordered before an acquire that observes it, and so is an exchange that does both.
#[test]
fn what_releases_is_itself_released() {
    for release in
        ["st.release.gpu.global.u32 [%rd1+4], 1;", "atom.acq_rel.gpu.global.exch.b32 %r7, [%rd1+4], 1;"]
    {
        let body = format!(
            "@!%p2 bra W;\n{release}\nbra E;\nW:\nld.acquire.gpu.global.u32 %r5, [%rd1+4];\n\
             setp.eq.u32 %p3, %r5, 0;\n@%p3 bra W;\nld.global.u32 %r6, [%rd1+4];\nE:"
        );
        assert_eq!(races(&body, 2, 1), []);
    }
}

/// The thread that draws the last ticket has observed all other draws, and may then write without an atomic.
#[test]
fn who_has_observed_a_word_may_write_it() {
    let body = |own: &str| {
        format!(
            "atom.global.add.u32 %r5, [%rd1], 1;\nsetp.ne.u32 %p3, %r5, 3;\n@%p3 bra E;\nst.global.u32 [{own}], 0;\nE:"
        )
    };
    assert_eq!(races(&body("%rd1"), 4, 1), []);
    // An observation of another word does not count.
    let elsewhere =
        "atom.global.add.u32 %r5, [%rd1+64], 1;\nred.global.add.u32 [%rd1], 1;\nst.global.u32 [%rd1], 0;";
    assert!(races(elsewhere, 4, 1).contains(&(1, 2)));
}

/// Fences order two blocks only if both are wide enough, regardless of other releases and acquires.
#[test]
fn both_blocks_need_a_wide_fence() {
    let passed = |releases: &str, acquires: &str| {
        format!(
            "@!%p2 bra R;\nst.global.u32 [%rd1], 1;\n{releases}\nst.relaxed.gpu.global.u32 [%rd1+4], 1;\nbra E;\n\
             R: ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra R;\n{acquires}\n\
             setp.eq.u32 %p3, %r2, 1;\n@!%p3 bra O;\nld.global.u32 %r6, [%rd1];\nbra E;\nO: fence.acq_rel.gpu;\nE:"
        )
    };
    let (wide, narrow) = ("fence.acq_rel.gpu;", "fence.acq_rel.cta;");
    assert_eq!(races(&passed(wide, wide), 4, 1), []);
    assert_eq!(races(&passed(narrow, wide), 4, 1), [(1, 11)]);
    assert_eq!(races(&passed(wide, narrow), 4, 1), [(1, 11)]);
    // Another thread of the block may have released or acquired.
    let others = "@%p2 st.global.u32 [%rd1], 1;\nbar.sync 0;\n@%p1 fence.acq_rel.gpu;\n@!%p2 bra R;\n\
         @%p1 st.relaxed.gpu.global.u32 [%rd1+4], 1;\nbra E;\nR: @!%p1 bra B;\nW: ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\n\
         setp.eq.u32 %p3, %r5, 0;\n@%p3 bra W;\nfence.acq_rel.gpu;\nB: bar.sync 0;\nld.global.u32 %r6, [%rd1];\nE:";
    let own = others.replacen(
        "@%p2 st.global.u32 [%rd1], 1;",
        "setp.eq.and.u32 %p4, %r1, 3, %p2;\n@%p4 st.global.u32 [%rd1], 1;",
        1,
    );
    assert_eq!(races(&own, 3, 8), []);
}
