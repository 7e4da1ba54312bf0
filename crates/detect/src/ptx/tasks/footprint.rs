//! What a task did to a page, as runs of bytes.

use crate::ptx::cell::Entry;
use crate::ptx::class::AccessClass;
use crate::ptx::knowledge::ALL_WARPS;
use crate::ptx::launch::Page;
use events::access::AccessKind;
use events::{SiteId, Strength};

const NO_SITE: u32 = u32::MAX;
/// Runs of a page beyond which not every instruction is told of.
const CROWDED: usize = 64;

/// Bytes of a page that one instruction (or host call) touched, neighbours put together. Strong accesses are
/// put together only with those of the same size, side by side, since their extent matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) from: u16,
    /// Exclusive; at most 4096.
    pub(crate) to: u16,
    pub(crate) class: AccessClass,
    /// Bytes of the first of its accesses, and of each if they are strong.
    pub(crate) size: u16,
    site: u32,
    /// Who made the first of them.
    pub(crate) block: u32,
    pub(crate) thread: u16,
}

impl Run {
    pub(crate) fn range(from: u16, to: u16, site: Option<SiteId>, write: bool) -> Run {
        let kind = if write { AccessKind::Write } else { AccessKind::Read };
        let class = AccessClass::with(kind, Strength::Weak);
        let site = site.map_or(NO_SITE, |s| s.0);
        Run { from, to, class, size: to - from, site, block: 0, thread: 0 }
    }

    pub(crate) fn site(&self) -> Option<SiteId> {
        (self.site != NO_SITE).then_some(SiteId(self.site))
    }

    /// Do they conflict, strength aside?
    pub(crate) fn meets(&self, other: &Run) -> bool {
        self.from < other.to && other.from < self.to && (self.class.writes() || other.class.writes())
    }

    /// Does whatever races with `old` race with this, if both are of one stream?
    pub(crate) fn covers(&self, old: &Run) -> bool {
        let alike = old.class.rank() == self.class.rank() && self.in_step(old);
        let within = self.from <= old.from && old.to <= self.to;
        (alike || !self.class.strong()) && within && (self.class.writes() || !old.class.writes())
    }

    /// Are the accesses of both of one size, so that two of them overlap in all or in nothing?
    pub(crate) fn in_step(&self, other: &Run) -> bool {
        self.size == other.size && self.from.abs_diff(other.from).is_multiple_of(self.size.max(1))
    }

    /// What is left outside `from..to`.
    pub(crate) fn without(self, from: u16, to: u16) -> impl Iterator<Item = Run> {
        let before = Run { to: self.to.min(from.max(self.from)), ..self };
        let after = Run { from: self.from.max(to.min(self.to)), ..self };
        let untouched = to <= self.from || self.to <= from;
        let both = if untouched { [Some(self), None] } else { [Some(before), Some(after)] };
        both.into_iter().flatten().filter(|run| run.from < run.to)
    }
}

/// The bytes of a page that weak accesses have touched.
pub(crate) struct Coverage {
    touched: [u64; 64],
    written: [u64; 64],
}

impl Coverage {
    pub(crate) fn of(runs: &[Run]) -> Self {
        let mut out = Coverage { touched: [0; 64], written: [0; 64] };
        for run in runs.iter().filter(|r| !r.class.strong()) {
            for (word, mask) in words(run) {
                out.touched[word] |= mask;
                if run.class.writes() {
                    out.written[word] |= mask;
                }
            }
        }
        out
    }

    /// Like [`Run::covers`], by all runs together.
    pub(crate) fn covers(&self, old: &Run) -> bool {
        let bytes = if old.class.writes() { &self.written } else { &self.touched };
        words(old).all(|(word, mask)| bytes[word] & mask == mask)
    }
}

/// The run as words of a bitmap.
fn words(run: &Run) -> impl Iterator<Item = (usize, u64)> {
    let (from, to) = (usize::from(run.from), usize::from(run.to));
    (from / 64..to.div_ceil(64)).map(move |word| {
        let low = from.saturating_sub(word * 64);
        let high = (to - word * 64).min(64);
        (word, (u64::MAX << low) & (u64::MAX >> (64 - high)))
    })
}

