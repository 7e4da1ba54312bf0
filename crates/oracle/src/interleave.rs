//! Interleavings of a litmus program, as event streams.
//!
//! Every sequentially consistent execution of a program is one order of its instructions. [`interleavings`]
//! enumerates them (two adjacent independent steps are tried in one order only) and [`replay`] emits the
//! [`events`] that an engine would emit.

use crate::cells::{At, Cells, InOrder};
use crate::program::{Action, Instruction, Meeting, Program, Strength};
use crate::random::Rng;
use events::access::Warp;
use events::sync::{Member, ProxyWay};
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Observer, Scope, SiteId, Space, Sync,
    TaskId, WarpId,
};
use std::collections::{BTreeMap, BTreeSet};

/// One interleaving: the thread that takes each step.
pub type Schedule = Vec<usize>;

/// The base address of the litmus variables; 4 bytes each.
pub const BASE: u64 = 0x1000;

/// The address of the first mbarrier object.
const OBJECTS: u64 = 0x2000;

/// Returns the site that [`replay`] assigns to instruction `index` of `thread`.
pub fn site(thread: usize, index: usize) -> SiteId {
    SiteId((thread * 64 + index) as u32)
}

/// Returns the thread and index of a [`site`]'s instruction.
pub fn instruction(site: SiteId) -> (usize, usize) {
    (site.0 as usize / 64, site.0 as usize % 64)
}

#[derive(Clone)]
pub(crate) struct State<'p> {
    program: &'p Program,
    pub(crate) position: Vec<usize>,
    pub(crate) registers: Vec<[u32; 16]>,
    pub(crate) memory: [u32; 16],
    /// For each thread: whether it has arrived at its current barrier and waits.
    waiting: Vec<bool>,
    /// The threads that have arrived at each barrier.
    arrived: BTreeMap<Meeting, Vec<usize>>,
}

/// The effect of one step.
pub(crate) struct Step {
    pub(crate) index: usize,
    pub(crate) instruction: Instruction,
    pub(crate) runs: bool,
    pub(crate) read: u32,
    written: u32,
    /// The threads that this arrival releases; at a barrier without waits, all threads that have arrived.
    completed: Vec<usize>,
}

/// An executed instruction. A run is a sequence of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    pub thread: usize,
    pub index: usize,
}

/// Runs `program` in the order of `schedule`, which is complete. A barrier appears at the step of its
/// thread's arrival.
pub fn run(program: &Program, schedule: &[usize]) -> Option<Vec<Ran>> {
    let mut state = State::new(program);
    let mut ran = Vec::new();
    for &thread in schedule {
        let step = state.step(thread);
        if step.runs {
            ran.push(Ran { thread, index: step.index });
        }
    }
    let ended = |t: usize| state.position[t] == program.threads[t].code.len();
    (0..program.threads.len()).all(ended).then_some(ran)
}

/// Returns a random interleaving; `None` on a deadlock.
pub fn random_schedule(program: &Program, rng: &mut Rng) -> Option<Schedule> {
    let mut state = State::new(program);
    let mut schedule = Schedule::new();
    loop {
        let enabled: Vec<usize> = (0..state.position.len()).filter(|&t| state.enabled(t)).collect();
        if enabled.is_empty() {
            let ended = |t: usize| state.position[t] == program.threads[t].code.len();
            return (0..program.threads.len()).all(ended).then_some(schedule);
        }
        // With probability one half, the last thread continues.
        let last = schedule.last().copied().filter(|last| enabled.contains(last) && rng.below(2) == 0);
        let next = last.unwrap_or_else(|| enabled[rng.below(enabled.len() as u64) as usize]);
        state.step(next);
        schedule.push(next);
    }
}

