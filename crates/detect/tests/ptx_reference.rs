//! The detector against a slow one that is easy to believe: full vector clocks for every
//! thread, every access of every byte kept. For what the oracle's litmus programs lack: whole
//! warps, masks, barriers of all kinds, mixed sizes, vectors, counters that all blocks add to.
//!
//! Every event has a site of its own. The detector may report no pair that the reference does not
//! have, and must report at least one pair for every access that races with an earlier one.
//!
//! **Size:** the generator and the slow detector are one argument, and have to be believed together.

use crate::script;

use events::task::{HostCall, SyncUse};
use events::{
    Access, AccessKind, AllocKind, Allocation, AtomicOp, BarrierId, Observer, Proxy, Scope, Sem, SiteId,
    Space, Strength, Tell,
};
use oracle::random::Rng;
use script::{Script, T, all_uses, launch};
use std::collections::{BTreeSet, HashMap};

const BLOCKS: u32 = 3;
const THREADS: u32 = 96;
const FLAGS: u64 = 0x10_0000;

fn index(t: T) -> usize {
    (t.0 * THREADS) as usize + usize::from(t.1)
}

/// How strong an access is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Weak,
    /// An atomic that returns nothing.
    Counter,
    /// A relaxed load, or an atomic that returns what it found: it observes.
    Observer,
    /// A relaxed store, of which others may observe what it left.
    Store,
    /// A weak read through the texture path: no order puts it behind a write of the launch.
    Fetch,
}

/// Of a word: the writes that who observes it observes, and whose the last one is if it was weak.
#[derive(Default)]
struct Chain {
    writes: Vec<(usize, u32)>,
    weak: Option<usize>,
    strong: bool,
    /// The site of the last one, if it was a store.
    stored: Option<u32>,
}

struct Touch {
    thread: usize,
    tick: u32,
    site: u32,
    write: bool,
    /// First byte and size of a strong one.
    strong: Option<(u64, u64)>,
}

struct Reference {
    clocks: Vec<Vec<u32>>,
    bytes: HashMap<u64, Vec<Touch>>,
    flags: HashMap<u64, Vec<u32>>,
    chains: HashMap<u64, Chain>,
    /// By thread and tick of a write: those of its observers (PTX §8.9.2).
    observers: HashMap<(usize, u32), Vec<(usize, u32)>>,
    /// Earlier and later site.
    races: BTreeSet<(u32, u32)>,
}

fn join(into: &mut [u32], from: &[u32]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}

impl Reference {
    fn new() -> Self {
        let n = (BLOCKS * THREADS) as usize;
        let own = |t: usize| (0..n).map(|u| u32::from(t == u)).collect();
        Reference {
            clocks: (0..n).map(own).collect(),
            bytes: HashMap::new(),
            flags: HashMap::new(),
            chains: HashMap::new(),
            observers: HashMap::new(),
            races: BTreeSet::new(),
        }
    }

    fn access(&mut self, site: u32, threads: &[(T, u64)], bytes: u64, write: bool, how: How) {
        let mut new: Vec<(u64, Touch)> = Vec::new();
        for &(t, address) in threads {
            let thread = index(t);
            self.clocks[thread][thread] += 1;
            let tick = self.clocks[thread][thread];
            let strong = (!matches!(how, How::Weak | How::Fetch)).then_some((address, bytes));
            for byte in address..address + bytes {
                for old in self.bytes.get(&byte).into_iter().flatten() {
                    let both = strong.is_some() && old.strong == strong;
                    let conflict = (old.write || write) && old.thread != thread && !both;
                    let fetched = how == How::Fetch && old.write;
                    if fetched || conflict && !self.ordered(old, thread) {
                        self.races.insert((old.site, site));
                    }
                }
                let meets = |t: &Touch| t.thread != thread && !(strong.is_some() && t.strong == strong);
                if write && new.iter().any(|(b, t)| *b == byte && meets(t)) {
                    self.races.insert((site, site));
                }
                new.push((byte, Touch { thread, tick, site, write, strong }));
            }
            self.observe(address..address + bytes, (thread, tick, site), write, how);
        }
        for (byte, touch) in new {
            self.bytes.entry(byte).or_default().push(touch);
        }
    }

