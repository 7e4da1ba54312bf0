//! The registers of a kernel's products, and how each instruction accesses them.

use kernels::registers::{Place, visit};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::Op;
use std::collections::{BTreeMap, BTreeSet};

/// A register, or an element of a vector register.
pub(super) type Unit = (u32, u8);

/// An access of a unit by an instruction. Those of one instruction are in the order in which they take effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Read(Unit),
    Write(Unit),
    /// A `mov` gives the value of `from` the names in `to`. `from` lacks units of no product.
    Copy {
        to: Unit,
        from: Vec<Unit>,
    },
    /// A product reads the unit as a part of A.
    Factor(Unit),
    /// A product accumulates in the unit.
    Sum(Unit),
    /// An instruction of an unknown kind may do anything with the unit.
    Forget(Unit),
}

impl Touch {
    /// Returns the unit whose record the access changes or is compared with.
    pub(super) fn unit(&self) -> Unit {
        match self {
            Touch::Read(unit)
            | Touch::Write(unit)
            | Touch::Copy { to: unit, .. }
            | Touch::Factor(unit)
            | Touch::Sum(unit)
            | Touch::Forget(unit) => *unit,
        }
    }
}

/// The registers of all products of a function, and those that `mov` copies from or to them.
#[derive(Debug, Default)]
pub(super) struct Units(BTreeSet<Unit>);

impl Units {
    /// Returns the registers of a function's products; none if it has no products.
    pub(super) fn of(flat: &Flat<'_>) -> Units {
        let mut all = BTreeSet::new();
        for inst in flat.instructions.iter().filter(|inst| matches!(inst.op, Ok(Op::Wgmma(_)))) {
            for arg in inst.args.iter().take(2) {
                if let Arg::Vector(items) = arg {
                    all.extend(items.iter().filter_map(unit));
                }
            }
        }
        let movs: Vec<Vec<Unit>> = match all.is_empty() {
            true => Vec::new(),
            false => {
                flat.instructions.iter().filter_map(copied).map(|(to, from)| [to, from].concat()).collect()
            }
        };
        let mut before = 0;
        while all.len() > before {
            before = all.len();
            for names in &movs {
                if names.iter().any(|unit| all.contains(unit)) {
                    all.extend(names);
                }
            }
        }
        Units(all)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the units with their positions.
    pub(super) fn numbered(&self) -> BTreeMap<Unit, usize> {
        self.0.iter().enumerate().map(|(i, &unit)| (unit, i)).collect()
    }

    /// Returns the accesses that an instruction makes of these units.
    pub(super) fn touches(&self, inst: &FlatInstruction<'_>) -> Vec<Touch> {
        if let Ok(Op::Wgmma(_)) = inst.op {
            return product(&inst.args);
        }
        if let Some((to, from)) = copied(inst) {
            let known = |units: Vec<Unit>| units.into_iter().filter(|unit| self.0.contains(unit));
            let from: Vec<Unit> = known(from).collect();
            return known(to).map(|to| Touch::Copy { to, from: from.clone() }).collect();
        }
        let mut touches = Vec::new();
        visit(inst, |place, written| {
            let (id, elements) = match place {
                Place::Whole(id) => (id.0, 0..=u8::MAX),
                Place::Element(id, element) => (id.0, element..=element),
                Place::Carry => return,
            };
            let units = self.0.range((id, *elements.start())..=(id, *elements.end()));
            touches.extend(units.map(|&unit| match (&inst.op, written) {
                (Err(_) | Ok(Op::Unknown), _) => Touch::Forget(unit),
                (_, true) => Touch::Write(unit),
                (_, false) => Touch::Read(unit),
            }));
        });
        // `visit` names the results of a guarded instruction as read, too.
        if inst.guard.is_some() {
            let written: Vec<Touch> =
                touches.iter().filter(|touch| matches!(touch, Touch::Write(_))).cloned().collect();
            touches.retain(|touch| match touch {
                Touch::Read(unit) => !written.contains(&Touch::Write(*unit)),
                _ => true,
            });
        }
        touches.dedup();
        touches
    }
}

/// Returns what a product does with its operands' registers.
fn product(args: &[Arg<'_>]) -> Vec<Touch> {
    let units = |operand: usize| -> Vec<Unit> {
        match args.get(operand) {
            Some(Arg::Vector(items)) => items.iter().filter_map(unit).collect(),
            _ => Vec::new(),
        }
    };
    let factors = units(1).into_iter().map(Touch::Factor);
    factors.chain(units(0).into_iter().map(Touch::Sum)).collect()
}

fn unit(arg: &Arg<'_>) -> Option<Unit> {
    match arg {
        Arg::Reg(id) => Some((id.0, 0)),
        Arg::Element(id, element) => Some((id.0, *element)),
        _ => None,
    }
}

/// Returns the units to which and from which a `mov` copies; `None` for other instructions.
fn copied(inst: &FlatInstruction<'_>) -> Option<(Vec<Unit>, Vec<Unit>)> {
    let units = |arg: &Arg<'_>| match arg {
        Arg::Vector(items) => items.iter().filter_map(unit).collect(),
        _ => unit(arg).into_iter().collect(),
    };
    match (&inst.op, inst.args.as_slice()) {
        (Ok(Op::Mov { .. }), [to, from]) => Some((units(to), units(from))),
        _ => None,
    }
}
