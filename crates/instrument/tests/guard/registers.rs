//! Tests accesses of registers of products that no wait and no fence orders (docs/assumptions.md, 12d).

use crate::guardian::{BODY, Guardian, module};
use instrument::sink::Memory;
use instrument::sink::register::{ACCUMULATOR, ALONE, PRODUCT, UNWAITED, WRITES};
use simt::Schedule;

const FENCE: &str = "wgmma.fence.sync.aligned;";
const COMMIT: &str = "wgmma.commit_group.sync.aligned;";
const WAIT: &str = "wgmma.wait_group.sync.aligned 0;";
const WAIT_1: &str = "wgmma.wait_group.sync.aligned 1;";
/// Products of two shapes, and two with A in registers.
const NARROW: &str =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 1, 1, 1, 0, 0;";
const OTHER: &str =
    "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 1, 1, 1;";
const OF_REGISTERS: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, \
                            {%r10, %r11, %r12, %r13}, %rd4, 1, 1, 1, 0;";
const OF_RESULTS: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, \
                          {%f0, %f1, %f2, %f3}, %rd4, 1, 1, 1, 0;";

/// Returns the module with these instructions, one a line, and a wait for all groups behind them.
fn text(body: &[&str]) -> String {
    module(&format!("{}\n{WAIT}", body.join("\n")))
        .replace(".version 7.1", ".version 8.0")
        .replace(".target sm_80", ".target sm_90a")
        .replace(
            ".shared .align 4 .b8 s[1024];",
            ".shared .align 1024 .b8 s[8192]; .reg .f32 %f<13>; .reg .b32 %r1<4>;",
        )
        .replace(
            "shl.b32 %r4, %r1, 2;",
            "shl.b32 %r4, %r1, 2; shr.u32 %r5, %r3, 4; mov.u32 %r6, 16; mov.b64 %rd4, {%r5, %r6}; \
             cvt.rn.f32.u32 %f8, %r1;",
        )
        .replace("%r1<4>", "%r10, %r11, %r12, %r13")
}

/// Returns a module whose registers need every kind of check.
pub(crate) fn checked() -> String {
    text(&[
        "add.f32 %f0, %f8, %f8;",
        OF_REGISTERS,
        NARROW,
        "@%p1 mov.f32 %f9, %f0;",
        COMMIT,
        "st.global.f32 [%rd1], %f9;",
        "mov.b64 %rd2, {%r10, %r11};",
        "mov.b64 {%r12, %r10}, %rd2;",
        "add.u32 %r11, %r11, %r12;",
        OTHER,
    ])
}

/// Returns the races of a body: the positions of both instructions, and the properties of the pair.
fn races(body: &[&str]) -> Vec<(usize, usize, u32)> {
    let guardian = Guardian::new(&text(body), Schedule::ConvergedFirst);
    let words = guardian.machine.upload(&[0; 512]);
    guardian.machine.finish("k", 1, 128, args![words]);
    let at = |line: u32| (line - BODY) as usize;
    let seen = guardian.seen().into_iter().filter(|(.., record)| record.memory == Memory::Register);
    let mut races: Vec<_> =
        seen.map(|(first, second, record)| (at(first), at(second), record.address as u32)).collect();
    races.sort_unstable();
    races
}