impl<'p> State<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let n = program.threads.len();
        State {
            program,
            position: vec![0; n],
            registers: vec![[0; 16]; n],
            memory: [0; 16],
            waiting: vec![false; n],
            arrived: BTreeMap::new(),
        }
    }

    pub(crate) fn enabled(&self, t: usize) -> bool {
        let Some(next) = self.program.threads[t].code.get(self.position[t]) else { return false };
        let open = || match (next.action, self.program.meeting(t, self.position[t])) {
            (Action::ClusterWait | Action::MbarrierWait { .. }, Some(meeting)) => self.all_arrived(meeting),
            _ => true,
        };
        !self.waiting[t] && open()
    }

    /// Returns whether the guard of a thread's next instruction holds.
    pub(crate) fn runs(&self, t: usize) -> bool {
        let guard = self.program.threads[t].code[self.position[t]].guard;
        guard.is_none_or(|(r, v)| self.registers[t][r as usize] == v)
    }

    /// Proceeds past a thread's next instruction.
    pub(crate) fn skip(&mut self, t: usize) {
        self.position[t] += 1;
    }

    /// Returns whether every thread has reached its end.
    pub(crate) fn is_over(&self) -> bool {
        (0..self.position.len()).all(|t| self.position[t] == self.program.threads[t].code.len())
    }

    /// Returns whether all participating threads have arrived.
    fn all_arrived(&self, meeting: Meeting) -> bool {
        let arrived = self.arrived.get(&meeting).map_or(&[][..], |threads| threads);
        (0..self.position.len()).all(|u| arrived.contains(&u) || !self.takes_part(u, meeting))
    }

    /// Returns whether a thread's code contains an arrival at `meeting`.
    fn takes_part(&self, t: usize, meeting: Meeting) -> bool {
        let waits = |k: usize| {
            let action = self.program.threads[t].code[k].action;
            matches!(action, Action::ClusterWait | Action::MbarrierWait { .. })
        };
        (0..self.program.threads[t].code.len())
            .any(|k| !waits(k) && self.program.meeting(t, k) == Some(meeting))
    }

    fn block(&self, t: usize) -> (u8, u8) {
        let place = self.program.threads[t].place;
        (place.gpu, place.block)
    }

    /// Advances waiting threads past their barrier.
    fn pass(&mut self, threads: &[usize]) {
        for &u in threads {
            self.waiting[u] = false;
            self.position[u] += 1;
        }
    }

    fn step(&mut self, t: usize) -> Step {
        self.step_in(t, &mut InOrder)
    }

    pub(crate) fn step_in(&mut self, t: usize, cells: &mut (impl Cells + ?Sized)) -> Step {
        let index = self.position[t];
        let instruction = self.program.threads[t].code[index];
        let runs = self.runs(t);
        let mut step = Step { index, instruction, runs, read: 0, written: 0, completed: Vec::new() };
        if instruction.action == Action::Barrier {
            self.waiting[t] = true;
            let members: Vec<usize> =
                (0..self.position.len()).filter(|&u| self.block(u) == self.block(t)).collect();
            let all = members
                .iter()
                .all(|&u| self.waiting[u] || self.position[u] == self.program.threads[u].code.len());
            if all {
                step.completed = members.into_iter().filter(|&u| self.waiting[u]).collect();
                self.pass(&step.completed);
            }
            return step;
        }
        if let Some(meeting) = self.program.meeting(t, index)
            && !matches!(instruction.action, Action::ClusterWait | Action::MbarrierWait { .. })
        {
            self.arrived.entry(meeting).or_default().push(t);
            let waits =
                matches!(instruction.action, Action::Named { waits: true, .. } | Action::WarpSync { .. });
            if self.all_arrived(meeting) {
                step.completed = self.arrived[&meeting].clone();
                let here =
                    |u: usize| self.waiting[u] && self.program.meeting(u, self.position[u]) == Some(meeting);
                let waiting: Vec<usize> = step.completed.iter().copied().filter(|&u| here(u)).collect();
                self.pass(&waiting);
            } else if waits {
                self.waiting[t] = true;
                return step;
            }
        }
        if runs && let Some(location) = instruction.action.location() {
            let there = &mut self.memory[location as usize];
            let done = cells.perform(At { thread: t, index }, instruction.action, *there);
            step.read = done.read;
            step.written = instruction.action.stored(step.read).unwrap_or(step.read);
            *there = done.left;
            if let Some(register) = instruction.action.reads() {
                self.registers[t][register as usize] = step.read;
            }
        }
        self.position[t] += 1;
        step
    }
}

/// Calls `visit` with interleavings that cover every order of dependent steps, until it returns false. Visits
/// at most `limit`; returns whether all were visited.
pub fn interleavings(program: &Program, limit: usize, visit: &mut dyn FnMut(&Schedule) -> bool) -> bool {
    let mut left = limit;
    let mut schedule = Vec::new();
    explore(State::new(program), &mut schedule, &BTreeSet::new(), &mut left, visit)
}

/// Searches with sleep sets: after `t` was tried in a state, other orders that only commute with it are
/// skipped.
fn explore(
    state: State<'_>,
    schedule: &mut Schedule,
    sleep: &BTreeSet<usize>,
    left: &mut usize,
    visit: &mut dyn FnMut(&Schedule) -> bool,
) -> bool {
    let enabled: Vec<usize> = (0..state.position.len()).filter(|&t| state.enabled(t)).collect();
    if enabled.is_empty() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        return visit(schedule);
    }
    let mut asleep = sleep.clone();
    for t in enabled {
        if asleep.contains(&t) {
            continue;
        }
        let mut next = state.clone();
        next.step(t);
        let still: BTreeSet<usize> = asleep.iter().copied().filter(|&u| independent(&state, t, u)).collect();
        schedule.push(t);
        let go_on = explore(next, schedule, &still, left, visit);
        schedule.pop();
        if !go_on {
            return false;
        }
        asleep.insert(t);
    }
    true
}

