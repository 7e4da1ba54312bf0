//! Contents of the host's variables in memory: all reads behind one write read one value.

use super::super::eval::signed;
use super::super::linear::Sum;
use super::super::program::{Frame, Writer, Written};
use super::super::value::{Origin, Value};
use super::atoms::Cell;
use super::reader::{Reader, Said};
use crate::relation::{Expr, Name, Part, Test};

impl<'a> Reader<'_, '_, 'a> {
    /// Returns the value that a load from a local variable reads: that of a store, or one that a function has put there.
    ///
    /// The write dominates the load, and the load what its value is used for; so nothing is written between the last load
    /// and the launch that the load would not have seen, and two loads behind one write are one value.
    pub(super) fn cell(
        &mut self,
        depth: usize,
        (block, inst): (usize, usize),
        ty: &'a str,
        from: &'a str,
    ) -> Option<Sum> {
        let (eval, program) = (self.eval, self.eval.program);
        let Value::Address(Origin::Local(owner, name), offset) = eval.address(depth, from)? else {
            return None;
        };
        let bytes = program.modules[eval.chain[depth].at.module].bytes(ty)?;
        let at = eval.chain[owner].at;
        let reader = match owner == depth {
            true => Frame { at, block, inst },
            false => eval.chain[owner],
        };
        self.held(owner, &name, (offset, bytes), reader)
    }

    /// Returns what was last written to a place of a local variable before it is read.
    fn written(
        &self,
        owner: usize,
        name: &str,
        place: (i128, i128),
        reader: Frame,
    ) -> Option<(&'a str, Writer<'a>)> {
        let (eval, program) = (self.eval, self.eval.program);
        let at = eval.chain[owner].at;
        if eval.chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return None;
        }
        let name = *program.function(at).defs.get_key_value(name)?.0;
        let contents = program.contents(Some(at), name);
        let dead = |w: &Frame| eval.never_comes_to(owner, w.block);
        let writer = program.last_write(&contents, place, reader, &dead)?;
        (writer.frame.at == at).then_some((name, writer))
    }

    fn held(&mut self, owner: usize, name: &str, place: (i128, i128), reader: Frame) -> Option<Sum> {
        let (name, writer) = self.written(owner, name, place, reader)?;
        match writer.what {
            Written::Value(v) if writer.place == Some(place) => self.sum(owner, v),
            Written::Unknown => {
                let key = Cell { owner, variable: name, writer: writer.frame, place };
                if let Some(&atom) = self.cells.get(&key) {
                    return Some(Sum::atom(atom));
                }
                let sum = self.unnamed(u32::try_from(8 * place.1).ok()?);
                self.cells.insert(key, self.count);
                Some(sum)
            }
            _ => None,
        }
    }

    /// Relations of the numbers in a structure whose address a launch is passed.
    pub(super) fn numbers_in(&mut self, last: usize, index: u32, value: &'a str) -> Vec<Said> {
        let mut found = Vec::new();
        let (eval, reader) = (self.eval, self.eval.chain[last]);
        let Some(Value::Address(origin @ Origin::Local(..), 0)) = eval.address(last, value) else {
            return found;
        };
        let Origin::Local(owner, name) = &origin else { return found };
        if *owner != last {
            return found;
        }
        for place in eval.places(&origin) {
            let Some((_, writer)) = self.written(*owner, name, place, reader) else { continue };
            let (Written::Value(value), true) = (writer.what, writer.place == Some(place)) else { continue };
            let mut says = |r: &mut Self, at: i128, bytes: u32, read: &dyn Fn(&mut Self) -> Option<Sum>| {
                let (sum, exact) = r.read(|r| read(r));
                let (Some(sum), Ok(offset)) = (sum, u32::try_from(at)) else { return };
                // A half in numbers has no sign yet.
                let sum = sum.constant().map_or(sum, |c| Sum::of(signed(c, 8 * bytes)));
                let left = Expr::Name(Name::Part(Part { index, offset, bytes }));
                found.push(Said { left, test: Test::Eq, right: sum.expr(), exact });
            };
            let owner = *owner;
            match place {
                (at, 4) => says(self, at, 4, &|r| r.sum(owner, value)),
                (at, 8) => {
                    says(self, at, 8, &|r| r.sum(owner, value));
                    says(self, at, 4, &|r| r.halves(owner, value)[0].clone());
                    says(self, at + 4, 4, &|r| r.halves(owner, value)[1].clone());
                }
                _ => {}
            }
        }
        found
    }
}
