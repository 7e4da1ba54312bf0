//! Findings in kernels of other projects that were held against their sources.

use serde_json::Value;

/// A class of findings, and the end of the path of the file that both sides are in.
pub(super) type Known = (&'static str, &'static str);

/// The findings of a report, races and hazards.
pub(super) fn findings(report: &Value) -> Vec<&Value> {
    ["races", "hazards"].iter().filter_map(|kind| report[*kind].as_array()).flatten().collect()
}

/// Returns whether a finding is one of those known.
pub(super) fn is_known(finding: &Value, known: &[Known]) -> bool {
    let in_file = |name: &str| {
        finding["accesses"].as_array().is_some_and(|sides| {
            sides.iter().all(|side| side["file"].as_str().is_some_and(|file| file.ends_with(name)))
        })
    };
    known.iter().any(|(class, file)| finding["class"] == *class && in_file(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_known_by_its_class_and_both_files() {
        let side = |file: &str| serde_json::json!({ "file": file });
        let of = |class: &str, files: [&str; 2]| serde_json::json!({ "class": class, "accesses": files.map(side) });
        let known = [("missing-barrier", "norm.cuh")];
        assert!(is_known(&of("missing-barrier", ["a/norm.cuh", "norm.cuh"]), &known));
        assert!(!is_known(&of("missing-barrier", ["norm.cuh", "page.cuh"]), &known));
        assert!(!is_known(&of("missing-fence", ["norm.cuh", "norm.cuh"]), &known));
        let report = serde_json::json!({ "races": [1], "hazards": [2, 3] });
        assert_eq!(findings(&report).len(), 3);
    }
}
