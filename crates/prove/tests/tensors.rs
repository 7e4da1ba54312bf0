//! Kernels of `tests/prove/tensors.cu`: stages that tensor copies fill, products of warpgroups, and bulk copies out of shared
//! memory. With a change to the synchronisation they must not be proved.

use crate::one_kernel::{decided, is_proved, kernel};
use kernels::Source;
use prove::{Facts, Prover, Verdict};

const TENSORS: &str = include_str!("../../../tests/prove/tensors.ptx");

#[test]
fn stages_of_tensor_copies_and_products_are_proved() {
    let names = TENSORS.split(".visible .entry ").skip(1).filter_map(|e| e.split('(').next());
    let mut asked = 0;
    for name in names {
        let (verdict, assumed) = decided(&kernel(TENSORS, name));
        let is_proved = matches!(verdict, Verdict::Proved);
        assert_eq!(is_proved, name.ends_with("_clean"), "{name}");
        let boxes = assumed.iter().filter(|a| a.starts_with("each box that a tensor copy brings")).count();
        let copies = kernel(TENSORS, name).contains("cp.async.bulk.tensor");
        assert!(!is_proved || copies == (boxes > 0), "{name}: {assumed:?}");
        asked += 1;
    }
    assert!(asked >= 16, "{asked}");
}

/// The virtual GPU needs no tensor map for these.
#[test]
fn races_of_products_and_of_copies_out_have_a_witness() {
    for name in ["filled_race", "overlapped_race", "out_race", "written_race"] {
        let text = kernel(TENSORS, name);
        let parsed = ptx::parse(&text);
        let source = Source { tree: &parsed.module, text: &text, name: "tensors.ptx" };
        let mut prover = Prover::new(&[source]).expect("it links");
        let answer = prover.answer(0, &Facts::default(), &|| false);
        assert!(matches!(answer.verdict, Verdict::Race(_)), "{name}: {:?}", answer.verdict);
    }
}

/// Changes a pipeline; the result must not be proved.
#[test]
fn a_pipeline_of_products_with_a_change_is_not_proved() {
    let whole = kernel(TENSORS, "one_arrives_clean");
    assert!(is_proved(&whole));
    let nth = |n: usize, what: &str, with: &str| {
        let (at, _) = whole.match_indices(what).nth(n).unwrap_or_else(|| panic!("no {what}"));
        format!("{}{with}{}", &whole[..at], &whole[at + what.len()..])
    };
    let wait = "selp.u32 %r30, 1, 0, p;";
    for changed in [
        // The producer does not wait for the stage.
        nth(0, wait, "mov.u32 %r30, 1;"),
        // The consumers do not, or they wait for the phase before.
        nth(0, "and.b32  \t%r9, %r51, 1;", "not.b32 %r9, %r51; and.b32 %r9, %r9, 1;"),
        nth(0, "selp.u32 %r53, 1, 0, p;", "mov.u32 %r53, 1;"),
        nth(1, "mbarrier.try_wait.parity.shared", "mbarrier.try_wait.parity.relaxed.cta.shared"),
        nth(0, "wgmma.wait_group.sync.aligned 0;", ""),
        nth(0, "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;"),
        nth(0, "wgmma.commit_group.sync.aligned;", ""),
        nth(0, "wgmma.fence.sync.aligned;", ""),
        // An accumulator is changed between the products, or before the wait.
        nth(0, "or.b64  \t%rd14", "add.f32 %f60, %f60, %f60; or.b64  \t%rd14"),
        nth(0, "wgmma.wait_group", "mov.f32 %f60, %f1; wgmma.wait_group"),
        // Other bytes are expected than come.
        nth(0, "mov.u32 \t%r34, 9216;", "mov.u32 \t%r34, 8192;"),
        // Two arrivals end a phase, or any thread's.
        nth(0, "[%r14], %r23;", "[%r14], 2;"),
        nth(0, "@%p1 bra \t$L__BB4_14;", ""),
        // Relaxed operations order nothing.
        nth(
            0,
            "mbarrier.arrive.shared::cta.b64 _, [%r69];",
            "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r69];",
        ),
        // Other threads may use the barriers before they are initialised.
        nth(0, "bar.sync", "// bar.sync"),
        // The box goes to the next stage.
        nth(0, "add.s32 \t%r35, %r46, %r45;", "add.s32 %r35, %r46, %r45; add.s32 %r35, %r35, 8192;"),
        // A store without a proxy fence.
        nth(0, "wgmma.fence.sync.aligned;", "st.shared.u32 [%r61], 0; wgmma.fence.sync.aligned;"),
    ] {
        assert_ne!(changed, whole);
        assert!(!is_proved(&changed), "{changed}");
    }
}

/// The map of a tensor copy may be changed in memory that the kernel writes.
#[test]
fn a_tensor_map_in_memory_is_not_taken_for_a_parameter() {
    let whole = kernel(TENSORS, "box_clean");
    let from = "mov.b64 \t%rd2, box_clean_param_0;";
    assert!(whole.contains(from));
    let changed = whole.replace(from, "ld.param.u64 \t%rd2, [box_clean_param_1];");
    assert!(!is_proved(&changed));
}
