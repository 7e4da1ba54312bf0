//! SARIF 2.1.0 (OASIS), for code scanning and for editors.
//!
//! A finding is a result: its main location is the earlier access that has a line, both accesses are related
//! locations and a code flow, the class is the rule, and the finding's identity is its fingerprint.

use super::{Renderer, headline, name, side};
use crate::model::{Access, Described, Document, Place};
use crate::proof::Proof;
use crate::rule::{CLASSES, page, rule};
use crate::source::Sources;
use crate::suppress::{By, Suppressed};
use crate::within;
use events::{Class, Level};
use serde_json::{Value, json};

/// A log with one run for each document. Files are named as `sources` shows them: relative where they can be.
#[derive(Clone, Copy, Debug)]
pub struct Sarif<'a> {
    pub sources: &'a Sources,
}

impl Renderer for Sarif<'_> {
    fn render(&self, documents: &[Document]) -> String {
        let display = |path: &str| self.sources.display(path);
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": documents.iter().map(|d| {
                let mut run = run(d, &display);
                // GitHub would store only one of several runs with one category.
                if documents.len() > 1 {
                    run["automationDetails"] = json!({"id": format!("warprace/{}/", name(d))});
                }
                run
            }).collect::<Vec<_>>(),
        });
        let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn run(document: &Document, display: &dyn Fn(&str) -> String) -> Value {
    let level = |level: Level| match level {
        Level::Race => "error",
        Level::Hazard => "warning",
        Level::UnseenLaunch => "note",
    };
    let found = [
        (Level::Race, &document.races),
        (Level::Hazard, &document.hazards),
        (Level::UnseenLaunch, &document.unseen_launches),
    ];
    let shown = found.iter().flat_map(|(l, list)| list.iter().map(|f| result(level(*l), f, display)));
    let mut results: Vec<Value> = shown.collect();
    if document.baseline.is_some() {
        results.iter_mut().for_each(|result| result["baselineState"] = json!("new"));
    }
    results.extend(document.suppressed.iter().map(|s| {
        let mut result = result(level(s.level), &s.finding, display);
        result["suppressions"] = json!([suppression(s)]);
        if let By::Baseline { .. } = s.by {
            result["baselineState"] = json!("unchanged");
        }
        result
    }));
    let notifications: Vec<Value> = document
        .errors
        .iter()
        .map(|e| ("error", &e.title))
        .chain(document.inconclusive.iter().map(|reason| ("warning", reason)))
        .map(|(level, text)| (level, text.clone()))
        .chain(document.proofs.iter().flat_map(unknown).map(|text| ("warning", text)))
        .map(|(level, text)| json!({"level": level, "message": {"text": text}}))
        .collect();
    let mut invocation = json!({
        // The program's own result does not count: the tool did its work.
        "executionSuccessful": true,
        "executableLocation": {"uri": uri(&document.program.path)},
        "toolExecutionNotifications": notifications,
    });
    if let Some(code) = document.program.exit_code {
        invocation["exitCode"] = json!(code);
    }
    if let Some(signal) = document.program.signal {
        invocation["exitSignalNumber"] = json!(signal);
    }
    json!({
        "tool": {"driver": {
            "name": "warprace",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": CLASSES.iter().map(|&class| about(class, document)).collect::<Vec<_>>(),
        }},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": {"verdict": document.verdict.name(), "lens": document.summary.lens},
    })
}

/// A rule, with the address of its page if one of its findings has it.
fn about(class: Class, document: &Document) -> Value {
    let rule = rule(class);
    let mut out = json!({
        "id": class.name(),
        "shortDescription": {"text": sentence(rule.summary)},
        "help": {"text": sentence(rule.help), "markdown": page(class)},
        "defaultConfiguration": {"level": "error"},
    });
    let kept = document.suppressed.iter().map(|s| &s.finding);
    let mut all = document.findings().chain(kept);
    if let Some(f) = all.find(|f| f.class == class && !f.page.is_empty()) {
        out["helpUri"] = json!(f.page);
    }
    out
}

