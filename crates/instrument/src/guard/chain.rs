//! Launches that follow each other in a stream: which lane each of them has, and what is ordered before it.
//!
//! A lane is of launches that end before the next one begins. Programmatic dependent launches may begin before what is before them has
//! ended: each gets a lane in which nothing may still run.
//!
//! What is ordered before such a launch, B, which follows a kernel A (PTX §9.7.13, `griddepcontrol`; `docs/assumptions.md`, H7):
//!
//! * B may begin once each block of A has issued `launch_dependents`, or has ended; so each has begun by then.
//! * If A was not early itself, all that was before A had ended before A's first block began: it is ordered before all of B.
//! * If A was early, what was before A may still run when B begins, unless each thread of A waits before it lets B begin and before it ends
//!   ([`Launched::gates`]). It counts as ordered nevertheless.
//! * A itself has not ended: it is ordered before what B does behind `wait`, which makes all that A did visible; and before that, if A may
//!   release something to others.
//!
//! Where everything may be known ([`Before::all`]), because nobody knows what something before A has learned or what the host has been told,
//! that does not order A. Who learns that A has ended learns it of its stream, of an event or the host, all of which is seen here
//! ([`Chain::over`], [`Chain::unknown`], the numbers of [`Before`]), or of what A releases. Likewise no launch knows of those behind it in
//! its stream, which begin later than it; but it may have waited for one that acquired something while they ran. If B itself
//! acquires something, everything remains ordered.
//!
//! Behind a kernel that is not checked B is unordered with that one only, and there is nothing to compare.

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
    /// May it learn of others while it runs?
    learns: bool,
}

/// The lanes of launches that follow each other.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    lanes: Vec<usize>,
    /// Those in which something may still run when the next launch begins, but for the last one.
    running: Vec<usize>,
    /// May one of these, or one without a lane, learn of others?
    learning: bool,
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
        (self.last, self.running, self.learning) = (None, Vec::new(), false);
    }

    /// It is over, or what comes may know of it: it is not compared with that.
    pub fn known(&mut self) {
        self.running = Vec::new();
        if let Some(last) = &mut self.last {
            (last.place, last.told) = (None, true);
        }
    }

    /// Something came of which nothing is known; or whether what comes is ordered is not known.
    pub fn unknown(&mut self) {
        match &mut self.last {
            Some(last) => (last.told, last.learns) = (true, true),
            None => self.last = Some(Last { place: None, told: true, gates: false, learns: true }),
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
                    (chain.running, chain.learning) = (Vec::new(), false);
                }
                chain.running.extend(last.place.map(|(lane, _)| lane));
                chain.learning |= last.learns;
            }
        }
        let lane = chain.lane(self);
        // If it is known by other ways, nothing is unordered.
        let open = beside.filter(|last| !last.told && !kernel.acquires).and_then(|last| last.place);
        let open = open.filter(|&(lane, number)| before.numbers[lane] == number);
        // Where no more can be known than that, even if everything may be.
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

    #[test]
    fn an_unchecked_kernel_does_not_order_those_behind_it() {
        const ALL: u32 = u32::MAX;
        let (mut all, mut chain) = (Launches::default(), Chain::default());
        // Everything may be known since the first one.
        let told = |all: &mut Launches, chain: &mut Chain, kernel, overlaps| {
            launch_behind(Before { all: true, ..all.so_far() }, all, chain, (kernel, overlaps))
        };
        let waits = Launched { early: Early::UntilWaited, ..EARLY };
        let learns = Launched { acquires: true, ..EARLY };
        let publishes = Launched { publishes: true, ..EARLY };
        // Directly behind it everything may be.
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (0, [ALL, ALL, ALL], 0));
        // Who is beside a launch behind it is not after that one; other streams are as before.
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [1, ALL, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [1, 0, ALL], 1));
        // That one does not know what comes, either: it sees who has been early.
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [2, 1, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, waits, true), (1, [3, 1, ALL], 1));
        // One that acquires something, be it the later one or the one that it waits for, may know what comes.
        assert_eq!(told(&mut all, &mut chain, learns, false), (0, [ALL, ALL, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [3, ALL, ALL], 1));
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [4, 3, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, learns, true), (1, [ALL, ALL, ALL], 0));
        // It may know of one that tells others, and of what is behind anything that is not known.
        assert_eq!(told(&mut all, &mut chain, publishes, false), (0, [5, 4, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [6, 4, ALL], 0));
        assert_eq!(told(&mut all, &mut chain, EARLY, false), (0, [6, 5, ALL], 0));
        chain.unknown();
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (1, [ALL, ALL, ALL], 0));
        // What one has learned that may still run is not known, either.
        assert_eq!(told(&mut all, &mut chain, learns, false), (0, [ALL, ALL, ALL], 0));
        chain.known();
        assert_eq!(told(&mut all, &mut chain, EARLY, true), (0, [ALL, ALL, ALL], 0));
    }
}