    /// Causality order (§8.9.5): base causality, or from an observer of the write on.
    fn ordered(&self, old: &Touch, thread: usize) -> bool {
        let known = |(by, tick): &(usize, u32)| *tick <= self.clocks[thread][*by];
        let observers = self.observers.get(&(old.thread, old.tick)).into_iter().flatten();
        known(&(old.thread, old.tick)) || observers.into_iter().any(known)
    }

    fn observe(
        &mut self,
        bytes: std::ops::Range<u64>,
        (thread, tick, site): (usize, u32, u32),
        write: bool,
        how: How,
    ) {
        let me = (thread, tick);
        for word in (bytes.start / 4 * 4..bytes.end).step_by(4) {
            let chain = self.chains.entry(word).or_default();
            let whole = bytes == (word..word + 4);
            if matches!(how, How::Weak | How::Fetch) {
                if write {
                    // No other thread observes a weak write morally strongly.
                    *chain = Chain::default();
                    if whole {
                        *chain = Chain { writes: vec![me], weak: Some(me.0), ..Chain::default() };
                    }
                }
                continue;
            }
            if !whole {
                // Nor one of another size.
                *chain = Chain::default();
                continue;
            }
            let linked = chain.strong || chain.weak == Some(me.0);
            if how == How::Observer && linked {
                for write in &chain.writes {
                    self.observers.entry(*write).or_default().push(me);
                }
            }
            if write {
                // A store reads nothing, and so goes on from nothing; those of one instruction are taken to be one.
                let stored = how == How::Store && chain.stored != Some(site);
                chain.stored = (how == How::Store).then_some(site);
                if !linked || stored {
                    chain.writes.clear();
                }
                chain.writes.push(me);
                (chain.weak, chain.strong) = (None, true);
            }
        }
    }

    fn meet(&mut self, threads: &[usize]) {
        let mut all = vec![0; self.clocks.len()];
        for &t in threads {
            join(&mut all, &self.clocks[t]);
        }
        for &t in threads {
            join(&mut self.clocks[t], &all);
            self.clocks[t][t] += 1;
        }
    }

    fn release(&mut self, t: T, flag: u64) {
        let t = index(t);
        self.flags.insert(flag, self.clocks[t].clone());
        self.clocks[t][t] += 1;
    }

    fn acquire(&mut self, t: T, flag: u64) {
        if let Some(clock) = self.flags.get(&flag) {
            join(&mut self.clocks[index(t)], clock);
        }
    }
}

fn lanes(rng: &mut Rng) -> u32 {
    match rng.below(6) {
        0..=2 => u32::MAX,
        3 => 0xffff << (16 * rng.below(2)),
        4 => 1 << rng.below(32),
        _ => (rng.draw() as u32) | 1,
    }
}

/// Places of 32 lanes, most of them different.
fn permutation(rng: &mut Rng) -> impl Iterator<Item = u64> {
    let (step, from, twice) = (1 + 2 * rng.below(64), rng.below(128), rng.below(8) == 0);
    (0..32).map(move |lane| (from + if twice { lane / 2 } else { lane } * step) % 128)
}

