//! Renders a story for a terminal.

use crate::story::{Place, Step, Story, What, Who};
use report::attribute::user_frame;
use report::model::Described;
use report::source::Sources;
use std::fmt::Write;

/// Numbers of steps shown at the beginning and at the end of a long story.
const FIRST: usize = 12;
const LAST: usize = 48;

/// Number of repeated steps of other threads that are shown before the last one.
const ALIKE: usize = 2;

pub(super) fn print(story: &Story, finding: &Described, sources: &Sources, width: usize) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "The interleaving, as `{}` runs it", finding.replay);
    let _ = writeln!(out, "  kernel: {}", story.launches.join(" and "));
    for (name, party) in ["A", "B"].iter().zip(&story.parties) {
        let _ = writeln!(out, "  {name} = {party}");
    }
    for place in used(story) {
        let raced = if place.name == "X" { ", which they race on" } else { "" };
        let _ = writeln!(out, "  {} = {}{raced}", place.name, place.text);
    }
    out.push('\n');
    let rows: Vec<[String; 4]> = story.steps.iter().map(|step| row(story, sources, step)).collect();
    let hidden = hidden(story);
    let shown = || rows.iter().zip(&hidden).filter(|(_, hidden)| !**hidden).map(|(row, _)| row);
    let column = |n: usize| shown().map(|r| r[n].chars().count()).max().unwrap_or(0);
    let (who, what, place) = (column(0), column(1), column(2));
    let number = rows.len().to_string().len();
    let mut left_out = 0;
    for (i, [a, b, c, d]) in rows.iter().enumerate() {
        if hidden[i] {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            let _ = writeln!(out, "  {:>number$}  {left_out} more like these", "…");
            left_out = 0;
        }
        let line = format!("  {:>number$}  {a:<who$}  {b:<what$}  {c:<place$}  {d}", i + 1);
        let line: String = line.trim_end().chars().take(width.max(80) + 40).collect();
        let _ = writeln!(out, "{line}");
    }
    out.push('\n');
    for line in chain(story) {
        let _ = writeln!(out, "  * {line}");
    }
    let _ = writeln!(out, "\nNothing orders (1) and (2): {}.", finding.why);
    out
}

/// Returns which steps are omitted: repetitions by other threads, and the middle of a story that is still too
/// long.
fn hidden(story: &Story) -> Vec<bool> {
    let steps = &story.steps;
    let other = |s: &Step| matches!(s.who, Who::Other(_));
    // A fence and an atomic in alternation also count as repetition, so each step is compared with the last
    // but one too.
    let alike = |i: usize, period: usize| {
        i >= period
            && other(&steps[i])
            && other(&steps[i - period])
            && kind(&steps[i]) == kind(&steps[i - period])
    };
    let mut hidden = vec![false; steps.len()];
    for period in 1..=3 {
        let mut from = 0;
        while from < steps.len() {
            let run =
                (from + 1..steps.len()).take_while(|&i| i < from + period || alike(i, period)).count() + 1;
            let shown = (ALIKE + 1) * period;
            let plain = (from..from + run).all(|i| other(&steps[i]) && !hidden[i]);
            if plain && run > shown + period {
                hidden[from + ALIKE * period..from + run - period].fill(true);
                from += run;
            } else {
                from += 1;
            }
        }
    }
    let left: Vec<usize> = (0..steps.len()).filter(|&i| !hidden[i]).collect();
    if left.len() > FIRST + LAST {
        for &i in &left[FIRST..left.len() - LAST] {
            hidden[i] = steps[i].mark.is_none();
        }
    }
    hidden
}

/// Returns a step's operation without its thread and values.
fn kind(step: &Step) -> (Option<&events::Site>, &str, Option<usize>) {
    match &step.what {
        What::Fence(text) | What::Start(text) | What::Barrier { text, .. } => {
            (step.site.as_ref(), text, None)
        }
        What::Access { how, place, .. } => (step.site.as_ref(), how, Some(*place)),
    }
}

