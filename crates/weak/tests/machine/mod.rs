//! Runs litmus programs on the memory.

use events::{Access, Observer, SiteId, Space, Sync};
use oracle::Program;
use oracle::cells::{At, Cells, Performed};
use oracle::interleave::{lanes, site};
use oracle::outcomes::Outcome;
use oracle::program::{Action, Strength};
use oracle::random::Rng;
use oracle::weakly::{Weakly, weakly};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use weak::{Choose, Memory, Operation, Place, ThreadId};

/// A path through the tree of all choices, in depth-first order.
#[derive(Default)]
struct Path {
    /// The choices of this run, with the number of options of each.
    made: Vec<(usize, usize)>,
    next: usize,
}

impl Path {
    fn choose(&mut self, options: usize) -> usize {
        if options < 2 {
            return 0;
        }
        if self.next == self.made.len() {
            self.made.push((0, options));
        }
        self.next += 1;
        self.made[self.next - 1].0
    }

    /// Proceeds to the next path; returns false if there is none.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((choice, options)) = self.made.pop() {
            if choice + 1 < options {
                self.made.push((choice + 1, options));
                return true;
            }
        }
        false
    }
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Path>>);

impl Choose for Shared {
    fn choose(&mut self, options: usize) -> usize {
        self.0.lock().unwrap().choose(options)
    }
}

struct Random(Rng);

impl Choose for Random {
    fn choose(&mut self, options: usize) -> usize {
        self.0.below(options as u64) as usize
    }
}

struct Machine<'p> {
    memory: Memory,
    program: &'p Program,
    lanes: Vec<u32>,
}

impl Machine<'_> {
    fn new(program: &Program, choose: Box<dyn Choose>) -> Machine<'_> {
        Machine { memory: Memory::new(choose, program.has_cluster()), program, lanes: lanes(program) }
    }
}

fn strength(action: Action) -> events::Strength {
    match action {
        Action::Read { strength: Strength::Weak, .. } | Action::Write { strength: Strength::Weak, .. } => {
            events::Strength::Weak
        }
        _ => {
            let (sem, scope) = action.strength().unwrap();
            events::Strength::Strong { sem, scope }
        }
    }
}

impl Cells for Machine<'_> {
    fn perform(&mut self, At { thread: t, index }: At, action: Action, there: u32) -> Performed {
        let at = self.program.threads[t].place;
        let thread = ThreadId { block: at.block.into(), thread: u32::from(at.warp) * 32 + self.lanes[t] };
        let address = 0x1000 + 4 * u64::from(action.location().unwrap());
        let place = Place { space: Space::Global, address, bytes: 4 };
        let site: SiteId = site(t, index);
        let operation = Operation { thread, site, strength: strength(action), place };
        let there = u64::from(there);
        let (read, left) = match action {
            Action::Read { .. } => (self.memory.read(&operation, there), there),
            Action::Write { value, .. } => (there, self.memory.write(&operation, there, value.into())),
            _ => {
                let change = |old: u64| action.stored(old as u32).map(u64::from);
                let done = self.memory.update(&operation, there, true, change).unwrap();
                (done.old, done.newest)
            }
        };
        Performed { read: read as u32, left: left as u32 }
    }
}

impl Observer for Machine<'_> {
    fn access(&mut self, _: &Access<'_>) {}

    fn sync(&mut self, sync: &Sync<'_>) {
        self.memory.sync(sync);
    }
}

/// Returns the outcomes of all interleavings with all choices; `None` if there are more than `most`.
pub(crate) fn every_outcome(program: &Program, most: usize) -> Option<BTreeSet<Outcome>> {
    let path = Shared(Arc::default());
    let mut all = BTreeSet::new();
    for _ in 0..most {
        let mut machine = Machine::new(program, Box::new(path.clone()));
        let threads = path.clone();
        let run = weakly(program, &mut |enabled| threads.clone().choose(enabled.len()), &mut machine);
        all.extend(run.map(|run| run.outcome(program)));
        if !path.0.lock().unwrap().advance() {
            return Some(all);
        }
    }
    None
}

/// Returns random runs.
pub(crate) fn some_outcomes(program: &Program, seed: u64, runs: u64) -> Vec<Weakly> {
    let run = |number| {
        let mut rng = Rng(seed << 20 | number);
        let choose = Random(Rng(rng.draw()));
        let mut machine = Machine::new(program, Box::new(choose));
        weakly(program, &mut |enabled| rng.below(enabled.len() as u64) as usize, &mut machine)
    };
    (0..runs).filter_map(run).collect()
}
