//! Random programs: right pipelines, most of them with a mistake or two, and instructions at random.

mod mistakes;

use super::accesses::shared;
use super::program::{Object, Op, Program, Range, Thread};
use crate::random::Rng;
use events::sync::ProxySpace;
use events::{Scope, Sem, Space};

/// Draws a program.
pub fn program(seed: u64) -> Program {
    let mut draw = Draw::new(seed);
    match draw.below(5) {
        0 => draw.soup(),
        _ => {
            draw.prelude_and_body();
            for _ in 0..draw.below(4) {
                draw.mistake();
            }
        }
    }
    if draw.below(3) == 0 {
        draw.widen();
    }
    draw.program
}

/// Bytes of a stage, and where stages begin in shared and in global memory.
const CELL: u64 = 16;
const SHARED: u64 = 64;
const GLOBAL: u64 = 0x1000;

struct Draw {
    rng: Rng,
    program: Program,
    blocks: u32,
    /// The number of objects in each block.
    objects: u64,
    flags: u64,
    /// The instructions that initialise objects, which come first.
    inits: Vec<(usize, Op)>,
}

impl Draw {
    fn new(seed: u64) -> Draw {
        let mut rng = Rng(seed ^ 0xA51C);
        let blocks = 1 + rng.below(2) as u32;
        let each = match blocks {
            1 => 2 + rng.below(2),
            _ => 1 + rng.below(2),
        };
        let narrow = rng.below(4) == 0;
        let thread = |block: u32, nth: u64| {
            let warp = if narrow { 0 } else { nth as u16 };
            Thread { block, warp, code: Vec::new(), follows: None }
        };
        let threads = (0..blocks).flat_map(|block| (0..each).map(move |nth| thread(block, nth))).collect();
        Draw { rng, program: Program { threads }, blocks, objects: 0, flags: 0, inits: Vec::new() }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    fn thread(&mut self) -> usize {
        self.below(self.program.threads.len() as u64) as usize
    }

    fn push(&mut self, thread: usize, op: Op) {
        self.program.threads[thread].code.push(op);
    }

    fn block(&self, thread: usize) -> u32 {
        self.program.threads[thread].block
    }

    fn threads_of(&self, block: u32) -> Vec<usize> {
        (0..self.program.threads.len()).filter(|&t| self.block(t) == block).collect()
    }

    /// All threads meet.
    fn meet(&mut self) {
        for t in 0..self.program.threads.len() {
            if self.blocks == 1 {
                self.push(t, Op::Barrier);
            } else {
                self.push(t, Op::ClusterArrive);
                self.push(t, Op::ClusterWait);
            }
        }
    }

    fn cell(&mut self, space: Space) -> Range {
        let first = if space == Space::Global { GLOBAL } else { SHARED };
        Range { space, start: first + CELL * self.below(3), bytes: CELL }
    }

    /// Returns a part of a cell, as threads access it.
    fn part(&mut self, cell: Range) -> Range {
        let bytes = self.pick(&[4, 4, 8, 16]).min(cell.bytes);
        Range { start: cell.start + self.below(cell.bytes / bytes) * bytes, bytes, ..cell }
    }

    /// Returns a new object of a block, which a thread of the block initialises.
    fn object(&mut self, block: u32, count: u32) -> Object {
        let object = Object { block, number: self.objects };
        self.objects += 1;
        self.init(object, count);
        object
    }

    fn init(&mut self, object: Object, count: u32) {
        let by = self.threads_of(object.block)[0];
        self.inits.push((by, Op::Init { object, count }));
    }

    fn prelude_and_body(&mut self) {
        for segment in 0..1 + self.below(2) {
            if segment > 0 {
                self.meet();
            }
            match self.below(8) {
                0 | 1 => self.ring(),
                2 => self.copies(),
                3 => self.stores(),
                4 => self.products(),
                5 => self.flagged(),
                6 if self.blocks > 1 => self.multicast(),
                6 => self.arrived_copies(),
                _ => self.remote(),
            }
        }
        if !self.inits.is_empty() {
            let bodies: Vec<Vec<Op>> =
                self.program.threads.iter_mut().map(|thread| std::mem::take(&mut thread.code)).collect();
            for (t, op) in std::mem::take(&mut self.inits) {
                self.push(t, op);
            }
            self.meet();
            for (thread, body) in self.program.threads.iter_mut().zip(bodies) {
                thread.code.extend(body);
            }
        }
        if self.below(4) == 0 && self.objects > 0 {
            let meets = self.below(2) == 0;
            if meets {
                self.meet();
            }
            let t = self.thread();
            let object = Object { block: self.block(t), number: self.below(self.objects) };
            self.push(t, Op::Inval { object });
            let again = if self.below(2) == 0 {
                Op::Access { at: self.part(Range { bytes: 8, ..object.range() }), writes: true }
            } else {
                Op::Init { object, count: 1 }
            };
            self.push(t, again);
        }
    }

    /// A thread fills stages, the others of its block consume them.
    fn ring(&mut self) {
        let producer = self.thread();
        let block = self.block(producer);
        let consumers: Vec<usize> = self.threads_of(block).into_iter().filter(|&t| t != producer).collect();
        if consumers.is_empty() {
            return self.copies();
        }
        let stages = 1 + self.below(2);
        let (copies, products, fences_behind_wait) =
            (self.below(3) == 0, self.below(3) == 0, self.below(2) == 0);
        let objects: Vec<(Object, Object)> = (0..stages)
            .map(|_| (self.object(block, 1), self.object(block, consumers.len() as u32)))
            .collect();
        let fence = Op::ProxyFence { space: self.fence_space() };
        let (sem, scope) = (Sem::Release, Scope::Cta);
        for i in 0..stages + 1 + self.below(3) {
            let (full, empty) = objects[(i % stages) as usize];
            let round = i / stages;
            let to = Range { space: shared(block), start: SHARED + CELL * (i % stages), bytes: CELL };
            let from = self.cell(Space::Global);
            if round > 0 {
                self.push(producer, awaits(empty, round - 1));
                if fences_behind_wait && !copies {
                    self.push(producer, fence);
                }
            }
            if copies {
                self.push(producer, Op::Copy { from, to });
                self.push(producer, Op::ArriveCopies { object: full, noinc: true });
            } else {
                self.push(producer, Op::Arrive { object: full, bytes: CELL, sem, scope });
                self.push(producer, Op::Bulk { from, to, signals: Some(full), reduces: false });
            }
            for &consumer in &consumers {
                self.push(consumer, awaits(full, round));
                if products {
                    if copies {
                        self.push(consumer, Op::ProxyFence { space: None });
                    }
                    self.push(consumer, Op::Product { reads: to });
                    self.push(consumer, Op::ProductCommit);
                    self.push(consumer, Op::ProductWait { keep: 0 });
                } else {
                    let at = self.part(to);
                    self.push(consumer, Op::Access { at, writes: false });
                    if !fences_behind_wait && !copies {
                        self.push(consumer, fence);
                    }
                }
                self.push(consumer, Op::Arrive { object: empty, bytes: 0, sem, scope });
            }
        }
    }

    fn fence_space(&mut self) -> Option<ProxySpace> {
        self.pick(&[None, Some(ProxySpace::SharedCta)])
    }

    /// Each thread copies in groups, and reads what others have copied.
    fn copies(&mut self) {
        let keep = self.below(2) as usize;
        for t in 0..self.program.threads.len() {
            let space = shared(self.block(t));
            for start in [SHARED, SHARED + 8].into_iter().take(1 + keep) {
                let start = start + CELL * self.program.threads[..t].len() as u64 % 48;
                let from = self.cell(Space::Global);
                let to = Range { space, start, bytes: 8 };
                self.push(t, Op::Copy { from: Range { bytes: 8, ..from }, to });
                self.push(t, Op::Commit);
            }
            self.push(t, Op::Wait { keep });
        }
        self.meet();
        for t in 0..self.program.threads.len() {
            let start = SHARED + CELL * self.below(3);
            let at = Range { space: shared(self.block(t)), start, bytes: 8 };
            self.push(t, Op::Access { at, writes: false });
        }
    }

    /// Threads write a stage, one of them stores it, and they write it again.
    fn stores(&mut self) {
        let (block, reads, reduces) = (0, self.below(2) == 0, self.below(3) == 0);
        let threads = self.threads_of(block);
        let from = self.cell(shared(block));
        let fence = Op::ProxyFence { space: self.fence_space() };
        for _ in 0..1 + self.below(2) {
            let to = self.cell(Space::Global);
            for (nth, &t) in threads.iter().enumerate() {
                let at = Range { start: from.start + 4 * nth as u64, bytes: 4, ..from };
                self.push(t, Op::Access { at, writes: true });
                self.push(t, fence);
                self.push(t, Op::Barrier);
            }
            self.push(threads[0], Op::Bulk { from, to, signals: None, reduces });
            self.push(threads[0], Op::BulkCommit);
            self.push(threads[0], Op::BulkWait { keep: 0, reads });
            threads.iter().for_each(|&t| self.push(t, Op::Barrier));
        }
    }

    /// Threads write a tile, multiply it, and write it again.
    fn products(&mut self) {
        let block = self.below(self.blocks.into()) as u32;
        let threads = self.threads_of(block);
        let tile = self.cell(shared(block));
        let fence = Op::ProxyFence { space: self.fence_space() };
        let keep = self.below(2) as usize;
        for (nth, &t) in threads.iter().enumerate() {
            let at = Range { start: tile.start + 4 * nth as u64, bytes: 4, ..tile };
            self.push(t, Op::Access { at, writes: true });
            self.push(t, fence);
            self.push(t, Op::Barrier);
            for _ in 0..1 + keep {
                self.push(t, Op::Product { reads: tile });
                self.push(t, Op::ProductCommit);
            }
            self.push(t, Op::ProductWait { keep: 0 });
            self.push(t, Op::Barrier);
            self.push(t, Op::Access { at, writes: true });
        }
    }

    /// A thread stores in bulk and sets a flag; another one reads the result, or loads it in bulk.
    fn flagged(&mut self) {
        let (a, b) = (self.thread(), self.thread());
        let (from, to) = (self.cell(shared(self.block(a))), self.cell(Space::Global));
        let (number, generic) = (self.flags, self.below(2) == 0);
        self.flags += 1;
        let scope = Scope::Gpu;
        if generic {
            let at = self.part(to);
            self.push(a, Op::Access { at, writes: true });
            self.push(a, Op::ProxyFence { space: None });
        } else {
            self.push(a, Op::Bulk { from, to, signals: None, reduces: false });
            self.push(a, Op::BulkCommit);
            self.push(a, Op::BulkWait { keep: 0, reads: false });
        }
        self.push(a, Op::Flag { number, writes: true, sem: Sem::Release, scope });
        self.push(b, Op::Flag { number, writes: false, sem: Sem::Acquire, scope });
        if self.below(2) == 0 {
            let at = self.part(to);
            self.push(b, Op::Access { at, writes: false });
        } else {
            let object = self.object(self.block(b), 1);
            let cell = self.cell(shared(self.block(b)));
            let (sem, scope) = (Sem::Release, Scope::Cta);
            self.push(b, Op::Bulk { from: to, to: cell, signals: Some(object), reduces: false });
            self.push(b, Op::Arrive { object, bytes: CELL, sem, scope });
            self.push(b, awaits(object, 0));
        }
    }

    /// The first block's thread fills a stage of both blocks, whose threads release it to the first one.
    fn multicast(&mut self) {
        let number = self.objects;
        let all = self.program.threads.len();
        self.objects += 1;
        for block in 0..self.blocks {
            self.init(Object { block, number }, 1);
        }
        let empty = self.object(0, all as u32);
        let to = self.cell(shared(0));
        let rounds = 1 + self.below(2);
        for round in 0..rounds {
            let from = self.cell(Space::Global);
            if round > 0 {
                self.push(
                    0,
                    Op::Await { object: empty, parity: 0, sem: Sem::Acquire, scope: Scope::Cluster },
                );
            }
            for block in 0..self.blocks {
                let (first, object) = (self.threads_of(block)[0], Object { block, number });
                let (sem, scope) = (Sem::Release, Scope::Cta);
                self.push(first, Op::Arrive { object, bytes: CELL, sem, scope });
            }
            self.push(0, Op::Multicast { from, to, object: number, blocks: self.blocks });
            for t in 0..all {
                let block = self.block(t);
                self.push(t, awaits(Object { block, number }, round));
                let at = self.part(Range { space: shared(block), ..to });
                self.push(t, Op::Access { at, writes: false });
                self.push(t, Op::ProxyFence { space: None });
                let (sem, scope) = (Sem::Release, Scope::Cluster);
                self.push(t, Op::Arrive { object: empty, bytes: 0, sem, scope });
            }
        }
    }

    /// Threads copy, and meet at an object.
    fn arrived_copies(&mut self) {
        let block = self.below(self.blocks.into()) as u32;
        let threads = self.threads_of(block);
        let noinc = self.below(2) == 0;
        let each = if noinc { 2 } else { 1 };
        let object = self.object(block, each * threads.len() as u32);
        for (nth, &t) in threads.iter().enumerate() {
            let from = self.cell(Space::Global);
            let to = Range { space: shared(block), start: SHARED + CELL * nth as u64, bytes: CELL };
            self.push(t, Op::Copy { from, to });
            self.push(t, Op::ArriveCopies { object, noinc });
            self.push(t, Op::Arrive { object, bytes: 0, sem: Sem::Release, scope: Scope::Cta });
            self.push(t, awaits(object, 0));
            let at = Range { start: SHARED + CELL * self.below(threads.len() as u64), ..to };
            self.push(t, Op::Access { at, writes: false });
        }
    }

    /// A thread stores to another block, asynchronously.
    fn remote(&mut self) {
        let block = self.blocks - 1;
        let (reader, writer) = (self.threads_of(block)[0], 0);
        let object = self.object(block, 1);
        let cell = self.cell(shared(block));
        let to = Range { bytes: 8, ..cell };
        let reduces = self.below(3) == 0;
        self.push(reader, Op::Arrive { object, bytes: 8, sem: Sem::Release, scope: Scope::Cta });
        self.push(writer, Op::Remote { to, object, reduces });
        self.push(reader, awaits(object, 0));
        let at = self.part(cell);
        self.push(reader, Op::Access { at, writes: false });
    }

    /// Draws each thread's instructions at random.
    fn soup(&mut self) {
        self.objects = 1 + self.below(2);
        for number in 0..self.objects {
            for block in 0..self.blocks {
                let count = 1 + self.below(2) as u32;
                self.init(Object { block, number }, count);
            }
        }
        for (t, op) in std::mem::take(&mut self.inits) {
            self.push(t, op);
        }
        if self.below(8) > 0 {
            self.meet();
        }
        for t in 0..self.program.threads.len() {
            for _ in 0..1 + self.below(7) {
                let op = self.any(t);
                self.push(t, op);
            }
        }
    }

    /// Replaces threads by several lanes of a warp, each of which accesses and copies bytes behind those of the one before.
    /// One lane executes the instructions of elected threads.
    fn widen(&mut self) {
        let lanes = 2 + self.below(3);
        let mut threads: Vec<Thread> = Vec::new();
        for thread in std::mem::take(&mut self.program.threads) {
            let leader = threads.len();
            let elects = thread.code.iter().any(|op| matches!(op, Op::ArriveCopies { .. }));
            let shared_warp = threads.iter().any(|t| (t.block, t.warp) == (thread.block, thread.warp));
            let count = if elects || shared_warp { 1 } else { lanes };
            for lane in 0..count {
                let code = thread.code.iter().map(|op| of_lane(*op, lane)).collect();
                let follows = (lane > 0).then_some(leader);
                threads.push(Thread { code, follows, ..thread.clone() });
            }
        }
        self.program.threads = threads;
    }
}

/// A wait for the end of a phase.
fn awaits(object: Object, phase: u64) -> Op {
    Op::Await { object, parity: phase % 2, sem: Sem::Acquire, scope: Scope::Cta }
}

/// Returns the instruction that a lane executes where the first one of its warp executes `op`.
fn of_lane(op: Op, lane: u64) -> Op {
    let shifted = |range: Range| Range { start: range.start + lane * range.bytes, ..range };
    let narrow = |range: Range| Range { bytes: range.bytes.min(8), ..range };
    match op {
        Op::Access { at, writes } => Op::Access { at: shifted(at), writes },
        Op::Copy { from, to } => Op::Copy { from: shifted(narrow(from)), to: shifted(narrow(to)) },
        Op::Commit
        | Op::Wait { .. }
        | Op::Fence { .. }
        | Op::ProxyFence { .. }
        | Op::Barrier
        | Op::ClusterArrive
        | Op::ClusterWait
        | Op::Await { .. } => op,
        _ if lane > 0 => Op::Skip,
        _ => op,
    }
}
