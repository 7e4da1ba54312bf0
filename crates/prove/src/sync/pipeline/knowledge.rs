//! Threads' knowledge of ended phases.

use super::iteration::Ways;
use super::{Arrival, Form, Known, Line, Pipelines, Wait};
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::Syms;

/// How often knowledge is passed on.
const MOST_HANDS: usize = 3;

/// The number of ended phases of a barrier.
type Fact = (Form, Line);

/// Computes the knowledge after all waits. Returns false if an arrival may precede the phases that its number
/// requires.
pub(super) fn spread(syms: &mut Syms, turns: &[Option<Sym>], ways: Ways<'_>, found: &mut Pipelines) -> bool {
    let mut behind: Vec<Vec<Fact>> = found.waits.iter().map(|w| vec![(w.form, w.line)]).collect();
    for _ in 0..MOST_HANDS {
        // The knowledge of each arrival's thread.
        let known: Vec<Vec<Fact>> =
            found.arrivals.iter().map(|a| at(ways, &found.waits, &behind, a)).collect();
        for facts in &mut behind {
            for fact in facts.clone() {
                for told in handed_on(&found.arrivals, &known, fact) {
                    add(facts, told);
                }
            }
        }
    }
    let right = found.arrivals.iter().all(|a| {
        let known = at(ways, &found.waits, &behind, a);
        let enough =
            |(form, line): &Fact| *form == a.form && line.each == a.line.each && line.first >= a.line.first;
        // The first arrival requires no knowledge.
        a.line == Line { each: 0, first: 0 } || known.iter().any(enough)
    });
    for (wait, facts) in found.waits.iter_mut().zip(behind) {
        let turn = match wait.of_loop {
            None => Some(Poly::default()),
            Some(l) => turns[l].map(Poly::sym),
        };
        let Some(turn) = turn else { continue };
        let mut seen = |facts: &[Fact]| {
            let known = |(form, line): &Fact| {
                let (at, least) = (form.at(syms, &turn)?, line.at(syms, &turn, form.ring)?);
                Some(Known { class: form.class, at, least })
            };
            facts.iter().filter_map(known).collect()
        };
        wait.behind = seen(&facts);
        if wait.of_loop.is_some() {
            wait.before = seen(&facts.iter().filter_map(|f| a_round_ago(*f)).collect::<Vec<_>>());
        }
    }
    right
}

/// Returns the knowledge at an arrival, in terms of its iteration.
fn at(ways: Ways<'_>, waits: &[Wait], behind: &[Vec<Fact>], arrival: &Arrival) -> Vec<Fact> {
    let mut all = Vec::new();
    for (wait, facts) in waits.iter().zip(behind) {
        let same = wait.of_loop == arrival.of_loop;
        if !same && wait.of_loop.is_some() {
            continue;
        }
        if wait.is_before(ways, arrival.inst) {
            facts.iter().for_each(|f| add(&mut all, *f));
        } else if let (true, Some(l)) = (same, wait.of_loop)
            && ways.in_each_turn(wait.block, arrival.block, l)
        {
            facts.iter().filter_map(|f| a_round_ago(*f)).for_each(|f| add(&mut all, f));
        }
    }
    all
}

/// Returns the fact about an iteration's barrier in the iteration in which the same barrier was used before;
/// there is none in the first round.
fn a_round_ago((form, line): Fact) -> Option<Fact> {
    let first = line.first - line.each;
    (first <= 0 && line.each > 0).then_some((form, Line { first, ..line }))
}

/// Adds a fact; of facts with the same form, the strongest is retained.
fn add(facts: &mut Vec<Fact>, (form, line): Fact) {
    match facts.iter_mut().find(|(f, l)| *f == form && l.each == line.each) {
        Some((_, old)) => old.first = old.first.max(line.first),
        None => facts.push((form, line)),
    }
}

/// Returns the knowledge of the threads that have made the last arrivals of the ended phases.
fn handed_on(arrivals: &[Arrival], known: &[Vec<Fact>], (form, line): Fact) -> Vec<Fact> {
    let mut all: Option<Vec<Fact>> = None;
    for (arrival, facts) in arrivals.iter().zip(known).filter(|(a, _)| a.form.class == form.class) {
        if !arrival.form.is_like(&form) || arrival.line.each != line.each {
            return Vec::new();
        }
        // The arrival's number is that of the last phase: this many rounds further on in its own iterations.
        let apart = line.first - 1 - arrival.line.first;
        let rounds = match line.each {
            0 if apart == 0 => 0,
            0 => continue,
            each if apart % each == 0 => apart / each,
            _ => continue,
        };
        let told = facts.iter().filter_map(|(of, fact)| {
            if of.ring != form.ring {
                return None;
            }
            let shift = (form.shift - arrival.form.shift + of.shift).rem_euclid(of.ring);
            let told = Line { each: fact.each, first: fact.first + fact.each * rounds };
            // In rounds in which no phase has ended there may be no arrival; then the fact is trivial.
            let nothing = match line.each {
                _ if line.first >= 1 => true,
                0 => told.each == 0 && told.first <= 0,
                each => told.each * (-line.first).div_euclid(each) + told.first <= 0,
            };
            nothing.then_some((Form { shift, ..*of }, told))
        });
        let told: Vec<Fact> = told.collect();
        all = Some(match all {
            None => told,
            // The fact must hold for every possible arrival.
            Some(all) => all
                .into_iter()
                .filter_map(|(f, l)| {
                    let other = told.iter().find(|(g, m)| *g == f && m.each == l.each)?;
                    Some((f, Line { first: l.first.min(other.1.first), ..l }))
                })
                .collect(),
        });
    }
    all.unwrap_or_default()
}

impl Wait {
    /// Returns whether every thread that reaches an instruction has waited, in the same iteration.
    pub(crate) fn is_before(&self, ways: Ways<'_>, inst: usize) -> bool {
        let b = ways.block(inst);
        b != self.block && !self.region[b.0 as usize] && ways.shape.dominates(self.block, b)
    }
}
