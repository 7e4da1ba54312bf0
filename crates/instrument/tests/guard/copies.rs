//! Tests asynchronous copies and stores, and matrices: accesses of one thread, or of a warp, that may race
//! with others.

use crate::guardian::{Guardian, module, races, races_of};
use simt::Schedule;

#[test]
fn copies_of_a_thread_are_its_accesses() {
    let body = |then: &str| {
        format!(
            "cp.async.ca.shared.global [%r4], [%rd1], 4, 4;\n{then}\nbar.sync 0;\nld.shared.u32 %r5, [%r3+4];\n\
             @%p1 st.global.u32 [%rd1], %r5;"
        )
    };
    // All threads copy from the word that one thread then writes, behind a barrier.
    assert_eq!(races(&body("cp.async.wait_all;"), 1, 64), []);
    assert_eq!(races(&body("cp.async.wait_all;"), 2, 64), [(0, 4), (4, 4)]);
    let unordered = "cp.async.ca.shared.global [%r4], [%rd1], 4;\nld.shared.u32 %r5, [%r3+4];";
    assert_eq!(races(unordered, 1, 64), [(0, 1)]);
    // Copies that arrive at an `mbarrier` asynchronously.
    let arrived = "@%p1 mbarrier.init.shared.b64 [%r3+512], 64;\nbar.sync 0;\n\
         cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r3+512];\n\
         W: mbarrier.test_wait.parity.shared.b64 %p3, [%r3+512], 0;\n@!%p3 bra W;\nld.shared.u32 %r5, [%r3+4];";
    assert_eq!(races(arrived, 1, 64), []);
}

#[test]
fn copies_are_pending_until_their_thread_has_waited() {
    // Other threads read behind a barrier the destination of a copy that its thread has not waited for; so
    // does the thread itself.
    let copy = "cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.commit_group;\n";
    let read = "bar.sync 0;\nld.shared.u32 %r5, [%r3+4];";
    assert_eq!(races(&format!("{copy}{read}"), 1, 64), [(0, 3)]);
    assert_eq!(races(&format!("{copy}cp.async.wait_group 1;\n{read}"), 1, 64), [(0, 4)]);
    assert_eq!(races(&format!("{copy}cp.async.wait_group 0;\n{read}"), 1, 64), []);
    assert_eq!(races(&format!("{copy}cp.async.wait_all;\n{read}"), 1, 64), []);
    assert_eq!(races(&format!("{copy}ld.shared.u32 %r5, [%r4];"), 1, 64), [(0, 2)]);
    assert_eq!(races(&format!("{copy}cp.async.wait_all;\nld.shared.u32 %r5, [%r4];"), 1, 64), []);
    // Only `wait_all` waits for a group that is not committed.
    let open = "cp.async.ca.shared.global [%r4], [%rd1], 4;\n";
    assert_eq!(races(&format!("{open}cp.async.wait_group 0;\n{read}"), 1, 64), [(0, 3)]);
    assert_eq!(races(&format!("{open}cp.async.wait_all;\n{read}"), 1, 64), []);
    // A wait behind the barrier does not suffice: the wait itself must be ordered before the read.
    assert_eq!(
        races(&format!("{copy}bar.sync 0;\ncp.async.wait_all;\nld.shared.u32 %r5, [%r3+4];"), 1, 64),
        [(0, 4)]
    );
    // The older one of two groups has completed, the other has not.
    let two = "cp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.commit_group;\n\
         cp.async.ca.shared.global [%r4+512], [%rd1], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\nbar.sync 0;\n";
    assert_eq!(races(&format!("{two}ld.shared.u32 %r5, [%r3+4];"), 1, 64), []);
    assert_eq!(races(&format!("{two}ld.shared.u32 %r5, [%r3+516];"), 1, 64), [(2, 6)]);
    // The source of a copy must not be written yet.
    assert_eq!(
        races(&format!("{copy}bar.sync 0;\n@%p1 st.global.u32 [%rd1], %r1;\ncp.async.wait_all;"), 1, 64),
        [(0, 3)]
    );
    assert_eq!(
        races(&format!("{copy}cp.async.wait_all;\nbar.sync 0;\n@%p1 st.global.u32 [%rd1], %r1;"), 1, 64),
        []
    );
    // Copies beyond the limit count as made at the instruction, and the stored ones are completed; in a loop,
    // too.
    let many = format!("{}cp.async.wait_all;\n{read}", open.repeat(20));
    assert_eq!(races(&many, 1, 64), []);
    let turns = format!(
        "mov.u32 %r6, 0;\nL: {copy}cp.async.wait_group 0;\n{read}\nbar.sync 0;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 40;\n@%p3 bra L;"
    );
    assert_eq!(races(&turns, 1, 64), []);
    // Copies that other threads may wait for are not pending.
    let heard = format!(
        "@%p1 mbarrier.init.shared.b64 [%r3+512], 64;\n{open}cp.async.mbarrier.arrive.noinc.shared.b64 [%r3+512];\n{read}"
    );
    assert_eq!(races(&heard, 1, 64), []);
}

