//! Rule of CONTRIBUTING.md: whatever warprace is built of may be used and passed on under the terms that it has itself.

use crate::root;
use serde_json::Value;
use std::process::Command;

/// Licences that ask for no more than a notice.
const ALLOWED: [&str; 8] =
    ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unicode-3.0", "Unlicense", "Zlib"];

/// Returns whether the SPDX expression allows a choice of [`ALLOWED`] alone. `OR` binds less than `AND`, as SPDX has it; in an
/// expression with parentheses every licence has to be allowed.
fn is_allowed(expression: &str) -> bool {
    let one = |name: &str| {
        let name = name.split(" WITH ").next().unwrap_or_default().trim();
        ALLOWED.contains(&name)
    };
    if expression.contains('(') {
        let flat = expression.replace(['(', ')'], " ").replace(" AND ", " OR ");
        return flat.split(" OR ").all(one);
    }
    let flat = expression.replace('/', " OR ");
    flat.split(" OR ").any(|choice| choice.split(" AND ").all(one))
}

#[test]
fn dependencies_ask_for_no_more_than_a_notice() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let platform = ["--filter-platform", "x86_64-unknown-linux-gnu"];
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked"]).args(platform).current_dir(root());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let used: Vec<&str> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["id"].as_str().unwrap())
        .collect();
    assert!(used.len() > 50, "{} packages", used.len());
    for package in metadata["packages"].as_array().unwrap() {
        if used.contains(&package["id"].as_str().unwrap()) {
            let licence = package["license"].as_str().unwrap_or("none");
            assert!(is_allowed(licence), "{} has the licence {licence}", package["name"]);
        }
    }
}

#[test]
fn a_choice_of_licences_needs_one_that_is_allowed() {
    assert!(is_allowed("GPL-3.0 OR MIT"));
    assert!(is_allowed("MIT/Apache-2.0"));
    assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(is_allowed("Apache-2.0 WITH LLVM-exception"));
    assert!(!is_allowed("MIT AND GPL-3.0"));
    assert!(!is_allowed("(MIT OR Apache-2.0) AND GPL-3.0"));
    assert!(!is_allowed("none"));
}
