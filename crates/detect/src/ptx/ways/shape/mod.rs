//! The shapes of a warp's addresses that lines can hold.

mod parts;
mod strided;

pub(crate) use parts::{FEW_RUNS, halves, may_be_few};
pub(crate) use strided::{Strided, strided};

use crate::ptx::history::stamp::Stamp;
use events::{Access, LaneMask};

/// A run of lanes with neighbouring (or equal) addresses. Only lanes with equal ones may have others between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first: u32,
    pub(crate) lanes: u32,
    pub(crate) address: u64,
    pub(crate) uniform: bool,
    /// The lanes from the first to the last that it has not.
    pub(crate) gaps: LaneMask,
}

pub(crate) type Runs = Vec<Run>;

/// Splits a weak access into runs of lanes that touch `bytes` each. False if lanes of a write
/// overlap, or `bytes` is no power of two.
pub(crate) fn split(access: &Access<'_>, bytes: u64, runs: &mut Runs) -> bool {
    bytes.is_power_of_two() && Links::of(access, bytes).split(access, bytes, runs)
}

/// Makes one run of an access of the whole warp, or of several lanes in a row, to neighbouring bytes, or a read of the same ones.
/// Most are such, and this asks all lanes at once.
pub(crate) fn whole(access: &Access<'_>, bytes: u64, runs: &mut Runs) -> bool {
    let run = one_run(access, bytes);
    if let Some(run) = run {
        runs.clear();
        runs.push(run);
    }
    run.is_some()
}

/// The only run of such an access.
#[inline]
pub(crate) fn one_run(access: &Access<'_>, bytes: u64) -> Option<Run> {
    if access.mask != LaneMask::MAX {
        return part_run(access, bytes);
    }
    let (first, last) = (access.addresses[0], access.addresses[31]);
    if access.stride == Some(bytes) && bytes & (bytes - 1) == 0 {
        return Some(Run { first: 0, lanes: 32, address: first, uniform: false, gaps: 0 });
    }
    let uniform = first == last && !access.kind.writes();
    let step = if uniform { 0 } else { bytes };
    let one = bytes.is_power_of_two() && is_whole(access, step);
    one.then_some(Run { first: 0, lanes: 32, address: first, uniform, gaps: 0 })
}

/// The only run of lanes in a row that are not all: blocks of few threads, and the ends of others.
fn part_run(access: &Access<'_>, bytes: u64) -> Option<Run> {
    let (mask, addresses) = (access.mask, access.addresses);
    let first = mask.trailing_zeros();
    let lanes = (mask.checked_shr(first)?).trailing_ones();
    let last = first + lanes - 1;
    if lanes < 2 || mask.count_ones() != lanes || !bytes.is_power_of_two() {
        return None;
    }
    let address = addresses[first as usize];
    let uniform = address == addresses[last as usize] && !access.kind.writes();
    let step = if uniform { 0 } else { bytes };
    let one = match access.stride {
        Some(stride) => stride == step,
        None => {
            let (mut apart, mut expected) = (0, address);
            for lane in &addresses[first as usize..=last as usize] {
                apart |= lane ^ expected;
                expected = expected.wrapping_add(step);
            }
            apart == 0
        }
    };
    one.then_some(Run { first, lanes, address, uniform, gaps: 0 })
}

/// The only run of a read of whichever lanes at one address.
#[inline]
pub(crate) fn same_place(access: &Access<'_>, bytes: u64) -> Option<Run> {
    let (mask, addresses) = (access.mask, access.addresses);
    if mask == 0 || access.kind.writes() || !bytes.is_power_of_two() {
        return None;
    }
    let (first, last) = (mask.trailing_zeros(), 31 - mask.leading_zeros());
    let address = addresses[first as usize];
    let there = |lane: u32| addresses[lane as usize] == address;
    let same = match access.stride {
        Some(stride) => stride == 0,
        None => there(last) && (first..last).all(|lane| mask >> lane & 1 == 0 || there(lane)),
    };
    let lanes = last - first + 1;
    let gaps = self::mask(lanes) << first & !mask;
    same.then_some(Run { first, lanes, address, uniform: true, gaps })
}

/// Returns whether it is of the whole warp, and each next lane `step` behind the one before.
pub(crate) fn is_whole(access: &Access<'_>, step: u64) -> bool {
    let addresses = access.addresses;
    if let Some(stride) = access.stride {
        return access.mask == u32::MAX && stride == step;
    }
    // The last lane tells most others.
    if access.mask != u32::MAX || addresses[31] != addresses[0].wrapping_add(31 * step) {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { vectors::are_neighbours(addresses, step) };
    }
    are_neighbours(addresses, step)
}

