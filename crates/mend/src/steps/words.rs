//! Other words in place of some: wider scopes, stronger orders.

use super::{Made, Source};
use crate::change::Edit;
use report::advice::{MemoryOrder, Reach, Spot};

/// Widens the scope of what some lines name or, if they name none, of all lines of the file.
pub(super) fn widened(source: Source<'_>, at: &[Spot], reach: Reach) -> Vec<Made> {
    let file = source.file.to_owned();
    let edit = |lines: Vec<u32>| Edit::Widen { file: file.clone(), lines, reach };
    reworded(source, at, |word| wider(word, reach), edit)
}

/// Lets relaxed operations release or acquire.
pub(super) fn ordered(source: Source<'_>, at: &Spot, order: MemoryOrder) -> Vec<Made> {
    let name = match order {
        MemoryOrder::Release => "release",
        MemoryOrder::Acquire => "acquire",
    };
    let file = source.file.to_owned();
    let edit = |lines: Vec<u32>| Edit::Order {
        file: file.clone(),
        line: lines.first().copied().unwrap_or(0),
        order,
    };
    let mut out = reworded(source, std::slice::from_ref(at), |word| word.replace("relaxed", name), edit);
    // Everywhere is too much for an order: stores cannot acquire.
    out.truncate(1);
    out.retain(|made| matches!(made.edits.as_deref(), Some([Edit::Order { line, .. }]) if *line != 0));
    out
}

/// Replaces words in the spots' lines, and as another change in all lines.
fn reworded(
    source: Source<'_>,
    at: &[Spot],
    new: impl Fn(&str) -> String,
    edit: impl Fn(Vec<u32>) -> Edit,
) -> Vec<Made> {
    let text = source.text;
    let lines: Vec<usize> = at.iter().filter_map(|s| source.of(s)).collect();
    let with = |which: &dyn Fn(usize) -> bool| {
        let mut out = text.clone();
        for i in (0..text.len()).filter(|&i| which(i) && !text.code(i).is_empty()) {
            let line = &text.line(i).text;
            out.set(i, each(line, &new));
        }
        out
    };
    let numbers: Vec<u32> = lines.iter().map(|&i| text.line(i).number).collect();
    let mut out = Vec::new();
    let those = with(&|i| lines.contains(&i));
    if those != *text {
        let said = format!("other words in lines {numbers:?}");
        out.push(Made { said, text: those, edits: Some(vec![edit(numbers)]) });
    }
    let all = with(&|_| true);
    if all != *text {
        out.push(Made {
            said: "other words everywhere".to_owned(),
            text: all,
            edits: Some(vec![edit(vec![])]),
        });
    }
    out
}

/// Replaces each word of a line.
pub(super) fn each(line: &str, new: impl Fn(&str) -> String) -> String {
    let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
    let mut out = String::new();
    let mut word = String::new();
    for c in code.chars().chain(['\0']) {
        if c.is_alphanumeric() || c == '_' || c == '.' {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            out.push_str(&new(&std::mem::take(&mut word)));
        }
        if c != '\0' {
            out.push(c);
        }
    }
    out + comment
}

/// Returns a word with its scope widened.
fn wider(word: &str, reach: Reach) -> String {
    let (suffix, thread, ptx) = match reach {
        Reach::Block => return word.to_owned(),
        Reach::Cluster => ("", "thread_scope_device", ".cluster"),
        Reach::Device => ("", "thread_scope_device", ".gpu"),
        Reach::System => ("_system", "thread_scope_system", ".sys"),
    };
    if word.starts_with("__threadfence") {
        return match (word, reach) {
            ("__threadfence_system", _) => word.to_owned(),
            _ => format!("__threadfence{suffix}"),
        };
    }
    if word.starts_with("atomic") && !word.contains("ref") && !word.contains("thread") {
        if word.ends_with("_system") {
            return word.to_owned();
        }
        return format!("{}{suffix}", word.trim_end_matches("_block"));
    }
    if word.starts_with("__NV_THREAD_SCOPE") {
        return match (word, reach) {
            ("__NV_THREAD_SCOPE_SYSTEM", _) | (_, Reach::System) => "__NV_THREAD_SCOPE_SYSTEM",
            _ => "__NV_THREAD_SCOPE_DEVICE",
        }
        .to_owned();
    }
    if word.starts_with("thread_scope_") {
        return if word == "thread_scope_system" { word } else { thread }.to_owned();
    }
    let parts = ["fence.", "atom.", "red.", "ld.", "st.", "mbarrier.", "membar."];
    if parts.iter().any(|p| word.starts_with(p)) {
        let narrow = [".cta", ".cluster", ".gpu"];
        let upto = narrow.iter().position(|n| *n == ptx).unwrap_or(narrow.len());
        let shared = word.replace(".shared::cta", "\u{1}");
        return narrow[..upto].iter().fold(shared, |w, n| w.replace(n, ptx)).replace('\u{1}', ".shared::cta");
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_widened_and_never_narrowed() {
        assert_eq!(wider("atomicAdd_block", Reach::Device), "atomicAdd");
        assert_eq!(wider("atomicAdd_system", Reach::Device), "atomicAdd_system");
        assert_eq!(wider("__threadfence_block", Reach::System), "__threadfence_system");
        assert_eq!(wider("thread_scope_system", Reach::Device), "thread_scope_system");
        assert_eq!(wider("fence.acq_rel.cta", Reach::Device), "fence.acq_rel.gpu");
        assert_eq!(wider("fence.acq_rel.gpu", Reach::Cluster), "fence.acq_rel.gpu");
        assert_eq!(wider("ld.acquire.cta.shared", Reach::Cluster), "ld.acquire.cluster.shared");
    }
}
