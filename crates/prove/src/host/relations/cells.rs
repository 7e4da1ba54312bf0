//! What the host's variables in memory hold: one value for all who read it behind one write.

use super::super::program::{Frame, Written};
use super::super::sums::Sum;
use super::super::value::{Origin, Value};
use super::reader::Reader;

/// A place of a variable in memory, behind a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell<'a> {
    /// The function that has the variable, in the chain.
    owner: usize,
    variable: &'a str,
    writer: Frame,
    place: (i128, i128),
}

impl<'a> Reader<'_, '_, 'a> {
    /// What is loaded from a local variable: the value that was stored there, or the one that a function has put there.
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
        let at = eval.chain[owner].at;
        if eval.chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return None;
        }
        let bytes = program.modules[eval.chain[depth].at.module].bytes(ty)?;
        let name = *program.function(at).defs.get_key_value(name.as_str())?.0;
        let contents = program.contents(Some(at), name);
        let reader = match owner == depth {
            true => Frame { at, block, inst },
            false => eval.chain[owner],
        };
        let dead = |w: &Frame| eval.never_comes_to(owner, w.block);
        let place = (offset, bytes);
        let writer = program.last_write(&contents, place, reader, &dead)?;
        if writer.frame.at != at {
            return None;
        }
        match writer.what {
            Written::Value(v) if writer.place == Some(place) => self.sum(owner, v),
            Written::Unknown => {
                let key = Cell { owner, variable: name, writer: writer.frame, place };
                if let Some(&atom) = self.cells.get(&key) {
                    return Some(Sum::atom(atom));
                }
                let sum = self.unnamed(u32::try_from(8 * bytes).ok()?);
                self.cells.insert(key, self.count);
                Some(sum)
            }
            _ => None,
        }
    }
}