#[test]
fn orderly_products_have_no_checks_of_registers() {
    for body in [
        &[FENCE, NARROW, COMMIT, WAIT, "add.f32 %f9, %f0, %f1;"][..],
        // Products of one shape follow each other on an accumulator.
        &[FENCE, NARROW, NARROW, COMMIT, NARROW, COMMIT, WAIT, NARROW, COMMIT],
        // A fence is enough between two shapes.
        &[FENCE, NARROW, FENCE, OTHER, COMMIT],
        // Two groups with one wait each.
        &[FENCE, NARROW, COMMIT, OF_REGISTERS, COMMIT, WAIT_1, "add.f32 %f9, %f0, %f1;"],
        // `mov` gives names: behind the fence, and to what is not complete yet.
        &[FENCE, "mov.f32 %f0, 0f00000000;", "mov.f32 %f1, %f0;", NARROW, COMMIT],
        &[FENCE, NARROW, COMMIT, "mov.f32 %f9, %f0;", WAIT, "add.f32 %f9, %f9, %f1;"],
        &["add.f32 %f9, %f8, %f8;", FENCE, "mov.f32 %f0, %f9;", NARROW, COMMIT],
        &["mov.b32 %r10, {%h0, %h1};", FENCE, OF_REGISTERS, COMMIT, WAIT, "add.u32 %r10, %r10, 1;"],
        // Two reads of a fragment of A.
        &[FENCE, OF_REGISTERS, COMMIT, "st.global.u32 [%rd1], %r10;"],
        &[FENCE, "st.global.u32 [%rd1], %r10;", OF_REGISTERS, OF_REGISTERS, COMMIT],
        // Other registers are not looked at.
        &[FENCE, NARROW, "add.f32 %f9, %f8, %f10;", COMMIT],
        // A loop whose accumulator is used when the last product is complete, one group behind.
        &[
            "mov.u32 %r7, 0;",
            "L:",
            FENCE,
            NARROW,
            NARROW,
            COMMIT,
            WAIT_1,
            "add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 3; @%p3 bra L;",
            WAIT,
            "add.f32 %f9, %f0, %f8;",
        ],
    ] {
        assert_eq!(races(body), [], "{body:?}");
        let guarded = Guardian::new(&text(body), Schedule::ConvergedFirst).guarded.text;
        assert!(!guarded.contains("__warprace_groups"), "{guarded}");
    }
}

#[test]
fn accesses_before_the_wait_are_reported() {
    let sum = ACCUMULATOR | UNWAITED | PRODUCT | WRITES;
    let factor = UNWAITED | PRODUCT;
    for (body, expected) in [
        (&[FENCE, NARROW, COMMIT, "add.f32 %f9, %f0, %f8;"][..], (1, 3, sum)),
        (&[FENCE, NARROW, COMMIT, "add.f32 %f0, %f8, %f8;"], (1, 3, sum)),
        (&[FENCE, NARROW, COMMIT, "mov.f32 %f0, 0f00000000;"], (1, 3, sum)),
        (&[FENCE, NARROW, "st.global.f32 [%rd1], %f3;", COMMIT], (1, 2, sum)),
        // The copy stands for what is not complete, and the fence is no wait.
        (&[FENCE, NARROW, COMMIT, "mov.f32 %f9, %f0;", "add.f32 %f10, %f9, %f8;"], (1, 4, sum)),
        (&[FENCE, NARROW, COMMIT, FENCE, "add.f32 %f9, %f0, %f8;"], (1, 4, sum)),
        (&[FENCE, OF_REGISTERS, COMMIT, NARROW, COMMIT, WAIT_1, "add.f32 %f9, %f0, %f8;"], (3, 6, sum)),
        (&[FENCE, OF_REGISTERS, COMMIT, "add.u32 %r10, %r10, 1;"], (1, 3, factor)),
        (&[FENCE, OF_REGISTERS, COMMIT, "ld.global.u32 %r13, [%rd1];"], (1, 3, factor)),
        (&[FENCE, NARROW, COMMIT, FENCE, OF_RESULTS, COMMIT], (1, 4, sum)),
        (&[FENCE, OF_RESULTS, COMMIT, FENCE, NARROW, COMMIT], (1, 4, factor)),
        // In a loop, from one round to the next.
        (
            &[
                "mov.u32 %r7, 0;",
                FENCE,
                "L: add.f32 %f9, %f0, %f8;",
                NARROW,
                COMMIT,
                "add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 2; @%p3 bra L;",
            ],
            (3, 2, sum),
        ),
    ] {
        let found = races(body);
        let of_pair = |how: u32| how & (ACCUMULATOR | UNWAITED | PRODUCT | WRITES);
        let found: Vec<_> =
            found.into_iter().map(|(first, second, how)| (first, second, of_pair(how))).collect();
        assert!(found.contains(&expected), "{body:?}: {found:?}");
        assert!(found.len() == 1 || body[0].starts_with("mov"), "{body:?}: {found:?}");
    }
}

