//! Unified diffs.

use std::fmt::Write;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Beyond so many pairs of lines the changed parts are shown as replaced whole.
const LARGEST: usize = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Same,
    Removed,
    Added,
}

/// Returns the unified diff of two texts of the file `name`, as `patch -p1` reads it; empty if they are equal.
pub fn unified(name: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let script = script(&old, &new);
    if script.iter().all(|edit| *edit == Edit::Same) {
        return String::new();
    }
    let name = name.trim_start_matches('/');
    let mut out = format!("--- a/{name}\n+++ b/{name}\n");
    let changed: Vec<usize> =
        script.iter().enumerate().filter(|(_, edit)| **edit != Edit::Same).map(|(i, _)| i).collect();
    let mut next = 0;
    while let Some(&first) = changed.get(next) {
        let mut last = first;
        while let Some(&more) = changed.get(next).filter(|&&more| more <= last + 2 * CONTEXT + 1) {
            last = more;
            next += 1;
        }
        let hunk = first.saturating_sub(CONTEXT)..(last + CONTEXT + 1).min(script.len());
        let consumed = |what: Edit, part: &[Edit]| {
            part.iter().filter(|edit| **edit == Edit::Same || **edit == what).count()
        };
        let (mut a, mut b) =
            (consumed(Edit::Removed, &script[..hunk.start]), consumed(Edit::Added, &script[..hunk.start]));
        let part = &script[hunk];
        let (lines_a, lines_b) = (consumed(Edit::Removed, part), consumed(Edit::Added, part));
        let start = |at: usize, lines: usize| if lines == 0 { at } else { at + 1 };
        let _ = writeln!(out, "@@ -{},{lines_a} +{},{lines_b} @@", start(a, lines_a), start(b, lines_b));
        for edit in part {
            let (sign, line) = match edit {
                Edit::Added => ('+', new[b]),
                Edit::Removed => ('-', old[a]),
                Edit::Same => (' ', old[a]),
            };
            a += usize::from(*edit != Edit::Added);
            b += usize::from(*edit != Edit::Removed);
            let _ = writeln!(out, "{sign}{line}");
        }
    }
    out
}

/// Returns a shortest edit script.
fn script(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut out = vec![Edit::Same; head];
    if old.len().saturating_mul(new.len()) > LARGEST {
        out.extend(vec![Edit::Removed; old.len()]);
        out.extend(vec![Edit::Added; new.len()]);
    } else {
        middle(old, new, &mut out);
    }
    out.extend(vec![Edit::Same; tail]);
    out
}

/// Appends the script of the part that differs, by the longest common subsequence.
fn middle(old: &[&str], new: &[&str], out: &mut Vec<Edit>) {
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            common[a * width + b] = match old[a] == new[b] {
                true => common[(a + 1) * width + b + 1] + 1,
                false => common[(a + 1) * width + b].max(common[a * width + b + 1]),
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a] == new[b] {
            out.push(Edit::Same);
            (a, b) = (a + 1, b + 1);
        } else if b == new.len() || a < old.len() && common[(a + 1) * width + b] >= common[a * width + b + 1]
        {
            out.push(Edit::Removed);
            a += 1;
        } else {
            out.push(Edit::Added);
            b += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inserted_line_is_one_hunk_with_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let after = "1\n2\n3\n4\n4a\n5\n6\n7\n8\n";
        let expected = "--- a/x.cu\n+++ b/x.cu\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+4a\n 5\n 6\n 7\n";
        assert_eq!(unified("x.cu", before, after), expected);
        assert_eq!(unified("x.cu", before, before), "");
    }

    #[test]
    fn a_moved_line_is_removed_and_added() {
        let diff = unified("/a/x.cu", "w\na\nb\n", "a\nb\nw\n");
        assert_eq!(diff, "--- a/a/x.cu\n+++ b/a/x.cu\n@@ -1,3 +1,3 @@\n-w\n a\n b\n+w\n");
    }

    #[test]
    fn distant_changes_are_hunks_of_their_own() {
        let before: String = (1..40).map(|i| format!("{i}\n")).collect();
        let after = before.replace("\n5\n", "\nfive\n").replace("\n30\n", "\nthirty\n");
        assert_eq!(unified("x", &before, &after).matches("@@ -").count(), 2);
    }
}
