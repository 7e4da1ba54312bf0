//! Random litmus programs, reproducible from a seed.

use crate::program::{Action, Instruction, Place, Program, Strength, Thread};
use events::{Scope, Sem};

/// SplitMix64: small, seedable, good enough to pick instructions.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.draw() % n
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// Draws a program of at most `max_instructions` instructions on two to four threads, biased
/// towards message passing: data accesses on locations 0 and 1, flags on 2 and 3.
pub fn program(seed: u64, max_instructions: usize) -> Program {
    let mut rng = Rng(seed);
    let threads = 2 + rng.below(3) as usize % 3;
    let places = [
        Place { gpu: 0, block: 0, warp: 0 },
        Place { gpu: 0, block: 0, warp: 0 },
        Place { gpu: 0, block: 0, warp: 1 },
        Place { gpu: 0, block: 1, warp: 0 },
        Place { gpu: 0, block: 2, warp: 0 },
    ];
    let mut program = Program {
        threads: (0..threads).map(|_| Thread { place: rng.pick(&places), code: Vec::new() }).collect(),
    };
    let barrier_block = rng.chance(15).then(|| program.threads[0].place.block);
    let each = (max_instructions / threads).max(1);
    for (t, thread) in program.threads.iter_mut().enumerate() {
        let length = 1 + rng.below(each as u64) as usize;
        let mut registers = 0;
        let mut value = 1 + 10 * t as u32;
        for _ in 0..length {
            let action = action(&mut rng, &mut registers, &mut value);
            let guard = (registers > 0 && action.reads().is_none() && rng.chance(35))
                .then(|| (rng.below(registers.into()) as u8, guard_value(&mut rng, threads)));
            thread.code.push(Instruction { guard, action });
        }
        if barrier_block == Some(thread.place.block) {
            let at = rng.below(thread.code.len() as u64 + 1) as usize;
            thread.code.insert(at, Action::Barrier.into());
        }
    }
    program
}

/// A value that some write of the program may have stored.
fn guard_value(rng: &mut Rng, threads: usize) -> u32 {
    1 + 10 * rng.below(threads as u64) as u32 + rng.below(2) as u32
}

fn action(rng: &mut Rng, registers: &mut u8, value: &mut u32) -> Action {
    let scope = rng.pick(&[Scope::Cta, Scope::Gpu, Scope::Gpu, Scope::Sys]);
    let mut register = || {
        let register = *registers;
        *registers = (*registers + 1).min(15);
        register
    };
    match rng.below(10) {
        0 | 1 => Action::Fence { sem: rng.pick(&[Sem::AcqRel, Sem::AcqRel, Sem::Sc]), scope },
        2 | 3 => {
            let at = rng.pick(&[2, 2, 3, 0]);
            let sem = rng.pick(&[Sem::Relaxed, Sem::Relaxed, Sem::Acquire, Sem::Release, Sem::AcqRel]);
            let to = register();
            match rng.below(3) {
                0 => Action::Exchange { to, at, value: next(value), sem, scope },
                1 => Action::Add { to, at, value: 1, sem, scope },
                _ => Action::CompareSwap { to, at, expected: 0, value: next(value), sem, scope },
            }
        }
        4 | 5 => {
            let strength = Strength::Strong(rng.pick(&[Sem::Relaxed, Sem::Acquire]), scope);
            Action::Read { to: register(), from: rng.pick(&[2, 2, 3, 0]), strength }
        }
        6 | 7 => {
            let strength = Strength::Strong(rng.pick(&[Sem::Relaxed, Sem::Release]), scope);
            Action::Write { to: rng.pick(&[2, 2, 3, 0]), value: next(value), strength }
        }
        8 => Action::Read { to: register(), from: rng.pick(&[0, 0, 1, 2]), strength: Strength::Weak },
        _ => Action::Write { to: rng.pick(&[0, 0, 1, 2]), value: next(value), strength: Strength::Weak },
    }
}

fn next(value: &mut u32) -> u32 {
    *value += 1;
    *value - 1
}
