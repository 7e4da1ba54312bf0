//! Numbers that the launches of a kernel have had, and ranges for questions about those that differ.
//!
//! A host loop passes its counter, or a grid that shrinks with it, to launch after launch. A proof for one value would
//! be worth one launch. So the prover is asked about ranges first: of any size, below the numbers that all launches
//! share (a matrix's extents), a few times as large as those seen, and those seen.

use events::{LaunchFacts, LaunchInfo};
use prove::facts::assume::Part;
use prove::facts::spread::Spread;
use std::ops::RangeInclusive;

/// Numbers of 64 bits are sizes if they are below this, in both directions.
const MOST: i64 = 1 << 31;
/// Ranges end at so many times the greatest number or extent that was seen.
const TIMES: i64 = 4;

/// Ends of ranges for numbers and for extents. Questions with more launches come first.
const STEPS: [(Beyond, Beyond); 5] = [
    (Beyond::Any, Beyond::Any),
    (Beyond::Shared, Beyond::Times),
    (Beyond::Shared, Beyond::Seen),
    (Beyond::Times, Beyond::Seen),
    (Beyond::Seen, Beyond::Seen),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    Any,
    /// Below the least larger number that all launches share.
    Shared,
    Times,
    Seen,
}

/// The launches of a kernel with blocks of one shape.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    grid: [(u32, u32); 3],
    /// The parameters' bytes in the first launch, and the least and the greatest numbers at multiples of four and of
    /// eight bytes.
    first: Vec<u8>,
    words: Vec<(i64, i64)>,
    longs: Vec<(i64, i64)>,
    /// Whether a byte differs between launches.
    differs: Vec<bool>,
}

impl Seen {
    pub(super) fn new(info: &LaunchInfo, params: &[u8]) -> Seen {
        let grid = [info.grid.x, info.grid.y, info.grid.z].map(|n| (n, n));
        let twice = |n: i64| (n, n);
        Seen {
            grid,
            first: params.to_vec(),
            words: words(params).map(twice).collect(),
            longs: longs(params).map(twice).collect(),
            differs: vec![false; params.len()],
        }
    }

    /// Adds a launch.
    pub(super) fn add(&mut self, info: &LaunchInfo, params: &[u8]) {
        let grid = [info.grid.x, info.grid.y, info.grid.z];
        for ((least, most), n) in self.grid.iter_mut().zip(grid) {
            (*least, *most) = ((*least).min(n), (*most).max(n));
        }
        if params == self.first {
            return;
        }
        let join = |known: &mut [(i64, i64)], new: &mut dyn Iterator<Item = i64>| {
            for ((least, most), n) in known.iter_mut().zip(new) {
                (*least, *most) = ((*least).min(n), (*most).max(n));
            }
        };
        join(&mut self.words, &mut words(params));
        join(&mut self.longs, &mut longs(params));
        for (differs, (a, b)) in self.differs.iter_mut().zip(self.first.iter().zip(params)) {
            *differs |= a != b;
        }
    }

    /// Returns what to ask about, with the most launches first; nothing if all launches are alike. `parts` are those of
    /// its parameters that the kernel loads as integers.
    pub(super) fn spreads(&self, info: &LaunchInfo, facts: &LaunchFacts, parts: &[Part]) -> Vec<Spread> {
        let mut all = Vec::new();
        for (numbers, extents) in STEPS {
            let mut spread = Spread::default();
            for (axis, &(_, most)) in self.grid.iter().enumerate().filter(|(_, (a, b))| a < b) {
                spread.grid[axis] = Some(extent(info, axis, most, extents));
            }
            for &part in parts {
                if let Some(range) = self.range(facts, part, parts, numbers) {
                    spread.numbers.insert(part, range);
                }
            }
            if !spread.is_exact() && all.last() != Some(&spread) {
                all.push(spread);
            }
        }
        all
    }

    /// Returns the numbers that a part has had; `None` if they are not known.
    fn seen(&self, facts: &LaunchFacts, part: Part) -> Option<(i64, i64)> {
        let at = (facts.parameters.get(part.index as usize)?.offset + part.offset) as usize;
        match part.bytes {
            4 if at.is_multiple_of(4) => self.words.get(at / 4).copied(),
            8 if at.is_multiple_of(8) => self.longs.get(at / 8).copied(),
            bytes @ (1 | 2) => {
                let differs = self.differs.get(at..at + bytes as usize)?.contains(&true);
                differs.then_some((-1 << (8 * bytes - 1), (1 << (8 * bytes - 1)) - 1))
            }
            _ => None,
        }
    }

