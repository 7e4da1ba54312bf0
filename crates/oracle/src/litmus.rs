//! Generated litmus tests: the classic shapes of weak memories, in all strengths, fences and places.

use crate::program::{Action, Instruction, Location, Place, Program, Strength, Thread};
use events::{Scope, Sem};

/// A generated test.
pub struct Litmus {
    /// The shape, and how its accesses are ordered and placed.
    pub name: String,
    pub shape: &'static str,
    pub program: Program,
}

/// An access of a shape.
#[derive(Clone, Copy)]
enum Step {
    R(Location),
    W(Location, u32),
    /// A write that runs only if the thread's first read returned 1.
    D(Location, u32),
}

use Step::{D, R, W};

const X: Location = 0;
const Y: Location = 1;
const Z: Location = 2;

/// The shapes by their usual names, each a list of threads.
const SHAPES: [(&str, &[&[Step]]); 23] = [
    ("SB", &[&[W(X, 1), R(Y)], &[W(Y, 1), R(X)]]),
    ("MP", &[&[W(X, 1), W(Y, 1)], &[R(Y), R(X)]]),
    ("LB", &[&[R(X), W(Y, 1)], &[R(Y), W(X, 1)]]),
    ("LB+ctrl", &[&[R(X), D(Y, 1)], &[R(Y), W(X, 1)]]),
    ("LB+ctrls", &[&[R(X), D(Y, 1)], &[R(Y), D(X, 1)]]),
    ("3.LB", &[&[R(X), W(Y, 1)], &[R(Y), W(Z, 1)], &[R(Z), W(X, 1)]]),
    ("3.LB+ctrls", &[&[R(X), D(Y, 1)], &[R(Y), W(Z, 1)], &[R(Z), D(X, 1)]]),
    ("S", &[&[W(X, 2), W(Y, 1)], &[R(Y), W(X, 1)]]),
    ("R", &[&[W(X, 1), W(Y, 1)], &[W(Y, 2), R(X)]]),
    ("2+2W", &[&[W(X, 1), W(Y, 2)], &[W(Y, 1), W(X, 2)]]),
    ("WRC", &[&[W(X, 1)], &[R(X), W(Y, 1)], &[R(Y), R(X)]]),
    ("ISA2", &[&[W(X, 1), W(Y, 1)], &[R(Y), W(Z, 1)], &[R(Z), R(X)]]),
    ("IRIW", &[&[W(X, 1)], &[W(Y, 1)], &[R(X), R(Y)], &[R(Y), R(X)]]),
    ("RWC", &[&[W(X, 1)], &[R(X), R(Y)], &[W(Y, 1), R(X)]]),
    ("WWC", &[&[W(X, 2)], &[R(X), W(Y, 1)], &[R(Y), W(X, 1)]]),
    ("W+RWC", &[&[W(X, 1), W(Y, 1)], &[R(Y), R(Z)], &[W(Z, 1), R(X)]]),
    ("3.SB", &[&[W(X, 1), R(Y)], &[W(Y, 1), R(Z)], &[W(Z, 1), R(X)]]),
    ("CoRR", &[&[W(X, 1)], &[R(X), R(X)]]),
    ("CoWW", &[&[W(X, 1), W(X, 2)], &[R(X), R(X)]]),
    ("CoRW1", &[&[R(X), W(X, 1)]]),
    ("CoRW2", &[&[W(X, 1)], &[R(X), W(X, 2)]]),
    ("CoWR", &[&[W(X, 1), R(X)], &[W(X, 2)]]),
    ("CoRR2", &[&[W(X, 1)], &[W(X, 2)], &[R(X), R(X)], &[R(X), R(X)]]),
];

/// How strong a test's accesses are.
#[derive(Clone, Copy)]
enum Flavour {
    Weak,
    Relaxed(Scope),
    /// Releases and acquires.
    Ordered(Scope),
    /// The first location of each thread is accessed weakly, the others with releases and acquires.
    Data(Scope),
    /// Writes are `atom.exch`, reads `atom.add` of 0.
    Atomic(Scope),
}

impl Flavour {
    fn name(self) -> String {
        match self {
            Flavour::Weak => "weak".into(),
            Flavour::Relaxed(scope) => format!("relaxed.{scope:?}"),
            Flavour::Ordered(scope) => format!("ordered.{scope:?}"),
            Flavour::Data(scope) => format!("data.{scope:?}"),
            Flavour::Atomic(scope) => format!("atomic.{scope:?}"),
        }
    }