#[inline(always)]
fn are_neighbours(addresses: &[u64; 32], step: u64) -> bool {
    let (mut apart, mut expected) = (0, addresses[0]);
    for lane in addresses {
        apart |= lane ^ expected;
        expected = expected.wrapping_add(step);
    }
    apart == 0
}

/// The lanes whose next one is at the same address, and those whose next one is `bytes` on, a bit each.
#[derive(Clone, Copy)]
struct Links {
    same: u32,
    on: u32,
}

impl Links {
    #[inline]
    fn of(access: &Access<'_>, bytes: u64) -> Links {
        match access.stride {
            Some(stride) => {
                let all = |is: bool| if is { u32::MAX >> 1 } else { 0 };
                Links { same: all(stride == 0), on: all(stride == bytes) }
            }
            None => Links::of_addresses(access.addresses, bytes),
        }
    }

    #[inline]
    fn of_addresses(addresses: &[u64; 32], bytes: u64) -> Links {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { vectors::links(addresses, bytes) };
        }
        links(addresses, bytes)
    }

    /// As [`split`], for a power of two.
    fn split(self, access: &Access<'_>, bytes: u64, runs: &mut Runs) -> bool {
        runs.clear();
        let both = access.mask & access.mask >> 1;
        let (same, on) = (self.same & both, self.on & both);
        let mut rest = access.mask;
        while rest != 0 {
            let first = rest.trailing_zeros();
            let uniform = same >> first & 1 != 0;
            let links = if uniform { same } else { on };
            let lanes = (links >> first).trailing_ones() + 1;
            runs.push(Run { first, lanes, address: access.addresses[first as usize & 31], uniform, gaps: 0 });
            rest &= !(mask(lanes) << first);
        }
        !access.kind.writes() || disjoint(runs, bytes)
    }
}

/// Lane by lane.
fn links(addresses: &[u64; 32], bytes: u64) -> Links {
    let mut links = Links { same: 0, on: 0 };
    for lane in 0..31 {
        let step = addresses[lane + 1].wrapping_sub(addresses[lane]);
        links.same |= u32::from(step == 0) << lane;
        links.on |= u32::from(step == bytes) << lane;
    }
    links
}

/// The relation of the next lane's address to each lane's.
struct Steps {
    /// So many are neither the same nor `bytes` on.
    jumps: u64,
    /// So many are not greater.
    falls: u64,
    /// All that any lane has.
    bits: u64,
}

impl Steps {
    fn of(addresses: &[u64; 32], bytes: u64) -> Steps {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { vectors::steps(addresses, bytes) };
        }
        steps(addresses, bytes)
    }
}

/// Without branches, so that it is done for several lanes at a time.
#[inline(always)]
fn steps(addresses: &[u64; 32], bytes: u64) -> Steps {
    let mut sum = Steps { jumps: 0, falls: 0, bits: addresses[0] };
    for (&lane, &next) in addresses[..31].iter().zip(&addresses[1..]) {
        let step = next.wrapping_sub(lane);
        sum.jumps += u64::from((step != 0) & (step != bytes));
        sum.falls += u64::from(next <= lane);
        sum.bits |= next;
    }
    sum
}

/// The same, in vectors.
#[cfg(target_arch = "x86_64")]
mod vectors {
    use std::arch::x86_64::*;

