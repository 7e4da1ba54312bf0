//! JUnit XML: one test case for each kernel that was checked or asked about, and one for the run itself.
//!
//! A kernel fails if a race has a side in it; what has no kernel (the host's races, failures before a launch)
//! belongs to the run. An inconclusive run is an error, not a failure: it says nothing about the program.

use super::{Renderer, headline, name};
use crate::model::{Described, Document, Kernel, Verdict};
use crate::text::count;
use crate::within;
use std::fmt::Write;

/// One suite for each document.
#[derive(Clone, Copy, Debug)]
pub struct Junit;

impl Renderer for Junit {
    fn render(&self, documents: &[Document]) -> String {
        let called = |d: &Document| match documents {
            [_] => format!("warprace: {}", d.program.path),
            _ => format!("warprace {}: {}", name(d), d.program.path),
        };
        let suites: String = documents.iter().map(|d| suite(&called(d), d)).collect();
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
    }
}

fn suite(name: &str, document: &Document) -> String {
    let seconds = document.summary.kernel_ns as f64 / 1e9;
    let mut cases = String::new();
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    let mut case = |name: &str, failed: &[String], broken: &[String]| {
        tests += 1;
        let _ = write!(cases, "    <testcase classname=\"warprace\" name=\"{}\"", escape(name));
        if failed.is_empty() && broken.is_empty() {
            cases.push_str("/>\n");
            return;
        }
        cases.push_str(">\n");
        // The schema allows one of the two.
        if failed.is_empty() {
            errors += 1;
            element(&mut cases, "error", "inconclusive", broken);
        } else {
            failures += 1;
            element(&mut cases, "failure", "race", failed);
        }
        cases.push_str("    </testcase>\n");
    };

    let of = |f: &Described, name: &str| f.accesses.iter().any(|a| a.kernel == name);
    // A prover's kernels are all there; those that it ran to show a race are in both lists.
    for proof in &document.proofs {
        let races: Vec<String> = document.races.iter().filter(|f| of(f, &proof.kernel)).map(told).collect();
        case(&proof.kernel, &races, &proof.unknown());
    }
    let ran = |k: &&Kernel| k.checked > 0 && !document.proofs.iter().any(|proof| proof.kernel == k.name);
    for kernel in document.kernels.iter().filter(ran) {
        let races: Vec<String> = document.races.iter().filter(|f| of(f, &kernel.name)).map(told).collect();
        case(&kernel.name, &races, &[]);
    }
    let elsewhere = |f: &&Described| {
        !document.kernels.iter().any(|k| k.checked > 0 && of(f, &k.name))
            && !document.proofs.iter().any(|proof| of(f, &proof.kernel))
    };
    let races: Vec<String> = document.races.iter().filter(elsewhere).map(told).collect();
    let mut broken: Vec<String> = document.errors.iter().map(|e| e.title.clone()).collect();
    if matches!(document.verdict, Verdict::Inconclusive | Verdict::Unknown) {
        broken.extend(document.inconclusive.iter().cloned());
    }
    case(&document.program.path, &races, &broken);

    let suppressed = match document.suppressed.len() {
        0 => String::new(),
        n => format!("    <system-out>{} suppressed</system-out>\n", count(n as u64, "finding")),
    };
    format!(
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" \
         time=\"{seconds:.3}\">\n{cases}{suppressed}  </testsuite>\n",
        escape(name)
    )
}

fn told(f: &Described) -> String {
    let mut text = format!("race[{}]: {}\n", f.class.name(), headline(f));
    for (n, access) in f.accesses.iter().enumerate() {
        if access.line > 0 {
            let _ = writeln!(text, "({}) at {}:{}", n + 1, access.file, access.line);
        }
    }
    for (name, note) in within::notes(f) {
        let _ = writeln!(text, "{name}: {note}");
    }
    let _ = write!(text, "why: {}\nhelp: {}\nmore: {}\nreplay: {}", f.why, f.fix, f.more(), f.replay);
    text
}

fn element(out: &mut String, name: &str, kind: &str, texts: &[String]) {
    let message = texts.first().and_then(|t| t.lines().next()).unwrap_or_default();
    let body = escape(&texts.join("\n\n"));
    let _ = writeln!(out, "      <{name} type=\"{kind}\" message=\"{}\">{body}</{name}>", escape(message));
}

/// Text and attribute values. Characters that XML cannot hold at all are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
