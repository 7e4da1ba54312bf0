//! Kernels of `tests/prove/bulk.cu`: mbarriers that copies signal, and how they are set up. With a change they must not be
//! proved.

use crate::one_kernel::{is_proved, kernel};

const BULK: &str = include_str!("../../../tests/prove/bulk.ptx");
const ROUNDS: &str = include_str!("../../../tests/prove/rounds.ptx");

/// Returns a text with its first occurrence of `what` replaced.
fn first(whole: &str, what: &str, with: &str) -> String {
    assert!(whole.contains(what), "no {what}");
    whole.replacen(what, with, 1)
}

/// An initialisation is a weak write, so that those of two threads race.
#[test]
fn an_mbarrier_that_several_threads_initialise_is_not_proved() {
    for whole in [kernel(BULK, "tile_clean"), kernel(BULK, "begun_clean"), kernel(ROUNDS, "counted_clean")] {
        assert!(is_proved(&whole));
        assert!(!is_proved(&first(&whole, "@%p1 bra", "// @%p1 bra")));
    }
}

#[test]
fn an_mbarrier_that_is_set_up_otherwise_is_not_proved() {
    let (begun, each) = (kernel(BULK, "begun_clean"), kernel(BULK, "each_clean"));
    for whole in [&begun, &each] {
        assert!(is_proved(whole));
    }
    for changed in [
        // Two threads set it up, and use it.
        first(&begun, "setp.ne.s32 \t%p1,", "setp.gt.s32 %p1,").replace(", 0;\n\t@%p1", ", 1;\n\t@%p1"),
        // It is not known to be set up where others wait.
        begun.replace("bar.sync", "// bar.sync"),
        each.replace("bar.sync", "// bar.sync"),
        // Two threads set up each.
        first(&each, "shl.b32 \t%r20, %r1, 3;", "and.b32 %r20, %r1, 2; shl.b32 %r20, %r20, 3;"),
        // They are set up for different numbers of arrivals.
        first(&each, "mov.u32 \t%r19, 32;", "add.u32 %r19, %r1, 29;"),
    ] {
        assert!(![&begun, &each].contains(&&changed), "{changed}");
        assert!(!is_proved(&changed), "{changed}");
    }
}

#[test]
fn copies_that_arrive_otherwise_are_not_proved() {
    let whole = kernel(BULK, "fetched_in_turn_clean");
    assert!(is_proved(&whole));
    let (copy, arrival) = (
        "cp.async.ca.shared.global [%r53], [%rd7], 4;",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r54];",
    );
    for changed in [
        // The arrival is one beside those that are counted.
        first(&whole, ".noinc", ""),
        // It does not wait for the copy.
        first(&first(&whole, copy, ""), arrival, &format!("{arrival} {copy}")),
        first(&whole, arrival, "mbarrier.arrive.shared::cta.b64 _, [%r54];"),
        // What copies arrive for is no read of the stage.
        first(
            &whole,
            "mbarrier.arrive.shared::cta.b64 _, [%r33];",
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r33];",
        ),
        // A phase ends without one thread.
        first(&whole, "mov.u32 \t%r19, 32;", "mov.u32 %r19, 31;"),
        // A side does not wait.
        first(&whole, "selp.u32 %r30, 1, 0, p;", "mov.u32 %r30, 1;"),
        first(&whole, "selp.u32 %r50, 1, 0, p;", "mov.u32 %r50, 1;"),
        whole.replace("mbarrier.try_wait.parity.shared", "mbarrier.try_wait.parity.relaxed.cta.shared"),
        // A thread arrives twice.
        first(&whole, arrival, &format!("{arrival} {arrival}")),
        // The copy goes to the other stage.
        first(&whole, "add.s32 \t%r58, %r57, %r56;", "xor.b32 %r56, %r56, 128; add.s32 %r58, %r57, %r56;"),
    ] {
        assert_ne!(changed, whole);
        assert!(!is_proved(&changed), "{changed}");
    }
}
