//! The shuffles of SuperCollider (*SuperCollider: Stateless Detection of GPU Data Races*, PLDI 2026, §3.5).

use super::policy::{Choice, Pick, Policy};
use super::random::SplitMix;
use events::{BlockId, WarpId};

/// The order in which blocks begin (§3.5.2): an affine cipher `a * i + b mod n` with `a` and `n` coprime,
/// which is a permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    a: u64,
    b: u64,
    n: u64,
}

impl Affine {
    pub(crate) const fn identity(n: u64) -> Affine {
        Affine { a: 1, b: 0, n }
    }

    /// Draws a permutation by the seed.
    pub(crate) fn draw(n: u64, seed: u64) -> Affine {
        if n < 2 {
            return Affine::identity(n);
        }
        let mut random = SplitMix::new(seed);
        let b = random.below(n);
        loop {
            // More than one number in ten is coprime to any 64-bit one, and 1 always is.
            let a = 1 + random.below(n - 1);
            if coprime(a, n) {
                return Affine { a, b, n };
            }
        }
    }

    /// Returns the image of `i`.
    pub(crate) fn map(self, i: u64) -> u64 {
        ((u128::from(self.a) * u128::from(i) + u128::from(self.b)) % u128::from(self.n.max(1))) as u64
    }
}

fn coprime(mut a: u64, mut b: u64) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// Shuffles warps, or the diverged groups of warps (§3.5.1): each runs and sleeps for random times.
pub(crate) struct Shuffle {
    random: SplitMix,
    groups: bool,
}

/// The logarithm of the largest number of instructions in a turn.
const LONGEST: u64 = 12;

impl Shuffle {
    /// Creates the policy; `groups` also shuffles the diverged groups of a warp.
    pub(crate) fn new(groups: bool, seed: u64) -> Shuffle {
        Shuffle { random: SplitMix::new(seed), groups }
    }
}

impl Policy for Shuffle {
    fn pick(&mut self, choices: &[Choice]) -> Pick {
        let quantum = 1 << self.random.below(LONGEST + 1);
        if self.groups {
            return Pick { index: self.random.below(choices.len() as u64) as usize, quantum };
        }
        let mut firsts: Vec<usize> = Vec::new();
        let mut last: Option<(BlockId, WarpId)> = None;
        for (i, choice) in choices.iter().enumerate() {
            let warp = (choice.block, choice.warp);
            if last.replace(warp) != Some(warp) {
                firsts.push(i);
            }
        }
        Pick { index: firsts[self.random.below(firsts.len() as u64) as usize], quantum }
    }

    fn window(&self) -> u32 {
        super::policy::WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_affine_map_is_a_bijection(n in 1u64..3000, seed in any::<u64>()) {
            let map = Affine::draw(n, seed);
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let to = map.map(i) as usize;
                prop_assert!(!seen[to], "{to} is hit twice");
                seen[to] = true;
            }
        }

        #[test]
        fn large_grids_stay_inside(n in 1u64.., i in any::<u64>(), seed in any::<u64>()) {
            prop_assert!(Affine::draw(n, seed).map(i % n) < n);
        }
    }

    #[test]
    fn distant_blocks_become_neighbours() {
        let next_to = |seed| {
            let map = Affine::draw(1000, seed);
            (0..999).any(|i| map.map(i).abs_diff(map.map(i + 1)) == 999)
        };
        assert!((0..200).any(next_to), "the first and the last block");
        assert!((0..20).map(|seed| Affine::draw(1000, seed).map(0)).any(|first| first != 0));
    }

    fn choice(warp: u16, lanes: u32) -> Choice {
        Choice { block: BlockId(0), warp: WarpId(warp), lanes, site: None, waits: false }
    }

    #[test]
    fn warps_are_shuffled_and_groups_if_asked_for() {
        let all = [choice(0, 1), choice(0, 2), choice(1, u32::MAX)];
        let picked = |groups| {
            let mut policy = Shuffle::new(groups, 3);
            let mut seen = [false; 3];
            (0..100).for_each(|_| seen[policy.pick(&all).index] = true);
            seen
        };
        assert_eq!(picked(false), [true, false, true]);
        assert_eq!(picked(true), [true; 3]);
    }
}
