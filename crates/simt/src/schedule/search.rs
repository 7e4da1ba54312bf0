//! Bounded depth-first search of a launch's schedules, with partial-order reduction.
//!
//! The search is dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with source sets
//! (Abdulla et al., POPL 2014) and sleep sets (Godefroid, 1996): of schedules that differ only in the order
//! of independent steps, one is run. Each run begins at the start. Two steps of different groups are
//! dependent if they access a common byte and one of them writes. Barriers order the steps before and after
//! them and are never points of preemption.
//!
//! With a bound on preemptions (Musuvathi and Qadeer, PLDI 2007) only schedules with at most that many are
//! run. The reduction ignores the bound, so some of the schedules within it may be omitted.

use super::path::{GroupId, Made};
use events::{Access, AccessKind, BarrierMembers, BlockId, Space, Sync, WarpId};
use names::schedule::{Path, Turn};
use rustc_hash::FxHashMap;

/// A range of bytes that a step accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Touch {
    pub space: Space,
    pub address: u64,
    pub bytes: u32,
    pub write: bool,
}

impl Touch {
    fn depends(&self, other: &Touch) -> bool {
        (self.write || other.write)
            && self.space == other.space
            && self.address < other.address + u64::from(other.bytes)
            && other.address < self.address + u64::from(self.bytes)
    }
}

/// The effect of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    pub touches: Vec<Touch>,
    /// Barriers that it completed: the warps that passed, or all of a block.
    pub passed: Vec<(BlockId, Option<WarpId>)>,
}

impl Effect {
    fn depends(&self, other: &Effect) -> bool {
        self.touches.iter().any(|a| other.touches.iter().any(|b| a.depends(b)))
    }
}

impl Effect {
    /// Adds an access of the step.
    pub fn access(&mut self, access: &Access<'_>) {
        let bytes = access.size.saturating_mul(u32::from(access.elements.max(1)));
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            let write = match access.kind {
                AccessKind::Atomic { .. } => access.stored >> lane & 1 != 0,
                kind => kind.writes(),
            };
            let touch = Touch { space: access.space, address: access.addresses[lane], bytes, write };
            match self.touches.last_mut() {
                Some(last)
                    if (last.space, last.write) == (touch.space, write)
                        && last.address.wrapping_add(last.bytes.into()) == touch.address =>
                {
                    last.bytes = last.bytes.saturating_add(bytes);
                }
                _ => self.touches.push(touch),
            }
        }
    }

    /// Adds a synchronisation of the step.
    pub fn sync(&mut self, sync: &Sync<'_>) {
        match *sync {
            // Every operation on an mbarrier depends on its initialisation and invalidation.
            Sync::MbarrierInit { space, address, .. } | Sync::MbarrierInval { space, address, .. } => {
                self.touches.push(Touch { space, address, bytes: 8, write: true });
            }
            Sync::MbarrierArrive { space, address, .. }
            | Sync::MbarrierWait { space, address, .. }
            | Sync::MbarrierTouch { space, address, .. }
            | Sync::MbarrierCompleteTx { space, address, .. }
            | Sync::AsyncArrive { space, address, .. } => {
                self.touches.push(Touch { space, address, bytes: 8, write: false });
            }
            Sync::BarrierComplete { block, ref members, .. } => match members {
                BarrierMembers::WholeBlock => self.passed.push((block, None)),
                BarrierMembers::Some(members) => {
                    self.passed.extend(members.iter().map(|m| (m.block, Some(m.warp))));
                }
            },
            _ => {}
        }
    }
}

/// A step of a run: the runnable groups, the chosen one, and its effect.
#[derive(Clone, Debug)]
pub struct Ran {
    pub made: Made,
    pub effect: Effect,
}

/// A decision on the current path of the search.
#[derive(Clone, Debug)]
struct Node {
    groups: Vec<GroupId>,
    chosen: GroupId,
    usual: GroupId,
    /// Whether the previously running group could have continued, so that another choice is a preemption.
    preempts: bool,
    effect: Effect,
    /// Groups that must be tried (or have been).
    backtrack: Vec<GroupId>,
    /// The sleep set: groups tried before, with their effects. They are skipped until a dependent step
    /// occurs.
    sleep: Vec<(GroupId, Effect)>,
}

