//! Kernels that guard their memory, on the virtual GPU: races are told with both sides, and what is ordered is not.
//!
//! **Size:** one rule after the other, on one guardian.

#[path = "../../simt/tests/support/mod.rs"]
#[macro_use]
mod support;
mod guardian;

use events::SiteTable;
use events::task::AllocKind;
use instrument::Error;
use instrument::collide::KINDS;
use instrument::guard::launches::{Before, Launches};
use instrument::guard::{Options, guard, ranges};
use instrument::sink::{ADDRESS, First, RECORD, Record};
use simt::{Region, Schedule};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use support::Machine;

use guardian::{BODY, Guardian, TABLE, module, options, races, races_of};

#[test]
fn copies_of_a_thread_are_its_accesses() {
    let body = |then: &str| {
        format!(
            "cp.async.ca.shared.global [%r4], [%rd1], 4, 4;\n{then}\nbar.sync 0;\nld.shared.u32 %r5, [%r3+4];\n\
             @%p1 st.global.u32 [%rd1], %r5;"
        )
    };
    // All copy from the word that one thread then writes, behind a barrier.
    assert_eq!(races(&body("cp.async.wait_all;"), 1, 64), []);
    assert_eq!(races(&body("cp.async.wait_all;"), 2, 64), [(0, 4), (4, 4)]);
    let unordered = "cp.async.ca.shared.global [%r4], [%rd1], 4;\nld.shared.u32 %r5, [%r3+4];";
    assert_eq!(races(unordered, 1, 64), [(0, 1)]);
    // Copies that arrive at a barrier in memory by themselves.
    let arrived = "@%p1 mbarrier.init.shared.b64 [%r3+512], 64;\nbar.sync 0;\n\
         cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r3+512];\n\
         W: mbarrier.test_wait.parity.shared.b64 %p3, [%r3+512], 0;\n@!%p3 bra W;\nld.shared.u32 %r5, [%r3+4];";
    assert_eq!(races(arrived, 1, 64), []);
}

#[test]
fn copies_are_pending_until_their_thread_has_waited() {
    // Others read behind a barrier what a thread copies, and has not waited for; and it reads so itself.
    let copy = "cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.commit_group;\n";
    let read = "bar.sync 0;\nld.shared.u32 %r5, [%r3+4];";
    assert_eq!(races(&format!("{copy}{read}"), 1, 64), [(0, 3)]);
    assert_eq!(races(&format!("{copy}cp.async.wait_group 1;\n{read}"), 1, 64), [(0, 4)]);
    assert_eq!(races(&format!("{copy}cp.async.wait_group 0;\n{read}"), 1, 64), []);
    assert_eq!(races(&format!("{copy}cp.async.wait_all;\n{read}"), 1, 64), []);
    assert_eq!(races(&format!("{copy}ld.shared.u32 %r5, [%r4];"), 1, 64), [(0, 2)]);
    assert_eq!(races(&format!("{copy}cp.async.wait_all;\nld.shared.u32 %r5, [%r4];"), 1, 64), []);
    // A group that is not committed is waited for by nothing but `wait_all`.
    let open = "cp.async.ca.shared.global [%r4], [%rd1], 4;\n";
    assert_eq!(races(&format!("{open}cp.async.wait_group 0;\n{read}"), 1, 64), [(0, 3)]);
    assert_eq!(races(&format!("{open}cp.async.wait_all;\n{read}"), 1, 64), []);
    // Who waits behind the barrier alone: the wait is what must be ordered.
    assert_eq!(
        races(&format!("{copy}bar.sync 0;\ncp.async.wait_all;\nld.shared.u32 %r5, [%r3+4];"), 1, 64),
        [(0, 4)]
    );
    // The older one of two groups is there, the other is not.
    let two = "cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.commit_group;\n\
         cp.async.ca.shared.global [%r4+512], [%rd1], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\nbar.sync 0;\n";
    assert_eq!(races(&format!("{two}ld.shared.u32 %r5, [%r3+4];"), 1, 64), []);
    assert_eq!(races(&format!("{two}ld.shared.u32 %r5, [%r3+516];"), 1, 64), [(2, 6)]);
    // What is copied from may not be written yet.
    assert_eq!(
        races(&format!("{copy}bar.sync 0;\n@%p1 st.global.u32 [%rd1], %r1;\ncp.async.wait_all;"), 1, 64),
        [(0, 3)]
    );
    assert_eq!(
        races(&format!("{copy}cp.async.wait_all;\nbar.sync 0;\n@%p1 st.global.u32 [%rd1], %r1;"), 1, 64),
        []
    );
    // More than a thread remembers are taken as made at once, and those it does remember are settled; in a loop, too.
    let many = format!("{}cp.async.wait_all;\n{read}", open.repeat(20));
    assert_eq!(races(&many, 1, 64), []);
    let turns = format!(
        "mov.u32 %r6, 0;\nL: {copy}cp.async.wait_group 0;\n{read}\nbar.sync 0;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 40;\n@%p3 bra L;"
    );
    assert_eq!(races(&turns, 1, 64), []);
    // Where others may wait for them nothing is pending.
    let heard = format!(
        "@%p1 mbarrier.init.shared.b64 [%r3+512], 64;\n{open}cp.async.mbarrier.arrive.noinc.shared.b64 [%r3+512];\n{read}"
    );
    assert_eq!(races(&heard, 1, 64), []);
}

