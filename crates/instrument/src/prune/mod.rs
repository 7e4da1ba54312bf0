//! Accesses that need no check, decided statically.
//!
//! * *Private*: generic addresses that only point to local or constant memory.
//! * *Apart*: accesses of shared memory that cannot race with any other thread's conflicting access.
//!   Addresses are affine in `%tid` (`value`); a barrier of the whole block between two accesses orders them
//!   (`interval`). Whether threads have bytes of their own may depend on the block's extents, which are known
//!   only at launch: those are conditions ([`Extents`]) that the kernel itself tests.
//! * *Repeated*: a load of an address that the thread has just loaded, in the same basic block and without an
//!   ordering operation or write in between. The first load of the address is checked.
//!
//! Global memory is never pruned by *apart*: other kernels, copies and the host may access it, too.
//!
//! # Assumptions
//!
//! No access leaves its variable in shared memory (that is a different bug, which memory checkers find), and
//! no address of one variable is computed from that of another.

mod interval;
mod value;

use interval::{Passed, passed};
use kernels::blocks::blocks;
use kernels::effects::{Control, Extent, Order, Place, TouchKind, effects, uses_descriptors};
use ptx::ast::{FunctionKind, Item, Module, Space};
use ptx::flat::{Arg, Base as AddressBase, Flat, FlatInstruction};
use ptx::op::{Mem, MemSpace, Op, Sem};
use std::collections::{BTreeMap, HashMap};
use value::{Affine, Base, Value, Values};

/// The largest extents of a block for which a property holds; `None` for any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extents(pub [Option<u32>; 3]);

impl Extents {
    /// Returns whether the property holds for every launch.
    pub fn is_any(self) -> bool {
        self.0 == [None; 3]
    }

    fn both(self, other: Extents) -> Extents {
        let mut out = self;
        for (to, from) in out.0.iter_mut().zip(other.0) {
            *to = match (*to, from) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        out
    }
}

/// The reason why an access needs no check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Private,
    /// No conflicting access is possible in blocks of at most these extents.
    Apart(Extents),
    Repeated,
}

/// The numbers of accesses that are not checked, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub private: u32,
    pub apart: u32,
    pub repeated: u32,
}

impl Pruned {
    pub fn count(&mut self, why: Why) {
        *match why {
            Why::Private => &mut self.private,
            Why::Apart(_) => &mut self.apart,
            Why::Repeated => &mut self.repeated,
        } += 1;
    }

    pub fn add(&mut self, other: Pruned) {
        self.private += other.private;
        self.apart += other.apart;
        self.repeated += other.repeated;
    }