/// Returns whether the next steps of two threads commute, for memory and for every partial order over events.
fn independent(state: &State<'_>, a: usize, b: usize) -> bool {
    let action = |t: usize| state.program.threads[t].code.get(state.position[t]).map(|i| i.action);
    match (action(a), action(b)) {
        (Some(x), Some(y)) if x.meets() || y.meets() => false,
        (Some(x), Some(y)) => match (x.location(), y.location()) {
            (Some(l), Some(m)) => l != m || !(x.writes() || y.writes()),
            _ => true,
        },
        _ => true,
    }
}

/// Runs `program` in the order of `schedule` and sends the events to `observer`. All threads belong to
/// `task`; the program determines block and warp. Each thread is in lane 0 or, in a shared warp, in the next
/// free lane.
pub fn replay(program: &Program, schedule: &[usize], task: TaskId, observer: &mut dyn Observer) {
    let mut state = State::new(program);
    begin(program, task, observer);
    for &t in schedule {
        let step = state.step(t);
        if step.runs {
            tell(program, t, &step, task, observer);
        }
    }
    for block in blocks(program) {
        observer.sync(&Sync::BlockEnd { task, block });
    }
}

fn blocks(program: &Program) -> BTreeSet<BlockId> {
    program.threads.iter().map(|t| BlockId(t.place.block.into())).collect()
}

pub(crate) fn begin(program: &Program, task: TaskId, observer: &mut dyn Observer) {
    for block in blocks(program) {
        observer.sync(&Sync::BlockStart { task, block });
    }
}

/// Sends the events of a step that ran.
pub(crate) fn tell(program: &Program, t: usize, step: &Step, task: TaskId, observer: &mut dyn Observer) {
    let lanes: Vec<u32> = lanes(program);
    let warp_of = |t: usize| {
        let place = program.threads[t].place;
        Warp { task, block: BlockId(place.block.into()), warp: WarpId(place.warp.into()) }
    };
    let (warp, lane, at) = (warp_of(t), lanes[t], site(t, step.index));
    emit(step, (warp, lane, at), observer);
    if step.completed.is_empty() {
        return;
    }
    let waits = |u: usize| {
        let named =
            |i: &&Instruction| i.action == Action::Named { id: named(step.instruction.action), waits: false };
        program.threads[u].code.iter().find(named).is_none()
    };
    let members: Vec<Member> = step
        .completed
        .iter()
        .map(|&u| Member {
            block: warp_of(u).block,
            warp: warp_of(u).warp,
            arrived: 1 << lanes[u],
            waited: if waits(u) { 1 << lanes[u] } else { 0 },
        })
        .collect();
    let mut members = BarrierMembers::Some(&members);
    let block = warp.block;
    let id = match step.instruction.action {
        Action::Barrier => {
            let all = program.threads.iter().filter(|thread| BlockId(thread.place.block.into()) == block);
            if all.count() == step.completed.len() {
                members = BarrierMembers::WholeBlock;
            }
            BarrierId::Cta(0)
        }
        Action::Named { id, .. } => BarrierId::Cta(id),
        Action::ClusterArrive => BarrierId::Cluster(BlockId(0)),
        Action::WarpSync { .. } => {
            let lanes = step.completed.iter().fold(0, |mask, &u| mask | 1 << lanes[u]);
            observer.sync(&Sync::WarpSync { warp, site: at, lanes });
            return;
        }
        _ => return,
    };
    observer.sync(&Sync::BarrierComplete { task, block, id, members });
}

/// Returns the lane of each thread: threads that share a warp get adjacent lanes.
pub fn lanes(program: &Program) -> Vec<u32> {
    let places = |n: usize| program.threads[..n].iter().map(|t| t.place);
    (0..program.threads.len())
        .map(|t| places(t).filter(|&p| p == program.threads[t].place).count() as u32)
        .collect()
}

/// Returns the id of a named barrier, and `u8::MAX` for other actions.
fn named(action: Action) -> u8 {
    match action {
        Action::Named { id, .. } => id,
        _ => u8::MAX,
    }
}

