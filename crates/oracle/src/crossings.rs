//! Generated litmus tests of proxies and virtual aliases: shapes in which one location is accessed by two
//! paths, with proxy fences at each place.

use crate::litmus::Litmus;
use crate::path::Path;
use crate::program::{Action, Instruction, Location, Place, Program, Strength, Thread};
use events::{Scope, Sem};

const X: Location = 0;
const Y: Location = 1;
const Z: Location = 2;

/// A step of a shape. Accesses of the data are weak; of the flags, releases and acquires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A read of the data, by the other path if the flag is set.
    R(bool),
    W(u32, bool),
    /// The place of a proxy fence with this number.
    P(u32),
    /// The flags.
    Release(Location),
    Acquire(Location),
    /// `fence.sc`.
    Sc,
    /// `bar.sync 0`.
    Barrier,
}

use Step::{Acquire, Barrier, P, R, Release, Sc, W};

/// The shapes with the number of their places for proxy fences. Accesses of the data have a flag for each of
/// the paths.
fn shapes(a: bool, b: bool) -> Vec<(&'static str, u32, Vec<Vec<Step>>)> {
    vec![
        ("CoWR", 1, vec![vec![W(1, a), P(0), R(b)]]),
        ("CoWW", 1, vec![vec![W(1, a), P(0), W(2, b)]]),
        ("CoRW", 1, vec![vec![R(a), P(0), W(1, b)]]),
        ("CoRR", 1, vec![vec![W(1, a)], vec![R(a), P(0), R(b)]]),
        ("MP", 2, vec![vec![W(1, a), P(0), Release(Y)], vec![Acquire(Y), P(1), R(b)]]),
        ("MP+bar", 2, vec![vec![W(1, a), P(0), Barrier], vec![Barrier, P(1), R(b)]]),
        ("S", 2, vec![vec![W(2, a), P(0), Release(Y)], vec![Acquire(Y), P(1), W(1, b)]]),
        ("LB", 2, vec![vec![R(a), P(0), Release(Y)], vec![Acquire(Y), P(1), W(1, b)]]),
        ("SB", 2, vec![vec![W(1, a), P(0), Sc, Acquire(Y)], vec![Release(Y), Sc, P(1), R(b)]]),
        (
            "ISA2",
            3,
            vec![
                vec![W(1, a), P(0), Release(Y)],
                vec![Acquire(Y), P(1), Release(Z)],
                vec![Acquire(Z), P(2), R(b)],
            ],
        ),
    ]
}

/// Returns all tests: each shape with each other path on one side or both, with each subset of the proxy
/// fences and with fences of another path, in one block and in several.
pub fn all() -> Vec<Litmus> {
    let paths = [Path::Alias, Path::Async, Path::Texture, Path::Surface, Path::Constant];
    let mut all = Vec::new();
    for path in paths {
        for (a, b) in [(false, true), (true, false), (true, true)] {
            for (shape, places, threads) in shapes(a, b) {
                let reads_only = matches!(path, Path::Texture | Path::Constant);
                let writes = |step: &Step| matches!(step, W(_, true));
                if reads_only && threads.iter().flatten().any(writes) {
                    continue;
                }
                let wrong = if path == Path::Async { Path::Alias } else { Path::Async };
                let fences = (0..1u32 << places).map(|mask| (path, mask));
                for (of, mask) in fences.chain([(wrong, (1 << places) - 1)]) {
                    let meets = threads.iter().flatten().any(|step| *step == Barrier);
                    for blocks in [true, false] {
                        if blocks && (threads.len() == 1 || meets) {
                            continue;
                        }
                        let place = if blocks { "blocks" } else { "block" };
                        let name = format!("{shape} {path} {a}/{b} fences {of}/{mask:b} {place}");
                        let program = program(&threads, path, (of, mask), blocks);
                        all.push(Litmus { name, shape, program });
                    }
                }
            }
        }
    }
    all
}

fn program(threads: &[Vec<Step>], path: Path, fences: (Path, u32), blocks: bool) -> Program {
    let thread = |(number, steps): (usize, &Vec<Step>)| {
        let (block, warp) = if blocks { (number as u8, 0) } else { (0, number as u8) };
        let numbered = steps.iter().enumerate();
        let code = numbered.filter_map(|(k, &step)| instruction(step, k as u8, path, fences)).collect();
        Thread { place: Place { gpu: 0, block, warp }, code }
    };
    Program { threads: threads.iter().enumerate().map(thread).collect() }
}

fn instruction(step: Step, to: u8, path: Path, (of, mask): (Path, u32)) -> Option<Instruction> {
    let strength = |sem| Strength::Strong(sem, Scope::Gpu);
    let by = |other: bool| if other { path } else { Path::Generic };
    let (action, path) = match step {
        R(other) => (Action::Read { to, from: X, strength: Strength::Weak }, by(other)),
        W(value, other) => (Action::Write { to: X, value, strength: Strength::Weak }, by(other)),
        P(place) if mask >> place & 1 != 0 => (Action::ProxyFence { of }, Path::Generic),
        P(_) => return None,
        Release(to) => (Action::Write { to, value: 1, strength: strength(Sem::Release) }, Path::Generic),
        Acquire(from) => (Action::Read { to, from, strength: strength(Sem::Acquire) }, Path::Generic),
        Sc => (Action::Fence { sem: Sem::Sc, scope: Scope::Gpu }, Path::Generic),
        Barrier => (Action::Barrier, Path::Generic),
    };
    Some(Instruction { path, ..action.into() })
}
