//! Normalises reports: removes what differs between runs and machines.

use std::path::Path;

/// Returns the normalised report.
pub(crate) fn normal(report: &str, program: &Path) -> String {
    let report = copied(report.replace(&*program.to_string_lossy(), "$PROGRAM"));
    let mut out = String::with_capacity(report.len());
    for line in report.lines() {
        let line = if line.trim_start().starts_with("= seen: ") {
            counts(line, &["time", "times"])
        } else if line.trim_start().starts_with("= also: ") {
            counts(&line.replace('(', "( "), &["times)"]).replace("( ", "(")
        } else if line.starts_with("warprace: ran ") {
            counts(line, &["instruction", "instructions,", "instructions", "memory"])
        } else {
            line.to_owned()
        };
        out.push_str(addresses(&line).trim_end());
        out.push('\n');
    }
    out
}

/// Replaces the bytes that one instruction of the C library's copies reads by `N`: they are those of the processor's vectors.
fn copied(report: String) -> String {
    let by_host = ["host thread", "`cudaLaunchHostFunc`"];
    for bytes in ["16", "32", "64"] {
        let reads = by_host.map(|host| format!("read of {bytes} bytes by {host}"));
        if let Some(at) = reads.iter().position(|read| report.contains(read)) {
            let report = report.replace(&reads[at], &format!("read of N bytes by {}", by_host[at]));
            return report.replace(&format!("(element 0 of {bytes}\n"), "(element 0 of N\n");
        }
    }
    report
}

/// Replaces numbers before one of `units` by `N`.
fn counts(line: &str, units: &[&str]) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit() || b == b',');
    let normal = |i: usize| {
        let unit = words.get(i + 1).is_some_and(|next| units.contains(&next.trim_end_matches([',', ';'])));
        if number(words[i]) && unit { "N" } else { words[i] }
    };
    (0..words.len()).map(normal).collect::<Vec<_>>().join(" ")
}

/// Replaces addresses such as `0x7f12345678` by `0xADDR`. Shorter numbers belong to the program.
fn addresses(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str(&rest[..at]);
        out.push_str(if digits >= 8 { "0xADDR" } else { &rest[at..at + 2 + digits] });
        rest = &rest[at + 2 + digits..];
    }
    out + rest
}

pub(crate) fn indent(text: &str) -> String {
    text.lines().map(|l| format!("    {l}\n")).collect()
}

/// Returns the first lines in which two texts differ, with a little context before them.
pub(crate) fn difference(expected: &str, actual: &str) -> String {
    let (e, a): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let same = e.iter().zip(&a).take_while(|(x, y)| x == y).count();
    let mut out = String::new();
    for line in &e[same.saturating_sub(2)..same] {
        out += &format!("      {line}\n");
    }
    for line in e.iter().skip(same).take(6) {
        out += &format!("    - {line}\n");
    }
    for line in a.iter().skip(same).take(6) {
        out += &format!("    + {line}\n");
    }
    out
}