    /// Returns a sentence fragment; `None` if there are none.
    pub fn describe(&self) -> Option<String> {
        let parts = [
            (self.apart, "that threads of a block make apart from each other"),
            (self.repeated, "that repeat one that is checked"),
            (self.private, "of a thread's own memory"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        (!parts.is_empty()).then(|| format!("instructions that need no check: {}", parts.join(", ")))
    }
}

/// Returns, for each instruction of a function, why it needs no check, if it does not.
pub fn prune(module: &Module, flat: &Flat<'_>) -> Vec<Option<Why>> {
    let values = Values::new(flat, variables(module));
    let mut out = vec![None; flat.instructions.len()];
    if flat.function.kind == FunctionKind::Entry && followed(flat) {
        apart(flat, &values, &mut out);
    }
    repeated(flat, &mut out);
    for (why, inst) in out.iter_mut().zip(&flat.instructions) {
        if let Some((mem, operand)) = weak(inst)
            && mem.space == MemSpace::Generic
            && matches!(values.address(inst.args.get(operand)), Value::In(Base::Private, _))
        {
            *why = Some(Why::Private);
        }
    }
    out
}

/// Returns the variables of a module that may be bases of tracked addresses.
fn variables(module: &Module) -> HashMap<&str, Base> {
    let mut out = HashMap::new();
    for item in &module.items {
        let Item::Variable(variable) = item else { continue };
        let number = out.len() as u32 + 1;
        let base = match variable.space {
            Space::Shared if variable.size().is_some_and(|bytes| bytes > 0) => Base::Shared(number),
            Space::Shared => Base::Shared(0),
            Space::Const => Base::Private,
            _ => continue,
        };
        out.insert(&*variable.name.text, base);
    }
    out
}

/// Returns whether all accesses to shared memory are in the kernel's own text and made by its own blocks.
fn followed(flat: &Flat<'_>) -> bool {
    flat.instructions.iter().all(|inst| {
        let Ok(op) = &inst.op else { return false };
        let effects = effects(op, &inst.args);
        let elsewhere = match effects.order {
            Some(Order::ClusterArrive(_) | Order::ClusterWait | Order::Mbarrier(_)) => true,
            None | Some(_) => false,
        };
        let called = effects.control == Control::Call
            && !inst.args.iter().any(|arg| matches!(arg, Arg::Symbol("vprintf", _)));
        let far = effects.touches.iter().any(|touch| touch.place == Place::Memory(MemSpace::SharedCluster));
        !elsewhere && !called && !far && !matches!(op, Op::Mapa { .. } | Op::Unknown) && !uses_descriptors(op)
    })
}

/// Returns the weak load or store of an instruction, and the index of its address operand.
fn weak<'i>(inst: &'i FlatInstruction<'_>) -> Option<(&'i Mem, usize)> {
    match &inst.op {
        Ok(Op::Ld(mem) | Op::Ldu(mem)) if mem.sem == Sem::Weak => Some((mem, 1)),
        Ok(Op::St(mem)) if mem.sem == Sem::Weak => Some((mem, 0)),
        _ => None,
    }
}

/// An access that may be to shared memory.
struct Touched {
    inst: usize,
    writes: bool,
    /// Whether it is strong; strong accesses of one block are morally strong with each other, whatever their
    /// scopes.
    strong: bool,
    /// Whether it is performed at some later time.
    asynchronous: bool,
    /// The variable and the offset in it; `None` if it may be anywhere.
    place: Option<(Base, Option<Affine>)>,
    bytes: Option<u32>,
}

fn touches(flat: &Flat<'_>, values: &Values<'_>) -> Vec<Touched> {
    let mut out = Vec::new();
    for (i, inst) in flat.instructions.iter().enumerate() {
        let Ok(op) = &inst.op else { continue };
        for touch in &effects(op, &inst.args).touches {
            let Place::Memory(MemSpace::Generic | MemSpace::SharedCta) = touch.place else { continue };
            let place = match values.address(inst.args.get(touch.operand)) {
                Value::In(Base::Private, _) => continue,
                Value::In(base, at) => Some((base, at)),
                _ => None,
            };
            out.push(Touched {
                inst: i,
                writes: !matches!(touch.kind, TouchKind::Read | TouchKind::AsyncRead),
                strong: touch.sem != Sem::Weak,
                asynchronous: matches!(
                    touch.kind,
                    TouchKind::AsyncRead | TouchKind::AsyncWrite | TouchKind::AsyncAtomic(_)
                ),
                place,
                bytes: match touch.extent {
                    Extent::Elements { bytes, count } => Some(bytes * u32::from(count)),
                    Extent::Operand(_) | Extent::Matrix | Extent::Box => None,
                },
            });
        }
    }
    out
}

/// The largest number of pairs that are analysed.
const MOST_PAIRS: usize = 4_000_000;

fn apart(flat: &Flat<'_>, values: &Values<'_>, out: &mut [Option<Why>]) {
    let touches = touches(flat, values);
    if touches.len().saturating_mul(touches.len()) > MOST_PAIRS {
        return;
    }
    let passed = passed(flat);
    for a in &touches {
        let shared = match &flat.instructions[a.inst].op {
            Ok(Op::Ld(mem) | Op::Ldu(mem) | Op::St(mem)) => {
                mem.space == MemSpace::SharedCta || a.place.is_some()
            }
            Ok(Op::Atom(_) | Op::Red(_)) => a.place.is_some(),
            _ => false,
        };
        if !shared || a.asynchronous {
            continue;
        }
        let all = touches.iter().try_fold(Extents::default(), |all, b| Some(all.both(pair(a, b, &passed)?)));
        out[a.inst] = all.map(Why::Apart);
    }
}

/// Returns the blocks in which two threads that make these accesses never race; `None` if there are none
/// known.
fn pair(a: &Touched, b: &Touched, passed: &[Passed]) -> Option<Extents> {
    if !a.writes && !b.writes || a.strong && b.strong {
        return Some(Extents::default());
    }
    if let (Some((p, _)), Some((q, _))) = (a.place, b.place)
        && p != q
    {
        return Some(Extents::default());
    }
    if a.asynchronous || b.asynchronous {
        return None;
    }
    if !passed[a.inst].meets(passed[b.inst]) {
        return Some(Extents::default());
    }
    let ((_, p), (_, q)) = (a.place?, b.place?);
    own(p?, a.bytes?, q?, b.bytes?)
}

/// Returns the extents for which each thread has bytes of its own: the addresses of threads differ by a
/// stride along each axis, and the strides are nested (all bytes lie within the smallest stride, all threads
/// of a row within the next).
fn own(p: Affine, p_bytes: u32, q: Affine, q_bytes: u32) -> Option<Extents> {
    if p.by != q.by || p.by[0] == 0 {
        return None;
    }
    let first = p.constant.min(q.constant);
    let end = (p.constant + i64::from(p_bytes)).max(q.constant + i64::from(q_bytes));
    let mut needed = end - first;
    let mut axes: Vec<(u64, usize)> = p.by.iter().map(|by| by.unsigned_abs()).zip(0..).collect();
    axes.sort_unstable();
    let mut extents = Extents::default();
    let mut inner: Option<(u64, usize)> = None;
    for (stride, axis) in axes {
        if stride == 0 {
            extents.0[axis] = Some(1);
            continue;
        }
        if stride < needed as u64 {
            return None;
        }
        if let Some((small, axis)) = inner {
            let most = stride / small;
            if most < [1024, 1024, 64][axis] {
                extents.0[axis] = Some(most as u32);
            }
        }
        // A row of the inner axis may fill the distance between two rows.
        needed = i64::try_from(stride).ok()?;
        inner = Some((stride, axis));
    }
    Some(extents)
}

/// Finds repeated loads.
fn repeated(flat: &Flat<'_>, out: &mut [Option<Why>]) {
    for block in blocks(flat) {
        // The loads since the last ordering operation or write: registers, offset and shape.
        let mut loaded: BTreeMap<(u32, i64), (Mem, usize)> = BTreeMap::new();
        let inside = flat.instructions.iter().enumerate().take(block.end).skip(block.start);
        for (i, inst) in inside {
            let Ok(op) = &inst.op else {
                loaded.clear();
                continue;
            };
            let effects = effects(op, &inst.args);
            let quiet = effects.touches.iter().all(|t| t.kind == TouchKind::Read && t.sem == Sem::Weak);
            let plain = quiet && effects.order.is_none() && effects.control == Control::Next;
            let place = match (weak(inst), inst.args.get(1)) {
                (Some((mem, 1)), Some(Arg::Address { base: AddressBase::Reg(id), offset, .. }))
                    if inst.guard.is_none() =>
                {
                    Some(((id.0, *offset), *mem))
                }
                _ => None,
            };
            if !plain {
                loaded.clear();
            }
            let known = place.and_then(|(at, mem)| loaded.get(&at).filter(|(other, _)| *other == mem));
            if known.is_some() && out[i].is_none() {
                out[i] = Some(Why::Repeated);
            }
            kernels::registers::visit(inst, |place, is_written| {
                if let (
                    kernels::registers::Place::Whole(id) | kernels::registers::Place::Element(id, _),
                    true,
                ) = (place, is_written)
                {
                    loaded.retain(|(register, _), _| *register != id.0);
                }
            });
            if let Some((at, mem)) = place
                && out[i].is_none()
                && !matches!(inst.args.first(), Some(Arg::Reg(id)) if id.0 == at.0)
            {
                loaded.insert(at, (mem, i));
            }
        }
    }
}

#[cfg(test)]
mod tests;