#[test]
fn matrices_of_wmma_are_read_and_written_as_a_whole() {
    // The second warp writes one word, the first loads 16 rows of 16 numbers, `stride` numbers apart; nothing in between is touched.
    let (eight, load) = (
        "{%r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18}",
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16",
    );
    let body = |at: u32, between: &str, what: &str| {
        format!(
            ".reg .b32 %r<20>;\nsetp.eq.u32 %p4, %r1, 32;\nsetp.ge.u32 %p3, %r1, 32;\nmov.u32 %r9, 24;\n@%p4 st.shared.u32 [%r3+{at}], %r1;\n{between}\n@%p3 ret;\n{what};"
        )
        .replace(".reg .b32 %r<20>;", ".reg .b32 %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r9;")
    };
    for (stride, at, found) in [
        ("16", 508, true),
        ("24", 28, true),
        ("24", 32, false),
        ("24", 48 * 15, true),
        ("%r9", 48 * 15 + 32, false),
        ("%r9", 48 * 15 + 28, true),
    ] {
        let load = format!("{load} {eight}, [%r3], {stride}");
        let expected: &[(i32, i32)] = if found { &[(4, 7)] } else { &[] };
        assert_eq!(races(&body(at, "", &load), 1, 64), expected, "{stride} {at}");
        assert_eq!(races(&body(at, "bar.sync 0;", &load), 1, 64), [], "{stride} {at}");
    }
    // Rows of 64 bytes are shared by two lanes.
    let store = format!("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r3], {eight}, 16");
    for at in [0, 60, 1020] {
        assert_eq!(races(&body(at, "", &store), 1, 64), [(4, 7)], "{at}");
    }
    // Which lane has what nobody knows: within the warp it orders itself.
    let own = format!("st.shared.u32 [%r4], %r1;\n{load} {eight}, [%r3], 16;\nst.shared.u32 [%r4+4], %r1;");
    let own = format!(".reg .b32 %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18;\n{own}");
    assert_eq!(races(&own, 1, 32), []);
    // So it does where one follows upon another: at once, behind a store, and around a loop whose body ends with one of a part of the lanes.
    let registers = ".reg .b32 %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18;";
    for (between, behind) in [
        ("", ""),
        ("st.shared.u32 [%r4], %r1;", ""),
        (
            "mov.u32 %r10, 0;\nAGAIN:",
            "@%p4 st.shared.u32 [%r3+4], %r1;\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 2;\n@%p3 bra AGAIN;",
        ),
    ] {
        let part = "setp.eq.u32 %p4, %r1, 5;";
        let two = format!(
            "{registers}\n{part}\n{load} {eight}, [%r3], 16;\n{between}\n{load} {eight}, [%r3], 16;\n{behind}"
        );
        assert_eq!(races(&two, 1, 32), [], "{between}");
    }
    // Each is held against other warps.
    let body = |first: u32| {
        format!(
            "{registers}\nsetp.eq.u32 %p4, %r1, 32;\nsetp.ge.u32 %p3, %r1, 32;\n@%p4 st.shared.u32 [%r3+508], %r1;\n@%p3 ret;\n{load} {eight}, [%r3+{first}], 16;\n{load} {eight}, [%r3+{}], 16;",
            512 - first
        )
    };
    assert_eq!(races(&body(512), 1, 64), [(3, 6)]);
    assert_eq!(races(&body(0), 1, 64), [(3, 5)]);
}

/// Races of 64 threads with bulk copies, of which thread 0 starts one: an `mbarrier` at 512 waits for its bytes.
fn bulk_races(body: &str) -> Vec<(i32, i32)> {
    let begin = "@%p1 mbarrier.init.shared::cta.b64 [%r3+512], 1; bar.sync 0;";
    let text = module(&format!("{begin} {body}"))
        .replace("7.1", "8.0")
        .replace("sm_80", "sm_90")
        .replace("align 4 .b8 s", "align 16 .b8 s");
    races_of(&text, 1, 64)
}

#[test]
fn bulk_copies_are_pending_until_somebody_has_waited() {
    let expect = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+512], 256;";
    let load = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r3+512];";
    let wait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+512], 0; @!%p3 bra W;";
    let read = "ld.shared.u32 %r5, [%r4];";
    // Lines: 0 the wait that all begin with and `expect`, then one each.
    let end = wait.replace('W', "X");
    let loaded = |then: &str| bulk_races(&format!("{expect}\n{load}\n{then}\n{end}"));
    assert_eq!(loaded(&format!("{wait}\n{read}")), []);
    assert_eq!(loaded(&format!("bar.sync 0;\n{read}")), [(1, 3)], "a barrier of threads waits for no copy");
    assert_eq!(loaded(read), [(1, 2)]);
    // One waits for all, who meet behind that.
    let one = "@!%p1 bra B; W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+512], 0; @!%p3 bra W; B: bar.sync 0;";
    assert_eq!(bulk_races(&format!("{expect}\n{load}\n{one}\n{read}")), []);
    // What was read before the copy starts, and is not ordered before it.
    assert_eq!(bulk_races(&format!("{read} {expect}\n{load}\n{wait}")), [(0, 1)]);
    assert_eq!(bulk_races(&format!("{read} bar.sync 0; {expect}\n{load}\n{wait}")), []);
    // What was written there, and no proxy fence.
    let written = |fence: &str| {
        bulk_races(&format!("st.shared.u32 [%r4], %r1; {fence} bar.sync 0; {expect}\n{load}\n{wait}\n{read}"))
    };
    assert_eq!(written(""), [(0, 1)]);
    assert_eq!(written("fence.proxy.async.global;"), [(0, 1)]);
    assert_eq!(written("fence.proxy.async.shared::cta;"), []);
    assert_eq!(written("fence.proxy.async;"), []);
}

#[test]
fn bulk_stores_are_pending_until_their_thread_has_waited() {
    let fill = "st.shared.u32 [%r4], %r1; fence.proxy.async.shared::cta; bar.sync 0;";
    let store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256; @%p1 cp.async.bulk.commit_group;";
    let stored = |then: &str| bulk_races(&format!("{fill} {store}\n{then}\ncp.async.bulk.wait_group 0;"));
    // Its source, that others write again.
    let again = "bar.sync 0;\nst.shared.u32 [%r4], 0;";
    assert_eq!(stored(again), [(0, 2)]);
    assert_eq!(stored(&format!("cp.async.bulk.wait_group.read 0;\n{again}")), []);
    assert_eq!(stored(&format!("cp.async.bulk.wait_group 0;\n{again}")), []);
    // Its destination, that its thread reads.
    let back = "@%p1 ld.global.u32 %r5, [%rd1+252];";
    assert_eq!(stored(back), [(0, 1)]);
    assert_eq!(stored(&format!("cp.async.bulk.wait_group.read 0;\n{back}")), [(0, 2)]);
    assert_eq!(stored(&format!("cp.async.bulk.wait_group 0;\n{back}")), []);
    // Reductions are atomic.
    let add = "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r3], 256; @%p1 cp.async.bulk.commit_group;";
    let added = |then: &str| bulk_races(&format!("{fill} {add}\n{then}\ncp.async.bulk.wait_group 0;"));
    assert_eq!(added("red.relaxed.gpu.global.add.u32 [%rd1+8], 1;"), []);
    assert_eq!(added("ld.global.u32 %r5, [%rd1+8];"), [(0, 1)]);
}

#[test]
fn narrow_addresses_wrap_as_the_program_has_them() {
    // Each thread writes a word of its own, counted from the end; one is read by all, by its usual address.
    let body = |then: &str| {
        format!(
            "sub.u32 %r5, 0, %r4;\nadd.s32 %r5, %r5, %r3;\nadd.s32 %r5, %r5, %r3;\nst.shared.u32 [%r5+252], %r1;\n{then}\nld.shared.u32 %r6, [%r3];"
        )
    };
    assert_eq!(races(&body(""), 1, 64), [(3, 5)]);
    assert_eq!(races(&body("bar.sync 0;"), 1, 64), []);
    // Words of other blocks are not meant.
    assert_eq!(races(&body("bar.sync 0;"), 3, 64), []);
}

