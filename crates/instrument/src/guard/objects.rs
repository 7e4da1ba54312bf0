//! Textures and surfaces: what the host tells checks of them.
//!
//! The header of the table has a hash table of [`PLACES`] entries, from [`super::OBJECTS`] on. The host writes an
//! entry for each texture and surface object before the launches that use it. Checks find the entry by the
//! object's handle, in one of [`WAYS`] places from the handle's hash on, and compute from it the addresses
//! that a fetch or an access of a surface touches ([`super::fetches`]).
//!
//! Arrays have no addresses that kernels know. The host gives each one a range where the program has no
//! memory; copies with arrays are checked at the same addresses.

use crate::sample::GOLDEN;
use std::collections::BTreeMap;

/// The logarithm of the number of entries.
pub(super) const PLACES: u32 = 11;
/// The number of places in which an entry may be.
pub(super) const WAYS: u32 = 8;
/// The bytes of an entry.
pub const BYTES: u64 = 64;
/// The offsets in an entry: the key and the base, as two words of 64 bits; the row, the width, and the lower
/// and upper half of the slice; the height, the depth, the bytes of an element, and the flags.
pub(super) const ROW: u64 = 16;
pub(super) const HEIGHT: u64 = 32;
/// Flags of a texture.
pub(super) const LINEAR: u32 = 1;
pub(super) const NORMALIZED: u32 = 2;
/// The bit of a key that distinguishes a surface's handle from a texture's.
pub(super) const SURFACE: u64 = 1 << 63;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Surface,
    /// `linear`: whether floating-point coordinates are filtered; `normalized`: whether these are fractions
    /// of the extents.
    Texture {
        linear: bool,
        normalized: bool,
    },
}

/// A texture or a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: Kind,
    /// The address of the first element.
    pub base: u64,
    /// Bytes from one row to the next, and from one slice or layer to the next.
    pub row: u64,
    pub slice: u64,
    /// The extents in elements; 0 in dimensions that it lacks.
    pub extents: [u32; 3],
    /// Bytes of an element.
    pub element: u32,
}

impl Object {
    /// Returns the entry; `None` if its numbers are too large.
    fn entry(&self, key: u64) -> Option<[u8; BYTES as usize]> {
        let row = u32::try_from(self.row).ok()?;
        let [width, height, depth] = self.extents.map(|extent| extent.max(1));
        let flags = match self.kind {
            Kind::Surface => 0,
            Kind::Texture { linear, normalized } => {
                (u32::from(linear) * LINEAR) | (u32::from(normalized) * NORMALIZED)
            }
        };
        width.checked_mul(self.element)?;
        // Coordinates are signed numbers of 32 bits.
        let fits = [width, height, depth].iter().all(|extent| *extent <= i32::MAX as u32);
        if !fits || !(1..=16).contains(&self.element) {
            return None;
        }
        let mut out = [0; BYTES as usize];
        out[..8].copy_from_slice(&key.to_le_bytes());
        out[8..16].copy_from_slice(&self.base.to_le_bytes());
        let slice = [self.slice as u32, (self.slice >> 32) as u32];
        let words = [row, width, slice[0], slice[1], height, depth, self.element, flags];
        for (place, word) in out[ROW as usize..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Some(out)
    }
}

/// Returns an object's key.
fn key(handle: u64, surface: bool) -> u64 {
    if surface { handle | SURFACE } else { handle }
}

/// Returns the first place of a key.
fn hash(key: u64) -> u32 {
    (key as u32 ^ (key >> 32) as u32).wrapping_mul(GOLDEN as u32) >> (32 - PLACES)
}

/// The objects of a device.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    entries: BTreeMap<u32, [u8; BYTES as usize]>,
    /// The places that changed, in order.
    changed: Vec<u32>,
}

impl Objects {
    /// Adds an object, or replaces the one of its handle. Returns whether there was room.
    pub fn insert(&mut self, handle: u64, object: &Object) -> bool {
        let key = key(handle, object.kind == Kind::Surface);
        let Some(entry) = object.entry(key) else { return false };
        let free = self.place(key).or_else(|| places(key).find(|place| !self.entries.contains_key(place)));
        let Some(place) = free else { return false };
        self.entries.insert(place, entry);
        self.changed.push(place);
        true
    }

    /// Removes an object. Checks of its handle find nothing then.
    pub fn remove(&mut self, handle: u64, surface: bool) {
        if let Some(place) = self.place(key(handle, surface)) {
            self.entries.remove(&place);
            self.changed.push(place);
        }
    }

    fn place(&self, key: u64) -> Option<u32> {
        places(key)
            .find(|place| self.entries.get(place).is_some_and(|entry| entry.starts_with(&key.to_le_bytes())))
    }

    /// Returns the number of changes so far.
    pub fn changes(&self) -> usize {
        self.changed.len()
    }

    /// Returns the offsets behind [`super::OBJECTS`], and the bytes there, that differ from those after so many changes of an
    /// initially empty table.
    pub fn since(&self, changes: usize) -> BTreeMap<u64, [u8; BYTES as usize]> {
        let places = self.changed.get(changes..).unwrap_or_default();
        let entry = |place: &u32| self.entries.get(place).copied().unwrap_or([0; BYTES as usize]);
        places.iter().map(|place| (u64::from(*place) * BYTES, entry(place))).collect()
    }
}

/// Returns the places in which a key may be.
fn places(key: u64) -> impl Iterator<Item = u32> {
    (0..WAYS).map(move |way| (hash(key) + way) & ((1 << PLACES) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: Object = Object {
        kind: Kind::Texture { linear: true, normalized: true },
        base: 0x7000_1000,
        row: 256,
        slice: 5 << 32 | 1024,
        extents: [60, 4, 0],
        element: 4,
    };

    #[test]
    fn an_entry_has_all_that_checks_read() {
        let entry = OBJECT.entry(9).unwrap();
        let words: Vec<u32> =
            entry.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(words[..12], [9, 0, 0x7000_1000, 0, 256, 60, 1024, 5, 4, 1, 4, 3]);
        assert!(Object { row: 1 << 32, ..OBJECT }.entry(9).is_none());
        assert!(Object { extents: [1 << 31, 1, 1], ..OBJECT }.entry(9).is_none());
    }

    #[test]
    fn objects_are_where_their_hash_says_until_their_places_are_taken() {
        let mut objects = Objects::default();
        let first = hash(77);
        let same: Vec<u64> = (1..1 << 20).filter(|key| hash(*key) == first).take(9).collect();
        let room: Vec<bool> = same.iter().map(|handle| objects.insert(*handle, &OBJECT)).collect();
        assert_eq!(room, [[true; 8].as_slice(), &[false]].concat());
        assert_eq!(objects.since(0).len(), 8);
        objects.remove(same[3], true);
        assert_eq!(objects.changes(), 8);
        objects.remove(same[3], false);
        assert!(objects.insert(same[8], &OBJECT));
        let changed = objects.since(8);
        let [(_, entry)] = changed.iter().collect::<Vec<_>>()[..] else { panic!() };
        assert!(entry.starts_with(&same[8].to_le_bytes()));
        // A surface's handle may be a texture's, too.
        assert_ne!(key(5, true), key(5, false));
    }
}
