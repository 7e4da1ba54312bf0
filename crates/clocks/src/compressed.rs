//! Vector clocks over all threads of a launch, compressed along the thread hierarchy.
//!
//! The scheme is that of *Predictive Data Race Detection for GPUs* (§5.2): a clock is an
//! array of block clocks; a block clock is one number for all its threads or an array of
//! warp clocks; a warp clock is one number or one for each lane. Every operation compresses
//! what it touches again, and barriers force a block (or warp) to one number, since after
//! them its threads' times may be called equal.
//!
//! Beyond the paper, parts that clocks have in common are shared: a copy is a reference
//! count, an update copies the path to what it changes, and a join of two clocks one of which
//! knows more takes over the other's parts. That is what keeps a lock that hundreds of
//! thousands of threads take in turn affordable.
//!
//! [`Plain`] is the uncompressed clock, an array of numbers, for comparison.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The launch's extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub blocks: u32,
    pub threads_per_block: u32,
}

impl Shape {
    pub const fn warps(&self) -> u32 {
        self.threads_per_block.div_ceil(32)
    }

    /// Lanes that the warp has.
    pub const fn lanes(&self, warp: u16) -> u32 {
        let rest = self.threads_per_block.saturating_sub(warp as u32 * 32);
        if rest >= 32 { u32::MAX } else { (1 << rest) - 1 }
    }
}

/// A warp of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpIndex {
    pub block: u32,
    pub warp: u16,
}

/// Parts already counted by [`VectorClock::bytes`].
#[derive(Default)]
pub struct Seen(FxHashSet<usize>);

impl Seen {
    fn first<T: ?Sized>(&mut self, part: &Arc<T>) -> bool {
        self.0.insert(Arc::as_ptr(part).cast::<()>() as usize)
    }
}

/// A vector clock; a thread that it does not know has time 0.
pub trait VectorClock: Clone + Default + Send + 'static {
    /// The time of one thread.
    fn get(&self, at: WarpIndex, lane: u32) -> u32;

    /// Those of `lanes` whose time is before `time`.
    fn behind(&self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) -> u32;

    /// Lifts the times of `lanes` to at least `time`.
    fn raise(&mut self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32);

    /// Lifts the times of a whole block to at least `time`.
    fn raise_block(&mut self, shape: &Shape, block: u32, time: u32);

    /// Lifts every time to the other's.
    fn join(&mut self, shape: &Shape, other: &Self);

    /// Is no time after the other's?
    fn le(&self, other: &Self) -> bool {
        self.beyond(other).is_none()
    }

    /// Some thread whose time is after the other's, and that time.
    fn beyond(&self, other: &Self) -> Option<(WarpIndex, u32, u32)>;

    /// Bytes held, but for parts in `seen`.
    fn bytes(&self, seen: &mut Seen) -> u64;
}

/// Blocks of one chunk: the unit in which clocks share and copy.
const CHUNK: u32 = 16;

#[derive(Clone, Debug, PartialEq)]
enum Warp {
    Same(u32),
    Lanes(Arc<[u32; 32]>),
}

#[derive(Clone, Debug, PartialEq)]
enum Block {
    Same(u32),
    Warps(Arc<Vec<Warp>>),
}

type Chunk = [Block; CHUNK as usize];
type Chunks = Vec<(u32, Arc<Chunk>)>;

/// The compressed clock.
#[derive(Clone, Debug, Default)]
pub struct Compressed {
    /// Chunks by number, ascending; absent ones are all zero.
    chunks: Option<Arc<Chunks>>,
}

const ZERO: Block = Block::Same(0);

impl Warp {
    fn get(&self, lane: u32) -> u32 {
        match self {
            Warp::Same(time) => *time,
            Warp::Lanes(times) => times[lane as usize],
        }
    }

    fn behind(&self, lanes: u32, time: u32) -> u32 {
        match self {
            Warp::Same(own) => {
                if *own < time {
                    lanes
                } else {
                    0
                }
            }
            Warp::Lanes(times) => {
                let bits = (0..32).filter(|&lane| times[lane] < time);
                bits.fold(0, |mask, lane| mask | 1 << lane) & lanes
            }
        }
    }

