//! Random litmus programs, reproducible from a seed.

use crate::path::Path;
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

    /// Returns a number below `n`.
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

/// Draws a program of at most `max_instructions` instructions on two to four threads, biased towards message
/// passing: data accesses on locations 0 and 1, flags on 2 and 3.
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
            thread.code.push(Instruction { guard, ..action.into() });
        }
        if barrier_block == Some(thread.place.block) {
            let at = rng.below(thread.code.len() as u64 + 1) as usize;
            thread.code.insert(at, Action::Barrier.into());
        }
    }
    program
}

/// Draws such a program, in which some accesses go through other proxies or virtual aliases, and some threads
/// have proxy fences.
pub fn crossing(seed: u64, max_instructions: usize) -> Program {
    let mut program = program(seed, max_instructions);
    let mut rng = Rng(seed ^ 0x5bd1_e995);
    let other = rng.pick(&[Path::Alias, Path::Async, Path::Async, Path::Texture, Path::Surface]);
    let paths = [other, other, Path::Alias, Path::Constant];
    for thread in &mut program.threads {
        for instruction in &mut thread.code {
            let drawn = rng.pick(&paths);
            let may = match instruction.action {
                Action::Read { strength: Strength::Weak, .. } => true,
                Action::Write { strength: Strength::Weak, .. } => {
                    !matches!(drawn, Path::Texture | Path::Constant)
                }
                _ => drawn == Path::Alias && instruction.action.location().is_some(),
            };
            if may && rng.chance(60) {
                instruction.path = drawn;
            }
        }
        for _ in 0..rng.below(3) {
            let at = rng.below(thread.code.len() as u64 + 1) as usize;
            thread.code.insert(at, Action::ProxyFence { of: rng.pick(&paths) }.into());
        }
    }
    program
}

/// Draws a value that some write of the program may have stored.
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

/// Draws a program of two to five threads that communicate by fences, flags and barriers of every kind, with
/// at most `max_instructions` instructions beside the barriers: data accesses on locations 0 and 1, flags on
/// 2 and 3.
///
/// All threads contain their barriers in one common order, which excludes deadlock.
pub fn meetings(seed: u64, max_instructions: usize) -> Program {
    let mut rng = Rng(seed ^ 0x5EED_0F3E_7CE5_0001);
    let threads = 2 + [0, 1, 1, 2, 2, 3][rng.below(6) as usize];
    let places: Vec<Place> = [(0, 0), (0, 0), (0, 1), (1, 0), (1, 0), (1, 1), (2, 0)]
        .map(|(block, warp)| Place { gpu: 0, block, warp })
        .into();
    let mut program = Program {
        threads: (0..threads).map(|_| Thread { place: rng.pick(&places), code: Vec::new() }).collect(),
    };
    let flavour = Flavour {
        scopes: match rng.below(10) {
            0..6 => &[Scope::Gpu],
            6 => &[Scope::Gpu, Scope::Sys],
            7 => &[Scope::Cta, Scope::Gpu],
            _ => &[Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Gpu, Scope::Sys],
        },
        sc: [50, 75, 100][rng.below(3) as usize],
        relaxed: [60, 90, 100][rng.below(3) as usize],
        weak_flags: [0, 0, 0, 10][rng.below(4) as usize],
    };
    let each = (max_instructions / threads).max(2);
    let shaped = rng.chance(75);
    for (number, thread) in program.threads.iter_mut().enumerate() {
        // Roles in a message: producer, consumer, relay, or none.
        let part = match number {
            _ if !shaped => 3,
            0 => 0,
            1 => 1,
            _ => rng.below(4),
        };
        let steps: &[Kind] = match part {
            0 => &[Kind::Data, Kind::Fence, Kind::Flag, Kind::Fence],
            1 => &[Kind::Flag, Kind::Fence, Kind::Data],
            2 => &[Kind::Flag, Kind::Flag],
            _ => &[],
        };
        let mut kinds: Vec<Kind> = steps.iter().copied().filter(|_| rng.chance(90)).collect();
        let more =
            if steps.is_empty() { 1 + rng.below(each as u64 + 1) } else { rng.below(3).saturating_sub(1) };
        for _ in 0..more {
            let at = rng.below(kinds.len() as u64 + 1) as usize;
            kinds.insert(at, Kind::Any);
        }
        let mut registers = 0;
        for kind in kinds {
            let action = flavour.action(&mut rng, kind, &mut registers);
            let guarded = if kind == Kind::Data { 50 } else { 15 };
            let guard = (registers > 0 && action.reads().is_none() && rng.chance(guarded))
                .then(|| (rng.below(registers.into()) as u8, rng.below(3) as u32));
            thread.code.push(Instruction { guard, ..action.into() });
        }
    }
    let mut meetings = Meetings { earliest: vec![0; threads], program, rng };
    for number in 0..meetings.rng.below(4) as u8 {
        meetings.add(number);
    }
    meetings.program
}

/// The purpose of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Data,
    Fence,
    Flag,
    Any,
}