    fn instruction(self, step: Step, register: u8) -> Instruction {
        let (location, reads) = match step {
            R(location) => (location, true),
            W(location, _) | D(location, _) => (location, false),
        };
        let strong = |sem, scope| Strength::Strong(sem, scope);
        let ordered = if reads { Sem::Acquire } else { Sem::Release };
        let strength = match self {
            Flavour::Weak => Strength::Weak,
            Flavour::Data(_) if location == X => Strength::Weak,
            Flavour::Relaxed(scope) | Flavour::Atomic(scope) => strong(Sem::Relaxed, scope),
            Flavour::Ordered(scope) | Flavour::Data(scope) => strong(ordered, scope),
        };
        let (to, sem) = (register, Sem::Relaxed);
        let action = match (self, step) {
            (Flavour::Atomic(scope), R(at)) => Action::Add { to, at, value: 0, sem, scope },
            (Flavour::Atomic(scope), W(at, value) | D(at, value)) => {
                Action::Exchange { to, at, value, sem, scope }
            }
            (_, R(from)) => Action::Read { to, from, strength },
            (_, W(to, value) | D(to, value)) => Action::Write { to, value, strength },
        };
        Instruction { guard: matches!(step, D(..)).then_some((0, 1)), ..action.into() }
    }
}

/// The fence between a thread's accesses, by thread.
#[derive(Clone, Copy)]
struct Fences {
    sem: Sem,
    scope: Scope,
    /// Bit `i`: thread `i` has fences.
    threads: u32,
}

/// Returns all tests: shapes in each strength, without fences, with fences of each kind in all threads, and
/// with fences in all threads but one; in blocks of their own and in one block.
pub fn all() -> Vec<Litmus> {
    use Scope::{Cta, Gpu, Sys};
    let flavours = [
        Flavour::Weak,
        Flavour::Relaxed(Gpu),
        Flavour::Relaxed(Cta),
        Flavour::Ordered(Gpu),
        Flavour::Ordered(Cta),
        Flavour::Data(Sys),
        Flavour::Atomic(Gpu),
    ];
    let mut all = Vec::new();
    for (shape, threads) in SHAPES {
        let every = (1u32 << threads.len()) - 1;
        let fences = |sem, scope, threads| Some(Fences { sem, scope, threads });
        let mut orders = vec![None];
        for sem in [Sem::AcqRel, Sem::Sc] {
            orders.extend([Gpu, Cta].map(|scope| fences(sem, scope, every)));
        }
        orders.push(fences(Sem::Sc, Gpu, every & !1));
        orders.push(fences(Sem::AcqRel, Gpu, every >> 1));
        // Four threads of atomics have too many orders of writes to enumerate.
        let flavours = flavours.iter().filter(|f| threads.len() < 4 || !matches!(f, Flavour::Atomic(_)));
        for &flavour in flavours {
            for fences in &orders {
                for far in [true, false] {
                    all.push(test(shape, threads, flavour, *fences, far));
                }
            }
        }
    }
    all
}

fn test(
    shape: &'static str,
    threads: &[&[Step]],
    flavour: Flavour,
    fences: Option<Fences>,
    far: bool,
) -> Litmus {
    let thread = |(number, steps): (usize, &&[Step])| {
        let (block, warp) = if far { (number as u8, 0) } else { (0, number as u8) };
        let mut code = Vec::new();
        for (k, &step) in steps.iter().enumerate() {
            if let Some(Fences { sem, scope, threads }) = fences
                && k > 0
                && threads >> number & 1 != 0
            {
                code.push(Action::Fence { sem, scope }.into());
            }
            code.push(flavour.instruction(step, k as u8));
        }
        Thread { place: Place { gpu: 0, block, warp }, code }
    };
    let program = Program { threads: threads.iter().enumerate().map(thread).collect() };
    let fence = fences.map_or("none".to_owned(), |f| format!("{:?}.{:?}/{:b}", f.sem, f.scope, f.threads));
    let place = if far { "blocks" } else { "block" };
    let name = format!("{shape} {} fence {fence} {place}", flavour.name());
    Litmus { name, shape, program }
}