    /// Lanes whose time is after the other's.
    fn beyond(&self, other: &Warp, live: u32) -> u32 {
        match (self, other) {
            (Warp::Same(own), other) => other.behind(live, *own),
            (Warp::Lanes(own), Warp::Lanes(theirs)) if Arc::ptr_eq(own, theirs) => 0,
            (Warp::Lanes(own), other) => {
                let bits = (0..32).filter(|&lane| own[lane as usize] > other.get(lane));
                bits.fold(0, |mask, lane| mask | 1 << lane) & live
            }
        }
    }

    /// `live` are the lanes that exist.
    fn raise(&mut self, lanes: u32, time: u32, live: u32) {
        let behind = self.behind(lanes & live, time);
        if behind == 0 {
            return;
        }
        if self.behind(live, time) == behind && self.uniform_above(time, live & !behind) {
            *self = Warp::Same(time);
            return;
        }
        let mut times = match self {
            Warp::Same(own) => Arc::new([*own; 32]),
            Warp::Lanes(times) => Arc::clone(times),
        };
        let slots = Arc::make_mut(&mut times);
        for (lane, slot) in slots.iter_mut().enumerate() {
            if behind >> lane & 1 != 0 {
                *slot = time;
            }
        }
        *self = Warp::Lanes(times);
    }

    /// Do all of `lanes` have exactly `time`?
    fn uniform_above(&self, time: u32, lanes: u32) -> bool {
        self.behind(lanes, time) == 0 && self.behind(lanes, time.saturating_add(1)) == lanes
    }

    fn join(&mut self, other: &Warp, live: u32) {
        if other.beyond(self, live) == 0 {
            return;
        }
        if self.beyond(other, live) == 0 {
            *self = other.clone();
            return;
        }
        let joined: [u32; 32] = std::array::from_fn(|lane| self.get(lane as u32).max(other.get(lane as u32)));
        *self = pack(joined, live);
    }
}

fn pack(times: [u32; 32], live: u32) -> Warp {
    let first = times[live.trailing_zeros().min(31) as usize];
    let same = (0..32).all(|lane| live >> lane & 1 == 0 || times[lane] == first);
    if same { Warp::Same(first) } else { Warp::Lanes(Arc::new(times)) }
}

impl Block {
    fn warp(&self, warp: u16) -> Warp {
        match self {
            Block::Same(time) => Warp::Same(*time),
            Block::Warps(warps) => warps.get(usize::from(warp)).cloned().unwrap_or(Warp::Same(0)),
        }
    }

