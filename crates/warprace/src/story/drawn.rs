//! Converts stories to the interleavings of reports.

use super::crowd;
use super::locate::locate;
use super::located::Found;
use super::model::{Step, Story, What, Who};
use super::walk::{Tables, Thread};
use super::words::who;
use events::{Evidence, Finding, Site};
use names::{Replay, symbol};
use report::attribute::user_frame;
use report::model::interleaving::{Interleaving, Kind, Lane, Moment};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Limits how many findings have a drawn story; the others are drawn from the finding alone.
const MOST: usize = 400;
/// Number of steps before the first of the two accesses.
const BEFORE: usize = 3;
/// Numbers of steps after the first access and before the second one, if there are more between them.
const FIRST: usize = 10;
const LAST: usize = 16;
/// Number of intermediate threads that are drawn.
const OTHERS: usize = 2;

/// Returns the interleavings by index into `findings`, as far as the trace contains them.
pub(crate) fn interleavings(
    trace: &Path,
    findings: &[&Finding],
    replay: &Replay,
) -> Result<HashMap<usize, Interleaving>, String> {
    // The trace of this schedule does not contain what another schedule has shown.
    let told = |f: &Finding| matches!(f.evidence, Evidence::Observed | Evidence::Predicted);
    let indices: Vec<usize> = (0..findings.len()).filter(|&i| told(findings[i])).take(MOST).collect();
    let wanted: Vec<&Finding> = indices.iter().map(|&i| findings[i]).collect();
    let (events, tables) = locate(trace, &wanted, replay)?;
    let tables = Arc::new(tables);
    let founds: Vec<(usize, Found)> = indices
        .into_iter()
        .zip(wanted.into_iter().zip(events))
        .filter_map(|(i, (finding, event))| Some((i, Found::new(finding.clone(), event, tables.clone())?)))
        .collect();
    let (indices, founds): (Vec<usize>, Vec<Found>) = founds.into_iter().unzip();
    let stories = crowd::tell(trace, &founds)?;
    let drawn = indices.into_iter().zip(founds.iter().zip(&stories));
    Ok(drawn.filter_map(|(i, (found, story))| Some((i, draw(found, story)?))).collect())
}

/// Draws a story; `None` if the trace ended before both accesses.
fn draw(found: &Found, story: &Story) -> Option<Interleaving> {
    let at = |side: usize| story.steps.iter().position(|step| step.mark == Some(side));
    let sides = [at(0)?, at(1)?];
    let waits = waits(story);
    let waited: HashSet<usize> = waits.values().copied().collect();
    let kept = kept(story, sides, &waited);
    let mut lanes = Lanes::new(found, story);
    let mut places = HashMap::new();
    let mut steps: Vec<Moment> = Vec::new();
    let mut before = None;
    for &i in &kept {
        let step = &story.steps[i];
        let site = waits.get(&i).map_or(&step.site, |&wait| &story.steps[wait].site);
        let mut moment = moment(story, step, site.as_ref());
        moment.lane = lanes.of(step.who);
        moment.from = source(step).and_then(|from| places.get(&from).copied());
        moment.skipped =
            before.map_or(0, |before| (before + 1..i).filter(|j| !waited.contains(j)).count() as u64);
        moment.together =
            i.checked_sub(1).is_some_and(|j| before == Some(j) && together(&story.steps[j], step));
        places.insert(i, steps.len());
        steps.push(moment);
        before = Some(i);
    }
    Some(Interleaving { lanes: lanes.lanes, steps })
}

/// Maps each step that passes a barrier to the same thread's arrival there, if that is the thread's directly
/// preceding step. The two are drawn as one step in the place of the arrival.
fn waits(story: &Story) -> HashMap<usize, usize> {
    let mut last: [Option<(usize, &str)>; 2] = [None; 2];
    let mut out = HashMap::new();
    for (i, step) in story.steps.iter().enumerate() {
        let Who::Party(side) = step.who else { continue };
        let text = match &step.what {
            What::Barrier { text, .. } => text.as_str(),
            _ => "",
        };
        if let (Some((wait, barrier)), Some(passed)) = (last[side], text.strip_prefix("passes "))
            && barrier == passed
        {
            out.insert(i, wait);
        }
        last[side] = text.strip_prefix("waits at ").map(|barrier| (i, barrier));
    }
    out
}

/// Returns whether both sides pass the same barrier.
fn together(a: &Step, b: &Step) -> bool {
    matches!((a.who, b.who), (Who::Party(0), Who::Party(1)))
        && matches!((&a.what, &b.what), (What::Barrier { text: a, .. }, What::Barrier { text: b, .. })
            if a == b && a.starts_with("passes"))
}

fn source(step: &Step) -> Option<usize> {
    match step.what {
        What::Access { from, .. } => from,
        _ => None,
    }
}

/// Returns the steps that are drawn: those near the two accesses, and those of other threads that pass the
/// first side's writes on to the second side.
fn kept(story: &Story, sides: [usize; 2], waited: &HashSet<usize>) -> Vec<usize> {
    let steps = &story.steps;
    let (low, high) = (sides[0].min(sides[1]), sides[0].max(sides[1]));
    let mut passes = vec![false; steps.len()];
    for i in low..=high {
        let mut at = Some(i).filter(|_| matches!(steps[i].who, Who::Party(_)));
        let mut chain = Vec::new();
        while let Some(i) = at.and_then(|i| source(&steps[i])).filter(|&i| i > low) {
            if passes[i] {
                break;
            }
            chain.push(i);
            at = Some(i).filter(|_| matches!(steps[i].who, Who::Other(_)));
        }
        // If order passes through many threads, the first and last of them stand for all.
        let others: Vec<usize> =
            chain.into_iter().filter(|&i| matches!(steps[i].who, Who::Other(_))).collect();
        let many = others.len() > OTHERS;
        for (n, &i) in others.iter().enumerate() {
            passes[i] = !many || n < OTHERS / 2 || n + OTHERS / 2 >= others.len();
        }
    }
    let party = |i: &usize| matches!(steps[*i].who, Who::Party(_)) && !waited.contains(i);
    let mut told: Vec<usize> = (0..low).filter(party).collect();
    told.drain(..told.len().saturating_sub(BEFORE));
    let inside: Vec<usize> = (low..=high).filter(|i| party(i) || passes[*i]).collect();
    match inside.len() > FIRST + LAST {
        false => told.extend(&inside),
        true => {
            told.extend(&inside[..FIRST]);
            told.extend(&inside[inside.len() - LAST..]);
        }
    }
    told
}

