//! Kernels of `tests/prove`, in pairs: a clean one is proved, a racy one has a witness.

use kernels::Source;
use prove::{Facts, Prover, Verdict};

const PTX: &str = include_str!("../../../tests/prove/patterns.ptx");

/// Clean kernels that are not proved yet, and why.
const UNKNOWN: &[(&str, &str)] = &[
    ("grid_stride_clean", "the unrolled stride is not related to the blocks' indices"),
    ("thread_chunk_clean", "the unrolled loop's bound is not related to the chunk's size"),
    ("transpose_clean", "the tile's rows are chosen before the guard"),
    ("matmul_clean", "needs that n is at least 1"),
    ("tree_reduce_clean", "the first turn's half is not related to the block"),
];

#[test]
fn clean_kernels_are_proved_and_racy_ones_have_a_witness() {
    let parsed = ptx::parse(PTX);
    let source = Source { tree: &parsed.module, text: PTX, name: "patterns.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let mut wrong = Vec::new();
    for kernel in 0..prover.kernels().len() {
        let start = std::time::Instant::now();
        let answer = prover.answer(kernel, &Facts::default(), &|| false);
        let name = answer.kernel.as_str();
        let open = UNKNOWN.iter().any(|(n, _)| *n == name);
        let right = match &answer.verdict {
            Verdict::Proved => name.ends_with("_clean") && !open,
            Verdict::Race(race) => {
                println!("{name}: {}", race.witness);
                name.ends_with("_race")
            }
            Verdict::Unknown(_) => open,
        };
        if !right {
            wrong.push(format!("{name}: {:?}", answer.verdict));
        }
        println!("{name}: {:?}", start.elapsed());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(prover.kernels().len() >= 50);
}