    fn same_part(&self, other: &Block) -> bool {
        match (self, other) {
            (Block::Same(a), Block::Same(b)) => a == b,
            (Block::Warps(a), Block::Warps(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn edit(&mut self, shape: &Shape, edit: impl FnOnce(&mut Vec<Warp>)) {
        let mut warps = match self {
            Block::Same(time) => Arc::new(vec![Warp::Same(*time); shape.warps() as usize]),
            Block::Warps(warps) => {
                let taken = std::mem::take(warps);
                *self = ZERO;
                taken
            }
        };
        edit(Arc::make_mut(&mut warps));
        *self = match warps.first() {
            // Re-compression: one number for the block, if it is one.
            Some(Warp::Same(time)) if warps.iter().all(|w| *w == Warp::Same(*time)) => Block::Same(*time),
            _ => Block::Warps(warps),
        };
    }

    /// A lane whose time is after the other's.
    fn beyond(&self, other: &Block, shape: Option<&Shape>) -> Option<(u16, u32, u32)> {
        if self.same_part(other) {
            return None;
        }
        if let (Block::Same(own), Block::Same(theirs)) = (self, other) {
            return (own > theirs).then_some((0, 0, *own));
        }
        let count = |b: &Block| if let Block::Warps(w) = b { w.len() } else { 0 };
        for warp in 0..count(self).max(count(other)) as u16 {
            let live = shape.map_or(u32::MAX, |s| s.lanes(warp));
            let own = self.warp(warp);
            let lanes = own.beyond(&other.warp(warp), live);
            if lanes != 0 {
                let lane = lanes.trailing_zeros();
                return Some((warp, lane, own.get(lane)));
            }
        }
        None
    }

    fn join(&mut self, shape: &Shape, other: &Block) {
        if other.beyond(self, Some(shape)).is_none() {
            return;
        }
        if self.beyond(other, Some(shape)).is_none() {
            *self = other.clone();
            return;
        }
        self.edit(shape, |warps| {
            for (at, warp) in warps.iter_mut().enumerate() {
                warp.join(&other.warp(at as u16), shape.lanes(at as u16));
            }
        });
    }
}

impl Compressed {
    fn block(&self, block: u32) -> &Block {
        let Some(chunks) = &self.chunks else { return &ZERO };
        match chunks.binary_search_by_key(&(block / CHUNK), |c| c.0) {
            Ok(at) => &chunks[at].1[(block % CHUNK) as usize],
            Err(_) => &ZERO,
        }
    }

    fn block_mut(&mut self, block: u32) -> &mut Block {
        let chunks = Arc::make_mut(self.chunks.get_or_insert_default());
        let at = match chunks.binary_search_by_key(&(block / CHUNK), |c| c.0) {
            Ok(at) => at,
            Err(at) => {
                chunks.insert(at, (block / CHUNK, Arc::new([const { ZERO }; CHUNK as usize])));
                at
            }
        };
        &mut Arc::make_mut(&mut chunks[at].1)[(block % CHUNK) as usize]
    }

    fn list(&self) -> &[(u32, Arc<Chunk>)] {
        self.chunks.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Numbers stored, for tests of the compression.
    pub fn numbers(&self) -> usize {
        let warp = |w: &Warp| if let Warp::Lanes(_) = w { 32 } else { 1 };
        let block = |b: &Block| match b {
            Block::Same(0) => 0,
            Block::Same(_) => 1,
            Block::Warps(warps) => warps.iter().map(warp).sum(),
        };
        self.list().iter().flat_map(|(_, chunk)| chunk.iter()).map(block).sum()
    }
}

fn chunk_beyond(a: &Arc<Chunk>, b: &Arc<Chunk>) -> Option<(u32, u16, u32, u32)> {
    if Arc::ptr_eq(a, b) {
        return None;
    }
    (0..).zip(a.iter().zip(b.iter())).find_map(|(at, (own, theirs))| {
        own.beyond(theirs, None).map(|(warp, lane, time)| (at, warp, lane, time))
    })
}

impl VectorClock for Compressed {
    fn get(&self, at: WarpIndex, lane: u32) -> u32 {
        match self.block(at.block) {
            Block::Same(time) => *time,
            Block::Warps(warps) => warps.get(usize::from(at.warp)).map_or(0, |w| w.get(lane)),
        }
    }

    fn behind(&self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) -> u32 {
        match self.block(at.block) {
            Block::Same(own) => {
                if *own < time {
                    lanes
                } else {
                    0
                }
            }
            block => block.warp(at.warp).behind(lanes & shape.lanes(at.warp), time),
        }
    }

    fn raise(&mut self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) {
        if self.behind(shape, at, lanes, time) == 0 {
            return;
        }
        self.block_mut(at.block).edit(shape, |warps| {
            if let Some(warp) = warps.get_mut(usize::from(at.warp)) {
                warp.raise(lanes, time, shape.lanes(at.warp));
            }
        });
    }

    fn raise_block(&mut self, shape: &Shape, block: u32, time: u32) {
        if time != 0 {
            self.block_mut(block).join(shape, &Block::Same(time));
        }
    }

    fn join(&mut self, shape: &Shape, other: &Self) {
        let Some(theirs) = &other.chunks else { return };
        let Some(own) = &self.chunks else {
            self.chunks = Some(Arc::clone(theirs));
            return;
        };
        if Arc::ptr_eq(own, theirs) || other.le(self) {
            return;
        }
        if self.le(other) {
            self.chunks = Some(Arc::clone(theirs));
            return;
        }
        let chunks = Arc::make_mut(self.chunks.get_or_insert_default());
        for (number, chunk) in other.list() {
            match chunks.binary_search_by_key(number, |c| c.0) {
                Err(at) => chunks.insert(at, (*number, Arc::clone(chunk))),
                Ok(at) => {
                    let own = &mut chunks[at].1;
                    if chunk_beyond(own, chunk).is_none() {
                        *own = Arc::clone(chunk);
                    } else if chunk_beyond(chunk, own).is_some() {
                        for (own, theirs) in Arc::make_mut(own).iter_mut().zip(chunk.iter()) {
                            own.join(shape, theirs);
                        }
                    }
                }
            }
        }
    }

    fn beyond(&self, other: &Self) -> Option<(WarpIndex, u32, u32)> {
        if let (Some(a), Some(b)) = (&self.chunks, &other.chunks)
            && Arc::ptr_eq(a, b)
        {
            return None;
        }
        let mut rest = other.list();
        for (number, chunk) in self.list() {
            while let [(n, _), more @ ..] = rest
                && n < number
            {
                rest = more;
            }
            let beyond = match rest.first() {
                Some((n, theirs)) if n == number => chunk_beyond(chunk, theirs),
                _ => (0..).zip(chunk.iter()).find_map(|(at, own)| {
                    own.beyond(&ZERO, None).map(|(warp, lane, time)| (at, warp, lane, time))
                }),
            };
            if let Some((at, warp, lane, time)) = beyond {
                return Some((WarpIndex { block: number * CHUNK + at, warp }, lane, time));
            }
        }
        None
    }

    fn bytes(&self, seen: &mut Seen) -> u64 {
        let mut bytes = size_of::<Self>();
        let Some(chunks) = &self.chunks else { return bytes as u64 };
        if !seen.first(chunks) {
            return bytes as u64;
        }
        bytes += chunks.capacity() * size_of::<(u32, Arc<Chunk>)>();
        for (_, chunk) in chunks.iter() {
            if !seen.first(chunk) {
                continue;
            }
            bytes += size_of::<Chunk>();
            for block in chunk.iter() {
                let Block::Warps(warps) = block else { continue };
                if !seen.first(warps) {
                    continue;
                }
                bytes += warps.capacity() * size_of::<Warp>();
                for warp in warps.iter() {
                    if let Warp::Lanes(times) = warp
                        && seen.first(times)
                    {
                        bytes += size_of::<[u32; 32]>();
                    }
                }
            }
        }
        bytes as u64
    }
}

/// The uncompressed clock: a number for every thread of the launch.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    times: Vec<u32>,
    /// Set with the first time; all clocks of a launch agree on it.
    threads_per_block: u32,
}

impl Plain {
    fn index(&self, at: WarpIndex, lane: u32) -> usize {
        at.block as usize * self.threads_per_block as usize + usize::from(at.warp) * 32 + lane as usize
    }

    fn grow(&mut self, shape: &Shape) {
        self.threads_per_block = shape.threads_per_block;
        self.times.resize(shape.blocks as usize * shape.threads_per_block as usize, 0);
    }
}

impl VectorClock for Plain {
    fn get(&self, at: WarpIndex, lane: u32) -> u32 {
        self.times.get(self.index(at, lane)).copied().unwrap_or(0)
    }

    fn behind(&self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) -> u32 {
        let lanes = lanes & shape.lanes(at.warp);
        let bits = (0..32).filter(|&lane| lanes >> lane & 1 != 0 && self.get(at, lane) < time);
        bits.fold(0, |mask, lane| mask | 1 << lane)
    }

    fn raise(&mut self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) {
        self.grow(shape);
        let behind = self.behind(shape, at, lanes, time);
        for lane in (0..32).filter(|lane| behind >> lane & 1 != 0) {
            let index = self.index(at, lane);
            if let Some(own) = self.times.get_mut(index) {
                *own = time;
            }
        }
    }

    fn raise_block(&mut self, shape: &Shape, block: u32, time: u32) {
        for warp in 0..shape.warps() as u16 {
            self.raise(shape, WarpIndex { block, warp }, u32::MAX, time);
        }
    }

    fn join(&mut self, shape: &Shape, other: &Self) {
        if other.times.is_empty() {
            return;
        }
        self.grow(shape);
        for (own, theirs) in self.times.iter_mut().zip(&other.times) {
            *own = (*own).max(*theirs);
        }
    }

    fn beyond(&self, other: &Self) -> Option<(WarpIndex, u32, u32)> {
        let theirs = |at: usize| other.times.get(at).copied().unwrap_or(0);
        let at = (0..self.times.len()).find(|&at| self.times[at] > theirs(at))?;
        let (block, thread) = (at as u32 / self.threads_per_block, at as u32 % self.threads_per_block);
        Some((WarpIndex { block, warp: (thread / 32) as u16 }, thread % 32, self.times[at]))
    }

    fn bytes(&self, _: &mut Seen) -> u64 {
        (size_of::<Self>() + self.times.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { blocks: 40, threads_per_block: 80 };

    fn at(block: u32, warp: u16) -> WarpIndex {
        WarpIndex { block, warp }
    }

    /// Does the same to both kinds of clock, and compares everything that can be asked.
    #[derive(Clone, Default)]
    struct Both(Compressed, Plain);

    impl Both {
        fn raise(&mut self, w: WarpIndex, lanes: u32, time: u32) {
            self.0.raise(&SHAPE, w, lanes, time);
            self.1.raise(&SHAPE, w, lanes, time);
        }

        fn check(&self) {
            for block in 0..SHAPE.blocks {
                for thread in 0..SHAPE.threads_per_block {
                    let (w, lane) = (at(block, (thread / 32) as u16), thread % 32);
                    assert_eq!(self.0.get(w, lane), self.1.get(w, lane), "{w:?} {lane}");
                }
            }
        }
    }

    fn random(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as u32
    }

    #[test]
    fn compressed_and_plain_agree_on_random_histories() {
        let mut seed = 7;
        for _ in 0..60 {
            let mut clocks = vec![Both::default(); 4];
            for _ in 0..60 {
                let (who, other) = (random(&mut seed) as usize % 4, random(&mut seed) as usize % 4);
                let w = at(random(&mut seed) % SHAPE.blocks, (random(&mut seed) % 3) as u16);
                let time = random(&mut seed) % 6;
                match random(&mut seed) % 4 {
                    0 => {
                        let theirs = clocks[other].clone();
                        clocks[who].0.join(&SHAPE, &theirs.0);
                        clocks[who].1.join(&SHAPE, &theirs.1);
                    }
                    1 => clocks[who].raise(w, random(&mut seed), time),
                    2 => clocks[who].raise(w, u32::MAX, time),
                    _ => {
                        clocks[who].0.raise_block(&SHAPE, w.block, time);
                        clocks[who].1.raise_block(&SHAPE, w.block, time);
                    }
                }
                clocks[who].check();
                let (a, b) = (&clocks[who], &clocks[other]);
                assert_eq!(a.0.le(&b.0), a.1.le(&b.1));
                let lanes = random(&mut seed);
                assert_eq!(
                    a.0.behind(&SHAPE, w, lanes, time) & SHAPE.lanes(w.warp),
                    a.1.behind(&SHAPE, w, lanes, time)
                );
                if let Some((w, lane, time)) = a.0.beyond(&b.0) {
                    assert_eq!(a.1.get(w, lane), time);
                    assert!(b.1.get(w, lane) < time);
                }
            }
        }
    }

    #[test]
    fn equal_lanes_and_equal_warps_are_one_number() {
        let mut clock = Compressed::default();
        for lane in 0..32 {
            clock.raise(&SHAPE, at(3, 0), 1 << lane, 5);
        }
        assert_eq!(clock.numbers(), 3, "a warp of one number, two of zero");
        clock.raise(&SHAPE, at(3, 1), u32::MAX, 5);
        // The third warp has sixteen lanes only.
        clock.raise(&SHAPE, at(3, 2), 0xffff, 5);
        assert_eq!(clock.numbers(), 1);
        clock.raise(&SHAPE, at(3, 2), 1, 6);
        assert_eq!(clock.numbers(), 34);
    }

    #[test]
    fn a_join_can_compress() {
        let (mut a, mut b) = (Compressed::default(), Compressed::default());
        a.raise(&SHAPE, at(0, 0), 0x0000_ffff, 2);
        b.raise(&SHAPE, at(0, 0), 0xffff_0000, 2);
        a.join(&SHAPE, &b);
        assert_eq!(a.get(at(0, 0), 31), 2);
        assert_eq!(a.numbers(), 3);
    }

    #[test]
    fn a_clock_that_learns_little_shares_the_rest() {
        let mut first = Compressed::default();
        for block in 0..SHAPE.blocks {
            first.raise(&SHAPE, at(block, 0), 1, block + 1);
        }
        let mut second = first.clone();
        second.raise(&SHAPE, at(20, 1), 2, 9);
        let mut seen = Seen::default();
        let (whole, more) = (first.bytes(&mut seen), second.bytes(&mut seen));
        assert!(more * 4 < whole, "{more} of {whole}");
    }

    #[test]
    fn compression_saves_three_quarters_at_4096_blocks() {
        let shape = Shape { blocks: 4096, threads_per_block: 256 };
        // What barriers leave, and one warp of each block that took a lock since (Fig. 6).
        let (mut compressed, mut plain) = (Compressed::default(), Plain::default());
        for block in 0..shape.blocks {
            compressed.raise_block(&shape, block, 3);
            compressed.raise(&shape, at(block, 5), u32::MAX, 4);
            plain.raise(&shape, at(block, 5), 1, 4);
        }
        let (small, large) = (compressed.bytes(&mut Seen::default()), plain.bytes(&mut Seen::default()));
        assert!(small * 4 <= large, "{small} of {large}");
    }
}
