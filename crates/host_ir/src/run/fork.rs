//! Executes undecided branches: all paths are followed to the point where they join.

use super::code::End;
use super::state::{State, Until, get, is_there, jump, stack};
use super::{At, MOST_FORKS, MOST_NESTED, MOST_ROUNDS, Machine, Outcome};
use std::collections::BTreeSet;

/// Limits the jumps that are followed to the return of `main`.
const MOST_JUMPS: usize = 16;

/// A branch whose paths are being executed.
pub(super) struct Fork<'a> {
    /// The depth of the call stack, the function and the block.
    pub(super) key: (usize, At, usize),
    /// States that reached the branch again.
    pub(super) again: Vec<State<'a>>,
}

impl<'a> Machine<'_, 'a> {
    /// Executes all paths, and continues where they join.
    pub(super) fn fork(&mut self, state: &mut State<'a>, mut targets: Vec<usize>) -> Outcome {
        targets.sort_unstable();
        targets.dedup();
        let depth = state.frames.len();
        let Some(frame) = state.frames.last() else { return Outcome::Ended };
        let key = (depth, frame.at, frame.block);
        if let Some(n) = self.forks.iter().position(|f| f.key == key) {
            self.forks[n].again.push(state.clone());
            return Outcome::Again(n);
        }
        self.forked += 1;
        if self.forked > MOST_FORKS || self.forks.len() > MOST_NESTED {
            return self.lose(state, "too much depends on what is not known");
        }
        let until = Until { depth, block: frame.code.joins[frame.block] };
        if self.forks.is_empty() {
            self.root = stack(state);
        }
        let own = self.forks.len();
        self.forks.push(Fork { key, again: Vec::new() });
        let mut base = state.clone();
        let before = std::mem::take(&mut base.left);
        let mut rounds = 0;
        // The outcome if no path reaches the join.
        let mut otherwise = Outcome::GaveUp;
        let (mut left, mut doubted) = (false, false);
        // How many numbers of the input have been read, before the paths and on those that go on.
        let read = self.read;
        let met = loop {
            let mut met: Option<State<'a>> = None;
            // The launches of each path, and whether it gave up.
            let mut ways: Vec<(BTreeSet<(String, usize)>, bool)> = Vec::new();
            let mut reads = BTreeSet::new();
            for &to in &targets {
                let mut arm = base.clone();
                self.read = read;
                jump(&mut arm, to);
                self.here.push(BTreeSet::new());
                let outcome = match is_there(&arm, until) {
                    true => Outcome::Reached,
                    false => self.run(&mut arm, until),
                };
                let outcome = match outcome {
                    Outcome::GaveUp if arm.left => Outcome::Ended,
                    outcome => outcome,
                };
                let launches = self.here.pop().unwrap_or_default();
                let gave_up = match outcome {
                    Outcome::Reached => fails(&arm),
                    outcome => outcome == Outcome::GaveUp,
                };
                otherwise = match (otherwise, outcome) {
                    (o, Outcome::GaveUp) | (o, Outcome::Reached) => o,
                    (o, Outcome::Again(n)) if n == own => o,
                    (Outcome::GaveUp, o) => o,
                    (Outcome::Again(a), Outcome::Again(b)) => Outcome::Again(a.min(b)),
                    _ => Outcome::Ended,
                };
                doubted |= outcome == Outcome::Ended;
                if matches!(outcome, Outcome::Reached | Outcome::Again(_)) {
                    reads.insert(self.read);
                }
                ways.push((launches, gave_up));
                match (outcome, &mut met) {
                    (Outcome::Lost, _) => return Outcome::Lost,
                    (Outcome::GaveUp, _) => {}
                    (Outcome::Again(n), _) if n == own => {}
                    (Outcome::Ended | Outcome::Again(_), _) => left = true,
                    (Outcome::Reached, Some(met)) => {
                        if met.merge(&arm).is_none() {
                            return self.lose(state, "ways do not meet");
                        }
                    }
                    (Outcome::Reached, met) => *met = Some(arm),
                }
            }
            self.keep(&ways);
            self.mixed |= reads.len() > 1;
            self.read = reads.last().copied().unwrap_or(read);
            let again = self.forks.last_mut().map(|f| std::mem::take(&mut f.again)).unwrap_or_default();
            let mut changed = false;
            for other in &again {
                match base.merge(other) {
                    Some(more) => changed |= more,
                    None => return self.lose(state, "ways do not meet"),
                }
            }
            rounds += 1;
            if !changed {
                break met;
            }
            if rounds > MOST_ROUNDS {
                return self.lose(state, "a loop does not settle");
            }
        };
        self.forks.pop();
        match met {
            Some(mut met) => {
                met.left |= before || left;
                met.doubted |= doubted;
                *state = met;
                Outcome::Reached
            }
            None => otherwise,
        }
    }

    /// One of these paths is taken: the certain launches are those of every path that does not give up.
    fn keep(&mut self, ways: &[(BTreeSet<(String, usize)>, bool)]) {
        let Some(mut here) = self.here.pop() else { return };
        for launch in ways.iter().flat_map(|(launches, _)| launches) {
            if ways.iter().all(|(launches, gave_up)| *gave_up || launches.contains(launch)) {
                here.insert(launch.clone());
            }
        }
        self.here.push(here);
    }
}

/// Returns whether `main` has returned an error, or is about to.
fn fails(state: &State<'_>) -> bool {
    let failed = |code: Option<i64>| !state.left && code.is_some_and(|c| c as i32 != 0);
    match state.frames.len() {
        0 => return failed(state.returned),
        1 => {}
        _ => return false,
    }
    let mut state = state.clone();
    for _ in 0..MOST_JUMPS {
        let Some(frame) = state.frames.last() else { return false };
        let code = std::rc::Rc::clone(&frame.code);
        match &code.blocks[frame.block].end {
            End::Jump(to) => jump(&mut state, *to),
            End::Return(Some(value)) => return failed(get(&state, value).number()),
            _ => return false,
        }
    }
    false
}
