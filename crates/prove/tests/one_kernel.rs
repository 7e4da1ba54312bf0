//! Single kernels of the texts in `tests/prove`, asked about without launches.

use kernels::Source;
use prove::{Facts, Prover, Verdict};

/// Returns a module with one kernel of a text.
pub(crate) fn kernel(of: &str, name: &str) -> String {
    let head = of.split(".visible .entry").next().expect("a header");
    let start = of.find(&format!(".visible .entry {name}(")).expect("it is there");
    let end = start + of[start..].find("\n}").expect("it ends") + 2;
    format!("{head}{}", &of[start..end])
}

/// Returns the verdict on the only kernel of a module, and its assumptions.
pub(crate) fn decided(text: &str) -> (Verdict, Vec<String>) {
    let parsed = ptx::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = Source { tree: &parsed.module, text, name: "kernel.ptx" };
    let prover = Prover::new(&[source]).expect("it links");
    let (answer, _) = prover.decide(0, &Facts::default(), &|| false);
    (answer.verdict, answer.assumed)
}

/// Returns whether the only kernel of a module is proved.
pub(crate) fn is_proved(text: &str) -> bool {
    matches!(decided(text).0, Verdict::Proved)
}