    /// Returns the range for a part that differs between launches.
    fn range(
        &self,
        facts: &LaunchFacts,
        part: Part,
        parts: &[Part],
        beyond: Beyond,
    ) -> Option<RangeInclusive<i64>> {
        let (least, most) = self.seen(facts, part).filter(|(a, b)| a < b)?;
        let from = if least >= 0 { least.min(1) } else { least };
        let is_size = -MOST <= least && most < MOST;
        let shared = || {
            let same = parts.iter().filter_map(|&p| self.seen(facts, p)).filter(|(a, b)| a == b);
            same.map(|(n, _)| n).filter(|&n| n > most).min().map(|n| n - 1)
        };
        Some(match beyond {
            _ if part.bytes < 4 || !is_size => least..=most,
            Beyond::Any if least < 0 => -MOST..=MOST - 1,
            Beyond::Any => from..=MOST - 1,
            Beyond::Shared => from..=shared().unwrap_or(most.saturating_mul(TIMES * TIMES).min(MOST - 1)),
            Beyond::Times => from..=most.saturating_mul(TIMES).clamp(most, MOST - 1),
            Beyond::Seen => from..=most,
        })
    }
}

/// Returns the range of an extent of the grid that was between two numbers.
fn extent(info: &LaunchInfo, axis: usize, most: u32, beyond: Beyond) -> RangeInclusive<u32> {
    let threads = [info.block.x, info.block.y, info.block.z][axis].max(1);
    let limit = [i32::MAX as u32 / threads, 65_535, 65_535][axis].max(most);
    match beyond {
        Beyond::Any | Beyond::Shared => 1..=limit,
        Beyond::Times => 1..=most.saturating_mul(TIMES as u32).min(limit),
        Beyond::Seen => 1..=most,
    }
}

fn words(params: &[u8]) -> impl Iterator<Item = i64> {
    params.as_chunks::<4>().0.iter().map(|word| i64::from(i32::from_le_bytes(*word)))
}

fn longs(params: &[u8]) -> impl Iterator<Item = i64> {
    params.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::Dim3;
    use events::task::Parameter;

    /// An array, the extent of a matrix, and a column.
    const PARTS: [Part; 3] = [
        Part { index: 0, offset: 0, bytes: 8 },
        Part { index: 1, offset: 0, bytes: 4 },
        Part { index: 2, offset: 0, bytes: 4 },
    ];

    fn params(extent: i32, column: i32) -> Vec<u8> {
        [&0x7_0000_0000u64.to_le_bytes()[..], &extent.to_le_bytes(), &column.to_le_bytes()].concat()
    }

    fn info(blocks: u32) -> LaunchInfo {
        LaunchInfo {
            kernel: "k".into(),
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(32, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 0,
            uses: Default::default(),
        }
    }

    /// Returns the spreads after launches of so many blocks for these columns.
    fn after(launches: &[(u32, i32)]) -> Vec<Spread> {
        let mut seen = Seen::new(&info(launches[0].0), &params(512, launches[0].1));
        for &(blocks, column) in launches {
            seen.add(&info(blocks), &params(512, column));
        }
        let parameters = [(0, 8), (8, 4), (12, 4)].map(|(offset, bytes)| Parameter { offset, bytes });
        let facts =
            LaunchFacts { bytes: params(512, 0), parameters: parameters.to_vec(), ..LaunchFacts::default() };
        seen.spreads(&info(1), &facts, &PARTS)
    }

    #[test]
    fn launches_that_are_alike_are_asked_about_as_they_are() {
        assert_eq!(after(&[(4, 7), (4, 7)]), []);
    }

    #[test]
    fn a_column_is_any_then_one_of_the_matrix_then_one_of_those_seen() {
        let ranges: Vec<_> = after(&[(4, 0), (4, 1), (4, 2)])
            .iter()
            .map(|spread| {
                assert_eq!(spread.grid, [None, None, None]);
                assert_eq!(spread.numbers.keys().collect::<Vec<_>>(), [&PARTS[2]]);
                spread.numbers[&PARTS[2]].clone()
            })
            .collect();
        assert_eq!(ranges, [0..=i64::from(i32::MAX), 0..=511, 0..=8, 0..=2]);
    }

    #[test]
    fn a_number_that_was_never_zero_is_not_taken_to_be() {
        let least = |launches| after(launches).iter().map(|s| *s.numbers[&PARTS[2]].start()).min();
        assert_eq!(least(&[(4, 5), (4, 9)]), Some(1));
        assert_eq!(least(&[(4, -5), (4, 9)]), Some(-MOST));
    }

    #[test]
    fn a_grid_that_differs_has_ranges_of_its_own() {
        let all = after(&[(8, 3), (7, 3)]);
        assert!(all.iter().all(|spread| spread.numbers.is_empty() && spread.grid[1].is_none()));
        let most: Vec<u32> = all.iter().flat_map(|s| s.grid[0].clone()).map(|r| *r.end()).collect();
        assert_eq!(most, [i32::MAX as u32 / 32, 32, 8]);
    }
}
