//! Kernels of `tests/prove`, in pairs: a clean one is proved, a racy one has a witness.

use kernels::Source;
use prove::{Facts, Prover, Verdict};

const PTX: &str = include_str!("../../../tests/prove/patterns.ptx");

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
        let right = match &answer.verdict {
            Verdict::Proved => name.ends_with("_clean"),
            Verdict::Race(race) => {
                println!("{name}: {}", race.witness);
                name.ends_with("_race")
            }
            Verdict::Unknown(_) => false,
        };
        if !right {
            wrong.push(format!("{name}: {:?}", answer.verdict));
        }
        println!("{name}: {:?}", start.elapsed());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(prover.kernels().len() >= 50);
}

/// Once, `ld.global.nc` was left out, and kernels were proved that race with what it reads.
#[test]
fn loads_through_the_read_only_cache_race() {
    let parsed = ptx::parse(PTX);
    let source = Source { tree: &parsed.module, text: PTX, name: "patterns.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    for name in ["read_only_path_race", "read_only_path_own_race"] {
        let body = PTX.split_once(&format!(".entry {name}(")).and_then(|(_, rest)| rest.split_once("\n}"));
        let body = body.expect("it is there").0;
        assert!(body.contains("ld.global.nc") && !body.contains("ld.global.u32"), "{name}: {body}");
        let kernel = prover.kernels().iter().position(|k| k.name == name).expect("it is there");
        let answer = prover.answer(kernel, &Facts::default(), &|| false);
        assert!(matches!(answer.verdict, Verdict::Race(_)), "{name}: {:?}", answer.verdict);
    }
}
