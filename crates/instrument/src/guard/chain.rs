//! Consecutive launches of a stream: the lane of each, and the launches ordered before it.
//!
//! A lane contains launches each of which ends before the next begins. Programmatic dependent launches may
//! begin before preceding launches have ended: each gets a lane in which no launch may still be running.
//!
//! The order before such a launch, B, which follows a kernel A (PTX §9.7.13, `griddepcontrol`;
//! `docs/assumptions.md`, H7):
//!
//! * B may begin once each block of A has issued `launch_dependents`, or has ended; each has therefore begun
//!   by then.
//! * If A itself was not early, all launches before A had ended before A's first block began: they are
//!   ordered before all of B.
//! * If A was early, launches before A may still run when B begins, unless each thread of A waits before it
//!   lets B begin and before it ends ([`Launched::gates`]). They count as ordered nevertheless.
//! * A itself has not ended: it is ordered before the part of B behind `wait`, which makes all of A visible;
//!   and before all of B, if A may release something to others.
//!
//! If everything may be ordered ([`Before::all`]), because the acquires of an operation before A or the
//! host's observations are unknown, that does not order A. The end of A is learnt only through its stream, an
//! event or the host, all of which are tracked here ([`Chain::over`], [`Chain::unknown`], the numbers of
//! [`Before`]), or through a release by A. Likewise no launch acquires from those behind it in its stream,
//! which begin later; but it may have waited for one that acquired something while they ran. If B itself
//! acquires something, everything remains ordered.
//!
//! Behind an unchecked kernel, B is unordered with that kernel only, and there is nothing to compare.

use super::launches::{BYTES, Before, Early, Launched, Launches};

/// The largest number of lanes of one chain: more launches seldom run at once.
const MOST: usize = 3;

/// The last launch of a chain.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// Its lane and its number there, if it has them.
    place: Option<(usize, u32)>,
    /// Whether other launches may acquire from it before its end, or it is otherwise known to be ordered
    /// before later operations.
    told: bool,
    /// Whether all earlier launches had ended when it let the next one begin.
    gates: bool,
    /// Whether it may acquire from others while it runs.
    learns: bool,
}

/// The lanes of consecutive launches.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    lanes: Vec<usize>,
    /// The lanes in which a launch other than the last may still be running when the next one begins.
    running: Vec<usize>,
    /// Whether one of these launches, or one without a lane, may acquire from others.
    learning: bool,
    /// The last launch, if no other operation followed it.
    last: Option<Last>,
}

impl Chain {
    /// Returns the lane and number of the last launch, if the next one may begin before its end.
    pub fn last(&self) -> Option<(usize, u32)> {
        self.last?.place
    }

    pub fn lanes(&self) -> &[usize] {
        &self.lanes
    }

    /// Records that all launches end before the next operation.
    pub fn over(&mut self) {
        (self.last, self.running, self.learning) = (None, Vec::new(), false);
    }

    /// Records that the last launch has ended, or may be known to the next operation, and is not compared
    /// with it.
    pub fn known(&mut self) {
        self.running = Vec::new();
        if let Some(last) = &mut self.last {
            (last.place, last.told) = (None, true);
        }
    }

    /// Records an operation with unknown effects, or of unknown order with later ones.
    pub fn unknown(&mut self) {
        match &mut self.last {
            Some(last) => (last.told, last.learns) = (true, true),
            None => self.last = Some(Last { place: None, told: true, gates: false, learns: true }),
        }
    }

    /// Returns the chain's first lane, or another one in which no launch may still be running.
    fn lane(&mut self, all: &mut Launches) -> Option<usize> {
        if let Some(&free) = self.lanes.iter().find(|lane| !self.running.contains(lane)) {
            return Some(free);
        }
        let lane = if self.lanes.len() < MOST { all.lane()? } else { return None };
        self.lanes.push(lane);
        Some(lane)
    }
}