/// Returns the places that some step refers to, in order.
fn used(story: &Story) -> Vec<&Place> {
    let named =
        |i: usize| story.steps.iter().any(|s| matches!(&s.what, What::Access { place, .. } if *place == i));
    story.places.iter().enumerate().filter(|(i, _)| named(*i)).map(|(_, p)| p).collect()
}

fn name(who: Who) -> String {
    match who {
        Who::Party(0) => "A".into(),
        Who::Party(_) => "B".into(),
        Who::Other(t) => format!("block {} thread {}", t.block.0, t.thread.0),
    }
}

fn row(story: &Story, sources: &Sources, step: &Step) -> [String; 4] {
    let mut what = match &step.what {
        What::Fence(text) | What::Start(text) | What::Barrier { text, .. } => text.clone(),
        What::Access { how, place, values, from, .. } => {
            let mut text = format!("{how} of {}", story.places[*place].name);
            match values {
                Some((Some(read), Some(written))) => {
                    let _ = write!(text, ": {read} becomes {written}");
                }
                Some((Some(read), None)) => {
                    let _ = write!(text, ": {read}");
                }
                Some((None, Some(written))) => {
                    let _ = write!(text, ": {written}");
                }
                _ => {}
            }
            if let Some(from) = from {
                let _ = write!(text, ", from step {}", from + 1);
            }
            text
        }
    };
    if step.times > 1 {
        let _ = write!(what, " ({} times)", step.times);
    }
    if let Some(mark) = step.mark {
        let _ = write!(what, "  <-- ({})", mark + 1);
    }
    let frame = step.site.as_ref().and_then(user_frame);
    let place = frame.map_or_else(String::new, |f| {
        let file = sources.display(&f.file);
        format!("{}:{}", file.rsplit('/').next().unwrap_or(&file), f.line)
    });
    let source = frame
        .and_then(|f| {
            let text = sources.text(&f.file)?;
            Some(text.lines().nth(f.line.checked_sub(1)? as usize)?.trim().to_owned())
        })
        .or_else(|| step.site.as_ref().map(|site| site.text.clone()))
        .unwrap_or_default();
    [name(step.who), what, place, source]
}

/// Returns sentences about the synchronisation that could have ordered the two accesses, and why it does not.
fn chain(story: &Story) -> Vec<String> {
    let at = |mark: usize| story.steps.iter().position(|s| s.mark == Some(mark));
    let (Some(first), Some(second)) = (at(0), at(1)) else { return Vec::new() };
    let number = |steps: &[usize]| {
        let words: Vec<String> = steps.iter().map(|i| (i + 1).to_string()).collect();
        match words.len() {
            1 => format!("step {}", words[0]),
            _ => format!("steps {}", words.join(", ")),
        }
    };
    let between = |party: usize, of: &dyn Fn(&Step) -> bool| -> Vec<usize> {
        (first + 1..second)
            .filter(|&i| story.steps[i].who == Who::Party(party) && of(&story.steps[i]))
            .collect()
    };
    // A block's barrier does not synchronise with other blocks.
    let reaches = |what: &What| match what {
        What::Fence(_) => true,
        What::Barrier { cluster, .. } => *cluster || story.one_block,
        What::Access { .. } | What::Start(_) => false,
    };
    let releases = between(0, &|s| reaches(&s.what) || matches!(s.what, What::Access { releases: true, .. }));
    let acquires = between(1, &|s| reaches(&s.what) || matches!(s.what, What::Access { acquires: true, .. }));
    let mut out = Vec::new();
    out.push(match releases.is_empty() {
        true => "between (1) and (2), A executes no fence, release or common barrier: nothing hands (1) over"
            .to_owned(),
        false => format!("after (1), A may release it by {}", number(&releases)),
    });
    out.push(match acquires.is_empty() {
        true => "between (1) and (2), B executes no fence, acquire or common barrier".to_owned(),
        false => format!("before (2), B may acquire by {}", number(&acquires)),
    });
    out.push(match meeting(story, first, second) {
        Some((write, read, 0)) => format!(
            "B reads in step {} what A wrote after (1) in step {}: there they meet",
            read + 1,
            write + 1
        ),
        Some((write, read, others)) => format!(
            "what A wrote after (1) in step {} is what B reads in step {}, by way of {others} atomic \
             operation{} of others: there they meet",
            write + 1,
            read + 1,
            if others == 1 { "" } else { "s" }
        ),
        None => "B reads nothing between them that A wrote after (1): they do not meet".to_owned(),
    });
    out
}

