//! Maps schedules to policies, and implements the two shortest policies.

use super::meet::Meet;
use super::path::{Follow, Log};
use super::pct::Pct;
use super::policy::{Choice, Pick, Policy, WINDOW};
use super::random::SplitMix;
use super::shuffle::Shuffle;
use events::{BlockId, SiteId, WarpId};
use names::Schedule;
use std::sync::{Arc, Mutex};

/// Returns the policy of a schedule; `None` for converged-first, which is built into the engine, and for
/// schedules that only change the order of blocks. `log` receives the decisions of a schedule of turns;
/// `first_site` is the first site of the kernel's module.
pub(crate) fn policy(
    schedule: &Schedule,
    seed: u64,
    log: Option<&Arc<Mutex<Log>>>,
    first_site: SiteId,
) -> Option<Box<dyn Policy>> {
    match schedule {
        Schedule::ConvergedFirst | Schedule::ShuffleBlocks => None,
        Schedule::RoundRobin { quantum } => Some(Box::new(RoundRobin { quantum: *quantum, last: None })),
        Schedule::Random | Schedule::Weak { .. } => Some(Box::new(Random { random: SplitMix::new(seed) })),
        Schedule::Pct { depth, steps } => {
            Some(Box::new(Pct::new(*depth, steps.unwrap_or(super::PCT_STEPS), seed)))
        }
        Schedule::ShuffleWarps => Some(Box::new(Shuffle::new(false, seed))),
        Schedule::ShuffleLanes => Some(Box::new(Shuffle::new(true, seed))),
        Schedule::Path(path) => Some(Box::new(Follow::new(path, log.cloned()))),
        Schedule::Meet(meeting) => Some(Box::new(Meet::new(meeting, first_site, seed))),
    }
}

struct RoundRobin {
    quantum: u32,
    /// Block, warp and lowest lane of the group that ran last.
    last: Option<(BlockId, WarpId, u32)>,
}

impl Policy for RoundRobin {
    fn pick(&mut self, choices: &[Choice]) -> Pick {
        let key = |c: &Choice| (c.block, c.warp, c.lanes.trailing_zeros());
        let next =
            choices.iter().enumerate().filter(|(_, c)| Some(key(c)) > self.last).min_by_key(|(_, c)| key(c));
        let (index, choice) = next
            .or_else(|| choices.iter().enumerate().min_by_key(|(_, c)| key(c)))
            .unwrap_or((0, &choices[0]));
        self.last = Some(key(choice));
        Pick { index, quantum: self.quantum }
    }

    fn window(&self) -> u32 {
        WINDOW
    }

    fn sleeps(&self) -> bool {
        true
    }
}

/// Chooses uniformly, with quanta from 1 to 64 that favour short ones.
struct Random {
    random: SplitMix,
}

impl Policy for Random {
    fn pick(&mut self, choices: &[Choice]) -> Pick {
        let r = self.random.next();
        let index = ((u128::from(r) * choices.len() as u128) >> 64) as usize;
        // From 1 to 64, each power of two equally likely.
        let quantum = 1 << (r % 7);
        Pick { index, quantum }
    }

    fn window(&self) -> u32 {
        WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(n: u32) -> Vec<Choice> {
        (0..n)
            .map(|i| Choice {
                block: BlockId(i / 2),
                warp: WarpId((i % 2) as u16),
                lanes: u32::MAX,
                site: None,
                waits: false,
            })
            .collect()
    }

    #[test]
    fn round_robin_gives_everyone_a_turn() {
        let mut policy = policy(&Schedule::RoundRobin { quantum: 3 }, 0, None, SiteId(0)).unwrap();
        let all = choices(4);
        let picks: Vec<usize> = (0..8).map(|_| policy.pick(&all).index).collect();
        assert_eq!(picks, [0, 1, 2, 3, 0, 1, 2, 3]);
        // The next group in turn is no longer runnable.
        assert_eq!(policy.pick(&all[1..]).index, 0);
    }

    #[test]
    fn random_picks_repeat_for_a_seed_and_differ_between_seeds() {
        let all = choices(16);
        let run = |seed| {
            let mut policy = policy(&Schedule::Random, seed, None, SiteId(0)).unwrap();
            (0..50).map(|_| policy.pick(&all)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        assert!((0..16).all(|i| (0..20).flat_map(run).any(|p| p.index == i)));
    }
}