#[test]
fn strong_accesses_of_other_bytes_are_no_excuse() {
    // A counter of 64 bits of which others look at half, and a word that is set by halves; all of a scope that includes both.
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
    // A vector is its elements.
    assert_eq!(
        pair("st.relaxed.gpu.global.v2.u32 [%rd1], {1, 2};", "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];"),
        []
    );
    // So is a pair.
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
    // A weak access of a long element's word races as before.
    assert_eq!(pair(add, "ld.global.u32 %r5, [%rd1+4];"), [(0, 1)]);
    // In one block, and ordered by its barrier.
    let half = "setp.lt.u32 %p3, %r1, 32;\n@%p3 atom.shared.add.u64 %rd2, [s], 1;\n{then}\n@!%p3 ld.volatile.shared.u32 %r5, [s];";
    assert_eq!(races(&half.replace("{then}", ""), 1, 64), [(1, 3)]);
    assert_eq!(races(&half.replace("{then}", "bar.sync 0;"), 1, 64), []);
    // Ordered by a flag; and by the word itself, which tells who has read it what was written.
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
fn rows_of_matrices_are_read_and_written_by_the_lanes_that_name_them() {
    // The second warp writes what the first loads as matrices, whose rows are 16 bytes apart: a word, by its number.
    let body = |between: &str, form: &str, lane: u32, registers: &str| {
        format!(
            "shl.b32 %r6, %r1, 4;\nadd.s32 %r6, %r6, %r3;\nsetp.ge.u32 %p3, %r1, 32;\nsetp.eq.u32 %p4, %r1, 32;\n\
             @%p4 st.shared.u32 [%r3+{}], %r1;\n{between}\n@%p3 ret;\n{form} {registers};",
            lane * 16 + 4,
        )
    };
    let load = |count: u32| {
        let registers: Vec<String> = (0..count).map(|i| format!("%r{}", 5 - i)).collect();
        (
            format!("ldmatrix.sync.aligned.m8n8.x{count}.shared.b16"),
            format!("{{{}}}, [%r6]", registers.join(", ")),
        )
    };
    for (count, lane, races_) in [(1, 7, true), (1, 8, false), (2, 15, true), (2, 16, false), (4, 31, true)] {
        // The registers that are loaded are not those of addresses.
        let (form, registers) = load(count);
        let registers = registers.replace("%r3", "%r7").replace("%r4", "%r8");
        let expected: &[(i32, i32)] = if races_ { &[(4, 7)] } else { &[] };
        assert_eq!(races(&body("", &form, lane, &registers), 1, 64), expected, "{count} {lane}");
        assert_eq!(races(&body("bar.sync 0;", &form, lane, &registers), 1, 64), [], "{count} {lane}");
    }
    let store = ("stmatrix.sync.aligned.m8n8.x1.shared.b16", "[%r6], {%r1}");
    let newer = |between: &str| {
        let text =
            module(&body(between, store.0, 3, store.1)).replace("7.1", "7.8").replace("sm_80", "sm_90");
        let guardian = Guardian::new(&text, Schedule::RoundRobin { quantum: 3 });
        guardian.machine.finish("k", 1, 64, args![0u64]);
        guardian.seen().len()
    };
    assert_eq!((newer(""), newer("bar.sync 0;")), (1, 0));
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
    // Others are told if they share the cluster.
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
    // Within a block that is enough: from its first warp to its second.
    let near = "setp.eq.u32 %p2, %r1, 0;\nsetp.eq.u32 %p3, %r1, 32;\nor.pred %p4, %p2, %p3;\n@!%p4 ret;\n@!%p2 bra R;\n\
         st.global.u32 [%rd1], 1;\nmembar.cta;\nst.relaxed.cta.global.u32 [%rd1+8], 1;\nret;\n\
         R: ld.relaxed.cta.global.u32 %r5, [%rd1+8];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra R;\nmembar.cta;\nld.global.u32 %r6, [%rd1];";
    assert_eq!(races(near, 1, 64), []);
    assert_eq!(races(&near.replace("membar.cta;", ""), 1, 64), [(5, 13)]);
    // And what was before the launch is ordered, of however many launches.
    // The last block of each writes.
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
fn a_sample_of_large_launches_has_both_sides() {
    let sampling = Options { prune: true, ..options() };
    let seen = |body: &str, blocks: u32| {
        let guardian = Guardian::with(&module(body), Schedule::RoundRobin { quantum: 3 }, &sampling);
        let words = guardian.machine.upload(&vec![0; 64 * blocks as usize]);
        guardian.machine.finish("k", blocks, 64, args![words]);
        guardian.seen().iter().map(|(a, b, first)| (a - BODY, b - BODY, first.block[0])).collect::<Vec<_>>()
    };
    // Shared memory: a neighbour's word, in the first of many blocks, and behind a hundred barriers in one of sixteen intervals.
    let turns = |race: &str| {
        format!(
            "mov.u32 %r6, 0;\nL: bar.sync 0;\nst.shared.u32 [%r4], %r6;\n{race}\nld.shared.u32 %r5, [%r3+4];\n\
             add.u32 %r6, %r6, 1;\nbar.sync 0;\nsetp.lt.u32 %p3, %r6, 50;\n@%p3 bra L;"
        )
    };
    assert_eq!(seen(&turns("bar.sync 0;"), 1), []);
    assert!(!seen(&turns(""), 1).is_empty());
    let late = "mov.u32 %r6, 0;\nL: bar.sync 0;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 40;\n@%p3 bra L;\n\
         M: bar.sync 0;\nst.shared.u32 [%r4], %r6;\nld.shared.u32 %r5, [%r3+4];\nadd.u32 %r6, %r6, 1;\nbar.sync 0;\n\
         setp.lt.u32 %p3, %r6, 140;\n@%p3 bra M;";
    assert!(!seen(late, 1).is_empty());
    // Global memory: each thread writes the word of one in the next block; some pieces of 512 bytes are looked at.
    let global = "mad.lo.u32 %r5, %r2, 64, %r1;\nmul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
         st.global.u32 [%rd3], %r5;\nmov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\nsetp.eq.u32 %p3, %r2, %r6;\n\
         @%p3 ret;\nst.global.u32 [%rd3+256], %r5;";
    assert!(!seen(global, 4).is_empty());
    assert!(!seen(global, 4096).is_empty(), "2^18 threads");
}

#[test]
fn the_clock_is_read_behind_what_a_wait_has_found() {
    // A wait that is on its way orders nothing yet, nor does one that has found nothing.
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

/// Each block writes to the shared memory of the block with the next rank, in two clusters of two: `between` that and reading its own.
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
        let shared = guardian.seen().into_iter().filter(|(.., first)| first.shared);
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

/// A thread that has counted in another block's memory has not seen what its own block's has in the same place.
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
fn what_is_stored_asynchronously_is_there_once_its_barrier_says_so() {
    // Each thread sends a word to the other block, which reads it, behind the `mbarrier` that waits for all of them or not.
    let send = |wait: &str, send: &str| {
        let begin = "mov.u32 %r5, %cluster_ctarank; cvt.u32.u64 %r6, %rd1; mov.u32 %r8, b; setp.eq.u32 %p1, %r1, 0; \
             @%p1 mbarrier.init.shared::cta.b64 [%r8], 1; @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 128; \
             mapa.shared::cluster.u32 %r6, %r6, %r3; mapa.shared::cluster.u32 %r7, %r8, %r3; \
             barrier.cluster.arrive.release; barrier.cluster.wait.acquire;";
        let end = "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;";
        let text = format!(
            ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<9>; .reg .pred %p<9>;\n\
             .reg .b64 %rd<9>;\n.shared .align 4 .b8 s[128]; .shared .align 8 .b8 b[8];\nmov.u32 %r1, %tid.x;\nmov.u64 %rd1, s;\n\
             mad.wide.u32 %rd1, %r1, 4, %rd1; mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1;\n{begin}\n{send}\n{wait}\n\
             ld.shared.u32 %r4, [%rd1];\n{end}\nret;\n}}\n"
        );
        let mut all = Vec::new();
        for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 3 }, Schedule::Random] {
            let mut guardian = Guardian::new(&text, schedule);
            guardian.machine.cluster = events::Dim3::new(2, 1, 1);
            guardian.machine.finish("k", 2, 32, args![0u64]);
            all.extend(guardian.seen().into_iter().map(|(a, b, _)| (a.min(b), a.max(b))));
        }
        all.sort_unstable();
        all.dedup();
        all
    };
    let wait = "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r8], 0; @!%p2 bra W;";
    let late = "X: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r8], 0; @!%p2 bra X;";
    let store = "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6], %r1, [%r7];";
    assert_eq!(send(wait, store), []);
    assert_eq!(send("", &format!("{store}\nld.shared.u32 %r4, [%rd1]; {late}")), [(13, 14)]);
    let add = "red.async.relaxed.cluster.global.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6], %r1, [%r7];"
        .replace(".global", "");
    assert_eq!(send(wait, &add), []);
    assert_eq!(send("", &format!("{add}\nld.shared.u32 %r4, [%rd1]; {late}")), [(13, 14)]);
}

