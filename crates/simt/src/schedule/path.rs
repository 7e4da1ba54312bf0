//! A schedule as a list of deviations from a default order.
//!
//! By default, a group runs until it waits, ends or diverges; then the first runnable group is next. The
//! first group changes every [`WINDOW_STEPS`] steps, so that no group starves. At the listed steps (numbered
//! from 0, counting instructions with effects visible to other threads) another group is chosen, by its index
//! among the runnable ones. [`super::search`] names the schedules that it tries this way: few words for few
//! preemptions.

use super::policy::{Choice, Pick, Policy};
use events::{BlockId, LaneMask, WarpId};
use names::schedule::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Identifies a group of lanes by its warp and its lowest lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId {
    pub block: BlockId,
    pub warp: WarpId,
    pub lane: u8,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The runnable groups, with their lanes.
    pub groups: Vec<(GroupId, LaneMask)>,
    /// The index in `groups` of the group that ran.
    pub chosen: usize,
    /// The index of the default choice.
    pub usual: usize,
    /// Whether the step counts: it has an effect that other threads can observe.
    pub visible: bool,
}

/// The steps of a run under a path, including the current one.
#[derive(Debug, Default)]
pub struct Log {
    pub made: Vec<Made>,
}

/// How often a loop is found to poll in vain (every 64 polls or so) before it yields. A loop that ends
/// earlier on its own is followed to its end without a turn each time; one that does not must not fill the
/// run.
const PATIENCE: u32 = 8;

/// The number of steps after which another group becomes the first: the running groups may poll for an action
/// of others unrecognised, because they also store. Kernels small enough for a search end before.
const WINDOW_STEPS: u32 = 1 << 12;

pub(crate) struct Follow {
    path: Path,
    next: usize,
    /// The number of visible steps so far.
    steps: u32,
    last: Option<GroupId>,
    /// How often in a row the last group was found to poll in vain.
    vain: u32,
    /// The first group, and the step since which it is first.
    first: Option<GroupId>,
    since: u32,
    log: Option<Arc<Mutex<Log>>>,
}

impl Follow {
    pub(crate) fn new(path: &Path, log: Option<Arc<Mutex<Log>>>) -> Follow {
        Follow { path: path.clone(), next: 0, steps: 0, last: None, vain: 0, first: None, since: 0, log }
    }
}

pub(crate) fn group_of(choice: &Choice) -> GroupId {
    GroupId { block: choice.block, warp: choice.warp, lane: choice.lanes.trailing_zeros() as u8 }
}

impl Policy for Follow {
    fn pick(&mut self, choices: &[Choice]) -> Pick {
        let last = self.last.and_then(|last| choices.iter().position(|c| group_of(c) == last));
        self.vain += u32::from(last.is_some_and(|last| choices[last].waits));
        let usual = match last {
            // A group that has polled in vain for long yields to the next one.
            Some(last) if choices[last].waits && self.vain >= PATIENCE => {
                let n = choices.len();
                (1..n).map(|k| (last + k) % n).find(|&i| !choices[i].waits).unwrap_or((last + 1) % n)
            }
            _ if self.steps - self.since >= WINDOW_STEPS => {
                self.since = self.steps;
                let next = choices.iter().position(|c| Some(group_of(c)) > self.first).unwrap_or(0);
                self.first = Some(group_of(&choices[next]));
                next
            }
            Some(last) => last,
            None => choices.iter().position(|c| Some(group_of(c)) >= self.first).unwrap_or(0),
        };
        // Steps without observable effects need no decision.
        let inner = choices[usual].site.is_none() && self.last == Some(group_of(&choices[usual]));
        let mut chosen = usual;
        if !inner {
            if let Some(turn) = self.path.turns.get(self.next)
                && turn.step == self.steps
            {
                chosen = (turn.index as usize).min(choices.len() - 1);
                self.next += 1;
            }
            self.steps += 1;
        }
        if last != Some(chosen) || self.vain >= PATIENCE {
            self.vain = 0;
        }
        self.last = Some(group_of(&choices[chosen]));
        if let Some(log) = &self.log {
            let groups = choices.iter().map(|c| (group_of(c), c.lanes)).collect();
            let made = Made { groups, chosen, usual, visible: !inner };
            log.lock().unwrap_or_else(PoisonError::into_inner).made.push(made);
        }
        Pick { index: chosen, quantum: 1 }
    }

    fn window(&self) -> u32 {
        super::policy::WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::SiteId;

    #[test]
    fn who_runs_goes_on_except_at_the_turns() {
        let choice = |block| Choice {
            block: BlockId(block),
            warp: WarpId(0),
            lanes: 1,
            site: Some(SiteId(0)),
            waits: false,
        };
        let all = [choice(0), choice(1), choice(2)];
        let mut follow = Follow::new(&"2.2-4.1".parse().unwrap(), None);
        let picks: Vec<usize> = (0..6).map(|_| follow.pick(&all).index).collect();
        assert_eq!(picks, [0, 0, 2, 2, 1, 1]);
    }

    #[test]
    fn nobody_is_left_out_for_ever() {
        let choice = |block, warp| Choice {
            block: BlockId(block),
            warp: WarpId(warp),
            lanes: 1,
            site: Some(SiteId(0)),
            waits: false,
        };
        // The warps of each block synchronise at a barrier after each step.
        let mut follow = Follow::new(&Path::default(), None);
        let mut ran = [0; 3];
        let mut arrived = [[false; 2]; 3];
        for _ in 0..10 * WINDOW_STEPS {
            let able = (0..6).filter(|i| !arrived[i / 2][i % 2]).map(|i| choice(i as u32 / 2, i as u16 % 2));
            let able: Vec<Choice> = able.collect();
            let Choice { block, warp, .. } = able[follow.pick(&able).index];
            let (block, warp) = (block.0 as usize, usize::from(warp.0));
            ran[block] += 1;
            arrived[block][warp] = true;
            if arrived[block] == [true; 2] {
                arrived[block] = [false; 2];
            }
        }
        assert!(ran.iter().all(|&n| n > WINDOW_STEPS), "{ran:?}");
    }

    #[test]
    fn who_polls_in_vain_may_give_up_before_it_makes_way() {
        let choice = |block, waits| Choice {
            block: BlockId(block),
            warp: WarpId(0),
            lanes: 1,
            site: Some(SiteId(0)),
            waits,
        };
        let mut follow = Follow::new(&"1.1".parse().unwrap(), None);
        assert_eq!(follow.pick(&[choice(0, false), choice(1, false)]).index, 0);
        assert_eq!(follow.pick(&[choice(0, false), choice(1, false)]).index, 1);
        for _ in 1..PATIENCE {
            assert_eq!(follow.pick(&[choice(0, false), choice(1, true)]).index, 1);
            assert_eq!(follow.pick(&[choice(0, false), choice(1, false)]).index, 1);
        }
        assert_eq!(follow.pick(&[choice(0, false), choice(1, true)]).index, 0);
    }
}
