//! The threads that arrive at each barrier of a pipeline.

use super::find::{Find, WHO};
use super::named::WARP;
use super::{Arrival, Arriving, Pipelines, WARPGROUP};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Axis, Info, Kind, Level, Syms};

/// Limits the candidates for the first thread of an interval.
const MOST_FROM: usize = 24;

impl Find<'_> {
    /// Checks that the arriving threads are as many as are counted, all threads in a row or one of each warp or warpgroup,
    /// and that each of them arrives once with each number.
    pub(super) fn who_arrives(&self, syms: &mut Syms, found: &mut Pipelines) -> Result<(), &'static str> {
        let thread = found.thread.clone();
        let [x, y, z] = Axis::ALL.map(|a| crate::sync::split_barriers::extent(syms, a));
        let threads =
            x.zip(y).and_then(|(x, y)| x.times(&y)).zip(z).and_then(|(xy, z)| xy.times(&z)).ok_or(WHO)?;
        for n in 0..found.classes.len() {
            let of: Vec<&Arrival> = found.arrivals.iter().filter(|a| a.form.class == n).collect();
            let count = found.classes[n].count.clone();
            let named = found.classes[n].named;
            let is_block = count == threads || self.holds(syms, &Cond::le(&threads, &count), &[]);
            if !is_block {
                let tried = first_threads(&of, &threads.minus(&count));
                let whole_warps = |(from, stride): &(Poly, i128)| {
                    *stride == 1 && from.as_constant().is_some_and(|from| from % WARP == 0)
                };
                let mut tried = tried.into_iter().filter(|from| !named || whole_warps(from));
                let who = tried.find_map(|from| {
                    let who = Arriving::of(syms, &thread, &count, (&from.0, from.1))?;
                    let inside = who.has(&thread);
                    of.iter().all(|a| self.holds(syms, &inside, &a.path)).then_some(who)
                });
                found.classes[n].who = Some(who.ok_or(WHO)?);
            }
            if named && !self.arrives_by_warps(syms, found, n) {
                return Err(WHO);
            }
        }
        // No thread arrives with one number at two places.
        for (i, a) in found.arrivals.iter().enumerate() {
            for b in &found.arrivals[i + 1..] {
                if a.form.class == b.form.class && !self.never_alike(syms, &thread, a, b) {
                    return Err(WHO);
                }
            }
        }
        Ok(())
    }

    /// Returns whether a condition follows from others.
    pub(super) fn holds(&self, syms: &Syms, c: &Cond, path: &[Cond]) -> bool {
        let mut question = Instance::new(syms);
        question.assume_all(path, self.asked.given);
        question.assume(&c.not());
        question.refuted()
    }

    fn never_alike(&self, syms: &Syms, thread: &Poly, a: &Arrival, b: &Arrival) -> bool {
        let in_turn =
            a.of_loop.is_some() && a.of_loop == b.of_loop && a.form == b.form && a.line.each == b.line.each;
        if in_turn && (a.line.first - b.line.first) % a.line.each.max(1) != 0 {
            return true;
        }
        let home = |info: &Info, side: u8| match info.attr.level {
            Level::Grid if info.attr.loops == 0 => 0,
            _ => side,
        };
        let mut question = Instance::of_many(syms, &home);
        self.asked.given.iter().for_each(|c| question.assume(c));
        for (arrival, side) in [(a, 1), (b, 2)] {
            arrival.path.iter().for_each(|c| question.assume_of(c, side));
        }
        let pairs = [(thread, thread), (&a.at[0], &b.at[0]), (&a.number[0], &b.number[0])];
        for (p, q) in pairs {
            let (Some(p), Some(q)) = (question.lowered(p, 1), question.lowered(q, 2)) else { return false };
            question.assert(&Cond::eq(&p, &q));
        }
        for (s, info) in syms.all() {
            if matches!(info.kind, Kind::Tid(_)) {
                let (p, q) = (question.variable(s, 1), question.variable(s, 2));
                question.assert(&Cond::eq(&Poly::sym(p), &Poly::sym(q)));
            }
        }
        question.refuted()
    }
}

/// Returns candidates for the first thread that arrives, with the distance to the next one: the block's first or last ones,
/// and those that conditions of the arrivals name.
fn first_threads(arrivals: &[&Arrival], last: &Poly) -> Vec<(Poly, i128)> {
    let mut tried: Vec<Poly> = vec![Poly::default(), last.clone()];
    for c in arrivals.iter().flat_map(|a| &a.path) {
        c.each_poly(&mut |p| {
            let c = p.constant_term().abs();
            let group = [c * WARPGROUP, (c + 1) * WARPGROUP];
            tried.extend([c, c + 1, c * 32, (c + 1) * 32].into_iter().chain(group).map(Poly::constant));
        });
    }
    let mut seen: Vec<Poly> = Vec::new();
    tried.retain(|p| {
        p.as_constant().is_none_or(|c| c < 1 << 11) && !seen.contains(p) && {
            seen.push(p.clone());
            true
        }
    });
    tried.truncate(MOST_FROM);
    let each = |stride: i128| tried.clone().into_iter().map(move |from| (from, stride));
    [1, 32, WARPGROUP].into_iter().flat_map(each).collect()
}
