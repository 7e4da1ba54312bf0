//! Explains a race that `prove` has found: the accesses of both threads in its launch, and the known facts
//! about launches.

use report::model::{Access, Described, Document};
use std::fmt::Write as _;

/// Limits how many bytes are drawn.
const MOST_BYTES: i64 = 48;

pub(super) fn print(document: &Document, finding: &Described) -> String {
    let mut out = String::new();
    let kernel = &finding.accesses[1].kernel;
    let proof = document.proofs.iter().find(|p| p.witness.is_some() && &p.kernel == kernel);
    if let Some(witness) = proof.and_then(|p| p.witness.as_ref()) {
        let _ = writeln!(out, "In the launch {}", witness.launch);
    }
    out.push_str(&bytes(finding));
    let times = if finding.count == 1 { "time" } else { "times" };
    let _ = writeln!(out, "\nSeen {} {times} in that launch.", finding.count);
    let Some(proof) = proof else { return out };
    if proof.pairs > 0 {
        let (asked, open) = (proof.pairs, proof.open);
        let _ = writeln!(
            out,
            "Pairs of its accesses: {asked} asked about, {open} neither proved apart nor ordered."
        );
    }
    match proof.assumptions.is_empty() {
        true => out.push_str("Nothing was known of its launches that would exclude this one.\n"),
        false => {
            out.push_str("The launch agrees with all that was known, or taken for granted, of launches:\n")
        }
    }
    for assumption in &proof.assumptions {
        let _ = writeln!(out, "  * {assumption}");
    }
    out
}

/// Draws the bytes that each of the two accesses covers, one row for each access.
fn bytes(finding: &Described) -> String {
    let mut out = String::new();
    let range = |a: &Access| (a.offset, a.offset + i64::from(a.size));
    let wide = finding.accesses.iter().map(|a| a.who.chars().count()).max().unwrap_or(0);
    let [p, q] = [0, 1].map(|i| range(&finding.accesses[i]));
    let (from, to) = (p.0.min(q.0), p.1.max(q.1));
    let drawn = to - from <= MOST_BYTES;
    let _ = writeln!(out, "\n  bytes {from} to {} of {}", to - 1, finding.memory.text);
    for (n, access) in finding.accesses.iter().enumerate() {
        let (begin, end) = range(access);
        let row: String =
            (from..to).filter(|_| drawn).map(|b| if (begin..end).contains(&b) { '#' } else { '.' }).collect();
        let place = match access.line {
            0 => format!("PTX line {}", access.ptx_line),
            line => format!("{}:{line}", access.file),
        };
        let _ = writeln!(out, "  ({}) {:wide$}  {row}  {}, {place}", n + 1, access.who, access.what);
    }
    out
}
