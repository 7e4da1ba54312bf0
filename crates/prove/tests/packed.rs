//! Atomics of packed types are atomic per element (PTX §8.2.5); together with an atomic of the whole word
//! they are not.

use kernels::Source;
use prove::{Facts, Prover, Verdict};

/// All threads add to one packed word; thread 0 of each block executes `other` on it.
fn verdict(other: &str) -> Verdict {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n\
         ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n\
         atom.global.add.noftz.f16x2 %r3, [%rd2], %r2;\n\
         setp.ne.s32 %p1, %r1, 0;\n@%p1 bra $L;\n{other}\n$L:\nret;\n}}\n"
    );
    let parsed = ptx::parse(&text);
    let source = Source { tree: &parsed.module, text: &text, name: "packed.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    prover.answer(0, &Facts::default(), &|| false).verdict
}

#[test]
fn a_packed_atomic_is_not_atomic_with_one_of_the_whole_word() {
    let word = verdict("atom.global.exch.b32 %r4, [%rd2], 0;");
    assert!(matches!(word, Verdict::Race(_)), "{word:?}");
    let packed = verdict("red.global.add.noftz.f16x2 [%rd2], %r2;");
    assert!(matches!(packed, Verdict::Proved), "{packed:?}");
}
