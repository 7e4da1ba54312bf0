//! The memory that added code may access.

use crate::context::Context;
use crate::domain::{Root, Value};
use crate::state::State;
use crate::tool;
use ptx::flat::{Arg, Base, Flat, FlatGuard, RegId, VarId};
use ptx::op::{MemSpace, Op};

/// The instruction of the program beside added code, whose memory the code may read.
#[derive(Debug, Default)]
pub(crate) struct Beside<'a> {
    guard: Option<FlatGuard>,
    places: Vec<Place<'a>>,
}

/// Memory of the program.
#[derive(Debug)]
struct Place<'a> {
    /// `None` for a constant address.
    root: Option<Root<'a>>,
    offset: i64,
    bytes: Bytes,
    space: MemSpace,
    /// Whether the instruction overwrites all of it.
    overwritten: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bytes {
    Number(u64),
    Register(RegId),
}

impl<'a> Beside<'a> {
    /// Returns the memory of an instruction.
    pub(crate) fn of(flat: &Flat<'a>, i: usize) -> Beside<'a> {
        let inst = &flat.instructions[i];
        let size = |arg: Option<&Arg<'_>>| match arg {
            Some(Arg::Int(bytes)) => u64::try_from(*bytes).ok().map(Bytes::Number),
            Some(Arg::Reg(register)) => Some(Bytes::Register(*register)),
            _ => None,
        };
        // Operand, size, space, and whether it is overwritten.
        let places: Vec<(usize, Option<Bytes>, MemSpace, bool)> = match &inst.op {
            Ok(op @ (Op::Ld(mem) | Op::Ldu(mem) | Op::St(mem))) => {
                let bytes = u64::from(mem.ty.bytes()) * u64::from(mem.vector);
                let operand = usize::from(!matches!(op, Op::St(_)));
                vec![(operand, Some(Bytes::Number(bytes)), mem.space, false)]
            }
            Ok(Op::CpAsync { .. }) => {
                let bytes = size(inst.args.get(2));
                vec![(0, bytes, MemSpace::SharedCta, true), (1, bytes, MemSpace::Global, false)]
            }
            Ok(Op::CpAsyncBulk { src, .. } | Op::CpReduceAsyncBulk { src, .. }) => {
                vec![(1, size(inst.args.get(2)), *src, false)]
            }
            _ => Vec::new(),
        };
        let place = |(operand, bytes, space, overwritten): (usize, Option<Bytes>, MemSpace, bool)| {
            let Some(Arg::Address { base, offset, .. }) = inst.args.get(operand) else { return None };
            let root = match base {
                Base::Reg(id) if flat.registers[id.0 as usize].ty.bits() == 64 => Some(Root::Register(*id)),
                Base::Reg(id) => Some(Root::Narrow(*id)),
                Base::Variable(id) => Some(Root::Variable(*id)),
                Base::Symbol(name) => Some(Root::Symbol(name)),
                Base::Absolute => None,
                Base::Unresolved => return None,
            };
            Some(Place { root, offset: *offset, bytes: bytes?, space, overwritten })
        };
        Beside { guard: inst.guard, places: places.into_iter().filter_map(place).collect() }
    }

    /// Returns whether the instruction accesses these bytes, and is executed.
    fn has(&self, access: &Access, address: &Value<'a>, state: &State<'a>) -> bool {
        let executed = self.guard.is_none_or(|guard| state.is_known(guard.register, !guard.negated));
        executed
            && self.places.iter().any(|place| {
                let bytes = match place.bytes {
                    Bytes::Number(bytes) => Some(i128::from(bytes)),
                    Bytes::Register(_) => None,
                };
                let fits = match (address, place.root) {
                    (Value::Address(root, a, b, stride), Some(own)) if *root == own => {
                        is_aligned(a.wrapping_sub(place.offset), *stride, access.bytes)
                            && inside(i128::from(*a), i128::from(*b), access.bytes, place.offset, bytes)
                    }
                    // Offsets are signed.
                    (Value::Number(a, b, stride), None) => {
                        let (a, b) = (*a as i64, *b as i64);
                        is_aligned(a.wrapping_sub(place.offset), *stride, access.bytes)
                            && inside(i128::from(a), i128::from(b), access.bytes, place.offset, bytes)
                    }
                    (Value::Element { root, at, size, shift }, Some(own)) => {
                        let whole = place.bytes == Bytes::Register(*size) && access.bytes <= 1 << shift;
                        *root == own && *at == place.offset && whole
                    }
                    _ => false,
                };
                fits && access.space == place.space && (!access.writes || place.overwritten)
            })
    }
}

/// Returns whether addresses from the first one on, with a stride, are multiples of an access's bytes.
fn is_aligned(first: i64, stride: u32, bytes: u64) -> bool {
    let zeros = bytes.trailing_zeros();
    first.trailing_zeros() >= zeros && stride >= zeros
}

/// Returns whether an access between two addresses stays in a range of `bytes` from `offset` on.
fn inside(least: i128, most: i128, accessed: u64, offset: i64, bytes: Option<i128>) -> bool {
    let offset = i128::from(offset);
    least >= offset && bytes.is_some_and(|bytes| most + i128::from(accessed) <= offset + bytes)
}

/// An access of added code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) space: MemSpace,
    pub(crate) bytes: u64,
    pub(crate) writes: bool,
}

/// Returns whether an access outside of parameters is allowed.
pub(crate) fn is_allowed<'a>(
    access: &Access,
    address: &Value<'a>,
    state: &State<'a>,
    (flat, beside): (&Flat<'a>, &Beside<'a>),
    context: &Context<'_>,
) -> bool {
    let within = |least: i64, most: i64, stride: u32, bytes: u64| {
        is_aligned(least, stride, access.bytes)
            && inside(i128::from(least), i128::from(most), access.bytes, 0, Some(i128::from(bytes)))
    };
    let own = match (access.space, address) {
        (MemSpace::Global, Value::Number(least, most, stride)) => {
            let end = u128::from(*most) + u128::from(access.bytes);
            let mut ranges = context.declared.memory.iter();
            is_aligned(*least as i64, *stride, access.bytes)
                && ranges.any(|range| range.start <= *least && end <= u128::from(range.end))
        }
        (MemSpace::Global, Value::Address(Root::Launch, least, most, stride)) => {
            within(*least, *most, *stride, context.declared.passed)
        }
        (MemSpace::Local, Value::Address(Root::Variable(id), least, most, stride)) => {
            buffer(flat, *id).is_some_and(|bytes| within(*least, *most, *stride, bytes))
        }
        (MemSpace::Local, Value::Address(Root::Caller, least, most, stride)) => {
            within(*least, *most, *stride, context.buffer)
        }
        _ => false,
    };
    own || beside.has(access, address, state)
}

/// Returns the bytes of a local variable of the tool.
fn buffer(flat: &Flat<'_>, id: VarId) -> Option<u64> {
    let variable = &flat.variables[id.0 as usize];
    let own = variable.role == ptx::flat::VarRole::Local
        && variable.decl.alignment() >= 8
        && tool::declared(variable.decl).is_some();
    own.then(|| flat.variable_size(id)).flatten()
}
