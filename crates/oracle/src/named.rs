//! The classic litmus tests, with the verdicts that the model must give.

use crate::program::{Action, Instruction, Place, Program, Strength, Thread};
use events::{Scope, Sem};

/// A litmus test by its usual name.
pub struct Named {
    pub name: &'static str,
    pub program: Program,
    /// Whether some consistent execution has a race.
    pub racy: bool,
}

const X: u8 = 0;
const FLAG: u8 = 2;
const OTHER: u8 = 3;

fn block(n: u8) -> Place {
    Place { gpu: 0, block: n, warp: 0 }
}

fn weak_write(to: u8) -> Instruction {
    Action::Write { to, value: 1, strength: Strength::Weak }.into()
}

fn weak_read(from: u8) -> Instruction {
    Action::Read { to: 7, from, strength: Strength::Weak }.into()
}

fn write(to: u8, sem: Sem, scope: Scope) -> Instruction {
    Action::Write { to, value: 1, strength: Strength::Strong(sem, scope) }.into()
}

fn read(to: u8, from: u8, sem: Sem, scope: Scope) -> Instruction {
    Action::Read { to, from, strength: Strength::Strong(sem, scope) }.into()
}

fn fence(sem: Sem, scope: Scope) -> Instruction {
    Action::Fence { sem, scope }.into()
}

fn add(to: u8, at: u8, sem: Sem, scope: Scope) -> Instruction {
    Action::Add { to, at, value: 1, sem, scope }.into()
}

fn when(register: u8, value: u32, instruction: Instruction) -> Instruction {
    Instruction { guard: Some((register, value)), ..instruction }
}

fn threads(codes: Vec<(Place, Vec<Instruction>)>) -> Program {
    Program { threads: codes.into_iter().map(|(place, code)| Thread { place, code }).collect() }
}

/// Builds message passing: one thread writes data and signals; the other observes the signal and reads the
/// data.
fn message(places: [Place; 2], release: Vec<Instruction>, acquire: Vec<Instruction>) -> Program {
    let mut first = vec![weak_write(X)];
    first.extend(release);
    let mut second = acquire;
    second.push(when(0, 1, weak_read(X)));
    threads(vec![(places[0], first), (places[1], second)])
}