#[test]
fn discarded_lines_are_written() {
    let body = |between: &str| {
        format!("ld.global.u32 %r5, [%rd1+124];\n{between}\n@%p1 discard.global.L2 [%rd1], 128;")
    };
    assert_eq!(races(&body("bar.sync 0;"), 1, 64), []);
    assert_eq!(races(&body(""), 1, 64), [(0, 2)]);
    assert_eq!(races(&body("").replace("+124", "+128"), 1, 64), []);
}

/// Who reads a word again leaves the place of another reader alone.
#[test]
fn a_thread_that_reads_again_hides_no_other() {
    let body = "setp.eq.u32 %p3, %r1, 0;\n@%p3 ld.global.u32 %r5, [%rd1];\n@!%p3 ld.global.u32 %r5, [%rd1];\n\
         @!%p3 ret;\n@%p3 membar.cta;\n@%p3 ld.global.u32 %r5, [%rd1];\n@%p3 st.global.u32 [%rd1], 1;";
    let guardian = Guardian::new(&module(body), Schedule::RoundRobin { quantum: 400 });
    let words = guardian.machine.upload(&[0; 4]);
    guardian.machine.finish("k", 1, 33, args![words]);
    assert_eq!(guardian.seen().len(), 1);
}

#[test]
fn a_barrier_orders_a_block_and_nothing_else_does() {
    let body = |between: &str| format!("st.shared.u32 [%r4], %r1;\n{between}\nld.shared.u32 %r5, [%r3+4];");
    assert_eq!(races(&body("bar.sync 0;"), 1, 64), []);
    assert_eq!(races(&body(""), 1, 64), [(0, 2)]);
    // One warp: its own barrier is enough for it, lockstep is not.
    assert_eq!(races(&body("bar.warp.sync -1;"), 1, 32), []);
    assert_eq!(races(&body("bar.warp.sync -1;"), 1, 64), [(0, 2)]);
    assert_eq!(races(&body("shfl.sync.idx.b32 %r6, %r1, 0, 31, -1;"), 1, 32), [(0, 2)]);
    assert_eq!(races(&body("bar.sync 1, 64;"), 1, 64), []);
}

/// Groups of lanes, and of warps, wait for each other, and nobody for the other group.
#[test]
fn barriers_of_some_order_those_who_meet() {
    let swap = |barrier: &str, apart: u32| {
        format!(
            "and.b32 %r6, %r1, 16;\nmov.u32 %r7, 65535;\nshl.b32 %r7, %r7, %r6;\nshr.u32 %r8, %r1, 5;\n\
             st.shared.u32 [%r4], %r1;\n{barrier}\nxor.b32 %r5, %r4, {apart};\nld.shared.u32 %r5, [%r5];"
        )
    };
    // Addresses of lanes that differ in a bit differ in one.
    let (other_half, same_half) = (64, 4);
    assert_eq!(races(&swap("bar.warp.sync %r7;", same_half), 1, 32), []);
    assert_eq!(races(&swap("bar.warp.sync %r7;", other_half), 1, 32), [(4, 7)]);
    assert_eq!(
        races(
            &swap("bar.warp.sync %r7;\nbar.warp.sync -1;", other_half).replace("\nbar.warp", " bar.warp"),
            1,
            32
        ),
        []
    );
    // One of each half, and both again.
    let chain = "bar.warp.sync %r7; @%p3 bar.warp.sync 65537; bar.warp.sync %r7;";
    let chain = format!("setp.eq.u32 %p3, %r1, 16; setp.eq.or.u32 %p3, %r1, 0, %p3; {chain}");
    assert_eq!(races(&swap(&chain, other_half), 1, 32), []);
    // By name: warps in pairs. Lanes of a warp meet there, too.
    let (next_warp, next_pair) = (128, 256);
    let named = "shr.u32 %r8, %r8, 1; add.u32 %r8, %r8, 1; bar.sync %r8, 64;";
    assert_eq!(races(&swap(named, next_warp), 1, 128), []);
    assert_eq!(races(&swap(named, next_pair), 1, 128), [(4, 7)]);
    assert_eq!(races(&swap(named, same_half), 1, 128), []);
    let again =
        format!("{named} and.b32 %r8, %r1, 32; shr.u32 %r8, %r8, 5; add.u32 %r8, %r8, 3; bar.sync %r8, 64;");
    assert_eq!(races(&swap(&again, next_pair), 1, 128), []);
    // One arrives, the other waits; and one waits first for lanes of its warp.
    let arrive = "setp.lt.u32 %p3, %r1, 32; @%p3 bar.arrive 1, 64; @!%p3 bar.sync 1, 64; @%p3 ret;";
    assert_eq!(races(&swap(arrive, next_warp), 1, 64), []);
    assert_eq!(
        races(
            &swap(
                &arrive.replace("@%p3 bar.arrive 1, 64; @!%p3 bar.sync 1, 64;", "@%p3 bar.arrive 1, 64;"),
                next_warp
            ),
            1,
            64
        ),
        [(4, 7)]
    );
    // A barrier of all, before and behind.
    assert_eq!(races(&swap("bar.warp.sync %r7; bar.sync 0;", other_half), 1, 64), []);
    assert_eq!(races(&swap("bar.sync 0; bar.warp.sync %r7;", other_half), 1, 64), []);
    let late = "bar.sync 0; st.shared.u32 [%r4], %r1; bar.warp.sync %r7;";
    assert_eq!(races(&swap(late, other_half), 1, 32), [(5, 7)]);
    // A lane that the mask does not name is not in the group, whatever it does.
    assert_eq!(races(&swap("bar.warp.sync 65535;", other_half), 1, 32), [(4, 7)]);
    // Behind a flag of a lane anything may be known of its group.
    let flag = "bar.warp.sync %r7; @%p1 st.release.cta.shared.u32 [%r3+512], 1; \
         W: ld.acquire.cta.shared.u32 %r5, [%r3+512]; setp.eq.u32 %p3, %r5, 0; @%p3 bra W; setp.lt.u32 %p3, %r1, 16; @%p3 ret;";
    assert_eq!(races(&swap(flag, other_half), 1, 32), []);
}

