//! Variants of the kernels of `tests/prove/clusters.cu`: some orderings between blocks of a cluster are
//! sufficient, others are not.

use crate::one_kernel::{decided, is_proved, kernel};
use kernels::Source;
use prove::{Facts, Prover, Verdict};

const CLUSTERS: &str = include_str!("../../../tests/prove/clusters.ptx");

fn changed(name: &str, what: &str, with: &str) -> String {
    let text = kernel(CLUSTERS, name);
    let changed = text.replacen(what, with, 1);
    assert_ne!(changed, text, "{name}: {what}");
    changed
}

/// The number of blocks of a cluster need not be known if ranks tell them apart.
#[test]
fn clusters_of_any_size_are_proved() {
    for (name, size) in [("exchange_clean", "2"), ("push_clean", "2"), ("histogram_clean", "4")] {
        let directive = format!(".reqnctapercluster {size}, 1, 1");
        let (verdict, _) = decided(&changed(name, &directive, "").replace(".explicitcluster", ""));
        assert!(matches!(verdict, Verdict::Proved), "{name}: {verdict:?}");
    }
    // The rank of the next block depends on the cluster's size.
    let text = changed("ring_clean", ".reqnctapercluster 4, 1, 1", ".reqnctapercluster 8, 1, 1");
    assert!(!is_proved(&text));
}

/// A rank counts along x first, then along y.
#[test]
fn clusters_of_two_dimensions_have_one_rank() {
    for (extents, proved) in [("2, 2, 1", true), ("1, 4, 1", true), ("2, 1, 2", true), ("4, 2, 1", false)] {
        let text =
            changed("ring_clean", ".reqnctapercluster 4, 1, 1", &format!(".reqnctapercluster {extents}"));
        // The results of the kernel have one dimension.
        let text = text.replace("st.global.f32", "// st.global.f32");
        assert_eq!(is_proved(&text), proved, "{extents}");
    }
}

/// Only barriers of all threads of the cluster order accesses of its blocks.
#[test]
fn what_does_not_order_a_cluster_is_not_taken_to() {
    let arrive = "barrier.cluster.arrive;";
    let wait = "barrier.cluster.wait;";
    for (name, what, with) in [
        ("exchange_clean", arrive, "barrier.cluster.arrive.relaxed;"),
        ("exchange_clean", arrive, "@%p1 barrier.cluster.arrive;"),
        ("exchange_clean", wait, ""),
        ("exchange_clean", wait, "ld.shared.u32 %r1, [_ZZ14exchange_cleanE1s]; barrier.cluster.wait;"),
        // Blocks do not all pass the barrier, or not all equally often.
        (
            "exchange_clean",
            arrive,
            "mov.b32 %r1, %cluster_ctarank; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; barrier.cluster.arrive;",
        ),
        // A second `mapa` of the address leads to a third block.
        (
            "exchange_clean",
            "mapa.u64 \t%rd8, %rd7, %r9;",
            "mapa.u64 %rd8, %rd7, %r9; mapa.u64 %rd8, %rd8, %r1;",
        ),
        (
            "ring_clean",
            "mapa.shared::cluster.u32 %r1, %r2, %r3;",
            "mapa.shared::cluster.u32 %r1, %r2, %r3; @%p1 mov.u32 %r1, %r2;",
        ),
        // Two blocks access the same block.
        ("ring_clean", "and.b32  \t%r3, %r10, 3;", "and.b32 %r3, %r10, 1;"),
    ] {
        let mut text = changed(name, what, with);
        if with.contains("bra L") {
            text = text.replacen(wait, "barrier.cluster.wait; L:", 1);
        }
        let text = text.replacen("{", "{\n.reg .pred %p<9>;", 1);
        let (verdict, _) = decided(&text);
        assert!(!matches!(verdict, Verdict::Proved), "{name}: {what} -> {with}");
    }
    // The answer names the part that is not supported.
    let text = changed("exchange_clean", "mapa.u64 \t%rd8, %rd7, %r9;", "mapa.u64 %rd8, %rd1, %r9;");
    let (Verdict::Unknown(doubts), _) = decided(&text) else { panic!("it is proved") };
    assert!(doubts[0].why.contains("other blocks of a cluster"), "{doubts:?}");
}

/// `getctarank` of an own variable is the block's own rank, so two blocks have two ranks.
#[test]
fn blocks_of_a_cluster_differ_in_their_ranks() {
    let text = |second: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) .reqntid 1 .reqnctapercluster 2\n{{
            .reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %d<3>; .shared .align 4 .b8 s[4];
            ld.param.u64 %d1, [a]; mov.u32 %r2, %ctaid.x;
            getctarank.shared::cluster.u32 %r1, s;
            setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;
            @%p1 st.global.u32 [%d1], 1;
            @%p2 st.global.u32 [%d1{second}], 2;
            ret;\n}}\n"
        )
    };
    let verdict = |text: &str| {
        let parsed = ptx::parse(text);
        let source = Source { tree: &parsed.module, text, name: "ranks.ptx" };
        let facts = Facts { grid: Some([2, 1, 1]), ..Facts::default() };
        Prover::new(&[source]).expect("it links").answer(0, &facts, &|| false).verdict
    };
    assert!(matches!(verdict(&text("+4")), Verdict::Proved));
    assert!(matches!(verdict(&text("")), Verdict::Race(_)));
}