/// Returns all named litmus tests.
pub fn all() -> Vec<Named> {
    use Scope::{Cta, Gpu, Sys};
    use Sem::{AcqRel, Acquire, Relaxed, Release, Sc};
    let far = [block(0), block(1)];
    let near = [block(0), Place { warp: 1, ..block(0) }];
    let relaxed = |scope| (write(FLAG, Relaxed, scope), read(0, FLAG, Relaxed, scope));
    let mut all = Vec::new();
    let mut test = |name, racy, program| all.push(Named { name, program, racy });

    test("WW", true, threads(vec![(block(0), vec![weak_write(X)]), (block(1), vec![weak_write(X)])]));
    test("RR", false, threads(vec![(block(0), vec![weak_read(X)]), (block(1), vec![weak_read(X)])]));
    test(
        "relaxed pair of mutual scope",
        false,
        threads(vec![(block(0), vec![relaxed(Gpu).0]), (block(1), vec![relaxed(Gpu).1])]),
    );
    test(
        "relaxed pair of block scope across blocks",
        true,
        threads(vec![(block(0), vec![relaxed(Cta).0]), (block(1), vec![relaxed(Cta).1])]),
    );
    test("MP relaxed", true, message(far, vec![relaxed(Gpu).0], vec![relaxed(Gpu).1]));
    test(
        "MP release acquire",
        false,
        message(far, vec![write(FLAG, Release, Gpu)], vec![read(0, FLAG, Acquire, Gpu)]),
    );
    test(
        "MP release acquire, block scope across blocks",
        true,
        message(far, vec![write(FLAG, Release, Cta)], vec![read(0, FLAG, Acquire, Cta)]),
    );
    test(
        "MP release acquire, block scope in a block",
        false,
        message(near, vec![write(FLAG, Release, Cta)], vec![read(0, FLAG, Acquire, Cta)]),
    );
    test(
        "MP release acquire, one side of block scope",
        true,
        message(far, vec![write(FLAG, Release, Gpu)], vec![read(0, FLAG, Acquire, Cta)]),
    );
    test(
        "MP fences",
        false,
        message(far, vec![fence(AcqRel, Gpu), relaxed(Gpu).0], vec![relaxed(Gpu).1, fence(AcqRel, Gpu)]),
    );
    test(
        "MP fences, producer's of block scope",
        true,
        message(far, vec![fence(AcqRel, Cta), relaxed(Gpu).0], vec![relaxed(Gpu).1, fence(AcqRel, Gpu)]),
    );
    test(
        "MP without the consumer's fence",
        true,
        message(far, vec![fence(AcqRel, Gpu), relaxed(Gpu).0], vec![relaxed(Gpu).1]),
    );
    test(
        "MP without the producer's fence",
        true,
        message(far, vec![relaxed(Gpu).0], vec![relaxed(Gpu).1, fence(AcqRel, Gpu)]),
    );
    test(
        "fence.sc alone",
        true,
        threads(vec![
            (block(0), vec![weak_write(X), fence(Sc, Gpu)]),
            (block(1), vec![fence(Sc, Gpu), weak_read(X)]),
        ]),
    );
    test(
        "MP through a third thread's atomic",
        false,
        threads(vec![
            (block(0), vec![weak_write(X), write(FLAG, Release, Gpu)]),
            (block(1), vec![add(0, FLAG, Relaxed, Gpu)]),
            (block(2), vec![read(0, FLAG, Acquire, Gpu), when(0, 2, weak_read(X))]),
        ]),
    );
    test(
        "WRC, cumulative",
        false,
        threads(vec![
            (block(0), vec![weak_write(X), write(FLAG, Release, Gpu)]),
            (block(1), vec![read(0, FLAG, Acquire, Gpu), when(0, 1, write(OTHER, Release, Gpu))]),
            (block(2), vec![read(0, OTHER, Acquire, Gpu), when(0, 1, weak_read(X))]),
        ]),
    );
    test(
        "WRC, relaxed in the middle",
        true,
        threads(vec![
            (block(0), vec![weak_write(X), write(FLAG, Release, Gpu)]),
            (block(1), vec![read(0, FLAG, Relaxed, Gpu), when(0, 1, write(OTHER, Release, Gpu))]),
            (block(2), vec![read(0, OTHER, Acquire, Gpu), when(0, 1, weak_read(X))]),
        ]),
    );
    test(
        "last block resets the counter",
        false,
        threads(vec![
            (block(0), vec![add(0, FLAG, Relaxed, Gpu), when(0, 1, weak_write(FLAG))]),
            (block(1), vec![add(0, FLAG, Relaxed, Gpu), when(0, 1, weak_write(FLAG))]),
        ]),
    );
    test(
        "atomics of block scope across blocks",
        true,
        threads(vec![(block(0), vec![add(0, X, Relaxed, Cta)]), (block(1), vec![add(0, X, Relaxed, Gpu)])]),
    );
    test(
        "weak against atomic",
        true,
        threads(vec![(block(0), vec![weak_read(X)]), (block(1), vec![add(0, X, Relaxed, Sys)])]),
    );
    test(
        "barrier in a block",
        false,
        threads(vec![
            (near[0], vec![weak_write(X), Action::Barrier.into()]),
            (near[1], vec![Action::Barrier.into(), weak_read(X)]),
        ]),
    );
    test(
        "barriers of two blocks",
        true,
        threads(vec![
            (far[0], vec![weak_write(X), Action::Barrier.into()]),
            (far[1], vec![Action::Barrier.into(), weak_read(X)]),
        ]),
    );
    let beside = Place { gpu: 0, block: 0, warp: 1 };
    let handed = |sem| {
        threads(vec![
            (block(0), vec![weak_write(X), fence(sem, Gpu), Action::Barrier.into()]),
            (beside, vec![Action::Barrier.into(), add(0, FLAG, Relaxed, Gpu)]),
            (block(1), vec![add(0, FLAG, Relaxed, Gpu), fence(sem, Gpu), when(0, 1, weak_read(X))]),
        ])
    };
    test("fence.sc, barrier, and the ticket of another thread", false, handed(Sem::Sc));
    test("fence.acq_rel, barrier, and the ticket of another thread", true, handed(Sem::AcqRel));
    test("an acquire out of scope behind a relaxed read in scope", true, {
        let flag = |sem, scope| read(0, FLAG, sem, scope);
        threads(vec![
            (near[0], vec![weak_write(X), fence(AcqRel, Gpu), write(FLAG, Relaxed, Gpu)]),
            (near[1], vec![flag(Relaxed, Gpu), read(1, FLAG, Acquire, Cta), when(0, 1, weak_read(X))]),
            (far[1], vec![write(FLAG, Relaxed, Gpu)]),
        ])
    });
    for sem in [Sc, AcqRel] {
        test(flag_of_block_scope_name(sem), true, flag_of_block_scope(sem));
    }
    test("spin lock, tried once", false, threads(vec![locked(block(0), Gpu), locked(block(1), Gpu)]));
    test(
        "spin lock of block scope across blocks",
        true,
        threads(vec![locked(block(0), Cta), locked(block(1), Cta)]),
    );
    all
}

fn flag_of_block_scope_name(sem: Sem) -> &'static str {
    if sem == Sem::Sc {
        "fence.sc around a flag of block scope"
    } else {
        "fence.acq_rel around a flag of block scope"
    }
}

/// A block hands a value to another by a flag that it sets at block scope, with fences of device scope around.
pub fn flag_of_block_scope(sem: Sem) -> Program {
    let set = Action::Exchange { to: 0, at: FLAG, value: 1, sem: Sem::Relaxed, scope: Scope::Cta };
    let look = Action::Add { to: 0, at: FLAG, value: 0, sem: Sem::Relaxed, scope: Scope::Gpu };
    threads(vec![
        (block(0), vec![weak_write(X), fence(sem, Scope::Gpu), set.into()]),
        (block(1), vec![look.into(), fence(sem, Scope::Gpu), when(0, 1, weak_read(X))]),
    ])
}

/// Builds one attempt at a lock; the critical section runs only if the attempt succeeds.
fn locked(place: Place, scope: Scope) -> (Place, Vec<Instruction>) {
    let take = Action::CompareSwap { to: 0, at: FLAG, expected: 0, value: 1, sem: Sem::Acquire, scope };
    let give = Action::Write { to: FLAG, value: 0, strength: Strength::Strong(Sem::Release, scope) };
    (place, vec![take.into(), when(0, 0, weak_write(X)), when(0, 0, give.into())])
}
