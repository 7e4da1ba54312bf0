//! Numbers of phases and arrivals, as functions of a loop's iteration.

use crate::solver::poly::Poly;
use crate::solver::symbols::Syms;

/// Selects the mbarrier of a class that an iteration uses: the one at `first + stride * ((turn + shift) mod
/// ring)`. Uses outside loops are those of iteration zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) class: usize,
    pub(crate) first: i128,
    pub(crate) stride: i128,
    pub(crate) ring: i128,
    pub(crate) shift: i128,
}

/// A number that depends on the iteration: `each * floor((turn + lag) / ring) + first`, with `0 <= lag < ring`.
///
/// A ring whose first iterations go round before the loop, or that is used some iterations late, has a lag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) each: i128,
    pub(crate) lag: i128,
    pub(crate) first: i128,
}

/// A lower bound of the number of ended phases of the mbarrier that an iteration selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) form: Form,
    pub(super) line: Line,
}

impl Form {
    /// Returns the form of one mbarrier, whatever the iteration.
    pub(super) fn fixed(class: usize, first: i128) -> Form {
        Form { class, first, stride: 0, ring: 1, shift: 0 }
    }

    /// Returns the mbarrier's place in an iteration.
    pub(super) fn at(&self, syms: &mut Syms, turn: &Poly) -> Option<Poly> {
        let (_, stage) = syms.divide(&turn.plus_constant(self.shift), &Poly::constant(self.ring));
        Some(stage.scaled(self.stride)?.plus_constant(self.first))
    }

    /// Returns the mbarrier's place in an iteration that is known.
    pub(super) fn place(&self, turn: i128) -> i128 {
        self.first + self.stride * (turn + self.shift).rem_euclid(self.ring)
    }

    /// Returns whether both forms address the same mbarriers, possibly in different iterations.
    pub(super) fn is_like(&self, other: &Form) -> bool {
        Form { shift: 0, ..*self } == Form { shift: 0, ..*other }
    }

    /// Returns whether the other form is of one mbarrier that this one selects in some iteration.
    pub(super) fn selects(&self, other: &Form) -> bool {
        other.ring == 1 && (0..self.ring).any(|turn| self.place(turn) == other.first)
    }
}

impl Line {
    /// Returns a number that is the same in all iterations.
    pub(super) fn fixed(first: i128) -> Line {
        Line { each: 0, lag: 0, first }
    }

    pub(super) fn at(&self, syms: &mut Syms, turn: &Poly, ring: i128) -> Option<Poly> {
        let (rounds, _) = syms.divide(&turn.plus_constant(self.lag), &Poly::constant(ring));
        Some(rounds.scaled(self.each)?.plus_constant(self.first))
    }

    /// Returns the number in an iteration that is known.
    pub(super) fn value(&self, turn: i128, ring: i128) -> i128 {
        self.each * (turn + self.lag).div_euclid(ring) + self.first
    }

    /// Returns whether the number is at least another one in every iteration.
    pub(super) fn is_at_least(&self, other: &Line) -> bool {
        let late = if self.lag < other.lag { self.each } else { 0 };
        self.each == other.each && self.first - late >= other.first
    }

    /// Returns a number of the same kind that is at most this one and at most another one.
    fn least(&self, other: &Line) -> Option<Line> {
        let (lag, first) = (self.lag.min(other.lag), self.first.min(other.first));
        (self.each == other.each).then_some(Line { each: self.each, lag, first })
    }

    /// Returns the number as many iterations later, or earlier.
    pub(super) fn moved(&self, turns: i128, ring: i128) -> Line {
        if self.each == 0 {
            return *self;
        }
        let lag = self.lag + turns;
        Line { lag: lag.rem_euclid(ring), first: self.first + self.each * lag.div_euclid(ring), ..*self }
    }
}

impl Fact {
    /// Returns the fact about an iteration as many iterations later, or earlier, in terms of this one.
    pub(super) fn moved(&self, turns: i128) -> Fact {
        let Fact { form, line } = self;
        let shift = (form.shift + turns).rem_euclid(form.ring);
        Fact { form: Form { shift, ..*form }, line: line.moved(turns, form.ring) }
    }

    pub(super) fn value(&self, turn: i128) -> i128 {
        self.line.value(turn, self.form.ring)
    }

    /// Returns what the fact says in an iteration that is known.
    pub(super) fn in_turn(&self, turn: i128) -> Fact {
        let form = Form::fixed(self.form.class, self.form.place(turn));
        Fact { form, line: Line::fixed(self.value(turn)) }
    }

    /// Returns whether the fact holds in an iteration because facts about single mbarriers hold, or because no phase need
    /// have ended.
    pub(super) fn follows(&self, turn: i128, from: &[Fact]) -> bool {
        let Fact { form, line } = self.in_turn(turn);
        line.first <= 0
            || from.iter().any(|f| f.form == form && f.line.each == 0 && f.line.first >= line.first)
    }

    /// Returns whether both are about the same mbarriers, so that one of them may follow from the other.
    fn is_like(&self, other: &Fact) -> bool {
        self.form == other.form && self.line.each == other.line.each
    }

    /// Returns the fact that follows from this one and from each of the others that are like it.
    pub(super) fn least(&self, others: &[Fact]) -> Option<Fact> {
        let alike = others.iter().filter(|f| self.is_like(f));
        let lines = alike.filter_map(|f| self.line.least(&f.line));
        let line = lines.max_by_key(|line| (line.first, line.lag))?;
        Some(Fact { line, ..*self })
    }
}

/// Adds a fact, unless it follows from another one.
pub(super) fn add(facts: &mut Vec<Fact>, fact: Fact) {
    if facts.iter().any(|f| f.is_like(&fact) && f.line.is_at_least(&fact.line)) {
        return;
    }
    facts.retain(|f| !(f.is_like(&fact) && fact.line.is_at_least(&f.line)));
    facts.push(fact);
}
