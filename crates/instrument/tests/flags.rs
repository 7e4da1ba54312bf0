//! Tests engine `guard` on the virtual GPU: one block's operations are ordered before another's only through
//! the flags that it has read.

use crate::guardian::{BODY, Guardian, module, options};
use instrument::guard::Options;
use instrument::guard::launches::{Before, Launches};
use simt::Schedule;
use std::sync::atomic::Ordering;

const FENCE: &str = "fence.acq_rel.gpu;";

/// Returns the races of several launches of a kernel, each ordered after the previous one; lines are those of
/// `body`.
fn races_of(body: &str, front: &str, launches: u32, (blocks, threads): (u32, u32)) -> Vec<(i32, i32)> {
    let text = module(body).replace(".visible .entry", &format!("{front} .visible .entry"));
    let mut all = Vec::new();
    for schedule in [Schedule::ConvergedFirst, Schedule::RoundRobin { quantum: 3 }, Schedule::Random] {
        let guardian = Guardian::with(&text, schedule, &Options { told: true, ..options() });
        let words = guardian.machine.upload(&[0; 512]);
        let mut told = Launches::default();
        told.lane();
        for n in 0..launches {
            guardian.machine.memory.write(words, &[0; 2048]).unwrap();
            guardian.machine.task.store(n, Ordering::Relaxed);
            let (_, launch) = told.next(0, &Before::default());
            guardian.machine.finish("k", blocks, threads, args![words, launch]);
        }
        let behind = |line: u32| line as i32 - BODY as i32;
        all.extend(guardian.seen().iter().map(|(a, b, _)| (behind(*a.min(b)), behind(*a.max(b)))));
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn races(body: &str, blocks: u32, threads: u32) -> Vec<(i32, i32)> {
    races_of(body, "", 1, (blocks, threads))
}

/// Returns text that waits until the flag, the word at `at`, has that value, in `%r5`.
fn await_(at: u32, value: u32) -> String {
    format!(
        "W{at}: ld.relaxed.gpu.global.u32 %r5, [%rd1+{at}]; setp.ne.u32 %p3, %r5, {value}; @%p3 bra W{at};"
    )
}

fn raise(at: u32) -> String {
    format!("st.relaxed.gpu.global.u32 [%rd1+{at}], 1;")
}

/// Returns a kernel with a part for each block, on a line of its own.
fn parts(parts: &[String]) -> String {
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        out += &format!("setp.ne.u32 %p4, %r2, {i}; @%p4 bra P{i};\n{part}\nret; P{i}:\n");
    }
    out
}

#[test]
fn a_flag_that_was_not_looked_at_tells_nothing() {
    // Blocks 0 and 1 write a word and a flag each, and block 2 reads one of these flags, or both.
    let leave = |at: u32| format!("st.global.u32 [%rd1+{at}], 7; {FENCE} {}", raise(64 + at));
    let body = |seen: &str| {
        parts(&[
            leave(0),
            leave(4),
            format!("{seen}\n{FENCE}\nld.global.u32 %r6, [%rd1]; ld.global.u32 %r6, [%rd1+4];"),
        ])
    };
    let both = format!("{} {}", await_(64, 1), await_(68, 1));
    assert_eq!(races(&body(&both), 3, 1), []);
    assert_eq!(races(&body(&await_(64, 1)), 3, 1), [(4, 9)]);
    assert_eq!(races(&body(&await_(68, 1)), 3, 1), [(1, 9)]);
    // A flag by which two blocks have released, one after the other, orders both, also if the second only
    // increments it.
    let count = |add: &str, at: u32| format!("st.global.u32 [%rd1+{at}], 7; {add}");
    let add = format!("{FENCE} red.relaxed.gpu.global.add.u32 [%rd1+64], 1;");
    let counted = |second: &str| {
        parts(&[
            count(&add, 0),
            count(second, 4),
            format!("{}\n{FENCE}\nld.global.u32 %r6, [%rd1];\nld.global.u32 %r6, [%rd1+4];", await_(64, 2)),
        ])
    };
    assert_eq!(races(&counted(&add), 3, 1), []);
    assert_eq!(races(&counted("red.relaxed.gpu.global.add.u32 [%rd1+64], 1;"), 3, 1), [(4, 10)]);
}

#[test]
fn who_passes_on_a_flag_passes_on_what_it_has_acquired() {
    let body = |middle: &str| {
        parts(&[
            format!("st.global.u32 [%rd1], 7; {FENCE} {}", raise(64)),
            format!("{} {middle} {}", await_(64, 1), raise(68)),
            format!("{} {FENCE}\nld.global.u32 %r6, [%rd1];", await_(68, 1)),
        ])
    };
    assert_eq!(races(&body(FENCE), 3, 1), []);
    assert_eq!(races(&body("fence.sc.gpu;"), 3, 1), []);
    for middle in ["", "fence.acq_rel.cta;"] {
        assert_eq!(races(&body(middle), 3, 1), [(1, 8)], "{middle}");
    }
    // Operations that acquire and release themselves.
    let own = |wait: &str, set: &str| {
        body(FENCE)
            .replace("ld.relaxed.gpu.global.u32 %r5, [%rd1+64]", &format!("{wait}.global.u32 %r5, [%rd1+64]"))
            .replace(&format!("{FENCE} {}", raise(68)), &format!("{set}.global.u32 [%rd1+68], 1;"))
    };
    assert_eq!(races(&own("ld.acquire.gpu", "st.release.gpu"), 3, 1), []);
    assert_eq!(races(&own("ld.acquire.cta", "st.release.gpu"), 3, 1), [(1, 4), (1, 8)]);
    assert_eq!(races(&own("ld.acquire.gpu", "st.release.cta"), 3, 1), [(1, 8), (4, 7)]);
}

#[test]
fn a_fence_releases_by_what_is_written_behind_it_and_acquires_by_what_was_read_before() {
    let body = |leave: &str, take: &str| {
        parts(&[format!("st.global.u32 [%rd1], 7; {leave}"), format!("{take}\nld.global.u32 %r6, [%rd1];")])
    };
    let (set, get) = (raise(64), await_(64, 1));
    assert_eq!(races(&body(&format!("{FENCE} {set}"), &format!("{get} {FENCE}")), 2, 1), []);
    assert_eq!(races(&body(&format!("{set} {FENCE}"), &format!("{get} {FENCE}")), 2, 1), [(1, 5)]);
    assert_eq!(races(&body(&format!("{FENCE} {set}"), &format!("{FENCE} {get}")), 2, 1), [(1, 5)]);
    // Flags of every size, and a load that overwrites its address register.
    for (bits, register) in [(8, "%h1"), (16, "%h1"), (64, "%rd2")] {
        let (set, get) = (
            format!("st.relaxed.gpu.global.u{bits} [%rd1+64], 1;"),
            format!(
                "W: ld.relaxed.gpu.global.u{bits} {register}, [%rd1+64]; setp.eq.u{} %p3, {register}, 0; @%p3 bra W;",
                bits.max(16)
            ),
        );
        assert_eq!(races(&body(&format!("{FENCE} {set}"), &format!("{get} {FENCE}")), 2, 1), [], "{bits}");
    }
    let own = "W: add.u64 %rd2, %rd1, 64; ld.relaxed.gpu.global.u64 %rd2, [%rd2]; setp.eq.u64 %p3, %rd2, 0; @%p3 bra W;";
    let wide = "st.relaxed.gpu.global.u64 [%rd1+64], 1;";
    assert_eq!(races(&body(&format!("{FENCE} {wide}"), &format!("{own} {FENCE}")), 2, 1), []);
    // A store of block scope does not cancel the release of an earlier fence.
    let two = format!("{FENCE} st.release.cta.global.u32 [%rd1+128], 1; {set}");
    assert_eq!(races(&body(&two, &format!("{get} {FENCE}")), 2, 1), []);
}

#[test]
fn one_thread_releases_what_a_barrier_has_brought_it() {
    // One thread of block 0 writes, and another one releases to block 1.
    let body = |writer: u32, between: &str| {
        parts(&[
            format!(
                "setp.eq.u32 %p5, %r1, {writer}; @%p5 st.global.u32 [%rd1], 7; {between} @!%p1 bra Q; {FENCE} {} Q:",
                raise(64)
            ),
            format!("@!%p1 ret; {} {FENCE}\nld.global.u32 %r6, [%rd1];", await_(64, 1)),
        ])
    };
    assert_eq!(races(&body(32, "bar.sync 0;"), 2, 64), []);
    assert_eq!(races(&body(32, ""), 2, 64), [(1, 5)]);
    assert_eq!(races(&body(31, "bar.warp.sync -1;"), 2, 64), []);
    assert_eq!(races(&body(32, "bar.sync 1, 64;"), 2, 64), []);
    // Each thread has a fence, but that of the thread that writes the flag precedes the barrier.
    let early = |fence: &str| {
        body(32, &format!("{FENCE} bar.sync 0;"))
            .replace(&format!("@!%p1 bra Q; {FENCE}"), &format!("@!%p1 bra Q; {fence}"))
    };
    assert_eq!(races(&early(""), 2, 64), [(1, 5)]);
    assert_eq!(races(&early(FENCE), 2, 64), []);
    // As many barriers as the count has values.
    for times in [1023, 1024, 2048] {
        let many = format!(
            "mov.u32 %r7, 0; B: bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p6, %r7, {times}; @%p6 bra B;"
        );
        assert_eq!(races(&body(32, &many), 2, 64), [], "{times}");
    }
    // A flag within the block, whose order reaches no other block.
    let near = |fence: &str| {
        format!(
            "@!%p5 bra N; {fence} st.relaxed.cta.global.u32 [%rd1+128], 1; N: @!%p1 bra M; \
             O: ld.relaxed.cta.global.u32 %r5, [%rd1+128]; setp.eq.u32 %p3, %r5, 0; @%p3 bra O; M: {}",
            if fence.is_empty() { "" } else { "@%p1 fence.acq_rel.cta;" }
        )
    };
    assert_eq!(races(&body(32, &near("fence.acq_rel.cta;")), 2, 64), []);
    assert_eq!(races(&body(32, &near("")), 2, 64), [(1, 5)]);
}

#[test]
fn launches_before_have_told_nothing() {
    let body = |get: &str| {
        parts(&[
            format!("st.global.u32 [%rd1], 7; {FENCE} {}", raise(64)),
            format!("{get} {FENCE}\nld.global.u32 %r6, [%rd1];"),
        ])
    };
    assert_eq!(races_of(&body(&await_(64, 1)), "", 3, (2, 1)), []);
    // A flag that no launch writes.
    assert_eq!(races_of(&body(&await_(68, 0)), "", 3, (2, 1)), [(1, 5)]);
}

#[test]
fn functions_raise_flags_and_look_at_them() {
    let function = ".func set(.param .b64 at) { .reg .b64 %rd1; ld.param.u64 %rd1, [at]; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd1], 1; ret; }";
    let function = format!(
        "{function} .func (.param .b32 out) get(.param .b64 at) {{ .reg .b64 %rd1; .reg .b32 %r1; ld.param.u64 %rd1, [at]; ld.relaxed.gpu.global.u32 %r1, [%rd1]; st.param.b32 [out], %r1; ret; }}"
    );
    let call = |out: &str, name: &str| {
        format!(
            "{{ .param .b32 o; .param .b64 a; st.param.b64 [a], %rd2; call {out} {name}, (a); {} }}",
            if out.is_empty() { "" } else { "ld.param.b32 %r5, [o];" }
        )
    };
    let body = |set: &str, get: &str| {
        format!(
            "add.u64 %rd2, %rd1, 64;\n{}",
            parts(&[
                format!("st.global.u32 [%rd1], 7; {set}"),
                format!("W: {get} setp.eq.u32 %p3, %r5, 0; @%p3 bra W; {FENCE}\nld.global.u32 %r6, [%rd1];")
            ])
        )
    };
    let all = |set: &str, get: &str| races_of(&body(set, get), &function, 1, (2, 1));
    assert_eq!(all(&call("", "set"), &call("(o),", "get")), []);
    let plain = "st.relaxed.gpu.global.u32 [%rd2], 1;";
    assert_eq!(all(plain, &call("(o),", "get")), [(2, 6)]);
}
