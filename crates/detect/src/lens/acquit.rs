//! Why accesses that other detectors call a race are none to a lens.

use events::SiteId;
use rustc_hash::FxHashMap;

/// Two sites, the smaller one first.
pub type SitePair = (SiteId, SiteId);

/// Pairs of sites under watch, and how often which rule has let them pass.
#[derive(Default)]
pub struct Acquittals {
    seen: FxHashMap<SitePair, Vec<(&'static str, u64)>>,
}

impl Acquittals {
    pub fn watch(&mut self, pairs: &[SitePair]) {
        self.seen = pairs.iter().map(|&pair| (pair, Vec::new())).collect();
    }

    /// Nothing is watched, so that no reason is needed.
    pub fn is_idle(&self) -> bool {
        self.seen.is_empty()
    }

    /// Accesses of two sites have met and do not race.
    pub fn note(&mut self, a: SiteId, b: SiteId, reason: &'static str) {
        let Some(reasons) = self.seen.get_mut(&(a.min(b), a.max(b))) else { return };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }

    /// The most frequent reason of each pair that met.
    pub fn list(&self) -> Vec<(SitePair, &'static str)> {
        let mut list: Vec<_> = (self.seen.iter())
            .filter_map(|(&pair, reasons)| {
                // The first of equally frequent ones.
                let most = reasons.iter().rev().max_by_key(|(_, count)| *count)?;
                Some((pair, most.0))
            })
            .collect();
        list.sort_unstable_by_key(|(pair, _)| *pair);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_reason_counts_and_strangers_do_not() {
        let mut acquittals = Acquittals::default();
        let pair = (SiteId(1), SiteId(2));
        acquittals.watch(&[pair]);
        for reason in ["fence", "barrier", "barrier"] {
            acquittals.note(SiteId(2), SiteId(1), reason);
        }
        acquittals.note(SiteId(3), SiteId(1), "fence");
        assert_eq!(acquittals.list(), [(pair, "barrier")]);
    }
}
