//! The functions that the kernels of an image reach, by calls and by addresses.
//!
//! A program that is linked with the device runtime has hundreds of functions that none of its kernels calls.

use ptx::ast::{FunctionKind, Init, Item, Module};
use ptx::flat::{Arg, Base, Flat, flatten};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the names of the modules' kernels and of all that they name, directly or not. Whatever a variable names or an
/// alias stands for counts as named. Modules are linked by names: a name that several modules declare counts in each.
pub(crate) fn reached<'m>(modules: impl IntoIterator<Item = &'m Module>) -> BTreeSet<String> {
    let mut named: BTreeMap<&str, Vec<Flat<'m>>> = BTreeMap::new();
    let mut work: Vec<&str> = Vec::new();
    for item in modules.into_iter().flat_map(|module| &module.items) {
        match item {
            Item::Function(function) => {
                let name = function.name.text.as_str();
                if function.kind == FunctionKind::Entry {
                    work.push(name);
                }
                if function.body.is_some() {
                    named.entry(name).or_default().push(flatten(function));
                }
            }
            Item::Variable(variable) => variable.init.iter().for_each(|init| initial(init, &mut work)),
            Item::Alias(alias, name) => work.extend([alias.text.as_str(), name.text.as_str()]),
            _ => {}
        }
    }
    let mut reached = BTreeSet::new();
    while let Some(name) = work.pop() {
        if !reached.insert(name.to_owned()) {
            continue;
        }
        for flat in named.get(name).into_iter().flatten() {
            let args = flat.instructions.iter().flat_map(|inst| &inst.args);
            args.for_each(|arg| symbols(arg, &mut work));
        }
    }
    reached
}

/// Adds the symbols that an operand names. Functions that a call by address may reach are named where their address is taken.
fn symbols<'m>(arg: &Arg<'m>, into: &mut Vec<&'m str>) {
    match arg {
        Arg::Symbol(name, _) => into.push(name),
        Arg::Address { base, rest, .. } => {
            if let Base::Symbol(name) = base {
                into.push(name);
            }
            rest.iter().for_each(|arg| symbols(arg, into));
        }
        Arg::Vector(items) | Arg::List(items) => items.iter().for_each(|arg| symbols(arg, into)),
        Arg::Pair(first, second) => [first, second].into_iter().for_each(|arg| symbols(arg, into)),
        _ => {}
    }
}

/// Adds the symbols of an initial value.
fn initial<'m>(init: &'m Init, into: &mut Vec<&'m str>) {
    match init {
        Init::List(items) => items.iter().for_each(|item| initial(item, into)),
        Init::Symbol { name, .. } | Init::MaskedSymbol { name, .. } => into.push(&name.text),
        _ => {}
    }
}
