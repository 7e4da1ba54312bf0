//! Which elements of its array an instruction has accessed.
//!
//! An element is what one lane accesses, so that each lane's question is about one bit. Lanes in a row, and lanes at
//! one element, need no look at each address. For other warps, the distances between their lanes are
//! [remembered](Repeated): a warp with the same distances asks for one bit, too.
//!
//! An access is skipped or judged as a whole: the ways of whole warps are faster than those of a few of their lanes.

use crate::ptx::access::touches::lanes;
use events::{Access, LaneMask};
use std::ops::Range;

/// Warps with other distances than those remembered, after which theirs are.
const OTHERS: u32 = 1 << 10;
/// Times that this happens before no distances are remembered.
const CHANGES: u32 = 4;
/// Accesses from which on it is known whether noting elements pays.
const SOME: u64 = 256;

/// Returns the most bytes that the notes about an array take: two bits for each byte that is an element.
pub(super) fn most_bytes(array: &Range<u64>) -> u64 {
    (array.end - array.start) / 4 + 64
}

/// The elements that an instruction has accessed.
#[derive(Debug)]
pub(super) struct Elements {
    array: Range<u64>,
    /// Whether its accesses race with nothing. If not, only the array's limits matter.
    is_free: bool,
    /// The bytes of an element, and their logarithm; 0 before the first access.
    bytes: u64,
    shift: u32,
    /// The number of the array's first element: addresses divided by the bytes of an element.
    first: u64,
    accessed: Bits,
    repeated: Option<Box<Repeated>>,
    changes: u32,
    /// The accesses for which elements were noted, and those of them that were skipped.
    noted: u64,
    skipped: u64,
}

/// A bit for each element of an array. One word more than needed, so that 64 bits can be read from any element on.
#[derive(Debug, Default)]
struct Bits(Box<[u64]>);

/// Warps whose lanes have the same distances.
#[derive(Debug)]
struct Repeated {
    /// The distance of each lane's address from the first lane's.
    distances: [u64; 32],
    /// The first lanes' elements of warps all of whose elements the instruction has accessed.
    accessed: Bits,
    others: u32,
}

impl Bits {
    fn new(count: u64) -> Bits {
        Bits(vec![0; count as usize / 64 + 2].into())
    }

    #[inline]
    fn get(&self, at: u64) -> bool {
        self.0.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
    }

    /// Sets a bit. Returns whether it was set before.
    #[inline]
    fn set(&mut self, at: u64) -> bool {
        let Some(word) = self.0.get_mut(at as usize / 64) else { return false };
        let was = *word >> (at % 64) & 1 != 0;
        *word |= 1 << (at % 64);
        was
    }

    /// Sets the bits of `mask` from bit `at` on. Returns those that were not set before.
    #[inline]
    fn set_many(&mut self, at: u64, mask: u32) -> u32 {
        let (word, low) = (at as usize / 64, at % 64);
        let Some([first, second]) = self.0.get_mut(word..word + 2) else { return mask };
        let both = u128::from(*first) | u128::from(*second) << 64;
        let new = mask & !((both >> low) as u32);
        if new != 0 {
            let set = both | u128::from(mask) << low;
            (*first, *second) = (set as u64, (set >> 64) as u64);
        }
        new
    }
}

impl Elements {
    pub(super) fn new(array: Range<u64>, is_free: bool) -> Elements {
        Elements {
            array,
            is_free,
            bytes: 0,
            shift: 0,
            first: 0,
            accessed: Bits::default(),
            repeated: None,
            changes: 0,
            noted: 0,
            skipped: 0,
        }
    }

    /// Returns whether noting elements took more than it saved: most accesses had a new one.
    pub(super) fn is_in_vain(&self) -> bool {
        self.noted >= SOME && self.skipped < self.noted / 2
    }

    /// Adds an access. Returns its lanes if the instruction has not accessed all of their elements before, and none
    /// if it has; `None` if one leaves the array.
    #[inline]
    pub(super) fn add(&mut self, access: &Access<'_>) -> Option<LaneMask> {
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        if bytes != self.bytes && !self.begin(bytes) {
            return self.is_inside(access, bytes).then_some(access.mask);
        }
        let skips = self.note(access, bytes)? == 0;
        self.noted += 1;
        self.skipped += u64::from(skips);
        Some(if skips { 0 } else { access.mask })
    }