    /// Four lanes at a time.
    #[target_feature(enable = "avx2")]
    pub(crate) fn are_neighbours(addresses: &[u64; 32], step: u64) -> bool {
        let [one, two, three, four] = [1, 2, 3, 4].map(|lanes: u64| step.wrapping_mul(lanes) as i64);
        let first = _mm256_set1_epi64x(addresses[0] as i64);
        let mut expected = _mm256_add_epi64(first, _mm256_set_epi64x(three, two, one, 0));
        let (four, mut apart) = (_mm256_set1_epi64x(four), _mm256_setzero_si256());
        for lanes in addresses.chunks_exact(4) {
            // SAFETY: four numbers are there.
            let here = unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) };
            apart = _mm256_or_si256(apart, _mm256_xor_si256(here, expected));
            expected = _mm256_add_epi64(expected, four);
        }
        _mm256_testz_si256(apart, apart) != 0
    }

    /// Four lanes at a time.
    #[target_feature(enable = "avx2")]
    pub(super) fn links(addresses: &[u64; 32], bytes: u64) -> super::Links {
        let (zero, bytes) = (_mm256_setzero_si256(), _mm256_set1_epi64x(bytes as i64));
        let mut links = super::Links { same: 0, on: 0 };
        let bits = |equal| _mm256_movemask_pd(_mm256_castsi256_pd(equal)) as u32;
        for lane in (0..32).step_by(4) {
            // The last lane has no next one.
            let after = if lane < 28 { lane + 1 } else { lane };
            // SAFETY: four numbers from `lane` on, and from `after` on, are in the array.
            let (here, mut next) = unsafe {
                let first = addresses.as_ptr();
                (_mm256_loadu_si256(first.add(lane).cast()), _mm256_loadu_si256(first.add(after).cast()))
            };
            if lane == 28 {
                next = _mm256_permute4x64_epi64::<0b11_11_10_01>(next);
            }
            let step = _mm256_sub_epi64(next, here);
            links.same |= bits(_mm256_cmpeq_epi64(step, zero)) << lane;
            links.on |= bits(_mm256_cmpeq_epi64(step, bytes)) << lane;
        }
        links.same &= u32::MAX >> 1;
        links
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn are_halves(addresses: &[u64; 32], step: u64) -> bool {
        super::parts::are_two_rows(addresses, step)
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn are_apart(addresses: &[u64; 32], shift: u32) -> bool {
        super::pairs_apart(addresses, shift)
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn steps(addresses: &[u64; 32], bytes: u64) -> super::Steps {
        super::steps(addresses, bytes)
    }
}

/// Jumps between lanes from which on an access is scattered: eight rows of a tile are.
const JUMPS: u32 = 7;
/// Lanes that are too few to be.
pub(crate) const FEW: u32 = 8;

/// Returns whether these are aligned accesses to one, two or four words each, most of them at unrelated
/// addresses, and none to what another lane writes, or, if they are to be `apart`, accesses.
pub(crate) fn scattered(access: &Access<'_>, bytes: u64, apart: bool) -> bool {
    if !matches!(bytes, 4 | 8 | 16) || access.mask.count_ones() <= FEW {
        return false;
    }
    jumps(access, bytes)
        .is_some_and(|rising| !apart && !access.kind.writes() || rising || distinct(access, bytes))
}

/// Returns whether these are aligned accesses, most of them at unrelated addresses. Tells whether each lane
/// is behind the one before.
pub(crate) fn jumps(access: &Access<'_>, bytes: u64) -> Option<bool> {
    let addresses = access.addresses;
    let (mut jumps, mut misaligned, mut rising) = (0, 0, true);
    if access.mask.count_ones() <= FEW {
        return None;
    }
    if let Some(stride) = access.stride.filter(|_| access.mask == u32::MAX) {
        jumps = if stride == 0 || stride == bytes { 0 } else { 31 };
        misaligned = addresses[0] | stride;
        rising = addresses[31] > addresses[0] && stride < 1 << 32;
    } else if access.mask == u32::MAX {
        let steps = Steps::of(addresses, bytes);
        (jumps, misaligned, rising) = (steps.jumps as u32, steps.bits, steps.falls == 0);
    } else {
        let mut last = None;
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            let address = addresses[lane];
            jumps += u32::from(last.is_some_and(|l| address != l && address != l.wrapping_add(bytes)));
            misaligned |= address;
            rising &= last.is_none_or(|l| l < address);
            last = Some(address);
        }
    }
    (jumps >= JUMPS && misaligned & (bytes - 1) == 0).then_some(rising)
}

/// Returns whether each lane has an address of its own.
pub(crate) fn distinct(access: &Access<'_>, bytes: u64) -> bool {
    let shift = bytes.trailing_zeros();
    if access.mask == LaneMask::MAX && are_apart(access.addresses, shift) {
        return true;
    }
    let mut seen = [0u64; 32];
    let mut rest = access.mask;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let address = access.addresses[lane];
        let hash = (address >> shift).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53;
        let (word, bit) = (&mut seen[hash as usize / 64], 1 << (hash % 64));
        let before = access.mask & ((1 << lane) - 1);
        let same = |other: usize| before >> other & 1 != 0 && access.addresses[other] == address;
        if *word & bit != 0 && (0..lane).any(same) {
            return false;
        }
        *word |= bit;
    }
    true
}