/// One random access of a warp.
fn access(
    rng: &mut Rng,
    site: u32,
    (blocks, writes, scattered, fetches): (u32, u64, bool, bool),
    s: &mut Script,
    reference: &mut Reference,
) {
    let (block, warp) = (rng.below(blocks.into()) as u32, rng.below(u64::from(THREADS) / 32) as u16);
    let mask = lanes(rng);
    let size = [1, 2, 4, 4, 4, 8, 16][rng.below(7) as usize];
    let elements = if size <= 4 { [1, 1, 1, 2, 4][rng.below(5) as usize] } else { 1 };
    let bytes = size * u64::from(elements);
    let align = |a: u64| a / bytes * bytes;
    let base = align(0x1000 + rng.below(8) * 64);
    let pattern = rng.below(7);
    let write = rng.below(100) < writes;
    let kind = if write { AccessKind::Write } else { AccessKind::Read };
    // A loop of one instruction along neighbouring addresses, all lanes the same or one lane only.
    let stride = 1 + rng.below(2);
    let steps = if pattern == 6 { 2 + rng.below(6) } else { 1 };
    let mask = if pattern == 6 && write { 1 << rng.below(32) } else { mask };
    let random: Vec<u64> = (0..32).map(|_| align(base + rng.below(40) * 8)).collect();
    let (random, pattern) = if scattered && rng.below(4) > 0 {
        // Mostly each block its own, so that much is ordered.
        let own = if rng.below(8) > 0 { u64::from(block) } else { 1 };
        (permutation(rng).map(|place| 0x1000 + own * 2048 + place * bytes.max(4)).collect(), 5)
    } else {
        (random, pattern)
    };
    for step in 0..steps {
        let threads: Vec<(T, u64)> = (0..32)
            .filter(|lane| mask >> lane & 1 != 0)
            .map(|lane| {
                let address = match pattern {
                    0..=2 => base + lane * bytes,
                    3 => base,
                    4 => base + lane / 16 * 256 + lane % 16 * bytes,
                    5 => random[lane as usize],
                    _ => base + step * bytes * stride,
                };
                (T(block, warp * 32 + lane as u16), address)
            })
            .collect();
        let fetches = fetches && !write && site.is_multiple_of(3);
        let (how, proxy) = if fetches { (How::Fetch, Proxy::Texture) } else { (How::Weak, Proxy::Generic) };
        reference.access(site, &threads, bytes, write, how);
        s.access(SiteId(site), &threads, kind, Strength::Weak, proxy, (size as u32, elements));
    }
}

/// One random atomic instruction without result, on some of the same memory.
fn count(rng: &mut Rng, site: u32, blocks: u32, s: &mut Script, reference: &mut Reference) {
    let (block, warp) = (rng.below(blocks.into()) as u32, rng.below(u64::from(THREADS) / 32) as u16);
    let (mask, pattern) = (lanes(rng), rng.below(4));
    let bytes = if rng.below(20) == 0 { 8 } else { 4 };
    let base = 0x1000 + rng.below(4) * 64;
    let threads: Vec<(T, u64)> = (0..32)
        .filter(|lane| mask >> lane & 1 != 0)
        .map(|lane| {
            let address = match pattern {
                0 => base,
                1 => base + lane * bytes,
                2 => base + rng.below(4) * bytes,
                _ => 0x1000 + rng.below(64) * bytes,
            };
            (T(block, warp * 32 + lane as u16), address)
        })
        .collect();
    reference.access(site, &threads, bytes, true, How::Counter);
    let kind = AccessKind::Atomic { op: AtomicOp::Add, returns: false };
    let strength = script::strong(Sem::Relaxed, Scope::Gpu);
    s.access(SiteId(site), &threads, kind, strength, Proxy::Generic, (bytes as u32, 1));
}

