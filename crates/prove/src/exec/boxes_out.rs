//! Tensor copies of boxes out of shared memory (`cp.async.bulk.tensor.global.shared`, PTX §9.7.9.27.1.3).
//!
//! A tensor map is data of the host: how large a box is, and where it goes, PTX does not say. A box is assumed to reach at
//! most to the end of its stage, and boxes of one tensor to be apart if their coordinates differ
//! ([`crate::facts::Assumption::TensorsDivided`]). So the tensor is an array of its own, with one place for all
//! coordinates that are alike.

use super::boxes::{LAUNCHED, MAPS, OTHER};
use super::matrix::{form, weak};
use super::{Exec, State};
use crate::facts::Assumption;
use crate::kernel::access::{Access, AccessKind, Doer, Space};
use crate::kernel::instructions::is_box_store;
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Kind};
use ptx::flat::Arg;
use ptx::op::MemSpace;

/// The bits of a coordinate in a tensor's place, by the number of dimensions: more than those of the numbers that coordinates
/// of 32 bits are computed from, as far as places of so many coordinates have room.
const BITS: [u32; 5] = [0, 42, 42, 42, 34];

impl Exec<'_> {
    /// Executes a tensor copy out of shared memory, which its thread waits for by its group. How many bytes it reads,
    /// [`Exec::boxes_out`] finds.
    pub(super) fn box_store(&mut self, state: &mut State, args: &[Arg<'_>]) {
        let [to, from, ..] = args else { return };
        let address = self.address(state, from);
        let reads = form(AccessKind::Read, Doer::BulkOut);
        self.access_at(state, (1, &weak(MemSpace::SharedCta)), address, reads);
        let address = self.of_tensor(state, to).unwrap_or_else(|| self.unknown(Attr::THREAD, 64));
        self.access_at(state, (1, &weak(MemSpace::Global)), address, form(AccessKind::Write, Doer::BulkOut));
    }

    /// Returns the place of a box in its tensor.
    fn of_tensor(&mut self, state: &State, map: &Arg<'_>) -> Option<Poly> {
        let (parameter, offset) = self.map_of(self.inst, 0)?;
        let Arg::Address { rest, .. } = map else { return None };
        let coordinates = match rest.as_slice() {
            [Arg::Vector(items)] => items.as_slice(),
            items => items,
        };
        let bits = *BITS.get(coordinates.len()).filter(|bits| **bits > 0)?;
        let name = match offset {
            0 => format!("the tensor of arg{parameter}"),
            _ => format!("the tensor of arg{parameter}[{offset}]"),
        };
        let range = Range { lo: Some(0), hi: None };
        let (base, _) = self.syms.intern(Kind::Tensor(name), Attr::GRID, range);
        let mut place = Poly::sym(base);
        for (n, coordinate) in coordinates.iter().enumerate() {
            place = place.plus(&self.int(state, coordinate, 32).scaled(1 << (bits * n as u32))?);
        }
        Some(place)
    }

    /// Finds how many bytes the boxes have at most that tensor copies take from shared memory, or an unsupported use.
    pub(super) fn boxes_out(&mut self, kernel: &kernels::Kernel, unmodelled: &mut Option<String>) {
        let is_store = |i: usize| self.flat.instructions[i].op.as_ref().is_ok_and(is_box_store);
        for n in 0..self.accesses.len() {
            let access = &self.accesses[n];
            if !is_store(access.inst) || access.space != Space::Shared {
                continue;
            }
            let found = match self.map_of(access.inst, 0) {
                _ if self.facts.observed.is_some() => Err(LAUNCHED),
                None => Err(MAPS),
                Some(_) => self.box_out(kernel, access).ok_or(OTHER),
            };
            match found {
                Ok((bytes, text)) => {
                    self.accesses[n].bytes = bytes;
                    self.assumed.insert(Assumption::Given(text));
                }
                Err(why) => _ = unmodelled.get_or_insert(why.to_owned()),
            }
        }
        let unknown = |a: &Access| is_store(a.inst) && a.space == Space::Unknown;
        if self.accesses.iter().any(unknown) {
            unmodelled.get_or_insert(OTHER.to_owned());
        }
    }

    /// Returns the number of bytes from the beginning of a box to the end of its stage, or of its variable, and the
    /// assumption about it.
    fn box_out(&self, kernel: &kernels::Kernel, access: &Access) -> Option<(u32, String)> {
        let Kind::Shared(name) = &self.syms.get(access.base?).kind else { return None };
        let variable = kernel.shared_variables.iter().find(|v| v.name == *name)?;
        let stage = access.offset.without_constant();
        let end = match stage.terms() {
            [] => i128::from(variable.bytes?),
            [(m, stride)] => match m[..] {
                [s] if matches!(self.syms.get(s).kind, Kind::Remainder { .. }) => *stride,
                _ => return None,
            },
            _ => return None,
        };
        let first = access.offset.constant_term();
        let bytes = u32::try_from(end - first).ok().filter(|bytes| *bytes > 0 && first >= 0)?;
        Some((bytes, format!("each box that a tensor copy takes from `{name}` has at most {bytes} bytes")))
    }
}
