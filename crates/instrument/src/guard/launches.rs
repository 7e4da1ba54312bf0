//! The launch parameter, by which the host tells a launch its identity and the launches ordered before it.
//!
//! Launches that are ordered one after the other share a lane, and have numbers there, from 1 on. The last
//! such number of each lane describes the launches ordered before a point of the program ([`Before`]).
//! Kernels receive it as a parameter behind their own ones, and compare it with the launches of a word's last
//! accesses (see `runtime`). Unknown order counts as ordered.

use crate::PREFIX;
use stream_order::Known;

/// The number of lanes that the host assigns.
pub const LANES: usize = 8;
/// The bytes of the parameter, which is aligned to 8.
pub const BYTES: u32 = APART + 8;
/// The largest number of bytes of a kernel's own parameters that allows another parameter (PTX §5.1.6.2:
/// 4,352 for all).
pub const MOST: u32 = 4_000;

/// The first word of a parameter that the host has filled in.
pub(super) const MAGIC: u32 = 0x7761_7270;
/// The offsets of the lane, the number, the seed of the sample, and the lanes' numbers.
pub(super) const LANE: u32 = 4;
pub(super) const NUMBER: u32 = 8;
pub(super) const SEED: u32 = 12;
pub(super) const BEFORE: u32 = 16;
/// The offset of the lane beside whose last launch it may begin, plus 1; 0 if there is none.
pub(super) const OVERLAP: u32 = BEFORE + 4 * LANES as u32;
/// The offset, for kernels that are not instrumented for one device, of the launch's device and of the devices all
/// of whose launches may be ordered before it ([`Devices`]).
pub(super) const DEVICE: u32 = OVERLAP + 4;
/// The offset of the address of the launch's table, for the same kernels.
pub(super) const TABLE: u32 = OVERLAP + 8;
/// The offset of the groups of checks that the launch leaves out, a bit for each ([`super::groups`]).
pub(super) const APART: u32 = TABLE + 8;

/// In the word at [`DEVICE`], the mask of the device's number, and the position of the set of devices.
pub(super) const DEVICE_MASK: u32 = 0xffff;
pub(super) const DEVICES_AT: u32 = 16;

/// The number of consecutive launches with one sample while there are several lanes: races with other
/// launches are found only in pieces that both check.
const ALIKE: u32 = 16;

/// Returns the parameter's name.
pub fn parameter() -> String {
    format!("{PREFIX}launch")
}

/// Returns its declaration.
pub(super) fn declared() -> String {
    format!(".param .align 8 .b8 {}[{BYTES}]", parameter())
}

/// Returns whether kernels of a text may launch others, which then receive their parameters from them.
pub fn launches(text: &str) -> bool {
    ["cudaLaunchDevice", "cudaGetParameterBuffer", "cudaCDP2LaunchDevice"]
        .iter()
        .any(|name| text.contains(name))
}

/// The part of a kernel that is ordered behind the preceding kernel, if it may begin before that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Early {
    /// It does not begin early: its target has no such instructions.
    Never,
    /// The order is unknown: all of it counts as ordered.
    #[default]
    Unknown,
    /// It never waits, so none of it is ordered.
    Throughout,
    /// The part after a thread has waited, or synchronised with one that may have.
    UntilWaited,
}

/// The properties of a kernel that the host uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// The number of its own parameters.
    pub parameters: u32,
    /// The offset of the launch parameter behind them.
    pub at: u32,
    /// Whether it may acquire, while it runs, from other launches or the host.
    pub acquires: bool,
    /// Whether it may acquire from launches of other devices while it runs.
    pub acquires_far: bool,
    /// Whether the host may acquire from it before its end.
    pub tells: bool,
    /// Whether other launches may acquire from it before its end.
    pub publishes: bool,
    /// The part of it that is ordered if it may begin before the preceding kernel has ended.
    pub early: Early,
    /// Whether the preceding kernel has ended before the next one can begin.
    pub gates: bool,
}

impl Launched {
    /// Returns the properties of an operation that is ordered before others only by its end.
    pub fn plain(parameters: u32) -> Launched {
        Launched {
            parameters,
            at: 0,
            acquires: false,
            acquires_far: false,
            tells: false,
            publishes: false,
            early: Early::Unknown,
            gates: false,
        }
    }
}

/// A set of devices, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Devices(u16);

impl Devices {
    /// The set of all devices.
    pub const ALL: Devices = Devices(u16::MAX);
    pub const NONE: Devices = Devices(0);

    /// The largest number of a device in a set.
    pub const LAST: u32 = u16::BITS - 1;

