//! Writes to constants that the same kernel loads.

use kernels::Source;
use prove::{Facts, Prover, Verdict};

/// Each thread stores to `place`, and loads an element of a constant.
fn answer(place: &str) -> (Verdict, Vec<String>) {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[128];\n.const .align 4 .b8 other[128];\n\
         .visible .entry k(.param .u64 a)\n{{\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n\
         mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\n{place}\nadd.s64 %rd3, %rd2, %rd1;\n\
         st.global.u32 [%rd3], %r1;\nmov.u64 %rd4, table;\nadd.s64 %rd5, %rd4, %rd1;\n\
         ld.const.u32 %r2, [%rd5];\nst.global.u32 [%rd3], %r2;\nret;\n}}\n"
    );
    let parsed = ptx::parse(&text);
    let source = Source { tree: &parsed.module, text: &text, name: "constants.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let facts = Facts { grid: Some([1, 1, 1]), ..Facts::default() };
    let answer = prover.answer(0, &facts, &|| false);
    (answer.verdict, answer.assumed)
}

/// A kernel that stored to a constant through its address, and loaded it, was proved: loads of constants were no accesses.
#[test]
fn a_kernel_that_writes_to_a_constant_that_it_loads_is_not_proved() {
    let (written, _) = answer("mov.u64 %rd6, table;\ncvta.const.u64 %rd2, %rd6;");
    assert!(!matches!(written, Verdict::Proved), "{written:?}");
    let (another, assumed) = answer("mov.u64 %rd6, other;\ncvta.const.u64 %rd2, %rd6;");
    assert!(matches!(another, Verdict::Proved), "{another:?}");
    assert!(!assumed.iter().any(|a| a.contains("constant")), "{assumed:?}");
}

#[test]
fn a_proof_says_that_a_pointer_leads_to_no_constant() {
    let (pointed, assumed) = answer("ld.param.u64 %rd6, [a];\ncvta.to.global.u64 %rd2, %rd6;");
    assert!(matches!(pointed, Verdict::Proved), "{pointed:?}");
    let said = "no constant that it loads is in memory that it writes to".to_owned();
    assert!(assumed.contains(&said), "{assumed:?}");
}
