//! Launches that follow each other in a stream: which lane each of them has, and what is ordered before it.
//!
//! A lane is of launches that end before the next one begins. Programmatic dependent launches may begin before what is before them has
//! ended: each gets a lane in which nothing may still run.

use super::launches::{BYTES, Before, Early, Launched, Launches};

/// Lanes of one chain at most: more launches than that seldom run at once.
const MOST: usize = 3;

/// What was launched last.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// Its lane and its number there, if it was told them.
    place: Option<(usize, u32)>,
    /// May others learn of it before it has ended, or is anything else known to order what comes?
    told: bool,
    /// Was all that was before it over when it let the next one begin?
    gates: bool,
}

/// The lanes of launches that follow each other.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    lanes: Vec<usize>,
    /// Those in which something may still run when the next launch begins, but for the last one.
    running: Vec<usize>,
    /// If nothing but a kernel was last.
    last: Option<Last>,
}

impl Chain {
    /// The last launch, if the next one may begin before it has ended.
    pub fn last(&self) -> Option<(usize, u32)> {
        self.last?.place
    }

    pub fn lanes(&self) -> &[usize] {
        &self.lanes
    }

    /// All of it is over before what comes.
    pub fn over(&mut self) {
        (self.last, self.running) = (None, Vec::new());
    }

    /// Something came of which nothing is known; or whether what comes is ordered is not known.
    pub fn unknown(&mut self) {
        match &mut self.last {
            Some(last) => last.told = true,
            None => self.last = Some(Last { place: None, told: true, gates: false }),
        }
    }

    /// Its first lane, or another one in which nothing may still run.
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
    /// A launch of a chain, which `overlaps` if it may begin before a kernel before it has ended: its lane, and what it is told. In `before` is
    /// what is ordered before its end; and then its own number, too.
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
                    chain.running.clear();
                }
                chain.running.extend(last.place.map(|(lane, _)| lane));
            }
        }
        let lane = chain.lane(self);
        // If it is known by other ways, or everything is, nothing is unordered.
        let open = beside.filter(|last| !last.told).and_then(|last| last.place);
        let open = open.filter(|&(lane, number)| !before.all && before.numbers[lane] == number);
        let told = lane.map(|lane| {
            let mut known = *before;
            if let (Some((beside, number)), Early::Throughout) = (open, kernel.early) {
                known.numbers[beside] = number - 1;
            }
            let (number, told) = self.next(lane, &known);
            before.numbers[lane] = number;
            match open.filter(|_| kernel.early != Early::Unknown) {
                Some((beside, _)) => (lane, Launches::beside(told, beside)),
                None => (lane, told),
            }
        });
        let place = lane.map(|lane| (lane, before.numbers[lane]));
        chain.last = Some(Last { place, told: kernel.publishes, gates: kernel.gates });
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
        tells: false,
        publishes: false,
        early: Early::Throughout,
        gates: false,
    };

    /// The lane, what it was told of the first three lanes, and beside which one it may run, plus 1.
    fn launch(
        all: &mut Launches,
        chain: &mut Chain,
        kernel: Launched,
        overlaps: bool,
    ) -> (usize, [u32; 3], u32) {
        let mut before = all.so_far();
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
        // The first one may still run.
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (2, [1, 0, 0], 2));
        let mut before = all.so_far();
        assert_eq!(all.launched(&mut chain, (&EARLY, true), &mut before), None);
        // All of them are over.
        assert_eq!(launch(&mut all, &mut chain, EARLY, false), (0, [1, 1, 1], 0));
        let waits = Launched { early: Early::UntilWaited, gates: true, ..EARLY };
        assert_eq!(launch(&mut all, &mut chain, waits, true), (1, [2, 1, 1], 1));
        // The one before the last is over, as the last one has waited for it.
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
        // The first one tells others.
        launch(&mut all, &mut chain, Launched { publishes: true, ..EARLY }, false);
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (1, [1, 0, 0], 0));
        // Behind it nothing is known, but that it may still run.
        chain.unknown();
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (2, [1, 1, 0], 0));
        // Something else came: kernels begin when that is over.
        launch(&mut all, &mut chain, EARLY, false);
        chain.over();
        assert_eq!(launch(&mut all, &mut chain, EARLY, true), (0, [2, 1, 1], 0));
    }
}
