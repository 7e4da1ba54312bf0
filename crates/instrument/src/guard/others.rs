//! The work of other streams at memory, which ends runs of repeated launches ([`super::repeats`]).
//!
//! The table has a word's last write and two of its reads. Reads of another stream replace those of a run's first launch and
//! race with none of them, so that a later write would be compared with them alone. So a launch is no repeat once another
//! stream has left accesses in the table of memory to which the launch's arguments lead.

use std::collections::HashMap;

/// Limits how many allocations are told apart.
const MOST: usize = 1 << 16;

/// The last work at some memory.
#[derive(Clone, Copy, Debug)]
struct Last<S> {
    by: S,
    at: u64,
    /// The last one of another stream than that; 0 if there is none.
    others: u64,
}

impl<S: Copy + Eq> Last<S> {
    fn next(last: Option<Last<S>>, by: S, at: u64) -> Last<S> {
        let others = last.map_or(0, |last| last.by_others(by));
        Last { by, at, others }
    }

    /// Returns the last work of a stream other than this one.
    fn by_others(self, than: S) -> u64 {
        if self.by == than { self.others } else { self.at }
    }
}

/// The last work at each allocation. `S` names a stream.
#[derive(Debug)]
pub struct Others<S> {
    /// The address of an allocation leads to the last work there.
    known: HashMap<u64, Last<S>>,
    /// The last work that may access any memory.
    anywhere: Option<Last<S>>,
}

impl<S> Default for Others<S> {
    fn default() -> Self {
        Others { known: HashMap::new(), anywhere: None }
    }
}

impl<S: Copy + Eq> Others<S> {
    /// Records work of a stream that accesses these allocations, or any memory for `None`, at a time behind that of all
    /// earlier work.
    pub fn came(&mut self, by: S, at: u64, memory: Option<&[u64]>) {
        let Some(memory) = memory.filter(|_| self.known.len() < MOST) else {
            self.anywhere = Some(Last::next(self.anywhere, by, at));
            return;
        };
        for &base in memory {
            let next = Last::next(self.known.get(&base).copied(), by, at);
            self.known.insert(base, next);
        }
    }

    /// Returns whether other streams than this one have had work since then at one of these allocations.
    pub fn are_at(&self, memory: &[u64], than: S, since: u64) -> bool {
        let known = memory.iter().filter_map(|base| self.known.get(base));
        known.chain(&self.anywhere).any(|last| last.by_others(than) > since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_other_streams_at_the_same_memory_counts() {
        let mut others = Others::default();
        others.came('a', 1, Some(&[10, 20]));
        others.came('a', 2, Some(&[10]));
        assert!(!others.are_at(&[10, 20], 'a', 0) && others.are_at(&[10], 'b', 1));
        others.came('b', 3, Some(&[20, 30]));
        assert!(others.are_at(&[10, 20], 'a', 2) && !others.are_at(&[10, 20], 'a', 3));
        assert!(!others.are_at(&[10], 'a', 0));
        // The own stream's later work does not hide that of the other one.
        others.came('a', 4, Some(&[20]));
        assert!(others.are_at(&[20], 'a', 2) && !others.are_at(&[20], 'a', 3));
        others.came('c', 5, None);
        assert!(others.are_at(&[10], 'a', 4) && !others.are_at(&[30], 'c', 3));
    }
}
