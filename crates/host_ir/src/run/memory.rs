//! Memory of the host and of the devices during the execution of host code: known and unknown bytes.

use super::Value;
use super::array::Image;
use crate::Last;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The first byte of objects' addresses; functions' addresses have the next one.
const TAG: u64 = 0x5A;
/// The number of bits of an offset in an object.
const OFFSET: u32 = 34;
/// Offsets begin here, so that a place before an object is not one in another object.
const FIRST: u64 = 1 << 24;
/// The assumed size of an object of unknown size.
const SOME: u64 = 1 << 33;
const PAGE: u64 = 256;

pub(super) type Id = u32;

pub(super) fn base(id: Id) -> u64 {
    TAG << 56 | u64::from(id) << OFFSET | FIRST
}

/// Returns the object that an address points into or near, and the offset from its beginning.
pub(super) fn object(address: u64) -> Option<(Id, i64)> {
    let offset = (address & ((1 << OFFSET) - 1)) as i64 - FIRST as i64;
    (address >> 56 == TAG).then_some(((address >> OFFSET & 0x3f_ffff) as Id, offset))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Host,
    /// Memory that a CUDA call has allocated.
    Device,
    /// A variable of a module, constant or not.
    Variable {
        constant: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
struct Page {
    bytes: [u8; PAGE as usize],
    known: [u64; 4],
    /// Marks the bytes that have been written.
    written: [u64; 4],
}

impl Page {
    fn new(fill: Fill) -> Page {
        let (byte, known, written) = match fill {
            Fill::Nothing => (0, 0, 0),
            Fill::Unknown => (0, 0, u64::MAX),
            Fill::Byte(b) => (b, u64::MAX, u64::MAX),
        };
        Page { bytes: [byte; PAGE as usize], known: [known; 4], written: [written; 4] }
    }

    fn get(&self, at: usize) -> Byte {
        let bit = |of: &[u64; 4]| of[at / 64] >> (at % 64) & 1 == 1;
        match (bit(&self.known), bit(&self.written)) {
            (true, _) => Byte::Known(self.bytes[at]),
            (false, true) => Byte::Unknown,
            (false, false) => Byte::Nothing,
        }
    }

    fn set(&mut self, at: usize, byte: Byte) {
        let bit = 1u64 << (at % 64);
        let (known, written) = match byte {
            Byte::Known(b) => {
                self.bytes[at] = b;
                (true, true)
            }
            Byte::Unknown => (false, true),
            Byte::Nothing => (false, false),
        };
        let put = |of: &mut [u64; 4], is| if is { of[at / 64] |= bit } else { of[at / 64] &= !bit };
        put(&mut self.known, known);
        put(&mut self.written, written);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Byte {
    Known(u8),
    Unknown,
    /// The byte was never written.
    Nothing,
}

/// The contents of absent pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Nothing,
    Unknown,
    Byte(u8),
}

#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) size: Option<u64>,
    pub(super) place: Place,
    /// The name of a variable, as in PTX.
    pub(super) name: Option<String>,
    pages: BTreeMap<u64, Rc<Page>>,
    fill: Fill,
    /// Launches that may have written to the object since, if their kernels do: the kernel and the index of
    /// the argument.
    pub(super) launches: BTreeSet<(String, u32)>,
    pub(super) last: Last,
    /// The variable has never been written.
    pub(super) untouched: bool,
    /// An array, or the description of a texture or surface object.
    pub(super) image: Option<Image>,
}

impl Object {
    pub(super) fn new(size: Option<u64>, place: Place, fill: Fill) -> Object {
        Object {
            size,
            place,
            name: None,
            pages: BTreeMap::new(),
            fill,
            launches: BTreeSet::new(),
            last: Last::default(),
            untouched: matches!(place, Place::Variable { .. }),
            image: None,
        }
    }

    fn bound(&self) -> u64 {
        self.size.unwrap_or(SOME)
    }

    /// Returns whether all of these bytes are within the object.
    pub(super) fn holds(&self, at: i64, bytes: u64) -> bool {
        u64::try_from(at).is_ok_and(|at| at.checked_add(bytes).is_some_and(|end| end <= self.bound()))
    }

    pub(super) fn byte(&self, at: u64) -> Byte {
        match self.pages.get(&(at / PAGE)) {
            Some(page) => page.get((at % PAGE) as usize),
            None => match self.fill {
                Fill::Nothing => Byte::Nothing,
                Fill::Unknown => Byte::Unknown,
                Fill::Byte(b) => Byte::Known(b),
            },
        }
    }

    pub(super) fn put(&mut self, at: u64, byte: Byte) {
        let fill = self.fill;
        let page = self.pages.entry(at / PAGE).or_insert_with(|| Rc::new(Page::new(fill)));
        Rc::make_mut(page).set((at % PAGE) as usize, byte);
        self.untouched = false;
        self.last = Last::default();
    }

    /// Fills a range of bytes.
    pub(super) fn fill(&mut self, at: u64, bytes: u64, with: Byte) {
        self.untouched = false;
        self.last = Last::default();
        if at == 0 && self.size == Some(bytes) {
            self.pages.clear();
            self.launches.clear();
            self.fill = match with {
                Byte::Known(b) => Fill::Byte(b),
                Byte::Unknown => Fill::Unknown,
                Byte::Nothing => Fill::Nothing,
            };
            return;
        }
        let mut n = at;
        while n < at + bytes {
            let rest = at + bytes - n;
            if n.is_multiple_of(PAGE) && rest >= PAGE {
                let fill = match with {
                    Byte::Known(b) => Fill::Byte(b),
                    Byte::Unknown => Fill::Unknown,
                    Byte::Nothing => Fill::Nothing,
                };
                self.pages.insert(n / PAGE, Rc::new(Page::new(fill)));
                n += PAGE;
            } else {
                self.put(n, with);
                n += 1;
            }
        }
    }

    /// Makes all contents unknown.
    pub(super) fn forget(&mut self) {
        self.pages.clear();
        self.fill = Fill::Unknown;
        self.untouched = false;
        self.last = Last::default();
    }

    pub(super) fn read(&self, at: i64, bytes: u32) -> Value {
        if !self.holds(at, u64::from(bytes)) || bytes > 8 || !self.launches.is_empty() || self.untouched {
            return Value::Unknown;
        }
        let mut word = 0u64;
        for n in 0..u64::from(bytes) {
            let Byte::Known(b) = self.byte(at as u64 + n) else { return Value::Unknown };
            word |= u64::from(b) << (8 * n);
        }
        let unused = 64 - 8 * bytes.max(1);
        Value::Number(((word << unused) as i64) >> unused)
    }

    pub(super) fn write(&mut self, at: u64, bytes: u32, value: &Value) {
        for n in 0..bytes {
            let byte = match value {
                Value::Number(v) if n < 8 => Byte::Known((v >> (8 * n)) as u8),
                _ => Byte::Unknown,
            };
            self.put(at + u64::from(n), byte);
        }
    }

    /// Returns all bytes, if they are known. An unwritten byte in a word with known bytes is padding.
    pub(super) fn contents(&self, most: u64) -> Option<Vec<u8>> {
        let size = self.size.filter(|&n| n <= most && !self.untouched)?;
        let begun = |n: u64| {
            let word = n / 8 * 8;
            (word..size.min(word + 8)).any(|n| matches!(self.byte(n), Byte::Known(_)))
        };
        let known = |n| match self.byte(n) {
            Byte::Known(b) => Some(b),
            Byte::Nothing if begun(n) => Some(0),
            _ => None,
        };
        (0..size).map(known).collect()
    }

    /// Returns the positions and targets of addresses in the object, in words whose bytes are all known.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (u64, Id, i64)> + '_ {
        let words = self.pages.keys().flat_map(|page| (0..PAGE / 8).map(move |n| page * PAGE + 8 * n));
        words.filter_map(|at| {
            let (id, offset) = object(self.raw(at).number()? as u64)?;
            Some((at, id, offset))
        })
    }

    /// Returns the addresses of objects and functions in the object.
    pub(super) fn pointers(&self) -> BTreeSet<u64> {
        let mut found = BTreeSet::new();
        for &page in self.pages.keys() {
            for n in 0..PAGE / 8 {
                if let Value::Number(v) = self.raw(page * PAGE + 8 * n)
                    && matches!(v as u64 >> 56, 0x5A | 0x5B)
                {
                    found.insert(v as u64);
                }
            }
        }
        found
    }

    /// Reads a word, ignoring launches that may have written to it since.
    fn raw(&self, at: u64) -> Value {
        let mut word = 0u64;
        for n in 0..8 {
            let Byte::Known(b) = self.byte(at + n) else { return Value::Unknown };
            word |= u64::from(b) << (8 * n);
        }
        Value::Number(word as i64)
    }

    /// Retains the contents that are equal in both objects. Returns whether this object has lost something,
    /// and collects addresses that are lost.
    pub(super) fn merge(&mut self, other: &Object, lost: &mut BTreeSet<u64>) -> bool {
        let mut changed = !other.launches.is_subset(&self.launches);
        self.launches.extend(other.launches.iter().cloned());
        changed |= self.untouched && !other.untouched;
        changed |= self.last.both(&other.last);
        let keys: BTreeSet<u64> = self.pages.keys().chain(other.pages.keys()).copied().collect();
        let same_fill = self.fill == other.fill;
        for key in keys {
            if let (Some(a), Some(b)) = (self.pages.get(&key), other.pages.get(&key))
                && Rc::ptr_eq(a, b)
            {
                continue;
            }
            for at in (key * PAGE..).take(PAGE as usize) {
                let (a, b) = (self.byte(at), other.byte(at));
                if a != b && a != Byte::Unknown {
                    for object in [&*self, other] {
                        if let Value::Number(v) = object.raw(at / 8 * 8)
                            && matches!(v as u64 >> 56, 0x5A | 0x5B)
                        {
                            lost.insert(v as u64);
                        }
                    }
                    self.put(at, Byte::Unknown);
                    changed = true;
                }
            }
        }
        if !same_fill && self.fill != Fill::Unknown {
            // Neither object has the other pages.
            self.fill = Fill::Unknown;
            changed = true;
        }
        self.untouched &= other.untouched;
        if self.image != other.image {
            changed |= self.image.is_some();
            self.image = None;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_known_as_long_as_both_ways_agree() {
        let mut one = Object::new(Some(1000), Place::Device, Fill::Nothing);
        assert_eq!(one.read(0, 4), Value::Unknown);
        one.fill(0, 1000, Byte::Known(0));
        one.write(8, 8, &Value::Number(-2));
        assert_eq!((one.read(8, 4), one.read(12, 2)), (Value::Number(-2), Value::Number(-1)));
        let mut other = one.clone();
        other.write(10, 1, &Value::Number(7));
        let mut lost = BTreeSet::new();
        assert!(one.merge(&other, &mut lost));
        assert_eq!((one.read(8, 2), one.read(8, 4)), (Value::Number(-2), Value::Unknown));
        assert!(!one.merge(&other, &mut lost));
        assert_eq!(one.contents(1 << 20), None);
        one.write(10, 1, &Value::Number(1));
        assert_eq!(one.contents(1 << 20).map(|c| c[8..12].to_vec()), Some(vec![254, 255, 1, 255]));
    }

    #[test]
    fn gaps_between_fields_are_no_reason_to_know_nothing() {
        let mut one = Object::new(Some(24), Place::Device, Fill::Nothing);
        one.write(0, 8, &Value::Number(5));
        one.write(8, 4, &Value::Number(7));
        assert_eq!(one.contents(1 << 20), None);
        one.write(16, 8, &Value::Number(9));
        assert_eq!(one.contents(1 << 20).map(|c| c[8..17].to_vec()), Some(vec![7, 0, 0, 0, 0, 0, 0, 0, 9]));
        one.write(12, 4, &Value::Unknown);
        assert_eq!(one.contents(1 << 20), None);
    }

    #[test]
    fn places_in_front_of_an_object_are_no_other_ones() {
        assert_eq!(object(base(3)), Some((3, 0)));
        assert_eq!(object(base(3) - 4), Some((3, -4)));
        assert_eq!(object(12), None);
        let one = Object::new(Some(8), Place::Host, Fill::Byte(1));
        assert!(one.holds(0, 8) && !one.holds(-4, 4) && !one.holds(4, 8));
    }
}