/// Half of a warp waits, which orders these lanes alone.
#[test]
fn a_barrier_of_some_lanes_orders_these() {
    let body = |own: &str, reader: &str| {
        format!(
            "setp.lt.u32 %p3, %r1, 16;\n{own}\nst.shared.u32 [%r4], %r1;\n@%p3 bar.warp.sync 65535;\n\
             @{reader} ld.shared.u32 %r5, [%r3+4];"
        )
    };
    for own in ["", "bar.warp.sync -1;"] {
        assert_eq!(races(&body(own, "%p3"), 1, 32), [], "{own}");
        assert_eq!(races(&body(own, "!%p3"), 1, 32), [(2, 4)], "{own}");
    }
}

#[test]
fn blocks_race_unless_something_was_released_and_acquired() {
    // Block 0 hands a word over by a flag; the others wait for it.
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

#[test]
fn bytes_of_one_word_are_different_memory() {
    let own = "cvt.u64.u32 %rd2, %r1;\nadd.s64 %rd2, %rd2, %rd1;\nst.global.u8 [%rd2], %r1;";
    assert_eq!(races(own, 1, 64), []);
    assert_eq!(races(&format!("{own}\nld.global.u32 %r5, [%rd1];"), 1, 64), [(2, 3)]);
    // Vectors have several words, and lanes of one instruction may meet.
    assert_eq!(races("st.global.v4.u32 [%rd1+16], {%r1, %r1, %r1, %r1};", 1, 2), [(0, 0)]);
}

/// Counts of barriers wrap, and what is older stays ordered; within an interval it is not.
#[test]
fn barriers_may_be_many() {
    let body = |barrier: &str, times: u32, between: &str| {
        format!(
            "st.shared.u32 [%r4], %r1;\nmov.u32 %r6, 0;\nL:\n{barrier}\nadd.u32 %r6, %r6, 1;\n\
             setp.lt.u32 %p3, %r6, {times};\n@%p3 bra L;\n{between}\nld.shared.u32 %r5, [%r3+4];"
        )
    };
    for times in [1, 63, 64, 65, 128, 1023, 1024, 1025] {
        assert_eq!(races(&body("bar.sync 0;", times, ""), 1, 64), [], "{times}");
        assert_eq!(races(&body("bar.warp.sync -1;", times, ""), 1, 32), [], "{times}");
        let late = body("bar.sync 0;", times, "st.shared.u32 [%r4], %r1;");
        assert_eq!(races(&late, 1, 64), [(7, 8)], "{times}");
    }
}

/// One launch after the other.
#[test]
fn a_launch_is_ordered_behind_another() {
    let last = "mov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\nsetp.eq.u32 %p3, %r2, %r6;\n@%p3 st.global.u32 [%rd1], %r1;";
    let guardian = Guardian::new(&module(last), Schedule::ConvergedFirst);
    let words = guardian.machine.upload(&[0; 4]);
    for n in 0..80 {
        guardian.machine.task.store(n, Ordering::Relaxed);
        guardian.machine.finish("k", 1 + n % 2, 1, args![words]);
    }
    assert_eq!(guardian.seen(), []);
}

/// A store that releases is seen by who acquires it, and so is an exchange that does both.
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

/// Who draws the last of some tickets has seen all others being drawn, and may then write without an atomic.
#[test]
fn who_has_observed_a_word_may_write_it() {
    let body = |own: &str| {
        format!(
            "atom.global.add.u32 %r5, [%rd1], 1;\nsetp.ne.u32 %p3, %r5, 3;\n@%p3 bra E;\nst.global.u32 [{own}], 0;\nE:"
        )
    };
    assert_eq!(races(&body("%rd1"), 4, 1), []);
    // Seen elsewhere, it is no excuse.
    let elsewhere =
        "atom.global.add.u32 %r5, [%rd1+64], 1;\nred.global.add.u32 [%rd1], 1;\nst.global.u32 [%rd1], 0;";
    assert!(races(elsewhere, 4, 1).contains(&(1, 2)));
}

#[test]
fn both_sides_are_told() {
    let guardian = Guardian::new(
        &module("@%p2 st.global.u32 [%rd1+8], 7;\n@!%p2 ld.global.u32 %r6, [%rd1+8];"),
        Schedule::ConvergedFirst,
    );
    let words = guardian.machine.upload(&[0; 4]);
    guardian.machine.finish("k", 2, 1, args![words]);
    let seen = guardian.seen();
    let [(first, second, record)] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((*first, *second, record.address), (BODY, BODY + 1, words + 8));
    let other = record.other.unwrap();
    assert_eq!((record.block, other.block, other.thread), ([1, 0, 0], 0, 0));
    assert!(other.writes && !other.strong && !other.own_strong);
}

/// A block's fences order it with another one's only if both are wide enough, whatever others release and acquire meanwhile.
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
    // Another thread of the block may have released it, or acquired it.
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

/// A [`module`] with a function in front, on its first line.
fn calling(function: &str, body: &str) -> String {
    module(body).replace(".visible .entry", &format!("{function} .visible .entry"))
}

#[test]
fn functions_know_what_their_callers_know() {
    // Each thread writes a word of its own, and reads its neighbour's behind what a function does.
    let body = "st.shared.u32 [%r4], %r1;\ncall f, (%r3);\nld.shared.u32 %r6, [%r3+4];";
    let function = |what: &str| format!(".func f(.reg .b32 %a) {{ .reg .b32 %b<4>; {what} ret; }}");
    // Parameters in registers are none of this: nothing is known of it but that it synchronises, or that it does not.
    assert_eq!(races_of(&calling(&function("bar.sync 0;"), body), 1, 64), []);
    let bar = "{\n.param .b32 a;\nst.param.b32 [a], %r3;\ncall f, (a);\n}";
    let body = format!("st.shared.u32 [%r4], %r1;\n{bar}\nld.shared.u32 %r6, [%r3+4];");
    let function = |what: &str| {
        format!(
            ".func f(.param .b32 a) {{ .reg .pred %q; .reg .b32 %b<4>; ld.param.u32 %b1, [a]; {what} ret; }}"
        )
    };
    assert_eq!(races_of(&calling(&function("bar.sync 0;"), &body), 1, 64), []);
    assert_eq!(races_of(&calling(&function("mov.u32 %b2, 1;"), &body), 1, 64), [(0, 6)]);
    // What it does itself is looked at, before its barrier and behind it: sites are where it stands.
    let reads = "ld.shared.u32 %b2, [%b1+4];";
    let inside = 4 - BODY as i32;
    let seen = races_of(&calling(&function(&format!("{reads} bar.sync 0;")), &body), 1, 64);
    assert_eq!(seen, [(inside, 0)]);
    assert_eq!(races_of(&calling(&function(&format!("bar.sync 0; {reads}")), &body), 1, 64), []);
    // A barrier that only some threads find there, the others in the kernel.
    let other = format!(
        "st.shared.u32 [%r4], %r1;\n@%p1 bra B;\n{bar}\nbra E;\nB: bar.sync 0;\nE: ld.shared.u32 %r6, [%r3+4];"
    );
    assert_eq!(races_of(&calling(&function("bar.sync 0;"), &other), 1, 64), []);
    // Whom it calls itself knows, too.
    let two = format!(
        "{} .func g(.param .b32 a) {{ .reg .b32 %b<4>; ld.param.u32 %b1, [a]; {{ .param .b32 c; st.param.b32 [c], %b1; call f, (c); }} ret; }}",
        function("bar.sync 0;")
    );
    assert_eq!(races_of(&calling(&two, &body.replace("call f", "call g")), 1, 64), []);
}

#[test]
fn functions_are_told_by_pointers_too() {
    let function = ".func f(.param .b32 a) { .reg .b32 %b<4>; ld.param.u32 %b1, [a]; BAR ld.shared.u32 %b2, [%b1+4]; ret; } \
         .global .align 8 .u64 table[1] = {f};";
    let body = "st.shared.u32 [%r4], %r1;\nld.global.u64 %rd5, [table];\n{\n.param .b32 a;\nst.param.b32 [a], %r3;\n\
         p: .callprototype _ (.param .b32 _);\ncall %rd5, (a), p;\n}";
    let inside = 4 - BODY as i32;
    assert_eq!(races_of(&calling(&function.replace("BAR", ""), body), 1, 64), [(inside, 0)]);
    assert_eq!(races_of(&calling(&function.replace("BAR", "bar.sync 0;"), body), 1, 64), []);
}

/// What others may call, or bring, may do anything; what its callers do is looked at.
#[test]
fn calls_of_what_is_not_looked_at_order_everything() {
    let body = "st.global.u32 [%rd1], %r1;\nCALL\nst.global.u32 [%rd1+4], %r1;";
    let visible = ".visible .func f() { membar.gl; ret; }";
    let text = calling(visible, &body.replace("CALL", "call f;"));
    let guarded = guard(&text, &options(), &mut SiteTable::default(), &|_| true).unwrap();
    assert!(guarded.kernels[0].checked && guarded.left_out.is_empty());
    assert_eq!(guarded.unchecked.values().sum::<u32>(), 1);
    assert_eq!(races_of(&text, 4, 1), [(0, 0), (2, 2)]);
    // It may have handed over the word.
    let handed = "@%p2 st.global.u32 [%rd1], 1;\ncall f;\n@!%p2 ld.global.u32 %r6, [%rd1];";
    let flag = ".visible .func f() { .reg .pred %q; .reg .b32 %b; mov.u32 %b, %ctaid.x; setp.eq.u32 %q, %b, 0; \
         @%q st.release.gpu.global.u32 [flag], 1; W: ld.acquire.gpu.global.u32 %b, [flag]; setp.eq.u32 %q, %b, 0; @%q bra W; ret; }";
    let flag = format!(".global .u32 flag; {flag}");
    assert_eq!(races_of(&calling(&flag, handed), 4, 1), []);
    // The same function, if nobody else can know it, is looked at.
    assert_eq!(races_of(&calling(&flag.replace(".visible ", ""), handed), 4, 1), []);
}

/// Memory of the device's heap may go from one thread to another within a launch.
#[test]
fn what_is_given_back_is_released() {
    let clocks = |function: &str| {
        let text = format!(
            ".version 7.1\n.target sm_80\n.address_size 64\n.extern .func (.param .b64 r) {function} (.param .b64 a);\n\
             .visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nst.u32 [%rd1], 1;\n\
             {{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], %rd1;\ncall.uni (r), {function}, (a);\n\
             ld.param.b64 %rd2, [r];\n}}\nret;\n}}\n"
        );
        let guarded = guard(&text, &options(), &mut SiteTable::default(), &|_| true).unwrap();
        assert!(guarded.kernels[0].checked);
        let body = guarded.text.split(".entry").nth(1).unwrap();
        body.matches("atom.relaxed.gpu.global.add.u32").count()
    };
    assert_eq!(["malloc", "free", "vprintf"].map(clocks), [1, 1, 0]);
}

/// The kernels of the virtual GPU's own tests do the same when they guard themselves.
#[test]
fn real_kernels_are_left_as_they_were() {
    let text = include_str!("../../simt/tests/fixtures/basics.ptx");
    let guardian = Guardian::new(text, Schedule::RoundRobin { quantum: 5 });
    let m = &guardian.machine;
    let input = m.upload(&(0..1000).collect::<Vec<u32>>());
    let out = m.upload(&[0]);
    m.finish("block_sum", 4, 256, args![input, out, 1000u32]);
    assert_eq!(m.words(out, 1), [499_500]);
    assert_eq!(guardian.seen(), []);
}

#[test]
fn ptxas_takes_guarded_text_for_every_architecture() {
    let root = std::env::var_os("WARPRACE_CUDA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/nvidia/cu13"),
        PathBuf::from,
    );
    let ptxas = root.join("bin/ptxas");
    if !ptxas.exists() {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no ptxas");
        return println!("left out: no ptxas; `cargo xtask test` installs it");
    }
    let folder = std::env::temp_dir().join(format!("guard-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let texts = [
        (
            module("st.shared.u32 [%r4], 1;\nbar.sync 0;\nld.u32 %r5, [%rd1];\nfence.acq_rel.gpu;"),
            &["sm_80", "sm_120"][..],
        ),
        (include_str!("../../simt/tests/fixtures/basics.ptx").to_owned(), &["sm_90", "sm_100"]),
        // Rows, pairs, long elements, and fences of a block.
        (
            module(
                "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r4];\nred.global.add.noftz.f16x2 [%rd1], %r1;\n\
                 atom.global.add.u64 %rd2, [%rd1+8], 1;\nmembar.cta;\nst.global.u32 [%rd1], %r5;",
            )
            .replace("sm_80", "sm_75"),
            &["sm_75", "sm_90", "sm_120"],
        ),
        // Flags, of every kind.
        (
            module(
                "st.release.gpu.global.u32 [%rd1], 1;\nld.acquire.gpu.global.u32 %r5, [%rd1];\nfence.acq_rel.gpu;\n\
                 atom.relaxed.gpu.global.add.u64 %rd2, [%rd1+8], 1;\nld.volatile.global.u16 %h1, [%rd1+2];\nmembar.cta;\n\
                 @%p1 red.release.gpu.global.add.u32 [%rd1+64], 1;\nst.relaxed.cta.shared.u32 [%r3], 1;",
            )
            .replace("sm_80", "sm_75"),
            &["sm_75", "sm_80", "sm_90", "sm_120"],
        ),
        (
            module(
                "fence.acq_rel.cluster;\nst.release.cluster.shared::cluster.u32 [%r4], 1;\n\
                 ld.acquire.cluster.global.u32 %r5, [%rd1];\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;",
            )
            .replace(".version 7.1\n.target sm_80", ".version 8.0\n.target sm_90"),
            &["sm_90", "sm_120"],
        ),
        // 16 bytes at once.
        (
            module("st.global.u32 [%rd1], 1;")
                .replace(".version 7.1\n.target sm_80", ".version 8.3\n.target sm_90"),
            &["sm_90", "sm_120"],
        ),
    ];
    let wheres = [(Some(TABLE), false), (None, true)];
    for ((text, archs), (table, told)) in texts.iter().flat_map(|text| wheres.map(|at| (text, at))) {
        let written = folder.join("guarded.ptx");
        let with = Options { exchange: true, table, told, ..options() };
        std::fs::write(&written, guard(text, &with, &mut SiteTable::default(), &|_| true).unwrap().text)
            .unwrap();
        for arch in archs.iter() {
            let done = Command::new(&ptxas)
                .args(["-arch", arch, "-o"])
                .arg(folder.join("guarded.cubin"))
                .arg(&written)
                .output()
                .unwrap();
            assert!(done.status.success(), "{arch}: {}", String::from_utf8_lossy(&done.stderr));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A body, its lane, and what it is after.
type Told<'a> = (&'a str, usize, &'a [(usize, u32)]);

/// Races of launches one after the other, each of a body, in a lane, and after some others: `(lane, number)`. Of each, which
/// launches they are, the earlier one first, and whether that is said.
fn races_of_launches(launches: &[Told<'_>]) -> Vec<(usize, usize, bool)> {
    races_with_table(launches, None)
}

/// The same; `at` is where launches are told that their table is.
fn races_with_table(launches: &[Told<'_>], at: Option<u64>) -> Vec<(usize, usize, bool)> {
    // One kernel after the other in one text.
    let (mut text, mut ends) = (String::new(), Vec::new());
    for (i, (body, _, _)) in launches.iter().enumerate() {
        let whole = module(body).replace(".entry k(", &format!(".entry k{i}("));
        let from = if i == 0 { 0 } else { whole.find(".visible").unwrap() };
        text += &whole[from..];
        ends.push(text.lines().count() as u32);
    }
    let table = if at.is_some() { None } else { Some(TABLE) };
    let guardian =
        Guardian::with(&text, Schedule::ConvergedFirst, &Options { told: true, table, ..options() });
    let words = guardian.machine.upload(&[0; 512]);
    let mut all = Launches::default();
    for _ in 0..3 {
        all.lane();
    }
    for (i, (_, lane, after)) in launches.iter().enumerate() {
        let mut before = Before::default();
        for &(lane, number) in *after {
            before.numbers[lane] = number;
        }
        let told = match lane {
            9 => Launches::UNKNOWN,
            _ => all.next(*lane, &before).1,
        };
        let told = Launches::with_table(told, at.unwrap_or(0));
        // Each launch is another one to the machine, too.
        guardian.machine.task.fetch_add(1, Ordering::Relaxed);
        guardian.machine.finish(&format!("k{i}"), 2, 64, args![words, told]);
    }
    let which = |line: u32| ends.partition_point(|&end| end < line);
    let of =
        |first: u32, second: u32, found: First| (which(first), which(second), found.other.unwrap().apart);
    let mut seen: Vec<_> = guardian.seen().into_iter().map(|(a, b, found)| of(a, b, found)).collect();
    seen.sort_unstable();
    seen
}

#[test]
fn launches_race_unless_the_host_has_ordered_them() {
    let write = "and.pred %p2, %p1, %p2;\n@%p2 st.global.u32 [%rd1], 1;";
    let read = "and.pred %p2, %p1, %p2;\n@%p2 ld.global.u32 %r5, [%rd1];";
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 1, &[])]), [(0, 1, true)]);
    assert_eq!(races_of_launches(&[(read, 0, &[]), (write, 1, &[])]), [(0, 1, true)]);
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 1, &[(0, 1)])]), []);
    // One stream.
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 0, &[])]), []);
    // Of which the host says nothing.
    assert_eq!(races_of_launches(&[(write, 9, &[]), (read, 0, &[])]), []);
    assert_eq!(races_of_launches(&[(write, 0, &[]), (read, 9, &[])]), []);
    assert_eq!(races_of_launches(&[(write, 9, &[]), (read, 9, &[])]), []);
    // Who is after the second launch of a lane is after its first one.
    let nothing = "mov.u32 %r5, 1;\nmov.u32 %r5, 2;";
    assert_eq!(races_of_launches(&[(write, 0, &[]), (nothing, 0, &[]), (read, 1, &[(0, 2)])]), []);
    assert_eq!(races_of_launches(&[(write, 0, &[]), (nothing, 0, &[]), (read, 1, &[(0, 1)])]), []);
    let behind = races_of_launches(&[(write, 0, &[]), (nothing, 0, &[]), (read, 1, &[])]);
    assert_eq!(behind, [(0, 2, true)]);
    // Two strong accesses at once are none.
    let add = "red.relaxed.gpu.global.add.u32 [%rd1], 1;\nmov.u32 %r5, 1;";
    assert_eq!(races_of_launches(&[(add, 0, &[]), (add, 1, &[])]), []);
    assert_eq!(races_of_launches(&[(add, 0, &[]), (read, 1, &[])]).len(), 1);
    // Shared memory is each launch's own.
    let shared = "st.shared.u32 [%r4], 1;\nmov.u32 %r5, 1;";
    assert_eq!(races_of_launches(&[(shared, 0, &[]), (shared, 1, &[])]), []);
}