/// The distribution from which a program's instructions are drawn.
struct Flavour {
    scopes: &'static [Scope],
    /// Percentage of fences that are `fence.sc`.
    sc: u64,
    /// Percentage of accesses to flags that are relaxed.
    relaxed: u64,
    /// Percentage of accesses to flags that are weak.
    weak_flags: u64,
}

impl Flavour {
    fn action(&self, rng: &mut Rng, kind: Kind, registers: &mut u8) -> Action {
        let scope = rng.pick(self.scopes);
        let mut register = || {
            let register = *registers;
            *registers = (*registers + 1).min(15);
            register
        };
        let data = rng.pick(&[0, 0, 0, 1]);
        let flag = rng.pick(&[2, 2, 2, 3]);
        let value = 1 + rng.below(2) as u32;
        let relaxed = rng.chance(self.relaxed);
        let strength = |sem| Strength::Strong(if relaxed { Sem::Relaxed } else { sem }, scope);
        let drawn = match kind {
            Kind::Fence => 0,
            Kind::Flag => 6 + rng.below(10),
            Kind::Data => 16 + rng.below(4),
            Kind::Any => rng.below(20),
        };
        match drawn {
            0..6 => Action::Fence { sem: if rng.chance(self.sc) { Sem::Sc } else { Sem::AcqRel }, scope },
            6..10 => {
                let sem =
                    if relaxed { Sem::Relaxed } else { rng.pick(&[Sem::Acquire, Sem::Release, Sem::AcqRel]) };
                let to = register();
                match rng.below(4) {
                    0 => Action::Exchange { to, at: flag, value, sem, scope },
                    1 => Action::CompareSwap { to, at: flag, expected: 0, value, sem, scope },
                    _ => Action::Add { to, at: flag, value: 1, sem, scope },
                }
            }
            10..13 if rng.chance(self.weak_flags) => {
                Action::Read { to: register(), from: flag, strength: Strength::Weak }
            }
            10..13 => Action::Read { to: register(), from: flag, strength: strength(Sem::Acquire) },
            13..16 if rng.chance(self.weak_flags) => {
                Action::Write { to: flag, value, strength: Strength::Weak }
            }
            13..16 => Action::Write { to: flag, value, strength: strength(Sem::Release) },
            16 | 17 => Action::Read { to: register(), from: data, strength: Strength::Weak },
            _ => Action::Write { to: data, value, strength: Strength::Weak },
        }
    }
}

/// Adds barriers to a program.
struct Meetings {
    program: Program,
    /// For each thread, the position behind its last barrier.
    earliest: Vec<usize>,
    rng: Rng,
}

impl Meetings {
    fn insert(&mut self, thread: usize, action: Action) {
        let room = self.program.threads[thread].code.len() - self.earliest[thread] + 1;
        let at = self.earliest[thread] + self.rng.below(room as u64) as usize;
        self.program.threads[thread].code.insert(at, action.into());
        self.earliest[thread] = at + 1;
    }

    /// Draws a random subset of the threads for whose place `may` holds.
    fn some(&mut self, may: impl Fn(Place) -> bool) -> Vec<usize> {
        let all: Vec<usize> =
            (0..self.earliest.len()).filter(|&t| may(self.program.threads[t].place)).collect();
        all.into_iter().filter(|_| self.rng.chance(75)).collect()
    }

    fn add(&mut self, number: u8) {
        let any = self.rng.below(self.earliest.len() as u64) as usize;
        let Place { block, warp, .. } = self.program.threads[any].place;
        match self.rng.below(10) {
            0..3 => {
                for thread in 0..self.earliest.len() {
                    if self.program.threads[thread].place.block == block {
                        self.insert(thread, Action::Barrier);
                    }
                }
            }
            3..5 => {
                for thread in self.some(|place| place.block == block) {
                    let waits = self.rng.chance(70);
                    self.insert(thread, Action::Named { id: 1 + number, waits });
                }
            }
            5 | 6 => {
                for thread in self.some(|place| (place.block, place.warp) == (block, warp)) {
                    self.insert(thread, Action::WarpSync { group: number });
                }
            }
            7 => {
                for thread in 0..self.earliest.len() {
                    self.insert(thread, Action::ClusterArrive);
                }
                for thread in 0..self.earliest.len() {
                    self.insert(thread, Action::ClusterWait);
                }
            }
            _ => self.add_mbarrier(number, block),
        }
    }

    /// Adds an mbarrier object: of one block with block scope, or of all blocks with device scope.
    fn add_mbarrier(&mut self, at: u8, block: u8) {
        let (near, relaxed) = (self.rng.chance(60), self.rng.chance(50));
        let scope = if near { Scope::Cta } else { Scope::Gpu };
        let sem = |sem| if relaxed { Sem::Relaxed } else { sem };
        for thread in self.some(|place| !near || place.block == block) {
            self.insert(thread, Action::MbarrierArrive { at, sem: sem(Sem::Release), scope });
        }
        for thread in self.some(|place| !near || place.block == block) {
            self.insert(thread, Action::MbarrierWait { at, sem: sem(Sem::Acquire), scope });
        }
    }
}
