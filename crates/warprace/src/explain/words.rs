//! A story on a terminal.

use super::story::{Step, Story, What, Who};
use report::attribute::user_frame;
use report::source::Sources;
use std::fmt::Write;

/// Steps shown at the beginning and at the end of a long story.
const FIRST: usize = 12;
const LAST: usize = 48;

pub(super) fn print(story: &Story, sources: &Sources, width: usize) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "The interleaving, as `{}` runs it", story.replay);
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
    let column = |n: usize| rows.iter().map(|r| r[n].chars().count()).max().unwrap_or(0);
    let (who, what, place) = (column(0), column(1), column(2));
    let number = rows.len().to_string().len();
    let mut left_out = false;
    for (i, [a, b, c, d]) in rows.iter().enumerate() {
        if i >= FIRST && i + LAST < rows.len() && story.steps[i].mark.is_none() {
            if !left_out {
                let _ = writeln!(out, "  …");
            }
            left_out = true;
            continue;
        }
        let line = format!("  {:>number$}  {a:<who$}  {b:<what$}  {c:<place$}  {d}", i + 1);
        let line: String = line.trim_end().chars().take(width.max(80) + 40).collect();
        let _ = writeln!(out, "{line}");
    }
    out.push('\n');
    for line in chain(story) {
        let _ = writeln!(out, "  * {line}");
    }
    let _ = writeln!(out, "\nNothing orders (1) and (2): {}.", story.why);
    out
}

/// The places that some step names, in order.
fn used(story: &Story) -> Vec<&super::story::Place> {
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
        What::Fence(text) | What::Barrier(text) => text.clone(),
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

/// What could have ordered the two, and why it does not.
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
    let releases = between(0, &|s| {
        matches!(s.what, What::Fence(_) | What::Barrier(_) | What::Access { releases: true, .. })
    });
    let acquires = between(1, &|s| {
        matches!(s.what, What::Fence(_) | What::Barrier(_) | What::Access { acquires: true, .. })
    });
    let mut out = Vec::new();
    out.push(match releases.is_empty() {
        true => {
            "between (1) and (2), A executes no fence, barrier or release: nothing hands (1) over".to_owned()
        }
        false => format!("after (1), A may release it by {}", number(&releases)),
    });
    out.push(match acquires.is_empty() {
        true => "between (1) and (2), B executes no fence, barrier or acquire".to_owned(),
        false => format!("before (2), B may acquire by {}", number(&acquires)),
    });
    let reads: Vec<(usize, usize)> = (first + 1..second)
        .filter_map(|i| match (&story.steps[i].who, &story.steps[i].what) {
            (Who::Party(1), What::Access { from: Some(from), .. }) => Some((i, *from)),
            _ => None,
        })
        .collect();
    let met: Vec<_> =
        reads.iter().filter(|(_, from)| *from > first && story.steps[*from].who == Who::Party(0)).collect();
    match met.first() {
        Some((read, from)) => out.push(format!(
            "B reads in step {} what A wrote after (1) in step {}: there they meet",
            read + 1,
            from + 1
        )),
        None => out.push("B reads nothing between them that A wrote after (1): they do not meet".to_owned()),
    }
    out
}
