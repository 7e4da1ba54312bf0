//! The test and the NVTX ranges of a finding, in words.

use crate::model::{Access, Described};

/// Returns what the program said that it was doing at the two accesses, as names and texts of notes.
pub(crate) fn notes(f: &Described) -> Vec<(&'static str, String)> {
    let test = both(&f.accesses, |access| access.test.clone());
    let ranges = both(&f.accesses, |access| access.nvtx.join(" > "));
    [("test", test), ("nvtx", ranges)].into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
}

/// Returns one text for both accesses if it is the same, and otherwise those that there are with their numbers.
fn both(accesses: &[Access; 2], of: impl Fn(&Access) -> String) -> Option<String> {
    let texts = accesses.each_ref().map(of);
    match &texts {
        [a, b] if a == b => (!a.is_empty()).then(|| a.clone()),
        texts => {
            let some = texts.iter().enumerate().filter(|(_, text)| !text.is_empty());
            Some(some.map(|(n, text)| format!("({}) {text}", n + 1)).collect::<Vec<_>>().join(", "))
        }
    }
}
