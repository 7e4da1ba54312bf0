//! Tests accesses of a block, and its barriers.

use crate::guardian::{BODY, Guardian, module, races};
use simt::Schedule;

#[test]
fn narrow_addresses_wrap_as_the_program_has_them() {
    // Each thread writes a word of its own, counted from the end; all threads read one word, by its usual
    // address.
    let body = |then: &str| {
        format!(
            "sub.u32 %r5, 0, %r4;\nadd.s32 %r5, %r5, %r3;\nadd.s32 %r5, %r5, %r3;\nst.shared.u32 [%r5+252], %r1;\n{then}\nld.shared.u32 %r6, [%r3];"
        )
    };
    assert_eq!(races(&body(""), 1, 64), [(3, 5)]);
    assert_eq!(races(&body("bar.sync 0;"), 1, 64), []);
    // Words of other blocks do not race.
    assert_eq!(races(&body("bar.sync 0;"), 3, 64), []);
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

/// A thread that reads a word again does not replace the slot of another reader.
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
    // One warp: its own barrier suffices, lockstep does not.
    assert_eq!(races(&body("bar.warp.sync -1;"), 1, 32), []);
    assert_eq!(races(&body("bar.warp.sync -1;"), 1, 64), [(0, 2)]);
    assert_eq!(races(&body("shfl.sync.idx.b32 %r6, %r1, 0, 31, -1;"), 1, 32), [(0, 2)]);
    assert_eq!(races(&body("bar.sync 1, 64;"), 1, 64), []);
}

/// Groups of lanes, and of warps, synchronise among themselves, but not with the other group.
#[test]
fn barriers_of_some_order_those_who_meet() {
    let swap = |barrier: &str, apart: u32| {
        format!(
            "and.b32 %r6, %r1, 16;\nmov.u32 %r7, 65535;\nshl.b32 %r7, %r7, %r6;\nshr.u32 %r8, %r1, 5;\n\
             st.shared.u32 [%r4], %r1;\n{barrier}\nxor.b32 %r5, %r4, {apart};\nld.shared.u32 %r5, [%r5];"
        )
    };
    // Lanes that differ in a bit have addresses that differ in one.
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
    // One lane of each half, then both halves again.
    let chain = "bar.warp.sync %r7; @%p3 bar.warp.sync 65537; bar.warp.sync %r7;";
    let chain = format!("setp.eq.u32 %p3, %r1, 16; setp.eq.or.u32 %p3, %r1, 0, %p3; {chain}");
    assert_eq!(races(&swap(&chain, other_half), 1, 32), []);
    // Named barriers of pairs of warps. Lanes of a warp synchronise there, too.
    let (next_warp, next_pair) = (128, 256);
    let named = "shr.u32 %r8, %r8, 1; add.u32 %r8, %r8, 1; bar.sync %r8, 64;";
    assert_eq!(races(&swap(named, next_warp), 1, 128), []);
    assert_eq!(races(&swap(named, next_pair), 1, 128), [(4, 7)]);
    assert_eq!(races(&swap(named, same_half), 1, 128), []);
    let again =
        format!("{named} and.b32 %r8, %r1, 32; shr.u32 %r8, %r8, 5; add.u32 %r8, %r8, 3; bar.sync %r8, 64;");
    assert_eq!(races(&swap(&again, next_pair), 1, 128), []);
    // One warp arrives, the other waits; and one first synchronises lanes of its warp.
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
    // A barrier of all threads, before and behind.
    assert_eq!(races(&swap("bar.warp.sync %r7; bar.sync 0;", other_half), 1, 64), []);
    assert_eq!(races(&swap("bar.sync 0; bar.warp.sync %r7;", other_half), 1, 64), []);
    let late = "bar.sync 0; st.shared.u32 [%r4], %r1; bar.warp.sync %r7;";
    assert_eq!(races(&swap(late, other_half), 1, 32), [(5, 7)]);
    // A lane that the mask does not name is not in the group, whatever it executes.
    assert_eq!(races(&swap("bar.warp.sync 65535;", other_half), 1, 32), [(4, 7)]);
    // Behind a flag of one lane, all accesses of its group may be ordered.
    let flag = "bar.warp.sync %r7; @%p1 st.release.cta.shared.u32 [%r3+512], 1; \
         W: ld.acquire.cta.shared.u32 %r5, [%r3+512]; setp.eq.u32 %p3, %r5, 0; @%p3 bra W; setp.lt.u32 %p3, %r1, 16; @%p3 ret;";
    assert_eq!(races(&swap(flag, other_half), 1, 32), []);
}

/// Half of a warp synchronises, which orders these lanes alone.
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
fn bytes_of_one_word_are_different_memory() {
    let own = "cvt.u64.u32 %rd2, %r1;\nadd.s64 %rd2, %rd2, %rd1;\nst.global.u8 [%rd2], %r1;";
    assert_eq!(races(own, 1, 64), []);
    assert_eq!(races(&format!("{own}\nld.global.u32 %r5, [%rd1];"), 1, 64), [(2, 3)]);
    // Vectors have several words, and lanes of one instruction may conflict.
    assert_eq!(races("st.global.v4.u32 [%rd1+16], {%r1, %r1, %r1, %r1};", 1, 2), [(0, 0)]);
}

/// Barrier counts wrap, and older accesses stay ordered; within an interval they are not.
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

/// Consecutive matrix loads: no barrier is counted between loads, and accesses behind all of them are still
/// ordered before later ones.
#[test]
fn loads_of_matrices_in_a_row_are_between_the_same_barriers() {
    let load = |at: u32| {
        let tile = "%m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7";
        format!("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {{{tile}}}, [%r3+{at}], 16;\n")
    };
    let loads = [0, 32, 0].map(load).concat();
    // Lanes other than those that check a row write it, before and behind.
    let around = |barrier: &str| {
        let write = "st.shared.u32 [%r4], %r1;\n";
        format!(".reg .b32 %m<8>;\n{write}{barrier}\n{loads}{barrier}\n{write}")
    };
    assert_eq!(races(&around(""), 1, 32), []);
    assert!(!races(&around(""), 1, 64).is_empty());
    assert_eq!(races(&around("bar.sync 0;"), 1, 64), []);
    // No more barriers are counted than necessary.
    let counted = |loads: usize| {
        let text = module(&format!(".reg .b32 %m<8>;\n{}", [0; 9].map(load)[..loads].concat()));
        Guardian::new(&text, Schedule::ConvergedFirst).guarded.text.matches("64512").count()
    };
    assert_eq!(counted(1), counted(9));
}
