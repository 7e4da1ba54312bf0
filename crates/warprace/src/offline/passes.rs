//! Passes over a trace, each for a part of memory.
//!
//! A detector of a part ([`Shard`]) plays the whole trace. It follows the order of threads, and judges its own part of memory, so
//! that what it remembers of locations is a part of what a detector of all memory remembers. The trace itself is read chunk by
//! chunk. If a pass exceeds the limit on memory it ends there, its part is divided in two, and each half has a pass of its own.

use super::analyse::{Analysed, Asks, ask, read};
use super::part::Part;
use crate::terminal;
use detect::lens::Shard;
use detect::ptx::PtxOptions;
use names::lens::Choice;
use std::cell::OnceCell;
use std::path::Path;
use trace::Heard;

/// Parts smaller than that are not divided: what takes the memory is then the order of threads.
const MOST_PARTS: u32 = 1024;

/// The passes of one detector over a trace.
#[derive(Debug)]
pub(super) struct Passes<'a> {
    pub(super) path: &'a Path,
    pub(super) lens: &'a Choice,
    pub(super) ptx: PtxOptions,
    pub(super) jobs: usize,
    pub(super) quiet: bool,
    /// Whether the order of threads leaves room for locations, once that is known.
    pub(super) leaves_room: OnceCell<bool>,
}

/// A pass that has ended within the limit on memory, or that cannot be divided.
struct Pass {
    asked: Box<dyn Asks>,
    heard: Heard,
    damage: Option<trace::Error>,
}

impl Passes<'_> {
    /// Returns the results for a part of memory.
    pub(super) fn parts(&self, shard: Shard) -> Result<Vec<Part>, String> {
        let (mut left, mut parts) = (vec![shard], Vec::new());
        while let Some(pass) = self.next(&mut left)? {
            parts.push(pass.asked.part());
        }
        Ok(parts)
    }

    /// Returns the result for all of memory: of `first`, of `others`, and of those whose results are in `parts`.
    pub(super) fn whole(
        &self,
        first: Shard,
        others: impl IntoIterator<Item = Shard>,
        mut parts: Vec<Part>,
    ) -> Result<Analysed, String> {
        // The last one is popped first.
        let mut left: Vec<Shard> = std::iter::once(first).chain(others).collect();
        loop {
            match self.next(&mut left)? {
                Some(pass) if left.is_empty() => {
                    return Ok(pass.asked.analysed(self.path, pass.heard, pass.damage.as_ref(), parts));
                }
                Some(pass) => parts.push(pass.asked.part()),
                None => return Err("no part of memory is left to analyse".into()),
            }
        }
    }

    /// Runs the pass of the last shard in `left`, which its halves replace if the pass exceeds the limit on memory.
    fn next(&self, left: &mut Vec<Shard>) -> Result<Option<Pass>, String> {
        while let Some(shard) = left.pop() {
            let ptx = PtxOptions { shard, ..self.ptx.clone() };
            let (asked, deal) = ask(self.lens, &ptx, self.jobs, &[]);
            let asked = [asked];
            let (mut heard, damage) = read(self.path, &asked, deal)?;
            let [asked] = asked;
            let is_over = asked.limited().is_some_and(|monitor| monitor.is_over());
            if is_over && shard.count() < MOST_PARTS && self.leaves_room()? {
                self.tell(shard);
                left.extend(shard.divided(2));
                continue;
            }
            return Ok(Some(Pass { asked, heard: heard.swap_remove(0), damage }));
        }
        Ok(None)
    }

    /// Returns whether the order of threads alone leaves room for locations within the limit on memory. If it does not, no division
    /// helps.
    fn leaves_room(&self) -> Result<bool, String> {
        if let Some(leaves) = self.leaves_room.get() {
            return Ok(*leaves);
        }
        let ptx = PtxOptions { shard: Shard::NOTHING, ..self.ptx.clone() };
        let (asked, deal) = ask(self.lens, &ptx, self.jobs, &[]);
        let asked = [asked];
        read(self.path, &asked, deal)?;
        let most = self.ptx.max_shadow_bytes.unwrap_or(u64::MAX);
        let fits = asked[0].limited().is_none_or(|monitor| !monitor.is_over() && monitor.most_bytes() < most);
        Ok(*self.leaves_room.get_or_init(|| fits))
    }

    /// Tells that a part is divided.
    fn tell(&self, shard: Shard) {
        if !self.quiet {
            let (all, smaller) = (shard.count(), 2 * shard.count());
            let part = if all == 1 { "memory".to_owned() } else { format!("a part of {all} of memory") };
            terminal::complain(format_args!(
                "warprace: {part} takes more than --max-memory: divided into parts of {smaller}\n"
            ));
        }
    }
}