/// The runs of a page.
pub(crate) fn runs_of(page: &Page) -> Vec<Run> {
    let mut runs = Vec::new();
    for (line, stamp) in page.stamps() {
        runs.push(Run {
            from: line as u16 * 128 + u16::from(stamp.from),
            to: line as u16 * 128 + u16::from(stamp.to),
            class: stamp.class,
            size: stamp.size(),
            site: stamp.site.0,
            block: stamp.block,
            thread: stamp.first_thread(),
        });
    }
    let mut add = |cell: usize, entry: &Entry| {
        let mut bytes = entry.bytes;
        while bytes != 0 {
            let from = bytes.trailing_zeros();
            let len = (bytes >> from).trailing_ones();
            bytes &= !(((1u32 << len) - 1) << from) as u16;
            let at = cell as u16 * 16 + from as u16;
            let first = entry.warp.wrapping_mul(32).wrapping_add(entry.lanes.trailing_zeros() as u16);
            runs.push(Run {
                from: at,
                to: at + len as u16,
                class: entry.class,
                size: len as u16,
                site: entry.site.0,
                block: entry.block,
                thread: if entry.warp == ALL_WARPS { 0 } else { first },
            });
        }
    };
    for (index, cell) in page.cells() {
        cell.all().for_each(|entry| add(index, entry));
    }
    for (line, tally) in page.tallies() {
        tally.entries(|cell, entry| add(line * 8 + cell, &entry));
    }
    join(&mut runs);
    if runs.len() > CROWDED {
        join_sites(&mut runs);
    }
    runs
}

/// Puts neighbouring and equal runs together.
fn join(runs: &mut Vec<Run>) {
    runs.sort_by_key(|r| (r.site, r.class, r.from, r.to, r.block, r.thread));
    runs.dedup_by(|next, kept| {
        if (next.site, next.class) != (kept.site, kept.class) {
            return false;
        }
        let joins = next.from <= kept.to && (!kept.class.strong() || kept.in_step(next));
        if joins {
            kept.to = kept.to.max(next.to);
        }
        joins
    });
}

/// Puts atomics of different instructions together that are alike otherwise.
fn join_sites(runs: &mut Vec<Run>) {
    runs.sort_by_key(|r| (r.class.strong(), r.class, r.size, r.from, r.to, r.site, r.block, r.thread));
    runs.dedup_by(|next, kept| {
        let joins =
            next.class.strong() && next.class == kept.class && next.from <= kept.to && kept.in_step(next);
        if joins {
            kept.to = kept.to.max(next.to);
        }
        joins
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_splits_a_run() {
        let run = Run::range(10, 20, None, true);
        let left: Vec<_> = run.without(12, 15).map(|r| (r.from, r.to)).collect();
        assert_eq!(left, [(10, 12), (15, 20)]);
        assert_eq!(run.without(0, 20).count(), 0);
        assert_eq!(run.without(20, 30).map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(10, 20)]);
        assert_eq!(run.without(0, 10).map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(10, 20)]);
        assert_eq!(run.without(5, 12).map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(12, 20)]);
    }

    #[test]
    fn coverage_is_by_bytes() {
        let coverage = Coverage::of(&[Run::range(0, 64, None, true), Run::range(64, 100, None, false)]);
        assert!(coverage.covers(&Run::range(0, 64, None, true)));
        assert!(coverage.covers(&Run::range(60, 100, None, false)));
        assert!(!coverage.covers(&Run::range(60, 70, None, true)));
        assert!(!coverage.covers(&Run::range(60, 101, None, false)));
        assert!(Coverage::of(&[Run::range(0, 4096, None, true)]).covers(&Run::range(4095, 4096, None, true)));
    }

    #[test]
    fn neighbours_join_unless_strong() {
        let mut runs =
            vec![Run::range(4, 8, None, true), Run::range(0, 4, None, true), Run::range(9, 10, None, true)];
        join(&mut runs);
        assert_eq!(runs.iter().map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(0, 8), (9, 10)]);
    }

    #[test]
    fn neighbouring_atomics_of_one_size_are_one_run() {
        let strong = Strength::Strong { sem: events::Sem::Relaxed, scope: events::Scope::Gpu };
        let atomic = |from, size, site| Run {
            class: AccessClass::with(
                AccessKind::Atomic { op: events::AtomicOp::Add, returns: false },
                strong,
            ),
            size,
            site,
            ..Run::range(from, from + size, None, true)
        };
        let mut runs =
            vec![atomic(8, 4, 1), atomic(0, 4, 1), atomic(4, 4, 2), atomic(12, 4, 1), atomic(8, 8, 1)];
        join(&mut runs);
        let ends = |runs: &[Run]| runs.iter().map(|r| (r.from, r.to, r.size)).collect::<Vec<_>>();
        assert_eq!(ends(&runs), [(0, 4, 4), (8, 12, 4), (8, 16, 8), (12, 16, 4), (4, 8, 4)]);
        assert!(!runs[1].in_step(&runs[2]) && runs[0].in_step(&runs[3]));
        join_sites(&mut runs);
        assert_eq!(ends(&runs), [(0, 16, 4), (8, 16, 8)]);
        assert!(runs[0].covers(&atomic(12, 4, 3)) && !runs[0].covers(&atomic(8, 8, 3)));
    }
}