    /// Returns the set of one device; `None` if its number is too large.
    pub fn of(device: u32) -> Option<Devices> {
        (device <= Devices::LAST).then(|| Devices(1 << device))
    }

    /// Adds the devices of `other`.
    pub fn join(&mut self, other: Devices) {
        self.0 |= other.0;
    }

    /// Returns whether a device is in both sets.
    pub fn meets(self, other: Devices) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the set as the word of [`super::WIDENED`].
    pub fn word(self) -> u32 {
        self.0.into()
    }
}

/// The launches that are ordered before some point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// For each lane, the number of the last such launch.
    pub numbers: [u32; LANES],
    /// Whether an acquire of unknown extent precedes the point, so that all other launches may be ordered,
    /// too.
    pub all: bool,
    /// Whether an operation other than a library's kernel without PTX may have made such an acquire.
    pub beyond_libraries: bool,
    /// The devices on which launches have acquired with the scope of their device: all launches of these may be ordered, too,
    /// and whatever these have acquired from other devices.
    pub within: Devices,
}

impl Known for Before {
    fn join(&mut self, other: &Before) {
        Before::join(self, other);
    }
}

impl Before {
    /// Returns whether all launches ordered according to `other` are ordered here, too.
    pub fn covers(&self, other: &Before) -> bool {
        self.all || self.numbers.iter().zip(other.numbers).all(|(own, other)| *own >= other)
    }

    /// Records an acquire of unknown extent.
    pub fn may_know_all(&mut self) {
        (self.all, self.beyond_libraries) = (true, true);
    }

    /// Records that an acquire of unknown extent is over: what it may have ordered is in the numbers.
    pub fn knows_exactly(&mut self) {
        (self.all, self.beyond_libraries, self.within) = (false, false, Devices::default());
    }

    /// Returns the same point if kernels of libraries synchronise with others by launch and end only.
    pub fn without_libraries(self) -> Before {
        Before { all: self.beyond_libraries, ..self }
    }

    /// Adds the launches of `other`.
    pub fn join(&mut self, other: &Before) {
        self.all |= other.all;
        self.beyond_libraries |= other.beyond_libraries;
        self.within.join(other.within);
        for (own, other) in self.numbers.iter_mut().zip(other.numbers) {
            *own = (*own).max(other);
        }
    }
}

/// The numbers of all launches of a device, by lane.
#[derive(Clone, Debug)]
pub struct Launches {
    last: [u32; LANES],
    lanes: usize,
    all: u32,
    /// The lanes of possible accesses, which are made by kernels of libraries without PTX.
    possible: [bool; LANES],
    /// The device of each lane; all if it is not known.
    devices: [Devices; LANES],
}

impl Default for Launches {
    fn default() -> Launches {
        let (last, possible, devices) = ([0; LANES], [false; LANES], [Devices::ALL; LANES]);
        Launches { last, lanes: 0, all: 0, possible, devices }
    }
}

impl Launches {
    /// Returns a new lane for launches that are ordered one after the other; `None` if all are in use.
    pub fn lane(&mut self) -> Option<usize> {
        let lane = self.lanes;
        (lane < LANES).then(|| {
            self.lanes += 1;
            lane
        })
    }

    /// Returns a new lane for possible accesses. What such kernels may have acquired or released while they ran does not
    /// order them.
    pub fn possible_lane(&mut self) -> Option<usize> {
        let lane = self.lane()?;
        self.possible[lane] = true;
        Some(lane)
    }

    /// Returns `before` with the numbers of `known` in the lanes of possible accesses, unless an operation other than a
    /// library's kernel may have ordered everything.
    pub fn possible_as_in(&self, mut before: Before, known: &Before) -> Before {
        let lanes = self.possible.iter().enumerate().filter(|(_, possible)| **possible);
        for (lane, _) in lanes.filter(|_| !known.beyond_libraries) {
            before.numbers[lane] = known.numbers[lane];
        }
        before
    }

    /// Records the device of a lane's launches.
    pub fn is_on(&mut self, lane: usize, device: Devices) {
        self.devices[lane] = device;
    }

    /// Returns `before` with all launches so far of these devices.
    pub fn with_devices(&self, mut before: Before, devices: Devices) -> Before {
        for (lane, number) in before.numbers.iter_mut().enumerate() {
            if self.devices[lane].meets(devices) {
                *number = (*number).max(self.last[lane]);
            }
        }
        before
    }

    /// Returns whether unordered launches exist or may exist.
    pub fn several(&self) -> bool {
        self.lanes > 1
    }

    /// Returns all launches so far.
    pub fn so_far(&self) -> Before {
        Before { numbers: self.last, ..Before::default() }
    }

