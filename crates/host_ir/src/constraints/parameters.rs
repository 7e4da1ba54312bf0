//! How the host's arguments become a kernel's parameters.
//!
//! The stub of a kernel gets a structure by reference. The host function gets one of up to 16 bytes as one argument for each
//! of its eightbytes (System V ABI, AMD64, §3.2.3), a larger one by the address of a copy. One that has a copy constructor is
//! passed by its address, too, which looks like a structure of one pointer: nothing is said of pointers in structures.

use super::super::operands::Parts;
use super::Constraints;
use crate::relation::{Expr, Name, Part, Relation};
use std::collections::BTreeSet;

/// A kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub bytes: u64,
    pub is_structure: bool,
}

impl Parameter {
    /// A number or an address of so many bytes.
    pub fn scalar(bytes: u64) -> Parameter {
        Parameter { bytes, is_structure: false }
    }

    pub fn structure(bytes: u64) -> Parameter {
        Parameter { bytes, is_structure: true }
    }
}

/// An argument of the host function that launches; `bytes` is 0 where it is no number or address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    bytes: u64,
    by_value: bool,
    /// An address of so many bytes, at least.
    there: Option<u64>,
}

/// Returns the arguments of a launch.
pub(super) fn passed(parts: &Parts<'_>) -> Vec<Passed> {
    let one = |a: &super::super::ir::Operand<'_>| {
        let bytes = match (a.by_value, a.ty) {
            (Some(_), _) => 0,
            (None, "float") => 4,
            (None, "double" | "<2 x float>") => 8,
            (None, ty) => u64::from(super::super::ir::bits(ty)).div_ceil(8),
        };
        let there = a.there.filter(|_| a.ty == "ptr").map(u64::from);
        Passed { bytes, by_value: a.by_value.is_some(), there }
    };
    parts.arguments.iter().map(one).collect()
}

/// An argument's place among the parameters.
#[derive(Clone, Copy, Debug)]
struct Place {
    parameter: u32,
    offset: u32,
    bytes: u32,
    is_part: bool,
}

/// Returns the place of each argument; `None` if the arguments are not those of such parameters.
fn places(arguments: &[Passed], parameters: &[Parameter]) -> Option<Vec<Place>> {
    let mut left = arguments.iter();
    let mut found = Vec::new();
    for (parameter, p) in (0u32..).zip(parameters) {
        if let Some(a) = left.as_slice().first()
            && p.is_structure
            && a.there == Some(p.bytes)
        {
            found.push(Place { parameter, offset: 0, bytes: 0, is_part: true });
            left.next();
            continue;
        }
        let count = match p.is_structure && p.bytes <= 16 {
            true => p.bytes.div_ceil(8),
            false => 1,
        };
        for n in 0..count {
            let a = left.next()?;
            let offset = 8 * n as u32;
            let fits = match (a.by_value, p.is_structure) {
                (true, _) => p.is_structure && count == 1,
                (false, true) => p.bytes <= 16 && a.bytes > 0 && u64::from(offset) + a.bytes <= p.bytes,
                (false, false) => a.bytes == p.bytes,
            };
            if !fits {
                return None;
            }
            found.push(Place { parameter, offset, bytes: a.bytes as u32, is_part: p.is_structure });
        }
    }
    left.next().is_none().then_some(found)
}

/// Returns facts about arguments as facts about parameters. If the arguments are not those of such parameters, only what is
/// said of the extents counts.
pub(super) fn of_parameters(
    facts: &Constraints,
    arguments: &[Passed],
    parameters: &[Parameter],
) -> Constraints {
    let mut found = Constraints {
        block: facts.block,
        grid: facts.grid,
        dynamic_shared: facts.dynamic_shared,
        host_arithmetic: facts.host_arithmetic,
        ..Constraints::default()
    };
    let Some(places) = places(arguments, parameters) else {
        let of_extents = |name: &Name| {
            matches!(name, Name::Block(_) | Name::Grid(_) | Name::Host(_)).then(|| name.clone())
        };
        found.relations = facts.relations.iter().filter_map(|r| renamed(r, &of_extents)).collect();
        found.loose = (0..parameters.len() as u32).collect();
        return found;
    };
    let at = |n: u32| places.get(n as usize).copied();
    let whole = |n: u32| at(n).filter(|place| !place.is_part).map(|place| place.parameter);
    for ((n, offset), value) in &facts.scalars {
        match at(*n) {
            Some(place) if place.is_part => {
                let part = Part { index: place.parameter, offset: place.offset + offset, bytes: place.bytes };
                let (left, right) = (Expr::Name(Name::Part(part)), Expr::Number(*value));
                found.relations.push(Relation::new(left, crate::relation::Test::Eq, right));
            }
            Some(place) => _ = found.scalars.insert((place.parameter, *offset), *value),
            None => {}
        }
    }
    let name = |name: &Name| match name {
        Name::Param(text) => {
            let n: u32 = text.strip_prefix("arg")?.parse().ok()?;
            let Place { parameter: index, offset, bytes, is_part } = at(n)?;
            Some(match is_part {
                true if bytes == 0 => return None,
                true => Name::Part(Part { index, offset, bytes }),
                false => Name::Param(format!("arg{index}")),
            })
        }
        Name::Part(part) => {
            let place = at(part.index).filter(|place| place.is_part)?;
            let offset = place.offset + part.offset;
            Some(Name::Part(Part { index: place.parameter, offset, bytes: part.bytes }))
        }
        Name::Offset(n) => whole(*n).map(Name::Offset),
        other => Some(other.clone()),
    };
    found.relations.extend(facts.relations.iter().filter_map(|r| renamed(r, &name)));
    for (n, (of, distance)) in &facts.aliases {
        if let (Some(n), Some(of)) = (whole(*n), whole(*of)) {
            found.aliases.insert(n, (of, *distance));
        }
    }
    let loose = facts.loose.iter().filter_map(|n| Some(at(*n)?.parameter));
    let structures = (0u32..).zip(parameters).filter(|(_, p)| p.is_structure).map(|(n, _)| n);
    found.loose = loose.chain(structures).collect::<BTreeSet<u32>>();
    found
}

/// Returns a relation with other names; `None` if there is none for one of its names.
fn renamed(relation: &Relation, name: &impl Fn(&Name) -> Option<Name>) -> Option<Relation> {
    let (left, right) = (with_names(&relation.left, name)?, with_names(&relation.right, name)?);
    Some(Relation::new(left, relation.test, right))
}

fn with_names(e: &Expr, name: &impl Fn(&Name) -> Option<Name>) -> Option<Expr> {
    let both = |a: &Expr, b: &Expr| Some((Box::new(with_names(a, name)?), Box::new(with_names(b, name)?)));
    Some(match e {
        Expr::Number(n) => Expr::Number(*n),
        Expr::Name(n) => Expr::Name(name(n)?),
        Expr::Add(a, b) => both(a, b).map(|(a, b)| Expr::Add(a, b))?,
        Expr::Sub(a, b) => both(a, b).map(|(a, b)| Expr::Sub(a, b))?,
        Expr::Mul(a, b) => both(a, b).map(|(a, b)| Expr::Mul(a, b))?,
        Expr::Rem(a, b) => both(a, b).map(|(a, b)| Expr::Rem(a, b))?,
    })
}
