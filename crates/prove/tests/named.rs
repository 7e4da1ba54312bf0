//! Kernels of `tests/prove/named.cu`, whose warps meet at named barriers. With a change they must not be proved.

use crate::one_kernel::{is_proved, kernel};

const NAMED: &str = include_str!("../../../tests/prove/named.ptx");

/// Returns a text with its `n`-th occurrence of `what` replaced.
fn nth(whole: &str, n: usize, what: &str, with: &str) -> String {
    let (at, _) = whole.match_indices(what).nth(n).unwrap_or_else(|| panic!("no {what}"));
    format!("{}{with}{}", &whole[..at], &whole[at + what.len()..])
}

#[test]
fn a_named_barrier_that_is_used_otherwise_orders_nothing() {
    let (handed, turns, stage) =
        (kernel(NAMED, "handed_clean"), kernel(NAMED, "in_turns_clean"), kernel(NAMED, "one_stage_clean"));
    for whole in [&handed, &turns, &stage] {
        assert!(is_proved(whole));
    }
    let sync = "bar.sync %";
    for changed in [
        // A lane of the arriving warp ends before; the hardware counts it all the same.
        nth(
            &handed,
            0,
            "mov.u32 \t%r1, %tid.x;",
            "mov.u32 %r1, %tid.x; { .reg .pred q; setp.eq.s32 q, %r1, 3; @q ret; }",
        ),
        // Fewer threads are counted, or others arrive.
        handed.replace("mov.u32 \t%r15, 64;", "mov.u32 \t%r15, 32;"),
        nth(&handed, 0, "%r1, 32;", "%r1, 33;"),
        // Half a warp arrives, half of it waits.
        nth(&handed, 0, "%r1, 32;", "%r1, 16;"),
        // A side does not wait.
        nth(&stage, 0, sync, "// bar.sync %"),
        nth(&stage, 1, sync, "// bar.sync %"),
        nth(&stage, 0, sync, "bar.arrive %"),
        nth(&turns, 0, sync, "bar.arrive %"),
        // The arrival is at the own barrier.
        nth(&turns, 0, "bar.arrive %r5,", "bar.arrive %r3,"),
    ] {
        assert!(![&handed, &turns, &stage].contains(&&changed), "{changed}");
        assert!(!is_proved(&changed), "{changed}");
    }
}