/// Assigns lanes of the drawing to threads.
struct Lanes<'a> {
    tables: &'a Tables,
    lanes: Vec<Lane>,
    others: HashMap<Thread, usize>,
    one: bool,
}

impl<'a> Lanes<'a> {
    fn new(found: &'a Found, story: &Story) -> Self {
        let one = found.threads[0] == found.threads[1];
        let sides = if one { 1 } else { 2 };
        let lanes = (0..sides).map(|side| Lane {
            who: story.parties[side].clone(),
            kernel: kernel(&found.tables, found.threads[side]),
        });
        Lanes { tables: &found.tables, lanes: lanes.collect(), others: HashMap::new(), one }
    }

    fn of(&mut self, step: Who) -> usize {
        match step {
            Who::Party(_) if self.one => 0,
            Who::Party(side) => side,
            Who::Other(thread) => *self.others.entry(thread).or_insert_with(|| {
                self.lanes.push(Lane { who: who(self.tables, thread), kernel: kernel(self.tables, thread) });
                self.lanes.len() - 1
            }),
        }
    }
}

fn kernel(tables: &Tables, thread: Thread) -> String {
    tables.ledger.launch(thread.task).map_or_else(String::new, |(_, _, kernel)| symbol::full(kernel))
}

fn moment(story: &Story, step: &Step, site: Option<&Site>) -> Moment {
    let (kind, what) = match &step.what {
        What::Access { how, .. } => (Kind::Access, how),
        What::Fence(text) => (Kind::Fence, text),
        What::Barrier { text, .. } => (Kind::Barrier, text),
        What::Start(text) => (Kind::Start, text),
    };
    let frame = site.and_then(user_frame);
    let mut moment = Moment {
        kind,
        what: what.clone(),
        file: frame.map_or_else(String::new, |frame| frame.file.clone()),
        line: frame.map_or(0, |frame| frame.line),
        times: step.times,
        side: step.mark.map(|side| side as u8 + 1),
        ..Moment::default()
    };
    if let What::Access { place, values, .. } = &step.what {
        if *place > 0 {
            moment.memory = story.places[*place].text.clone();
        }
        (moment.read, moment.written) = values.unwrap_or_default();
    }
    moment
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{BlockId, TaskId, ThreadId};

    const A: Who = Who::Party(0);
    const B: Who = Who::Party(1);

    fn step(who: Who, what: What) -> Step {
        Step { who, site: None, what, times: 1, mark: None }
    }

    fn access(who: Who, place: usize, from: Option<usize>) -> Step {
        let (how, values) = ("access".to_owned(), None);
        step(who, What::Access { how, place, values, from, releases: false, acquires: false })
    }

    fn barrier(who: Who, text: &str) -> Step {
        step(who, What::Barrier { text: text.to_owned(), cluster: false })
    }

    fn story(steps: Vec<Step>) -> Story {
        let (parties, places, launches) = (Default::default(), Vec::new(), Vec::new());
        Story { one_block: false, parties, places, steps, launches }
    }

    #[test]
    fn a_flag_that_went_through_many_hands_is_told_by_the_first_and_the_last() {
        let other = |n: u32| Who::Other(Thread { task: TaskId(1), block: BlockId(n), thread: ThreadId(0) });
        let mut steps = vec![access(A, 0, None), access(A, 1, None)];
        steps.extend((2..42).map(|n| access(other(n), 1, Some(n as usize - 1))));
        // This thread passed nothing on.
        steps.push(access(other(99), 1, None));
        steps.extend([access(B, 1, Some(41)), access(B, 0, None)]);
        assert_eq!(kept(&story(steps), [0, 44], &HashSet::new()), [0, 1, 2, 41, 43, 44]);
    }

    #[test]
    fn of_a_long_story_both_ends_are_told() {
        let steps = (0..1000).map(|_| access(A, 1, None)).collect();
        let told = kept(&story(steps), [100, 900], &HashSet::new());
        assert_eq!(told.len(), BEFORE + FIRST + LAST);
        assert_eq!((told[0], told[BEFORE], told.last()), (100 - BEFORE, 100, Some(&900)));
    }

    #[test]
    fn waiting_at_a_barrier_and_passing_it_are_one_step() {
        let [waits, passes] = ["waits at the block's barrier", "passes the block's barrier"];
        let steps = vec![barrier(A, waits), barrier(B, waits), barrier(A, passes), barrier(B, passes)];
        let story = story(steps);
        assert_eq!(super::waits(&story), HashMap::from([(2, 0), (3, 1)]));
        assert!(together(&story.steps[2], &story.steps[3]) && !together(&story.steps[0], &story.steps[1]));
        // A step between the two prevents the merge.
        let steps = vec![barrier(A, waits), access(A, 0, None), barrier(A, passes)];
        assert!(super::waits(&self::story(steps)).is_empty());
    }
}