/// The state of the search.
#[derive(Debug)]
pub struct Search {
    stack: Vec<Node>,
    /// The largest number of preemptions.
    bound: Option<u32>,
    /// The path of the next run.
    next: Option<Path>,
    /// The length of the fixed part of the path; later steps follow the default.
    fixed: usize,
    skipped: bool,
}

/// The depth beyond which decisions are not revised; runs this long are unsuitable for a search.
const DEEPEST: usize = 5_000;

impl Search {
    pub fn new(bound: Option<u32>) -> Search {
        Search { stack: Vec::new(), bound, next: Some(Path::default()), fixed: 0, skipped: false }
    }

    /// Returns the schedule to run next; `None` when all have been run.
    pub fn next(&self) -> Option<&Path> {
        self.next.as_ref()
    }

    /// Returns whether schedules were omitted, due to the bound or the length of runs.
    pub fn is_partial(&self) -> bool {
        self.skipped
    }

    /// Records the steps of the run of [`next`](Self::next), and computes the next schedule.
    pub fn ran(&mut self, run: &[Ran]) {
        self.extend(run);
        self.find_races();
        self.backtrack();
    }

    /// Updates the stack with a run: its first nodes were fixed, the others are new.
    fn extend(&mut self, run: &[Ran]) {
        let visible = visible(run);
        self.skipped |= visible.len() > DEEPEST;
        let kept = self.fixed.min(self.stack.len());
        self.stack.truncate(kept);
        for (i, ran) in visible.into_iter().take(DEEPEST).enumerate() {
            if i < kept {
                self.stack[i].effect = ran.effect;
                continue;
            }
            let groups: Vec<GroupId> = ran.made.groups.iter().map(|g| g.0).collect();
            let chosen = groups[ran.made.chosen];
            let usual = groups[ran.made.usual];
            let last = i.checked_sub(1).map(|i| &self.stack[i]);
            // A group remains in the sleep set as long as no dependent step occurs.
            let sleep = last.map_or_else(Vec::new, |node| {
                let awake = |(group, effect): &&(GroupId, Effect)| {
                    *group != node.chosen && !effect.depends(&node.effect)
                };
                node.sleep.iter().filter(awake).cloned().collect()
            });
            let preempts = last.is_some_and(|node| groups.contains(&node.chosen));
            let (backtrack, effect) = (vec![chosen], ran.effect);
            self.stack.push(Node { groups, chosen, usual, preempts, effect, backtrack, sleep });
        }
    }

    /// Finds pairs of adjacent dependent steps that no other step orders: the later step's group must be
    /// tried at the earlier step.
    fn find_races(&mut self) {
        let mut clocks: FxHashMap<GroupId, Clock> = FxHashMap::default();
        // An index by accessed bytes would be faster; runs are short.
        let mut after: Vec<Clock> = Vec::with_capacity(self.stack.len());
        let mut races = Vec::new();
        for i in 0..self.stack.len() {
            let group = self.stack[i].chosen;
            let mut clock = match clocks.get(&group) {
                Some(clock) => clock.clone(),
                None => parent(&clocks, group),
            };
            for j in (0..i).rev() {
                let (earlier, step) = (self.stack[j].chosen, &self.stack[i].effect);
                if earlier == group || !self.stack[j].effect.depends(step) {
                    continue;
                }
                if !clock.knows(earlier, j) {
                    races.push((j, i));
                }
                clock.join(&after[j]);
            }
            clock.set(group, i);
            let passed = self.stack[i].effect.passed.clone();
            after.push(clock.clone());
            clocks.insert(group, clock.clone());
            if !passed.is_empty() {
                let members: Vec<GroupId> = clocks
                    .keys()
                    .copied()
                    .filter(|g| {
                        passed.iter().any(|&(block, w)| block == g.block && w.is_none_or(|w| w == g.warp))
                    })
                    .collect();
                for member in &members {
                    clock.join(&clocks[member]);
                }
                for member in members {
                    clocks.insert(member, clock.clone());
                }
            }
        }
        for (earlier, later) in races {
            self.reverse(earlier, later, &after);
        }
    }

