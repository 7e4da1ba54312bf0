//! The directed schedule: it brings two threads to two accesses at the same time.
//!
//! A thread that reaches its point is suspended until the other one reaches its own; then both accesses are
//! made, one right after the other. If no other thread can run, a suspended thread continues past its point,
//! since the other thread may depend on it.

use super::policy::{Choice, Pick, Policy};
use super::random::SplitMix;
use events::SiteId;
use names::schedule::{Meeting, Point};

/// The progress towards the meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Approach,
    /// The first access has been made, the second is next.
    Between,
    Over,
}

/// The number of instructions in a turn; groups stop at the points regardless.
const QUANTUM: u32 = 64;

/// The number of times that waiting loops continue while a thread is suspended. Each time they poll some
/// thousand times; a loop may poll longer than this in total before it gives up, but the number must be
/// bounded.
const PATIENCE: u32 = 1 << 12;

pub(crate) struct Meet {
    points: [Point; 2],
    sites: [SiteId; 2],
    /// How often each point's thread has executed its instruction.
    counts: [u32; 2],
    phase: Phase,
    seed: u64,
    random: SplitMix,
    roused: u32,
    /// The number of turns so far, for rotating among equal threads.
    turns: usize,
}

impl Meet {
    /// Creates the schedule. Seeds 0 and 1 bring the first or the second thread to its point before other
    /// threads run; all further seeds are random.
    pub(crate) fn new(meeting: &Meeting, first_site: SiteId, seed: u64) -> Meet {
        Meet {
            points: meeting.points,
            sites: meeting.points.map(|p| SiteId(first_site.0.saturating_add(p.site))),
            counts: [0; 2],
            phase: Phase::Approach,
            seed,
            random: SplitMix::new(seed),
            roused: 0,
            turns: 0,
        }
    }

    /// Returns whether the point's thread is about to execute the point's instruction.
    fn at(&self, point: usize, choice: &Choice) -> bool {
        choice.site == Some(self.sites[point]) && self.is_thread(point, choice)
    }

    fn is_thread(&self, point: usize, choice: &Choice) -> bool {
        let p = &self.points[point];
        choice.block == p.block && choice.warp == p.thread.warp() && choice.lanes >> p.thread.lane() & 1 != 0
    }

    fn held(&self, point: usize, choice: &Choice) -> bool {
        self.at(point, choice) && self.counts[point] + 1 >= self.points[point].nth
    }

    fn find(&self, choices: &[Choice], what: impl Fn(&Choice) -> bool) -> Option<usize> {
        choices.iter().position(what)
    }

    /// Returns a group that is not suspended, or any group if all are.
    fn other(&mut self, choices: &[Choice]) -> usize {
        let mut free: Vec<usize> = (0..choices.len())
            .filter(|&i| !(0..2).any(|point| self.phase != Phase::Over && self.held(point, &choices[i])))
            .collect();
        if free.is_empty() {
            return 0;
        }
        // Groups that poll in vain yield to others.
        if free.iter().any(|&i| !choices[i].waits) {
            free.retain(|&i| !choices[i].waits);
        }
        if self.seed < 2 && self.phase != Phase::Over {
            let order = if self.seed == 0 { [0, 1] } else { [1, 0] };
            for point in order {
                if let Some(&i) = free.iter().find(|&&i| self.is_thread(point, &choices[i])) {
                    return i;
                }
            }
        }
        self.turns += 1;
        match self.seed {
            0 | 1 => free[self.turns % free.len()],
            _ => free[self.random.below(free.len() as u64) as usize],
        }
    }

    fn run(&mut self, choices: &[Choice], index: usize) -> Pick {
        let mut quantum = QUANTUM;
        for point in 0..2 {
            if self.at(point, &choices[index]) {
                self.counts[point] += 1;
                quantum = 1;
            }
        }
        if self.seed >= 2 && quantum > 1 {
            quantum = 1 << self.random.below(7);
        }
        Pick { index, quantum }
    }
}

