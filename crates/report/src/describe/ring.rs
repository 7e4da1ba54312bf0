//! The stages of a pipeline, from the mbarriers of its block.
//!
//! PTX has no word for a stage. A ring is taken to be an array of mbarriers: a shared variable that consists of them, or a run of
//! adjacent ones with the same number of arrivals. Two arrays of equal length are the two sides of one ring, if asynchronous
//! operations complete at the one of them only.

use events::Location;
use events::pipeline::Barrier;
use std::ops::Range;

/// Bytes of an mbarrier object.
const OBJECT: u64 = 8;

/// The mbarriers of the stages: those that tell that a stage is full, and that it is empty, as indices into the block's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ring {
    pub full: Option<Range<usize>>,
    pub empty: Option<Range<usize>>,
    /// The stage of the mbarrier that was asked about.
    pub raced: Option<usize>,
}

impl Ring {
    /// Returns the ring that the mbarrier `at` is a part of; without one, the longest at which operations complete. `extent` is
    /// the range of addresses of the variable that holds an mbarrier.
    pub(super) fn of(
        barriers: &[Barrier],
        at: Option<Location>,
        extent: impl Fn(&Barrier) -> Option<Range<u64>>,
    ) -> Ring {
        let arrays = arrays(barriers, extent);
        let place = at.and_then(|at| barriers.iter().position(|barrier| barrier.at == at));
        let fills = |array: &Range<usize>| barriers[array.clone()].iter().any(|b| !b.issuers.is_empty());
        let longest = || arrays.iter().filter(|array| fills(array)).max_by_key(|array| array.len());
        let own = match place {
            Some(place) => arrays.iter().find(|array| array.contains(&place)),
            None => longest(),
        };
        let Some(own) = own.cloned() else { return Ring::default() };
        let is_full = fills(&own);
        let other = arrays.iter().filter(|array| **array != own && array.len() == own.len());
        let other = other
            .filter(|array| fills(array) != is_full)
            .max_by_key(|array| met(barriers, &own, array))
            .cloned();
        let raced = place.map(|place| place - own.start);
        match is_full {
            true => Ring { full: Some(own), empty: other, raced },
            false => Ring { full: other, empty: Some(own), raced },
        }
    }

    pub(super) fn len(&self) -> usize {
        self.full.as_ref().or(self.empty.as_ref()).map_or(0, ExactSizeIterator::len)
    }
}

/// Returns the number of warps that use mbarriers of both arrays.
fn met(barriers: &[Barrier], a: &Range<usize>, b: &Range<usize>) -> usize {
    let warps = |array: &Range<usize>| -> Vec<_> {
        let parties = |of: &Barrier| of.arrivals.iter().chain(&of.waits).copied().collect::<Vec<_>>();
        barriers[array.clone()].iter().flat_map(parties).map(|party| (party.block, party.warp)).collect()
    };
    let of_b = warps(b);
    warps(a).iter().filter(|warp| of_b.contains(warp)).count()
}

/// Returns the arrays of mbarriers, which are sorted by address.
fn arrays(barriers: &[Barrier], extent: impl Fn(&Barrier) -> Option<Range<u64>>) -> Vec<Range<usize>> {
    let named: Vec<Option<Range<u64>>> = barriers.iter().map(extent).collect();
    let follows = |a: usize, b: usize| {
        let adjacent = barriers[b].at.address == barriers[a].at.address + OBJECT;
        adjacent && named[a] == named[b] && barriers[a].count == barriers[b].count
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    for at in 0..barriers.len() {
        match out.last_mut() {
            Some(last) if follows(at - 1, at) => last.end = at + 1,
            _ => out.push(at..at + 1),
        }
    }
    out.into_iter().flat_map(|array| halves(barriers, array)).collect()
}

/// Splits a run of mbarriers in two if operations complete in the first half only, and warps arrive at each of the second.
fn halves(barriers: &[Barrier], array: Range<usize>) -> Vec<Range<usize>> {
    let middle = array.start + array.len() / 2;
    let fills = barriers[array.start..middle].iter().any(|b| !b.issuers.is_empty());
    let empties = |b: &Barrier| b.issuers.is_empty() && !b.arrivals.is_empty();
    match fills && array.len().is_multiple_of(2) && barriers[middle..array.end].iter().all(empties) {
        true => vec![array.start..middle, middle..array.end],
        false => vec![array],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::pipeline::{Party, Phase};
    use events::{BlockId, Space, WarpId};

    fn barrier(address: u64, count: u32, fills: bool) -> Barrier {
        let party = Party { block: BlockId(0), warp: WarpId(0), phase: 0 };
        Barrier {
            at: Location { space: Space::Shared(BlockId(0)), address },
            count,
            phases: vec![Phase::default()],
            issuers: if fills { vec![party] } else { Vec::new() },
            arrivals: if fills { Vec::new() } else { vec![party] },
            waits: Vec::new(),
        }
    }

    fn ring(barriers: &[Barrier], at: usize) -> Ring {
        Ring::of(barriers, Some(barriers[at].at), |_| None)
    }

    #[test]
    fn adjacent_mbarriers_are_two_arrays_by_their_number_of_arrivals() {
        let mut barriers =
            [barrier(0, 1, true), barrier(8, 1, true), barrier(16, 4, false), barrier(24, 4, false)];
        // Nothing has happened there yet.
        (barriers[1].issuers, barriers[1].phases) = (Vec::new(), Vec::new());
        let expected = Ring { full: Some(0..2), empty: Some(2..4), raced: Some(1) };
        assert_eq!(ring(&barriers, 1), expected);
        assert_eq!(ring(&barriers, 3), expected, "asked from the other side");
    }

    #[test]
    fn adjacent_mbarriers_with_equal_counts_are_two_halves() {
        let barriers: Vec<Barrier> = (0..6).map(|i| barrier(8 * i, 1, i < 3)).collect();
        assert_eq!(ring(&barriers, 4), Ring { full: Some(0..3), empty: Some(3..6), raced: Some(1) });
    }

    #[test]
    fn a_lone_mbarrier_is_a_ring_of_one_stage() {
        let barriers = [barrier(0, 1, true), barrier(64, 1, true)];
        let ring = ring(&barriers, 1);
        assert_eq!((ring.len(), ring.raced, ring.empty), (1, Some(0), None));
    }

    #[test]
    fn variables_are_arrays_of_their_own() {
        let barriers: Vec<Barrier> = (0..4).map(|i| barrier(8 * i, 1, i < 2)).collect();
        let extent = |of: &Barrier| Some(if of.at.address < 16 { 0..16 } else { 16..32 });
        let ring = Ring::of(&barriers, Some(barriers[1].at), extent);
        assert_eq!(ring, Ring { full: Some(0..2), empty: Some(2..4), raced: Some(1) });
    }
}
