//! A memory-hierarchy model that counts what ScoRD's metadata cost (Figs. 8 to 11).
//!
//! The GPU is the paper's (Table V): fifteen SMs with private L1 caches of 16 KB (four ways,
//! global data write-evict), one L2 cache of 1.5 MB (eight ways, write-back), lines of 128
//! bytes, twelve memory channels. Metadata live in memory behind the L2 and never enter an
//! L1. Three L2 caches run side by side on the same accesses: without metadata, with an
//! eight-byte entry for every granule, and with the metadata cache's one in sixteen.
//!
//! Accesses are counted exactly, given that model. [`Estimate`] is what its name says: the
//! paper measures cycles in a simulator of the whole GPU, this derives two extremes from the
//! counts alone (everything overlaps; nothing does).

use super::metadata::CACHED;
use crate::lens::elements::elements;
use events::{Access, AccessKind, Strength};

const SMS: usize = 15;
const LINE: u64 = 128;
/// Entries of metadata are eight bytes.
const ENTRY: u64 = 8;
/// Line addresses of metadata: above every data line.
const METADATA: u64 = 1 << 60;

/// The resources that Fig. 11 varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The bytes of the L2.
    pub l2: u64,
    /// Memory channels, each with its slice of the L2.
    pub channels: u64,
}

impl Machine {
    /// The default configuration of the paper's Table V.
    pub const PAPER: Machine = Machine { l2: 3 << 19, channels: 12 };
    /// Half of its resources, itself, and twice its resources. The paper does not say in numbers how its outer machines
    /// differ.
    pub const SWEEP: [Machine; 3] =
        [Machine { l2: 3 << 18, channels: 6 }, Machine::PAPER, Machine { l2: 3 << 20, channels: 24 }];
}

/// A set-associative cache with least-recently-used replacement.
struct Cache {
    ways: usize,
    /// Sets of `ways` lines, most recently used first.
    sets: Vec<Vec<Line>>,
}

#[derive(Clone, Copy)]
struct Line {
    address: u64,
    dirty: bool,
}

impl Cache {
    fn new(bytes: u64, ways: usize) -> Self {
        let sets = bytes / LINE / ways as u64;
        Cache { ways, sets: vec![Vec::with_capacity(ways); sets as usize] }
    }

    fn set(&mut self, line: u64) -> &mut Vec<Line> {
        // Sets need not be a power of two (1.5 MB). Metadata lines are spread like data.
        let at = (line ^ line >> 20) % self.sets.len() as u64;
        &mut self.sets[at as usize]
    }

    /// Looks a line up and makes it the most recently used. True if it was there.
    fn touch(&mut self, line: u64, dirty: bool) -> bool {
        let set = self.set(line);
        let Some(at) = set.iter().position(|l| l.address == line) else { return false };
        let mut found = set.remove(at);
        found.dirty |= dirty;
        set.insert(0, found);
        true
    }

    /// Brings a line in; what it displaces is returned.
    fn fill(&mut self, line: u64, dirty: bool) -> Option<Line> {
        let ways = self.ways;
        let set = self.set(line);
        let evicted = if set.len() == ways { set.pop() } else { None };
        set.insert(0, Line { address: line, dirty });
        evicted
    }

    fn evict(&mut self, line: u64) {
        self.set(line).retain(|l| l.address != line);
    }
}

/// The traffic of one configuration's L2 and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub l2_data: u64,
    pub l2_metadata: u64,
    /// L2 misses and write-backs of data.
    pub dram_data: u64,
    /// L2 misses and write-backs of metadata.
    pub dram_metadata: u64,
}

impl Counts {
    pub const fn l2(&self) -> u64 {
        self.l2_data + self.l2_metadata
    }

    pub const fn dram(&self) -> u64 {
        self.dram_data + self.dram_metadata
    }
}

struct L2 {
    cache: Cache,
    counts: Counts,
}

impl L2 {
    fn new(bytes: u64) -> Self {
        L2 { cache: Cache::new(bytes, 8), counts: Counts::default() }
    }

    fn access(&mut self, line: u64, write: bool) {
        let metadata = line >= METADATA;
        if metadata {
            self.counts.l2_metadata += 1;
        } else {
            self.counts.l2_data += 1;
        }
        if self.cache.touch(line, write) {
            return;
        }
        self.dram(metadata);
        if let Some(evicted) = self.cache.fill(line, write)
            && evicted.dirty
        {
            self.dram(evicted.address >= METADATA);
        }
    }

    fn dram(&mut self, metadata: bool) {
        if metadata {
            self.counts.dram_metadata += 1;
        } else {
            self.counts.dram_data += 1;
        }
    }
}

/// The model, fed with every access to global memory.
pub struct Traffic {
    shift: u32,
    machine: Machine,
    l1: Vec<Cache>,
    l1_accesses: u64,
    l1_hits: u64,
    instructions: u64,
    without: L2,
    base: L2,
    cached: L2,
    lines: Vec<u64>,
    entries: Vec<u64>,
}

