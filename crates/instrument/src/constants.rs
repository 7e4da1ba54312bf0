//! The constants that kernels may read. Kernels do not check these reads: nothing but the host writes constants.

use ptx::ast::{FunctionKind, Item, Module, Space, Variable};
use std::collections::BTreeMap;

/// A variable in constant memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    pub name: String,
    pub bytes: u64,
}

/// Returns the constants that each kernel of a text may read: those that its body names, and if it calls anything, those
/// that some function names.
pub fn read(text: &str) -> BTreeMap<String, Vec<Constant>> {
    if !text.contains(".const") {
        return BTreeMap::new();
    }
    let module = ptx::parse(text).module;
    let all: Vec<Constant> = module.items.iter().filter_map(constant).collect();
    let functions: Vec<Constant> = named(&module, text, &all, |kind| kind == FunctionKind::Func)
        .into_iter()
        .flat_map(|(_, constants)| constants)
        .collect();
    let kernels = named(&module, text, &all, |kind| kind == FunctionKind::Entry);
    kernels
        .into_iter()
        .map(|(kernel, mut constants)| {
            if kernel.calls {
                constants.extend(functions.iter().cloned());
            }
            constants.sort_by(|a, b| a.name.cmp(&b.name));
            constants.dedup();
            (kernel.name, constants)
        })
        .filter(|(_, constants)| !constants.is_empty())
        .collect()
}

/// A function, and whether it calls others.
struct Named {
    name: String,
    calls: bool,
}

fn constant(item: &Item) -> Option<Constant> {
    let Item::Variable(variable) = item else { return None };
    let bytes = bytes(variable).filter(|_| variable.space == Space::Const)?;
    Some(Constant { name: variable.name.text.to_string(), bytes })
}

fn bytes(variable: &Variable) -> Option<u64> {
    let one = u64::from(variable.ty.bits() / 8) * u64::from(variable.vector);
    let number = variable.dims.iter().try_fold(1u64, |n, dim| n.checked_mul((*dim)?))?;
    one.checked_mul(number).filter(|bytes| *bytes > 0)
}

/// Returns the functions of some kind with the constants that their texts name.
fn named(
    module: &Module,
    text: &str,
    all: &[Constant],
    is_wanted: impl Fn(FunctionKind) -> bool,
) -> Vec<(Named, Vec<Constant>)> {
    let functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if is_wanted(function.kind) => Some((function, function.body.as_ref()?)),
        _ => None,
    });
    functions
        .map(|(function, body)| {
            let body = text.get(body.span.start as usize..body.span.end as usize).unwrap_or_default();
            let words: std::collections::BTreeSet<&str> =
                body.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).collect();
            let read = all.iter().filter(|constant| words.contains(constant.name.as_str()));
            let named = Named { name: function.name.text.to_string(), calls: words.contains("call") };
            (named, read.cloned().collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b8 table[256];
.const .f32 factor;
.const .f32 unused;
.global .u32 counter;
.func f() { .reg .f32 %f<2>; ld.const.f32 %f1, [factor]; ret; }
.visible .entry calls() { call.uni f; ret; }
.visible .entry looks_up() { .reg .b32 %r<2>; ld.const.u32 %r1, [table+4]; ret; }
.visible .entry reads_none() { .reg .b32 %r<2>; ld.global.u32 %r1, [counter]; ret; }
";

    #[test]
    fn a_kernel_reads_the_constants_that_it_or_what_it_calls_names() {
        let read = read(TEXT);
        let constant = |name: &str, bytes| vec![Constant { name: name.into(), bytes }];
        assert_eq!(read.get("calls"), Some(&constant("factor", 4)));
        assert_eq!(read.get("looks_up"), Some(&constant("table", 256)));
        assert_eq!(read.len(), 2);
    }
}
