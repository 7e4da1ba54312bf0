//! Runs litmus programs on the memory.

use events::access::Warp;
use events::{Access, BlockId, Observer, Space, Sync, TaskId, WarpId};
use oracle::Program;
use oracle::cells::{At, Cells, Performed};
use oracle::interleave::{instruction, lanes, site};
use oracle::outcomes::Outcome;
use oracle::program::{Action, Instruction, Size, Strength};
use oracle::random::Rng;
use oracle::weakly::{Weakly, weakly};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use weak::{Choose, Memory, Next, Operation, Path, Place, Postponed, Proxy, ProxyFence, ThreadId, Ticket};

/// A path through the tree of all choices, in depth-first order.
#[derive(Default)]
struct Choices {
    /// The choices of this run, with the number of options of each.
    made: Vec<(usize, usize)>,
    next: usize,
}

impl Choices {
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
struct Shared(Arc<Mutex<Choices>>);

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
    late: Vec<(Ticket, At)>,
}

impl Machine<'_> {
    fn new(program: &Program, choose: Box<dyn Choose>) -> Machine<'_> {
        Machine {
            memory: Memory::new(choose, program.has_cluster()),
            program,
            lanes: lanes(program),
            late: Vec::new(),
        }
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

fn path(path: oracle::Path) -> Path {
    let proxy = match path {
        oracle::Path::Generic => Proxy::Generic,
        oracle::Path::Alias => return Path { alias: 1, ..Path::default() },
        oracle::Path::Async => Proxy::Async { shared: false },
        oracle::Path::Texture => Proxy::Texture,
        oracle::Path::Surface => Proxy::Surface,
        oracle::Path::Constant => Proxy::Constant,
    };
    proxy.into()
}

impl Machine<'_> {
    fn operation(&self, At { thread: t, index }: At, action: Action) -> Option<Operation> {
        let at = self.program.threads[t].place;
        let thread = ThreadId { block: at.block.into(), thread: u32::from(at.warp) * 32 + self.lanes[t] };
        let Instruction { path: by, size, .. } = self.program.threads[t].code[index];
        let address = 0x1000 + 4 * u64::from(action.location()?) + u64::from(size.bits().0 / 8);
        let bytes = if size == Size::Word { 4 } else { 2 };
        let (place, path) = (Place { space: Space::Global, address, bytes }, path(by));
        Some(Operation { thread, site: site(t, index), strength: strength(action), place, path })
    }
}

impl Cells for Machine<'_> {
    fn perform(&mut self, at: At, action: Action, there: u32) -> Performed {
        let operation = self.operation(at, action).unwrap();
        let (shift, mask) = self.program.threads[at.thread].code[at.index].size.bits();
        let (word, there) = (there, u64::from(there >> shift & mask));
        let (read, left) = match action {
            Action::Read { .. } => (self.memory.read(&operation, there), there),
            Action::Write { value, .. } => (there, self.memory.write(&operation, there, value.into())),
            _ => {
                let change = |old: u64| action.stored(old as u32).map(u64::from);
                let done = self.memory.update(&operation, there, true, change).unwrap();
                (done.old, done.newest)
            }
        };
        Performed { read: read as u32, left: word & !(mask << shift) | (left as u32) << shift }
    }

    fn postpone(&mut self, at: At, action: Action, there: u32) -> bool {
        // A thread that neither writes nor meets others later shows nothing that is new.
        let later = &self.program.threads[at.thread].code[at.index + 1..];
        if !later.iter().any(|i| i.action.writes() || i.action.meets()) {
            return false;
        }
        let how = match action {
            Action::Read { .. } => Postponed::Read,
            _ => Postponed::Update { returns: true },
        };
        let operation = self.operation(at, action).unwrap();
        let (shift, mask) = self.program.threads[at.thread].code[at.index].size.bits();
        let ticket = self.memory.postpone(&operation, (there >> shift & mask).into(), how);
        self.late.extend(ticket.map(|ticket| (ticket, at)));
        ticket.is_some()
    }

    fn due(&mut self, at: At, action: Action) -> Option<At> {
        let operation = self.operation(at, action);
        let warp = self.program.threads[at.thread].place;
        let warp =
            Warp { task: TaskId(1), block: BlockId(warp.block.into()), warp: WarpId(warp.warp.into()) };
        let (site, lanes) = (site(at.thread, at.index), 1 << self.lanes[at.thread]);
        let late = self.late.iter().find(|(_, late)| *late == at).map(|(ticket, _)| *ticket);
        let ticket = match (&operation, action) {
            (Some(_), _) if late.is_some() => late.and_then(|ticket| self.memory.due(Next::Late(ticket))),
            (Some(operation), Action::Read { .. }) => self.memory.due(Next::Read(operation)),
            (Some(operation), Action::Write { .. }) => self.memory.due(Next::Write(operation)),
            (Some(operation), _) => self.memory.due(Next::Update(operation)),
            (_, Action::Fence { sem, scope }) => {
                self.memory.due(Next::Sync(&Sync::Fence { warp, site, lanes, sem, scope }))
            }
            _ => None,
        };
        self.late.iter().find(|(of, _)| Some(*of) == ticket).map(|(_, at)| *at)
    }

    fn perform_late(&mut self, at: At, action: Action, there: u32) -> Performed {
        let which = self.late.iter().position(|(_, late)| *late == at).unwrap();
        let (ticket, _) = self.late.remove(which);
        let (shift, mask) = self.program.threads[at.thread].code[at.index].size.bits();
        let (word, there) = (u64::from(there), u64::from(there >> shift & mask));
        let (read, left) = match action {
            Action::Read { .. } => (self.memory.read_late(ticket, there).unwrap(), word),
            _ => {
                let change = |old: u64| action.stored(old as u32).map(u64::from);
                let done = self.memory.update_late(ticket, there, change).unwrap();
                (done.old, done.newest)
            }
        };
        Performed { read: read as u32, left: left as u32 }
    }
}

impl Observer for Machine<'_> {
    fn access(&mut self, _: &Access<'_>) {}

    fn sync(&mut self, sync: &Sync<'_>) {
        // Events know no constant proxy.
        if let Sync::ProxyFence { site, .. } = sync {
            let (t, index) = instruction(*site);
            let (at, thread) = (self.program.threads[t].place, self.lanes[t]);
            let thread = ThreadId { block: at.block.into(), thread: u32::from(at.warp) * 32 + thread };
            if let Action::ProxyFence { of } = self.program.threads[t].code[index].action {
                let fence = match path(of).proxy {
                    Proxy::Generic => ProxyFence::Alias,
                    proxy => ProxyFence::Of(proxy),
                };
                self.memory.proxy_fence(thread, fence);
            }
            return;
        }
        self.memory.sync(sync);
    }
}

/// Returns the outcomes of all interleavings with all choices; `None` if there are more than `most`.
pub(crate) fn every_outcome(program: &Program, most: usize) -> Option<BTreeSet<Outcome>> {
    outcomes_within(program, weak::late::WINDOW, most)
}

/// Does so with accesses that are late by at most `window` others.
pub(crate) fn outcomes_within(program: &Program, window: u32, most: usize) -> Option<BTreeSet<Outcome>> {
    let path = Shared(Arc::default());
    let mut all = BTreeSet::new();
    for _ in 0..most {
        let mut machine = Machine::new(program, Box::new(path.clone()));
        machine.memory.set_window(window);
        let threads = path.clone();
        let run = weakly(program, &mut |options| threads.clone().choose(options), &mut machine);
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
        weakly(program, &mut |options| rng.below(options as u64) as usize, &mut machine)
    };
    (0..runs).filter_map(run).collect()
}