#[test]
fn products_without_a_fence_are_reported() {
    let before = ACCUMULATOR | WRITES;
    for (body, expected) in [
        (&[NARROW, COMMIT][..], (0, 0, before | ALONE)),
        (&["add.f32 %f0, %f8, %f8;", NARROW, COMMIT], (0, 1, before)),
        (&[FENCE, "add.f32 %f0, %f8, %f8;", NARROW, COMMIT], (1, 2, before)),
        (&[FENCE, "add.f32 %f9, %f8, %f8;", "mov.f32 %f0, %f9;", NARROW, COMMIT], (1, 3, before)),
        (&[FENCE, NARROW, COMMIT, WAIT, "st.global.f32 [%rd1], %f0;", NARROW, COMMIT], (4, 5, ACCUMULATOR)),
        (&[FENCE, "cvt.u32.u16 %r10, %h0;", OF_REGISTERS, COMMIT], (1, 2, WRITES)),
        (&[FENCE, NARROW, OTHER, COMMIT], (1, 2, before | PRODUCT)),
        (&[FENCE, NARROW, COMMIT, WAIT, OTHER, COMMIT], (1, 4, before | PRODUCT)),
        // A fence on one of two ways.
        (
            &[
                FENCE,
                "add.f32 %f0, %f8, %f8; setp.ge.u32 %p3, %r1, 64; @%p3 bra L;",
                FENCE,
                "L:",
                NARROW,
                COMMIT,
            ],
            (1, 4, before),
        ),
    ] {
        let of_pair = |how: u32| how & (ACCUMULATOR | UNWAITED | PRODUCT | WRITES | ALONE);
        let found: Vec<_> =
            races(body).into_iter().map(|(first, second, how)| (first, second, of_pair(how))).collect();
        assert_eq!(found, [expected], "{body:?}");
    }
}

#[test]
fn a_path_that_no_thread_takes_is_no_race() {
    // The kernel has candidates for the wait and the fence, since the analysis knows nothing of the values of `%p3`.
    let body = [
        "setp.gt.u32 %p3, %r1, 999;",
        FENCE,
        NARROW,
        COMMIT,
        "@%p3 bra L;",
        WAIT,
        "L:",
        "add.f32 %f9, %f0, %f8;",
        "@%p3 bra M;",
        FENCE,
        "M:",
        NARROW,
        COMMIT,
    ];
    assert!(Guardian::new(&text(&body), Schedule::ConvergedFirst).guarded.text.contains("__warprace_groups"));
    assert_eq!(races(&body), []);
    // A guarded `mov` renames in the lanes that execute it.
    let renamed = [
        FENCE,
        "setp.eq.u32 %p3, %r1, 77;",
        "add.f32 %f9, %f8, %f8;",
        NARROW,
        COMMIT,
        "@%p3 mov.f32 %f9, %f0;",
        "@!%p3 add.f32 %f10, %f9, %f8;",
    ];
    assert_eq!(races(&renamed), []);
    let found = races(&[&renamed[..6], &["add.f32 %f10, %f9, %f8;"]].concat());
    assert_eq!(found.iter().map(|race| (race.0, race.1)).collect::<Vec<_>>(), [(3, 6)]);
}

#[test]
fn more_registers_than_records_are_checked_by_line() {
    // Eight registers of two accumulators have room, and both lines are found.
    let first: Vec<String> = (0..4).map(|i| format!("st.global.f32 [%rd1], %f{i};")).collect();
    let all: Vec<&str> = [FENCE, NARROW, OF_REGISTERS, COMMIT]
        .into_iter()
        .chain(first.iter().map(String::as_str))
        .chain(["add.f32 %f9, %f4, %f5;", "add.f32 %f9, %f6, %f7;"])
        .collect();
    let found: Vec<_> = races(&all).into_iter().map(|race| (race.0, race.1)).collect();
    assert_eq!(found, [(1, 4), (1, 5), (1, 6), (1, 7), (2, 8), (2, 9)]);
}