/// One random relaxed load, or atomic with a result, of some of the same words, or a store if there are `stores`.
fn observe(
    rng: &mut Rng,
    site: u32,
    (blocks, stores): (u32, bool),
    s: &mut Script,
    reference: &mut Reference,
) {
    let (block, warp) = (rng.below(blocks.into()) as u32, rng.below(u64::from(THREADS) / 32) as u16);
    let (mask, pattern) = (lanes(rng), rng.below(4));
    let (base, own) = (rng.below(64), rng.below(3));
    let threads: Vec<(T, u64)> = (0..32)
        .filter(|lane| mask >> lane & 1 != 0)
        .map(|lane| {
            let word = match pattern {
                0 => base,
                1 => base + lane,
                2 => base + lane / 4 * 3,
                _ => rng.below(128),
            };
            (T(block, warp * 32 + lane as u16), 0x1000 + own * 2048 + word * 4)
        })
        .collect();
    let write = rng.below(3) > 0;
    let store = write && stores && rng.below(2) == 0;
    reference.access(site, &threads, 4, write, if store { How::Store } else { How::Observer });
    let (mut addresses, mut values) = ([0; 32], [(0, 0); 32]);
    let mut active = 0;
    for (t, address) in &threads {
        addresses[usize::from(t.1 % 32)] = *address;
        active |= 1 << (t.1 % 32);
    }
    // An exchange of what was there may be a lock that is taken: ticks begin without barriers.
    let swap = rng.below(16) == 0;
    values.fill((7, 8));
    let op = if swap { AtomicOp::Exch } else { AtomicOp::Add };
    s.ear.observer.access(&Access {
        warp: s.warp(threads[0].0),
        site: SiteId(site),
        space: Space::Global,
        kind: match write {
            true if store => AccessKind::Write,
            true => AccessKind::Atomic { op, returns: true },
            false => AccessKind::Read,
        },
        strength: if write { script::strong(Sem::Relaxed, Scope::Gpu) } else { Strength::Volatile },
        proxy: Proxy::Generic,
        size: 4,
        elements: 1,
        mask: active,
        addresses: &addresses,
        stride: None,
        stored: if write { active } else { 0 },
        values: Some(&values),
        written: Default::default(),
    });
}

fn sync(rng: &mut Rng, site: u32, full: bool, blocks: u32, s: &mut Script, reference: &mut Reference) {
    let block = rng.below(blocks.into()) as u32;
    let of_block = |t: u32| (block * THREADS + t) as usize;
    match if full { rng.below(6) } else { 0 } {
        0 => {
            reference.meet(&(0..THREADS).map(of_block).collect::<Vec<_>>());
            s.barrier(block);
        }
        1 | 2 => {
            let (warp, mask) = (rng.below(u64::from(THREADS) / 32) as u32, lanes(rng));
            let members = (0..32).filter(|l| mask >> l & 1 != 0).map(|l| of_block(warp * 32 + l));
            reference.meet(&members.collect::<Vec<_>>());
            s.syncwarp(T(block, warp as u16 * 32), mask);
        }
        3 => {
            let missing = rng.below(u64::from(THREADS) / 32) as u32;
            let warps: Vec<u32> = (0..THREADS / 32).filter(|w| *w != missing).collect();
            let threads = warps.iter().flat_map(|w| w * 32..w * 32 + 32).map(of_block);
            reference.meet(&threads.collect::<Vec<_>>());
            let waiting: Vec<(u16, u32)> = warps.iter().map(|w| (*w as u16, u32::MAX)).collect();
            s.complete(block, BarrierId::Cta(1), &waiting, &[]);
        }
        choice => {
            let t = T(block, rng.below(THREADS.into()) as u16);
            let flag = FLAGS + 4 * rng.below(3);
            let threads = [(t, flag)];
            let (kind, sem) = if choice == 4 {
                reference.release(t, flag);
                (AccessKind::Write, Sem::Release)
            } else {
                reference.acquire(t, flag);
                (AccessKind::Read, Sem::Acquire)
            };
            let strength = script::strong(sem, Scope::Gpu);
            s.access(SiteId(site), &threads, kind, strength, Proxy::Generic, (4, 1));
        }
    }
}

/// Some of the memory begins a new life.
fn allocate(rng: &mut Rng, s: &mut Script, reference: &mut Reference) {
    let (base, bytes) =
        (0x1000 + rng.below(64) * 16, [1, 4, 16, 16, 20, 48, 128, 700][rng.below(8) as usize]);
    reference.bytes.retain(|byte, _| !(base..base + bytes).contains(byte));
    // Strong operations are forgotten whole.
    let meets = |(from, size): (u64, u64)| from < base + bytes && base < from + size;
    reference.bytes.values_mut().for_each(|all| all.retain(|touch| !touch.strong.is_some_and(meets)));
    reference.chains.retain(|word, _| word + 4 <= base || base + bytes <= *word);
    s.ear.observer.rest();
    s.ear.monitor.alloc(&Allocation {
        base,
        bytes,
        kind: AllocKind::DeviceHeap,
        name: None,
        call: HostCall::default(),
        device: 0,
    });
}