/// The counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    pub machine: Machine,
    /// Warp instructions that accessed global memory.
    pub instructions: u64,
    pub l1_accesses: u64,
    pub l1_hits: u64,
    /// No race detection.
    pub without: Counts,
    /// An entry for every granule.
    pub base: Counts,
    /// One entry for sixteen granules.
    pub cached: Counts,
}

/// Execution time relative to no race detection, estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// If everything overlaps: the slowest resource decides.
    pub overlapped: f64,
    /// If nothing overlaps: the times add up.
    pub serial: f64,
}

impl Traffic {
    pub fn new(shift: u32, machine: Machine) -> Self {
        Traffic {
            shift,
            machine,
            l1: (0..SMS).map(|_| Cache::new(16 << 10, 4)).collect(),
            l1_accesses: 0,
            l1_hits: 0,
            instructions: 0,
            without: L2::new(machine.l2),
            base: L2::new(machine.l2),
            cached: L2::new(machine.l2),
            lines: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// A kernel starts with cold L1 caches.
    pub fn launch(&mut self) {
        for l1 in &mut self.l1 {
            *l1 = Cache::new(16 << 10, 4);
        }
    }

    pub fn access(&mut self, access: &Access<'_>) {
        self.instructions += 1;
        self.coalesce(access);
        let write = access.kind.writes();
        // Strong operations bypass the L1, which is not coherent (§II-B).
        let bypass =
            access.strength != Strength::Weak || !matches!(access.kind, AccessKind::Read | AccessKind::Write);
        let sm = access.warp.block.0 as usize % SMS;
        for &line in &self.lines {
            if !bypass && !write {
                self.l1_accesses += 1;
                if self.l1[sm].touch(line, false) {
                    self.l1_hits += 1;
                    continue;
                }
                self.l1[sm].fill(line, false);
            } else if write {
                self.l1[sm].evict(line);
            }
            for l2 in [&mut self.without, &mut self.base, &mut self.cached] {
                l2.access(line, write);
            }
        }
        // The race detector sees every access, those that hit in the L1 too, and
        // reads and writes each entry.
        for (l2, share) in [(&mut self.base, 1), (&mut self.cached, CACHED)] {
            let mut last = None;
            for &granule in &self.entries {
                let line = METADATA + granule / share * ENTRY / LINE;
                if last.replace(line) != Some(line) {
                    l2.access(line, true);
                }
            }
        }
    }

    /// The distinct lines and granules of a warp's access, sorted.
    fn coalesce(&mut self, access: &Access<'_>) {
        self.lines.clear();
        self.entries.clear();
        for element in elements(access) {
            let last = element.address.saturating_add(u64::from(element.bytes.max(1)) - 1);
            self.lines.extend(element.address / LINE..=last / LINE);
            self.entries.extend(element.granules(self.shift));
        }
        for list in [&mut self.lines, &mut self.entries] {
            list.sort_unstable();
            list.dedup();
        }
    }

    pub fn report(&self) -> Report {
        Report {
            machine: self.machine,
            instructions: self.instructions,
            l1_accesses: self.l1_accesses,
            l1_hits: self.l1_hits,
            without: self.without.counts,
            base: self.base.counts,
            cached: self.cached.counts,
        }
    }
}

impl Report {
    /// Fig. 9: DRAM accesses relative to no race detection, `(data, metadata)`.
    pub fn dram_relative(&self, counts: &Counts) -> (f64, f64) {
        let whole = self.without.dram().max(1) as f64;
        (counts.dram_data as f64 / whole, counts.dram_metadata as f64 / whole)
    }

    /// Fig. 8, estimated for the given configuration.
    pub fn slowdown(&self, counts: &Counts) -> Estimate {
        let without = self.times(&self.without, false);
        let with = self.times(counts, true);
        let max = |times: [f64; 4]| times.into_iter().fold(0.0, f64::max);
        let sum = |times: [f64; 4]| times.into_iter().sum::<f64>();
        Estimate { overlapped: max(with) / max(without).max(1.0), serial: sum(with) / sum(without).max(1.0) }
    }

    /// Fig. 10, estimated: the shares in the overhead of a configuration that packets for hits in the L1 have, the further
    /// flit of each packet, and accesses to metadata with the data that they displace. Nothing overlaps.
    pub fn causes(&self, counts: &Counts) -> [f64; 3] {
        let channels = self.machine.channels as f64;
        let hits = self.l1_hits as f64 / SMS as f64;
        let flits = counts.l2_data as f64 / SMS as f64;
        let dram = counts.dram().saturating_sub(self.without.dram()) * 8;
        let metadata = (counts.l2_metadata + dram) as f64 / channels;
        let whole = (hits + flits + metadata).max(1.0);
        [hits / whole, flits / whole, metadata / whole]
    }

    /// Cycles of instruction issue, interconnect, L2 and memory, each on its own.
    fn times(&self, counts: &Counts, detecting: bool) -> [f64; 4] {
        // Ten instructions for each access to memory, one issued per cycle and SM.
        let issue = (self.instructions * 10) as f64 / SMS as f64;
        // Packets of 32-byte flits: a header and a line for each access to the L2. Detection
        // adds a flit to each, and a packet of its own to each hit in the L1 (§V).
        let flits = counts.l2_data * if detecting { 6 } else { 5 };
        let extra = if detecting { self.l1_hits } else { 0 };
        let noc = (flits + extra) as f64 / SMS as f64;
        let l2 = counts.l2() as f64 / self.machine.channels as f64;
        // Sixteen bytes per channel and cycle.
        let dram = (counts.dram() * 8) as f64 / self.machine.channels as f64;
        [issue, noc, l2, dram]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lens::script::access_of;
    use events::{BlockId, Space};

    fn load(traffic: &mut Traffic, block: u32, base: u64, stride: u64, strength: Strength) {
        let addresses = std::array::from_fn(|lane| base + lane as u64 * stride);
        let mut access = access_of(&addresses, AccessKind::Read, strength);
        access.space = Space::Global;
        access.warp.block = BlockId(block);
        traffic.access(&access);
    }

    #[test]
    fn a_coalesced_load_is_one_line_and_two_of_metadata() {
        let mut traffic = Traffic::new(2, Machine::PAPER);
        load(&mut traffic, 0, 0, 4, Strength::Weak);
        let report = traffic.report();
        assert_eq!(report.l1_accesses, 1);
        assert_eq!(report.without, Counts { l2_data: 1, dram_data: 1, ..Counts::default() });
        // 32 entries of eight bytes are 256 bytes; one entry in sixteen is 16 bytes.
        assert_eq!((report.base.l2_metadata, report.base.dram_metadata), (2, 2));
        assert_eq!((report.cached.l2_metadata, report.cached.dram_metadata), (1, 1));
    }

    #[test]
    fn hits_in_the_l1_still_cost_metadata() {
        let mut traffic = Traffic::new(2, Machine::PAPER);
        load(&mut traffic, 0, 0, 4, Strength::Weak);
        load(&mut traffic, 0, 0, 4, Strength::Weak);
        let report = traffic.report();
        assert_eq!((report.l1_hits, report.without.l2()), (1, 1));
        assert_eq!((report.base.l2_metadata, report.base.dram_metadata), (4, 2));
    }

    #[test]
    fn another_sm_has_another_l1_and_volatile_has_none() {
        let mut traffic = Traffic::new(2, Machine::PAPER);
        load(&mut traffic, 0, 0, 4, Strength::Weak);
        load(&mut traffic, 1, 0, 4, Strength::Weak);
        load(&mut traffic, 1, 0, 4, Strength::Volatile);
        let report = traffic.report();
        assert_eq!((report.l1_hits, report.without.l2_data, report.without.dram_data), (0, 3, 1));
    }

    #[test]
    fn metadata_contend_with_data_for_the_l2() {
        let mut traffic = Traffic::new(2, Machine::PAPER);
        // One megabyte twice: it stays in an L2 of its own, not beside two of metadata.
        for _ in 0..2 {
            for line in 0..8192 {
                load(&mut traffic, 0, line * LINE, 4, Strength::Volatile);
            }
        }
        let report = traffic.report();
        assert_eq!(report.without.dram(), 8192);
        assert!(report.base.dram_data > 8192, "{:?}", report.base);
        assert_eq!(report.cached.dram_data, 8192, "an eighth of a megabyte of metadata fits");
        let (_, base) = report.dram_relative(&report.base);
        let (_, cached) = report.dram_relative(&report.cached);
        assert!(base > 8.0 * cached, "{base} {cached}");
        let (with, without) = (report.slowdown(&report.base), report.slowdown(&report.cached));
        assert!(with.serial > without.serial && without.serial > 1.0);
        assert!(with.overlapped > without.overlapped);
        let shares = report.causes(&report.cached);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
        assert!(shares[0] == 0.0 && shares[2] > shares[1], "volatile accesses miss the L1: {shares:?}");
    }

    #[test]
    fn a_larger_l2_holds_data_and_metadata() {
        let counts = Machine::SWEEP.map(|machine| {
            let mut traffic = Traffic::new(2, machine);
            for _ in 0..2 {
                for line in 0..8192 {
                    load(&mut traffic, 0, line * LINE, 4, Strength::Volatile);
                }
            }
            traffic.report()
        });
        let dram = counts.map(|report| report.without.dram());
        assert_eq!(dram, [16384, 8192, 8192], "a megabyte does not fit 0.75 MB");
        assert!(counts[2].slowdown(&counts[2].base).serial < counts[1].slowdown(&counts[1].base).serial);
    }
}
