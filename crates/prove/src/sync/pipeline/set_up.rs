//! Whether mbarriers are initialised alike, before their uses.
//!
//! An initialisation is a weak write (`docs/assumptions.md`, 11b). So no two threads may initialise one mbarrier, and each
//! use comes behind its initialisation: by a barrier of the block between both, or as both are of one thread.

use super::Pipelines;
use super::find::{Find, Use};
use crate::solver::cond::Cond;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Attr, Syms};
use crate::sync::barriers::interval;
use crate::sync::split_barriers::MbarrierUse;

const SET_UP: &str = "it has mbarriers that are not set up before all else, and alike, not modelled yet";

impl Find<'_> {
    /// Checks that all mbarriers of a class are initialised for the same number of arrivals, and that their uses come
    /// behind that.
    pub(super) fn set_up(
        &self,
        syms: &Syms,
        uses: &[Use<'_>],
        found: &mut Pipelines,
    ) -> Result<(), &'static str> {
        for (n, class) in found.classes.iter_mut().enumerate() {
            let of = |u: &&Use<'_>| u.form.class == n;
            let inits: Vec<&Use<'_>> = uses.iter().filter(of).filter(|u| u.is_init()).collect();
            let counts: Vec<Poly> = inits.iter().filter_map(|u| u.used.number.clone()).collect();
            let count = counts.first().ok_or(SET_UP)?;
            if counts.len() != inits.len()
                || counts.iter().any(|c| c != count)
                || syms.attr(count) != Attr::GRID
            {
                return Err(SET_UP);
            }
            class.count = count.clone();
            for init in &inits {
                let alone = inits.iter().all(|other| self.asked.by_one_thread(syms, init.used, other.used));
                let used: Vec<&Use<'_>> = uses.iter().filter(of).filter(|u| !u.is_init()).collect();
                if !(alone && self.comes_first(syms, init, &used)?) {
                    return Err(SET_UP);
                }
            }
        }
        Ok(())
    }

    /// Returns whether an initialisation comes before all `used` of the same mbarrier.
    fn comes_first(&self, syms: &Syms, init: &Use<'_>, used: &[&Use<'_>]) -> Result<bool, &'static str> {
        let at_once = interval(self.asked.cfg, self.asked.shape, self.asked.barriers, &[], Some(init.inst));
        let at_once = at_once.ok_or(SET_UP)?;
        let comes_first = |u: &&Use<'_>| {
            let early = at_once.iter().any(|(i, _)| *i == u.inst);
            // The barrier is passed before the use, and never before the initialisation.
            let behind =
                |b: &usize| self.ways.is_first(*b, u.inst) && !self.ways.may_follow(*b, init.inst, None);
            let met = || !early && self.asked.barriers.iter().any(behind);
            let own =
                || self.ways.is_first(init.inst, u.inst) && self.asked.by_one_thread(syms, init.used, u.used);
            !self.ways.may_follow(u.inst, init.inst, None) && (met() || own())
        };
        Ok(used.iter().all(comes_first))
    }

    /// Returns the least upper bound of an offset that follows from the use's path, between `lo` and `hi`, of which the
    /// latter is one.
    pub(super) fn least_bound(
        &self,
        syms: &Syms,
        used: &MbarrierUse,
        at: &Poly,
        (lo, hi): (i128, i128),
    ) -> i128 {
        let (mut below, mut bound) = (lo - 1, hi);
        while bound - below > 1 {
            let middle = below + (bound - below) / 2;
            if self.holds(syms, &Cond::le(at, &Poly::constant(middle)), &used.path) {
                bound = middle;
            } else {
                below = middle;
            }
        }
        bound
    }
}