/// Where accesses go, and among what events.
#[derive(Clone, Copy, Debug)]
struct Sweep {
    /// All kinds of order, not only whole barriers.
    full: bool,
    /// How many of a hundred accesses are atomics.
    counters: u64,
    /// In the shared memory of one block, whose threads alone touch it.
    shared: bool,
    /// Many reads and few writes.
    table: bool,
    /// How many of a hundred accesses are relaxed loads, or atomics with results.
    observers: u64,
    /// A third of those are relaxed stores.
    stores: bool,
    /// A large launch, the words of which lanes touch one by one, and many instructions of which are alike.
    scattered: bool,
    /// A third of the weak reads are fetches.
    fetches: bool,
    /// Some of the memory is allocated anew from time to time.
    allocates: bool,
}

/// What a launch uses: all kinds of order, or besides whole barriers relaxed operations at most.
fn uses(full: bool, relaxed: bool) -> SyncUse {
    match (full, relaxed) {
        (true, _) => all_uses(),
        (false, false) => SyncUse::default(),
        (false, true) => {
            SyncUse { fences_or_strong: true, relaxed, blocks_communicate: true, ..SyncUse::default() }
        }
    }
}

fn compare(seed: u64, sweep: Sweep) -> Result<(), String> {
    let Sweep { full, counters, shared, table, observers, stores, scattered, fetches, allocates } = sweep;
    let mut rng = Rng(seed);
    let uses = uses(full, observers > 0);
    // Blocks that do nothing make a launch large.
    let grid = if scattered { 50 * BLOCKS } else { BLOCKS };
    let mut s = Script::with(launch(1, grid, THREADS, 1, uses), Default::default());
    let mut reference = Reference::new();
    s.shared(shared.then_some(0));
    let blocks = if shared { 1 } else { BLOCKS };
    let (events, writes) = if table { (100 + rng.below(150), 3) } else { (10 + rng.below(60), 35) };
    let events = events as u32;
    let often = if table { 3 } else { 10 + rng.below(40) };
    for site in 0..events {
        if allocates && rng.below(10) == 0 {
            allocate(&mut rng, &mut s, &mut reference);
        } else if rng.below(100) < often {
            sync(&mut rng, site, full, blocks, &mut s, &mut reference);
        } else if observers > 0 && rng.below(100) < observers {
            observe(&mut rng, site, (blocks, stores), &mut s, &mut reference);
        } else if rng.below(100) < counters {
            count(&mut rng, site, blocks, &mut s, &mut reference);
        } else {
            access(&mut rng, site, (blocks, writes, scattered, fetches), &mut s, &mut reference);
        }
    }
    verdict(seed, s, &reference)
}

/// No pair may be reported that is no race, and of each access that races one.
fn verdict(seed: u64, mut s: Script, reference: &Reference) -> Result<(), String> {
    let mut found = BTreeSet::new();
    for f in s.findings() {
        let site = |i: usize| f.sides[i].site.expect("kernels' accesses have sites").0;
        // Sites are numbered in the order of execution; sides of blocks that cannot see each other are not.
        found.insert((site(0).min(site(1)), site(0).max(site(1))));
    }
    let racy = |races: &BTreeSet<(u32, u32)>| races.iter().map(|r| r.1).collect::<BTreeSet<_>>();
    if let Some(pair) = found.iter().find(|p| !reference.races.contains(p)) {
        return Err(format!("seed {seed}: {pair:?} is no race"));
    }
    let (mine, all) = (racy(&found), racy(&reference.races));
    if let Some(site) = all.difference(&mine).next() {
        let with: Vec<_> = reference.races.iter().filter(|r| r.1 == *site).collect();
        return Err(format!("seed {seed}: access {site} races with none, but should with {with:?}"));
    }
    Ok(())
}