#[test]
fn matrices_of_wmma_are_read_and_written_as_a_whole() {
    // The second warp writes one word, the first loads 16 rows of 16 numbers, `stride` numbers apart; the
    // memory between the rows is not accessed.
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
    // Two lanes share each row of 64 bytes.
    let store = format!("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r3], {eight}, 16");
    for at in [0, 60, 1020] {
        assert_eq!(races(&body(at, "", &store), 1, 64), [(4, 7)], "{at}");
    }
    // The distribution over lanes is unspecified, so the load orders the lanes of its warp.
    let own = format!("st.shared.u32 [%r4], %r1;\n{load} {eight}, [%r3], 16;\nst.shared.u32 [%r4+4], %r1;");
    let own = format!(".reg .b32 %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18;\n{own}");
    assert_eq!(races(&own, 1, 32), []);
    // So do consecutive loads: directly, behind a store, and around a loop whose body ends with a store of
    // some lanes.
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
    // Each load is compared with other warps.
    let body = |first: u32| {
        format!(
            "{registers}\nsetp.eq.u32 %p4, %r1, 32;\nsetp.ge.u32 %p3, %r1, 32;\n@%p4 st.shared.u32 [%r3+508], %r1;\n@%p3 ret;\n{load} {eight}, [%r3+{first}], 16;\n{load} {eight}, [%r3+{}], 16;",
            512 - first
        )
    };
    assert_eq!(races(&body(512), 1, 64), [(3, 6)]);
    assert_eq!(races(&body(0), 1, 64), [(3, 5)]);
}

/// Returns the races of 64 threads with bulk copies that thread 0 starts: an `mbarrier` at 512 waits for
/// their bytes.
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
    // Lines: 0 the common wait and `expect`, then one each.
    let end = wait.replace('W', "X");
    let loaded = |then: &str| bulk_races(&format!("{expect}\n{load}\n{then}\n{end}"));
    assert_eq!(loaded(&format!("{wait}\n{read}")), []);
    assert_eq!(loaded(&format!("bar.sync 0;\n{read}")), [(1, 3)], "a barrier of threads waits for no copy");
    assert_eq!(loaded(read), [(1, 2)]);
    // One thread waits for all, which synchronise behind that.
    let one = "@!%p1 bra B; W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+512], 0; @!%p3 bra W; B: bar.sync 0;";
    assert_eq!(bulk_races(&format!("{expect}\n{load}\n{one}\n{read}")), []);
    // A read before the copy starts, which is not ordered before it.
    assert_eq!(bulk_races(&format!("{read} {expect}\n{load}\n{wait}")), [(0, 1)]);
    // Also between a read and the copy there must be a proxy fence.
    assert_eq!(bulk_races(&format!("{read} bar.sync 0; {expect}\n{load}\n{wait}")), [(0, 1)]);
    assert_eq!(bulk_races(&format!("{read} fence.proxy.async; bar.sync 0; {expect}\n{load}\n{wait}")), []);
    // A write there without a proxy fence.
    let written = |fence: &str| {
        bulk_races(&format!("st.shared.u32 [%r4], %r1; {fence} bar.sync 0; {expect}\n{load}\n{wait}\n{read}"))
    };
    assert_eq!(written(""), [(0, 1)]);
    assert_eq!(written("fence.proxy.async.global;"), [(0, 1)]);
    assert_eq!(written("fence.proxy.async.shared::cta;"), []);
    assert_eq!(written("fence.proxy.async;"), []);
    // One that the block has before the write, or behind the copy.
    let elsewhere = |before: &str, behind: &str| {
        bulk_races(&format!(
            "{before} bar.sync 0; st.shared.u32 [%r4], %r1; bar.sync 0; {expect}\n{load}\n{behind} {wait}\n{read}"
        ))
    };
    assert_eq!(elsewhere("fence.proxy.async;", ""), [(0, 1)]);
    assert_eq!(elsewhere("", "@%p1 fence.proxy.async;"), [(0, 1)]);
}

