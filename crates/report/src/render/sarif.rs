//! SARIF 2.1.0 (OASIS), for code scanning and for editors.
//!
//! A finding is a result: its main location is the earlier access that has a line, both accesses are related
//! locations and a code flow, the class is the rule, and the finding's identity is its fingerprint.

use super::{headline, side};
use crate::model::{Access, Described, Document, Place};
use crate::rule::{CLASSES, rule};
use serde_json::{Value, json};

/// The document as a SARIF log. `display` gives a file's name as it should be shown: relative where it can be.
pub fn sarif(document: &Document, display: &dyn Fn(&str) -> String) -> String {
    let findings = [("error", &document.races), ("warning", &document.hazards)];
    let results: Vec<Value> =
        findings.iter().flat_map(|(level, list)| list.iter().map(|f| result(level, f, display))).collect();
    let notifications: Vec<Value> = document
        .errors
        .iter()
        .map(|e| ("error", &e.title))
        .chain(document.inconclusive.iter().map(|reason| ("warning", reason)))
        .map(|(level, text)| json!({"level": level, "message": {"text": text}}))
        .collect();
    let mut invocation = json!({
        // What the program made of it is its own affair: the tool did its work.
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
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "warprace",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": CLASSES.iter().map(|&class| rule(class)).map(|rule| json!({
                    "id": rule.class.name(),
                    "shortDescription": {"text": sentence(rule.summary)},
                    "help": {"text": sentence(rule.help)},
                    "defaultConfiguration": {"level": "error"},
                })).collect::<Vec<_>>(),
            }},
            "invocations": [invocation],
            "results": results,
            "properties": {"verdict": document.verdict.name(), "lens": document.summary.lens},
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
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
    let mut result = json!({
        "ruleId": f.class.name(),
        "level": level,
        "message": {"text": format!("{}\nWhy: {}\nHelp: {}\nReplay: {}", headline(f), f.why, f.fix, f.replay)},
        "occurrenceCount": f.count.max(1),
        "partialFingerprints": {"warprace/v1": f.id},
    });
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
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