/// Asserts that no program of some of 200 seeds, or of as many as `WARPRACE_REFERENCE_SEEDS` says, differs.
fn all_agree<S: Copy + std::fmt::Debug>(sweep: S, compare: impl Fn(u64, S) -> Result<(), String>) {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    let first: u64 = number("WARPRACE_REFERENCE_FIRST", 0);
    let seeds: u64 = number("WARPRACE_REFERENCE_SEEDS", script::seeds(200));
    let failures: Vec<String> =
        (first..first + seeds).filter_map(|seed| compare(seed, sweep).err()).collect();
    let shown = failures.iter().take(8).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{sweep:?}: {} of {seeds} differ:\n{shown}", failures.len());
}

fn sweep(sweep: Sweep) {
    all_agree(sweep, compare);
}

const BARRIERS: Sweep = Sweep {
    full: false,
    counters: 0,
    shared: false,
    table: false,
    observers: 0,
    stores: false,
    scattered: false,
    fetches: false,
    allocates: false,
};
const ALL: Sweep = Sweep { full: true, ..BARRIERS };

#[test]
fn barriers_only() {
    sweep(BARRIERS);
}

#[test]
fn all_kinds_of_order() {
    sweep(ALL);
}

#[test]
fn counters_and_barriers() {
    sweep(Sweep { counters: 90, ..BARRIERS });
    sweep(Sweep { counters: 50, ..BARRIERS });
}

#[test]
fn counters_and_all_kinds_of_order() {
    sweep(Sweep { counters: 60, ..ALL });
}

#[test]
fn shared_memory_and_barriers() {
    sweep(Sweep { shared: true, ..BARRIERS });
    sweep(Sweep { counters: 40, shared: true, ..BARRIERS });
}

#[test]
fn shared_memory_and_all_kinds_of_order() {
    sweep(Sweep { shared: true, ..ALL });
}

#[test]
fn tables_and_barriers() {
    sweep(Sweep { table: true, ..BARRIERS });
    sweep(Sweep { table: true, shared: true, ..BARRIERS });
    sweep(Sweep { table: true, counters: 5, ..BARRIERS });
}

/// In memory that all blocks reach and in that of one, each word is touched by many, with barriers often enough that
/// much is ordered.
#[test]
fn scattered_words() {
    let words = Sweep { scattered: true, ..BARRIERS };
    sweep(words);
    sweep(Sweep { table: true, ..words });
    sweep(Sweep { counters: 10, ..words });
    sweep(Sweep { full: true, ..words });
    sweep(Sweep { full: true, table: true, ..words });
    sweep(Sweep { full: true, shared: true, ..words });
}

/// A fetch races with every earlier write of its launch, those of its own thread included, whichever way histories are kept.
#[test]
fn fetches_behind_writes() {
    let fetches = Sweep { fetches: true, ..BARRIERS };
    for scattered in [false, true] {
        let fetches = Sweep { scattered, ..fetches };
        sweep(fetches);
        sweep(Sweep { table: true, ..fetches });
        sweep(Sweep { counters: 30, ..fetches });
        sweep(Sweep { observers: 40, ..fetches });
        sweep(Sweep { full: true, ..fetches });
    }
}

/// An allocation forgot what had happened to its neighbours on the same line of 128 bytes.
#[test]
fn an_allocation_forgets_its_own_bytes_only() {
    let allocates = Sweep { allocates: true, ..BARRIERS };
    for scattered in [false, true] {
        let allocates = Sweep { scattered, ..allocates };
        sweep(allocates);
        sweep(Sweep { table: true, ..allocates });
        sweep(Sweep { counters: 30, ..allocates });
        sweep(Sweep { observers: 40, ..allocates });
        sweep(Sweep { full: true, ..allocates });
    }
}