impl Launches {
    /// Records a launch of a chain and returns its lane and its launch parameter. `overlaps` tells that it
    /// may begin before the end of the preceding kernel. `before` contains the launches ordered before its
    /// end, and afterwards its own number, too.
    pub fn launched(
        &mut self,
        chain: &mut Chain,
        (kernel, overlaps): (&Launched, bool),
        before: &mut Before,
    ) -> Option<(usize, [u8; BYTES as usize])> {
        let beside = chain.last.filter(|_| overlaps && kernel.early != Early::Never);
        match beside {
            None => chain.over(),
            Some(last) => {
                if last.gates {
                    (chain.running, chain.learning) = (Vec::new(), false);
                }
                chain.running.extend(last.place.map(|(lane, _)| lane));
                chain.learning |= last.learns;
            }
        }
        let lane = chain.lane(self);
        // If the preceding launch is known in other ways, nothing is unordered.
        let open = beside.filter(|last| !last.told && !kernel.acquires).and_then(|last| last.place);
        let open = open.filter(|&(lane, number)| before.numbers[lane] == number);
        // The lanes whose exact numbers hold even if everything may be ordered.
        let exact = match (kernel.acquires || chain.learning, open) {
            (false, _) => chain.lanes.clone(),
            (true, Some((lane, _))) => vec![lane],
            (true, None) => Vec::new(),
        };
        let told = lane.map(|lane| {
            let mut known = *before;
            if let (Some((beside, number)), Early::Throughout) = (open, kernel.early) {
                known.numbers[beside] = number - 1;
            }
            let (number, told) = self.exactly(lane, &known, &exact);
            before.numbers[lane] = number;
            match open.filter(|_| kernel.early != Early::Unknown) {
                Some((beside, _)) => (lane, Launches::beside(told, beside)),
                None => (lane, told),
            }
        });
        let place = lane.map(|lane| (lane, before.numbers[lane]));
        chain.last =
            Some(Last { place, told: kernel.publishes, gates: kernel.gates, learns: kernel.acquires });
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: Launched = Launched {
        parameters: 0,
        at: 0,
        acquires: false,
        acquires_far: false,
        tells: false,
        publishes: false,
        early: Early::Throughout,
        gates: false,
    };

    /// Returns the lane, the numbers passed for the first three lanes, and the lane beside which it may run,
    /// plus 1.
    fn launch(
        all: &mut Launches,
        chain: &mut Chain,
        kernel: Launched,
        overlaps: bool,
    ) -> (usize, [u32; 3], u32) {
        launch_behind(all.so_far(), all, chain, (kernel, overlaps))
    }

    fn launch_behind(
        mut before: Before,
        all: &mut Launches,
        chain: &mut Chain,
        (kernel, overlaps): (Launched, bool),
    ) -> (usize, [u32; 3], u32) {
        let (lane, told) = all.launched(chain, (&kernel, overlaps), &mut before).unwrap();
        let word = |at: u32| u32::from_le_bytes(told[at as usize..at as usize + 4].try_into().unwrap());
        let first = super::super::launches::BEFORE;
        (lane, [word(first), word(first + 4), word(first + 8)], word(super::super::launches::OVERLAP))
    }

    #[test]
    fn a_launch_that_overlaps_is_not_after_the_kernel_before_it() {
        let (mut all, mut chain) = (Launches::default(), Chain::default());
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (0, [0, 0, 0], 0));
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (1, [0, 0, 0], 1));
        // The first launch may still be running.
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (2, [1, 0, 0], 2));
        let mut before = all.so_far();
        assert_eq!(all.launched(&mut chain, (&EARLY, true), &mut before), None);
        // All launches have ended.
        assert_eq!(launch(&mut all, &mut chain, EARLY, false), (0, [1, 1, 1], 0));
        let waits = Launched { early: Early::UntilWaited, gates: true, ..EARLY };
        assert_eq!(launch(&mut all, &mut chain, waits, true), (1, [2, 1, 1], 1));
        // The launch before the last has ended, because the last one has waited for it.
        assert_eq!(launch(&mut all, &mut chain, waits, true), (0, [2, 2, 1], 2));
        // Its target has no such instructions.
        assert_eq!(
            launch(&mut all, &mut chain, Launched { early: Early::Never, ..EARLY }, true),
            (0, [3, 2, 1], 0)
        );
    }

    #[test]
    fn what_may_be_ordered_is() {
        let (mut all, mut chain) = (Launches::default(), Chain::default());
        // The first launch releases to others.
        launch(&mut all, &mut chain, Launched { publishes: true, ..EARLY }, false);
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (1, [1, 0, 0], 0));
        // The unknown operation leaves open only whether the launch is still running.
        chain.unknown();
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (2, [1, 1, 0], 0));
        // Another operation follows: kernels begin at its end.
        launch(&mut all, &mut chain, EARLY, false);
        chain.over();
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (0, [2, 1, 1], 0));
    }

    #[test]
    fn an_unchecked_kernel_does_not_order_those_behind_it() {
        const ALL: u32 = u32::MAX;
        let (mut all, mut chain) = (Launches::default(), Chain::default());
        // Everything may be ordered since the first launch.
        let told = |all: &mut Launches, chain: &mut Chain, kernel, overlaps| {
            launch_behind(
                Before { all: true, beyond_libraries: true, ..all.so_far() },
                all,
                chain,
                (kernel, overlaps),
            )
        };
        let waits = Launched { early: Early::UntilWaited, ..EARLY };
        let learns = Launched { acquires: true, ..EARLY };
        let publishes = Launched { publishes: true, ..EARLY };
        // Directly behind the unknown operation everything may be ordered.
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (0, [ALL, ALL, ALL], 0));
        // A launch behind it that overlaps the next one is not ordered before it; other streams are
        // unchanged.
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [1, ALL, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [1, 0, ALL], 1));
        // That launch does not acquire from later ones either: it is compared with those that began early.
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [2, 1, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, waits, true), (1, [3, 1, ALL], 1));
        // If either launch acquires something, it may have acquired from the other.
        assert_eq!(told(&mut all, &mut chain, learns, false), (0, [ALL, ALL, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [3, ALL, ALL], 1));
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [4, 3, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, learns, true), (1, [ALL, ALL, ALL], 0));
        // It may acquire from a launch that releases, and from those behind an unknown operation.
        assert_eq!(told(&mut all, &mut chain, publishes, false), (0, [5, 4, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [6, 4, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [6, 5, ALL], 0));
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [ALL, ALL, ALL], 0));
        // The acquires of a launch that may still be running are unknown, too.
        assert_eq!(told(&mut all, &mut chain, learns, false), (0, [ALL, ALL, ALL], 0));
        chain.known();
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (0, [ALL, ALL, ALL], 0));
    }
}