/// Why nothing is known of a kernel.
fn unknown(proof: &Proof) -> impl Iterator<Item = String> {
    let kernel = proof.kernel.clone();
    let is = if proof.is_in_part() { "is not proved for all launches" } else { "is unknown" };
    proof.unknown().into_iter().map(move |why| format!("`{kernel}` {is}: {why}"))
}

fn suppression(s: &Suppressed) -> Value {
    let kind = if matches!(s.by, By::Annotation { .. }) { "inSource" } else { "external" };
    let mut out = json!({"kind": kind, "status": "accepted"});
    let reason = match &s.by {
        By::Baseline { file } => format!("known since {file}"),
        by => by.reason().to_owned(),
    };
    if !reason.is_empty() {
        out["justification"] = json!(reason);
    }
    out
}

fn result(level: &str, f: &Described, display: &dyn Fn(&str) -> String) -> Value {
    let [first, second] = &f.accesses;
    let index = CLASSES.iter().position(|&class| class == f.class);
    let related: Vec<Value> = [first, second]
        .into_iter()
        .enumerate()
        .filter_map(|(n, access)| location(access, &format!("({}) {}", n + 1, side(access)), display))
        .enumerate()
        .map(|(id, mut location)| {
            location["id"] = json!(id);
            location
        })
        .collect();
    let notes = within::notes(f);
    let told: String = notes.iter().map(|(name, note)| format!("\n{}: {note}", label(name))).collect();
    let text = format!("{}{told}\nWhy: {}\nHelp: {}\nReplay: {}", headline(f), f.why, f.fix, f.replay);
    let mut result = json!({
        "ruleId": f.class.name(),
        "level": level,
        "message": {"text": text},
        "occurrenceCount": f.count.max(1),
        "partialFingerprints": {"warprace/v1": f.id},
    });
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
    }
    if !notes.is_empty() {
        result["properties"] = notes.into_iter().map(|(name, note)| (name.to_owned(), json!(note))).collect();
    }
    let main = [first, second].into_iter().find_map(|a| location(a, &side(a), display));
    result["locations"] = json!(main.into_iter().collect::<Vec<_>>());
    if !related.is_empty() {
        let flows: Vec<Value> = [first, second].into_iter().filter_map(|a| flow(a, display)).collect();
        result["relatedLocations"] = json!(related);
        // One thread's way to its access each: from the innermost caller's line to the access.
        result["codeFlows"] = json!([{"threadFlows": flows}]);
    }
    result
}

fn location(access: &Access, message: &str, display: &dyn Fn(&str) -> String) -> Option<Value> {
    if access.line == 0 {
        return None;
    }
    let mut region = json!({"startLine": access.line});
    if access.column > 0 {
        region["startColumn"] = json!(access.column);
    }
    Some(json!({
        "physicalLocation": {"artifactLocation": {"uri": uri(&display(&access.file))}, "region": region},
        "logicalLocations": [{"name": access.function, "fullyQualifiedName": access.kernel, "kind": "function"}],
        "message": {"text": message},
    }))
}

/// Outermost call first, the access last.
fn flow(access: &Access, display: &dyn Fn(&str) -> String) -> Option<Value> {
    let here = location(access, &side(access), display)?;
    let call = |place: &Place| {
        json!({"location": {
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&display(&place.file))},
                "region": {"startLine": place.line.max(1)},
            },
            "message": {"text": format!("in `{}`", place.function)},
        }})
    };
    let mut steps: Vec<Value> = access.inlined.iter().skip(1).rev().map(call).collect();
    steps.push(json!({"location": here}));
    Some(json!({"message": {"text": access.who}, "locations": steps}))
}

/// Returns the label of a note.
fn label(note: &str) -> &str {
    match note {
        "test" => "Test",
        "nvtx" => "NVTX",
        other => other,
    }
}

/// A capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// A path as a URI reference: absolute ones get a scheme, and what has a meaning of its own is escaped.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b'@' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