/// A later lane of an atomic was heard before an earlier one, and took its own thread's write for its chain.
#[test]
fn lanes_of_an_atomic_meet_a_write_in_order() {
    let mut s = Script::with(launch(1, 50 * BLOCKS, THREADS, 1, uses(false, true)), Default::default());
    let weak = |lane| (T(0, lane), 0x1000);
    s.access(SiteId(1), &[weak(3)], AccessKind::Write, Strength::Weak, Proxy::Generic, (4, 1));
    let kind = AccessKind::Atomic { op: AtomicOp::Add, returns: true };
    let all: Vec<_> = (0..32).map(weak).collect();
    s.access(SiteId(2), &all, kind, script::strong(Sem::Relaxed, Scope::Gpu), Proxy::Generic, (4, 1));
    let sites: Vec<_> = s.findings().iter().map(|f| f.sides.each_ref().map(|side| side.site)).collect();
    assert_eq!(sites, [[Some(SiteId(1)), Some(SiteId(2))]]);
}

/// Few accesses of few words, one for each lane: what is forgotten of one of them no other one stands for.
#[derive(Clone, Copy, Debug)]
struct Sparse {
    large: bool,
    /// All kinds of order.
    full: bool,
    /// Atomics with results, relaxed loads and stores.
    relaxed: bool,
    /// Atomics without results.
    counters: bool,
    /// In the shared memory of one block.
    shared: bool,
    /// Weak accesses of one to sixteen bytes.
    sizes: bool,
}