/// Returns whether no lane is where another one is. False also if they are so far apart that it is not plain
/// to see.
fn are_apart(addresses: &[u64; 32], shift: u32) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { vectors::are_apart(addresses, shift) };
    }
    pairs_apart(addresses, shift)
}

/// Each lane beside the sixteen behind it, round about: without branches, so that it is done for several lanes at a time.
#[inline(always)]
fn pairs_apart(addresses: &[u64; 32], shift: u32) -> bool {
    let places: [u32; 48] = std::array::from_fn(|lane| (addresses[lane % 32] >> shift) as u32);
    let mut same = 0;
    for behind in 1..=16 {
        for lane in 0..32 {
            same |= u32::from(places[lane] == places[lane + behind]);
        }
    }
    same == 0
}

fn mask(lanes: u32) -> u32 {
    if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 }
}

fn disjoint(runs: &[Run], bytes: u64) -> bool {
    let rising = |runs: &[Run]| {
        runs.windows(2).all(|w| w[0].address.saturating_add(u64::from(w[0].lanes) * bytes) <= w[1].address)
    };
    let end = |r: &Run| r.address.saturating_add(u64::from(r.lanes) * bytes);
    let uniform = runs.iter().any(|r| r.uniform && r.lanes > 1);
    !uniform
        && (rising(runs)
            || apart(runs, bytes)
            || runs
                .iter()
                .enumerate()
                .all(|(i, a)| runs[i + 1..].iter().all(|b| end(a) <= b.address || end(b) <= a.address)))
}

/// Returns whether aligned accesses of one lane each are at different addresses. False if that is not plain
/// to see.
fn apart(runs: &[Run], bytes: u64) -> bool {
    let mut seen = [0u64; 16];
    runs.iter().all(|run| {
        let place = run.address / bytes;
        let (word, bit) = (&mut seen[(place / 64 % 16) as usize], 1 << (place % 64));
        let free = *word & bit == 0;
        *word |= bit;
        free && run.lanes == 1 && run.address % bytes == 0
    })
}

impl Run {
    /// The address behind it.
    pub(crate) fn end(&self, bytes: u64) -> u64 {
        let count = if self.uniform { 1 } else { u64::from(self.lanes) };
        self.address.saturating_add(count * bytes)
    }

    /// Calls `line` with the number of each line that the run touches, and its stamp there, which
    /// is `stamp` but for lanes and bytes.
    #[inline]
    pub(crate) fn lines(&self, bytes: u64, stamp: &Stamp, mut line: impl FnMut(u64, &Stamp)) {
        // Most are in one line.
        match self.only_line(bytes, stamp) {
            Some((number, stamp)) => line(number, &stamp),
            None => self.several_lines(bytes, stamp, &mut line),
        }
    }

    /// The line that it touches, if that is one, and its stamp there.
    #[inline(always)]
    pub(crate) fn only_line(&self, bytes: u64, stamp: &Stamp) -> Option<(u64, Stamp)> {
        let (at, end) = (self.address, self.end(bytes));
        if at >> 7 != end.wrapping_sub(1) >> 7 || at >= end {
            return None;
        }
        let (from, to) = ((at % 128) as u8, (end - (at & !127)) as u8);
        let new = if self.uniform {
            stamp.of_same(mask(self.lanes) << self.first & !self.gaps, from, to)
        } else {
            let last = self.first + ((end - 1 - at) >> bytes.trailing_zeros()) as u32;
            stamp.of_neighbours(self.first, last, bytes, 0, from, to)
        };
        Some((at >> 7, new))
    }

    fn several_lines(&self, bytes: u64, stamp: &Stamp, line: &mut dyn FnMut(u64, &Stamp)) {
        let end = self.end(bytes);
        // A power of two, as all that come here.
        let shift = bytes.trailing_zeros();
        let mut at = self.address;
        while at < end {
            let number = at / 128;
            let stop = end.min((number + 1) * 128);
            let (from, to) = ((at % 128) as u8, (stop - number * 128) as u8);
            let new = if self.uniform {
                stamp.of_same(mask(self.lanes) << self.first & !self.gaps, from, to)
            } else {
                let before = at - self.address;
                let lane = self.first + (before >> shift) as u32;
                let last = self.first + ((stop - 1 - self.address) >> shift) as u32;
                stamp.of_neighbours(lane, last, bytes, (before & (bytes - 1)) as u8, from, to)
            };
            line(number, &new);
            at = stop;
        }
    }
}

#[cfg(test)]
mod tests;