    /// Notes the elements of an access. Returns the lanes that are at new ones.
    #[inline]
    fn note(&mut self, access: &Access<'_>, bytes: u64) -> Option<LaneMask> {
        let lane = access.mask.trailing_zeros();
        let first = access.addresses[lane as usize % 32];
        match access.stride {
            Some(0) => {
                let at = self.element(first)?;
                Some(if self.accessed.set(at) { 0 } else { access.mask })
            }
            Some(stride) if stride == bytes => {
                let last = 31 - access.mask.leading_zeros();
                let at = self.element(first)?;
                self.element(first.wrapping_add(u64::from(last - lane) * bytes))?;
                Some(self.accessed.set_many(at, access.mask >> lane) << lane)
            }
            _ => self.add_scattered(access),
        }
    }

    /// Begins to note elements of so many bytes. Returns whether there are such.
    #[cold]
    fn begin(&mut self, bytes: u64) -> bool {
        if !self.is_free || !bytes.is_power_of_two() || self.bytes != 0 {
            return false;
        }
        (self.bytes, self.shift) = (bytes, bytes.trailing_zeros());
        self.first = self.array.start >> self.shift;
        self.accessed = Bits::new(self.count());
        true
    }

    fn count(&self) -> u64 {
        (self.array.end >> self.shift) - self.first + 1
    }

    fn is_inside(&self, access: &Access<'_>, bytes: u64) -> bool {
        lanes(access.mask).all(|lane| {
            let address = access.addresses[lane];
            let end = address.checked_add(bytes);
            self.array.start <= address && end.is_some_and(|end| end <= self.array.end)
        })
    }

    /// Returns the place of the element at an address, in the bits; `None` if it is not in the array, or not
    /// aligned.
    #[inline]
    fn element(&self, address: u64) -> Option<u64> {
        let room = (self.array.end - self.array.start).checked_sub(self.bytes)?;
        let inside = address.wrapping_sub(self.array.start) <= room && address & (self.bytes - 1) == 0;
        inside.then(|| (address >> self.shift) - self.first)
    }

    fn add_scattered(&mut self, access: &Access<'_>) -> Option<LaneMask> {
        let whole = access.mask == LaneMask::MAX;
        if whole
            && let Some(repeated) = &self.repeated
            && repeated.is(access.addresses)
            && repeated.accessed.get(self.element(access.addresses[0])?)
        {
            return Some(0);
        }
        let mut new = 0;
        for lane in lanes(access.mask) {
            let at = self.element(access.addresses[lane])?;
            new |= u32::from(!self.accessed.set(at)) << lane;
        }
        if whole {
            self.remember(access.addresses);
        }
        Some(new)
    }

    /// Records that all elements of a warp have been accessed.
    fn remember(&mut self, addresses: &[u64; 32]) {
        let Some(at) = self.element(addresses[0]) else { return };
        if self.changes == CHANGES {
            return;
        }
        if let Some(repeated) = &mut self.repeated {
            if repeated.is(addresses) {
                repeated.accessed.set(at);
                return;
            }
            repeated.others += 1;
            if repeated.others < OTHERS {
                return;
            }
            self.changes += 1;
        }
        let mut repeated = Repeated {
            distances: addresses.map(|address| address.wrapping_sub(addresses[0])),
            accessed: Bits::new(self.count()),
            others: 0,
        };
        repeated.accessed.set(at);
        self.repeated = (self.changes < CHANGES).then(|| Box::new(repeated));
    }
}

impl Repeated {
    /// Returns whether the lanes have these distances.
    #[inline]
    fn is(&self, addresses: &[u64; 32]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { have_with_avx2(addresses, &self.distances) };
        }
        have(addresses, &self.distances)
    }
}

#[inline(always)]
fn have(addresses: &[u64; 32], distances: &[u64; 32]) -> bool {
    let differ = |(address, distance): (&u64, &u64)| address.wrapping_sub(addresses[0]) ^ distance;
    addresses.iter().zip(distances).fold(0, |any, lane| any | differ(lane)) == 0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn have_with_avx2(addresses: &[u64; 32], distances: &[u64; 32]) -> bool {
    have(addresses, distances)
}