#[test]
fn a_parameter_is_added_to_kernels_of_any_form() {
    let told = Options { told: true, ..options() };
    for (kernel, at, number) in [
        (".visible .entry k(.param .u64 p)\n{\nret;\n}", 8, 1),
        (".visible .entry k()\n{\nret;\n}", 0, 0),
        (".visible .entry k\n{\nret;\n}", 0, 0),
        (".visible .entry k(\n.param .u32 a,\n.param .align 4 .b8 b[6]\n)\n.maxntid 64\n{\nret;\n}", 16, 2),
    ] {
        let text = format!(".version 7.1\n.target sm_80\n.address_size 64\n{kernel}\n");
        let guarded = guard(&text, &told, &mut SiteTable::default(), &|_| true).unwrap();
        let launched = guarded.launched["k"];
        assert_eq!((launched.at, launched.parameters), (at, number), "{kernel}");
        let machine = Machine::try_new(&guarded.text).unwrap_or_else(|e| panic!("{e}\n{}", guarded.text));
        let index = machine.module.kernel("k").unwrap();
        let last = *machine.module.kernels()[index].params.last().unwrap();
        assert_eq!((last.offset, machine.module.kernels()[index].params.len()), (at, number as usize + 1));
    }
    // Kernels that others launch get their parameters from them.
    let text = module("// cudaLaunchDeviceV2");
    assert!(guard(&text, &told, &mut SiteTable::default(), &|_| true).unwrap().launched.is_empty());
}

