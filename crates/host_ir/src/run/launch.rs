//! Launches that the executed host code makes: their arguments and the contents of memory.

use super::array::Image;
use super::code::Call;
use super::memory::{self, Byte, Id, Object, Place};
use super::state::State;
use super::{Machine, Value, constants};
use crate::concrete::{Argument, Concrete, Memory, Number, Piece, Pointer};
use crate::{Before, Last};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Contents of larger arrays are not recorded.
const MOST_CONTENTS: u64 = 1 << 20;
/// The limit for a parameter of unknown size, in bytes.
const MOST_BYTES: u64 = 4096;
/// The largest number of launches per kernel.
const MOST: usize = 256;
/// The largest number of arguments in an array of addresses.
const MOST_ARGUMENTS: i64 = 256;

/// An argument of a kernel, with its known and unknown bytes.
pub(super) struct Passed {
    bytes: Vec<Byte>,
    /// The parameter may be shorter.
    open: bool,
}

/// The extents and other properties of a launch; unknown numbers are `None`.
pub(super) struct Shape {
    pub(super) grid: [Option<i64>; 3],
    pub(super) block: [Option<i64>; 3],
    pub(super) shared: Option<i64>,
    pub(super) cooperative: bool,
    pub(super) cluster: Option<[u32; 3]>,
    /// The launch is made later, possibly several times.
    pub(super) later: bool,
    /// The launch is in the default stream, after the earlier launches in that stream.
    pub(super) in_order: bool,
}

impl Shape {
    /// Decodes the packed x and y extents, and the z extents.
    pub(super) fn packed(all: &[Value]) -> Option<Shape> {
        let [grid, grid_z, block, block_z, shared, stream, ..] = all else { return None };
        let low = |v: &Value| v.number().map(|v| v & 0xffff_ffff);
        let high = |v: &Value| v.number().map(|v| v >> 32 & 0xffff_ffff);
        Some(Shape {
            grid: [low(grid), high(grid), low(grid_z)],
            block: [low(block), high(block), low(block_z)],
            shared: shared.number(),
            cooperative: false,
            cluster: None,
            later: false,
            in_order: *stream == Value::Number(0),
        })
    }
}

