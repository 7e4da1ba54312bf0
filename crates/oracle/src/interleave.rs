//! Interleavings of a litmus program, as event streams.
//!
//! Every sequentially consistent execution of a program is one order of its
//! instructions. [`interleavings`] enumerates them (two neighbours that touch
//! nothing in common are tried in one order only) and [`replay`] emits the
//! [`events`] that an engine would.

use crate::program::{Action, Instruction, Program, Strength};
use events::access::Warp;
use events::sync::Member;
use events::{
    Access, AccessKind, AtomicOp, BarrierId, BarrierMembers, BlockId, Observer, Proxy, SiteId, Space, Sync,
    TaskId, WarpId,
};
use std::collections::BTreeSet;

/// One interleaving: the thread that takes each step.
pub type Schedule = Vec<usize>;

/// Base address of the litmus variables; 4 bytes each.
pub const BASE: u64 = 0x1000;

/// The site that [`replay`] gives to instruction `index` of `thread`.
pub fn site(thread: usize, index: usize) -> SiteId {
    SiteId((thread * 64 + index) as u32)
}

/// The instruction of a [`site`].
pub fn instruction(site: SiteId) -> (usize, usize) {
    (site.0 as usize / 64, site.0 as usize % 64)
}

#[derive(Clone)]
struct State<'p> {
    program: &'p Program,
    position: Vec<usize>,
    registers: Vec<[u32; 16]>,
    memory: [u32; 16],
    /// Thread has arrived at its current barrier and waits.
    waiting: Vec<bool>,
}

/// What one step did.
struct Step {
    index: usize,
    instruction: Instruction,
    runs: bool,
    read: u32,
    written: u32,
    /// Threads released by this arrival.
    completed: Vec<usize>,
}

impl<'p> State<'p> {
    fn new(program: &'p Program) -> Self {
        let n = program.threads.len();
        State {
            program,
            position: vec![0; n],
            registers: vec![[0; 16]; n],
            memory: [0; 16],
            waiting: vec![false; n],
        }
    }

    fn enabled(&self, t: usize) -> bool {
        !self.waiting[t] && self.position[t] < self.program.threads[t].code.len()
    }

    fn block(&self, t: usize) -> (u8, u8) {
        let place = self.program.threads[t].place;
        (place.gpu, place.block)
    }

    fn step(&mut self, t: usize) -> Step {
        let index = self.position[t];
        let instruction = self.program.threads[t].code[index];
        let runs = instruction.guard.is_none_or(|(r, v)| self.registers[t][r as usize] == v);
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
                for &u in &step.completed {
                    self.waiting[u] = false;
                    self.position[u] += 1;
                }
            }
            return step;
        }
        if runs && let Some(location) = instruction.action.location() {
            step.read = self.memory[location as usize];
            step.written = instruction.action.stored(step.read).unwrap_or(step.read);
            if instruction.action.writes() {
                self.memory[location as usize] = step.written;
            }
            if let Some(register) = instruction.action.reads() {
                self.registers[t][register as usize] = step.read;
            }
        }
        self.position[t] += 1;
        step
    }
}

/// Calls `visit` with interleavings that cover every order of dependent steps, until it
/// answers false. At most `limit` are visited; the result tells whether all were.
pub fn interleavings(program: &Program, limit: usize, visit: &mut dyn FnMut(&Schedule) -> bool) -> bool {
    let mut left = limit;
    let mut schedule = Vec::new();
    explore(State::new(program), &mut schedule, &BTreeSet::new(), &mut left, visit)
}

/// Sleep-set search: after `t` has been tried in a state, another order that only
/// commutes with it is not tried again.
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

/// Do the next steps of two threads commute, for memory and for every partial order over events?
fn independent(state: &State<'_>, a: usize, b: usize) -> bool {
    let action = |t: usize| state.program.threads[t].code.get(state.position[t]).map(|i| i.action);
    match (action(a), action(b)) {
        (Some(Action::Barrier), _) | (_, Some(Action::Barrier)) => false,
        (Some(x), Some(y)) => match (x.location(), y.location()) {
            (Some(l), Some(m)) => l != m || !(x.writes() || y.writes()),
            _ => true,
        },
        _ => true,
    }
}

/// Runs `program` in the order of `schedule` and tells `observer`. All threads belong to
/// `task`; block and warp are as the program places them, each thread in lane 0 or, in a
/// shared warp, in the next free lane.
pub fn replay(program: &Program, schedule: &[usize], task: TaskId, observer: &mut dyn Observer) {
    let mut state = State::new(program);
    let lanes: Vec<u32> = lanes(program);
    let warp_of = |t: usize| {
        let place = program.threads[t].place;
        Warp { task, block: BlockId(place.block.into()), warp: WarpId(place.warp.into()) }
    };
    let blocks: BTreeSet<u8> = program.threads.iter().map(|t| t.place.block).collect();
    for &block in &blocks {
        observer.sync(&Sync::BlockStart { task, block: BlockId(block.into()) });
    }
    for &t in schedule {
        let step = state.step(t);
        if !step.runs {
            continue;
        }
        let (warp, lane, at) = (warp_of(t), lanes[t], site(t, step.index));
        emit(&step, warp, lane, at, observer);
        if !step.completed.is_empty() {
            let members: Vec<Member> = step
                .completed
                .iter()
                .map(|&u| Member {
                    block: warp.block,
                    warp: warp_of(u).warp,
                    arrived: 1 << lanes[u],
                    waited: 1 << lanes[u],
                })
                .collect();
            let members = BarrierMembers::Some(&members);
            observer.sync(&Sync::BarrierComplete { task, block: warp.block, id: BarrierId::Cta(0), members });
        }
    }
    for &block in &blocks {
        observer.sync(&Sync::BlockEnd { task, block: BlockId(block.into()) });
    }
}

/// Lanes of the threads: those that share a warp get neighbouring lanes.
pub fn lanes(program: &Program) -> Vec<u32> {
    let places = |n: usize| program.threads[..n].iter().map(|t| t.place);
    (0..program.threads.len())
        .map(|t| places(t).filter(|&p| p == program.threads[t].place).count() as u32)
        .collect()
}

fn emit(step: &Step, warp: Warp, lane: u32, site: SiteId, observer: &mut dyn Observer) {
    let lanes = 1u32 << lane;
    let action = step.instruction.action;
    let kind = match action {
        Action::Fence { sem, scope } => {
            observer.sync(&Sync::Fence { warp, site, lanes, sem, scope });
            return;
        }
        Action::Barrier => {
            let (id, sem) = (BarrierId::Cta(0), events::Sem::AcqRel);
            observer.sync(&Sync::BarrierArrive { warp, site, id, lanes, waits: true, sem });
            return;
        }
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
        Action::Fence { .. } | Action::Barrier => return,
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
        proxy: Proxy::Generic,
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