/// Finds a read by B between (1) and (2) of a value that A wrote after (1). Returns the write, the read, and
/// how many atomic operations of other threads lie between them in the chain.
fn meeting(story: &Story, first: usize, second: usize) -> Option<(usize, usize, usize)> {
    let source = |i: usize| match story.steps[i].what {
        What::Access { from, .. } => from,
        _ => None,
    };
    let reads = (first + 1..second).filter(|&i| story.steps[i].who == Who::Party(1));
    reads
        .filter_map(|read| {
            let (mut at, mut others) = (source(read)?, 0);
            while at > first && story.steps[at].who != Who::Party(0) {
                others += usize::from(matches!(story.steps[at].who, Who::Other(_)));
                at = source(at)?;
            }
            (at > first).then_some((at, read, others))
        })
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::Thread;
    use events::{BlockId, TaskId, ThreadId};

    const A: Who = Who::Party(0);
    const B: Who = Who::Party(1);

    fn other(block: u32) -> Who {
        Who::Other(Thread { task: TaskId(1), block: BlockId(block), thread: ThreadId(0) })
    }

    fn step(who: Who, what: What) -> Step {
        Step { who, site: None, what, times: 1, mark: None }
    }

    fn add(who: Who, from: Option<usize>) -> Step {
        let how = "atomic add".to_owned();
        step(who, What::Access { how, place: 1, values: None, from, releases: false, acquires: false })
    }

    fn raced(who: Who, mark: usize) -> Step {
        let how = "write".to_owned();
        let what = What::Access { how, place: 0, values: None, from: None, releases: false, acquires: false };
        Step { mark: Some(mark), ..step(who, what) }
    }

    fn story(steps: Vec<Step>) -> Story {
        let (parties, places, launches) = (Default::default(), Vec::new(), Vec::new());
        Story { one_block: false, parties, places, steps, launches }
    }

    #[test]
    fn what_others_pass_on_is_followed() {
        let mut steps = vec![raced(A, 0), add(A, None), add(other(1), Some(1)), add(other(2), Some(2))];
        steps.extend([add(B, Some(3)), raced(B, 1)]);
        assert_eq!(meeting(&story(steps.clone()), 0, 5), Some((1, 4, 2)));
        // A value that A wrote before (1) does not order (1).
        steps.swap(0, 1);
        assert_eq!(meeting(&story(steps), 1, 5), None);
    }

    #[test]
    fn many_of_a_kind_are_told_once() {
        let mut steps = vec![raced(A, 0), add(A, None)];
        for block in 1..40 {
            steps.push(step(other(block), What::Fence("fence".into())));
            steps.push(add(other(block), None));
        }
        steps.extend([add(B, None), raced(B, 1)]);
        let hidden = hidden(&story(steps.clone()));
        let shown: Vec<usize> = (0..steps.len()).filter(|&i| !hidden[i]).collect();
        assert_eq!(shown, [0, 1, 2, 3, 4, 5, 78, 79, 80, 81]);
    }

    #[test]
    fn what_races_is_always_told() {
        let mut steps: Vec<Step> = (0..200).map(|n| step(A, What::Fence(n.to_string()))).collect();
        steps[100] = raced(A, 0);
        steps[199] = raced(B, 1);
        let hidden = hidden(&story(steps));
        assert_eq!(hidden.iter().filter(|h| !**h).count(), FIRST + LAST + 1);
        assert!(!hidden[100] && !hidden[199]);
    }
}
