//! What the host tells a launch: which one it is, and which others are ordered before it.
//!
//! Launches that are ordered one after the other have a lane, and numbers there, from 1 on. What is ordered before a point of the
//! program is said by the last such number of each lane ([`Before`]). Kernels get it as a parameter behind their own ones, and compare with it
//! who accessed a word last (see `runtime`). What cannot be known is taken as ordered.

use crate::PREFIX;

/// Lanes that the host gives away.
pub const LANES: usize = 8;
/// Bytes of the parameter, which is aligned to 8.
pub const BYTES: u32 = TABLE + 8;
/// Most bytes of a kernel's own parameters, so that there is room for one more (PTX §5.1.6.2: 4,352 for all).
pub const MOST: u32 = 4_000;

/// Whether there is a parameter at all, and one that the host has filled in: its first word.
pub(super) const MAGIC: u32 = 0x7761_7270;
/// Where in it the lane, the number, what chooses the sample, and the lanes' numbers are.
pub(super) const LANE: u32 = 4;
pub(super) const NUMBER: u32 = 8;
pub(super) const SEED: u32 = 12;
pub(super) const BEFORE: u32 = 16;
/// The lane beside whose last launch it may begin, plus 1; 0 if there is none.
pub(super) const OVERLAP: u32 = BEFORE + 4 * LANES as u32;
/// Where the table of the launch's device is, for kernels that are not made for one.
pub(super) const TABLE: u32 = OVERLAP + 8;

/// Launches that sample alike while there are several lanes: other launches' accesses are met only where both look.
const ALIKE: u32 = 16;

/// The parameter's name.
pub fn parameter() -> String {
    format!("{PREFIX}launch")
}

/// Its declaration.
pub(super) fn declared() -> String {
    format!(".param .align 8 .b8 {}[{BYTES}]", parameter())
}

/// May kernels launch others? These get their parameters from them.
pub fn launches(text: &str) -> bool {
    text.contains("cudaLaunchDevice") || text.contains("cudaGetParameterBuffer")
}

/// From when on a kernel's accesses are ordered behind those of the kernel before it, if it may begin before that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Early {
    /// It does not begin so: its target has no such instructions.
    Never,
    /// Nobody knows: from the beginning.
    #[default]
    Unknown,
    /// It never waits.
    Throughout,
    /// From where a thread has waited, or met one that may have.
    UntilWaited,
}

/// What the host has to know of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Parameters of its own.
    pub parameters: u32,
    /// Where the host's word stands behind them.
    pub at: u32,
    /// May it learn, while it runs, what other launches or the host have done?
    pub acquires: bool,
    /// May the host learn of it before it has ended?
    pub tells: bool,
    /// May other launches?
    pub publishes: bool,
    /// What is ordered if it may begin before the kernel before it has ended.
    pub early: Early,
    /// Has that ended before the next one can begin?
    pub gates: bool,
}

impl Launched {
    /// Something that nobody can learn of but by its end.
    pub fn plain(parameters: u32) -> Launched {
        Launched {
            parameters,
            at: 0,
            acquires: false,
            tells: false,
            publishes: false,
            early: Early::Unknown,
            gates: false,
        }
    }
}

/// Launches that are ordered before some point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// Of each lane, up to this number.
    pub numbers: [u32; LANES],
    /// Something was acquired there, of which nothing more is known: all others may be, too.
    pub all: bool,
}

impl Before {
    /// Is all that the other one knows known here, too?
    pub fn covers(&self, other: &Before) -> bool {
        self.all || self.numbers.iter().zip(other.numbers).all(|(own, other)| *own >= other)
    }

    /// What both know.
    pub fn join(&mut self, other: &Before) {
        self.all |= other.all;
        for (own, other) in self.numbers.iter_mut().zip(other.numbers) {
            *own = (*own).max(other);
        }
    }
}

/// All launches of a device, by lane.
#[derive(Clone, Debug, Default)]
pub struct Launches {
    last: [u32; LANES],
    lanes: usize,
    all: u32,
}

impl Launches {
    /// A lane of its own for launches that are ordered one after the other; `None` if there is none left.
    pub fn lane(&mut self) -> Option<usize> {
        let lane = self.lanes;
        (lane < LANES).then(|| {
            self.lanes += 1;
            lane
        })
    }

    /// Are there launches, or may there be some, that are not ordered with each other?
    pub fn several(&self) -> bool {
        self.lanes > 1
    }

    /// All that were told so far.
    pub fn so_far(&self) -> Before {
        Before { numbers: self.last, all: false }
    }

    /// A launch in a lane: its number, and what its kernel is told. `before` has to know the lane's launches before it.
    pub fn next(&mut self, lane: usize, before: &Before) -> (u32, [u8; BYTES as usize]) {
        self.exactly(lane, before, &[])
    }

    /// The same; of `exact` lanes no more can be known than their numbers say, even if everything may be.
    pub(super) fn exactly(
        &mut self,
        lane: usize,
        before: &Before,
        exact: &[usize],
    ) -> (u32, [u8; BYTES as usize]) {
        self.last[lane] += 1;
        self.all += 1;
        let number = self.last[lane];
        let seed = if self.several() { self.all / ALIKE } else { self.all };
        let mut out = [0; BYTES as usize];
        let mut put = |at: u32, word: u32| {
            out[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
        };
        put(0, MAGIC);
        put(LANE, lane as u32);
        put(NUMBER, number);
        put(SEED, seed);
        for (i, &last) in before.numbers.iter().enumerate() {
            let all = before.all && !exact.contains(&i);
            put(BEFORE + 4 * i as u32, if all { u32::MAX } else { last });
        }
        (number, out)
    }

    /// Says to a launch beside which lane's last one it may begin.
    pub(super) fn beside(mut told: [u8; BYTES as usize], lane: usize) -> [u8; BYTES as usize] {
        told[OVERLAP as usize..OVERLAP as usize + 4].copy_from_slice(&(lane as u32 + 1).to_le_bytes());
        told
    }

    /// What a kernel is told of whose launch nothing is known.
    pub const UNKNOWN: [u8; BYTES as usize] = [0; BYTES as usize];

    /// Adds to what a launch is told where its device's table is.
    pub fn with_table(mut told: [u8; BYTES as usize], table: u64) -> [u8; BYTES as usize] {
        told[TABLE as usize..].copy_from_slice(&table.to_le_bytes());
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
        // What somebody may have acquired orders everything.
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
        let mut one = Before { numbers: [3, 0, 0, 0, 0, 0, 0, 9], all: false };
        one.join(&Before { numbers: [1, 2, 0, 0, 0, 0, 0, 9], all: true });
        assert_eq!(one, Before { numbers: [3, 2, 0, 0, 0, 0, 0, 9], all: true });
    }
}
