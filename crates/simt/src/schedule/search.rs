//! Bounded depth-first search of a launch's schedules, with partial-order reduction.
//!
//! Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with source sets (Abdulla
//! et al., POPL 2014) and sleep sets (Godefroid, 1996): of the schedules that differ only in the order of steps which do not
//! depend on each other, one is run. Runs begin at the start each time. Two steps of
//! different groups depend on each other if they access a common byte and one of them writes.
//! Barriers order what comes before and after them and are never preempted for.
//!
//! With a bound on preemptions (Musuvathi and Qadeer, PLDI 2007) only schedules with at most
//! so many of them are run. The reduction does not know of the bound, so some of the
//! schedules within it may be left out.

use super::path::{GroupId, Made, Path, Turn};
use events::{Access, AccessKind, BarrierMembers, BlockId, Space, Sync, WarpId};
use rustc_hash::FxHashMap;

/// Bytes that a step touched.
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

/// What a step did.
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
    /// Adds an access that the step made.
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

    /// Adds synchronisation that it made.
    pub fn sync(&mut self, sync: &Sync<'_>) {
        match *sync {
            // Whatever is done with an mbarrier depends on when it began, and on whether it is still there.
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

/// A step of a run: who could run, who did, and what came of it.
#[derive(Clone, Debug)]
pub struct Ran {
    pub made: Made,
    pub effect: Effect,
}

/// A decision on the way to where the search is.
#[derive(Clone, Debug)]
struct Node {
    groups: Vec<GroupId>,
    chosen: GroupId,
    usual: GroupId,
    /// Could the group that ran before have gone on? Then another choice is a preemption.
    preempts: bool,
    effect: Effect,
    /// Must be tried (or has been).
    backtrack: Vec<GroupId>,
    /// Tried before, with what they did: not needed again until something depends on it.
    sleep: Vec<(GroupId, Effect)>,
}

/// The search.
#[derive(Debug)]
pub struct Search {
    stack: Vec<Node>,
    /// Preemptions at most.
    bound: Option<u32>,
    /// The path of the run that is to come.
    next: Option<Path>,
    /// Its length: steps beyond are the usual ones.
    fixed: usize,
    skipped: bool,
}

/// Deeper decisions are not taken otherwise; runs this long are not for a search.
const DEEPEST: usize = 5_000;

impl Search {
    pub fn new(bound: Option<u32>) -> Search {
        Search { stack: Vec::new(), bound, next: Some(Path::default()), fixed: 0, skipped: false }
    }

    /// The schedule to run next; `None` when all have been run.
    pub fn next(&self) -> Option<&Path> {
        self.next.as_ref()
    }

    /// Was something left out: by the bound, or because runs are too long?
    pub fn is_partial(&self) -> bool {
        self.skipped
    }

    /// Takes note of how the schedule [`next`](Self::next) ran, and decides on the next one.
    pub fn ran(&mut self, run: &[Ran]) {
        self.extend(run);
        self.find_races();
        self.backtrack();
    }

    /// Makes the stack tell of the run: its first nodes were decided, the others are new.
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
            // Who sleeps goes on sleeping as long as nothing that depends on it happens.
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

    /// Pairs of steps that depend on each other, and that nothing between orders: the later one's
    /// group must be tried in the earlier one's place.
    fn find_races(&mut self) {
        let mut clocks: FxHashMap<GroupId, Clock> = FxHashMap::default();
        // Steps by what they touched would be faster; runs are short.
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

    /// Has the order of two steps tried the other way round, unless it will be anyway (Abdulla,
    /// Aronis, Jonsson and Sagonas, *Optimal Dynamic Partial Order Reduction*, POPL 2014: one of
    /// the initials of what leads to the later step without the earlier one).
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
            // Asleep: what begins with it has been run.
            None if !able.is_empty() => {}
            Some(&group) => node.backtrack.push(group),
            None => {
                let groups = node.groups.iter().filter(|group| !node.backtrack.contains(group));
                let groups: Vec<GroupId> = groups.copied().collect();
                node.backtrack.extend(groups);
            }
        }
    }

    /// The deepest decision that can be taken otherwise.
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

    /// The decisions on the stack.
    fn path(&self) -> Path {
        let turn = |(step, node): (usize, &Node)| {
            // What is usual depends on who ran before, which is as it was.
            let index = node.groups.iter().position(|g| *g == node.chosen)? as u32;
            (node.chosen != node.usual).then_some(Turn { step: step as u32, index })
        };
        Path { turns: self.stack.iter().enumerate().filter_map(turn).collect() }
    }
}

/// Visible steps, each with what follows it before the next decision.
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

/// The last step of each group that is known to be past.
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

/// A group that appears has split off from one of its warp, or is what such a one has become.
fn parent(clocks: &FxHashMap<GroupId, Clock>, group: GroupId) -> Clock {
    // The one with the next lower lane held its lanes before.
    let same_warp = clocks.iter().filter(|(g, _)| (g.block, g.warp) == (group.block, group.warp));
    let nearest = same_warp.filter(|(g, _)| g.lane <= group.lane).max_by_key(|(g, _)| g.lane);
    nearest.map_or_else(Clock::default, |(_, clock)| clock.clone())
}

#[cfg(test)]
mod tests;