fn emit(step: &Step, (warp, lane, site): (Warp, u32, SiteId), observer: &mut dyn Observer) {
    let lanes = 1u32 << lane;
    let action = step.instruction.action;
    // An mbarrier object of one block lies in the block's shared memory.
    let object = |at: u8, scope: Scope| {
        let space = if scope == Scope::Cta { Space::Shared(warp.block) } else { Space::Global };
        (space, OBJECTS + 8 * u64::from(at))
    };
    let kind = match action {
        Action::Fence { sem, scope } => {
            observer.sync(&Sync::Fence { warp, site, lanes, sem, scope });
            return;
        }
        Action::ProxyFence { of } => {
            let (proxy, way) = (of.into(), ProxyWay::Both);
            observer.sync(&Sync::ProxyFence { warp, site, lanes, proxy, space: None, way });
            return;
        }
        Action::Barrier => {
            let (id, sem) = (BarrierId::Cta(0), events::Sem::AcqRel);
            observer.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: true, sem });
            return;
        }
        Action::Named { id, waits } => {
            let (id, sem) = (BarrierId::Cta(id), events::Sem::AcqRel);
            observer.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits, sem });
            return;
        }
        Action::ClusterArrive => {
            let (id, sem) = (BarrierId::Cluster(BlockId(0)), events::Sem::Release);
            observer.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: false, sem });
            return;
        }
        Action::ClusterWait => {
            observer.sync(&Sync::ClusterWait { warp, site, lanes });
            return;
        }
        Action::MbarrierArrive { at, sem, scope } => {
            let (space, address) = object(at, scope);
            let lane = lane as u8;
            observer.sync(&Sync::MbarrierArrive { warp, site, lane, space, address, phase: 0, sem, scope });
            return;
        }
        Action::MbarrierWait { at, sem, scope } => {
            let (space, address) = object(at, scope);
            observer.sync(&Sync::MbarrierWait { warp, site, lanes, space, address, phase: 0, sem, scope });
            return;
        }
        Action::WarpSync { .. } => return,
        Action::Read { .. } => AccessKind::Read,
        Action::Write { .. } => AccessKind::Write,
        Action::Exchange { .. } => AccessKind::Atomic { op: AtomicOp::Exch, returns: true },
        Action::Add { .. } => AccessKind::Atomic { op: AtomicOp::Add, returns: true },
        Action::CompareSwap { .. } => AccessKind::Atomic { op: AtomicOp::Cas, returns: true },
    };
    let strength = match action {
        Action::Read { strength, .. } | Action::Write { strength, .. } => match strength {
            Strength::Weak => events::Strength::Weak,
            Strength::Strong(sem, scope) => events::Strength::Strong { sem, scope },
        },
        Action::Exchange { sem, scope, .. }
        | Action::Add { sem, scope, .. }
        | Action::CompareSwap { sem, scope, .. } => events::Strength::Strong { sem, scope },
        _ => return,
    };
    let mut addresses = [0; 32];
    addresses[lane as usize] = BASE + 4 * u64::from(action.location().unwrap_or(0));
    let mut values = [(0, 0); 32];
    values[lane as usize] = (step.read.into(), step.written.into());
    let failed = matches!(action, Action::CompareSwap { expected, .. } if expected != step.read);
    observer.access(&Access {
        warp,
        site,
        space: Space::Global,
        kind,
        strength,
        proxy: step.instruction.path.into(),
        size: 4,
        elements: 1,
        mask: lanes,
        addresses: &addresses,
        stride: None,
        stored: if action.writes() && !failed { lanes } else { 0 },
        values: (strength != events::Strength::Weak).then_some(&values),
        written: Default::default(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Place, Thread};

    fn write(to: u8) -> Instruction {
        Action::Write { to, value: 1, strength: Strength::Weak }.into()
    }

    fn program(codes: &[Vec<Instruction>]) -> Program {
        let thread = |(i, code): (usize, &Vec<Instruction>)| Thread {
            place: Place { gpu: 0, block: i as u8, warp: 0 },
            code: code.clone(),
        };
        Program { threads: codes.iter().enumerate().map(thread).collect() }
    }

    fn count(program: &Program) -> usize {
        let mut n = 0;
        assert!(interleavings(program, 1000, &mut |_| {
            n += 1;
            true
        }));
        n
    }

    #[test]
    fn dependent_steps_are_tried_in_both_orders() {
        assert_eq!(count(&program(&[vec![write(0)], vec![write(0)]])), 2);
    }

    #[test]
    fn independent_steps_are_tried_in_one_order() {
        assert_eq!(count(&program(&[vec![write(0)], vec![write(1)]])), 1);
    }

    #[test]
    fn the_limit_is_told() {
        let p = program(&[vec![write(0)], vec![write(0)]]);
        assert!(!interleavings(&p, 1, &mut |_| true));
    }
}