impl Policy for Meet {
    fn pick(&mut self, choices: &[Choice]) -> Pick {
        match self.phase {
            Phase::Approach => {
                let [a, b] = [0, 1].map(|point| self.find(choices, |c| self.held(point, c)));
                if let (Some(a), Some(b)) = (a, b) {
                    // Lanes of one group make both accesses at once.
                    self.phase = if a == b { Phase::Over } else { Phase::Between };
                    return self.run(choices, a);
                }
            }
            Phase::Between => {
                self.phase = Phase::Over;
                if let Some(b) = self.find(choices, |c| self.at(1, c)) {
                    return self.run(choices, b);
                }
            }
            Phase::Over => {}
        }
        let index = self.other(choices);
        self.run(choices, index)
    }

    fn window(&self) -> u32 {
        super::policy::WINDOW
    }

    fn stops(&self) -> &[SiteId] {
        &self.sites
    }

    fn rather_wakes(&mut self, choices: &[Choice]) -> bool {
        let only_held = self.phase == Phase::Approach
            && choices.iter().all(|c| (0..2).any(|point| self.held(point, c)))
            && !(0..2).all(|point| choices.iter().any(|c| self.held(point, c)));
        self.roused += u32::from(only_held);
        only_held && self.roused <= PATIENCE
    }

    fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::BlockId;
    use events::WarpId;

    fn choice(block: u32, site: u32) -> Choice {
        Choice { block: BlockId(block), warp: WarpId(0), lanes: 1, site: Some(SiteId(site)), waits: false }
    }

    fn meet(text: &str, seed: u64) -> Meet {
        Meet::new(&text.parse().unwrap(), SiteId(100), seed)
    }

    #[test]
    fn whoever_comes_first_is_held() {
        let mut meet = meet("5@0.0/7@1.0", 0);
        let both = [choice(0, 105), choice(1, 106)];
        assert_eq!(meet.pick(&both).index, 1);
        assert_eq!(meet.pick(&both).index, 1, "as long as the other needs");
        let there = [choice(0, 105), choice(1, 107)];
        assert_eq!(meet.pick(&there), Pick { index: 0, quantum: 1 });
        let next = [choice(0, 106), choice(1, 107)];
        assert_eq!(meet.pick(&next), Pick { index: 1, quantum: 1 });
        assert!(meet.is_over());
    }

    #[test]
    fn the_second_may_come_first() {
        let mut meet = meet("5@0.0/7@1.0", 1);
        assert_eq!(meet.pick(&[choice(0, 104), choice(1, 107)]).index, 0);
        assert_eq!(meet.pick(&[choice(0, 105), choice(1, 107)]).index, 0);
        assert_eq!(meet.pick(&[choice(0, 106), choice(1, 107)]).index, 1);
    }

    #[test]
    fn the_nth_time_counts() {
        let mut meet = meet("5^2@0.0/7@1.0", 0);
        let both = [choice(0, 105), choice(1, 107)];
        assert_eq!(meet.pick(&both), Pick { index: 0, quantum: 1 });
        assert!(!meet.is_over());
        assert_eq!(meet.pick(&both).index, 0);
        assert_eq!(meet.pick(&both).index, 1);
        assert!(meet.is_over());
    }

    #[test]
    fn other_threads_are_not_held() {
        let mut meet = meet("5@0.0/7@1.0", 0);
        let others = [choice(0, 105), choice(2, 105), choice(3, 107)];
        let picks: Vec<usize> = (0..4).map(|_| meet.pick(&others).index).collect();
        assert!(picks.contains(&1) && picks.contains(&2) && !picks.contains(&0), "{picks:?}");
    }

    #[test]
    fn the_held_go_on_if_nobody_else_can() {
        let mut meet = meet("5@0.0/7@1.0", 0);
        let alone = [choice(0, 105)];
        assert!(meet.rather_wakes(&alone));
        assert_eq!(meet.pick(&alone).index, 0);
        assert!((0..=PATIENCE).any(|_| !meet.rather_wakes(&alone)), "not for ever");
    }

    #[test]
    fn points_print_what_they_parse() {
        for text in ["0@0.0/1@0.32", "12^3@4.5/6^70@8.1023"] {
            assert_eq!(text.parse::<Meeting>().unwrap().to_string(), text);
        }
        for text in ["", "1@0.0", "1@0/2@0.0", "1^0@0.0/2@0.0", "x@0.0/1@0.0", "1@0.0/2@0.0/3@0.0"] {
            assert!(text.parse::<Meeting>().is_err(), "{text}");
        }
    }
}