    /// Schedules the reversal of two steps, unless it is scheduled already: adds one of the initials of the
    /// sequence that leads to the later step without the earlier one (Abdulla, Aronis, Jonsson and Sagonas,
    /// *Optimal Dynamic Partial Order Reduction*, POPL 2014).
    fn reverse(&mut self, earlier: usize, later: usize, after: &[Clock]) {
        let by = |step: usize| self.stack[step].chosen;
        let free = (earlier + 1..=later).filter(|&k| k == later || !after[k].knows(by(earlier), earlier));
        let (mut steps, mut initials): (Vec<usize>, Vec<GroupId>) = (Vec::new(), Vec::new());
        for k in free {
            let begun = steps.iter().any(|&f| by(f) == by(k));
            if !begun && !steps.iter().any(|&f| after[k].knows(by(f), f)) {
                initials.push(by(k));
            }
            steps.push(k);
        }
        let node = &mut self.stack[earlier];
        if initials.iter().any(|group| node.backtrack.contains(group)) {
            return;
        }
        let able: Vec<GroupId> = initials.into_iter().filter(|group| node.groups.contains(group)).collect();
        match able.iter().find(|group| !node.sleep.iter().any(|(s, _)| s == *group)) {
            // The initial is in the sleep set: all schedules that begin with it have been run.
            None if !able.is_empty() => {}
            Some(&group) => node.backtrack.push(group),
            None => {
                let groups = node.groups.iter().filter(|group| !node.backtrack.contains(group));
                let groups: Vec<GroupId> = groups.copied().collect();
                node.backtrack.extend(groups);
            }
        }
    }

    /// Finds the deepest decision with an untried alternative.
    fn backtrack(&mut self) {
        while let Some(mut node) = self.stack.pop() {
            node.sleep.push((node.chosen, std::mem::take(&mut node.effect)));
            let before = self.preemptions();
            let candidate = node.backtrack.iter().copied().find(|group| {
                let fresh = node.groups.contains(group) && !node.sleep.iter().any(|(s, _)| s == group);
                let costs = node.preempts && self.stack.last().is_none_or(|last| last.chosen != *group);
                let within = self.bound.is_none_or(|bound| before + u32::from(costs) <= bound);
                self.skipped |= fresh && !within;
                fresh && within
            });
            if let Some(group) = candidate {
                node.chosen = group;
                self.stack.push(node);
                self.fixed = self.stack.len();
                self.next = Some(self.path());
                return;
            }
        }
        self.next = None;
    }

    fn preemptions(&self) -> u32 {
        let pairs = self.stack.iter().zip(self.stack.iter().skip(1));
        pairs.filter(|(last, node)| node.preempts && node.chosen != last.chosen).count() as u32
    }

    /// Returns the decisions on the stack as a path.
    fn path(&self) -> Path {
        let turn = |(step, node): (usize, &Node)| {
            // The default choice depends on the previous group, which is the same as in the run.
            let index = node.groups.iter().position(|g| *g == node.chosen)? as u32;
            (node.chosen != node.usual).then_some(Turn { step: step as u32, index })
        };
        Path { turns: self.stack.iter().enumerate().filter_map(turn).collect() }
    }
}

/// Merges each visible step with the invisible steps that follow it.
fn visible(run: &[Ran]) -> Vec<Ran> {
    let mut out: Vec<Ran> = Vec::new();
    for ran in run {
        match out.last_mut().filter(|_| !ran.made.visible) {
            Some(last) => {
                last.effect.touches.extend(&ran.effect.touches);
                last.effect.passed.extend(&ran.effect.passed);
            }
            None => out.push(ran.clone()),
        }
    }
    out
}

/// A vector clock over groups: for each group, the last step that happened before.
#[derive(Clone, Debug, Default)]
struct Clock(FxHashMap<GroupId, usize>);

impl Clock {
    fn knows(&self, group: GroupId, step: usize) -> bool {
        self.0.get(&group).is_some_and(|&known| known >= step)
    }

    fn set(&mut self, group: GroupId, step: usize) {
        self.0.insert(group, step);
    }

    fn join(&mut self, other: &Clock) {
        for (&group, &step) in &other.0 {
            let known = self.0.entry(group).or_insert(step);
            *known = (*known).max(step);
        }
    }
}

/// Returns the clock of a new group: that of the group of its warp from which it split off.
fn parent(clocks: &FxHashMap<GroupId, Clock>, group: GroupId) -> Clock {
    // The group with the next lower lane contained its lanes before.
    let same_warp = clocks.iter().filter(|(g, _)| (g.block, g.warp) == (group.block, group.warp));
    let nearest = same_warp.filter(|(g, _)| g.lane <= group.lane).max_by_key(|(g, _)| g.lane);
    nearest.map_or_else(Clock::default, |(_, clock)| clock.clone())
}

#[cfg(test)]
mod tests;