#[test]
fn a_copy_is_complete_behind_a_wait_for_its_own_barrier() {
    // A second object, of which one thread's arrival ends the phase.
    let begin = "@%p1 mbarrier.init.shared::cta.b64 [%r3+520], 1; fence.proxy.async; bar.sync 0;";
    let expect = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+512], 256;";
    let load = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r3+512];";
    let wait = |at: u32, label: &str| {
        format!("{label}: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+{at}], 0; @!%p3 bra {label};")
    };
    let other = format!("@%p1 mbarrier.arrive.shared::cta.b64 _, [%r3+520]; {}", wait(520, "W"));
    let end = wait(512, "X");
    let read = "ld.shared.u32 %r5, [%r4];";
    let waited = |wait: &str| bulk_races(&format!("{begin} {expect}\n{load}\n{wait}\n{read}\n{end}"));
    assert_eq!(waited(&other), [(1, 3)]);
    assert_eq!(waited(&wait(512, "W")), []);
}

#[test]
fn a_copy_whose_bytes_are_not_expected_is_not_complete_behind_the_wait() {
    let wait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+512], 0; @!%p3 bra W;";
    let read = "ld.shared.u32 %r5, [%r4];";
    let load = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r3+512];";
    let arrived = |before: &str, behind: &str| {
        bulk_races(&format!("fence.proxy.async; {before}\n{load}\n{behind} {wait}\n{read}"))
    };
    let all = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+512], 256;";
    assert_eq!(arrived(all, ""), []);
    assert_eq!(arrived("", all), [], "the bytes are expected behind the copy");
    let apart = "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3+512], 256; @%p1 mbarrier.arrive.shared::cta.b64 _, [%r3+512];";
    assert_eq!(arrived("", apart), []);
    let none = "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r3+512];";
    assert_eq!(arrived("", none), [(1, 3)]);
    assert_eq!(arrived(none, ""), [(1, 3)]);
}

#[test]
fn a_ring_whose_next_copy_is_not_expected_yet_is_right() {
    // Thread 0 starts the copy of the next turn before it tells the object of the bytes; the others may wait for the turn
    // before meanwhile.
    let begin =
        "@%p1 mbarrier.init.shared::cta.b64 [%r3+520], 1; fence.proxy.async; bar.sync 0; mov.u32 %r6, 0;";
    let copy = |at: u32| {
        format!(
            "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+{at}], [%rd1], 128, [%r3+512];"
        )
    };
    let expect = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+512], 128;";
    let wait = |label: &str, parity: u32| {
        format!(
            "{label}: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+512], {parity}; @!%p3 bra {label};"
        )
    };
    let text = format!(
        "{begin}\n{} {expect} {}\n{} ld.shared.u32 %r5, [%r3];\n{expect} {} ld.shared.u32 %r5, [%r3+128];",
        copy(0),
        wait("W", 0),
        copy(128),
        wait("X", 1)
    );
    assert_eq!(bulk_races(&text), []);
}

#[test]
fn bulk_stores_are_pending_until_their_thread_has_waited() {
    let fill = "st.shared.u32 [%r4], %r1; fence.proxy.async.shared::cta; bar.sync 0;";
    let store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256; @%p1 cp.async.bulk.commit_group;";
    let stored = |then: &str| bulk_races(&format!("{fill} {store}\n{then}\ncp.async.bulk.wait_group 0;"));
    // The copy's source, which other threads write again.
    let again = "bar.sync 0;\nst.shared.u32 [%r4], 0;";
    assert_eq!(stored(again), [(0, 2)]);
    assert_eq!(stored(&format!("cp.async.bulk.wait_group.read 0;\n{again}")), []);
    assert_eq!(stored(&format!("cp.async.bulk.wait_group 0;\n{again}")), []);
    // A wait that leaves the last group outstanding, and one of another thread.
    assert_eq!(stored(&format!("@%p1 cp.async.bulk.wait_group.read 1;\n{again}")), [(0, 3)]);
    assert_eq!(stored(&format!("@!%p1 cp.async.bulk.wait_group.read 0;\n{again}")), [(0, 3)]);
    let second = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+256], [%r3+256], 256; @%p1 cp.async.bulk.commit_group;";
    assert_eq!(stored(&format!("{second} @%p1 cp.async.bulk.wait_group.read 1;\n{again}")), []);
    // The copy's destination, which its thread reads.
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
fn rows_of_matrices_are_read_and_written_by_the_lanes_that_name_them() {
    // The second warp writes to the matrices that the first loads, whose rows are 16 bytes apart: one word,
    // by its number.
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
        // The loaded registers are not those of addresses.
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
fn what_is_stored_asynchronously_is_there_once_its_barrier_says_so() {
    // Each thread sends a word to the other block, which reads it, with or without a wait for the `mbarrier`
    // of all words.
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
