//! Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi and Nagarakatte, *A Randomized Scheduler
//! with Probabilistic Guarantees of Finding Bugs* (ASPLOS 2010).
//!
//! Every thread has a random priority, and the runnable thread with the highest priority runs. At `depth - 1`
//! steps, drawn from all `steps`, the running thread's priority drops below all others. A bug that needs
//! `depth` ordering constraints among `n` threads shows with a probability of at least
//! `1 / (n * steps^(depth - 1))`.
//!
//! The guarantee holds for runs of `steps` instructions. A run far beyond them spins: the running thread
//! polls, unrecognised, for an action of a thread of lower priority. From then on the running thread's
//! priority drops repeatedly, at random, so that every thread runs eventually and every program that ends
//! under fair schedules ends; the unfair runs of other programs are of no interest (Musuvathi and Qadeer,
//! *Fair Stateless Model Checking*, PLDI 2008).
//!
//! A "thread" is a group of lanes, identified by its warp and lowest lane; a group that splits off draws its
//! own priority. A thread that is woken while a lower one runs waits for up to [`TURN`] instructions; the
//! guarantee is for steps of that size.

use super::policy::{Choice, Pick, Policy};
use super::random::SplitMix;
use events::{BlockId, WarpId};
use rustc_hash::FxHashMap;

/// The number of instructions between two choices of the running thread.
const TURN: u64 = 16;

/// A bit that is set in initial priorities, and clear in dropped ones.
const HIGH: u64 = 1 << 63;

/// Dropped priorities are above this value, those of threads that poll in vain below.
const LOW: u64 = 1 << 62;

/// The multiple of `steps` after which a run counts as spinning.
const STRETCH: u64 = 2;

/// The average number of choices between two drops of the running thread's priority, once a run spins.
const FAIR_TURNS: u64 = 16;

type Key = (BlockId, WarpId, u32);

pub(crate) struct Pct {
    random: SplitMix,
    priorities: FxHashMap<Key, u64>,
    /// The steps at which the running thread's priority drops, the next one last.
    changes: Vec<u64>,
    /// The number of dropped priorities; the next one is below them.
    behind: u64,
    /// The number of times that a thread has yielded to all others.
    yielded: u64,
    done: u64,
    /// The number of instructions after which the run counts as spinning.
    fair_from: u64,
}

impl Pct {
    pub(crate) fn new(depth: u32, steps: u64, seed: u64) -> Pct {
        let mut random = SplitMix::new(seed);
        let mut changes: Vec<u64> = (1..depth).map(|_| random.below(steps.max(1))).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        let fair_from = steps.saturating_mul(STRETCH);
        Pct { random, priorities: FxHashMap::default(), changes, behind: 0, yielded: 0, done: 0, fair_from }
    }

    fn highest(&mut self, choices: &[Choice]) -> (usize, Key) {
        let mut best: Option<(u64, usize, Key)> = None;
        for (i, choice) in choices.iter().enumerate() {
            let key = (choice.block, choice.warp, choice.lanes.trailing_zeros());
            let random = &mut self.random;
            let priority = *self.priorities.entry(key).or_insert_with(|| random.next() | HIGH);
            if best.is_none_or(|(highest, ..)| priority > highest) {
                best = Some((priority, i, key));
            }
        }
        best.map_or((0, (BlockId(0), WarpId(0), 0)), |(_, i, key)| (i, key))
    }

    /// Puts a thread below all others. Returns the thread with the highest priority then.
    fn make_way(&mut self, key: Key, choices: &[Choice]) -> (usize, Key) {
        self.yielded += 1;
        self.priorities.insert(key, LOW - self.yielded);
        self.highest(choices)
    }
}

impl Policy for Pct {
    fn pick(&mut self, choices: &[Choice]) -> Pick {
        let (mut index, mut key) = self.highest(choices);
        if self.done >= self.fair_from && self.random.below(FAIR_TURNS) == 0 {
            (index, key) = self.make_way(key, choices);
        }
        // A thread that polls in vain yields to all others; otherwise none of them could write the value that
        // it waits for.
        for _ in 0..choices.len() {
            if !choices[index].waits {
                break;
            }
            (index, key) = self.make_way(key, choices);
        }
        while self.changes.last().is_some_and(|&at| at <= self.done) {
            self.changes.pop();
            self.priorities.insert(key, LOW + self.behind);
            self.behind += 1;
            (index, key) = self.highest(choices);
        }
        let until = self.changes.last().map_or(TURN, |&at| at - self.done);
        Pick { index, quantum: until.min(TURN) as u32 }
    }