impl<'a> Machine<'_, 'a> {
    /// Executes a call of a stub.
    pub(super) fn stub(
        &mut self,
        state: &mut State<'a>,
        module: usize,
        kernel: &str,
        call: &Call<'a>,
        arguments: &[Value],
    ) {
        let shape = state.configuration.take().as_deref().and_then(Shape::packed);
        let mut passed = Vec::new();
        for (operand, value) in call.operands.iter().zip(arguments) {
            let whole = operand.by_value.map(|ty| constants::size(&self.program.modules[module], ty));
            let whole = whole.or_else(|| operand.there.map(|n| Some(u64::from(n))));
            let bytes = match whole {
                Some(size) => size.and_then(|n| bytes_at(state, value, n)),
                None => constants::size(&self.program.modules[module], operand.ty).map(|n| {
                    let byte = |i: u64| match value {
                        Value::Number(v) if n <= 8 => Byte::Known((v >> (8 * i)) as u8),
                        _ => Byte::Unknown,
                    };
                    (0..n).map(byte).collect()
                }),
            };
            let Some(bytes) = bytes else {
                self.broken.insert(kernel.to_owned());
                continue;
            };
            if let Value::Near(_) = value {
                state.escape(value);
            }
            passed.push(Passed { bytes, open: false });
        }
        match shape {
            Some(shape) => self.launch(state, kernel, shape, &passed),
            None => _ = self.broken.insert(kernel.to_owned()),
        }
    }

    /// Reads the arguments from an array of addresses.
    pub(super) fn array(&self, state: &State<'a>, array: &Value) -> Option<Vec<Passed>> {
        let at = array.number()?;
        let mut passed = Vec::new();
        if at == 0 {
            return Some(passed);
        }
        for n in 0..MOST_ARGUMENTS {
            let Value::Number(pointer) = state.read(at + 8 * n, 8) else { break };
            let Some((id, offset)) = memory::object(pointer as u64) else { break };
            let Some(object) = state.objects.get(&id) else { break };
            let size = object.size.unwrap_or(u64::MAX);
            let Some(left) = u64::try_from(offset).ok().and_then(|o| size.checked_sub(o)) else { break };
            let bytes = bytes_at(state, &Value::Number(pointer), left.min(MOST_BYTES))?;
            passed.push(Passed { bytes, open: true });
        }
        Some(passed)
    }

    pub(super) fn launch(&mut self, state: &mut State<'a>, kernel: &str, shape: Shape, passed: &[Passed]) {
        let mut ids = Vec::new();
        let concrete = self.concrete(state, &shape, passed, &mut ids).map(Rc::new);
        let in_order = shape.in_order && !shape.later && !state.capturing;
        let last = concrete.clone().filter(|_| in_order);
        match concrete {
            Some(concrete) => {
                // After a launch that is refused, the program may stop at its error.
                state.doubted |= !concrete.is_accepted();
                if concrete.grid.iter().chain(&concrete.block).all(|&n| n > 0) {
                    let all = self.made.entry(kernel.to_owned()).or_default();
                    let place = all.iter().position(|known| *known == *concrete).unwrap_or(all.len());
                    match all.get_mut(place) {
                        Some(same) => {
                            let both = same.memory.iter_mut().zip(&concrete.memory);
                            both.for_each(|(m, other)| _ = m.last.both(&other.last));
                        }
                        None => all.push((*concrete).clone()),
                    }
                    if let Some(here) = self.here.last_mut().filter(|_| !state.doubted) {
                        here.insert((kernel.to_owned(), place));
                    }
                    if all.len() > MOST {
                        self.broken.insert(kernel.to_owned());
                    }
                }
            }
            None => _ = self.broken.insert(kernel.to_owned()),
        }
        self.made.entry(kernel.to_owned()).or_default();
        // Unfinished launches in other streams may still write to the other objects.
        let alone = |o: &Object| o.launches.is_empty() || o.last.0.is_some();
        let alone: BTreeSet<Id> = state.objects.iter().filter(|(_, o)| alone(o)).map(|(id, _)| *id).collect();
        for id in writes(state, kernel, passed) {
            let place = ids.iter().position(|i| *i == id).filter(|_| alone.contains(&id));
            let before = last.as_ref().zip(place).map(|(launch, memory)| Before {
                kernel: kernel.into(),
                launch: Rc::clone(launch),
                memory,
            });
            if let Some(object) = state.objects.get_mut(&id) {
                Rc::make_mut(object).last = Last(before);
            }
        }
    }

    /// Describes a launch in known numbers, and collects the object of each part of its memory.
    fn concrete(
        &self,
        state: &State<'a>,
        shape: &Shape,
        passed: &[Passed],
        ids: &mut Vec<Id>,
    ) -> Option<Concrete> {
        let extents = |all: [Option<i64>; 3]| -> Option<[u32; 3]> {
            let [x, y, z] = all.map(|n| u32::try_from(n?).ok());
            Some([x?, y?, z?])
        };
        let mut arguments = Vec::new();
        for argument in passed {
            let pieces = pieces(&argument.bytes, state, ids);
            let bytes = u32::try_from(argument.bytes.len()).ok()?;
            arguments.push(Argument { bytes, pieces, open: argument.open });
        }
        // All variables are included, because the kernel may use them without getting their addresses.
        let variables = state.objects.iter().filter(|(_, o)| o.name.is_some()).map(|(id, _)| *id);
        for id in variables {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let later = shape.later || state.capturing;
        // Memory that is reachable through addresses in memory is included, too.
        let mut pointers: Vec<Vec<Pointer>> = Vec::new();
        while let Some(id) = ids.get(pointers.len()).copied() {
            let mut found = Vec::new();
            for (at, to, offset) in state.objects.get(&id).into_iter().flat_map(|o| o.addresses()) {
                if !later && state.objects.get(&to).is_some_and(|o| o.holds(offset, 0)) {
                    let index = ids.iter().position(|i| *i == to).unwrap_or_else(|| {
                        ids.push(to);
                        ids.len() - 1
                    });
                    found.push(Pointer { at, memory: index, offset });
                }
            }
            pointers.push(found);
        }
        let memory = ids.iter().filter_map(|id| state.objects.get(id)).zip(pointers).map(|(o, pointers)| {
            let constant = o.place == Place::Variable { constant: true };
            Memory {
                bytes: o.size,
                allocated: true,
                variable: o.name.clone(),
                untouched: o.untouched && !later,
                contents: if later { None } else { o.contents(MOST_CONTENTS).map(Rc::new) },
                pointers,
                last: if shape.in_order && !later { o.last.clone() } else { Last::default() },
                launches: if constant { Vec::new() } else { o.launches.iter().cloned().collect() },
            }
        });
        Some(Concrete {
            grid: extents(shape.grid)?,
            block: extents(shape.block)?,
            shared: u32::try_from(shape.shared?).ok()?,
            cooperative: shape.cooperative,
            cluster: shape.cluster,
            memory: memory.collect(),
            arguments,
            executed: true,
            // The value is set at the end of the execution.
            sure: false,
        })
    }
}

