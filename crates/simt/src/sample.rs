//! The choice of the blocks that run in a sampled launch.
//!
//! The sample contains the first and the last blocks, and between them random tiles of blocks adjacent in
//! each dimension: blocks share data at their borders, and a race between two blocks is found only if both
//! run.

use crate::schedule::random::SplitMix;
use events::Dim3;
use std::collections::BTreeSet;

/// Returns about `wanted` numbers of blocks (or clusters) of a grid with these extents, ascending; all, if
/// there are no more. The last tile may add seven more.
pub(crate) fn sample(grid: Dim3, wanted: u64, seed: u64) -> Vec<u64> {
    let all = grid.count();
    if wanted >= all {
        return (0..all).collect();
    }
    let mut chosen = BTreeSet::new();
    let part = (wanted / 4).max(1);
    chosen.extend(0..part);
    chosen.extend(all - part.min(wanted - part)..all);
    let mut random = SplitMix::new(seed ^ 0x5a4d_70ce);
    let side = u64::from(grid.x) * u64::from(grid.y);
    // The number of draws is bounded, because late draws may hit only chosen blocks.
    let mut draws = 16 * wanted;
    while (chosen.len() as u64) < wanted && draws > 0 {
        draws -= 1;
        let at = random.below(all);
        let (x, y, z) = (at % u64::from(grid.x), at / u64::from(grid.x) % u64::from(grid.y), at / side);
        for step in 0..8u64 {
            let (x, y, z) = (x + (step & 1), y + (step >> 1 & 1), z + (step >> 2));
            if x < u64::from(grid.x) && y < u64::from(grid.y) && z < u64::from(grid.z) {
                chosen.insert(x + u64::from(grid.x) * y + side * z);
            }
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_run_and_neighbours_of_each_dimension() {
        for (grid, wanted) in
            [(Dim3::new(10_000, 1, 1), 64), (Dim3::new(200, 300, 1), 64), (Dim3::new(40, 30, 20), 100)]
        {
            let chosen = sample(grid, wanted, 7);
            let all = grid.count();
            assert!((wanted..wanted + 8).contains(&(chosen.len() as u64)), "{} of {grid:?}", chosen.len());
            assert!(chosen.is_sorted() && chosen[0] == 0 && chosen[chosen.len() - 1] == all - 1);
            let strides = [1, u64::from(grid.x), u64::from(grid.x) * u64::from(grid.y)];
            // Blocks in the middle have neighbours in every dimension of the grid.
            let middle = |n: &&u64| **n >= wanted / 4 && **n < all - wanted / 4;
            for stride in strides.into_iter().filter(|stride| *stride < all) {
                let pairs = chosen.iter().filter(middle).filter(|n| chosen.contains(&(**n + stride)));
                assert!(pairs.count() as u64 >= wanted / 8, "{stride} of {grid:?}");
            }
            assert_eq!(chosen, sample(grid, wanted, 7));
            assert_ne!(chosen, sample(grid, wanted, 8));
        }
    }

    #[test]
    fn small_grids_run_whole_and_few_are_few() {
        assert_eq!(sample(Dim3::new(3, 2, 1), 6, 0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(sample(Dim3::new(3, 2, 1), 9, 0).len(), 6);
        assert_eq!(sample(Dim3::new(9, 1, 1), 1, 0), [0]);
        assert_eq!(sample(Dim3::new(9, 1, 1), 2, 0), [0, 8]);
        assert!(sample(Dim3::new(9, 1, 1), 8, 0).len() >= 8);
    }
}