#[test]
fn what_a_kernel_may_learn_or_tell_is_known() {
    let of = |body: &str| {
        let told = Options { told: true, ..options() };
        let launched =
            guard(&module(body), &told, &mut SiteTable::default(), &|_| true).unwrap().launched["k"];
        (launched.acquires, launched.tells)
    };
    assert_eq!(of("st.global.u32 [%rd1], 1;"), (false, false));
    assert_eq!(of("fence.acq_rel.cta;"), (false, false));
    assert_eq!(of("membar.gl;"), (true, false));
    assert_eq!(of("membar.sys;"), (true, true));
    assert_eq!(of("ld.acquire.gpu.global.u32 %r5, [%rd1];"), (true, false));
    assert_eq!(of("st.release.sys.global.u32 [%rd1], 1;"), (false, true));
    assert_eq!(of("red.relaxed.sys.global.add.u32 [%rd1], 1;"), (false, false));
}

/// Races of a kernel and a range in another lane, one of which comes first; the other one is after so many of its lane.
fn races_with_a_range(body: &str, range: (u64, u64), writes: bool, first: bool, after: u32) -> usize {
    let text = module(body);
    let options = Options { told: true, ..options() };
    let mut sites = SiteTable::default();
    let guarded = guard(&text, &options, &mut sites, &|_| true).unwrap();
    // Both kernels in one module: the functions that they call are there once.
    let ranges_text = ranges::text(&options, "sm_80");
    let entry = &ranges_text[ranges_text.find(".visible .entry").unwrap()..];
    let mut guardian = Guardian::with(&text, Schedule::ConvergedFirst, &options);
    let both = guarded.text + entry;
    let old = std::mem::replace(&mut guardian.machine, Machine::try_new(&both).unwrap());
    for (base, words) in [ADDRESS, TABLE].into_iter().zip(&mut guardian._memory) {
        let (bytes, host) = (words.len() as u64 * 8, words.as_mut_ptr().cast());
        let (kind, accessible_from) = (AllocKind::Device, 1);
        let region = Region { base, bytes, host, kind, device: 0, accessible_from, read_only: false };
        guardian.machine.memory.map(region).unwrap();
    }
    drop(old);
    let machine = &guardian.machine;
    let words = machine.upload(&[0; 4096]);
    let mut all = Launches::default();
    assert_eq!((all.lane(), all.lane()), (Some(0), Some(1)));
    let run_kernel = |all: &mut Launches, after: u32| {
        let mut before = Before::default();
        before.numbers[1] = after;
        machine.task.fetch_add(1, Ordering::Relaxed);
        machine.finish("k", 1, 64, args![words, all.next(0, &before).1]);
    };
    let run_range = |all: &mut Launches, after: u32| {
        let mut before = Before::default();
        before.numbers[0] = after;
        let told = all.next(1, &before).1;
        machine.task.fetch_add(1, Ordering::Relaxed);
        let (address, bytes) = (words + range.0, range.1);
        let what = ranges::parameters((address, bytes), writes, 7, &told);
        let whole = |at: usize| u64::from_le_bytes(what[at..at + 8].try_into().unwrap());
        let half = |at: usize| u32::from_le_bytes(what[at..at + 4].try_into().unwrap());
        let [from, length, kind, number, _] = ranges::PARAMETERS.map(|at| at as usize);
        let arguments = args![whole(from), whole(length), half(kind), half(number), told];
        machine.finish(ranges::NAME, ranges::blocks(bytes), ranges::THREADS, arguments);
    };
    if first {
        run_range(&mut all, 0);
        run_kernel(&mut all, after);
    } else {
        run_kernel(&mut all, 0);
        run_range(&mut all, after);
    }
    // The check of the range has a record of its own, as have those of the kernel.
    (0..8)
        .flat_map(|check| (0..KINDS).map(move |kind| check * KINDS + kind))
        .filter(|record| {
            let mut bytes = [0; RECORD as usize];
            machine.memory.read(ADDRESS + u64::from(*record) * RECORD, &mut bytes).unwrap();
            Record::read(&bytes).and_then(|record| record.first).is_some()
        })
        .count()
}

