//! Threads' knowledge of ended phases.

use super::iteration::Ways;
use super::{Arrival, Form, Known, Line, Pipelines, Wait};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::Syms;
use crate::sync::split_barriers::BarrierFacts;

/// How often knowledge is passed on.
const MOST_HANDS: usize = 3;

/// The number of ended phases of a barrier.
type Fact = (Form, Line);

/// Computes the knowledge after all waits. Returns false if an arrival may precede the phases that its number
/// requires.
pub(super) fn spread(
    syms: &mut Syms,
    asked: &BarrierFacts<'_>,
    ways: Ways<'_>,
    found: &mut Pipelines,
) -> bool {
    let turns = asked.turns;
    let holds = |c: &Cond, path: &[Cond]| {
        *c == Cond::True || {
            let mut question = Instance::new(syms);
            question.assume_all(path, asked.given);
            question.assume(&c.not());
            question.refuted()
        }
    };
    let applies = |a: &Arrival| found.waits.iter().map(|w| holds(&w.only, &a.path)).collect();
    let applies: Vec<Vec<bool>> = found.arrivals.iter().map(applies).collect();
    let of = |a: &Arrival| {
        let members = found.classes[a.form.class].members();
        members.map(|member| !holds(&Cond::eq(&found.thread, &member).not(), &a.path))
    };
    let makers: Vec<[bool; 2]> = found.arrivals.iter().map(of).collect();
    let hands = Hands { ways, found, applies: &applies, makers: &makers };
    let behind = hands.passed_on(false);
    // When a thread arrives is a question of time, and not of what it comes behind.
    let in_time = match found.arrivals.iter().any(|a| a.of_copies) {
        true => hands.passed_on(true),
        false => behind.clone(),
    };
    let right = found.arrivals.iter().zip(&applies).all(|(a, of)| {
        let known = at(ways, found, &in_time, (a, of));
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
                Some(Known { class: form.class, only: wait.only.clone(), at, least })
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

/// The threads that pass knowledge on.
struct Hands<'a> {
    ways: Ways<'a>,
    found: &'a Pipelines,
    /// For each arrival, which waits are those of its threads.
    applies: &'a [Vec<bool>],
    /// For each arrival, whether the first or the last one of those that arrive in each phase may make it.
    makers: &'a [[bool; 2]],
}

impl Hands<'_> {
    /// Returns the knowledge behind each wait. An arrival that copies make comes behind nothing that its thread knew; it
    /// comes later `in_time`.
    fn passed_on(&self, in_time: bool) -> Vec<Vec<Fact>> {
        let Hands { ways, found, applies, makers } = *self;
        let mut behind: Vec<Vec<Fact>> = found.waits.iter().map(|w| vec![(w.form, w.line)]).collect();
        for _ in 0..MOST_HANDS {
            // The knowledge of each arrival's thread.
            let told = |(a, of): (&Arrival, &Vec<bool>)| match a.of_copies && !in_time {
                true => Vec::new(),
                false => at(ways, found, &behind, (a, of)),
            };
            let known: Vec<Vec<Fact>> = found.arrivals.iter().zip(applies).map(told).collect();
            for facts in &mut behind {
                for fact in facts.clone() {
                    // Each of the threads that arrive in every phase knew something.
                    for member in [0, 1] {
                        let made = |n: &usize| makers[*n][member];
                        for told in handed_on(&found.arrivals, &known, &made, fact) {
                            add(facts, told);
                        }
                    }
                }
            }
        }
        behind
    }
}

/// Returns the knowledge at an arrival, in terms of its iteration. `applies` says which waits are those of its threads.
fn at(
    ways: Ways<'_>,
    found: &Pipelines,
    behind: &[Vec<Fact>],
    (arrival, applies): (&Arrival, &Vec<bool>),
) -> Vec<Fact> {
    let mut all = Vec::new();
    let mut earlier = Vec::new();
    for ((wait, facts), _) in found.waits.iter().zip(behind).zip(applies).filter(|(_, applies)| **applies) {
        let same = wait.of_loop == arrival.of_loop;
        if !same && wait.of_loop.is_some() {
            continue;
        }
        if wait.is_before(ways, arrival.inst) {
            facts.iter().for_each(|f| add(&mut all, *f));
        } else if let (true, Some(l)) = (same, wait.of_loop)
            && ways.in_each_turn(wait.block, arrival.block, l)
        {
            earlier.extend(facts.iter().copied());
        }
    }
    // Before the first round the threads know what they knew before the loop.
    let begun =
        |fact: &Fact| all.iter().any(|(form, l)| *form == fact.0 && l.each == 0 && l.first >= fact.1.first);
    let ago: Vec<Fact> = earlier
        .into_iter()
        .filter_map(|fact| a_round_ago(fact).or_else(|| Some(round_ago(fact)).filter(begun)))
        .collect();
    ago.into_iter().for_each(|fact| add(&mut all, fact));
    all
}

/// Returns the fact about an iteration's barrier in the iteration in which the same barrier was used before;
/// there is none in the first round.
fn a_round_ago(fact: Fact) -> Option<Fact> {
    let ago = round_ago(fact);
    (ago.1.first <= 0 && ago.1.each > 0).then_some(ago)
}

/// Returns the fact of the round before.
fn round_ago((form, line): Fact) -> Fact {
    (form, Line { first: line.first - line.each, ..line })
}

/// Adds a fact; of facts with the same form, the strongest is retained.
fn add(facts: &mut Vec<Fact>, (form, line): Fact) {
    match facts.iter_mut().find(|(f, l)| *f == form && l.each == line.each) {
        Some((_, old)) => old.first = old.first.max(line.first),
        None => facts.push((form, line)),
    }
}

/// Returns the knowledge of a thread that has made one of the last arrivals of the ended phases: those that it may have
/// `made`.
fn handed_on(
    arrivals: &[Arrival],
    known: &[Vec<Fact>],
    made: &dyn Fn(&usize) -> bool,
    (form, line): Fact,
) -> Vec<Fact> {
    let mut all: Option<Vec<Fact>> = None;
    // The round whose last phase ends by an arrival before the loop.
    let mut outside: Vec<i128> = Vec::new();
    for n in (0..arrivals.len()).filter(made) {
        let (arrival, facts) = (&arrivals[n], &known[n]);
        if arrival.form.class != form.class {
            continue;
        }
        if arrival.line.each == 0 && line.each > 0 && arrival.form == form && form.ring == 1 {
            let apart = arrival.line.first + 1 - line.first;
            if apart >= 0 && apart % line.each == 0 {
                outside.push(apart / line.each);
            }
            continue;
        }
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
    // The threads' knowledge there counts only as far as it always holds.
    let holds = |(_, told): &Fact| outside.iter().all(|round| told.each * round + told.first <= 0);
    all.unwrap_or_default().into_iter().filter(holds).collect()
}

impl Wait {
    /// Returns whether every thread that reaches an instruction has waited, in the same iteration.
    pub(crate) fn is_before(&self, ways: Ways<'_>, inst: usize) -> bool {
        if let Some(own) = self.inst {
            return ways.is_first(own, inst);
        }
        let b = ways.block(inst);
        b != self.block && !self.region[b.0 as usize] && ways.shape.dominates(self.block, b)
    }
}