    /// Returns the sample that the last launch checks: launches with one sample check the same pieces of memory.
    pub fn sample(&self) -> u32 {
        self.sample_of(self.all)
    }

    /// Returns the sample of the next launch.
    pub fn next_sample(&self) -> u32 {
        self.sample_of(self.all + 1)
    }

    fn sample_of(&self, launch: u32) -> u32 {
        if self.several() { launch / ALIKE } else { launch }
    }

    /// Records a launch in a lane; returns its number and its launch parameter. `before` must contain the
    /// lane's earlier launches.
    pub fn next(&mut self, lane: usize, before: &Before) -> (u32, [u8; BYTES as usize]) {
        self.exactly(lane, before, &[])
    }

    /// Records a launch like [`Launches::next`], except that for `exact` lanes the numbers hold even if
    /// everything may be ordered.
    pub(super) fn exactly(
        &mut self,
        lane: usize,
        before: &Before,
        exact: &[usize],
    ) -> (u32, [u8; BYTES as usize]) {
        self.last[lane] += 1;
        self.all += 1;
        let number = self.last[lane];
        let seed = self.sample();
        let mut out = [0; BYTES as usize];
        let mut put = |at: u32, word: u32| {
            out[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
        };
        put(0, MAGIC);
        put(LANE, lane as u32);
        put(NUMBER, number);
        put(SEED, seed);
        for (i, &last) in before.numbers.iter().enumerate() {
            let is_exact = exact.contains(&i) || (self.possible[i] && !before.beyond_libraries);
            let all = before.all && !is_exact;
            put(BEFORE + 4 * i as u32, if all { u32::MAX } else { last });
        }
        put(DEVICE, before.within.word() << DEVICES_AT);
        (number, out)
    }

    /// Sets the lane beside whose last launch a launch may begin.
    pub(super) fn beside(mut told: [u8; BYTES as usize], lane: usize) -> [u8; BYTES as usize] {
        told[OVERLAP as usize..OVERLAP as usize + 4].copy_from_slice(&(lane as u32 + 1).to_le_bytes());
        told
    }

    /// The launch parameter of a launch whose order is unknown.
    pub const UNKNOWN: [u8; BYTES as usize] = [0; BYTES as usize];

    /// Sets the groups of checks that a launch leaves out ([`super::groups`]), in its launch parameter.
    pub fn without(mut told: [u8; BYTES as usize], groups: u64) -> [u8; BYTES as usize] {
        told[APART as usize..].copy_from_slice(&groups.to_le_bytes());
        told
    }

    /// Sets the device, and the address of its table, in a launch parameter.
    pub fn with_table(mut told: [u8; BYTES as usize], table: u64, device: u32) -> [u8; BYTES as usize] {
        told[TABLE as usize..APART as usize].copy_from_slice(&table.to_le_bytes());
        let own = device.min(DEVICE_MASK) as u16;
        told[DEVICE as usize..DEVICE as usize + 2].copy_from_slice(&own.to_le_bytes());
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8], at: u32) -> u32 {
        let at = at as usize;
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    }

    #[test]
    fn a_launch_is_told_its_number_and_what_is_before_it() {
        let mut launches = Launches::default();
        let lanes = [launches.lane(), launches.lane()];
        assert_eq!(lanes, [Some(0), Some(1)]);
        let mut before = Before::default();
        before.numbers[0] = launches.next(0, &Before::default()).0;
        let (number, told) = launches.next(1, &before);
        assert_eq!((number, word(&told, LANE), word(&told, NUMBER)), (1, 1, 1));
        assert_eq!([word(&told, BEFORE), word(&told, BEFORE + 4)], [1, 0]);
        // An acquire of unknown extent orders everything.
        before.all = true;
        let (number, told) = launches.next(1, &before);
        assert_eq!((number, word(&told, BEFORE), word(&told, BEFORE + 4)), (2, u32::MAX, u32::MAX));
        assert_eq!(launches.so_far().numbers[..2], [1, 2]);
    }

    #[test]
    fn lanes_end() {
        let mut launches = Launches::default();
        assert!((0..LANES).all(|n| launches.lane() == Some(n)));
        assert_eq!(launches.lane(), None);
        assert_eq!(word(&Launches::UNKNOWN, 0), 0);
    }

    #[test]
    fn what_is_before_both_is_the_later_of_each_lane() {
        let of = |numbers, all| Before { numbers, all, ..Before::default() };
        let mut one = of([3, 0, 0, 0, 0, 0, 0, 9], false);
        one.join(&of([1, 2, 0, 0, 0, 0, 0, 9], true));
        assert_eq!(one, of([3, 2, 0, 0, 0, 0, 0, 9], true));
    }
}
