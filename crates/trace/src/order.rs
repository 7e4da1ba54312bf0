//! Computes which records wait for which, where the blocks of a kernel are dealt that see each other.
//!
//! Players play their own records in order. Two of different players are played in the order of the trace if
//! both touch the same line of global memory and one of them writes it. All else that orders blocks follows:
//! a thread learns of other threads only by reads.

use crate::batch::{Batch, Host, Lanes, Packed, Told};
use crate::encode::lanes;
use events::{Dim3, LaunchInfo, Space, TaskId, TaskInfo, TaskKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A line's bytes, as a power of two, and a word's: neighbours may take different locks.
const LINE: u32 = 6;
const WORD: u32 = 2;
const WORDS: usize = 1 << (LINE - WORD);
/// An access to more lines than that is taken to touch all of memory.
const MOST_LINES: u64 = 256;

/// `player` has to have played all of its own records before number `until`, before the record in this place.
#[derive(Clone, Copy, Debug)]
struct Wait {
    slot: u32,
    player: u32,
    until: u64,
}

/// The waits of a batch's players.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// The number of the batch's first record in the trace.
    first: u64,
    /// Waits by player, in the order of their records.
    of: Vec<Vec<Wait>>,
    /// Whether others may wait for records of this batch.
    awaited: bool,
}

/// The place of a line's numbers in [`Orderer::touched`].
#[derive(Clone, Copy, Debug)]
enum Line {
    Whole(usize),
    /// One player had to wait for another's record of the line: its words have numbers of their own since.
    Words(usize),
}

/// Goes through the batches of a trace in order.
#[derive(Debug)]
pub(crate) struct Orderer {
    players: usize,
    /// Kernels in flight whose blocks are dealt although they see each other.
    kernels: FxHashSet<TaskId>,
    lines: FxHashMap<u64, Line>,
    /// For each line, or each of its words, and each player: one more than the number of its last record that writes it, and of
    /// the last that reads it.
    touched: Vec<u64>,
    /// As `touched`, for all lines: the last record of a player, and the last that touched too many lines.
    last: Vec<u64>,
    wide: Vec<u64>,
    /// The record up to which each player has waited for each other player anyway.
    waited: Vec<u64>,
    /// The number of the next record.
    next: u64,
}

impl Orderer {
    pub(crate) fn new(players: usize) -> Self {
        Orderer {
            players,
            kernels: FxHashSet::default(),
            lines: FxHashMap::default(),
            touched: Vec::new(),
            last: vec![0; players],
            wide: vec![0; players],
            waited: vec![0; players * players],
            next: 0,
        }
    }

    pub(crate) fn order(&mut self, batch: &Batch) -> Waits {
        let first = self.next;
        self.next += batch.len() as u64;
        let begins = |host: &Host| matches!(host, Host::TaskStart(task) if sees_others(task));
        if self.kernels.is_empty() && !batch.hosts().iter().any(begins) {
            return Waits { first, ..Waits::default() };
        }
        let mut waits = Waits { first, of: vec![Vec::new(); self.players], awaited: true };
        let mut until = vec![0; self.players];
        for (slot, told) in batch.all().enumerate() {
            match told {
                Told::Host(Host::TaskStart(task)) if sees_others(task) => {
                    self.kernels.insert(task.id);
                }
                Told::Host(Host::TaskEnd(task)) => self.end(*task),
                Told::Access(packed)
                    if packed.space == Space::Global && self.kernels.contains(&packed.warp.task) =>
                {
                    let owner = batch.owner(packed.warp.block);
                    self.access(batch, &packed, owner, first + slot as u64 + 1, &mut until);
                    let waited = &mut self.waited[owner * self.players..][..self.players];
                    for (player, (until, waited)) in until.iter_mut().zip(waited).enumerate() {
                        if *until > *waited && player != owner {
                            *waited = *until;
                            let (slot, player) = (slot as u32, player as u32);
                            waits.of[owner].push(Wait { slot, player, until: *until });
                        }
                        *until = 0;
                    }
                }
                _ => {}
            }
        }
        waits
    }

    fn end(&mut self, task: TaskId) {
        if self.kernels.remove(&task) && self.kernels.is_empty() {
            self.lines.clear();
            self.touched.clear();
        }
    }