    fn window(&self) -> u32 {
        super::policy::WINDOW
    }

    fn ran(&mut self, instructions: u64) {
        self.done += instructions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A runnable thread, the only one of its block.
    fn choice(thread: usize) -> Choice {
        Choice { block: BlockId(thread as u32), warp: WarpId(0), lanes: 1, site: None, waits: false }
    }

    /// Runs threads of straight-line steps; returns the thread of each step, in order.
    fn run(threads: usize, steps: u32, depth: u32, seed: u64) -> Vec<usize> {
        let mut policy = Pct::new(depth, threads as u64 * u64::from(steps), seed);
        let mut left = vec![steps; threads];
        let mut out = Vec::new();
        while left.iter().any(|&l| l > 0) {
            let choices: Vec<Choice> = (0..threads).filter(|&t| left[t] > 0).map(choice).collect();
            let pick = policy.pick(&choices);
            let thread = choices[pick.index].block.0 as usize;
            let n = pick.quantum.min(left[thread]);
            left[thread] -= n;
            out.extend((0..n).map(|_| thread));
            policy.ran(n.into());
        }
        out
    }

    #[test]
    fn a_thread_runs_until_it_falls_behind() {
        for seed in 0..50 {
            for depth in 1..5 {
                let order = run(4, 40, depth, seed);
                let switches = order.windows(2).filter(|w| w[0] != w[1]).count();
                assert!(switches <= 3 + 2 * (depth as usize - 1), "{order:?}");
            }
        }
    }

    /// Thread 0 has the highest priority and runs on until the others have made all their steps.
    #[test]
    fn a_run_beyond_its_steps_gives_everyone_a_turn() {
        for seed in 0..50 {
            let mut policy = Pct::new(2, 100, seed);
            let mut left = [40u32; 3];
            for picks in 0.. {
                assert!(picks < 2000, "seed {seed}: {left:?}");
                let able = (0..4).filter(|&t| t == 0 || left[t - 1] > 0);
                let choices: Vec<Choice> = able.map(choice).collect();
                if choices.len() == 1 {
                    break;
                }
                let pick = policy.pick(&choices);
                if let Some(t) = (choices[pick.index].block.0 as usize).checked_sub(1) {
                    left[t] = left[t].saturating_sub(pick.quantum);
                }
                policy.ran(pick.quantum.into());
            }
        }
    }

    /// Checks the guarantee for a bug of depth 2: thread 1 must begin between the first and second half of
    /// thread 0. Random walks of single steps nearly always miss the deeper bugs; the guarantee is 1 / (n k).
    #[test]
    fn bugs_of_a_depth_show_as_often_as_promised() {
        let (threads, steps, trials) = (3, 20u32, 4000u64);
        let k = f64::from(steps) * threads as f64;
        let at = |order: &[usize], thread: usize, n: usize| {
            order
                .iter()
                .enumerate()
                .filter(|(_, t)| **t == thread)
                .nth(n)
                .map(|(i, _)| i)
                .unwrap_or(usize::MAX)
        };
        // Depth 1: the last step of thread 2 precedes the first of thread 0.
        let one = |o: &[usize]| at(o, 2, 19) < at(o, 0, 0);
        // Depth 2: thread 1 begins after step 7 of thread 0 and before step 8.
        let two = |o: &[usize]| at(o, 0, 7) < at(o, 1, 0) && at(o, 1, 0) < at(o, 0, 8);
        for (depth, bug) in [(1, &one as &dyn Fn(&[usize]) -> bool), (2, &two)] {
            let found = (0..trials).filter(|&seed| bug(&run(threads, steps, depth, seed))).count();
            let promised = 1.0 / (threads as f64 * k.powi(depth as i32 - 1));
            let share = found as f64 / trials as f64;
            // Allows two standard deviations.
            let slack = 2.0 * (promised / trials as f64).sqrt();
            assert!(share >= promised - slack, "depth {depth}: {share} is less than {promised}");
        }
        let never = (0..trials).filter(|&seed| two(&run(threads, steps, 1, seed))).count();
        assert_eq!(never, 0, "depth 1 has no change point to find it with");
    }
}
