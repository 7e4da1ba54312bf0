//! The operands of the program's instructions resolve to the same entities in both texts.

use crate::Reason;
use crate::place::At;
use crate::weave::Woven;
use ptx::flat::{Arg, Base, Flat, LabelId, RegId, VarId};
use ptx::print_instruction;
use std::collections::HashMap;

/// Compares the resolved operands of all instructions of the program.
pub(crate) fn resolved(own: &Flat<'_>, made: &Flat<'_>, woven: &Woven) -> Result<(), At> {
    let mut copies = [Names::default(), Names::default()];
    for (at, origin) in woven.origins.iter().enumerate() {
        let Some(origin) = origin else { continue };
        let (Some(a), Some(b)) = (own.instructions.get(origin.index as usize), made.instructions.get(at))
        else {
            return Err((0, Reason::Malformed("instructions are not in one order".into())));
        };
        let mut names =
            Pair { own, made, woven, copy: origin.copy, names: &mut copies[origin.copy as usize] };
        let guards = match (a.guard, b.guard) {
            (None, None) => true,
            (Some(a), Some(b)) => a.negated == b.negated && names.register(a.register, b.register),
            _ => false,
        };
        let same = guards
            && a.op == b.op
            && a.args.len() <= b.args.len()
            && a.args.iter().zip(&b.args).all(|(a, b)| names.argument(a, b));
        if !same {
            return Err((b.source.span.start, Reason::Resolved(print_instruction(b.source))));
        }
    }
    Ok(())
}

/// The entities of the original and those that stand for them in one copy.
#[derive(Default)]
struct Names {
    registers: HashMap<RegId, RegId>,
    variables: HashMap<VarId, VarId>,
}

struct Pair<'a, 'f> {
    own: &'a Flat<'f>,
    made: &'a Flat<'f>,
    woven: &'a Woven,
    copy: u8,
    names: &'a mut Names,
}

impl Pair<'_, '_> {
    fn register(&mut self, a: RegId, b: RegId) -> bool {
        let alike = self.own.registers[a.0 as usize] == self.made.registers[b.0 as usize];
        alike && *self.names.registers.entry(a).or_insert(b) == b
    }

    fn variable(&mut self, a: VarId, b: VarId) -> bool {
        let (own, made) = (&self.own.variables[a.0 as usize], &self.made.variables[b.0 as usize]);
        let alike = own.role == made.role && own.decl.name.text == made.decl.name.text;
        alike && *self.names.variables.entry(a).or_insert(b) == b
    }

    /// Returns whether two labels are before the same instruction of the program, in the same copy.
    fn label(&self, a: LabelId, b: LabelId) -> bool {
        let (own, made) = (&self.own.labels[a.0 as usize], &self.made.labels[b.0 as usize]);
        let Some(copy) = self.woven.copies.get(usize::from(self.copy)) else { return false };
        let at = made.target as usize;
        if own.name != made.name || !(copy.start..=copy.end).contains(&at) {
            return false;
        }
        let next = self.woven.origins[at..copy.end].iter().flatten().next();
        let end = self.own.instructions.len() as u32;
        next.map_or(end, |origin| origin.index) == own.target
    }

    fn argument(&mut self, a: &Arg<'_>, b: &Arg<'_>) -> bool {
        match (a, b) {
            (Arg::Reg(a), Arg::Reg(b)) | (Arg::NotReg(a), Arg::NotReg(b)) => self.register(*a, *b),
            (Arg::Element(a, i), Arg::Element(b, j)) => i == j && self.register(*a, *b),
            (Arg::Variable(a, i), Arg::Variable(b, j)) => i == j && self.variable(*a, *b),
            (Arg::Label(a), Arg::Label(b)) => self.label(*a, *b),
            (Arg::BranchTargets(a), Arg::BranchTargets(b)) => {
                let (own, made) = (self.own, self.made);
                let (Some(a), Some(b)) =
                    (own.branch_targets.get(*a as usize), made.branch_targets.get(*b as usize))
                else {
                    return false;
                };
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.label(*a, *b))
            }
            (Arg::CallTargets(a), Arg::CallTargets(b)) => {
                self.own.call_targets.get(*a as usize) == self.made.call_targets.get(*b as usize)
            }
            // The statement was compared; its number depends on the copy.
            (Arg::Prototype(_), Arg::Prototype(_)) => true,
            (
                Arg::Address { base: a, offset: i, rest: own },
                Arg::Address { base: b, offset: j, rest: made },
            ) => {
                let based = match (a, b) {
                    (Base::Reg(a), Base::Reg(b)) => self.register(*a, *b),
                    (Base::Variable(a), Base::Variable(b)) => self.variable(*a, *b),
                    (a, b) => a == b,
                };
                based && i == j && self.all(own, made, true)
            }
            (Arg::Vector(a), Arg::Vector(b)) => self.all(a, b, true),
            // Calls may have an additional argument.
            (Arg::List(a), Arg::List(b)) => self.all(a, b, false),
            (Arg::Pair(a, c), Arg::Pair(b, d)) => self.argument(a, b) && self.argument(c, d),
            (a, b) => a == b,
        }
    }

    fn all(&mut self, a: &[Arg<'_>], b: &[Arg<'_>], exactly: bool) -> bool {
        let lengths = if exactly { a.len() == b.len() } else { a.len() <= b.len() };
        lengths && a.iter().zip(b).all(|(a, b)| self.argument(a, b))
    }
}
