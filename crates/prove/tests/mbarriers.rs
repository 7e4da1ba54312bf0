//! Correct kernels of `tests/prove` that synchronise by mbarriers. With a change to the synchronisation they
//! must not be proved.

use kernels::Source;
use prove::{Facts, Prover, Verdict};

const ROUNDS: &str = include_str!("../../../tests/prove/rounds.ptx");

const PIPELINES: &str = include_str!("../../../tests/prove/pipelines.ptx");

/// Changes a kernel whose block meets at an mbarrier twice; the result must not be proved.
#[test]
fn an_mbarrier_that_is_used_otherwise_orders_nothing() {
    let start = ROUNDS.find(".visible .entry counted_clean(").expect("it is there");
    let end = start + ROUNDS[start..].find("\n}").expect("it ends") + 2;
    let kernel = &ROUNDS[start..end];
    let header = ".version 8.0\n.target sm_90\n.address_size 64\n";
    assert!(matches!(told(&format!("{header}{kernel}"), ""), Verdict::Proved));
    let arrive = "mbarrier.arrive.shared::cta.b64 state, [%r5];";
    for (what, with) in [
        // A phase ends although one thread has not arrived.
        (
            "mbarrier.init.shared::cta.b64 [%r3], %r4",
            "sub.s32 %r4, %r4, 1; mbarrier.init.shared::cta.b64 [%r3], %r4",
        ),
        // Other threads may use the barrier before it is initialised.
        ("bar.sync", "// bar.sync"),
        // Relaxed operations order nothing.
        ("mbarrier.arrive.shared", "mbarrier.arrive.relaxed.cta.shared"),
        ("mbarrier.try_wait.parity.shared", "mbarrier.try_wait.parity.relaxed.cta.shared"),
        // Each thread arrives twice.
        (
            arrive,
            "mbarrier.arrive.shared::cta.b64 state, [%r5]; mbarrier.arrive.shared::cta.b64 state, [%r5];",
        ),
        // Another store overwrites the barrier.
        (arrive, "st.shared.u32 [_ZZ13counted_cleanE3bar], 0; mbarrier.arrive.shared::cta.b64 state, [%r5];"),
        // The thread waits for the previous phase.
        ("mov.u32 \t%r10, 0;", "mov.u32 \t%r10, 1;"),
    ] {
        let changed = kernel.replace(what, with);
        assert_ne!(changed, kernel, "{what}");
        let verdict = told(&format!("{header}{changed}"), "");
        assert!(!matches!(verdict, Verdict::Proved), "{what} -> {with}");
    }
    // A thread that waits for a phase without arrivals never continues, so the kernel has no race.
    let verdict = told(&format!("{header}{}", kernel.replace(arrive, "")), "");
    assert!(matches!(verdict, Verdict::Proved), "{verdict:?}");
}

/// Changes producers and consumers; the result must not be proved.
#[test]
fn what_is_handed_over_otherwise_is_not_proved() {
    let kernel = |name: &str| {
        let start = PIPELINES.find(&format!(".visible .entry {name}(")).expect("it is there");
        let end = start + PIPELINES[start..].find("\n}").expect("it ends") + 2;
        &PIPELINES[start..end]
    };
    let header = ".version 8.0\n.target sm_90\n.address_size 64\n";
    let (handed_over, split) = (kernel("handed_over_clean"), kernel("split_clean"));
    for whole in [handed_over, split] {
        assert!(matches!(told(&format!("{header}{whole}"), ""), Verdict::Proved));
    }
    let all = |kernel: &str, what: &str, with: &str| {
        let changed = kernel.replace(what, with);
        assert_ne!(changed, kernel, "{what}");
        changed
    };
    let nth = |kernel: &str, n: usize, what: &str, with: &str| {
        let (at, _) = kernel.match_indices(what).nth(n).expect("it is there");
        format!("{}{with}{}", &kernel[..at], &kernel[at + what.len()..])
    };
    let (wait, arrive) = ("mbarrier.try_wait.parity.shared", "mbarrier.arrive.shared");
    let count = ", %r";
    let init = |kernel: &str, n: usize, to: &str| {
        let (at, _) = kernel.match_indices("mbarrier.init.shared::cta.b64").nth(n).expect("it is there");
        let from = at + kernel[at..].find(count).expect("it has a count");
        let end = from + kernel[from..].find(';').expect("it ends");
        format!("{}, {to}{}", &kernel[..from], &kernel[end..])
    };
    for changed in [
        all(handed_over, arrive, "mbarrier.arrive.relaxed.cta.shared"),
        all(handed_over, wait, "mbarrier.try_wait.parity.relaxed.cta.shared"),
        // A phase ends with one arrival less, on either side.
        init(handed_over, 0, "31"),
        init(handed_over, 1, "31"),
        // Other threads may use the barriers before they are initialised.
        all(handed_over, "bar.sync", "// bar.sync"),
        // Another thread arrives, too.
        all(handed_over, "%r1, 32;", "%r1, 33;"),
        nth(split, 0, arrive, "mbarrier.arrive.relaxed.cta.shared"),
        all(split, wait, "mbarrier.try_wait.parity.relaxed.cta.shared"),
        init(split, 0, "1"),
    ] {
        let verdict = told(&format!("{header}{changed}"), "");
        assert!(!matches!(verdict, Verdict::Proved), "{changed}");
    }
}

fn told(text: &str, assume: &str) -> Verdict {
    let parsed = ptx::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text, name: "scatter.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let relations = if assume.is_empty() {
        Vec::new()
    } else {
        prove::facts::assume::parse(assume).expect("it is read").1
    };
    prover.answer(0, &Facts { relations, ..Facts::default() }, &|| false).verdict
}