/// Some number, the same for an instruction and lane.
fn mixed(site: u32, lane: u64) -> u64 {
    (u64::from(site) * 32 + lane).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

fn sparse(seed: u64, of: Sparse) -> Result<(), String> {
    let Sparse { large, full, relaxed, counters, shared, sizes } = of;
    let mut rng = Rng(seed);
    let uses = uses(full, relaxed);
    let grid = if large { 50 * BLOCKS } else { BLOCKS };
    let mut s = Script::with(launch(1, grid, THREADS, 1, uses), Default::default());
    s.shared(shared.then_some(0));
    let mut reference = Reference::new();
    let blocks = if shared { 1 } else { 2 };
    let (writes, beside, step) = (10 + rng.below(50), rng.below(4) == 0, [1, 7, 7][rng.below(3) as usize]);
    let mut touched = [false; 2];
    for site in 0..3 + rng.below(8) as u32 {
        if rng.below(4) == 0 {
            sync(&mut rng, site, full, blocks, &mut s, &mut reference);
            continue;
        }
        let (block, warp) = (rng.below(blocks.into()) as u32, rng.below(2) as u16);
        let strong = script::strong(Sem::Relaxed, Scope::Gpu);
        let atomic = |returns| AccessKind::Atomic { op: AtomicOp::Add, returns };
        let (how, kind, strength) = match rng.below(100) {
            0..30 if relaxed => (How::Observer, atomic(true), strong),
            30..50 if relaxed => (How::Observer, AccessKind::Read, strong),
            50..55 if relaxed => (How::Store, AccessKind::Write, strong),
            0..20 if counters => (How::Counter, atomic(false), strong),
            // What may be missed (see [`detect::ptx`]) is before a weak write by the same block.
            _ if rng.below(100) < writes && !(relaxed && touched[block as usize]) => {
                (How::Weak, AccessKind::Write, Strength::Weak)
            }
            _ => (How::Weak, AccessKind::Read, Strength::Weak),
        };
        touched[block as usize] = true;
        let beside = if beside { rng.below(2) } else { 0 };
        let mask = [u32::MAX, u32::MAX, 0xffff, 0xffff_0000, 1 << rng.below(32)][rng.below(5) as usize];
        let (size, elements) = match how {
            How::Weak if sizes => {
                [(1, 1), (2, 1), (4, 1), (8, 1), (4, 2), (4, 4), (16, 1)][rng.below(7) as usize]
            }
            _ => (4, 1),
        };
        let bytes = u64::from(size * elements);
        // Wide ones leave no lane out that others are at, narrow ones are at the words of others.
        let place = |lane: u64| match bytes {
            0..4 => (lane + beside) * step % 32 * 4 + mixed(site, lane) % (4 / bytes) * bytes,
            _ => (lane + beside) * step % 32 * bytes % 256,
        };
        let threads: Vec<(T, u64)> = (0..32)
            .filter(|lane| mask >> lane & 1 != 0)
            .map(|lane| (T(block, warp * 32 + lane as u16), 0x1000 + place(lane)))
            .collect();
        reference.access(site, &threads, bytes, kind != AccessKind::Read, how);
        s.access(SiteId(site), &threads, kind, strength, Proxy::Generic, (size, elements as u8));
    }
    verdict(seed, s, &reference)
}

fn sparse_sweep(of: Sparse) {
    for large in [true, false] {
        all_agree(Sparse { large, ..of }, sparse);
    }
}

/// A weak write was forgotten at its own thread's atomic: a thread that observed that without being behind
/// the write raced unseen.
#[test]
fn what_a_thread_wrote_before_its_own_atomic_is_kept() {
    let of = Sparse { relaxed: true, ..PLAIN };
    for seed in [1981, 2056, 2396, 2693, 3335, 3418, 3947, 3976] {
        sparse(seed, of).unwrap();
    }
    sparse_sweep(of);
}

/// A line of which bytes had been read told a write of four bytes as four writes, from none of which the
/// atomic of its own thread went on: a thread that had observed that was said to race with the write.
#[test]
fn a_write_of_a_word_is_one_in_a_line_of_bytes() {
    let shared = Sparse { relaxed: true, counters: true, shared: true, sizes: true, ..PLAIN };
    sparse(205_852, shared).unwrap();
}

const PLAIN: Sparse =
    Sparse { large: true, full: false, relaxed: false, counters: false, shared: false, sizes: false };

#[test]
fn sparse_words() {
    for (shared, sizes) in [(false, false), (true, false), (false, true), (true, true)] {
        let plain = Sparse { sizes, ..PLAIN };
        sparse_sweep(Sparse { shared, ..plain });
        sparse_sweep(Sparse { shared, full: true, ..plain });
        sparse_sweep(Sparse { shared, counters: true, ..plain });
        sparse_sweep(Sparse { shared, counters: true, full: true, ..plain });
        sparse_sweep(Sparse { shared, relaxed: true, counters: true, ..plain });
        sparse_sweep(Sparse { shared, relaxed: true, counters: true, full: true, ..plain });
    }
}

/// A thread that has observed a relaxed operation is behind it, in cells (small launches) and in words (large
/// ones).
#[test]
fn observed_atomics_and_barriers() {
    for scattered in [false, true] {
        let mixed = Sweep { observers: 50, scattered, ..BARRIERS };
        sweep(mixed);
        sweep(Sweep { observers: 90, ..mixed });
        sweep(Sweep { table: true, ..mixed });
        sweep(Sweep { counters: 20, ..mixed });
        sweep(Sweep { full: true, ..mixed });
        sweep(Sweep { stores: true, ..mixed });
        sweep(Sweep { stores: true, table: true, ..mixed });
    }
}

/// An atomic, and behind a barrier another one of its block: a thread that has observed only the second is
/// not behind the first, which a crowded cell had forgotten.
#[test]
fn what_is_before_an_observed_atomic_is_not_observed() {
    let mixed = Sweep { table: true, observers: 50, ..BARRIERS };
    for seed in [5173, 6305, 14_380, 20_574, 23_324, 24_396] {
        compare(seed, mixed).unwrap();
    }
}

/// Three warps read the same line, and then a barrier orders two of them: what the third one has read was put
/// together with what others had, which does not say which of them the barrier ordered.
#[test]
fn reads_of_a_warp_that_a_barrier_leaves_out_are_kept() {
    compare(14_617, Sweep { shared: true, ..ALL }).unwrap();
}