#[test]
fn ranges_are_accessed_by_byte() {
    let write = "@%p1 st.global.u8 [%rd1+5], 1;\nmov.u32 %r5, 1;\nmov.u32 %r5, 2;\nmov.u32 %r5, 1;";
    let seven = "@%p1 ld.global.u32 %r5, [%rd1+2048];\n@%p1 ld.global.u32 %r5, [%rd1+2048];";
    for first in [true, false] {
        assert_eq!(races_with_a_range(write, (5, 1), true, first, 0), 1);
        assert_eq!(races_with_a_range(write, (0, 5), true, first, 0), 0);
        assert_eq!(races_with_a_range(write, (6, 100), true, first, 0), 0);
        assert_eq!(races_with_a_range(write, (0, 3000), false, first, 0), 1);
        assert_eq!(races_with_a_range(write, (0, 3000), false, first, 1), 0);
        assert_ne!(races_with_a_range(seven, (1, 3000), true, first, 0), 0);
        assert_eq!(races_with_a_range(seven, (1, 3000), false, first, 0), 0);
        assert_eq!(races_with_a_range(seven, (2052, 3000), true, first, 0), 0);
    }
}

#[test]
fn launches_may_be_told_where_the_table_is() {
    let write = "and.pred %p2, %p1, %p2;\n@%p2 st.global.u32 [%rd1], 1;";
    let all = "st.global.u32 [%rd1], 1;\nbar.sync 0;\nfence.acq_rel.gpu;";
    assert_eq!(races_with_table(&[(write, 0, &[]), (write, 1, &[])], Some(TABLE)), [(0, 1, true)]);
    assert_eq!(races_with_table(&[(write, 0, &[]), (write, 1, &[(0, 1)])], Some(TABLE)), []);
    assert!(!races_with_table(&[(all, 9, &[])], Some(TABLE)).is_empty());
    // Nowhere: nothing is looked at.
    assert_eq!(races_with_table(&[(all, 0, &[]), (write, 1, &[]), (all, 9, &[])], Some(0)), []);
}

#[test]
fn who_is_told_nothing_needs_a_table() {
    let untold = Options { told: false, table: None, ..options() };
    let done = |text: &str, options: &Options| guard(text, options, &mut SiteTable::default(), &|_| true);
    assert_eq!(done(&module("bar.sync 0;"), &untold), Err(Error::Untold));
    let wide = module("bar.sync 0;").replace("k(.param .u64 p", "k(.param .u64 p, .param .b8 q[4080]");
    let guarded = done(&wide, &Options { told: true, ..untold }).unwrap();
    assert_eq!(guarded.left_out.len(), 1);
    assert!(guarded.launched.is_empty() && guarded.checks.is_empty());
}
