//! Programs whose accesses have several sizes: words and halves of words.
//!
//! An access of a word whose halves are accessed, too, is one access of each half. Accesses of different sizes
//! are not morally strong (PTX §8.7), and an access of a word is not torn: it sees both halves of a write of
//! the word, or none. The axioms say nothing of programs in which accesses of different sizes race (§8.7.2).

use crate::execution::{Candidate, candidates};
use crate::model::{coherence_orders, fence_orders, is_consistent, morally_strong, racing};
use crate::outcomes::{Outcome, memory, reads};
use crate::program::{Action, Instruction, Location, Place, Program, Size, Strength, Thread};
use crate::relation::Relation;
use events::{Scope, Sem};
use std::collections::BTreeSet;

/// A program in which each access of a word with halves is two instructions.
struct Split {
    program: Program,
    /// The thread's instruction of which each one is a part.
    origin: Vec<Vec<usize>>,
    /// The locations with halves.
    halved: BTreeSet<Location>,
}

/// The location of a half; other locations have the number of their low half.
fn half(location: Location, high: bool) -> Location {
    2 * location + u8::from(high)
}

fn split(program: &Program) -> Split {
    let all = || program.threads.iter().flat_map(|thread| &thread.code);
    let halves = all().filter(|i| i.size != Size::Word);
    let halved: BTreeSet<Location> = halves.filter_map(|i| i.action.location()).collect();
    let mut split =
        Split { program: Program { threads: Vec::new() }, origin: Vec::new(), halved: halved.clone() };
    for thread in &program.threads {
        let (mut code, mut origin) = (Vec::new(), Vec::new());
        for (k, instruction) in thread.code.iter().enumerate() {
            let whole = instruction.action.location().is_none_or(|at| !halved.contains(&at));
            let parts: &[bool] = match instruction.size {
                Size::Low => &[false],
                Size::High => &[true],
                Size::Word if whole => &[false],
                Size::Word => &[false, true],
            };
            for &high in parts {
                code.push(Instruction { action: part(instruction, high, whole), ..*instruction });
                origin.push(k);
            }
        }
        split.program.threads.push(Thread { place: thread.place, code });
        split.origin.push(origin);
    }
    split
}

/// Returns the part of an action that concerns one half.
fn part(instruction: &Instruction, high: bool, whole: bool) -> Action {
    let of = |value: u32| match instruction.size {
        Size::Word if !whole => value >> (16 * u32::from(high)) & 0xffff,
        _ => value,
    };
    match instruction.action {
        Action::Read { to, from, strength } => Action::Read { to, from: half(from, high), strength },
        Action::Write { to, value, strength } => {
            Action::Write { to: half(to, high), value: of(value), strength }
        }
        other => other,
    }
}

impl Split {
    /// Returns the access of a word that an event is a half of.
    fn word(&self, candidate: &Candidate, e: usize) -> Option<(usize, usize)> {
        let event = &candidate.events[e];
        let parts = &self.origin[event.thread];
        let halves = parts.iter().filter(|k| **k == parts[event.index]).count() == 2;
        halves.then_some((event.thread, parts[event.index]))
    }

    /// Returns whether an access of a word sees one half of a write of the word alone, or two such writes have
    /// different orders in the halves.
    fn tears(&self, candidate: &Candidate, total: &Relation) -> bool {
        let n = candidate.events.len();
        let words: Vec<usize> = (0..n).filter(|&e| self.word(candidate, e).is_some()).collect();
        let partner = |e: usize| {
            let other = |f: &&usize| **f != e && self.word(candidate, **f) == self.word(candidate, e);
            words.iter().find(other).copied()
        };
        let writes = |e: usize| candidate.events[e].action().is_some_and(Action::writes);
        let sees = |r: usize, w: usize| match writes(r) {
            true => total.has(w, r),
            false => candidate.source[r].is_some_and(|s| s == w || total.has(w, s)),
        };
        words.iter().filter(|&&w| writes(w)).any(|&w| {
            let location = |e: usize| candidate.events[e].action().and_then(Action::location);
            let others = words.iter().filter(|&&r| r != w && location(r) == location(w));
            others.into_iter().any(|&r| match (partner(w), partner(r)) {
                (Some(v), Some(q)) => sees(r, w) != sees(q, v),
                _ => false,
            })
        })
    }

    /// Returns an outcome of the original program.
    fn join(&self, halves: &Outcome) -> Outcome {
        let mut joined = Outcome::default();
        for (&(thread, index), &value) in &halves.reads {
            let k = self.origin[thread][index];
            let high = index > 0 && self.origin[thread][index - 1] == k;
            *joined.reads.entry((thread, k)).or_insert(0) |= if high { value << 16 } else { value };
        }
        for (&location, &value) in &halves.memory {
            let high = location % 2 != 0 && self.halved.contains(&(location / 2));
            *joined.memory.entry(location / 2).or_insert(0) |= if high { value << 16 } else { value };
        }
        joined
    }
}