/// Reads bytes at an address.
pub(super) fn bytes_at(state: &State<'_>, address: &Value, bytes: u64) -> Option<Vec<Byte>> {
    let (id, offset) = memory::object(address.number()? as u64)?;
    let object = state.objects.get(&id).filter(|o| o.holds(offset, bytes))?;
    let known = object.launches.is_empty() && !object.untouched;
    let byte = |n: u64| if known { object.byte(offset as u64 + n) } else { Byte::Unknown };
    Some((0..bytes).map(byte).collect())
}

/// Returns the objects whose addresses these bytes contain.
fn addresses(bytes: &[Byte]) -> impl Iterator<Item = (Id, i64)> + '_ {
    bytes.chunks(8).filter_map(|chunk| memory::object(word(chunk)?))
}

fn word(chunk: &[Byte]) -> Option<u64> {
    let mut word = 0;
    for (n, byte) in chunk.iter().enumerate() {
        let Byte::Known(b) = byte else { return None };
        word |= u64::from(*b) << (8 * n);
    }
    (chunk.len() == 8).then_some(word)
}

fn pieces(bytes: &[Byte], state: &State<'_>, ids: &mut Vec<Id>) -> Vec<Piece> {
    let mut found = Vec::new();
    // An unwritten byte beside written ones is padding.
    let any = bytes.iter().any(|b| *b != Byte::Nothing);
    let mut at = 0usize;
    while at < bytes.len() {
        if at.is_multiple_of(8)
            && let Some(word) = bytes.get(at..at + 8).and_then(word)
            && let Some((id, offset)) = memory::object(word)
            && state.objects.contains_key(&id)
        {
            let index = ids.iter().position(|o| *o == id).unwrap_or_else(|| {
                ids.push(id);
                ids.len() - 1
            });
            let number = Number::Address(index, i128::from(offset));
            found.push(Piece { offset: at as u32, bytes: 8, number });
            at += 8;
            continue;
        }
        let known = |b: &Byte| match b {
            Byte::Known(b) => Some(*b),
            Byte::Nothing if any => Some(0),
            _ => None,
        };
        let size = [8, 4, 2, 1].into_iter().find(|&n| {
            at.is_multiple_of(n)
                && bytes.get(at..at + n).is_some_and(|all| all.iter().all(|b| known(b).is_some()))
        });
        let Some(size) = size else {
            at += 1;
            continue;
        };
        let bits =
            bytes[at..at + size].iter().rev().fold(0u64, |w, b| w << 8 | u64::from(known(b).unwrap_or(0)));
        found.push(Piece { offset: at as u32, bytes: size as u32, number: Number::Bits(bits) });
        at += size;
    }
    found
}

/// A kernel may write to all objects that it can reach from its arguments, and to variables.
fn writes(state: &mut State<'_>, kernel: &str, passed: &[Passed]) -> BTreeSet<Id> {
    let mut all: Vec<(Id, u32)> = Vec::new();
    for (n, argument) in passed.iter().enumerate() {
        all.extend(addresses(&argument.bytes).map(|(id, _)| (id, n as u32)));
        if argument.bytes.contains(&Byte::Unknown) {
            all.extend(state.escaped.iter().map(|id| (*id, n as u32)));
        }
    }
    let named = state.objects.iter().filter(|(_, o)| matches!(o.place, Place::Variable { constant: false }));
    all.extend(named.map(|(id, _)| (*id, Memory::ANYWHERE)));
    // The kernel may also write through addresses that it finds in memory.
    let mut seen: BTreeSet<Id> = BTreeSet::new();
    let mut work: Vec<Id> = all.iter().map(|(id, _)| *id).collect();
    while let Some(id) = work.pop() {
        let Some(object) = state.objects.get(&id).filter(|_| seen.insert(id)) else { continue };
        let found = object.pointers().into_iter().filter_map(|p| Some(memory::object(p)?.0));
        for next in found.filter(|next| *next != id) {
            all.push((next, Memory::ANYWHERE));
            work.push(next);
        }
    }
    for (id, argument) in all {
        if let Some(object) = state.objects.get_mut(&id).filter(|o| o.image != Some(Image::Description)) {
            Rc::make_mut(object).launches.insert((kernel.to_owned(), argument));
        }
    }
    seen
}
