//! Statements moved across each other: an access behind a wait, a wait in front of an access.

use super::{Made, Source};
use report::advice::{Position, Spot};

/// Words of statements that order accesses, in lower case: calls, inline PTX and macros.
const ORDERING: [&str; 9] = ["wait", "sync", "fence", "commit", "barrier", "record", "meet", "arrive", "<<<"];

/// Ordering statements that are tried on each side of an access.
const NEAREST: usize = 2;

/// Moves a statement to a position.
pub(super) fn to(source: Source<'_>, what: &Spot, to: &Position) -> Vec<Made> {
    let Some(from) = source.of(what).filter(|&at| source.text.code(at).ends_with(';')) else { return vec![] };
    source.places(to).into_iter().map(|at| line(source, from, at)).collect()
}

/// Moves a line to another index.
pub(super) fn line(source: Source<'_>, from: usize, to: usize) -> Made {
    let text = source.text;
    let said = format!("line {} moved", text.line(from).number);
    Made { said, text: text.moved(from, to), edits: None }
}

/// Returns moves of ordering statements and accesses across each other: statements behind an access go in
/// front of it, those in front go behind, or the access crosses them.
pub(super) fn across(source: Source<'_>, spots: &[&Spot]) -> Vec<Made> {
    let mut out = Vec::new();
    let mut lines: Vec<usize> = spots.iter().rev().filter_map(|spot| source.of(spot)).collect();
    lines.dedup();
    for at in lines {
        let (ahead, behind) = nearest(source, at);
        for run in behind {
            out.extend(parts(&run).iter().filter_map(|part| in_front(source, at, part)));
            out.extend(access(source, at, run.end));
        }
        for run in ahead {
            out.extend(access(source, at, run.start));
            out.extend(parts(&run).iter().filter_map(|part| in_back(source, at, part)));
        }
    }
    out
}

type Run = std::ops::Range<usize>;

/// Returns a run, and the single statements of a short one.
fn parts(run: &Run) -> Vec<Run> {
    let singles = if (2..=3).contains(&run.len()) { run.clone() } else { 0..0 };
    std::iter::once(run.clone()).chain(singles.map(|i| i..i + 1)).collect()
}

/// Returns the nearest runs of ordering statements in front of a line and behind it, in its function.
fn nearest(source: Source<'_>, at: usize) -> (Vec<Run>, Vec<Run>) {
    let text = source.text;
    let Some(region) = text.region(at) else { return (vec![], vec![]) };
    let inside = |i: &usize| text.line(*i).number == 0 || region.function.contains(&text.line(*i).number);
    let orders = |i: &usize| {
        let code = text.code(*i).to_lowercase();
        code.ends_with(';') && text.begins(*i) && ORDERING.iter().any(|word| code.contains(word))
    };
    let mut runs: Vec<Run> = Vec::new();
    for i in (0..text.len()).filter(inside).filter(|i| *i != at && orders(i)) {
        match runs.last_mut() {
            Some(run) if run.end == i && text.depth(i) == text.depth(run.start) => run.end = i + 1,
            _ => runs.push(i..i + 1),
        }
    }
    let (ahead, behind): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(|run| run.start < at);
    (ahead.into_iter().rev().take(NEAREST).collect(), behind.into_iter().take(NEAREST).collect())
}

/// Moves a run of statements in front of the statement of a line, to the block that the run is in.
fn in_front(source: Source<'_>, at: usize, run: &Run) -> Option<Made> {
    let text = source.text;
    let places = text.ahead(at);
    let same = places.iter().find(|&&place| text.depth(place) == text.depth(run.start));
    let to = *same.or(places.first())?;
    Some(all(source, run, to))
}

/// Moves a run of statements behind the statement of a line.
fn in_back(source: Source<'_>, at: usize, run: &Run) -> Option<Made> {
    let text = source.text;
    let to = text.rounds(at).into_iter().find(|&place| text.depth(place) == text.depth(run.start))?;
    Some(all(source, run, to))
}

/// Moves the access itself, within its block.
fn access(source: Source<'_>, at: usize, to: usize) -> Option<Made> {
    let text = source.text;
    let single = text.code(at).ends_with(';') && text.begins(at) && text.begins(at + 1);
    (single && to < text.len() && text.depth(to) == text.depth(at)).then(|| line(source, at, to))
}

/// Moves a run of lines, one after the other.
fn all(source: Source<'_>, run: &Run, to: usize) -> Made {
    let text = source.text;
    let numbers: Vec<u32> = run.clone().map(|i| text.line(i).number).collect();
    let moved = run.clone().enumerate().fold(text.clone(), |text, (n, from)| match to < from {
        true => text.moved(from, to + n),
        false => text.moved(run.start, to),
    });
    Made { said: format!("lines {numbers:?} moved"), text: moved, edits: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::spot;
    use crate::text::Text;
    use report::advice::Role;

    fn texts(code: &str, line: u32) -> Vec<String> {
        let text = Text::new(code);
        let source = Source { file: "a.cu", text: &text };
        let spot = spot("a.cu", line, Role::Second);
        across(source, &[&spot]).into_iter().map(|made| made.text.to_string()).collect()
    }

    #[test]
    fn a_wait_goes_in_front_of_the_read_and_the_read_behind_the_wait() {
        let found = texts("void k() {\n    x = tile[t];\n    await(&done);\n    y = x;\n}\n", 2);
        assert_eq!(found[0], "void k() {\n    await(&done);\n    x = tile[t];\n    y = x;\n}\n");
        assert_eq!(found[1], found[0]);
    }

    #[test]
    fn statements_that_belong_together_move_together_and_keep_their_order() {
        let found = texts("void k() {\n    LOAD(x);\n    f();\n    COMMIT(&b);\n    await(&b);\n}\n", 2);
        let expected = "void k() {\n    COMMIT(&b);\n    await(&b);\n    LOAD(x);\n    f();\n}\n";
        assert_eq!(found[0], expected);
        let alone = "void k() {\n    await(&b);\n    LOAD(x);\n    f();\n    COMMIT(&b);\n}\n".to_owned();
        assert!(found.contains(&alone));
    }

    #[test]
    fn a_write_goes_in_front_of_the_launch_that_it_is_for() {
        let found = texts("void k() {\n    f<<<1, 1>>>(p);\n    p[0] = 1;\n    g();\n}\n", 3);
        assert!(found.contains(&"void k() {\n    p[0] = 1;\n    f<<<1, 1>>>(p);\n    g();\n}\n".to_owned()));
    }
}