/// Returns the outcomes of all consistent executions; `None` if accesses of different sizes race in one.
pub fn outcomes(program: &Program) -> Option<BTreeSet<Outcome>> {
    let split = split(program);
    let (mut all, mut races) = (BTreeSet::new(), false);
    candidates(&split.program, &mut |candidate| {
        let strong = morally_strong(candidate, split.program.has_cluster());
        let reads = reads(candidate);
        fence_orders(candidate, &strong, &mut |causality| {
            coherence_orders(candidate, &mut |total| {
                if !is_consistent(candidate, &strong, causality, total) || split.tears(candidate, total) {
                    return;
                }
                let size = |(thread, index): (usize, usize)| split.program.threads[thread].code[index].size;
                races |=
                    racing(candidate, &strong, causality).iter().any(|race| size(race.0) != size(race.1));
                let halves = Outcome { reads: reads.clone(), memory: memory(candidate, total) };
                all.insert(split.join(&halves));
            });
        });
    });
    (!races).then_some(all)
}

/// Returns tests in which no accesses of different sizes race, with their names: each sequence of two writes,
/// handed over by a flag to each sequence of two reads; and two words that race.
pub fn all() -> Vec<(String, Program)> {
    use Size::{High, Low, Word};
    let sizes = [Word, Low, High];
    let pairs = || sizes.into_iter().flat_map(move |a| sizes.map(|b| [a, b]));
    let mut all = Vec::new();
    for writes in pairs() {
        for reads in pairs() {
            for strength in [Strength::Weak, Strength::Strong(Sem::Relaxed, Scope::Gpu)] {
                let name = |shape: &str| format!("{shape} writes {writes:?} reads {reads:?} {strength}");
                all.push((name("one"), alone(writes, reads, strength)));
                all.push((name("MP"), message(&writes, &reads, strength)));
                all.push((name("2 words"), message(&[Word], &reads, strength)));
                let racing = words(reads, strength);
                all.push((name("racing words"), racing));
            }
        }
    }
    all
}

const X: Location = 0;

fn sized(action: Action, size: Size) -> Instruction {
    Instruction { size, ..action.into() }
}

/// Returns a write whose value differs from others in both halves.
fn write(number: u32, size: Size, strength: Strength) -> Instruction {
    let value = if size == Size::Word { 0x1_0001 * number } else { number };
    sized(Action::Write { to: X, value, strength }, size)
}

fn read(to: u8, size: Size, strength: Strength) -> Instruction {
    sized(Action::Read { to, from: X, strength }, size)
}

fn program(codes: Vec<Vec<Instruction>>) -> Program {
    let place = |block| Place { gpu: 0, block, warp: 0 };
    let thread = |(n, code)| Thread { place: place(n as u8), code };
    Program { threads: codes.into_iter().enumerate().map(thread).collect() }
}

fn alone(writes: [Size; 2], reads: [Size; 2], strength: Strength) -> Program {
    let [a, b] = writes;
    let [c, d] = reads;
    let code = vec![write(1, a, strength), read(0, c, strength), write(2, b, strength), read(1, d, strength)];
    program(vec![code])
}

fn signal(to: Location) -> Instruction {
    Action::Write { to, value: 1, strength: Strength::Strong(Sem::Release, Scope::Gpu) }.into()
}

fn wait(to: u8, from: Location) -> Instruction {
    Action::Read { to, from, strength: Strength::Strong(Sem::Acquire, Scope::Gpu) }.into()
}

fn message(writes: &[Size], reads: &[Size], strength: Strength) -> Program {
    let mut first: Vec<_> = writes.iter().zip(1..).map(|(&size, n)| write(n, size, strength)).collect();
    first.push(signal(1));
    let mut second = vec![wait(0, 1)];
    let guarded = |(&size, n)| Instruction { guard: Some((0, 1)), ..read(n, size, strength) };
    second.extend(reads.iter().zip(1..).map(guarded));
    program(vec![first, second])
}

/// Two threads write the word without an order; a third one reads it behind both.
fn words(reads: [Size; 2], strength: Strength) -> Program {
    let writer = |n: u32| vec![write(n, Size::Word, strength), signal(n as u8)];
    let mut reader = vec![wait(0, 1), Instruction { guard: Some((0, 1)), ..wait(1, 2) }];
    let guarded = |(size, n)| Instruction { guard: Some((1, 1)), ..read(n, size, strength) };
    reader.extend(reads.into_iter().zip(2..).map(guarded));
    program(vec![writer(1), writer(2), reader])
}