    /// Raises `until` to what the access has to wait for; `number` is one more than its record's.
    fn access(&mut self, batch: &Batch, packed: &Packed, owner: usize, number: u64, until: &mut [u64]) {
        let bytes = u64::from(packed.shape.size) * u64::from(packed.shape.elements.max(1));
        let writes = packed.shape.kind.writes();
        self.last[owner] = number;
        if bytes >> LINE > MOST_LINES {
            raise(until, &self.last);
            self.wide[owner] = number;
            return;
        }
        raise(until, &self.wide);
        // Words of one line, of neighbouring lanes together.
        let mut together = (0, 0);
        let mut each = |address: u64| {
            let (from, to) = (address >> WORD, address.saturating_add(bytes.max(1) - 1) >> WORD);
            for word in from..=to {
                let (line, bit) = (word >> (LINE - WORD), 1 << (word as usize % WORDS));
                if line != together.0 {
                    self.line(together, owner, writes, number, until);
                    together = (line, 0);
                }
                together.1 |= bit;
            }
        };
        match packed.lanes {
            Lanes::Even { base, stride } => {
                let first = packed.mask.trailing_zeros();
                for lane in lanes(packed.mask) {
                    each(base.wrapping_add(stride.wrapping_mul(lane as u64 - u64::from(first))));
                }
            }
            Lanes::Listed(at) => {
                let addresses = &batch.addresses[at as usize..];
                addresses[..packed.mask.count_ones() as usize].iter().for_each(|&address| each(address));
            }
        }
        self.line(together, owner, writes, number, until);
    }

    fn line(
        &mut self,
        (line, mut words): (u64, u16),
        owner: usize,
        writes: bool,
        number: u64,
        until: &mut [u64],
    ) {
        if words == 0 {
            return;
        }
        let (players, room) = (self.players, 2 * self.players);
        let touched = &mut self.touched;
        let of_line = self.lines.entry(line).or_insert_with(|| {
            touched.resize(touched.len() + room, 0);
            Line::Whole(touched.len() - room)
        });
        if let Line::Whole(at) = *of_line {
            let (written, read) = touched[at..at + room].split_at(players);
            let others = |numbers: &[u64]| (0..players).any(|player| player != owner && numbers[player] != 0);
            if others(written) || writes && others(read) {
                *of_line = Line::Words(touched.len());
                (0..WORDS).for_each(|_| touched.extend_from_within(at..at + room));
            }
        }
        let first = match *of_line {
            Line::Whole(at) => {
                words = 1;
                at
            }
            Line::Words(at) => at,
        };
        while words != 0 {
            let at = first + room * words.trailing_zeros() as usize;
            words &= words - 1;
            let (written, read) = touched[at..at + room].split_at_mut(players);
            raise(until, written);
            if writes {
                raise(until, read);
                written[owner] = number;
            } else {
                read[owner] = number;
            }
        }
    }
}

/// Atomics are compared with other blocks' accesses as they come, so that the number of their races is a
/// matter of order even if no thread uses their results.
fn sees_others(task: &TaskInfo) -> bool {
    let uses = |info: &LaunchInfo| info.uses.blocks_communicate || info.uses.atomics;
    is_dealt(task) && matches!(&task.kind, TaskKind::Launch(info) if uses(info))
}

fn raise(these: &mut [u64], to: &[u64]) {
    these.iter_mut().zip(to).for_each(|(this, to)| *this = (*this).max(*to));
}

impl Waits {
    /// Waits until `player` may play the record in this place of the batch. `done` counts those of its waits
    /// that are over, from 0 in each batch.
    pub(crate) fn before(&self, player: usize, slot: u32, done: &mut usize, progress: &Progress) {
        while let Some(wait) = self.of.get(player).and_then(|of| of.get(*done)).filter(|w| w.slot == slot) {
            progress.wait(wait.player as usize, wait.until);
            *done += 1;
        }
    }

    pub(crate) fn told(&self, player: usize, slot: u32, progress: &Progress) {
        if self.awaited {
            progress.reached(player, self.first + u64::from(slot) + 1);
        }
    }
}

/// Progress of each player: one more than the number of the last record that it played.
#[derive(Debug)]
pub(crate) struct Progress(Vec<Apart>);

/// In a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart(AtomicU64);

impl Progress {
    pub(crate) fn new(players: usize) -> Self {
        Progress((0..players).map(|_| Apart::default()).collect())
    }

    fn reached(&self, player: usize, number: u64) {
        self.0[player].0.store(number, Ordering::Release);
    }

    /// The player plays no more records.
    pub(crate) fn gone(&self, player: usize) {
        self.reached(player, u64::MAX);
    }

    fn wait(&self, player: usize, until: u64) {
        let mut tries = 0u32;
        while self.0[player].0.load(Ordering::Acquire) < until {
            tries += 1;
            match tries {
                0..200 => std::hint::spin_loop(),
                200..400 => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(20)),
            }
        }
    }
}

/// Returns whether the task is a kernel whose blocks are dealt.
pub(crate) fn is_dealt(task: &TaskInfo) -> bool {
    matches!(&task.kind, TaskKind::Launch(info) if !info.cooperative && info.cluster == Dim3::ONE)
}
